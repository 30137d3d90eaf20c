"""Proofs by trying the changes of nodes as lines of a proof file, derived again for people proved by tables.

The changes of the root are tried, by the checker itself, with all trees that they lead to. Where these are
too many, bounds of the walk leave a few splits, and these are followed, to nodes with fewer changes. Whoever
may get another label, or is not done in time, is left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import comb
from typing import TYPE_CHECKING, Any

from everytree.checker.proofs.changes import MOST_CHANGES, TriedNodes, why_not_tried
from everytree.checker.proofs.nodes import read_key
from everytree.checker.proofs.walk import open_node
from everytree.checker.proofs.wording import Rejected
from everytree.prove.engines import RelationalEngine
from everytree.prove.node import Nodes
from everytree.prove.recording import named
from everytree.questions.proofs.late import Late

if TYPE_CHECKING:
    from everytree.checker.proofs.nodes import Key
    from everytree.checker.proofs.nodes import Node as CheckedNode
    from everytree.checker.proofs.nodes import Problem as CheckedProblem
    from everytree.prove.node import Cut, Node
    from everytree.prove.problem import Problem

__all__ = ["ChangeProofs"]

MOST_FOLLOWED = 50
"""Splits of a node with too many changes that are followed."""


@dataclass(frozen=True)
class _Step:
    """How a node is settled: what its line says after its place, and the splits to follow."""

    kind: str
    says: tuple[Any, ...]
    cuts: tuple[Cut, ...] = ()
    follow: tuple[Key, ...] = ()


class ChangeProofs:
    """Writes the section of the people proved by trying changes of nodes.

    `try_all` settles as many people as it can; `lines` writes down, for some of those, what was found.
    """

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.nodes, self.engine = Nodes(problem), RelationalEngine(plain=True)
        self.known: dict[tuple[object, ...], _Step] = {}

    @staticmethod
    def is_possible(checked: CheckedProblem) -> bool:
        """Whether the verification tries changes of nodes for such a tree and bias model."""
        return not why_not_tried(checked)

    def try_all(self, checked: CheckedProblem) -> set[int]:
        """Settle node after node, until the time is over; gives the people who are proved."""
        self.trying, waiting = TriedNodes(checked), set(range(len(checked.cases)))
        wrong: set[int] = set()
        stack = [(self.nodes.root(), checked.root(sorted(waiting)))]
        served: dict[tuple[object, ...], set[int]] = {}
        try:
            while stack:
                node, there = stack[-1]
                done = served.setdefault(checked.place(there), set())
                cases = [c for c in there.cases if c not in done and c not in wrong]
                if cases:
                    there = _with(there, cases)
                    step, failing = self._settle(checked, node, there)
                    wrong |= set(failing)
                    done |= set(cases)
                stack.pop()
                if cases and step is not None:
                    left = _with(there, [c for c in cases if c not in wrong])
                    stack += [child for *_, child in self._edges(checked, node, left, step)]
        except Late:
            wrong |= {c for _, there in stack for c in there.cases}
        del self.trying  # it holds the nodes of all trees that were looked at
        return set(checked.people(sorted(waiting - wrong)))

    def lines(self, checked: CheckedProblem) -> list[list[Any]]:
        """The lines for people who are proved, in the order of a walk."""
        self.number, self.served = 0, dict[tuple[object, ...], set[int]]()
        root = checked.root(range(len(checked.cases)))
        return list(self._write(checked, self.nodes.root(), root, (-1, 0, 0)))

    def _write(
        self, checked: CheckedProblem, node: Node, there: CheckedNode, came: tuple[int, int, int]
    ) -> Iterator[list[Any]]:
        place = checked.place(there)
        done = self.served.setdefault(place, set())
        cases = [c for c in there.cases if c not in done]
        if not cases:
            return
        done |= set(cases)
        step = self.known[place]
        number, self.number = self.number, self.number + 1
        yield [step.kind, *came, *step.says]
        for k, side, child in self._edges(checked, node, _with(there, cases), step):
            yield from self._write(checked, *child, (number, k, side))

    def _settle(
        self, checked: CheckedProblem, node: Node, there: CheckedNode
    ) -> tuple[_Step | None, Sequence[int]]:
        """Find out how a node is settled, and for whom it is not."""
        try:
            if self._changes_at_most(there) > MOST_CHANGES:
                step, wrong = self._by_bounds(checked, node, there), list[int]()
            else:
                number, wrong = self.trying.open_cases(there)
                step = _Step("tried", (number,))
        except Rejected:
            return None, there.cases
        self.known[checked.place(there)] = step
        return step, wrong

    def _by_bounds(self, checked: CheckedProblem, node: Node, there: CheckedNode) -> _Step:
        """Settle a node by bounds: only few splits may be the best there, which are followed."""
        ground = self.nodes.ground(node)
        ranking = self.engine.rank(ground)
        chosen = self.engine.refine(ranking) if node.depth > 1 else ranking.chosen[:0]
        challengers, follow = (named(self.problem, ranking, some) for some in (ranking.challengers, chosen))
        if (
            len(chosen) > MOST_FOLLOWED
            or open_node(checked, there, _keys(challengers), _keys(follow)).endings
        ):
            raise Rejected("node", "bounds do not settle it.")
        cuts = tuple(ground.cut(s) for s in chosen.tolist())
        return _Step("node", (challengers, follow), cuts, tuple(_keys(follow)))

    def _changes_at_most(self, there: CheckedNode) -> int:
        """Bound the changes of a node from above."""
        rows, budget = self.trying.table.rows, self.problem.bias.flips + self.problem.bias.removals
        acts = sum(len(rows.moves[group]) for group in rows.among(there.members))
        return comb(acts + budget, budget)

    def _edges(
        self, checked: CheckedProblem, node: Node, there: CheckedNode, step: _Step
    ) -> Iterator[tuple[int, int, tuple[Node, CheckedNode]]]:
        """Where people go from a node by the splits to follow."""
        if not step.follow:
            return
        splits = {(split.column, split.low): split for split in checked.splits(there)}
        for k, ((column, low), cut) in enumerate(zip(step.follow, step.cuts, strict=True)):
            assert low is not None
            split = splits[column, low]
            for side, cases in enumerate(checked.goes(there, split)):
                if cases:
                    child = checked.child(there, split, side, cases)
                    yield k, side, (self.nodes.child(node, cut, side), child)


def _with(node: CheckedNode, cases: Sequence[int]) -> CheckedNode:
    return replace(node, cases=cases)


def _keys(given: Sequence[Sequence[Any]]) -> list[Key]:
    return [read_key(column, low) for column, low in given]
