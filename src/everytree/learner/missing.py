"""What becomes of missing values in tables that come from files: learned from, filled in, or told apart.

Behind ``--missing`` and ``[data] missing``. By default tables stay as they are: trees learn from missing
numbers, and missing text is a category of its own. Otherwise steps before the tree fill in; the table stays.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pandas as pd

from everytree.errors import TableError
from everytree.support.text import listing
from everytree.table.frames import Source, as_source, known_names
from everytree.table.groups import MISSING
from everytree.table.values import is_numeric

__all__ = ["WAYS", "Filled", "Way", "below_all", "fill"]

Way = Literal["learn", "impute", "category"]
WAYS: tuple[Way, ...] = ("learn", "impute", "category")
"""What may be done about missing values; the first is the default."""

NOTES = {
    "impute": "Missing values are filled in before the tree: numbers with the median of their column in the "
    "training table, everything else with its most frequent value ({}).",
    "category": "Missing numbers are one less than the smallest of their column for the tree ({}).",
}


@dataclass(frozen=True, eq=False)
class Filled:
    """Two tables whose missing values have found a place.

    Attributes
    ----------
    X_train, X_test : pandas.DataFrame
        As given; where steps set numbers apart, missing text is the category "missing".
    steps : sklearn.compose.ColumnTransformer or None
        What has to stand before the tree; it then does the work of `options` as well.
    options : dict
        ``drop``, ``categorical`` and ``encoding`` for `everytree.learner.prepare`; empty with steps.
    notes : tuple of str
        What a reader of a result should know.
    """

    X_train: pd.DataFrame
    X_test: pd.DataFrame
    steps: Any
    options: dict[str, Any]
    notes: tuple[str, ...] = ()

    def before(self, tree: Any) -> Any:
        """Put the steps before a tree; without any it is the tree itself."""
        return tree


def fill(
    way: Way,
    X_train: pd.DataFrame,
    X_test: pd.DataFrame,
    *,
    drop: Sequence[str] = (),
    categorical: Iterable[str] = (),
    encoding: Literal["onehot", "ordinal"] = "onehot",
    label_name: str = "label",
) -> Filled:
    """Say what becomes of the missing values of two tables.

    Parameters
    ----------
    way : {"learn", "impute", "category"}
        What is done for columns with holes in either table. Text, and numbers that are codes of categories,
        get a category of their own with "learn" and "category", and the most frequent one with "impute".
        Missing numbers are left to the tree with "learn", are the median with "impute", and one less than
        the smallest number with "category", so that one question tells them apart.
    X_train, X_test : pandas.DataFrame
        The tables, without the label.
    drop, categorical, encoding, label_name
        As in `everytree.table.training_table`. Holes of dropped columns are left alone. A column that only
        the test table has can be dropped, too.

    Returns
    -------
    Filled

    Raises
    ------
    TableError
        If a column has no values at all in the training table, and some would have to be filled in.
    """
    names = list(map(str, X_train.columns))
    extra = [name for name in drop if name in X_test.columns and name not in names]
    X_test, drop = X_test.drop(columns=extra), tuple(name for name in drop if name not in extra)
    dropped = known_names(drop, names, "drop", label_name)
    declared = known_names(categorical, names, "categorical", label_name)
    options = {"drop": drop, "categorical": categorical, "encoding": encoding}
    source = as_source(X_train, "training table")
    if way == "learn":
        return Filled(X_train, X_test, None, options)
    holes = [name for name in X_train.columns if name not in dropped and _has_holes(name, X_train, X_test)]
    texts = [name for name in holes if name in declared or not _are_numbers(source, str(name))]
    numbers = [name for name in holes if name not in texts]
    if not (numbers or (texts and way == "impute")):
        return Filled(X_train, X_test, None, options)  # missing text is a category of its own as it is
    X_train, X_test = _as_floats(numbers, X_train, X_test)
    if way == "category":
        X_train, X_test = _own_category(texts, X_train, X_test)
        holes = numbers
    _refuse_empty(X_train, holes)
    from everytree.learner.filling import FilledIn, Steps  # most tables do without what these import

    steps = Steps(way, as_source(X_train, "training table"), declared, encoding).together(dropped, holes)
    return FilledIn(X_train, X_test, steps, {}, (NOTES[way].format(listing(map(str, holes))),))


def _has_holes(name: Any, *tables: pd.DataFrame) -> bool:
    return any(name in table.columns and bool(table[name].isna().any()) for table in tables)


def _are_numbers(source: Source, name: str) -> bool:
    column = source.frame[name]
    return bool(column.isna().all()) or is_numeric(column, source)


def _as_floats(names: list[Any], *tables: pd.DataFrame) -> tuple[pd.DataFrame, ...]:
    """Store numbers and truth values with holes in the one type that can hold them."""
    there = ([name for name in names if name in table.columns] for table in tables)
    return tuple(table.astype(dict.fromkeys(each, float)) for table, each in zip(tables, there, strict=True))


def _own_category(names: list[Any], *tables: pd.DataFrame) -> tuple[pd.DataFrame, ...]:
    """Name the missing values of categorical columns; codes that are numbers get one below the smallest."""
    filled = []
    values = {name: _own_value(tables[0][name]) for name in names}
    for table in tables:
        there = [name for name in names if name in table.columns]
        table = table.copy(deep=False)
        for name in there:
            table[name] = table[name].astype(object).where(table[name].notna(), values[name]).infer_objects()
        filled.append(table)
    return tuple(filled)


def _own_value(column: pd.Series[Any]) -> Any:
    return below_all(column) if pd.api.types.is_numeric_dtype(column) and len(column.dropna()) else MISSING


def below_all(column: pd.Series[Any]) -> float:
    """A number below all others, also for a tree, which computes in float32."""
    low = float(column.astype(float).min())
    below = math.floor(low) - 1.0
    return below if np.float32(below) < np.float32(low) else low - abs(low)


def _refuse_empty(X_train: pd.DataFrame, names: list[Any]) -> None:
    empty = [str(name) for name in names if X_train[name].isna().all()]
    if empty:
        raise TableError(
            f"Nothing can be filled in where the training table has no values at all: {listing(empty)}. Drop "
            f"such a column (--drop {empty[0]}, or drop = [{empty[0]!r}])."
        )
