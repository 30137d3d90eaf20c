"""Ranges of metrics of the cells of an audit: bounded once for all outputs, kept, and made to agree.

Between the result and what is written. Smaller amounts of the same bias model allow fewer tables: what a tree
learned within them attains is attained within larger ones, and what is proved for larger ones holds for them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from everytree.audit.agreement import counts_of
from everytree.audit.digests import digest_of_array, digest_of_frame
from everytree.audit.packing import Plain, pack, pack_ranges, unpack_ranges
from everytree.questions.metrics import Wish, check_names, ranges_and_tables
from everytree.table.groups import group_frame

if TYPE_CHECKING:
    import pandas as pd

    from everytree.audit.plan import Cell
    from everytree.audit.result import AuditResult
    from everytree.questions.known import KnownTables
    from everytree.results.certification import CertificationResult
    from everytree.results.ranges import MetricRanges

__all__ = ["bound_all", "keep_ranges", "ranges_of"]

TRIES = 40
"""Tables of witnesses on which the tree is retrained for each cell, in search of ends that are attained."""

Columns = tuple[str, ...]
Family = tuple[int, int, str | None, Columns]
"""A sweep, a depth, the amount of a second bias model, and the columns that make groups."""

Keep = Callable[[dict[str, Any], Callable[[], Plain]], Plain]
"""Gives the kept answer to a question in plain values; makes and keeps it if there is none."""

_KEEP: WeakKeyDictionary[AuditResult, Keep] = WeakKeyDictionary()
_FOUND: WeakKeyDictionary[AuditResult, dict[Family, dict[Cell, MetricRanges]]] = WeakKeyDictionary()


def ranges_of(audit: AuditResult, cell: Cell, columns: Columns = ()) -> MetricRanges:
    """Give the ranges of a cell by these columns; the levels of their index are called ``by COLUMN``.

    Without columns the ranges of the first grouping, which hold everybody as well, if there is one.
    """
    columns = columns or next(iter(audit.plan.groups), ())
    family = (cell.sweep, cell.depth, cell.second, columns)
    found = _FOUND.setdefault(audit, {})
    if family not in found:
        found[family] = _kept(audit, *family) if audit in _KEEP else _bound(audit, *family)
    return found[family][cell]


def keep_ranges(audit: AuditResult, keep: Keep) -> None:
    """Say where the ranges of an audit are kept; they are then without the tables behind attained ends."""
    _KEEP[audit] = keep


def bound_all(audit: AuditResult, tell: Callable[[int, int], None]) -> None:
    """Bound the metrics of all cells by all groups, and tell how many of how many are done."""
    wanted = [(cell, columns) for cell in audit.verdicts for columns in audit.plan.groups or ((),)]
    for done, (cell, columns) in enumerate(wanted):
        tell(done, len(wanted))
        ranges_of(audit, cell, columns)
    tell(len(wanted), len(wanted))


def _kept(
    audit: AuditResult, sweep: int, depth: int, second: str | None, columns: Columns
) -> dict[Cell, MetricRanges]:
    """Read or bound the cells of a family: everything that their ranges depend on is asked for."""
    plan, prepared = audit.plan, audit.prepared[depth]
    results = _family(audit, sweep, depth, second)
    groups, truth = _groups(columns, prepared.test.frame), prepared.test.y
    question = {
        "kind": "ranges",
        "cells": [{"model": str(cell.model), **pack(result)} for cell, result in results.items()],
        "depth": depth,
        "groups": None if groups is None else [digest_of_frame(groups), repr(check_names(groups))],
        "truth": None if truth is None else digest_of_array(truth),
        "positive": repr(plan.data.positive),
        "smallest_group": plan.smallest_group,
        "tries": TRIES,
    }

    def make() -> Plain:
        found = _bound(audit, sweep, depth, second, columns)
        return {"cells": [pack_ranges(found[cell], prepared.train) for cell in results]}

    made = _KEEP[audit](question, make)["cells"]
    return {
        cell: unpack_ranges(content, groups, prepared.train, cell.model)
        for cell, content in zip(results, made, strict=True)
    }


def _family(
    audit: AuditResult, sweep: int, depth: int, second: str | None
) -> dict[Cell, CertificationResult]:
    return {cell: result for cell, result in audit.of(sweep, depth).items() if cell.second == second}


def _groups(columns: Columns, people: pd.DataFrame) -> pd.DataFrame | None:
    """What people are grouped by; a column may be called like one of the table of ranges."""
    if not columns:
        return None
    return group_frame(list(columns), people).rename(columns=lambda name: f"by {name}")


def _bound(
    audit: AuditResult, sweep: int, depth: int, second: str | None, columns: Columns
) -> dict[Cell, MetricRanges]:
    """Bound the cells of a family, small amounts first, each with the tables of those that it includes."""
    plan = audit.plan
    results = _family(audit, sweep, depth, second)
    counts = {cell: counts_of(cell.model, audit.prepared[depth]) for cell in results}
    tables: dict[Cell, KnownTables] = {}
    found: dict[Cell, MetricRanges] = {}
    for cell in sorted(results, key=lambda each: sum(counts[each])):
        result = results[cell]
        inside = [tables[each] for each in found if _includes(counts[cell], counts[each])]
        wish = Wish(plan.data.positive, plan.smallest_group, TRIES, also=inside)
        found[cell], tables[cell] = ranges_and_tables(result, _groups(columns, result.frame), None, wish)
    for cell in results:
        for larger in results:
            if larger is not cell and _includes(counts[larger], counts[cell]):
                found[cell] = found[cell].within(found[larger])
    return found


def _includes(larger: tuple[int, ...], smaller: tuple[int, ...]) -> bool:
    """Tell whether one bias model allows every table that the other does."""
    return all(a >= b for a, b in zip(larger, smaller, strict=True))
