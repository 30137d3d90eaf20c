"""Roots of gains: by them entropy is nearly linear where labels are flipped, as Gini is exactly.

For splits of a node with two labels whose rows stay where they are. With p_L and p_R positives left and
right, P = p_L + p_R of N rows in the node, and the gain of a split, its G less the value g of the node::

    root = sqrt(2 ln 2 P (N - P) / N^2 * gain)

The splits of a node have the factor in common, so the best one has the largest root. It is |h| of
`gini.linear_leads` up to terms of higher order; boxes of G see a square instead. Nothing here rests on that:
planes above and below roots are found by looking at every pair (p_L, p_R) that flips can reach.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from everytree.learner.criterion.entropy import lookup
from everytree.support.kernels import kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray

MOST_PAIRS = 1_000_000
"""With more pairs of counts than this, a plane takes longer than the program that it is for."""

ROUNDING = 1e-9
"""By how much a plane is moved for the rounding of its slopes: less than a millionth of a flip, as a rule."""

Plane = tuple["NDArray[np.float64]", float]
"""Slopes for the counts of a split, by side and label, and the value at 0."""


class Roots(NamedTuple):
    """All pairs of positives that flips can give a split: ``first`` to ``last`` of each side.

    ``left``, ``right`` and ``whole`` hold g of the sides and of the node, and ``factor`` what gains are
    multiplied by, from the first positives on. ``own`` are the positives on T, ``size`` the rows of the
    sides; ``flips`` bounds how far both together are from T. Gains that differ by ``tied`` count as tied.
    """

    left: NDArray[np.float64]
    right: NDArray[np.float64]
    whole: NDArray[np.float64]
    factor: NDArray[np.float64]
    first: NDArray[np.int64]
    last: NDArray[np.int64]
    own: NDArray[np.int64]
    size: NDArray[np.int64]
    flips: int
    tied: float


def roots_of(
    counts: NDArray[np.float64],
    reach: tuple[NDArray[np.float64], NDArray[np.float64]],
    flips: int,
    tied: float,
) -> Roots:
    """Roots of a split with these counts on T, of which flips bring each to anywhere in its reach."""
    own, size = counts[1::2].astype(np.int64), counts.reshape(2, 2).sum(axis=1).astype(np.int64)
    first, last = (end[1::2].astype(np.int64) for end in reach)
    n = int(size.sum())
    powers = lookup(n)

    def values(positive: NDArray[np.int64], rows: int) -> NDArray[np.float64]:
        return np.asarray(powers[positive] + powers[rows - positive] - powers[rows])

    left, right = (values(np.arange(first[s], last[s] + 1), size[s]) for s in (0, 1))
    positive = np.arange(first.sum(), last.sum() + 1)
    factor = 2 * np.log(2) * positive * (n - positive) / float(n) ** 2
    return Roots(left, right, values(positive, n), factor, first, last, own, size, flips, tied)


@kernel
def furthest(roots: Any, box: Any, sign: int, slopes: Any, direction: float, tied: float) -> Any:
    """Largest direction * (root - slopes . p) over all pairs p in a box, with `tied` added to the gain.

    ``box[0]`` and ``box[1]`` are the least and the greatest positives. With a sign only pairs count where the
    share of positives on the left is larger (1) or smaller (-1) than on the right, or the same.
    """
    best = -np.inf
    for a in range(max(box[0, 0], roots.first[0]), min(box[1, 0], roots.last[0]) + 1):
        room = roots.flips - abs(a - roots.own[0])
        begin = max(box[0, 1], roots.first[1], roots.own[1] - room)
        end = min(box[1, 1], roots.last[1], roots.own[1] + room)
        for b in range(begin, end + 1):
            if sign * (a * roots.size[1] - b * roots.size[0]) < 0:
                continue
            p = a + b - roots.first[0] - roots.first[1]
            gain = roots.left[a - roots.first[0]] + roots.right[b - roots.first[1]] - roots.whole[p] + tied
            root = np.sqrt(max(0.0, gain) * roots.factor[p])
            best = max(best, direction * (root - slopes[0] * a - slopes[1] * b))
    return best


def signed_root(roots: Roots, left: float, right: float) -> float:
    """The root for any positives, negative where their share is larger on the right."""
    n_left, n_right = map(float, roots.size)
    n, p = n_left + n_right, left + right
    gain = _value(left, n_left) + _value(right, n_right) - _value(p, n)
    root = float(np.sqrt(max(0.0, gain * 2 * np.log(2) * p * (n - p))) / n)
    return root if left * n_right >= right * n_left else -root


def _value(positive: float, size: float) -> float:
    """Value g of a branch of two labels."""
    return sum(x * float(np.log2(x / size)) for x in (positive, size - positive) if x > 0)


def plane_above(roots: Roots, box: NDArray[np.int64], sign: int) -> Plane | None:
    """A plane above the root over all pairs of a box that have the sign; None if there are none.

    Soundness
    ---------
    Any slopes will do: the plane is raised to the pair that is the furthest above it. A best split has a gain
    of at least any rival's less the tolerance, which is added here once for ties and once for rounding: six
    values x log2 x of n rows are rounded by less than 1e-13 n together, the tolerance is at least 1e-10 n.
    """
    low, high = np.maximum(box[0], roots.first), np.minimum(box[1], roots.last)
    if (low > high).any():
        return None
    slopes = sign * _slopes(roots, (low + high) / 2, low, high)
    top = float(furthest(roots, np.array([low, high]), sign, slopes, 1.0, 2 * roots.tied))
    return None if top == -np.inf else (np.array([0.0, slopes[0], 0.0, slopes[1]]), top + ROUNDING)


def plane_below(roots: Roots, positives: NDArray[np.float64]) -> Plane:
    """A plane below the root for all pairs, as steep as the root is close to some positives."""
    at = np.clip(positives, roots.first, roots.last)
    sign = 1 if signed_root(roots, *at) >= 0 else -1
    slopes = sign * _slopes(roots, at, np.maximum(at - 1, roots.first), np.minimum(at + 1, roots.last))
    box = np.array([roots.first, roots.last])
    base = -float(furthest(roots, box, 0, slopes, -1.0, 0.0))
    return np.array([0.0, slopes[0], 0.0, slopes[1]]), base - ROUNDING


def _slopes(
    roots: Roots, at: NDArray[np.float64], low: NDArray[Any], high: NDArray[Any]
) -> NDArray[np.float64]:
    """Slopes of chords of the signed root through a point, from one end to the other of each side."""
    slopes = np.zeros(2)
    for side in np.flatnonzero(high > low):
        begin, end = at.copy(), at.copy()
        begin[side], end[side] = low[side], high[side]
        slopes[side] = (signed_root(roots, *end) - signed_root(roots, *begin)) / (high[side] - low[side])
    return slopes


def more_bent(roots: Roots, low: NDArray[Any], high: NDArray[Any], at: NDArray[np.float64]) -> int:
    """The side along which a chord of the root over a box is furthest from it in the middle."""
    bent = np.full(2, -1.0)
    for side in np.flatnonzero(high > low):
        ends = [at.copy(), at.copy(), at.copy()]
        for end, value in zip(ends, (low[side], high[side], (low[side] + high[side]) / 2), strict=True):
            end[side] = value
        first, last, middle = (signed_root(roots, *end) for end in ends)
        bent[side] = abs((first + last) / 2 - middle)
    return int(np.argmax(bent))
