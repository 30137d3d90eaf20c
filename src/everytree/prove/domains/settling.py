"""Splits settled: which survive a challenger with all caps, and which labels their sides can still give.

Above the atoms. It looks at those that the loose bound could not drop, beside what the splits above ask for,
and at the last level at split and leaf with one budget.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from everytree.bias.acts import ADD
from everytree.learner.criterion.front import AT, PRICED, label_weights, lead_needed, new_branches
from everytree.prove.counts import rows_in
from everytree.prove.domains.atoms import (
    CLAIMS,
    JOINED,
    LEAD,
    LEAF,
    best_mix,
    least,
    new_atoms,
    put_atoms,
    put_leaf,
)
from everytree.prove.domains.claims import no_claims
from everytree.prove.domains.flips import WAYS
from everytree.prove.domains.leads import candidate, challenger
from everytree.prove.domains.relational import count_labels, reach_of, scores
from everytree.support.kernels import bare_kernel, kernel

SOUGHT = 0.0
"""Stands for a multiplier that is still to be looked for; infinity for one that does not exist."""


@bare_kernel
def _leaf_multiplier(atoms: Any, n: int, budgets: Any, n_claims: int, given: float) -> Any:
    """A multiplier which shows that phi never is best while a label wins a leaf; infinity if there is none.

    One that is given is only tried. Beside claims, the leaf is held against the lead and against each claim
    by itself, and then the others are added where they help.
    """
    at, base = atoms.at, atoms.base
    at[:] = 0.0
    if given != SOUGHT:
        at[LEAD], at[LEAF] = 1.0, given
        gain = best_mix(atoms, n, budgets)
        return given if base[LEAD] + gain + given * base[LEAF] < 0 else np.inf
    for begin in range(1 + n_claims):
        at[:] = 0.0
        first = LEAD if begin == 0 else CLAIMS + begin - 1
        at[first] = 1.0
        value = least(atoms, n, budgets, LEAF, n_claims > 0)
        for turn in range(1 + n_claims if n_claims > 0 else 0):
            other = LEAD if turn == 0 else CLAIMS + turn - 1
            if value < 0:
                break
            if other != first:
                value = least(atoms, n, budgets, other, True)
                if value >= 0:
                    value = least(atoms, n, budgets, LEAF, True)
        if value < 0:
            return max(at[LEAF], 1e-300)
    return np.inf


class Settled(NamedTuple):
    """What `settle` finds of each split in each way.

    How far it may get ahead of psi (below 0, it never does), how tight that is in parts of what acts can add
    to the lead, and the weight of the joined claims beside it.
    """

    margin: Any
    tight: Any
    multiplier: Any


def settle(
    node: Any,
    wanted: Any,
    against: tuple[int, Any],
    score: Any,
    possible: Any,
    criteria: Any,
    *,
    alive: Any = None,
    claims: Any = None,
) -> Any:
    """How far each of the wanted splits may get ahead of psi, with all caps: below 0, it never does.

    ``node`` has its splits, the types of rows and the budget. The tolerance for ties is included. ``against``
    is psi, and for each wanted split the rows left of both. ``possible[w, way, side, j]`` says that label j
    can win that side as a leaf, and is cleared where the split cannot beat psi together with j winning.
    ``criteria`` is one criterion, or that of T and those at the vertices of all weights (`Problem.criteria`),
    ``score`` belongs to the first. ``alive[w, way]`` says that only labels change, so that vectors are
    compared, and in which ways; without it there is one way, by scores.

    Soundness
    ---------
    For one table, ``lead over psi + mu * (lead of j - what it needs)`` is convex in the weights. So a margin,
    and a multiplier mu that excludes j, must hold at every vertex, mu being the same at all.
    """
    splits, types, budget = node
    psi, cells = against
    by_length = None if alive is None else 0
    multiplier = np.where(possible, SOUGHT, np.inf)
    if alive is None:
        alive = np.zeros((len(wanted), WAYS), np.bool_)
        alive[:, 0] = True
    if claims is None or len(criteria) > 1:
        claims = no_claims(types.measures.shape[2])
    args = splits, wanted, cells, psi, types, budget
    settled = _settle(*args, score, multiplier, criteria[0], by_length, claims, alive)
    if len(criteria) > 1:
        multiplier[multiplier == SOUGHT] = np.inf
        margin = np.full((len(wanted), WAYS), -np.inf)
        for criterion in criteria[1:]:
            there = scores(splits, types, criterion)
            found = _settle(*args, there, multiplier, criterion, by_length, claims, alive)
            margin = np.maximum(margin, found.margin)
        settled = settled._replace(margin=margin)
    possible &= (multiplier == SOUGHT) | (multiplier == np.inf)
    return settled


@kernel
def _settle(
    splits: Any,
    wanted: Any,
    cells: Any,
    psi: int,
    types: Any,
    budget: Any,
    score: Any,
    multiplier: Any,
    criterion: Any,
    by_length: Any,
    claims: Any,
    alive: Any,
) -> Any:
    """The margins at one vector of weights; multipliers are found, or tried."""
    left, total, label = splits.left, splits.total, types.label
    n_labels, n_claims = types.measures.shape[2], len(claims.base)
    reach = reach_of(total, types, budget)
    budgets = claims.acts if n_claims > 0 else reach.acts
    branches = new_branches(n_labels)
    own, size = branches.own, branches.size
    prices, of_psi, tied = challenger(splits, psi, types, reach, criterion, by_length)
    most_rows = float(rows_in(total) + reach.acts[ADD])
    atoms = new_atoms(n_labels, claims)
    base, at = atoms.base, atoms.at
    for m in range(n_claims):
        base[CLAIMS + m] = claims.base[m]
        base[JOINED] += claims.joined[m] * claims.base[m]
    rows = np.empty((n_labels, n_labels), np.float64)
    margin = np.zeros((len(wanted), WAYS), np.float64)
    tight = np.full((len(wanted), WAYS), np.inf)
    weighing = np.zeros((len(wanted), WAYS), np.float64)
    weights = label_weights(criterion, n_labels, np.int64(AT))
    priced = label_weights(criterion, n_labels, np.int64(PRICED))
    for w in range(len(wanted)):
        s = wanted[w]
        count_labels(left, total, s, label, branches)
        for way in range(WAYS):
            if not alive[w, way]:
                margin[w, way] = -np.inf
                continue
            if by_length is None and s == psi:
                continue
            ahead = candidate(branches, way, reach, criterion, by_length, score[s])
            n = put_atoms(
                atoms, (branches, prices), (splits, types, budget), (s, psi), cells[w], rows, claims
            )
            base[LEAD], base[LEAF] = ahead - of_psi + tied, 0.0
            at[:] = 0.0
            at[LEAD] = 1.0
            gain = best_mix(atoms, n, budgets)
            margin[w, way] = base[LEAD] + gain
            if margin[w, way] >= 0 and n_claims > 0:
                margin[w, way] = least(atoms, n, budgets, JOINED, True)
                weighing[w, way] = at[JOINED]
                for m in range(n_claims if n_claims > 1 else 0):
                    if margin[w, way] >= 0:
                        at[JOINED] = 0.0
                        margin[w, way] = min(margin[w, way], least(atoms, n, budgets, CLAIMS + m, True))
            if gain > 1e-9:
                tight[w, way] = margin[w, way] / gain
            for side in range(2 if size[0] > 0 and size[1] > 0 else 0):
                y: Any = np.int64(0)
                for i in range(1, n_labels):
                    if own[side, i] * priced[i] > own[side, y] * priced[y]:
                        y = i
                for j in range(n_labels):
                    mu = multiplier[w, way, side, j]
                    if j == y or mu == np.inf or (mu == SOUGHT and margin[w, way] < 0):
                        continue
                    put_leaf(atoms, n, (side, y, j, weights[y], weights[j]))
                    base[LEAF] = weights[j] * own[side, j] - weights[y] * own[side, y]
                    base[LEAF] -= lead_needed(criterion, j, y, most_rows)
                    multiplier[w, way, side, j] = _leaf_multiplier(atoms, n, budgets, n_claims, mu)
    return Settled(margin, tight, weighing)
