"""Checks verdicts from outside: every witness applied and retrained, everybody certified attacked.

Of the library it uses `certify` and `Witness.apply` only. Whether a changed table is one that the bias model
allows is counted here once more, from the two tables alone, in plain code; the tree is scikit-learn's, grown
from scratch. Settings are those of `benchmarks.decide`. Ends with code 1 if anything is wrong.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from fractions import Fraction
from math import ceil
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.common import note, require_paper_tables, show, write_csv
from benchmarks.decide import KINDS, Case, add_choice, certified, chosen_cases

IN_GROUP: dict[str, Callable[[Any, Any], Any]] = {
    "compas": lambda X, y: (X["african_american"].to_numpy() == 1) & (y == 1),
    "drug": lambda X, y: (X["gender"].to_numpy() > 0) & (y == 1),
}
"""The conditions of `benchmarks.decide.GROUPS`, written once more."""

GROUP_VALUE = {"compas": ("african_american", 1), "drug": ("gender", 0.48246)}
"""Column and value that put a row into the group."""


class Allowed:
    """What a setting allows, read from its percents: how many changes of each kind, and to which rows."""

    def __init__(self, case: Case, n_rows: int) -> None:
        records = ceil(Fraction(case.percent) * n_rows / 100)
        self.case = case
        self.amount = {what: records for what, _ in KINDS[case.kind]}
        self.targeted = {what for what, targeted in KINDS[case.kind] if targeted}

    def why_not(self, what: str, X: Any, y: Any) -> str:
        """Say what is wrong with changing these rows (with their labels as they were); "" if nothing."""
        if len(y) > self.amount.get(what, 0):
            return f"{what}: {len(y)} records, {self.amount.get(what, 0)} allowed"
        if what in self.targeted and not IN_GROUP[self.case.table](X, y).all():
            return f"{what}: a record outside the group"
        return ""


def why_outside(allowed: Allowed, data: Any, removed: list[int], X: Any, y: Any) -> str:
    """Say why a changed table (rows that were kept, then added ones) is not allowed; "" if it is."""
    old_X, old_y = data.X_train, data.y_train.to_numpy()
    kept = np.array(sorted(set(range(len(old_y))) - set(removed)))
    n_kept = len(kept)
    if list(X.columns) != list(old_X.columns) or len(X) != len(y) or len(y) < n_kept:
        return "the changed table has another form"
    if not np.array_equal(X.to_numpy(float)[:n_kept], old_X.to_numpy(float)[kept]):
        return "the columns of a kept row changed"
    flipped = kept[y[:n_kept] != old_y[kept]]
    added_X, added_y = X.iloc[n_kept:], y[n_kept:]
    if not set(np.unique(y)) <= set(np.unique(old_y)):
        return "a label that does not exist"
    reasons = [
        allowed.why_not("flip", old_X.iloc[flipped], old_y[flipped]),
        allowed.why_not("fake", old_X.iloc[removed], old_y[removed]),
        allowed.why_not("miss", added_X, added_y),
        why_strange(old_X, added_X),
    ]
    return "; ".join(reason for reason in reasons if reason)


def why_strange(X: Any, added: Any) -> str:
    """Say which column has a value in an added row that a person would not accept there; "" if none."""
    for name in X.columns:
        known, new = X[name].to_numpy(float), added[name].to_numpy(float)
        if not np.isfinite(new).all():
            return f"{name}: not a finite number"
        if np.isin(known, (0, 1)).all() and not np.isin(new, (0, 1)).all():
            return f"{name}: neither 0 nor 1"
        if (known == np.round(known)).all() and not (new == np.round(new)).all():
            return f"{name}: not a whole number"
    return ""


def check_witnesses(case: Case, data: Any, result: Any) -> tuple[int, int, list[str]]:
    """Apply, recount and retrain; how many are confirmed, how many there are, and what is wrong.

    Many people share one change; it is applied once.
    """
    from sklearn.tree import DecisionTreeClassifier

    allowed = Allowed(case, len(data.y_train))
    people = np.flatnonzero(result.verdicts == "not robust").tolist()
    known: dict[tuple[Any, ...], tuple[str, Any]] = {}
    now = DecisionTreeClassifier(max_depth=case.depth, random_state=0).fit(data.X_train, data.y_train)
    before = now.predict(data.X_test)
    wrong = []
    for person in people:
        witness = result.witness(person)
        key = (tuple(sorted(witness.flipped.items())), tuple(witness.removed), witness.added.to_csv())
        if key not in known:
            X, y = witness.apply(data.X_train, data.y_train)
            y = np.asarray(y)
            reason = why_outside(allowed, data, witness.removed, X, y)
            tree = DecisionTreeClassifier(max_depth=case.depth, random_state=0).fit(X, y)
            known[key] = reason, tree.predict(data.X_test)
        reason, after = known[key]
        if not reason and after[person] == before[person]:
            reason = "the label does not change"
        if not reason and (after[person] != witness.after or before[person] != witness.before):
            reason = f"{before[person]} -> {after[person]}, but the witness says {witness!r}"
        if reason:
            wrong.append(f"{case}: person {person}: {reason}")
    return len(people) - len(wrong), len(people), wrong


def attack_certified(case: Case, data: Any, result: Any, random: int, greedy: int) -> tuple[int, str]:
    """Attack everybody who is certified: how many fell, and how."""
    from tests.truth.attacks import attack, certified_setting

    robust = result.verdicts == "robust"
    if case.kind == "targeted miss":
        return attack_with_additions(case, data, result, random)
    setting = certified_setting(data, case.depth, case.bias, engine="relational")
    report = attack(replace(setting, certified=robust), random, greedy)
    return report.fallen_certified, report.first_breach


def attack_with_additions(case: Case, data: Any, result: Any, tables: int) -> tuple[int, str]:
    """Add random rows of the group, all that the amount allows, often many alike; count who falls."""
    import pandas as pd
    from sklearn.tree import DecisionTreeClassifier

    rng = np.random.default_rng(0)
    robust = result.verdicts == "robust"
    fallen, breach = np.zeros(len(robust), bool), ""
    amount = Allowed(case, len(data.y_train)).amount["miss"]
    pool = pd.concat([data.X_train, data.X_test], ignore_index=True)
    column, value = GROUP_VALUE[case.table]
    for number in range(tables):
        rows = np.resize(rng.integers(len(pool), size=rng.choice([1, 2, 5, amount])), amount)
        added = pool.iloc[rows].reset_index(drop=True)
        for name in pool.columns if rng.random() < 0.5 else ():
            donors = np.resize(rng.integers(len(pool), size=rng.choice([1, amount])), amount)
            added[name] = pool[name].to_numpy()[donors]
        added[column] = value
        X = pd.concat([data.X_train, added], ignore_index=True)
        y = np.concatenate([data.y_train.to_numpy(), np.ones(amount, int)])
        tree = DecisionTreeClassifier(max_depth=case.depth, random_state=number).fit(X, y)
        moved = (tree.predict(data.X_test) != result.predictions) & robust
        if moved.any() and not breach:
            breach = f"{case}: person {int(np.argmax(moved))}, random_state {number}, added {added.to_dict()}"
        fallen |= moved
    return int(fallen.sum()), breach


def check(task: tuple[Case, float | None, int, int]) -> tuple[dict[str, Any], list[str]]:
    case, time_limit, random, greedy = task
    data, result = certified(case, time_limit)
    confirmed, total, wrong = check_witnesses(case, data, result)
    fallen, breach = attack_certified(case, data, result, random, greedy)
    row = {
        "table": case.table,
        "depth": case.depth,
        "bias": f"{case.kind} {case.percent}%",
        "witnesses": total,
        "confirmed": confirmed,
        "certified": int(result.counts()["robust"]),
        "fallen": fallen,
        "undecided": int(result.counts()["unknown"]),
    }
    return row, wrong + ([f"WRONG PROOF: {breach}"] if fallen else [])


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.confirm", description=__doc__.split("\n")[0])
    add_choice(parser)
    parser.add_argument("--random", type=int, default=100, help="random attacks for each setting")
    parser.add_argument("--greedy", type=int, default=30, help="greedy attacks on certified people")
    parser.add_argument("--time-limit", type=float, help="seconds for a whole table, proofs included")
    parser.add_argument("--csv", type=Path, help="also write the table to this file")
    options = parser.parse_args()
    require_paper_tables()
    tasks = [(case, options.time_limit, options.random, options.greedy) for case in chosen_cases(options)]
    rows, faults = [], []
    with ProcessPoolExecutor(options.jobs) as pool:
        for task, (row, wrong) in zip(tasks, pool.map(check, tasks), strict=True):
            note(f"{len(rows) + 1}/{len(tasks)} {task[0]}: {row['confirmed']}/{row['witnesses']} confirmed")
            rows.append(row)
            faults += wrong
    for fault in faults:
        print(fault)
    show(rows)
    total = {key: sum(row[key] for row in rows) for key in ("confirmed", "witnesses", "fallen", "certified")}
    print(
        f"{len(rows)} settings: {total['confirmed']}/{total['witnesses']} witnesses confirmed, "
        f"{total['fallen']} of {total['certified']} certified people fell"
    )
    write_csv(options.csv, rows)
    if faults:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
