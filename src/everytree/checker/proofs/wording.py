"""How a verification fails, in words."""

from __future__ import annotations

from everytree.errors import EverytreeError

__all__ = ["Rejected"]


class Rejected(EverytreeError):  # noqa: N818 - an answer, not a fault of the caller
    """A proof file does not show what it claims.

    ``step`` names the place, ``people`` those of the test table who are not proved because of it; nobody is
    named where the file as a whole cannot be used.
    """

    def __init__(self, step: str, reason: str, people: tuple[int, ...] = ()) -> None:
        super().__init__(f"{step}: {reason}")
        self.step, self.reason, self.people = step, reason, people
