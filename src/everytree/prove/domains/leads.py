"""Leads: what a candidate has over a challenger on T, and what each act adds to that at most.

Half of the relational bound, read by the atoms and by gains: scores and their slopes (`relational.py`), or,
where only labels change, lengths (`flips.py`).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from everytree.bias.acts import ADD
from everytree.learner.criterion.front import new_branches, slopes, tolerance
from everytree.prove.counts import rows_in
from everytree.prove.domains import flips
from everytree.prove.domains.relational import count_labels, tangent_of
from everytree.support.kernels import inner_kernel


class Prices(NamedTuple):
    """What one act adds to the challenger's side of a comparison: a row with a label more, or a flip."""

    row: Any
    flip: Any


@inner_kernel
def challenger(splits: Any, psi: int, types: Any, reach: Any, criterion: Any, by_length: Any) -> Any:
    """Prices of acts for a challenger, what it has on T, and how far a split that is taken may be behind."""
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
def candidate(branches: Any, way: int, reach: Any, criterion: Any, by_length: Any, score: float) -> Any:
    """Find the slopes of a candidate whose labels are counted; gives what it has on T."""
    if by_length is None:
        if reach.most > 0:
            slopes(criterion, branches, reach)
        return score
    return flips.candidate_length(branches, way, float(reach.most))
