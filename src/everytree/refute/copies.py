"""Copies of a person: the plainest witness where more rows may be added than the table has.

Used by `everytree.paths.deciding` before any program. A tree cannot tell the person from the copies, so
with a copy more than there are rows, their label wins the person's leaf whatever the tree looks like.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import numpy as np

from everytree.paths.trial import Trial, most_rows

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from everytree.paths.deciding import Judge
    from everytree.prove.problem import Problem
    from everytree.support.limits import Limits

GROWTH = 4
"""How many times as many copies are tried next, from one to a copy more than there are rows."""


def try_copies(problem: Problem, judge: Judge, people: NDArray[np.int64], limits: Limits) -> None:
    """Add copies of each person with every other label; the judge notes who gets another label."""
    most = min(problem.bias.additions, len(problem.table.y) + 1, most_rows(problem, limits.memory))
    for p in people:
        for label in range(problem.bias.n_labels):
            if int(p) in judge.witnesses or time.monotonic() > limits.deadline:
                break
            if label != judge.predictions[p]:
                _try_label(problem, judge, int(p), label, most)


def _try_label(problem: Problem, judge: Judge, p: int, label: int, most: int) -> None:
    values = judge.X[p]
    below = np.nextafter(values, np.float32(-np.inf))
    bounds = {j: (float(below[j]), float(value)) for j, value in enumerate(values)}
    row = judge.maker.row(bounds, label)
    if row is None:
        return
    encoded = judge.maker.encode((row,))
    copies = 1
    while True:
        trial = Trial({}, (), np.repeat(encoded, copies, axis=0), (row,) * copies, (label,) * copies)
        if judge.consider(trial, np.array([p], np.int32)) or copies == most:
            return
        copies = min(GROWTH * copies, most)
