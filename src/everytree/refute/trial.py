"""Trials: concrete changed tables that may refute somebody, whoever thought of them.

Above `change.py`: attacks, small sets and programs make trials, `judge.py` learns from them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from everytree.prove.problem import Problem
    from everytree.refute.change import Change


@dataclass(frozen=True, eq=False)
class Trial:
    """A change in codes of labels, ready to be learned from.

    ``features`` holds the added rows as the learner sees them. ``pools`` lists groups of rows that the
    program could not tell apart, and how many of each it changes. ``random_state`` is the seed that breaks
    ties, where the user's tree has none of its own.
    """

    change: Change
    features: NDArray[np.float32]
    pools: tuple[tuple[NDArray[np.int64], int], ...] = ()
    random_state: int | None = None

    def table(self, problem: Problem) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
        """Features and label codes of the changed table."""
        X = self.change.change_rows(problem.table.X, self.features)
        return np.asfortranarray(X), self.change.change_labels(problem.table.y)


def most_rows(problem: Problem, memory: float) -> int:
    """How many rows a trial may add: ten for each row of T, or what fits into a quarter of the memory."""
    n_rows, n_columns = problem.table.X.shape
    by_row = 100 + 24 * (n_columns + problem.table.frame.shape[1])
    return int(min(max(10_000, 10 * n_rows), memory / 4 / by_row))
