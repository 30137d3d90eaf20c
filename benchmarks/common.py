"""What the benchmarks share: finding the paper's tables, printing tables, notes, child processes.

Nothing heavy is imported here, so that a benchmark that starts child processes stays small itself.
"""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

FOLDER_VARIABLE = "EVERYTREE_DATA"

CRITERIA = ("gini", "entropy", "log_loss")
"""Of the trees that are certified."""


def require_paper_tables() -> None:
    """End the program with a message unless the folder of the paper's tables is known."""
    if not os.environ.get(FOLDER_VARIABLE):
        note(f"Skipped: set {FOLDER_VARIABLE} to the folder with the paper's tables (compas/train.csv, ...).")
        raise SystemExit(0)


def note(text: str) -> None:
    """Report progress on standard error."""
    print(text, file=sys.stderr, flush=True)


def show(rows: Sequence[Mapping[str, Any]]) -> None:
    """Print rows with the same keys as an aligned table."""
    if not rows:
        return
    lines = [list(rows[0])] + [[_text(value) for value in row.values()] for row in rows]
    widths = [max(len(line[c]) for line in lines) for c in range(len(lines[0]))]
    numeric = [all(_is_number(row[key]) for row in rows) for key in rows[0]]
    for line in lines:
        cells = [
            cell.rjust(width) if right else cell.ljust(width)
            for cell, width, right in zip(line, widths, numeric, strict=True)
        ]
        print("  ".join(cells).rstrip())
    sys.stdout.flush()


def write_csv(path: Path | None, rows: Sequence[Mapping[str, Any]]) -> None:
    """Write rows to a file, if one is asked for."""
    if path is None or not rows:
        return
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    note(f"wrote {path}")


def _is_number(value: Any) -> bool:
    return value is None or (isinstance(value, int | float) and not isinstance(value, bool))


def _text(value: Any) -> str:
    if value is None:
        return "-"
    if isinstance(value, float):
        return f"{value:.1f}" if abs(value) >= 1 or value == 0 else f"{value:.3f}"
    return str(value)


def in_fresh_process(module: str, task: Mapping[str, Any]) -> dict[str, Any]:
    """Run ``python -m MODULE --child TASK`` and read the JSON object that it prints last.

    A new interpreter makes peak memory a figure of this one task.
    """
    command = [sys.executable, "-m", module, "--child", json.dumps(task)]
    done = subprocess.run(command, stdout=subprocess.PIPE, check=False, text=True)
    if done.returncode != 0:
        raise SystemExit(f"{module}: the child process for {task} ended with code {done.returncode}")
    answer: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return answer


def peak_memory() -> float:
    """Peak resident memory of this process so far, in MB (2 ** 20 bytes)."""
    import resource

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / 2**20 if sys.platform == "darwin" else peak / 2**10
