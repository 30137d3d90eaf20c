"""What commands write: files that are checked before long work, and text for machines."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from everytree.support import files
from everytree.support.files import write_table, write_text

__all__ = [
    "STANDARD_OUTPUT",
    "check_writable",
    "print_for_machines",
    "write_json",
    "write_table",
    "write_text",
]

STANDARD_OUTPUT = "-"


def check_writable(option: str, path: str | Path | None, *suffixes: str) -> None:
    """Refuse a path that could not be written later; none, and standard output, are fine."""
    if path is not None and str(path) != STANDARD_OUTPUT:
        files.check_writable(option, Path(path), *suffixes)


def write_json(path: str, content: Mapping[str, Any]) -> None:
    """Write JSON to a file or to standard output."""
    text = json.dumps(content, indent=1)
    if path == STANDARD_OUTPUT:
        print_for_machines(text)
    else:
        write_text("--json", Path(path), text + "\n")


def print_for_machines(text: str) -> None:
    """Print to standard output and notice at once if nobody reads it."""
    print(text, flush=True)
