"""Small problems: a training table, test points, a depth and a bias model.

A bias model is written once and translated twice: into the library's Python form, and into the plain form
of the oracle. Problems are drawn at random, from a seed, or picked by hand.
"""

from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np

from tests.truth.hard_tables import HARD
from tests.truth.naive import MISSING, NO_STOPS, Stops
from tests.truth.oracle import Component, Table, TooManyTablesError, Values, biased_tables, original_table

CAP = 400
KINDS = ("miss", "flip", "fake")
OPERATORS: dict[str, Callable[[Any, Any], bool]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "in": lambda value, choices: value in choices,
}


# ---------------------------------------------------------------- conditions, in two languages


@dataclass(frozen=True)
class Compare:
    """A comparison of a column (by number) or of the label (None) with a value, or "missing".

    A value that is missing differs from everything and is not less or more than anything.
    """

    column: int | None
    op: str
    value: Any

    def holds(self, values: Values, label: int) -> bool:
        subject = label if self.column is None else values[self.column]
        if self.op == "missing":
            return subject == MISSING
        if subject == MISSING:
            return self.op == "!="
        return OPERATORS[self.op](subject, self.value)

    def expression(self) -> Any:
        from everytree import col, label

        subject = label if self.column is None else col(f"x{self.column}")
        if self.op == "missing":
            return subject.is_missing()
        return subject.isin(list(self.value)) if self.op == "in" else OPERATORS[self.op](subject, self.value)


@dataclass(frozen=True)
class Not:
    part: Compare | Not | Both | Either

    def holds(self, values: Values, label: int) -> bool:
        return not self.part.holds(values, label)

    def expression(self) -> Any:
        return ~self.part.expression()


@dataclass(frozen=True)
class Both:
    left: Compare | Not | Both | Either
    right: Compare | Not | Both | Either

    def holds(self, values: Values, label: int) -> bool:
        return self.left.holds(values, label) and self.right.holds(values, label)

    def expression(self) -> Any:
        return self.left.expression() & self.right.expression()


@dataclass(frozen=True)
class Either:
    left: Compare | Not | Both | Either
    right: Compare | Not | Both | Either

    def holds(self, values: Values, label: int) -> bool:
        return self.left.holds(values, label) or self.right.holds(values, label)

    def expression(self) -> Any:
        return self.left.expression() | self.right.expression()


@dataclass(frozen=True)
class Part:
    """One component of a bias model.

    With ``claimed`` the library is told that amount, and the oracle only looks at the tables with up to
    ``count`` changes: a part of B(T), in which a proof must hold all the same.
    """

    kind: str
    count: int
    where: Compare | Not | Both | Either | None = None
    to: tuple[int, ...] | None = None
    claimed: int | None = None

    def component(self) -> Component:
        """The oracle's form."""
        where = None if self.where is None else self.where.holds
        return Component(self.kind, self.count, where, None if self.to is None else frozenset(self.to))

    def expression(self) -> Any:
        """The library's form."""
        import everytree

        options: dict[str, Any] = {}
        if self.where is not None:
            options["where"] = self.where.expression()
        if self.to is not None:
            options["to"] = list(self.to)
        amount = self.count if self.claimed is None else self.claimed
        return getattr(everytree, self.kind)(amount, **options)


@dataclass(frozen=True)
class Problem:
    """Training rows, labels, test points, depth, stops and bias model; ``name`` finds it again."""

    name: str
    X: np.ndarray
    y: np.ndarray
    points: np.ndarray
    depth: int | None
    parts: tuple[Part, ...]
    stops: Stops = NO_STOPS
    random_state: int | None = None

    def parameters(self) -> dict[str, Any]:
        """The learner's settings, for the public class."""
        given = {"max_depth": self.depth, **self.stops.parameters()}
        if isinstance(self.stops.weights, tuple):
            labels = np.unique(self.y).tolist()
            given["class_weight"] = dict(zip(labels, self.stops.weights, strict=False))
        return given

    def bias(self) -> Any:
        """The bias model as the library's Python form writes it."""
        total = self.parts[0].expression()
        for part in self.parts[1:]:
            total = total + part.expression()
        return total

    def tables(self, cap: float = float("inf")) -> list[Table]:
        """Every table of B(T), by the oracle."""
        return biased_tables(self.X, self.y, [part.component() for part in self.parts], self.points, cap)

    def blown_up(self, table: Table) -> list[tuple[Values, int, int]]:
        """Rows of a table with how often they occur: those that were added as often as amounts allow."""
        factors = [p.claimed // p.count for p in self.parts if p.claimed is not None]
        known = Counter(original_table(self.X, self.y))
        found = Counter(table)
        added = found - known
        return [(*row, times + added[row] * (min(factors, default=1) - 1)) for row, times in found.items()]

    def describe(self) -> str:
        rows = "\n".join(
            f"  {x} -> {label}" for x, label in zip(self.X.tolist(), self.y.tolist(), strict=True)
        )
        parts = "\n".join(f"  {part}" for part in self.parts)
        return (
            f"problem {self.name}, depth {self.depth}, {self.stops}\n{rows}\nbias\n{parts}\n"
            f"points {self.points.tolist()}"
        )


# ---------------------------------------------------------------- drawing problems

# The values a column may draw from; a column is refused more of them as redrawing goes on.
POOLS: tuple[tuple[float, ...], ...] = (
    (0, 1),
    (0, 1),
    (0, 1, 2, 3),
    (-2, -1, 0, 1),
    (0.25, 0.5, 1.75, 2.5),
    (0.1, 0.2, 0.3, 0.7),
    (-3, -0.5, 4),
)
CONSTANTS = (0, 1, 2.5)


def random_problem(
    seed: int,
    *,
    cap: int = CAP,
    kinds: Sequence[str] | None = None,
    depth: int | None = None,
    classes: int | None = None,
    columns: int | None = None,
    style: str | None = None,
    targeted: bool | None = None,
    stops: Sequence[str] | None = None,
    amount: int | None = None,
    criterion: str = "gini",
    holes: float | None = None,
    weights: Sequence[str] | None = None,
    unlimited: bool = False,
    close: bool = False,
) -> Problem:
    """Draw a problem whose B(T) has at most ``cap`` tables; the other arguments narrow the draw.

    ``kinds`` are the kinds of component used; ``style`` is "loose" (3 to 9 arbitrary rows), "separable"
    (few rows, each repeated, labels that follow one column), "bulk" (the same, with more repeats) or one of
    `hard_tables.HARD`.
    ``stops`` names settings of the learner to draw from ("leaf", "split", "decrease", "leaves", "alpha"), of
    which one or two are used; with them a fifth of the problems have no depth limit.
    ``weights`` are keys of `WEIGHTS` to draw class weights from. ``unlimited`` trees have no depth limit.
    ``amount`` is what the library is told of rows that may be missing, however few the oracle adds.
    ``holes`` is the largest share of values that are missing in a column; some columns have none in the
    table, some none of the test points lacks. A fifth of such problems have no depth limit.
    ``close`` moves values apart or together until some are one value for the learner, and puts points beside
    the middles between them.
    The kinds, the depth and the style are drawn once; when the tables are too many, only the rest is
    drawn anew, and smaller every time.
    """
    rng = np.random.default_rng(seed)
    style = style or str(rng.choice(["loose", "separable", "separable", "bulk"]))
    depth = depth or int(rng.integers(1, 4))
    kinds = kinds or _draw_kinds(rng)
    for attempt in range(1000):
        n_classes = classes or int(rng.choice([2, 2, 3, 4]))
        room = max(2, 5 - attempt // 4)
        n_columns = columns or int(rng.integers(1, max(2, 4 - attempt // 4)))
        if style in HARD:
            X, y = HARD[style](rng, n_columns, n_classes, attempt)
        else:
            X, y = _draw_table(rng, style, n_columns, n_classes, room)
        if len(np.unique(y)) == 1:  # refused by the library
            continue
        if amount is not None:
            X = _spread(X)
        points = _draw_points(rng, X, int(rng.integers(2, 5)))
        if close:
            X, points = _close_together(rng, X, len(points))
        if holes is not None:
            X, points = _with_holes(rng, X, holes), _with_holes(rng, points, 0.5)
        parts = _draw_parts(rng, X, y, kinds, style, targeted)
        if amount is not None:
            parts = tuple(_claim(part, amount) for part in parts)
        problem = Problem(f"seed {seed}", X, y, points, depth, parts)
        if stops:
            problem = _with_stops(problem, np.random.default_rng([seed, 1]), stops)
        problem = with_criterion(problem, criterion)
        if unlimited or (holes is not None and seed % 5 == 0):
            problem = replace(problem, depth=None)
        if weights:
            problem = with_weights(problem, np.random.default_rng([seed, 2]), weights)
        if sum(part.count for part in parts if part.kind == "fake") >= len(y):
            continue
        try:
            problem.tables(cap)
        except TooManyTablesError:
            continue
        return problem
    raise RuntimeError(f"seed {seed}: no problem with at most {cap} tables; allow more or narrow less")


def with_criterion(problem: Problem, criterion: str) -> Problem:
    """The same problem for a learner with another criterion."""
    return replace(problem, stops=replace(problem.stops, criterion=criterion))


WEIGHTS: dict[str, tuple[float, ...]] = {
    "whole": (1, 2, 3, 4, 5, 7),
    "halves": (0.25, 0.5, 1, 2, 4),
    "decimals": (0.1, 0.2, 0.3, 0.6, 0.7),
    "far apart": (1, 30, 1000, 0.2),
    "heavy": (123456789.1, 246913578.2, 370370367.3),
    "balanced": (),
}
"""What class weights are drawn from; "balanced" has none of its own."""


def with_weights(problem: Problem, rng: np.random.Generator, names: Sequence[str]) -> Problem:
    """The same problem for a learner with class weights, three labels' being equal now and then."""
    name = str(rng.choice(names))
    drawn = (
        "balanced"
        if name == "balanced"
        else tuple(rng.choice(WEIGHTS[name], max(4, len(np.unique(problem.y)))).tolist())
    )
    return replace(problem, stops=replace(problem.stops, weights=drawn))


ALL_STOPS = ("leaf", "leaf", "split", "decrease", "leaves", "alpha")


def _with_stops(problem: Problem, rng: np.random.Generator, names: Sequence[str]) -> Problem:
    """Draw one or two settings; sizes are numbers of rows or shares, small enough to leave some splits."""
    n = len(problem.y)
    chosen = set(rng.choice(names, int(rng.integers(1, 3))).tolist())
    if {"leaves", "alpha"} <= chosen:
        chosen.remove("alpha")
    drawn: dict[str, Any] = {
        "leaf": _draw_rows(rng, range(1, max(3, n // 2)), (0.05, 0.5)),
        "split": _draw_rows(rng, range(2, max(3, n + 2)), (0.1, 1.0)),
        "decrease": float(rng.choice([0.01, 0.05, 0.1, 0.125, 0.2])),
        "leaves": int(rng.integers(2, 5)),
        "alpha": float(rng.choice([0.01, 0.05, 0.1, 0.2])),
    }
    depth = None if rng.random() < 0.2 else problem.depth
    return replace(problem, depth=depth, stops=Stops(**{name: drawn[name] for name in sorted(chosen)}))


def _draw_rows(rng: np.random.Generator, numbers: range, shares: tuple[float, float]) -> float:
    if rng.random() < 0.5:
        return int(rng.choice(numbers))
    return round(float(rng.uniform(*shares)), int(rng.integers(1, 4))) or shares[0]


def _with_holes(rng: np.random.Generator, X: np.ndarray, most: float) -> np.ndarray:
    """Take values away, from two columns of three."""
    share = np.where(rng.random(X.shape[1]) < 2 / 3, rng.uniform(0, most, X.shape[1]), 0.0)
    return np.where(rng.random(X.shape) < share, np.nan, X)


def _close_together(rng: np.random.Generator, X: np.ndarray, n_points: int) -> tuple[np.ndarray, np.ndarray]:
    """Values a few steps of 1e-7 or less apart; points at them and in the middle of two, or right beside."""
    X = X + rng.choice([0, 0.5, 10])  # no column of zeros and ones
    steps = rng.choice([2e-8, 5e-8, 1e-7]) * rng.integers(0, 3, X.shape)
    X = (rng.choice([1e-6, 1e-3, 0.1]) * X + rng.choice([0.0, 0.25, -0.3]) + steps).astype(np.float32)
    low, high = (np.take_along_axis(X, rng.integers(0, len(X), (2 * n_points, X.shape[1])), 0) for _ in "ab")
    points = np.where(rng.random(low.shape) < 0.4, low, low / 2 + high / 2).astype(np.float32)
    for _ in range(2):
        beside = np.nextafter(points, np.where(rng.random(low.shape) < 0.5, -9, 9).astype(np.float32))
        points = np.where(rng.random(low.shape) < 0.4, beside, points)
    return X.astype(float), points.astype(float)


def _spread(X: np.ndarray) -> np.ndarray:
    """Values from 2 on, except in columns of zeros and ones: no chain of added rows joins them."""
    return np.where(np.isin(X, (0, 1)).all(axis=0), X, 64 + 16 * X)


def _claim(part: Part, amount: int) -> Part:
    return replace(part, claimed=amount) if part.kind == "miss" and part.count else part


def _draw_kinds(rng: np.random.Generator) -> tuple[str, ...]:
    """One kind alone half of the time, else two, else all three; sometimes a kind comes twice."""
    how_many = int(rng.choice([1, 1, 1, 2, 2, 3]))
    kinds = [str(kind) for kind in rng.choice(KINDS, how_many, replace=False)]
    if rng.random() < 0.2:
        kinds.append(kinds[0])
    return tuple(kinds)


def _draw_column(rng: np.random.Generator, n: int, room: int) -> np.ndarray:
    if rng.random() < 0.1:
        return np.full(n, float(rng.choice(CONSTANTS)))
    pool = POOLS[rng.integers(len(POOLS))]
    if len(pool) > room:
        pool = tuple(rng.choice(pool, room, replace=False))
    return rng.choice(np.array(pool, dtype=float), n)


def _draw_features(rng: np.random.Generator, n: int, n_columns: int, room: int) -> np.ndarray:
    drawn: list[np.ndarray] = []
    for _ in range(n_columns):
        copied = drawn and rng.random() < 0.15
        drawn.append(drawn[-1].copy() if copied else _draw_column(rng, n, room))
    return np.column_stack(drawn)


def _draw_table(
    rng: np.random.Generator, style: str, n_columns: int, n_classes: int, room: int
) -> tuple[np.ndarray, np.ndarray]:
    first, step = (0, 1) if rng.random() < 0.8 else (-1, 3)
    if style == "loose":
        n = int(rng.integers(3, 10))
        X = _draw_features(rng, n, n_columns, room)
        return X, first + step * rng.integers(0, n_classes, n)
    distinct = int(rng.integers(2, 6))
    X = _draw_features(rng, distinct, n_columns, room)
    codes = _follow(rng, X[:, rng.integers(n_columns)], n_classes)
    if rng.random() < 0.3:
        codes[rng.integers(distinct)] = rng.integers(n_classes)
    most, limit = (4, 14) if style == "separable" else (10, 36)
    repeats = rng.integers(2, most + 1, distinct)
    keep = np.repeat(np.arange(distinct), repeats)[:limit]
    return X[keep], first + step * codes[keep]


def _follow(rng: np.random.Generator, column: np.ndarray, n_classes: int) -> np.ndarray:
    """Labels that depend on the column alone, and are likely to change once along it."""
    values = np.unique(column)
    label_of = np.sort(rng.integers(0, n_classes, len(values)))
    if rng.random() < 0.5:
        label_of = label_of[::-1]
    if len(values) > 1 and label_of[0] == label_of[-1]:
        label_of[-1] = (label_of[0] + 1) % n_classes
    return label_of[np.searchsorted(values, column)].copy()


def _interesting_values(column: np.ndarray) -> list[float]:
    """Training values, places in every gap (near both ends, the midpoint), and beyond the ends."""
    known = np.unique(column[~np.isnan(column)]).tolist() or [0.0]
    places = [a + share * (b - a) for a, b in pairwise(known) for share in (0.25, 0.5, 0.75)]
    return [*known, *known, *places, known[0] - 1.0, known[-1] + 1.0]


def _draw_points(rng: np.random.Generator, X: np.ndarray, how_many: int) -> np.ndarray:
    """Some training rows as they are, some with one column moved, some with every column drawn."""
    points = X[rng.integers(len(X), size=how_many)].copy()
    for point in points:
        moved = rng.choice([0, 1, X.shape[1]])
        for j in rng.choice(X.shape[1], min(int(moved), X.shape[1]), replace=False):
            point[j] = rng.choice(_interesting_values(X[:, j]))
    return points


def _draw_parts(
    rng: np.random.Generator,
    X: np.ndarray,
    y: np.ndarray,
    kinds: Sequence[str],
    style: str,
    targeted: bool | None,
) -> tuple[Part, ...]:
    labels = np.unique(y).tolist()
    parts = []
    for kind in kinds:
        amounts = [0, 1, 1, 2, 2] if style != "separable" or rng.random() < 0.15 else [1]
        aimed = rng.random() < 0.5 if targeted is None else targeted
        where = _draw_condition(rng, X, labels) if aimed else None
        to = None
        if kind == "flip" and rng.random() < 0.25:
            to = tuple(
                sorted(rng.choice(labels, int(rng.integers(1, len(labels) + 1)), replace=False).tolist())
            )
        parts.append(Part(kind, int(rng.choice(amounts)), where, to))
    return tuple(parts)


def _draw_condition(
    rng: np.random.Generator, X: np.ndarray, labels: list[int], depth: int = 1
) -> Compare | Not | Both | Either:
    shape = rng.random()
    if depth and shape < 0.35:
        join = Both if shape < 0.25 else Either
        return join(_draw_condition(rng, X, labels, depth - 1), _draw_condition(rng, X, labels, depth - 1))
    if depth and shape < 0.5:
        return Not(_draw_condition(rng, X, labels, depth - 1))
    if rng.random() < 0.5:
        return _draw_comparison(rng, None, labels, ["==", "==", "!=", "in"])
    column = int(rng.integers(X.shape[1]))
    if np.isnan(X).any() and rng.random() < 0.3:
        return Compare(column, "missing", None)
    values = sorted(set(_interesting_values(X[:, column])))
    return _draw_comparison(rng, column, values, ["==", "!=", "<", "<=", ">", ">=", "in"])


def _draw_comparison(rng: np.random.Generator, column: int | None, values: list, ops: list[str]) -> Compare:
    op = str(rng.choice(ops))
    if op == "in":
        how_many = min(len(values), int(rng.integers(1, 3)))
        return Compare(column, op, tuple(sorted(rng.choice(values, how_many, replace=False).tolist())))
    return Compare(column, op, rng.choice(values).item())


# ---------------------------------------------------------------- hand-picked problems


def _problem(name: str, rows: Sequence[tuple], points: Sequence, depth: int, *parts: Part) -> Problem:
    """A problem from (values, label, how often) triples."""
    X = np.array([values for values, _, times in rows for _ in range(times)], dtype=float)
    y = np.array([label for _, label, times in rows for _ in range(times)])
    return Problem(name, X, y, np.array(points, dtype=float), depth, parts)


def hand_picked() -> list[Problem]:
    """Small tables, each aimed at a mistake that is easy to make."""
    steps = [((0,), 0, 6), ((1,), 1, 6)]
    wide = [((0.0,), 0, 8), ((4.0,), 1, 8)]
    square = [((0, 0), 0, 4), ((1, 0), 0, 4), ((1, 1), 1, 3), ((0, 1), 1, 3)]
    barely = [((0, 0), 1, 20), ((0, 0), 0, 19), ((1, 0), 0, 50), ((1, 1), 0, 50)]
    in_nobodys_cell = Both(Compare(0, "==", 0), Compare(1, "==", 1))
    return [
        _problem("empty cell", [((0, 0), 0, 4), ((1, 0), 0, 4), ((1, 1), 1, 1), ((1, 0), 1, 3)],
                 [[0, 1], [1, 1], [0, 0]], 1, Part("miss", 1)),
        _problem("outer split", [((0.0,), 0, 2), ((4.0,), 0, 1), ((4.0,), 1, 1)], [[0], [2], [9], [-9]], 1,
                 Part("miss", 1)),
        _problem("inside a gap", wide, [[1], [2], [3], [0], [4], [5]], 1, Part("miss", 1)),
        _problem("constant boolean", [((0, 0), 0, 5), ((0, 1), 1, 5)], [[1, 0], [1, 1], [0, 0]], 1,
                 Part("miss", 1)),
        _problem("constant boolean below", [((0, 0), 0, 5), ((0, 1), 1, 5), ((1, 1), 1, 4)],
                 [[1, 0], [1, 1], [0, 0]], 2, Part("miss", 1)),
        _problem("leaf tie", [((0,), 0, 2), ((0,), 1, 1), ((1,), 1, 4)], [[0], [1]], 1, Part("fake", 1)),
        _problem("leaf flip counts twice", [((0,), 1, 3), ((0,), 0, 1), ((1,), 0, 6)], [[0], [1]], 1,
                 Part("flip", 1)),
        _problem("tied columns", [((0, 1), 0, 3), ((1, 0), 1, 3)], [[0, 0], [1, 1], [0, 1]], 1,
                 Part("flip", 0)),
        _problem("tied columns, one flip", square, [[0, 0], [1, 1], [0, 1], [1, 0]], 2, Part("flip", 1)),
        _problem("no split left", [((0,), 0, 3), ((1,), 1, 1)], [[0], [1]], 1, Part("fake", 1)),
        _problem("midpoint moves", [((0,), 0, 4), ((1,), 1, 1), ((5,), 1, 4)], [[0.75], [2], [3]], 1,
                 Part("fake", 1)),
        _problem("flip an added row", steps, [[0], [1]], 1, Part("flip", 1), Part("miss", 1)),
        _problem("add one label, flip it", steps, [[0], [1]], 1,
                 Part("miss", 2, Compare(None, "==", 0)), Part("flip", 1, None, (1,))),
        _problem("a tie only by flipping an added row", barely, [[0, 0], [1, 0], [0, 1]], 1,
                 Part("miss", 1, Both(in_nobodys_cell, Compare(None, "==", 1))),
                 Part("flip", 1, in_nobodys_cell)),
        _problem("remove what was flipped", steps, [[0], [1]], 1,
                 Part("flip", 1), Part("fake", 1, Compare(None, "==", 1))),
        _problem("a small branch made pure",
                 [((0, 0), 0, 15), ((0, 1), 1, 15), ((1, 0), 0, 2), ((1, 1), 1, 1)],
                 [[0, 0], [1, 1]], 1, Part("fake", 3, Compare(None, "==", 1))),
        _problem("three kinds", [((0,), 0, 8), ((1,), 1, 8)], [[0], [1]], 1,
                 Part("miss", 1), Part("flip", 1), Part("fake", 1)),
        _problem("two components", steps, [[0], [1]], 1,
                 Part("flip", 1, Compare(0, "==", 0)), Part("flip", 1, Compare(0, "==", 1))),
        *_with_leaf_limits(),
    ]  # fmt: skip


def _with_leaf_limits() -> list[Problem]:
    """The same for settings that stop the learner."""
    aside = [((0, 0), 1, 4), ((1, 0), 0, 6), ((1, 1), 0, 6)]
    crossed = [((0, 0, 0.5), 1, 12), ((0, 1, 0.5), 0, 11), ((1, 0, 0.5), 0, 18), ((1, 1, 0.5), 1, 8),
               ((1, 1, 0.5), 2, 1)]  # fmt: skip
    even = [((0,), 0, 4), ((1,), 1, 4)]
    on_the_left = Both(Compare(0, "==", 0), Compare(None, "==", 0))
    turns = [((0, 0), 0, 20), ((0, 1), 1, 8), ((1, 0), 1, 20), ((1, 1), 0, 7)]
    far = Both(Compare(2, ">", 1), Compare(None, "==", 2))
    close = Both(
        Both(Compare(0, "==", 0), Compare(1, "==", 1)), Both(Compare(2, "<", 1), Compare(None, "==", 0))
    )
    problems = [
        (Stops(leaf=4), _problem("a leaf loses a row", aside, [[0, 0], [1, 1]], 1, Part("fake", 1))),
        (Stops(leaf=0.25), _problem("a share grows with the table", aside, [[0, 0], [1, 1]], 1,
                                    Part("miss", 1, Compare(0, "==", 1)))),
        (Stops(leaf=0.25), _problem("a share shrinks with the table", [*aside, ((1, 1), 0, 1)],
                                    [[0, 0], [1, 1]], 1, Part("fake", 1, Compare(1, "==", 1)))),
        (Stops(split=12), _problem("a node loses a row", [((0,), 0, 7), ((1,), 1, 5)], [[0], [1]], 1,
                                   Part("fake", 1))),
        (Stops(leaf=2), _problem("a leaf of added rows", [((0.5,), 0, 7), ((0.5,), 1, 4)],
                                 [[0.5], [9], [-9]], 1, Part("miss", 2))),
        (Stops(leaf=2), _problem("added rows on both sides of an outer split", crossed, [[0, 0, 0.5]], 2,
                                 Part("miss", 2, far), Part("miss", 1, close))),
        (Stops(decrease=0.495), _problem("a gain shared by more rows", even, [[0], [1]], 1,
                                         Part("miss", 1, on_the_left))),
        (Stops(leaves=3), _problem("leaves run out", turns, [[0, 1]], 2, Part("flip", 1))),
    ]  # fmt: skip
    return [replace(problem, stops=stops) for stops, problem in problems]


def weighted_problems(criterion: str) -> list[Problem]:
    """Where class weights decide: each problem is small and aims at one rule."""
    apart = Compare(0, ">", 5)
    even = [((0.5, 0), 0, 15), ((0.5, 1), 0, 15), ((0.5, 0), 1, 1), ((0.5, 1), 1, 1)]
    only_third = Both(Compare(None, "==", 1), Compare(0, "==", 0))
    leaf = [((0,), 1, 2), ((1,), 1, 1), ((0,), 0, 9), ((1,), 0, 9), ((0,), 2, 1)]
    corners = [((0, 0), 0, 4), ((0, 0), 1, 1), ((1, 1), 0, 5), ((0, 1), 1, 1), ((1, 0), 1, 1)]
    in_corner = Both(Both(Compare(0, "==", 0), Compare(1, "==", 0)), Compare(None, "==", 1))
    small = [((0, 0), 0, 15), ((0, 1), 1, 15), ((1, 0), 0, 2), ((1, 1), 1, 1)]
    problems = [
        ((1, 7), _problem("a light row turned heavy", even, [[9, 0], [0.5, 1]], 1,
                          Part("miss", 1, Compare(None, "==", 0)), Part("flip", 1, apart))),
        ((1, 2), _problem("a leaf that weights turn", [((0,), 0, 5), ((1,), 1, 9)], [[0], [1]], 1,
                          Part("flip", 2))),
        ((0.1, 0.2), _problem("a tie that rounding decides", [((0,), 0, 11), ((0,), 1, 5), ((1,), 1, 30)],
                              [[0]], 1, Part("fake", 1, Compare(None, "==", 0)))),
        ((0.6, 0.1), _problem("a tie that sums and products break differently",
                              [((0,), 0, 1), ((0,), 1, 7), ((1,), 0, 30)], [[0]], 1,
                              Part("fake", 1, Compare(None, "==", 1)))),
        ((0.6, 0.1), _problem("no gain, and rounding refuses every split", corners, [[0, 1]], 2,
                              Part("flip", 1, in_corner, to=(0,)))),
        ((2, 3), _problem("a small branch made pure", small, [[0, 0], [1, 1]], 1,
                          Part("fake", 3, Compare(None, "==", 1)))),
        ((1, 5, 1), _problem("removed, and flipped to a third", leaf, [[0]], 1,
                             Part("fake", 1, only_third), Part("flip", 1, Compare(None, "==", 1), to=(2,)))),
        ((1, 5, 1), _problem("one to a third label, one from there",
                             [((0,), 0, 15), ((0,), 1, 4), ((0,), 2, 3), ((1,), 0, 20)], [[0]], 1,
                             Part("flip", 1, Compare(None, "==", 1), to=(2,)),
                             Part("flip", 1, Compare(None, "==", 2), to=(0,)))),
        ("balanced", _problem("weights between their ends",
                              [((0, 1), 1, 2), ((1, 0), 0, 6), ((1, 0), 1, 2), ((1, 1), 0, 11)], [[0, 1]], 1,
                              Part("flip", 2, Compare(1, "==", 1)))),
        ("balanced", _problem("weights that move", [((0,), 0, 8), ((0,), 1, 3), ((1,), 1, 3), ((1,), 0, 1)],
                              [[0], [1]], 1, Part("flip", 2))),
    ]  # fmt: skip
    found = [replace(problem, stops=Stops(weights=weights)) for weights, problem in problems]
    return [with_criterion(problem, criterion) for problem in found]


def without_gain() -> Problem:
    """One flip away from a table on which neither split gains anything, and entropy's rounding refuses both.

    With label counts U (seven labels, 13 rows), 5 U rows in all, the first column cuts off a fifth of every
    label and the second one four fifths. In the unchanged table a row of label 4 has label 5.
    """
    whole = (1, 1, 2, 1, 3, 1, 4)
    corner = (0, 0, 0, 0, 3, 0, 0)
    cells = {
        (0, 0): corner,
        (0, 1): tuple(u - c for u, c in zip(whole, corner, strict=True)),
        (1, 0): (4, 4, 8, 4, 8, 5, 16),
        (1, 1): corner,
    }
    rows = [(cell, i, count) for cell, counts in cells.items() for i, count in enumerate(counts) if count]
    back = Both(Both(Compare(0, "==", 1), Compare(1, "==", 0)), Compare(None, "==", 5))
    problem = _problem("no gain", rows, [[1, 1]], 2, Part("flip", 1, back, to=(4,)))
    return with_criterion(problem, "entropy")
