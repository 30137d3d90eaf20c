"""Ranges of metrics over all tables, as pictures and rows of text for the page.

Calls `everytree.questions.metrics`; a proved end is rounded outwards, so that it is still a bound in print,
and an attained one inwards, so that nothing is said to be seen that was not.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from everytree.audit.ranges import ranges_of
from everytree.audit.shown import title_of
from everytree.results.ranges import ATTAINED, seen_thousandths
from everytree.show.plots import MetricRangesDisplay
from everytree.show.report.findings import number
from everytree.show.report.pictures import svg_of

if TYPE_CHECKING:
    from everytree.audit import AuditResult, Cell
    from everytree.results.ranges import MetricRanges

__all__ = ["RangeRow", "RangeTable", "metric_tables"]

NAMES = {
    "accuracy": "Accuracy",
    "selection rate": "Selection rate",
    "true positive rate": "True positive rate",
    "false positive rate": "False positive rate",
    "false negative rate": "False negative rate",
    "precision": "Precision",
    "four-fifths ratio": "Selection rate, compared with the best group (four-fifths rule)",
    "demographic parity difference": "Demographic parity, difference",
    "demographic parity ratio": "Demographic parity, ratio",
    "equal opportunity difference": "Equal opportunity, difference",
    "equalised odds difference": "Equalised odds, difference",
}

DRAWN = ("accuracy", "selection rate", "demographic parity difference")
"""Metrics that are drawn against the amount of bias."""


@dataclass(frozen=True)
class RangeRow:
    """One metric of one group: its value as things are, the bounds, and how far known tables reach."""

    who: str
    people: str
    today: str
    low: str
    high: str
    low_is: str
    high_is: str
    seen: str
    gap: str
    compared: str


@dataclass(frozen=True)
class RangeTable:
    """The ranges under one bias model and depth, by one choice of groups, metric by metric."""

    title: str
    model: str
    positive: str
    tables: int
    metrics: list[tuple[str, list[RangeRow]]]
    pictures: list[tuple[str, str]]


def metric_tables(audit: AuditResult, cell: Cell) -> list[RangeTable]:
    """Bound the metrics under the assumption of the first screen, for every choice of groups."""
    made: list[RangeTable] = []
    for columns in audit.plan.groups or ((),):
        found = ranges_of(audit, cell, columns)
        metrics: list[tuple[str, list[RangeRow]]] = []
        for name, title in NAMES.items():
            if name in found.index.get_level_values(0):
                rows = [_row(name, key, row) for key, row in _records(found.table, name)]
                metrics.append((title, [row for row in rows if row is not None]))
        made.append(
            RangeTable(
                title=title_of(columns, audit.verdicts[cell].frame),
                model=str(cell.model),
                positive=audit.plan.data.shown(found.positive),
                tables=found.tables,
                metrics=[(title, rows) for title, rows in metrics if rows],
                pictures=_pictures(audit, cell, columns) if not made else [],
            )
        )
    return made


def _pictures(audit: AuditResult, cell: Cell, columns: tuple[str, ...]) -> list[tuple[str, str]]:
    """Draw some metrics against the amount of bias; each with what stands below it."""
    found = {
        str(each.amount or each.model): ranges_of(audit, each, columns)
        for each in audit.of(cell.sweep, cell.depth)
        if each.second == cell.second
    }
    drawn = []
    for name in DRAWN:
        if all(_has(ranges, name) for ranges in found.values()):
            model = audit.plan.sweeps[cell.sweep].model
            caption = (
                f"{NAMES[name]}, if the training table is wrong within {model}, tree of depth {cell.depth}. "
                "Mark: the tree as it is. Full bar: trees that were really trained on changed tables. Faint "
                "bar: no table leads beyond it."
            )
            drawn.append((svg_of(MetricRangesDisplay.from_amounts(found, name)), caption))
    return drawn


def _has(ranges: MetricRanges, name: str) -> bool:
    lows = ranges.table["low"][ranges.index.get_level_values(0) == name]
    return bool(lows.notna().any())


def _records(frame: Any, metric: str) -> list[tuple[str, dict[str, Any]]]:
    part = frame[frame.index.get_level_values(0) == metric]
    keys = [key[1:] for key in part.index]
    names = [key[0] if len(set(key)) == 1 else ", ".join(map(str, key)) for key in keys]
    return list(zip(map(str, names), part.to_dict(orient="records"), strict=True))


def _row(metric: str, who: str, row: dict[str, Any]) -> RangeRow | None:
    if math.isnan(row["low"]):
        return None
    ratio = metric.endswith("ratio")
    today = "none" if math.isnan(row["estimate"]) else _shown(row["estimate"], ratio, round)
    low, high = _shown(row["low"], ratio, math.floor), _shown(row["high"], ratio, math.ceil)
    seen = ""
    if not math.isnan(row["attained_low"]):
        inner = seen_thousandths(row["attained_low"], row["attained_high"], row["estimate"])
        ends = [_written(end, ratio) for end in inner]
        seen = " to ".join(dict.fromkeys(ends))
        low = ends[0] if row["low_is"] == ATTAINED else low
        high = ends[1] if row["high_is"] == ATTAINED else high
    return RangeRow(
        who=who,
        people=number(int(row["n"])),
        today=today,
        low=low,
        high=high,
        low_is=row["low_is"],
        high_is=row["high_is"],
        seen=seen,
        gap="" if math.isnan(row["gap"]) else _shown(row["gap"], ratio, math.ceil),
        compared=_in_percent(row["compared"]),
    )


def _in_percent(compared: str) -> str:
    """Write the rates behind a comparison as the table does."""
    return re.sub(
        r"(?<= rate )\d\.\d{3}\b", lambda rate: _written(round(1000 * float(rate[0])), False), compared
    )


def _shown(value: float, ratio: bool, rounding: Any) -> str:
    """A share in percent with one decimal, a ratio with three."""
    return _written(int(rounding(round(1000 * value, 9))), ratio)


def _written(thousandths: int, ratio: bool) -> str:
    return f"{thousandths / 1000:.3f}" if ratio else f"{thousandths / 10:.1f}%"
