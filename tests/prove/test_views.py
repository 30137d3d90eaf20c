"""Missing values: features shown twice, and what is proved about people and rows without a value."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.tree import DecisionTreeClassifier

from everytree import certify, check_proof, metric_ranges, radius, tree_family
from everytree.bias import parse, resolve
from everytree.errors import InternalError
from everytree.learner.settings import Settings
from everytree.prove.node import Nodes
from everytree.prove.problem import Problem
from everytree.prove.views import Views
from everytree.table import training_table

NAN = float("nan")


def tree(depth: int | None = 1) -> DecisionTreeClassifier:
    return DecisionTreeClassifier(max_depth=depth, random_state=0)


def problem(X, y, bias: str, people=None) -> Problem:
    table = training_table(np.array(X, float), y)
    shown = None if people is None else np.array(people, np.float32)
    return Problem.of(table, resolve(parse(bias), table), Settings(max_depth=2), people=shown)


def cuts(X, y, bias: str, people=None) -> list[tuple[int, float, float]]:
    """Column and neighbouring values of every split of the root."""
    one = problem(X, y, bias, people)
    nodes, columns = Nodes(one), one.columns
    splits = nodes.ground(nodes.root()).splits
    found = []
    for j, low, high in zip(splits.feature, splits.low, splits.high, strict=True):
        values = columns.values[columns.starts[j] : columns.starts[j + 1]].tolist()
        ends = values[low] if low >= 0 else None, values[high] if high < len(values) else None
        found.append((int(j), *ends))
    return found


# Views


def test_what_is_missing_stands_behind_and_before_all_values() -> None:
    views = Views(3, np.array([0, 2]), np.array([True, False, True]))
    shown = views.show(np.array([[1, 2, NAN], [NAN, 3, 4]], np.float32))
    inf = np.inf
    assert shown.tolist() == [[1, 2, inf, 1, -inf], [inf, 3, 4, -inf, 4]]
    assert views.source.tolist() == [0, 1, 2, 0, 2]


def test_a_table_without_holes_stays_as_it_is() -> None:
    X = np.asfortranarray([[1, 2], [3, 4]], np.float32)
    views = Views(2, np.array([], np.int64), np.zeros(2, bool))
    assert views.show(X) is X
    with pytest.raises(InternalError, match="no place"):
        views.show(np.array([[1, NAN]], np.float32))


def test_bounds_say_whether_an_added_row_may_lack_a_value() -> None:
    views = Views(2, np.array([0, 1]), np.array([True, False]))
    inf = np.inf
    assert views.bounds({0: (1.0, inf)}) == {0: (1.0, inf, True)}
    assert views.bounds({0: (-inf, 1.0)}) == {0: (-inf, 1.0)}
    assert views.bounds({2: (-inf, 1.0)}) == {0: (-inf, 1.0, True)}
    assert views.bounds({0: (0.0, inf), 2: (1.0, 5.0)}) == {0: (1.0, 5.0)}
    assert views.bounds({1: (1.0, inf)}) == {1: (1.0, inf)}  # no training row lacks it


def test_the_splits_of_scikit_learn() -> None:
    y = [0, 1, 0, 1]
    inf = np.inf
    gaps = [(0, 1, 2), (0, 2, inf), (1, 1, 2)]
    assert cuts([[1], [2], [2], [NAN]], y, "flip(1)") == gaps
    assert cuts([[1], [1], [1], [NAN]], y, "flip(1)") == [(0, 1, inf)]
    assert cuts([[NAN]] * 4, y, "flip(1)") == []


def test_people_without_a_value_go_where_more_rows_are() -> None:
    y, people = [0, 1, 0, 1, 1], [[NAN]]
    X = [[1], [2], [3], [3], [4]]
    assert cuts(X, y, "flip(1)", people) == [(0, 1, 2), (0, 2, 3), (1, 3, 4)]
    assert cuts(X, y, "fake(1)", people) == [(0, 1, 2), (0, 2, 3), (1, 3, 4)]
    assert cuts(X, y, "fake(2)", people) == [(0, 1, 2), (0, 2, 3), (1, 2, 3), (1, 3, 4)]


# Verdicts


@pytest.mark.parametrize("engine", ["interval", "relational", "auto"])
def test_a_person_without_a_value_follows_the_rows_without_one(engine: str) -> None:
    X, y = [[1]] * 8 + [[2]] * 8 + [[NAN]] * 8, [0] * 8 + [1] * 8 + [0] * 8
    result = certify(tree(), X, y, [[NAN], [1], [2]], "flip(1)", engine=engine)
    assert result.predictions.tolist() == [0, 0, 1]
    assert result.verdicts.tolist() == ["robust"] * 3


def test_numbers_beyond_all_others_stay_with_the_values() -> None:
    X, y = [[1]] * 8 + [[NAN]] * 8, [0] * 8 + [1] * 8
    result = certify(tree(), X, y, [[99], [-99], [NAN]], "flip(1)")
    assert (result.predictions.tolist(), result.verdicts.tolist()) == ([0, 0, 1], ["robust"] * 3)


@pytest.mark.parametrize("bias", ["flip(1)", "fake(1)", "miss(3, where x0 is missing)", "miss(1)"])
def test_witnesses_are_confirmed_in_the_users_own_table(bias: str) -> None:
    X = pd.DataFrame({"x0": pd.array([1, 2, 3, None, 5, None, 7, 8], dtype="Int64"), "t": ["a", None] * 4})
    y = np.array([0, 0, 0, 1, 1, 1, 1, 0])
    people = X.iloc[[3, 0, 7]]
    result = certify(tree(2), X, y, people, bias)
    assert result.witnesses
    for p in result.witnesses:
        changed, labels = result.witness(p).apply(X, y)
        assert changed.dtypes.tolist() == X.dtypes.tolist()
        again = certify(tree(2), changed, labels, people, "flip(0)")
        assert again.predictions[p] == result.witness(p).after != result.predictions[p]


def test_an_added_row_lacks_a_value_only_where_a_training_row_does() -> None:
    X, y = [[0, 1]] * 6 + [[1, 1]] * 5 + [[1, NAN]], [0] * 6 + [1] * 6
    result = certify(tree(), X, y, [[NAN, 1]], "miss(1)")
    assert result.predictions.tolist() == [1]  # as many rows on both sides
    added = result.witness(0).added
    assert added["x0"].notna().all()
    assert resolve(parse("miss(1, where x0 is missing)"), training_table(np.array(X), y)).additions == 0


def test_the_other_questions_take_holes() -> None:
    X = np.array([[1, NAN], [2, 1], [3, 1], [NAN, 0], [5, 0], [6, NAN], [NAN, 1], [8, 0]])
    y = np.array([0, 0, 0, 1, 1, 1, 1, 0])
    result = certify(tree(2), X, y, X, "flip(1)")
    assert metric_ranges(result, y_true=y).to_frame() is not None
    assert radius(tree(), X, y, X[:3], "flip(?)", max_amount=2).lower.min() >= -1
    family = tree_family(tree(2), X, y, "flip(?)", max_amount=2, witnesses=result)
    assert "missing" in str(family)


def test_the_check_covers_holes() -> None:
    X, y = [[1.0, 0]] * 8 + [[2.0, 0]] * 8 + [[NAN, 1]] * 8, [0] * 8 + [1] * 8 + [0] * 8
    people = [[NAN, 1], [1.0, NAN]]
    for person in (0, 1):
        assert check_proof(tree(), X, y, people, "flip(1)", person).confirmed
    assert check_proof(tree(), [[0]] * 6 + [[1]] * 6, [0] * 6 + [1] * 6, [[NAN]], "fake(1)", 0).outcome == (
        "not confirmed"
    )
