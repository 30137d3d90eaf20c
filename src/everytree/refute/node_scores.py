"""Scores of the splits of a node, as it is and after changes of its labels; compiled.

Below `tied_ways.py`, which follows people through the node. Splits are scored once; after a change only those
are scored again that it may make the best.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from everytree.learner.criterion.front import joined, raised, score, summed
from everytree.support.kernels import bare_kernel, part_of_kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Rivals(NamedTuple):
    """The splits of a node that a change may make the best.

    Columns, last codes on the left and first ones on the right, rows on the left, their labels, sums of the
    squared counts of labels on both sides, and the scores before and after a change. What it takes to send
    people to a side is filled in when somebody is to be sent: the threshold, and the side of people without a
    value where no row lacks one, else -1. ``cut`` numbers the ways in which they divide the rows: -1 while
    that was not looked for.

    Of each column, ``top[j]`` is the best score, ``ends[j]`` the least and the largest code that is there.
    ``scores[q, k]`` is the score with k rows on the left of the q-th column that is listed. Of columns that
    are counted, ``tally`` has the labels of each code, zeros outside the ends, and ``at_code`` the score
    behind it. ``numbers`` are what scores are computed with (`lookup`), ``so_far`` has room for labels.
    """

    column: NDArray[np.int32]
    low: NDArray[np.int32]
    high: NDArray[np.int32]
    n_left: NDArray[np.int64]
    left: NDArray[np.int32]
    squares: NDArray[np.float64]
    before: NDArray[np.float64]
    after: NDArray[np.float64]
    threshold: NDArray[np.float64]
    without: NDArray[np.int64]
    cut: NDArray[np.int64]
    top: NDArray[np.float64]
    ends: NDArray[np.int64]
    scores: NDArray[np.float64]
    at_code: NDArray[np.float64]
    tally: NDArray[np.int64]
    numbers: NDArray[np.float64]
    so_far: NDArray[np.int64]


def rivals_for(spot: Any, n_labels: int, numbers: NDArray[np.float64]) -> Rivals:
    """Make room for all splits of a node."""
    n_rows, n_codes = len(spot.label), int(spot.begins[-1])
    most = n_codes + len(spot.listed) * n_rows
    column, low, high = (np.empty(most, np.int32) for _ in range(3))
    n_left, without, cut = (np.empty(most, np.int64) for _ in range(3))
    before, after, threshold = (np.empty(most) for _ in range(3))
    left, top, ends = (
        np.empty((most, n_labels), np.int32),
        np.empty(len(spot.code)),
        np.zeros((len(spot.code), 2), np.int64),
    )
    scores, at_code = np.empty((len(spot.listed), n_rows + 1)), np.empty(n_codes)
    tally = np.zeros((n_codes, n_labels), np.int64)
    splits = column, low, high, n_left, left, np.empty((most, 2)), before, after, threshold, without, cut
    return Rivals(*splits, top, ends, scores, at_code, tally, numbers, np.empty(n_labels, np.int64))


@bare_kernel
def score_all(
    criterion: Any, spot: Any, label: Any, live: Any, size: int, counts: Any, branches: Any, rivals: Any
) -> float:
    """Score every split of a node, column by column; gives the best score."""
    best = -np.inf
    for j in range(len(spot.code)):
        if spot.begins[j] < spot.begins[j + 1]:
            _score_counted(criterion, spot, j, label, live[0], size, counts, branches, rivals)
            best = max(best, rivals.top[j])
    for q in range(len(spot.listed)):
        _score_listed(criterion, spot, q, label, live[q + 1], size, counts, branches, rivals)
        best = max(best, rivals.top[spot.listed[q]])
    return best


@bare_kernel
def _score_counted(
    criterion: Any,
    spot: Any,
    j: int,
    label: Any,
    rows: Any,
    size: int,
    counts: Any,
    branches: Any,
    rivals: Any,
) -> None:
    """Score the splits of a column with few values, from the labels of each value."""
    code, begin, numbers = spot.code[j], spot.begins[j], rivals.numbers
    own, sizes, tally, ends = branches.own, branches.size, rivals.tally, rivals.ends[j]
    n_labels = len(counts)
    for c in range(begin + ends[0], begin + ends[1] + 1):  # those of the node before
        for i in range(n_labels):
            tally[c, i] = 0
    least = most = code[rows[0]]
    for k in range(size):
        r = rows[k]
        tally[begin + code[r], label[r]] += 1
        least, most = min(least, code[r]), max(most, code[r])
    ends[0], ends[1] = least, most
    rivals.top[j] = -np.inf
    if least == most:
        return
    top, last, n_left = -np.inf, begin + least, 0
    of_left, of_right = 0.0, 0.0  # sums of squares
    for i in range(n_labels):
        n_left += tally[last, i]
        own[0, i], own[1, i] = tally[last, i], counts[i] - tally[last, i]
        of_left, of_right = of_left + own[0, i] ** 2, of_right + own[1, i] ** 2
    for c in range(last + 1, begin + most + 1):
        here = 0
        for i in range(n_labels):
            here += tally[c, i]
        if here == 0:
            continue
        if criterion is None:  # whole numbers: a long column adds no rounding
            rivals.at_code[last] = joined(criterion, numbers, of_left, n_left, of_right, size - n_left)
        else:
            sizes[0], sizes[1] = n_left, size - n_left
            rivals.at_code[last] = score(criterion, branches)
        top = max(top, rivals.at_code[last])
        for i in range(n_labels):
            more = tally[c, i]
            of_left, of_right = (
                of_left + more * (2 * own[0, i] + more),
                of_right - more * (2 * own[1, i] - more),
            )
            own[0, i] += more
            own[1, i] -= more
        n_left += here
        last = c
    rivals.top[j] = top


@bare_kernel
def _score_listed(
    criterion: Any,
    spot: Any,
    q: int,
    label: Any,
    rows: Any,
    size: int,
    counts: Any,
    branches: Any,
    rivals: Any,
) -> None:
    """Score the splits of a column with many values, by the rows on its left."""
    j = spot.listed[q]
    code, own, sizes, numbers = spot.code[j], branches.own, branches.size, rivals.numbers
    left = rivals.so_far
    for i in range(len(counts)):
        left[i] = 0
    of_left, of_right = summed(criterion, numbers, left), summed(criterion, numbers, counts)
    top = -np.inf
    for k in range(1, size):
        before = rows[k - 1]
        i = label[before]
        of_left += raised(criterion, numbers, left[i])
        left[i] += 1
        of_right -= raised(criterion, numbers, counts[i] - left[i])
        rivals.scores[q, k] = -np.inf
        if code[rows[k]] == code[before]:
            continue
        if criterion is None:  # whole numbers: a long column adds no rounding
            here = joined(criterion, numbers, of_left, k, of_right, size - k)
        else:
            sizes[0], sizes[1] = k, size - k
            for i in range(len(counts)):
                own[0, i], own[1, i] = left[i], counts[i] - left[i]
            here = score(criterion, branches)
        rivals.scores[q, k] = here
        top = max(top, here)
    rivals.ends[j, 0], rivals.ends[j, 1] = code[rows[0]], code[rows[size - 1]]
    rivals.top[j] = top


@bare_kernel
def list_rivals(spot: Any, label: Any, live: Any, size: int, counts: Any, least: float, rivals: Any) -> int:
    """List the splits that score at least so much, with the labels on their left; says how many."""
    found, n_labels, left = 0, len(counts), rivals.so_far
    for j in range(len(spot.code)):
        begin = spot.begins[j]
        if begin == spot.begins[j + 1] or rivals.top[j] < least:
            continue
        left[:] = 0
        last, n_left = -1, 0
        for c in range(begin + rivals.ends[j, 0], begin + rivals.ends[j, 1] + 1):
            here = 0
            for i in range(n_labels):
                here += rivals.tally[c, i]
            if here == 0:
                continue
            if last >= 0 and rivals.at_code[last] >= least:
                _note(rivals, found, j, last - begin, c - begin, n_left, left, counts, rivals.at_code[last])
                found += 1
            for i in range(n_labels):
                left[i] += rivals.tally[c, i]
            n_left += here
            last = c
    for q in range(len(spot.listed)):
        j, rows = spot.listed[q], live[q + 1]
        if rivals.top[j] < least:
            continue
        left[:] = 0
        for k in range(1, size):
            left[label[rows[k - 1]]] += 1
            if rivals.scores[q, k] >= least:
                low, high = spot.code[j, rows[k - 1]], spot.code[j, rows[k]]
                _note(rivals, found, j, low, high, k, left, counts, rivals.scores[q, k])
                found += 1
    return found


@part_of_kernel
def _note(
    rivals: Any, at: int, j: int, low: int, high: int, n_left: int, left: Any, counts: Any, scored: float
) -> None:
    """Put a split among the rivals."""
    rivals.column[at], rivals.low[at], rivals.high[at] = j, low, high
    rivals.n_left[at], rivals.before[at], rivals.cut[at] = n_left, scored, -1
    rivals.squares[at, 0] = rivals.squares[at, 1] = 0.0
    for i in range(len(left)):
        rivals.left[at, i] = left[i]
        rivals.squares[at, 0] += float(left[i]) ** 2
        rivals.squares[at, 1] += float(counts[i] - left[i]) ** 2


@bare_kernel
def score_changed(
    criterion: Any,
    spot: Any,
    rivals: Any,
    n_rivals: int,
    first: int,
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
    before comes ``first``, so that most are.
    """
    own, sizes, counts = branches.own, branches.size, kinds.changed
    best = -np.inf
    for turn in range(-1, n_rivals):
        s = first if turn < 0 else turn
        if turn == first:
            continue
        rivals.after[s] = -np.inf
        if rivals.before[s] + reach < best - slack:
            continue
        if criterion is None:
            rivals.after[s] = _flipped(spot, rivals, s, change, kinds, size)
            best = max(best, rivals.after[s])
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


@part_of_kernel
def _flipped(spot: Any, rivals: Any, s: int, change: Any, kinds: Any, size: int) -> Any:
    """Gini's score of a split after flips, from the squares before: as in `deviating_by_flips`."""
    j, low, left = rivals.column[s], rivals.low[s], rivals.left[s]
    of_left, of_right = rivals.squares[s, 0], rivals.squares[s, 1]
    for k in range(len(change)):
        r, new = change[k, 0], change[k, 1]
        if r < 0 or kinds.inside[r] != kinds.marks[0]:
            continue
        old, on_left = spot.label[r], spot.code[j, r] <= low
        rise = 2 * (left[new] - left[old]) + 2
        if not on_left:
            rise = 2 * (kinds.counts[new] - kinds.counts[old]) - rise + 4
        for m in range(k):
            row, to = change[m, 0], change[m, 1]
            if row >= 0 and kinds.inside[row] == kinds.marks[0] and (spot.code[j, row] <= low) == on_left:
                was = spot.label[row]
                rise += 2 * (int(new == to) + int(old == was) - int(new == was) - int(old == to))
        if on_left:
            of_left += rise
        else:
            of_right += rise
    return joined(None, rivals.numbers, of_left, rivals.n_left[s], of_right, size - rivals.n_left[s])
