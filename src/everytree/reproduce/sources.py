"""Which table stands behind each data set of the paper: the paper's own, or the nearest bundled one."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from everytree.bias import parse_condition
from everytree.bias.columns import TableView
from everytree.datasets import load, load_paper, names
from everytree.datasets.paper import FOLDER_VARIABLE
from everytree.errors import EverytreeError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from everytree.datasets import Dataset

__all__ = ["EVERYONE", "OTHERS", "Source", "has_paper_tables", "open_source"]

PAPER_TARGETS = {"compas": "african_american == 1 and label == 1", "adult": "female == 1 and label == 0"}
BUNDLED_TARGETS = {
    "compas": 'race == "African-American" and label == 1',
    "adult": 'sex == "Female" and label == "<=50K"',
}
"""Whom targeted bias affects."""

_PAPER_WHITE = " and ".join(
    f"{name} == 0" for name in ("african_american", "asian", "hispanic", "native_american", "other_race")
)
PAPER_GROUPS = {
    "compas": {
        "White": _PAPER_WHITE,
        "Black": "african_american == 1",
        "men": "female == 0",
        "women": "female == 1",
    },
    "adult": {
        "White": "non_white == 0",
        "Non-White": "non_white == 1",
        "men": "female == 0",
        "women": "female == 1",
    },
    "drug": {"men": "gender < 0", "women": "gender > 0"},
}
_BUNDLED_SEXES = {"men": 'sex == "Male"', "women": 'sex == "Female"'}
BUNDLED_GROUPS = {
    "compas": {"White": 'race == "Caucasian"', "Black": 'race == "African-American"', **_BUNDLED_SEXES},
    "adult": {"White": 'race == "White"', "Black": 'race == "Black"', **_BUNDLED_SEXES},
}
"""Groups of people by the columns of the test table: races first, then the two sexes."""

SEXES = ("men", "women")
OTHERS, EVERYONE = "Others", "Everyone"


@dataclass(frozen=True, eq=False)
class Source:
    """A data set, the condition of its targeted bias models, and the conditions that name groups."""

    data: Dataset
    target: str | None
    groups: dict[str, str] = field(default_factory=dict)

    def people(self) -> dict[str, NDArray[np.bool_]]:
        """Test people by group: race and sex together, each race, all others, and everyone."""
        X = self.data.X_test
        view = TableView(X, np.zeros(len(X), np.int64), [0])
        masks: dict[str, NDArray[Any]] = {
            name: view.rows(parse_condition(text)) for name, text in self.groups.items()
        }
        races = [name for name in masks if name not in SEXES]
        found = {f"{race} {sex}": masks[race] & masks[sex] for race in races for sex in SEXES}
        found |= {race: masks[race] for race in races}
        if not races:
            found = {sex.capitalize(): masks[sex] for sex in SEXES}
        others = ~np.any(list(found.values()), axis=0)
        if others.any():
            found[OTHERS] = others
        return {**found, EVERYONE: np.ones(len(X), dtype=bool)}


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
        return Source(load_paper(name), PAPER_TARGETS.get(name), PAPER_GROUPS.get(name, {}))
    if name not in names():
        raise EverytreeError(
            f"The data set {name!r} is not bundled. Set {FOLDER_VARIABLE} to the folder of the paper's "
            "tables."
        )
    return Source(load(name), BUNDLED_TARGETS.get(name), BUNDLED_GROUPS.get(name, {}))
