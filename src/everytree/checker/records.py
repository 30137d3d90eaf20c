"""The table of an independent check: equal rows merged, and the splits of a node with their counts.

Plain Python and whole numbers. Nothing is shared with the compiled kernels that count for the engines.
"""

from __future__ import annotations

import math
import struct
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from everytree.checker.facts import BiasFacts

__all__ = ["Kind", "Records", "Split", "bridged_gap", "list_splits", "merge", "shared_left"]

Counts = list[int]
"""Rows of each kind."""


class Kind(NamedTuple):
    """What the bias model sees of a row: its label, what it may become, and whether it may go."""

    label: int
    flips_to: frozenset[int]
    removable: bool


@dataclass(frozen=True, eq=False)
class Records:
    """Training rows, equal ones merged: ``weight[r]`` rows have ``values[r]`` and are of ``kinds[kind[r]]``.

    ``zero_one[j]`` says that column j can hold nothing but 0 and 1, in added rows too.
    """

    values: list[tuple[float, ...]]
    kind: Counts
    weight: Counts
    kinds: list[Kind]
    zero_one: tuple[bool, ...]

    def count(self, members: Iterable[int]) -> Counts:
        """Count the rows of each kind among some records."""
        total = [0] * len(self.kinds)
        for r in members:
            total[self.kind[r]] += self.weight[r]
        return total


@dataclass(eq=False, slots=True)
class Split:
    """Values of `column` up to `low` go left, values from `high` on go right, no row lies between.

    `low` is minus infinity or `high` infinity for an outer split. ``sides[b]`` counts the rows of each kind
    left (0) and right (1), ``additions[b]`` bounds the added rows there.
    """

    column: int
    low: float
    high: float
    sides: tuple[Counts, Counts]
    additions: tuple[int, int]

    @property
    def inner(self) -> bool:
        """Whether rows of T lie on both sides."""
        return -math.inf < self.low and self.high < math.inf

    def leads(self, value: float) -> Iterator[int]:
        """Sides that a person with this value may go to.

        Where no row can be added, the threshold is scikit-learn's midpoint. Otherwise it lies anywhere in
        the gap, so that a value strictly inside goes both ways.
        """
        if self.additions == (0, 0):
            yield int(value > self.low / 2.0 + self.high / 2.0)
            return
        if value < self.high:
            yield 0
        if value > self.low:
            yield 1

    def describe(self, side: int, names: Sequence[str]) -> str:
        """Say in words what it means to go to one side."""
        name, sign = names[self.column], ">" if side else "<="
        if self.low == -math.inf:
            return f"{name} {sign} a threshold below {self.high:g}"
        if self.high == math.inf:
            return f"{name} {sign} a threshold from {self.low:g} on"
        if self.additions == (0, 0):
            return f"{name} {sign} {self.low / 2.0 + self.high / 2.0:g}"
        return f"{name} {sign} a threshold between {self.low:g} and {self.high:g}"


def merge(
    rows: Sequence[Sequence[float]], labels: Sequence[int], facts: BiasFacts, zero_one: Sequence[bool] | None
) -> Records:
    """Merge rows that agree in all values, label and permissions.

    Permissions that no budget can use are left out, so that more rows agree.
    """
    kind_of: dict[Kind, int] = {}
    weights: dict[tuple[tuple[float, ...], int], int] = {}
    nothing: frozenset[int] = frozenset()
    for r, row in enumerate(rows):
        flips_to = frozenset(facts.flips_to[r]) - {labels[r]} if facts.flips > 0 else nothing
        kind = Kind(int(labels[r]), flips_to, facts.removals > 0 and bool(facts.removable[r]))
        key = (tuple(float(value) for value in row), kind_of.setdefault(kind, len(kind_of)))
        weights[key] = weights.get(key, 0) + 1
    values = [row for row, _ in weights]
    if zero_one is None:
        zero_one = [all(value in (0.0, 1.0) for value in column) for column in zip(*values, strict=True)]
    return Records(
        values, [kind for _, kind in weights], list(weights.values()), list(kind_of), tuple(zero_one)
    )


def bridged_gap(records: Records, additions: int) -> tuple[int, float, float] | None:
    """Find a column and two neighbouring values that scikit-learn might treat as one, if there are any.

    It joins values v <= v' with v' <= float32(v + float32(1e-7)); added rows can form a chain of such steps,
    but not in a column of zeros and ones.
    """
    for j, column in enumerate(zip(*records.values, strict=True)):
        for low, high in pairwise(sorted(set(column))) if not records.zero_one[j] else ():
            if high - low > (additions + 2) * 2e-7:  # no step is longer than 2e-7, rounding included
                continue
            if _chain(low, high, additions + 1) >= high:
                return j, low, high
    return None


def _chain(low: float, high: float, steps: int) -> float:
    """Where so many steps lead from a value, or the first place from `high` on.

    From 2^-22 on, in size, steps have the same width up to the next power of two: they are taken together,
    all but the last two.
    """
    step, reached = _float32(1e-7), low
    while steps > 0 and reached < high:
        width = _float32(reached + step) - reached
        if width == 0:
            break
        power = 2.0 ** math.frexp(reached)[1]
        far = (power - reached if reached > 0 else -power / 2 - reached) if abs(reached) > 2**-22 else 0.0
        several = min(steps, max(1, int(far / width) - 2))
        reached += several * width
        steps -= several
    return reached


def _float32(value: float) -> float:
    """Round to float32; exact for the sum of two float32 numbers that was rounded to float64 first."""
    return float(struct.unpack("f", struct.pack("f", value))[0])


def list_splits(
    records: Records, members: Sequence[int], additions: int, settled: frozenset[int]
) -> list[Split]:
    """List every split that the learner may find in a node, on T or with added rows.

    The inner splits are the gaps between neighbouring values of a column. With additions there are outer
    ones as well, below the least and above the greatest value: in a column of zeros and ones only towards
    the value that the node lacks, and only if no split above has `settled` the column. Nothing lies beyond
    what stands for a missing value.
    """
    total = records.count(members)
    splits: list[Split] = []
    for j, zero_one in enumerate(records.zero_one):
        counts = _by_value(records, members, j)
        ordered = sorted(counts)
        edges = [(a, b, additions, additions) for a, b in pairwise(ordered)]
        missing = {0.0, 1.0} - set(ordered) if j not in settled else set()
        below, above = ordered[0] > -sys.float_info.max, ordered[-1] < sys.float_info.max
        if additions > 0 and below and (not zero_one or any(value < ordered[0] for value in missing)):
            edges.insert(0, (-math.inf, ordered[0], additions, additions - 1))
        if additions > 0 and above and (not zero_one or any(value > ordered[-1] for value in missing)):
            edges.append((ordered[-1], math.inf, additions - 1, additions))
        left = [0] * len(total)
        for low, high, *added in edges:
            if low in counts:
                left = [a + b for a, b in zip(left, counts[low], strict=True)]
            right = [a - b for a, b in zip(total, left, strict=True)]
            splits.append(Split(j, low, high, (left, right), (added[0], added[1])))
    return splits


def shared_left(
    records: Records, members: Sequence[int], psi: Split, splits: Sequence[Split]
) -> list[Counts]:
    """Count, for each split (in the order of `list_splits`), the rows left of both it and psi."""
    inside = [r for r in members if records.values[r][psi.column] <= psi.low]
    result: list[Counts] = []
    column, left = -1, [0] * len(records.kinds)
    places: list[tuple[float, Counts]] = []
    for split in splits:
        if split.column != column:
            column, left = split.column, [0] * len(records.kinds)
            places = sorted(_by_value(records, inside, column).items(), reverse=True)
        while places and places[-1][0] <= split.low:
            left = [a + b for a, b in zip(left, places.pop()[1], strict=True)]
        result.append(left)
    return result


def _by_value(records: Records, members: Sequence[int], column: int) -> dict[float, Counts]:
    """Count the rows of each kind at each value of a column."""
    values, kind, weight = records.values, records.kind, records.weight
    counts: dict[float, Counts] = {}
    for r in members:
        value = values[r][column]
        if value not in counts:
            counts[value] = [0] * len(records.kinds)
        counts[value][kind[r]] += weight[r]
    return counts
