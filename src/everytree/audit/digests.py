"""What an answer depends on, in one number: SHA-256 of tables and of everything that a cell is asked.

A cell is kept under this number, so an answer to another question is never taken for it.
"""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

if TYPE_CHECKING:
    from everytree.table import TrainingTable

__all__ = ["digest_of_array", "digest_of_frame", "digest_of_training", "key_of", "spelt"]


def digest_of_frame(frame: pd.DataFrame) -> str:
    """SHA-256 of the names, types and values of a frame, in their order."""
    total = hashlib.sha256()
    _put_frame(total, frame)
    return total.hexdigest()


def digest_of_training(table: TrainingTable) -> str:
    """SHA-256 of a training table: the original columns, what the learner sees of them, the labels."""
    total = hashlib.sha256()
    _put_frame(total, table.frame)
    _put_text(total, [repr(column) for column in table.columns])
    _put_array(total, table.X)
    _put_array(total, table.y)
    _put_text(total, [table.label_name, *map(repr, table.labels.tolist())])
    return total.hexdigest()


def digest_of_array(array: np.ndarray[Any, Any]) -> str:
    """SHA-256 of the type, shape and values of an array."""
    total = hashlib.sha256()
    _put_array(total, array)
    return total.hexdigest()


def key_of(question: dict[str, Any]) -> str:
    """SHA-256 of a dictionary of plain values."""
    text = json.dumps(question, sort_keys=True, ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()


def _put_frame(total: Any, frame: pd.DataFrame) -> None:
    for place, name in enumerate(frame.columns):
        column = frame.iloc[:, place]
        dtype: Any = column.dtype
        _put_text(total, [str(name), str(dtype)])
        if isinstance(dtype, np.dtype) and dtype.kind in "iufb":
            _put_array(total, column.to_numpy())
        else:
            try:
                codes, distinct = pd.factorize(column)
            except TypeError:  # lists and the like, which cannot be keys
                codes, distinct = pd.factorize(column.map(spelt))
            _put_array(total, codes)
            _put_text(total, [repr(value) for value in distinct.tolist()])


def spelt(value: Any) -> str:
    """Write a value of any type, whole."""
    return repr(value.tolist() if isinstance(value, np.ndarray) else value)


def _put_array(total: Any, array: np.ndarray[Any, Any]) -> None:
    _put_text(total, [str(array.dtype), *map(str, array.shape)])
    total.update(np.ascontiguousarray(array).tobytes())


def _put_text(total: Any, parts: list[str]) -> None:
    total.update(json.dumps(parts).encode() + b"\n")
