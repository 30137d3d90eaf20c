"""The claim of a proof file: which table, which learner, which bias model, and who is said to be robust.

Reads the first line of a file and both tables, and derives everything else anew: features, labels, budgets,
permissions. What the line says beside that (hashes, budgets) must agree.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from everytree.checker.bias import Setting, read_bias
from everytree.checker.facts import BiasFacts, TreeFacts
from everytree.checker.leaves import allowance
from everytree.checker.proofs.criteria import criterion_of
from everytree.checker.proofs.nodes import Case, Problem, number_rows
from everytree.checker.proofs.places import Places
from everytree.checker.proofs.tables import FLOATS, HOWS, Value, Values, hash_of, read_values
from everytree.checker.proofs.wording import Rejected
from everytree.checker.records import Kind, Records, bridged_gap
from everytree.checker.sizes import Sizes
from everytree.checker.table import UserColumn, UserTable

__all__ = ["FORMAT", "LEARNER", "Claim", "Tables", "features_of", "read_claim"]

FORMAT = "everytree proof 1"

LEARNER: dict[str, Any] = {
    "criterion": "gini",
    "max_depth": None,
    "min_samples_leaf": 1,
    "min_samples_split": 2,
    "min_impurity_decrease": 0.0,
    "max_leaf_nodes": None,
    "ccp_alpha": 0.0,
}
"""Settings of the learner that a claim states, with scikit-learn's defaults; all others are at theirs."""

KEYS = {
    *("format", "made_by", "scikit_learn", "learner", "random_state", "ties", "bias", "budgets", "label"),
    "labels",
    *("columns", "rows", "train", "people", "test", "trusted", "robust", "left_out", "not_robust"),
}
"""What a claim consists of; nothing more and nothing less."""

WAYS = ("walk", "paths", "tables")
"""How people are proved."""


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
    rows: Sequence[tuple[float, ...]]
    people: Sequence[tuple[float, ...]]
    problems: Mapping[str, Problem]


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
    return _derive(line, rows, labels, people, names)


@dataclass(frozen=True, eq=False)
class _Rows:
    """The training table: columns as the user has them, and features."""

    table: UserTable
    features: list[tuple[float, ...]]


def _training(line: Mapping[str, Any], train: Values) -> tuple[list[str], _Rows, list[int]]:
    given = _columns(line, train)
    label = _label_values(line, train)
    if hash_of([*given, ("label", label)]) != line["train"] or len(label) != line["rows"]:
        raise Rejected("claim", "the proof is about another training table: the hashes differ.")
    if line["labels"] != sorted(set(label), key=_order):
        raise Rejected("claim", "the labels are not those of the table, sorted.")
    place = {_order(value): code for code, value in enumerate(line["labels"])}
    table = _user_table(line, given)
    rows = features_of(table, [dict(zip((n for n, _ in given), row, strict=True)) for row in _rows(given)])
    return _feature_names(line), _Rows(table, rows), [place[_order(value)] for value in label]


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


def features_of(table: UserTable, people: Sequence[Mapping[str, Value]]) -> list[tuple[float, ...]]:
    """What the learner sees of each row: every feature must come out as one finite float32 number."""
    known: dict[tuple[str, Value], list[float]] = {}
    result = []
    for person in people:
        row: list[float] = []
        for name, column in table.columns.items():
            key = name, person[name]
            if key not in known:
                known[key] = [_only(name, person[name], values) for _, values in column.image(person[name])]
            row += known[key]
        result.append(tuple(row))
    return result


def _only(name: str, value: Value, values: frozenset[float | None]) -> float:
    seen = next(iter(values), None)
    if len(values) != 1 or seen is None or not math.isfinite(seen):
        raise Rejected("table", f"the learner does not see {value!r} of {name} as one number.")
    return seen


def _people(line: Mapping[str, Any], test: Values, names: Sequence[str]) -> list[tuple[float, ...]]:
    seen = [column for column in line["columns"] if column["way"] != "dropped"]
    given = _columns({"columns": seen}, test)
    if hash_of(given) != line["test"] or len(given[0][1]) != line["people"]:
        raise Rejected("claim", "the proof is about another table of people: the hashes differ.")
    ways = {column["name"]: column for column in seen}
    table = _user_table({"columns": seen}, [(name, []) for name in ways])
    return features_of(table, [dict(zip(ways, row, strict=True)) for row in _rows(given)])


def _derive(
    line: Mapping[str, Any],
    rows: _Rows,
    labels: Sequence[int],
    people: Sequence[tuple[float, ...]],
    names: Sequence[str],
) -> Claim:
    model, label_names = line["bias"], line["labels"]
    facts = _trusted(read_bias(model, rows.table, labels, label_names), line["trusted"])
    if [facts.additions, facts.flips, facts.removals] != line["budgets"]:
        raise Rejected("claim", f"the bias model has other budgets than {line['budgets']}.")
    if facts.removals >= len(labels):
        raise Rejected("claim", "the bias model may remove every row.")
    zero_one = rows.table.zero_one_features(len(names))
    records = _records(rows.features, labels, facts, zero_one)
    close = bridged_gap(records, facts.additions)
    if close is not None:
        j, low, high = close
        raise Rejected("claim", f"the values {low!r} and {high!r} of {names[j]} are too close to tell apart.")
    setting = Setting(rows.table, labels, label_names)
    problem = replace(_problem(line, records, facts, Places(model["components"], setting)), names=names)
    cases = _cases(line, people, len(label_names))
    problems = {by: replace(problem, cases=alike) for by, alike in cases.items()}
    return Claim(line, facts, setting, names, rows.features, people, problems)


def _trusted(facts: BiasFacts, trusted: Sequence[int]) -> BiasFacts:
    """Take the permissions of rows away that are declared correct."""
    correct = set(trusted)
    flips_to = [frozenset[int]() if r in correct else to for r, to in enumerate(facts.flips_to)]
    removable = [may and r not in correct for r, may in enumerate(facts.removable)]
    return replace(facts, flips_to=flips_to, removable=removable)


def _records(
    rows: Sequence[tuple[float, ...]], labels: Sequence[int], facts: BiasFacts, zero_one: Sequence[bool]
) -> Records:
    """The rows one by one, each with what the bias model allows; what no budget can use is left out."""
    kinds: dict[Kind, int] = {}
    of_row = []
    for r, label in enumerate(labels):
        flips_to = facts.flips_to[r] - {label} if facts.flips else frozenset[int]()
        kind = Kind(label, flips_to, facts.removals > 0 and facts.removable[r])
        of_row.append(kinds.setdefault(kind, len(kinds)))
    return Records(list(rows), of_row, [1] * len(of_row), list(kinds), tuple(zero_one))


def _problem(line: Mapping[str, Any], records: Records, facts: BiasFacts, places: Places) -> Problem:
    learner = line["learner"]
    if not isinstance(learner, dict) or set(learner) != set(LEARNER):
        raise Rejected("claim", "the learner must have exactly the known settings.")
    if learner["criterion"] not in ("gini", "entropy", "log_loss"):
        raise Rejected("claim", f"the criterion {learner['criterion']!r} is not covered.")
    n_rows, n_labels = len(records.kind), len(line["labels"])
    gone = allowance(facts, records.kinds, records.count(range(n_rows)), 0).removals
    most = n_rows + facts.additions
    tree = TreeFacts(learner["max_depth"], learner["min_samples_leaf"], learner["min_samples_split"])
    sizes = Sizes.of(tree, n_rows - gone, most)
    levels = most if learner["max_depth"] is None else learner["max_depth"]
    if learner["max_leaf_nodes"] is not None:
        levels = min(levels, learner["max_leaf_nodes"] - 1)
    decrease = Fraction(learner["min_impurity_decrease"]) * most
    if levels < 0 or decrease < 0 or learner["ccp_alpha"] < 0 or sizes.leaf_least < 1:
        raise Rejected("claim", "the learner has a setting that no tree can have.")
    codes, keys, values = number_rows(records)
    return Problem(
        records=records,
        codes=codes,
        keys=keys,
        levels=values,
        facts=facts,
        places=places,
        sizes=sizes,
        criterion=criterion_of(learner["criterion"], n_labels),
        n_labels=n_labels,
        depth=levels,
        decrease=(decrease.numerator, decrease.denominator),
        cut_off=_cut_off(learner, most // sizes.leaf_least),
        names=(),
        cases=(),
    )


def _cut_off(learner: Mapping[str, Any], most_leaves: int) -> str:
    """Where pruning or a limit of leaves may make a leaf of a node; a limit that no tree reaches does not."""
    if learner["ccp_alpha"] > 0:
        return "anywhere"
    if learner["max_depth"] is not None and learner["max_depth"] < 60:
        most_leaves = min(most_leaves, 2 ** learner["max_depth"])
    limit = learner["max_leaf_nodes"]
    return "below the root" if limit is not None and limit < most_leaves else "nowhere"


def _cases(
    line: Mapping[str, Any], people: Sequence[tuple[float, ...]], n_labels: int
) -> dict[str, list[Case]]:
    """Join people who look alike; everybody is proved in one way at most."""
    found, seen = {}, set[int]()
    for by, members in line["robust"].items():
        if by not in WAYS:
            raise Rejected("claim", f"people are proved by {by!r}, which is no known way.")
        alike: dict[tuple[tuple[float, ...], int], list[int]] = {}
        for person, label in members:
            if person in seen or not 0 <= person < len(people) or not 0 <= label < n_labels:
                raise Rejected("claim", f"person {person!r} is named twice, or not in the table.")
            seen.add(person)
            alike.setdefault((people[person], label), []).append(person)
        found[by] = [Case(values, label, tuple(who)) for (values, label), who in alike.items()]
    return found
