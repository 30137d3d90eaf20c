"""Inputs that fit together and are probably not what was meant: notes, and one refusal.

Called by `everytree.audit.opened`, before anything is computed.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from everytree.bias.acts import ADD
from everytree.errors import AuditError, EverytreeWarning
from everytree.support.text import listing

if TYPE_CHECKING:
    import pandas as pd

    from everytree.bias import ResolvedComponent
    from everytree.table import TestTable, TrainingTable

__all__ = ["check_labels", "note_amounts", "note_groups"]

MANY_GROUPS = 50
"""More groups than this are rarely meant: the column holds numbers or names."""


def check_labels(train: TrainingTable, test: TestTable, y_test: pd.Series[Any] | None) -> None:
    """Refuse true labels of which training knows none, as if spelt differently; note those it does not know.

    Raises
    ------
    AuditError
        If no label of the test table occurs in the training table.
    """
    if y_test is None or test.y is None or (test.y >= 0).all():
        return
    unseen = test.y < 0
    strange = list(dict.fromkeys(np.asarray(y_test)[unseen].tolist()))
    known = listing(train.labels.tolist())
    if unseen.all():
        raise AuditError(
            f"[data] test: no label of the test table occurs in the training table. The column "
            f"{train.label_name!r} has {listing(strange)} in the test table and {known} in the training "
            "table. Spell the labels alike in both, or leave the column out of the test table."
        )
    _note(
        f"[data] test: the test table has labels that training never saw: {listing(strange)}, of "
        f"{_people(int(unseen.sum()))}. The training table has {known}. No prediction can be right for them."
    )


def note_groups(columns: tuple[str, ...], groups: pd.DataFrame) -> None:
    """Note a grouping with more groups than anybody reads."""
    number = len(groups.drop_duplicates())
    if number > MANY_GROUPS:
        _note(
            f"[audit] groups: {', '.join(map(repr, columns))} makes {number} groups of "
            f"{_people(len(groups))}. To compare fewer, name bands of a column of numbers, such as "
            '"age by 25, 45, 65", or a column with wider categories.'
        )


def note_amounts(number: int, parts: Iterable[ResolvedComponent]) -> None:
    """Note amounts of one bias model, counted from 0, that are larger than the rows they can touch."""
    beyond: dict[int, list[str]] = {}
    for part in parts:
        if ADD not in part.component.acts and part.count > part.usable:
            names = beyond.setdefault(part.usable, [])
            if str(part.component) not in names:
                names.append(str(part.component))
    for usable, names in beyond.items():
        rows = "is only 1 row" if usable == 1 else f"are only {usable} rows"
        _note(
            f"[[bias]] number {number + 1}: there {rows} for {' or '.join(names)} to touch. An amount beyond "
            "that allows nothing more."
        )


def _people(number: int) -> str:
    return "1 person" if number == 1 else f"{number} people"


def _note(message: str) -> None:
    warnings.warn(message, EverytreeWarning, stacklevel=5)
