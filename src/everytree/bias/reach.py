"""What the acts of a bias model can touch on one table: rows, labels, and at most how often.

Serves `resolve`: one function for each act, over all components that have it. Rows are added first, then
flipped, then removed, so each function sees what those before it found.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from everytree.bias.acts import ADD, FLIP, REMOVE
from everytree.bias.columns import BoolArray, TableView
from everytree.bias.language.amounts import MOST_AMOUNT
from everytree.bias.language.expressions import leaves
from everytree.bias.model import BiasModel, Component
from everytree.bias.regions import RegionTest
from everytree.errors import BiasError

__all__ = [
    "Additions",
    "Flips",
    "Reach",
    "Removals",
    "as_array",
    "find_additions",
    "find_flips",
    "find_removals",
]


@dataclass(frozen=True, eq=False)
class Reach:
    """What one act of a component can touch: these rows of T, and so many rows that are added."""

    component: Component
    count: int
    eligible: BoolArray
    rows: BoolArray
    added: int = 0

    @property
    def usable(self) -> int:
        """At most how often the act can be done."""
        return min(self.count, int(self.rows.sum()) + self.added)


@dataclass(frozen=True, eq=False)
class Additions:
    """Rows that may be added: at most how many, their labels as bits, and where they may lie."""

    budget: int
    bits: int
    tests: tuple[tuple[int, RegionTest], ...]
    reaches: list[Reach]


@dataclass(frozen=True, eq=False)
class Flips:
    """Labels that may be changed: at most how many, to what, and to what in added rows (as bits)."""

    budget: int
    flips_to: BoolArray
    added_bits: int
    reaches: list[Reach]


@dataclass(frozen=True, eq=False)
class Removals:
    """Rows that may be removed, and at most how many."""

    budget: int
    removable: BoolArray
    reaches: list[Reach]


def find_additions(model: BiasModel, table: TableView) -> Additions:
    """Sum the rows that may be missing; a component that can never hold adds none."""
    bits, tests, reaches = 0, [], []
    nowhere = np.zeros(table.n_rows, dtype=bool)
    for component, eligible, count in _counted(model, ADD, table):
        test = RegionTest.of(component.where, table)
        labels = test.labels_in({}) if count else 0
        if labels:
            tests.append((count, test))
            bits |= labels
        reaches.append(Reach(component, count, eligible, nowhere, count if labels else 0))
    budget = sum(reach.usable for reach in reaches)
    if budget > MOST_AMOUNT:
        raise BiasError(
            f"{_names(reaches)} may add at most {MOST_AMOUNT} rows in all; received {budget}, summed over "
            f"its {len(reaches)} components. Lower their amounts."
        )
    return Additions(budget, bits, tuple(tests), reaches)


def find_flips(model: BiasModel, table: TableView, additions: Additions) -> Flips:
    """Unite the rows that may be flipped; added rows may be flipped as well."""
    flips_to = np.zeros((table.n_rows, len(table.labels)), dtype=bool)
    added_bits, reaches = 0, []
    for component, eligible, count in _counted(model, FLIP, table):
        targets = _targets(component, table)
        flippable = eligible & _has_target(targets)[table.y]
        added = _added_targets(component, targets, table, additions) if count and additions.budget else 0
        reaches.append(Reach(component, count, eligible, flippable, additions.budget if added else 0))
        if count:
            for label in np.flatnonzero(targets).tolist():  # by columns: rows are short, and take longer
                flips_to[:, label] |= eligible
            added_bits |= added
    some = np.zeros(table.n_rows, dtype=bool)
    for label in range(len(table.labels)):
        flips_to[:, label] &= table.y != label
        some |= flips_to[:, label]
    offered = int(some.sum()) + (additions.budget if added_bits else 0)
    return Flips(min(sum(reach.usable for reach in reaches), offered), flips_to, added_bits, reaches)


def find_removals(model: BiasModel, table: TableView, flips: Flips) -> Removals:
    """Unite the rows that may be removed, with their own label or with one that a flip may give them."""
    removable = np.zeros(table.n_rows, dtype=bool)
    reaches = []
    for component, eligible, count in _counted(model, REMOVE, table):
        reachable = eligible
        if flips.budget and any(leaf.column is None for leaf in leaves(component.where)):
            reachable = eligible.copy()
            for label in np.flatnonzero(flips.flips_to.any(axis=0)):
                reachable |= flips.flips_to[:, label] & table.rows(component.where, given_label=int(label))
        reaches.append(Reach(component, count, eligible, reachable))
        if count:
            removable |= reachable
    budget = min(sum(reach.usable for reach in reaches), int(removable.sum()))
    if reaches and budget >= table.n_rows:
        raise BiasError(
            f"{_names(reaches)} may remove fewer rows than the table has ({table.n_rows}); received "
            f"{budget}, which leaves an empty table. Lower the amount or narrow its where."
        )
    return Removals(budget, removable, reaches)


def _names(reaches: list[Reach]) -> str:
    return " or ".join(dict.fromkeys(reach.component.kind for reach in reaches))


def _counted(model: BiasModel, act: int, table: TableView) -> Iterable[tuple[Component, BoolArray, int]]:
    """Give each component that has an act with its eligible rows and its amount in rows."""
    for component in model.components:
        if act in component.acts:
            eligible = table.rows(component.where)
            yield component, eligible, component.amount.rows(table.n_rows, int(eligible.sum()))


def _targets(component: Component, table: TableView) -> BoolArray:
    allowed = table.labels if component.to is None else component.to
    return np.array([value in allowed for value in table.labels], dtype=bool)


def _has_target(targets: BoolArray) -> BoolArray:
    """Tell for each label whether it may be flipped to another one."""
    other = targets.sum() - targets
    return np.asarray(other > 0)


def _added_targets(component: Component, targets: BoolArray, table: TableView, additions: Additions) -> int:
    """Give the labels that this component may flip an added row to, as bits."""
    possible = RegionTest.of(component.where, table).labels_in({}) & additions.bits
    sources = as_array(possible, len(table.labels))
    reached = [bool(target) and sources.sum() - sources[place] > 0 for place, target in enumerate(targets)]
    return sum(1 << place for place, hit in enumerate(reached) if hit)


def as_array(bits: int, n_labels: int) -> BoolArray:
    """Give labels that are bits of a number as an array."""
    return np.array([bits >> place & 1 for place in range(n_labels)], dtype=bool)
