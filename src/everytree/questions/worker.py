"""One way to decide people and its share of the time.

Below `deciding.py`, which lets the worker go on whose turn it is.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

SHARES = {
    "walk": 1.0,
    "closer": 1.0,
    "tiny": 1.0,
    "attack": 2.0,
    "tables": 8.0,
    "fewer": 1.0,
    "programs": 1.0,
}
"""How the time is divided between workers that have something to do, to begin with. Trying every table
decides everybody for certain, where it can be done at all; attacks decide the most in little time. Who
decides many people in a second gets more of it."""

HALF_LIFE, MOST_FAVOUR = 1.0, 12.0
"""Seconds, by estimate, after which people that a worker decided count half for its share of the time; and
how many times as much it gets for them at most, so that nobody waits for long."""

TIRING = {"attack": 2.0, "walk": 2.0, "closer": 0.5, "tables": 5.0, "programs": 5.0}
"""Seconds, by estimate, in which a worker decided nobody after which it gets half as much of the time. What
attacks do not find at once they find seldom, a long walk that proves nobody has others on its way, more so a
closer one, and tables prove people when all their nodes are done, many at a time."""


@dataclass(eq=False)
class Worker:
    """One way to decide people: its steps, about how many seconds they took, and whom they decided lately."""

    name: str
    steps: Iterator[float]
    share: float
    spent: float = 0.0
    turn: float = 0.0
    lately: float = 0.0
    in_vain: float = 0.0
    done: bool = False

    def account(self, spent: float, decided: int) -> None:
        """Count a step: whose `turn` is the least is next, sooner again if it decided people lately."""
        self.spent += spent
        self.lately = min(self.lately * 0.5 ** (spent / HALF_LIFE) + decided, MOST_FAVOUR * HALF_LIFE)
        self.in_vain = 0.0 if decided else self.in_vain + spent
        share = self.share * (1 + self.lately / HALF_LIFE)
        if self.name in TIRING:
            share /= 1 + self.in_vain / TIRING[self.name]
        self.turn += spent / share
