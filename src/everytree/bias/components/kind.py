"""What a kind of bias is: a name, the acts that one unit of it may do, and words.

Everything else follows from the acts: what a component may do on a table (`resolve`), how many choices that
leaves (`size`), who allows a change (`everytree.refute.membership`), and what proofs and searches see.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from everytree.bias.language.amounts import Amount
    from everytree.bias.language.expressions import Condition
    from everytree.bias.model import BiasModel

__all__ = ["Kind"]


@dataclass(frozen=True)
class Kind:
    """One kind of bias.

    A component of amount n pays for at most n acts in all, each one of `acts` and done to a row that
    satisfies its condition. First rows are added, then labels are flipped, then rows are removed, whoever
    pays.

    Parameters
    ----------
    name : str
        What its component is called.
    acts : tuple of int
        What one unit of it may do: some of ADD, FLIP and REMOVE of `everytree.bias.acts`.
    doubt, fact, facts : str
        What may be wrong with rows, and what is if one row or several are concerned.
    whichever : str
        That it does not matter which rows these are.
    """

    name: str
    acts: tuple[int, ...]
    doubt: str
    fact: str
    facts: str
    whichever: str

    def model(
        self, amount: int | str | Amount, where: Condition | str | None = None, to: Any = None
    ) -> BiasModel:
        """Give the bias model of one component of this kind."""
        from everytree.bias.model import BiasModel, Component

        return BiasModel((Component(self.name, amount, where, to),))  # type: ignore[arg-type]
