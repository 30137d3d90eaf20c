"""Rows of T as the splits of a path see them, and what the best mix of changes adds to a sum of counts.

A condition of a path is linear in the label counts of its splits. With a weight for each count, one change of
a row adds the weights of all counts that it enters and takes off those of all that it leaves, at every level
that the row reaches. The largest sum within the budgets is a knapsack for each kind of change.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from everytree.checker.exact import Range
from everytree.checker.proofs.nodes import Key, Node, Problem, key_of
from everytree.checker.proofs.wording import Rejected
from everytree.checker.records import Split

__all__ = ["Layout", "Level", "Spot", "Weights"]

MOST_CHOICES = 3000
"""More ways for an added row to lie between splits of one column are not looked at."""


@dataclass(frozen=True, eq=False)
class Level:
    """One level of a path: a node, its split and the side taken; no split where the node stays whole."""

    node: Node
    split: Split | None
    side: int

    @property
    def key(self) -> Key | None:
        """The name of its split."""
        return None if self.split is None else key_of(self.split)


Spot = tuple[int, Key | None]
"""A level and a split of its node; None stands for the node as a whole, all rows on side 0."""

Weights = Mapping[Spot, Sequence[Range]]
"""What one row counts in each split, by side * labels + label."""

NOTHING: Range = (0, 0)


@dataclass(eq=False)
class Layout:
    """Groups of rows that lie on the same sides of all splits in use and have the same kind."""

    problem: Problem
    levels: Sequence[Level]
    splits: Mapping[Spot, Split | None]
    groups: list[tuple[int, int, tuple[int, ...]]] = field(default_factory=list)
    sizes: list[int] = field(default_factory=list)
    by_level: list[list[Spot]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.by_level = [[spot for spot in self.splits if spot[0] == d] for d in range(len(self.levels))]
        kinds, of_row = self.problem.kinds, self.problem.records.kind
        self.groups = [(-1, -1, ())] * len(kinds)
        group = list(of_row)
        for d, level in enumerate(self.levels):
            cuts = [self.splits[spot] for spot in self.by_level[d]]
            columns = [
                None if cut is None else (self.problem.codes[cut.column], self._rank(cut)) for cut in cuts
            ]
            known: dict[tuple[int, tuple[int, ...]], int] = {}
            for r in level.node.members:
                sides = tuple(0 if c is None else int(c[0][r] > c[1]) for c in columns)
                key = group[r], sides
                if key not in known:
                    known[key] = len(self.groups)
                    self.groups.append((group[r], d, sides))
                group[r] = known[key]
        self.sizes = [0] * len(self.groups)
        for g in group:
            self.sizes[g] += 1
        self.kind_of = [self._kind(g) for g in range(len(self.groups))]

    def _rank(self, cut: Split) -> int:
        """Code of the last value that goes left; -1 if none does."""
        values = self.problem.levels[cut.column]
        return -1 if cut.low == -math.inf else values.index(cut.low)

    def _kind(self, g: int) -> int:
        while self.groups[g][0] >= 0:
            g = self.groups[g][0]
        return g

    def most(self, weights: Weights) -> int:
        """The largest sum, rounded up, that changes within the budgets add."""
        facts = self.problem.facts
        flips, gone = self._offers(weights)
        total = 0
        if facts.additions > 0:
            total += facts.additions * max(0, self._added(weights))
            flips += self._added_flips(weights)
        for budget, offers in ((facts.flips, flips), (facts.removals, gone)):
            left = budget
            for gain, cap in sorted(offers, reverse=True):
                use = min(cap, left)
                total += use * gain
                left -= use
                if left == 0:
                    break
        return total

    def _offers(self, weights: Weights) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
        """What a flip and a removal in each group gain, with the number of its rows; gains above 0 only."""
        kinds, n = self.problem.kinds, self.problem.n_labels
        sums: list[list[Range]] = []
        flips, gone = [], []
        for g, (parent, d, sides) in enumerate(self.groups):
            if parent < 0:
                sums.append([NOTHING] * n)
            else:
                sums.append(self._entered(sums[parent], d, sides, weights))
            size, kind = self.sizes[g], kinds[self.kind_of[g]]
            if size == 0:
                continue
            own = sums[g][kind.label][0]
            if kind.flips_to:
                gain = max(sums[g][j][1] for j in kind.flips_to) - own
                if gain > 0:
                    flips.append((gain, size))
            if kind.removable and own < 0:
                gone.append((-own, size))
        return flips, gone

    def _entered(
        self, before: Sequence[Range], d: int, sides: tuple[int, ...], weights: Weights
    ) -> list[Range]:
        n = self.problem.n_labels
        low, high = [a for a, _ in before], [b for _, b in before]
        for spot, side in zip(self.by_level[d], sides, strict=True):
            of_spot = weights.get(spot)
            if of_spot is not None:
                for i in range(n):
                    a, b = of_spot[side * n + i]
                    low[i] += a
                    high[i] += b
        return list(zip(low, high, strict=True))

    # ------------------------------------------------------------ rows that are added

    def _added(self, weights: Weights) -> int:
        """The most that one added row counts, wherever it lies and whatever label it may have there."""
        best = 0
        for d, level in enumerate(self.levels):
            for i in level.node.addable if level.node.additions > 0 else ():
                best = max(best, self._dearest(d, weights, i, None))
        return best

    def _added_flips(self, weights: Weights) -> list[tuple[int, int]]:
        """What the flip of an added row gains."""
        facts = self.problem.facts
        best = 0
        for d, level in enumerate(self.levels):
            for i in level.node.addable if level.node.additions > 0 else ():
                for j in facts.added_flips_to - {i}:
                    best = max(best, self._dearest(d, weights, j, i))
        return [(best, facts.additions)] if best > 0 else []

    def _dearest(self, d: int, weights: Weights, label: int, less: int | None) -> int:
        """The most that `label` counts more than `less` in a row that leaves the path at level d.

        On the way it takes the sides of the path; at level d the other one, unless that is the last level.
        Columns do not depend on each other, so each is looked at by itself.
        """
        n, last = self.problem.n_labels, len(self.levels) - 1
        columns: dict[int, list[tuple[Split, int | None, Spot]]] = {}
        total = 0
        for e in range(d + 1):
            own = self.levels[e]
            for spot in self.by_level[e]:
                cut = self.splits[spot]
                if cut is None:
                    total += _worth(weights, spot, 0, label, less, n)
                    continue
                fixed = None
                if spot[1] == own.key and (e < d or d < last):
                    fixed = own.side if e < d else 1 - own.side
                columns.setdefault(cut.column, []).append((cut, fixed, spot))
        for cuts in columns.values():
            choices = list(_choices([(cut, fixed) for cut, fixed, _ in cuts]))
            if not choices:
                return 0
            total += max(
                sum(
                    _worth(weights, spot, side, label, less, n)
                    for (_, _, spot), side in zip(cuts, sides, strict=True)
                )
                for sides in choices
            )
        return total


def _worth(weights: Weights, spot: Spot, side: int, label: int, less: int | None, n: int) -> int:
    of_spot = weights.get(spot)
    if of_spot is None:
        return 0
    return of_spot[side * n + label][1] - (0 if less is None else of_spot[side * n + less][0])


def _choices(cuts: Sequence[tuple[Split, int | None]]) -> Iterator[tuple[int, ...]]:
    """Sides that a row can have of cuts of one column, whose thresholds lie anywhere in their gaps."""
    found: list[tuple[int, ...]] = [()]
    for q, (cut, fixed) in enumerate(cuts):
        before = [p for p in range(q) if cuts[p][0].high <= cut.low]
        after = [p for p in range(q) if cut.high <= cuts[p][0].low]
        found = [
            (*sides, side)
            for sides in found
            for side in ((0, 1) if fixed is None else (fixed,))
            if not (any(sides[p] for p in after) if side == 0 else any(not sides[p] for p in before))
        ]
        if len(found) > MOST_CHOICES:
            raise Rejected("path", "an added row can lie in too many ways between its splits.")
    return iter(found)
