"""Searches that go on side by side: while the kernels of one run in threads, the next one is followed.

Below `every_table.py` and `node_changes.py`. A search is a generator that gives what it finds, and whatever
it waits for. Everything but kernels is done by one thread, in an order that does not hang on who is ready
first: the same question has the same answer on a fast machine and on a slow one.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, TypeVar

Found = TypeVar("Found")
Result = TypeVar("Result")
Search = Generator[Future[Any], None, Result]
"""Gives what it waits for, and in the end its result."""

AT_A_TIME = 64
"""Searches that are followed at a time: enough for two threads to have something to do while many small ones
are followed that need none."""

WORTHWHILE, MANY = 20_000, 1_000_000
"""Changes times cells from which on a thread looks at them, and from which on two share them."""


HERE = 2
"""Where kernels run that are not worth a thread."""


class Threads:
    """Two threads for kernels, which let others run.

    A kernel is told where it runs, `HERE` or in one of the threads, so that it may keep something for the
    next one that runs there; who runs where does not hang on who is ready first.
    """

    def __init__(self) -> None:
        self._threads = [ThreadPoolExecutor(1) for _ in range(HERE)]  # each begins when it is needed
        self._turn = 0

    def look(self, kernel: Callable[[slice, int], Result], length: int, work: int) -> Search[list[Result]]:
        """Look at a list, both halves at a time where there is much to do; what is found, in order."""
        if work < WORTHWHILE:
            return [kernel(slice(0, length), HERE)]
        middle = (length + 1) // 2 if work >= MANY else length
        parts = [slice(0, middle), slice(middle, length)][: 1 if middle == length else 2]
        asked = []
        for part in parts:
            asked.append(self._threads[self._turn].submit(kernel, part, self._turn))
            self._turn = 1 - self._turn
        yield from asked
        return [one.result() for one in asked]


def side_by_side(searches: Iterator[Iterator[Found | Future[Any]]]) -> Iterator[Found]:
    """Follow several searches at a time; gives what they find. What nobody waits for is not begun."""
    waiting: deque[tuple[Iterator[Found | Future[Any]], Future[Any]]] = deque()
    try:
        while True:
            search = next(searches, None) if len(waiting) < AT_A_TIME else None
            if search is None:
                if not waiting:
                    return
                search, needed = waiting.popleft()
                needed.exception()  # waits; the search itself raises it
            for found in search:
                if isinstance(found, Future):
                    waiting.append((search, found))
                    break
                yield found
    finally:
        for _, needed in waiting:
            needed.cancel()
