"""Compiled kernels come back from the disk without the compiler's library.

Before numba loads machine code, it imports and registers all that it knows of Python and numpy: a tenth of a
second that only compiling needs, and a compiler does the same itself as it starts. Machine code needs numba's
memory alone. (Code that hashes texts or runs parallel loops would need more; no kernel does.)
"""

from __future__ import annotations

from typing import Any

from numba.core.caching import FunctionCache
from numba.core.runtime.nrt import rtsys

__all__ = ["load_alone"]

NEEDED = ("_load_overload", "_guard_against_spurious_io_errors")
"""What numba's own loading consists of, behind the registering."""


class _Alone(FunctionCache):
    """Loads what `FunctionCache` loads, and registers nothing before."""

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        rtsys.initialize(target_context)
        with self._guard_against_spurious_io_errors():
            return self._load_overload(sig, target_context)  # type: ignore[no-untyped-call]


def load_alone(compiled: Any) -> None:
    """Let a compiled function come from the disk by itself; one whose cache is not as usual comes as ever."""
    cache = getattr(compiled, "_cache", None)
    if type(cache) is FunctionCache and all(hasattr(cache, name) for name in NEEDED):
        cache.__class__ = _Alone
