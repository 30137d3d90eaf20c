"""Every witness, judged again on the changed table in the table's own types; and what it is made from.

Cases are small tables over many types of columns. Conditions are read here by NumPy and Python alone, from
the columns as they are stored, and changes are given to components by trying all ways.
``examine_witnesses`` is the engine "witnesses" of the campaign.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from tests.truth.problems import OPERATORS, Both, Compare, Either, Not, Part

if TYPE_CHECKING:
    from tests.truth.campaign import Tally

Condition = Compare | Not | Both | Either | None
KINDS = ("miss", "flip", "fake")
LIMIT = 4.0
TRIES = 60

NUMBERS: dict[str, tuple[float, ...]] = {
    "float16": (0.05, 0.1, 0.7, 2.3, 2049.0),
    "float32": (0.05, 0.1, 0.7, 2.3, 1e-6),
    "float64": (0.05, 0.1, 0.7, 2.3, 1e10),
    "Float32": (0.05, 0.1, 0.7, 2.3, -4.0),
    "int8": (-128, -3, 5, 127),
    "uint8": (0, 3, 250, 255),
    "int64": (-2, 5, 7, 2**24, 2**24 + 1),
    "Int64": (-2, 5, 7, 2**24, 2**24 + 1),
}
OTHERS: dict[str, tuple[Any, ...]] = {
    "bool": (False, True),
    "boolean": (False, True),
    "category": ("a", "b", "c"),
    "object": (1, 2, 5),
    "str": ("u", "v", "w"),
}
DTYPES = (*NUMBERS, *OTHERS)


@dataclass(frozen=True)
class Case:
    """A table with columns x0, x1, ... of several types, people, a depth and a bias model."""

    name: str
    X: pd.DataFrame
    y: np.ndarray
    people: pd.DataFrame
    depth: int
    parts: tuple[Part, ...]

    def bias(self) -> Any:
        total = self.parts[0].expression()
        for part in self.parts[1:]:
            total = total + part.expression()
        return total

    def tree(self) -> Any:
        from sklearn.tree import DecisionTreeClassifier

        return DecisionTreeClassifier(max_depth=self.depth, random_state=0)

    def describe(self) -> str:
        table = self.X.assign(label=self.y).to_string()
        return f"case {self.name}, depth {self.depth}, {self.X.dtypes.to_dict()}\n{table}\nbias {self.bias()}"


# ---------------------------------------------------------------- conditions and changes, read anew


def holds(condition: Condition, X: pd.DataFrame, y: Sequence[int] | np.ndarray) -> np.ndarray:
    """Rows that satisfy a condition, as their columns store them."""
    if condition is None:
        return np.ones(len(X), bool)
    if isinstance(condition, Not):
        return ~holds(condition.part, X, y)
    if isinstance(condition, Both):
        return holds(condition.left, X, y) & holds(condition.right, X, y)
    if isinstance(condition, Either):
        return holds(condition.left, X, y) | holds(condition.right, X, y)
    values: Any = np.asarray(y)
    if condition.column is not None:
        column = X[f"x{condition.column}"]
        dtype: Any = getattr(column.dtype, "numpy_dtype", column.dtype)
        number = isinstance(dtype, np.dtype) and dtype.kind in "biuf"
        values = column.to_numpy(dtype) if number else np.array(column.tolist(), object)
    if condition.op == "in":
        return np.any([values == choice for choice in condition.value], axis=0)
    return np.asarray(OPERATORS[condition.op](values, condition.value)).astype(bool)


def is_allowed(case: Case, witness: Any, X: pd.DataFrame, y: np.ndarray) -> bool:
    """Whether some way of giving the changes to components fits the amounts; X, y is the new table."""
    labels = np.unique(case.y).tolist()
    wants: list[list[list[set[int]]]] = []
    for row, label in witness.flipped.items():
        wants.append([[_who(case, "flip", case.X.iloc[[row]], case.y[row], label)]])
    for row in witness.removed:
        one, own = case.X.iloc[[row]], case.y[row]
        ways = [[_who(case, "fake", one, own)]]
        ways += [[_who(case, "flip", one, own, j), _who(case, "fake", one, j)] for j in labels if j != own]
        wants.append(ways)
    for k in range(len(witness.added)):
        one, final = X.iloc[[len(X) - len(witness.added) + k]], y[len(X) - len(witness.added) + k]
        ways = [[_who(case, "miss", one, final)]]
        ways += [
            [_who(case, "miss", one, j), _who(case, "flip", one, j, final)] for j in labels if j != final
        ]
        wants.append(ways)
    return _fits(wants, [part.count for part in case.parts])


def _who(case: Case, kind: str, row: pd.DataFrame, label: int, to: int | None = None) -> set[int]:
    return {
        i
        for i, part in enumerate(case.parts)
        if part.kind == kind
        and (to is None or part.to is None or to in part.to)
        and holds(part.where, row, [label])[0]
    }


def _fits(wants: list[list[list[set[int]]]], left: list[int]) -> bool:
    if not wants:
        return True
    return any(_pay(way, wants[1:], left) for way in wants[0])


def _pay(way: list[set[int]], rest: list[list[list[set[int]]]], left: list[int]) -> bool:
    if not way:
        return _fits(rest, left)
    for i in way[0]:
        if left[i] > 0:
            fewer = [count - (i == j) for j, count in enumerate(left)]
            if _pay(way[1:], rest, fewer):
                return True
    return False


# ---------------------------------------------------------------- what can be wrong


def faults(case: Case) -> Iterator[str]:
    """Everything that is wrong with the witnesses of a case, and with proofs about rows of its types."""
    from everytree import certify

    yield from maker_faults(case)
    result = certify(case.tree(), case.X, case.y, case.people, case.bias(), time_limit=LIMIT)
    for person, witness in result.witnesses.items():
        for fault in witness_faults(case, result, person):
            yield f"person {person}, {witness}: {fault}\n{witness.added}\n{case.describe()}"
    yield from attack(case, result)


def witness_faults(case: Case, result: Any, person: int) -> Iterator[str]:
    """What is wrong with one witness on the changed table."""
    from everytree.table import test_table

    witness = result.witnesses[person]
    X, y = witness.apply(case.X, case.y)
    if X.dtypes.tolist() != case.X.dtypes.tolist() or y.dtype != case.y.dtype:
        yield f"types change to {X.dtypes.tolist()}"
    tail = X.iloc[len(X) - len(witness.added) :].reset_index(drop=True)
    if (
        witness.added.drop(columns="label").astype(object).to_numpy().tolist()
        != tail.to_numpy(object).tolist()
    ):
        yield "the table holds other rows than the witness says"
    if not is_allowed(case, witness, X, y):
        yield "the changes are not allowed"
    for name in case.X.columns:
        known = case.X[name].tolist()
        if set(known) <= {0, 1} and not set(tail[name].tolist()) <= {0, 1}:
            yield f"{name} is no longer 0 or 1"
    prepared = result.prepared
    learned = case.tree().fit(test_table(prepared.train, X).X, y)
    if learned.predict(prepared.test.X[[person]])[0] != witness.after:
        yield "the retrained tree gives another label"
    if all(dtype.kind in "biuf" for dtype in case.X.dtypes):
        own = case.tree().fit(X, y).predict(case.people.iloc[[person]])[0]
        if own != witness.after or own == result.predictions[person]:
            yield f"the user's own tree gives {own}"


def maker_faults(case: Case) -> Iterator[str]:
    """What is wrong with the numbers that new rows are made from, whether a witness shows it or not."""
    from everytree.bias import resolve
    from everytree.refute.new_rows import RowMaker
    from everytree.table import training_table

    table = training_table(case.X, case.y)
    bias = resolve(case.bias(), table.frame, table.y, table.labels)
    stand_in = type("Problem", (), {"table": table, "bias": bias})
    for near in (False, True):
        maker = RowMaker(stand_in, near=near)
        for name, constants in maker.constants.items():
            dtype: Any = table.frame[name].dtype
            boolean = set(table.frame[name].tolist()) <= {0, 1}
            for number in constants:
                if boolean and number not in (0, 1):
                    yield f"{number!r} is tried in {name}, which is 0 or 1\n{case.describe()}"
                if pd.Series([number], dtype=dtype).tolist()[0] != number:
                    yield f"{number!r} is tried in {name}, which cannot hold it\n{case.describe()}"
        rows = [tuple(row) for row in table.frame.head(2).astype(object).to_numpy().tolist()]
        if maker.as_frame(rows).dtypes.tolist() != table.frame.dtypes.tolist():
            yield f"rows are made in other types\n{case.describe()}"


def attack(case: Case, result: Any) -> Iterator[str]:
    """Add rows that the condition allows as they are stored, and see whether a proved label changes."""
    from everytree.table import test_table

    proved = np.flatnonzero(result.verdicts == "robust")
    if len(proved) == 0 or len(case.parts) > 1 or case.parts[0].kind != "miss":
        return
    rng = np.random.default_rng(0)
    part, labels = case.parts[0], np.unique(case.y)
    pools = [_candidates(case, name) for name in case.X.columns]
    drawn = pd.DataFrame({n: rng.choice(len(p), 100) for n, p in zip(case.X.columns, pools, strict=True)})
    rows = pd.concat(
        [
            p.iloc[drawn[n]].reset_index(drop=True).rename(n)
            for n, p in zip(case.X.columns, pools, strict=True)
        ],
        axis=1,
    )
    given = rng.choice(labels, len(rows))
    fitting = np.flatnonzero(holds(part.where, rows, given))
    if len(fitting) == 0 or part.count == 0:
        return
    prepared = result.prepared
    new = test_table(prepared.train, rows).X
    for _ in range(TRIES):
        chosen = rng.choice(fitting, int(rng.integers(1, part.count + 1)))
        if rng.random() < 0.5:
            chosen = np.repeat(chosen[0], part.count)
        X = np.concatenate([prepared.train.X, new[chosen]])
        after = case.tree().fit(X, np.concatenate([case.y, given[chosen]])).predict(prepared.test.X)
        wrong = proved[after[proved] != result.predictions[proved]]
        if len(wrong):
            table = rows.iloc[chosen].assign(label=given[chosen])
            yield f"person {wrong[0]} is proved, but not with\n{table}\n{case.describe()}"
            return


def _candidates(case: Case, name: str) -> pd.Series:
    """Values that an added row may have in a column: its own, those of conditions, and neighbours."""
    column = case.X[name]
    plain: Any = getattr(column.dtype, "numpy_dtype", column.dtype)
    values = column.drop_duplicates()
    if not isinstance(plain, np.dtype) or plain.kind != "f" or set(values.tolist()) <= {0, 1}:
        return values.reset_index(drop=True)
    held = np.array([*values.tolist(), *NUMBERS[str(column.dtype)]]).astype(plain)
    near = [np.nextafter(held, plain.type(way)) for way in (-np.inf, np.inf)]
    return pd.Series(np.concatenate([held, *near]), dtype=column.dtype)


@dataclass(frozen=True)
class WitnessFault:
    """Something wrong, in words."""

    words: str

    def __str__(self) -> str:
        return self.words


def examine_witnesses(case: Case) -> Tally:
    """Look at one case up to its first fault."""
    from tests.truth.campaign import Tally

    found = next(faults(case), None)
    return Tally(problems=1, violations=[] if found is None else [WitnessFault(found)])  # type: ignore[list-item]


# ---------------------------------------------------------------- drawing cases


def random_case(seed: int, dtypes: Sequence[str] = DTYPES, kinds: Sequence[str] | None = None) -> Case:
    """Draw a small table with columns of these types, and a bias model of these kinds."""
    rng = np.random.default_rng(seed)
    n_rows = int(rng.integers(5, 11))
    chosen = [str(name) for name in rng.choice(dtypes, int(rng.integers(1, 3)))]
    X = pd.DataFrame({f"x{j}": _draw_column(rng, dtype, n_rows) for j, dtype in enumerate(chosen)})
    y = rng.integers(0, 2, n_rows)
    y[:2] = (0, 1)
    people = X.iloc[rng.integers(0, n_rows, 4)].reset_index(drop=True)
    kinds = kinds or [str(k) for k in rng.choice(KINDS, int(rng.choice([1, 1, 2, 3])), replace=False)]
    parts = tuple(
        Part(kind, int(rng.integers(1, 4)) if kind != "fake" else 1, _draw_condition(rng, chosen, X))
        for kind in kinds
    )
    return Case(f"seed {seed}", X, y, people, int(rng.integers(1, 4)), parts)


def _draw_column(rng: np.random.Generator, dtype: str, n_rows: int) -> pd.Series:
    pool = NUMBERS.get(dtype) or OTHERS[dtype]
    kept = [pool[i] for i in rng.permutation(len(pool))[:3]]
    return pd.Series([kept[i] for i in rng.integers(0, len(kept), n_rows)], dtype=dtype)


def _draw_condition(
    rng: np.random.Generator, dtypes: list[str], X: pd.DataFrame, depth: int = 1
) -> Condition:
    shape = rng.random()
    if depth and shape < 0.4:
        left, right = (_draw_condition(rng, dtypes, X, 0) for _ in range(2))
        return Both(left, right) if shape < 0.25 else Either(left, right)  # type: ignore[arg-type]
    if depth and shape < 0.55:
        return Not(_draw_condition(rng, dtypes, X, 0))  # type: ignore[arg-type]
    if rng.random() < 0.2:
        return Compare(None, "==", int(rng.integers(0, 2)))
    column = int(rng.integers(len(dtypes)))
    dtype = dtypes[column]
    if dtype not in NUMBERS:
        return Compare(column, str(rng.choice(["==", "!="])), X[f"x{column}"].tolist()[0])
    pool = NUMBERS[dtype]
    op = str(rng.choice(["==", "!=", "<", "<=", ">", ">=", "in"]))
    value = pool[rng.integers(len(pool))]
    return Compare(column, op, (value,) if op == "in" else value)


def hand_picked_cases() -> list[Case]:
    """Tables on which a value that its column cannot hold, or a reading in another type, shows at once.

    Two that are examined at once stand before those that take long without compilation.
    """
    y = np.array([1, 1, 0, 1, 1])

    def one(name: str, values: list[float], dtype: str, y: np.ndarray, person: float, part: Part) -> Case:
        X, people = pd.DataFrame({"x0": values}, dtype=dtype), pd.DataFrame({"x0": [person]}, dtype=dtype)
        return Case(name, X, y, people, 2, (part,))

    return [
        one("cut shorter than float32", [0.05] * 4 + [0.2] * 4 + [0.1] * 2, "float16",
            np.array([0] * 4 + [1] * 4 + [0] * 2), 0.1, Part("miss", 3, Compare(0, "==", 0.1))),
        one("halves of a boolean", [0.0, 1.0, 0.0, 1.0, 1.0], "float32", np.array([0, 1, 0, 1, 0]), 1.0,
            Part("miss", 2, Compare(0, ">=", 0.5))),
        one("not this number", [0.7, 2.3, 0.7, 0.7, 2.3], "float32", y, 2.3,
            Part("miss", 2, Not(Compare(0, "==", 2.3)))),
        one("more than this number", [0.05, 0.1, 0.05, 0.05, 0.1], "float32", y, 0.1,
            Part("miss", 2, Compare(0, ">", 0.1))),
        one("between the only two", [0.7, 2.3, 0.7, 0.7, 2.3], "float32", y, 2.3,
            Part("miss", 2, Both(Compare(0, ">", 2.2999999), Compare(0, "<", 2.3000001)))),
        one("the end of a type", [127, 100, 127, 100, 127], "int8", y, 127,
            Part("miss", 2, Compare(0, ">", 120))),
    ]  # fmt: skip
