"""What the two criteria say about one side of a split, in whole numbers of units.

With label counts c, weights w_i of the labels (1 if there are none), u_i = w_i c_i and U their sum, the value
g of a branch is sum u_i^2 / U (Gini) or sum u_i log2(u_i / U) (entropy): convex, homogeneous of degree 1, and
the learner takes a split of largest g(left) + g(right). A proof needs three things of it: an upper bound of g
on T, *slopes* by which g of a candidate's side rises at most for each unit change, all changes together, and
a *tangent* that lies below g of a challenger's side.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from everytree.checker.exact import LOG2_E, UNIT, Range, down, log2, up
from everytree.checker.weights import Weights

__all__ = ["Criterion", "Entropy", "Gini", "Reach", "Slopes", "criterion_of"]

PARTS = 1 << 12
"""Points at which tangents of the entropy are taken are multiples of 1 / PARTS: any point would do."""

TIED = 10**10
"""Scores of a node that differ by at most its weight divided by this count as tied."""

LARGE = 20_000
"""From so many rows on, rounding of entropies and weights is allowed for more than in proportion."""


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


class _Weighed:
    """What both criteria have: weights of the labels, and what rounding of the learner can do to sums."""

    plain_stop_rows = 0

    def __init__(self, weights: Weights) -> None:
        self.weights, self.at, self.priced = weights, weights.at, weights.priced
        self.is_weighted = weights.heaviest is not None
        self.heaviest = max(weights.at)
        self.stop_rows = self.plain_stop_rows // self.heaviest if weights.exact else 0

    def weigh(self, own: Sequence[int]) -> Sequence[int]:
        """Weights u of label counts."""
        return [w * c for w, c in zip(self.at, own, strict=True)] if self.is_weighted else own

    def tolerance(self, rows: int) -> int:
        """By how much scores of a node with so many rows may differ and count as tied."""
        heaviest = self.weights.heaviest or 1
        weight = rows * heaviest.numerator * max(rows, LARGE)
        return up(weight, TIED * LARGE * heaviest.denominator)

    def needed(self, rival: int, expected: int, rows: int) -> int:
        """Units by which the rival must lead in weight to win a leaf: where rounding decides, below zero."""
        return int(rival > expected) * UNIT if self.weights.exact else -self.tolerance(rows)

    def most_weight(self, counts: Sequence[int], additions: int, flips: int) -> int:
        """What a table with these label counts can weigh at most."""
        turned = flips * (self.heaviest - min(self.at))
        return sum(self.weigh(counts)) + additions * self.heaviest + turned


class Gini(_Weighed):
    """sum u_i^2 / U."""

    plain_stop_rows = 10_000
    """From here on rounding can make the learner refuse a split that gains nothing."""

    def tolerance(self, rows: int) -> int:
        """1e-10 a row where every row counts once."""
        return super().tolerance(rows) if self.is_weighted else up(rows, TIED)

    def value(self, own: Sequence[int]) -> Range:
        """Enclose g."""
        u = self.weigh(own)
        whole, q = sum(u), sum(x * x for x in u)
        return (down(q, whole), up(q, whole)) if whole else (0, 0)

    def slopes(self, own: Sequence[int], reach: Reach) -> Slopes:
        """Chords of g over B steps, B all changes; one change never counts more than the weight it moves.

        *Why.* Changes with a chord lead to a table that is reachable on its own and are at most B in all, so
        by convexity their chords bound them together. A partial derivative of g in u lies between -1 and 1:
        one removal more raises g by at most w_i, one flip by at most w_i + w_j. A branch without rows has g
        no larger than its weight: an addition brings w_i, a flip exchanges it for w_j.
        """
        w, u, b = self.at, self.weigh(own), reach.most
        whole, q = sum(u), sum(x * x for x in u)
        if whole == 0:
            all_of_it = [weight * UNIT for weight in w]
            return Slopes(all_of_it, all_of_it, [[new - old for new in all_of_it] for old in all_of_it])
        steps = [b * weight for weight in w]
        rise = [step * (step + 2 * x) for step, x in zip(steps, u, strict=True)]
        fall = [step * (step - 2 * x) for step, x in zip(steps, u, strict=True)]

        def chord(more: int, squares: int, most: int) -> int:
            """(g' - g) / B where the weight rises by `more` and the sum of squares by `squares`."""
            size = whole + more
            if size <= 0:
                return most
            return min(most, up(squares * whole - q * more, size * whole * b))

        labels = range(len(w))
        add = [chord(steps[i], rise[i], w[i] * UNIT) for i in labels]
        remove = [chord(-steps[i], fall[i], w[i] * UNIT) for i in labels]
        flip = [
            [chord(steps[j] - steps[i], fall[i] + rise[j], (w[i] + w[j]) * UNIT) for j in labels]
            for i in labels
        ]
        return Slopes(add, remove, flip)

    def tangent(self, own: Sequence[int], reach: Reach) -> tuple[list[Range], int]:
        """The gradient w_i (2 z_i / Z - sum z^2 / Z^2) at the rows of T, and its value there rounded down."""
        z = [w * c for w, c in zip(self.priced, own, strict=True)]
        whole, q = sum(z), sum(x * x for x in z)
        tilts = [w * (2 * x * whole - q) for w, x in zip(self.at, z, strict=True)]
        square = whole * whole
        on_table = down(sum(c * tilt for c, tilt in zip(own, tilts, strict=True)), square)
        return [(down(tilt, square), up(tilt, square)) for tilt in tilts], on_table

    def below(self, point: Sequence[int]) -> list[int]:
        """A linear function below g everywhere: its gradient at a point, rounded down; 0 at an empty one."""
        z = self.weigh(point)
        whole, q = sum(z), sum(x * x for x in z)
        square = whole * whole
        return [
            down(w * (2 * x * whole - q), square) if whole else 0 for w, x in zip(self.at, z, strict=True)
        ]


class Entropy(_Weighed):
    """sum u_i log2(u_i / U) = sum f(u_i) - f(U) with f(x) = x log2 x."""

    def __init__(self, weights: Weights) -> None:
        self.plain_stop_rows = 5_000 if len(weights.at) == 2 else 0
        super().__init__(weights)

    def value(self, own: Sequence[int]) -> Range:
        """Enclose g."""
        u = self.weigh(own)
        parts, whole = [_f(x) for x in u], _f(sum(u))
        return sum(low for low, _ in parts) - whole[1], sum(high for _, high in parts) - whole[0]

    def slopes(self, own: Sequence[int], reach: Reach) -> Slopes:
        """Chords of f up and down for each label, and the tangent of -f at the weight of the branch.

        *Why.* Label i is raised P and lowered Q times, P - Q between -D_i and A_i. With the chords a_i and
        b_i of f over A_i and D_i steps, -b_i <= a_i by convexity, so f rises by at most P a_i + Q b_i. The
        tangent of -f lies above it. In an empty branch g was 0 and is never above.
        """
        labels = range(len(own))
        if not any(own):
            nothing = [0 for _ in labels]
            return Slopes(nothing, nothing, [nothing for _ in labels])
        rises, falls = [], []
        for i, (c, w) in enumerate(zip(own, self.at, strict=True)):
            step, here = max(1, reach.up[i]), _f(w * c)
            there = _f(w * (c + step))
            rises.append(-((here[0] - there[1]) // step))
            if c == 0:  # it can only be lowered after it was raised: -a_i
                falls.append(-((there[0] - here[1]) // step))
                continue
            step = min(c, max(1, reach.down[i]))
            falls.append(-((here[0] - _f(w * (c - step))[1]) // step))
        low, high = log2(sum(self.weigh(own)))
        turn = low + LOG2_E[0], high + LOG2_E[1]
        return Slopes(
            [rise - w * turn[0] for rise, w in zip(rises, self.at, strict=True)],
            [fall + w * turn[1] for fall, w in zip(falls, self.at, strict=True)],
            [[falls[i] + rises[j] + self._turned(i, j, turn) for j in labels] for i in labels],
        )

    def _turned(self, i: int, j: int, turn: Range) -> int:
        """(w_i - w_j) f'(U), rounded up."""
        lighter = self.at[i] - self.at[j]
        return lighter * turn[1 if lighter > 0 else 0]

    def tangent(self, own: Sequence[int], reach: Reach) -> tuple[list[Range], int]:
        """w_i log2(z_i / sum z) at a point z > 0, and the value of this linear function on T rounded down.

        *Why.* g(c') >= grad g(z) . c' for every z > 0 and c' >= 0. Where label i can become more, z_i is near
        the mean at which the loss at both ends is level; a label that no table brings here has no part.
        """
        largest = max(range(len(own)), key=lambda i: self.priced[i] * own[i])
        points = [
            w * (c * PARTS if i == largest else _level(c, reach.up[i]))
            for i, (w, c) in enumerate(zip(self.priced, own, strict=True))
        ]
        low, high = log2(sum(points))
        gradient, on_table = [], 0
        for w, c, point in zip(self.at, own, points, strict=True):
            ends = (log2(point)[0] - high, log2(point)[1] - low) if point else (-1000 * UNIT, -1000 * UNIT)
            gradient.append((w * ends[0], w * ends[1]))
            on_table += c * w * ends[0]
        return gradient, on_table

    def below(self, point: Sequence[int]) -> list[int]:
        """A linear function below g everywhere: its gradient at a point, where every label has a part."""
        parts = [w * max(1, z) for w, z in zip(self.at, point, strict=True)]
        most = log2(sum(parts))[1]
        return [w * (log2(z)[0] - most) for w, z in zip(self.at, parts, strict=True)]


Criterion = Gini | Entropy


def criterion_of(name: str, weights: Weights) -> Criterion:
    """The criterion that scikit-learn calls so, with weights of the labels."""
    return Gini(weights) if name == "gini" else Entropy(weights)


def _f(x: int) -> Range:
    low, high = log2(x) if x else (0, 0)
    return x * low, x * high


def _level(own: int, more: int) -> int:
    """A point near the identric mean of c and c + r, in parts; floats only choose it."""
    if more == 0:
        return own * PARTS
    high = own + more
    power = high * math.log(high) - (own * math.log(own) if own else 0.0)
    return max(1, round(math.exp(power / more - 1.0) * PARTS))
