"""What a bias model means on one table: budgets, eligible rows, and where missing rows may lie.

The last room of the bias language: the domains and the walk over all trees see only `ResolvedBias`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from everytree.bias.acts import ACTS
from everytree.bias.check import check_component
from everytree.bias.columns import BoolArray, view_of
from everytree.bias.model import BiasModel, Component, as_bias
from everytree.bias.reach import Reach, as_array, find_additions, find_flips, find_removals
from everytree.bias.regions import Region, RegionTest
from everytree.errors import BiasError
from everytree.table.structure import TrainingTable

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["ResolvedBias", "ResolvedComponent", "resolve"]


@dataclass(frozen=True, eq=False)
class ResolvedComponent:
    """One component on one table.

    Parameters
    ----------
    component : Component
        As it was written.
    count : int
        Its amount as a number of rows.
    eligible : int
        Training rows that satisfy its condition.
    usable : int
        How many rows it can really touch: at most `count`, and no more than there are to flip or to remove;
        0 for missing rows whose condition can never hold.
    """

    component: Component
    count: int
    eligible: int
    usable: int


@dataclass(frozen=True, eq=False)
class ResolvedBias:
    """A bias model resolved against a table of n rows and `n_labels` labels.

    Parameters
    ----------
    n_labels : int
        Number of distinct labels.
    labels : tuple
        These labels, in order.
    additions, flips, removals : int
        The budgets m, l and k of the paper, summed over the components with such an act and clipped to what
        the table offers.
    flips_to : ndarray of bool, shape (n, n_labels)
        May this row be given this label? False for the label it has.
    removable : ndarray of bool, shape (n,)
        May this row be removed, perhaps after a flip?
    addable : ndarray of bool, shape (n_labels,)
        The labels S that an added row may carry.
    added_flips_to : ndarray of bool, shape (n_labels,)
        The labels that an added row may be flipped to.
    components : tuple of ResolvedComponent
        In the order of the model.

    Notes
    -----
    *Soundness.* Every table of B(T) is reached within these budgets and permissions. They allow more where
    several components have the same act: budgets are summed and permissions united, as in the paper. So they
    do where one component has several acts: its amount then counts in the budget of each.
    """

    n_labels: int
    labels: tuple[Any, ...]
    additions: int
    flips: int
    removals: int
    flips_to: BoolArray
    removable: BoolArray
    addable: BoolArray
    added_flips_to: BoolArray
    components: tuple[ResolvedComponent, ...]
    _missing: tuple[tuple[int, RegionTest], ...] = field(repr=False, default=())

    @property
    def budgets(self) -> tuple[int, ...]:
        """The budgets in the order of the acts."""
        return tuple(getattr(self, act.budget) for act in ACTS)

    @property
    def n_rows(self) -> int:
        """Number of training rows."""
        return int(self.removable.size)

    @property
    def additions_depend_on_region(self) -> bool:
        """Whether some missing rows are restricted by a column, so that `additions_in` is worth asking."""
        return any(test.mentions_columns for _, test in self._missing)

    @property
    def addition_columns(self) -> frozenset[str]:
        """Columns that decide where rows may be added."""
        return frozenset().union(*(test.columns for _, test in self._missing))

    def additions_in(self, region: Region) -> tuple[int, BoolArray]:
        """Bound the rows that may be added inside a region.

        Parameters
        ----------
        region : Mapping from str
            Column name to (low, high), meaning low < value <= high as the learner sees the value (float32),
            or to a frozenset of categories. A column that is absent is unrestricted.

        Returns
        -------
        additions : int
            At most this many added rows lie in the region.
        addable : ndarray of bool, shape (n_labels,)
            The labels they may carry.

        Notes
        -----
        *Soundness.* See `RegionTest`: a component is left out only if none of its rows can lie there. An
        added row may have any number, 0 or 1 in a boolean column, and any category, unseen ones included.
        """
        total = bits = 0
        for count, test in self._missing:
            labels = test.labels_in(region)
            if labels:
                total, bits = total + count, bits | labels
        return total, as_array(bits, self.n_labels)


def resolve(
    bias: BiasModel | str,
    table: TrainingTable | pd.DataFrame,
    y: npt.NDArray[Any] | None = None,
    labels: Sequence[Any] | npt.NDArray[Any] = (),
    label_name: str = "label",
) -> ResolvedBias:
    """Resolve a bias model against a training table.

    Parameters
    ----------
    bias : BiasModel or str
        The model; a text or dictionary is read first.
    table : TrainingTable or pandas.DataFrame
        The training table, whose columns say what they mean. Or the original columns alone, without the
        label: they are then taken as `everytree.table` takes columns that the learner does not see.
    y : ndarray of int, shape (n,)
        With a frame: the position of each row's label in `labels`.
    labels : sequence
        With a frame: the distinct labels, sorted.
    label_name : str
        With a frame: how the label is called in the user's file, for error messages.

    Returns
    -------
    ResolvedBias

    Raises
    ------
    BiasError
        If a name, category, label or type does not fit the table, if an amount is ``?``, if too many rows
        could be added, or if every row could be removed.
    """
    model = as_bias(bias)
    if y is None and not isinstance(table, TrainingTable):
        raise BiasError(
            f"A bias model is resolved against a training table; received a {type(table).__name__} alone. "
            "Pass what training_table makes of it, or the codes and the list of its labels as well."
        )
    view = view_of(table, y, labels, label_name)
    if len(view.frame) != view.n_rows:
        raise BiasError(
            f"The table has {len(view.frame)} rows but {view.n_rows} labels. Pass one label for each row."
        )
    for component in model.components:
        check_component(component, view)
    additions = find_additions(model, view)
    flips = find_flips(model, view, additions)
    removals = find_removals(model, view, flips)
    found = (*additions.reaches, *flips.reaches, *removals.reaches)
    return ResolvedBias(
        n_labels=len(view.labels),
        labels=tuple(view.labels),
        additions=additions.budget,
        flips=flips.budget,
        removals=removals.budget,
        flips_to=flips.flips_to,
        removable=removals.removable,
        addable=as_array(additions.bits, len(view.labels)),
        added_flips_to=as_array(flips.added_bits, len(view.labels)),
        components=tuple(
            _together([reach for reach in found if reach.component is component])
            for component in model.components
        ),
        _missing=additions.tests,
    )


def _together(reaches: list[Reach]) -> ResolvedComponent:
    """Join what the acts of one component can touch; a row that two of them can touch is one row."""
    first = reaches[0]
    rows = np.any([reach.rows for reach in reaches], axis=0)
    touched = int(rows.sum()) + max(reach.added for reach in reaches)
    return ResolvedComponent(
        first.component, first.count, int(first.eligible.sum()), min(first.count, touched)
    )
