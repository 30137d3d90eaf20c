"""Why a split cannot be best: one candidate against one challenger on the same changed table, in units.

A table of B(T) is T after unit changes, each in one of the four cells of the candidate phi and the challenger
psi. With f_a the number of changes of sort a::

    G_phi(T') - G_psi(T')  <=  G_phi(T) - t_psi(T) + sum_a f_a * (s_a - d_a)

s_a are slopes of phi and t_psi a tangent of psi (`criteria.py`), d_a what one change adds to it. The largest
right side is a fractional knapsack for each kind of change. If it is below zero by more than the tolerance
for ties, phi is not best in any table. If T' makes psi trivial, G_psi is the score without a split, never
more than G_phi: a negative bound then also says that psi is there.

Where class weights move with the table (`weights.py`) there is a criterion at each corner of them. For one
table, G_phi is convex in the weights, and t_psi, whose prices are the same at all corners, is linear: so phi
is dropped only if it is at every corner. Leads in leaves are linear, and their price is the same at all.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from everytree.checker.criteria import Criterion, Reach, Slopes
from everytree.checker.exact import UNIT, Range
from everytree.checker.ground import Ground, labels_of
from everytree.checker.leaves import Allowance
from everytree.checker.records import Counts, Split

__all__ = ["Candidate", "Challenge", "Leaf", "Match"]

ADD, FLIP, REMOVE = 0, 1, 2

HIGHEST_PRICE = 64.0
"""Where the search in floats for the price of a leaf's label begins."""

PRICE_STEPS = 60
"""Steps of that search."""


class Leaf(NamedTuple):
    """A label that should not win: on one side of phi, instead of the expected one."""

    side: int
    expected: int
    rival: int


class Change(NamedTuple):
    """One sort of unit change: how often it can be used, where, and the labels before and after (or -1)."""

    sort: int
    cap: int
    side: int
    psi_side: int
    before: int
    after: int

    def lead(self, leaf: Leaf, weights: Sequence[int]) -> int:
        """Say what one use adds to the weight of the rival less that of the expected label in a leaf."""
        if self.side != leaf.side:
            return 0
        worth = {leaf.rival: weights[leaf.rival], leaf.expected: -weights[leaf.expected]}
        return worth.get(self.after, 0) - worth.get(self.before, 0)


class Candidate:
    """One side of the comparison: phi, with its value on T and the slopes of both sides, at each corner."""

    def __init__(self, ground: Ground, reach: Reach, phi: Split) -> None:
        self.phi = phi
        self.own = [labels_of(ground, side) for side in phi.sides]
        self.values = [sum(c.value(own)[1] for own in self.own) for c in ground.criteria]
        self.slopes: list[list[Slopes]] = [[] for _ in ground.criteria]
        if reach.most > 0:
            self.slopes = [[c.slopes(own, reach) for own in self.own] for c in ground.criteria]


class _Prices:
    """What a challenger loses at least by each change, at one corner, for the bound that needs no cells."""

    def __init__(self, ground: Ground, reach: Reach, psi: Split, criterion: Criterion) -> None:
        sides = [criterion.tangent(labels_of(ground, side), reach) for side in psi.sides]
        self.gradient: list[list[Range]] = [gradient for gradient, _ in sides]
        self.start = criterion.tolerance(ground.most_rows) - sum(on_table for _, on_table in sides)
        one, two = self.gradient
        self.adding = [(i, -min(one[i][0], two[i][0])) for i in ground.allowed.addable]
        gone = {
            kind.label for kind, n in zip(ground.kinds, ground.total, strict=True) if n and kind.removable
        }
        self.removing = [(i, max(one[i][1], two[i][1])) for i in gone]
        self.flipping = [(i, j, max(one[i][1] - one[j][0], two[i][1] - two[j][0])) for i, j in ground.pairs()]

    def most(self, allowed: Allowance, of_sides: Sequence[Slopes]) -> int:
        """The most that all changes gain if each could be made where it pays best."""
        best = [0, 0, 0]
        for slopes in of_sides:
            for i, price in self.adding:
                best[ADD] = max(best[ADD], slopes.add[i] + price)
            for i, j, price in self.flipping:
                best[FLIP] = max(best[FLIP], slopes.flip[i][j] + price)
            for i, price in self.removing:
                best[REMOVE] = max(best[REMOVE], slopes.remove[i] + price)
        return allowed.additions * best[ADD] + allowed.flips * best[FLIP] + allowed.removals * best[REMOVE]

    def gain(self, change: Change, slopes: Slopes) -> int:
        """S_a - d_a of one change, in its cell."""
        sort, before, after, gradient = (
            change.sort,
            change.before,
            change.after,
            self.gradient[change.psi_side],
        )
        if sort == ADD:
            return slopes.add[after] - gradient[after][0]
        if change.sort == REMOVE:
            return slopes.remove[before] + gradient[before][1]
        return slopes.flip[before][after] - gradient[after][0] + gradient[before][1]


class Challenge:
    """The other side: one challenger psi against any split of the node; rows of T lie on both its sides."""

    def __init__(self, ground: Ground, reach: Reach, psi: Split) -> None:
        self.ground, self.psi = ground, psi
        self.prices = [_Prices(ground, reach, psi, criterion) for criterion in ground.criteria]

    def far_ahead(self, candidate: Candidate) -> bool:
        """Whether phi loses even if every change could be made in the cell where it pays most."""
        if candidate.phi is self.psi:
            return False
        return all(
            value + prices.start + prices.most(self.ground.allowed, slopes) < 0
            for prices, value, slopes in zip(self.prices, candidate.values, candidate.slopes, strict=True)
        )

    def meet(self, candidate: Candidate, both_left: Counts) -> Match:
        """List the changes in all four cells; `both_left` counts the rows left of both splits."""
        phi, psi = candidate.phi, self.psi
        changes: list[Change] = []
        left_right = [a - b for a, b in zip(phi.sides[0], both_left, strict=True)]
        right_left = [a - b for a, b in zip(psi.sides[0], both_left, strict=True)]
        right_right = [a - b for a, b in zip(phi.sides[1], right_left, strict=True)]
        cells = ((both_left, left_right), (right_left, right_right))
        for side in (0, 1) if self.ground.allowed.changes > 0 else ():
            for psi_side in (0, 1):
                added = 0
                if _cell_exists(phi, psi, side, psi_side):
                    added = min(self.ground.allowed.additions, phi.additions[side], psi.additions[psi_side])
                changes += self._in_cell(cells[side][psi_side], side, psi_side, added)
        corners = [
            _Corner(
                criterion,
                value + prices.start,
                [prices.gain(change, slopes[change.side]) for change in changes],
            )
            for criterion, prices, value, slopes in zip(
                self.ground.criteria, self.prices, candidate.values, candidate.slopes, strict=True
            )
        ]
        return Match(self.ground, candidate.own, changes, corners)

    def _in_cell(self, rows: Counts, side: int, psi_side: int, added: int) -> list[Change]:
        """Changes in one cell. Added rows may be flipped too, so they raise the caps of flips."""
        allowed = self.ground.allowed
        removable: dict[int, int] = {}
        flippable: dict[tuple[int, int], int] = {}
        for kind, count in zip(self.ground.kinds, rows, strict=True):
            if count and kind.removable:
                removable[kind.label] = removable.get(kind.label, 0) + count
            for j in kind.flips_to if count else ():
                flippable[kind.label, j] = flippable.get((kind.label, j), 0) + count
        changes = []
        for i in allowed.addable if added > 0 else ():
            changes.append(Change(ADD, added, side, psi_side, -1, i))
            for j in allowed.added_flips_to:
                if i != j:
                    flippable[i, j] = flippable.get((i, j), 0) + added
        changes += [Change(REMOVE, cap, side, psi_side, i, -1) for i, cap in removable.items()]
        changes += [Change(FLIP, cap, side, psi_side, i, j) for (i, j), cap in flippable.items()]
        return changes


class _Corner(NamedTuple):
    """A comparison with one vector of weights: what phi leads by on T, and the gain of each change."""

    criterion: Criterion
    base: int
    gains: list[int]


class Match:
    """A candidate against a challenger, with the changes of all four cells."""

    def __init__(
        self, ground: Ground, own: Sequence[Counts], changes: list[Change], corners: list[_Corner]
    ) -> None:
        self.ground, self.own, self.changes, self.corners = ground, own, changes, corners

    def lost(self, more: Sequence[int] = ()) -> bool:
        """Whether psi is ahead by more than the tolerance, and by `more`, in every table of B(T).

        `more` has a number of units for each corner.
        """
        return all(
            self._greatest(corner, 0, None)[0] + extra < 0
            for corner, extra in zip(self.corners, more or [0] * len(self.corners), strict=True)
        )

    def rules_out(self, leaf: Leaf) -> bool:
        """Whether in no table phi is best *and* the rival label wins the leaf, with one budget for both.

        If both were so, then for every price p >= 0 the bound plus p times what the rival's lead exceeds its
        need would be at least minus the tolerance. One price for which the greatest value over all changes is
        below zero, at every corner, excludes that. Floats look for the price; whole numbers decide.
        """
        price = self._price(leaf)
        if price is None:
            return False
        return all(self._greatest(corner, round(price * UNIT), leaf)[0] < 0 for corner in self.corners)

    def _greatest(self, corner: _Corner, price: int, leaf: Leaf | None) -> tuple[int, float]:
        """Greatest value over all allowed changes, and the rival's lead less its need where it is taken."""
        allowed, weights, value, lead, need = self.ground.allowed, corner.criterion.at, corner.base, 0, 0
        if leaf is not None:
            own = self.own[leaf.side]
            lead = weights[leaf.rival] * own[leaf.rival] - weights[leaf.expected] * own[leaf.expected]
            need = corner.criterion.needed(leaf.rival, leaf.expected, self.ground.most_rows)
            value += price * lead - price * need // UNIT
        offers: tuple[list[tuple[int, int, int]], ...] = ([], [], [])
        for change, own_gain in zip(self.changes, corner.gains, strict=True):
            worth = 0 if leaf is None else change.lead(leaf, weights)
            gain = own_gain + price * worth
            if gain > 0:
                offers[change.sort].append((gain, change.cap, worth))
        for left, of_sort in zip((allowed.additions, allowed.flips, allowed.removals), offers, strict=True):
            for gain, cap, worth in sorted(of_sort, reverse=True):
                use = min(cap, left)
                value += use * gain
                lead += use * worth
                left -= use
                if left == 0:
                    break
        return value, lead - need / UNIT

    def _price(self, leaf: Leaf) -> float | None:
        """Look for a price at which the greatest value is below 0: it is convex, the lead is its slope."""
        ends: list[tuple[float, float, float]] = []
        for price in (0.0, HIGHEST_PRICE):
            value, slope = self._roughly(price, leaf)
            if value < 0:
                return price
            if (slope < 0) == (price > 0):
                return None
            ends.append((price, value, slope))
        for _ in range(PRICE_STEPS):
            (low, low_value, low_slope), (high, high_value, high_slope) = ends
            step = (high_value - low_value - high_slope * (high - low)) / (low_slope - high_slope)
            price = low + step
            if low_value + low_slope * step >= 0 or not low < price < high:
                return None
            value, slope = self._roughly(price, leaf)
            if value < 0:
                return price
            ends[int(slope >= 0)] = (price, value, slope)
        return None

    def _roughly(self, price: float, leaf: Leaf) -> tuple[float, float]:
        """The greatest value at any corner, each in its own unit, and its slope."""
        whole = round(price * UNIT)
        found = (self._greatest(corner, whole, leaf) for corner in self.corners)
        return max((value / UNIT, slope) for value, slope in found)


def _cell_exists(phi: Split, psi: Split, side: int, psi_side: int) -> bool:
    """Whether an added row can lie on these sides: not left of the lower and right of the higher cut."""
    if phi.column != psi.column or side == psi_side:
        return True
    if phi.low == psi.low:
        return False
    return side == 1 if phi.low < psi.low else side == 0
