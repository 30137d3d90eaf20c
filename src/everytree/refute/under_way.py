"""Trees that are learned in the background while the search for the next tables goes on.

Between the searches, which find tables, and `judge.py`, which learns from them and notes whose label changes.
"""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from threading import Lock
from typing import TYPE_CHECKING

from everytree.support.clock import now

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from everytree.refute.judge import Judge, Learned
    from everytree.refute.trial import Trial

DEAR = 0.01
"""Seconds of a training, by estimate, from which on trees are learned in the background."""

AT_ONCE = 2
"""Trees that are learned at the same time: scikit-learn lets other threads run while it learns."""

MOST_WAITING, MOST_SECONDS = 6, 2.0
"""Trees that are under way at most, and the seconds, by estimate, that they may take together: enough for a
search that goes on beside them, and not much to wait for when the time is over."""

GRACE = 1.0
"""Seconds after the deadline at which a tree may be ready; one that would take longer is not begun."""

TURN_SECONDS = 2e-4
"""How long a thread may keep the interpreter from others while trees are under way, instead of 0.005."""


_LOCK = Lock()
_BLOCKS: list[float] = []
"""How long turns were before each block that has not ended; the first is what they will be again."""


@contextmanager
def short_turns() -> Iterator[None]:
    """Let threads take turns more often, until the end of the block, or of the last of several at a time.

    A search calls thousands of kernels that let go of the interpreter for less than a millisecond. Each time
    a thread that learns a tree may take it, and the search would wait for five of them.
    """
    with _LOCK:
        _BLOCKS.append(sys.getswitchinterval())
        sys.setswitchinterval(min(_BLOCKS[0], TURN_SECONDS))
    try:
        yield
    finally:
        with _LOCK:
            before = _BLOCKS.pop()  # of several, the last: the first stays the first
            if not _BLOCKS:
                sys.setswitchinterval(before)


class UnderWay:
    """The tables that one search asked to be learned from, read in the order in which they came.

    A tree is read when too many are under way, or when `settle` asks for it, and never because it happens to
    be ready: the same question has the same answer on a fast machine and on a slow one.
    """

    def __init__(self, judge: Judge) -> None:
        self.judge = judge
        fit = max(AT_ONCE, int(MOST_SECONDS / judge.training_seconds))
        self.most = min(fit, MOST_WAITING) if judge.training_seconds > DEAR else 0
        self.at_once = AT_ONCE if self.most else 1
        self._threads = ThreadPoolExecutor(AT_ONCE)  # which begins one when it is needed
        self._waiting: deque[tuple[Trial, NDArray[np.int32], Future[Learned]]] = deque()

    def __len__(self) -> int:
        """Trees that are under way."""
        return len(self._waiting)

    def put(self, trial: Trial, people: NDArray[np.int32]) -> bool:
        """Learn from a trial for some people's sake; where that is cheap, it is read at once.

        Says whether the trial is dealt with: False where its tree would be late.
        """
        if self.most == 0:
            self.judge.consider(trial, people)
        elif now() + self.judge.training_seconds > self.judge.deadline + GRACE:
            return False
        elif self.judge.allows(trial):
            self._waiting.append((trial, people, self._threads.submit(self.judge.learn, trial, people)))
            self.settle(self.most)
        return True

    def settle(self, most: int = 0) -> None:
        """Read trees until so many are left."""
        while len(self._waiting) > most:
            trial, people, learning = self._waiting.popleft()
            if not learning.cancelled():
                self.judge.read(trial, people, learning.result())

    def people(self) -> set[int]:
        """Those for whose sake trees are under way."""
        return {p for _, people, _ in self._waiting for p in people.tolist()}

    def end(self) -> None:
        """Read the trees that were begun and give up the others: the time is over."""
        self._threads.shutdown(cancel_futures=True)
        self.settle()
