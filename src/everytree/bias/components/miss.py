"""The kind `miss`: rows may be missing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from everytree.bias.acts import ADD
from everytree.bias.components.kind import Kind

if TYPE_CHECKING:
    from everytree.bias.language.amounts import Amount
    from everytree.bias.language.expressions import Condition
    from everytree.bias.model import BiasModel

__all__ = ["KIND", "miss"]

KIND = Kind(
    name="miss",
    acts=(ADD,),
    doubt="may be missing",
    fact="is missing",
    facts="are missing",
    whichever="whatever the missing rows are",
)


def miss(amount: int | str | Amount, where: Condition | str | None = None) -> BiasModel:
    """Allow up to `amount` rows that satisfy `where` to be missing from the table; see `flip`."""
    return KIND.model(amount, where)
