"""Bias models: components, each of one of the `KINDS`, and their sums.

Frozen values that know how to write themselves as text, Python and dictionary. Sits above `expressions`;
`grammar` reads the text form into these objects and `resolve` gives them a meaning on a table.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from everytree.bias.acts import FLIP
from everytree.bias.components import NAMES, TAKING_TO, kind_named
from everytree.bias.components.kind import Kind
from everytree.bias.language.amounts import Amount
from everytree.bias.language.expressions import Condition, Piece, as_values
from everytree.bias.language.text import MAX_LENGTH, Constant, as_constant, constant_key, constant_text
from everytree.errors import BiasError
from everytree.support.above import above

__all__ = ["BiasModel", "Component", "as_bias"]


@dataclass(frozen=True, repr=False)
class Component:
    """One way in which the training table may be wrong.

    Parameters
    ----------
    kind : {"flip", "miss", "fake"}
        Labels may be wrong, rows may be missing, rows may be fake.
    amount : Amount, int or str
        At most how many rows.
    where : Condition, str or None
        Which rows; None means any row. A text is parsed.
    to : constant, list of constants or None
        For `flip`: the labels that a row may be given; None means any other label.
    """

    kind: str
    amount: Amount
    where: Condition | None = None
    to: tuple[Constant, ...] | None = field(default=None, compare=False)
    _key: Any = field(init=False, default=None)

    def __post_init__(self) -> None:
        if self.kind not in NAMES:
            raise BiasError(f"A component is one of {', '.join(NAMES)}; received {self.kind!r:.80}.")
        object.__setattr__(self, "amount", Amount.of(self.amount))
        object.__setattr__(self, "where", _as_condition(self.where))
        if self.to is None:
            return
        if FLIP not in self.acts:
            raise BiasError(
                f"Only {TAKING_TO} takes to; received it for {self.kind}. Use where label == ... instead."
            )
        given: Any = self.to
        single = isinstance(given, str) or not hasattr(given, "__iter__")
        targets = (as_constant(given, what="to"),) if single else as_values(given, "to")
        object.__setattr__(self, "to", targets)
        object.__setattr__(self, "_key", tuple(map(constant_key, targets)))

    @property
    def definition(self) -> Kind:
        """Its kind, with acts and words."""
        return kind_named(self.kind)

    @property
    def acts(self) -> tuple[int, ...]:
        """What one unit of it may do: some of ADD, FLIP and REMOVE of `everytree.bias.acts`."""
        return self.definition.acts

    def pieces(self) -> Iterator[Piece]:
        """Give the text form bit by bit; the constants of `to` carry the mark (id of self, number)."""
        yield f"{self.kind}({self.amount}", None
        if self.where is not None:
            yield ", where ", None
            yield from self.where.pieces()
        if self.to is not None:
            yield ", to " if len(self.to) == 1 else ", to [", None
            for number, value in enumerate(self.to):
                yield ", " if number else "", None
                yield constant_text(value), (id(self), number)
            yield "" if len(self.to) == 1 else "]", None
        yield ")", None

    @cached_property
    def text(self) -> str:
        """The text form."""
        return "".join(text for text, _ in self.pieces())

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"Component({self.kind!r}, {self._arguments()})"

    def _arguments(self) -> str:
        where = "" if self.where is None else f", where={self.where!r}"
        if self.to is None:
            return f"{self.amount.plain()!r}{where}"
        return f"{self.amount.plain()!r}{where}, to={self.to[0] if len(self.to) == 1 else list(self.to)!r}"

    def __add__(self, other: object) -> BiasModel:
        return BiasModel((self,)) + other


@dataclass(frozen=True, repr=False)
class BiasModel:
    """A finite list of components: every table they allow together is a possible true table.

    Parameters
    ----------
    components : tuple of Component
        At least one.

    Examples
    --------
    >>> from everytree.bias import col, flip, label, miss
    >>> bias = flip("1%", where=(col("race") == "Black") & (label == 1)) + miss(20)
    >>> print(bias)
    flip(1%, where race == "Black" and label == 1) + miss(20)
    """

    components: tuple[Component, ...]

    def __post_init__(self) -> None:
        components = tuple(self.components)
        if not components or not all(isinstance(part, Component) for part in components):
            raise BiasError("A bias model holds at least one Component. Write flip(0) for no bias at all.")
        object.__setattr__(self, "components", components)
        length = sum(len(part.text) + 3 for part in components) - 3
        if length > MAX_LENGTH:
            raise BiasError(
                f"A bias model may have at most {MAX_LENGTH} characters in its text form; received {length}. "
                "Add a column to the table that names the group, and compare that one."
            )

    def __add__(self, other: object) -> BiasModel:
        if isinstance(other, Component):
            return BiasModel((*self.components, other))
        if isinstance(other, BiasModel):
            return BiasModel(self.components + other.components)
        return NotImplemented

    def __radd__(self, other: object) -> BiasModel:
        """Let ``sum([...])`` work, which starts at 0."""
        return self if isinstance(other, int) and other == 0 else NotImplemented

    def __str__(self) -> str:
        return " + ".join(part.text for part in self.components)

    def __repr__(self) -> str:
        return " + ".join(f"{part.kind}({part._arguments()})" for part in self.components)

    def _repr_html_(self) -> str:
        return str(above("bias_html")(self))

    @property
    def has_free_amount(self) -> bool:
        """Whether some amount is left open as ``?``."""
        return any(part.amount.unit == "free" for part in self.components)

    def with_amount(self, amount: object) -> BiasModel:
        """Fill every ``?`` with the same amount."""
        filled = Amount.of(amount)
        return BiasModel(
            tuple(
                replace(part, amount=filled) if part.amount.unit == "free" else part
                for part in self.components
            )
        )

    def to_dict(self) -> dict[str, Any]:
        """Give the dictionary form, which `json.dumps` accepts and `from_dict` reads back."""
        from everytree.bias.language.dictionary import model_to_dict

        return model_to_dict(self)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> BiasModel:
        """Read the dictionary form; see `to_dict`."""
        from everytree.bias.language.dictionary import model_from_dict

        return model_from_dict(data)


def as_bias(bias: object) -> BiasModel:
    """Give a bias model from any of its forms: model, component, text or dictionary."""
    if isinstance(bias, BiasModel):
        return bias
    if isinstance(bias, Component):
        return BiasModel((bias,))
    if isinstance(bias, str):
        from everytree.bias.language.grammar import parse

        return parse(bias)
    if isinstance(bias, Mapping):
        return BiasModel.from_dict(bias)
    raise BiasError(
        f"A bias model is a BiasModel, a text or a dictionary; received {type(bias).__name__}. "
        'Write for example flip("1%") or "flip(1%)".'
    )


def _as_condition(where: object) -> Condition | None:
    if where is None or isinstance(where, Condition):
        return where
    if isinstance(where, str):
        from everytree.bias.language.grammar import parse_condition

        return parse_condition(where)
    raise BiasError(
        f"where takes a condition or its text; received {type(where).__name__}. "
        "Write for example where=(col('race') == 'Black') & (label == 1)."
    )
