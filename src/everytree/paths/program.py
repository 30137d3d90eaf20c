"""Linear programs over changes of the table, solved with HiGHS and checked by their dual multipliers.

A program minimises the share t of the budgets that a path needs. Knows cells and unit changes, not paths.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from everytree.support.clock import now

if TYPE_CHECKING:
    from numpy.typing import NDArray

PENALTY = 1e4
"""Price of breaking a condition by one unit, in shares of the budget: a program is never infeasible."""

SAFETY = 1e-6
"""A dual bound must exceed the budget by this share before a path counts as impossible."""


@dataclass(frozen=True, eq=False)
class Changes:
    """The columns of a program: unit changes of the rows (or added rows) of one cell.

    ``uses[k, c]`` counts what column c takes from the budget of act k, ``cap[c]`` bounds its use,
    ``cell[c]`` is its cell, ``source[c]`` and ``target[c]`` the labels before and after (-1 for none).
    ``group[c]`` numbers the rows that several columns share (-1 for added rows), ``size`` counts them.
    """

    uses: NDArray[np.float64]
    cap: NDArray[np.float64]
    cell: NDArray[np.int64]
    source: NDArray[np.int64]
    target: NDArray[np.int64]
    group: NDArray[np.int64]
    size: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Solution:
    """Least share of the budgets by the solver, a bound below it that was checked, and the changes.

    ``multipliers`` are those of the conditions as they were given, before they were scaled.
    """

    share: float
    bound: float
    broken: float
    amounts: NDArray[np.float64]
    multipliers: NDArray[np.float64]


@dataclass(eq=False)
class Program:
    """Conditions ``coefficients @ f >= right`` on changes f; minimises the share t of the budgets."""

    changes: Changes
    fixed: NDArray[np.float64]
    free: NDArray[np.float64]
    most: float = 1.0
    rows: list[NDArray[np.float64]] = field(default_factory=list)
    right: list[NDArray[np.float64]] = field(default_factory=list)
    scales: list[NDArray[np.float64]] = field(default_factory=list)

    def require(self, coefficients: NDArray[np.float64], right: float) -> None:
        """Add one condition."""
        self.require_all(coefficients[None, :], np.array([right]))

    def require_all(self, coefficients: NDArray[np.float64], right: NDArray[np.float64]) -> None:
        """Add conditions, each scaled so that its largest coefficient is 1."""
        scales = np.abs(coefficients).max(axis=1, initial=0.0)
        scales[scales == 0.0] = 1.0
        self.scales.append(scales)
        self.rows.append(coefficients / scales[:, None])
        self.right.append(right / scales)

    def solve(self, solver: Solver, whole: bool = False) -> Solution:
        """Minimise t + PENALTY * z, z the largest violation of a condition; columns are f, t, z.

        The bound uses weak duality alone: a wrong answer of the solver can make it useless but never wrong.
        """
        matrix, right = self._matrix()
        n = len(self.changes.cap)
        cost = np.zeros(n + 2)
        cost[n], cost[n + 1] = 1.0, PENALTY
        top = np.concatenate(
            (self.changes.cap, [2.0 * self.most + 1.0, 1e3 + np.abs(right).max(initial=0.0)])
        )
        x, multipliers = solver.run(cost, matrix, right, top, n if whole else 0)
        if x is None:
            return Solution(0.0, -np.inf, np.inf, np.zeros(n), np.zeros(sum(map(len, self.right))))
        bound = -np.inf if whole else dual_bound(cost, matrix, right, top, multipliers)
        amounts = np.clip(x[:n], 0.0, self.changes.cap)
        scales = np.concatenate(self.scales)
        given = np.maximum(multipliers[: len(scales)], 0.0) / scales
        return Solution(float(x[n]), bound, float(x[n + 1]), amounts, given)

    def _matrix(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """All rows: the conditions (z softens them), the budgets, and rows shared by several columns."""
        changes = self.changes
        n, n_acts = len(changes.cap), len(changes.uses)
        shared = np.flatnonzero(np.bincount(changes.group[changes.group >= 0]) > 1)
        r = sum(map(len, self.right))
        first = r + n_acts
        matrix = np.zeros((first + len(shared), n + 2))
        right = np.zeros(len(matrix))
        matrix[:r, :n] = np.concatenate(self.rows)
        matrix[:r, n + 1] = 1.0
        right[:r] = np.concatenate(self.right)
        matrix[r:first, :n] = -changes.uses
        matrix[r:first, n] = self.free
        right[r:first] = -self.fixed
        for extra, g in enumerate(shared):
            matrix[first + extra, :n] = -(changes.group == g).astype(float)
            right[first + extra] = -changes.size[g]
        return matrix, right


def dual_bound(
    cost: NDArray[np.float64],
    matrix: NDArray[np.float64],
    right: NDArray[np.float64],
    top: NDArray[np.float64],
    multipliers: NDArray[np.float64],
) -> float:
    """Bound the minimum of ``cost x`` over ``matrix x >= right``, 0 <= x <= top, from below.

    By weak duality: for any multipliers u >= 0, ``u b + sum min(0, cost - u A) top`` is at most the minimum.

    Soundness
    ---------
    A sum of k products is rounded by at most k + 1 units of the sum of their sizes. That is taken off every
    reduced cost before it is multiplied by `top`, which may be 10^12, and off the bound at the end.
    """
    unit = float(np.finfo(np.float64).eps)
    multipliers = np.maximum(multipliers, 0.0)
    sizes = np.abs(cost) + multipliers @ np.abs(matrix)
    reduced = cost - multipliers @ matrix - (len(right) + 2) * unit * sizes
    negative = np.minimum(reduced, 0.0)
    bound = multipliers @ right + negative @ top
    rounded = (len(right) + len(cost) + 3) * unit * (multipliers @ np.abs(right) - negative @ top)
    return float(bound - rounded)


class Solver:
    """One reused HiGHS model; no run goes on for longer than `seconds`, or past the `deadline`."""

    def __init__(self, seconds: float = 5.0, deadline: float = float("inf")) -> None:
        import highspy

        self.highspy = highspy
        self.model: Any = highspy.Highs()  # type: ignore[no-untyped-call]
        self.model.setOptionValue("output_flag", False)
        self.model.setOptionValue("threads", 1)
        self.seconds, self.deadline = seconds, deadline
        self.solved = 0

    def run(
        self,
        cost: NDArray[np.float64],
        matrix: NDArray[np.float64],
        right: NDArray[np.float64],
        top: NDArray[np.float64],
        whole: int,
    ) -> tuple[NDArray[np.float64] | None, NDArray[np.float64]]:
        """Minimise ``cost x``, ``matrix x >= right``, 0 <= x <= top; the first `whole` x are integers."""
        highspy = self.highspy
        n_rows, n_columns = matrix.shape
        program = highspy.HighsLp()
        program.num_col_, program.num_row_ = n_columns, n_rows
        program.col_cost_, program.col_lower_, program.col_upper_ = cost, np.zeros(n_columns), top
        program.row_lower_, program.row_upper_ = right, np.full(n_rows, highspy.kHighsInf)
        at, index = np.nonzero(matrix)
        program.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
        program.a_matrix_.start_ = np.searchsorted(at, np.arange(n_rows + 1)).astype(np.int32)
        program.a_matrix_.index_ = index.astype(np.int32)
        program.a_matrix_.value_ = matrix[at, index]
        if whole:
            kinds = highspy.HighsVarType
            program.integrality_ = [kinds.kInteger] * whole + [kinds.kContinuous] * (n_columns - whole)
        self.model.passModel(program)
        # HiGHS counts the time of all runs of a model together, so the limit moves along.
        seconds = min(self.seconds, max(0.1, self.deadline - now()))
        self.model.setOptionValue("time_limit", self.model.getRunTime() + seconds)
        self.model.run()
        self.solved += 1
        solution = self.model.getSolution()
        x = np.array(solution.col_value)
        if len(x) != n_columns or not np.isfinite(x).all():
            return None, np.zeros(n_rows)
        multipliers = np.array(solution.row_dual)
        return x, multipliers if len(multipliers) == n_rows else np.zeros(n_rows)
