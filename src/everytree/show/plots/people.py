"""Groups of people as a picture names them: one text for each person, and an order.

Used by every display that compares groups.
"""

from __future__ import annotations

import textwrap
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from everytree.audit.shown import title_of
from everytree.results.ranges import EVERYBODY
from everytree.table.groups import group_frame, group_members

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class People:
    """Who belongs where.

    Attributes
    ----------
    of_person : array of str
        The name of each person's group.
    sizes : dict
        Name of each group to its number of people, in the order in which they are shown.
    title : str
        What the groups are: the names of the columns, and whether they are bands of them.
    """

    of_person: NDArray[np.object_]
    sizes: dict[str, int]
    title: str

    def joined(self, most: int) -> tuple[People, list[str]]:
        """Join the smallest groups so that at most `most` are left, and say which were joined."""
        if len(self.sizes) <= most:
            return self, []
        by_size = sorted(self.sizes, key=lambda name: -self.sizes[name])
        small = set(by_size[most - 1 :])
        together = f"{len(small)} smallest groups together"
        of_person = np.array([together if name in small else name for name in self.of_person], object)
        sizes = {name: n for name, n in self.sizes.items() if name not in small}
        sizes[together] = sum(self.sizes[name] for name in small)
        return People(of_person, sizes, self.title), [name for name in self.sizes if name in small]


def people_of(sensitive_features: object, frame: pd.DataFrame) -> People:
    """Name everybody's group; the order is that of the tables by group."""
    if sensitive_features is None:
        return People(np.full(len(frame), EVERYBODY, object), {EVERYBODY: len(frame)}, "")
    groups = group_frame(sensitive_features, frame)
    of_person = np.empty(len(frame), object)
    sizes: dict[str, int] = {}
    for key, members in group_members(groups).items():
        name = ", ".join(map(_word, key))
        if name in sizes or name == EVERYBODY:
            name = ", ".join(map(repr, key))  # 1 and "1" are two groups
        of_person[members] = name
        sizes[name] = len(members)
    return People(of_person, sizes, title_of(tuple(map(str, groups.columns)), frame))


def _word(value: Any) -> str:
    return str(value).removesuffix(".0") if isinstance(value, float) else str(value)


def sized(name: str, n: int, width: int = 32) -> str:
    """A group as a picture names it: its name, cut off where two lines do not hold it, and its size."""
    space = "\N{NO-BREAK SPACE}"
    size = f"(n{space}={space}{n:,})"
    lines = textwrap.wrap(f"{name} {size}", width)
    if len(lines) > 2:
        first, *rest = textwrap.wrap(name, width)
        room = width - len(size) - 2
        lines = [first, f"{' '.join(rest)[:room].rstrip()}\N{HORIZONTAL ELLIPSIS} {size}"]
    return "\n".join(lines).replace(space, " ")


def row_places(n_groups: int) -> NDArray[np.float64]:
    """Heights of the rows of a picture; the last one, everybody, stands apart."""
    places = np.arange(n_groups, dtype=float)
    if n_groups > 1:
        places[-1] += 0.35
    return places


def name_rows(ax: Axes, places: NDArray[np.float64], labels: list[str], title: str) -> None:
    """Write the groups at the left of the rows, and above them what they are."""
    ax.set_yticks(places, labels)
    ax.tick_params(axis="y", length=0)
    ax.set_ylim(places[-1] + 0.6, -0.6)
    ax.spines["left"].set_visible(False)
    above = {"xytext": (-5, 6), "textcoords": "offset points", "ha": "right", "fontweight": "bold"}
    ax.annotate(title, (0, 1), xycoords="axes fraction", **above)  # type: ignore[arg-type]
