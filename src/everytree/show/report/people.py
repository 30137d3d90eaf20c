"""Every person of the audit, packed for the explorer in the page.

Columns with dictionaries, each distinct witness and each training record once, as JSON in gzip in base64. The
scripts in ``static/`` read what is written here.
"""

from __future__ import annotations

import base64
import gzip
import json
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any
from zlib import compress

import numpy as np
import pandas as pd

from everytree.audit.shown import shown_columns, title_of, with_groups, withheld_columns
from everytree.refute.holding import TRIES
from everytree.results.certification import NOT_ROBUST, ROBUST, UNKNOWN
from everytree.show.report.findings import undecided
from everytree.show.report.method import commands
from everytree.show.report.ties import Ties, ties_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from everytree.audit import AuditResult, Cell
    from everytree.refute.witness import Witness
    from everytree.results.certification import CertificationResult
    from everytree.results.radii import RadiusResult
    from everytree.table import TrainingTable

__all__ = ["amount_of", "encode", "people_data"]

LETTERS = {ROBUST: "r", NOT_ROBUST: "n", UNKNOWN: "u"}

MOST_BYTES = 1_500_000
"""Packed size of the columns of the test people; those that need most room are left out beyond it."""


def encode(data: dict[str, Any]) -> str:
    """Pack plain values into text that can stand in a page; equal values give equal text."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return base64.b64encode(gzip.compress(text.encode(), 6, mtime=0)).decode()


def people_data(audit: AuditResult, ties: Ties | None = None) -> dict[str, Any]:
    """Gather what the explorer shows, as plain values."""
    ties = ties_of(audit) if ties is None else ties
    first = next(iter(audit.prepared.values()))
    labels = first.train.labels.tolist()
    grouped = dict.fromkeys(name for names in audit.plan.groups for name in names)
    shown = shown_columns(audit.plan, first.train)
    frame = with_groups(first.test.frame, audit.plan)
    columns, left_out = _columns_that_fit(frame[[c for c in frame.columns if c in shown]], list(grouped))
    notebook = _Notebook(first.train, shown)
    cells = [_cell(audit, cell, notebook, ties) for cell in audit.verdicts]
    names = [str(column["name"]) for column in columns]
    return {
        "n": len(first.test.X),
        "tries": TRIES,
        "names": _names(first.test.index),
        "label": first.train.label_name,
        "labels": [str(label) for label in labels],
        "label_names": [audit.plan.data.shown(label) for label in labels],
        "truth": None if first.test.y is None else first.test.y.tolist(),
        "columns": [{**each, "name": title_of((each["name"],), first.test.frame)} for each in columns],
        "left_out": left_out,
        "withheld": withheld_columns(audit.plan, first.train),
        "groups": [names.index(name) for name in grouped],
        "predictions": {str(d): p.predictions.tolist() for d, p in audit.prepared.items()},
        "cells": cells,
        "radii": [_radius(cell, result) for cell, result in audit.radii.items()],
        **notebook.pages(),
    }


def _names(index: pd.Index[Any]) -> list[str] | None:
    """The caller's names of the people, where they are more than positions."""
    if len(index) == 0 or (index.dtype.kind in "iu" and np.array_equal(index, np.arange(len(index)))):
        return None
    return [str(name) for name in index]


def _cell(audit: AuditResult, cell: Cell, notebook: _Notebook, ties: Ties) -> dict[str, Any]:
    result = audit.verdicts[cell]
    held = [ties.of(cell.depth, person, witness) for person, witness in sorted(result.witnesses.items())]
    letters = np.full(len(result), LETTERS[UNKNOWN])
    for verdict, letter in LETTERS.items():
        letters[result.verdicts == verdict] = letter
    return {
        "sweep": cell.sweep,
        "depth": cell.depth,
        "bias": audit.plan.sweeps[cell.sweep].name,
        "amount": amount_of(cell),
        "model": str(cell.model),
        "why": _why_unknown(result),
        "engine": result.engine,
        "verdicts": "".join(letters.tolist()),
        "witnesses": [notebook.note(result.witnesses[p]) for p in sorted(result.witnesses)],
        "holds": held,
        "commands": commands(audit.plan.data, cell, audit.plan.learner),
    }


def _why_unknown(result: CertificationResult) -> dict[str, list[Any]]:
    """Sentences about the people who are unknown, each once, and the place of each person's, in order."""
    unknown = result.verdicts == UNKNOWN
    reasons = [""] * int(unknown.sum()) if result.reasons is None else result.reasons[unknown].tolist()
    known = {reason: place for place, reason in enumerate(sorted(set(reasons)))}
    said = [undecided(reason, result.engine, result.complete) for reason in known]
    return {"words": said, "of": [known[reason] for reason in reasons]}


def amount_of(cell: Cell) -> str:
    """The amounts of a cell as one text; the model itself where it has none to fill in."""
    amounts = [a for a in (cell.amount, cell.second) if a is not None]
    return " and ".join(amounts) or str(cell.model)


def _radius(cell: Cell, result: RadiusResult) -> dict[str, Any]:
    """The two ends of everybody's radius; `ties` lists who loses the proof with no record changed at all."""
    upper = np.where(np.isfinite(result.upper), result.upper, -1).astype(np.int64)
    return {
        "family": str(result.family),
        "single": len(result.family.components) == 1,
        "ties": [p for p, w in sorted(result.witnesses.items()) if upper[p] == 0 and w.size == 0],
        "sweep": cell.sweep,
        "depth": cell.depth,
        "most": int(result.max_amount),
        "lower": result.lower.tolist(),
        "upper": upper.tolist(),
    }


def _columns_that_fit(frame: pd.DataFrame, first: list[str]) -> tuple[list[dict[str, Any]], list[str]]:
    """Encode the columns: those of `first` always, the others while there is room, small ones before."""
    packed = {str(name): _column(str(name), frame[name]) for name in frame.columns}
    rough = {name: len(compress(json.dumps(column).encode(), 1)) for name, column in packed.items()}
    order = sorted(packed, key=lambda name: (name not in first, rough[name]))
    total = np.cumsum([rough[name] for name in order])
    kept = {
        name for name, size in zip(order, total.tolist(), strict=True) if size <= MOST_BYTES or name in first
    }
    return [packed[name] for name in packed if name in kept], [name for name in packed if name not in kept]


def _column(name: str, values: pd.Series[Any]) -> dict[str, Any]:
    """A column as sorted distinct texts and a code for each person; -1 where there is no value."""
    try:
        codes, distinct = pd.factorize(values, sort=True)
    except TypeError:
        codes, distinct = pd.factorize(values.astype(str), sort=True)
    return {"name": name, "values": [_text(value) for value in distinct], "codes": codes.tolist()}


def _text(value: Any) -> str:
    """Write a value; numbers with a fraction as precisely as the learner sees them, in float32."""
    if isinstance(value, float | np.floating):
        number = float(value)
        if number.is_integer() and abs(number) < 1e15:
            return str(int(number))
        return str(np.float32(number)) if abs(number) < np.finfo(np.float32).max else str(number)
    return str(value)


class _Notebook:
    """Collects the distinct witnesses, and the training records that occur in them, once each."""

    def __init__(self, train: TrainingTable, shown: list[str]) -> None:
        self.train, self.shown = train, shown
        self.code = {label: place for place, label in enumerate(train.labels.tolist())}
        self.known: dict[Any, int] = {}
        self.witnesses: list[dict[str, Any]] = []
        self.places: dict[int, int] = {}
        self.added: list[pd.DataFrame] = []
        self.n_added = 0

    def note(self, witness: Witness) -> int:
        """Give the number of a witness, and write it down if it is new."""
        key = (self.code[witness.after], witness.changes)
        if key not in self.known:
            self.known[key] = len(self.witnesses)
            self.witnesses.append(self._write(witness))
        return self.known[key]

    def _write(self, witness: Witness) -> dict[str, Any]:
        first_added = self.n_added
        if len(witness.added):
            self.added.append(witness.added)
            self.n_added += len(witness.added)
        rows = [*witness.flipped, *witness.removed]
        pools = [(pool, count) for pool, count in witness.alternatives if count < len(pool)]
        return {
            "after": self.code[witness.after],
            "flipped": self._records(witness.flipped),
            "to": [self.code[label] for label in witness.flipped.values()],
            "removed": self._records(witness.removed),
            "added": [first_added, self.n_added],
            "seed": witness.random_state,
            "pool": _pool_of(rows, [pool for pool, _ in pools]),
            "pools": [[count, len(pool)] for pool, count in pools],
        }

    def _records(self, rows: Iterable[int]) -> list[int]:
        return [self.places.setdefault(int(row), len(self.places)) for row in rows]

    def pages(self) -> dict[str, Any]:
        """Everything collected: the witnesses, the training records, the added rows."""
        rows = list(self.places)
        chosen = self.train.frame.iloc[rows]
        added = pd.concat(self.added, ignore_index=True) if self.added else None
        name = self.train.label_name
        return {
            "witnesses": self.witnesses,
            "records": {
                "rows": rows,
                "labels": self.train.y[rows].tolist(),
                "columns": [_column(str(c), chosen[c]) for c in chosen.columns if c in self.shown],
            },
            "added": {
                "labels": [] if added is None else [self.code[label] for label in added[name].tolist()],
                "columns": []
                if added is None
                else [_column(str(c), added[c]) for c in added.columns if c != name and c in self.shown],
            },
        }


def _pool_of(rows: list[int], pools: list[NDArray[np.int64]]) -> list[int]:
    """For each row the first set of interchangeable rows that holds it, or -1."""
    changed = np.array(rows, np.int64)
    found = np.full(len(changed), -1, np.int64)
    for place in reversed(range(len(pools))):
        found[np.isin(changed, pools[place])] = place
    return found.tolist()
