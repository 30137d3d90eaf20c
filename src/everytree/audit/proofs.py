"""One proof file for each cell of an audit; whoever has no exact proof is unknown.

After the cells agree and before anything is written about them: no output says more than the proofs do.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from everytree.audit.keys import naming
from everytree.questions.proofs import only_exact, write_proof
from everytree.questions.proofs.claim import check_covered
from everytree.questions.proofs.keeping import kept_proof

if TYPE_CHECKING:
    from everytree.audit.plan import Cell, Plan
    from everytree.audit.result import AuditResult
    from everytree.learner import Prepared

__all__ = ["check_proofs", "with_proofs"]

KEY = "[outputs] proofs"
LONGEST_NAME = 60


def check_proofs(plan: Plan, prepared: Prepared) -> None:
    """Refuse before a long run what no proof file covers."""
    if not plan.outputs.proofs:
        return
    for sweep in plan.sweeps:
        for model in (sweep.model, sweep.second):
            if model is not None:
                with naming(KEY):
                    check_covered(prepared, model)


def with_proofs(audit: AuditResult) -> AuditResult:
    """Write the proofs of every cell, if the plan asks for them, and give the audit as far as they hold.

    A file that is there already, is verified again and claims the same is not written a second time. So an
    audit that was interrupted goes on where it was.
    """
    outputs = audit.plan.outputs
    if not outputs.proofs:
        return audit
    verdicts, written = dict(audit.verdicts), {}
    for number, (cell, result) in enumerate(audit.verdicts.items(), 1):
        path = outputs.proof_folder / _name(number, cell)
        with naming(KEY):
            file = kept_proof(result, path)
            file = file or write_proof(result, path, time_limit=audit.plan.time_limit)
        written[cell], verdicts[cell] = file, only_exact(result, file)
    return replace(audit, verdicts=verdicts, proofs=written)


def _name(number: int, cell: Cell) -> str:
    """A name that says which cell it is, in letters that every disk and every address can have."""
    said = f"{cell.model} depth {cell.depth}".replace("%", " percent ")
    words = re.sub(r"[^0-9A-Za-z.]+", "-", said).strip("-")
    return f"{number:02}-{words[:LONGEST_NAME].strip('-')}.proof"
