"""What is known of nodes changes no answer: changes one after the other, against each by itself.

Verdicts show a node that is taken for another only by luck: it must be met again after another change, with
another best split, and that must decide a label. Here the fates of people are compared themselves.
"""

from __future__ import annotations

import numpy as np

from tests.truth.campaign import Tally, Violation
from tests.truth.problems import Problem

CHANGES, FORGOTTEN = 24, 18
"""Changes of a table, drawn at random, and after how many of them all nodes are forgotten."""


def examine_known(problem: Problem) -> Tally:
    """Follow everybody after changes of a table, with and without what the earlier ones left known."""
    from everytree.refute.few_changes import REMOVED
    from everytree.refute.known_nodes import MOST_NODES, NODES, no_known_nodes
    from everytree.refute.tied_ways import layout_of
    from tests.refute.small_tables import fates, problem_of

    rng = np.random.default_rng(len(problem.y))
    shown = ~(np.isnan(problem.points) & ~np.isnan(problem.X).any(axis=0)).any(axis=1)
    tally = Tally(problems=1, certifying=1, points=int(shown.sum()))
    if not shown.any():
        return tally
    asked = problem_of(problem.X, problem.y, problem.points[shown], problem.depth, "flip(2) + fake(1)")
    layout, known, n_labels = layout_of(asked[0].columns), no_known_nodes(), asked[0].bias.n_labels
    for k in range(CHANGES):
        rows = rng.permutation(len(problem.y))[: int(rng.integers(1, 4))]
        change = [(int(r), REMOVED if rng.random() < 0.3 else int(rng.integers(n_labels))) for r in rows]
        if k == FORGOTTEN:
            known.used[NODES] = MOST_NODES
        after = fates(*asked, change, layout=layout, known=known)
        by_itself = fates(*asked, change)
        tally.tables += 1
        if not np.array_equal(after, by_itself):
            wrong = int(np.argmax((after != by_itself).any(axis=1)))
            fate, rows_changed = frozenset(by_itself[wrong].tolist()), [((r,), to) for r, to in change]
            tally.violations.append(Violation(problem, wrong, int(after[wrong, 0]), fate, rows_changed))
            break
    return tally
