"""What an audit asks: the tables, the groups, and the cells, one for each bias model, amount and depth.

Made by `everytree.audit.config` from a file, or by hand; everything else in the room reads it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from everytree.audit.keys import key_of_bias
from everytree.audit.require import Require
from everytree.bias import BiasModel
from everytree.errors import AuditError
from everytree.learner.missing import WAYS, Way
from everytree.questions.certify import ENGINES
from everytree.support.files import TABLE_FORMS
from everytree.support.text import listing
from everytree.table.groups import SMALLEST_COMPARED

__all__ = ["Cell", "Data", "Outputs", "Plan", "Sweep", "check_plan", "why_no_radius"]


@dataclass(frozen=True)
class Data:
    """The tables and how they are read; `test` is None for a data set that brings its own people."""

    train: str
    test: str | None = None
    label: str | None = None
    drop: tuple[str, ...] = ()
    categorical: tuple[str, ...] = ()
    encoding: str = "onehot"
    positive: Any = None
    """The label that counts as being selected; None for the one that sorts last."""
    missing: Way = WAYS[0]
    """What becomes of missing values; see `everytree.learner.missing`."""
    labels: Mapping[Any, str] = field(default_factory=dict)
    """Names of labels for readers of the report and the screen; files for machines keep the labels."""

    def shown(self, label: Any) -> str:
        """A label as a reader sees it."""
        return str(self.labels.get(label, label))


@dataclass(frozen=True)
class Sweep:
    """A bias model with its amounts, and perhaps a second one whose amounts are combined with them.

    Attributes
    ----------
    name : str
        What the audit calls it.
    model : BiasModel
        With a free amount (``?``) exactly if there are `amounts`.
    amounts : tuple of str
        In the order given, each as a bias model writes it: ``"20"``, ``"1%"``, ``"5% of group"``.
    second, second_amounts
        A bias model that is added to the first, with its own amounts; every pair of amounts is a cell.
    engine : str
    radius : bool
        Whether everybody's radius is wanted, up to the largest of `amounts`.
    """

    name: str
    model: BiasModel
    amounts: tuple[str, ...] = ()
    second: BiasModel | None = None
    second_amounts: tuple[str, ...] = ()
    engine: str = "auto"
    radius: bool = False

    def models(self) -> Iterator[tuple[str | None, str | None, BiasModel]]:
        """Give every combination of amounts with the bias model that it makes."""
        for amount in self.amounts or (None,):
            first = self.model if amount is None else self.model.with_amount(amount)
            if self.second is None:
                yield amount, None, first
            else:
                for other in self.second_amounts:
                    yield amount, other, first + self.second.with_amount(other)


def why_no_radius(model: BiasModel, second: BiasModel | None, engine: str) -> str:
    """Say why everybody's radius cannot be computed; empty if it can."""
    if not model.has_free_amount:
        reason = f"model is {str(model)!r}, without a ?"
    elif second is not None:
        reason = "with adds a second amount"
    elif engine != "auto":
        reason = f"engine is {engine!r}, and a radius needs 'auto'"
    else:
        return ""
    return f"cannot be true, because {reason}. Leave it out, or change that."


@dataclass(frozen=True)
class Cell:
    """One computation: verdicts for one bias model and depth, or everybody's radius in one family.

    Attributes
    ----------
    sweep : int
        Position among the sweeps of the plan.
    amount, second : str or None
        The amounts that were filled in; None where there is nothing to fill in, and for a radius.
    depth : int
    model : BiasModel
        With the amounts filled in; for a radius with its ``?``.
    kind : {"verdicts", "radius"}
    """

    sweep: int
    amount: str | None
    second: str | None
    depth: int
    model: BiasModel
    kind: str = "verdicts"


OUTPUT_FILES = {"report": (".html",), "people": tuple(TABLE_FORMS), "groups": tuple(TABLE_FORMS)}
"""Files that an audit may write, each a field of `Outputs` and a key of audit files, and their suffixes."""


@dataclass(frozen=True)
class Outputs:
    """Where things are written; None where they are not wanted. `folder` keeps the cells.

    `columns` are those of the tables that are shown beside groups; by default, in the report alone, what the
    tree sees, without free text.
    """

    folder: Path = Path("audit-results")
    report: Path | None = None
    people: Path | None = None
    groups: Path | None = None
    columns: tuple[str, ...] | None = None
    proofs: bool = False

    @property
    def proof_folder(self) -> Path:
        """Where proof files are written, one for each cell, if they are wanted."""
        return self.folder / "proofs"


@dataclass(frozen=True)
class Plan:
    """A whole audit.

    Attributes
    ----------
    data : Data
    sweeps : tuple of Sweep
    groups : tuple of tuple of str
        Each a list of columns whose intersections are counted; ``(("race",), ("race", "sex"))``.
    depths : tuple of int
    learner : dict
        Settings of scikit-learn's tree besides its depth, by their names there.
    time_limit : float or None
        Seconds for each cell.
    n_jobs : int
        Cells that are computed at the same time; -1 for one a core.
    title, author, date : str
        What the report says above its first line; free text.
    outputs : Outputs
    smallest_group : int
        Groups of fewer people are shown, but not compared.
    require : Require or None
        What must be found for the audit to pass; see `AuditResult.unmet`.
    """

    data: Data
    sweeps: tuple[Sweep, ...]
    groups: tuple[tuple[str, ...], ...] = ()
    depths: tuple[int, ...] = (2,)
    time_limit: float | None = None
    n_jobs: int = 1
    title: str = "Audit"
    author: str = ""
    date: str = ""
    outputs: Outputs = field(default_factory=Outputs)
    learner: Mapping[str, Any] = field(default_factory=dict)
    smallest_group: int = SMALLEST_COMPARED
    require: Require | None = None

    def cells(self) -> list[Cell]:
        """List all cells, sweep by sweep: depths, and within each the amounts in order, the radius last."""
        found = []
        for number, sweep in enumerate(self.sweeps):
            for depth in self.depths:
                found += [Cell(number, a, b, depth, model) for a, b, model in sweep.models()]
                if sweep.radius:
                    found.append(Cell(number, None, None, depth, sweep.model, "radius"))
        return found


def check_plan(plan: Plan) -> None:
    """Check what only a plan made by hand can have wrong."""
    if not plan.cells():
        raise AuditError("An audit needs at least one bias model and one depth; this plan has no cells.")
    for number, sweep in enumerate(plan.sweeps):
        _check_sweep(number, sweep)
    limit = plan.time_limit
    if limit is not None and not (limit > 0 and math.isfinite(limit)):
        raise AuditError(
            f"[audit] time_limit: must be a number of seconds greater than 0; received {limit!r}. Leave it "
            "out for no limit."
        )


def _check_sweep(number: int, sweep: Sweep) -> None:
    if sweep.engine not in ENGINES:
        key, allowed = key_of_bias(number, "engine"), listing(ENGINES)
        raise AuditError(f"{key}: must be one of {allowed}; received {sweep.engine!r}.")
    if bool(sweep.amounts) != sweep.model.has_free_amount:
        raise AuditError(
            f"{key_of_bias(number, 'amounts')}: are needed exactly if the model has a ?; received "
            f"{list(sweep.amounts)!r} for {str(sweep.model)!r}."
        )
    second = sweep.second
    if bool(sweep.second_amounts) != (second is not None) or (second and not second.has_free_amount):
        raise AuditError(
            f"{key_of_bias(number, 'with_amounts')}: fill the ? of with, and one needs the other; received "
            f"{list(sweep.second_amounts)!r} for {None if second is None else str(second)!r}."
        )
    reason = why_no_radius(sweep.model, second, sweep.engine)
    if sweep.radius and reason:
        raise AuditError(f"{key_of_bias(number, 'radius')}: {reason}")
