"""What a path asks of a table, as linear conditions on changes: the split is best, the label wins the leaf.

Two forms. Flips of two labels under Gini are exact: the best split has the largest |h|, linear in the flips.
Everything else works on boxes of counts: a chord-like upper bound for the path's split against tangents of
its rivals; `root_search.py` adds planes for flips of two labels under entropy. Sits between the layout of a
path and the program; the criterion brings the algebra.

Where the criterion has a linear lead h (`linear_leads`), a split is best iff s h_phi >= h_psi and
s h_phi >= -h_psi for all rivals psi and one sign s.

On a box lo <= u <= hi of the counts u of phi's branches, G_phi(u) is at most its tangent at the centre plus
the largest remainder at a corner (G is convex, so the remainder is largest at a corner). G_psi is at least
any of its tangents. So ``upper(u) - tangent(v) >= -tolerance`` holds for every table of the box in which phi
is best.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from everytree.learner.criterion.front import (
    AT,
    for_kernels,
    gradient,
    lead_needed,
    linear_leads,
    remainder,
    split_value,
    tie_slack,
    tolerance,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from everytree.learner import Floors
    from everytree.learner.criterion.front import Criterion
    from everytree.paths.program import Program
    from everytree.prove.node import Cut
    from everytree.prove.problem import Problem

MOST_LABELS = 8
"""Beyond this many labels a box has too many corners; such paths stay open."""


def may_challenge(problem: Problem, rows: NDArray[np.int32], cut: Cut) -> bool:
    """Whether a split excludes the tables in which it is ahead: it must be available in each of them."""
    if problem.floors.leaf_high == 1:
        return True
    right = problem.columns.codes[cut.feature, rows] > cut.low
    removable = problem.types.removable[problem.types.of_row[rows]]
    return all(
        here.sum() - min(problem.bias.removals, (here & removable).sum()) >= problem.floors.leaf_high
        for here in (right, ~right)
    )


def require_label(
    criterion: Criterion,
    program: Program,
    counts: NDArray[np.float64],
    effect: NDArray[np.float64],
    end: tuple[int, int, float],
) -> None:
    """Label wins the leaf on one side: at least level with labels that sort after it, ahead of the others.

    `end` is the side, the label and the rows that the leaf has at most: with class weights that are not exact
    rounding may decide between labels that are level up to the tolerance.
    """
    side, label, most_rows = end
    n_labels = len(counts) // 2
    own = side * n_labels + label
    weights = criterion.weights[AT]
    for other in range(n_labels):
        if other != label:
            rival = side * n_labels + other
            need = lead_needed(for_kernels(criterion), label, other, most_rows)
            behind = weights[other] * counts[rival] - weights[label] * counts[own]
            program.require(weights[label] * effect[own] - weights[other] * effect[rival], need + behind)


def require_row(
    program: Program, counts: NDArray[np.float64], effect: NDArray[np.float64], side: int, label: int
) -> None:
    """Some row carries the label: all that is needed where a node of added rows may be split further."""
    own = side * (len(counts) // 2) + label
    program.require(effect[own], 1.0 - counts[own])


def require_available(
    program: Program, counts: NDArray[np.float64], effect: NDArray[np.float64], floors: Floors
) -> None:
    """Both sides of a split keep the rows of a leaf, and the node has enough rows to be split.

    The floors are those of the least demanding table: no table that takes the split has fewer rows.
    """
    n_labels = len(counts) // 2
    for side in (0, 1):
        part = slice(side * n_labels, (side + 1) * n_labels)
        program.require(effect[part].sum(axis=0), floors.leaf_low - counts[part].sum())
    if floors.node_low > 2 * floors.leaf_low:
        program.require(effect.sum(axis=0), floors.node_low - counts.sum())


def require_within(
    program: Program,
    counts: NDArray[np.float64],
    effect: NDArray[np.float64],
    low: NDArray[np.float64],
    high: NDArray[np.float64],
) -> None:
    """Counts of a split lie in a box; sides that no change can reach are left out."""
    for row in range(len(low)):
        if effect[row].any():
            if low[row] > 0:
                program.require(effect[row], low[row] - counts[row])
            if np.isfinite(high[row]):
                program.require(-effect[row], counts[row] - high[row])
        elif not low[row] <= counts[row] <= high[row]:
            program.require(effect[row], 1.0)


def require_best_exactly(
    program: Program,
    counts: list[NDArray[np.float64]],
    effects: list[NDArray[np.float64]],
    sign: int,
    flips: float,
    strict: float,
) -> None:
    """The first split is best among all after at most so many flips, by |h| (two labels, flips only).

    Scores that differ by up to 1e-10 N count as tied; see `tie_slack` for what that means for h. `strict`
    asks for a lead instead, for witnesses.
    """
    slack = -strict if strict > 0 else tie_slack(counts, flips)
    forms, values = linear_leads(counts)
    changes = np.array([form @ effect for form, effect in zip(forms, effects, strict=True)])
    own, value = sign * changes[0], sign * values[0]
    rows, right = np.empty((2 * len(counts) - 1, len(own))), np.empty(2 * len(counts) - 1)
    rows[0], right[0] = own, -value
    rows[1::2], right[1::2] = own - changes[1:], values[1:] - value
    rows[2::2], right[2::2] = own + changes[1:], -values[1:] - value
    program.require_all(rows, right - slack)


def require_best_in_box(
    criterion: Criterion,
    program: Program,
    counts: list[NDArray[np.float64]],
    effects: list[NDArray[np.float64]],
    box: tuple[NDArray[np.float64], NDArray[np.float64]],
    tangents: list[list[NDArray[np.float64]]],
) -> None:
    """The first split is best among all, for counts inside a box; `tangents` lists points for each rival.

    No table of the box has more rows than its upper corner. Once the tolerance is for ties, once for the
    rounding of coefficients, whose products with the changes are no larger than the rows before and after.
    """
    centre = (box[0] + box[1]) / 2
    slack = remainder(criterion, *box) + 2 * tolerance(
        for_kernels(criterion), max(counts[0].sum(), box[1].sum())
    )
    _require_ahead(criterion, program, counts, effects, centre, tangents, slack)


def require_best_near(
    criterion: Criterion,
    program: Program,
    counts: list[NDArray[np.float64]],
    effects: list[NDArray[np.float64]],
    near: NDArray[np.float64],
    tangents: list[list[NDArray[np.float64]]],
    lead: float,
) -> None:
    """The first split leads all others, judged by its tangent near a point: what a witness should fulfil.

    The tangent is a lower bound of the split's score, so the path's split really leads the tangents.
    """
    _require_ahead(criterion, program, counts, effects, near, tangents, -lead)


def _require_ahead(
    criterion: Criterion,
    program: Program,
    counts: list[NDArray[np.float64]],
    effects: list[NDArray[np.float64]],
    at: NDArray[np.float64],
    tangents: list[list[NDArray[np.float64]]],
    slack: float,
) -> None:
    """Tangent of the first split at a point, plus slack, is at least every tangent of the others."""
    slope = gradient(criterion, at)
    upper = split_value(criterion, at) + float(slope @ (counts[0] - at))
    own = slope @ effects[0]
    for rival, effect, points in zip(counts[1:], effects[1:], tangents, strict=True):
        for point in points:
            tilt = gradient(criterion, point)
            program.require(own - tilt @ effect, float(tilt @ rival) - upper - slack)
