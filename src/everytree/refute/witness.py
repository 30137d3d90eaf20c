"""A witness: the concrete records whose change gives a person another label, confirmed by retraining.

What people see of a trial: row numbers, labels and original values instead of codes.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from everytree.support.above import above

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
        Rows that are added, with their labels in a last column of the label's name.
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

    @property
    def size(self) -> int:
        """Number of records that change."""
        return len(self.flipped) + len(self.removed) + len(self.added)

    @property
    def changes(self) -> tuple[object, ...]:
        """The same for witnesses with the same table and the same way of breaking ties; it can be a key."""
        added = tuple(sorted(map(repr, self.added.to_numpy(object).tolist()))) if len(self.added) else ()
        return tuple(sorted(self.flipped.items())), tuple(self.removed), added, self.random_state

    def __repr__(self) -> str:
        parts = [
            f"{count} {word}"
            for count, word in (
                (len(self.added), "added"),
                (len(self.flipped), "flipped"),
                (len(self.removed), "removed"),
            )
            if count
        ]
        change = ", ".join(parts) or f"another way of breaking ties (random_state={self.random_state})"
        return f"<Witness: {self.before!r} -> {self.after!r} by {change}>"

    def _repr_html_(self) -> str:
        return str(above("witness_html")(self))

    def apply(self, X_train: Any, y_train: Any) -> tuple[Any, Any]:
        """Return the changed training table: labels flipped, rows left out, then rows added at the end.

        An array comes back as an array, any frame as a pandas frame.
        """
        y = np.array(y_train, copy=True)
        if y.dtype.kind in "US" and self.flipped:
            y = y.astype(np.result_type(y, np.array(list(self.flipped.values()))))
        for row, label in self.flipped.items():
            y[row] = label
        keep = np.ones(len(y), bool)
        keep[self.removed] = False
        features = self.added.drop(columns=self.label_name)
        y = np.concatenate([y[keep], self.added[self.label_name].to_numpy()]) if len(self.added) else y[keep]
        if not hasattr(X_train, "columns"):
            X = np.asarray(X_train)[keep]
            return (np.concatenate([X, features.to_numpy(X.dtype)]) if len(features) else X), y
        frame = X_train if isinstance(X_train, pd.DataFrame) else pd.DataFrame(X_train.to_pandas())
        kept = frame.loc[keep]
        if len(features):
            kept = pd.concat([kept, features[list(frame.columns)]], ignore_index=True)
        return kept, y

    def to_frame(self, X_train: Any, y_train: Any) -> pd.DataFrame:
        """One row a changed record: what happens to it, its columns, its label before and after."""
        labels = np.asarray(y_train)
        if not hasattr(X_train, "iloc"):
            names = list(self.added.columns[:-1])
            X_train = pd.DataFrame(np.asarray(X_train), columns=names)
        rows = [*self.flipped, *self.removed]
        words = ["flip"] * len(self.flipped) + ["remove"] * len(self.removed) + ["add"] * len(self.added)
        new = [*self.flipped.values(), *([None] * len(self.removed)), *self.added[self.label_name].tolist()]
        features = self.added.drop(columns=self.label_name)
        kept = X_train.iloc[rows]
        frame = features if not rows else pd.concat([kept, features]) if len(features) else kept
        frame = frame.reset_index(drop=True)
        none = [None] * len(self.added)
        frame.insert(0, "row", pd.Series([*rows, *none], dtype=object))
        frame.insert(0, "change", words)
        frame[self.label_name] = pd.Series([*labels[rows].tolist(), *none], dtype=object)
        frame["new label"] = pd.Series(new, dtype=object)
        return frame


def as_witness(trial: Trial, table: TrainingTable, before: Any, after: Any) -> Witness:
    """Translate a confirmed trial from codes to what the user gave."""
    added = pd.DataFrame(list(trial.originals), columns=list(table.frame.columns))
    added[table.label_name] = table.labels[list(trial.added_labels)] if trial.added_labels else []
    return Witness(
        {row: _plain(table.labels[label]) for row, label in sorted(trial.flipped.items())},
        list(trial.removed),
        added,
        before,
        after,
        table.label_name,
        list(trial.pools),
        trial.random_state,
    )


def amount_of(witness: Witness, model: BiasModel) -> int:
    """An amount of the bias model that surely allows the changes of a witness.

    It stands for every free amount, or is the cap of every component where none is free. With one component
    of each kind it is the largest number of changes of a kind. Otherwise every component is given as many
    as there are changes in all: an added or removed row may need a flip of its own.
    """
    kinds = Counter(part.kind for part in model.components)
    if max(kinds.values()) > 1 or ("flip" in kinds and len(kinds) > 1):
        return witness.size
    used = {"miss": len(witness.added), "flip": len(witness.flipped), "fake": len(witness.removed)}
    free = [part.kind for part in model.components if part.amount.unit == "free"]
    return max(used[kind] for kind in free or kinds)


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value
