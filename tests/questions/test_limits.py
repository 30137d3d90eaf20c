"""Limits of time and memory, and the number of threads: they may cost proofs, never truth."""

from __future__ import annotations

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


def tree(depth: int) -> DecisionTreeClassifier:
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
