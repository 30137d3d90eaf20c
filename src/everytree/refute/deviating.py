"""Which changes may give a node another split than its usual ones, and which; compiled.

Below `every_table.py`, which follows people through the node only after such changes.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from everytree.learner.criterion.front import new_branches, score, stop_rows, tolerance, value
from everytree.support.kernels import kernel


@kernel
def deviating(criterion: Any, spot: Any, splits: Any, total: Any, usual: Any, changes: Any) -> Any:
    """Which split, other than its usual ones, each change may make the node take: the best of them.

    ``splits`` are (feature, low, left counts by label), among them all that a change may make the best;
    ``usual`` marks those that tie on T. -1: none; one more than there are: the node may stop.
    """
    feature, low, left = splits
    n_labels = left.shape[1]
    branches = new_branches(n_labels)
    own, sizes = branches.own, branches.size
    scores = np.empty(len(feature))
    counts = np.empty(n_labels, np.int64)
    found = np.full(len(changes), -1, np.int64)
    for c in range(len(changes)):
        counts[:] = total
        for k in range(changes.shape[1]):
            if changes[c, k, 0] >= 0:
                counts[spot.label[changes[c, k, 0]]] -= 1
                if changes[c, k, 1] >= 0:
                    counts[changes[c, k, 1]] += 1
        size = counts.sum()
        best = -np.inf
        for s in range(len(feature)):
            for i in range(n_labels):
                own[0, i] = left[s, i]
            for k in range(changes.shape[1]):
                r = changes[c, k, 0]
                if r >= 0 and spot.code[feature[s], r] <= low[s]:
                    own[0, spot.label[r]] -= 1
                    if changes[c, k, 1] >= 0:
                        own[0, changes[c, k, 1]] += 1
            sizes[0] = 0.0
            for i in range(n_labels):
                own[1, i] = counts[i] - own[0, i]
                sizes[0] += own[0, i]
            sizes[1] = size - sizes[0]
            scores[s] = -np.inf
            if 0 < sizes[0] < size:
                scores[s] = score(criterion, branches)
                best = max(best, scores[s])
        tied_by = tolerance(criterion, size)
        if (
            best == -np.inf
            or counts.max() == size
            or (size >= stop_rows(criterion) and best - value(criterion, counts) <= 2 * tied_by)
        ):
            found[c] = len(feature)
        highest = best - tied_by
        for s in range(len(feature)):
            if not usual[s] and scores[s] >= highest:
                found[c], highest = s, scores[s]
    return found
