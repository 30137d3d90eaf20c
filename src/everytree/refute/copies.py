"""Copies of the people themselves with another label: the attack that additions allow before all others.

Below `attacks.py`. A tree cannot tell a person from the copies.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from everytree.refute.change import Change
from everytree.refute.trial import Trial

if TYPE_CHECKING:
    from everytree.prove.problem import Problem
    from everytree.refute.judge import Judge

__all__ = ["add_copies"]

GROWTH = 4
"""How many times as many copies of a person are tried next, from one to a copy more than there are rows."""


def add_copies(problem: Problem, judge: Judge, most_rows: int, training_seconds: float) -> Iterator[float]:
    """Add copies of person after person; gives the approximate seconds of each part.

    Where leaves are small, one is enough. With a copy more than there are rows their label wins the person's
    leaf whatever the tree looks like.
    """
    frame, table = judge.frame, problem.table
    if frame is None or list(frame.columns) != list(table.frame.columns):
        return
    labels = np.flatnonzero(problem.bias.addable | problem.bias.added_flips_to)
    most = min(problem.bias.additions, len(table.y) + 1, most_rows)
    for p in np.flatnonzero(judge.open):
        row = tuple(frame.iloc[int(p)])
        for j in labels[labels != judge.predictions[p]]:
            if not judge.open[p]:
                break
            for copies in _growing(most):
                features = np.repeat(judge.X[p][None], copies, axis=0)
                trial = Trial(Change({}, (), (row,) * copies, (int(j),) * copies), features)
                before = judge.retrained
                refuted = judge.consider(trial, np.array([p], np.int32))
                yield training_seconds * (judge.retrained - before)
                if refuted:
                    break


def _growing(most: int) -> list[int]:
    """1, 4, 16 and so on up to `most`."""
    numbers = [1]
    while numbers[-1] < most:
        numbers.append(min(GROWTH * numbers[-1], most))
    return numbers
