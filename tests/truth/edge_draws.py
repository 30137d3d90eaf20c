"""Choices for edge problems: from a seed, or from anything else that draws whole numbers.

The lowest room of the edge campaign. Every choice is one whole number, and the low numbers are the simple
choices, so that hypothesis can shrink what fails.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np


class Draws(Protocol):
    """Whatever can choose: a seeded generator, or hypothesis."""

    def number(self, low: int, high: int) -> int:
        """A whole number from ``low`` to ``high``, the low ones being the simple ones."""


class Seeded:
    """Draws from a seed."""

    def __init__(self, seed: int) -> None:
        self.rng = np.random.default_rng(seed)

    def number(self, low: int, high: int) -> int:
        return int(self.rng.integers(low, high + 1))


def pick(draws: Draws, choices: Sequence[Any]) -> Any:
    """One of the choices; the first is the simplest."""
    return choices[draws.number(0, len(choices) - 1)]


def chance(draws: Draws, percent: int) -> bool:
    """True in so many of a hundred cases; False is the simple answer."""
    return draws.number(0, 99) >= 100 - percent
