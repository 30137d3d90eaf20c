"""Changed records on the screen: as many as can be read, in as many columns as fit."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from rich.markup import escape

from everytree.cli.screen import plain_table

if TYPE_CHECKING:
    import pandas as pd
    from rich.console import Console

__all__ = ["show_records"]

GUTTER = 3
"""Width between two columns."""


def show_records(screen: Console, records: pd.DataFrame, label: str, most: int) -> None:
    """Show records one below the other, equal ones once with their number.

    Where the columns do not fit, those that are the same in all records go into a line below, and after
    them the last ones are left out by name.
    """
    names = [str(name) for name in records.columns]
    lines = Counter(zip(*(map(_cell, records[name]) for name in records.columns), strict=True))
    columns = dict(zip(names, zip(*lines, strict=True), strict=True))
    if max(lines.values()) > 1:
        columns["times"] = tuple(map(str, lines.values()))
    kept = {"change", "row", label, "new label", "times"}
    same: list[str] = []
    if _width(columns) > screen.width:
        same = [name for name, cells in columns.items() if name not in kept and len(set(cells)) == 1]
    shown = {name: cells for name, cells in columns.items() if name not in same}
    left_out: list[str] = []
    while _width(shown) > screen.width and set(shown) - kept:
        left_out.insert(0, [name for name in shown if name not in kept][-1])
        del shown[left_out[0]]
    table = plain_table(list(shown))
    for row in list(zip(*shown.values(), strict=True))[:most]:
        table.add_row(*map(escape, row))
    screen.print(table)
    if len(lines) > most:
        screen.print(f"and {len(lines) - most} more; --json has all of them", soft_wrap=True)
    if same:
        known = ", ".join(f"{name} {columns[name][0]}" for name in same)
        whose = "in all of them" if len(records) > 1 else "its other columns"
        screen.print(f"{whose}: {escape(known)}", soft_wrap=True)
    if left_out:
        screen.print(f"not shown here: {escape(', '.join(left_out))}", soft_wrap=True)


def _width(columns: dict[str, tuple[str, ...]]) -> int:
    widths = (max(map(len, (name, *cells))) for name, cells in columns.items())
    return sum(widths) + GUTTER * (len(columns) - 1)


def _cell(value: Any) -> str:
    """Write a value of a table; a missing one is empty, a whole number has no fraction."""
    if value is None or value != value:
        return ""
    return f"{value:.0f}" if isinstance(value, float) and value.is_integer() else str(value)
