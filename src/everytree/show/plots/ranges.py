"""`MetricRangesDisplay`: between which values metrics lie, by group: as it is, seen, and never passed."""

from __future__ import annotations

from collections.abc import Mapping
from textwrap import wrap
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from everytree.errors import EverytreeError
from everytree.results.certification import UNKNOWN
from everytree.results.ranges import BETWEEN, EVERYBODY, MetricRanges
from everytree.show.plots.style import COLOURS, INK, LINES, MARKERS, Display, settings

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["MetricRangesDisplay"]

COLUMNS = ("estimate", "low", "high", "attained_low", "attained_high")

MOST_GROUPS = len(LINES)
"""More groups than there are colours are not told apart."""


class MetricRangesDisplay(Display):
    """Ranges of metrics as bars, one colour a group.

    The pale bar is what no table of the bias model passes, the full bar what retrained trees reach, the mark
    the value as things are. Make it with `from_ranges` or `from_amounts`.

    Parameters
    ----------
    data : DataFrame
        One row a bar: `place` (a metric or an amount), `group`, and the columns of `MetricRanges`.
    title : str
    axis : str
        What the places are.

    Attributes
    ----------
    proved_, attained_ : list of Rectangle
        The bars, in the order of `data`.
    """

    def __init__(self, data: pd.DataFrame, *, title: str = "", axis: str = "") -> None:
        self.data, self.title, self.axis = data, title, axis
        self.proved_: list[Any] = []
        self.attained_: list[Any] = []

    @classmethod
    def from_ranges(
        cls, ranges: MetricRanges, metric: str | None = None, *, ax: Axes | None = None
    ) -> MetricRangesDisplay:
        """Draw one metric by group, or all metrics that groups have.

        Parameters
        ----------
        ranges : MetricRanges
        metric : str, optional
            Only this one.
        ax : Axes, optional
            Where to draw; by default a figure of its own.
        """
        names = list(dict.fromkeys(ranges.table.dropna(subset=["low"]).index.get_level_values(0)))
        if metric is not None:
            _check(metric, names)
            names = [metric]
        elif any(EVERYBODY in _groups(ranges, name) for name in names):
            names = [name for name in names if EVERYBODY in _groups(ranges, name)]
        data = pd.DataFrame([line for name in names for line in _lines(ranges, name, name)])
        return cls(data, title=f"under {ranges.bias}", axis="").plot(ax=ax)

    @classmethod
    def from_amounts(
        cls, ranges: Mapping[Any, MetricRanges], metric: str, *, ax: Axes | None = None
    ) -> MetricRangesDisplay:
        """Draw one metric against the amount of bias.

        Parameters
        ----------
        ranges : mapping
            Amount, as it is shown, to the ranges, in the order of the axis.
        metric : str
        ax : Axes, optional
        """
        if not ranges:
            raise EverytreeError("ranges must hold the ranges of at least one amount; received none.")
        for found in ranges.values():
            _check(metric, list(found.table.index.get_level_values(0)))
        lines = [line for amount, found in ranges.items() for line in _lines(found, metric, str(amount))]
        return cls(pd.DataFrame(lines), title=metric, axis="amount of bias").plot(ax=ax)

    def plot(self, ax: Axes | None = None) -> MetricRangesDisplay:
        """Draw."""
        if self.data.empty:
            raise EverytreeError("There is no range to draw: the metric has no value for any group.")
        places = list(dict.fromkeys(self.data["place"]))
        groups = list(dict.fromkeys(self.data["group"]))
        width = 0.8 / len(groups)
        with settings():
            ax = self._axes(ax, height=3.1)
            row: Any
            for row in self.data.itertuples():
                g = groups.index(row.group)
                x = places.index(row.place) + (g + 0.5) * width - 0.4
                colour, marker = _look(row.group, groups)
                first = row.place == places[0]
                self._bar(ax, x, 0.86 * width, row, colour)
                ax.plot(
                    [x], [row.estimate], marker, color=colour, markeredgecolor=INK, clip_on=False,
                    label=str(row.group) if first else None,
                )  # fmt: skip
            ax.set_xticks(range(len(places)), ["\n".join(wrap(str(place), 14)) for place in places])
            ax.set_xlim(-0.6, len(places) - 0.4)
            ax.use_sticky_edges = False  # a bar that stood on the axis would look as if it went on below
            ax.autoscale_view(scalex=False)
            low, high = ax.get_ylim()
            ax.set_ylim(max(low, 0.0), min(high, 1.0))
            ax.set_xlabel(self.axis)
            ax.set_title("\n".join(wrap(self.title, 90)), loc="left")
            if len(groups) > 1:
                ax.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0))
        return self

    def _bar(self, ax: Axes, x: float, width: float, row: Any, colour: str) -> None:
        """A pale bar that is proved and a full one that is attained; a range of one value is a line."""
        for low, high, alpha, kept in (
            (row.low, row.high, 0.3, self.proved_),
            (row.attained_low, row.attained_high, 0.85, self.attained_),
        ):
            if np.isnan(low):
                continue
            bars = ax.bar(
                [x],
                [high - low],
                width,
                bottom=[low],
                color=colour,
                alpha=alpha,
                linewidth=0.8,
                edgecolor=colour,
            )
            kept.append(bars[0])

    @property
    def description(self) -> str:
        """The first and the last range in words."""
        lines = [self.data.iloc[0], self.data.iloc[-1]]
        said = [
            f"{line['place']}, {line['group']}: {line['low']:.3f} to {line['high']:.3f}, "
            f"now {line['estimate']:.3f}"
            for line in lines[: len(self.data)]
        ]
        return f"Ranges of {self.title or 'metrics'} over all tables of the bias model. {'; '.join(said)}."


def _look(group: str, groups: list[str]) -> tuple[str, str]:
    """A colour and a mark: those that the group has among the curves, where everybody's line is no colour."""
    named = [each for each in groups if each != EVERYBODY]
    if group == EVERYBODY and named:
        return COLOURS[UNKNOWN], "*"
    g = named.index(group) if named else 0
    return LINES[g % MOST_GROUPS], MARKERS[g % MOST_GROUPS]


def _check(metric: str, names: list[str]) -> None:
    if metric not in names:
        allowed = ", ".join(repr(name) for name in dict.fromkeys(names))
        raise EverytreeError(f"metric must be one that has a range: {allowed}; received {metric!r}.")


def _groups(ranges: MetricRanges, metric: str) -> list[str]:
    return [_name(key[1:]) for key in ranges.table.index if key[0] == metric]


def _lines(ranges: MetricRanges, metric: str, place: str) -> list[dict[str, Any]]:
    """One line for each group in which the metric has a range."""
    found = ranges.table[ranges.table.index.get_level_values(0) == metric].dropna(subset=["low"])
    return [
        {"place": place, "group": _name(key[1:]), **{name: float(row[name]) for name in COLUMNS}}
        for key, row in zip(found.index, found.to_dict("records"), strict=True)
    ]


def _name(key: tuple[Any, ...]) -> str:
    together = len(set(key)) == 1 and key[0] in (EVERYBODY, BETWEEN)
    return str(key[0]) if together or len(key) == 1 else ", ".join(map(str, key))
