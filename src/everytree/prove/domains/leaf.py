"""What a leaf can say, exactly: how far another label can get against the leaf's own.

Reads the counts of one branch; used by the relational domain at the last level and where a node may stop.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from everytree.support.kernels import kernel


@kernel
def own_label(counts: Any, label: Any, n_labels: int) -> int:
    """Majority label of a branch on T, the one that sorts first on a tie; -1 if the branch is empty."""
    best = -1
    best_count = 0
    for i in range(n_labels):
        count = 0
        for t in range(len(counts)):
            if label[t] == i:
                count += counts[t]
        if count > best_count:
            best = i
            best_count = count
    return best


@kernel
def furthest_lead(
    counts: Any, y: int, j: int, label: Any, flips_to: Any, removable: Any, flips: int, removals: int
) -> Any:
    """Largest c'_j - c'_y that flips and removals can reach in a branch, and the flips that are left over.

    A flip from y to j gains 2. A removal of a y gains 1, and so does a flip from another label to j or from
    y to a third label. So flips go from y to j first, removals take y rows that are left, and what remains
    of the flips gains 1 each::

        c_j - c_y + 2 a + b + o,     a = min(l, |F|),  b = min(k, |R|, |F u R| - a),
        o = min(l - a, rows that gain 1 by a flip)

    Soundness
    ---------
    Each term is at most what that kind of change can add on its own. A row may be counted for a flip to a
    third label and for a removal: then the lead is too large, never too small.
    """
    lead = 0
    to_j = 0
    gains_one = 0
    may_go = 0
    either = 0
    for t in range(len(counts)):
        if label[t] == j:
            lead += counts[t]
        elif label[t] == y:
            lead -= counts[t]
            if flips_to[t, j]:
                to_j += counts[t]
            else:
                for i in range(flips_to.shape[1]):
                    if flips_to[t, i]:
                        gains_one += counts[t]
                        break
            if removable[t]:
                may_go += counts[t]
            if removable[t] or flips_to[t, j]:
                either += counts[t]
        elif flips_to[t, j]:
            gains_one += counts[t]
    twice = min(flips, to_j)
    once = min(flips - twice, gains_one)
    removed = min(removals, min(may_go, either - twice))
    return lead + 2 * twice + once + removed, flips - twice - once


@kernel
def _mark(counts: Any, types: Any, budget: Any, additions: int, may_add: bool, possible: Any) -> None:
    """Mark the labels that a leaf can give.

    An added row that carries j, or is flipped to it by a flip left over, gains 1. Label j can win iff its
    lead over y reaches 0 where j sorts before y, and 1 where it sorts after. A leaf of added rows only gives
    any label that may be added or that an added row may be flipped to.
    """
    y = own_label(counts, types.label, len(possible))
    for j in range(len(possible)):
        possible[j] = j == y
        if j == y:
            continue
        freely = additions > 0 and budget.addable[j]
        by_flip = additions > 0 and may_add and budget.added_flips_to[j]
        if y < 0:
            possible[j] = freely or (by_flip and budget.flips > 0)
            continue
        lead, spare = furthest_lead(
            counts, y, j, types.label, types.flips_to, types.removable, budget.flips, budget.removals
        )
        if freely:
            lead += additions
        elif by_flip:
            lead += min(additions, spare)
        possible[j] = lead >= (0 if j < y else 1)


@kernel
def labels_of_leaves(splits: Any, chosen: Any, types: Any, budget: Any) -> Any:
    """Labels that the two sides of the chosen splits can give as leaves: (chosen, 2, labels).

    Where no other label comes near even if every change gained as much as it can, there is nothing to mark.
    """
    left, total, additions, label = splits.left, splits.total, splits.additions, types.label
    n_labels = types.measures.shape[2]
    may_add = budget.addable.any()
    reach = 2 * budget.flips + budget.removals
    possible = np.zeros((len(chosen), 2, n_labels), np.bool_)
    counts = np.empty(len(total), np.int64)
    own = np.empty(n_labels, np.int64)
    for c in range(len(chosen)):
        s = chosen[c]
        for side in range(2):
            own[:] = 0
            for t in range(len(total)):
                counts[t] = left[s, t] if side == 0 else total[t] - left[s, t]
                own[label[t]] += counts[t]
            largest = 0
            close = 0
            for i in range(n_labels):
                if own[i] > own[largest]:
                    largest = i
            for i in range(n_labels):
                if own[i] + reach + additions[s, side] >= own[largest]:
                    close += 1
            if close > 1 or own[largest] == 0:
                _mark(counts, types, budget, additions[s, side], may_add, possible[c, side])
            else:
                possible[c, side, largest] = True
    return possible


@kernel
def labels_of_node(total: Any, types: Any, budget: Any) -> Any:
    """Labels that a node can give as a leaf."""
    possible = np.empty(types.measures.shape[2], np.bool_)
    _mark(total, types, budget, budget.additions, budget.addable.any(), possible)
    return possible


@kernel
def may_be_constant(columns: Any, types: Any, rows: Any, removals: int) -> bool:
    """Whether removals can leave rows that agree in every column, so that no split is left.

    Rows that cannot be removed must agree already; the others may go if the budget covers them. If all rows
    are removable and the budget covers half of them, the answer is yes without a closer look.
    """
    if len(rows) <= removals:
        return True
    keep = -1
    votes = 0
    for r in rows:
        if not types.removable[types.of_row[r]]:
            keep = r
            break
    if keep < 0:
        if len(rows) <= 2 * removals:
            return True
        for r in rows:
            if votes == 0:
                keep = r
            votes += 1 if _same_row(columns.codes, r, keep) else -1
    differing = 0
    for r in rows:
        if not _same_row(columns.codes, r, keep):
            differing += 1
            if differing > removals or not types.removable[types.of_row[r]]:
                return False
    return True


@kernel
def _same_row(codes: Any, r: int, other: int) -> bool:
    for j in range(codes.shape[0]):
        if codes[j, r] != codes[j, other]:
            return False
    return True
