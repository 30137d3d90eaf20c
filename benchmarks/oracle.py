"""The campaign on small tables at scale: proofs against every table of B(T), until enough trees are grown.

Random problems of consecutive seeds are certified with each engine; where somebody is certified, every
table that the bias model allows is learned from (see ``tests/campaign.py`` and ``tests/oracle.py``).
"""

from __future__ import annotations

import argparse
import time
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from itertools import count
from typing import Any

from benchmarks.common import note, show

CHUNK = 50


def run_chunk(first: int, engine: str, holes: float) -> Any:
    from tests.truth.campaign import run_seeds

    return run_seeds(range(first, first + CHUNK), engine, {"holes": holes} if holes else {})


def campaign(engine: str, trainings: int, first_seed: int, jobs: int, holes: float) -> tuple[Any, float]:
    """Examine chunk after chunk of seeds until so many trees have been grown."""
    from tests.truth.campaign import Tally

    total, start, told = Tally(), time.perf_counter(), 0.0
    seeds = count(first_seed, CHUNK)
    with ProcessPoolExecutor(jobs) as pool:
        running: set[Future[Any]] = set()
        while total.trainings < trainings or running:
            while total.trainings < trainings and len(running) < 2 * jobs:
                running.add(pool.submit(run_chunk, next(seeds), engine, holes))
            done, running = wait(running, return_when=FIRST_COMPLETED)
            total = sum((future.result() for future in done), total)
            if time.perf_counter() > told + 5:
                told = time.perf_counter()
                note(f"{engine}: {total}")
    return total, time.perf_counter() - start


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.oracle", description=__doc__.split("\n")[0])
    parser.add_argument("--trainings", type=int, default=100_000, help="trees to grow for each engine")
    parser.add_argument("--engines", nargs="+", default=["interval", "relational"], help="engines to examine")
    parser.add_argument("--seed", type=int, default=1_000_000, help="seed of the first problem")
    parser.add_argument("--jobs", type=int, default=2, help="processes")
    parser.add_argument("--holes", type=float, default=0.0, help="share of values that may be missing")
    options = parser.parse_args()
    rows, violations = [], []
    for engine in options.engines:
        total, seconds = campaign(engine, options.trainings, options.seed, options.jobs, options.holes)
        violations += total.violations
        rows.append(
            {
                "engine": engine,
                "problems": total.problems,
                "with proofs": total.certifying,
                "points": total.points,
                "certified": total.certified,
                "tables": total.tables,
                "trainings": total.trainings,
                "violations": len(total.violations),
                "seconds": seconds,
            }
        )
    for violation in violations:
        print(violation, end="\n\n")
    show(rows)
    if violations:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
