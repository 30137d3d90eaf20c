"""Labels as a person writes them: from a text in a command or an audit file to a label of the table.

A command and a TOML key can only hold texts, whatever type the label column has; used wherever one names a
label.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from numbers import Real
from typing import Any, TypeVar

from everytree.errors import TableError
from everytree.support.text import as_number, listing, nearest

__all__ = ["by_label", "label_called"]

T = TypeVar("T")


def label_called(name: Any, labels: Iterable[Any]) -> Any:
    """Find the label that is meant: itself, written like this, or the same number or truth value.

    Raises
    ------
    TableError
        If no label is.

    Examples
    --------
    >>> label_called("1", [0.0, 1.0]), label_called("true", [False, True]), label_called("yes", ["no", "yes"])
    (1.0, True, 'yes')
    """
    known = list(labels)
    for same in (_is, _is_written_like, _is_as_good_as):
        for label in known:
            if same(label, name):
                return label
    written = [str(label) for label in known]
    raise TableError(
        f"there is no label {str(name)!r} in the training table; its labels are {listing(written)}."
        f"{nearest(name, written)}"
    )


def by_label(given: Mapping[Any, T], labels: Iterable[Any]) -> dict[Any, T]:
    """Put labels in the place of their names; a label that is named twice is refused."""
    known = list(labels)
    found: dict[Any, T] = {}
    for name, value in given.items():
        label = label_called(name, known)
        if label in found:
            raise TableError(f"the label {str(label)!r} is named twice. Leave one of them out.")
        found[label] = value
    return found


def _is(label: Any, name: Any) -> bool:
    return isinstance(name, type(label)) and bool(label == name)


def _is_written_like(label: Any, name: Any) -> bool:
    return str(label) == str(name)


def _is_as_good_as(label: Any, name: Any) -> bool:
    if isinstance(label, bool):
        return str(label).casefold() == str(name).casefold()
    return isinstance(label, Real) and bool(label == as_number(str(name)))
