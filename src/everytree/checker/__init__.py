"""An independent check of proofs: slow, plain Python, whole numbers, no code shared with the engines.

`check_person` takes plain numbers; `check` takes the library's own tables and bias models.
"""

from everytree.checker.adapter import bias_facts, check, check_proof
from everytree.checker.facts import BiasFacts, CheckReport, TableFacts, TreeFacts
from everytree.checker.walk import check_person

__all__ = [
    "BiasFacts",
    "CheckReport",
    "TableFacts",
    "TreeFacts",
    "bias_facts",
    "check",
    "check_person",
    "check_proof",
]
