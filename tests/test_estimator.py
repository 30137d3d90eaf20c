"""`BiasCertifier`: a scikit-learn estimator in every respect, whose predictions are those it certifies."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_score, cross_validate
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

from everytree import certify, flip, radius
from everytree.datasets import load
from everytree.errors import BiasError, EverytreeError, TableError, UnsupportedLearnerError
from everytree.estimator import BiasCertifier, certified_accuracy


def tree(depth: int | None = 2) -> DecisionTreeClassifier:
    return DecisionTreeClassifier(max_depth=depth, random_state=0)


# No tree of depth 1: scikit-learn checks the accuracy on three classes, which one split cannot tell apart.
@parametrize_with_checks(
    [
        BiasCertifier(),
        BiasCertifier(DecisionTreeClassifier(max_depth=3, random_state=1), "fake(1)", engine="relational"),
        BiasCertifier(DecisionTreeClassifier(random_state=0), flip(1), time_limit=5, n_jobs=2),
        BiasCertifier(make_pipeline("passthrough", tree()), {"components": [{"kind": "miss", "amount": 1}]}),
    ]
)
def test_scikit_learn_accepts_it(estimator: BiasCertifier, check: Any) -> None:
    check(estimator)


@pytest.mark.parametrize("name", ["hiring", "compas", "adult"])
@pytest.mark.parametrize("depth", [1, 2])
def test_predictions_and_verdicts_are_those_of_certify(name: str, depth: int) -> None:
    data = load(name)
    X_test, y_test = data.X_test[:200], data.y_test[:200]
    certifier = BiasCertifier(tree(depth), "flip(0.2%)", engine="relational").fit(data.X_train, data.y_train)
    mine = certifier.certify(X_test, y_test)
    theirs = certify(tree(depth), data.X_train, data.y_train, X_test, "flip(0.2%)", engine="relational")
    assert mine.predictions.tolist() == theirs.predictions.tolist() == certifier.predict(X_test).tolist()
    assert mine.verdicts.tolist() == theirs.verdicts.tolist()
    assert np.array_equal(mine.probability_ranges, theirs.probability_ranges)
    assert mine.learner == theirs.learner
    assert mine.index.equals(X_test.index)
    assert mine.prepared is not None
    assert mine.labels[mine.prepared.test.y].tolist() == np.asarray(y_test).tolist()
    shares = certifier.predict_proba(X_test)
    assert np.allclose(shares.sum(axis=1), 1)
    assert certifier.classes_[shares.argmax(axis=1)].tolist() == mine.predictions.tolist()
    assert certifier.score(X_test, y_test) == np.mean(mine.predictions == np.asarray(y_test))


def test_a_pipeline_of_encoders_belongs_inside() -> None:
    data = load("compas")
    encode = ColumnTransformer(
        [("onehot", OneHotEncoder(handle_unknown="ignore"), ["race", "sex"])], remainder=OrdinalEncoder()
    )
    pipeline = Pipeline([("encode", encode), ("tree", tree())])
    X_test = data.X_test[:100]
    bias = 'flip(0.2%, where race == "African-American")'
    certifier = BiasCertifier(pipeline, bias, engine="relational").fit(data.X_train, data.y_train)
    expected = clone(pipeline).fit(data.X_train, data.y_train).predict(X_test)
    result = certifier.certify(X_test)
    assert certifier.predict(X_test).tolist() == expected.tolist() == result.predictions.tolist()
    again = certify(pipeline, data.X_train, data.y_train, X_test, bias, engine="relational")
    assert result.verdicts.tolist() == again.verdicts.tolist()


def test_a_pipeline_may_read_an_array_of_text() -> None:
    X = np.array([["a", "x"], ["b", "x"], ["a", "y"], ["b", "y"]] * 5, dtype=object)
    y = np.array([0, 1, 0, 1] * 5)
    certifier = BiasCertifier(make_pipeline(OneHotEncoder(), tree(1)), "flip(1)").fit(X, y)
    assert certifier.predict(X[:4]).tolist() == [0, 1, 0, 1]
    assert certifier.certify(X[:4]).counts()["robust"] == 4


def test_it_can_end_a_pipeline() -> None:
    data = load("compas")
    X, y = data.X_train[["age", "priors_count"]], data.y_train
    pipeline = make_pipeline(StandardScaler(), BiasCertifier(tree(), "flip(5)", engine="relational"))
    assert pipeline.fit(X, y).score(X, y) == tree().fit(X, y).score(X, y)
    result = pipeline[-1].certify(pipeline[:-1].transform(X[:50]))
    assert result.predictions.tolist() == pipeline.predict(X[:50]).tolist()


def test_cross_validation_and_grid_search() -> None:
    data = load("compas")
    X, y = data.X_train[:1500], data.y_train[:1500]
    certifier = BiasCertifier(tree(), "flip(1)", engine="relational")
    scores = cross_validate(
        certifier, X, y, cv=3, scoring={"proved": certified_accuracy, "right": "accuracy"}
    )
    assert (scores["test_proved"] <= scores["test_right"]).all()
    assert scores["test_proved"].max() > 0
    grid = {"estimator__max_depth": [1, 3]}
    search = GridSearchCV(certifier, grid, cv=3, scoring=certified_accuracy, error_score="raise").fit(X, y)
    by_depth = [
        cross_val_score(
            BiasCertifier(tree(d), "flip(1)", engine="relational"), X, y, cv=3, scoring=certified_accuracy
        )
        for d in (1, 3)
    ]
    assert search.cv_results_["mean_test_score"].tolist() == [np.mean(s) for s in by_depth]
    assert search.best_estimator_.estimator_.get_depth() == search.best_params_["estimator__max_depth"]
    biases = GridSearchCV(certifier, {"bias": ["flip(1)", "flip(50)"]}, cv=3, scoring=certified_accuracy)
    few, many = biases.fit(X, y).cv_results_["mean_test_score"]
    assert few > many


def test_certified_accuracy_counts_the_proved_and_right() -> None:
    data = load("hiring")
    certifier = BiasCertifier(tree(1), flip(1)).fit(data.X_train, data.y_train)
    result = certifier.certify(data.X_test)
    expected = np.mean((result.verdicts == "robust") & (result.predictions == data.y_test))
    assert certified_accuracy(certifier, data.X_test, data.y_test) == expected
    column = np.asarray(data.y_test).reshape(-1, 1)
    assert 0 < expected < 1
    assert certified_accuracy(certifier, data.X_test, column) == expected
    assert certified_accuracy(certifier, data.X_test, pd.DataFrame({"hired": column[:, 0]})) == expected
    for wrong in (column[:1], np.hstack([column, column])):
        with pytest.raises(ValueError, match=r"inconsistent numbers|1d array"):
            certified_accuracy(certifier, data.X_test, wrong)
    with pytest.raises(EverytreeError, match="received a DecisionTreeClassifier"):
        certified_accuracy(tree(), data.X_test, data.y_test)  # type: ignore[arg-type]


def test_clone_and_pickle_keep_everything() -> None:
    data = load("hiring")
    certifier = BiasCertifier(tree(1), flip(1, where='race == "Black"')).fit(data.X_train, data.y_train)
    fresh = clone(certifier)
    assert not hasattr(fresh, "estimator_")
    assert fresh.get_params()["bias"] == certifier.bias
    copy = pickle.loads(pickle.dumps(certifier))
    assert copy.certify(data.X_test).to_json() == certifier.certify(data.X_test).to_json()
    assert repr(copy) == repr(certifier)


def test_the_radius_frees_the_amounts_of_the_bias_model() -> None:
    data = load("hiring")
    certifier = BiasCertifier(tree(1), 'flip(1, where race == "White") + fake(2)').fit(
        data.X_train, data.y_train
    )
    found = certifier.radius(data.X_test, max_amount=3)
    expected = radius(
        tree(1),
        data.X_train,
        data.y_train,
        data.X_test,
        'flip(?, where race == "White") + fake(?)',
        max_amount=3,
    )
    assert str(found.family) == str(expected.family)
    assert found.lower.tolist() == expected.lower.tolist()
    assert found.upper.tolist() == expected.upper.tolist()
    other = certifier.radius(data.X_test, "flip(?)")
    assert (
        other.upper.tolist()
        == radius(tree(1), data.X_train, data.y_train, data.X_test, "flip(?)").upper.tolist()
    )
    with pytest.raises(BiasError, match="free amount"):
        certifier.radius(data.X_test, "flip(1)")


def test_the_given_estimator_and_table_are_left_alone() -> None:
    data = load("hiring")
    mine, X = tree(1), data.X_train.copy()
    certifier = BiasCertifier(mine, 'flip(1, where race == "Black")').fit(X, data.y_train)
    before = certifier.certify(data.X_test).to_json()
    assert not hasattr(mine, "tree_")
    X["race"] = "Black"
    X.loc[:, "score"] = 0
    assert certifier.certify(data.X_test).to_json() == before


def test_an_array_that_is_changed_after_fit_changes_nothing() -> None:
    X = np.array([[0.0], [1], [2], [3], [5], [6], [7], [8], [9]])
    y = [0, 0, 0, 0, 1, 1, 1, 0, 1]
    certifier = BiasCertifier(tree(1), "flip(2, where x0 > 7)").fit(X, y)
    people = X.copy()
    before = certifier.certify(people).to_json()
    X[:] = 8
    assert certifier.certify(people).to_json() == before


def test_settings_that_change_after_fit_do_not_reach_the_proof() -> None:
    data = load("compas")
    X_test = data.X_test[:50]
    certifier = BiasCertifier(tree(2), "flip(5)", engine="relational").fit(data.X_train, data.y_train)
    before = certifier.certify(X_test).to_json()
    certifier.set_params(estimator__max_depth=1)
    assert certifier.certify(X_test).to_json() == before
    certifier.set_params(bias="flip(2000)")
    assert certifier.certify(X_test).counts()["robust"] == 0
    with pytest.raises(EverytreeError, match="engine must be one of"):
        certifier.set_params(engine="fast").certify(X_test)


def test_columns_go_by_position_and_names_are_checked() -> None:
    data = load("compas")
    columns = ["age", "priors_count"]
    X, people = data.X_train[columns], data.X_test[columns][:20]
    named = BiasCertifier(tree(), "flip(1)", engine="relational").fit(X, data.y_train)
    assert named.feature_names_in_.tolist() == columns
    with pytest.raises(ValueError, match="in the same order as they were in fit"):
        named.certify(people[columns[::-1]])
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        assert named.predict(people.to_numpy()).tolist() == named.predict(people).tolist()
    plain = BiasCertifier(tree(), "flip(1, where x0 < 30)", engine="relational").fit(
        X.to_numpy(), data.y_train
    )
    with pytest.warns(UserWarning, match="fitted without feature names"):
        result = plain.certify(people)
    assert result.predictions.tolist() == named.predict(people).tolist()


def test_polars_frames_and_text_labels() -> None:
    data = load("compas")
    labels = np.where(data.y_train == 1, "yes", "no")
    X, people = pl.from_pandas(data.X_train), pl.from_pandas(data.X_test[:50])
    certifier = BiasCertifier(tree(), 'flip(5, where label == "yes")', engine="relational").fit(X, labels)
    result = certifier.certify(people)
    assert certifier.classes_.tolist() == ["no", "yes"]
    expected = BiasCertifier(tree()).fit(data.X_train, labels).predict(data.X_test[:50])
    assert result.predictions.tolist() == expected.tolist() == certifier.predict(people).tolist()


def test_ties_are_broken_once_and_for_all() -> None:
    X = np.array([[0, 0], [0, 0], [1, 1], [1, 1], [0, 1], [1, 0]])
    y = [0, 0, 1, 1, 0, 1]
    people = [[0, 1], [1, 0]]
    chosen = set()
    for _ in range(20):
        certifier = BiasCertifier(DecisionTreeClassifier(max_depth=1), "fake(2)").fit(X, y)
        label_of = certifier.predict(people).tolist()
        assert (
            certifier.certify(people).predictions.tolist() == label_of == certifier.predict(people).tolist()
        )
        chosen.add(tuple(certifier.certify(people).verdicts.tolist()))
    assert ("robust", "robust") not in chosen


def test_limits_reach_the_search() -> None:
    data = load("adult")
    X, people = data.X_train[:4000], data.X_test[:100]
    certifier = BiasCertifier(tree(4), "flip(0.2%)", time_limit=0.05).fit(X, data.y_train[:4000])
    result = certifier.certify(people)
    assert not result.complete
    assert result.counts()["unknown"] > 0


@pytest.mark.parametrize(
    ("settings", "error", "words"),
    [
        ({"bias": "flip(1, where rase == 'Black')"}, BiasError, "Did you mean"),
        ({"bias": "flip(101%)"}, BiasError, "between 0 and 100"),
        ({"bias": 3}, BiasError, "received int"),
        ({"engine": "fast"}, EverytreeError, "engine must be one of"),
        ({"time_limit": 0}, EverytreeError, "time_limit must be a number of seconds greater than 0"),
        ({"n_jobs": 0}, EverytreeError, "n_jobs must be a whole number"),
        ({"estimator": DecisionTreeClassifier}, UnsupportedLearnerError, "with brackets"),
        (
            {"estimator": DecisionTreeClassifier(class_weight={"hired": 2, "no such label": 3})},
            UnsupportedLearnerError,
            "class_weight",
        ),
        ({"estimator": "tree"}, UnsupportedLearnerError, "not supported"),
    ],
)
def test_fit_refuses_what_certify_would_refuse(settings: Any, error: type[Exception], words: str) -> None:
    data = load("hiring")
    with pytest.raises(error, match=words):
        BiasCertifier(**settings).fit(data.X_train, data.y_train)


def test_missing_values_are_taken_as_scikit_learn_takes_them() -> None:
    data = load("hiring")
    X = data.X_train[["score"]].astype(float)
    X.loc[3, "score"] = np.nan
    tree = DecisionTreeClassifier(max_depth=2, random_state=0)
    for rows in (X, data.X_train[["score"]].astype(float)):
        certifier = BiasCertifier(bias="flip(1)").fit(rows, data.y_train)
        assert certifier.predict(X).tolist() == tree.fit(rows, data.y_train).predict(X).tolist()
        assert certifier.certify(X).predictions.tolist() == certifier.predict(X).tolist()
    with pytest.raises(NotFittedError):
        BiasCertifier().certify(X)


def test_true_labels_are_optional_and_may_be_new() -> None:
    data = load("hiring")
    certifier = BiasCertifier(tree(1), "flip(1)").fit(data.X_train, data.y_train)
    without, with_new = certifier.certify(data.X_test), certifier.certify(data.X_test, pd.Series([7] * 9))
    assert without.prepared is not None
    assert with_new.prepared is not None
    assert without.prepared.test.y is None
    assert with_new.prepared.test.y is not None
    assert with_new.prepared.test.y.tolist() == [-1] * 9
    assert without.verdicts.tolist() == with_new.verdicts.tolist()
    with pytest.raises(TableError, match="one for each of its 9 rows"):
        certifier.certify(data.X_test, [0, 1])
