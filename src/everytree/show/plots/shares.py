"""`CertifiedShareDisplay`: how many predictions are proved robust, as the amount of bias grows.

The curve of the paper's figures, one line for each group.
"""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from everytree.bias.language.amounts import Amount
from everytree.errors import EverytreeError
from everytree.results.certification import NOT_ROBUST, ROBUST, UNKNOWN
from everytree.results.ranges import EVERYBODY
from everytree.show.plots.people import People, people_of, sized
from everytree.show.plots.style import COLOURS, INK, LINES, MARKERS, Display, percent, settings

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import PolyCollection
    from matplotlib.legend import Legend
    from matplotlib.lines import Line2D

    from everytree.bias import BiasModel
    from everytree.results.certification import CertificationResult
    from everytree.results.radii import RadiusResult

MOST_LINES = 8
"""More groups than this are not told apart by eye: the smallest ones share a line."""

FEW = 30
"""A smaller group has a thin line: a single person moves it visibly."""

UNITS = {
    "table": "% of the training records",
    "group": "% of the records that it may touch",
    "rows": "records",
}

WIDEST_LABEL = 96
"""Letters on one line below a picture."""


def unit_of(family: BiasModel) -> str:
    """What an amount of a family counts: records, if all of its records are those of one ``?``."""
    return UNITS["rows"] if len(family.components) == 1 else f"? in {family}"


class CertifiedShareDisplay(Display):
    """Share of people proved robust against the amount of bias, one line for each group.

    Make it with `from_results` or `from_radius`.

    Parameters
    ----------
    data : DataFrame
        One row for each group and amount: `group`, `amount`, `n`, `robust`, `not robust`, `unknown`. Groups
        that share a line are listed on their own and together.
    people : People
        The groups in the order of the legend.
    joined : list of str
        Groups that are drawn as one line, because there are more than eight.
    unit : str
        What the amounts count.
    steps : bool
        Whether shares hold from one amount until the next.

    Attributes
    ----------
    lines_ : dict
        Name of a group to its line.
    bands_ : dict
        Name of a group to the area of people who are neither proved nor refuted, if it is shown.
    legend_ : Legend or None
    """

    def __init__(
        self, data: pd.DataFrame, *, people: People, joined: list[str], unit: str, steps: bool
    ) -> None:
        self.data, self.people, self.joined, self.unit, self.steps = data, people, joined, unit, steps
        self.lines_: dict[str, Line2D] = {}
        self.bands_: dict[str, PolyCollection] = {}
        self.legend_: Legend | None = None

    @classmethod
    def from_results(
        cls,
        results: Mapping[Any, CertificationResult],
        sensitive_features: object = None,
        *,
        ax: Axes | None = None,
        refuted: bool = False,
        **kwargs: Any,
    ) -> CertifiedShareDisplay:
        """Draw results of the same people under several amounts of bias.

        Parameters
        ----------
        results : mapping
            Amount (``5``, ``"0.5%"``, ``"5% of group"``) to CertificationResult. All amounts have one unit.
        sensitive_features : str, list of str, Series, DataFrame, dict or array, optional
            As in `CertificationResult.by_group`.
        ax : Axes, optional
            Where to draw; by default a figure of its own.
        refuted : bool, default False
            Whether to shade the people who are neither proved nor refuted, above each line: the share that
            would be proved by a perfect method lies in the shade.
        **kwargs
            Passed to every line, such as ``linewidth=1``.

        Returns
        -------
        CertifiedShareDisplay

        Examples
        --------
        >>> from sklearn.tree import DecisionTreeClassifier
        >>> from everytree import certify
        >>> from everytree.show.plots import CertifiedShareDisplay
        >>> scores, hired = [[0], [1], [2], [3], [5], [6], [7], [8], [9]], [0, 0, 0, 0, 1, 1, 1, 0, 1]
        >>> tree = DecisionTreeClassifier(max_depth=1, random_state=0)
        >>> results = {b: certify(tree, scores, hired, [[1], [5]], f"flip({b})") for b in (0, 1, 2)}
        >>> CertifiedShareDisplay.from_results(results).data["robust"].tolist()
        [1.0, 0.5, 0.0]
        """
        if not results:
            raise EverytreeError(
                "results must hold at least one amount with its CertificationResult; received none."
            )
        amounts, unit = _axis(list(results))
        ordered = [list(results.values())[place] for place in np.argsort(amounts, kind="stable")]
        if len({len(result) for result in ordered}) > 1:
            raise EverytreeError(
                "All results must be about the same people; received results for "
                f"{', '.join(str(len(result)) for result in ordered)} people."
            )

        def curve(of_person: Any) -> Any:
            blocks = [
                result.by_group(of_person).assign(amount=a)
                for a, result in zip(sorted(amounts), ordered, strict=True)
            ]
            return pd.concat(blocks)

        people = people_of(sensitive_features, ordered[0].frame)
        display = cls._of(curve, people, unit, steps=False)
        return display.plot(ax=ax, refuted=refuted, **kwargs)

    @classmethod
    def from_radius(
        cls,
        result: RadiusResult,
        sensitive_features: object = None,
        *,
        ax: Axes | None = None,
        refuted: bool = False,
        whole: bool = False,
        **kwargs: Any,
    ) -> CertifiedShareDisplay:
        """Draw the exact steps of everybody's radius; see `from_results`.

        The axis ends soon after the last step, for the largest amount may be as large as the table; with
        `whole` it spans all amounts that were looked at.
        """
        everything = result.curve()
        last = int(everything.index[-1])
        near = whole or result.max_amount <= max(last + 1, 1.5 * last)
        end = result.max_amount if near else max(last + 1, round(1.08 * last))

        def curve(of_person: Any) -> pd.DataFrame:
            blocks = []
            for name, block in result.curve(of_person).groupby(level=0, sort=False):
                block = block.droplevel(0)
                block = block.reindex([*block.index, end] if end > last else block.index, method="ffill")
                block = block.rename_axis("amount").reset_index().assign(n=int(np.sum(of_person == name)))
                blocks.append(block.set_axis([name] * len(block)))
            return pd.concat(blocks)

        people = people_of(sensitive_features, result.frame)
        display = cls._of(curve, people, unit_of(result.family), steps=True)
        return display.plot(ax=ax, refuted=refuted, **kwargs)

    @classmethod
    def _of(cls, curve: Any, people: People, unit: str, steps: bool) -> CertifiedShareDisplay:
        shown, joined = people.joined(MOST_LINES)
        blocks = [curve(people.of_person)]
        names = list(people.sizes)
        if joined:
            blocks.append(curve(shown.of_person))
            names += [name for name in shown.sizes if name not in people.sizes]
        if EVERYBODY not in names:
            blocks.append(curve(np.full(len(people.of_person), EVERYBODY, object)))
            names.append(EVERYBODY)
        data = pd.concat(blocks).rename_axis("group").reset_index().drop_duplicates(["group", "amount"])
        rank = {name: place for place, name in enumerate(names)}
        data = data.sort_values(["group", "amount"], key=lambda c: c.map(rank) if c.name == "group" else c)
        columns = ["group", "amount", "n", ROBUST, NOT_ROBUST, UNKNOWN]
        return cls(data[columns].reset_index(drop=True), people=shown, joined=joined, unit=unit, steps=steps)

    def plot(self, ax: Axes | None = None, *, refuted: bool = False, **kwargs: Any) -> CertifiedShareDisplay:
        """Draw; see `from_results` for the parameters."""
        from matplotlib.ticker import MaxNLocator, PercentFormatter

        with settings():
            ax = self._axes(ax, height=3.2 + 0.11 * len(self.people.sizes))
            self.lines_, self.bands_ = {}, {}
            names = list(self.people.sizes)
            if names != [EVERYBODY]:
                self._line(
                    ax, EVERYBODY, {"color": INK, "linestyle": (0, (4, 2)), "linewidth": 1.2}, refuted, kwargs
                )
            for place, name in enumerate(names):
                style = {"color": LINES[place], "marker": MARKERS[place], "linewidth": 1.8}
                self._line(ax, name, style, refuted, kwargs)
            ax.set_ylim(0, 1.02)
            ax.yaxis.set_major_formatter(PercentFormatter(1))
            ax.margins(x=0.02)
            ax.set_xlabel(textwrap.fill(f"amount of bias: {self.unit}", WIDEST_LABEL))
            ax.set_ylabel("people proved robust")
            ax.grid(axis="y", color=INK, alpha=0.12, linewidth=0.8)
            ax.xaxis.set_major_locator(
                MaxNLocator(8, steps=[1, 2, 2.5, 5, 10], integer=self.steps or self.unit == UNITS["rows"])
            )
            self._legend(ax, names)
        return self

    @property
    def thin(self) -> bool:
        """Whether a line is thin, because few people are behind it."""
        return bool(((self.data["n"] < FEW) & (self.data["group"] != EVERYBODY)).any())

    def _line(
        self, ax: Axes, name: str, style: dict[str, Any], refuted: bool, kwargs: dict[str, Any]
    ) -> None:
        rows = self.data[self.data["group"] == name]
        label = sized(name, int(rows["n"].iloc[0]), 36)
        if rows["n"].iloc[0] < FEW and name != EVERYBODY:
            style = {**style, "linewidth": 0.9, "markersize": 3.5}
        if self.steps:
            style = {**style, "drawstyle": "steps-post", "markevery": 0.1}
        (line,) = ax.plot(rows["amount"], rows[ROBUST], label=label, **{**style, **kwargs})
        self.lines_[name] = line
        if refuted and (name != EVERYBODY or len(self.people.sizes) == 1):
            colour = COLOURS[UNKNOWN] if len(self.people.sizes) == 1 else line.get_color()
            step: Any = "post" if self.steps else None
            above = 1 - rows[NOT_ROBUST]
            self.bands_[name] = ax.fill_between(
                rows["amount"], rows[ROBUST], above, step=step, color=colour, alpha=0.25, linewidth=0
            )

    def _legend(self, ax: Axes, names: list[str]) -> None:
        self.legend_ = None
        if names == [EVERYBODY] and not self.bands_:
            ax.set_title(f"{self.people.sizes[EVERYBODY]:,} people", loc="left")
            return
        shown = [self.lines_[name] for name in names]
        if names != [EVERYBODY]:
            shown.append(self.lines_[EVERYBODY])
        handles: list[Any] = list(shown)
        labels = [str(line.get_label()) for line in shown]
        if self.bands_:
            handles.append(next(iter(self.bands_.values())))
            labels.append("shaded: unknown (neither proved nor refuted)")
        widest = max(len(line) for label in labels for line in label.split("\n"))
        self.legend_ = ax.legend(
            handles,
            labels,
            title=self.people.title or None,
            loc="lower left",
            bbox_to_anchor=(0, 1.0),
            ncols=3 if widest <= 20 else 2,
            alignment="left",
            borderaxespad=0.2,
            handlelength=2.4,
        )
        self.legend_.get_title().set_fontweight("bold")

    @property
    def description(self) -> str:
        """The shares at the smallest and at the largest amount, group by group."""
        parts = []
        for name in dict.fromkeys([*self.people.sizes, EVERYBODY]):
            rows = self.data[self.data["group"] == name]
            ends = [
                f"{percent(row[ROBUST])} at {row['amount']:g}" for _, row in rows.iloc[[0, -1]].iterrows()
            ]
            parts.append(f"{name}: {', '.join(ends)}")
        return f"Share of people proved robust by amount of bias ({self.unit}). {'; '.join(parts)}."


def _axis(given: list[Any]) -> tuple[list[float], str]:
    """Read amounts as numbers on one axis."""
    read = [Amount.of(amount) for amount in given]
    units = {amount.unit for amount in read if amount.value != 0} or {read[0].unit}
    if len(units) > 1 or "free" in units:
        raise EverytreeError(
            "All amounts of one curve must have one unit: records (5), percent of the table ('1%') or "
            f"percent of the group ('1% of group'); received {', '.join(map(str, read))}. Draw one curve for "
            "each unit."
        )
    return [float(amount.value or 0) for amount in read], UNITS[units.pop()]
