"""Small sets of tables: when B(T) has few tables up to what a learner can tell apart, try them all.

Programs are weak where one row changes everything and ties are common; there, looking at each table decides
people in both directions. For tiny tables, where rows may be added as well; `every_table.py` is for tables of
any length whose rows may be flipped or removed.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np

from everytree.refute.every_tree import EveryTree, Node, Rules
from everytree.refute.new_rows import RowMaker
from everytree.refute.places import at_least, axes, constants, how_many, turning_points
from everytree.refute.tables import RowChange, TableList
from everytree.support.clock import now

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from everytree.prove.problem import Problem
    from everytree.refute.judge import Judge
    from everytree.support.limits import Limits

MOST_TABLES = 100_000
"""More tables than this are not tried."""

MOST_ROWS = 200
"""Larger training tables are left to the programs."""

MOST_PLACES = 10_000
"""More places for added rows, counted with their labels, are not looked at."""

MOST_CHANGES = 250
"""Tables are chosen change by change, one inside the other: more changes than this in one table are not."""

MOST_WORK = 1_000_000
"""Bound for tables times kinds of rows times features: about ten seconds."""

WORK_BYTES = 200
"""Memory for each of these, for the trees of all tables that are kept."""

MOST_TRIALS = 3_000
"""Tables of one list on which the user's tree is retrained with ordinary values."""

MOST_ODD_TRIALS = 300
"""The same, with values that differ from a point by less than the learner can tell."""

SHARE_OF_TIME = 1 / 3
"""Part of the time left that trying tables may take."""


def try_every_table(
    problem: Problem, judge: Judge, limits: Limits
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Prove people whom no table of B(T) gives another label; look for witnesses for the others.

    Returns
    -------
    proved : ndarray of bool
        Who is proved, those before included.
    finished : ndarray of bool
        For whom nothing is left to try: proved, with a witness, or with a label that only ties change.

    Notes
    -----
    *Soundness.* `TableList` has every table of B(T) and `EveryTree` every tree of each, so whoever never may
    differ is robust. Where rows may be added, places are first cut at training values only, for all people
    at once, then for each person left also where a midpoint meets that person's own value.
    """
    proved = judge.proved.copy()
    finished = proved.copy()
    bias = problem.bias
    if len(problem.table.y) > MOST_ROWS or sum(bias.budgets) > MOST_CHANGES:
        return proved, finished
    if bias.additions and not problem.outer_splits:
        return proved, finished
    waiting = np.flatnonzero(~proved).tolist()
    begun = now()
    deadline = begun + SHARE_OF_TIME * (limits.deadline - begun)
    search = _Search(problem, judge, deadline, limits.memory)
    points = constants(problem)
    doubtful = search.run(points, waiting)
    if doubtful is None:
        finished[list(judge.witnesses)] = True
        return proved, finished
    proved[[p for p in waiting if p not in doubtful and p not in judge.witnesses]] = True
    if problem.bias.additions:
        for p in sorted(doubtful):
            if now() > search.deadline:
                break
            turning = turning_points(problem, judge.shown[p])
            further = {j: points.get(j, []) + turning[j] for j in turning}
            again = search.run(further, [p]) if p not in judge.witnesses else None
            if again is not None:
                proved[p] = not again and p not in judge.witnesses
                finished[p] = problem.bias.additions == 1
    else:
        finished[waiting] = True
    finished |= proved
    finished[list(judge.witnesses)] = True
    return proved, finished


def _rules(problem: Problem, trees: EveryTree, root: Node, crowded: bool) -> Rules:
    """What holds in one table: the rows that its leaves need, and its class weights."""
    counts = np.zeros(problem.bias.n_labels, np.int64)
    for kind, number in root:
        counts[trees.label[kind]] += number
    weights = trees.weigh(problem.criterion_on(counts)) if len(problem.criteria) > 1 else ()
    return Rules(crowded, problem.floors_on(counts), problem.depth, weights)


@dataclass(eq=False)
class _Search:
    """Goes through lists of tables for some people."""

    problem: Problem
    judge: Judge
    deadline: float
    memory: float

    def __post_init__(self) -> None:
        self.makers = (self.judge.maker, RowMaker(self.problem, near=True, deadline=self.deadline))

    def run(self, points: dict[int, list[float]], people: list[int]) -> set[int] | None:
        """Return those who may get another label from some table; None if there is too much to try."""
        problem, judge = self.problem, self.judge
        bias = problem.bias
        if bias.additions and at_least(problem) * bias.n_labels > MOST_PLACES:
            return None
        lines = axes(problem, points)
        if bias.additions and how_many(problem, lines) * bias.n_labels > MOST_PLACES:
            return None
        X = judge.shown.astype(np.float64).tolist()
        n_labels, n_features = problem.bias.n_labels, problem.views.n_features
        trees = EveryTree(X, judge.predictions.tolist(), n_labels, problem.criterion, n_features)
        listed = TableList(problem, trees, lines)
        size = listed.size()
        work = size * len(listed.start) * len(lines)
        if size > MOST_TABLES or work > MOST_WORK or work * WORK_BYTES > self.memory:
            return None
        doubtful: dict[int, list[tuple[RowChange, ...]]] = {}
        for changes in listed.tables():
            if now() > self.deadline:
                return None
            crowded = sum(change.before is None for change in changes) > 1
            root = listed.root(changes)
            rules = _rules(problem, trees, root, crowded)
            for p in people:
                seen = doubtful.get(p, [])
                if p in judge.witnesses or len(seen) >= MOST_TRIALS:
                    continue
                if trees.may_differ(root, problem.depth, p, rules):
                    doubtful.setdefault(p, []).append(changes)
                    trial = listed.natural_trial(changes, judge.maker)
                    if trial is not None:
                        judge.consider(trial, np.array([p], np.int32))
            if all(p in judge.witnesses for p in people):
                break
        for p, tables in doubtful.items():
            self._try_odd_values(listed, tables, p)
        return set(doubtful)

    def _try_odd_values(self, listed: TableList, tables: list[tuple[RowChange, ...]], p: int) -> None:
        trials = (
            trial
            for changes in tables
            if any(change.before is None for change in changes)
            for trial in listed.odd_trials(changes, self.makers)
        )
        for trial in islice(trials, MOST_ODD_TRIALS):
            if p in self.judge.witnesses or now() > self.deadline:
                break
            self.judge.consider(trial, np.array([p], np.int32))
