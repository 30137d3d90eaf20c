"""The appendix on paper: people who are not robust, with the records behind it, for readers without a screen.

Beside `people`, which packs everybody for the explorer. Shown in print only, up to a stated number of people.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from everytree.audit.shown import shown_columns
from everytree.show.report.findings import number
from everytree.support.text import counted

if TYPE_CHECKING:
    from everytree.audit import AuditResult, Cell
    from everytree.refute.witness import Witness
    from everytree.show.report.ties import Ties
    from everytree.table import TrainingTable

__all__ = ["Appendix", "AppendixLine", "appendix"]

MOST_PEOPLE = 50
MOST_RECORDS = 8
"""How many people are listed, and how many changed records of each."""


@dataclass(frozen=True)
class AppendixLine:
    """One person: the number, the labels before and after, and what changes."""

    person: str
    before: str
    after: str
    records: str
    ties: str = ""


@dataclass(frozen=True)
class Appendix:
    """The people who are listed, and how many are not."""

    lines: list[AppendixLine]
    total: int

    @property
    def rest(self) -> str:
        """Say how many people are not listed; empty if nobody."""
        left = self.total - len(self.lines)
        if left == 1:
            return "1 more person is not robust and is not listed here."
        return f"{number(left)} more people are not robust and are not listed here." if left else ""


def appendix(audit: AuditResult, cell: Cell, ties: Ties | None = None) -> Appendix:
    """List the people who are not robust under the assumption of the first screen."""
    result = audit.verdicts[cell]
    train = audit.prepared[cell.depth].train
    shown, named = shown_columns(audit.plan, train), audit.plan.data.shown
    lines = [
        AppendixLine(
            number(person),
            named(witness.before),
            named(witness.after),
            _records(witness, train, shown, named),
            "not tried" if ties is None else ties.words(cell.depth, person, witness) or "not tried",
        )
        for person, witness in sorted(result.witnesses.items())[:MOST_PEOPLE]
    ]
    return Appendix(lines, len(result.witnesses))


def _records(
    witness: Witness, train: TrainingTable, shown: list[str], named: Callable[[Any], str] = str
) -> str:
    """Say what happens to each record: training rows by their number, added rows by their values."""
    labels = [named(label) for label in train.labels.tolist()]
    said = [
        f"row {row}: {labels[train.y[row]]} becomes {named(label)}"
        for row, label in sorted(witness.flipped.items())
    ]
    said += [f"row {row} is left out" for row in sorted(witness.removed)]
    said += [_added(line, witness.label_name, shown, named) for line in witness.added.to_dict("records")]
    if not said:
        return f"no record: another way of breaking ties (random_state={witness.random_state})"
    more = len(said) - MOST_RECORDS
    return "; ".join(said[:MOST_RECORDS]) + (f"; and {counted(more, 'record')} more" if more > 0 else "")


def _added(line: dict[Any, Any], label: str, shown: list[str], named: Callable[[Any], str]) -> str:
    values = ", ".join(f"{name} {value}" for name, value in line.items() if str(name) in shown)
    return f"a row is added with label {named(line[label])}" + (f" and {values}" if values else "")
