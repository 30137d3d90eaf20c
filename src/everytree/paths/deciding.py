"""Everyone who is not proved yet: path after path, the most plausible first, until all are decided.

The top of `everytree.decide`: takes the problem and the people from the walk, gives back who is proved after
all, who is refuted with which change, and who stays open.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from everytree.errors import InternalError
from everytree.paths.listing import Path, list_paths
from everytree.paths.program import Solver
from everytree.paths.search import IMPOSSIBLE, OPEN, TAKEN, Family, PathSearch
from everytree.paths.trial import Trial
from everytree.refute.membership import Membership
from everytree.refute.new_rows import RowMaker
from everytree.refute.small_sets import try_every_table

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from everytree.prove.node import Cut
    from everytree.prove.problem import Problem
    from everytree.support.progress import Progress

ROUNDS = ((6, 3), (60, 3), (6, None), (30, None), (150, None), (1000, None))
"""Programs that one path may use in each round, and how many paths of one family are looked at.

Paths over the same columns and sides, to the same label, are a family: where a column has thousands of
gaps, a few of its paths, looked at closely, often decide everyone that the others could reach.
"""

SEEDS = range(6)
"""Ways of breaking ties that are tried when the estimator leaves them to chance."""

SHARED_RIVALS = 5
"""Rivals that a path takes over from earlier paths through the same node."""


@dataclass(eq=False)
class Decision:
    """What is known of each person: `robust`, or the smallest confirmed change and the label it gives."""

    robust: NDArray[np.bool_]
    witnesses: dict[int, tuple[Trial, int]] = field(default_factory=dict)
    in_time: bool = True
    programs: int = 0
    paths: int = 0
    retrained: int = 0


class Judge:
    """Retrains the user's tree on trials and notes whose prediction changed."""

    def __init__(
        self,
        problem: Problem,
        new_tree: Callable[[], Any],
        X: NDArray[np.float32],
        predictions: NDArray[np.int64],
        proved: NDArray[np.bool_],
    ) -> None:
        self.problem = problem
        self.new_tree = new_tree
        self.X = np.ascontiguousarray(X)
        self.predictions = predictions
        self.proved = proved
        self.maker = RowMaker(problem)
        self.membership = Membership(problem, self.maker)
        self.witnesses: dict[int, tuple[Trial, int]] = {}
        self.retrained = 0
        self.seeds: Sequence[int | None] = SEEDS if new_tree().random_state is None else (None,)

    def consider(self, trial: Trial, people: NDArray[np.int32]) -> bool:
        """Retrain on a trial of B(T); says whether one of `people` gets another label.

        A tree without a fixed random state is retrained with several, until one of them does it.
        """
        if not self.membership.holds(trial):
            return False
        X, y = trial.table(self.problem)
        X = np.ascontiguousarray(X)
        return any(self._retrain(replace(trial, random_state=s), X, y)[people].any() for s in self.seeds)

    def _retrain(self, trial: Trial, X: NDArray[np.float32], y: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Note whose label changes when the tree is learned from these rows."""
        tree = self.new_tree()
        if trial.random_state is not None:
            tree.set_params(random_state=trial.random_state)
        tree.fit(X, y, check_input=False)
        self.retrained += 1
        after = tree.predict(self.X, check_input=False)
        changed: NDArray[np.bool_] = after != self.predictions
        wrong = changed & self.proved
        if wrong.any():
            raise InternalError(
                f"A retrained tree contradicts the proof for test person {int(np.argmax(wrong))}. This is a "
                "fault in everytree; please report it with the table."
            )
        for p in np.flatnonzero(changed):
            known = self.witnesses.get(int(p))
            if known is None or trial.size < known[0].size:
                self.witnesses[int(p)] = (trial, int(after[p]))
        return changed


def decide(
    problem: Problem,
    new_tree: Callable[[], Any],
    X: NDArray[np.float32],
    predictions: NDArray[np.int64],
    proved: NDArray[np.bool_],
    deadline: float,
    progress: Progress | None = None,
) -> Decision:
    """Decide the people who are not proved, as far as the time allows.

    Soundness
    ---------
    A person is robust iff no table of B(T) takes any path to another label. Every such path is in the list
    (it comes from the same domain as the walk), and a path is crossed out only by a checked bound.
    """
    judge = Judge(problem, new_tree, X, predictions, proved)
    judge.proved, finished = try_every_table(problem, judge, deadline)
    people = np.flatnonzero(~finished).astype(np.int32)
    decision = Decision(judge.proved.copy())
    paths, complete = list_paths(problem, X, predictions, people, deadline)
    paths.sort(key=lambda path: path.effort)
    bias = problem.bias
    budgets = np.array([bias.additions, bias.flips, bias.removals], float)
    family = Family(np.zeros(3), budgets, 1.0)
    solver = Solver()
    open_paths = list(range(len(paths)))
    taken: list[int] = []
    rivals: dict[int, list[list[Cut]]] = {}
    pool: dict[int, list[Cut]] = {}
    known_counts: dict[tuple[int, int, int], NDArray[np.float64]] = {}
    for programs, per_family in ROUNDS:
        still_open = []
        looked_at: Counter[tuple[object, ...]] = Counter()
        for at, k in enumerate(open_paths):
            path = paths[k]
            if per_family is not None and looked_at[path.family] >= per_family:
                still_open.append(k)
                continue
            waiting = path.people[[int(p) not in judge.witnesses for p in path.people]]
            if len(waiting) == 0:
                continue
            if time.monotonic() > deadline:
                still_open += open_paths[at:]
                break
            search = PathSearch(problem, path, family, solver, judge.maker, known_counts)
            search.take_over(rivals.get(k), pool, SHARED_RIVALS)
            looked_at[path.family] += 1
            status = search.run(partial(judge.consider, people=waiting), programs, deadline)
            search.share(pool)
            if status == OPEN:
                still_open.append(k)
                rivals[k] = search.rivals
            elif status == TAKEN:
                taken.append(k)
            if progress is not None:
                progress(0.5, len(people) - len(judge.witnesses))
        open_paths = still_open
        if not open_paths or time.monotonic() > deadline:
            break
    waiting_for: set[int] = set()
    for k in (*open_paths, *taken):
        waiting_for.update(map(int, paths[k].people))
    if complete:
        for p in people:
            decision.robust[p] = int(p) not in waiting_for and int(p) not in judge.witnesses
    decision.in_time = complete and (not open_paths or time.monotonic() <= deadline)
    decision.witnesses = judge.witnesses
    decision.programs, decision.paths, decision.retrained = solver.solved, len(paths), judge.retrained
    return decision


__all__ = ["IMPOSSIBLE", "OPEN", "TAKEN", "Decision", "Judge", "Path", "decide"]
