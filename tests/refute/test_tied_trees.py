"""Every tree of a changed table: against the oracle's own learner, with all ways of breaking ties."""

from __future__ import annotations

import numpy as np

from everytree.refute.tied_trees import TiedTrees
from tests.refute.small_tables import problem_of, random_table
from tests.truth.oracle import Learner, original_table


def test_all_trees_of_a_changed_table_are_followed():
    for seed in range(40):
        rng, X, y, people, depth = random_table(seed)
        problem, prepared = problem_of(X, y, people, depth, "flip(2) + fake(1)")
        trees = TiedTrees(
            problem, prepared.test.X, prepared.predictions, 3, problem.criterion, problem.floors
        )
        learner = Learner(people, y, len(y) if depth is None else depth)
        for _ in range(12):
            rows = rng.permutation(len(y))[: int(rng.integers(0, 4))]
            changes = []
            for r in rows:
                others = [j for j in range(-1, int(y.max()) + 1) if j != y[r]]
                changes.append((int(r), int(y[r]), int(rng.choice(others))))
            if sum(new < 0 for *_, new in changes) >= len(y) - 1:
                continue
            changed = y.copy()
            for r, _, new in changes:
                changed[r] = new
            kept = changed >= 0
            possible = learner.possible_labels(original_table(X[kept], changed[kept]))
            expected = [possible[p] != {int(prepared.predictions[p])} for p in range(len(people))]
            differs = trees.may_differ(tuple(sorted(changes)), np.arange(len(people)))
            assert not (np.array(expected) & ~differs).any(), (seed, changes)
            if kept.all():  # after a removal a threshold is only known to lie between two midpoints
                assert differs.tolist() == expected, (seed, changes)


def test_a_large_node_whose_splits_gain_nothing_may_stop():
    """From so many rows on rounding may refuse such a split: the tree is then one leaf."""
    X = np.array([[0, 0], [0, 1], [1, 0], [1, 1]] * 5, float)
    y = (X[:, 0] != X[:, 1]).astype(int)
    problem, prepared = problem_of(X, y, X[:4], 2, "flip(1)")
    trees = TiedTrees(problem, prepared.test.X, prepared.predictions, 1, problem.criterion, problem.floors)
    everybody = np.arange(4)
    assert not trees.may_differ((), everybody).any()
    problem.__dict__["criterion"] = problem.criterion._replace(stop_rows=20)  # a cached property
    trees = TiedTrees(problem, prepared.test.X, prepared.predictions, 1, problem.criterion, problem.floors)
    assert trees.may_differ((), everybody).tolist() == [False, True, True, False]
