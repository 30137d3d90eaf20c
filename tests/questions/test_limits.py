"""Limits of time and memory, and the number of threads: they may cost proofs, never truth."""

from __future__ import annotations

import json
import subprocess
import sys

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier

from everytree import certify
from everytree.errors import EverytreeError


@pytest.fixture(scope="module")
def table() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    X = rng.integers(0, 40, (600, 6)).astype(float)
    y = ((X[:, 0] + X[:, 1] > 40) ^ (rng.random(600) < 0.15)).astype(int)
    return X, y, rng.integers(0, 40, (120, 6)).astype(float)


def tree(depth: int | None) -> DecisionTreeClassifier:
    return DecisionTreeClassifier(max_depth=depth, random_state=0)


@pytest.fixture(scope="module")
def unlimited(table) -> np.ndarray:
    return certify(tree(4), *table, "flip(1)", engine="relational").verdicts


@pytest.mark.parametrize("seconds", [0.02, 0.1, 0.4, 1.5])
def test_a_time_limit_only_costs_proofs(table, unlimited, seconds) -> None:
    result = certify(tree(4), *table, "flip(1)", engine="relational", time_limit=seconds)
    robust = result.verdicts == "robust"
    assert not (robust & (unlimited != "robust")).any()
    assert not result.complete or (robust == (unlimited == "robust")).all()
    assert result.statistics["seconds"] < seconds + 2


@pytest.mark.parametrize("engine", ["interval", "relational"])
def test_groups_of_people_prove_what_one_walk_proves(table, engine, monkeypatch) -> None:
    """With no time for the common walk everybody is proved in groups."""
    from everytree.prove import sharing

    whole = certify(tree(2), *table, "flip(2)", engine=engine)
    monkeypatch.setattr(sharing, "FIRST_SHARE", -1.0)
    grouped = certify(tree(2), *table, "flip(2)", engine=engine, time_limit=60)
    assert grouped.complete
    assert grouped.verdicts.tolist() == whole.verdicts.tolist()
    assert np.allclose(grouped.probability_ranges, whole.probability_ranges)
    assert (whole.verdicts == "robust").sum() > 5


@pytest.mark.parametrize("engine", ["interval", "relational", "auto"])
@pytest.mark.parametrize("n_jobs", [2, 3, -1])
def test_threads_change_no_verdict(table, engine, n_jobs) -> None:
    alone = certify(tree(2), *table, "flip(1) + fake(1)", engine=engine)
    shared = certify(tree(2), *table, "flip(1) + fake(1)", engine=engine, n_jobs=n_jobs)
    assert shared.verdicts.tolist() == alone.verdicts.tolist()
    assert np.array_equal(shared.probability_ranges, alone.probability_ranges)


def test_a_memory_limit_says_unknown(table) -> None:
    result = certify(tree(2), *table, "flip(1)", memory_limit=1000)
    assert set(result.verdicts) == {"unknown"}
    assert not result.complete
    assert (certify(tree(2), *table, "flip(1)", memory_limit=1e9).verdicts == "robust").any()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_jobs": 0}, "n_jobs must be"),
        ({"n_jobs": 1.5}, "n_jobs must be"),
        ({"time_limit": 0}, "time_limit must be"),
        ({"memory_limit": -1}, "memory_limit must be"),
        ({"engine": "magic"}, "engine must be one of"),
    ],
)
def test_wrong_options(table, options, message) -> None:
    with pytest.raises(EverytreeError, match=message):
        certify(tree(1), *table, "flip(1)", **options)


# ---------------------------------------------------------------- at any time


def wide_table() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Continuous columns and no depth limit: nobody comes to an end with everything here."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(400, 20)).round(4)
    y = ((X[:, 0] + X[:, 1] > 0) ^ (rng.random(400) < 0.05)).astype(int)
    return X, y, rng.normal(size=(60, 20)).round(4)


@pytest.fixture(scope="module")
def compiled() -> None:
    """What the searches use is compiled once after an installation, which is not their time."""
    X, y, people = wide_table()
    for bias in ("flip(1)", "flip(5)", "flip(5)"):  # what time does not suffice for comes the next time
        certify(tree(3), X[:150, :4], y[:150], people[:9, :4], bias, time_limit=1)


@pytest.mark.parametrize("depth", [3, None])
def test_people_are_refuted_although_the_walk_does_not_end(depth, compiled) -> None:
    result = certify(tree(depth), *wide_table(), "flip(5)", time_limit=2)
    assert result.counts()["not robust"] > 0
    assert result.statistics["seconds"] < 2 * 1.1 + 2
    unknown = result.verdicts == "unknown"
    assert set(result.reasons[unknown]) <= {"time"}
    assert (result.reasons[~unknown] == "").all()
    assert result.complete == (not unknown.any())


def test_ctrl_c_returns_what_is_decided(compiled) -> None:
    calls = []

    def impatient(done: float, left: int) -> None:
        calls.append(left)
        if left < 55:
            raise KeyboardInterrupt

    result = certify(tree(None), *wide_table(), "flip(5)", time_limit=60, progress=impatient)
    assert not result.complete
    assert 5 < result.counts()["not robust"] < 60
    assert calls[-1] < 55
    assert set(result.reasons[result.verdicts == "unknown"]) == {"interrupted"}


def test_a_call_without_a_limit_ends_after_a_minute() -> None:
    import inspect

    assert inspect.signature(certify).parameters["time_limit"].default == 60


def test_a_label_that_hangs_on_a_tie_is_called_so() -> None:
    X, y = [[0, 0]] * 3 + [[1, 1]] * 3, [0] * 3 + [1] * 3
    result = certify(tree(1), X, y, [[0, 1]], "flip(0)")
    assert result.reasons.tolist() == ["tie"]
    assert result.complete


MEASURED = """
import json, resource, sys, time
import numpy as np
from sklearn.tree import DecisionTreeClassifier
from everytree import certify

def run(bias, depth, memory, seconds):
    started = time.monotonic()
    tree = DecisionTreeClassifier(max_depth=depth, random_state=0)
    result = certify(tree, X, y, X[:3], bias, time_limit=seconds, memory_limit=memory)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
    return [bias, depth, time.monotonic() - started, peak, result.verdicts.tolist()]

rng = np.random.default_rng(0)
X = rng.normal(size=(int(sys.argv[1]), 2)).round(2) * 100 + 500
y = (X[:, 0] > 500).astype(int)
for warm in ("miss(1)", "miss(1, where label == 1)"):  # kernels and libraries are loaded
    first = run(warm, 2, 2e8, 3)
for bias, depth in json.loads(sys.argv[2]):
    print(json.dumps([first[3], *run(bias, depth, 1e8, 1)]))
"""

AMOUNTS = (30_000, 2**31 - 1, 10**12)


@pytest.mark.parametrize(("rows", "depth"), [(10, None), (150, 2)])
def test_memory_and_time_do_not_grow_with_the_amount(rows, depth) -> None:
    """In a process of its own, on top of what it needs anyway; some megabytes are left to the allocator."""
    models = [f"miss({m}{where})" for m in AMOUNTS for where in ("", ", where label == 1")]
    command = [sys.executable, "-c", MEASURED, str(rows), json.dumps([(model, depth) for model in models])]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=True)
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(lines) == len(models)
    for before, bias, _, seconds, peak, _ in lines:
        assert peak - before < 1e8 + 2e7, bias
        assert seconds < 1.1 * 1 + 2, bias


def test_a_memory_limit_only_costs_proofs(table) -> None:
    X, y, people = table
    bias = "miss(2, where x0 > 35 and label == 1)"
    tables = X[:60], y[:60], people[:20]
    known = certify(tree(2), *tables, bias, time_limit=20).verdicts
    for memory in (3e4, 3e5, 3e6):
        found = certify(tree(2), *tables, bias, time_limit=5, memory_limit=memory).verdicts
        assert not ((found == "robust") & (known == "not robust")).any()
        assert not ((found == "not robust") & (known == "robust")).any()


def test_a_huge_amount_and_a_short_time_say_unknown_at_most() -> None:
    X = np.array([[40, 20], [10, 30], [30, 40], [20, 20], [10, 20], [40, 10], [40, 30]], float)
    y = np.array([1, 1, 1, 1, 1, 0, 0])
    result = certify(tree(2), X, y, X[:2], "miss(2147483647, where label == 1)", time_limit=0.05)
    assert not (result.verdicts == "robust").any()
    assert result.statistics["seconds"] < 2.1
