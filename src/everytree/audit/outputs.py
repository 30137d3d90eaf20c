"""Writing what an audit was asked to write: people, groups, report.

After the cells and above `tables`; each file appears whole or not at all.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from everytree.audit.keys import naming
from everytree.support.above import above
from everytree.support.files import write_table

if TYPE_CHECKING:
    from everytree.audit.result import AuditResult

__all__ = ["write_outputs"]


def write_outputs(audit: AuditResult) -> list[Path]:
    """Write the outputs that the plan names, and list them."""
    outputs = audit.plan.outputs
    if outputs.people is not None:
        write_table("[outputs] people", outputs.people, audit.people())
    if outputs.groups is not None:
        write_table("[outputs] groups", outputs.groups, audit.to_frame(metrics=True))
    if outputs.report is not None:
        with naming("[outputs] report"):
            above("write_report")(audit, outputs.report)
    return [path for path in (outputs.people, outputs.groups, outputs.report) if path is not None]
