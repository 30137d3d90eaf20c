"""The kinds of bias, a file for each: what one is made of, its words and its constructor.

Everybody who asks for kinds goes through the one list `KINDS`: grammar, mistakes in a text, components,
sentences. A new kind has its file here and its place in the list.
"""

from everytree.bias.acts import FLIP
from everytree.bias.components import fake, flip, miss
from everytree.bias.components.kind import Kind

__all__ = ["KINDS", "NAMES", "TAKING_TO", "kind_named"]

KINDS = (flip.KIND, miss.KIND, fake.KIND)
"""All kinds, in the order in which messages name them."""

NAMES = tuple(kind.name for kind in KINDS)
"""What components are called."""

TAKING_TO = " or ".join(kind.name for kind in KINDS if FLIP in kind.acts)
"""Who may say which labels rows are given."""


def kind_named(name: str) -> Kind:
    """Give the kind of this name, one of `NAMES`."""
    return KINDS[NAMES.index(name)]
