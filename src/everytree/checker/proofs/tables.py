"""Tables as a verification reads them: text files by the standard library, values in one spelling, a hash.

The same table has the same hash whether it comes from a text file or from a program's memory: numbers are
written as Python writes them, whole ones without a point, missing values as null.
"""

from __future__ import annotations

import csv
import gzip
import hashlib
import json
import math
import struct
from collections.abc import Mapping, Sequence
from pathlib import Path

from everytree.checker.proofs.wording import Rejected

__all__ = ["HOWS", "Values", "hash_of", "read_text_table", "read_values"]

SEPARATORS = ",;\t|"
MISSING = ("", "NaN", "nan")
YES, NO = ("True", "TRUE", "true"), ("False", "FALSE", "false")

FLOATS = {"float32": "f", "float16": "e"}
HOWS = ("number", "boolean", "text", *FLOATS)
"""How the values of a column are read."""

Value = str | int | float | bool | None
Values = Mapping[str, Sequence[object]]
"""Columns by name: texts as a file has them, or the values of a program."""


def read_text_table(path: Path, needed: Sequence[str]) -> dict[str, list[object]]:
    """Read a .csv file, packed by gzip or not, whose header has the needed columns, however separated."""
    content = path.read_bytes()
    text = (gzip.decompress(content) if path.name.lower().endswith(".gz") else content).decode("utf-8-sig")
    for separator in SEPARATORS:
        lines = csv.reader(text.splitlines(keepends=True), delimiter=separator, skipinitialspace=True)
        header = [name.strip() for name in next(lines, [])]
        if set(needed) <= set(header):
            break
    else:
        missing = sorted(set(needed) - set(header))
        raise Rejected(
            "table", f"{path.name} has no columns {', '.join(missing)}, or they are not separated."
        )
    if len(set(header)) < len(header):
        raise Rejected("table", f"{path.name} has two columns of one name.")
    rows = [line for line in lines if line]
    if any(len(line) != len(header) for line in rows):
        raise Rejected("table", f"{path.name} has lines with more or fewer entries than its header.")
    columns: dict[str, list[object]] = {name: [line[j] for line in rows] for j, name in enumerate(header)}
    if separator != ",":
        for name, column in columns.items():
            columns[name] = [_decimal(str(entry)) for entry in column]
    return columns


def _decimal(entry: str) -> str:
    """Take a decimal comma for a point where the rest is a number."""
    plain = entry.replace(",", ".", 1)
    try:
        float(plain)
    except ValueError:
        return entry
    return plain


def read_values(column: Sequence[object], how: str) -> list[Value]:
    """Bring the values of a column into one spelling."""
    return [_read(entry, how) for entry in column]


def _read(entry: object, how: str) -> Value:
    if entry is None or (isinstance(entry, float) and math.isnan(entry)):
        return None
    if isinstance(entry, str) and entry in MISSING:
        return None
    if how == "text":
        if not isinstance(entry, str):
            raise Rejected("table", f"{entry!r} is no text, but its column is said to hold texts.")
        return entry
    if how == "boolean":
        if entry in YES or entry is True:
            return True
        if entry in NO or entry is False:
            return False
        raise Rejected("table", f"{entry!r} is neither true nor false.")
    return _number(entry, FLOATS.get(how, "d"))


def _number(entry: object, code: str) -> int | float:
    try:
        if isinstance(entry, str):
            value: int | float = _parsed(entry.strip())
        elif isinstance(entry, (int, float)):
            value = entry + 0
        else:
            raise ValueError
        if code != "d":
            value = float(struct.unpack(code, struct.pack(code, value))[0])
    except (ValueError, OverflowError) as error:
        raise Rejected("table", f"{entry!r} is no number, but its column is said to hold numbers.") from error
    whole = isinstance(value, float) and value.is_integer() and abs(value) < 2**53
    return int(value) if whole else value


def _parsed(text: str) -> int | float:
    try:
        return int(text)
    except ValueError:
        return float(text)


def hash_of(columns: Sequence[tuple[str, Sequence[Value]]]) -> str:
    """SHA-256 of a table: its column names, then its rows, each a line of JSON."""
    digest = hashlib.sha256()
    names = [name for name, _ in columns]
    for row in (names, *zip(*(values for _, values in columns), strict=True)):
        digest.update(json.dumps(list(row), ensure_ascii=False, separators=(",", ":")).encode())
        digest.update(b"\n")
    return digest.hexdigest()
