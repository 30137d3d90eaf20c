"""Verdicts on edge problems against the user's own estimator, retrained on tables of B(T).

Knows nothing of how the library proves. ``examine`` asks for the verdicts of one problem and looks for
violations: a robust person whose label some allowed table changes, a witness that is not allowed, cannot be
stored or does not change the label, a prediction that is not the estimator's own, an exception that is not an
EverytreeError, and a search that goes on after its time.
"""

from __future__ import annotations

import traceback
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sklearn.base import clone

from tests.truth.edge_asking import INTERNAL, TRACEBACK, ask
from tests.truth.edge_bias import Allowance
from tests.truth.edge_rows import MOST_ROWS, OwnLearner, addable_rows, columns_of, extended, taken, without
from tests.truth.edge_tables import Table, some_tables
from tests.truth.edge_witness import judge_witness
from tests.truth.edges import EdgeProblem, edge_problem, show
from tests.truth.oracle import grow_with_sklearn

DEEP = np.iinfo(np.int32).max
WRONG = ("prediction", "robust", "witness", INTERNAL)


@dataclass(frozen=True)
class EdgeViolation:
    """Something that must not happen: its kind, where, and what exactly."""

    kind: str
    problem: EdgeProblem
    text: str

    def __str__(self) -> str:
        return f"{self.kind}: {self.text}\n{self.problem.describe()}"


@dataclass
class EdgeTally:
    """What a campaign has seen; tallies of several runs add up."""

    problems: int = 0
    verdicts: Counter[str] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)
    unjudged: int = 0  # verdicts where scikit-learn itself refuses what the library took
    tables: int = 0
    trainings: int = 0
    witnesses: int = 0
    violations: list[EdgeViolation] = field(default_factory=list)

    def __add__(self, other: EdgeTally) -> EdgeTally:
        return EdgeTally(**{name: value + getattr(other, name) for name, value in vars(self).items()})

    def __str__(self) -> str:
        def listed(counter: Counter[str]) -> str:
            return ", ".join(f"{name} {count}" for name, count in counter.most_common()) or "none"

        kinds = Counter(violation.kind for violation in self.violations)
        return (
            f"problems {self.problems}, verdicts: {listed(self.verdicts)}; refused: {listed(self.refused)}; "
            f"unjudged {self.unjudged}, witnesses {self.witnesses}, tables {self.tables}, "
            f"trainings {self.trainings}, violations {len(self.violations)} ({listed(kinds)})"
        )


def examine(problem: EdgeProblem, certifier: Callable[..., Any] | None = None) -> EdgeTally:
    """Ask the library (or another certifier), then look for whatever contradicts it."""
    tally = EdgeTally(problems=1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        answer = ask(problem, certifier)
        tally.refused.update([answer.refused] if answer.refused else [])
        tally.violations += [EdgeViolation(kind, problem, text) for kind, text in answer.wrong]
        if answer.result is not None:
            tally.verdicts.update(map(str, answer.result.verdicts))
            _judge(problem, answer.result, tally)
    return tally


# ---------------------------------------------------------------- judging


class Case:
    """What the judges of one problem share."""

    def __init__(self, problem: EdgeProblem, result: Any) -> None:
        self.problem, self.result = problem, result
        self.own = OwnLearner(problem)
        self.y = np.asarray(problem.y).ravel()
        if self.y.dtype.kind == "O" and not isinstance(self.y[0], str):
            self.y = np.array(self.y.tolist())
        self.labels, self.codes = np.unique(self.y, return_inverse=True)
        self.people = self.own.matrix(self.own.people)
        depth = self.own.tree.max_depth
        self.depth = DEEP if depth is None else depth

    def code(self, label: Any) -> int:
        """The place of a label among the sorted ones, or -1."""
        found = np.flatnonzero(self.labels == label)
        return int(found[0]) if len(found) else -1

    def predictions(self) -> list[int]:
        """What the user's own estimator says."""
        own = self.own
        if own.documented or own.dropped:
            answer = own.retrained(own.X, self.y, own.tree.random_state).predict(own.encoded(own.people))
        else:
            answer = clone(self.problem.estimator).fit(self.problem.X, self.y).predict(self.problem.people)
        return [self.code(label) for label in answer]

    def says(self, matrix: np.ndarray, codes: np.ndarray, seed: int) -> list[int]:
        """What the tree says to the people after training on float32 rows, without scikit-learn's checks."""
        state = np.random.RandomState(seed)
        grown = grow_with_sklearn(matrix, codes, len(self.labels), self.depth, state)
        return [int(code) for code in grown(self.people)]


def _judge(problem: EdgeProblem, result: Any, tally: EdgeTally) -> None:
    try:
        case = Case(problem, result)
        predictions = case.predictions()
    except (ValueError, TypeError):  # scikit-learn refuses what the library took: nothing to compare with
        tally.unjudged += 1
        return
    claimed = [case.code(label) for label in result.predictions]
    if claimed != predictions and case.own.tree.random_state is not None:
        text = f"the estimator says {case.labels[predictions]}, the library {result.predictions}"
        tally.violations.append(EdgeViolation("prediction", problem, text))
        return
    try:
        for person, witness in result.witnesses.items():
            tally.witnesses += 1
            wrong = judge_witness(case, person, witness)
            if wrong:
                tally.violations.append(EdgeViolation("witness", problem, f"person {person}: {wrong}"))
                break
    except Exception:
        tally.violations.append(EdgeViolation(TRACEBACK, problem, traceback.format_exc(limit=-4)))
    robust = [p for p, verdict in enumerate(result.verdicts) if str(verdict) == "robust"]
    if robust:
        wrong = _find_change(case, robust, claimed, tally)
        if wrong:
            tally.violations.append(EdgeViolation("robust", problem, wrong))


def _find_change(case: Case, robust: list[int], claimed: list[int], tally: EdgeTally) -> str:
    """Search B(T) for a table that gives a robust person another label; empty if there is none."""
    rng = np.random.default_rng(0)
    table, matrix = _all_rows(case, rng)
    columns = columns_of(table)
    allowance = Allowance.of(case.problem.parts, columns, case.labels.tolist(), case.codes)
    seeds = [case.own.tree.random_state or 0, 17]
    for rows in some_tables(allowance, case.codes, rng):
        tally.tables += 1
        numbers = np.fromiter((row for row, _ in rows), np.int64, len(rows))
        codes = np.fromiter((label for _, label in rows), np.int64, len(rows))
        for seed in seeds:
            tally.trainings += 1
            says = case.says(matrix[numbers], codes, seed)
            person = next((p for p in robust if says[p] != claimed[p]), None)
            if person is not None:
                return _confirmed(case, table, rows, seed, person, says[person])
    return ""


def _all_rows(case: Case, rng: np.random.Generator) -> tuple[Any, np.ndarray]:
    """The training table with rows that might be added at its end, and the same as the tree sees it."""
    problem = case.problem
    miss = [part for part in problem.parts if part.kind == "miss"]
    rows = addable_rows(problem, case.own, rng) if miss else []
    if rows:
        new = columns_of(extended(problem.X, rows))
        masks = [part.holds(new, [label] * len(new[0])) for part in miss for label in case.labels.tolist()]
        allowed = np.flatnonzero(np.any(masks, axis=0)[len(case.y) :])
        if len(allowed) > MOST_ROWS:
            allowed = np.sort(rng.choice(allowed, MOST_ROWS, replace=False))
        rows = [rows[i] for i in allowed]
    while True:
        table = extended(problem.X, rows) if rows else problem.X
        try:
            return table, case.own.matrix(without(table, case.own.dropped))
        except (ValueError, TypeError):
            if not rows:
                raise
            rows = [row for row in rows if _encodable(case, row)]


def _encodable(case: Case, row: tuple[Any, ...]) -> bool:
    """Whether the user's preprocessing takes a row: an encoder may refuse categories that it never saw."""
    try:
        new = taken(extended(case.problem.X, [row]), [len(case.y)])
        case.own.matrix(without(new, case.own.dropped))
    except (ValueError, TypeError):
        return False
    return True


def _confirmed(case: Case, table: Any, rows: Table, seed: int, person: int, code: int) -> str:
    """Repeat a training with the estimator's public methods; what it says must be what was found."""
    chosen = without(taken(table, [row for row, _ in rows]), case.own.dropped)
    y = case.labels[[label for _, label in rows]]
    tree = case.own.retrained(chosen, y, seed)
    said = case.code(tree.predict(case.own.encoded(case.own.people))[person])
    if said != code:
        raise AssertionError(
            f"the two ways of training disagree on person {person}: {said}, {code}\n{case.problem.describe()}"
        )
    return (
        f"person {person} is certified as {case.result.predictions[person]!r}, but random_state={seed} gives "
        f"{case.labels[code]!r} from\n{show(chosen)}\nwith labels {y.tolist()}"
    )


# ---------------------------------------------------------------- many problems


def run(problems: Iterable[EdgeProblem], hunting: bool = False) -> EdgeTally:
    """Examine problem after problem.

    ``hunting`` is for planted mistakes: it stops at the first wrong answer, and a traceback is no catch.
    """
    total = EdgeTally()
    for problem in problems:
        tally = examine(problem)
        if hunting:
            crash = next((v for v in tally.violations if v.kind == TRACEBACK), None)
            if crash is not None:
                raise RuntimeError(str(crash))
            tally.violations = [v for v in tally.violations if v.kind in WRONG]
        total += tally
        if hunting and total.violations:
            break
    return total


def run_seeds(
    seeds: Iterable[int], focus: Mapping[str, Any] | None = None, hunting: bool = False
) -> EdgeTally:
    """Examine the problems of these seeds."""
    return run((edge_problem(seed, **(focus or {})) for seed in seeds), hunting)
