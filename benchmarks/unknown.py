"""Share of people left unknown on ordinary tables: continuous columns, deep trees, several labels.

The tables of scikit-learn need no data; COMPAS and Adult of the paper are skipped where they are not at hand.
Each row has a target: unknown percent at most, with 45 seconds for a whole table on two cores.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.common import FOLDER_VARIABLE, note, show, write_csv

TIME_LIMIT = 45.0

PLAN: tuple[tuple[str, int | None, str, float], ...] = (
    ("cancer", 2, "flip(5)", 6),
    ("cancer", 3, "flip(2)", 15),
    ("cancer", 3, "flip(5)", 30),
    ("cancer", None, "flip(2)", 12),
    ("wine", 2, "flip(2)", 5),
    ("wine", 3, "flip(2)", 5),
    ("wine", None, "flip(2)", 3),
    ("digits", 4, "flip(2)", 25),
    ("digits", 8, "flip(2)", 35),
    ("compas", 4, "flip(24)", 2),
    ("compas", 6, "flip(5)", 5),
    ("compas", None, "flip(1)", 2),
    ("adult", 3, "flip(131)", 10),
    ("adult", 4, "flip(17)", 3),
    ("adult", 5, "flip(7)", 4),
    ("adult", None, "flip(1)", 40),
    *(
        (table, depth, bias, 40)
        for table, label in (("cancer", 1), ("german", 2), ("titanic", 1))
        for depth in (3, None)
        for bias in ("miss(2)", "fake(2)", "flip(1) + fake(1)", f"flip(2, where label == {label})")
    ),
)
"""Table, depth, bias model and target."""

PAPER, EVERYDAY = ("compas", "adult"), {"german": "credit", "titanic": "Survived"}
"""Tables of the folder: the paper's, and everyday ones with their label columns."""


@dataclass(frozen=True)
class Case:
    """One row: a table, a depth (None: no limit), a bias model, and the target."""

    table: str
    depth: int | None
    bias: str
    target: float

    def __str__(self) -> str:
        return f"{self.table} depth {'none' if self.depth is None else self.depth} {self.bias}"


def cases() -> Iterator[Case]:
    """All rows."""
    return (Case(*row) for row in PLAN)


def chosen(texts: Iterable[str]) -> Iterator[Case]:
    """Rows whose description has one of the texts, without those whose tables are not there, with a word."""
    found = [case for case in cases() if any(text in str(case) for text in texts)]
    if not found:
        raise SystemExit("No row is described like this. Rows: " + "; ".join(map(str, cases())))
    for case in found:
        if case.table in (*PAPER, *EVERYDAY) and not os.environ.get(FOLDER_VARIABLE):
            note(f"skipped without {FOLDER_VARIABLE}: {case}")
        else:
            yield case


def load_table(name: str) -> tuple[Any, Any, Any]:
    """Training features, training labels and the people: three quarters of the rows are for training."""
    import numpy as np
    from sklearn import datasets

    from everytree.datasets import load_paper

    if name in PAPER:
        data = load_paper(name)
        return data.X_train, data.y_train, data.X_test
    if name in EVERYDAY:
        return load_everyday(name)
    load = {"cancer": "load_breast_cancer", "wine": "load_wine", "digits": "load_digits"}[name]
    bunch = getattr(datasets, load)()
    order = np.random.default_rng(0).permutation(len(bunch.target))
    train, test = np.split(order, [int(0.75 * len(order))])
    return bunch.data[train], bunch.target[train], bunch.data[test]


def load_everyday(name: str) -> tuple[Any, Any, Any]:
    """An everyday table as it comes, without names; missing ages are filled with the median."""
    import pandas as pd

    folder = Path(os.environ[FOLDER_VARIABLE]) / "everyday" / name
    train, test = (pd.read_csv(folder / f"{part}.csv") for part in ("train", "test"))
    label = EVERYDAY[name]
    if name == "titanic":
        ages = train["Age"].median()
        columns = ["rownames", "Name", "SexCode"]
        train, test = (part.drop(columns=columns).fillna({"Age": ages}) for part in (train, test))
    return train.drop(columns=label), train[label], test.drop(columns=label)


def measure(case: Case, time_limit: float, people: int | None) -> dict[str, Any]:
    """Certify one row."""
    from sklearn.tree import DecisionTreeClassifier

    from everytree import certify

    X, y, people_of_table = load_table(case.table)
    tree = DecisionTreeClassifier(max_depth=case.depth, random_state=0)
    started = time.perf_counter()
    result = certify(tree, X, y, people_of_table[:people], case.bias, time_limit=time_limit)
    seconds = time.perf_counter() - started
    shares = 100 * result.counts() / len(result)
    return {
        "table": case.table,
        "depth": "none" if case.depth is None else str(case.depth),
        "bias": case.bias,
        "people": len(result),
        "robust": f"{shares['robust']:.1f}",
        "refuted": f"{shares['not robust']:.1f}",
        "unknown": f"{shares['unknown']:.1f}",
        "target": f"{case.target:g}",
        "met": "yes" if shares["unknown"] <= case.target else "NO",
        "seconds": f"{seconds:.1f}",
    }


def warm_up() -> None:
    """Compile what the rows will use: that happens once after an installation."""
    import numpy as np
    from sklearn.tree import DecisionTreeClassifier

    from everytree import certify

    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 99, (250, 3)).astype(float), rng.integers(0, 3, 250)
    for bias in ("flip(1)", "flip(4)", "fake(4)", "miss(1) + flip(4)"):
        for labels in (y, y > 1):
            tree = DecisionTreeClassifier(max_depth=3, random_state=0)
            certify(tree, X, labels, X[:20], bias, time_limit=8)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.unknown", description=__doc__.split("\n")[0])
    parser.add_argument("--only", nargs="+", default=[""], help="rows whose description has one of these")
    parser.add_argument("--time-limit", type=float, default=TIME_LIMIT, help="seconds for a whole table")
    parser.add_argument("--people", type=int, help="only the first so many people")
    parser.add_argument("--csv", type=Path, help="also write the table to this file")
    options = parser.parse_args()
    warm_up()
    rows = []
    for case in chosen(options.only):
        row = measure(case, options.time_limit, options.people)
        note(f"{case}: {row['robust']} + {row['refuted']}, unknown {row['unknown']}, {row['seconds']} s")
        rows.append(row)
    show(rows)
    write_csv(options.csv, rows)


if __name__ == "__main__":
    main()
