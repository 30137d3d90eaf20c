"""Rows that a split needs over all tables of B(T), and what follows for splits and nodes."""

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier

from everytree import certify
from everytree.bias import resolve
from everytree.learner import Settings, floors, prepare
from everytree.learner.availability import ANYWHERE, BELOW_ROOT, MAYBE, NEVER, NOWHERE, SURELY, availability
from everytree.prove.node import Nodes
from everytree.prove.problem import Problem

STEPS = [[0]] * 4 + [[1]] * 4 + [[2]] * 8
LABELS = [0] * 4 + [1] * 12


def problem_of(settings: Settings, bias: str) -> Problem:
    prepared = prepare(DecisionTreeClassifier(), STEPS, LABELS, [[0]])
    train = prepared.train
    return Problem.of(train, resolve(bias, train), settings)


# ---------------------------------------------------------------- resolved numbers


def test_shares_are_of_the_whole_changed_table() -> None:
    found = floors(Settings(min_samples_leaf=0.1, min_samples_split=0.3), 95, 111)
    assert (found.leaf_low, found.leaf_high) == (10, 12)
    assert (found.node_low, found.node_high) == (29, 34)


def test_a_share_is_rounded_as_scikit_learn_does() -> None:
    """0.07 * 100 is a little more than 7 in floating point, so scikit-learn asks for 8 rows."""
    assert floors(Settings(min_samples_leaf=0.07), 100, 100).leaf_low == 8
    assert floors(Settings(min_samples_split=0.001), 100, 100).node_low == 2


def test_a_split_node_has_room_for_two_leaves() -> None:
    found = floors(Settings(min_samples_leaf=5, min_samples_split=6), 20, 20)
    assert (found.node_low, found.node_high, found.plain) == (10, 10, False)
    assert floors(Settings(), 20, 30).plain


def test_the_gain_is_one_of_the_largest_table() -> None:
    assert floors(Settings(min_impurity_decrease=0.5), 90, 110).decrease == 55.0


@pytest.mark.parametrize(
    ("settings", "where"),
    [
        (Settings(max_leaf_nodes=5), BELOW_ROOT),
        (Settings(max_leaf_nodes=20), NOWHERE),
        (Settings(max_leaf_nodes=4, max_depth=2), NOWHERE),
        (Settings(max_leaf_nodes=3, max_depth=2), BELOW_ROOT),
        (Settings(max_leaf_nodes=4, min_samples_leaf=5), NOWHERE),
        (Settings(ccp_alpha=0.1), ANYWHERE),
        (Settings(), NOWHERE),
    ],
)
def test_where_any_node_may_be_a_leaf(settings: Settings, where: int) -> None:
    assert floors(settings, 20, 20).cut_off == where


def test_a_limit_of_leaves_limits_the_depth() -> None:
    assert Settings(max_leaf_nodes=4).depth_on(100) == 3
    assert Settings(max_leaf_nodes=4, max_depth=2).depth_on(100) == 2


# ---------------------------------------------------------------- NEVER, MAYBE, SURELY


def codes(rows: list[list[int]], settings: Settings, additions: int, removals: int):
    """One type of rows that may all be removed; a list of (left, right) counts."""
    left = np.array([[pair[0]] for pair in rows], np.int32)
    total = np.array([sum(rows[0])], np.int64)
    added = np.full((len(rows), 2), additions, np.int32)
    found = floors(settings, sum(rows[0]) - removals, sum(rows[0]) + additions)
    result = availability(left, total, np.array([True]), added, found, additions, removals)
    return result.tolist(), added.tolist()


def test_counts_decide_what_is_available() -> None:
    rows = [[10, 10], [4, 16], [3, 17], [2, 18], [0, 20]]
    assert codes(rows, Settings(min_samples_leaf=3), 0, 0)[0] == [SURELY, SURELY, SURELY, NEVER, NEVER]
    assert codes(rows, Settings(min_samples_leaf=3), 0, 1)[0] == [SURELY, SURELY, MAYBE, NEVER, NEVER]
    assert codes(rows, Settings(min_samples_leaf=3), 2, 0)[0] == [SURELY, SURELY, SURELY, MAYBE, NEVER]
    assert codes(rows, Settings(min_samples_leaf=3), 3, 0)[0][-1] == MAYBE
    assert codes(rows, Settings(min_samples_split=21), 0, 0)[0] == [NEVER] * 5


def test_additions_that_the_other_side_needs_are_not_left() -> None:
    _, added = codes([[2, 18], [0, 20], [10, 10]], Settings(min_samples_leaf=3), 4, 0)
    assert added == [[4, 3], [4, 1], [4, 4]]


def test_a_share_makes_a_split_uncertain_by_additions_alone() -> None:
    assert codes([[5, 15]], Settings(min_samples_leaf=0.25), 0, 0)[0] == [SURELY]
    assert codes([[5, 15]], Settings(min_samples_leaf=0.25), 1, 0)[0] == [MAYBE]


def test_an_outer_split_needs_a_whole_leaf_of_added_rows() -> None:
    """With 3 rows for a leaf, two added rows make no new side; three do, and the other side gets none."""
    for additions, expected in ((2, []), (3, [0, 0]), (4, [1, 1])):
        nodes = Nodes(problem_of(Settings(min_samples_leaf=3), f"miss({additions})"))
        root = nodes.root()
        ground = nodes.ground(root)
        near = []
        for s in range(len(ground.splits.feature)):
            cut = ground.cut(s)
            outer = {cut.low < 0: 1, cut.high > 2: 0}
            if True in outer:
                near.append(nodes.child(root, cut, outer[True]).budget.additions)
        assert near == expected


def test_a_node_of_few_rows_may_stop_and_has_no_splits() -> None:
    problem = problem_of(Settings(min_samples_split=18), "fake(1)")
    ground = Nodes(problem).ground(Nodes(problem).root())
    assert ground.may_stop
    assert len(ground.splits.feature) == 0
    assert not Nodes(problem_of(Settings(), "fake(1)")).ground(Nodes(problem).root()).may_stop


# ---------------------------------------------------------------- whole verdicts


def test_a_leaf_limit_can_make_predictions_robust() -> None:
    """A small group that flips could cut off by itself is too small for a leaf."""
    X = [[0]] * 3 + [[1]] * 20 + [[2]] * 20
    y = [0] * 23 + [1] * 20
    free = certify(DecisionTreeClassifier(random_state=0), X, y, [[0]], "flip(3)")
    held = certify(DecisionTreeClassifier(min_samples_leaf=10, random_state=0), X, y, [[0]], "flip(3)")
    assert (free.verdicts[0], held.verdicts[0]) == ("not robust", "robust")


def test_a_removal_can_make_a_split_unavailable() -> None:
    X, y = [[0]] * 5 + [[1]] * 9, [1] * 5 + [0] * 9
    tree = DecisionTreeClassifier(min_samples_leaf=5, random_state=0)
    result = certify(tree, X, y, [[0], [1]], "fake(1)")
    assert result.verdicts.tolist() == ["not robust", "robust"]
    assert result.witness(0).removed[0] < 5


def test_a_least_gain_and_more_additions_than_32_bits_hold() -> None:
    """The node without a split is set against its splits with all additions on one side."""
    X, y = [[0]] * 20 + [[1]] * 20, [0] * 20 + [1] * 20
    tree = DecisionTreeClassifier(min_impurity_decrease=0.01, max_depth=1, random_state=0)
    result = certify(tree, X, y, [[0]], "miss(10000000000)", engine="relational")
    assert result.verdicts.tolist() == ["unknown"]
