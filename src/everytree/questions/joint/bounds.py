"""The largest value of quotients of sums over people, over the family of trees: Dinkelbach's iteration.

Above `forest`; all quotients are looked at together, so that one walk serves all metrics, groups and ends.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from everytree.errors import InternalError
from everytree.questions.joint.forest import Forest, Values
from everytree.questions.joint.naming import Named, name_tree
from everytree.support.clock import now

if TYPE_CHECKING:
    from numpy.typing import NDArray

MOST_WORK = 150_000_000
"""Entries of the table that are looked at for all metrics of one grouping, unless a time limit is given."""


@dataclass(frozen=True, eq=False)
class Quotient:
    """A sum over people divided by another one, which is never negative.

    Attributes
    ----------
    over, under : array of (cells, labels)
        What a person of a cell who gets a label adds, in whole numbers. Without `under` the divisor is
        `count` on every table.
    count : int
    """

    over: NDArray[np.int64]
    under: NDArray[np.int64] | None
    count: int = 1

    def parts(self, labels: NDArray[np.int64]) -> tuple[int, int]:
        """Both sums for people of each cell with each label."""
        divisor = self.count if self.under is None else int((self.under * labels).sum())
        return int((self.over * labels).sum()), divisor


class Bound(NamedTuple):
    """What no tree passes, and the tree that would reach it; None if a known table does."""

    value: Fraction
    tree: Named | None


class Budget(NamedTuple):
    """How long nodes are opened: so much work, and not after a moment of `support.clock`."""

    work: float = MOST_WORK
    deadline: float = float("inf")

    def is_spent(self, forest: Forest) -> bool:
        """Whether no further node may be opened."""
        return forest.work >= self.work or now() > self.deadline


@dataclass(eq=False)
class _State:
    """One quotient: its bound so far is `top` / `bottom`, which some tree or table has."""

    quotient: Quotient
    fixed: NDArray[np.int64]
    top: int
    bottom: int
    tree: Named | None = None
    settled: bool = False

    def weights(self) -> NDArray[np.float64]:
        q = self.quotient
        whole = q.over if q.under is None else self.bottom * q.over - self.top * q.under
        return whole.astype(np.float64)

    def excess(self, best: float) -> int:
        """By how much the best tree beats the bound so far; at most 0 proves it."""
        over, under = self.quotient.parts(self.fixed)
        if self.quotient.under is None:
            return int(best) + over - self.top
        return int(best) + self.bottom * over - self.top * under

    def raise_to(self, labels: NDArray[np.int64]) -> None:
        top, bottom = self.quotient.parts(self.fixed + labels)
        if bottom == 0:
            raise InternalError("A quotient was to be bounded by one without a value. This is a fault.")
        self.top, self.bottom = top, bottom


def largest(
    forest: Forest,
    quotients: list[Quotient],
    fixed: NDArray[np.int64],
    starts: list[tuple[int, int]],
    budget: Budget,
) -> list[Bound]:
    """Bound quotients from above over every tree of the family on which they have a value.

    Parameters
    ----------
    forest : Forest
    quotients : list of Quotient
    fixed : array of (cells, labels)
        People who get the same label from every tree.
    starts : list of (int, int)
        For each quotient both sums on a known table, or a value that is surely too small.
    budget : Budget

    Returns
    -------
    list of Bound

    Notes
    -----
    *Soundness.* With the bound t / b, b > 0, the sum b * over - t * under is maximised over the family. If
    the maximum is at most 0, then over / under <= t / b for every tree with under > 0. Otherwise the bound is
    raised to the quotient of the tree that was found, which is larger. There are finitely many quotients, so
    this ends. Where the divisor is always the same, one maximum is enough.
    """
    states = [_State(q, fixed, *start) for q, start in zip(quotients, starts, strict=True)]
    _Rounds(forest, states, budget).run()
    return [Bound(Fraction(state.top, state.bottom), state.tree) for state in states]


class _Rounds:
    """Weighs, opens what the best trees pass, raises bounds; until every bound is settled."""

    def __init__(self, forest: Forest, states: list[_State], budget: Budget) -> None:
        self.forest, self.states, self.budget = forest, states, budget
        shape = (0, len(states))
        self.values = Values(np.zeros(shape), np.zeros(shape, np.int64), np.zeros(shape, np.bool_))
        self.weights = np.stack([state.weights() for state in states], axis=2)

    def run(self) -> None:
        everything = range(len(self.forest.meetings))
        self._weigh(set(everything), np.arange(len(self.states)))
        while True:
            raised = self._settle()
            if len(raised):
                self._weigh(set(range(len(self.forest.meetings))), raised)
                continue
            active = self._active()
            if len(active) == 0:
                return
            self._open(active)

    def _active(self) -> NDArray[np.int64]:
        return np.flatnonzero([not state.settled for state in self.states])

    def _settle(self) -> NDArray[np.int64]:
        """Settle what is proved; raise the bounds of trees that are opened, or cannot be any further."""
        raised = []
        spent = self.budget.is_spent(self.forest)
        for o in self._active():
            state = self.states[o]
            if state.excess(self.values.best[0, o]) <= 0:
                state.settled = True
            elif self.values.complete[0, o] or spent:
                weights, choice = self.weights[:, :, o], self.values.choice[:, o]
                state.raise_to(self.forest.follow(weights, choice).astype(np.int64))
                state.tree = name_tree(self.forest, weights, choice)
                state.settled = state.quotient.under is None
                if not state.settled:
                    self.weights[:, :, o] = state.weights()
                    raised.append(o)
        return np.array(raised, np.int64)

    def _open(self, active: NDArray[np.int64]) -> None:
        n_before = len(self.forest.meetings)
        opened = []
        for p in self.forest.unopened(active, self.values):
            if self.budget.is_spent(self.forest):
                break
            self.forest.open(p)
            opened.append(p)
        new = set(range(n_before, len(self.forest.meetings)))
        self._weigh(self.forest.above(opened) | new, active)

    def _weigh(self, meetings: set[int], objectives: NDArray[np.int64]) -> None:
        """Find the best values of some objectives at some meetings again, from the last level upwards."""
        missing = len(self.forest.meetings) - len(self.values.best)
        if missing:
            grown = [np.zeros((missing, part.shape[1]), part.dtype) for part in self.values]
            self.values = Values(*(np.concatenate(pair) for pair in zip(self.values, grown, strict=True)))
        weights = np.ascontiguousarray(self.weights[:, :, objectives])
        for p in sorted(meetings, key=self._order):
            found = self.forest.weigh(p, weights, self.values, objectives)
            for kept, new in zip(self.values, found, strict=True):
                kept[p, objectives] = new

    def _order(self, p: int) -> tuple[int, bool]:
        meeting = self.forest.meetings[p]
        return meeting.depth, meeting.same is not None


__all__ = ["Bound", "Budget", "Quotient", "largest"]
