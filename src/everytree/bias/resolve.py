"""What a bias model means on one table: budgets, eligible rows, and where missing rows may lie.

The last room of the bias language: the domains and the walk over all trees see only `ResolvedBias`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from everytree.bias.check import check_component
from everytree.bias.columns import BoolArray, TableView, view_of
from everytree.bias.components import BiasModel, Component, as_bias
from everytree.bias.kinds import ADD, FLIP, KINDS, REMOVE
from everytree.bias.language.amounts import MOST_AMOUNT
from everytree.bias.language.expressions import leaves
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
        0 for a `miss` whose condition can never hold.
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
        The budgets m, l and k of the paper, summed over the components of a kind and clipped to what the
        table offers.
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
    several components of a kind are merged: budgets are summed and permissions united, as in the paper.
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
        """The budgets in the order of the kinds."""
        return tuple(getattr(self, kind.budget) for kind in KINDS)

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
        return total, _as_array(bits, self.n_labels)


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
    missing = _resolve_missing(model, view)
    flips = _resolve_flips(model, view, missing)
    fakes = _resolve_fakes(model, view, flips)
    by_component = {id(part.component): part for part in (*missing.parts, *flips.parts, *fakes.parts)}
    return ResolvedBias(
        n_labels=len(view.labels),
        labels=tuple(view.labels),
        additions=missing.budget,
        flips=flips.budget,
        removals=fakes.budget,
        flips_to=flips.flips_to,
        removable=fakes.removable,
        addable=_as_array(missing.bits, len(view.labels)),
        added_flips_to=_as_array(flips.added_bits, len(view.labels)),
        components=tuple(by_component[id(component)] for component in model.components),
        _missing=missing.tests,
    )


@dataclass(frozen=True, eq=False)
class _Missing:
    budget: int
    bits: int
    tests: tuple[tuple[int, RegionTest], ...]
    parts: list[ResolvedComponent]


@dataclass(frozen=True, eq=False)
class _Flips:
    budget: int
    flips_to: BoolArray
    added_bits: int
    parts: list[ResolvedComponent]


@dataclass(frozen=True, eq=False)
class _Fakes:
    budget: int
    removable: BoolArray
    parts: list[ResolvedComponent]


def _resolve_missing(model: BiasModel, table: TableView) -> _Missing:
    """Sum the rows that may be missing; a component that can never hold adds none."""
    bits, tests, parts = 0, [], []
    for component, eligible, count in _counted(model, ADD, table):
        test = RegionTest.of(component.where, table)
        labels = test.labels_in({}) if count else 0
        if labels:
            tests.append((count, test))
            bits |= labels
        parts.append(ResolvedComponent(component, count, int(eligible.sum()), count if labels else 0))
    budget = sum(part.usable for part in parts)
    if budget > MOST_AMOUNT:
        raise BiasError(
            f"miss may add at most {MOST_AMOUNT} rows in all; received {budget}, summed over its "
            f"{len(parts)} components. Lower their amounts."
        )
    return _Missing(budget, bits, tuple(tests), parts)


def _resolve_flips(model: BiasModel, table: TableView, missing: _Missing) -> _Flips:
    """Unite the rows that may be flipped; added rows may be flipped as well."""
    flips_to = np.zeros((table.n_rows, len(table.labels)), dtype=bool)
    added_bits, parts = 0, []
    for component, eligible, count in _counted(model, FLIP, table):
        targets = _targets(component, table)
        flippable = eligible & _has_target(targets)[table.y]
        added = _added_targets(component, targets, table, missing) if count and missing.budget else 0
        usable = min(count, int(flippable.sum()) + (missing.budget if added else 0))
        parts.append(ResolvedComponent(component, count, int(eligible.sum()), usable))
        if count:
            flips_to[:, targets] |= eligible[:, None]
            added_bits |= added
    flips_to[np.arange(table.n_rows), table.y] = False
    offered = int(flips_to.any(axis=1).sum()) + (missing.budget if added_bits else 0)
    return _Flips(min(sum(part.usable for part in parts), offered), flips_to, added_bits, parts)


def _resolve_fakes(model: BiasModel, table: TableView, flips: _Flips) -> _Fakes:
    """Unite the rows that may be removed, with their own label or with one that a flip may give them."""
    removable = np.zeros(table.n_rows, dtype=bool)
    parts = []
    for component, eligible, count in _counted(model, REMOVE, table):
        reachable = eligible
        if flips.budget and any(leaf.column is None for leaf in leaves(component.where)):
            reachable = eligible.copy()
            for label in np.flatnonzero(flips.flips_to.any(axis=0)):
                reachable |= flips.flips_to[:, label] & table.rows(component.where, given_label=int(label))
        parts.append(
            ResolvedComponent(component, count, int(eligible.sum()), min(count, int(reachable.sum())))
        )
        if count:
            removable |= reachable
    budget = min(sum(part.usable for part in parts), int(removable.sum()))
    if parts and budget >= table.n_rows:
        raise BiasError(
            f"fake may remove fewer rows than the table has ({table.n_rows}); received {budget}, "
            "which leaves an empty table. Lower the amount or narrow its where."
        )
    return _Fakes(budget, removable, parts)


def _counted(model: BiasModel, act: int, table: TableView) -> Iterable[tuple[Component, BoolArray, int]]:
    """Give each component of a kind with its eligible rows and its amount in rows."""
    for component in model.components:
        if component.act == act:
            eligible = table.rows(component.where)
            yield component, eligible, component.amount.rows(table.n_rows, int(eligible.sum()))


def _targets(component: Component, table: TableView) -> BoolArray:
    allowed = table.labels if component.to is None else component.to
    return np.array([value in allowed for value in table.labels], dtype=bool)


def _has_target(targets: BoolArray) -> BoolArray:
    """Tell for each label whether it may be flipped to another one."""
    other = targets.sum() - targets
    return np.asarray(other > 0)


def _added_targets(component: Component, targets: BoolArray, table: TableView, missing: _Missing) -> int:
    """Give the labels that this component may flip an added row to, as bits."""
    sources = _as_array(RegionTest.of(component.where, table).labels_in({}) & missing.bits, len(table.labels))
    reached = [bool(target) and sources.sum() - sources[place] > 0 for place, target in enumerate(targets)]
    return sum(1 << place for place, hit in enumerate(reached) if hit)


def _as_array(bits: int, n_labels: int) -> BoolArray:
    return np.array([bits >> place & 1 for place in range(n_labels)], dtype=bool)
