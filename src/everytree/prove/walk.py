"""The walk over all trees that some table of B(T) could give, shared by all test people.

From the root it follows every split that the domains could not rule out, to both sides, with the rows and
the people of that side. It sits above the domains and below the verdicts.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from everytree.prove import routing, screening
from everytree.prove.candidates import claims_of
from everytree.prove.counts import node_total
from everytree.prove.domains.claims import as_bytes
from everytree.prove.engines import Engine, Ranking
from everytree.prove.frames import Frame, Visit
from everytree.prove.gains import all_gains, gains_below
from everytree.prove.memo import Memo
from everytree.prove.node import Nodes
from everytree.prove.postponed import Postponed, Waiting
from everytree.support.clock import now
from everytree.support.limits import NO_LIMITS, Limits

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from everytree.prove.candidates import Candidates
    from everytree.prove.domains.claims import Claims
    from everytree.prove.problem import People, Problem


NODE_SECONDS, CELL_SECONDS, SPLIT_CELLS, SIDE_SECONDS = 5e-4, 1e-8, 100, 1e-5
"""About what a node costs, by itself, for each row and column, and for each candidate split in such cells;
and a child that nobody needs. Workers share their time by such estimates, so that the same question gets the
same answer on every machine."""

CLAIMED = 3
"""How many times as much a candidate costs, about, beside what the splits above ask for."""

MOST_MEMO = 5e8
"""Bytes that a walk spends at most on remembering whom it served where."""

MEMO_SHARE = 0.75
"""Part of the memory for people served."""


@dataclass(frozen=True, eq=False)
class Outcome:
    """What a walk found: the tally of each person, for whom it came to its end, and what it looked at."""

    tally: routing.Tally
    finished: NDArray[np.bool_]
    nodes: int
    splits: int

    @property
    def complete(self) -> bool:
        """Whether the walk came to its end for everybody."""
        return bool(self.finished.all())


DEEPEST_SCREENED = 12
"""Levels of trees whose people are screened: deeper ones have too many nodes above the last level."""

DEEPEST_SHARED = 3
"""Levels of trees where all splits above a leaf share its budget; in deeper ones the last but one does. There
nodes come again and again by other ways, which must not make other nodes of them."""

AT_ONCE = 16
"""Children where somebody may fall that are visited as soon as they are found."""

POSTPONED_SHARE = 0.25
"""Part of the memory for children that wait; from then on they are visited at once."""


class Walk:
    """One depth-first walk, which can be left and taken up again.

    A person leaves the walk as soon as two labels are possible, so ranges are complete only for people with
    one label. Who is `wanted` no longer, because another worker decided, leaves as well; nothing is known of
    such people afterwards. ``awaited`` counts the children, not built yet, where each person may come: a
    walk that is cut off has come to its end for those who wait for none. After `screened_from` seconds, by
    estimate, people are screened before the children of the last level are visited, and those where somebody
    may fall are put off until the end; nothing is known of the shares in leaves that were not visited.

    Soundness
    ---------
    By induction over the depth: if the rows of a table T' in B(T) that reach a node are within the node's
    budget of the node's rows, then the split that the learner takes there survives, and the rows that go to
    the person's side are within the child's budget of the child's rows. A pure node, where the learner
    stops, needs no case of its own: all its splits tie, so one of them survives, and the side of it that the
    person takes is not empty and shows the same label.
    """

    def __init__(
        self,
        problem: Problem,
        people: People,
        engine: Engine,
        limits: Limits = NO_LIMITS,
        *,
        screened_from: float = np.inf,
    ) -> None:
        self.problem = problem
        self.nodes = Nodes(problem)
        self.predictions = people.predictions
        self.X = people.by_column(problem.views)
        self.engine = engine
        self.limits = limits
        self.tally = routing.empty_tally(len(people), problem.bias.n_labels)
        self.wanted = np.ones(len(people), np.bool_)
        self.memory = limits.memory - _working_memory(problem)
        self.memo = Memo(len(people), problem.columns.boolean, min(MEMO_SHARE * self.memory, MOST_MEMO))
        self.everyone = np.arange(len(people), dtype=np.int32)
        self.awaited = np.ones(len(people), np.int64)
        able = (
            engine.name == "relational"
            and screening.can_screen(problem)
            and problem.depth <= DEEPEST_SCREENED
        )
        self.screened_from = screened_from if able else np.inf
        self.postponed = Postponed()
        self.visited = 0
        self.splits = 0
        self.spent = 0.0
        self.done = 0.0
        self.held = 0
        self.complete = self.only_postponed = False
        self.out_of_memory = False
        self.ended = False
        self._steps = self.steps()

    @property
    def lacks_memory(self) -> bool:
        """Whether the limit leaves no room to begin at all."""
        return self.limits.memory < _working_memory(self.problem)

    def advance(self, seconds: float) -> None:
        """Go on for about so long, counted by the work that is done and not by the clock."""
        for spent in self._steps:
            seconds -= spent
            if seconds <= 0:
                return
        self.ended = True

    def steps(self) -> Iterator[float]:
        """Visit node after node; gives about the seconds of each. Ends at the end, or with the limits."""
        if self.lacks_memory:
            return
        stack: list[Frame] = []
        self.awaited -= 1
        root = Visit(self.nodes.root(), self.everyone, 1.0, all_gains(self.problem))
        yield self._visit(root, stack)
        while stack or self.postponed.children:
            self.out_of_memory = self.memo.used + self.held + self.postponed.bytes > self.memory
            if self.out_of_memory or now() > self.limits.deadline:
                return
            if stack and stack[-1].left == 0:
                self.held -= stack.pop().size
                continue
            if not stack or self.postponed.bytes > POSTPONED_SHARE * self.memory:
                spent = self._take_up()
            else:
                spent = self._go_on(stack)
            self.spent += spent
            yield spent
        self.complete = True

    def _go_on(self, stack: list[Frame]) -> float:
        """Screen some children of the last node on the way, or visit one; gives the seconds."""
        frame = stack[-1]
        if self._late and frame.visit.node.depth == 2 and frame.left % 2 == 0:
            return self._screen(frame)
        visit = self._build(frame, *frame.next())
        if visit is None:
            self.done += frame.weight
            return SIDE_SECONDS
        return self._visit(visit, stack)

    def _take_up(self) -> float:
        """Visit a child that was put off."""
        self.only_postponed = True
        if not self.postponed.order:
            self.postponed.arrange(self.awaited)
        child = self.postponed.next(self.live)
        return SIDE_SECONDS if child is None else self._visit_waiting(child)

    def _visit_waiting(self, child: Waiting) -> float:
        """Visit a child of the last level, for those who may fall there; gives the seconds."""
        self.awaited[child.people] -= 1
        people = child.people[self.live(child.people)]
        if len(people) == 0:
            return SIDE_SECONDS
        node = self.nodes.child(child.parent, child.cut, child.side, child.claims)
        return self._visit(Visit(node, people, 0.0, all_gains(self.problem)), [])

    def _claims(self, frame: Frame, c: int, side: int) -> Claims | None:
        """What the splits down to one side of a candidate ask for."""
        return claims_of(frame.ranking, frame.candidates, c, side, self.problem)

    def _screen(self, frame: Frame) -> float:
        """Screen people at the next children of a node; those where somebody may fall are put off.

        Those where the most may fall are visited at once: whoever can get two labels leaves the walk early.
        """
        problem, visit, X = self.problem, frame.visit, self.X
        if frame.ordered is None:
            frame.ordered = screening.sort_rows(problem.columns, problem.types, visit.node.rows)
        people = visit.people[self.live(visit.people)]
        end = frame.left // 2
        at_once = screening.SCREENED_CELLS // (2 * X.shape[0] * len(visit.node.rows) + 2 * len(people)) + 1
        begin = max(0, end - at_once)
        frame.left = 2 * begin
        self.done += frame.weight * 2 * (end - begin)
        low = frame.ranking.ground.splits.low[frame.candidates.chosen]
        below = screening.Below(frame.cuts.feature, low, frame.most)
        visitors = screening.Visitors(people, X, self.predictions, frame.cuts)
        part = begin, end, self.engine.exact_thresholds(visit.node.budget)
        failing, safe, looked_at = screening.screen(
            problem.columns, problem.types, visit.node.budget, frame.ordered, below, visitors, part
        )
        self.awaited[people] -= safe
        routing.note_unseen(people[safe > 0], self.predictions, self.tally)
        spent = SIDE_SECONDS + screening.ROW_SECONDS * float(looked_at)
        number = failing.sum(axis=1)
        for place, child in enumerate(np.argsort(-number, kind="stable")[: int((number > 0).sum())].tolist()):
            c, side = begin + child // 2, child % 2
            claims = self._claims(frame, c, side)
            waiting = Waiting(visit.node, frame.cut(c), side, claims, people[failing[child]])
            if place < AT_ONCE:
                spent += self._visit_waiting(waiting)
            else:
                self.postponed.add(waiting)
        return spent

    @property
    def finished(self) -> NDArray[np.bool_]:
        """For whom the walk came to its end: nothing is left where they may come.

        Means nothing for people who are not wanted any longer: they have left the walk.
        """
        finished: NDArray[np.bool_] = self.awaited == 0
        return finished

    @property
    def _late(self) -> bool:
        """Whether the walk takes so long that people are screened."""
        return self.spent >= self.screened_from

    def live(self, people: NDArray[np.int32]) -> NDArray[np.bool_]:
        """Who can still be proved here: wanted, and at most one label seen so far."""
        seen: NDArray[np.bool_] = self.tally.possible[people].sum(axis=1) <= 1
        return seen & self.wanted[people]

    def _build(self, frame: Frame, c: int, side: int) -> Visit | None:
        """Make a child, unless nobody who comes to it can still be proved."""
        parent = frame.visit
        people = routing.people_of_side(frame.cuts, c, side, parent.people, self.X)
        self.awaited[people] -= 1
        people = people[self.live(people)]
        if len(people) == 0:
            return None
        most = frame.most[c, side] if self.problem.depth <= DEEPEST_SHARED else parent.most
        node = self.nodes.child(parent.node, frame.cut(c), side, self._claims(frame, c, side))
        return Visit(node, people, frame.weight, most)

    def _visit(self, visit: Visit, stack: list[Frame]) -> float:
        """Settle a node whose children are leaves, or push a frame for its children; gives the seconds."""
        self.visited += 1
        node = visit.node
        if node.depth == 0 or len(node.rows) == 0:
            self._note_leaf(visit, node_total(node.rows, self.problem.types))
            self.done += visit.weight
            return NODE_SECONDS
        if node.depth < self.problem.depth:
            gains = visit.most.tobytes() if node.depth > 1 else b""
            if node.claims is not None:
                gains += as_bytes(node.claims)
            visit = replace(visit, people=self.memo.newcomers(node, visit.people, gains))
            if len(visit.people) == 0:
                self.done += visit.weight
                return NODE_SECONDS
        ground = self.nodes.ground(node)
        ranking = self.engine.rank(ground)
        if ranking.may_stop:
            self._note_leaf(visit, node_total(node.rows, self.problem.types))
        if node.depth == 1:
            self._note_leaves(visit, ranking)
            self.done += visit.weight
        else:
            candidates = self.engine.candidates(ranking, leaves=False)
            self.splits += len(candidates.chosen)
            stack.append(self._frame(visit, ranking, candidates))
            self.held += stack[-1].size
        by_split = SPLIT_CELLS * self.problem.bias.n_labels**2 / 4 * (CLAIMED if self.engine.claims else 1)
        cells = len(node.rows) * len(self.X) + by_split * len(ranking.chosen)
        return (NODE_SECONDS + CELL_SECONDS * cells) * len(self.problem.criteria)

    def _frame(self, visit: Visit, ranking: Ranking, candidates: Candidates) -> Frame:
        exact, splits = self.engine.exact_thresholds(visit.node.budget), ranking.ground.splits
        most = gains_below(ranking, candidates, visit.most, closely=self._late)
        if not self.engine.claims:
            candidates, most = candidates.merged(most)
        chosen = candidates.chosen
        cuts = routing.cut_splits(self.problem.columns, splits, chosen, exact)
        routing.await_children(cuts, visit.people, self.X, self.awaited)
        weight = visit.weight / max(1, 2 * len(chosen))
        return Frame(visit, ranking, candidates, cuts, most, weight, 2 * len(chosen))

    def _note_leaves(self, visit: Visit, ranking: Ranking) -> None:
        """Tell the people of a last-level node what they may get, as long as someone can still be proved."""
        columns, splits = self.problem.columns, ranking.ground.splits
        exact = self.engine.exact_thresholds(visit.node.budget)
        people = visit.people
        cuts = routing.cut_splits(columns, splits, ranking.chosen, exact)
        present = routing.who_goes_where(cuts, people, self.X, self.predictions, self.problem.bias.n_labels)
        for chosen, leaves in self.engine.leaves(ranking, present):
            self.splits += len(chosen)
            cuts = routing.cut_splits(columns, splits, chosen, exact)
            routing.note_leaves(cuts, leaves, people, self.X, self.tally)
            people = people[self.live(people)]
            if len(people) == 0:
                break

    def _note_leaf(self, visit: Visit, total: NDArray[np.int64]) -> None:
        leaves = self.engine.leaf(total, self.problem, visit.node.budget)
        routing.note_leaf(visit.people, leaves, self.tally)


def _working_memory(problem: Problem) -> float:
    """Bytes that a walk needs whatever it finds: codes of the table, and the splits of one node a level."""
    n_columns, n_rows = problem.columns.codes.shape
    splits = len(problem.columns.values) + n_columns
    by_split = 36 + 8 * len(problem.types.label) + 8 * problem.bias.n_labels
    return float(4 * n_columns * n_rows + min(problem.depth, 4) * (by_split * splits + 8 * n_rows))
