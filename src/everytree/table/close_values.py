"""Values that scikit-learn cannot tell apart: which ones are one value, and about whom that leaves doubts.

Between the tables and the proofs, beside `everytree.table.gaps`. Continuous columns have such values as soon
as they are long: of 30,000 numbers between 0 and 1 about a hundred lie within 1e-7 of the next one.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from everytree.support.version import learner_version
from everytree.table.gaps import FEATURE_STEP, Bridge, bridged_gap
from everytree.table.structure import TrainingTable

__all__ = ["CloseValues", "close_values"]

OLDEST_THAT_JOINS = (1, 8)
"""First scikit-learn that treats values within 1e-7 as one; those before split between any two."""

ROUNDING = 1e-12
"""Relative slack for midpoints, far beyond the rounding of float64 and far below the spacing of float32."""


class Alike(NamedTuple):
    """The values of a feature, in order, those that are one value as a set: its least and its largest."""

    least: NDArray[np.float64]
    largest: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class CloseValues:
    """What is to be done about values that the learner may not tell apart; usually nothing.

    Attributes
    ----------
    alike : dict of int to Alike
        Features in which sets of values are one value for the learner, in every node of every tree.
    bridge : Bridge or None
        Two values of which this cannot be said: nobody is proved.

    Notes
    -----
    *Soundness*, where no row is added. The learner joins neighbours v < v' of a node with v' <= v (+) 1e-7,
    (+) rounded to float32. Values are put into one set as long as neighbours in T are joined. Each set must
    be *tight*, its largest value at most its least (+) 1e-7: whichever of its values are in a node, they are
    joined there. Values of different sets never are, because removals only take values away. So the learner
    splits a node between two sets A < C, anywhere else never, and what it makes of rows is the same if every
    value is replaced by the least of its set (`joined`).

    What differs is the threshold: the middle of some a in A and some c in C instead of the least ones. All
    rows of A lie below each of these middles and all rows of C above, which is checked. A person may lie
    between them, and then the side depends on which values are in the node. Such people, for any two sets,
    are `blurred`: nobody proves them. For everybody else, with their values as they are, the middle of the
    least ones decides as each of the others does.
    """

    alike: dict[int, Alike] = field(default_factory=dict)
    bridge: Bridge | None = None

    @property
    def found(self) -> bool:
        """Whether there are any such values."""
        return bool(self.alike) or self.bridge is not None

    def joined(self, rows: NDArray[np.float32]) -> NDArray[np.float32]:
        """Training rows with one value in place of each set."""
        if not self.alike:
            return rows
        rows = rows.copy(order="K")
        for j, (least, _) in self.alike.items():
            known = ~np.isnan(rows[:, j])
            place = np.searchsorted(least, rows[known, j].astype(np.float64), side="right") - 1
            rows[known, j] = least[place]
        return rows

    def blurred(self, people: NDArray[np.float32]) -> NDArray[np.bool_]:
        """Tell of people whether their side of some split depends on which values of a set are in a node.

        For a set A of several values that is so if some other set C has middles with it on both sides of v:
        least(A) + least(C) < 2 v <= largest(A) + largest(C). Of the sets that begin early enough the last one
        reaches furthest.
        """
        found = np.full(len(people), self.bridge is not None)
        for j, (least, largest) in self.alike.items():
            value = people[:, j].astype(np.float64)
            for i in np.flatnonzero(largest > least):
                slack = ROUNDING * (np.abs(value) + np.abs(least[i]))
                last = np.searchsorted(least, 2 * value - least[i] + slack) - 1
                found |= (last >= 0) & (last != i) & (largest[last] >= 2 * value - largest[i] - slack)
        return found


def close_values(table: TrainingTable, additions: int) -> CloseValues:
    """Look for values that the learner may not tell apart, with so many added rows."""
    bridge = bridged_gap(table, additions)
    if bridge is None:
        return CloseValues()
    if additions or learner_version() < OLDEST_THAT_JOINS:
        return CloseValues(bridge=bridge)
    alike: dict[int, Alike] = {}
    for j in np.flatnonzero(~table.is_boolean).tolist():
        values = np.unique(table.X[~np.isnan(table.X[:, j]), j])
        apart = values[1:] > values[:-1] + FEATURE_STEP
        if apart.all():
            continue
        least = values[np.concatenate(([True], apart))]
        largest = values[np.concatenate((apart, [True]))]
        vague = np.flatnonzero((largest > least + FEATURE_STEP) | ~_beside_middles(least, largest))
        if len(vague):
            return CloseValues(bridge=Bridge(j, float(least[vague[0]]), float(largest[vague[0]])))
        alike[j] = Alike(least.astype(np.float64), largest.astype(np.float64))
    return CloseValues(alike)


def _beside_middles(least: NDArray[np.float32], largest: NDArray[np.float32]) -> NDArray[np.bool_]:
    """Whether each set lies below all middles with the next set, and above all with the one before."""
    low, high = least.astype(np.float64), largest.astype(np.float64)
    fine = np.ones(len(low), np.bool_)
    fine[:-1] &= 2 * high[:-1] < low[:-1] + low[1:]
    fine[1:] &= high[:-1] + high[1:] < 2 * low[1:]
    return fine
