"""Is the learner that is certified the user's? What we prepare, compared with what the user's estimator sees.

Used by `everytree.learner` and `everytree.estimator`, after both tables are encoded and before any proof. A
proof about another matrix than the one that the user's tree is fitted to would be a proof about another tree.
"""

from __future__ import annotations

import copy
import warnings
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils.class_weight import compute_class_weight

from everytree.errors import TableError, UnsupportedLearnerError
from everytree.support.text import listing
from everytree.table.casting import REFUSALS, as_learner_sees
from everytree.table.described import is_pipeline
from everytree.table.pipelines import in_known_form, transform
from everytree.table.structure import lacks

if TYPE_CHECKING:
    from everytree.learner import Learner
    from everytree.table.frames import Source
    from everytree.table.structure import TrainingTable

__all__ = ["check_same_learner", "predict", "shares", "trained"]

REMEDY = (
    "Nothing can be proved about the estimator then. Convert the columns to plain types (.astype(float) for "
    "numbers, .astype(str) for categories), or encode the table yourself and pass the tree alone. If the "
    "types are plain already, this is a fault in everytree: please report it with the table."
)


def predict(tree: Any, X: NDArray[np.float32]) -> NDArray[np.int64]:
    """Majority label of each row's leaf; on a tie the first, which is scikit-learn's rule."""
    votes = tree.tree_.value[:, 0, :].argmax(axis=1)
    codes: NDArray[np.int64] = votes[tree.tree_.apply(X)].astype(np.int64)
    return codes


def shares(tree: Any, X: NDArray[np.float32]) -> NDArray[np.float64]:
    """Share of each label in each row's leaf: `predict_proba` of the tree."""
    inner = tree.tree_
    return np.asarray(inner.value[:, 0, :][inner.apply(X)], np.float64)


def trained(
    estimator: Any, learner: Learner, train: TrainingTable, source: Source, labels: NDArray[Any]
) -> tuple[Any, Any]:
    """Give the user's own estimator, fitted, and the tree in it whose predictions are certified.

    Parameters
    ----------
    estimator : DecisionTreeClassifier or Pipeline
        As the user gave it. It is used as it is if it is fitted, and otherwise cloned.
    learner : Learner
        What was read from it, in codes of labels.
    train, source : TrainingTable, Source
        The training table as encoded and as given.
    labels : ndarray
        What an unfitted estimator is fitted with: ``train.y`` itself, or the labels as given.

    Returns
    -------
    own : DecisionTreeClassifier, Pipeline or None
        None for a tree alone that was not fitted: a new one is fitted to ``train.X``.
    tree : DecisionTreeClassifier
    """
    if learner.fitted:
        given = estimator[-1] if is_pipeline(estimator) else estimator
        tree = copy.copy(given)  # the user may fit it again
        _check_belongs(tree, train, learner)
        return estimator, tree
    if learner.encoder is None:
        tree = learner.new_tree() if labels is train.y else clone(learner.tree)
        return None, tree.fit(train.X, labels)
    try:
        own = clone(estimator)
        if labels is train.y:
            own[-1].set_params(class_weight=learner.settings.parameter("class_weight"))
        own.fit(source.given, labels)
    except REFUSALS as error:
        raise TableError(f"The Pipeline cannot be fitted to the training table: {error}") from error
    _check_repeated(own, train, source, learner)
    return own, own[-1]


def _check_repeated(own: Any, train: TrainingTable, source: Source, learner: Learner) -> None:
    """Refuse a Pipeline that was fitted to the same table twice, by us and whole, and came out different.

    The trees of changed tables would be fitted to other features, then. Equal fitted steps and rows that fall
    into the leaves of the whole Pipeline's tree as it counted them: both say that it saw ``train.X``.
    """
    ours, theirs = (transform(steps, source) for steps in (train.encoder, own[:-1]))
    if not np.array_equal(ours, theirs, equal_nan=True) or not _fills_leaves(own[-1], train, learner):
        raise UnsupportedLearnerError(
            "The estimator itself, fitted to the training table once more, makes other features of it than "
            "the first time. Chance has a part in some step, then, and nothing can be proved about the "
            "estimator. Set random_state in every step of the Pipeline that has one."
        )


def check_same_learner(
    own: Any, tree: Any, train: TrainingTable, *tables: tuple[NDArray[np.float32], Source]
) -> None:
    """Compare what is certified with the user's own estimator on the user's own tables.

    Parameters
    ----------
    own : DecisionTreeClassifier, Pipeline or None
        The user's estimator: as given if it was fitted, otherwise a clone fitted to the training table as
        given. None for a tree that has been fitted to ``train.X``: then equal matrices mean equal trees.
    tree : DecisionTreeClassifier
        The fitted tree whose predictions are certified.
    train : TrainingTable
        Says which columns the tree sees.
    tables : (ndarray, Source)
        The features of the training or the test table, and the table as given.

    Raises
    ------
    UnsupportedLearnerError
        If features or predictions differ; the message names the first place.

    Notes
    -----
    Where everytree encodes categories for a tree without a Pipeline there is nothing to compare: scikit-learn
    refuses text, and does not know that numbers were declared to be categories.
    """
    if train.encoder is None and any(column.encoding in ("onehot", "ordinal") for column in train.columns):
        return
    hidden = {column.name for column in train.columns if column.encoding == "dropped"}
    for X, source in tables:
        if train.encoder is not None and source.role == "training table":
            continue  # compared when the steps were fitted, see `_check_repeated` and `keep_encoder`
        theirs = source
        if train.encoder is None:
            theirs = source.only([name for name in source.names if name not in hidden])
        _compare_features(X, theirs, train)
        if own is not None:
            _compare_predictions(own, tree, X, theirs, train)


def _compare_features(X: NDArray[np.float32], source: Source, train: TrainingTable) -> None:
    """Compare our matrix with the one that the user's tree is given, bit for bit."""
    try:
        if train.encoder is None:
            theirs = source.as_seen
        else:
            theirs = as_learner_sees(train.encoder.transform(in_known_form(train.encoder, source)))
    except REFUSALS:
        return  # what scikit-learn refuses, the user's tree never sees
    if theirs.shape != X.shape:
        raise UnsupportedLearnerError(
            f"The {source.role} has {X.shape[1]} features for everytree, but {theirs.shape[1]} for the "
            f"estimator itself. {REMEDY}"
        )
    if not np.array_equal(theirs, X, equal_nan=bool(lacks(X).any())):
        differ = (theirs != X) & ~(np.isnan(theirs) & np.isnan(X))
        row, feature = (int(place) for place in np.argwhere(differ)[0])
        rows = int(differ.any(axis=1).sum())
        raise UnsupportedLearnerError(
            f"The feature {train.feature_names[feature]!r} of the {source.role} is "
            f"{float(X[row, feature])!r} for everytree, but {float(theirs[row, feature])!r} for the "
            f"estimator itself, in {source.place(row)} ({rows} such rows). {REMEDY}"
        )


def _compare_predictions(
    own: Any, tree: Any, X: NDArray[np.float32], source: Source, train: TrainingTable
) -> None:
    """Compare the predictions of the user's estimator on the user's table with those that are certified."""
    given = source.given if train.encoder is None else in_known_form(train.encoder, source)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about names of columns, which have been compared
            theirs = np.asarray(own.predict(given))
    except REFUSALS:
        return
    ours = np.asarray(tree.classes_)[predict(tree, X)]
    differ = np.flatnonzero(theirs != ours)
    if len(differ):
        row = int(differ[0])
        raise UnsupportedLearnerError(
            f"The estimator itself predicts {theirs.tolist()[row]!r} for {source.place(row)} of the "
            f"{source.role}, but everytree would certify {ours.tolist()[row]!r} ({len(differ)} such rows). "
            f"{REMEDY}"
        )


def _check_belongs(tree: Any, train: TrainingTable, learner: Learner) -> None:
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
    if not _fills_leaves(tree, train, learner):
        raise TableError(
            f"The fitted tree was trained on another table: its leaves hold "
            f"{int(tree.tree_.n_node_samples[0])} rows, and the {len(train.y)} rows of the training table, "
            "or their labels, fall into them differently. Pass the table the tree was fitted on, or an "
            "unfitted tree."
        )


def _fills_leaves(tree: Any, train: TrainingTable, learner: Learner) -> bool:
    """Tell whether the training rows and their labels fall into the leaves as the tree counted them."""
    inner = tree.tree_
    leaves = inner.children_left == -1
    n_labels = len(train.labels)
    cells = n_labels * inner.apply(train.X).astype(np.int64) + train.y
    counts = np.bincount(cells, minlength=n_labels * inner.node_count).reshape(-1, n_labels)
    class_weight = learner.settings.parameter("class_weight")
    if class_weight is None:
        known = inner.value[:, 0, :] * inner.n_node_samples[:, None]  # shares of the labels, times the rows
        return np.array_equal(counts[leaves], np.round(known[leaves]))
    weights = compute_class_weight(class_weight, classes=np.arange(n_labels), y=train.y)
    weighed = (counts * weights)[leaves]
    known = (inner.value[:, 0, :] * inner.weighted_n_node_samples[:, None])[leaves]
    return np.array_equal(counts.sum(axis=1)[leaves], inner.n_node_samples[leaves]) and np.allclose(
        weighed, known, rtol=1e-9, atol=1e-9 * float(weights.min())
    )
