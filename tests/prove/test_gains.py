"""Gains: no table in which a split is best gains more in a leaf below it than the bound says."""

from __future__ import annotations

import numpy as np
import pytest

from everytree.bias import parse, resolve
from everytree.learner import Settings
from everytree.prove.engines import RelationalEngine
from everytree.prove.gains import all_gains, gains_below
from everytree.prove.node import Nodes
from everytree.prove.problem import Problem
from everytree.table import training_table

FLIPS = 12


def scores(sides: np.ndarray, y: np.ndarray) -> np.ndarray:
    """G of every split: ``sides[s, r]`` says that row r goes right."""
    total = np.zeros(len(sides))
    for right in (sides, ~sides):
        sizes = right.sum(axis=1)
        for label in (0, 1):
            total += (right & (y == label)).sum(axis=1) ** 2 / sizes
    return total


@pytest.mark.parametrize("seed", range(6))
def test_acts_beside_a_leaf_pay_for_the_split_and_not_against_it(seed: int) -> None:
    """Labels flipped for j in the leaf, and against it beside the leaf, where that helps the split above."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 6, (80, 3)).astype(float)
    y = ((X[:, 0] + rng.normal(0, 2, 80)) > 2.5).astype(np.int64)
    table = training_table(X, y)
    problem = Problem.of(table, resolve(parse(f"flip({FLIPS})"), table), Settings(max_depth=2))
    nodes = Nodes(problem)
    engine, ground = RelationalEngine(), nodes.ground(nodes.root())
    ranking = engine.rank(ground)
    found = engine.candidates(ranking, leaves=False)
    candidates, most = found.merged(gains_below(ranking, found, all_gains(problem), closely=True))
    splits = ground.splits
    sides = problem.columns.codes[splits.feature] > splits.low[:, None]
    best_gain = 0
    for c, phi in enumerate(candidates.chosen.tolist()):
        for side in (0, 1):
            here = sides[phi] == bool(side)
            for _ in range(60):
                leaf = here & (sides[rng.integers(len(sides))] == bool(rng.integers(2)))
                j = int(rng.integers(2))
                changed, share = y.copy(), rng.integers(FLIPS + 1)
                for rows, label, times in ((leaf, j, share), (here & ~leaf, 1 - j, FLIPS - share)):
                    others = np.flatnonzero(rows & (y != label))
                    changed[rng.permutation(others)[:times]] = label
                after = scores(sides, changed)
                if after[phi] < after.max() - 1e-9:
                    continue
                lead = [(labels[leaf] == j).sum() - (labels[leaf] != j).sum() for labels in (changed, y)]
                best_gain = max(best_gain, lead[0] - lead[1])
                assert lead[0] - lead[1] <= most[c, side, 1 - j, j]
    assert best_gain > FLIPS  # otherwise nothing was tried
