"""Proof files, read and verified: nothing in a file is trusted, every inequality is rebuilt from the table.

Standard library only, whole numbers only; of the package it imports the errors and its own room.
"""

from everytree.checker.proofs.claim import Tables
from everytree.checker.proofs.files import read_lines, verify_file
from everytree.checker.proofs.verify import Report, verify_lines
from everytree.checker.proofs.witnesses import ChangedTables
from everytree.checker.proofs.wording import Rejected
from everytree.checker.proofs.words import claim_words

__all__ = [
    "ChangedTables",
    "Rejected",
    "Report",
    "Tables",
    "claim_words",
    "read_lines",
    "verify_file",
    "verify_lines",
]
