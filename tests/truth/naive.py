"""The naive learner of the oracle: exact arithmetic, every best split when several tie, nothing compiled.

Nothing here is taken from the library. A table is a sorted tuple of rows, a row is ``(values, label)``; what
is missing in a row is written as `MISSING`, which sorts behind all values.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from itertools import islice, pairwise, product

import numpy as np
import sklearn

Values = tuple[float, ...]
Row = tuple[Values, int]
Table = tuple[Row, ...]
LabelSet = frozenset[int]
Cut = tuple[int, float] | tuple[int, float, bool]
"""Column and threshold; a third entry, True, says that missing values go left and not right."""

MISSING = math.inf

STEP = np.float32(1e-7 if tuple(map(int, sklearn.__version__.split(".")[:2])) >= (1, 8) else 0.0)
"""Neighbours that are not further apart are one value."""

MOST_TREES = 3000
"""Trees that are looked at where the whole tree decides what is a leaf; those left out are not known."""


@dataclass(frozen=True)
class Stops:
    """When the learner stops before a leaf is pure, and its criterion: scikit-learn's, besides the depth.

    A float for `leaf` or `split` is a share of the rows of the table that is learned from. `weights` are
    class weights in the order of the labels, or "balanced".
    """

    leaf: float = 1
    split: float = 2
    decrease: float = 0.0
    leaves: int | None = None
    alpha: float = 0.0
    criterion: str = "gini"
    weights: tuple[float, ...] | str | None = None

    def rows(self, n_rows: int) -> tuple[int, int]:
        """Rows of a leaf and of a node that is split, in a table of so many rows."""
        leaf = self.leaf if isinstance(self.leaf, int) else math.ceil(self.leaf * n_rows)
        split = self.split if isinstance(self.split, int) else max(2, math.ceil(self.split * n_rows))
        return leaf, max(split, 2 * leaf)

    def parameters(self) -> dict[str, float | str | None]:
        """The same for the public class."""
        return {
            "min_samples_leaf": self.leaf,
            "min_samples_split": self.split,
            "min_impurity_decrease": self.decrease,
            "max_leaf_nodes": self.leaves,
            "ccp_alpha": self.alpha,
            "criterion": self.criterion,
            "class_weight": "balanced" if self.weights == "balanced" else None,
        }

    def weigh(self, counts: Sequence[int]) -> list[float]:
        """Weights of the labels in a table with so many rows of each, as scikit-learn has them."""
        if self.weights is None:
            return [1.0] * len(counts)
        if self.weights == "balanced":
            present = sum(count > 0 for count in counts)
            return [sum(counts) / (present * count) if count else 1.0 for count in counts]
        return list(self.weights[: len(counts)])


NO_STOPS = Stops()


@lru_cache
def self_power(c: int) -> int:
    """C to the power of itself."""
    return c**c


def best_cuts(node: Table, codes: dict[int, int], leaf: int = 1, criterion: str = "gini") -> list[Cut]:
    """All splits of maximal score that leave both sides the rows of a leaf, in whole numbers.

    For Gini the score of a split is the sum over both sides of (sum of squared class counts) / (size of the
    side); multiplied by the least common multiple of all sizes it is an integer. For entropy it is the sum of
    c log2(c / size), and 2 to the power of it the product of all c^c / size^size. Two such fractions with
    different values differ by more than 2^-bits, so their integer parts times 2^bits are in the same order.
    """
    n = len(node)
    scale = math.lcm(*range(1, n + 1))
    bits = 2 * self_power(n).bit_length() + 2
    totals = [0] * len(codes)
    for _, label in node:
        totals[codes[label]] += 1
    best, cuts = -1, []
    for cut, left in _all_cuts(node, codes):
        i = sum(left)
        if min(i, n - i) < leaf:
            continue
        right = [t - c for t, c in zip(totals, left, strict=True)]
        if criterion == "gini":
            score = sum(c * c for c in left) * (scale // i)
            score += sum(c * c for c in right) * (scale // (n - i))
        else:
            of_labels = math.prod(map(self_power, left)) * math.prod(map(self_power, right))
            score = (of_labels << bits) // (self_power(i) * self_power(n - i))
        if score > best:
            best, cuts = score, []
        if score == best:
            cuts.append(cut)
    return cuts


def best_weighted_cuts(
    node: Table, codes: dict[int, int], leaf: int, criterion: str, weights: Sequence[Fraction]
) -> list[Cut]:
    """The same with class weights: in fractions for Gini, for entropy up to a rounding far below a tie."""
    totals = [0] * len(codes)
    for _, label in node:
        totals[codes[label]] += 1
    scored = []
    for cut, left in _all_cuts(node, codes):
        if min(sum(left), len(node) - sum(left)) >= leaf:
            sides = left, [t - c for t, c in zip(totals, left, strict=True)]
            scored.append((sum(weighted_value(side, criterion, weights) for side in sides), cut))
    best = max((score for score, _ in scored), default=0)
    same = Fraction(0) if criterion == "gini" else Fraction(len(node), 10**13) * max(weights)
    return [cut for score, cut in scored if score >= best - same]


def weighted_value(counts: Sequence[int], criterion: str, weights: Sequence[Fraction]) -> Fraction:
    """Value of a branch in which a row counts as much as its label weighs."""
    weighed = [weight * count for weight, count in zip(weights, counts, strict=True)]
    whole = sum(weighed)
    if not whole:
        return Fraction(0)
    if criterion == "gini":
        return sum(u * u for u in weighed) / whole
    return Fraction(math.fsum(float(u) * math.log2(u / whole) for u in weighed if u))


def _all_cuts(node: Table, codes: dict[int, int]) -> Iterator[tuple[Cut, list[int]]]:
    """Every split with the label counts of its left side, column by column.

    Where values are missing every gap comes twice, with them on the right and on the left, and behind the
    last value there is one more: all values left, what is missing right.
    """
    for j in range(len(node[0][0])):
        ordered = sorted((values[j], codes[label]) for values, label in node)
        missing = [sum(value == MISSING and code == i for value, code in ordered) for i in range(len(codes))]
        left = [0] * len(codes)
        for (low, code), (high, _) in pairwise(ordered):
            left[code] += 1
            if low == high or _one_value(low, high):
                continue
            if high == MISSING:
                yield (j, math.inf), list(left)
                continue
            yield (j, low / 2 + high / 2), list(left)
            if any(missing):
                yield (j, low / 2 + high / 2, True), [c + m for c, m in zip(left, missing, strict=True)]


def _one_value(low: float, high: float) -> bool:
    """Whether neighbours are so close that no split comes between them."""
    return high - low < 1e-6 and STEP > 0 and bool(np.float32(high) <= np.float32(low) + STEP)


def is_left(value: float, cut: Cut) -> bool:
    """Whether a row of the node goes left."""
    return len(cut) == 3 if value == MISSING else value <= cut[1]


def sends_left(node: Table, cut: Cut, value: float) -> bool:
    """Whether a person goes left; where no row lacks a value, one without it goes where more rows are."""
    column = cut[0]
    if value == MISSING and all(values[column] != MISSING for values, _ in node):
        return 2 * len(divide(node, cut)[0]) > len(node)
    return is_left(value, cut)


def divide(node: Table, cut: Cut) -> tuple[Table, Table]:
    """The rows left and right of a split."""
    left = tuple(row for row in node if is_left(row[0][cut[0]], cut))
    return left, tuple(row for row in node if not is_left(row[0][cut[0]], cut))


class NaiveLearner:
    """The labels that some way of breaking ties among best splits gives to each test point.

    Works on float32 values. A node is a leaf when no depth is left, when it is pure, when it has too few
    rows, when no column varies so that both sides keep the rows of a leaf, or when the best split gains too
    little; a leaf gives the most frequent label, the one that sorts first on a tie.
    """

    def __init__(self, points: Sequence[Values], labels: Sequence[int], stops: Stops = NO_STOPS):
        self.points = list(points)
        self.codes = {label: code for code, label in enumerate(sorted(labels))}
        self.stops = stops
        self.stops_early = replace(stops, criterion="gini", weights=None) != NO_STOPS
        self.weights: tuple[Fraction, ...] | None = None
        self.whole_weight = Fraction(0)
        self._known: dict[tuple, list[LabelSet]] = {}

    def possible_labels(self, node: Table, depth: int, whole: int | None = None) -> list[LabelSet]:
        """For every test point, the labels it may get in this node, of a table of so many rows."""
        whole = self.weigh(node) if whole is None else whole
        key = (node, depth, (whole, self.whole_weight) if self.stops_early else 0, self.weights)
        if key not in self._known:
            self._known[key] = self._learn(node, depth, whole)
        return self._known[key]

    def weigh(self, table: Table) -> int:
        """Take the weights of a table; gives its rows."""
        if self.stops.weights is not None:
            self.weights = tuple(map(Fraction, self.stops.weigh(self.counts(table))))
            self.whole_weight = Fraction(self.weight(table))
        return len(table)

    def counts(self, node: Table) -> list[int]:
        """Rows of each label."""
        return [sum(label == other for _, other in node) for label in self.codes]

    def weight(self, node: Table) -> Fraction | int:
        """What the rows of a node count."""
        if self.weights is None:
            return len(node)
        return sum(weight * count for weight, count in zip(self.weights, self.counts(node), strict=True))

    def cuts(self, node: Table, depth: int, whole: int) -> list[Cut]:
        """All splits that the learner may take in a node; none if it is a leaf."""
        leaf, split = self.stops.rows(whole)
        pure = len({label for _, label in node}) == 1
        if depth == 0 or pure or len(node) < split:
            return []
        if self.weights is None:
            cuts = best_cuts(node, self.codes, leaf, self.stops.criterion)
        else:
            cuts = best_weighted_cuts(node, self.codes, leaf, self.stops.criterion, self.weights)
        of_table = whole if self.weights is None else self.whole_weight
        enough = Fraction(self.stops.decrease) * of_table
        rounding = Fraction(np.finfo(np.float64).eps) * of_table
        if cuts and self.stops.decrease > 0 and self.gain(node, cuts[0]) + rounding < enough:
            return []
        return cuts

    def gain(self, node: Table, cut: Cut) -> Fraction:
        """What a split adds to the score of the node without it."""
        return sum((self.score(side) for side in divide(node, cut)), -self.score(node))

    def score(self, node: Table) -> Fraction:
        """The score of a node without a split; for entropy rounded, by far less than the library's ties."""
        counts = self.counts(node)
        if self.weights is not None:
            return weighted_value(counts, self.stops.criterion, self.weights)
        if self.stops.criterion == "gini":
            return Fraction(sum(c * c for c in counts), len(node))
        return Fraction(math.fsum(c * math.log2(c / len(node)) for c in counts if c))

    def _learn(self, node: Table, depth: int, whole: int) -> list[LabelSet]:
        cuts = self.cuts(node, depth, whole)
        if not cuts:
            return [frozenset({self.majority(node)})] * len(self.points)
        gathered: list[set[int]] = [set() for _ in self.points]
        for cut in cuts:
            answers = [self.possible_labels(side, depth - 1, whole) for side in divide(node, cut)]
            for i, point in enumerate(self.points):
                gathered[i] |= answers[not sends_left(node, cut, point[cut[0]])][i]
        return [frozenset(labels) for labels in gathered]

    def majority(self, node: Table) -> int:
        """The label of a leaf."""
        counts = dict.fromkeys(sorted(self.codes), 0)
        for _, label in node:
            counts[label] += 1 if self.weights is None else self.weights[self.codes[label]]
        return max(counts, key=counts.__getitem__)  # the first of equal ones, in the order of the labels


# ---------------------------------------------------------------- trees that are cut off


def cut_off_labels(learner: NaiveLearner, table: Table, depth: int) -> list[LabelSet]:
    """The labels of each point if a limit of leaves, or pruning, decides about the tree as a whole."""
    whole = learner.weigh(table)
    if learner.stops.leaves is None:
        trees = (labels for labels, _, _ in _pruned(learner, table, depth, whole, range(len(learner.points))))
    else:
        trees = _best_first(learner, table, depth)
    seen = [dict(tree) for tree in islice(trees, MOST_TREES)]
    return [frozenset(tree[i] for tree in seen) for i in range(len(learner.points))]


Labels = tuple[tuple[int, int], ...]
"""Pairs of a point and its label."""


def _route(
    learner: NaiveLearner, node: Table, points: Sequence[int], cut: Cut
) -> tuple[list[int], list[int]]:
    """The points left and right of a split."""
    left = [i for i in points if sends_left(node, cut, learner.points[i][cut[0]])]
    return left, [i for i in points if i not in left]


def _pruned(
    learner: NaiveLearner, node: Table, depth: int, whole: int, points: Sequence[int]
) -> Iterator[tuple[Labels, Fraction, int]]:
    """Every tree after pruning: labels of the points, cost (times the rows of the table), and leaves.

    Costs are those of Gini; those of entropy lack the number of rows, which drops out of what is saved.
    A branch is cut off if it saves no more than alpha for each leaf but one.
    """
    label = learner.majority(node)
    leaf = tuple((i, label) for i in points), learner.weight(node) - learner.score(node), 1
    cuts = learner.cuts(node, depth, whole)
    if not cuts:
        yield leaf
        return
    for cut in cuts:
        sides = [
            list(islice(_pruned(learner, side, depth - 1, whole, there), MOST_TREES))
            for side, there in zip(divide(node, cut), _route(learner, node, points, cut), strict=True)
        ]
        for left, right in product(*sides):
            cost, leaves = left[1] + right[1], left[2] + right[2]
            saves = leaf[1] - cost
            alpha = Fraction(learner.stops.alpha) * (learner.whole_weight or whole)
            yield leaf if saves <= alpha * (leaves - 1) else (left[0] + right[0], cost, leaves)


@dataclass(frozen=True)
class _Open:
    """A node that may still be split, with the split that it would get (None for a leaf)."""

    node: Table
    depth: int
    points: tuple[int, ...]
    cut: Cut | None
    gain: Fraction


def _best_first(learner: NaiveLearner, table: Table, depth: int) -> Iterator[Labels]:
    """Every tree with so many leaves: always the node whose split gains most is split next."""
    whole = learner.weigh(table)

    def opened(node: Table, depth: int, points: Sequence[int]) -> list[_Open]:
        cuts = learner.cuts(node, depth, whole)
        if not cuts:
            return [_Open(node, depth, tuple(points), None, Fraction(-1))]
        return [_Open(node, depth, tuple(points), cut, learner.gain(node, cut)) for cut in cuts]

    def grow(waiting: tuple[_Open, ...], splits: int) -> Iterator[Labels]:
        best = max(one.gain for one in waiting)
        if splits == 0 or best < 0:
            yield tuple((i, learner.majority(one.node)) for one in waiting for i in one.points)
            return
        for place, one in enumerate(waiting):
            if one.gain == best and one.cut is not None:
                sides = zip(
                    divide(one.node, one.cut),
                    _route(learner, one.node, one.points, one.cut),
                    strict=True,
                )
                children = [opened(node, one.depth - 1, points) for node, points in sides]
                for pair in product(*children):
                    yield from grow((*waiting[:place], *pair, *waiting[place + 1 :]), splits - 1)

    for root in opened(table, depth, range(len(learner.points))):
        yield from grow((root,), (learner.stops.leaves or 1) - 1)
