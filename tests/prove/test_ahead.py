"""What is compiled ahead is what a usual walk calls, and a process that fails only costs time."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from numba import config, typeof
from numba.core.dispatcher import Dispatcher
from sklearn.tree import DecisionTreeClassifier

from everytree import certify
from everytree.datasets import load
from everytree.prove import ahead
from everytree.prove.usual import calls_here, calls_there

pytestmark = pytest.mark.skipif(bool(config.DISABLE_JIT), reason="nothing is compiled")

ONLY_WITH_WEIGHTS = {"lead_needed", "_other_tolerance", "tolerance", "power"}
"""Kernels that both halves name, one of them only for a criterion that is not None."""


def test_a_walk_calls_what_is_compiled_ahead() -> None:
    data, tree = load("compas"), DecisionTreeClassifier(max_depth=1, random_state=0)
    certify(tree, data.X_train, data.y_train, data.X_test, bias="flip(1%)")
    for compiled, arguments in (*calls_here(), *calls_there()):
        assert tuple(map(typeof, arguments)) in compiled.signatures, compiled


def reached(compiled: Any) -> Iterator[Any]:
    """A kernel and all that it calls; what is compiled into its callers is looked through."""
    waiting, seen = [compiled], {compiled}
    while waiting:
        now = waiting.pop()
        if now.targetoptions.get("inline") != "always":
            yield now
        names = now.py_func.__code__.co_names
        values = [now.py_func.__globals__.get(name) for name in names]
        inside = [
            vars(value).get(name) for value in values if isinstance(value, ModuleType) for name in names
        ]
        called = {value for value in [*values, *inside] if isinstance(value, Dispatcher)} - seen
        waiting.extend(called)
        seen |= called


def test_the_two_halves_share_no_kernel() -> None:
    here, there = (
        {found for compiled, _ in calls for found in reached(compiled)}
        for calls in (calls_here(), calls_there())
    )
    assert len(here) > 10
    assert len(there) > 10
    assert {found.py_func.__name__ for found in here & there} <= ONLY_WITH_WEIGHTS


@pytest.mark.parametrize("program", ["", "/no/such/program", sys.executable])
def test_a_process_that_fails_only_costs_time(program: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", program)
    monkeypatch.setattr(sys, "path", [])  # the other process finds no module
    monkeypatch.setattr(ahead, "_processors", lambda: 2)
    ahead.compile_ahead()


def test_a_process_that_does_not_end_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    endless = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    monkeypatch.setattr(ahead, "_processors", lambda: 2)
    monkeypatch.setattr(ahead, "_start", lambda half: endless)
    ahead.compile_ahead()
    assert endless.returncode is not None


def test_the_other_process_imports_only_what_kernels_need() -> None:
    code = ahead.program(ahead.THERE) + "print({'pandas', 'sklearn'} & set(sys.modules) or 'neither')"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("neither\n", "")


def test_the_other_process_may_begin_before_all_else(monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[subprocess.Popen[bytes]] = []

    def start(half: str) -> subprocess.Popen[bytes]:
        started.append(subprocess.Popen([sys.executable, "-c", ""]))
        return started[-1]

    monkeypatch.setattr(ahead, "_processors", lambda: 2)
    monkeypatch.setattr(ahead, "_start", start)
    ahead.begin()
    assert not started  # all is compiled
    monkeypatch.setattr(ahead, "is_cold", lambda: True)
    ahead.begin()
    ahead.begin()
    ahead.compile_ahead()
    assert [process.poll() is None for process in started] == [False]
    ahead.compile_ahead()
    assert len(started) == 2


def test_one_processor_does_it_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ahead, "_processors", lambda: 1)
    monkeypatch.setattr(ahead, "_start", lambda half: pytest.fail("started"))
    ahead.compile_ahead()


def test_cold_is_where_nothing_was_compiled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert not ahead.is_cold()

    class Empty:
        class stats:  # noqa: N801 (numba calls it so)
            cache_path = str(tmp_path)

    monkeypatch.setattr(ahead, "node_splits", Empty)
    assert ahead.is_cold()
    monkeypatch.setattr(ahead, "node_splits", lambda: None)  # without compilation
    assert not ahead.is_cold()
