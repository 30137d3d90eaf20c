"""How long a new user waits: start-up of the command line in multiples of importing scikit-learn's trees.

Each line is a process of its own; `python -c "import sklearn.tree"`, measured before and after, is the unit.
The compiled code goes to a temporary folder, so that the first `demo` compiles everything that it needs. The
bytecode of the modules is there before, as it is after an installation with pip.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

import everytree
from benchmarks.common import note, show, write_csv

COMMAND = "import sys; from everytree.cli import main; sys.exit(main())"
"""What the installed program runs."""
UNIT = (sys.executable, "-c", "import sklearn.tree")
PACKAGE = str(Path(everytree.__file__).parent)
CERTIFY = ("certify", "hiring", "--bias", "flip(1)", "--depth", "1")


@dataclass(frozen=True)
class Took:
    """What a process took: seconds on the clock, and of the processor."""

    clock: float
    processor: float


def run(arguments: Sequence[str], environment: Mapping[str, str]) -> Took:
    """Run a process to its end; one that fails ends the benchmark."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    done = subprocess.run(arguments, env=environment, capture_output=True, text=True, check=False)
    clock, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        raise SystemExit(f"{' '.join(arguments)} ended with {done.returncode}:\n{done.stderr}")
    return Took(clock, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)


def middle(taken: Sequence[Took]) -> Took:
    """The median of several runs."""
    return Took(median(took.clock for took in taken), median(took.processor for took in taken))


def measure(repeats: int) -> list[dict[str, Any]]:
    """Run everything, the unit before and after."""
    found: dict[str, Took] = {}
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "NUMBA_CACHE_DIR": folder}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)

        def several(name: str, *arguments: str, times: int = repeats) -> None:
            note(f"{name} ...")
            found[name] = middle([run(arguments, environment) for _ in range(times)])

        everytree = (sys.executable, "-c", COMMAND)
        run((sys.executable, "-m", "compileall", "-q", PACKAGE), environment)
        run(UNIT, environment)  # the files are read from the disk once before anything counts
        several("unit, before", *UNIT)
        several("everytree --help", *everytree, "--help")
        several("everytree demo, the first time", *everytree, "demo", times=1)
        several("everytree demo, again", *everytree, "demo")
        several("everytree certify hiring, afterwards", *everytree, *CERTIFY)
        several("unit, after", *UNIT)
    unit = middle([found.pop("unit, before"), found.pop("unit, after")])
    return [
        line("import sklearn.tree", unit, unit),
        *(line(name, took, unit) for name, took in found.items()),
    ]


def line(name: str, took: Took, unit: Took) -> dict[str, Any]:
    """One line of the table."""
    return {
        "what": name,
        "clock s": took.clock,
        "clock, multiple": took.clock / unit.clock,
        "processor s": took.processor,
        "processor, multiple": took.processor / unit.processor,
    }


def compiling(rows: Sequence[Mapping[str, Any]]) -> str:
    """Say how much of the first run was compiling: what the second one did not need."""
    first, again = (next(r for r in rows if r["what"].endswith(end)) for end in ("first time", "again"))
    spent, waited = (first[of] - again[of] for of in ("processor s", "clock s"))
    return (
        f"Compiling took {spent:.1f} of the {first['processor s']:.1f} seconds of processor time of the "
        f"first demo, and {waited:.1f} of its {first['clock s']:.1f} seconds on the clock."
    )


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--repeats", type=int, default=3, help="runs of each line, of which the median counts"
    )
    parser.add_argument("--csv", type=Path, help="write the table to this file")
    options = parser.parse_args()
    rows = measure(options.repeats)
    show(rows)
    print(f"\n{compiling(rows)}")
    write_csv(options.csv, rows)
    return 0


if __name__ == "__main__":
    sys.exit(main())
