"""Paths that no table takes: every part of the tables is excluded by multipliers, in whole numbers.

A path is a split and a side at each level and a label at the end. A table that takes it fulfils conditions
that are linear in the label counts of splits: each side of a split keeps its rows, the path's split is best
against every rival, the label wins the leaf. The tables are divided into parts, by the sign of a split's lead
or by bounds on whole counts, until in each part a sum of conditions, with multipliers >= 0 from the file, is
negative for every mix of changes that the budgets allow. Any multipliers will do, so none are trusted.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Any

from everytree.checker.criteria import Gini
from everytree.checker.proofs.conditions import Sum, named_spot, split_key
from everytree.checker.proofs.layout import Layout, Level, Spot
from everytree.checker.proofs.nodes import Key, Problem
from everytree.checker.proofs.wording import Rejected
from everytree.checker.records import Split
from everytree.checker.weights import BALANCED

__all__ = ["PathCheck", "Region", "verify_path"]

Bounds = tuple[tuple[int, ...], tuple[int | None, ...]]
"""Least and greatest counts of a split by side and label; None for no upper end."""

MOST_LABELS = 8
"""Beyond this many labels a box has too many corners."""


@dataclass(frozen=True, eq=False)
class Region:
    """A part of the tables: the sign of each split's lead, or bounds on counts of splits."""

    signs: tuple[int, ...]
    bounds: Mapping[Spot, Bounds]

    def halves(self, spot: Spot, size: int, row: int, middle: int) -> tuple[Region, Region]:
        """Cut at a whole number: the count is at most `middle`, or at least one more."""
        low, high = self.bounds.get(spot, ((0,) * size, (None,) * size))
        below = tuple(middle if i == row else end for i, end in enumerate(high))
        above = tuple(middle + 1 if i == row else end for i, end in enumerate(low))
        return (
            Region(self.signs, {**self.bounds, spot: (low, below)}),
            Region(self.signs, {**self.bounds, spot: (above, high)}),
        )


class PathCheck:
    """One path: its levels, the label at its end, and the splits of its nodes by name."""

    def __init__(
        self, problem: Problem, levels: Sequence[Level], listed: Sequence[Mapping[Key, Split]], label: int
    ) -> None:
        self.problem, self.levels, self.listed, self.label = problem, levels, listed, label
        facts = problem.facts
        only_flips = facts.additions == 0 and facts.removals == 0
        if problem.class_weight == BALANCED:
            raise Rejected("path", "no path is excluded where weights move with the table.")
        plain = isinstance(problem.criterion, Gini) and not problem.criterion.is_weighted
        self.exact = only_flips and problem.n_labels == 2 and plain
        if not self.exact and problem.n_labels > MOST_LABELS:
            raise Rejected("path", "it has too many labels.")
        self._counts: dict[Spot, list[int]] = {}

    @cached_property
    def split_levels(self) -> list[int]:
        """Levels that have a split."""
        return [d for d, level in enumerate(self.levels) if level.split is not None]

    @property
    def n_first_regions(self) -> int:
        """How many parts there are to begin with."""
        return 2 ** len(self.split_levels) if self.exact else 1

    def first_regions(self) -> list[Region]:
        """All tables: both signs at each level where leads are linear, else what the budgets can reach."""
        if self.exact:
            return [Region(signs, {}) for signs in product((1, -1), repeat=len(self.split_levels))]
        bounds = {(d, self.levels[d].key): self._reach(d) for d in self.split_levels}
        return [Region((), bounds)]

    def _reach(self, d: int) -> Bounds:
        """Counts that the path's split can have at a level, each by itself."""
        level, facts, kinds = self.levels[d], self.problem.facts, self.problem.kinds
        split, low, high = level.split, [], []
        assert split is not None
        for side, counts in enumerate(split.sides):
            here = list(zip(kinds, counts, strict=True))
            added = split.additions[side]
            for i in range(self.problem.n_labels):
                own = sum(n for kind, n in here if kind.label == i)
                away = sum(n for kind, n in here if kind.label == i and kind.flips_to)
                gone = sum(n for kind, n in here if kind.label == i and kind.removable)
                towards = sum(n for kind, n in here if i in kind.flips_to)
                if i in facts.added_flips_to:
                    towards += added
                low.append(max(0, own - min(facts.flips, away) - min(facts.removals, gone)))
                more = added if i in level.node.addable else 0
                high.append(own + min(facts.flips, towards) + more)
        return tuple(low), tuple(high)

    def split_at(self, spot: Spot) -> Split | None:
        """The split of a name; it must be one of the node."""
        d, key = spot
        if not 0 <= d < len(self.levels):
            raise Rejected("path", "a condition names a level that the path has not.")
        if key is None:
            return None
        found = self.listed[d].get(key)
        if found is None:
            raise Rejected("path", "a condition names a split that its node has not.")
        return found

    def counts(self, spot: Spot) -> list[int]:
        """Label counts on T by side and label."""
        if spot not in self._counts:
            split, n = self.split_at(spot), self.problem.n_labels
            whole = self.problem.records.count(self.levels[spot[0]].node.members) if split is None else []
            sides = ([whole, [0] * len(whole)]) if split is None else split.sides
            found = [0] * (2 * n)
            for side, counts in enumerate(sides):
                for kind, count in zip(self.problem.kinds, counts, strict=True):
                    found[side * n + kind.label] += count
            self._counts[spot] = found
        return self._counts[spot]

    def layout(self, rows: Sequence[Sequence[Any]]) -> Layout:
        """Group the rows by the splits that some conditions name, and by those of the path."""
        spots: dict[Spot, Split | None] = {(d, level.key): level.split for d, level in enumerate(self.levels)}
        for row in rows:
            spot = named_spot(row)
            if spot is not None:
                spots.setdefault(spot, self.split_at(spot))
        return Layout(self.problem, self.levels, spots)

    def is_empty(self, region: Region, rows: Sequence[Sequence[Any]], layout: Layout) -> bool:
        """Whether the sum of these conditions is negative for all tables of a part: then there is none."""
        self.problem.pulse()
        total = Sum(self, region)
        for row in rows:
            total.take(row)
        on_table = sum(
            weight[1] * count
            for spot, weights in total.weights.items()
            for weight, count in zip(weights, self.counts(spot), strict=True)
        )
        return total.constant + on_table + layout.most(total.weights) < 0


def verify_path(check: PathCheck, parts: Sequence[Any]) -> int:
    """Verify that no table takes a path; gives the number of parts that were excluded.

    `parts` has one tree for each of `first_regions`, in order: ``["cut", level, column, low, place, middle,
    below, above]``, or ``["none", conditions]`` for a part in which there is no table.
    """
    if len(parts) != check.n_first_regions:  # before they are made: there may be billions of signs
        raise Rejected("path", "its parts are not all the tables.")
    regions = check.first_regions()
    leaves: list[tuple[Region, Sequence[Any]]] = []
    for region, tree in zip(regions, parts, strict=True):
        _unfold(check, region, tree, leaves)
    layout = check.layout([row for _, rows in leaves for row in rows])
    for region, rows in leaves:
        if not check.is_empty(region, rows, layout):
            raise Rejected("path", "its multipliers do not exclude all tables.")
    return len(leaves)


def _unfold(
    check: PathCheck, region: Region, tree: Sequence[Any], leaves: list[tuple[Region, Sequence[Any]]]
) -> None:
    """List the parts of a tree."""
    if tree[0] == "none":
        leaves.append((region, tree[1]))
        return
    name, d, column, low, place, middle, below, above = tree
    spot, size = (d, split_key(column, low)), 2 * check.problem.n_labels
    if name != "cut" or not isinstance(middle, int) or not 0 <= place < size:
        raise Rejected("path", "a part is neither cut nor excluded.")
    check.split_at(spot)
    for part, inner in zip(region.halves(spot, size, place, middle), (below, above), strict=True):
        _unfold(check, part, inner, leaves)
