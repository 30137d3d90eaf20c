"""The order in which paths come: the least effort first, and nobody waits for somebody with thousands."""

from __future__ import annotations

import numpy as np

from everytree.paths import listing as module
from everytree.paths.listing import Listing
from everytree.paths.waiting import Path
from tests.refute.small_tables import problem_of


def two_people():
    """A listing of which everything is taken out, so that only what the test puts there waits."""
    rng = np.random.default_rng(0)
    X = rng.random((40, 2))
    y = (X[:, 0] > 0.5).astype(int)
    problem, prepared = problem_of(X, y, X[:2], 2, "flip(1)")
    listing = Listing(problem, prepared.test.X, prepared.predictions, np.ones(2, np.bool_))
    listing._heap.clear()
    return listing


def path_of(person: int, effort: float) -> Path:
    return Path((), 0, np.array([person], np.int32), effort)


def order(listing: Listing) -> list[tuple[int, float, int]]:
    return [(int(path.people[0]), path.effort, turn) for path, turn in listing.paths()]


def test_the_least_effort_comes_first_and_what_was_put_back_later():
    listing = two_people()
    for effort in (0.5, 0.1, 0.3):
        path = path_of(0, effort)
        listing._push(effort, path, path.people)
    again = path_of(1, 0.0)
    listing.put_back(again, 1, 0.4)
    assert order(listing) == [(0, 0.1, 0), (0, 0.3, 0), (1, 0.0, 1), (0, 0.5, 0)]


def test_who_took_much_time_waits_for_the_others():
    listing = two_people()
    listing.charge(np.array([0], np.int32), 100 * module.ATTENTION)
    for person, effort in ((0, 0.1), (1, 0.5)):
        path = path_of(person, effort)
        listing._push(effort, path, path.people)
    assert [person for person, _, _ in order(listing)] == [1, 0]


def test_what_waits_is_put_in_order_anew(monkeypatch):
    monkeypatch.setattr(module, "SORTED_ANEW", 1)
    listing = two_people()
    for person, effort in ((0, 0.1), (0, 0.2), (0, 0.3), (1, 0.9)):
        path = path_of(person, effort)
        listing._push(effort, path, path.people)
    listing.charge(np.array([0], np.int32), 1000 * module.ATTENTION)
    people = [person for person, _, _ in order(listing)]
    assert people.index(1) < 3


def test_what_concerns_nobody_any_more_comes_at_once():
    listing = two_people()
    for person, effort in ((0, 0.1), (1, 0.9)):
        path = path_of(person, effort)
        listing._push(effort, path, path.people)
    listing.wanted[1] = False
    listing._since_sorted = module.SORTED_ANEW
    assert [person for person, _, _ in order(listing)] == [1, 0]
