"""A second reason why a split cannot be best: at its cheapest it costs more than another at its dearest.

This is the method of the paper in exact fractions; the cost is size times Gini impurity, summed over the two
sides. It seldom excludes what the pairwise bound does not.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

from everytree.checker.criteria import Gini
from everytree.checker.exact import UNIT
from everytree.checker.ground import Ground
from everytree.checker.leaves import Allowance
from everytree.checker.records import Counts, Split

__all__ = ["Prices"]

Number = Any
"""A Fraction or a float, whichever the division gives."""

Division = Callable[[int, int], Number]

EXACTLY: Division = Fraction
ROUGHLY: Division = operator.truediv


class Prices:
    """The least cost that some split of a node never exceeds, found when it is first asked for."""

    def __init__(self, ground: Ground, leaf_rows: int, splits: Sequence[Split]) -> None:
        self.ground, self.leaf_rows, self.splits = ground, leaf_rows, splits
        criterion = ground.criteria[0]
        self.known = isinstance(criterion, Gini) and not criterion.is_weighted
        self._limit: Fraction | None = None
        self._asked = False

    def too_dear(self, phi: Split) -> bool:
        """Whether phi always costs more than another split that is always available."""
        if not self.known:
            return False  # the paper knows Gini without weights
        if not self._asked:
            self._limit, self._asked = self._find_limit(), True
        if self._limit is None or self._cost(phi, ROUGHLY)[0] <= float(self._limit):
            return False
        return bool(self._cost(phi, EXACTLY)[0] > self._limit)

    def _cost(self, split: Split, divide: Division) -> tuple[Number, Number | None]:
        return cost(self.ground, self.leaf_rows, split, divide)

    def _find_limit(self) -> Fraction | None:
        """Take the least upper cost, plus the tolerance; the split that has it is picked in floats."""
        best: tuple[float, Split] | None = None
        for split in self.splits:
            upper = self._cost(split, ROUGHLY)[1] if split.inner else None
            if upper is not None and (best is None or upper < best[0]):
                best = (upper, split)
        upper = self._cost(best[1], EXACTLY)[1] if best is not None else None
        if upper is None:
            return None
        return Fraction(upper) + Fraction(self.ground.criteria[0].tolerance(self.ground.most_rows), UNIT)


def cost(ground: Ground, leaf_rows: int, split: Split, divide: Division) -> tuple[Number, Number | None]:
    """Bound the cost from below and above; no upper bound if some table leaves a side with too few rows."""
    lower: Number = 0
    upper: Number | None = 0
    for counts, additions in zip(split.sides, split.additions, strict=True):
        size = sum(counts)
        removable = sum(count for kind, count in zip(ground.kinds, counts, strict=True) if kind.removable)
        least = size - min(ground.allowed.removals, removable)
        ranges = [_range(ground, counts, additions, i, divide) for i in range(ground.n_labels)]
        lower += least * sum(low * (1 - high) for low, high in ranges)
        if least < leaf_rows:
            upper = None
        elif upper is not None:
            upper += (size + additions) * sum(high * (1 - low) for low, high in ranges)
    return lower, upper


def _range(
    ground: Ground, counts: Counts, additions: int, label: int, divide: Division
) -> tuple[Number, Number]:
    """Bound the proportion of one label in a branch that keeps at least one row.

    It is least when as many of its rows as possible are flipped away and removed and rows of other labels
    are added; greatest when rows are flipped to it, added, and rows of other labels removed. A row used
    twice only widens the range.
    """
    allowed = ground.allowed
    own = away = towards = gone = others_gone = 0
    for kind, count in zip(ground.kinds, counts, strict=True):
        if kind.label == label:
            own += count
            away += count if kind.flips_to else 0
            gone += count if kind.removable else 0
        else:
            towards += count if label in kind.flips_to else 0
            others_gone += count if kind.removable else 0
    size = sum(counts)
    away, towards = min(away, allowed.flips), min(towards, allowed.flips)
    gone_at_most = min(gone + others_gone, allowed.removals)
    gone, others_gone = min(gone, allowed.removals), min(others_gone, allowed.removals)
    more = _added(allowed, {label}, additions, allowed.flips - towards)
    others_more = _added(allowed, set(range(ground.n_labels)) - {label}, additions, allowed.flips - away)
    reached = own + towards + more
    if size <= gone_at_most:
        return 0, int(reached > 0)
    left = max(0, own - away - gone)
    low = divide(left, size - gone + others_more) if left else 0
    whole = size - others_gone + more
    return low, 1 if reached >= whole else divide(reached, whole)


def _added(allowed: Allowance, labels: set[int], additions: int, spare_flips: int) -> int:
    """How many added rows may end up with one of some labels, as they are or after a flip."""
    if allowed.addable & labels:
        return additions
    return min(additions, spare_flips) if allowed.added_flips_to & labels else 0
