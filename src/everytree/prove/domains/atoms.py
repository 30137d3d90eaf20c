"""The relational bound with all its caps: unit changes in four cells, and the best mix of them.

Second half of the relational domain (see there for the inequality and its proof). It settles the splits that
the loose bound could not drop, and at the last level also which labels their leaves can show.
"""

from __future__ import annotations

from typing import Any

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
from everytree.prove.domains.relational import cell_exists, count_labels, reach_of, scores, tangent_of
from everytree.support.kernels import inner_kernel, kernel, part_of_kernel

MULTIPLIER_STEPS = 40
"""Steps of the search for the best multiplier; it nearly always ends after three or four."""

ACT, SIDE, SOURCE, TARGET = 0, 1, 2, 3
"""Rows of the array `nature` of atoms: the act, side of phi, label before, label after (or -1)."""

VALUE, CAP, LEAD, REST = 0, 1, 2, 3
"""Rows of the array `worth` of atoms: s_a - d_a, greatest use, gain of a label's lead, cap not yet used."""

SOUGHT = 0.0
"""Stands for a multiplier that is still to be looked for; infinity for one that does not exist."""


@part_of_kernel
def _put(
    nature: Any, worth: Any, n: int, act: int, side: int, source: int, target: int, value: float, cap: float
) -> int:
    nature[ACT, n] = act
    nature[SIDE, n] = side
    nature[SOURCE, n] = source
    nature[TARGET, n] = target
    worth[VALUE, n] = value
    worth[CAP, n] = cap
    return n + 1


@inner_kernel
def _put_cell(
    nature: Any,
    worth: Any,
    n: int,
    branches: Any,
    side: int,
    prices: Any,
    rows: Any,
    added: int,
    budget: Any,
) -> int:
    """List the atoms of one cell behind the first n; returns how many there are then.

    ``rows[i, j]`` counts the rows of the cell that may be flipped from i to j and ``rows[i, i]`` those with
    label i that may be removed; `added` bounds the rows that may be added to the cell. An added row may be
    flipped afterwards, so additions raise the caps of flips as well. ``prices[i]`` is what one more row with
    label i adds to t_psi in this cell.
    """
    n_labels = len(prices)
    for i in range(n_labels):
        if added > 0 and budget.addable[i]:
            value = branches.add[side, i] - prices[i]
            n = _put(nature, worth, n, ADD, side, -1, i, value, added)
        if rows[i, i] > 0:
            value = branches.remove[side, i] + prices[i]
            n = _put(nature, worth, n, REMOVE, side, i, -1, value, rows[i, i])
        for j in range(n_labels):
            if i == j:
                continue
            cap = rows[i, j]
            if budget.addable[i] and budget.added_flips_to[j]:
                cap += added
            if cap > 0:
                value = branches.flip[side, i, j] - (prices[j] - prices[i])
                n = _put(nature, worth, n, FLIP, side, i, j, value, cap)
    return n


@inner_kernel
def _put_leads(nature: Any, worth: Any, n: int, side: int, y: Any, j: int, weights: Any) -> None:
    """Note what one use of each atom adds to w_j c_j - w_y c_y on the given side of phi."""
    for a in range(n):
        gain = 0.0
        if nature[SIDE, a] == side:
            if nature[TARGET, a] == j:
                gain += weights[j]
            elif nature[TARGET, a] == y:
                gain -= weights[y]
            if nature[SOURCE, a] == y:
                gain += weights[y]
            elif nature[SOURCE, a] == j:
                gain -= weights[j]
        worth[LEAD, a] = gain


@inner_kernel
def _best_mix(nature: Any, worth: Any, n: int, budgets: Any, multiplier: float) -> Any:
    """Largest sum of f_a * (value_a + multiplier * lead_a) within caps and budgets, and the lead it brings.

    For each act a fractional knapsack: the dearest atoms first, as many as cap and budget allow.
    """
    total = 0.0
    lead = 0.0
    for a in range(n):
        worth[REST, a] = worth[CAP, a]
    for act in ALL_ACTS:
        budget = float(budgets[act])
        while budget > 0:
            pick = -1
            dearest = 0.0
            for a in range(n):
                if nature[ACT, a] == act and worth[REST, a] > 0:
                    price = worth[VALUE, a] + multiplier * worth[LEAD, a]
                    if price > dearest:
                        pick = a
                        dearest = price
            if pick < 0:
                break
            use = min(budget, worth[REST, pick])
            total += use * dearest
            lead += use * worth[LEAD, pick]
            budget -= use
            worth[REST, pick] = 0.0
    return total, lead


@inner_kernel
def _excluding(
    nature: Any, worth: Any, n: int, budgets: Any, base: float, start: float, multiplier: float
) -> float:
    """A multiplier which shows that phi never beats psi while label j wins a leaf; infinity if there is none.

    `base` is G_phi - G_psi on T plus the tolerance, `start` the lead of j over y on T less what it needs.
    If for some multiplier mu >= 0 the maximum of ``base + gain(f) + mu * (start + lead(f))`` over f is below
    zero, no f has both terms at zero or more. The maximum is convex in mu, so tangents at two points bound
    its minimum from below: the search steps to where they meet and stops when that is not below zero. A
    multiplier that is given is only tried.
    """
    if multiplier != SOUGHT:
        gain, _ = _best_mix(nature, worth, n, budgets, multiplier)
        return multiplier if base + gain + multiplier * start < 0 else np.inf
    gain, lead = _best_mix(nature, worth, n, budgets, 0.0)
    left, left_value, left_slope = 0.0, base + gain, start + lead
    if left_slope >= 0:
        return np.inf
    right, right_value, right_slope = np.inf, 0.0, 0.0
    multiplier = 0.5
    for _ in range(MULTIPLIER_STEPS):
        gain, lead = _best_mix(nature, worth, n, budgets, multiplier)
        slope = start + lead
        value = base + gain + multiplier * start
        if value < 0:
            return multiplier
        if slope >= 0:
            right, right_value, right_slope = multiplier, value, slope
        else:
            left, left_value, left_slope = multiplier, value, slope
        if right == np.inf:
            multiplier *= 2.0
            continue
        step = (right_value - left_value + right_slope * (left - right)) / (left_slope - right_slope)
        if left_value + left_slope * step >= 0 or step <= 0 or left + step >= right:
            return np.inf
        multiplier = left + step
    return np.inf


def settle(node: Any, wanted: Any, cells: Any, psi: int, score: Any, possible: Any, criteria: Any) -> Any:
    """How far each of the wanted splits may get ahead of psi, with all caps: below 0, it never does.

    ``node`` has its splits, the types of rows and the budget.
    The tolerance for ties is included. ``cells[w]`` counts the rows left of both splits.
    ``possible[w, side, j]`` says that label j can win that side as a leaf, and is cleared where the split
    cannot beat psi together with j winning. ``criteria`` is one criterion, or that of T and those at the
    vertices of all weights (`Problem.criteria`), ``score`` belongs to the first.

    Soundness
    ---------
    For one table, ``lead over psi + mu * (lead of j - what it needs)`` is convex in the weights. So a margin,
    and a multiplier mu that excludes j, must hold at every vertex, mu being the same at all.
    """
    splits, types, budget = node
    multiplier = np.where(possible, SOUGHT, np.inf)
    margin = _settle(splits, wanted, cells, psi, types, budget, score, multiplier, criteria[0])
    if len(criteria) > 1:
        multiplier[multiplier == SOUGHT] = np.inf
        margin = np.full(len(wanted), -np.inf)
        for criterion in criteria[1:]:
            there = scores(splits, types, criterion)
            found = _settle(splits, wanted, cells, psi, types, budget, there, multiplier, criterion)
            margin = np.maximum(margin, found)
    possible &= (multiplier == SOUGHT) | (multiplier == np.inf)
    return margin


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
) -> Any:
    """The margins at one vector of weights; multipliers are found, or tried."""
    left, total, label = splits.left, splits.total, types.label
    n_labels = types.measures.shape[2]
    reach = reach_of(total, types, budget)
    most = reach.most
    budgets, additions = reach.acts, reach.acts[ADD]
    prices, on_table = tangent_of(splits, psi, types, reach, criterion)
    room = 4 * n_labels * (n_labels + 1)
    nature = np.empty((4, room), np.int64)
    worth = np.zeros((4, room), np.float64)
    branches = new_branches(n_labels)
    own, size = branches.own, branches.size
    rows = np.empty((n_labels, n_labels), np.float64)
    margin = np.zeros(len(wanted), np.float64)
    most_rows = float(rows_in(total) + additions)
    tied = tolerance(criterion, most_rows)
    weights = label_weights(criterion, n_labels, np.int64(AT))
    priced = label_weights(criterion, n_labels, np.int64(PRICED))
    for w in range(len(wanted)):
        s = wanted[w]
        if s == psi:
            continue
        count_labels(left, total, s, label, branches)
        if most > 0:
            slopes(criterion, branches, reach)
        n = w - w
        for side in range(2 if most > 0 else 0):
            for psi_side in range(2):
                added = 0
                if additions > 0 and cell_exists(splits, s, psi, side, psi_side):
                    added = min(splits.additions[s, side], splits.additions[psi, psi_side])
                rows[:] = 0.0
                for t in range(len(total)):
                    count = cells[w, t] if psi_side == 0 else left[s, t] - cells[w, t]
                    if side == 1:
                        count = (left[psi, t] if psi_side == 0 else total[t] - left[psi, t]) - count
                    if types.removable[t]:
                        rows[label[t], label[t]] += count
                    for j in range(n_labels):
                        if types.flips_to[t, j]:
                            rows[label[t], j] += count
                n = _put_cell(nature, worth, n, branches, side, prices[psi_side], rows, added, budget)
        base = score[s] - on_table + tied
        gain, _ = _best_mix(nature, worth, n, budgets, 0.0)
        margin[w] = base + gain
        for side in range(2 if size[0] > 0 and size[1] > 0 else 0):
            y: Any = np.int64(0)
            for i in range(1, n_labels):
                if own[side, i] * priced[i] > own[side, y] * priced[y]:
                    y = i
            for j in range(n_labels):
                mu = multiplier[w, side, j]
                if j == y or mu == np.inf or (mu == SOUGHT and margin[w] < 0):
                    continue
                _put_leads(nature, worth, n, side, y, j, weights)
                start = weights[j] * own[side, j] - weights[y] * own[side, y]
                start -= lead_needed(criterion, j, y, most_rows)
                multiplier[w, side, j] = _excluding(nature, worth, n, budgets, base, start, mu)
    return margin
