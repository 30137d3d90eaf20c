"""The campaign at the boundary, at scale: odd input, every verdict against the user's own estimator.

Problems of consecutive seeds (``tests/edges.py``) are certified; predictions, witnesses and proofs are then
held against retrainings of the estimator, preprocessing included (``tests/edge_oracle.py``).
"""

from __future__ import annotations

import argparse
import json
import time
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path
from typing import Any

from benchmarks.common import note, show, write_csv

CHUNK = 50

SECONDS = 1.5
"""Limit of each question; the tests, which have less time, ask for less."""


def run_chunk(first: int, how_many: int, focus: dict[str, Any]) -> Any:
    from tests.truth import edge_asking
    from tests.truth.edge_oracle import run_seeds

    edge_asking.SECONDS = SECONDS
    return run_seeds(range(first, first + how_many), focus)


def campaign(problems: int, first_seed: int, jobs: int, focus: dict[str, Any]) -> tuple[Any, float]:
    """Examine the problems of so many seeds."""
    from tests.truth.edge_oracle import EdgeTally

    total, start, told = EdgeTally(), time.perf_counter(), 0.0
    chunks = [(seed, min(CHUNK, problems - seed)) for seed in range(0, problems, CHUNK)]
    with ProcessPoolExecutor(jobs) as pool:
        running = [pool.submit(run_chunk, first_seed + seed, number, focus) for seed, number in chunks]
        for future in as_completed(running):
            examined = future.result()
            for violation in examined.violations:
                print(violation, end="\n\n", flush=True)
            total += examined
            if time.perf_counter() > told + 5:
                told = time.perf_counter()
                note(str(total))
    return total, time.perf_counter() - start


def rows_of(total: Any, seconds: float) -> list[dict[str, Any]]:
    """Everything that was counted, one row each."""
    kinds: dict[str, int] = {}
    for violation in total.violations:
        kinds[violation.kind] = kinds.get(violation.kind, 0) + 1
    counts = {"problems": total.problems}
    counts |= {f"verdict: {name}": count for name, count in sorted(total.verdicts.items())}
    counts |= {f"refused: {name}": count for name, count in sorted(total.refused.items())}
    counts |= {"unjudged": total.unjudged, "witnesses": total.witnesses, "tables": total.tables}
    counts |= {"trainings": total.trainings, "violations": len(total.violations)}
    counts |= {f"violation: {name}": count for name, count in sorted(kinds.items())}
    return [{"what": name, "count": count} for name, count in (counts | {"seconds": round(seconds)}).items()]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.edges", description=__doc__.split("\n")[0])
    parser.add_argument("--problems", type=int, default=20_000, help="how many problems")
    parser.add_argument("--seed", type=int, default=1_000_000, help="seed of the first problem")
    parser.add_argument("--jobs", type=int, default=2, help="processes")
    parser.add_argument("--focus", type=json.loads, default={}, help="JSON arguments for edge_problem")
    parser.add_argument("--csv", type=Path, help="also write the counts to this file")
    options = parser.parse_args()
    total, seconds = campaign(options.problems, options.seed, options.jobs, options.focus)
    rows = rows_of(total, seconds)
    show(rows)
    write_csv(options.csv, rows)
    if total.violations:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
