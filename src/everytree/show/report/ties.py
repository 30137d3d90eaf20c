"""Which witnesses stand on a tie between splits, for the list of people and the appendix.

Reads the witnesses of an audit and retrains; how many is decided by the tables alone, so that the same audit
gives the same report everywhere.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from everytree.refute.holding import TRIES, holding_for

if TYPE_CHECKING:
    from everytree.audit import AuditResult, Cell
    from everytree.refute.witness import Witness

__all__ = ["Ties", "ties_of"]

SECONDS = 60.0
"""About how long a slow machine may try witnesses for one report; a usual one takes a tenth of it."""

Case = tuple[int, object, object]
"""A person, what changes, and the label after it."""


@dataclass(frozen=True)
class Ties:
    """On how many of `TRIES` seeds and orders of columns witnesses hold: by depth, and by case."""

    holds: Mapping[int, Mapping[Case, int]]

    def of(self, depth: int, person: int, witness: Witness) -> int | None:
        """The number for one person's witness; None where it was not tried."""
        return self.holds[depth].get(_case(person, witness))

    def words(self, depth: int, person: int, witness: Witness) -> str:
        """Say it; nothing where it was not tried."""
        found = self.of(depth, person, witness)
        if found is None:
            return ""
        if found == TRIES:
            return f"holds on all {TRIES} orders"
        return f"depends on how ties are broken: {found} of {TRIES}"


def ties_of(audit: AuditResult, first: Cell | None = None) -> Ties:
    """Try the witnesses of an audit, those of one cell first and then those of most people."""
    holds = {}
    for depth, prepared in audit.prepared.items():
        shared: dict[object, list[tuple[int, Witness]]] = {}
        early = set()
        for cell, result in audit.verdicts.items():
            for person, witness in sorted(result.witnesses.items() if cell.depth == depth else ()):
                shared.setdefault(witness.changes, []).append((person, witness))
                early |= {witness.changes} if cell == first else set()
        order = sorted(shared, key=lambda changes: (changes not in early, -len(shared[changes])))
        found = holding_for(prepared, [shared[changes] for changes in order], SECONDS / len(audit.prepared))
        holds[depth] = {_case(person, witness): count for person, witness, count in found}
    return Ties(holds)


def _case(person: int, witness: Witness) -> Case:
    return person, witness.changes, witness.after
