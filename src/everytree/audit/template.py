"""A first audit file for a table: complete, commented, and ready to run as it is.

Behind ``everytree audit --init``. What it decides comes from `guessing` and `trying`, and is said.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from everytree.audit.guessing import columns_to_drop, described, guess_groups, guess_label, labels_like_holes
from everytree.audit.trying import Amounts, ChosenDepth, amounts_for, best_depth, first_look, given_away
from everytree.bias import BiasModel, Condition, col, flip
from everytree.bias import label as the_label
from everytree.datasets import load, names
from everytree.datasets.inputs import is_dataset, read_people, read_tables
from everytree.errors import AuditError, EverytreeError
from everytree.support.files import check_writable, write_text
from everytree.support.text import listing, pasteable
from everytree.table import read_table, split_label
from everytree.table.bands import Bands, read_bands
from everytree.table.reading import STANDARD_INPUT

if TYPE_CHECKING:
    from everytree.learner import Prepared

__all__ = ["write_example"]

TEMPLATE = """\
# An audit of a decision tree with everytree. Run it with: {run}
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
missing = "learn"  # missing numbers are left to the tree; "impute" fills them in, "category" sets them apart
{names}
# [learner]  # settings of scikit-learn's tree besides its depth, under the names that it uses
# min_samples_leaf = 20  # or a share of all rows: 0.01
# ccp_alpha = 0.001
# class_weight = "balanced"  # or what a row of each label counts: {{ {weights} }}

[audit]
# Columns, or bands of a column of numbers ("age by 25, 45, 65"); ["race", "sex"] inside the list means the
# intersections of the two.
groups = [{groups}]
depths = [{depth}]  # {depth_why}
engine = "auto"  # or "relational" or "interval": proofs only, quicker
time_limit = 30  # seconds for each cell, that is each bias model, amount and depth
n_jobs = -1  # processes; -1 for one a core

# What may be wrong with the training table. A ? is filled with each of the amounts: numbers of rows (20),
# shares of all rows ("1%"), or of the rows that the condition names ("5% of group").
# What a model means here: {explain}

[[bias]]
name = "any label may be wrong"
model = {first}
amounts = [{first_amounts}]  # {first_why}

[[bias]]
name = {second_name}
model = {second}
amounts = [{second_amounts}]  # {second_why}

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
# proofs = true  # one proof file for each cell, in the folder above; everytree verify checks it
"""


MOST_NAMED = 10
"""Up to so many labels that are numbers get lines for their names."""


@dataclass(frozen=True, eq=False)
class _Table:
    """The tables, and what was decided about them."""

    X: pd.DataFrame
    y: pd.Series[Any]
    people: pd.DataFrame
    label: str
    groups: tuple[str, ...]
    dropped: dict[str, str]
    depth: ChosenDepth
    telling: dict[str, str]
    """Columns that give the label away, and what is said of them."""
    others: bool
    """Whether the people are others than those of the training table."""
    called: dict[Any, str]
    """What labels stand for, where that is known."""

    @property
    def seen(self) -> list[str]:
        """The columns that the tree sees."""
        return [name for name in map(str, self.X.columns) if name not in self.dropped]

    @property
    def names(self) -> list[str]:
        """All columns but the label; those that only the test table has come last."""
        return list(dict.fromkeys([*map(str, self.X.columns), *self.dropped]))

    @property
    def labels(self) -> list[Any]:
        """The labels, sorted."""
        return sorted(self.y.dropna().unique().tolist(), key=lambda value: (str(type(value)), value))

    def name_of(self, value: Any) -> str:
        """A label as a reader understands it: a word speaks for itself, a number does not."""
        known = self.called.get(value)
        return known or (value if isinstance(value, str) else f"{self.label} {value}")


@dataclass(frozen=True)
class _Doubt:
    """A bias model with a name and amounts."""

    name: str
    model: BiasModel
    amounts: Amounts

    def __str__(self) -> str:
        return f"{self.amounts} for {self.model}; {self.amounts.why}"


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
    look = first_look(table.X, table.y, table.people, table.depth.depth, list(table.dropped))
    doubts = _doubts(table, look)
    write_text("--output", output, _fill(table, doubts, train, test, output))
    said = _decisions(table, doubts)
    said += [("look at", words) for words in labels_like_holes(table.y)]
    said += [("look at", f"{name} {words}") for name, words in table.telling.items()]
    return said + ([("to mend", str(look))] if isinstance(look, EverytreeError) else [])


def _decisions(table: _Table, doubts: list[_Doubt]) -> list[tuple[str, str]]:
    """Say what was decided, and about every column that is dropped why."""
    called = table.called.get(table.labels[-1])
    selected = f"{table.labels[-1]} ({called})" if called else table.labels[-1]
    said = [("label", f"{table.label}; {selected} counts as being selected")]
    said += [("drop", f"{name}: {why}") for name, why in table.dropped.items()]
    holes = [name for name in table.seen if table.X[name].isna().any()]
    if holes:
        said += [("missing", f"{', '.join(holes)}: kept; numbers are left to the tree, text is a category")]
    said += [("groups", ", ".join(table.groups) or "none found: name columns to compare people by")]
    said += [("depth", str(table.depth))]
    said += [("amounts", str(doubt)) for doubt in doubts]
    if not table.others:
        said += [("people", "those of the training table; name others with --test")]
    return said


def _read(train: str, test: str | None, label: str | None) -> _Table:
    groups: tuple[str, ...] = ()
    called: dict[Any, str] = {}
    if is_dataset(train):
        if test is not None:
            raise AuditError(f"The data set {train!r} brings its own people to judge. Leave --test out.")
        tables = read_tables(train, None, label)
        X, y, people, label = tables.X_train, tables.y_train, tables.X_test, tables.label
        if train in names():
            known = load(train)
            groups = tuple(name for name in known.sensitive if name in X.columns)
            called = known.labels if label == known.label else {}
    else:
        frame = read_table(train)
        label = label if label is not None else guess_label(frame, train)
        X, y = split_label(frame, label)
        people = X if test is None else read_people(test, label)[0]
    dropped = columns_to_drop(X, y) | _not_in_both(X, people)
    given = y.notna().to_numpy()
    kept = X[given].drop(columns=list(dropped), errors="ignore")
    depth, telling = best_depth(kept, y[given]), given_away(kept, y[given])
    groups = groups or guess_groups(X, dropped)
    return _Table(X, y, people, label, groups, dropped, depth, telling, people is not X, called)


def _not_in_both(X: pd.DataFrame, people: pd.DataFrame) -> dict[str, str]:
    """Name the columns that only one of the tables has, each with the reason to leave it out."""
    here, there = (list(map(str, frame.columns)) for frame in (X, people))
    lacking = {name: "the test table does not have it" for name in here if name not in there}
    if len(lacking) == len(here):
        return {}  # these are other tables: the look will say so
    return lacking | {name: "only the test table has it" for name in there if name not in here}


def _doubts(table: _Table, look: Prepared | EverytreeError) -> list[_Doubt]:
    """Any label may be wrong; and those of one group, the one that has a label most often."""
    first = _Doubt("any label may be wrong", flip("?"), amounts_for(look, flip("?")))
    name, model = _targeted(table, table.labels[-1])
    return [first, _Doubt(name, model, amounts_for(look, model, first.amounts.proved))]


def _fill(table: _Table, doubts: list[_Doubt], train: str, test: str | None, output: Path) -> str:
    labels, named = table.labels, is_dataset(train)
    first, second = doubts
    return TEMPLATE.format(
        run=_in_comment(pasteable(["everytree", "audit", output.name])),
        title=_toml(f"Predictions of {table.label}, learned from {Path(train).name}"),
        train=_toml(train if named else _relative(train, output)),
        test="" if named else _test_line(train, test, output),
        label=_toml(table.label),
        positive=_toml(labels[-1]),
        labels=_in_comment(listing(labels)),
        weights=_in_comment(", ".join(f"{_toml(str(label))} = {k}" for k, label in enumerate(labels[:4], 1))),
        names=_names(labels, table.called),
        columns="\n".join(f"#   {_in_comment(_line(table, name))}" for name in table.names),
        drop=", ".join(map(_toml, table.dropped)),
        groups=", ".join(map(_toml, table.groups)),
        explain=_in_comment(pasteable(_explain(table, train, output))),
        depth=table.depth.depth,
        depth_why=str(table.depth).partition("; ")[2],
        first=_toml(str(first.model)),
        first_amounts=first.amounts,
        second=_toml(str(second.model)),
        second_name=_toml(second.name),
        first_why=first.amounts.why,
        second_why=second.amounts.why,
        second_amounts=second.amounts,
    )


def _names(labels: list[Any], called: dict[Any, str]) -> str:
    """Lines that give names to labels which are no words, to be filled in where they are not known."""
    if called:
        lines = [f"{_toml(str(label))} = {_toml(called[label])}\n" for label in labels]
        return "".join(["\n[data.labels]  # what the report calls the labels\n", *lines])
    if all(isinstance(label, str) for label in labels) or len(labels) > MOST_NAMED:
        return ""
    lines = [f'# {_toml(str(label))} = "..."\n' for label in labels]
    return "".join(["\n# [data.labels]  # what the report calls the labels\n", *lines])


def _explain(table: _Table, train: str, output: Path) -> list[str]:
    """The command that explains a bias model on this table, from the folder of the file."""
    where = [train] if is_dataset(train) else [_relative(train, output), "--label", table.label]
    return ["everytree", "explain", "flip(1%)", *where]


def _line(table: _Table, name: str) -> str:
    """Say what a column holds; of one that is dropped only why, for it may name people."""
    if name in table.dropped:
        return f"{name}, dropped: {table.dropped[name]}"
    told = f"; {table.telling[name]}" if name in table.telling else ""
    return f"{name}: {described(table.X[name])}{told}"


def _test_line(train: str, test: str | None, output: Path) -> str:
    line = f"\ntest = {_toml(_relative(test or train, output))}"
    return line if test else f"{line}  # the training people themselves; name those you want to judge"


def _relative(name: str, output: Path) -> str:
    return Path(os.path.relpath(name, output.parent)).as_posix() if not Path(name).is_absolute() else name


def _targeted(table: _Table, label: Any) -> tuple[str, BiasModel]:
    """A bias model against one group and label: the group that has this label most often."""
    condition, name = the_label == label, table.name_of(label)
    for group in table.groups:
        bands = read_bands(group, map(str, table.X.columns))
        values = table.X[group] if bands is None else bands.of(table.X[bands.column])
        values = values[(table.y == label).to_numpy()].dropna()
        if len(values):
            value = values.value_counts().index[0]
            where = (
                col(group) == value
                if bands is None
                else _in_band(bands, values.cat.categories.get_loc(value))
            )
            column = group if bands is None else bands.column
            return f"{column} {value}, wrongly labelled {name}", flip("?", where=where & condition)
    return f"wrongly labelled {name}", flip("?", where=condition)


def _in_band(bands: Bands, place: int) -> Condition:
    """The condition that a value lies in a band."""
    ends = [col(bands.column) >= cut for cut in bands.cuts[max(0, place - 1) : place]]
    ends += [col(bands.column) < cut for cut in bands.cuts[place : place + 1]]
    return ends[0] if len(ends) == 1 else ends[0] & ends[1]


def _toml(value: Any) -> str:
    """Write a value as TOML does: text in single quotes if it can be, which need no backslashes."""
    if isinstance(value, str):
        plain = "'" not in value and value.isprintable() and '"' in value
        return f"'{value}'" if plain else json.dumps(value, ensure_ascii=False)
    return json.dumps(value)


def _in_comment(text: str) -> str:
    return " ".join(text.split())
