"""`everytree reproduce`: the paper's tables or figures beside ours, on the screen and in files."""

from __future__ import annotations

import io
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from everytree.cli.outputs import check_writable, write_text
from everytree.cli.screen import console, counting, notes
from everytree.errors import EverytreeError
from everytree.reproduce import (
    draw_panel,
    figure_to_csv,
    figure_to_markdown,
    figure_to_text,
    reproduce,
    reproduce_figure,
    to_csv,
    to_markdown,
    to_text,
)
from everytree.show.plots.style import settings

if TYPE_CHECKING:
    from everytree.reproduce import FigureReproduction
    from everytree.reproduce.runs import Tick

__all__ = ["Request", "run"]


@dataclass(frozen=True)
class Request:
    """The options, as they were given."""

    table: str | None
    figure: str | None
    datasets: tuple[str, ...]
    engine: str | None
    csv: Path | None
    markdown: Path | None
    pictures: Path | None
    time_limit: float


def run(request: Request) -> None:
    """Compute tables or figures, show them, write the files."""
    _check(request)
    screen = console()
    with notes(screen), counting(screen) as tick:
        text, markdown, csv = (_figures if request.figure else _tables)(request, tick)
    screen.print(text, soft_wrap=True, markup=False, end="")
    if request.csv is not None:
        write_text("--csv", request.csv, csv)
    if request.markdown is not None:
        write_text("--markdown", request.markdown, markdown)


def _check(request: Request) -> None:
    check_writable("--csv", request.csv, ".csv")
    check_writable("--markdown", request.markdown, ".md")
    if request.figure is None and request.pictures is not None:
        raise EverytreeError("--pictures draws figures; add --figure demographics, or leave it out.")
    if request.figure is not None and request.table is not None:
        raise EverytreeError("--table and --figure exclude each other; give one of them.")
    if request.figure is not None and request.engine is not None:
        raise EverytreeError(
            "--engine is for tables; a figure is computed with the engines interval and auto. Leave it out."
        )
    if request.pictures is not None:
        _make_folder(request.pictures)


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise EverytreeError(
            f"--pictures must name a folder; {str(folder)!r} cannot be one: {error.strerror or error}. "
            "Name another."
        ) from error
    check_writable("--pictures", folder / "picture.svg", ".svg")


def _tables(request: Request, tick: Tick) -> tuple[str, str, str]:
    engines = ("interval", "relational") if request.engine in (None, "both") else (str(request.engine),)
    found = reproduce(
        request.table or "all", request.datasets, engines=engines, time_limit=request.time_limit, tick=tick
    )
    return to_text(found), to_markdown(found), to_csv(found)


def _figures(request: Request, tick: Tick) -> tuple[str, str, str]:
    found = reproduce_figure(str(request.figure), request.datasets, time_limit=request.time_limit, tick=tick)
    if request.pictures is not None:
        _draw(found, request.pictures)
    return figure_to_text(found), figure_to_markdown(found), figure_to_csv(found)


def _draw(found: FigureReproduction, folder: Path) -> None:
    for panel, points in found.panels().items():
        target = io.StringIO()
        with settings():
            figure = draw_panel(points, on_paper_tables=found.on_paper_tables)
            figure.savefig(target, format="svg", metadata={"Date": None})
        write_text("--pictures", folder / f"{panel.name}.svg", target.getvalue())
