"""`VerdictsDisplay`: robust, not robust and unknown people as stacked bars, group by group."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from everytree.results.certification import NOT_ROBUST, ROBUST, UNKNOWN
from everytree.results.ranges import EVERYBODY
from everytree.show.plots.people import name_rows, people_of, row_places, sized
from everytree.show.plots.style import COLOURS, HATCHES, Display, percent, settings

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.container import BarContainer

    from everytree.results.certification import CertificationResult

VERDICTS = (ROBUST, NOT_ROBUST, UNKNOWN)

ROOM_FOR_TEXT = 0.07
"""A smaller share of the width does not hold its own percentage."""


class VerdictsDisplay(Display):
    """Shares of the three verdicts as stacked bars, one bar for each group.

    Make it with `from_result`.

    Parameters
    ----------
    data : DataFrame
        Indexed by group, everybody last; columns `n`, `robust`, `not robust`, `unknown`.
    title : str
        What the groups are.

    Attributes
    ----------
    bars_ : dict
        Verdict to its bars, one for each row of `data`.
    """

    def __init__(self, data: pd.DataFrame, *, title: str) -> None:
        self.data, self.title = data, title
        self.bars_: dict[str, BarContainer] = {}

    @classmethod
    def from_result(
        cls,
        result: CertificationResult,
        sensitive_features: object = None,
        *,
        ax: Axes | None = None,
        **kwargs: Any,
    ) -> VerdictsDisplay:
        """Draw the verdicts of one result.

        Parameters
        ----------
        result : CertificationResult
        sensitive_features : str, list of str, Series, DataFrame, dict or array, optional
            As in `CertificationResult.by_group`; without them one bar shows everybody.
        ax : Axes, optional
            Where to draw; by default a figure of its own, as tall as the groups need.
        **kwargs
            Passed to the bars, such as ``height=0.5``.

        Returns
        -------
        VerdictsDisplay
        """
        people = people_of(sensitive_features, result.frame)
        data = result.by_group(people.of_person).loc[list(people.sizes)]
        if sensitive_features is not None:
            everybody = result.by_group(np.full(len(result), EVERYBODY, object))
            data = pd.concat([data, everybody])
        return cls(data.rename_axis("group"), title=people.title).plot(ax=ax, **kwargs)

    def plot(self, ax: Axes | None = None, **kwargs: Any) -> VerdictsDisplay:
        """Draw; see `from_result` for the parameters."""
        from matplotlib.ticker import PercentFormatter

        with settings():
            n_groups = len(self.data)
            ax = self._axes(ax, height=1.0 + 0.34 * n_groups)
            places = row_places(n_groups)
            left = np.zeros(n_groups)
            self.bars_ = {}
            for verdict in VERDICTS:
                shares = self.data[verdict].to_numpy(float)
                look = {
                    "color": COLOURS[verdict],
                    "hatch": HATCHES[verdict],
                    "edgecolor": "white",
                    "linewidth": 0,
                }
                bars = ax.barh(places, shares, left=left, label=verdict, **{"height": 0.72, **look, **kwargs})
                self._write(ax, places, left, shares, verdict)
                self.bars_[verdict] = bars
                left = left + shares
            labels = [sized(str(name), int(n)) for name, n in self.data["n"].items()]
            name_rows(ax, places, labels, self.title)
            ax.set_xlim(0, 1)
            ax.xaxis.set_major_formatter(PercentFormatter(1))
            ax.set_xlabel("people")
            ax.legend(
                loc="lower right", bbox_to_anchor=(1, 1.0), ncols=3, borderaxespad=0.3, handlelength=1.4
            )
        return self

    def _write(self, ax: Axes, places: Any, left: Any, shares: Any, verdict: str) -> None:
        """Write the percentages into the bars that have room for them."""
        for place, start, share in zip(places, left, shares, strict=True):
            if share >= ROOM_FOR_TEXT:
                box = {"facecolor": COLOURS[verdict], "edgecolor": "none", "pad": 2.0}
                ax.text(
                    start + share / 2,
                    place,
                    percent(share),
                    ha="center",
                    va="center",
                    fontsize=8.5,
                    color="black" if verdict == UNKNOWN else "white",
                    bbox=box,
                )

    @property
    def description(self) -> str:
        """The shares of each group in words."""
        parts = [
            f"{name} (n = {row['n']:.0f}): " + ", ".join(f"{percent(row[v])} {v}" for v in VERDICTS)
            for name, row in self.data.iterrows()
        ]
        return "Verdicts by group. " + "; ".join(parts) + "."
