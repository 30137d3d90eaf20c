"""Ranges of weighted shares and of weights, for the interval domain where labels have class weights.

Below `interval.py`, which asks it in the place of the ranges of proportions.
"""

from __future__ import annotations

from typing import Any

from everytree.learner.criterion.front import LEAST, MOST
from everytree.prove.counts import AWAY, OWN, REMOVABLE, TOWARDS
from everytree.support.kernels import inner_kernel

NONE, FREELY, BY_FLIP = 0, 1, 2
"""How rows may be added that carry a label: not at all, as they are, or only by a flip after the addition."""


@inner_kernel
def weighted_range(sides: Any, side: int, i: int, budgets: Any, ways: Any, weights: Any) -> Any:
    """Range of the share of a label in the weight of a branch, over all tables that leave it a row.

    With w_i between its least and its greatest value, c'_i between L and H, and O the weight of the other
    labels::

        lower = w_i L / (w_i L + O_high),     upper = w_i H / (w_i H + O_low)

    Soundness
    ---------
    w_i c / (w_i c + O) rises in w_i and c and falls in O. One addition, and one flip, raises O by at most the
    greatest weight of the others; one flip away from them, and one removal, lowers it by no more than that.
    """
    additions, flips, removals = budgets
    own = sides[side, OWN]
    away, towards = sides[side, AWAY], sides[side, TOWARDS, i]
    low_others, high_others, greatest, least_greatest = 0.0, 0.0, 0.0, 0.0
    others_away, others_removable = 0, 0
    for j in range(len(own)):
        if j != i:
            low_others += weights[LEAST, j] * own[j]
            high_others += weights[MOST, j] * own[j]
            greatest = max(greatest, weights[MOST, j])
            least_greatest = max(least_greatest, weights[LEAST, j])
            others_away += away[j]
            others_removable += sides[side, REMOVABLE, j]
    turned = min(flips, away[i] + additions + (others_away if len(own) > 2 else 0))
    added = additions if ways[0, i] != NONE or ways[1, i] != NONE else 0
    high_others += greatest * (turned + added)
    low_others -= least_greatest * (min(flips, others_away) + min(removals, others_removable))
    reached = weights[MOST, i] * (own[i] + min(flips, towards) + (added if ways[1, i] != NONE else 0))
    kept = own[i] - min(flips, away[i]) - min(removals, sides[side, REMOVABLE, i])
    low = weights[LEAST, i] * max(0, kept)
    low = low / (low + high_others) if low > 0 else 0.0
    if low_others <= 0:
        return low, 1.0 if reached > 0 else 0.0
    return low, reached / (reached + low_others)


@inner_kernel
def weight_range(sides: Any, side: int, budgets: Any, weights: Any) -> Any:
    """Least and greatest weight of a branch: a flip exchanges one weight for another."""
    additions, flips, removals = budgets
    low, high = 0.0, 0.0
    turned, gone = additions, 0
    for i in range(sides.shape[2]):
        low += weights[LEAST, i] * sides[side, OWN, i]
        high += weights[MOST, i] * sides[side, OWN, i]
        turned += sides[side, AWAY, i]
        gone += sides[side, REMOVABLE, i]
    least, most = weights[LEAST], weights[MOST]
    turned = min(flips, turned)
    low -= least.max() * min(removals, gone) + (least.max() - least.min()) * turned
    high += most.max() * additions + (most.max() - most.min()) * turned
    return max(0.0, low), high
