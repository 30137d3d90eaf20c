"""Children that wait: each is given out once, and none is lost that comes while others are taken up."""

from __future__ import annotations

import numpy as np

from everytree.prove.node import Cut
from everytree.prove.postponed import Postponed, Waiting


def waiting(*people):
    return Waiting(None, Cut(0, 0, 1), 0, None, np.array(people, np.int32))  # type: ignore[arg-type]


def everybody(people):
    return np.ones(len(people), np.bool_)


def test_people_with_the_fewest_children_come_first_and_children_come_once():
    postponed = Postponed()
    children = [waiting(0, 1), waiting(0), waiting(0, 2)]
    for child in children:
        postponed.add(child)
    postponed.arrange(np.array([3, 1, 1]))
    given = [postponed.next(everybody) for _ in range(3)]
    assert given[2] is children[1]
    assert {id(child) for child in given} == {id(child) for child in children}
    assert postponed.next(everybody) is None
    assert postponed.bytes == 0


def test_what_comes_while_others_are_taken_up_is_not_lost():
    postponed = Postponed()
    postponed.add(waiting(0))
    postponed.arrange(np.array([1]))
    assert postponed.next(everybody) is not None
    late = waiting(0, 1)
    postponed.add(late)
    while postponed.order:
        found = postponed.next(everybody)
        if found is not None:
            break
    else:
        postponed.arrange(np.array([1, 1]))
        found = postponed.next(everybody)
    assert found is late


def test_nobody_who_cannot_be_proved_any_more_is_waited_for():
    postponed = Postponed()
    postponed.add(waiting(0))
    postponed.arrange(np.array([1]))
    assert postponed.next(lambda people: np.zeros(len(people), np.bool_)) is None
    assert not postponed.children
