"""Both criteria with class weights: g of a branch with label counts c is that of u_i = w_i c_i.

g is still convex and homogeneous of degree 1 in c. A criterion carries one vector of weights, at which bounds
are computed, and one from which tangents take their prices (they differ only where weights move with the
table, see `everytree.learner.weights`), and the least and the greatest weight of each label. U = sum_i u_i.

Slopes of weighted Gini. Chords over B acts, B the greatest number of acts in all, with s = B w_i::

    add i: w_i (s + 2 u_i - g) / (U + s)           remove i: w_i (s - 2 u_i + g) / (U - s), at most w_i
    flip i to j: (2 w_j u_j - 2 w_i u_i + B (w_i^2 + w_j^2) - g (w_j - w_i)) / (U + B (w_j - w_i)), at most
                 w_i + w_j

and the caps where next to nothing, or less, is left of U. The proof is that without weights (see `gini`): one
act changes g by no more than the weight that comes and goes, because every partial derivative of g in u lies
between -1 and 1. In an empty branch g is at most U, so an addition has slope w_i and a flip *w_j - w_i*: with
slope 0 a light row that is added and flipped to a heavy label would not pay for its weight.

Slopes of weighted entropy, with f(x) = x log2 x and the reach A_i up and D_i down of label i::

    a_i = (f(w_i (c_i + A_i)) - f(w_i c_i)) / A_i          b_i = (f(w_i (c_i - D_i)) - f(w_i c_i)) / D_i
    add i: a_i - w_i f'(U)    remove i: b_i + w_i f'(U)    flip i to j: b_i + a_j + (w_i - w_j) f'(U)

and 0 in an empty branch: the proof of `entropy` holds label by label, and -f(U') lies below its tangent.

Tangents. g(c') >= sum_i p_i w_i c'_i with p the gradient of the criterion at any u > 0, here that of T.

Tolerance. Weights that are not exact are summed with rounding, relative to the weight and not to the number
of rows: a tolerance counts rows times the greatest weight.
"""

from __future__ import annotations

from math import log2
from typing import TYPE_CHECKING, Any

import numpy as np

from everytree.bias.acts import ADD, FLIP, REMOVE
from everytree.learner.criterion import entropy, gini
from everytree.support.kernels import inner_kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from everytree.learner.criterion.shared import Criterion

AT, PRICED, LEAST, MOST = 0, 1, 2, 3
"""Rows of the array of weights: for bounds, for prices, and the least and the greatest in any table."""

GINI, ENTROPY = 2, 3
"""Codes of the weighted criteria; `front` has those without weights."""

NOTHING_LEFT = 1e-9
"""Share of the weight of a branch below which chords are not used: rounding would outweigh them."""


@inner_kernel
def value(criterion: Any, counts: Any) -> Any:
    """Value g of a branch from its label counts."""
    weights = criterion.weights
    whole, total = 0.0, 0.0
    for i in range(len(counts)):
        weight = weights[AT, i] * counts[i]
        whole += weight
        total += weight * weight if criterion.code == GINI else entropy.power(weight)
    if criterion.code == GINI:
        return total / whole if whole > 0 else 0.0
    return total - entropy.power(whole)


@inner_kernel
def score(criterion: Any, branches: Any) -> Any:
    """G of a split."""
    return value(criterion, branches.own[0]) + value(criterion, branches.own[1])


@inner_kernel
def slopes(criterion: Any, branches: Any, reach: Any) -> None:
    """What one act on a side can do at most, all acts together."""
    for side in range(2):
        if criterion.code == GINI:
            _gini_slopes(criterion.weights[AT], branches, side, reach)
        else:
            _entropy_slopes(criterion.weights[AT], branches, side, reach)


@inner_kernel
def _gini_slopes(weights: Any, branches: Any, side: int, reach: Any) -> None:
    own, acts, most = branches.own[side], reach.acts, float(reach.most)
    n_labels = len(own)
    whole = 0.0
    square = 0.0
    for i in range(n_labels):
        whole += weights[i] * own[i]
        square += (weights[i] * own[i]) ** 2
    g = square / whole if whole > 0 else 0.0
    for i in range(n_labels):
        step = most * weights[i]
        weight = weights[i] * own[i]
        if acts[ADD] > 0:
            branches.add[side, i] = weights[i]
            if whole > 0:
                branches.add[side, i] = weights[i] * (step + 2.0 * weight - g) / (whole + step)
        if acts[REMOVE] > 0:
            branches.remove[side, i] = weights[i]
            if whole - step > NOTHING_LEFT * whole:
                chord = weights[i] * (step - 2.0 * weight + g) / (whole - step)
                branches.remove[side, i] = min(weights[i], chord)
        for j in range(n_labels if acts[FLIP] > 0 else 0):
            rise = weights[j] - weights[i]
            if whole == 0:
                branches.flip[side, i, j] = rise
                continue
            branches.flip[side, i, j] = weights[i] + weights[j]
            if whole + most * rise > NOTHING_LEFT * whole:
                chord = 2.0 * weights[j] ** 2 * own[j] - 2.0 * weights[i] * weight - g * rise
                chord += most * (weights[i] ** 2 + weights[j] ** 2)
                branches.flip[side, i, j] = min(weights[i] + weights[j], chord / (whole + most * rise))


@inner_kernel
def _entropy_slopes(weights: Any, branches: Any, side: int, reach: Any) -> None:
    own = branches.own[side]
    n_labels = len(own)
    whole = 0.0
    for i in range(n_labels):
        whole += weights[i] * own[i]
    turn = np.log2(whole) + entropy.LOG2_E if whole > 0 else 0.0
    for i in range(n_labels):
        before = entropy.power(weights[i] * own[i])
        step = max(1.0, reach.up[i])
        up = (entropy.power(weights[i] * (own[i] + step)) - before) / step
        down = -up
        if own[i] > 0:
            step = min(own[i], max(1.0, reach.down[i]))
            down = (entropy.power(weights[i] * (own[i] - step)) - before) / step
        branches.add[side, i] = up - weights[i] * turn if whole > 0 else 0.0
        branches.remove[side, i] = down + weights[i] * turn if whole > 0 else 0.0
    for i in range(n_labels):
        for j in range(n_labels):
            branches.flip[side, i, j] = branches.remove[side, i] + branches.add[side, j]


@inner_kernel
def tangent(criterion: Any, branches: Any, side: int, reach: Any, gradient: Any) -> Any:
    """Coefficients p_i w_i of a linear function below g, for one side; gives its value on T."""
    own, weights = branches.own[side], criterion.weights
    n_labels = len(own)
    if criterion.code == GINI:
        whole = 0.0
        square = 0.0
        for i in range(n_labels):
            whole += weights[PRICED, i] * own[i]
            square += (weights[PRICED, i] * own[i]) ** 2
        for i in range(n_labels):
            gradient[side, i] = 2.0 * weights[PRICED, i] * own[i] / whole - square / whole**2
    else:
        _entropy_prices(weights[PRICED], own, reach, gradient[side])
    on_table = 0.0
    for i in range(n_labels):
        gradient[side, i] *= weights[AT, i]
        on_table += own[i] * gradient[side, i]
    return on_table


@inner_kernel
def _entropy_prices(weights: Any, own: Any, reach: Any, prices: Any) -> None:
    """The gradient log2(z_i / sum z) at z_i = w_i times the identric mean of c_i and what it can become."""
    largest = 0
    for i in range(len(own)):
        if weights[i] * own[i] > weights[largest] * own[largest]:
            largest = i
    whole = 0.0
    for i in range(len(own)):
        at = own[i] if i == largest else entropy.level(own[i], reach.up[i])
        prices[i] = weights[i] * at
        whole += prices[i]
    for i in range(len(own)):
        prices[i] = np.log2(prices[i] / whole) if prices[i] > 0 else entropy.NEVER


@inner_kernel
def tolerance(criterion: Any, rows: float) -> Any:
    """By how much scores, and weights of labels in a leaf, may differ and count as tied."""
    return criterion.weights[MOST].max() * entropy.tolerance(rows)


def stop_rows(code: int, whole: NDArray[np.float64] | None) -> int:
    """Rows from which on a node may stop although it can be split, when no split gains anything.

    Whole weights are rows that come several times: the limits without weights hold for their number. With
    other weights rounding refuses splits without gain in nodes of nine rows.
    """
    if whole is None:
        return 0
    rows = gini.STOP_ROWS if code == GINI else entropy.stop_rows(len(whole))
    return int(rows // whole.max())


def largest_step(criterion: Criterion, rows: int, *, of_gini: bool) -> float:
    """By how much one flip or removal can change g of a branch with at most so many rows.

    Gini: by the weight that comes and goes. Entropy: measured in the least weight, all weights are at least
    1, and f(x) - f(x - w) lies between 0 and w (log2 U + log2 e) for w <= x <= U. A flip adds one such
    difference for the label that rises, one for the label that falls and one, of the difference of both
    weights, for U: at most w (log2 U + log2 e) with the larger weight w.
    """
    most, least = float(criterion.weights[MOST].max()), float(criterion.weights[LEAST].min())
    if of_gini:
        return 2.0 * most
    return most * (log2(rows * most / least) + entropy.LOG2_E)


def _each_side(criterion: Criterion, n_counts: int) -> NDArray[np.float64]:
    """Weights beside ``counts[side * n_labels + label]``."""
    return np.tile(criterion.weights[AT], n_counts // criterion.weights.shape[1])


def split_value(criterion: Criterion, counts: NDArray[np.float64]) -> float:
    """G of one split: counts by side and label, ``counts[side * n_labels + label]``."""
    weighted = counts * _each_side(criterion, len(counts))
    return gini.split_value(weighted) if criterion.code == GINI else entropy.split_value(weighted)


def gradient(criterion: Criterion, counts: NDArray[np.float64]) -> NDArray[np.float64]:
    """Coefficients of a linear function below G, close to G at the given counts."""
    weights = _each_side(criterion, len(counts))
    at = counts * weights
    return weights * (gini.gradient(at) if criterion.code == GINI else entropy.gradient(at))


def remainder(criterion: Criterion, low: NDArray[np.float64], high: NDArray[np.float64]) -> float:
    """Largest excess of G, in a box, over G at its centre continued with `gradient` there."""
    weights = _each_side(criterion, len(low))
    low, high = low * weights, high * weights
    return gini.remainder(low, high) if criterion.code == GINI else entropy.remainder(low, high)
