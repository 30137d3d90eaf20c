"""The walk over all trees that some table of B(T) could give, shared by all test people.

From the root it follows every split that the domains could not rule out, to both sides, with the rows and
the people of that side. It sits above the domains and below the verdicts.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from everytree.prove import routing
from everytree.prove.counts import node_total
from everytree.prove.engines import Engine, Ranking
from everytree.prove.memo import Memo
from everytree.prove.node import Cut, Ground, Node, Nodes
from everytree.support.limits import NO_LIMITS, Limits

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from everytree.prove.problem import People, Problem
    from everytree.support.progress import Progress

MEMO_SHARE, PENDING_BYTES = 0.75, 400
"""Part of the memory for people served; bytes of a child that waits, with its part of the nodes above."""


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
class _Visit:
    """A node, the people who may come there, and its part in the whole walk."""

    node: Node
    people: NDArray[np.int32]
    weight: float


@dataclass(frozen=True, eq=False)
class _Pending:
    """A visit whose node is not built yet: one side of one split of its parent."""

    parent: _Visit
    cuts: routing.Cuts
    c: int
    cut: Cut
    side: int
    weight: float


def explore(
    problem: Problem,
    people: People,
    engine: Engine,
    limits: Limits = NO_LIMITS,
    progress: Progress | None = None,
) -> Outcome:
    """Follow every tree that some table of B(T) could give, for all people at once.

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
    return _Walk(problem, people, engine, limits, progress).run()


class _Walk:
    """One depth-first walk; children are kept as (parent, split, side) until their turn comes."""

    def __init__(
        self, problem: Problem, people: People, engine: Engine, limits: Limits, progress: Progress | None
    ) -> None:
        self.problem = problem
        self.nodes = Nodes(problem)
        self.predictions = people.predictions
        self.X = people.by_column
        self.engine = engine
        self.limits = limits
        self.progress = progress
        self.tally = routing.empty_tally(len(people), problem.bias.n_labels)
        self.memory = limits.memory - _working_memory(problem)
        self.memo = Memo(len(people), problem.columns.boolean, MEMO_SHARE * self.memory)
        self.visited = 0
        self.splits = 0
        self.done = 0.0

    def run(self) -> Outcome:
        if self.memory < 0:
            return self._outcome(complete=False)
        stack: list[_Pending] = []
        self._visit(_Visit(self.nodes.root(), self.everyone, 1.0), stack)
        complete = True
        while stack:
            over = self.memo.used + PENDING_BYTES * len(stack) > self.memory
            if over or time.monotonic() > self.limits.deadline:
                complete = False
                break
            pending = stack.pop()
            visit = self._build(pending)
            if visit is None:
                self.done += pending.weight
            else:
                self._visit(visit, stack)
            if self.progress is not None and self.visited % 16 == 0:
                self.progress(self.done, int(self._live(self.everyone).sum()))
        return self._outcome(complete)

    def _outcome(self, complete: bool) -> Outcome:
        finished = np.full(len(self.tally.possible), complete)
        return Outcome(self.tally, finished, self.visited, self.splits)

    @property
    def everyone(self) -> NDArray[np.int32]:
        return np.arange(len(self.tally.possible), dtype=np.int32)

    def _live(self, people: NDArray[np.int32]) -> NDArray[np.bool_]:
        """Who can still be proved: at most one label seen so far."""
        seen: NDArray[np.int64] = self.tally.possible[people].sum(axis=1)
        return seen <= 1

    def _build(self, pending: _Pending) -> _Visit | None:
        """Make the child, unless nobody who comes to it can still be proved."""
        parent = pending.parent
        people = routing.people_of_side(pending.cuts, pending.c, pending.side, parent.people, self.X)
        people = people[self._live(people)]
        if len(people) == 0:
            return None
        return _Visit(self.nodes.child(parent.node, pending.cut, pending.side), people, pending.weight)

    def _visit(self, visit: _Visit, stack: list[_Pending]) -> None:
        """Settle a node whose children are leaves, or push its children, best splits last."""
        self.visited += 1
        node = visit.node
        if node.depth == 0 or len(node.rows) == 0:
            self._note_leaf(visit, node_total(node.rows, self.problem.types))
            self.done += visit.weight
            return
        if node.depth < self.problem.depth:
            visit = replace(visit, people=self.memo.newcomers(node, visit.people))
            if len(visit.people) == 0:
                self.done += visit.weight
                return
        ground = self.nodes.ground(node)
        ranking = self.engine.rank(ground)
        if ranking.may_stop:
            self._note_leaf(visit, ground.splits.total)
        if node.depth == 1:
            self._note_leaves(visit, ranking)
            self.done += visit.weight
        else:
            chosen = self.engine.refine(ranking)
            self.splits += len(chosen)
            self._push_children(visit, ground, chosen, stack)

    def _note_leaves(self, visit: _Visit, ranking: Ranking) -> None:
        """Tell the people of a last-level node what they may get, as long as someone can still be proved."""
        columns, splits = self.problem.columns, ranking.ground.splits
        exact = self.engine.exact_thresholds(visit.node.budget)
        people = visit.people
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
        self, visit: _Visit, ground: Ground, chosen: NDArray[np.int64], stack: list[_Pending]
    ) -> None:
        exact = self.engine.exact_thresholds(visit.node.budget)
        cuts = routing.cut_splits(self.problem.columns, ground.splits, chosen, exact)
        weight = visit.weight / max(1, 2 * len(chosen))
        for c, s in enumerate(chosen):
            cut = ground.cut(s)
            stack += [_Pending(visit, cuts, c, cut, side, weight) for side in (0, 1)]

    def _note_leaf(self, visit: _Visit, total: NDArray[np.int64]) -> None:
        leaves = self.engine.leaf(total, self.problem.types, visit.node.budget)
        routing.note_leaf(visit.people, leaves, self.tally)


def _working_memory(problem: Problem) -> float:
    """Bytes that a walk needs whatever it finds: codes of the table, and the splits of one node a level."""
    n_columns, n_rows = problem.columns.codes.shape
    splits = len(problem.columns.values) + n_columns
    by_split = 36 + 8 * len(problem.types.label) + 8 * problem.bias.n_labels
    return float(4 * n_columns * n_rows + min(problem.depth, 4) * (by_split * splits + 8 * n_rows))
