"""The words a condition starts with in Python: `col("race")` and `label`.

They overload the comparison operators, so they are kept apart from `expressions`, whose values have
ordinary equality.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from everytree.bias.language.expressions import Comparison, IsMissing, Membership, check_name, reference_repr
from everytree.bias.language.text import as_constant
from everytree.errors import BiasError

__all__ = ["Reference", "col", "label"]


@dataclass(frozen=True, eq=False, repr=False)
class Reference:
    """A column by name, or the label (None); comparing it with a constant gives a condition.

    Examples
    --------
    >>> print((col("age") < 25) & (label == 1))
    age < 25 and label == 1
    """

    column: str | None

    __hash__ = None  # type: ignore[assignment]

    def __post_init__(self) -> None:
        check_name(self.column)

    def __eq__(self, other: object) -> Comparison:  # type: ignore[override]
        return self._compare("==", other)

    def __ne__(self, other: object) -> Comparison:  # type: ignore[override]
        return self._compare("!=", other)

    def __lt__(self, other: object) -> Comparison:
        return self._compare("<", other)

    def __le__(self, other: object) -> Comparison:
        return self._compare("<=", other)

    def __gt__(self, other: object) -> Comparison:
        return self._compare(">", other)

    def __ge__(self, other: object) -> Comparison:
        return self._compare(">=", other)

    def __bool__(self) -> bool:
        raise BiasError(
            f"{self!r} has no truth value of its own. Compare it with a constant, such as {self!r} == 1."
        )

    def __repr__(self) -> str:
        return reference_repr(self.column)

    def isin(self, values: Iterable[Any]) -> Membership:
        """Ask whether the value is one of `values` (a list, tuple, set or array of constants)."""
        return Membership(self.column, values)  # type: ignore[arg-type]

    def is_missing(self) -> IsMissing:
        """Ask whether the row has no value in this column (NaN, None and the like)."""
        return IsMissing(self.column)  # type: ignore[arg-type]

    def _compare(self, operator: str, other: object) -> Comparison:
        return Comparison(self.column, operator, as_constant(other, what=f"What {self!r} is compared with"))


def col(name: str) -> Reference:
    """Refer to a column of the training table by its original name.

    Examples
    --------
    >>> col("race") == "Black"
    (col('race') == 'Black')
    """
    if name is None:
        raise BiasError("col() takes the name of a column; received None. Write label for the label.")
    return Reference(name)


label = Reference(None)
"""The label of a row, to be compared like a column: ``label == 1``."""
