"""Conditions on rows: frozen value objects with structural equality, joined by ``&``, ``|`` and ``~``.

They write themselves as text and as Python. `references` builds them from `col` and `label`; the next room,
`components`, puts them into bias models.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, NoReturn

from everytree.bias.language.text import (
    MAX_LENGTH,
    MAX_NESTING,
    Constant,
    as_constant,
    constant_key,
    constant_text,
    quote_name,
)
from everytree.errors import BiasError

__all__ = [
    "OPERATORS",
    "And",
    "Comparison",
    "Condition",
    "IsMissing",
    "Leaf",
    "Membership",
    "Not",
    "Or",
    "Piece",
    "as_values",
    "check_name",
    "constants_of",
    "leaves",
    "reference_repr",
]

OPERATORS = ("==", "!=", "<", "<=", ">", ">=")
_MAX_PARTS = MAX_LENGTH // 6
_MAX_VALUES = MAX_LENGTH // 3

Piece = tuple[str, tuple[int, int] | None]
"""A bit of text and what it shows: (id of a leaf, -1 for its name or the number of its constant)."""


class Condition:
    """A yes/no question about one row; combine conditions with ``&``, ``|`` and ``~``."""

    depth: int

    def __and__(self, other: object) -> And:
        return And((self, _operand(other, "&")))

    def __or__(self, other: object) -> Or:
        return Or((self, _operand(other, "|")))

    def __rand__(self, other: object) -> NoReturn:
        _operand(other, "&")
        raise AssertionError  # pragma: no cover

    def __ror__(self, other: object) -> NoReturn:
        _operand(other, "|")
        raise AssertionError  # pragma: no cover

    def __invert__(self) -> Not:
        return Not(self)

    def __bool__(self) -> bool:
        raise BiasError(
            "A condition has no truth value of its own. Join conditions with & | ~ instead of and, or, not, "
            "put each comparison in brackets, and write 0 < x < 5 as (col('x') > 0) & (col('x') < 5)."
        )

    def __str__(self) -> str:
        return "".join(text for text, _ in self.pieces())

    def pieces(self) -> Iterator[Piece]:
        """Give the text form bit by bit, with a mark on every name and constant."""
        raise NotImplementedError  # pragma: no cover


@dataclass(frozen=True, repr=False)
class Comparison(Condition):
    """One comparison with a constant, such as ``col("age") < 25``.

    Parameters
    ----------
    column : str or None
        The column, or None for the label.
    operator : str
        One of ``== != < <= > >=``.
    value : bool, int, float or str
        What it is compared with.
    """

    column: str | None
    operator: str
    value: Constant = field(compare=False)
    _key: Any = field(init=False, default=None)
    depth: int = field(init=False, compare=False, default=0)

    def __post_init__(self) -> None:
        if self.operator not in OPERATORS:
            allowed = " ".join(OPERATORS)
            raise BiasError(
                f"The operator of a comparison is one of {allowed}; received {self.operator!r:.80}."
            )
        check_name(self.column)
        object.__setattr__(self, "value", as_constant(self.value))
        object.__setattr__(self, "_key", constant_key(self.value))

    def __repr__(self) -> str:
        return f"({reference_repr(self.column)} {self.operator} {self.value!r})"

    def pieces(self) -> Iterator[Piece]:
        """Give ``name``, the operator and the constant."""
        yield _reference_text(self.column), (id(self), -1)
        yield f" {self.operator} ", None
        yield constant_text(self.value), (id(self), 0)


@dataclass(frozen=True, repr=False)
class Membership(Condition):
    """The column, or the label (None), is one of several constants."""

    column: str | None
    values: tuple[Constant, ...] = field(compare=False)
    _key: Any = field(init=False, default=None)
    depth: int = field(init=False, compare=False, default=0)

    def __post_init__(self) -> None:
        check_name(self.column)
        values = as_values(self.values, "isin")
        object.__setattr__(self, "values", values)
        object.__setattr__(self, "_key", tuple(map(constant_key, values)))

    def __repr__(self) -> str:
        return f"{reference_repr(self.column)}.isin({list(self.values)!r})"

    def pieces(self, negated: bool = False) -> Iterator[Piece]:
        """Give ``name in [first, second]``."""
        yield _reference_text(self.column), (id(self), -1)
        yield " not in [" if negated else " in [", None
        for number, value in enumerate(self.values):
            if number:
                yield ", ", None
            yield constant_text(value), (id(self), number)
        yield "]", None


@dataclass(frozen=True, repr=False)
class IsMissing(Condition):
    """The row has no value in the column."""

    column: str
    depth: int = field(init=False, compare=False, default=0)

    def __post_init__(self) -> None:
        check_name(self.column)
        if self.column is None:
            raise BiasError("The label is never missing: every row has one. Ask about a column instead.")

    def __repr__(self) -> str:
        return f"{reference_repr(self.column)}.is_missing()"

    def pieces(self, negated: bool = False) -> Iterator[Piece]:
        """Give ``name is missing``."""
        yield _reference_text(self.column), (id(self), -1)
        yield " is not missing" if negated else " is missing", None


Leaf = Comparison | Membership | IsMissing
"""What a condition is made of."""


@dataclass(frozen=True, repr=False)
class _Joined(Condition):
    """What `And` and `Or` share: at least two parts, nested ones of the same kind merged into one."""

    parts: tuple[Condition, ...]
    depth: int = field(init=False, compare=False, default=0)

    def __post_init__(self) -> None:
        flat: list[Condition] = []
        for part in self.parts:
            _operand(part, type(self).__name__)
            flat.extend(part.parts if isinstance(part, _Joined) and type(part) is type(self) else (part,))
        if not 2 <= len(flat) <= _MAX_PARTS:
            raise BiasError(
                f"{type(self).__name__} joins 2 to {_MAX_PARTS} conditions; received {len(flat)}. "
                "Use isin([...]) for many values of one column."
            )
        object.__setattr__(self, "parts", tuple(flat))
        object.__setattr__(self, "depth", _deeper(max(part.depth for part in flat)))


@dataclass(frozen=True, repr=False)
class And(_Joined):
    """All of the parts hold."""

    def __repr__(self) -> str:
        return "(" + " & ".join(map(repr, self.parts)) + ")"

    def pieces(self) -> Iterator[Piece]:
        """Give the parts joined by ``and``, an ``or`` among them in brackets."""
        for number, part in enumerate(self.parts):
            if number:
                yield " and ", None
            yield from _bracketed(part, isinstance(part, Or))


@dataclass(frozen=True, repr=False)
class Or(_Joined):
    """At least one of the parts holds."""

    def __repr__(self) -> str:
        return "(" + " | ".join(map(repr, self.parts)) + ")"

    def pieces(self) -> Iterator[Piece]:
        """Give the parts joined by ``or``; ``and`` binds tighter and needs no brackets."""
        for number, part in enumerate(self.parts):
            if number:
                yield " or ", None
            yield from part.pieces()


@dataclass(frozen=True, repr=False)
class Not(Condition):
    """The part does not hold."""

    part: Condition
    depth: int = field(init=False, compare=False, default=0)

    def __post_init__(self) -> None:
        _operand(self.part, "~")
        object.__setattr__(self, "depth", _deeper(self.part.depth))

    def __repr__(self) -> str:
        return f"~{self.part!r}"

    def pieces(self) -> Iterator[Piece]:
        """Give ``not ...``, or ``name not in [...]`` and ``name is not missing`` where the part allows it."""
        if isinstance(self.part, Membership | IsMissing):
            yield from self.part.pieces(negated=True)
        else:
            yield "not ", None
            yield from _bracketed(self.part, isinstance(self.part, _Joined))


def constants_of(leaf: Leaf) -> tuple[Constant, ...]:
    """Give the constants that a leaf compares its column or the label with."""
    if isinstance(leaf, IsMissing):
        return ()
    return leaf.values if isinstance(leaf, Membership) else (leaf.value,)


def leaves(condition: Condition | None) -> Iterator[Leaf]:
    """Give every comparison, membership and question for what is missing, from left to right."""
    if isinstance(condition, Leaf):
        yield condition
    elif isinstance(condition, _Joined):
        for part in condition.parts:
            yield from leaves(part)
    elif isinstance(condition, Not):
        yield from leaves(condition.part)


def _operand(value: object, operator: str) -> Condition:
    if isinstance(value, Condition):
        return value
    raise BiasError(
        f"{operator} joins conditions; received {type(value).__name__}. Put every comparison in brackets: "
        "(col('race') == 'Black') & (label == 1)."
    )


def check_name(name: object) -> None:
    """Refuse a column name that is no text (None stands for the label) or far too long."""
    if name is not None and not isinstance(name, str):
        raise BiasError(f"A column is named by a text; received {type(name).__name__}. Write col('name').")
    if isinstance(name, str) and len(name) > MAX_LENGTH:
        raise BiasError(f"A column name may have at most {MAX_LENGTH} characters; received {len(name)}.")


def as_values(values: object, what: str) -> tuple[Constant, ...]:
    """Check a list of constants; sets are sorted so that equal sets are written alike."""
    if isinstance(values, str | bytes) or not isinstance(values, Iterable):
        raise BiasError(
            f"{what} takes a list of constants; received {type(values).__name__}. Write [...] around it."
        )
    gathered = list(values)
    if not 1 <= len(gathered) <= _MAX_VALUES:
        raise BiasError(f"{what} takes 1 to {_MAX_VALUES} constants; received {len(gathered)}.")
    constants = [as_constant(value) for value in gathered]
    return tuple(sorted(constants, key=constant_text) if isinstance(values, set | frozenset) else constants)


def _deeper(depth: int) -> int:
    if depth >= MAX_NESTING:
        raise BiasError(
            f"Conditions may nest at most {MAX_NESTING} levels of and, or and not; received more. "
            "Join the parts side by side instead, or use isin([...])."
        )
    return depth + 1


def _bracketed(part: Condition, brackets: bool) -> Iterator[Piece]:
    if brackets:
        yield "(", None
    yield from part.pieces()
    if brackets:
        yield ")", None


def _reference_text(column: str | None) -> str:
    return "label" if column is None else quote_name(column)


def reference_repr(column: str | None) -> str:
    """Write a column, or the label (None), as Python: ``col('race')``, ``label``."""
    return "label" if column is None else f"col({column!r})"
