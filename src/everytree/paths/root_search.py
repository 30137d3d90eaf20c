"""The search of one path by entropy where labels are flipped: with roots of gains, which are nearly linear.

Beside the search by boxes, which it sharpens: roots have planes of their own (`learner/criterion/roots.py`),
boxes have a sign and are cut where a solution needs it, and attempts at a witness know their rivals.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from everytree.bias.acts import FLIP
from everytree.learner.criterion import front, roots
from everytree.paths.boxes import EITHER, Region
from everytree.paths.search import PathSearch

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from everytree.learner.criterion.roots import Plane, Roots
    from everytree.paths.program import Program, Solution
    from everytree.paths.search import Confirm
    from everytree.prove.node import Cut
    from everytree.prove.problem import Problem

MOST_PLANES, MOST_TANGENTS = 12, 24
"""Planes below the root of a rival, and tangents below its score."""

FINE = 1e-6
"""Planes that would come closer to a root by less than this are not worth a row."""

COARSE = 0.02
"""Boxes are cut where a plane is too high by this many flips, about."""

ATTEMPTS = 4
"""Programs for an attempt at a witness, each with the tangents that the one before it lacked."""


@dataclass(eq=False)
class RootSearch(PathSearch):
    """The search for a table that takes one path, by planes above and below roots of gains as well."""

    @staticmethod
    def is_possible(problem: Problem) -> bool:
        """Whether roots are nearly linear, and few enough pairs of counts to look at each."""
        bias = problem.bias
        only_flips = bias.additions == 0 and bias.removals == 0
        entropy = problem.criterion.code == front.ENTROPY and bias.n_labels == 2
        return only_flips and entropy and 2 * (bias.flips + 1) ** 2 <= roots.MOST_PAIRS

    def __post_init__(self) -> None:
        super().__post_init__()
        self._roots: dict[tuple[int, Cut], Roots] = {}
        self._below: dict[tuple[int, Cut], list[Plane]] = {}
        self._above: dict[tuple[int, int, bytes], Plane | None] = {}

    def _of(self, level: int, k: int) -> Roots:
        """Roots of a split."""
        key = level, self.cuts[level][k]
        if key not in self._roots:
            flips = int(self.family.at(self.family.most)[FLIP] + 1e-9)
            counts = self.counts[level][k]
            tied = float(front.tolerance(self.criterion, counts.sum()))
            self._roots[key] = roots.roots_of(counts, self._reach(level, k), flips, tied)
        return self._roots[key]

    def _plane_above(self, level: int, sign: int, region: Region) -> Plane | None:
        """A plane above the root of the path's split in a region; None if no table has the sign."""
        if sign == EITHER:  # no plane is above both
            return None
        box = np.array([end[1::2] for end in region.bounds[level, self.cuts[level][0]]], np.int64)
        key = level, sign, box.tobytes()
        if key not in self._above:
            self._above[key] = roots.plane_above(self._of(level, 0), box, sign)
        return self._above[key]

    def _planes_below(self, level: int, k: int) -> list[Plane]:
        """Planes below the root of a rival: one that is close to it on T, and those added since."""
        key = level, self.cuts[level][k]
        if key not in self._below:
            self._below[key] = [roots.plane_below(self._of(level, k), self.counts[level][k][1::2])]
        return self._below[key]

    def _first_regions(self) -> list[Region]:
        """The counts that the budgets can reach, with every sign that they can have."""
        (region,) = super()._first_regions()
        signs = [
            [sign for sign in (1, -1) if self._plane_above(level, sign, region) is not None]
            for level, _ in self._own(region)
        ]
        return Region.with_signs(signs, region.bounds)

    def _require_best(
        self, program: Program, level: int, region: Region, near: NDArray[np.float64] | None, lead: float
    ) -> None:
        """What holds for scores, and the same for roots: a plane above one, and planes below its rivals'.

        The sign asks for s (p_L n_R - p_R n_L) >= 0, a whole number; what is taken off is for rounding.
        """
        super()._require_best(program, level, region, near, lead)
        counts, effects, sign = self.counts[level], self.effects[level], region.signs[level]
        if near is not None or sign == EITHER:
            return
        plane = self._plane_above(level, sign, region)
        if plane is None:
            program.require(np.zeros(effects[0].shape[1]), 1.0)
            return
        left, right = map(float, self._of(level, 0).size)
        leaning = sign * np.array([0.0, right, 0.0, -left])
        program.require(leaning @ effects[0], -max(0.5, 1e-12 * left * right) - float(leaning @ counts[0]))
        own, above = plane[0] @ effects[0], float(plane[0] @ counts[0]) + plane[1]
        for k in range(1, len(counts)):
            for slopes, base in self._planes_below(level, k):
                program.require(own - slopes @ effects[k], float(slopes @ counts[k]) + base - above)

    def _at(self, level: int, solution: Solution) -> list[NDArray[np.float64]]:
        """Counts of all splits of a level in a solution."""
        pairs = zip(self.counts[level], self.effects[level], strict=True)
        return [np.maximum(counts + effect @ solution.amounts, 0.0) for counts, effect in pairs]

    def _root_at(self, level: int, k: int, at: list[NDArray[np.float64]]) -> float:
        """Root of a split at given counts, without its sign."""
        return abs(roots.signed_root(self._of(level, k), *at[k][1::2]))

    def _add_tangents(self, solution: Solution, region: Region) -> bool:
        """Add tangents and planes of rivals where the solution sits, if the path's split loses by them."""
        added = super()._add_tangents(solution, region)
        for level, _ in self._own(region):
            plane = self._plane_above(level, region.signs[level], region)
            if plane is None:
                continue
            at = self._at(level, solution)
            above = plane[0] @ at[0] + plane[1]
            for k in range(1, len(at)):
                known = self._planes_below(level, k)
                enough = max(above, *(slopes @ at[k] + base for slopes, base in known)) + FINE
                if self._root_at(level, k, at) > enough and len(known) < MOST_PLANES:
                    slopes, base = roots.plane_below(self._of(level, k), at[k][1::2])
                    if slopes @ at[k] + base > enough:
                        known.append((slopes, base))
                        added = True
        return added

    def _cut(self, region: Region, solution: Solution) -> list[Region]:
        """Cut the box whose plane is too high by the most flips, where the path's split loses without that.

        Else at a fraction; and where there is none either, as any search does. Open signs come first.
        """
        if EITHER in region.signs:
            return region.decide_sign()
        worst, where = COARSE, None
        for level, own in self._own(region):
            plane = self._plane_above(level, region.signs[level], region)
            low, high = (end[1::2] for end in region.bounds[level, own])
            if plane is None or (low >= high).all():
                continue
            at = self._at(level, solution)
            root = self._root_at(level, 0, at)
            rival = max((self._root_at(level, k, at) for k in range(1, len(at))), default=0.0)
            off = min(float(plane[0] @ at[0]) + plane[1], rival) - root
            off /= max(1e-12, float(np.abs(plane[0]).max()))
            if off > worst:
                worst, where = off, (level, own)
        if where is None:
            return self._cut_fraction(region, solution) or super()._cut(region, solution)
        low, high = region.bounds[where]
        positives = self._at(where[0], solution)[0][1::2]
        side = roots.more_bent(self._of(where[0], 0), low[1::2], high[1::2], positives)
        ends = low[2 * side + 1], high[2 * side + 1]
        middle = float(np.clip(np.floor((positives[side] + sum(ends) / 2) / 2), ends[0], ends[1] - 1))
        return self._halves(region, where, side, middle)

    def _halves(self, region: Region, key: tuple[int, Cut], side: int, middle: float) -> list[Region]:
        """Positives of a side are at most `middle`, or at least one more; the rest of it are negatives."""
        positive, negative = 2 * side + 1, 2 * side
        size = float(self._of(key[0], 0).size[side])
        below, above = region.halves(key, *region.bounds[key], positive, middle)
        least, most = (half.bounds[key][k].copy() for k, half in enumerate((below, above)))
        least[negative] = max(least[negative], size - middle)
        most[negative] = min(most[negative], size - middle - 1)
        return [
            Region(region.signs, {**region.bounds, key: (least, below.bounds[key][1])}),
            Region(region.signs, {**region.bounds, key: (above.bounds[key][0], most)}),
        ]

    def _try(self, solution: Solution, region: Region, confirm: Confirm) -> tuple[bool, bool]:
        """Make trials as any search does, once rivals lose where an attempt itself lies.

        The tangent of the path's split is below its score, so an attempt whose rivals' scores are no higher
        than that takes the path; it only has to be rounded.
        """
        near = [c[0] + e[0] @ solution.amounts for c, e in zip(self.counts, self.effects, strict=True)]
        for lead in self.leads:
            for _ in range(ATTEMPTS):
                attempt = self._program(region, near, lead).solve(self.solver)
                possible = attempt.broken <= 1e-7 and attempt.share <= self.family.most + 1e-9
                if not possible or not self._sharpen(attempt, region):
                    break
            if possible:
                taken, grown = self._try_one(attempt, confirm)
                if taken or grown:
                    return taken, grown
        return self._try_one(solution, confirm)

    def _sharpen(self, attempt: Solution, region: Region) -> bool:
        """Add tangents of rivals that are ahead of the path's split in an attempt."""
        added = False
        for level, _ in self._own(region):
            at = self._at(level, attempt)
            own = front.split_value(self.criterion, at[0])
            for cut, point in zip(self.cuts[level][1:], at[1:], strict=True):
                known = self.tangents.setdefault((level, cut), [])
                if front.split_value(self.criterion, point) > own and len(known) < MOST_TANGENTS:
                    known.append(point)
                    added = True
        return added
