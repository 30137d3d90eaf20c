"""Problems at the boundary of what people may pass: huge amounts, extreme numbers, odd types, odd pipelines.

``edge_problem`` draws one from a seed, or from any object that can draw (see `Draws`), so that hypothesis can
drive it and shrink what fails. `edge_columns` holds the columns and labels, `edge_oracle` judges.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from sklearn.tree import DecisionTreeClassifier

from tests.truth.edge_bias import Joined, Leaf, Not, Part
from tests.truth.edge_columns import (
    ARRAY_DTYPES,
    LABELS,
    REFUSED,
    STYLES,
    LabelStyle,
    Style,
    as_labels,
    as_series,
    neighbours,
)
from tests.truth.edge_draws import Draws, Seeded, chance, pick
from tests.truth.edge_learners import LEARNERS, draw_estimator

HUGE = (2**31 - 1, 2**31, 2**32, 10**12)
AMOUNTS = ("1", "2", "0", "3", "30", "50%", "100% of group")
FORMS = ("array", "frame", "list", "numbered frame", "odd names")


@dataclass(frozen=True)
class Focus:
    """What to draw from; every field narrows the problems, so that one kind of fault is found quickly."""

    styles: Sequence[str] = tuple(STYLES)
    dtypes: Sequence[str] = ()
    labels: Sequence[str] = tuple(LABELS)
    forms: Sequence[str] = FORMS
    learners: Sequence[str] = LEARNERS
    kinds: Sequence[str] = ("miss", "flip", "fake", "miss")
    amounts: Sequence[str] = AMOUNTS
    huge: int = 12  # percent of the amounts that are huge
    targeted: int = 65  # percent of the components with a condition
    on_label: int = 35  # percent of the comparisons that are about the label
    nesting: int = 2  # of and, or and not
    columns: int = 3  # at most
    rows: int = 14  # at most, apart from copies
    bulky: int = 60  # percent of the tables that repeat a few rows
    depths: Sequence[int | None] = (1, 2, 3, 1, 2, None)
    engines: Sequence[str] = ("auto",) * 8 + ("relational", "interval")
    odd: int = 10  # percent of the problems with an odd index, with a dropped column, that are fitted, ...


PLAIN = {"labels": ["numbers"], "kinds": ["miss"], "huge": 0, "targeted": 100, "depths": [1, 2], "odd": 0}
CODES = PLAIN | {
    "forms": ["frame"],
    "learners": ["tree", "encode all"],
    "amounts": ["1", "2", "3"],
    "on_label": 0,
    "nesting": 0,
    "columns": 1,
    "depths": [1],
    "engines": ["relational"],
}
FOCUSES: dict[str, dict[str, Any]] = {
    "holes": PLAIN
    | {
        "styles": ["tens with holes", "holes", "words with holes", "tens"],
        "forms": ["frame", "array"],
        "kinds": ["miss", "flip", "fake"],
        "learners": ["tree"],
        "amounts": ["1", "2"],
        "columns": 2,
    },
    "huge amounts": PLAIN
    | {
        "styles": ["tens"],
        "dtypes": ["int64", "float64"],
        "forms": ["array"],
        "learners": ["tree"],
        "amounts": ["4294967296", "2147483648"],
        "on_label": 80,
        "nesting": 1,
        "columns": 2,
        "bulky": 20,
        "engines": ["relational"],
    },
    "almost boolean": PLAIN
    | {"styles": ["almost boolean"], "forms": ["array", "frame"], "learners": ["tree"], "columns": 1},
    "categories 0 and 1": CODES | {"styles": ["codes 0 and 1"], "dtypes": ["category", "int64"]},
    "unseen categories": CODES | {"styles": ["words"], "dtypes": ["category", "str"], "learners": ["tree"]},
    "large integers": PLAIN
    | {"styles": ["2^60"], "forms": ["frame", "list"], "learners": ["tree"], "kinds": ["flip"]},
    "selectors": PLAIN
    | {
        "styles": ["codes", "words", "tens"],
        "forms": ["frame"],
        "learners": ["selector"],
        "kinds": ["flip"],
    },
    "short floats": PLAIN
    | {
        "styles": ["tenths"],
        "dtypes": ["float32"],
        "forms": ["array"],
        "learners": ["tree"],
        "amounts": ["2", "3"],
        "on_label": 0,
        "nesting": 0,
        "columns": 1,
        "rows": 6,
        "bulky": 30,
        "depths": [2],
        "engines": ["auto"],
    },
    "removed rows": PLAIN
    | {"styles": ["tens"], "learners": ["tree"], "kinds": ["fake"], "targeted": 0, "engines": ["auto"]},
}
"""Arguments for `edge_problem`, each of which shows one kind of mistake within seconds."""

SCALED = CODES | {
    "styles": ["tens"],
    "dtypes": ["float64"],
    "forms": ["array"],
    "learners": ["scaled"],
    "rows": 6,
}
"""The same for columns behind a scaler."""


@dataclass(frozen=True, eq=False, repr=False)
class EdgeProblem:
    """Everything that is passed to ``certify``, and the bias model in the oracle's own form."""

    name: str
    X: Any
    y: Any
    people: Any
    estimator: Any
    fitted: bool
    parts: tuple[Part, ...]
    names: tuple[str, ...]
    drop: tuple[str, ...] = ()
    engine: str = "auto"

    def __repr__(self) -> str:
        return self.describe()

    @property
    def bias(self) -> str:
        return " + ".join(part.text(self.names) for part in self.parts)

    @property
    def huge(self) -> bool:
        """Whether some amount is so large that memory must be watched."""
        return any(len(part.amount) > 4 and part.amount.isdigit() for part in self.parts)

    def describe(self) -> str:
        """All of it, as Python would write it."""
        fitted = ".fit(X, y)" if self.fitted else ""
        return (
            f"{self.name}\nX = {show(self.X)}\ny = {show(self.y)}\nP = {show(self.people)}\n"
            f"estimator = {' '.join(repr(self.estimator).split())}{fitted}\nbias = {self.bias!r}\n"
            f"drop = {self.drop!r}, engine = {self.engine!r}"
        )


def show(table: Any) -> str:
    """A table or labels as an expression, types included."""
    if isinstance(table, pd.DataFrame):
        columns = [show(table.iloc[:, j]) for j in range(table.shape[1])]
        named = ", ".join(f"{name!r}: {column}" for name, column in zip(table.columns, columns, strict=True))
        return f"pd.DataFrame({{{named}}})"
    if isinstance(table, pd.Series):
        if isinstance(table.dtype, pd.CategoricalDtype):
            known = table.cat.categories.tolist()
            return f"pd.Series(pd.Categorical({table.tolist()!r}, categories={known!r}))"
        return f"pd.Series({table.tolist()!r}, dtype={str(table.dtype)!r})"
    if isinstance(table, np.ndarray):
        return f"np.array({table.tolist()!r}, dtype={table.dtype.str!r})"
    return repr(table)


def edge_problem(source: int | Draws, **focus: Any) -> EdgeProblem:
    """Draw a problem from a seed or from anything that draws."""
    draws = Seeded(source) if isinstance(source, int | np.integer) else source
    wanted = Focus(**focus)
    form = pick(draws, wanted.forms)
    style, n_labels = LABELS[pick(draws, wanted.labels)], draws.number(2, 3)
    columns = _draw_columns(draws, wanted, form)
    rows, codes = _draw_rows(draws, wanted, columns, n_labels)
    X, names = _table(form, columns, rows)
    y, labels = as_labels(style, codes)
    people = _draw_people(draws, wanted, form, columns, rows)
    learner = pick(draws, wanted.learners)
    estimator = draw_estimator(draws, learner, wanted.depths, columns, form)
    drop = ()
    if isinstance(estimator, DecisionTreeClassifier) and len(columns) > 1 and chance(draws, wanted.odd):
        drop = (names[draws.number(0, len(columns) - 1)],)
    parts = tuple(
        _draw_part(draws, wanted, columns, rows, style, labels) for _ in range(pick(draws, (1, 1, 2, 3)))
    )
    name = f"seed {source}" if isinstance(source, int | np.integer) else "drawn"
    engine = pick(draws, wanted.engines)
    fitted = chance(draws, 2 * wanted.odd)
    return EdgeProblem(name, X, y, people, estimator, fitted, parts, names, drop, engine)


# ---------------------------------------------------------------- tables


def _draw_columns(draws: Draws, wanted: Focus, form: str) -> list[tuple[str, str]]:
    """Style and type of each column; the columns of an array share their type."""
    number = draws.number(1, wanted.columns)
    if form in ("array", "list"):
        possible = wanted.dtypes or (("float64", "int64") if form == "list" else ARRAY_DTYPES)
        dtype = pick(draws, [d for d in possible if any(d in STYLES[s].dtypes for s in wanted.styles)])
        fitting = [style for style in wanted.styles if dtype in STYLES[style].dtypes]
        return [(pick(draws, fitting), dtype) for _ in range(number)]
    chosen = []
    for _ in range(number):
        style = pick(draws, wanted.styles)
        if style in REFUSED and not chance(draws, 25):
            style = wanted.styles[0]
        fitting = [d for d in STYLES[style].dtypes if not wanted.dtypes or d in wanted.dtypes]
        chosen.append((style, pick(draws, fitting or STYLES[style].dtypes)))
    return chosen


def _draw_rows(
    draws: Draws, wanted: Focus, columns: list[tuple[str, str]], n_labels: int
) -> tuple[list[tuple[Any, ...]], list[int]]:
    """Distinct rows, perhaps each several times; at least two labels wherever there are two rows."""
    number = draws.number(2 if not chance(draws, 2) else 1, wanted.rows)
    bulky = chance(draws, wanted.bulky)
    rows, codes = [], []
    for _ in range(min(number, 5) if bulky else number):
        row = tuple(pick(draws, STYLES[style].values) for style, _ in columns)
        label, times = draws.number(0, n_labels - 1), draws.number(1, 8) if bulky else 1
        rows += [row] * times
        codes += [label] * times
        if bulky and chance(draws, 30):
            rows.append(row)
            codes.append(draws.number(0, n_labels - 1))
    if chance(draws, 4):
        rows = [rows[0]] * len(rows)
    if len(set(codes)) == 1 and len(codes) > 1:
        codes[-1] = (codes[-1] + 1) % n_labels
    return rows, codes


def _table(
    form: str, columns: list[tuple[str, str]], rows: list[tuple[Any, ...]]
) -> tuple[Any, tuple[str, ...]]:
    """The rows as the form wants them, and the names that bias models use."""
    if form in ("array", "list"):
        arrays = [
            np.asarray(as_series([row[j] for row in rows], dtype)) for j, (_, dtype) in enumerate(columns)
        ]
        X = np.column_stack(arrays)
        return (X.tolist() if form == "list" else X), tuple(f"x{j}" for j in range(len(columns)))
    keys: list[Any] = ["a", "b", "c", "d"][: len(columns)]
    if form == "numbered frame":
        keys = list(range(len(columns)))
    elif form == "odd names":
        keys = ["not", "x 1", "ä", "2"][: len(columns)]
    data = {j: as_series([row[j] for row in rows], dtype) for j, (_, dtype) in enumerate(columns)}
    frame = pd.DataFrame(data)
    frame.columns = pd.Index(keys)
    return frame, tuple(map(str, keys))


def _draw_people(
    draws: Draws, wanted: Focus, form: str, columns: list[tuple[str, str]], rows: list[tuple[Any, ...]]
) -> Any:
    """One to three people: training rows, or values of the columns and beyond them."""
    people = []
    for _ in range(draws.number(1, 3)):
        if chance(draws, 40):
            people.append(pick(draws, rows))
        else:
            people.append(tuple(_draw_value(draws, STYLES[style]) for style, _ in columns))
    table, _ = _table(form, columns, people)
    if isinstance(table, pd.DataFrame) and chance(draws, wanted.odd):
        table.index = pick(draws, (pd.date_range("2020", periods=len(table)), list("uvw")[: len(table)]))
    return table


def _draw_value(draws: Draws, style: Style) -> Any:
    """A value of a test person; a category that training never saw is rare, since many encoders refuse it."""
    beyond = style.beyond if not style.category or chance(draws, 15) else ()
    return pick(draws, (*style.values, *beyond))


# ---------------------------------------------------------------- bias models


def _draw_part(
    draws: Draws,
    wanted: Focus,
    columns: list[tuple[str, str]],
    rows: list[tuple[Any, ...]],
    style: LabelStyle,
    labels: Sequence[Any],
) -> Part:
    kind = pick(draws, wanted.kinds)
    huge = wanted.huge if kind == "miss" else wanted.huge // 4
    amount = str(pick(draws, HUGE)) if chance(draws, huge) else pick(draws, wanted.amounts)
    where, usable = None, labels if style.plain else ()
    if chance(draws, wanted.targeted) and (usable or any(STYLES[name].named for name, _ in columns)):
        where = _draw_condition(draws, wanted, columns, rows, usable, wanted.nesting)
    to = None
    if kind == "flip" and style.plain and chance(draws, 25):
        to = (pick(draws, labels),)
    return Part(kind, amount, where, to)


def _draw_condition(
    draws: Draws,
    wanted: Focus,
    columns: list[tuple[str, str]],
    rows: list[tuple[Any, ...]],
    labels: Sequence[Any],
    depth: int,
) -> Any:
    shape = draws.number(0, 99)
    if depth and shape >= 70:
        left = _draw_condition(draws, wanted, columns, rows, labels, depth - 1)
        if shape >= 90:
            return Not(left)
        right = _draw_condition(draws, wanted, columns, rows, labels, depth - 1)
        return Joined("and" if shape < 85 else "or", left, right)
    named = [j for j, (style, _) in enumerate(columns) if STYLES[style].named]
    if labels and (not named or chance(draws, wanted.on_label)):
        return Leaf(None, pick(draws, ("==", "!=")), pick(draws, labels))
    place = pick(draws, named)
    style, dtype = columns[place]
    if None in STYLES[style].values and chance(draws, 30):
        return Leaf(place, "is missing", None)
    seen = [row[place] for row in rows if row[place] is not None]
    if STYLES[style].category:
        known = [value for value in STYLES[style].values if value is not None]
        return _draw_leaf(draws, place, (*known, *seen), ("==", "!=", "in"))
    constants = neighbours((*STYLES[style].values, *seen), dtype)
    return _draw_leaf(draws, place, constants, ("==", "!=", "<", "<=", ">", ">=", "in"))


def _draw_leaf(draws: Draws, place: int, constants: Sequence[Any], ops: Sequence[str]) -> Leaf:
    op = pick(draws, ops)
    if op == "in":
        return Leaf(place, op, tuple(pick(draws, constants) for _ in range(draws.number(1, 2))))
    return Leaf(place, op, pick(draws, constants))
