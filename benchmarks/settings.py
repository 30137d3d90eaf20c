"""The settings that people use: how many are accepted, and how many people are decided in them on wine.

`tree_settings_in_use.csv` beside this file lists 254 uses of DecisionTreeClassifier in public code: `uses`
counts equal ones, `in_pipeline` is 1 where the tree is a step of a Pipeline, here behind an imputer and a
scaler.
Every different setting is certified once; shares are of the uses.
"""

from __future__ import annotations

import argparse
import csv
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.common import note, show, write_csv
from benchmarks.unknown import load_table, warm_up
from everytree.support.text import as_number

USED = Path(__file__).with_name("tree_settings_in_use.csv")
BIAS = "flip(1)"
TIME_LIMIT = 10.0
ACCEPTED, DECIDED = 97.0, 85.0
"""Targets, in percent: of the uses accepted, and of the people decided in these."""


@dataclass(frozen=True)
class Use:
    """One line of the file: settings, in a pipeline or not, and how many uses have them."""

    uses: int
    in_pipeline: bool
    settings: tuple[tuple[str, Any], ...]

    def __str__(self) -> str:
        named = ", ".join(f"{name}={value!r}" for name, value in self.settings)
        return f"{'pipeline, ' if self.in_pipeline else ''}tree({named})"

    def estimator(self) -> Any:
        """The tree, alone or behind an imputer and a scaler."""
        from sklearn.impute import SimpleImputer
        from sklearn.pipeline import make_pipeline
        from sklearn.preprocessing import StandardScaler
        from sklearn.tree import DecisionTreeClassifier

        tree = DecisionTreeClassifier(random_state=0, **dict(self.settings))
        return make_pipeline(SimpleImputer(), StandardScaler(), tree) if self.in_pipeline else tree


def read_uses(path: Path) -> Iterator[Use]:
    """Read the file; an empty cell is a setting that was left alone."""
    with path.open(newline="") as file:
        for line in csv.DictReader(file):
            uses, in_pipeline = int(line.pop("uses")), line.pop("in_pipeline") == "1"
            given = tuple((name, as_number(text)) for name, text in line.items() if text)
            yield Use(uses, in_pipeline, given)


def measure(use: Use, time_limit: float) -> dict[str, Any]:
    """Certify one setting, or say why it is refused."""
    from everytree import certify
    from everytree.errors import UnsupportedLearnerError

    started = time.perf_counter()
    row: dict[str, Any] = {"uses": use.uses, "setting": str(use), "accepted": "yes"}
    try:
        result = certify(use.estimator(), *load_table("wine"), BIAS, time_limit=time_limit)
    except UnsupportedLearnerError as error:
        named = [line[2:].partition(":")[0] for line in str(error).split("\n") if line.startswith("- ")]
        return row | {"accepted": "NO: " + ", ".join(named), "decided": None, "seconds": None}
    counts = result.counts()
    decided = 100 * (1 - counts["unknown"] / len(result))
    return row | {"decided": round(decided, 1), "seconds": round(time.perf_counter() - started, 1)}


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.settings", description=__doc__.split("\n")[0])
    parser.add_argument("--uses", type=Path, default=USED, help="another file of settings")
    parser.add_argument("--time-limit", type=float, default=TIME_LIMIT, help="seconds for each setting")
    parser.add_argument("--csv", type=Path, help="also write the table to this file")
    options = parser.parse_args()
    warm_up()
    rows = []
    for use in read_uses(options.uses):
        rows.append(measure(use, options.time_limit))
        note(f"{use}: accepted {rows[-1]['accepted']}, decided {rows[-1]['decided']}")
    show(rows)
    write_csv(options.csv, rows)
    total = sum(row["uses"] for row in rows)
    taken = [row for row in rows if row["decided"] is not None]
    accepted = sum(row["uses"] for row in taken)
    decided = sum(row["uses"] * row["decided"] for row in taken) / max(accepted, 1)
    print(f"accepted: {accepted} of {total} uses, {100 * accepted / total:.1f}% (target {ACCEPTED:g}%)")
    print(f"decided:  {decided:.1f}% of the people in these, on wine with {BIAS} (target {DECIDED:g}%)")


if __name__ == "__main__":
    main()
