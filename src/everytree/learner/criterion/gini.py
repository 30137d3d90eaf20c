"""All Gini algebra: g(c) = sum_i c_i^2 / n for a branch with label counts c and n rows, 0 if it is empty.

g is convex and homogeneous of degree 1; n - g is the size of the branch times its Gini impurity. Compiled
functions for the domains come first, then the ones for path programs, then the linear form that only Gini
has, for two labels and flips. `front` hands everything on.

Slopes. A candidate's branch after f_a acts of sort a has g(c') <= g(c) + sum_a f_a s_a, where s_a is the
chord of g over B steps of that act and B the greatest number of acts in all. Proof sketch: changes that use
a chord form a table that could be reached on its own, and their amounts sum to at most B, so Jensen's
inequality bounds them together. Where the chord exceeds what a single change can do (a removal changes g by
less than 1, a flip by less than 2), the smaller value is used, and those changes are applied one by one.
Flips in a branch that only added rows fill are paid for by the slope 1 of each addition.

Tangent. g(c') >= grad g(c) . c' for all c', as for every convex function that is homogeneous of degree 1;
at c itself both sides are g(c).
"""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

from everytree.bias.acts import ADD, FLIP, REMOVE
from everytree.learner.criterion.shared import TIE_TOLERANCE
from everytree.support.kernels import inner_kernel, kernel, part_of_kernel

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

STOP_ROWS = 10_000
"""From this many rows on a node may stop although it can be split, when no split gains anything.

The gain that scikit-learn computes comes out below -2.2e-16, which it refuses, from 12,000 rows on.
"""


FEW_LEFT = 1e-4
"""Share of a branch that removals must leave for a chord to be used; rounding is then far below a tie."""


@part_of_kernel
def score(branches: Any) -> Any:
    """G of a split: the sum over both sides of the squared label counts over the size."""
    own, size = branches.own, branches.size
    result = 0.0
    for side in range(2):
        square = 0.0
        for i in range(own.shape[1]):
            square += own[side, i] * own[side, i]
        if size[side] > 0:
            result += square / size[side]
    return result


@part_of_kernel
def slopes(branches: Any, reach: Any) -> None:
    """Chords of g for all acts on both sides."""
    own, acts, most = branches.own, reach.acts, float(reach.most)
    n_labels = own.shape[1]
    for side in range(2):
        size = branches.size[side]
        square = 0.0
        for i in range(n_labels):
            square += own[side, i] * own[side, i]
        for i in range(n_labels):
            if acts[ADD] > 0:
                branches.add[side, i] = add_slope(own[side, i], size, square, most)
            if acts[REMOVE] > 0:
                branches.remove[side, i] = remove_slope(own[side, i], size, square, most)
            if acts[FLIP] > 0:
                for j in range(n_labels):
                    branches.flip[side, i, j] = flip_slope(own[side, i], own[side, j], size, most)


@kernel
def add_slope(own: float, size: float, square: float, most: float) -> float:
    """Chord of g for additions of a label with `own` rows: (g(c + B e_i) - g(c)) / B.

    Multiplied out it is (B + 2 c_i - g(c)) / (n + B): B is not squared, so rounding stays in the last places.
    """
    if size == 0:
        return 1.0
    return (most + 2.0 * own - square / size) / (size + most)


@kernel
def remove_slope(own: float, size: float, square: float, most: float) -> float:
    """Chord of g for removals of a label with `own` rows, (B - 2 c_i + g(c)) / (n - B), at most 1.

    Where next to nothing is left of the branch the division would make the rounding of g(c) large; 1 holds.
    """
    if size <= most or size - most < FEW_LEFT * size:
        return 1.0
    return min(1.0, (most - 2.0 * own + square / size) / (size - most))


@inner_kernel
def flip_slope(source: float, target: float, size: float, most: float) -> float:
    """Chord of g for flips from a label with `source` rows to one with `target` rows, at most 2."""
    if size == 0:
        return 0.0
    return min(2.0, (2.0 * (target - source) + 2.0 * most) / size)


@inner_kernel
def tangent(branches: Any, side: int, gradient: Any) -> Any:
    """Gradient of g at the counts of a side that is not empty; gives its value there, g(c) itself.

    Entry i is 2 c_i / n - sum_j c_j^2 / n^2.
    """
    own, size = branches.own, branches.size
    square = 0.0
    for i in range(own.shape[1]):
        square += own[side, i] * own[side, i]
    for i in range(own.shape[1]):
        gradient[side, i] = 2.0 * own[side, i] / size[side] - square / size[side] ** 2
    return square / size[side]


@part_of_kernel
def impurity_range(ranges: Any, side: int) -> Any:
    """Range of the Gini impurity, sum of pr_i * (1 - pr_i), by interval arithmetic."""
    impurity_low = 0.0
    impurity_high = 0.0
    for i in range(ranges.shape[2]):
        low = ranges[side, 0, i]
        high = ranges[side, 1, i]
        impurity_low += low * (1.0 - high)
        impurity_high += high * (1.0 - low)
    return impurity_low, impurity_high


@inner_kernel
def cost(size: float, score: float) -> float:
    """Size times impurity of both sides together, where the score is G."""
    return size - score


@part_of_kernel
def tolerance(rows: float) -> float:
    """By how much scores of a node with at most so many rows may differ and count as tied."""
    return TIE_TOLERANCE * rows


@kernel
def value(counts: Any) -> float:
    """Value g of a branch from its label counts."""
    size = square = 0
    for c in counts:
        size += c
        square += c * c
    return square / size if size > 0 else 0.0


@part_of_kernel
def summed(counts: Any) -> Any:
    """Sum of the squared label counts."""
    square = 0.0
    for c in counts:
        square += c * c
    return square


@part_of_kernel
def raised(own: Any) -> Any:
    """What one more row with a label of `own` rows adds to the sum of squares."""
    return 2 * own + 1


@part_of_kernel
def joined(inverse: Any, of_left: Any, n_left: Any, of_right: Any, n_right: Any) -> Any:
    """G from the sums of squares of both sides."""
    return of_left * inverse[n_left] + of_right * inverse[n_right]


def lookup(most: int) -> NDArray[np.float64]:
    """Entry k is 1 / k: divisions would take most of the time."""
    return 1 / np.maximum(1, np.arange(most + 1))


def value_of_counts(counts: Sequence[float], size: float) -> float:
    """Value g of a branch that is not empty, from whole numbers."""
    return sum(c * c for c in counts) / size


def split_value(counts: NDArray[np.float64]) -> float:
    """G of one split: counts by side and label, ``counts[side * n_labels + label]``."""
    total = 0.0
    for branch in counts.reshape(2, -1):
        size = branch.sum()
        if size > 1e-12:
            total += float(branch @ branch) / size
    return total


def gradient(counts: NDArray[np.float64]) -> NDArray[np.float64]:
    """Gradient of G; zero in an empty branch, which still gives a lower bound because G >= 0 there."""
    result = np.zeros_like(counts)
    n_labels = len(counts) // 2
    for side in (0, 1):
        branch = counts[side * n_labels : (side + 1) * n_labels]
        size = branch.sum()
        if size > 1e-12:
            result[side * n_labels : (side + 1) * n_labels] = 2 * branch / size - (branch @ branch) / size**2
    return result


def remainder(low: NDArray[np.float64], high: NDArray[np.float64]) -> float:
    """Largest excess of G over its tangent at the centre of a box; branch by branch, over the corners."""
    n_labels = len(low) // 2
    centre = (low + high) / 2
    slope = gradient(centre)
    excess = 0.0
    for side in (0, 1):
        part = slice(side * n_labels, (side + 1) * n_labels)
        at, tilt = centre[part], slope[part]
        size = at.sum()
        middle = float(at @ at) / size if size > 1e-12 else 0.0
        corners = np.array(list(product(*zip(low[part], high[part], strict=True))))
        sizes = corners.sum(axis=1)
        values = np.where(sizes > 1e-12, (corners**2).sum(axis=1) / np.maximum(sizes, 1e-12), 0.0)
        excess += float((values - middle - (corners - at) @ tilt).max())
    return max(0.0, excess)


def linear_leads(counts: list[NDArray[np.float64]]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Leads h of splits as linear forms: their coefficients on the counts, and their values on T.

    With p positives of n rows in a branch, G_phi - (P^2 + (N - P)^2) / N = 2 h_phi^2, where
    h_phi = sqrt(n_L n_R / N) (p_L / n_L - p_R / n_R): linear in p where flips leave the sizes as they are.
    """
    table = np.array(counts)
    left, right = table[:, :2].sum(axis=1), table[:, 2:].sum(axis=1)
    weight = np.sqrt(left * right / (left + right))
    forms = np.zeros_like(table)
    forms[:, 1], forms[:, 3] = weight / left, -weight / right
    return forms, (forms * table).sum(axis=1)


def possible_signs(counts: list[NDArray[np.float64]], flips: float) -> list[int]:
    """Signs of h with which the first split can be best after so many flips, the present one first.

    A flip changes h by at most its largest coefficient, so h can grow to h + l max|form| while a rival keeps
    at least |h| - l max|form|.
    """
    forms, values = linear_leads(counts)
    reach = flips * np.abs(forms).max(axis=1)
    least = float((np.abs(values) - reach)[1:].max(initial=0.0))
    least -= float(np.sqrt(TIE_TOLERANCE * counts[0].sum()))
    signs = [1, -1] if values[0] >= 0 else [-1, 1]
    return [sign for sign in signs if sign * values[0] + reach[0] >= least]


def tie_slack(counts: list[NDArray[np.float64]], flips: float) -> float:
    """By how much |h| of the best split may stay behind another one's, after at most so many flips.

    Soundness
    ---------
    Let e = 1e-10 N. The best split phi has 2 h_phi^2 >= 2 h_psi^2 - e for every psi. Where
    d = |h_psi| - |h_phi| is positive, d (|h_psi| + |h_phi|) <= e / 2. The bracket is at least d, so
    d <= sqrt(e / 2). It is also at least 2 |h_phi|, and phi is best against chi, too:
    |h_phi| >= |h_chi| - sqrt(e / 2). A flip moves h_chi by at most its largest coefficient, so with L the
    largest |h_chi(T)| - l max|form_chi| over the splits at hand, d <= e / (4 (L - sqrt(e / 2))) where that is
    positive. Usually this is smaller by far.
    """
    tied = TIE_TOLERANCE * float(counts[0].sum())
    coarse = float(np.sqrt(tied / 2))
    forms, values = linear_leads(counts)
    least = float((np.abs(values) - flips * np.abs(forms).max(axis=1)).max(initial=0.0))
    return min(coarse, tied / (4 * (least - coarse))) if least > coarse else coarse
