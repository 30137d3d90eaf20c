"""Every table of B(T) with few changes, node by node: people are decided as soon as their nodes are done.

A worker beside the walk, for budgets of a few flips and removals on tables of any length. It follows the tree
of T itself; only changes that give a node another split than usual are tried one by one.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from heapq import heappop, heappush
from itertools import count, pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from everytree.learner.availability import NOWHERE
from everytree.learner.criterion.front import WEIGHTED
from everytree.refute.judge import TABLES
from everytree.refute.node_changes import IN_VAIN, SURE, TIED, NodeChanges
from everytree.refute.part_trees import PartTrees
from everytree.refute.tied_ways import CHANGE, DIFFERS, FATE, MAY_DIFFER, SAME, UNSURE, Group, room_for
from everytree.refute.under_way import UnderWay
from everytree.refute.usual_nodes import Task, UsualNodes

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from everytree.prove.problem import Problem
    from everytree.refute.judge import Judge
    from everytree.refute.node_changes import Part
    from everytree.refute.trial import Trial

MOST_CHANGES = 8
"""With larger budgets the changes of any node are too many."""

SIZES = (32, 512, 4096)
"""Rows of nodes that are looked at before larger ones, for everybody."""

PART = 512
"""Changes that are tried before others have their turn."""

TOGETHER = 128
"""People for whom changes are tried at once."""

ONCE_MORE = 8
"""How often a part is looked at again for people whose change was in vain."""

TRIALS_A_PERSON = 40
"""Tables on which the user's tree is retrained for the sake of one person."""

LEARNING = (8.0, 1.0, 1.0)
"""How much longer learning may take than looking for changes, by doubt (`SURE`, `ALTERED`, `TIED`), while
there is both to do."""

NODE_SECONDS, CELL_SECONDS, TABLE_SECONDS = 3e-4, 7e-9, 3e-9
"""About what a node costs, each row and column that is looked at, and each change times split and label."""


class _Step(NamedTuple):
    """A part of the search: about its seconds, the rows of the node, and doubts, people and tables found."""

    seconds: float
    size: int
    trials: tuple[tuple[int, int, Trial], ...] = ()


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
        self.people = judge.open.copy()
        self.finished = np.zeros(len(judge.open), np.bool_)
        self.blocked = np.zeros(len(judge.open), np.bool_)
        self.doubtful = np.zeros(len(judge.open), np.bool_)
        self._trials: Counter[int] = Counter()
        self._found: list[tuple[int, int, int, int, Trial]] = []
        self.under_way = UnderWay(judge)

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
        """List the nodes, try their changes for everybody, then one by one; gives about the seconds.

        Small nodes are looked at first: that is where one record matters most. Learning has most of the time,
        but not all of it, so that trees that take long to learn keep nobody from being proved. Who is left
        then may get another label by a tie.
        """
        self.changes = NodeChanges(self.problem, self.judge)
        self.part_trees = PartTrees(self.judge, self.changes)
        tasks: dict[int, list[Task]] = defaultdict(list)
        yield from UsualNodes(self.problem, self.judge, self.changes.few.most, self.blocked).fill(tasks)
        yield from self._take_turns(self._look_for_all(tasks))
        for p in np.flatnonzero(self.people & self.judge.open).tolist():
            yield from self._take_turns(self._search(p, tasks[p]))
            if self.judge.open[p]:
                self._finish(p)

    def _take_turns(self, steps: Iterator[_Step]) -> Iterator[float]:
        """Look for changes and learn from what is found, the surest and the smallest nodes first."""
        found, number = self._found, count()
        looking = learning = 0.0
        searching = True
        while searching or found:
            if found and (learning <= LEARNING[found[0][0]] * looking or not searching):
                seconds = self._learn(*heappop(found)[-2:])
                learning += seconds
                yield seconds
                continue
            step = next(steps, None)
            searching = step is not None
            if step is not None:
                for doubt, p, trial in step.trials:
                    heappush(found, (doubt, step.size, next(number), p, trial))
                looking += step.seconds
                yield step.seconds
        self.under_way.settle()

    def _expected(self) -> list[int]:
        """People who are about to fall: a table that should do was found and not read yet."""
        return [*(p for doubt, _, _, p, _ in self._found if doubt == SURE), *self.under_way.people()]

    def _finish(self, p: int) -> None:
        """Everything was tried for somebody: proved, unless a table was found that may give another label."""
        self.finished[p] = not self.blocked[p]
        if self.finished[p] and not self.doubtful[p]:
            self.judge.prove(np.arange(len(self.people)) == p, TABLES)

    def _learn(self, p: int, trial: Trial) -> float:
        """Retrain on a table from which somebody may get another label; gives about the seconds."""
        before = self.judge.retrained
        self._trials[p] += 1
        self.blocked[p] |= self._trials[p] > TRIALS_A_PERSON
        if self.judge.open[p] and not self.blocked[p]:
            self.blocked[p] |= not self.under_way.put(trial, np.array([p], np.int32))
        return self.judge.training_seconds * (self.judge.retrained - before) / self.under_way.at_once

    def _look_for_all(self, tasks: dict[int, list[Task]]) -> Iterator[_Step]:
        """Try the changes of nodes for many people at once; prove whom none of them touches.

        Small nodes come first, for everybody; in them, those who have the least to look at. What is left in
        ``tasks`` are the nodes where something was found that did not refute a person.
        """
        people = np.flatnonzero(self.people).tolist()
        to_do = {p: sum(len(task.node.rows) ** 2 for task in tasks[p]) for p in people}
        ordered = np.array(sorted(people, key=to_do.__getitem__), np.int32)
        for more_than, most in pairwise((0, *SIZES, max(SIZES[-1], len(self.problem.table.y)))):
            left = ordered[self.judge.open[ordered]]
            for begin in range(0, len(left), TOGETHER):
                some = left[begin : begin + TOGETHER]
                yield from self._look_for(some, tasks, more_than, most)
                for p in some.tolist():
                    if self.judge.open[p] and not tasks[p]:
                        self._finish(p)

    def _look_for(
        self, some: NDArray[np.int32], tasks: dict[int, list[Task]], more_than: int, most: int
    ) -> Iterator[_Step]:
        """Try the changes of nodes with so many rows, for some people, the smallest first.

        Whoever is about to fall is passed over, and keeps the nodes that were not looked at.
        """
        theirs = {id(task): task for p in some.tolist() for task in tasks[p] if self.judge.open[p]}
        fit = [task for task in theirs.values() if more_than < len(task.node.rows) <= most]
        for task in sorted(fit, key=lambda task: len(task.node.rows)):
            people = some[np.isin(some, task.people) & ~np.isin(some, self._expected())]
            touched = np.zeros(len(people), np.bool_)
            yield from self._look_at(task, people, touched)
            for p in people[~touched].tolist():
                tasks[p].remove(task)

    def _look_at(self, task: Task, people: NDArray[np.int32], touched: NDArray[np.bool_]) -> Iterator[_Step]:
        """Try the changes of one node for some who come there, and note who is touched by one.

        Whoever is touched in vain, because a node further up then takes another split, is asked for again.
        """
        judge, rows, n_labels = self.judge, len(task.node.rows), self.problem.bias.n_labels
        ready = self.changes.ready(task)
        if ready is None:
            self.blocked[people] = touched[:] = True
            return
        group = Group(judge.shown[people], judge.predictions[people])
        room = room_for(ready.spot, n_labels, len(people))
        asked = np.ones(len(people), np.bool_)
        for part in self.changes.parts(task, ready):
            yield _Step(NODE_SECONDS + TABLE_SECONDS * n_labels * part.compared, rows)
            begin, again = 0, ONCE_MORE
            while begin < len(part.changes):
                asked &= judge.open[people]
                if not asked.any():
                    return
                listed = part.changes[begin : begin + PART]
                found, cells = self.changes.follow(task, ready.spot, listed, group, asked, room)
                touched |= found[:, FATE] != SAME
                self.blocked[people] |= found[:, FATE] == UNSURE
                asked &= found[:, FATE] == SAME
                step, in_vain = self._judged(task, part, begin, people, found)
                yield step._replace(seconds=step.seconds + CELL_SECONDS * cells)
                begin += len(listed)
                if in_vain.any() and again:
                    again -= 1
                    asked |= in_vain
                    begin += int(found[in_vain, CHANGE].min()) + 1 - len(listed)

    def _judged(
        self, task: Task, part: Part, begin: int, people: NDArray[np.int32], found: NDArray[np.int64]
    ) -> tuple[_Step, NDArray[np.bool_]]:
        """The tables found for those whom a node surely gives another label, and who is touched in vain."""
        in_vain = np.zeros(len(people), np.bool_)
        trials, seconds = [], 0.0
        for i in np.flatnonzero(found[:, FATE] == DIFFERS).tolist():
            c, p = begin + int(found[i, CHANGE]), int(people[i])
            self.doubtful[p] = True
            doubt, cells = self.changes.doubt(task, part.changes[c], int(part.highest[c]), p)
            seconds += CELL_SECONDS * cells
            in_vain[i] = doubt == IN_VAIN
            if doubt == IN_VAIN or not self.judge.open[p]:
                continue
            trial, settled = self.changes.trial(task.node, part.changes[c]), False
            if doubt == SURE:
                altered = self.changes.altered(task, part.changes[c], int(part.highest[c]))
                settled = self.part_trees.turns(altered, trial, p)
            if not settled:
                trials.append((doubt, p, trial))
        return _Step(seconds, len(task.node.rows), tuple(trials)), in_vain

    def _search(self, p: int, tasks: list[Task]) -> Iterator[_Step]:
        """Look for changes that may give one person another label, one after the other, small nodes first."""
        judge, n_labels = self.judge, self.problem.bias.n_labels
        group = Group(judge.shown[[p]], judge.predictions[[p]])
        asked, myself = np.ones(1, np.bool_), np.array([p], np.int32)
        for task in sorted(tasks, key=lambda task: len(task.node.rows)):
            rows, ready = len(task.node.rows), self.changes.ready(task)
            if ready is None:
                self.blocked[p] = True
                continue
            room = room_for(ready.spot, n_labels, 1)
            for part in self.changes.parts(task, ready):
                yield _Step(NODE_SECONDS + TABLE_SECONDS * n_labels * part.compared, rows)
                for c, change in enumerate(part.changes):
                    if not judge.open[p]:
                        return
                    found, cells = self.changes.follow(task, ready.spot, change[None], group, asked, room)
                    self.blocked[p] |= found[0, FATE] == UNSURE
                    step, _ = self._judged(task, part, c, myself, found)
                    if found[0, FATE] == MAY_DIFFER:
                        self.doubtful[p] = True
                        step = step._replace(trials=((TIED, p, self.changes.trial(task.node, change)),))
                    yield step._replace(seconds=step.seconds + CELL_SECONDS * cells)
