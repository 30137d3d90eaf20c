"""Witnesses and ties: on how many seeds and orders of columns one holds, and which one is preferred."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.tree import DecisionTreeClassifier

from everytree import certify
from everytree.datasets import load
from everytree.learner import prepare
from everytree.questions.certify import _named
from everytree.refute.holding import TRIES, firm_witnesses, hang_on_ties
from everytree.refute.witness import Witness

TREE = DecisionTreeClassifier(max_depth=1, random_state=0)
# With the label of row 3 changed, a and b split the table equally well, and the two people differ in them.
X = pd.DataFrame({"a": [0, 0, 0, 1, 1, 1], "b": [0, 0, 0, 1, 1, 1], "c": [0, 0, 0, 0, 1, 1]})
PEOPLE = pd.DataFrame({"a": [1, 1], "b": [0, 0], "c": [0, 0]})
NOTHING = pd.DataFrame([], columns=["a", "b", "c", "label"])
LOOSE = Witness({3: 1}, [], NOTHING, 0, 1, "label")
FIRM = Witness({0: 1, 1: 1, 2: 1}, [], NOTHING, 0, 1, "label")


def test_a_witness_that_stands_on_a_tie_says_so() -> None:
    result = certify(TREE, X, [0, 0, 0, 0, 1, 1], PEOPLE, "flip(3)")
    result = replace(result, witnesses={0: LOOSE, 1: FIRM})
    assert 0 < result.holds(0) < TRIES
    assert result.holds(1) == TRIES
    chosen = firm_witnesses(result.prepared, result.witnesses)
    assert (chosen[0].flipped, chosen[0].before, chosen[0].after) == (FIRM.flipped, 0, 1)
    assert chosen[1] is FIRM


@pytest.mark.parametrize("own", [False, True])
def test_the_readme_check_gives_what_it_promises(own: bool) -> None:
    data = load("hiring")
    tree = DecisionTreeClassifier(max_depth=2, random_state=3)
    estimator = make_pipeline(OneHotEncoder(handle_unknown="ignore"), tree) if own else tree
    result = certify(estimator, data.X_train, data.y_train, data.X_test, "flip(1) + fake(1)")
    assert result.witnesses
    for person, witness in result.witnesses.items():
        before, after = (
            tree.fit(result.encode(rows), labels).predict(result.encode(data.X_test))[person]
            for rows, labels in ((data.X_train, data.y_train), witness.apply(data.X_train, data.y_train))
        )
        assert (before, after) == (witness.before, witness.after)
    encoded = result.encode(data.X_test)
    assert list(encoded.columns) == list(result.prepared.train.feature_names)
    assert np.array_equal(encoded.to_numpy(), result.prepared.test.X)


def test_a_label_that_hangs_on_a_tie_as_things_are_is_called_that() -> None:
    """Also where no search could say so: whoever gets another label with another seed has no proof."""
    column = [0, 0, 1, 1] * 6
    table = pd.DataFrame({"a": column, "b": column})
    people = pd.DataFrame({"a": [0, 1], "b": [1, 1]})
    prepared = prepare(TREE, table, column, people)
    assert hang_on_ties(prepared).tolist() == [True, False]
    reasons = np.array(["not settled", "not settled"])
    assert _named(reasons, prepared).tolist() == ["tie", "not settled"]
    assert _named(np.array(["time", ""]), prepared).tolist() == ["time", ""]
