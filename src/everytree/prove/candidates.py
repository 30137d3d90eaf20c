"""Candidates: splits of a node that may be best, in which way, and what they ask of the flips below them.

Between the domains and the engines. Where only labels change, a candidate is looked at in two ways (the signs
of `domains/flips.py`), which ask different things of the flips; elsewhere it has one way, and asks for
nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from everytree.prove.domains import flips, relational, settling
from everytree.prove.domains.carrying import claims_below
from everytree.prove.domains.claims import binding, most_classes
from everytree.prove.domains.flips import WAYS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from everytree.prove.domains.claims import Claims
    from everytree.prove.engines import Ranking
    from everytree.prove.node import Ground
    from everytree.prove.problem import Problem

NOBODY = -1
"""Stands for the challenger of a candidate that asks for nothing."""

DEEPEST_CLAIMED = 4
"""Levels of trees in which claims of splits are carried down: in deeper ones nodes come again and again by
other ways, which must not make other nodes of them."""


@dataclass(frozen=True, eq=False)
class Candidates:
    """Splits with their ways, and labels that their sides can give as leaves: ``possible[c, side, j]``.

    A split stands there twice if it may be best in both ways. ``by`` is the challenger that is hardest to
    beat in that way, ``multiplier`` how much the joined claims of the node count beside it.
    """

    chosen: NDArray[np.int64]
    way: NDArray[np.int64]
    by: NDArray[np.int64]
    multiplier: NDArray[np.float64]
    possible: NDArray[np.bool_]

    @classmethod
    def of_splits(cls, chosen: NDArray[np.int64], possible: NDArray[np.bool_]) -> Candidates:
        """Splits that have one way and ask for nothing."""
        n = len(chosen)
        return cls(chosen, np.zeros(n, np.int64), np.full(n, NOBODY), np.zeros(n), possible)

    def __getitem__(self, some: NDArray[np.int64] | NDArray[np.bool_]) -> Candidates:
        return Candidates(
            self.chosen[some], self.way[some], self.by[some], self.multiplier[some], self.possible[some]
        )

    def splits(self) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """Every split once, with what it can give in any way."""
        merged, _ = self.merged(np.zeros(len(self.chosen)))
        return merged.chosen, merged.possible

    def merged(self, most: NDArray[Any]) -> tuple[Candidates, NDArray[Any]]:
        """Every split once, asking for nothing, and the largest of its numbers in any way."""
        chosen, place = np.unique(self.chosen, return_inverse=True)
        possible = np.zeros((len(chosen), *self.possible.shape[1:]), np.bool_)
        largest = np.zeros((len(chosen), *most.shape[1:]), most.dtype)
        np.logical_or.at(possible, place, self.possible)
        np.maximum.at(largest, place, most)
        return Candidates.of_splits(chosen, possible), largest


def has_claims(problem: Problem) -> bool:
    """Whether splits of a tree are held against what those above them ask for."""
    return 2 <= problem.depth <= DEEPEST_CLAIMED and len(problem.criteria) == 1


def by_length(ground: Ground) -> bool:
    """Whether only labels change in a node and the longest vector is best."""
    budget = ground.budget
    only_flips = budget.additions == 0 and budget.removals == 0
    return only_flips and ground.criterion is None and len(ground.criteria) == 1


def settle(
    ground: Ground,
    part: NDArray[np.int64],
    possible: NDArray[np.bool_],
    score: NDArray[np.float64],
    challengers: NDArray[np.int64],
    alive: NDArray[np.bool_] | None = None,
) -> Candidates:
    """Keep the splits that survive every challenger, with all caps, beside the claim of the node.

    ``possible`` says what their sides can give as leaves, ``alive``, where vectors are compared, in which
    ways they are looked at.
    """
    columns, types, rows, splits, budget = ground[:5]
    ways = np.zeros((len(part), WAYS), np.bool_)
    ways[:, 0] = True
    if alive is not None:
        ways = alive
    possible = np.repeat(possible[:, None], WAYS, axis=1)
    tightest, weight = np.full(ways.shape, np.inf), np.zeros(ways.shape)
    by = np.full(ways.shape, NOBODY)
    for k, psi in enumerate(challengers.tolist()):
        if k > 0 and alive is not None:  # the first one was looked at loosely before
            ways &= flips.loose_margins(splits, types, budget, psi, part)[0] >= 0
        cells = relational.cell_counts(columns, types, rows, splits, part, psi)
        found = settling.settle(
            (splits, types, budget),
            part,
            (psi, cells),
            score,
            possible,
            ground.criteria,
            alive=None if alive is None else ways,
            claims=ground.claims,
        )
        closer = found.tight < tightest
        tightest[closer], weight[closer], by[closer] = found.tight[closer], found.multiplier[closer], psi
        ways &= found.margin >= 0
        keep = ways.any(axis=1)
        part, ways, possible = part[keep], ways[keep], possible[keep]
        tightest, weight, by = tightest[keep], weight[keep], by[keep]
    at, way = np.nonzero(ways)
    return Candidates(part[at], way, by[at, way], weight[at, way], possible[at, way])


def claims_of(ranking: Ranking, candidates: Candidates, c: int, side: int, problem: Problem) -> Claims | None:
    """What one side of a candidate has to fulfil, if that is anything."""
    ground, psi, bias = ranking.ground, int(candidates.by[c]), problem.bias
    if psi == NOBODY or not has_claims(problem):
        return None
    entry = int(candidates.chosen[c]), int(candidates.way[c]), psi, float(candidates.multiplier[c])
    by_length = None if ranking.alive is None else 0
    how = ground.criterion, by_length, bias.budgets, bias.addable, most_classes(bias.n_labels)
    node = ground.splits, ground.types, ground.budget
    below = claims_below(ground.columns, ground.rows, node, entry, ranking.score, how, ground.claims, side)
    return binding(below)
