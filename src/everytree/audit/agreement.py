"""Answers of one audit made to agree: what is known for one amount holds for smaller or larger ones.

Between the cells and the result. Smaller amounts of the same bias model allow fewer tables, so a proof for
larger amounts covers smaller ones, and a witness within smaller amounts is one for larger ones. Each cell is
searched on its own, and one may know what another did not find.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from everytree.bias import resolve
from everytree.errors import InternalError
from everytree.refute.witness import amount_of
from everytree.results.certification import NOT_ROBUST, ROBUST, UNKNOWN

if TYPE_CHECKING:
    from everytree.audit.plan import Cell
    from everytree.bias import BiasModel
    from everytree.learner import Prepared
    from everytree.refute.witness import Witness
    from everytree.results.certification import CertificationResult
    from everytree.results.radii import RadiusResult

__all__ = ["agree", "counts_of"]

Counts = tuple[int, ...]
"""How many rows each component of a bias model may touch."""


@dataclass(frozen=True, eq=False)
class _Known:
    """What is known for some amounts: who is proved, and who is changed by a witness within them."""

    counts: Counts
    proved: frozenset[int]
    witnesses: Mapping[int, Witness]


def agree(
    verdicts: dict[Cell, CertificationResult],
    radii: dict[Cell, RadiusResult],
    prepared: dict[int, Prepared],
) -> tuple[dict[Cell, CertificationResult], dict[Cell, RadiusResult]]:
    """Let the cells of each sweep and depth tell each other what they know.

    Raises
    ------
    InternalError
        If one cell proves what another refutes.
    """
    agreed, measured = dict(verdicts), dict(radii)
    for sweep, depth in dict.fromkeys((cell.sweep, cell.depth) for cell in [*verdicts, *radii]):
        here = {cell: r for cell, r in verdicts.items() if (cell.sweep, cell.depth) == (sweep, depth)}
        rows = {cell: counts_of(cell.model, prepared[depth]) for cell in here}
        known = [part for cell, r in here.items() for part in _from_cell(r, rows[cell], cell.model)]
        for cell, radius in radii.items():
            if (cell.sweep, cell.depth) == (sweep, depth):
                free = [part.amount.unit == "free" for part in cell.model.components]
                fixed = counts_of(cell.model.with_amount(0), prepared[depth])
                measured[cell] = _sharpened(radius, known, free)
                known += _from_radius(radius, fixed, free)
        for cell, result in here.items():
            agreed[cell] = _informed(result, rows[cell], known)
    return agreed, measured


def counts_of(model: BiasModel, prepared: Prepared) -> Counts:
    """Give the number of rows that each component of a bias model may touch on this table."""
    resolved = resolve(model, prepared.train)
    return tuple(part.count for part in resolved.components)


def _from_cell(result: CertificationResult, counts: Counts, model: BiasModel) -> list[_Known]:
    """What the verdicts of one cell show; a witness of one component counts for no more than it changes."""
    proved = frozenset(np.flatnonzero(result.verdicts == ROBUST).tolist())
    if len(counts) > 1:
        return [_Known(counts, proved, result.witnesses)]
    needs = {person: min(counts[0], amount_of(w, model)) for person, w in result.witnesses.items()}
    return [_Known(counts, proved, {})] + [
        _Known((amount,), frozenset(), {p: w for p, w in result.witnesses.items() if needs[p] == amount})
        for amount in sorted(set(needs.values()))
    ]


def _from_radius(result: RadiusResult, fixed: Counts, free: list[bool]) -> list[_Known]:
    """What the two ends of everybody's radius show, amount by amount."""
    amounts = {int(a) for a in result.lower if a >= 0} | {int(a) for a in result.upper if np.isfinite(a)}
    return [
        _Known(
            tuple(amount if is_free else count for is_free, count in zip(free, fixed, strict=True)),
            frozenset(np.flatnonzero(result.lower == amount).tolist()),
            {p: w for p, w in result.witnesses.items() if result.upper[p] == amount},
        )
        for amount in sorted(amounts)
    ]


def _informed(result: CertificationResult, counts: Counts, known: list[_Known]) -> CertificationResult:
    """Decide the unknown people of one cell by what other cells know, and take their smaller witnesses."""
    verdicts, witnesses = result.verdicts.copy(), dict(result.witnesses)
    possible = list(result.possible_labels)
    labels = result.predictions.tolist()
    for other in known:
        if all(a <= b for a, b in zip(counts, other.counts, strict=True)):
            for person in other.proved:
                _refuse_conflict(verdicts[person] == NOT_ROBUST, person)
                verdicts[person], possible[person] = ROBUST, (labels[person],)
        if all(a >= b for a, b in zip(counts, other.counts, strict=True)):
            for person, witness in other.witnesses.items():
                _refuse_conflict(verdicts[person] == ROBUST, person)
                if verdicts[person] == UNKNOWN or witness.size < witnesses[person].size:
                    verdicts[person], witnesses[person] = NOT_ROBUST, witness
    complete = result.complete or not np.any(verdicts == UNKNOWN)
    return replace(
        result,
        verdicts=verdicts,
        possible_labels=possible,
        witnesses=dict(sorted(witnesses.items())),
        complete=complete,
    )


def _sharpened(result: RadiusResult, known: list[_Known], free: list[bool]) -> RadiusResult:
    """Bring the ends of everybody's radius together by what cells with fixed amounts know."""
    lower, upper, witnesses = result.lower.copy(), result.upper.copy(), dict(result.witnesses)
    for other in known:
        filled = [count for count, is_free in zip(other.counts, free, strict=True) if is_free]
        proved = np.fromiter(other.proved, np.int64)
        lower[proved] = np.maximum(lower[proved], min(min(filled), result.max_amount))
        for person, witness in other.witnesses.items():
            if max(filled) < upper[person] and max(filled) <= result.max_amount:
                upper[person], witnesses[person] = max(filled), witness
    for person in np.flatnonzero(lower >= upper).tolist():
        _refuse_conflict(True, person)
    settled = bool(np.all((upper == lower + 1) | (lower >= result.max_amount)))
    return replace(result, lower=lower, upper=upper, witnesses=witnesses, complete=result.complete or settled)


def _refuse_conflict(conflict: bool, person: int) -> None:
    if conflict:
        raise InternalError(
            f"Two cells contradict each other about test person {person}. This is a fault in everytree; "
            "please report it with the tables."
        )
