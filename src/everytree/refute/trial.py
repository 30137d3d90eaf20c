"""Trials: concrete changed tables that may refute somebody, whoever thought of them.

First module of the room: attacks, small sets and programs make trials, `judge.py` learns from them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from everytree.prove.problem import Problem


@dataclass(frozen=True, eq=False)
class Trial:
    """A changed table: new labels of flipped rows, removed rows, and added rows with their labels.

    ``features`` holds the added rows as the learner sees them, ``originals`` their original columns.
    ``pools`` lists groups of rows that the program could not tell apart, and how many of each it changes.
    ``random_state`` is the seed that breaks ties, where the user's tree has none of its own.
    """

    flipped: dict[int, int]
    removed: tuple[int, ...]
    features: NDArray[np.float32]
    originals: tuple[tuple[object, ...], ...]
    added_labels: tuple[int, ...]
    pools: tuple[tuple[NDArray[np.int64], int], ...] = ()
    random_state: int | None = None

    @property
    def size(self) -> int:
        """Number of records that change."""
        return len(self.flipped) + len(self.removed) + len(self.added_labels)

    def table(self, problem: Problem) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
        """Features and label codes of the changed table."""
        y = problem.table.y.copy()
        for row, label in self.flipped.items():
            y[row] = label
        keep = np.ones(len(y), np.bool_)
        keep[list(self.removed)] = False
        X, y = problem.table.X[keep] if self.removed else problem.table.X, y[keep]
        if len(self.added_labels):
            X = np.concatenate([X, self.features])
            y = np.concatenate([y, np.array(self.added_labels, np.int64)])
        return np.asfortranarray(X), y


def most_rows(problem: Problem, memory: float) -> int:
    """How many rows a trial may add: ten for each row of T, or what fits into a quarter of the memory."""
    n_rows, n_columns = problem.table.X.shape
    by_row = 100 + 24 * (n_columns + problem.table.frame.shape[1])
    return int(min(max(10_000, 10 * n_rows), memory / 4 / by_row))
