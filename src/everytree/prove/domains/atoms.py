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
from everytree.prove.domains.claims import no_claims
from everytree.prove.domains.flips import WAYS
from everytree.prove.domains.relational import cell_exists, count_labels, reach_of, scores, tangent_of
from everytree.support.kernels import inner_kernel, kernel

MULTIPLIER_STEPS = 40
"""Steps of the search for the best multiplier; it nearly always ends after three or four."""

ACT, SIDE, SOURCE, TARGET = 0, 1, 2, 3
"""Rows of the array `nature` of atoms: the act, side of phi (-1: in another node), label before, label after."""

LEAD, LEAF, JOINED, CLAIMS = 0, 1, 2, 3
"""Rows of the array `worth` of atoms: what one use adds to the lead over psi, to the lead of a label in a leaf, to
the joined claims of the node, and, from there on, to each of its claims. They are weighed by multipliers `at`."""

CAP, REST, PRICE = 0, 1, 2
"""Rows of the array `use` of atoms: greatest use, what is not used yet, and what one use is worth in all."""

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


@inner_kernel
def _put(atoms: Any, n: int, kind: Any, lead: float, cap: float) -> int:
    """List an atom behind the first n, whose claims are filled in already."""
    nature = atoms.nature
    nature[ACT, n], nature[SIDE, n], nature[SOURCE, n], nature[TARGET, n] = kind
    atoms.worth[LEAD, n], atoms.use[CAP, n] = lead, cap
    return n + 1


@inner_kernel
def _claim(atoms: Any, n: int, m: int, joined: Any, value: float) -> None:
    """Note what the atom behind the first n adds to claim m."""
    atoms.worth[CLAIMS + m, n] = value
    if m == 0:
        atoms.worth[JOINED, n] = 0.0
    atoms.worth[JOINED, n] += joined[m] * value


@inner_kernel
def put_cell(
    atoms: Any, n: int, values: Any, cell: Any, rows: Any, added: int, budget: Any, claims: Any
) -> int:
    """List the atoms of one cell and class behind the first n; returns how many there are then.

    ``values`` has slopes of phi and prices of psi, ``cell`` the sides of both and the class. ``rows[i, j]``
    counts the rows that may be flipped from i to j and ``rows[i, i]`` those with label i that may be removed;
    `added` bounds the rows that may be added to the cell. An added row may be flipped afterwards, so additions
    raise the caps of flips as well.
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


@inner_kernel
def put_elsewhere(atoms: Any, n: int, claims: Any) -> int:
    """List the acts outside the node, which only its claims know."""
    for e in range(len(claims.cap)):
        for m in range(len(claims.base)):
            _claim(atoms, n, m, claims.joined, claims.elsewhere[m, e])
        n = _put(atoms, n, (claims.sort[e], -1, -1, -1), 0.0, claims.cap[e])
    return n


@inner_kernel
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


@inner_kernel
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


@inner_kernel
def least(atoms: Any, n: int, budgets: Any, along: int, whole: bool) -> float:
    """Move one multiplier, ``at[along]``, to where ``base . at`` and the best mix are least; gives that value.

    If the value is below zero for some multipliers >= 0, no mix f has all terms at zero or more: the lead over
    psi, what the claims ask for, and the lead of a label over what it needs in a leaf. It is convex in each
    multiplier, so tangents at two points bound its minimum from below: the search steps to where they meet, and
    ends as soon as it is below zero, or, unless the `whole` search is wanted, surely is not. Whatever the
    multipliers are, what they exclude is excluded.
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


@inner_kernel
def _leaf_multiplier(atoms: Any, n: int, budgets: Any, n_claims: int, given: float) -> float:
    """A multiplier which shows that phi never is best while a label wins a leaf; infinity if there is none.

    One that is given is only tried. Beside claims, the leaf is held against the lead and against each claim by
    itself, and then the others are added where they help.
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
    """What `settle` finds of each split in each way: how far it may get ahead of psi (below 0, it never does),
    how tight that is in parts of what acts can add to the lead, and the weight of the joined claims beside it."""

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
    claims: Any = None,
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
            n = put_atoms(atoms, (branches, prices), (splits, types, budget), (s, psi), cells[w], rows, claims)
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


@inner_kernel
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
