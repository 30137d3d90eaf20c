"""Can a row that satisfies a condition lie in a region? Three-valued evaluation, once for all labels.

Used by `resolve` for rows that may be missing: their values are not in the table, so a condition is judged on
everything they could be. "Yes" when unsure.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from everytree.bias.columns import COMPARE, Column, TableView
from everytree.bias.language.expressions import (
    And,
    Comparison,
    Condition,
    IsMissing,
    Leaf,
    Membership,
    Not,
    leaves,
)
from everytree.bias.language.text import Constant
from everytree.table.structure import MISSING

__all__ = ["Region", "RegionTest"]

Region = Mapping[str, Any]
"""Column name -> (low, high), meaning low < value <= high, with True behind them if the value may be missing,
or a set of categories; else unrestricted."""

_EVERYWHERE = (-math.inf, math.inf)
_EXACT_IN_FLOAT64 = 2**53


@dataclass(frozen=True, eq=False)
class RegionTest:
    """A condition, ready to be asked which labels a row may have that satisfies it in a region.

    Sets of labels are bits of an int. The answer to a condition is a pair: the labels with which it may
    hold, and the labels with which it may fail; a column that is not known makes both possible.

    Notes
    -----
    *Soundness.* Each leaf over-approximates both sets, and ``and``, ``or``, ``not`` combine them
    monotonically, so a label is left out only when no row of the region satisfies the condition with it.
    Leaves forget each other (``a == 1 and a == 2`` may hold), which can only add labels.
    """

    condition: Condition | None
    all_labels: int
    label_bits: dict[Condition, int]
    columns: dict[str, Possible]

    @classmethod
    def of(cls, condition: Condition | None, table: TableView) -> RegionTest:
        """Prepare a condition that has been checked against the table."""
        label_bits: dict[Condition, int] = {}
        columns: dict[str, Possible] = {}
        for leaf in leaves(condition):
            if leaf.column is None:
                label_bits[leaf] = sum(1 << int(place) for place in np.flatnonzero(table.leaf_labels(leaf)))
            else:
                columns[leaf.column] = Possible.of(table.column(leaf.column))
        return cls(condition, (1 << len(table.labels)) - 1, label_bits, columns)

    @property
    def mentions_columns(self) -> bool:
        """Whether the answer depends on the region at all."""
        return bool(self.columns)

    def labels_in(self, region: Region) -> int:
        """Give the labels that a row of the region may have when it satisfies the condition."""
        return self.all_labels if self.condition is None else self._judge(self.condition, region)[0]

    def _judge(self, condition: Condition, region: Region) -> tuple[int, int]:
        if isinstance(condition, Leaf):
            return self._judge_leaf(condition, region)
        if isinstance(condition, Not):
            may_hold, may_fail = self._judge(condition.part, region)
            return may_fail, may_hold
        conjunction = isinstance(condition, And)
        hold = fail = self.all_labels if conjunction else 0
        fail = 0 if conjunction else self.all_labels
        for part in condition.parts:  # type: ignore[attr-defined]
            may_hold, may_fail = self._judge(part, region)
            hold = hold & may_hold if conjunction else hold | may_hold
            fail = fail | may_fail if conjunction else fail & may_fail
        return hold, fail

    def _judge_leaf(self, leaf: Leaf, region: Region) -> tuple[int, int]:
        if leaf.column is None:
            bits = self.label_bits[leaf]
            return bits, self.all_labels & ~bits
        hold, fail = self.columns[leaf.column].judge(leaf, region.get(leaf.column))
        return (self.all_labels if hold else 0), (self.all_labels if fail else 0)


@dataclass(frozen=True, eq=False)
class Possible:
    """What an added row may hold in one column, as the column's kind says.

    Any finite number in a numeric column; 0 or 1 in a boolean one; any category in a categorical one, those
    never seen included; and nothing where the training table has holes. `short` is the type of a column of
    short floats.
    """

    kind: str
    categories: frozenset[Any]
    may_be_missing: bool
    short: np.dtype[Any] | None

    @classmethod
    def of(cls, column: Column) -> Possible:
        """Read it from a column of the training table."""
        dtype = column.values.dtype
        short = dtype if column.are_numbers and dtype.kind == "f" and dtype.itemsize < 4 else None
        return cls(column.kind, column.categories, bool(column.missing.any()), short)

    def judge(self, leaf: Leaf, where: Any) -> tuple[bool, bool]:
        """Say whether a leaf may hold, and whether it may fail, in the column's part of a region.

        What is missing satisfies ``!=`` and ``is missing``, and nothing else.
        """
        missing = self.may_be_missing and _may_be_missing(where)
        if isinstance(leaf, IsMissing):
            return missing, where != frozenset([MISSING])
        if isinstance(where, tuple):
            where = where[:2]
        if self.kind == "categorical":
            hold, fail = _on_categories(leaf, where, self.categories)
        elif self.kind == "numeric":
            hold, fail = _on_numbers(leaf, where, self.short)
        else:
            hold, fail = _on_zero_one(leaf, where)
        if missing:
            not_equal = isinstance(leaf, Comparison) and leaf.operator == "!="
            hold, fail = hold or not_equal, fail or not not_equal
        return hold, fail


def _may_be_missing(where: Any) -> bool:
    """Whether a part of a region leaves room for what is missing."""
    if isinstance(where, set | frozenset):
        return MISSING in where
    return where is None or len(where) == 3


def _on_zero_one(leaf: Comparison | Membership, where: Any) -> tuple[bool, bool]:
    """Judge a leaf on a boolean column; a set that holds None stands for other values as well."""
    if isinstance(where, set | frozenset):
        if None in where or not where <= {0, 1}:
            return True, True
        values = [value for value in (0, 1) if value in where]
    else:
        low, high = where or _EVERYWHERE
        values = [value for value in (0, 1) if low < value <= high]
    if isinstance(leaf, Membership):
        answers = [value in leaf.values for value in values]
    else:
        answers = [COMPARE[leaf.operator](value, leaf.value) for value in values]
    return any(answers), not all(answers)


def _on_categories(leaf: Comparison | Membership, where: Any, seen: frozenset[Any]) -> tuple[bool, bool]:
    """Judge a categorical leaf; besides the given categories, one that no training row has is possible."""
    ordered = isinstance(leaf, Comparison) and leaf.operator not in ("==", "!=")
    if ordered or (where is not None and not isinstance(where, set | frozenset)):
        return True, True
    inside = seen if where is None else where
    values = leaf.values if isinstance(leaf, Membership) else (leaf.value,)
    equal = any(value in inside or value not in seen for value in values)
    if isinstance(leaf, Comparison) and leaf.operator == "!=":
        return True, equal
    return equal, True


def _on_numbers(leaf: Comparison | Membership, where: Any, short: np.dtype[Any] | None) -> tuple[bool, bool]:
    """Judge a numeric leaf on low < value <= high.

    The learner sees values rounded to float32, and the region speaks of what it sees, while a condition
    speaks of the original value. Rounding keeps the order but may merge neighbours, so ``<`` is judged like
    ``<=`` and ``>`` like ``>=``, on the rounded constant.
    """
    if isinstance(where, set | frozenset):
        return True, True
    low, high = where or _EVERYWHERE
    if isinstance(leaf, Membership):
        ends = [_rounded(value, short) for value in leaf.values]
        return any(low < most and least <= high for least, most in ends), True
    least, most = _rounded(leaf.value, short)
    below, above = low < most, high >= least
    if leaf.operator in ("<", "<="):
        return below, above
    if leaf.operator in (">", ">="):
        return above, below
    return (below and above, True) if leaf.operator == "==" else (True, below and above)


@lru_cache(maxsize=4096)
def _rounded(value: Constant, short: np.dtype[Any] | None = None) -> tuple[float, float]:
    """Give the least and the largest float32 that a cast of `value` may give, cut to a short type or not."""
    if short is not None:
        with np.errstate(over="ignore"):
            ends = (*_rounded(value), *_rounded(float(short.type(value))))
        return min(ends), max(ends)
    with np.errstate(over="ignore"):
        nearest = np.float32(value)
        if abs(float(value)) < _EXACT_IN_FLOAT64:
            return float(nearest), float(nearest)
        # Beyond 2**53 the way through float64 may round once more than the direct one.
        return float(np.nextafter(nearest, np.float32(-np.inf))), float(
            np.nextafter(nearest, np.float32(np.inf))
        )
