"""The check that makes gaps between values mean for scikit-learn what they mean for the proofs.

scikit-learn treats neighbouring values closer than 1e-7 as equal; a table in which such values
exist, or could be made by added rows, cannot be certified.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from everytree.errors import TableError
from everytree.table.pipelines import check_additions
from everytree.table.structure import TrainingTable

__all__ = ["FEATURE_STEP", "Bridge", "bridged_gap", "check_gaps", "remedy", "too_close"]

FEATURE_STEP = np.float32(1e-7)
"""Values not further apart than this are one value for scikit-learn's splitter."""

LARGEST_STEP = 2e-7
"""No float32 addition of `FEATURE_STEP` moves a number by more than this, rounding included.

Below 2 the spacing of float32 is at most 1.2e-7 and the sum is rounded by at most half of it; from 2
on half the spacing exceeds the step and the sum rounds back to where it started.
"""


class Bridge(NamedTuple):
    """Two neighbouring values of a feature that the learner may not tell apart."""

    feature: int
    low: float
    high: float


WHOLE_APART = 0.9
"""Below this width no gap between two whole numbers is narrow, rounding included."""


def check_gaps(table: TrainingTable, additions: int) -> None:
    """Refuse a table in which some gap could be bridged by steps that scikit-learn ignores.

    Parameters
    ----------
    table : TrainingTable
        The table to be certified.
    additions : int
        How many rows the bias model may add.

    Raises
    ------
    TableError
        If a gap is too small; the message names the column and the two values.
    UnsupportedLearnerError
        If rows may be added, and a step before the tree may look at all rows at once.
    """
    if additions:
        check_additions(table)
    bridge = bridged_gap(table, additions)
    if bridge is not None:
        told = too_close(table, bridge, additions)
        raise TableError(f"{told}: nothing can be proved about such a table. {remedy(table)}")


def bridged_gap(table: TrainingTable, additions: int) -> Bridge | None:
    """Find a gap that could be bridged by steps that scikit-learn ignores, if there is one.

    For every feature and all consecutive distinct values a < b: starting at a, adding
    ``float32(1e-7)`` in float32 ``additions + 1`` times must stay below b. A column that holds
    nothing but 0 and 1, in added rows either, has no values in between.

    Notes
    -----
    *Soundness.* The learner joins v <= v' when ``v' <= float32(v + 1e-7)``. Added rows may form a
    chain of at most ``additions`` values between a and b; the check excludes that such a chain
    joins two values of the table.
    """
    steps = additions + 1
    widest = steps * LARGEST_STEP
    found = [
        _narrow_gaps(table.X[: 0 if boolean else None, j], widest)
        for j, boolean in enumerate(table.is_boolean)
    ]
    feature = np.repeat(np.arange(len(found)), [len(low) for low, _ in found])
    if len(feature) == 0:
        return None
    lower = np.concatenate([low for low, _ in found])
    upper = np.concatenate([high for _, high in found])
    bridged = _first_bridged(lower, upper, steps)
    return (
        None
        if bridged is None
        else Bridge(int(feature[bridged]), float(lower[bridged]), float(upper[bridged]))
    )


def _narrow_gaps(
    values: NDArray[np.float32], widest: float
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Consecutive distinct values that are at most `widest` apart."""
    if widest < WHOLE_APART and (values == np.rint(values)).all():
        return values[:0], values[:0]
    ordered = np.sort(values)
    low, high = ordered[:-1], ordered[1:]
    with np.errstate(over="ignore"):
        narrow = high - low <= np.float32(1.001 * widest)
    narrow &= high > low
    return low[narrow], high[narrow]


def _first_bridged(low: NDArray[np.float32], high: NDArray[np.float32], steps: int) -> int | None:
    """Position of a gap that `steps` additions cross, or None.

    Numbers with the same exponent are equally far apart, so all steps among them have the same width (a tie
    in rounding needs numbers of about the step's size, of which there is one step at most). They are taken
    at once, up to the last but one: however many there are, a few for each exponent are enough.
    """
    reached = low.astype(np.float64)
    left = np.full(len(low), steps)
    while True:
        width = (reached.astype(np.float32) + FEATURE_STEP).astype(np.float64) - reached
        moving = (width > 0) & (left > 0)
        if not moving.any():
            return None
        several = np.clip(_same_exponent(reached) / np.where(moving, width, 1.0) - 2.0, 1.0, left)
        several = np.where(moving, np.floor(several), 0.0)
        reached += several * width
        left -= several.astype(np.int64)
        if (reached >= high).any():
            return int((reached >= high).argmax())


def _same_exponent(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """How far values can grow while their exponent stays; 0 for 0, whose neighbours are unlike each other."""
    _, exponent = np.frexp(values)
    end = np.where(values > 0, np.ldexp(1.0, exponent), -np.ldexp(1.0, exponent - 1))
    return np.where(values == 0, 0.0, end - values)


def too_close(table: TrainingTable, bridge: Bridge, additions: int) -> str:
    """Name two values that the learner may not tell apart."""
    added = f" with {additions} added rows in between" if additions else ""
    return (
        f"Column {table.feature_names[bridge.feature]!r} has the values {bridge.low!r} and {bridge.high!r}, "
        f"which are so close that scikit-learn may treat them as one{added}"
    )


def remedy(table: TrainingTable) -> str:
    """What to do about values that are too close."""
    what = "Round the column, or rescale it to larger numbers."
    if table.encoder is not None:
        what = (
            "Round the features before the tree, for example by FunctionTransformer(np.round, "
            "kw_args={'decimals': 5}) as the last step before it, or rescale them to larger numbers."
        )
    apart = "Different values must be further apart than 1e-7 for each row that may be added, and once more."
    return f"{apart} {what}"
