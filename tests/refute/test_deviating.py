"""Both ways to find the changes that give a node another split, against scores that are counted anew."""

from __future__ import annotations

import numpy as np
import pytest

from everytree.learner.criterion import front
from everytree.refute.deviating import deviating
from everytree.refute.deviating_flips import deviating_by_flips
from everytree.refute.tied_ways import Spot


def node(rng):
    """Rows, all splits of them, the labels, and the splits that tie."""
    n_labels, n_rows, n_columns = (int(rng.integers(*ends)) for ends in ((2, 6), (4, 60), (1, 5)))
    code = rng.integers(0, int(rng.integers(2, 12)), (n_columns, n_rows)).astype(np.int32)
    code[:, 0], code[:, 1] = 0, 1  # so that there is a split
    y, total = rng.integers(0, n_labels, n_rows), np.zeros(n_labels, np.int64)
    total += np.bincount(y, minlength=n_labels)
    cuts = [(j, low) for j in range(n_columns) for low in np.unique(code[j])[:-1]]
    left = np.array([np.bincount(y[code[j] <= low], minlength=n_labels) for j, low in cuts], np.int64)
    feature, low = np.array(cuts, np.int32).T.copy()
    nowhere = np.zeros(0, np.int64)
    key = np.zeros((len(y), 4), np.int64)
    return Spot(code, np.zeros((0, 0), np.int32), nowhere, nowhere, y, key), (feature, low, left), total


def changes_of(rng, spot, n_labels, n_changes=60):
    """Flips of up to three rows."""
    changes = np.full((n_changes, 3, 2), -1, np.int32)
    for change in changes:
        rows = np.sort(rng.permutation(len(spot.label))[: int(rng.integers(0, 4))])
        for k, r in enumerate(rows):
            change[k] = r, rng.choice([i for i in range(n_labels) if i != spot.label[r]])
    return changes


@pytest.mark.parametrize("seed", range(40))
def test_flips_by_sums_are_flips_one_by_one(seed):
    rng = np.random.default_rng(seed)
    spot, splits, total = node(rng)
    n_labels, n_rows = len(total), len(spot.label)
    criterion = front.criterion_of("gini", n_labels)

    def scores(left, counts):
        sides = np.hstack([left, counts - left]).astype(float)
        return np.array([front.split_value(criterion, one) for one in sides])

    as_it_is = scores(splits[2], total)
    usual = as_it_is >= as_it_is.max() - 1e-10 * n_rows
    changes, step = changes_of(rng, spot, n_labels), front.largest_step(criterion, n_rows)
    numbers = front.lookup(criterion, n_rows)
    slowly, _ = deviating(None, spot, splits, total, usual, step, numbers, changes)
    quickly, _ = deviating_by_flips(spot, splits, total, usual, changes)
    for change, one, other in zip(changes, slowly, quickly, strict=True):
        y = spot.label.copy()
        for r, new in change[change[:, 0] >= 0]:
            y[r] = new
        on_left = spot.code[splits[0]] <= splits[1][:, None]
        after = scores(
            np.array([np.bincount(y[rows], minlength=n_labels) for rows in on_left]),
            np.bincount(y, minlength=n_labels),
        )
        others = np.where(usual, -np.inf, after)
        expected = others.max() >= after.max() - 1e-10 * n_rows
        stops = np.bincount(y).max() == n_rows
        for found in (one, other):
            assert (found >= 0) == (expected or stops)
            if 0 <= found < len(usual):
                assert not usual[found]
                assert after[found] >= others.max() - 1e-9
