"""A node as bounds see it: its rows by kind, what may happen to them, and how the learner scores them.

Between the table and the comparison of two splits; leaves are judged here with the weights of all tables.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from everytree.checker.criteria import Criterion, Reach, criterion_of
from everytree.checker.exact import UNIT
from everytree.checker.leaves import Allowance, other_labels
from everytree.checker.records import Counts, Kind
from everytree.checker.weights import BALANCED, corners_of_balanced, given_weights, no_weights

__all__ = ["Ground", "criteria_over", "labels_of", "rivals"]


@dataclass(frozen=True, eq=False)
class Ground:
    """A node as a comparison sees it: kinds of rows, rows of each, and what may happen to them."""

    criteria: Sequence[Criterion]
    kinds: Sequence[Kind]
    n_labels: int
    total: Counts
    allowed: Allowance

    @property
    def most_rows(self) -> int:
        """Rows of the node in the largest table."""
        return sum(self.total) + self.allowed.additions

    def reach(self) -> Reach:
        """What all changes together can do to the number of rows with each label."""
        allowed, kinds = self.allowed, self.kinds
        rises, falls = [], []
        for i in range(self.n_labels):
            towards = sum(n for kind, n in zip(kinds, self.total, strict=True) if i in kind.flips_to)
            own = [(kind, n) for kind, n in zip(kinds, self.total, strict=True) if kind.label == i]
            away = sum(n for kind, n in own if kind.flips_to)
            gone = sum(n for kind, n in own if kind.removable)
            if i in allowed.added_flips_to:
                towards += allowed.additions
            rises.append(min(allowed.flips, towards) + (allowed.additions if i in allowed.addable else 0))
            falls.append(min(allowed.flips, away) + min(allowed.removals, gone))
        return Reach(allowed.changes, rises, falls)

    def pairs(self) -> set[tuple[int, int]]:
        """Labels between which some row, of T or added, may be flipped."""
        found = {
            (kind.label, j)
            for kind, n in zip(self.kinds, self.total, strict=True)
            if n
            for j in kind.flips_to
        }
        return found | {(i, j) for i in self.allowed.addable for j in self.allowed.added_flips_to if i != j}


def labels_of(ground: Ground, counts: Counts) -> Counts:
    """Count labels instead of kinds."""
    own = [0] * ground.n_labels
    for kind, count in zip(ground.kinds, counts, strict=True):
        own[kind.label] += count
    return own


def criteria_over(
    name: str, class_weight: Sequence[float] | str | None, root: Ground
) -> tuple[Criterion, ...]:
    """The criterion over all tables, which the root describes: one for each corner of their weights."""
    if class_weight is None:
        return (criterion_of(name, no_weights(root.n_labels)),)
    if class_weight != BALANCED:
        return (criterion_of(name, given_weights([float(weight) for weight in class_weight])),)
    counts, reach = labels_of(root, root.total), root.reach()
    least = [count - fall for count, fall in zip(counts, reach.down, strict=True)]
    most = [count + rise for count, rise in zip(counts, reach.up, strict=True)]
    return tuple(criterion_of(name, corner) for corner in corners_of_balanced(counts, least, most))


def rivals(
    criteria: Sequence[Criterion], kinds: Sequence[Kind], counts: Counts, allowed: Allowance, expected: int
) -> list[int]:
    """List the labels other than the expected one that a leaf can give, with the weights of some table."""
    if not criteria[0].is_weighted:
        return other_labels(kinds, counts, allowed, expected)
    found: set[int] = set()
    for criterion in criteria:
        tied = Fraction(criterion.tolerance(sum(counts) + allowed.additions), UNIT)
        slack = None if criterion.weights.exact else tied
        found |= set(other_labels(kinds, counts, allowed, expected, criterion.at, slack))
    return sorted(found)
