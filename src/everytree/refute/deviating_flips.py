"""Which flips may give a node another split than its usual ones, and which, by Gini; compiled.

Beside `deviating.py`, which does the same for all changes and criteria, split by split: flips leave the sizes
of sides as they are, so the scores of all splits are a few sums over arrays.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from everytree.learner.criterion.front import stop_rows, tolerance, value
from everytree.support.kernels import inner_kernel, kernel


@kernel
def deviating_by_flips(spot: Any, splits: Any, total: Any, usual: Any, changes: Any) -> Any:
    """As `deviating`, for flips and Gini.

    Soundness
    ---------
    A flip adds d, 1 at the new label and -1 at the old one, to the counts c of the side of its row, so flips
    change the sum of squares |c|^2 of a side by 2 c.d + |d|^2 each, |d|^2 = 2, and by 2 d.d' for each two.
    All of these are whole numbers, so nothing is rounded before the sums are divided by the sizes.
    """
    feature, low, left = splits
    order = np.concatenate((np.flatnonzero(usual), np.flatnonzero(~usual)))
    n_splits, n_usual, n_labels = len(order), int(usual.sum()), left.shape[1]
    own, squares, inverse = (
        np.empty((2, n_labels, n_splits)),
        np.zeros((2, n_splits)),
        np.empty((2, n_splits)),
    )
    for k in range(n_splits):
        sizes = np.zeros(2)
        for i in range(n_labels):
            own[0, i, k], own[1, i, k] = left[order[k], i], total[i] - left[order[k], i]
            for side in range(2):
                squares[side, k] += own[side, i, k] ** 2
                sizes[side] += own[side, i, k]
        inverse[0, k], inverse[1, k] = 1 / sizes[0], 1 / sizes[1]
    size, most = total.sum(), changes.shape[1]
    tied_by = tolerance(None, size)
    counts, found = np.empty(n_labels, np.int64), np.full(len(changes), -1, np.int64)
    sums, on_left, known = np.empty((2, n_splits)), np.empty((most, n_splits)), np.full(most, -1, np.int64)
    for c in range(len(changes)):
        counts[:] = total
        sums[:] = squares
        for k in range(most):
            r, new = changes[c, k, 0], changes[c, k, 1]
            if r < 0:
                break
            old = spot.label[r]
            counts[old] -= 1
            counts[new] += 1
            if known[k] != r:
                known[k] = r
                for s in range(n_splits):
                    on_left[k, s] = spot.code[feature[order[s]], r] <= low[order[s]]
            _add_flip(own[0, old], own[0, new], own[1, old], own[1, new], on_left[k], sums[0], sums[1])
            for m in range(k):
                to, was = changes[c, m, 1], spot.label[changes[c, m, 0]]
                both = 2.0 * (int(new == to) + int(old == was) - int(new == was) - int(old == to))
                if both != 0:
                    _add_pair(both, on_left[k], on_left[m], sums[0], sums[1])
        best, other, which = _best(sums[0], sums[1], inverse[0], inverse[1], n_usual)
        best = max(best, other)
        if counts.max() == size or (size >= stop_rows(None) and best - value(None, counts) <= 2 * tied_by):
            found[c] = n_splits
        if other >= best - tied_by and which >= 0:
            found[c] = order[which]
    return found, n_splits * (1 + len(changes))


@inner_kernel
def _add_flip(
    old_left: Any, new_left: Any, old_right: Any, new_right: Any, on_left: Any, left: Any, right: Any
) -> None:
    """What a flip adds to the sums of squares of both sides of all splits."""
    for s in range(len(left)):
        left[s] += on_left[s] * (2 * (new_left[s] - old_left[s]) + 2)
        right[s] += (1 - on_left[s]) * (2 * (new_right[s] - old_right[s]) + 2)


@inner_kernel
def _add_pair(both: float, one: Any, other: Any, left: Any, right: Any) -> None:
    """What two flips add to them where they are on the same side."""
    for s in range(len(left)):
        left[s] += both * one[s] * other[s]
        right[s] += both * (1 - one[s]) * (1 - other[s])


@inner_kernel
def _best(left: Any, right: Any, of_left: Any, of_right: Any, n_usual: int) -> Any:
    """The best score of usual splits, that of others, and which of these has it."""
    best, other, which = -np.inf, -np.inf, -1
    for s in range(n_usual):
        best = max(best, left[s] * of_left[s] + right[s] * of_right[s])
    for s in range(n_usual, len(left)):
        score = left[s] * of_left[s] + right[s] * of_right[s]
        if score > other:
            other, which = score, s
    return best, other, which
