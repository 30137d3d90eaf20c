"""Ranges of metrics: a table of what no table of B(T) passes and what some table reaches, with that table.

Counted by `everytree.questions.metrics`; here they are read, kept and shown.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from everytree.errors import EverytreeError, InternalError
from everytree.refute.retrain import retrain
from everytree.refute.witness import no_change
from everytree.support.above import Picture, above
from everytree.support.files import write_table, write_text
from everytree.support.text import listing, nearest
from everytree.support.version import VERSION, learner_notes

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from everytree.learner import Prepared
    from everytree.refute.witness import Witness

__all__ = ["ATTAINED", "BETWEEN", "EVERYBODY", "PROVED", "MetricRanges", "seen_thousandths"]

ATTAINED, PROVED = "attained", "proved"
"""What an end of a range is: reached by a known table, or only known not to be passed by any."""

EVERYBODY, BETWEEN = "everybody", "between groups"
"""What stands in the place of a group: all people, or all groups compared with each other."""

ENDS = ("low", "high")


def seen_thousandths(low: float, high: float, today: float = math.nan) -> tuple[int, int]:
    """Round the ends of what was seen inwards, to thousandths; to the nearest where there is nothing between.

    The value as it is, `today`, is one of those seen. It is shown rounded to the nearest, and an end that is
    rounded beyond that is shown as it is, so that the two agree.

    Examples
    --------
    >>> seen_thousandths(2 / 3, 8 / 9), seen_thousandths(2 / 3, 2 / 3), seen_thousandths(2 / 3, 8 / 9, 8 / 9)
    ((667, 888), (667, 667), (667, 889))
    >>> seen_thousandths(0.8502, 0.8541, 0.8503)  # shown as 0.850
    (850, 854)
    """
    inner = math.ceil(round(1000 * low, 9)), math.floor(round(1000 * high, 9))
    first, last = inner if inner[0] <= inner[1] else (round(1000 * low), round(1000 * low))
    if not low <= today <= high:
        return first, last
    shown = round(1000 * today)
    return min(first, shown), max(last, shown)


@dataclass(frozen=True, eq=False, repr=False)
class MetricRanges:
    """Ranges of metrics over all tables that a bias model allows.

    Attributes
    ----------
    table : DataFrame
        Indexed by metric and group (a level for each feature); see `everytree.metric_ranges` for its
        columns. `loc`, `xs`, `index` and square brackets are those of the table.
    bias : str
        The bias model.
    positive : object
        The label that counts as being selected.
    tables : int
        Number of different tables from which the tree was learned, the given one included.
    """

    table: pd.DataFrame
    bias: str
    positive: Any
    witnesses: list[Witness | None] = field(default_factory=list)
    reached: dict[tuple[Any, ...], tuple[int | None, int | None]] = field(default_factory=dict)
    prepared: Prepared | None = None

    @property
    def tables(self) -> int:
        """Number of tables from which the tree was learned, the given one included."""
        return len(self.witnesses)

    @property
    def loc(self) -> Any:
        """Rows by metric and group, as in pandas."""
        return self.table.loc

    @property
    def index(self) -> pd.MultiIndex:
        """Metric and group of each row."""
        return self.table.index  # type: ignore[return-value]

    def __getitem__(self, key: Any) -> Any:
        return self.table[key]

    def __len__(self) -> int:
        return len(self.table)

    def xs(self, key: Any, level: Any = None) -> Any:
        """Rows of one group, as in pandas."""
        return self.table.xs(key, level=level)

    def __repr__(self) -> str:
        return f"<MetricRanges under {self.bias}, {self.tables} known tables>\n{self.table.to_string()}"

    def _repr_html_(self) -> str:
        return str(self.table.to_html(float_format=lambda value: f"{value:.3f}"))

    def to_frame(self) -> pd.DataFrame:
        """The table itself, as a copy."""
        return self.table.copy()

    def witness(self, metric: str, end: str, group: object = None) -> Witness:
        """Return the changed records behind the lowest or highest value that a retrained tree has.

        Parameters
        ----------
        metric : str
            Such as "demographic parity difference".
        end : {"low", "high"}
            Whether the records behind `attained_low` or `attained_high` are asked for.
        group : optional
            A group, or a tuple of values where several features make it; by default all people, or all
            groups compared.

        Returns
        -------
        Witness
            With the estimate as `before` and the attained value as `after`; ``apply`` gives the table. No
            record changes where the table as it is has this value.
        """
        key = self._key(metric, end, group)
        place = self.reached[key][ENDS.index(end)]
        if place is None:
            raise EverytreeError(f"The {metric} has no value on any known table, so there is no witness.")
        row = self.table.loc[key]
        found = self.witnesses[place]
        if found is None:
            found = no_change(self._tables().train, None)
        return replace(found, before=float(row["estimate"]), after=float(row[f"attained_{end}"]))

    def tree(self, metric: str, end: str, group: object = None) -> Any:
        """Return the tree, of label codes, that was learned from the table of `witness`."""
        return retrain(self._tables(), self.witness(metric, end, group))

    def within(self, larger: MetricRanges) -> MetricRanges:
        """Bring the ends together with those of a bias model that allows all these tables, and others.

        What no table of the larger one passes none of these does. The rows must be about the same metrics
        and groups.
        """
        table, other = self.table.copy(), larger.table.reindex(self.table.index)
        table["low"] = table["low"].combine(other["low"], _largest)
        table["high"] = -(-table["high"]).combine(-other["high"], _largest)
        if ((table["attained_low"] < table["low"]) | (table["attained_high"] > table["high"])).any():
            raise InternalError(
                f"A tree within {self.bias} passes what is proved within {larger.bias}. This is a fault in "
                "everytree; please report it with the table."
            )
        for end in ENDS:
            reached = table[end] == table[f"attained_{end}"]
            table[f"{end}_is"] = table[f"{end}_is"].mask(reached, ATTAINED)
        seen = table["attained_high"] - table["attained_low"]
        narrower = (table["low"] != self.table["low"]) | (table["high"] != self.table["high"])
        narrower &= table["low"].notna()
        table["gap"] = table["gap"].mask(narrower, table["high"] - table["low"] - seen)
        return replace(self, table=table)

    def _tables(self) -> Prepared:
        if self.prepared is None:
            raise EverytreeError(
                "These ranges were made without their tables, so nothing can be asked of them."
            )
        return self.prepared

    def _key(self, metric: str, end: str, group: object) -> tuple[Any, ...]:
        if end not in ENDS:
            raise EverytreeError(f"end must be 'low' or 'high'; received {end!r}.")
        keys = [key for key in self.reached if key[0] == metric]
        if not keys:
            names = list(dict.fromkeys(key[0] for key in self.reached))
            raise EverytreeError(
                f"metric must be one that has a range, {listing(names, 20)}; received {metric!r}."
                f"{nearest(metric, names)}"
            )
        width = len(keys[0]) - 1
        if group is None:
            wanted = [key for key in keys if set(key[1:]) in ({EVERYBODY}, {BETWEEN})]
        else:
            values = group if isinstance(group, tuple) else (group,) * width
            wanted = [key for key in keys if key[1:] == values]
        if not wanted:
            groups = [key[1] if width == 1 else key[1:] for key in keys]
            raise EverytreeError(f"group must be one of {listing(groups, 20)}; received {group!r}.")
        return wanted[0]

    def plot(self, metric: str | None = None, *, ax: Axes | None = None) -> Picture:
        """Draw the ranges as bars; see `everytree.show.plots.MetricRangesDisplay`."""
        display: Picture = above("MetricRangesDisplay.from_ranges")(self, metric, ax=ax)
        return display

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain Python values; the structure is that of `to_json`."""
        features = [str(name) for name in self.index.names[1:]]
        lines = []
        for (metric, *group), row in zip(self.index, self.table.to_dict("records"), strict=True):
            values = {str(name): _plain(value) for name, value in row.items()}
            lines.append({"metric": metric, "group": dict(zip(features, group, strict=True)), **values})
        return {
            "everytree": VERSION,
            "bias": self.bias,
            "notes": list(learner_notes()),
            "positive": _plain(self.positive),
            "tables": self.tables,
            "ranges": lines,
        }

    def to_json(self, indent: int | None = None) -> str:
        """Return the ranges as JSON text; values that do not exist are null."""
        return json.dumps(self.to_dict(), indent=indent, default=str)

    def save(self, path: str | Path) -> Path:
        """Write the ranges to a file, .json or .csv by its suffix; it appears whole or not at all."""
        path = Path(path)
        if path.suffix == ".json":
            write_text("The ranges", path, self.to_json(indent=1) + "\n")
        elif path.suffix == ".csv":
            write_table("The ranges", path, self.table.reset_index())
        else:
            raise EverytreeError(
                f"Ranges are saved as .json or .csv, chosen by the suffix; received {path.name!r}."
            )
        return path


def _largest(one: float, other: float) -> float:
    """The larger of two numbers; the first where the second is missing."""
    return one if math.isnan(other) or one >= other else other


def _plain(value: Any) -> Any:
    """Turn numpy values into Python ones, and NaN into None."""
    value = value.item() if isinstance(value, np.generic) else value
    return None if isinstance(value, float) and np.isnan(value) else value
