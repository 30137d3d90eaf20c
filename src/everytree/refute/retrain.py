"""What trees learned from the witnesses' tables say about everybody.

Beside `everytree.refute.witness`: a witness is kept for one person, but its table is one of B(T), so the
retrained tree shows what can happen to all people together. Also a check of every proof, for free.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from everytree.errors import InternalError
from everytree.refute.applying import changed_rows
from everytree.support.progress import reporting
from everytree.table import encode_added

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from everytree.learner import Prepared
    from everytree.refute.witness import Witness
    from everytree.support.progress import Progress
    from everytree.table import TrainingTable


def different_witnesses(witnesses: dict[int, Witness], tries: int) -> list[int]:
    """Choose people whose witnesses have different tables, evenly if there are more than `tries`."""
    different: dict[tuple[object, ...], int] = {}
    for person, witness in sorted(witnesses.items()):
        different.setdefault(witness.changes, person)
    people = list(different.values())
    if len(people) > tries:
        people = [people[i] for i in np.linspace(0, len(people) - 1, tries).round().astype(int)]
    return people


def retrained_predictions(
    prepared: Prepared, witnesses: dict[int, Witness], people: list[int], progress: bool | Progress = False
) -> NDArray[np.integer[Any]]:
    """Predict all test people with trees learned from the tables of witnesses.

    Parameters
    ----------
    prepared : Prepared
        Tables and learner, as they were certified.
    witnesses : dict
        Position of a person to the witness.
    people : list of int
        Whose witnesses' tables are learned from.
    progress : bool or callable
        Show a bar, or call ``progress(share_done, tables_left)``.

    Returns
    -------
    array of (tables, people)
        Codes of labels.

    Raises
    ------
    InternalError
        If a witness does not change the prediction of its person as it says.
    """
    codes = {label: code for code, label in enumerate(prepared.train.labels.tolist())}
    after = np.empty((len(people), len(prepared.test.X)), np.min_scalar_type(-len(codes)))
    with reporting(progress, len(people), "retraining", "tables left") as report:
        for t, person in enumerate(people):
            after[t] = retrain(prepared, witnesses[person]).predict(prepared.test.X)
            if after[t, person] != codes[witnesses[person].after]:
                raise InternalError(
                    f"The tree retrained on the witness for test person {person} does not give the label "
                    f"{witnesses[person].after!r}. This is a fault in everytree; please report it with the "
                    "table."
                )
            if report is not None:
                report((t + 1) / len(people), len(people) - t - 1)
    return after


def retrain(prepared: Prepared, witness: Witness) -> Any:
    """Learn a tree of label codes from a witness's table, with the user's own settings."""
    tree = prepared.learner.new_tree()
    if witness.random_state is not None:
        tree.set_params(random_state=witness.random_state)
    return tree.fit(*changed_table(witness, prepared.train))


def changed_table(witness: Witness, train: TrainingTable) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
    """Features and label codes of a witness's table, encoded as the training table is."""
    change = witness.change.relabelled(_codes(train))
    added = train.X[:0]
    if change.added:
        rows = changed_rows(witness, train.frame).iloc[-len(change.added) :]
        added = encode_added(train, rows)
    return np.ascontiguousarray(change.change_rows(train.X, added)), change.change_labels(train.y)


def _codes(train: TrainingTable) -> dict[Any, int]:
    """Code of each label, as it is and as a column of labels shows it: dates look different there."""
    names = train.labels.tolist()
    return {
        name: code for shown in (pd.Series(train.labels).tolist(), names) for code, name in enumerate(shown)
    }
