"""Class weights: how much a row of each label counts, on T and over all tables of B(T).

Between the settings and the criterion. A dictionary gives the same weights to every table; "balanced" gives
each table T' its own, w_i = n' / (K n'_i), and a proof must hold for all of them. Only ratios of weights
matter to the learner.

Exact weights. Whole numbers times one power of two, the numbers up to 2^20, are added without rounding, so a
leaf on which two labels weigh the same gives the one that sorts first. Divided by their greatest common
divisor they are whole numbers, and a lead that is not 0 is at least 1. With other weights rounding decides
ties, and sometimes refuses a split that gains nothing.

"balanced". With u_i = w_i c_i the score of a split, G(u), is convex in w for one table T', and a tangent
p . (w c') with fixed p is linear in w. So a bound that uses one challenger and one p holds for a whole
polytope of weights if it holds at each vertex; the lead of a label in a leaf is linear in w. The counts n'_i
lie between the least and the most rows that B(T) leaves to label i. With the most frequent label as the
unit, w_i = n'_r / n'_i lies in an interval: the polytope is the box of these, or a simplex around it where
there are many labels. A label without rows has no part in any score or leaf, so its weight may be any: it is
taken as if it had one row.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from itertools import product
from math import gcd, isfinite, lcm
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "BALANCED",
    "ClassWeight",
    "balanced_vertices",
    "in_codes",
    "read_class_weight",
    "weights_on",
    "whole_weights",
]

BALANCED = "balanced"

MOST_RATIO = 1e4
"""Largest ratio of two weights. Beyond, scores of light labels drown in the tolerance for ties."""

LARGEST_WHOLE = 2**20
"""Weights are exact up to this multiple of their unit: sums over 10^9 rows have no rounding then."""

BOX_LABELS = 4
"""Up to this many labels the polytope of balanced weights is a box, which has 2^(K - 1) vertices."""

ClassWeight = str | tuple[tuple[Any, float], ...] | None
"""None, "balanced", or pairs of a label and its weight."""

HOW = (
    "it must be None, 'balanced', or a dictionary from labels to weights above 0, of which the largest is at "
    f"most {MOST_RATIO:g} times the smallest."
)


def read_class_weight(given: Any) -> ClassWeight:
    """Read the parameter; a ValueError says what is wrong."""
    if given is None or (isinstance(given, str) and given == BALANCED):
        return given
    if not isinstance(given, Mapping):
        raise ValueError(HOW)
    for label, weight in given.items():
        number = isinstance(weight, Real) and not isinstance(weight, bool)
        if not number or not isfinite(weight) or weight <= 0:
            raise ValueError(f"the weight of {label!r} is {weight!r}; {HOW}")
    return tuple((label, float(weight)) for label, weight in given.items()) or None


def in_codes(class_weight: ClassWeight, labels: NDArray[Any]) -> ClassWeight:
    """Write a dictionary for trees of label codes.

    scikit-learn says which label an entry is for, and refuses entries that leave some label out. Entries for
    labels that the table does not have stay in the dictionary, as codes below 0: on a table that has lost a
    label scikit-learn then refuses what it would refuse in the user's own words.

    Raises
    ------
    ValueError
        If scikit-learn refuses the dictionary, or the weights are too far apart.
    """
    if class_weight is None or isinstance(class_weight, str):
        return class_weight
    from sklearn.utils.class_weight import compute_class_weight

    marked = {label: k + 2.0 for k, (label, _) in enumerate(class_weight)}
    entry = compute_class_weight(marked, classes=labels, y=labels) - 2.0  # -1 for a label without an entry
    of_label = {int(k): code for code, k in enumerate(entry) if k >= 0}
    coded = tuple((of_label.get(k, -1 - k), weight) for k, (_, weight) in enumerate(class_weight))
    weights = weights_on(coded, np.ones(len(labels)))
    if weights.max() > MOST_RATIO * weights.min():
        raise ValueError(f"the weights lie between {weights.min():g} and {weights.max():g}; {HOW}")
    return coded


def weights_on(class_weight: ClassWeight, counts: NDArray[Any]) -> NDArray[np.float64]:
    """Weights of all labels on a table with so many rows of each, as scikit-learn has them."""
    if isinstance(class_weight, str):
        present = np.count_nonzero(counts)
        return np.asarray(counts.sum() / (present * np.maximum(1.0, counts)), np.float64)
    weights = np.ones(len(counts))
    for code, weight in class_weight or ():
        if code >= 0:
            weights[code] = weight
    return weights


def whole_weights(weights: NDArray[np.float64]) -> NDArray[np.float64] | None:
    """The same ratios in whole numbers without a common divisor; None if the weights are not exact."""
    numbers = [Fraction(float(weight)) for weight in weights]
    unit = lcm(*(number.denominator for number in numbers))  # a power of two: these are binary fractions
    whole = [int(number * unit) for number in numbers]
    divisor = gcd(*whole)
    odd = divisor
    while odd % 2 == 0:
        odd //= 2
    if max(whole) // (divisor // odd) > LARGEST_WHOLE:
        return None
    return np.array([number // divisor for number in whole], np.float64)


def balanced_vertices(
    counts: NDArray[Any], least: NDArray[Any], most: NDArray[Any]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Weights on T, and vertices of a polytope that has those of every table with counts in these ranges."""
    unit = int(np.argmax(counts))
    least = np.maximum(1.0, least)
    most = np.maximum(least, most)
    low, high = least[unit] / most, most[unit] / least
    low[unit] = high[unit] = 1.0
    widen = 1e-12  # for the rounding of the quotients
    low, high = low * (1 - widen), high * (1 + widen)
    low[unit] = high[unit] = 1.0
    moving = np.flatnonzero(high > low)
    on_table = counts[unit] / np.maximum(1.0, counts)
    if len(counts) <= BOX_LABELS:
        ends = [(low[i], high[i]) if i != unit else (1.0,) for i in range(len(counts))]
        return on_table, np.array(list(product(*ends)))
    simplex = np.repeat(low[None], 1 + len(moving), axis=0)
    for k, i in enumerate(moving):
        simplex[1 + k, i] += len(moving) * (high[i] - low[i])
    return on_table, simplex
