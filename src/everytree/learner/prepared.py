"""Which estimators can be certified, and what they say about the test people.

Sits between `everytree.table` and everything that reasons about trees: after `prepare`, a learner
is its settings and a random state, and no setting that could change the tree has been overlooked.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder

from everytree.errors import TableError, UnsupportedLearnerError
from everytree.learner.settings import SUPPORTED, Settings, describe
from everytree.support.text import listing
from everytree.table.encoding import test_table, training_table
from everytree.table.pipelines import encoded_table
from everytree.table.structure import TestTable, TrainingTable

__all__ = ["Learner", "Prepared", "prepare"]


@dataclass(frozen=True, eq=False)
class Learner:
    """A tree learner whose every setting is understood.

    Attributes
    ----------
    settings : Settings
        What decides which tree is learned from a table.
    random_state : int, RandomState or None
        As given; it only breaks ties.
    tree : sklearn.tree.DecisionTreeClassifier
        An unfitted tree with these settings.
    encoder : sklearn.pipeline.Pipeline or None
        The steps before the tree, as given.
    fitted : bool
        Whether the given tree was fitted already.
    """

    settings: Settings
    random_state: Any
    tree: Any
    encoder: Any
    fitted: bool

    @classmethod
    def read(cls, estimator: Any) -> Learner:
        """Read an estimator, fitted or not.

        Parameters
        ----------
        estimator : DecisionTreeClassifier or Pipeline
            What the user trains.

        Returns
        -------
        Learner

        Raises
        ------
        UnsupportedLearnerError
            If it is anything else, or has a setting that would make a proof wrong. The message
            names the parameter or the step.

        Examples
        --------
        >>> from sklearn.tree import DecisionTreeClassifier
        >>> Learner.read(DecisionTreeClassifier(max_depth=2)).settings.max_depth
        2
        """
        encoder, tree = _split(estimator)
        settings = Settings.read(tree)
        fitted = hasattr(tree, "tree_")
        if fitted:
            _check_fitted(tree)
        return cls(settings, tree.random_state, clone(tree), encoder, fitted)

    def __str__(self) -> str:
        tree = str(self.tree)
        return tree if self.encoder is None else f"Pipeline that ends in {tree}"

    def new_tree(self) -> Any:
        """Return a fresh unfitted tree with these settings, for training on another table."""
        return self.settings.new_tree(self.random_state)


@dataclass(frozen=True, eq=False)
class Prepared:
    """Everything a certifier starts from.

    Attributes
    ----------
    learner : Learner
        The settings.
    train : TrainingTable
        The table the tree is learned from.
    test : TestTable
        The people to be judged.
    predictions : ndarray of int64
        What the tree says about them, as codes into ``train.labels``.
    tree : sklearn.tree.DecisionTreeClassifier
        The fitted tree that says so: the user's own if it was fitted, otherwise a new one.
    """

    learner: Learner
    train: TrainingTable
    test: TestTable
    predictions: NDArray[np.int64]
    tree: Any

    def __post_init__(self) -> None:
        """Refuse settings that are understood for other tables only."""
        self.learner.settings.check_features(self.train.X.shape[1])


def prepare(
    estimator: Any,
    X_train: object,
    y_train: object,
    X_test: object,
    *,
    y_test: object = None,
    drop: Iterable[str] | str = (),
    categorical: Iterable[str] | str = (),
    encoding: Literal["onehot", "ordinal"] = "onehot",
    label_name: str = "label",
) -> Prepared:
    """Read the estimator, encode both tables, and predict the test people.

    Parameters
    ----------
    estimator : DecisionTreeClassifier or Pipeline
        Fitted or not. The predictions are its own if it is fitted, otherwise those of a clone
        trained on the encoded training table.
    X_train, y_train, X_test : frame or array-like
        The tables.
    y_test : array-like, optional
        True labels of the test people.
    drop, categorical, encoding, label_name
        As in `everytree.table.training_table`. With a Pipeline its own encoders decide, and the
        first three must be left alone.

    Returns
    -------
    Prepared

    Raises
    ------
    UnsupportedLearnerError
        If the estimator cannot be certified.
    TableError
        If a table cannot be used, or a fitted estimator does not belong to the training table.
    """
    learner = Learner.read(estimator)
    if learner.encoder is None:
        train = training_table(
            X_train, y_train, drop=drop, categorical=categorical, encoding=encoding, label_name=label_name
        )
    else:
        _refuse_table_options(drop, categorical, encoding)
        train = encoded_table(learner.encoder, X_train, y_train, label_name=label_name)
    test = test_table(train, X_test, y_test)
    if learner.fitted:
        tree = copy.copy(_split(estimator)[1])  # the user may fit it again
        _check_belongs(tree, train)
    else:
        tree = learner.new_tree().fit(train.X, train.y)
    return Prepared(learner, train, test, _predict(tree, test.X), tree)


def _predict(tree: Any, X: NDArray[np.float32]) -> NDArray[np.int64]:
    """Majority label of each row's leaf; on a tie the first, which is scikit-learn's rule."""
    votes = tree.tree_.value[:, 0, :].argmax(axis=1)
    codes: NDArray[np.int64] = votes[tree.tree_.apply(X)].astype(np.int64)
    return codes


def _refuse_table_options(drop: object, categorical: object, encoding: str) -> None:
    given = {"drop": drop, "categorical": categorical, "encoding": encoding if encoding != "onehot" else ()}
    for name, value in given.items():
        if value:
            raise TableError(
                f"{name}={value!r} cannot be combined with a Pipeline, whose own encoders decide what "
                "becomes of each column. Put the choice into its ColumnTransformer, or pass the tree "
                "alone."
            )


def _split(estimator: Any) -> tuple[Any, Any]:
    """Separate the encoders of a Pipeline from the tree at its end."""
    if type(estimator) is not Pipeline:
        return None, estimator
    *steps, (_, tree) = estimator.steps
    for name, step in steps:
        _check_step(name, step)
    return (estimator[:-1] if steps else None), tree


def _check_step(name: str, step: Any) -> None:
    """Refuse steps that are not known to encode every row on its own."""
    if type(step) is not ColumnTransformer:
        _check_encoder(name, step)
        return
    if step.transformer_weights is not None:
        raise UnsupportedLearnerError(
            f"The ColumnTransformer {name!r} sets transformer_weights={step.transformer_weights!r}, which is "
            f"not supported; leave it at None. {SUPPORTED}"
        )
    for part in [*step.transformers, ("remainder", step.remainder)]:
        _check_encoder(f"{name}/{part[0]}", part[1])


def _check_encoder(name: str, step: Any) -> None:
    plain = step is None or (isinstance(step, str) and step in ("passthrough", "drop"))
    if not plain and type(step) not in (OneHotEncoder, OrdinalEncoder):
        raise UnsupportedLearnerError(
            f"The Pipeline step {name!r} is {describe(step)}, which is not supported there. {SUPPORTED}"
        )


def _check_fitted(tree: Any) -> None:
    if tree.n_outputs_ != 1:
        raise UnsupportedLearnerError(
            f"DecisionTreeClassifier was fitted to {tree.n_outputs_} labels at once; exactly one is "
            "supported. Fit one tree for each label."
        )
    if not np.array_equal(tree.tree_.weighted_n_node_samples, tree.tree_.n_node_samples):
        raise UnsupportedLearnerError(
            "DecisionTreeClassifier was fitted with sample_weight, which is not supported: every row must "
            "count once. Fit it without weights."
        )


def _check_belongs(tree: Any, train: TrainingTable) -> None:
    """Refuse a fitted tree that was learned from another table than `train`."""
    if tree.classes_.tolist() != train.labels.tolist():
        raise TableError(
            f"The fitted tree knows the labels {listing(tree.classes_.tolist())}, but the training table has "
            f"{listing(train.labels.tolist())}. Pass the labels the tree was fitted with."
        )
    names = getattr(tree, "feature_names_in_", None)
    is_array = train.feature_names == tuple(f"x{j}" for j in range(len(train.feature_names)))
    differ = (
        names is not None and train.encoder is None and not is_array and tuple(names) != train.feature_names
    )
    if differ or tree.n_features_in_ != train.X.shape[1]:
        received = listing(names) if names is not None else f"{tree.n_features_in_} features without names"
        raise TableError(
            f"The fitted tree was trained on {received}, but the training table gives "
            f"{listing(train.feature_names)}. Both must be the same features in the same order. Pass the "
            "table the tree was fitted on."
        )
    inner = tree.tree_
    leaves = inner.children_left == -1
    n_labels = len(train.labels)
    cells = n_labels * inner.apply(train.X).astype(np.int64) + train.y
    counts = np.bincount(cells, minlength=n_labels * inner.node_count).reshape(-1, n_labels)
    known = inner.value[:, 0, :] * inner.n_node_samples[:, None]  # shares of the labels, times the rows
    if not np.array_equal(counts[leaves], np.round(known[leaves])):
        raise TableError(
            f"The fitted tree was trained on another table: its leaves hold {int(inner.n_node_samples[0])} "
            f"rows, and the {len(train.y)} rows of the training table, or their labels, fall into them "
            "differently. Pass the table the tree was fitted on, or an unfitted tree."
        )
