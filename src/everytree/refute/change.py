"""A change: rows of a training table flipped, removed and added, whoever thought of it.

First module of the room. The search changes codes of labels (`Trial`), people see their own labels and
columns (`Witness`). Both have a change, which is applied, counted, written and read here; `membership.py`
says whether it leads to a table of B(T).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from everytree.bias.acts import ACTS
from everytree.support.plain import as_plain

if TYPE_CHECKING:
    from numpy.typing import NDArray

Row = tuple[object, ...]


@dataclass(frozen=True, eq=False)
class Change:
    """Rows of a table with another label, rows left out, and rows added at the end.

    ``flipped`` maps row numbers, counted from 0, to new labels; ``added`` holds the original values of new
    rows, ``labels`` their labels. Labels are codes or names, whatever those of the table are.
    """

    flipped: Mapping[int, Any]
    removed: tuple[int, ...] = ()
    added: tuple[Row, ...] = ()
    labels: tuple[Any, ...] = ()

    @property
    def counts(self) -> tuple[int, ...]:
        """Records that change, in the order of the acts."""
        return tuple(len(getattr(self, act.done)) for act in ACTS)

    @property
    def size(self) -> int:
        """Number of records that change."""
        return sum(self.counts)

    @property
    def last_row(self) -> int:
        """The largest number of a row of T that changes; -1 if none does."""
        return max((*self.flipped, *self.removed), default=-1)

    def relabelled(self, names: Mapping[Any, Any]) -> Change:
        """The same change with every label replaced by what it is called elsewhere."""
        flipped = {row: names[label] for row, label in self.flipped.items()}
        return Change(flipped, self.removed, self.added, tuple(names[label] for label in self.labels))

    # ------------------------------------------------------------ apply

    def kept(self, n_rows: int) -> NDArray[np.bool_]:
        """Which rows of a table stay."""
        keep = np.ones(n_rows, np.bool_)
        keep[list(self.removed)] = False
        return keep

    def flip(self, y: NDArray[Any]) -> NDArray[Any]:
        """Labels of all rows of a table, those that are removed included, after the flips."""
        y = y.copy()
        for row, label in self.flipped.items():
            y[row] = label
        return y

    def change_labels(self, y: NDArray[Any]) -> NDArray[Any]:
        """Labels of the changed table."""
        kept = self.flip(y)[self.kept(len(y))]
        return np.concatenate([kept, np.array(self.labels, y.dtype)]) if self.labels else kept

    def change_rows(self, X: NDArray[Any], added: NDArray[Any]) -> NDArray[Any]:
        """Rows of the changed table, where `added` are the new ones in the form of the others."""
        kept = X[self.kept(len(X))] if self.removed else X
        return np.concatenate([kept, added]) if self.labels else kept

    # ------------------------------------------------------------ write and read

    def to_dict(self, columns: list[str], label_name: str) -> dict[str, Any]:
        """As plain Python values, with these names for the columns of added rows and for their label."""
        records = [
            {**dict(zip(columns, row, strict=True)), label_name: label}
            for row, label in zip(self.added, self.labels, strict=True)
        ]
        return {
            "flipped": [{"row": row, "label": as_plain(label)} for row, label in self.flipped.items()],
            "removed": [int(row) for row in self.removed],
            "added": [as_plain(record) for record in records],
            "columns": columns,
            "label_name": label_name,
        }

    @classmethod
    def from_dict(cls, written: Mapping[str, Any]) -> Change:
        """Read what `to_dict` wrote."""
        columns, label_name = written["columns"], str(written["label_name"])
        return cls(
            {int(flip["row"]): flip["label"] for flip in written["flipped"]},
            tuple(int(row) for row in written["removed"]),
            tuple(tuple(record.get(name) for name in columns) for record in written["added"]),
            tuple(record[label_name] for record in written["added"]),
        )
