"""The look of all pictures: one palette, settings that stay local, and the way to SVG.

The lowest file of the room; it knows matplotlib and nothing about trees.
"""

from __future__ import annotations

import hashlib
import html
import io
import re
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any

from everytree.results.certification import NOT_ROBUST, ROBUST, UNKNOWN

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLOURS = {ROBUST: "#1878b0", NOT_ROBUST: "#c25400", UNKNOWN: "#9aa0a8"}
"""Colours of the verdicts. People who see fewer colours can tell them apart."""

HATCHES = {ROBUST: "", NOT_ROBUST: "////", UNKNOWN: "xx"}
"""A second sign for each verdict, for greyscale."""

LINES = ("#1878b0", "#d55e00", "#009e73", "#c2649a", "#e69f00", "#56b4e9", "#7d6bc4", "#9aa0a8")
"""Colours of groups, in order."""

MARKERS = ("o", "s", "^", "D", "v", "P", "X", "h")
"""A second sign for each group."""

INK = "#22272e"
"""Text and lines. In SVG without a background it becomes the colour of the text around the picture."""

WIDTH = 7.2
"""Inches. A picture of a report is about 700 pixels wide."""

SETTINGS: dict[str, Any] = {
    "axes.edgecolor": INK,
    "axes.facecolor": "none",
    "axes.labelcolor": INK,
    "axes.labelsize": 9.5,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlesize": 10.5,
    "axes.unicode_minus": False,
    "figure.facecolor": "white",
    "font.family": "sans-serif",
    "font.size": 9.5,
    "hatch.linewidth": 0.8,
    "legend.fontsize": 9,
    "legend.frameon": False,
    "lines.markersize": 5,
    "svg.fonttype": "none",
    "svg.hashsalt": "everytree",
    "text.color": INK,
    "text.parse_math": False,
    "xtick.color": INK,
    "xtick.labelsize": 9,
    "ytick.color": INK,
    "ytick.labelsize": 9,
}


def settings() -> AbstractContextManager[None]:
    """Give the settings of all pictures as a context; those of the caller are untouched."""
    import matplotlib as mpl

    return mpl.rc_context(SETTINGS)  # type: ignore[arg-type]


class Display:
    """What all displays have: the data, the axes, and ways to show and keep the picture.

    Without an `ax` the figure is made by hand and not by pyplot: pyplot keeps every figure that it makes
    until it is closed, so a report with forty pictures would fill the memory, and a notebook would show
    them twice. A display shows itself in a notebook; in a script use `figure_.savefig`, or pass axes of your
    own.

    Attributes
    ----------
    data : DataFrame
        The numbers that are drawn.
    description : str
        The picture in words, for people who cannot see it.
    ax_ : Axes
    figure_ : Figure
    """

    data: pd.DataFrame
    ax_: Axes
    figure_: Figure

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self.description}>"

    @property
    def description(self) -> str:
        """The picture in one or two sentences."""
        raise NotImplementedError

    def to_svg(self, *, background: str | None = None) -> str:
        """Write the picture as one SVG element, with its text as text.

        Parameters
        ----------
        background : str, optional
            A colour. Without one the picture is transparent, takes the font and the colour of the text
            around it, and so fits light and dark pages alike.
        """
        target = io.StringIO()
        with settings():
            self.figure_.savefig(
                target,
                format="svg",
                bbox_inches="tight",
                pad_inches=0.05,
                transparent=background is None,
                facecolor=background or "none",
                metadata={"Date": None, "Creator": None},
            )
        return _embeddable(target.getvalue(), self.description, background is None)

    def _repr_png_(self) -> bytes | None:
        """Show the figure in a notebook, unless pyplot owns it and shows it anyway."""
        if hasattr(self.figure_, "number"):
            return None
        target = io.BytesIO()
        with settings():
            self.figure_.savefig(target, format="png", dpi=110, bbox_inches="tight")
        return target.getvalue()

    def _axes(self, ax: Axes | None, height: float, width: float = WIDTH) -> Axes:
        """Take the caller's axes, or make a figure of this size that pyplot does not know."""
        if ax is None:
            from matplotlib.figure import Figure

            figure = Figure(figsize=(width, height), layout="constrained")
            ax = figure.add_subplot()
        self.ax_, self.figure_ = ax, ax.figure.figure
        return ax


def percent(share: float) -> str:
    """Write a share as a whole percentage; one that is neither none nor all never looks like it."""
    if 0 < share < 0.005:
        return "<1%"
    if 0.995 <= share < 1:
        return ">99%"
    return f"{share:.0%}"


def _embeddable(svg: str, description: str, inherits: bool) -> str:
    """Make an SVG file one element that can stand in a page next to others."""
    svg = svg[svg.index("<svg") :]
    svg = re.sub(r"\s*<metadata>.*?</metadata>", "", svg, flags=re.DOTALL)
    mark = "e" + hashlib.sha256(svg.encode()).hexdigest()[:8]
    svg = re.sub(r'\bid="', f'id="{mark}-', svg)
    svg = re.sub(r'href="#', f'href="#{mark}-', svg)
    svg = svg.replace("url(#", f"url(#{mark}-")
    svg = re.sub(r"font: ([^;\"]*?)([\d.]+px) [^;\"]*", _font, svg)  # older matplotlib, in one property
    svg = re.sub(r"font-family: [^;\"]*;? ?", "", svg)
    svg = re.sub(r"<style.*?</style>", "", svg, flags=re.DOTALL)  # it would style the page, too
    svg = re.sub(r"<[^>]+>", lambda tag: re.sub(r"(\d\.\d{3})\d+", r"\1", tag[0]), svg)
    if inherits:
        svg = svg.replace(INK, "currentColor")
    says = html.escape(description, quote=True)
    family = "" if inherits else ' font-family="sans-serif"'
    lines = 'stroke-linejoin="round" stroke-linecap="butt"'
    fits = 'style="max-width: 100%; height: auto; overflow: visible"'
    opening = f'<svg role="img" aria-label="{says}"{family} {lines} {fits} '
    return opening + svg[len("<svg ") :].strip() + "\n"


def _font(found: re.Match[str]) -> str:
    """Keep size and weight of a text, and leave its family to the page."""
    weight = "font-weight: bold; " if re.search(r"bold|[6-9]00", found[1]) else ""
    return f"{weight}font-size: {found[2]}"
