"""Garbage while a program starts: next to nothing is thrown away then, so nobody looks for it."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

__all__ = ["collected_late"]

STARTING = 2_000_000
"""Objects that are made before garbage is looked for; a short command makes fewer."""


@contextmanager
def collected_late() -> Iterator[None]:
    """Look for garbage after very many objects only, and from then on as usual.

    What is imported and what is loaded of compiled code stays to the end. To look through it again and again
    takes a tenth of the time of a short command.
    """
    usual = gc.get_threshold()

    def as_usual(phase: str, info: dict[str, Any]) -> None:
        if phase == "stop":
            gc.set_threshold(*usual)

    gc.callbacks.append(as_usual)
    gc.set_threshold(STARTING, *usual[1:])
    try:
        yield
    finally:
        gc.callbacks.remove(as_usual)
        gc.set_threshold(*usual)
