"""What an audit must find to pass: ``[require]`` of its file, read, checked, and held against the result.

Between `everytree.audit.config` and `everytree.audit.result`; a gate for continuous integration.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from everytree.audit.keys import TableOfKeys, naming
from everytree.audit.ranges import ranges_of
from everytree.audit.shown import group_name, title_of
from everytree.errors import AuditError
from everytree.questions.measures import METRICS, NEED_NO_TRUTH
from everytree.results.certification import ROBUST, UNKNOWN
from everytree.results.gate import as_share, share_text, short_of, unmet_robust, useless
from everytree.results.ranges import BETWEEN, EVERYBODY
from everytree.support.text import listing, nearest

if TYPE_CHECKING:
    import pandas as pd

    from everytree.audit.plan import Cell, Plan
    from everytree.audit.result import AuditResult
    from everytree.results.certification import CertificationResult

__all__ = ["Bound", "Require", "check_require", "read_require", "unmet"]

KEYS = ("robust", "robust_by_group", "metrics", "bias", "amounts")
CERTIFIED = "certified accuracy"
"""A metric that is counted and has no range."""

OF_GROUPS = ("difference", "ratio")
"""How metrics that compare groups end."""

NO_LABELS = "needs true labels, which the test table does not have"


@dataclass(frozen=True)
class Bound:
    """A metric whose proved range must lie at or above `least`, and at or below `most`."""

    metric: str
    least: Fraction | None = None
    most: Fraction | None = None


@dataclass(frozen=True)
class Require:
    """What every cell must show; `bias` and `amounts` choose cells, all of them where they are empty."""

    robust: Fraction | None = None
    robust_by_group: Fraction | None = None
    metrics: tuple[Bound, ...] = field(default=())
    bias: tuple[str, ...] = ()
    amounts: tuple[str, ...] = ()


def read_require(top: TableOfKeys) -> Require | None:
    """Read ``[require]``; None where the file has none."""
    if "require" not in top.values:
        return None
    keys = top.table("require", KEYS)
    metrics = TableOfKeys("[require.metrics] ", keys.values.get("metrics", {}), (*METRICS, CERTIFIED))
    return Require(
        robust=_share(keys, "robust"),
        robust_by_group=_share(keys, "robust_by_group"),
        metrics=tuple(_bound(metrics, name) for name in metrics.values),
        bias=keys.texts("bias"),
        amounts=tuple(map(str, keys.entries("amounts", "must be a list of amounts of [[bias]]"))),
    )


def _share(keys: TableOfKeys, key: str) -> Fraction | None:
    value = keys.values.get(key)
    if value is None:
        return None
    with naming(keys.name(key)):
        return as_share("it", value)


def _bound(metrics: TableOfKeys, name: str) -> Bound:
    keys = TableOfKeys(f"[require.metrics] {name}, ", metrics.values[name], ("at_least", "at_most"))
    bound = Bound(name, _share(keys, "at_least"), _share(keys, "at_most"))
    if bound.least is None and bound.most is None:
        raise metrics.wrong(name, "needs at_least or at_most, such as {at_least = 0.6}.")
    return bound


def check_require(plan: Plan, labels_known: bool) -> None:
    """Refuse what could never be held against the result, before anything is computed."""
    asked = plan.require
    if asked is None:
        return
    amounts = list(dict.fromkeys(cell.amount for cell in plan.cells() if cell.amount is not None))
    for key, named, known in (
        ("bias", asked.bias, [sweep.name for sweep in plan.sweeps]),
        ("amounts", asked.amounts, amounts),
    ):
        for name in named:
            if name not in known:
                raise AuditError(
                    f"[require] {key}: {name!r} is not in this audit, which has {listing(known, 20)}."
                    f"{nearest(name, known)}"
                )
    if not _cells(plan, asked):
        raise AuditError("[require]: no cell has one of these bias models and one of these amounts.")
    grouped = [bound.metric for bound in asked.metrics if bound.metric.endswith(OF_GROUPS)]
    if not plan.groups and (grouped or asked.robust_by_group is not None):
        what = grouped[0] if grouped else "robust_by_group"
        raise AuditError(f"[require] {what}: compares groups, but [audit] groups names none. Name some.")
    for bound in asked.metrics:
        if not labels_known and bound.metric not in NEED_NO_TRUTH:
            raise AuditError(f"[require.metrics] {bound.metric}: {NO_LABELS}. Add them, or leave it out.")


def _cells(plan: Plan, asked: Require) -> list[Cell]:
    return [
        cell
        for cell in plan.cells()
        if cell.kind == "verdicts"
        and (not asked.bias or plan.sweeps[cell.sweep].name in asked.bias)
        and (not asked.amounts or cell.amount in asked.amounts)
    ]


def unmet(audit: AuditResult) -> list[str]:
    """Say for each cell what the plan requires and was not found, and by how much; empty if all was."""
    asked = audit.plan.require
    if asked is None:
        return []
    found = []
    for cell in _cells(audit.plan, asked):
        result = audit.verdicts[cell]
        said = [unmet_robust(result, asked.robust)] if asked.robust is not None else []
        if asked.robust_by_group is not None:
            nothing = useless(result)
            said += [nothing] if nothing else _unmet_by_group(audit, result, asked.robust_by_group)
        said = list(dict.fromkeys(said))
        said += _unmet_metrics(audit, cell, asked.metrics)
        found += [f"{cell.model}, depth {cell.depth}: {each}." for each in said if each]
    return found


def _unmet_by_group(audit: AuditResult, result: CertificationResult, wanted: Fraction) -> list[str]:
    said: list[str] = []
    people = _people(audit)
    for columns in audit.plan.groups:
        table = result.by_group(list(columns))
        for name, row in zip(table.index, table.to_dict("records"), strict=True):
            n = int(row["n"])
            if n < audit.plan.smallest_group:
                continue
            short = short_of(round(row[ROBUST] * n), round(row[UNKNOWN] * n), n, wanted)
            if short:
                said.append(f"{group_name(columns, name, people)}: {short}")
    return said


def _people(audit: AuditResult) -> pd.DataFrame:
    return next(iter(audit.prepared.values())).test.frame


def _title(columns: tuple[str, ...], people: pd.DataFrame) -> str:
    """Name groups within a sentence: ``sex``, or ``age, in bands,``."""
    title = title_of(columns, people)
    return f"{title}," if ", " in title else title


def _unmet_metrics(audit: AuditResult, cell: Cell, bounds: tuple[Bound, ...]) -> list[str]:
    said: list[str] = []
    people = _people(audit)
    for columns in ((), *audit.plan.groups) if bounds else ():
        wanted = [bound for bound in bounds if bound.metric.endswith(OF_GROUPS) == bool(columns)]
        if not wanted:
            continue
        ranges = ranges_of(audit, cell, columns)
        rows: list[dict[Any, Any]] = ranges.table.to_dict("records")
        known, least = set(ranges.index.get_level_values(0)), audit.plan.smallest_group
        said += [
            f"{bound.metric} by {_title(columns, people)} has no value: no group has {least} people"
            for bound in wanted
            if bound.metric not in known
        ]
        for (metric, *key), row in zip(ranges.index, rows, strict=True):
            together = set(key) in ({EVERYBODY}, {BETWEEN})
            if not columns and set(key) != {EVERYBODY}:
                continue
            small = not together and row["n"] < audit.plan.smallest_group
            for bound in wanted:
                if bound.metric == metric and not small:
                    where = f" by {_title(columns, people)}" if columns else ""
                    where = where if together else f" of {group_name(columns, tuple(key), people)}"
                    said.append(_outside(f"{metric}{where}", row, bound))
    return [each for each in said if each]


def _outside(name: str, row: dict[Any, Any], bound: Bound) -> str:
    """Compare the ends that no table passes with what is asked; a metric without a value is not met."""
    counted = not row["low_is"]
    low, high = (row["estimate"], row["estimate"]) if counted else (row["low"], row["high"])
    if math.isnan(low):
        return f"{name} has no value here"
    verb = "is" if counted else "may be as low as"
    if bound.least is not None and low < float(bound.least):
        least = float(bound.least)
        return f"{name} {verb} {low:.3f}, {least - low:.3f} below the {share_text(bound.least)} required"
    if bound.most is not None and high > float(bound.most):
        verb = "is" if counted else "may be as high as"
        over = high - float(bound.most)
        return f"{name} {verb} {high:.3f}, {over:.3f} above the {share_text(bound.most)} allowed"
    return ""
