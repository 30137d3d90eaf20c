"""One person's ways through every tree that a changed node can give, however ties are broken; compiled.

Below `every_table.py`, which says which rows of a node change. Unlike `follow.py`, which guesses how ties are
broken, all splits within the tolerance of the best are followed, so a proof may rest on it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from everytree.learner.criterion.front import new_branches, score, stop_rows, tolerance, value
from everytree.prove.views import LARGEST
from everytree.support.kernels import kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from everytree.prove.counts import Columns

SAME, DIFFERS, MAY_DIFFER, UNSURE = 0, 1, 2, 3
"""What becomes of a person: the label stays, changes, may change by the way ties are broken, or there was too
much to try."""

MOST_LOOKS = 2000
"""Nodes that are looked at for one person and one changed table."""

MOST_TIES = 64
"""Different children of one node, by tied splits, that are followed."""

WAITING = 64
"""Room for children that wait, in times the rows of the node."""


class Spot(NamedTuple):
    """The rows of a node: ``code[j, r]`` of its r-th row, the rows in the order of each column, labels."""

    code: NDArray[np.int32]
    order: NDArray[np.int32]
    label: NDArray[np.int64]


class Room(NamedTuple):
    """What following needs.

    The rows of the present node by every column, its label counts, the scores of its splits, and the rows of
    children that wait.
    """

    live: NDArray[np.int32]
    counts: NDArray[np.int64]
    scores: NDArray[np.float64]
    waiting: NDArray[np.int32]
    inside: NDArray[np.bool_]


class Person(NamedTuple):
    """Somebody's features, and the label that is expected."""

    x: NDArray[np.float32]
    expected: int


def spot_of(columns: Columns, y: NDArray[np.int64], rows: NDArray[np.int32]) -> Spot:
    """Take the rows of a node by themselves."""
    code = np.ascontiguousarray(columns.codes[:, rows])
    order = np.argsort(code, axis=1, kind="stable").astype(np.int32)
    return Spot(code, order, y[rows])


def room_for(spot: Spot, n_labels: int) -> Room:
    """Make room for following people through a node."""
    n_rows = len(spot.label)
    live, scores = np.empty_like(spot.order), np.empty(spot.order.shape)
    waiting, inside = np.empty(WAITING * n_rows, np.int32), np.zeros(n_rows, np.bool_)
    return Room(live, np.zeros(n_labels, np.int64), scores, waiting, inside)


@kernel
def first_differing(
    criterion: Any, columns: Any, spot: Any, changes: Any, person: Any, depth: int, room: Any
) -> Any:
    """Find the first change after which some tree may give a person another label than expected.

    ``changes[c, k]`` is a row of the spot and its new label, -1 if it is removed; the row is -1 where there
    are fewer changes. Gives the number of the change, what may become of the person, and the cells looked at.
    """
    label = spot.label.copy()
    work = 0
    for c in range(len(changes)):
        for k in range(changes.shape[1]):
            if changes[c, k, 0] >= 0:
                label[changes[c, k, 0]] = changes[c, k, 1]
        fate, cells = _follow(criterion, columns, spot, label, person, depth, room)
        for k in range(changes.shape[1]):
            if changes[c, k, 0] >= 0:
                label[changes[c, k, 0]] = spot.label[changes[c, k, 0]]
        work += cells
        if fate != SAME:
            return c, fate, work
    return -1, SAME, work


@kernel
def _follow(criterion: Any, columns: Any, spot: Any, label: Any, person: Any, depth: int, room: Any) -> Any:
    """What may become of a person who comes to a node whose rows have these labels.

    Soundness
    ---------
    Depth first over the person's sides of all splits whose score is within the tolerance of the best: the
    learner takes one of them. Splits that give the person's side the same rows have one child. Thresholds
    are the midpoints of the gaps between the rows that are there.
    """
    size = _fill(spot.order, label, room.live)
    if size == 0:
        return SAME, 0  # no tree sends anybody here
    begins = np.empty(MOST_LOOKS, np.int64)
    ends = np.empty(MOST_LOOKS, np.int64)
    depths = np.empty(MOST_LOOKS, np.int64)
    ties = np.empty((MOST_TIES, 4), np.int64)
    branches = new_branches(len(room.counts))
    n_waiting = 0
    work = 0
    differs = DIFFERS
    for _look in range(MOST_LOOKS):
        work += size * len(spot.code)
        own = _count(label, room, size)
        stops = depth == 0 or room.counts[own] == size
        n_ties = 0
        if not stops:
            best = _score(criterion, spot.code, label, room, size, branches)
            tied_by = tolerance(criterion, size)
            stops = best == -np.inf or (
                size >= stop_rows(criterion) and best - value(criterion, room.counts) <= 2 * tied_by
            )
            if best > -np.inf:
                n_ties = _ties(columns, spot.code, person.x, room, size, best - tied_by, ties)
        if stops and own != person.expected:
            return differs, work
        if n_ties < 0:
            return UNSURE, work
        if n_ties > 1:
            differs = MAY_DIFFER
        for t in range(1, n_ties):
            begin = ends[n_waiting - 1] if n_waiting else 0
            if n_waiting == MOST_LOOKS or begin + ties[t, 3] > len(room.waiting):
                return UNSURE, work
            begins[n_waiting], depths[n_waiting] = begin, depth - 1
            ends[n_waiting] = _copy_side(spot.code, room, size, ties[t], begin)
            n_waiting += 1
        if n_ties:
            size = _keep_side(spot.code, room.live, size, ties[0])
            depth -= 1
        elif n_waiting:
            n_waiting -= 1
            size = _take_up(spot.order, room, begins[n_waiting], ends[n_waiting])
            depth = depths[n_waiting]
        else:
            return SAME, work
    return UNSURE, work


@kernel
def _fill(order: Any, label: Any, live: Any) -> int:
    """List the rows that are there by every column."""
    size = 0
    for j in range(len(order)):
        size = 0
        for r in order[j]:
            live[j, size] = r  # without a branch: what is not there is written over
            size += label[r] >= 0
    return size


@kernel
def _count(label: Any, room: Any, size: int) -> int:
    """Count the labels of the present node; gives the label of a leaf."""
    counts = room.counts
    counts[:] = 0
    for k in range(size):
        counts[label[room.live[0, k]]] += 1
    return int(np.argmax(counts))


@kernel
def _score(criterion: Any, code: Any, label: Any, room: Any, size: int, branches: Any) -> float:
    """Score every split of the present node, at the first row on its right; gives the best score."""
    own, sizes = branches.own, branches.size
    best = -np.inf
    for j in range(len(code)):
        live = room.live[j]
        for i in range(len(room.counts)):
            own[0, i], own[1, i] = 0.0, room.counts[i]
        for k in range(1, size):
            before = live[k - 1]
            own[0, label[before]] += 1
            own[1, label[before]] -= 1
            room.scores[j, k] = -np.inf
            if code[j, live[k]] != code[j, before]:
                sizes[0], sizes[1] = k, size - k
                here = score(criterion, branches)
                room.scores[j, k] = here
                best = max(best, here)
    return best


@kernel
def _ties(columns: Any, code: Any, x: Any, room: Any, size: int, least: float, ties: Any) -> int:
    """List the children of splits that score at least so much, on the person's side, each set of rows once.

    A child is its column, the last code on the left, the side and its number of rows. -1: too many. People
    without a value go where more rows are, if no row lacks one (`prove/views.py`).
    """
    used = 0
    for j in range(len(code)):
        start, live = columns.starts[j], room.live[j]
        first = columns.values[start + code[j, live[0]]]
        last = columns.values[start + code[j, live[size - 1]]]
        by_size = np.isinf(x[j]) and not np.isinf(first) and not np.isinf(last)
        for k in range(1, size):
            if room.scores[j, k] < least:
                continue
            low, high = code[j, live[k - 1]], code[j, live[k]]
            # np.float64 first: the learner halves in double precision
            middle = (
                np.float64(columns.values[start + low]) / 2 + np.float64(columns.values[start + high]) / 2
            )
            side = 0 if x[j] <= min(middle, LARGEST) else 1
            if by_size:
                side = 0 if 2 * k > size else 1
            n_rows = k if side == 0 else size - k
            known = False
            for t in range(used):
                if ties[t, 3] == n_rows and _same_rows(code, room.live[0], size, ties[t], j, low, side):
                    known = True
                    break
            if known:
                continue
            if used == len(ties):
                return -1
            ties[used, 0], ties[used, 1], ties[used, 2], ties[used, 3] = j, low, side, n_rows
            used += 1
    return used


@kernel
def _same_rows(code: Any, rows: Any, size: int, tie: Any, j: int, low: int, side: int) -> bool:
    """Whether a child has no row that the tie's child, of the same size, lacks."""
    for k in range(size):
        r = rows[k]
        if (code[j, r] > low) == (side == 1) and (code[tie[0], r] > tie[1]) != (tie[2] == 1):
            return False
    return True


@kernel
def _keep_side(code: Any, live: Any, size: int, tie: Any) -> int:
    """Go on with a child."""
    used = 0
    for j in range(len(code)):
        used = 0
        for k in range(size):
            r = live[j, k]
            live[j, used] = r  # without a branch, as above
            used += (code[tie[0], r] > tie[1]) == (tie[2] == 1)
    return used


@kernel
def _copy_side(code: Any, room: Any, size: int, tie: Any, begin: int) -> int:
    """Keep the rows of a child for later."""
    for k in range(size):
        r = room.live[0, k]
        if (code[tie[0], r] > tie[1]) == (tie[2] == 1):
            room.waiting[begin] = r
            begin += 1
    return begin


@kernel
def _take_up(order: Any, room: Any, begin: int, end: int) -> int:
    """Go on with a child that waited."""
    for k in range(begin, end):
        room.inside[room.waiting[k]] = True
    used = 0
    for j in range(len(order)):
        used = 0
        for r in order[j]:
            if room.inside[r]:
                room.live[j, used] = r
                used += 1
    for k in range(begin, end):
        room.inside[room.waiting[k]] = False
    return used


@kernel
def deviating(criterion: Any, spot: Any, splits: Any, total: Any, usual: Any, changes: Any) -> Any:
    """Which changes may make the node take another split than its usual ones, or none.

    ``splits`` are (feature, low, left counts by label), among them all that a change may make the best;
    ``usual`` marks those that tie on T.
    """
    feature, low, left = splits
    n_labels = left.shape[1]
    branches = new_branches(n_labels)
    own, sizes = branches.own, branches.size
    scores = np.empty(len(feature))
    counts = np.empty(n_labels, np.int64)
    found = np.zeros(len(changes), np.bool_)
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
        found[c] = (
            best == -np.inf
            or counts.max() == size
            or (size >= stop_rows(criterion) and best - value(criterion, counts) <= 2 * tied_by)
        )
        for s in range(len(feature)):
            if not usual[s] and scores[s] >= best - tied_by:
                found[c] = True
    return found
