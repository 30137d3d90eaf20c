"""Rows to add: original values that lie where a program wants them and that a person would accept.

Values come from the training table wherever possible, so a witness never invents a category and only goes
beyond the known numbers when the program asks for that.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from everytree.bias.columns import TableView
from everytree.bias.language.expressions import Membership, leaves
from everytree.table import test_table

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from everytree.prove.problem import Problem
    from everytree.table import Column

TEMPLATES = 40
"""Training rows that are tried as a template of an added row."""


class RowMaker:
    """Makes rows that satisfy a `miss` component and lie within bounds on the features."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.frame = problem.table.frame
        self.cache: dict[tuple[object, ...], tuple[object, ...] | None] = {}
        self.constants = _constants(self._components("miss"))

    def row(self, bounds: dict[int, tuple[float, float]], label: int) -> tuple[object, ...] | None:
        """Original values of a row to add; None if none was found."""
        key = (tuple(sorted(bounds.items())), label)
        if key not in self.cache:
            self.cache[key] = self._make(bounds, label)
        return self.cache[key]

    def _make(self, bounds: dict[int, tuple[float, float]], label: int) -> tuple[object, ...] | None:
        table = self.problem.table
        X = table.X
        fits = np.ones(len(X), np.int64)
        for feature, interval in bounds.items():
            fits += _inside(X[:, feature], interval)
        allowed = self._allowed_rows(label)
        order = np.argsort(-(fits * 2 + allowed), kind="stable")[:TEMPLATES]
        region = table.region(bounds)
        for template in order:
            values = []
            for column in table.columns:
                value = self._value(column, region.get(column.name), int(template))
                if value is _IMPOSSIBLE:
                    return None
                values.append(value)
            for row in self._variants(tuple(values)):
                if self._lies(row, bounds) and self.source_of(row, label) is not None:
                    return row
        return None

    def _variants(self, row: tuple[object, ...]) -> list[tuple[object, ...]]:
        """The row as it is, and with columns set to the numbers that conditions ask for."""
        return [row] + [
            (*row[:place], constant, *row[place + 1 :])
            for place, name in enumerate(self.frame.columns)
            for constant in self.constants.get(str(name), [])[:4]
            if _fits(constant, self.frame[name])
        ]

    def _allowed_rows(self, label: int) -> NDArray[np.bool_]:
        """Training rows whose values some `miss` component would accept with this label."""
        view = TableView.of(self.problem.table)
        masks = [view.rows(component.where, label) for component in self._components("miss")]
        return np.any(masks, axis=0) if masks else np.ones(len(self.frame), np.bool_)

    def _components(self, kind: str) -> list[Any]:
        return [
            c.component for c in self.problem.bias.components if c.component.kind == kind and c.usable > 0
        ]

    def source_of(self, row: tuple[object, ...], label: int) -> int | None:
        """Label with which a row may be added so that it ends with `label`, perhaps after a flip."""
        view = TableView(self.as_frame([row]), np.zeros(1, np.int64), self.problem.table.labels)
        missing = self._components("miss")
        if any(view.rows(c.where, label)[0] for c in missing):
            return label
        final = self.problem.table.labels[label]
        for source in range(self.problem.bias.n_labels):
            if source != label and any(view.rows(c.where, source)[0] for c in missing):
                flips = (c for c in self._components("flip") if c.to is None or final in c.to)
                if any(view.rows(c.where, source)[0] for c in flips):
                    return source
        return None

    def _value(self, column: Column, possible: Any, template: int) -> Any:
        """A value of one column: the template's if it fits, else another training value, else a new one."""
        values = self.frame[column.name]
        own = values.iloc[template]
        if possible is None:
            return own
        if isinstance(possible, frozenset):
            known = [category for category in column.categories if category in possible]
            return own if own in known else (known[0] if known else _IMPOSSIBLE)
        low, high = possible
        if _inside(own, possible):
            return own
        for constant in self.constants.get(column.name, ()):
            if _inside(constant, possible) and _fits(constant, values):
                return constant
        inside = np.flatnonzero(_inside(np.asarray(values, float), possible))
        if len(inside):
            return values.iloc[int(inside[len(inside) // 2])]
        if column.kind == "boolean":
            fitting = [v for v in (0, 1) if low < v <= high]
            return type(own)(fitting[0]) if fitting else _IMPOSSIBLE
        whole_only = values.dtype.kind in "iu"
        if np.isinf(low):
            new = np.floor(high) - 1
        elif np.isinf(high):
            new = np.ceil(low) + 1
        else:
            new = np.floor(high) if low < np.floor(high) else (low + high) / 2
        if not whole_only:
            return new
        return type(own)(new) if new == np.floor(new) else _IMPOSSIBLE

    def as_frame(self, rows: list[tuple[object, ...]]) -> Any:
        """Rows with the original columns."""
        return pd.DataFrame(rows, columns=list(self.frame.columns))

    def _lies(self, row: tuple[object, ...], bounds: dict[int, tuple[float, float]]) -> bool:
        encoded = self.encode((row,))[0]
        return all(_inside(encoded[feature], interval) for feature, interval in bounds.items())

    def encode(self, rows: tuple[tuple[object, ...], ...]) -> NDArray[np.float32]:
        """Rows as the learner sees them."""
        if not rows:
            return np.empty((0, self.problem.table.X.shape[1]), np.float32)
        table = self.problem.table
        return test_table(table, table.as_given(self.as_frame(list(rows)))).X


def _inside(values: Any, interval: tuple[float, float]) -> Any:
    """Whether values, rounded to float32 as the learner sees them, lie in low < value <= high."""
    seen = np.asarray(values, np.float32).astype(np.float64)
    return (seen > interval[0]) & (seen <= interval[1])


def _fits(number: float, column: Any) -> bool:
    """Whether a number is of the column's type: whole where the column holds whole numbers."""
    return column.dtype.kind not in "iu" or float(number).is_integer()


def _constants(components: list[Any]) -> dict[str, list[Any]]:
    """Numbers that conditions compare each column with: a condition may ask for exactly these."""
    found: dict[str, list[Any]] = {}
    for component in components:
        for leaf in leaves(component.where):
            if leaf.column is not None:
                values = leaf.values if isinstance(leaf, Membership) else (leaf.value,)
                found.setdefault(leaf.column, []).extend(v for v in values if isinstance(v, int | float))
    return found


_IMPOSSIBLE = object()
