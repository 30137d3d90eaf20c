"""The text form of bias models: a lark grammar and the builder that turns its rules into value objects.

Text is measured, then parsed by an LALR parser without recursion; nothing is ever evaluated as code.
What goes wrong is put into words by `mistakes`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, lru_cache
from typing import Any, TypeVar

from everytree.bias.acts import FLIP
from everytree.bias.components import NAMES, TAKING_TO, kind_named
from everytree.bias.language.amounts import Amount
from everytree.bias.language.expressions import And, Comparison, Condition, IsMissing, Membership, Not, Or
from everytree.bias.language.mistakes import check_extent, syntax_error, unexpected
from everytree.bias.language.text import Constant, unquote
from everytree.bias.model import BiasModel, Component
from everytree.errors import BiasError, BiasSyntaxError

__all__ = ["GRAMMAR", "parse", "parse_condition"]

_T = TypeVar("_T")

GRAMMAR = r"""
model: component ("+" component)*
component: KIND "(" amount ("," _clause)* ")"
_clause: where | to
where: WHERE condition
to: TO (constant | constants)

amount: NUMBER [PERCENT [OF_GROUP | OF_TABLE]] | FREE

?condition: conjunction ("or" conjunction)*
?conjunction: negation ("and" negation)*
?negation: "not" negation                      -> negated
         | "(" condition ")"
         | reference COMPARISON constant       -> comparison
         | reference "in" constants            -> membership
         | reference "not" "in" constants      -> exclusion
         | reference IS_MISSING                -> missing
         | reference IS_NOT_MISSING            -> present

reference: NAME | BACKTICKED | LABEL
constants: "[" constant ("," constant)* "]"
constant: STRING | NUMBER | TRUE | FALSE

KIND.2: /(?:NAMES)(?=\s*\()/
OF_GROUP.2: /of\s+group\b/
OF_TABLE.2: /of\s+table\b/
IS_MISSING.2: /is\s+missing\b/
IS_NOT_MISSING.2: /is\s+not\s+missing\b/
WHERE: "where"
TO: "to"
LABEL: "label"
TRUE: "true"
FALSE: "false"
FREE: "?"
PERCENT: "%"
COMPARISON: "==" | "!=" | "<=" | ">=" | "<" | ">"
NAME: /[^\W\d]\w*/
BACKTICKED: /`(?:[^`\\\n]|\\.)*`/
STRING: /"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'/
NUMBER: /-?(?:[0-9]+(?:\.[0-9]+)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?/
%ignore /[ \t\r\n\f]+/
""".replace("NAMES", "|".join(NAMES))


def parse(text: str) -> BiasModel:
    """Read the text form of a bias model.

    Parameters
    ----------
    text : str
        Such as ``flip(1%, where race == "Black" and label == 1) + miss(20)``. Names that are not plain
        words stand in backticks, texts in single or double quotes.

    Returns
    -------
    BiasModel

    Raises
    ------
    BiasSyntaxError
        With the line, a caret under the place, what was expected there, and a remedy.

    Examples
    --------
    >>> parse("fake(5% of group, where age < 25)")
    fake('5% of group', where=(col('age') < 25))
    """
    model: BiasModel = _known_model(text) if isinstance(text, str) else _run(text, "model")
    return model


@lru_cache(maxsize=64)
def _known_model(text: str) -> BiasModel:
    """Read a text; models never change, so the same text is read once."""
    model: BiasModel = _run(text, "model")
    return model


def parse_condition(text: str) -> Condition:
    """Read a condition alone, as it stands after ``where``."""
    condition: Condition = _run(text, "condition")
    return condition


def _run(text: str, start: str) -> Any:
    if not isinstance(text, str):
        raise BiasError(f"parse reads text; received {type(text).__name__}. Pass the model as a str.")
    opened = check_extent(text)
    import lark  # loaded with the first text that is read

    try:
        return _parser().parse(text, start=start)
    except lark.exceptions.UnexpectedInput as error:
        raise unexpected(error, text, opened) from None
    except _TokenError as error:
        raise syntax_error(str(error), text, error.position) from None
    except BiasSyntaxError:
        raise
    except BiasError as error:
        raise syntax_error(str(error), text, 0) from None


@cache
def _parser() -> Any:
    import lark

    return lark.Lark(
        GRAMMAR,
        parser="lalr",
        lexer="basic",
        start=["model", "condition"],
        transformer=_Builder(),
        maybe_placeholders=False,
    )


class _TokenError(BiasError):
    """An error of a value object, with the place of the token it came from."""

    def __init__(self, message: str, position: int) -> None:
        self.position = position
        super().__init__(message)


class _Builder:
    """One method for each rule of the grammar; called bottom up while the parser reduces.

    Tokens are strings with a `start_pos`; a component keeps the first one for its error messages.
    """

    def model(self, children: list[Any]) -> BiasModel:
        return BiasModel(tuple(children))

    def component(self, children: list[Any]) -> Component:
        kind, amount, *clauses = children
        given: dict[str, Any] = {}
        for keyword, value in clauses:
            if keyword in given:
                raise _TokenError(
                    f"{keyword} may stand only once in a component. Join conditions with and.",
                    keyword.start_pos,
                )
            if keyword == "to" and FLIP not in kind_named(kind).acts:
                raise _TokenError(
                    f"Only {TAKING_TO} takes to; {kind} does not. Write where label == ... instead.",
                    keyword.start_pos,
                )
            given[str(keyword)] = value
        return _located(kind, Component, str(kind), amount, given.get("where"), given.get("to"))

    def where(self, children: list[Any]) -> tuple[Any, Condition]:
        return children[0], children[1]

    def to(self, children: list[Any]) -> tuple[Any, Any]:
        return children[0], children[1]

    def amount(self, children: list[Any]) -> Amount:
        words = " ".join(" ".join(str(child).split()) for child in children)
        return _located(children[0], Amount.of, words.replace(" %", "%"))

    def condition(self, children: list[Any]) -> Condition:
        return Or(tuple(children))

    def conjunction(self, children: list[Any]) -> Condition:
        return And(tuple(children))

    def negated(self, children: list[Any]) -> Condition:
        return Not(children[0])

    def comparison(self, children: list[Any]) -> Condition:
        column, operator, value = children
        return Comparison(column, str(operator), value)

    def membership(self, children: list[Any]) -> Condition:
        return Membership(*children)

    def exclusion(self, children: list[Any]) -> Condition:
        return Not(Membership(*children))

    def missing(self, children: list[Any]) -> Condition:
        return _located(children[1], IsMissing, children[0])

    def present(self, children: list[Any]) -> Condition:
        return Not(self.missing(children))

    def reference(self, children: list[Any]) -> str | None:
        token = children[0]
        if token.type == "LABEL":
            return None
        return str(token) if token.type == "NAME" else _located(token, unquote, str(token))

    def constants(self, children: list[Any]) -> tuple[Constant, ...]:
        return tuple(children)

    def constant(self, children: list[Any]) -> Constant:
        token = children[0]
        if token.type in ("TRUE", "FALSE"):
            return bool(token.type == "TRUE")
        if token.type == "STRING":
            return _located(token, unquote, str(token))
        return _located(token, _number, str(token))


def _number(written: str) -> int | float:
    """Read a number; whole ones become int."""
    if not set(written) & set(".eE"):
        if len(written) > 20:
            raise BiasError(
                f"A whole number must fit into 64 bits; received {len(written)} digits. Write it as 1e30."
            )
        value: int | float = int(written)
    else:
        value = float(written)
    # Comparison checks the range again; here the place is still known.
    Comparison(None, "==", value)
    return value


def _located(token: Any, build: Callable[..., _T], *arguments: Any) -> _T:
    try:
        return build(*arguments)
    except BiasError as error:
        raise _TokenError(str(error), token.start_pos) from None
