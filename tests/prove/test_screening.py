"""Screening: nobody is lost by it, and on continuous columns it settles people whom a walk alone does not."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.tree import DecisionTreeClassifier

from everytree import certify
from everytree.bias import as_bias, resolve
from everytree.learner import prepare
from everytree.prove.engines import RelationalEngine
from everytree.prove.problem import People, Problem
from everytree.prove.walk import Walk


def question(bias, depth, seed=0, rows=40):
    rng = np.random.default_rng(seed)
    X = np.round(rng.random((rows, 3)), 2)
    y = (X[:, 0] > 0.4).astype(int) + (X[:, 0] > 0.8)
    people = np.round(rng.random((25, 3)), 2)
    prepared = prepare(DecisionTreeClassifier(max_depth=depth, random_state=0), X, y, people)
    problem = Problem.of(prepared.train, resolve(as_bias(bias), prepared.train), prepared.learner.settings)
    return problem, People(prepared.test.X, prepared.predictions)


def walked(problem, people, **options):
    walk = Walk(problem, people, RelationalEngine(), **options)
    for _ in walk.steps():
        pass
    return walk


def proved(walk):
    return walk.finished & (walk.tally.possible.sum(axis=1) == 1)


@pytest.mark.parametrize("bias", ["flip(1)", "fake(2)", "miss(1)", "flip(1, where x0 > 0.5) + fake(1)"])
@pytest.mark.parametrize("depth", [2, 3])
def test_whoever_a_walk_proves_is_proved_with_screening(bias, depth):
    some = 0
    for seed in range(4):
        problem, people = question(bias, depth, seed)
        plain, screened = walked(problem, people), walked(problem, people, screened_from=0.0)
        assert plain.complete
        assert screened.complete
        assert not (proved(plain) & ~proved(screened)).any()
        assert (screened.tally.possible[np.arange(len(people)), people.predictions] | ~proved(screened)).all()
        some += int(proved(plain).sum())
    assert some > 0


def test_nothing_is_said_of_shares_in_leaves_that_were_not_visited():
    problem, people = question("flip(1)", 2)
    plain, screened = walked(problem, people), walked(problem, people, screened_from=0.0)
    both = proved(plain) & proved(screened)
    assert both.any()
    assert (screened.tally.low[both] <= plain.tally.low[both]).all()
    assert (screened.tally.high[both] >= plain.tally.high[both]).all()


def test_people_on_a_wide_continuous_table_are_proved_by_screening():
    """Before, nobody was proved here in a minute."""
    data = load_breast_cancer()
    order = np.random.default_rng(0).permutation(len(data.target))
    train, test = order[:426], order[426:466]
    tree = DecisionTreeClassifier(max_depth=3, random_state=0)
    prepared = prepare(tree, data.data[train], data.target[train], data.data[test])
    bias = resolve(as_bias("miss(2)"), prepared.train)
    problem = Problem.of(prepared.train, bias, prepared.learner.settings)
    walk = Walk(problem, People(prepared.test.X, prepared.predictions), RelationalEngine(), screened_from=0.0)
    for _ in walk.steps():
        if walk.only_postponed:
            break
    assert proved(walk).mean() > 0.4


def test_a_limit_of_memory_holds_for_children_that_wait():
    rng = np.random.default_rng(0)
    X, y = rng.random((60, 4)), rng.integers(0, 2, 60)
    tree = DecisionTreeClassifier(max_depth=3, random_state=0)
    result = certify(tree, X, y, X[:20], "flip(3)", engine="relational", memory_limit=400_000, time_limit=20)
    assert set(result.verdicts) <= {"robust", "unknown"}
