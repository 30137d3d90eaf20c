"""Text tables as programs write them: which encoding, which separator, which decimal mark.

Below `everytree.table.reading`. Everything is found from the file itself; what a reader may
want to know about it is noted, and what is ambiguous is said.
"""

from __future__ import annotations

import csv
import io
import re
import warnings
from dataclasses import dataclass
from typing import Any

import pandas as pd

from everytree.errors import EverytreeWarning, TableError
from everytree.support.text import listing

__all__ = ["MISSING_IN_CSV", "WORDS_FOR_MISSING", "check_names", "read_delimited", "without_row_names"]

MISSING_IN_CSV = ["", "NaN", "nan"]
"""What an entry must be to count as missing; words such as None or NA may be categories."""

WORDS_FOR_MISSING = ["NA", "N/A", "n/a", "#N/A", "<NA>", "NULL", "null", "None", "none", "?", "-", "."]
"""What counts as missing where everything else in the column is a number; elsewhere it may be a category."""

SEPARATORS = ",;\t|"
"""In the order of preference, where several fit."""

SAMPLE = 100_000
"""Characters that are looked at to find the separator."""

MARKS = {b"\xef\xbb\xbf": "utf-8-sig", b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16"}
"""How files begin that say what encoding they have."""

WESTERN = "cp1252"


@dataclass(frozen=True)
class Form:
    """How a text table is written."""

    separator: str
    decimal: str


def read_delimited(content: bytes, name: str) -> pd.DataFrame:
    """Read a text table from its bytes; `name` is what messages call it."""
    text = _decoded(content, name)
    if not text.strip():
        raise TableError(
            f"{name!r} is empty. It needs a header with the names of the columns, and rows below it."
        )
    form = _form(text, name)
    lines = csv.reader(io.StringIO(text), delimiter=form.separator, skipinitialspace=True)
    header = [entry.strip() for entry in next(lines, [])]
    check_names(header, name)
    frame = _parsed(text, form, dict.fromkeys(range(len(header)), MISSING_IN_CSV))
    words = _words_among_numbers(frame, form)
    if words:
        frame = _parsed(text, form, {i: MISSING_IN_CSV + words.get(i, []) for i in range(len(frame.columns))})
        _note_words(frame, words, name)
    return without_row_names(frame, header, name)


def _parsed(text: str, form: Form, missing: Any) -> pd.DataFrame:
    """Read a table; `missing` says for each column, by position, which entries are."""
    with warnings.catch_warnings():
        warnings.simplefilter("error", pd.errors.ParserWarning)
        frame: pd.DataFrame = pd.read_csv(
            io.StringIO(text),
            sep=form.separator,
            decimal=form.decimal,
            skipinitialspace=True,
            keep_default_na=False,
            na_values=missing,
            index_col=False,
            low_memory=False,
            **_exact_numbers(),
        )
    return frame


def _words_among_numbers(frame: pd.DataFrame, form: Form) -> dict[int, list[str]]:
    """Find columns that are text only because of words such as NA; give these, by position of the column."""
    number = (
        rf"\s*[+-]?(?:\d+(?:{re.escape(form.decimal)}\d*)?|{re.escape(form.decimal)}\d+)(?:[eE][+-]?\d+)?\s*"
    )
    found = {}
    for i in range(len(frame.columns)):
        values = frame.iloc[:, i].dropna()
        if not pd.api.types.is_string_dtype(values):
            continue
        different = pd.Series(values.astype(str).unique())
        words = different[different.str.strip().isin(WORDS_FOR_MISSING)]
        others = different.drop(words.index)
        if len(words) and len(others) and others.str.fullmatch(number).all():
            found[i] = words.tolist()
    return found


def _note_words(frame: pd.DataFrame, words: dict[int, list[str]], name: str) -> None:
    said = ", ".join(f"{frame.columns[i]!r} ({' '.join(map(repr, each))})" for i, each in words.items())
    _note(f"{name!r} has words among the numbers of {said}: they are read as missing.")


def without_row_names(frame: pd.DataFrame, header: list[str], name: str) -> pd.DataFrame:
    """Leave out a first column without a name, which pandas, R and others write beside the table."""
    if header[:1] != [""]:
        return frame
    values = frame.iloc[:, 0]
    if values.isna().any():
        raise TableError(_nameless(1, name))
    twice = values.duplicated()
    repeated = f", though some occur more than once, such as {values[twice].iloc[0]}" if twice.any() else ""
    _note(
        f"The first column of {name!r} has no name: it is taken for names of rows{repeated}, and left out."
        + (" To keep it, write a name into the header." if repeated else "")
    )
    return frame.iloc[:, 1:]


def _nameless(position: int, name: str) -> str:
    return (
        f"Column {position} of {name!r} has no name in the header. Every column needs one. Write it into the "
        "header, or remove the column."
    )


def _decoded(content: bytes, name: str) -> str:
    """Decode UTF-8, or what a mark at the beginning says, or else Windows' Western European letters."""
    encoding = next((known for mark, known in MARKS.items() if content.startswith(mark)), "utf-8")
    try:
        text = content.decode(encoding)
        if "\0" not in text:
            return text
        raise UnicodeDecodeError(encoding, content, content.index(0), content.index(0) + 1, "no text")
    except UnicodeDecodeError as error:
        wrong = error.object[error.start]
        problem = (
            f"Cannot read {name!r}: it is not UTF-8 (byte {wrong:#04x} cannot be read). Save the file as "
            'UTF-8; in Excel choose "CSV UTF-8" as its type.'
        )
        if encoding != "utf-8" or b"\0" in content:
            raise TableError(problem) from error
        try:
            text = content.decode(WESTERN)
        except UnicodeDecodeError:
            raise TableError(problem) from error
    seen = list(dict.fromkeys(re.findall(r"\w*[^\x00-\x7f]\w*", text)))
    _note(
        f"{name!r} is not UTF-8 and is read as Windows-1252, with {listing(seen, 3)}. If that looks wrong, "
        "save the file as UTF-8."
    )
    return text


def _form(text: str, name: str) -> Form:
    """Find the separator that cuts all lines alike, and whether numbers have a decimal comma."""
    separator = _separator(text)
    if separator == ",":
        return Form(separator, ".")
    edge = re.escape(separator)
    number = rf'(?:^|{edge})\s*"?[+-]?\d+{{}}\d+"?\s*(?={edge}|\r?$)'
    comma = re.search(number.format(","), text, re.MULTILINE)
    if comma is None:
        return Form(separator, ".")
    point = re.search(number.format(r"\."), text, re.MULTILINE)
    if point is not None:
        both = [_bare(found, separator) for found in (comma, point)]
        raise TableError(
            f"{name!r} has numbers with a decimal comma and numbers with a decimal point, such as "
            f"{listing(both)}. Only one of them can be meant. Write all numbers alike."
        )
    _note(
        f"{name!r} has numbers such as {_bare(comma, separator)!r}: their comma is read as a decimal point."
    )
    return Form(separator, ",")


def _bare(found: re.Match[str], separator: str) -> str:
    return found[0].strip(f'{separator} "\r\n')


def _separator(text: str) -> str:
    """The separator that cuts every line of the beginning into the same number of parts, at least two."""
    sample = text[:SAMPLE]
    found = {}
    for separator in SEPARATORS:
        try:
            lines = [line for line in csv.reader(io.StringIO(sample), delimiter=separator) if line]
        except csv.Error:
            continue
        if len(text) > len(sample) and len(lines) > 1:
            del lines[-1]  # it may be cut off
        widths = {len(line) for line in lines}
        width = len(lines[0]) if lines else 0
        if width > 1:
            found[separator] = (len(widths) == 1, width)
    best = max(found.values(), default=None)
    return next((separator for separator, fit in found.items() if fit == best), ",")


def check_names(header: list[str], name: str) -> None:
    """Refuse headers that pandas would repair silently: repeated names and, but for the first, empty ones."""
    twice = sorted({entry for entry in header[1:] if header.count(entry) > 1})
    if "" in header[1:] or header == [""]:
        raise TableError(_nameless(header.index("", len(header) > 1) + 1, name))
    if twice:
        raise TableError(
            f"{name!r} has duplicate column names: {listing(twice)}. Every column needs a name of its "
            "own. Rename or remove one of each."
        )


def _exact_numbers() -> dict[str, Any]:
    """Ask older pandas for correctly rounded numbers; from 3.1 on it gives them unasked."""
    version = tuple(int(part) for part in pd.__version__.split(".")[:2])
    return {"float_precision": "round_trip"} if version < (3, 1) else {}


def _note(message: str) -> None:
    warnings.warn(message, EverytreeWarning, stacklevel=6)
