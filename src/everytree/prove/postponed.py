"""Children of the last level that people may fall in: put off until all others are done.

Between the screening and the walk. Whoever is left after the screening is taken up person by person, those
with the fewest such children first, so that every step may be the last that somebody needs.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from everytree.prove.domains.claims import Claims
    from everytree.prove.node import Cut, Node

CHILD_BYTES = 400
"""Memory of a child that waits, besides its people."""


@dataclass(frozen=True, eq=False)
class Waiting:
    """A child that is not built yet: parent, split, side and claims, and who may get another label there."""

    parent: Node
    cut: Cut
    side: int
    claims: Claims | None
    people: NDArray[np.int32]

    @property
    def size(self) -> int:
        """About the bytes that it holds."""
        return CHILD_BYTES + 8 * len(self.people) + (0 if self.claims is None else self.claims.size)


@dataclass(eq=False)
class Postponed:
    """Children that wait, by person; each is given out once."""

    children: list[Waiting | None] = field(default_factory=list)
    of_person: dict[int, list[int]] = field(default_factory=lambda: defaultdict(list))
    order: list[int] = field(default_factory=list)
    bytes: int = 0

    def add(self, child: Waiting) -> None:
        """Let a child wait."""
        for p in child.people.tolist():
            self.of_person[p].append(len(self.children))
        self.children.append(child)
        self.bytes += child.size

    def arrange(self, awaited: NDArray[np.int64]) -> None:
        """Put the people in order, those who wait for the fewest children last: that is where it goes on."""
        self.order = sorted(self.of_person, key=lambda p: (-int(awaited[p]), p))

    def next(self, live: Callable[[NDArray[np.int32]], NDArray[np.bool_]]) -> Waiting | None:
        """The next child of the person whose turn it is; None if nobody who can still be proved waits."""
        while self.order:
            p = self.order[-1]
            numbers = self.of_person[p]
            while numbers and live(np.array([p], np.int32))[0]:
                number = numbers.pop()
                child = self.children[number]
                if child is not None:
                    self.children[number] = None
                    self.bytes -= child.size
                    return child
            self.order.pop()
            del self.of_person[p]
        if not self.of_person:  # otherwise more have come meanwhile
            self.children.clear()
            self.bytes = 0
        return None
