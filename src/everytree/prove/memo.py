"""Whom a node has served already: the memory of the walk, so that equal nodes are looked at once.

Knows rows, budgets and people only by their numbers. The walk asks it before it looks at a node.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from everytree.prove.node import Node

UNLIMITED = -1
"""What stands for a depth that no tree of a node can use up."""


@dataclass(eq=False)
class Memo:
    """The most additions with which each person was served at each node, within `limit` bytes.

    `boolean` marks the columns of zeros and ones: a split above settles those for added rows, too.

    Soundness
    ---------
    A node with the same rows, depth, labels and places of added rows, and at least as many additions, has
    every table that this one has, so whatever label it may give was noted there or will be. A tree on r rows
    and m added ones is less deep than r + m: from there on all depths are alike. Only then can a node be
    served by one that it lies below, whose tables have more rows: by induction over the number of rows, the
    labels of each of its tables are noted.
    """

    n_people: int
    boolean: NDArray[np.bool_]
    limit: float
    served: dict[tuple[object, ...], NDArray[Any]] = field(default_factory=dict)
    used: float = 0.0

    def newcomers(self, node: Node, people: NDArray[np.int32], gains: bytes = b"") -> NDArray[np.int32]:
        """Those who were not here before with so many additions; they count as served from now on.

        ``gains`` is what else the answer rests on: what splits above leave to be gained in leaves.
        """
        additions = node.budget.additions
        served = self._served(node, gains)
        newcomers = people[served[people] < additions] if additions > 0 else people[~served[people]]
        served[newcomers] = additions if additions > 0 else True
        return newcomers

    def _served(self, node: Node, gains: bytes) -> NDArray[Any]:
        budget = node.budget
        most_depth = len(node.rows) + budget.additions
        key: tuple[object, ...] = (
            hashlib.blake2b(node.rows.tobytes(), digest_size=16).digest(),
            node.depth if node.depth < most_depth else UNLIMITED,
            gains,
        )
        if budget.additions > 0:
            places = tuple(sorted(node.bounds.items()))
            key = (*key, budget.addable.tobytes(), (node.pinned & self.boolean).tobytes(), places)
        served = self.served.get(key)
        if served is None:
            served = np.zeros(self.n_people, np.int64 if budget.additions > 0 else np.bool_)
            if self.used + served.nbytes + 200 <= self.limit:
                self.used += served.nbytes + 200
                self.served[key] = served
        return served
