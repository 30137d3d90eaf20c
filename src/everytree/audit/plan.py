"""What an audit asks: the tables, the groups, and the cells, one for each bias model, amount and depth.

Made by `everytree.audit.config` from a file, or by hand; everything else in the room reads it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from everytree.bias import BiasModel

__all__ = ["Cell", "Data", "Outputs", "Plan", "Sweep"]


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


@dataclass(frozen=True)
class Outputs:
    """Where things are written; None where they are not wanted. `folder` keeps the cells."""

    folder: Path = Path("audit-results")
    report: Path | None = None
    people: Path | None = None
    groups: Path | None = None


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
    time_limit : float or None
        Seconds for each cell.
    n_jobs : int
        Cells that are computed at the same time; -1 for one a core.
    title, author, date : str
        What the report says above its first line; free text.
    outputs : Outputs
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

    def cells(self) -> list[Cell]:
        """List all cells, sweep by sweep: depths, and within each the amounts in order, the radius last."""
        found = []
        for number, sweep in enumerate(self.sweeps):
            for depth in self.depths:
                found += [Cell(number, a, b, depth, model) for a, b, model in sweep.models()]
                if sweep.radius:
                    found.append(Cell(number, None, None, depth, sweep.model, "radius"))
        return found
