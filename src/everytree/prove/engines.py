"""Engines: the domains put to work on one node, to say which splits may be best and what leaves say.

Between the domains and the walk, which hands over the counts of a node and gets candidates and leaves back.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from everytree.learner.criterion.front import for_kernels, stop_rows
from everytree.prove.candidates import Candidates, by_length, settle
from everytree.prove.domains import flips, interval, leaf, relational
from everytree.prove.domains.flips import WAYS
from everytree.prove.domains.settling import settle as settle_pair
from everytree.prove.routing import Leaves

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from everytree.prove.counts import Budget, Splits
    from everytree.prove.node import Ground
    from everytree.prove.problem import Problem

CHALLENGERS = 3
"""Splits, the best of as many columns, that a candidate must be able to beat."""

APART = 0.1
"""Part of a node's rows between challengers of one feature, where there are fewer features than these."""

FIRST_PART = 256
"""Candidates of a last-level node that are looked at first; each later part is eight times larger."""


MOST_SETTLED = 2000
"""Candidates that cannot change a verdict are settled, for the sake of tight ranges, up to this many."""


@dataclass(frozen=True, eq=False)
class Ranking:
    """First look at a node: splits that may be best, and whether some table may leave the node unsplit.

    ``margin`` says how far each split may get ahead of the first challenger, ``behind`` how far it is behind
    on T. Where the longest vector is best, they are lengths, and ``alive`` says in which ways each may be
    best.
    """

    ground: Ground
    chosen: NDArray[np.int64]
    may_stop: bool
    score: NDArray[np.float64]
    margin: NDArray[np.float64]
    behind: NDArray[np.float64]
    challengers: NDArray[np.int64]
    least_upper: float
    alive: NDArray[np.bool_] | None = None


class IntervalEngine:
    """The paper's method: the interval domain alone, thresholds anywhere in their gap."""

    name = "interval"
    claims = False

    def exact_thresholds(self, budget: Budget) -> bool:
        """Never: as in the paper, a test value strictly inside a gap goes both ways."""
        return False

    def leaf(self, total: NDArray[np.int64], problem: Problem, budget: Budget) -> Leaves:
        """Say what a node shows if it is a leaf."""
        return Leaves(*interval.leaf_of_node(total, problem.types, budget, for_kernels(problem.criterion)))

    def rank(self, ground: Ground) -> Ranking:
        """Find the splits that may be best."""
        types, splits, budget, criterion = ground.types, ground.splits, ground.budget, ground.criterion
        score = relational.scores(splits, types, criterion)
        least_upper, stops = interval.least_upper_cost(splits, types, budget, score, ground.floors, criterion)
        may_stop = ground.may_stop or stops
        everything = np.arange(len(score))
        chosen = everything[interval.affordable(splits, everything, types, budget, least_upper, criterion)]
        return Ranking(ground, chosen, may_stop, score, score, -score, everything[:0], least_upper)

    def candidates(self, ranking: Ranking, leaves: bool) -> Candidates:
        """Take a closer look at the candidates: here there is none."""
        n_labels = ranking.ground.types.measures.shape[2]
        return Candidates.of_splits(ranking.chosen, np.ones((len(ranking.chosen), 2, n_labels), np.bool_))

    def leaves(
        self, ranking: Ranking, present: NDArray[np.bool_]
    ) -> Iterator[tuple[NDArray[np.int64], Leaves]]:
        """Give the candidates of a last-level node with what their two sides say, all at once."""
        yield ranking.chosen, _range_leaves(ranking, ranking.chosen)


class RelationalEngine:
    """Splits compared pairwise on the same table, intersected with the interval domain.

    Where only labels change, by Gini, vectors are compared (`domains/flips.py`), unless the engine is
    ``plain``: those are the bounds that a proof file knows. With ``claims`` candidates say what they ask of
    the changes below them, which takes several times as long.
    """

    name = "relational"

    def __init__(self, *, plain: bool = False, claims: bool = False) -> None:
        self.plain = plain
        self.claims = claims

    def exact_thresholds(self, budget: Budget) -> bool:
        """Thresholds are midpoints of known gaps as long as no row can be added."""
        return budget.additions == 0

    def leaf(self, total: NDArray[np.int64], problem: Problem, budget: Budget) -> Leaves:
        """Say what a node shows if it is a leaf."""
        leaves = Leaves(*interval.leaf_of_node(total, problem.types, budget, for_kernels(problem.criterion)))
        leaves.possible[:] &= leaf.labels_of_node(
            total, problem.types, budget, [for_kernels(criterion) for criterion in problem.criteria]
        )
        return leaves

    def rank(self, ground: Ground) -> Ranking:
        """Find the splits that may be best by the bound that needs no cell counts."""
        types, splits, budget, criterion = ground.types, ground.splits, ground.budget, ground.criterion
        score = relational.scores(splits, types, criterion)
        challengers = _challengers(ground, score)
        least_upper, stops = interval.least_upper_cost(splits, types, budget, score, ground.floors, criterion)
        alive: NDArray[np.bool_] | None = None
        margin, behind = np.zeros(len(score)), np.zeros(len(score))
        if len(challengers):
            psi = challengers[0]
            if not self.plain and by_length(ground):
                everything = np.arange(len(score))
                margins, ahead, unsplit = flips.loose_margins(splits, types, budget, psi, everything)
                alive, margin, behind = margins >= 0, margins.max(axis=1), -ahead.max(axis=1)
                unsplit = 0.0 if ground.floors.decrease > 0 else unsplit
            else:
                margin, unsplit = relational.loose_margins(splits, types, budget, score, psi, ground.criteria)
                behind = score[psi] - score
            stops = stops and (
                _may_be_unsplittable(ground) or _may_be_gainless(ground, score, challengers, unsplit)
            )
        chosen = np.flatnonzero(margin >= 0)
        may_stop = ground.may_stop or stops
        return Ranking(ground, chosen, may_stop, score, margin, behind, challengers, least_upper, alive)

    def refine(self, ranking: Ranking) -> NDArray[np.int64]:
        """Keep the candidates that survive every challenger, with all caps, and the interval domain."""
        return self.settle(ranking, leaves=False)[0]

    def settle(self, ranking: Ranking, leaves: bool) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """Settle all candidates; with `leaves` also which labels their two sides can give as leaves."""
        return self.candidates(ranking, leaves).splits()

    def candidates(self, ranking: Ranking, leaves: bool) -> Candidates:
        """Settle all candidates, each in the ways in which it may be best."""
        types, splits, budget = ranking.ground.types, ranking.ground.splits, ranking.ground.budget
        chosen = ranking.chosen
        if leaves:
            possible = leaf.labels_of_leaves(splits, chosen, types, budget, ranking.ground.criteria)
        else:
            possible = np.zeros((len(chosen), 2, types.measures.shape[2]), np.bool_)
        return self._settle(ranking, chosen, possible)

    def leaves(
        self, ranking: Ranking, present: NDArray[np.bool_]
    ) -> Iterator[tuple[NDArray[np.int64], Leaves]]:
        """Give the candidates of a last-level node with what their two sides say, the harmful ones first.

        ``present[c, side, i]`` says that someone who expects label i comes to that side of candidate c. A
        candidate is harmful if a leaf can tell somebody another label than the expected one; those with
        the widest margin come first, in parts, so that the caller may stop early. The others can change no
        verdict; where they are many they are not settled any further and only widen the ranges.
        """
        types, splits, budget = ranking.ground.types, ranking.ground.splits, ranking.ground.budget
        chosen = ranking.chosen
        possible = leaf.labels_of_leaves(splits, chosen, types, budget, ranking.ground.criteria)
        n_present = present.sum(axis=2, keepdims=True)
        harmful = (possible & (n_present > present)).any(axis=(1, 2))
        ordered = np.flatnonzero(harmful)
        ordered = ordered[np.argsort(-ranking.margin[chosen[ordered]], kind="stable")]
        begin, size = 0, FIRST_PART
        while begin < len(ordered):
            part = np.sort(ordered[begin : begin + size])
            settled, at_leaves = self._settle(ranking, chosen[part], possible[part]).splits()
            leaves = _range_leaves(ranking, settled)
            leaves.possible[:] &= at_leaves
            yield settled, leaves
            begin, size = begin + size, size * 8
        others, at_leaves = chosen[~harmful], possible[~harmful]
        if len(others) <= MOST_SETTLED:
            others, at_leaves = self._settle(ranking, others, at_leaves).splits()
        leaves = _range_leaves(ranking, others)
        leaves.possible[:] &= at_leaves
        yield others, leaves

    def _settle(self, ranking: Ranking, part: NDArray[np.int64], possible: NDArray[np.bool_]) -> Candidates:
        ground, alive = ranking.ground, ranking.alive
        types, splits, budget, criterion = ground.types, ground.splits, ground.budget, ground.criterion
        keep = interval.affordable(splits, part, types, budget, ranking.least_upper, criterion)
        part, possible = part[keep], possible[keep]
        alive = None if alive is None else alive[part]
        return settle(ground, part, possible, ranking.score, ranking.challengers, alive)


Engine = IntervalEngine | RelationalEngine


def _range_leaves(ranking: Ranking, chosen: NDArray[np.int64]) -> Leaves:
    """Labels and ranges that the interval domain gives the sides of some splits."""
    _, types, _, splits, budget, criterion = ranking.ground[:6]
    return Leaves(*interval.leaves_of_splits(splits, chosen, types, budget, criterion))


def _may_be_unsplittable(ground: Ground) -> bool:
    """Whether some table may leave no split available, though a split may challenge others.

    Where leaves need more than one row, one that may challenge is there for certain.
    """
    if ground.floors.leaf_high > 1:
        return False
    return bool(leaf.may_be_constant(ground.columns, ground.types, ground.rows, ground.budget.removals))


def _may_be_gainless(
    ground: Ground, score: NDArray[np.float64], challengers: NDArray[np.int64], unsplit: float
) -> bool:
    """Whether the node may stop because no split gains enough: the node without a split is a candidate.

    `unsplit` is its loose margin over the first challenger. Without a `min_impurity_decrease` only rounding
    can make the learner refuse a split, in nodes from the criterion's `stop_rows` on.

    Soundness
    ---------
    The learner stops iff the best available split has G - G_0 < `decrease` or less. A challenger psi is no
    better than that one, so G_0 + decrease >= G_psi up to the tolerance, for each of them.
    """
    decrease, most_rows = ground.floors.decrease, len(ground.rows) + ground.budget.additions
    if unsplit + decrease < 0 or (decrease == 0.0 and most_rows < stop_rows(ground.criterion)):
        return False
    types, budget, criteria = ground.types, ground.budget, ground.criteria
    whole, scores = _with_unsplit(ground, score)
    last = np.array([len(score)])
    cells = np.zeros((1, len(whole.total)), np.int64)
    possible = np.zeros((1, WAYS, 2, types.measures.shape[2]), np.bool_)
    margins = [
        settle_pair((whole, types, budget), last, (int(psi), cells), scores, possible, criteria).margin[0, 0]
        for psi in challengers
    ]
    return bool(min(margins) + decrease >= 0)


def _with_unsplit(ground: Ground, score: NDArray[np.float64]) -> tuple[Splits, NDArray[np.float64]]:
    """Put the node without a split, with all rows on the right, behind the splits and their scores."""
    splits, budget = ground.splits, ground.budget
    nothing = np.zeros((1, splits.left.shape[1]), np.int32)
    whole = splits._replace(
        feature=np.append(splits.feature, np.int32(-1)),
        low=np.append(splits.low, np.int32(-1)),
        high=np.append(splits.high, np.int32(-1)),
        left=np.concatenate([splits.left, nothing]),
        additions=np.concatenate([splits.additions, np.array([[0, budget.additions]], np.int64)]),
    )
    only = splits._replace(left=nothing, additions=whole.additions[-1:])
    return whole, np.append(score, relational.scores(only, ground.types, ground.criterion))


def _challengers(ground: Ground, score: NDArray[np.float64]) -> NDArray[np.int64]:
    """Splits of highest score that may challenge, the best first: one for each of the best features.

    Where there are few features, also others of these that lie well apart.
    """
    splits = ground.splits
    feature = ground.columns.source[splits.feature]
    found = _best_of(np.where(ground.challenging, score, -np.inf), [], lambda s: feature == feature[s])
    if 0 < len(found) < CHALLENGERS:
        n_left, apart = splits.left.sum(axis=1), APART * float(splits.total.sum())
        near = lambda s: (feature == feature[s]) & (np.abs(n_left - n_left[s]) < apart)  # noqa: E731
        found = _best_of(np.where(ground.challenging, score, -np.inf), found, near)
    return np.array(found, np.int64)


def _best_of(
    ranked: NDArray[np.float64], found: list[int], near: Callable[[int], NDArray[np.bool_]]
) -> list[int]:
    """Add those that rank highest to what was found, none of them near another one."""
    for s in found:
        ranked[near(s)] = -np.inf
    while len(found) < CHALLENGERS and len(ranked):
        best = int(np.argmax(ranked))
        if ranked[best] == -np.inf:
            break
        found.append(best)
        ranked[near(best)] = -np.inf
    return found
