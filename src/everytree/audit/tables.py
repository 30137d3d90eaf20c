"""The findings of an audit as tables: one line for each cell and group, one for each cell and person.

Reads the results; counts, never proves. Behind `AuditResult.to_frame` and `AuditResult.people`.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from everytree.audit.ranges import ranges_of
from everytree.audit.shown import with_groups
from everytree.results.certification import NOT_ROBUST, ROBUST, UNKNOWN
from everytree.support.plain import as_plain

if TYPE_CHECKING:
    from everytree.audit.plan import Cell
    from everytree.audit.result import AuditResult
    from everytree.results.certification import CertificationResult
    from everytree.results.radii import RadiusResult

__all__ = ["EVERYBODY", "group_lines", "people_lines"]

EVERYBODY, BETWEEN = "everybody", "between groups"
"""What stands in the place of a group: all people, or the groups compared with each other."""

Group = str | tuple[Any, ...]
"""One of these words, or the values of the columns that are grouped by."""

OWN = (
    *("bias", "model", "amount", "with_amount", "depth", "engine", "complete", "index", "label"),
    *("prediction", "verdict", "possible_labels", "witness_size", "radius_lower", "radius_upper"),
)
"""Columns of the lines for people; a column of the table that is called like one is renamed beside them."""

ENDS = ("low", "high", "low_is", "high_is", "attained_low", "attained_high", "gap")


def group_lines(audit: AuditResult, metrics: bool) -> pd.DataFrame:
    """One line for each cell and group; see `AuditResult.to_frame`."""
    parts = []
    for cell, result in audit.verdicts.items():
        lines = []
        for columns in ((), *audit.plan.groups):
            shares = _shares(result, columns)
            if metrics:
                for key, line in _ranges(audit, cell, columns).items():
                    if columns and key == EVERYBODY:
                        continue
                    shares.setdefault(key, {"n": len(result)}).update(line)
            by = ", ".join(columns)
            lines += [{"by": by, "group": _group_name(key), **line} for key, line in shares.items()]
        parts.append(_after(_cell_columns(audit, cell, result), pd.DataFrame(lines)))
    return pd.concat(parts, ignore_index=True)


def people_lines(audit: AuditResult) -> pd.DataFrame:
    """One line for each cell and person; see `AuditResult.people`."""
    parts = []
    for cell, result in audit.verdicts.items():
        part = _people(audit, result, audit.radius_of(cell.sweep, cell.depth))
        parts.append(_after(_cell_columns(audit, cell, result), part))
    return pd.concat(parts, ignore_index=True)


def _cell_columns(audit: AuditResult, cell: Cell, result: CertificationResult) -> dict[str, Any]:
    return {
        "bias": audit.plan.sweeps[cell.sweep].name,
        "model": str(cell.model),
        "amount": cell.amount,
        "with_amount": cell.second,
        "depth": cell.depth,
        "engine": result.engine,
        "complete": result.complete,
    }


def _after(values: dict[str, Any], part: pd.DataFrame) -> pd.DataFrame:
    """Put columns that hold one value each before those of a table."""
    same = pd.DataFrame({name: [value] * len(part) for name, value in values.items()}, index=part.index)
    for name in ("amount", "with_amount"):  # a column of nothing but None would otherwise have no type
        same[name] = same[name].astype("string")
    return pd.concat([same, part], axis=1)


def _shares(result: CertificationResult, columns: tuple[str, ...]) -> dict[Group, dict[str, Any]]:
    """Size and shares of the verdicts, for everybody or for each group."""
    if not columns:
        counts = result.counts()
        return {EVERYBODY: {"n": len(result), **{str(v): n / len(result) for v, n in counts.items()}}}
    table = result.by_group(list(columns))
    lines = table.to_dict("records")
    return {
        _group(key): {str(k): v for k, v in line.items()}
        for key, line in zip(table.index, lines, strict=True)
    }


def _ranges(audit: AuditResult, cell: Cell, columns: tuple[str, ...]) -> dict[Group, dict[str, Any]]:
    """Ranges of metrics for each group, for everybody, and for the groups compared with each other."""
    ranges = ranges_of(audit, cell, columns)
    lines: dict[Group, dict[str, Any]] = {}
    for (metric, *key), row in zip(ranges.index, ranges.table.to_dict("records"), strict=True):
        if metric in (ROBUST, NOT_ROBUST, UNKNOWN):
            continue
        together = len(set(key)) == 1 and key[0] in (EVERYBODY, BETWEEN)
        if not columns and not (together and key[0] == EVERYBODY):
            continue
        line = lines.setdefault(key[0] if together else tuple(key), {})
        name = metric.replace(" ", "_")
        line[name] = row["estimate"]
        if row["low_is"]:
            line |= {f"{name}_{end}": row[end] for end in ENDS}
        if row["compared"]:
            line[f"{name}_compared"] = row["compared"]
    return lines


def _group(key: Any) -> Group:
    return key if isinstance(key, tuple) else (key,)


def _group_name(key: Group) -> str:
    return key if isinstance(key, str) else ", ".join(map(str, key))


def _people(audit: AuditResult, result: CertificationResult, radius: RadiusResult | None) -> pd.DataFrame:
    table = pd.DataFrame({"index": result.index.to_numpy()})
    grouped = [name for columns in audit.plan.groups for name in columns]
    asked = audit.plan.outputs.columns or ()
    frame = with_groups(result.frame, audit.plan)
    for name in dict.fromkeys([*grouped, *asked]):
        table[_beside(name, (*OWN, *grouped, *asked))] = frame[name].to_numpy()
    prepared = result.prepared
    if prepared is not None and prepared.test.y is not None:
        labels = [*result.labels.tolist(), None]  # the code of a label that training never saw is -1
        table["label"] = [labels[code] for code in prepared.test.y]
    table["prediction"] = result.predictions
    table["verdict"] = result.verdicts.astype(object)
    table["possible_labels"] = [json.dumps(as_plain(labels)) for labels in result.possible_labels]
    sizes = {person: witness.size for person, witness in result.witnesses.items()}
    table["witness_size"] = pd.array([sizes.get(p) for p in range(len(result))], dtype="Int64")
    lower = [None] * len(result) if radius is None else radius.lower.tolist()
    upper = [None] * len(result) if radius is None else [_finite(u) for u in radius.upper]
    table["radius_lower"] = pd.array(lower, dtype="Int64")
    table["radius_upper"] = pd.array(upper, dtype="Int64")
    return table


def _beside(name: str, taken: tuple[str, ...]) -> str:
    """Name a column of the table so that it can stand beside the columns of the lines."""
    if name not in OWN:
        return name
    name = f"column {name}"
    while name in taken:
        name = f"column {name}"
    return name


def _finite(amount: float) -> int | None:
    return int(amount) if np.isfinite(amount) else None
