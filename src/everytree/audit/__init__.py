"""Audits: many bias models, amounts and depths on one pair of tables, kept as they finish.

Above `certify` and `radius`, below the report: nothing is proved here.
"""

from everytree.audit.plan import Cell, Data, Outputs, Plan, Sweep
from everytree.audit.result import AuditResult

__all__ = ["AuditResult", "Cell", "Data", "Outputs", "Plan", "Sweep"]
