"""An opening of an attack: make a corner of the person's node turn, and the split that cuts it off the best.

Beside `moves.py`, for `attacks.py`. On continuous columns nearly everybody lies near the end of some column.
Rows there that get the wanted label turn the corner's majority and speak for the split that cuts it off.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from everytree.bias.acts import ADD, FLIP, REMOVE
from everytree.learner.criterion.front import value, winner
from everytree.refute.follow import follow
from everytree.refute.moves import spend
from everytree.support.kernels import inner_kernel, kernel


@kernel
def turn_corner(columns: Any, table: Any, rules: Any, left: Any, goal: Any, way: Any, most: int) -> Any:
    """Try the corners around a person at every level of the way, the last first; `most` of each column's end.

    Begins with what is drafted already. Gives the number of ways learned, and whether the person gets another
    label from what is drafted then.
    """
    drafted = (table.label.copy(), table.following.copy(), left.copy())
    steps = follow(columns, table, goal.x, goal.depth, way)[0]
    features, lows = way.feature[:steps].copy(), way.low[:steps].copy()
    ways = 1
    inside = np.zeros(len(rules.y), np.bool_)
    for back in range(steps):
        level = steps - 1 - back
        _take_back(table, left, drafted)
        size = follow(columns, table, goal.x, level, way)[1]
        node = table.live[:, :size].copy()
        own = columns.codes[features[level]] <= lows[level]
        ways += 1
        for j in range(len(node)):
            for side in range(2):
                end = (node[j], j, side, most, own, inside, drafted)
                tried, found = _turn_end(columns, table, rules, left, goal, way, end)
                ways += tried
                if found:
                    return ways, True
    return ways, False


@inner_kernel
def _turn_end(columns: Any, table: Any, rules: Any, left: Any, goal: Any, way: Any, end: Any) -> Any:
    """Try the corners at one end of a column that hold the person.

    ``end`` has the node's entities in the order of the column, the column, the side, how many corners to try,
    which rows the node's own split sends left, room for the rows of the corner, and what was drafted before.
    """
    entities, j, side, most, own, inside, drafted = end
    rows = table.copied[entities]
    start, code, size = columns.starts[j], columns.codes[j], len(rows)
    ways = tried = lead = 0
    inside[:] = False
    _take_back(table, left, drafted)
    reach = 2 * left[FLIP] + left[REMOVE] + left[ADD]
    for k in range(1, size):
        before = rows[k - 1] if side == 0 else rows[size - k]
        after = rows[k] if side == 0 else rows[size - 1 - k]
        label = drafted[0][entities[k - 1] if side == 0 else entities[size - k]]
        lead += 1 if label == goal.expected else (-1 if label == goal.target else 0)
        inside[before] = True
        if code[before] == code[after]:
            continue
        middle = columns.values[start + code[before]] / 2 + columns.values[start + code[after]] / 2
        if (goal.x[j] <= middle) != (side == 0):
            continue
        if tried == most or lead > reach + size // 8:
            break
        if lead > reach:
            continue
        tried += 1
        for everything in (False, True):
            _take_back(table, left, drafted)
            needed = lead + 1 if goal.target > goal.expected else lead
            spend(table, rules, left, goal, inside, reach if everything else needed)
            if not _is_ahead(table, entities, inside, own, len(way.counts)):
                continue
            follow(columns, table, goal.x, goal.depth, way)
            ways += 1
            if winner(table.criterion, way.counts) != goal.expected:
                return ways, True
    return ways, False


@inner_kernel
def _take_back(table: Any, left: Any, drafted: Any) -> None:
    """Go back to what was drafted before."""
    table.label[:], table.following[:], left[:] = drafted


@inner_kernel
def _is_ahead(table: Any, entities: Any, inside: Any, own: Any, n_labels: int) -> bool:
    """Whether cutting the corner off has at least the score of the node's own split by now."""
    counts = np.zeros((4, n_labels), np.int64)
    for first in entities:
        r = table.copied[first]
        e = first if first < len(own) else -1
        while e >= 0:
            label = table.label[e]
            if label >= 0:
                counts[0 if inside[r] else 1, label] += 1
                counts[2 if own[r] else 3, label] += 1
            e = table.following[e]
    criterion = table.criterion
    corner = value(criterion, counts[0]) + value(criterion, counts[1])
    return bool(corner >= value(criterion, counts[2]) + value(criterion, counts[3]) - 1e-9)
