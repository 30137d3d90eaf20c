"""Share of people decided against time: how much of what `certify` decides in the end it decides at once.

One run a setting, with a progress function that notes the moments; nothing is certified twice.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import Any

from benchmarks.common import note, show, write_csv
from benchmarks.unknown import Case, chosen, load_table, warm_up

CHOSEN = (
    "cancer depth 3 flip(2)",
    "cancer depth none flip(2)",
    "wine depth 3 flip(2)",
    "digits depth 8 flip(2)",
    "compas depth 6 flip(5)",
    "compas depth none flip(1)",
    "adult depth 4 flip(17)",
    "adult depth none flip(1)",
)
"""Eight settings of `benchmarks.unknown`."""

MOMENTS = (0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 45.0)
"""Seconds at which the share is read."""


def measure(case: Case, time_limit: float) -> dict[str, Any]:
    """Certify one setting and read the share of decided people at every moment."""
    from sklearn.tree import DecisionTreeClassifier

    from everytree import certify

    X, y, people = load_table(case.table)
    tree = DecisionTreeClassifier(max_depth=case.depth, random_state=0)
    seen: list[tuple[float, float]] = [(0.0, 0.0)]
    started = time.perf_counter()

    def notice(done: float, left: int) -> None:
        seen.append((time.perf_counter() - started, 1 - left / len(people)))

    result = certify(tree, X, y, people, case.bias, time_limit=time_limit, progress=notice)
    seen.append((time.perf_counter() - started, float((result.verdicts != "unknown").mean())))
    moments = [m for m in MOMENTS if m < time_limit]
    shares = {f"{m:g} s": f"{100 * max(s for t, s in seen if t <= m):.0f}" for m in moments}
    return {"setting": str(case), **shares, "end": f"{100 * seen[-1][1]:.0f}"}


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.anytime", description=__doc__.split("\n")[0])
    parser.add_argument("--time-limit", type=float, default=45.0, help="seconds for a whole table")
    parser.add_argument("--only", default="", help="only settings whose description contains this text")
    parser.add_argument("--csv", type=Path, help="also write the table to this file")
    options = parser.parse_args()
    warm_up()
    rows = []
    for case in chosen([name for name in CHOSEN if options.only in name]):
        rows.append(measure(case, options.time_limit))
        note(f"{case}: {rows[-1]['end']}% decided")
    show(rows)
    write_csv(options.csv, rows)


if __name__ == "__main__":
    main()
