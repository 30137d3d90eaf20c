"""Does a bias model fit the table? Names, categories, types and labels, checked before any arithmetic.

Serves `resolve`. Every error shows the component in its text form with a caret under the word that does not
fit, and suggests the nearest one that does.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from everytree.bias.columns import Column, TableView
from everytree.bias.language.expressions import Comparison, Condition, constants_of, leaves
from everytree.bias.language.text import Constant, constant_text, nearest, point_at, quote_name
from everytree.bias.model import Component
from everytree.errors import BiasError

__all__ = ["check_component"]

_SHOWN = 8


def check_component(component: Component, table: TableView) -> None:
    """Check every name and constant of a component against the table.

    Raises
    ------
    BiasError
        At an unknown column, category or label, or at a comparison between different types.
    """
    for leaf in leaves(component.where):
        values = constants_of(leaf)
        ordered = isinstance(leaf, Comparison) and leaf.operator not in ("==", "!=")
        if leaf.column is None:
            _check_labels(component, leaf, values, ordered, table)
        elif leaf.column not in table.places:
            raise _error(component, leaf, -1, _unknown_column(leaf.column, table))
        else:
            _check_values(component, leaf, values, ordered, table.column(leaf.column))
    if component.to is not None:
        _check_labels(component, component, component.to, False, table)


def _unknown_column(name: str, table: TableView) -> str:
    problem = f"There is no column {quote_name(name)} in the training table."
    if name == table.label_name:
        return f"{problem} It is the label: write label."
    close = nearest(name, table.places)
    return problem + (
        f" Did you mean {quote_name(close)}?" if close else f" Known: {_some(map(quote_name, table.places))}."
    )


def _check_labels(
    component: Component,
    leaf: Condition | Component,
    values: Iterable[Constant],
    ordered: bool,
    table: TableView,
) -> None:
    texts = any(isinstance(known, str) for known in table.labels)
    for number, value in enumerate(values):
        if ordered and texts == isinstance(value, str) and not texts:
            continue
        if ordered:
            problem = "Only labels that are numbers can be compared with < <= > >= and a number."
            raise _error(
                component, leaf, number, f"{problem} Use == or in; the labels are {_constants(table.labels)}."
            )
        if value not in table.labels:
            raise _error(
                component, leaf, number, _unknown_value("label", value, table.labels, "The labels are")
            )


def _check_values(
    component: Component, leaf: Condition, values: Iterable[Constant], ordered: bool, column: Column
) -> None:
    name = quote_name(column.name)
    known = set(column.known)
    for number, value in enumerate(values):
        if not column.are_numbers:
            if ordered:
                problem = f"The column {name} holds categories, which have no order."
                raise _error(component, leaf, number, f"{problem} Use == or in.")
            if value not in known:
                raise _error(component, leaf, number, _unknown_value(name, value, column.known, "Known:"))
        elif isinstance(value, str):
            problem = f"The column {name} holds numbers; received the text {constant_text(value)}."
            raise _error(
                component, leaf, number, f"{problem} Compare it with a number, written without quotes."
            )
        elif isinstance(value, bool) and not column.is_zero_one:
            problem = f"The column {name} holds numbers other than 0 and 1; received {constant_text(value)}."
            raise _error(component, leaf, number, f"{problem} Compare it with a number.")


def _unknown_value(name: str, value: Constant, known: Iterable[Any], introduction: str) -> str:
    """Say that a category or label does not exist; the same value in another type comes first as a remedy."""
    known = list(known)
    what = "There is no label" if name == "label" else f"The column {name} never has the value"
    problem = f"{what} {constant_text(value)}."
    spelled = {_spelling(other): other for other in known}
    if _spelling(value) in spelled:
        other = spelled[_spelling(value)]
        return f"{problem} Its values are of another type: write {_constants([other])}."
    close = nearest(str(value), spelled)
    if close is not None and isinstance(value, str):
        return f"{problem} Did you mean {_constants([spelled[close]])}?"
    return f"{problem} {introduction} {_constants(known)}."


def _spelling(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _constants(values: Iterable[Any]) -> str:
    plain = (bool, int, float, str)
    return _some(constant_text(value) if isinstance(value, plain) else str(value) for value in values)


def _some(words: Iterable[str]) -> str:
    """List the first few words."""
    words = list(words)
    return ", ".join(words[:_SHOWN]) + (f" and {len(words) - _SHOWN} more" if len(words) > _SHOWN else "")


def _error(component: Component, leaf: Condition | Component, number: int, problem: str) -> BiasError:
    """Point at the name (-1) or a constant of a leaf, in the text form of its component."""
    position = 0
    for text, mark in component.pieces():
        if mark == (id(leaf), number):
            break
        position += len(text)
    return BiasError(f"{problem}\n{point_at(str(component), position)}")
