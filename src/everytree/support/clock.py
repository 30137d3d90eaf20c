"""The clock of all limits: it stands still while kernels are compiled.

Lowest room. Compiling happens once after an installation and can take longer than a whole question; a limit
that counted it would leave the first question of a new user without an answer. The kernels say when they are
being compiled (`everytree.support.kernels`).
"""

from __future__ import annotations

import time
from threading import Lock


class _Standing:
    """How long the clock stood still so far, and since when it does; begins and ends may be nested."""

    def __init__(self) -> None:
        self.lock, self.depth, self.since, self.total = Lock(), 0, 0.0, 0.0

    def begin(self) -> None:
        with self.lock:
            if self.depth == 0:
                self.since = time.monotonic()
            self.depth += 1

    def end(self) -> None:
        with self.lock:
            self.depth -= 1
            if self.depth == 0:
                self.total += time.monotonic() - self.since


STANDING = _Standing()


def now() -> float:
    """Seconds on the clock that all deadlines are read from."""
    with STANDING.lock:
        return (STANDING.since if STANDING.depth else time.monotonic()) - STANDING.total
