"""When a split is available and when a node may stop, over all tables of B(T): NEVER, MAYBE, SURELY.

The meaning of the settings for a proof. A table T' of B(T) may split a node only where both sides keep
`min_samples_leaf` rows and the node has `min_samples_split`; shares are shares of the rows of T' as a whole.
Nodes, engines, path programs and the enumeration ask here; the checker has its own copy.

With m additions and k removals, n_b rows of T on side b, and s and q the resolved numbers, lo for the least
and hi for the most demanding table:

* NEVER, if (s_lo - n_L)^+ + (s_lo - n_R)^+ > m, or if the node's rows + m < max(q_lo, 2 s_lo): an addition
  fills one missing row.
* SURELY, if n_b - min(k, removable in b) >= s_hi on both sides: flips move no row.
* A side takes at most m - (s_lo - n_other)^+ additions of a table in which the split is available, because
  the other side needs that many. An *outer* split, with all rows on one side, is the extreme case.

A split that T' takes is available there, so one that is NEVER may be dropped. It is best among those
available in T', so it may be dropped by a challenger that is SURELY available and always ahead. Where
s_hi = 1 any inner split may challenge: one that is ahead gains something, so it leaves no side empty.

A node may stop if it may have fewer than max(q_hi, 2 s_hi) rows, if no split may challenge, or if no
challenger gains `min_impurity_decrease` for certain; and wherever the tree may be cut off (`max_leaf_nodes`,
`ccp_alpha`). A node that T' makes pure needs no case of its own: if a split is available there, it ties with
all others and survives, and the person's side of it shows the same label; if none is, none is SURELY
available.
"""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from everytree.support.kernels import kernel

if TYPE_CHECKING:
    from everytree.learner.settings import Settings

__all__ = ["MAYBE", "NEVER", "SURELY", "Floors", "availability", "floors", "may_be_small"]

NEVER, MAYBE, SURELY = 0, 1, 2
"""Whether a split is available: in no table of B(T), in some perhaps, in all of them."""

NOWHERE, BELOW_ROOT, ANYWHERE = 0, 1, 2
"""Where the learner may cut a tree off for reasons that its nodes do not show."""


class Floors(NamedTuple):
    """What the tables of B(T) ask of a split, resolved to whole numbers.

    ``leaf_low`` and ``leaf_high`` bound the rows that each side must keep, ``node_low`` and ``node_high``
    those that a node must have to be split. ``decrease`` is the largest gain of the score G that the learner
    may refuse: `min_impurity_decrease` times the rows of the largest table, or their weight. ``cut_off`` says
    where any node may be a leaf.
    """

    leaf_low: int
    leaf_high: int
    node_low: int
    node_high: int
    decrease: float
    cut_off: int

    @property
    def plain(self) -> bool:
        """Whether every split with a row on both sides is available."""
        return self.leaf_high == 1 and self.node_high == 2


def floors(settings: Settings, least_rows: int, most_rows: int, most_weight: float | None = None) -> Floors:
    """Resolve the settings for all tables with so many rows, of which none weighs more than `most_weight`.

    Soundness
    ---------
    ``ceil(share * n)`` grows with n, in floating point too. scikit-learn refuses a split whose gain
    (G - G_0) / n' is below `min_impurity_decrease`, with n' the rows of the whole table, or their weight: a
    row added in another branch can turn a node into a leaf.
    """
    leaf_low, leaf_high = (_rows(settings.min_samples_leaf, n, 1) for n in (least_rows, most_rows))
    node_low, node_high = (_rows(settings.min_samples_split, n, 2) for n in (least_rows, most_rows))
    return Floors(
        leaf_low,
        leaf_high,
        max(node_low, 2 * leaf_low),
        max(node_high, 2 * leaf_high),
        settings.min_impurity_decrease * (most_rows if most_weight is None else most_weight),
        _cut_off(settings, most_rows // leaf_low),
    )


def _rows(given: float, n_rows: int, least: int) -> int:
    """Resolve a number of rows as scikit-learn does: shares of all rows are rounded up."""
    return int(given) if isinstance(given, int) else max(least, ceil(given * n_rows))


def _cut_off(settings: Settings, most_leaves: int) -> int:
    """Say where the limit of leaves, or pruning, may turn a node into a leaf.

    The root is split before the leaves run out; pruning may reach it. A limit that no tree exceeds, because
    of its depth or because of the rows that each leaf needs, does nothing.
    """
    if settings.ccp_alpha > 0:
        return ANYWHERE
    if settings.max_depth is not None and settings.max_depth < 60:
        most_leaves = min(most_leaves, 2**settings.max_depth)
    limit = settings.max_leaf_nodes
    return BELOW_ROOT if limit is not None and limit < most_leaves else NOWHERE


@kernel
def availability(
    left: Any, total: Any, removable: Any, additions: Any, floors: Any, most_added: int, removals: int
) -> Any:
    """Say of each split of a node whether it is available, and clip the additions on its sides.

    ``left[s, t]`` counts the rows of type t left of split s, ``total[t]`` those of the node; ``removable[t]``
    says that such rows may be removed. ``additions[s, side]`` bounds the added rows on each side and is
    lowered in place.
    """
    codes = np.empty(len(left), np.int8)
    size = total.sum()
    rows = np.empty(2, np.int64)
    may_go = np.empty(2, np.int64)
    for s in range(len(left)):
        rows[:] = 0
        may_go[:] = 0
        for t in range(len(total)):
            rows[0] += left[s, t]
            rows[1] += total[t] - left[s, t]
            if removable[t]:
                may_go[0] += left[s, t]
                may_go[1] += total[t] - left[s, t]
        sure = True
        never = size + most_added < floors.node_low
        for side in range(2):
            missing = max(0, floors.leaf_low - rows[side])
            other_missing = max(0, floors.leaf_low - rows[1 - side])
            additions[s, side] = min(additions[s, side], most_added - other_missing)
            never = never or missing > additions[s, side]
            sure = sure and rows[side] - min(removals, may_go[side]) >= floors.leaf_high
        codes[s] = NEVER if never else (SURELY if sure else MAYBE)
    return codes


def may_be_small(floors: Floors, rows: int, removable: int, removals: int) -> bool:
    """Whether removals can leave a node with fewer rows than a split needs."""
    return rows - min(removals, removable) < floors.node_high
