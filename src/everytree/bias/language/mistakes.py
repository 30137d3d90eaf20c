"""What is wrong with a text that is no bias model: the place, what was expected there, and a remedy.

Serves `grammar`: `check_extent` refuses what is too long or too deep before any parsing, `unexpected` puts a
refusal of the parser into words.
"""

from __future__ import annotations

import re
from typing import Any

from everytree.bias.components import NAMES, TAKING_TO
from everytree.bias.language.text import (
    KEYWORDS,
    MAX_LENGTH,
    MAX_NESTING,
    nearest,
    point_at,
    quote_name,
    quote_string,
)
from everytree.errors import BiasSyntaxError

__all__ = ["check_extent", "syntax_error", "unexpected"]

# A list of constants and the component itself each open a bracket that is no level of a condition.
_MAX_TEXT_NESTING = MAX_NESTING + 2

_TOKEN = re.compile(
    r""""(?:[^"\\\n]|\\.)*"? | '(?:[^'\\\n]|\\.)*'? | `(?:[^`\\\n]|\\.)*`? | \w+ | [^\w\s]""", re.VERBOSE
)

_EXPECTED = {
    "KIND": f"{', '.join(NAMES[:-1])} or {NAMES[-1]}",
    "NUMBER": "a number",
    "FREE": "?",
    "PERCENT": "%",
    "OF_GROUP": "of group",
    "OF_TABLE": "",
    "NAME": "a column name",
    "BACKTICKED": "",
    "LABEL": "label",
    "COMPARISON": "a comparison (== != < <= > >=)",
    "IS_MISSING": "is missing",
    "IS_NOT_MISSING": "",
    "STRING": "a text in quotes",
    "TRUE": "true",
    "FALSE": "false",
    "LSQB": "a list in [ ]",
    "RSQB": "]",
    "LPAR": "(",
    "RPAR": ")",
    "COMMA": "a comma",
    "PLUS": "+",
    "$END": "the end of the text",
}

_AFTER_A_CONDITION = {"$END", "AND", "OR"}
"""What lark leaves out when a bracket or a comma follows a condition that stands by itself."""

_CHARACTER_REMEDIES = {
    "=": "Write == to compare.",
    "&": "Write and to join conditions in the text form.",
    "|": "Write or to join conditions in the text form.",
    "~": "Write not in front of a condition in the text form.",
    "!": "Write != to compare or not in front of a condition.",
    "≤": "Write <= to compare.",
    "≥": "Write >= to compare.",
    "≠": "Write != to compare.",
    '"': "Close the text with a second double quote on the same line.",
    "'": "Close the text with a second single quote on the same line.",
    "`": "Close the name with a second backtick on the same line.",
    "“": 'Use straight quotes: "...".',
    "”": 'Use straight quotes: "...".',
    "‘": "Use straight quotes: '...'.",
    "’": "Use straight quotes: '...'.",
    ".": "A name that is not one plain word stands in backticks: `a.b`.",
    "-": "A name that is not one plain word stands in backticks: `a-b`.",
    "*": "Separate components with + and conditions with and.",
    ";": "Separate components with + and conditions with and.",
}

_NO_COMPARISON = "what is missing is not compared; write that a column is missing, or is not missing"

_OTHER_WORDS = dict.fromkeys(("none", "null", "nan", "na", "missing"), _NO_COMPARISON)


def check_extent(text: str) -> list[int]:
    """Refuse text that is too long or too deeply nested, in one linear pass.

    Parameters
    ----------
    text : str
        What is about to be parsed.

    Returns
    -------
    list of int
        Where the brackets stand that are still open at the end.

    Raises
    ------
    BiasSyntaxError
        If the text has more than `MAX_LENGTH` characters, or brackets and ``not`` nest too deeply.
    """
    if len(text) > MAX_LENGTH:
        problem = f"A bias model may have at most {MAX_LENGTH} characters; received {len(text)}."
        remedy = "Add a column to the table that names the group, and compare that one."
        raise BiasSyntaxError(f"{problem} {remedy}", text[:MAX_LENGTH], MAX_LENGTH)
    opened: list[tuple[int, int]] = []
    pending = outer = 0
    for match in _TOKEN.finditer(text):
        token = match.group()
        if token == "not":
            pending += 1
        elif token in ("(", "["):
            opened.append((match.start(), pending))
            outer, pending = outer + pending, 0
        else:
            pending = 0
            if token in (")", "]") and opened:
                outer -= opened.pop()[1]
        if len(opened) + outer + pending > _MAX_TEXT_NESTING:
            problem = f"Brackets and not may nest at most {MAX_NESTING} levels; this goes deeper."
            raise syntax_error(f"{problem} Remove brackets that are not needed.", text, match.start())
    return [position for position, _ in opened]


def syntax_error(problem: str, text: str, position: int) -> BiasSyntaxError:
    """Build the error that shows `problem` and points at `position`."""
    return BiasSyntaxError(f"{problem}\n{point_at(text, position)}", text, position)


def unexpected(error: Any, text: str, opened: list[int]) -> BiasSyntaxError:
    """Put lark's refusal into words.

    Parameters
    ----------
    error : lark.exceptions.UnexpectedInput
        What the parser raised.
    text : str
        What was parsed.
    opened : list of int
        Brackets that are never closed, from `check_extent`.

    Returns
    -------
    BiasSyntaxError
    """
    token = getattr(error, "token", None)
    if token is None:
        position, found = error.pos_in_stream, text[error.pos_in_stream]
        shown, remedy = repr(found), _CHARACTER_REMEDIES.get(found, "")
        return _say(f"{shown} cannot stand here", remedy, text, position)
    accepted = set(getattr(error, "accepts", None) or error.expected or _AFTER_A_CONDITION)
    if token.type == "$END":
        position, shown = len(text.rstrip()), "the text ends here"
        remedy = f"Close the bracket that opens at character {opened[-1] + 1}." if opened else ""
        if not text.strip():
            remedy = "Write for example flip(1%)."
    else:
        position, shown = token.start_pos, f"found {_shorten(str(token))}"
        remedy = _token_remedy(token, accepted, text)
    return _say(f"{shown}, expected {_in_words(accepted)}", remedy, text, position)


def _say(problem: str, remedy: str, text: str, position: int) -> BiasSyntaxError:
    message = f"The bias model cannot be read at character {position + 1}: {problem}. {remedy}".rstrip()
    return syntax_error(message, text, position)


def _in_words(accepted: set[str]) -> str:
    words = [_EXPECTED.get(name, name.lower()) for name in sorted(accepted, key=_order)]
    words = [word for word in words if word]
    return words[0] if len(words) == 1 else ", ".join(words[:-1]) + " or " + words[-1]


def _order(name: str) -> tuple[int, str]:
    known = list(_EXPECTED)
    return (known.index(name) if name in known else len(known), name)


def _token_remedy(token: Any, accepted: set[str], text: str) -> str:
    """Guess what was meant from the kind of token found and the kinds that were possible."""
    word, kind = str(token), token.type
    after = text[token.start_pos + len(word) :].lstrip()
    if "KIND" in accepted:
        close = nearest(word, NAMES)
        return (
            f"Did you mean {close}?"
            if close and kind == "NAME"
            else f"A component starts with {'( '.join(NAMES[:-1])}( or {NAMES[-1]}(."
        )
    if kind == "NAME" and word not in KEYWORDS and word.lower() in KEYWORDS:
        return f"Keywords are written small: {word.lower()}."
    if (kind == "LPAR" and "COMPARISON" in accepted) or (kind == "NAME" and after.startswith("(")):
        return "There are no functions here: compare columns and label with constants."
    if word.lower() == "is" and "COMPARISON" in accepted:
        return "Write == to compare, or is missing, or is not missing."
    if kind == "NAME" and "COMPARISON" in accepted:
        return "A name that is not one plain word stands in backticks: `capital gain`."
    if kind in ("NAME", "LABEL", "BACKTICKED") and "STRING" in accepted:
        meaning = _OTHER_WORDS.get(word.lower())
        return (
            f"{word} has no meaning here: {meaning}."
            if meaning
            else f"Put text in quotes: {quote_string(word)}."
        )
    if "WHERE" in accepted and "COMMA" not in accepted:
        return f"A condition starts with where, the new labels of {TAKING_TO} with to."
    if "NAME" in accepted:
        return _reference_remedy(word, kind)
    if kind == "COMPARISON":
        return "Write two comparisons joined by and."
    if kind == "WHERE" and "COMMA" in accepted:
        return "Put a comma before where."
    if kind in ("RPAR", "RSQB") and not {"RPAR", "RSQB"} & accepted:
        return "Something is missing before this bracket, or the bracket is one too many."
    return ""


def _reference_remedy(word: str, kind: str) -> str:
    if kind == "STRING":
        return f"Names of columns stand without quotes, or in backticks: {quote_name(word[1:-1])}."
    if kind in ("NUMBER", "TRUE", "FALSE"):
        return "Put the column first, as in age > 5."
    if word in KEYWORDS:
        return f"A column called {word} is written in backticks: `{word}`."
    return ""


def _shorten(word: str) -> str:
    return word if len(word) <= 40 else word[:37] + "..."
