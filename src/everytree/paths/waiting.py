"""What waits while paths are listed: nodes on the way, their children, and the paths themselves.

Below the listing, which takes the one with the least effort next.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from everytree.prove.engines import Ranking
    from everytree.prove.node import Node
    from everytree.prove.routing import Cuts

PATH_BYTES, CHILD_BYTES = 4000, 200
"""Memory that a path takes with the splits and rivals that programs note for it, and an unbuilt child."""


@dataclass(frozen=True, eq=False)
class Step:
    """One level of a path: the node's rows, the split that must be best there, and the side that is taken.

    A step without a split (``feature`` is -1) ends the path at a node that stays whole.
    """

    rows: NDArray[np.int32]
    feature: int
    low: int
    high: int
    side: int
    rivals: tuple[tuple[int, int], ...]


@dataclass(frozen=True, eq=False)
class Path:
    """Steps from the root, the label at the end, and the people who would get it and expect another one.

    ``effort`` estimates the share of the budget that the path needs; the most plausible paths have the least.
    """

    steps: tuple[Step, ...]
    label: int
    people: NDArray[np.int32]
    effort: float

    @property
    def family(self) -> tuple[object, ...]:
        """Columns, sides and label: paths that differ only in where they cut."""
        return (*((step.feature, step.side) for step in self.steps), self.label)


@dataclass(frozen=True, eq=False)
class Stop:
    """A node on the way: what came before it, and who may come here.

    ``most`` bounds what labels may gain on each other in leaves below (`gains.gains_below`).
    """

    steps: tuple[Step, ...]
    node: Node
    people: NDArray[np.int32]
    effort: float
    most: NDArray[np.int64]


@dataclass(eq=False)
class Fan:
    """The children of a stop, least effort first; `position` is the next one.

    ``asked_for`` is the number of open people for whom harmless children of the last level were left out.
    """

    stop: Stop
    ranking: Ranking
    cuts: Cuts
    rivals: tuple[tuple[int, int], ...]
    chosen: NDArray[np.int64]
    possible: NDArray[np.bool_]
    most: NDArray[np.int64]
    effort: NDArray[np.float64]
    order: NDArray[np.int64]
    asked_for: int
    position: int = 0


@dataclass(frozen=True, eq=False)
class Child:
    """A side of one of a fan's splits that is not built yet, and who may fall below it."""

    fan: Fan
    c: int
    side: int
    people: NDArray[np.int32]


Item = Stop | Fan | Child | Path


def size_of(item: Item) -> int:
    """About the bytes that something takes while it waits; a path is kept with its rivals until the end."""
    if isinstance(item, Path):
        return PATH_BYTES + item.people.nbytes
    if isinstance(item, Child):
        return CHILD_BYTES + item.people.nbytes
    stop = item.stop if isinstance(item, Fan) else item
    splits = 100 * len(item.order) if isinstance(item, Fan) else 0
    return stop.node.rows.nbytes + stop.people.nbytes + 8 * len(stop.steps) + 600 + splits


def level_of(item: Item) -> int:
    """Splits that something that waits has behind it."""
    if isinstance(item, Child):
        return len(item.fan.stop.steps) + 1
    return len((item.stop if isinstance(item, Fan) else item).steps)
