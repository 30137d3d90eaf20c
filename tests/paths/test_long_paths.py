"""Paths of many levels: their signs are decided one after the other, not all combinations at once."""

from __future__ import annotations

import time
from itertools import islice
from types import SimpleNamespace

import numpy as np
import pytest

from everytree.checker.proofs.paths import PathCheck, verify_path
from everytree.checker.proofs.wording import Rejected
from everytree.paths import boxes
from everytree.paths.boxes import EITHER, Family, Region
from everytree.paths.listing import Listing
from everytree.paths.program import Solver
from everytree.paths.root_search import RootSearch
from everytree.paths.search import IMPOSSIBLE, PathSearch
from everytree.refute.new_rows import RowMaker
from tests.refute.small_tables import problem_of

CRITERIA = pytest.mark.parametrize("criterion", ["gini", "entropy"])


def searches(criterion, *, depth=None, levels):
    """Searches of a few paths with so many levels of a tree that takes its rows off one by one."""
    X, y = np.arange(60.0)[:, None], np.arange(60) % 2
    problem, prepared = problem_of(X, y, X[20:40] + 0.25, depth, "flip(2)", criterion=criterion)
    listing = Listing(problem, prepared.test.X, prepared.predictions, np.ones(20, np.bool_))
    paths = (item[0] for item in listing.paths() if isinstance(item, tuple))
    kind = RootSearch if RootSearch.is_possible(problem) else PathSearch
    family = Family(np.zeros(3), np.array([0.0, 2.0, 0.0]), 1.0, 100)
    for path in islice((path for path in paths if len(path.steps) >= levels), 5):
        yield kind(problem, path, family, Solver(), RowMaker(problem))


def never(trial):
    return False


def test_many_signs_are_left_open_and_decided_one_by_one():
    (region,) = Region.with_signs([[1, -1]] * 30 + [[1]], {})
    assert region.signs == (EITHER,) * 30 + (1,)
    assert [part.signs[:2] for part in region.decide_sign()] == [(1, EITHER), (-1, EITHER)]


def test_few_signs_are_listed():
    assert [region.signs for region in Region.with_signs([[1, -1], [1]], {})] == [(1, 1), (-1, 1)]
    assert Region((1, -1), {}).decide_sign() == []
    assert Region.with_signs([[1], []], {}) == []


@CRITERIA
def test_a_long_path_is_looked_at_within_its_limits(criterion):
    """With all signs of twenty levels at once this took gigabytes and minutes."""
    found = list(searches(criterion, levels=20))
    assert found
    for search in found:
        started = time.monotonic()
        search.run(never, 30, started + 2.0)
        assert time.monotonic() - started < 4.0


@CRITERIA
def test_open_signs_exclude_the_same_paths(criterion, monkeypatch):
    answers = []
    for most in (64, 1):
        monkeypatch.setattr(boxes, "MOST_SIGNS", most)
        found = searches(criterion, depth=3, levels=3)
        answers.append([search.run(never, 400, np.inf) for search in found])
    assert answers[0] == answers[1]
    assert IMPOSSIBLE in answers[0]


def test_a_proof_of_a_long_path_needs_all_its_parts():
    """It is rejected before the billions of parts that it lacks are made."""
    check = SimpleNamespace(exact=True, split_levels=list(range(40)))
    check.n_first_regions = PathCheck.n_first_regions.fget(check)
    with pytest.raises(Rejected, match="not all the tables"):
        verify_path(check, [["none", []]])
