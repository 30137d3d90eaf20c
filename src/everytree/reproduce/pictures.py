"""Pictures of the panels: the paper's method on the left, everybody decided on the right."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING

from everytree.show.plots.style import LINES, MARKERS, settings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from everytree.reproduce.figures import Point, Share

__all__ = ["draw_panel"]

AXIS_ENDS = Decimal("1.1")
"""The right end of the paper's figures; larger amounts are in the tables only."""


def draw_panel(points: Sequence[Point], *, on_paper_tables: bool) -> Figure:
    """Draw a panel.

    Parameters
    ----------
    points : sequence of Point
        All amounts of one panel.
    on_paper_tables : bool
        Whether they were computed on the paper's own tables. Only then its numbers are drawn beside ours.

    Returns
    -------
    Figure
        Dashed on the left: certified by the paper's method, with crosses for what the paper states. On the
        right: proved robust, and a band up to the share that is not refuted, so that its height is what is
        unknown.
    """
    from matplotlib.figure import Figure

    shown = [point for point in points if point.percent <= AXIS_ENDS]
    with settings():
        figure = Figure(figsize=(7.2, 3.4), layout="constrained")
        method, decided = figure.subplots(1, 2, sharey=True)
        curves = _drawn([list(of_group) for of_group in zip(*(point.shares for point in shown), strict=True)])
        amounts = [float(point.percent) for point in shown]
        for place, shares in enumerate(curves):
            colour, marker = LINES[place % len(LINES)], MARKERS[place % len(MARKERS)]
            _draw_method(method, amounts, shares, colour, marker)
            if on_paper_tables:
                _draw_stated(method, amounts, shares)
            _draw_decided(decided, amounts, shares, colour, marker)
        crosses = " (× as the paper states)" if len(method.lines) > len(decided.lines) else ""
        everyone = all(share.unknown == 0 for shares in curves for share in shares)
        reached = "Everyone decided" if everyone else "Proved (shaded: unknown)"
        for ax, title in ((method, f"The paper's method{crosses}"), (decided, reached)):
            ax.set(xlim=(0, 1.15), ylim=(-2, 102), title=title, xlabel="bias, % of the training records")
        method.set_ylabel("proved robust, % of the group")
        table = "" if on_paper_tables else ", bundled table"
        figure.suptitle(f"{points[0].panel.title}, depth {points[0].panel.depth}{table}", fontsize=11)
        figure.legend(*decided.get_legend_handles_labels(), loc="outside lower center", ncols=4)
    return figure


def _drawn(curves: Sequence[list[Share]]) -> list[list[Share]]:
    """Keep the smallest groups: those of the paper's figures."""
    by_sex = [shares for shares in curves if shares[0].group.lower().endswith("men")]
    return by_sex or list(curves)


def _draw_method(ax: Axes, amounts: list[float], shares: list[Share], colour: str, marker: str) -> None:
    known = [(a, s.interval) for a, s in zip(amounts, shares, strict=True) if s.interval is not None]
    ax.plot(*zip(*known, strict=True) if known else ([], []), "--", color=colour, marker=marker)


def _draw_stated(ax: Axes, amounts: list[float], shares: list[Share]) -> None:
    for amount, share in zip(amounts, shares, strict=True):
        if share.paper is not None and not share.paper.about:
            ax.plot(amount, share.paper.percent, "x", color="black", markersize=9, zorder=5)


def _draw_decided(ax: Axes, amounts: list[float], shares: list[Share], colour: str, marker: str) -> None:
    robust = [share.robust for share in shares]
    name = f"{shares[0].group} ({shares[0].people})"
    ax.plot(amounts, robust, "-", color=colour, marker=marker, label=name)
    ax.fill_between(amounts, robust, [100 - share.not_robust for share in shares], color=colour, alpha=0.25)
