"""What every criterion speaks of: its code, the branches of a split, what acts can do, when scores tie.

Lowest module of `everytree.learner.criterion`; `gini` and its like compute with these values, and `front`
chooses between them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

TIE_TOLERANCE = 1e-10
"""Scores of a node with n rows, added ones included, that differ by at most this times n count as tied.

scikit-learn adds its scores in floating point and has been seen to prefer a split whose exact score is
lower by 2e-13 at n = 8001. A split is dropped only beyond the tolerance, so rounding can only keep more.
The rows that count are those of the changed table, so a bound for all tables takes n plus the additions.
A criterion may ask for more (see `tolerance`), never for less.
"""


class Criterion(NamedTuple):
    """A criterion as kernels take it.

    ``code`` is its whole number. From ``stop_rows`` rows on a node may stay whole although it can be split,
    where no split gains anything: scikit-learn refuses a split whose gain is computed as less than -2.2e-16.
    ``weights`` says how much a row of each label counts (rows of the array: see `weighted`), ``exact``
    whether weights are whole numbers, so that rounding never decides between two labels.
    """

    code: int
    stop_rows: int
    weights: NDArray[np.float64]
    exact: bool


class Branches(NamedTuple):
    """Both sides of one split, for kernels to fill again and again.

    ``own[side, i]`` counts the rows with label i, ``size[side]`` all of them. The slopes say by how much one
    act can raise g of a side, all acts bounded together: ``add[side, i]`` and ``remove[side, i]`` for a row
    with label i, ``flip[side, i, j]`` for a flip from i to j. Acts that no budget allows are left out.
    """

    own: NDArray[np.float64]
    size: NDArray[np.float64]
    add: NDArray[np.float64]
    remove: NDArray[np.float64]
    flip: NDArray[np.float64]


class Reach(NamedTuple):
    """What the tables of B(T) can do in one node.

    ``acts`` counts additions, flips and removals, ``most`` all of them; ``up[i]`` and ``down[i]`` bound by
    how much the number of rows with label i can rise and fall.
    """

    acts: tuple[int, int, int]
    most: int
    up: NDArray[np.float64]
    down: NDArray[np.float64]
