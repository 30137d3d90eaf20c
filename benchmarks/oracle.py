"""The campaign on small tables at scale: proofs against every table of B(T), until enough trees are grown.

Random problems of consecutive seeds are certified with each engine; where somebody is certified, every
table that the bias model allows is learned from (see ``tests/truth/campaign.py`` and ``oracle.py`` there).
"""

from __future__ import annotations

import argparse
import time
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from itertools import count
from typing import Any

from benchmarks.common import note, show

CHUNK = 50


def run_chunk(first: int, engine: str, focus: dict[str, Any]) -> Any:
    from tests.truth.campaign import run_seeds

    return run_seeds(range(first, first + CHUNK), engine, focus)


def campaign(engine: str, focus: dict[str, Any], options: argparse.Namespace) -> tuple[Any, float]:
    """Examine chunk after chunk of seeds until so many trees have been grown, or problems examined."""
    from tests.truth.campaign import Tally

    total, start, told = Tally(), time.perf_counter(), 0.0
    seeds, jobs = count(options.seed, CHUNK), options.jobs

    def is_enough() -> bool:
        if options.problems is None:
            return bool(total.trainings >= options.trainings)
        return bool(total.problems + CHUNK * len(running) >= options.problems)

    with ProcessPoolExecutor(jobs) as pool:
        running: set[Future[Any]] = set()
        while running or not is_enough():
            while not is_enough() and len(running) < 2 * jobs:
                running.add(pool.submit(run_chunk, next(seeds), engine, focus))
            done, running = wait(running, return_when=FIRST_COMPLETED)
            for future in done:
                total += future.result()
            for violation in (one for future in done for one in future.result().violations):
                note(f"{violation}\n")
            if time.perf_counter() > told + 5:
                told = time.perf_counter()
                note(f"{engine}: {total}")
    return total, time.perf_counter() - start


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.oracle", description=__doc__.split("\n")[0])
    parser.add_argument("--trainings", type=int, default=100_000, help="trees to grow for each engine")
    parser.add_argument("--problems", type=int, help="training tables to examine, in the place of trees")
    parser.add_argument(
        "--engines",
        nargs="+",
        default=["interval", "relational"],
        help='engines to examine; "all" examines what any of them, all workers together and the check prove',
    )
    parser.add_argument("--seed", type=int, default=1_000_000, help="seed of the first problem")
    parser.add_argument("--jobs", type=int, default=2, help="processes")
    parser.add_argument("--holes", type=float, default=0.0, help="share of values that may be missing")
    parser.add_argument(
        "--mixed", action="store_true", help="all settings of the learner, in any combination"
    )
    parser.add_argument(
        "--close", action="store_true", help="values that scikit-learn cannot tell apart, flips and removals"
    )
    options = parser.parse_args()
    focus: dict[str, Any] = {"mixed": True} if options.mixed else {}
    if options.close:
        focus |= {"close": True, "kinds": ("flip", "fake")}
    if options.holes:
        focus["holes"] = options.holes
    rows, violations = [], []
    for engine in options.engines:
        total, seconds = campaign(engine, focus, options)
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
