"""The changes of one node: every choice of a few of its rows, each flipped or removed.

Below `every_table.py`, which tries them.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, islice
from math import comb
from typing import TYPE_CHECKING, Any

import numpy as np

from everytree.support.kernels import kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from everytree.prove.problem import Problem

MOST_TABLES = 400_000
"""Changes of one node that are listed."""

MOST_COMPARED = 100_000
"""In longer tables equal rows are not looked for."""

PART = 4096
"""Changes that are listed at once."""

REMOVED = -1
"""What stands for the new label of a row that is removed."""


class FewChanges:
    """Lists the changes of nodes.

    Soundness
    ---------
    Budgets of one act are added up over all components, so every table of B(T) is among the lists. Rows that
    are equal in features, label and permissions are the same to a learner: of those only as many are listed
    as one table may change.
    """

    def __init__(self, problem: Problem) -> None:
        self.bias = bias = problem.bias
        self.most = bias.flips + bias.removals
        flips_to = bias.flips_to & (bias.flips > 0)
        self.new_labels = np.column_stack([flips_to, bias.removable & (bias.removals > 0)])
        self.equal = _equal_rows(problem)
        self.n_equal = 0 if self.equal is None else int(self.equal.max()) + 1

    def of(self, rows: NDArray[np.int32]) -> Iterator[NDArray[np.int32]] | None:
        """All changes of a node, in parts, those of the fewest rows first; None if they are too many.

        Gives arrays ``[c, k]`` of a row, counted within the node, and its new label.
        """
        first = np.arange(len(rows))
        if self.equal is not None:
            first = np.flatnonzero(place_among_equals(self.equal[rows], self.n_equal) < self.most)
        new = self.new_labels[rows[first]]
        at, label = np.nonzero(new)
        acts = np.column_stack([first[at], np.where(label == new.shape[1] - 1, REMOVED, label)])
        if sum(comb(len(acts), size) for size in range(self.most + 1)) > MOST_TABLES:
            return None
        return self._lists(acts.astype(np.int32))

    def _lists(self, acts: NDArray[np.int32]) -> Iterator[NDArray[np.int32]]:
        """Acts on different rows, as many as the budgets allow, filled up with -1, in long enough parts."""
        found: list[NDArray[np.int32]] = []
        for part in self._by_size(acts):
            found.append(part)
            if sum(map(len, found)) >= PART:
                yield np.concatenate(found)
                found = []
        if found:
            yield np.concatenate(found)

    def _by_size(self, acts: NDArray[np.int32]) -> Iterator[NDArray[np.int32]]:
        """The same in parts of as many acts each, the fewest first."""
        bias = self.bias
        for size in range(self.most + 1):
            for part in _choices(len(acts), size):
                lists = acts[part]
                removed = (lists[:, :, 1] == REMOVED).sum(axis=1)
                allowed = (np.diff(lists[:, :, 0], axis=1) > 0).all(axis=1)
                allowed &= (removed <= bias.removals) & (size - removed <= bias.flips)
                filled = np.full((int(allowed.sum()), self.most, 2), -1, np.int32)
                filled[:, :size] = lists[allowed]
                yield filled


def _choices(n_acts: int, size: int) -> Iterator[NDArray[np.int64]]:
    """Which acts are chosen together, in parts."""
    if size == 1 and n_acts:
        yield from np.array_split(np.arange(n_acts)[:, None], -(-n_acts // PART))
        return
    chosen = combinations(range(n_acts), size)
    while part := list(islice(chosen, PART)):
        yield np.array(part, np.int64).reshape(len(part), size)


def _equal_rows(problem: Problem) -> NDArray[np.int64] | None:
    """Number the rows so that those that are equal in features, label and permissions have one number.

    None in long tables, where they are not looked for.
    """
    if len(problem.table.y) > MOST_COMPARED:
        return None
    rows = np.vstack([problem.columns.codes, problem.types.of_row[None]]).T
    _, equal = np.unique(rows, axis=0, return_inverse=True)
    return np.asarray(equal, np.int64).reshape(-1)


@kernel
def place_among_equals(equal: Any, n_equal: int) -> Any:
    """How many equal entries stand before each one; they are less than ``n_equal``."""
    place, seen = np.empty(len(equal), np.int64), np.zeros(n_equal, np.int64)
    for k in range(len(equal)):
        place[k] = seen[equal[k]]
        seen[equal[k]] += 1
    return place
