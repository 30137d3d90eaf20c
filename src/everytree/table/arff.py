"""A reader for ARFF, the file format of Weka: numeric, nominal and string attributes, dense rows.

Called by `everytree.table.reading` only. It exists because scipy's reader refuses strings and the
quoted values that Weka itself writes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from everytree.errors import TableError
from everytree.support.text import listing

__all__ = ["read_arff"]

_VALUE = re.compile(r"""\s*(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|([^,]*?))\s*(?:,|$)""")
_ATTRIBUTE = re.compile(r"""@attribute\s+('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|\S+)\s+(.+)""", re.IGNORECASE)
_NUMERIC = ("numeric", "real", "integer")


@dataclass(frozen=True)
class _Attribute:
    name: str
    numeric: bool
    allowed: frozenset[str] | None


def read_arff(file: Path) -> pd.DataFrame:
    """Read an ARFF file; an unquoted ``?`` is a missing value.

    Raises
    ------
    TableError
        If an attribute or a row cannot be understood; the message names the line.
    """
    with file.open(encoding="utf-8-sig") as lines:
        numbered = _content(lines)
        attributes = list(_read_header(numbered))
        rows = [_read_row(attributes, number, line) for number, line in numbered]
    values = list(zip(*rows, strict=True)) if rows else [()] * len(attributes)
    series = [pd.Series(column, dtype=_dtype(a)) for a, column in zip(attributes, values, strict=True)]
    if not series:
        return pd.DataFrame()
    return pd.concat(series, axis=1).set_axis([attribute.name for attribute in attributes], axis=1)


def _dtype(attribute: _Attribute) -> str:
    return "float64" if attribute.numeric else "object"


def _content(lines: Iterable[str]) -> Iterator[tuple[int, str]]:
    """Lines with their numbers, without comments and empty lines."""
    for number, line in enumerate(lines, start=1):
        text = line.strip()
        if text and not text.startswith("%"):
            yield number, text


def _read_header(lines: Iterator[tuple[int, str]]) -> Iterator[_Attribute]:
    for number, line in lines:
        keyword = line.split(None, 1)[0].lower()
        if keyword == "@data":
            return
        if keyword == "@attribute":
            yield _read_attribute(number, line)
        elif keyword != "@relation":
            raise TableError(f"Line {number} of the ARFF header must start with @; received {line!r}.")
    raise TableError("The ARFF file has no @data line. Its rows must follow one.")


def _read_attribute(number: int, line: str) -> _Attribute:
    match = _ATTRIBUTE.fullmatch(line)
    name, kind = (_split(match[1])[0] or "", match[2].strip()) if match else ("", "")
    if kind.startswith("{") and kind.endswith("}"):
        return _Attribute(name, False, frozenset(value or "?" for value in _split(kind[1:-1])))
    word = kind.split(None, 1)[0].lower() if kind else ""
    if word in _NUMERIC or word == "string":
        return _Attribute(name, word in _NUMERIC, None)
    raise TableError(
        f"Line {number} of the ARFF file declares an attribute that is not supported: {line!r}. Allowed are "
        "numeric, real, integer, string and nominal ({a, b, ...}). Convert it, or save the table as CSV."
    )


def _split(line: str) -> list[str | None]:
    """Values between commas, without their quotes; None for an unquoted question mark."""
    if not any(mark in line for mark in "'\"\\"):
        plain = [value.strip() for value in line.split(",")]
        return [None if value == "?" else value for value in plain]
    values: list[str | None] = []
    position = 0
    while position < len(line):
        match = _VALUE.match(line, position)
        if match is None:
            break
        single, double, bare = match.groups()
        quoted = single if single is not None else double
        values.append(
            re.sub(r"\\(.)", r"\1", quoted) if quoted is not None else None if bare == "?" else bare
        )
        position = match.end()
    return values


def _read_row(attributes: list[_Attribute], number: int, line: str) -> list[object]:
    if line.startswith("{"):
        raise TableError(
            f"Line {number} of the ARFF file is a sparse row, which is not supported. Save as CSV."
        )
    values = _split(line)
    if len(values) != len(attributes):
        raise TableError(
            f"Line {number} of the ARFF file must have {len(attributes)} values; received {len(values)}: "
            f"{line!r}."
        )
    return [_read_value(a, value, number) for a, value in zip(attributes, values, strict=True)]


def _read_value(attribute: _Attribute, value: str | None, number: int) -> object:
    if value is None:
        return None
    if attribute.numeric:
        try:
            return float(value)
        except ValueError:
            raise TableError(
                f"Line {number} of the ARFF file holds non-numeric text in the numeric column "
                f"{attribute.name!r}: {value!r}. Correct it, or declare the attribute as nominal."
            ) from None
    if attribute.allowed is not None and value not in attribute.allowed:
        raise TableError(
            f"Line {number} of the ARFF file has {value!r} in the column {attribute.name!r}, which declares "
            f"{listing(sorted(attribute.allowed))}. Correct the value or the declaration."
        )
    return value
