"""How far behind the best split may be: every table of small nodes, in exact scores."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier

from everytree import certify
from everytree.learner.criterion import gini

ROWS = 7


def score(labels: np.ndarray, left: np.ndarray) -> Fraction:
    """Sum of squared counts over size, for both branches."""
    total = Fraction(0)
    for side in (left, ~left):
        positive, size = int(labels[side].sum()), int(side.sum())
        total += Fraction(positive**2 + (size - positive) ** 2, size)
    return total


def lead(labels: np.ndarray, left: np.ndarray) -> float:
    n_left, n_right = int(left.sum()), int((~left).sum())
    rates = labels[left].mean() - labels[~left].mean()
    return float(np.sqrt(n_left * n_right / (n_left + n_right)) * rates)


def counts_of(labels: np.ndarray, left: np.ndarray) -> np.ndarray:
    cells = [labels[left] == 0, labels[left] == 1, labels[~left] == 0, labels[~left] == 1]
    return np.array([cell.sum() for cell in cells], float)


def behind(tolerance: float, shrink: float = 1.0) -> tuple[int, int, int]:
    """Count splits that are best and behind, those behind by more than the slack, and fine slacks."""
    rng = np.random.default_rng(5)
    cases = violations = fine = 0
    for _ in range(150):
        labels = rng.integers(0, 2, ROWS)
        splits = [rng.random(ROWS) < 0.5 for _ in range(4)]
        splits = [left for left in splits if 0 < left.sum() < ROWS]
        flips = int(rng.integers(0, 3))
        slack = shrink * gini.tie_slack([counts_of(labels, left) for left in splits], flips)
        fine += slack < shrink * np.sqrt(tolerance * ROWS / 2) * 0.999
        for size in range(flips + 1):
            for rows in combinations(range(ROWS), size):
                changed = labels.copy()
                changed[list(rows)] ^= 1
                scores = [score(changed, left) for left in splits]
                leads = [abs(lead(changed, left)) for left in splits]
                for phi, own in enumerate(scores):
                    if own >= max(scores) - Fraction(tolerance) * ROWS:
                        cases += leads[phi] < max(leads) - 1e-9
                        violations += leads[phi] < max(leads) - slack - 1e-9
    return cases, violations, fine


@pytest.mark.parametrize("tolerance", [0.02, 0.05, 0.1])
def test_no_best_split_is_behind_by_more(tolerance: float, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gini, "TIE_TOLERANCE", tolerance)
    cases, violations, fine = behind(tolerance)
    assert cases > 10
    assert fine > 0
    assert violations == 0


def test_a_smaller_slack_would_be_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gini, "TIE_TOLERANCE", 0.1)
    assert behind(0.1, shrink=0.4)[1] > 0


def test_a_split_that_is_clearly_behind_is_excluded() -> None:
    """Flips in one direction; the second-best cut stays behind by less than the coarse slack."""
    rng = np.random.default_rng(1)
    X = rng.integers(0, 400, (2000, 1)).astype(float)
    y = (rng.random(2000) < 1 / (1 + np.exp(-(X[:, 0] - 200) / 40))).astype(int)
    tree = DecisionTreeClassifier(max_depth=1, random_state=0)
    people = np.arange(0, 400, 2.0)[:, None]
    for amount in (2, 5, 8, 11, 14):
        result = certify(tree, X, y, people, f"flip({amount}, where label == 0)")
        assert result.counts()["unknown"] == 0, amount
