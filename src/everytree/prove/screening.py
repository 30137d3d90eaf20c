"""Screening: people to whom no leaf below a split gives another label, whatever split comes last.

Between the domains and the walk. On continuous columns a nearly pure node has thousands of splits that may be
best, and as many children with as many last splits again. Most people lie far from all of their leaves that
could ever turn; counts alone show that, for all last splits of a column at once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from everytree.learner.criterion.front import WEIGHTED
from everytree.prove.domains.leaf import can_lead
from everytree.prove.views import LARGEST
from everytree.support.kernels import kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from everytree.prove.problem import Problem
    from everytree.prove.routing import Cuts

ROW_SECONDS = 1.2e-7
"""About what a row of one column costs that is looked at, with the people who are compared with it."""


SCREENED_CELLS = 5_000_000
"""Rows times columns that are screened before others have their turn."""


class Sorted(NamedTuple):
    """A node's rows in the order of each column: their places in the node, their codes and types there."""

    place: NDArray[np.int32]
    code: NDArray[np.int32]
    type: NDArray[np.int32]


class Below(NamedTuple):
    """What splits of a node may bring to the leaves below them.

    ``feature`` and ``low`` are the splits, ``most[c, side, y, j]`` bounds what label j may gain on y there.
    """

    feature: NDArray[np.int32]
    low: NDArray[np.int32]
    most: NDArray[np.int64]


def can_screen(problem: Problem) -> bool:
    """Whether a lead is a difference of counts: with class weights it is not."""
    return problem.criterion.code < WEIGHTED


@kernel
def sort_rows(columns: Any, types: Any, rows: Any) -> Any:
    """Put the rows of a node in the order of each column."""
    n_columns = columns.codes.shape[0]
    place = np.empty((n_columns, len(rows)), np.int32)
    code = np.empty((n_columns, len(rows)), np.int32)
    of_type = np.empty((n_columns, len(rows)), np.int32)
    for j in range(n_columns):
        own = columns.codes[j][rows]
        order = np.argsort(own)
        for i in range(len(rows)):
            place[j, i] = order[i]
            code[j, i] = own[order[i]]
            of_type[j, i] = types.of_row[rows[order[i]]]
    return Sorted(place, code, of_type)


class Visitors(NamedTuple):
    """People who come to a node: their numbers, all features and labels, and where splits send them."""

    people: NDArray[np.int32]
    X: NDArray[np.float32]
    expected: NDArray[np.int64]
    cuts: Cuts


@kernel
def screen(columns: Any, types: Any, budget: Any, ordered: Any, below: Any, visitors: Any, part: Any) -> Any:
    """Who may get another label below some splits: (children, people), the children being left and right.

    ``part`` has the first and the last of the splits to look at, and whether thresholds are midpoints. Also
    gives, for each of the people, the number of children where they come and are safe, and the number of rows
    that were looked at.

    Soundness
    ---------
    A leaf below a child is the child itself or one side of a split of it: a head or a tail of the child's
    rows in the order of a column, or, where rows may be added, no row of T at all. With rows of T its label
    is not y only if some j can gain on y what it lacks. Of all heads of a column that can turn, the longest
    has the largest threshold: whoever goes left of that cut may be in such a leaf, and nobody else is.
    """
    begin, end, exact = part
    people, X, expected, cuts = visitors
    n_columns, n_rows = ordered.code.shape
    n_labels, n_types = types.measures.shape[2], len(types.label)
    failing = np.zeros((2 * (end - begin), len(people)), np.bool_)
    safe = np.zeros(len(people), np.int64)
    side_of = np.empty(n_rows, np.int8)
    total = np.empty((2, n_types), np.int64)
    active = np.empty(n_labels, np.bool_)
    ends = np.empty((2, n_labels))
    here = np.empty(len(people), np.int64)
    looked_at = 0
    for c in range(begin, end):
        total[:] = 0
        f = below.feature[c]
        for i in range(n_rows):
            side = 0 if ordered.code[f, i] <= below.low[c] else 1
            side_of[ordered.place[f, i]] = side
            total[side, ordered.type[f, i]] += 1
        looked_at += n_rows
        for side in range(2):
            child, most = 2 * (c - begin) + side, below.most[c, side]
            active[:] = False
            used = 0
            for k in range(len(people)):
                x = X[f, people[k]]
                if (side == 0 and x <= cuts.left[c]) or (side == 1 and x > cuts.right[c]):
                    here[used] = k
                    used += 1
                    active[expected[people[k]]] = True
            longest = _as_leaf(total[side], types, budget, most, active)
            remaining = 0
            for k in here[:used]:
                failing[child, k] = not active[expected[people[k]]]
                if not failing[child, k]:
                    here[remaining] = k
                    remaining += 1
            for j in range(n_columns):
                if remaining == 0:
                    break
                for tail in (False, True):
                    how = (j, side_of, side, longest, tail, exact)
                    looked_at += _turning(columns, types, budget, ordered, how, most, active, ends)
                used, remaining = remaining, 0
                for k in here[:used]:
                    x, y = X[j, people[k]], expected[people[k]]
                    failing[child, k] = x <= ends[0, y] or x > ends[1, y]
                    if not failing[child, k]:
                        here[remaining] = k
                        remaining += 1
            for k in here[:remaining]:
                safe[k] += 1
    return failing, safe, looked_at


@kernel
def _as_leaf(total: Any, types: Any, budget: Any, most: Any, active: Any) -> int:
    """Leave those labels active that a child keeps as a leaf; gives the rows of the longest box to look at.

    With w rows of other labels in the child, w_j of label j, a box of i rows has i - w or more of label y and
    w_j or fewer of label j: it may turn only if i <= w + w_j + most.
    """
    n_labels = len(active)
    own = np.zeros(n_labels, np.int64)
    for t in range(len(total)):
        own[types.label[t]] += total[t]
    n_rows = own.sum()
    longest = 0
    for y in range(n_labels):
        if active[y] and (n_rows == 0 or _turns(own, total, y, types, budget, most)):
            active[y] = False
        if active[y]:
            for j in range(n_labels):
                if j != y:
                    longest = max(longest, n_rows - own[y] + own[j] + most[y, j])
    return longest


@kernel
def _turns(own: Any, counts: Any, y: int, types: Any, budget: Any, most: Any) -> bool:
    """Whether a leaf with these rows, by label and by type, may give another label than y."""
    for j in range(len(own)):
        lacking = own[y] - own[j] + (1 if j > y else 0)
        if j == y or lacking > most[y, j]:
            continue
        freely = budget.additions > 0 and budget.addable[j]
        by_flip = budget.additions > 0 and budget.added_flips_to[j] and budget.addable.any()
        new = (budget.additions if freely else 0, budget.additions if by_flip and not freely else 0)
        if can_lead(counts, y, j, types, budget, new):
            return True
    return False


@kernel
def _turning(
    columns: Any, types: Any, budget: Any, ordered: Any, how: Any, most: Any, active: Any, ends: Any
) -> int:
    """Find the cuts of a column that send people to a leaf that may turn: ``ends[0, y]`` and ``ends[1, y]``.

    Whoever expects y and has a value of at most ``ends[0, y]``, or above ``ends[1, y]``, may come to one.
    ``how`` has the column, the side of every row, the side of the child, the rows of the longest box, whether
    tails are asked for instead of heads, and whether thresholds are midpoints. Gives the rows looked at.
    """
    j, side_of, side, longest, tail, exact = how
    n_rows = ordered.code.shape[1]
    n_labels = len(active)
    counts = np.zeros(len(types.label), np.int64)
    own = np.zeros(n_labels, np.int64)
    start = columns.starts[j]
    ends[1 if tail else 0] = np.inf if tail else -np.inf
    seen = 0
    last = -1
    i = 0
    while i < n_rows and seen <= longest:
        at = n_rows - 1 - i if tail else i
        i += 1
        if side_of[ordered.place[j, at]] != side:
            continue
        code = ordered.code[j, at]
        if seen == 0 and budget.additions > 0:
            # added rows alone may lie beyond
            value = np.float64(columns.values[start + code])
            ends[1 if tail else 0] = value if tail else np.nextafter(value, -np.inf)
        if seen > 0 and code != last:
            a, b = (code, last) if tail else (last, code)
            below, above = np.float64(columns.values[start + a]), np.float64(columns.values[start + b])
            threshold = min(below / 2 + above / 2, LARGEST)
            if not exact:
                threshold = below if tail else np.nextafter(above, -np.inf)
            for y in range(n_labels):
                if active[y] and _turns(own, counts, y, types, budget, most):
                    ends[1 if tail else 0, y] = threshold
        counts[ordered.type[j, at]] += 1
        own[types.label[ordered.type[j, at]]] += 1
        last = code
        seen += 1
    return i
