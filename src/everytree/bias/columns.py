"""The training table as conditions see it: columns by name, their kinds, the rows that satisfy a condition.

Sits between `expressions` and `resolve`. Works on whole columns with NumPy; a column is looked at only when a
condition mentions it.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from everytree.bias.language.expressions import And, Comparison, Condition, Membership, Not
from everytree.bias.language.text import Constant

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["COMPARE", "BoolArray", "Column", "TableView", "holds"]

BoolArray = npt.NDArray[np.bool_]

COMPARE: dict[str, Callable[[Any, Any], Any]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


@dataclass(frozen=True, eq=False)
class Column:
    """One column of the training table.

    Parameters
    ----------
    name : str
        Its original name.
    kind : {"numeric", "boolean", "categorical"}
        A column of numbers that are all 0 or 1 is boolean.
    values : ndarray
        The numbers, or for a categorical column the position of each value in `seen` (-1: missing).
    seen : tuple
        The categories that occur in the rows (empty for numbers).
    known : tuple
        The categories that may be named: those seen, and those that a pandas category dtype declares.
    """

    name: str
    kind: str
    values: npt.NDArray[Any]
    seen: tuple[Any, ...] = ()
    known: tuple[Any, ...] = ()

    @classmethod
    def read(cls, name: str, series: pd.Series[Any]) -> Column:
        """Look at a pandas column once and decide what it is."""
        if getattr(series.dtype, "kind", "O") in "biuf" and not hasattr(series.dtype, "categories"):
            values = np.asarray(series)
            if values.dtype.kind not in "biuf":
                values = values.astype(np.float64)
            boolean = values.dtype.kind == "b" or bool(((values == 0) | (values == 1)).all())
            return cls(name, "boolean" if boolean else "numeric", values)
        try:
            codes, uniques = series.factorize()
        except TypeError:  # lists and the like, which cannot be keys, are known by their text
            codes, uniques = series.map(repr).factorize()
        seen = tuple(uniques.tolist())
        declared = series.dtype.categories.tolist() if hasattr(series.dtype, "categories") else []
        return cls(
            name,
            "categorical",
            codes,
            seen,
            (*seen, *(value for value in declared if value not in set(seen))),
        )

    def compare(self, operator: str, value: Constant) -> BoolArray:
        """Give the rows in which the comparison with `value` holds; a missing value satisfies only ``!=``."""
        if self.kind != "categorical":
            rows: BoolArray = COMPARE[operator](self.values, int(value) if isinstance(value, bool) else value)
            return rows
        equal = self.isin((value,))
        return equal if operator == "==" else ~equal

    def isin(self, values: Sequence[Constant]) -> BoolArray:
        """Give the rows whose value is one of `values`."""
        if self.kind != "categorical":
            numbers = np.array([int(value) if isinstance(value, bool) else value for value in values])
            # As in a comparison: what a short float column holds is compared with the constant cut as short.
            short = self.values.dtype.kind == "f" and self.values.dtype.itemsize < 8
            return np.isin(self.values, numbers.astype(self.values.dtype) if short else numbers)
        wanted = set(values)
        chosen = np.array([category in wanted for category in self.seen] + [False])
        rows: BoolArray = chosen[self.values]
        return rows


class TableView:
    """The table that a bias model is resolved against.

    Parameters
    ----------
    frame : pandas.DataFrame
        The original columns, without the label.
    y : ndarray of int
        The position of each row's label in `labels`.
    labels : sequence
        The distinct labels, sorted.
    label_name : str
        How the label column is called in the user's file.
    """

    def __init__(
        self,
        frame: pd.DataFrame,
        y: npt.NDArray[Any],
        labels: Sequence[Any] | npt.NDArray[Any],
        label_name: str = "label",
    ):
        self.frame = frame
        self.y = np.asarray(y)
        self.labels: list[Any] = np.asarray(labels).tolist()
        self.label_name = label_name
        self.places = {str(name): place for place, name in enumerate(frame.columns)}
        self._columns: dict[str, Column] = {}
        self._rows: dict[Condition, BoolArray] = {}

    @property
    def n_rows(self) -> int:
        """Number of training rows."""
        return int(self.y.size)

    def column(self, name: str) -> Column:
        """Give the column called `name`, which must exist."""
        if name not in self._columns:
            self._columns[name] = Column.read(name, self.frame.iloc[:, self.places[name]])
        return self._columns[name]

    def leaf_rows(self, leaf: Comparison | Membership) -> BoolArray:
        """Give the rows in which a comparison or membership of a column holds."""
        if leaf not in self._rows:
            column = self.column(str(leaf.column))
            if isinstance(leaf, Membership):
                self._rows[leaf] = column.isin(leaf.values)
            else:
                self._rows[leaf] = column.compare(leaf.operator, leaf.value)
        return self._rows[leaf]

    def leaf_labels(self, leaf: Comparison | Membership) -> BoolArray:
        """Give the labels for which a comparison or membership of the label holds."""
        if isinstance(leaf, Membership):
            return np.array([value in leaf.values for value in self.labels], dtype=bool)
        compare = COMPARE[leaf.operator]
        return np.array([compare(value, leaf.value) for value in self.labels], dtype=bool)

    def rows(self, condition: Condition | None, given_label: int | None = None) -> BoolArray:
        """Give the rows that satisfy a condition, with their own label or all with `given_label`."""
        if condition is None:
            return np.ones(self.n_rows, dtype=bool)

        def answer(leaf: Comparison | Membership) -> Any:
            if leaf.column is not None:
                return self.leaf_rows(leaf)
            return self.leaf_labels(leaf)[self.y if given_label is None else given_label]

        return np.broadcast_to(holds(condition, answer), (self.n_rows,))


def holds(condition: Condition, answer: Callable[[Comparison | Membership], Any]) -> Any:
    """Evaluate a condition from the answers to its leaves, which may be arrays joined by ``& | ~``."""
    if isinstance(condition, Comparison | Membership):
        return answer(condition)
    if isinstance(condition, Not):
        return ~holds(condition.part, answer)
    parts = [holds(part, answer) for part in condition.parts]  # type: ignore[attr-defined]
    joined = parts[0]
    for part in parts[1:]:
        joined = joined & part if isinstance(condition, And) else joined | part
    return joined
