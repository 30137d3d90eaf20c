"""How kernels are compiled: one decorator for all of them, so that they share one policy.

Strict IEEE arithmetic (no fast-math: a proof depends on it), no GIL, cached on disk. Division follows numpy,
without a check for zero that would cost half the speed; kernels guard their denominators themselves.
"""

from __future__ import annotations

import gc
from collections.abc import Callable
from typing import Any, TypeVar, cast

from numba import njit
from numba.core import event

from everytree.support.clock import STANDING
from everytree.support.stored import load_alone

Function = TypeVar("Function", bound=Callable[..., Any])

POLICY: dict[str, Any] = {
    "cache": True,
    "nogil": True,
    "error_model": "numpy",
    "no_cfunc_wrapper": True,
    "_nrt": True,
}
"""Nothing is called from C, so no entrance for it is compiled. References to arrays are counted, whoever is
the first to call a function: it would do as its caller does if nothing were said."""


class _WhileCompiling(event.Listener):
    """Keeps the clock of all limits still while anything is compiled, and garbage uncollected.

    A compiler makes millions of objects that stay until it is done: to look through them again and again for
    ones that nobody needs takes a sixth of the time. Compilations are nested, and one at a time.
    """

    def __init__(self) -> None:
        self.depth, self.collects = 0, False

    def on_start(self, event: Any) -> None:
        STANDING.begin()
        if self.depth == 0:
            self.collects = gc.isenabled()
            gc.disable()
        self.depth += 1

    def on_end(self, event: Any) -> None:
        self.depth -= 1
        if self.depth == 0 and self.collects:
            gc.enable()
        STANDING.end()


event.register("numba:compile", _WhileCompiling())  # type: ignore[no-untyped-call]


def kernel(function: Function) -> Function:
    """Compile a function on arrays."""
    return _compiled(function)


def inner_kernel(function: Function) -> Function:
    """Compile a function that only kernels call, without the entrance for Python: a fifth of all the work.

    Python must not call it: what it would go through is not there, and the process would end.
    """
    return _compiled(function, no_cpython_wrapper=True)


def bare_kernel(function: Function) -> Function:
    """Compile a function that only kernels call, and that leaves the reference counts of arrays alone.

    A fourth of the time of kernels that call one another with dozens of arrays went into counting, which two
    threads cannot do at a time. It is not needed where a function neither makes arrays nor gives them back:
    those it has are held by who called the first kernel. (numba refuses to compile one that makes some.)
    """
    return _compiled(function, no_cpython_wrapper=True, _nrt=False)


def part_of_kernel(function: Function) -> Function:
    """Compile a small function into each kernel that calls it.

    A call hands over arrays with their reference counts, which costs more than a few sums in an inner loop.
    """
    return _compiled(function, inline="always")


def _compiled(function: Function, **more: Any) -> Function:
    compiled: Any = njit(**{**POLICY, **more})(function)
    load_alone(compiled)
    return cast("Function", compiled)
