"""From a split to the claim of what is below it: the split's own inequality, and part of the claim above.

Between the bounds on leads and the nodes (`claims.py` says what a claim is). A claim is carried to one side of a
split: acts in the rows of that side keep their values by class, acts elsewhere only by how dear they are.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from everytree.bias.acts import ADD, FLIP, REMOVE
from everytree.learner.criterion.front import new_branches
from everytree.prove.domains.atoms import candidate, challenger
from everytree.prove.domains.claims import CAP, VALUE, WHICH, Claim, dearest_first
from everytree.prove.domains.relational import count_labels, reach_of
from everytree.support.kernels import inner_kernel, kernel


def most_classes(n_labels: int) -> int:
    """Classes of rows that a claim tells apart at most: with many labels there are many acts in each."""
    return {2: 8, 3: 4, 4: 2, 5: 2}.get(n_labels, 1)


@kernel
def claim_below(
    columns: Any, rows: Any, node: Any, entry: Any, score: Any, how: Any, claim: Any, side: int
) -> Any:
    """The claim of one side of a split, and the class of each of the rows there.

    ``node`` has splits, types of rows and budget; ``entry`` the split, its way, the challenger and the weight
    of the claim above; ``how`` the criterion, whether vectors are compared, the budgets of T, and the number of
    classes at most.

    Soundness
    ---------
    A table in which the split is taken fulfils its inequality against the challenger, and that of the splits
    above, so it fulfils their sum with weights 1 and mu >= 0. Where classes are joined, and for added rows, whose
    place is not known, the largest value counts; so it does for rows elsewhere that can be flipped to several
    labels: each is flipped once. Acts elsewhere that would lower the sum are left out.
    """
    splits, types, budget = node
    s, way, psi, weight = entry
    criterion, by_length, acts, most = how
    left, total = splits.left, splits.total
    n_labels, n_classes = types.measures.shape[2], len(claim.remove)
    n_kinds = len(types.label) // n_classes
    reach = reach_of(total, types, budget)
    prices, of_psi, tied = challenger(splits, psi, types, reach, criterion, by_length)
    branches = new_branches(n_labels)
    count_labels(left, total, s, types.label, branches)
    ahead = candidate(branches, way, reach, criterion, by_length, score[s])
    base = ahead - of_psi + tied + weight * claim.base
    counts = np.zeros((2, len(types.label)), np.int64)
    classes = np.empty(len(rows), np.int8)
    joins = 2 * n_classes > most
    tells = most > 1
    n = 0
    for r in rows:
        t = types.of_row[r]
        psi_side = 1 if columns.codes[splits.feature[psi], r] > splits.low[psi] else 0
        if (columns.codes[splits.feature[s], r] > splits.low[s]) == (side == 1):
            old = 0 if joins else t // n_kinds
            classes[n] = (2 * old + psi_side) if tells else 0
            n += 1
        else:
            counts[psi_side, t] += 1
    room = 1 if not tells else 2 if joins else 2 * n_classes
    add = np.full(n_labels, -np.inf)
    remove = np.full((room, n_labels), -np.inf)
    flip = np.full((room, n_labels, n_labels), -np.inf)
    for psi_side in range(2):
        for c in range(n_classes):
            at = 0 if not tells else psi_side if joins else 2 * c + psi_side
            for i in range(n_labels):
                value = branches.add[side, i] - prices.row[psi_side, i] + weight * claim.add[i]
                add[i] = max(add[i], value)
                value = branches.remove[side, i] + prices.row[psi_side, i] + weight * claim.remove[c, i]
                remove[at, i] = max(remove[at, i], value)
                for j in range(n_labels):
                    value = branches.flip[side, i, j] - prices.flip[psi_side, i, j]
                    flip[at, i, j] = max(flip[at, i, j], value + weight * claim.flip[c, i, j])
    elsewhere = _elsewhere((types, budget, acts), (branches, prices), claim, weight, counts, 1 - side)
    return (base, add, remove, flip, dearest_first(acts, elsewhere)), classes[:n].copy()


@inner_kernel
def _elsewhere(node: Any, values: Any, claim: Any, weight: float, counts: Any, side: int) -> Any:
    """Acts on the other side of the split, by type of row, and those that the claim above has elsewhere."""
    types, budget, acts = node
    branches, prices = values
    n_labels, n_classes = len(claim.add), len(claim.remove)
    n_kinds = len(types.label) // n_classes
    known = claim.elsewhere.shape[1]
    result = np.zeros((3, known + 4 * len(types.label) + 2 * n_labels * (n_labels + 1)), np.float64)
    n = 0
    for k in range(known):
        result[:, n] = claim.elsewhere[:, k]
        result[VALUE, n] *= weight
        n += 1
    for psi_side in range(2):
        for t in range(len(types.label)):
            i, c = types.label[t], t // n_kinds
            if counts[psi_side, t] == 0:
                continue
            if types.removable[t]:
                value = branches.remove[side, i] + prices.row[psi_side, i] + weight * claim.remove[c, i]
                result[WHICH, n], result[VALUE, n], result[CAP, n] = REMOVE, value, counts[psi_side, t]
                n += 1
            best = -np.inf
            for j in range(n_labels):
                if types.flips_to[t, j]:
                    value = branches.flip[side, i, j] - prices.flip[psi_side, i, j]
                    best = max(best, value + weight * claim.flip[c, i, j])
            if best > 0:
                result[WHICH, n], result[VALUE, n], result[CAP, n] = FLIP, best, counts[psi_side, t]
                n += 1
        if acts[ADD] == 0:
            continue
        for i in range(n_labels):
            if not budget.addable[i]:
                continue
            value = branches.add[side, i] - prices.row[psi_side, i] + weight * claim.add[i]
            result[WHICH, n], result[VALUE, n], result[CAP, n] = ADD, value, acts[ADD]
            n += 1
            for j in range(n_labels):
                if j != i and budget.added_flips_to[j]:
                    most = -np.inf
                    for c in range(n_classes):
                        most = max(most, claim.flip[c, i, j])
                    value = branches.flip[side, i, j] - prices.flip[psi_side, i, j] + weight * most
                    result[WHICH, n], result[VALUE, n], result[CAP, n] = FLIP, value, acts[ADD]
                    n += 1
    return result[:, :n].copy()


def as_claim(parts: tuple[Any, ...], acts: tuple[int, int, int]) -> Claim | None:
    """A claim from what `claim_below` found; None if every mix of acts in the node fulfils it."""
    base, add, remove, flip, elsewhere = parts
    worst = (min(0.0, float(add.min())), min(0.0, float(flip.min())), min(0.0, float(remove.min())))
    if base + sum(n * value for n, value in zip(acts, worst, strict=True) if n) >= 0:
        return None
    return Claim(True, base, acts, add, remove, flip, elsewhere)
