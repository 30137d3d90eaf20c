"""Class weights as whole numbers: how much a row of each label counts, in every table or at a corner of them.

A dictionary gives all tables the same weights. "balanced" gives the table T' the weights n' / (K n'_i), of
which only the ratios matter: with the most frequent label r of T as the unit, w_i = n'_r / n'_i lies between
what the least and the most rows of both labels make of it. So the weights of all tables lie in a box, or, for
many labels, in a simplex around it; what is convex in w and holds at all its corners holds in every table. A
label that has lost all its rows is in no branch, so that its weight may be any: it counts as if it had one.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import product
from math import gcd, isfinite
from typing import NamedTuple

__all__ = [
    *("BALANCED", "Weights", "are_covered", "balanced_on", "corners_of_balanced", "given_weights"),
    "no_weights",
]

BALANCED = "balanced"

LARGEST_EXACT = 10**6
"""Whole weights up to this are added by floats without rounding, in tables of any length."""

MOST_RATIO = 10_000
"""Weights that are further apart are not covered."""

BOX_LABELS = 4
"""Up to this many labels the corners of a box are looked at; there are 2^(K - 1)."""


class Weights(NamedTuple):
    """Weights of the labels.

    ``at`` are those with which rows are counted, ``priced`` those at which tangents are taken: they differ at
    the corners of weights that move, which must share their tangents. ``heaviest`` is the greatest weight in
    any table, None if every row counts once. ``exact`` says that the learner adds weights without rounding.
    ``unit`` is what a weight of 1 has become in `at`.
    """

    at: tuple[int, ...]
    priced: tuple[int, ...]
    heaviest: Fraction | None
    exact: bool
    unit: Fraction = Fraction(1)


def no_weights(n_labels: int) -> Weights:
    """Every row counts once."""
    return Weights((1,) * n_labels, (1,) * n_labels, None, exact=True)


def given_weights(given: Sequence[float]) -> Weights:
    """The weights of all labels as the learner has them, floats.

    Sums have no rounding if all are whole multiples, up to a million, of one power of two. Then they are
    divided by what they have in common, so that a lead that is not 0 is at least 1.
    """
    weights = [Fraction(weight) for weight in given]
    whole, scale = _whole(weights)
    shared = scale * weights[0] / whole[0]
    power = shared.numerator & -shared.numerator
    exact = max(whole) * (shared.numerator // power) <= LARGEST_EXACT
    if exact and set(whole) == {1}:
        return no_weights(len(given))
    unit = Fraction(1) if exact else Fraction(whole[0]) / weights[0]
    return Weights(whole, whole, Fraction(max(whole)), exact, unit)


def are_covered(given: Sequence[float]) -> bool:
    """Whether weights of a dictionary are numbers above 0 that are not too far apart."""
    positive = all(isfinite(weight) and weight > 0 for weight in given)
    return positive and max(given) <= MOST_RATIO * min(given)


def _whole(weights: Sequence[Fraction]) -> tuple[tuple[int, ...], int]:
    """The same ratios in whole numbers without a common divisor, and the common denominator."""
    scale = 1
    for weight in weights:
        scale = scale * weight.denominator // gcd(scale, weight.denominator)
    whole = [int(weight * scale) for weight in weights]
    shared = gcd(*whole)
    return tuple(weight // shared for weight in whole), scale


def balanced_on(counts: Sequence[int]) -> Weights:
    """The weights of one table with so many rows of each label, as the learner computes them."""
    present = sum(map(bool, counts))
    return given_weights([sum(counts) / (present * max(1, count)) for count in counts])


def corners_of_balanced(counts: Sequence[int], least: Sequence[int], most: Sequence[int]) -> list[Weights]:
    """Corners of what balanced weights can be where label i has from ``least[i]`` to ``most[i]`` rows."""
    labels = range(len(counts))
    unit = max(labels, key=lambda i: counts[i])
    least = [max(1, count) for count in least]
    most = [max(low, high) for low, high in zip(least, most, strict=True)]
    low = [Fraction(least[unit], most[i]) if i != unit else Fraction(1) for i in labels]
    high = [Fraction(most[unit], least[i]) if i != unit else Fraction(1) for i in labels]
    if len(counts) <= BOX_LABELS:
        corners = list(product(*({a: None, b: None} for a, b in zip(low, high, strict=True))))
    else:
        moving = [i for i in labels if low[i] < high[i]]
        corners = [tuple(low)]
        for i in moving:
            far = low[i] + len(moving) * (high[i] - low[i])
            corners.append((*low[:i], far, *low[i + 1 :]))
    priced, _ = _whole([Fraction(counts[unit], max(1, counts[i])) for i in labels])
    heaviest = max(max(corner) for corner in corners)
    found = []
    for corner in corners:
        at, _ = _whole(corner)
        found.append(Weights(at, priced, heaviest * at[unit], exact=False))
    return found
