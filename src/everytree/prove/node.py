"""Nodes: sets of rows that some tree may bring together, and what may still happen to them.

The walk, the paths and the family of trees build their nodes here, by the same rules: which rows come along,
how many rows may be added on a side, and which columns are settled. Between the counts and the walk.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from everytree.learner.availability import ANYWHERE, BELOW_ROOT, NEVER, SURELY, availability, may_be_small
from everytree.learner.criterion.front import for_kernels
from everytree.prove.counts import Budget, Columns, RowTypes, Splits, node_splits, rows_of_side
from everytree.prove.domains.claims import no_claims
from everytree.prove.views import LARGEST, chosen_views

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from everytree.learner import Floors
    from everytree.learner.criterion.front import Criterion
    from everytree.prove.domains.claims import Claims
    from everytree.prove.problem import Problem

REGION_SPLITS = 64
"""Splits of one column of a node for which the places of added rows are looked at one by one."""

Bounds = dict[int, tuple[float, float]]
"""Feature to (low, high): an added row of the node has low < value <= high there."""


class Cut(NamedTuple):
    """One split by itself: code <= low of the feature goes left, code >= high goes right.

    An *outer* cut has all rows of its node on one side: `low` is -1 or `high` the number of codes.
    """

    feature: int
    low: int
    high: int


@dataclass(frozen=True, eq=False)
class Node:
    """Rows that come together, levels of splits below, and what may still happen.

    ``pinned`` marks the columns that splits above have settled, ``bounds`` says where added rows may lie.
    ``claims`` are what the splits above ask of the changes, if that is carried along.
    """

    rows: NDArray[np.int32]
    depth: int
    budget: Budget
    pinned: NDArray[np.bool_]
    bounds: Bounds
    claims: Claims | None = None


class Ground(NamedTuple):
    """A node as an engine sees it: its rows, its splits and what may happen to them.

    ``challenging`` marks the splits that may drop others, because they are available in every table where
    they would be ahead. ``may_stop`` says that the node may be a leaf whatever its splits are. ``criteria``
    are the criterion and, where class weights move with the table, those at the vertices of all weights, all
    as kernels take them (`front.for_kernels`).
    """

    columns: Columns
    types: RowTypes
    rows: NDArray[np.int32]
    splits: Splits
    budget: Budget
    criterion: Criterion | None
    floors: Floors
    challenging: NDArray[np.bool_]
    may_stop: bool
    criteria: tuple[Criterion | None, ...]
    claims: Claims

    def cut(self, s: int) -> Cut:
        """Take one of the splits by itself."""
        splits = self.splits
        return Cut(int(splits.feature[s]), int(splits.low[s]), int(splits.high[s]))

    def counts(self, s: int, side: int) -> NDArray[np.int64]:
        """Rows of each type on one side of a split."""
        left: NDArray[np.int64] = self.splits.left[s].astype(np.int64)
        return left if side == 0 else self.splits.total - left


class Nodes:
    """Builds the nodes of one problem.

    Soundness
    ---------
    If the rows of a table T' in B(T) that reach a node are within the node's budget of the node's rows, then
    those that go to one side of a split are within the child's budget of the child's rows: flips and
    removals keep their budgets, and added rows are bounded by what the bias model allows where the splits
    above leave room (`ResolvedBias.additions_in`), less those that the other side needs to keep as many rows
    as a leaf must have (see `everytree.learner.availability`): for an outer split all of them.
    """

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.mentioned = _mentioned_features(problem)
        self.unclaimed = no_claims(problem.bias.n_labels)
        self._refined: dict[int, RowTypes] = {}

    def root(self) -> Node:
        """All rows, with the whole budget."""
        bias, codes = self.problem.bias, self.problem.columns.codes
        budget = Budget(bias.additions, bias.flips, bias.removals, bias.addable, bias.added_flips_to)
        rows = np.arange(codes.shape[1], dtype=np.int32)
        return Node(rows, self.problem.depth, budget, np.zeros(codes.shape[0], np.bool_), {})

    def ground(self, node: Node) -> Ground:
        """List the node's splits, for an engine to choose from."""
        problem, floors = self.problem, self.problem.floors
        types, claims = self._types(node), self.unclaimed if node.claims is None else node.claims
        splits, may_stop = self._splits(node, types), self._may_be_cut_off(node)
        if floors.plain:
            challenging = self._inner(splits)
        else:
            removable, removals = types.removable, node.budget.removals
            may_go = int(splits.total[removable].sum())
            may_stop = may_stop or may_be_small(floors, len(node.rows), may_go, removals)
            splits, codes = available_splits(splits, removable, floors, node.budget.additions, removals)
            challenging = codes == SURELY if floors.leaf_high > 1 else self._inner(splits)
        return Ground(
            problem.columns,
            types,
            node.rows,
            splits,
            node.budget,
            for_kernels(problem.criterion),
            floors,
            challenging,
            may_stop,
            tuple(for_kernels(criterion) for criterion in problem.criteria),
            claims,
        )

    def _may_be_cut_off(self, node: Node) -> bool:
        """Whether a limit of leaves, or pruning, may turn the node into a leaf."""
        cut_off, below_root = self.problem.floors.cut_off, node.depth < self.problem.depth
        return cut_off == ANYWHERE or (cut_off == BELOW_ROOT and below_root)

    def _inner(self, splits: Splits) -> NDArray[np.bool_]:
        """Splits with rows of T on both sides."""
        starts = self.problem.columns.starts
        n_codes = starts[1:] - starts[:-1]
        inner: NDArray[np.bool_] = (splits.low >= 0) & (splits.high < n_codes[splits.feature])
        return inner

    def _types(self, node: Node) -> RowTypes:
        """Types of rows; where the node has claims, those of each class by themselves, class after class."""
        types = self.problem.types
        if node.claims is None:
            return types
        n_classes = node.claims.remove.shape[1]
        if n_classes not in self._refined:
            self._refined[n_classes] = RowTypes(
                types.of_row,
                np.tile(types.label, n_classes),
                np.tile(types.flips_to, (n_classes, 1)),
                np.tile(types.removable, n_classes),
                np.tile(types.measures, (n_classes, 1, 1)),
            )
        of_row = np.empty_like(types.of_row)
        of_row[node.rows] = types.of_row[node.rows] + len(types.label) * node.claims.classes
        return self._refined[n_classes]._replace(of_row=of_row)

    def _splits(self, node: Node, types: RowTypes) -> Splits:
        """All splits; with additions only in some places, their number is bounded on each side."""
        problem, additions = self.problem, node.budget.additions
        splits: Splits = node_splits(
            problem.columns, types, node.rows, additions, node.pinned, problem.outer_splits
        )
        if len(problem.views.doubled):
            keep = chosen_views(problem.columns, problem.views, types, node.rows, splits, node.budget)
            splits = some_splits(splits, keep)
        for feature in self.mentioned if additions > 0 else ():
            of_feature = np.flatnonzero(splits.feature == feature)
            if len(of_feature) > REGION_SPLITS:
                continue
            for s in of_feature:
                cut = Cut(feature, int(splits.low[s]), int(splits.high[s]))
                for side in (0, 1):
                    most, _ = self._additions_in(self._narrow(node.bounds, cut, side))
                    splits.additions[s, side] = min(most, splits.additions[s, side])
        return splits

    def child(self, node: Node, cut: Cut, side: int, claims: Claims | None = None) -> Node:
        """One side of a split of a node, with what the splits down to it ask for."""
        rows = rows_of_side(self.problem.columns, node.rows, cut.feature, cut.low, side)
        pinned = node.pinned.copy()
        pinned[cut.feature] = True
        bounds = node.bounds
        budget = node.budget._replace(additions=node.budget.additions - self.needed(node, len(rows)))
        if budget.additions > 0 and self.mentioned:
            bounds = self._narrow(bounds, cut, side)
            additions, addable = self._additions_in(bounds)
            budget = budget._replace(additions=min(additions, budget.additions), addable=addable)
        return Node(rows, node.depth - 1, budget, pinned, bounds, claims)

    def needed(self, node: Node, rows: int) -> int:
        """Additions that the other side of a split needs if this side has so many of the node's rows."""
        return max(0, self.problem.floors.leaf_low - (len(node.rows) - rows))

    def _narrow(self, bounds: Bounds, cut: Cut, side: int) -> Bounds:
        """Where an added row on this side can lie: less than the first value right, more than the last left.

        The threshold lies anywhere in the gap. Rounding to float32 keeps order, so a value that is less
        than b after rounding was less than b before, and the same on the other side. An end stays infinite
        as long as what is missing, an infinity there, may be on this side.
        """
        start, stop = self.problem.columns.starts[cut.feature], self.problem.columns.starts[cut.feature + 1]
        values = self.problem.columns.values[start:stop]
        lower, upper = bounds.get(cut.feature, (-np.inf, np.inf))
        if side == 0 and cut.high < len(values):
            upper = min(upper, float(np.nextafter(np.float64(values[cut.high]), -np.inf)))
        if side == 1 and cut.low >= 0:
            lower = max(lower, float(values[cut.low]), -LARGEST)
        return {**bounds, cut.feature: (lower, upper)}

    def _additions_in(self, bounds: Bounds) -> tuple[int, NDArray[np.bool_]]:
        return self.problem.bias.additions_in(self.problem.region(bounds))


def available_splits(
    splits: Splits, removable: NDArray[np.bool_], floors: Floors, additions: int, removals: int
) -> tuple[Splits, NDArray[np.int8]]:
    """Leave out the splits that are never available; say of the others whether they surely are."""
    codes: NDArray[np.int8] = availability(
        splits.left, splits.total, removable, splits.additions, floors, additions, removals
    )
    keep = codes != NEVER
    return some_splits(splits, keep), codes[keep]


def some_splits(splits: Splits, keep: NDArray[np.bool_]) -> Splits:
    """Leave the other splits out."""
    by_split = {name: getattr(splits, name)[keep] for name in ("feature", "low", "high", "left", "additions")}
    return splits._replace(**by_split)


def _mentioned_features(problem: Problem) -> list[int]:
    """Features of the columns that decide where rows may be added."""
    if problem.bias.additions == 0 or not problem.bias.additions_depend_on_region:
        return []
    names = problem.bias.addition_columns
    features = {j for column in problem.table.columns if column.name in names for j in column.features}
    return [view for view, feature in enumerate(problem.columns.source.tolist()) if feature in features]
