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
        began = time.monotonic()

        def report(done: float, left: int) -> None:
            if time.monotonic() - began > QUIET_SECONDS:
                text = f"{left} of {total} {waiting}"
                bar.update(task, completed=done, left=text, visible=True)

        yield report
