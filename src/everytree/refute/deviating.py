"""Which changes may give a node another split than its usual ones, and which; compiled.

Below `every_table.py`, which follows people through the node only after such changes.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from everytree.learner.criterion.front import joined, raised, stop_rows, summed, tolerance, value
from everytree.support.kernels import kernel


@kernel
def deviating(
    criterion: Any, spot: Any, splits: Any, total: Any, usual: Any, step: float, numbers: Any, changes: Any
) -> Any:
    """Which split, other than its usual ones, each change may make the node take: the best of them.

    ``splits`` are (feature, low, left counts by label), among them all that a change may make the best;
    ``usual`` marks those that tie on T. In ``changes[c]`` rows come before places that are not used. -1:
    none; one more than there are: the node may stop. Also gives how many scores were computed.

    Soundness
    ---------
    A change of a row moves no score by more than ``step``. Splits come in the order of their scores on T; as
    soon as one cannot come within the tolerance of the best score after the change, none after it can.
    """
    feature, low, left = splits
    label = spot.label
    own = np.empty((len(left), 2, left.shape[1]), np.int64)
    own[:, 0], own[:, 1] = left, total - left
    n_left, size = own[:, 0].sum(axis=1), total.sum()
    sums, scores, before = np.empty((len(left), 2)), np.empty(len(left)), np.empty(len(left))
    for s in range(len(left)):
        for side in range(2):
            sums[s, side] = summed(criterion, numbers, own[s, side])
        before[s] = joined(criterion, numbers, sums[s, 0], n_left[s], sums[s, 1], size - n_left[s])
    order, slack, work = np.argsort(-before), 2 * tolerance(criterion, size), len(left)
    counts, found = np.empty(len(total), np.int64), np.full(len(changes), -1, np.int64)
    for c in range(len(changes)):
        counts[:] = total
        n_changed = 0
        while n_changed < changes.shape[1] and changes[c, n_changed, 0] >= 0:
            counts[spot.label[changes[c, n_changed, 0]]] -= 1
            if changes[c, n_changed, 1] >= 0:
                counts[changes[c, n_changed, 1]] += 1
            n_changed += 1
        size = counts.sum()
        best, scored = -np.inf, 0
        for s in order:
            if before[s] + n_changed * step < best - slack:
                break
            j, last, n_here = feature[s], low[s], n_left[s]
            of_left, of_right = sums[s, 0], sums[s, 1]
            for k in range(n_changed):
                r, new = changes[c, k, 0], changes[c, k, 1]
                side = 0 if spot.code[j, r] <= last else 1
                own[s, side, label[r]] -= 1
                rise = -raised(criterion, numbers, own[s, side, label[r]])
                if new >= 0:
                    rise += raised(criterion, numbers, own[s, side, new])
                    own[s, side, new] += 1
                elif side == 0:
                    n_here -= 1
                if side == 0:
                    of_left += rise
                else:
                    of_right += rise
            for k in range(n_changed):  # as it was
                r, new = changes[c, k, 0], changes[c, k, 1]
                side = 0 if spot.code[j, r] <= last else 1
                own[s, side, label[r]] += 1
                if new >= 0:
                    own[s, side, new] -= 1
            scores[s] = -np.inf
            if 0 < n_here < size:
                scores[s] = joined(criterion, numbers, of_left, n_here, of_right, size - n_here)
                best = max(best, scores[s])
            scored += 1
        work += scored
        tied_by = tolerance(criterion, size)
        if (
            best == -np.inf
            or counts.max() == size
            or (size >= stop_rows(criterion) and best - value(criterion, counts) <= 2 * tied_by)
        ):
            found[c] = len(feature)
        highest = best - tied_by
        for s in order[:scored]:
            if not usual[s] and scores[s] >= highest:
                found[c], highest = s, scores[s]
    return found, work
