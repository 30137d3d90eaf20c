"""Rows of an edge problem by number: those of the training table first, then rows that might be added.

A table of B(T) is a list of (row number, label code). Everything is kept in the user's own types: an added
row holds only what its columns can store. Sits below `edge_oracle`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import clone
from sklearn.utils import check_array

from tests.truth.edge_columns import LARGEST, beside, plain_dtype, storable
from tests.truth.edges import EdgeProblem

MOST_VALUES, MOST_ROWS = 14, 100


# ---------------------------------------------------------------- the user's container


def columns_of(X: Any) -> list[Any]:
    """Columns as conditions see them: arrays of numbers in their own type, lists of everything else."""
    if not isinstance(X, pd.DataFrame):
        array = np.asarray(X)
        return [
            array[:, j] if array.dtype.kind in "biuf" else array[:, j].tolist() for j in range(array.shape[1])
        ]
    columns: list[Any] = []
    for j in range(X.shape[1]):
        series = X.iloc[:, j]
        dtype = plain_dtype(series.dtype)
        columns.append(series.to_numpy(dtype=dtype) if dtype and not series.isna().any() else series.tolist())
    return columns


def extended(X: Any, rows: Sequence[Sequence[Any]]) -> Any:
    """The table with rows at its end, in the same container and of the same types."""
    if isinstance(X, list):
        return X + [list(row) for row in rows]
    if isinstance(X, np.ndarray):
        new = np.empty((len(rows), X.shape[1]), dtype=X.dtype)
        for i, row in enumerate(rows):
            new[i] = row
        return np.concatenate([X, new])
    columns = {}
    for j in range(X.shape[1]):
        series, new = X.iloc[:, j], [row[j] for row in rows]
        dtype: Any = series.dtype
        if isinstance(dtype, pd.CategoricalDtype):
            known = dtype.categories.tolist()
            added = dict.fromkeys(v for v in new if not pd.isna(v) and v not in known)
            dtype = pd.CategoricalDtype([*known, *added])
        columns[j] = pd.Series([*series.tolist(), *new], dtype=dtype)
    frame = pd.DataFrame(columns)
    frame.columns = X.columns
    return frame


def taken(X: Any, rows: Sequence[int]) -> Any:
    """Some rows of a table, in its own container."""
    if isinstance(X, list):
        return [X[row] for row in rows]
    return X.iloc[list(rows)] if isinstance(X, pd.DataFrame) else X[list(rows)]


def without(X: Any, dropped: Sequence[int]) -> Any:
    """The table without some columns."""
    if not dropped:
        return X
    width = X.shape[1] if hasattr(X, "shape") else len(X[0])
    keep = [j for j in range(width) if j not in dropped]
    if isinstance(X, list):
        return [[row[j] for j in keep] for row in X]
    return X.iloc[:, keep] if isinstance(X, pd.DataFrame) else X[:, keep]


# ---------------------------------------------------------------- the user's estimator


class DocumentedEncoding:
    """What a bare tree is documented to get: text and categories one-hot, in place, the rest as it is."""

    def fit(self, X: pd.DataFrame) -> DocumentedEncoding:
        self.categories = {
            j: sorted(set(X.iloc[:, j].dropna().tolist()))
            for j in range(X.shape[1])
            if is_category(X.iloc[:, j])
        }
        self.lacking = {j for j in self.categories if X.iloc[:, j].isna().any()}
        return self

    def transform(self, X: pd.DataFrame) -> np.ndarray:
        rest = [j for j in range(X.shape[1]) if j not in self.categories]
        numbers = np.empty((len(X), 0))
        if rest:
            numbers = check_array(X.iloc[:, rest], dtype=np.float32, ensure_all_finite="allow-nan")
        parts = []
        for j in range(X.shape[1]):
            if j in self.categories:
                missing = X.iloc[:, j].isna().to_numpy()
                values = X.iloc[:, j].astype(object).mask(missing, None).tolist()
                parts += [np.array([value == known for value in values]) for known in self.categories[j]]
                parts += [missing] if j in self.lacking else []
            else:
                parts.append(numbers[:, rest.index(j)])
        return np.column_stack(parts).astype(np.float32)


def is_category(series: pd.Series) -> bool:
    """Whether a bare tree is documented to get a column one-hot encoded."""
    return isinstance(series.dtype, pd.CategoricalDtype) or any(isinstance(v, str) for v in series.tolist())


class OwnLearner:
    """The user's estimator: its preprocessing, fitted once on the training table, and its tree."""

    def __init__(self, problem: EdgeProblem) -> None:
        steps = getattr(problem.estimator, "steps", None)
        self.tree = problem.estimator if steps is None else steps[-1][1]
        self.dropped = [problem.names.index(name) for name in problem.drop]
        self.X, self.people = (without(table, self.dropped) for table in (problem.X, problem.people))
        self.encoder: Any = None
        self.documented = False
        if steps is not None and len(steps) > 1:
            self.encoder = clone(problem.estimator[:-1]).fit(self.X)
        elif isinstance(self.X, pd.DataFrame) and any(
            is_category(self.X.iloc[:, j]) for j in range(self.X.shape[1])
        ):
            self.encoder, self.documented = DocumentedEncoding().fit(self.X), True

    def encoded(self, X: Any) -> Any:
        """What the tree is given."""
        return X if self.encoder is None else self.encoder.transform(X)

    def matrix(self, X: Any) -> np.ndarray:
        """What the tree makes of it: float32 numbers."""
        seen = check_array(
            self.encoded(X), dtype=np.float32, accept_sparse="csc", ensure_all_finite="allow-nan"
        )
        return np.asarray(seen.toarray() if hasattr(seen, "toarray") else seen)

    def retrained(self, X: Any, y: Any, seed: Any) -> Any:
        """The tree, trained on another table whose rows the fitted preprocessing encodes."""
        return clone(self.tree).set_params(random_state=seed).fit(self.encoded(X), y)

    def category_places(self) -> set[int]:
        """Columns (before any are dropped) of which the tree sees only which category it is."""
        width = self.X.shape[1] if hasattr(self.X, "shape") else len(self.X[0])
        kept = [j for j in range(width + len(self.dropped)) if j not in self.dropped]
        if self.documented:
            return {kept[j] for j in self.encoder.categories}
        if self.encoder is None:
            return set()
        first = next((step for _, step in self.encoder.steps if not isinstance(step, str)), None)
        if first is None:
            return set()
        if not hasattr(first, "transformers_"):
            return set(kept)
        names = list(self.X.columns) if isinstance(self.X, pd.DataFrame) else []
        found: set[int] = set()
        for _, step, chosen in first.transformers_:
            if type(step).__name__ in ("OneHotEncoder", "OrdinalEncoder"):
                found |= set(_places(chosen, names))
        return found


def _places(chosen: Any, names: list[Any]) -> Iterator[int]:
    for place, item in enumerate(chosen):
        if isinstance(item, bool | np.bool_):
            if item:
                yield place
        else:
            yield names.index(item) if isinstance(item, str) else int(item)


# ---------------------------------------------------------------- rows that may be added


def addable_rows(problem: EdgeProblem, own: OwnLearner, rng: np.random.Generator) -> list[tuple[Any, ...]]:
    """Rows that stand for all that could be added: training rows, people, and what is beside their values."""
    trained, people = columns_of(problem.X), columns_of(problem.people)
    encoded = own.category_places()
    choices = [
        _choices(problem, j, trained[j], people[j], j in encoded, rng) for j in range(len(problem.names))
    ]
    known = [tuple(row) for table in (people, trained) for row in zip(*map(_plain, table), strict=True)]
    known = [row for row in dict.fromkeys(known) if all(map(_holds, choices, row))]
    rows = dict.fromkeys(known)
    total = int(np.prod([float(len(column)) for column in choices]))
    if total <= 4 * MOST_ROWS:
        grid: list[tuple[Any, ...]] = [()]
        for column in choices:
            grid = [(*row, value) for row in grid for value in column]
        rows.update(dict.fromkeys(grid))
        return list(rows)
    for _ in range(8 * MOST_ROWS):
        row = [column[rng.integers(len(column))] for column in choices]
        if known and rng.random() < 0.6:
            base, changed = known[rng.integers(len(known))], int(rng.integers(len(row)))
            row = [row[j] if j == changed else base[j] for j in range(len(row))]
        rows[tuple(row)] = None
    return list(rows)


def _plain(values: Any) -> list[Any]:
    return values.tolist() if isinstance(values, np.ndarray) else list(values)


def _holds(choices: Sequence[Any], value: Any) -> bool:
    if pd.isna(value):
        return any(pd.isna(choice) for choice in choices)
    return any(value == choice for choice in choices if not pd.isna(choice))


def _choices(
    problem: EdgeProblem, place: int, trained: Any, people: Any, encoded: bool, rng: np.random.Generator
) -> list[Any]:
    """Values that an added row may have in one column, as Python values."""
    holes = [value for value in _plain(trained) if pd.isna(value)][:1]
    seen, tested = ([value for value in _plain(some) if not pd.isna(value)] for some in (trained, people))
    if not seen:
        return holes
    found = _values(problem, place, (seen, trained), tested, encoded, rng)
    return [*found, *holes]


def _values(
    problem: EdgeProblem,
    place: int,
    training: tuple[list[Any], Any],
    tested: list[Any],
    encoded: bool,
    rng: np.random.Generator,
) -> list[Any]:
    """The same for values that are not missing."""
    seen, trained = training
    constants = [
        value
        for part in problem.parts
        if part.where is not None
        for leaf in part.where.leaves()
        if leaf.column == place
        for value in (leaf.value if leaf.op == "in" else (leaf.value,))
        if value is not None
    ]
    numbers = all(isinstance(value, bool | int | float) for value in seen)
    category = isinstance(problem.X, pd.DataFrame) and isinstance(
        problem.X.iloc[:, place].dtype, pd.CategoricalDtype
    )
    if not numbers or (category and not encoded):
        extra = [*tested, "unseen"] if encoded and isinstance(seen[0], str) else []
        return list(dict.fromkeys([*seen, *extra]))
    if not encoded and all(value in (0, 1) for value in seen):
        return [type(seen[0])(value) for value in (0, 1)]
    dtype = trained.dtype if isinstance(trained, np.ndarray) else np.dtype(_type_of(seen))
    wanted = [value for value in (*tested, *constants) if not isinstance(value, str)]
    near = [value for number in wanted for value in beside(number, dtype)]
    ends = [float(np.finfo(np.float16).max), LARGEST, -LARGEST] if dtype.kind == "f" else _ends(dtype)
    middles = [low / 2 + high / 2 for low in seen[:6] for high in seen[:6] if low < high]
    around = [value for number in dict.fromkeys(seen) for value in beside(number, dtype)]
    first = [stored.item() for stored in storable([*tested, *dict.fromkeys(seen), *near], dtype)]
    more = [stored.item() for stored in storable([*around, *middles, *ends, 0, 1, -1, 9, 77], dtype)]
    more = [value for value in more if value not in first]
    room = max(4, MOST_VALUES - len(first))
    return first[: 2 * MOST_VALUES] + [more[i] for i in rng.permutation(len(more))[:room]]


def _type_of(values: Sequence[Any]) -> type:
    if all(isinstance(value, bool) for value in values):
        return np.bool_
    return np.int64 if all(isinstance(value, int) for value in values) else np.float64


def _ends(dtype: np.dtype) -> list[int]:
    if dtype.kind == "b":
        return []
    limits = np.iinfo(dtype)
    return [int(limits.min), int(limits.max)]
