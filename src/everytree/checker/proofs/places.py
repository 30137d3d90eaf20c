"""Where rows may be added: how many, with which labels, in the part of the table that splits leave.

Own code of the verification for bias models that say where rows are missing. A condition is judged on every
value that a row between the splits could hold; "yes" when unsure.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from everytree.checker.bias import EITHER, Answers, Condition, Setting, compare, judge, rows_of
from everytree.checker.table import UNSEEN, UserColumn

__all__ = ["Bounds", "Places"]

Bounds = Mapping[int, tuple[float, float]]
"""Feature to (low, high): an added row has low < value < high there.

Rounding to float32 keeps order: a value that lies below a float32 number after rounding lay below it before.
"""

ANYWHERE = (-math.inf, math.inf)


class Places:
    """The missing rows of a bias model, part by part."""

    def __init__(self, parts: Sequence[Mapping[str, Any]], setting: Setting) -> None:
        self.setting = setting
        self.parts = [(rows_of(setting, part), part.get("where")) for part in parts if part["kind"] == "miss"]
        mentioned = {name for _, where in self.parts for name in _names(where)}
        self.features = frozenset(j for name in mentioned for j in setting.table.columns[name].features)

    def inside(self, bounds: Bounds) -> tuple[int, frozenset[int]]:
        """Rows that may be added within bounds at most, and the labels that they may carry."""
        total, every = 0, frozenset[int]()
        for count, where in self.parts:
            labels = self._labels(where, bounds)
            if count and labels:
                total, every = total + count, every | labels
        return total, every

    def _labels(self, where: Condition | None, bounds: Bounds) -> frozenset[int]:
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


def _column_answers(column: UserColumn, leaf: Condition, bounds: Bounds) -> Answers:
    if column.way == "identity":
        low, high = bounds.get(column.features[0], ANYWHERE)
        if column.zero_one:
            return frozenset(
                compare(leaf, value, column.float_code) for value in (0, 1) if low < value < high
            )
        return _number_answers(leaf, low, high, column.float_code)
    if column.way == "onehot":
        return _category_answers(leaf, *_onehot(column, bounds), column.categories)
    if column.way == "ordinal":
        low, high = bounds.get(column.features[0], ANYWHERE)
        possible = [value for code, value in enumerate(column.categories) if low < code < high]
        return _category_answers(leaf, possible, low < UNSEEN < high, column.categories)
    return EITHER


def _number_answers(leaf: Condition, low: float, high: float, float_code: str) -> Answers:
    """Answers over an open interval of numbers; either where the column's type rounds its constants."""
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


def _onehot(column: UserColumn, bounds: Bounds) -> tuple[list[object], bool]:
    """Categories that a row may have, and whether it may be one that T has not: then all features are 0."""
    zero, one = {}, {}
    for feature, category in zip(column.features, column.categories, strict=True):
        low, high = bounds.get(feature, ANYWHERE)
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
    if unseen:
        constants = leaf["values"] if leaf["op"] == "in" else [leaf["value"]]
        if leaf["op"] in ("==", "!=", "in") and all(value in known for value in constants):
            found.add(leaf["op"] == "!=")
        else:
            found |= EITHER
    return frozenset(found)
