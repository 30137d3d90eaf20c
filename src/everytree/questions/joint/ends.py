"""The ends of metrics as quotients of sums over people, for everybody and by group.

Top of the room: takes the people apart into cells, asks for all bounds at once, and puts them together to
ranges of rates, differences and ratios. `everytree.questions.metrics` intersects them with its own.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from everytree.questions.joint.bounds import Bound, Budget, Quotient, largest
from everytree.questions.joint.forest import Crowd, Forest

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from everytree.questions.joint.openings import Openings
    from everytree.questions.rates import Rate, Value

MOST_PAIRED = 12
"""With more groups than this, differences and ratios come from the ranges of the groups' rates."""

ALL = -1
"""In place of the number of a group: everybody."""

Ends = tuple["Value", "Value"]


@dataclass(frozen=True, eq=False)
class Cells:
    """People by what metrics can tell apart: a group and the classes of the rates; ``of[p]`` is p's cell."""

    of: NDArray[np.int64]
    first: NDArray[np.int64]
    group: NDArray[np.int64]

    @classmethod
    def of_people(cls, group: NDArray[np.int64], rates: Sequence[Rate]) -> Cells:
        """Put people together who are in one group and count alike for every rate."""
        marks = [part for rate in rates for part in (rate.target, rate.counted)]
        columns = np.stack([group, *marks], axis=1).astype(np.int64)
        _, first, of = np.unique(columns, axis=0, return_index=True, return_inverse=True)
        return cls(of.reshape(-1), first, group[first])

    def count(self, people: NDArray[np.int64], labels: NDArray[Any], n_labels: int) -> NDArray[np.int64]:
        """How many of some people are in each cell with each label."""
        counted = np.zeros((len(self.first), n_labels), np.int64)
        np.add.at(counted, (self.of[people], labels), 1)
        return counted


class Wanted:
    """Collects quotients under names, to be bounded together."""

    def __init__(
        self, cells: Cells, n_labels: int, n_groups: int, compared: Sequence[int], smallest: int = 1
    ) -> None:
        self.cells, self.n_labels, self.n_groups, self.compared = cells, n_labels, n_groups, compared
        self.smallest = smallest
        self.quotients: dict[tuple[object, ...], Quotient] = {}
        self.lowest: dict[tuple[object, ...], tuple[int, int]] = {}

    @property
    def groups(self) -> range:
        """Everybody, then all groups."""
        return range(ALL, self.n_groups)

    def hits(self, rate: Rate, g: int) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """What each cell and label adds to the people of a group who hit a rate, and which cells count."""
        first = self.cells.first
        counted = rate.counted[first] & ((self.cells.group == g) | (g == ALL))
        hit = rate.target[first, None] == np.arange(self.n_labels)
        return (hit & counted[:, None]).astype(np.int64), counted

    def size(self, rate: Rate, g: int) -> int:
        """How many people of a group a rate counts."""
        _, counted = self.hits(rate, g)
        return int(counted[self.cells.of].sum())

    def add_rate(self, rate: Rate) -> None:
        """Ask for both ends of a rate, for everybody and each group."""
        for g in self.groups:
            over, _ = self.hits(rate, g)
            n = self.size(rate, g)
            if n:
                self.quotients["high", rate.name, g] = Quotient(over, None, n)
                self.quotients["low", rate.name, g] = Quotient(-over, None, n)

    def add_differences(self, rate: Rate) -> None:
        """Ask how much larger each group's rate can be than each other group's."""
        for g, h in self.pairs(rate):
            (over, _), (other, _) = self.hits(rate, g), self.hits(rate, h)
            n, m = self.size(rate, g), self.size(rate, h)
            self.quotients["more", rate.name, g, h] = Quotient(m * over - n * other, None, n * m)

    def add_ratios(self, rate: Rate) -> None:
        """Ask how small each group's rate can be as a part of each other group's."""
        for g, h in self.pairs(rate):
            (over, _), (under, _) = self.hits(rate, g), self.hits(rate, h)
            self.quotients["part", rate.name, g, h] = Quotient(-over, under)
            self.lowest["part", rate.name, g, h] = (-self.size(rate, g), 1)

    def add_precision(self, right: Rate, chosen: Rate) -> None:
        """Ask for both ends of the share of the chosen who are right."""
        for g in self.groups:
            over, under = self.hits(right, g)[0], self.hits(chosen, g)[0]
            if self.size(chosen, g):
                self.quotients["high", "precision", g] = Quotient(over, under)
                self.lowest["high", "precision", g] = (0, 1)
                self.quotients["low", "precision", g] = Quotient(-over, under)
                self.lowest["low", "precision", g] = (-1, 1)

    def pairs(self, rate: Rate) -> list[tuple[int, int]]:
        """Ordered pairs of groups of which the rate counts enough people; none where there are too many."""
        some = [g for g in self.compared if self.size(rate, g) >= self.smallest]
        return [(g, h) for g in some for h in some if g != h] if len(some) <= MOST_PAIRED else []

    def start(self, key: tuple[object, ...], known: list[NDArray[np.int64]]) -> tuple[int, int]:
        """The largest value on known tables, or one that is surely too small."""
        parts = [self.quotients[key].parts(labels) for labels in known]
        values = [pair for pair in parts if pair[1]]
        return max(values, key=lambda pair: Fraction(*pair)) if values else self.lowest[key]


class JointEnds:
    """What no tree passes, of every metric that was asked for."""

    def __init__(self, wanted: Wanted, bounds: dict[tuple[object, ...], Bound]) -> None:
        self.wanted = wanted
        self.bounds = {key: bound.value for key, bound in bounds.items()}
        self.trees = list(dict.fromkeys(bound.tree for bound in bounds.values() if bound.tree is not None))

    def rate(self, name: str, g: int) -> Ends:
        """Both ends of a rate or of precision."""
        low, high = self.bounds.get(("low", name, g)), self.bounds.get(("high", name, g))
        return None if low is None else -low, high

    def difference(self, rate: Rate) -> Ends:
        """Ends of the largest rate minus the smallest.

        The largest difference is that of some pair. On every table the difference is at least that of each
        pair, whose smallest value is minus the largest of the pair turned round.
        """
        more = [self.bounds["more", rate.name, g, h] for g, h in self.wanted.pairs(rate)]
        if not more:
            return None, None
        return max(Fraction(0), *(-value for value in more)), max(Fraction(0), *more)

    def ratio(self, rate: Rate, g: int | None = None) -> Ends:
        """Ends of the smallest rate divided by the largest, or of one group's divided by the largest.

        On a table where the largest rate h is not 0, r_g / r_h is at least the bound of the pair (g, h), and
        at most 1 / bound of the pair (h, g).
        """
        pairs = [(a, b) for a, b in self.wanted.pairs(rate) if g is None or a == g]
        if not pairs:
            return None, None
        low = min(Fraction(1), *(self._part(rate, a, b) for a, b in pairs))
        turned = [self._part(rate, b, a) for a, b in pairs]
        return low, min([Fraction(1), *(1 / part for part in turned if part)])

    def _part(self, rate: Rate, g: int, h: int) -> Fraction:
        """The smallest r_g / r_h, from the quotient of the numbers of people."""
        sizes = Fraction(self.wanted.size(rate, h), self.wanted.size(rate, g))
        return -self.bounds["part", rate.name, g, h] * sizes


def joint_ends(
    openings: Openings,
    X: NDArray[np.float32],
    robust: NDArray[np.bool_],
    wanted: Wanted,
    tables: NDArray[np.integer[Any]],
    budget: Budget,
) -> JointEnds:
    """Bound everything that is wanted over the family of trees.

    Parameters
    ----------
    openings : Openings
    X : array of (people, features)
        The people as the learner sees them.
    robust : array of bool
        Who is proved to get the label of the first table from every tree.
    wanted : Wanted
    tables : array of (tables, people)
        Codes of the labels that known trees give, that of the table as it is first.
    budget : Budget
    """
    cells, n_labels = wanted.cells, wanted.n_labels
    everybody = np.arange(len(X))
    proved, others = np.flatnonzero(robust), np.flatnonzero(~robust)
    fixed = cells.count(proved, tables[0][proved], n_labels)
    crowd = _crowd(X[others], cells.of[others], len(cells.first))
    known = [cells.count(everybody, labels, n_labels) for labels in np.unique(tables, axis=0)]
    keys = list(wanted.quotients)
    starts = [wanted.start(key, known) for key in keys]
    found = largest(Forest(openings, crowd), [wanted.quotients[key] for key in keys], fixed, starts, budget)
    return JointEnds(wanted, dict(zip(keys, found, strict=True)))


def _crowd(X: NDArray[np.float32], cell: NDArray[np.int64], n_cells: int) -> Crowd:
    """Count people with the same features together."""
    kinds, kind = np.unique(X, axis=0, return_inverse=True)
    counts = np.zeros((len(kinds), n_cells))
    np.add.at(counts, (kind.reshape(-1), cell), 1)
    return Crowd(kinds.astype(np.float64), counts)
