"""Columns of numbers that are text, because of a sign beside them or between their thousands: 4.5 %, 1'200.

Beside `reading`. Such a column is taken as it is, each text a category of its own; here it is noticed.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable

import pandas as pd

from everytree.errors import EverytreeWarning

__all__ = ["DATE", "note_signs", "signed_columns"]

FEW = 10
"""Up to so many different values are taken for categories, whatever they look like."""

_SIGN = r"\s*(?:%|‰|€|\$|£|¥|EUR|USD|GBP|CHF)\s*"
SIGNED = rf"(?:{_SIGN})?[+-]?\d[\d.,'\s\u202f]*(?:{_SIGN})?"
"""A number with a percent sign or a currency beside it, or with signs between its thousands."""


DATE = r"\s*(?:\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4})\b"
"""How a day is written, the year first or last."""


def signed_columns(frame: pd.DataFrame) -> dict[str, str]:
    """Give the columns that hold numbers with signs, each with an example.

    Examples
    --------
    >>> numbers = range(20)
    >>> signed_columns(pd.DataFrame({"rate": [f"{n} %" for n in numbers], "id": [f"P{n}" for n in numbers]}))
    {'rate': '0 %'}
    """
    found = {}
    for name in frame.columns:
        values = frame[name].dropna()
        if pd.api.types.is_string_dtype(values) and values.nunique() > FEW:
            texts = values.astype(str)
            if texts.str.fullmatch(SIGNED).all() and not texts.str.match(DATE).all():
                found[str(name)] = str(texts.iloc[0])
    return found


def note_signs(frame: pd.DataFrame, drop: Iterable[str]) -> None:
    """Note such columns of a training table, other than those that the tree must not see."""
    for name, example in signed_columns(frame.drop(columns=[*drop], errors="ignore")).items():
        warnings.warn(
            f"Column {name!r} of the training table holds text such as {example!r}: each is a category of "
            "its own. To have it read as numbers, write them without signs and gaps.",
            EverytreeWarning,
            stacklevel=3,
        )
