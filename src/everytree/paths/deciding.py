"""Everyone who is not proved yet: path after path, the most plausible first, until all are decided.

The top of the room: takes the problem and the people from the walk, gives back who is proved after
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
from everytree.paths.boxes import Family
from everytree.paths.listing import Path, list_paths
from everytree.paths.program import Solver
from everytree.paths.search import IMPOSSIBLE, OPEN, TAKEN, PathSearch
from everytree.paths.trial import Trial, most_rows
from everytree.prove.counts import TIE_TOLERANCE
from everytree.refute.applying import changed_rows
from everytree.refute.copies import try_copies
from everytree.refute.membership import Membership
from everytree.refute.new_rows import RowMaker
from everytree.refute.small_sets import try_every_table
from everytree.refute.storage import NotStorableError
from everytree.refute.witness import as_witness
from everytree.table import test_table

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from everytree.prove.node import Cut
    from everytree.prove.problem import Problem
    from everytree.support.limits import Limits
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

SHARE_OF_FEWER = 1 / 3
"""Part of the time left in which witnesses with fewer additions are looked for, where many are allowed."""

LEAST_FEWER = 16
"""In tables with fewer rows than this it is so many additions."""


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
        self.membership = Membership(problem)
        self.witnesses: dict[int, tuple[Trial, int]] = {}
        self.retrained = 0
        self.seeds: Sequence[int | None] = SEEDS if new_tree().random_state is None else (None,)

    def consider(self, trial: Trial, people: NDArray[np.int32]) -> bool:
        """Retrain on a trial of B(T); says whether one of `people` gets another label.

        A tree without a fixed random state is retrained with several, until one of them does it.
        """
        if not self._allowed(trial):
            return False
        X, y = trial.table(self.problem)
        X = np.ascontiguousarray(X)
        stands = False
        for seed in self.seeds:
            after = self._retrain(seed, X, y)
            changed = after != self.predictions
            if changed.any():
                stands = stands or self._stands(trial)
                if not stands:
                    return False
                self._note(replace(trial, random_state=seed), after)
            if changed[people].any():
                return True
        return False

    def _allowed(self, trial: Trial) -> bool:
        """Whether the components allow the trial, with added rows that the columns can hold."""
        try:
            return self.membership.holds(trial, self.maker.as_frame(trial.originals))
        except NotStorableError:
            return False

    def _retrain(self, seed: int | None, X: NDArray[np.float32], y: NDArray[np.int64]) -> NDArray[np.int64]:
        """Predict everybody with a tree that is learned from these rows."""
        tree = self.new_tree()
        if seed is not None:
            tree.set_params(random_state=seed)
        tree.fit(X, y, check_input=False)
        self.retrained += 1
        after: NDArray[np.int64] = tree.predict(self.X, check_input=False)
        return after

    def _stands(self, trial: Trial) -> bool:
        """Whether the rows that a trial adds are still the same when they are in the user's table.

        The changed table has its types, the learner sees the added rows as it did when it was retrained,
        and the components allow them as they are there. Rows that were in the table before cannot differ.
        """
        table = self.problem.table
        if not trial.added_labels:
            return True
        changed = changed_rows(as_witness(trial, table, None, None), table.frame)
        added = changed.iloc[-len(trial.added_labels) :]
        return (
            changed.dtypes.tolist() == table.frame.dtypes.tolist()
            and np.array_equal(test_table(table, table.as_given(added)).X, trial.features)
            and self.membership.holds(trial, added)
        )

    def _note(self, trial: Trial, after: NDArray[np.int64]) -> None:
        """Keep the trial for everyone whose label it changes with fewer records than any before."""
        changed = after != self.predictions
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


class _Rounds:
    """The paths of some people, looked at round after round, each time with more programs."""

    def __init__(
        self,
        problem: Problem,
        judge: Judge,
        people: NDArray[np.int32],
        limits: Limits,
        progress: Progress | None,
    ) -> None:
        bias = problem.bias
        self.problem, self.judge, self.people = problem, judge, people
        self.deadline, self.progress = limits.deadline, progress
        self.paths, self.complete = list_paths(problem, judge.X, judge.predictions, people, limits)
        self.paths.sort(key=lambda path: path.effort)
        budgets = np.array([bias.additions, bias.flips, bias.removals], float)
        self.family = Family(np.zeros(3), budgets, 1.0, most_rows(problem, limits.memory))
        self.solver = Solver(deadline=limits.deadline)
        self.open_paths = list(range(len(self.paths)))
        self.taken: list[int] = []
        self.rivals: dict[int, list[list[Cut]]] = {}
        self.pool: dict[int, list[Cut]] = {}
        self.known_counts: dict[tuple[int, int, int], NDArray[np.float64]] = {}

    def run(self) -> None:
        """Go through the rounds until nothing is open or the time is over."""
        for programs, per_family in ROUNDS:
            self._round(programs, per_family)
            if not self.open_paths or time.monotonic() > self.deadline:
                break

    def _round(self, programs: int, per_family: int | None) -> None:
        still_open = []
        looked_at: Counter[tuple[object, ...]] = Counter()
        for at, k in enumerate(self.open_paths):
            path = self.paths[k]
            if per_family is not None and looked_at[path.family] >= per_family:
                still_open.append(k)
                continue
            waiting = path.people[[int(p) not in self.judge.witnesses for p in path.people]]
            if len(waiting) == 0:
                continue
            if time.monotonic() > self.deadline:
                still_open += self.open_paths[at:]
                break
            looked_at[path.family] += 1
            status = self._look_at(k, waiting, programs)
            if status == OPEN:
                still_open.append(k)
            elif status == TAKEN:
                self.taken.append(k)
            if self.progress is not None:
                self.progress(0.5, len(self.people) - len(self.judge.witnesses))
        self.open_paths = still_open

    def _look_at(self, k: int, waiting: NDArray[np.int32], programs: int) -> str:
        search = PathSearch(
            self.problem, self.paths[k], self.family, self.solver, self.judge.maker, self.known_counts
        )
        search.take_over(self.rivals.get(k), self.pool, SHARED_RIVALS)
        status = search.run(partial(self.judge.consider, people=waiting), programs, self.deadline)
        search.share(self.pool)
        if status == OPEN:
            self.rivals[k] = search.rivals
        return status

    def robust(self) -> NDArray[np.int32]:
        """Those whose every path is crossed out; nobody if paths are missing."""
        waiting = {int(p) for k in (*self.open_paths, *self.taken) for p in self.paths[k].people}
        waiting |= self.judge.witnesses.keys()
        return np.array([p for p in self.people if self.complete and int(p) not in waiting], np.int32)


def decide(
    problem: Problem,
    new_tree: Callable[[], Any],
    X: NDArray[np.float32],
    predictions: NDArray[np.int64],
    proved: NDArray[np.bool_],
    limits: Limits,
    progress: Progress | None = None,
) -> Decision:
    """Decide the people who are not proved, as far as time and memory allow.

    Soundness
    ---------
    A person is robust iff no table of B(T) takes any path to another label. Every such path is in the list
    (it comes from the same domain as the walk), and a path is crossed out only by a checked bound.
    """
    judge = Judge(problem, new_tree, X, predictions, proved)
    judge.proved, finished = try_every_table(problem, judge, limits)
    if problem.bias.additions > len(problem.table.y):
        _try_fewer(problem, judge, np.flatnonzero(~finished), limits, progress)
        finished[list(judge.witnesses)] = True
    if TIE_TOLERANCE * problem.bias.additions > 1.0:
        finished[:] = True  # scores tie that differ by more than a record is worth: programs prove nothing
    rounds = _Rounds(problem, judge, np.flatnonzero(~finished).astype(np.int32), limits, progress)
    rounds.run()
    decision = Decision(judge.proved.copy(), judge.witnesses)
    decision.robust[rounds.robust()] = True
    decision.in_time = rounds.complete and (not rounds.open_paths or time.monotonic() <= limits.deadline)
    decision.programs, decision.paths = rounds.solver.solved, len(rounds.paths)
    decision.retrained = judge.retrained
    return decision


def _try_fewer(
    problem: Problem, judge: Judge, people: NDArray[np.int64], limits: Limits, progress: Progress | None
) -> None:
    """Look for witnesses with no more additions than the table has rows, where more are allowed.

    Such a table is one of B(T), so its witnesses count; its proofs do not. Programs in which a few of 10^12
    rows matter are hard to solve, and their boxes of counts are wide.
    """
    now = time.monotonic()
    part = replace(limits, deadline=now + SHARE_OF_FEWER * (limits.deadline - now))
    try_copies(problem, judge, people, part)
    for additions in (1, 2, max(LEAST_FEWER, len(problem.table.y))):
        left = np.array([p for p in people if int(p) not in judge.witnesses], np.int32)
        if len(left) == 0 or additions >= problem.bias.additions:
            break
        fewer = replace(problem, bias=replace(problem.bias, additions=additions))
        if additions <= 2:
            try_every_table(fewer, judge, part)
        else:
            _Rounds(fewer, judge, left, part, progress).run()


__all__ = ["IMPOSSIBLE", "OPEN", "TAKEN", "Decision", "Judge", "Path", "decide"]
