"""The relational bound with all its caps: unit changes in four cells, and the best mix of them.

Second half of the relational domain (see there for the inequality and its proof, and `flips.py` for the one where
only labels change). It settles the splits that the loose bound could not drop, beside what the splits above ask
for (`claims.py`), and at the last level also which labels their leaves can show.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from everytree.bias.acts import ADD, ALL_ACTS, FLIP, REMOVE
from everytree.learner.criterion.front import (
    AT,
    PRICED,
    label_weights,
    lead_needed,
    new_branches,
    slopes,
    tolerance,
)
from everytree.prove.counts import rows_in
from everytree.prove.domains import flips
from everytree.prove.domains.claims import CAP as FOR_ROWS
from everytree.prove.domains.claims import VALUE as WORTH
from everytree.prove.domains.claims import WHICH, no_claim
from everytree.prove.domains.flips import WAYS
from everytree.prove.domains.relational import cell_exists, count_labels, reach_of, scores, tangent_of
from everytree.support.kernels import inner_kernel, kernel, part_of_kernel

MULTIPLIER_STEPS = 40
"""Steps of the search for the best multiplier; it nearly always ends after three or four."""

ACT, SIDE, SOURCE, TARGET = 0, 1, 2, 3
"""Rows of the array `nature` of atoms: the act, side of phi (-1: in another node), label before, label after."""

LEAD, CLAIM, LEAF, CAP, REST = 0, 1, 2, 3, 4
"""Rows of the array `worth` of atoms: what one use adds to the lead over psi, to the claim of the node, to the lead
of a label in a leaf; greatest use, and cap not yet used. The first three are weighed, with weight 1 for the lead."""

SOUGHT = 0.0
"""Stands for a multiplier that is still to be looked for; infinity for one that does not exist."""


class Prices(NamedTuple):
    """What one act adds to the challenger's side of a comparison: a row with a label more, or a flip."""

    row: Any
    flip: Any


@inner_kernel
def challenger(splits: Any, psi: int, types: Any, reach: Any, criterion: Any, by_length: Any) -> Any:
    """Prices of acts for a challenger, what it has on T, and by how much a split that is taken may be behind."""
    n_labels = types.measures.shape[2]
    prices = Prices(np.zeros((2, n_labels), np.float64), np.zeros((2, n_labels, n_labels), np.float64))
    rows = float(rows_in(splits.total) + reach.acts[ADD])
    if by_length is None:
        gradient, on_table = tangent_of(splits, psi, types, reach, criterion)
        for side in range(2):
            for i in range(n_labels):
                prices.row[side, i] = gradient[side, i]
                for j in range(n_labels):
                    prices.flip[side, i, j] = gradient[side, j] - gradient[side, i]
        return prices, on_table, tolerance(criterion, rows)
    branches = new_branches(n_labels)
    count_labels(splits.left, splits.total, psi, types.label, branches)
    length, step = flips.challenger_length(branches, prices.flip)
    return prices, length, flips.slack_of(rows, float(reach.most), length, step)


@inner_kernel
def candidate(branches: Any, way: int, reach: Any, criterion: Any, by_length: Any, score: float) -> float:
    """Find the slopes of a candidate whose labels are counted; gives what it has on T."""
    if by_length is None:
        if reach.most > 0:
            slopes(criterion, branches, reach)
        return score
    return flips.candidate_length(branches, way, float(reach.most))


@part_of_kernel
def _put(nature: Any, worth: Any, n: int, kind: Any, lead: float, claimed: float, cap: float) -> int:
    nature[ACT, n], nature[SIDE, n], nature[SOURCE, n], nature[TARGET, n] = kind
    worth[LEAD, n], worth[CLAIM, n], worth[CAP, n] = lead, claimed, cap
    return n + 1


@inner_kernel
def _put_cell(
    nature: Any,
    worth: Any,
    n: int,
    values: Any,
    cell: Any,
    rows: Any,
    added: int,
    budget: Any,
    claim: Any,
) -> int:
    """List the atoms of one cell and class behind the first n; returns how many there are then.

    ``values`` has slopes of phi and prices of psi, ``cell`` the sides of both and the class. ``rows[i, j]`` counts the rows that may be flipped
    from i to j and ``rows[i, i]`` those with label i that may be removed; `added` bounds the rows that may be
    added to the cell. An added row may be flipped afterwards, so additions raise the caps of flips as well.
    """
    branches, prices = values
    side, psi_side, c = cell
    n_labels = len(claim.add)
    for i in range(n_labels):
        if c == 0 and added > 0 and budget.addable[i]:
            kind = ADD, side, -1, i
            value = branches.add[side, i] - prices.row[psi_side, i]
            n = _put(nature, worth, n, kind, value, claim.add[i], added)
        if rows[i, i] > 0:
            kind = REMOVE, side, i, -1
            value = branches.remove[side, i] + prices.row[psi_side, i]
            n = _put(nature, worth, n, kind, value, claim.remove[c, i], rows[i, i])
        for j in range(n_labels):
            if i == j:
                continue
            cap = rows[i, j]
            if budget.addable[i] and budget.added_flips_to[j]:
                cap += added
            if cap > 0:
                kind = FLIP, side, i, j
                value = branches.flip[side, i, j] - prices.flip[psi_side, i, j]
                n = _put(nature, worth, n, kind, value, claim.flip[c, i, j], cap)
    return n


@inner_kernel
def _put_elsewhere(nature: Any, worth: Any, n: int, claim: Any) -> int:
    """List the acts outside the node, which only its claim knows."""
    for k in range(claim.elsewhere.shape[1]):
        kind = int(claim.elsewhere[WHICH, k]), -1, -1, -1
        n = _put(nature, worth, n, kind, 0.0, claim.elsewhere[WORTH, k], claim.elsewhere[FOR_ROWS, k])
    return n


@inner_kernel
def _put_leaf(nature: Any, worth: Any, n: int, end: Any) -> None:
    """Note what one use of each atom adds to w_j c_j - w_y c_y on the given side of phi."""
    side, y, j, weight_y, weight_j = end
    for a in range(n):
        gain = 0.0
        if nature[SIDE, a] == side:
            if nature[TARGET, a] == j:
                gain += weight_j
            elif nature[TARGET, a] == y:
                gain -= weight_y
            if nature[SOURCE, a] == y:
                gain += weight_y
            elif nature[SOURCE, a] == j:
                gain -= weight_j
        worth[LEAF, a] = gain


@inner_kernel
def _best_mix(nature: Any, worth: Any, n: int, budgets: Any, at: Any, sums: Any) -> float:
    """Largest sum of f_a * (worth of a, weighed by `at`) within caps and budgets; its parts go into `sums`.

    For each act a fractional knapsack: the dearest atoms first, as many as cap and budget allow.
    """
    total = 0.0
    sums[:] = 0.0
    for a in range(n):
        worth[REST, a] = worth[CAP, a]
    for act in ALL_ACTS:
        budget = float(budgets[act])
        while budget > 0:
            pick = -1
            dearest = 0.0
            for a in range(n):
                if nature[ACT, a] == act and worth[REST, a] > 0:
                    price = worth[LEAD, a] + at[CLAIM] * worth[CLAIM, a] + at[LEAF] * worth[LEAF, a]
                    if price > dearest:
                        pick = a
                        dearest = price
            if pick < 0:
                break
            use = min(budget, worth[REST, pick])
            total += use * dearest
            for part in range(3):
                sums[part] += use * worth[part, pick]
            budget -= use
            worth[REST, pick] = 0.0
    return total


@inner_kernel
def _least(
    nature: Any, worth: Any, n: int, budgets: Any, base: Any, at: Any, along: int, whole: bool, sums: Any
) -> float:
    """Move one multiplier, ``at[along]``, to where ``base . at`` and the best mix are least; gives that value.

    If the value is below zero for some multipliers >= 0, no mix f has all terms at zero or more: the lead over
    psi, what the claim asks for, and the lead of a label over what it needs in a leaf. It is convex in each
    multiplier, so tangents at two points bound its minimum from below: the search steps to where they meet, and
    ends as soon as it is below zero, or, unless the `whole` search is wanted, surely is not. Whatever the
    multipliers are, what they exclude is excluded.
    """
    at[along] = 0.0
    best, chosen = np.inf, 0.0
    left, left_value, left_slope = 0.0, 0.0, 0.0
    right, right_value, right_slope = np.inf, 0.0, 0.0
    for _ in range(MULTIPLIER_STEPS):
        value = base[LEAD] + at[CLAIM] * base[CLAIM] + at[LEAF] * base[LEAF]
        value += _best_mix(nature, worth, n, budgets, at, sums)
        slope = base[along] + sums[along]
        if value < best:
            best, chosen = value, at[along]
        if value < 0 or (slope >= 0 and at[along] == 0):
            break
        if slope >= 0:
            right, right_value, right_slope = at[along], value, slope
        else:
            left, left_value, left_slope = at[along], value, slope
        if right == np.inf:
            at[along] = max(0.5, 2.0 * at[along])
            continue
        step = (right_value - left_value + right_slope * (left - right)) / (left_slope - right_slope)
        if step <= 1e-9 * right or left + step >= (1 - 1e-9) * right:
            break
        if not whole and left_value + left_slope * step >= 0:
            break
        at[along] = left + step
    at[along] = chosen
    return best


@inner_kernel
def _leaf_multiplier(
    nature: Any, worth: Any, n: int, budgets: Any, base: Any, at: Any, claims: bool, given: float, sums: Any
) -> float:
    """A multiplier which shows that phi never is best while a label wins a leaf; infinity if there is none.

    One that is given is only tried. Beside a claim both multipliers are moved in turn.
    """
    if given != SOUGHT:
        at[CLAIM], at[LEAF] = 0.0, given
        gain = _best_mix(nature, worth, n, budgets, at, sums)
        return given if base[LEAD] + gain + given * base[LEAF] < 0 else np.inf
    at[CLAIM] = 0.0
    value = _least(nature, worth, n, budgets, base, at, LEAF, claims, sums)
    for turn in range(4 if claims else 0):
        if value < 0:
            break
        along = CLAIM if turn % 2 == 0 else LEAF
        value = _least(nature, worth, n, budgets, base, at, along, True, sums)
    return max(at[LEAF], 1e-300) if value < 0 else np.inf


class Settled(NamedTuple):
    """What `settle` finds of each split in each way: how far it may get ahead of psi (below 0, it never does),
    how tight that is in parts of what acts can add to the lead, and the weight of the claim beside it."""

    margin: Any
    tight: Any
    multiplier: Any


def settle(
    node: Any,
    wanted: Any,
    cells: Any,
    psi: int,
    score: Any,
    possible: Any,
    criteria: Any,
    *,
    alive: Any = None,
    claim: Any = None,
) -> Settled:
    """How far each of the wanted splits may get ahead of psi, with all caps: below 0, it never does.

    ``node`` has its splits, the types of rows and the budget.
    The tolerance for ties is included. ``cells[w]`` counts the rows left of both splits.
    ``possible[w, way, side, j]`` says that label j can win that side as a leaf, and is cleared where the split
    cannot beat psi together with j winning. ``criteria`` is one criterion, or that of T and those at the
    vertices of all weights (`Problem.criteria`), ``score`` belongs to the first. ``alive[w, way]`` says that only
    labels change, so that vectors are compared, and in which ways; without it there is one way, by scores.

    Soundness
    ---------
    For one table, ``lead over psi + mu * (lead of j - what it needs)`` is convex in the weights. So a margin,
    and a multiplier mu that excludes j, must hold at every vertex, mu being the same at all.
    """
    splits, types, budget = node
    by_length = None if alive is None else 0
    multiplier = np.where(possible, SOUGHT, np.inf)
    if alive is None:
        alive = np.zeros((len(wanted), WAYS), np.bool_)
        alive[:, 0] = True
    if claim is None or len(criteria) > 1:
        claim = no_claim(types.measures.shape[2])
    args = splits, wanted, cells, psi, types, budget
    settled = _settle(*args, score, multiplier, criteria[0], by_length, claim, alive)
    if len(criteria) > 1:
        multiplier[multiplier == SOUGHT] = np.inf
        margin = np.full((len(wanted), WAYS), -np.inf)
        for criterion in criteria[1:]:
            there = scores(splits, types, criterion)
            found = _settle(*args, there, multiplier, criterion, by_length, claim, alive)
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
    claim: Any,
    alive: Any,
) -> Any:
    """The margins at one vector of weights; multipliers are found, or tried."""
    left, total, label = splits.left, splits.total, types.label
    n_labels, n_classes = types.measures.shape[2], len(claim.remove)
    n_kinds = len(label) // n_classes
    reach = reach_of(total, types, budget)
    budgets = claim.acts if claim.asks else reach.acts
    branches = new_branches(n_labels)
    own, size = branches.own, branches.size
    prices, of_psi, tied = challenger(splits, psi, types, reach, criterion, by_length)
    most_rows = float(rows_in(total) + reach.acts[ADD])
    room = 4 * n_classes * n_labels * (n_labels + 1) + claim.elsewhere.shape[1]
    nature = np.empty((4, room), np.int64)
    worth = np.zeros((5, room), np.float64)
    rows = np.empty((n_labels, n_labels), np.float64)
    margin = np.zeros((len(wanted), WAYS), np.float64)
    tight = np.full((len(wanted), WAYS), np.inf)
    weighing = np.zeros((len(wanted), WAYS), np.float64)
    base, at, sums = np.zeros(3), np.zeros(3), np.zeros(3)
    weights = label_weights(criterion, n_labels, np.int64(AT))
    priced = label_weights(criterion, n_labels, np.int64(PRICED))
    at[LEAD] = 1.0
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
            n = w - w
            for side in range(2 if reach.most > 0 else 0):
                for psi_side in range(2):
                    added = 0
                    if reach.acts[ADD] > 0 and cell_exists(splits, s, psi, side, psi_side):
                        added = min(splits.additions[s, side], splits.additions[psi, psi_side])
                    for c in range(n_classes):
                        rows[:] = 0.0
                        for t in range(c * n_kinds, (c + 1) * n_kinds):
                            count = cells[w, t] if psi_side == 0 else left[s, t] - cells[w, t]
                            if side == 1:
                                count = (left[psi, t] if psi_side == 0 else total[t] - left[psi, t]) - count
                            if types.removable[t]:
                                rows[label[t], label[t]] += count
                            for j in range(n_labels):
                                if types.flips_to[t, j]:
                                    rows[label[t], j] += count
                        cell = side, psi_side, c
                        n = _put_cell(nature, worth, n, (branches, prices), cell, rows, added, budget, claim)
            n = _put_elsewhere(nature, worth, n, claim)
            base[LEAD], base[CLAIM], base[LEAF] = ahead - of_psi + tied, claim.base, 0.0
            at[CLAIM], at[LEAF] = 0.0, 0.0
            gain = _best_mix(nature, worth, n, budgets, at, sums)
            margin[w, way] = base[LEAD] + gain
            if margin[w, way] >= 0 and claim.asks:
                margin[w, way] = _least(nature, worth, n, budgets, base, at, CLAIM, True, sums)
                weighing[w, way] = at[CLAIM]
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
                    _put_leaf(nature, worth, n, (side, y, j, weights[y], weights[j]))
                    base[LEAF] = weights[j] * own[side, j] - weights[y] * own[side, y]
                    base[LEAF] -= lead_needed(criterion, j, y, most_rows)
                    multiplier[w, way, side, j] = _leaf_multiplier(
                        nature, worth, n, budgets, base, at, claim.asks, mu, sums
                    )
    return Settled(margin, tight, weighing)
