"""Limits of a search: a moment on the clock, an amount of memory, a number of threads; one way to read them.

Every question, every command and the audit file name them alike and count in the same units.
"""

from __future__ import annotations

import math
import os
import re
from dataclasses import dataclass

from everytree.errors import EverytreeError
from everytree.support.clock import now

UNITS = {"": 1.0, "b": 1.0, "kb": 1e3, "mb": 1e6, "gb": 1e9, "tb": 1e12}
"""Units of memory, in bytes; the case of the letters does not matter."""


@dataclass(frozen=True)
class Limits:
    """When to give up: `deadline` on the clock of `support.clock`, `memory` in bytes of working memory."""

    deadline: float = math.inf
    memory: float = math.inf

    @classmethod
    def of(cls, time_limit: float | None = None, memory_limit: float | str | None = None) -> Limits:
        """Read limits that begin now; None stands for none.

        Parameters
        ----------
        time_limit : float, optional
            Seconds.
        memory_limit : float or str, optional
            Bytes, or a text with a unit such as ``"500MB"``.
        """
        check_seconds("time_limit", time_limit)
        memory = math.inf if memory_limit is None else as_bytes("memory_limit", memory_limit)
        return cls(math.inf if time_limit is None else now() + time_limit, memory)


NO_LIMITS = Limits()


def check_seconds(name: str, value: object) -> None:
    """Refuse a time limit that is no positive number of seconds (None: no limit)."""
    if value is None:
        return
    if isinstance(value, bool) or not isinstance(value, int | float) or not value > 0:
        raise EverytreeError(
            f"{name} must be a number of seconds greater than 0, or None for no limit; received {value!r}."
        )


def as_bytes(name: str, value: float | str) -> float:
    """Read an amount of memory: a number of bytes, or a text such as ``"500MB"`` or ``"2 GB"``."""
    match = re.fullmatch(r"\s*([0-9]*\.?[0-9]+(?:[eE][0-9]+)?)\s*([a-zA-Z]*)\s*", str(value))
    unit = match[2].lower() if match and not isinstance(value, bool) else "?"
    amount = float(match[1]) * UNITS[unit] if match and unit in UNITS else 0.0
    if amount > 0:
        return amount
    nothing = "none" if name.startswith("--") else "None"
    raise EverytreeError(
        f"{name} must be an amount of memory greater than 0, as a number of bytes or with a unit such as "
        f"500MB or 2GB, or {nothing} for no limit; received {value!r}."
    )


def as_jobs(n_jobs: int, name: str = "n_jobs") -> int:
    """Read `n_jobs` as scikit-learn does: a number of threads, or -1 for one a core."""
    if isinstance(n_jobs, bool) or not isinstance(n_jobs, int) or n_jobs == 0 or n_jobs < -1:
        raise EverytreeError(
            f"{name} must be a whole number from 1, or -1 for all cores; received {n_jobs!r}."
        )
    return n_jobs if n_jobs > 0 else os.cpu_count() or 1
