"""Gains: how much one label can make up on another in a leaf, beside what the splits above the leaf need.

Between the engines and the screening. The changes that make a split the best are missing in a leaf below it,
unless they are made there: one budget serves both.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from everytree.bias.acts import ADD, ALL_ACTS, FLIP, REMOVE
from everytree.learner.criterion.front import new_branches
from everytree.prove.domains.atoms import (
    CLAIMS,
    LEAD,
    LEAF,
    least,
    new_atoms,
    put_atoms,
    put_leaf,
)
from everytree.prove.domains.leads import candidate, challenger
from everytree.prove.domains.relational import allowed_flips, cell_counts, count_labels, reach_of
from everytree.support.kernels import inner_kernel, kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from everytree.prove.candidates import Candidates
    from everytree.prove.engines import Ranking
    from everytree.prove.node import Ground
    from everytree.prove.problem import Problem

MOST_LABELS = 3
"""Labels up to which gains are bounded with all caps: every pair of labels is looked at by itself."""

ROUNDING = 1e-6
"""Added to a gain before it is rounded down to whole records."""


def all_gains(problem: Problem) -> NDArray[np.int64]:
    """What any label may gain on any other in a leaf at most: two for a flip, one for other acts."""
    bias = problem.bias
    most = 2 * bias.flips + bias.removals + bias.additions
    return np.full((bias.n_labels, bias.n_labels), most, np.int64)


def gains_below(
    ranking: Ranking, candidates: Candidates, above: NDArray[np.int64], *, closely: bool
) -> NDArray[np.int64]:
    """What labels may gain on each other in a leaf below each side of some candidates: (candidates, 2, y, j).

    ``above`` is what the splits further up leave. Looked at `closely`, it is what is left beside beating
    every challenger, and beside each claim of the node; the least of these counts.
    """
    most = np.broadcast_to(above, (len(candidates.chosen), 2, *above.shape)).copy()
    ground, by_length = ranking.ground, None if ranking.alive is None else 0
    node, chosen = (ground.splits, ground.types, ground.budget), candidates.chosen
    few = len(above) <= MOST_LABELS
    for psi in ranking.challengers.tolist() if closely else ():
        how = psi, ground.criterion, by_length
        np.minimum(most, _gains(node, chosen, candidates.way, ranking.score, how), out=most)
        if few:
            cells = cell_counts(ground.columns, ground.types, ground.rows, ground.splits, chosen, psi)
            _capped_gains(node, chosen, candidates.way, ranking.score, how, ground.claims, cells, most)
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
def _gains(node: Any, chosen: Any, ways: Any, score: Any, how: Any) -> Any:
    """Largest gain of label j on label y by acts on one side of a split that beats psi with the same budget.

    With h_k the acts of sort k on that side that help j against y, v_k the most that one of them adds to the
    lead of the split over psi, V_k >= 0 the most that any act of the sort adds, and B_k the budgets::

        0 <= lead(T') <= lead(T) + sum_k (h_k v_k + (B_k - h_k) V_k),   gain <= 2 h_flip + h_add + h_remove

    so sum_k h_k (V_k - v_k) is at most lead(T) + sum_k B_k V_k: a fractional knapsack of three goods. ``how``
    has psi, the criterion and whether vectors are compared.

    Soundness
    ---------
    The first inequality is that of the relational domain without caps. Acts that do not help j against y, and
    those elsewhere, gain nothing in the leaf. A flip gains 2 at most, an addition or a removal 1.
    """
    splits, types, budget = node
    psi, criterion, by_length = how
    n_labels = types.measures.shape[2]
    branches = new_branches(n_labels)
    reach = reach_of(splits.total, types, budget)
    acts = reach.acts
    allowed = allowed_flips(splits.total, types, budget)
    prices, of_psi, tied = challenger(splits, psi, types, reach, criterion, by_length)
    dearest = _dearest(prices)
    best = np.empty(len(ALL_ACTS), np.float64)
    inside = np.empty(len(ALL_ACTS), np.float64)
    values = np.empty((2, len(ALL_ACTS), n_labels, n_labels), np.float64)
    away = np.empty(n_labels, np.float64)
    towards = np.empty(n_labels, np.float64)
    result = np.empty((len(chosen), 2, n_labels, n_labels), np.int64)
    for c in range(len(chosen)):
        s = chosen[c]
        count_labels(splits.left, splits.total, s, types.label, branches)
        slack = candidate(branches, ways[c], reach, criterion, by_length, score[s]) - of_psi + tied
        best[:] = 0.0
        for side in range(2):
            for i in range(n_labels):
                values[side, ADD, i, i] = branches.add[side, i] + dearest[ADD, i, i]
                values[side, REMOVE, i, i] = branches.remove[side, i] + dearest[REMOVE, i, i]
                for j in range(n_labels):
                    values[side, FLIP, i, j] = branches.flip[side, i, j] + dearest[FLIP, i, j]
                    for act in ALL_ACTS:
                        if _may(act, i, j, side, acts, branches.own, allowed, budget):
                            best[act] = max(best[act], values[side, act, i, j])
        for act in ALL_ACTS:
            slack += acts[act] * best[act]
        for side in range(2):
            away[:], towards[:] = -np.inf, -np.inf
            for y in range(n_labels):
                for j in range(n_labels):
                    if allowed[y, j]:
                        flip = values[side, FLIP, y, j]
                        away[y], towards[j] = max(away[y], flip), max(towards[j], flip)
            for y in range(n_labels):
                for j in range(n_labels):
                    inside[:] = -np.inf
                    if budget.addable[j]:
                        inside[ADD] = values[side, ADD, j, j]
                    inside[REMOVE] = values[side, REMOVE, y, y]
                    inside[FLIP] = max(away[y], towards[j])
                    gain = _knapsack(max(0.0, slack), inside, best, acts)
                    result[c, side, y, j] = int(gain + ROUNDING)
    return result


@kernel
def _capped_gains(
    node: Any, chosen: Any, ways: Any, score: Any, how: Any, claims: Any, cells: Any, most: Any
) -> None:
    """Lower `most` to what a mix of acts can gain that beats psi and fulfils the claims, with all caps.

    The largest gain of a mix f with ``lead(f) >= 0`` is at most the largest ``gain(f) + mu lead(f)`` of any
    mix, for every mu >= 0; the same with each claim in the place of the lead, and then with the others added.
    The leaf is part of a side: an act there that is against j may lie beside it, and takes no gain away.
    """
    splits, types, budget = node
    psi, criterion, by_length = how
    n_labels, n_claims = types.measures.shape[2], len(claims.base)
    branches = new_branches(n_labels)
    reach = reach_of(splits.total, types, budget)
    budgets = claims.acts if n_claims > 0 else reach.acts
    prices, of_psi, tied = challenger(splits, psi, types, reach, criterion, by_length)
    atoms = new_atoms(n_labels, claims)
    rows = np.empty((n_labels, n_labels), np.float64)
    for m in range(n_claims):
        atoms.base[CLAIMS + m] = claims.base[m]
    for c in range(len(chosen)):
        s = chosen[c]
        count_labels(splits.left, splits.total, s, types.label, branches)
        ahead = candidate(branches, ways[c], reach, criterion, by_length, score[s])
        atoms.base[LEAD] = ahead - of_psi + tied
        n = put_atoms(atoms, (branches, prices), node, (s, psi), cells[c], rows, claims)
        for side in range(2):
            for y in range(n_labels):
                for j in range(n_labels):
                    if j == y or most[c, side, y, j] == 0:
                        continue
                    put_leaf(atoms, n, (side, y, j, 1.0, 1.0))
                    for a in range(n):  # what is against j may be done beside the leaf
                        atoms.worth[LEAF, a] = max(0.0, atoms.worth[LEAF, a])
                    gain = float(most[c, side, y, j])
                    for turn in range(1 + n_claims):
                        atoms.at[:] = 0.0
                        atoms.at[LEAF] = 1.0
                        first = LEAD if turn == 0 else CLAIMS + turn - 1
                        gain = min(gain, least(atoms, n, budgets, first, True))
                        for k in range(n_claims):
                            if CLAIMS + k != first:
                                gain = min(gain, least(atoms, n, budgets, CLAIMS + k, True))
                    most[c, side, y, j] = max(0, int(gain + ROUNDING))


@inner_kernel
def _may(act: int, i: int, j: int, side: int, acts: Any, own: Any, allowed: Any, budget: Any) -> Any:
    """Whether an act can be done on a side of a split."""
    if acts[act] == 0 or (act != FLIP and i != j):
        return False
    if act == ADD:
        return budget.addable[i]
    if act == REMOVE:
        return own[side, i] > 0
    return allowed[i, j] and (own[side, i] > 0 or acts[ADD] > 0)


@inner_kernel
def _dearest(prices: Any) -> Any:
    """The most that psi loses by an act, on either side of it: ``[act, i, j]``."""
    n_labels = prices.row.shape[1]
    result = np.zeros((len(ALL_ACTS), n_labels, n_labels), np.float64)
    for i in range(n_labels):
        result[ADD, i, i] = -min(prices.row[0, i], prices.row[1, i])
        result[REMOVE, i, i] = max(prices.row[0, i], prices.row[1, i])
        for j in range(n_labels):
            result[FLIP, i, j] = -min(prices.flip[0, i, j], prices.flip[1, i, j])
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
