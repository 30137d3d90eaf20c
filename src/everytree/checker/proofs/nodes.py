"""Nodes as a proof file names them: rows of T that come together, their splits, and who may come there.

Columns are coded once; the splits of a node are counted from its rows alone, by `Counter`, so that a node of
a large table costs little more than reading its rows.
"""

from __future__ import annotations

import hashlib
import math
from array import array
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import Any

from everytree.checker.criteria import Criterion, criterion_of
from everytree.checker.exact import up
from everytree.checker.facts import BiasFacts, TreeFacts
from everytree.checker.holes import LACKING, Twins
from everytree.checker.proofs.places import Bounds, Places
from everytree.checker.records import Counts, Kind, Records, Split
from everytree.checker.sizes import Sizes
from everytree.checker.weights import BALANCED, balanced_on

__all__ = ["MISSING", "Case", "Key", "Node", "Problem", "key_of", "number_rows", "read_key"]

Key = tuple[int, float | None]
"""How a file names a split of a node: its column, and the last value that goes left (None if no row does).

A column that some row or person lacks is written twice (`holes.py`); the second writings stand behind all
columns, and there a split may send nothing to the left but what is missing.
"""

MISSING = "missing"
"""How a file writes the last value left where only what is missing goes left."""


@dataclass(frozen=True)
class Case:
    """People who look alike to every tree: the same values, and the same label in the claim."""

    values: tuple[float, ...]
    label: int
    people: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Node:
    """Rows of T, levels of splits below, additions left and their labels, and the cases that may come here.

    `settled` are columns that splits above have settled for added rows, `bounds` says where these may lie.
    """

    members: Sequence[int]
    depth: int
    additions: int
    addable: frozenset[int]
    settled: frozenset[int]
    bounds: Bounds
    cases: Sequence[int]


@dataclass(frozen=True, eq=False)
class Problem:
    """Everything that the claim says about table, bias model and learner, ready to be asked."""

    records: Records
    codes: list[list[int]]
    keys: list[list[int]]
    levels: list[list[float]]
    facts: BiasFacts
    places: Places
    sizes: Sizes
    tree: TreeFacts
    criterion_name: str
    class_weight: Sequence[float] | str | None
    criteria: Sequence[Criterion]
    n_labels: int
    depth: int
    decrease: Fraction
    cut_off: str
    twins: Twins
    names: Sequence[str]
    cases: Sequence[Case]
    pulse: Callable[[], object] = bool
    """Called every now and then during a verification; may raise to end it."""

    @property
    def kinds(self) -> list[Kind]:
        """What the bias model can tell apart."""
        return self.records.kinds

    @property
    def criterion(self) -> Criterion:
        """The one criterion of all tables, where weights do not move with them."""
        (only,) = self.criteria
        return only

    def criterion_on(self, counts: Sequence[int]) -> Criterion:
        """The criterion of one table with so many rows of each label."""
        if self.class_weight != BALANCED:
            return self.criterion
        return criterion_of(self.criterion_name, balanced_on(counts))

    @property
    def label_counts(self) -> Counts:
        """Rows of T with each label."""
        counts = [0] * self.n_labels
        for kind in self.records.kind:
            counts[self.kinds[kind].label] += 1
        return counts

    @cached_property
    def refused_gains(self) -> list[int]:
        """Units that a split may gain and be refused: `min_impurity_decrease` of the heaviest table."""
        facts, counts = self.facts, self.label_counts
        heaviest = (c.most_weight(counts, facts.additions, facts.flips) for c in self.criteria)
        return [up(*(self.decrease * weight).as_integer_ratio()) for weight in heaviest]

    def root(self, cases: Sequence[int]) -> Node:
        """All rows."""
        everything = range(len(self.records.values))
        facts = self.facts
        return Node(everything, self.depth, facts.additions, facts.addable, frozenset(), {}, cases)

    def facts_at(self, node: Node) -> BiasFacts:
        """The bias model with the labels that may be added here."""
        return replace(self.facts, addable=node.addable)

    def splits(self, node: Node, available: bool = True) -> list[Split]:
        """Every split that the learner may take in some table, with its counts by kind.

        With `available=False` also those that no table has rows enough for.
        """
        total = self.records.count(node.members)
        splits: list[Split] = []
        for j in range(len(self.keys)):
            splits += self._of_column(node, j, total)
        if self.twins.second:
            gone = sum(n for kind, n in zip(self.kinds, total, strict=True) if kind.removable)
            removals = min(self.facts.removals, gone)
            splits = self.twins.followed(splits, self.records, node.members, node.additions, removals)
        if node.additions > 0 and self.places.features:
            splits = [self._within(node, split) for split in splits]
        if not available:
            return splits
        if node.additions == 0 and self.sizes.leaf_least == 1:
            return splits if sum(total) >= self.sizes.node_least else []
        return self.sizes.available(splits, sum(total), node.additions)

    def _of_column(self, node: Node, j: int, total: Counts) -> Iterator[Split]:
        """The gaps of one column, and with additions the outer splits below and above all values.

        A column of zeros and ones has an outer split only towards the value that the node lacks, and only if
        no split above has settled the column. Nothing lies beyond what stands for a missing value.
        """
        counts, m = self.by_value(node.members, j), node.additions
        ordered = sorted(counts)
        edges = [(a, b, m, m) for a, b in pairwise(ordered)]
        zero_one = self.records.zero_one[j]
        missing = {0.0, 1.0} - set(ordered) if j not in node.settled else set()
        below, above = ordered[0] > -LACKING, ordered[-1] < LACKING
        if m > 0 and below and (not zero_one or any(value < ordered[0] for value in missing)):
            edges.insert(0, (-math.inf, ordered[0], m, m - 1))
        if m > 0 and above and (not zero_one or any(value > ordered[-1] for value in missing)):
            edges.append((ordered[-1], math.inf, m - 1, m))
        left = [0] * len(total)
        for low, high, *added in edges:
            if low in counts:
                left = [a + b for a, b in zip(left, counts[low], strict=True)]
            right = [a - b for a, b in zip(total, left, strict=True)]
            yield Split(j, low, high, (left, right), (added[0], added[1]))

    def by_value(self, members: Sequence[int], j: int) -> dict[float, Counts]:
        """Rows of each kind at each value of a column."""
        n_kinds, values = len(self.kinds), self.levels[j]
        found: dict[float, Counts] = {}
        for key, count in Counter(map(self.keys[j].__getitem__, members)).items():
            code, kind = divmod(key, n_kinds)
            found.setdefault(values[code], [0] * n_kinds)[kind] = count
        return found

    def _within(self, node: Node, split: Split) -> Split:
        """Bound the added rows of both sides by what the bias model allows there."""
        if split.column not in self.places.features:
            return split
        most = [self.places.inside(narrowed(node.bounds, split, side))[0] for side in (0, 1)]
        left, right = split.additions
        return replace(split, additions=(min(left, most[0]), min(right, most[1])))

    def shared_left(self, node: Node, psi: Split, splits: Sequence[Split]) -> list[Counts]:
        """Count for each split, in the order of `splits`, the rows left of both it and psi."""
        column = self.records_column(psi.column)
        inside = [r for r in node.members if column[r] <= psi.low]
        result: list[Counts] = []
        current, left = -1, [0] * len(self.kinds)
        waiting: list[tuple[float, Counts]] = []
        for split in splits:
            if split.column != current:
                current, left = split.column, [0] * len(self.kinds)
                waiting = sorted(self.by_value(inside, current).items(), reverse=True)
            while waiting and waiting[-1][0] <= split.low:
                left = [a + b for a, b in zip(left, waiting.pop()[1], strict=True)]
            result.append(left)
        return result

    def records_column(self, j: int) -> list[float]:
        """Values of one column, row by row."""
        levels = self.levels[j]
        return [levels[code] for code in self.codes[j]]

    def child(self, node: Node, split: Split, side: int, cases: Sequence[int]) -> Node:
        """One side of a split."""
        levels, codes = self.levels[split.column], self.codes[split.column]
        members = [r for r in node.members if (levels[codes[r]] > split.low) == bool(side)]
        additions, addable, bounds = split.additions[side], node.addable, node.bounds
        if additions > 0 and self.places.features:
            bounds = narrowed(bounds, split, side)
            most, addable = self.places.inside(bounds)
            additions = min(additions, most)
        settled = node.settled | {split.column} if additions > 0 else frozenset()
        return Node(members, node.depth - 1, additions, addable, settled, bounds, cases)

    def goes(self, node: Node, split: Split) -> tuple[list[int], list[int]]:
        """Cases of a node that may go left, and those that may go right."""
        sides: tuple[list[int], list[int]] = ([], [])
        for c in node.cases:
            for side in split.leads(self.cases[c].values[split.column]):
                sides[side].append(c)
        return sides

    def place(self, node: Node) -> tuple[object, ...]:
        """What two nodes have in common of which the one with more additions makes the other needless.

        Its tables include the other's. A tree on r rows and m added ones is less deep than r + m, so a limit
        from there on is none.
        """
        rows = hashlib.blake2b(array("q", node.members).tobytes(), digest_size=32).digest()
        depth = node.depth if node.depth < len(node.members) + node.additions else None
        if node.additions == 0:
            return rows, depth
        settled = frozenset(j for j in node.settled if self.records.zero_one[j])
        return rows, depth, settled, node.addable, tuple(sorted(node.bounds.items()))

    def people(self, cases: Sequence[int]) -> tuple[int, ...]:
        """The people behind some cases."""
        return tuple(p for c in cases for p in self.cases[c].people)


def narrowed(bounds: Bounds, split: Split, side: int) -> Mapping[int, tuple[float, float]]:
    """Where an added row on one side can lie: the threshold is anywhere in the gap."""
    low, high = bounds.get(split.column, (-math.inf, math.inf))
    ends = (low, min(high, split.high)) if side == 0 else (max(low, split.low), high)
    return {**bounds, split.column: ends}


def key_of(split: Split) -> Key:
    """Name a split as a file does."""
    return split.column, None if split.low == -math.inf else split.low


def read_key(column: Any, low: Any) -> Key:
    """Read the name of a split in a file."""
    return column, None if low is None else -LACKING if low == MISSING else float(low)


def number_rows(records: Records) -> tuple[list[list[int]], list[list[int]], list[list[float]]]:
    """Code every column by rank, join code and kind into one number, and list the values."""
    codes, keys, levels = [], [], []
    n_kinds = len(records.kinds)
    for column in zip(*records.values, strict=True):
        ordered = sorted(set(column))
        rank = {value: code for code, value in enumerate(ordered)}
        own = [rank[value] for value in column]
        codes.append(own)
        keys.append([code * n_kinds + kind for code, kind in zip(own, records.kind, strict=True)])
        levels.append(ordered)
    return codes, keys, levels
