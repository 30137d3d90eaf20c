"""Files that appear whole or not at all, checked before long work whether they can be written.

Knows nothing of what is written; results, audits and the command line use it.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from everytree.errors import EverytreeError

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "PARTIAL",
    "TABLE_FORMS",
    "check_writable",
    "replace_file",
    "unwritable",
    "write_table",
    "write_text",
]

PARTIAL = ".partial"
"""How the name of a file ends that is not finished."""

TABLE_FORMS: dict[str, Callable[[pd.DataFrame, Path], object]] = {
    ".csv": lambda frame, path: frame.to_csv(path, index=False),
    ".parquet": lambda frame, path: frame.to_parquet(path, index=False),
}
"""How tables are written, by the suffix of the file: the only list of these forms."""


def check_writable(option: str, path: Path, *suffixes: str) -> None:
    """Refuse a path that could not be written later: a wrong suffix, a folder, no permission.

    Parameters
    ----------
    option : str
        What the user calls it, for the message.
    path : Path
    *suffixes : str
        How its name may end.
    """
    if path.suffix not in suffixes:
        raise EverytreeError(
            f"{option} must name a file that ends in {' or '.join(suffixes)}; received {str(path)!r}. "
            "Rename it."
        )
    if path.is_dir():
        raise EverytreeError(f"{option} must name a file; {str(path)!r} is a folder. Name a file in it.")
    partial = _partial(path)
    try:
        partial.touch()
        partial.unlink()
    except OSError as error:
        raise unwritable(option, path, error) from error


def write_text(option: str, path: Path, text: str) -> None:
    """Write a text file."""
    _write(option, path, lambda partial: partial.write_text(text, encoding="utf-8"))


def write_table(option: str, path: Path, frame: pd.DataFrame) -> None:
    """Write a table in the form that its suffix names, one of `TABLE_FORMS`."""
    form = TABLE_FORMS[path.suffix]
    _write(option, path, lambda partial: form(frame, partial))


def replace_file(path: Path, write: Callable[[Path], object]) -> None:
    """Let `write` fill a temporary file beside `path`, and give it the name when it is on the disk.

    Whoever reads `path`, after a crash too, finds the old content or the new one. The temporary name is
    random, so that two programs may write the same file. If something fails, it is removed again.
    """
    partial = _partial(path)
    try:
        write(partial)
        with partial.open("rb+") as file:
            os.fsync(file.fileno())
        partial.replace(path)
        _flush_folder(path.parent)
    except BaseException:
        partial.unlink(missing_ok=True)
        raise


def _flush_folder(folder: Path) -> None:
    """Put the new name on the disk as well, where that can be done, so that a power cut loses nothing."""
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def unwritable(option: str, path: Path, error: OSError) -> EverytreeError:
    """Say that a path cannot be written, and why."""
    return EverytreeError(
        f"{option} names {str(path)!r}, which cannot be written: {error.strerror or error}. Choose a folder "
        "that exists and may be written to."
    )


def _write(option: str, path: Path, write: Callable[[Path], object]) -> None:
    try:
        replace_file(path, write)
    except OSError as error:
        raise unwritable(option, path, error) from error


def _partial(path: Path) -> Path:
    return path.with_name(f".{path.name}.{secrets.token_hex(8)}{PARTIAL}")
