"""Paths: the ways in which a person who is not proved yet could get another label.

A path is a split and a side at each level and a label at its end. The relational domain lists them; the
programs then ask of each one whether some table of B(T) really takes it.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from everytree.prove import routing
from everytree.prove.counts import node_total
from everytree.prove.engines import RelationalEngine
from everytree.prove.node import Cut, Node, Nodes

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from everytree.prove.engines import Ranking
    from everytree.prove.problem import Problem
    from everytree.support.limits import Limits

MOST_STEPS = 200
"""Paths with more steps are left out of the list, which is not complete then."""

MOST_PATHS = 400_000
"""A walk that lists more paths than this is cut off: the programs could never look at them all."""

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


def list_paths(
    problem: Problem,
    X: NDArray[np.float32],
    predictions: NDArray[np.int64],
    people: NDArray[np.int32],
    limits: Limits,
) -> tuple[list[Path], bool]:
    """List every path by which one of `people` may get another label; False if the list is not complete."""
    lister = _Lister(problem, np.ascontiguousarray(X.T), predictions)
    stack = [_Stop((), lister.nodes.root(), people, 0.0)]
    while stack:
        too_many = len(lister.paths) > MOST_PATHS or lister.bytes > limits.memory / 2
        if too_many or time.monotonic() > limits.deadline:
            return lister.paths, False
        lister.visit(stack.pop(), stack)
    return lister.paths, lister.complete


class _Lister:
    """Collects the paths of one problem."""

    def __init__(self, problem: Problem, X: NDArray[np.float32], predictions: NDArray[np.int64]) -> None:
        self.problem = problem
        self.X = X
        self.predictions = predictions
        self.nodes = Nodes(problem)
        self.engine = RelationalEngine()
        self.paths: list[Path] = []
        self.bytes = 0
        self.complete = True

    def visit(self, stop: _Stop, stack: list[_Stop]) -> None:
        node = stop.node
        if node.depth == 0 or len(node.rows) == 0:
            self._end_whole(stop)
            return
        if len(stop.steps) == MOST_STEPS:
            self.complete = False
            return
        ground = self.nodes.ground(node)
        ranking = self.engine.rank(ground)
        if ranking.may_stop:
            self._end_whole(stop)
        rivals = tuple((cut.feature, cut.low) for cut in map(ground.cut, ranking.challengers))
        chosen, possible = self.engine.settle(ranking, leaves=node.depth == 1)
        exact = self.engine.exact_thresholds(node.budget)
        cuts = routing.cut_splits(self.problem.columns, ground.splits, chosen, exact)
        effort = np.maximum(stop.effort, _efforts(ranking, chosen))
        order = np.argsort(-effort, kind="stable")
        for c in order:
            for side in (0, 1):
                people = routing.people_of_side(cuts, c, side, stop.people, self.X)
                if len(people) == 0:
                    continue
                cut = ground.cut(chosen[c])
                step = _step(node, cut, side, rivals)
                after = _Stop((*stop.steps, step), node, people, float(effort[c]))
                if node.depth == 1:
                    self._add(after, ground.counts(chosen[c], side), np.flatnonzero(possible[c, side]))
                else:
                    child = self.nodes.child(node, cut, side)
                    stack.append(replace(after, node=child))
                    self.bytes += child.rows.nbytes + people.nbytes + 8 * len(stop.steps) + 600

    def _end_whole(self, stop: _Stop) -> None:
        """End a path at a node that stays whole."""
        node = stop.node
        total = node_total(node.rows, self.problem.types)
        leaves = self.engine.leaf(total, self.problem.types, node.budget)
        step = Step(node.rows, -1, 0, 0, 0, ())
        self._add(replace(stop, steps=(*stop.steps, step)), total, np.flatnonzero(leaves.possible[0, 0]))

    def _add(self, end: _Stop, counts: NDArray[np.int64], labels: NDArray[np.int64]) -> None:
        steps, people, budget, effort = end.steps, end.people, end.node.budget, end.effort
        own = np.bincount(self.problem.types.label, weights=counts, minlength=self.problem.bias.n_labels)
        reach = max(1.0, 2.0 * budget.flips + budget.removals + budget.additions)
        for j in labels:
            expecting = people[self.predictions[people] != j]
            if len(expecting):
                needed = float(own.max() - own[j]) / reach
                self.paths.append(Path(steps, int(j), expecting, max(effort, needed)))
                self.bytes += PATH_BYTES + expecting.nbytes


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
