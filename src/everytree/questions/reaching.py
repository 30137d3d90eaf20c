"""Tables for trees: changes within the bias model that make the learner take given splits and labels.

Used by `everytree.questions.metrics` to reach the ends of ranges. It is greedy and may fail; what it finds is
checked by membership in B(T), and its value counts only after the tree was really learned.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from everytree.bias.acts import ADD, NONE, transitions
from everytree.learner.criterion.front import AT, for_kernels, value, winner
from everytree.prove.counts import RowTypes, node_splits
from everytree.prove.domains import relational
from everytree.refute.change import Change
from everytree.refute.membership import Membership
from everytree.refute.trial import Trial

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from everytree.learner.criterion.front import Criterion
    from everytree.prove.node import Cut
    from everytree.prove.problem import Problem
    from everytree.questions.joint.naming import Named

STEPS = 40
"""How often a table is changed further before a tree is given up."""

MOST_WORK = 5_000_000
"""Entries of the table that are looked at for all trees together."""

LEAD = 1e-7
"""By how much a split has to be ahead, so that neither rounding nor chance decides."""


class _Fault(NamedTuple):
    """Where the learner leaves the tree: rows of a node, and a split with its rival, or a label."""

    rows: NDArray[np.int64]
    own: Cut | None
    rival: Cut | None
    lack: float
    label: int


class Reaching:
    """Builds tables by flips and removals; added rows are left to the witnesses."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.membership = Membership(problem)
        self.work = 0

    def tables_for(self, trees: list[Named]) -> Iterator[Trial]:
        """Tables whose trees are like these, or like one side of them: both sides share one budget."""
        wanted = [part for tree in trees for part in (tree, *_halves(tree))]
        for tree in dict.fromkeys(wanted):
            if self.work > MOST_WORK:
                return
            trial = self.table_for(tree)
            if trial is not None and trial.change.size:
                yield trial

    def table_for(self, tree: Named) -> Trial | None:
        """Look for a table of B(T) whose tree begins like this one."""
        y, alive = self.problem.table.y.copy(), np.ones(len(self.problem.table.y), np.bool_)
        for _ in range(STEPS):
            fault = self._fault(tree, np.flatnonzero(alive), y)
            if fault is None:
                return self._trial(y, alive)
            before = self._used(y, alive)
            if fault.own is None:
                self._turn(fault, y)
            else:
                self._support(fault, y, alive)
            if self._used(y, alive) == before:
                return None
        return None

    def _used(self, y: NDArray[np.int64], alive: NDArray[np.bool_]) -> tuple[int, int]:
        return int((y != self.problem.table.y).sum()), int((~alive).sum())

    def _trial(self, y: NDArray[np.int64], alive: NDArray[np.bool_]) -> Trial | None:
        changed = np.flatnonzero((y != self.problem.table.y) & alive)
        flipped = {int(row): int(y[row]) for row in changed}
        features = np.empty((0, self.problem.table.X.shape[1]), np.float32)
        trial = Trial(Change(flipped, tuple(np.flatnonzero(~alive).tolist())), features)
        return trial if self.membership.holds(trial, self.problem.table.frame.iloc[:0]) else None

    # ------------------------------------------------------------ where the learner leaves the tree

    def _fault(self, tree: Named | None, rows: NDArray[np.int64], y: NDArray[np.int64]) -> _Fault | None:
        if tree is None or len(rows) == 0:
            return None
        counts = np.bincount(y[rows], minlength=self.problem.bias.n_labels)
        if tree.cut is None:
            wrong = winner(for_kernels(self.problem.criterion), counts) != tree.label
            return _Fault(rows, None, None, 0.0, tree.label) if wrong else None
        found = self._lost(tree.cut, rows, y)
        if found is not None:
            return found
        right = self.problem.columns.codes[tree.cut.feature, rows] > tree.cut.low
        sides = (self._fault(tree.sides[k], rows[right == bool(k)], y) for k in (0, 1))
        return next((fault for fault in sides if fault is not None), None)

    def _lost(self, cut: Cut, rows: NDArray[np.int64], y: NDArray[np.int64]) -> _Fault | None:
        """Compare a split with the best of the others."""
        types = _only_labels(y, self.problem.bias.n_labels)
        columns = self.problem.columns
        self.work += len(rows) * columns.codes.shape[0]
        pinned = np.zeros(columns.codes.shape[0], np.bool_)
        splits = node_splits(columns, types, rows.astype(np.int32), 0, pinned, False)
        score = relational.scores(splits, types, for_kernels(self.problem.criterion))
        same = (splits.feature == cut.feature) & (splits.low <= cut.low) & (cut.low < splits.high)
        if not same.any():
            return None
        own = float(score[same][0])
        others = np.where(same, -np.inf, score)
        s = int(np.argmax(others))
        lack = float(others[s]) - own + LEAD
        if lack <= 0:
            return None
        rival = type(cut)(int(splits.feature[s]), int(splits.low[s]), int(splits.high[s]))
        return _Fault(rows, cut, rival, lack, -1)

    # ------------------------------------------------------------ changes

    def _left(self, y: NDArray[np.int64]) -> int:
        """Flips that are left."""
        return self.problem.bias.flips - int((y != self.problem.table.y).sum())

    def _turn(self, fault: _Fault, y: NDArray[np.int64]) -> None:
        """Flip as many rows as a leaf needs to say its label."""
        counts = np.bincount(y[fault.rows], minlength=self.problem.bias.n_labels)
        top, weights = (
            int(winner(for_kernels(self.problem.criterion), counts)),
            self.problem.criterion.weights[AT],
        )
        lead = float(weights[top] * counts[top] - weights[fault.label] * counts[fault.label])
        flips = lead / (weights[top] + weights[fault.label])
        needed = int(np.ceil(flips)) if fault.label < top else int(flips) + 1
        rows = self._flippable(fault.rows, y, top, fault.label)
        if needed <= min(len(rows), self._left(y)):
            y[rows[:needed]] = fault.label

    def _flippable(
        self, rows: NDArray[np.int64], y: NDArray[np.int64], source: int, target: int
    ) -> NDArray[np.int64]:
        fresh = (y[rows] == source) & (self.problem.table.y[rows] == source)
        return np.asarray(rows[fresh & self.problem.bias.flips_to[rows, target]])

    def _support(self, fault: _Fault, y: NDArray[np.int64], alive: NDArray[np.bool_]) -> None:
        """Change the rows that help a split most against its rival, as many as it lacks."""
        own, rival = fault.own, fault.rival
        assert own is not None
        assert rival is not None
        codes, rows = self.problem.columns.codes, fault.rows
        cell = 2 * (codes[own.feature, rows] > own.low) + (codes[rival.feature, rows] > rival.low)
        counts = np.zeros((4, self.problem.bias.n_labels))
        np.add.at(counts, (cell, y[rows]), 1)
        removals = self.problem.bias.removals - int((~alive).sum())
        for gain, c, source, target in _acts(for_kernels(self.problem.criterion), counts):
            here = rows[cell == c]
            some = (
                self._flippable(here, y, source, target) if target >= 0 else self._removable(here, y, source)
            )
            room = self._left(y) if target >= 0 else removals
            n = min(len(some), room, int(np.ceil(fault.lack / gain)))
            if n > 0:
                if target >= 0:
                    y[some[:n]] = target
                else:
                    alive[some[:n]] = False
                return

    def _removable(self, rows: NDArray[np.int64], y: NDArray[np.int64], label: int) -> NDArray[np.int64]:
        fresh = (y[rows] == label) & (self.problem.table.y[rows] == label)
        return np.asarray(rows[fresh & self.problem.bias.removable[rows]])


def _acts(criterion: Criterion | None, counts: NDArray[np.float64]) -> list[tuple[float, int, int, int]]:
    """Unit changes that help, the best first: gain, cell, label before, label after (NONE: removed)."""
    start, n_labels = _lead(criterion, counts), counts.shape[1]
    found = []
    for _, source, target in (way for way in transitions(n_labels) if way.act != ADD):
        for c in np.flatnonzero(counts[:, source]):
            after = counts.copy()
            after[c, source] -= 1
            if target != NONE:
                after[c, target] += 1
            gain = _lead(criterion, after) - start
            if gain > 0:
                found.append((gain, int(c), source, target))
    return sorted(found, reverse=True)


def _halves(tree: Named) -> list[Named]:
    """The tree with only its left side, and with only its right side, named."""
    left, right = tree.sides
    if left is None or right is None:
        return []
    return [tree._replace(sides=(left, None)), tree._replace(sides=(None, right))]


def _lead(criterion: Criterion | None, counts: NDArray[np.float64]) -> float:
    """Score of the own split minus the rival's, from counts by (own side, rival side) and label."""
    own = value(criterion, counts[0] + counts[1]) + value(criterion, counts[2] + counts[3])
    return own - value(criterion, counts[0] + counts[2]) - value(criterion, counts[1] + counts[3])


def _only_labels(y: NDArray[np.int64], n_labels: int) -> RowTypes:
    """Types of rows to which nothing more can happen."""
    none = np.zeros((n_labels, n_labels), np.bool_)
    measures = np.zeros((n_labels, 4, n_labels), np.int64)
    return RowTypes(y.astype(np.int32), np.arange(n_labels), none, np.zeros(n_labels, np.bool_), measures)
