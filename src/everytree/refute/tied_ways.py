"""Everybody's ways through every tree that a changed node can give, however ties are broken; compiled.

Below `every_table.py`, which says which rows of a node change. Unlike `follow.py`, which guesses how ties are
broken, all splits within the tolerance of the best are followed, so a proof may rest on it. Many changes are
followed together: those that lead to the same rows and are alike there share what is learned of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from everytree.learner.criterion.front import new_branches
from everytree.refute.change_kinds import MOST_CUTS, Kinds, kinds_for, must_split, tell_apart
from everytree.refute.cuts import side_of
from everytree.refute.known_nodes import KnownNodes, labelled, row_keys, ties_of
from everytree.refute.node_scores import Rivals, rivals_for
from everytree.support.kernels import bare_kernel, kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from everytree.prove.counts import Columns

SAME, DIFFERS, MAY_DIFFER, UNSURE = 0, 1, 2, 3
"""What becomes of a person: the label stays, changes, may change by the way ties are broken, or there was too
much to try."""

MOST_LOOKS, LOOKS_A_CHANGE = 4000, 50
"""Nodes that are looked at for some changes together, and as many more for each of them."""

MOST_WAITING = 8 * MOST_CUTS
"""Children that wait at most."""

TIMES_ROWS = 8
"""Room for the rows of nodes whose children wait, in times the rows of the first node."""

TIMES_CASES, LEAST_CASES = 4, 4096
"""Room for cases, in times those that there are to begin with, and at least."""


FEW_CODES, ROWS_A_CODE = 128, 4
"""Columns with up to so many values, each in so many rows of the table on average, are counted; others are
kept sorted. Counting costs less for each row, and a step for each value."""


class Layout(NamedTuple):
    """Columns that are listed, the places of the values of others, and keys of all rows, as in a `Spot`."""

    listed: NDArray[np.int64]
    begins: NDArray[np.int64]
    key: NDArray[np.int64]


class Spot(NamedTuple):
    """The rows of a node: ``code[j, r]`` of its r-th row, and labels.

    ``order`` has the rows as they come and in the order of each of the ``listed`` columns. The values of
    others are counted: those of column j have the places from ``begins[j]`` to ``begins[j + 1]``. Nodes are
    known again by the ``key`` of their rows (`known_nodes.py`).
    """

    code: NDArray[np.int32]
    order: NDArray[np.int32]
    listed: NDArray[np.int64]
    begins: NDArray[np.int64]
    label: NDArray[np.int64]
    key: NDArray[np.int64]


class Group(NamedTuple):
    """Some people: their features, and the labels that are expected."""

    x: NDArray[np.float32]
    expected: NDArray[np.int64]


class Room(NamedTuple):
    """What following needs.

    ``live`` has the rows of nodes, in the orders of the spot. A case is a change and a person whom it may
    concern: ``cases[i]`` are both, and whether a tie led here; ``kind[i]`` is its kind of change in the
    present node.
    ``child[w]`` says what waits. ``sent[2 * cut + side]`` counts who goes there, and then places them;
    ``sent_mark`` tells whether the present case does so already.
    """

    live: NDArray[np.int32]
    cases: NDArray[np.int32]
    kind: NDArray[np.int32]
    child: NDArray[np.int64]
    sent: NDArray[np.int64]
    sent_mark: NDArray[np.int64]
    last_mark: NDArray[np.int64]
    kinds: Kinds
    rivals: Rivals
    known: KnownNodes


WHICH, WHO, TIED = 0, 1, 2
"""Columns of `Room.cases`."""

BEGIN, END, AT, SIZE, COLUMN, LOW, SIDE, ROWS, DEPTH, LAST = range(10)
"""Columns of `Room.child`: its cases; where the rows of its parent are, and how many; the column and the last
code on the left of the split, and the side; its rows and depth; whether no other child needs the parent."""


def layout_of(columns: Columns) -> Layout:
    """Say which columns are listed, and where the values of others have their places."""
    n_codes = np.diff(columns.starts)
    counted = (n_codes <= FEW_CODES) & (ROWS_A_CODE * n_codes <= columns.codes.shape[1])
    begins = np.append(0, np.cumsum(np.where(counted, n_codes, 0)))
    return Layout(np.flatnonzero(~counted), begins, row_keys(columns.codes.shape[1]))


def spot_of(columns: Columns, layout: Layout, y: NDArray[np.int64], rows: NDArray[np.int32]) -> Spot:
    """Take the rows of a node by themselves."""
    code = np.take(columns.codes, rows, axis=1)
    order = np.empty((1 + len(layout.listed), len(rows)), np.int32)
    order[0] = np.arange(len(rows))
    order[1:] = np.argsort(code[layout.listed], axis=1, kind="stable")
    return Spot(code, order, layout.listed, layout.begins, y[rows], labelled(layout.key[rows], y[rows]))


def room_for(
    numbers: NDArray[np.float64], spot: Spot, n_labels: int, n_changes: int, n_people: int, known: KnownNodes
) -> Room:
    """Make room for following people through a node after so many changes; ``numbers`` are of `lookup`."""
    n_rows, n_cases = len(spot.label), max(LEAST_CASES, TIMES_CASES * n_changes * n_people)
    live = np.empty((len(spot.order), TIMES_ROWS * n_rows), np.int32)
    cases, kind = np.empty((n_cases, 3), np.int32), np.empty(n_cases, np.int32)
    child, last_mark = np.empty((MOST_WAITING, 10), np.int64), np.zeros(1, np.int64)
    sent, sent_mark = np.zeros(2 * MOST_CUTS, np.int64), np.zeros(2 * MOST_CUTS, np.int64)
    kinds, rivals = kinds_for(n_rows, n_labels, n_changes), rivals_for(spot, n_labels, numbers)
    return Room(live, cases, kind, child, sent, sent_mark, last_mark, kinds, rivals, known)


@kernel
def fates_of(
    criterion: Any,
    columns: Any,
    spot: Any,
    step: float,
    changes: Any,
    group: Any,
    depth: int,
    room: Any,
) -> Any:
    """What becomes of each person after each change: ``fates[p, c]``, and the cells that were looked at.

    ``changes[c, k]`` is a row of the spot and its new label, -1 if it is removed; the row is -1 where there
    are fewer changes. One of them changes no score by more than ``step``. Changes that remove rows are
    followed one by one: thresholds hang on who is left.
    """
    fates = np.zeros((len(group.expected), len(changes)), np.int8)
    label = spot.label.copy()
    together, alone = np.empty(len(changes), np.int64), np.empty(1, np.int64)
    what = criterion, columns, spot, step, label, changes
    n_together, work, branches = 0, 0, new_branches(len(room.kinds.counts))
    for c in range(len(changes)):
        removes = False
        for k in range(changes.shape[1]):
            if changes[c, k, 0] >= 0 and changes[c, k, 1] < 0:
                label[changes[c, k, 0]] = -1
                removes = True
        if not removes:
            together[n_together] = c
            n_together += 1
            continue
        alone[0] = c
        work += _follow(*what, alone, group, depth, branches, room, fates)
        for k in range(changes.shape[1]):
            if changes[c, k, 0] >= 0:
                label[changes[c, k, 0]] = spot.label[changes[c, k, 0]]
    some = together[:n_together]
    if n_together:
        work += _follow(*what, some, group, depth, branches, room, fates)
    return fates, work


@bare_kernel
def _follow(
    criterion: Any,
    columns: Any,
    spot: Any,
    step: float,
    label: Any,
    changes: Any,
    listed: Any,
    group: Any,
    depth: int,
    branches: Any,
    room: Any,
    fates: Any,
) -> int:
    """Note what may become of people after listed changes of labels, in a node whose rows have these labels.

    Soundness
    ---------
    Depth first over all splits whose score is within the tolerance of the best after a change, the learner
    takes one of them, and over the sides to which somebody goes. Changes of labels move no threshold, so all
    that take a split have the same rows on its sides, and what becomes of a person there hangs on the changes
    of these rows alone: changes that are alike there are of one kind. Splits that cut the rows alike share
    their children, in which then is whom any of them sends there. Thresholds are the midpoints of the gaps
    between the rows that are there. A case about which too much is to be tried is unsure.
    """
    size = _fill(spot.order, label, room.live)
    if size == 0:
        return 0  # no tree sends anybody here
    begin, end, at, waiting, work = 0, 0, 0, 0, 0
    for c in listed:
        for p in range(len(group.expected)):
            room.cases[end, WHICH], room.cases[end, WHO], room.cases[end, TIED] = c, p, 0
            end += 1
    for look in range(MOST_LOOKS + LOOKS_A_CHANGE * len(listed)):
        live, cases = room.live[:, at : at + size], room.cases[begin:end]
        n_kinds = tell_apart(label, changes, live[0], cases, room.kind[begin:end], room.kinds)
        n_cuts = 0
        work += size + end - begin
        if must_split(spot, changes, size, depth, n_kinds, room.kinds):
            if look > 0:
                _narrow(spot.code, room.live, room.child[waiting], at, 1, len(spot.order))
            what = spot, label, changes, live, n_kinds
            of_room = room.kinds, room.rivals, room.known
            n_cuts, scored = ties_of(criterion, columns, step, *what, branches, *of_room)
            work += scored
        waiting = _send(group, begin, end, at, size, depth, n_cuts, waiting, fates, room)
        fits = False
        while waiting and not fits:
            waiting -= 1
            child = room.child[waiting]
            begin, end, depth = child[BEGIN], child[END], child[DEPTH]
            at = child[AT] if child[LAST] else child[AT] + child[SIZE]
            fits = at + child[ROWS] < room.live.shape[1]  # one more is written over
            if not fits:
                _give_up(room.cases[begin:end], fates)
        if not fits:
            return work
        size = _narrow(spot.code, room.live, room.child[waiting], at, 0, 1)
    _give_up(room.cases[begin:end], fates)
    for w in range(waiting):
        _give_up(room.cases[room.child[w, BEGIN] : room.child[w, END]], fates)
    return work


@bare_kernel
def _send(
    group: Any,
    begin: int,
    end: int,
    at: int,
    size: int,
    depth: int,
    n_cuts: int,
    waiting: int,
    fates: Any,
    room: Any,
) -> int:
    """Tell what a leaf says, and send others to the children that their splits give; says how many wait."""
    kinds, rivals, sent = room.kinds, room.rivals, room.sent
    for i in range(begin, end):
        c, p, q = room.cases[i, WHICH], room.cases[i, WHO], room.kind[i]
        ties = kinds.ties[kinds.begin[q] : kinds.end[q]]
        if kinds.unsure[q]:
            fates[p, c] = UNSURE
        if kinds.stops[q] and kinds.says[q] != group.expected[p]:
            surely = len(ties) == 0 and room.cases[i, TIED] == 0
            fates[p, c] = max(fates[p, c], DIFFERS if surely else MAY_DIFFER)
        room.last_mark[0] += 1
        ways = 0
        for s in ties:
            to = 2 * rivals.cut[s] + side_of(group.x[p], s, rivals)
            if room.sent_mark[to] != room.last_mark[0]:
                room.sent_mark[to] = room.last_mark[0]
                sent[to] += 1
                ways += 1
        if ways > 1 or (ways == 1 and kinds.stops[q]):
            room.cases[i, TIED] = 1
    place, first = end, waiting
    for to in range(2 * n_cuts):
        if sent[to] and waiting < MOST_WAITING:
            s, child = kinds.cuts[to // 2], room.child[waiting]
            child[BEGIN], child[AT], child[SIZE], child[SIDE] = place, at, size, to % 2
            child[COLUMN], child[LOW], child[DEPTH] = rivals.column[s], rivals.low[s], depth - 1
            child[ROWS] = rivals.n_left[s] if to % 2 == 0 else size - rivals.n_left[s]
            child[LAST] = waiting == first
            place += sent[to]
            child[END], sent[to] = place, child[BEGIN]
            waiting += 1
        elif sent[to]:
            place = len(room.cases) + 1
    if place > len(room.cases):
        sent[: 2 * n_cuts] = 0
        _give_up(room.cases[begin:end], fates)
        return first
    if waiting > first:
        _place(group, begin, end, room)
    sent[: 2 * n_cuts] = 0
    return waiting


@bare_kernel
def _place(group: Any, begin: int, end: int, room: Any) -> None:
    """Write cases where the children expect them, which follow one another behind the present ones."""
    kinds, rivals, sent = room.kinds, room.rivals, room.sent
    for i in range(begin, end):
        p, q = room.cases[i, WHO], room.kind[i]
        room.last_mark[0] += 1
        for s in kinds.ties[kinds.begin[q] : kinds.end[q]]:
            to = 2 * rivals.cut[s] + side_of(group.x[p], s, rivals)
            if room.sent_mark[to] != room.last_mark[0]:
                room.sent_mark[to] = room.last_mark[0]
                for column in range(3):
                    room.cases[sent[to], column] = room.cases[i, column]
                sent[to] += 1


@bare_kernel
def _give_up(cases: Any, fates: Any) -> None:
    """There is too much to try about these cases."""
    for i in range(len(cases)):
        fates[cases[i, WHO], cases[i, WHICH]] = UNSURE


@bare_kernel
def _fill(order: Any, label: Any, live: Any) -> int:
    """List the rows that are there, in every order."""
    size = 0
    for j in range(len(order)):
        size = 0
        for r in order[j]:
            live[j, size] = r  # without a branch: what is not there is written over
            size += label[r] >= 0
    return size


@bare_kernel
def _narrow(code: Any, live: Any, child: Any, to: int, first: int, last: int) -> int:
    """List the rows of a child in some orders: those of its parent that are on its side."""
    side, low, begin = code[child[COLUMN]], child[LOW], child[AT]
    used = 0
    for j in range(first, last):
        used = to
        for k in range(begin, begin + child[SIZE]):
            r = live[j, k]
            live[j, used] = r  # without a branch: what is not there is written over
            used += (side[r] > low) == (child[SIDE] == 1)
    return used - to
