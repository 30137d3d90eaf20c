"""The walk of an independent check: all trees that some table of B(T) could give, for one person.

It goes down every split that the bounds cannot drop, to every side the person may take, and stops at the
first leaf that may give another label than the expected one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from everytree.checker.compare import Candidate, Challenge, Leaf, Match
from everytree.checker.criteria import criterion_of
from everytree.checker.facts import BiasFacts, CheckReport, TableFacts, TreeFacts
from everytree.checker.ground import Ground, criteria_over, labels_of, rivals
from everytree.checker.holes import write_twice
from everytree.checker.intervals import Prices
from everytree.checker.leaves import Allowance, allowance, may_stay_unsplit
from everytree.checker.person import Claim, Node, children, label_on_table
from everytree.checker.records import Counts, Split, bridged_gap, list_splits, merge, shared_left
from everytree.checker.sizes import Sizes
from everytree.checker.weights import BALANCED, balanced_on

__all__ = ["check_person"]

CHALLENGERS = 5
"""Splits, each the best of its column, that a candidate is compared with."""

Progress = Callable[[int, int], None]
"""Called with the number of nodes done and the number of nodes that wait."""


class _Unproved(Exception):  # noqa: N818 - an answer, not an error
    """The place where the derivation fails."""

    def __init__(self, reason: str, path: tuple[str, ...], label: int | None) -> None:
        super().__init__(reason)
        self.reason, self.path, self.label = reason, path, label


def check_person(
    table: TableFacts,
    person: Sequence[float | None],
    bias_facts: BiasFacts,
    tree: TreeFacts | int | None,
    expected_label: int,
    *,
    max_nodes: int = 100_000,
    progress: Progress | None = None,
) -> CheckReport:
    """Derive again, in exact arithmetic, that every tree gives one person the same label.

    Parameters
    ----------
    table : TableFacts
        The training table.
    person : sequence of float
        The person's values, float32 numbers or None, too.
    bias_facts : BiasFacts
        What may be wrong with the table.
    tree : TreeFacts, int or None
        When the learner stops, or the depth limit alone.
    expected_label : int
        The label that is said to be the only possible one.
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
    >>> table = TableFacts([[0.0]] * 6 + [[1.0]] * 6, [0] * 6 + [1] * 6, n_labels=2)
    >>> anyone = [frozenset({1})] * 6 + [frozenset({0})] * 6
    >>> facts = BiasFacts(0, 1, 0, flips_to=anyone, removable=[False] * 12)
    >>> check_person(table, [0.0], facts, 1, 0).confirmed
    True
    >>> check_person(table, [0.0], facts, 1, 1).outcome
    'refuted'
    """
    plain, (values,), twins = write_twice(table.rows, [person])
    zero_one, n_labels = table.zero_one, table.n_labels
    if zero_one is not None:
        zero_one = [flag and j not in twins.of_rows for j, flag in enumerate(zero_one)]
        zero_one = [*zero_one, *(zero_one[j] for j in twins.second)]
    records = merge(plain, table.labels, bias_facts, zero_one)
    names = table.names or [f"x{j}" for j in range(len(person))]
    names = [*names, *(names[j] for j in twins.second)]
    facts = tree if isinstance(tree, TreeFacts) else TreeFacts(tree)
    counts = records.count(range(len(records.values)))
    allowed = allowance(bias_facts, records.kinds, counts, bias_facts.additions)
    root = Ground((), records.kinds, n_labels, counts, allowed)
    criteria = criteria_over(facts.criterion, facts.class_weight, root)
    on_table = criteria[0]
    if facts.class_weight == BALANCED:
        on_table = criterion_of(facts.criterion, balanced_on(labels_of(root, counts)))
    claim = Claim(
        records, bias_facts, n_labels, values, expected_label, names, facts, twins, criteria, on_table
    )
    close = bridged_gap(records, bias_facts.additions)
    if close is not None:
        j, low, high = close
        reason = f"The values {low!r} and {high!r} of {names[j]} are too close for the learner to tell apart."
        return CheckReport("not confirmed", reason)
    depth = len(table.rows) + bias_facts.additions if facts.depth is None else facts.depth
    # Where rounding breaks ties nobody is refuted.
    learned = label_on_table(claim, depth) if on_table.weights.exact else None
    if learned is not None:
        path, label = learned
        return CheckReport("refuted", "The training table as it is already gives another label.", path, label)
    return _Walk(claim, depth, max_nodes, progress).run()


class _Walk:
    """A depth-first walk that ends at the first leaf with another label."""

    def __init__(self, claim: Claim, depth: int, max_nodes: int, progress: Progress | None) -> None:
        self.claim, self.depth, self.max_nodes, self.progress = claim, depth, max_nodes, progress
        facts, n_rows = claim.facts, claim.n_rows
        gone = allowance(facts, claim.records.kinds, claim.records.count(range(len(claim.records.kind))), 0)
        self.sizes = Sizes.of(claim.tree, n_rows - gone.removals, n_rows + facts.additions)
        self.nodes = self.splits = self.dropped = 0

    def run(self) -> CheckReport:
        everything = tuple(range(len(self.claim.records.values)))
        waiting = [Node(everything, self.depth, self.claim.facts.additions, frozenset(), ())]
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

    def _place(self, node: Node) -> tuple[object, ...]:
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

    def _visit(self, node: Node) -> Iterator[Node]:
        """Settle a node as far as it is a leaf, and give the nodes below it that must be looked at."""
        claim, records = self.claim, self.claim.records
        counts = records.count(node.members)
        if node.depth == 0 or not node.members:
            self._require_leaf(node, counts)
            return
        ground = claim.ground(counts, node.additions)
        reach, removals = ground.reach(), ground.allowed.removals
        listed = list_splits(records, node.members, node.additions, node.settled)
        listed = claim.twins.followed(listed, records, node.members, node.additions, removals)
        splits = self.sizes.available(listed, sum(counts), node.additions)
        self.splits += len(splits)
        challengers = _challengers(claim, ground, splits, self.sizes)
        challenges = [Challenge(ground, reach, psi) for psi in challengers]
        if self._may_stop(node, ground, challengers):
            self._require_leaf(node, counts)
        elif ground.most_rows >= claim.criteria[0].stop_rows:
            self._require_gain(node, ground, challenges)
        shared = [shared_left(records, node.members, psi, splits) for psi in challengers]
        prices = Prices(ground, self.sizes.leaf_most, splits)
        for s, split in enumerate(splits):
            harm = list(self._harm(node, split)) if node.depth == 1 else None
            if harm == []:
                continue
            candidate = Candidate(ground, reach, split)
            matches = (
                challenge.meet(candidate, left[s])
                for challenge, left in zip(challenges, shared, strict=True)
                if challenge.psi is not split
            )
            if self._drop(matches, harm) or prices.too_dear(split):
                self.dropped += 1
            elif harm is None:
                yield from children(claim, node, split)
            else:
                leaf = harm[0]
                path = (*node.path, split.describe(leaf.side, claim.names))
                raise _Unproved(_LEAF, path, leaf.rival)

    def _may_stop(self, node: Node, ground: Ground, challengers: Sequence[Split]) -> bool:
        """Whether some table leaves the node too small, or without an available split.

        Where a leaf needs several rows, a challenger is available for certain.
        """
        removals = ground.allowed.removals
        if self.sizes.may_be_small(sum(ground.total), removals):
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

    def _harm(self, node: Node, split: Split) -> Iterator[Leaf]:
        """Give the other labels that the person may see if the two sides of a split are leaves."""
        claim, kinds = self.claim, self.claim.records.kinds
        for side in split.leads(claim.person[split.column]):
            counts = split.sides[side]
            allowed = allowance(claim.facts, kinds, counts, split.additions[side])
            for rival in self._others(counts, allowed):
                yield Leaf(side, claim.expected, rival)

    def _require_leaf(self, node: Node, counts: list[int]) -> None:
        claim = self.claim
        allowed = allowance(claim.facts, claim.records.kinds, counts, node.additions)
        others = self._others(counts, allowed)
        if others:
            raise _Unproved(_LEAF, node.path, others[0])

    def _others(self, counts: Counts, allowed: Allowance) -> list[int]:
        """Other labels than the expected one that a leaf can give."""
        claim = self.claim
        return rivals(claim.criteria, claim.records.kinds, counts, allowed, claim.expected)

    def _require_gain(self, node: Node, ground: Ground, challenges: Sequence[Challenge]) -> None:
        """Where rounding may refuse a split: some split always gains something, or the leaf is harmless."""
        nothing = [0] * len(ground.total)
        unsplit = Split(-1, 0.0, 0.0, (nothing, ground.total), (0, ground.allowed.additions))
        candidate = Candidate(ground, ground.reach(), unsplit)
        if not any(challenge.meet(candidate, nothing).lost() for challenge in challenges):
            self._require_leaf(node, ground.total)


_LEAF = "A leaf that could not be excluded may give another label."


def _challengers(claim: Claim, ground: Ground, splits: Sequence[Split], sizes: Sizes) -> list[Split]:
    """Splits of highest score that may challenge, one for each of the best columns."""
    best: dict[int, tuple[int, Split]] = {}
    for split in splits:
        if sizes.may_challenge(split, ground.kinds, ground.allowed.removals):
            value = sum(claim.on_table.value(labels_of(ground, side))[0] for side in split.sides)
            if split.column not in best or value > best[split.column][0]:
                best[split.column] = (value, split)
    ranked = sorted(best.values(), key=lambda pair: pair[0], reverse=True)
    return [split for _, split in ranked[:CHALLENGERS]]
