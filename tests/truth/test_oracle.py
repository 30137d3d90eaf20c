"""The oracle is only worth something if it is right itself."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import chain, combinations, combinations_with_replacement, pairwise, product

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier

from tests.truth.oracle import (
    Component,
    Learner,
    NaiveLearner,
    Stops,
    TooManyTablesError,
    addable_rows,
    best_cuts,
    biased_tables,
    column_values,
    grow_with_sklearn,
    original_table,
    reachable_labels,
)

POOLS = ([0, 1], [0, 1, 2, 3], [-2, -0.5, 0.25], [0.1, 0.2, 0.3, 0.7], [5])


def random_table(rng, n_classes):
    n, n_columns = int(rng.integers(1, 13)), int(rng.integers(1, 4))
    X = np.column_stack([rng.choice(POOLS[rng.integers(len(POOLS))], n) for _ in range(n_columns)])
    return X.astype(float), rng.integers(0, n_classes, n)


# ---------------------------------------------------------------- tables


def test_added_values_surround_every_value_and_every_midpoint():
    assert column_values([0, 4, 4]) == [-1, 0, 1, 3, 4, 5]
    assert column_values([0, 4], tested=[2, 9]) == [-1, 0, 1, 2, 3, 4, 5, 9]
    assert column_values([2.5]) == [1.5, 2.5, 3.5]


def test_a_boolean_column_stays_boolean_even_when_constant():
    assert column_values([0, 1, 1], tested=[0.5]) == [0, 1]
    assert column_values([0, 0]) == [0, 1]


def test_addable_rows_satisfy_the_condition():
    table = original_table([[0, 2], [1, 6]], [0, 1])
    rows = addable_rows(table, [], Component("miss", 1, lambda values, label: values[1] > 4 and label == 1))
    assert rows == [((x, z), 1) for x in (0.0, 1.0) for z in (5.0, 6.0, 7.0)]


@pytest.mark.parametrize(
    ("components", "expected"),
    [
        ([], 1),
        ([Component("flip", 0)], 1),
        ([Component("flip", 1)], 5),
        ([Component("flip", 2)], 1 + 4 + 6),
        ([Component("fake", 1)], 5),
        ([Component("fake", 2)], 1 + 4 + 6),
        ([Component("fake", 4)], 2**4 - 1),  # not the empty table
        ([Component("fake", 1, lambda values, label: values[0] <= 1)], 3),
        ([Component("flip", 1, to=frozenset({1}))], 3),
        ([Component("miss", 1)], 1 + (4 + 3 * 2 + 2) * 2),
        ([Component("flip", 1, lambda v, _: v[0] == 0), Component("flip", 1, lambda v, _: v[0] == 1)], 4),
    ],
)
def test_number_of_tables(components, expected):
    assert len(biased_tables([[0], [1], [2], [3]], [0, 0, 1, 1], components)) == expected


def test_equal_rows_give_equal_tables():
    tables = biased_tables([[0], [0], [0], [1]], [0, 0, 0, 1], [Component("flip", 1)])
    assert len(tables) == 3


def test_a_row_may_be_removed_for_the_label_it_was_flipped_to():
    parts = [Component("flip", 1), Component("fake", 1, lambda _, label: label == 1)]
    tables = biased_tables([[0], [2]], [0, 1], parts)
    assert (((2.0,), 1),) in tables  # row 0: flipped to 1, then removed


def test_an_added_row_may_be_flipped():
    parts = [Component("miss", 1, lambda values, label: values[0] == 2 and label == 0), Component("flip", 1)]
    tables = biased_tables([[0], [2]], [0, 1], parts)
    assert (((0.0,), 0), ((2.0,), 1), ((2.0,), 1)) in tables


def test_a_label_changes_only_once():
    parts = [
        Component("flip", 1, lambda _, label: label == 0, frozenset({1})),
        Component("flip", 1, lambda _, label: label == 1, frozenset({2})),
    ]
    tables = biased_tables([[0], [1], [2]], [0, 1, 2], parts)
    assert len(tables) == 4
    assert all(table[0] != ((0.0,), 2) for table in tables)


def test_the_cap_is_exact():
    parts = [Component("fake", 2)]
    assert len(biased_tables([[0], [1], [2], [3]], [0, 0, 1, 1], parts, cap=11)) == 11
    with pytest.raises(TooManyTablesError):
        biased_tables([[0], [1], [2], [3]], [0, 0, 1, 1], parts, cap=10)


def subsets(items, most):
    return chain.from_iterable(combinations(items, size) for size in range(most + 1))


def tables_by_choosing_rows(X, y, miss, flip, fake):
    """The same set of tables, by choosing the touched rows instead of stepping from table to table."""
    start, labels, found = original_table(X, y), sorted(set(y)), set()
    extra = addable_rows(start, [], miss)
    added_choices = chain.from_iterable(
        combinations_with_replacement(extra, i) for i in range(miss.count + 1)
    )
    for added in added_choices:
        grown = [*start, *added]
        for flipped in subsets([i for i, row in enumerate(grown) if flip.allows(row)], flip.count):
            for new in product(labels, repeat=len(flipped)):
                changed = list(grown)
                for i, label in zip(flipped, new, strict=True):
                    changed[i] = (grown[i][0], label)
                for gone in subsets([i for i, row in enumerate(changed) if fake.allows(row)], fake.count):
                    found.add(tuple(sorted(row for i, row in enumerate(changed) if i not in gone)))
    return found - {()}


@pytest.mark.parametrize("seed", range(12))
def test_tables_agree_with_choosing_rows(seed):
    rng = np.random.default_rng(seed)
    X, y = rng.integers(0, 2, (4, 1)).astype(float), rng.integers(0, 3, 4).tolist()
    conditions = (None, lambda values, _: values[0] == 0, lambda _, label: label != 1)
    miss, flip, fake = (
        Component(kind, int(rng.integers(0, 3)), conditions[rng.integers(3)])
        for kind in ("miss", "flip", "fake")
    )
    assert set(biased_tables(X, y, [miss, flip, fake])) == tables_by_choosing_rows(X, y, miss, flip, fake)


# ---------------------------------------------------------------- learners


@pytest.mark.parametrize("n_classes", [2, 3, 4])
def test_direct_training_is_the_public_class(n_classes):
    """Class numbers absent from a table must make no difference."""
    rng = np.random.default_rng(n_classes)
    for seed in range(150):
        X, codes = random_table(rng, n_classes)
        depth = int(rng.integers(1, 4))
        X32 = X.astype(np.float32)
        public = DecisionTreeClassifier(max_depth=depth, random_state=seed).fit(X, codes)
        direct = grow_with_sklearn(X32, codes, n_classes, depth, np.random.RandomState(seed))
        points = rng.choice(np.unique(X), (20, X.shape[1])) + rng.choice([0, 0.05, 0.25], (20, X.shape[1]))
        assert direct(points.astype(np.float32)).tolist() == public.predict(points).tolist()


@pytest.mark.parametrize("n_classes", [2, 3, 4])
def test_sklearn_is_always_among_the_naive_labels(n_classes):
    rng = np.random.default_rng(100 + n_classes)
    for _ in range(300):
        X, y = random_table(rng, n_classes)
        y = 3 * y - 1
        points = rng.choice(np.unique(X), (8, X.shape[1])) + rng.choice([0, 0.05, 0.5], (8, X.shape[1]))
        learner = Learner(points, range(-1, 3 * n_classes - 1, 3), int(rng.integers(1, 4)), seeds=6)
        table = original_table(X, y)
        for seen, exact in zip(learner.by_sklearn(table), learner.by_hand(table), strict=True):
            assert seen <= exact


def test_sklearn_is_always_among_the_naive_labels_with_missing_values():
    """Also the other way round: the rules are those of scikit-learn, not weaker ones."""
    rng = np.random.default_rng(17)
    same = []
    for _ in range(80):
        X, y = random_table(rng, 2)
        points = rng.choice(np.unique(X), (6, X.shape[1])) + rng.choice([0, 0.05, 0.5], (6, X.shape[1]))
        X = np.where(rng.random(X.shape) < rng.choice([0.1, 0.4, 0.9], X.shape[1]), np.nan, X)
        points = np.where(rng.random(points.shape) < 0.4, np.nan, points)
        learner = Learner(points, range(2), None, seeds=6, stops=Stops(leaf=int(rng.choice([1, 1, 2, 3]))))
        table = original_table(X, y)
        for seen, exact in zip(learner.by_sklearn(table), learner.by_hand(table), strict=True):
            assert seen <= exact, table
            same.append(seen == exact)
    assert np.mean(same) > 0.95


def random_stops(rng, n):
    """Every setting by itself, as a number and as a share, and two of them together."""
    leaf, split = (int(rng.integers(1, n + 1)), int(rng.integers(2, n + 2)))
    leaf_share, split_share = round(float(rng.uniform(0.05, 0.5)), 3), round(float(rng.uniform(0.1, 1.0)), 3)
    decrease, alpha = (float(rng.choice([0.011, 0.053, 0.107])) for _ in range(2))
    leaves = int(rng.integers(2, 6))
    return [
        Stops(leaf=leaf),
        Stops(leaf=leaf_share),
        Stops(split=split),
        Stops(split=split_share),
        Stops(decrease=decrease),
        Stops(leaves=leaves),
        Stops(alpha=alpha),
        Stops(leaf=leaf_share, decrease=decrease),
        Stops(split=split, leaves=leaves),
        Stops(leaf=leaf, alpha=alpha),
    ]


def test_direct_training_with_stops_is_the_public_class():
    rng = np.random.default_rng(8)
    for seed in range(40):
        X, codes = random_table(rng, 3)
        for stops in random_stops(rng, len(X)):
            depth = None if seed % 4 == 0 else int(rng.integers(1, 4))
            tree = DecisionTreeClassifier(max_depth=depth, random_state=seed, **stops.parameters())
            rounded = X.astype(np.float32)
            direct = grow_with_sklearn(rounded, codes, 3, depth, np.random.RandomState(seed), stops)
            assert direct(rounded).tolist() == tree.fit(X, codes).predict(X).tolist()


def test_sklearn_is_always_among_the_naive_labels_with_stops():
    """The limits of gains are odd numbers, so that no gain equals its limit: there rounding would decide."""
    rng = np.random.default_rng(9)
    for _ in range(60):
        X, y = random_table(rng, int(rng.integers(2, 4)))
        points = rng.choice(np.unique(X), (8, X.shape[1])) + rng.choice([0, 0.05, 0.5], (8, X.shape[1]))
        for stops in random_stops(rng, len(X)):
            depth = None if rng.random() < 0.3 else int(rng.integers(1, 4))
            learner = Learner(points, range(3), depth, seeds=4, stops=stops)
            table = original_table(X, y)
            for seen, exact in zip(learner.by_sklearn(table), learner.by_hand(table), strict=True):
                assert seen <= exact, f"{stops}, depth {depth}, {table}"


def test_a_share_is_one_of_the_whole_table():
    assert Stops(leaf=0.1, split=0.25).rows(41) == (5, 11)
    assert Stops(leaf=0.1, split=0.25).rows(3) == (1, 2)
    assert Stops(leaf=3, split=4).rows(100) == (3, 6)


def part_of_score(counts: list[int], criterion: str) -> Fraction:
    """A side's part in the score of a split; for entropy 2 to the power of it."""
    size = sum(counts)
    if criterion == "gini":
        return Fraction(sum(c * c for c in counts), size)
    return math.prod((Fraction(c, size) ** c for c in counts), start=Fraction(1))


@pytest.mark.parametrize("criterion", ["gini", "entropy"])
def test_best_cuts_agree_with_fractions(criterion):
    rng = np.random.default_rng(7)
    for _ in range(200):
        node = original_table(*random_table(rng, 3))
        scores = {}
        for j in range(len(node[0][0])):
            values = sorted({row[0][j] for row in node})
            for low, high in pairwise(values):
                sides = [[label for v, label in node if (v[j] <= low) == left] for left in (True, False)]
                parts = [part_of_score([side.count(i) for i in range(3)], criterion) for side in sides]
                scores[j, low / 2 + high / 2] = sum(parts) if criterion == "gini" else math.prod(parts)
        best = [cut for cut, score in scores.items() if score == max(scores.values())]
        assert sorted(best_cuts(node, {0: 0, 1: 1, 2: 2}, criterion=criterion)) == sorted(best)


def test_both_ways_of_breaking_a_tie_are_followed():
    table = original_table([[0, 1], [1, 0]], [0, 1])
    learner = Learner([[0, 0], [0, 1]], [0, 1], depth=1, seeds=40)
    assert learner.by_hand(table) == [{0, 1}, {0}]
    assert learner.by_sklearn(table) == [{0, 1}, {0}]


def test_a_leaf_tie_gives_the_label_that_sorts_first():
    assert NaiveLearner([(0.0,)], [5, 2, 9]).possible_labels((((0.0,), 5), ((0.0,), 2)), 1) == [{2}]


def test_points_on_the_midpoint_go_left_after_rounding_to_float32():
    table = original_table([[0.1], [0.7]], [0, 1])
    learner = Learner([[0.4], [0.4 + 1e-9], [0.41]], [0, 1], depth=1)
    exact = learner.by_hand(table)
    assert exact == learner.by_sklearn(table)
    assert exact[0] == exact[1]
    assert exact[2] == {1}


def test_reachable_labels_with_no_budget_are_the_prediction():
    assert reachable_labels([[0], [1]], [0, 1], [[0], [1]], 1, [Component("flip", 0)]) == [{0}, {1}]


def test_reachable_labels_of_one_flip():
    X, y = [[0]] * 3 + [[1]] * 3, [0] * 3 + [1] * 3
    assert reachable_labels(X, y, [[0], [1]], 1, [Component("flip", 1)]) == [{0}, {1}]
    assert reachable_labels(X, y, [[0], [1]], 1, [Component("flip", 2)]) == [{0, 1}, {0, 1}]
