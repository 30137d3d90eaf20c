"""What every loader of `everytree.datasets` returns."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Dataset"]


@dataclass(frozen=True, eq=False)
class Dataset:
    """A training table, a test table, and what is known about them.

    Attributes
    ----------
    name : str
        Short name.
    X_train, X_test : pandas.DataFrame
        The columns without the label, rows numbered from 0.
    y_train, y_test : pandas.Series
        The label.
    label : str
        Name of the label column.
    sensitive : tuple of str
        Columns that name groups of people.
    description : str
        What the table is, and what was left out of it and why.
    source : str
        Where it comes from.
    licence : str
        Under which terms.
    labels : dict
        What labels that are no words stand for.
    """

    name: str
    X_train: pd.DataFrame
    y_train: pd.Series[Any]
    X_test: pd.DataFrame
    y_test: pd.Series[Any]
    label: str
    sensitive: tuple[str, ...]
    description: str
    source: str
    licence: str
    labels: dict[Any, str] = field(default_factory=dict)

    def __repr__(self) -> str:
        return (
            f"Dataset({self.name!r}, {len(self.X_train)} training rows, {len(self.X_test)} test rows, "
            f"{self.X_train.shape[1]} columns, label {self.label!r})"
        )
