"""Class weights: how they are read, what they do to every bound, and every question asked with them."""

from __future__ import annotations

from itertools import product
from math import log2

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.class_weight import compute_class_weight
from sklearn.utils.validation import has_fit_parameter

from everytree import BiasCertifier, certify, radius, tree_family
from everytree.errors import TableError, UnsupportedLearnerError
from everytree.learner import Settings, prepare
from everytree.learner.criterion import front
from everytree.learner.criterion.front import Reach, criterion_of, weighted_criteria
from everytree.learner.weights import balanced_vertices, in_codes, weights_on, whole_weights

X = np.array([[0], [1], [2], [3], [5], [6], [7], [8], [9]])
Y = np.array([0, 0, 0, 0, 1, 1, 1, 0, 1])
WEIGHTS = ((1.0, 3.0), (0.5, 0.25), (0.1, 0.7))


def value(name: str, counts, weights) -> float:
    """Value of a branch, from the definition."""
    weighed = [c * w for c, w in zip(counts, weights, strict=True)]
    whole = sum(weighed)
    if whole == 0:
        return 0.0
    if name == "gini":
        return sum(u * u for u in weighed) / whole
    return sum(u * log2(u / whole) for u in weighed if u > 0)


@pytest.mark.parametrize(
    ("weights", "whole"),
    [
        ((1, 1), (1, 1)),
        ((3, 6), (1, 2)),
        ((0.5, 2), (1, 4)),
        ((0.75, 0.25, 5), (3, 1, 20)),
        ((0.1, 0.2), None),
    ],
)
def test_exact_weights_become_whole_numbers(weights, whole) -> None:
    found = whole_weights(np.array(weights, float))
    assert (None if found is None else tuple(found)) == whole


def test_weights_that_are_all_the_same_are_none() -> None:
    assert weighted_criteria("gini", np.array([2.0, 2.0]))[0] == criterion_of("gini", 2)
    assert weighted_criteria("gini", np.array([2.0, 1.0]))[0] != criterion_of("gini", 2)
    trees = [DecisionTreeClassifier(max_depth=1, class_weight=given) for given in (None, {0: 2, 1: 2})]
    plain, result = (certify(tree, X, Y, X, "flip(1)", engine="relational") for tree in trees)
    assert (result.verdicts == plain.verdicts).all()


def test_scikit_learn_says_which_label_an_entry_is_for() -> None:
    assert in_codes((("b", 3.0), ("a", 2.0)), np.array(["a", "b"])) == ((1, 3.0), (0, 2.0))
    assert in_codes(((1, 2.0),), np.array([0, 1])) == ((1, 2.0),)
    assert in_codes(((1, 2.0), (0, 1.0), (7, 3.0)), np.array([0, 1])) == ((1, 2.0), (0, 1.0), (-3, 3.0))
    with pytest.raises(UnsupportedLearnerError, match=r"class_weight=.*\[0\], are not in class_weight"):
        Settings(class_weight=((1, 2.0), (7, 3.0))).in_codes(np.array([0, 1]))
    with pytest.raises(UnsupportedLearnerError, match="at most 10000 times"):
        Settings(class_weight=((1, 2e4),)).in_codes(np.array([0, 1]))


def test_balanced_weights_are_those_of_scikit_learn() -> None:
    y = np.repeat([0, 1, 2], [7, 20, 3])
    expected = compute_class_weight("balanced", classes=np.arange(3), y=y)
    assert np.array_equal(weights_on("balanced", np.bincount(y)), expected)


@pytest.mark.parametrize("n_labels", [2, 3, 6])
def test_the_polytope_has_the_weights_of_every_table(n_labels: int) -> None:
    """A linear function of the weights is never larger than at a vertex."""
    rng = np.random.default_rng(n_labels)
    for _ in range(40):
        counts = rng.integers(1, 30, n_labels)
        down, up = rng.integers(0, 5, (2, n_labels))
        on_table, vertices = balanced_vertices(counts, counts - down, counts + up)
        unit = int(np.argmax(counts))
        for _ in range(20):
            there = np.maximum(1, counts + rng.integers(-down, up + 1))
            weights = there[unit] / there
            direction = rng.normal(size=n_labels)
            assert direction @ weights <= (vertices @ direction).max() + 1e-9
            assert direction @ on_table <= (vertices @ direction).max() + 1e-9


@pytest.mark.parametrize("name", ["gini", "entropy"])
@pytest.mark.parametrize("acts", [(2, 0, 0), (0, 2, 0), (0, 0, 2), (1, 1, 0), (0, 1, 1)])
def test_slopes_and_tangents_bound_every_change(name: str, acts: tuple[int, int, int]) -> None:
    rng = np.random.default_rng(sum(acts))
    up, down = np.full(2, float(acts[0] + acts[1])), np.full(2, float(acts[1] + acts[2]))
    reach = Reach(acts, sum(acts), up, down)
    options = [[None, *range(2)], [None, (0, 1), (1, 0)], [None, *range(2)]]
    ways = list(product(*(product(some, repeat=n) for some, n in zip(options, acts, strict=True))))
    for weights in WEIGHTS:
        (criterion,) = weighted_criteria(name, np.array(weights))
        weights = criterion.weights[0]
        for _ in range(8):
            branches = front.new_branches(2)
            branches.own[:] = rng.integers(0, rng.choice([2, 4, 30]), (2, 2))
            branches.size[:] = branches.own.sum(axis=1)
            front.slopes(criterion, branches, reach)
            gradient = np.zeros((2, 2))
            start = front.tangent(criterion, branches, 0, reach, gradient) if branches.size[0] else 0.0
            for added, flipped, removed in ways:
                after, bound = branches.own[0].copy(), value(name, branches.own[0], weights)
                for i in (i for i in added if i is not None):
                    after[i] += 1
                    bound += branches.add[0, i]
                for i, j in (pair for pair in flipped if pair is not None):
                    after[i], after[j] = after[i] - 1, after[j] + 1
                    bound += branches.flip[0, i, j]
                for i in (i for i in removed if i is not None):
                    after[i] -= 1
                    bound += branches.remove[0, i]
                if after.min() >= 0:
                    true = value(name, after, weights)
                    assert true <= bound + 1e-9
                    assert (
                        not branches.size[0] or start + gradient[0] @ (after - branches.own[0]) <= true + 1e-9
                    )


@pytest.mark.parametrize("name", ["gini", "entropy"])
def test_gradients_and_remainders_of_programs(name: str) -> None:
    rng = np.random.default_rng(1)
    (criterion,) = weighted_criteria(name, np.array([0.1, 0.7]))
    for _ in range(200):
        low = rng.integers(0, 9, 4).astype(float)
        high = low + rng.integers(0, 4, 4)
        centre, point = (low + high) / 2, low + (high - low) * rng.choice([0.0, 1.0, rng.random()], 4)
        true = sum(value(name, side, (0.1, 0.7)) for side in point.reshape(2, 2))
        assert front.split_value(criterion, point) == pytest.approx(true, abs=1e-9)
        slope = front.gradient(criterion, centre)
        assert slope @ point <= true + 1e-7
        upper = front.split_value(criterion, centre) + front.remainder(criterion, low, high)
        assert true <= upper + slope @ (point - centre) + 1e-9


@pytest.mark.parametrize("given", [{0: 1, 1: 2}, {0: 0.1, 1: 0.3}, {1: 3}, "balanced"])
def test_every_question_takes_weights(given: object) -> None:
    tree = DecisionTreeClassifier(class_weight=given, max_depth=1, random_state=0)
    before = clone(tree).fit(X, Y).predict(X)
    for engine in ("interval", "relational", "auto"):
        result = certify(tree, X, Y, X, "flip(1)", engine=engine)
        assert (result.predictions == before).all()
    for person in np.flatnonzero(result.verdicts == "not robust"):
        changed = result.witness(int(person)).apply(X, Y)
        assert clone(tree).fit(*changed).predict(X)[person] != before[person]
    assert (result.verdicts == "unknown").sum() <= 2  # 3 * 0.1 and 0.3 are level up to rounding
    found = radius(tree, X, Y, X, "flip(?)", max_amount=1)
    assert ((found.lower == 1) == (result.verdicts == "robust")).all()
    assert len(tree_family(tree, X, Y, "flip(?)", max_amount=1).root.candidates) > 1
    assert len(result.metric_ranges([0] * 4 + [1] * 5))


def test_labels_that_are_words_and_pipelines() -> None:
    y = np.where(Y == 1, "yes", "no")
    tree = DecisionTreeClassifier(class_weight={"yes": 3}, max_depth=1, random_state=0)
    plain = certify(tree, X, y, X, "flip(1)")
    for estimator in (clone(tree).fit(X, y), make_pipeline(StandardScaler(), tree)):
        assert (certify(estimator, X, y, X, "flip(1)").verdicts == plain.verdicts).all()
    certifier = BiasCertifier(tree, bias="flip(1)").fit(X, y)
    assert (certifier.certify(X).verdicts == plain.verdicts).all()
    assert (certifier.predict(X) == clone(tree).fit(X, y).predict(X)).all()


def test_a_fitted_tree_must_have_the_weights_of_this_table() -> None:
    tree = DecisionTreeClassifier(class_weight="balanced", max_depth=1).fit(X, Y)
    prepare(tree, X, Y, X)
    other = DecisionTreeClassifier(class_weight="balanced", max_depth=1)
    with pytest.raises(TableError, match="another table"):
        prepare(other.fit(X, Y, sample_weight=np.arange(1.0, 10.0)), X, Y, X)


def test_a_table_that_lost_a_named_label_is_no_witness() -> None:
    """scikit-learn refuses {1: 3} where no row has label 1: such a table has no tree."""
    x, y = np.zeros((3, 1)), np.array([0, 0, 1])
    tree = DecisionTreeClassifier(class_weight={1: 3}, max_depth=1)
    assert certify(tree, x, y, x[:1], "flip(1, where label == 1)").counts()["not robust"] == 0
    both = DecisionTreeClassifier(class_weight={0: 1, 1: 3}, max_depth=1)
    assert certify(both, x, y, x[:1], "flip(1, where label == 1)").counts()["not robust"] == 1


def test_weights_of_rows_are_refused_by_name():
    tree, table, labels = DecisionTreeClassifier(max_depth=1), [[0], [1], [2], [3]], [0, 0, 1, 1]
    questions = {
        "certify": lambda **more: certify(tree, table, labels, table, "flip(1)", **more),
        "radius": lambda **more: radius(tree, table, labels, table, "flip(?)", **more),
        "tree_family": lambda **more: tree_family(tree, table, labels, "flip(1)", **more),
        "fit": lambda **more: BiasCertifier(tree, bias="flip(1)").fit(table, labels, **more),
    }
    for ask in questions.values():
        with pytest.raises(
            UnsupportedLearnerError, match=r"^sample_weight is not supported: .* class_weight"
        ):
            ask(sample_weight=[1, 2, 1, 1])
        assert ask(sample_weight=None) is not None
    with pytest.raises(TypeError, match="sample_wait"):
        questions["certify"](sample_wait=None)
    assert not has_fit_parameter(BiasCertifier(tree), "sample_weight")
