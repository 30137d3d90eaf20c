"""Provers with a planted mistake: for each, a wrong verdict whose proof file is rejected by the verification.

Fails if a mistake leads to no such file. A file that is accepted though its claim is wrong is an error.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.truth.planted import is_rejected, planted

from benchmarks.common import note, show


def main() -> None:
    """Plant the mistakes one by one."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help="only mistakes whose name has this text")
    options = parser.parse_args()
    rows = []
    for name, mutant in planted().items():
        if options.only not in name:
            continue
        note(name)
        began = time.perf_counter()
        with TemporaryDirectory() as folder:
            found = is_rejected(mutant, Path(folder))
        said = [line for line in found.output.split("\n") if line.startswith("REJECTED")]
        rows.append(
            {
                "mistake": name,
                "in": mutant.file,
                "file": said[-1] if found.caught else "no wrong claim in a file",
                "s": time.perf_counter() - began,
            }
        )
    show(rows)
    if not all(row["file"].startswith("REJECTED") for row in rows):
        raise SystemExit("a planted mistake was not rejected")


if __name__ == "__main__":
    main()
