"""Atoms: unit changes in the cells of two splits, in the leaf below and elsewhere, and the best mix of them.

Second half of the relational domain (see `relational.py` for the inequality and its proof): with all caps,
beside what the splits above ask for (`claims.py`). `settling.py` and the gains ask for the largest sums.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from everytree.bias.acts import ADD, ALL_ACTS, FLIP, REMOVE
from everytree.prove.domains.relational import cell_exists
from everytree.support.kernels import bare_kernel, kernel, part_of_kernel

MULTIPLIER_STEPS = 40
"""Steps of the search for the best multiplier; it nearly always ends after three or four."""

ACT, SIDE, SOURCE, TARGET = 0, 1, 2, 3
"""Rows of the array `nature` of atoms: act, side of phi (-1: in another node), label before, label after."""

LEAD, LEAF, JOINED, CLAIMS = 0, 1, 2, 3
"""Rows of the array `worth` of atoms: what one use adds to the lead over psi, to the lead of a label in a
leaf, to the joined claims of the node, and, from there on, to each of its claims. They are weighed by
multipliers `at`."""

CAP, REST, PRICE = 0, 1, 2
"""Rows of the array `use` of atoms: greatest use, what is not used yet, and what one use is worth in all."""


class Atoms(NamedTuple):
    """Room for the atoms of one candidate, and for multipliers, constants and sums of what they are worth."""

    nature: Any
    worth: Any
    use: Any
    base: Any
    at: Any
    sums: Any


@kernel
def new_atoms(n_labels: int, claims: Any) -> Any:
    """Room for the atoms of any candidate of a node with these claims."""
    room = 4 * claims.remove.shape[1] * n_labels * (n_labels + 1) + len(claims.cap)
    rows = CLAIMS + len(claims.base)
    nature, worth = np.empty((4, room), np.int64), np.zeros((rows, room), np.float64)
    use = np.zeros((3, room), np.float64)
    return Atoms(nature, worth, use, np.zeros(rows), np.zeros(rows), np.zeros(rows))


@part_of_kernel
def _put(atoms: Any, n: int, kind: Any, lead: float, cap: float) -> int:
    """List an atom behind the first n, whose claims are filled in already."""
    nature = atoms.nature
    nature[ACT, n], nature[SIDE, n], nature[SOURCE, n], nature[TARGET, n] = kind
    atoms.worth[LEAD, n], atoms.use[CAP, n] = lead, cap
    return n + 1


@part_of_kernel
def _claim(atoms: Any, n: int, m: int, joined: Any, value: float) -> None:
    """Note what the atom behind the first n adds to claim m."""
    atoms.worth[CLAIMS + m, n] = value
    if m == 0:
        atoms.worth[JOINED, n] = 0.0
    atoms.worth[JOINED, n] += joined[m] * value


@part_of_kernel
def put_cell(
    atoms: Any, n: int, values: Any, cell: Any, rows: Any, added: int, budget: Any, claims: Any
) -> int:
    """List the atoms of one cell and class behind the first n; returns how many there are then.

    ``values`` has slopes of phi and prices of psi, ``cell`` the sides of both and the class. ``rows[i, j]``
    counts the rows that may be flipped from i to j and ``rows[i, i]`` those with label i that may be removed;
    `added` bounds the rows that may be added to the cell. An added row may be flipped afterwards, so
    additions raise the caps of flips as well.
    """
    branches, prices = values
    side, psi_side, c = cell
    n_labels, joined = claims.add.shape[1], claims.joined
    for i in range(n_labels):
        if c == 0 and added > 0 and budget.addable[i]:
            for m in range(len(claims.base)):
                _claim(atoms, n, m, joined, claims.add[m, i])
            value = branches.add[side, i] - prices.row[psi_side, i]
            n = _put(atoms, n, (ADD, side, -1, i), value, added)
        if rows[i, i] > 0:
            for m in range(len(claims.base)):
                _claim(atoms, n, m, joined, claims.remove[m, c, i])
            value = branches.remove[side, i] + prices.row[psi_side, i]
            n = _put(atoms, n, (REMOVE, side, i, -1), value, rows[i, i])
        for j in range(n_labels):
            if i == j:
                continue
            cap = rows[i, j]
            if budget.addable[i] and budget.added_flips_to[j]:
                cap += added
            if cap > 0:
                for m in range(len(claims.base)):
                    _claim(atoms, n, m, joined, claims.flip[m, c, i, j])
                value = branches.flip[side, i, j] - prices.flip[psi_side, i, j]
                n = _put(atoms, n, (FLIP, side, i, j), value, cap)
    return n


@part_of_kernel
def put_elsewhere(atoms: Any, n: int, claims: Any) -> int:
    """List the acts outside the node, which only its claims know."""
    for e in range(len(claims.cap)):
        for m in range(len(claims.base)):
            _claim(atoms, n, m, claims.joined, claims.elsewhere[m, e])
        n = _put(atoms, n, (claims.sort[e], -1, -1, -1), 0.0, claims.cap[e])
    return n


@part_of_kernel
def put_atoms(atoms: Any, values: Any, node: Any, pair: Any, cell: Any, rows: Any, claims: Any) -> int:
    """List the atoms of a candidate against a challenger; ``cell[t]`` counts the rows left of both."""
    splits, types, budget = node
    s, psi = pair
    left, total, label = splits.left, splits.total, types.label
    n_labels, n_classes = types.measures.shape[2], claims.remove.shape[1]
    n_kinds = len(label) // n_classes
    n = s - s
    for side in range(2):
        for psi_side in range(2):
            added = 0
            if budget.additions > 0 and cell_exists(splits, s, psi, side, psi_side):
                added = min(splits.additions[s, side], splits.additions[psi, psi_side])
            for c in range(n_classes):
                rows[:] = 0.0
                for t in range(c * n_kinds, (c + 1) * n_kinds):
                    count = cell[t] if psi_side == 0 else left[s, t] - cell[t]
                    if side == 1:
                        count = (left[psi, t] if psi_side == 0 else total[t] - left[psi, t]) - count
                    if types.removable[t]:
                        rows[label[t], label[t]] += count
                    for j in range(n_labels):
                        if types.flips_to[t, j]:
                            rows[label[t], j] += count
                n = put_cell(atoms, n, values, (side, psi_side, c), rows, added, budget, claims)
    return put_elsewhere(atoms, n, claims)


@bare_kernel
def put_leaf(atoms: Any, n: int, end: Any) -> None:
    """Note what one use of each atom adds to w_j c_j - w_y c_y on the given side of phi."""
    side, y, j, weight_y, weight_j = end
    nature = atoms.nature
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
        atoms.worth[LEAF, a] = gain


@bare_kernel
def best_mix(atoms: Any, n: int, budgets: Any) -> float:
    """Largest sum of f_a * (worth of a, weighed by `at`) within caps and budgets; its parts go into `sums`.

    For each act a fractional knapsack: the dearest atoms first, as many as cap and budget allow.
    """
    nature, worth, use, at, sums = atoms.nature, atoms.worth, atoms.use, atoms.at, atoms.sums
    for a in range(n):
        use[REST, a], use[PRICE, a] = use[CAP, a], 0.0
    for k in range(len(at)):
        if at[k] != 0.0:
            for a in range(n):
                use[PRICE, a] += at[k] * worth[k, a]
    total = 0.0
    sums[:] = 0.0
    for act in ALL_ACTS:
        budget = float(budgets[act])
        while budget > 0:
            pick = -1
            dearest = 0.0
            for a in range(n):
                if use[PRICE, a] > dearest and nature[ACT, a] == act and use[REST, a] > 0:
                    pick = a
                    dearest = use[PRICE, a]
            if pick < 0:
                break
            times = min(budget, use[REST, pick])
            total += times * dearest
            for k in range(len(at)):
                sums[k] += times * worth[k, pick]
            budget -= times
            use[REST, pick] = 0.0
    return total


@bare_kernel
def least(atoms: Any, n: int, budgets: Any, along: int, whole: bool) -> Any:
    """Move one multiplier, ``at[along]``, to where ``base . at`` plus the best mix is least; gives that.

    If the value is below zero for some multipliers >= 0, no mix f has all terms at zero or more: the lead
    over psi, what the claims ask for, and the lead of a label over what it needs in a leaf. It is convex in
    each multiplier, so tangents at two points bound its minimum from below: the search steps to where they
    meet, and ends as soon as it is below zero, or, unless the `whole` search is wanted, surely is not.
    Whatever the multipliers are, what they exclude is excluded.
    """
    base, at, sums = atoms.base, atoms.at, atoms.sums
    at[along] = 0.0
    best, chosen = np.inf, 0.0
    left, left_value, left_slope = 0.0, 0.0, 0.0
    right, right_value, right_slope = np.inf, 0.0, 0.0
    for _ in range(MULTIPLIER_STEPS):
        value = best_mix(atoms, n, budgets)
        for k in range(len(at)):
            value += at[k] * base[k]
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
