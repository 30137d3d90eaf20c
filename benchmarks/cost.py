"""Cost of certifying a whole test table, in multiples of training the tree once.

Every setting is measured in a process of its own: trainings of ``DecisionTreeClassifier`` and calls of
``certify`` take turns on the same table, after one warm-up call, and the medians are compared.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from typing import Any

from benchmarks.common import in_fresh_process, note, peak_memory, require_paper_tables, show, write_csv

MEMORY_TARGET = 1024.0
"""MB, for the interval engine on Adult."""


LEARNERS: tuple[dict[str, Any], ...] = (
    {"criterion": "entropy"},
    {"min_samples_leaf": 50},
    {"class_weight": {"0": 1, "1": 2}},
    {"class_weight": {"0": 0.1, "1": 0.3}},
    {"class_weight": "balanced"},
)
"""Other learners than the default, each measured once; labels are text because a task is sent as JSON."""


def settings() -> list[dict[str, Any]]:
    """Name, depth, bias, engine, target (multiples of one training) and target for peak memory (MB)."""
    rows: list[tuple[str, int, str, str, float, float | None]] = [
        ("adult", 2, "flip(0.2%)", "interval", 100, MEMORY_TARGET),
        ("compas", 1, "flip(0.2%)", "interval", 20, None),
        ("compas", 1, "flip(1%)", "interval", 20, None),
    ]
    for kind in ("flip", "miss", "fake"):
        for amount, target in (("0.1", 4), ("0.2", 4), ("0.4", 4), ("1", 12)):
            rows.append(("adult", 2, f"{kind}({amount}%)", "relational", target, None))
    rows += [
        ("compas", 1, f"{kind}({amount}%)", "relational", 10, None)
        for kind in ("flip", "miss", "fake")
        for amount in ("0.2", "1")
    ]
    rows.append(("adult", 3, "flip(0.4%)", "relational", 60, None))
    rows.append(("adult", 2, "flip(0.4%)", "auto", 60, None))
    keys = ("table", "depth", "bias", "engine", "target", "memory_target")
    tasks = [dict(zip(keys, row, strict=True)) | {"learner": {}} for row in rows]
    of_adult = dict(zip(keys, ("adult", 2, "flip(0.4%)", "relational", 6, None), strict=True))
    return [*tasks, *(of_adult | {"learner": learner} for learner in LEARNERS)]


def measure(task: dict[str, Any]) -> dict[str, Any]:
    """Measure one setting; runs in the child process."""
    from sklearn.tree import DecisionTreeClassifier

    from everytree import certify
    from everytree.datasets import load_paper

    data = load_paper(task["table"])
    tables = (data.X_train, data.y_train, data.X_test)

    learner = dict(task["learner"])
    if isinstance(learner.get("class_weight"), dict):
        learner["class_weight"] = {int(label): weight for label, weight in learner["class_weight"].items()}

    def fit() -> None:
        DecisionTreeClassifier(max_depth=task["depth"], **learner).fit(data.X_train, data.y_train)

    def prove() -> Any:
        tree = DecisionTreeClassifier(max_depth=task["depth"], **learner)
        return certify(tree, *tables, task["bias"], engine=task["engine"])

    fit()
    start = time.perf_counter()
    result = prove()
    once = time.perf_counter() - start
    fits, proofs = [], []
    for _ in range(max(3, min(task["repeats"], int(20 / max(once, 1e-6))))):
        for work, times in ((fit, fits), (prove, proofs), (fit, fits)):
            start = time.perf_counter()
            work()
            times.append(time.perf_counter() - start)
    return {
        "people": len(data.X_test),
        "certified": 100 * float(result.robust_rate),
        "fit": _median(fits),
        "certify": _median(proofs),
        "memory": peak_memory(),
    }


def _median(times: list[float]) -> float:
    ordered = sorted(times)
    return (ordered[(len(ordered) - 1) // 2] + ordered[len(ordered) // 2]) / 2


def _named(task: dict[str, Any]) -> str:
    return ", ".join(f"{name}={value}" for name, value in task["learner"].items())


def row_of(task: dict[str, Any], found: dict[str, Any]) -> dict[str, Any]:
    ratio = found["certify"] / found["fit"]
    met = ratio <= task["target"] and found["memory"] <= (task["memory_target"] or float("inf"))
    return {
        "table": task["table"],
        "depth": task["depth"],
        "bias": task["bias"],
        "engine": task["engine"],
        "learner": _named(task),
        "people": found["people"],
        "certified %": found["certified"],
        "fit ms": 1000 * found["fit"],
        "certify ms": 1000 * found["certify"],
        "ratio": ratio,
        "target": float(task["target"]),
        "peak MB": found["memory"],
        "target MB": task["memory_target"],
        "met": "yes" if met else "NO",
    }


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.cost", description=__doc__.split("\n")[0])
    parser.add_argument("--repeats", type=int, default=15, help="calls of certify for each setting")
    parser.add_argument("--only", default="", help="only settings whose description contains this text")
    parser.add_argument("--csv", type=Path, help="also write the table to this file")
    parser.add_argument("--child", type=json.loads, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child is not None:
        print(json.dumps(measure(options.child)))
        return
    require_paper_tables()
    rows = []
    for task in settings():
        name = f"{task['table']} depth {task['depth']} {task['bias']} {task['engine']} {_named(task)}".strip()
        if options.only in name:
            note(name)
            rows.append(
                row_of(task, in_fresh_process("benchmarks.cost", task | {"repeats": options.repeats}))
            )
    show(rows)
    print(f"{sum(row['met'] == 'yes' for row in rows)} of {len(rows)} targets met")
    write_csv(options.csv, rows)


if __name__ == "__main__":
    main()
