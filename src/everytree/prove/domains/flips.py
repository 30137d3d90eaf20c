"""The relational domain where only labels change, by Gini: the best split has the longest of some vectors.

Beside the bounds that hold for every act and criterion (`relational.py`, `atoms.py`), in whose place it
stands where it can: it is linear, or nearly, so it drops far more splits of nearly pure nodes.

Flips leave the sizes of branches as they are. With n_L and n_R of a node's N rows on the sides of a split,
c_L and c_R their label counts, the score is that of the node plus the squared length of a vector::

    G = g(c_L + c_R) + |h|^2,    h = sqrt(n_L n_R / N) (c_L / n_L - c_R / n_R)

which is *linear* in the flips: one from label i to j on the left adds sqrt(n_L n_R / N) / n_L (e_j - e_i).
The node's own value is the same for all splits, so the learner takes a split with the longest h.

Challenger from below: |h_psi| >= u . h_psi for every u of length 1; u is the direction of h_psi on T.

Candidate from above. Two labels: h lies on a line, so |h| is s h . (-1, 1) / sqrt(2) for a sign s; both signs
are looked at, each by itself, and nothing is lost. More labels: with B flips at most, f_a of sort a, which
adds d_a, the length of h + sum_a f_a d_a is at most |h| + sum_a f_a (|h + B d_a| - |h|) / B, since the length
is convex and the f_a sum to at most B.

So for each way to look at a candidate (a sign; more labels have one way) its lead over a challenger, as a
difference of lengths, is at most linear in the flips, and `atoms.py` finds the largest.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from everytree.learner.criterion.front import new_branches
from everytree.learner.criterion.shared import TIE_TOLERANCE
from everytree.prove.counts import rows_in
from everytree.prove.domains.relational import allowed_flips, count_labels, reach_of
from everytree.support.kernels import bare_kernel, inner_kernel, kernel

WAYS = 2
"""Ways to look at a candidate: the signs of two labels. More labels have the first one only."""

ROUNDING = 1e-12
"""Rounding of lengths, in parts of the square root of the rows: what is computed is smaller by far."""


@bare_kernel
def candidate_length(branches: Any, way: int, most: float) -> Any:
    """Length of a candidate's vector on T; ``branches.flip`` receives how much a flip adds to it at most.

    With two labels it is the length with the sign of the given way, and exact. `most` is B.
    """
    own, size, slope = branches.own, branches.size, branches.flip
    n_labels = own.shape[1]
    weight = np.sqrt(size[0] * size[1] / (size[0] + size[1]))
    square = 0.0
    for i in range(n_labels):
        part = weight * (own[0, i] / size[0] - own[1, i] / size[1])
        square += part * part
    length = np.sqrt(square)
    sign = 1.0 - 2.0 * way
    for side in range(2):
        step = weight / size[side] if side == 0 else -weight / size[side]
        for i in range(n_labels):
            for j in range(n_labels):
                if n_labels == 2:
                    slope[side, i, j] = np.sqrt(2.0) * step * (j - i) * sign
                    continue
                apart = weight * ((own[0, j] - own[0, i]) / size[0] - (own[1, j] - own[1, i]) / size[1])
                # |h + B d|^2 - |h|^2 = B (2 h.d + B |d|^2), by the sum of both lengths: nothing cancels
                bent = 2.0 * step * apart + 2.0 * most * step * step
                both = length + np.sqrt(max(0.0, square + most * bent))
                slope[side, i, j] = bent / both if i != j and both > 0 else 0.0
    if n_labels == 2:
        return np.sqrt(2.0) * weight * (own[0, 1] / size[0] - own[1, 1] / size[1]) * sign
    return length


@inner_kernel
def challenger_length(branches: Any, price: Any) -> Any:
    """Length of a challenger's vector on T, and the longest step; ``price[side, i, j]`` is what a flip adds.

    That is the part of its step that lies in the direction of the vector on T.
    """
    own, size = branches.own, branches.size
    n_labels = own.shape[1]
    weight = np.sqrt(size[0] * size[1] / (size[0] + size[1]))
    length = 0.0
    for i in range(n_labels):
        part = weight * (own[0, i] / size[0] - own[1, i] / size[1])
        length += part * part
    length = np.sqrt(length)
    for side in range(2):
        step = weight / size[side] if side == 0 else -weight / size[side]
        for i in range(n_labels):
            for j in range(n_labels):
                apart = weight * ((own[0, j] - own[0, i]) / size[0] - (own[1, j] - own[1, i]) / size[1])
                price[side, i, j] = step * apart / length if length > 0 else 0.0
    return length, np.sqrt(2.0) * weight / min(size[0], size[1])


@bare_kernel
def slack_of(rows: float, flips: float, length: float, step: float) -> Any:
    """By how much a split that is taken may be shorter than a challenger: ties and rounding.

    Soundness
    ---------
    Let e be the tolerance for ties. A split that is taken has |h_phi|^2 >= |h_psi|^2 - e. Where
    d = |h_psi| - |h_phi| is positive, d (|h_psi| + |h_phi|) <= e. The bracket is at least d, so d <= sqrt(e).
    It is also at least 2 |h_phi|, and |h_phi| >= |h_psi| - sqrt(e), where the challenger keeps a length of at
    least L, its length on T less l of the longest steps: d <= e / (2 (L - sqrt(e))) where that is positive.
    """
    tied = TIE_TOLERANCE * rows
    coarse = np.sqrt(tied)
    least = length - flips * step - coarse
    slack = min(coarse, tied / (2.0 * least)) if least > 0 else coarse
    return slack + ROUNDING * np.sqrt(rows)


@kernel
def loose_margins(splits: Any, types: Any, budget: Any, psi: int, wanted: Any) -> Any:
    """How far the wanted splits may get ahead of psi, in each way, without caps: below 0, they never do.

    Every flip is priced at the best cell for it. Also gives how far they are ahead on T, and the margin of
    the node without a split.
    """
    left, total, label = splits.left, splits.total, types.label
    n_labels = types.measures.shape[2]
    branches = new_branches(n_labels)
    own, slope = branches.own, branches.flip
    price = np.empty((2, n_labels, n_labels), np.float64)
    allowed = allowed_flips(total, types, budget)
    most = float(reach_of(total, types, budget).most)
    count_labels(left, total, psi, label, branches)
    length, step = challenger_length(branches, price)
    slack = slack_of(float(rows_in(total)), most, length, step)
    dearest = np.empty((n_labels, n_labels), np.float64)
    unsplit = 0.0
    for i in range(n_labels):
        for j in range(n_labels):
            dearest[i, j] = -min(price[0, i, j], price[1, i, j])
            if allowed[i, j]:
                unsplit = max(unsplit, dearest[i, j])
    margin = np.full((len(wanted), WAYS), -np.inf)
    ahead = np.full((len(wanted), WAYS), -np.inf)
    for w in range(len(wanted)):
        count_labels(left, total, wanted[w], label, branches)
        for way in range(WAYS if n_labels == 2 else 1):
            ahead[w, way] = candidate_length(branches, way, most) - length + slack
            best = 0.0
            for side in range(2):
                for i in range(n_labels):
                    if own[side, i] == 0:
                        continue
                    for j in range(n_labels):
                        if allowed[i, j]:
                            best = max(best, slope[side, i, j] + dearest[i, j])
            margin[w, way] = ahead[w, way] + most * best
    return margin, ahead, most * unsplit - length + slack
