"""The user's table as an independent check reads it: what each column is, and whether the features fit it.

Plain Python on plain values. What may be in an added row is decided here anew, from the values that the user
gave; of the library's own description only the way from columns to features is taken over, and checked.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

__all__ = ["UserColumn", "UserTable", "rounded"]

UNSEEN = -1.0
"""What an ordinal encoding gives to a category that training never saw."""


@dataclass(frozen=True, eq=False)
class UserColumn:
    """One column as the user gave it.

    Parameters
    ----------
    values : sequence
        Of the training rows; None where a value is missing.
    way : str
        How it is said to become features: "identity", "onehot", "ordinal", "opaque" or "dropped".
    categories : tuple
        The categories of an encoded column, in the order of its features or codes; None is one of them if
        what is missing is a category.
    features : tuple of int
        Its features.
    float_code : str
        How Python's `struct` calls the type of a column of floats ("e", "f" or "d"); empty for others.
    categorical_type : bool
        Whether the user gave it a type for categories.
    """

    values: Sequence[object]
    way: str
    categories: tuple[object, ...]
    features: tuple[int, ...]
    float_code: str = ""
    categorical_type: bool = False

    @property
    def zero_one(self) -> bool:
        """Whether an added row holds 0 or 1, too: the learner sees the column as it is, and T has no other.

        Where rows of T lack the column, an added row may lack it, too. Numbers behind an encoding or of a
        categorical type stand for categories, of which an added row may hold others. About a column that the
        learner does not see nothing is said.
        """
        known = [value for value in self.values if value is not None]
        plain = self.way == "identity" and not self.categorical_type
        return plain and bool(known) and all(value in (0, 1) for value in known)

    @property
    def may_lack(self) -> bool:
        """Whether an added row may lack the column: some row of T does."""
        return any(value is None for value in self.values)

    def image(self, value: object) -> Iterator[tuple[int, frozenset[float | None]]]:
        """Give what each feature may be for a value of the column; None stands for what is missing."""
        if self.way == "identity":
            yield self.features[0], rounded(value) if value is not None else frozenset({None})
        elif self.way == "onehot":
            for feature, category in zip(self.features, self.categories, strict=True):
                yield feature, frozenset({float(value == category)})
        elif self.way == "ordinal":
            codes = [float(code) for code, category in enumerate(self.categories) if category == value]
            yield self.features[0], frozenset(codes or [UNSEEN])


@dataclass(frozen=True, eq=False)
class UserTable:
    """The columns of the training table by name."""

    columns: Mapping[str, UserColumn]

    def zero_one_features(self, n_features: int) -> list[bool]:
        """Tell of each feature whether an added row can have nothing but 0 and 1 there."""
        found = [False] * n_features
        for column in self.columns.values():
            if column.way == "onehot" or column.zero_one:
                for feature in column.features:
                    found[feature] = True
        return found

    def difference(self, rows: Sequence[Sequence[float | None]]) -> str:
        """Say where the features of the training rows are not what the columns give; empty if nowhere."""
        by_feature = list(zip(*rows, strict=True))
        for name, column in self.columns.items():
            if column.way in ("identity", "onehot", "ordinal"):
                parts = [by_feature[feature] for feature in column.features]
                for value, *features in set(zip(column.values, *parts, strict=True)):
                    if not self._agrees(column, value, dict(zip(column.features, features, strict=True))):
                        return f"The features {features} do not belong to the value {value!r} of {name}."
        return ""

    def difference_of(self, person: Mapping[str, object], features: Sequence[float | None]) -> str:
        """Say the same of one person."""
        for name, column in self.columns.items():
            if name in person and not self._agrees(column, person[name], dict(enumerate(features))):
                return f"The features of the person do not belong to the value {person[name]!r} of {name}."
        return ""

    @staticmethod
    def _agrees(column: UserColumn, value: object, features: Mapping[int, float | None]) -> bool:
        return all(features[feature] in allowed for feature, allowed in column.image(value))


def rounded(value: object) -> frozenset[float | None]:
    """Give the float32 numbers that a cast of a number may give; empty if there is none.

    A whole number beyond 2**53 may be rounded to float64 on the way, or not.
    """
    if not isinstance(value, int | float):
        return frozenset()
    try:
        through = float(struct.unpack("f", struct.pack("f", float(value)))[0])
    except OverflowError:
        return frozenset()
    return frozenset({through, _directly(value)}) if isinstance(value, int) else frozenset({through})


def _directly(value: int) -> float:
    """Round a whole number to 24 binary digits, ties to even."""
    cut = max(0, abs(value).bit_length() - 24)
    whole, rest = divmod(abs(value), 1 << cut)
    twice = 2 * rest
    up = twice > 1 << cut or (twice == 1 << cut and whole % 2 == 1)
    return float((whole + up << cut) * (-1 if value < 0 else 1))
