"""What the fitted steps of a Pipeline make of each column, as far as that can be read from them.

Behind `everytree.table.pipelines`. A column whose way to the features cannot be read is opaque: nothing is
said then about what its features may be in an added row, which leaves them free.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd

from everytree.table.frames import Source
from everytree.table.structure import Column, Encoding, feature_name
from everytree.table.values import number_kind, unread_column

__all__ = [
    "describe_columns",
    "feature_names",
    "inner_steps",
    "is_from_sklearn",
    "is_pipeline",
    "leaves_of",
    "working_steps",
]

CATEGORY_ENCODERS = ("OneHotEncoder", "OrdinalEncoder")
"""Steps whose columns hold categories, whatever their values look like."""


def is_from_sklearn(thing: Any) -> bool:
    """Tell whether a class is scikit-learn's own; a subclass of a user's may do anything."""
    return type(thing).__module__.partition(".")[0] == "sklearn"


def is_pipeline(thing: Any) -> bool:
    """Tell whether this is scikit-learn's Pipeline itself, without importing it where nobody has one."""
    return is_from_sklearn(thing) and type(thing).__name__ == "Pipeline"


def inner_steps(step: Any) -> list[tuple[str, Any]] | None:
    """Give the named parts of a Pipeline, ColumnTransformer or FeatureUnion; None for any other step.

    The parts of a fitted ColumnTransformer stand as they were given, the fitted ones in ``transformers_``.
    """
    if is_pipeline(step):
        return list(step.steps)
    kind = type(step).__name__ if is_from_sklearn(step) else ""
    if kind == "FeatureUnion":
        return list(step.transformer_list)
    if kind == "ColumnTransformer":
        return [*((name, part) for name, part, *_ in step.transformers), ("remainder", step.remainder)]
    return None


def leaves_of(step: Any) -> Iterator[Any]:
    """Give the steps within a step that have no parts of their own."""
    inner = inner_steps(step)
    if inner is None:
        yield step
    else:
        for _, part in inner:
            yield from leaves_of(part)


def working_steps(pipeline: Any) -> list[Any]:
    """Give the steps of a Pipeline that do something."""
    return [step for _, step in pipeline.steps if step is not None and not isinstance(step, str)]


def describe_columns(encoder: Any, source: Source, n_features: int) -> tuple[Column, ...]:
    """Say of every original column how it is encoded; opaque wherever that cannot be read."""
    names = source.frame.columns.to_list()
    found: dict[str, list[Column]] = {name: [] for name in names}
    parts = _read_step(encoder, source, names, 0)
    if sum(len(column.features) for column in parts) > n_features:
        parts = []
    for column in parts:
        found[column.name].append(column)
    return tuple(_one_column(source.frame[name], found[name], name in source.categorical) for name in names)


def _one_column(values: pd.Series[Any], parts: Sequence[Column], declared: bool) -> Column:
    """Join what several steps say about one column.

    One that goes through encoders of categories in a way that cannot be read holds categories: the widest
    meaning, under which an added row may hold any value. Behind scalers, imputers and the like it keeps the
    meaning that its values have.
    """
    if len(parts) == 1 and parts[0].encoding not in ("dropped", "opaque"):
        return parts[0]
    seen = [part for part in parts if part.encoding != "dropped"]
    dropped = len(parts) > 0 and not seen
    features = tuple(feature for part in parts for feature in part.features)
    computed = any(part.encoding == "opaque" for part in seen) and all(p.kind != "categorical" for p in seen)
    encoding: Encoding = "dropped" if dropped else "opaque"
    return unread_column(values, features, encoding, declared=declared or not (dropped or computed))


def _read_step(step: Any, source: Source, names: Sequence[str], start: int) -> list[Column]:
    """Describe the columns that one step turns into features from `start` on."""
    kind = type(step).__name__ if not isinstance(step, str) and step is not None else step or "passthrough"
    if kind == "drop":
        return [Column(name, "categorical", (), (), "dropped") for name in names]
    if kind == "passthrough" or (kind == "FunctionTransformer" and step.func is None):
        return [_passed_column(name, source, start + j) for j, name in enumerate(names)]
    if kind == "Pipeline":
        steps = working_steps(step)
        if len(steps) < 2:
            return _read_step(steps[0] if steps else "passthrough", source, names, start)
    if kind == "ColumnTransformer" and start == 0 and list(names) == source.frame.columns.to_list():
        return _read_column_transformer(step, source, names)
    if kind in CATEGORY_ENCODERS:
        return _read_encoder(step, source, names, start)
    return _unread(step, names)


def _unread(step: Any, names: Sequence[str]) -> list[Column]:
    """Columns of a step that cannot be read back: categories if some encoder of categories is in it."""
    categories = any(type(leaf).__name__ in CATEGORY_ENCODERS for leaf in leaves_of(step))
    return [Column(name, "categorical" if categories else "numeric", (), (), "opaque") for name in names]


def _read_column_transformer(transformer: Any, source: Source, names: Sequence[str]) -> list[Column]:
    columns: list[Column] = []
    for name, step, selection in transformer.transformers_:
        place = transformer.output_indices_.get(name, slice(0, 0))
        chosen = _chosen_names(selection, names)
        if chosen is None:
            return []
        columns.extend(_read_step(step, source, chosen, place.start) if chosen else [])
    return columns


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


def _read_encoder(step: Any, source: Source, names: Sequence[str], start: int) -> list[Column]:
    """Describe the columns of an encoder of categories."""
    onehot = type(step).__name__ == "OneHotEncoder"
    if onehot and not _is_plain_onehot(step):
        return _unread(step, names)
    encoding: Encoding = "onehot" if onehot else "ordinal"
    columns, used = [], start
    for name, categories in zip(names, step.categories_, strict=True):
        width = len(categories) if onehot else 1
        features = tuple(range(used, used + width))
        used += width
        values = tuple(categories.tolist())
        if (onehot or _is_plain_ordinal(step)) and _names_all(values, source.frame[name]):
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


def feature_names(encoder: Any, columns: Sequence[Column], n_features: int) -> tuple[str, ...]:
    """Name the features after their columns, and those that cannot be read as the steps themselves do."""
    names = _own_names(encoder, n_features) or [f"encoded feature {j}" for j in range(n_features)]
    for column in columns:
        if column.encoding == "onehot":
            for feature, category in zip(column.features, column.categories, strict=True):
                names[feature] = feature_name(column.name, category)
        elif column.encoding in ("identity", "ordinal"):
            names[column.features[0]] = column.name
    return tuple(names)


def _own_names(encoder: Any, n_features: int) -> list[str]:
    """Names that fitted steps give to their features; none if one of them does not know any."""
    try:
        names = [str(name) for name in encoder.get_feature_names_out()]
    except (AttributeError, ValueError, TypeError):
        return []
    return names if len(set(names)) == n_features else []
