"""The kinds of bias: what one unit of each does to a table, which budget it uses, and how it is said.

First module of the room. Components, sizes, words, attacks, enumerations, columns of programs and witnesses
go through the one list `KINDS`; nobody else writes the kinds out.

An *act* is one unit change of one row: the label it had before and the one it has after, NONE where there is
no row. So the kind of an act follows from its two labels (`kind_of`), and `acts_on` lists all acts.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

__all__ = [
    "ADD",
    "ALL_KINDS",
    "FLIP",
    "KINDS",
    "NAMES",
    "NONE",
    "REMOVE",
    "Act",
    "Kind",
    "acts_on",
    "kind_of",
    "uses",
]

ADD, FLIP, REMOVE = 0, 1, 2
"""The kinds as whole numbers, for kernels: places in `KINDS` and in every array of budgets."""

ALL_KINDS = (ADD, FLIP, REMOVE)
"""The same, for kernels to go through."""

NONE = -1
"""Stands for the label of a row that is not there. As an index it is the last place of an array."""


@dataclass(frozen=True)
class Kind:
    """One kind of bias.

    Parameters
    ----------
    name : str
        What its component is called.
    budget : str
        The attribute of `ResolvedBias` with the most acts of this kind.
    verb, done : str
        What is done to a row, and what was done to it.
    noun, changed : str
        The same in words for everybody: the rows or labels that were added, changed or removed.
    doubt, fact, facts : str
        What may be wrong with rows, and what is if one row or several are concerned.
    whichever : str
        That it does not matter which rows these are.
    """

    name: str
    budget: str
    verb: str
    done: str
    noun: str
    changed: str
    doubt: str
    fact: str
    facts: str
    whichever: str


KINDS = (
    Kind(
        name="miss",
        budget="additions",
        verb="add",
        done="added",
        noun="row",
        changed="added",
        doubt="may be missing",
        fact="is missing",
        facts="are missing",
        whichever="whatever the missing rows are",
    ),
    Kind(
        name="flip",
        budget="flips",
        verb="flip",
        done="flipped",
        noun="label",
        changed="changed",
        doubt="may have a wrong label",
        fact="has a wrong label",
        facts="have a wrong label",
        whichever="whichever labels are the wrong ones",
    ),
    Kind(
        name="fake",
        budget="removals",
        verb="remove",
        done="removed",
        noun="row",
        changed="removed",
        doubt="may be fake",
        fact="is fake",
        facts="are fake",
        whichever="whichever rows are the fake ones",
    ),
)
"""All kinds, at the places ADD, FLIP and REMOVE."""

NAMES = tuple(KINDS[kind].name for kind in (FLIP, ADD, REMOVE))
"""What components are called, in the order in which messages name them."""


class Act(NamedTuple):
    """One unit change: its kind, the label before and the label after (NONE where there is no row)."""

    kind: int
    before: int
    after: int


def kind_of(before: int, after: int) -> int:
    """The kind of an act, from the label before and the label after; kernels compile it."""
    if before == NONE:
        return ADD
    return REMOVE if after == NONE else FLIP


def acts_on(n_labels: int) -> Iterator[Act]:
    """Every act where there are so many labels: those of one label before stand in the order of the kinds."""
    for before in range(NONE, n_labels):
        for after in (*range(n_labels), NONE):
            if before != after:
                yield Act(kind_of(before, after), before, after)


def uses(*kinds: int) -> tuple[int, ...]:
    """What acts of these kinds, one after the other on one row, take from each budget."""
    return tuple(kinds.count(kind) for kind in ALL_KINDS)
