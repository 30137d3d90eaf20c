"""The criterion seam: all that a proof asks of a criterion, and the only place where they are told apart.

Domains, path programs and the enumeration of small tables ask here and know no algebra of their own. Kernels
take a criterion as its code, a whole number: no function is passed around. Nearly every tree is learned by
Gini without weights. Kernels may be given None for it (`for_kernels`): then they are compiled without the
algebra of entropy and weights, which they would otherwise hold as well, in two thirds of the time.

What a criterion must have: a value g of a branch, convex and homogeneous of degree 1 in the label counts,
such that the learner takes a split of largest G = g(left) + g(right). Then g(left + right) is at most
g(left) + g(right), so a node without a split never has a higher score than with one.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from everytree.learner.criterion import entropy, gini, weighted
from everytree.learner.criterion.gini import linear_leads, possible_signs, tie_slack
from everytree.learner.criterion.shared import TIE_TOLERANCE, Branches, Criterion, Reach
from everytree.learner.criterion.weighted import AT, LEAST, MOST, PRICED
from everytree.learner.weights import whole_weights
from everytree.support.kernels import inner_kernel, kernel, part_of_kernel

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

__all__ = [
    "AT",
    "LEAST",
    "MOST",
    "PRICED",
    "TIE_TOLERANCE",
    "Branches",
    "Criterion",
    "Reach",
    "linear_leads",
    "possible_signs",
    "tie_slack",
]  # what is handed on

GINI, ENTROPY = 0, 1
"""Codes of the criteria where every row counts once."""

WEIGHTED = weighted.GINI
"""Codes from here on are those with class weights."""

CODES = {"gini": GINI, "entropy": ENTROPY, "log_loss": ENTROPY}
"""What scikit-learn calls them."""


def criterion_of(name: str, n_labels: int) -> Criterion:
    """The criterion of this name, for a table with so many labels, every row counting once."""
    code = CODES[name]
    rows = gini.STOP_ROWS if code == GINI else entropy.stop_rows(n_labels)
    return Criterion(code, rows, _ones(n_labels), True)


@lru_cache
def _ones(n_labels: int) -> NDArray[np.float64]:
    return np.ones((4, n_labels))


def weighted_criteria(
    name: str, weights: NDArray[np.float64], vertices: NDArray[np.float64] | None = None
) -> tuple[Criterion, ...]:
    """The criterion with these weights and, where they move with the table, at each vertex of their polytope.

    What holds at all vertices holds for every table: see `everytree.learner.weights`. Weights that are all
    the same whole number are no weights.
    """
    whole = whole_weights(weights) if vertices is None else None
    if whole is not None and (whole == 1.0).all():
        return (criterion_of(name, len(weights)),)
    code = weighted.GINI if CODES[name] == GINI else weighted.ENTROPY
    priced = weights if whole is None else whole
    ends = priced[None] if vertices is None else vertices
    low, high = np.minimum(priced, ends.min(axis=0)), np.maximum(priced, ends.max(axis=0))
    rows = weighted.stop_rows(code, whole)
    everywhere = [priced] if vertices is None else [priced, *vertices]
    return tuple(
        Criterion(code, rows, np.array([at, priced, low, high]), whole is not None) for at in everywhere
    )


# ---------------------------------------------------------------- for kernels


def for_kernels(criterion: Criterion) -> Criterion | None:
    """The criterion as kernels take it that are compiled for Gini alone: None if every row counts once."""
    usual = criterion.code == GINI and criterion.stop_rows == gini.STOP_ROWS
    return None if usual else criterion


@kernel
def new_branches(n_labels: int) -> Any:
    """Room for both sides of a split."""
    own, size = np.zeros((2, n_labels), np.float64), np.zeros(2, np.float64)
    add, remove = np.zeros((2, n_labels), np.float64), np.zeros((2, n_labels), np.float64)
    return Branches(own, size, add, remove, np.zeros((2, n_labels, n_labels), np.float64))


@part_of_kernel
def score(criterion: Any, branches: Any) -> Any:
    """G of a split: the values g of its two sides together."""
    if criterion is None:
        return gini.score(branches)
    return _other_score(criterion, branches)


@inner_kernel
def _other_score(criterion: Any, branches: Any) -> Any:
    if criterion.code == GINI:
        return gini.score(branches)
    return weighted.score(criterion, branches) if criterion.code >= WEIGHTED else entropy.score(branches)


@part_of_kernel
def slopes(criterion: Any, branches: Any, reach: Any) -> None:
    """Find the slopes of both sides of a candidate, where the node has this reach."""
    if criterion is None:
        gini.slopes(branches, reach)
    else:
        _other_slopes(criterion, branches, reach)


@inner_kernel
def _other_slopes(criterion: Any, branches: Any, reach: Any) -> None:
    if criterion.code == GINI:
        gini.slopes(branches, reach)
    elif criterion.code >= WEIGHTED:
        weighted.slopes(criterion, branches, reach)
    else:
        entropy.slopes(branches, reach)


@kernel
def tangent(criterion: Any, branches: Any, side: int, reach: Any, gradient: Any) -> Any:
    """A linear function below g on all tables, for one side of a challenger; gives its value on T.

    ``gradient[side]`` receives its coefficients. The value on T is at most g, and the constant of a bound.
    """
    if criterion is None:
        return gini.tangent(branches, side, gradient)
    if criterion.code == GINI:
        return gini.tangent(branches, side, gradient)
    if criterion.code >= WEIGHTED:
        return weighted.tangent(criterion, branches, side, reach, gradient)
    return entropy.tangent(branches, side, reach, gradient)


@part_of_kernel
def impurity_range(criterion: Any, ranges: Any, side: int) -> Any:
    """Range of the impurity where ``ranges[side]`` holds the ends of all label proportions."""
    if criterion is None:
        return gini.impurity_range(ranges, side)
    return _other_impurity_range(criterion, ranges, side)


@inner_kernel
def _other_impurity_range(criterion: Any, ranges: Any, side: int) -> Any:
    if criterion.code == GINI or criterion.code == weighted.GINI:
        return gini.impurity_range(ranges, side)
    return entropy.impurity_range(ranges, side)


@inner_kernel
def label_weights(criterion: Any, n_labels: int, row: Any) -> Any:
    """How much a row of each label counts: one row of the array of weights."""
    return np.ones(n_labels) if criterion is None else criterion.weights[row]


@inner_kernel
def weight(criterion: Any, counts: Any) -> float:
    """What rows with these label counts weigh; their number if every row counts once."""
    whole = 0.0
    for i in range(len(counts)):
        whole += counts[i] if criterion is None else criterion.weights[AT, i] * counts[i]
    return whole


@inner_kernel
def cost(criterion: Any, weight: float, score: float) -> float:
    """Weight times impurity of both sides of a split together, from the node's weight and its score G."""
    if criterion is None:
        return weight - score
    plain = criterion.code == GINI or criterion.code == weighted.GINI
    return gini.cost(weight, score) if plain else entropy.cost(score)


@part_of_kernel
def tolerance(criterion: Any, rows: float) -> Any:
    """By how much scores may differ and count as tied, in a node with at most so many rows."""
    if criterion is None:
        return gini.tolerance(rows)
    return _other_tolerance(criterion, rows)


@inner_kernel
def _other_tolerance(criterion: Any, rows: float) -> Any:
    if criterion.code >= WEIGHTED:
        return weighted.tolerance(criterion, rows)
    return gini.tolerance(rows) if criterion.code == GINI else entropy.tolerance(rows)


@kernel
def lead_needed(criterion: Any, j: int, y: Any, rows: float) -> Any:
    """By how much label j must lead y in a leaf of at most so many rows, in weight, to be able to win.

    Without rounding it must be level where it sorts first, else ahead, by 1 at least as weights are whole.
    """
    if criterion is not None and not criterion.exact:
        return -tolerance(criterion, rows)
    return 0.0 if j < y else 1.0


@part_of_kernel
def stop_rows(criterion: Any) -> int:
    """Rows from which on a node may stay whole because no split gains anything."""
    return gini.STOP_ROWS if criterion is None else criterion.stop_rows


@kernel
def winner(criterion: Any, counts: Any) -> int:
    """The label of a leaf with these counts; where rounding decides between several, one of them."""
    best = 0
    for i in range(1, len(counts)):
        if criterion is None:
            if counts[i] > counts[best]:
                best = i
        elif criterion.weights[AT, i] * counts[i] > criterion.weights[AT, best] * counts[best]:
            best = i
    return best


@kernel
def value(criterion: Any, counts: Any) -> float:
    """Value g of a branch with these label counts."""
    if criterion is None:
        return gini.value(counts)
    if criterion.code >= WEIGHTED:
        weighed: float = weighted.value(criterion, counts)
        return weighed
    return gini.value(counts) if criterion.code == GINI else entropy.value(counts)


@part_of_kernel
def summed(criterion: Any, numbers: Any, counts: Any) -> Any:
    """A sum over the labels of a branch: with `raised` and `joined` it scores the splits of a sorted column.

    Row by row, a label of the left branch gets one more and one of the right branch one fewer. ``numbers``
    comes from `lookup`.
    """
    if criterion is None:
        return gini.summed(counts)
    return gini.summed(counts) if criterion.code == GINI else entropy.summed(numbers, counts)


@part_of_kernel
def raised(criterion: Any, numbers: Any, own: Any) -> Any:
    """What that sum gains when a label with `own` rows gets one more."""
    if criterion is None:
        return gini.raised(own)
    return gini.raised(own) if criterion.code == GINI else entropy.raised(numbers, own)


@part_of_kernel
def joined(criterion: Any, numbers: Any, of_left: Any, n_left: Any, of_right: Any, n_right: Any) -> Any:
    """G of a split from these sums and the sizes of both sides."""
    if criterion is None:
        return gini.joined(numbers, of_left, n_left, of_right, n_right)
    if criterion.code == GINI:
        return gini.joined(numbers, of_left, n_left, of_right, n_right)
    return entropy.joined(numbers, of_left, n_left, of_right, n_right)


# ---------------------------------------------------------------- for path programs, small tables and attacks


def lookup(criterion: Criterion, most: int) -> NDArray[np.float64]:
    """What `summed`, `raised` and `joined` look up, for branches with up to `most` rows."""
    if criterion.code >= WEIGHTED:
        return np.zeros(1)  # weights leave nothing to look up
    return gini.lookup(most) if criterion.code == GINI else entropy.lookup(most)


def largest_step(criterion: Criterion, rows: int) -> float:
    """By how much one flip or removal can change g of a branch with at most so many rows."""
    return weighted.largest_step(criterion, rows, of_gini=criterion.code in (GINI, weighted.GINI))


def winners(criterion: Criterion, counts: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Labels that a leaf with these counts may give: one, or all that are level up to rounding."""
    if criterion.exact:
        return np.asarray(np.arange(len(counts)) == winner(for_kernels(criterion), counts))
    weights = criterion.weights[AT] * counts
    level = weights >= weights.max() - tolerance(criterion, float(counts.sum()))
    return np.asarray(level & (counts > 0))


def value_of_counts(criterion: Criterion, counts: Sequence[float], size: float) -> float:
    """Value g of a branch that is not empty, from whole numbers and without compilation."""
    if criterion.code >= WEIGHTED:
        weighed = [w * c for w, c in zip(criterion.weights[AT].tolist(), counts, strict=True)]
        counts, size = weighed, sum(weighed)
        if criterion.code == weighted.GINI:
            return gini.value_of_counts(counts, size)
        return entropy.value_of_counts(counts, size)
    if criterion.code == GINI:
        return gini.value_of_counts(counts, size)
    return entropy.value_of_counts(counts, size)


def split_value(criterion: Criterion, counts: NDArray[np.float64]) -> float:
    """G of a split with counts ``counts[side * n_labels + label]``, which need not be whole."""
    if criterion.code >= WEIGHTED:
        return weighted.split_value(criterion, counts)
    return gini.split_value(counts) if criterion.code == GINI else entropy.split_value(counts)


def gradient(criterion: Criterion, counts: NDArray[np.float64]) -> NDArray[np.float64]:
    """Coefficients of a linear function below G, close to G at the given counts."""
    if criterion.code >= WEIGHTED:
        return weighted.gradient(criterion, counts)
    return gini.gradient(counts) if criterion.code == GINI else entropy.gradient(counts)


def remainder(criterion: Criterion, low: NDArray[np.float64], high: NDArray[np.float64]) -> float:
    """Largest excess of G, in a box, over G at its centre continued with `gradient` there."""
    if criterion.code >= WEIGHTED:
        return weighted.remainder(criterion, low, high)
    return gini.remainder(low, high) if criterion.code == GINI else entropy.remainder(low, high)


def tangent_points(
    criterion: Criterion, counts: NDArray[np.float64], budgets: NDArray[np.float64]
) -> list[NDArray[np.float64]]:
    """Counts at which `gradient` should be taken for a rival with these counts on T, to begin with."""
    plain = criterion.code == GINI or criterion.code == weighted.GINI
    return [counts] if plain else entropy.tangent_points(counts, budgets)


def has_linear_form(criterion: Criterion, n_labels: int) -> bool:
    """Whether the best split is found by `linear_leads` where only labels are flipped."""
    return criterion.code == GINI and n_labels == 2
