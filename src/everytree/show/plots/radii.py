"""`RadiusDisplay`: how much bias the predictions of each group can stand.

One bubble for each amount at which predictions give way; its area says for how many people of the group.
"""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from everytree.results.certification import ROBUST, UNKNOWN
from everytree.results.ranges import EVERYBODY
from everytree.show.plots.people import name_rows, people_of, row_places, sized
from everytree.show.plots.shares import UNITS, WIDEST_LABEL, unit_of
from everytree.show.plots.style import COLOURS, INK, Display, settings

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import LineCollection, PathCollection
    from numpy.typing import NDArray

    from everytree.results.radii import RadiusResult

LARGEST_AREA = 420.0
"""Points squared: the bubble of a whole group."""

EXACT, BETWEEN, AT_LEAST = "exact", "between", "at least"
"""What is known of a radius."""


class RadiusDisplay(Display):
    """Distribution of the radius in each group.

    Make it with `from_result`. A blue bubble is an exact radius. A grey bubble stands at the largest amount
    that is proved, where the radius may be larger: up to the end of its line, or without a known end (an
    arrow). A bar marks the median of what is proved.

    Parameters
    ----------
    data : DataFrame
        One row for each group, `lower` and `upper`, with the number of `people`, their `share` of the group,
        the size `n` of the group, and what is `known`.
    title : str
        What the groups are.
    max_amount : int
        No larger amount was looked at.
    unit : str
        What the amounts count: records, or the value of ``?`` in a family of several components.

    Attributes
    ----------
    bubbles_ : dict
        Kind of knowledge ("exact", ...) to the bubbles drawn for it.
    medians_ : LineCollection
    """

    def __init__(self, data: pd.DataFrame, *, title: str, max_amount: int, unit: str = UNITS["rows"]) -> None:
        self.data, self.title, self.max_amount, self.unit = data, title, max_amount, unit
        self.bubbles_: dict[str, PathCollection] = {}
        self.medians_: LineCollection

    @classmethod
    def from_result(
        cls,
        result: RadiusResult,
        sensitive_features: object = None,
        *,
        ax: Axes | None = None,
        **kwargs: Any,
    ) -> RadiusDisplay:
        """Draw the radii of one result.

        Parameters
        ----------
        result : RadiusResult
        sensitive_features : str, list of str, Series, DataFrame, dict or array, optional
            As in `CertificationResult.by_group`.
        ax : Axes, optional
            Where to draw; by default a figure of its own, as tall as the groups need.
        **kwargs
            Passed to the bubbles, such as ``alpha=0.5``.

        Returns
        -------
        RadiusDisplay
        """
        people = people_of(sensitive_features, result.frame)
        known = np.where(result.exact, EXACT, np.where(np.isfinite(result.upper), BETWEEN, AT_LEAST))
        each = pd.DataFrame(
            {"group": people.of_person, "lower": result.lower, "upper": result.upper, "known": known}
        )
        if sensitive_features is not None:
            each = pd.concat([each, each.assign(group=EVERYBODY)])
        data = each.value_counts(sort=False).rename("people").reset_index()
        sizes = {**people.sizes, EVERYBODY: len(result)}
        data["n"] = data["group"].map(sizes)
        data["share"] = data["people"] / data["n"]
        rank = {name: place for place, name in enumerate(sizes)}
        data = data.sort_values(
            ["group", "lower", "upper"], key=lambda c: c.map(rank) if c.name == "group" else c
        )
        columns = ["group", "n", "lower", "upper", "known", "people", "share"]
        display = cls(
            data[columns].reset_index(drop=True),
            title=people.title,
            max_amount=result.max_amount,
            unit=unit_of(result.family),
        )
        return display.plot(ax=ax, **kwargs)

    def plot(self, ax: Axes | None = None, **kwargs: Any) -> RadiusDisplay:
        """Draw; see `from_result` for the parameters."""
        from matplotlib.collections import LineCollection

        with settings():
            sizes = self.data.groupby("group", sort=False)["n"].first()
            ax = self._axes(ax, height=1.35 + 0.42 * len(sizes))
            heights = row_places(len(sizes))
            for place in heights:
                ax.axhline(place, color=INK, alpha=0.12, linewidth=0.8, zorder=0)
            places = self._places(dict(zip(sizes.index, heights, strict=True)))
            self._whiskers(ax, places)
            self.bubbles_ = {}
            for known in (EXACT, BETWEEN, AT_LEAST):
                chosen = (self.data["known"] == known).to_numpy()
                if chosen.any():
                    self.bubbles_[known] = self._bubbles(ax, chosen, places, known, kwargs)
            medians = zip(map(self._median, sizes.index), heights, strict=True)
            segments = [[(m, y - 0.33), (m, y + 0.33)] for m, y in medians]
            self.medians_ = LineCollection(segments, colors=INK, linewidths=2.2)
            ax.add_collection(self.medians_)
            name_rows(ax, heights, [sized(str(name), int(n)) for name, n in sizes.items()], self.title)
            self._amounts(ax)
            self._legend(ax)
        return self

    def _places(self, heights: dict[Any, float]) -> NDArray[np.float64]:
        """Height of every bubble; those of one amount hang below each other."""
        hanging = self.data.groupby(["group", "lower"]).cumcount().to_numpy()
        return np.asarray([heights[name] for name in self.data["group"]] + 0.2 * hanging)

    def _amounts(self, ax: Axes) -> None:
        from matplotlib.ticker import MaxNLocator

        ax.margins(x=0.05)
        if self.unit == UNITS["rows"]:
            says = "records that may be wrong while the prediction holds"
        else:
            says = f"largest value of {self.unit} for which the prediction holds"
        ax.set_xlabel(textwrap.fill(f"radius: {says}", WIDEST_LABEL))
        ax.xaxis.set_major_locator(MaxNLocator(8, steps=[1, 2, 5, 10], integer=True))
        if (self.data["lower"] < 0).any():  # not even proved for the amount 0
            left, right = ax.get_xlim()
            ticks = [-1, *(int(tick) for tick in ax.get_xticks() if 0 < tick < right)]
            ax.set_xticks(ticks, ["none", *map(str, ticks[1:])])
            ax.set_xlim(left, right)

    def _median(self, group: str) -> float:
        rows = self.data[self.data["group"] == group]
        return float(np.median(np.repeat(rows["lower"].to_numpy(), rows["people"].to_numpy())))

    def _bubbles(
        self,
        ax: Axes,
        chosen: NDArray[np.bool_],
        places: NDArray[np.float64],
        known: str,
        kwargs: dict[str, Any],
    ) -> PathCollection:
        rows = self.data[chosen]
        area = np.maximum(LARGEST_AREA * rows["share"].to_numpy(), 6.0)
        colour = COLOURS[ROBUST if known == EXACT else UNKNOWN]
        look = {"color": colour, "alpha": 0.8 if known == EXACT else 1, "linewidths": 0, **kwargs}
        return ax.scatter(rows["lower"], places[chosen], s=area, label=known, zorder=2, **look)

    def _whiskers(self, ax: Axes, places: NDArray[np.float64]) -> None:
        """Draw how much larger a radius may be than what is proved: a line, or an arrow without end."""
        length = max(1.0, 0.06 * float(self.data["lower"].max()))
        look: dict[str, Any] = {"color": COLOURS[UNKNOWN], "linewidth": 1.4, "zorder": 1}
        for y, row in zip(places, self.data.to_dict("records"), strict=True):
            start = row["lower"]
            if row["known"] == BETWEEN:
                ax.plot([start, row["upper"] - 1], [y, y], marker="|", markevery=[1], **look)
            elif row["known"] == AT_LEAST:
                ax.plot([start, start + length], [y, y], marker=">", markevery=[1], **look)

    def _legend(self, ax: Axes) -> None:
        from matplotlib.lines import Line2D

        signs: dict[str, dict[str, Any]] = {
            EXACT: {"marker": "o", "linestyle": ""},
            BETWEEN: {"marker": "o", "linestyle": "-", "linewidth": 1.4},
            AT_LEAST: {"marker": ">", "linestyle": ""},
        }
        handles = [
            Line2D(
                [],
                [],
                label=known,
                color=COLOURS[ROBUST if known == EXACT else UNKNOWN],
                markersize=8,
                **sign,
            )
            for known, sign in signs.items()
            if known in self.bubbles_
        ]
        bar: dict[str, Any] = {"marker": "|", "linestyle": "", "markersize": 10, "markeredgewidth": 2.2}
        handles.append(Line2D([], [], color=INK, label="median proved", **bar))
        ax.legend(
            handles=handles,
            title="area: share of the group",
            loc="lower right",
            bbox_to_anchor=(1, 1.0),
            ncols=len(handles),
            alignment="right",
            borderaxespad=0.3,
            columnspacing=1.4,
        )

    @property
    def description(self) -> str:
        """The medians of the groups in words."""
        groups = list(dict.fromkeys(self.data["group"]))
        parts = [f"{name}: {self._median(name):g}" for name in groups]
        everybody = self.data[self.data["group"] == groups[-1]]
        unsure = int(everybody.loc[everybody["known"] != EXACT, "people"].sum())
        said = f" For {unsure} people only bounds are known." if unsure else ""
        what = "number of records" if self.unit == UNITS["rows"] else f"value of {self.unit}"
        return f"Radius by group. Median {what} proved: {'; '.join(parts)}.{said}"
