"""A change: applied, counted, written and read in one way, in codes and in the user's own labels."""

from __future__ import annotations

import json

import numpy as np
import pytest

from everytree.bias.acts import ACTS, ADD, FLIP, NONE, REMOVE, act_of, transitions, uses
from everytree.bias.resolve import ResolvedBias
from everytree.refute.change import Change

CHANGE = Change({3: "no", 0: "yes"}, (1,), ((1.5, "a"), (2, None)), ("no", "yes"))


def test_it_counts_the_records_of_each_kind():
    assert [CHANGE.counts[act] for act in (ADD, FLIP, REMOVE)] == [2, 2, 1]
    assert CHANGE.size == 5
    assert CHANGE.last_row == 3
    assert (Change({}).size, Change({}).last_row) == (0, -1)


def test_it_is_applied_to_labels_and_rows():
    y = np.array(["no", "no", "yes", "yes"], object)
    assert CHANGE.flip(y).tolist() == ["yes", "no", "yes", "no"]
    assert CHANGE.change_labels(y).tolist() == ["yes", "yes", "no", "no", "yes"]
    assert y.tolist() == ["no", "no", "yes", "yes"]
    X = np.arange(4)[:, None]
    assert CHANGE.change_rows(X, np.array([[8], [9]])).tolist() == [[0], [2], [3], [8], [9]]
    assert Change({}).change_rows(X, X[:0]) is X


def test_in_codes_it_gives_the_codes_of_the_changed_table():
    names = {"no": 0, "yes": 1}
    y = np.array(["no", "no", "yes", "yes"], object)
    coded = np.array([names[label] for label in y])
    after = CHANGE.relabelled(names).change_labels(coded)
    assert after.tolist() == [names[label] for label in CHANGE.change_labels(y)]
    assert after.dtype == coded.dtype


def test_what_is_written_can_be_read():
    written = json.loads(json.dumps(CHANGE.to_dict(["x", "c"], "said")))
    assert written["added"] == [{"x": 1.5, "c": "a", "said": "no"}, {"x": 2, "c": None, "said": "yes"}]
    back = Change.from_dict(written)
    assert (back.flipped, back.removed, back.added, back.labels) == (
        CHANGE.flipped,
        CHANGE.removed,
        CHANGE.added,
        CHANGE.labels,
    )


@pytest.mark.parametrize("n_labels", [2, 3])
def test_an_act_follows_from_its_labels(n_labels):
    ways = list(transitions(n_labels))
    assert len(set(ways)) == len(ways) == n_labels * (n_labels + 1)
    for act, before, after in ways:
        assert act == act_of(before, after)
        assert (before == NONE) == (act == ADD)
        assert (after == NONE) == (act == REMOVE)
        assert before != after


def test_acts_use_their_own_budgets():
    assert uses(FLIP) == (0, 1, 0)
    assert uses(ADD, FLIP) == (1, 1, 0)
    assert uses(FLIP, REMOVE) == (0, 1, 1)


def test_every_act_has_its_place():
    assert [ACTS[act].verb for act in (ADD, FLIP, REMOVE)] == ["add", "flip", "remove"]
    assert all(act.budget in ResolvedBias.__dataclass_fields__ for act in ACTS)
    assert all(hasattr(CHANGE, act.done) for act in ACTS)
