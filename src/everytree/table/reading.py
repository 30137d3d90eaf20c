"""Files: CSV and its relatives, Parquet, Feather, Excel and ARFF into a frame, and the label out of it.

Used by the command line and the data sets; the rest of `everytree.table` never touches a file.
"""

from __future__ import annotations

import gzip
import io
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import pandas as pd

from everytree.errors import EverytreeWarning, TableError
from everytree.support.text import listing, nearest
from everytree.table.arff import read_arff
from everytree.table.delimited import MISSING_IN_CSV, check_names, read_delimited, without_row_names

if TYPE_CHECKING:
    import os


__all__ = ["STANDARD_INPUT", "SUFFIXES", "read_table", "split_label"]

STANDARD_INPUT = "-"

UNNAMED = "a table"
"""What standard input is to be, whose kind no suffix tells."""


def read_table(path: str | os.PathLike[str]) -> pd.DataFrame:
    """Read a table from a file, by its suffix, or from standard input.

    Parameters
    ----------
    path : str or path
        A ``.csv``, ``.csv.gz``, ``.tsv``, ``.txt``, ``.parquet``, ``.feather``, ``.xlsx`` or ``.arff`` file;
        ``-`` is standard input, for what one of these but ``.arff`` holds, text packed or not. Text
        files have a header; the separator (comma, semicolon, tab or bar), the encoding and a decimal comma
        are found.

    Returns
    -------
    pandas.DataFrame

    Raises
    ------
    TableError
        If the file is missing, of an unknown kind, cannot be parsed, or has no rows.
    """
    if str(path) == STANDARD_INPUT:
        return _read(_read_input, Path("standard input"), UNNAMED)
    file = Path(path)
    _check_exists(file)
    suffix, read = _reader(file)
    return _read(read, file, suffix.lstrip("."))


def _read(read: Callable[[Path], pd.DataFrame], file: Path, kind: str) -> pd.DataFrame:
    try:
        frame = read(file)
    except TableError:
        raise
    except UnicodeDecodeError as error:
        raise TableError(
            f"Cannot read {str(file)!r}: it is not UTF-8 (byte {error.object[error.start]:#04x} cannot be "
            "read). Save the file as UTF-8."
        ) from error
    except ImportError as error:
        package = getattr(error.__cause__, "name", None) or error.name or "another package"
        raise TableError(
            f"Cannot read {str(file)!r}: pandas needs {package} for {_kinds(kind)}. Install it with: "
            f"pip install {package}, or save the table as .csv."
        ) from error
    except Exception as error:
        reason = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
        raise TableError(
            f"Cannot read {str(file)!r} as {kind}: {reason.rstrip('.')}. Check that "
            "the file is complete and that its suffix says what it is."
        ) from error
    if len(frame) == 0:
        raise TableError(f"The table in {str(file)!r} has no rows. It needs at least one below the header.")
    return frame


def _kinds(kind: str) -> str:
    return "such files" if kind == UNNAMED else f"{kind} files"


def _read_text(file: Path) -> pd.DataFrame:
    content = file.read_bytes()
    for mark, suffix in MARKS.items():
        if content.startswith(mark):
            raise TableError(
                f"{str(file)!r} is no text: it begins as a {suffix} file does. Rename it so that its suffix "
                "says what it is."
            )
    return read_delimited(
        gzip.decompress(content) if file.name.lower().endswith(".gz") else content, str(file)
    )


def _read_input(name: Path) -> pd.DataFrame:
    content = sys.stdin.buffer.read()
    for mark, suffix in MARKS.items():
        if content.startswith(mark):
            return BINARY[suffix](io.BytesIO(content), str(name))
    return read_delimited(gzip.decompress(content) if content.startswith(b"\x1f\x8b") else content, str(name))


def _read_parquet(content: BinaryIO, name: str) -> pd.DataFrame:
    return pd.read_parquet(content)


def _read_feather(content: BinaryIO, name: str) -> pd.DataFrame:
    return pd.read_feather(content)


def _read_excel(content: BinaryIO, name: str) -> pd.DataFrame:
    """Read the first sheet, with what is missing and what a header may be as in a text table."""
    if MARKS.get(content.read(4)) != ".xlsx":
        raise TableError(
            f"Cannot read {name!r} as xlsx: it does not begin as such a file does. Check that it is "
            "complete, without a password, and that its suffix says what it is; text is read as .csv."
        )
    content.seek(0)
    with pd.ExcelFile(content) as book:
        names = book.sheet_names
        if len(names) > 1:
            warnings.warn(
                f"{name!r} has {len(names)} sheets; the first one, {names[0]!r}, is read.",
                EverytreeWarning,
                stacklevel=5,
            )
        top = pd.read_excel(book, sheet_name=0, header=None, nrows=1, keep_default_na=False)
        header = [str(entry).strip() for entry in top.to_numpy().ravel()]
        check_names(header, name)
        frame = pd.read_excel(book, sheet_name=0, keep_default_na=False, na_values=MISSING_IN_CSV)
    return without_row_names(frame, header, name)


BINARY: dict[str, Callable[[BinaryIO, str], pd.DataFrame]] = {
    ".parquet": _read_parquet,
    ".feather": _read_feather,
    ".xlsx": _read_excel,
}
MARKS = {b"PAR1": ".parquet", b"ARROW1": ".feather", b"PK\x03\x04": ".xlsx"}
"""How files that are no text begin."""


def _read_binary(file: Path) -> pd.DataFrame:
    with file.open("rb") as content:
        return BINARY[file.suffix.lower()](content, str(file))


READERS: dict[str, Callable[[Path], pd.DataFrame]] = {
    **dict.fromkeys((".csv", ".csv.gz", ".tsv", ".txt"), _read_text),
    **dict.fromkeys(BINARY, _read_binary),
    ".arff": read_arff,
}
SUFFIXES = tuple(READERS)
"""The kinds of files that can be read."""


def _reader(file: Path) -> tuple[str, Callable[[Path], pd.DataFrame]]:
    for suffix, reader in READERS.items():
        if file.name.lower().endswith(suffix):
            return suffix, reader
    raise TableError(
        f"Cannot tell what kind of table {str(file)!r} is: its suffix must be one of {listing(READERS)}; "
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
            f"are {listing(names, 20, ends=True)}."
        )
    position = names.index(label)
    return frame.drop(columns=frame.columns[position]), frame.iloc[:, position]
