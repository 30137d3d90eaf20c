"""Moves of an attack on one person, compiled: turn the leaf, help another split, change what lies near.

Between `follow.py`, which says where the person comes to, and `attacks.py`, which chooses the moves. Moves
use only what the bias model allows; whether the table is one of B(T) is still checked before anybody is
refuted.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from everytree.bias.acts import ADD, FLIP, NONE, REMOVE, act_of
from everytree.learner.criterion.front import AT, WEIGHTED, value, winner
from everytree.refute.follow import best_split, follow
from everytree.support.kernels import inner_kernel, kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray

_act_of = kernel(act_of)

MOST_ROUNDS = 40
"""How often a tree is learned anew while a leaf is being turned."""


class Rules(NamedTuple):
    """What may be done: `addable` to copies of a training row, the others to the row itself."""

    y: NDArray[np.int64]
    flips_to: NDArray[np.bool_]
    removable: NDArray[np.bool_]
    addable: NDArray[np.bool_]
    budget: NDArray[np.int64]


class Goal(NamedTuple):
    """Whom to turn: features, expected and wanted label, training rows in the order to change them."""

    x: NDArray[np.float32]
    expected: int
    target: int
    order: NDArray[np.int64]
    depth: int


@kernel
def reset(table: Any, rules: Any, left: Any) -> None:
    """Take every change back."""
    n_rows = len(rules.y)
    for r in range(n_rows):
        table.label[r] = rules.y[r]
    table.label[n_rows:] = -1
    table.following[:] = -1
    left[:] = rules.budget


@inner_kernel
def may(table: Any, rules: Any, left: Any, e: int, act: int, target: int) -> bool:
    """Whether an act may be done: to an unchanged training row, or the addition of a copy of an entity."""
    if left[act] <= 0:
        return False
    if act == ADD:
        return bool(rules.addable[table.copied[e], target])
    if e >= len(rules.y) or table.label[e] != rules.y[e]:
        return False
    return bool(rules.removable[e] if act == REMOVE else rules.flips_to[e, target])


@inner_kernel
def do(table: Any, rules: Any, left: Any, e: int, act: int, target: int) -> None:
    """Give a training row another label, leave it out (NONE), or add a copy of an entity with a label."""
    if act == ADD:
        row, new = table.copied[e], len(rules.y) + rules.budget[ADD] - left[ADD]
        table.label[new] = target
        table.copied[new] = row
        table.following[new] = table.following[row]
        table.following[row] = new
    else:
        table.label[e] = target
    left[act] -= 1


@kernel
def turn_leaf(columns: Any, table: Any, rules: Any, left: Any, goal: Any, way: Any, at_once: bool) -> bool:
    """Change rows of the person's leaf, nearest first, and learn anew, until the person gets another label.

    With `at_once` as many as the leaf needs, otherwise one after the other.
    """
    for _ in range(MOST_ROUNDS):
        size = follow(columns, table, goal.x, goal.depth, way)[1]
        if winner(table.criterion, way.counts) != goal.expected:
            return True
        needed = _needed(table.criterion, way.counts, goal)
        in_leaf = np.zeros(len(rules.y), np.bool_)
        for k in range(size):
            in_leaf[table.copied[table.live[0, k]]] = True
        if not spend(table, rules, left, goal, in_leaf, needed if at_once else 1):
            return False
    return False


@inner_kernel
def _needed(criterion: Any, counts: Any, goal: Any) -> Any:
    """Rows by which the target is behind in the leaf; with weights in rows of average weight."""
    needed = counts[goal.expected] - counts[goal.target]
    if criterion is not None and criterion.code >= WEIGHTED:
        own, other = criterion.weights[AT, goal.expected], criterion.weights[AT, goal.target]
        lead = own * counts[goal.expected] - other * counts[goal.target]
        needed = np.int64(np.ceil(2.0 * lead / (own + other)))
    if goal.target > goal.expected:
        needed += 1
    return max(1, needed)


@inner_kernel
def spend(table: Any, rules: Any, left: Any, goal: Any, in_leaf: Any, needed: int) -> bool:
    """Change some rows in favour of the target by about so much; False if nothing could be done."""
    begun = needed
    for r in goal.order:
        gains = needed > 0 and in_leaf[r] and table.label[r] == goal.expected
        if gains and may(table, rules, left, r, FLIP, goal.target):
            do(table, rules, left, r, FLIP, goal.target)
            needed -= 2
    for r in goal.order:
        gains = needed > 0 and in_leaf[r] and table.label[r] != goal.target
        if gains and may(table, rules, left, r, FLIP, goal.target):
            do(table, rules, left, r, FLIP, goal.target)
            needed -= 1
        while needed > 0 and in_leaf[r] and may(table, rules, left, r, ADD, goal.target):
            do(table, rules, left, r, ADD, goal.target)
            needed -= 1
    for r in goal.order:
        gains = needed > 0 and in_leaf[r] and table.label[r] == goal.expected
        if gains and may(table, rules, left, r, REMOVE, NONE):
            do(table, rules, left, r, REMOVE, NONE)
            needed -= 1
    return needed < begun


@kernel
def change_near(table: Any, rules: Any, left: Any, goal: Any, how_many: int) -> None:
    """Change the training rows nearest to the person, whatever leaf they are in."""
    taken = 0
    for r in goal.order:
        if taken >= how_many:
            return
        label = table.label[r]
        if label != goal.target and label >= 0 and may(table, rules, left, r, FLIP, goal.target):
            do(table, rules, left, r, FLIP, goal.target)
        elif may(table, rules, left, r, ADD, goal.target):
            do(table, rules, left, r, ADD, goal.target)
        elif label == goal.expected and may(table, rules, left, r, REMOVE, NONE):
            do(table, rules, left, r, REMOVE, NONE)
        else:
            continue
        taken += 1


@kernel
def help_rival(
    columns: Any, table: Any, rules: Any, left: Any, goal: Any, way: Any, level: int, drawn: Any
) -> bool:
    """Help another split past the best one at some level of the person's way; says whether it got there.

    The rival is one of the best of its column, the more so with a side for the person that leans to the
    target. ``drawn`` are a number from 0 to 1 that chooses the column, good ones more often, and how much
    leaning counts. Moves are chosen by their exact gain.
    """
    size = follow(columns, table, goal.x, level, way)[1]
    if size < 2 or way.counts.max() == size:
        return False
    feature, low, _, _ = best_split(columns, table, size, way.counts)
    if feature < 0:
        return False
    rival, rival_low = _pick_rival(columns, table, size, way.counts, goal, (feature, low), drawn)
    if rival < 0:
        return False
    n_labels = len(way.counts)
    entities = table.live[0, :size].copy()
    own = np.empty(size, np.int64)
    other = np.empty(size, np.int64)
    counts = np.zeros((2, 2, n_labels), np.int64)  # by split (own, rival), side, label
    for k in range(size):
        row = table.copied[entities[k]]
        own[k] = columns.codes[feature, row] > low
        other[k] = columns.codes[rival, row] > rival_low
        counts[0, own[k], table.label[entities[k]]] += 1
        counts[1, other[k], table.label[entities[k]]] += 1
    criterion = table.criterion
    while _score(criterion, counts[1]) <= _score(criterion, counts[0]) + 1e-9 * size:
        if not _best_move(table, rules, left, goal, entities, own, other, counts):
            return False
    return True


@inner_kernel
def _pick_rival(columns: Any, table: Any, size: int, counts: Any, goal: Any, own: Any, drawn: Any) -> Any:
    """A good split of a column, another than the node's own."""
    feature, low = own
    n_columns = table.live.shape[0]
    best = np.full(n_columns, -1e300)
    lows = np.full(n_columns, -1)
    left = np.zeros(len(counts), np.int64)
    criterion = table.criterion
    for j in range(n_columns):
        code = columns.codes[j]
        left[:] = 0
        at = goal.x[j]
        for k in range(size - 1):
            left[table.label[table.live[j, k]]] += 1
            here, after = code[table.copied[table.live[j, k]]], code[table.copied[table.live[j, k + 1]]]
            if after == here or (j == feature and here == low):
                continue
            if min(k + 1, size - k - 1) < table.needed[0]:
                continue
            score = value(criterion, left) + value(criterion, counts - left)
            towards = left[goal.target] - left[goal.expected]
            start = columns.starts[j]
            if at > columns.values[start + here] / 2 + columns.values[start + after] / 2:
                towards = counts[goal.target] - counts[goal.expected] - towards
            score += drawn[1] * towards
            if score > best[j]:
                best[j], lows[j] = score, here
    chosen = np.argmax(best)
    for _ in range(int(drawn[0] ** 2 * n_columns)):
        best[chosen] = -1e301
        chosen = np.argmax(best)
    return chosen, lows[chosen]


@inner_kernel
def _score(criterion: Any, counts: Any) -> float:
    return value(criterion, counts[0]) + value(criterion, counts[1])


@inner_kernel
def _gain(criterion: Any, counts: Any, gone: int, new: int) -> float:
    """What a branch gains when a row of label `gone` leaves and one of label `new` comes (-1: none)."""
    after = counts.copy()
    if gone >= 0:
        after[gone] -= 1
    if new >= 0:
        after[new] += 1
    return value(criterion, after) - value(criterion, counts)


@inner_kernel
def _best_move(
    table: Any, rules: Any, left: Any, goal: Any, entities: Any, own: Any, other: Any, counts: Any
) -> bool:
    """Make the move that helps the rival most; False if none helps."""
    n_labels, criterion = counts.shape[2], table.criterion
    gains = np.empty((2, 2, n_labels + 1, n_labels + 1))  # side of own, of rival, label gone, label new
    for u in range(2):
        for v in range(2):
            for a in range(NONE, n_labels):
                for b in range(NONE, n_labels):
                    gains[u, v, a, b] = _gain(criterion, counts[1, v], a, b)
                    gains[u, v, a, b] -= _gain(criterion, counts[0, u], a, b)
    best, at, gone, new = 1e-12, -1, NONE, NONE
    for k in range(len(entities)):
        e, u, v = entities[k], own[k], other[k]
        a = table.label[e]
        if a < 0:
            continue
        for b in range(n_labels):
            for adds in (False, True):
                before = NONE if adds else a
                better = b != before and gains[u, v, before, b] > best
                if better and may(table, rules, left, e, _act_of(before, b), b):
                    best, at, gone, new = gains[u, v, before, b], k, before, b
        if gains[u, v, a, NONE] > best and may(table, rules, left, e, REMOVE, NONE):
            best, at, gone, new = gains[u, v, a, NONE], k, a, NONE
    if at < 0:
        return False
    do(table, rules, left, entities[at], _act_of(gone, new), new)
    for split, side in ((0, own[at]), (1, other[at])):
        if gone >= 0:
            counts[split, side, gone] -= 1
        if new >= 0:
            counts[split, side, new] += 1
    return True
