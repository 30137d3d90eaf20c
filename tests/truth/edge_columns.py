"""Columns and labels at the boundary: their values, the types they come in, and what lies beside them.

Serves `edges`, which draws from these, and `edge_oracle`, which makes rows that may be added.
"""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd

FLOATS = ("float64", "float32", "Float64", "Float32")
WHOLE = ("int64", "Int64", "float64", "object")
TEXTS = ("str", "object", "category")
ARRAY_DTYPES = (
    "float64",
    "float32",
    "int64",
    "float16",
    "bool",
    "uint8",
    "int8",
    "uint64",
    "object",
)
LARGEST = float(np.finfo(np.float32).max)


@dataclass(frozen=True)
class Style:
    """Values of a column, the types that can hold them, and values that only test people have."""

    dtypes: tuple[str, ...]
    values: tuple[Any, ...]
    beyond: tuple[Any, ...] = ()
    category: bool = False
    named: bool = True  # whether a condition can name the values


STYLES: dict[str, Style] = {
    "tens": Style((*WHOLE, "float32", "float16", "uint8", "Int8", "Float32"), (10, 20, 30, 40), (5, 25, 50)),
    "units": Style((*WHOLE, "bool", "boolean", "float32", "uint8", "int8"), (0, 1)),
    "threes": Style((*WHOLE, "float32", "float16", "int8", "UInt8"), (0, 1, 2), (3, 9)),
    "tenths": Style((*FLOATS, "float16", "object"), (0.05, 0.1, 0.7, 2.3), (0.0, 1.5)),
    "almost boolean": Style(
        ("float64", "Float64", "object"),
        (0.0, 0.9999999999999999, 1.0, 1e-50, 1.0000000000000002),
        (9.0, -1.0, 0.5),
    ),
    "signed zeros": Style((*FLOATS, "float16"), (0.0, -0.0, 1.0), (0.5,)),
    "denormals": Style(("float64", "Float64", "float32"), (0.0, 5e-324, 1e-310, 1e-45, 1e-40, 3.0), (1.5,)),
    "float32 limits": Style(FLOATS, (0.0, LARGEST, -LARGEST, 1e38, LARGEST / 2), (3.0, -1e38)),
    "beyond float32": Style(("float64", "Float64"), (0.0, 1.0, 3.4028235677973366e38), (1.7e308,)),
    "float16 limits": Style(("float16", "float64"), (0.0, 65504.0, -65504.0, 6e-8, 1024.0), (2.0,)),
    "2^24": Style(
        (*WHOLE, "int32", "Int32", "float32"), tuple(2**24 + k for k in (0, -1, 1, 2, 3)), (2**24 + 4,)
    ),
    "2^53": Style(WHOLE, tuple(2**53 + k for k in (0, -1, 1, 2)), (2**53 + 2**30,)),
    "2^60": Style(("Int64", "int64", "object", "uint64"), tuple(2**60 + k for k in (0, 2**37, 2**36 + 1))),
    "2^63": Style(("int64", "Int64", "object"), (0, 2**63 - 1, -(2**63), 2**62), (2**62 + 1, -1)),
    "2^64": Style(("uint64", "UInt64"), (0, 2**64 - 1, 2**63), (1,)),
    "close": Style(FLOATS, (1.0, 1.0000001, 1.000001, 1.5), (1.00000005,)),
    "codes 0 and 1": Style(("category", "int64", "object", "bool"), (0, 1), (77,), category=True),
    "codes": Style(("category", "object", "int64", "Int64"), (1, 2, 3), (77,), category=True),
    "truths": Style(("category", "bool", "object", "boolean"), (False, True), category=True),
    "digits": Style(TEXTS, ("0", "1", "2"), ("7",), category=True),
    "words": Style(TEXTS, ("a", "b", "c"), ("zz",), category=True),
    "halves": Style(("category", "float64"), (0.5, 1.5), (2.5,), category=True),
    "dates": Style(("datetime64[ns]",), tuple(pd.to_datetime(["2020", "2021"])), category=True, named=False),
    "holes": Style(("boolean", "Int64", "float64"), (0, 1, None)),
    "tens with holes": Style(("Int64", "float64", "float32", "Float32"), (10, 20, 30, None), (25, 50)),
    "words with holes": Style(TEXTS, ("a", "b", None), ("zz",), category=True),
}  # fmt: skip


REFUSED = ("beyond float32", "dates")
"""Styles that are refused unless the column is dropped or encoded; there need not be many."""


def as_series(values: Sequence[Any], dtype: str) -> pd.Series:
    """Values as a column of the given type; what a type cannot hold becomes what it makes of it."""
    if dtype == "category":
        return pd.Series(pd.Categorical(list(values)))
    if dtype[:1].isupper() or dtype in ("boolean", "object", "str", "datetime64[ns]"):
        return pd.Series(list(values), dtype=dtype)
    if dtype == "bool":
        return pd.Series([bool(value) for value in values])
    with np.errstate(all="ignore"):
        plain = [np.nan if value is None else value for value in values]
        return pd.Series(np.array(plain, dtype=np.dtype(dtype)))


def plain_dtype(dtype: Any) -> np.dtype | None:
    """The NumPy type in which a column of numbers is compared; None for everything else."""
    if isinstance(dtype, np.dtype):
        return dtype if dtype.kind in "biuf" else None
    inner = getattr(dtype, "numpy_dtype", None)
    return inner if isinstance(inner, np.dtype) and inner.kind in "biuf" else None


def storable(values: Iterable[Any], dtype: np.dtype) -> list[Any]:
    """The values as a type stores them, each once, without those that it (or float32) cannot hold."""
    kept: dict[Any, Any] = {}
    for value in values:
        try:
            with np.errstate(all="ignore"):
                stored = np.array([value]).astype(dtype)[0] if dtype.kind in "fb" else dtype.type(value)
                seen = np.float32(stored)
        except (OverflowError, ValueError, TypeError):
            continue
        if np.isfinite(seen) and (dtype.kind not in "iu" or int(stored) == value):
            kept.setdefault((stored.item(), str(stored.item())), stored)
    return list(kept.values())


def beside(value: Any, dtype: np.dtype) -> list[Any]:
    """The value as the type stores it, and its two neighbours there."""
    if dtype.kind == "f":
        with np.errstate(all="ignore"):
            stored = np.array([value]).astype(dtype)[0]
            return [
                stored,
                np.nextafter(stored, dtype.type(-np.inf)),
                np.nextafter(stored, dtype.type(np.inf)),
            ]
    return [int(value) + k for k in (0, -1, 1)] if float(value).is_integer() else [int(value), int(value) + 1]


def neighbours(values: Iterable[Any], dtype: str) -> list[Any]:
    """Constants that a condition may compare a column of numbers with: its values and what is beside them."""
    known = sorted({value for value in values if value is not None})
    if dtype in ("bool", "boolean"):
        return [True, False, 1, 0]
    numeric = plain_dtype(pd.Series([], dtype=dtype).dtype)
    numeric = numeric or np.dtype(np.int64 if all(isinstance(v, int) for v in known) else np.float64)
    constants = list(known)
    constants += [
        near.item() if isinstance(near, np.generic) else near for v in known for near in beside(v, numeric)
    ]
    constants += [low / 2 + high / 2 for low, high in pairwise(known)]
    constants += [0, 1, 0.5, 5, -1]
    fitting = (c for c in constants if isinstance(c, float) or abs(c) < 2**63)
    return list({(type(c).__name__, str(c)): c for c in fitting if np.isfinite(float(c))}.values())


# ---------------------------------------------------------------- labels


@dataclass(frozen=True)
class LabelStyle:
    """Three labels in order, the shape they are passed in, and whether a bias model can name them."""

    values: tuple[Any, ...]
    shape: str = "array"
    dtype: str | None = None
    plain: bool = True


DAYS = tuple(datetime.date(2020 + k, 1, 1) for k in range(3))
LABELS: dict[str, LabelStyle] = {
    "numbers": LabelStyle((0, 1, 2)),
    "list": LabelStyle((0, 1, 2), "list"),
    "words": LabelStyle(("no", "perhaps", "yes")),
    "negative": LabelStyle((-5, 3, 4), "series"),
    "truths": LabelStyle((False, True, True)),
    "floats": LabelStyle((0.0, 1.0, 2.0)),
    "large": LabelStyle((2**53, 2**53 + 1, 2**60)),
    "column": LabelStyle((0, 1, 2), "frame"),
    "nullable": LabelStyle((0, 1, 2), "series", "Int64"),
    "categories": LabelStyle(("no", "perhaps", "yes"), "series", "category"),
    "text column": LabelStyle(("a", "b", "c"), "frame", "str"),
    "bytes": LabelStyle((b"no", b"perhaps", b"yes"), plain=False),
    "dates": LabelStyle(tuple(np.datetime64(day) for day in DAYS), plain=False),
    "times": LabelStyle(tuple(pd.to_datetime(["2020", "2021", "2022"])), "series", plain=False),
    "short": LabelStyle((0, 1, 255), dtype="uint8"),
}


def as_labels(style: LabelStyle, codes: Sequence[int]) -> tuple[Any, list[Any]]:
    """Labels in the shape of the style, and those that occur as Python values."""
    values = [style.values[code] for code in codes]
    present = [
        value for k, value in enumerate(style.values) if value in values and value not in style.values[:k]
    ]
    if style.shape == "list":
        return values, present
    if style.shape == "array":
        return np.array(values, dtype=style.dtype), present
    series = pd.Series(values, dtype=style.dtype, index=range(5, 5 + len(values)))
    return (series.to_frame("outcome") if style.shape == "frame" else series), present
