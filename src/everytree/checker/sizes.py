"""Rows that a leaf and a split node need, and what that means for the splits of a node, in whole numbers.

Own code of the check for `min_samples_leaf` and `min_samples_split`; a share is one of all rows of the
changed table, rounded up as scikit-learn does.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple

from everytree.checker.facts import TreeFacts
from everytree.checker.records import Counts, Kind, Split

__all__ = ["Sizes"]


class Sizes(NamedTuple):
    """Rows that each side of a split must keep, and that a node must have: at least, and in every table."""

    leaf_least: int
    leaf_most: int
    node_least: int
    node_most: int

    @classmethod
    def of(cls, facts: TreeFacts, fewest: int, most: int) -> Sizes:
        """Resolve for all tables that have from `fewest` to `most` rows."""
        leaf = [_resolve(facts.min_samples_leaf, n) for n in (fewest, most)]
        node = [max(2, _resolve(facts.min_samples_split, n)) for n in (fewest, most)]
        return cls(leaf[0], leaf[1], max(node[0], 2 * leaf[0]), max(node[1], 2 * leaf[1]))

    def available(self, splits: Iterable[Split], n_rows: int, additions: int) -> list[Split]:
        """Keep the splits that some table may take, with the additions that each side can have there."""
        if n_rows + additions < self.node_least:
            return []
        kept = []
        for split in splits:
            missing = [max(0, self.leaf_least - sum(side)) for side in split.sides]
            left, right = split.additions
            clipped = (min(left, additions - missing[1]), min(right, additions - missing[0]))
            if missing[0] <= clipped[0] and missing[1] <= clipped[1]:
                kept.append(replace(split, additions=clipped))
        return kept

    def certain(self, split: Split, kinds: Sequence[Kind], removals: int) -> bool:
        """Whether both sides keep the rows of a leaf in every table."""
        return all(
            sum(side) - min(removals, _removable(kinds, side)) >= self.leaf_most for side in split.sides
        )

    def may_challenge(self, split: Split, kinds: Sequence[Kind], removals: int) -> bool:
        """Whether a split is available wherever it is ahead of another one.

        Where one row is enough for a leaf, a split that is ahead gains something, so no side of it is empty.
        """
        return split.inner if self.leaf_most == 1 else self.certain(split, kinds, removals)

    def may_be_small(self, n_rows: int, removals: int) -> bool:
        """Whether some table leaves too few rows in a node to split it; `removals` are those of the node."""
        return n_rows - removals < self.node_most


def _resolve(given: float, n_rows: int) -> int:
    return given if isinstance(given, int) else math.ceil(given * n_rows)


def _removable(kinds: Sequence[Kind], counts: Counts) -> int:
    return sum(count for kind, count in zip(kinds, counts, strict=True) if kind.removable)
