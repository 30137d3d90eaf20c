"""The nodes of all trees of T: splits that tie there are followed to both sides, with everybody.

Below `every_table.py`, which tries the changes of these nodes. A node that no change can alter is not listed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from everytree.learner.criterion.front import largest_step, stop_rows, tolerance, value
from everytree.prove import routing
from everytree.prove.counts import OWN
from everytree.prove.domains import relational
from everytree.prove.engines import RelationalEngine
from everytree.prove.node import Nodes

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from everytree.prove.node import Ground, Node
    from everytree.prove.problem import Problem
    from everytree.refute.judge import Judge

MOST_SPOTS = 100_000
"""Nodes that are kept at most."""

MANY_COMPARED = 100_000
"""Splits times changes from which on it is worth while to leave out splits by comparing them in pairs."""

NODE_SECONDS, CELL_SECONDS = 3e-4, 1e-8
"""About what a node costs, and each row and column that is looked at."""


ROOT, ELSEWHERE = 0, -1
"""Nodes of the user's own tree: the first, and none."""


@dataclass(eq=False)
class Task:
    """A node whose changes are to be tried: who comes there, labels, splits, and the next such node above.

    Where ties lead to a node in several ways, the one above is that of the first way. It is ``certain`` for
    some of the people that they come there, whichever of the splits that tie above is taken; others come
    there in the ``own`` tree of the user, by the splits that it took, or not even that.
    """

    node: Node
    people: NDArray[np.int32]
    total: NDArray[np.int64]
    splits: tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int64]] | None = None
    usual: NDArray[np.bool_] = field(default_factory=lambda: np.zeros(0, np.bool_))
    above: Task | None = None
    certain: NDArray[np.bool_] = field(default_factory=lambda: np.zeros(0, np.bool_))
    own: NDArray[np.bool_] = field(default_factory=lambda: np.zeros(0, np.bool_))


class _Way(NamedTuple):
    """A node that is to be listed: who comes there, the next task above, and the node of the own tree."""

    node: Node
    people: NDArray[np.int32]
    above: Task | None
    certain: NDArray[np.bool_]
    own: NDArray[np.bool_]
    at: int


class UsualNodes:
    """Lists the nodes to which people come by splits that tie on T."""

    def __init__(self, problem: Problem, judge: Judge, most_changes: int, blocked: NDArray[np.bool_]) -> None:
        self.problem, self.judge, self.most_changes, self.blocked = problem, judge, most_changes, blocked
        self.nodes, self.engine = Nodes(problem), RelationalEngine()
        self.X = np.ascontiguousarray(judge.shown.T)
        self.unlisted = np.zeros(len(judge.open), np.int64)
        self._served: dict[tuple[bytes, int], NDArray[np.bool_]] = {}
        # people without a value have a rule of their own
        certain = np.full(len(judge.open), len(problem.views.doubled) == 0)
        everybody = np.flatnonzero(judge.open).astype(np.int32)
        self._stack: list[_Way | Task] = [_Way(self.nodes.root(), everybody, None, certain, ~blocked, ROOT)]
        self._elsewhere: list[_Way | Task] = []
        self.unlisted[everybody] = 1

    def fill(self, tasks: dict[int, list[Task]], *, own: bool) -> Iterator[tuple[float, Task | None]]:
        """Follow the splits that tie on T, with everybody who is still open; at first in the user's own tree.

        Gives, node by node, about the seconds, and what is to be tried in nodes below which all were listed.
        How many ways of a person are left is kept in ``unlisted``.
        """
        stack = self._stack if own else self._elsewhere
        while stack:
            way = stack.pop()
            if isinstance(way, Task):
                yield 0.0, way
                continue
            self.unlisted[way.people] -= 1
            people = self._not_served(way.node, way.people)
            if len(people) == 0:
                continue
            if len(self._served) > MOST_SPOTS:
                self.blocked[people] = True
                continue
            task, children, n_usual = self._look(way.node, people)
            if task is not None:
                task.above, task.certain, task.own = way.above, way.certain[people], way.own[people]
                for p in people.tolist():
                    tasks[p].append(task)
                stack.append(task)
            surely = self._surely(children, n_usual) if n_usual > 1 else None
            for child, there in children:
                stays = way.certain if surely is None else way.certain & surely[child.rows.tobytes()]
                below = _Way(child, there, task or way.above, stays, *self._own_way(child, way.own, way.at))
                (self._elsewhere if below.at == ELSEWHERE else stack).append(below)
                self.unlisted[there] += 1
            yield NODE_SECONDS + CELL_SECONDS * len(way.node.rows) * len(self.X), None

    def _not_served(self, node: Node, people: NDArray[np.int32]) -> NDArray[np.int32]:
        """Open people of a node for whom it was not listed before."""
        key = node.rows.tobytes(), min(node.depth, len(node.rows))
        known = self._served.setdefault(key, np.zeros(len(self.judge.open), np.bool_))
        people = people[~known[people] & self.judge.open[people]]
        known[people] = True
        return people

    def _look(
        self, node: Node, people: NDArray[np.int32]
    ) -> tuple[Task | None, list[tuple[Node, NDArray[np.int32]]], int]:
        """Find the usual splits of a node and how many they are, and whether a change may give it others."""
        problem = self.problem
        total = np.bincount(problem.table.y[node.rows], minlength=problem.bias.n_labels)
        if node.depth == 0 or total.max() == len(node.rows):
            return self._leaf(node, people, total), [], 0
        ground = self.nodes.ground(node)
        score = relational.scores(ground.splits, ground.types, ground.criterion)
        if len(score) == 0:
            return self._leaf(node, people, total), [], 0
        chosen, may_stop = self._near(ground, score), self._may_stop(ground, score, total)
        if len(chosen) * len(node.rows) ** self.most_changes > MANY_COMPARED:
            ranking = self.engine.rank(ground)
            chosen, may_stop = self.engine.refine(ranking), ranking.may_stop
        usual = score[chosen] >= score.max() - tolerance(ground.criterion, len(node.rows))
        children = self._children(node, ground, chosen[usual], people)
        if usual.all() and not may_stop:
            return None, children, int(usual.sum())
        at, own = ground.splits, problem.types.measures[:, OWN]
        splits = at.feature[chosen], at.low[chosen], at.left[chosen].astype(np.int64) @ own
        return Task(node, people, total, splits, usual), children, int(usual.sum())

    def _near(self, ground: Ground, score: NDArray[np.float64]) -> NDArray[np.int64]:
        """Splits that may be the best after a change.

        Soundness
        ---------
        A change of a row moves the score of a split, and the best one, by `largest_step` at most. If removals
        empty a side of the best split, its score is that of the node, which every split reaches.
        """
        slack = 2 * tolerance(ground.criterion, len(ground.rows))
        return np.flatnonzero(score >= score.max() - self._reach(ground) - slack)

    def _may_stop(self, ground: Ground, score: NDArray[np.float64], total: NDArray[np.int64]) -> bool:
        """Whether a change may leave the node without a split, or with none that the learner takes.

        Soundness
        ---------
        A split with more rows on both sides than may be removed is left. Where rounding may refuse splits
        that gain nothing, a change of a row moves the value of the node by `largest_step` at most, as it
        does the best score. A node that becomes pure need not be looked at (see `EveryTable`).
        """
        n_rows, criterion = len(ground.rows), ground.criterion
        on_left = ground.splits.left.sum(axis=1)
        is_left = (np.minimum(on_left, n_rows - on_left) > ground.budget.removals).any()
        gain = score.max() - value(criterion, total)
        gains = n_rows < stop_rows(criterion) or gain > self._reach(ground) + 4 * tolerance(criterion, n_rows)
        return not (is_left and gains)

    def _reach(self, ground: Ground) -> float:
        """How far two scores can come closer by changes of the node."""
        return 2 * self.most_changes * largest_step(self.problem.criterion, len(ground.rows))

    def _surely(
        self, children: list[tuple[Node, NDArray[np.int32]]], n_usual: int
    ) -> dict[bytes, NDArray[np.bool_]]:
        """Whom every usual split of a node sends to the same rows, by these rows."""
        times: dict[bytes, NDArray[np.int64]] = {}
        for child, people in children:
            there = times.setdefault(child.rows.tobytes(), np.zeros(len(self.judge.open), np.int64))
            there[people] += 1
        return {rows: there == n_usual for rows, there in times.items()}

    def _own_way(self, child: Node, own: NDArray[np.bool_], at: int) -> tuple[NDArray[np.bool_], int]:
        """Who comes to a child in the user's own tree, of those who come to its node, and where it is there.

        This says where to look first, and proves nothing.
        """
        tree = self.judge.tree
        if tree is None:
            return own, at
        if at == ELSEWHERE or tree.children_left[at] < 0:
            return np.zeros_like(own), ELSEWHERE
        feature, threshold = tree.feature[at], tree.threshold[at]
        on_left = self.problem.table.X[child.rows, feature] <= threshold
        if on_left.any() != on_left.all():
            return np.zeros_like(own), ELSEWHERE
        to = int(tree.children_left[at] if on_left[0] else tree.children_right[at])
        if tree.n_node_samples[to] != len(child.rows):
            return np.zeros_like(own), ELSEWHERE
        return own & ((self.judge.X[:, feature] <= threshold) == on_left[0]), to

    def _leaf(self, node: Node, people: NDArray[np.int32], total: NDArray[np.int64]) -> Task | None:
        """A node that the learner does not split: nothing to try if no change can give it another label."""
        ordered = np.sort(total)
        pure = node.depth > 0 and ordered[-1] == len(node.rows)
        as_expected = (self.judge.predictions[people] == np.argmax(total)).all()
        far = ordered[-1] - ordered[-2] > 2 * self.most_changes
        return None if far and as_expected and not pure else Task(node, people, total)

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
