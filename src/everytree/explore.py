"""The walk over all trees that some table of B(T) could give, shared by all test people.

From the root it follows every split that the domains could not rule out, to both sides, with the rows and
the people of that side. It sits above the domains and below the verdicts.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from everytree import routing
from everytree.counts import Budget, Columns, RowTypes, Splits, node_splits, node_total, rows_of_side
from everytree.engines import Engine, Ground, Ranking
from everytree.memo import Memo, Visit

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from everytree.bias import ResolvedBias
    from everytree.table import TrainingTable

REGION_SPLITS = 64
"""Splits of one column of a node for which the places of added rows are looked at one by one."""

MEMO_SHARE, PENDING_BYTES = 0.75, 400
"""Part of the memory for people served; bytes of a child that waits, with its part of the nodes above."""

Progress = Callable[[float, int], None]
"""Called with the share of the walk that is done and the number of people who can still be proved."""


@dataclass(frozen=True, eq=False)
class Problem:
    """One training table under one bias model, ready for walks."""

    table: TrainingTable
    bias: ResolvedBias
    columns: Columns
    types: RowTypes
    depth: int
    outer_splits: bool = True


@dataclass(frozen=True)
class Limits:
    """When to give up: `deadline` on the clock of `time.monotonic`, `memory` in bytes of working memory."""

    deadline: float = float("inf")
    memory: float = float("inf")


NO_LIMITS = Limits()


@dataclass(frozen=True, eq=False)
class Outcome:
    """What a walk found: the tally of each person, for whom it came to its end, and what it looked at."""

    tally: routing.Tally
    finished: NDArray[np.bool_]
    nodes: int
    splits: int

    @property
    def complete(self) -> bool:
        """Whether the walk came to its end for everybody."""
        return bool(self.finished.all())


@dataclass(frozen=True, eq=False)
class _Node:
    """A set of rows that some tree may bring together, and the people who may come with them."""

    rows: NDArray[np.int32]
    people: NDArray[np.int32]
    depth: int
    budget: Budget
    pinned: NDArray[np.bool_]
    bounds: dict[int, tuple[float, float]]
    weight: float


@dataclass(frozen=True, eq=False)
class _Pending:
    """A child that is not built yet: one side of one split of its parent."""

    parent: _Node
    cuts: routing.Cuts
    c: int
    low: int
    high: int
    side: int
    additions: int
    weight: float


def explore(
    problem: Problem,
    X: NDArray[np.float32],
    predictions: NDArray[np.int64],
    engine: Engine,
    limits: Limits = NO_LIMITS,
    progress: Progress | None = None,
) -> Outcome:
    """Follow every tree that some table of B(T) could give, for all people (the rows of X) at once.

    A person leaves the walk as soon as two labels are possible, so ranges are complete only for people with
    one label, and for all people only when the walk came to its end.

    Soundness
    ---------
    By induction over the depth: if the rows of a table T' in B(T) that reach a node are within the node's
    budget of the node's rows, then the split that the learner takes there survives, and the rows that go to
    the person's side are within the child's budget of the child's rows. A pure node, where the learner
    stops, needs no case of its own: all its splits tie, so one of them survives, and the side of it that the
    person takes is not empty and shows the same label.
    """
    return _Walk(problem, X, predictions, engine, limits, progress).run()


class _Walk:
    """One depth-first walk; children are kept as (parent, split, side) until their turn comes."""

    def __init__(
        self,
        problem: Problem,
        X: NDArray[np.float32],
        predictions: NDArray[np.int64],
        engine: Engine,
        limits: Limits,
        progress: Progress | None,
    ) -> None:
        self.problem = problem
        self.predictions = predictions
        self.X = np.ascontiguousarray(X.T)
        self.engine = engine
        self.limits = limits
        self.progress = progress
        n_people = len(X)
        self.tally = routing.empty_tally(n_people, problem.bias.n_labels)
        self.memory = limits.memory - _working_memory(problem)
        self.memo = Memo(n_people, MEMO_SHARE * self.memory)
        self.mentioned = _mentioned_features(problem)
        self.nodes = 0
        self.splits = 0
        self.done = 0.0

    def run(self) -> Outcome:
        if self.memory < 0:
            return self._outcome(complete=False)
        stack: list[_Pending] = []
        self._visit(self._root(), stack)
        complete = True
        while stack:
            over = self.memo.used + PENDING_BYTES * len(stack) > self.memory
            if over or time.monotonic() > self.limits.deadline:
                complete = False
                break
            pending = stack.pop()
            node = self._build(pending)
            if node is None:
                self.done += pending.weight
            else:
                self._visit(node, stack)
            if self.progress is not None and self.nodes % 16 == 0:
                self.progress(self.done, int(self._live(self.everyone).sum()))
        return self._outcome(complete)

    def _outcome(self, complete: bool) -> Outcome:
        finished = np.full(len(self.tally.possible), complete)
        return Outcome(self.tally, finished, self.nodes, self.splits)

    @property
    def everyone(self) -> NDArray[np.int32]:
        return np.arange(len(self.tally.possible), dtype=np.int32)

    def _live(self, people: NDArray[np.int32]) -> NDArray[np.bool_]:
        """Who can still be proved: at most one label seen so far."""
        seen: NDArray[np.int64] = self.tally.possible[people].sum(axis=1)
        return seen <= 1

    def _root(self) -> _Node:
        problem = self.problem
        bias = problem.bias
        budget = Budget(bias.additions, bias.flips, bias.removals, bias.addable, bias.added_flips_to)
        rows = np.arange(problem.columns.codes.shape[1], dtype=np.int32)
        pinned = np.zeros(problem.columns.codes.shape[0], np.bool_)
        return _Node(rows, self.everyone, problem.depth, budget, pinned, {}, 1.0)

    def _build(self, pending: _Pending) -> _Node | None:
        """Make the child, unless nobody who comes to it can still be proved."""
        parent = pending.parent
        people = routing.people_of_side(pending.cuts, pending.c, pending.side, parent.people, self.X)
        people = people[self._live(people)]
        if len(people) == 0:
            return None
        feature = int(pending.cuts.feature[pending.c])
        rows, pinned = child_of(
            self.problem.columns, parent.rows, parent.pinned, feature, pending.low, pending.side
        )
        budget, bounds = parent.budget._replace(additions=pending.additions), parent.bounds
        if pending.additions > 0 and len(self.mentioned):
            bounds = self._narrow(bounds, feature, pending.low, pending.high, pending.side)
            additions, addable = self._additions_in(bounds)
            budget = budget._replace(additions=min(additions, budget.additions), addable=addable)
        return _Node(rows, people, parent.depth - 1, budget, pinned, bounds, pending.weight)

    def _visit(self, node: _Node, stack: list[_Pending]) -> None:
        """Settle a node whose children are leaves, or push its children, best splits last."""
        self.nodes += 1
        types = self.problem.types
        if node.depth == 0 or len(node.rows) == 0:
            self._note_leaf(node, node_total(node.rows, types))
            self.done += node.weight
            return
        if node.depth < self.problem.depth:
            settled = node.pinned & self.problem.columns.boolean
            visit = Visit(node.rows, node.people, node.depth, node.budget, settled, node.bounds)
            newcomers = self.memo.newcomers(visit)
            if len(newcomers) < len(node.people):
                node = replace(node, people=newcomers)
            if len(newcomers) == 0:
                self.done += node.weight
                return
        splits = self._splits(node)
        ranking = self.engine.rank(Ground(self.problem.columns, types, node.rows, splits, node.budget))
        if ranking.may_stop:
            self._note_leaf(node, splits.total)
        if node.depth == 1:
            self._note_leaves(node, ranking)
            self.done += node.weight
        else:
            chosen = self.engine.refine(ranking)
            self.splits += len(chosen)
            exact = self.engine.exact_thresholds(node.budget)
            cuts = routing.cut_splits(self.problem.columns, splits, chosen, exact)
            self._push_children(node, splits, chosen, cuts, stack)

    def _note_leaves(self, node: _Node, ranking: Ranking) -> None:
        """Tell the people of a last-level node what they may get, as long as someone can still be proved."""
        columns, splits = self.problem.columns, ranking.ground.splits
        exact = self.engine.exact_thresholds(node.budget)
        people = node.people
        cuts = routing.cut_splits(columns, splits, ranking.chosen, exact)
        present = routing.who_goes_where(cuts, people, self.X, self.predictions, self.problem.bias.n_labels)
        for chosen, leaves in self.engine.leaves(ranking, present):
            self.splits += len(chosen)
            cuts = routing.cut_splits(columns, splits, chosen, exact)
            routing.note_leaves(cuts, leaves, people, self.X, self.tally)
            people = people[self._live(people)]
            if len(people) == 0:
                break

    def _push_children(
        self,
        node: _Node,
        splits: Splits,
        chosen: NDArray[np.int64],
        cuts: routing.Cuts,
        stack: list[_Pending],
    ) -> None:
        weight = node.weight / max(1, 2 * len(chosen))
        for c, s in enumerate(chosen):
            low, high = int(splits.low[s]), int(splits.high[s])
            for side in (0, 1):
                additions = int(splits.additions[s, side])
                stack.append(_Pending(node, cuts, c, low, high, side, additions, weight))

    def _note_leaf(self, node: _Node, total: NDArray[np.int64]) -> None:
        leaves = self.engine.leaf(total, self.problem.types, node.budget)
        routing.note_leaf(node.people, leaves, self.tally)

    def _splits(self, node: _Node) -> Splits:
        """List the node's splits; with additions only in some places, bounded by what each side can hold."""
        problem = self.problem
        splits: Splits = node_splits(
            problem.columns,
            problem.types,
            node.rows,
            node.budget.additions,
            node.pinned,
            problem.outer_splits,
        )
        if node.budget.additions == 0:
            return splits
        for feature in self.mentioned:
            of_feature = np.flatnonzero(splits.feature == feature)
            if len(of_feature) > REGION_SPLITS:
                continue
            for s in of_feature:
                for side in (0, 1):
                    bounds = self._narrow(node.bounds, feature, splits.low[s], splits.high[s], side)
                    additions, _ = self._additions_in(bounds)
                    splits.additions[s, side] = min(additions, splits.additions[s, side])
        return splits

    def _narrow(
        self, bounds: dict[int, tuple[float, float]], feature: int, low: int, high: int, side: int
    ) -> dict[int, tuple[float, float]]:
        """Where an added row on this side can lie: less than the first value right, more than the last left.

        The threshold lies anywhere in the gap. Rounding to float32 keeps order, so a value that is less
        than b after rounding was less than b before, and the same on the other side.
        """
        start, stop = self.problem.columns.starts[feature], self.problem.columns.starts[feature + 1]
        values = self.problem.columns.values[start:stop]
        lower, upper = bounds.get(feature, (-np.inf, np.inf))
        if side == 0 and high < len(values):
            upper = min(upper, float(np.nextafter(np.float64(values[high]), -np.inf)))
        if side == 1 and low >= 0:
            lower = max(lower, float(values[low]))
        return {**bounds, feature: (lower, upper)}

    def _additions_in(self, bounds: dict[int, tuple[float, float]]) -> tuple[int, NDArray[np.bool_]]:
        return self.problem.bias.additions_in(self.problem.table.region(bounds))


def child_of(
    columns: Columns,
    rows: NDArray[np.int32],
    pinned: NDArray[np.bool_],
    feature: int,
    low: int,
    side: int,
) -> tuple[NDArray[np.int32], NDArray[np.bool_]]:
    """Rows on one side of a split of a node, and the columns that splits above have settled there."""
    pinned = pinned.copy()
    pinned[feature] = True
    return rows_of_side(columns, rows, feature, low, side), pinned


def _mentioned_features(problem: Problem) -> list[int]:
    """Features of the columns that decide where rows may be added."""
    if problem.bias.additions == 0 or not problem.bias.additions_depend_on_region:
        return []
    names = problem.bias.addition_columns
    return [j for column in problem.table.columns if column.name in names for j in column.features]


def _working_memory(problem: Problem) -> float:
    """Bytes that a walk needs whatever it finds: codes of the table, and the splits of one node a level."""
    n_columns, n_rows = problem.columns.codes.shape
    splits = len(problem.columns.values) + n_columns
    by_split = 36 + 8 * len(problem.types.label) + 8 * problem.bias.n_labels
    return float(4 * n_columns * n_rows + min(problem.depth, 4) * (by_split * splits + 8 * n_rows))
