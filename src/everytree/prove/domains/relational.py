"""The relational domain: two splits compared on the same changed table, not each on its own.

Intervals score every split on the table that is worst for it. Here a candidate is set against a
*challenger*, and one budget of changes must serve both scores. It sits beside the interval domain and
reads the same counts.

With g(c) the value of a branch with label counts c (`everytree.learner.criterion`), the score of a split is
G = g(left) + g(right), and the learner takes a split of largest G. The candidate phi and the challenger psi
cut the node into four cells. An *atom* is one unit change in one cell: add a row with label i, flip a row
from i to j, remove a row with label i. With f_a >= 0 the number of times atom a is used::

    G_phi(T') - G_psi(T')  <=  G_phi(T) - t_psi(T) + sum_a f_a * (s_a - d_a)

s_a is the *slope* of phi, from the counts of the branch of phi that the atom touches; t_psi is a linear
function below G_psi, and d_a what atom a adds to it. Maximising the right side over all f that the budgets
allow is one fractional knapsack for each act. If the maximum is below zero by more than the
tolerance for ties, phi is not the best split in any table of B(T).

Proof sketch. The criterion's slopes bound g of both branches of phi from above, all acts together. t_psi is a
tangent of a convex 1-homogeneous function, so it bounds G_psi from below even if a branch of psi is emptied.
If T' makes psi trivial, G_psi is the score without a split, which is never more than G_phi: the bound holds
there too.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from everytree.bias.acts import ADD, ALL_ACTS, FLIP, REMOVE
from everytree.learner.criterion import front
from everytree.learner.criterion.front import Reach, new_branches, slopes, tangent, tolerance
from everytree.prove.counts import rows_in
from everytree.support.kernels import inner_kernel, kernel, part_of_kernel


@part_of_kernel
def count_labels(left: Any, total: Any, s: int, label: Any, branches: Any) -> None:
    """Label counts ``own[side, i]`` of both sides of split s and their sizes (behind the last: all right)."""
    own, size = branches.own, branches.size
    own[:] = 0.0
    for t in range(len(label)):
        on_left = left[s, t] if s < len(left) else 0
        own[0, label[t]] += on_left
        own[1, label[t]] += total[t] - on_left
    for side in range(2):
        size[side] = 0.0
        for i in range(own.shape[1]):
            size[side] += own[side, i]


@kernel
def scores(splits: Any, types: Any, criterion: Any) -> Any:
    """G of every split on T: the sum of g over both sides."""
    left, total, label = splits.left, splits.total, types.label
    branches = new_branches(types.measures.shape[2])
    result = np.empty(len(left), np.float64)
    for s in range(len(left)):
        count_labels(left, total, s, label, branches)
        result[s] = front.score(criterion, branches)
    return result


@kernel
def reach_of(total: Any, types: Any, budget: Any) -> Any:
    """What the tables of B(T) can do in this node: acts of each sort, B of them in all, and label by label.

    The rows with label i become more by additions that carry it and flips towards it, and fewer by flips away
    from it and removals. Flips of added rows count among the flips.
    """
    n_labels = types.flips_to.shape[1]
    up = np.zeros(n_labels, np.float64)
    down = np.zeros(n_labels, np.float64)
    gone = np.zeros(n_labels, np.float64)
    flippable = 0
    removable = 0
    for t in range(len(total)):
        turns = False
        for j in range(n_labels):
            if types.flips_to[t, j]:
                turns = True
                up[j] += total[t]
        if turns:
            flippable += total[t]
            down[types.label[t]] += total[t]
        if types.removable[t]:
            removable += total[t]
            gone[types.label[t]] += total[t]
    flips = min(budget.flips, flippable + budget.additions)
    removals = min(budget.removals, removable)
    for i in range(n_labels):
        towards = min(float(flips), up[i] + (budget.additions if budget.added_flips_to[i] else 0))
        up[i] = towards + (budget.additions if budget.addable[i] else 0)
        down[i] = min(float(flips), down[i]) + min(float(removals), gone[i])
    acts = (budget.additions, flips, removals)
    return Reach(acts, budget.additions + flips + removals, up, down)


@inner_kernel
def tangent_of(splits: Any, psi: int, types: Any, reach: Any, criterion: Any) -> Any:
    """A linear function t_psi below G_psi: coefficients ``[side, i]``, and its value on T."""
    branches = new_branches(types.measures.shape[2])
    gradient = np.empty((2, types.measures.shape[2]), np.float64)
    count_labels(splits.left, splits.total, psi, types.label, branches)
    on_table = 0.0
    for side in range(2):
        on_table += tangent(criterion, branches, side, reach, gradient)
    return gradient, on_table


@inner_kernel
def cell_exists(splits: Any, s: int, psi: int, side: int, psi_side: int) -> bool:
    """Whether any row can lie on these sides of the two splits: not across two splits of one column."""
    if side == psi_side or splits.feature[s] != splits.feature[psi]:
        return True
    if splits.low[s] == splits.low[psi]:
        return False
    if splits.low[s] < splits.low[psi]:
        return side == 1
    return side == 0


@kernel
def cell_counts(columns: Any, types: Any, rows: Any, splits: Any, wanted: Any, psi: int) -> Any:
    """Rows by type that lie left of both psi and each of the wanted splits.

    Together with the counts of the two splits on their own this gives all four cells. Only columns with a
    wanted split are looked at, each in one pass.
    """
    n_types = len(types.label)
    result = np.zeros((len(wanted), n_types), np.int64)
    if len(wanted) == 0:
        return result
    psi_code = columns.codes[splits.feature[psi]]
    psi_low = splits.low[psi]
    inside = np.empty(len(rows), np.int32)
    used = 0
    for r in rows:
        if psi_code[r] <= psi_low:
            inside[used] = r
            used += 1
    inside = inside[:used]
    widest = 0
    for w in range(len(wanted)):
        j = splits.feature[wanted[w]]
        widest = max(widest, columns.starts[j + 1] - columns.starts[j])
    histogram = np.zeros((widest, n_types), np.int64)
    running = np.zeros(n_types, np.int64)
    begin = 0
    while begin < len(wanted):
        j = splits.feature[wanted[begin]]
        code = columns.codes[j]
        for r in inside:
            histogram[code[r], types.of_row[r]] += 1
        running[:] = 0
        c = 0
        w = begin
        while w < len(wanted) and splits.feature[wanted[w]] == j:
            while c <= splits.low[wanted[w]]:
                for t in range(n_types):
                    running[t] += histogram[c, t]
                c += 1
            for t in range(n_types):
                result[w, t] = running[t]
            w += 1
        histogram[: columns.starts[j + 1] - columns.starts[j]] = 0
        begin = w
    return result


@inner_kernel
def allowed_flips(total: Any, types: Any, budget: Any) -> Any:
    """Pairs (from, to) of labels between which some row of the node, or an added row, may be flipped."""
    n_labels = types.measures.shape[2]
    allowed = np.zeros((n_labels, n_labels), np.bool_)
    for t in range(len(total)):
        if total[t] > 0:
            for j in range(n_labels):
                if types.flips_to[t, j]:
                    allowed[types.label[t], j] = True
    for i in range(n_labels):
        for j in range(n_labels):
            if i != j and budget.additions > 0 and budget.addable[i] and budget.added_flips_to[j]:
                allowed[i, j] = True
    return allowed


@part_of_kernel
def loose_gain(
    branches: Any, side: int, reach: Any, dearest: Any, allowed: Any, addable: Any, best: Any
) -> None:
    """Raise `best` to the largest s_a - d_a of an addition, a flip and a removal on one side of phi.

    ``dearest[act, i, j]`` is the largest -d_a that any side of psi offers for the change.
    """
    own, acts = branches.own, reach.acts
    n_labels = dearest.shape[1]
    add = 0.0
    flip = 0.0
    remove = 0.0
    for i in range(n_labels):
        if acts[ADD] > 0 and addable[i]:
            add = max(add, branches.add[side, i] + dearest[ADD, i, i])
        if acts[REMOVE] > 0 and own[side, i] > 0:
            remove = max(remove, branches.remove[side, i] + dearest[REMOVE, i, i])
        if acts[FLIP] > 0 and (own[side, i] > 0 or acts[ADD] > 0):
            for j in range(n_labels):
                if allowed[i, j]:
                    flip = max(flip, branches.flip[side, i, j] + dearest[FLIP, i, j])
    best[ADD] = max(best[ADD], add)
    best[FLIP] = max(best[FLIP], flip)
    best[REMOVE] = max(best[REMOVE], remove)


@inner_kernel
def dearest_of(gradient: Any) -> Any:
    """Largest -d_a over the two sides of psi, for each act and labels (from, to)."""
    n_labels = gradient.shape[1]
    result = np.zeros((len(ALL_ACTS), n_labels, n_labels), np.float64)
    for i in range(n_labels):
        result[ADD, i, i] = -min(gradient[0, i], gradient[1, i])
        result[REMOVE, i, i] = max(gradient[0, i], gradient[1, i])
        for j in range(n_labels):
            result[FLIP, i, j] = max(gradient[0, i] - gradient[0, j], gradient[1, i] - gradient[1, j])
    return result


def loose_margins(splits: Any, types: Any, budget: Any, score: Any, psi: int, criteria: Any) -> Any:
    """How far each split may get ahead of psi by the bound without caps: below 0, it never does.

    Every change is priced at the best cell for it, as if that cell had rows enough. This needs no cell
    counts, is never below the true maximum, and drops almost every split of a large node. The node without
    a split is a candidate as well, with all rows on one side; the second value is its margin: from 0 on the
    node may stop because no split gains anything. ``criteria`` is one criterion, or that of T and those at
    the vertices of all weights; ``score`` belongs to the first.
    """
    if len(criteria) == 1:
        return _loose_margins(splits, types, budget, score, psi, criteria[0])
    margins = [
        _loose_margins(splits, types, budget, scores(splits, types, criterion), psi, criterion)
        for criterion in criteria[1:]
    ]
    return np.max([margin for margin, _ in margins], axis=0), max(unsplit for _, unsplit in margins)


@kernel
def _loose_margins(splits: Any, types: Any, budget: Any, score: Any, psi: int, criterion: Any) -> Any:
    left, total, label, additions = splits.left, splits.total, types.label, splits.additions
    branches = new_branches(types.measures.shape[2])
    size = branches.size
    reach = reach_of(total, types, budget)
    acts, most = reach.acts, reach.most
    allowed = allowed_flips(total, types, budget)
    addable = budget.addable
    gradient, on_table = tangent_of(splits, psi, types, reach, criterion)
    dearest = dearest_of(gradient)
    best = np.empty(len(ALL_ACTS), np.float64)
    limit = on_table - tolerance(criterion, rows_in(total) + budget.additions)
    n_splits = len(score)
    margin = np.empty(n_splits + 1, np.float64)
    for s in range(n_splits + 1):  # the last one stands for the node without a split
        count_labels(left, total, s, label, branches)
        if s < n_splits and (size[0] + additions[s, 0] == 0 or size[1] + additions[s, 1] == 0):
            margin[s] = -np.inf
            continue
        gain = 0.0
        if most > 0:
            best[:] = 0.0
            slopes(criterion, branches, reach)
            for side in range(0 if s < n_splits else 1, 2):
                loose_gain(branches, side, reach, dearest, allowed, addable, best)
            for act in ALL_ACTS:
                gain += acts[act] * best[act]
        own = score[s] if s < n_splits else front.score(criterion, branches)
        margin[s] = own + gain - limit
    return margin[:n_splits], margin[n_splits]
