"""A witness judged from outside: applied to the user's own table, held against the bias model, retrained."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from tests.truth.edge_bias import Allowance
from tests.truth.edge_rows import columns_of, extended, without

if TYPE_CHECKING:
    from tests.truth.edge_oracle import Case


def judge_witness(case: Case, person: int, witness: Any) -> str:
    """What is wrong with a witness; empty if it holds."""
    problem = case.problem
    X, y = witness.apply(problem.X, problem.y)
    kept = [row for row in range(len(case.y)) if row not in set(witness.removed)]
    n_added = len(witness.added)
    codes = np.array([case.code(label) for label in np.asarray(y).ravel()])
    if len(codes) != len(kept) + n_added or len(X) != len(codes) or (codes < 0).any():
        return f"the changed table has {len(X)} rows and the labels {np.asarray(y).tolist()}"
    columns = columns_of(X)
    wrong = _other_rows(problem.X, columns, kept)
    if wrong:
        return wrong
    flipped = [(row, int(case.codes[row]), int(new)) for row, new in zip(kept, codes, strict=False)]
    flipped = [change for change in flipped if change[1] != change[2]]
    if {row for row, _, _ in flipped} != set(witness.flipped):
        return f"rows {sorted(witness.flipped)} are to be flipped, the changed table differs in {flipped}"
    wrong = _not_allowed(case, witness, columns, kept, flipped, codes) or _other_types(problem.X, X)
    return wrong or _not_changed(case, person, witness, X, np.asarray(y).ravel())


def _other_types(before: Any, after: Any) -> str:
    """The changed table must have the types of the given one; a category that is new may widen its list."""
    if not isinstance(before, pd.DataFrame):
        if isinstance(before, np.ndarray) and np.asarray(after).dtype != before.dtype:
            return f"an array of {before.dtype} became one of {np.asarray(after).dtype}"
        return ""
    if list(before.columns) != list(after.columns):
        return f"the columns {list(before.columns)} became {list(after.columns)}"
    for j, (old, new) in enumerate(zip(before.dtypes, after.dtypes, strict=True)):
        widened = isinstance(old, pd.CategoricalDtype) and isinstance(new, pd.CategoricalDtype)
        if old != new and not widened:
            return f"column {before.columns[j]!r} of type {old} became one of {new}"
    return ""


def _other_rows(before: Any, columns: list[Any], kept: list[int]) -> str:
    for j, old in enumerate(columns_of(before)):
        if any(not _same(old[row], columns[j][place]) for place, row in enumerate(kept)):
            return f"rows that stay have other values in column {j}"
    return ""


def _same(left: Any, right: Any) -> bool:
    if pd.isna(left) or pd.isna(right):
        return bool(pd.isna(left)) == bool(pd.isna(right))
    return bool(left == right)


def _not_allowed(
    case: Case,
    witness: Any,
    columns: list[Any],
    kept: list[int],
    flipped: list[tuple[int, int, int]],
    codes: np.ndarray,
) -> str:
    """Judge the added rows as they are stored in the changed table, against each component by itself."""
    new = [tuple(_item(column[place]) for column in columns) for place in range(len(kept), len(codes))]
    try:
        stored = columns_of(extended(case.problem.X, new) if new else case.problem.X)
    except (ValueError, TypeError, OverflowError) as error:
        return f"the columns cannot hold the added rows {new}: {error}"
    allowance = Allowance.of(case.problem.parts, stored, case.labels.tolist(), case.codes)
    added = [(len(case.y) + i, int(code)) for i, code in enumerate(codes[len(kept) :])]
    removed = [(row, int(case.codes[row])) for row in witness.removed]
    if not allowance.permits(flipped, removed, added):
        return (
            f"not in B(T): flipped {flipped}, removed {removed}, added {new} with labels {codes[len(kept) :]}"
        )
    for i, row in enumerate(witness.added.drop(columns=witness.label_name).to_numpy(object).tolist()):
        held = [_item(column[len(case.y) + i]) for column in stored]
        if not all(map(_same, row, held)):
            return f"the row {row} is to be added, but the table can hold only {held}"
    return ""


def _item(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


def _not_changed(case: Case, person: int, witness: Any, X: Any, y: np.ndarray) -> str:
    """Retrain with the certified way of breaking ties."""
    own = case.own
    seed = own.tree.random_state if witness.random_state is None else witness.random_state
    table = np.asarray(X).tolist() if isinstance(own.X, list) else X
    tree = own.retrained(without(table, own.dropped), y, seed)
    said = case.code(tree.predict(own.encoded(own.people))[person])
    before, after = case.code(witness.before), case.code(witness.after)
    if case.code(case.result.predictions[person]) != before or before == after:
        return f"it leads from {witness.before!r} to {witness.after!r}"
    if said != after and seed is not None:
        return f"retraining gives {case.labels[said]!r}, not {witness.after!r}: {witness!r} {witness.added}"
    return ""
