"""The claim of a proof file: which table, which learner, which bias model, and who is said to be robust.

Reads the first line of a file and both tables, and derives everything else anew: features, labels, budgets,
permissions. What the line says beside that (hashes, budgets) must agree.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from everytree.checker.bias import Setting, read_bias
from everytree.checker.facts import BiasFacts
from everytree.checker.proofs.deriving import derive
from everytree.checker.proofs.nodes import Case, Problem
from everytree.checker.proofs.tables import FLOATS, HOWS, Value, Values, hash_of, read_values
from everytree.checker.proofs.wording import Rejected
from everytree.checker.table import UserColumn, UserTable

__all__ = ["FORMAT", "LEARNER", "Claim", "Features", "Tables", "budgets_of", "features_of", "read_claim"]

FORMAT = "everytree proof 1"

LEARNER: dict[str, Any] = {
    "criterion": "gini",
    "max_depth": None,
    "min_samples_leaf": 1,
    "min_samples_split": 2,
    "min_impurity_decrease": 0.0,
    "max_leaf_nodes": None,
    "ccp_alpha": 0.0,
    "class_weight": None,
}
"""Settings of the learner that a claim states, with scikit-learn's defaults; all others are at theirs."""

KEYS = {
    *("format", "made_by", "scikit_learn", "learner", "random_state", "ties", "bias", "budgets", "label"),
    "labels",
    *("columns", "rows", "train", "people", "test", "trusted", "robust", "left_out", "not_robust"),
}
"""What a claim consists of; nothing more and nothing less."""

FIRST_WITH_HOLES = (1, 9)

WAYS = ("walk", "paths", "changes", "tables", "twins")
"""How people are proved."""


Features = tuple[float | None, ...]
"""What the learner sees of a row or a person; None where a value is missing."""


@dataclass(frozen=True, eq=False)
class Tables:
    """Both tables as they were read: the training table with its label, and the people's."""

    train: Values
    test: Values


@dataclass(frozen=True, eq=False)
class Claim:
    """A claim that fits its tables; `problems` has one for each way in which people are proved."""

    line: Mapping[str, Any]
    facts: BiasFacts
    setting: Setting
    names: Sequence[str]
    rows: Sequence[Features]
    people: Sequence[Features]
    written: Sequence[tuple[float, ...]]
    problems: Mapping[str, Problem]
    problem: Problem

    def problem_of(self, pairs: Sequence[Sequence[int]]) -> Problem:
        """The problem of other people, each with a label, about the same tables."""
        (alike,) = _cases({"robust": {WAYS[0]: pairs}}, self.written, self.problem).values()
        return replace(self.problem, cases=alike)


def read_claim(line: Any, tables: Tables) -> Claim:
    """Read a claim against the tables that it is to be about."""
    if not isinstance(line, dict) or line.get("format") != FORMAT:
        raise Rejected("claim", f"the first line is no claim of the form {FORMAT!r}.")
    if set(line) != KEYS:
        odd = ", ".join(sorted(set(line) ^ KEYS))
        raise Rejected("claim", f"it must have exactly the known entries; missing or unknown: {odd}.")
    if line["ties"] != "every":
        raise Rejected("claim", "a proof must hold for every way of breaking ties.")
    names, rows, labels = _training(line, tables.train)
    people = _people(line, tables.test, names)
    setting = Setting(rows.table, labels, line["labels"])
    facts = _facts(line, setting)
    problem, cases = derive(line["learner"], setting, facts, line["bias"], (rows.features, people, names))
    if problem.twins.second:
        _require_version(line["scikit_learn"])
    problems = {by: replace(problem, cases=alike) for by, alike in _cases(line, cases, problem).items()}
    return Claim(line, facts, setting, problem.names, rows.features, people, cases, problems, problem)


def budgets_of(line: Mapping[str, Any], train: Values) -> list[int]:
    """What the bias model of a claim comes to on a training table: additions, flips and removals."""
    table, labels = _given(line, train)
    facts = read_bias(line["bias"], table, labels, line["labels"])
    return [facts.additions, facts.flips, facts.removals]


def _facts(line: Mapping[str, Any], setting: Setting) -> BiasFacts:
    """What the bias model allows; permissions of rows that are declared correct are taken away."""
    facts = read_bias(line["bias"], setting.table, setting.labels, setting.names)
    if [facts.additions, facts.flips, facts.removals] != line["budgets"]:
        raise Rejected("claim", f"the bias model has other budgets than {line['budgets']}.")
    if facts.removals >= len(setting.labels):
        raise Rejected("claim", "the bias model may remove every row.")
    correct = set(line["trusted"])
    flips_to = [frozenset[int]() if r in correct else to for r, to in enumerate(facts.flips_to)]
    removable = [may and r not in correct for r, may in enumerate(facts.removable)]
    return replace(facts, flips_to=flips_to, removable=removable)


def _require_version(version: str) -> None:
    """Trees learn from missing values as is written here since scikit-learn 1.9."""
    if tuple(map(int, version.split(".")[:2])) < FIRST_WITH_HOLES:
        raise Rejected("claim", f"missing values are covered from scikit-learn 1.9 on, not for {version}.")


@dataclass(frozen=True, eq=False)
class _Rows:
    """The training table: columns as the user has them, and features."""

    table: UserTable
    features: list[Features]


def _training(line: Mapping[str, Any], train: Values) -> tuple[list[str], _Rows, list[int]]:
    given = _columns(line, train)
    label = _label_values(line, train)
    if hash_of([*given, ("label", label)]) != line["train"] or len(label) != line["rows"]:
        raise Rejected("claim", "the proof is about another training table: the hashes differ.")
    if line["labels"] != sorted(set(label), key=_order):
        raise Rejected("claim", "the labels are not those of the table, sorted.")
    table, labels = _given(line, train)
    rows = features_of(table, [dict(zip((n for n, _ in given), row, strict=True)) for row in _rows(given)])
    return _feature_names(line), _Rows(table, rows), labels


def _given(line: Mapping[str, Any], train: Values) -> tuple[UserTable, list[int]]:
    """The training table as the user has it, and the number of each row's label."""
    place = {_order(value): code for code, value in enumerate(line["labels"])}
    labels = [place[_order(value)] for value in _label_values(line, train)]
    return _user_table(line, _columns(line, train)), labels


def _columns(line: Mapping[str, Any], table: Values) -> list[tuple[str, list[Value]]]:
    found = []
    for column in line["columns"]:
        if column["how"] not in HOWS or column["name"] not in table:
            raise Rejected("claim", f"the table has no column {column['name']!r} of this kind.")
        found.append((column["name"], read_values(table[column["name"]], column["how"])))
    if len({len(values) for _, values in found}) != 1:
        raise Rejected("claim", "no columns, or columns of different lengths.")
    return found


def _label_values(line: Mapping[str, Any], train: Values) -> list[Value]:
    kinds = {type(value) for value in line["labels"]}
    how = "text" if kinds == {str} else "boolean" if kinds == {bool} else "number"
    if line["label"] not in train:
        raise Rejected("claim", f"the training table has no label column {line['label']!r}.")
    return read_values(train[line["label"]], how)


def _order(value: Value) -> tuple[str, Any]:
    """How labels sort: all of them are texts, or all are numbers."""
    if value is None:
        raise Rejected("table", "a training row has no label.")
    return ("text", value) if isinstance(value, str) else ("number", value)


def _rows(columns: Sequence[tuple[str, Sequence[Value]]]) -> list[tuple[Value, ...]]:
    return list(zip(*(values for _, values in columns), strict=True))


def _user_table(line: Mapping[str, Any], given: Sequence[tuple[str, list[Value]]]) -> UserTable:
    columns, used = {}, 0
    for said, (name, values) in zip(line["columns"], given, strict=True):
        width = {"identity": 1, "ordinal": 1, "onehot": len(said["categories"]), "dropped": 0}[said["way"]]
        features = tuple(range(used, used + width))
        used += width
        categories = tuple(said["categories"])
        if said["way"] in ("onehot", "ordinal") and not set(values) <= set(categories):
            raise Rejected("claim", f"{name} has values in T that are none of its categories.")
        if len(set(categories)) < len(categories):
            raise Rejected("claim", f"{name} has a category twice.")
        code = FLOATS.get(said["how"], "")
        columns[name] = UserColumn(values, said["way"], categories, features, code, bool(said["categorical"]))
    return UserTable(columns)


def _feature_names(line: Mapping[str, Any]) -> list[str]:
    names = []
    for column in line["columns"]:
        if column["way"] == "onehot":
            names += [f"{column['name']}={category}" for category in column["categories"]]
        elif column["way"] != "dropped":
            names.append(column["name"])
    return names


def features_of(table: UserTable, people: Sequence[Mapping[str, Value]]) -> list[Features]:
    """What the learner sees of each row: every feature is one finite float32 number, or missing."""
    known: dict[tuple[str, Value], list[float | None]] = {}
    result = []
    for person in people:
        row: list[float | None] = []
        for name, column in table.columns.items():
            key = name, person[name]
            if key not in known:
                known[key] = [_only(name, person[name], values) for _, values in column.image(person[name])]
            row += known[key]
        result.append(tuple(row))
    return result


def _only(name: str, value: Value, values: frozenset[float | None]) -> float | None:
    seen = next(iter(values), None)
    if value is None and values == {None}:
        return None
    if len(values) != 1 or seen is None or not math.isfinite(seen):
        raise Rejected("table", f"the learner does not see {value!r} of {name} as one number.")
    return seen


def _people(line: Mapping[str, Any], test: Values, names: Sequence[str]) -> list[Features]:
    seen = [column for column in line["columns"] if column["way"] != "dropped"]
    given = _columns({"columns": seen}, test)
    if hash_of(given) != line["test"] or len(given[0][1]) != line["people"]:
        raise Rejected("claim", "the proof is about another table of people: the hashes differ.")
    ways = {column["name"]: column for column in seen}
    table = _user_table({"columns": seen}, [(name, []) for name in ways])
    return features_of(table, [dict(zip(ways, row, strict=True)) for row in _rows(given)])


def _cases(
    line: Mapping[str, Any], people: Sequence[tuple[float, ...]], problem: Problem
) -> dict[str, list[Case]]:
    """Join people who look alike; everybody is proved in one way at most."""
    found, seen = {}, set[int]()
    for by, members in line["robust"].items():
        if by not in WAYS:
            raise Rejected("claim", f"people are proved by {by!r}, which is no known way.")
        alike: dict[tuple[tuple[float, ...], int], list[int]] = {}
        for person, label in members:
            if person in seen or not 0 <= person < len(people) or not 0 <= label < problem.n_labels:
                raise Rejected("claim", f"person {person!r} is named twice, or not in the table.")
            seen.add(person)
            alike.setdefault((people[person], label), []).append(person)
        found[by] = [Case(values, label, tuple(who)) for (values, label), who in alike.items()]
    return found
