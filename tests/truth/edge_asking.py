"""Asking the library about an edge problem: within its limits, and with everything that may go wrong noted.

Sits below `edge_oracle`, which judges the answer.
"""

from __future__ import annotations

import json
import os
import signal
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import clone

from tests.truth.edges import EdgeProblem

SECONDS, GRACE, MEMORY = 0.6, 2.0, 2e8
INTERNAL, LATE, TRACEBACK = "internal error", "late", "traceback"


class OutOfTimeError(Exception):
    """A call did not come back in time."""


@dataclass
class Answer:
    """A result, or the name of the error that refused the problem; and whatever went wrong, by kind."""

    result: Any = None
    refused: str = ""
    wrong: list[tuple[str, str]] = field(default_factory=list)


def ask(problem: EdgeProblem, certifier: Callable[..., Any] | None = None) -> Answer:
    """Certify and call whatever people call on a result; ``certifier`` stands for `everytree.certify`."""
    from everytree import certify
    from everytree.errors import EverytreeError, InternalError

    warm_up()
    answer = Answer()
    limits = {"time_limit": SECONDS, "memory_limit": MEMORY if problem.huge else None}
    options = {"engine": problem.engine, "drop": problem.drop, **limits}
    try:
        estimator = as_given(problem)
        with _interrupted_after(1.1 * SECONDS + GRACE), _little_memory():
            answer.result = (certifier or certify)(
                estimator, problem.X, problem.y, problem.people, problem.bias, **options
            )
    except InternalError as error:
        answer.wrong.append((INTERNAL, str(error)))
    except EverytreeError as error:
        answer.refused = type(error).__name__
    except OutOfTimeError:
        where = traceback.format_exc(limit=-4)
        answer.wrong.append((LATE, f"no answer although the limit was {SECONDS} s\n{where}"))
    except Exception:
        answer.wrong.append((TRACEBACK, traceback.format_exc(limit=-4)))
    if answer.result is not None:
        _use(problem, answer)
    return answer


def _use(problem: EdgeProblem, answer: Answer) -> None:
    """Show and write the result and its witnesses; nothing of it may fail."""
    result = answer.result
    witnesses = list(result.witnesses.values())
    for use in (
        lambda: json.loads(result.to_json()),
        lambda: (result.to_frame(), result.summary(), repr(result)),
        lambda: [(repr(w), w.changes, w.to_frame(problem.X, problem.y)) for w in witnesses],
    ):
        try:
            use()
        except Exception:
            answer.wrong.append((TRACEBACK, traceback.format_exc(limit=-4)))


def as_given(problem: EdgeProblem) -> Any:
    """The estimator as the library gets it; unfitted, too, where scikit-learn refuses the table."""
    estimator = clone(problem.estimator)
    if problem.fitted:
        with suppress(ValueError, TypeError):
            return clone(estimator).fit(problem.X, np.asarray(problem.y).ravel())
    return estimator


@lru_cache(maxsize=1)
def warm_up() -> None:
    """Compile everything once, outside of any limit; the searches need not come to an end for that."""
    from sklearn.tree import DecisionTreeClassifier

    from everytree import certify

    pd.Series(["text"])  # pandas' text may be Arrow's, which reserves a gigabyte at once
    if os.environ.get("NUMBA_DISABLE_JIT") == "1":
        return
    X, y = [[10, 5], [20, 5], [30, 7], [40, 7]] * 3, [0, 0, 1, 0] * 3
    rng = np.random.default_rng(3)
    longer = rng.integers(0, 9, (60, 3))
    labels = (longer[:, 0] > 4) ^ (rng.random(60) < 0.1)
    for criterion in ("gini", "entropy"):
        tree = DecisionTreeClassifier(max_depth=2, random_state=0, criterion=criterion)
        for engine in ("interval", "auto"):
            for bias in ("flip(1) + miss(1, where x0 > 5) + fake(1)", "flip(2)", "miss(2)", "fake(2)"):
                certify(tree, X, y, X[:4], bias, engine=engine, time_limit=2)
        deep = DecisionTreeClassifier(max_depth=3, random_state=0, criterion=criterion)
        for bias in ("miss(1)", "flip(2)"):  # attacks, and every set of few changes
            certify(deep, longer, labels, longer[:12], bias, time_limit=2)


@contextmanager
def _interrupted_after(seconds: float) -> Iterator[None]:
    """Raise OutOfTimeError in the main thread when so much of the processor has been used.

    Not without compilation, which is slow, and not where there are no such alarms. If something had to be
    compiled, which stops the clock of all limits, there is as much time again.
    """
    from everytree.support.clock import STANDING

    standing = STANDING.total

    def stop(*_: Any) -> None:
        nonlocal standing
        if STANDING.depth == 0 and STANDING.total == standing:
            raise OutOfTimeError
        standing = STANDING.total
        signal.setitimer(signal.ITIMER_PROF, seconds)

    if os.environ.get("NUMBA_DISABLE_JIT") == "1":
        seconds *= 20
    try:
        before = signal.signal(signal.SIGPROF, stop)
    except (AttributeError, ValueError):
        yield
        return
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


@contextmanager
def _little_memory() -> Iterator[None]:
    """Let this process grow by 1 GB at most, so that a mistake ends in a MemoryError (Linux only)."""
    try:
        import resource

        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
    except (ImportError, OSError):
        yield
        return
    before = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + 2**30, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)
