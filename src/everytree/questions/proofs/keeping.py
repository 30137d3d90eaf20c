"""A proof file that is there already: whether it proves what a result says, and need not be written again.

Above `writing`. A file is kept only if it is verified once more and claims what would be written.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from everytree.checker.proofs import Rejected, verify_file
from everytree.errors import EverytreeError
from everytree.questions.proofs.claim import claim_of, tables_of
from everytree.questions.proofs.finding import OUT_OF_TIME
from everytree.results.certification import ROBUST
from everytree.results.proof_file import ProofFile

if TYPE_CHECKING:
    from everytree.results.certification import CertificationResult

__all__ = ["kept_proof"]

PEOPLE = ("robust", "not_robust", "left_out")
"""Entries of a claim that say who is in the file."""


def kept_proof(result: CertificationResult, path: Path) -> ProofFile | None:
    """Give the proof file of a result if it is there and about the same; None if it must be written."""
    if not path.is_file():
        return None
    if result.prepared is None:
        raise EverytreeError("This result was made without its tables, so no proof belongs to it.")
    trusted = [] if result.trusted is None else result.trusted.tolist()
    claim = claim_of(result.prepared, result.bias, trusted)
    try:
        line = verify_file(path, tables_of(result.prepared, claim)).claim.line
    except Rejected:
        return None
    expected = json.loads(json.dumps(claim))
    if any(line[name] != expected[name] for name in expected if name not in PEOPLE):
        return None
    return _same_people(result, path, line)


def _same_people(result: CertificationResult, path: Path, line: Mapping[str, Any]) -> ProofFile | None:
    """Compare everybody who was decided with those whom the file proves, refutes or names."""
    left_out = {int(person): str(reason) for person, reason in line["left_out"]}
    proved = sorted(int(person) for people in line["robust"].values() for person, _ in people)
    refuted = tuple(int(person) for person, _ in line["not_robust"])
    decided = {*np.flatnonzero(result.verdicts == ROBUST).tolist(), *result.witnesses}
    if decided != {*proved, *refuted, *left_out} or OUT_OF_TIME in left_out.values():
        return None
    return ProofFile(path, tuple(proved), left_out, refuted)
