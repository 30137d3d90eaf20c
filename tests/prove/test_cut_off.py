"""A walk that is cut off: whoever waits for no node any more has met every label that a whole walk finds."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier

from everytree.bias import as_bias, resolve
from everytree.learner import prepare
from everytree.prove.engines import RelationalEngine
from everytree.prove.problem import People, Problem
from everytree.prove.walk import Walk


@pytest.mark.parametrize("bias", ["flip(1)", "fake(1)", "miss(1)", "flip(1) + miss(1)"])
@pytest.mark.parametrize("depth", [2, 3, None])
def test_nothing_new_comes_to_those_who_are_finished(bias, depth):
    early = 0
    for seed in range(6):
        rng = np.random.default_rng(seed)
        X = np.round(rng.random((16, 2)), 1)
        y = ((X[:, 0] > 0.5) ^ (rng.random(16) < 0.1)).astype(int)
        prepared = prepare(
            DecisionTreeClassifier(max_depth=depth, random_state=0), X, y, np.round(rng.random((8, 2)), 2)
        )
        problem = Problem.of(
            prepared.train, resolve(as_bias(bias), prepared.train), prepared.learner.settings
        )
        walk = Walk(problem, People(prepared.test.X, prepared.predictions), RelationalEngine())
        seen = []
        for _ in walk.steps():
            seen.append((walk.finished, walk.tally.possible.copy()))
            if len(seen) > 3000:
                break
        for finished, possible in seen:
            assert (possible[finished] == walk.tally.possible[finished]).all()
        early += sum(0 < finished.sum() < len(finished) for finished, _ in seen)
    assert early > 0
