"""Small random tables with ties, ready to be asked about, for the tests of small sets."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
from sklearn.tree import DecisionTreeClassifier

from everytree.bias import as_bias, resolve
from everytree.learner import prepare
from everytree.learner.criterion.front import largest_step, lookup
from everytree.prove.problem import People, Problem
from everytree.refute.judge import Judge
from everytree.refute.known_nodes import no_known_nodes
from everytree.refute.node_changes import NodeChanges
from everytree.refute.tied_ways import Group, fates_of, layout_of, room_for, spot_of
from everytree.refute.usual_nodes import UsualNodes


def random_table(seed):
    rng = np.random.default_rng(seed)
    n, n_columns, n_labels = int(rng.integers(4, 16)), int(rng.integers(1, 4)), int(rng.integers(2, 4))
    X = rng.integers(0, int(rng.integers(2, 6)), (n, n_columns)).astype(float)
    y = rng.integers(0, n_labels, n)
    y[:n_labels] = np.arange(n_labels)
    people = rng.integers(-1, 11, (6, n_columns)) / 2
    return rng, X, y, people, [1, 2, 3, None][seed % 4]


def problem_of(X, y, people, depth, bias, **settings):
    prepared = prepare(DecisionTreeClassifier(max_depth=depth, random_state=0, **settings), X, y, people)
    train = prepared.train
    resolved = resolve(as_bias(bias), train)
    return Problem.of(train, resolved, prepared.learner.settings), prepared


def changes_and_tasks(problem, prepared):
    """The changes of nodes, and the nodes to which somebody comes, each once."""
    people = People(prepared.test.X, prepared.predictions)
    judge = Judge(problem, prepared.learner.new_tree, people, tree=prepared.tree.tree_)
    changes, tasks = NodeChanges(problem, judge), defaultdict(list)
    nodes = UsualNodes(problem, judge, changes.few.most, np.zeros(len(judge.open), bool))
    for own in (True, False):
        list(nodes.fill(tasks, own=own))
    assert not nodes.unlisted.any()
    return changes, {id(task): task for some in tasks.values() for task in some}.values()


def fates(problem, prepared, *changes, layout=None, known=None):
    """What becomes of everybody after each of some changes of the whole table."""
    y, layout = problem.table.y, layout or layout_of(problem.columns)
    spot = spot_of(problem.columns, layout, y, np.arange(len(y), dtype=np.int32))
    listed = np.array([[*change, *[(-1, -1)] * (3 - len(change))] for change in changes], np.int32)
    group = Group(np.ascontiguousarray(problem.views.show(prepared.test.X)), prepared.predictions)
    args = spot, problem.bias.n_labels, len(listed), len(prepared.predictions), known or no_known_nodes()
    room = room_for(lookup(problem.criterion, len(y)), *args)
    step = largest_step(problem.criterion, len(problem.table.y))
    return fates_of(problem.criterion, problem.columns, spot, step, listed, group, problem.depth, room)[0]


def by_itself(search):
    """Follow one search to its end; gives its result."""
    while True:
        try:
            next(search).exception()
        except StopIteration as end:
            return end.value
