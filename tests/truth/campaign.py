"""The library's proofs against the oracle, on many small problems.

``examine`` asks the library for its verdicts on a problem and, when it certified somebody, enumerates every
table of B(T) in search of a violation: a certified point that some learned tree labels differently.

    python -m tests.truth.campaign --problems 2000 --seed 0 --engine interval --jobs 2
"""

from __future__ import annotations

import argparse
import json
import sys
import time
import traceback
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np

from tests.truth.holes import holes_picked
from tests.truth.mixed import mixed_problem
from tests.truth.oracle import Learner, Table
from tests.truth.problems import (
    Problem,
    hand_picked,
    random_problem,
    weighted_problems,
    with_criterion,
    without_gain,
)
from tests.truth.proof_claims import file_is_rejected, file_verdicts, verified_verdicts

LONGEST = 50  # rows of a table that a worker by itself is examined on
SECONDS = 0.5  # for all workers together; programs by themselves have three quarters of one
VIOLATION, SELF_CHECK = 3, 4  # exit codes: a wrong proof; the library itself noticed that a proof is wrong


@dataclass(frozen=True)
class Violation:
    """A certified point that a tree learned from an allowed table labels differently."""

    problem: Problem
    point: int
    certified: int
    reachable: frozenset[int]
    table: Table

    def __str__(self) -> str:
        rows = "\n".join(f"  {list(values)} -> {label}" for values, label in self.table)
        return (
            f"point {self.point} {self.problem.points[self.point].tolist()} is certified as "
            f"{self.certified}, but can be {sorted(self.reachable)}\n"
            f"{self.problem.describe()}\nfrom the table\n{rows}"
        )


@dataclass
class Tally:
    """What a campaign has seen; tallies of several runs add up."""

    problems: int = 0
    certifying: int = 0  # problems with at least one certified point
    points: int = 0
    certified: int = 0
    tables: int = 0
    trainings: int = 0
    violations: list[Violation] = field(default_factory=list)

    def __add__(self, other: Tally) -> Tally:
        return Tally(**{name: value + getattr(other, name) for name, value in vars(self).items()})

    def __str__(self) -> str:
        return (
            f"problems {self.problems} ({self.certifying} with a certified point), "
            f"certified points {self.certified} of {self.points}, tables {self.tables}, "
            f"trainings {self.trainings}, violations {len(self.violations)}"
        )


# A certifier answers (certified?, predicted label) for every test point of a problem.
Certifier = Callable[[Problem], Sequence[tuple[bool, int]]]


def library_verdicts(problem: Problem, engine: str, **options: Any) -> list[tuple[bool, int]]:
    """What everytree says."""
    from sklearn.tree import DecisionTreeClassifier

    from everytree import certify

    tree = DecisionTreeClassifier(random_state=problem.random_state, **problem.parameters())
    result = certify(tree, problem.X, problem.y, problem.points, problem.bias(), engine=engine, **options)
    pairs = zip(result.verdicts, result.predictions, strict=True)
    return [(str(verdict) == "robust", int(label)) for verdict, label in pairs]


def worker_verdicts(problem: Problem, worker: str, seconds: float = 5.0) -> list[tuple[bool, int]]:
    """What one worker of a decision proves by itself: every table tried, or path programs."""
    from sklearn.tree import DecisionTreeClassifier

    from everytree.bias import as_bias, resolve
    from everytree.learner import prepare
    from everytree.paths.deciding import Programs
    from everytree.prove.problem import People
    from everytree.prove.problem import Problem as Question
    from everytree.refute import side_by_side
    from everytree.refute.every_table import EveryTable
    from everytree.refute.judge import Judge
    from everytree.refute.whole_tables import WholeTables
    from everytree.support.clock import now
    from everytree.support.limits import Limits

    if len(problem.y) > LONGEST:
        return [(False, 0)] * len(problem.points)
    tree = DecisionTreeClassifier(random_state=0, **problem.parameters())
    prepared = prepare(tree, problem.X, problem.y, problem.points)
    train, people = prepared.train, People(prepared.test.X, prepared.predictions)
    resolved = resolve(as_bias(problem.bias()), train)
    question = Question.of(train, resolved, prepared.learner.settings, people=prepared.test.X)
    judge = Judge(question, prepared.learner.new_tree, people)
    if worker == "programs":
        steps = Programs(question, judge, Limits.of(seconds)).steps()
    else:
        tables = EveryTable if EveryTable.is_possible(question) else WholeTables
        steps = tables(question, judge).steps() if tables.is_possible(question) else iter(())
    longest = now() + 3 * seconds  # trees without a depth limit have no end of paths
    with patch.multiple(side_by_side, WORTHWHILE=0, MANY=0):  # two threads, as on large tables
        for _ in steps:
            if worker == "programs" and now() > longest:
                break
    labels = train.labels[prepared.predictions]
    return [(bool(proved), int(label)) for proved, label in zip(judge.proved, labels, strict=True)]


def part_verdicts(problem: Problem, part: str) -> list[tuple[bool, int]]:
    """What is proved by a part of the walk: screening before any child is visited, claims, or twins."""
    from sklearn.tree import DecisionTreeClassifier

    from everytree.bias import as_bias, resolve
    from everytree.learner import prepare
    from everytree.prove.candidates import has_claims
    from everytree.prove.engines import RelationalEngine
    from everytree.prove.problem import People
    from everytree.prove.problem import Problem as Question
    from everytree.prove.twins import kept_by_twins, twins_decide
    from everytree.prove.walk import Walk

    tree = DecisionTreeClassifier(random_state=0, **problem.parameters())
    prepared = prepare(tree, problem.X, problem.y, problem.points)
    train, people = prepared.train, People(prepared.test.X, prepared.predictions)
    resolved = resolve(as_bias(problem.bias()), train)
    question = Question.of(train, resolved, prepared.learner.settings, people=prepared.test.X)
    labels = train.labels[prepared.predictions]
    if part == "twins":
        proved = kept_by_twins(question, people) & twins_decide(question)
    elif part == "claims":
        proved = np.zeros(len(people), np.bool_)
        for screened_from in (0.0, np.inf) if has_claims(question) else ():
            walk = Walk(question, people, RelationalEngine(claims=True), screened_from=screened_from)
            for _ in walk.steps():
                pass
            proved |= walk.finished & (walk.tally.possible.sum(axis=1) == 1)
    else:
        walk = Walk(question, people, RelationalEngine(), screened_from=0.0)
        for _ in walk.steps():
            if walk.only_postponed:
                break
        proved = walk.finished & (walk.tally.possible.sum(axis=1) == 1)
    proved = proved & ~question.close.blurred(people.X)
    return [(bool(safe), int(label)) for safe, label in zip(proved, labels, strict=True)]


def all_verdicts(problem: Problem) -> list[tuple[bool, int]]:
    """Whom anybody proves: engines and workers alone, all of them together for a while, and the check.

    Together, attacks leave only few people to be proved wrongly; alone, every worker answers for all.
    """
    found = [library_verdicts(problem, engine) for engine in ("interval", "relational")]
    found += [worker_verdicts(problem, worker, SECONDS / 2) for worker in ("tables", "programs")]
    found += [part_verdicts(problem, part) for part in ("screening", "claims", "twins")]
    found.append(check_verdicts(problem))
    found.append(library_verdicts(problem, "auto", time_limit=SECONDS))
    return [max(each) for each in zip(*found, strict=True)]


def check_verdicts(problem: Problem) -> list[tuple[bool, int]]:
    """What the independent check confirms."""
    from sklearn.tree import DecisionTreeClassifier

    from everytree.checker import check
    from everytree.learner import prepare

    tree = DecisionTreeClassifier(random_state=0, **problem.parameters())
    prepared = prepare(tree, problem.X, problem.y, problem.points)
    labels = prepared.train.labels[prepared.predictions]
    return [(check(prepared, problem.bias(), p).confirmed, int(label)) for p, label in enumerate(labels)]


OTHERS: dict[str, Certifier] = {
    "all": all_verdicts,
    "check": check_verdicts,
    "programs": partial(worker_verdicts, worker="programs"),
    "tables": partial(worker_verdicts, worker="tables"),
    "screening": partial(part_verdicts, part="screening"),
    "claims": partial(part_verdicts, part="claims"),
    "twins": partial(part_verdicts, part="twins"),
    "files": partial(file_verdicts, by="walk"),
    "path files": partial(file_verdicts, by="paths"),
    "table files": partial(file_verdicts, by="tables"),
    "change files": partial(file_verdicts, by="changes"),
    "twin files": partial(file_verdicts, by="twins"),
    "verified": verified_verdicts,
}
"""Certifiers with a name, besides the library's engines: the check, workers of a decision alone, parts of
the walk, and the verification of proof files that claim everybody."""


def examine(problem: Problem, engine: str | Certifier, seeds: int = 2) -> Tally:
    """Compare one problem's verdicts with every table of B(T); stop at the first violation.

    ``engine`` is the name of one of the library's engines or of `OTHERS`, a certifier of your own, "bounds"
    for the inequality below the relational engine, "check bounds" for those of the check, "known nodes" for
    what is known of nodes, "witnesses" for cases of `tests.truth.witnesses`, "metrics" for ranges of metrics,
    or one of `PLANTED`.
    """
    if engine == "metrics":
        from tests.truth.metric_oracle import examine_problem

        wrong = examine_problem(problem)
        return Tally(problems=1, certifying=1, violations=[wrong] if wrong else [])
    if engine == "bounds":
        from tests.truth.inequality import examine_bounds

        return examine_bounds(problem)
    if engine == "check bounds":
        from tests.truth.checker_bounds import examine_check_bounds

        return examine_check_bounds(problem)
    if engine == "known nodes":
        from tests.truth.known import examine_known

        return examine_known(problem)
    if engine == "witnesses":
        from tests.truth.witnesses import examine_witnesses

        return examine_witnesses(problem)  # type: ignore[arg-type]
    if engine in PLANTED:
        return _examine_planted(problem, engine)
    if isinstance(engine, str):
        engine = OTHERS.get(engine) or partial(library_verdicts, engine=engine)
    try:
        verdicts = engine(problem)
    except Exception as error:
        error.add_note(problem.describe())
        raise
    claims = {i: label for i, (certified, label) in enumerate(verdicts) if certified}
    tally = Tally(problems=1, certifying=int(bool(claims)), points=len(verdicts), certified=len(claims))
    if not claims:
        return tally
    learner = Learner(problem.points, problem.y, problem.depth, seeds, problem.stops)
    for table in problem.tables():
        tally.tables += 1
        possible = learner.possible_labels(table)
        wrong = next((i for i, label in claims.items() if possible[i] != {label}), None)
        if wrong is not None:
            tally.violations.append(Violation(problem, wrong, claims[wrong], possible[wrong], table))
            break
    tally.trainings = learner.trainings
    return tally


PLANTED = {"planted walk": ("relational", "walk"), "planted paths": ("programs", "paths")}
"""Provers with a mistake, and how they write it down: a catch is a wrong verdict whose file is rejected."""


def _examine_planted(problem: Problem, engine: str) -> Tally:
    """Look for a wrong verdict; it counts if the provers put it into a file, which must be rejected."""
    prover, by = PLANTED[engine]
    tally = examine(problem, prover)
    if tally.violations and not file_is_rejected(problem, tally.violations[0].point, by):
        tally.violations.clear()
    return tally


def check(problem: Problem, engine: str | Certifier, seeds: int = 2) -> Violation | None:
    """The first violation of a problem, or None."""
    return next(iter(examine(problem, engine, seeds).violations), None)


def run(problems: Iterable[Problem], engine: str | Certifier, stop_early: bool = False) -> Tally:
    """Examine problem after problem, if asked only up to the first violation."""
    total = Tally()
    for problem in problems:
        total += examine(problem, engine)
        if stop_early and total.violations:
            break
    return total


# ---------------------------------------------------------------- command line


def run_seeds(
    seeds: range, engine: str | Certifier, focus: dict | None = None, stop_early: bool = False
) -> Tally:
    """Examine the random problems of these seeds; ``{"mixed": True}`` in the focus mixes all settings."""
    told = dict(focus or {})
    draw: Callable[..., Problem] = mixed_problem if told.pop("mixed", False) else random_problem
    if engine == "witnesses":
        from tests.truth.witnesses import random_case

        draw = random_case  # type: ignore[assignment]
    return run((draw(seed, **told) for seed in seeds), engine, stop_early)


def run_in_parallel(seeds: range, engine: str, focus: dict, jobs: int) -> Tally:
    """The same in several processes."""
    chunks = [seeds[i : i + 50] for i in range(0, len(seeds), 50)]
    with ProcessPoolExecutor(jobs) as pool:
        return sum(pool.map(partial(run_seeds, engine=engine, focus=focus), chunks), Tally())


def _arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m tests.truth.campaign", description=__doc__.split("\n")[0]
    )
    parser.add_argument("--problems", type=int, default=1000, help="how many random problems")
    parser.add_argument("--seed", type=int, default=0, help="seed of the first problem")
    parser.add_argument("--engine", default="interval", help="engine of the library, edges or pipelines")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument("--focus", type=json.loads, default={}, help="JSON arguments for its problems")
    parser.add_argument("--hand-picked", action="store_true", help="examine the hand-picked problems first")
    parser.add_argument("--stop-early", action="store_true", help="stop at the first violation")
    parser.add_argument("--package-in", type=Path, help="fail unless everytree is imported from this folder")
    return parser.parse_args(argv)


def _require_package_in(folder: Path) -> None:
    import everytree

    found = Path(everytree.__file__).resolve()
    if not found.is_relative_to(folder.resolve()):
        raise SystemExit(f"everytree was imported from {found}, not from {folder}")


def _hand_picked(engine: str, focus: dict[str, Any]) -> list[Problem]:
    if focus.get("unlimited"):
        limited = _hand_picked(engine, {name: value for name, value in focus.items() if name != "unlimited"})
        return [replace(problem, depth=None) for problem in limited]
    criterion = focus.get("criterion", "gini")
    if "holes" in focus:
        return [with_criterion(problem, criterion) for problem in holes_picked()]
    if "weights" in focus:
        return weighted_problems(criterion)
    if engine != "witnesses":
        picked = [with_criterion(problem, criterion) for problem in hand_picked()]
        return [without_gain(), *picked] if criterion == "entropy" else picked
    from tests.truth.witnesses import hand_picked_cases

    return hand_picked_cases()  # type: ignore[return-value]


def _run_as_told(options: argparse.Namespace) -> Any:
    if options.engine == "edges":
        from tests.truth.edge_oracle import run_seeds as run_edges

        seeds = range(options.seed, options.seed + options.problems)
        return run_edges(seeds, options.focus, hunting=options.stop_early)
    if options.engine == "pipelines":
        from tests.truth.pipelines import run_pipelines

        seeds = range(options.seed, options.seed + options.problems)
        return run_pipelines(seeds, options.stop_early, **options.focus)
    total = Tally()
    if options.hand_picked:
        total = run(
            _hand_picked(options.engine, options.focus),
            options.engine,
            options.stop_early,
        )
    if not (options.stop_early and total.violations):
        seeds = range(options.seed, options.seed + options.problems)
        if options.jobs > 1 and not options.stop_early:
            total += run_in_parallel(seeds, options.engine, options.focus, options.jobs)
        else:
            total += run_seeds(seeds, options.engine, options.focus, options.stop_early)
    return total


def main(argv: Sequence[str] | None = None) -> int:
    """Run a campaign; tell by the exit code whether there was a violation or a self-check failed."""
    options = _arguments(argv)
    if options.package_in is not None:
        _require_package_in(options.package_in)
    start = time.perf_counter()
    try:
        total = _run_as_told(options)
    except Exception as error:
        if type(error).__name__ != "InternalError":
            raise
        traceback.print_exc(file=sys.stdout)
        return SELF_CHECK
    seconds = time.perf_counter() - start
    for violation in total.violations:
        print(violation, end="\n\n")
    print(total)
    rates = f"{total.problems / seconds:.0f} problems/s, {total.trainings / seconds:.0f} trainings/s"
    print(f"{seconds:.1f} s, {rates}")
    return VIOLATION if total.violations else 0


if __name__ == "__main__":
    sys.exit(main())
