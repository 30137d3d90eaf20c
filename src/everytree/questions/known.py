"""Known tables: those of B(T) from which the tree was really learned, and what it says about everybody.

The table as it is comes first, then those of the witnesses, then those made for a tree. Used by
`everytree.questions.metrics`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import numpy as np

from everytree.errors import InternalError
from everytree.questions.reaching import Reaching
from everytree.refute.retrain import different_witnesses, retrain, retrained_predictions
from everytree.refute.witness import as_witness

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from everytree.learner import Prepared
    from everytree.prove.problem import Problem
    from everytree.questions.joint.naming import Named
    from everytree.refute.witness import Witness
    from everytree.results.certification import CertificationResult
    from everytree.support.progress import Progress

__all__ = ["KnownTables", "known_tables", "reach_further"]


@dataclass(frozen=True, eq=False)
class KnownTables:
    """``labels[t, p]`` is the code of the label that the tree of table t gives person p.

    ``witnesses[t]`` holds the changes that make the table, None for the table as it is.
    """

    labels: NDArray[np.integer[Any]]
    witnesses: tuple[Witness | None, ...]

    def with_further(self, labels: NDArray[np.integer[Any]], witnesses: list[Witness]) -> KnownTables:
        """Add tables."""
        if not witnesses:
            return self
        together = np.concatenate([self.labels, labels.astype(self.labels.dtype)])
        return KnownTables(together, (*self.witnesses, *witnesses))

    def joined(self, others: Sequence[KnownTables]) -> KnownTables:
        """Add the tables of others that are not among these, for the same people and labels."""
        seen = {witness.changes for witness in self.witnesses if witness is not None}
        labels, witnesses = [self.labels[:0]], []
        for other in others:
            for row, witness in zip(other.labels, other.witnesses, strict=True):
                if witness is not None and witness.changes not in seen:
                    seen.add(witness.changes)
                    labels.append(row[None])
                    witnesses.append(witness)
        return self.with_further(np.concatenate(labels), witnesses)

    def check(self, possible: NDArray[np.bool_]) -> None:
        """Compare all trees with all proofs."""
        allowed = possible[np.arange(len(possible)), self.labels].all(axis=0)
        if not allowed.all():
            raise InternalError(
                f"A retrained tree contradicts the proof for test person {int(np.argmin(allowed))}. This is "
                "a fault in everytree; please report it with the table."
            )


_KNOWN: WeakKeyDictionary[CertificationResult, dict[int, KnownTables]] = WeakKeyDictionary()
"""Known tables of each result, for each number of tries: the same for all groupings."""


def reach_further(
    known: KnownTables, trees: list[Named], problem: Problem, prepared: Prepared, tries: int
) -> KnownTables:
    """Learn from tables that are made for given trees, as many as are left of `tries`."""
    seen = {witness.changes for witness in known.witnesses if witness is not None}
    found: list[Witness] = []
    for trial in Reaching(problem).tables_for(trees):
        if len(known.witnesses) + len(found) > tries:
            break
        seed = 0 if prepared.learner.random_state is None else None
        witness = as_witness(replace(trial, random_state=seed), prepared.train, None, None)
        if witness.changes not in seen:
            seen.add(witness.changes)
            found.append(witness)
    labels = [retrain(prepared, witness).predict(prepared.test.X) for witness in found]
    return known.with_further(np.array(labels), found)


def known_tables(result: CertificationResult, tries: int, progress: bool | Progress) -> KnownTables:
    """Learn from the tables of at most so many witnesses."""
    kept = _KNOWN.setdefault(result, {})
    if tries not in kept:
        code = {label: c for c, label in enumerate(result.labels.tolist())}
        today = np.array([[code[label] for label in result.predictions.tolist()]])
        known = KnownTables(today.astype(np.min_scalar_type(-len(code))), (None,))
        if result.prepared is not None and result.witnesses and tries:
            people = different_witnesses(result.witnesses, tries)
            labels = retrained_predictions(result.prepared, result.witnesses, people, progress)
            known = known.with_further(labels, [result.witnesses[p] for p in people])
        kept[tries] = known
    return kept[tries]
