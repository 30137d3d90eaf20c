"""Twins: rows that no tree without a limit can tell from a person."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier

from everytree import certify

ROWS = [[0.0, 1.0]] * 6 + [[1.0, 1.0]] * 2 + [[0.0, 2.0]] * 5
LABELS = [0] * 5 + [1] + [1, 1] + [1] * 4 + [0]


@pytest.mark.parametrize("bias", ["flip(1)", "miss(3)", "fake(3)", "flip(1) + miss(1)"])
def test_people_whose_twins_outvote_every_change_are_proved_by_them(bias):
    result = certify(DecisionTreeClassifier(random_state=0), ROWS, LABELS, [[0.0, 1.0]], bias)
    assert result.verdicts.tolist() == ["robust"]
    assert result.proofs.tolist() == ["twins"]


def test_people_whose_twins_can_be_outvoted_are_refuted():
    result = certify(DecisionTreeClassifier(random_state=0), ROWS, LABELS, [[0.0, 1.0]], "miss(5)")
    assert result.verdicts.tolist() == ["not robust"]


def test_a_limit_of_depth_leaves_other_rows_in_the_leaf():
    tree = DecisionTreeClassifier(max_depth=1, random_state=0)
    assert "twins" not in certify(tree, ROWS, LABELS, [[0.0, 1.0]], "flip(1)").proofs


def test_zero_and_minus_zero_are_one_value_and_holes_have_twins():
    rows = np.array([[0.0, np.nan]] * 6 + [[1.0, 2.0]] * 6)
    labels = [0] * 6 + [1] * 6
    result = certify(DecisionTreeClassifier(random_state=0), rows, labels, [[-0.0, np.nan]], "flip(2)")
    assert result.proofs.tolist() == ["twins"]
