"""Nodes whose best splits are known: most changes lead to rows that another change led to before; compiled.

Below `tied_ways.py`, which asks before it scores the splits of a node. One that a change does not reach, and
only the split above is another, is met again and again, by other people and after other changes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from everytree.refute.change_kinds import NODE, find_ties
from everytree.support.kernels import bare_kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray

SLOTS, MOST_NODES, MOST_SPLITS = 1 << 18, 1 << 17, 1 << 18
"""Places for nodes, a power of two; how many of them are used, and how many splits are kept. Then all are
forgotten."""

MOST_TIES = 16
"""Splits of a node that are kept; nodes with more are not."""

PRIME, LARGEST_STEP = (1 << 61) - 1, 1 << 44
"""Keys are added up modulo a prime, without overflow; by how much each label adds to them, at most."""

NODES, SPLITS = 0, 1
"""What `KnownNodes.used` counts."""


class KnownNodes(NamedTuple):
    """Nodes by their rows and labels, and the splits that the learner may take there.

    A node has the key and the number of its rows, whether the learner may stop, and where its splits begin
    and end. These have their columns, last codes on the left, rows on the left, thresholds, the side of
    people without a value, and the number of the way in which they cut the rows.
    """

    key: NDArray[np.int64]
    rows: NDArray[np.int32]
    stops: NDArray[np.bool_]
    begin: NDArray[np.int32]
    end: NDArray[np.int32]
    column: NDArray[np.int32]
    low: NDArray[np.int32]
    n_left: NDArray[np.int64]
    threshold: NDArray[np.float64]
    without: NDArray[np.int8]
    cut: NDArray[np.int32]
    used: NDArray[np.int64]


def no_known_nodes() -> KnownNodes:
    """Nothing is known to begin with."""
    key, rows, stops = np.empty((SLOTS, 2), np.int64), np.zeros(SLOTS, np.int32), np.empty(SLOTS, np.bool_)
    begin, end = np.empty(SLOTS, np.int32), np.empty(SLOTS, np.int32)
    column, low, cut = (np.empty(MOST_SPLITS, np.int32) for _ in range(3))
    n_left, threshold = np.empty(MOST_SPLITS, np.int64), np.empty(MOST_SPLITS)
    without, used = np.empty(MOST_SPLITS, np.int8), np.zeros(2, np.int64)
    return KnownNodes(key, rows, stops, begin, end, column, low, n_left, threshold, without, cut, used)


def row_keys(n_rows: int) -> NDArray[np.int64]:
    """Four numbers for each row of a table, drawn at random: see `key_of`."""
    rng = np.random.default_rng()
    label_0, step = rng.integers(PRIME, size=(n_rows, 2)), rng.integers(1, LARGEST_STEP, size=(n_rows, 2))
    return np.hstack([label_0, step])


def labelled(keys: NDArray[np.int64], label: NDArray[np.int64]) -> NDArray[np.int64]:
    """Keys of rows with their labels."""
    number, step = keys[:, :2], keys[:, 2:]
    return np.hstack([(number + label[:, None] * step) % PRIME, step])


@bare_kernel
def ties_of(
    criterion: Any,
    columns: Any,
    step: float,
    spot: Any,
    label: Any,
    changes: Any,
    live: Any,
    n_kinds: int,
    branches: Any,
    kinds: Any,
    rivals: Any,
    known: Any,
) -> Any:
    """List the splits that may be taken after each kind of change; gives the cuts, and cells looked at.

    A node is known if it has only one kind of change, none as a rule: then it is some rows with labels.
    """
    size = live.shape[1]
    key, at = (0, 0), -1
    if n_kinds == 1:
        key = key_of(spot, live[0], changes[kinds.change[0]], kinds)
        at = place_of(known, key, size)
        if known.rows[at]:
            return recall(known, at, kinds, rivals), size * len(spot.order)
    what = criterion, columns, spot, step, label, changes, live
    n_cuts, scored = find_ties(*what, n_kinds, branches, kinds, rivals)
    if n_kinds == 1:
        keep(known, at, key, size, kinds, rivals)
    return n_cuts, size * len(spot.code) + scored


@bare_kernel
def key_of(spot: Any, rows: Any, change: Any, kinds: Any) -> Any:
    """Add up the key of a node with these rows, after a change of labels.

    Soundness
    ---------
    A row with label i has the numbers a + i b, modulo a prime, of which a and b are drawn for each question.
    The sums of two nodes that differ in a row differ by its a, those of nodes that differ in a label by a
    multiple of b, beside what others add: whatever the table is, both are equal with a chance of less than 1
    in 10^25. A machine fails more often.
    """
    one = other = 0
    for r in rows:
        one += spot.key[r, 0]
        other += spot.key[r, 1]
        one -= PRIME * (one >= PRIME)
        other -= PRIME * (other >= PRIME)
    for k in range(len(change)):
        r = change[k, 0]
        if r >= 0 and kinds.inside[r] == kinds.marks[NODE]:
            rise = change[k, 1] - spot.label[r]
            one, other = (one + rise * spot.key[r, 2]) % PRIME, (other + rise * spot.key[r, 3]) % PRIME
    return one, other


@bare_kernel
def place_of(known: Any, key: Any, n_rows: int) -> int:
    """Where a node is, or would be put."""
    at = int(key[0] & (SLOTS - 1))
    while known.rows[at] and not (
        known.rows[at] == n_rows and known.key[at, 0] == key[0] and known.key[at, 1] == key[1]
    ):
        at = (at + 1) & (SLOTS - 1)
    return at


@bare_kernel
def recall(known: Any, at: int, kinds: Any, rivals: Any) -> int:
    """Take the splits of a known node as those of the present one, for its only kind; says how many cuts."""
    n_cuts = 0
    kinds.stops[0], kinds.begin[0], kinds.end[0] = known.stops[at], 0, known.end[at] - known.begin[at]
    for s in range(kinds.end[0]):
        k = known.begin[at] + s
        rivals.column[s], rivals.low[s], rivals.n_left[s] = known.column[k], known.low[k], known.n_left[k]
        rivals.threshold[s], rivals.without[s] = known.threshold[k], known.without[k]
        rivals.cut[s], kinds.ties[s] = known.cut[k], s
        kinds.cuts[known.cut[k]] = s
        n_cuts = max(n_cuts, known.cut[k] + 1)
    return n_cuts


@bare_kernel
def keep(known: Any, at: int, key: Any, n_rows: int, kinds: Any, rivals: Any) -> None:
    """Keep the splits that were found for the only kind of a node, in its place."""
    ties = kinds.ties[kinds.begin[0] : kinds.end[0]]
    if kinds.unsure[0] or len(ties) > MOST_TIES:
        return
    if known.used[NODES] == MOST_NODES or known.used[SPLITS] + len(ties) > MOST_SPLITS:
        known.rows[:] = 0
        known.used[:] = 0
        at = int(key[0] & (SLOTS - 1))
    known.key[at, 0], known.key[at, 1], known.rows[at] = key[0], key[1], n_rows
    known.stops[at], known.begin[at] = kinds.stops[0], known.used[SPLITS]
    for s in ties:
        k = known.used[SPLITS]
        known.column[k], known.low[k], known.n_left[k] = rivals.column[s], rivals.low[s], rivals.n_left[s]
        known.threshold[k], known.without[k] = rivals.threshold[s], rivals.without[s]
        known.cut[k] = rivals.cut[s]
        known.used[SPLITS] += 1
    known.end[at] = known.used[SPLITS]
    known.used[NODES] += 1
