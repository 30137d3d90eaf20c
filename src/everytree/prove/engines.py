"""Engines: the domains put to work on one node, to say which splits may be best and what leaves say.

Between the domains and the walk, which hands over the counts of a node and gets candidates and leaves back.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from everytree.prove.domains import atoms, interval, leaf, relational
from everytree.prove.routing import Leaves

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from everytree.prove.counts import Budget, Columns, RowTypes, Splits
    from everytree.prove.node import Ground

CHALLENGERS = 3
"""Splits, the best of as many columns, that a candidate must be able to beat."""

FIRST_PART = 256
"""Candidates of a last-level node that are looked at first; each later part is eight times larger."""


MOST_SETTLED = 2000
"""Candidates that cannot change a verdict are settled, for the sake of tight ranges, up to this many."""


@dataclass(frozen=True, eq=False)
class Ranking:
    """First look at a node: splits that may be best, and whether some table may leave the node unsplit."""

    ground: Ground
    chosen: NDArray[np.int64]
    may_stop: bool
    score: NDArray[np.float64]
    margin: NDArray[np.float64]
    challengers: NDArray[np.int64]
    least_upper: float


class IntervalEngine:
    """The paper's method: the interval domain alone, thresholds anywhere in their gap."""

    name = "interval"

    def exact_thresholds(self, budget: Budget) -> bool:
        """Never: as in the paper, a test value strictly inside a gap goes both ways."""
        return False

    def leaf(self, total: NDArray[np.int64], types: RowTypes, budget: Budget) -> Leaves:
        """Say what a node shows if it is a leaf."""
        return Leaves(*interval.leaf_of_node(total, types, budget))

    def rank(self, ground: Ground) -> Ranking:
        """Find the splits that may be best."""
        _, types, _, splits, budget = ground
        score = relational.scores(splits, types)
        least_upper, may_stop = interval.least_upper_cost(splits, types, budget, score)
        everything = np.arange(len(score))
        chosen = everything[interval.affordable(splits, everything, types, budget, least_upper)]
        return Ranking(ground, chosen, may_stop, score, score, everything[:0], least_upper)

    def refine(self, ranking: Ranking) -> NDArray[np.int64]:
        """Take a closer look at the candidates: here there is none."""
        return ranking.chosen

    def leaves(
        self, ranking: Ranking, present: NDArray[np.bool_]
    ) -> Iterator[tuple[NDArray[np.int64], Leaves]]:
        """Give the candidates of a last-level node with what their two sides say, all at once."""
        yield ranking.chosen, _range_leaves(ranking, ranking.chosen)


class RelationalEngine:
    """Splits compared pairwise on the same table, intersected with the interval domain."""

    name = "relational"

    def exact_thresholds(self, budget: Budget) -> bool:
        """Thresholds are midpoints of known gaps as long as no row can be added."""
        return budget.additions == 0

    def leaf(self, total: NDArray[np.int64], types: RowTypes, budget: Budget) -> Leaves:
        """Say what a node shows if it is a leaf."""
        leaves = Leaves(*interval.leaf_of_node(total, types, budget))
        leaves.possible[:] &= leaf.labels_of_node(total, types, budget)
        return leaves

    def rank(self, ground: Ground) -> Ranking:
        """Find the splits that may be best by the bound that needs no cell counts."""
        columns, types, rows, splits, budget = ground
        score = relational.scores(splits, types)
        challengers = _challengers(columns, splits, score)
        least_upper, stops = interval.least_upper_cost(splits, types, budget, score)
        may_stop = leaf.may_be_constant(columns, types, rows, budget.removals)
        if len(challengers):
            margin, gainless = relational.loose_margins(splits, types, budget, score, challengers[0])
            may_stop = may_stop or (gainless and len(rows) + budget.additions >= interval.STOP_ROWS)
        else:
            margin, may_stop = np.zeros(len(score)), True
        chosen = np.flatnonzero(margin >= 0)
        return Ranking(ground, chosen, may_stop and stops, score, margin, challengers, least_upper)

    def refine(self, ranking: Ranking) -> NDArray[np.int64]:
        """Keep the candidates that survive every challenger, with all caps, and the interval domain."""
        return self.settle(ranking, leaves=False)[0]

    def settle(self, ranking: Ranking, leaves: bool) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """Settle all candidates; with `leaves` also which labels their two sides can give as leaves."""
        _, types, _, splits, budget = ranking.ground
        chosen = ranking.chosen
        if leaves:
            possible = leaf.labels_of_leaves(splits, chosen, types, budget)
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
        _, types, _, splits, budget = ranking.ground
        chosen = ranking.chosen
        possible = leaf.labels_of_leaves(splits, chosen, types, budget)
        n_present = present.sum(axis=2, keepdims=True)
        harmful = (possible & (n_present > present)).any(axis=(1, 2))
        ordered = np.flatnonzero(harmful)
        ordered = ordered[np.argsort(-ranking.margin[chosen[ordered]], kind="stable")]
        begin, size = 0, FIRST_PART
        while begin < len(ordered):
            part = np.sort(ordered[begin : begin + size])
            settled, at_leaves = self._settle(ranking, chosen[part], possible[part])
            leaves = _range_leaves(ranking, settled)
            leaves.possible[:] &= at_leaves
            yield settled, leaves
            begin, size = begin + size, size * 8
        others, at_leaves = chosen[~harmful], possible[~harmful]
        if len(others) <= MOST_SETTLED:
            others, at_leaves = self._settle(ranking, others, at_leaves)
        leaves = _range_leaves(ranking, others)
        leaves.possible[:] &= at_leaves
        yield others, leaves

    def _settle(
        self, ranking: Ranking, part: NDArray[np.int64], possible: NDArray[np.bool_]
    ) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        columns, types, rows, splits, budget = ranking.ground
        keep = interval.affordable(splits, part, types, budget, ranking.least_upper)
        part, possible = part[keep], possible[keep]
        for psi in ranking.challengers:
            cells = relational.cell_counts(columns, types, rows, splits, part, psi)
            keep = atoms.settle(splits, part, cells, psi, types, budget, ranking.score, possible) >= 0
            part, possible = part[keep], possible[keep]
        return part, possible


Engine = IntervalEngine | RelationalEngine


def _range_leaves(ranking: Ranking, chosen: NDArray[np.int64]) -> Leaves:
    """Labels and ranges that the interval domain gives the sides of some splits."""
    _, types, _, splits, budget = ranking.ground
    return Leaves(*interval.leaves_of_splits(splits, chosen, types, budget))


def _challengers(columns: Columns, splits: Splits, score: NDArray[np.float64]) -> NDArray[np.int64]:
    """Inner splits of highest score, one for each of the best columns, the best first."""
    n_codes = columns.starts[1:] - columns.starts[:-1]
    inner = (splits.low >= 0) & (splits.high < n_codes[splits.feature])
    ranked = np.where(inner, score, -1.0)
    found: list[int] = []
    while len(found) < CHALLENGERS and len(ranked):
        best = int(np.argmax(ranked))
        if ranked[best] < 0:
            break
        found.append(best)
        ranked[splits.feature == splits.feature[best]] = -1.0
    return np.array(found, np.int64)
