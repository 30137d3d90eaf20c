"""Walks for many people: shared among threads, and in small groups where one walk for all takes too long.

Between the walk and the questions. Whatever way people are divided, verdicts of finished walks are the same.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import numpy as np

from everytree.prove import routing
from everytree.prove.walk import Outcome, Walk
from everytree.support.clock import now

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from everytree.prove.engines import Engine
    from everytree.prove.problem import People, Problem
    from everytree.support.limits import Limits

FIRST_SHARE = 0.5
"""Share of the time that one walk for all people gets before they are walked for in groups."""

GROUPS = 16
"""Groups of similar people when one walk for all did not come to its end."""

SCREENED_FROM = 0.5
"""Seconds, by estimate, after which a walk screens people: most walks are at their end by then."""

SLICE = 0.05
"""Seconds, by estimate, that a walk goes on before others have their turn."""


class SharedWalk:
    """The walk as a worker: for all people at once; if half the time is not enough, for groups of them.

    A walk that is cut off proves nobody who may still come to a node. A small group of similar people meets
    fewer nodes, so that its walk may come to its end. A walk that has only put off children left goes on: it
    takes them up person by person. Who has met two labels is done.
    `wanted` is shared with other workers: whoever they decide is not looked at any further.
    """

    def __init__(
        self,
        problem: Problem,
        people: People,
        engine: Engine,
        limits: Limits,
        wanted: NDArray[np.bool_] | None = None,
        n_jobs: int = 1,
    ) -> None:
        self.problem, self.people, self.engine, self.limits = problem, people, engine, limits
        self.n_jobs = n_jobs
        self.wanted = np.ones(len(people), np.bool_) if wanted is None else wanted
        self.tally = routing.empty_tally(len(people), problem.bias.n_labels)
        self.finished = np.zeros(len(people), np.bool_)
        self.started = now()
        self.nodes = self.splits = 0
        self.share_done = 0.0
        self.lacks_memory = self.out_of_memory = False

    @property
    def outcome(self) -> Outcome:
        """What is known so far."""
        met_two = self.tally.possible.sum(axis=1) > 1
        return Outcome(self.tally, self.finished | met_two, self.nodes, self.splits)

    def steps(self) -> Iterator[float]:
        """Walk on, part after part; gives about the seconds of each."""
        half = self.started + FIRST_SHARE * (self.limits.deadline - self.started)
        parts = self.n_jobs if len(self.people) >= 2 * self.n_jobs else 1
        everybody = np.array_split(np.arange(len(self.people)), parts)
        yield from self._walk([self._new_walk(part) for part in everybody], half)
        live = np.flatnonzero(~self.finished & self.wanted & (self.tally.possible.sum(axis=1) <= 1))
        if len(live) == 0 or self.lacks_memory:
            return
        groups = np.array_split(live[np.lexsort(self.people.X[live].T)], min(GROUPS, len(live)))
        waiting = [self._new_walk(group) for group in groups]
        while waiting and now() < self.limits.deadline:
            for at in range(0, len(waiting), self.n_jobs):
                turns = -(-(len(waiting) - at) // self.n_jobs)
                until = now() + (self.limits.deadline - now()) / turns / 2
                yield from self._walk(waiting[at : at + self.n_jobs], until)
            waiting = [(walk, who) for walk, who in waiting if not walk.ended]

    def _new_walk(self, who: NDArray[np.int64]) -> tuple[Walk, NDArray[np.int64]]:
        people = self.people.some(who)
        return Walk(self.problem, people, self.engine, self.limits, screened_from=SCREENED_FROM), who

    def _walk(self, walks: list[tuple[Walk, NDArray[np.int64]]], until: float) -> Iterator[float]:
        """Let some walks go on side by side until a moment; note what they found."""
        with ThreadPoolExecutor(max(1, len(walks))) as pool:
            while not all(walk.ended for walk, _ in walks):
                before = [(walk.visited, walk.splits) for walk, _ in walks]
                for walk, who in walks:
                    walk.wanted = self.wanted[who]
                if len(walks) == 1:
                    walks[0][0].advance(SLICE)
                else:
                    list(pool.map(lambda pair: pair[0].advance(SLICE), walks))
                for (walk, who), (nodes, splits) in zip(walks, before, strict=True):
                    self._note(walk, who)
                    self.nodes, self.splits = (
                        self.nodes + walk.visited - nodes,
                        self.splits + walk.splits - splits,
                    )
                self.share_done = sum(walk.done for walk, _ in walks) / len(walks)
                yield SLICE
                late = now() > until and not all(walk.ended or walk.only_postponed for walk, _ in walks)
                if late or now() > self.limits.deadline or self.lacks_memory:
                    break

    def _note(self, walk: Walk, who: NDArray[np.int64]) -> None:
        """Take over what a walk knows: labels that people have met, and all of those it is done with."""
        self.lacks_memory |= walk.lacks_memory
        self.out_of_memory |= walk.out_of_memory
        self.tally.possible[who] |= walk.tally.possible
        mine = walk.finished & self.wanted[who]
        done = who[mine]
        everybody = len(done) == len(self.finished) and np.array_equal(done, np.arange(len(done)))
        for whole, own in zip(self.tally, walk.tally, strict=True):
            if everybody:
                whole[:] = own
            else:
                whole[done] = own[mine]
        self.finished[done] = True
