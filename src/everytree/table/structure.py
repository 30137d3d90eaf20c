"""The two value objects at the start of everything: the training table and the test table.

They hold the same people twice, as the columns a user knows (for bias models and groups) and as
the float32 features the learner sees, and `Column` says how the one becomes the other.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from everytree.table.casting import with_types

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["MISSING", "Column", "Encoding", "Kind", "Region", "TestTable", "TrainingTable"]

Kind = Literal["numeric", "boolean", "categorical"]
Encoding = Literal["identity", "onehot", "ordinal", "opaque", "dropped"]
Bounds = tuple[float, float] | tuple[float, float, bool]
"""low < value <= high; a third entry, True, says that the value may also be missing."""

Region = dict[str, Bounds | frozenset[Any]]


class _Hole(Enum):
    """The category of its own that missing values of a categorical column have."""

    MISSING = "missing"

    def __str__(self) -> str:
        return self.value

    __repr__ = __str__


MISSING = _Hole.MISSING


def lacks(X: NDArray[np.float32]) -> NDArray[np.bool_]:
    """For each feature, whether some row lacks it; the least value is NaN then, and needs no further room."""
    if X.size == 0 or not np.isnan(X.min()):
        return np.zeros(X.shape[1], np.bool_)
    return np.array([np.isnan(X[:, j].min()) for j in range(X.shape[1])], np.bool_)


def feature_name(column: str, category: Any) -> str:
    """Name a one-hot feature."""
    return f"{column} is missing" if category is MISSING else f"{column}={category}"


@dataclass(frozen=True)
class Column:
    """One column as the user knows it, and the encoded features it feeds.

    Attributes
    ----------
    name : str
        Its name in the original table.
    kind : {"numeric", "boolean", "categorical"}
        What the column means, everywhere: an added row may hold any finite number in a numeric column, 0
        or 1 in a boolean one, and any category, also one never seen, in a categorical one; and nothing
        where the training table lacks a value in some row. Boolean means that every training value that is
        not missing is exactly 0 or 1 (or False or True). Categories stay categories whatever they look
        like.
    categories : tuple
        The sorted distinct training values of a categorical column, `MISSING` behind them if the learner
        sees it and a value is missing; otherwise empty.
    features : tuple of int
        Positions of its encoded features: one, or one for each category when one-hot encoded.
    encoding : {"identity", "onehot", "ordinal", "opaque", "dropped"}
        Opaque means that the column went through an encoder that cannot be read back; dropped, that
        the learner never sees it although bias models and groups do.
    """

    name: str
    kind: Kind
    categories: tuple[Any, ...]
    features: tuple[int, ...]
    encoding: Encoding

    def values_between(self, bounds: Mapping[int, Bounds]) -> Bounds | frozenset[Any]:
        """Values that the column can take while its features stay within `bounds`.

        See `TrainingTable.region`, which documents the meaning of the result.
        """
        if self.encoding == "onehot":
            return self._categories_of_onehot(bounds)
        if self.encoding == "identity":
            return bounds[self.features[0]]
        low, high, *_ = bounds[self.features[0]]
        possible = {value for code, value in enumerate(self.categories) if low < code <= high}
        return frozenset(possible | {None}) if low < UNSEEN_CODE <= high else frozenset(possible)

    def _categories_of_onehot(self, bounds: Mapping[int, Bounds]) -> frozenset[Any]:
        forced, possible = set(), set()
        never_seen = True
        for feature, category in zip(self.features, self.categories, strict=True):
            low, high, *_ = bounds.get(feature, (-math.inf, math.inf))
            may_be_zero, may_be_one = low < 0 <= high, low < 1 <= high
            never_seen = never_seen and may_be_zero
            if may_be_one:
                possible.add(category)
            if not may_be_zero:
                forced.add(category)
        if len(forced) > 1:
            return frozenset()
        if forced:
            return frozenset(forced & possible)
        return frozenset(possible | {None}) if never_seen else frozenset(possible)


@dataclass(frozen=True, eq=False)
class TrainingTable:
    """The table the tree is learned from.

    Attributes
    ----------
    frame : pandas.DataFrame
        The original columns without the label, rows numbered from 0.
    X : ndarray of float32, shape (n_rows, n_features), Fortran order
        The encoded features.
    feature_names : tuple of str
        A name for each encoded feature; ``race=Black`` for a one-hot feature.
    columns : tuple of Column
        How `frame` becomes `X`, in the order of `frame`.
    y : ndarray of int64
        Label codes: positions in `labels`.
    labels : ndarray
        The distinct labels, sorted as scikit-learn sorts them.
    label_name : str
        Name of the label column.
    index : pandas.Index
        The caller's own names of the rows.
    encoder : object, optional
        The fitted preprocessing of a Pipeline, when that made `X`.
    types : object, optional
        The types of the table as the user gave it, see `Source.types`.
    notes : tuple of str
        What a reader of a result should know about how `X` was made.
    """

    frame: pd.DataFrame
    X: NDArray[np.float32]
    feature_names: tuple[str, ...]
    columns: tuple[Column, ...]
    y: NDArray[np.int64]
    labels: NDArray[Any]
    label_name: str
    index: pd.Index[Any]
    encoder: Any = None
    types: Any = None
    notes: tuple[str, ...] = ()

    def as_given(self, rows: pd.DataFrame) -> Any:
        """Bring new rows, with the columns of `frame`, into the types of the user's own table."""
        return with_types(rows, self.types)

    @cached_property
    def has_holes(self) -> NDArray[np.bool_]:
        """For each feature, whether some row lacks it: then an added row may lack it, too."""
        return lacks(self.X)

    @cached_property
    def is_boolean(self) -> NDArray[np.bool_]:
        """For each feature, whether it can only ever be 0 or 1, or missing, in added rows too."""
        boolean = np.zeros(len(self.feature_names), dtype=bool)
        for column in self.columns:
            if column.encoding == "onehot" or (column.encoding == "identity" and column.kind == "boolean"):
                boolean[list(column.features)] = True
        return boolean

    @cached_property
    def _column_of_feature(self) -> dict[int, Column]:
        return {feature: column for column in self.columns for feature in column.features}

    def region(self, bounds: Mapping[int, Bounds]) -> Region:
        """Translate bounds on features into what each original column can be there.

        Parameters
        ----------
        bounds : mapping from int to (low, high) or (low, high, True)
            For some features, the half-open interval ``low < value <= high`` they lie in, if they are not
            missing; with True they may be.

        Returns
        -------
        dict from str to (low, high) or frozenset
            For a column kept as it is: an interval, again ``low < value <= high``, of the value
            rounded to float32, with True if the value may be missing. For an encoded
            column: the categories still possible, with None standing for every category that
            training never saw. An empty set says that no row can be there. A column that is
            missing in the result is not restricted.

        Notes
        -----
        *Soundness.* The result contains every original value whose features lie in the bounds; it
        may contain more. An interval speaks of the value as the learner sees it, rounded to float32;
        `ResolvedBias.additions_in` reads it so. A category that
        training never saw is encoded as all zeros (one-hot) or as -1 (ordinal), so it stays
        possible until some feature excludes that. Columns that share or hide their features
        (opaque) are left out.
        """
        touched = {column.name: column for j in bounds if (column := self._column_of_feature.get(j))}
        return {
            name: column.values_between(bounds)
            for name, column in touched.items()
            if column.encoding in ("identity", "onehot", "ordinal")
        }


@dataclass(frozen=True, eq=False)
class TestTable:
    """The people whose predictions are judged, encoded exactly as the training table was.

    Attributes
    ----------
    frame : pandas.DataFrame
        The original columns without the label, rows numbered from 0.
    X : ndarray of float32, shape (n_rows, n_features), Fortran order
        The encoded features.
    index : pandas.Index
        The caller's own names of the rows.
    y : ndarray of int64 or None
        Label codes of the training table where the test table carries labels, -1 for a label that
        training never saw.
    """

    __test__ = False  # pytest would otherwise collect a class of this name

    frame: pd.DataFrame
    X: NDArray[np.float32]
    index: pd.Index[Any]
    y: NDArray[np.int64] | None = None


UNSEEN_CODE = -1
"""Ordinal code of a category that training never saw."""
