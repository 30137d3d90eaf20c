"""The clock of all limits stands still while kernels are compiled."""

from __future__ import annotations

import time

import numpy as np
import pytest
from numba import njit
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


def test_a_compilation_that_fails_does_not_stop_the_clock_for_good() -> None:
    def unknown(numbers: np.ndarray) -> float:
        return numbers.no_such_thing()

    with pytest.raises(TypingError, match="no_such_thing"):
        njit(unknown)(np.ones(3))
    assert STANDING.depth == 0
