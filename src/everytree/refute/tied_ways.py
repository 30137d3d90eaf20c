"""Everybody's ways through every tree that a changed node can give, however ties are broken; compiled.

Below `every_table.py`, which says which rows of a node change. Unlike `follow.py`, which guesses how ties are
broken, all splits within the tolerance of the best are followed, so a proof may rest on it. A changed node is
learned once for all the people who come to it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from everytree.learner.criterion.front import new_branches, stop_rows, tolerance, value
from everytree.refute.node_scores import score_all, score_rivals, tied_cuts
from everytree.support.kernels import inner_kernel, kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from everytree.prove.counts import Columns

SAME, DIFFERS, MAY_DIFFER, UNSURE = 0, 1, 2, 3
"""What becomes of a person: the label stays, changes, may change by the way ties are broken, or there was too
much to try."""

MOST_LOOKS = 4000
"""Nodes that are looked at for one changed table."""

MOST_TIES = 64
"""Different ways to cut one node, by tied splits, that are followed."""

FEWER = 4
"""How many times fewer rivals than cells there must be to score them alone: one takes longer."""

WAITING = 64
"""Children that wait at most, and room for them in times the rows of the node."""


class Spot(NamedTuple):
    """The rows of a node: ``code[j, r]`` of its r-th row, the rows in the order of each column, labels."""

    code: NDArray[np.int32]
    order: NDArray[np.int32]
    label: NDArray[np.int64]


class Group(NamedTuple):
    """Some people: their features, and the labels that are expected."""

    x: NDArray[np.float32]
    expected: NDArray[np.int64]


class Room(NamedTuple):
    """What following needs.

    The rows of the present node by every column, its label counts, the scores of its splits, the rows of
    children that wait, and who is where: ``waits[w]`` in a child that waits, ``sides[t, side]`` on a side of
    a tied split, ``here`` in the present node. ``entry[w]`` are the place of a child's rows, its depth, and
    whether a tie led to it.
    """

    live: NDArray[np.int32]
    counts: NDArray[np.int64]
    scores: NDArray[np.float64]
    waiting: NDArray[np.int32]
    inside: NDArray[np.bool_]
    waits: NDArray[np.bool_]
    sides: NDArray[np.bool_]
    here: NDArray[np.bool_]
    entry: NDArray[np.int64]


def spot_of(columns: Columns, y: NDArray[np.int64], rows: NDArray[np.int32]) -> Spot:
    """Take the rows of a node by themselves."""
    code = np.ascontiguousarray(columns.codes[:, rows])
    order = np.argsort(code, axis=1, kind="stable").astype(np.int32)
    return Spot(code, order, y[rows])


def room_for(spot: Spot, n_labels: int, n_people: int) -> Room:
    """Make room for following so many people through a node."""
    n_rows = len(spot.label)
    live, scores = np.empty_like(spot.order), np.empty(spot.order.shape)
    waiting, inside = np.empty(WAITING * n_rows, np.int32), np.zeros(n_rows, np.bool_)
    waits = np.zeros((WAITING, n_people), np.bool_)
    sides, here = np.zeros((MOST_TIES, 2, n_people), np.bool_), np.zeros(n_people, np.bool_)
    entry = np.zeros((WAITING, 4), np.int64)
    return Room(live, np.zeros(n_labels, np.int64), scores, waiting, inside, waits, sides, here, entry)


BEGIN, END, DEPTH, TIED = 0, 1, 2, 3
"""Columns of `Room.entry`."""

FATE, CHANGE = 0, 1
"""Columns of what is found: what may become of a person, and the first change that does it."""


@kernel
def differing(
    criterion: Any,
    columns: Any,
    spot: Any,
    rivals: Any,
    changes: Any,
    group: Any,
    asked: Any,
    depth: int,
    room: Any,
) -> Any:
    """Find, for each person of a group, the first change after which trees give another label than expected.

    ``changes[c, k]`` is a row of the spot and its new label, -1 if it is removed; the row is -1 where there
    are fewer changes. Gives fates and changes by person, and the cells looked at. A change that surely gives
    another label counts before one that does so by a tie; whoever has one is followed no further. Only people
    who are ``asked`` for are followed.
    """
    label = spot.label.copy()
    found = np.zeros((len(asked), 2), np.int64)
    found[:, CHANGE] = -1
    fate = np.zeros(len(asked), np.int64)
    left = 0
    for p in range(len(asked)):
        left += asked[p]
    work = 0
    for c in range(len(changes)):
        if left == 0:
            break
        for k in range(changes.shape[1]):
            if changes[c, k, 0] >= 0:
                label[changes[c, k, 0]] = changes[c, k, 1]
        for p in range(len(asked)):
            fate[p] = SAME
            room.here[p] = asked[p] and found[p, FATE] != DIFFERS
        work += _follow(criterion, columns, spot, rivals, label, group, depth, room, fate)
        for k in range(changes.shape[1]):
            if changes[c, k, 0] >= 0:
                label[changes[c, k, 0]] = spot.label[changes[c, k, 0]]
        for p in range(len(asked)):
            known = found[p, FATE]
            if fate[p] > known or (fate[p] == DIFFERS and known != DIFFERS):
                left -= fate[p] == DIFFERS
                found[p, FATE], found[p, CHANGE] = fate[p], c
    return found, work


@inner_kernel
def _follow(
    criterion: Any,
    columns: Any,
    spot: Any,
    rivals: Any,
    label: Any,
    group: Any,
    depth: int,
    room: Any,
    fate: Any,
) -> int:
    """Note what may become of the people in a node (``room.here``) whose rows have these labels.

    Soundness
    ---------
    Depth first over all splits whose score is within the tolerance of the best, the learner takes one of
    them, and over the sides on which somebody is. Splits that cut the rows alike share their children, in
    which then is whom any of them sends there. Thresholds are the midpoints of the gaps between the rows that
    are there. Somebody about whom too much is to be tried is unsure.
    """
    size = _fill(spot.order, label, room.live)
    if size == 0:
        return 0  # no tree sends anybody here
    ties = np.empty((MOST_TIES, 3), np.int64)
    branches = new_branches(len(room.counts))
    waiting = 0
    tied = 0
    work = 0
    for look in range(MOST_LOOKS):
        few = look == 0 and 0 < FEWER * len(rivals.low) < size * len(spot.code)
        work += size * len(spot.code) // (2 if few else 1)
        own = _count(label, room, size)
        stops = depth == 0 or room.counts[own] == size
        n_ties = 0
        if not stops:
            if few:
                best = score_rivals(criterion, spot, rivals, label, room, size, branches)
            else:
                best = score_all(criterion, spot.code, label, room, size, branches)
            tied_by = tolerance(criterion, size)
            stops = best == -np.inf or (
                size >= stop_rows(criterion) and best - value(criterion, room.counts) <= 2 * tied_by
            )
            if best > -np.inf:
                n_ties = tied_cuts(columns, spot.code, group.x, room, size, best - tied_by, ties)
        if stops:
            _tell(group.expected, own, room.here, DIFFERS if tied == 0 else MAY_DIFFER, fate)
        if n_ties > 1 or (n_ties == 1 and (room.sides[0, 0] & room.sides[0, 1]).any()):
            tied = 1
        if n_ties < 0:
            _tell(group.expected, -1, room.here, UNSURE, fate)
        last_tie, last_side = -1, 0
        for t in range(max(0, n_ties)):
            for side in range(2):
                if not room.sides[t, side].any():
                    continue
                begin = room.entry[waiting - 1, END] if waiting else 0
                n_rows = ties[t, 2] if side == 0 else size - ties[t, 2]
                if waiting == WAITING or begin + n_rows > len(room.waiting):
                    _tell(group.expected, -1, room.sides[t, side], UNSURE, fate)
                    continue
                room.entry[waiting, BEGIN] = begin
                room.entry[waiting, END] = _copy_side(spot.code, room, size, ties[t], side, begin)
                room.entry[waiting, DEPTH], room.entry[waiting, TIED] = depth - 1, tied
                room.waits[waiting] = room.sides[t, side]
                waiting += 1
                last_tie, last_side = t, side
        if waiting == 0:
            return work
        waiting -= 1
        depth, tied = room.entry[waiting, DEPTH], room.entry[waiting, TIED]
        room.here[:] = room.waits[waiting]
        if last_tie >= 0:
            size = _narrow(spot.code, room, size, ties[last_tie], last_side, depth == 0)
        else:
            begin, end = room.entry[waiting, BEGIN], room.entry[waiting, END]
            size = _take_up(spot.order, room, begin, end, depth == 0)
    _tell(group.expected, -1, room.here, UNSURE, fate)
    for w in range(waiting):
        _tell(group.expected, -1, room.waits[w], UNSURE, fate)
    return work


@inner_kernel
def _tell(expected: Any, label: int, here: Any, how: int, fate: Any) -> None:
    """Note whom a label surprises."""
    for p in range(len(here)):
        if here[p] and expected[p] != label and fate[p] != DIFFERS:
            fate[p] = max(fate[p], how)


@inner_kernel
def _fill(order: Any, label: Any, live: Any) -> int:
    """List the rows that are there by every column."""
    if (label >= 0).all():
        live[:] = order
        return len(label)
    size = 0
    for j in range(len(order)):
        size = 0
        for r in order[j]:
            live[j, size] = r  # without a branch: what is not there is written over
            size += label[r] >= 0
    return size


@inner_kernel
def _count(label: Any, room: Any, size: int) -> int:
    """Count the labels of the present node; gives the label of a leaf."""
    counts = room.counts
    counts[:] = 0
    for k in range(size):
        counts[label[room.live[0, k]]] += 1
    return int(np.argmax(counts))


@inner_kernel
def _copy_side(code: Any, room: Any, size: int, tie: Any, side: int, begin: int) -> int:
    """Keep the rows of a child for later."""
    for k in range(size):
        r = room.live[0, k]
        if (code[tie[0], r] > tie[1]) == (side == 1):
            room.waiting[begin] = r
            begin += 1
    return begin


@inner_kernel
def _narrow(code: Any, room: Any, size: int, tie: Any, side: int, is_leaf: bool) -> int:
    """Go on with a child of the present node, whose rows are listed already."""
    used = 0
    for j in range(1 if is_leaf else len(code)):
        live = room.live[j]
        used = 0
        for k in range(size):
            r = live[k]
            live[used] = r  # without a branch: what is not there is written over
            used += (code[tie[0], r] > tie[1]) == (side == 1)
    return used


@inner_kernel
def _take_up(order: Any, room: Any, begin: int, end: int, is_leaf: bool) -> int:
    """Go on with a child that waited; of a leaf one column is enough."""
    for k in range(begin, end):
        room.inside[room.waiting[k]] = True
    used = 0
    for j in range(1 if is_leaf else len(order)):
        used = 0
        for r in order[j]:
            room.live[j, used] = r  # without a branch: what is not there is written over
            used += room.inside[r]
    for k in range(begin, end):
        room.inside[room.waiting[k]] = False
    return used
