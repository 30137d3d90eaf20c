"""Small tables: when B(T) has few tables up to what a learner can tell apart, try them all.

Programs are weak where one row changes everything and ties are common; there, looking at each table decides
people in both directions. `everytree.decide.deciding` calls `try_every_table` before it makes any program.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from everytree.decide.additions import RowMaker
from everytree.decide.everytrees import EveryTree
from everytree.decide.places import axes, constants, how_many, turning_points
from everytree.decide.tables import TableList

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from everytree.decide.deciding import Judge
    from everytree.explore import Problem

MOST_TABLES = 20_000
"""More tables than this are not tried."""

MOST_WORK = 4_000_000
"""Bound for tables times kinds of rows times features: about ten seconds."""

MOST_TRIALS = 3_000
"""Tables of one list on which the user's tree is retrained."""


def try_every_table(
    problem: Problem, judge: Judge, deadline: float
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Prove people whom no table of B(T) gives another label; look for witnesses for the others.

    Returns
    -------
    proved : ndarray of bool
        Who is proved, those before included.
    finished : ndarray of bool
        For whom nothing is left to try: proved, with a witness, or with a label that only ties change.
    """
    proved = judge.proved.copy()
    finished = proved.copy()
    if problem.bias.additions and not problem.outer_splits:
        return proved, finished
    waiting = np.flatnonzero(~proved).tolist()
    search = _Search(problem, judge, deadline)
    points = constants(problem)
    doubtful = search.run(points, waiting)
    if doubtful is None:
        return proved, finished
    proved[[p for p in waiting if p not in doubtful and p not in judge.witnesses]] = True
    if problem.bias.additions:
        for p in sorted(doubtful):
            turning = turning_points(problem, judge.X[p])
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


@dataclass(eq=False)
class _Search:
    """Goes through lists of tables for some people."""

    problem: Problem
    judge: Judge
    deadline: float

    def __post_init__(self) -> None:
        beside = RowMaker(self.problem)
        beside.constants = {
            name: [float(np.nextafter(float(v), way)) for v in values for way in (-np.inf, np.inf)]
            for name, values in beside.constants.items()
        }
        self.makers = (self.judge.maker, beside)

    def run(self, points: dict[int, list[float]], people: list[int]) -> set[int] | None:
        """Return those who may get another label from some table; None if there is too much to try."""
        problem, judge = self.problem, self.judge
        lines = axes(problem, points)
        if problem.bias.additions and how_many(problem, lines) * problem.bias.n_labels > MOST_TABLES:
            return None
        X = judge.X.astype(np.float64).tolist()
        trees = EveryTree(X, judge.predictions.tolist(), problem.bias.n_labels)
        listed = TableList(problem, trees, lines)
        work = listed.size() * len(listed.start) * len(lines)
        if listed.size() > MOST_TABLES or work > MOST_WORK:
            return None
        doubtful: set[int] = set()
        trials = 0
        for acts in listed.tables():
            if time.monotonic() > self.deadline:
                return None
            crowded = sum(act.before is None for act in acts) > 1
            root = listed.root(acts)
            for p in people:
                if p in judge.witnesses or (p in doubtful and trials >= MOST_TRIALS):
                    continue
                if trees.may_differ(root, problem.depth, p, crowded):
                    doubtful.add(p)
                    trial = listed.trial(acts, self.makers) if trials < MOST_TRIALS else None
                    trials += 1
                    if trial is not None:
                        judge.consider(trial, np.array([p], np.int32))
            if all(p in judge.witnesses for p in people):
                break
        return doubtful
