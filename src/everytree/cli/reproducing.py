"""`everytree reproduce`: the paper's tables beside ours, on the screen and in files."""

from __future__ import annotations

from pathlib import Path

from everytree.cli.outputs import check_writable, write_text
from everytree.cli.preparing import check_limit
from everytree.cli.screen import console, counting, notes

__all__ = ["run"]


def run(
    table: str,
    datasets: tuple[str, ...],
    engine: str,
    csv: Path | None,
    markdown: Path | None,
    time_limit: float,
) -> None:
    """Compute the tables, show them, write the files."""
    check_limit("--time-limit", "seconds", time_limit)
    check_writable("--csv", csv, ".csv")
    check_writable("--markdown", markdown, ".md")
    from everytree.reproduce import reproduce, to_csv, to_markdown, to_text

    screen = console()
    engines = ("interval", "relational") if engine == "both" else (engine,)
    with notes(screen), counting(screen) as tick:
        found = reproduce(table, datasets, engines=engines, time_limit=time_limit, tick=tick)
    screen.print(to_text(found), soft_wrap=True, markup=False, end="")
    if csv is not None:
        write_text("--csv", csv, to_csv(found))
    if markdown is not None:
        write_text("--markdown", markdown, to_markdown(found))
