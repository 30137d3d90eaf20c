"""The judge: retrains the user's tree on trials and notes whose prediction changed.

Every witness comes from here, whoever thought of the trial: it is a table of B(T), the same table in the
user's own types, and a tree was learned from it, or the part of it that changes (`part_trees.py`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from everytree.errors import InternalError
from everytree.refute.applying import changed_rows
from everytree.refute.membership import Membership
from everytree.refute.new_rows import RowMaker
from everytree.refute.storage import NotStorableError
from everytree.refute.witness import as_witness
from everytree.table import encode_added

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

    from everytree.prove.problem import People, Problem
    from everytree.refute.trial import Trial

SEEDS = range(6)
"""Ways of breaking ties that are tried when the estimator leaves them to chance."""

TRAINING_SECONDS, SORTING_SECONDS = 1e-3, 5e-9
"""About what every training costs, and each step of sorting the rows of a level by one column."""

WALK, PROGRAMS, TABLES, TWINS = "walk", "programs", "tables", "twins"
"""What a proof rests on: a walk over all trees, path programs without a solution, every table tried, or
training rows that no tree can tell from the person."""

Learned: TypeAlias = "list[tuple[int | None, NDArray[np.int64]]]"
"""Random states and what trees that were learned with them predict."""


class Judge:
    """Retrains the user's tree on trials and notes whose prediction changed.

    ``proved`` are people who must never change: if one does, a proof is wrong, and that is said aloud.
    ``open`` are those who are neither proved nor refuted; ``frame`` their original columns, if known.
    ``walkable`` are those who are neither proved nor refuted by a change: of people whom a mere tie refutes a
    walk may still find that the tree was never learned from this table. ``blurred`` are people about whom
    nothing can be proved because values are too close (`table/close_values.py`). ``tree`` is the one
    whose predictions are certified, as nodes, if it is known.
    """

    def __init__(
        self,
        problem: Problem,
        new_tree: Callable[[], Any],
        people: People,
        frame: pd.DataFrame | None = None,
        deadline: float = math.inf,
        tree: Any = None,
    ) -> None:
        self.problem = problem
        self.new_tree = new_tree
        self.X = np.ascontiguousarray(people.X)
        self.shown = np.ascontiguousarray(problem.views.show(people.X))
        self.predictions = people.predictions
        self.proved = np.zeros(len(people), np.bool_)
        self.proofs = np.full(len(people), "", "<U8")
        self.open = ~self.proved
        self.blurred = problem.close.blurred(people.X)
        self.walkable = ~self.blurred
        self.frame = frame
        self.deadline = deadline
        self.maker = RowMaker(problem, deadline=deadline)
        self.membership = Membership(problem)
        self.witnesses: dict[int, tuple[Trial, int]] = {}
        self.retrained = 0
        self.training_seconds = _training_seconds(problem)
        self.tree = tree
        self.seeds: Sequence[int | None] = SEEDS if new_tree().random_state is None else (None,)

    def consider(self, trial: Trial, people: NDArray[np.int32]) -> bool:
        """Retrain on a trial of B(T); says whether one of `people` gets another label."""
        return self.allows(trial) and self.read(trial, people, self.learn(trial, people))

    def learn(self, trial: Trial, people: NDArray[np.int32]) -> Learned:
        """Seeds and predictions after a trial; changes nothing, so that several may be learned at a time.

        A tree without a fixed random state is retrained with several, until one of `people` changes.
        """
        X, y = trial.table(self.problem)
        X = np.ascontiguousarray(X)
        learned: Learned = []
        for seed in self.seeds:
            learned.append((seed, self._retrain(seed, X, y)))
            if (learned[-1][1] != self.predictions)[people].any():
                break
        return learned

    def read(self, trial: Trial, people: NDArray[np.int32], learned: Learned) -> bool:
        """Note whom retrained trees give another label; says whether one of `people` is among them."""
        self.retrained += len(learned)
        changing = [(seed, after) for seed, after in learned if (after != self.predictions).any()]
        if not changing or not self._stands(trial):
            return False
        for seed, after in changing:
            self._note(replace(trial, random_state=seed), after)
        return any((after != self.predictions)[people].any() for _, after in changing)

    def note_part(self, trial: Trial, after: NDArray[np.int64]) -> None:
        """Note whom a trial turns of which a part of the tree was learned, with any random state."""
        self._note(replace(trial, random_state=self.seeds[0]), after)

    def allows(self, trial: Trial) -> bool:
        """Whether the components allow the trial, with added rows that the columns can hold."""
        if not trial.change.added:
            return self.membership.holds(trial, self.problem.table.frame.iloc[:0])
        try:
            return self.membership.holds(trial, self.maker.as_frame(trial.change.added))
        except NotStorableError:
            return False

    def _retrain(self, seed: int | None, X: NDArray[np.float32], y: NDArray[np.int64]) -> NDArray[np.int64]:
        """Predict everybody with a tree that is learned from these rows."""
        tree = self.new_tree()
        if seed is not None:
            tree.set_params(random_state=seed)
        try:
            # scikit-learn looks for missing values only while it checks its input
            tree.fit(X, y, check_input=bool(self.problem.views.holes.any()))
        except ValueError:  # the table lost a label that class_weight names, and scikit-learn learns nothing
            return self.predictions
        after: NDArray[np.int64] = tree.predict(self.X, check_input=False)
        return after

    def _stands(self, trial: Trial) -> bool:
        """Whether the rows that a trial adds are still the same when they are in the user's table.

        The changed table has its types, the learner sees the added rows as it did when it was retrained,
        and the components allow them as they are there. Rows that were in the table before cannot differ.
        """
        table = self.problem.table
        if not trial.change.added:
            return True
        changed = changed_rows(as_witness(trial, table, None, None), table.frame)
        added = changed.iloc[-len(trial.change.added) :]
        return (
            changed.dtypes.tolist() == table.frame.dtypes.tolist()
            and np.array_equal(encode_added(table, added), trial.features, equal_nan=True)
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
            if known is None or trial.change.size < known[0].change.size:
                self.witnesses[int(p)] = (trial, int(after[p]))
        self.open &= ~changed
        if trial.change.size:
            self.walkable &= ~changed

    def prove(self, people: NDArray[np.bool_], by: str) -> None:
        """Count people as proved from now on, by one of `WALK`, `PROGRAMS`, `TABLES` and `TWINS`.

        Those who are `blurred` stay as they are: no proof is about them.

        Raises
        ------
        InternalError
            If one of them has a witness.
        """
        people = people & ~self.blurred
        wrong = [p for p in sorted(self.witnesses) if people[p]]
        if wrong:
            raise InternalError(
                f"Test person {wrong[0]} is proved although a retrained tree gives another label. This "
                "is a fault in everytree; please report it with the table."
            )
        self.proofs[people & ~self.proved] = by
        self.proved |= people
        self.open &= ~people
        self.walkable &= ~people


def sorting_steps(problem: Problem) -> float:
    """Steps that it takes to sort one row by every column: fewer where a column has few values."""
    n_values = np.diff(problem.columns.starts)
    return float((1 + np.log2(np.maximum(n_values, 1))).sum())


def _training_seconds(problem: Problem) -> float:
    """About what a training costs: on each level all rows are sorted, and below some most are in leaves."""
    n_rows = len(problem.table.y)
    levels = min(problem.depth, math.log2(n_rows + 1))
    return TRAINING_SECONDS + SORTING_SECONDS * n_rows * sorting_steps(problem) * levels
