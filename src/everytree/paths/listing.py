"""Paths: the ways in which a person who is not proved yet could get another label.

A path is a split and a side at each level and a label at its end. The relational domain lists them; the
programs then ask of each one whether some table of B(T) really takes it.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import count
from typing import TYPE_CHECKING

import numpy as np

from everytree.learner.criterion.front import AT
from everytree.prove import routing
from everytree.prove.counts import node_total
from everytree.prove.engines import RelationalEngine
from everytree.prove.node import Cut, Node, Nodes

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from everytree.prove.engines import Ranking
    from everytree.prove.problem import Problem

MOST_STEPS = 200
"""Paths with more steps are left out of the list, which is not complete then."""

MOST_WAITING = 200_000
"""Nodes on the way that are kept at a time; where more would have to wait, some people stay undecided."""

NODE_SECONDS, SPLIT_SECONDS, CHILD_SECONDS = 5e-4, 1e-6, 2e-4
"""About what it costs to open a node, each of its candidate splits, and to follow one of them."""

PATH_BYTES = 4000
"""Memory that a path takes with the splits and rivals that programs note for it."""


@dataclass(frozen=True, eq=False)
class Step:
    """One level of a path: the node's rows, the split that must be best there, and the side that is taken.

    A step without a split (``feature`` is -1) ends the path at a node that stays whole.
    """

    rows: NDArray[np.int32]
    feature: int
    low: int
    high: int
    side: int
    rivals: tuple[tuple[int, int], ...]


@dataclass(frozen=True, eq=False)
class Path:
    """Steps from the root, the label at the end, and the people who would get it and expect another one.

    ``effort`` estimates the share of the budget that the path needs; the most plausible paths have the least.
    """

    steps: tuple[Step, ...]
    label: int
    people: NDArray[np.int32]
    effort: float

    @property
    def family(self) -> tuple[object, ...]:
        """Columns, sides and label: paths that differ only in where they cut."""
        return (*((step.feature, step.side) for step in self.steps), self.label)


@dataclass(frozen=True, eq=False)
class _Stop:
    """A node on the way: what came before it, and who may come here."""

    steps: tuple[Step, ...]
    node: Node
    people: NDArray[np.int32]
    effort: float


@dataclass(eq=False)
class _Fan:
    """The children of a stop, least effort first; `position` is the next one."""

    stop: _Stop
    ranking: Ranking
    cuts: routing.Cuts
    rivals: tuple[tuple[int, int], ...]
    chosen: NDArray[np.int64]
    possible: NDArray[np.bool_]
    effort: NDArray[np.float64]
    order: NDArray[np.int64]
    position: int = 0


class Listing:
    """Every path by which somebody may get another label, one at a time, the least effort first.

    Nodes are opened when their turn comes, so the first path is there before the second is looked for.
    ``outstanding[p]`` counts the paths of person p that were given out and the nodes that may still lead to
    more. `settle` takes a path off; at 0 nothing is left by which the person could get another label.
    """

    def __init__(
        self,
        problem: Problem,
        X: NDArray[np.float32],
        predictions: NDArray[np.int64],
        wanted: NDArray[np.bool_],
        memory: float = np.inf,
    ) -> None:
        self.problem = problem
        self.X = np.ascontiguousarray(X.T)
        self.predictions = predictions
        self.wanted = wanted
        self.nodes = Nodes(problem)
        self.engine = RelationalEngine()
        self.outstanding = np.zeros(len(predictions), np.int64)
        self.too_many = False
        self.most_bytes, self.bytes = memory / 2, 0
        self._heap: list[tuple[float, int, _Stop | _Fan | Path]] = []
        self._order = count()
        everyone = np.flatnonzero(wanted).astype(np.int32)
        self._push(0.0, _Stop((), self.nodes.root(), everyone, 0.0), everyone)

    def settle(self, path: Path) -> None:
        """Take note that no table takes a path."""
        self.outstanding[path.people] -= 1

    def paths(self) -> Iterator[Path | float]:
        """Give path after path; in between the seconds that the search took, about."""
        while self._heap:
            item = heapq.heappop(self._heap)[2]
            if not isinstance(item, Path):
                self.bytes -= _size(item)
            if isinstance(item, Path):
                yield item
            elif isinstance(item, _Fan):
                self._next_child(item)
                yield CHILD_SECONDS
            else:
                yield self._open(item)

    def _push(self, effort: float, item: _Stop | _Fan | Path, people: NDArray[np.int32]) -> None:
        self.bytes += _size(item)
        if len(self._heap) >= MOST_WAITING or self.bytes > self.most_bytes:
            # What is left out keeps its people outstanding for ever: they are not proved here.
            self.too_many = True
        else:
            heapq.heappush(self._heap, (effort, next(self._order), item))
        self.outstanding[people] += 1

    def _open(self, stop: _Stop) -> float:
        """Find what may be best in a node, and put its children in the order of their effort."""
        node = stop.node
        waiting = stop.people[self.wanted[stop.people]]
        if len(stop.steps) == MOST_STEPS:
            self.too_many = True
            return NODE_SECONDS
        if len(waiting) == 0 or node.depth == 0 or len(node.rows) == 0:
            if len(waiting):
                self._end_whole(stop)
            self.outstanding[stop.people] -= 1
            return NODE_SECONDS
        ground = self.nodes.ground(node)
        ranking = self.engine.rank(ground)
        if ranking.may_stop:
            self._end_whole(stop)
        rivals = tuple((cut.feature, cut.low) for cut in map(ground.cut, ranking.challengers))
        chosen, possible = self.engine.settle(ranking, leaves=node.depth == 1)
        exact = self.engine.exact_thresholds(node.budget)
        if node.depth == 1:
            harmful = self._harmful(
                routing.cut_splits(self.problem.columns, ground.splits, chosen, exact), possible, waiting
            )
            chosen, possible = chosen[harmful], possible[harmful]
        cuts = routing.cut_splits(self.problem.columns, ground.splits, chosen, exact)
        effort = np.maximum(stop.effort, _efforts(ranking, chosen))
        order = np.argsort(effort, kind="stable")
        self._go_on(_Fan(stop, ranking, cuts, rivals, chosen, possible, effort, order))
        self.outstanding[stop.people] -= 1
        return NODE_SECONDS + SPLIT_SECONDS * (len(node.rows) + 10 * len(ranking.chosen))

    def _harmful(
        self, cuts: routing.Cuts, possible: NDArray[np.bool_], people: NDArray[np.int32]
    ) -> NDArray[np.bool_]:
        """Which of the last splits can tell one of these people another label than the expected one."""
        n_labels = self.problem.bias.n_labels
        present = routing.who_goes_where(cuts, people, self.X, self.predictions, n_labels)
        others = present.sum(axis=2, keepdims=True) > present
        harmful: NDArray[np.bool_] = (possible & others).any(axis=(1, 2))
        return harmful

    def _go_on(self, fan: _Fan) -> None:
        """Let a fan wait for the turn of its next child."""
        if fan.position < len(fan.order):
            self._push(float(fan.effort[fan.order[fan.position]]), fan, fan.stop.people)

    def _next_child(self, fan: _Fan) -> None:
        """Follow one split of a fan to both sides."""
        stop, node = fan.stop, fan.stop.node
        c = int(fan.order[fan.position])
        fan.position += 1
        ground = fan.ranking.ground
        cut = ground.cut(fan.chosen[c])
        waiting = stop.people[self.wanted[stop.people]]
        for side in (0, 1):
            people = routing.people_of_side(fan.cuts, c, side, waiting, self.X)
            if len(people) == 0:
                continue
            step = _step(node, cut, side, fan.rivals)
            after = _Stop((*stop.steps, step), node, people, float(fan.effort[c]))
            if node.depth == 1:
                self._add(after, ground.counts(fan.chosen[c], side), np.flatnonzero(fan.possible[c, side]))
            else:
                self._push(after.effort, replace(after, node=self.nodes.child(node, cut, side)), people)
        if len(waiting):
            self._go_on(fan)
        self.outstanding[stop.people] -= 1

    def _end_whole(self, stop: _Stop) -> None:
        """End a path at a node that stays whole."""
        node = stop.node
        total = node_total(node.rows, self.problem.types)
        leaves = self.engine.leaf(total, self.problem, node.budget)
        step = Step(node.rows, -1, 0, 0, 0, ())
        self._add(replace(stop, steps=(*stop.steps, step)), total, np.flatnonzero(leaves.possible[0, 0]))

    def _add(self, end: _Stop, counts: NDArray[np.int64], labels: NDArray[np.int64]) -> None:
        steps, people, budget, effort = end.steps, end.people, end.node.budget, end.effort
        own = np.bincount(self.problem.types.label, weights=counts, minlength=self.problem.bias.n_labels)
        own *= self.problem.criterion.weights[AT]
        reach = max(1.0, 2.0 * budget.flips + budget.removals + budget.additions)
        for j in labels:
            expecting = people[self.predictions[people] != j]
            if len(expecting):
                needed = float(own.max() - own[j]) / reach
                path = Path(steps, int(j), expecting, max(effort, needed))
                self._push(path.effort, path, expecting)


def _size(item: _Stop | _Fan | Path) -> int:
    """About the bytes that something takes while it waits; a path is kept with its rivals until the end."""
    if isinstance(item, Path):
        return PATH_BYTES + item.people.nbytes
    stop = item.stop if isinstance(item, _Fan) else item
    splits = 100 * len(item.order) if isinstance(item, _Fan) else 0
    return stop.node.rows.nbytes + stop.people.nbytes + 8 * len(stop.steps) + 600 + splits


def _step(node: Node, cut: Cut, side: int, rivals: tuple[tuple[int, int], ...]) -> Step:
    others = tuple(rival for rival in rivals if rival != (cut.feature, cut.low))
    return Step(node.rows, *cut, side, others)


def _efforts(ranking: Ranking, chosen: NDArray[np.int64]) -> NDArray[np.float64]:
    """Share of the budget that each split needs to draw level with the best one, by the loose bound."""
    if len(ranking.challengers) == 0:
        return np.zeros(len(chosen))
    deficit = ranking.score[ranking.challengers[0]] - ranking.score[chosen]
    gain = np.maximum(ranking.margin[chosen] + deficit, 1e-12)
    return np.asarray(np.maximum(deficit, 0.0) / gain)
