"""Trees in the background: read in the order in which they were asked for, whichever is ready first."""

from __future__ import annotations

import math
import sys
import time

import numpy as np
import pytest

from everytree.refute.under_way import MOST_WAITING, UnderWay, short_turns
from everytree.support.clock import now


class SlowJudge:
    """Learns odd trials slowly; notes what is read, in order."""

    def __init__(self, training_seconds: float, slow: float = 0.05) -> None:
        self.training_seconds, self.slow = training_seconds, slow
        self.deadline = math.inf
        self.was_read: list[int] = []

    def allows(self, trial: int) -> bool:
        return trial >= 0

    def learn(self, trial: int, people: np.ndarray) -> int:
        time.sleep(self.slow if trial % 2 else 0.0)
        return 10 * trial

    def read(self, trial: int, people: np.ndarray, learned: int) -> bool:
        assert learned == 10 * trial
        self.was_read.append(trial)
        return False

    def consider(self, trial: int, people: np.ndarray) -> bool:
        return self.allows(trial) and self.read(trial, people, self.learn(trial, people))


@pytest.mark.parametrize("seconds", [0.001, 0.1, 10.0])
def test_trees_are_read_in_the_order_in_which_they_were_asked_for(seconds):
    judge = SlowJudge(seconds)
    under_way = UnderWay(judge)
    asked = [5, 2, -1, 3, 4, 8, 1, 0, 6, 9, 7]
    for trial in asked:
        under_way.put(trial, np.array([trial], np.int32))
        assert len(under_way.people()) <= MOST_WAITING
    under_way.settle()
    assert judge.was_read == [trial for trial in asked if trial >= 0]
    assert not under_way.people()


def test_at_the_end_what_has_begun_is_read_and_the_rest_given_up():
    judge = SlowJudge(0.2, slow=0.5)
    under_way = UnderWay(judge)
    asked = [1, 3, 5, 7, 9]
    for trial in asked:
        under_way.put(trial, np.array([0], np.int32))
    under_way.end()
    assert judge.was_read == asked[: len(judge.was_read)]
    assert 2 <= len(judge.was_read) < len(asked)
    assert not under_way.people()


def test_a_tree_that_would_be_late_is_not_begun():
    judge = SlowJudge(10.0)
    judge.deadline = now() + 3
    under_way = UnderWay(judge)
    assert not under_way.put(2, np.array([0], np.int32))
    judge.deadline += 10
    assert under_way.put(4, np.array([0], np.int32))
    under_way.settle()
    assert judge.was_read == [4]


def test_turns_are_as_long_as_before_when_the_last_block_ends():
    """Two questions in two threads: the first to begin ends first."""
    before = sys.getswitchinterval()
    one, other = short_turns(), short_turns()
    one.__enter__()
    other.__enter__()
    one.__exit__(None, None, None)
    assert sys.getswitchinterval() < before
    other.__exit__(None, None, None)
    assert sys.getswitchinterval() == before
