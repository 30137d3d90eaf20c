"""`everytree certify`: one request from its tables to its verdicts."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal, cast

from everytree.cli.inputs import read_tables
from everytree.cli.outputs import STANDARD_OUTPUT, check_writable, print_for_machines
from everytree.cli.screen import Report, console, notes, show_groups, show_verdicts, sign_of_life
from everytree.errors import EverytreeError

if TYPE_CHECKING:
    from everytree.verdicts import CertificationResult

__all__ = ["Request", "check_depth", "check_limit", "run"]

MEGABYTE = 1e6


@dataclass(frozen=True)
class Request:
    """The options of `everytree certify` as they were given."""

    train: str
    test: str | None
    bias: str
    depth: int
    label: str | None = None
    engine: str = "auto"
    drop: tuple[str, ...] = ()
    categorical: tuple[str, ...] = ()
    encoding: str = "onehot"
    groups: tuple[str, ...] = ()
    time_limit: float | None = None
    memory_limit: float | None = None
    json: str | None = None
    csv: Path | None = None
    quiet: bool = False


def run(request: Request) -> None:
    """Certify, show the summary, write the files."""
    check_depth(request.depth)
    check_limit("--time-limit", "seconds", request.time_limit)
    check_limit("--memory-limit", "megabytes", request.memory_limit)
    check_writable("--json", request.json, ".json")
    check_writable("--csv", request.csv, ".csv")
    screen = console()
    with notes(screen):
        with sign_of_life(screen, quiet=request.quiet) as report:
            result = _certify(request, report)
        if not request.quiet:
            show_verdicts(screen, result)
            if request.groups:
                screen.print()
                show_groups(screen, result.by_group(list(request.groups)))
    if request.csv is not None:
        result.save(request.csv)
    if request.json == STANDARD_OUTPUT:
        print_for_machines(result.to_json(indent=1))
    elif request.json is not None:
        result.save(request.json)


def _certify(request: Request, report: Report) -> CertificationResult:
    started = time.monotonic()
    from sklearn.tree import DecisionTreeClassifier

    from everytree.bias import parse
    from everytree.certification import certify_prepared
    from everytree.explore import Limits
    from everytree.groups import group_frame
    from everytree.learner import prepare

    model = parse(request.bias)
    tables = read_tables(request.train, request.test, request.label)
    prepared = prepare(
        DecisionTreeClassifier(max_depth=request.depth, random_state=0),
        tables.X_train,
        tables.y_train,
        tables.X_test,
        drop=request.drop,
        categorical=request.categorical,
        encoding=cast("Literal['onehot', 'ordinal']", request.encoding),
        label_name=tables.label,
    )
    if request.groups:
        group_frame(list(request.groups), prepared.test.frame)
    deadline = float("inf") if request.time_limit is None else started + request.time_limit
    memory = float("inf") if request.memory_limit is None else request.memory_limit * MEGABYTE
    return certify_prepared(
        prepared, model, engine=request.engine, limits=Limits(deadline, memory), progress=report
    )


def check_depth(depth: int) -> None:
    """Refuse a tree without a split."""
    if depth < 1:
        raise EverytreeError(f"--depth must be a whole number of at least 1; received {depth}.")


def check_limit(option: str, unit: str, value: float | None) -> None:
    """Refuse a limit that leaves nothing."""
    if value is not None and not value > 0:
        raise EverytreeError(
            f"{option} must be a number of {unit} greater than 0; received {value:g}. Leave it out for "
            "no limit."
        )
