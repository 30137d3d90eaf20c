"""The radii of test people: how much bias each prediction stands, and the ways to read and keep them.

Filled by `everytree.questions.radius`; nothing is proved here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from everytree.support.above import Picture, above
from everytree.support.plain import as_plain
from everytree.support.version import VERSION
from everytree.table.groups import group_frame, group_members

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from everytree.bias import BiasModel
    from everytree.refute.witness import Witness


@dataclass(frozen=True, eq=False, repr=False)
class RadiusResult:
    """Largest amount proved and smallest amount refuted, for each test person.

    Attributes
    ----------
    lower : array of int
        The prediction is proved robust for every amount up to and including this one; -1 if not even for 0.
    upper : array of float
        The smallest amount with a confirmed witness; infinite if none was found. Where ``upper == lower + 1``
        the radius is exact.
    family : BiasModel
        The bias model with its free amounts (``?``).
    max_amount : int
        No larger amount was looked at.
    predictions : array
    witnesses : dict
        Position of a person to the witness behind `upper`.
    frame, index
        The test table and its names.
    complete : bool
        False if the search ended, by the time limit or by its own, before everybody's two ends met.
    notes : tuple of str
        As in `CertificationResult`.
    """

    lower: NDArray[np.int64]
    upper: NDArray[np.float64]
    family: BiasModel
    max_amount: int
    predictions: NDArray[Any]
    witnesses: dict[int, Witness]
    frame: pd.DataFrame
    index: pd.Index[Any]
    complete: bool
    notes: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.lower)

    def __repr__(self) -> str:
        exact = int(np.sum(self.exact))
        return f"<RadiusResult: {len(self)} people, {exact} with an exact radius, {self.family}>"

    def _repr_html_(self) -> str:
        return str(above("radius_html")(self))

    @property
    def exact(self) -> NDArray[np.bool_]:
        """Where the two ends are neighbours. Elsewhere the radius is at least `lower`."""
        return np.asarray(self.upper == self.lower + 1)

    def curve(self, sensitive_features: object = None) -> pd.DataFrame:
        """Share of people proved, refuted and open at every amount where something changes.

        With `sensitive_features` (as in `CertificationResult.by_group`) one block of rows for each group.
        """
        ends = {0, *map(int, self.lower + 1), *(int(u) for u in self.upper if np.isfinite(u))}
        amounts = np.array(sorted(a for a in ends if 0 <= a <= self.max_amount))

        def shares(people: NDArray[np.int64]) -> pd.DataFrame:
            lower, upper = self.lower[people], self.upper[people]
            robust = np.array([np.mean(lower >= a) for a in amounts])
            refuted = np.array([np.mean(upper <= a) for a in amounts])
            unknown = np.maximum(0.0, np.round(1 - robust - refuted, 12))
            columns = {"robust": robust, "not robust": refuted, "unknown": unknown}
            return pd.DataFrame(columns, index=pd.Index(amounts, name="amount"))

        if sensitive_features is None:
            return shares(np.arange(len(self)))
        groups = group_frame(sensitive_features, self.frame)
        blocks = {key: shares(who) for key, who in group_members(groups).items()}
        return pd.concat(blocks, names=list(groups.columns))

    def plot(self, sensitive_features: object = None, *, ax: Axes | None = None) -> Picture:
        """Draw `curve`, one line for each group; see `everytree.show.plots.CertifiedShareDisplay`."""
        display: Picture = above("CertifiedShareDisplay.from_radius")(self, sensitive_features, ax=ax)
        return display

    def to_frame(self) -> pd.DataFrame:
        """One row a person: prediction, largest amount proved, smallest amount refuted."""
        columns = {"prediction": self.predictions, "lower": self.lower, "upper": self.upper}
        return pd.DataFrame(columns, index=self.index)

    def to_dict(self) -> dict[str, Any]:
        """Everything a machine needs, as plain Python values; an infinite `upper` is None.

        Names and labels are spelt as by `CertificationResult.to_dict`.
        """
        return {
            "everytree": VERSION,
            "family": str(self.family),
            "max_amount": self.max_amount,
            "complete": self.complete,
            "notes": list(self.notes),
            "people": [
                {
                    "index": as_plain(name),
                    "prediction": prediction,
                    "lower": int(low),
                    "upper": int(high) if np.isfinite(high) else None,
                }
                for name, prediction, low, high in zip(
                    self.index, as_plain(self.predictions), self.lower, self.upper, strict=True
                )
            ],
        }
