"""`AmountsDisplay`: the share proved robust under two kinds of bias at once, as a table in colour."""

from __future__ import annotations

from collections.abc import Mapping
from textwrap import wrap
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from everytree.bias.language.amounts import Amount
from everytree.errors import EverytreeError
from everytree.show.plots.style import Display, percent, settings

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import PatchCollection
    from matplotlib.text import Text

    from everytree.results.certification import CertificationResult

SHADES = ("#eaf2f8", "#9cc6e0", "#1b7fb8", "#0b3f61")
"""From nobody to everybody proved."""

DARK = 0.55
"""From this share on a cell is so dark that its number is white."""


class AmountsDisplay(Display):
    """Share of people proved robust for every pair of amounts.

    Make it with `from_results`.

    Parameters
    ----------
    data : DataFrame
        Shares; rows are the first amounts, columns the second ones, both in numeric order. Pairs that were
        not computed are missing values.
    names : tuple of str
        What the two amounts are amounts of.

    Attributes
    ----------
    cells_ : PatchCollection
        Coloured by share, in the order of `data`, row by row.
    text_ : array of Text
        The number in each cell, in the order of `data`.
    """

    def __init__(self, data: pd.DataFrame, *, names: tuple[str, str]) -> None:
        self.data, self.names = data, names
        self.cells_: PatchCollection
        self.text_: Any

    @classmethod
    def from_results(
        cls,
        results: Mapping[tuple[Any, Any], CertificationResult],
        *,
        names: tuple[str, str] | None = None,
        ax: Axes | None = None,
        **kwargs: Any,
    ) -> AmountsDisplay:
        """Draw the results of two bias models added together, at several amounts each.

        Parameters
        ----------
        results : mapping
            Pair of amounts to CertificationResult.
        names : tuple of str, optional
            What the amounts are amounts of; by default the kinds of the two components, if there are two.
        ax : Axes, optional
            Where to draw; by default a figure of its own.
        **kwargs
            Passed to the cells, such as ``cmap="viridis"``.

        Returns
        -------
        AmountsDisplay
        """
        if not results or not all(isinstance(pair, tuple) and len(pair) == 2 for pair in results):
            raise EverytreeError(
                "results must map pairs of amounts, such as ('1%', 20), to CertificationResults; received "
                f"{list(results)!r:.80}."
            )
        read = {(Amount.of(a), Amount.of(b)): result for (a, b), result in results.items()}
        first, second = (_ordered({pair[place] for pair in read}) for place in (0, 1))
        shares = [[read[a, b].robust_rate if (a, b) in read else np.nan for b in second] for a in first]
        data = pd.DataFrame(shares, index=list(map(str, first)), columns=list(map(str, second)))
        if names is None:
            components = next(iter(results.values())).bias.components
            kinds = [part.kind for part in components]
            names = (kinds[0], kinds[1]) if len(kinds) == 2 else ("first", "second")
        return cls(data, names=names).plot(ax=ax, **kwargs)

    def plot(self, ax: Axes | None = None, **kwargs: Any) -> AmountsDisplay:
        """Draw; see `from_results` for the parameters."""
        from matplotlib.collections import PatchCollection
        from matplotlib.colors import LinearSegmentedColormap
        from matplotlib.patches import Rectangle

        with settings():
            n_rows, n_columns = self.data.shape
            ax = self._axes(ax, height=1.1 + 0.42 * n_rows)
            shares = self.data.to_numpy(float)
            shades = LinearSegmentedColormap.from_list("everytree", list(SHADES))
            cells = [
                Rectangle((c - 0.48, r - 0.46), 0.96, 0.92) for r in range(n_rows) for c in range(n_columns)
            ]
            self.cells_ = PatchCollection(cells, **{"cmap": shades, "linewidths": 0, **kwargs})
            self.cells_.set_array(np.ma.masked_invalid(shares.ravel()))
            self.cells_.set_clim(0, 1)
            ax.add_collection(self.cells_)
            ax.set_xlim(-0.5, n_columns - 0.5)
            ax.set_ylim(n_rows - 0.5, -0.5)
            self.text_ = np.empty(shares.shape, object)
            for row in range(n_rows):
                for column in range(n_columns):
                    self.text_[row, column] = self._write(ax, row, column, float(shares[row, column]))
            ax.set_yticks(range(n_rows), list(self.data.index))
            ax.set_xticks(range(n_columns), list(self.data.columns))
            ax.set_ylabel("\n".join(wrap(f"amount of {self.names[0]}", max(24, 10 * n_rows))))
            ax.set_xlabel("\n".join(wrap(f"amount of {self.names[1]}", 90)))
            ax.tick_params(length=0)
            ax.spines[:].set_visible(False)
            ax.set_title("people proved robust", loc="left")
        return self

    def _write(self, ax: Axes, row: int, column: int, share: float) -> Text:
        if np.isnan(share):
            return ax.text(column, row, "–", ha="center", va="center")
        ink = "white" if share >= DARK else "black"
        return ax.text(column, row, percent(share), ha="center", va="center", color=ink)

    @property
    def description(self) -> str:
        """The corners of the table in words."""
        rows, columns, shares = self.data.index, self.data.columns, self.data.to_numpy(float)
        first, last = _or_none(shares[0, 0]), _or_none(shares[-1, -1])
        return (
            f"Share of people proved robust by amount of {self.names[0]} and of {self.names[1]}: "
            f"{first} at {rows[0]} and {columns[0]}, {last} at {rows[-1]} and {columns[-1]}."
        )


def _or_none(share: float) -> str:
    return "not computed" if np.isnan(share) else percent(share)


def _ordered(amounts: set[Amount]) -> list[Amount]:
    """Numeric order; records come before percentages."""
    units = ("rows", "table", "group", "free")
    return sorted(amounts, key=lambda amount: (units.index(amount.unit), amount.value or 0))
