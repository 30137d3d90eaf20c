"""A path search that writes down why no table takes its path: how tables were divided, and the multipliers.

Beside the search. A region counts as crossed out only when the independent checker agrees, in whole numbers,
with the conditions and multipliers that are written; otherwise the search goes on cutting.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from everytree.checker.proofs.conditions import split_key
from everytree.checker.proofs.paths import PathCheck
from everytree.checker.proofs.paths import Region as Part
from everytree.paths.boxes import Region
from everytree.paths.layout import TooLargeError
from everytree.paths.search import PathSearch
from everytree.prove.recording import written

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from everytree.checker.proofs.layout import Spot
    from everytree.paths.program import Solution
    from everytree.prove.node import Cut

__all__ = ["RecordedSearch"]

DIGITS = (3, 6, 9, 13)
"""Digits of the multipliers, tried in turn: the fewest that are enough are written."""

MOST_PARTS = 4096
"""Combinations of signs for which a proof is written, each by itself."""

PARTS = 1024
"""Points of tangents are written as whole numbers of 1 / PARTS; a gradient does not depend on the scale."""


@dataclass(eq=False)
class _Fork:
    """A region as it was dealt with: excluded by conditions, or cut in two."""

    region: Region
    part: Part
    conditions: list[list[Any]] | None = None
    cut: list[Any] | None = None
    halves: tuple[_Fork, ...] = ()

    def tree(self) -> list[Any]:
        """As a proof file has it."""
        if self.conditions is not None:
            return ["none", self.conditions]
        assert self.cut is not None
        return ["cut", *self.cut, *(half.tree() for half in self.halves)]


@dataclass(eq=False)
class RecordedSearch(PathSearch):
    """The search for a table that takes one path, with the checker's view of the same path."""

    check: PathCheck | None = None
    forks: dict[int, _Fork] = field(default_factory=dict)
    first: list[_Fork] = field(default_factory=list)

    def parts(self) -> list[list[Any]]:
        """What a proof file says about the path, after the search has excluded it."""
        return [fork.tree() for fork in self.first]

    def _first_regions(self) -> list[Region]:
        """The checker's own: all signs, or the box of counts that it finds to be within reach."""
        super()._first_regions()  # refuses paths that are too large
        assert self.check is not None
        if self.check.n_first_regions > MOST_PARTS:
            raise TooLargeError
        regions = []
        for part in self.check.first_regions():
            boxes = {
                (spot[0], self.cuts[spot[0]][0]): (np.array(low, float), np.array(high, float))
                for spot, (low, high) in part.bounds.items()
            }
            regions.append(Region(part.signs, boxes))
            self._note(_Fork(regions[-1], part))
        self.first = [self.forks[id(region)] for region in regions]
        return regions

    def _note(self, fork: _Fork) -> None:
        self.forks[id(fork.region)] = fork

    def _is_excluded(self, region: Region, solution: Solution) -> bool:
        fork = self.forks[id(region)]
        fork.conditions = self._without_counts(region)
        if fork.conditions is not None:
            return True
        if self._is_hopeless(solution):
            return False
        names = self._names(region)
        assert self.check is not None
        top = float(solution.multipliers.max(initial=0.0))
        if len(names) != len(solution.multipliers) or not 0 < top < np.inf:
            return False
        for digits in DIGITS:
            whole = np.rint(solution.multipliers / top * 10**digits).astype(np.int64)
            conditions = [[*names[r], int(whole[r])] for r in np.flatnonzero(whole)]
            if self.check.is_empty(fork.part, conditions, self.check.layout(conditions)):
                fork.conditions = conditions
                return True
        return False

    def _is_hopeless(self, solution: Solution) -> bool:
        """Whether the solver itself has found a mix of changes for the conditions."""
        return solution.bound <= self.family.most

    def _without_counts(self, region: Region) -> list[list[Any]] | None:
        """Conditions that no count fulfils, where the lower end of one lies above its upper end."""
        for (level, cut), (low, high) in region.bounds.items():
            for row in np.flatnonzero(low > high).tolist():
                return [["within", level, *self._key(cut), row, end, 1] for end in (0, 1)]
        return None

    def _names(self, region: Region) -> list[list[Any]]:
        """Names of the conditions of a program, in its order."""
        names: list[list[Any]] = []
        floors = self.problem.floors
        for level, step in enumerate(self.path.steps):
            if step.feature < 0:
                continue
            names += [["side", level, 0], ["side", level, 1]]
            if floors.node_low > 2 * floors.leaf_low:
                names.append(["node", level])
            rivals = self.cuts[level][1:]
            if self.exact:
                names.append(["sign", level])
                names += [["rival", level, *self._key(cut), sign] for cut in rivals for sign in (1, -1)]
            else:
                names += [
                    ["tangent", level, *self._key(cut), self._written(level, cut, point)]
                    for cut in rivals
                    for point in self._points(level, cut)
                ]
        for (level, cut), (low, high) in region.bounds.items():
            if cut in self.cuts[level]:
                names += self._within(level, cut, low, high)
        last, n_labels = self.path.steps[-1], self.problem.bias.n_labels
        if len(last.rows) == 0:
            return [*names, ["row"]]
        return [*names, *(["leaf", other] for other in range(n_labels) if other != self.path.label)]

    def _within(
        self, level: int, cut: Cut, low: NDArray[np.float64], high: NDArray[np.float64]
    ) -> list[list[Any]]:
        """Names of the conditions that hold counts within a box, as `require_within` has them."""
        k = self.cuts[level].index(cut)
        counts, effect = self.counts[level][k], self.effects[level][k]
        names: list[list[Any]] = []
        for row in range(len(low)):
            about = ["within", level, *self._key(cut), row]
            if effect[row].any():
                names += [[*about, 0]] if low[row] > 0 else []
                names += [[*about, 1]] if np.isfinite(high[row]) else []
            elif not low[row] <= counts[row] <= high[row]:
                names.append([*about, int(counts[row] > high[row])])
        return names

    def _written(self, level: int, cut: Cut, point: NDArray[np.float64]) -> list[int] | None:
        """A point of a tangent; None for the counts on T."""
        counts = self.counts[level][self.cuts[level].index(cut)]
        if np.array_equal(point, counts) and self.problem.criterion.code == 0:
            return None
        return [int(z) for z in np.rint(point * PARTS)]

    def _key(self, cut: Cut) -> list[Any]:
        """A split as a proof file names it; feature -1 stands for a node that stays whole."""
        if cut.feature < 0:
            return [-1, None]
        if cut.low < 0:
            return [int(cut.feature), None]
        columns = self.problem.columns
        value = float(columns.values[columns.starts[cut.feature] + cut.low])
        return [int(cut.feature), written(value)]

    def _cut(self, region: Region, solution: Solution) -> list[Region]:
        parts = super()._cut(region, solution)
        if not parts:
            return parts
        fork = self.forks[id(region)]
        (level, cut), row, middle = _where(region, parts)
        spot = self._spot(level, cut)
        halves = fork.part.halves(spot, 2 * self.problem.bias.n_labels, row, middle)
        fork.cut = [level, *self._key(cut), row, middle]
        fork.halves = tuple(_Fork(*pair) for pair in zip(parts, halves, strict=True))
        for half in fork.halves:
            self._note(half)
        return parts

    def _spot(self, level: int, cut: Cut) -> Spot:
        feature, low = self._key(cut)
        return level, split_key(feature, low)


def _where(region: Region, parts: list[Region]) -> tuple[tuple[int, Cut], int, int]:
    """Which count a region was cut at, and the largest number of the lower half."""
    below, above = parts
    for key, (_, high) in below.bounds.items():
        rows = np.flatnonzero(above.bounds[key][0] == high + 1)
        known = region.bounds.get(key)
        for row in rows.tolist():
            if known is None or known[1][row] != high[row]:
                return key, row, int(high[row])
            if above.bounds[key][0][row] != known[0][row]:
                return key, row, int(high[row])
    raise AssertionError
