"""Proof files: what was proved, written down so that others can verify it without this library's provers."""

from everytree.questions.proofs.verifying import Verification, verify_proof
from everytree.questions.proofs.writing import only_exact, write_proof

__all__ = ["Verification", "only_exact", "verify_proof", "write_proof"]
