"""One person's way through the tree of a changed table: only the splits on that way are computed.

Below `attacks.py`. It learns as scikit-learn does, but breaks ties by the first column, so what it says of a
table is a guess that `judge.py` confirms by retraining. No proof rests on it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from everytree.learner.criterion.front import (
    AT,
    WEIGHTED,
    for_kernels,
    joined,
    lookup,
    raised,
    summed,
    value,
)
from everytree.prove.views import LARGEST
from everytree.support.kernels import inner_kernel, kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from everytree.learner.criterion.front import Criterion
    from everytree.prove.counts import Columns
    from everytree.prove.problem import Problem


class Draft(NamedTuple):
    """A changed table being drafted: the training rows, then room for copies of them.

    ``label[e]`` is the label of entity e, -1 where it is not in the table; ``copied[e]`` the training row
    whose features it has; ``following[e]`` the next copy of the same training row, -1 if there is none.
    ``order[j]`` lists the training rows by column j; ``live`` has room for the same of one node.
    ``numbers`` is what the criterion looks up while splits are scored row by row. ``weighs`` says whether its
    class weights, a copy of its own, move with the table, and counts the labels elsewhere. ``needed`` are the
    rows that each side of a split must keep, and those of a node that is split.
    """

    label: NDArray[np.int32]
    copied: NDArray[np.int32]
    following: NDArray[np.int32]
    order: NDArray[np.int32]
    live: NDArray[np.int32]
    criterion: Criterion | None
    numbers: NDArray[np.float64]
    weighs: tuple[bool, NDArray[np.int64]]
    needed: tuple[int, int]


class Way(NamedTuple):
    """Where a person comes to: the splits taken (feature, last code on the left, side), first from the root.

    ``size`` entities are left there, in ``Draft.live[0]``; ``counts`` are their labels.
    """

    feature: NDArray[np.int32]
    low: NDArray[np.int32]
    side: NDArray[np.int8]
    counts: NDArray[np.int64]


def draft(problem: Problem, columns: Columns, y: NDArray[np.int64], additions: int) -> Draft:
    """Begin with the rows of a node as they are, with room for so many added rows."""
    criterion, floors, n_labels = problem.criterion, problem.floors, problem.bias.n_labels
    n_columns, n_rows = columns.codes.shape
    room = n_rows + additions
    label = np.full(room, -1, np.int32)
    label[:n_rows] = y
    copied = np.zeros(room, np.int32)
    copied[:n_rows] = np.arange(n_rows)
    order = np.argsort(columns.codes, axis=1, kind="stable").astype(np.int32)
    live = np.empty((n_columns, room), np.int32)
    following = np.full(room, -1, np.int32)
    own = for_kernels(criterion._replace(weights=criterion.weights.copy()))
    numbers, needed = lookup(criterion, room), (floors.leaf_low, floors.node_low)
    elsewhere = np.bincount(problem.table.y, minlength=n_labels) - np.bincount(y, minlength=n_labels)
    weighs = len(problem.criteria) > 1, elsewhere
    return Draft(label, copied, following, order, live, own, numbers, weighs, needed)


def new_way(n_labels: int, longest: int) -> Way:
    """Room for one way."""
    steps = (np.empty(longest, np.int32), np.empty(longest, np.int32), np.empty(longest, np.int8))
    return Way(*steps, np.zeros(n_labels, np.int64))


@kernel
def follow(columns: Any, table: Any, x: Any, depth: int, way: Any) -> Any:
    """Learn along one person's way; gives the number of splits taken and of entities at the end.

    Splits maximise the criterion's score; thresholds are midpoints. ``way.counts`` holds the labels at the
    end.
    """
    size = _fill(table)
    if table.weighs[0]:
        _count(table, size, way.counts)
        _weigh(table.criterion, way.counts, table.weighs[1])
    steps = 0
    while True:
        _count(table, size, way.counts)
        if steps >= depth or steps >= len(way.feature) or way.counts.max() == size or size < table.needed[1]:
            return steps, size
        feature, low, high, _ = best_split(columns, table, size, way.counts)
        if feature < 0:
            return steps, size
        start = columns.starts[feature]
        # np.float64 first: the learner halves in double precision
        middle = np.float64(columns.values[start + low]) / 2 + np.float64(columns.values[start + high]) / 2
        side = 0 if x[feature] <= min(middle, LARGEST) else 1
        if np.isinf(x[feature]) and not _someone_lacks(columns, table, size, feature):
            side = 0 if 2 * _left_of(columns, table, size, feature, low) > size else 1
        way.feature[steps], way.low[steps], way.side[steps] = feature, low, side
        size = _keep_side(columns, table, size, feature, low, side)
        steps += 1


@inner_kernel
def _weigh(criterion: Any, counts: Any, elsewhere: Any) -> None:
    """Balance the class weights for a table with these label counts, here and elsewhere."""
    if criterion is not None:
        for i in range(len(counts)):
            criterion.weights[AT, i] = 1.0 / max(1, counts[i] + elsewhere[i])


@inner_kernel
def _someone_lacks(columns: Any, table: Any, size: int, feature: int) -> bool:
    """Whether a row of the node lacks the feature: in its views that is the first or the last value."""
    start, code, live = columns.starts[feature], columns.codes[feature], table.live[feature]
    first = columns.values[start + code[table.copied[live[0]]]]
    last = columns.values[start + code[table.copied[live[size - 1]]]]
    return bool(np.isinf(first) or np.isinf(last))


@inner_kernel
def _left_of(columns: Any, table: Any, size: int, feature: int, low: int) -> int:
    count = 0
    for k in range(size):
        count += columns.codes[feature][table.copied[table.live[feature, k]]] <= low
    return count


@inner_kernel
def _fill(table: Any) -> int:
    """List the entities of the whole table by every column; copies stand behind their originals."""
    size = 0
    for j in range(table.order.shape[0]):
        size = 0
        for r in table.order[j]:
            if table.label[r] >= 0:
                table.live[j, size] = r
                size += 1
            e = table.following[r]
            while e >= 0:
                table.live[j, size] = e
                size += 1
                e = table.following[e]
    return size


@inner_kernel
def _count(table: Any, size: int, counts: Any) -> None:
    counts[:] = 0
    for k in range(size):
        counts[table.label[table.live[0, k]]] += 1


@inner_kernel
def best_split(columns: Any, table: Any, size: int, counts: Any) -> Any:
    """The best split of the node: feature, last code on the left, first on the right, score; -1 if none."""
    return _best_split(table.criterion, columns, table, size, counts)


@inner_kernel
def _best_split(criterion: Any, columns: Any, table: Any, size: int, counts: Any) -> Any:
    if criterion is not None and criterion.code >= WEIGHTED:
        return _best_weighted_split(columns, table, size, counts)
    best = -np.inf
    feature = low = high = -1
    left = np.zeros(len(counts), np.int64)
    label, copied, numbers, leaf = table.label, table.copied, table.numbers, table.needed[0]
    whole = summed(criterion, numbers, counts)
    for j in range(table.live.shape[0]):
        code, live = columns.codes[j], table.live[j]
        left[:] = 0
        of_left, of_right = 0.0, whole
        e = live[0]
        here = code[copied[e]]
        for k in range(1, size):
            i = label[e]
            c = left[i]
            of_left += raised(criterion, numbers, c)
            of_right -= raised(criterion, numbers, counts[i] - c - 1)
            left[i] = c + 1
            e = live[k]
            after = code[copied[e]]
            if after != here:
                score = joined(criterion, numbers, of_left, k, of_right, size - k)
                if score > best and leaf <= k <= size - leaf:
                    best, feature, low, high = score, j, here, after
                here = after
    return feature, low, high, best


@inner_kernel
def _best_weighted_split(columns: Any, table: Any, size: int, counts: Any) -> Any:
    """The same with class weights: branches are scored where a value ends."""
    best = -np.inf
    feature = low = high = -1
    left = np.zeros(len(counts), np.int64)
    right = np.zeros(len(counts), np.int64)
    label, copied, criterion, leaf = table.label, table.copied, table.criterion, table.needed[0]
    for j in range(table.live.shape[0]):
        code, live = columns.codes[j], table.live[j]
        left[:] = 0
        right[:] = counts
        here = code[copied[live[0]]]
        for k in range(1, size):
            i = label[live[k - 1]]
            left[i] += 1
            right[i] -= 1
            after = code[copied[live[k]]]
            if after != here:
                score = value(criterion, left) + value(criterion, right)
                if score > best and leaf <= k <= size - leaf:
                    best, feature, low, high = score, j, here, after
                here = after
    return feature, low, high, best


@inner_kernel
def _keep_side(columns: Any, table: Any, size: int, feature: int, low: int, side: int) -> int:
    code, copied, right = columns.codes[feature], table.copied, side == 1
    used = 0
    for j in range(table.live.shape[0]):
        live = table.live[j]
        used = 0
        for k in range(size):
            e = live[k]
            live[used] = e  # without a branch: what does not stay is written over
            used += (code[copied[e]] > low) == right
    return used
