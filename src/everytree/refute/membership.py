"""Is a changed table really one of B(T)? Every change is given to a component that allows it.

The last check before a trial counts as a witness: amounts and conditions of each component by itself, not
the summed budgets that proofs may use.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from everytree.bias.columns import TableView

if TYPE_CHECKING:
    from everytree.paths.trial import Trial
    from everytree.prove.problem import Problem
    from everytree.refute.new_rows import RowMaker


class Membership:
    """Assigns the changes of trials to the components of one bias model."""

    def __init__(self, problem: Problem, maker: RowMaker) -> None:
        table = problem.table
        self.labels = table.labels
        self.y = table.y
        self.maker = maker
        self.view = TableView.of(table)
        self.components = [(c.component, c.count) for c in problem.bias.components]
        self.masks: dict[tuple[int, int | None], Any] = {}

    def holds(self, trial: Trial) -> bool:
        """Whether the trial is within the amounts and conditions of the components."""
        flips = [self._flip(row, label) for row, label in trial.flipped.items()]
        additions, removals = [], []
        copies = Counter(
            (id(new), label) for new, label in zip(trial.originals, trial.added_labels, strict=True)
        )
        rows = {id(new): new for new in trial.originals}
        for (which, label), count in copies.items():
            source = self.maker.source_of(rows[which], label)
            if source is None:
                return False
            accepts = partial(self._accepts, self.maker.as_frame([rows[which]]), source)
            additions += [self._allowing("miss", accepts)] * count
            if source != label:
                flip = self._allowing("flip", lambda c, a=accepts, t=label: self._to(c, t) and a(c))
                flips += [flip] * count
        for row in trial.removed:
            direct = self._allowing("fake", lambda c, r=row: bool(self._rows(c)[r]))
            if direct:
                removals.append(direct)
                continue
            after = self._after_flip(row)
            if after is None:
                return False
            flips.append(after[0])
            removals.append(after[1])
        return all(self._assignable(wanted) for wanted in (additions, flips, removals))

    def _accepts(self, frame: Any, label: int, component: Any) -> bool:
        """Whether a component's condition holds for the one row of a frame, with the given label."""
        return bool(TableView(frame, np.zeros(1, np.int64), self.labels).rows(component.where, label)[0])

    def _rows(self, component: Any, label: int | None = None) -> Any:
        """Training rows that satisfy a component's condition, all with the given label if there is one."""
        key = (id(component), label)
        if key not in self.masks:
            self.masks[key] = self.view.rows(component.where, label)
        return self.masks[key]

    def _flip(self, row: int, label: int) -> list[int]:
        return self._allowing("flip", lambda c: self._to(c, label) and bool(self._rows(c)[row]))

    def _to(self, component: Any, label: int) -> bool:
        return component.to is None or self.labels[label] in component.to

    def _allowing(self, kind: str, test: Any) -> list[int]:
        return [i for i, (c, count) in enumerate(self.components) if c.kind == kind and count > 0 and test(c)]

    def _after_flip(self, row: int) -> tuple[list[int], list[int]] | None:
        """Components for a row that may be removed only after a flip."""
        for label in range(len(self.labels)):
            if label != self.y[row]:
                flip = self._flip(row, label)
                fake = self._allowing("fake", lambda c, j=label: bool(self._rows(c, j)[row]))
                if flip and fake:
                    return flip, fake
        return None

    def _assignable(self, wanted: list[list[int]]) -> bool:
        """Whether each change finds a component with amount left (augmenting paths over few components)."""
        holders: dict[int, list[int]] = {i: [] for i in range(len(self.components))}

        def place(change: int, tried: set[int]) -> bool:
            for i in wanted[change]:
                if i in tried:
                    continue
                tried.add(i)
                if len(holders[i]) < self.components[i][1]:
                    holders[i].append(change)
                    return True
                for k, other in enumerate(holders[i]):
                    if place(other, tried):
                        holders[i][k] = change
                        return True
            return False

        return all(place(change, set()) for change in _hardest_first(wanted))


def _hardest_first(wanted: list[list[int]]) -> Iterable[int]:
    return sorted(range(len(wanted)), key=lambda change: len(wanted[change]))
