"""The ground truth for small tables: every table a bias model allows, and every label it can lead to.

Nothing here is taken from the library. The tables of B(T) are produced one unit act at a time, straight
from the definition of a bias model; each table is then learned twice:

* by scikit-learn itself, with several random states, and
* by a naive learner in whole numbers that follows *every* best split when several tie.

A table is a sorted tuple of rows, hence a multiset; a row is ``(values, label)``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

import numpy as np
from sklearn.tree import DecisionTreeClassifier

try:
    from sklearn.tree._criterion import Gini
    from sklearn.tree._splitter import BestSplitter
    from sklearn.tree._tree import DepthFirstTreeBuilder, Tree
except ImportError:  # another scikit-learn: fall back on the public class, about thirty times slower
    Gini = None

Values = tuple[float, ...]
Row = tuple[Values, int]
Table = tuple[Row, ...]
Condition = Callable[[Values, int], bool]
LabelSet = frozenset[int]


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
    return tuple(sorted((tuple(map(float, values)), int(label)) for values, label in zip(X, y, strict=True)))


def column_values(column: Iterable[float], tested: Iterable[float] = ()) -> list[float]:
    """The values an added row may take in one column.

    They stand for all real numbers: every value of the column, two values inside each gap (on either side
    of its midpoint), one beyond each end, and the values of the test points. A column of zeros and ones
    takes only 0 and 1.
    """
    known = sorted(set(map(float, column)))
    if set(known) <= {0.0, 1.0}:
        return [0.0, 1.0]
    inside = [a + share * (b - a) for a, b in pairwise(known) for share in (0.25, 0.75)]
    return sorted({*known, *inside, known[0] - 1.0, known[-1] + 1.0, *map(float, tested)})


def addable_rows(table: Table, points: Sequence[Sequence[float]], component: Component) -> list[Row]:
    """All rows that a "miss" component may add to the table."""
    n_columns = len(table[0][0])
    choices = [
        column_values((values[j] for values, _ in table), (point[j] for point in points))
        for j in range(n_columns)
    ]
    labels = sorted({label for _, label in table})
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
        rows = addable_rows(start, points, component) if component.count else []
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
    X: np.ndarray, codes: np.ndarray, n_classes: int, depth: int, random_state: np.random.RandomState
) -> Callable[[np.ndarray], np.ndarray]:
    """Train scikit-learn's tree; the answer maps float32 points to class codes.

    This calls the parts that ``DecisionTreeClassifier.fit`` puts together, without its checks. The classes
    are numbered for the whole problem, so a class absent from this table needs no care.
    """
    if Gini is None:
        return _grow_with_public_class(X, codes, depth, random_state)
    sizes = np.array([n_classes], dtype=np.intp)
    splitter = BestSplitter(Gini(1, sizes), X.shape[1], 1, 0.0, random_state, None)
    tree = Tree(X.shape[1], sizes, 1)
    builder = DepthFirstTreeBuilder(splitter, 2, 1, 0.0, depth, 0.0)
    builder.build(tree, X, codes.astype(np.float64).reshape(-1, 1), None, None)
    return lambda points: tree.predict(points).reshape(len(points), n_classes).argmax(axis=1)


def _grow_with_public_class(X, codes, depth, random_state):
    model = DecisionTreeClassifier(max_depth=depth, random_state=random_state).fit(X, codes)
    return lambda points: model.predict(points)


# ---------------------------------------------------------------- the naive learner


def _best_cuts(node: Table, codes: dict[int, int]) -> list[tuple[int, float]]:
    """All (column, threshold) of maximal score, compared in whole numbers.

    The score of a split is the sum over both sides of (sum of squared class counts) / (size of the side);
    multiplied by the least common multiple of all sizes it is an integer.
    """
    scale = math.lcm(*range(1, len(node) + 1))
    totals = [0] * len(codes)
    for _, label in node:
        totals[codes[label]] += 1
    best, cuts = -1, []
    for j in range(len(node[0][0])):
        ordered = sorted((values[j], codes[label]) for values, label in node)
        left = [0] * len(codes)
        for i in range(1, len(ordered)):
            left[ordered[i - 1][1]] += 1
            low, high = ordered[i - 1][0], ordered[i][0]
            if low == high:
                continue
            left_score = sum(c * c for c in left) * (scale // i)
            right_score = sum((t - c) ** 2 for t, c in zip(totals, left, strict=True))
            score = left_score + right_score * (scale // (len(ordered) - i))
            if score > best:
                best, cuts = score, []
            if score == best:
                cuts.append((j, low / 2 + high / 2))
    return cuts


class NaiveLearner:
    """The labels that some way of breaking ties among best splits gives to each test point.

    Works on float32 values. A node is a leaf when no depth is left, when it is pure, or when no column
    varies; a leaf gives the most frequent label, the one that sorts first on a tie.
    """

    def __init__(self, points: Sequence[Values], labels: Sequence[int]):
        self.points = list(points)
        self.codes = {label: code for code, label in enumerate(sorted(labels))}
        self._known: dict[tuple[Table, int], list[LabelSet]] = {}

    def possible_labels(self, node: Table, depth: int) -> list[LabelSet]:
        """For every test point, the labels it may get if it arrives in this node."""
        key = (node, depth)
        if key not in self._known:
            self._known[key] = self._learn(node, depth)
        return self._known[key]

    def _learn(self, node: Table, depth: int) -> list[LabelSet]:
        pure = len({label for _, label in node}) == 1
        cuts = [] if depth == 0 or pure else _best_cuts(node, self.codes)
        if not cuts:
            return [frozenset({self._majority(node)})] * len(self.points)
        gathered: list[set[int]] = [set() for _ in self.points]
        for column, threshold in cuts:
            left = tuple(row for row in node if row[0][column] <= threshold)
            right = tuple(row for row in node if row[0][column] > threshold)
            answers = (self.possible_labels(left, depth - 1), self.possible_labels(right, depth - 1))
            for i, point in enumerate(self.points):
                gathered[i] |= answers[point[column] > threshold][i]
        return [frozenset(labels) for labels in gathered]

    def _majority(self, node: Table) -> int:
        counts = dict.fromkeys(sorted(self.codes), 0)
        for _, label in node:
            counts[label] += 1
        return max(counts, key=counts.__getitem__)  # the first of equal ones, in the order of the labels


# ---------------------------------------------------------------- both together


@lru_cache(maxsize=100_000)
def _as_float32(values: Values) -> Values:
    return tuple(float(np.float32(value)) for value in values)


class Learner:
    """Both learners for the tables of one problem."""

    def __init__(self, points: Sequence[Sequence[float]], labels: Iterable[int], depth: int, seeds: int = 2):
        self.depth = depth
        self.labels = sorted({int(label) for label in labels})
        self.seeds = seeds
        self.trainings = 0
        rounded = [_as_float32(tuple(map(float, point))) for point in points]
        self._points = np.array(rounded, dtype=np.float32)
        self._naive = NaiveLearner(rounded, self.labels)
        self._random_state = np.random.RandomState(0)  # shared: every training draws a new seed from it

    def by_sklearn(self, table: Table) -> list[LabelSet]:
        """The labels scikit-learn gives to each point, over ``seeds`` trainings."""
        X = np.array([values for values, _ in table], dtype=np.float32)
        codes = np.searchsorted(self.labels, [label for _, label in table])
        answers = []
        for _ in range(self.seeds):
            predict = grow_with_sklearn(X, codes, len(self.labels), self.depth, self._random_state)
            answers.append(predict(self._points).tolist())
            self.trainings += 1
        return [frozenset(self.labels[code] for code in seen) for seen in zip(*answers, strict=True)]

    def by_hand(self, table: Table) -> list[LabelSet]:
        """The labels that exact arithmetic and every way of breaking ties give to each point."""
        node = tuple(sorted((_as_float32(values), label) for values, label in table))
        return self._naive.possible_labels(node, self.depth)

    def possible_labels(self, table: Table) -> list[LabelSet]:
        """What either learner can say."""
        pairs = zip(self.by_sklearn(table), self.by_hand(table), strict=True)
        return [seen | exact for seen, exact in pairs]


def reachable_labels(
    X: Sequence[Sequence[float]],
    y: Sequence[int],
    points: Sequence[Sequence[float]],
    depth: int,
    components: Sequence[Component],
    *,
    seeds: int = 2,
    cap: float = math.inf,
) -> list[set[int]]:
    """For every test point, all labels it can get from any tree learned from any table of B(T)."""
    learner = Learner(points, y, depth, seeds)
    reachable: list[set[int]] = [set() for _ in points]
    for table in biased_tables(X, y, components, points, cap):
        for labels, new in zip(reachable, learner.possible_labels(table), strict=True):
            labels |= new
    return reachable
