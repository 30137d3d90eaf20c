"""Nodes that many changed tables share: which splits are the best after a few of the rows were changed.

Between the groups of equal rows and the people who are followed. A node is a set of rows of T, whatever
becomes of their labels; so its splits are counted once. A change touches a split only by which labels it
moves on which side: the scores of all splits are computed once for each such pattern, and the splits to which
one change does the same are found by whole numbers whose bits stand for splits.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property, lru_cache
from operator import add, sub
from typing import NamedTuple

from everytree.checker.criteria import Criterion, Gini
from everytree.checker.exact import LOG2_E, UNIT, Range, log2
from everytree.checker.holes import LACKING
from everytree.checker.proofs.equal_rows import REMOVED, Change, EqualRows, Move
from everytree.checker.proofs.nodes import Problem

__all__ = ["Cut", "SharedNode", "Table", "Tie"]

Counts = tuple[int, ...]
"""Rows of each label."""

LEFT, RIGHT = 0, 1

MOST_KEPT = 256
"""Patterns of moves for which the scores of a node's splits are kept."""


class Cut(NamedTuple):
    """A split of the rows of a node in T: its column and the ranks of the values beside the gap."""

    column: int
    low: int
    high: int
    left: Counts


class Tie(NamedTuple):
    """A split that may be the best after a change: its number in the node, and the labels on both sides."""

    number: int
    sides: tuple[Counts, Counts]


class Table:
    """What all nodes of one table have in common: groups of rows, values of label counts, the criterion."""

    def __init__(self, problem: Problem) -> None:
        self.problem, self.rows = problem, EqualRows(problem)
        self.criterion: Criterion = problem.criterion
        self.first_of = {second: first for first, second in problem.twins.second.items()}
        self._values: dict[Counts, Range] = {}
        self.same: dict[Counts, Counts] = {}
        self.highs = lru_cache(MOST_KEPT)(_Near.scores)

    def value(self, counts: Counts) -> Range:
        """Enclose what the criterion says of a branch."""
        known = self._values.get(counts)
        if known is None:
            known = self._values[counts] = self.criterion.value(counts)
        return known

    def score(self, left: Counts, right: Counts) -> Range:
        """Enclose the score of a split."""
        here, there = self.value(left), self.value(right)
        return here[0] + there[0], here[1] + there[1]

    def step(self, size: int) -> int:
        """By how many units one change moves the score of a split of so many rows at most.

        Gini: along a flip the slope of g is 2 (p_j - p_i), along a removal it lies between -1 and 1. Entropy:
        g is f summed over the labels less f of their sum, f(x) = x log2 x. A flip lowers one of these terms
        and raises another, a removal lowers one and raises -f of the sum, each by at most log2 n + log2 e.
        """
        return 2 * UNIT if isinstance(self.criterion, Gini) else log2(size)[1] + LOG2_E[1]


class SharedNode:
    """Rows of T that come together in some table, by groups, with so many levels of splits below."""

    def __init__(self, table: Table, groups: tuple[int, ...], depth: int) -> None:
        self.table, self.groups, self.depth = table, groups, depth
        rows, counts = table.rows, [0] * table.problem.n_labels
        for group in groups:
            counts[rows.label[group]] += rows.size[group]
        self.total: Counts = tuple(counts)
        self.size = sum(counts)
        self.inside = frozenset(groups)
        self._near: dict[int, _Near] = {}
        self._children: dict[tuple[int, int], tuple[int, ...]] = {}
        self._at: dict[int, dict[int, int]] = {}

    @cached_property
    def cuts(self) -> list[Cut]:
        """Every split of the rows as they are in T; what is missing is never alone on the left."""
        rows, levels, same = self.table.rows, self.table.problem.levels, self.table.same
        found: list[Cut] = []
        for j, (order, codes) in enumerate(zip(rows.order, rows.codes, strict=True)):
            left, before = [0] * len(self.total), -1
            for group in order:
                if group not in self.inside:
                    continue
                code = codes[group]
                if code != before and before >= 0 and levels[j][before] != -LACKING:
                    own = tuple(left)
                    found.append(Cut(j, before, code, same.setdefault(own, own)))
                left[rows.label[group]] += rows.size[group]
                before = code
        return found

    @cached_property
    def alike(self) -> dict[Counts, list[int]]:
        """The splits by the labels on their left, on which alone their score hangs."""
        found: dict[Counts, list[int]] = {}
        for number, cut in enumerate(self.cuts):
            found.setdefault(cut.left, []).append(number)
        return found

    def after(self, change: Change) -> Counts:
        """Count the labels after a change."""
        return _moved(self.total, (act.move for act in change))

    def ties(self, change: Change, total: Counts) -> tuple[list[Tie], int]:
        """All splits whose score may be within the tolerance of the best, and a bound below the best score.

        Soundness
        ---------
        The reference scores at most as much as the best split: where a change leaves it one side only, its
        score is that of the node, and no split scores less. So whatever may tie with the best one reaches the
        score of the reference, less the tolerance. `_Near` leaves out splits that cannot after so many
        changes.
        """
        if not self.cuts:
            return [], 0
        near = self._near.get(len(change))
        if near is None:
            near = self._near[len(change)] = _Near(self, len(change))
        tied_by = self.table.criterion.tolerance(sum(total))
        found = list(near.reaching(change, tied_by))
        best = max((low for _, (low, _) in found), default=0)
        return [tie for tie, (_, high) in found if high >= best - tied_by], best - tied_by

    def child(self, number: int, side: int) -> tuple[int, ...]:
        """The groups on a side of a split."""
        known = self._children.get((number, side))
        if known is None:
            column, low, _, _ = self.cuts[number]
            codes = self.table.rows.codes[column]
            known = tuple(group for group in self.groups if (codes[group] > low) == (side == RIGHT))
            self._children[number, side] = known
        return known

    def threshold(self, tie: Tie, change: Change) -> float | None:
        """The midpoint of the values that the changed rows have beside a split; None if it is not taken.

        Where no row lacks a value, people who do go where more rows are, and only one of both writings of the
        column says so. What is missing is never alone on the left.
        """
        column, low, high, _ = self.cuts[tie.number]
        gone = Counter(self.table.rows.codes[column][act.group] for act in change if act.move[1] == REMOVED)
        if gone:
            at = self._rows_at(column)
            low = max(code for code, n in at.items() if code <= low and n > gone[code])
            high = min(code for code, n in at.items() if code >= high and n > gone[code])
        levels = self.table.problem.levels[column]
        if levels[low] == -LACKING or not self._goes_where_more_are(column, tie, gone):
            return None
        return levels[low] / 2.0 + levels[high] / 2.0

    def _goes_where_more_are(self, column: int, tie: Tie, gone: Counter[int]) -> bool:
        second = self.table.problem.twins.second
        if column not in second and column not in self.table.first_of:
            return True
        levels, at = self.table.problem.levels[column], self._rows_at(column)
        if any(abs(levels[code]) == LACKING and n > gone[code] for code, n in at.items()):
            return True
        more_left = sum(tie.sides[LEFT]) > sum(tie.sides[RIGHT])
        return more_left == (column not in second)

    def _rows_at(self, column: int) -> dict[int, int]:
        """Rows of the node at each value of a column."""
        known = self._at.get(column)
        if known is None:
            known = self._at[column] = {}
            codes, sizes = self.table.rows.codes[column], self.table.rows.size
            for group in self.groups:
                known[codes[group]] = known.get(codes[group], 0) + sizes[group]
        return known


class _Near:
    """Splits of a node that so many changes may make the best, as bits of whole numbers.

    One change touches one side of a split: after d of them the best split of T has lost at most d steps and
    any other has gained at most d, so one that is more than 2 d steps and the tolerance behind is not best.
    """

    def __init__(self, node: SharedNode, changes: int) -> None:
        self.node, self.table = node, node.table
        scores = {left: self.table.score(left, tuple(map(sub, node.total, left))) for left in node.alike}
        best = max(scores, key=lambda left: scores[left][0])
        self.reference = node.alike[best][0]
        reach = 2 * changes * self.table.step(node.size) + self.table.criterion.tolerance(node.size)
        least = scores[best][0] - reach
        near = [left for left, (_, high) in scores.items() if high >= least]
        self.numbers = sorted(number for left in near for number in node.alike[left])
        place = {number: place for place, number in enumerate(self.numbers)}
        self.alike = [(left, sum(1 << place[number] for number in node.alike[left])) for left in near]
        self.columns: list[tuple[int, int, list[int]]] = []
        for number in self.numbers:
            column, low, _, _ = node.cuts[number]
            if not self.columns or self.columns[-1][0] != column:
                self.columns.append((column, place[number], []))
            self.columns[-1][2].append(low)
        self.all = (1 << len(self.numbers)) - 1
        self._left_of: dict[int, int] = {}
        self._reaching: dict[tuple[Sequence[Move], Sequence[int], int], int] = {}

    def reaching(self, change: Change, tied_by: int) -> Iterator[tuple[Tie, Range]]:
        """Splits that score as much as the reference after a change, less the tolerance, and their scores."""
        cut = self.node.cuts[self.reference]
        codes = self.table.rows.codes[cut.column]
        moves = tuple(act.move for act in change)
        own = tuple(LEFT if codes[act.group] <= cut.low else RIGHT for act in change)
        least = self.table.score(*self._sides(self.reference, moves, own))[0] - tied_by
        for sides, splits in self._parts(change):
            hit = splits & self._that_reach(moves, sides, least)
            while hit:
                place = (hit & -hit).bit_length() - 1
                hit &= hit - 1
                counts = self._sides(self.numbers[place], moves, sides)
                yield Tie(self.numbers[place], counts), self.table.score(*counts)

    def _parts(self, change: Change) -> list[tuple[tuple[int, ...], int]]:
        """The splits by the sides on which they have the changed rows."""
        parts: list[tuple[tuple[int, ...], int]] = [((), self.all)]
        for act in change:
            mask = self._left(act.group)
            parts = [
                ((*sides, side), rest)
                for sides, splits in parts
                for side, rest in ((LEFT, splits & mask), (RIGHT, splits & ~mask))
                if rest
            ]
        return parts

    def _left(self, group: int) -> int:
        """Splits that have a group on their left: in each column those from its value on."""
        mask = self._left_of.get(group)
        if mask is None:
            mask = 0
            for column, begin, lows in self.columns:
                skipped = bisect_left(lows, self.table.rows.codes[column][group])
                mask |= ((1 << (len(lows) - skipped)) - 1) << (begin + skipped)
            self._left_of[group] = mask
        return mask

    def _sides(self, number: int, moves: Sequence[Move], sides: Sequence[int]) -> tuple[Counts, Counts]:
        """Labels on both sides of a split after moves on these sides."""
        left = self.node.cuts[number].left
        return tuple(
            _moved(counts, (move for move, at in zip(moves, sides, strict=True) if at == side))
            for side, counts in ((LEFT, left), (RIGHT, tuple(map(sub, self.node.total, left))))
        )  # type: ignore[return-value]

    def _that_reach(self, moves: Sequence[Move], sides: Sequence[int], least: int) -> int:
        """Splits with two sides whose score may be so much at least, if the moves are on these sides."""
        mask = self._reaching.get((moves, sides, least))
        if mask is None:
            mask = 0
            for high, alike in self.table.highs(self, moves, sides):
                if high >= least:
                    mask |= alike
            self._reaching[moves, sides, least] = mask
        return mask

    def scores(self, moves: Sequence[Move], sides: Sequence[int]) -> list[tuple[int, int]]:
        """Bound scores from above; splits with an empty side, or fewer rows than moves, have none.

        A split that has the changed rows on these sides has enough of them.
        """
        zero = (0,) * len(self.node.total)
        to_left = _moved(zero, (move for move, side in zip(moves, sides, strict=True) if side == LEFT))
        total = _moved(self.node.total, moves)
        value, found = self.table.value, list[tuple[int, int]]()
        for own, alike in self.alike:
            left = tuple(map(add, own, to_left))
            right = tuple(map(sub, total, left))
            if min(left) >= 0 and min(right) >= 0 and any(left) and any(right):
                found.append((value(left)[1] + value(right)[1], alike))
        return found


def _moved(counts: Counts, moves: Iterable[Move]) -> Counts:
    """Label counts after some rows got other labels, or went."""
    new = list(counts)
    for before, after in moves:
        new[before] -= 1
        if after != REMOVED:
            new[after] += 1
    return tuple(new)
