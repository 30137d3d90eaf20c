"""How kernels are compiled: one decorator for all of them, so that they share one policy.

Strict IEEE arithmetic (no fast-math: a proof depends on it), no GIL, cached on disk. Division follows numpy,
without a check for zero that would cost half the speed; kernels guard their denominators themselves.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

from numba import njit

Function = TypeVar("Function", bound=Callable[..., Any])


def kernel(function: Function) -> Function:
    """Compile a function on arrays."""
    compiled: Any = njit(cache=True, nogil=True, error_model="numpy")(function)
    return cast("Function", compiled)


def part_of_kernel(function: Function) -> Function:
    """Compile a small function into each kernel that calls it.

    A call hands over arrays with their reference counts, which costs more than a few sums in an inner loop.
    """
    compiled: Any = njit(cache=True, nogil=True, error_model="numpy", inline="always")(function)
    return cast("Function", compiled)
