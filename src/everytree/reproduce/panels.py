"""The panels of the paper's demographic figures: which experiment each is, and the numbers stated for it.

Beside `cells`, which does the same for the tables. The paper prints curves without their numbers; what its
text states about them lies in ``paper_figures.csv``, and the rates of everybody are those of its tables.
"""

from __future__ import annotations

import csv
from dataclasses import dataclass
from decimal import Decimal
from importlib.resources import files
from typing import TYPE_CHECKING

from everytree.bias import parse
from everytree.errors import EverytreeError
from everytree.reproduce.cells import paper_cells
from everytree.reproduce.sources import EVERYONE
from everytree.support.text import listing, nearest

if TYPE_CHECKING:
    from collections.abc import Sequence

    from everytree.bias import BiasModel
    from everytree.reproduce.sources import Source

__all__ = ["FIGURES", "Panel", "Stated", "paper_panels", "stated_shares"]

FIGURES = ("demographics", "appendix")
"""The figure of the section "Demographic variations", and the one in the appendix."""

AMOUNTS = ("0.05", "0.1", "0.2", "0.4", "0.7", "1", "1.1")
"""Amounts of the paper's tables, and the right end of its figures."""


@dataclass(frozen=True)
class Panel:
    """One panel: a data set, a depth and a kind of bias with growing amounts.

    Attributes
    ----------
    name : str
        Short name, also of the picture.
    figure : {"demographics", "appendix"}
    letter : str
        Its letter in the figure's caption.
    title : str
    dataset : str
    depth : int
    kind : {"flip", "miss"}
    target : {None, "paper", "White negative"}
        Whom the bias affects: everybody, the group of the paper's tables, or White people with a negative
        label.
    further : tuple of str
        Amounts beyond `AMOUNTS`: those of which the paper's text speaks, and where groups come apart.
    """

    name: str
    figure: str
    letter: str
    title: str
    dataset: str
    depth: int
    kind: str
    target: str | None = None
    further: tuple[str, ...] = ()

    @property
    def amounts(self) -> list[Decimal]:
        """Amounts in percent of the training rows, ascending."""
        return sorted(map(Decimal, (*AMOUNTS, *self.further)))

    def where(self, source: Source) -> str | None:
        """Give the condition of the bias model on a table."""
        if self.target == "White negative":
            return f"{source.groups['White']} and label == 0"
        return source.target if self.target == "paper" else None

    def model(self, source: Source, amount: str) -> BiasModel:
        """Give the bias model for an amount such as ``0.4%`` or ``19``."""
        where = self.where(source)
        return parse(f"{self.kind}({amount}, where {where})" if where else f"{self.kind}({amount})")


@dataclass(frozen=True)
class Stated:
    """A certified share in percent that the paper states, and whether it says "about"."""

    percent: float
    about: bool = False

    def __str__(self) -> str:
        return f"~{self.percent:.0f}" if self.about else f"{self.percent:.1f}"


_PANELS = (
    Panel(
        "compas-flip",
        "demographics",
        "a",
        "COMPAS, flip",
        "compas",
        1,
        "flip",
        None,
        ("0.5", "2", "2.5", "3"),
    ),
    Panel(
        "compas-black-positive",
        "demographics",
        "b",
        "COMPAS, flip of Black people with a positive label",
        "compas",
        1,
        "flip",
        "paper",
        ("4.3", "10.8"),
    ),
    Panel(
        "compas-white-negative",
        "demographics",
        "c",
        "COMPAS, flip of White people with a negative label",
        "compas",
        1,
        "flip",
        "White negative",
        ("10.8",),
    ),
    Panel("adult-flip", "demographics", "d", "Adult, flip", "adult", 2, "flip"),
    Panel("drug-flip", "appendix", "a", "Drug Consumption, flip", "drug", 1, "flip", None, ("0.5",)),
    Panel("compas-miss", "appendix", "b", "COMPAS, miss", "compas", 1, "miss"),
    Panel(
        "adult-female-negative",
        "appendix",
        "c",
        "Adult, flip of women with a negative label",
        "adult",
        2,
        "flip",
        "paper",
    ),
    Panel("adult-miss", "appendix", "d", "Adult, miss", "adult", 2, "miss"),
)


def paper_panels(figure: str = "all", datasets: Sequence[str] = ()) -> list[Panel]:
    """List panels of the paper's demographic figures.

    Parameters
    ----------
    figure : {"all", "demographics", "appendix"}
        Which figure.
    datasets : sequence of str
        Only these data sets; by default all.

    Raises
    ------
    EverytreeError
        If the paper has no such figure or data set, or no such panel.
    """
    if figure not in ("all", *FIGURES):
        raise EverytreeError(f"figure must be one of {listing(('all', *FIGURES))}; received {figure!r}.")
    chosen = [panel for panel in _PANELS if figure in ("all", panel.figure)]
    known = sorted({panel.dataset for panel in chosen})
    for name in datasets:
        if name not in known:
            raise EverytreeError(
                f"The paper has no demographic panel of the data set {name!r} here.{nearest(name, known)} "
                f"It has {listing(known)}."
            )
    return [panel for panel in chosen if not datasets or panel.dataset in datasets]


def stated_shares(panel: Panel) -> dict[tuple[Decimal, str], Stated]:
    """Read what the paper states for a panel, by amount in percent and group."""
    text = (files("everytree.reproduce") / "paper_figures.csv").read_text(encoding="utf-8")
    stated = {
        (Decimal(row["percent"]), row["group"]): Stated(
            float(row["certified_percent"]), row["about"] == "yes"
        )
        for row in csv.DictReader(text.splitlines())
        if row["panel"] == panel.name
    }
    if panel.target == "White negative":
        return stated
    for cell in paper_cells("all", [panel.dataset]):
        same = (cell.bias, cell.targeted, cell.depth) == (panel.kind, panel.target is not None, panel.depth)
        if same and cell.paper is not None:
            stated[cell.percent, EVERYONE] = Stated(cell.paper)
    return stated
