"""Where rows may be added: how many, with which labels, in the part of the table that splits leave.

Own code of the verification for bias models that say where rows are missing. A condition is judged on every
value that a row between the splits could hold; "yes" when unsure.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from everytree.checker.bias import EITHER, Answers, Condition, Setting, compare, judge, rows_of
from everytree.checker.holes import Twins
from everytree.checker.table import UNSEEN, UserColumn

__all__ = ["Bounds", "Places"]

Bounds = Mapping[int, tuple[float, float]]
"""Column to (low, high): an added row has low < value < high there, as the column is written.

Rounding to float32 keeps order: a value that lies below a float32 number after rounding lay below it before.
"""

ANYWHERE = (-math.inf, math.inf)

Ends = Mapping[int, tuple[float, float, bool]]
"""Feature to (low, high, whether the value may be missing)."""


class Places:
    """The missing rows of a bias model, part by part."""

    def __init__(self, parts: Sequence[Mapping[str, Any]], setting: Setting, twins: Twins) -> None:
        self.setting, self.twins = setting, twins
        everywhere = self._ends({})
        missing = [(rows_of(setting, part), part.get("where")) for part in parts if part["kind"] == "miss"]
        self.parts = [(count, where) for count, where in missing if count and self._labels(where, everywhere)]
        mentioned = {name for _, where in self.parts for name in _names(where)}
        features = {j for name in mentioned for j in setting.table.columns[name].features}
        self.features = frozenset(features | {twins.second[j] for j in features if j in twins.second})

    def inside(self, bounds: Bounds) -> tuple[int, frozenset[int]]:
        """Rows that may be added within bounds at most, and the labels that they may carry."""
        total, every = 0, frozenset[int]()
        ends = self._ends(bounds)
        for count, where in self.parts:
            labels = self._labels(where, ends)
            if labels:
                total, every = total + count, every | labels
        return total, every

    def _ends(self, bounds: Bounds) -> Ends:
        """Join the bounds of both writings of a column.

        What is missing lies above all values in the first and below all values in the second: it is possible
        as long as neither writing has an end there, in a column that some row of T lacks.
        """
        ends = {j: (*bounds.get(j, ANYWHERE), False) for j in bounds if j not in self.twins.second.values()}
        for j, k in self.twins.second.items():
            (low, high), (other_low, other_high) = bounds.get(j, ANYWHERE), bounds.get(k, ANYWHERE)
            lacking = j in self.twins.of_rows and high == math.inf and other_low == -math.inf
            ends[j] = max(low, other_low), min(high, other_high), lacking
        return ends

    def _labels(self, where: Condition | None, bounds: Ends) -> frozenset[int]:
        names = self.setting.names
        if where is None:
            return frozenset(range(len(names)))
        found = set()
        for label, name in enumerate(names):

            def answers(leaf: Condition, name: object = name) -> Answers:
                if leaf["on"] == "label":
                    return frozenset({compare(leaf, name, "")})
                return _column_answers(self.setting.table.columns[leaf["on"]["column"]], leaf, bounds)

            if True in judge(where, answers):
                found.add(label)
        return frozenset(found)


def _names(where: Condition | None) -> set[str]:
    """Columns that a condition mentions."""
    if where is None:
        return set()
    if where["op"] in ("and", "or"):
        return set().union(*(_names(part) for part in where["parts"]))
    if where["op"] == "not":
        return _names(where["part"])
    return set() if where["on"] == "label" else {where["on"]["column"]}


def _column_answers(column: UserColumn, leaf: Condition, bounds: Ends) -> Answers:
    if column.way == "identity":
        low, high, lacking = bounds.get(column.features[0], (*ANYWHERE, False))
        if column.zero_one:
            known = frozenset(
                compare(leaf, value, column.float_code) for value in (0, 1) if low < value < high
            )
        else:
            known = _number_answers(leaf, low, high, column.float_code)
        return known | {compare(leaf, None, column.float_code)} if lacking else known
    if column.way == "onehot":
        return _category_answers(leaf, *_onehot(column, bounds), column.categories)
    if column.way == "ordinal":
        low, high, _ = bounds.get(column.features[0], (*ANYWHERE, False))
        possible = [value for code, value in enumerate(column.categories) if low < code < high]
        return _category_answers(leaf, possible, low < UNSEEN < high, column.categories)
    if leaf["op"] == "missing" and not column.may_lack:
        return frozenset({False})
    return EITHER


def _number_answers(leaf: Condition, low: float, high: float, float_code: str) -> Answers:
    """Answers over an open interval of numbers; either where the column's type rounds its constants."""
    if leaf["op"] == "missing":
        return frozenset({False})
    if float_code not in ("", "d"):
        return EITHER
    if leaf["op"] == "in":
        within = any(low < value < high for value in leaf["values"])
        return EITHER if within else frozenset({False})
    constant = leaf["value"]
    if leaf["op"] in ("==", "!="):
        if low < constant < high:
            return EITHER
        return frozenset({leaf["op"] == "!="})
    less, more = low < constant, high > constant
    holds, fails = (less, more) if leaf["op"] in ("<", "<=") else (more, less)
    return frozenset(answer for answer, possible in ((True, holds), (False, fails)) if possible)


def _onehot(column: UserColumn, bounds: Ends) -> tuple[list[object], bool]:
    """Categories that a row may have, and whether it may be one that T has not: then all features are 0."""
    zero, one = {}, {}
    for feature, category in zip(column.features, column.categories, strict=True):
        low, high, _ = bounds.get(feature, (*ANYWHERE, False))
        zero[category], one[category] = low < 0 < high, low < 1 < high
    possible = [
        category
        for category in column.categories
        if one[category] and all(zero[other] for other in column.categories if other != category)
    ]
    return possible, all(zero.values())


def _category_answers(
    leaf: Condition, possible: Sequence[object], unseen: bool, known: Sequence[object]
) -> Answers:
    found = {compare(leaf, value, "") for value in possible}
    if unseen and leaf["op"] == "missing":
        found.add(False)
    elif unseen:
        constants = leaf["values"] if leaf["op"] == "in" else [leaf["value"]]
        if leaf["op"] in ("==", "!=", "in") and all(value in known for value in constants):
            found.add(leaf["op"] == "!=")
        else:
            found |= EITHER
    return frozenset(found)
