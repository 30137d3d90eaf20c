"""Tables that are hard on purpose: continuous columns, exact and near ties, splits that gain nothing.

Styles of `problems.random_problem` besides its own; each draws features and label codes, fewer rows with each
attempt, so that in the end B(T) is small enough.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

Drawn = tuple[np.ndarray, np.ndarray]


def continuous(rng: np.random.Generator, n_columns: int, n_classes: int, attempt: int) -> Drawn:
    """Values that are all different; labels that follow the first column, with some noise."""
    n = int(rng.integers(4, max(6, 34 - 3 * attempt)))
    X = np.round(rng.normal(size=(n, n_columns)), int(rng.integers(1, 9)))
    codes = np.argsort(np.argsort(X[:, 0])) * n_classes // n
    noisy = rng.random(n) < rng.choice([0.0, 0.1, 0.4])
    return X, np.where(noisy, rng.integers(0, n_classes, n), codes)


def tied(rng: np.random.Generator, n_columns: int, n_classes: int, attempt: int) -> Drawn:
    """Columns that cut the labels alike: mirrored, or their values dealt out anew among rows of one label.

    Now and then two values of a column change places, and what tied is one row apart.
    """
    n = int(rng.integers(4, max(6, 26 - 2 * attempt)))
    first = rng.choice(int(rng.integers(2, 7)), n).astype(float)
    codes = first.astype(int) * n_classes // int(first.max() + 1)
    noisy = rng.random(n) < rng.choice([0.0, 0.15, 0.3])
    codes = np.where(noisy, rng.integers(0, n_classes, n), codes)
    columns = [first]
    for _ in range(max(1, n_columns - 1)):
        column = first.copy()
        for label in np.unique(codes):
            rows = np.flatnonzero(codes == label)
            column[rows] = rng.permutation(column[rows])
        if rng.random() < 0.4:
            a, b = rng.integers(n, size=2)
            column[[a, b]] = column[[b, a]]
        if rng.random() < 0.3:
            column = column.max() - column
        columns.append(column * float(rng.choice([1, 2.5, 0.1])))
    return np.column_stack(columns), codes


def flat(rng: np.random.Generator, n_columns: int, n_classes: int, attempt: int) -> Drawn:
    """Every cell of two columns has the same shares of labels, up to a flip: no split gains much."""
    shares = np.repeat(np.arange(n_classes), rng.integers(1, 3 if attempt < 10 else 2, n_classes))
    cells = [(a, b) for a in range(2) for b in range(2)] if n_columns > 1 else [(a,) for a in range(3)]
    times = rng.integers(0, 3, len(cells))
    times[rng.integers(len(cells))] += 1
    X = np.array([cell for cell, many in zip(cells, times, strict=True) for _ in range(many * len(shares))])
    codes = np.tile(shares, int(times.sum()))
    if rng.random() < 0.7:
        codes[rng.integers(len(codes))] = rng.integers(n_classes)
    return X.astype(float), codes


def crossed(rng: np.random.Generator, n_columns: int, n_classes: int, attempt: int) -> Drawn:
    """The label is a sum of all columns: no split helps by itself, and below it many tie."""
    most = 3 if attempt < 6 else 2
    n_columns = min(n_columns + 1, 3)
    X = rng.integers(0, most, (int(rng.integers(4, max(6, 20 - 2 * attempt))), n_columns))
    codes = X.sum(axis=1) % n_classes
    if rng.random() < 0.5:
        codes[rng.integers(len(codes))] = rng.integers(n_classes)
    return X.astype(float), codes


HARD: dict[str, Callable[[np.random.Generator, int, int, int], Drawn]] = {
    "continuous": continuous,
    "tied": tied,
    "flat": flat,
    "crossed": crossed,
}
