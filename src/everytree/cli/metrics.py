"""`everytree metrics`: between which values the metrics of a tree lie, over all tables of a bias model."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.markup import escape

from everytree.bias import parse
from everytree.cli.lines import Lines
from everytree.cli.outputs import STANDARD_OUTPUT, check_writable, print_for_machines
from everytree.cli.preparing import NO_HURRY, Patience, Setup
from everytree.cli.screen import console, notes, sign_of_life
from everytree.errors import EverytreeError, TableError
from everytree.questions.certify import certify_prepared
from everytree.questions.metrics import metric_ranges
from everytree.results.ranges import BETWEEN, seen_thousandths
from everytree.support.limits import as_jobs
from everytree.table.groups import SMALLEST_COMPARED, group_frame
from everytree.table.labels import label_called

if TYPE_CHECKING:
    from rich.console import Console

    from everytree.cli.screen import Report
    from everytree.results.ranges import MetricRanges

__all__ = ["Request", "run"]


@dataclass(frozen=True)
class Request:
    """The options of `everytree metrics` as they were given."""

    setup: Setup
    bias: str
    positive: str | None = None
    smallest_group: int = SMALLEST_COMPARED
    groups: tuple[str, ...] = ()
    patience: Patience = NO_HURRY
    json: str | None = None
    csv: Path | None = None


def run(request: Request) -> None:
    """Bound the metrics, show them, write the files."""
    request.setup.learner.check()
    request.patience.check()
    if request.smallest_group < 1:
        raise EverytreeError(
            f"--smallest-group must be a whole number of at least 1; received {request.smallest_group}."
        )
    check_writable("--json", request.json, ".json")
    check_writable("--csv", request.csv, ".csv")
    screen = console()
    with notes(screen):
        with sign_of_life(screen) as report:
            ranges = _ranges(request, report)
        _show(screen, ranges)
        if request.groups:
            screen.print(f"Groups of fewer than {request.smallest_group} people are shown, but not compared.")
    if request.csv is not None:
        ranges.save(request.csv)
    if request.json == STANDARD_OUTPUT:
        print_for_machines(ranges.to_json(indent=1))
    elif request.json is not None:
        ranges.save(request.json)


def _ranges(request: Request, report: Report) -> MetricRanges:
    limits, jobs = request.patience.limits(), as_jobs(request.patience.n_jobs)
    model = parse(request.bias)
    tables = request.setup.read()
    prepared = request.setup.prepare(tables)
    if request.groups:
        group_frame(list(request.groups), prepared.test.frame, prepared.train.label_name)
    positive = _positive(request.positive, prepared.train.labels.tolist())
    result = certify_prepared(prepared, model, engine="auto", limits=limits, n_jobs=jobs, progress=report)
    groups = list(request.groups) or None
    return metric_ranges(result, groups, tables.y_test, positive, smallest_group=request.smallest_group)


def _positive(text: str | None, labels: list[Any]) -> Any:
    """Find the label that is written like this."""
    if text is None:
        return None
    try:
        return label_called(text, labels)
    except TableError as error:
        raise EverytreeError(f"--positive must be one of the labels: {error}") from error


def _show(screen: Console, ranges: MetricRanges) -> None:
    screen.print(f"bias model  {escape(ranges.bias)}", soft_wrap=True)
    screen.print(f"selected    {escape(str(ranges.positive))}", soft_wrap=True)
    screen.print(f"tables      {ranges.tables} learned from, the given one included\n")
    table = Lines(["metric and group", "people", "as it is", "proved", "seen", "gap"])
    last = None
    for (metric, *group), row in zip(ranges.index, ranges.table.to_dict("records"), strict=True):
        if math.isnan(row["low"]):
            continue
        if metric != last:
            table.add_title(metric)
        last = metric
        proved = f"{_number(row['low'], math.floor)} to {_number(row['high'], math.ceil)}"
        seen = _seen(row["attained_low"], row["attained_high"], row["estimate"])
        numbers = [str(int(row["n"])), _number(row["estimate"]), proved, seen, _number(row["gap"], math.ceil)]
        table.add_row("  " + ", ".join(map(str, dict.fromkeys(group))), numbers)
        for part in row["compared"].split("; ") if BETWEEN in group and row["compared"] else ():
            table.add_title(f"    {part}")
    for line in table.lines(screen.width):
        screen.print(escape(line), soft_wrap=True)
    screen.print(
        "\nproved: no table that the bias model allows leads to a tree with a value outside.\n"
        "seen: trees that were really trained have these values. gap: how much wider the proved range is.",
        soft_wrap=True,
    )


def _seen(low: float, high: float, today: float) -> str:
    """What trees have, rounded inwards."""
    if math.isnan(low):
        return "none"
    return " to ".join(f"{end / 1000:.3f}" for end in seen_thousandths(low, high, today))


def _number(value: float, rounding: Any = round) -> str:
    """Three decimals, ends of ranges rounded outwards."""
    return "none" if math.isnan(value) else f"{int(rounding(round(1000 * value, 9))) / 1000:.3f}"
