"""The walk of an independent check: all trees that some table of B(T) could give, for one person.

It goes down every split that the bounds cannot drop, to every side the person may take, and stops at the
first leaf that may give another label than the expected one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

from everytree.checker.bounds import ROUGHLY, Duel, Leaf, Match, Setting, score
from everytree.checker.facts import BiasFacts, CheckReport, TreeFacts
from everytree.checker.holes import Twins, write_twice
from everytree.checker.intervals import Prices
from everytree.checker.leaves import Allowance, allowance, may_stay_unsplit, other_labels
from everytree.checker.records import Records, Split, bridged_gap, list_splits, merge, shared_left
from everytree.checker.sizes import Sizes

__all__ = ["check_person"]

CHALLENGERS = 5
"""Splits, each the best of its column, that a candidate is compared with."""

STOP_ROWS = 10_000
"""From this many rows on the learner may stop at a node because no split seems to gain anything."""

Progress = Callable[[int, int], None]
"""Called with the number of nodes done and the number of nodes that wait."""


class _Node(NamedTuple):
    members: tuple[int, ...]
    depth: int
    additions: int
    settled: frozenset[int]
    path: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class _Claim:
    """One person, and the label that every tree is said to give."""

    records: Records
    facts: BiasFacts
    n_labels: int
    person: tuple[float, ...]
    expected: int
    names: Sequence[str]
    tree: TreeFacts
    twins: Twins

    @property
    def n_rows(self) -> int:
        return sum(self.records.weight)


class _Unproved(Exception):  # noqa: N818 - an answer, not an error
    """The place where the derivation fails."""

    def __init__(self, reason: str, path: tuple[str, ...], label: int | None) -> None:
        super().__init__(reason)
        self.reason, self.path, self.label = reason, path, label


def check_person(
    rows: Sequence[Sequence[float | None]],
    labels: Sequence[int],
    n_labels: int,
    person: Sequence[float | None],
    bias_facts: BiasFacts,
    tree: TreeFacts | int | None,
    expected_label: int,
    *,
    zero_one: Sequence[bool] | None = None,
    names: Sequence[str] | None = None,
    max_nodes: int = 100_000,
    progress: Progress | None = None,
) -> CheckReport:
    """Derive again, in exact arithmetic, that every tree gives one person the same label.

    Parameters
    ----------
    rows : sequence of sequences of float
        The training table, each value a float32 number, or None where it is missing.
    labels : sequence of int
        Label of each row, from 0 to ``n_labels - 1``, in the order in which labels sort.
    n_labels : int
        Number of labels.
    person : sequence of float
        The person's values, float32 numbers or None, too.
    bias_facts : BiasFacts
        What may be wrong with the table.
    tree : TreeFacts, int or None
        When the learner stops, or the depth limit alone.
    expected_label : int
        The label that is said to be the only possible one.
    zero_one : sequence of bool, optional
        Columns that can hold nothing but 0 and 1, in added rows too. Default: those that do on T.
    names : sequence of str, optional
        Names of the columns, for the report.
    max_nodes : int
        Give up after so many nodes.
    progress : callable, optional
        Called after each node with the nodes done and the nodes waiting.

    Returns
    -------
    CheckReport

    Notes
    -----
    *Soundness.* By induction over the depth, as for the engines: the split that the learner takes in a table
    of B(T) is listed and not dropped, and the person and the rows of that table follow it to a child that is
    walked. Floats only choose what to prove; a split is dropped on a comparison of fractions alone.

    Examples
    --------
    >>> rows, labels = [[0.0]] * 6 + [[1.0]] * 6, [0] * 6 + [1] * 6
    >>> anyone = [frozenset({1})] * 6 + [frozenset({0})] * 6
    >>> facts = BiasFacts(0, 1, 0, flips_to=anyone, removable=[False] * 12)
    >>> check_person(rows, labels, 2, [0.0], facts, 1, 0).confirmed
    True
    >>> check_person(rows, labels, 2, [0.0], facts, 1, 1).outcome
    'refuted'
    """
    plain, values, twins = write_twice(rows, person)
    if zero_one is not None:
        zero_one = [flag and j not in twins.of_rows for j, flag in enumerate(zero_one)]
        zero_one = [*zero_one, *(zero_one[j] for j in twins.second)]
    records = merge(plain, labels, bias_facts, zero_one)
    names = names or [f"x{j}" for j in range(len(person))]
    names = [*names, *(names[j] for j in twins.second)]
    facts = tree if isinstance(tree, TreeFacts) else TreeFacts(tree)
    claim = _Claim(records, bias_facts, n_labels, tuple(values), expected_label, names, facts, twins)
    close = bridged_gap(records, bias_facts.additions)
    if close is not None:
        j, low, high = close
        reason = f"The values {low!r} and {high!r} of {names[j]} are too close for the learner to tell apart."
        return CheckReport("not confirmed", reason)
    depth = len(rows) + bias_facts.additions if facts.depth is None else facts.depth
    learned = _label_on_table(claim, depth) if facts.exact else None  # else rounding breaks ties
    if learned is not None:
        path, label = learned
        return CheckReport("refuted", "The training table as it is already gives another label.", path, label)
    return _Walk(claim, depth, max_nodes, progress).run()


def _best(scores: Sequence[Fraction]) -> Iterator[int]:
    top = max(scores)
    return (s for s, value in enumerate(scores) if value == top)


def _label_on_table(claim: _Claim, depth: int) -> tuple[tuple[str, ...], int] | None:
    """Find a tree learned from T itself, with ties broken in some way, that gives another label."""
    records, kinds = claim.records, claim.records.kinds
    nobody = Allowance(0, 0, 0, frozenset(), frozenset())
    sizes = Sizes.of(claim.tree, claim.n_rows, claim.n_rows)
    waiting = [_Node(tuple(range(len(records.values))), depth, 0, frozenset(), ())]
    seen = set()
    while waiting:
        node = waiting.pop()
        if (node.members, node.depth) in seen:
            continue
        seen.add((node.members, node.depth))
        counts = records.count(node.members)
        pure = len({kind.label for kind, count in zip(kinds, counts, strict=True) if count}) == 1
        splits = [] if pure or node.depth == 0 else list_splits(records, node.members, 0, frozenset())
        splits = sizes.available(claim.twins.followed(splits, records, node.members, 0, 0), sum(counts), 0)
        if not splits:
            others = other_labels(kinds, counts, nobody, claim.expected, claim.tree.weights)
            if others:
                return node.path, others[0]
            continue
        setting = Setting(kinds, claim.n_labels, sum(counts), nobody, 1, claim.tree.weights)
        for s in _best([score(setting, split, Fraction) for split in splits]):
            waiting.extend(_children(claim, node, splits[s]))
    return None


def _children(claim: _Claim, node: _Node, split: Split) -> Iterator[_Node]:
    """Give the nodes that the person may come to by a split."""
    values = claim.records.values
    for side in split.leads(claim.person[split.column]):
        members = tuple(r for r in node.members if (values[r][split.column] > split.low) == bool(side))
        settled = node.settled | {split.column} if split.additions[side] > 0 else frozenset()
        path = (*node.path, split.describe(side, claim.names))
        yield _Node(members, node.depth - 1, split.additions[side], settled, path)


class _Walk:
    """A depth-first walk that ends at the first leaf with another label."""

    def __init__(self, claim: _Claim, depth: int, max_nodes: int, progress: Progress | None) -> None:
        self.claim, self.depth, self.max_nodes, self.progress = claim, depth, max_nodes, progress
        facts, n_rows = claim.facts, claim.n_rows
        gone = allowance(facts, claim.records.kinds, claim.records.count(range(len(claim.records.kind))), 0)
        self.sizes = Sizes.of(claim.tree, n_rows - gone.removals, n_rows + facts.additions)
        self.nodes = self.splits = self.dropped = 0

    def run(self) -> CheckReport:
        everything = tuple(range(len(self.claim.records.values)))
        waiting = [_Node(everything, self.depth, self.claim.facts.additions, frozenset(), ())]
        seen: dict[tuple[object, ...], int] = {}
        try:
            while waiting:
                node = waiting.pop()
                place = self._place(node)
                if seen.get(place, -1) >= node.additions:
                    continue
                seen[place] = node.additions
                if self.nodes == self.max_nodes:
                    raise _Unproved(f"There are more than {self.max_nodes} nodes to look at.", (), None)
                self.nodes += 1
                waiting.extend(self._visit(node))
                if self.progress is not None:
                    self.progress(self.nodes, len(waiting))
        except _Unproved as failure:
            reason = failure.reason
            if self.claim.facts.regional:
                reason += " The bias model says where rows may be added, which this check does not use."
            return CheckReport("not confirmed", reason, failure.path, failure.label, *self._work())
        return CheckReport("confirmed", "", (), None, *self._work())

    def _place(self, node: _Node) -> tuple[object, ...]:
        """What two nodes have in common of which the one with more additions makes the other needless.

        Its tables include the other's. A tree on r rows and m added ones is less deep than r + m, so a limit
        from there on is none. Then a node may even stand for one below it: that one's tables have fewer rows,
        and the argument ends with the smallest.
        """
        records = self.claim.records
        most = sum(records.weight[r] for r in node.members) + node.additions
        settled = frozenset(j for j in node.settled if records.zero_one[j])
        return node.members, node.depth if node.depth < most else None, settled

    def _work(self) -> tuple[int, int, int]:
        return self.nodes, self.splits, self.dropped

    def _visit(self, node: _Node) -> Iterator[_Node]:
        """Settle a node as far as it is a leaf, and give the nodes below it that must be looked at."""
        claim, records = self.claim, self.claim.records
        counts = records.count(node.members)
        if node.depth == 0 or not node.members:
            self._require_leaf(node, counts)
            return
        allowed = allowance(claim.facts, records.kinds, counts, node.additions)
        leaf_rows, weights, exact = self.sizes.leaf_most, claim.tree.weights, claim.tree.exact
        setting = Setting(records.kinds, claim.n_labels, sum(counts), allowed, leaf_rows, weights, exact)
        listed = list_splits(records, node.members, node.additions, node.settled)
        listed = claim.twins.followed(listed, records, node.members, node.additions, allowed.removals)
        splits = self.sizes.available(listed, setting.n_rows, node.additions)
        self.splits += len(splits)
        challengers = _challengers(setting, splits, self.sizes)
        if self._may_stop(node, setting, challengers):
            self._require_leaf(node, counts)
        elif not exact or (setting.n_rows + allowed.additions) * max(setting.weights) >= STOP_ROWS:
            self._require_gain(node, setting, challengers, counts)
        shared = [shared_left(records, node.members, psi, splits) for psi in challengers]
        duels = [Duel(setting, psi) for psi in challengers]
        prices = Prices(setting, splits)
        for s, split in enumerate(splits):
            harm = list(self._harm(node, split)) if node.depth == 1 else None
            if harm == []:
                continue
            matches = (Match(duel, split, left[s]) for duel, left in zip(duels, shared, strict=True))
            if self._drop(matches, harm) or prices.too_dear(split):
                self.dropped += 1
            elif harm is None:
                yield from _children(claim, node, split)
            else:
                leaf = harm[0]
                path = (*node.path, split.describe(leaf.side, claim.names))
                raise _Unproved(_LEAF, path, leaf.rival)

    def _may_stop(self, node: _Node, setting: Setting, challengers: Sequence[Split]) -> bool:
        """Whether some table leaves the node too small, or without an available split.

        Where a leaf needs several rows, a challenger is available for certain.
        """
        removals = setting.allowed.removals
        if self.sizes.may_be_small(setting.n_rows, removals):
            return True
        if self.sizes.leaf_most > 1:
            return not challengers
        return may_stay_unsplit(self.claim.records, node.members, removals)

    def _drop(self, matches: Iterator[Match], harm: list[Leaf] | None) -> bool:
        """Whether a split cannot be best, or at the last level not together with any harmful leaf.

        Labels that a challenger excludes are taken out of `harm`.
        """
        for match in matches:
            if match.lost():
                return True
            if harm is not None:
                harm[:] = [leaf for leaf in harm if not match.rules_out(leaf)]
                if not harm:
                    return True
        return False

    def _harm(self, node: _Node, split: Split) -> Iterator[Leaf]:
        """Give the other labels that the person may see if the two sides of a split are leaves."""
        claim, kinds = self.claim, self.claim.records.kinds
        for side in split.leads(claim.person[split.column]):
            counts = split.sides[side]
            allowed = allowance(claim.facts, kinds, counts, split.additions[side])
            for rival in self._others(counts, allowed):
                yield Leaf(side, claim.expected, rival)

    def _require_leaf(self, node: _Node, counts: list[int]) -> None:
        claim = self.claim
        allowed = allowance(claim.facts, claim.records.kinds, counts, node.additions)
        others = self._others(counts, allowed)
        if others:
            raise _Unproved(_LEAF, node.path, others[0])

    def _others(self, counts: Sequence[int], allowed: Allowance) -> list[int]:
        """Other labels than the expected one that a leaf can give."""
        claim, tree = self.claim, self.claim.tree
        setting = Setting(claim.records.kinds, claim.n_labels, sum(counts), allowed, 1, tree.weights)
        slack = None if tree.exact else setting.tolerance
        return other_labels(setting.kinds, list(counts), allowed, claim.expected, tree.weights, slack)

    def _require_gain(
        self, node: _Node, setting: Setting, challengers: Sequence[Split], counts: list[int]
    ) -> None:
        """In a large node: some split always gains something, or the node is harmless as a leaf."""
        unsplit = Split(-1, 0.0, 0.0, ([0] * len(counts), counts), (0, setting.allowed.additions))
        for psi in challengers:
            if Match(Duel(setting, psi), unsplit, [0] * len(counts)).lost():
                return
        self._require_leaf(node, counts)


_LEAF = "A leaf that could not be excluded may give another label."


def _challengers(setting: Setting, splits: Sequence[Split], sizes: Sizes) -> list[Split]:
    """Splits of highest score that may challenge, one for each of the best columns."""
    best: dict[int, tuple[float, Split]] = {}
    for split in splits:
        if sizes.may_challenge(split, setting.kinds, setting.allowed.removals):
            value = float(score(setting, split, ROUGHLY))
            if split.column not in best or value > best[split.column][0]:
                best[split.column] = (value, split)
    ranked = sorted(best.values(), key=lambda pair: pair[0], reverse=True)
    return [split for _, split in ranked[:CHALLENGERS]]
