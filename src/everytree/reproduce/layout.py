"""The comparison as a reader wants it: plain text, Markdown, or one CSV line for each cell."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from everytree.reproduce.cells import TABLES
from everytree.reproduce.runs import CellOutcome, Reproduction, Run

__all__ = ["NO_RUN", "Grid", "introduction", "number", "to_csv", "to_markdown", "to_text"]

TITLES = {
    "rates": "Certified people by bias model, in percent",
    "depth": "Certified people by depth of the tree, in percent",
}
NO_PAPER, NO_RUN = "-", "limit"


@dataclass(frozen=True)
class Grid:
    """A laid-out table: a line for each source of numbers, a column for each amount.

    The first `leading` columns say what a line is and stand to the left.
    """

    title: str
    header: list[str]
    lines: list[list[str]]
    leading: int

    def as_text(self) -> str:
        """Align the columns under the title."""
        every = [self.header, *self.lines]
        widths = [max(len(line[place]) for line in every) for place in range(len(self.header))]
        lines = [self._aligned(line, widths) for line in every]
        return "\n".join([self.title, "", lines[0], "-" * len(lines[0].rstrip()), *lines[1:]])

    def as_markdown(self) -> str:
        """Write a table under a heading."""
        rule = ["---"] * self.leading + ["---:"] * (len(self.header) - self.leading)
        rows = ["| " + " | ".join(line) + " |" for line in [self.header, rule, *self.lines]]
        return "\n".join([f"## {self.title}", "", *rows])

    def _aligned(self, line: Sequence[str], widths: Sequence[int]) -> str:
        padded = [
            text.ljust(width) if place < self.leading else text.rjust(width)
            for place, (text, width) in enumerate(zip(line, widths, strict=True))
        ]
        return "  ".join(padded).rstrip()


def to_text(found: Reproduction) -> str:
    """Lay everything out as plain text."""
    notes = _notes(found)
    parts = [introduction(found.on_paper_tables), *(grid.as_text() for grid in _grids(found, notes))]
    parts.append("\n".join(_endnotes(found, notes)))
    return "\n\n".join(parts) + "\n"


def to_markdown(found: Reproduction) -> str:
    """Lay everything out as Markdown."""
    notes = _notes(found)
    parts = [introduction(found.on_paper_tables), *(grid.as_markdown() for grid in _grids(found, notes))]
    parts.append("\n".join(f"- {note}" for note in _endnotes(found, notes)))
    return "\n\n".join(parts) + "\n"


def to_csv(found: Reproduction) -> str:
    """Write one line for each cell; an empty number is a run that hit a limit."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    columns = [name for engine in found.engines for name in (engine, f"{engine}_seconds")]
    leading = ["table", "dataset", "depth", "bias", "targeted", "percent", "records_of_each_kind"]
    writer.writerow([*leading, "data", "paper", *columns, "note"])
    for outcome in found.outcomes:
        cell = outcome.cell
        targeted = "yes" if cell.targeted else "no"
        data, records = ("paper", str(cell.records)) if found.on_paper_tables else ("bundled", "")
        numbers = [
            value
            for engine in found.engines
            for value in (number(outcome.runs[engine].percent), f"{outcome.runs[engine].seconds:.3f}")
        ]
        place = [cell.table, cell.dataset, cell.depth, cell.bias, targeted, cell.percent, records]
        writer.writerow([*place, data, number(cell.paper), *numbers, outcome.note])
    return text.getvalue()


def introduction(on_paper_tables: bool) -> str:
    """Say which tables the numbers are about."""
    if on_paper_tables:
        return "On the paper's exact tables."
    return (
        "On the bundled tables, because EVERYTREE_DATA is not set: other columns and other people than in "
        "the paper, so the numbers are of the same kind and not the same."
    )


def number(percent: float | None) -> str:
    """Write a percentage; nothing if there is none."""
    return "" if percent is None else f"{percent:.1f}"


def _notes(found: Reproduction) -> list[str]:
    return list(dict.fromkeys(outcome.note for outcome in found.outcomes if outcome.note))


def _grids(found: Reproduction, notes: Sequence[str]) -> list[Grid]:
    grids = []
    for table in TABLES:
        chosen = [outcome for outcome in found.outcomes if outcome.cell.table == table]
        if chosen:
            grids.append(_grid(TITLES[table], chosen, found.engines, notes))
    return grids


def _grid(title: str, chosen: Sequence[CellOutcome], engines: Sequence[str], notes: Sequence[str]) -> Grid:
    amounts = sorted({outcome.cell.percent for outcome in chosen})
    rows: dict[tuple[str, int, str], dict[Decimal, CellOutcome]] = {}
    for outcome in chosen:
        cell = outcome.cell
        rows.setdefault((cell.dataset, cell.depth, cell.bias_name), {})[cell.percent] = outcome
    if chosen[0].cell.table == "depth":
        rows = dict(sorted(rows.items()))
    lines = []
    for (dataset, depth, bias), cells in rows.items():
        paper = [number(cells[a].cell.paper) or NO_PAPER if a in cells else "" for a in amounts]
        lines.append([bias, dataset, str(depth), "paper", *paper])
        for engine in engines:
            shown = [_ours(cells.get(amount), engine, notes) for amount in amounts]
            lines.append(["", "", "", engine, *shown])
    header = ["bias model", "data set", "depth", "by", *(f"{amount}%" for amount in amounts)]
    return Grid(title, header, lines, leading=4)


def _ours(outcome: CellOutcome | None, engine: str, notes: Sequence[str]) -> str:
    if outcome is None:
        return ""
    run: Run = outcome.runs[engine]
    mark = f" [{notes.index(outcome.note) + 1}]" if outcome.note and engine == "interval" else ""
    return (number(run.percent) or NO_RUN) + mark


def _endnotes(found: Reproduction, notes: Sequence[str]) -> list[str]:
    explanations = {
        "interval": "interval: the paper's method, whose splits are fixed in advance.",
        "relational": "relational: everytree's domain, splits compared pairwise, for scikit-learn's learner.",
    }
    lines = [explanations[engine] for engine in found.engines]
    if any(outcome.cell.paper is None for outcome in found.outcomes):
        lines.append(f"{NO_PAPER}: the paper's program ran out of 96 GB of memory.")
    if any(run.percent is None for outcome in found.outcomes for run in outcome.runs.values()):
        lines.append(f"{NO_RUN}: not finished within the time limit.")
    if any(outcome.cell.targeted for outcome in found.outcomes):
        lines.append(
            "targeted: compas, Black people with a positive label; adult, women with a negative one."
        )
    if any(len(outcome.cell.kinds) > 1 for outcome in found.outcomes):
        lines.append("Composite models split the amount evenly between their kinds.")
    lines += found.remarks
    if notes:
        lines.append("Where interval and paper differ, up to two records more or fewer were tried:")
    return lines + [f"[{place + 1}] {note}" for place, note in enumerate(notes)]
