"""The steps before a tree that fill in missing values, where somebody asked for that.

Behind `missing`, which imports it when it is needed: these parts of scikit-learn take long to import.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder

from everytree.learner.missing import Filled, Way, below_all
from everytree.table.frames import Source
from everytree.table.values import category_codes, is_numeric, number_kind

__all__ = ["FilledIn", "Steps"]


class FilledIn(Filled):
    """Two tables and the steps before the tree that fill in their missing values."""

    def before(self, tree: Any) -> Any:
        """Put the steps before a tree."""
        return Pipeline([("missing values", self.steps), ("tree", tree)])


@dataclass(frozen=True, eq=False)
class Steps:
    """What stands before the tree for each column."""

    way: Way
    source: Source
    declared: frozenset[str]
    encoding: str

    def together(self, dropped: Collection[Any], holes: Collection[Any]) -> ColumnTransformer:
        """The steps for all columns of the table, some of which are dropped and some have holes."""
        parts = [
            (str(name), "drop" if name in dropped else self._of(str(name), holes=name in holes), [name])
            for name in self.source.given.columns
        ]
        return ColumnTransformer(parts, verbose_feature_names_out=False)

    def _of(self, name: str, *, holes: bool) -> Any:
        column = self.source.frame[name]
        if name in self.declared or not is_numeric(column, self.source):
            known = column.dropna() if holes else column
            category_codes(
                known, self.source, declared=name in self.declared
            )  # refuses what it refuses elsewhere
            return (
                make_pipeline(SimpleImputer(strategy="most_frequent"), self._encoder())
                if holes
                else self._encoder()
            )
        if not holes:
            return "passthrough"
        if self.way == "category":
            return SimpleImputer(strategy="constant", fill_value=below_all(column))
        return SimpleImputer(strategy="most_frequent" if number_kind(column) == "boolean" else "median")

    def _encoder(self) -> Any:
        if self.encoding == "ordinal":
            return OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1)
        return OneHotEncoder(handle_unknown="ignore", sparse_output=False, feature_name_combiner=_feature)


def _feature(column: str, category: Any) -> str:
    return f"{column}={category}"
