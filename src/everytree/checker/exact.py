"""Numbers that are never rounded the wrong way: multiples of 2^-64, each division rounded up or down.

A bound of a proof adds, subtracts and compares what is computed here. Everything is a whole number of units;
whatever should be large is rounded up and whatever is taken off is rounded down, so a bound that comes out
below zero is below zero. Logarithms are enclosed from both sides.
"""

from __future__ import annotations

from functools import cache

__all__ = ["LOG2_E", "UNIT", "Range", "down", "log2", "root", "up"]

BITS = 64
UNIT = 1 << BITS
"""One, in units."""

GUARD = 96
"""Binary places with which logarithms are computed."""

Range = tuple[int, int]
"""A number between two whole numbers of units."""

LOG2_E: Range = (
    14426950408889634073599246810018921374266 * UNIT // 10**40,
    14426950408889634073599246810018921374267 * UNIT // 10**40 + 1,
)


def up(a: int, b: int) -> int:
    """The least number of units that is not below a / b, b > 0."""
    return -((-a << BITS) // b)


def down(a: int, b: int) -> int:
    """The greatest number of units that is not above a / b, b > 0."""
    return (a << BITS) // b


@cache
def log2(n: int) -> Range:
    """Enclose the binary logarithm of a whole number n >= 1, bit after bit.

    n = 2^k y with 1 <= y < 2. Squaring y doubles its logarithm: the next bit says whether y^2 reaches 2. Both
    ends of an enclosure of y are carried along; where they disagree, the bits that are left are unknown.
    """
    whole = n.bit_length() - 1
    low, high = (n << GUARD) >> whole, -((-n << GUARD) >> whole)
    two, found, bits = 2 << GUARD, 0, 0
    while bits < BITS:
        low, high = low * low >> GUARD, -(-high * high >> GUARD)
        if low >= two:
            low, high, bit = low >> 1, -(-high >> 1), 1
        elif high < two:
            bit = 0
        else:
            break
        found, bits = 2 * found + bit, bits + 1
    left = BITS - bits
    start = (whole << BITS) + (found << left)
    return start, start + (1 << left)


def root(a: int, b: int) -> Range:
    """Enclose the square root of a / b, a >= 0 and b > 0."""
    square = (a << 2 * BITS) // b
    low = _floor_root(square)
    return low, low + 1


def _floor_root(n: int) -> int:
    """The greatest whole number whose square is at most n."""
    if n == 0:
        return 0
    guess = 1 << (n.bit_length() + 1) // 2
    while True:
        better = (guess + n // guess) // 2
        if better >= guess:
            return guess
        guess = better
