"""Which columns of the tables may stand in a report and in the file of people.

Personal data stay out unless they are asked for: neither columns that the tree must not see nor free text are
copied. Used by `everytree.audit.tables` and the report.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pandas as pd

from everytree.errors import AuditError
from everytree.support.text import listing, nearest
from everytree.table.bands import read_bands, with_bands

if TYPE_CHECKING:
    from everytree.audit.plan import Plan
    from everytree.table import TrainingTable

__all__ = ["check_shown", "group_name", "shown_columns", "title_of", "with_groups", "withheld_columns"]

MOST_CATEGORIES = 50
"""A text column with more distinct values than this is taken for names or free text."""


def shown_columns(plan: Plan, train: TrainingTable) -> list[str]:
    """Columns that a report may show: those of groups, and those asked for or seen by the tree."""
    grouped = [name for names in plan.groups for name in names]
    asked = plan.outputs.columns
    if asked is None:
        seen = (column.name for column in train.columns if column.encoding != "dropped")
        asked = tuple(name for name in seen if not _is_free_text(train.frame[name]))
    return list(dict.fromkeys([*grouped, *asked]))


def withheld_columns(plan: Plan, train: TrainingTable) -> list[str]:
    """Columns of the training table that are not copied anywhere."""
    shown = set(shown_columns(plan, train))
    return [str(name) for name in train.frame.columns if str(name) not in shown]


def with_groups(frame: pd.DataFrame, plan: Plan) -> pd.DataFrame:
    """The table of people with a column for every group that is a band of another column."""
    return with_bands(frame, [name for names in plan.groups for name in names])


def title_of(columns: tuple[str, ...], frame: pd.DataFrame) -> str:
    """What a reader calls groups: ``sex``, ``race and sex``, and ``age, in bands`` for bands of a column."""
    return " and ".join(f"{name}, in bands" if banded else name for name, banded in _read(columns, frame))


def group_name(columns: tuple[str, ...], key: Any, frame: pd.DataFrame) -> str:
    """Name a group beside others: ``sex Female``, ``age under 25``; a number needs a sign, ``female = 0``."""
    values = key if isinstance(key, tuple) else (key,)
    said = [value if isinstance(value, str) else f"= {value}" for value in values]
    return ", ".join(f"{name} {each}" for (name, _), each in zip(_read(columns, frame), said, strict=True))


def _read(columns: tuple[str, ...], frame: pd.DataFrame) -> list[tuple[str, bool]]:
    """The column behind each choice of groups, and whether these are bands of it."""
    known = [str(name) for name in frame.columns]
    bands = [(name, read_bands(name, known)) for name in columns]
    return [(name, False) if each is None else (each.column, True) for name, each in bands]


def _is_free_text(column: pd.Series[Any]) -> bool:
    return not pd.api.types.is_numeric_dtype(column) and column.astype(str).nunique() > MOST_CATEGORIES


def check_shown(plan: Plan, people: pd.DataFrame) -> None:
    """Refuse columns to show that the table of people does not have."""
    known = [str(name) for name in people.columns]
    for name in plan.outputs.columns or ():
        if name not in known:
            raise AuditError(
                f"[outputs] columns: the test table has no column {name!r}.{nearest(name, known)} It has "
                f"{listing(known, 20)}."
            )
