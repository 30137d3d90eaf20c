"""What a leaf can say and whether a node may stay unsplit, in whole numbers."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

from everytree.checker.facts import BiasFacts
from everytree.checker.records import Counts, Kind, Records

__all__ = ["Allowance", "allowance", "may_stay_unsplit", "other_labels"]


class Allowance(NamedTuple):
    """What may happen to the rows of a node: the budgets, and what added rows may be."""

    additions: int
    flips: int
    removals: int
    addable: frozenset[int]
    added_flips_to: frozenset[int]

    @property
    def changes(self) -> int:
        """B, the greatest number of changes in all."""
        return self.additions + self.flips + self.removals


def allowance(facts: BiasFacts, kinds: Sequence[Kind], counts: Counts, additions: int) -> Allowance:
    """Clip the budgets to the rows of a node and to the rows that may be added to it.

    A flip needs a row of the node that may be flipped, or an added one; a removal needs a removable row.
    Removing an added row leaves things as they were, so it need not be counted.
    """
    addable = facts.addable if additions > 0 else frozenset()
    added_flips_to = facts.added_flips_to if addable else frozenset()
    flippable = sum(count for kind, count in zip(kinds, counts, strict=True) if kind.flips_to)
    if added_flips_to:
        flippable += additions
    removable = sum(count for kind, count in zip(kinds, counts, strict=True) if kind.removable)
    return Allowance(
        additions if addable else 0,
        min(facts.flips, flippable),
        min(facts.removals, removable),
        addable,
        added_flips_to,
    )


def other_labels(
    kinds: Sequence[Kind],
    counts: Counts,
    allowed: Allowance,
    expected: int,
    weights: Sequence[int] = (),
    slack: Fraction | None = None,
) -> list[int]:
    """List the labels other than the expected one that a leaf can give in some table.

    Whatever label the leaf has on T: it gives another label than e only if some j has a row there and
    reaches ``c'_j - c'_e >= 0`` (j sorts before e) or ``>= 1`` (after). An empty leaf gives nothing: the
    learner makes none. With `weights` the same is asked of w_j c'_j - w_e c'_e, and where rounding decides
    between labels, with a `slack`, j needs no more than minus that.
    """
    present = set(allowed.addable)
    if allowed.flips > 0:
        present |= allowed.added_flips_to
    for kind, count in zip(kinds, counts, strict=True):
        if count > 0:
            present |= {kind.label, *kind.flips_to}
    if weights:
        return [
            j
            for j in sorted(present - {expected})
            if _heaviest_lead(kinds, counts, allowed, (expected, j), weights)
            >= (int(j > expected) if slack is None else -slack)
        ]
    return [
        j
        for j in sorted(present - {expected})
        if _furthest_lead(kinds, counts, allowed, expected, j) >= int(j > expected)
    ]


def _heaviest_lead(
    kinds: Sequence[Kind],
    counts: Counts,
    allowed: Allowance,
    labels: tuple[int, int],
    weights: Sequence[int],
) -> int:
    """Bound w_j c'_j - w_e c'_e from above, for labels (e, j): each flip and each removal by itself.

    A flip gains w_e + w_j from e to j, w_j from a third label or of an added row to j, and w_e from e to a
    third label: the best ones, as many as there are flips. A removal gains w_e, an addition w_j.
    """
    expected, rival = labels
    heavy, light = weights[expected], weights[rival]
    lead = removable = 0
    gains = {heavy + light: 0}
    for kind, count in zip(kinds, counts, strict=True):
        gain = 0
        if kind.label == rival:
            lead += light * count
        elif kind.label == expected:
            lead -= heavy * count
            removable += count if kind.removable else 0
            gain = heavy + light if rival in kind.flips_to else heavy if kind.flips_to else 0
        elif rival in kind.flips_to:
            gain = light
        gains[gain] = gains.get(gain, 0) + count
    if rival in allowed.addable:
        lead += light * allowed.additions
    elif rival in allowed.added_flips_to:
        gains[light] = gains.get(light, 0) + allowed.additions
    lead += heavy * min(allowed.removals, removable)
    flips = allowed.flips
    for gain in sorted(gains, reverse=True):
        used = min(flips, gains[gain])
        lead += gain * used
        flips -= used
    return lead


def _furthest_lead(
    kinds: Sequence[Kind], counts: Counts, allowed: Allowance, expected: int, rival: int
) -> int:
    """Bound c'_rival - c'_expected from above.

    With F, H and R the expected-label rows that may be flipped to the rival, flipped to a third label only,
    and removed, and X the rows of third labels that may be flipped to the rival: a flip in F gains 2, every
    other useful change 1. Taking one more flip in F gains 2 and displaces at most one other flip and one
    removal, so as many of them as possible is best: a = min(l, |F|). Then the rest gains at most

        min(k, |R|, |F u R| - a) + min(l - a, |H| + |X|) + w,   w = m if the rival may be added,
                                                               otherwise added rows with a flip left over,

    and, because no row is used twice, at most |F u H u R| - a + |X| + (added rows, with a flip if need be).
    """
    lead = flip_twice = flip_once = third = removable = either = touched = 0
    for kind, count in zip(kinds, counts, strict=True):
        to_rival = rival in kind.flips_to
        if kind.label == rival:
            lead += count
        elif kind.label != expected:
            third += count if to_rival else 0
        else:
            lead -= count
            flip_twice += count if to_rival else 0
            flip_once += count if kind.flips_to and not to_rival else 0
            removable += count if kind.removable else 0
            either += count if kind.removable or to_rival else 0
            touched += count if kind.removable or kind.flips_to else 0
    a = min(allowed.flips, flip_twice)
    removed = min(allowed.removals, removable, either - a)
    once = min(allowed.flips - a, flip_once + third)
    added = added_at_most = 0
    if rival in allowed.addable:
        added = added_at_most = allowed.additions
    elif rival in allowed.added_flips_to:
        added = min(allowed.additions, allowed.flips - a - once)
        added_at_most = min(allowed.additions, allowed.flips - a)
    return lead + 2 * a + min(removed + once + added, touched - a + third + added_at_most)


def may_stay_unsplit(records: Records, members: Sequence[int], removals: int) -> bool:
    """Whether removals can leave rows that agree in every column, or none: then there is nothing to split.

    For each distinct row of the node: can all the others go?
    """
    size = 0
    fixed: set[tuple[float, ...]] = set()
    sizes: dict[tuple[float, ...], int] = {}
    for r in members:
        size += records.weight[r]
        values = records.values[r]
        sizes[values] = sizes.get(values, 0) + records.weight[r]
        if not records.kinds[records.kind[r]].removable:
            fixed.add(values)
    if len(fixed) > 1:
        return False
    kept = fixed or sizes.keys()
    return any(size - sizes[values] <= removals for values in kept)
