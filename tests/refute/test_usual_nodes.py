"""The nodes of all trees of T: who comes there in the user's own tree."""

from __future__ import annotations

from tests.refute.small_tables import changes_and_tasks, problem_of, random_table


def test_own_ways_are_those_of_the_user_s_tree():
    seen = 0
    for seed in range(40):
        _, X, y, people, depth = random_table(seed)
        problem, prepared = problem_of(X, y, people, depth, "flip(1)")
        _, tasks = changes_and_tasks(problem, prepared)
        tree = prepared.tree
        rows_of = tree.decision_path(prepared.train.X).T.tocsr()
        ways = tree.decision_path(prepared.test.X)
        for task in tasks:
            level = problem.depth - task.node.depth
            for p, own in zip(task.people, task.own, strict=True):
                here = [sorted(rows_of[v].indices) for v in ways[int(p)].indices[level : level + 1]]
                assert own == (here == [task.node.rows.tolist()])
                seen += not own
    assert seen > 20
