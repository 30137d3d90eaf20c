"""Groups of test people: who belongs to which, and what was found, group by group.

Reads verdicts and the sensitive features the caller names, as fairlearn does; computes shares, never proofs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from everytree.errors import TableError
from everytree.support.text import listing, nearest
from everytree.table.bands import read_bands

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

SMALLEST_COMPARED = 30
"""Groups of fewer people are shown, but not compared with others, unless another number is asked for."""

MISSING = "missing"
"""Name of the group of people whose value of a feature is missing."""


def shares_by_group(
    verdicts: NDArray[np.str_], sensitive_features: object, frame: pd.DataFrame
) -> pd.DataFrame:
    """Share of each verdict in each group, the size of the group first.

    Parameters
    ----------
    verdicts : array of str
    sensitive_features : see `group_frame`
    frame : DataFrame
        The test table, for features given by name.

    Returns
    -------
    DataFrame
        Indexed by group; columns `n`, `robust`, `not robust`, `unknown`. Several features give a row for each
        combination that occurs.
    """
    groups = group_frame(sensitive_features, frame)
    members = group_members(groups)
    shares: dict[str, list[float]] = {"n": [len(people) for people in members.values()]}
    for verdict in ("robust", "not robust", "unknown"):
        shares[verdict] = [float(np.mean(verdicts[people] == verdict)) for people in members.values()]
    keys = pd.DataFrame(list(members), columns=groups.columns)
    index = pd.Index(keys.iloc[:, 0]) if keys.shape[1] == 1 else pd.MultiIndex.from_frame(keys)
    return pd.DataFrame(shares, index=index)


def group_members(groups: pd.DataFrame) -> dict[tuple[Any, ...], NDArray[np.int64]]:
    """Positions of the people of each group that occurs, in the order of the groups.

    Parameters
    ----------
    groups : DataFrame
        As `group_frame` gives it.

    Returns
    -------
    dict
        Tuple of values, one for each feature, to positions in the test table. Nobody is in two groups, and
        everybody is in one.
    """
    codes = np.column_stack([groups[name].cat.codes.to_numpy() for name in groups.columns])
    distinct, group_of = np.unique(codes, axis=0, return_inverse=True)
    names = [groups[name].cat.categories.tolist() for name in groups.columns]
    keys = [tuple(values[c] for values, c in zip(names, row, strict=True)) for row in distinct.tolist()]
    return {key: np.flatnonzero(group_of.reshape(-1) == g) for g, key in enumerate(keys)}


def group_frame(sensitive_features: object, frame: pd.DataFrame, label: str | None = None) -> pd.DataFrame:
    """Bring sensitive features into one frame with a row for each person of `frame`.

    Parameters
    ----------
    sensitive_features : str, list of str, Series, DataFrame, dict or array
        Names of columns of `frame`, or of bands of a column of numbers, ``"age by 25, 45, 65"``, or values,
        one for each person. As in fairlearn, values go by position: the index of a Series or DataFrame is not
        looked at.
    frame : DataFrame
        The test table.
    label : str, optional
        Name of the label, which is no column to group by.

    Returns
    -------
    DataFrame
        A categorical column for each feature, with the groups that occur in their order: that of an ordered
        categorical, else numbers by size and then text by the alphabet. People whose value is missing are a
        group called "missing", the last one.

    Raises
    ------
    TableError
        If a name is unknown or occurs twice, there is no feature at all, or the number of values is not that
        of the people.
    """
    if isinstance(sensitive_features, str):
        sensitive_features = [sensitive_features]
    if _are_names(sensitive_features, frame):
        named: Any = sensitive_features
        columns = [(name, _named(name, named, frame, label)) for name in named]
    else:
        columns = _columns_of_values(sensitive_features)
    names = [name for name, _ in columns]
    if not names:
        raise TableError(
            "sensitive_features must hold at least one feature to group by; received none. Name a column of "
            "the test table, or give one value for each person."
        )
    if len(set(names)) < len(names):
        twice = sorted({name for name in names if names.count(name) > 1})
        raise TableError(
            f"sensitive_features has more than one feature called {listing(twice)}. Every feature needs a "
            "name of its own. Rename or remove one."
        )
    for name, values in columns:
        if len(values) != len(frame):
            raise TableError(
                f"sensitive_features must have one value for each of the {len(frame)} test people; received "
                f"{len(values)} for {name!r}. Give them in the order of the test table, or name columns of "
                "it."
            )
    return pd.DataFrame({name: _as_groups(values) for name, values in columns})


def _are_names(features: object, frame: pd.DataFrame) -> bool:
    """Tell a list of column names from a list of values: names are strings and fewer than the people."""
    if not isinstance(features, list | tuple) or not all(isinstance(f, str) for f in features):
        return False
    known = list(map(str, frame.columns))
    return len(features) != len(frame) or all(
        f in known or read_bands(f, known) is not None for f in features
    )


def _named(name: str, names: Sequence[str], frame: pd.DataFrame, label: str | None) -> pd.Series[Any]:
    """Values of the column or the bands that are called so."""
    known = [str(column) for column in frame.columns]
    if name in known:
        return frame[name]
    bands = read_bands(name, known)
    if bands is not None:
        return bands.of(frame[bands.column])
    if name == label:
        raise TableError(
            f"{name!r} is the label, and people cannot be grouped by it. Name other columns of the test "
            f"table: {', '.join(known)}."
        )
    values = f" To give values instead, give one for each of the {len(frame)} people."
    raise TableError(
        f"There is no column {name!r} to group by. The test table has {', '.join(known)}."
        f"{nearest(name, known)}{values if len(names) > 1 else ''}"
    )


def _columns_of_values(features: Any) -> list[tuple[str, pd.Series[Any]]]:
    """Name and values of each feature that is not a column of the test table."""
    if isinstance(features, dict):
        return [(str(name), _one_column(values, str(name))) for name, values in features.items()]
    if not isinstance(features, pd.Series | pd.DataFrame) and hasattr(features, "to_pandas"):
        features = features.to_pandas()
    if isinstance(features, pd.DataFrame):
        return [(str(name), features.iloc[:, place]) for place, name in enumerate(features.columns)]
    name = getattr(features, "name", None)
    array = None if isinstance(features, pd.Series) else np.asarray(features, dtype=object)
    if array is not None and array.ndim == 2:
        return [(f"group{c}", pd.Series(array[:, c], dtype=object)) for c in range(array.shape[1])]
    return [("group" if name in (None, "") else str(name), _one_column(features, "sensitive_features"))]


def _one_column(values: Any, name: str) -> pd.Series[Any]:
    if isinstance(values, pd.Series):
        return values
    if hasattr(values, "to_pandas"):
        return pd.Series(values.to_pandas())
    shape = np.shape(np.asarray(values, dtype=object))
    if len(shape) != 1 or isinstance(values, str):
        received = f"the text {values!r}" if isinstance(values, str) else f"an array of shape {shape}"
        raise TableError(
            f"{name} must hold one value for each test person; received {received}. Give a list, a Series, "
            "or the name of a column of the test table."
        )
    return pd.Series(list(values), dtype=object)


def _as_groups(values: pd.Series[Any]) -> pd.Categorical:
    """Values as groups in their order, the missing ones as a group of their own."""
    dtype = values.dtype
    missing = values.isna().to_numpy()
    plain = values.astype(object).to_numpy()
    try:
        known = pd.unique(plain[~missing]).tolist()
    except TypeError as error:
        raise TableError(
            f"sensitive_features must hold single values such as text or numbers; received {plain[0]!r} for "
            "the first person. Give every feature a list of its own, for example as a dictionary."
        ) from error
    if isinstance(dtype, pd.CategoricalDtype) and dtype.ordered:
        known = [category for category in dtype.categories.tolist() if category in set(known)]
    else:
        known.sort(key=_order)
    if missing.any():
        name = MISSING
        while name in known:  # the table has a value of this name, which is something else
            name = f"({name})"
        plain = np.where(missing, name, plain)
        known.append(name)
    categories = pd.Index(known, dtype=object) if missing.any() else pd.Index(known)
    return pd.Categorical(plain, categories=categories, ordered=True)


def _order(value: Any) -> tuple[int, Any]:
    """Numbers by size, everything else as text behind them."""
    if isinstance(value, bool | int | float | np.number):
        return 0, value
    return 1, str(value)
