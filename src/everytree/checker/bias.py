"""What a bias model allows on the user's table, derived by the independent check from its dictionary form.

Plain Python on plain values: conditions are judged row by row, and for rows that may be missing on everything
they could hold. Nothing is shared with `everytree.bias` but the dictionary form of a model.
"""

from __future__ import annotations

import math
import operator
import struct
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from everytree.checker.facts import BiasFacts
from everytree.checker.table import UserColumn, UserTable

__all__ = ["EITHER", "Answers", "Condition", "Setting", "compare", "judge", "read_bias", "rows_of"]

COMPARE: dict[str, Callable[[Any, Any], bool]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}

Condition = Mapping[str, Any]
Answers = frozenset[bool]
"""The answers that are possible: one of them for a row of T, perhaps both for a row that is not known."""

EITHER: Answers = frozenset({False, True})


@dataclass(frozen=True, eq=False)
class Setting:
    """The table, the label of each row, and what the labels are called."""

    table: UserTable
    labels: Sequence[int]
    names: Sequence[object]


def read_bias(
    model: Mapping[str, Any], table: UserTable, labels: Sequence[int], names: Sequence[object]
) -> BiasFacts:
    """Derive budgets and permissions.

    Parameters
    ----------
    model : mapping
        As `BiasModel.to_dict` writes it, without free amounts.
    table : UserTable
        The training table as the user gave it.
    labels : sequence of int
        The position of each row's label in `names`.
    names : sequence
        The distinct labels, sorted.

    Notes
    -----
    *Soundness.* Budgets are summed and permissions united over the components of a kind, which allows more.
    An added row may hold 0 or 1 in a column that `UserColumn.zero_one` says, and anything elsewhere; it may
    lack a column only if some row of T does.
    """
    setting = Setting(table, labels, names)
    parts: dict[str, list[Mapping[str, Any]]] = {"miss": [], "flip": [], "fake": []}
    for component in model["components"]:
        parts[component["kind"]].append(component)
    additions, addable, regional = _read_missing(setting, parts["miss"])
    flips, flips_to, added_flips_to = _read_flips(setting, parts["flip"], additions, addable)
    removals, removable = _read_fakes(setting, parts["fake"], flips_to if flips else None)
    return BiasFacts(additions, flips, removals, flips_to, removable, addable, added_flips_to, regional)


def _read_missing(setting: Setting, parts: Sequence[Mapping[str, Any]]) -> tuple[int, frozenset[int], bool]:
    total, addable, regional = 0, frozenset[int](), False
    for part in parts:
        labels = _labels_of_added(setting, part)
        count = rows_of(setting, part) if labels else 0
        if count:
            total, addable = total + count, addable | labels
            regional = regional or _mentions_column(part.get("where"))
    return total, addable, regional


def _read_flips(
    setting: Setting, parts: Sequence[Mapping[str, Any]], additions: int, addable: frozenset[int]
) -> tuple[int, list[frozenset[int]], frozenset[int]]:
    total = 0
    flips_to = [frozenset[int]()] * len(setting.labels)
    added: frozenset[int] = frozenset()
    for part in parts:
        count = rows_of(setting, part)
        if count == 0:
            continue
        targets = frozenset(
            j for j, name in enumerate(setting.names) if "to" not in part or name in part["to"]
        )
        eligible = _eligible(setting, part)
        sources = _labels_of_added(setting, part) & addable
        reached = frozenset(target for target in targets if sources - {target})
        mine = [
            targets - {own} if fits else frozenset()
            for own, fits in zip(setting.labels, eligible, strict=True)
        ]
        total += min(count, sum(map(bool, mine)) + (additions if reached else 0))
        flips_to = [old | new for old, new in zip(flips_to, mine, strict=True)]
        added |= reached
    return min(total, sum(map(bool, flips_to)) + (additions if added else 0)), flips_to, added


def _read_fakes(
    setting: Setting, parts: Sequence[Mapping[str, Any]], flips_to: Sequence[frozenset[int]] | None
) -> tuple[int, list[bool]]:
    total = 0
    removable = [False] * len(setting.labels)
    for part in parts:
        count = rows_of(setting, part)
        mine = _eligible(setting, part)
        if flips_to is not None and part.get("where") is not None:
            mine = [
                fits or any(_holds(setting, part["where"], r, label) for label in flips_to[r])
                for r, fits in enumerate(mine)
            ]
        if count:
            total += min(count, sum(mine))
            removable = [old or new for old, new in zip(removable, mine, strict=True)]
    return min(total, sum(removable)), removable


def rows_of(setting: Setting, part: Mapping[str, Any]) -> int:
    """Turn an amount into rows; a percentage is rounded up."""
    amount = part["amount"]
    if isinstance(amount, int):
        return amount
    percent, _, group = amount.partition("%")
    whole = sum(_eligible(setting, part)) if "group" in group else len(setting.labels)
    return math.ceil(Fraction(percent) * whole / 100)


def _eligible(setting: Setting, part: Mapping[str, Any]) -> list[bool]:
    """Rows of T that satisfy a component's condition with their own label."""
    where = part.get("where")
    if where is None:
        return [True] * len(setting.labels)
    return [_holds(setting, where, r, label) for r, label in enumerate(setting.labels)]


def _holds(setting: Setting, where: Condition, row: int, label: int) -> bool:
    def answers(leaf: Condition) -> Answers:
        if leaf["on"] == "label":
            return frozenset({compare(leaf, setting.names[label], "")})
        column = setting.table.columns[leaf["on"]["column"]]
        return frozenset({compare(leaf, column.values[row], column.float_code)})

    return True in judge(where, answers)


def _labels_of_added(setting: Setting, part: Mapping[str, Any]) -> frozenset[int]:
    """Labels with which a row that is not in T may satisfy a component's condition."""
    where = part.get("where")
    if where is None:
        return frozenset(range(len(setting.names)))

    def answers(leaf: Condition, label: int) -> Answers:
        if leaf["on"] == "label":
            return frozenset({compare(leaf, setting.names[label], "")})
        column: UserColumn = setting.table.columns[leaf["on"]["column"]]
        lacking = (None,) if column.may_lack else ()
        if leaf["op"] == "missing":
            return frozenset({False, *(True for _ in lacking)})
        if not column.zero_one:
            return EITHER
        return frozenset(compare(leaf, value, column.float_code) for value in (0, 1, *lacking))

    return frozenset(
        label
        for label in range(len(setting.names))
        if True in judge(where, lambda leaf, label=label: answers(leaf, label))  # type: ignore[misc]
    )


def judge(condition: Condition, answers: Callable[[Condition], Answers]) -> Answers:
    """Join the answers to the leaves; each leaf is judged by itself, which can only add answers."""
    if condition["op"] == "not":
        return frozenset(not answer for answer in judge(condition["part"], answers))
    if condition["op"] not in ("and", "or"):
        return answers(condition)
    parts = [judge(part, answers) for part in condition["parts"]]
    joined = parts[0]
    for part in parts[1:]:
        pairs = [(a, b) for a in joined for b in part]
        joined = frozenset((a and b) if condition["op"] == "and" else (a or b) for a, b in pairs)
    return joined


def compare(leaf: Condition, value: object, float_code: str) -> bool:
    """Compare one value with the constants of a leaf; a missing value satisfies only ``!=``."""
    missing = value is None or value != value
    if leaf["op"] == "missing":
        return missing
    if leaf["op"] == "in":
        return not missing and any(value == _cut(constant, float_code) for constant in leaf["values"])
    if missing:
        return bool(leaf["op"] == "!=")
    return bool(COMPARE[leaf["op"]](value, _cut(leaf["value"], float_code)))


def _cut(constant: Any, float_code: str) -> Any:
    """Round a number to the type of a column of floats."""
    if not float_code or isinstance(constant, str):
        return constant
    try:
        return struct.unpack(float_code, struct.pack(float_code, float(constant)))[0]
    except OverflowError:
        return math.copysign(math.inf, constant)


def _mentions_column(condition: Condition | None) -> bool:
    if condition is None:
        return False
    if condition["op"] in ("and", "or"):
        return any(_mentions_column(part) for part in condition["parts"])
    return _mentions_column(condition["part"]) if condition["op"] == "not" else condition["on"] != "label"
