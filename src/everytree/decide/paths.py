"""Paths: the ways in which a person who is not proved yet could get another label.

A path is a split and a side at each level and a label at its end. The relational domain lists them; the
programs then ask of each one whether some table of B(T) really takes it.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from everytree import routing
from everytree.counts import Budget, node_splits, node_total
from everytree.engines import Ground, RelationalEngine
from everytree.explore import child_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from everytree.counts import Splits
    from everytree.engines import Ranking
    from everytree.explore import Limits, Problem

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
    additions: int
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
class _Place:
    """A node on the way: what came before it, and who may come here."""

    steps: tuple[Step, ...]
    rows: NDArray[np.int32]
    people: NDArray[np.int32]
    depth: int
    budget: Budget
    pinned: NDArray[np.bool_]
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
    bias = problem.bias
    budget = Budget(bias.additions, bias.flips, bias.removals, bias.addable, bias.added_flips_to)
    rows = np.arange(problem.columns.codes.shape[1], dtype=np.int32)
    pinned = np.zeros(problem.columns.codes.shape[0], np.bool_)
    stack = [_Place((), rows, people, problem.depth, budget, pinned, 0.0)]
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
        self.engine = RelationalEngine()
        self.paths: list[Path] = []
        self.bytes = 0
        self.complete = True

    def visit(self, place: _Place, stack: list[_Place]) -> None:
        problem = self.problem
        if place.depth == 0 or len(place.rows) == 0:
            self._stop(place)
            return
        if len(place.steps) == MOST_STEPS:
            self.complete = False
            return
        splits: Splits = node_splits(
            problem.columns, problem.types, place.rows, place.budget.additions, place.pinned, True
        )
        ground = Ground(problem.columns, problem.types, place.rows, splits, place.budget)
        ranking = self.engine.rank(ground)
        if ranking.may_stop:
            self._stop(place)
        rivals = tuple((int(splits.feature[s]), int(splits.low[s])) for s in ranking.challengers)
        chosen, possible = self.engine.settle(ranking, leaves=place.depth == 1)
        cuts = routing.cut_splits(problem.columns, splits, chosen, self.engine.exact_thresholds(place.budget))
        effort = np.maximum(place.effort, _efforts(ranking, chosen))
        order = np.argsort(-effort, kind="stable")
        for c in order:
            for side in (0, 1):
                people = routing.people_of_side(cuts, c, side, place.people, self.X)
                if len(people) == 0:
                    continue
                step = _step(place, splits, int(chosen[c]), side, rivals)
                if place.depth == 1:
                    labels = np.flatnonzero(possible[c, side])
                    self._end(place, step, splits, int(chosen[c]), side, people, labels, float(effort[c]))
                else:
                    stack.append(self._child(place, step, people, float(effort[c])))

    def _child(self, place: _Place, step: Step, people: NDArray[np.int32], effort: float) -> _Place:
        rows, pinned = child_of(
            self.problem.columns, place.rows, place.pinned, step.feature, step.low, step.side
        )
        budget = place.budget._replace(additions=step.additions)
        self.bytes += rows.nbytes + people.nbytes + 8 * len(place.steps) + 600
        return _Place((*place.steps, step), rows, people, place.depth - 1, budget, pinned, effort)

    def _end(
        self,
        place: _Place,
        step: Step,
        splits: Splits,
        s: int,
        side: int,
        people: NDArray[np.int32],
        labels: NDArray[np.int64],
        effort: float,
    ) -> None:
        counts = splits.left[s] if side == 0 else splits.total - splits.left[s]
        self._add((*place.steps, step), counts, place.budget, people, labels, effort)

    def _stop(self, place: _Place) -> None:
        total = node_total(place.rows, self.problem.types)
        leaves = self.engine.leaf(total, self.problem.types, place.budget)
        step = Step(place.rows, -1, 0, 0, 0, place.budget.additions, ())
        labels = np.flatnonzero(leaves.possible[0, 0])
        self._add((*place.steps, step), total, place.budget, place.people, labels, place.effort)

    def _add(
        self,
        steps: tuple[Step, ...],
        counts: NDArray[np.int64],
        budget: Budget,
        people: NDArray[np.int32],
        labels: NDArray[np.int64],
        effort: float,
    ) -> None:
        own = np.bincount(self.problem.types.label, weights=counts, minlength=self.problem.bias.n_labels)
        reach = max(1.0, 2.0 * budget.flips + budget.removals + budget.additions)
        for j in labels:
            expecting = people[self.predictions[people] != j]
            if len(expecting):
                needed = float(own.max() - own[j]) / reach
                self.paths.append(Path(steps, int(j), expecting, max(effort, needed)))
                self.bytes += PATH_BYTES + expecting.nbytes


def _step(place: _Place, splits: Splits, s: int, side: int, rivals: tuple[tuple[int, int], ...]) -> Step:
    feature, low, high = int(splits.feature[s]), int(splits.low[s]), int(splits.high[s])
    others = tuple(rival for rival in rivals if rival != (feature, low))
    return Step(place.rows, feature, low, high, side, int(splits.additions[s, side]), others)


def _efforts(ranking: Ranking, chosen: NDArray[np.int64]) -> NDArray[np.float64]:
    """Share of the budget that each split needs to draw level with the best one, by the loose bound."""
    if len(ranking.challengers) == 0:
        return np.zeros(len(chosen))
    deficit = ranking.score[ranking.challengers[0]] - ranking.score[chosen]
    gain = np.maximum(ranking.margin[chosen] + deficit, 1e-12)
    return np.asarray(np.maximum(deficit, 0.0) / gain)
