"""Audits: many bias models, amounts and depths on one pair of tables, kept as they finish.

Above `certify` and `radius`, below the report: nothing is proved here.
"""

from everytree.audit.config import load_plan
from everytree.audit.plan import Cell, Data, Outputs, Plan, Sweep
from everytree.audit.require import Bound, Require
from everytree.audit.result import AuditResult
from everytree.audit.run import run_audit

__all__ = [
    "AuditResult",
    "Bound",
    "Cell",
    "Data",
    "Outputs",
    "Plan",
    "Require",
    "Sweep",
    "load_plan",
    "run_audit",
]
