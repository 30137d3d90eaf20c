"""A first audit file for a table: complete, commented, and ready to run as it is.

Behind ``everytree audit --init``. Guesses only what a reader sees at once, and says what it guessed.
"""

from __future__ import annotations

import json
import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from everytree.bias import col, flip
from everytree.bias import label as the_label
from everytree.datasets import load, names
from everytree.datasets.inputs import is_dataset, read_training
from everytree.errors import AuditError
from everytree.support.files import check_writable, write_text
from everytree.support.text import listing
from everytree.table import read_table, split_label
from everytree.table.reading import STANDARD_INPUT

__all__ = ["write_example"]

FEW, MANY = 10, 50
"""A column of at most `FEW` categories is proposed as groups; one of more than `MANY` is dropped."""

SENSITIVE = frozenset(
    (
        "sex",
        "gender",
        "race",
        "ethnicity",
        "ethnic",
        "religion",
        "nationality",
        "foreign",
        "disability",
        "age",
    )
)
"""Words in the names of columns that are proposed as groups before all others."""

ENOUGH = 20
"""Whole numbers that are all different are taken for an identifier from this number of rows on."""

TEMPLATE = """\
# An audit of a decision tree with everytree. Run it with: everytree audit {file}
# Everything after a # is a comment. Paths are relative to this file.

title = {title}
# author = "..."
# date = "..."

[data]
train = {train}{test}
label = {label}
positive = {positive}  # the label that counts as being selected; the labels are {labels}
# The columns of the training table:
{columns}
drop = [{drop}]  # columns that the tree must not see; groups and bias models may still name them
categorical = []  # columns whose numbers are codes of categories
encoding = "onehot"  # or "ordinal"

# [learner]  # settings of scikit-learn's tree besides its depth, under the names that it uses
# min_samples_leaf = 20  # or a share of all rows: 0.01
# ccp_alpha = 0.001

[audit]
groups = [{groups}]  # ["race", "sex"] inside the list means the intersections of the two
depths = [1, 2]
engine = "auto"  # or "relational" or "interval": proofs only, quicker
time_limit = 60  # seconds for each cell, that is each bias model, amount and depth
n_jobs = -1  # processes; -1 for one a core

# What may be wrong with the training table. A ? is filled with each of the amounts: numbers of rows (20),
# shares of all rows ("1%"), or of the rows that the condition names ("5% of group").
# What a model means here: everytree explain {explain}

[[bias]]
name = "any label may be wrong"
model = "flip(?)"
amounts = [{amounts}]

[[bias]]
name = {second_name}
model = {second}
amounts = [{amounts}]

# Two doubts at once; every pair of amounts is a cell of a heat map:
# [[bias]]
# name = "wrong labels and missing people"
# model = "flip(?)"
# amounts = [1, 5]
# with = "miss(?)"
# with_amounts = [1, 5]

[outputs]
folder = "audit-results"  # each finished cell is kept here, so that an interrupted audit goes on
report = "report.html"
people = "people.csv"  # one line for each person and cell; .parquet works as well
groups = "groups.csv"  # one line for each group and cell, with the ranges of the metrics
"""


@dataclass(frozen=True, eq=False)
class _Table:
    """What is known about the training table, and what is guessed."""

    X: pd.DataFrame
    y: pd.Series[Any]
    label: str
    groups: tuple[str, ...]


def write_example(train: str, test: str | None, label: str | None, output: Path) -> list[tuple[str, str]]:
    """Write a first audit file.

    Parameters
    ----------
    train : str
        A file or the name of a data set.
    test : str, optional
        The people to judge; by default those of the training file.
    label : str, optional
        The label column; by default the only column with two values.
    output : Path
        A ``.toml`` file that does not exist yet.

    Returns
    -------
    list of (str, str)
        What was decided: the key, and the decision in words.
    """
    if STANDARD_INPUT in (train, test):
        raise AuditError(
            "An audit is run from files: standard input, -, cannot be read again. Save it first."
        )
    check_writable("--output", output, ".toml")
    if output.exists():
        raise AuditError(
            f"--output names {str(output)!r}, which exists already and is not written over. Choose another "
            "name, or remove the file."
        )
    table = _read(train, test, label)
    write_text("--output", output, _fill(table, train, test, output))
    return _decisions(table)


def _decisions(table: _Table) -> list[tuple[str, str]]:
    """Say what was guessed, and about every column that is dropped why."""
    said = [("label", f"{table.label}; {_labels(table)[-1]} counts as being selected")]
    said += [("drop", f"{name}: {_why_dropped(table.X, name)}") for name in _to_drop(table.X)]
    groups = ", ".join(table.groups) or "none found: name columns to compare people by"
    return [*said, ("groups", groups)]


def _why_dropped(X: pd.DataFrame, name: str) -> str:
    column = X[name]
    if name in _identifiers(X):
        return "looks like an identifier, nearly every row has a value of its own"
    if column.isna().any():
        return f"{int(column.isna().sum())} of {len(column)} values are missing"
    return f"text with {column.nunique()} different values, such as names or remarks"


def _labels(table: _Table) -> list[Any]:
    return sorted(table.y.dropna().unique().tolist(), key=lambda value: (str(type(value)), value))


def _read(train: str, test: str | None, label: str | None) -> _Table:
    if is_dataset(train):
        if test is not None:
            raise AuditError(f"The data set {train!r} brings its own people to judge. Leave --test out.")
        X, y, label = read_training(train, label)
        sensitive = load(train).sensitive if train in names() else ()
        return _Table(X, y, label, tuple(name for name in sensitive if name in X.columns))
    frame = read_table(train)
    if test is not None:
        read_table(test)
    label = label if label is not None else _guess_label(frame, train)
    X, y = split_label(frame, label)
    return _Table(X, y, label, _guess_groups(X))


def _guess_groups(X: pd.DataFrame) -> tuple[str, ...]:
    """Columns to compare people by: few categories, those that people must not be treated by first."""
    dropped = _to_drop(X)
    few = [
        str(name)
        for name in X.columns
        if 2 <= X[name].nunique() <= min(FEW, len(X) / 2)
        and (_is_text(X[name]) or _is_sensitive(str(name)))
        and str(name) not in dropped
    ]
    return tuple(sorted(few, key=lambda name: not _is_sensitive(name))[:3])


def _is_sensitive(name: str) -> bool:
    words = re.findall(r"[A-Z]?[a-z]+|[A-Z]+", name)
    return any(word.casefold() in SENSITIVE for word in words)


def _guess_label(frame: pd.DataFrame, train: str) -> str:
    binary = [str(name) for name in frame.columns if frame[name].nunique(dropna=False) == 2]
    if len(binary) == 1:
        return binary[0]
    found = f"{len(binary)} columns have two values ({listing(binary)})" if binary else "none has two values"
    raise AuditError(
        f"Say with --label which column of {train!r} the tree predicts. It cannot be guessed: {found}. "
        f"The columns are {listing(map(str, frame.columns), 40)}."
    )


def _is_text(column: pd.Series[Any]) -> bool:
    return not pd.api.types.is_numeric_dtype(column)


def _fill(table: _Table, train: str, test: str | None, output: Path) -> str:
    labels = _labels(table)
    named = is_dataset(train)
    second, second_name = _targeted(table, labels[-1])
    return TEMPLATE.format(
        file=output.name,
        title=_toml(f"Audit of {Path(train).name}"),
        train=_toml(train if named else _relative(train, output)),
        test="" if named else _test_line(train, test, output),
        label=_toml(table.label),
        positive=_toml(labels[-1]),
        labels=_in_comment(listing(labels)),
        columns="\n".join(f"#   {_in_comment(_described(table.X, name))}" for name in table.X.columns),
        drop=", ".join(_toml(name) for name in _to_drop(table.X)),
        groups=", ".join(map(_toml, table.groups)),
        explain=_in_comment(f'"flip(1%)" {train}' + ("" if named else f" --label {table.label}")),
        amounts='"0.1%", "0.5%"' if len(table.X) >= 1000 else "1, 2",
        second=_toml(second),
        second_name=_toml(second_name),
    )


def _test_line(train: str, test: str | None, output: Path) -> str:
    line = f"\ntest = {_toml(_relative(test or train, output))}"
    return line if test else f"{line}  # the training people themselves; name those you want to judge"


def _relative(name: str, output: Path) -> str:
    return Path(os.path.relpath(name, output.parent)).as_posix() if not Path(name).is_absolute() else name


def _described(X: pd.DataFrame, name: Any) -> str:
    column = X[name]
    missing = int(column.isna().sum())
    note = f"; {missing} missing" if missing else ""
    if str(name) in _identifiers(X):
        note = "; looks like an identifier (nearly every row has a value of its own), so drop names it"
    if not _is_text(column):
        return f"{name}: {column.min()} to {column.max()}{note}"
    return f"{name}: {column.nunique()} categories, {listing(column.dropna().unique().tolist(), 5)}{note}"


def _to_drop(X: pd.DataFrame) -> list[str]:
    """Columns that cannot be learned from as they are, or that name nearly every row."""
    identifiers = _identifiers(X)
    return [str(name) for name in X.columns if str(name) in identifiers or _is_unusable(X[name])]


def _is_unusable(column: pd.Series[Any]) -> bool:
    many = _is_text(column) and column.nunique() > min(MANY, len(column) / 2)
    return many or bool(column.isna().any())


def _identifiers(X: pd.DataFrame) -> list[str]:
    """Columns of whole numbers that name the rows; none if nothing else is left to learn from."""
    found = [str(name) for name in X.columns if _names_rows(X[name])]
    others = [name for name in X.columns if str(name) not in found and not _is_unusable(X[name])]
    return found if others else []


def _names_rows(column: pd.Series[Any]) -> bool:
    if not pd.api.types.is_integer_dtype(column) or column.isna().any():
        return False
    if str(column.name).casefold() == "id" or str(column.name).casefold().endswith("_id"):
        return column.nunique() > len(column) / 2
    return len(column) >= ENOUGH and column.is_unique


def _targeted(table: _Table, label: Any) -> tuple[str, str]:
    """A bias model against one group and label: the group that has this label most often."""
    condition = the_label == label
    for name in table.groups:
        values = table.X[name][table.y == label].dropna()
        if len(values):
            value = values.value_counts().index[0]
            model = flip("?", where=(col(name) == value) & condition)
            return str(model), f"{name} {value}, wrongly labelled {label}"
    return str(flip("?", where=condition)), f"wrongly labelled {label}"


def _toml(value: Any) -> str:
    """Write a value as TOML does: text in single quotes if it can be, which need no backslashes."""
    if isinstance(value, str):
        plain = "'" not in value and value.isprintable() and '"' in value
        return f"'{value}'" if plain else json.dumps(value, ensure_ascii=False)
    return json.dumps(value)


def _in_comment(text: str) -> str:
    return " ".join(text.split())
