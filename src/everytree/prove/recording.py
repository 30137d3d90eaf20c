"""A walk that writes down what it does: node after node, the challengers used and the splits that survive.

Above the walk. It is run again for the people who are robust when a proof file is asked for, so that
`certify` costs what it costs without one.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from everytree.prove.walk import Walk

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from everytree.prove.candidates import Candidates
    from everytree.prove.engines import Ranking
    from everytree.prove.frames import Frame, Visit
    from everytree.prove.problem import Problem

__all__ = ["RecordedWalk", "named", "written"]

Key = list[Any]
"""A split as a proof file names it: its feature, and the last value that goes left (None if no row does)."""


class RecordedWalk(Walk):
    """One walk whose nodes are given out as lines of a proof file, in the order of the walk.

    A line is ``["node", parent, place of the split at the parent, side, challengers, splits to follow]``.
    Leaves and nodes that added rows alone fill have no line: the verification computes what they say.
    """

    _came: tuple[int, int, int] = (-1, 0, 0)

    def lines(self) -> Iterator[list[Any]]:
        """Walk to the end, or to the limits; gives the lines."""
        self._number, self._numbers = 0, dict[int, int]()
        self._written: list[list[Any]] = []
        for _ in self.steps():
            yield from self._written
            self._written.clear()

    def _build(self, frame: Frame, c: int, side: int) -> Visit | None:
        visit = super()._build(frame, c, side)
        self._came = self._numbers[id(frame)], c, side
        return visit

    def _frame(self, visit: Visit, ranking: Ranking, candidates: Candidates) -> Frame:
        frame = super()._frame(visit, ranking, candidates)
        self._numbers[id(frame)] = self._number
        self._write(ranking, candidates.chosen)
        return frame

    def _note_leaves(self, visit: Visit, ranking: Ranking) -> None:
        self._write(ranking, ranking.chosen[:0])
        super()._note_leaves(visit, ranking)

    def _write(self, ranking: Ranking, chosen: NDArray[np.int64]) -> None:
        challengers = named(self.problem, ranking, ranking.challengers)
        follow = named(self.problem, ranking, chosen)
        self._written.append(["node", *self._came, challengers, follow])
        self._number += 1


def written(value: float) -> Any:
    """The last value left as a proof file has it: whole without a point, a word for what is missing."""
    if value == -np.inf:
        return "missing"
    return int(value) if value.is_integer() else value


def named(problem: Problem, ranking: Ranking, chosen: NDArray[np.int64]) -> list[Key]:
    """Name splits of a node."""
    splits, columns = ranking.ground.splits, problem.columns
    feature, low = splits.feature[chosen], splits.low[chosen]
    values = columns.values[columns.starts[feature] + np.maximum(low, 0)].tolist()
    return [
        [j, None if code < 0 else written(value)]
        for j, code, value in zip(feature.tolist(), low.tolist(), values, strict=True)
    ]
