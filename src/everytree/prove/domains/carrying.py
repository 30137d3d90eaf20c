"""From a split to the claims of what is below it: the split's own inequality, and those of the splits above.

Between the bounds on leads and the nodes (`claims.py` says what claims are). They are carried to one side of
a split: acts in the rows of that side keep their values by class, acts on the other side become groups
elsewhere.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from everytree.bias.acts import ADD, FLIP, REMOVE
from everytree.learner.criterion.front import new_branches
from everytree.prove.domains.claims import Claims
from everytree.prove.domains.leads import candidate, challenger
from everytree.prove.domains.relational import count_labels, reach_of
from everytree.support.kernels import inner_kernel, kernel


@kernel
def claims_below(
    columns: Any, rows: Any, node: Any, entry: Any, score: Any, how: Any, claims: Any, side: int
) -> Any:
    """The claims of one side of a split.

    ``node`` has splits, types of rows and budget; ``entry`` the split, its way, the challenger and the weight
    of the joined claims above; ``how`` the criterion, whether vectors are compared, the budgets of T, labels
    that rows added anywhere may have, and the number of classes at most.

    Soundness
    ---------
    A table in which the split is taken fulfils its inequality against the challenger, and those of the splits
    above. Where classes are joined, and for added rows, whose place is not known, the largest value counts;
    so it does for rows elsewhere that can be flipped to several labels: each is flipped once.
    """
    splits, types, budget = node
    s, way, psi, weight = entry
    criterion, by_length, acts, addable, most = how
    left, total = splits.left, splits.total
    n_labels, n_claims, n_classes = types.measures.shape[2], len(claims.base), claims.remove.shape[1]
    n_kinds = len(types.label) // n_classes
    reach = reach_of(total, types, budget)
    prices, of_psi, tied = challenger(splits, psi, types, reach, criterion, by_length)
    branches = new_branches(n_labels)
    count_labels(left, total, s, types.label, branches)
    ahead = candidate(branches, way, reach, criterion, by_length, score[s])
    base, joined = np.empty(n_claims + 1), np.empty(n_claims + 1)
    base[:n_claims], joined[:n_claims] = claims.base, weight * claims.joined
    base[n_claims], joined[n_claims] = ahead - of_psi + tied, 1.0
    tells, joins = most > 1, 2 * n_classes > most
    counts = np.zeros((2, len(types.label)), np.int64)
    classes = np.empty(len(rows), np.int8)
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
    add = np.full((n_claims + 1, n_labels), -np.inf)
    remove = np.full((n_claims + 1, room, n_labels), -np.inf)
    flip = np.full((n_claims + 1, room, n_labels, n_labels), -np.inf)
    for psi_side in range(2):
        for c in range(n_classes):
            at = 0 if not tells else psi_side if joins else 2 * c + psi_side
            for m in range(n_claims + 1):
                own = m == n_claims
                for i in range(n_labels):
                    value = branches.add[side, i] - prices.row[psi_side, i] if own else claims.add[m, i]
                    add[m, i] = max(add[m, i], value)
                    value = branches.remove[side, i] + prices.row[psi_side, i]
                    remove[m, at, i] = max(remove[m, at, i], value if own else claims.remove[m, c, i])
                    for j in range(n_labels):
                        value = branches.flip[side, i, j] - prices.flip[psi_side, i, j]
                        value = value if own else claims.flip[m, c, i, j]
                        flip[m, at, i, j] = max(flip[m, at, i, j], value)
    changes = types, acts, addable, budget.added_flips_to
    sort, cap, elsewhere = _elsewhere(changes, (branches, prices), claims, counts, 1 - side)
    return Claims(base, joined, add, remove, flip, elsewhere, sort, cap, acts, classes[:n].copy())


@inner_kernel
def _elsewhere(changes: Any, values: Any, claims: Any, counts: Any, side: int) -> Any:
    """Acts on the other side of the split, by type of row, and those that were elsewhere before."""
    types, acts, addable, added_flips_to = changes
    branches, prices = values
    n_labels, n_claims, n_classes = claims.add.shape[1], len(claims.base), claims.remove.shape[1]
    n_kinds = len(types.label) // n_classes
    known = len(claims.cap)
    room = known + 4 * len(types.label) + 2 * n_labels * (n_labels + 1)
    sort, cap = np.zeros(room, np.int64), np.zeros(room)
    value = np.zeros((n_claims + 1, room))
    sort[:known], cap[:known], value[:n_claims, :known] = claims.sort, claims.cap, claims.elsewhere
    n = known
    for psi_side in range(2):
        for t in range(len(types.label)):
            i, c = types.label[t], t // n_kinds
            if counts[psi_side, t] == 0:
                continue
            if types.removable[t]:
                sort[n], cap[n] = REMOVE, counts[psi_side, t]
                value[:n_claims, n] = claims.remove[:, c, i]
                value[n_claims, n] = branches.remove[side, i] + prices.row[psi_side, i]
                n += 1
            reachable = False
            value[:, n] = -np.inf
            for j in range(n_labels):
                if types.flips_to[t, j]:
                    reachable = True
                    for m in range(n_claims):
                        value[m, n] = max(value[m, n], claims.flip[m, c, i, j])
                    own = branches.flip[side, i, j] - prices.flip[psi_side, i, j]
                    value[n_claims, n] = max(value[n_claims, n], own)
            if reachable:
                sort[n], cap[n] = FLIP, counts[psi_side, t]
                n += 1
        for i in range(n_labels if acts[ADD] > 0 else 0):
            if not addable[i]:
                continue
            sort[n], cap[n] = ADD, acts[ADD]
            value[:n_claims, n] = claims.add[:, i]
            value[n_claims, n] = branches.add[side, i] - prices.row[psi_side, i]
            n += 1
            for j in range(n_labels):
                if j != i and added_flips_to[j]:
                    sort[n], cap[n] = FLIP, acts[ADD]
                    for m in range(n_claims):
                        value[m, n] = claims.flip[m, :, i, j].max()
                    value[n_claims, n] = branches.flip[side, i, j] - prices.flip[psi_side, i, j]
                    n += 1
    return sort[:n].copy(), cap[:n].copy(), value[:, :n].copy()
