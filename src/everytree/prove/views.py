"""Features with holes, shown twice: what is missing stands behind all values, and before them.

Between the tables and the counts. Where values are missing in a node, scikit-learn tries every gap of a
feature twice, with the missing rows on the right and on the left, and "all values left, what is missing
right". So a feature in which a training row or a person lacks a value becomes two coded columns, its *views*:
in the first one what is missing counts as plus infinity, in the second one as minus infinity. Every split of
the learner is then a plain split of one of the views, and what looks at codes, counts and cells needs no case
of its own. What is left are the rules of `chosen_views`, by which people without a value are sent where the
learner sends them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from everytree.errors import InternalError
from everytree.table.structure import lacks

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from everytree.prove.counts import Budget, Columns, RowTypes, Splits
    from everytree.table.structure import Bounds, TrainingTable

LARGEST = float(np.finfo(np.float64).max)
"""Between all values of a feature and plus infinity; its negative stands before all values."""


@dataclass(frozen=True, eq=False)
class Views:
    """Which features are shown twice.

    Attributes
    ----------
    n_features : int
        Features of the table. View j < n_features shows feature j, with what is missing behind all values.
    doubled : ndarray of int
        The features that are shown twice; view n_features + i shows feature doubled[i], with what is missing
        before all values.
    holes : ndarray of bool
        For each feature, whether some training row lacks it. Only there may an added row lack it.
    """

    n_features: int
    doubled: NDArray[np.int64]
    holes: NDArray[np.bool_]

    @classmethod
    def of(cls, table: TrainingTable, people: NDArray[np.float32] | None = None) -> Views:
        """Show those features twice that a training row, or one of the people, lacks."""
        lacking = table.has_holes if people is None else table.has_holes | lacks(people)
        return cls(len(lacking), np.flatnonzero(lacking), table.has_holes)

    @property
    def source(self) -> NDArray[np.int64]:
        """The feature that each view shows."""
        return np.concatenate([np.arange(self.n_features), self.doubled])

    def show(self, X: NDArray[np.float32]) -> NDArray[np.float32]:
        """Give rows or people as their views; without holes they stay what they are."""
        lacking = np.flatnonzero(lacks(X))
        if len(lacking) and len(np.setdiff1d(lacking, self.doubled)):
            raise InternalError("A value is missing in a feature that has no place for it.")
        if len(self.doubled) == 0:
            return X
        shown = np.empty((len(X), self.n_features + len(self.doubled)), np.float32, order="F")
        shown[:, : self.n_features] = X
        shown[:, self.n_features :] = X[:, self.doubled]
        for j in lacking:
            second = self._second(int(j))
            shown[np.isnan(shown[:, j]), j] = np.inf
            shown[np.isnan(shown[:, second]), second] = -np.inf
        return shown

    def _second(self, feature: int) -> int:
        """The second view of a feature that is shown twice."""
        return self.n_features + int(np.searchsorted(self.doubled, feature))

    def boolean(self, is_boolean: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Say which views hold nothing but 0 and 1, in added rows either."""
        return np.asarray((is_boolean & ~self.holes)[self.source])

    def bounds(self, of_views: Mapping[int, tuple[float, float]]) -> dict[int, Bounds]:
        """Turn bounds on views into bounds on features; a third entry, True, says that it may be missing.

        What is missing is plus infinity in the first view and minus infinity in the second one, so it is
        possible if neither view excludes its end.
        """
        everywhere = (-np.inf, np.inf)
        twice = set(self.doubled.tolist())
        result: dict[int, Bounds] = {}
        for j in dict.fromkeys(int(self.source[view]) for view in of_views):
            low, high = of_views.get(j, everywhere)
            if j in twice:
                other_low, other_high = of_views.get(self._second(j), everywhere)
                missing = self.holes[j] and high == np.inf and other_low == -np.inf
                ends = max(low, other_low), min(high, other_high)
                result[j] = (*ends, True) if missing else ends
            else:
                result[j] = (low, high)
        return result


def chosen_views(
    columns: Columns, views: Views, types: RowTypes, rows: NDArray[np.int32], splits: Splits, budget: Budget
) -> NDArray[np.bool_]:
    """Which splits of a node to keep, of the two that the views of a feature have at each gap.

    Soundness
    ---------
    Let T' be a table of B(T), and the learner's split of this node one of a doubled feature.

    * Rows without a value are in the node, in T'. The split sends them, and people without a value, to one
      side: it is a split of the first view (right) or of the second one (left). "What is missing left, all
      values right" is no split of the learner's; it divides the node as "all values left, what is missing
      right" does, and is left out where no added row can have a value below all others.
    * No row without a value is in the node, in T'. The splits at this gap in both views divide the rows in
      the same way. scikit-learn sends a person without a value to the left iff n'_L > n'_R, as the second
      view does, and to the right otherwise, as the first one. The second view is left out only if
      n'_L - n'_R is never positive, the first one only if it always is; additions and removals move it by
      one each. If rows of T lack a value in this node, or added ones may, both stay.

    People who have a value go to the same side in both views.
    """
    keep = np.ones(len(splits.feature), np.bool_)
    n_left, n_rows = splits.left.sum(axis=1, dtype=np.int64), int(splits.total.sum())
    may_go = splits.left[:, types.removable].sum(axis=1, dtype=np.int64)
    others = int(splits.total[types.removable].sum()) - may_go
    most = 2 * n_left - n_rows + budget.additions + np.minimum(budget.removals, others)
    least = 2 * n_left - n_rows - budget.additions - np.minimum(budget.removals, may_go)
    for i, j in enumerate(views.doubled):
        first, second = splits.feature == j, splits.feature == views.n_features + i
        last_code = columns.starts[j + 1] - columns.starts[j] - 1
        if views.holes[j] and (columns.codes[j, rows] == last_code).any():
            if budget.additions == 0:
                keep &= ~(second & (splits.low == 0))
        elif budget.additions == 0 or not views.holes[j]:
            keep &= ~(first & (least > 0)) & ~(second & (most <= 0))
    return keep
