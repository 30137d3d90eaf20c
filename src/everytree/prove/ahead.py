"""Compiling ahead: the kernels of a usual walk, half of them in a process of their own.

A new installation has nothing compiled, and one process compiles one kernel at a time. The command line calls
this before its first walk; without it, or if the other process fails, kernels are compiled when first called.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
from numba import typeof

from everytree.learner.availability import Floors
from everytree.prove import routing
from everytree.prove.counts import Budget, Columns, RowTypes, Splits, node_splits
from everytree.prove.domains import atoms, interval, leaf, relational

__all__ = ["compile_ahead", "is_cold"]

HERE, THERE = "here", "there"
"""The two halves: what is compiled in this process, and what in the other."""

PATIENCE = 2.0
"""How many times as long as its own half took this process waits for the other one."""


def is_cold() -> bool:
    """Tell whether the kernels have never been compiled here."""
    stats: Any = getattr(node_splits, "stats", None)
    folder = getattr(stats, "cache_path", None)
    return folder is not None and not any(Path(folder).glob("counts.node_splits*.nbi"))


def compile_ahead() -> None:
    """Compile what a usual walk calls, in two processes at once if there are two processors."""
    began = time.monotonic()
    other = _start(THERE) if _processors() > 1 and _may_start() else None
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
    for compiled, arguments in usual_calls(half):
        compiled.compile(tuple(typeof(value) for value in arguments))  # type: ignore[no-untyped-call]


def usual_calls(half: str) -> list[tuple[Any, tuple[Any, ...]]]:
    """Kernels with arguments as a usual walk hands them over: of their types, that is, values do not matter.

    No kernel is called by kernels of both halves: two processes must not write the same file of the cache.
    """
    number, flag, score = np.zeros(2, np.int64), np.zeros(2, np.bool_), np.zeros(2)
    rows = np.zeros(2, np.int32)
    columns = Columns(np.zeros((2, 2), np.int32), np.zeros(2, np.float32), number, flag, number)
    types = RowTypes(rows, number, np.zeros((2, 2), np.bool_), flag, np.zeros((2, 4, 2), np.int64))
    splits = Splits(rows, rows, rows, np.zeros((2, 2), np.int32), number, np.zeros((2, 2), np.int64))
    budget = Budget(0, 1, 0, flag, flag)
    possible, share = np.zeros((2, 2, 2), np.bool_), np.zeros((2, 2, 2))
    if half == THERE:
        cells = np.zeros((2, 2), np.int64)
        return [
            (relational.scores, (splits, types, None)),
            (relational._loose_margins, (splits, types, budget, score, 0, None)),
            (atoms._settle, (splits, number, cells, 0, types, budget, score, share, None)),
        ]
    floors, cuts = Floors(1, 1, 2, 2, 0.0, 0), routing.Cuts(rows, score, score)
    leaves, tally = routing.Leaves(possible, share, share), routing.empty_tally(2, 2)
    X = np.zeros((2, 2), np.float32)
    return [
        (node_splits, (columns, types, rows, 0, flag, True)),
        (interval.least_upper_cost, (splits, types, budget, score, floors, None)),
        (interval.affordable, (splits, number, types, budget, 0.0, None)),
        (interval.leaves_of_splits, (splits, number, types, budget, None)),
        (leaf._labels_of_leaves, (splits, number, types, budget, None, possible)),
        (relational.cell_counts, (columns, types, rows, splits, number, 0)),
        (routing.who_goes_where, (cuts, rows, X, number, 2)),
        (routing.note_leaves, (cuts, leaves, rows, X, tally)),
    ]


def _processors() -> int:
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity else os.cpu_count() or 1


def _may_start() -> bool:
    """Whether this is a Python that can be started again: not one that is frozen into a program."""
    return bool(sys.executable) and not getattr(sys, "frozen", False)


def _start(half: str) -> subprocess.Popen[bytes] | None:
    """Start a process that compiles one half, with modules from where they come from here."""
    code = (
        f"import sys; sys.path[:] = {sys.path!r}; from everytree.prove.ahead import compile_half; "
        f"compile_half({half!r})"
    )
    try:
        return subprocess.Popen(
            [sys.executable, "-c", code],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
    except OSError:
        return None
