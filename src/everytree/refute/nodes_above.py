"""What changes of a node do to the nodes above it: the highest one that takes another split; compiled.

Below `node_changes.py`. All nodes on the way up are looked at in one call of a kernel: what there is to say
about most of them takes less time than a call.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from everytree.refute.deviating import deviating
from everytree.refute.deviating_flips import deviating_by_flips
from everytree.support.kernels import kernel, part_of_kernel

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from everytree.refute.usual_nodes import Task


class NodesAbove(NamedTuple):
    """Nodes on the way up, the nearest first: their splits one after the other, and labels.

    Those of node k are from ``begins[k]`` to ``begins[k + 1]``; one changed row moves none of its scores by
    more than ``steps[k]``.
    """

    feature: NDArray[np.int32]
    low: NDArray[np.int32]
    left: NDArray[np.int64]
    usual: NDArray[np.bool_]
    begins: NDArray[np.int64]
    total: NDArray[np.int64]
    steps: NDArray[np.float64]


def nodes_above(task: Task, step: Callable[[int], float]) -> NodesAbove | None:
    """Collect the nodes above one; None if there are none."""
    tasks: list[Task] = []
    while task.above is not None:
        task = task.above
        tasks.append(task)
    if not tasks:
        return None
    splits = [task.splits for task in tasks if task.splits is not None]  # all: a leaf has nothing below it
    feature, low, left = (np.concatenate(parts) for parts in zip(*splits, strict=True))
    begins = np.append(0, np.cumsum([len(part) for part, _, _ in splits]))
    usual = np.concatenate([task.usual for task in tasks])
    total, steps = np.array([task.total for task in tasks]), np.array([step(len(t.node.rows)) for t in tasks])
    return NodesAbove(feature, low, left, usual, begins, total, steps)


@kernel
def highest_by_flips(spot: Any, above: Any, changes: Any) -> Any:
    """As `highest_altered`, for flips and Gini."""
    highest, work = np.zeros(len(changes), np.int64), 0
    for k in range(len(above.steps)):
        splits, usual = _of_node(above, k)
        found, scored = deviating_by_flips(spot, splits, above.total[k], usual, changes)
        highest[found >= 0] = k + 1
        work += scored
    return highest, work


@kernel
def highest_altered(criterion: Any, spot: Any, above: Any, numbers: Any, changes: Any) -> Any:
    """How far up the highest node is that takes another split after each change, 0 for none; splits scored.

    ``spot`` has all rows of the table.
    """
    highest, work = np.zeros(len(changes), np.int64), 0
    for k in range(len(above.steps)):
        splits, usual = _of_node(above, k)
        step = above.steps[k]
        found, scored = deviating(criterion, spot, splits, above.total[k], usual, step, numbers, changes)
        highest[found >= 0] = k + 1
        work += scored
    return highest, work


@part_of_kernel
def _of_node(above: Any, k: int) -> Any:
    """The splits of one node above, and which of them are usual."""
    some = slice(above.begins[k], above.begins[k + 1])
    return (above.feature[some], above.low[some], above.left[some]), above.usual[some]
