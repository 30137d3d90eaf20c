"""The one way to float32: scikit-learn's own validation of the table as the user gave it.

Second step of `everytree.table`, beside `values`. A tree casts what it is given to float32, and how it does
so depends on the types of all columns together: an integer beyond 2**53 may or may not pass through float64.
So the user's own table is handed to the same function that the user's tree would call.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import narwhals as nw
import numpy as np
import pandas as pd
from numpy.typing import NDArray

from everytree.errors import TableError

if TYPE_CHECKING:
    from everytree.table.frames import Source

__all__ = ["REFUSALS", "as_learner_sees", "check_finite", "number_block", "take_columns", "with_types"]

OLDEST_WITH_HOLES = (1, 9)
"""First scikit-learn whose trees treat missing values in prediction as they did in training."""

REFUSALS = (ValueError, TypeError, OverflowError)
"""What scikit-learn and its encoders raise for a table that they do not take."""


def as_learner_sees(given: Any) -> NDArray[np.float32]:
    """Cast a table to float32 exactly as `DecisionTreeClassifier` does in `fit` and `predict`.

    Parameters
    ----------
    given : frame, array-like or sparse matrix
        With the types that the user gave it; pandas, polars, an array, nested lists.

    Returns
    -------
    ndarray of float32, Fortran order
        Not yet checked for missing and infinite values.

    Raises
    ------
    ValueError, TypeError, OverflowError
        If scikit-learn refuses the table.
    """
    from sklearn.utils import check_array  # as in `pipelines`

    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        block = check_array(given, dtype=np.float32, accept_sparse="csc", ensure_all_finite=False)
    dense = block.toarray() if hasattr(block, "toarray") else block
    return np.require(dense, np.float32, ["F", "W"])  # a view of a pandas column may be read-only


def take_columns(given: Any, places: Sequence[int]) -> Any:
    """Give some columns of a user's table, in the given order, with the types they have."""
    if isinstance(given, pd.DataFrame):
        return given if list(places) == list(range(given.shape[1])) else given.iloc[:, list(places)]
    if isinstance(given, np.ndarray):
        return given if list(places) == list(range(given.shape[1])) else given[:, list(places)]
    if isinstance(given, (list, tuple)):
        everything = all(list(places) == list(range(len(row))) for row in given)
        return given if everything else [[row[place] for place in places] for row in given]

    return nw.from_native(given, eager_only=True)[:, list(places)].to_native()


def number_block(source: Source, names: Sequence[str]) -> NDArray[np.float32]:
    """Cast numeric columns to float32, in Fortran order, as the user's own tree does.

    Raises
    ------
    TableError
        If a value is missing, infinite, or too large for float32, or if scikit-learn refuses the columns.
    """
    place = {name: number for number, name in enumerate(source.names)}
    places = [place[name] for name in names]
    try:
        taken = take_columns(source.given, places)
        # a copy, so that what is made of it can be held against the cast itself afterwards
        block = source.as_seen.copy(order="F") if taken is source.given else as_learner_sees(taken)
    except REFUSALS as error:
        raise TableError(
            f"scikit-learn cannot read the numbers of the {source.role} as float32: {error} Convert the "
            "columns, for example with .astype(float), or drop those that are not meant as numbers."
        ) from error
    check_finite(block, lambda row, column: source.frame.iat[row, places[column]], names, source)
    return block


def check_finite(
    block: NDArray[np.float32], value_at: Callable[[int, int], Any], names: Sequence[str], source: Source
) -> None:
    """Refuse a block of features that is neither finite nor missing, naming the first column and row.

    Parameters
    ----------
    block : ndarray of float32
        The features after the cast.
    value_at : callable
        The same number before the cast, by row and column, to tell infinity from overflow.
    names : sequence of str
        Names of the columns of the block.
    source : Source
        Where they come from.
    """
    finite = np.isfinite(block)
    if finite.all():
        return
    holes = np.isnan(block)
    if holes.any():
        _refuse_old_learner(names[int(np.flatnonzero(holes.any(axis=0))[0])], source)
    finite |= holes
    if finite.all():
        return
    position = int(np.flatnonzero(~finite.all(axis=0))[0])
    row = int(np.flatnonzero(~finite[:, position])[0])
    where = f"Column {names[position]!r} of the {source.role}"
    found = value_at(row, position)
    value = float(found)
    if np.isinf(value):
        problem, remedy = f"is infinite ({value})", "Replace it by a finite number, or remove the row."
    else:
        problem = f"holds {value!r}, which is beyond float32 (largest number 3.4e38),"
        remedy = "scikit-learn's trees compute in float32. Rescale the column."
    bad = int((~finite[:, position]).sum())
    raise TableError(
        f"{where} {problem} in {source.place(row)} ({bad} such rows). Every number must be finite, or "
        f"missing (NaN). {remedy}"
    )


def _refuse_old_learner(name: str, source: Source) -> None:
    """Refuse missing values where scikit-learn's trees contradict their own training rows."""
    from sklearn import __version__  # as in `pipelines`

    if tuple(map(int, __version__.split(".")[:2])) < OLDEST_WITH_HOLES:
        raise TableError(
            f"Column {name!r} of the {source.role} has missing values (NaN). They need scikit-learn 1.9 or "
            f"later, whose trees put rows with missing values where training put them; installed is "
            f"{__version__}. Update scikit-learn, or fill the values in, for example by a SimpleImputer in a "
            "Pipeline."
        )


def with_types(frame: pd.DataFrame, types: Any) -> Any:
    """Give new rows the types of the user's training table, wherever that loses nothing.

    Parameters
    ----------
    frame : pandas.DataFrame
        Rows with the columns of the training table.
    types : object
        As `Source.types` gives them.

    Returns
    -------
    DataFrame, ndarray or nested lists
        Lists for lists: numpy casts their numbers to float32 by way of float64, those of arrays at once.
    """
    if types is None:
        return frame
    if types is list:
        return [list(row) for row in zip(*(frame[name].tolist() for name in frame.columns), strict=True)]
    if isinstance(types, np.dtype):
        return frame.to_numpy(types if _kept(frame.to_numpy(object), types) else object)
    if not isinstance(types, tuple):
        return _in_frame_of(frame, types)
    changed = frame.copy(deep=False)
    for name, dtype in zip(frame.columns, types, strict=True):
        if _kept(frame[name].to_numpy(object), dtype):
            changed[name] = frame[name].astype(dtype)
    return changed


def _in_frame_of(rows: pd.DataFrame, empty: Any) -> Any:
    """Put rows into a frame of another library, with the columns and types of an empty one."""
    like = nw.from_native(empty, eager_only=True)
    values: dict[str, Any] = {name: rows[name].tolist() for name in like.columns}
    try:
        return nw.from_dict(values, schema=like.schema, backend=like.implementation).to_native()
    except Exception:  # every library has errors of its own for values that do not fit
        return rows


def _kept(values: NDArray[Any], dtype: Any) -> bool:
    """Tell whether values stay the same in another type."""
    flat = pd.Series(values.ravel(), dtype=object)
    categories = getattr(dtype, "categories", None)
    if categories is not None:
        return bool((flat.isin(categories) | flat.isna()).all())
    try:
        with np.errstate(all="ignore"):
            there = flat.astype(dtype).astype(object)
    except REFUSALS:
        return False
    return all(_alike(a, b) for a, b in zip(flat.tolist(), there.tolist(), strict=True))


def _alike(a: Any, b: Any) -> bool:
    """Tell whether two values are one, or both are missing; a list is a value."""
    holes = [bool(pd.api.types.is_scalar(value) and pd.isna(value)) for value in (a, b)]
    return all(holes) if any(holes) else bool(np.array_equal(a, b))
