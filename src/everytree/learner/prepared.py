"""Which estimators can be certified, and what they say about the test people.

Sits between `everytree.table` and everything that reasons about trees: after `prepare`, a learner
is its settings and a random state, and no setting that could change the tree has been overlooked.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, TypedDict, Unpack

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.validation import check_is_fitted

from everytree.bias.acts import ACTS, FLIP
from everytree.errors import TableError, UnsupportedLearnerError
from everytree.learner.held import found_by, unwrapped, why_not
from everytree.learner.same_learner import check_same_learner, predict, shares, trained
from everytree.learner.settings import SUPPORTED, Settings, describe, read_parameters, refuse
from everytree.learner.steps import step_kinds, step_problems
from everytree.support.version import learner_notes
from everytree.table.described import is_pipeline, working_steps
from everytree.table.encoding import encode_people, encode_training
from everytree.table.frames import Source, as_source
from everytree.table.pipelines import Preprocessed, encoded_table, fit_encoder, keep_encoder
from everytree.table.structure import TestTable, TrainingTable

if TYPE_CHECKING:
    from everytree.bias import BiasModel

__all__ = ["Learner", "Prepared", "prepare", "read_training"]


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
        encoder, tree, values = _split(estimator)
        settings = Settings.of(values)
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

    def in_codes(self, labels: NDArray[Any]) -> Learner:
        """The same learner for codes of these labels, as tables have them once they are prepared."""
        return replace(self, settings=self.settings.in_codes(labels))


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
    notes : tuple of str
        What a reader of a result should know about the learner; see also `notes_for`.
    """

    learner: Learner
    train: TrainingTable
    test: TestTable
    predictions: NDArray[np.int64]
    tree: Any
    notes: tuple[str, ...] = ()

    @cached_property
    def probabilities(self) -> NDArray[np.float64]:
        """What `predict_proba` of the tree says about the people; columns as in ``train.labels``."""
        return shares(self.tree, self.test.X)

    def notes_for(self, bias: BiasModel) -> tuple[str, ...]:
        """Say what a proof about this bias model takes for granted beyond the tables."""
        acts = dict.fromkeys(act for component in bias.components for act in component.acts)
        done = [ACTS[act].done for act in acts if act != FLIP]
        steps = [] if self.learner.encoder is None else step_kinds(self.learner.encoder.steps)
        said = (*learner_notes(), *self.notes)
        if not done or not steps:
            return said
        return (
            *said,
            f"The steps before the tree ({', '.join(steps)}) are kept as they were fitted to the training "
            f"table: they are not fitted again when rows are {' or '.join(done)}.",
        )


class Reading(TypedDict, total=False):
    """How a training table is read: options of `everytree.table.training_table`."""

    drop: Iterable[str] | str
    categorical: Iterable[str] | str
    encoding: Literal["onehot", "ordinal"]
    label_name: str


def prepare(
    estimator: Any,
    X_train: object,
    y_train: object,
    X_test: object,
    *,
    y_test: object = None,
    **reading: Unpack[Reading],
) -> Prepared:
    """Read the estimator, encode both tables, and predict the test people.

    Parameters
    ----------
    estimator : DecisionTreeClassifier, Pipeline or fitted search
        Fitted or not. The predictions are its own if it is fitted, otherwise those of a clone
        trained on the training table as given. Of a search such as GridSearchCV, its best estimator.
    X_train, y_train, X_test : frame or array-like
        The tables.
    y_test : array-like, optional
        True labels of the test people.
    **reading
        ``drop``, ``categorical``, ``encoding`` and ``label_name`` as in `everytree.table.training_table`.
        With a Pipeline its own encoders decide, and the first three must be left alone.

    Returns
    -------
    Prepared

    Raises
    ------
    UnsupportedLearnerError
        If the estimator cannot be certified, or sees another table than the one that would be certified.
    TableError
        If a table cannot be used, or a fitted estimator does not belong to the training table.
    """
    given, estimator = estimator, unwrapped(estimator)
    learner = Learner.read(estimator)
    source = as_source(X_train, "training table")
    train = read_training(learner, source, y_train, **reading)
    learner = learner.in_codes(train.labels)
    test, asked = encode_people(train, as_source(X_test, "test table"), y_test)
    own, tree = trained(estimator, learner, train, source, train.y)
    check_same_learner(own, tree, train, (train.X, source), (test.X, asked))
    notes = (*found_by(given), *train.notes)
    return Prepared(learner, train, test, predict(tree, test.X), tree, notes)


def read_training(
    learner: Learner,
    source: Source,
    y: object,
    *,
    drop: Iterable[str] | str = (),
    categorical: Iterable[str] | str = (),
    encoding: Literal["onehot", "ordinal"] = "onehot",
    label_name: str = "label",
) -> TrainingTable:
    """Encode a training table as the learner has it: by its own encoders, or by ours if it has none."""
    if learner.encoder is None:
        train = encode_training(
            source, y, drop=drop, categorical=categorical, encoding=encoding, label_name=label_name
        )
    else:
        _refuse_table_options(drop, categorical, encoding)
        train = encoded_table(_preprocess(learner, source), source, y, label_name=label_name)
    learner.settings.check_features(train.X.shape[1])
    return train


def _preprocess(learner: Learner, source: Source) -> Preprocessed:
    """Take the steps as the user fitted them; with an unfitted tree they are fitted to the table."""
    if not learner.fitted:
        return fit_encoder(learner.encoder, source)
    try:
        for step in working_steps(learner.encoder):
            check_is_fitted(step)
    except NotFittedError:
        return fit_encoder(learner.encoder, source)
    return keep_encoder(learner.encoder, source)


def _refuse_table_options(drop: object, categorical: object, encoding: str) -> None:
    given = {"drop": drop, "categorical": categorical, "encoding": encoding if encoding != "onehot" else ()}
    for name, value in given.items():
        if value:
            raise TableError(
                f"{name}={value!r} cannot be combined with a Pipeline, whose own encoders decide what "
                "becomes of each column. Put the choice into its ColumnTransformer, or pass the tree "
                "alone."
            )


def _split(estimator: Any) -> tuple[Any, Any, dict[str, Any]]:
    """Give the steps of a Pipeline, the tree at its end and its parameters, or refuse what is unknown."""
    steps, tree = [], estimator
    if is_pipeline(estimator):
        *steps, (_, tree) = estimator.steps
    problems = list(step_problems(steps))
    if type(tree) is DecisionTreeClassifier:
        values, settings = read_parameters(tree)
        if problems:
            refuse([*problems, *settings], "The estimator cannot be certified as it is")
        refuse(settings)
        return (estimator[:-1] if steps else None), tree, values
    call = " Write DecisionTreeClassifier(), with brackets." if tree is DecisionTreeClassifier else ""
    kind = f"The estimator is {describe(tree)}, which is not supported.{why_not(tree)}{call}"
    if problems:
        refuse([*problems, kind], "The estimator cannot be certified as it is")
    raise UnsupportedLearnerError(f"{kind} {SUPPORTED}")


def _check_fitted(tree: Any) -> None:
    if tree.n_outputs_ != 1:
        raise UnsupportedLearnerError(
            f"DecisionTreeClassifier was fitted to {tree.n_outputs_} labels at once; exactly one is "
            "supported. Fit one tree for each label."
        )
    alone = tree.class_weight is None  # otherwise the leaves tell, see `same_learner`
    if alone and not np.array_equal(tree.tree_.weighted_n_node_samples, tree.tree_.n_node_samples):
        raise UnsupportedLearnerError(
            "DecisionTreeClassifier was fitted with sample_weight, which is not supported: every row must "
            "count once. Fit it without weights; where they depend on the label alone, use class_weight."
        )
