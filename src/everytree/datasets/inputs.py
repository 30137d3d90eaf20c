"""From what a user names, files or data sets, to a training and a test table.

Above `everytree.table` and `everytree.datasets`; used by the command line and by audits.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from everytree.datasets import load, load_paper, names
from everytree.errors import TableError
from everytree.support.text import listing, nearest
from everytree.table import read_table, split_label
from everytree.table.reading import STANDARD_INPUT, SUFFIXES

if TYPE_CHECKING:
    import pandas as pd

    from everytree.datasets import Dataset

__all__ = ["Tables", "is_dataset", "read_people", "read_tables", "read_training"]

PAPER = "paper:"
"""What stands before the name of one of the paper's own tables."""


@dataclass(frozen=True, eq=False)
class Tables:
    """A training table, the people to judge, and the name of the label.

    `y_test` holds the true labels of the people, or is None where their table has no label.
    """

    X_train: pd.DataFrame
    y_train: pd.Series[Any]
    X_test: pd.DataFrame
    label: str
    y_test: pd.Series[Any] | None = None


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
    if train == test == STANDARD_INPUT:
        raise TableError(
            "Both tables are to come from standard input, -, which can be read once. Name a file for one of "
            "them."
        )
    X_train, y_train, label = read_training(train, label)
    X_test, y_test = read_people(test, label)
    return Tables(X_train, y_train, X_test, label, y_test)


def read_training(train: str, label: str | None) -> tuple[pd.DataFrame, pd.Series[Any], str]:
    """Read a training table, from a file or a data set, and take its label out."""
    data = _named(train)
    if data is not None:
        tables = _from_dataset(data, label)
        return tables.X_train, tables.y_train, tables.label
    frame = _read(train)
    if label is None:
        raise TableError(
            f"Say with --label which column of {train!r} is the label. Its columns are "
            f"{listing(list(map(str, frame.columns)), 20, ends=True)}."
        )
    return (*split_label(frame, label), label)


def read_people(test: str, label: str) -> tuple[pd.DataFrame, pd.Series[Any] | None]:
    """Read the file of the people to judge, and their true labels if it has them."""
    X_test = _read(test)
    if label not in X_test.columns:
        return X_test, None
    return X_test.drop(columns=label), X_test[label]


def is_dataset(name: str, folder: Path | None = None) -> bool:
    """Tell whether a name means a data set or a file, which may lie in `folder`.

    Raises
    ------
    TableError
        If it can mean neither.
    """
    if name.startswith(PAPER) or name in names():
        return True
    path = Path(name)
    if name == STANDARD_INPUT or path.suffix or path.name != name or ((folder or Path()) / path).exists():
        return False
    raise TableError(
        f"{name!r} is neither a file nor a data set.{nearest(name, names())} The bundled data sets are "
        f"{listing(names())}; a file needs one of the suffixes {', '.join(SUFFIXES)}."
    )


def _named(name: str) -> Dataset | None:
    """Load a data set, or return None where a file is meant."""
    if not is_dataset(name):
        return None
    return load_paper(name.removeprefix(PAPER)) if name.startswith(PAPER) else load(name)


def _from_dataset(data: Dataset, label: str | None) -> Tables:
    if label is None or label == data.label:
        return Tables(data.X_train, data.y_train, data.X_test, data.label, data.y_test)
    X_train, y_train = split_label(data.X_train.assign(**{data.label: data.y_train}), label)
    X_test, y_test = split_label(data.X_test.assign(**{data.label: data.y_test}), label)
    return Tables(X_train, y_train, X_test, label, y_test)


def _read(path: str) -> pd.DataFrame:
    return read_table(path)
