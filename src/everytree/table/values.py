"""What a column means, decided here and nowhere else: number, boolean or category, and category codes.

Second step of `everytree.table`. Every later room reads the decision from `Column.kind`. Everything that
could make a value mean something else than the user thinks (text among numbers, dates) is refused here, by
column and row.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from everytree.errors import TableError
from everytree.support.text import listing
from everytree.table.frames import Source, plain_column
from everytree.table.structure import MISSING, Column, Encoding, Kind

__all__ = [
    "category_codes",
    "holds_numbers",
    "is_numeric",
    "is_plain",
    "kind_of",
    "number_kind",
    "plain_numbers",
    "raw_column",
    "unread_column",
]

NUMERIC_SHARE = 0.9
"""From this share of numbers on, a text column counts as a numeric column with stray text."""

MISSING_MARKS = frozenset({"", "-", "?", "na", "n/a", "nan", "null", "none", "nil", "missing"})
"""Texts, in lower case, that often stand for a missing number."""


def is_numeric(column: pd.Series[Any], source: Source) -> bool:
    """Tell numbers (ints, floats, booleans) from categories, and refuse everything else.

    Raises
    ------
    TableError
        For dates, for values that are neither number nor text, and for a mixture of both.
    """
    dtype: Any = column.dtype
    if dtype.kind in "iufb":
        return True
    kind = pd.api.types.infer_dtype(column.dropna(), skipna=True)
    if kind in ("integer", "floating", "mixed-integer-float", "boolean"):
        return True
    if kind == "empty":  # nothing but missing values: numbers for scikit-learn, unless the type says text
        return not isinstance(dtype, pd.StringDtype)
    if kind == "string":
        return False
    if kind in ("mixed", "mixed-integer"):
        _refuse_stray_text(column, source)
    raise TableError(
        f"Column {column.name!r} of the {source.role} holds {_type_names(column)} ({kind}). Allowed are "
        "numbers, booleans and text, one of them in a column. Convert the column, for example with "
        ".astype(str) for categories, or to a number such as days for a date, or drop it."
    )


def _type_names(column: pd.Series[Any]) -> str:
    types = sorted({type(value).__name__ for value in column.iloc[:1000].tolist()})
    return f"values of type {' and '.join(types)}"


def _refuse_stray_text(column: pd.Series[Any], source: Source) -> None:
    """Refuse a column of mostly numbers in which some entry is text (or all are numbers as text)."""
    rows_of = np.flatnonzero(column.notna().to_numpy())
    texts = column.iloc[rows_of].astype(str)
    codes, distinct = pd.factorize(texts)
    number = pd.to_numeric(pd.Series(distinct, dtype=object), errors="coerce").notna().to_numpy()
    mark = np.array([text.strip().casefold() in MISSING_MARKS for text in distinct], dtype=bool)
    rows = np.bincount(codes, minlength=len(distinct))
    numbers, others = int(rows[number].sum()), int(rows[~number & ~mark].sum())
    if numbers == 0 or numbers < NUMERIC_SHARE * (numbers + others):
        return
    if number.all():
        raise TableError(
            f"Column {column.name!r} of the {source.role} holds numbers written as text, such as "
            f"{texts.iloc[0]!r}. Write them as numbers in the file, convert the column with "
            ".astype(float), or declare it categorical if the numbers "
            f"are codes (--categorical {column.name}, or categorical=[{column.name!r}])."
        )
    row = int(rows_of[np.flatnonzero(~number[codes])[0]])
    raise TableError(
        f"Column {column.name!r} of the {source.role} holds non-numeric text in a numeric column: "
        f"{column.iloc[row]!r} in {source.place(row)}; {numbers} of its {len(column)} values are numbers. "
        f"Correct the text, or declare the column categorical (--categorical {column.name}, or "
        f"categorical=[{column.name!r}])."
    )


def number_kind(column: pd.Series[Any]) -> Kind:
    """Decide whether a column of numbers is boolean: nothing but 0 and 1, exactly, in the user's own values.

    Never asked of float32 images: 0.9999999999999999 is not 1, and 1e-50 is not 0. Missing values do not
    count.
    """
    values, missing = plain_numbers(column)
    if values.dtype.kind == "b":
        return "boolean"
    head = slice(0, 256)
    for part in (head, slice(head.stop, None)):  # most columns of numbers show it in their first rows
        if not ((values[part] == 0) | (values[part] == 1) | missing[part]).all():
            return "numeric"
    return "numeric" if missing.all() else "boolean"


def kind_of(source: Source, name: str, image: NDArray[np.float32]) -> Kind:
    """What `number_kind` says of a column; of whole numbers 0 and 1 alone become 0 and 1 in float32."""
    dtype = source.dtypes[name]
    if isinstance(dtype, np.dtype) and dtype.kind in "iu":
        return "boolean" if ((image == 0) | (image == 1)).all() else "numeric"
    return number_kind(source.frame[name])


def is_plain(dtype: Any) -> bool:
    """Tell whether a type is one of numpy's for numbers, so that no value needs to be looked at."""
    return isinstance(dtype, np.dtype) and dtype.kind in "iufb"


def plain_numbers(column: pd.Series[Any]) -> tuple[NDArray[Any], NDArray[np.bool_]]:
    """Give a numeric column as it is stored, without a detour through another type, and its holes.

    Returns
    -------
    values : ndarray
        Of the column's own type; anything where a value is missing.
    missing : ndarray of bool
    """
    if isinstance(column.dtype, np.dtype) and column.dtype.kind in "iub":
        return np.asarray(column), np.zeros(len(column), np.bool_)  # nothing can be missing
    missing = column.isna().to_numpy()
    plain = getattr(column.dtype, "numpy_dtype", None)
    if plain is None:
        return np.asarray(column), missing
    if missing.any():
        return column.to_numpy(dtype=plain, na_value=plain.type(0)), missing
    return column.to_numpy(dtype=plain), missing


def holds_numbers(dtype: Any) -> bool:
    """Tell whether a type stores numbers or booleans; a categorical type stores neither."""
    return getattr(dtype, "kind", "O") in "biuf" and not hasattr(dtype, "categories")


def unread_column(
    column: pd.Series[Any], features: tuple[int, ...], encoding: Encoding, *, declared: bool
) -> Column:
    """Describe a column that the learner sees not at all, or not in a way that can be read back.

    Nothing about its values is refused: missing ones and dates are left to whoever refers to them.

    Parameters
    ----------
    column : pandas.Series
        The values.
    features : tuple of int
        The features that depend on it.
    encoding : {"opaque", "dropped"}
        How it is seen.
    declared : bool
        Whether it holds categories whatever its values look like: it has a categorical type, was declared
        categorical, or goes through an encoder of categories.
    """
    name = str(column.name)
    if holds_numbers(column.dtype) and not declared:
        return Column(name, number_kind(column), (), features, encoding)
    try:
        categories = tuple(sorted(column.dropna().unique().tolist()))
    except TypeError:
        categories = ()
    return Column(name, "categorical", categories, features, encoding)


def raw_column(column: pd.Series[Any]) -> Column:
    """Describe a column of a frame about which nothing but its values and its type is known."""
    return unread_column(plain_column(column), (), "dropped", declared=hasattr(column.dtype, "categories"))


def category_codes(
    column: pd.Series[Any], source: Source, *, declared: bool
) -> tuple[NDArray[np.int64], tuple[Any, ...]]:
    """Give the distinct values of a categorical column numbers, in order of first appearance.

    Parameters
    ----------
    column : pandas.Series
        The values.
    source : Source
        Where they come from.
    declared : bool
        Whether the user said that the column is categorical; if not, text that is nearly always a
        number is refused.

    Returns
    -------
    codes : ndarray of int64
        For each row a position in `distinct`.
    distinct : tuple
        The distinct values; missing ones are a category of their own, `MISSING`, behind all others.
    """
    if not declared:
        _refuse_stray_text(column, source)
    codes, distinct = pd.factorize(column)
    values = tuple(np.asarray(distinct, dtype=object).tolist())
    if len({isinstance(value, str) for value in values}) > 1:
        raise TableError(
            f"Column {column.name!r} of the {source.role} mixes text and numbers: {listing(values)}. The "
            "categories of a column must be of one type. Convert the column with .astype(str)."
        )
    missing = codes < 0
    if missing.any():
        codes, values = np.where(missing, len(values), codes), (*values, MISSING)
    return codes.astype(np.int64), values
