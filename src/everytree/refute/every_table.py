"""Every table of B(T) with few changes, node by node: people are decided as soon as their nodes are done.

A worker beside the walk, for budgets of a few flips and removals on tables of any length. It follows the tree
of T itself; only changes that give a node another split than usual are tried one by one.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from functools import partial
from heapq import heappop, heappush
from itertools import chain, count, pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from everytree.learner.availability import NOWHERE
from everytree.learner.criterion.front import WEIGHTED
from everytree.refute.judge import TABLES
from everytree.refute.node_changes import IN_VAIN, SURE, TIED, NodeChanges
from everytree.refute.part_trees import PartTrees
from everytree.refute.side_by_side import Search, side_by_side
from everytree.refute.tied_ways import DIFFERS, MAY_DIFFER, SAME, UNSURE
from everytree.refute.under_way import UnderWay
from everytree.refute.usual_nodes import Task, UsualNodes

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from everytree.prove.problem import Problem
    from everytree.refute.judge import Judge
    from everytree.refute.trial import Trial

MOST_CHANGES = 8
"""With larger budgets the changes of any node are too many."""

SIZES = (32, 256, 1024, 4096)
"""Rows of nodes that are looked at before larger ones, for everybody."""

FIRST, LONGER, MOST_CASES = 32, 4, 100_000
"""Changes of a node that are tried first, how many times as many then, and at most, times people, before
others have their turn."""

TOGETHER = 512
"""People for whom changes are tried at once."""

ONCE_MORE = 8
"""How many changes that turn somebody in a node are followed from further up until one is not in vain."""

TRIALS_A_PERSON = 40
"""Tables on which the user's tree is retrained for the sake of one person because of ties."""

LEARNING, DEAR_LEARNING = (8.0, 1.0, 0.25), (0.05, 0.02, 0.0)
"""How much longer learning may take than looking for changes, by doubt (`SURE`, `ALTERED`, `TIED`), while
there is both to do; and where a training takes long, so that looking decides more people."""

NODE_SECONDS, CELL_SECONDS, SCORE_SECONDS = 3e-4, 5e-9, 1e-8
"""About what a node costs, each row and column that is looked at, and each split that is compared, by two
threads."""


class _Step(NamedTuple):
    """A part of the search: about its seconds, the rows of the node, and doubts, people and tables found."""

    seconds: float
    size: int
    trials: tuple[tuple[int, int, Callable[[], Trial]], ...] = ()


class EveryTable:
    """Tries, in every node of the tree of T, all changes that may alter what happens there.

    Soundness
    ---------
    Let a table T' of B(T) give a person another label. Follow the person through the tree of T' as long as
    it takes splits that tie on T: all of these, with both sides, are nodes here. At the first node where it
    does not, the rows are those of the node with the changes of T' that lie in it, one of the lists that are
    tried, and `deviating` says so: the split taken is among those that may be best, or the learner stops.
    There, `fates_of` follows every tree of the changed node. Where all splits that may be best are
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
        self._sure: Counter[int] = Counter()
        self._found: list[tuple[int, int, int, int, Callable[[], Trial]]] = []
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
        """List the nodes and try their changes for everybody; gives about the seconds.

        Small nodes are looked at first: that is where one record matters most. Learning has most of the time,
        but not all of it, so that trees that take long to learn keep nobody from being proved. Whoever was
        expected to fall and did not is looked at again, by all changes. Who is left then may get another
        label by a tie.
        """
        self.changes = NodeChanges(self.problem, self.judge)
        self.part_trees = PartTrees(self.judge, self.changes)
        self.nodes = UsualNodes(self.problem, self.judge, self.changes.few.most, self.blocked)
        tasks: dict[int, list[Task]] = defaultdict(list)
        phases = self._list_nodes(tasks), self._for_all(tasks)
        yield from self._take_turns(chain.from_iterable(map(side_by_side, phases)))
        for p in np.flatnonzero(self.people & self.judge.open).tolist():
            again = self._for_some(np.array([p], np.int32), tasks, 0, len(self.problem.table.y), by_all=True)
            yield from self._take_turns(side_by_side(again))
            if self.judge.open[p]:
                self._finish(p)

    def _take_turns(self, steps: Iterator[_Step]) -> Iterator[float]:
        """Look for changes and learn from what is found, the surest and the smallest nodes first."""
        found, number = self._found, count()
        ratios = DEAR_LEARNING if self.part_trees.worthwhile else LEARNING
        looking = learning = 0.0
        searching = True
        while searching or found:
            if found and (learning <= ratios[found[0][0]] * looking or not searching):
                doubt, _, _, p, table = heappop(found)
                self._sure[p] -= doubt == SURE
                seconds = self._learn(p, table())
                learning += seconds
                yield seconds
                continue
            step = next(steps, None)
            searching = step is not None
            if step is not None:
                for doubt, p, table in step.trials:
                    self._trials[p] += 1
                    if doubt == TIED and self._trials[p] > TRIALS_A_PERSON:
                        self.blocked[p] = True
                        continue
                    self._sure[p] += doubt == SURE
                    heappush(found, (doubt, step.size, next(number), p, table))
                looking += step.seconds
                yield step.seconds
        self.under_way.settle()

    def _unexpected(self, those: list[int]) -> list[int]:
        """People who are not about to fall: no table that should do was found and is not read yet."""
        waiting = self.under_way.people()
        return [p for p in those if not self._sure[p] and p not in waiting]

    def _may_finish(self, p: int, tasks: dict[int, list[Task]]) -> None:
        """Prove somebody whom no change touches, where all nodes were listed and looked at."""
        if self.judge.open[p] and not (self.nodes.unlisted[p] or tasks[p] or self.doubtful[p]):
            self._finish(p)

    def _finish(self, p: int) -> None:
        """Everything was tried for somebody: proved, unless a table was found that may give another label."""
        self.finished[p] = not self.blocked[p]
        if self.finished[p] and not self.doubtful[p]:
            self.judge.prove(np.arange(len(self.people)) == p, TABLES)

    def _learn(self, p: int, trial: Trial) -> float:
        """Retrain on a table from which somebody may get another label; gives about the seconds."""
        before = self.judge.retrained + len(self.under_way)
        if self.judge.open[p]:
            self.blocked[p] |= not self.under_way.put(trial, np.array([p], np.int32))
        trees = self.judge.retrained + len(self.under_way) - before
        return self.judge.training_seconds * trees / self.under_way.at_once

    def _for_all(self, tasks: dict[int, list[Task]]) -> Iterator[Iterator[_Step | Future[Any]]]:
        """Give the searches for everybody, one a node, in the order in which they are begun.

        Small nodes come first, for everybody; in them, those who have the least to look at. Where ties lead
        people several ways, their own one comes before others: on these the tables that are found seldom turn
        them. What is left in ``tasks`` are the nodes that were not looked at to the end for a person.
        """
        people = np.flatnonzero(self.people & self.judge.open)
        sizes = list(pairwise((0, *SIZES, max(SIZES[-1], len(self.problem.table.y)))))
        for own in (True, False):
            if not own:
                yield from self._list_nodes(tasks, own=False)
            for p in people.tolist():
                self._may_finish(p, tasks)
            to_do = {p: sum(len(task.node.rows) ** 2 for task in tasks[p]) for p in people.tolist()}
            ordered = np.array(sorted(to_do, key=to_do.__getitem__), np.int32)
            for more_than, most in sizes:
                left = ordered[self.judge.open[ordered]]
                for begin in range(0, len(left), TOGETHER):
                    yield from self._for_some(left[begin : begin + TOGETHER], tasks, more_than, most, own=own)

    def _list_nodes(
        self, tasks: dict[int, list[Task]], *, own: bool = True
    ) -> Iterator[Iterator[_Step | Future[Any]]]:
        """List nodes; gives a search for each small one, as soon as those below it are listed.

        There one change is often enough, and threads have something to do while the next nodes are listed.
        """
        few = int(SIZES[-1] ** (1 / self.changes.few.most))
        for seconds, task in self.nodes.fill(tasks, own=own):
            steps: Iterator[_Step | Future[Any]] = iter([_Step(seconds, 0)])  # others have their turn, too
            if own and task is not None and len(task.node.rows) <= few:
                steps = chain(steps, self._look_in(task, task.people[task.own].tolist(), tasks, False))
            yield steps

    def _for_some(
        self,
        some: NDArray[np.int32],
        tasks: dict[int, list[Task]],
        more_than: int,
        most: int,
        *,
        own: bool | None = None,
        by_all: bool = False,
    ) -> Iterator[Iterator[_Step | Future[Any]]]:
        """Give searches for some people, in nodes with so many rows, the smallest first.

        They are on their ``own`` way, on others, or on both. Whoever is about to fall is passed over, and
        keeps the nodes that were not looked at, unless everybody is looked at ``by_all`` changes.
        """
        theirs: dict[Task, list[int]] = defaultdict(list)
        for p in some[self.judge.open[some]].tolist():
            for task in tasks[p]:
                on_own_way = own is None or own == (p in task.people[task.own])
                if more_than < len(task.node.rows) <= most and on_own_way:
                    theirs[task].append(p)
        for task in sorted(theirs, key=lambda task: len(task.node.rows)):
            yield self._look_in(task, theirs[task], tasks, by_all)

    def _look_in(
        self, task: Task, those: list[int], tasks: dict[int, list[Task]], by_all: bool
    ) -> Iterator[_Step | Future[Any]]:
        """Try the changes of one node for those who may still be decided by them."""
        some = those if by_all else self._unexpected(those)
        people = np.array([p for p in some if self.judge.open[p]], np.int32)
        ended = np.ones(len(people), np.bool_)
        if len(people):
            yield from self._look_at(task, people, ended, by_all)
        for p in people[ended].tolist():
            tasks[p].remove(task)
            if not by_all:
                self._may_finish(p, tasks)

    def _look_at(
        self, task: Task, people: NDArray[np.int32], ended: NDArray[np.bool_], by_all: bool
    ) -> Iterator[_Step | Future[Any]]:
        """Try the changes of one node for some who come there, and note for whom not all were tried.

        A few come first: whom one of them surely turns is not looked at any longer.
        """
        judge = self.judge
        ready = self.changes.ready(task)
        if ready is None:
            self.blocked[people] = True
            return
        waiting, length = np.empty((0, self.changes.few.most, 2), np.int32), FIRST
        longest = max(FIRST, MOST_CASES // len(people))
        for k in count():
            part = yield from self.changes.part(task, ready, k)
            if part is not None:
                yield _Step(NODE_SECONDS + SCORE_SECONDS * part.compared, len(task.node.rows))
                waiting = np.concatenate([waiting, part.changes])
            while len(waiting) >= (length if part is not None else 1):
                asked = np.flatnonzero(ended & judge.open[people])
                if len(asked) == 0:
                    return
                listed, waiting = waiting[:length], waiting[length:]
                fates, cells = yield from self.changes.follow(task, ready.spot, listed, people[asked])
                self.blocked[people[asked]] |= (fates == UNSURE).any(axis=1)
                self.doubtful[people[asked]] |= (fates != SAME).any(axis=1)
                step, found = yield from self._judged(task, listed, people[asked], fates)
                if not by_all:
                    ended[asked[found]] = False
                yield step._replace(seconds=step.seconds + CELL_SECONDS * cells)
                length = min(LONGER * length, longest)
            if part is None:
                return

    def _judged(
        self,
        task: Task,
        changes: NDArray[np.int32],
        people: NDArray[np.int32],
        fates: NDArray[np.int8],
    ) -> Search[tuple[_Step, NDArray[np.bool_]]]:
        """The tables that may give people another label, and for whom there is one that surely does."""
        found, trials = np.zeros(len(people), np.bool_), []
        differ = np.flatnonzero((fates == DIFFERS).any(axis=0))
        highest = np.zeros(len(changes), np.int64)
        highest[differ], compared = yield from self.changes.highest(task, changes[differ])
        seconds = SCORE_SECONDS * compared
        for i in np.flatnonzero((fates != SAME).any(axis=1)).tolist():
            p, those = int(people[i]), np.flatnonzero(fates[i] == DIFFERS)
            for c in those[np.argsort(highest[those] > 0, kind="stable")][:ONCE_MORE].tolist():
                if not self.judge.open[p]:
                    break
                doubt, cells = yield from self.changes.doubt(task, changes[c], int(highest[c]), p)
                seconds += CELL_SECONDS * cells
                if doubt == IN_VAIN:
                    continue
                table, settled = partial(self.changes.trial, task.node, changes[c]), False
                if doubt == SURE:
                    altered = self.changes.altered(task, changes[c], int(highest[c]))
                    settled = yield from self.part_trees.turns(altered, table(), p)
                    found[i] = True
                if not settled:
                    trials.append((doubt, p, table))
                if doubt == SURE:
                    break
            if self.judge.open[p] and not found[i]:
                tied = np.flatnonzero(fates[i] == MAY_DIFFER)[: TRIALS_A_PERSON + 1].tolist()
                trials += [(TIED, p, partial(self.changes.trial, task.node, changes[c])) for c in tied]
        return _Step(seconds, len(task.node.rows), tuple(trials)), found
