"""Proofs by path programs as lines of a proof file, derived again for people whom the walk does not prove.

Goes through the nodes as the walk does, each by itself. What bounds of a single node do not exclude is a
path; a program excludes it, and the checker must agree before it is written.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from everytree.checker.holes import LACKING
from everytree.checker.proofs.layout import Level
from everytree.checker.proofs.nodes import read_key
from everytree.checker.proofs.paths import PathCheck
from everytree.checker.proofs.walk import open_node
from everytree.checker.proofs.wording import Rejected
from everytree.paths.boxes import Family
from everytree.paths.program import Solver
from everytree.paths.recording import RecordedSearch
from everytree.paths.search import IMPOSSIBLE
from everytree.paths.waiting import Path, Step
from everytree.prove.engines import RelationalEngine
from everytree.prove.node import Nodes
from everytree.prove.recording import named, written
from everytree.questions.proofs.late import Late
from everytree.refute.new_rows import RowMaker
from everytree.refute.trial import most_rows
from everytree.support.clock import now

if TYPE_CHECKING:
    from everytree.checker.proofs.nodes import Key
    from everytree.checker.proofs.nodes import Node as CheckedNode
    from everytree.checker.proofs.nodes import Problem as CheckedProblem
    from everytree.checker.proofs.walk import Ending, Opened
    from everytree.prove.engines import Ranking
    from everytree.prove.node import Cut, Node
    from everytree.prove.problem import Problem
    from everytree.support.limits import Limits

__all__ = ["PathProofs"]

MOST_PROGRAMS = 2000
"""Programs that one path may use."""


@dataclass(frozen=True, eq=False)
class _Place:
    """A node on the way, as the provers see it and as the checker does, with the way to it."""

    node: Node
    checked: CheckedNode
    steps: tuple[Step, ...]
    levels: tuple[Level, ...]
    listed: tuple[Any, ...]
    came: tuple[int, int, int]


class PathProofs:
    """Writes the section of the people proved by path programs; proofs of paths are kept for a second try."""

    def __init__(self, problem: Problem, limits: Limits) -> None:
        self.problem, self.limits = problem, limits
        self.nodes, self.engine = Nodes(problem), RelationalEngine(plain=True)
        budgets = np.array(problem.bias.budgets, float)
        self.family = Family(np.zeros_like(budgets), budgets, 1.0, most_rows(problem, limits.memory))
        self.solver = Solver(deadline=limits.deadline)
        self.maker = RowMaker(problem, deadline=limits.deadline)
        self.known: dict[tuple[object, ...], list[Any] | None] = {}
        self.pool: dict[int, list[Cut]] = {}
        self.rows: dict[int, Any] = {}
        self.failed: set[int] = set()

    def lines(self, checked: CheckedProblem) -> list[list[Any]]:
        """All lines; `failed` has the people afterwards for whom some path could not be excluded."""
        self.failed, self.number = set(), 0
        root = checked.root(range(len(checked.cases)))
        try:
            return list(self._visit(checked, _Place(self.nodes.root(), root, (), (), (), (-1, 0, 0))))
        except Late:
            self.failed = set(checked.people(root.cases))
            return []

    def _visit(self, checked: CheckedProblem, place: _Place) -> Iterator[list[Any]]:
        """A node, its paths, and the nodes below it."""
        if now() > self.limits.deadline:
            self.failed |= set(checked.people(place.checked.cases))
            return
        number, self.number = self.number, self.number + 1
        if not place.checked.members:
            opened = open_node(checked, place.checked, (), ())
            yield ["node", *place.came, [], []]
            yield from self._paths(checked, place, opened, None)
            return
        ranking = self.engine.rank(self.nodes.ground(place.node))
        chosen = self.engine.refine(ranking) if place.node.depth > 1 else ranking.chosen[:0]
        challengers, follow = (named(self.problem, ranking, some) for some in (ranking.challengers, chosen))
        try:
            opened = open_node(checked, place.checked, _keys(challengers), _keys(follow))
        except Rejected as failure:
            self.failed |= set(failure.people)
            return
        yield ["node", *place.came, challengers, follow]
        yield from self._paths(checked, place, opened, ranking)
        for k, s in enumerate(chosen.tolist()):
            for side in (0, 1):
                cases = opened.edges.get((k, side))
                if cases:
                    steps = _step(place.node, ranking.ground.cut(s), side, self._rivals(ranking))
                    yield from self._visit(
                        checked,
                        _Place(
                            self.nodes.child(place.node, ranking.ground.cut(s), side),
                            checked.child(place.checked, opened.follow[k], side, cases),
                            (*place.steps, steps),
                            (*place.levels, Level(place.checked, opened.follow[k], side)),
                            (*place.listed, opened.splits),
                            (number, k, side),
                        ),
                    )

    def _rivals(self, ranking: Ranking) -> tuple[tuple[int, int], ...]:
        return tuple((cut.feature, cut.low) for cut in map(ranking.ground.cut, ranking.challengers))

    def _paths(
        self, checked: CheckedProblem, place: _Place, opened: Opened, ranking: Ranking | None
    ) -> Iterator[list[Any]]:
        """Exclude every way to another label that ends at a node."""
        for ending, cases in opened.endings.items():
            key = (*((level.key, level.side) for level in place.levels), ending)
            if key not in self.known:
                self.known[key] = self._exclude(checked, place, opened, ranking, ending)
            parts = self.known[key]
            if parts is None:
                self.failed |= set(checked.people(cases))
                continue
            name = [-1, None] if ending.split is None else _plain(ending.split)
            yield ["path", *name, ending.side, ending.label, parts]

    def _exclude(
        self, checked: CheckedProblem, place: _Place, opened: Opened, ranking: Ranking | None, ending: Ending
    ) -> list[Any] | None:
        """Look for a proof that no table takes a path; None if there is none."""
        split = None if ending.split is None else opened.splits[ending.split]
        levels = (*place.levels, Level(place.checked, split, ending.side))
        check = PathCheck(checked, levels, (*place.listed, opened.splits), ending.label)
        if ranking is None or ending.split is None:
            last = Step(place.node.rows, -1, 0, 0, 0, ())
        else:
            cut = self._cut(ranking, ending.split)
            last = _step(place.node, cut, ending.side, self._rivals(ranking))
        path = Path((*place.steps, last), ending.label, np.zeros(0, np.int32), 0.0)
        for step in path.steps:
            # Rivals are kept by the identity of a node's rows, which must not be given to others.
            self.rows[id(step.rows)] = step.rows
        search = RecordedSearch(self.problem, path, self.family, self.solver, self.maker, check=check)
        search.take_over(None, self.pool, 5)
        try:
            status = search.run(lambda trial: False, MOST_PROGRAMS, self.limits.deadline)
        except Rejected:
            return None
        search.share(self.pool)
        return search.parts() if status == IMPOSSIBLE else None

    def _cut(self, ranking: Ranking, key: Key) -> Cut:
        """The split of a name."""
        splits, columns = ranking.ground.splits, self.problem.columns
        start = columns.starts[key[0]]
        values = columns.values[start : columns.starts[key[0] + 1]]
        last = -np.inf if key[1] == -LACKING else key[1]
        low = -1 if last is None else int(np.searchsorted(values, np.float32(last)))
        return ranking.ground.cut(int(np.flatnonzero((splits.feature == key[0]) & (splits.low == low))[0]))


def _step(node: Node, cut: Cut, side: int, rivals: tuple[tuple[int, int], ...]) -> Step:
    others = tuple(rival for rival in rivals if rival != (cut.feature, cut.low))
    return Step(node.rows, *cut, side, others)


def _keys(given: Sequence[Sequence[Any]]) -> list[Key]:
    return [read_key(column, low) for column, low in given]


def _plain(key: Key) -> list[Any]:
    column, low = key
    return [column, None if low is None else written(-np.inf if low == -LACKING else low)]
