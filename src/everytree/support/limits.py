"""When a search gives up: a moment on the clock and an amount of memory, the same for every room."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Limits:
    """When to give up: `deadline` on the clock of `time.monotonic`, `memory` in bytes of working memory."""

    deadline: float = float("inf")
    memory: float = float("inf")


NO_LIMITS = Limits()
