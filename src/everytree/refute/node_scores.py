"""Scores of the splits of a node whose labels changed, and which of them tie; compiled.

Below `tied_ways.py`, which follows people through the node.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from everytree.learner.criterion.front import score
from everytree.prove.views import LARGEST
from everytree.support.kernels import inner_kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Rivals(NamedTuple):
    """The splits of a node that a change may make the best: columns, last codes on the left, labels there.

    None at all where that is not known.
    """

    feature: NDArray[np.int32]
    low: NDArray[np.int32]
    left: NDArray[np.int64]


@inner_kernel
def score_all(criterion: Any, code: Any, label: Any, room: Any, size: int, branches: Any) -> float:
    """Score every split of the present node, at the first row on its right; gives the best score."""
    own, sizes = branches.own, branches.size
    best = -np.inf
    for j in range(len(code)):
        live = room.live[j]
        for i in range(len(room.counts)):
            own[0, i], own[1, i] = 0.0, room.counts[i]
        for k in range(1, size):
            before = live[k - 1]
            own[0, label[before]] += 1
            own[1, label[before]] -= 1
            room.scores[j, k] = -np.inf
            if code[j, live[k]] != code[j, before]:
                sizes[0], sizes[1] = k, size - k
                here = score(criterion, branches)
                room.scores[j, k] = here
                best = max(best, here)
    return best


@inner_kernel
def score_rivals(
    criterion: Any, spot: Any, rivals: Any, label: Any, room: Any, size: int, branches: Any
) -> float:
    """Score the rivals alone, as `score_all` does with every split."""
    own, sizes = branches.own, branches.size
    room.scores[:, :size] = -np.inf
    best = -np.inf
    changed = np.flatnonzero(label != spot.label)
    for s in range(len(rivals.low)):
        j, low = rivals.feature[s], rivals.low[s]
        for i in range(len(room.counts)):
            own[0, i] = rivals.left[s, i]
        for r in changed:
            if spot.code[j, r] <= low:
                own[0, spot.label[r]] -= 1
                if label[r] >= 0:
                    own[0, label[r]] += 1
        sizes[0] = 0.0
        for i in range(len(room.counts)):
            own[1, i] = room.counts[i] - own[0, i]
            sizes[0] += own[0, i]
        sizes[1] = size - sizes[0]
        if 0 < sizes[0] < size:
            here = score(criterion, branches)
            room.scores[j, int(sizes[0])] = here
            best = max(best, here)
    return best


@inner_kernel
def tied_cuts(columns: Any, code: Any, x: Any, room: Any, size: int, least: float, ties: Any) -> int:
    """List the cuts of splits that score at least so much, each once, and who is on which side.

    A cut is its column, the last code on the left and the number of rows there. -1: too many. People without
    a value go where more rows are, if no row lacks one (`prove/views.py`).
    """
    used = 0
    for j in range(len(code)):
        start, live = columns.starts[j], room.live[j]
        first = columns.values[start + code[j, live[0]]]
        last = columns.values[start + code[j, live[size - 1]]]
        whole = not np.isinf(first) and not np.isinf(last)
        for k in range(1, size):
            if room.scores[j, k] < least:
                continue
            low, high = code[j, live[k - 1]], code[j, live[k]]
            # np.float64 first: the learner halves in double precision
            middle = (
                np.float64(columns.values[start + low]) / 2 + np.float64(columns.values[start + high]) / 2
            )
            at = 0
            while at < used and not _same_rows(code, room.live[0], size, ties[at], j, low, k):
                at += 1
            if at == used:
                if used == len(ties):
                    return -1
                ties[at, 0], ties[at, 1], ties[at, 2] = j, low, k
                room.sides[at] = False
                used += 1
            for p in range(len(room.here)):
                if room.here[p]:
                    side = 0 if x[p, j] <= min(middle, LARGEST) else 1
                    if whole and np.isinf(x[p, j]):
                        side = 0 if 2 * k > size else 1
                    room.sides[at, side, p] = True
    return used


@inner_kernel
def _same_rows(code: Any, rows: Any, size: int, tie: Any, j: int, low: int, n_left: int) -> bool:
    """Whether a split has the rows of a cut on its left."""
    if tie[2] != n_left:
        return False
    for k in range(size):
        r = rows[k]
        if (code[j, r] <= low) != (code[tie[0], r] <= tie[1]):
            return False
    return True
