"""Cost of writing a report in multiples of the certification, its size, and how soon it can be used.

Adult as it was published, one-hot encoded: 32,561 training rows and 16,281 people, and again with the people
repeated to 50,000. Opening is measured in Chromium, from navigation until the explorer is ready.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks.common import FOLDER_VARIABLE, note, require_paper_tables, show, write_csv

RATIO, MEGABYTES, SECONDS = 2.0, 3.0, 3.0
"""Targets: write / certify, size of the file, time until it can be used."""


def adult(people: int | None) -> tuple[Any, Any, Any, Any]:
    """Read the published tables, and repeat the test people up to a number."""
    import numpy as np
    import pandas as pd

    folder = Path(os.environ[FOLDER_VARIABLE]) / "raw"
    if not (folder / "adult.test.gz").exists():
        note(f"Skipped: {FOLDER_VARIABLE} has no raw/adult.data.gz and raw/adult.test.gz.")
        raise SystemExit(0)
    train, test = (
        pd.read_csv(folder / name, skipinitialspace=True, keep_default_na=False)
        for name in ("adult.data.gz", "adult.test.gz")
    )
    if people is not None:
        test = test.iloc[np.arange(people) % len(test)].reset_index(drop=True)
    labels = [frame.pop("income").str.rstrip(".") for frame in (train, test)]
    return train, labels[0], test, labels[1]


def measure(name: str, people: int | None, amounts: tuple[str, ...], depth: int) -> dict[str, Any]:
    from tests.show.report_audits import audit_of

    from everytree.audit import Sweep
    from everytree.bias import parse
    from everytree.show.report import write_report

    tables = adult(people)
    note(f"{name}: certifying {len(tables[2]):,} people")
    sweeps = (Sweep("wrong labels", parse("flip(?)"), amounts),)
    options: dict[str, Any] = {"label": "income", "depths": (depth,), "groups": (("race",), ("sex",))}
    start = time.perf_counter()
    audit = audit_of(tables, sweeps, **options)
    certified = time.perf_counter() - start
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "report.html"
        start = time.perf_counter()
        write_report(audit, path)
        written = time.perf_counter() - start
        size, ready = path.stat().st_size / 1e6, opening(path)
    met = written <= RATIO * certified and size <= MEGABYTES and (ready is None or ready <= SECONDS)
    return {
        "case": name,
        "people": len(tables[2]),
        "certify s": certified,
        "write s": written,
        "ratio": written / certified,
        "MB": size,
        "ready s": ready,
        "met": "yes" if met else "NO",
    }


def opening(path: Path) -> float | None:
    """Seconds from navigation until the explorer is ready: the median of three, or None without a browser."""
    from tests.show import browser

    missing = browser.why_not()
    if missing is not None:
        note(f"Opening is not measured: {missing}.")
        return None
    times = []
    with browser.open_browser() as driver:
        for _ in range(3):
            browser.open_page(driver, path)
            times.append(
                float(driver.execute_script("return performance.getEntriesByName('ready')[0].startTime"))
            )
    return sorted(times)[1] / 1000


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.report", description=__doc__.split("\n")[0])
    parser.add_argument("--depth", type=int, default=2, help="depth of the tree")
    parser.add_argument("--amounts", nargs="+", default=["0.1%", "0.4%"], help="amounts of flip(?)")
    parser.add_argument("--csv", type=Path, help="also write the table to this file")
    options = parser.parse_args()
    require_paper_tables()
    cases = (("warm-up", 500), ("Adult", None), ("Adult, repeated", 50_000))
    rows = [measure(name, people, tuple(options.amounts), options.depth) for name, people in cases]
    show(rows[1:])
    write_csv(options.csv, rows[1:])


if __name__ == "__main__":
    main()
