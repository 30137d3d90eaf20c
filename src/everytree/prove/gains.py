"""Gains: how much one label can make up on another in a leaf, beside what the splits above the leaf need.

Between the engines and the screening. The changes that make a split the best are missing in a leaf below it,
unless they are made there: one budget serves both.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from everytree.bias.acts import ADD, ALL_ACTS, FLIP, REMOVE
from everytree.learner.criterion.front import new_branches, slopes, tolerance
from everytree.prove.counts import rows_in
from everytree.prove.domains.relational import (
    allowed_flips,
    count_labels,
    dearest_of,
    loose_gain,
    reach_of,
    tangent_of,
)
from everytree.support.kernels import inner_kernel, kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from everytree.prove.engines import Ranking
    from everytree.prove.node import Ground
    from everytree.prove.problem import Problem

ROUNDING = 1e-6
"""Added to a gain before it is rounded down to whole records."""


def all_gains(problem: Problem) -> NDArray[np.int64]:
    """What any label may gain on any other in a leaf at most: two for a flip, one for other acts."""
    bias = problem.bias
    most = 2 * bias.flips + bias.removals + bias.additions
    return np.full((bias.n_labels, bias.n_labels), most, np.int64)


def gains_below(
    ranking: Ranking, chosen: NDArray[np.int64], above: NDArray[np.int64], *, closely: bool
) -> NDArray[np.int64]:
    """What labels may gain on each other in a leaf below each side of some splits: (splits, 2, y, j).

    ``above`` is what the splits further up leave. Looked at `closely`, it is what is left beside beating
    every challenger; the least of these counts.
    """
    most = np.broadcast_to(above, (len(chosen), 2, *above.shape)).copy()
    ground = ranking.ground
    for psi in ranking.challengers if closely else ():
        node = (ground.splits, ground.types, ground.budget)
        np.minimum(most, _gains(node, chosen, psi, ranking.score, ground.criterion), out=most)
    return most


def within_gains(ground: Ground, chosen: NDArray[np.int64], most: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Whether label j can win the leaf on a side of some splits with these gains: (splits, 2, j).

    In one table it is ahead of all others, so it makes up on each of them what it lacks on T.
    """
    n_labels = most.shape[-1]
    of_label = np.eye(n_labels, dtype=np.int64)[ground.types.label]
    left = ground.splits.left[chosen] @ of_label
    own = np.stack([left, ground.splits.total @ of_label - left], axis=1)
    lacking = own[..., :, None] - own[..., None, :] + np.triu(np.ones((n_labels, n_labels), np.int64), 1)
    short = (lacking > most) & ~np.eye(n_labels, dtype=np.bool_)
    return np.asarray(~short.any(axis=-2))


@kernel
def _gains(node: Any, chosen: Any, psi: int, score: Any, criterion: Any) -> Any:
    """Largest gain of label j on label y by acts on one side of a split that beats psi with the same budget.

    With h_k the acts of sort k on that side that help j against y, v_k the most that one of them adds to the
    lead of the split over psi, V_k >= 0 the most that any act of the sort adds, and B_k the budgets::

        0 <= lead(T') <= lead(T) + sum_k (h_k v_k + (B_k - h_k) V_k),   gain <= 2 h_flip + h_add + h_remove

    so sum_k h_k (V_k - v_k) is at most lead(T) + sum_k B_k V_k: a fractional knapsack of three goods.

    Soundness
    ---------
    The first inequality is that of the relational domain without caps. Acts that do not help j against y, and
    those elsewhere, gain nothing in the leaf. A flip gains 2 at most, an addition or a removal 1.
    """
    splits, types, budget = node
    n_labels = types.measures.shape[2]
    branches = new_branches(n_labels)
    reach = reach_of(splits.total, types, budget)
    acts = reach.acts
    allowed = allowed_flips(splits.total, types, budget)
    gradient, on_table = tangent_of(splits, psi, types, reach, criterion)
    dearest = dearest_of(gradient)
    best = np.empty(len(ALL_ACTS), np.float64)
    inside = np.empty(len(ALL_ACTS), np.float64)
    away = np.empty(n_labels, np.float64)
    towards = np.empty(n_labels, np.float64)
    limit = on_table - tolerance(criterion, rows_in(splits.total) + budget.additions)
    result = np.empty((len(chosen), 2, n_labels, n_labels), np.int64)
    for c in range(len(chosen)):
        s = chosen[c]
        count_labels(splits.left, splits.total, s, types.label, branches)
        slopes(criterion, branches, reach)
        best[:] = 0.0
        for side in range(2):
            loose_gain(branches, side, reach, dearest, allowed, budget.addable, best)
        slack = score[s] - limit
        for act in ALL_ACTS:
            slack += acts[act] * best[act]
        for side in range(2):
            away[:], towards[:] = -np.inf, -np.inf
            for y in range(n_labels):
                for j in range(n_labels):
                    if allowed[y, j]:
                        flip = branches.flip[side, y, j] + dearest[FLIP, y, j]
                        away[y], towards[j] = max(away[y], flip), max(towards[j], flip)
            for y in range(n_labels):
                for j in range(n_labels):
                    inside[:] = -np.inf
                    if budget.addable[j]:
                        inside[ADD] = branches.add[side, j] + dearest[ADD, j, j]
                    inside[REMOVE] = branches.remove[side, y] + dearest[REMOVE, y, y]
                    inside[FLIP] = max(away[y], towards[j])
                    gain = _knapsack(max(0.0, slack), inside, best, acts)
                    result[c, side, y, j] = int(gain + ROUNDING)
    return result


@inner_kernel
def _knapsack(slack: float, inside: Any, best: Any, acts: Any) -> float:
    """Most gain of acts whose costs ``best - inside`` come to no more than the slack, the cheapest first."""
    gain = 0.0
    left = np.empty(len(inside), np.float64)
    for act in ALL_ACTS:
        left[act] = acts[act]
    for _ in range(len(inside)):
        cheapest = -1
        least = np.inf
        for act in ALL_ACTS:
            cost = max(0.0, best[act] - inside[act]) / (2.0 if act == FLIP else 1.0)
            if left[act] > 0 and cost < least:
                cheapest, least = act, cost
        if cheapest < 0:
            break
        left[cheapest] = 0.0
        worth = acts[cheapest] * (2.0 if cheapest == FLIP else 1.0)
        if least * worth > slack:
            return gain + slack / least
        gain += worth
        slack -= least * worth
    return gain
