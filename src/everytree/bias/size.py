"""How many tables a bias model allows: log10 of the number of choices of records, or infinity.

Reads what `resolve` found; used by `words` to explain a model, never by a proof.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from everytree.bias.acts import ADD, FLIP, REMOVE
from everytree.bias.columns import COMPARE, Column, TableView, view_of
from everytree.bias.language.expressions import And, Condition, IsMissing, Leaf, Membership, Not, constants_of
from everytree.bias.resolve import ResolvedBias, ResolvedComponent
from everytree.table.structure import MISSING

if TYPE_CHECKING:
    import pandas as pd

    from everytree.table import TrainingTable

__all__ = ["log10_tables"]

_MAX_EXACT_FLIPS = 2000
_MAX_SUMMED = 1_000_000

Allowed = dict[str | None, frozenset[Any]]
"""Column (None: the label) -> the only values that a condition leaves it; others are free."""

Domains = dict[str | None, tuple[Any, ...] | None]
"""Column (None: the label) -> all the values it may have; None when any number is possible."""


def log10_tables(resolved: ResolvedBias, table: TrainingTable | pd.DataFrame) -> float:
    """Give log10 of the number of tables in B(T), counted as choices of records.

    With F rows that may be flipped, t labels each, R removable rows and D possible new rows:
    sum over i <= l of C(F, i) t^i, times sum over i <= k of C(R, i), times C(D + m, m).

    Parameters
    ----------
    resolved : ResolvedBias
        The model on its table.
    table : TrainingTable or pandas.DataFrame
        The training table, or the columns alone, that it was resolved against.

    Returns
    -------
    float
        0 when only T itself is possible, infinity when missing rows may hold any number.

    Notes
    -----
    An upper bound. It is exact for one component of `flip` or `fake` when records are told apart by their
    place, and for one `miss` whose condition joins conditions on different columns by ``and``. A composite
    model takes the product, which counts twice a table that is reached in two ways; so does a kind of several
    acts, as if it had its whole amount for each of them. New rows are built from known categories.
    """
    view = view_of(table)
    return sum(choices(resolved, view) for choices in _CHOICES.values()) / math.log(10)


def _log_additions(resolved: ResolvedBias, table: TableView) -> float:
    """Count the choices of added rows, component by component."""
    return sum(
        _log_multisets(_possible_rows(part, resolved, table), part.usable)
        for part in resolved.components
        if ADD in part.component.acts and part.usable
    )


def _log_removals(resolved: ResolvedBias, table: TableView) -> float:
    """Count the choices of removed rows."""
    return _log_choices(int(resolved.removable.sum()), resolved.removals)


def _log_flips(resolved: ResolvedBias, table: TableView) -> float:
    """Count the choices of flipped rows and new labels; rows may differ in how many labels they may get."""
    targets = resolved.flips_to.sum(axis=1)
    options, rows = np.unique(targets[targets > 0], return_counts=True)
    flips = min(resolved.flips, int(rows.sum()))
    if flips == 0:
        return 0.0
    if len(options) > 1 and flips > _MAX_EXACT_FLIPS:
        options, rows = options[-1:], np.array([rows.sum()])
    terms = np.zeros(1)
    for option, count in zip(options.tolist(), rows.tolist(), strict=True):
        chosen = np.arange(min(flips, count) + 1)
        terms = _log_convolve(
            terms, _log_binomials(count, len(chosen) - 1) + chosen * math.log(option), flips
        )
    return _log_sum(terms)


_CHOICES = {FLIP: _log_flips, REMOVE: _log_removals, ADD: _log_additions}
"""For each act the logarithm of the number of choices that its budget leaves."""


def _log_choices(rows: int, most: int) -> float:
    """Give the logarithm of the sum over i <= most of C(rows, i)."""
    return _log_sum(_log_binomials(rows, min(most, rows)))


def _log_binomials(n: int, most: int) -> npt.NDArray[np.float64]:
    """Give log C(n, i) for i = 0, ..., most."""
    steps = np.arange(1, most + 1, dtype=np.float64)
    return np.concatenate(([0.0], np.cumsum(np.log(n - steps + 1) - np.log(steps))))


def _log_convolve(
    first: npt.NDArray[np.float64], second: npt.NDArray[np.float64], most: int
) -> npt.NDArray[np.float64]:
    """Multiply two polynomials whose coefficients are given as logarithms, up to degree `most`."""
    if len(first) == 1:
        return np.asarray(first[0] + second)
    length = min(most + 1, len(first) + len(second) - 1)
    result = np.empty(length)
    for degree in range(length):
        low, high = max(0, degree - len(second) + 1), min(degree, len(first) - 1)
        result[degree] = _log_sum(first[low : high + 1] + second[degree - high : degree - low + 1][::-1])
    return result


def _log_sum(terms: npt.NDArray[np.float64]) -> float:
    largest = float(terms.max())
    return largest + math.log(float(np.exp(terms - largest).sum()))


def _log_multisets(rows: float, most: int) -> float:
    """Give log C(rows + most, most): the multisets of at most `most` out of `rows` different rows."""
    if rows == math.inf:
        return math.inf
    small, large = sorted((float(rows), float(most)))
    if small <= _MAX_SUMMED:
        steps = np.arange(1, int(small) + 1, dtype=np.float64)
        return float((np.log(large + steps) - np.log(steps)).sum())
    return math.lgamma(small + large + 1) - math.lgamma(small + 1) - math.lgamma(large + 1)


def _possible_rows(part: ResolvedComponent, resolved: ResolvedBias, table: TableView) -> float:
    """Count the rows that a component may add: the product of what each column and the label may be."""
    domains: Domains = {name: _domain(table.column(name)) for name in table.places}
    labels: Domains = {None: resolved.labels}
    allowed = (
        _allowed(part.component.where, True, domains | labels) if part.component.where is not None else {}
    )
    carried = set(allowed.get(None, resolved.labels))
    carried |= {
        value for value, reached in zip(resolved.labels, resolved.added_flips_to, strict=True) if reached
    }
    count, free_number = float(len(carried)), False
    for name, domain in domains.items():
        values = allowed.get(name, domain)
        free_number |= values is None
        count *= 1.0 if values is None else float(len(values))
    return math.inf if free_number and count else count


def _domain(column: Column) -> tuple[Any, ...] | None:
    """List what a column may hold: 0 and 1, the known categories, or any number (None); and nothing."""
    if column.kind == "numeric":
        return None
    holes = (MISSING,) if column.missing.any() else ()
    return (*((0, 1) if column.kind == "boolean" else column.known), *holes)


def _allowed(condition: Condition, positive: bool, domains: Domains) -> Allowed:
    """Give the values that a condition, or its opposite, leaves to each column that it narrows down."""
    if isinstance(condition, Not):
        return _allowed(condition.part, not positive, domains)
    if isinstance(condition, Leaf):
        return _allowed_by_leaf(condition, positive, domains[condition.column])
    parts = [_allowed(part, positive, domains) for part in condition.parts]  # type: ignore[attr-defined]
    return _intersect(parts) if isinstance(condition, And) is positive else _unite(parts)


def _allowed_by_leaf(leaf: Leaf, positive: bool, domain: tuple[Any, ...] | None) -> Allowed:
    if isinstance(leaf, IsMissing):
        if domain is None:
            return {leaf.column: frozenset([MISSING])} if positive else {}
        return {leaf.column: frozenset(value for value in domain if (value is MISSING) is positive)}
    values = constants_of(leaf)
    equality = "==" if isinstance(leaf, Membership) else leaf.operator
    if domain is not None:
        chosen = [value for value in domain if _compares(value, equality, values) is positive]
        return {leaf.column: frozenset(chosen)}
    return {leaf.column: frozenset(values)} if equality == ("==" if positive else "!=") else {}


def _compares(value: Any, operator: str, others: tuple[Any, ...]) -> bool:
    """Compare a value with constants; one that is missing differs from everything, and that is all."""
    if value is MISSING:
        return operator == "!="
    return any(COMPARE[operator](value, other) for other in others)


def _intersect(parts: list[Allowed]) -> Allowed:
    joined: Allowed = {}
    for part in parts:
        for column, values in part.items():
            joined[column] = joined[column] & values if column in joined else values
    return joined


def _unite(parts: list[Allowed]) -> Allowed:
    common = set(parts[0]).intersection(*parts[1:])
    return {column: frozenset().union(*(part[column] for part in parts)) for column in common}
