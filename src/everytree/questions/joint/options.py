"""What one tree can do to the people of a node: be a leaf, or divide them by one of some splits.

Between `openings`, which knows no people, and `forest`, which puts nodes together.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from everytree.prove.node import Cut

MOST_ENTRIES = 4_000_000
"""Numbers that are held at a time while the last splits of a node are weighed."""


@dataclass(eq=False)
class Options:
    """What one tree can do to the people of a meeting.

    Each split has people who surely go left or right (counted in `sides` where these are leaves, otherwise
    in the two `children`), and people of either side, counted one by one (`loose`).
    """

    leaf: NDArray[np.bool_] | None
    scattered: bool
    loose: NDArray[np.float64]
    splits: list[Cut]
    sides: NDArray[np.float64] | None = None
    possible: NDArray[np.bool_] | None = None
    children: NDArray[np.int64] | None = None


def as_leaf(
    counts: NDArray[np.float64], options: Options, weights: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Value of a meeting as a leaf: one label for all, or for each person their own if they are scattered."""
    assert options.leaf is not None
    allowed = weights[:, options.leaf]
    if options.scattered:
        alone: NDArray[np.float64] = counts @ allowed.max(axis=1)
        return alone
    together: NDArray[np.float64] = np.tensordot(counts, allowed, axes=1).max(axis=0)
    return together


def of_leaves(options: Options, weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Value of each last split: one label for each side, and the loose people's own best of both."""
    assert options.sides is not None
    assert options.possible is not None
    n_cells, n_labels, n_objectives = weights.shape
    flat = weights.reshape(n_cells, n_labels * n_objectives)
    totals = np.empty((len(options.sides), n_objectives))
    step = max(1, MOST_ENTRIES // (2 * flat.shape[1]))
    for begin in range(0, len(totals), step):
        part = slice(begin, begin + step)
        each = (options.sides[part] @ flat).reshape(-1, 2, n_labels, n_objectives)
        each[~options.possible[part]] = -np.inf
        totals[part] = each.max(axis=2).sum(axis=1)
    some = np.flatnonzero(options.loose.any(axis=1))
    either = options.possible[some].any(axis=1)
    for labels in np.unique(either, axis=0):
        those = some[(either == labels).all(axis=1)]
        totals[those] += options.loose[those] @ weights[:, labels].max(axis=1)
    return totals


def merge_equal(options: Options) -> None:
    """Keep one of the last splits that do the same to everybody."""
    assert options.sides is not None
    assert options.possible is not None
    n = len(options.loose)
    if n < 2:
        return
    parts = (options.sides, options.loose, options.possible)
    rows = np.concatenate([part.reshape(n, -1).astype(np.float64) for part in parts], axis=1)
    _, keep = np.unique(rows, axis=0, return_index=True)
    keep.sort()
    options.sides, options.loose = options.sides[keep], options.loose[keep]
    options.possible = options.possible[keep]
    options.splits = [options.splits[k] for k in keep]


def put(
    found: NDArray[np.float64],
    counts: NDArray[np.float64],
    weights: NDArray[np.float64],
    allowed: NDArray[np.bool_] | None,
    together: bool,
) -> None:
    """Give people the labels that are best for one objective; `weights` is (cells, labels)."""
    worth = counts @ weights if together else weights
    if allowed is not None:
        worth = np.where(allowed, worth, -np.inf)
    labels = worth.argmax(axis=-1)  # one for all, or one for each cell
    found[np.arange(len(counts)), labels] += counts
