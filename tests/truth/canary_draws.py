"""Random tables and settings for the canary: ties, narrow gaps, shares that are nearly whole, holes."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.truth.canary import HOLES, Case


def random_case(seed: int, most_rows: int = 24) -> Case:
    """A small table and settings that are all drawn from the seed."""
    rng = np.random.default_rng(seed)
    n, n_labels = int(rng.integers(1, most_rows + 1)), int(rng.integers(2, 5))
    columns = [_column(rng, n) for _ in range(rng.integers(1, 4))]
    X = np.array(columns, np.float32).T
    score = sum((np.argsort(np.argsort(column, kind="stable")) for column in columns), np.zeros(n))
    y = np.where(rng.random(n) < 0.5, rng.integers(0, n_labels, n), score * n_labels // (n * len(columns)))
    y = np.unique(y.astype(np.int64), return_inverse=True)[1]
    points = np.concatenate([X, _between(X, rng)])
    if HOLES and rng.random() < 0.4:
        X = np.where(rng.random(X.shape) < rng.choice([0.1, 0.4]), np.float32(np.nan), X)
    if HOLES:
        points = np.where(rng.random(points.shape) < 0.2, np.float32(np.nan), points)
    return Case(X, y, points, settings(rng, n, int(y.max()) + 1), int(rng.integers(1000)))


def _column(rng: np.random.Generator, n: int) -> np.ndarray:
    """Values of one kind."""
    few = rng.integers(0, max(2, n // 2), n)
    kind = rng.integers(7)
    if kind == 0:
        return rng.integers(0, 2, n).astype(np.float32)
    if kind == 1:
        return rng.normal(size=n).astype(np.float32)
    if kind == 2:  # gaps around 1e-7, where neighbours may be one value, and chains of them
        return np.float32(rng.choice([0.0, 0.3, 0.9, 1.7])) + (few * 4e-8).astype(np.float32)
    if kind == 3:
        return (few * rng.choice([1e-6, 1e-7, 2e-7])).astype(np.float32)
    if kind == 4:  # far out; midpoints of neighbouring floats
        return np.nextafter(np.float32(rng.choice([1e30, 2.0**24, 4.0])), np.float32(np.inf)) * (1 + few // 3)
    return few.astype(np.float32) - (3 if kind == 5 else 0)


def _between(X: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """People on thresholds and beside them."""
    middle = X.astype(np.float64) / 2 + rng.permutation(X).astype(np.float64) / 2
    return middle.astype(np.float32)


def settings(rng: np.random.Generator, n: int, n_labels: int) -> dict[str, Any]:
    """Settings of a tree; most stay at their defaults."""
    given: dict[str, Any] = {"criterion": str(rng.choice(["gini", "entropy", "log_loss"]))}
    if rng.random() < 0.5:
        given["max_depth"] = int(rng.integers(1, 5))
    if rng.random() < 0.3:
        given["min_samples_leaf"] = rng.choice([2, 3, 5, 0.1, 0.25, 1 / 3, 0.49]).item()
    if rng.random() < 0.3:
        given["min_samples_split"] = rng.choice([3, 4, 7, 0.2, 0.3, 1 / 3, 0.7, 1.0]).item()
    for name in given.keys() & {"min_samples_leaf", "min_samples_split"}:
        given[name] = int(given[name]) if given[name] > 1 else given[name]
    if rng.random() < 0.25:
        given["min_impurity_decrease"] = rng.choice([1e-9, 0.01, 0.05, 0.125, 0.2]).item()
    if rng.random() < 0.1:
        given["max_leaf_nodes"] = int(rng.integers(2, 6))
    if rng.random() < 0.1:
        given["ccp_alpha"] = rng.choice([0.01, 0.1]).item()
    kind = rng.integers(6)
    if kind == 0:
        given["class_weight"] = "balanced"
    elif kind <= 2:
        weights = [1.0, 2.0, 3.0, 0.5] if kind == 1 else [0.1, 0.2, 0.3, 0.7]
        given["class_weight"] = {label: float(rng.choice(weights)) for label in range(n_labels)}
    return given
