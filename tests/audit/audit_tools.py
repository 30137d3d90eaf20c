"""What the tests of audits share: two small tables, an audit of them, and ways to change a line of it."""

from __future__ import annotations

from pathlib import Path

from tests.cli.cli_tools import write_tables

AUDIT = """\
title = "Small"

[data]
train = "train.csv"
test = "test.csv"
label = "hired"

[audit]
groups = ["sex"]
depths = [1]

[[bias]]
name = "wrong labels"
model = "flip(?)"
amounts = [1, "20%"]

[[bias]]
model = "flip(?, where sex == 'Female' and label == 'no')"
amounts = [1]
with = "fake(?)"
with_amounts = [1, 2]

[outputs]
people = "people.csv"
groups = "groups.csv"
"""


def write_audit(folder: Path, *changes: tuple[str, str], name: str = "audit.toml") -> Path:
    """Write the tables and the audit, some of its words replaced by others."""
    text = AUDIT
    for old, new in changes:
        assert old in text, old
        text = text.replace(old, new)
    if not (folder / "train.csv").exists():
        write_tables(folder)
    path = folder / name
    path.write_text(text)
    return path


def kept(folder: Path) -> dict[str, bytes]:
    """All files that an audit keeps, by name."""
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}
