"""The interval domain, the method of the paper: ranges for proportions, impurities and costs.

Reads the counts of a node and says which splits may be best in some table of B(T) and which labels, with
which proportions, a leaf may show. It sits between the counts and the walk.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from everytree.learner.criterion.front import (
    TIE_TOLERANCE,
    WEIGHTED,
    cost,
    impurity_range,
    stop_rows,
    tolerance,
    weight,
)
from everytree.prove.counts import AWAY, OWN, REMOVABLE, TOWARDS, rows_in
from everytree.prove.domains.weighted import BY_FLIP, FREELY, NONE, weight_range, weighted_range
from everytree.support.kernels import inner_kernel, kernel

INEXACT_TOLERANCE = 1e-8
"""Shares that differ by no more may be tied where weights are summed with rounding, in up to 10^7 rows."""


@inner_kernel
def _ways_to_add(budget: Any) -> Any:
    """For each label: how rows that carry another label, and rows that carry this one, may be added."""
    n_labels = len(budget.addable)
    ways = np.zeros((2, n_labels), np.int64)
    any_addable = False
    for i in range(n_labels):
        any_addable = any_addable or budget.addable[i]
    if not any_addable:
        return ways
    for i in range(n_labels):
        for j in range(n_labels):
            kind = 1 if i == j else 0
            if budget.addable[j]:
                ways[kind, i] = FREELY
            elif budget.added_flips_to[j] and ways[kind, i] == NONE:
                ways[kind, i] = BY_FLIP
    return ways


@inner_kernel
def _label_range(
    sides: Any, side: int, i: int, size: int, all_removable: int, budgets: Any, ways: Any
) -> Any:
    """Range of the proportion pr_i of one label in a branch, over all tables of B(T) that leave it a row.

    With F, F', R, R' the rows that may be flipped away from i, flipped to i, removed with label i, removed
    with another label, each clipped to its budget::

        lower = (c_i - F - R)^+ / (n - R + w),     upper = min(1, (c_i + F' + w') / (n - R' + w'))

    w counts added rows that do not carry i: m if another label may be added, else those that a flip left
    over can turn; w' counts those that carry i, in the same way (``ways[0, i]`` and ``ways[1, i]``). If
    every row may go, lower = 0, and upper = 1 unless no row can ever carry i.

    Soundness
    ---------
    The lower quotient falls in the number of flips away from i, in removals of i (it is at most 1) and in
    additions of others, and rises in everything else, so its minimum takes all of those at once. A flip
    of a row of T lowers it at least as much as a flip of an added row, so rows of T are flipped first. A
    row counted for a flip and a removal is counted twice: the range is then too wide, never too narrow.
    The upper quotient is the mirror image.
    """
    additions, flips, removals = budgets
    add_others, add_own = ways[0, i], ways[1, i]
    own, removable = sides[side, OWN, i], sides[side, REMOVABLE, i]
    away = min(sides[side, AWAY, i], flips)
    towards = min(sides[side, TOWARDS, i], flips)
    others_added = 0
    own_added = 0
    if add_others == FREELY:
        others_added = additions
    elif add_others == BY_FLIP:
        others_added = min(additions, flips - away)
    if add_own == FREELY:
        own_added = additions
    elif add_own == BY_FLIP:
        own_added = min(additions, flips - towards)
    reached = own + towards + own_added
    if size <= min(removals, all_removable):
        return 0.0, 1.0 if reached > 0 else 0.0
    low = 0.0
    removed = min(removals, removable)
    if own - away - removed > 0:
        low = (own - away - removed) / (size - removed + others_added)
    removed = min(removals, all_removable - removable)
    if reached >= size - removed + own_added:
        return low, 1.0
    return low, reached / (size - removed + own_added)


@inner_kernel
def _measure(total: Any, measures: Any) -> Any:
    """Measures by label of the whole node."""
    whole = np.zeros((measures.shape[1], measures.shape[2]), np.int64)
    for t in range(measures.shape[0]):
        for q in range(measures.shape[1]):
            for i in range(measures.shape[2]):
                whole[q, i] += total[t] * measures[t, q, i]
    return whole


@inner_kernel
def _measure_sides(left: Any, s: Any, measures: Any, whole: Any, sides: Any) -> None:
    """Measures by label of both sides of split s: ``sides[side, q, i]``."""
    for q in range(measures.shape[1]):
        for i in range(measures.shape[2]):
            on_left = 0
            for t in range(measures.shape[0]):
                on_left += left[s, t] * measures[t, q, i]
            sides[0, q, i] = on_left
            sides[1, q, i] = whole[q, i] - on_left


@inner_kernel
def _put_whole(whole: Any, sides: Any) -> None:
    """Put the measures of the whole node in the place of both sides."""
    for q in range(whole.shape[0]):
        for i in range(whole.shape[1]):
            sides[0, q, i] = whole[q, i]
            sides[1, q, i] = whole[q, i]


@inner_kernel
def _branch(sides: Any, side: int, budgets: Any, ways: Any, ranges: Any, criterion: Any) -> Any:
    """Ranges of all label proportions in a branch; returns the least and the greatest size of the branch.

    ``ranges[side, 0]`` and ``ranges[side, 1]`` receive the lower and the upper ends.
    """
    n_labels = sides.shape[2]
    size: Any = np.int64(0)
    removable: Any = np.int64(0)
    for i in range(n_labels):
        size += sides[side, OWN, i]
        removable += sides[side, REMOVABLE, i]
    for i in range(n_labels):
        if criterion is None:
            low, high = _label_range(sides, side, i, size, removable, budgets, ways)
        elif criterion.code >= WEIGHTED:
            low, high = weighted_range(sides, side, i, budgets, ways, criterion.weights)
        else:
            low, high = _label_range(sides, side, i, size, removable, budgets, ways)
        ranges[side, 0, i] = low
        ranges[side, 1, i] = high
    additions, _, removals = budgets
    return size - min(removals, removable), size + additions


@inner_kernel
def _weights(sides: Any, side: int, budgets: Any, least: float, most: float, criterion: Any) -> Any:
    """Least and greatest weight of a branch with so many rows."""
    if criterion.code >= WEIGHTED:
        return weight_range(sides, side, budgets, criterion.weights)
    return least, most


@inner_kernel
def _cost(
    sides: Any,
    flips: int,
    removals: int,
    left_added: int,
    right_added: int,
    ways: Any,
    ranges: Any,
    leaf_rows: Any,
    criterion: Any,
) -> Any:
    """Range [a, b] of the cost of a split: size * impurity, summed over its two sides.

    a is infinite if one side has no row in any table, b if one side has fewer than `leaf_rows` in some table.
    """
    cost_low = 0.0
    cost_high = 0.0
    for side in range(2):
        additions = left_added if side == 0 else right_added
        budgets = (additions, flips, removals)
        least, most = _branch(sides, side, budgets, ways, ranges, criterion)
        impurity_low, impurity_high = impurity_range(criterion, ranges, side)
        light, heavy = float(least), float(most)
        if criterion is not None:
            light, heavy = _weights(sides, side, budgets, light, heavy, criterion)
        cost_low += light * impurity_low if most > 0 else np.inf
        cost_high += heavy * impurity_high if least >= leaf_rows else np.inf
    return cost_low, cost_high


@kernel
def least_upper_cost(splits: Any, types: Any, budget: Any, score: Any, floors: Any, criterion: Any) -> Any:
    """The least upper cost of the splits that are surely available, and whether to stop.

    The second value says that some table may leave the node unsplit: if no split is sure to keep the rows of
    a leaf on both sides, or if the cost without a split may come down to the least upper cost, or so close
    that the gain is refused; without a `min_impurity_decrease` that happens by rounding, in a large node.
    A split whose cost on T itself is not below the least so far need not be looked at.
    """
    n_labels = types.measures.shape[2]
    ways = _ways_to_add(budget)
    flips, removals = budget.flips, budget.removals
    left, total, measures, additions = splits.left, splits.total, types.measures, splits.additions
    whole = _measure(total, measures)
    sides = np.empty((2, 4, n_labels), np.int64)
    ranges = np.empty((2, 2, n_labels), np.float64)
    size = rows_in(total)
    heavy = weight(criterion, whole[OWN])
    least_upper = np.inf
    first = 0
    for s in range(len(score)):
        if score[s] > score[first]:
            first = s
    for k in range(len(score)):
        s = first + k if first + k < len(score) else first + k - len(score)
        if cost(criterion, heavy, score[s]) < least_upper:
            _measure_sides(left, s, measures, whole, sides)
            on_left, on_right, needed = additions[s, 0], additions[s, 1], floors.leaf_high
            _, upper = _cost(sides, flips, removals, on_left, on_right, ways, ranges, needed, criterion)
            least_upper = min(least_upper, upper)
    may_stop = least_upper == np.inf
    if not may_stop and (floors.decrease > 0.0 or size + budget.additions >= stop_rows(criterion)):
        _put_whole(whole, sides)
        tied = tolerance(criterion, size + budget.additions)
        budgets = (budget.additions, flips, removals)
        for side in range(1):
            least, most = _branch(sides, side, budgets, ways, ranges, criterion)
            limit = least_upper + floors.decrease + tied
            light = float(least)
            if criterion is not None:
                light, _ = _weights(sides, side, budgets, light, float(most), criterion)
            may_stop = light * impurity_range(criterion, ranges, side)[0] <= limit
    return least_upper, may_stop


@kernel
def affordable(splits: Any, chosen: Any, types: Any, budget: Any, least_upper: float, criterion: Any) -> Any:
    """Which of the chosen splits may cost no more than the least upper cost, within the tolerance for ties.

    Soundness
    ---------
    In any table of B(T) the learner takes an available split of least cost. A split that is sure to keep the
    rows of a leaf on both sides is available there and costs at most its upper cost; so the split that is
    taken costs at most the least upper cost, and its own lower cost is no larger. If there is no such split,
    all survive.
    """
    n_labels = types.measures.shape[2]
    ways = _ways_to_add(budget)
    flips, removals = budget.flips, budget.removals
    left, total, measures, additions = splits.left, splits.total, types.measures, splits.additions
    whole = _measure(total, measures)
    sides = np.empty((2, 4, n_labels), np.int64)
    ranges = np.empty((2, 2, n_labels), np.float64)
    limit = least_upper + tolerance(criterion, rows_in(total) + budget.additions)
    survives = np.empty(len(chosen), np.bool_)
    for c in range(len(chosen)):
        s = chosen[c]
        _measure_sides(left, s, measures, whole, sides)
        on_left, on_right, needed = additions[s, 0], additions[s, 1], np.int64(1)
        lower, _ = _cost(sides, flips, removals, on_left, on_right, ways, ranges, needed, criterion)
        survives[c] = lower <= limit and lower < np.inf
    return survives


@kernel
def _show(ranges: Any, side: int, c: int, possible: Any, low: Any, high: Any, criterion: Any) -> None:
    """Copy the ranges of a leaf, and mark each label whose upper end reaches the largest lower end."""
    tied = TIE_TOLERANCE
    if criterion is not None and not criterion.exact:
        tied = INEXACT_TOLERANCE
    largest = 0.0
    for i in range(ranges.shape[2]):
        low[c, side, i] = ranges[side, 0, i]
        high[c, side, i] = ranges[side, 1, i]
        largest = max(largest, ranges[side, 0, i])
    for i in range(ranges.shape[2]):
        possible[c, side, i] = high[c, side, i] > 0.0 and high[c, side, i] >= largest - tied


@kernel
def leaf_of_node(total: Any, types: Any, budget: Any, criterion: Any) -> Any:
    """What a node says as a leaf: labels and ranges, arrays of (1, 2, labels) with both sides alike."""
    n_labels = types.measures.shape[2]
    shape = (1, 2, n_labels)
    possible = np.empty(shape, np.bool_)
    low, high = np.empty(shape, np.float64), np.empty(shape, np.float64)
    sides = np.empty((2, 4, n_labels), np.int64)
    ranges = np.empty((2, 2, n_labels), np.float64)
    ways = _ways_to_add(budget)
    _put_whole(_measure(total, types.measures), sides)
    for side in range(2):
        _branch(sides, side, (budget.additions, budget.flips, budget.removals), ways, ranges, criterion)
        _show(ranges, side, 0, possible, low, high, criterion)
    return possible, low, high


@kernel
def leaves_of_splits(splits: Any, chosen: Any, types: Any, budget: Any, criterion: Any) -> Any:
    """What the two sides of the chosen splits say as leaves: labels and ranges, (chosen, 2, labels)."""
    n_labels = types.measures.shape[2]
    shape = (len(chosen), 2, n_labels)
    possible = np.empty(shape, np.bool_)
    low, high = np.empty(shape, np.float64), np.empty(shape, np.float64)
    ways = _ways_to_add(budget)
    flips, removals = budget.flips, budget.removals
    left, total, measures, additions = splits.left, splits.total, types.measures, splits.additions
    whole = _measure(total, measures)
    sides = np.empty((2, 4, n_labels), np.int64)
    ranges = np.empty((2, 2, n_labels), np.float64)
    for c in range(len(chosen)):
        s = chosen[c]
        _measure_sides(left, s, measures, whole, sides)
        for side in range(2):
            _branch(sides, side, (additions[s, side], flips, removals), ways, ranges, criterion)
            _show(ranges, side, c, possible, low, high, criterion)
    return possible, low, high
