"""The pairwise bound and the joint test of split and leaf hold on every table of many small problems."""

from __future__ import annotations

import os

import pytest

from tests.truth.campaign import run, run_seeds
from tests.truth.problems import hand_picked

CHUNK = 60
CHUNKS = max(1, int(6 * float(os.environ.get("EVERYTREE_CAMPAIGN", "1"))))


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_bound_holds_on_every_table(chunk: int) -> None:
    focus = {"criterion": "entropy" if chunk % 3 == 2 else "gini"}
    tally = run_seeds(range(CHUNK * chunk, CHUNK * (chunk + 1)), "bounds", focus)
    assert tally.violations == []
    assert tally.certified > 10_000


def test_bound_holds_on_hand_picked_problems() -> None:
    assert run(hand_picked(), "bounds").violations == []
