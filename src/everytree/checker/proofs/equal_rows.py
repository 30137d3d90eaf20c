"""Rows of T that nothing tells apart, and every way to change a few rows of a node.

Below the nodes whose changes are tried. Rows that agree in all values, label and permissions are one group:
no learner can tell which of them was changed, so only how many of them are is listed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from everytree.checker.proofs.nodes import Problem

__all__ = ["REMOVED", "Act", "Change", "EqualRows", "Move"]

REMOVED = -1
"""What stands for the new label of a row that is removed."""

Move = tuple[int, int]
"""A label and what becomes of it."""


class Act(NamedTuple):
    """One row of a group gets another label, or goes."""

    move: Move
    group: int


Change = tuple[Act, ...]
"""Acts on different rows, sorted."""


class EqualRows:
    """The groups of a table: ``codes[j][g]`` is the rank of their value in column j, ``order[j]`` sorts them.

    Soundness
    ---------
    Flips and removals are each added up over all components of the bias model, and a row is kept, flipped or
    removed: so the changed rows of a node in any table of B(T) are those of one of its changes.
    """

    def __init__(self, problem: Problem) -> None:
        records, facts = problem.records, problem.facts
        numbers: dict[tuple[tuple[float, ...], int], int] = {}
        self.of_row = [
            numbers.setdefault((values, kind), len(numbers))
            for values, kind in zip(records.values, records.kind, strict=True)
        ]
        self.size = [0] * len(numbers)
        for group, weight in zip(self.of_row, records.weight, strict=True):
            self.size[group] += weight
        first = {group: row for row, group in reversed(list(enumerate(self.of_row)))}
        self.codes = [[codes[first[g]] for g in range(len(numbers))] for codes in problem.codes]
        self.order = [sorted(range(len(numbers)), key=codes.__getitem__) for codes in self.codes]
        kinds = [problem.kinds[kind] for _, kind in numbers]
        self.label = [kind.label for kind in kinds]
        self.moves: list[list[Move]] = []
        for label, flips_to, removable in kinds:
            new = sorted(flips_to - {label}) if facts.flips else []
            self.moves.append([(label, to) for to in new])
            if facts.removals and removable:
                self.moves[-1].append((label, REMOVED))
        self.flips, self.removals = facts.flips, facts.removals

    def among(self, rows: Iterable[int]) -> tuple[int, ...]:
        """The groups of the rows of a node, which has a group as a whole or not at all."""
        return tuple(sorted({self.of_row[row] for row in rows}))

    def changes(self, groups: Sequence[int]) -> Iterator[Change]:
        """Every way to change rows of some groups, none changed first."""
        acts = sorted(Act(move, group) for group in groups for move in self.moves[group])
        left = {group: self.size[group] for group in groups}
        yield from self._further((), acts, 0, left, [self.flips, self.removals])

    def _further(
        self, change: Change, acts: Sequence[Act], start: int, left: dict[int, int], budgets: list[int]
    ) -> Iterator[Change]:
        """A change, and all that acts from `start` on add to it."""
        yield change
        for place in range(start, len(acts)):
            act = acts[place]
            kind = int(act.move[1] == REMOVED)
            if budgets[kind] == 0 or left[act.group] == 0:
                continue
            left[act.group] -= 1
            budgets[kind] -= 1
            yield from self._further((*change, act), acts, place, left, budgets)
            budgets[kind] += 1
            left[act.group] += 1
