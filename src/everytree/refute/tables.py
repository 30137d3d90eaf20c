"""The tables of B(T), one by one: which rows may change, which may come together, what they make of T.

Used by `everytree.refute.small_sets`. Unlike the domains, which add up the budgets of all components, this
gives every act to a component of its own.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import product
from math import lgamma
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from everytree.bias.acts import ADD, ALL_ACTS, FLIP, REMOVE, uses
from everytree.bias.columns import TableView
from everytree.bias.regions import Region, RegionTest
from everytree.refute.change import Change
from everytree.refute.places import Axis, Place, combinations
from everytree.refute.trial import Trial

if TYPE_CHECKING:
    from everytree.bias import Component
    from everytree.prove.problem import Problem
    from everytree.refute.every_tree import EveryTree, Node
    from everytree.refute.new_rows import RowMaker

Wants = tuple[frozenset[int], ...]
"""For every act of a row's change: the components that allow it."""


class RowChange(NamedTuple):
    """One change: a row of kind `before` becomes one of kind `after` (None: there is no such row).

    ``source`` numbers the group of rows, or the place of an added row; at most `cap` changes can share it.
    ``uses`` are the acts it takes, ``wants`` who may pay for each of them.
    """

    before: int | None
    after: int | None
    source: int
    cap: int
    uses: tuple[int, ...]
    wants: Wants


class Permissions:
    """Which component allows what, to rows of T and to added rows.

    A row of T needs the permission of the resolved bias model as well: some rows may be trusted.
    """

    def __init__(self, problem: Problem) -> None:
        table = problem.table
        self.bias = problem.bias
        self.n_labels = problem.bias.n_labels
        view = TableView.of(table)
        self.counts = [c.count for c in problem.bias.components]
        self.parts = [
            (i, c.component) for i, c in enumerate(problem.bias.components) if c.count > 0 and c.usable > 0
        ]
        self.own = {i: view.rows(c.where) for i, c in self.parts}
        self.given = {
            (i, j): view.rows(c.where, j)
            for i, c in self.parts
            if REMOVE in c.acts
            for j in range(self.n_labels)
        }
        self.tests = {i: RegionTest.of(c.where, view) for i, c in self.parts if {ADD, FLIP} & {*c.acts}}
        self.names = table.labels.tolist()

    def signature(self, row: int) -> tuple[bool, ...]:
        """Rows of one label with the same signature may be changed in the same ways."""
        masks = (*self.own.values(), *self.given.values(), self.bias.removable, *self.bias.flips_to.T)
        return tuple(bool(mask[row]) for mask in masks)

    def flips(self, row: int, target: int) -> frozenset[int]:
        """Components that may give this row another label."""
        if not self.bias.flips_to[row, target]:
            return frozenset()
        return frozenset(i for i, c in self._flipping(target) if self.own[i][row])

    def removals(self, row: int, label: int | None = None) -> frozenset[int]:
        """Components that may remove this row, as it is or with a label that a flip gave it."""
        if not self.bias.removable[row]:
            return frozenset()
        masks = {i: self.own[i] if label is None else self.given[i, label] for i, _ in self._of(REMOVE)}
        return frozenset(i for i, mask in masks.items() if mask[row])

    def additions(self, region: Region) -> Iterator[tuple[int, Wants]]:
        """Labels that an added row may end with in a region, and who pays for adding and flipping it."""
        labels = {i: test.labels_in(region) for i, test in self.tests.items()}
        adding = [
            frozenset(i for i, _ in self._of(ADD) if labels[i] >> source & 1)
            for source in range(self.n_labels)
        ]
        for label in range(self.n_labels):
            if adding[label]:
                yield label, (adding[label],)
            ways = set()
            for source in range(self.n_labels):
                flip = frozenset(i for i, _ in self._flipping(label) if labels[i] >> source & 1)
                if source != label and adding[source] and flip:
                    ways.add((adding[source], flip))
            for way in sorted(ways, key=str):
                yield label, way

    def _of(self, act: int) -> list[tuple[int, Component]]:
        return [(i, c) for i, c in self.parts if act in c.acts]

    def _flipping(self, target: int) -> list[tuple[int, Component]]:
        """Components that may give a row this label."""
        return [(i, c) for i, c in self._of(FLIP) if c.to is None or self.names[target] in c.to]

    def assignable(self, wants: list[frozenset[int]]) -> bool:
        """Whether every change finds a component with amount left."""
        left = list(self.counts)
        ordered = sorted(wants, key=len)

        def place(k: int) -> bool:
            if k == len(ordered):
                return True
            for i in sorted(ordered[k]):
                if left[i] > 0:
                    left[i] -= 1
                    if place(k + 1):
                        return True
                    left[i] += 1
            return False

        return place(0)


class TableList:
    """All tables of B(T), as choices of rows' changes, for the places that the axes tell apart.

    Soundness
    ---------
    By the normal form each row of T is left alone, flipped once, or removed, perhaps after a flip; each added
    row is added, perhaps flipped. An added row that would be removed need not be added. Each act is listed
    with every component that allows it, for added rows with every one whose condition may hold somewhere in
    its place, so every table of B(T) is among the choices whose acts can be assigned to components.
    """

    def __init__(self, problem: Problem, trees: EveryTree, lines: list[Axis]) -> None:
        bias = problem.bias
        self.problem = problem
        self.trees = trees
        self.lines = lines
        self.budgets = bias.budgets
        self.permissions = Permissions(problem)
        self.members: list[list[int]] = []
        self.added: dict[int, tuple[tuple[Place, ...], int]] = {}
        self.changes: list[RowChange] = []
        self.start: Counter[int] = Counter()
        self._list_changes()
        if bias.additions:
            self._list_additions()

    def _list_changes(self) -> None:
        """List what may happen to rows of T; rows that are interchangeable form a group."""
        table = self.problem.table
        groups: dict[tuple[object, ...], list[int]] = {}
        X = self.problem.shown
        for row, features in enumerate(X):
            groups.setdefault(
                (*features.tolist(), int(table.y[row]), self.permissions.signature(row)), []
            ).append(row)
        for rows in groups.values():
            row = rows[0]
            values = X[row].tolist()
            places = tuple(line.of_value[value] for line, value in zip(self.lines, values, strict=True))
            label = int(table.y[row])
            kind = self.trees.kind(places, label)
            self.start[kind] += len(rows)
            removals: set[Wants] = {(gone,)} if (gone := self.permissions.removals(row)) else set()
            for target in range(self.problem.bias.n_labels):
                flips = self.permissions.flips(row, target)
                if target != label and flips:
                    self._put(kind, self.trees.kind(places, target), len(rows), uses(FLIP), (flips,))
                    if gone := self.permissions.removals(row, target):
                        removals.add((flips, gone))
            for wants in sorted(removals, key=str):
                self._put(kind, None, len(rows), uses(*(FLIP, REMOVE)[-len(wants) :]), wants)
            self.members.append(rows)

    def _put(self, before: int, after: int | None, cap: int, taken: tuple[int, ...], wants: Wants) -> None:
        self.changes.append(RowChange(before, after, len(self.members), cap, taken, wants))

    def _list_additions(self) -> None:
        bias = self.problem.bias
        for places in combinations(self.problem, self.lines):
            region = self.problem.region({j: place.within for j, place in enumerate(places)})
            if any(isinstance(values, frozenset) and not values for values in region.values()):
                continue
            for label, wants in self.permissions.additions(region):
                source = len(self.members) + len(self.added)
                self.added[source] = places, label
                kind = self.trees.kind(places, label)
                taken = uses(*(ADD, FLIP)[: len(wants)])
                self.changes.append(RowChange(None, kind, source, bias.additions, taken, wants))

    def size(self) -> float:
        """Give an upper bound for the number of tables."""
        numbers = [sum(change.uses[act] > 0 for change in self.changes) for act in ALL_ACTS]
        logarithm = sum(
            lgamma(n + b + 1) - lgamma(n + 1) - lgamma(b + 1)
            for n, b in zip(numbers, self.budgets, strict=True)
        )
        return float(np.exp(min(logarithm, 700.0)))

    def tables(self) -> Iterator[tuple[RowChange, ...]]:
        """Every table once or more, those with the fewest changes first."""
        for size in range(sum(self.budgets) + 1):
            for changes in self._choose(0, size, self.budgets, ()):
                if self._uses_first_parts(changes):
                    yield changes

    def _uses_first_parts(self, changes: tuple[RowChange, ...]) -> bool:
        """Whether added rows take the parts of each stretch from the first on; the others are repetitions."""
        added = [self.added[change.source][0] for change in changes if change.before is None]
        for places in zip(*added, strict=True):
            used = {(place.position, place.part) for place in places}
            if any(part > 1 and (position, part - 1) not in used for position, part in used):
                return False
        return True

    def _choose(
        self, first: int, size: int, budgets: tuple[int, ...], chosen: tuple[RowChange, ...]
    ) -> Iterator[tuple[RowChange, ...]]:
        if size == 0:
            yield chosen
            return
        for i in range(first, len(self.changes)):
            change = self.changes[i]
            left = tuple(b - u for b, u in zip(budgets, change.uses, strict=True))
            if min(left) < 0:
                continue
            if sum(other.source == change.source for other in chosen) >= change.cap:
                continue
            together = (*chosen, change)
            if self.permissions.assignable([want for one in together for want in one.wants]):
                yield from self._choose(i, size - 1, left, together)

    def root(self, changes: tuple[RowChange, ...]) -> Node:
        """Rows of a table."""
        counts = Counter(self.start)
        for change in changes:
            if change.before is not None:
                counts[change.before] -= 1
            if change.after is not None:
                counts[change.after] += 1
        return tuple(sorted((kind, number) for kind, number in counts.items() if number > 0))

    def trial(
        self, changes: tuple[RowChange, ...], rows: tuple[tuple[object, ...], ...], maker: RowMaker
    ) -> Trial:
        """Name the rows of a table; `rows` are those it adds, in the order of the changes."""
        flipped: dict[int, int] = {}
        removed: list[int] = []
        used: Counter[int] = Counter()
        for change in changes:
            if change.before is None:
                continue
            row = self.members[change.source][used[change.source]]
            used[change.source] += 1
            if change.after is None:
                removed.append(row)
            else:
                flipped[row] = self.trees.label[change.after]
        labels = tuple(self.added[change.source][1] for change in changes if change.before is None)
        pools = tuple((np.array(self.members[g], np.int64), count) for g, count in sorted(used.items()))
        return Trial(Change(flipped, tuple(sorted(removed)), rows, labels), maker.encode(rows), pools)

    def natural_trial(self, changes: tuple[RowChange, ...], maker: RowMaker) -> Trial | None:
        """Make a trial whose added rows have ordinary values; None if there is none."""
        rows = []
        for change in changes:
            if change.before is None:
                places, label = self.added[change.source]
                row = maker.row({j: place.examples[0] for j, place in enumerate(places)}, label)
                if row is None:
                    return None
                rows.append(row)
        return self.trial(changes, tuple(rows), maker)

    def odd_trials(self, changes: tuple[RowChange, ...], makers: tuple[RowMaker, ...]) -> Iterator[Trial]:
        """Make trials with values right beside points: for the learner they may be these points."""
        choices = []
        for change in changes:
            if change.before is None:
                places, label = self.added[change.source]
                near = product(*(place.examples for place in places))
                choices.append(
                    [
                        row
                        for bounds in near
                        for maker in makers
                        if (row := maker.row(dict(enumerate(bounds)), label)) is not None
                    ]
                )
        for rows in product(*choices):
            yield self.trial(changes, rows, makers[0])
