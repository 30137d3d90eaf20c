"""Certified, falsified and undecided share of the paper's test tables by `certify` with everything it has.

Each setting has a target for the undecided percent. The time is the library's own limit: proofs take as long
as they take, then deciding the rest of a whole table may take a minute.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.common import CRITERIA, note, require_paper_tables, show, write_csv

GROUPS = {"compas": "african_american == 1 and label == 1", "drug": "gender > 0 and label == 1"}
"""Conditions of the targeted settings."""

KINDS = {
    "flip": (("flip", False),),
    "miss": (("miss", False),),
    "fake": (("fake", False),),
    "miss+fake": (("miss", False), ("fake", False)),
    "miss+flip": (("miss", False), ("flip", False)),
    "targeted flip": (("flip", True),),
    "targeted miss": (("miss", True),),
}
"""Components of each kind of bias: what is done, and whether only to the group."""

PLAN: tuple[tuple[tuple[str, ...], int, tuple[str, ...], str, float], ...] = (
    (("compas", "drug"), 1, ("flip",), "0.05 0.1 0.2 0.4 0.7 1 2 3 5", 0),
    (("compas", "drug"), 1, ("miss", "fake"), "0.1 0.2 0.5 1 2", 0),
    (
        ("compas", "drug"),
        1,
        ("miss+fake", "miss+flip", "targeted flip", "targeted miss"),
        "0.1 0.5 1 2",
        1,
    ),
    (("compas",), 2, ("flip",), "0.1 0.2 0.5 1 2", 0),
    (("drug",), 2, ("flip",), "0.1 0.2 0.5 1", 1),
    (("compas", "drug"), 2, ("miss", "fake"), "0.1 0.5", 3),
    (("adult",), 2, ("flip",), "0.1 0.2 0.4 1", 3),
    (("compas",), 3, ("flip",), "0.1 0.5", 3),
)
"""Tables, depth, kinds, percents of the training rows, and the target: undecided percent at most."""


@dataclass(frozen=True)
class Case:
    """One setting: a table, a depth, a kind of bias, a percent for each of its components, and a target."""

    table: str
    depth: int
    kind: str
    percent: str
    target: float

    @property
    def bias(self) -> str:
        """The bias model as text."""
        parts = (
            f"{what}({self.percent}%{f', where {GROUPS[self.table]}' if targeted else ''})"
            for what, targeted in KINDS[self.kind]
        )
        return " + ".join(parts)

    def __str__(self) -> str:
        return f"{self.table} depth {self.depth} {self.kind} {self.percent}%"


def cases() -> Iterator[Case]:
    """All settings that have a target."""
    for tables, depth, kinds, percents, target in PLAN:
        for table in tables:
            for kind in kinds:
                for percent in percents.split():
                    yield Case(table, depth, kind, percent, target)


def add_choice(parser: argparse.ArgumentParser) -> None:
    """Add the options by which settings are chosen."""
    tables = sorted({case.table for case in cases()})
    parser.add_argument("--table", nargs="+", choices=tables, help="only these tables")
    parser.add_argument("--depth", nargs="+", type=int, choices=(1, 2, 3), help="only these depths")
    parser.add_argument("--kind", nargs="+", choices=list(KINDS), help="only these kinds of bias")
    parser.add_argument("--percent", nargs="+", help="only these percents, as in the table")
    parser.add_argument("--jobs", type=int, default=1, help="processes; more make each one slower")


def chosen_cases(options: argparse.Namespace) -> list[Case]:
    """Settings that the options ask for."""
    wanted = (options.table, options.depth, options.kind, options.percent)

    def asked_for(case: Case) -> bool:
        of_case = (case.table, case.depth, case.kind, case.percent)
        return all(w is None or value in w for w, value in zip(wanted, of_case, strict=True))

    found = [case for case in cases() if asked_for(case)]
    if not found:
        raise SystemExit("No setting has all of these; leave some of the options out.")
    return found


def certified(case: Case, time_limit: float | None, criterion: str = "gini") -> tuple[Any, Any]:
    """The table, and what `certify` says about it."""
    from sklearn.tree import DecisionTreeClassifier

    from everytree import certify
    from everytree.datasets import load_paper

    data = load_paper(case.table)
    tree = DecisionTreeClassifier(criterion=criterion, max_depth=case.depth, random_state=0)
    tables = (data.X_train, data.y_train, data.X_test)
    return data, certify(tree, *tables, case.bias, engine="auto", time_limit=time_limit)


def measure(task: tuple[Case, float | None, str]) -> dict[str, Any]:
    case = task[0]
    _, result = certified(*task)
    shares = 100 * result.counts() / len(result)
    open_people = int(result.counts()["unknown"])
    return {
        "table": case.table,
        "depth": case.depth,
        "bias": f"{case.kind} {case.percent}%",
        "certified": f"{shares['robust']:.1f}",
        "falsified": f"{shares['not robust']:.1f}",
        "undecided": f"{shares['unknown']:.1f}",
        "people": open_people,
        "target": f"{case.target:g}",
        "met": "yes" if shares["unknown"] <= case.target else "NO",
        "seconds": f"{result.statistics['seconds']:.1f}",
        "programs": int(result.statistics.get("programs", 0)),
    }


def say_which_missed(found: Sequence[Case], rows: Sequence[dict[str, Any]]) -> None:
    """Print the last line: which targets were missed."""
    missed = [
        f"{case} ({row['undecided']}%)" for case, row in zip(found, rows, strict=True) if row["met"] == "NO"
    ]
    print(f"{len(rows)} settings; targets missed: {', '.join(missed) or 'none'}")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.decide", description=__doc__.split("\n")[0])
    add_choice(parser)
    parser.add_argument("--time-limit", type=float, help="seconds for a whole table, proofs included")
    parser.add_argument("--criterion", choices=CRITERIA, default="gini", help="of the tree")
    parser.add_argument("--csv", type=Path, help="also write the table to this file")
    options = parser.parse_args()
    require_paper_tables()
    found, rows = chosen_cases(options), []
    with ProcessPoolExecutor(options.jobs) as pool:
        tasks = [(case, options.time_limit, options.criterion) for case in found]
        for case, row in zip(found, pool.map(measure, tasks), strict=True):
            note(f"{len(rows) + 1}/{len(found)} {case}: {row['undecided']}% undecided, {row['seconds']} s")
            rows.append(row)
    show(rows)
    say_which_missed(found, rows)
    write_csv(options.csv, rows)


if __name__ == "__main__":
    main()
