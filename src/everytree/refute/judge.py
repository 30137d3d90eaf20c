"""The judge: retrains the user's tree on trials and notes whose prediction changed.

Every witness comes from here, whoever thought of the trial: it is a table of B(T), and a tree was learned.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from everytree.errors import InternalError
from everytree.refute.membership import Membership
from everytree.refute.new_rows import RowMaker

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

    from everytree.prove.problem import Problem
    from everytree.refute.trial import Trial

SEEDS = range(6)
"""Ways of breaking ties that are tried when the estimator leaves them to chance."""


class Judge:
    """Retrains the user's tree on trials and notes whose prediction changed.

    ``proved`` are people who must never change: if one does, a proof is wrong, and that is said aloud.
    ``open`` are those who are neither proved nor refuted; ``frame`` their original columns, if known.
    ``walkable`` are those who are neither proved nor refuted by a change: of people whom a mere tie refutes a
    walk may still find that the tree was never learned from this table.
    """

    def __init__(
        self,
        problem: Problem,
        new_tree: Callable[[], Any],
        X: NDArray[np.float32],
        predictions: NDArray[np.int64],
        proved: NDArray[np.bool_],
        frame: pd.DataFrame | None = None,
    ) -> None:
        self.problem = problem
        self.new_tree = new_tree
        self.X = np.ascontiguousarray(X)
        self.predictions = predictions
        self.proved = proved
        self.open = ~proved
        self.walkable = ~proved
        self.frame = frame
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
        self.open &= ~changed
        if trial.size:
            self.walkable &= ~changed
        return changed

    def prove(self, people: NDArray[np.bool_]) -> None:
        """Count people as proved from now on.

        Raises
        ------
        InternalError
            If one of them has a witness.
        """
        wrong = [p for p in np.flatnonzero(people) if int(p) in self.witnesses]
        if wrong:
            raise InternalError(
                f"Test person {int(wrong[0])} is proved although a retrained tree gives another label. This "
                "is a fault in everytree; please report it with the table."
            )
        self.proved |= people
        self.open &= ~people
        self.walkable &= ~people
