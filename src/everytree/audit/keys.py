"""The keys of an audit file: how they are called in messages, and reading them one by one.

Below `config` and `opening`, so that whatever is wrong is said with the same names.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import date, time
from typing import Any

from everytree.errors import AuditError, EverytreeError, InternalError
from everytree.support.text import listing, nearest

__all__ = ["TableOfKeys", "key_of_bias", "naming"]


def key_of_bias(number: int, key: str) -> str:
    """Name a key of a bias model, counted from 0 as in `Plan.sweeps`."""
    return f"[[bias]] number {number + 1}, {key}"


@contextmanager
def naming(key: str) -> Iterator[None]:
    """Put the name of a key before whatever error comes from below."""
    try:
        yield
    except (AuditError, InternalError):
        raise
    except EverytreeError as error:
        raise AuditError(f"{key}: {error}") from error


class TableOfKeys:
    """One table of the file: its keys are known, and their values are of the right type.

    Parameters
    ----------
    place : str
        What stands before a key in a message, such as ``"[data] "``.
    values : object
        What the file has there.
    known : sequence of str
        The keys that may stand there.
    """

    def __init__(self, place: str, values: object, known: Sequence[str]) -> None:
        self.place = place
        if not isinstance(values, dict):
            raise AuditError(
                f"{place.rstrip(' ,')}: must be a table of keys and values; received {values!r}."
            )
        self.values: dict[str, Any] = values
        for key in values:
            if key not in known:
                hint = f"{nearest(key, known)} The keys here are {listing(known, 20)}."
                if not place and isinstance(values[key], dict | list):
                    raise AuditError(f"[{key}]: there is no such table.{hint}")
                raise self.wrong(key, f"there is no such key.{hint}")

    def name(self, key: str) -> str:
        """Name a key for a message."""
        return f"{self.place}{key}"

    def wrong(self, key: str, problem: str) -> AuditError:
        """Build the error that names a key."""
        return AuditError(f"{self.name(key)}: {problem}")

    def need(self, key: str, why: str) -> None:
        """Refuse a table without this key."""
        if key not in self.values:
            raise self.wrong(f"[{key}]", f"is missing. {why}")

    def table(self, key: str, known: Sequence[str]) -> TableOfKeys:
        """Read a table below this one; an absent one is empty."""
        return TableOfKeys(f"[{key}] ", self.values.get(key, {}), known)

    def tables(self, key: str, known: Sequence[str]) -> list[TableOfKeys]:
        """Read a list of tables below this one."""
        given = self.values[key]
        if not isinstance(given, list) or not given:
            raise self.wrong(key, f"each one begins with [[{key}]], in double brackets.")
        return [TableOfKeys(f"[[{key}]] number {n}, ", part, known) for n, part in enumerate(given, start=1)]

    def text(self, key: str) -> str | None:
        """Read a text, or None where there is none; dates count as text."""
        value = self.values.get(key)
        if isinstance(value, date | time):
            return str(value)
        if value is not None and (not isinstance(value, str) or not value.strip()):
            raise self.wrong(key, f"must be a text in quotes; received {value!r}.")
        return value

    def need_text(self, key: str, what: str) -> str:
        """Read a text that must be there."""
        value = self.text(key)
        if value is None:
            raise self.wrong(key, f"is needed: {what}.")
        return value

    def label(self, key: str) -> Any:
        """Read a label: a text, a whole number or a truth value."""
        value = self.values.get(key)
        if value is not None and not isinstance(value, str | int | float):
            raise self.wrong(key, f"must be one label, a text or a number; received {value!r}.")
        return value

    def flag(self, key: str, default: bool) -> bool:
        """Read true or false."""
        value = self.values.get(key, default)
        if not isinstance(value, bool):
            raise self.wrong(key, f"must be true or false; received {value!r}.")
        return value

    def choice(self, key: str, allowed: Sequence[str], default: str) -> str:
        """Read one of a few words."""
        value = self.values.get(key, default)
        if value not in allowed:
            hint = nearest(value, allowed)
            raise self.wrong(key, f"must be one of {listing(allowed)}; received {value!r}.{hint}")
        return str(value)

    def entries(self, key: str, allowed: str, default: Sequence[Any] = ()) -> Sequence[Any]:
        """Read a list of anything."""
        value = self.values.get(key, default)
        if not isinstance(value, list | tuple):
            raise self.wrong(key, f"{allowed}; received {value!r}.")
        return value

    def texts(self, key: str) -> tuple[str, ...]:
        """Read a list of texts."""
        allowed = 'must be a list of column names, such as ["age", "sex"]'
        value = self.entries(key, allowed)
        for entry in value:
            if not isinstance(entry, str):
                raise self.wrong(key, f"{allowed}; received {entry!r} in it.")
        return tuple(value)
