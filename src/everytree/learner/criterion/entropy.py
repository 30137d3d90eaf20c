"""All entropy algebra: g(c) = sum_i c_i log2(c_i / n) for a branch with label counts c and n rows, or 0.

g is convex and homogeneous of degree 1, and never positive; -g is the size of the branch times its entropy.
With f(x) = x log2 x, f(0) = 0, it is sum_i f(c_i) - f(n). scikit-learn's "log_loss" is the same. Compiled
functions for the domains come first, then the ones for path programs. `front` hands everything on.

Slopes. Let label i become more by at most A_i and fewer by at most D_i rows (each at least 1, D_i at most
c_i), and take the chords a_i = (f(c_i + A_i) - f(c_i)) / A_i and b_i = (f(c_i - D_i) - f(c_i)) / D_i, or
b_i = -a_i where c_i = 0. With f'(n) = log2 n + log2 e one act raises g by at most::

    add i: a_i - f'(n)          remove i: b_i + f'(n)          flip i to j: b_i + a_j

all acts together, and by 0 in an empty branch. Proof sketch: label i is raised P and lowered Q times, its net
change P - Q lies in [-D_i, A_i]. By convexity -b_i <= a_i, so f(c_i + P - Q) - f(c_i) <= P a_i + Q b_i
whichever sign P - Q has. -f(n') lies below its tangent at n. In an empty branch g was 0 and is never more.
A_i must count additions *and* flips, D_i flips *and* removals: the larger of the two is not enough.

Tangent. g(c') >= grad g(z) . c' for every z > 0 and all c' >= 0, with entries log2(z_i / sum z). Its value on
T is grad g(z) . c, at most g(c) and not g(c) itself. Where label i can become more by r_i rows, the loss at
c_i and at c_i + r_i is level if z_i is their identric mean (see `level`); the largest label keeps z_i = c_i.
"""

from __future__ import annotations

from itertools import product
from math import log2
from typing import TYPE_CHECKING, Any

import numpy as np

from everytree.learner.criterion.shared import TIE_TOLERANCE
from everytree.support.kernels import inner_kernel, kernel, part_of_kernel

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

LOG2_E = 1.4426950408889634

NEVER = -1000.0
"""Gradient for a label that no table of B(T) brings to a side: no act that is possible asks for it."""

FLOOR = 1e-9
"""Counts at which programs take tangents are at least this: it costs 2e-9 in a score; logs stay finite."""

STOP_ROWS_OF_TWO = 5_000
"""With two labels, a node may stop for want of gain from this many rows on; with more labels, always.

If both sides have the same shares as the node, their entropies are the same floating-point number, at most
1, and the gain that scikit-learn computes is 0 up to half a unit in the last place for each of the few
roundings: never below -2.2e-16, which it would refuse. Otherwise a gain is at least 11.5 / n^4 (Pinsker's
inequality, shares that differ by 1 / (n_L n) at least), which is more than 1.8e-14 below 5,000 rows, and the
rounding of three entropies is less than 2e-15. Entropies above 1 round twice as coarsely: with five labels
the computed gain has been seen below -2.2e-16 in a node of 36 rows.
"""

LARGE = 20_000
"""Tolerances grow faster than the number of rows from here on.

A difference of f over one step is rounded by up to 1.1e-16 n log2 n, and a bound adds up to n of them.
"""


def stop_rows(n_labels: int) -> int:
    """Rows from which on a node may stop although it can be split, when no split gains anything."""
    return STOP_ROWS_OF_TWO if n_labels == 2 else 0


@inner_kernel
def power(x: float) -> Any:
    """f(x) = x log2 x, and 0 at 0."""
    return x * np.log2(x) if x > 0 else 0.0


@kernel
def level(own: float, more: float) -> Any:
    """Identric mean of c and c + r, (1/e) ((c + r)^(c + r) / c^c)^(1 / r); c itself if r = 0."""
    if more == 0:
        return own
    if own == 0:
        return more / np.e
    high = own + more
    return np.exp((high * np.log(high) - own * np.log(own)) / more - 1.0)


@part_of_kernel
def score(branches: Any) -> Any:
    """G of a split: f of all label counts less f of both sizes."""
    own, size = branches.own, branches.size
    n_labels = own.shape[1]
    result = 0.0
    for side in range(2):
        for i in range(n_labels):
            result += power(own[side, i])
        result -= power(size[side])
    return result


@part_of_kernel
def slopes(branches: Any, reach: Any) -> None:
    """What one act on a side can do at most, from chords of f and the tangent of -f at the size."""
    own = branches.own
    n_labels = own.shape[1]
    for side in range(2):
        size = branches.size[side]
        turn = np.log2(size) + LOG2_E if size > 0 else 0.0
        for i in range(n_labels):
            before = power(own[side, i])
            step = max(1.0, reach.up[i])
            up = (power(own[side, i] + step) - before) / step
            down = -up
            if own[side, i] > 0:
                step = min(own[side, i], max(1.0, reach.down[i]))
                down = (power(own[side, i] - step) - before) / step
            branches.add[side, i] = up - turn if size > 0 else 0.0
            branches.remove[side, i] = down + turn if size > 0 else 0.0
        for i in range(n_labels):
            for j in range(n_labels):
                branches.flip[side, i, j] = branches.remove[side, i] + branches.add[side, j]


@inner_kernel
def tangent(branches: Any, side: int, reach: Any, gradient: Any) -> Any:
    """Gradient of g at counts z of a side that is not empty; gives its value on T, grad g(z) . c."""
    own = branches.own
    largest = 0
    for i in range(own.shape[1]):
        if own[side, i] > own[side, largest]:
            largest = i
    whole = 0.0
    for i in range(own.shape[1]):
        gradient[side, i] = own[side, i] if i == largest else level(own[side, i], reach.up[i])
        whole += gradient[side, i]
    on_table = 0.0
    for i in range(own.shape[1]):
        gradient[side, i] = np.log2(gradient[side, i] / whole) if gradient[side, i] > 0 else NEVER
        on_table += own[side, i] * gradient[side, i]
    return on_table


@part_of_kernel
def impurity_range(ranges: Any, side: int) -> Any:
    """Range of the entropy, sum of -f(pr_i): concave in each share, largest at 1/e, in all at most log2 k."""
    n_labels = ranges.shape[2]
    impurity_low = 0.0
    impurity_high = 0.0
    for i in range(n_labels):
        low = -power(ranges[side, 0, i])
        high = -power(ranges[side, 1, i])
        impurity_low += min(low, high)
        if ranges[side, 0, i] < 1.0 / np.e < ranges[side, 1, i]:
            impurity_high += LOG2_E / np.e
        else:
            impurity_high += max(low, high)
    return impurity_low, min(impurity_high, np.log2(float(n_labels)))


@inner_kernel
def cost(score: float) -> float:
    """Size times impurity of both sides together, where the score is G."""
    return -score


@inner_kernel
def tolerance(rows: float) -> Any:
    """By how much scores of a node with at most so many rows may differ and count as tied."""
    return TIE_TOLERANCE * rows * max(1.0, rows / LARGE)


@inner_kernel
def value(counts: Any) -> Any:
    """Value g of a branch from its label counts."""
    size, total = 0.0, 0.0
    for c in counts:
        size += c
        total += power(c)
    return total - power(size)


@part_of_kernel
def summed(powers: Any, counts: Any) -> Any:
    """Sum of f over the label counts."""
    total = 0.0
    for c in counts:
        total += powers[c]
    return total


@part_of_kernel
def raised(powers: Any, own: Any) -> Any:
    """What one more row with a label of `own` rows adds to that sum."""
    return powers[own + 1] - powers[own]


@part_of_kernel
def joined(powers: Any, of_left: Any, n_left: Any, of_right: Any, n_right: Any) -> Any:
    """G from the sums of both sides."""
    return of_left - powers[n_left] + of_right - powers[n_right]


def lookup(most: int) -> NDArray[np.float64]:
    """Entry k is f(k)."""
    return _powers(np.arange(most + 1, dtype=np.float64))


def value_of_counts(counts: Sequence[float], size: float) -> float:
    """Value g of a branch that is not empty, from whole numbers."""
    return sum(c * log2(c) for c in counts if c) - size * log2(size)


def _powers(x: NDArray[np.float64]) -> NDArray[np.float64]:
    """Apply f to every entry; what is not positive gives 0."""
    positive = x > 0
    return np.where(positive, x * np.log2(np.where(positive, x, 1.0)), 0.0)


def split_value(counts: NDArray[np.float64]) -> float:
    """G of one split: counts by side and label, ``counts[side * n_labels + label]``."""
    own = np.maximum(counts.reshape(2, -1), 0.0)
    return float(_powers(own).sum() - _powers(own.sum(axis=1)).sum())


def gradient(counts: NDArray[np.float64]) -> NDArray[np.float64]:
    """Gradient of G close to some counts, at z > 0: a lower bound for all counts, in an empty branch too."""
    own = np.maximum(counts.reshape(2, -1), FLOOR)
    result: NDArray[np.float64] = np.log2(own / own.sum(axis=1, keepdims=True)).ravel()
    return result


def remainder(low: NDArray[np.float64], high: NDArray[np.float64]) -> float:
    """Largest excess of G over its continuation from the centre of a box, over the corners of each branch.

    G less a linear function is convex, so it is largest at a corner; this holds for any slope.
    """
    n_labels = len(low) // 2
    centre = (low + high) / 2
    slope = gradient(centre)
    excess = -split_value(centre)
    for side in (0, 1):
        part = slice(side * n_labels, (side + 1) * n_labels)
        corners = np.array(list(product(*zip(low[part], high[part], strict=True))))
        values = _powers(corners).sum(axis=1) - _powers(corners.sum(axis=1))
        excess += float((values - (corners - centre[part]) @ slope[part]).max())
    return max(0.0, excess)


def tangent_points(counts: NDArray[np.float64], budgets: NDArray[np.float64]) -> list[NDArray[np.float64]]:
    """The counts on T, and between them and the most that additions and flips can bring."""
    more = float(budgets[0] + budgets[1])
    levelled = np.array([level(own, more) for own in counts]).reshape(2, -1)
    for side, own in enumerate(counts.reshape(2, -1)):
        levelled[side, np.argmax(own)] = own.max()
    return [counts, levelled.ravel()]
