"""One person of an independent check: the claim, the nodes that the person may come to, and the tree of T.

Below the walk, which goes through the nodes of all tables; here is what T as it is already says.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from everytree.checker.criteria import Criterion
from everytree.checker.facts import BiasFacts, TreeFacts
from everytree.checker.ground import Ground, labels_of, rivals
from everytree.checker.holes import Twins
from everytree.checker.leaves import allowance
from everytree.checker.records import Counts, Records, Split, list_splits
from everytree.checker.sizes import Sizes

__all__ = ["Claim", "Node", "children", "label_on_table"]


class Node(NamedTuple):
    """Records that come together, levels of splits below, additions left, and the way from the root."""

    members: tuple[int, ...]
    depth: int
    additions: int
    settled: frozenset[int]
    path: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Claim:
    """One person, and the label that every tree is said to give.

    `criteria` hold over all tables, `on_table` is the criterion of T as it is.
    """

    records: Records
    facts: BiasFacts
    n_labels: int
    person: tuple[float, ...]
    expected: int
    names: Sequence[str]
    tree: TreeFacts
    twins: Twins
    criteria: Sequence[Criterion]
    on_table: Criterion

    @property
    def n_rows(self) -> int:
        """Rows of T."""
        return sum(self.records.weight)

    def ground(self, counts: Counts, additions: int, facts: BiasFacts | None = None) -> Ground:
        """Rows that come together, with what the bias model allows."""
        kinds = self.records.kinds
        allowed = allowance(self.facts if facts is None else facts, kinds, counts, additions)
        return Ground(self.criteria, kinds, self.n_labels, counts, allowed)


def _best(criterion: Criterion, ground: Ground, splits: Sequence[Split]) -> Iterator[Split]:
    """Splits of highest score on T: those whose enclosures overlap cannot be told apart."""
    ends = [[criterion.value(labels_of(ground, side)) for side in split.sides] for split in splits]
    top = max(sum(low for low, _ in sides) for sides in ends)
    return (split for split, sides in zip(splits, ends, strict=True) if sum(high for _, high in sides) >= top)


def label_on_table(claim: Claim, depth: int) -> tuple[tuple[str, ...], int] | None:
    """Find a tree learned from T itself, with ties broken in some way, that gives another label."""
    records, kinds = claim.records, claim.records.kinds
    nothing = BiasFacts(0, 0, 0, (), ())
    sizes = Sizes.of(claim.tree, claim.n_rows, claim.n_rows)
    waiting = [Node(tuple(range(len(records.values))), depth, 0, frozenset(), ())]
    seen = set()
    while waiting:
        node = waiting.pop()
        if (node.members, node.depth) in seen:
            continue
        seen.add((node.members, node.depth))
        counts = records.count(node.members)
        ground = claim.ground(counts, 0, nothing)
        pure = len({kind.label for kind, count in zip(kinds, counts, strict=True) if count}) == 1
        splits = [] if pure or node.depth == 0 else list_splits(records, node.members, 0, frozenset())
        splits = sizes.available(claim.twins.followed(splits, records, node.members, 0, 0), sum(counts), 0)
        if not splits:
            others = rivals([claim.on_table], kinds, counts, ground.allowed, claim.expected)
            if others:
                return node.path, others[0]
            continue
        for split in _best(claim.on_table, ground, splits):
            waiting.extend(children(claim, node, split))
    return None


def children(claim: Claim, node: Node, split: Split) -> Iterator[Node]:
    """Give the nodes that the person may come to by a split."""
    values = claim.records.values
    for side in split.leads(claim.person[split.column]):
        members = tuple(r for r in node.members if (values[r][split.column] > split.low) == bool(side))
        settled = node.settled | {split.column} if split.additions[side] > 0 else frozenset()
        path = (*node.path, split.describe(side, claim.names))
        yield Node(members, node.depth - 1, split.additions[side], settled, path)
