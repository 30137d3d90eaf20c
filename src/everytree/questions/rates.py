"""Exact bounds of rates, and of how far the rates of several groups can be apart.

Below `everytree.questions.metrics`: counts are whole numbers and values are fractions, so two values are
equal only if they really are. Nothing is rounded here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = [
    "Range",
    "Rate",
    "Value",
    "against_best",
    "complement",
    "difference",
    "larger_of",
    "narrowed",
    "precision_of",
    "range_of",
    "ratio",
]

Value = Fraction | None
"""An exact value of a metric; None where it has none (a share of nobody, 0 / 0)."""


@dataclass(frozen=True)
class Range:
    """A metric of `n` people: bounds over B(T), and its value on each known table, the table itself first."""

    n: int
    low: Value
    high: Value
    values: tuple[Value, ...]


@dataclass(frozen=True, eq=False)
class Rate:
    """A share: of the people who are `counted`, those who get the label whose code is in `target`.

    A target of -1 is a label that no tree gives.
    """

    name: str
    target: NDArray[np.int64]
    counted: NDArray[np.bool_]


def range_of(
    rate: Rate, who: NDArray[np.int64], possible: NDArray[np.bool_], tables: NDArray[np.integer[Any]]
) -> Range:
    """Bound a rate among some people by those who surely and those who possibly get the label.

    Parameters
    ----------
    rate : Rate
    who : array of int
        Positions of the people.
    possible : array of (people, labels)
        Whether some tree learned from a table of B(T) may give the label.
    tables : array of (tables, people)
        Codes of the labels that known trees give.

    Notes
    -----
    *Soundness.* On every table each person gets one possible label, so a person with no other label than the
    target counts on every table, and a person who cannot get it on none.
    """
    who = who[rate.counted[who]]
    n = len(who)
    if n == 0:
        return Range(0, None, None, (None,) * len(tables))
    surely, may, hits = _hits(rate, who, possible, tables)
    values = tuple(Fraction(count, n) for count in hits.tolist())
    return Range(n, Fraction(surely, n), Fraction(may, n), values)


def complement(found: Range) -> Range:
    """The share of the others: 1 minus a rate."""

    def rest(value: Value) -> Value:
        return None if value is None else 1 - value

    return Range(found.n, rest(found.high), rest(found.low), tuple(map(rest, found.values)))


def precision_of(
    rate: Rate, who: NDArray[np.int64], possible: NDArray[np.bool_], tables: NDArray[np.integer[Any]]
) -> Range:
    """Bound the share of people who count for a rate, among all who get its label.

    A table on which nobody gets the label has no precision, and the bounds are about all other tables.

    Notes
    -----
    *Soundness.* With a people who count and b others, the share a / (a + b) grows with a and falls with b,
    and each of them stays between those who surely and those who possibly get the label.
    """
    hits = [_hits(rate, who[rate.counted[who] == counted], possible, tables) for counted in (True, False)]
    (sure, may, right), (other_sure, other_may, wrong) = hits
    values = tuple(Fraction(int(a), int(a + b)) if a + b else None for a, b in zip(right, wrong, strict=True))
    if may + other_may == 0:
        return Range(len(who), None, None, values)
    low = Fraction(sure, sure + other_may) if sure + other_may else Fraction(1)
    high = Fraction(may, may + other_sure) if may + other_sure else Fraction(0)
    return Range(len(who), low, high, values)


def _hits(
    rate: Rate, who: NDArray[np.int64], possible: NDArray[np.bool_], tables: NDArray[np.integer[Any]]
) -> tuple[int, int, NDArray[np.int64]]:
    """How many of some people surely get a rate's label, how many possibly, and how many on each table."""
    target = rate.target[who]
    may = possible[who, target] & (target >= 0)
    surely = may & (possible[who].sum(axis=1) == 1)
    return int(surely.sum()), int(may.sum()), (tables[:, who] == target).sum(axis=1)


def narrowed(found: Range, low: Value, high: Value) -> Range:
    """Intersect a range with further bounds; empty if no table gives the metric a value."""
    if found.low is None or found.high is None:
        return found
    low = found.low if low is None else max(low, found.low)
    high = found.high if high is None else min(high, found.high)
    return (
        Range(found.n, low, high, found.values) if low <= high else Range(found.n, None, None, found.values)
    )


def larger_of(one: Range, other: Range) -> Range:
    """The larger of two values about different people on each table; no value where one of them has none."""

    def largest(a: Value, b: Value) -> Value:
        return None if a is None or b is None else max(a, b)

    values = tuple(largest(a, b) for a, b in zip(one.values, other.values, strict=True))
    return Range(one.n + other.n, largest(one.low, other.low), largest(one.high, other.high), values)


def difference(groups: Sequence[Range]) -> Range:
    """The largest rate minus the smallest; no value with fewer than two groups.

    Notes
    -----
    *Soundness.* Let every rate run through its own range. The rates are nearest to each other when all move
    towards the gap between the largest low end and the smallest high end, and farthest apart when one group
    is at its high end and another at its low end.
    """

    def ends(lows: Sequence[Fraction], highs: Sequence[Fraction]) -> tuple[Value, Value]:
        high = max(other - low for low, other in zip(lows, _largest_of_others(highs), strict=True))
        return max(Fraction(0), max(lows) - min(highs)), high

    return _compared(groups, lambda rates: max(rates) - min(rates), ends)


def ratio(groups: Sequence[Range]) -> Range:
    """The smallest rate divided by the largest; no value with fewer than two groups.

    A table on which all rates are 0 has no ratio, and the bounds are about all other tables; there are none
    where every high end is 0.

    Notes
    -----
    *Soundness.* As for `difference`: the ratio is smallest with one group at its low end and another at its
    high end, and at most the smallest high end over the largest low end, and at most 1. If one rate is always
    0, so is the ratio.
    """

    def ends(lows: Sequence[Fraction], highs: Sequence[Fraction]) -> tuple[Value, Value]:
        if max(highs) == 0:
            return None, None
        pairs = zip(lows, _largest_of_others(highs), strict=True)
        low = min(low / other for low, other in pairs if other)
        if max(lows) > min(highs):
            return low, min(highs) / max(lows)
        return low, Fraction(1) if min(highs) else Fraction(0)

    return _compared(groups, lambda rates: min(rates) / max(rates) if max(rates) else None, ends)


def against_best(groups: Sequence[Range], place: int) -> Range:
    """The rate of one group divided by the largest of all; no value with fewer than two groups.

    A table on which all rates are 0 has no value, as for `ratio`. The quotient is smallest with the group at
    its low end and all others at their high ends, and largest the other way round.
    """
    own = groups[place]
    others = [group for k, group in enumerate(groups) if k != place and group.n]
    if own.n == 0 or not others:
        return Range(own.n, None, None, (None,) * len(own.values))

    def quotient(mine: Any, rest: Sequence[Any]) -> Value:
        return mine / max(mine, *rest) if max(mine, *rest) else None

    rest = zip(*(group.values for group in others), strict=True)
    values = tuple(quotient(mine, theirs) for mine, theirs in zip(own.values, rest, strict=True))
    low = quotient(own.low, [group.high for group in others])
    high = quotient(own.high, [group.low for group in others])
    if low is None:  # only this group is ever selected, or nobody
        return Range(own.n, high, high, values)
    return Range(own.n, low, Fraction(0) if high is None else high, values)


def _compared(
    groups: Sequence[Range],
    of_rates: Callable[[Sequence[Any]], Value],
    ends: Callable[[Sequence[Any], Sequence[Any]], tuple[Value, Value]],
) -> Range:
    """Compare rates of groups that have one, on each known table and over all of B(T)."""
    some = [group for group in groups if group.n]
    n = sum(group.n for group in some)
    if len(some) < 2:
        return Range(n, None, None, (None,) * len(groups[0].values))
    low, high = ends([group.low for group in some], [group.high for group in some])
    values = tuple(of_rates(rates) for rates in zip(*(group.values for group in some), strict=True))
    return Range(n, low, high, values)


def _largest_of_others(values: Sequence[Fraction]) -> list[Fraction]:
    """For each place, the largest of the values at all other places; at least two values are needed."""
    second, first = sorted(values)[-2:]
    place = values.index(first)
    return [second if i == place else first for i in range(len(values))]
