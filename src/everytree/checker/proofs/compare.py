"""Why a split cannot be best: one candidate against one challenger on the same changed table, in units.

A table of B(T) is T after unit changes, each in one of the four cells of the candidate phi and the challenger
psi. With f_a the number of changes of sort a::

    G_phi(T') - G_psi(T')  <=  G_phi(T) - t_psi(T) + sum_a f_a * (s_a - d_a)

s_a are slopes of phi and t_psi a tangent of psi (`criteria.py`), d_a what one change adds to it. The largest
right side is a fractional knapsack for each kind of change. If it is below zero by more than the tolerance
for ties, phi is not best in any table. If T' makes psi trivial, G_psi is the score without a split, never
more than G_phi: a negative bound then also says that psi is there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from everytree.checker.bounds import ADD, FLIP, REMOVE, Change, Leaf
from everytree.checker.leaves import Allowance
from everytree.checker.proofs.criteria import Criterion, Reach, Slopes
from everytree.checker.proofs.exact import UNIT
from everytree.checker.records import Counts, Kind, Split

__all__ = ["Candidate", "Challenge", "Ground", "labels_of"]

HIGHEST_PRICE = 64.0
"""Where the search in floats for the price of a leaf's label begins."""

PRICE_STEPS = 60
"""Steps of that search."""


@dataclass(frozen=True, eq=False)
class Ground:
    """A node as a comparison sees it: kinds of rows, rows of each, and what may happen to them."""

    criterion: Criterion
    kinds: Sequence[Kind]
    n_labels: int
    total: Counts
    allowed: Allowance

    @property
    def most_rows(self) -> int:
        """Rows of the node in the largest table."""
        return sum(self.total) + self.allowed.additions

    def reach(self) -> Reach:
        """What all changes together can do to the number of rows with each label."""
        allowed, kinds = self.allowed, self.kinds
        rises, falls = [], []
        for i in range(self.n_labels):
            towards = sum(n for kind, n in zip(kinds, self.total, strict=True) if i in kind.flips_to)
            own = [(kind, n) for kind, n in zip(kinds, self.total, strict=True) if kind.label == i]
            away = sum(n for kind, n in own if kind.flips_to)
            gone = sum(n for kind, n in own if kind.removable)
            if i in allowed.added_flips_to:
                towards += allowed.additions
            rises.append(min(allowed.flips, towards) + (allowed.additions if i in allowed.addable else 0))
            falls.append(min(allowed.flips, away) + min(allowed.removals, gone))
        return Reach(allowed.changes, rises, falls)

    def pairs(self) -> set[tuple[int, int]]:
        """Labels between which some row, of T or added, may be flipped."""
        found = {
            (kind.label, j)
            for kind, n in zip(self.kinds, self.total, strict=True)
            if n
            for j in kind.flips_to
        }
        return found | {(i, j) for i in self.allowed.addable for j in self.allowed.added_flips_to if i != j}


def labels_of(ground: Ground, counts: Counts) -> Counts:
    """Count labels instead of kinds."""
    own = [0] * ground.n_labels
    for kind, count in zip(ground.kinds, counts, strict=True):
        own[kind.label] += count
    return own


class Candidate:
    """One side of the comparison: phi, with its value on T and the slopes of both sides."""

    def __init__(self, ground: Ground, reach: Reach, phi: Split) -> None:
        self.phi = phi
        self.own = [labels_of(ground, side) for side in phi.sides]
        self.value = sum(ground.criterion.value(own)[1] for own in self.own)
        self.slopes: list[Slopes] = []
        if reach.most > 0:
            self.slopes = [ground.criterion.slopes(own, reach) for own in self.own]


class Challenge:
    """The other side: one challenger psi against any split of the node; rows of T lie on both its sides."""

    def __init__(self, ground: Ground, reach: Reach, psi: Split) -> None:
        self.ground, self.psi, self.reach = ground, psi, reach
        sides = [ground.criterion.tangent(labels_of(ground, side), reach) for side in psi.sides]
        self.gradient = [gradient for gradient, _ in sides]
        self.start = ground.criterion.tolerance(ground.most_rows) - sum(on_table for _, on_table in sides)
        self._dearest()

    def _dearest(self) -> None:
        """Best prices of each change over both sides of psi, for the bound that needs no cells."""
        one, two = self.gradient
        allowed, labels = self.ground.allowed, range(self.ground.n_labels)
        self.adding = [(i, -min(one[i][0], two[i][0])) for i in allowed.addable]
        gone = {
            kind.label
            for kind, n in zip(self.ground.kinds, self.ground.total, strict=True)
            if n and kind.removable
        }
        self.removing = [(i, max(one[i][1], two[i][1])) for i in labels if i in gone]
        self.flipping = [
            (i, j, max(one[i][1] - one[j][0], two[i][1] - two[j][0])) for i, j in self.ground.pairs()
        ]

    def far_ahead(self, candidate: Candidate) -> bool:
        """Whether phi loses even if every change could be made in the cell where it pays most."""
        if candidate.phi is self.psi:
            return False
        allowed, best = self.ground.allowed, [0, 0, 0]
        for slopes in candidate.slopes:
            for i, price in self.adding:
                best[ADD] = max(best[ADD], slopes.add[i] + price)
            for i, j, price in self.flipping:
                best[FLIP] = max(best[FLIP], slopes.flip[i][j] + price)
            for i, price in self.removing:
                best[REMOVE] = max(best[REMOVE], slopes.remove[i] + price)
        gain = allowed.additions * best[ADD] + allowed.flips * best[FLIP] + allowed.removals * best[REMOVE]
        return candidate.value + self.start + gain < 0

    def meet(self, candidate: Candidate, both_left: Counts) -> Match:
        """List the changes in all four cells; `both_left` counts the rows left of both splits."""
        phi, psi = candidate.phi, self.psi
        changes: list[Change] = []
        left_right = [a - b for a, b in zip(phi.sides[0], both_left, strict=True)]
        right_left = [a - b for a, b in zip(psi.sides[0], both_left, strict=True)]
        right_right = [a - b for a, b in zip(phi.sides[1], right_left, strict=True)]
        cells = ((both_left, left_right), (right_left, right_right))
        for side, slopes in enumerate(candidate.slopes):
            for psi_side in (0, 1):
                added = 0
                if _cell_exists(phi, psi, side, psi_side):
                    added = min(self.ground.allowed.additions, phi.additions[side], psi.additions[psi_side])
                changes += self._in_cell(cells[side][psi_side], side, psi_side, added, slopes)
        return Match(self.ground, candidate, candidate.value + self.start, changes)

    def _in_cell(self, rows: Counts, side: int, psi_side: int, added: int, slopes: Slopes) -> list[Change]:
        """Changes in one cell. Added rows may be flipped too, so they raise the caps of flips."""
        allowed, gradient = self.ground.allowed, self.gradient[psi_side]
        removable: dict[int, int] = {}
        flippable: dict[tuple[int, int], int] = {}
        for kind, count in zip(self.ground.kinds, rows, strict=True):
            if count and kind.removable:
                removable[kind.label] = removable.get(kind.label, 0) + count
            for j in kind.flips_to if count else ():
                flippable[kind.label, j] = flippable.get((kind.label, j), 0) + count
        changes = []
        for i in allowed.addable if added > 0 else ():
            changes.append(Change(ADD, slopes.add[i] - gradient[i][0], added, side, -1, i))
            for j in allowed.added_flips_to:
                if i != j:
                    flippable[i, j] = flippable.get((i, j), 0) + added
        for i, cap in removable.items():
            changes.append(Change(REMOVE, slopes.remove[i] + gradient[i][1], cap, side, i, -1))
        for (i, j), cap in flippable.items():
            gain = slopes.flip[i][j] - gradient[j][0] + gradient[i][1]
            changes.append(Change(FLIP, gain, cap, side, i, j))
        return changes


class Match:
    """A candidate against a challenger, with the changes of all four cells."""

    def __init__(self, ground: Ground, candidate: Candidate, base: int, changes: list[Change]) -> None:
        self.allowed, self.own, self.base, self.changes = ground.allowed, candidate.own, base, changes
        self.once = [1] * len(self.own[0])  # what a row of each label weighs

    def lost(self, more: int = 0) -> bool:
        """Whether psi is ahead by more than `more` and the tolerance in every table of B(T)."""
        return self._greatest(0, None)[0] + more < 0

    def rules_out(self, leaf: Leaf) -> bool:
        """Whether in no table phi is best *and* the rival label wins the leaf, with one budget for both.

        If both were so, then for every price p >= 0 the bound plus p times what the rival's lead exceeds its
        need would be at least minus the tolerance. One price for which the greatest value over all changes is
        below zero excludes that. Floats look for the price; whole numbers decide.
        """
        price = self._price(leaf)
        return price is not None and self._greatest(round(price * UNIT), leaf)[0] < 0

    def _greatest(self, price: int, leaf: Leaf | None) -> tuple[int, int]:
        """Greatest value over all allowed changes, and the rival's lead less its need where it is taken."""
        lead = 0
        if leaf is not None:
            own = self.own[leaf.side]
            lead = own[leaf.rival] - own[leaf.expected] - int(leaf.rival > leaf.expected)
        value = self.base + price * lead
        budgets = (self.allowed.additions, self.allowed.flips, self.allowed.removals)
        offers: tuple[list[tuple[int, int, int]], ...] = ([], [], [])
        for change in self.changes:
            worth = 0 if leaf is None else change.lead(leaf, self.once)
            gain = change.gain + price * worth
            if gain > 0:
                offers[change.sort].append((gain, change.cap, worth))
        for budget, of_sort in zip(budgets, offers, strict=True):
            left = budget
            for gain, cap, worth in sorted(of_sort, reverse=True):
                use = min(cap, left)
                value += use * gain
                lead += use * worth
                left -= use
                if left == 0:
                    break
        return value, lead

    def _price(self, leaf: Leaf) -> float | None:
        """Look for a price at which the greatest value is below 0: it is convex, the lead is its slope."""
        ends: list[tuple[float, float, int]] = []
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

    def _roughly(self, price: float, leaf: Leaf) -> tuple[float, int]:
        value, slope = self._greatest(round(price * UNIT), leaf)
        return value / UNIT, slope


def _cell_exists(phi: Split, psi: Split, side: int, psi_side: int) -> bool:
    """Whether an added row can lie on these sides: not left of the lower and right of the higher cut."""
    if phi.column != psi.column or side == psi_side:
        return True
    if phi.low == psi.low:
        return False
    return side == 1 if phi.low < psi.low else side == 0
