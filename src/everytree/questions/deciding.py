"""Who decides when: attacks, small sets, the walk and path programs share the time and the open people.

Between `certify` and the workers of the rooms below. Every worker goes on in small steps and says about how
long each took; the one that has had the least of its share is next. Estimates are used instead of the clock,
so that a question that is decided in time has the same answer on every machine. Whoever is decided leaves
all workers at once, and what was found when the time is over stays found.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from everytree.errors import EverytreeError, InternalError
from everytree.learner.criterion.front import for_kernels, tolerance
from everytree.paths.conditions import MOST_LABELS
from everytree.paths.deciding import Programs
from everytree.prove.candidates import has_claims
from everytree.prove.engines import IntervalEngine, RelationalEngine
from everytree.prove.problem import People
from everytree.prove.sharing import SharedWalk
from everytree.prove.twins import kept_by_twins, twins_decide
from everytree.prove.walk import DEEPEST_SCREENED
from everytree.questions.worker import SHARES, Worker
from everytree.refute.attacks import Attack
from everytree.refute.every_table import EveryTable
from everytree.refute.judge import TABLES, TWINS, WALK, Judge
from everytree.refute.small_sets import try_every_table
from everytree.refute.trial import most_rows
from everytree.refute.under_way import short_turns
from everytree.refute.whole_tables import WholeTables
from everytree.support.clock import now

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from everytree.learner import Prepared
    from everytree.prove.problem import Problem
    from everytree.prove.walk import Outcome
    from everytree.refute.trial import Trial
    from everytree.refute.under_way import UnderWay
    from everytree.support.limits import Limits
    from everytree.support.progress import Progress

DECIDED, OUT_OF_TIME, OUT_OF_MEMORY, TOO_MANY_PATHS, ONLY_A_TIE, TOO_CLOSE, INTERRUPTED, NOT_SETTLED = (
    "",
    "time",
    "memory",
    "paths",
    "tie",
    "close",
    "interrupted",
    "not settled",
)
"""Why somebody is unknown: a limit, more paths than can be kept, a label that hangs on a tie that the learner
never breaks that way, values so close that nothing can be proved, Ctrl-C, or because everything that there
is to try was tried."""

DECIDING_SECONDS = 60.0
"""How long people whom the walk did not prove may be decided when there is no time limit."""

DRAFT_BYTES = 24
"""Memory that an attack needs for each cell of the table."""

HEAD_START, HEAD_START_DEEP = 1.0, 0.25
"""Seconds, by estimate, that the walk has for itself: most walks prove most people in that time, those of
trees that are too deep for screening do not, and where a training takes long (`LONG`) as good as never. One
that is half done by then has as much again."""

PATIENCE, LONG_PATIENCE = 2.0, 8.0
"""Seconds, by estimate, after which a worker does not wait for the end of another any longer, and where
attacks wait for tables because a training takes long."""

LONG = 0.05
"""Seconds of a training, by estimate, from which on attacks, which learn whole trees, wait for tables."""

SHALLOW, SHALLOW_ATTACK = 2, 0.5
"""Depth of trees that have few paths, and the share of attacks there: programs come to their end with all
paths, and settle everybody then."""

DEEP_PROOFS = 0.25
"""Share of the walk and of programs where the tree is too deep for screening: they seldom prove anybody."""

LEAST_FEWER = 16
"""Where many more rows may be added than there are, witnesses are looked for with so many at least."""

REPORT_EVERY = 0.1
"""Seconds between two reports of progress."""


@dataclass(eq=False)
class Decision:
    """What is known of each person: `robust` and by what proof, or a confirmed change, or a reason."""

    robust: NDArray[np.bool_]
    proofs: NDArray[np.str_]
    witnesses: dict[int, tuple[Trial, int]]
    reasons: NDArray[np.str_]
    complete: bool
    walk: Outcome
    statistics: dict[str, float] = field(default_factory=dict)


class Deciding:
    """All workers on one problem."""

    def __init__(
        self, problem: Problem, prepared: Prepared, engine: str, limits: Limits, n_jobs: int = 1
    ) -> None:
        self.problem, self.prepared, self.limits = problem, prepared, limits
        test = prepared.test
        people = People(test.X, prepared.predictions)
        known = test.frame, limits.deadline, prepared.tree.tree_
        self.judge = Judge(problem, prepared.learner.new_tree, people, *known)
        self.auto = engine == "auto"
        prover = IntervalEngine() if engine == "interval" else RelationalEngine()
        self.walk = SharedWalk(problem, people, prover, limits, self.judge.walkable, n_jobs)
        closer = RelationalEngine(claims=True), replace(limits, memory=limits.memory / 2)
        self.closer = SharedWalk(problem, people, *closer, self.judge.walkable, n_jobs)
        self.programs: Programs | None = None
        self.every_table: EveryTable | WholeTables | None = None
        self.under_way: list[UnderWay] = []
        self.only_ties = np.zeros(len(people), np.bool_)
        self.deadline = limits.deadline
        self.interrupted = False
        if self.auto and twins_decide(problem):
            self.judge.prove(kept_by_twins(problem, people), TWINS)
        self.head_start = HEAD_START
        if problem.depth > DEEPEST_SCREENED:
            self.head_start = HEAD_START_DEEP if self.judge.training_seconds <= LONG else 0.0
        self.workers: list[Worker] = []
        self._employ("walk", self._walk(self.walk))

    def run(self, progress: Progress | None = None) -> Decision:
        """Decide as many people as the limits allow; Ctrl-C ends it early, with what is known by then."""
        with short_turns():
            self._decide(progress)
        for walk in (self.walk, self.closer):
            self._prove_walked(walk)
        return self._decision()

    def _decide(self, progress: Progress | None) -> None:
        """Let one worker after the other go on, until everybody is decided or the time is over."""
        reported = 0.0
        try:
            while (worker := self._next()) is not None:
                before = int(self.judge.open.sum())
                spent = next(worker.steps, None)
                worker.done = spent is None
                worker.account(spent or 0.0, before - int(self.judge.open.sum()))
                moment = now()
                if progress is not None and moment - reported > REPORT_EVERY:
                    self._report(progress)
                    reported = moment
                if moment > self._end(moment):
                    break
        except KeyboardInterrupt:
            self.interrupted = True
        for trees in self.under_way:
            trees.end()

    def _end(self, moment: float) -> float:
        """When to stop. Without a limit, the others have a minute from the end of the walk."""
        if np.isinf(self.deadline) and self.workers[0].done:
            self.deadline = moment + DECIDING_SECONDS
            if self.programs is not None:
                self.programs.deadline = self.deadline
        return self.deadline

    def _next(self) -> Worker | None:
        """The worker whose turn it is; None if there is nothing left to do."""
        if self.walk.lacks_memory or not (self.judge.open if self.auto else self.judge.walkable).any():
            return None
        walk = self.workers[0]
        if self.auto and len(self.workers) == 1:
            ahead = self.head_start * (2 if self.walk.share_done > 0.5 else 1)
            if walk.done or walk.spent >= ahead:
                self._hire()
        ready = [w for w in self.workers if not w.done and not self._must_wait(w)]
        chosen = min(ready, key=lambda w: w.turn, default=None)
        if chosen is not None:
            for worker in self.workers:  # what others had while one waited is not made up for
                if worker not in ready:
                    worker.turn = max(worker.turn, chosen.turn)
        return chosen

    def _employ(self, name: str, steps: Iterator[float]) -> None:
        """Give a worker its share of the time from now on: what others had before is not made up for."""
        share = SHARES[name]
        if self.problem.depth <= SHALLOW and name == "attack":
            share = SHALLOW_ATTACK
        if self.problem.depth > DEEPEST_SCREENED and name in ("walk", "programs"):
            share = DEEP_PROOFS
        turn = max((worker.turn for worker in self.workers), default=0.0)
        self.workers.append(Worker(name, steps, share, turn=turn))

    def _hire(self) -> None:
        """Bring in everybody but the walk."""
        self._employ("tiny", self._try_every_table())
        if has_claims(self.problem):
            self._employ("closer", self._walk(self.closer))
        if Attack.is_possible(self.problem) and self._has_room():
            rows = most_rows(self.problem, self.limits.memory)
            attack = Attack(self.problem, self.judge, rows)
            self.under_way.append(attack.under_way)
            self._employ("attack", attack.run())
        tables = EveryTable if EveryTable.is_possible(self.problem) else WholeTables
        if tables.is_possible(self.problem):
            self.every_table = tables(self.problem, self.judge)
            self.under_way += [self.every_table.under_way] if isinstance(self.every_table, EveryTable) else []
            self._employ("tables", self._try_every_long_table(self.every_table))
        if self.problem.bias.additions > len(self.problem.table.y):
            self._employ("fewer", self._try_fewer())
        problem = self.problem
        few_labels = problem.bias.n_labels <= MOST_LABELS
        # beyond, ties outweigh records
        if few_labels and tolerance(for_kernels(problem.criterion), problem.bias.additions) <= 1.0:
            self._employ("programs", self._programs())

    def _has_room(self) -> bool:
        return DRAFT_BYTES * self.problem.columns.codes.size <= self.limits.memory

    def _must_wait(self, worker: Worker) -> bool:
        """Whether a worker waits for another: programs are for those whom the walk does not prove.

        Tiny tables are tried without compilation, so that waits where compiled code tries whole tables. On
        shallow trees attacks wait for the programs, which settle nearly everybody there in seconds; where a
        training takes long, for tables, which learn small parts of trees.
        """
        others, patience = dict.fromkeys(("closer", "programs"), self.workers[:1]), PATIENCE
        if isinstance(self.every_table, WholeTables):
            others["tiny"] = [w for w in self.workers if w.name == "tables"]
        if self.problem.depth <= SHALLOW:
            others["attack"] = [w for w in self.workers if w.name == "programs"]
        elif isinstance(self.every_table, EveryTable) and self.judge.training_seconds > LONG:
            others["attack"] = [w for w in self.workers if w.name == "tables"]
            patience = LONG_PATIENCE if worker.name == "attack" else PATIENCE
        return any(not other.done and other.spent < patience for other in others.get(worker.name, []))

    def _walk(self, walk: SharedWalk) -> Iterator[float]:
        for spent in walk.steps():
            self._prove_walked(walk)
            yield spent

    def _prove_walked(self, walk: SharedWalk) -> None:
        """Prove whom a finished walk gives one label; it must be the predicted one."""
        possible = walk.tally.possible
        proved = walk.finished & self.judge.walkable & (possible.sum(axis=1) == 1)
        wrong = proved & ~possible[np.arange(len(possible)), self.prepared.predictions]
        if wrong.any():
            _refuse(int(np.argmax(wrong)), self.prepared)
        self.judge.prove(proved, WALK)

    def _try_every_table(self) -> Iterator[float]:
        began = self.judge.retrained
        before = self.judge.open.copy()
        proved, finished = try_every_table(self.problem, self.judge, self._limits_now())
        self.judge.prove(proved & before, TABLES)
        self._close(finished)
        yield 0.1 + 1e-3 * (self.judge.retrained - began)

    def _try_every_long_table(self, every_table: EveryTable | WholeTables) -> Iterator[float]:
        yield from every_table.steps()
        self._close(every_table.finished)

    def _close(self, people: NDArray[np.bool_]) -> None:
        """Give up people for whom every table was tried: what is left hangs on ties."""
        people = people & ~self.judge.blurred
        self.only_ties |= people & self.judge.open
        self.judge.open &= ~people

    def _limits_now(self) -> Limits:
        """Limits of a step that cannot be left: those of the question, but a minute at most."""
        return replace(self.limits, deadline=min(self.deadline, now() + DECIDING_SECONDS))

    def _try_fewer(self) -> Iterator[float]:
        """Look for witnesses with no more additions than the table has rows, where more are allowed.

        Such a table is one of B(T), so its witnesses count; its proofs do not. Programs in which a few of
        10^12 rows matter are hard to solve, and their boxes of counts are wide.
        """
        bias = self.problem.bias
        for additions in (1, 2, max(LEAST_FEWER, len(self.problem.table.y))):
            if additions >= bias.additions or not self.judge.open.any():
                return
            fewer = replace(self.problem, bias=replace(bias, additions=additions))
            if additions <= 2:
                began = self.judge.retrained
                try_every_table(fewer, self.judge, self._limits_now())
                yield 0.1 + 1e-3 * (self.judge.retrained - began)
            else:
                yield from Programs(fewer, self.judge, self.limits, proves=False).steps()

    def _programs(self) -> Iterator[float]:
        self.programs = Programs(self.problem, self.judge, replace(self.limits, deadline=self.deadline))
        yield from self.programs.steps()

    def _report(self, progress: Progress) -> None:
        left = int((self.judge.open if self.auto else self.judge.walkable).sum())
        tell: Callable[[int, int, int], None] | None = getattr(progress, "tell", None)
        if tell is not None:
            tell(int(self.judge.proved.sum()), len(self.judge.witnesses), left)
        decided = 1 - left / max(1, len(self.judge.open))
        progress(max(decided, self.walk.share_done if len(self.workers) == 1 else 0.0), left)

    def _decision(self) -> Decision:
        judge, walk = self.judge, self.walk.outcome
        unknown = ~judge.proved
        unknown[list(judge.witnesses)] = False
        ended = all(worker.done for worker in self.workers) or not judge.open.any()
        if not self.auto:
            ended = walk.complete
        too_many = self.programs is not None and self.programs.too_many_paths
        complete = ended and not self.walk.lacks_memory and not self.interrupted and not too_many
        if self.interrupted:
            why = INTERRUPTED
        elif self.walk.lacks_memory or (self.walk.out_of_memory and not too_many):
            why = OUT_OF_MEMORY
        elif not ended:
            why = OUT_OF_TIME
        else:
            why = TOO_MANY_PATHS if too_many else NOT_SETTLED
        reasons = np.where(unknown, np.where(self.only_ties, ONLY_A_TIE, why), DECIDED)
        reasons = np.where(unknown & judge.blurred, TOO_CLOSE, reasons)
        statistics = {"nodes": float(walk.nodes), "splits": float(walk.splits)}
        if self.programs is not None:
            paths, programs = self.programs.n_paths, self.programs.solver.solved
            statistics |= {"paths": float(paths), "programs": float(programs)}
        statistics["retrained"] = float(judge.retrained)
        return Decision(judge.proved, judge.proofs, judge.witnesses, reasons, complete, walk, statistics)


def _refuse(person: int, prepared: Prepared) -> None:
    """Say that a proof contradicts the prediction."""
    if prepared.learner.fitted:
        raise EverytreeError(
            f"The fitted tree gives test person {person} a label that no tree learned from this training "
            "table gives. It was probably fitted on another table. Pass the table it was fitted on, or an "
            "unfitted estimator."
        )
    raise InternalError(
        f"The proof for test person {person} contradicts the learned tree. This is a fault in everytree; "
        "please report it with the table."
    )
