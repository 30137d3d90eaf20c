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
from itertools import count, pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from everytree.learner.availability import NOWHERE
from everytree.learner.criterion.front import WEIGHTED, for_kernels
from everytree.refute.change import Change
from everytree.refute.deviating import deviating
from everytree.refute.few_changes import REMOVED, FewChanges, place_among_equals
from everytree.refute.judge import AT_ONCE, TABLES
from everytree.refute.tied_ways import (
    CHANGE,
    DIFFERS,
    FATE,
    MAY_DIFFER,
    SAME,
    UNSURE,
    Group,
    Spot,
    differing,
    room_for,
    spot_of,
)
from everytree.refute.trial import Trial
from everytree.refute.usual_nodes import Task, UsualNodes

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from everytree.prove.node import Node
    from everytree.prove.problem import Problem
    from everytree.refute.judge import Judge
    from everytree.refute.tied_ways import Room

MOST_CHANGES = 8
"""With larger budgets the changes of any node are too many."""

MOST_READY = 32
"""Nodes that are kept ready for the next person."""

SIZES = (32, 512, 4096)
"""Rows of nodes that are looked at before larger ones, for everybody."""

PART = 512
"""Changes that are tried before others have their turn."""

TOGETHER = 64
"""People for whom changes are tried at once."""

TRIALS_A_PERSON = 40
"""Tables on which the user's tree is retrained for the sake of one person."""

SURE, ALTERED, TIED = 0, 1, 2
"""Doubts about a table that was found: none, it gives a node further up another split as well, or only a tie
gives the person another label."""

LEARNING = (8.0, 1.0, 1.0)
"""How much longer learning may take than looking for changes, by doubt, while there is both to do."""

NODE_SECONDS, CELL_SECONDS, TABLE_SECONDS = 3e-4, 1e-8, 1e-7
"""About what a node costs, each row and column that is looked at, and each change times split."""


@dataclass(eq=False)
class _Ready:
    """A node prepared for its changes: ``parts`` lists those that matter, as far as they were looked for.

    First in each part are changes that leave the nodes above as they are, one for each split that they bring
    about before others for the same; the number of those that leave them is given beside it.
    """

    spot: Spot
    changes: Iterator[NDArray[np.int32]]
    parts: list[tuple[NDArray[np.int32], int]] = field(default_factory=list)


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
        self._ready = lru_cache(MOST_READY)(self._make_ready)
        self._trials: Counter[int] = Counter()
        codes = np.ascontiguousarray(problem.columns.codes)
        self.everywhere = Spot(codes, np.zeros((0, 0), np.int32), problem.table.y)

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
        self.changes = FewChanges(self.problem)
        tasks: dict[int, list[Task]] = defaultdict(list)
        yield from UsualNodes(self.problem, self.judge, self.changes.most, self.blocked).fill(tasks)
        yield from self._take_turns(self._look_for_all(tasks))
        for p in np.flatnonzero(self.people & self.judge.open).tolist():
            yield from self._take_turns(self._search(p, tasks[p]))
            if self.judge.open[p]:
                self._finish(p)

    def _take_turns(self, steps: Iterator[_Step]) -> Iterator[float]:
        """Look for changes and learn from what is found, the surest and the smallest nodes first."""
        found: list[tuple[int, int, int, int, Trial]] = []
        number = count()
        looking = learning = 0.0
        searching = True
        while searching or found:
            if found and (learning <= LEARNING[found[0][0]] * looking or not searching):
                seconds = self._learn([heappop(found)[-2:] for _ in range(min(AT_ONCE, len(found)))])
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

    def _finish(self, p: int) -> None:
        """Everything was tried for somebody: proved, unless a table was found that may give another label."""
        self.finished[p] = not self.blocked[p]
        if self.finished[p] and self._trials[p] == 0:
            self.judge.prove(np.arange(len(self.people)) == p, TABLES)

    def _learn(self, found: list[tuple[int, Trial]]) -> float:
        """Retrain on tables from which people may get another label; gives about the seconds."""
        before = self.judge.retrained
        cases = []
        for p, trial in found:
            self._trials[p] += 1
            self.blocked[p] |= self._trials[p] > TRIALS_A_PERSON
            if self.judge.open[p] and not self.blocked[p]:
                cases.append((trial, np.array([p], np.int32)))
        self.judge.consider_all(cases)
        return self.judge.training_seconds * (self.judge.retrained - before) / max(1, len(cases))

    def _look_for_all(self, tasks: dict[int, list[Task]]) -> Iterator[_Step]:
        """Try the changes of nodes for many people at once; prove whom none of them touches.

        Small nodes come first, for everybody; in them, those who have the least to look at. What is left in
        ``tasks`` are the nodes where something was found that did not refute a person.
        """
        people = np.flatnonzero(self.people).tolist()
        to_do = {p: sum(len(task.node.rows) ** 2 for task in tasks[p]) for p in people}
        ordered = np.array(sorted(people, key=to_do.__getitem__), np.int32)
        batches = [ordered[begin : begin + TOGETHER] for begin in range(0, len(ordered), TOGETHER)]
        for more_than, most in pairwise((0, *SIZES, max(SIZES[-1], len(self.problem.table.y)))):
            for some in batches:
                yield from self._look_for(some, tasks, more_than, most)
                for p in some.tolist():
                    if self.judge.open[p] and not tasks[p]:
                        self._finish(p)

    def _look_for(
        self, some: NDArray[np.int32], tasks: dict[int, list[Task]], more_than: int, most: int
    ) -> Iterator[_Step]:
        """Try the changes of nodes with so many rows, for some people, the smallest first."""
        theirs = {id(task): task for p in some.tolist() for task in tasks[p] if self.judge.open[p]}
        fit = [task for task in theirs.values() if more_than < len(task.node.rows) <= most]
        for task in sorted(fit, key=lambda task: len(task.node.rows)):
            people = some[np.isin(some, task.people)]
            touched = np.zeros(len(people), np.bool_)
            yield from self._look_at(task, people, touched)
            for p in people[~touched].tolist():
                tasks[p].remove(task)

    def _look_at(self, task: Task, people: NDArray[np.int32], touched: NDArray[np.bool_]) -> Iterator[_Step]:
        """Try the changes of one node for some who come there, and note who is touched by one."""
        judge, rows = self.judge, len(task.node.rows)
        ready = self._ready(task)
        if ready is None:
            self.blocked[people] = touched[:] = True
            return
        group = Group(judge.shown[people], judge.predictions[people])
        room = room_for(ready.spot, self.problem.bias.n_labels, len(people))
        for part, clear in self._parts(task, ready):
            yield _Step(NODE_SECONDS + TABLE_SECONDS * len(part) * len(task.usual), rows)
            for begin in range(0, len(part), PART):
                listed, asked = part[begin : begin + PART], judge.open[people] & ~touched
                if not asked.any():
                    return
                found, cells = self._follow(task, ready.spot, listed, group, asked, room)
                touched |= found[:, FATE] != SAME
                self.blocked[people] |= found[:, FATE] == UNSURE
                sure = np.flatnonzero(found[:, FATE] == DIFFERS).tolist()
                yield _Step(
                    CELL_SECONDS * cells,
                    rows,
                    tuple(
                        (
                            SURE if begin + change < clear else ALTERED,
                            int(people[i]),
                            self._trial(task.node, listed[change]),
                        )
                        for i, change in zip(sure, found[sure, CHANGE].tolist(), strict=True)
                    ),
                )

    def _search(self, p: int, tasks: list[Task]) -> Iterator[_Step]:
        """Look for changes that may give one person another label, one after the other, small nodes first."""
        judge = self.judge
        group = Group(judge.shown[[p]], judge.predictions[[p]])
        asked = np.ones(1, np.bool_)
        for task in sorted(tasks, key=lambda task: len(task.node.rows)):
            rows, ready = len(task.node.rows), self._ready(task)
            if ready is None:
                self.blocked[p] = True
                continue
            room = room_for(ready.spot, self.problem.bias.n_labels, 1)
            for part, clear in self._parts(task, ready):
                yield _Step(NODE_SECONDS + TABLE_SECONDS * len(part) * len(task.usual), rows)
                for c, change in enumerate(part):
                    if not judge.open[p]:
                        return
                    fates, cells = self._follow(task, ready.spot, change[None], group, asked, room)
                    fate = fates[0, FATE]
                    self.blocked[p] |= fate == UNSURE
                    doubt = TIED if fate == MAY_DIFFER else SURE if c < clear else ALTERED
                    found = fate in (DIFFERS, MAY_DIFFER)
                    trials = ((doubt, p, self._trial(task.node, change)),) if found else ()
                    yield _Step(CELL_SECONDS * cells, rows, trials)

    def _follow(
        self,
        task: Task,
        spot: Spot,
        changes: NDArray[np.int32],
        group: Group,
        asked: NDArray[np.bool_],
        room: Room,
    ) -> tuple[NDArray[np.int64], int]:
        criterion, columns = for_kernels(self.problem.criterion), self.problem.columns
        found, cells = differing(criterion, columns, spot, changes, group, asked, task.node.depth, room)
        return found, cells

    def _parts(self, task: Task, ready: _Ready) -> Iterator[tuple[NDArray[np.int32], int]]:
        """The changes of a node that matter, in parts; they are looked for once."""
        for k in count():
            if k == len(ready.parts):
                part = next(ready.changes, None)
                if part is None:
                    return
                ready.parts.append(self._that_matter(task, ready.spot, part))
            yield ready.parts[k]

    def _make_ready(self, task: Task) -> _Ready | None:
        """Prepare a node for its changes; None if they are too many."""
        changes = self.changes.of(task.node.rows)
        if changes is None:
            return None
        return _Ready(spot_of(self.problem.columns, self.problem.table.y, task.node.rows), changes)

    def _that_matter(
        self, task: Task, spot: Spot, changes: NDArray[np.int32]
    ) -> tuple[NDArray[np.int32], int]:
        """Changes that may give the node another split than usual; so many leave those above alone."""
        other = self._other_split(task, spot, changes)
        changes, other = changes[other >= 0], other[other >= 0]
        everywhere = changes.copy()
        everywhere[:, :, 0] = np.where(changes[:, :, 0] < 0, -1, task.node.rows[changes[:, :, 0]])
        altered, above = np.zeros(len(changes), np.bool_), task.above
        while above is not None:
            altered |= self._other_split(above, self.everywhere, everywhere) >= 0
            above = above.above
        return changes[np.lexsort((place_among_equals(other), altered))], int((~altered).sum())

    def _other_split(self, task: Task, spot: Spot, changes: NDArray[np.int32]) -> NDArray[np.int64]:
        """Which split, other than its usual ones, each change may give the node; -1 for none."""
        if task.splits is None:
            return np.zeros(len(changes), np.int64)
        criterion = for_kernels(self.problem.criterion)
        found: NDArray[np.int64] = deviating(criterion, spot, task.splits, task.total, task.usual, changes)
        return found

    def _trial(self, node: Node, change: NDArray[np.int32]) -> Trial:
        rows = [(int(node.rows[r]), int(label)) for r, label in change if r >= 0]
        flipped = {row: label for row, label in rows if label != REMOVED}
        removed = tuple(sorted(row for row, label in rows if label == REMOVED))
        return Trial(Change(flipped, removed), self.problem.table.X[:0])
