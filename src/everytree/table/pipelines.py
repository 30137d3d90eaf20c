"""Tables that come through the steps of a scikit-learn Pipeline instead of everytree's own encoding.

Beside `everytree.table.encoding`: the fitted steps make the features, and where their mapping can be read
(`described`) the columns are described as if everytree had encoded them itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from everytree.errors import TableError, UnsupportedLearnerError
from everytree.table.casting import REFUSALS, as_learner_sees, check_finite
from everytree.table.described import describe_columns, feature_names, leaves_of, working_steps
from everytree.table.frames import Source, encode_labels, label_values, refuse_label_among
from everytree.table.structure import TrainingTable

__all__ = [
    "Preprocessed",
    "check_additions",
    "encoded_table",
    "fit_encoder",
    "in_known_form",
    "keep_encoder",
    "transform",
]


FITTED_ELSEWHERE = (
    "The steps before the tree are kept as they were fitted, which is not what fitting them to the training "
    "table gives."
)


@dataclass(frozen=True, eq=False)
class Preprocessed:
    """The fitted steps before a tree, and what the tree is fitted to.

    Attributes
    ----------
    encoder : sklearn.pipeline.Pipeline
        The steps, fitted; people go through their `transform`.
    features : ndarray of float32
        The training rows as `fit_transform` gives them. For PCA and some others they differ from those of
        `transform` in the last digits, and the tree of a Pipeline is fitted to the former.
    fitted_here : bool
        Whether fitting the steps to the training table gives these very steps.
    """

    encoder: Any
    features: NDArray[np.float32]
    fitted_here: bool = True


def encoded_table(
    made: Preprocessed, source: Source, y: object, *, label_name: str = "label"
) -> TrainingTable:
    """Build a training table whose features come from the steps of a Pipeline.

    Parameters
    ----------
    made : Preprocessed
        The steps before the tree, fitted, and the features.
    source : Source
        The raw training table.
    y : array-like
        Labels.
    label_name : str
        What to call the label.

    Returns
    -------
    TrainingTable
        With the fitted steps in ``encoder``.
    """
    refuse_label_among(source.frame.columns, label_name)
    labels = encode_labels(label_values(y, len(source.frame), source.role), label_name)
    n_features = made.features.shape[1]
    columns = describe_columns(made.encoder, source, n_features)
    return TrainingTable(
        source.frame,
        made.features,
        feature_names(made.encoder, columns, n_features),
        columns,
        labels.codes,
        labels.labels,
        label_name,
        source.index,
        made.encoder,
        source.types,
        () if made.fitted_here else (FITTED_ELSEWHERE,),
    )


def fit_encoder(encoder: Any, source: Source) -> Preprocessed:
    """Fit a clone of the steps to the table as the user gave it.

    Its types matter: a ColumnTransformer may choose columns by them, and encoders read categories from them.

    Raises
    ------
    TableError
        If the steps fail on the table or make features that are not finite.
    """
    from sklearn.base import clone  # tables and bias models are there before scikit-learn is loaded

    fitted = clone(encoder)
    try:
        values = fitted.fit_transform(source.given)
    except REFUSALS as error:
        raise TableError(
            f"The steps of the Pipeline cannot be fitted to the training table: {error}"
        ) from error
    return Preprocessed(fitted, _as_features(values, source))


def keep_encoder(encoder: Any, source: Source) -> Preprocessed:
    """Take fitted steps as the user fitted them, with the features that their tree was fitted to.

    If fitting them again to this table gives the same steps, the tree saw what `fit_transform` gives. If not,
    they were fitted to another table, or by chance; the tree then saw what `transform` gives, as long as the
    two are the same for these kinds of steps.

    Raises
    ------
    UnsupportedLearnerError
        If what the tree saw cannot be told.
    """
    seen = transform(encoder, source)
    try:
        again = fit_encoder(encoder, source)
        repeated = transform(again.encoder, source)
    except TableError:
        return Preprocessed(encoder, seen, fitted_here=False)
    if np.array_equal(repeated, seen, equal_nan=True):
        return Preprocessed(encoder, again.features)
    if np.array_equal(repeated, again.features, equal_nan=True):
        return Preprocessed(encoder, seen, fitted_here=False)
    raise UnsupportedLearnerError(
        "The steps of the Pipeline were fitted to another table than the training table, or chance had a "
        "part in it, and for steps like these `fit_transform` and `transform` differ: the features that the "
        "tree was fitted to are not known. Pass the Pipeline unfitted, with random_state set in every step "
        "that has one, or the table that it was fitted to."
    )


def transform(encoder: Any, source: Source) -> NDArray[np.float32]:
    """Encode a table with fitted steps, as float32 in Fortran order.

    Raises
    ------
    TableError
        If the steps refuse the table, or a feature is not finite.
    """
    try:
        values = encoder.transform(in_known_form(encoder, source))
    except REFUSALS as error:
        raise TableError(
            f"The steps of the Pipeline refuse the {source.role}: {error} Bring the table into the form "
            "the Pipeline was made for, or let the encoder accept unknown categories "
            "(handle_unknown='ignore')."
        ) from error
    return _as_features(values, source)


def _as_features(values: Any, source: Source) -> NDArray[np.float32]:
    """Cast what comes out of the steps as the tree behind them does."""
    try:
        features = as_learner_sees(values)
    except REFUSALS as error:
        raise TableError(
            f"The steps of the Pipeline leave text in the {source.role}: {error}. Encode every text "
            "column, for example with OneHotEncoder."
        ) from error
    names = [f"encoded feature {j}" for j in range(features.shape[1])]
    check_finite(features, lambda row, column: _dense(values)[row, column], names, source)
    return features


def in_known_form(encoder: Any, source: Source) -> Any:
    """Give a table as the user gave it, with names if the steps know names, without if they do not.

    Names that are not text are none for scikit-learn: such a frame stays one, with the types of its columns.
    """
    first = next(iter(working_steps(encoder)), None)
    named = hasattr(first, "feature_names_in_")
    has_names = all(isinstance(name, str) for name in getattr(source.given, "columns", [0]))
    if named == has_names or not hasattr(first, "n_features_in_"):
        return source.given
    if named:
        return source.frame
    if isinstance(source.given, pd.DataFrame):  # as an array it would lose the types of its columns
        return source.given.set_axis(range(source.given.shape[1]), axis=1)
    return np.asarray(source.given)


def _dense(values: Any) -> NDArray[Any]:
    return np.asarray(values.toarray() if hasattr(values, "toarray") else values)


def check_additions(table: TrainingTable) -> None:
    """Refuse a table to which no row can be added: a step may look at all rows at once.

    Every other step turns a row into features on its own once it is fitted, so that an added row is a row of
    features. A function of the user's may compare rows with each other, and then an added row would change
    the features of the others.

    Raises
    ------
    UnsupportedLearnerError
    """
    functions = () if table.encoder is None else leaves_of(table.encoder)
    if any(type(s).__name__ == "FunctionTransformer" and s.func is not None for s in functions):
        raise UnsupportedLearnerError(
            "A bias model with miss cannot be combined with a FunctionTransformer, which may look at all "
            "rows at once: what an added row does to the features of the others is not known. Use flip or "
            "fake, or apply the function to the tables first and leave the step out."
        )
