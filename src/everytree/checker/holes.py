"""Missing values in an independent check: a column that lacks some is written down twice.

Once what is missing is larger than every number, once it is smaller: so a split that sends it to the right is
one of the first writing, and a split that sends it to the left one of the second. Own code of the check.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from everytree.checker.records import Kind, Records, Split

__all__ = ["LACKING", "Twins", "write_twice"]

LACKING = sys.float_info.max
"""Stands for what is missing in the first writing, its negative in the second; no float32 is so large."""

Given = Sequence[float | None]


class Twins(NamedTuple):
    """Where columns were written twice: ``second[j]`` is the other place of column j.

    ``of_rows`` are those of them that some training row lacks: an added row may lack only these.
    """

    second: Mapping[int, int]
    of_rows: frozenset[int]

    def followed(
        self, splits: Iterable[Split], records: Records, members: Sequence[int], additions: int, removals: int
    ) -> list[Split]:
        """Leave out splits that send a person without a value where the learner never does.

        That may be said only of a node in which no row lacks the column, in any table of B(T) without one
        that does: there both writings have the same splits, and the person goes left (the second writing) in
        tables with more rows on the left, and right (the first one) in all others. The learner never sends
        what is missing alone to the left: that divides rows and people as what is missing alone on the right
        does, unless a row is added below all values.
        """
        open_to_both = {
            j
            for j in self.second
            if (additions > 0 and j in self.of_rows) or any(records.values[r][j] == LACKING for r in members)
        }
        first_of = {k: j for j, k in self.second.items()}
        kept = []
        for split in splits:
            j = first_of.get(split.column, split.column)
            if j in self.second and j not in open_to_both:
                least, most = _lead_of_left(split, records.kinds, additions, removals)
                if (split.column == j and least > 0) or (split.column != j and most <= 0):
                    continue
            if additions == 0 and split.low == -LACKING:
                continue
            kept.append(split)
        return kept


def _lead_of_left(split: Split, kinds: Sequence[Kind], additions: int, removals: int) -> tuple[int, int]:
    """Least and most rows by which the left side is larger than the right one, over all tables."""
    left, right = (sum(side) for side in split.sides)
    gone = [
        min(removals, sum(count for kind, count in zip(kinds, side, strict=True) if kind.removable))
        for side in split.sides
    ]
    return left - right - additions - gone[0], left - right + additions + gone[1]


Written = tuple[float, ...]


def write_twice(rows: Sequence[Given], people: Sequence[Given]) -> tuple[list[Written], list[Written], Twins]:
    """Write the columns that a row or one of the people lacks twice; None stands for what is missing."""
    n_columns = len(rows[0])
    of_rows = frozenset(j for row in rows if None in row for j, value in enumerate(row) if value is None)
    of_people = {j for person in people if None in person for j, value in enumerate(person) if value is None}
    twice = sorted(of_rows | of_people)

    def written(given: Given) -> Written:
        first = tuple(LACKING if value is None else float(value) for value in given)
        return first + tuple(-LACKING if given[j] is None else first[j] for j in twice)

    twins = Twins({j: n_columns + place for place, j in enumerate(twice)}, of_rows)
    return [written(row) for row in rows], [written(person) for person in people], twins
