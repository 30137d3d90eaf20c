"""Every tree that one small table can give: whole counts, all ways of breaking ties, nothing compiled.

Used by `everytree.refute.small_sets`. Rows come as counted *kinds* (a place in every feature and a label),
so tables that share nodes share the work done for them.
"""

from __future__ import annotations

from itertools import pairwise
from math import inf, isinf
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from everytree.learner.availability import ANYWHERE, BELOW_ROOT
from everytree.learner.criterion.front import WEIGHTED, for_kernels, tolerance, value_of_counts, winners
from everytree.prove.views import LARGEST

if TYPE_CHECKING:
    from collections.abc import Sequence

    from everytree.learner import Floors
    from everytree.learner.criterion.front import Criterion
    from everytree.refute.places import Place

Node = tuple[tuple[int, int], ...]
"""Rows that are together: pairs of a kind and its number, sorted by kind."""


class BestSplit(NamedTuple):
    """A best split: its feature, the interval its threshold lies in, and the rows of both sides."""

    feature: int
    low: float
    high: float
    left: Node
    right: Node


class Gaps(NamedTuple):
    """Splits of a node by one feature: their scores, and the last rank on the left.

    ``reached`` is a score that some split has for certain, -inf if there may be no split at all.
    """

    scores: list[float]
    ranks: list[int]
    reached: float


class Rules(NamedTuple):
    """What holds in the whole table that a node is part of.

    `crowded` says that several added rows may lie so close to each other, or to values of the table, that the
    learner cannot split between them. `floors` are those of this very table, `depth` the levels of its root.
    `weights` are the class weights of a table that has its own, see `EveryTree.weigh`.
    """

    crowded: bool
    floors: Floors
    depth: int
    weights: tuple[float, ...] = ()

    def may_be_cut_off(self, depth: int) -> bool:
        """Whether a limit of leaves, or pruning, may turn a node with so many levels below into a leaf."""
        cut_off = self.floors.cut_off
        return cut_off == ANYWHERE or (cut_off == BELOW_ROOT and depth < self.depth)


class EveryTree:
    """Who may get another label, from any tree that a table gives.

    Parameters
    ----------
    people : sequence of sequences of float
        Features of the people, as the learner sees them.
    predictions : sequence of int
        The label codes to compare with.
    n_labels : int
        Number of labels.
    criterion : Criterion
        What the learner calls the best split.
    n_features : int
        Features of the table; what is shown beyond them are second views of those with holes.
    """

    def __init__(
        self,
        people: Sequence[Sequence[float]],
        predictions: Sequence[int],
        n_labels: int,
        criterion: Criterion,
        n_features: int,
    ) -> None:
        self.criteria: dict[tuple[float, ...], Criterion] = {(): criterion}
        self.n_features = n_features
        self.people = people
        self.predictions = predictions
        self.n_labels = n_labels
        self.places: list[tuple[Place, ...]] = []
        self.label: list[int] = []
        self._kinds: dict[tuple[tuple[Place, ...], int], int] = {}
        self._cuts: dict[tuple[Node, Rules], tuple[list[BestSplit], bool]] = {}
        self._answers: dict[tuple[Node, int, int, Rules], bool] = {}

    def kind(self, places: tuple[Place, ...], label: int) -> int:
        """Return the number of a kind of rows; the same kind always has the same number."""
        known = self._kinds.setdefault((places, label), len(self.places))
        if known == len(self.places):
            self.places.append(places)
            self.label.append(label)
        return known

    def weigh(self, criterion: Criterion) -> tuple[float, ...]:
        """Name the weights of a table's own criterion, for its `Rules`."""
        weights = tuple(criterion.weights[0].tolist())
        self.criteria[weights] = criterion
        return weights

    def may_differ(self, node: Node, depth: int, person: int, rules: Rules) -> bool:
        """Whether some tree learned from these rows gives the person another label than predicted.

        Soundness
        ---------
        Of the splits that are available for certain, take the best score; every available split that reaches
        it, within the tolerance, is followed, to both sides if the threshold may lie on either side of the
        person.
        """
        key = (node, depth, person, rules)
        known = self._answers.get(key)
        if known is None:
            known = self._answers[key] = self._differs(node, depth, person, rules)
        return known

    def _differs(self, node: Node, depth: int, person: int, rules: Rules) -> bool:
        predicted = self.predictions[person]
        counts = self._counts(node)
        other = self._says_other(counts, predicted, self.criteria[rules.weights])
        if depth == 0 or max(counts) == sum(counts) or sum(counts) < rules.floors.node_low:
            return other
        cuts, may_stop = self._best(node, rules)
        if other and (may_stop or rules.may_be_cut_off(depth)):
            return True
        for feature, low, high, left, right in cuts:
            value = self.people[person][feature]
            if isinf(value) and not self._sent(node, feature, left, right):
                continue
            if value <= high and self.may_differ(left, depth - 1, person, rules):
                return True
            if value > low and self.may_differ(right, depth - 1, person, rules):
                return True
        return False

    def _sent(self, node: Node, feature: int, left: Node, right: Node) -> bool:
        """Whether the learner sends people without a value as this view does (see `prove/views.py`).

        Always, if the node has rows without one; if not, to the side with more rows, equal ones to the right.
        """
        if any(isinf(self.places[kind][feature].low) for kind, _ in node):
            return True
        more_left = sum(number for _, number in left) > sum(number for _, number in right)
        return more_left == (feature >= self.n_features)

    @staticmethod
    def _says_other(counts: list[int], predicted: int, criterion: Criterion) -> bool:
        """Whether a leaf with these counts may give another label than predicted."""
        if criterion.code < WEIGHTED:
            return counts.index(max(counts)) != predicted
        says = winners(criterion, np.array(counts))
        return bool(says.sum() > says[predicted])

    def _counts(self, node: Node) -> list[int]:
        counts = [0] * self.n_labels
        for kind, number in node:
            counts[self.label[kind]] += number
        return counts

    def _best(self, node: Node, rules: Rules) -> tuple[list[BestSplit], bool]:
        """Splits that may be the best, and whether there may be none at all, or none that gains enough."""
        known = self._cuts.get((node, rules))
        if known is None:
            total = self._counts(node)
            by_feature = [
                self._gaps(node, feature, total, rules) for feature in range(len(self.places[node[0][0]]))
            ]
            reached = max(gaps.reached for gaps in by_feature)
            criterion = self.criteria[rules.weights]
            decrease, tied = rules.floors.decrease, tolerance(for_kernels(criterion), sum(total))
            enough = value_of_counts(criterion, total, sum(total)) + decrease
            worst_kept = max(reached, enough if decrease > 0 else reached) - tied
            refusing = decrease > 0 or sum(total) >= criterion.stop_rows
            may_stop = reached == -inf or (refusing and reached <= enough + tied)
            cuts = [
                self._cut(node, feature, rank)
                for feature, gaps in enumerate(by_feature)
                for score, rank in zip(gaps.scores, gaps.ranks, strict=True)
                if score >= worst_kept
            ]
            known = self._cuts[node, rules] = cuts, may_stop
        return known

    def _gaps(self, node: Node, feature: int, total: list[int], rules: Rules) -> Gaps:
        """Score the splits of one feature; one that leaves a side with too few rows counts as -inf.

        In a crowded table, values of which one lies in a stretch may be one value for the learner. But added
        rows never bridge a stretch: from one point to the next, at least one split exists.
        """
        ordered = sorted((self.places[kind][feature].rank, kind, number) for kind, number in node)
        scores: list[float] = []
        ranks: list[int] = []
        reached, criterion = -inf, self.criteria[rules.weights]
        left, size, n = [0] * self.n_labels, 0, sum(total)
        since_point = -inf  # the least score since the last point; -inf before the first
        for (rank, kind, number), (after, next_kind, _) in pairwise(ordered):
            left[self.label[kind]] += number
            size += number
            if rank == after:
                continue
            score = -inf
            if min(size, n - size) >= rules.floors.leaf_low:
                right = [t - c for t, c in zip(total, left, strict=True)]
                score = value_of_counts(criterion, left, size)
                score += value_of_counts(criterion, right, n - size)
                scores.append(score)
                ranks.append(rank)
            here, there = self.places[kind][feature], self.places[next_kind][feature]
            if not rules.crowded or not here.may_touch(there):
                reached = max(reached, score)
            since_point = score if here.part == 0 else min(since_point, score)
            if there.part == 0:
                reached = max(reached, since_point)
        return Gaps(scores, ranks, reached)

    def _cut(self, node: Node, feature: int, rank: int) -> BestSplit:
        """Divide a node; the threshold is the midpoint of the last value left and the first value right."""
        left = tuple(pair for pair in node if self.places[pair[0]][feature].rank <= rank)
        right = tuple(pair for pair in node if self.places[pair[0]][feature].rank > rank)
        last = max(self.places[kind][feature].rank for kind, _ in left)
        first = min(self.places[kind][feature].rank for kind, _ in right)
        below = [place for kind, _ in left if (place := self.places[kind][feature]).rank == last]
        above = [place for kind, _ in right if (place := self.places[kind][feature]).rank == first]
        low = max(place.low for place in below) / 2 + min(place.low for place in above) / 2
        high = max(place.high for place in below) / 2 + min(place.high for place in above) / 2
        return BestSplit(feature, min(low, LARGEST), min(high, LARGEST), left, right)
