"""Files: CSV, Parquet and ARFF into a pandas frame, and the label column out of it.

Used by the command line and the data sets; the rest of `everytree.table` never touches a file.
"""

from __future__ import annotations

import csv
import gzip
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from everytree.errors import TableError
from everytree.support.text import listing, nearest
from everytree.table.arff import read_arff

if TYPE_CHECKING:
    import os


__all__ = ["read_table", "split_label"]

MISSING_IN_CSV = ["", "NaN", "nan"]
"""What an entry must be to count as missing; words such as None or NA may be categories."""


def read_table(path: str | os.PathLike[str]) -> pd.DataFrame:
    """Read a table from a file, by its suffix.

    Parameters
    ----------
    path : str or path
        A ``.csv``, ``.csv.gz``, ``.parquet`` or ``.arff`` file. CSV files have a header and commas.

    Returns
    -------
    pandas.DataFrame

    Raises
    ------
    TableError
        If the file is missing, of an unknown kind, cannot be parsed, or has no rows.
    """
    file = Path(path)
    read = _reader(file)
    _check_exists(file)
    try:
        frame = read(file)
    except TableError:
        raise
    except UnicodeDecodeError as error:
        raise TableError(
            f"Cannot read {str(file)!r}: it is not UTF-8 (byte {error.object[error.start]:#04x} cannot be "
            'read). Save the file as UTF-8; in Excel choose "CSV UTF-8" as its type.'
        ) from error
    except Exception as error:
        reason = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
        raise TableError(
            f"Cannot read {str(file)!r} as {file.name.split('.', 1)[-1]}: {reason.rstrip('.')}. Check that "
            "the file is complete and that its suffix says what it is."
        ) from error
    if len(frame) == 0:
        raise TableError(f"The table in {str(file)!r} has no rows. It needs at least one below the header.")
    return frame


def _reader(file: Path) -> Callable[[Path], pd.DataFrame]:
    readers = {".csv": _read_csv, ".csv.gz": _read_csv, ".parquet": _read_parquet, ".arff": read_arff}
    for suffix, reader in readers.items():
        if file.name.lower().endswith(suffix):
            return reader
    raise TableError(
        f"Cannot tell what kind of table {str(file)!r} is: its suffix must be one of {listing(readers)}; "
        f"received {file.suffix!r}. Rename or convert the file."
    )


def _check_exists(file: Path) -> None:
    if file.is_file():
        return
    if file.is_dir():
        raise TableError(f"{str(file)!r} is a folder. Name a file in it.")
    folder = file.parent
    if not folder.is_dir():
        raise TableError(f"There is no file {str(file)!r}: its folder {str(folder)!r} does not exist.")
    others = sorted(entry.name for entry in folder.iterdir() if entry.is_file())
    raise TableError(f"There is no file {str(file)!r}.{nearest(file.name, others)} Check the path.")


def _read_csv(file: Path) -> pd.DataFrame:
    _check_header(file)
    with warnings.catch_warnings():
        warnings.simplefilter("error", pd.errors.ParserWarning)
        frame: pd.DataFrame = pd.read_csv(
            file,
            encoding="utf-8-sig",
            skipinitialspace=True,
            keep_default_na=False,
            na_values=MISSING_IN_CSV,
            index_col=False,
            low_memory=False,
            **_exact_numbers(),
        )
    return frame


def _exact_numbers() -> dict[str, Any]:
    """Ask older pandas for correctly rounded numbers; from 3.1 on it gives them unasked."""
    version = tuple(int(part) for part in pd.__version__.split(".")[:2])
    return {"float_precision": "round_trip"} if version < (3, 1) else {}


def _check_header(file: Path) -> None:
    """Refuse headers that pandas would repair silently: repeated names and names left empty."""
    opener: Any = gzip.open if file.name.lower().endswith(".gz") else open
    with opener(file, "rt", encoding="utf-8-sig", newline="") as lines:
        header = [name.strip() for name in next(csv.reader(lines, skipinitialspace=True), [])]
    twice = sorted({name for name in header if header.count(name) > 1})
    if "" in header:
        raise TableError(
            f"Column {header.index('') + 1} of {str(file)!r} has no name in the header. Every column needs "
            "one. If it is an index that pandas wrote, write the file again with index=False."
        )
    if twice:
        raise TableError(
            f"{str(file)!r} has duplicate column names: {listing(twice)}. Every column needs a name of its "
            "own. Rename or remove one of each."
        )
    if len(header) == 1 and (";" in header[0] or "\t" in header[0]):
        raise TableError(
            f"{str(file)!r} seems to be separated by semicolons or tabs; CSV files must be separated by "
            f"commas. Received the header {header[0]!r}. Write the file again with commas."
        )


def _read_parquet(file: Path) -> pd.DataFrame:
    return pd.read_parquet(file)


def split_label(frame: pd.DataFrame, label: str) -> tuple[pd.DataFrame, pd.Series[Any]]:
    """Take the label column out of a table.

    Parameters
    ----------
    frame : pandas.DataFrame
        A table with its label.
    label : str
        Name of the label column.

    Returns
    -------
    X : pandas.DataFrame
        All other columns.
    y : pandas.Series
        The label.

    Raises
    ------
    TableError
        If there is no such column; the message suggests the nearest name.
    """
    names = [str(name) for name in frame.columns]
    if names.count(label) != 1:
        problem = "has no column" if label not in names else "has more than one column"
        raise TableError(
            f"The table {problem} {label!r} to take the label from.{nearest(label, names, 0.5)} Its columns "
            f"are {listing(names, 20)}."
        )
    position = names.index(label)
    return frame.drop(columns=frame.columns[position]), frame.iloc[:, position]
