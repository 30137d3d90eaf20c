"""Attacks as baselines: whom random testing, a greedy attack and everytree falsify, and who is decided.

COMPAS, depth 1, flips. The paper tested 100 of the test people with 10,000 random tables; here every random
table is shown to all people. The greedy attack is that of the tests (``tests/attacks.py``), aimed at every
person several times.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.common import note, require_paper_tables, show, write_csv

PAPER_FALSIFIED = {"0.5": 4, "1": 15, "2": 27, "3": 32}
"""Of 100 people, by 10,000 random tables; from the paper's appendix."""

PAPER_DECIDED = {"0.5": 13.3, "3": 32.0}
"""Percent certified or falsified; the paper gives the two ends only."""


def fallen_at_random(setting: Any, tables: int) -> np.ndarray:
    """Flip as many labels as allowed, drawn evenly from all rows, again and again; tells who moved."""
    rng = np.random.default_rng(0)
    fallen = np.zeros(len(setting.people), bool)
    for number in range(tables):
        y = setting.y.copy()
        rows = rng.choice(len(y), setting.bias.flips, replace=False)
        y[rows] = 1 - y[rows]
        tree = setting.train(setting.X, y, number)
        fallen |= tree.predict(setting.people, check_input=False) != setting.expected
    return fallen


def fallen_to_greed(setting: Any, tries: int) -> np.ndarray:
    """Aim the greedy attack at every distinct person who has not moved yet; tells who moved."""
    from tests.truth.attacks import Watch, pursue

    rng = np.random.default_rng(0)
    watch = Watch(
        replace(setting, certified=np.zeros(len(setting.people), bool)), np.zeros(len(setting.people), bool)
    )
    for _ in range(tries):
        for person in setting.distinct(np.flatnonzero(~watch.fallen)):
            if not watch.fallen[person]:
                target = 1 - int(setting.expected[person])
                watch.look(pursue(watch.setting, int(person), target, rng, watch.look))
    return watch.fallen


def measure(data: Any, percent: str, tables: int, tries: int) -> tuple[dict[str, Any], int]:
    """One row, and the number of people whom an attack moved although they are certified."""
    from sklearn.tree import DecisionTreeClassifier
    from tests.truth.attacks import certified_setting

    from everytree import certify

    bias = f"flip({percent}%)"
    people = (data.X_train, data.y_train, data.X_test)
    tree = DecisionTreeClassifier(max_depth=1, random_state=0)
    start = time.perf_counter()
    result = certify(tree, *people, bias, engine="auto")
    seconds = time.perf_counter() - start
    setting = certified_setting(data, 1, bias, engine="interval")
    robust, refuted = result.verdicts == "robust", result.verdicts == "not robust"
    start = time.perf_counter()
    random = fallen_at_random(setting, tables)
    after_random = time.perf_counter()
    greedy = fallen_to_greed(setting, tries)
    after_greedy = time.perf_counter()
    row = {
        "flips": f"{percent}%",
        "paper falsified": PAPER_FALSIFIED[percent],
        "random": _percent(random),
        "greedy": _percent(greedy),
        "everytree": _percent(refuted),
        "paper decided": PAPER_DECIDED.get(percent),
        "interval + random": _percent(setting.certified | random),
        "everytree decided": _percent(robust | refuted),
        "random s": round(after_random - start, 1),
        "greedy s": round(after_greedy - after_random, 1),
        "everytree s": round(seconds, 1),
    }
    return row, int(((random | greedy) & robust).sum())


def _percent(people: np.ndarray) -> float:
    return round(100 * float(people.mean()), 1)


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.baselines", description=__doc__.split("\n")[0]
    )
    parser.add_argument("--tables", type=int, default=2000, help="random tables; the paper had 10000")
    parser.add_argument("--tries", type=int, default=3, help="greedy attacks on each person")
    parser.add_argument("--csv", type=Path, help="also write the table to this file")
    options = parser.parse_args()
    require_paper_tables()
    from everytree.datasets import load_paper

    data, rows, wrong = load_paper("compas"), [], 0
    for percent in PAPER_FALSIFIED:
        note(f"flip {percent}%")
        row, fallen = measure(data, percent, options.tables, options.tries)
        rows.append(row)
        wrong += fallen
    print("COMPAS, depth 1, percent of the test people (the paper: of 100 of them)")
    show(rows)
    print(f"people certified by everytree whom an attack moved: {wrong}")
    write_csv(options.csv, rows)
    if wrong:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
