"""Versions, in their one place: our own, and those of scikit-learn whose trees were held against the method.

The package, stored results and audit keys read ours here. Another scikit-learn may learn other trees than the
method says: ``python -m benchmarks.canary`` finds out, and `NEWEST_LEARNER` may be raised.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from importlib.metadata import version

__all__ = ["NEWEST_LEARNER", "OLDEST_LEARNER", "VERSION", "learner_notes", "learner_version"]

VERSION = "0.2.0"

OLDEST_LEARNER, NEWEST_LEARNER = (1, 6), (1, 9)
"""First two numbers of the versions of scikit-learn between which trees were tested, both ends included."""


@cache
def _installed(find: Callable[[str], str]) -> str:
    """The installed scikit-learn: its files are searched once, not for every question."""
    return find("scikit-learn")


def learner_version() -> tuple[int, ...]:
    """First two numbers of the installed scikit-learn."""
    return tuple(map(int, re.findall(r"\d+", _installed(version))[:2]))


def learner_notes() -> tuple[str, ...]:
    """Warn of an installed scikit-learn that was not tested; nothing otherwise."""
    if OLDEST_LEARNER <= learner_version() <= NEWEST_LEARNER:
        return ()
    oldest, newest = (".".join(map(str, known)) for known in (OLDEST_LEARNER, NEWEST_LEARNER))
    return (
        f"scikit-learn {_installed(version)} is not a tested version: everytree {VERSION} was tested with "
        f"{oldest} to {newest}, and proofs are about trees as these versions learn them. Install one of "
        "them, or a newer everytree.",
    )
