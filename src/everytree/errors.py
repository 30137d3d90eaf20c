"""The errors of everytree: one root, and below it one class for each kind of thing that can be wrong.

Every message says what was wrong, what is allowed, what was received and what to do about it.
The classes also derive from the builtin that a user of pandas and scikit-learn would catch.
"""

from __future__ import annotations

__all__ = [
    "AuditError",
    "BiasError",
    "BiasSyntaxError",
    "EverytreeError",
    "EverytreeWarning",
    "InternalError",
    "TableError",
    "UnsupportedLearnerError",
]


class EverytreeError(Exception):
    """Root of everything that everytree raises on purpose."""


class TableError(EverytreeError, ValueError):
    """A training or test table cannot be used as it is."""


class BiasError(EverytreeError, ValueError):
    """A bias model is wrong in itself or does not fit the table."""


class BiasSyntaxError(BiasError):
    """The text of a bias model cannot be parsed; `position` counts characters from 0.

    Attributes
    ----------
    text : str
        The text that was parsed.
    position : int
        Where in `text` the problem starts.
    """

    def __init__(self, message: str, text: str = "", position: int = 0) -> None:
        self.text = text
        self.position = position
        super().__init__(message)


class AuditError(EverytreeError, ValueError):
    """An audit cannot be run as it is described; the message names the key of the file."""


class UnsupportedLearnerError(EverytreeError, ValueError):
    """The estimator has a setting that would make a proof about it wrong."""


class InternalError(EverytreeError, RuntimeError):
    """Two parts of everytree disagree: no verdict of this run may be used."""


class EverytreeWarning(UserWarning):
    """Something that a reader of the result should know."""
