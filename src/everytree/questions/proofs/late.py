"""The end of the time for a proof file, as an exception that the verification lets through.

Lowest of the modules that write proofs. The checker knows no clock: it calls what it is given every now and
then, and this is what is given.
"""

from __future__ import annotations

from collections.abc import Callable

from everytree.support.clock import now

__all__ = ["Late", "alarm"]


class Late(Exception):  # noqa: N818 - the time is over, nothing is wrong
    """The time for this part of a proof file is over."""


def alarm(deadline: float) -> Callable[[], None]:
    """What raises `Late` from a moment on, whenever it is called."""

    def ring() -> None:
        if now() > deadline:
            raise Late

    return ring
