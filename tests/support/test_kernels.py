"""Kernels that only kernels call have no entrance for Python, so nothing else may call them."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numba import config
from numba.core.dispatcher import Dispatcher
from numba.core.errors import NumbaError

import everytree
from everytree.support.kernels import bare_kernel, kernel

PACKAGE = Path(everytree.__file__).parent
ROOMS = ("learner", "prove", "refute", "paths", "questions", "audit")
DECORATORS = {"kernel", "inner_kernel", "bare_kernel", "part_of_kernel"}


def called_by_python(tree: ast.AST) -> Iterator[ast.Name | ast.Attribute]:
    """Every name that stands outside the kernels of a module."""
    for child in ast.iter_child_nodes(tree):
        decorators = getattr(child, "decorator_list", ())
        if any(isinstance(found, ast.Name) and found.id in DECORATORS for found in decorators):
            continue
        if isinstance(child, ast.Name | ast.Attribute):
            yield child
        yield from called_by_python(child)


def meant(module: Any, name: ast.Name | ast.Attribute) -> Any:
    """What a name or `module.name` is in a module."""
    if isinstance(name, ast.Name):
        return vars(module).get(name.id)
    inside = meant(module, name.value) if isinstance(name.value, ast.Name) else None
    return getattr(inside, name.attr, None)


@bare_kernel
def add_up(numbers: Any) -> int:
    total = 0
    for k in range(len(numbers)):
        total += _first_of(numbers[k:])
    return total


@bare_kernel
def _first_of(numbers: Any) -> int:
    return int(numbers[0])


@kernel
def add_up_new(length: int) -> int:
    return add_up(np.arange(length))


@kernel
def add_up_of(numbers: Any) -> int:
    return add_up(numbers)


@bare_kernel
def give_new(length: int) -> Any:
    return np.arange(length)


@kernel
def add_up_given(length: int) -> int:
    return int(give_new(length).sum())


def test_bare_kernels_may_look_at_parts_of_what_others_made() -> None:
    assert [add_up_new(length) for length in (0, 1, 1000)] == [0, 0, 499500]


def test_bare_kernels_leave_references_as_they_are() -> None:
    numbers = np.arange(10)
    before = sys.getrefcount(numbers)
    assert {add_up_of(numbers) for _ in range(100)} == {45}
    assert sys.getrefcount(numbers) == before


@pytest.mark.skipif(bool(config.DISABLE_JIT), reason="nothing is compiled")
def test_bare_kernels_must_not_make_arrays() -> None:
    """Nobody would count who holds them: they would never be freed, or too early."""
    with pytest.raises(NumbaError, match="Only accept returning of array passed"):
        add_up_given(3)


@pytest.mark.skipif(bool(config.DISABLE_JIT), reason="nothing is compiled")
@pytest.mark.parametrize("room", ROOMS)
def test_python_calls_no_inner_kernel(room: str) -> None:
    for file in sorted((PACKAGE / room).rglob("*.py")):
        text = file.read_text(encoding="utf-8")
        module = import_module(".".join(file.relative_to(PACKAGE.parent).with_suffix("").parts))
        for name in called_by_python(ast.parse(text)):
            found = meant(module, name)
            if isinstance(found, Dispatcher):
                assert not found.targetoptions.get("no_cpython_wrapper"), (file, found)
