"""Every tree that a table with a few changed labels or removed rows can give, on coded columns of any length.

Used by `whole_tables.py`. Nodes are sets of training rows and do not depend on labels, so all tables share
them and the counts of their splits; a changed row only corrects the counts on its way. `every_tree.py` does
the same for tiny tables with added rows, uncompiled.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from everytree.learner.availability import ANYWHERE, BELOW_ROOT
from everytree.learner.criterion.front import (
    for_kernels,
    largest_step,
    new_branches,
    score,
    tolerance,
    value,
    winners,
)
from everytree.prove.counts import RowTypes, node_splits, rows_of_side
from everytree.prove.domains import relational
from everytree.support.kernels import kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from everytree.learner import Floors
    from everytree.learner.criterion.front import Criterion
    from everytree.prove.problem import Problem

Changes = tuple[tuple[int, int, int], ...]
"""Changed rows: the row, its label in T, and its new label, -1 if it is removed; sorted."""

MOST_LEVELS = 250
"""Levels that are followed; below them everybody may get another label."""

MOST_ANSWERS = 50_000_000
"""Remembered answers, counted by people; beyond that nothing new is remembered. Where class weights move with
the table, tables of the same weights share them, and each of these shares has a twentieth."""


@dataclass(eq=False)
class _Spot:
    """Rows that are together, and those of their splits that a few changes can make the best.

    Soundness
    ---------
    One change touches one side of a split and changes its value by at most q (`largest_step`). So after d
    changes the best split has lost at most q d, any other has gained at most q d, and splits that are more
    than 2 q d behind on T cannot be among the best. If the best split is gone, because removals emptied one
    of its sides, its score is now that of the whole node, which every split reaches. Where leaves need more
    rows than one, only splits that keep them whatever is removed set the mark.
    """

    rows: NDArray[np.int32]
    total: NDArray[np.int64]
    feature: NDArray[np.int32]
    low: NDArray[np.int32]
    middle: NDArray[np.float64]
    left: NDArray[np.int64]
    children: dict[tuple[int, int], _Spot] = field(default_factory=dict)
    answers: dict[tuple[Changes, int], tuple[NDArray[np.bool_], NDArray[np.bool_]]] = field(
        default_factory=dict
    )


class TiedTrees:
    """Who may get another label, from any tree that a changed table gives, however ties are broken.

    Parameters
    ----------
    problem : Problem
        The table.
    X, predictions
        The people and the labels to compare with.
    most_changes : int
        No table has more changed rows than this.
    criterion, floors : Criterion, Floors
        With the class weights, and the rows that leaves need, of all the tables that are asked about.
    """

    def __init__(
        self,
        problem: Problem,
        X: NDArray[np.float32],
        predictions: NDArray[np.int64],
        most_changes: int,
        criterion: Criterion,
        floors: Floors,
    ) -> None:
        self.columns = problem.columns
        self.criterion = criterion
        self.floors = floors
        self.X = np.ascontiguousarray(X.T)
        self.predictions = predictions
        self.depth = problem.depth
        self.most_changes = most_changes
        self.most_answers = MOST_ANSWERS if len(problem.criteria) == 1 else MOST_ANSWERS // 20
        plain = floors.leaf_low == 1
        self.most_removals = 0 if plain else min(most_changes, problem.bias.removals)
        n_labels = problem.bias.n_labels
        self.types = RowTypes(
            problem.table.y.astype(np.int32),
            np.arange(n_labels),
            np.zeros((n_labels, n_labels), np.bool_),
            np.zeros(n_labels, np.bool_),
            np.zeros((n_labels, 4, n_labels), np.int64),
        )
        self._spots: dict[bytes, _Spot] = {}
        self._answers = 0
        self.looks = 0
        self.root = self._spot(np.arange(len(problem.table.y), dtype=np.int32))

    def may_differ(self, changes: Changes, people: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Which of the people get another label than predicted from some tree of the changed table.

        Soundness
        ---------
        Every split whose score is within the tolerance of the best is followed, with all people of its
        side. A removal may widen a gap over two of the node's; both parts cut the table in the same way, tie,
        and are followed, and wherever the midpoint of the wide gap sends a person, one of the parts does.
        """
        return self._differs(self.root, changes, self.depth, people, MOST_LEVELS)

    def _differs(
        self, spot: _Spot, changes: Changes, depth: int, people: NDArray[np.int64], levels: int
    ) -> NDArray[np.bool_]:
        """The same for the rows of a spot, remembered where other tables may ask again."""
        if len(changes) == self.most_changes > 0 or len(people) == 0:
            return self._look(spot, changes, depth, people, levels)
        known = spot.answers.get((changes, depth))
        if known is None:
            known = np.zeros(len(self.predictions), np.bool_), np.zeros(len(self.predictions), np.bool_)
            self._answers += len(self.predictions)
            if self._answers < self.most_answers:
                spot.answers[changes, depth] = known
        asked, answer = known
        new = people[~asked[people]]
        if len(new):
            answer[new] = self._look(spot, changes, depth, new, levels)
            asked[new] = True
        return answer[people]

    def _look(
        self, spot: _Spot, changes: Changes, depth: int, people: NDArray[np.int64], levels: int
    ) -> NDArray[np.bool_]:
        self.looks += 1
        counts = spot.total.copy()
        for _, old, new in changes:
            counts[old] -= 1
            if new >= 0:
                counts[new] += 1
        says, size = winners(self.criterion, counts), int(counts.sum())
        other = np.asarray(says.sum() > says[self.predictions[people]])
        if depth == 0 or counts.max() == size or size < self.floors.node_low:
            return other
        if levels == 0:
            return np.ones(len(people), np.bool_)
        rows = np.array(changes, np.int64).reshape(-1, 3)
        leaf = self.floors.leaf_low
        best = _tied(
            for_kernels(self.criterion),
            self.columns.codes,
            spot.feature,
            spot.low,
            spot.left,
            counts,
            rows,
            leaf,
        )
        if len(best) == 0:
            return other
        differs = other & self._may_be_cut_off(depth)
        decrease = self.floors.decrease
        if size >= self.criterion.stop_rows or decrease > 0:
            gain = self._gain(spot, int(best[0]), changes, counts) - decrease
            tied = 2 * tolerance(for_kernels(self.criterion), size)
            if decrease > 0 and gain < -tied:
                return other
            if gain <= tied:
                differs |= other
        for child, there, arrive in self._sides(spot, best, changes, people):
            who = np.flatnonzero(arrive & ~differs)
            if len(who):
                differs[who] = self._differs(child, there, depth - 1, people[who], levels - 1)
        return differs

    def _may_be_cut_off(self, depth: int) -> bool:
        """Whether a limit of leaves, or pruning, may turn a node with so many levels below into a leaf."""
        cut_off = self.floors.cut_off
        return cut_off == ANYWHERE or (cut_off == BELOW_ROOT and depth < self.depth)

    def _gain(self, spot: _Spot, s: int, changes: Changes, counts: NDArray[np.int64]) -> float:
        """What a split adds to the score; in large nodes rounding may refuse one that adds nothing."""
        own, code = spot.left[s].copy(), self.columns.codes[spot.feature[s]]
        for row, old, new in changes:
            if code[row] <= spot.low[s]:
                own[old] -= 1
                if new >= 0:
                    own[new] += 1
        criterion = for_kernels(self.criterion)
        sides = value(criterion, own) + value(criterion, counts - own)
        return float(sides - value(criterion, counts))

    def _sides(
        self, spot: _Spot, best: NDArray[np.int64], changes: Changes, people: NDArray[np.int64]
    ) -> list[tuple[_Spot, Changes, NDArray[np.bool_]]]:
        """Children of the best splits, each with its changes and who arrives there by one split or another.

        In small nodes many columns cut the rows in the same way, so the children are far fewer than the ways.
        """
        features = spot.feature[best]
        on_right = self.X[features][:, people] > spot.middle[best][:, None]
        sides: dict[_Spot, tuple[Changes, NDArray[np.bool_]]] = {}
        for k, s in enumerate(best.tolist()):
            for side, arrive in ((0, ~on_right[k]), (1, on_right[k])):
                if not arrive.any():
                    continue
                child = self._child(spot, s, side)
                known = sides.get(child)
                if known is None:
                    code, low = self.columns.codes[features[k]], spot.low[s]
                    there = tuple(c for c in changes if (code[c[0]] > low) == (side == 1))
                    sides[child] = there, arrive.copy()
                else:
                    known[1][:] |= arrive
        return [(child, there, arrive) for child, (there, arrive) in sides.items()]

    def _child(self, spot: _Spot, s: int, side: int) -> _Spot:
        child = spot.children.get((s, side))
        if child is None:
            rows = rows_of_side(self.columns, spot.rows, spot.feature[s], spot.low[s], side)
            child = spot.children[s, side] = self._spot(rows)
        return child

    def _spot(self, rows: NDArray[np.int32]) -> _Spot:
        """Make a node, or find it: nodes with the same rows are one."""
        digest = hashlib.blake2b(rows.tobytes(), digest_size=16).digest()
        known = self._spots.get(digest)
        if known is not None:
            return known
        pinned = np.zeros(len(self.columns.boolean), np.bool_)
        splits = node_splits(self.columns, self.types, rows, 0, pinned, False)
        scores = relational.scores(splits, self.types, for_kernels(self.criterion))
        smaller = splits.left.sum(axis=1)
        smaller = np.minimum(smaller, len(rows) - smaller)
        scores = np.where(smaller >= self.floors.leaf_low, scores, -np.inf)
        sure = scores[smaller >= max(self.floors.leaf_low + self.most_removals, 1)]
        reach = 2 * largest_step(self.criterion, len(rows)) * self.most_changes
        reach += tolerance(for_kernels(self.criterion), len(rows)) + 1e-6
        near = np.flatnonzero((scores > -np.inf) & (scores >= sure.max(initial=-np.inf) - reach))
        feature, low = splits.feature[near], splits.low[near]
        start = self.columns.starts[feature]
        below = self.columns.values[start + low].astype(np.float64)
        above = self.columns.values[start + splits.high[near]].astype(np.float64)
        left = splits.left[near].astype(np.int64)
        spot = _Spot(rows, splits.total, feature, low, below / 2 + above / 2, left)
        self._spots[digest] = spot
        return spot


@kernel
def _tied(
    criterion: Any, codes: Any, feature: Any, low: Any, left: Any, total: Any, changes: Any, leaf: int
) -> Any:
    """Splits whose score on the changed table is within the tolerance of the best; both sides fill a leaf.

    ``total`` counts the labels of the changed table, ``left`` those of T on the left of each split.
    """
    n_labels = left.shape[1]
    scores = np.empty(len(feature))
    size = total.sum()
    branches = new_branches(n_labels)
    own, sizes = branches.own, branches.size
    best = -np.inf
    for s in range(len(feature)):
        for i in range(n_labels):
            own[0, i] = left[s, i]
        for c in range(len(changes)):
            if codes[feature[s], changes[c, 0]] <= low[s]:
                own[0, changes[c, 1]] -= 1
                if changes[c, 2] >= 0:
                    own[0, changes[c, 2]] += 1
        sizes[0] = 0.0
        for i in range(n_labels):
            own[1, i] = total[i] - own[0, i]
            sizes[0] += own[0, i]
        sizes[1] = size - sizes[0]
        scores[s] = -np.inf
        if leaf <= sizes[0] <= size - leaf:
            scores[s] = score(criterion, branches)
            best = max(best, scores[s])
    tied = np.empty(len(feature), np.int64)
    tied_by = tolerance(criterion, size)
    used = 0
    for s in range(len(feature)):
        if scores[s] > -np.inf and scores[s] >= best - tied_by:
            tied[used] = s
            used += 1
    return tied[:used]
