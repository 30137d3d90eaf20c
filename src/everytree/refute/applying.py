"""Putting a witness into effect: the changed table in the user's own shape, names and types.

Below `witness`. Tables come in as they were given to `certify` and go out as the same kind of thing.
"""

from __future__ import annotations

import datetime
from typing import TYPE_CHECKING, Any

import narwhals as nw
import numpy as np
import pandas as pd

from everytree.errors import EverytreeError
from everytree.refute.storage import NotStorableError, column_like, is_missing, rows_like
from everytree.support.text import listing
from everytree.table.frames import label_values

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from everytree.refute.witness import Witness

__all__ = ["changed_labels", "changed_rows", "pick_columns"]

THE_TABLE = "Pass the training table as it was given to certify."


def changed_rows(witness: Witness, X: Any) -> Any:
    """Give a table without the rows removed and with the rows added at its end, as the same kind of thing."""
    keep = _kept(witness, len(X))
    try:
        if isinstance(X, pd.DataFrame):
            return _with_rows(X.loc[keep], pick_columns(witness, X.columns))
        if isinstance(X, list | tuple):
            new = _array_rows(np.asarray(X), witness).tolist()
            return type(X)([*(row for row, kept in zip(X, keep, strict=True) if kept), *new])
        if _is_native(X):
            return _with_native_rows(X, keep, witness)
        array = np.asarray(X)
        return np.concatenate([array[keep], _array_rows(array, witness)])
    except NotStorableError as error:
        raise EverytreeError(
            f"An added row of this witness holds {error.value!r}, which a column of type {error.dtype} "
            f"cannot hold. {THE_TABLE}"
        ) from error


def pick_columns(witness: Witness, names: Any) -> pd.DataFrame:
    """Give the added rows with these columns, by name as text, or with all of so many columns."""
    features = witness.added.drop(columns=witness.label_name)
    known = list(features.columns)
    wanted = known if isinstance(names, int) else [str(name) for name in names]
    if not set(wanted) <= set(known) or (isinstance(names, int) and names != len(known)):
        received = f"{names} columns" if isinstance(names, int) else listing(wanted, 20)
        raise EverytreeError(
            f"The witness speaks of a table with the columns {listing(known, 20)}; received {received}. "
            f"{THE_TABLE}"
        )
    return features[wanted]


def _kept(witness: Witness, n_rows: int) -> NDArray[np.bool_]:
    last = witness.change.last_row
    if last >= n_rows:
        raise EverytreeError(
            f"The witness changes row {last}, counted from 0; received {n_rows} rows. {THE_TABLE}"
        )
    return witness.change.kept(n_rows)


def _with_rows(kept: pd.DataFrame, new: pd.DataFrame) -> pd.DataFrame:
    """Add rows below a pandas frame, whose types stay; a list of categories grows if it has to."""
    if len(new) == 0:
        return kept
    columns = [new.iloc[:, place].tolist() for place in range(new.shape[1])]
    wider = {}
    for values, name, dtype in zip(columns, kept.columns, kept.dtypes, strict=True):
        if isinstance(dtype, pd.CategoricalDtype):
            further = [v for v in dict.fromkeys(values) if not is_missing(v) and v not in dtype.categories]
            if further:
                wider[name] = pd.CategoricalDtype([*dtype.categories, *further], dtype.ordered)
    kept = kept.astype(wider) if wider else kept
    return pd.concat([kept, rows_like(kept, list(zip(*columns, strict=True)))], ignore_index=True)


def _array_rows(array: NDArray[Any], witness: Witness) -> NDArray[Any]:
    """Give the added rows as an array of the same type."""
    new = pick_columns(witness, array.shape[1])
    if len(new) == 0:
        return array[:0]
    columns = [column_like(new.iloc[:, place].tolist(), array.dtype) for place in range(new.shape[1])]
    return np.column_stack(columns)


def _with_native_rows(X: Any, keep: NDArray[np.bool_], witness: Witness) -> Any:
    """Do the same to a polars frame, or to any other that narwhals reads."""
    frame = nw.from_native(X, eager_only=True)
    kept = frame.filter(keep.tolist())
    new = pick_columns(witness, frame.columns)
    if len(new) == 0:
        return kept.to_native()
    columns = [new.iloc[:, place].tolist() for place in range(new.shape[1])]
    values = [[None if is_missing(value) else value for value in column] for column in columns]
    content = dict(zip(frame.columns, values, strict=True))
    added = nw.from_dict(content, schema=frame.schema, backend=frame.implementation)
    held = added.to_pandas()  # as `certify` reads it
    for place, column in enumerate(columns):
        for value, back in zip(column, held.iloc[:, place].tolist(), strict=True):
            if not (is_missing(value) and is_missing(back)) and not np.array_equal(value, back):
                raise NotStorableError(value, frame.schema[frame.columns[place]])
    return nw.concat([kept, added]).to_native()


def changed_labels(witness: Witness, y: Any) -> Any:
    """Give the labels of the changed table, as the same kind of thing as `y`.

    Every new label occurs in the training table, so it is taken from a row that has it and keeps its type.
    """
    values = label_values(y, len(y), "training table").tolist()
    keep = _kept(witness, len(values))
    row_of = {_key(label): row for row, label in enumerate(values)}
    labels = (*witness.change.flipped.values(), *witness.change.labels)
    unknown = [label for label in labels if _key(label) not in row_of]
    if unknown:
        raise EverytreeError(
            f"The witness gives a row the label {unknown[0]!r}; received labels that are "
            f"{listing(list(dict.fromkeys(values)))}. Pass the labels as they were given to certify."
        )
    by_row = witness.change.relabelled({label: row_of[_key(label)] for label in labels})
    rows = by_row.change_labels(np.arange(len(values))).tolist()
    if isinstance(y, pd.Series | pd.DataFrame):
        taken = y.iloc[rows]
        return taken.reset_index(drop=True) if len(witness.added) else taken.set_axis(y.index[keep], axis=0)
    if isinstance(y, list | tuple):
        return type(y)(y[row] for row in rows)
    return _native_rows(y, rows) if _is_native(y) else np.asarray(y)[rows]


def _key(label: Any) -> Any:
    """Give a label as it can be looked up: dates are one thing, whatever type of date they come in."""
    return pd.Timestamp(label) if isinstance(label, datetime.date | np.datetime64) else label


def _is_native(thing: Any) -> bool:
    """Tell frames and series that narwhals reads from arrays."""
    if isinstance(thing, np.ndarray):
        return False
    return nw.from_native(thing, allow_series=True, eager_only=True, pass_through=True) is not thing


def _native_rows(y: Any, rows: list[int]) -> Any:
    labels: Any = nw.from_native(y, allow_series=True, eager_only=True)
    return labels[rows].to_native()
