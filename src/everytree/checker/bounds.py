"""Why a split cannot be best: the pairwise bound in exact fractions, for one candidate and one challenger.

A table of B(T) is T after unit changes, each in one of the four cells that the candidate phi and the
challenger psi make. With f_a the number of changes of sort a::

    G_phi(T') - G_psi(T')  <=  G_phi(T) - G_psi(T) + sum_a f_a * (s_a - d_a)

where s_a is a chord of the convex score of phi, or a number that no single change exceeds, and d_a the
derivative of the score of psi at T. Any price for the leaf's label may be added on top (see
`Match.rules_out`).

Every number comes from one division of whole numbers. The division is a parameter: floats look for what is
worth proving, fractions prove it. With class weights w_i, whole numbers too, a branch has the score of the
weights u_i = w_i c_i, one act moves it by no more than the weight that comes and goes, and a branch without
rows scores no more than the weight of those that are added to it.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

from everytree.checker.leaves import Allowance
from everytree.checker.records import Counts, Kind, Split

__all__ = ["TIE_TOLERANCE", "Duel", "Match", "Setting", "score"]

TIE_TOLERANCE = Fraction(1, 10**10)
"""Scores of a node with n rows, added ones included, that differ by at most this times n count as tied."""

HIGHEST_PRICE = 64.0
"""Where the search in floats for the price of a leaf's label begins; gains are small numbers."""

LARGE = 20_000
"""With weights, rounding is allowed for more than in proportion in nodes of more rows than this."""

PRICE_STEPS = 60
"""Steps of that search."""

ADD, FLIP, REMOVE = 0, 1, 2

Number = Any
"""A Fraction or a float, whichever the division gives."""

Division = Callable[[int, int], Number]

EXACTLY: Division = Fraction
ROUGHLY: Division = operator.truediv


class Leaf(NamedTuple):
    """A label that should not win: on one side of phi, instead of the expected one."""

    side: int
    expected: int
    rival: int


class Change(NamedTuple):
    """One sort of unit change: its gain s_a - d_a, how often it can be used, and what it does to labels."""

    sort: int
    gain: Number
    cap: int
    side: int
    before: int
    after: int

    def lead(self, leaf: Leaf, weights: Sequence[int]) -> int:
        """Say what one use adds to the weight of the rival less that of the expected label in a leaf."""
        if self.side != leaf.side:
            return 0
        worth = {leaf.rival: weights[leaf.rival], leaf.expected: -weights[leaf.expected]}
        return worth.get(self.after, 0) - worth.get(self.before, 0)


@dataclass(frozen=True, eq=False)
class Setting:
    """A node as a comparison of two splits sees it; `leaf_rows` are enough for a leaf in every table."""

    kinds: Sequence[Kind]
    n_labels: int
    n_rows: int
    allowed: Allowance
    leaf_rows: int = 1
    given_weights: tuple[int, ...] = ()
    exact: bool = True

    @property
    def weights(self) -> tuple[int, ...]:
        """How much a row of each label counts."""
        return self.given_weights or (1,) * self.n_labels

    @property
    def tolerance(self) -> Fraction:
        """By how much two scores of the node may differ, in any table, and count as tied."""
        rows = self.n_rows + self.allowed.additions
        if not self.given_weights:
            return TIE_TOLERANCE * rows
        return TIE_TOLERANCE * rows * max(self.weights) * max(Fraction(1), Fraction(rows, LARGE))

    def needed(self, rival: int, expected: int) -> Fraction | int:
        """Least lead in weight with which the rival can win a leaf."""
        return int(rival > expected) if self.exact else -self.tolerance


def _label_weights(setting: Setting, counts: Counts) -> Counts:
    own = [0] * setting.n_labels
    weights = setting.weights
    for kind, count in zip(setting.kinds, counts, strict=True):
        own[kind.label] += weights[kind.label] * count
    return own


def score(setting: Setting, split: Split, divide: Division) -> Number:
    """G on T: the sum over both sides of (sum of squared label weights) / weight; an empty side gives 0."""
    total: Number = 0
    for side in split.sides:
        own = _label_weights(setting, side)
        if any(own):
            total += divide(sum(c * c for c in own), sum(own))
    return total


class _Slopes:
    """The slopes s_a of one side of phi, where its label weights are `own`; B is the greatest change."""

    def __init__(self, own: Counts, weights: Sequence[int], most: int, divide: Division) -> None:
        self.own, self.weights, self.most, self.divide = own, weights, most, divide
        self.size = sum(own)
        self.square = sum(c * c for c in own)

    def _chord(self, moves: dict[int, int]) -> Number | None:
        """(g(c + B d) - g(c)) / B, where one act moves the weights by d; None if nothing would be left."""
        size = self.size + self.most * sum(moves.values())
        if size <= 0:
            return None
        square = self.square
        for i, move in moves.items():
            square += 2 * self.most * move * self.own[i] + (self.most * move) ** 2
        return self.divide(square * self.size - self.square * size, size * self.size * self.most)

    def add(self, i: int) -> Number:
        """The chord of an addition, and w_i where T has no row."""
        return self.weights[i] if self.size == 0 else self._chord({i: self.weights[i]})

    def remove(self, i: int) -> Number:
        """The chord of a removal, and never more than w_i."""
        chord = self._chord({i: -self.weights[i]})
        return self.weights[i] if chord is None else min(self.weights[i], chord)

    def flip(self, i: int, j: int) -> Number:
        """The chord of a flip, and never more than w_i + w_j; what the weight gains where T has no row."""
        if self.size == 0:
            return self.weights[j] - self.weights[i]
        chord = self._chord({i: -self.weights[i], j: self.weights[j]})
        most = self.weights[i] + self.weights[j]
        return most if chord is None else min(most, chord)


def _gradient(setting: Setting, psi: Split, divide: Division) -> list[list[Number]]:
    """Derivative of G_psi at T for one more row of label i: w_i (2 u_i / U - q / U^2), for each side."""
    result = []
    for side in psi.sides:
        own = _label_weights(setting, side)
        n, q = sum(own), sum(c * c for c in own)
        result.append([divide(w * (2 * c * n - q), n * n) for w, c in zip(setting.weights, own, strict=True)])
    return result


def _cell_exists(phi: Split, psi: Split, side: int, psi_side: int) -> bool:
    """Whether an added row can lie on these sides: not left of the lower and right of the higher cut."""
    if phi.column != psi.column or side == psi_side:
        return True
    if phi.low == psi.low:
        return False
    return side == 1 if phi.low < psi.low else side == 0


class Duel:
    """One challenger psi against the splits of a node; only inner splits may challenge."""

    def __init__(self, setting: Setting, psi: Split) -> None:
        self.setting, self.psi = setting, psi
        self._known: dict[Division, tuple[Number, list[list[Number]]]] = {}

    def compare(self, phi: Split, both_left: Counts, divide: Division) -> tuple[Number, list[Change]]:
        """G_phi - G_psi on T plus the tolerance, and every sort of change with its gain.

        `both_left` counts the rows that lie left of both splits.
        """
        setting, psi = self.setting, self.psi
        if divide not in self._known:
            self._known[divide] = score(setting, psi, divide), _gradient(setting, psi, divide)
        psi_score, gradients = self._known[divide]
        tolerance = setting.tolerance
        base = score(setting, phi, divide) - psi_score + divide(tolerance.numerator, tolerance.denominator)
        changes: list[Change] = []
        if setting.allowed.changes == 0:
            return base, changes
        left_right = [a - b for a, b in zip(phi.sides[0], both_left, strict=True)]
        right_left = [a - b for a, b in zip(psi.sides[0], both_left, strict=True)]
        right_right = [a - b for a, b in zip(phi.sides[1], right_left, strict=True)]
        cells = ((both_left, left_right), (right_left, right_right))
        for side in (0, 1):
            own = _label_weights(setting, phi.sides[side])
            slopes = _Slopes(own, setting.weights, setting.allowed.changes, divide)
            for psi_side in (0, 1):
                added = 0
                if _cell_exists(phi, psi, side, psi_side):
                    added = min(setting.allowed.additions, phi.additions[side], psi.additions[psi_side])
                changes += self._in_cell(cells[side][psi_side], side, added, slopes, gradients[psi_side])
        return base, changes

    def _in_cell(
        self, rows: Counts, side: int, added: int, slopes: _Slopes, gradient: Sequence[Number]
    ) -> list[Change]:
        """List the changes in one cell. Added rows may be flipped too, so they raise the caps of flips."""
        allowed = self.setting.allowed
        removable: dict[int, int] = {}
        flippable: dict[tuple[int, int], int] = {}
        for kind, count in zip(self.setting.kinds, rows, strict=True):
            if count > 0 and kind.removable:
                removable[kind.label] = removable.get(kind.label, 0) + count
            for j in kind.flips_to if count > 0 else ():
                flippable[kind.label, j] = flippable.get((kind.label, j), 0) + count
        changes = []
        for i in sorted(allowed.addable) if added > 0 else ():
            changes.append(Change(ADD, slopes.add(i) - gradient[i], added, side, -1, i))
            for j in allowed.added_flips_to - {i}:
                flippable[i, j] = flippable.get((i, j), 0) + added
        for i, cap in removable.items():
            changes.append(Change(REMOVE, slopes.remove(i) + gradient[i], cap, side, i, -1))
        for (i, j), cap in flippable.items():
            gain = slopes.flip(i, j) - gradient[j] + gradient[i]
            changes.append(Change(FLIP, gain, cap, side, i, j))
        return changes


class Match:
    """A candidate phi against one challenger psi."""

    def __init__(self, duel: Duel, phi: Split, both_left: Counts) -> None:
        self.setting, self.phi = duel.setting, phi
        self._base, self._changes = duel.compare(phi, both_left, ROUGHLY)
        self._duel, self._both_left = duel, both_left

    def lost(self) -> bool:
        """Whether psi is ahead of phi in every table of B(T), by more than the tolerance for ties."""
        if self._duel.psi is self.phi or self._greatest(self._base, self._changes, 0.0, None)[0] >= 0:
            return False
        return self._proved(0.0, None)

    def rules_out(self, leaf: Leaf) -> bool:
        """Whether in no table phi is best *and* the rival label wins the leaf.

        If both were so, then for every price p >= 0 the bound plus p times what the rival's lead exceeds its
        need would be at least minus the tolerance, for the changes that made the table. One price for which
        the greatest value over all changes is below that excludes it.
        """
        price = None if self._duel.psi is self.phi else self._price(leaf)
        return price is not None and self._proved(price, leaf)

    def _proved(self, price: float, leaf: Leaf | None) -> bool:
        """Compute in fractions whether the greatest value over all changes is below 0 at this price."""
        base, changes = self._duel.compare(self.phi, self._both_left, EXACTLY)
        return bool(self._greatest(base, changes, Fraction(price), leaf)[0] < 0)

    def _greatest(
        self, base: Number, changes: Sequence[Change], price: Number, leaf: Leaf | None
    ) -> tuple[Number, Number]:
        """Greatest value over all allowed changes, and the rival's lead less its need where it is taken.

        One fractional knapsack for each sort of change: the dearest first, up to its cap and the budget.
        """
        allowed, weights = self.setting.allowed, self.setting.weights
        lead: Number = 0
        if leaf is not None:
            own = _label_weights(self.setting, self.phi.sides[leaf.side])
            lead = own[leaf.rival] - own[leaf.expected] - self.setting.needed(leaf.rival, leaf.expected)
        value = base + price * lead
        for sort, budget in ((ADD, allowed.additions), (FLIP, allowed.flips), (REMOVE, allowed.removals)):
            offers = []
            for change in changes:
                if change.sort == sort:
                    worth = 0 if leaf is None else change.lead(leaf, weights)
                    offers.append((change.gain + price * worth, change.cap, worth))
            offers.sort(key=_dearness, reverse=True)
            for gain, cap, worth in offers:
                use = min(cap, budget)
                if use == 0 or gain <= 0:
                    break
                value += use * gain
                lead += use * worth
                budget -= use
        return value, lead

    def _price(self, leaf: Leaf) -> float | None:
        """Search in floats for a price at which the greatest value is below 0; None if there seems none.

        The greatest value is convex in the price and the lead is its slope. The lines at the two ends of a
        bracket meet below the least value: if they meet at 0 or more, there is nothing to find.
        """
        ends: list[tuple[float, float, float]] = []
        for price in (0.0, HIGHEST_PRICE):
            value, slope = self._greatest(self._base, self._changes, price, leaf)
            if value < 0:
                return price
            if (slope < 0) == (price > 0):
                return None
            ends.append((price, value, float(slope)))
        for _ in range(PRICE_STEPS):
            (low, low_value, low_slope), (high, high_value, high_slope) = ends
            step = (high_value - low_value - high_slope * (high - low)) / (low_slope - high_slope)
            price = low + step
            if low_value + low_slope * step >= 0 or not low < price < high:
                return None
            value, slope = self._greatest(self._base, self._changes, price, leaf)
            if value < 0:
                return price
            ends[int(slope >= 0)] = (price, value, float(slope))
        return None


def _dearness(offer: tuple[Number, int, int]) -> Number:
    return offer[0]
