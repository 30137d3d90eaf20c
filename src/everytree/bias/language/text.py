"""How names, constants and places are written in the text form of a bias model.

The lowest room of the bias language: quoting, its inverse, the limits on length and nesting, and the
caret that points at a character. Nothing here knows what a bias model means.
"""

from __future__ import annotations

import difflib
import math
import re
from collections.abc import Iterable
from itertools import islice

from everytree.errors import BiasError

__all__ = [
    "KEYWORDS",
    "MAX_LENGTH",
    "MAX_NESTING",
    "Constant",
    "as_constant",
    "constant_key",
    "constant_text",
    "nearest",
    "point_at",
    "quote_name",
    "quote_string",
    "unquote",
]

Constant = bool | int | float | str

MAX_LENGTH = 20_000
"""Longest text form of a bias model, in characters."""

MAX_NESTING = 50
"""Deepest nesting of and, or and not in a condition."""

KEYWORDS = frozenset({"and", "or", "not", "in", "where", "to", "label", "true", "false"})

_BARE_NAME = re.compile(r"[^\W\d]\w*")
_UNSAFE = re.compile("[\\x00-\\x1f\\x7f-\\x9f\\\\\u2028\u2029\ud800-\udfff]")
_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|.)", re.DOTALL)
_SHORT_ESCAPES = {"\\": "\\", '"': '"', "'": "'", "`": "`", "n": "\n", "t": "\t", "r": "\r"}
_SHORT_NAMES = {"\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r"}
_LARGEST_INTEGER = 2**63 - 1
_WINDOW = 70


def as_constant(value: object, *, what: str = "A constant") -> Constant:
    """Check one constant of a condition and give it as a plain Python value.

    Parameters
    ----------
    value : object
        A bool, int, finite float, str, or a NumPy scalar that holds one of these.
    what : str
        How the error message calls the value.

    Returns
    -------
    bool, int, float or str

    Raises
    ------
    BiasError
        If the value has another type, is not finite, or is too long to be written as text.
    """
    if type(value).__module__ == "numpy" and getattr(value, "ndim", None) == 0:
        value = value.item()  # type: ignore[attr-defined]
    if isinstance(value, bool):
        return value
    if isinstance(value, int):
        if abs(value) > _LARGEST_INTEGER:
            raise BiasError(
                f"{what} must fit into 64 bits; received an integer of {value.bit_length()} bits."
            )
        return int(value)
    if isinstance(value, float):
        if not math.isfinite(value):
            raise BiasError(f"{what} must be finite; received {value}. Leave the comparison out instead.")
        return float(value)
    if isinstance(value, str):
        if len(value) > MAX_LENGTH:
            raise BiasError(f"{what} may have at most {MAX_LENGTH} characters; received {len(value)}.")
        return str(value)
    raise BiasError(
        f"{what} must be a number, a text, True or False; received {type(value).__name__}. "
        "Compare a column or the label with one plain value, or with several by isin([...])."
    )


def constant_key(value: Constant) -> tuple[str, Constant]:
    """Give a key under which 1, 1.0 and True stay different, as they are in the text form."""
    return type(value).__name__, value


def constant_text(value: Constant) -> str:
    """Write a constant as the grammar reads it: `true`, `-3`, `0.5`, `"Black"`."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return quote_string(value) if isinstance(value, str) else repr(value)


def quote_string(value: str) -> str:
    """Write a text constant in double quotes, with escapes where they are needed."""
    return '"' + _UNSAFE.sub(_escape, value).replace('"', '\\"') + '"'


def quote_name(name: str) -> str:
    """Write a column name: bare if it is an identifier and no keyword, in backticks otherwise."""
    if _BARE_NAME.fullmatch(name) and name not in KEYWORDS:
        return name
    return "`" + _UNSAFE.sub(_escape, name).replace("`", "\\`") + "`"


def unquote(quoted: str) -> str:
    r"""Undo `quote_string` and the backticks of `quote_name`.

    Raises
    ------
    BiasError
        At an escape that is not one of ``\\ \" \' \` \n \t \r \uXXXX``.
    """
    return _ESCAPE.sub(_unescape, quoted[1:-1])


def _escape(match: re.Match[str]) -> str:
    character = match.group()
    return _SHORT_NAMES.get(character, f"\\u{ord(character):04x}")


def _unescape(match: re.Match[str]) -> str:
    code = match.group(1)
    if len(code) == 5:
        return chr(int(code[1:], 16))
    if code not in _SHORT_ESCAPES:
        raise BiasError(
            f"The escape \\{code} is not known; allowed are \\\\ \\\" \\' \\` \\n \\t \\r and \\uXXXX. "
            "Write \\\\ for a backslash."
        )
    return _SHORT_ESCAPES[code]


def point_at(text: str, position: int) -> str:
    """Show the line of `text` that holds `position`, with a caret below that character.

    Parameters
    ----------
    text : str
        The whole text; only the line in question, and of a long line only a part, is shown.
    position : int
        Counts characters from 0; the length of the text means its end.

    Returns
    -------
    str
        Two indented lines.
    """
    start = text.rfind("\n", 0, position) + 1
    end = text.find("\n", position)
    line, column = text[start : end if end >= 0 else len(text)], position - start
    before, after = "", ""
    if column > _WINDOW:
        line, column, before = line[column - _WINDOW // 2 :], _WINDOW // 2, "..."
    if len(line) > column + _WINDOW:
        line, after = line[: column + _WINDOW], "..."
    shown = "".join(character if character.isprintable() else " " for character in line)
    return f"    {before}{shown}{after}\n    {' ' * (len(before) + column)}^"


def nearest(word: str, known: Iterable[str]) -> str | None:
    """Find the known word that looks most like `word`, or None when none comes near.

    Only the first 40 characters count and at most 2000 words are looked at, so that an error about a column
    of a million categories is still raised at once.
    """
    shortened = {name[:40].casefold(): name for name in islice(known, 2000)}
    close = difflib.get_close_matches(word[:40].casefold(), shortened, n=1, cutoff=0.6)
    return shortened[close[0]] if close else None
