"""Parts of trees, learned by themselves: whole trees say the same, however ties are broken."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier

from everytree.prove.problem import People
from everytree.refute import part_trees
from everytree.refute.every_table import EveryTable
from everytree.refute.judge import Judge
from everytree.refute.part_trees import PartTrees
from everytree.refute.usual_nodes import Task
from tests.refute.small_tables import problem_of


def noted_parts(monkeypatch, seed, bias, depth):
    """The witnesses that rest on a part of a tree, with the labels that they give."""
    rng = np.random.default_rng(seed)
    n_rows, n_columns = int(rng.integers(10, 60)), int(rng.integers(1, 4))
    X = rng.random((n_rows, n_columns)).round(int(rng.integers(1, 3)))
    y = ((X[:, 0] > 0.5) ^ (rng.random(n_rows) < 0.15)).astype(int) + (X[:, -1] > 0.8)
    people = rng.random((12, n_columns)).round(2)
    problem, prepared = problem_of(X, y, people, depth, bias)
    judge = Judge(problem, prepared.learner.new_tree, People(prepared.test.X, prepared.predictions))
    noted = []
    monkeypatch.setattr(part_trees, "DEAR", 0.0)
    monkeypatch.setattr(Judge, "note_part", lambda self, trial, after: noted.append((trial, after)))
    for _ in EveryTable(problem, judge).steps():
        pass
    return problem, prepared, noted


def whole_trees(problem, people, trial, depth):
    """Labels by trees learned from the whole changed table, with several seeds and orders of columns."""
    X, y = trial.table(problem)
    for seed in range(6):
        order = np.random.default_rng(seed).permutation(X.shape[1])
        tree = DecisionTreeClassifier(max_depth=depth, random_state=seed).fit(X[:, order], y)
        yield tree.predict(people[:, order])


def disagreements(monkeypatch, bias, depth):
    """How many people parts turn, and how many of them some whole tree does not."""
    turned = wrong = 0
    for seed in range(8):
        problem, prepared, noted = noted_parts(monkeypatch, seed, bias, depth)
        for trial, after in noted[:6]:
            people = after != prepared.predictions
            agrees = [labels == after for labels in whole_trees(problem, prepared.test.X, trial, depth)]
            turned += int(people.sum())
            wrong += int((people & ~np.all(agrees, axis=0)).sum())
    return turned, wrong


@pytest.mark.parametrize("depth", [2, 4, None])
@pytest.mark.parametrize("bias", ["flip(1)", "flip(2)"])
def test_a_part_says_what_every_whole_tree_says(monkeypatch, bias, depth):
    turned, wrong = disagreements(monkeypatch, bias, depth)
    assert wrong == 0
    assert turned > 20


def test_ties_above_are_not_passed_over(monkeypatch):
    """Were every node certain, some part would say what a whole tree does not."""
    everybody = property(lambda self: np.ones(len(self.people), bool), lambda self, value: None)
    monkeypatch.setattr(Task, "certain", everybody, raising=False)
    assert sum(disagreements(monkeypatch, "flip(1)", depth)[1] for depth in (2, 4, None)) > 0


def test_a_removal_is_left_to_whole_trees(monkeypatch):
    monkeypatch.setattr(PartTrees, "_labels", lambda *args: pytest.fail("a part was learned"))
    _, _, noted = noted_parts(monkeypatch, 0, "fake(1)", 3)
    assert noted == []
