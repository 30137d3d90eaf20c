"""The ways in which the splits of a node divide its rows, and where they send people; compiled.

Below `change_kinds.py` and `tied_ways.py`: splits that divide the rows alike have the same children.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from everytree.prove.views import LARGEST
from everytree.support.kernels import bare_kernel


@bare_kernel
def cut_of(columns: Any, code: Any, rows: Any, s: int, rivals: Any, cuts: Any, n_cuts: int) -> int:
    """The way in which a split divides the rows: its number among the cuts; one that is new is added.

    Its threshold is the midpoint of the gap between the rows that are there. People without a value go where
    more rows are, if no row lacks one (`prove/views.py`).
    """
    if rivals.cut[s] >= 0:
        return int(rivals.cut[s])
    j, k, size = rivals.column[s], rivals.n_left[s], len(rows)
    start = columns.starts[j]
    first, last = columns.values[start + rivals.ends[j, 0]], columns.values[start + rivals.ends[j, 1]]
    rivals.without[s] = -1
    if not np.isinf(first) and not np.isinf(last):
        rivals.without[s] = 0 if 2 * k > size else 1
    low, high = columns.values[start + rivals.low[s]], columns.values[start + rivals.high[s]]
    # np.float64 first: the learner halves in double precision
    rivals.threshold[s] = min(np.float64(low) / 2 + np.float64(high) / 2, LARGEST)
    at = 0
    while at < n_cuts and not _same_rows(code, rows, rivals, int(cuts[at]), s):
        at += 1
    if at < len(cuts):
        cuts[at] = s if at == n_cuts else cuts[at]
        rivals.cut[s] = at
    return at


@bare_kernel
def _same_rows(code: Any, rows: Any, rivals: Any, one: int, other: int) -> bool:
    """Whether two splits have the same rows on their left."""
    if rivals.n_left[one] != rivals.n_left[other]:
        return False
    j, low = rivals.column[one], rivals.low[one]
    i, last = rivals.column[other], rivals.low[other]
    for r in rows:  # noqa: SIM110 (compiled)
        if (code[j, r] <= low) != (code[i, r] <= last):
            return False
    return True


@bare_kernel
def side_of(x: Any, s: int, rivals: Any) -> int:
    """To which side a split sends somebody."""
    here = x[rivals.column[s]]
    if rivals.without[s] >= 0 and np.isinf(here):
        return int(rivals.without[s])
    return 0 if here <= rivals.threshold[s] else 1
