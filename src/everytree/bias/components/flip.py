"""The kind `flip`: labels may be wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from everytree.bias.acts import FLIP
from everytree.bias.components.kind import Kind

if TYPE_CHECKING:
    from everytree.bias.language.amounts import Amount
    from everytree.bias.language.expressions import Condition
    from everytree.bias.model import BiasModel

__all__ = ["KIND", "flip"]

KIND = Kind(
    name="flip",
    acts=(FLIP,),
    doubt="may have a wrong label",
    fact="has a wrong label",
    facts="have a wrong label",
    whichever="whichever labels are the wrong ones",
)


def flip(amount: int | str | Amount, where: Condition | str | None = None, to: Any = None) -> BiasModel:
    """Allow up to `amount` labels to be wrong, among the rows `where`.

    Parameters
    ----------
    amount : int, str or Amount
        ``20``, ``"1%"`` (of the table, rounded up), ``"5% of group"``, or ``"?"``.
    where : Condition, str or None
        Which rows; any row by default.
    to : constant, list of constants or None
        The labels that a row may be given; any other label by default.

    Returns
    -------
    BiasModel
    """
    return KIND.model(amount, where, to)
