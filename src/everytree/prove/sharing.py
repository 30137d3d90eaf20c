"""Walks for many people: shared among threads, and in small groups where one walk for all takes too long.

Between the walk and `certify`. Whatever way people are divided, verdicts of finished walks are the same.
"""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import numpy as np

from everytree.prove import routing
from everytree.prove.walk import Outcome, explore
from everytree.support.limits import Limits

if TYPE_CHECKING:
    from everytree.prove.engines import Engine
    from everytree.prove.problem import People, Problem
    from everytree.support.progress import Progress

FIRST_SHARE = 0.5
"""Share of the time that one walk for all people gets before they are walked for in groups."""

GROUPS = 16
"""Groups of similar people when one walk for all did not come to its end."""


def explore_together(
    problem: Problem,
    people: People,
    engine: Engine,
    limits: Limits,
    progress: Progress | None,
    n_jobs: int,
) -> Outcome:
    """Share the people among threads, each with a walk of its own."""
    if n_jobs == 1 or len(people) < 2 * n_jobs:
        return explore(problem, people, engine, limits, progress)
    parts = np.array_split(np.arange(len(people)), n_jobs)
    with ThreadPoolExecutor(n_jobs) as pool:
        walks = [pool.submit(explore, problem, people.some(part), engine, limits, progress) for part in parts]
        outcomes = [walk.result() for walk in walks]
    arrays = zip(*(outcome.tally for outcome in outcomes), strict=True)
    tally = routing.Tally(*(np.concatenate(parts_of) for parts_of in arrays))
    finished = np.concatenate([outcome.finished for outcome in outcomes])
    return Outcome(tally, finished, sum(o.nodes for o in outcomes), sum(o.splits for o in outcomes))


def explore_in_time(
    problem: Problem,
    people: People,
    engine: Engine,
    limits: Limits,
    progress: Progress | None,
    n_jobs: int,
) -> Outcome:
    """Walk for all people at once; if half the time is not enough, for groups of those still provable.

    A walk that is cut off proves nobody, because everybody may still meet another label. A small group of
    similar people meets fewer nodes, so that its walk may come to its end. Who has met two labels is done.
    """
    started = time.monotonic()
    if not np.isfinite(limits.deadline):
        return explore_together(problem, people, engine, limits, progress, n_jobs)
    half = Limits(started + FIRST_SHARE * (limits.deadline - started), limits.memory)
    outcome = explore_together(problem, people, engine, half, progress, n_jobs)
    tally, finished, nodes, splits = outcome.tally, outcome.finished.copy(), outcome.nodes, outcome.splits
    live = np.flatnonzero(~finished & (tally.possible.sum(axis=1) <= 1))
    groups = np.array_split(live[np.lexsort(people.X[live].T)], min(GROUPS, len(live))) if len(live) else []
    for at, group in enumerate(groups):
        now = time.monotonic()
        share = Limits(now + (limits.deadline - now) / (len(groups) - at), limits.memory)
        if now >= limits.deadline:
            break
        part = explore_together(problem, people.some(group), engine, share, progress, n_jobs)
        nodes, splits = nodes + part.nodes, splits + part.splits
        done = group[part.finished]
        for whole, own in zip(tally, part.tally, strict=True):
            whole[done] = own[part.finished]
        finished[done] = True
    finished |= tally.possible.sum(axis=1) > 1
    return Outcome(tally, finished, nodes, splits)
