"""Splits in the words of the original table.

Knows how columns were encoded, and nothing about bias.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from everytree.table.structure import MISSING

if TYPE_CHECKING:
    from everytree.table import TrainingTable

ADDED_ONLY = " (added rows only)"
"""Behind a split with all rows of the table on one side."""


def split_text(
    table: TrainingTable,
    feature: int,
    low: float | None,
    high: float | None,
    missing_left: bool | None = None,
) -> tuple[str, tuple[str, str]]:
    """Name a split and its two sides, and say where rows without a value go.

    Parameters
    ----------
    table, feature, low, high
        As in `_plain_split`; an infinite end stands for what is missing.
    missing_left : bool or None
        Whether they go left; None if there are none.
    """
    name = table.feature_names[feature]
    if high == np.inf:
        return f"{name} is missing", (f"{name} is not missing", f"{name} is missing")
    low = None if low == -np.inf else low
    text, sides = _plain_split(table, feature, low, high)
    if missing_left is None:
        return text, sides
    said = tuple(
        f"{side} or missing" if missing_left == (place == 0) else side for place, side in enumerate(sides)
    )
    return dict(zip(sides, said, strict=True)).get(text, text), (said[0], said[1])


def _plain_split(
    table: TrainingTable, feature: int, low: float | None, high: float | None
) -> tuple[str, tuple[str, str]]:
    """Name a split and its two sides.

    Parameters
    ----------
    table : TrainingTable
    feature : int
        Position among the encoded features.
    low, high : float or None
        The neighbouring values it lies between; None beyond the values of the node, where only added rows
        are.
    """
    inner = low is not None and high is not None
    column = next((c for c in table.columns if feature in c.features), None)
    if column is not None and column.encoding == "onehot":
        category = column.categories[column.features.index(feature)]
        sides = f"{column.name} != {_value(category)}", f"{column.name} == {_value(category)}"
        if category is MISSING:
            sides = f"{column.name} is not missing", f"{column.name} is missing"
        return sides[1] if inner else sides[low is not None] + ADDED_ONLY, sides
    name = table.feature_names[feature] if column is None or column.encoding == "opaque" else column.name
    if low is None or high is None:
        word, other, edge = ("<", ">=", high) if low is None else (">", "<=", low)
        sides = f"{name} {word} {_plain(edge)}", f"{name} {other} {_plain(edge)}"
        return sides[0] + ADDED_ONLY, sides if low is None else (sides[1], sides[0])
    if column is not None and column.encoding == "ordinal":
        last = _value(column.categories[int(low)]) if 0 <= low < len(column.categories) else _plain(low)
        return f"{name} up to {last}", (f"{name} up to {last}", f"{name} beyond {last}")
    if table.is_boolean[feature]:
        return f"{name} == 1", (f"{name} == 0", f"{name} == 1")
    middle = _threshold(low, high)
    return f"{name} <= {middle}", (f"{name} <= {middle}", f"{name} > {middle}")


def question(
    train: TrainingTable, feature: int, threshold: float, missing_left: bool = False
) -> tuple[str, tuple[str, str]]:
    """Say a split as a question in original terms, with the answers of its left and its right side.

    `missing_left` says that a row without a value is sent to the left; it is told where rows lack one.

    Returns
    -------
    (str, (str, str))
        ``("age ≤ 24.5", ("yes", "no"))``, or ``("race is Black", ("no", "yes"))`` for a one-hot feature and
        ``("married is 1", ("no", "yes"))`` for one that is 0 or 1.
    """
    for column in train.columns:
        if feature in column.features:
            place = column.features.index(feature)
            if column.encoding == "onehot" and 0 <= threshold < 1:
                return f"{column.name} is {column.categories[place]}", ("no", "yes")
            if column.encoding == "ordinal":
                low = [str(c) for code, c in enumerate(column.categories) if code <= threshold]
                return f"{column.name} is {_either(low)}", ("yes", "no")
    name = train.feature_names[feature]
    if threshold == np.inf:
        return f"{name} is missing", ("no", "yes")
    if train.is_boolean[feature] and not train.has_holes[feature] and 0 <= threshold < 1:
        return f"{name} is 1", ("no", "yes")
    missing = " or missing" if missing_left and train.has_holes[feature] else ""
    return f"{name} ≤ {threshold:.6g}{missing}", ("yes", "no")


def _either(values: list[str]) -> str:
    if len(values) > 6:
        return f"{values[0]} … {values[-1]} (the first {len(values)} in sorted order)"
    return values[0] if len(values) == 1 else ", ".join(values[:-1]) + " or " + values[-1]


def _threshold(low: float, high: float) -> str:
    """The midpoint in as few digits as tell the two sides apart."""
    middle = low / 2 + high / 2
    for digits in range(4, 18):
        text = f"{middle:.{digits}g}"
        if low <= float(text) < high and (digits > 5 or float(text) == middle):
            return _positional(float(text))
    return _positional(middle)


def _plain(value: float | None) -> str:
    """A value of the table, which is rounded to single precision."""
    return _positional(np.float32(value))


def _positional(number: float | np.float32) -> str:
    return np.format_float_positional(number, trim="-")


def _value(value: Any) -> str:
    return (
        f'"{value}"'
        if isinstance(value, str)
        else str(value.item() if isinstance(value, np.generic) else value)
    )
