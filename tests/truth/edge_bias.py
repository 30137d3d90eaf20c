"""Bias models of the edge campaign, read a second time: conditions, amounts, and what a witness may change.

Nothing here is taken from the library. A condition is kept as a small tree, written as text for the library,
and judged here as NumPy compares a column, in the column's own type, with a Python constant.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice, product
from typing import Any

import numpy as np
import pandas as pd

OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
KEYWORDS = ("and", "or", "not", "in", "where", "to", "label", "true", "false")

# ---------------------------------------------------------------- conditions


@dataclass(frozen=True)
class Leaf:
    """A column (by place) or the label (None) compared with a constant; with a tuple for "in".

    With "is missing" there is nothing to compare with.
    """

    column: int | None
    op: str
    value: Any

    def text(self, names: Sequence[str]) -> str:
        subject = "label" if self.column is None else quoted(names[self.column])
        if self.op == "in":
            return f"{subject} in [{', '.join(map(constant, self.value))}]"
        if self.op == "is missing":
            return f"{subject} is missing"
        return f"{subject} {self.op} {constant(self.value)}"

    def holds(self, columns: Sequence[Any], labels: Any) -> np.ndarray:
        values = labels if self.column is None else columns[self.column]
        if self.op == "in":
            return np.any([compare(values, "==", value) for value in self.value], axis=0)
        if self.op == "is missing":
            return np.array([bool(pd.isna(value)) for value in values], dtype=bool)
        return compare(values, self.op, self.value)

    def leaves(self) -> Iterator[Leaf]:
        yield self


@dataclass(frozen=True)
class Not:
    part: Any

    def text(self, names: Sequence[str]) -> str:
        return f"not ({self.part.text(names)})"

    def holds(self, columns: Sequence[Any], labels: Any) -> np.ndarray:
        return ~self.part.holds(columns, labels)

    def leaves(self) -> Iterator[Leaf]:
        yield from self.part.leaves()


@dataclass(frozen=True)
class Joined:
    """Two conditions joined by "and" or "or"."""

    word: str
    left: Any
    right: Any

    def text(self, names: Sequence[str]) -> str:
        return f"({self.left.text(names)}) {self.word} ({self.right.text(names)})"

    def holds(self, columns: Sequence[Any], labels: Any) -> np.ndarray:
        left, right = self.left.holds(columns, labels), self.right.holds(columns, labels)
        return left & right if self.word == "and" else left | right

    def leaves(self) -> Iterator[Leaf]:
        yield from self.left.leaves()
        yield from self.right.leaves()


def compare(values: Any, op: str, constant: Any) -> np.ndarray:
    """Compare a column with a constant: numbers as NumPy does, everything else value by value.

    What is missing differs from every constant, and is not less or more than any.
    """
    plain = int(constant) if isinstance(constant, bool) else constant
    if isinstance(values, np.ndarray) and values.dtype.kind in "biuf":
        if values.dtype.kind in "iu" and isinstance(plain, float) and plain.is_integer():
            plain = int(plain)  # in a column of whole numbers 3.0 is 3
        with np.errstate(all="ignore"):
            return np.asarray(OPERATORS[op](values, plain))
    answers = (op == "!=" if pd.isna(value) else OPERATORS[op](value, plain) for value in values)
    return np.array([bool(answer) for answer in answers], dtype=bool)


def quoted(name: str) -> str:
    return name if name.isidentifier() and name not in KEYWORDS else f"`{name}`"


def constant(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return f'"{value}"' if isinstance(value, str) else repr(value)


# ---------------------------------------------------------------- components


@dataclass(frozen=True)
class Part:
    """One component of a bias model; ``amount`` as it is written."""

    kind: str
    amount: str
    where: Any = None
    to: tuple[Any, ...] | None = None

    def text(self, names: Sequence[str]) -> str:
        where = "" if self.where is None else f", where {self.where.text(names)}"
        to = "" if self.to is None else f", to [{', '.join(map(constant, self.to))}]"
        return f"{self.kind}({self.amount}{where}{to})"

    def holds(self, columns: Sequence[Any], labels: Any) -> np.ndarray:
        """The rows that satisfy the condition, with these labels (one for each row)."""
        if self.where is None:
            return np.ones(len(labels), dtype=bool)
        return self.where.holds(columns, labels)

    def count(self, n_rows: int, eligible: int) -> int:
        """The amount in rows; percentages are rounded up, in exact arithmetic."""
        if "%" not in self.amount:
            return int(self.amount)
        whole = eligible if "group" in self.amount else n_rows
        return math.ceil(Fraction(self.amount.split("%")[0]) * whole / 100)

    def gives(self, label: Any) -> bool:
        return self.to is None or any(label == allowed for allowed in self.to)


@dataclass(frozen=True, eq=False)
class Allowance:
    """A bias model on a table whose rows are numbered, added rows included.

    ``counts`` holds the amount of each part in rows, ``allowed[i]`` which rows satisfy its condition with
    which label (rows x labels), ``gives[i]`` the labels a flip may give.
    """

    parts: tuple[Part, ...]
    counts: tuple[int, ...]
    allowed: tuple[np.ndarray, ...]
    gives: tuple[np.ndarray, ...]

    @classmethod
    def of(
        cls, parts: Sequence[Part], columns: Sequence[Any], labels: Sequence[Any], codes: np.ndarray
    ) -> Allowance:
        """Read the parts on columns whose first rows are the training rows, which have the given labels."""
        n_rows, n_all = len(codes), len(columns[0])
        allowed = [
            np.column_stack([part.holds(columns, [label] * n_all) for label in labels]) for part in parts
        ]
        eligible = [int(mask[np.arange(n_rows), codes].sum()) for mask in allowed]
        counts = [part.count(n_rows, number) for part, number in zip(parts, eligible, strict=True)]
        gives = [np.array([part.gives(label) for label in labels], dtype=bool) for part in parts]
        return cls(tuple(parts), tuple(counts), tuple(allowed), tuple(gives))

    def of_kind(self, kind: str) -> list[int]:
        """Numbers of the parts of a kind that may touch somebody."""
        return [i for i, part in enumerate(self.parts) if part.kind == kind and self.counts[i] > 0]

    def _ways(self, kind: str, row: int, label: int, to: int | None = None) -> list[int]:
        return [
            i for i in self.of_kind(kind) if self.allowed[i][row, label] and (to is None or self.gives[i][to])
        ]

    # ------------------------------------------------------------ is a set of changes allowed?

    def permits(
        self,
        flipped: Sequence[tuple[int, int, int]],
        removed: Sequence[tuple[int, int]],
        added: Sequence[tuple[int, int]],
    ) -> bool:
        """Whether the parts allow all these changes together.

        Parameters
        ----------
        flipped : (row, old label, new label)
        removed : (row, label); perhaps flipped first, where only that makes the removal possible
        added : (row, label); perhaps added with another label and flipped
        """
        labels = range(self.allowed[0].shape[1])
        options = [[[self._ways("flip", row, old, new)]] for row, old, new in flipped]
        for row, label in removed:
            direct = [[self._ways("fake", row, label)]]
            flips = [
                [self._ways("flip", row, label, j), self._ways("fake", row, j)] for j in labels if j != label
            ]
            options.append([way for way in direct + flips if all(way)])
        for row, label in added:
            direct = [[self._ways("miss", row, label)]]
            flips = [
                [self._ways("miss", row, j), self._ways("flip", row, j, label)] for j in labels if j != label
            ]
            options.append([way for way in direct + flips if all(way)])
        choices = islice(product(*options), 5000)
        return any(self._assignable([act for way in choice for act in way]) for choice in choices)

    def _assignable(self, acts: list[list[int]]) -> bool:
        """Whether every act finds a part with amount left: a matching of acts and units."""
        if not all(acts):
            return False
        owner: dict[tuple[int, int], int] = {}

        def place(act: int, tried: set[tuple[int, int]]) -> bool:
            for part in acts[act]:
                for unit in range(min(self.counts[part], len(acts))):
                    if (part, unit) in tried:
                        continue
                    tried.add((part, unit))
                    if (part, unit) not in owner or place(owner[part, unit], tried):
                        owner[part, unit] = act
                        return True
            return False

        return all(place(act, set()) for act in range(len(acts)))
