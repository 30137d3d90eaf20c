"""The cells of the paper's tables: which experiment each is, and the number that the paper prints."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from decimal import Decimal
from importlib.resources import files
from typing import TYPE_CHECKING

from everytree.bias import parse
from everytree.errors import EverytreeError
from everytree.support.text import listing, nearest

if TYPE_CHECKING:
    from collections.abc import Sequence

    from everytree.bias import BiasModel

__all__ = ["TABLES", "Cell", "paper_cells"]

TABLES = ("rates", "depth")
"""Certification rates by bias model, and by depth of the tree."""


@dataclass(frozen=True)
class Cell:
    """One number of the paper.

    Attributes
    ----------
    table : {"rates", "depth"}
    dataset : str
    depth : int
    bias : str
        Kinds of bias joined by a plus sign, as in ``miss+fake``.
    targeted : bool
        Whether only one group of people may be affected.
    percent : Decimal
        Amount of all kinds together, in percent of the training rows.
    records : int
        The same for each kind, in rows of the paper's training table.
    paper : float or None
        Percent of the test people that the paper certifies; None where its program ran out of memory.
    """

    table: str
    dataset: str
    depth: int
    bias: str
    targeted: bool
    percent: Decimal
    records: int
    paper: float | None

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of bias, each of which gets an equal part of the amount."""
        return tuple(self.bias.split("+"))

    @property
    def bias_name(self) -> str:
        """The kinds of bias as a reader sees them."""
        return " + ".join(self.kinds) + (", targeted" if self.targeted else "")

    def model(self, where: str | None, records: int | None = None) -> BiasModel:
        """Give the bias model, in percent or, for a closer look, in another number of records."""
        amount = f"{self.percent / len(self.kinds)}%" if records is None else str(records)
        condition = f", where {where}" if self.targeted and where else ""
        return parse(" + ".join(f"{kind}({amount}{condition})" for kind in self.kinds))


def paper_cells(table: str = "all", datasets: Sequence[str] = ()) -> list[Cell]:
    """Read the paper's numbers.

    Parameters
    ----------
    table : {"all", "rates", "depth"}
        Which table.
    datasets : sequence of str
        Only these data sets; by default all.

    Returns
    -------
    list of Cell
        In the order of the paper.

    Raises
    ------
    EverytreeError
        If the paper has no such table or data set.
    """
    if table not in ("all", *TABLES):
        raise EverytreeError(f"table must be one of {listing(('all', *TABLES))}; received {table!r}.")
    text = (files("everytree.reproduce") / "paper_tables.csv").read_text(encoding="utf-8")
    cells = [_read_cell(row) for row in csv.DictReader(text.splitlines())]
    known = sorted({cell.dataset for cell in cells})
    for name in datasets:
        if name not in known:
            raise EverytreeError(
                f"The paper has no data set {name!r}.{nearest(name, known)} It has {listing(known)}."
            )
    return [
        cell for cell in cells if table in ("all", cell.table) and (not datasets or cell.dataset in datasets)
    ]


def _read_cell(row: dict[str, str]) -> Cell:
    printed = row["certified_percent"]
    return Cell(
        table=row["table"],
        dataset=row["dataset"],
        depth=int(row["depth"]),
        bias=row["bias"],
        targeted=row["targeted"] == "yes",
        percent=Decimal(row["percent"]),
        records=int(row["records_of_each_kind"]),
        paper=float(printed) if printed else None,
    )
