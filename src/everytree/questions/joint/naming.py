"""The best tree of an objective by its splits and labels, so that a table can be looked for that gives it.

Beside `bounds`, which asks for it when a bound is raised; `everytree.questions.reaching` looks for the table.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from everytree.questions.joint.forest import STOP

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from everytree.prove.node import Cut
    from everytree.questions.joint.forest import Forest


class Named(NamedTuple):
    """A split with what is on its two sides, or a leaf with its label; None is anything at all."""

    cut: Cut | None
    sides: tuple[Named | None, Named | None]
    label: int


def name_tree(forest: Forest, weights: NDArray[np.float64], choice: NDArray[np.int64]) -> Named | None:
    """Name the best tree of one objective; `weights` is (cells, labels), `choice` a split a meeting."""
    return _name(forest, 0, weights, choice)


def _name(forest: Forest, p: int, weights: NDArray[np.float64], choice: NDArray[np.int64]) -> Named | None:
    meeting = forest.meetings[p]
    while meeting.same is not None:
        p, meeting = meeting.same, forest.meetings[meeting.same]
    options, at = meeting.options, int(choice[p])
    if options is None:
        return None
    if at == STOP:
        if options.leaf is None or options.scattered:
            return None
        return _leaf(meeting.counts, options.leaf, weights)
    cut = options.splits[at]
    if options.children is not None:
        left, right = (_name(forest, int(child), weights, choice) for child in options.children[at])
        return Named(cut, (left, right), -1)
    if options.sides is None or options.possible is None:
        return None
    left, right = (_leaf(options.sides[at, k], options.possible[at, k], weights) for k in (0, 1))
    return Named(cut, (left, right), -1)


def _leaf(
    counts: NDArray[np.float64], allowed: NDArray[np.bool_], weights: NDArray[np.float64]
) -> Named | None:
    """The label that is best for the people of a leaf; anything at all if nobody comes there."""
    if not counts.any():
        return None
    return Named(None, (None, None), int(np.argmax(np.where(allowed, counts @ weights, -np.inf))))
