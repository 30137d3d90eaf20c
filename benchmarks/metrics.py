"""Ranges of metrics at scale: against every table of B(T) on thousands of small problems, width and cost.

Each random problem gets groups and true labels; every tree that scikit-learn learns from a table of B(T) must
stay within the ranges, and attained ends must be attained (see ``tests/truth/metric_oracle.py``).
"""

from __future__ import annotations

import argparse
import os
import time
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.common import note, show

CHUNK = 50


def run_chunk(first: int, engine: str) -> Any:
    from tests.truth.metric_oracle import Tally, draw_case, examine

    return sum((examine(draw_case(seed), engine) for seed in range(first, first + CHUNK)), Tally())


def campaign(problems: int, first_seed: int, engine: str, jobs: int) -> Any:
    """Examine so many problems; a wrong range ends it with an AssertionError that shows the problem."""
    from tests.truth.metric_oracle import Tally

    total, told = Tally(), 0.0
    with ProcessPoolExecutor(jobs) as pool:
        chunks = [
            pool.submit(run_chunk, first, engine) for first in range(first_seed, first_seed + problems, CHUNK)
        ]
        for done in as_completed(chunks):
            total += done.result()
            if time.perf_counter() > told + 5:
                told = time.perf_counter()
                note(f"{engine}: {total}")
    return total


@dataclass(frozen=True)
class Setting:
    """A table, a depth, a bias model, two groupings (or one) and the width that accuracy must have."""

    table: str
    depth: int
    bias: str
    groups: tuple[str, ...]
    width: float


SETTINGS = (
    Setting("compas", 1, "flip(47)", ("african_american", "female"), 0.035),
    Setting("compas", 2, "flip(10)", ("african_american", "female"), 0.018),
    Setting("drug", 2, "flip(7)", ("gender",), 0.033),
    Setting("adult", 2, "flip(66)", ("non_white", "female"), 0.015),
    Setting("german", 2, "flip(3)", ("foreign_worker", "telephone"), 0.105),
)


def tables_of(name: str) -> tuple[Any, Any, Any, Any]:
    """X_train, y_train, X_test, y_test; German credit lies in the folder of the paper's tables, too."""
    import pandas as pd

    from everytree.datasets import load_paper

    if name != "german":
        data = load_paper(name)
        return data.X_train, data.y_train, data.X_test, data.y_test
    folder = Path(os.environ["EVERYTREE_DATA"]) / "everyday" / "german"
    train, test = (pd.read_csv(folder / f"{part}.csv") for part in ("train", "test"))
    return train.drop(columns="credit"), train["credit"], test.drop(columns="credit"), test["credit"]


def measure(setting: Setting) -> list[dict[str, object]]:
    """Width of the accuracy range, share of ends that are reached, and what it costs; a row a grouping."""
    from sklearn.tree import DecisionTreeClassifier

    from everytree import certify

    X, y, X_test, y_test = tables_of(setting.table)
    tree = DecisionTreeClassifier(max_depth=setting.depth, random_state=0)
    certify(tree, X, y, X_test[:2], "flip(1)").metric_ranges(setting.groups[0], y_test[:2])  # compiles
    start = time.perf_counter()
    result = certify(tree, X, y, X_test, setting.bias)
    certifying = time.perf_counter() - start
    rows: list[dict[str, object]] = []
    for group in setting.groups:
        start = time.perf_counter()
        ranges = result.metric_ranges(group, y_test)
        seconds = time.perf_counter() - start
        alone = result.metric_ranges(group, y_test, time_limit=1e-9, tries=0)
        found = ranges.table.dropna(subset=["low"])
        reached = [*(found.low_is == "attained"), *(found.high_is == "attained")]
        accuracy = ranges.loc[("accuracy", "everybody")]
        one_by_one = alone.loc[("accuracy", "everybody")]
        rows.append(
            {
                "table": f"{setting.table}, {setting.depth}, {setting.bias}, {group}",
                "one by one": one_by_one.high - one_by_one.low,
                "width": accuracy.high - accuracy.low,
                "at most": setting.width,
                "seen": accuracy.attained_high - accuracy.attained_low,
                "ends reached": sum(reached) / len(reached),
                "tables": ranges.tables,
                "certify, s": certifying,
                "ranges, s": seconds,
            }
        )
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.metrics", description=__doc__.split("\n")[0])
    parser.add_argument("--problems", type=int, default=2000, help="problems to examine for each engine")
    parser.add_argument("--engines", nargs="*", default=["auto", "relational"], help="engines to examine")
    parser.add_argument("--seed", type=int, default=3_000_000, help="seed of the first problem")
    parser.add_argument("--jobs", type=int, default=2, help="processes")
    options = parser.parse_args()
    rows = []
    for engine in options.engines:
        total = campaign(options.problems, options.seed, engine, options.jobs)
        rows.append({"engine": engine, **vars(total)})
    if rows:
        show(rows)
    if "EVERYTREE_DATA" in os.environ:
        show([row for setting in SETTINGS for row in measure(setting)])
    else:
        note("EVERYTREE_DATA names no folder with the paper's tables: their ranges are left out.")


if __name__ == "__main__":
    main()
