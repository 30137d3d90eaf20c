"""How the verdicts were reached and how to check one: settings, versions, hashes, commands.

Reads the plan and the prepared tables; says nothing about people.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import numpy as np
import sklearn

from everytree.learner.missing import WAYS
from everytree.learner.weight_texts import write_class_weight
from everytree.questions.deciding import DECIDING_SECONDS
from everytree.results.certification import ROBUST
from everytree.show.report.findings import number
from everytree.support.text import pasteable
from everytree.support.version import VERSION, learner_notes

if TYPE_CHECKING:
    from everytree.audit import AuditResult, Cell, Data, Plan
    from everytree.results.certification import CertificationResult

__all__ = [
    "Fact",
    "checks",
    "columns_of",
    "commands",
    "cut_off",
    "examples",
    "facts",
    "judges_itself",
    "open_radii",
    "proofs",
    "short_name",
]


NO_SETTINGS: Mapping[str, object] = {}


@dataclass(frozen=True)
class Fact:
    """One line of the method: what, its value, and a sentence about it. `code` values are set as code."""

    what: str
    value: str
    note: str = ""
    code: bool = False


def short_name(table: str) -> str:
    """The name of a table without the folder, which says nothing to another reader."""
    return PurePath(table.replace("\\", "/")).name


def commands(data: Data, cell: Cell, settings: Mapping[str, object] = NO_SETTINGS) -> list[str]:
    """The command lines that show a witness and check a proof; the number of the person goes to the end."""
    tables = [short_name(data.train), *([short_name(data.test)] if data.test is not None else [])]
    options: list[str] = []
    if data.label is not None:
        options += ["--label", data.label]
    for name in data.drop:
        options += ["--drop", name]
    for name in data.categorical:
        options += ["--categorical", name]
    if data.encoding != "onehot":
        options += ["--encoding", data.encoding]
    for name, value in settings.items():
        text = write_class_weight(value) if isinstance(value, Mapping) else str(value)
        options += [f"--{name.replace('_', '-')}", text]
    if data.missing != WAYS[0]:
        options += ["--missing", data.missing]
    options += ["--depth", str(cell.depth), "--bias", str(cell.model), "--person"]
    return [pasteable(["everytree", verb, *tables, *options]) for verb in ("witness", "check")]


@dataclass(frozen=True)
class Proof:
    """The proof file of one cell: where it is, seen from the report, who is in it, and how it is verified."""

    cell: str
    name: str
    address: str
    people: str
    command: str


def proofs(audit: AuditResult) -> list[Proof]:
    """List the proof files of an audit; none if it was not asked for any."""
    data, report = audit.plan.data, audit.plan.outputs.report
    tables = [short_name(data.train), *([short_name(data.test)] if data.test is not None else [])]
    found = []
    for cell, file in audit.proofs.items():
        start = file.path.parent if report is None else report.parent
        people = f"{number(len(file.proved))} robust, {number(len(file.refuted))} not robust"
        if file.left_out:
            people += f"; {number(len(file.left_out))} decided people are not in it"
        found.append(
            Proof(
                f"{cell.model}, depth {cell.depth}",
                file.path.name,
                quote(Path(os.path.relpath(file.path, start)).as_posix()),
                people,
                pasteable(["everytree", "verify", file.path.name, *tables]),
            )
        )
    return found


def examples(result: CertificationResult) -> dict[str, int]:
    """Find a person who is proved, by the walk if possible, and one who is refuted; else person 0."""
    robust = result.verdicts == ROBUST
    walked = robust & (result.probability_ranges != (0.0, 1.0)).any(axis=(1, 2))
    proved = [*walked.nonzero()[0], *robust.nonzero()[0], 0]
    return {"proved": int(proved[0]), "refuted": min(result.witnesses, default=0)}


def checks(audit: AuditResult, cell: Cell) -> list[tuple[str, int]]:
    """The commands for a person who is proved and one who is refuted, here or in the first cell with one."""
    cells = [cell, *(each for each in audit.verdicts if each != cell)]
    found = []
    for place, who in ((1, "proved"), (0, "refuted")):
        for each in cells:
            result = audit.verdicts[each]
            if result.witnesses if who == "refuted" else (result.verdicts == ROBUST).any():
                line = commands(audit.plan.data, each, audit.plan.learner)[place]
                found.append((line, examples(result)[who]))
                break
    return found


def judges_itself(audit: AuditResult) -> bool:
    """Tell whether the people are the very rows that the tree was learned from."""
    prepared = next(iter(audit.prepared.values()))
    train, test = prepared.train, prepared.test
    labels_too = test.y is None or np.array_equal(train.y, test.y)
    return labels_too and np.array_equal(train.X, test.X, equal_nan=True)


def facts(audit: AuditResult) -> list[Fact]:
    """List everything a verdict of this audit rests on."""
    prepared = next(iter(audit.prepared.values()))
    train, test = prepared.train, prepared.test
    engines = dict.fromkeys(result.engine for result in audit.verdicts.values())
    found = [
        Fact("Program", f"everytree {VERSION}"),
        Fact("scikit-learn", sklearn.__version__, " ".join([LEARNER, *learner_notes()])),
    ]
    for depth, each in audit.prepared.items():
        found.append(Fact(f"Learner, depth {depth}", str(each.learner), code=True))
    found += [
        Fact("Training table", short_name(audit.plan.data.train), _shape(len(train.y), train.frame.shape[1])),
        Fact(
            "People",
            short_name(audit.plan.data.test or audit.plan.data.train),
            f"{number(len(test.X))}{', the rows of the training table' if judges_itself(audit) else ''}.",
        ),
    ]
    for what, digest in audit.hashes.items():
        found.append(Fact(f"SHA-256, {what}", digest, code=True))
    found += [
        Fact(
            "Label", train.label_name, f"Labels, sorted: {_labels(audit.plan.data, train.labels.tolist())}."
        ),
        Fact("Features", number(len(train.feature_names)), "After encoding, rounded to float32 numbers."),
        Fact("Engine", ", ".join(engines), ENGINES),
        Fact("Time limit", _time_limit(audit.plan), TIMES),
        Fact("Tie rule", "every way of breaking ties", TIES),
        Fact("Arithmetic", "whole counts, float64 scores", ARITHMETIC),
    ]
    return found


LEARNER = "The learner that is certified and retrained."


def _labels(data: Data, labels: list[Any]) -> str:
    """The labels as the table has them, each with its name."""
    return ", ".join(
        f"{label} ({data.labels[label]})" if label in data.labels else str(label) for label in labels
    )


ENGINES = (
    "“interval” is the paper’s method and “relational” compares splits on the same table; both only prove. "
    "“auto” goes on to decide the others by path programs and retrained witnesses."
)
TIMES = "What is not decided by then is “unknown”; time can never turn a verdict into its opposite."
TIES = (
    "Splits whose scores differ by at most 1e-10 times the rows of the node count as tied, and a proof "
    "covers each of them. A leaf gives its majority label, and on a tie the label that sorts first."
)
ARITHMETIC = (
    "Whatever is excluded is excluded by more than the tolerance, so rounding can only lead to “unknown”. "
    "Bounds of the linear solver are checked again from its multipliers."
)


def _time_limit(plan: Plan) -> str:
    if plan.time_limit is not None:
        return f"{plan.time_limit:g} seconds for each computation"
    if all(sweep.engine != "auto" for sweep in plan.sweeps):
        return "none"
    said = f"none for the walk; “auto” then decides for at most {DECIDING_SECONDS:g} seconds"
    radius = ", for each amount that a radius tries" if any(sweep.radius for sweep in plan.sweeps) else ""
    return f"{said} in each computation{radius}"


def _shape(rows: int, columns: int) -> str:
    return f"{number(rows)} rows, {columns} columns besides the label."


UNREAD = "through an encoder that cannot be read back"
FILLED = "filled in where it is missing"


def columns_of(audit: AuditResult) -> list[Fact]:
    """Say for each original column what the learner sees of it."""
    train = next(iter(audit.prepared.values())).train
    said = []
    for column in train.columns:
        if column.encoding == "onehot":
            what = f"{len(column.categories)} features, one for each category"
        elif column.encoding == "ordinal":
            what = f"codes 0 to {len(column.categories) - 1}, in sorted order"
        elif column.encoding == "dropped":
            what = "not seen by the tree"
        elif column.encoding == "opaque":
            what = FILLED if audit.plan.data.missing != WAYS[0] else UNREAD
        else:
            what = "as it is, rounded to float32"
        said.append(Fact(column.name, what, column.kind))
    return said


def cut_off(audit: AuditResult) -> list[str]:
    """Name the computations that a limit ended early."""
    return [
        f"{cell.model}, depth {cell.depth}" for cell, result in audit.verdicts.items() if not result.complete
    ]


def open_radii(audit: AuditResult) -> list[tuple[str, str]]:
    """Name the families with people whose radius is not known exactly, and how many."""
    found = []
    for cell, result in audit.radii.items():
        open_ones = int((~result.exact & (result.lower < result.max_amount)).sum())
        if open_ones:
            found.append((f"{cell.model}, depth {cell.depth}", number(open_ones)))
    return found
