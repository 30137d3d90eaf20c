"""Asks the relational engine which splits of one node survive, at amounts chosen to rank them.

A split that is excluded at an amount needs more than it, whatever happens at other amounts: the search only
chooses where to look, so it cannot make a bound wrong.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from everytree.bias import BiasModel, resolve
from everytree.bias.language.amounts import Amount
from everytree.prove.counts import code_columns, rows_of_side, type_rows
from everytree.prove.engines import RelationalEngine
from everytree.prove.node import Cut, Node, Nodes
from everytree.prove.problem import Problem
from everytree.prove.views import Views
from everytree.support.clock import now
from everytree.support.limits import NO_LIMITS, Limits
from everytree.table import check_gaps

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from everytree.bias import ResolvedBias
    from everytree.learner import Prepared


@dataclass(frozen=True, eq=False)
class Position:
    """A node whatever the amount: its rows, and the splits and sides that lead to it."""

    rows: NDArray[np.int32]
    way: tuple[tuple[Cut, int], ...] = ()


@dataclass(frozen=True, eq=False)
class Ranked:
    """Splits of a node, the cheapest of each feature, with what they need; all others need `beyond`."""

    splits: list[tuple[Cut, int]]
    beyond: int | None


@dataclass(frozen=True)
class _Columns:
    """Splits are compared by feature; those beside the learned one are a group of their own, ~feature.

    `source` names the feature of each coded column.
    """

    first: Cut | None
    source: NDArray[np.int64]

    def one(self, split: Cut) -> int:
        feature = int(self.source[split.feature])
        moved = self.first is not None and feature == self.source[self.first.feature] and split != self.first
        return ~feature if moved else feature

    def of(self, splits: Iterable[Cut]) -> set[int]:
        return {self.one(split) for split in splits}


class Searcher:
    """One table and one bias model whose amount goes up and down."""

    def __init__(
        self, prepared: Prepared, model: BiasModel, most_amount: int, limits: Limits = NO_LIMITS
    ) -> None:
        self.train = prepared.train
        self.settings = prepared.learner.settings
        self.model = model
        self.most_amount = most_amount
        self.limits = limits
        self.views = Views.of(self.train)
        self.columns = code_columns(
            self.views.show(self.train.X), self.views.boolean(self.train.is_boolean), self.views.source
        )
        self.engine = RelationalEngine()
        self._nodes: dict[int, Nodes] = {}
        self._checked = -1
        self._parts = () if model.has_free_amount else self._resolve(model).components

    def root(self) -> Position:
        """All rows."""
        return Position(np.arange(self.columns.codes.shape[1], dtype=np.int32))

    def child(self, place: Position, split: Cut, side: int) -> Position:
        """One side of a split."""
        rows = rows_of_side(self.columns, place.rows, split.feature, split.low, side)
        return Position(rows, (*place.way, (split, side)))

    def missing_left(self, place: Position, split: Cut) -> bool | None:
        """Whether a split sends rows without a value to the left; None if no row of the place lacks one."""
        feature = int(self.columns.source[split.feature])
        if not np.isnan(self.train.X[place.rows, feature]).any():
            return None
        return split.feature != feature

    def gap(self, split: Cut) -> tuple[float | None, float | None]:
        """Give the two neighbouring values of a split."""
        feature, low, high = split
        start, stop = self.columns.starts[feature], self.columns.starts[feature + 1]
        values = self.columns.values[start:stop]
        below = None if low < 0 else float(values[low])
        return below, None if high >= len(values) else float(values[high])

    def survivors(self, place: Position, amount: int) -> dict[Cut, float]:
        """Splits that no proof excludes at this amount, with their score on the table as it is."""
        nodes = self._at(amount)
        node = self._node(nodes, place)
        if node is None or len(node.rows) == 0:
            return {}
        bias = nodes.problem.bias
        unchanged = not any(bias.budgets)
        if unchanged and len(set(self.train.y[place.rows].tolist())) == 1:
            return {}  # the learner stops at a pure node, and nothing can make it impure
        ground = nodes.ground(node)
        ranking = self.engine.rank(ground)
        return {ground.cut(s): float(ranking.score[s]) for s in self.engine.refine(ranking)}

    def _node(self, nodes: Nodes, place: Position) -> Node | None:
        """Follow the way to a place; None where a split lacks the added rows that it needs."""
        node = nodes.root()
        for cut, side in place.way:
            child = nodes.child(node, cut, side)
            if child.budget.additions < nodes.needed(node, len(node.rows) - len(child.rows)):
                return None
            node = child
        return node

    def rank(self, place: Position, most: int, floor: int, first: Cut | None) -> Ranked:
        """Find the splits of the `most` features that need least, and what all others need at least.

        Of each feature the cheapest split is taken. `first`, the learned split, needs `floor` and comes
        first; the cheapest of the other splits of its feature comes on top. Amounts are doubled until enough
        features have a split that survives; between two amounts the search then bisects.
        """
        if self._late():
            return Ranked([] if first is None else [(first, floor)], floor)
        n_features = self.views.n_features
        scores = self.survivors(place, floor)
        groups = _Columns(first, self.columns.source)
        found = dict.fromkeys(scores, floor)
        enough = min(most + 1, n_features)
        if first is not None:
            found = {first: floor, **found}
            enough += not self.columns.boolean[first[0]]
        reached = floor
        while reached < self.most_amount and len(groups.of(found)) < enough and not self._late():
            amount = min(max(reached + 1, 2 * reached), self.most_amount)
            alive = self.survivors(place, amount)
            scores |= alive
            known = groups.of(found)
            new = [split for split in alive if groups.one(split) not in known]
            found |= self._between(place, groups, new, (reached, amount), enough - len(known))
            reached = amount
        cheapest: dict[int, tuple[Cut, int]] = {}
        for split, needs in sorted(found.items(), key=lambda item: (item[1], -scores.get(item[0], 0.0))):
            cheapest.setdefault(groups.one(split), (split, needs))
        own = [] if first is None else [cheapest.pop(groups.one(first))]
        moved = [] if first is None else [c for g, c in cheapest.items() if g == ~groups.one(first)]
        others = [c for g, c in cheapest.items() if g >= 0]
        listed = sorted(moved + others[: most - len(own)], key=lambda item: item[1])
        left = others[most - len(own) :]
        some_are_left = len(own) + len(others) < n_features
        beyond = left[0][1] if left else reached + 1 if some_are_left else None
        return Ranked(own + listed, beyond)

    def _late(self) -> bool:
        return now() > self.limits.deadline

    def _between(
        self, place: Position, groups: _Columns, splits: list[Cut], ends: tuple[int, int], wanted: int
    ) -> dict[Cut, int]:
        """What splits need that are excluded at the first end and survive at the second.

        Only the cheapest splits of a group count, and the dearer groups are left out once as many as wanted
        are found.
        """
        low, high = ends
        if not splits or high - low == 1:
            return dict.fromkeys(splits, high)
        middle = (low + high) // 2
        alive = self.survivors(place, middle)
        cheap = [split for split in splits if split in alive]
        settled = groups.of(cheap)
        dear = [split for split in splits if groups.one(split) not in settled]
        found = self._between(place, groups, cheap, (low, middle), wanted)
        missing = wanted - len(groups.of(found))
        return found | self._between(place, groups, dear, (middle, high), missing) if missing > 0 else found

    def _at(self, amount: int) -> Nodes:
        if amount not in self._nodes:
            bias = self._resolve(self._model_at(amount))
            if bias.additions > self._checked:
                check_gaps(self.train, bias.additions)
                self._checked = bias.additions
            types = type_rows(self.train.y, bias)
            self._nodes[amount] = Nodes(
                Problem(self.train, bias, self.settings, self.columns, types, self.views)
            )
        return self._nodes[amount]

    def _model_at(self, amount: int) -> BiasModel:
        """The bias model with the amount in place of every ``?``, or as a cap where nothing is free."""
        if not self._parts:
            return self.model.with_amount(amount)
        return BiasModel(
            tuple(replace(part.component, amount=Amount.of(min(part.count, amount))) for part in self._parts)
        )

    def _resolve(self, model: BiasModel) -> ResolvedBias:
        train = self.train
        return resolve(model, train)
