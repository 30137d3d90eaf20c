"""A witness: the concrete records whose change gives a person another label, confirmed by retraining.

What people see of a trial: row numbers, labels and original values instead of codes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from everytree.bias.acts import ACTS, ADD, FLIP, REMOVE
from everytree.refute.applying import changed_labels, changed_rows, pick_columns
from everytree.refute.change import Change
from everytree.refute.storage import rows_like
from everytree.support.above import above
from everytree.support.plain import as_plain
from everytree.table.frames import as_source, label_values

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from everytree.bias import BiasModel
    from everytree.refute.trial import Trial
    from everytree.table import TrainingTable


@dataclass(frozen=True, eq=False)
class Witness:
    """Changes of the training table that change a prediction.

    Attributes
    ----------
    flipped : dict
        Row number (counted from 0) to the new label.
    removed : list of int
        Numbers of the rows that are left out.
    added : DataFrame
        Rows that are added, in the types of the training table, with their labels in a last column of the
        label's name.
    before, after : object
        The person's label as things are, and after the changes.
    label_name : str
        Name of the label.
    alternatives : list of (array of row numbers, int)
        Rows that are interchangeable for this witness, and how many of them it changes.
    random_state : int or None
        The seed with which the retrained tree gives the new label, if the estimator has no fixed
        `random_state` and so breaks ties at random; None otherwise. With a seed there may be no changed
        record at all: the label then hangs on a tie.
    """

    flipped: dict[int, Any]
    removed: list[int]
    added: pd.DataFrame
    before: Any
    after: Any
    label_name: str
    alternatives: list[tuple[NDArray[np.int64], int]] = field(default_factory=list)
    random_state: int | None = None

    @cached_property
    def change(self) -> Change:
        """The rows flipped, removed and added, without the types of columns."""
        values = [self.added.iloc[:, place].tolist() for place in range(self.added.shape[1] - 1)]
        labels = self.added[self.label_name].tolist()
        return Change(self.flipped, tuple(self.removed), tuple(zip(*values, strict=True)), tuple(labels))

    @property
    def size(self) -> int:
        """Number of records that change."""
        return self.change.size

    @property
    def changes(self) -> tuple[object, ...]:
        """The same for witnesses with the same table and the same way of breaking ties; it can be a key."""
        added = tuple(sorted(map(repr, self.added.to_numpy(object).tolist()))) if len(self.added) else ()
        return tuple(sorted(self.flipped.items())), tuple(self.removed), added, self.random_state

    def __repr__(self) -> str:
        counted = zip(self.change.counts, ACTS, strict=True)
        parts = [f"{count} {act.done}" for count, act in counted if count]
        ties = f"another way of breaking ties (random_state={self.random_state})"
        change = ", ".join(parts) or ("no change" if self.random_state is None else ties)
        return f"<Witness: {self.before!r} -> {self.after!r} by {change}>"

    def _repr_html_(self) -> str:
        return str(above("witness_html")(self))

    def apply(self, X_train: Any, y_train: Any) -> tuple[Any, Any]:
        """Return the changed training table: labels flipped, rows left out, then rows added at the end.

        Parameters
        ----------
        X_train, y_train : frame or array, array-like
            The training table as it was given to `certify`; a frame may have fewer columns.

        Returns
        -------
        X, y
            The same kinds of things with the same types of columns and labels: a frame for a frame (pandas,
            polars, or another that narwhals reads), an array for an array, a list for a list. If rows were
            added, a pandas frame or series is numbered from 0; otherwise it keeps its index.

        Raises
        ------
        EverytreeError
            If this is not the table of the witness: other columns or labels, or types that cannot hold the
            values of an added row.
        """
        return changed_rows(self, X_train), changed_labels(self, y_train)

    def to_dict(self) -> dict[str, Any]:
        """The changes as plain Python values, which JSON can hold; `from_dict` reads them back."""
        columns = [str(name) for name in self.added.columns if name != self.label_name]
        return {
            "before": as_plain(self.before),
            "after": as_plain(self.after),
            **self.change.to_dict(columns, self.label_name),
            "random_state": self.random_state,
        }

    @classmethod
    def from_dict(cls, changes: Mapping[str, Any]) -> Witness:
        """Read what `to_dict` wrote."""
        change, label = Change.from_dict(changes), str(changes["label_name"])
        records = [(*row, code) for row, code in zip(change.added, change.labels, strict=True)]
        return cls(
            dict(change.flipped),
            list(change.removed),
            pd.DataFrame(records, columns=[*changes["columns"], label]),
            changes["before"],
            changes["after"],
            label,
            random_state=changes["random_state"],
        )

    def to_frame(self, X_train: Any, y_train: Any) -> pd.DataFrame:
        """One row a changed record: what happens to it, its columns, its label before and after.

        Columns have text names; one that has the name of a column of this overview is called "column NAME".
        """
        if isinstance(X_train, np.ndarray | list | tuple):
            names = [str(name) for name in self.added.columns[:-1]]
            X_train = pd.DataFrame(np.asarray(X_train), columns=names)
        table = as_source(X_train, "training table").frame
        labels = label_values(y_train, len(table), "training table")
        rows = [*self.flipped, *self.removed]
        words = [ACTS[act].verb for act in (FLIP, REMOVE, ADD) for _ in range(self.change.counts[act])]
        new = [*self.flipped.values(), *([None] * len(self.removed)), *self.added[self.label_name].tolist()]
        features, kept = pick_columns(self, table.columns), table.iloc[rows]
        frame = features if not rows else pd.concat([kept, features]) if len(features) else kept
        frame = frame.reset_index(drop=True)
        taken = {"change", "row", "new label"}
        frame.columns = pd.Index([f"column {name}" if name in taken else name for name in frame.columns])
        none = [None] * len(self.added)
        frame.insert(0, "row", pd.Series([*rows, *none], dtype=object))
        frame.insert(0, "change", words)
        frame[self.label_name] = pd.Series([*labels[rows].tolist(), *none], dtype=object)
        frame["new label"] = pd.Series(new, dtype=object)
        return frame


def as_witness(trial: Trial, table: TrainingTable, before: Any, after: Any) -> Witness:
    """Translate a confirmed trial from codes to what the user gave."""
    change = trial.change
    added = rows_like(table.frame, change.added)
    added[table.label_name] = table.labels[list(change.labels)] if change.labels else []
    return Witness(
        {row: _plain(table.labels[label]) for row, label in sorted(change.flipped.items())},
        list(change.removed),
        added,
        before,
        after,
        table.label_name,
        list(trial.pools),
        trial.random_state,
    )


def no_change(table: TrainingTable, value: Any) -> Witness:
    """The table as it is, in the form of a witness."""
    added = pd.DataFrame([], columns=[*table.frame.columns, table.label_name])
    return Witness({}, [], added, value, value, table.label_name)


def amount_of(witness: Witness, model: BiasModel) -> int:
    """An amount of the bias model that surely allows the changes of a witness.

    It stands for every free amount, or is the cap of every component where none is free. With one component
    for each act it is the largest number of changes of a component's acts. Otherwise every component is given
    as many as there are changes in all: an added or removed row may need a flip of its own, which a component
    that adds rows and flips them would have to pay for, too.
    """
    parts = model.components
    acts = Counter(act for part in parts for act in part.acts)
    if max(acts.values()) > 1 or (FLIP in acts and len(acts) > 1):
        return witness.size * (2 if any(ADD in part.acts and FLIP in part.acts for part in parts) else 1)
    free = [part for part in parts if part.amount.unit == "free"]
    return max(sum(witness.change.counts[act] for act in part.acts) for part in free or parts)


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value
