"""Bands of a numeric column as groups of people: ``age by 25, 45, 65``.

Beside `groups`, which asks here for every name that is no column. Wherever a column can be named to group by,
bands of it can.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import isfinite
from typing import Any

import numpy as np
import pandas as pd

from everytree.errors import TableError
from everytree.support.text import as_number

__all__ = ["Bands", "read_bands", "with_bands"]

WRITTEN = re.compile(r"(?P<column>.+?)\s+by\s+(?P<cuts>.+)", re.DOTALL)
HOW = "Write the column, by, and where a band begins, such as 'age by 25, 45, 65'."


@dataclass(frozen=True)
class Bands:
    """A column and the numbers at which its second, third, ... band begins, each belonging to that band."""

    column: str
    cuts: tuple[float, ...]

    def __str__(self) -> str:
        return f"{self.column} by {', '.join(map(_plain, self.cuts))}"

    def of(self, values: pd.Series[Any]) -> pd.Series[Any]:
        """The band of each value, in order; missing where the value is."""
        if not pd.api.types.is_numeric_dtype(values) or pd.api.types.is_bool_dtype(values):
            raise TableError(
                f"{str(self)!r} needs a column of numbers, and {self.column!r} has others. Name it without "
                "by to group by its values."
            )
        numbers = values.to_numpy(dtype="float64", na_value=np.nan)
        names = self.names(_whole(numbers) and _whole(np.array(self.cuts)))
        codes = np.where(np.isnan(numbers), -1, np.searchsorted(self.cuts, numbers, side="right"))
        return pd.Series(pd.Categorical.from_codes(codes, pd.Index(names), ordered=True), index=values.index)

    def names(self, whole: bool) -> list[str]:
        """Names of the bands; of whole numbers the last one is named.

        Examples
        --------
        >>> Bands("age", (25, 45)).names(whole=True), Bands("age", (25, 45)).names(whole=False)
        (['under 25', '25 to 44', '45 and over'], ['under 25', '25 to under 45', '45 and over'])
        """
        between = [_between(*ends, whole) for ends in pairwise(self.cuts)]
        return [f"under {_plain(self.cuts[0])}", *between, f"{_plain(self.cuts[-1])} and over"]


def read_bands(name: str, columns: Iterable[str]) -> Bands | None:
    """Read bands of one of these columns; None where the name is something else.

    Raises
    ------
    TableError
        If a column is named, and numbers that make no bands.
    """
    known, found = set(columns), WRITTEN.fullmatch(name.strip())
    if name in known or found is None or found["column"] not in known:
        return None
    cuts = [as_number(part.strip()) for part in found["cuts"].split(",")]
    numbers = [cut for cut in cuts if not isinstance(cut, str) and isfinite(cut)]
    if len(numbers) < len(cuts) or any(a >= b for a, b in pairwise(numbers)):
        raise TableError(
            f"Bands begin at numbers, each larger than the one before; received {found['cuts']!r} in "
            f"{name!r}. {HOW}"
        )
    return Bands(found["column"], tuple(numbers))


def with_bands(frame: pd.DataFrame, names: Sequence[str]) -> pd.DataFrame:
    """A frame with a column for every name that means bands of another one."""
    known = list(map(str, frame.columns))
    found = {name: bands for name in names if (bands := read_bands(name, known)) is not None}
    return frame.assign(**{name: bands.of(frame[bands.column]) for name, bands in found.items()})


def _between(low: float, high: float, whole: bool) -> str:
    if not whole:
        return f"{_plain(low)} to under {_plain(high)}"
    return _plain(low) if high - low == 1 else f"{_plain(low)} to {_plain(high - 1)}"


def _whole(numbers: np.ndarray[Any, Any]) -> bool:
    known = numbers[~np.isnan(numbers)]
    return bool((known == np.floor(known)).all())


def _plain(number: float) -> str:
    return str(int(number)) if float(number).is_integer() else str(number)
