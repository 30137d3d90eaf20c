"""Where things are written: checked before long work, files whole or not at all, text for machines."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from everytree.errors import EverytreeError

if TYPE_CHECKING:
    import pandas as pd

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
    """Refuse a path that could not be written later: a wrong suffix, a folder, no permission."""
    if path is None or str(path) == STANDARD_OUTPUT:
        return
    path = Path(path)
    if path.suffix not in suffixes:
        raise EverytreeError(
            f"{option} must name a file that ends in {' or '.join(suffixes)}; received {str(path)!r}. "
            "Rename it."
        )
    if path.is_dir():
        raise EverytreeError(f"{option} must name a file; {str(path)!r} is a folder. Name a file in it.")
    try:
        _partial(path).touch()
        _partial(path).unlink()
    except OSError as error:
        raise _unwritable(option, path, error) from error


def write_text(option: str, path: Path, text: str) -> None:
    """Write a file that appears whole or not at all."""
    _write(option, path, lambda partial: partial.write_text(text, encoding="utf-8"))


def write_table(option: str, path: Path, frame: pd.DataFrame) -> None:
    """Write a table, as .parquet if the name ends so, otherwise as CSV; whole or not at all."""
    if path.suffix == ".parquet":
        _write(option, path, lambda partial: frame.to_parquet(partial, index=False))
    else:
        _write(option, path, lambda partial: frame.to_csv(partial, index=False))


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


def _write(option: str, path: Path, write: Callable[[Path], object]) -> None:
    try:
        write(_partial(path))
        _partial(path).replace(path)
    except OSError as error:
        raise _unwritable(option, path, error) from error


def _partial(path: Path) -> Path:
    return path.with_name(path.name + ".partial")


def _unwritable(option: str, path: Path, error: OSError) -> EverytreeError:
    return EverytreeError(
        f"{option} names {str(path)!r}, which cannot be written: {error.strerror or error}. Choose a folder "
        "that exists and may be written to."
    )
