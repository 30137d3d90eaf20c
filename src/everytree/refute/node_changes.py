"""The changes of a node that matter, what they do to the nodes above, and who then gets another label.

Below `every_table.py`, which asks for them node by node; `deviating.py` and `tied_ways.py` do the work.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache, lru_cache, partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from everytree.learner.criterion.front import for_kernels, largest_step, lookup
from everytree.refute.change import Change
from everytree.refute.deviating import deviating
from everytree.refute.deviating_flips import deviating_by_flips
from everytree.refute.few_changes import REMOVED, FewChanges, place_among_equals
from everytree.refute.known_nodes import no_known_nodes
from everytree.refute.nodes_above import highest_altered, highest_by_flips, nodes_above
from everytree.refute.side_by_side import HERE, Search, Threads
from everytree.refute.tied_ways import (
    DIFFERS,
    MAY_DIFFER,
    SAME,
    UNSURE,
    Group,
    Spot,
    fates_of,
    layout_of,
    room_for,
    spot_of,
)
from everytree.refute.trial import Trial

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from everytree.prove.node import Node
    from everytree.prove.problem import Problem
    from everytree.refute.judge import Judge
    from everytree.refute.usual_nodes import Task

MOST_READY = 32
"""Nodes that are kept ready for the next person."""

SURE, ALTERED, TIED, IN_VAIN = 0, 1, 2, 3
"""Doubts about a table that was found: none; it gives a node further up another split, and more is not known;
only a tie gives the person another label; or, with that other split, no tree does."""

_DOUBTS = {DIFFERS: SURE, UNSURE: ALTERED, MAY_DIFFER: TIED, SAME: IN_VAIN}


class Part(NamedTuple):
    """Some changes of a node that matter, and how many splits were scored to find them.

    For each split that they bring about, one comes before others for the same.
    """

    changes: NDArray[np.int32]
    compared: int


class Altered(NamedTuple):
    """A node that takes another split after a change, its rows, and the change of them."""

    task: Task
    spot: Spot
    change: NDArray[np.int32]


@dataclass(eq=False)
class Ready:
    """A node prepared for its changes: ``parts`` lists those that matter, as far as they were looked for."""

    spot: Spot
    changes: Iterator[NDArray[np.int32]]
    parts: list[Part] = field(default_factory=list)


class NodeChanges:
    """Lists, node by node, the changes that may give it another split, and follows people after them."""

    def __init__(self, problem: Problem, judge: Judge) -> None:
        self.problem, self.judge, self.few = problem, judge, FewChanges(problem)
        self.ready = lru_cache(MOST_READY)(self._make_ready)
        self._spot = lru_cache(MOST_READY)(self._make_spot)
        self._layout = layout_of(problem.columns)
        codes, nowhere = np.ascontiguousarray(problem.columns.codes), np.zeros(0, np.int64)
        self._everywhere = Spot(
            codes, np.zeros((0, 0), np.int32), nowhere, nowhere, problem.table.y, self._layout.key
        )
        self._numbers = lookup(problem.criterion, len(problem.table.y))
        self._step = cache(partial(largest_step, problem.criterion))
        self._criterion = for_kernels(problem.criterion)
        self._by_flips = self._criterion is None and not problem.bias.removals  # Gini
        self._above = lru_cache(MOST_READY)(lambda task: nodes_above(task, self._step))
        self.threads, self._known = Threads(), [no_known_nodes() for _ in range(HERE + 1)]

    def _make_ready(self, task: Task) -> Ready | None:
        """Prepare a node for its changes; None if they are too many."""
        changes = self.few.of(task.node.rows)
        return None if changes is None else Ready(self._make_spot(task), changes)

    def _make_spot(self, task: Task) -> Spot:
        return spot_of(self.problem.columns, self._layout, self.problem.table.y, task.node.rows)

    def part(self, task: Task, ready: Ready, k: int) -> Search[Part | None]:
        """The k-th part of the changes of a node that matter, None behind the last; looked for once."""
        if k == len(ready.parts):
            part = next(ready.changes, None)
            if part is None:
                return None
            ready.parts.append((yield from self._that_matter(task, ready.spot, part)))
        return ready.parts[k]

    def follow(
        self, task: Task, spot: Spot, changes: NDArray[np.int32], people: NDArray[np.int32]
    ) -> Search[tuple[NDArray[np.int8], int]]:
        """What becomes of people after each change, and the cells that were looked at."""
        columns, judge, n_labels = self.problem.columns, self.judge, self.problem.bias.n_labels
        step = self._step(len(spot.label))
        group = Group(judge.shown[people], judge.predictions[people])

        def look(some: slice, where: int) -> tuple[NDArray[np.int8], int]:
            listed, depth = changes[some], task.node.depth
            known = self._known[where]
            room = room_for(self._numbers, spot, n_labels, len(listed), len(people), known)
            fates, work = fates_of(self._criterion, columns, spot, step, listed, group, depth, room)
            return fates, work

        halves = yield from self.threads.look(look, len(changes), len(changes) * spot.code.size)
        return np.hstack([fates for fates, _ in halves]), sum(work for _, work in halves)

    def altered(self, task: Task, change: NDArray[np.int32], highest: int) -> Altered:
        """The highest node that takes another split after a change, with the change as it is there."""
        above = task
        for _ in range(highest):
            assert above.above is not None
            above = above.above
        there = np.searchsorted(above.node.rows, task.node.rows[change[:, 0]])
        moved = np.column_stack([np.where(change[:, 0] < 0, -1, there), change[:, 1]]).astype(np.int32)
        return Altered(above, self._spot(above), moved)

    def fates(self, altered: Altered, people: NDArray[np.int32]) -> Search[tuple[NDArray[np.int8], int]]:
        """What becomes of people of the altered node after the change, and the cells that were looked at."""
        found, cells = yield from self.follow(altered.task, altered.spot, altered.change[None], people)
        return found[:, 0], cells

    def doubt(self, task: Task, change: NDArray[np.int32], highest: int, p: int) -> Search[tuple[int, int]]:
        """How doubtful it is that a change that turns a label in its node does so in the whole tree.

        Where a node further up takes another split after the change, the person is followed from the highest
        such node; gives the cells that were looked at, too. This finds witnesses and proves nothing: with
        further changes the node above may go on as usual, and ties may lead around it.
        """
        if highest == 0:
            return SURE, 0
        altered = self.altered(task, change, highest)
        found, cells = yield from self.fates(altered, np.array([p], np.int32))
        return _DOUBTS[int(found[0])], cells

    def _that_matter(self, task: Task, spot: Spot, changes: NDArray[np.int32]) -> Search[Part]:
        """Changes that may give the node another split than usual."""
        other, compared = yield from self._other_split(task, spot, changes)
        changes, other = changes[other >= 0], other[other >= 0]
        turn = place_among_equals(other, len(task.usual) + 1)
        return Part(changes[np.argsort(turn, kind="stable")], compared)

    def highest(self, task: Task, changes: NDArray[np.int32]) -> Search[tuple[NDArray[np.int64], int]]:
        """How far up the highest node is that takes another split after each change, 0 for none.

        Also gives how many splits were scored.
        """
        above = self._above(task) if len(changes) else None
        if above is None:
            return np.zeros(len(changes), np.int64), 0
        everywhere = changes.copy()
        everywhere[:, :, 0] = np.where(changes[:, :, 0] < 0, -1, task.node.rows[changes[:, :, 0]])

        def look(some: slice, where: int) -> tuple[NDArray[np.int64], int]:
            if self._by_flips:
                highest, work = highest_by_flips(self._everywhere, above, everywhere[some])
            else:
                what = self._everywhere, above, self._numbers, everywhere[some]
                highest, work = highest_altered(self._criterion, *what)
            return highest, work

        halves = yield from self.threads.look(look, len(changes), len(changes) * len(above.usual))
        return np.concatenate([highest for highest, _ in halves]), sum(work for _, work in halves)

    def _other_split(
        self, task: Task, spot: Spot, changes: NDArray[np.int32]
    ) -> Search[tuple[NDArray[np.int64], int]]:
        """Which split, other than its usual ones, each change may give the node, -1: none; splits scored."""
        if task.splits is None:
            return np.zeros(len(changes), np.int64), 0
        step, what = self._step(len(task.node.rows)), (task.splits, task.total, task.usual)

        def look(some: slice, where: int) -> tuple[NDArray[np.int64], int]:
            if self._by_flips:
                found, work = deviating_by_flips(spot, *what, changes[some])
            else:
                found, work = deviating(self._criterion, spot, *what, step, self._numbers, changes[some])
            return found, work

        halves = yield from self.threads.look(look, len(changes), len(changes) * len(task.usual))
        return np.concatenate([found for found, _ in halves]), sum(work for _, work in halves)

    def trial(self, node: Node, change: NDArray[np.int32]) -> Trial:
        """The table with one change of a node."""
        rows = [(int(node.rows[r]), int(label)) for r, label in change if r >= 0]
        flipped = {row: label for row, label in rows if label != REMOVED}
        removed = tuple(sorted(row for row, label in rows if label == REMOVED))
        return Trial(Change(flipped, removed), self.problem.table.X[:0])
