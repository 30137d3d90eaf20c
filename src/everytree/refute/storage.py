"""What a column can hold: values as its own type stores them, their neighbours, and rows of a table's types.

Below `additions`, which makes rows to add, and `applying`, which puts them into the user's table. A row that
changes when it is stored is another row, for the learner and for every condition, so only stored values are
ever looked at.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd

__all__ = ["NOTHING", "NotStorableError", "beside", "between", "column_like", "rows_like", "stored"]

NOTHING: Any = object()
"""Stands for a value that a column cannot hold."""


class NotStorableError(ValueError):
    """A value would become another one in a column."""

    def __init__(self, value: object, dtype: object) -> None:
        super().__init__(f"a column of type {dtype} cannot hold {value!r}")
        self.value = value
        self.dtype = dtype


def number_type(dtype: Any) -> np.dtype[Any] | None:
    """Give the NumPy type in which a column of numbers or booleans keeps them; None for other columns."""
    if getattr(dtype, "kind", "O") not in "biuf" or hasattr(dtype, "categories"):
        return None
    plain = dtype if isinstance(dtype, np.dtype) else getattr(dtype, "numpy_dtype", None)
    plain = getattr(dtype, "subtype", None) if plain is None else plain
    return plain if isinstance(plain, np.dtype) and plain.kind in "biuf" else None


def stored(value: Any, dtype: Any) -> Any:
    """Give a value as a column of this type holds it; NOTHING if it holds no such value.

    Floats are rounded to the column's own, which is also how NumPy compares such a column with a constant.
    Columns of whole numbers hold those of their range, booleans 0 and 1, categories what they list.
    """
    numbers = number_type(dtype)
    if numbers is None:
        listed = getattr(dtype, "categories", None)
        return value if listed is None or value in listed else NOTHING
    if not _is_finite(value):
        return NOTHING
    if numbers.kind == "f":
        with np.errstate(over="ignore"):
            held = numbers.type(value)
        return held if np.isfinite(held) else NOTHING
    if numbers.kind == "b":
        return np.bool_(value) if value in (0, 1) else NOTHING
    limits = np.iinfo(numbers)
    whole = int(value)
    return numbers.type(whole) if whole == value and limits.min <= whole <= limits.max else NOTHING


def beside(value: float, dtype: Any) -> list[Any]:
    """Give the numbers next to a constant, on both sides, that a column of this type can hold."""
    numbers = number_type(dtype)
    if numbers is None or numbers.kind == "b" or not _is_finite(value):
        return []
    if numbers.kind == "f":
        with np.errstate(over="ignore"):
            middle = numbers.type(value)
            near: list[Any] = [np.nextafter(middle, numbers.type(way)) for way in (-np.inf, np.inf)]
    else:
        near = [-(-value // 1) - 1, value // 1 + 1]
    return [kept for number in near if (kept := stored(number, dtype)) is not NOTHING]


def _is_finite(value: Any) -> bool:
    """Tell finite numbers from everything else, also from whole numbers beyond every float."""
    try:
        return isinstance(value, int | float | np.number | np.bool_) and bool(np.isfinite(float(value)))
    except OverflowError:
        return False


def between(low: float, high: float, dtype: Any) -> Iterator[Any]:
    """Give numbers to try with low < number <= high, as the learner sees them in float32.

    Ordinary ones first: whole, or in the middle. Then those next to the ends. Storing may have moved them
    out of the interval again, so whoever tries them looks.
    """
    numbers = number_type(dtype)
    if numbers is None:
        return
    wanted: list[Any]
    if np.isinf(low) and np.isinf(high):
        wanted = [0.0]
    elif np.isinf(low):
        wanted = [np.floor(high) - 1]
    elif np.isinf(high):
        wanted = [np.ceil(low) + 1]
    else:
        middle = (low + high) / 2
        wanted = [np.floor(high) if low < np.floor(high) else middle, middle, np.floor(middle)]
    fine = numbers.type if numbers.kind == "f" and numbers.itemsize < 4 else np.float32
    with np.errstate(over="ignore"):
        last, first = fine(high), fine(low)
        wanted += [last, np.nextafter(last, fine(-np.inf)), np.nextafter(first, fine(np.inf)), first]
        wanted += [np.floor(high), np.floor(low) + 1]
    if numbers.kind in "iu":
        wanted += [np.iinfo(numbers).min, np.iinfo(numbers).max]
    for number in wanted:
        if (kept := stored(number, dtype)) is not NOTHING:
            yield kept


def rows_like(frame: pd.DataFrame, rows: Sequence[Sequence[Any]]) -> pd.DataFrame:
    """Put rows into a frame with the columns and the types of another one.

    Raises
    ------
    NotStorableError
        If a value would not stay what it is.
    """
    columns = zip(*rows, strict=True) if rows else [()] * frame.shape[1]
    pairs = zip(columns, frame.dtypes.to_list(), strict=True)
    made = pd.DataFrame(
        {place: column_like(values, dtype) for place, (values, dtype) in enumerate(pairs)},
        index=pd.RangeIndex(len(rows)),
    )
    made.columns = frame.columns
    return made


def column_like(values: Sequence[Any], dtype: Any) -> Any:
    """Put values into an array of the given type, which must hold each of them unchanged."""
    held = [value if is_missing(value) else stored(value, dtype) for value in values]
    for own, value in zip(held, values, strict=True):
        if own is NOTHING or (number_type(dtype) is not None and not _same(own, value)):
            raise NotStorableError(value, dtype)
    if not isinstance(dtype, np.dtype) or dtype.kind in "mM":
        return pd.Series(held, dtype=dtype).array  # a 1.0 beside True is no boolean for pandas
    if dtype.kind in "US":
        return np.array(list(values), dtype.kind)
    made = np.empty(len(values), dtype)
    for place, value in enumerate(values):
        made[place] = np.nan if value is pd.NA else value
    return made


def _same(held: Any, value: Any) -> bool:
    """Whether a number is held unchanged; what is missing stays so."""
    return is_missing(value) or bool(_plain(held) == _plain(value))


def _plain(number: Any) -> Any:
    """Give a number of Python: a short float would be compared with a longer one as if that were short."""
    return number.item() if isinstance(number, np.generic) else number


def is_missing(value: Any) -> bool:
    """Tell NaN, None and their like from values; a list is a value."""
    return bool(pd.api.types.is_scalar(value) and pd.isna(value))
