"""The family of trees as people see it: who comes to which node, and the best that one tree can do there.

Above `openings`. Nodes are opened only where the best tree so far would pass; what is not opened counts
person by person.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from everytree.questions.joint.options import Options, as_leaf, merge_equal, of_leaves, put

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from everytree.prove.node import Cut, Node
    from everytree.prove.routing import Cuts
    from everytree.questions.joint.openings import Openings

STOP = -1
"""In place of a split: the node is a leaf, or its people are counted one by one."""

NODE_WORK = 20_000
"""What opening a node costs besides its rows: as much as so many entries of the table."""


class Crowd(NamedTuple):
    """People who are not proved, by kind: ``X[kind]`` are their features, ``counts[kind, cell]`` how many.

    A cell is what metrics can tell apart: a group and a true label.
    """

    X: NDArray[np.float64]
    counts: NDArray[np.float64]


@dataclass(eq=False)
class Meeting:
    """A node and the kinds of people who come there; `origin` is a parent with a split and a side."""

    kinds: NDArray[np.int64]
    counts: NDArray[np.float64]
    depth: int
    origin: tuple[int, Cut, int] | None
    parents: set[int] = field(default_factory=set)
    node: Node | None = None
    options: Options | None = None
    same: int | None = None


class Values(NamedTuple):
    """For some objectives at one meeting: the best value, the split that gives it, whether all is opened."""

    best: NDArray[np.float64]
    choice: NDArray[np.int64]
    complete: NDArray[np.bool_]


class Forest:
    """Values of linear objectives, maximised over the family of trees.

    An objective gives every cell and label a value, in whole numbers. `best[meeting, objective]` is at least
    the sum over the people of the meeting for every tree that a table of B(T) gives, see `Soundness`.

    Soundness
    ---------
    By induction over the levels. Take a table T' of B(T) and the tree learned from it. Where the tree is a
    leaf, everybody gets one of its possible labels. Where it splits, the split is among the options
    (`Openings.open`), the people go to the same sides but for the loose ones, each of whom gets some label
    and counts at most their own best; the sums of both sides are bounded by the induction, each with the
    whole budget. A meeting that is not opened counts everybody's own best. All sums are of whole numbers
    below 2^53, so floating point is exact.
    """

    def __init__(self, openings: Openings, crowd: Crowd) -> None:
        self.openings, self.crowd = openings, crowd
        root = openings.nodes.root()
        kinds = np.arange(len(crowd.X))
        self.meetings = [Meeting(kinds, crowd.counts.sum(axis=0), root.depth, None, node=root)]
        self.work = 0
        self._meetings: dict[tuple[object, ...], int] = {}

    # ------------------------------------------------------------ opening

    def open(self, p: int) -> None:
        """Look at the splits of a meeting, and make meetings of their sides."""
        meeting = self.meetings[p]
        node = self._node(meeting)
        key = self.openings.key(node)
        known = self._meetings.setdefault((key, meeting.kinds.tobytes()), p)
        if known != p:
            meeting.same = known
            self.meetings[known].parents.add(p)
            return
        self.work += NODE_WORK + len(node.rows) * self.openings.problem.columns.codes.shape[0]
        opening = self.openings.open(node, key)
        loose, sides, slices = self._divide(meeting, opening.cuts)
        meeting.options = Options(opening.leaf, opening.scattered, loose, opening.splits)
        if opening.possible is not None:
            meeting.options.sides, meeting.options.possible = sides, opening.possible
            merge_equal(meeting.options)
        else:
            children = np.empty((len(opening.splits), 2), np.int64)
            for c, cut in enumerate(opening.splits):
                for side in (0, 1):
                    children[c, side] = self._child(p, cut, side, slices[c][side], sides[c, side])
            meeting.options.children = children

    def _node(self, meeting: Meeting) -> Node:
        if meeting.node is None:
            assert meeting.origin is not None
            parent, cut, side = meeting.origin
            node = self.meetings[parent].node
            assert node is not None
            meeting.node = self.openings.nodes.child(node, cut, side)
        return meeting.node

    def _child(
        self, p: int, cut: Cut, side: int, kinds: NDArray[np.int64], counts: NDArray[np.float64]
    ) -> int:
        self.meetings.append(Meeting(np.sort(kinds), counts, self.meetings[p].depth - 1, (p, cut, side), {p}))
        return len(self.meetings) - 1

    def _divide(
        self, meeting: Meeting, cuts: Cuts
    ) -> tuple[NDArray[np.float64], NDArray[np.float64], list[tuple[NDArray[np.int64], NDArray[np.int64]]]]:
        """People of each split: loose ones, those surely on each side, and the kinds of the latter."""
        n_cells = self.crowd.counts.shape[1]
        feature, left, right = cuts
        loose = np.zeros((len(feature), n_cells))
        sides = np.zeros((len(feature), 2, n_cells))
        slices: list[tuple[NDArray[np.int64], NDArray[np.int64]]] = []
        for j in np.unique(feature):  # splits stand by column, so the slices stay in order
            values = self.crowd.X[meeting.kinds, j]
            order = np.argsort(values, kind="stable")
            kinds, values = meeting.kinds[order], values[order]
            below = np.zeros((len(kinds) + 1, n_cells))
            np.cumsum(self.crowd.counts[kinds], axis=0, out=below[1:])
            of_column = np.flatnonzero(feature == j)
            first = np.searchsorted(values, right[of_column], side="right")
            second = np.searchsorted(values, left[of_column], side="right")
            sides[of_column, 0] = below[first]
            loose[of_column] = below[second] - below[first]
            sides[of_column, 1] = below[-1] - below[second]
            slices += [(kinds[:a], kinds[b:]) for a, b in zip(first, second, strict=True)]
        return loose, sides, slices

    # ------------------------------------------------------------ values

    def weigh(
        self, p: int, weights: NDArray[np.float64], values: Values, objectives: NDArray[np.int64]
    ) -> Values:
        """The best that one tree can do at a meeting, for some objectives.

        `weights` is (cells, labels, these objectives); `values` holds a row for each meeting and a column for
        each objective, and is right for the meetings below.
        """
        meeting = self.meetings[p]
        if meeting.same is not None:
            return Values(*(part[meeting.same, objectives] for part in values))
        if meeting.options is None:
            alone = meeting.counts @ weights.max(axis=1)
            stop = np.full(len(alone), STOP)
            return Values(alone, stop, np.full(len(alone), not meeting.counts.any()))
        options = meeting.options
        n_objectives = weights.shape[2]
        best = np.full(n_objectives, -np.inf)
        choice = np.full(n_objectives, STOP)
        complete = np.ones(n_objectives, np.bool_)
        if options.leaf is not None:
            best = as_leaf(meeting.counts, options, weights)
        if len(options.loose):
            totals, whole = self._totals(options, weights, values, objectives)
            at = np.argmax(totals + 0.25 * whole, axis=0)
            each = np.arange(n_objectives)
            better = totals[at, each] > best
            best = np.where(better, totals[at, each], best)
            choice = np.where(better, at, choice)
            complete = np.where(better, whole[at, each], complete)
        if np.isinf(best).any():  # nothing is possible here: say nothing about it
            best = meeting.counts @ weights.max(axis=1)
        return Values(best, choice, complete)

    def _totals(
        self,
        options: Options,
        weights: NDArray[np.float64],
        values: Values,
        objectives: NDArray[np.int64],
    ) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        """Value of each split for each objective, and whether everything below it is opened."""
        if options.children is not None:
            left, right = (np.ix_(side, objectives) for side in options.children.T)
            totals = values.best[left] + values.best[right] + options.loose @ weights.max(axis=1)
            return totals, values.complete[left] & values.complete[right]
        totals = of_leaves(options, weights)
        return totals, np.ones(totals.shape, np.bool_)

    def follow(self, weights: NDArray[np.float64], choice: NDArray[np.int64]) -> NDArray[np.float64]:
        """How many people of each cell get each label from the best tree of one objective.

        `weights` is (cells, labels), `choice` the split that is best at each meeting.
        """
        found = np.zeros(weights.shape)
        waiting = [0]
        while waiting:
            p = waiting.pop()
            meeting = self.meetings[p]
            while meeting.same is not None:
                p, meeting = meeting.same, self.meetings[meeting.same]
            at = int(choice[p])
            options = meeting.options
            if options is None or at == STOP:
                together = options is not None and options.leaf is not None and not options.scattered
                allowed = options.leaf if options is not None else None
                put(found, meeting.counts, weights, allowed, together)
                continue
            either = None if options.possible is None else options.possible[at].any(axis=0)
            put(found, options.loose[at], weights, either, False)
            if options.children is not None:
                waiting += options.children[at].tolist()
            elif options.sides is not None and options.possible is not None:
                for side in (0, 1):
                    put(found, options.sides[at, side], weights, options.possible[at, side], True)
        return found

    def unopened(self, objectives: NDArray[np.int64], values: Values) -> list[int]:
        """Places that the best trees of some objectives pass, and that are not opened yet."""
        found: list[int] = []
        waiting: list[tuple[int, NDArray[np.int64]]] = [(0, objectives)]
        seen: set[int] = set()
        while waiting:
            p, mine = waiting.pop()
            meeting = self.meetings[p]
            while meeting.same is not None:
                p, meeting = meeting.same, self.meetings[meeting.same]
            mine = mine[~values.complete[p, mine]]
            if len(mine) == 0:
                continue
            if meeting.options is None:
                found += [] if p in seen else [p]
                seen.add(p)
            elif meeting.options.children is not None:
                for at in np.unique(values.choice[p, mine]):
                    if at != STOP:
                        those = mine[values.choice[p, mine] == at]
                        waiting += [(int(child), those) for child in meeting.options.children[at]]
        return found

    def above(self, some: Iterable[int]) -> set[int]:
        """These meetings and all that lead to them."""
        found: set[int] = set()
        waiting = list(some)
        while waiting:
            p = waiting.pop()
            if p not in found:
                found.add(p)
                waiting += self.meetings[p].parents
        return found
