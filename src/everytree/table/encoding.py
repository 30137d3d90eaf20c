"""The two doors into everytree for data: `training_table` fixes an encoding, `test_table` repeats it.

Third step of `everytree.table`; afterwards nothing in everytree looks at a user's raw table again.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from everytree.errors import EverytreeWarning, TableError
from everytree.support.text import listing, nearest
from everytree.table.casting import number_block
from everytree.table.frames import (
    Source,
    as_source,
    encode_labels,
    known_names,
    label_values,
    refuse_label_among,
)
from everytree.table.pipelines import transform
from everytree.table.structure import (
    MISSING,
    UNSEEN_CODE,
    Column,
    Encoding,
    TestTable,
    TrainingTable,
    feature_name,
)
from everytree.table.values import category_codes, is_numeric, is_plain, kind_of, unread_column

__all__ = [
    "codes_of_labels",
    "encode_added",
    "encode_people",
    "encode_training",
    "same_columns",
    "test_table",
    "training_table",
]


def training_table(
    X: object,
    y: object,
    *,
    drop: Iterable[str] | str = (),
    categorical: Iterable[str] | str = (),
    encoding: Literal["onehot", "ordinal"] = "onehot",
    label_name: str = "label",
) -> TrainingTable:
    """Check a training table and encode it for the learner.

    Parameters
    ----------
    X : frame or array of shape (n_rows, n_columns)
        A pandas or polars frame, any other that narwhals reads, or an array, whose columns are then
        called x0, x1, ...
    y : array-like of shape (n_rows,)
        Labels of any one type.
    drop : iterable of str
        Columns the learner must not see. Bias models and groups may still refer to them.
    categorical : iterable of str
        Columns of numbers that are codes of categories.
    encoding : {"onehot", "ordinal"}
        How categorical columns become features: one 0/1 feature for each category, or the position
        of the category in sorted order.
    label_name : str
        What to call the label.

    Returns
    -------
    TrainingTable

    Raises
    ------
    TableError
        If the table cannot be used as it is.

    Examples
    --------
    >>> import pandas as pd
    >>> X = pd.DataFrame({"race": ["Black", "White", "White"], "score": [1, 5, 2]})
    >>> training_table(X, [0, 1, 0]).feature_names
    ('race=Black', 'race=White', 'score')
    """
    options = {"drop": drop, "categorical": categorical, "encoding": encoding, "label_name": label_name}
    return encode_training(as_source(X, "training table"), y, **options)  # type: ignore[arg-type]


def encode_training(
    source: Source,
    y: object,
    *,
    drop: Iterable[str] | str,
    categorical: Iterable[str] | str,
    encoding: Literal["onehot", "ordinal"],
    label_name: str,
) -> TrainingTable:
    """Encode a training table that has been read; see `training_table`."""
    if encoding not in ("onehot", "ordinal"):
        raise TableError(f"encoding must be 'onehot' or 'ordinal'; received {encoding!r}.")
    names = source.names
    refuse_label_among(names, label_name)
    dropped = known_names(drop, names, "drop", label_name)
    declared = known_names(categorical, names, "categorical", label_name) | source.categorical
    labels = encode_labels(label_values(y, len(source.frame), source.role), label_name)
    features, feature_names, columns = _fit_columns(source, dropped, declared, encoding)
    return TrainingTable(
        source.frame,
        features,
        feature_names,
        columns,
        labels.codes,
        labels.labels,
        label_name,
        source.index,
        types=source.types,
    )


def _fit_columns(
    source: Source, dropped: frozenset[str], declared: frozenset[str], encoding: Encoding
) -> tuple[NDArray[np.float32], tuple[str, ...], tuple[Column, ...]]:
    """Choose kind, categories and features of every column, and encode the training rows."""
    names = source.names
    if dropped.issuperset(names):
        raise TableError("drop takes away every column of the training table; leave one to learn from.")
    numeric = _numeric_names(source, [name for name in names if name not in dropped], declared)
    block = number_block(source, numeric) if numeric else None
    images = () if block is None else block.T
    kinds = {name: kind_of(source, name, image) for name, image in zip(numeric, images, strict=True)}
    columns, codes, used = [], {}, 0
    for name in names:
        if name in dropped:
            columns.append(unread_column(source.frame[name], (), "dropped", declared=name in declared))
        elif name in kinds:
            columns.append(Column(name, kinds[name], (), (used,), "identity"))
        else:
            first_codes, distinct = category_codes(source.frame[name], source, declared=name in declared)
            categories = _in_order(distinct)
            rank = {value: code for code, value in enumerate(categories)}
            codes[name] = np.array([rank[value] for value in distinct], dtype=np.int64)[first_codes]
            width = len(categories) if encoding == "onehot" else 1
            columns.append(
                Column(name, "categorical", categories, tuple(range(used, used + width)), encoding)
            )
        used += len(columns[-1].features)
    X = _assemble(columns, block, codes, len(source.frame), used)
    return X, _feature_names(columns), tuple(columns)


def _in_order(distinct: tuple[Any, ...]) -> tuple[Any, ...]:
    """Sort categories; what is missing comes last."""
    known = sorted(value for value in distinct if value is not MISSING)
    return (*known, MISSING) if len(known) < len(distinct) else tuple(known)


def _numeric_names(source: Source, names: Sequence[str], declared: frozenset[str]) -> list[str]:
    """Those of `names` that hold numbers and were not declared categorical."""
    return [
        name
        for name in names
        if name not in declared and (is_plain(source.dtypes[name]) or is_numeric(source.frame[name], source))
    ]


def _feature_names(columns: Sequence[Column]) -> tuple[str, ...]:
    names: list[str] = []
    for column in columns:
        if column.encoding == "onehot":
            names.extend(feature_name(column.name, category) for category in column.categories)
        elif column.features:
            names.append(column.name)
    return tuple(names)


def _assemble(
    columns: Sequence[Column],
    block: NDArray[np.float32] | None,
    codes: dict[str, NDArray[np.int64]],
    n_rows: int,
    n_features: int,
) -> NDArray[np.float32]:
    """Put the numeric block and the encoded categories side by side, in Fortran order."""
    if block is not None and not codes:
        return block
    X = np.zeros((n_rows, n_features), dtype=np.float32, order="F")
    identity = [column.features[0] for column in columns if column.encoding == "identity"]
    for position, feature in enumerate(identity):
        X[:, feature] = block[:, position] if block is not None else 0
    for column in columns:
        if column.encoding == "ordinal":
            X[:, column.features[0]] = codes[column.name]
        elif column.encoding == "onehot":
            seen = np.flatnonzero(codes[column.name] != UNSEEN_CODE)
            X[seen, column.features[0] + codes[column.name][seen]] = 1
    return X


def test_table(train: TrainingTable, X: object, y: object = None) -> TestTable:  # noqa: PT028
    """Encode the people to be judged exactly as the training table was encoded.

    Parameters
    ----------
    train : TrainingTable
        Fixes columns, categories and labels.
    X : frame or array
        The same columns, in any order if they have names. A column with the label's name is set
        aside and read as `y`; dropped columns may be missing.
    y : array-like, optional
        True labels, if known.

    Returns
    -------
    TestTable

    Warns
    -----
    EverytreeWarning
        If a category occurs that training never saw. It is encoded as none of the known ones: all
        zeros when one-hot encoded, -1 when ordinal.

    Raises
    ------
    TableError
        If the table does not fit the training table.
    """
    return encode_people(train, as_source(X, "test table"), y)[0]


def encode_people(train: TrainingTable, source: Source, y: object = None) -> tuple[TestTable, Source]:
    """Encode people whose table has been read; the table comes back in the order of training."""
    if train.label_name in source.names:
        y = source.frame[train.label_name] if y is None else y
        source = source.only([name for name in source.names if name != train.label_name])
    source = same_columns(train, source)
    features = _encode(train, source) if train.encoder is None else transform(train.encoder, source)
    codes = None if y is None else codes_of_labels(train, label_values(y, len(source.frame), source.role))
    return TestTable(source.frame, features, source.index, codes), source


test_table.__test__ = False  # type: ignore[attr-defined]  # pytest would otherwise collect it where it is imported


def encode_added(train: TrainingTable, rows: pd.DataFrame) -> NDArray[np.float32]:
    """Encode rows that a change of the training table adds; their categories may be new, without a word."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return test_table(train, train.as_given(rows)).X


def same_columns(train: TrainingTable, source: Source) -> Source:
    """Bring the columns of a test table into the order of training, or say how they differ."""
    wanted = [column.name for column in train.columns]
    received = source.names
    if received == wanted:
        return source
    optional = {column.name for column in train.columns if column.encoding == "dropped"}
    missing = [name for name in wanted if name not in received and name not in optional]
    extra = [name for name in received if name not in wanted]
    if missing or extra:
        parts = []
        if missing:
            hints = "".join(nearest(name, extra) for name in missing[:1])
            parts.append(f"it lacks {listing(missing)}.{hints}")
        if extra:
            hints = "".join(nearest(name, missing) for name in extra[:1]) if not missing else ""
            parts.append(f"it has the unknown {listing(extra)}.{hints}")
        raise TableError(
            f"The columns of the test table differ from those of the training table: {' And '.join(parts)} "
            "Both tables need the same columns (their order does not matter; an array has the columns x0, "
            "x1, ...). Rename, add or remove columns so that they agree, or leave them out with drop."
        )
    return source.only([name for name in wanted if name in received])


def _encode(train: TrainingTable, source: Source) -> NDArray[np.float32]:
    numeric, codes = [], {}
    for column in train.columns:
        if column.encoding == "dropped":
            continue
        if column.kind == "categorical":
            codes[column.name] = _known_codes(column, source.frame[column.name], source, len(train.y))
            continue
        if not is_plain(source.dtypes[column.name]):
            _refuse_text(source.frame[column.name], source)
            is_numeric(source.frame[column.name], source)
        numeric.append(column.name)
    block = number_block(source, numeric) if numeric else None
    return _assemble(train.columns, block, codes, len(source.frame), len(train.feature_names))


def _refuse_text(values: pd.Series[Any], source: Source) -> None:
    """Refuse text in a column that training knows as numbers."""
    dtype: Any = values.dtype
    if dtype.kind in "iufb" or not any(isinstance(value, str) for value in values):
        return
    number = pd.to_numeric(values.astype(object), errors="coerce").notna().to_numpy()
    row = int((~number).argmax())
    raise TableError(
        f"Column {values.name!r} of the test table holds non-numeric text in a numeric column: "
        f"{values.iloc[row]!r} in {source.place(row)}. Training saw numbers only. Correct the text, in "
        "the file if the table comes from one, convert the column with .astype(float), or declare it "
        "categorical in training."
    )


def _known_codes(column: Column, values: pd.Series[Any], source: Source, n_train: int) -> NDArray[np.int64]:
    """Codes of the training categories; `UNSEEN_CODE`, with a warning, for all others."""
    first_codes, distinct = category_codes(values, source, declared=True)
    if not _one_type(column.categories, distinct):
        raise TableError(
            f"Column {column.name!r} has categories such as {column.categories[0]!r} in the training table "
            f"but values such as {distinct[0]!r} in the test table. Both must be text, or both numbers. "
            "Convert one."
        )
    code = {value: position for position, value in enumerate(column.categories)}
    unseen = [value for value in distinct if value not in code]
    if unseen:
        names_rows = 2 * len(column.categories) > n_train and 2 * len(distinct) > len(values)
        hint = " Most of its values are different: if it is an identifier, put it into drop."
        warnings.warn(
            f"Column {column.name!r} of the test table has categories that training never saw: "
            f"{listing(unseen)}. They are encoded as none of the known ones, {listing(column.categories)}."
            f"{hint if names_rows else ''}",
            EverytreeWarning,
            stacklevel=5,
        )
    return np.array([code.get(value, UNSEEN_CODE) for value in distinct], dtype=np.int64)[first_codes]


def _one_type(ours: tuple[Any, ...], theirs: tuple[Any, ...]) -> bool:
    """Tell whether categories are all text, or none is; what is missing fits to both."""
    return len({isinstance(value, str) for value in (*ours, *theirs) if value is not MISSING}) < 2


def codes_of_labels(train: TrainingTable, values: NDArray[Any]) -> NDArray[np.int64]:
    """Positions of labels in ``train.labels``, -1 for labels that training never saw."""
    code = {value: position for position, value in enumerate(train.labels.tolist())}
    distinct, inverse = np.unique(values, return_inverse=True)
    return np.array([code.get(value, -1) for value in distinct.tolist()], dtype=np.int64)[inverse]
