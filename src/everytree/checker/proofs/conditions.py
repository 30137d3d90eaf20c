"""Conditions of a path, each linear in the label counts of splits, and sums of them with multipliers.

Every condition holds in every table that takes the path and lies in the part at hand; so does every sum with
multipliers of at least 0. Numbers are whole units (`exact.py`), rounded so that a sum comes out too large.
With class weights, conditions about scores and leaves are measured in the weights of the claim (in whole ones
without a common divisor, if they are exact), all others in rows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product
from typing import TYPE_CHECKING, Any

from everytree.checker.exact import UNIT, Range, root, up
from everytree.checker.proofs.layout import Spot
from everytree.checker.proofs.nodes import Key, Problem, read_key
from everytree.checker.proofs.wording import Rejected

if TYPE_CHECKING:
    from everytree.checker.proofs.paths import PathCheck, Region

__all__ = ["Sum", "named_spot", "split_key"]


def named_spot(row: Sequence[Any]) -> Spot | None:
    """The split that a condition names besides those of the path."""
    if row[0] in ("rival", "tangent", "within"):
        return row[1], split_key(row[2], row[3])
    return None


def split_key(column: Any, low: Any) -> Key | None:
    """The name of a split; column -1 stands for a node that stays whole."""
    return None if column == -1 else read_key(column, low)


class Sum:
    """A sum of conditions, each ``weights . counts + constant >= 0`` in every table that takes the path."""

    def __init__(self, check: PathCheck, region: Region) -> None:
        self.check, self.region = check, region
        self.weights: dict[Spot, list[Range]] = {}
        self.constant = 0
        self.criterion = check.problem.criterion
        unit = self.criterion.weights.unit
        self.row, self.weight = unit.numerator * UNIT, unit.denominator

    def take(self, row: Sequence[Any]) -> None:
        """Add one condition, multiplied: its name, what it is about, and at the end its multiplier."""
        kind, *about, times = row
        if not isinstance(times, int) or times < 0:
            raise Rejected("path", "a multiplier is no whole number of at least 0.")
        takers: dict[str, Callable[..., None]] = {
            "leaf": self._leaf,
            "row": self._some_row,
            "side": self._side,
            "node": self._node,
            "sign": self._sign,
            "rival": self._rival,
            "tangent": self._tangent,
            "within": self._within,
        }
        if kind not in takers:
            raise Rejected("path", f"{kind!r} is no condition.")
        takers[kind](times, *about)

    def _put(self, spot: Spot, place: int, low: int, high: int) -> None:
        size = 2 * self.check.problem.n_labels
        weights = self.weights.setdefault(spot, [(0, 0)] * size)
        if not 0 <= place < size:
            raise Rejected("path", "a condition is about a count that there is none.")
        weights[place] = weights[place][0] + low, weights[place][1] + high

    def _own(self, d: int) -> Spot:
        if d not in self.check.split_levels:
            raise Rejected("path", "a condition is about a level without a split.")
        return d, self.check.levels[d].key

    def _end(self) -> tuple[Spot, int]:
        last = len(self.check.levels) - 1
        return (last, self.check.levels[last].key), self.check.levels[last].side * self.check.problem.n_labels

    def _leaf(self, times: int, other: int) -> None:
        """The label weighs at least as much in the leaf as those that sort after it, more than others.

        Where rounding decides, it may weigh less than any other by the tolerance.
        """
        label, (spot, first) = self.check.label, self._end()
        known = 0 <= other < self.check.problem.n_labels
        if other == label or not known or not self.check.levels[-1].node.members:
            raise Rejected("path", "a label cannot be compared here.")
        node, times = self.check.levels[-1].node, times * self.weight
        own, others = (times * UNIT * self.criterion.at[i] for i in (label, other))
        self._put(spot, first + label, own, own)
        self._put(spot, first + other, -others, -others)
        self.constant -= times * self.criterion.needed(label, other, len(node.members) + node.additions)

    def _some_row(self, times: int) -> None:
        """Some row of the leaf has the label."""
        spot, first = self._end()
        self._put(spot, first + self.check.label, times * self.row, times * self.row)
        self.constant -= times * self.row

    def _side(self, times: int, d: int, side: int) -> None:
        """A side of the path's split keeps as many rows as a leaf needs."""
        spot, n = self._own(d), self.check.problem.n_labels
        for i in range(n):
            self._put(spot, side * n + i, times * self.row, times * self.row)
        self.constant -= times * self.row * self.check.problem.sizes.leaf_least

    def _node(self, times: int, d: int) -> None:
        """The node has as many rows as a split needs."""
        spot = self._own(d)
        for place in range(2 * self.check.problem.n_labels):
            self._put(spot, place, times * self.row, times * self.row)
        self.constant -= times * self.row * self.check.problem.sizes.node_least

    # ------------------------------------------------------------ two labels, flips only, Gini

    def _sign(self, times: int, d: int) -> None:
        """The lead of the path's split has the sign of the part, up to ties."""
        self._lead(self._own(d), times * self._sign_at(d))
        self.constant += times * self._slack(d, [self._own(d)])

    def _rival(self, times: int, d: int, column: int, low: Any, sign: int) -> None:
        """The lead of the path's split is at least that of a rival, and its negative, up to ties."""
        spot = d, split_key(column, low)
        if sign not in (1, -1) or spot[1] is None:
            raise Rejected("path", "a rival has a sign of 1 or -1.")
        self._may_challenge(spot)
        self._lead(self._own(d), times * self._sign_at(d))
        self._lead(spot, -sign * times)
        self.constant += times * self._slack(d, [self._own(d), spot])

    def _sign_at(self, d: int) -> int:
        if not self.check.exact:
            raise Rejected("path", "leads are linear for flips of two labels under Gini only.")
        return self.region.signs[self.check.split_levels.index(d)]

    def _lead(self, spot: Spot, times: int) -> None:
        """H = sqrt(n_L n_R / N) (p_L / n_L - p_R / n_R): G less the node's value is 2 h^2, and sizes stay."""
        for place, (low, high) in zip((1, 3), _lead_form(self.check.counts(spot)), strict=True):
            ends = low * times, high * times
            self._put(spot, place, min(ends), max(ends))

    def _slack(self, d: int, spots: Sequence[Spot]) -> int:
        """By how much |h| of the best split may stay behind another's, where scores within e = 1e-10 N tie.

        Let d = |h_psi| - |h_phi| > 0, so d (|h_psi| + |h_phi|) <= e / 2 and d <= sqrt(e / 2). The bracket is
        at least 2 |h_phi|, and |h_phi| >= |h_chi| - sqrt(e / 2) for every chi. After at most l flips |h_chi|
        is at least L = |h_chi(T)| - l max|form|; so d <= e / (4 (L - sqrt(e / 2))) where that is positive.
        """
        problem = self.check.problem
        tied = problem.criterion.tolerance(sum(self.check.counts(spots[0])))
        coarse = root(tied, 2 * UNIT)[1]
        least = 0
        for spot in spots:
            counts = self.check.counts(spot)
            form = _lead_form(counts)
            low, high = (form[0][k] * counts[1] + form[1][k] * counts[3] for k in (0, 1))
            step = max(form[0][1], -form[1][0])
            least = max(least, max(0, low, -high) - problem.facts.flips * step)
        if least <= coarse:
            return coarse
        return min(coarse, up(tied, 4 * (least - coarse)))

    # ------------------------------------------------------------ everything else

    def _tangent(self, times: int, d: int, column: int, low: Any, point: Sequence[int] | None) -> None:
        """The path's split is at least level with a rival, in a box of its counts, up to ties.

        Over the box g of each side lies below a plane of any slope that is high enough at all corners,
        because it is convex; the rival lies above every linear function of `Criterion.below`.
        """
        own, spot = self._own(d), (d, split_key(column, low))
        if self.check.exact or spot[1] is None or own not in self.region.bounds:
            raise Rejected("path", "a rival is compared where there is no box.")
        self._may_challenge(spot)
        problem, n = self.check.problem, self.check.problem.n_labels
        at = self.check.counts(spot) if point is None else point
        if len(at) != 2 * n or not all(isinstance(z, int) and z >= 0 for z in at):
            raise Rejected("path", "a point is no list of counts.")
        least, most = self.region.bounds[own]
        times = times * self.weight
        for side in (0, 1):
            part = slice(side * n, side * n + n)
            slopes, top = _above(problem, least[part], most[part])
            self.constant += times * top
            for i, (slope, tilt) in enumerate(zip(slopes, problem.criterion.below(at[part]), strict=True)):
                self._put(own, side * n + i, times * slope, times * slope)
                self._put(spot, side * n + i, -times * tilt, -times * tilt)
        level = self.check.levels[d]
        rows = len(level.node.members) + level.node.additions
        self.constant += times * problem.criterion.tolerance(rows)

    def _within(self, times: int, d: int, column: int, low: Any, place: int, end: int) -> None:
        """A count lies between the ends of the part: end 0 from below, end 1 from above."""
        spot = d, split_key(column, low)
        bounds = self.region.bounds[spot][end]
        limit = bounds[place]
        if limit is None or end not in (0, 1):
            raise Rejected("path", "a count has no such end.")
        sign = -1 if end else 1
        times = times * self.row
        self._put(spot, place, sign * times, sign * times)
        self.constant -= sign * times * limit

    def _may_challenge(self, spot: Spot) -> None:
        """A rival must be available wherever it is ahead; where one row is enough for a leaf, any is."""
        check, sizes = self.check, self.check.problem.sizes
        split = check.split_at(spot)
        assert split is not None
        removals = check.problem.facts.removals
        if sizes.leaf_most > 1 and not sizes.certain(split, check.problem.kinds, removals):
            raise Rejected("path", "a rival may not be available.")


def _lead_form(counts: Sequence[int]) -> tuple[Range, Range]:
    """Coefficients of h on the second label's rows left and right: w / n_L and -w / n_R."""
    left, right = counts[0] + counts[1], counts[2] + counts[3]
    if left == 0 or right == 0:
        return (0, 0), (0, 0)
    one, two = root(right, left * (left + right)), root(left, right * (left + right))
    return one, (-two[1], -two[0])


def _above(problem: Problem, low: Sequence[int], high: Sequence[int | None]) -> tuple[list[int], int]:
    """A plane above g on a box: its slopes, and its value at 0; g is convex, so corners decide."""
    ends = [(a, b) for a, b in zip(low, high, strict=True) if b is not None and a <= b]
    if len(ends) < len(low):
        raise Rejected("path", "a box has no upper end, or nothing in it.")
    slopes = problem.criterion.below([a + b for a, b in ends])
    top = max(
        problem.criterion.value(corner)[1] - sum(s * c for s, c in zip(slopes, corner, strict=True))
        for corner in product(*(sorted({a, b}) for a, b in ends))
    )
    return slopes, top
