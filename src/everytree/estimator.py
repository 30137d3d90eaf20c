"""`BiasCertifier`: certification as a scikit-learn estimator, for pipelines, grids and cross-validation.

Above `certify` and `radius`: it keeps the training table that they need and hands the work on to them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.pipeline import Pipeline
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_consistent_length, check_is_fitted, column_or_1d, validate_data

from everytree.bias import BiasModel, as_bias, resolve
from everytree.errors import EverytreeError
from everytree.learner import Learner, Prepared, read_training
from everytree.learner.counted_once import every_row_counts_once
from everytree.learner.held import found_by, unwrapped
from everytree.learner.same_learner import check_same_learner, predict, shares, trained
from everytree.questions.certify import certify_prepared, check_engine
from everytree.questions.radius import as_family, radius_prepared
from everytree.results.certification import ROBUST, CertificationResult
from everytree.support.limits import Limits, as_jobs
from everytree.table import TestTable
from everytree.table.encoding import encode_people
from everytree.table.frames import as_source

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from everytree.results.radii import RadiusResult
    from everytree.support.progress import Progress

__all__ = ["BiasCertifier", "certified_accuracy"]


class BiasCertifier(ClassifierMixin, MetaEstimatorMixin, BaseEstimator):  # type: ignore[misc]
    """A decision tree that can say which of its predictions a bias model could have changed.

    It predicts exactly as the tree does. `fit` keeps the training table, so that `certify` needs the test
    table alone.

    Parameters
    ----------
    estimator : DecisionTreeClassifier, Pipeline or fitted search, optional
        What `certify` accepts; a tree of depth 2 by default. It is cloned, never changed.
    bias : BiasModel, str or dict, default "flip(1%)"
        What may be wrong with the training table.
    engine : {"auto", "relational", "interval"}
    time_limit : float, optional
        Seconds for each call of `certify` or `radius`.
    memory_limit : float or str, optional
    n_jobs : int, default 1
        These four as for `certify`.

    Attributes
    ----------
    classes_ : array
        The labels, sorted.
    estimator_ : DecisionTreeClassifier
        The tree, fitted to the encoded features of `table_`.
    learner_ : Learner
        Its settings at the time of `fit`.
    table_ : TrainingTable
        The training table, as given and as encoded.
    n_features_in_ : int
    feature_names_in_ : array of str
        Only if the training table has names.

    Notes
    -----
    Categorical columns of a DataFrame are encoded as by `certify`. Steps that come before the certifier in a
    Pipeline are not seen by it: its bias model speaks about the columns that reach it, and their
    transformation is held fixed. Put encoders inside, ``BiasCertifier(Pipeline(...))``, to speak about the
    original columns.

    As everywhere in scikit-learn, columns must come in the order of `fit`.

    Examples
    --------
    >>> from everytree import BiasCertifier
    >>> from everytree.datasets import load
    >>> data = load("hiring")
    >>> certifier = BiasCertifier(bias='flip(1, where race == "Black")').fit(data.X_train, data.y_train)
    >>> certifier.predict(data.X_test).tolist()
    [0, 0, 0, 0, 1, 1, 1, 0, 1]
    >>> certifier.certify(data.X_test).counts().to_dict()
    {'robust': 7, 'not robust': 2, 'unknown': 0}
    """

    def __init__(
        self,
        estimator: Any = None,
        bias: BiasModel | str | Mapping[str, Any] = "flip(1%)",
        *,
        engine: str = "auto",
        time_limit: float | None = None,
        memory_limit: float | str | None = None,
        n_jobs: int = 1,
    ) -> None:
        self.estimator = estimator
        self.bias = bias
        self.engine = engine
        self.time_limit = time_limit
        self.memory_limit = memory_limit
        self.n_jobs = n_jobs

    @every_row_counts_once
    def fit(self, X: Any, y: Any) -> BiasCertifier:
        """Learn the tree, and keep the table.

        The bias model and all options are checked here against the table. They may be changed afterwards with
        `set_params`, without another `fit`; the estimator may not.

        Parameters
        ----------
        X : DataFrame or array of shape (n_rows, n_columns)
        y : array-like of shape (n_rows,)

        Returns
        -------
        BiasCertifier
            Itself.
        """
        self._limits()
        as_jobs(self.n_jobs)
        learner = self._learner()
        if hasattr(X, "columns"):
            validate_data(self, X, y, skip_check_array=True)
            y = column_or_1d(y, warn=True)
        else:
            checked, y = validate_data(self, X, y, **_reading(learner))
            X = _as_given(X, checked)
        check_classification_targets(y)
        source = as_source(X, "training table")
        table = read_training(learner, source, y)
        resolve(as_bias(self.bias), table)
        self.learner_ = learner = learner.in_codes(table.labels)
        self.table_ = replace(table, frame=table.frame.copy())  # bias models read it long after `fit`
        self.classes_ = table.labels
        estimator = unwrapped(self.estimator)
        own, self.estimator_ = trained(estimator, learner, table, source, table.labels[table.y])
        check_same_learner(own, self.estimator_, table, (table.X, source))
        return self

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict the label of each person, as the tree does."""
        codes = self._prepare(X).predictions
        return np.asarray(self.classes_[codes])

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Share of each label in the leaf of each person; columns in the order of `classes_`."""
        people = self._people(X)
        return shares(self.estimator_, people.X)

    def certify(self, X: Any, y: Any = None, *, progress: bool | Progress = False) -> CertificationResult:
        """Say of each person whether the bias model could have changed the prediction.

        Parameters
        ----------
        X : DataFrame or array
            The people, with the columns of `fit`.
        y : array-like, optional
            Their true labels. Verdicts do not depend on them; accuracy does.
        progress : bool or callable, default False
            As for `everytree.certify`.

        Returns
        -------
        CertificationResult
            Its `predictions` are those of `predict`.
        """
        limits = self._limits()
        return certify_prepared(
            self._prepare(X, y),
            as_bias(self.bias),
            engine=self.engine,
            limits=limits,
            n_jobs=as_jobs(self.n_jobs),
            progress=progress,
        )

    def radius(
        self,
        X: Any,
        family: BiasModel | str | Mapping[str, Any] | None = None,
        *,
        max_amount: int | None = None,
    ) -> RadiusResult:
        """Find for each person how much bias the prediction can stand.

        Parameters
        ----------
        X : DataFrame or array
            The people, with the columns of `fit`.
        family : BiasModel, str or dict, optional
            A bias model with a free amount, such as ``"flip(?)"``. By default `bias` with every amount free,
            so that ``flip(1%)`` becomes ``flip(?)``.
        max_amount : int, optional
            As for `everytree.radius`.

        Returns
        -------
        RadiusResult
        """
        limits, jobs = self._limits(), as_jobs(self.n_jobs)
        model = as_family(_with_free_amounts(as_bias(self.bias)) if family is None else family)
        return radius_prepared(self._prepare(X), model, max_amount=max_amount, limits=limits, n_jobs=jobs)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = isinstance(self.estimator, Pipeline)
        tags.input_tags.allow_nan = True
        return tags

    def _learner(self) -> Learner:
        if self.estimator is None:
            return Learner.read(DecisionTreeClassifier(max_depth=2, random_state=0))
        return Learner.read(clone(unwrapped(self.estimator), safe=False))

    def _limits(self) -> Limits:
        """Read the options, for a search that starts now."""
        check_engine(self.engine)
        return Limits.of(self.time_limit, self.memory_limit)

    def _people(self, X: Any, y: Any = None) -> TestTable:
        """Read and encode people as scikit-learn does: columns are matched by their position."""
        check_is_fitted(self)
        if hasattr(X, "columns"):
            validate_data(self, X, reset=False, skip_check_array=True)
        else:
            X = _as_given(X, validate_data(self, X, reset=False, **_reading(self.learner_)))
        source = as_source(X, "test table")
        names = [column.name for column in self.table_.columns]
        source = replace(source, frame=source.frame.set_axis(names, axis=1))
        people, source = encode_people(self.table_, source, y)
        check_same_learner(None, self.estimator_, self.table_, (people.X, source))
        return people

    def _prepare(self, X: Any, y: Any = None) -> Prepared:
        people = self._people(X, y)
        codes = predict(self.estimator_, people.X)
        notes = (*found_by(self.estimator), *self.table_.notes)
        return Prepared(self.learner_, self.table_, people, codes, self.estimator_, notes)


def certified_accuracy(certifier: BiasCertifier, X: Any, y: Any) -> float:
    """Share of the people whose prediction is right and proved robust: a scorer for scikit-learn.

    Parameters
    ----------
    certifier : BiasCertifier
        Fitted.
    X, y : DataFrame or array, array-like
        The people and their true labels.

    Returns
    -------
    float
        Never more than the accuracy on any table that the bias model allows.

    Examples
    --------
    >>> from sklearn.model_selection import cross_val_score
    >>> from everytree.datasets import load
    >>> data = load("compas")
    >>> certifier = BiasCertifier(bias="flip(0.1%)", engine="relational")
    >>> scores = cross_val_score(certifier, data.X_train, data.y_train, cv=3, scoring=certified_accuracy)
    >>> [round(float(score), 3) for score in scores]
    [0.382, 0.642, 0.493]
    """
    if not isinstance(certifier, BiasCertifier):
        raise EverytreeError(
            f"certified_accuracy scores a BiasCertifier; received a {type(certifier).__name__}. Put encoders "
            "inside: BiasCertifier(Pipeline(...))."
        )
    result = certifier.certify(X)
    labels = column_or_1d(y)
    check_consistent_length(result.predictions, labels)
    return float(np.mean((result.verdicts == ROBUST) & (result.predictions == labels)))


def _reading(learner: Learner) -> dict[str, Any]:
    """How scikit-learn reads arrays: as numbers, perhaps missing, unless encoders look at them first."""
    if learner.encoder is None:
        return {"ensure_all_finite": "allow-nan"}
    return {"dtype": None, "ensure_all_finite": False}


def _as_given(X: Any, checked: Any) -> Any:
    """Give an array or nested lists as they came, so that they are cast as a tree casts them."""
    return X if isinstance(X, (np.ndarray, list, tuple)) else checked


def _with_free_amounts(model: BiasModel) -> BiasModel:
    return BiasModel(tuple(replace(part, amount="?") for part in model.components))  # type: ignore[arg-type]
