"""Words for messages: the nearest name to a misspelt one, and short lists of names and values.

Used by every part of everytree that reads names from a user; it knows nothing about tables.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterable
from difflib import get_close_matches

__all__ = ["as_number", "counted", "listing", "nearest", "pasteable", "percent"]


def nearest(name: object, options: Iterable[object], cutoff: float = 0.6) -> str:
    """Say which of `options` was probably meant, as a sentence to append to a message.

    Parameters
    ----------
    name : object
        What was received.
    options : iterable
        What would have been allowed.
    cutoff : float
        How alike the two must be, from 0 to 1.

    Returns
    -------
    str
        ``" Did you mean 'x'?"``, or an empty string when nothing is close.

    Examples
    --------
    >>> nearest("prior", ["age", "priors"])
    " Did you mean 'priors'?"
    """
    by_text = {str(option).casefold(): str(option) for option in options}
    matches = get_close_matches(str(name).casefold(), list(by_text), n=1, cutoff=cutoff)
    return f" Did you mean {by_text[matches[0]]!r}?" if matches else ""


def counted(number: int, noun: str) -> str:
    """Write a number with its noun.

    Examples
    --------
    >>> counted(1, "row"), counted(2, "row")
    ('1 row', '2 rows')
    """
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def listing(values: Iterable[object], limit: int = 8, *, ends: bool = False) -> str:
    """Join values for a message and cut long lists short; with `ends` the last one is named, too.

    Examples
    --------
    >>> listing(["a", "b", "c"], limit=2)
    "'a', 'b' and 1 more"
    >>> listing("abcdef", limit=2, ends=True)
    "'a', 'b' and 4 more, the last one 'f'"
    """
    items = list(values)
    text = ", ".join(repr(item) for item in items[:limit])
    if len(items) <= limit:
        return text
    last = f", the last one {items[-1]!r}" if ends else ""
    return f"{text} and {len(items) - limit} more{last}"


def as_number(text: str) -> int | float | str:
    """Read a whole number or a fraction; a text that is neither stays what it is.

    Examples
    --------
    >>> as_number("20"), as_number("0.01"), as_number("gini")
    (20, 0.01, 'gini')
    """
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def pasteable(words: Iterable[str]) -> str:
    """Join words to a command that a shell takes apart again; in double quotes where that reads better.

    Examples
    --------
    >>> print(pasteable(["everytree", "--bias", "flip(1, where sex == 'Female')"]))
    everytree --bias "flip(1, where sex == 'Female')"
    """
    return " ".join(
        f'"{word}"' if "'" in word and not set(word) & set('"$`\\!') else shlex.quote(word) for word in words
    )


def percent(share: float) -> str:
    """Write a share with one decimal; everywhere, so that two places never show two numbers.

    Examples
    --------
    >>> percent(245 / 400), percent(1.0)
    ('61.2%', '100.0%')
    """
    return f"{round(100 * share, 9):.1f}%"
