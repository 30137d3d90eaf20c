"""Values of columns: what kind each column is, and its way to float32 numbers or category codes.

Second step of `everytree.table`. Everything that could make a number mean something else than the
user thinks (missing values, infinities, text among numbers, dates) is refused here, by column and row.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from everytree.errors import TableError
from everytree.support.text import listing
from everytree.table.frames import Source
from everytree.table.structure import Column, Encoding

__all__ = [
    "boolean_features",
    "category_codes",
    "check_finite",
    "is_numeric",
    "number_block",
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
    kind = pd.api.types.infer_dtype(column, skipna=True)
    if kind in ("integer", "floating", "mixed-integer-float", "boolean"):
        return True
    if kind == "empty":
        _refuse_missing(column, source)
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


def _refuse_missing(column: pd.Series[Any], source: Source) -> None:
    missing = column.isna().to_numpy()
    if missing.any():
        row = int(missing.argmax())
        raise TableError(
            f"Column {column.name!r} of the {source.role} has a missing value in {source.place(row)} "
            f"({int(missing.sum())} in all). Missing values (NaN) are not supported. Fill them in, give "
            "them a category of their own, remove the rows, or drop the column."
        )


def _refuse_stray_text(column: pd.Series[Any], source: Source) -> None:
    """Refuse a column of mostly numbers in which some entry is text (or all are numbers as text)."""
    texts = column.astype(str)
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
    row = int(np.flatnonzero(~number[codes])[0])
    raise TableError(
        f"Column {column.name!r} of the {source.role} holds non-numeric text in a numeric column: "
        f"{column.iloc[row]!r} in {source.place(row)}; {numbers} of its {len(column)} values are numbers. "
        f"Correct the text, or declare the column categorical (--categorical {column.name}, or "
        f"categorical=[{column.name!r}])."
    )


def number_block(source: Source, names: Sequence[str]) -> NDArray[np.float32]:
    """Cast numeric columns to float32, in Fortran order, the way scikit-learn does.

    Raises
    ------
    TableError
        If a value is missing, infinite, or too large for float32.
    """
    frame = source.frame if len(names) == source.frame.shape[1] else source.frame[list(names)]
    dtypes: list[Any] = frame.dtypes.to_list()
    if all(isinstance(dtype, np.dtype) and dtype.kind in "iufb" for dtype in dtypes):
        values = frame.to_numpy(dtype=np.result_type(*set(dtypes)))
    else:
        parts = [pd.to_numeric(frame[name]).to_numpy(dtype=np.float64, na_value=np.nan) for name in names]
        values = np.column_stack(parts)
    with np.errstate(over="ignore"):
        block = values.astype(np.float32, order="F")
    check_finite(block, values, names, source)
    return block


def check_finite(
    block: NDArray[np.float32], values: NDArray[Any], names: Sequence[str], source: Source
) -> None:
    """Refuse a block of features that is not finite, naming the first column and row.

    Parameters
    ----------
    block : ndarray of float32
        The features after the cast.
    values : ndarray
        The same numbers before the cast, to tell infinity from overflow.
    names : sequence of str
        Names of the columns of the block.
    source : Source
        Where they come from.
    """
    finite = np.isfinite(block)
    if finite.all():
        return
    position = int(np.flatnonzero(~finite.all(axis=0))[0])
    row = int(np.flatnonzero(~finite[:, position])[0])
    where = f"Column {names[position]!r} of the {source.role}"
    value = float(values[row, position])
    if np.isnan(value):
        problem, remedy = "has a missing value (NaN)", "Fill it in, remove the row, or drop the column."
    elif np.isinf(value):
        problem, remedy = f"is infinite ({value})", "Replace it by a finite number, or remove the row."
    else:
        problem = f"holds {value!r}, which is beyond float32 (largest number 3.4e38),"
        remedy = "scikit-learn's trees compute in float32. Rescale the column."
    bad = int((~finite[:, position]).sum())
    raise TableError(
        f"{where} {problem} in {source.place(row)} ({bad} such rows). Every number must be finite. {remedy}"
    )


def boolean_features(X: NDArray[np.float32]) -> NDArray[np.bool_]:
    """Tell which columns of `X` hold nothing but 0 and 1."""
    head = X[:256]
    boolean: NDArray[np.bool_] = ((head == 0) | (head == 1)).all(axis=0)
    if len(X) > len(head):
        for j in np.flatnonzero(boolean):
            boolean[j] = bool(((X[:, j] == 0) | (X[:, j] == 1)).all())
    return boolean


def unread_column(column: pd.Series[Any], features: tuple[int, ...], encoding: Encoding) -> Column:
    """Describe a column that the learner sees not at all, or not in a way that can be read back.

    Nothing about its values is refused: missing ones and dates are left to whoever refers to them.
    """
    name, dtype = str(column.name), column.dtype
    if isinstance(dtype, np.dtype) and dtype.kind in "iufb":
        boolean = bool(column.isin([0, 1]).all())
        return Column(name, "boolean" if boolean else "numeric", (), features, encoding)
    try:
        categories = tuple(sorted(column.dropna().unique().tolist()))
    except TypeError:
        categories = ()
    return Column(name, "categorical", categories, features, encoding)


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
        The distinct values.
    """
    _refuse_missing(column, source)
    if not declared:
        _refuse_stray_text(column, source)
    codes, distinct = pd.factorize(column)
    values = tuple(np.asarray(distinct, dtype=object).tolist())
    if len({isinstance(value, str) for value in values}) > 1:
        raise TableError(
            f"Column {column.name!r} of the {source.role} mixes text and numbers: {listing(values)}. The "
            "categories of a column must be of one type. Convert the column with .astype(str)."
        )
    return codes.astype(np.int64), values
