"""Ranges of metrics at scale: against every table of B(T) on thousands of small problems, and their cost.

Each random problem gets groups and true labels; every tree that scikit-learn learns from a table of B(T) must
stay within the ranges, and attained ends must be attained (see ``tests/metric_oracle.py``).
"""

from __future__ import annotations

import argparse
import time
from concurrent.futures import ProcessPoolExecutor, as_completed
from typing import Any

from benchmarks.common import note, show

CHUNK = 50
COSTS = (
    ("compas", 1, "flip(1%)"),
    ("compas", 2, "flip(0.5%)"),
    ("compas", 1, "miss(1%)"),
    ("adult", 2, "flip(0.4%)"),
)


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


def cost(name: str, depth: int, bias: str) -> dict[str, object]:
    """Seconds for the verdicts, and for the ranges on top of them."""
    from sklearn.tree import DecisionTreeClassifier

    from everytree import certify
    from everytree.datasets import load

    data = load(name)
    tree = DecisionTreeClassifier(max_depth=depth, random_state=0)
    certify(tree, data.X_train, data.y_train, data.X_test[:2], "flip(1)")  # compiles
    start = time.perf_counter()
    result = certify(tree, data.X_train, data.y_train, data.X_test, bias)
    certifying = time.perf_counter() - start
    start = time.perf_counter()
    ranges = result.metric_ranges(["race", "sex"], data.y_test)
    counting = time.perf_counter() - start
    return {
        "table": f"{name}, {depth}, {bias}",
        "people": len(result),
        "tables retrained": ranges.attrs["tables"] - 1,
        "certify, s": certifying,
        "ranges, s": counting,
        "ranges ÷ certify": counting / certifying,
    }


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
    show([cost(*case) for case in COSTS])


if __name__ == "__main__":
    main()
