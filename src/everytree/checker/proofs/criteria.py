"""What the two criteria say about one side of a split, in whole numbers of units.

The value g of a branch with label counts c and n rows is sum c_i^2 / n (Gini) or sum c_i log2(c_i / n)
(entropy): convex, homogeneous of degree 1, and the learner takes a split of largest g(left) + g(right). A
proof needs three things of it: an upper bound of g on T, *slopes* by which g of a candidate's side rises at
most for each unit change, all changes together, and a *tangent* that lies below g of a challenger's side.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from everytree.checker.proofs.exact import LOG2_E, UNIT, Range, down, log2, up

__all__ = ["Criterion", "Entropy", "Gini", "Reach", "Slopes", "criterion_of"]

PARTS = 1 << 12
"""Points at which tangents of the entropy are taken are multiples of 1 / PARTS: any point would do."""


class Reach(NamedTuple):
    """What tables of B(T) can do in a node: B changes in all; label i becomes more or fewer by so many."""

    most: int
    up: Sequence[int]
    down: Sequence[int]


class Slopes(NamedTuple):
    """By how many units one change raises g of a side at most, all changes together."""

    add: Sequence[int]
    remove: Sequence[int]
    flip: Sequence[Sequence[int]]


class Gini:
    """sum c_i^2 / n."""

    stop_rows = 10_000
    """From here on rounding can make the learner refuse a split that gains nothing."""

    def tolerance(self, rows: int) -> int:
        """By how much scores of a node with so many rows may differ and count as tied: 1e-10 a row."""
        return up(rows, 10**10)

    def value(self, own: Sequence[int]) -> Range:
        """Enclose g."""
        n, q = sum(own), sum(c * c for c in own)
        return (down(q, n), up(q, n)) if n else (0, 0)

    def slopes(self, own: Sequence[int], reach: Reach) -> Slopes:
        """Chords of g over B steps, B all changes; a flip never counts more than 2, a removal than 1.

        *Why.* Changes with a chord lead to a table that is reachable on its own and are at most B in all, so
        by convexity their chords bound them together; one flip more raises g by less than 2, one removal by
        less than 1. In a branch without rows an addition raises g by 1 and pays for its flips.
        """
        n, q, b = sum(own), sum(c * c for c in own), reach.most
        labels = range(len(own))
        if n == 0:
            return Slopes(
                [UNIT for _ in labels], [UNIT for _ in labels], [[0 for _ in labels] for _ in labels]
            )
        add = [up((q + 2 * b * c + b * b) * n - q * (n + b), (n + b) * n * b) for c in own]
        remove = [UNIT for _ in labels]
        if n > b:
            remove = [min(UNIT, up((q - 2 * b * c + b * b) * n - q * (n - b), (n - b) * n * b)) for c in own]
        flip = [[min(2 * UNIT, up(2 * (own[j] - own[i] + b), n)) for j in labels] for i in labels]
        return Slopes(add, remove, flip)

    def tangent(self, own: Sequence[int], reach: Reach) -> tuple[list[Range], int]:
        """The gradient of g at T, 2 c_i / n - q / n^2, and g on T rounded down."""
        n, q = sum(own), sum(c * c for c in own)
        return [(down(2 * c * n - q, n * n), up(2 * c * n - q, n * n)) for c in own], down(q, n)

    def below(self, point: Sequence[int]) -> list[int]:
        """A linear function below g everywhere: its gradient at a point, rounded down; 0 at an empty one."""
        n, q = sum(point), sum(z * z for z in point)
        return [down(2 * z * n - q, n * n) if n else 0 for z in point]


class Entropy:
    """sum c_i log2(c_i / n) = sum f(c_i) - f(n) with f(x) = x log2 x."""

    def __init__(self, n_labels: int) -> None:
        self.stop_rows = 5_000 if n_labels == 2 else 0

    def tolerance(self, rows: int) -> int:
        """1e-10 a row, and more from 20,000 rows on."""
        return up(rows * max(rows, 20_000), 10**10 * 20_000)

    def value(self, own: Sequence[int]) -> Range:
        """Enclose g."""
        parts, whole = [_f(c) for c in own], _f(sum(own))
        return sum(low for low, _ in parts) - whole[1], sum(high for _, high in parts) - whole[0]

    def slopes(self, own: Sequence[int], reach: Reach) -> Slopes:
        """Chords of f up and down for each label, and the tangent of -f at the size.

        *Why.* Label i is raised P and lowered Q times, P - Q between -D_i and A_i. With the chords a_i and
        b_i of f over A_i and D_i steps, -b_i <= a_i by convexity, so f rises by at most P a_i + Q b_i. The
        tangent of -f lies above it. In an empty branch g was 0 and is never above.
        """
        n, labels = sum(own), range(len(own))
        if n == 0:
            nothing = [0 for _ in labels]
            return Slopes(nothing, nothing, [nothing for _ in labels])
        rises, falls = [], []
        for i, c in enumerate(own):
            step = max(1, reach.up[i])
            rise = -((_f(c)[0] - _f(c + step)[1]) // step)
            rises.append(rise)
            if c == 0:
                falls.append(_negative_rise(c, step))
                continue
            step = min(c, max(1, reach.down[i]))
            falls.append(-((_f(c)[0] - _f(c - step)[1]) // step))
        low, high = log2(n)
        turn = low + LOG2_E[0], high + LOG2_E[1]
        return Slopes(
            [rise - turn[0] for rise in rises],
            [fall + turn[1] for fall in falls],
            [[falls[i] + rises[j] for j in labels] for i in labels],
        )

    def tangent(self, own: Sequence[int], reach: Reach) -> tuple[list[Range], int]:
        """log2(z_i / sum z) at a point z > 0, and the value of this linear function on T rounded down.

        *Why.* g(c') >= grad g(z) . c' for every z > 0 and c' >= 0. Where label i can become more, z_i is near
        the mean at which the loss at both ends is level; a label that no table brings here has no part.
        """
        largest = max(range(len(own)), key=lambda i: own[i])
        points = [c * PARTS if i == largest else _level(c, reach.up[i]) for i, c in enumerate(own)]
        low, high = log2(sum(points))
        gradient, on_table = [], 0
        for c, point in zip(own, points, strict=True):
            ends = (log2(point)[0] - high, log2(point)[1] - low) if point else (-1000 * UNIT, -1000 * UNIT)
            gradient.append(ends)
            on_table += c * ends[0]
        return gradient, on_table

    def below(self, point: Sequence[int]) -> list[int]:
        """A linear function below g everywhere: its gradient at a point, where every label has a part."""
        parts = [max(1, z) for z in point]
        most = log2(sum(parts))[1]
        return [log2(z)[0] - most for z in parts]


Criterion = Gini | Entropy


def criterion_of(name: str, n_labels: int) -> Criterion:
    """The criterion that scikit-learn calls so."""
    return Gini() if name == "gini" else Entropy(n_labels)


def _f(x: int) -> Range:
    low, high = log2(x) if x else (0, 0)
    return x * low, x * high


def _negative_rise(c: int, step: int) -> int:
    """-a_i rounded up, for a label without rows: it can only be lowered after it was raised."""
    return -((_f(c + step)[0] - _f(c)[1]) // step)


def _level(own: int, more: int) -> int:
    """A point near the identric mean of c and c + r, in parts; floats only choose it."""
    if more == 0:
        return own * PARTS
    high = own + more
    power = high * math.log(high) - (own * math.log(own) if own else 0.0)
    return max(1, round(math.exp(power / more - 1.0) * PARTS))
