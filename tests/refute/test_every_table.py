"""Every tree of a changed table: against the oracle's own learner, with all ways of breaking ties."""

from __future__ import annotations

from itertools import combinations, count, product

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier

from everytree import certify
from everytree.prove.problem import People
from everytree.refute import side_by_side, tied_ways
from everytree.refute.every_table import EveryTable
from everytree.refute.judge import Judge
from everytree.refute.tied_ways import (
    DIFFERS,
    ROWS_A_CODE,
    SAME,
    UNSURE,
)
from everytree.support.clock import now
from tests.refute.small_tables import by_itself, changes_and_tasks, fates, problem_of, random_table
from tests.truth.oracle import Learner, original_table


@pytest.mark.parametrize("rows_a_code", [0, ROWS_A_CODE, 1000], ids=["counted", "both", "listed"])
@pytest.mark.parametrize("chunk", range(2))
def test_all_trees_of_changed_tables_are_followed(chunk, rows_a_code, monkeypatch):
    """All changes of a table together, so that those that are alike somewhere share what is learned.

    Columns are counted, kept sorted, or some of them the one and some the other.
    """
    monkeypatch.setattr(tied_ways, "ROWS_A_CODE", rows_a_code)
    for seed in range(50 * chunk, 50 * chunk + 50):
        rng, X, y, people, depth = random_table(seed)
        problem, prepared = problem_of(X, y, people, depth, "flip(2) + fake(1)")
        learner = Learner(people, y, len(y) if depth is None else depth)
        tables = []
        for k in range(20):
            changed = y.copy()
            for r in rng.permutation(len(y))[: int(rng.integers(0, 4))]:
                changed[r] = rng.choice([j for j in range(-(k < 6), int(y.max()) + 1) if j != y[r]])
            if (changed >= 0).sum() >= 2:
                tables.append(changed)
        changes = [[(int(r), int(new[r])) for r in np.flatnonzero(new != y)] for new in tables]
        found = fates(problem, prepared, *changes)
        assert (found != UNSURE).all()
        for new, fate in zip(tables, found.T, strict=True):
            possible = learner.possible_labels(original_table(X[new >= 0], new[new >= 0]))
            expected = [possible[p] != {int(prepared.predictions[p])} for p in range(len(people))]
            assert (fate != SAME).tolist() == expected, (seed, new)
            surely = [int(prepared.predictions[p]) not in possible[p] for p in range(len(people))]
            assert np.array(surely)[fate == DIFFERS].all(), (seed, new)


@pytest.mark.parametrize("bias", ["flip(1)", "flip(2)", "fake(2)", "flip(1) + fake(1)"])
@pytest.mark.parametrize("depth", [2, None])
def test_trying_every_table_decides_what_the_other_ways_decide(bias, depth, monkeypatch):
    """With equal rows and ties about, on a table that is long enough for this way alone."""
    rng = np.random.default_rng(3)
    X = rng.integers(0, 3, (230, 3)).astype(float)
    y = ((X[:, 0] > X[:, 1]) ^ (rng.random(230) < 0.1)).astype(int)
    people = np.unique(rng.integers(0, 3, (30, 3)), axis=0).astype(float)
    tree = DecisionTreeClassifier(max_depth=depth, random_state=0)
    certify(tree, X, y, people[:2], bias, time_limit=120)  # what is compiled is not their time
    tables = certify(tree, X, y, people, bias, time_limit=120)
    monkeypatch.setattr(EveryTable, "is_possible", staticmethod(lambda problem: False))
    others = certify(tree, X, y, people, bias, time_limit=5)
    known = others.verdicts != "unknown"
    decided = tables.verdicts != "unknown"
    assert (tables.verdicts[known & decided] == others.verdicts[known & decided]).all()
    assert (tables.verdicts == "robust").sum() >= (others.verdicts == "robust").sum()
    assert set(tables.reasons[~decided]) <= {"tie"}


def test_a_large_node_whose_splits_gain_nothing_may_stop():
    """From so many rows on rounding may refuse such a split: the tree is then one leaf."""
    X = np.array([[0, 0], [0, 1], [1, 0], [1, 1]] * 5, float)
    y = (X[:, 0] != X[:, 1]).astype(int)
    problem, prepared = problem_of(X, y, X[:4], 2, "flip(1)")
    assert (fates(problem, prepared, []) == SAME).all()
    problem.__dict__["criterion"] = problem.criterion._replace(stop_rows=20)  # a cached property
    assert (fates(problem, prepared, [])[:, 0] != SAME).tolist() == [False, True, True, False]
    judge = Judge(problem, prepared.learner.new_tree, People(prepared.test.X, prepared.predictions))
    worker = EveryTable(problem, judge)
    list(worker.steps())
    assert not judge.proved[[1, 2]].any()


def test_a_flip_may_leave_a_large_node_without_gain():
    """Both splits gain a little and tie, whatever is flipped; after one of the flips they gain nothing."""
    X = np.array([[0, 0], [0, 1], [1, 0], [1, 1]] * 5, float)
    y = (X[:, 0] != X[:, 1]).astype(int)
    y[0] = 1
    problem, prepared = problem_of(X, y, X[:4], 2, "flip(1)")
    problem.__dict__["criterion"] = problem.criterion._replace(stop_rows=20)  # a cached property
    judge = Judge(problem, prepared.learner.new_tree, People(prepared.test.X, prepared.predictions))
    worker = EveryTable(problem, judge)
    list(worker.steps())
    assert not judge.proved[[1, 2]].any()


def test_more_ties_than_are_followed_prove_nobody():
    """Each of 140 rows has a column of its own: any of them may be cut off first."""
    X, y = np.eye(140), np.arange(140) % 2
    problem, prepared = problem_of(X, y, np.eye(140)[:3], 2, "flip(1)")
    assert (fates(problem, prepared, [], [(0, 1)], [(5, 0), (6, 1)]) == UNSURE).all()
    judge = Judge(problem, prepared.learner.new_tree, People(prepared.test.X, prepared.predictions))
    worker = EveryTable(problem, judge)
    list(worker.steps())
    assert not judge.proved.any()
    assert not (worker.finished & judge.open).any()


def test_people_are_proved_before_the_end():
    """Whoever has no node left to look at is proved, while others still wait."""
    rng = np.random.default_rng(0)
    X = rng.random((300, 3))
    y = ((X[:, 0] > 0.5) ^ (rng.random(300) < 0.03)).astype(int)
    problem, prepared = problem_of(X, y, rng.random((300, 3)), None, "flip(1)")
    judge = Judge(problem, prepared.learner.new_tree, People(prepared.test.X, prepared.predictions))
    worker = EveryTable(problem, judge)
    history = [int(judge.proved.sum()) for _ in worker.steps()]
    assert any(0 < proved < judge.proved.sum() for proved in history)
    assert judge.proved.sum() >= 4
    assert len(judge.witnesses) > 5


@pytest.mark.parametrize("seconds", [0.001, 1.0])
@pytest.mark.parametrize("bias", ["flip(2)", "flip(1) + fake(1)"])
def test_tables_that_were_found_and_not_learned_from_prove_nobody(bias, seconds, monkeypatch):
    """Whatever becomes of the tables found, in the background or not: only who has none is proved."""
    monkeypatch.setattr(Judge, "read", lambda self, trial, people, learned: False)
    proved = 0
    for seed in range(8):
        _, X, y, people, depth = random_table(seed)
        problem, prepared = problem_of(X[:8], y[:8], people, depth, bias)
        judge = Judge(problem, prepared.learner.new_tree, People(prepared.test.X, prepared.predictions))
        judge.training_seconds = seconds
        worker = EveryTable(problem, judge)
        for _ in worker.steps():
            pass
        worker.under_way.end()
        changing = people_who_change(X[:8], y[:8], people, depth, bias, prepared.predictions)
        assert not (judge.proved & changing).any(), seed
        proved += int(judge.proved.sum())
    assert proved >= 1


def test_halves_and_single_changes_give_what_all_changes_together_give(monkeypatch):
    rng = np.random.default_rng(3)
    X = rng.random((60, 3)).round(2)
    y = ((X[:, 0] > 0.5) ^ (rng.random(60) < 0.1)).astype(int)
    problem, prepared = problem_of(X, y, rng.random((25, 3)), 2, "flip(2)")
    changes, tasks = changes_and_tasks(problem, prepared)
    seen = set()
    for task in tasks:
        ready = changes.ready(task)
        for k in count():
            part = by_itself(changes.part(task, ready, k))
            if part is None:
                break
            listed = part.changes[:200]
            monkeypatch.setattr(side_by_side, "WORTHWHILE", 10**9)
            together = by_itself(changes.follow(task, ready.spot, listed, task.people))[0]
            monkeypatch.setattr(side_by_side, "WORTHWHILE", 0)
            monkeypatch.setattr(side_by_side, "MANY", 0)
            assert (by_itself(changes.follow(task, ready.spot, listed, task.people))[0] == together).all()
            ones = [changes.follow(task, ready.spot, one[None], task.people) for one in listed]
            alone = [by_itself(one)[0] for one in ones]
            assert len(listed) == 0 or (np.hstack(alone) == together).all()
            seen |= set(together.ravel().tolist())
    assert seen >= {SAME, DIFFERS}


def people_who_change(X, y, people, depth, bias, predictions):
    """Whom some table gives another label, however ties are broken."""
    n_labels, flips, removals = int(y.max()) + 1, int(bias[5]), int("fake" in bias)
    learner = Learner(people, y, len(y) if depth is None else depth)
    changes = np.zeros(len(people), bool)
    labels = range(-1 if removals else 0, n_labels)
    choices = [[(r, j) for j in labels if j != y[r]] for r in range(len(y))]
    for size in range(flips + removals + 1):
        for rows in combinations(range(len(y)), size):
            for acts in product(*(choices[r] for r in rows)):
                removed = sum(j < 0 for _, j in acts)
                if removed > removals or size - removed > flips:
                    continue
                changed = y.copy()
                for r, j in acts:
                    changed[r] = j
                kept = changed >= 0
                possible = learner.possible_labels(original_table(X[kept], changed[kept]))
                changes |= [possible[p] != {int(predictions[p])} for p in range(len(people))]
    return changes


def test_who_waits_for_a_tree_that_would_be_late_is_not_said_to_hang_on_a_tie():
    """A table was found and not learned from, because the time is over: nobody is given up for that."""
    rng = np.random.default_rng(0)
    X = rng.random((40, 2))
    y = ((X[:, 0] > 0.5) ^ (rng.random(40) < 0.1)).astype(int)
    problem, prepared = problem_of(X, y, rng.random((20, 2)), None, "flip(1)")
    judge = Judge(problem, prepared.learner.new_tree, People(prepared.test.X, prepared.predictions))
    judge.training_seconds, judge.deadline = 100.0, now()
    worker = EveryTable(problem, judge)
    list(worker.steps())
    assert worker.doubtful.any()
    assert not (worker.finished & worker.doubtful).any()


def test_others_have_their_turn_after_each_node_that_is_listed():
    """Large leaves are not tried at once, and a limit of time must hold while nodes are listed."""
    rng = np.random.default_rng(0)
    X = rng.random((400, 3))
    y = ((X[:, 0] > 0.5) ^ (rng.random(400) < 0.3)).astype(int)
    problem, prepared = problem_of(X, y, X[:50], 2, "flip(3)")
    judge = Judge(problem, prepared.learner.new_tree, People(prepared.test.X, prepared.predictions))
    every_table = EveryTable(problem, judge)
    steps = every_table.steps()
    for _ in range(3):
        next(steps)
    assert every_table.nodes.unlisted.any()


def test_nobody_is_proved_before_all_ways_are_listed():
    """On the own way no change of a row matters; the split that ties with it gives the other label."""
    y = np.repeat([0, 1], 10)
    X = np.column_stack([y, y]).astype(float)
    X[[0, 10], 0] = 1 - X[[0, 10], 0]
    X[[1, 11], 1] = 1 - X[[1, 11], 1]
    people = np.array([[0.0, 1.0], [1.0, 0.0], [0.0, 0.0], [1.0, 1.0]])
    problem, prepared = problem_of(X, y, people, 1, "flip(1)")
    everybody = People(prepared.test.X, prepared.predictions)
    judge = Judge(problem, prepared.learner.new_tree, everybody, tree=prepared.tree.tree_)
    list(EveryTable(problem, judge).steps())
    assert judge.proved.tolist() == [False, False, True, True]
