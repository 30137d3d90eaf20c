"""All metrics of one choice of groups: from the labels that people may get to a range for each of them.

Between `everytree.questions.rates`, which bounds person by person, and `everytree.questions.metrics`, which
asks.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from everytree.questions.joint.ends import ALL, Cells, JointEnds, Wanted
from everytree.questions.rates import (
    Range,
    Rate,
    against_best,
    complement,
    difference,
    larger_of,
    narrowed,
    precision_of,
    range_of,
    ratio,
)
from everytree.results.ranges import BETWEEN, EVERYBODY

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["METRICS", "NEED_NO_TRUTH", "Measures"]

Group = tuple[Any, ...]
Ranges = dict[tuple[str, Group], Range]

ACCURACY, SELECTION = "accuracy", "selection rate"
TRUE_POSITIVE, FALSE_POSITIVE, FALSE_NEGATIVE = (
    "true positive rate",
    "false positive rate",
    "false negative rate",
)
PRECISION, FOUR_FIFTHS = "precision", "four-fifths ratio"
PARITY_DIFFERENCE, PARITY_RATIO = "demographic parity difference", "demographic parity ratio"
OPPORTUNITY, ODDS = "equal opportunity difference", "equalised odds difference"

RATES_COMPARED = {PARITY_DIFFERENCE: SELECTION, PARITY_RATIO: SELECTION, OPPORTUNITY: TRUE_POSITIVE}
"""Metrics that compare the largest with the smallest of one rate."""

NEED_NO_TRUTH = (SELECTION, FOUR_FIFTHS, PARITY_DIFFERENCE, PARITY_RATIO)
METRICS = (
    *(ACCURACY, TRUE_POSITIVE, FALSE_POSITIVE, FALSE_NEGATIVE, PRECISION, OPPORTUNITY, ODDS),
    *NEED_NO_TRUTH,
)
"""All metrics that have a range, and those among them that need no true labels."""


@dataclass(frozen=True, eq=False)
class Measures:
    """What is measured: people with groups and true labels.

    Attributes
    ----------
    truth : array or None
        Codes of the true labels, -1 for one that training never saw.
    positive : int
        Code of the label that counts as being selected.
    members : dict
        Group to the positions of its people, who are in no other group.
    possible : array of (people, labels)
        Whether some tree may give the label.
    width : int
        Number of features that make a group.
    smallest : int
        Groups of fewer people have rates, but are not compared with others; nor is a rate that counts fewer
        of a group.
    """

    truth: NDArray[np.int64] | None
    positive: int
    members: dict[Group, NDArray[np.int64]]
    possible: NDArray[np.bool_]
    width: int
    smallest: int = 1

    @cached_property
    def compared(self) -> dict[int, Group]:
        """The groups that are large enough to be compared, by their number."""
        return {g: key for g, (key, who) in enumerate(self.members.items()) if len(who) >= self.smallest}

    @property
    def n_people(self) -> int:
        """Number of test people."""
        return len(self.possible)

    @cached_property
    def everyone(self) -> dict[Group, NDArray[np.int64]]:
        """Everybody, then the groups."""
        return {(EVERYBODY,) * self.width: np.arange(self.n_people), **self.members}

    @cached_property
    def rates(self) -> dict[str, Rate]:
        """The rates that are counted; all else is made of them."""
        all_people = np.ones(self.n_people, np.bool_)
        chosen = np.full(self.n_people, self.positive)
        selection = {SELECTION: Rate(SELECTION, chosen, all_people)}
        if self.truth is None:
            return selection
        true = self.truth == self.positive
        return {
            ACCURACY: Rate(ACCURACY, self.truth, all_people),
            **selection,
            TRUE_POSITIVE: Rate(TRUE_POSITIVE, chosen, true),
            FALSE_POSITIVE: Rate(FALSE_POSITIVE, chosen, ~true),
        }

    def wanted(self) -> Wanted:
        """What is to be bounded over the family of trees."""
        group = np.full(self.n_people, ALL)
        for g, who in enumerate(self.members.values()):
            group[who] = g
        rates = self.rates
        cells = Cells.of_people(group, list(rates.values()))
        wanted = Wanted(cells, self.possible.shape[1], len(self.members), list(self.compared), self.smallest)
        for rate in rates.values():
            wanted.add_rate(rate)
            if rate.name != ACCURACY:
                wanted.add_differences(rate)
        wanted.add_ratios(rates[SELECTION])
        if self.truth is not None:
            wanted.add_precision(rates[TRUE_POSITIVE], rates[SELECTION])
        return wanted

    def ranges(self, tables: NDArray[np.integer[Any]], ends: JointEnds | None) -> Ranges:
        """Bound every metric, for everybody, by group and between groups.

        Each metric is bounded person by person first, then by what one tree can do to all people: both hold,
        so their intersection does.
        """
        found: Ranges = {}
        for rate in self.rates.values():
            for g, (key, who) in enumerate(self.everyone.items(), ALL):
                alone = range_of(rate, who, self.possible, tables)
                found[rate.name, key] = alone if ends is None else narrowed(alone, *ends.rate(rate.name, g))
        if self.truth is not None:
            for key in self.everyone:
                found[FALSE_NEGATIVE, key] = complement(found[TRUE_POSITIVE, key])
            self._add_precision(found, tables, ends)
        if self.compared:
            self._compare(found, ends)
        return found

    def _add_precision(self, found: Ranges, tables: NDArray[np.integer[Any]], ends: JointEnds | None) -> None:
        for g, (key, who) in enumerate(self.everyone.items(), ALL):
            alone = precision_of(self.rates[TRUE_POSITIVE], who, self.possible, tables)
            found[PRECISION, key] = alone if ends is None else narrowed(alone, *ends.rate(PRECISION, g))

    def _compare(self, found: Ranges, ends: JointEnds | None) -> None:
        """Add what compares groups with each other."""
        between = (BETWEEN,) * self.width

        def of(name: str) -> list[Range]:
            ranges = [found[name, key] for key in self.compared.values()]
            return [each if each.n >= self.smallest else replace(each, n=0) for each in ranges]

        def apart(name: str) -> Range:
            alone = difference(of(name))
            return alone if ends is None else narrowed(alone, *ends.difference(self.rates[name]))

        selection = self.rates[SELECTION]
        for place, (g, key) in enumerate(self.compared.items()):
            alone = against_best(of(SELECTION), place)
            found[FOUR_FIFTHS, key] = alone if ends is None else narrowed(alone, *ends.ratio(selection, g))
        found[PARITY_DIFFERENCE, between] = apart(SELECTION)
        alone = ratio(of(SELECTION))
        found[PARITY_RATIO, between] = alone if ends is None else narrowed(alone, *ends.ratio(selection))
        if self.truth is not None:
            found[OPPORTUNITY, between] = apart(TRUE_POSITIVE)
            found[ODDS, between] = larger_of(apart(TRUE_POSITIVE), apart(FALSE_POSITIVE))

    def behind(self, found: Ranges) -> dict[tuple[str, Group], str]:
        """Name the two groups behind each comparison on the table as it is, with sizes and rates."""
        between = (BETWEEN,) * self.width
        said = {}
        for metric, rate in RATES_COMPARED.items():
            if (metric, between) in found:
                said[metric, between] = self._apart(found, rate)
        if (ODDS, between) in found:
            both = [self._apart(found, rate) for rate in (TRUE_POSITIVE, FALSE_POSITIVE)]
            gaps = [_gap(self._rates(found, rate)) for rate in (TRUE_POSITIVE, FALSE_POSITIVE)]
            said[ODDS, between] = both[gaps[1] > gaps[0]]
        rates = self._rates(found, SELECTION)
        best = max(rates, key=lambda key: rates[key], default=None)
        for key in rates:
            if (FOUR_FIFTHS, key) in found and best is not None:
                own, other = (self._named(found, SELECTION, k) for k in (key, best))
                said[FOUR_FIFTHS, key] = f"{own}; {other}" if key != best else f"{own}, the largest"
        return said

    def _rates(self, found: Ranges, rate: str) -> dict[Group, Fraction]:
        """The rate of each group on the table as it is, where it has one and counts enough people."""
        large = [key for key in self.compared.values() if found[rate, key].n >= self.smallest]
        ranges = {key: found[rate, key].values[0] for key in large}
        return {key: value for key, value in ranges.items() if value is not None}

    def _apart(self, found: Ranges, rate: str) -> str:
        rates = self._rates(found, rate)
        if len(rates) < 2:
            return ""
        ends = max(rates, key=lambda key: rates[key]), min(reversed(rates), key=lambda key: rates[key])
        return "; ".join(self._named(found, rate, key) for key in ends)

    def _named(self, found: Ranges, rate: str, key: Group) -> str:
        value = found[rate, key].values[0]
        shown = "none" if value is None else f"{float(value):.3f}"
        counted, people = found[rate, key].n, len(self.members[key])
        size = f"{people}" if counted == people else f"{counted} of {people}"
        return f"{', '.join(map(str, key))} ({size}): {rate} {shown}"


def _gap(rates: dict[Group, Fraction]) -> Fraction:
    return max(rates.values()) - min(rates.values()) if rates else Fraction(0)
