"""Every table of B(T) with few changes, node by node: people are decided as soon as their nodes are done.

A worker beside the walk, for budgets of a few flips and removals on tables of any length. It follows the tree
of T itself; only changes that give a node another split than usual are tried one by one.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from heapq import heappop, heappush
from itertools import count
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from everytree.learner.availability import NOWHERE
from everytree.learner.criterion.front import WEIGHTED, for_kernels, tolerance
from everytree.prove import routing
from everytree.prove.counts import OWN
from everytree.prove.engines import RelationalEngine
from everytree.prove.node import Nodes
from everytree.refute.change import Change
from everytree.refute.few_changes import REMOVED, FewChanges
from everytree.refute.judge import TABLES
from everytree.refute.tied_ways import (
    DIFFERS,
    MAY_DIFFER,
    SAME,
    UNSURE,
    Person,
    deviating,
    first_differing,
    room_for,
    spot_of,
)
from everytree.refute.trial import Trial

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from everytree.prove.node import Ground, Node
    from everytree.prove.problem import Problem
    from everytree.refute.judge import Judge
    from everytree.refute.tied_ways import Room, Spot

MOST_CHANGES = 8
"""With larger budgets the changes of any node are too many."""

MOST_SPOTS = 100_000
"""Nodes that are kept at most."""

MOST_READY = 32
"""Nodes that are kept ready for the next person."""

SMALL = 32
"""Rows of a node that is looked at before others, for everybody."""

PART = 512
"""Changes that are tried for one person before others have their turn."""

LEARNING = 3.0
"""How much longer than looking for changes learning from them may take, while there is both to do."""

TRIALS_A_PERSON = 40
"""Tables on which the user's tree is retrained for the sake of one person."""

NODE_SECONDS, CELL_SECONDS, TABLE_SECONDS = 3e-4, 1e-8, 1e-7
"""About what a node costs, each row and column that is looked at, and each change times split."""


@dataclass(eq=False)
class _Task:
    """A node whose changes are to be tried, and who comes there."""

    node: Node
    people: NDArray[np.int32]
    splits: tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int64]] | None = None
    usual: NDArray[np.bool_] = field(default_factory=lambda: np.zeros(0, np.bool_))


@dataclass(eq=False)
class _Ready:
    """A node prepared for its changes: ``parts`` lists those that matter, as far as they were looked for."""

    spot: Spot
    room: Room
    changes: Iterator[NDArray[np.int32]]
    parts: list[NDArray[np.int32]] = field(default_factory=list)


class _Step(NamedTuple):
    """A part of the search: about its seconds, the rows of the node, and what was found, perhaps by a tie."""

    seconds: float
    size: int
    trial: Trial | None = None
    tied: bool = False


class EveryTable:
    """Tries, in every node of the tree of T, all changes that may alter what happens there.

    Soundness
    ---------
    Let a table T' of B(T) give a person another label. Follow the person through the tree of T' as long as
    it takes splits that tie on T: all of these, with both sides, are nodes here. At the first node where it
    does not, the rows are those of the node with the changes of T' that lie in it, one of the lists that are
    tried, and `deviating` says so: the split taken is among those that may be best, or the learner stops.
    There, `first_differing` follows every tree of the changed node. Where all splits that may be best are
    usual and the learner cannot stop, there is nothing to try: a node that T' makes pure shows its label on
    the person's side of a split that is left. A removal that widens a gap makes two splits of the node equal;
    one of them is not usual, or both are followed, and the midpoint of the wide gap lies between those of
    its parts. The same holds where removals take all rows without a value away, for the two views of a
    feature and the people without one.
    """

    def __init__(self, problem: Problem, judge: Judge) -> None:
        self.problem, self.judge = problem, judge
        self.nodes, self.engine = Nodes(problem), RelationalEngine()
        self.people = judge.open.copy()
        self.finished = np.zeros(len(judge.open), np.bool_)
        self.blocked = np.zeros(len(judge.open), np.bool_)
        self.X = np.ascontiguousarray(judge.shown.T)
        self._ready = lru_cache(MOST_READY)(self._make_ready)
        self._trials: Counter[int] = Counter()

    @staticmethod
    def is_possible(problem: Problem) -> bool:
        """Whether few rows may change, none is added, and nothing but splits decides where a node stops.

        Class weights are left to `whole_tables.py`: they may move with changes elsewhere.
        """
        bias, floors = problem.bias, problem.floors
        few = bias.additions == 0 and 0 < bias.flips + bias.removals <= MOST_CHANGES
        plain = floors.plain and floors.decrease == 0 and floors.cut_off == NOWHERE
        return few and plain and problem.criterion.code < WEIGHTED

    def steps(self) -> Iterator[float]:
        """List the nodes, then try their changes and learn from what is found; gives about the seconds.

        Small nodes are looked at first, for everybody: that is where one record matters most. Then who has
        the least left to look at is next. Learning has most of the time, but not all of it, so that trees
        that take long to learn keep nobody from being proved.
        """
        self.changes = FewChanges(self.problem)
        tasks: dict[int, list[_Task]] = defaultdict(list)
        yield from self._list(tasks)
        searches = {p: self._search(p, tasks[p]) for p in np.flatnonzero(self.people).tolist()}
        turns = [(0, p) for p in searches]
        found: list[tuple[bool, int, int, Trial]] = []
        looking = learning = 0.0
        while turns or found:
            if found and (learning <= LEARNING * looking or not turns):
                _, size, p, trial = heappop(found)
                seconds = self._learn(p, trial)
                learning += seconds
                heappush(turns, (size, p))
            else:
                size, p = heappop(turns)
                if not self.judge.open[p]:
                    continue
                step = next(searches[p], None)
                if step is None:
                    self._finish(p)
                    continue
                seconds, looking = step.seconds, looking + step.seconds
                if step.trial is None:
                    heappush(turns, (step.size, p))
                else:
                    heappush(found, (step.tied, step.size, p, step.trial))
            yield seconds

    def _finish(self, p: int) -> None:
        """Everything was tried for somebody: proved, unless a table was found that may give another label."""
        self.finished[p] = not self.blocked[p]
        if self.finished[p] and self._trials[p] == 0:
            self.judge.prove(np.arange(len(self.people)) == p, TABLES)

    def _learn(self, p: int, trial: Trial) -> float:
        """Retrain on a table from which somebody may get another label."""
        self._trials[p] += 1
        before = self.judge.retrained
        self.blocked[p] |= self._trials[p] > TRIALS_A_PERSON
        if self.judge.open[p] and not self.blocked[p]:
            self.judge.consider(trial, np.array([p], np.int32))
        return self.judge.training_seconds * (self.judge.retrained - before)

    # ------------------------------------------------------------ nodes

    def _list(self, tasks: dict[int, list[_Task]]) -> Iterator[float]:
        """Follow the splits that tie on T, with everybody who is still open."""
        served: dict[tuple[bytes, int], NDArray[np.bool_]] = {}
        everybody = np.flatnonzero(self.people).astype(np.int32)
        stack = [(self.nodes.root(), everybody)]
        while stack:
            node, people = stack.pop()
            key = node.rows.tobytes(), min(node.depth, len(node.rows))
            known = served.setdefault(key, np.zeros(len(self.people), np.bool_))
            people = people[~known[people] & self.judge.open[people]]
            known[people] = True
            if len(people) == 0:
                continue
            if len(served) > MOST_SPOTS:
                self.blocked[people] = True
                continue
            task, children = self._look(node, people)
            stack += children
            if task is not None:
                for p in people.tolist():
                    tasks[p].append(task)
            yield NODE_SECONDS + CELL_SECONDS * len(node.rows) * len(self.X)

    def _look(
        self, node: Node, people: NDArray[np.int32]
    ) -> tuple[_Task | None, list[tuple[Node, NDArray[np.int32]]]]:
        """Find the usual splits of a node, and whether a change may give it others."""
        problem = self.problem
        total = np.bincount(problem.table.y[node.rows], minlength=problem.bias.n_labels)
        if node.depth == 0 or total.max() == len(node.rows):
            return self._leaf(node, people, total), []
        ground = self.nodes.ground(node)
        ranking = self.engine.rank(ground)
        chosen = self.engine.refine(ranking)
        if len(chosen) == 0:
            return self._leaf(node, people, total), []
        usual = ranking.score[chosen] >= ranking.score.max() - tolerance(ground.criterion, len(node.rows))
        children = self._children(node, ground, chosen[usual], people)
        if usual.all() and not ranking.may_stop:
            return None, children
        at, own = ground.splits, problem.types.measures[:, OWN]
        splits = at.feature[chosen], at.low[chosen], at.left[chosen].astype(np.int64) @ own
        return _Task(node, people, splits, usual), children

    def _leaf(self, node: Node, people: NDArray[np.int32], total: NDArray[np.int64]) -> _Task | None:
        """A node that the learner does not split: nothing to try if no change can give it another label."""
        ordered = np.sort(total)
        pure = node.depth > 0 and ordered[-1] == len(node.rows)
        as_expected = (self.judge.predictions[people] == np.argmax(total)).all()
        far = ordered[-1] - ordered[-2] > 2 * self.changes.most
        return None if far and as_expected and not pure else _Task(node, people)

    def _children(
        self, node: Node, ground: Ground, usual: NDArray[np.int64], people: NDArray[np.int32]
    ) -> list[tuple[Node, NDArray[np.int32]]]:
        cuts = routing.cut_splits(self.problem.columns, ground.splits, usual, exact=True)
        children = []
        for c, s in enumerate(usual.tolist()):
            for side in (0, 1):
                there = routing.people_of_side(cuts, c, side, people, self.X)
                if len(there):
                    children.append((self.nodes.child(node, ground.cut(s), side), there))
        return children

    # ------------------------------------------------------------ changes

    def _search(self, p: int, tasks: list[_Task]) -> Iterator[_Step]:
        """Look for changes that may give one person another label, small nodes first."""
        whole = SMALL + sum(len(task.node.rows) ** 2 for task in tasks)
        for task in sorted(tasks, key=lambda task: len(task.node.rows)):
            rows = len(task.node.rows)
            trials = self._trials_at(p, task)
            for seconds, trial, tied in trials:
                yield _Step(seconds, rows if rows <= SMALL else whole, trial, tied)

    def _trials_at(self, p: int, task: _Task) -> Iterator[tuple[float, Trial | None, bool]]:
        """Look for such changes in one node; gives about the seconds, what was found, and if by a tie."""
        problem, judge, ready = self.problem, self.judge, self._ready(task)
        if ready is None:
            self.blocked[p] = True
            return
        person = Person(judge.shown[p], int(judge.predictions[p]))
        for k in count():
            if k == len(ready.parts):
                part = next(ready.changes, None)
                if part is None:
                    return
                ready.parts.append(self._deviating(task, ready.spot, part))
                yield NODE_SECONDS + TABLE_SECONDS * len(part) * len(task.usual), None, False
            listed = ready.parts[k]
            while len(listed):
                at, fate, cells = first_differing(
                    for_kernels(problem.criterion),
                    problem.columns,
                    ready.spot,
                    listed[:PART],
                    person,
                    task.node.depth,
                    ready.room,
                )
                self.blocked[p] |= fate == UNSURE
                trial = self._trial(task.node, listed[at]) if fate in (DIFFERS, MAY_DIFFER) else None
                listed = listed[PART if fate == SAME else at + 1 :]
                yield CELL_SECONDS * cells, trial, fate == MAY_DIFFER

    def _make_ready(self, task: _Task) -> _Ready | None:
        """Prepare a node for its changes; None if they are too many."""
        changes = self.changes.of(task.node.rows)
        if changes is None:
            return None
        spot = spot_of(self.problem.columns, self.problem.table.y, task.node.rows)
        return _Ready(spot, room_for(spot, self.problem.bias.n_labels), changes)

    def _deviating(self, task: _Task, spot: Spot, changes: NDArray[np.int32]) -> NDArray[np.int32]:
        """Leave out the changes with which the node takes one of its usual splits all the same."""
        if task.splits is None:
            return changes
        criterion, total = (
            for_kernels(self.problem.criterion),
            np.bincount(spot.label, minlength=self.problem.bias.n_labels),
        )
        found: NDArray[np.bool_] = deviating(criterion, spot, task.splits, total, task.usual, changes)
        return changes[found]

    def _trial(self, node: Node, change: NDArray[np.int32]) -> Trial:
        rows = [(int(node.rows[r]), int(label)) for r, label in change if r >= 0]
        flipped = {row: label for row, label in rows if label != REMOVED}
        removed = tuple(sorted(row for row, label in rows if label == REMOVED))
        return Trial(Change(flipped, removed), self.problem.table.X[:0])
