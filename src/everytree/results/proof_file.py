"""What comes back when a proof file is written: whose proofs are in it, and whose are not."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

__all__ = ["PROOF_SECONDS", "ProofFile"]


PROOF_SECONDS = 600.0
"""Seconds for deriving proofs again, for a file, unless another limit is given."""


@dataclass(frozen=True)
class ProofFile:
    """A proof file that was written.

    Attributes
    ----------
    path : Path
    proved : tuple of int
        Robust people whose proof is in the file.
    left_out : dict
        Robust people whose proof is not in it, with the reason.
    refuted : tuple of int
        People whose witness is in the file.
    """

    path: Path
    proved: tuple[int, ...]
    left_out: dict[int, str]
    refuted: tuple[int, ...]
