"""`TreeFamilyDisplay`: the splits that biased tables could lead to, from left to right.

Reads a `TreeFamily`; every level of nodes is a column, every split a box with what it needs.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from everytree.results.certification import NOT_ROBUST, ROBUST, UNKNOWN
from everytree.results.family import Candidate, FamilyNode, TreeFamily, as_asked, rest_text, zero_texts
from everytree.show.plots.style import COLOURS, INK, Display, settings

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.patches import FancyBboxPatch
    from matplotlib.text import Text

COLUMN, BOX, STEP, GAP, TOP = 3.85, 3.42, 0.255, 0.1, 0.42
"""Inches: distance of two levels, width of a box, distance of two boxes and of two nodes, and the legend."""

LETTERS = 48
"""Letters that a box has room for; those of the number are bold and wider."""

SEEN = "seen in a retrained tree"
OPEN = "not excluded"


@dataclass
class _Layout:
    """Where everything goes, in inches from the top left."""

    boxes: dict[int, tuple[float, float]] = field(default_factory=dict)
    headers: dict[int, tuple[float, float]] = field(default_factory=dict)
    rests: dict[int, tuple[float, float]] = field(default_factory=dict)

    def place(self, node: FamilyNode, x: float, y: float) -> float:
        """Place a node and all that is below; give the bottom of it."""
        self.headers[id(node)] = (x, y)
        y = below = y + STEP
        for candidate in node.candidates:
            children = [child for child in (candidate.left, candidate.right) if child is not None]
            y = max(y, below) if children else y
            self.boxes[id(candidate)] = (x, y)
            for child in children:
                below = self.place(child, x + COLUMN, max(y, below)) + GAP
            y += STEP
        if node.beyond is not None:
            self.rests[id(node)] = (x, y)
            y += STEP
        return max(y, below)


class TreeFamilyDisplay(Display):
    """The family of possible trees: at each node the learned split and those that bias could put there.

    Make it with `from_family`. A number is a proof: with fewer wrong records no table has this split there.

    Parameters
    ----------
    family : TreeFamily

    Attributes
    ----------
    boxes_ : list of FancyBboxPatch
        One for each row of `data`.
    splits_, needs_ : list of Text
        What stands in the boxes: the split, and what it needs.
    headers_ : list of Text
        One for each node: the side that leads to it, and its rows.
    """

    def __init__(self, family: TreeFamily) -> None:
        self.family = family
        self.data = family.to_frame()
        self.boxes_: list[FancyBboxPatch] = []
        self.splits_: list[Text] = []
        self.needs_: list[Text] = []
        self.headers_: list[Text] = []

    @classmethod
    def from_family(cls, family: TreeFamily, *, ax: Axes | None = None, **kwargs: Any) -> TreeFamilyDisplay:
        """Draw a family.

        Parameters
        ----------
        family : TreeFamily
            From `everytree.tree_family`.
        ax : Axes, optional
            Where to draw; by default a figure of its own, as large as the family needs.
        **kwargs
            Passed to the boxes, such as ``linewidth=2``.

        Returns
        -------
        TreeFamilyDisplay
        """
        return cls(family).plot(ax=ax, **kwargs)

    def plot(self, ax: Axes | None = None, **kwargs: Any) -> TreeFamilyDisplay:
        """Draw; see `from_family` for the parameters."""
        with settings():
            layout = _Layout()
            bottom = layout.place(self.family.root, 0.02, TOP)
            levels = 1 + int(self.data["depth"].max()) if len(self.data) else 1
            width = COLUMN * max(1, levels - 1) + BOX + 0.04  # the legend needs the room of two levels
            ax = self._axes(ax, height=bottom + 0.05, width=width)
            ax.set_axis_off()
            ax.set_xlim(0, width)
            ax.set_ylim(bottom + 0.05, 0)
            self.boxes_, self.splits_, self.needs_, self.headers_ = [], [], [], []
            for node in self.family.root.walk():
                self._header(ax, node, layout)
                for candidate in node.candidates:
                    self._box(ax, node, candidate, layout, kwargs)
            self._legend(ax)
        return self

    def _header(self, ax: Axes, node: FamilyNode, layout: _Layout) -> None:
        x, y = layout.headers[id(node)]
        rows = "1 row" if node.rows == 1 else f"{node.rows:,} rows"
        text = f"{_short(as_asked(node.path[-1]), LETTERS - 12) if node.path else 'all'} · {rows}"
        self.headers_.append(self._write(ax, x, y, text, fontsize=8.5, alpha=0.75))
        if id(node) in layout.rests:
            x, y = layout.rests[id(node)]
            said = rest_text(node, self.family.max_amount)
            self._write(ax, x + 0.08, y, said, fontsize=8, alpha=0.7, style="italic")

    def _write(self, ax: Axes, x: float, y: float, text: str, **look: Any) -> Text:
        written = ax.text(x, y + STEP / 2, text, va="center", **look)
        written.set_in_layout(False)
        return written

    def _box(
        self, ax: Axes, node: FamilyNode, candidate: Candidate, layout: _Layout, kwargs: dict[str, Any]
    ) -> None:
        from matplotlib.patches import FancyBboxPatch

        x, y = layout.boxes[id(candidate)]
        colour = COLOURS[ROBUST if candidate.learned else UNKNOWN if candidate.seen is None else NOT_ROBUST]
        face = colour if candidate.learned else "none"
        look: dict[str, Any] = {"facecolor": face, "edgecolor": colour, "linewidth": 1.2, **kwargs}
        style = "round,pad=0,rounding_size=0.05"
        box = FancyBboxPatch((x, y + 0.02), BOX, STEP - 0.04, boxstyle=style, **look)
        ax.add_patch(box)
        self.boxes_.append(box)
        ink = "white" if candidate.learned else INK
        badge = _badge(candidate, node, self.family)
        text = _short(as_asked(candidate.text), LETTERS - round(1.3 * len(badge)))
        self.splits_.append(self._write(ax, x + 0.08, y, text, fontsize=8.5, color=ink))
        bold: dict[str, Any] = {"fontsize": 8.5, "fontweight": "bold", "ha": "right"}
        self.needs_.append(self._write(ax, x + BOX - 0.08, y, badge, color=ink, **bold))
        strength: dict[str, Any] = {"linewidth": 1.8} if candidate.learned else {"linewidth": 0.9}
        for child in (candidate.left, candidate.right):
            if child is not None:
                to_x, to_y = layout.headers[id(child)]
                turn, middle, end = x + (BOX + COLUMN) / 2, y + STEP / 2, to_y + STEP / 2
                ways = [x + BOX, turn, turn, to_x - 0.04], [middle, middle, end, end]
                ax.plot(*ways, color=colour, solid_joinstyle="round", zorder=0, **strength)

    def _legend(self, ax: Axes) -> None:
        from matplotlib.patches import Patch

        each = " of each kind" if len(self.family.bias.components) > 1 else ""
        handles = [Patch(facecolor=COLOURS[ROBUST], edgecolor=COLOURS[ROBUST], label="learned")]
        if self.data["seen"].notna().any():
            handles.append(Patch(facecolor="none", edgecolor=COLOURS[NOT_ROBUST], label=SEEN))
        handles.append(Patch(facecolor="none", edgecolor=COLOURS[UNKNOWN], label=OPEN))
        ax.legend(
            handles=handles,
            loc="upper left",
            ncols=3,
            bbox_to_anchor=(0, 1),
            borderaxespad=0,
            handlelength=1.4,
            title=f"records{each} that must be wrong for each split: {_short(str(self.family.bias), 60)}",
            alignment="left",
        )

    @property
    def description(self) -> str:
        """The splits of the root in words."""
        root = self.family.root
        parts = [
            f"{as_asked(candidate.text)}: {_badge(candidate, root, self.family)}"
            for candidate in root.candidates
        ]
        rest = rest_text(root, self.family.max_amount)
        said = "; ".join([*parts, rest] if rest else parts)
        return f"Splits that may be chosen at the root under {self.family.bias}. {said}."


def _badge(candidate: Candidate, node: FamilyNode, family: TreeFamily) -> str:
    """What a split needs, as short as can be."""
    if candidate.learned:
        return "learned"
    if candidate.needs == 0:
        return zero_texts(family.bias)[1]
    if candidate.needs == candidate.seen:
        return f"{candidate.needs}"
    known = "no more" if candidate.needs == node.needs else f"≥ {candidate.needs}"
    return known if candidate.seen is None else f"{known}, ≤ {candidate.seen}"


def _short(text: str, letters: int) -> str:
    return text if len(text) <= letters else text[: letters - 1] + "…"
