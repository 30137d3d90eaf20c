"""Tables that come through the encoders of a scikit-learn Pipeline instead of everytree's own.

Beside `everytree.table.encoding`: the fitted encoders make the features, and where their mapping
can be read the columns are described as if everytree had encoded them itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from everytree.errors import TableError
from everytree.table.casting import REFUSALS, as_learner_sees, check_finite
from everytree.table.frames import Source, encode_labels, label_values, refuse_label_among
from everytree.table.structure import Column, Encoding, TrainingTable
from everytree.table.values import number_kind, unread_column

__all__ = ["encoded_table", "fit_encoder", "in_known_form", "transform"]


def encoded_table(encoder: Any, source: Source, y: object, *, label_name: str = "label") -> TrainingTable:
    """Build a training table whose features come from a Pipeline's encoders.

    Parameters
    ----------
    encoder : sklearn.pipeline.Pipeline
        The steps before the tree, fitted.
    source : Source
        The raw training table.
    y : array-like
        Labels.
    label_name : str
        What to call the label.

    Returns
    -------
    TrainingTable
        With the encoder in ``encoder``.

    Raises
    ------
    TableError
        If the encoders fail on the table or make features that are not finite.
    """
    refuse_label_among(source.frame.columns, label_name)
    labels = encode_labels(label_values(y, len(source.frame), source.role), label_name)
    features = transform(encoder, source)
    columns = _describe(encoder, source, features.shape[1])
    return TrainingTable(
        source.frame,
        features,
        _feature_names(columns, features.shape[1]),
        columns,
        labels.codes,
        labels.labels,
        label_name,
        source.index,
        encoder,
        source.types,
    )


def fit_encoder(encoder: Any, source: Source) -> Any:
    """Fit a clone of the encoders to the table as the user gave it.

    Its types matter: a ColumnTransformer may choose columns by them, and encoders read categories from them.
    """
    from sklearn.base import clone  # tables and bias models are there before scikit-learn is loaded

    try:
        return clone(encoder).fit(source.given)
    except REFUSALS as error:
        raise TableError(
            f"The encoders of the Pipeline cannot be fitted to the training table: {error}"
        ) from error


def _working_steps(encoder: Any) -> list[Any]:
    return [step for _, step in encoder.steps if step is not None and not isinstance(step, str)]


def transform(encoder: Any, source: Source) -> NDArray[np.float32]:
    """Encode a table with fitted encoders, as float32 in Fortran order.

    Raises
    ------
    TableError
        If the encoders refuse the table, or a feature is not finite.
    """
    try:
        values = encoder.transform(in_known_form(encoder, source))
    except REFUSALS as error:
        raise TableError(
            f"The encoders of the Pipeline refuse the {source.role}: {error} Bring the table into the form "
            "the Pipeline was made for, or let the encoder accept unknown categories "
            "(handle_unknown='ignore')."
        ) from error
    try:
        features = as_learner_sees(values)
    except REFUSALS as error:
        raise TableError(
            f"The encoders of the Pipeline leave text in the {source.role}: {error}. Encode every text "
            "column, for example with OneHotEncoder."
        ) from error
    names = [f"encoded feature {j}" for j in range(features.shape[1])]
    check_finite(features, lambda row, column: _dense(values)[row, column], names, source)
    return features


def in_known_form(encoder: Any, source: Source) -> Any:
    """Give a table as the user gave it, with names if the encoders know names, without if they do not."""
    first = next(iter(_working_steps(encoder)), None)
    named = first is None or hasattr(first, "feature_names_in_")
    has_names = hasattr(source.given, "columns")
    if first is None or named == has_names:
        return source.given
    return source.frame if named else np.asarray(source.given)


def _dense(values: Any) -> NDArray[Any]:
    return np.asarray(values.toarray() if hasattr(values, "toarray") else values)


def _describe(encoder: Any, source: Source, n_features: int) -> tuple[Column, ...]:
    """Say of every original column how it is encoded; opaque wherever that cannot be read."""
    names = source.frame.columns.to_list()
    found: dict[str, list[Column]] = {name: [] for name in names}
    for column in _readable_columns(encoder, source, n_features):
        found[column.name].append(column)
    return tuple(_one_column(source.frame[name], found[name], name in source.categorical) for name in names)


def _one_column(values: pd.Series[Any], parts: Sequence[Column], declared: bool) -> Column:
    """Join what several encoders say about one column.

    One that goes through encoders in a way that cannot be read holds categories: the widest meaning, under
    which an added row may hold any value.
    """
    if len(parts) == 1 and parts[0].encoding not in ("dropped", "opaque"):
        return parts[0]
    dropped = len(parts) > 0 and all(part.encoding == "dropped" for part in parts)
    features = tuple(feature for part in parts for feature in part.features)
    encoding: Encoding = "dropped" if dropped else "opaque"
    return unread_column(values, features, encoding, declared=declared or not dropped)


def _readable_columns(encoder: Any, source: Source, n_features: int) -> list[Column]:
    steps, names = _working_steps(encoder), source.frame.columns.to_list()
    if not steps:
        return _read_step("passthrough", source, names, 0)
    if len(steps) > 1:
        return []
    if type(steps[0]).__name__ != "ColumnTransformer":
        return _read_step(steps[0], source, names, 0)
    columns: list[Column] = []
    for name, step, selection in steps[0].transformers_:
        place = steps[0].output_indices_.get(name, slice(0, 0))
        chosen = _chosen_names(selection, names)
        if chosen is None:
            return []
        columns.extend(_read_step(step, source, chosen, place.start) if chosen else [])
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


def _read_step(step: Any, source: Source, names: Sequence[str], start: int) -> list[Column]:
    """Describe the columns that one encoder turns into features from `start` on."""
    kind = type(step).__name__ if not isinstance(step, str) else step
    if kind == "drop":
        return [Column(name, "categorical", (), (), "dropped") for name in names]
    if kind in ("passthrough", "FunctionTransformer"):
        return [_passed_column(name, source, start + j) for j, name in enumerate(names)]
    if kind == "OneHotEncoder" and not _is_plain_onehot(step):
        return []
    encoding: Encoding = "onehot" if kind == "OneHotEncoder" else "ordinal"
    columns, used = [], start
    for name, categories in zip(names, step.categories_, strict=True):
        width = len(categories) if encoding == "onehot" else 1
        features = tuple(range(used, used + width))
        used += width
        values = tuple(categories.tolist())
        if (encoding == "onehot" or _is_plain_ordinal(step)) and _names_all(values, source.frame[name]):
            columns.append(Column(name, "categorical", values, features, encoding))
        else:
            columns.append(Column(name, "categorical", (), features, "opaque"))
    return columns


def _passed_column(name: str, source: Source, feature: int) -> Column:
    """Describe a column that reaches the tree as it is; the numbers of a categorical type may be any."""
    kind = "numeric" if name in source.categorical else number_kind(source.frame[name])
    return Column(name, kind, (), (feature,), "identity")


def _names_all(categories: tuple[Any, ...], values: pd.Series[Any]) -> bool:
    """Tell whether an encoder's categories are the values of the column, none missing or rounded."""
    known = set(categories)
    return not any(value is None or pd.isna(value) for value in categories) and all(
        value in known for value in values.unique().tolist()
    )


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
