"""Cells and changes of a path: which rows the splits in use cannot tell apart, and what may happen to them.

Between paths and programs: rows of T with the same sides of all splits in use and the same permissions are
one group of columns; rows that may be added form cells of their own, one for each combination of sides.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from everytree.decide.program import ADD, FLIP, REMOVE, Changes

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from everytree.decide.paths import Step
    from everytree.explore import Problem

MOST_ADDED_CELLS = 3000
"""More cells of added rows than this make a program too large to be worth solving."""


class Cut(NamedTuple):
    """A split in use: code <= low of the feature goes left, code >= high goes right."""

    feature: int
    low: int
    high: int


class TooLargeError(Exception):
    """A program would have more columns than is sensible."""


@dataclass(frozen=True, eq=False)
class Layout:
    """Columns of a program, and where they act.

    ``sides[cell, q]`` is the side of cell with respect to split q (-1 where the cell is not in the node of
    that split); splits are numbered level by level. ``members[g]`` lists the rows of group g, ``places``
    the codes (after, up to) that bound each cell of added rows, feature by feature.
    """

    changes: Changes
    sides: NDArray[np.int8]
    members: list[NDArray[np.int64]]
    places: list[dict[int, tuple[int, int]]]
    n_labels: int

    def effect(self, q: int) -> NDArray[np.float64]:
        """Effect of each column on the counts of split q: row ``side * n_labels + label``."""
        changes, n_labels = self.changes, self.n_labels
        side = self.sides[changes.cell, q].astype(np.int64)
        columns = np.flatnonzero(side >= 0)
        result = np.zeros((2 * n_labels, len(changes.cap)))
        for labels, sign in ((changes.target, 1.0), (changes.source, -1.0)):
            touched = columns[labels[columns] >= 0]
            result[side[touched] * n_labels + labels[touched], touched] += sign
        return result


def lay_out(problem: Problem, steps: tuple[Step, ...], cuts: list[list[Cut]]) -> Layout:
    """Group the rows by their sides of all splits in use; `cuts` lists them by level, the path's first."""
    columns = _Columns(problem)
    members, sides = _row_cells(problem, steps, cuts)
    for cell, rows in enumerate(members):
        columns.put_rows(cell, rows)
    places: list[dict[int, tuple[int, int]]] = []
    if problem.bias.additions > 0:
        places, added = _added_cells(problem, steps, cuts)
        for extra, place in enumerate(places):
            columns.put_added(len(members) + extra, _labels_at(problem, place))
        sides = np.concatenate([sides, added]) if len(added) else sides
    return Layout(columns.changes(len(members)), sides, members, places, problem.bias.n_labels)


class _Columns:
    """Collects the columns of a program."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.entries: list[tuple[tuple[float, float, float], float, int, int, int, int]] = []
        self.sizes: list[float] = []

    def put_rows(self, cell: int, rows: NDArray[np.int64]) -> None:
        types = self.problem.types
        t = int(types.of_row[rows[0]])
        source, size = int(types.label[t]), float(len(rows))
        self.sizes.append(size)
        for target in np.flatnonzero(types.flips_to[t]):
            self.entries.append(((0.0, 1.0, 0.0), size, cell, source, int(target), cell))
        if types.removable[t]:
            self.entries.append(((0.0, 0.0, 1.0), size, cell, source, -1, cell))

    def put_added(self, cell: int, addable: NDArray[np.bool_]) -> None:
        bias = self.problem.bias
        if not addable.any():
            return
        most = float(bias.additions)
        for target in range(bias.n_labels):
            if addable[target]:
                self.entries.append(((1.0, 0.0, 0.0), most, cell, -1, target, -1))
            elif bias.flips > 0 and bias.added_flips_to[target]:
                self.entries.append(((1.0, 1.0, 0.0), most, cell, -1, target, -1))

    def changes(self, n_groups: int) -> Changes:
        uses = np.array([entry[0] for entry in self.entries], float).reshape(-1, 3).T
        cap = np.array([entry[1] for entry in self.entries], float)
        numbers = np.array([entry[2:] for entry in self.entries], np.int64).reshape(-1, 4).T
        cell, source, target, group = numbers
        return Changes(uses, cap, cell, source, target, group, np.array(self.sizes[:n_groups]))


def _row_cells(
    problem: Problem, steps: tuple[Step, ...], cuts: list[list[Cut]]
) -> tuple[list[NDArray[np.int64]], NDArray[np.int8]]:
    """Rows of T that may be changed, grouped by type and sides, and the sides of each group."""
    types, codes = problem.types, problem.columns.codes
    key = types.of_row.astype(np.int64)
    bits = 20
    for step, of_level in zip(steps, cuts, strict=True):
        for cut in of_level:
            if bits == 62:
                _, key = np.unique(key, return_inverse=True)
                bits = 32
            key *= 2
            bits += 1
            if cut.feature >= 0:
                key[step.rows] += codes[cut.feature, step.rows] > cut.low
    changeable = types.removable | types.flips_to.any(axis=1)
    rows = np.flatnonzero(changeable[types.of_row])
    order = np.argsort(key[rows], kind="stable")
    rows = rows[order]
    borders = np.flatnonzero(np.diff(key[rows])) + 1
    members = np.split(rows, borders) if len(rows) else []
    first = np.array([group[0] for group in members], np.int64)
    sides = np.full((len(members), sum(map(len, cuts))), -1, np.int8)
    inside = np.ones(len(members), np.bool_)
    q = 0
    for step, of_level in zip(steps, cuts, strict=True):
        for cut in of_level:
            sides[inside, q] = codes[cut.feature, first[inside]] > cut.low if cut.feature >= 0 else 0
            q += 1
        inside = inside & (sides[:, q - len(of_level)] == step.side)
    return members, sides


def _added_cells(
    problem: Problem, steps: tuple[Step, ...], cuts: list[list[Cut]]
) -> tuple[list[dict[int, tuple[int, int]]], NDArray[np.int8]]:
    """Combinations of sides that an added row can have, and the codes that bound it in each column.

    The threshold of a cut lies anywhere in its gap, so two cuts of one column whose gaps overlap (at two
    levels of a path they may) can lie in either order, and an added row may lie between them.
    """
    by_feature: dict[int, list[int]] = {}
    flat = [cut for of_level in cuts for cut in of_level]
    for q, cut in enumerate(flat):
        if cut.feature >= 0:
            by_feature.setdefault(cut.feature, []).append(q)
    choices = [_side_choices([flat[q] for q in numbers]) for numbers in by_feature.values()]
    if np.prod([float(len(choice)) for choice in choices]) > MOST_ADDED_CELLS:
        raise TooLargeError
    found: dict[tuple[int, ...], dict[int, tuple[int, int]]] = {}
    for combination in product(*choices):
        side_of = {
            q: side
            for numbers, sides in zip(by_feature.values(), combination, strict=True)
            for q, side in zip(numbers, sides, strict=True)
        }
        sides: list[int] = []
        inside = True
        for step, of_level in zip(steps, cuts, strict=True):
            begin = len(sides)
            sides += [side_of.get(begin + k, 0) if inside else -1 for k in range(len(of_level))]
            inside = inside and sides[begin] == step.side
        place = {
            feature: _between([(flat[q], sides[q]) for q in numbers])
            for feature, numbers in by_feature.items()
        }
        found.setdefault(tuple(sides), place)
    return list(found.values()), np.array(list(found), np.int8)


def _side_choices(cuts: list[Cut]) -> list[tuple[int, ...]]:
    """Sides of an added row of cuts of one column: never left of one and right of a later one."""
    later = [(p, q) for p, a in enumerate(cuts) for q, b in enumerate(cuts) if a.high <= b.low]
    return [
        sides
        for sides in product((0, 1), repeat=len(cuts))
        if not any(sides[p] == 0 and sides[q] == 1 for p, q in later)
    ]


def _between(cuts: list[tuple[Cut, int]]) -> tuple[int, int]:
    """Codes (after, before) that bound a row with these sides; sides of -1 say nothing."""
    after = max((cut.low for cut, side in cuts if side == 1), default=-1)
    before = min((cut.high for cut, side in cuts if side == 0), default=_END)
    return after, before


_END = 2**31 - 1


def bounds_of(problem: Problem, place: dict[int, tuple[int, int]]) -> dict[int, tuple[float, float]]:
    """Where an added row of a cell may lie, in values: more than the code before, less than the one after."""
    bounds = {}
    for feature, (low, high) in place.items():
        start, stop = problem.columns.starts[feature], problem.columns.starts[feature + 1]
        values = problem.columns.values[start:stop]
        lower = float(values[low]) if low >= 0 else -np.inf
        upper = float(np.nextafter(np.float64(values[high]), -np.inf)) if high < len(values) else np.inf
        bounds[feature] = (lower, upper)
    return bounds


def _labels_at(problem: Problem, place: dict[int, tuple[int, int]]) -> NDArray[np.bool_]:
    """Labels that a row added to a cell may carry."""
    bias = problem.bias
    if not bias.additions_depend_on_region:
        return bias.addable
    additions, addable = bias.additions_in(problem.table.region(bounds_of(problem, place)))
    return addable if additions > 0 else np.zeros_like(addable)


__all__ = ["ADD", "FLIP", "REMOVE", "Cut", "Layout", "TooLargeError", "bounds_of", "lay_out"]
