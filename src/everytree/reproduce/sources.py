"""Which table stands behind each data set of the paper: the paper's own, or the nearest bundled one."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from everytree.datasets import load, load_paper, names
from everytree.datasets.paper import FOLDER_VARIABLE
from everytree.errors import EverytreeError

if TYPE_CHECKING:
    from everytree.datasets import Dataset

__all__ = ["Source", "has_paper_tables", "open_source"]

PAPER_TARGETS = {"compas": "african_american == 1 and label == 1", "adult": "female == 1 and label == 0"}
BUNDLED_TARGETS = {
    "compas": 'race == "African-American" and label == 1',
    "adult": 'sex == "Female" and label == "<=50K"',
}
"""Whom targeted bias affects."""


@dataclass(frozen=True, eq=False)
class Source:
    """A data set and the condition of its targeted bias models."""

    data: Dataset
    target: str | None


def has_paper_tables() -> bool:
    """Tell whether the paper's exact tables are at hand."""
    return bool(os.environ.get(FOLDER_VARIABLE))


def open_source(name: str) -> Source:
    """Load what there is for a data set of the paper.

    Raises
    ------
    EverytreeError
        If there is nothing.
    """
    if has_paper_tables():
        return Source(load_paper(name), PAPER_TARGETS.get(name))
    if name not in names():
        raise EverytreeError(
            f"The data set {name!r} is not bundled. Set {FOLDER_VARIABLE} to the folder of the paper's "
            "tables."
        )
    return Source(load(name), BUNDLED_TARGETS.get(name))
