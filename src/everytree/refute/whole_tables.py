"""Every table of B(T) as a whole: where a change may matter in nodes that it does not touch.

A worker like `every_table.py`, which goes node by node and is faster. Class weights that move with the table,
and leaves that need more than a row, are taken into account here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from everytree.learner.availability import NOWHERE
from everytree.refute.every_tree import EveryTree
from everytree.refute.judge import TABLES
from everytree.refute.places import axes
from everytree.refute.tables import RowChange, TableList
from everytree.refute.tied_trees import Changes, TiedTrees

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from everytree.prove.problem import Problem
    from everytree.refute.judge import Judge

MOST_CHANGES = 8
"""With larger budgets the tables are too many."""

MOST_TABLES = 400_000
"""More tables than this are not tried."""

MOST_ROWS = 100_000
"""In longer tables equal rows are not looked for: one table alone would cost too much."""

TABLE_SECONDS, LOOK_SECONDS = 3e-5, 1e-4
"""About what one table costs, and each node that is looked at for it."""

TRIALS_A_PERSON = 40
"""Tables on which the user's tree is retrained for the sake of one person."""


class WholeTables:
    """Every table of B(T), up to equal rows, on training tables of any length without additions; a worker.

    Soundness
    ---------
    `TableList` has every table of B(T) up to the choice among rows that are equal in features, label and
    permissions, which makes no difference to a learner. `TiedTrees` follows every tree of each. So when the
    list is at its end, whoever never may differ is robust.
    """

    def __init__(self, problem: Problem, judge: Judge) -> None:
        self.problem, self.judge = problem, judge
        self.people = judge.open.copy()
        self.doubtful = np.zeros(len(judge.open), np.bool_)
        self.finished = np.zeros(len(judge.open), np.bool_)
        self._trials: Counter[int] = Counter()

    @staticmethod
    def is_possible(problem: Problem) -> bool:
        """Whether the tables may be few enough, before equal rows are looked for."""
        bias, n_rows = problem.bias, len(problem.table.y)
        changes = bias.flips + bias.removals
        few = bias.additions == 0 and 0 < changes <= MOST_CHANGES and n_rows <= MOST_ROWS
        return few and len(problem.views.doubled) == 0  # people without a value need a rule of their own

    def steps(self) -> Iterator[float]:
        """Try table after table, those with the fewest changes first; gives about the seconds of each."""
        problem, judge = self.problem, self.judge
        nobody = EveryTree([], [], problem.bias.n_labels, problem.criterion, problem.views.n_features)
        listed = TableList(problem, nobody, axes(problem, {}))
        yield 1e-5 * len(problem.table.y)
        if listed.size() > MOST_TABLES:
            return
        most = problem.bias.flips + problem.bias.removals
        alike: dict[tuple[object, ...], TiedTrees] = {}
        for chosen in listed.tables():
            open_people = np.flatnonzero(judge.open & self.people)
            if len(open_people) == 0:
                return
            changes = _changes(listed, chosen)
            counts = _counts_after(problem, changes)
            criterion, needed = problem.criterion_on(counts), problem.floors_on(counts)
            key = (criterion.weights.tobytes(), needed)
            trees = alike.get(key)
            if trees is None:
                trees = TiedTrees(problem, judge.X, judge.predictions, most, criterion, needed)
                alike[key] = trees
            before = trees.looks
            differs = trees.may_differ(changes, open_people)
            cost = TABLE_SECONDS + LOOK_SECONDS * (trees.looks - before)
            if differs.any():
                cost += self._try(listed, chosen, open_people[differs])
            yield cost
        if problem.floors.cut_off == NOWHERE:  # otherwise a doubt is more than a tie
            self.finished = self.people
        judge.prove(self.people & judge.open & ~self.doubtful, TABLES)

    def _try(self, listed: TableList, chosen: tuple[RowChange, ...], people: NDArray[np.int64]) -> float:
        """Retrain on a table from which some people may get another label."""
        self.doubtful[people] = True
        trial = listed.trial(chosen, (), self.judge.maker)
        waiting = [p for p in people.tolist() if self._trials[p] < TRIALS_A_PERSON]
        self._trials.update(waiting)
        if waiting:
            self.judge.consider(trial, np.array(waiting, np.int32))
        return self.judge.training_seconds if waiting else 0.0


def _counts_after(problem: Problem, changes: Changes) -> NDArray[np.int64]:
    """Rows of each label in a changed table."""
    counts = np.bincount(problem.table.y, minlength=problem.bias.n_labels)
    for _, before, after in changes:
        counts[before] -= 1
        if after >= 0:
            counts[after] += 1
    return counts


def _changes(listed: TableList, chosen: tuple[RowChange, ...]) -> Changes:
    """Name the rows that are changed."""
    used: Counter[int] = Counter()
    changes = []
    for change in chosen:
        row = listed.members[change.source][used[change.source]]
        used[change.source] += 1
        after = -1 if change.after is None else listed.trees.label[change.after]
        changes.append((row, int(listed.problem.table.y[row]), after))
    return tuple(sorted(changes))
