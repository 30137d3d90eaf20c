"""Progress for long searches: a bar on standard error, shown only once a search takes more than a second."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

Progress = Callable[[float, int], None]
"""Called with the share of the work that is done and the number of people who are still waiting."""

QUIET_SECONDS = 1.0


@contextmanager
def reporting(
    progress: bool | Progress, total: int, doing: str = "proving", waiting: str = "people still provable"
) -> Iterator[Progress | None]:
    """Give a search something to report to: nothing, the caller's function, or a bar."""
    if callable(progress):
        yield progress
        return
    if not progress:
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as Bar

    console = Console(stderr=True)
    columns = (TextColumn(doing), BarColumn(), TextColumn("{task.fields[left]}"), TimeElapsedColumn())
    with Bar(*columns, console=console, transient=True) as bar:
        task = bar.add_task(doing, total=1.0, left="", visible=False)

        yield _Bar(
            lambda done, text: bar.update(task, completed=done, left=text, visible=True), total, waiting
        )


class _Bar:
    """A bar as something to report to; `tell` says how people stand, and is shown with the next report."""

    def __init__(self, update: Callable[[float, str], None], total: int, waiting: str) -> None:
        self.update, self.total, self.waiting = update, total, waiting
        self.began = time.monotonic()
        self.standing = ""

    def tell(self, robust: int, refuted: int, still_open: int) -> None:
        """Say how many people are proved, refuted and open."""
        self.standing = f"{robust} robust, {refuted} refuted, {still_open} open"

    def __call__(self, done: float, left: int) -> None:
        if time.monotonic() - self.began > QUIET_SECONDS:
            self.update(done, self.standing or f"{left} of {self.total} {self.waiting}")
