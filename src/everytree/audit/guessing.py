"""What a careful person sees in a table at once: the label, columns that name people, columns to compare by.

Behind ``everytree audit --init``, beside `trying`. All of it is said, and can be changed.
"""

from __future__ import annotations

import math
import re
from typing import Any

import pandas as pd

from everytree.errors import AuditError
from everytree.support.text import counted, listing
from everytree.table.bands import Bands
from everytree.table.delimited import WORDS_FOR_MISSING
from everytree.table.signs import DATE, signed_columns

__all__ = ["columns_to_drop", "described", "guess_groups", "guess_label", "is_text"]

FEW, MANY = 10, 50
"""A column of at most `FEW` categories is proposed as groups; text with more than `MANY` is dropped."""

MOST_GROUPS = 3

SENSITIVE = (
    frozenset(("sex", "gender", "female", "male", "woman")),
    frozenset(("race", "ethnicity", "ethnic", "white", "black", "hispanic", "minority")),
    frozenset(("religion", "nationality", "foreign", "disability", "age", "marital", "married", "personal")),
)
"""Words in the names of columns that are proposed as groups before all others; the first sets come first."""

AGE, AGES, MOST_IN_BAND = "age", (25, 45, 65), 0.8
"""A column of ages, where the bands of ages begin, and the largest share of people that one band may hold."""

LABELS = frozenset(("label", "target", "class", "outcome", "y"))
"""Names of columns that are taken for the label."""

IDENTIFIERS = frozenset(
    (
        *(
            "id",
            "ids",
            "no",
            "nr",
            "num",
            "number",
            "key",
            "index",
            "idx",
            "row",
            "rows",
            "rownames",
            "rowname",
        ),
        *("uuid", "guid", "serial", "ssn", "record", "unnamed"),
    )
)
"""Words in the names of columns of whole numbers that say that these name rows."""

ENOUGH, PLENTY = 20, 500
"""So many different whole numbers name the rows if they count on, `PLENTY` whatever they are."""


def guess_label(frame: pd.DataFrame, train: str) -> str:
    """Give the only column with two values, or the only one that is called like a label."""
    binary = [str(name) for name in frame.columns if frame[name].nunique(dropna=False) == 2]
    called = [str(name) for name in frame.columns if str(name).casefold() in LABELS]
    for found in (called, binary):
        if len(found) == 1:
            return found[0]
    said = f"{len(binary)} columns have two values ({listing(binary)})" if binary else "none has two values"
    raise AuditError(
        f"Say with --label which column of {train!r} the tree predicts. It cannot be guessed: {said}. "
        f"The columns are {listing(map(str, frame.columns), 40)}."
    )


def labels_like_holes(y: pd.Series[Any]) -> list[str]:
    """Say of labels that are words for what is missing that they are taken for labels."""
    texts = y.dropna().astype(str)
    counts = texts[texts.str.strip().isin(WORDS_FOR_MISSING)].value_counts()
    return [
        f"the label {label!r} of {counted(int(count), 'row')}: it is taken for a label like the others. If "
        "it says that the label is missing, remove these rows"
        for label, count in counts.items()
    ]


def columns_to_drop(X: pd.DataFrame, y: pd.Series[Any]) -> dict[str, str]:
    """Name the columns that a person would leave out, each with the reason; something is always left."""
    reasons: dict[str, str] = {}
    kept: list[str] = []
    for name in map(str, X.columns):
        reason = _why_not(X[name]) or _told_already(X, name, kept) or _tells_label(X[name], y)
        if reason:
            reasons[name] = reason
        else:
            kept.append(name)
    return reasons if kept else {}


def _why_not(column: pd.Series[Any]) -> str:
    """Say why nothing can be learned from a column by itself."""
    different = column.nunique()
    if different == 0:
        return "has no values at all"
    if different == 1 and not column.isna().any() and len(column) > 1:
        return f"says {column.iloc[0]} in every row"
    if is_text(column):
        if different > min(MANY, len(column) / 2):
            return _text_reason(column, different)
        return ""
    return "looks like an identifier, nearly every row has a value of its own" if _names_rows(column) else ""


def _text_reason(column: pd.Series[Any], different: int) -> str:
    """Say what a text column with many values looks like: numbers, dates, or names and remarks."""
    signed = signed_columns(column.to_frame())
    if signed:
        (example,) = signed.values()
        return f"numbers written as text, such as {example!r}: write them without signs to use them"
    if column.dropna().astype(str).str.match(DATE).all():
        return (
            f"dates written as text, {different} different ones: a year or an age as a number could be used"
        )
    return f"text with {different} different values, such as names or remarks"


def _names_rows(column: pd.Series[Any]) -> bool:
    """Tell whether whole numbers name rows: by the column's name, by counting on, or by sheer number."""
    values = column.dropna()
    if not pd.api.types.is_integer_dtype(column) and not (len(values) and (values % 1 == 0).all()):
        return False
    if IDENTIFIERS.intersection(_words(str(column.name))):
        return values.nunique() > len(column) / 2
    if len(values) < max(ENOUGH, len(column)) or not values.is_unique:
        return False
    return len(values) >= PLENTY or values.max() - values.min() < 2 * len(values)


def _told_already(X: pd.DataFrame, name: str, kept: list[str]) -> str:
    """Say which column has the same information under other names, if there are few of them."""
    if X[name].nunique(dropna=False) > FEW:
        return ""
    for other in kept:
        if _one_to_one(X[name], X[other]):
            return f"says the same as {other} in other words"
    return ""


def _tells_label(column: pd.Series[Any], y: pd.Series[Any]) -> str:
    if column.nunique(dropna=False) <= FEW and len(column) >= ENOUGH and _one_to_one(column, y):
        return f"says the same as the label, {y.name}, in other words"
    return ""


def _one_to_one(one: pd.Series[Any], other: pd.Series[Any]) -> bool:
    if one.nunique(dropna=False) != other.nunique(dropna=False):
        return False
    pairs = pd.DataFrame({"one": pd.factorize(one)[0], "other": pd.factorize(other.to_numpy())[0]})
    return len(pairs.drop_duplicates()) == one.nunique(dropna=False)


def guess_groups(X: pd.DataFrame, dropped: dict[str, str]) -> tuple[str, ...]:
    """Columns to compare people by: those that they must not be treated by, ages in bands; else any."""
    few = [
        name
        for name in map(str, X.columns)
        if 2 <= X[name].nunique() <= min(FEW, len(X) / 2)
        and (is_text(X[name]) or _is_sensitive(name))
        and name not in dropped
    ]
    ages = [_age_bands(X[name]) for name in map(str, X.columns) if name not in dropped and _is_age(X[name])]
    sensitive = [name for name in few if _is_sensitive(name) and not (ages and AGE in _words(name))]
    first = sorted(sensitive, key=_rank)[: MOST_GROUPS - len(ages[:1])]
    return tuple((first + ages or few)[:MOST_GROUPS])


def _is_age(column: pd.Series[Any]) -> bool:
    return AGE in _words(str(column.name)) and not is_text(column) and column.nunique() > FEW


def _age_bands(column: pd.Series[Any]) -> str:
    """Bands of ages that people know; quarters of the people where most would be in one of these."""
    values = column.dropna()
    cuts = [cut for cut in AGES if values.min() < cut <= values.max()]
    largest = pd.cut(values, [-math.inf, *cuts, math.inf], right=False).value_counts(normalize=True).max()
    if largest > MOST_IN_BAND:
        quarters = values.quantile([0.25, 0.5, 0.75], interpolation="higher").unique().tolist()
        cuts = [cut for cut in quarters if cut > values.min()]
    return str(Bands(str(column.name), tuple(cuts)))


def _words(name: str) -> list[str]:
    """The words in the name of a column: ``personal_status``, ``SexCode``."""
    return [word.casefold() for word in re.findall(r"[A-Z]?[a-z]+|[A-Z]+", name)]


def _is_sensitive(name: str) -> bool:
    return _rank(name) < len(SENSITIVE)


def _rank(name: str) -> int:
    """The first set of sensitive words that the name has one of; their number if it has none."""
    words = _words(name)
    return next((rank for rank, known in enumerate(SENSITIVE) if not known.isdisjoint(words)), len(SENSITIVE))


def is_text(column: pd.Series[Any]) -> bool:
    """Tell text from numbers; truth values with holes are numbers."""
    numbers = pd.api.types.is_numeric_dtype(column) or pd.api.types.is_bool_dtype(column)
    return not numbers and pd.api.types.infer_dtype(column, skipna=True) not in ("boolean", "empty")


def described(column: pd.Series[Any]) -> str:
    """Say in one line what a column holds."""
    missing = int(column.isna().sum())
    note = f"; {missing} of {len(column)} missing" if missing else ""
    if not is_text(column):
        values = column.dropna()
        return f"{values.min()} to {values.max()}{note}" if len(values) else f"nothing{note}"
    return f"{column.nunique()} categories, {listing(column.dropna().unique().tolist(), 5)}{note}"
