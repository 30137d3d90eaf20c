"""Values of any type as JSON and flat files can hold them, spelt in one way everywhere.

Knows nothing of results; verdicts, radii, audits and the command line write with it.
"""

from __future__ import annotations

import datetime
import json
import math
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import pandas as pd

__all__ = ["as_plain", "flat"]


def as_plain(value: Any) -> Any:
    r"""Give a value as JSON knows it.

    Numbers, booleans and texts stay what they are; NaN and other missing values are None; dates and times
    are written as in ISO 8601, bytes as the UTF-8 text that they are (a byte that is none as ``\xff``);
    tuples and arrays are lists; everything else, such as a Decimal or a Period, and an infinite number, is
    written as by `str`.

    Examples
    --------
    >>> import datetime
    >>> as_plain((datetime.date(2020, 2, 29), b"yes", 1.5))
    ['2020-02-29', 'yes', 1.5]
    """
    if value is None or isinstance(value, str | bool | int):
        return str(value) if isinstance(value, str) else value
    if isinstance(value, Mapping):
        return {str(as_plain(key)): as_plain(item) for key, item in value.items()}
    if isinstance(value, tuple | list | np.ndarray | pd.Series | pd.Index):
        return [as_plain(item) for item in value]
    if isinstance(value, bytes | bytearray):
        return bytes(value).decode("utf-8", "backslashreplace")
    if isinstance(value, np.datetime64 | np.timedelta64):
        value = pd.Timestamp(value) if isinstance(value, np.datetime64) else pd.Timedelta(value)
    elif isinstance(value, np.generic):
        return as_plain(value.item())
    if pd.api.types.is_scalar(value) and pd.isna(value):
        return None
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, datetime.date | datetime.time):
        return value.isoformat()
    return str(value)


def flat(frame: pd.DataFrame) -> pd.DataFrame:
    """Give a table as CSV and Parquet hold it: its index as a first column, and every value plain.

    Lists are JSON text, and a column with values of several types is all text.
    """
    made = frame.reset_index(drop=True)
    for place, name in enumerate(made.columns):
        dtype: Any = frame.dtypes.iloc[place]
        if not (isinstance(dtype, np.dtype) and dtype.kind in "biuf"):
            made[name] = _cells(frame.iloc[:, place])
    made.insert(0, "index", _cells(frame.index))
    return made


def _cells(values: Iterable[Any]) -> list[Any]:
    plain = [as_plain(value) for value in values]
    types = {type(value) for value in plain if value is not None}
    if types <= {int, float} or (len(types) == 1 and not types & {list, dict}):
        return plain
    return [json.dumps(v) if isinstance(v, list | dict) else v if v is None else str(v) for v in plain]
