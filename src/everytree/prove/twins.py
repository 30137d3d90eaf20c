"""Twins: training rows with just the features of a person, who share a leaf with them in every tree.

Beside the walk, for trees without a limit. Such a tree splits until a leaf has one label or rows that nothing
tells apart, so twins decide a person's label by themselves, however many trees there are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from everytree.learner.availability import NOWHERE
from everytree.learner.criterion.front import WEIGHTED, for_kernels, stop_rows
from everytree.prove.counts import Budget
from everytree.prove.domains.leaf import labels_of_node

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from everytree.prove.problem import People, Problem


def twins_decide(problem: Problem) -> bool:
    """Whether nothing but the data ends the growth of a tree, so that twins decide.

    Leaves of several rows, pruning and limits may leave other rows in a leaf; so may rounding, in large nodes
    whose splits gain nothing.
    """
    floors, settings = problem.floors, problem.settings
    plain = floors.plain and floors.decrease == 0 and floors.cut_off == NOWHERE and settings.max_depth is None
    criterion = problem.criterion
    most_rows = len(problem.table.y) + problem.bias.additions
    return plain and criterion.code < WEIGHTED and most_rows < stop_rows(for_kernels(criterion))


def kept_by_twins(problem: Problem, people: People) -> NDArray[np.bool_]:
    """Who keeps the predicted label because the twins do, in every table of B(T).

    Soundness
    ---------
    Let E be the rows of T with the features of a person, and let one of them be left in T'. Rows with equal
    features, and the person, go the same way through every tree, so a leaf has all that are left of E. If
    all rows of the leaf have one label, it is theirs. Otherwise the learner found no split, so the rows of
    the leaf agree in every feature, up to steps that it does not see, and no two values of T are joined by
    such steps (`check_gaps`): what lies there is E, changed, with added rows. Either way the label is that of
    a leaf with the rows of E and the budget of the whole table: one of `labels_of_node`.
    """
    bias, types = problem.bias, problem.types
    budget = Budget(bias.additions, bias.flips, bias.removals, bias.addable, bias.added_flips_to)
    criteria = [for_kernels(criterion) for criterion in problem.criteria]
    rows = _groups(problem.shown)
    kept = np.zeros(len(people), np.bool_)
    for features, who in _groups(problem.views.show(people.X)).items():
        twins = rows.get(features)
        if twins is None:
            continue
        total = np.bincount(types.of_row[twins], minlength=len(types.label))
        may_go = int(total[types.removable].sum())
        if len(twins) <= min(bias.removals, may_go):
            continue  # all may be gone
        possible = labels_of_node(total, types, budget, criteria)
        expected = people.predictions[who]
        kept[who] = possible[expected] & (possible.sum() == 1)
    return kept


def _groups(shown: NDArray[np.float32]) -> dict[bytes, NDArray[np.int64]]:
    """Numbers of the rows with equal features; 0 and -0 are equal."""
    rows = np.ascontiguousarray(shown + np.float32(0.0))
    found: dict[bytes, list[int]] = {}
    for number, row in enumerate(rows):
        found.setdefault(row.tobytes(), []).append(number)
    return {features: np.array(numbers) for features, numbers in found.items()}
