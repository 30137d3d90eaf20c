"""Paths: the ways in which a person who is not proved yet could get another label.

A path is a split and a side at each level and a label at its end. The relational domain lists them; the
programs then ask of each one whether some table of B(T) really takes it.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from dataclasses import replace
from itertools import count
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from everytree.learner.criterion.front import AT
from everytree.paths.waiting import Child, Fan, Item, Path, Step, Stop, level_of, size_of
from everytree.prove import routing
from everytree.prove.counts import node_total
from everytree.prove.engines import RelationalEngine
from everytree.prove.gains import all_gains, gains_below, within_gains
from everytree.prove.node import Cut, Node, Nodes
from everytree.prove.screening import (
    ROW_SECONDS,
    SCREENED_CELLS,
    Below,
    Visitors,
    can_screen,
    screen,
    sort_rows,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from everytree.prove.engines import Ranking
    from everytree.prove.problem import Problem

MOST_STEPS = 200
"""Paths with more steps are left out of the list, which is not complete then."""

MOST_WAITING = 200_000
"""Nodes on the way that are kept at a time; where more would have to wait, some people stay undecided."""

NODE_SECONDS, SPLIT_SECONDS, CHILD_SECONDS = 5e-4, 1e-6, 2e-4
"""About what it costs to open a node, each of its candidate splits, and to follow one of them."""

BONUS = 0.3
"""What each split that is behind counts against effort: else all nodes of a level would be opened before the
first path is found, where a few changes make any split the best."""

ATTENTION, FAIR = 3.0, 0.3
"""Seconds that may be spent on a person before others are preferred, and what each doubling of them counts
against what waits (the least of several people): nobody waits for somebody who has thousands of paths."""

SORTED_ANEW = 256
"""Turns, at least, after which all that waits is put in order anew: time was spent on people meanwhile."""

LEAST_SCREENED = 16
"""Children that are screened at a time at least: the rows of their parent are sorted for them."""


class _Waiting(NamedTuple):
    """Something that waits: whom it concerns, effort less a bonus for its level, and which turn it has."""

    item: Item
    people: NDArray[np.int32]
    effort: float
    turn: int


class Listing:
    """Every path by which somebody may get another label, one at a time, those of little effort first.

    Nodes are opened when their turn comes, so the first path is there before the second is looked for.
    ``outstanding[p]`` counts the paths of person p that were given out and the nodes that may still lead to
    more. `settle` takes a path off; at 0 nothing is left by which the person could get another label.
    """

    def __init__(
        self,
        problem: Problem,
        X: NDArray[np.float32],
        predictions: NDArray[np.int64],
        wanted: NDArray[np.bool_],
        memory: float = np.inf,
    ) -> None:
        self.problem = problem
        self.X = np.ascontiguousarray(X.T)
        self.predictions = predictions
        self.wanted = wanted
        self.nodes = Nodes(problem)
        self.engine = RelationalEngine()
        self.outstanding = np.zeros(len(predictions), np.int64)
        self.spent = np.zeros(len(predictions))
        self.too_many = False
        self.most_bytes, self.bytes = memory / 2, 0
        self._heap: list[tuple[float, int, _Waiting]] = []
        self._since_sorted = 0
        self._order = count()
        everyone = np.flatnonzero(wanted).astype(np.int32)
        self._push(0.0, Stop((), self.nodes.root(), everyone, 0.0, all_gains(problem)), everyone)

    def settle(self, path: Path) -> None:
        """Take note that no table takes a path."""
        self.outstanding[path.people] -= 1
        self.bytes -= size_of(path)

    def put_back(self, path: Path, turn: int, later: float) -> None:
        """Let a path that is still open wait for another turn."""
        self._wait(path.effort + later, path, path.people, turn)

    def paths(self) -> Iterator[tuple[Path, int] | float]:
        """Give path after path, and which turn it has; in between the seconds that the search took, about."""
        while self._heap:
            self._sort_anew()
            item, people, _, turn = heapq.heappop(self._heap)[-1]
            if isinstance(item, Path):
                yield item, turn
                continue
            self.bytes -= size_of(item)
            if isinstance(item, Fan):
                seconds = self._next_children(item)
            elif isinstance(item, Child):
                seconds = CHILD_SECONDS + self._open(self._build(item))
            else:
                seconds = self._open(item)
            self.charge(people, seconds)
            yield seconds

    def _push(self, effort: float, item: Item, people: NDArray[np.int32]) -> None:
        self.bytes += size_of(item)
        self._wait(effort, item, people)
        self.outstanding[people] += 1

    def _wait(self, effort: float, item: Item, people: NDArray[np.int32], turn: int = 0) -> None:
        if len(self._heap) >= MOST_WAITING or self.bytes > self.most_bytes:
            # What is left out keeps its people outstanding for ever: they are not proved here.
            self.too_many = True
            return
        waiting = _Waiting(item, people, effort - BONUS * level_of(item), turn)
        heapq.heappush(self._heap, (self._place(waiting), next(self._order), waiting))

    def _place(self, waiting: _Waiting) -> float:
        """Where in the row something waits; what concerns nobody any more is done with first."""
        spent = self.spent[waiting.people[self.wanted[waiting.people]]]
        return (
            waiting.effort + FAIR * float(np.log2(max(1.0, spent.min() / ATTENTION)))
            if len(spent)
            else -np.inf
        )

    def charge(self, people: NDArray[np.int32], seconds: float) -> None:
        """Note that time was spent on people, about."""
        people = people[self.wanted[people]]
        self.spent[people] += seconds / max(1, len(people))

    def _sort_anew(self) -> None:
        """Put everything in order by what was spent on people by now."""
        self._since_sorted += 1
        if self._since_sorted > max(SORTED_ANEW, len(self._heap)):
            self._since_sorted = 0
            self._heap = [(self._place(waiting), order, waiting) for _, order, waiting in self._heap]
            heapq.heapify(self._heap)

    def _open(self, stop: Stop) -> float:
        """Find what may be best in a node, and put its children in the order of their effort."""
        node = stop.node
        waiting = stop.people[self.wanted[stop.people]]
        if len(stop.steps) == MOST_STEPS:
            self.too_many = True
            return NODE_SECONDS
        if len(waiting) == 0 or node.depth == 0 or len(node.rows) == 0:
            if len(waiting):
                self._end_whole(stop)
            self.outstanding[stop.people] -= 1
            return NODE_SECONDS
        ground = self.nodes.ground(node)
        ranking = self.engine.rank(ground)
        if ranking.may_stop:
            self._end_whole(stop)
        rivals = tuple((cut.feature, cut.low) for cut in map(ground.cut, ranking.challengers))
        candidates = self.engine.candidates(ranking, leaves=node.depth == 1)
        if node.depth == 1:
            cuts = self._cuts(ranking, candidates.chosen)
            candidates = candidates[self._harmful(cuts, candidates.possible, waiting)]
        most = gains_below(ranking, candidates, stop.most, closely=can_screen(self.problem))
        candidates, most = candidates.merged(most)
        chosen, possible = candidates.chosen, candidates.possible
        if node.depth == 1 and can_screen(self.problem):
            possible &= within_gains(ground, chosen, most)
            harmful = self._harmful(self._cuts(ranking, chosen), possible, waiting)
            chosen, possible, most = chosen[harmful], possible[harmful], most[harmful]
        cuts = self._cuts(ranking, chosen)
        effort = np.maximum(stop.effort, _efforts(ranking, chosen))
        order = np.argsort(effort, kind="stable")
        fan = Fan(stop, ranking, cuts, rivals, chosen, possible, most, effort, order, len(waiting))
        self._go_on(fan)
        self.outstanding[stop.people] -= 1
        return NODE_SECONDS + SPLIT_SECONDS * (len(node.rows) + 3 * len(ranking.chosen))

    def _cuts(self, ranking: Ranking, chosen: NDArray[np.int64]) -> routing.Cuts:
        exact = self.engine.exact_thresholds(ranking.ground.budget)
        return routing.cut_splits(self.problem.columns, ranking.ground.splits, chosen, exact)

    def _harmful(
        self, cuts: routing.Cuts, possible: NDArray[np.bool_], people: NDArray[np.int32]
    ) -> NDArray[np.bool_]:
        """Which of the last splits can tell one of these people another label than the expected one."""
        n_labels = self.problem.bias.n_labels
        present = routing.who_goes_where(cuts, people, self.X, self.predictions, n_labels)
        others = present.sum(axis=2, keepdims=True) > present
        harmful: NDArray[np.bool_] = (possible & others).any(axis=(1, 2))
        return harmful

    def _go_on(self, fan: Fan) -> None:
        """Let a fan wait for the turn of its next child."""
        if fan.position < len(fan.order):
            self._push(float(fan.effort[fan.order[fan.position]]), fan, fan.stop.people)

    def _next_children(self, fan: Fan) -> float:
        """Follow the next split of a fan to both sides, or screen the next ones; gives the seconds."""
        stop = fan.stop
        waiting = stop.people[self.wanted[stop.people]]
        self.outstanding[stop.people] -= 1
        if len(waiting) == 0:
            return CHILD_SECONDS
        spent = CHILD_SECONDS
        if stop.node.depth == 2 and can_screen(self.problem):
            spent += self._screen(fan, waiting)
        else:
            self._follow(fan, waiting)
        self._leave_out_harmless(fan, waiting)
        self._go_on(fan)
        return spent

    def _follow(self, fan: Fan, waiting: NDArray[np.int32]) -> None:
        """Follow one split of a fan to both sides."""
        c = int(fan.order[fan.position])
        fan.position += 1
        for side in (0, 1):
            people = routing.people_of_side(fan.cuts, c, side, waiting, self.X)
            if len(people) == 0:
                continue
            if fan.stop.node.depth == 1:
                counts = fan.ranking.ground.counts(fan.chosen[c], side)
                end = self._after(fan, c, side, people, fan.stop.node)
                self._add(end, counts, np.flatnonzero(fan.possible[c, side]))
            else:
                child = self._build(Child(fan, c, side, people))
                self._push(child.effort, child, people)

    def _screen(self, fan: Fan, waiting: NDArray[np.int32]) -> float:
        """Let those of the next children wait below which somebody may fall, whatever split comes last."""
        problem, node, ground = self.problem, fan.stop.node, fan.ranking.ground
        at_once = max(LEAST_SCREENED, SCREENED_CELLS // (2 * len(self.X) * len(node.rows) + 1))
        part = fan.order[fan.position : fan.position + at_once]
        fan.position += len(part)
        cuts = self._cuts(fan.ranking, fan.chosen[part])
        below = Below(cuts.feature, ground.splits.low[fan.chosen[part]], fan.most[part])
        visitors = Visitors(waiting, self.X, self.predictions, cuts)
        ordered = sort_rows(problem.columns, problem.types, node.rows)
        exact = self.engine.exact_thresholds(node.budget)
        failing, _, looked_at = screen(
            problem.columns, problem.types, node.budget, ordered, below, visitors, (0, len(part), exact)
        )
        for place in np.flatnonzero(failing.any(axis=1)).tolist():
            child = Child(fan, int(part[place // 2]), place % 2, waiting[failing[place]])
            self._push(float(fan.effort[child.c]), child, child.people)
        return float(ROW_SECONDS * (looked_at + 2 * ordered.code.size))

    def _build(self, child: Child) -> Stop:
        """Make the node of a child."""
        fan = child.fan
        node = self.nodes.child(fan.stop.node, fan.ranking.ground.cut(fan.chosen[child.c]), child.side)
        return self._after(fan, child.c, child.side, child.people, node)

    def _after(self, fan: Fan, c: int, side: int, people: NDArray[np.int32], node: Node) -> Stop:
        """What comes after one side of a split."""
        step = _step(fan.stop.node, fan.ranking.ground.cut(fan.chosen[c]), side, fan.rivals)
        return Stop((*fan.stop.steps, step), node, people, float(fan.effort[c]), fan.most[c, side])

    def _leave_out_harmless(self, fan: Fan, waiting: NDArray[np.int32]) -> None:
        """Leave out children of the last level that mattered only for people who are decided by now."""
        if fan.stop.node.depth == 1 and len(waiting) < fan.asked_for:
            rest = fan.order[fan.position :]
            cuts = self._cuts(fan.ranking, fan.chosen[rest])
            fan.order = rest[self._harmful(cuts, fan.possible[rest], waiting)]
            fan.position, fan.asked_for = 0, len(waiting)

    def _end_whole(self, stop: Stop) -> None:
        """End a path at a node that stays whole."""
        node = stop.node
        total = node_total(node.rows, self.problem.types)
        leaves = self.engine.leaf(total, self.problem, node.budget)
        step = Step(node.rows, -1, 0, 0, 0, ())
        self._add(replace(stop, steps=(*stop.steps, step)), total, np.flatnonzero(leaves.possible[0, 0]))

    def _add(self, end: Stop, counts: NDArray[np.int64], labels: NDArray[np.int64]) -> None:
        steps, people, budget, effort = end.steps, end.people, end.node.budget, end.effort
        own = np.bincount(self.problem.types.label, weights=counts, minlength=self.problem.bias.n_labels)
        own *= self.problem.criterion.weights[AT]
        reach = max(1.0, 2.0 * budget.flips + budget.removals + budget.additions)
        for j in labels:
            expecting = people[self.predictions[people] != j]
            if len(expecting):
                needed = float(own.max() - own[j]) / reach
                path = Path(steps, int(j), expecting, max(effort, needed))
                self._push(path.effort, path, expecting)


def _step(node: Node, cut: Cut, side: int, rivals: tuple[tuple[int, int], ...]) -> Step:
    others = tuple(rival for rival in rivals if rival != (cut.feature, cut.low))
    return Step(node.rows, *cut, side, others)


def _efforts(ranking: Ranking, chosen: NDArray[np.int64]) -> NDArray[np.float64]:
    """Share of the budget that each split needs to draw level with the best one, by the loose bound."""
    if len(ranking.challengers) == 0:
        return np.zeros(len(chosen))
    deficit = ranking.behind[chosen]
    gain = np.maximum(ranking.margin[chosen] + deficit, 1e-12)
    return np.asarray(np.maximum(deficit, 0.0) / gain)
