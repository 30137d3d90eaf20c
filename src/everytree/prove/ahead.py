"""Compiling ahead: the kernels of a usual walk, half of them in a process of their own.

A new installation has nothing compiled, and one process compiles one kernel at a time. The command line calls
this before its first walk; without it, or if the other process fails, kernels are compiled when first called.
The other process may begin before this one has imported scikit-learn, so this module imports little itself.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from numba import typeof

from everytree.prove.counts import node_splits

__all__ = ["begin", "compile_ahead", "is_cold"]

HERE, THERE = "here", "there"
"""The two halves: what is compiled in this process, and what in the other (`prove/usual.py`)."""

PATIENCE = 2.0
"""How many times as long as its own half took this process waits for the other one."""

DOORS = ("bias", "learner", "table")
"""Rooms of which kernels need some modules only: the whole of them imports pandas and scikit-learn."""

LEAVE = "import os; os._exit(0)\n"
"""How the other process ends: all is written, and to tidy up would keep this one waiting."""

_begun: list[subprocess.Popen[bytes]] = []
"""The other process, where it was started ahead of all else."""


def is_cold() -> bool:
    """Tell whether the kernels have never been compiled here."""
    stats: Any = getattr(node_splits, "stats", None)
    folder = getattr(stats, "cache_path", None)
    return folder is not None and not any(Path(folder).glob("counts.node_splits*.nbi"))


def begin() -> None:
    """Let the other process begin if nothing is compiled here, for a command that is sure to walk."""
    if not _begun and is_cold():
        other = _other()
        _begun.extend([] if other is None else [other])


def compile_ahead() -> None:
    """Compile what a usual walk calls, in two processes at once if there are two processors."""
    began = time.monotonic()
    other = _begun.pop() if _begun else _other()
    try:
        compile_half(HERE)
        if other is not None:
            other.wait(PATIENCE * (time.monotonic() - began))
    except subprocess.TimeoutExpired:
        pass  # what it was to compile is compiled when it is called
    finally:
        if other is not None:
            other.kill()
            other.wait()


def compile_half(half: str) -> None:
    """Compile the kernels of one half and leave them in the cache on disk."""
    from everytree.prove.usual import calls_here, calls_there

    for compiled, arguments in calls_here() if half == HERE else calls_there():
        compiled.compile(tuple(typeof(value) for value in arguments))  # type: ignore[no-untyped-call]


def _processors() -> int:
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity else os.cpu_count() or 1


def _may_start() -> bool:
    """Whether this is a Python that can be started again: not one that is frozen into a program."""
    return bool(sys.executable) and not getattr(sys, "frozen", False)


def _other() -> subprocess.Popen[bytes] | None:
    return _start(THERE) if _processors() > 1 and _may_start() else None


def program(half: str) -> str:
    """What a process runs that compiles one half, with modules from where they come from here.

    The doors of some rooms are left out there: it would take a second and more to import what is behind them.
    """
    doors = {f"everytree.{room}": [str(Path(__file__).parents[1] / room)] for room in DOORS}
    return (
        f"import gc, sys, types; gc.disable(); sys.path[:] = {sys.path!r}\n"
        f"for name, path in {doors!r}.items():\n"
        "    sys.modules[name] = types.ModuleType(name); sys.modules[name].__path__ = path\n"
        f"from everytree.prove.ahead import compile_half; compile_half({half!r})\n"
    )


def _start(half: str) -> subprocess.Popen[bytes] | None:
    try:
        return subprocess.Popen(
            [sys.executable, "-c", program(half) + LEAVE],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
    except OSError:
        return None
