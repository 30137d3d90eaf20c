"""Which tables a path search looks at: budgets that grow with a share, and boxes of counts.

Plain values between the search of one path and the conditions of its programs.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import product
from math import prod
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from everytree.prove.node import Cut

EITHER = 0
"""Stands for a sign that is not decided yet: nothing is asked of the split at that level."""

MOST_SIGNS = 64
"""Combinations of signs that are listed at once: a path of thirty levels has a billion of them."""

Box = tuple["NDArray[np.float64]", "NDArray[np.float64]"]
"""Least and greatest counts of a split, by side and label."""


@dataclass(frozen=True, eq=False)
class Family:
    """Budgets as fixed + t * free, t at most `most`: all free for a verdict, a part of it for a radius.

    Trials with more than `most_rows` added rows are not made.
    """

    fixed: NDArray[np.float64]
    free: NDArray[np.float64]
    most: float
    most_rows: int

    def at(self, t: float) -> NDArray[np.float64]:
        """Additions, flips and removals that are allowed at t."""
        return self.fixed + t * self.free


@dataclass(frozen=True, eq=False)
class Region:
    """Part of the tables that a path search looks at: signs of h, and bounds on counts of splits in use.

    A sign is 1, -1, or `EITHER`.
    """

    signs: tuple[int, ...]
    bounds: dict[tuple[int, Cut], Box]

    @classmethod
    def with_signs(cls, possible: list[list[int]], bounds: dict[tuple[int, Cut], Box]) -> list[Region]:
        """All combinations of possible signs; where these are many, one region that leaves them open."""
        if prod(map(len, possible)) <= MOST_SIGNS:
            return [cls(signs, bounds) for signs in product(*possible)]
        return [cls(tuple(signs[0] if len(signs) == 1 else EITHER for signs in possible), bounds)]

    def decide_sign(self) -> list[Region]:
        """Both signs at the first level where it is open; an empty list if there is none."""
        if EITHER not in self.signs:
            return []
        level = self.signs.index(EITHER)
        before, after = self.signs[:level], self.signs[level + 1 :]
        return [replace(self, signs=(*before, sign, *after)) for sign in (1, -1)]

    def halves(
        self,
        key: tuple[int, Cut],
        low: NDArray[np.float64],
        high: NDArray[np.float64],
        row: int,
        middle: float,
    ) -> list[Region]:
        """Split at a whole number: the count is at most `middle`, or at least one more."""
        below, above = high.copy(), low.copy()
        below[row], above[row] = middle, middle + 1
        return [
            Region(self.signs, {**self.bounds, key: (low, below)}),
            Region(self.signs, {**self.bounds, key: (above, high)}),
        ]
