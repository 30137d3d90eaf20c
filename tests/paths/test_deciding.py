"""Decided people on real tables: targets are met, witnesses confirmed from outside, solvers not trusted.

`benchmarks.decide` has the settings and `benchmarks.confirm` the checks, which know nothing of how witnesses
are found. The tests of small tables against every table of the bias model are elsewhere.
"""

from __future__ import annotations

import os
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from benchmarks.confirm import Allowed, attack_certified, check_witnesses, why_outside
from benchmarks.decide import Case, cases, certified
from scipy.optimize import linprog
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.tree import DecisionTreeClassifier

from everytree import certify
from everytree.datasets import load, load_paper
from everytree.errors import EverytreeError
from everytree.paths import deciding
from everytree.paths.program import Changes, Program, Solver
from everytree.paths.search import IMPOSSIBLE, TAKEN, PathSearch
from everytree.refute.attacks import Attack
from everytree.refute.every_table import EveryTable
from everytree.refute.whole_tables import WholeTables

needs_paper = pytest.mark.skipif(
    not os.environ.get("EVERYTREE_DATA"), reason="EVERYTREE_DATA does not name the paper's tables"
)
CERTIFIED = {
    ("compas", 1, "flip"): {
        "0.1": 89.0,
        "1": 71.5,
        "2": 50.5,
        "5": 0.7,
    },
    ("compas", 2, "flip"): {"0.1": 76.8, "0.5": 60.1, "2": 19.1},
}
"""Certified percent where nobody is undecided: these figures are exact."""

OTHERS = {
    ("compas", 1, "miss"): ("2",),
    ("compas", 1, "fake"): ("2",),
    ("compas", 1, "miss+fake"): ("1",),
    ("compas", 1, "miss+flip"): ("1",),
    ("compas", 1, "targeted flip"): ("1",),
    ("compas", 1, "targeted miss"): ("2",),
    ("drug", 1, "flip"): ("1", "5"),
    ("drug", 1, "miss"): ("1",),
    ("drug", 1, "fake"): ("2",),
    ("drug", 1, "miss+flip"): ("2",),
    ("drug", 1, "targeted flip"): ("1",),
    ("drug", 1, "targeted miss"): ("1",),
    ("drug", 2, "flip"): ("0.5",),
    ("drug", 2, "fake"): ("0.5",),
    ("compas", 2, "miss"): ("0.5",),
    ("adult", 2, "flip"): ("0.2",),
}
CHOSEN = {key: tuple(percents) for key, percents in CERTIFIED.items()} | OTHERS
CASES = [c for c in cases() if c.percent in CHOSEN.get((c.table, c.depth, c.kind), ())]
SOME = [c for c in CASES if c.percent in ("1", "0.5") and c.depth == 1 and "miss" not in c.kind]


@cache
def answer(case):
    return certified(case, None)


def find(table, depth, kind, percent):
    return next(c for c in cases() if (c.table, c.depth, c.kind, c.percent) == (table, depth, kind, percent))


# ---------------------------------------------------------------- the paper's tables


@needs_paper
@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_setting_of_the_paper_is_decided_rightly(case):
    """In one test: the target is met, every witness is confirmed, nobody certified falls to an attack."""
    _, result = answer(case)
    shares = 100 * result.counts() / len(result)
    assert shares["unknown"] <= case.target
    known = CERTIFIED.get((case.table, case.depth, case.kind), {}).get(case.percent)
    if known is not None:
        assert result.counts()["unknown"] == 0
        assert round(shares["robust"], 1) == known
    confirmed, total, wrong = check_witnesses(case, *answer(case))
    assert wrong == []
    assert confirmed == total == result.counts()["not robust"]
    fallen, breach = attack_certified(case, *answer(case), random=15, greedy=5)
    assert fallen == 0, breach


@needs_paper
@pytest.mark.parametrize("case", [*SOME, find("drug", 1, "miss+flip", "2")], ids=str)
def test_the_answer_is_the_same_twice(case):
    (_, first), (_, second) = answer(case), certified(case, None)
    assert first.verdicts.tolist() == second.verdicts.tolist()
    assert [contents(w) for w in first.witnesses.values()] == [contents(w) for w in second.witnesses.values()]


def contents(witness):
    return witness.flipped, witness.removed, witness.added.to_numpy().tolist(), witness.after


@needs_paper
@pytest.mark.parametrize("case", SOME, ids=str)
def test_auto_certifies_whom_relational_certifies(case):
    data, result = answer(case)
    tree = DecisionTreeClassifier(max_depth=case.depth, random_state=0)
    tables = (data.X_train, data.y_train, data.X_test)
    relational = certify(tree, *tables, case.bias, engine="relational")
    assert (result.verdicts[relational.verdicts == "robust"] == "robust").all()
    assert (relational.predictions == result.predictions).all()


# ---------------------------------------------------------------- the check itself can fail


@needs_paper
def test_a_spoiled_witness_is_noticed():
    case = find("compas", 1, "targeted flip", "1")
    data, result = answer(case)
    person, witness = next(iter(result.witnesses.items()))
    y = data.y_train.to_numpy()
    free = [row for row in range(len(y)) if row not in witness.flipped]
    outside = next(row for row in free if y[row] == 0)
    row, label = next(iter(witness.flipped.items()))
    others = {r: new for r, new in witness.flipped.items() if r != row}
    spoiled = {
        "outside the group": replace(witness, flipped=others | {outside: 1}),
        "records, ": replace(witness, flipped={r: 1 - int(y[r]) for r in range(60)}),
        "does not change": replace(witness, flipped={}),
        "the witness says": replace(witness, after=witness.before),
        "fake: ": replace(witness, removed=[free[0]]),
    }
    for reason, wrong in spoiled.items():
        judged = replace(result, witnesses=result.witnesses | {person: wrong})
        confirmed, total, faults = check_witnesses(case, data, judged)
        assert (total - confirmed, len(faults)) == (1, 1)
        assert reason in faults[0]
    assert label in (0, 1)


@needs_paper
@pytest.mark.parametrize(
    ("column", "value", "reason"), [("female", 0.5, "0 nor 1"), ("number_of_priors", 0.5, "whole")]
)
def test_a_strange_addition_is_noticed(column, value, reason):
    case = find("compas", 1, "miss", "2")
    data, result = answer(case)
    witness = next(w for w in result.witnesses.values() if len(w.added))
    X, y = witness.apply(data.X_train, data.y_train)
    allowed = Allowed(case, len(data.y_train))
    assert why_outside(allowed, data, witness.removed, X, y) == ""
    X = X.astype({column: float})
    X.loc[len(X) - 1, column] = value
    assert reason in why_outside(allowed, data, witness.removed, X, y)


# ---------------------------------------------------------------- the bundled table, with its categories


@cache
def bundled(bias, depth=1, time_limit=None):
    """The bundled COMPAS table, every third row, with a pipeline that encodes its categories."""
    data = load("compas")
    third = {name: getattr(data, name).iloc[::3].reset_index(drop=True) for name in ("X_train", "y_train")}
    data = replace(data, X_test=data.X_test.iloc[::5].reset_index(drop=True), **third)
    tables = (data.X_train, data.y_train, data.X_test)
    return data, certify(pipeline(depth), *tables, bias, time_limit=time_limit)


def pipeline(depth):
    encoder = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
    text = make_column_selector(dtype_exclude="number")
    encode = make_column_transformer((encoder, text), remainder="passthrough")
    return make_pipeline(encode, DecisionTreeClassifier(max_depth=depth, random_state=0))


@pytest.mark.parametrize(
    "bias",
    [
        "flip(1%)",
        "miss(1%)",
        "fake(2%)",
        "miss(0.5%) + flip(0.5%)",
        'miss(2%, where race == "African-American" and label == 1)',
    ],
)
def test_the_bundled_table_is_decided_and_its_witnesses_hold(bias):
    data, result = bundled(bias)
    counts = result.counts()
    assert counts["unknown"] == 0
    assert counts["robust"] > 0
    if "where" not in bias:
        assert counts["not robust"] > 0
    before = pipeline(1).fit(data.X_train, data.y_train).predict(data.X_test)
    for person, witness in result.witnesses.items():
        X, y = witness.apply(data.X_train, data.y_train)
        after = pipeline(1).fit(X, y).predict(data.X_test.iloc[[person]])
        assert before[person] == witness.before != witness.after == after[0]


@pytest.mark.parametrize(
    ("bias", "depth"),
    [
        ("miss(1%)", 1),
        ("miss(2%)", 1),
        ("miss(1%)", 2),
        ('miss(2%, where race != "Other" and label == 0)', 1),
    ],
)
def test_added_rows_look_like_rows_of_the_table(bias, depth):
    data, result = bundled(bias, depth, time_limit=None if bias == "miss(1%)" and depth == 1 else 4)
    assert len(result.witnesses) > 0
    for witness in result.witnesses.values():
        assert 0 < len(witness.added) <= 31
        assert list(witness.added.columns) == [*data.X_train.columns, "label"]
        assert set(witness.added["label"]) <= {0, 1}
        for name in data.X_train.columns:
            known, new = data.X_train[name], witness.added[name]
            if known.dtype.kind in "if":
                assert (new == new.round()).all(), name
            else:
                assert set(new) <= set(known), name
        if "where" in bias:
            assert "Other" not in set(witness.added["race"])
            assert set(witness.added["label"]) == {0}
        X, _ = witness.apply(data.X_train, data.y_train)
        assert X.dtypes.tolist() == data.X_train.dtypes.tolist()


@pytest.mark.parametrize("seed", [1, 5, 7, 13])
def test_an_array_of_whole_numbers_stays_one(seed):
    """Numbers between whole ones are not added, nor numbers beside 0 and 1 where there are no others."""
    rng = np.random.default_rng(seed)
    n_rows = int(rng.integers(10, 30))
    X = np.column_stack([rng.integers(0, 2, n_rows), rng.integers(0, 5, n_rows)])
    y = ((X[:, 1] > 2) ^ (rng.random(n_rows) < 0.3)).astype(int)
    tree = DecisionTreeClassifier(max_depth=2, random_state=0)
    result = certify(tree, X, y, X[:8], "miss(2)", time_limit=4)
    for person, witness in result.witnesses.items():
        assert set(witness.added["x0"]) <= {0, 1}
        assert (witness.added["x1"] == witness.added["x1"].round()).all()
        changed, labels = witness.apply(X, y)
        assert changed.dtype == X.dtype
        assert tree.fit(changed, labels).predict(X[[person]])[0] == witness.after


# ---------------------------------------------------------------- critical records


def test_critical_records_come_from_the_witnesses():
    data, result = bundled("flip(1%)")
    critical = result.critical_records(10_000)
    assert (critical["people"].diff().dropna() <= 1e-12).all()
    assert (critical["people"] > 0).all()
    assert critical["people"].sum() == pytest.approx(sum(w.size for w in result.witnesses.values()))
    assert critical["label"].tolist() == data.y_train.iloc[critical.index].tolist()
    assert set().union(*(w.flipped for w in result.witnesses.values())) <= set(critical.index)
    assert result.critical_records(5).index.tolist() == critical.index[:5].tolist()


def test_recheck():
    data, result = bundled("flip(1%)")
    everything = result.recheck(range(len(data.y_train)))
    assert (everything.verdicts == "robust").all()
    nothing = result.recheck([])
    assert nothing.verdicts.tolist() == result.verdicts.tolist()
    rows = result.critical_records(200).index
    some = result.recheck(rows)
    assert (some.verdicts[result.verdicts == "robust"] == "robust").all()
    assert not any(set(w.flipped) & set(rows) for w in some.witnesses.values())
    with pytest.raises(EverytreeError, match="row numbers"):
        result.recheck([len(data.y_train)])


def test_recheck_of_the_rows_that_may_be_flipped():
    bias = 'flip(2%, where race == "African-American" and label == 1)'
    data, result = bundled(bias)
    group = np.flatnonzero((data.X_train["race"] == "African-American") & (data.y_train == 1))
    assert result.counts()["not robust"] > 0
    assert (result.recheck(group).verdicts == "robust").all()
    others = np.setdiff1d(np.arange(len(data.y_train)), group)
    assert result.recheck(others).verdicts.tolist() == result.verdicts.tolist()


@pytest.mark.parametrize("bias", ["flip(1)", "fake(1)", "flip(1) + fake(1)", "miss(1) + flip(1)"])
@pytest.mark.parametrize("trusted", [[0], [2], [0, 1, 2], [3, 4, 5]])
def test_recheck_of_a_small_table(bias, trusted):
    """Rows that are declared correct are in no witness, also where every table is tried."""
    X, y = [[0], [1], [2], [3], [4], [5], [6]], [0, 0, 0, 1, 0, 1, 1]
    result = certify(DecisionTreeClassifier(max_depth=1, random_state=0), X, y, X, bias)
    again = result.recheck(trusted)
    assert (again.verdicts[result.verdicts == "robust"] == "robust").all()
    for witness in again.witnesses.values():
        assert not set(trusted) & {*witness.flipped, *witness.removed}


# ---------------------------------------------------------------- a solver that is wrong


def true_run(solver, *program):
    return _RUN(solver, *program)


def no_answer(solver, cost, matrix, right, top, whole):
    return None, np.zeros(len(right))


def random_answer(scale):
    rng = np.random.default_rng(1)

    def run(solver, cost, matrix, right, top, whole):
        x = rng.random(len(cost)) * top * (rng.random(len(cost)) < 0.3)
        x[-1] = 0.0 if rng.random() < 0.5 else x[-1]
        return x, rng.normal(size=len(right)) * scale

    return run


def spoiled_answer(spoil):
    """The solver's changes with multipliers that something happened to."""
    rng = np.random.default_rng(2)

    def run(solver, *program):
        x, multipliers = true_run(solver, *program)
        return x, spoil(multipliers, rng)

    return run


_RUN = Solver.run
GARBAGE = {
    "none": no_answer,
    "small": random_answer(1e-2),
    "medium": random_answer(1.0),
    "large": random_answer(1e4),
    "huge": random_answer(1e30),
    "shuffled": spoiled_answer(lambda u, rng: rng.permutation(u)),
    "doubled": spoiled_answer(lambda u, rng: 2 * u),
    "nearly": spoiled_answer(lambda u, rng: u * (1 + 1e-3 * rng.normal(size=len(u)))),
    "negative": spoiled_answer(lambda u, rng: -u),
    "unknown": spoiled_answer(lambda u, rng: np.full(len(u), np.nan)),
    "infinite": spoiled_answer(lambda u, rng: np.full(len(u), np.inf)),
}


def random_program(seed):
    """Conditions that a known change within the budgets fulfils; gives its share of the budgets as well."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 7))
    uses = np.eye(3)[rng.integers(0, 3, n)].T
    cap = rng.integers(1, 6, n).astype(float)
    budgets = rng.integers(1, 7, 3).astype(float)
    numbers = np.arange(n)
    changes = Changes(uses, cap, numbers, np.zeros(n, int), np.ones(n, int), numbers, cap)
    planted = np.floor(rng.random(n) * (cap + 1))
    while (uses @ planted > budgets).any():
        planted = np.floor(planted * rng.random(n))
    program = Program(changes, np.zeros(3), budgets)
    for _ in range(int(rng.integers(1, 6))):
        coefficients = rng.normal(size=n) * 10.0 ** rng.integers(-3, 4)
        program.require(
            coefficients, float(coefficients @ planted) - float(rng.random() < 0.5) * rng.random()
        )
    return program, float((uses @ planted / budgets).max())


def true_optimum(program):
    """The least price of the program by another solver's interface."""
    matrix, right = program._matrix()
    n = len(program.changes.cap)
    cost = np.array([0.0] * n + [1.0, 1e4])
    bounds = [(0, cap) for cap in program.changes.cap] + [(0, None), (0, None)]
    return linprog(cost, A_ub=-matrix, b_ub=-right, bounds=bounds).fun


@pytest.mark.parametrize("kind", GARBAGE)
def test_no_multipliers_give_a_bound_above_the_optimum(kind, monkeypatch):
    monkeypatch.setattr(Solver, "run", GARBAGE[kind])
    solver = Solver()
    for seed in range(60):
        program, share = random_program(seed)
        with np.errstate(invalid="ignore", over="ignore"):
            bound = program.solve(solver).bound
        optimum = true_optimum(program)
        assert optimum <= share + 1e-6
        assert not bound > optimum + 1e-6
        assert not bound > share + 1e-6


def test_the_bound_is_tight_when_the_solver_is_right():
    solver = Solver()
    for seed in range(60):
        program, _ = random_program(seed)
        solution = program.solve(solver)
        assert solution.bound == pytest.approx(true_optimum(program), abs=1e-6)


def noisy_table():
    rng = np.random.default_rng(3)
    X = np.column_stack([rng.integers(0, 7, 70), rng.integers(0, 2, 70)])
    y = ((X[:, 0] > 3) ^ (rng.random(70) < 0.3)).astype(int)
    return X, y, np.unique(X, axis=0)


@pytest.fixture
def recorded(monkeypatch):
    """What became of each path; few programs for each, so that a useless solver ends soon."""
    found = []
    run = PathSearch.run

    def record(search, *arguments):
        status = run(search, *arguments)
        steps = tuple((step.feature, step.low, step.side) for step in search.path.steps)
        found.append(((steps, search.path.label), status))
        return status

    for other in (Attack, EveryTable, WholeTables):  # they would decide everybody before the first program
        monkeypatch.setattr(other, "is_possible", staticmethod(lambda problem: False))
    monkeypatch.setattr(PathSearch, "run", record)
    monkeypatch.setattr(deciding, "ROUNDS", ((8, None),))
    return found


@pytest.mark.parametrize("bias", ["flip(4)"])
def test_a_wrong_solver_crosses_out_no_path_that_is_taken(bias, recorded, monkeypatch):
    X, y, people = noisy_table()
    tree = DecisionTreeClassifier(max_depth=2, random_state=0)
    right = certify(tree, X, y, people, bias)
    taken = {path for path, status in recorded if status == TAKEN}
    assert len(taken) > 1
    assert IMPOSSIBLE in {status for _, status in recorded}
    for kind, run in GARBAGE.items():
        recorded.clear()
        monkeypatch.setattr(Solver, "run", run)
        with np.errstate(invalid="ignore", over="ignore"):
            wrong = certify(tree, X, y, people, bias)
        impossible = {path for path, status in recorded if status == IMPOSSIBLE}
        assert not impossible & taken, kind
        assert not ((wrong.verdicts == "robust") & (right.verdicts == "not robust")).any(), kind
        assert not ((wrong.verdicts == "not robust") & (right.verdicts == "robust")).any(), kind


# ---------------------------------------------------------------- limits


def test_the_time_of_a_program_is_its_own():
    """A solver that is reused does not run out of time: the limit is for one program, not for all."""
    rng = np.random.default_rng(0)
    solver, solved = Solver(seconds=0.05), 0
    cost, top = np.ones(60), np.full(60, 5.0)
    for _ in range(150):
        matrix = rng.normal(size=(40, 60))
        right = matrix @ rng.random(60)
        x, _ = solver.run(cost, matrix, right, top, 0)
        solved += x is not None and bool((matrix @ x >= right - 1e-6).all())
    assert solved == 150


@needs_paper
def test_a_time_limit_leaves_people_unknown_and_says_so():
    data = load_paper("adult")
    tree = DecisionTreeClassifier(max_depth=2, random_state=0)
    tables = (data.X_train, data.y_train, data.X_test)
    certify(tree, *tables, "flip(0.1%)")
    result = certify(tree, *tables, "flip(1%)", time_limit=2)
    assert result.statistics["seconds"] < 6
    assert result.counts()["unknown"] > 0
    assert not result.complete
    slow = Case("adult", 2, "flip", "1", 3)
    assert check_witnesses(slow, data, result)[2] == []
