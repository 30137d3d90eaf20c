"""Kernels that are loaded without the compiler's library do what they did when they were compiled."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from numba import config
from numba.core.caching import FunctionCache

from everytree.support.stored import load_alone

pytestmark = pytest.mark.skipif(bool(config.DISABLE_JIT), reason="nothing is compiled")

KERNELS = """
import numpy as np
from everytree.support.kernels import inner_kernel, kernel

@inner_kernel
def squares(values):
    return values * values

@kernel
def total(values):
    found = 0.0
    for square in squares(values):
        found += square
    return found

@kernel
def twice(values):
    return total(values) + total(values)
"""

PROGRAM = """
import sys
import numpy as np
import stored_kernels as kernels
values = np.arange(4.0)
print(kernels.total(values), sum(kernels.total.stats.cache_hits.values()), "numba.np.linalg" in sys.modules)
{more}
"""


def program(folder: Path, more: str = "") -> list[str]:
    """What a process of its own prints, whose compiled code is kept in the folder."""
    call = [sys.executable, "-W", "error", "-c", PROGRAM.format(more=more)]
    environment = {
        "PYTHONPATH": ":".join([str(folder), *sys.path]),
        "NUMBA_CACHE_DIR": str(folder / "compiled"),
    }
    done = subprocess.run(call, env=environment, capture_output=True, text=True, check=True)
    return done.stdout.split("\n")[:-1]


def test_what_is_compiled_is_loaded_by_itself_and_can_be_compiled_with(tmp_path: Path) -> None:
    (tmp_path / "stored_kernels.py").write_text(KERNELS)
    assert program(tmp_path) == ["14.0 0 True"]
    compiles = """
print(kernels.twice(values), "numba.np.linalg" in sys.modules)
from numba import njit
print(njit(lambda text: {text: np.linalg.norm(np.ones(4))}["four"])("four"))
"""
    assert program(tmp_path, compiles) == ["14.0 1 False", "28.0 True", "2.0"]


class _Other(FunctionCache):  # type: ignore[misc]
    """A cache that someone else has made."""


class _Holder:
    def __init__(self, cache: Any) -> None:
        self._cache = cache


def test_what_is_not_as_usual_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    load_alone(len)
    other, usual, changed = (_Holder(kind.__new__(kind)) for kind in (_Other, FunctionCache, FunctionCache))
    load_alone(other)
    load_alone(usual)
    assert type(other._cache) is _Other
    assert type(usual._cache) is not FunctionCache
    monkeypatch.setattr("everytree.support.stored.NEEDED", ("what_is_gone",))
    load_alone(changed)
    assert type(changed._cache) is FunctionCache
