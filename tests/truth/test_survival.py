"""Tables of some 60 rows, changed for the sake of splits that are behind: what they learn survives."""

from __future__ import annotations

import pytest

from tests.truth.survival import Follower

KINDS = [("flip",), ("fake",), ("miss",), ("flip", "fake"), ("miss", "flip")]


@pytest.mark.parametrize("kinds", KINDS, ids="+".join)
@pytest.mark.parametrize("n_labels", [2, 3])
@pytest.mark.parametrize("depth", [2, 3])
def test_what_a_changed_table_learns_survives(kinds: tuple[str, ...], n_labels: int, depth: int) -> None:
    followed = claimed = 0
    for seed in range(3):
        follower = Follower(seed, kinds, n_labels, depth)
        for _ in range(6):
            assert follower.follow() == "", (seed, follower.amounts)
        followed, claimed = followed + follower.followed, claimed + follower.claimed
    assert followed > 40
    assert claimed > 0 or depth == 2 or "flip" not in kinds
