"""Garbage is looked for late while a program starts, and as usual afterwards."""

import gc
import weakref

import pytest

from everytree.support.garbage import STARTING, collected_late


class Ring:
    def __init__(self) -> None:
        self.itself = self


def test_garbage_is_looked_for_late_and_then_as_usual() -> None:
    usual, callbacks = gc.get_threshold(), list(gc.callbacks)
    with collected_late():
        assert gc.get_threshold()[0] == STARTING
        ring = weakref.ref(Ring())
        gc.collect()
        assert ring() is None
        assert gc.get_threshold() == usual
    assert gc.callbacks == callbacks


def test_an_error_changes_nothing_of_that() -> None:
    usual, callbacks = gc.get_threshold(), list(gc.callbacks)
    with pytest.raises(ValueError, match="no"), collected_late():
        raise ValueError("no")
    assert (gc.get_threshold(), gc.callbacks) == (usual, callbacks)
