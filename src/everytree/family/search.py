"""Asks the relational engine which splits of one node survive, at amounts chosen to rank them.

A split that is excluded at an amount needs more than it, whatever happens at other amounts: the search only
chooses where to look, so it cannot make a bound wrong.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from everytree.bias import BiasModel, resolve
from everytree.bias.amounts import Amount
from everytree.counts import Budget, code_columns, node_splits, type_rows
from everytree.engines import Ground, RelationalEngine
from everytree.explore import child_of
from everytree.table import check_gaps

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from everytree.bias import ResolvedBias
    from everytree.counts import RowTypes
    from everytree.learner import Prepared

Split = tuple[int, int, int]
"""Feature and the codes of its two neighbouring values; -1 or the number of codes beyond the ends."""


@dataclass(frozen=True, eq=False)
class Place:
    """A node: its rows, the features that splits above have settled, and how many of those were outer."""

    rows: NDArray[np.int32]
    pinned: NDArray[np.bool_]
    outer: int = 0


@dataclass(frozen=True, eq=False)
class Ranked:
    """Splits of a node, the cheapest of each feature, with what they need; all others need `beyond`."""

    splits: list[tuple[Split, int]]
    beyond: int | None


@dataclass(frozen=True)
class _Groups:
    """Splits are compared by feature; those beside the learned one are a group of their own, ~feature."""

    first: Split | None

    def one(self, split: Split) -> int:
        moved = self.first is not None and split[0] == self.first[0] and split != self.first
        return ~split[0] if moved else split[0]

    def of(self, splits: Iterable[Split]) -> set[int]:
        return {self.one(split) for split in splits}


class Searcher:
    """One table and one bias model whose amount goes up and down."""

    def __init__(self, prepared: Prepared, model: BiasModel, most_amount: int) -> None:
        self.train = prepared.train
        self.model = model
        self.most_amount = most_amount
        self.columns = code_columns(self.train.X, self.train.is_boolean)
        self.engine = RelationalEngine()
        self._resolved: dict[int, tuple[ResolvedBias, RowTypes]] = {}
        self._checked = -1
        self._parts = () if model.has_free_amount else self._resolve(model).components

    def root(self) -> Place:
        """All rows."""
        n_columns, n_rows = self.columns.codes.shape
        return Place(np.arange(n_rows, dtype=np.int32), np.zeros(n_columns, np.bool_))

    def child(self, place: Place, split: Split, side: int) -> Place:
        """One side of a split. Where it is outer, an added row must lie on the other side."""
        feature, low, _ = split
        rows, pinned = child_of(self.columns, place.rows, place.pinned, feature, low, side)
        return Place(rows, pinned, place.outer + self.is_outer(split))

    def is_outer(self, split: Split) -> bool:
        """Whether one side of a split holds added rows only."""
        feature, low, high = split
        return low < 0 or high >= self.columns.starts[feature + 1] - self.columns.starts[feature]

    def gap(self, split: Split) -> tuple[float | None, float | None]:
        """Give the two neighbouring values of a split."""
        feature, low, high = split
        start, stop = self.columns.starts[feature], self.columns.starts[feature + 1]
        values = self.columns.values[start:stop]
        below = None if low < 0 else float(values[low])
        return below, None if high >= len(values) else float(values[high])

    def survivors(self, place: Place, amount: int) -> dict[Split, float]:
        """Splits that no proof excludes at this amount, with their score on the table as it is."""
        bias, types = self._at(amount)
        additions = bias.additions - place.outer
        if additions < 0 or len(place.rows) == 0:
            return {}
        unchanged = bias.additions == bias.flips == bias.removals == 0
        if unchanged and len(set(self.train.y[place.rows].tolist())) == 1:
            return {}  # the learner stops at a pure node, and nothing can make it impure
        budget = Budget(additions, bias.flips, bias.removals, bias.addable, bias.added_flips_to)
        splits = node_splits(self.columns, types, place.rows, additions, place.pinned, True)
        ranking = self.engine.rank(Ground(self.columns, types, place.rows, splits, budget))
        return {
            (int(splits.feature[s]), int(splits.low[s]), int(splits.high[s])): float(ranking.score[s])
            for s in self.engine.refine(ranking)
        }

    def rank(self, place: Place, most: int, floor: int, first: Split | None) -> Ranked:
        """Find the splits of the `most` features that need least, and what all others need at least.

        Of each feature the cheapest split is taken. `first`, the learned split, needs `floor` and comes
        first; the cheapest of the other splits of its feature comes on top. Amounts are doubled until enough
        features have a split that survives; between two amounts the search then bisects.
        """
        n_features = self.columns.codes.shape[0]
        scores = self.survivors(place, floor)
        groups = _Groups(first)
        found = dict.fromkeys(scores, floor)
        enough = min(most + 1, n_features)
        if first is not None:
            found = {first: floor, **found}
            enough += not self.columns.boolean[first[0]]
        reached = floor
        while reached < self.most_amount and len(groups.of(found)) < enough:
            amount = min(max(reached + 1, 2 * reached), self.most_amount)
            alive = self.survivors(place, amount)
            scores |= alive
            known = groups.of(found)
            new = [split for split in alive if groups.one(split) not in known]
            found |= self._between(place, groups, new, (reached, amount), enough - len(known))
            reached = amount
        cheapest: dict[int, tuple[Split, int]] = {}
        for split, needs in sorted(found.items(), key=lambda item: (item[1], -scores.get(item[0], 0.0))):
            cheapest.setdefault(groups.one(split), (split, needs))
        own = [] if first is None else [cheapest.pop(first[0])]
        moved = [] if first is None else [c for g, c in cheapest.items() if g == ~first[0]]
        others = [c for g, c in cheapest.items() if g >= 0]
        listed = sorted(moved + others[: most - len(own)], key=lambda item: item[1])
        left = others[most - len(own) :]
        some_are_left = len(own) + len(others) < n_features
        beyond = left[0][1] if left else reached + 1 if some_are_left else None
        return Ranked(own + listed, beyond)

    def _between(
        self, place: Place, groups: _Groups, splits: list[Split], ends: tuple[int, int], wanted: int
    ) -> dict[Split, int]:
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

    def _at(self, amount: int) -> tuple[ResolvedBias, RowTypes]:
        if amount not in self._resolved:
            bias = self._resolve(self._model_at(amount))
            if bias.additions > self._checked:
                check_gaps(self.train, bias.additions)
                self._checked = bias.additions
            self._resolved[amount] = bias, type_rows(self.train.y, bias)
        return self._resolved[amount]

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
