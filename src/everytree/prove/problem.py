"""What is to be decided, ready for kernels: a training table under one bias model, and the people judged.

Made once by a question; the walk, the attacks and the path programs all start from it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from everytree.learner.availability import Floors, floors
from everytree.learner.criterion.front import MOST, Criterion, criterion_of, weighted_criteria
from everytree.learner.weights import BALANCED, balanced_vertices, weights_on
from everytree.prove.counts import Budget, Columns, RowTypes, code_columns, type_rows
from everytree.prove.domains.relational import reach_of
from everytree.prove.views import Views
from everytree.table import CloseValues, close_values
from everytree.table.pipelines import check_additions

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from everytree.bias import ResolvedBias
    from everytree.learner import Settings
    from everytree.table import TrainingTable
    from everytree.table.structure import Region


@dataclass(frozen=True, eq=False)
class Problem:
    """One training table, one bias model and the learner's settings, with the table in codes.

    `views` says which features are shown twice because values are missing. `outer_splits=False` leaves out
    splits that only added rows make possible, as the paper does. `close` says which values are one value for
    the learner, and about whom nothing can be proved for that reason.
    """

    table: TrainingTable
    bias: ResolvedBias
    settings: Settings
    columns: Columns
    types: RowTypes
    views: Views
    outer_splits: bool = True
    close: CloseValues = field(default_factory=CloseValues)

    @classmethod
    def of(
        cls,
        table: TrainingTable,
        bias: ResolvedBias,
        settings: Settings,
        *,
        people: NDArray[np.float32] | None = None,
        outer_splits: bool = True,
    ) -> Problem:
        """Code a table; values that the learner cannot tell apart have one code.

        `people` are the features of those who will be judged: they may lack values that no row lacks.
        """
        if bias.additions:
            check_additions(table)
        views, close = Views.of(table, people), close_values(table, bias.additions)
        shown = views.show(close.joined(table.X))
        columns = code_columns(shown, views.boolean(table.is_boolean), views.source)
        return cls(table, bias, settings, columns, type_rows(table.y, bias), views, outer_splits, close)

    @cached_property
    def shown(self) -> NDArray[np.float32]:
        """The training rows as they are shown."""
        return self.views.show(self.close.joined(self.table.X))

    def region(self, bounds: dict[int, tuple[float, float]]) -> Region:
        """Translate bounds on columns of codes into what each column of the table can be there."""
        return self.table.region(self.views.bounds(bounds))

    @cached_property
    def depth(self) -> int:
        """Levels of splits that a tree of some table of B(T) can have at most."""
        return self.settings.depth_on(len(self.table.y) + self.bias.additions)

    @cached_property
    def floors(self) -> Floors:
        """Rows that splits and nodes need, over all tables of B(T)."""
        n_rows = len(self.table.y)
        fewest = n_rows - min(self.bias.removals, int(self.bias.removable.sum()))
        return floors(self.settings, fewest, n_rows + self.bias.additions, self._most_weight)

    @cached_property
    def _most_weight(self) -> float | None:
        """What a table of B(T) weighs at most; None if every row counts once."""
        if self.settings.class_weight is None:
            return None
        weights = self.criterion.weights[MOST]
        acts = self.bias.additions + min(self.bias.flips, len(self.table.y) + self.bias.additions)
        return float(weights @ self._label_counts + acts * weights.max())

    @cached_property
    def criterion(self) -> Criterion:
        """What the learner calls the best split, for kernels; with the weights of T if they move."""
        return self.criteria[0]

    @cached_property
    def criteria(self) -> tuple[Criterion, ...]:
        """The criterion first; then, where weights move with the table, at each vertex of their polytope.

        What is proved with one challenger and one set of prices at all of them holds in every table.
        """
        name, given = self.settings.criterion, self.settings.class_weight
        if given is None:
            return (criterion_of(name, self.bias.n_labels),)
        counts = self._label_counts
        if given != BALANCED:
            return weighted_criteria(name, weights_on(given, counts))
        bias, types = self.bias, self.types
        budget = Budget(bias.additions, bias.flips, bias.removals, bias.addable, bias.added_flips_to)
        total = np.bincount(types.of_row, minlength=len(types.label))
        reach = reach_of(total, types, budget)
        return weighted_criteria(name, *balanced_vertices(counts, counts - reach.down, counts + reach.up))

    def criterion_on(self, counts: NDArray[np.int64]) -> Criterion:
        """The criterion on one table with so many rows of each label, and nothing else."""
        if self.settings.class_weight is None or len(self.criteria) == 1:
            return self.criterion
        return weighted_criteria(self.settings.criterion, weights_on(BALANCED, counts))[0]

    def floors_on(self, counts: NDArray[np.int64]) -> Floors:
        """What one table with so many rows of each label asks of a split."""
        n_rows = int(counts.sum())
        weight = None
        if self.settings.class_weight is not None:
            weight = float(self.criterion_on(counts).weights[MOST] @ counts)
        return floors(self.settings, n_rows, n_rows, weight)

    @cached_property
    def _label_counts(self) -> NDArray[np.int64]:
        return np.bincount(self.table.y, minlength=self.bias.n_labels)


@dataclass(frozen=True, eq=False)
class People:
    """Test people as the learner sees them, and the label codes that they expect."""

    X: NDArray[np.float32]
    predictions: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.X)

    def some(self, who: NDArray[np.int64]) -> People:
        """Those people, in that order."""
        return People(self.X[who], self.predictions[who])

    def by_column(self, views: Views) -> NDArray[np.float32]:
        """The features as they are shown, with the values of a column side by side."""
        return np.ascontiguousarray(views.show(self.X).T)
