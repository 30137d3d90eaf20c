"""The highest node that takes another split after a change: both kernels, and node by node."""

from __future__ import annotations

import numpy as np
import pytest

from tests.refute.small_tables import by_itself, changes_and_tasks, problem_of


@pytest.mark.parametrize("seed", range(6))
def test_nodes_above_are_looked_at_together_as_one_by_one(seed):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 12, (70, 3)).astype(float)
    y = ((X[:, 0] > 5) ^ (rng.random(70) < 0.25)).astype(int)
    problem, prepared = problem_of(X, y, rng.integers(0, 12, (20, 3)).astype(float), None, "flip(1)")
    changes, tasks = changes_and_tasks(problem, prepared)
    seen = set()
    for task in tasks:
        flips = np.array([[[r, 1 - y[row]]] for r, row in enumerate(task.node.rows)], np.int32)
        changes._by_flips = True
        quickly, _ = by_itself(changes.highest(task, flips))
        changes._by_flips = False
        slowly, _ = by_itself(changes.highest(task, flips))
        everywhere, one_by_one = flips.copy(), np.zeros(len(flips), int)
        everywhere[:, 0, 0] = task.node.rows
        above, steps = task.above, 1
        while above is not None:
            other, _ = by_itself(changes._other_split(above, changes._everywhere, everywhere))
            one_by_one[other >= 0] = steps
            above, steps = above.above, steps + 1
        assert (quickly == one_by_one).all()
        assert (slowly == one_by_one).all()
        seen |= set(one_by_one.tolist())
    assert len(seen) > 1
