"""What users hold in their hands: searches over settings, forests, and estimators of other kinds."""

import numpy as np
import pytest
from sklearn.ensemble import (
    AdaBoostClassifier,
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.experimental import enable_halving_search_cv  # noqa: F401
from sklearn.model_selection import GridSearchCV, HalvingGridSearchCV, RandomizedSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor, ExtraTreeClassifier

from everytree import BiasCertifier, certify, radius
from everytree.errors import UnsupportedLearnerError
from everytree.learner import Learner

X = np.random.default_rng(0).integers(0, 9, (60, 2)).astype(float)
Y = (X[:, 0] > 4).astype(int)
DEPTHS = {"max_depth": [1, 2]}


def tree():
    return DecisionTreeClassifier(random_state=0)


@pytest.mark.parametrize(
    "search",
    [
        GridSearchCV(tree(), DEPTHS, cv=2),
        RandomizedSearchCV(tree(), DEPTHS, n_iter=2, cv=2, random_state=0),
        HalvingGridSearchCV(tree(), DEPTHS, cv=2, random_state=0),
        GridSearchCV(
            make_pipeline(StandardScaler(), tree()), {"decisiontreeclassifier__max_depth": [1]}, cv=2
        ),
    ],
)
def test_the_best_estimator_of_a_search_is_certified(search) -> None:
    name = type(search).__name__
    with pytest.raises(UnsupportedLearnerError, match=f"The {name} has not been fitted, .* Fit it first"):
        certify(search, X, Y, X, "flip(1)")
    with pytest.raises(UnsupportedLearnerError, match="Fit it first"):
        BiasCertifier(search).fit(X, Y)
    search.fit(X, Y)
    result = certify(search, X, Y, X[:4], "flip(1)", engine="interval")
    assert result.predictions.tolist() == search.predict(X[:4]).tolist()
    assert f"best_estimator_ of a {name}" in result.notes[0]
    assert "the search is not repeated" in result.summary()
    again = BiasCertifier(search, bias="flip(1)", engine="interval").fit(X, Y).certify(X[:4])
    assert again.verdicts.tolist() == result.verdicts.tolist()
    assert again.notes == result.notes


def test_a_radius_says_so_too() -> None:
    search = GridSearchCV(tree(), {"max_depth": [1]}, cv=2).fit(X, Y)
    found = radius(search, X, Y, X[:1], "flip(?)", max_amount=0)
    assert "GridSearchCV" in found.to_dict()["notes"][0]


def test_a_search_that_kept_no_estimator() -> None:
    with pytest.raises(UnsupportedLearnerError, match=r"refit=False and kept no best_estimator_.*refit=True"):
        certify(GridSearchCV(tree(), DEPTHS, cv=2, refit=False).fit(X, Y), X, Y, X, "flip(1)")


def test_a_search_inside_a_pipeline() -> None:
    inside = make_pipeline(StandardScaler(), GridSearchCV(tree(), DEPTHS))
    with pytest.raises(UnsupportedLearnerError, match="Put the search around the whole Pipeline"):
        certify(inside, X, Y, X, "flip(1)")


@pytest.mark.parametrize(
    ("estimator", "reason"),
    [
        *(
            (kind(), "It lets many trees vote.* Certify a single DecisionTreeClassifier")
            for kind in (
                RandomForestClassifier,
                ExtraTreesClassifier,
                AdaBoostClassifier,
                GradientBoostingClassifier,
            )
        ),
        (ExtraTreeClassifier(), "Chance decides where a node is split"),
        (DecisionTreeRegressor(), "It predicts numbers"),
    ],
)
def test_other_estimators_are_refused_with_the_reason(estimator, reason: str) -> None:
    name = type(estimator).__name__
    with pytest.raises(UnsupportedLearnerError, match=f"an? {name}, which is not supported. {reason}"):
        Learner.read(estimator)


REASONS = {
    "splitter": ("random", "chance decides where a node is split", "Leave it at 'best'"),
    "max_features": ("sqrt", "chance decides which features a node looks at", "Leave it at None"),
    "monotonic_cst": ([1, 0], "constraints forbid splits that proofs take for possible", "Leave it at None"),
    "min_weight_fraction_leaf": (0.1, "shares of weights are not covered", "Use min_samples_leaf"),
}


@pytest.mark.parametrize("name", REASONS)
def test_settings_are_refused_with_the_reason_and_what_to_do(name: str) -> None:
    value, reason, remedy = REASONS[name]
    with pytest.raises(UnsupportedLearnerError, match=f"{reason}.*{remedy}"):
        Learner.read(DecisionTreeClassifier(**{name: value}))


def test_probabilities_are_those_of_the_tree() -> None:
    noisy = np.where(np.random.default_rng(1).random(60) < 0.2, 1 - Y, Y)
    learner = DecisionTreeClassifier(max_depth=1, random_state=0).fit(X, noisy)
    result = certify(learner, X, noisy, X[:9], "flip(1)", engine="interval")
    expected = learner.predict_proba(X[:9])
    assert np.array_equal(result.probabilities, expected)
    assert np.array_equal(result.to_frame()[["probability[0]", "probability[1]"]], expected)
    assert [person["probabilities"] for person in result.to_dict()["people"]] == expected.tolist()
