"""The radius: exact on small tables by enumeration, and on COMPAS the same as `certify` at every amount."""

from __future__ import annotations

import math
import os
import time
from functools import cache

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier

from everytree import certify, radius
from everytree.datasets import load, load_paper
from everytree.errors import BiasError, EverytreeError
from tests.truth.oracle import Component, Learner, biased_tables

needs_paper = pytest.mark.skipif(
    not os.environ.get("EVERYTREE_DATA"), reason="EVERYTREE_DATA does not name the paper's tables"
)


def tree(depth=1):
    return DecisionTreeClassifier(max_depth=depth, random_state=0)


@cache
def hiring():
    """The nine applicants as numbers: is Black, score; and who was hired."""
    data = load("hiring")
    X = np.column_stack([data.X_train["race"] == "Black", data.X_train["score"]]).astype(float)
    return X, data.y_train.to_numpy()


def settled(result):
    """Whose radius is known, up to the largest amount."""
    return result.exact | (result.lower == result.max_amount)


def true_radius(X, y, points, depth, components, most):
    """For each point the smallest amount with a table that gives another label; infinite beyond `most`.

    Two figures: some way of breaking ties does it, and scikit-learn with random_state=0 does it.
    """
    now = tree(depth).fit(X, y).predict(points)
    learner = Learner(points, y, depth)
    by_any, by_sklearn = np.full(len(points), math.inf), np.full(len(points), math.inf)
    for amount in range(most, -1, -1):
        for table in biased_tables(X, y, components(amount), points):
            for p, labels in enumerate(learner.possible_labels(table)):
                if labels != {now[p]}:
                    by_any[p] = amount
            values, labels = [row[0] for row in table], [row[1] for row in table]
            changed = tree(depth).fit(values, labels).predict(points) != now
            by_sklearn[changed] = amount
    return by_any, by_sklearn


def flips(amount):
    return [Component("flip", amount)]


def fakes(amount):
    return [Component("fake", amount)]


def both(amount):
    return [Component("flip", amount), Component("fake", amount)]


def targeted(amount):
    return [Component("flip", amount, where=lambda values, label: values[0] == 0 and label == 0)]


# ---------------------------------------------------------------- exact, by enumeration


@pytest.mark.parametrize("depth", [1, 2])
@pytest.mark.parametrize(
    ("family", "components", "most"),
    [
        ("flip(?)", flips, 3),
        ("fake(?)", fakes, 3),
        ("flip(?) + fake(?)", both, 1),
        ("flip(?, where x0 == 0 and label == 0)", targeted, 3),
    ],
)
def test_the_hiring_example(family, components, most, depth):
    X, y = hiring()
    result = radius(tree(depth), X, y, X, family, max_amount=most)
    by_any, by_sklearn = true_radius(X, y, X, depth, components, most)
    assert (result.lower < by_any).all()
    assert np.array_equal(result.upper, by_sklearn)
    certain = by_any == by_sklearn
    assert np.array_equal(result.lower[certain], np.minimum(by_any[certain], most + 1) - 1)
    assert settled(result)[certain].all()
    assert certain.sum() >= 4


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize(("family", "components"), [("flip(?)", flips), ("fake(?)", fakes)])
def test_random_small_tables(seed, family, components):
    rng = np.random.default_rng(seed)
    X, y = rng.integers(0, 4, (8, 2)).astype(float), np.array([0, 1, *rng.integers(0, 2, 6)])
    points = np.unique(X, axis=0)
    depth = 1 + seed % 2
    result = radius(tree(depth), X, y, points, family, max_amount=3)
    by_any, by_sklearn = true_radius(X, y, points, depth, components, 3)
    assert (result.lower < by_any).all()
    assert (result.upper >= by_sklearn).all()
    assert (result.lower < result.upper).all()


def test_a_removal_that_needs_a_flip_counts_as_both():
    """Only rows with label 1 may be removed, so a row with label 0 is flipped first: one flip more."""
    X, y = [[0], [0], [2], [3], [1], [3], [1], [2]], [0, 0, 1, 0, 0, 0, 1, 0]
    points = [[0], [1], [2]]

    def components(amount):
        return [Component("flip", amount), Component("fake", amount, where=lambda _, label: label == 1)]

    result = radius(tree(), X, y, points, "flip(?) + fake(?, where label == 1)", max_amount=2)
    by_any, _ = true_radius(X, y, points, 1, components, 2)
    assert (result.lower < result.upper).all()
    assert (result.lower < by_any).all()
    assert (result.upper >= by_any).all()


def test_witnesses_belong_to_the_upper_end():
    X, y = hiring()
    result = radius(tree(), X, y, X, "flip(?)", max_amount=3)
    now = tree().fit(X, y).predict(X)
    assert set(result.witnesses) == set(np.flatnonzero(np.isfinite(result.upper)))
    for person, witness in result.witnesses.items():
        assert len(witness.flipped) == result.upper[person]
        changed = tree().fit(*witness.apply(X, y)).predict(X)
        assert now[person] == witness.before != witness.after == changed[person]


# ---------------------------------------------------------------- what may be asked


def test_a_family_needs_a_free_amount():
    with pytest.raises(BiasError, match="free amount, written \\?"):
        radius(tree(), *hiring(), hiring()[0], "flip(1)")


def test_certify_refuses_a_free_amount():
    with pytest.raises(EverytreeError):
        certify(tree(), *hiring(), hiring()[0], "flip(?)")


@pytest.mark.parametrize("most", [0, 1, 2])
def test_the_largest_amount_is_respected(most):
    X, y = hiring()
    result = radius(tree(), X, y, X, "flip(?)", max_amount=most)
    assert result.max_amount == most
    assert (result.lower <= most).all()
    finite = np.isfinite(result.upper)
    assert (result.upper[finite] <= most).all()
    assert (result.lower[~finite] == most).all()
    assert settled(result).all()
    assert result.complete
    assert result.curve().index.max() <= most


@pytest.mark.parametrize("wrong", [-1, True])
def test_a_largest_amount_that_makes_no_sense(wrong):
    with pytest.raises(EverytreeError, match="max_amount must be"):
        radius(tree(), *hiring(), hiring()[0], "flip(?)", max_amount=wrong)


def test_a_time_limit_that_makes_no_sense():
    with pytest.raises(EverytreeError, match="time_limit must be"):
        radius(tree(), *hiring(), hiring()[0], "flip(?)", time_limit=0)


def test_no_more_records_are_looked_at_than_are_eligible():
    X, y = [[0], [1], [2], [3], [4], [5]], [0, 0, 0, 1, 1, 1]
    found = radius(DecisionTreeClassifier(max_depth=1), X, y, [[0]], "flip(?, where x0 >= 4)")
    assert found.max_amount == 2
    assert radius(DecisionTreeClassifier(max_depth=1), X, y, [[0]], "flip(?)", max_amount=9).max_amount == 9


def test_a_family_that_changes_nothing_is_called_that():
    X, y = [[0], [1], [2], [3]], [0, 0, 1, 1]
    found = radius(DecisionTreeClassifier(max_depth=1), X, y, [[0]], "flip(?, where x0 > 9)", max_amount=2)
    assert found.notes[-1].endswith(
        "No row can satisfy the condition, so this changes nothing. A radius of it says nothing."
    )


def test_some_row_remains():
    """Without a largest amount every label can be flipped, but not every row removed."""
    X, y = hiring()
    assert radius(tree(), X, y, X[:2], "flip(?)").max_amount == len(y)
    assert radius(tree(), X, y, X[:2], "fake(?)").max_amount == len(y) - 1


def test_free_amounts_share_one_value():
    X, y = hiring()
    together = radius(tree(), X, y, X, "flip(?, where x0 == 0) + flip(?, where x0 == 1)", max_amount=2)
    for amount in range(3):
        bias = f"flip({amount}, where x0 == 0) + flip({amount}, where x0 == 1)"
        verdicts = certify(tree(), X, y, X, bias).verdicts
        assert not (verdicts[together.upper <= amount] == "robust").any()
        assert not (verdicts[together.lower >= amount] == "not robust").any()
    alone = radius(tree(), X, y, X, "flip(?, where x0 == 0)", max_amount=2)
    assert (together.lower < alone.upper).all()


def test_a_fixed_amount_stays_fixed():
    X, y = hiring()
    result = radius(tree(), X, y, X, "flip(1) + fake(?)", max_amount=1)
    verdicts = certify(tree(), X, y, X, "flip(1)").verdicts
    assert np.array_equal(result.lower >= 0, verdicts == "robust")
    assert np.array_equal(result.upper <= 0, verdicts == "not robust")


# ---------------------------------------------------------------- what comes back


def test_curve_and_frame():
    X, y = hiring()
    result = radius(tree(), X, y, X, "flip(?)", max_amount=3)
    curve = result.curve()
    assert np.allclose(curve.sum(axis=1), 1)
    assert curve["robust"].is_monotonic_decreasing
    for amount, row in curve.iterrows():
        assert row["robust"] == np.mean(result.lower >= amount)
        assert row["not robust"] == np.mean(result.upper <= amount)
    frame = result.to_frame()
    assert frame["lower"].tolist() == result.lower.tolist()
    assert frame["upper"].tolist() == result.upper.tolist()
    assert [p["lower"] for p in result.to_dict()["people"]] == result.lower.tolist()
    black = result.curve({"black": X[:, 0]})
    assert set(black.index.get_level_values(0)) == {0.0, 1.0}


# ---------------------------------------------------------------- COMPAS


@cache
def compas_radius():
    data = load_paper("compas")
    return data, radius(tree(), data.X_train, data.y_train, data.X_test, "flip(?)", max_amount=240)


@needs_paper
def test_compas_is_exact_for_everyone():
    _, result = compas_radius()
    assert result.complete
    assert settled(result).all()
    proved = result.lower == result.max_amount
    assert (result.upper[~proved] == result.lower[~proved] + 1).all()
    assert np.isinf(result.upper[proved]).all()


@needs_paper
@pytest.mark.parametrize("amount", [3, 10, 47, 93, 139, 232])
def test_compas_agrees_with_certify(amount):
    data, result = compas_radius()
    verdicts = certify(tree(), data.X_train, data.y_train, data.X_test, f"flip({amount})").verdicts
    assert np.array_equal(verdicts == "robust", result.lower >= amount)
    assert np.array_equal(verdicts == "not robust", result.upper <= amount)
    curve = result.curve()
    at = curve[curve.index <= amount].iloc[-1]
    assert at["robust"] == pytest.approx(np.mean(verdicts == "robust"))


@needs_paper
def test_compas_witnesses_have_the_size_of_the_upper_end():
    data, result = compas_radius()
    now = tree().fit(data.X_train, data.y_train).predict(data.X_test)
    people = list(result.witnesses)[::40]
    assert len(people) > 20
    for person in people:
        witness = result.witnesses[person]
        assert 0 < len(witness.flipped) <= result.upper[person]
        changed = tree().fit(*witness.apply(data.X_train, data.y_train)).predict(data.X_test.iloc[[person]])
        assert now[person] == witness.before != witness.after == changed[0]


@needs_paper
def test_a_time_limit_leaves_honest_ends():
    data, whole = compas_radius()
    tables = (data.X_train, data.y_train, data.X_test)
    started = time.monotonic()
    result = radius(tree(), *tables, "flip(?)", max_amount=240, time_limit=0.1)
    assert time.monotonic() - started < 5
    assert not result.complete
    assert not settled(result).all()
    assert (result.lower <= whole.lower).all()
    assert (result.upper >= whole.upper).all()
