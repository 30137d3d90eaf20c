"""Values that scikit-learn cannot tell apart: sets of them, people between middles, what is certified."""

from __future__ import annotations

import numpy as np
import pytest
import sklearn
from sklearn.datasets import make_classification
from sklearn.tree import DecisionTreeClassifier

from everytree import certify
from everytree.table import close_values, training_table

pytestmark = pytest.mark.skipif(
    tuple(map(int, sklearn.__version__.split(".")[:2])) < (1, 8), reason="splits any gap"
)

STEP = float(np.spacing(np.float32(0.5)))  # 6e-8: values up to two steps apart are one


def table(values):
    return training_table(np.array(values, np.float32)[:, None], [0, 1] + [0] * (len(values) - 2))


def people(*values):
    return np.array(values, np.float32)[:, None]


def test_ordinary_tables_have_none():
    close = close_values(table([0.1, 0.2, 0.3]), 0)
    assert not close.found
    assert not close.blurred(people(0.15, 0.2)).any()


def test_two_values_are_one_and_the_least_stands_for_them():
    rows = people(0.5, 0.5 + STEP, 0.75)
    close = close_values(table(rows[:, 0]), 0)
    assert close.bridge is None
    assert close.joined(rows)[:, 0].tolist() == [0.5, 0.5, 0.75]
    assert rows[1, 0] > 0.5  # what was given stays as it was


def test_three_values_in_a_chain_are_not():
    bridge = close_values(table([0.5, 0.5 + 2 * STEP, 0.5 + 4 * STEP, 0.75]), 0).bridge
    assert bridge is not None
    assert (bridge.low, bridge.high) == (0.5, 0.5 + 4 * STEP)


def test_added_rows_leave_nothing_to_be_proved():
    assert close_values(table([0.5, 0.5 + STEP, 0.75]), 1).bridge is not None


def test_whoever_lies_between_middles_is_in_doubt():
    """The middle of 0.5 and 0.75 is 0.625, that of the other value half a step more; ends count."""
    close = close_values(table([0.5, 0.5 + STEP, 0.75, 0.25]), 0)
    asked = people(0.5, 0.5 + STEP, 0.6, 0.625, 0.625 + STEP, 0.375, 0.375 + STEP / 2, 0.375 + STEP)
    assert close.blurred(asked).tolist() == [False, False, False, True, False, True, True, False]


def test_sets_between_may_be_absent_from_a_node():
    close = close_values(table([0.5, 0.5 + STEP, 0.55, 0.75]), 0)
    assert close.blurred(people(0.625, 0.625 + STEP)).tolist() == [True, False]


def test_missing_values_are_in_no_set():
    rows = people(0.5, 0.5 + STEP, 0.75, np.nan)
    close = close_values(table(rows[:, 0]), 0)
    assert np.isnan(close.joined(rows)[3, 0])
    assert not close.blurred(rows).any()


@pytest.mark.parametrize("bias", ["flip(2)", "fake(2)"])
def test_a_long_continuous_table_is_certified(bias):
    X, y = make_classification(5000, 10, n_informative=6, random_state=0, flip_y=0.1)
    assert close_values(training_table(X, y), 0).alike
    result = certify(DecisionTreeClassifier(max_depth=2, random_state=0), X, y, X[:40], bias)
    assert (result.verdicts == "robust").sum() > 10


def test_nobody_is_proved_where_values_hang_together_but_people_are_refuted():
    rng = np.random.default_rng(0)
    X = 0.5 + STEP * rng.integers(0, 40, (60, 2))
    y = (X[:, 0] > 0.5 + 20 * STEP).astype(int)
    result = certify(
        DecisionTreeClassifier(max_depth=2, random_state=0), X, y, X[:20], "flip(3)", time_limit=5
    )
    assert "robust" not in result.verdicts
    assert set(result.reasons[result.verdicts == "unknown"].tolist()) <= {"close"}
    assert "nobody is proved robust" in result.notes[-1]
