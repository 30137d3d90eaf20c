"""The clock of all limits stands still while kernels are compiled, and nothing looks for garbage."""

from __future__ import annotations

import gc
import time
from typing import Any

import numpy as np
import pytest
from numba import njit
from numba.core import event
from numba.core.errors import TypingError

from everytree.support.clock import STANDING, now
from everytree.support.kernels import POLICY


def test_stands_still_between_begin_and_end() -> None:
    before, outside = now(), time.monotonic()
    STANDING.begin()
    STANDING.begin()
    time.sleep(0.02)
    assert now() - before < 0.01
    STANDING.end()
    time.sleep(0.02)
    assert now() - before < 0.01
    STANDING.end()
    assert time.monotonic() - outside - (now() - before) > 0.03


def test_stands_still_while_a_kernel_is_compiled() -> None:
    def twice(numbers: np.ndarray) -> float:
        total = 0.0
        for number in numbers:
            total += 2 * number
        return total

    before, outside = now(), time.monotonic()
    assert njit(**{**POLICY, "cache": False})(twice)(np.ones(3)) == 6
    waited = time.monotonic() - outside
    assert now() - before < waited / 2
    assert STANDING.depth == 0
    assert gc.isenabled()


def test_garbage_is_left_alone_while_a_kernel_is_compiled() -> None:
    def seven() -> int:
        return 7

    looked: list[bool] = []
    listener = _Notes(looked)
    with event.install_listener("numba:compile", listener):
        assert njit(**{**POLICY, "cache": False})(seven)() == 7
        gc.disable()
        try:
            assert njit(**{**POLICY, "cache": False, "inline": "always"})(seven)() == 7
            assert not gc.isenabled()  # who switched it off before finds it so
        finally:
            gc.enable()
    assert looked == [False, False]


class _Notes(event.Listener):
    def __init__(self, looked: list[bool]) -> None:
        self.looked = looked

    def on_start(self, event: Any) -> None:
        self.looked.append(gc.isenabled())

    def on_end(self, event: Any) -> None:
        pass


def test_a_compilation_that_fails_does_not_stop_the_clock_for_good() -> None:
    def unknown(numbers: np.ndarray) -> float:
        return numbers.no_such_thing()

    with pytest.raises(TypingError, match="no_such_thing"):
        njit(unknown)(np.ones(3))
    assert STANDING.depth == 0
    assert gc.isenabled()
