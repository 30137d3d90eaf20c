"""Groups of test people: what was found, group by group.

Reads verdicts and the sensitive features the caller names; computes shares, never proofs.
"""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING, Any

import numpy as np

from everytree.errors import TableError

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray


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
    import pandas as pd

    groups = group_frame(sensitive_features, frame)
    shares = pd.DataFrame({"n": 1.0}, index=range(len(verdicts)))
    for verdict in ("robust", "not robust", "unknown"):
        shares[verdict] = (verdicts == verdict).astype(float)
    grouped = shares.groupby([groups[name].to_numpy() for name in groups.columns])
    result = grouped.mean()
    result["n"] = grouped["n"].sum().astype(int)
    result.index.names = [str(name) for name in groups.columns]
    return result


def group_frame(sensitive_features: object, frame: pd.DataFrame) -> pd.DataFrame:
    """Bring sensitive features into one frame with a row for each person of `frame`.

    Parameters
    ----------
    sensitive_features : str, list of str, Series, DataFrame, dict or array
        Names of columns of `frame`, or values, one for each person.
    frame : DataFrame
        The test table.
    """
    import pandas as pd

    if isinstance(sensitive_features, str):
        sensitive_features = [sensitive_features]
    if _are_names(sensitive_features, frame):
        names: Any = sensitive_features
        _check_names(names, frame)
        return frame[list(names)]
    if isinstance(sensitive_features, dict):
        values = pd.DataFrame({str(k): np.asarray(v) for k, v in sensitive_features.items()})
    elif hasattr(sensitive_features, "to_pandas"):
        values = pd.DataFrame(sensitive_features.to_pandas())
    elif isinstance(sensitive_features, pd.Series):
        name = sensitive_features.name if sensitive_features.name is not None else "group"
        values = pd.DataFrame({str(name): sensitive_features.to_numpy()})
    elif isinstance(sensitive_features, pd.DataFrame):
        values = sensitive_features.reset_index(drop=True)
    else:
        array = np.asarray(sensitive_features)
        columns = ["group"] if array.ndim == 1 else [f"group{c}" for c in range(array.shape[-1])]
        values = pd.DataFrame(array.reshape(len(array), -1), columns=columns)
    if len(values) != len(frame):
        raise TableError(
            f"sensitive_features must have one value for each of the {len(frame)} test people; received "
            f"{len(values)}. Give them in the order of the test table, or name columns of it."
        )
    return values


def _are_names(features: object, frame: pd.DataFrame) -> bool:
    """Tell a list of column names from a list of values: names are strings and fewer than the people."""
    if not isinstance(features, list | tuple) or not all(isinstance(f, str) for f in features):
        return False
    return len(features) != len(frame) or all(f in frame.columns for f in features)


def _check_names(names: list[str], frame: pd.DataFrame) -> None:
    known = [str(column) for column in frame.columns]
    for name in names:
        if name not in known:
            near = difflib.get_close_matches(name, known, n=1)
            hint = f" Did you mean {near[0]!r}?" if near else ""
            raise TableError(
                f"There is no column {name!r} to group by. The test table has {', '.join(known)}.{hint}"
            )
