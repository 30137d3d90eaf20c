"""The installed scikit-learn learns as the method says, and the canary notices a learner that does not."""

from __future__ import annotations

import json

import pytest
from sklearn.tree import DecisionTreeClassifier

from everytree import certify
from everytree.support.version import NEWEST_LEARNER, OLDEST_LEARNER, learner_notes
from tests.truth.canary import VERSION, Findings, examine
from tests.truth.canary_draws import random_case


def test_scikit_learn_learns_as_we_say():
    findings = Findings()
    for seed in range(220):
        examine(random_case(seed, 20), findings=findings)
        assert not findings.violations, f"seed {seed}: {findings.violations}"
    assert findings.seen["nodes"] > 800
    assert findings.seen["ties"] > 40
    assert findings.furthest < 0.01  # rounding is far below the tolerance


def test_the_installed_version_is_a_tested_one():
    """A newer one fails here first: run ``python -m benchmarks.canary``, then raise `NEWEST_LEARNER`."""
    assert OLDEST_LEARNER <= VERSION <= NEWEST_LEARNER


@pytest.mark.parametrize(
    ("installed", "warned"),
    [("1.6.0", 0), ("1.9.1", 0), ("1.9.dev0", 0), ("1.10rc1", 1), ("1.5.2", 1), ("2.0.0", 1)],
)
def test_other_versions_are_warned_of(monkeypatch, installed, warned):
    monkeypatch.setattr("everytree.support.version.version", lambda _: installed)
    said = learner_notes()
    assert len(said) == warned
    assert all(f"scikit-learn {installed} is not a tested version" in note for note in said)


def test_the_warning_is_in_the_result(monkeypatch):
    monkeypatch.setattr("everytree.support.version.NEWEST_LEARNER", OLDEST_LEARNER)
    tree = DecisionTreeClassifier(max_depth=1)
    result = certify(tree, [[0], [1], [2], [3]], [0, 0, 1, 1], [[0]], "flip(1)", engine="interval")
    assert result.notes == learner_notes()
    assert "is not a tested version" in result.summary()
    assert json.loads(result.to_json())["notes"] == list(learner_notes())


@pytest.mark.parametrize(
    ("others", "said"),
    [
        ({"splitter": "random"}, "no split of its rows"),
        ({"max_features": 1}, "behind the best split"),
        ({"criterion": "entropy"}, "behind the best split"),
        ({"min_samples_leaf": 1}, "no split of its rows"),
        ({"min_samples_split": 2}, "must be a leaf"),
        ({"min_impurity_decrease": 0.0}, "must be a leaf"),
        ({"max_depth": None}, "must be a leaf"),
        ({"max_depth": 1}, "is a leaf, but has a split"),
        ({"class_weight": None}, "says"),
        ({"class_weight": {0: 1.0, 1: 9.0, 2: 1.0, 3: 1.0}}, "says"),
    ],
    ids=str,
)
def test_another_learner_is_noticed(others, said):
    """A tree of other settings is held against what is claimed of these."""
    for seed in range(300):
        case = random_case(seed, 20)
        if any(said in found for found in examine(case, case.fitted(**others)).violations):
            return
    pytest.fail(f"a tree with {others} passes for one without")
