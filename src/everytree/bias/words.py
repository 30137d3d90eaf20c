"""A bias model in plain English, and what it comes to on one table.

The reading side of the bias language: `in_words` needs the model alone, `explain` also what `resolve` found.
Nothing is printed here.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from everytree.bias.acts import ADD
from everytree.bias.language.amounts import Amount
from everytree.bias.language.expressions import And, Comparison, Condition, IsMissing, Membership, Not, Or
from everytree.bias.language.text import Constant, quote_string
from everytree.bias.model import BiasModel, Component, as_bias
from everytree.bias.size import log10_tables

if TYPE_CHECKING:
    import pandas as pd

    from everytree.bias.resolve import ResolvedBias, ResolvedComponent
    from everytree.table import TrainingTable

__all__ = ["ComponentExplanation", "Explanation", "explain", "in_words"]

_IS = {
    "==": "is",
    "!=": "is not",
    "<": "is below",
    "<=": "is at most",
    ">": "is above",
    ">=": "is at least",
}


@dataclass(frozen=True)
class ComponentExplanation:
    """One component in words and in rows.

    Parameters
    ----------
    text, words : str
        The component as it is written and in plain English.
    count : int
        Its amount as a number of rows.
    eligible : int
        Training rows that satisfy its condition.
    usable : int
        How many rows it can really touch; less than `count` when the table does not offer as many.
    note : str
        What a reader should know, such as that no row satisfies the condition; often empty.
    """

    text: str
    words: str
    count: int
    eligible: int
    usable: int
    note: str


@dataclass(frozen=True)
class Explanation:
    """What a bias model means on one table; see `explain`.

    Parameters
    ----------
    text, words : str
        The model as it is written and in plain English.
    n_rows : int
        Rows of the training table.
    components : tuple of ComponentExplanation
        In the order of the model.
    additions, flips, removals : int
        The budgets in all.
    log10_tables : float
        Logarithm of the number of tables; infinity when missing rows may hold any number.
    """

    text: str
    words: str
    n_rows: int
    components: tuple[ComponentExplanation, ...]
    additions: int
    flips: int
    removals: int
    log10_tables: float

    @property
    def size_in_words(self) -> str:
        """The number of tables as a phrase, such as ``about 10^12.3 tables``."""
        if math.isinf(self.log10_tables):
            return "infinitely many tables"
        if self.log10_tables < 6:
            number = round(10**self.log10_tables)
            return "1 table" if number == 1 else f"{number} tables"
        return f"about 10^{self.log10_tables:.1f} tables"

    def to_dict(self) -> dict[str, Any]:
        """Give everything as plain values for JSON; infinity becomes the word ``infinite``."""
        written = asdict(self)
        written["components"] = list(written["components"])
        if math.isinf(self.log10_tables):
            written["log10_tables"] = "infinite"
        return written


def explain(
    bias: BiasModel | str, resolved: ResolvedBias, table: TrainingTable | pd.DataFrame
) -> Explanation:
    """Explain a bias model on the table that it was resolved against.

    Parameters
    ----------
    bias : BiasModel or str
        The model.
    resolved : ResolvedBias
        What `resolve` made of it.
    table : TrainingTable or pandas.DataFrame
        The training table or its columns alone, for the number of tables.

    Returns
    -------
    Explanation
    """
    model = as_bias(bias)
    return Explanation(
        text=str(model),
        words=in_words(model),
        n_rows=resolved.n_rows,
        components=tuple(_explain_component(part) for part in resolved.components),
        additions=resolved.additions,
        flips=resolved.flips,
        removals=resolved.removals,
        log10_tables=log10_tables(resolved, table),
    )


def in_words(bias: BiasModel | str) -> str:
    """Say a bias model in plain English, one sentence for each component.

    Examples
    --------
    >>> in_words("flip(1%, where label == 1) + miss(20)")
    'Up to 1% of all rows may have a wrong label, where the label is 1. Up to 20 rows may be missing.'
    """
    return " ".join(_sentence(component) for component in as_bias(bias).components)


def _explain_component(part: ResolvedComponent) -> ComponentExplanation:
    component = part.component
    return ComponentExplanation(
        text=str(component),
        words=_sentence(component),
        count=part.count,
        eligible=part.eligible,
        usable=part.usable,
        note=_note(part),
    )


def _note(part: ResolvedComponent) -> str:
    if part.count == 0:
        return "The amount is 0 rows, so this changes nothing."
    if part.usable == 0:
        return "No row can satisfy the condition, so this changes nothing."
    if ADD in part.component.acts and part.eligible == 0:
        return "No row of the table satisfies the condition, but a missing row may."
    if part.usable < part.count:
        return f"Only {part.usable} rows can be touched."
    return ""


def _sentence(component: Component) -> str:
    sentence = f"{_amount(component.amount)} {component.definition.doubt}"
    if component.to is not None:
        sentence += f", their true label being {_either(component.to)}"
    if component.where is not None:
        sentence += f", where {_condition(component.where)}"
    return sentence + "."


def _amount(amount: Amount) -> str:
    if amount.unit == "free":
        return "Some number of rows"
    if amount.unit == "rows":
        return f"Up to {amount} row{'' if amount.value == 1 else 's'}"
    percent = str(amount).split("%")[0]
    return f"Up to {percent}% of {'all rows' if amount.unit == 'table' else 'the rows of the group'}"


def _condition(condition: Condition) -> str:
    if isinstance(condition, Comparison):
        return f"{_subject(condition.column)} {_IS[condition.operator]} {_value(condition.value)}"
    if isinstance(condition, Membership):
        return f"{_subject(condition.column)} is {_either(condition.values)}"
    if isinstance(condition, Not) and isinstance(condition.part, Membership):
        return f"{_subject(condition.part.column)} is not {_either(condition.part.values)}"
    if isinstance(condition, IsMissing):
        return f"{condition.column} is missing"
    if isinstance(condition, Not) and isinstance(condition.part, IsMissing):
        return f"{condition.part.column} is not missing"
    if isinstance(condition, Not):
        return f"it is not so that ({_condition(condition.part)})"
    if isinstance(condition, And):
        return " and ".join(_grouped(part, isinstance(part, Or)) for part in condition.parts)
    return " or ".join(_grouped(part, isinstance(part, And)) for part in condition.parts)  # type: ignore[attr-defined]


def _grouped(condition: Condition, brackets: bool) -> str:
    words = _condition(condition)
    return f"({words})" if brackets else words


def _subject(column: str | None) -> str:
    return "the label" if column is None else column


def _either(values: tuple[Constant, ...]) -> str:
    words = [_value(value) for value in values]
    return words[0] if len(words) == 1 else ", ".join(words[:-1]) + " or " + words[-1]


def _value(value: Constant) -> str:
    return quote_string(value) if isinstance(value, str) else str(value).lower()
