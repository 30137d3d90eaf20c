"""Verdicts on edge problems against the user's own estimator, retrained on tables of B(T).

Knows nothing of how the library proves. ``examine`` asks for the verdicts of one problem and looks for
violations: a robust person whose label some allowed table changes, a witness that is not allowed, cannot be
stored or does not change the label, a prediction that is not the estimator's own, an exception that is not an
EverytreeError, and a search that goes on after its time.
"""

from __future__ import annotations

import json
import os
import signal
import traceback
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import clone

from tests.edge_bias import Allowance
from tests.edge_rows import MOST_ROWS, OwnLearner, addable_rows, columns_of, extended, taken
from tests.edge_tables import Table, some_tables
from tests.edge_witness import judge_witness
from tests.edges import EdgeProblem, edge_problem
from tests.oracle import grow_with_sklearn

SECONDS, GRACE = 2.0, 2.0
MEMORY = 2e8
DEEP = np.iinfo(np.int32).max


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


class OutOfTimeError(Exception):
    """A call did not come back in time."""


def examine(problem: EdgeProblem) -> EdgeTally:
    """Ask the library, then look for whatever contradicts it; the first violation of each kind is kept."""
    tally = EdgeTally(problems=1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = _asked(problem, tally)
        if result is not None:
            tally.verdicts.update(map(str, result.verdicts))
            _use(problem, result, tally)
            _judge(problem, result, tally)
    return tally


# ---------------------------------------------------------------- asking


def _asked(problem: EdgeProblem, tally: EdgeTally) -> Any:
    """The library's result, or None if it refused or failed, which is noted."""
    from everytree import certify
    from everytree.errors import EverytreeError, InternalError

    warm_up()
    limits = {"time_limit": SECONDS, "memory_limit": MEMORY if problem.huge else None}
    options = {"engine": problem.engine, "drop": problem.drop, **limits}
    try:
        with _interrupted_after(1.1 * SECONDS + GRACE), _little_memory():
            return certify(
                _estimator(problem), problem.X, problem.y, problem.people, problem.bias, **options
            )
    except InternalError as error:
        tally.violations.append(EdgeViolation("internal error", problem, str(error)))
    except EverytreeError as error:
        tally.refused[type(error).__name__] += 1
    except OutOfTimeError:
        text = f"no answer although the limit was {SECONDS} s\n{traceback.format_exc(limit=-4)}"
        tally.violations.append(EdgeViolation("late", problem, text))
    except Exception:
        tally.violations.append(EdgeViolation("traceback", problem, traceback.format_exc(limit=-4)))
    return None


def _estimator(problem: EdgeProblem) -> Any:
    """The estimator as the library gets it; unfitted, too, where scikit-learn refuses the table."""
    estimator = clone(problem.estimator)
    if problem.fitted:
        with suppress(ValueError, TypeError):
            return clone(estimator).fit(problem.X, np.asarray(problem.y).ravel())
    return estimator


@lru_cache(maxsize=1)
def warm_up() -> None:
    """Compile everything once, outside of any limit."""
    from sklearn.tree import DecisionTreeClassifier

    from everytree import certify

    X, y = [[10, 5], [20, 5], [30, 7], [40, 7]] * 3, [0, 0, 1, 0] * 3
    for engine in ("interval", "auto"):
        for bias in ("flip(1) + miss(1, where x0 > 5) + fake(1)", "flip(2)", "miss(2)", "fake(2)"):
            certify(DecisionTreeClassifier(max_depth=2, random_state=0), X, y, X[:4], bias, engine=engine)


@contextmanager
def _interrupted_after(seconds: float) -> Iterator[None]:
    """Raise OutOfTimeError in the main thread when so much of the processor has been used.

    Not without compilation, which is slow, and not where there are no such alarms.
    """

    def stop(*_: Any) -> None:
        raise OutOfTimeError

    if os.environ.get("NUMBA_DISABLE_JIT") == "1":
        seconds *= 20
    try:
        before = signal.signal(signal.SIGPROF, stop)
    except (AttributeError, ValueError):
        yield
        return
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


@contextmanager
def _little_memory() -> Iterator[None]:
    """Let this process grow by 1 GB at most, so that a mistake ends in a MemoryError (Linux only)."""
    try:
        import resource

        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
    except (ImportError, OSError):
        yield
        return
    before = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + 2**30, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)


def _use(problem: EdgeProblem, result: Any, tally: EdgeTally) -> None:
    """Call whatever people call on a result; nothing of it may fail."""
    witnesses = result.witnesses.values()
    for use in (
        lambda: json.loads(result.to_json()),
        lambda: (result.to_frame(), result.summary(), repr(result)),
        lambda: [(repr(w), w.changes, w.to_frame(problem.X, problem.y)) for w in witnesses],
    ):
        try:
            use()
        except Exception:
            tally.violations.append(EdgeViolation("traceback", problem, traceback.format_exc(limit=-4)))


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
        tally.violations.append(EdgeViolation("traceback", problem, traceback.format_exc(limit=-4)))
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
        masks = [
            part.holds(new, [label] * len(new[0])) for part in miss for label in case.labels.tolist()
        ]
        allowed = np.flatnonzero(np.any(masks, axis=0)[len(case.y) :])
        if len(allowed) > MOST_ROWS:
            allowed = np.sort(rng.choice(allowed, MOST_ROWS, replace=False))
        rows = [rows[i] for i in allowed]
    while True:
        table = extended(problem.X, rows) if rows else problem.X
        try:
            return table, case.own.matrix(_dropping(case, table))
        except (ValueError, TypeError):
            if not rows:
                raise
            rows = [row for row in rows if _encodable(case, row)]


def _dropping(case: Case, table: Any) -> Any:
    from tests.edge_rows import without

    return without(table, case.own.dropped)


def _encodable(case: Case, row: tuple[Any, ...]) -> bool:
    """Whether the user's preprocessing takes a row: an encoder may refuse categories that it never saw."""
    try:
        case.own.matrix(_dropping(case, taken(extended(case.problem.X, [row]), [len(case.y)])))
    except (ValueError, TypeError):
        return False
    return True


def _confirmed(case: Case, table: Any, rows: Table, seed: int, person: int, code: int) -> str:
    """Repeat a training with the estimator's public methods; what it says must be what was found."""
    chosen = _dropping(case, taken(table, [row for row, _ in rows]))
    y = case.labels[[label for _, label in rows]]
    tree = case.own.retrained(chosen, y, seed)
    said = case.code(tree.predict(case.own.encoded(case.own.people))[person])
    if said != code:
        raise AssertionError(
            f"the two ways of training disagree on person {person}: {said}, {code}\n{case.problem.describe()}"
        )
    from tests.edges import show

    return (
        f"person {person} is certified as {case.result.predictions[person]!r}, but random_state={seed} gives "
        f"{case.labels[code]!r} from\n{show(chosen)}\nwith labels {y.tolist()}"
    )


# ---------------------------------------------------------------- many problems


def run(problems: Iterable[EdgeProblem], stop_early: bool = False) -> EdgeTally:
    """Examine problem after problem, if asked only up to the first violation."""
    total = EdgeTally()
    for problem in problems:
        total += examine(problem)
        if stop_early and total.violations:
            break
    return total


def run_seeds(seeds: Iterable[int], focus: dict[str, Any] | None = None, stop_early: bool = False) -> EdgeTally:
    """Examine the problems of these seeds."""
    return run((edge_problem(seed, **(focus or {})) for seed in seeds), stop_early)
