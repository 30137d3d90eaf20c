"""The full attack on certified people: 2,000 random and 200 greedy perturbations for each setting.

The attack is that of the tests (``tests/attacks.py``). Every table that it makes is checked to be one of
B(T), learned from, and shown to all test people. Certified people who move would be wrong proofs; people
without a proof who move show that the attack can bite. Besides the 200 greedy attacks on certified people
there are some on the others, for that purpose.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

from benchmarks.common import note, require_paper_tables, show, write_csv

TABLES = (("compas", 1), ("compas", 2), ("compas", 3), ("drug", 1), ("drug", 2), ("adult", 2))
TARGETS = {
    "compas": "african_american == 1 and label == 1",
    "drug": "gender > 0 and label == 0",
    "adult": "female == 1 and label == 0",
}
BIASES = (
    "flip({a})",
    "miss({a})",
    "fake({a})",
    "miss({a}) + fake({a})",
    "miss({a}) + flip({a})",
    "flip({a}, where {target})",
)


def settings(amounts: list[str]) -> Iterator[tuple[str, int, str]]:
    """Table, depth and bias model."""
    for table, depth in TABLES:
        for bias in BIASES:
            for amount in amounts:
                yield table, depth, bias.format(a=amount, target=TARGETS[table])


def measure(task: tuple[tuple[str, int, str], dict[str, Any]]) -> tuple[dict[str, Any], str]:
    from tests.truth.attacks import attack, certified_setting

    from everytree.datasets import load_paper

    (table, depth, bias), numbers = task
    start = time.perf_counter()
    setting = certified_setting(load_paper(table), depth, bias)
    report = attack(setting, **numbers)
    row = {
        "table": table,
        "depth": depth,
        "bias": bias,
        "people": report.people,
        "certified": report.certified,
        "fallen certified": report.fallen_certified,
        "not certified": report.people - report.certified,
        "fallen of these": report.fallen_unknown,
        "tables": report.tables,
        "trainings": report.trainings,
        "seconds": time.perf_counter() - start,
    }
    return row, report.first_breach


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.attack", description=__doc__.split("\n")[0])
    parser.add_argument("--random", type=int, default=2000, help="random attacks for each setting")
    parser.add_argument("--greedy", type=int, default=200, help="greedy attacks on certified people")
    parser.add_argument("--on-unknown", type=int, default=50, help="greedy attacks on the other people")
    parser.add_argument("--amounts", nargs="+", default=["0.2%", "1%"], help="amounts of bias")
    parser.add_argument("--only", default="", help="only settings whose description contains this text")
    parser.add_argument("--seed", type=int, default=0, help="seed of the attack")
    parser.add_argument("--jobs", type=int, default=2, help="processes")
    parser.add_argument("--csv", type=Path, help="also write the table to this file")
    options = parser.parse_args()
    require_paper_tables()
    numbers = {
        "random": options.random,
        "greedy": options.greedy,
        "on_unknown": options.on_unknown,
        "seed": options.seed,
    }
    chosen = [s for s in settings(options.amounts) if options.only in f"{s[0]} depth {s[1]} {s[2]}"]
    rows, breaches = [], []
    with ProcessPoolExecutor(options.jobs) as pool:
        for row, breach in pool.map(measure, [(setting, numbers) for setting in chosen]):
            note(f"{len(rows) + 1}/{len(chosen)} {row['table']} depth {row['depth']} {row['bias']}")
            rows.append(row)
            if breach:
                breaches.append(breach)
    for breach in breaches:
        print(f"WRONG PROOF: {breach}")
    show(rows)
    total = {key: sum(row[key] for row in rows) for key in ("certified", "fallen certified", "not certified")}
    moved, trainings = sum(row["fallen of these"] for row in rows), sum(row["trainings"] for row in rows)
    print(
        f"{len(rows)} settings, {trainings} trainings: {total['fallen certified']} of {total['certified']} "
        f"certified people fell, {moved} of {total['not certified']} not certified ones"
    )
    write_csv(options.csv, rows)
    if breaches:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
