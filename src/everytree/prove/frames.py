"""Where a walk is: visits of nodes by people, and frames, whose children are visited one after the other.

Between the nodes and the walk.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from everytree.prove.candidates import Candidates
    from everytree.prove.engines import Ranking
    from everytree.prove.node import Cut, Node
    from everytree.prove.routing import Cuts
    from everytree.prove.screening import Sorted

FRAME_BYTES, SPLIT_BYTES = 600, 60
"""Bytes of a node whose children wait, and of each of its splits."""


@dataclass(frozen=True, eq=False)
class Visit:
    """A node, the people who may come there, and its part in the whole walk.

    ``most`` bounds what labels may gain on each other in leaves below (`gains.gains_below`).
    """

    node: Node
    people: NDArray[np.int32]
    weight: float
    most: NDArray[np.int64]


@dataclass(eq=False)
class Frame:
    """A node whose children are visited one after the other; `left` counts those that are not built yet.

    Children are the two sides of every chosen split. Only the way from the root to the present node is kept,
    so that memory grows with the depth and not with the number of splits.
    """

    visit: Visit
    ranking: Ranking
    candidates: Candidates
    cuts: Cuts
    most: NDArray[np.int64]
    weight: float
    left: int
    ordered: Sorted | None = None

    @property
    def size(self) -> int:
        """About the bytes that it holds."""
        held = self.visit.node.rows.nbytes + self.visit.people.nbytes
        listed = SPLIT_BYTES * (len(self.candidates.chosen) + len(self.ranking.score))
        return FRAME_BYTES + listed + held

    def cut(self, c: int) -> Cut:
        """The split of a candidate."""
        return self.ranking.ground.cut(int(self.candidates.chosen[c]))

    def next(self) -> tuple[int, int]:
        """Take the next child: the place of its split among the chosen ones, and its side."""
        self.left -= 1
        return self.left // 2, self.left % 2
