"""Scores of the splits of a node, as it is and after changes of its labels; compiled.

Below `tied_ways.py`, which follows people through the node. Splits are scored once; after a change only those
are scored again that it may make the best.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from everytree.learner.criterion.front import joined, raised, score, summed
from everytree.prove.views import LARGEST
from everytree.support.kernels import inner_kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Rivals(NamedTuple):
    """The splits of a node that a change may make the best.

    Columns, last codes on the left, rows there, their labels, and the scores before and after a change. What
    it takes to send people to a side is filled in when somebody is to be sent: the threshold, and the side of
    people without a value where no row lacks one, else -1. ``cut`` numbers the ways in which they divide the
    rows: -1 while that was not looked for. ``scores[j, k]`` is the score with k rows on the left; ``numbers``
    are what scores are computed with (`lookup`).
    """

    column: NDArray[np.int32]
    low: NDArray[np.int32]
    n_left: NDArray[np.int64]
    left: NDArray[np.int32]
    before: NDArray[np.float64]
    after: NDArray[np.float64]
    threshold: NDArray[np.float64]
    without: NDArray[np.int64]
    cut: NDArray[np.int64]
    scores: NDArray[np.float64]
    numbers: NDArray[np.float64]


def rivals_for(code: NDArray[np.int32], n_labels: int, numbers: NDArray[np.float64]) -> Rivals:
    """Make room for all splits of a node."""
    most = code.size
    column, low = np.empty(most, np.int32), np.empty(most, np.int32)
    n_left, without, cut = (np.empty(most, np.int64) for _ in range(3))
    before, after, threshold = (np.empty(most) for _ in range(3))
    left, scores = np.empty((most, n_labels), np.int32), np.empty((len(code), code.shape[1] + 1))
    return Rivals(column, low, n_left, left, before, after, threshold, without, cut, scores, numbers)


@inner_kernel
def score_all(
    criterion: Any, code: Any, label: Any, live: Any, size: int, counts: Any, branches: Any, rivals: Any
) -> float:
    """Score every split of a node, by the rows on its left; gives the best score."""
    own, sizes, numbers = branches.own, branches.size, rivals.numbers
    left = np.empty(len(counts), np.int64)
    of_node = summed(criterion, numbers, counts)
    best = -np.inf
    for j in range(len(code)):
        of_left, of_right = summed(criterion, numbers, left[:0]), of_node
        left[:] = 0
        for k in range(1, size):
            before = live[j, k - 1]
            i = label[before]
            of_left += raised(criterion, numbers, left[i])
            left[i] += 1
            of_right -= raised(criterion, numbers, counts[i] - left[i])
            rivals.scores[j, k] = -np.inf
            if code[j, live[j, k]] == code[j, before]:
                continue
            if criterion is None:  # whole numbers: a long column adds no rounding
                here = joined(criterion, numbers, of_left, k, of_right, size - k)
            else:
                sizes[0], sizes[1] = k, size - k
                for i in range(len(counts)):
                    own[0, i], own[1, i] = left[i], counts[i] - left[i]
                here = score(criterion, branches)
            rivals.scores[j, k] = here
            best = max(best, here)
    return best


@inner_kernel
def list_rivals(code: Any, label: Any, live: Any, size: int, n_labels: int, least: float, rivals: Any) -> int:
    """List the splits that score at least so much, with the labels on their left; says how many."""
    found = 0
    left = np.empty(n_labels, np.int32)
    for j in range(len(code)):
        left[:] = 0
        for k in range(1, size):
            left[label[live[j, k - 1]]] += 1
            if rivals.scores[j, k] >= least:
                rivals.column[found], rivals.low[found] = j, code[j, live[j, k - 1]]
                rivals.n_left[found], rivals.before[found] = k, rivals.scores[j, k]
                rivals.cut[found] = -1
                for i in range(n_labels):
                    rivals.left[found, i] = left[i]
                found += 1
    return found


@inner_kernel
def score_changed(
    criterion: Any,
    spot: Any,
    rivals: Any,
    n_rivals: int,
    change: Any,
    kinds: Any,
    size: int,
    reach: float,
    slack: float,
    branches: Any,
) -> Any:
    """Score rivals after a change of labels of the present node; gives the best score.

    Soundness
    ---------
    A change moves no score by more than ``reach`` (`largest_step` for each of its rows, as each lies on one
    side of a split). So a split that is further than that below the best score found so far, and the slack
    for rounding, is neither the best nor tied with it: its score is left at minus infinity. The best one
    before comes first, so that most are.
    """
    own, sizes, counts = branches.own, branches.size, kinds.changed
    best, first = -np.inf, int(np.argmax(rivals.before[:n_rivals]))
    for turn in range(-1, n_rivals):
        s = first if turn < 0 else turn
        if turn == first:
            continue
        rivals.after[s] = -np.inf
        if rivals.before[s] + reach < best - slack:
            continue
        for i in range(len(counts)):
            own[0, i] = rivals.left[s, i]
        j, low = rivals.column[s], rivals.low[s]
        for k in range(len(change)):
            r = change[k, 0]
            if r >= 0 and kinds.inside[r] == kinds.marks[0] and spot.code[j, r] <= low:
                own[0, spot.label[r]] -= 1
                own[0, change[k, 1]] += 1
        for i in range(len(counts)):
            own[1, i] = counts[i] - own[0, i]
        sizes[0] = rivals.n_left[s]
        sizes[1] = size - sizes[0]
        rivals.after[s] = score(criterion, branches)
        best = max(best, rivals.after[s])
    return best


@inner_kernel
def cut_of(columns: Any, code: Any, live: Any, size: int, s: int, rivals: Any, cuts: Any, n_cuts: int) -> int:
    """The way in which a split divides the rows: its number among the cuts; one that is new is added.

    Its threshold is the midpoint of the gap between the rows that are there. People without a value go where
    more rows are, if no row lacks one (`prove/views.py`).
    """
    if rivals.cut[s] >= 0:
        return int(rivals.cut[s])
    j, k = rivals.column[s], rivals.n_left[s]
    start = columns.starts[j]
    first = columns.values[start + code[j, live[j, 0]]]
    last = columns.values[start + code[j, live[j, size - 1]]]
    rivals.without[s] = -1
    if not np.isinf(first) and not np.isinf(last):
        rivals.without[s] = 0 if 2 * k > size else 1
    low, high = columns.values[start + code[j, live[j, k - 1]]], columns.values[start + code[j, live[j, k]]]
    # np.float64 first: the learner halves in double precision
    rivals.threshold[s] = min(np.float64(low) / 2 + np.float64(high) / 2, LARGEST)
    at = 0
    while at < n_cuts and not _same_rows(code, live, size, rivals, int(cuts[at]), s):
        at += 1
    if at < len(cuts):
        cuts[at] = s if at == n_cuts else cuts[at]
        rivals.cut[s] = at
    return at


@inner_kernel
def _same_rows(code: Any, live: Any, size: int, rivals: Any, one: int, other: int) -> bool:
    """Whether two splits have the same rows on their left."""
    if rivals.n_left[one] != rivals.n_left[other]:
        return False
    j, low = rivals.column[one], rivals.low[one]
    i = rivals.column[other]
    for k in range(size):  # noqa: SIM110 (compiled)
        if (code[j, live[i, k]] <= low) != (k < rivals.n_left[other]):
            return False
    return True


@inner_kernel
def side_of(x: Any, s: int, rivals: Any) -> int:
    """To which side a split sends somebody."""
    here = x[rivals.column[s]]
    if rivals.without[s] >= 0 and np.isinf(here):
        return int(rivals.without[s])
    return 0 if here <= rivals.threshold[s] else 1
