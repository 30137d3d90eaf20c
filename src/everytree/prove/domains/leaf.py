"""What a leaf can say, exactly: how far another label can get against the leaf's own.

Reads the counts of one branch; used by the relational domain at the last level and where a node may stop.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from everytree.learner.criterion.front import AT, PRICED, WEIGHTED, lead_needed
from everytree.support.kernels import inner_kernel, kernel


@inner_kernel
def own_label(counts: Any, label: Any, n_labels: int, criterion: Any) -> int:
    """Label of largest weight of a branch on T, the first on a tie; -1 if the branch is empty."""
    best = -1
    heaviest = 0.0
    for i in range(n_labels):
        count = 0
        for t in range(len(counts)):
            if label[t] == i:
                count += counts[t]
        weight = float(count) if criterion is None else criterion.weights[PRICED, i] * count
        if weight > heaviest:
            best = i
            heaviest = weight
    return best


@inner_kernel
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


@inner_kernel
def heaviest_lead(counts: Any, y: int, j: int, types: Any, budget: Any, new: Any, weights: Any) -> Any:
    """Largest w_j c'_j - w_y c'_y that all changes can reach in a branch.

    ``new`` counts the added rows that may carry j as they are, and those that may only be flipped to it. A
    flip from y to j gains w_y + w_j, more than any other act; a removal of a y gains w_y. What remains of the
    flips gains w_j each, by giving another label's row or an added row to j, or w_y, by taking a y row to a
    third label: the heavier first.

    Soundness
    ---------
    Flips take the largest gains that there are, and removals w_y each. Where no y row can only go to a third
    label, a row that is flipped to j need not be left for removal: to remove it instead, and flip another one
    to j, gains no more. A flip to a third label may gain more than that, so there both are counted in full.
    """
    lead = 0.0
    to_j, to_third, from_others, may_go, either = 0, 0, 0, 0, 0
    flips_to, removable = types.flips_to, types.removable
    for t in range(len(counts)):
        if types.label[t] == j:
            lead += weights[j] * counts[t]
        elif types.label[t] == y:
            lead -= weights[y] * counts[t]
            if flips_to[t, j]:
                to_j += counts[t]
            elif flips_to[t].any():
                to_third += counts[t]
            if removable[t]:
                may_go += counts[t]
            if removable[t] or flips_to[t, j]:
                either += counts[t]
        elif flips_to[t, j]:
            from_others += counts[t]
    twice = min(budget.flips, to_j)
    left = budget.flips - twice
    gaining_j = min(left, from_others + new[1])
    gaining_y = min(left, to_third)
    if weights[j] >= weights[y]:
        gaining_y = min(gaining_y, left - gaining_j)
    else:
        gaining_j = min(gaining_j, left - gaining_y)
    removed = min(budget.removals, may_go if to_third > 0 else min(may_go, either - twice))
    lead += (weights[y] + weights[j]) * twice + weights[y] * (removed + gaining_y)
    return lead + weights[j] * (gaining_j + new[0])


@inner_kernel
def can_lead(counts: Any, y: int, j: int, types: Any, budget: Any, new: Any) -> bool:
    """Whether label j can win against y where every row counts once; ``new`` as in `heaviest_lead`."""
    lead, spare = furthest_lead(
        counts, y, j, types.label, types.flips_to, types.removable, budget.flips, budget.removals
    )
    needed = 0 if j < y else 1
    wins: bool = lead + new[0] + min(new[1], spare) >= needed
    return wins


@kernel
def _mark(
    counts: Any, types: Any, budget: Any, additions: int, may_add: bool, criterion: Any, possible: Any
) -> None:
    """Mark the labels that a leaf can give.

    An added row that carries j, or is flipped to it by a flip left over, gains 1. Label j can win iff its
    lead over y reaches 0 where j sorts before y, and 1 where it sorts after (with weights: `lead_needed`). A
    leaf of added rows only gives any label that may be added or that an added row may be flipped to. Labels
    that are marked stay marked.
    """
    y = own_label(counts, types.label, len(possible), criterion)
    for j in range(len(possible)):
        if j == y or possible[j]:
            possible[j] = True
            continue
        freely = additions > 0 and budget.addable[j]
        by_flip = additions > 0 and may_add and budget.added_flips_to[j]
        if y < 0:
            possible[j] = freely or (by_flip and budget.flips > 0)
            continue
        new = (additions if freely else 0, additions if by_flip and not freely else 0)
        if criterion is None:
            possible[j] = can_lead(counts, y, j, types, budget, new)
        elif criterion.code >= WEIGHTED:
            most = heaviest_lead(counts, y, j, types, budget, new, criterion.weights[AT])
            possible[j] = most >= lead_needed(criterion, j, y, float(counts.sum() + additions))
        else:
            possible[j] = can_lead(counts, y, j, types, budget, new)


def labels_of_leaves(splits: Any, chosen: Any, types: Any, budget: Any, criteria: Any) -> Any:
    """Labels that the two sides of the chosen splits can give as leaves: (chosen, 2, labels).

    ``criteria`` is one criterion, or that of T and those at the vertices of all weights: a lead is linear in
    the weights, so whoever leads in some table leads at some vertex.
    """
    possible = np.zeros((len(chosen), 2, types.measures.shape[2]), np.bool_)
    for criterion in criteria[1:] or criteria:
        _labels_of_leaves(splits, chosen, types, budget, criterion, possible)
    return possible


@kernel
def _labels_of_leaves(
    splits: Any, chosen: Any, types: Any, budget: Any, criterion: Any, possible: Any
) -> None:
    """Mark the labels for one vector of weights.

    Where no other label comes near even if every change gained as much as it can, there is nothing to mark.
    """
    left, total, additions, label = splits.left, splits.total, splits.additions, types.label
    n_labels = types.measures.shape[2]
    n_addable: Any = np.int64(0)
    for i in range(n_labels):
        n_addable += budget.addable[i]
    may_add = n_addable > 0  # not a literal, with which `_mark` would be compiled once more
    weighted = False
    if criterion is not None:
        weighted = criterion.code >= WEIGHTED
    reach = 2 * budget.flips + budget.removals
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
            if close > 1 or own[largest] == 0 or weighted:
                _mark(counts, types, budget, additions[s, side], may_add, criterion, possible[c, side])
            else:
                possible[c, side, largest] = True


def labels_of_node(total: Any, types: Any, budget: Any, criteria: Any) -> Any:
    """Labels that a node can give as a leaf."""
    possible = np.zeros(types.measures.shape[2], np.bool_)
    may_add = budget.addable.any()
    for criterion in criteria[1:] or criteria:
        _mark(total, types, budget, budget.additions, may_add, criterion, possible)
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


@inner_kernel
def _same_row(codes: Any, r: int, other: int) -> bool:
    for j in range(codes.shape[0]):
        if codes[j, r] != codes[j, other]:
            return False
    return True
