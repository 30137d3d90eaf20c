"""Proof files as they lie on a disk: lines of JSON, packed by gzip."""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NoReturn

from everytree.checker.proofs.claim import Tables
from everytree.checker.proofs.verify import Progress, Report, verify_lines
from everytree.checker.proofs.wording import Rejected

__all__ = ["read_lines", "verify_file"]

MOST_CHARACTERS = 100_000_000
"""A longer line is no line of a proof."""


def verify_file(path: Path, tables: Tables, progress: Progress | None = None) -> Report:
    """Verify a file against both tables; see `verify_lines`."""
    return verify_lines(read_lines(path), tables, progress)


def read_lines(path: Path) -> Iterator[Any]:
    """Give line after line, read from JSON; whatever is damaged is rejected."""
    number = 0
    try:
        with gzip.open(path, "rt", encoding="utf-8") as file:
            while text := file.readline(MOST_CHARACTERS):
                number += 1
                if not text.endswith("\n"):
                    raise Rejected(f"line {number}", "the line does not end.")
                yield json.loads(text, parse_constant=_no_number)
    except (OSError, EOFError, zlib.error, UnicodeDecodeError) as error:
        raise Rejected("file", f"it cannot be unpacked after line {number}: {error}.") from error
    except (json.JSONDecodeError, RecursionError) as error:
        raise Rejected(f"line {number}", f"it is no JSON: {error}.") from error


def _no_number(text: str) -> NoReturn:
    raise Rejected("file", f"{text} is no number.")
