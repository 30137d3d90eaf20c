"""Rows to add: original values that lie where a program wants them and that a person would accept.

Values come from the training table wherever possible, so a witness never invents a category and only goes
beyond the known numbers when the program asks for that. A new number is one that its column can store.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from everytree.bias.acts import ADD
from everytree.bias.columns import TableView
from everytree.bias.language.expressions import constants_of, leaves
from everytree.errors import TableError
from everytree.refute.membership import AddedRows
from everytree.refute.storage import NOTHING, beside, between, is_missing, rows_like, stored
from everytree.support.clock import now
from everytree.table import encode_added
from everytree.table.structure import MISSING, Bounds
from everytree.table.values import plain_numbers

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    import pandas as pd
    from numpy.typing import NDArray

    from everytree.prove.problem import Problem
    from everytree.table import Column

TEMPLATES = 40
"""Training rows that are tried as a template of an added row."""

Row = tuple[object, ...]


class RowMaker:
    """Makes rows that some component may add and that lie within bounds on the features.

    With `near` it prefers, instead of the numbers that conditions name, those right beside them.
    """

    def __init__(self, problem: Problem, near: bool = False, deadline: float = math.inf) -> None:
        self.problem = problem
        self.deadline = deadline
        self.frame = problem.table.frame
        self.cache: dict[tuple[object, ...], Row | None] = {}
        self.missing = [
            c.component for c in problem.bias.components if ADD in c.component.acts and c.usable > 0
        ]
        self.view = TableView.of(problem.table)
        named = _constants(self.missing)
        self.constants = {
            column.name: list(self._held(column, named[column.name], near))
            for column in problem.table.columns
            if column.name in named and column.kind != "categorical"
        }

    def _held(self, column: Column, numbers: list[Any], near: bool) -> Iterator[Any]:
        """Give the numbers of conditions, or their neighbours, as the column stores them."""
        dtype = self.frame[column.name].dtype
        boolean = self.view.column(column.name).kind == "boolean"
        for number in numbers:
            for value in beside(number, dtype) if near else [stored(number, dtype)]:
                if value is not NOTHING and (value in (0, 1) or not boolean):
                    yield value

    def row(self, bounds: dict[int, tuple[float, float]], label: int) -> Row | None:
        """Original values of a row to add; None if none was found before the deadline."""
        key = (tuple(sorted(bounds.items())), label)
        if key not in self.cache:
            self.cache[key] = self._make(bounds, label)
        return self.cache[key]

    def _make(self, bounds: dict[int, tuple[float, float]], label: int) -> Row | None:
        table = self.problem.table
        X = self.problem.shown
        fits = np.ones(len(X), np.int64)
        for feature, interval in bounds.items():
            fits += _inside(X[:, feature], interval)
        allowed = self._allowed_rows(label)
        order = np.argsort(-(fits * 2 + allowed), kind="stable")[:TEMPLATES]
        region = self.problem.region(bounds)
        tried: set[str] = set()  # by their text: a value need not be hashable
        for template in order:
            values = []
            for column in table.columns:
                value = self._value(column, region.get(column.name), int(template))
                if value is NOTHING:
                    return None
                values.append(value)
            for row in self._variants(tuple(values)):
                if repr(row) in tried:
                    continue
                if now() > self.deadline:
                    return None
                tried.add(repr(row))
                if self._lies(row, bounds) and self._may_be_added(row, label):
                    return row
        return None

    def _variants(self, row: Row) -> list[Row]:
        """The row as it is, and with columns set to the numbers that conditions ask for."""
        return [row] + [
            (*row[:place], constant, *row[place + 1 :])
            for place, name in enumerate(self.frame.columns)
            for constant in self.constants.get(str(name), [])[:4]
        ]

    def _allowed_rows(self, label: int) -> NDArray[np.bool_]:
        """Training rows whose values some component that adds rows would accept with this label."""
        masks = [self.view.rows(component.where, label) for component in self.missing]
        return np.any(masks, axis=0) if masks else np.ones(len(self.frame), np.bool_)

    def _may_be_added(self, row: Row, label: int) -> bool:
        return AddedRows(self.problem, self.as_frame([row])).source(0, label) is not None

    def _value(self, column: Column, possible: Any, template: int) -> Any:
        """A value of one column: the template's if it fits, else another training value, else a new one."""
        values = self.frame[column.name]
        own = values.iloc[template]
        if possible is None or getattr(values.dtype, "kind", "O") in "mM":
            return own  # dates are not made up; whether this one lies there is seen when it is encoded
        if isinstance(possible, frozenset):
            known = [category for category in column.categories if category in possible]
            if (MISSING if is_missing(own) else own) in known:
                return own
            return NOTHING if not known else _hole(values) if known[0] is MISSING else known[0]
        if is_missing(own) and len(possible) == 3:
            return own
        if not is_missing(own) and _inside(own, possible):
            return own
        for constant in self.constants.get(column.name, ()):
            if _inside(constant, possible):
                return constant
        inside = np.flatnonzero(values.notna() & _inside(plain_numbers(values)[0], possible))
        if len(inside):
            return values.iloc[int(inside[len(inside) // 2])]
        low, high = possible[:2]
        new: Iterable[Any] = between(low, high, values.dtype)
        if column.kind == "boolean":
            new = (stored(number, values.dtype) for number in (0, 1))
        nothing = _hole(values) if len(possible) == 3 else NOTHING
        return next((value for value in new if _inside(value, possible)), nothing)

    def as_frame(self, rows: Iterable[Row]) -> pd.DataFrame:
        """Rows with the original columns, in their original types."""
        return rows_like(self.frame, list(rows))

    def _lies(self, row: Row, bounds: dict[int, tuple[float, float]]) -> bool:
        """Whether the learner sees a row within the bounds; not if an encoder does not know its values."""
        try:
            encoded = self.problem.views.show(self.encode((row,)))[0]
        except TableError:
            return False
        return all(_inside(encoded[feature], interval) for feature, interval in bounds.items())

    def encode(self, rows: tuple[Row, ...]) -> NDArray[np.float32]:
        """Rows as the learner sees them; a row that comes many times is looked at once."""
        if not rows:
            return np.empty((0, self.problem.table.X.shape[1]), np.float32)
        distinct = {id(row): row for row in rows}
        place = {key: number for number, key in enumerate(distinct)}
        table = self.problem.table
        seen = encode_added(table, self.as_frame(distinct.values()))
        return seen[[place[id(row)] for row in rows]]


def _hole(values: pd.Series[Any]) -> Any:
    """What stands for a missing value in a column that has some; NOTHING if it has none."""
    missing = values[values.isna()]
    return missing.iloc[0] if len(missing) else NOTHING


def _inside(values: Any, interval: Bounds) -> Any:
    """Whether values, rounded to float32 as the learner sees them, lie in low < value <= high.

    Nothing lies before minus infinity, which stands for what is missing.
    """
    with np.errstate(over="ignore"):
        seen = np.asarray(values, np.float32).astype(np.float64)
    return ((seen > interval[0]) | (interval[0] == -math.inf)) & (seen <= interval[1])


def _constants(components: list[Any]) -> dict[str, list[Any]]:
    """Numbers that conditions compare each column with: a condition may ask for exactly these."""
    found: dict[str, list[Any]] = {}
    for component in components:
        for leaf in leaves(component.where):
            if leaf.column is not None:
                numbers = [v for v in constants_of(leaf) if isinstance(v, int | float)]
                found.setdefault(leaf.column, []).extend(numbers)
    return found
