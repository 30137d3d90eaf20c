"""From whatever a user passes to a pandas frame with text names and rows numbered from 0.

First step of `everytree.table`: shapes, names and labels are checked here, values afterwards.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import narwhals as nw
import numpy as np
import pandas as pd
from numpy.typing import NDArray

from everytree.errors import TableError
from everytree.support.text import listing, nearest
from everytree.table.casting import as_learner_sees, take_columns

__all__ = [
    "Labels",
    "Source",
    "as_source",
    "encode_labels",
    "known_names",
    "label_values",
    "plain_column",
    "refuse_label_among",
]

NAMES = pd.Index(["x0"]).dtype
"""The type that pandas gives to names of columns."""


@dataclass(frozen=True, eq=False)
class Source:
    """A user's table in one shape, not yet encoded.

    Attributes
    ----------
    frame : pandas.DataFrame
        Columns with text names, rows numbered from 0, no pandas categoricals.
    index : pandas.Index
        The caller's row names.
    categorical : frozenset of str
        Columns that arrived with a categorical type.
    role : str
        What messages call this table: "training table" or "test table".
    given : frame or array-like
        The same rows and columns as the user gave them, with the user's types: what the user's own
        estimator sees. Encoders are fitted to it, and numbers are cast from it.
    """

    frame: pd.DataFrame
    index: pd.Index[Any]
    categorical: frozenset[str]
    role: str
    given: Any

    def place(self, row: int) -> str:
        """Name a row for a message, by number and, if it has another name, by that too."""
        label = self.index[row]
        return f"row {row}" if label == row else f"row {row} (index {label!r})"

    def only(self, names: Sequence[str]) -> Source:
        """Keep some columns, in the given order."""
        if list(names) == self.names:
            return self
        place = {name: number for number, name in enumerate(self.names)}
        given = take_columns(self.given, [place[name] for name in names])
        return replace(self, frame=self.frame[list(names)], given=given)

    @cached_property
    def names(self) -> list[str]:
        """Names of the columns; an index gives them one by one, which takes long."""
        return self.frame.columns.to_list()

    @cached_property
    def dtypes(self) -> dict[str, Any]:
        """The type of each column of the frame."""
        return dict(zip(self.names, self.frame.dtypes.to_list(), strict=True))

    @cached_property
    def as_seen(self) -> NDArray[np.float32]:
        """The table as given, cast once by scikit-learn itself (`as_learner_sees`); nobody writes to it."""
        return as_learner_sees(self.given)

    @property
    def types(self) -> Any:
        """The user's types: one a column of a pandas frame, one of an array, `list`, an empty frame."""
        if isinstance(self.given, pd.DataFrame):
            return tuple(self.given.dtypes)
        if isinstance(self.given, np.ndarray):
            return self.given.dtype
        return list if isinstance(self.given, (list, tuple)) else self.given[:0]


@dataclass(frozen=True, eq=False)
class Labels:
    """Label codes and the sorted labels they point into."""

    codes: NDArray[np.int64]
    labels: NDArray[Any]


def as_source(X: object, role: str) -> Source:
    """Read a pandas, polars or other frame, or a two-dimensional array.

    Parameters
    ----------
    X : frame or array-like
        Columns of an array are called x0, x1, ...
    role : str
        "training table" or "test table", for messages.

    Returns
    -------
    Source

    Raises
    ------
    TableError
        If `X` is no table, is empty, or has two columns of the same name.
    """
    frame = X if isinstance(X, pd.DataFrame) else _from_other(X, role)
    received = frame.columns.to_list()
    names = _unique_names(received, role)
    if len(frame) == 0:
        raise TableError(
            f"The {role} has no rows. It needs at least one; received {len(names)} columns and no rows. "
            "Check the file, or the filter that was applied to it."
        )
    index = frame.index
    frame = frame.reset_index(drop=True) if not _counts_from_zero(index) else frame.copy(deep=False)
    if received != names or frame.columns.name is not None or frame.columns.dtype != NAMES:
        frame.columns = pd.Index(names)
    return _plain_columns(frame, index, role, X)


def _counts_from_zero(index: pd.Index[Any]) -> bool:
    return isinstance(index, pd.RangeIndex) and index.start == 0 and index.step == 1


def _plain_columns(frame: pd.DataFrame, index: pd.Index[Any], role: str, given: object) -> Source:
    """Replace pandas categoricals by their values and object columns by a proper type."""
    dtypes = frame.dtypes.to_list()
    objects = [place for place, dtype in enumerate(dtypes) if getattr(dtype, "kind", "") == "O"]
    names = frame.columns.to_list() if objects else []
    categorical = [names[place] for place in objects if isinstance(dtypes[place], pd.CategoricalDtype)]
    for place in objects:
        frame[names[place]] = plain_column(frame[names[place]])
    return Source(frame, index, frozenset(categorical), role, given)


def plain_column(column: pd.Series[Any]) -> pd.Series[Any]:
    """Replace a pandas categorical by its values, and objects by a proper type, if they have one."""
    categories = getattr(column.dtype, "categories", None)
    if categories is not None:
        column = column.astype(object if column.hasnans else categories.dtype)
    return column.infer_objects() if getattr(column.dtype, "kind", "") == "O" else column


def _from_other(X: object, role: str) -> pd.DataFrame:
    if isinstance(X, (list, tuple)):
        array = np.asarray(X)
        X = np.asarray(X, dtype=object) if array.dtype.kind in "US" else array  # else numbers become text
    if isinstance(X, np.ndarray):
        if X.ndim != 2:
            raise TableError(
                f"The {role} must have two dimensions, one row for each person; received an array of shape "
                f"{X.shape}. Use array.reshape(-1, 1) for a single column."
            )
        return pd.DataFrame(X, columns=[f"x{j}" for j in range(X.shape[1])], copy=False)
    return _from_narwhals(X, role)


def _from_narwhals(X: object, role: str) -> pd.DataFrame:
    native: Any = X
    try:
        frame: pd.DataFrame = nw.from_native(native, eager_only=True).to_pandas()
    except TypeError:
        remedy = "Call .collect() first." if hasattr(X, "collect") else "Convert it to one of these."
        remedy = "Call .toarray() first." if hasattr(X, "toarray") else remedy
        raise TableError(
            f"The {role} must be a DataFrame (pandas, polars, or another that narwhals reads) or a "
            f"two-dimensional array; received {type(X).__module__}.{type(X).__name__}. {remedy}"
        ) from None
    return frame


def _unique_names(columns: Iterable[object], role: str) -> list[str]:
    names = [str(name) for name in columns]
    if not names:
        raise TableError(f"The {role} has no columns. It needs at least one to learn from; received none.")
    if len(set(names)) < len(names):
        twice = sorted({name for name in names if names.count(name) > 1})
        raise TableError(
            f"The {role} has duplicate column names: {listing(twice)}. Every column needs a name of its own, "
            "because bias models refer to columns by name. Rename or remove one of each."
        )
    return names


def known_names(
    names: Iterable[str] | str, columns: Sequence[str], option: str, label: str
) -> frozenset[str]:
    """Check that the columns listed in an option exist.

    Raises
    ------
    TableError
        If one does not; the message suggests the nearest name, or says that it is the label.
    """
    wanted = frozenset([names] if isinstance(names, str) else names)
    for name in sorted(wanted.difference(columns), key=str):
        if name == label:
            raise TableError(
                f"{option} names {name!r}, which is the label: the tree predicts it and never sees it. Leave "
                f"it out of {option}."
            )
        raise TableError(
            f"{option} names the column {name!r}, which the training table does not have."
            f"{nearest(name, columns)} Its columns are {listing(columns, 20)}."
        )
    return wanted


def refuse_label_among(names: Iterable[str], label_name: str) -> None:
    """Refuse a feature that has the name of the label: bias models could not tell them apart."""
    if label_name in names:
        raise TableError(
            f"The training table has a feature called {label_name!r}, which is also the name of the label. "
            "The two must differ. Leave the label out of the table of features, or rename that feature."
        )


def label_values(y: object, n_rows: int, role: str) -> NDArray[Any]:
    """Read labels from any array-like into a one-dimensional array without missing values.

    Raises
    ------
    TableError
        If the length or shape is wrong, or a label is missing; the message names the first row.
    """
    values = np.asarray(y)
    if values.ndim == 2 and values.shape[1] == 1:
        values = values[:, 0]
    if values.ndim != 1 or len(values) != n_rows:
        raise TableError(
            f"The labels of the {role} must be one for each of its {n_rows} rows; received an array of shape "
            f"{values.shape}. Pass the label column that belongs to these rows."
        )
    if values.dtype.kind == "O":
        values = np.asarray(pd.Series(values).infer_objects())
    missing = None if values.dtype.kind in "iubSU" else np.asarray(pd.isna(values))
    if missing is not None and missing.any():
        raise TableError(
            f"The label is missing in row {int(missing.argmax())} of the {role} ({int(missing.sum())} "
            "missing in all). Every row needs a label. Fill it in or remove the row."
        )
    return values


def encode_labels(values: NDArray[Any], label_name: str) -> Labels:
    """Give the distinct labels numbers in sorted order, which is scikit-learn's order.

    Raises
    ------
    TableError
        If there is only one class, or the labels are fractions, or cannot be ordered.
    """
    labels, codes = _sorted_codes(values, label_name)
    if len(labels) < 2:
        raise TableError(
            f"The label {label_name!r} has one class only: every row says {labels.tolist()[0]!r}. A tree "
            "needs at least two. Check which column is the label and which rows were kept."
        )
    if values.dtype.kind == "f" and not (labels == np.floor(labels)).all():
        example = labels[labels != np.floor(labels)][0]
        raise TableError(
            f"The label {label_name!r} must name classes; received fractions such as {float(example)!r}, "
            "which scikit-learn's classifier refuses as well. Cut them into classes first."
        )
    return Labels(codes, labels)


def _sorted_codes(values: NDArray[Any], label_name: str) -> tuple[NDArray[Any], NDArray[np.int64]]:
    if values.dtype.kind in "iu" and int(values.max()) - int(values.min()) < 100_000:
        wide = values if values.dtype.kind == "u" else values.astype(np.int64)
        offsets = (wide - wide.min()).astype(np.int64)
        present = np.bincount(offsets) > 0
        labels = np.flatnonzero(present).astype(values.dtype) + values.min()
        return labels, (np.cumsum(present) - 1)[offsets]
    if values.dtype.kind == "O":
        return _sorted_object_codes(values, label_name)
    labels, codes = np.unique(values, return_inverse=True)
    return labels, codes.astype(np.int64)


def _sorted_object_codes(values: NDArray[Any], label_name: str) -> tuple[NDArray[Any], NDArray[np.int64]]:
    codes, distinct = pd.factorize(values)
    try:
        labels, rank = np.unique(np.asarray(distinct, dtype=object), return_inverse=True)
    except TypeError:
        types = sorted({type(value).__name__ for value in distinct})
        raise TableError(
            f"The label {label_name!r} mixes types that have no common order: {listing(types)}. All labels "
            "must be of one type. Convert them, for example with .astype(str)."
        ) from None
    return labels, rank[codes].astype(np.int64)
