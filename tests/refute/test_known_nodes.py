"""Nodes whose best splits are known: what is known of them changes no answer."""

from __future__ import annotations

import pytest

from tests.truth.campaign import run_seeds


@pytest.mark.parametrize("focus", [{}, {"holes": 0.5}, {"unlimited": True}], ids=["", "holes", "unlimited"])
def test_what_is_known_of_nodes_changes_no_answer(focus):
    tally = run_seeds(range(80), "known nodes", focus)
    assert tally.violations == []
    assert tally.tables > 1000
