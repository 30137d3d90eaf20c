"""Which settings of the tree are understood, which are refused and how, and how to train again."""

from fractions import Fraction

import numpy as np
import pytest
from sklearn.ensemble import (
    AdaBoostClassifier,
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.tree import DecisionTreeClassifier, ExtraTreeClassifier

from everytree import BiasCertifier, certify
from everytree.errors import UnsupportedLearnerError
from everytree.learner import Learner, Settings, prepare
from everytree.learner.settings import READERS

UNDERSTOOD = {
    "max_depth": [None, 1, 7, np.int64(3)],
    "min_samples_leaf": [1, 5, np.int64(2), 0.1, np.float64(0.25), np.float32(0.3)],
    "min_samples_split": [2, 9, 0.5, 1.0],
    "min_weight_fraction_leaf": [0.0, 0, np.float64(0)],
    "max_features": [None, 1.0, 4],
    "max_leaf_nodes": [None, 2, np.int32(30)],
    "min_impurity_decrease": [0, 0.0, 0.01, np.float32(0.5)],
    "ccp_alpha": [0, 0.02, Fraction(1, 4)],
    "class_weight": [None, "balanced", {0: 1, 1: 3}, {"a": 0.5}],
    "monotonic_cst": [None],
    "criterion": ["gini", "entropy", "log_loss"],
    "splitter": ["best"],
    "random_state": [None, 0, np.random.RandomState(3)],
}
REFUSED = {
    "max_depth": [0, -1, 2.0, True, "3"],
    "min_samples_leaf": [0, 1.0, True, -0.1, float("nan"), None, "5"],
    "min_samples_split": [1, 1.5, 0.0, None],
    "min_weight_fraction_leaf": [0.1, False, None],
    "max_features": [0, "sqrt", "log2", 0.5, True],
    "max_leaf_nodes": [1, 2.0],
    "min_impurity_decrease": [-0.1, float("inf"), None],
    "ccp_alpha": [-1, float("nan")],
    "class_weight": ["even", {0: 0, 1: 1}, {0: -1}, {0: float("nan")}, {0: "2"}, {0: True}, [{0: 1}]],
    "monotonic_cst": [[1, 0], [0, 0]],
    "criterion": ["poisson", None],
    "splitter": ["random"],
}


def pairs(values):
    return [(name, value) for name, some in values.items() for value in some]


def test_every_parameter_is_known() -> None:
    assert set(DecisionTreeClassifier().get_params()) == set(READERS) == set(UNDERSTOOD)


@pytest.mark.parametrize(("name", "value"), pairs(UNDERSTOOD))
def test_understood(name: str, value: object) -> None:
    learner = Learner.read(DecisionTreeClassifier(**{name: value}))
    if hasattr(Settings, name) and value != 1.0:
        assert learner.settings.parameter(name) == value
    again = learner.new_tree().get_params()[name]
    assert (
        (again is None)
        if value == 1.0 and name == "max_features"
        else again == value or name == "random_state"
    )


def test_a_tree_is_trained_again_with_the_same_settings_and_the_same_random_numbers() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.random((80, 4)), rng.integers(0, 2, 80)
    given = DecisionTreeClassifier(
        min_samples_leaf=0.05, max_leaf_nodes=9, ccp_alpha=0.001, random_state=np.random.RandomState(5)
    )
    learner = Learner.read(given)
    trees = [tree.fit(X, y) for tree in (learner.new_tree(), learner.new_tree(), given)]
    assert {tuple(tree.tree_.threshold) for tree in trees} == {tuple(trees[0].tree_.threshold)}


@pytest.mark.parametrize(("name", "value"), pairs(REFUSED))
def test_refused_by_name(name: str, value: object) -> None:
    with pytest.raises(UnsupportedLearnerError) as caught:
        Learner.read(DecisionTreeClassifier(**{name: value}))
    message = str(caught.value)
    assert f"\n- {name}={value!r}: " in message
    assert "must be" in message or "Leave it at" in message
    assert "Supported is" in message


def test_all_problems_are_named_at_once() -> None:
    tree = DecisionTreeClassifier(splitter="random", class_weight="even", min_samples_leaf=0, max_depth=3)
    with pytest.raises(UnsupportedLearnerError) as caught:
        certify(tree, [[0], [1]], [0, 1], [[0]], "flip(1)")
    named = [line.split("=")[0] for line in str(caught.value).splitlines() if line.startswith("- ")]
    assert sorted(named) == ["- class_weight", "- min_samples_leaf", "- splitter"]


def test_a_number_of_features_is_named_with_the_other_problems() -> None:
    """Alone it is fine on a table that has no more of them; beside others it would be the next to fail."""
    with pytest.raises(UnsupportedLearnerError) as caught:
        Learner.read(DecisionTreeClassifier(splitter="random", max_features=2))
    message = str(caught.value)
    assert "- splitter='random': chance decides" in message
    assert "- max_features=2: chance decides" in message


@pytest.mark.parametrize(
    ("estimator", "words"),
    [
        (RandomForestClassifier(), "is a RandomForestClassifier, which is not supported. It lets many trees"),
        (ExtraTreesClassifier(), "is an ExtraTreesClassifier, which is not supported. It lets many trees"),
        (GradientBoostingClassifier(), "is a GradientBoostingClassifier, which is not supported. It lets"),
        (HistGradientBoostingClassifier(), "is a HistGradientBoostingClassifier, which is not supported. It"),
        (AdaBoostClassifier(), "is an AdaBoostClassifier, which is not supported. It lets many trees"),
        (ExtraTreeClassifier(), "is an ExtraTreeClassifier, which is not supported. Chance decides"),
    ],
    ids=lambda thing: type(thing).__name__,
)
def test_other_learners_are_refused_by_name(estimator: object, words: str) -> None:
    with pytest.raises(UnsupportedLearnerError, match="The estimator ") as caught:
        Learner.read(estimator)
    assert words in str(caught.value)
    assert "Supported is" in str(caught.value)


def test_an_unknown_parameter_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(DecisionTreeClassifier, "get_params", lambda self, deep: {"new_rule": 3})
    with pytest.raises(UnsupportedLearnerError, match="new_rule=3: this version of everytree does not know"):
        Settings.read(DecisionTreeClassifier())


def test_all_features_of_the_table_may_be_given_as_a_number() -> None:
    X, y = [[0, 0], [1, 0], [0, 1], [1, 1]], [0, 0, 1, 1]
    for number in (2, 3):
        prepare(DecisionTreeClassifier(max_features=number), X, y, X)
    with pytest.raises(UnsupportedLearnerError, match=r"max_features=1: .*table has 2 of them"):
        prepare(DecisionTreeClassifier(max_features=1), X, y, X)
    with pytest.raises(UnsupportedLearnerError, match="max_features=1"):
        BiasCertifier(DecisionTreeClassifier(max_features=1)).fit(np.array(X), np.array(y))
