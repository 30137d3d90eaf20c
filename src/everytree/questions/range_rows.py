"""Rows of the table of ranges: each number is rounded once, and a known value outside its bounds is a fault.

Below `everytree.questions.metrics`, which bounds.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pandas as pd

from everytree.errors import InternalError
from everytree.results.certification import NOT_ROBUST, ROBUST, UNKNOWN
from everytree.results.ranges import ATTAINED, BETWEEN, EVERYBODY, PROVED

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from everytree.questions.measures import Measures
    from everytree.questions.rates import Range

__all__ = ["COLUMNS", "index_levels", "index_of", "reached_by", "row_of", "verdict_rows"]

COLUMNS = (
    "n",
    "estimate",
    "low",
    "high",
    "low_is",
    "high_is",
    "attained_low",
    "attained_high",
    "gap",
    "compared",
)


def index_of(keys: list[tuple[Any, ...]], features: dict[str, list[Any]]) -> pd.MultiIndex:
    """Metric and group of each row. Levels are in the order of the rows, so pandas takes them as sorted."""
    levels = index_levels(list(dict.fromkeys(key[0] for key in keys)), features)
    places = [{value: place for place, value in enumerate(level)} for level in levels]
    codes = [[place[key[i]] for key in keys] for i, place in enumerate(places)]
    return pd.MultiIndex(levels=levels, codes=codes, names=["metric", *features])


def index_levels(metrics: list[str], features: dict[str, list[Any]]) -> list[list[Any]]:
    """Metrics, and for each feature what can stand in the place of a group."""
    return [metrics, *([EVERYBODY, *values, BETWEEN] for values in features.values())]


def verdict_rows(
    verdicts: NDArray[np.str_], correct: NDArray[np.bool_] | None, measures: Measures
) -> list[tuple[Any, ...]]:
    """Shares of people that are counted once: they belong to the search, not to a table of B(T)."""
    shares = {verdict: verdicts == verdict for verdict in (ROBUST, NOT_ROBUST, UNKNOWN)}
    if correct is not None:
        shares["certified accuracy"] = shares[ROBUST] & correct
    none = float("nan")
    return [
        (name, *key, len(who), int(holds[who].sum()) / len(who), none, none, "", "", none, none, none, "")
        for name, holds in shares.items()
        for key, who in measures.everyone.items()
    ]


def reached_by(found: Range) -> tuple[int | None, int | None]:
    """Which known tables have the smallest and the largest value."""
    seen = [(value, t) for t, value in enumerate(found.values) if value is not None]
    if not seen:
        return None, None
    return min(seen)[1], max(seen, key=lambda pair: (pair[0], -pair[1]))[1]


def row_of(found: Range, name: str) -> tuple[Any, ...]:
    """The columns of a row. A known value outside the bounds is a fault."""
    none = float("nan")
    seen = [value for value in found.values if value is not None]
    if found.low is None or found.high is None:
        if seen:
            raise InternalError(
                f"The {name} has the value {seen[0]} but no range. This is a fault in everytree."
            )
        return found.n, none, none, none, "", "", none, none, none
    if any(not found.low <= value <= found.high for value in seen):
        raise InternalError(
            f"The {name} of a retrained tree is outside its range from {found.low} to {found.high}. This is "
            "a fault in everytree; please report it with the table."
        )
    estimate = none if found.values[0] is None else float(found.values[0])
    return (
        found.n,
        estimate,
        float(found.low),
        float(found.high),
        ATTAINED if found.low in seen else PROVED,
        ATTAINED if found.high in seen else PROVED,
        float(min(seen)) if seen else none,
        float(max(seen)) if seen else none,
        float((found.high - found.low) - (max(seen) - min(seen))) if seen else none,
    )
