"""What results offer but rooms above them do: pictures, notebook displays, questions asked again.

A result never imports what shows it. It asks here by name, and the top of the package, which knows all rooms,
says once where each name is at home.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_HOMES: dict[str, str] = {}


class Picture(Protocol):
    """A picture as results promise it: matplotlib's figure and axes, and the picture in words."""

    ax_: Axes
    figure_: Figure

    @property
    def description(self) -> str:
        """The picture in words."""
        ...


def provide(homes: Mapping[str, str]) -> None:
    """Say in which module each name is at home; a dot in a name asks for a member of a class."""
    _HOMES.update(homes)


def above(name: str) -> Callable[..., Any]:
    """Give a function of a room above, importing it now."""
    value: Any = import_module(_HOMES[name])
    for part in name.split("."):
        value = getattr(value, part)
    function: Callable[..., Any] = value
    return function
