"""One node of a proof: every split of it is dropped by a named challenger, harmless, or followed.

The challengers and the splits to follow come from the file; splits, counts, bounds and leaves from the table.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from everytree.checker.compare import Candidate, Challenge, Leaf, Match
from everytree.checker.criteria import Criterion, Reach
from everytree.checker.exact import UNIT
from everytree.checker.ground import Ground, labels_of, rivals
from everytree.checker.intervals import Prices
from everytree.checker.leaves import Allowance, allowance, may_stay_unsplit
from everytree.checker.proofs.nodes import Key, Node, Problem, key_of
from everytree.checker.proofs.wording import Rejected
from everytree.checker.records import Counts, Split

__all__ = ["Ending", "Opened", "open_node"]


class Ending(NamedTuple):
    """A way to another label that bounds of one node do not exclude: at a side of a split, or the node whole.

    `split` is None where the node itself is the leaf; then side 0 stands for all of it.
    """

    split: Key | None
    side: int
    label: int


@dataclass(eq=False)
class Opened:
    """A node that has been looked at: the splits to follow, who goes where, and what is left to exclude."""

    node: Node
    follow: list[Split]
    edges: dict[tuple[int, int], list[int]] = field(default_factory=dict)
    endings: dict[Ending, list[int]] = field(default_factory=dict)
    splits: dict[Key, Split] = field(default_factory=dict)
    looked_at: int = 0
    dropped: int = 0


def open_node(problem: Problem, node: Node, challengers: Sequence[Key], follow: Sequence[Key]) -> Opened:
    """Look at a node.

    Soundness
    ---------
    If the rows of a table of B(T) that reach the node are within its budget of its rows, then the split that
    the learner takes there is one of those listed; it is available, so it is none of those left out; it is
    best, so no challenger that is available there beats it: it is followed, or its leaves are looked at. Its
    sides are again within the budget of the children.
    """
    if not node.members:
        opened = Opened(node, [])
        _end_whole(problem, opened, [])
        return opened
    return _Look(problem, node, challengers).run(follow)


def _end_whole(problem: Problem, opened: Opened, counts: Counts) -> None:
    """The node may be a leaf: note every label that it can give besides the expected one."""
    node = opened.node
    counts = counts or [0] * len(problem.kinds)
    allowed = allowance(problem.facts_at(node), problem.kinds, counts, node.additions)
    for expected in {problem.cases[c].label for c in node.cases}:
        for rival in rivals(problem.criteria, problem.kinds, counts, allowed, expected):
            cases = [c for c in node.cases if problem.cases[c].label == expected]
            opened.endings.setdefault(Ending(None, 0, rival), []).extend(cases)


class _Look:
    """A node, its splits, and the challengers that the file names."""

    def __init__(self, problem: Problem, node: Node, challengers: Sequence[Key]) -> None:
        self.problem, self.node = problem, node
        self.total = problem.records.count(node.members)
        self.allowed: Allowance = allowance(problem.facts_at(node), problem.kinds, self.total, node.additions)
        self.ground = Ground(problem.criteria, problem.kinds, problem.n_labels, self.total, self.allowed)
        self.reach: Reach = self.ground.reach()
        self.listed = [] if node.depth == 0 else problem.splits(node)
        self.by_key = {key_of(split): split for split in self.listed}
        self.challenges = [Challenge(self.ground, self.reach, psi) for psi in self._named(challengers)]
        self.prices = Prices(self.ground, problem.sizes.leaf_most, self.listed)
        self.ends: dict[int, list[tuple[int, tuple[float, float]]]] = {}

    def _named(self, challengers: Sequence[Key]) -> Iterator[Split]:
        """Find the challengers; each must be available wherever it is ahead."""
        for key in challengers:
            psi = self.by_key.get(key)
            if psi is None or not self._may_challenge(psi):
                raise Rejected(
                    "challenger", f"{self._words(key)} is no split that may challenge others here."
                )
            yield psi

    def _may_challenge(self, split: Split) -> bool:
        return self.problem.sizes.may_challenge(split, self.problem.kinds, self.allowed.removals)

    def _words(self, key: Key) -> str:
        column, low = key
        names = self.problem.names
        name = names[column] if 0 <= column < len(names) else f"column {column}"
        return f"{name} <= {'less than any row' if low is None else f'{low:g}'}"

    def run(self, follow: Sequence[Key]) -> Opened:
        node, problem = self.node, self.problem
        opened = Opened(node, self._to_follow(follow), splits=self.by_key)
        opened.looked_at = len(self.listed)
        if node.depth == 0 or self._may_stop():
            _end_whole(problem, opened, self.total)
        if node.depth == 1:
            self._end_at_leaves(opened)
        elif node.depth > 1:
            self._go_on(opened)
        return opened

    def _to_follow(self, follow: Sequence[Key]) -> list[Split]:
        """Find the splits to follow; one that no table has rows enough for may be followed in vain."""
        known = self.by_key
        if any(key not in known for key in follow):
            known = {key_of(split): split for split in self.problem.splits(self.node, available=False)}
            known |= self.by_key
        for key in follow:
            if key not in known:
                raise Rejected("split to follow", f"{self._words(key)} is no split of this node.")
        return [known[key] for key in follow]

    def _may_stop(self) -> bool:
        """Whether some table may leave the node whole."""
        problem, node, sizes = self.problem, self.node, self.problem.sizes
        if problem.cut_off == "anywhere" or (
            problem.cut_off == "below the root" and node.depth < problem.depth
        ):
            return True
        n_rows, removals = sum(self.total), self.allowed.removals
        if sizes.may_be_small(n_rows, removals):
            return True
        if sizes.leaf_most > 1:
            if not any(self._may_challenge(split) for split in self.listed):
                return True
        elif may_stay_unsplit(problem.records, node.members, removals):
            return True
        refusing = problem.decrease > 0 or self.ground.most_rows >= problem.criteria[0].stop_rows
        return refusing and not self._surely_gains()

    def _surely_gains(self) -> bool:
        """Whether some challenger gains enough in every table: the node without a split is a candidate."""
        nothing = [0] * len(self.total)
        whole = Split(-1, 0.0, 0.0, (nothing, self.total), (0, self.allowed.additions))
        candidate, more = Candidate(self.ground, self.reach, whole), self.problem.refused_gains
        return any(challenge.meet(candidate, nothing).lost(more) for challenge in self.challenges)

    def _go_on(self, opened: Opened) -> None:
        """Every split is dropped, or one of those to follow."""
        followed = {id(split) for split in opened.follow}
        left = self._undecided([split for split in self.listed if id(split) not in followed])
        for split, matches in left:
            if not (any(match.lost() for match in matches) or self.prices.too_dear(split)):
                raise Rejected(
                    "candidate",
                    f"{self._words(key_of(split))} is neither dropped by a challenger nor followed.",
                    self.problem.people(self.node.cases),
                )
        opened.dropped = sum(id(split) not in followed for split in self.listed)
        for k, split in enumerate(opened.follow):
            for side, cases in enumerate(self.problem.goes(self.node, split)):
                if cases:
                    opened.edges[k, side] = cases

    def _undecided(self, splits: Sequence[Split]) -> Iterator[tuple[Split, list[Match]]]:
        """Splits that the bound without cells does not drop, with their comparisons."""
        near = []
        for split in splits:
            self.problem.pulse()
            candidate = Candidate(self.ground, self.reach, split)
            if not any(challenge.far_ahead(candidate) for challenge in self.challenges):
                near.append(candidate)
        chosen = [candidate.phi for candidate in near]
        shared = (
            [self.problem.shared_left(self.node, ch.psi, chosen) for ch in self.challenges] if near else []
        )
        for s, candidate in enumerate(near):
            self.problem.pulse()
            yield (
                candidate.phi,
                [
                    challenge.meet(candidate, left[s])
                    for challenge, left in zip(self.challenges, shared, strict=True)
                    if challenge.psi is not candidate.phi
                ],
            )

    def _end_at_leaves(self, opened: Opened) -> None:
        """At the last level: no split is best together with a leaf that gives somebody another label."""
        harmful: dict[int, list[Leaf]] = {}
        for split in self.listed:
            self.problem.pulse()
            leaves = list(self._harm(split))
            if leaves:
                harmful[id(split)] = leaves
        for split, matches in self._undecided([s for s in self.listed if id(s) in harmful]):
            leaves = harmful[id(split)]
            if any(match.lost() for match in matches):
                continue
            for match in matches:
                leaves = [leaf for leaf in leaves if not match.rules_out(leaf)]
            if leaves and not self.prices.too_dear(split):
                self._note(opened, split, leaves)
        opened.dropped = len(harmful) - len({ending.split for ending in opened.endings if ending.split})

    def _note(self, opened: Opened, split: Split, leaves: Sequence[Leaf]) -> None:
        sides = self.problem.goes(self.node, split)
        for leaf in leaves:
            cases = [c for c in sides[leaf.side] if self.problem.cases[c].label == leaf.expected]
            if cases:
                opened.endings.setdefault(Ending(key_of(split), leaf.side, leaf.rival), []).extend(cases)

    def _harm(self, split: Split) -> Iterator[Leaf]:
        """Labels that people may see on the two sides of a split if these are leaves, besides their own."""
        problem = self.problem
        for side in (0, 1):
            counts, added = split.sides[side], split.additions[side]
            own, far = labels_of(self.ground, counts), 2 * self.allowed.flips + self.allowed.removals + added
            rows = sum(own) + added
            for label, ends in self._ends(split.column):
                if not _comes(split, side, *ends):
                    continue
                if all(self._far_behind(criterion, own, label, far, rows) for criterion in problem.criteria):
                    continue  # no change of the budget makes up for that
                allowed = allowance(problem.facts_at(self.node), problem.kinds, counts, added)
                for rival in rivals(problem.criteria, problem.kinds, counts, allowed, label):
                    yield Leaf(side, label, rival)

    @staticmethod
    def _far_behind(criterion: Criterion, own: Sequence[int], label: int, far: int, rows: int) -> bool:
        """Whether all other labels weigh less in a leaf by more than so many changes make up for."""
        weights = criterion.weigh(own)
        moved = far * criterion.heaviest
        if not criterion.weights.exact:
            moved += -(-criterion.tolerance(rows) // UNIT)
        return all(weights[label] - weight > moved for j, weight in enumerate(weights) if j != label)

    def _ends(self, column: int) -> list[tuple[int, tuple[float, float]]]:
        """For each expected label the least and the greatest value of the people here in a column."""
        if column not in self.ends:
            values: dict[int, list[float]] = {}
            for c in self.node.cases:
                case = self.problem.cases[c]
                values.setdefault(case.label, []).append(case.values[column])
            self.ends[column] = [(label, (min(own), max(own))) for label, own in values.items()]
        return self.ends[column]


def _comes(split: Split, side: int, least: float, greatest: float) -> bool:
    """Whether somebody with such values comes to a side."""
    if split.additions == (0, 0):
        threshold = split.low / 2.0 + split.high / 2.0
        return least <= threshold if side == 0 else greatest > threshold
    return least < split.high if side == 0 else greatest > split.low
