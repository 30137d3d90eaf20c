"""Roots of gains: planes hold on every table of small nodes, and paths are settled with few programs."""

from __future__ import annotations

from itertools import combinations
from math import log2

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier

from everytree import certify
from everytree.learner.criterion import roots
from everytree.paths import deciding
from everytree.paths.boxes import Region
from everytree.paths.root_search import RootSearch
from everytree.prove.node import Cut
from everytree.refute.attacks import Attack
from everytree.refute.every_table import EveryTable
from everytree.refute.whole_tables import WholeTables

ROWS = 9
TIED = 1e-10 * ROWS


def counts_of(labels: np.ndarray, left: np.ndarray) -> np.ndarray:
    cells = [labels[left] == 0, labels[left] == 1, labels[~left] == 0, labels[~left] == 1]
    return np.array([cell.sum() for cell in cells], float)


def score(counts: np.ndarray) -> float:
    """G by its definition."""
    sides = (counts[:2], counts[2:])
    return sum(float(c) * log2(c / side.sum()) for side in sides for c in side if c > 0)


def all_tables(labels: np.ndarray, flips: int) -> list[np.ndarray]:
    tables = []
    for size in range(flips + 1):
        for rows in combinations(range(ROWS), size):
            tables.append(labels.copy())
            tables[-1][list(rows)] ^= 1
    return tables


def reach_of(counts: np.ndarray, flips: int) -> tuple[np.ndarray, np.ndarray]:
    size = np.repeat(counts.reshape(2, 2).sum(axis=1), 2)
    return np.maximum(counts - flips, 0), np.minimum(counts + flips, size)


@pytest.mark.parametrize("seed", range(40))
def test_a_best_split_is_above_the_planes_of_its_rivals(seed: int) -> None:
    rng = np.random.default_rng(seed)
    labels, flips = rng.integers(0, 2, ROWS), int(rng.integers(1, 4))
    splits = [rng.random(ROWS) < 0.5 for _ in range(4)]
    splits = [left for left in splits if 0 < left.sum() < ROWS]
    on_table = [counts_of(labels, left) for left in splits]
    found = [roots.roots_of(c, reach_of(c, flips), flips, TIED) for c in on_table]
    point = [rng.integers(of.first, of.last + 1).astype(float) for of in found]
    below = [roots.plane_below(of, at) for of, at in zip(found, point, strict=True)]
    low = [rng.integers(of.first, of.last + 1) for of in found]
    high = [rng.integers(least, of.last + 1) for least, of in zip(low, found, strict=True)]
    above = [
        {sign: roots.plane_above(of, np.array([least, most]), sign) for sign in (1, -1)}
        for of, least, most in zip(found, low, high, strict=True)
    ]
    for table in all_tables(labels, flips):
        now = [counts_of(table, left) for left in splits]
        scores = [score(c) for c in now]
        for k, own in enumerate(now):
            inside = (low[k] <= own[1::2]).all() and (own[1::2] <= high[k]).all()
            if not inside or scores[k] < max(scores) - TIED:
                continue
            lean = own[1] * (own[2] + own[3]) - own[3] * (own[0] + own[1])
            for sign in (1, -1):
                if sign * lean >= 0:
                    plane = above[k][sign]
                    assert plane is not None
                    for (slopes, base), rival in zip(below, now, strict=True):
                        assert plane[0] @ own + plane[1] >= slopes @ rival + base


def test_a_plane_is_close_where_flips_are_few() -> None:
    counts, flips = np.array([1640.0, 763, 882, 1344]), 23
    of = roots.roots_of(counts, reach_of(counts, flips), flips, 1e-10 * counts.sum())
    plane = roots.plane_above(of, np.array([of.first, of.last]), -1)
    assert plane is not None
    on_table = -roots.signed_root(of, *counts[1::2])
    assert 0 <= plane[0] @ counts + plane[1] - on_table < 0.1 * np.abs(plane[0]).max()


def test_no_pair_no_plane() -> None:
    of = roots.roots_of(np.array([2.0, 1, 1, 2]), reach_of(np.array([2.0, 1, 1, 2]), 1), 1, 1e-10)
    assert roots.plane_above(of, np.array([[3, 0], [3, 0]]), 1) is None
    assert roots.plane_above(of, np.array([[0, 3], [0, 3]]), 1) is None


def test_no_count_is_lost_where_a_box_is_cut() -> None:
    counts, key = np.array([5.0, 4, 3, 6]), (0, Cut(0, 0, 1))
    search = RootSearch.__new__(RootSearch)
    search.cuts = [[key[1]]]
    search._roots = {key: roots.roots_of(counts, reach_of(counts, 2), 2, 0.0)}
    for side in (0, 1):
        region = Region((1,), {key: reach_of(counts, 2)})
        for middle in range(int(counts[2 * side + 1]) - 2, int(counts[2 * side + 1]) + 2):
            halves = search._halves(region, key, side, float(middle))
            for change in range(-2, 3):
                after = counts.copy()
                after[2 * side : 2 * side + 2] += (-change, change)
                inside = [
                    (b[0] <= after).all() and (after <= b[1]).all() for b in (h.bounds[key] for h in halves)
                ]
                assert inside == [after[2 * side + 1] <= middle, after[2 * side + 1] > middle]


def test_programs_settle_every_path_of_entropy(monkeypatch: pytest.MonkeyPatch) -> None:
    """By boxes alone some paths stay open with so few programs for each."""
    for other in (Attack, EveryTable, WholeTables):
        monkeypatch.setattr(other, "is_possible", staticmethod(lambda problem: False))
    monkeypatch.setattr(deciding, "ROUNDS", ((20, None),))
    rng = np.random.default_rng(3)
    X = np.column_stack([rng.integers(0, 12, 1500), rng.integers(0, 5, 1500), rng.integers(0, 2, 1500)])
    y = (rng.random(1500) < 1 / (1 + np.exp(-(X[:, 0] - 6) / 3 - (X[:, 1] - 2) / 3))).astype(int)
    people = np.unique(X, axis=0)
    tree = DecisionTreeClassifier(criterion="entropy", max_depth=2, random_state=0)
    result = certify(tree, X, y, people, "flip(2%)", time_limit=60)
    assert result.counts()["unknown"] == 0
