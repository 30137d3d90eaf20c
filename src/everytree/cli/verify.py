"""`everytree verify`: a proof file against its tables; what is claimed, what was checked, whether it holds.

Text tables are read by the checker itself; other files and data sets by this library's reader, which the
output says.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.markup import escape

from everytree.checker.proofs import Rejected, Tables, claim_words
from everytree.checker.proofs.tables import read_text_table
from everytree.cli.screen import console, notes, verifying
from everytree.datasets.inputs import is_dataset, read_tables
from everytree.errors import EverytreeError
from everytree.questions.proofs.claim import values_of
from everytree.questions.proofs.verifying import Verification, first_line, verify
from everytree.support.text import counted

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["run"]

HOLDS, DOES_NOT_HOLD = 0, 1
"""Exit codes."""


def run(file: Path, train: str, test: str | None, label: str | None) -> int:
    """Verify, show what was found, and give the exit code."""
    screen = console()
    with notes(screen):
        line = first_line(file)
        try:
            tables, reader = _tables(line, train, test, label)
        except Rejected as failure:
            return _show(screen, Verification(False, failure.step, failure.reason), "")
        with verifying(screen) as progress:
            found = verify(file, tables, progress)
    return _show(screen, found, reader)


def _tables(line: Any, train: str, test: str | None, label: str | None) -> tuple[Tables, str]:
    """Read both tables, by the checker where they are text."""
    if not isinstance(line, dict) or not isinstance(line.get("columns"), list):
        raise Rejected("file", "it does not begin with a claim.")
    own = str(line.get("label"))
    named = is_dataset(train)
    if not named and test is None:
        raise EverytreeError(f"After the training table {train!r} the table of the people is needed.")
    texts = not named and all(
        str(name).lower().endswith((".csv", ".csv.gz", ".tsv", ".txt")) for name in (train, test)
    )
    if texts:
        columns = [column["name"] for column in line["columns"]]
        seen = [column["name"] for column in line["columns"] if column["way"] != "dropped"]
        table = read_text_table(_existing(train), [*columns, label or own])
        people = read_text_table(_existing(str(test)), seen)
        return Tables({**table, own: table[label or own]}, people), "by the checker"
    read = read_tables(train, test, label if label is not None or named else own)
    return (
        Tables(
            {
                **{name: values_of(read.X_train[name]) for name in read.X_train.columns},
                own: values_of(read.y_train),
            },
            {name: values_of(read.X_test[name]) for name in read.X_test.columns},
        ),
        "by everytree's own reader: with .csv files the checker reads them itself",
    )


def _existing(name: str) -> Path:
    path = Path(name)
    if not path.is_file():
        raise EverytreeError(f"There is no file {name!r}. Check the path.")
    return path


def _show(screen: Console, found: Verification, reader: str) -> int:
    if found.report is not None:
        for word, text in claim_words(found.report.claim):
            screen.print(f"{word:<12}{escape(text)}", soft_wrap=True)
        screen.print(f"{'read':<12}{reader}\n", soft_wrap=True)
    if not found.verified:
        screen.print(
            f"[bold red]REJECTED[/bold red] {escape(found.step)}: {escape(found.reason)}", soft_wrap=True
        )
        return DOES_NOT_HOLD
    report = found.report
    assert report is not None
    checked = [counted(report.nodes, "node"), counted(report.splits, "split")]
    if report.paths:
        checked += [counted(report.paths, "path"), counted(report.programs, "program")]
    if report.changes:
        checked.append(f"{counted(report.changes, 'change')} of nodes")
    if report.tried:
        checked.append(f"{counted(report.tried, 'table')} of a small set")
    if report.tables:
        checked.append(counted(report.tables, "changed table"))
    if found.retrained:
        checked.append(counted(found.retrained, "retrained tree"))
    screen.print(f"{'checked':<12}{', '.join(checked)}")
    left = f" Nothing is proved here about {found.left_out} others." if found.left_out else ""
    words = f"people robust: {found.robust}, not robust: {found.not_robust}.{left}"
    screen.print(f"[bold green]VERIFIED[/bold green] {words}", soft_wrap=True)
    return HOLDS
