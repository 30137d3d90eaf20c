"""Which records matter: the training rows that occur most often in the smallest changes.

Reads witnesses only. What a person with doubtful labels does next is to check these records.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from everytree.errors import EverytreeError

if TYPE_CHECKING:
    from collections.abc import Iterable

    import pandas as pd
    from numpy.typing import NDArray

    from everytree.refute.witness import Witness
    from everytree.table import TrainingTable


def record_weights(witnesses: Iterable[Witness], n_rows: int) -> NDArray[np.float64]:
    """Number of people whose witness needs each row, shared evenly among rows that would do as well.

    A witness that flips 3 of 60 interchangeable rows gives each of the 60 a weight of 3 / 60.
    """
    weights = np.zeros(n_rows)
    for witness in witnesses:
        for rows, count in witness.alternatives:
            weights[rows] += count / len(rows)
    return weights


def row_numbers(rows: Iterable[int], n_rows: int) -> NDArray[np.int64]:
    """Check row numbers of the training table; sorted, each once."""
    found = np.unique(np.fromiter(rows, np.int64))
    if len(found) and (found[0] < 0 or found[-1] >= n_rows):
        raise EverytreeError(
            f"rows must be row numbers of the training table, from 0 to {n_rows - 1}; received "
            f"{int(found[0]) if found[0] < 0 else int(found[-1])}."
        )
    return found


def critical_records(witnesses: Iterable[Witness], table: TrainingTable, how_many: int) -> pd.DataFrame:
    """The training records that the witnesses touch most, with their columns and label.

    Returns
    -------
    DataFrame
        Indexed by row number, the most critical first; `people` is the weight of `record_weights`.
    """
    weights = record_weights(witnesses, len(table.y))
    order = np.argsort(-weights, kind="stable")[:how_many]
    order = order[weights[order] > 0]
    frame = table.frame.iloc[order].copy()
    frame.index = order
    frame.index.name = "row"
    frame[table.label_name] = table.labels[table.y[order]]
    frame.insert(0, "people", weights[order])
    return frame
