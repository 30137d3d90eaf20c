"""Test people against splits: who may go to which side, and what the last level of splits tells them.

Knows people only by number. The walk uses it to share every node among all the people who may get there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from everytree.prove.views import LARGEST
from everytree.support.kernels import inner_kernel, kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from everytree.prove.counts import Columns, Splits


class Tally(NamedTuple):
    """What is known of each person so far: labels seen, and the ranges of proportions over the leaves."""

    possible: NDArray[np.bool_]
    low: NDArray[np.float64]
    high: NDArray[np.float64]


class Leaves(NamedTuple):
    """What the two sides of each of some splits can say: arrays of (splits, 2, labels)."""

    possible: NDArray[np.bool_]
    low: NDArray[np.float64]
    high: NDArray[np.float64]


class Cuts(NamedTuple):
    """Where some splits may send a person: left iff value <= ``left``, right iff value > ``right``.

    The two differ where the learner's threshold is not known exactly; a value between them goes both ways.
    """

    feature: NDArray[np.int32]
    left: NDArray[np.float64]
    right: NDArray[np.float64]


def empty_tally(n_people: int, n_labels: int) -> Tally:
    """Make the tally before anything is known: no label, empty ranges."""
    shape = (n_people, n_labels)
    return Tally(np.zeros(shape, np.bool_), np.ones(shape), np.zeros(shape))


def cut_splits(columns: Columns, splits: Splits, chosen: NDArray[np.int64], exact: bool) -> Cuts:
    """Say where the chosen splits of a node may send a person.

    With `exact`, at the midpoint of the split's gap (a, b), where scikit-learn puts its threshold; only
    allowed where no row can be added. Otherwise the threshold is anywhere in the gap, so a person goes left
    if the value is less than b and right if it is more than a. Infinite values stand for what is missing:
    every value is on the other side of such a gap.

    Soundness
    ---------
    Removals may widen a gap of the smaller table over several gaps of the node. Those all cut the smaller
    table in the same way, so they tie and survive together; the midpoint of the wide gap is at least that
    of its first part and at most that of its last, so wherever the learner sends a person, one of the parts
    sends the person there as well.
    """
    feature = splits.feature[chosen]
    start, stop = columns.starts[feature], columns.starts[feature + 1]
    low, high = start + splits.low[chosen], start + splits.high[chosen]
    right = np.where(low >= start, columns.values[np.maximum(low, start)].astype(np.float64), -np.inf)
    left = np.where(high < stop, columns.values[np.minimum(high, stop - 1)].astype(np.float64), np.inf)
    if exact:
        middle = np.minimum(right / 2 + left / 2, LARGEST)
        return Cuts(feature, middle, middle)
    return Cuts(feature, np.nextafter(left, -np.inf), right)


@kernel
def note_leaf(people: Any, leaves: Any, tally: Any) -> None:
    """Let every one of `people` reach the left side of the first (only) entry of `leaves`."""
    for side in range(1):
        for p in people:
            _join(leaves, side, side, tally, p)


@inner_kernel
def _join(leaves: Any, s: int, side: int, tally: Any, p: int) -> None:
    for i in range(tally.possible.shape[1]):
        if leaves.possible[s, side, i]:
            tally.possible[p, i] = True
        tally.low[p, i] = min(tally.low[p, i], leaves.low[s, side, i])
        tally.high[p, i] = max(tally.high[p, i], leaves.high[s, side, i])


def note_unseen(people: NDArray[np.int32], expected: NDArray[np.int64], tally: Tally) -> None:
    """Note that people reach leaves that give the expected label, whatever shares these have."""
    tally.possible[people, expected[people]] = True
    tally.low[people], tally.high[people] = 0.0, 1.0


@inner_kernel
def _absorb(leaves: Any, s: int, other: int, side: int) -> None:
    for i in range(leaves.possible.shape[2]):
        if leaves.possible[other, side, i]:
            leaves.possible[s, side, i] = True
        leaves.low[s, side, i] = min(leaves.low[s, side, i], leaves.low[other, side, i])
        leaves.high[s, side, i] = max(leaves.high[s, side, i], leaves.high[other, side, i])


@inner_kernel
def _first_not_below(ordered: Any, begin: int, end: int, value: float) -> int:
    """First position from `begin` to `end` whose entry is at least `value`; `end` if there is none."""
    while begin < end:
        middle = (begin + end) // 2
        if ordered[middle] < value:
            begin = middle + 1
        else:
            end = middle
    return begin


@kernel
def note_leaves(cuts: Any, leaves: Any, people: Any, X: Any, tally: Any) -> None:
    """Tell every person the leaves below some splits that they may reach.

    The splits of one column stand in order, so those that may send a person left are a tail of the list and
    those that may send the person right are a head. Joining the leaves over all tails and heads first makes
    the cost (splits) + (people), not their product. `leaves` is overwritten with the joined ones.
    `X` holds the people as columns: ``X[j, p]``.
    """
    begin: Any = np.int64(0)
    n_splits = len(cuts.feature)
    while begin < n_splits:
        j = cuts.feature[begin]
        end = begin
        while end < n_splits and cuts.feature[end] == j:
            end += 1
        for side in range(2):
            for k in range(1, end - begin):
                s = end - 1 - k if side == 0 else begin + k
                _absorb(leaves, s, s + 1 if side == 0 else s - 1, side)
        for p in people:
            value = X[j, p]
            for side in range(2):
                if side == 0:
                    s = _first_not_below(cuts.left, begin, end, value)
                else:
                    s = _first_not_below(cuts.right, begin, end, value) - 1
                if begin <= s < end:
                    _join(leaves, s, side, tally, p)
        begin = end


@kernel
def await_children(cuts: Any, people: Any, X: Any, awaited: Any) -> None:
    """Add to each of `people` the number of sides of the cuts where that person may come."""
    begin: Any = np.int64(0)
    n_splits = len(cuts.feature)
    while begin < n_splits:
        j = cuts.feature[begin]
        end = begin
        while end < n_splits and cuts.feature[end] == j:
            end += 1
        for p in people:
            value = X[j, p]
            awaited[p] += end - _first_not_below(cuts.left, begin, end, value)
            awaited[p] += _first_not_below(cuts.right, begin, end, value) - begin
        begin = end


@kernel
def who_goes_where(cuts: Any, people: Any, X: Any, expected: Any, n_labels: int) -> Any:
    """Which labels people expect on the two sides of each cut: (cuts, 2, labels).

    For each column and label the least and the greatest value among the people settle the question.
    """
    n_columns = X.shape[0]
    least = np.empty((n_columns, n_labels), np.float64)
    greatest = np.empty((n_columns, n_labels), np.float64)
    for j in range(n_columns):
        for i in range(n_labels):
            least[j, i] = np.inf
            greatest[j, i] = -np.inf
        for p in people:
            least[j, expected[p]] = min(least[j, expected[p]], X[j, p])
            greatest[j, expected[p]] = max(greatest[j, expected[p]], X[j, p])
    present = np.empty((len(cuts.feature), 2, n_labels), np.bool_)
    for c in range(len(cuts.feature)):
        j = cuts.feature[c]
        for i in range(n_labels):
            present[c, 0, i] = least[j, i] <= cuts.left[c]
            present[c, 1, i] = greatest[j, i] > cuts.right[c]
    return present


def people_of_side(
    cuts: Cuts, c: int, side: int, people: NDArray[np.int32], X: NDArray[np.float32]
) -> NDArray[np.int32]:
    """Those of `people` who may go to one side of one of the cuts (0: left, 1: right)."""
    values = X[cuts.feature[c]][people]
    goes: NDArray[np.bool_] = values <= cuts.left[c] if side == 0 else values > cuts.right[c]
    return people[goes]
