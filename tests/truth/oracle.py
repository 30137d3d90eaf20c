"""The ground truth for small tables: every table a bias model allows, and every label it can lead to.

Nothing here is taken from the library. The tables of B(T) are produced one unit act at a time, straight
from the definition of a bias model; each table is then learned twice:

* by scikit-learn itself, with several random states, and
* by a naive learner in whole numbers that follows *every* best split when several tie.

A table is a sorted tuple of rows, hence a multiset; a row is ``(values, label)``. A value that is missing is
NaN for the library and for scikit-learn, and `MISSING`, which can be compared, in between.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

import numpy as np
from sklearn.tree import DecisionTreeClassifier

from tests.truth.naive import (
    MISSING,
    NO_STOPS,
    LabelSet,
    NaiveLearner,
    Row,
    Stops,
    Table,
    Values,
    best_cuts,
    cut_off_labels,
)

try:
    from sklearn.tree._criterion import Entropy, Gini
    from sklearn.tree._splitter import BestSplitter
    from sklearn.tree._tree import DepthFirstTreeBuilder, Tree
except ImportError:  # another scikit-learn: fall back on the public class, about thirty times slower
    Gini = Entropy = None

__all__ = ["NO_STOPS", "NaiveLearner", "Stops", "Table", "Values", "best_cuts"]

Condition = Callable[[Values, int], bool]


@dataclass(frozen=True)
class Component:
    """At most ``count`` acts of one kind, each on a row that satisfies ``where``.

    ``kind`` is "miss" (add a row), "flip" (change a label) or "fake" (remove a row). ``where`` is called
    with the row's values and label; None allows every row. ``to`` holds the labels a flip may give; None
    means any label of the table.
    """

    kind: str
    count: int
    where: Condition | None = None
    to: frozenset[int] | None = None

    def allows(self, row: Row) -> bool:
        return self.where is None or bool(self.where(*row))


class TooManyTablesError(Exception):
    """The bias model allows more tables than the caller wants to look at."""


# ---------------------------------------------------------------- the tables of B(T)


def original_table(X: Sequence[Sequence[float]], y: Sequence[int]) -> Table:
    """The training table as a sorted tuple of rows."""
    return tuple(sorted((_plain(values), int(label)) for values, label in zip(X, y, strict=True)))


def _plain(values: Iterable[float]) -> Values:
    """Values that can be compared: what is missing becomes `MISSING`."""
    return tuple(MISSING if value != value else value for value in map(float, values))


def with_holes(rows: Iterable[Values]) -> np.ndarray:
    """Values as the learner sees them: what is missing is NaN."""
    X = np.array(list(rows), dtype=np.float32)
    X[X == MISSING] = np.nan
    return X


def column_values(column: Iterable[float], tested: Iterable[float] = ()) -> list[float]:
    """The values an added row may take in one column.

    They stand for all real numbers: every value of the column, two values inside each gap (on either side
    of its midpoint), one beyond each end, and the values of the test points. A column of zeros and ones
    takes only 0 and 1. Where a value of the column is missing, it may be missing in an added row, too.
    """
    given = set(map(float, column))
    missing = given & {MISSING}
    known = sorted(given - missing)
    if known and set(known) <= {0.0, 1.0}:
        return [0.0, 1.0, *missing]
    inside = [a + share * (b - a) for a, b in pairwise(known) for share in (0.25, 0.75)]
    beyond = {known[0] - 1.0, known[-1] + 1.0} if known else {0.0}
    return sorted({*given, *inside, *beyond, *(value for value in map(float, tested) if value < MISSING)})


GRID = 10
"""Rows beside each table that is allowed which a component may have to choose among."""


def addable_rows(
    table: Table, points: Sequence[Sequence[float]], component: Component, cap: float = math.inf
) -> list[Row]:
    """All rows that a "miss" component may add to the table; too many to choose among are too many tables."""
    n_columns = len(table[0][0])
    choices = [
        column_values((values[j] for values, _ in table), (_plain(point)[j] for point in points))
        for j in range(n_columns)
    ]
    labels = sorted({label for _, label in table})
    if math.prod(map(len, choices)) * len(labels) > GRID * cap:
        raise TooManyTablesError(f"more than {cap} tables")
    grid: list[Values] = [()]
    for column in choices:
        grid = [(*values, value) for values in grid for value in column]
    rows = ((values, label) for values in grid for label in labels)
    return [row for row in rows if component.allows(row)]


def biased_tables(
    X: Sequence[Sequence[float]],
    y: Sequence[int],
    components: Sequence[Component],
    points: Sequence[Sequence[float]] = (),
    cap: float = math.inf,
) -> list[Table]:
    """Every table of B(T), each once, in a fixed order; the empty table is left out.

    First rows are added, then labels are changed, then rows are removed. A row's label changes at most
    once, and whether a component may change it is read from the label it had before any change. Whether a
    row may be removed is read from the row as it stands after the flips: a row that satisfied the condition
    before its flip could have been removed without being flipped, so this loses nothing.

    Raises TooManyTablesError as soon as more than ``cap`` tables have been found.
    """
    start = original_table(X, y)
    labels = sorted({label for _, label in start})
    found = {start}
    for component in (c for c in components if c.kind == "miss"):
        rows = addable_rows(start, points, component, cap) if component.count else []
        found = _at_most(component.count, found, lambda table, rows=rows: _additions(table, rows), cap)

    marked = {tuple((row, False) for row in table) for table in found}
    for component in (c for c in components if c.kind == "flip"):
        marked = _at_most(component.count, marked, lambda table, c=component: _flips(table, c, labels), cap)
    found = {tuple(sorted(row for row, _ in table)) for table in marked}

    for component in (c for c in components if c.kind == "fake"):
        found = _at_most(component.count, found, lambda table, c=component: _removals(table, c), cap)
    found.discard(())
    return sorted(found)


def _at_most(count: int, tables: set, step: Callable, cap: float) -> set:
    """Everything reached from the tables by at most ``count`` steps."""
    found = set(tables)
    edge = found
    for _ in range(count):
        reached = set()
        for table in edge:
            reached.update(new for new in step(table) if new not in found)
            if len(found) + len(reached) > cap:
                raise TooManyTablesError(f"more than {cap} tables")
        found |= reached
        edge = reached
    return found


def _additions(table: Table, rows: list[Row]) -> Iterator[Table]:
    for row in rows:
        yield tuple(sorted((*table, row)))


def _flips(table: tuple[tuple[Row, bool], ...], component: Component, labels: list[int]) -> Iterator[tuple]:
    """One more flip in a table whose rows carry a mark: was this label changed already?"""
    targets = labels if component.to is None else sorted(component.to)
    for i, (row, changed) in enumerate(table):
        if changed or (i and table[i - 1] == table[i]) or not component.allows(row):
            continue
        values, old = row
        for new in targets:
            if new != old:
                yield tuple(sorted((*table[:i], ((values, new), True), *table[i + 1 :])))


def _removals(table: Table, component: Component) -> Iterator[Table]:
    for i, row in enumerate(table):
        if not (i and table[i - 1] == row) and component.allows(row):
            yield (*table[:i], *table[i + 1 :])


# ---------------------------------------------------------------- scikit-learn on one table


def grow_with_sklearn(
    X: np.ndarray,
    codes: np.ndarray,
    n_classes: int,
    depth: int | None,
    random_state: np.random.RandomState,
    stops: Stops = NO_STOPS,
) -> Callable[[np.ndarray], np.ndarray]:
    """Train scikit-learn's tree; the answer maps float32 points to class codes.

    This calls the parts that ``DecisionTreeClassifier.fit`` puts together, without its checks. The classes
    are numbered for the whole problem, so a class absent from this table needs no care.
    """
    if Gini is None or stops.leaves is not None or stops.alpha > 0:
        return _grow_with_public_class(X, codes, depth, random_state, stops)
    sizes = np.array([n_classes], dtype=np.intp)
    leaf, split = stops.rows(len(X))
    measure = (Gini if stops.criterion == "gini" else Entropy)(1, sizes)
    splitter = BestSplitter(measure, X.shape[1], leaf, 0.0, random_state, None)
    tree = Tree(X.shape[1], sizes, 1)
    levels = np.iinfo(np.int32).max if depth is None else depth
    builder = DepthFirstTreeBuilder(splitter, split, leaf, 0.0, levels, stops.decrease)
    holes = np.isnan(X).any(axis=0)
    mask = holes.astype(np.uint8) if holes.any() else None
    weights = None
    if stops.weights is not None:
        of_label = stops.weigh(np.bincount(codes, minlength=n_classes).tolist())
        weights = np.take(np.array(of_label, np.float64), codes)
    builder.build(tree, X, codes.astype(np.float64).reshape(-1, 1), weights, mask)
    return lambda points: tree.predict(points).reshape(len(points), n_classes).argmax(axis=1)


def _grow_with_public_class(X, codes, depth, random_state, stops):
    model = DecisionTreeClassifier(max_depth=depth, random_state=random_state, **stops.parameters())
    if isinstance(stops.weights, tuple):
        model.set_params(class_weight=dict(enumerate(stops.weights)))
    model.fit(X, codes)
    return lambda points: model.predict(points)


# ---------------------------------------------------------------- both together


@lru_cache(maxsize=100_000)
def _as_float32(values: Values) -> Values:
    return tuple(float(np.float32(value)) for value in _plain(values))


class Learner:
    """Both learners for the tables of one problem."""

    def __init__(
        self,
        points: Sequence[Sequence[float]],
        labels: Iterable[int],
        depth: int | None,
        seeds: int = 2,
        stops: Stops = NO_STOPS,
    ):
        self.depth = depth
        self.stops = stops
        self.labels = sorted({int(label) for label in labels})
        self.seeds = seeds
        self.trainings = 0
        rounded = [_as_float32(tuple(map(float, point))) for point in points]
        self._points = with_holes(rounded)
        self._naive = NaiveLearner(rounded, self.labels, stops)
        self._random_state = np.random.RandomState(0)  # shared: every training draws a new seed from it

    def by_sklearn(self, table: Table) -> list[LabelSet]:
        """The labels scikit-learn gives to each point, over ``seeds`` trainings."""
        X = with_holes(values for values, _ in table)
        codes = np.searchsorted(self.labels, [label for _, label in table])
        answers = []
        for _ in range(self.seeds):
            predict = grow_with_sklearn(
                X, codes, len(self.labels), self.depth, self._random_state, self.stops
            )
            answers.append(predict(self._points).tolist())
            self.trainings += 1
        return [frozenset(self.labels[code] for code in seen) for seen in zip(*answers, strict=True)]

    def by_hand(self, table: Table) -> list[LabelSet]:
        """The labels that exact arithmetic and every way of breaking ties give to each point."""
        node = tuple(sorted((_as_float32(values), label) for values, label in table))
        depth = len(node) if self.depth is None else self.depth
        if self.stops.alpha > 0 and self.stops.leaves is not None:
            return [frozenset()] * len(self._points)  # left to scikit-learn
        if self.stops.alpha > 0 or self.stops.leaves is not None:
            return cut_off_labels(self._naive, node, depth)
        return self._naive.possible_labels(node, depth)

    def possible_labels(self, table: Table) -> list[LabelSet]:
        """What either learner can say."""
        pairs = zip(self.by_sklearn(table), self.by_hand(table), strict=True)
        return [seen | exact for seen, exact in pairs]


def reachable_labels(
    X: Sequence[Sequence[float]],
    y: Sequence[int],
    points: Sequence[Sequence[float]],
    depth: int | None,
    components: Sequence[Component],
    *,
    seeds: int = 2,
    cap: float = math.inf,
    stops: Stops = NO_STOPS,
) -> list[set[int]]:
    """For every test point, all labels it can get from any tree learned from any table of B(T)."""
    learner = Learner(points, y, depth, seeds, stops)
    reachable: list[set[int]] = [set() for _ in points]
    for table in biased_tables(X, y, components, points, cap):
        for labels, new in zip(reachable, learner.possible_labels(table), strict=True):
            labels |= new
    return reachable
