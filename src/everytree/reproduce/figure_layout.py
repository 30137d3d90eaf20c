"""The panels as a reader wants them: plain text, Markdown, or one CSV line for each group and amount."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING

from everytree.reproduce.layout import NO_RUN, Grid, introduction, number

if TYPE_CHECKING:
    from collections.abc import Sequence

    from everytree.reproduce.figures import FigureReproduction, Point, Share
    from everytree.reproduce.panels import Panel

__all__ = ["figure_to_csv", "figure_to_markdown", "figure_to_text"]

PLACES = {"demographics": "figure of the section", "appendix": "figure of the appendix"}


def figure_to_text(found: FigureReproduction) -> str:
    """Lay all panels out as plain text."""
    notes = _notes(found)
    parts = [introduction(found.on_paper_tables), *(grid.as_text() for grid in _grids(found, notes))]
    return "\n\n".join([*parts, "\n".join(_endnotes(found, notes))]) + "\n"


def figure_to_markdown(found: FigureReproduction) -> str:
    """Lay all panels out as Markdown."""
    notes = _notes(found)
    parts = [introduction(found.on_paper_tables), *(grid.as_markdown() for grid in _grids(found, notes))]
    return "\n\n".join([*parts, "\n".join(f"- {note}" for note in _endnotes(found, notes))]) + "\n"


def figure_to_csv(found: FigureReproduction) -> str:
    """Write one line for each group and amount; an empty number is not stated, or hit a limit."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    leading = ["figure", "panel", "dataset", "depth", "percent", "records", "data", "group", "people"]
    writer.writerow([*leading, "paper", "interval", "robust", "not_robust", "unknown", "note"])
    data = "paper" if found.on_paper_tables else "bundled"
    for point in found.points:
        panel = point.panel
        place = [panel.figure, panel.name, panel.dataset, panel.depth, point.percent, point.records, data]
        for share in point.shares:
            ours = [number(share.interval), *(f"{v:.1f}" for v in _verdicts(share))]
            note = point.note if share.differs and found.on_paper_tables else ""
            writer.writerow([*place, share.group, share.people, share.paper or "", *ours, note])
    return text.getvalue()


def _verdicts(share: Share) -> tuple[float, float, float]:
    return share.robust, share.not_robust, share.unknown


def _notes(found: FigureReproduction) -> list[str]:
    return [point.note for point in found.points if point.note]


def _grids(found: FigureReproduction, notes: Sequence[str]) -> list[Grid]:
    return [_grid(panel, points, notes) for panel, points in found.panels().items()]


def _grid(panel: Panel, points: Sequence[Point], notes: Sequence[str]) -> Grid:
    title = f"{panel.title}, depth {panel.depth} ({PLACES[panel.figure]}, {panel.letter}), in percent"
    lines: list[list[str]] = []
    for of_group in zip(*(point.shares for point in points), strict=True):
        first = [of_group[0].group, str(of_group[0].people)]
        if any(share.paper for share in of_group):
            lines.append([*first, "paper", *("" if s.paper is None else str(s.paper) for s in of_group)])
            first = ["", ""]
        marks = [_mark(point, share, notes) for point, share in zip(points, of_group, strict=True)]
        method = [(number(s.interval) or NO_RUN) + mark for s, mark in zip(of_group, marks, strict=True)]
        lines.append([*first, "interval", *method])
        for name, values in zip(
            ("robust", "not robust", "unknown"), zip(*map(_verdicts, of_group), strict=True), strict=True
        ):
            lines.append(["", "", name, *(f"{value:.1f}" for value in values)])
    header = ["group", "people", "by", *(f"{point.percent}%" for point in points)]
    return Grid(title, header, lines, leading=3)


def _mark(point: Point, share: Share, notes: Sequence[str]) -> str:
    return f" [{notes.index(point.note) + 1}]" if point.note and share.differs else ""


def _endnotes(found: FigureReproduction, notes: Sequence[str]) -> list[str]:
    lines = [
        "paper: what the paper's text and tables state; its curves are printed without numbers.",
        "interval: certified by the paper's method, whose splits are fixed in advance.",
        "robust, not robust, unknown: proved, refuted by a retrained witness, neither (engine auto, for "
        "scikit-learn's learner).",
    ]
    if any(share.interval is None for point in found.points for share in point.shares):
        lines.append(f"{NO_RUN}: not finished within the time limit.")
    lines += found.remarks
    return lines + [f"[{place + 1}] {note}" for place, note in enumerate(notes)]
