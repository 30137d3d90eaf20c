"""Small sets: every table that the bias model allows is learned, with every tie, in whole numbers.

Beside the walk and the paths, for people whom both leave open. The file only names them: which tables there
are, and what is learned from each, is found out here. Covered are flips and removals, and at most
`MOST_TABLES` tables.

A row is kept, flipped or removed, as its kind allows, within the budgets of all components together: so the
tables that are tried include all of B(T). Equal rows of a kind are one class, because it does not matter
which of them is changed. In each table all splits count as best whose score may lie within the tolerance of
the best one, thresholds are the midpoints of values that the changed table still has, and a leaf gives the
first of its heaviest labels, or one of them where rounding decides. Class weights and rows of leaves are
those of the table; wherever the tree may be cut off for other reasons, it is looked at both ways.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from everytree.checker.exact import UNIT, up
from everytree.checker.holes import LACKING
from everytree.checker.proofs.nodes import Problem
from everytree.checker.proofs.wording import Rejected
from everytree.checker.sizes import Sizes

__all__ = ["MOST_TABLES", "count_tables", "is_covered", "open_cases"]

MOST_TABLES = 20_000
"""Tables that are tried at most."""

Values = tuple[float, ...]
Counts = tuple[int, ...]
"""Rows of each label."""

Table = Mapping[Values, Counts]
"""The rows of a table by their values."""


class _Change(NamedTuple):
    """One change that a class of equal rows allows: to another label, or away (`to` is None)."""

    values: Values
    label: int
    to: int | None
    group: int


def is_covered(problem: Problem) -> bool:
    """Whether tables can be tried: no row is added."""
    return problem.facts.additions == 0


def count_tables(problem: Problem) -> int:
    """Count the tables; one more than `MOST_TABLES` stands for all larger numbers."""
    number = 0
    for _ in _tables(problem):
        number += 1
        problem.pulse()
        if number > MOST_TABLES:
            break
    return number


def open_cases(problem: Problem) -> tuple[int, list[int]]:
    """Learn from every table; gives their number, and the cases that get another label from one of them."""
    if not is_covered(problem):
        raise Rejected("tables", "they are tried for flips and removals only.")
    number, wrong = 0, set[int]()
    for table in _tables(problem):
        number += 1
        problem.pulse()
        if number > MOST_TABLES:
            raise Rejected("tables", f"there are more than {MOST_TABLES}.")
        waiting = [c for c in range(len(problem.cases)) if c not in wrong]
        wrong |= set(_Learner(problem, table).misled(table, problem.depth, waiting))
    return number, sorted(wrong)


# ---------------------------------------------------------------- the tables


def _tables(problem: Problem) -> Iterator[Table]:
    """Every table, the one as it is first."""
    records, n_labels = problem.records, problem.n_labels
    table: dict[Values, list[int]] = {}
    sizes: dict[tuple[Values, int], int] = {}
    for values, kind, weight in zip(records.values, records.kind, records.weight, strict=True):
        table.setdefault(values, [0] * n_labels)[records.kinds[kind].label] += weight
        sizes[values, kind] = sizes.get((values, kind), 0) + weight
    changes = list(_changes(problem, sizes))
    left = list(sizes.values())
    yield from _changed(table, changes, left, 0, [problem.facts.flips, problem.facts.removals])


def _changes(problem: Problem, sizes: Mapping[tuple[Values, int], int]) -> Iterator[_Change]:
    for group, (values, kind) in enumerate(sizes):
        label, flips_to, removable = problem.kinds[kind]
        yield from (_Change(values, label, to, group) for to in sorted(flips_to - {label}))
        if removable:
            yield _Change(values, label, None, group)


def _changed(
    table: dict[Values, list[int]], changes: Sequence[_Change], left: list[int], start: int, budget: list[int]
) -> Iterator[Table]:
    """The table, and all that the changes from `start` on make of it; it is changed back in the end."""
    yield {values: tuple(counts) for values, counts in table.items() if any(counts)}
    for place in range(start, len(changes)):
        change = changes[place]
        kind = int(change.to is None)
        if budget[kind] == 0 or left[change.group] == 0:
            continue
        counts = table[change.values]
        _move(counts, change, 1)
        left[change.group] -= 1
        budget[kind] -= 1
        yield from _changed(table, changes, left, place, budget)
        budget[kind] += 1
        left[change.group] += 1
        _move(counts, change, -1)


def _move(counts: list[int], change: _Change, by: int) -> None:
    counts[change.label] -= by
    if change.to is not None:
        counts[change.to] += by


# ---------------------------------------------------------------- the learner


class _Cut(NamedTuple):
    """A split: a column, the threshold, and between which units its score lies."""

    column: int
    threshold: float
    low: int
    high: int


class _Learner:
    """What is learned from one table: its weights, its rows of leaves, what a split must gain."""

    def __init__(self, problem: Problem, table: Table) -> None:
        self.problem = problem
        total = _sum(table.values(), problem.n_labels)
        self.criterion = problem.criterion_on(total)
        self.sizes = Sizes.of(problem.tree, sum(total), sum(total))
        decrease = problem.decrease * sum(self.criterion.weigh(total))
        self.refused = up(*decrease.as_integer_ratio())

    def misled(self, table: Table, depth: int, cases: Sequence[int]) -> Iterator[int]:
        """Cases that get another label than theirs from some tree that may be learned from a table."""
        if not cases:
            return
        problem, total = self.problem, _sum(table.values(), self.problem.n_labels)
        divided = depth > 0 and sum(map(bool, total)) > 1 and sum(total) >= self.sizes.node_most
        cuts = list(self._cuts(table, total)) if divided else []
        tied = self.criterion.tolerance(sum(total))
        best = max((cut.low for cut in cuts), default=0)
        if not cuts or self._may_stop(total, depth, best - tied):
            labels = self._winners(total)
            yield from (c for c in cases if labels != {problem.cases[c].label})
        for cut in cuts:
            if cut.high < best - tied:
                continue
            for side in (False, True):
                there = [c for c in cases if (problem.cases[c].values[cut.column] > cut.threshold) == side]
                rows = {v: n for v, n in table.items() if (v[cut.column] > cut.threshold) == side}
                yield from self.misled(rows, depth - 1, there)

    def _may_stop(self, total: Counts, depth: int, least: int) -> bool:
        """Whether a node that can be split may stay whole; `least` is what its best split scores at least."""
        problem = self.problem
        if problem.cut_off == "anywhere" or (problem.cut_off == "below the root" and depth < problem.depth):
            return True
        refusing = self.refused > 0 or sum(total) >= self.criterion.stop_rows
        return refusing and least - self.criterion.value(total)[1] <= self.refused

    def _winners(self, total: Counts) -> set[int]:
        """Labels that a leaf may give: the first of the heaviest; where rounding decides, all of them."""
        weights = self.criterion.weigh(total)
        most = max(weights)
        if self.criterion.weights.exact:
            return {list(weights).index(most)}
        tied = self.criterion.tolerance(sum(total))
        level = {i for i, weight in enumerate(weights) if (most - weight) * UNIT <= tied}
        return {i for i in level if total[i]}

    def _cuts(self, table: Table, total: Counts) -> Iterator[_Cut]:
        """Every split of a table, at the midpoint of two neighbouring values as scikit-learn computes it."""
        problem, value, leaf = self.problem, self.criterion.value, self.sizes.leaf_most
        second = {k: j for j, k in problem.twins.second.items()}
        for j in range(len(problem.levels)):
            at: dict[float, list[Counts]] = {}
            for values, counts in table.items():
                at.setdefault(values[j], []).append(counts)
            left = (0,) * problem.n_labels
            for low, high in pairwise(sorted(at)):
                left = _sum([left, *at[low]], problem.n_labels)
                right = tuple(a - b for a, b in zip(total, left, strict=True))
                if min(sum(left), sum(right)) < leaf or low == -LACKING:
                    continue
                if j in second and -LACKING not in at and sum(left) <= sum(right):
                    continue  # nobody lacks a value: people who do go where more rows are
                if j in problem.twins.second and LACKING not in at and sum(left) > sum(right):
                    continue
                sides = value(left), value(right)
                ends = (sides[0][end] + sides[1][end] for end in (0, 1))
                yield _Cut(j, low / 2.0 + high / 2.0, *ends)


def _sum(counts: Iterable[Counts], n_labels: int) -> Counts:
    total = [0] * n_labels
    for row in counts:
        for i, count in enumerate(row):
            total[i] += count
    return tuple(total)
