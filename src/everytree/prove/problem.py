"""What is to be decided, ready for kernels: a training table under one bias model, and the people judged.

Made once by a question; the walk, the attacks and the path programs all start from it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from everytree.learner.availability import Floors, floors
from everytree.learner.criterion.front import Criterion, criterion_of
from everytree.prove.counts import Columns, RowTypes, code_columns, type_rows
from everytree.prove.views import Views
from everytree.table import check_gaps

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
    splits that only added rows make possible, as the paper does.
    """

    table: TrainingTable
    bias: ResolvedBias
    settings: Settings
    columns: Columns
    types: RowTypes
    views: Views
    outer_splits: bool = True

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
        """Code a table; values that the learner may not tell apart are refused.

        `people` are the features of those who will be judged: they may lack values that no row lacks.
        """
        check_gaps(table, bias.additions)
        views = Views.of(table, people)
        columns = code_columns(views.show(table.X), views.boolean(table.is_boolean), views.source)
        return cls(table, bias, settings, columns, type_rows(table.y, bias), views, outer_splits)

    @cached_property
    def shown(self) -> NDArray[np.float32]:
        """The training rows as they are shown."""
        return self.views.show(self.table.X)

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
        return floors(self.settings, fewest, n_rows + self.bias.additions)

    @cached_property
    def criterion(self) -> Criterion:
        """What the learner calls the best split, for kernels."""
        return criterion_of(self.settings.criterion, self.bias.n_labels)


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
