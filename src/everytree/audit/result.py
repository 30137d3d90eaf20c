"""What an audit found: the result of every cell, as `certify` and `radius` would have returned it.

Read by the tables, the pictures and the report.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from everytree.audit.require import unmet
from everytree.audit.tables import group_lines, people_lines

if TYPE_CHECKING:
    import pandas as pd

    from everytree.audit.plan import Cell, Plan
    from everytree.learner import Prepared
    from everytree.results.certification import CertificationResult
    from everytree.results.proof_file import ProofFile
    from everytree.results.radii import RadiusResult

__all__ = ["AuditResult"]


@dataclass(frozen=True, eq=False)
class AuditResult:
    """Everything an audit found.

    Attributes
    ----------
    plan : Plan
        What was asked.
    prepared : dict
        Depth to the tables and the learner; ``prepared[depth].test.y`` holds codes of the true labels, or is
        None if the test table has none.
    verdicts : dict
        Cell to CertificationResult, in the order of the plan.
    radii : dict
        Cell to RadiusResult, in the order of the plan.
    hashes : dict
        What was read (``"train"``, ``"test"``) to the SHA-256 of its content.
    proofs : dict
        Cell to the ProofFile that was written for it, if the plan asks for proofs.
    """

    plan: Plan
    prepared: dict[int, Prepared]
    verdicts: dict[Cell, CertificationResult]
    radii: dict[Cell, RadiusResult]
    hashes: dict[str, str]
    proofs: dict[Cell, ProofFile] = field(default_factory=dict)

    def of(self, sweep: int, depth: int) -> dict[Cell, CertificationResult]:
        """Give the verdicts of one sweep and depth, in the order of its amounts."""
        return {
            cell: result
            for cell, result in self.verdicts.items()
            if cell.sweep == sweep and cell.depth == depth
        }

    def radius_of(self, sweep: int, depth: int) -> RadiusResult | None:
        """Give the radius of one sweep and depth, or None if it was not asked for."""
        for cell, result in self.radii.items():
            if cell.sweep == sweep and cell.depth == depth:
                return result
        return None

    def to_frame(self, metrics: bool = False) -> pd.DataFrame:
        """One line for each cell and group, everybody first.

        Parameters
        ----------
        metrics : bool, default False
            Add the ranges of `everytree.metric_ranges`, and a line that compares the groups.

        Returns
        -------
        DataFrame
            Which cell: ``bias`` (its name), ``model``, ``amount``, ``with_amount``, ``depth``, ``engine`` and
            ``complete``. Which people and how many: ``by``, ``group`` and ``n``. Shares of them: ``robust``,
            ``not robust`` and ``unknown``. Of a metric such as ``accuracy``: its value on the table as it is,
            ``accuracy_low`` and ``accuracy_high``, and what `metric_ranges` says about these ends.
        """
        return group_lines(self, metrics)

    def unmet(self) -> list[str]:
        """Say what ``[require]`` asks for and was not found, one sentence each; empty if all was found."""
        return unmet(self)

    def people(self) -> pd.DataFrame:
        """One line for each cell and person.

        Returns
        -------
        DataFrame
            Which cell, as in `to_frame`; then ``index``, the columns of the groups and of
            ``plan.outputs.columns``, ``label`` (the true one, if known), ``prediction``, ``verdict``,
            ``possible_labels`` (a JSON list), ``witness_size`` (in records), ``radius_lower`` and
            ``radius_upper``; missing where there is none. A column of the table that is called like one of
            these is written as ``column NAME``. No other column is copied.
        """
        return people_lines(self)
