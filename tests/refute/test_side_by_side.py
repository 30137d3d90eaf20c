"""Searches side by side: what they find, in which order, and what becomes of what nobody waits for."""

from __future__ import annotations

from concurrent.futures import Future
from threading import Event

import pytest

from everytree.refute import side_by_side as module
from everytree.refute.side_by_side import Threads, side_by_side


def counting(name, futures):
    """A search that gives a number before and after each thing that it waits for."""
    for k, future in enumerate(futures):
        yield f"{name}{k}"
        yield future
    yield f"{name}end"


def done():
    future: Future[None] = Future()
    future.set_result(None)
    return future


def test_searches_take_turns_in_an_order_that_does_not_hang_on_who_is_ready(monkeypatch):
    monkeypatch.setattr(module, "AT_A_TIME", 2)
    found = []
    late: Future[None] = Future()
    for each in side_by_side(
        iter([counting("a", [late, done()]), counting("b", [done()]), counting("c", [])])
    ):
        found.append(each)
        if each == "b0":
            late.set_result(None)
    assert found == ["a0", "b0", "a1", "bend", "cend", "aend"]


def test_what_is_found_is_given_before_the_next_search_is_begun():
    """Thousands of searches need no kernel; what limits time must have its turn between them."""
    begun = []

    def searches():
        for k in range(5):
            begun.append(k)
            yield iter([k])

    for each in side_by_side(searches()):
        assert begun[-1] == each


@pytest.mark.parametrize("work", [0, 50, 500])
def test_lists_are_looked_at_as_a_whole_by_one_thread_or_in_halves(work, monkeypatch):
    monkeypatch.setattr(module, "WORTHWHILE", 20)
    monkeypatch.setattr(module, "MANY", 200)
    parts = []

    def search():
        parts.extend((yield from Threads().look(lambda some, _: list(range(7))[some], 7, work)))

    assert list(side_by_side(iter([search()]))) == []
    assert [each for part in parts for each in part] == list(range(7))
    assert len(parts) == (2 if work == 500 else 1)


def test_what_a_kernel_raises_is_raised_where_it_was_asked_for():
    def kernel(some, where):
        raise ZeroDivisionError

    def search():
        with pytest.raises(ZeroDivisionError):
            yield from Threads().look(kernel, 1, 10**9)
        yield "went on"

    assert list(side_by_side(iter([search()]))) == ["went on"]


def test_kernels_that_nobody_waits_for_any_longer_are_not_begun(monkeypatch):
    monkeypatch.setattr(module, "AT_A_TIME", 4)
    threads, gate, begun = Threads(), Event(), []

    def kernel(some, where):
        begun.append(some)
        gate.wait(10)

    def search(name):
        yield name
        yield from threads.look(kernel, 1, module.WORTHWHILE)

    found = side_by_side(search(name) for name in "abcde")
    assert [next(found) for _ in "abcd"] == list("abcd")  # three are asked for, by two threads
    found.close()
    gate.set()
    for thread in threads._threads:
        thread.shutdown()
    assert len(begun) == 2
