"""How many rows: exact amounts of a bias model, as a count, a percentage, or left open.

The smallest value object of the bias language, used by `components`.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from fractions import Fraction

from everytree.bias.language.text import as_constant
from everytree.errors import BiasError

__all__ = ["MOST_AMOUNT", "Amount"]

MOST_AMOUNT = 10**12
"""Rows of one amount, and of all additions of a model together: `everytree.prove.counts.MOST_ROWS` says why
no count overflows and no score is rounded by more than the tolerance up to there."""

_MAX_DECIMALS = 30
_AMOUNT = re.compile(r"\s*([0-9]{1,30}(?:\.[0-9]{1,30})?|\.[0-9]{1,30})\s*(%(?:\s*of\s+(group|table))?)?\s*")
_AMOUNT_HELP = (
    'Write a whole number of rows (20), a percentage ("1%", "5% of group") or "?" for a free amount.'
)


@dataclass(frozen=True, repr=False)
class Amount:
    """How many rows a component may touch, kept exactly as it was written.

    Parameters
    ----------
    value : Fraction or None
        The number of rows or the percentage; None when free.
    unit : {"rows", "table", "group", "free"}
        Rows, percent of the training rows, percent of the rows that satisfy the condition, or left open
        (written ``?``, as `radius` wants it).

    Examples
    --------
    >>> Amount.of("0.05%").rows(n_rows=5000, eligible=700)
    3
    """

    value: Fraction | None
    unit: str

    def __post_init__(self) -> None:
        if self.unit == "free" and self.value is None:
            return
        if self.unit not in ("rows", "table", "group") or not isinstance(self.value, Fraction):
            raise BiasError(
                f"An amount has a value and a unit; received {self.value!r}, {self.unit!r}. {_AMOUNT_HELP}"
            )
        if self.unit == "rows" and not (self.value.denominator == 1 and 0 <= self.value <= MOST_AMOUNT):
            raise BiasError(
                f"An amount of rows is a whole number from 0 to {MOST_AMOUNT}; received {self}. "
                f"{_AMOUNT_HELP}"
            )
        if self.unit != "rows" and not 0 <= self.value <= 100:
            raise BiasError(f"A percentage lies between 0 and 100; received {_decimal(self.value)}.")
        _decimal(self.value)

    @classmethod
    def of(cls, amount: object) -> Amount:
        """Read an amount: ``20``, ``"20"``, ``"1%"``, ``"5% of group"``, ``"?"`` or an `Amount`."""
        if isinstance(amount, Amount):
            return amount
        plain = as_constant(amount, what="An amount") if not isinstance(amount, str) else amount
        if isinstance(plain, int) and not isinstance(plain, bool):
            return cls(Fraction(plain), "rows")
        if not isinstance(plain, str):
            raise BiasError(f"An amount is a whole number or a text; received {plain!r}. {_AMOUNT_HELP}")
        if plain.strip() == "?":
            return cls(None, "free")
        match = _AMOUNT.fullmatch(plain)
        if match is None:
            raise BiasError(f"This is not an amount: {plain!r:.80}. {_AMOUNT_HELP}")
        unit = "rows" if match[2] is None else (match[3] or "table")
        return cls(Fraction(match[1]), unit)

    def rows(self, n_rows: int, eligible: int) -> int:
        """Turn the amount into a number of rows; a percentage is rounded up, in exact arithmetic.

        Parameters
        ----------
        n_rows : int
            Rows of the training table.
        eligible : int
            Rows of the training table that satisfy the condition.

        Returns
        -------
        int
        """
        if self.value is None:
            raise BiasError(
                "The amount ? is free, but a number of rows is needed here. Write one in its place, such as "
                "2 or 1%, or ask for the radius, which finds the largest amount for each person."
            )
        whole = {"rows": 100, "table": n_rows, "group": eligible}[self.unit]
        return math.ceil(self.value * whole / 100)

    def __str__(self) -> str:
        if self.value is None:
            return "?"
        ending = {"rows": "", "table": "%", "group": "% of group"}[self.unit]
        return _decimal(self.value) + ending

    def __repr__(self) -> str:
        return f"Amount.of({self.plain()!r})"

    def plain(self) -> int | str:
        """Give the amount as Python and JSON write it: an int for rows, a text otherwise."""
        return int(str(self)) if self.unit == "rows" else str(self)


def _decimal(value: Fraction) -> str:
    """Write a fraction with finitely many decimals exactly."""
    for places in range(_MAX_DECIMALS + 1):
        scaled = value * 10**places
        if scaled.denominator == 1:
            digits = str(abs(scaled.numerator)).rjust(places + 1, "0")
            sign = "-" if value < 0 else ""
            return sign + (f"{digits[:-places]}.{digits[-places:]}" if places else digits)
    raise BiasError(f"An amount has at most {_MAX_DECIMALS} decimals; received {value}. {_AMOUNT_HELP}")
