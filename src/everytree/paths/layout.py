"""Cells and changes of a path: which rows the splits in use cannot tell apart, and what may happen to them.

Between paths and programs: rows of T with the same sides of all splits in use and the same permissions are
one group of columns; rows that may be added form cells of their own, one for each combination of sides.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING

import numpy as np

from everytree.bias.acts import ACTS, ADD, FLIP, NONE, transitions, uses
from everytree.paths.program import Changes
from everytree.prove.node import Cut
from everytree.prove.views import LARGEST

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from everytree.paths.waiting import Step
    from everytree.prove.problem import Problem

MOST_ADDED_CELLS = 3000
"""More cells of added rows than this make a program too large to be worth solving."""


KEY_BITS = 10
"""Splits whose sides are joined into one key at a time."""


class TooLargeError(Exception):
    """A program would have more columns than is sensible."""


@dataclass(frozen=True, eq=False)
class Groups:
    """Rows of T that may be changed, grouped by type and sides.

    ``of_row[k]`` is the group of row ``rows[k]``; ``size`` and ``type_of`` describe the groups.
    """

    rows: NDArray[np.int64]
    of_row: NDArray[np.int64]
    size: NDArray[np.int64]
    type_of: NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Layout:
    """Columns of a program, and where they act.

    ``sides[cell, q]`` is the side of cell with respect to split q (-1 where the cell is not in the node of
    that split); splits are numbered level by level. The first cells are the groups of rows of T, in order;
    ``places`` holds the codes (after, before) that bound each cell of added rows, feature by feature.
    """

    changes: Changes
    sides: NDArray[np.int8]
    groups: Groups
    places: list[dict[int, tuple[int, int]]]
    n_labels: int

    @property
    def n_groups(self) -> int:
        """Number of groups of rows of T."""
        return len(self.groups.size)

    def rows_of(self, group: int) -> NDArray[np.int64]:
        """Rows of T that belong to a group."""
        return np.asarray(self.groups.rows[self.groups.of_row == group])

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

    def reach(
        self, counts: NDArray[np.float64], effect: NDArray[np.float64], budgets: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Least and greatest counts that whole budgets can give a split, each by itself."""
        uses, cap = self.changes.uses, self.changes.cap
        act = np.argmax(uses > 0, axis=0)  # of several acts the first: an added row may be flipped as well
        low, high = counts.copy(), counts.copy()
        for k, budget in enumerate(budgets):
            low -= np.minimum(((effect < 0) & (act == k)) @ cap, budget)
            high += np.minimum(((effect > 0) & (act == k)) @ cap, budget)
        return np.maximum(low, 0.0), high


def lay_out(problem: Problem, steps: tuple[Step, ...], cuts: list[list[Cut]]) -> Layout:
    """Group the rows by their sides of all splits in use; `cuts` lists them by level, the path's first."""
    columns = _Columns(problem)
    groups, sides = _group_rows(problem, steps, cuts)
    for cell, (t, size) in enumerate(zip(groups.type_of, groups.size, strict=True)):
        columns.put_rows(cell, int(t), float(size))
    places: list[dict[int, tuple[int, int]]] = []
    if problem.bias.additions > 0:
        places, added = _added_cells(problem, steps, cuts)
        for extra, place in enumerate(places):
            columns.put_added(len(groups.size) + extra, _labels_at(problem, place))
        sides = np.concatenate([sides, added]) if len(added) else sides
    return Layout(columns.changes(), sides, groups, places, problem.bias.n_labels)


class _Columns:
    """Collects the columns of a program."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.transitions = tuple(transitions(problem.bias.n_labels))
        self.entries: list[tuple[tuple[int, ...], float, int, int, int, int]] = []
        self.sizes: list[float] = []

    def put_rows(self, cell: int, t: int, size: float) -> None:
        source = int(self.problem.types.label[t])
        self.sizes.append(size)
        for act, before, after in self.transitions:
            if before == source and self._may(t, act, after):
                self.entries.append((uses(act), size, cell, before, after, cell))

    def _may(self, t: int, act: int, after: int) -> bool:
        """Whether an act may happen to rows of a type."""
        types = self.problem.types
        return bool(types.flips_to[t, after] if act == FLIP else types.removable[t])

    def put_added(self, cell: int, addable: NDArray[np.bool_]) -> None:
        bias = self.problem.bias
        if not addable.any():
            return
        most = float(bias.additions)
        for target in range(bias.n_labels):
            if addable[target]:
                self.entries.append((uses(ADD), most, cell, NONE, target, -1))
            elif bias.flips > 0 and bias.added_flips_to[target]:
                self.entries.append((uses(ADD, FLIP), most, cell, NONE, target, -1))

    def changes(self) -> Changes:
        taken = np.array([entry[0] for entry in self.entries], float).reshape(-1, len(ACTS)).T
        cap = np.array([entry[1] for entry in self.entries], float)
        numbers = np.array([entry[2:] for entry in self.entries], np.int64).reshape(-1, 4).T
        cell, source, target, group = numbers
        return Changes(taken, cap, cell, source, target, group, np.array(self.sizes))


def _group_rows(
    problem: Problem, steps: tuple[Step, ...], cuts: list[list[Cut]]
) -> tuple[Groups, NDArray[np.int8]]:
    """Group the rows of T that may be changed, level by level, by counting keys; give the sides as well."""
    types, codes = problem.types, problem.columns.codes
    changeable = types.removable | types.flips_to.any(axis=1)
    everywhere = bool(changeable.all())
    rows = np.arange(len(types.of_row)) if everywhere else np.flatnonzero(changeable[types.of_row])
    place = np.full(len(types.of_row), -1, np.int64)
    place[rows] = np.arange(len(rows))
    group = types.of_row[rows].astype(np.int64)
    type_of = np.arange(len(types.label))
    sides = np.empty((len(type_of), 0), np.int8)
    inside = np.ones(len(type_of), np.bool_)
    size = np.bincount(group, minlength=len(type_of))
    for step, of_level in zip(steps, cuts, strict=True):
        here = step.rows if everywhere else step.rows[place[step.rows] >= 0]
        begin = sides.shape[1]
        for first in range(0, len(of_level), KEY_BITS):
            part = of_level[first : first + KEY_BITS]
            bits = np.zeros(len(here), np.int64)
            for cut in part:
                bits *= 2
                if cut.feature >= 0:
                    bits += codes[cut.feature, here] > cut.low
            key = group << len(part)
            key[here if everywhere else place[here]] += bits
            counts = np.bincount(key, minlength=len(type_of) << len(part))
            used = np.flatnonzero(counts)
            number = np.zeros(len(counts), np.int64)
            number[used] = np.arange(len(used))
            group, size = number[key], counts[used]
            parent = used >> len(part)
            shifts = np.arange(len(part) - 1, -1, -1)
            new = ((used[:, None] >> shifts) & 1).astype(np.int8)
            new[~inside[parent]] = -1
            sides = np.concatenate([sides[parent], new], axis=1)
            type_of, inside = type_of[parent], inside[parent]
        inside = inside & (sides[:, begin] == step.side)
    return Groups(rows, group, size, type_of), sides


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
    """Sides of an added row of cuts of one column: never left of one and right of a later one.

    Cut after cut: every choice for the first ones has a continuation, so there are never more of them than
    in the end, and too many are noticed at once.
    """
    choices: list[tuple[int, ...]] = [()]
    for q, cut in enumerate(cuts):
        before = [p for p in range(q) if cuts[p].high <= cut.low]
        after = [p for p in range(q) if cut.high <= cuts[p].low]
        choices = [
            (*sides, side)
            for sides in choices
            for side in (0, 1)
            if not (any(sides[p] for p in after) if side == 0 else any(not sides[p] for p in before))
        ]
        if len(choices) > MOST_ADDED_CELLS:
            raise TooLargeError
    return choices


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
        lower = max(float(values[low]), -LARGEST) if low >= 0 else -np.inf
        upper = float(np.nextafter(np.float64(values[high]), -np.inf)) if high < len(values) else np.inf
        bounds[feature] = (lower, upper)
    return bounds


def _labels_at(problem: Problem, place: dict[int, tuple[int, int]]) -> NDArray[np.bool_]:
    """Labels that a row added to a cell may carry."""
    bias = problem.bias
    if not bias.additions_depend_on_region:
        return bias.addable
    additions, addable = bias.additions_in(problem.region(bounds_of(problem, place)))
    return addable if additions > 0 else np.zeros_like(addable)


__all__ = ["Layout", "TooLargeError", "bounds_of", "lay_out"]
