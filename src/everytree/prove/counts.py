"""Compiled counting: coded columns, types of rows, and the class counts of every split of a node.

The lowest room that computes: it turns a table and a resolved bias model into integers, and nothing
above it ever looks at a training row again. Domains read the counts, the walk asks for them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from everytree.errors import TableError
from everytree.support.kernels import kernel, part_of_kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from everytree.bias import ResolvedBias

MOST_ROWS = 2**31 - 1
"""Rows of a training table: their numbers, their codes and the counts of branches are int32.

Whatever an added row enters is int64 or float64. At most m <= 10^12 rows are added in all (`resolve` refuses
more), at most n + m labels flipped and fewer than n rows removed, so every sum of counts stays below 10^13;
float64 is exact for whole numbers up to 9 * 10^15. Scores, costs and gains are rounded: sums of at most some
hundred products, none above 4 (n + m), without differences of squares (see the slopes of
`learner/criterion/gini.py`), so by less than 10^-11 (n + m). The tolerance for ties is ten times that.
"""


class Columns(NamedTuple):
    """Feature columns, each value replaced by its rank among the column's distinct values.

    ``codes[j, r]`` is the rank of row r in column j; ``values[starts[j] + code]`` gives the value back;
    ``boolean[j]`` says that the column can hold nothing but 0 and 1, in added rows either;
    ``source[j]`` is the feature that it shows: one with holes is shown twice (`prove/views.py`).
    """

    codes: NDArray[np.int32]
    values: NDArray[np.float32]
    starts: NDArray[np.int64]
    boolean: NDArray[np.bool_]
    source: NDArray[np.int64]


class RowTypes(NamedTuple):
    """Rows that a bias model cannot tell apart: same label, same allowed flips, both removable or not.

    ``of_row[r]`` is the type of row r. Counts by type carry everything a domain needs to know.
    ``measures[t, q, i]`` is 1 where a row of type t counts for measure q of label i (see `OWN` and below).
    """

    of_row: NDArray[np.int32]
    label: NDArray[np.int64]
    flips_to: NDArray[np.bool_]
    removable: NDArray[np.bool_]
    measures: NDArray[np.int64]


OWN, AWAY, TOWARDS, REMOVABLE = 0, 1, 2, 3
"""Measures of label i in a branch: rows that carry it, those of them that may be flipped to another label,
rows of other labels that may be flipped to it, and rows that carry it and may be removed."""

MOST_COUNTED = 2.0**20
"""Numbers up to here are counted instead of sorted if they are whole; larger ones might overflow."""


class Budget(NamedTuple):
    """What may still happen: additions m, flips l, removals k, and which labels additions may carry."""

    additions: int
    flips: int
    removals: int
    addable: NDArray[np.bool_]
    added_flips_to: NDArray[np.bool_]


class Splits(NamedTuple):
    """The candidate splits of a node, by column and then by position.

    Split s sends code <= ``low[s]`` of column ``feature[s]`` to the left and code >= ``high[s]`` to the
    right; no row of the node lies between. An *outer* split has all rows on one side and only added rows
    on the other: ``low`` is -1, or ``high`` is the number of codes of the column.
    ``left[s, t]`` counts the rows of type t on the left, ``total[t]`` those of the node.
    ``additions[s, side]`` bounds the added rows on each side.
    """

    feature: NDArray[np.int32]
    low: NDArray[np.int32]
    high: NDArray[np.int32]
    left: NDArray[np.int32]
    total: NDArray[np.int64]
    additions: NDArray[np.int64]


def code_columns(
    X: NDArray[np.float32], boolean: NDArray[np.bool_], source: NDArray[np.int64] | None = None
) -> Columns:
    """Rank-code every column of a float32 matrix (columns contiguous).

    `source` names the features that the columns show, all in order by default. `boolean` says which columns
    can never hold anything but 0 and 1, in added rows either: an ordinal code with two categories is not
    among them, because a category never seen has a code of its own.
    """
    n_rows, n_columns = X.shape
    if n_rows > MOST_ROWS:
        raise TableError(
            f"A training table has at most {MOST_ROWS} rows; received {n_rows}. Certify a part of the table."
        )
    codes = np.empty((n_columns, n_rows), np.int32)
    distinct = []
    for j in range(n_columns):
        codes[j], values = _ranked(X[:, j])
        distinct.append(values)
    starts = np.concatenate(([0], np.cumsum([len(values) for values in distinct]))).astype(np.int64)
    source = np.arange(n_columns) if source is None else source
    return Columns(codes, np.concatenate(distinct), starts, np.asarray(boolean, np.bool_), source)


def _ranked(column: NDArray[np.float32]) -> tuple[NDArray[Any], NDArray[np.float32]]:
    """The place of each number among the distinct ones, and those in order.

    To sort takes the longest by far. Two values need no sorting, nor do numbers that are whole steps apart:
    they are counted by the step. Steps grow with the numbers, so where all numbers of a step are one, as is
    held against the column, the steps are in order and so are they.
    """
    low, high = column.min(), column.max()
    if low < high:
        is_high = column == high
        if (is_high | (column == low)).all():
            return is_high, np.array([low, high])
    if low >= -MOST_COUNTED and high <= MOST_COUNTED and high - low < len(column):
        rows, codes = _in_turn((column - low).astype(np.int64))
        values = column[rows]
        if (values[codes] == column).all():
            return codes, values
    ordered = np.sort(column)
    keep = np.ones(len(column), np.bool_)
    np.not_equal(ordered[1:], ordered[:-1], out=keep[1:])
    values = ordered[keep]
    return np.searchsorted(values, column), values


def type_rows(y: NDArray[np.int64], bias: ResolvedBias) -> RowTypes:
    """Group the training rows by label, allowed flips and removability.

    Flips that no budget allows are left out, so that an unused condition costs nothing.
    """
    n_labels = bias.n_labels
    flips_to = bias.flips_to if bias.flips > 0 else np.zeros((len(y), n_labels), np.bool_)
    removable = bias.removable if bias.removals > 0 else np.zeros(len(y), np.bool_)
    signature = y * 2 + removable
    example, of_row = _in_turn(signature)
    for j in range(n_labels):
        if (flips_to[:, j] != flips_to[example[of_row], j]).any():
            example, of_row = _in_turn(of_row * 2 + flips_to[:, j])
    label, flips_to, removable = y[example], flips_to[example], removable[example]
    measures = np.zeros((len(example), 4, n_labels), np.int64)
    each = np.arange(len(example))
    measures[each, OWN, label] = 1
    measures[each, AWAY, label] = flips_to.any(axis=1)
    measures[:, TOWARDS, :] = flips_to
    measures[each, REMOVABLE, label] = removable
    return RowTypes(of_row.astype(np.int32), label, flips_to, removable, measures)


def _in_turn(numbers: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """For small whole numbers: a row that holds each one of them, in their order, and the place of each."""
    present = np.bincount(numbers) > 0
    of_row = (np.cumsum(present) - 1)[numbers]
    some_row = np.empty(int(present.sum()), np.int64)
    some_row[of_row] = np.arange(len(numbers))
    return some_row, of_row


@kernel
def node_total(rows: Any, types: Any) -> Any:
    """Count the rows of each type in a node."""
    total = np.zeros(len(types.label), np.int64)
    for r in rows:
        total[types.of_row[r]] += 1
    return total


@part_of_kernel
def rows_in(total: Any) -> Any:
    """How many rows there are of all types together; numpy's sum takes longer to compile."""
    n_rows = 0
    for t in range(len(total)):
        n_rows += total[t]
    return n_rows


@kernel
def node_splits(columns: Any, types: Any, rows: Any, additions: int, pinned: Any, outer: bool) -> Any:
    """Every split of a node, with the counts of its left side: one histogram pass for each column.

    With additions > 0 and `outer` the outer splits come along. A column of zeros and ones has an outer
    split only where the node lacks one of the two values and no split above (``pinned``) has settled it.
    Nothing lies beyond the infinity that stands for what is missing.
    """
    n_columns = columns.codes.shape[0]
    n_types = len(types.label)
    total = node_total(rows, types)
    room = 0
    widest = 0
    for j in range(n_columns):
        n_codes = columns.starts[j + 1] - columns.starts[j]
        room += min(n_codes, len(rows)) + 1
        widest = max(widest, n_codes)
    feature = np.empty(room, np.int32)
    low = np.empty(room, np.int32)
    high = np.empty(room, np.int32)
    left = np.empty((room, n_types), np.int32)
    histogram = np.zeros((widest, n_types), np.int64)
    running = np.zeros(n_types, np.int64)
    used = 0
    for j in range(n_columns):
        n_codes = columns.starts[j + 1] - columns.starts[j]
        code = columns.codes[j]
        first = n_codes
        last = -1
        for r in rows:
            c = code[r]
            histogram[c, types.of_row[r]] += 1
            first = min(first, c)
            last = max(last, c)
        outer_low = outer and additions > 0
        outer_high = outer_low
        if columns.boolean[j] and outer_low:
            value = columns.values[columns.starts[j] + first] if first < n_codes else np.float32(0)
            constant = first == last and not pinned[j]
            outer_low = constant and value == 1
            outer_high = constant and value == 0
        elif outer_low and last >= 0:
            outer_low = columns.values[columns.starts[j] + first] > -np.inf
            outer_high = columns.values[columns.starts[j] + last] < np.inf
        running[:] = 0
        previous = -1
        for c in range(first, last + 1):
            present = False
            for t in range(n_types):
                if histogram[c, t] > 0:
                    present = True
            if not present:
                continue
            if previous >= 0 or outer_low:
                feature[used] = j
                low[used] = previous
                high[used] = c
                for t in range(n_types):
                    left[used, t] = running[t]
                used += 1
            for t in range(n_types):
                running[t] += histogram[c, t]
                histogram[c, t] = 0
            previous = c
        if outer_high and previous >= 0:
            feature[used] = j
            low[used] = previous
            high[used] = n_codes
            for t in range(n_types):
                left[used, t] = total[t]
            used += 1
    sides = np.empty((used, 2), np.int64)
    for s in range(used):
        sides[s, 0] = additions
        sides[s, 1] = additions
        if low[s] < 0:
            sides[s, 1] -= 1
        elif high[s] >= columns.starts[feature[s] + 1] - columns.starts[feature[s]]:
            sides[s, 0] -= 1
    return Splits(feature[:used], low[:used], high[:used], left[:used], total, sides)


@kernel
def rows_of_side(columns: Any, rows: Any, feature: int, low: int, side: int) -> Any:
    """Rows of a node on one side of a split (0: left, 1: right)."""
    code = columns.codes[feature]
    chosen = np.empty(len(rows), np.int32)
    used = 0
    for r in rows:
        if (code[r] > low) == (side == 1):
            chosen[used] = r
            used += 1
    return chosen[:used].copy()
