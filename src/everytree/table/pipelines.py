"""Tables that come through the encoders of a scikit-learn Pipeline instead of everytree's own.

Beside `everytree.table.encoding`: the fitted encoders make the features, and where their mapping
can be read the columns are described as if everytree had encoded them itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

from everytree.errors import TableError
from everytree.table.frames import Source, as_source, encode_labels, label_values, refuse_label_among
from everytree.table.structure import Column, Encoding, TrainingTable
from everytree.table.values import boolean_features, check_finite, unread_column

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["encoded_table", "fit_encoder", "transform"]


def encoded_table(encoder: Any, X: object, y: object, *, label_name: str = "label") -> TrainingTable:
    """Build a training table whose features come from a Pipeline's encoders.

    Parameters
    ----------
    encoder : sklearn.pipeline.Pipeline
        The steps before the tree. They are used as they are if fitted; otherwise a clone is fitted.
    X : frame or array
        The raw training table.
    y : array-like
        Labels.
    label_name : str
        What to call the label.

    Returns
    -------
    TrainingTable
        With the fitted encoder in ``encoder``.

    Raises
    ------
    TableError
        If the encoders fail on the table or make features that are not finite.
    """
    source = as_source(X, "training table")
    refuse_label_among(source.frame.columns, label_name)
    labels = encode_labels(label_values(y, len(source.frame), source.role), label_name)
    fitted = fit_encoder(encoder, source)
    features = transform(fitted, source)
    columns = _describe(fitted, source, features)
    return TrainingTable(
        source.frame,
        features,
        _feature_names(columns, features.shape[1]),
        columns,
        labels.codes,
        labels.labels,
        label_name,
        source.index,
        fitted,
    )


def fit_encoder(encoder: Any, source: Source) -> Any:
    """Return the encoder if it is fitted, otherwise a clone fitted on the table."""
    try:
        for step in _working_steps(encoder):
            check_is_fitted(step)
    except NotFittedError:
        try:
            return clone(encoder).fit(source.frame)
        except (ValueError, TypeError) as error:
            raise TableError(
                f"The encoders of the Pipeline cannot be fitted to the training table: {error}"
            ) from error
    return encoder


def _working_steps(encoder: Any) -> list[Any]:
    return [step for _, step in encoder.steps if step is not None and not isinstance(step, str)]


def transform(encoder: Any, source: Source) -> NDArray[np.float32]:
    """Encode a table with fitted encoders, as float32 in Fortran order.

    Raises
    ------
    TableError
        If the encoders refuse the table, or a feature is not finite.
    """
    first = next(iter(_working_steps(encoder)), None)
    named = first is None or hasattr(first, "feature_names_in_")
    try:
        values = encoder.transform(source.frame if named else source.frame.to_numpy())
    except (ValueError, TypeError) as error:
        raise TableError(
            f"The encoders of the Pipeline refuse the {source.role}: {error} Bring the table into the form "
            "the Pipeline was made for, or let the encoder accept unknown categories "
            "(handle_unknown='ignore')."
        ) from error
    dense = np.asarray(values.toarray() if hasattr(values, "toarray") else values)
    try:
        numbers = dense if dense.dtype.kind in "iufb" else dense.astype(np.float64)
    except (ValueError, TypeError) as error:
        raise TableError(
            f"The encoders of the Pipeline leave text in the {source.role}: {error}. Encode every text "
            "column, for example with OneHotEncoder."
        ) from error
    with np.errstate(over="ignore"):
        features = numbers.astype(np.float32, order="F")
    check_finite(features, numbers, [f"encoded feature {j}" for j in range(features.shape[1])], source)
    return features


def _describe(encoder: Any, source: Source, features: NDArray[np.float32]) -> tuple[Column, ...]:
    """Say of every original column how it is encoded; opaque wherever that cannot be read."""
    names = source.frame.columns.to_list()
    boolean = boolean_features(features)
    found: dict[str, list[Column]] = {name: [] for name in names}
    for column in _readable_columns(encoder, names, boolean, features.shape[1]):
        found[column.name].append(column)
    return tuple(_one_column(source.frame[name], found[name]) for name in names)


def _one_column(values: pd.Series[Any], parts: Sequence[Column]) -> Column:
    """Join what several encoders say about one column."""
    if len(parts) == 1 and parts[0].encoding not in ("dropped", "opaque"):
        return parts[0]
    dropped = len(parts) > 0 and all(part.encoding == "dropped" for part in parts)
    features = tuple(feature for part in parts for feature in part.features)
    return unread_column(values, features, "dropped" if dropped else "opaque")


def _readable_columns(
    encoder: Any, names: Sequence[str], boolean: NDArray[np.bool_], n_features: int
) -> list[Column]:
    steps = _working_steps(encoder)
    if not steps:
        return _read_step("passthrough", names, 0, boolean)
    if len(steps) > 1:
        return []
    if type(steps[0]).__name__ != "ColumnTransformer":
        return _read_step(steps[0], names, 0, boolean)
    columns: list[Column] = []
    for name, step, selection in steps[0].transformers_:
        place = steps[0].output_indices_.get(name, slice(0, 0))
        chosen = _chosen_names(selection, names)
        if chosen is None:
            return []
        columns.extend(_read_step(step, chosen, place.start, boolean[: place.stop]))
    return columns if sum(len(column.features) for column in columns) <= n_features else []


def _chosen_names(selection: Any, names: Sequence[str]) -> list[str] | None:
    """Names of the columns that a ColumnTransformer hands to one of its parts."""
    if isinstance(selection, str):
        return [selection]
    if isinstance(selection, slice):
        if isinstance(selection.start, str) or isinstance(selection.stop, str):
            return None
        return list(names[selection])
    items: list[Any] = np.atleast_1d(np.asarray(selection)).tolist()
    if items and all(isinstance(item, bool) for item in items):
        return [name for name, chosen in zip(names, items, strict=True) if chosen]
    if all(isinstance(item, str) for item in items):
        return items
    return [names[int(item)] for item in items]


def _read_step(step: Any, names: Sequence[str], start: int, boolean: NDArray[np.bool_]) -> list[Column]:
    """Describe the columns that one encoder turns into features from `start` on."""
    kind = type(step).__name__ if not isinstance(step, str) else step
    if kind == "drop":
        return [Column(name, "categorical", (), (), "dropped") for name in names]
    if kind in ("passthrough", "FunctionTransformer"):
        return [
            Column(name, "boolean" if boolean[start + j] else "numeric", (), (start + j,), "identity")
            for j, name in enumerate(names)
        ]
    if kind == "OneHotEncoder" and not _is_plain_onehot(step):
        return []
    encoding: Encoding = "onehot" if kind == "OneHotEncoder" else "ordinal"
    columns, used = [], start
    for name, categories in zip(names, step.categories_, strict=True):
        width = len(categories) if encoding == "onehot" else 1
        features = tuple(range(used, used + width))
        used += width
        readable = encoding == "onehot" or _is_plain_ordinal(step)
        values = tuple(categories.tolist())
        if readable and not any(value is None or value != value for value in values):
            columns.append(Column(name, "categorical", values, features, encoding))
        else:
            columns.append(Column(name, "categorical", (), features, "opaque"))
    return columns


def _is_plain_onehot(step: Any) -> bool:
    return step.drop is None and step.min_frequency is None and step.max_categories is None


def _is_plain_ordinal(step: Any) -> bool:
    """Codes are positions in categories_, and nothing but -1 stands for an unknown category."""
    grouped = (
        getattr(step, "min_frequency", None) is not None or getattr(step, "max_categories", None) is not None
    )
    return not grouped and (step.handle_unknown == "error" or step.unknown_value == -1)


def _feature_names(columns: Sequence[Column], n_features: int) -> tuple[str, ...]:
    names = [f"encoded feature {j}" for j in range(n_features)]
    for column in columns:
        if column.encoding == "onehot":
            for feature, category in zip(column.features, column.categories, strict=True):
                names[feature] = f"{column.name}={category}"
        elif column.encoding in ("identity", "ordinal"):
            names[column.features[0]] = column.name
    return tuple(names)
