"""Is a changed table really one of B(T)? Every act is given to a component that allows it.

The last check before a trial counts as a witness: amounts and conditions of each component by itself, not
the summed budgets that proofs may use. Conditions are read from a table of the user's own types, by the same
`TableView` that reads them from the training rows.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from everytree.bias.acts import ADD, FLIP, REMOVE
from everytree.bias.columns import TableView
from everytree.bias.language.expressions import leaves

if TYPE_CHECKING:
    import pandas as pd

    from everytree.prove.problem import Problem
    from everytree.refute.trial import Trial


class AddedRows:
    """Rows to add, in a frame with the training table's types, as the conditions of a model read them."""

    def __init__(self, problem: Problem, frame: pd.DataFrame) -> None:
        self.parts = [c.component for c in problem.bias.components if c.usable > 0]
        self.labels = problem.table.labels.tolist()
        table = problem.table
        self.view = TableView(
            frame, np.zeros(len(frame), np.int64), table.labels, table.label_name, table.columns
        )
        self.masks: dict[tuple[int, int], Any] = {}

    def accepts(self, component: Any, row: int, label: int) -> bool:
        """Whether a component's condition holds for a row with the given label."""
        key = (id(component), label)
        if key not in self.masks:
            self.masks[key] = self.view.rows(component.where, label)
        return bool(self.masks[key][row])

    def source(self, row: int, label: int) -> int | None:
        """Label with which a row may be added so that it ends with `label`, perhaps after a flip."""
        if self._some(ADD, row, label):
            return label
        for source in range(len(self.labels)):
            if source != label and self._some(ADD, row, source) and self._some(FLIP, row, source, label):
                return source
        return None

    def _some(self, act: int, row: int, label: int, to: int | None = None) -> bool:
        return any(
            self.accepts(c, row, label)
            for c in self.parts
            if act in c.acts and (to is None or c.to is None or self.labels[to] in c.to)
        )


class Membership:
    """Assigns the changes of trials to the components of one bias model."""

    def __init__(self, problem: Problem) -> None:
        table = problem.table
        self.problem = problem
        self.labels = table.labels
        self.y = table.y
        self.view = TableView.of(table)
        self.components = [(c.component, c.count) for c in problem.bias.components]
        self.boolean = sorted(
            {
                leaf.column
                for component, _ in self.components
                for leaf in leaves(component.where)
                if leaf.column is not None and self.view.column(leaf.column).kind == "boolean"
            }
        )
        self.masks: dict[tuple[int, int | None], Any] = {}

    def holds(self, trial: Trial, added: pd.DataFrame) -> bool:
        """Whether the trial is within the amounts and conditions of the components.

        `added` holds its new rows in the types of the table they are added to.
        """
        change = trial.change
        flips = [self._flip(row, label) for row, label in change.flipped.items()]
        additions, removals = [], []
        new = AddedRows(self.problem, added)
        if change.added and not self._columns_allow(trial, new.view):
            return False
        same = zip(map(id, change.added), change.labels, strict=True)
        alike: dict[tuple[int, int], list[int]] = {}
        for row, key in enumerate(same):
            alike.setdefault(key, []).append(row)
        for (_, label), rows in alike.items():
            source = new.source(rows[0], label)
            if source is None:
                return False
            accepts = partial(new.accepts, row=rows[0], label=source)
            additions += [self._allowing(ADD, accepts)] * len(rows)
            if source != label:
                flip = self._allowing(FLIP, lambda c, a=accepts, t=label: self._to(c, t) and a(c))
                flips += [flip] * len(rows)
        for row in change.removed:
            direct = self._allowing(REMOVE, lambda c, r=row: bool(self._rows(c)[r]))
            if direct:
                removals.append(direct)
                continue
            after = self._after_flip(row)
            if after is None:
                return False
            flips.append(after[0])
            removals.append(after[1])
        return self._assignable([*additions, *flips, *removals])

    def _columns_allow(self, trial: Trial, new: TableView) -> bool:
        """Whether added rows have what proofs assume of their columns.

        That is 0 or 1 wherever the training table has nothing else, and a value wherever no row lacks one.
        """
        table, features = self.problem.table, trial.features
        missing = np.isnan(features)
        if missing[:, ~table.has_holes].any():
            return False
        zero_one = (features == 0) | (features == 1) | missing
        named = [(new.column(name), self.view.column(name)) for name in self.boolean]
        return bool(zero_one[:, table.is_boolean].all()) and all(
            bool(((one.values == 0) | (one.values == 1) | (one.missing & known.missing.any())).all())
            for one, known in named
        )

    def _rows(self, component: Any, label: int | None = None) -> Any:
        """Training rows that satisfy a component's condition, all with the given label if there is one."""
        key = (id(component), label)
        if key not in self.masks:
            self.masks[key] = self.view.rows(component.where, label)
        return self.masks[key]

    def _flip(self, row: int, label: int) -> list[int]:
        return self._allowing(FLIP, lambda c: self._to(c, label) and bool(self._rows(c)[row]))

    def _to(self, component: Any, label: int) -> bool:
        return component.to is None or self.labels[label] in component.to

    def _allowing(self, act: int, test: Any) -> list[int]:
        return [i for i, (c, count) in enumerate(self.components) if act in c.acts and count > 0 and test(c)]

    def _after_flip(self, row: int) -> tuple[list[int], list[int]] | None:
        """Components for a row that may be removed only after a flip."""
        for label in range(len(self.labels)):
            if label != self.y[row]:
                flip = self._flip(row, label)
                removal = self._allowing(REMOVE, lambda c, j=label: bool(self._rows(c, j)[row]))
                if flip and removal:
                    return flip, removal
        return None

    def _assignable(self, wanted: list[list[int]]) -> bool:
        """Whether each act finds a component with amount left (augmenting paths over few components).

        Acts of all sorts together: a component that may do several of them has one amount for all.
        """
        holders: dict[int, list[int]] = {i: [] for i in range(len(self.components))}

        def place(change: int, tried: set[int]) -> bool:
            for i in wanted[change]:
                if i in tried:
                    continue
                tried.add(i)
                if len(holders[i]) < self.components[i][1]:
                    holders[i].append(change)
                    return True
                for k, other in enumerate(holders[i]):
                    if place(other, tried):
                        holders[i][k] = change
                        return True
            return False

        return all(place(change, set()) for change in _hardest_first(wanted))


def _hardest_first(wanted: list[list[int]]) -> Iterable[int]:
    return sorted(range(len(wanted)), key=lambda change: len(wanted[change]))
