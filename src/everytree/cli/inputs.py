"""From what a user names, files or data sets, to a training and a test table."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from everytree.errors import TableError

if TYPE_CHECKING:
    import pandas as pd

    from everytree.datasets import Dataset

__all__ = ["Tables", "read_tables", "read_training"]

PAPER = "paper:"
"""What stands before the name of one of the paper's own tables."""


@dataclass(frozen=True, eq=False)
class Tables:
    """A training table, the people to judge, and the name of the label."""

    X_train: pd.DataFrame
    y_train: pd.Series[Any]
    X_test: pd.DataFrame
    label: str


def read_tables(train: str, test: str | None, label: str | None) -> Tables:
    """Read both tables: two files, or one data set by its name."""
    data = _named(train)
    if data is not None:
        if test is not None:
            raise TableError(
                f"The data set {train!r} brings its own people to judge; received {test!r} as well. Leave "
                "the second table out, or name two files."
            )
        return _from_dataset(data, label)
    if test is None:
        raise TableError(
            f"There is no table of people to judge: after the training table {train!r} a second file is "
            "needed. Name the training file again to judge the people it holds."
        )
    X_train, y_train, label = read_training(train, label)
    X_test = _read(test)
    if label in X_test.columns:
        X_test = X_test.drop(columns=label)
    return Tables(X_train, y_train, X_test, label)


def read_training(train: str, label: str | None) -> tuple[pd.DataFrame, pd.Series[Any], str]:
    """Read a training table, from a file or a data set, and take its label out."""
    from everytree.table import split_label
    from everytree.table.naming import listing

    data = _named(train)
    if data is not None:
        tables = _from_dataset(data, label)
        return tables.X_train, tables.y_train, tables.label
    frame = _read(train)
    if label is None:
        raise TableError(
            f"Say with --label which column of {train!r} is the label. Its columns are "
            f"{listing(list(map(str, frame.columns)), 20)}."
        )
    return (*split_label(frame, label), label)


def _named(name: str) -> Dataset | None:
    """Load a data set, or return None where a file is meant."""
    from everytree.datasets import load, load_paper, names
    from everytree.table.naming import listing, nearest

    if name.startswith(PAPER):
        return load_paper(name.removeprefix(PAPER))
    if name in names():
        return load(name)
    if Path(name).suffix or Path(name).exists() or Path(name).name != name:
        return None
    raise TableError(
        f"{name!r} is neither a file nor a data set.{nearest(name, names())} The bundled data sets are "
        f"{listing(names())}; a file needs one of the suffixes .csv, .csv.gz, .parquet and .arff."
    )


def _from_dataset(data: Dataset, label: str | None) -> Tables:
    from everytree.table import split_label

    if label is None or label == data.label:
        return Tables(data.X_train, data.y_train, data.X_test, data.label)
    X_train, y_train = split_label(data.X_train.assign(**{data.label: data.y_train}), label)
    X_test, _ = split_label(data.X_test.assign(**{data.label: data.y_test}), label)
    return Tables(X_train, y_train, X_test, label)


def _read(path: str) -> pd.DataFrame:
    from everytree.table import read_table

    return read_table(path)
