"""The acts: what one unit of bias does to one row, which budget it uses, and how it is said.

First module of the room. There are three: a row comes, a row gets another label, a row goes. Every kind of
bias is made of them (`components/`). Proofs, attacks, enumerations, columns of programs and witnesses know
acts and their budgets only, and go through the one list `ACTS`.

An act is told by two labels, the one a row had before and the one it has after, NONE where there is no row
(`act_of`). `transitions` lists all such pairs.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

__all__ = [
    "ACTS",
    "ADD",
    "ALL_ACTS",
    "FLIP",
    "NONE",
    "REMOVE",
    "Act",
    "Transition",
    "act_of",
    "transitions",
    "uses",
]

ADD, FLIP, REMOVE = 0, 1, 2
"""The acts as whole numbers, for kernels: places in `ACTS` and in every array of budgets."""

ALL_ACTS = (ADD, FLIP, REMOVE)
"""The same, for kernels to go through."""

NONE = -1
"""Stands for the label of a row that is not there. As an index it is the last place of an array."""


@dataclass(frozen=True)
class Act:
    """One act.

    Parameters
    ----------
    budget : str
        The attribute of `ResolvedBias` with the most acts of this sort.
    verb, done : str
        What is done to a row, and what was done to it.
    noun, changed : str
        The same in words for everybody: the rows or labels that were added, changed or removed.
    """

    budget: str
    verb: str
    done: str
    noun: str
    changed: str


ACTS = (
    Act(budget="additions", verb="add", done="added", noun="row", changed="added"),
    Act(budget="flips", verb="flip", done="flipped", noun="label", changed="changed"),
    Act(budget="removals", verb="remove", done="removed", noun="row", changed="removed"),
)
"""All acts, at the places ADD, FLIP and REMOVE."""


class Transition(NamedTuple):
    """An act with the label before and the label after (NONE where there is no row)."""

    act: int
    before: int
    after: int


def act_of(before: int, after: int) -> int:
    """The act that leads from the label before to the label after; kernels compile it."""
    if before == NONE:
        return ADD
    return REMOVE if after == NONE else FLIP


def transitions(n_labels: int) -> Iterator[Transition]:
    """Everything one act can do where there are so many labels, by the label before."""
    for before in range(NONE, n_labels):
        for after in (*range(n_labels), NONE):
            if before != after:
                yield Transition(act_of(before, after), before, after)


def uses(*acts: int) -> tuple[int, ...]:
    """What these acts, one after the other on one row, take from each budget."""
    return tuple(acts.count(act) for act in ALL_ACTS)
