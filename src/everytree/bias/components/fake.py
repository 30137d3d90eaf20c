"""The kind `fake`: rows may be fake."""

from __future__ import annotations

from typing import TYPE_CHECKING

from everytree.bias.acts import REMOVE
from everytree.bias.components.kind import Kind

if TYPE_CHECKING:
    from everytree.bias.language.amounts import Amount
    from everytree.bias.language.expressions import Condition
    from everytree.bias.model import BiasModel

__all__ = ["KIND", "fake"]

KIND = Kind(
    name="fake",
    acts=(REMOVE,),
    doubt="may be fake",
    fact="is fake",
    facts="are fake",
    whichever="whichever rows are the fake ones",
)


def fake(amount: int | str | Amount, where: Condition | str | None = None) -> BiasModel:
    """Allow up to `amount` rows among those `where` to be fake, so that they must go; see `flip`."""
    return KIND.model(amount, where)
