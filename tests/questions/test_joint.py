"""Bounds over the family of trees: small cases whose every tree is known, and never wider than one by one."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.tree import DecisionTreeClassifier

from everytree import certify
from everytree.datasets import load
from everytree.questions.measures import Measures
from tests.truth.metric_oracle import certified, draw_case

TREE = DecisionTreeClassifier(max_depth=1, random_state=0)


def test_one_tree_for_everybody() -> None:
    """Every label of a leaf can change, but not the labels of one leaf apart from each other."""
    X, y = [[0]] * 4 + [[1]] * 4, [0, 0, 1, 1, 0, 0, 1, 1]
    people, groups = [[0], [0], [1], [1]], ["a", "b", "a", "b"]
    result = certify(TREE, X, y, people, "flip(1)", engine="relational")
    assert set(result.verdicts) == {"unknown"}
    ranges = result.metric_ranges(groups, [0, 1, 0, 1])
    assert ranges.loc[("demographic parity difference", "between groups"), "high"] == 0
    accuracy = ranges.loc[("accuracy", "everybody")]
    assert (accuracy.low, accuracy.high) == (0.5, 0.5)
    assert (accuracy.low_is, accuracy.high_is) == ("attained", "attained")


def test_a_removed_row_moves_the_threshold_for_all_people_at_once() -> None:
    """Without the row at 4 the threshold is 5: it parts two people whom both thresholds of today keep."""
    X, y = [[0], [4], [10]], [0, 0, 1]
    people = [[4.5], [5.5]]
    result = certify(TREE, X, y, people, "fake(1)", engine="relational")
    ranges = result.metric_ranges(None, [0, 1])
    changed = clone(TREE).fit([[0], [10]], [0, 1]).predict(people)
    assert changed.tolist() == [0, 1]
    assert ranges.loc[("accuracy", "everybody"), "high"] == 1


@pytest.mark.parametrize("seed", range(40))
def test_never_wider_than_person_by_person(seed: int) -> None:
    case = draw_case(seed, cap=20)
    result = certified(case, "relational")
    ranges = result.metric_ranges(case.groups, case.truth, case.positive)
    labels = result.labels.tolist()
    possible = np.array([[label in might for label in labels] for might in result.possible_labels])
    truth = (
        None if case.truth is None else np.array([labels.index(t) if t in labels else -1 for t in case.truth])
    )
    members = {(g,): np.flatnonzero(np.array(case.groups) == g) for g in sorted(set(case.groups))}
    measures = Measures(truth, labels.index(case.positive), members, possible, 1)
    today = np.array([[labels.index(p) for p in result.predictions]])
    for (name, key), alone in measures.ranges(today, None).items():
        row = ranges.loc[(name, *key)]
        if not np.isnan(row.low):
            assert alone.low is not None
            assert float(alone.low) <= row.low <= row.high <= float(alone.high)


def test_no_time_counts_person_by_person() -> None:
    data = load("compas")
    result = certify(TREE, data.X_train, data.y_train, data.X_test[:300], "flip(1%)", engine="relational")
    quick = result.metric_ranges("sex", data.y_test[:300], time_limit=1e-9)
    share = float(np.mean(result.verdicts == "robust"))
    row = quick.loc[("selection rate", "everybody")]
    assert row.high - row.low == pytest.approx(1 - share)
    long = result.metric_ranges("sex", data.y_test[:300])
    row, narrow = (found.loc[("accuracy", "everybody")] for found in (quick, long))
    assert quick.loc["accuracy", "low"].le(long.loc["accuracy", "low"]).all()
    assert narrow.high - narrow.low < (row.high - row.low) / 2


def test_several_groups_and_labels_are_compared_pair_by_pair() -> None:
    data = load("compas")
    result = certify(TREE, data.X_train, data.y_train, data.X_test, "flip(1%)", engine="relational")
    ranges = result.metric_ranges(["race", "sex"], data.y_test)
    whole = ranges.loc[("demographic parity difference", "between groups", "between groups")]
    rates = ranges.loc["selection rate"].drop("everybody")
    assert whole.high <= rates.high.max() - rates.low.min()
    assert whole.low <= whole.estimate <= whole.high
    one = ranges.loc["four-fifths ratio"]
    assert one.high.max() == 1
    assert (
        one.low >= ranges.loc[("demographic parity ratio", "between groups", "between groups"), "low"]
    ).all()
    assert Fraction(float(one.low.min())) <= Fraction(float(one.estimate.min()))
