"""The training table as conditions see it: columns by name, and the rows that satisfy a condition.

Sits between `expressions` and `resolve`. What a column means is decided in `everytree.table`; here its values
are compared with constants, whole columns at a time, and only when a condition mentions them.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from everytree.bias.language.expressions import And, Comparison, Condition, IsMissing, Leaf, Membership, Not
from everytree.bias.language.text import Constant
from everytree.table.frames import plain_column
from everytree.table.structure import MISSING, TrainingTable
from everytree.table.values import holds_numbers, plain_numbers, raw_column

if TYPE_CHECKING:
    import pandas as pd

    from everytree.table import Column as Meaning

__all__ = ["COMPARE", "BoolArray", "Column", "TableView", "holds", "view_of"]

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
    """One column of the training table, with its values.

    Parameters
    ----------
    name : str
        Its original name.
    kind : {"numeric", "boolean", "categorical"}
        What it means, as `everytree.table.Column` says.
    values : ndarray
        The numbers as they are stored or, where the values are no numbers, the position of each in `seen`.
    missing : ndarray of bool
        Rows without a value.
    are_numbers : bool
        Whether `values` are numbers; the categories of a categorical column may be.
    seen : tuple
        The values that occur in the rows (empty for numbers).
    categories : frozenset
        The categories that the encoding tells apart (empty for a numeric or boolean column), what is missing
        among them as `MISSING`.
    known : tuple
        The categories that may be named: those seen, those of the encoding, and those that a pandas category
        dtype declares.
    """

    name: str
    kind: str
    values: npt.NDArray[Any]
    missing: BoolArray
    are_numbers: bool
    seen: tuple[Any, ...] = ()
    categories: frozenset[Any] = frozenset()
    known: tuple[Any, ...] = ()

    @classmethod
    def of(cls, meaning: Meaning, series: pd.Series[Any]) -> Column:
        """Read the values of a column whose meaning is known."""
        declared = series.dtype.categories.tolist() if hasattr(series.dtype, "categories") else []
        series = plain_column(series)
        categories = meaning.categories
        if holds_numbers(series.dtype):
            values, missing = plain_numbers(series)
            known = _named((*categories, *declared))
            return cls(meaning.name, meaning.kind, values, missing, True, (), frozenset(categories), known)
        try:
            codes, uniques = series.factorize()
        except TypeError:  # lists and the like, which cannot be keys, are known by their text
            codes, uniques = series.map(repr).factorize()
        seen = tuple(uniques.tolist())
        known = _named((*seen, *categories, *declared))
        told_apart = frozenset(categories or seen)
        return cls(meaning.name, "categorical", codes, codes < 0, False, seen, told_apart, known)

    @property
    def is_zero_one(self) -> bool:
        """Whether a truth value may be compared with it."""
        return self.kind == "boolean" or (bool(self.categories) and self.categories <= {0, 1, MISSING})

    def constant(self, value: Constant) -> Any:
        """Give a constant as the column would hold it, so that comparing the two rounds nothing any more.

        A truth value is 0 or 1; in a column of floats a number is rounded to their type (0.1 in a column of
        float32 is the float32 next to it), and in a column of whole numbers 3.0 is 3.
        """
        number = int(value) if isinstance(value, bool) else value
        if self.are_numbers and self.values.dtype.kind == "f":
            with np.errstate(over="ignore"):
                return self.values.dtype.type(number)
        return int(number) if isinstance(number, float) and number.is_integer() else number

    def compare(self, operator: str, value: Constant) -> BoolArray:
        """Give the rows in which the comparison with `value` holds; a missing value satisfies only ``!=``."""
        if not self.are_numbers:
            equal = self.isin((value,))
            return equal if operator == "==" else ~equal
        answers = COMPARE[operator](self.values, self.constant(value))
        rows: BoolArray = np.where(self.missing, operator == "!=", np.asarray(answers, dtype=bool))
        return rows

    def isin(self, values: Sequence[Constant]) -> BoolArray:
        """Give the rows whose value is one of `values`; a missing value never is."""
        if self.are_numbers:
            rows: BoolArray = np.logical_or.reduce([self.compare("==", value) for value in values])
            return rows
        wanted = set(values)
        chosen = np.array([category in wanted for category in self.seen] + [False])
        found: BoolArray = chosen[self.values]
        return found


def _named(values: Sequence[Any]) -> tuple[Any, ...]:
    """Give each value once that a comparison can name."""
    return tuple(value for value in dict.fromkeys(values) if value is not MISSING)


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
    columns : sequence of everytree.table.Column, optional
        What the columns mean. Without it they are looked at as if the learner saw none of them.
    """

    def __init__(
        self,
        frame: pd.DataFrame,
        y: npt.NDArray[Any],
        labels: Sequence[Any] | npt.NDArray[Any],
        label_name: str = "label",
        columns: Sequence[Meaning] = (),
    ):
        self.frame = frame
        self.y = np.asarray(y)
        self.labels: list[Any] = np.asarray(labels).tolist()
        self.label_name = label_name
        self.places = {str(name): place for place, name in enumerate(frame.columns)}
        self.meanings: Mapping[str, Meaning] = {column.name: column for column in columns}
        self._columns: dict[str, Column] = {}
        self._rows: dict[Condition, BoolArray] = {}

    @classmethod
    def of(cls, table: TrainingTable) -> TableView:
        """View a training table, with what its columns mean."""
        return cls(table.frame, table.y, table.labels, table.label_name, table.columns)

    @property
    def n_rows(self) -> int:
        """Number of training rows."""
        return int(self.y.size)

    def column(self, name: str) -> Column:
        """Give the column called `name`, which must exist."""
        if name not in self._columns:
            series = self.frame.iloc[:, self.places[name]]
            meaning = self.meanings.get(name) or raw_column(series.rename(name))
            self._columns[name] = Column.of(meaning, series)
        return self._columns[name]

    def leaf_rows(self, leaf: Leaf) -> BoolArray:
        """Give the rows in which a leaf about a column holds."""
        if leaf not in self._rows:
            column = self.column(str(leaf.column))
            if isinstance(leaf, IsMissing):
                self._rows[leaf] = column.missing
            elif isinstance(leaf, Membership):
                self._rows[leaf] = column.isin(leaf.values)
            else:
                self._rows[leaf] = column.compare(leaf.operator, leaf.value)
        return self._rows[leaf]

    def leaf_labels(self, leaf: Leaf) -> BoolArray:
        """Give the labels for which a comparison or membership of the label holds."""
        if isinstance(leaf, Membership):
            return np.array([value in leaf.values for value in self.labels], dtype=bool)
        assert isinstance(leaf, Comparison)  # a label is never missing
        compare = COMPARE[leaf.operator]
        return np.array([compare(value, leaf.value) for value in self.labels], dtype=bool)

    def rows(self, condition: Condition | None, given_label: int | None = None) -> BoolArray:
        """Give the rows that satisfy a condition, with their own label or all with `given_label`."""
        if condition is None:
            return np.ones(self.n_rows, dtype=bool)

        def answer(leaf: Leaf) -> Any:
            if leaf.column is not None:
                return self.leaf_rows(leaf)
            return self.leaf_labels(leaf)[self.y if given_label is None else given_label]

        return np.broadcast_to(holds(condition, answer), (self.n_rows,))


def view_of(
    table: TrainingTable | pd.DataFrame,
    y: npt.NDArray[Any] | None = None,
    labels: Sequence[Any] | npt.NDArray[Any] = (),
    label_name: str = "label",
) -> TableView:
    """View a training table or, with labels beside it, a frame about which nothing else is known."""
    if isinstance(table, TrainingTable):
        return TableView.of(table)
    return TableView(table, np.zeros(len(table), np.int64) if y is None else y, labels, label_name)


def holds(condition: Condition, answer: Callable[[Leaf], Any]) -> Any:
    """Evaluate a condition from the answers to its leaves, which may be arrays joined by ``& | ~``."""
    if isinstance(condition, Leaf):
        return answer(condition)
    if isinstance(condition, Not):
        return ~holds(condition.part, answer)
    parts = [holds(part, answer) for part in condition.parts]  # type: ignore[attr-defined]
    joined = parts[0]
    for part in parts[1:]:
        joined = joined & part if isinstance(condition, And) else joined | part
    return joined
