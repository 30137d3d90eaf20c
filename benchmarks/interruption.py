"""Kill an audit at random moments, go on each time, and compare everything with a run that nobody disturbed.

    python -m benchmarks.interruption [--kills 10] [--seed 0] [--jobs 2]

Ends with an error if a single byte of a kept cell or of an output differs.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.common import note, show

AUDIT = """\
title = "Interrupted"

[data]
train = "compas"

[audit]
groups = ["race", ["race", "sex"]]
depths = [1, 2]
n_jobs = {jobs}

[[bias]]
model = "flip(?)"
amounts = [1, 2, 5, "0.2%", "0.5%"]

[[bias]]
model = "flip(?, where race == 'African-American' and label == 1)"
amounts = ["0.1%", "0.2%", "0.5%", "1%"]

[[bias]]
model = "fake(?, where sex == 'Male')"
amounts = [1, 2, 5, 10]

[[bias]]
model = "miss(?, where sex == 'Female')"
amounts = [1, 5]
radius = false

[outputs]
people = "people.parquet"
groups = "groups.csv"
report = "report.html"
"""

COMMAND = [sys.executable, "-c", "import sys; from everytree.cli import main; sys.exit(main())"]


def write_audit(folder: Path, jobs: int) -> Path:
    folder.mkdir()
    path = folder / "audit.toml"
    path.write_text(AUDIT.format(jobs=jobs))
    return path


def run(path: Path) -> float:
    started = time.monotonic()
    subprocess.run([*COMMAND, "audit", str(path), "--quiet"], check=True)
    return time.monotonic() - started


def run_and_kill(path: Path, seconds: float) -> bool:
    """Start an audit and kill it with its processes after some seconds; False if it was quicker."""
    process = subprocess.Popen([*COMMAND, "audit", str(path), "--quiet"], start_new_session=True)
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        return True
    return False


def files(folder: Path) -> dict[str, bytes]:
    """Everything below a folder but what a killed run left unfinished."""
    found = (path for path in sorted(folder.rglob("*")) if path.is_file() and path.suffix != ".partial")
    return {str(path.relative_to(folder)): path.read_bytes() for path in found}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kills", type=int, default=10)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    chance = random.Random(options.seed)
    with tempfile.TemporaryDirectory() as place:
        calm = write_audit(Path(place) / "calm", options.jobs)
        seconds = run(calm)
        expected = files(calm.parent)
        note(f"undisturbed: {seconds:.1f} s, {len(expected)} files")
        rows: list[dict[str, int | float | str]] = []
        for number in range(options.kills):
            disturbed = write_audit(Path(place) / f"disturbed{number}", options.jobs)
            wait = (number + chance.random()) / options.kills * seconds
            killed = run_and_kill(disturbed, wait)
            cells = len(list(disturbed.parent.glob("audit-results/*.json.gz")))
            run(disturbed)
            found = files(disturbed.parent)
            differing = [name for name in {*expected, *found} if expected.get(name) != found.get(name)]
            if differing:
                raise SystemExit(f"These files differ: {', '.join(sorted(differing))}")
            row = {"kill": number + 1, "after seconds": round(wait, 2), "cells kept": cells}
            rows.append({**row, "outcome": "same bytes" if killed else "was done already"})
            note(f"kill {number + 1} after {wait:.2f} s: {cells} cells were kept, then the same bytes")
        show(rows)
        size = sum(map(len, expected.values()))
        print(f"{len(expected)} files, {size} bytes, are the same after each of {options.kills} kills.")


if __name__ == "__main__":
    main()
