"""The relational domain: two splits compared on the same changed table, not each on its own.

Intervals score every split on the table that is worst for it. Here a candidate is set against a
*challenger*, and one budget of changes must serve both scores. It sits beside the interval domain and
reads the same counts.

With g(c) = sum_i c_i^2 / n for a branch with label counts c and size n (0 if empty), the score of a split is
G = g(left) + g(right), and the learner takes a split of largest G. The candidate phi and the challenger psi
cut the node into four cells. An *atom* is one unit change in one cell: add a row with label i, flip a row
from i to j, remove a row with label i. With f_a >= 0 the number of times atom a is used::

    G_phi(T') - G_psi(T')  <=  G_phi(T) - G_psi(T) + sum_a f_a * (s_a - d_a)

s_a is the *slope* of phi, from the counts of the branch of phi that the atom touches, with B the greatest
number of changes in all; d_a is the derivative of G_psi at T. Maximising the right side over all f that
the budgets allow is one fractional knapsack for each kind of change. If the maximum is below zero by more
than the tolerance for ties, phi is not the best split in any table of B(T).

Proof sketch. g is convex and 1-homogeneous. The slopes are chords of g over B steps: changes that use a chord
form a table that could be reached on its own, and their amounts sum to at most B, so Jensen's inequality
bounds them together. Where the chord exceeds what a single change can do (a removal changes g by less than
1, a flip by less than 2), the smaller value is used, and those changes are applied one by one. Flips in a
branch that only added rows fill are paid for by the slope 1 of each addition. d is a tangent of a convex
1-homogeneous function, so it bounds G_psi from below even if a branch of psi is emptied. If T' makes psi
trivial, G_psi is the score without a split, which is never more than G_phi: the bound holds there too.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from everytree.bias.kinds import ADD, ALL_KINDS, FLIP, REMOVE
from everytree.prove.counts import TIE_TOLERANCE
from everytree.support.kernels import kernel

FEW_LEFT = 1e-4
"""Share of a branch that removals must leave for a chord to be used; rounding is then far below a tie."""


@kernel
def add_slope(own: float, size: float, square: float, most: float) -> float:
    """Chord of g for additions of a label with `own` rows: (g(c + B e_i) - g(c)) / B.

    Multiplied out it is (B + 2 c_i - g(c)) / (n + B): B is not squared, so rounding stays in the last places.
    """
    if size == 0:
        return 1.0
    return (most + 2.0 * own - square / size) / (size + most)


@kernel
def remove_slope(own: float, size: float, square: float, most: float) -> float:
    """Chord of g for removals of a label with `own` rows, (B - 2 c_i + g(c)) / (n - B), at most 1.

    Where next to nothing is left of the branch the division would make the rounding of g(c) large; 1 holds.
    """
    if size <= most or size - most < FEW_LEFT * size:
        return 1.0
    return min(1.0, (most - 2.0 * own + square / size) / (size - most))


@kernel
def flip_slope(source: float, target: float, size: float, most: float) -> float:
    """Chord of g for flips from a label with `source` rows to one with `target` rows, at most 2."""
    if size == 0:
        return 0.0
    return min(2.0, (2.0 * (target - source) + 2.0 * most) / size)


@kernel
def count_labels(left: Any, total: Any, s: int, label: Any, own: Any, size: Any, square: Any) -> None:
    """Label counts ``own[side, i]`` of both sides of split s, their sizes and sums of squares."""
    own[:] = 0.0
    for t in range(len(label)):
        own[0, label[t]] += left[s, t]
        own[1, label[t]] += total[t] - left[s, t]
    for side in range(2):
        size[side] = 0.0
        square[side] = 0.0
        for i in range(own.shape[1]):
            size[side] += own[side, i]
            square[side] += own[side, i] * own[side, i]


@kernel
def scores(splits: Any, types: Any) -> Any:
    """G of every split on T: sum over both sides of sum_i c_i^2 / n."""
    left, total, label = splits.left, splits.total, types.label
    own = np.empty((2, types.measures.shape[2]))
    size = np.empty(2)
    square = np.empty(2)
    result = np.zeros(len(left))
    for s in range(len(left)):
        count_labels(left, total, s, label, own, size, square)
        for side in range(2):
            if size[side] > 0:
                result[s] += square[side] / size[side]
    return result


@kernel
def most_changes(total: Any, types: Any, budget: Any) -> Any:
    """B, the greatest number of changes that a table of B(T) can make in this node, and its parts."""
    flippable = 0
    removable = 0
    for t in range(len(total)):
        for j in range(types.flips_to.shape[1]):
            if types.flips_to[t, j]:
                flippable += total[t]
                break
        if types.removable[t]:
            removable += total[t]
    flips = min(budget.flips, flippable + budget.additions)
    removals = min(budget.removals, removable)
    return budget.additions + flips + removals, flips, removals


@kernel
def tangent(splits: Any, psi: int, types: Any) -> Any:
    """Gradient of G_psi at T: entry [side, i] is 2 c_i / n - sum_j c_j^2 / n^2 of that side of psi."""
    gradient = np.empty((2, types.measures.shape[2]))
    size = np.empty(2)
    square = np.empty(2)
    count_labels(splits.left, splits.total, psi, types.label, gradient, size, square)
    for side in range(2):
        for i in range(gradient.shape[1]):
            gradient[side, i] = 2.0 * gradient[side, i] / size[side] - square[side] / size[side] ** 2
    return gradient


@kernel
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


@kernel
def _allowed_flips(total: Any, types: Any, budget: Any) -> Any:
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


@kernel
def _loose_gain(
    own: Any,
    side: int,
    size: float,
    square: float,
    changes: Any,
    dearest: Any,
    allowed: Any,
    addable: Any,
    best: Any,
) -> None:
    """Raise `best` to the largest s_a - d_a of an addition, a flip and a removal on one side of phi.

    ``dearest[kind, i, j]`` is the largest -d_a that any side of psi offers for the change.
    """
    most = float(changes[3])
    add = 0.0
    flip = 0.0
    remove = 0.0
    for i in range(own.shape[1]):
        if changes[ADD] > 0 and addable[i]:
            add = max(add, add_slope(own[side, i], size, square, most) + dearest[ADD, i, i])
        if changes[REMOVE] > 0 and own[side, i] > 0:
            remove = max(remove, remove_slope(own[side, i], size, square, most) + dearest[REMOVE, i, i])
        if changes[FLIP] > 0 and (own[side, i] > 0 or changes[ADD] > 0):
            for j in range(own.shape[1]):
                if allowed[i, j]:
                    slope = flip_slope(own[side, i], own[side, j], size, most)
                    flip = max(flip, slope + dearest[FLIP, i, j])
    best[ADD] = max(best[ADD], add)
    best[FLIP] = max(best[FLIP], flip)
    best[REMOVE] = max(best[REMOVE], remove)


@kernel
def _dearest(gradient: Any) -> Any:
    """Largest -d_a over the two sides of psi, for each kind of change and labels (from, to)."""
    n_labels = gradient.shape[1]
    result = np.zeros((len(ALL_KINDS), n_labels, n_labels))
    for i in range(n_labels):
        result[ADD, i, i] = -min(gradient[0, i], gradient[1, i])
        result[REMOVE, i, i] = max(gradient[0, i], gradient[1, i])
        for j in range(n_labels):
            result[FLIP, i, j] = max(gradient[0, i] - gradient[0, j], gradient[1, i] - gradient[1, j])
    return result


@kernel
def loose_margins(splits: Any, types: Any, budget: Any, score: Any, psi: int) -> Any:
    """How far each split may get ahead of psi by the bound without caps: below 0, it never does.

    Every change is priced at the best cell for it, as if that cell had rows enough. This needs no cell
    counts, is never below the true maximum, and drops almost every split of a large node. The node without
    a split is a candidate as well, with all rows on one side; the second value is its margin: from 0 on the
    node may stop because no split gains anything.
    """
    left, total, label, additions = splits.left, splits.total, types.label, splits.additions
    n_labels = types.measures.shape[2]
    most, flips, removals = most_changes(total, types, budget)
    changes = (budget.additions, flips, removals, most)
    allowed = _allowed_flips(total, types, budget)
    addable = budget.addable
    dearest = _dearest(tangent(splits, psi, types))
    own = np.empty((2, n_labels))
    size = np.empty(2)
    square = np.empty(2)
    best = np.empty(len(ALL_KINDS))
    limit = score[psi] - TIE_TOLERANCE * (total.sum() + budget.additions)
    margin = np.empty(len(score))
    for s in range(len(score)):
        margin[s] = -np.inf
        gain = 0.0
        count_labels(left, total, s, label, own, size, square)
        if size[0] + additions[s, 0] == 0 or size[1] + additions[s, 1] == 0:
            continue
        if most > 0:
            best[:] = 0.0
            for side in range(2):
                _loose_gain(own, side, size[side], square[side], changes, dearest, allowed, addable, best)
            for kind in ALL_KINDS:
                gain += changes[kind] * best[kind]
        margin[s] = score[s] + gain - limit
    count_labels(np.zeros((1, len(total)), np.int32), total, 0, label, own, size, square)
    gain = 0.0
    if most > 0:
        best[:] = 0.0
        for side in range(1, 2):
            _loose_gain(own, side, size[side], square[side], changes, dearest, allowed, addable, best)
        for kind in ALL_KINDS:
            gain += changes[kind] * best[kind]
    return margin, square[1] / size[1] + gain - limit
