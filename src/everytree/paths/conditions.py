"""What a path asks of a table, as linear conditions on changes: the split is best, the label wins the leaf.

Two forms. Flips of two labels are exact: the best split has the largest |h|, and h is linear in the flips.
Everything else works on boxes of counts: a chord-like upper bound for the path's split against tangents of
its rivals. Sits between the layout of a path and the program.

With p positives of n rows in a branch, G_phi - (P^2 + (N - P)^2) / N = 2 h_phi^2, where
h_phi = sqrt(n_L n_R / N) (p_L / n_L - p_R / n_R). A split is best iff s h_phi >= h_psi and s h_phi >= -h_psi
for all rivals psi and one sign s: linear in p.

On a box lo <= u <= hi of the counts u of phi's branches, G_phi(u) is at most its tangent at the centre plus
the largest remainder at a corner (G is convex, so the remainder is largest at a corner). G_psi is at least
any of its tangents. So ``upper(u) - tangent(v) >= -tolerance`` holds for every table of the box in which phi
is best.
"""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

import numpy as np

from everytree.prove.counts import TIE_TOLERANCE

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from everytree.paths.program import Program

MOST_LABELS = 8
"""Beyond this many labels a box has too many corners; such paths stay open."""


def gini(counts: NDArray[np.float64]) -> float:
    """G of one split: counts by side and label, ``counts[side * n_labels + label]``."""
    total = 0.0
    for branch in counts.reshape(2, -1):
        size = branch.sum()
        if size > 1e-12:
            total += float(branch @ branch) / size
    return total


def gradient(counts: NDArray[np.float64]) -> NDArray[np.float64]:
    """Gradient of G; zero in an empty branch, which still gives a lower bound because G >= 0 there."""
    result = np.zeros_like(counts)
    n_labels = len(counts) // 2
    for side in (0, 1):
        branch = counts[side * n_labels : (side + 1) * n_labels]
        size = branch.sum()
        if size > 1e-12:
            result[side * n_labels : (side + 1) * n_labels] = 2 * branch / size - (branch @ branch) / size**2
    return result


def remainder(low: NDArray[np.float64], high: NDArray[np.float64]) -> float:
    """Largest excess of G over its tangent at the centre of a box; branch by branch, over the corners."""
    n_labels = len(low) // 2
    centre = (low + high) / 2
    slope = gradient(centre)
    excess = 0.0
    for side in (0, 1):
        part = slice(side * n_labels, (side + 1) * n_labels)
        at, tilt = centre[part], slope[part]
        size = at.sum()
        middle = float(at @ at) / size if size > 1e-12 else 0.0
        corners = np.array(list(product(*zip(low[part], high[part], strict=True))))
        sizes = corners.sum(axis=1)
        values = np.where(sizes > 1e-12, (corners**2).sum(axis=1) / np.maximum(sizes, 1e-12), 0.0)
        excess += float((values - middle - (corners - at) @ tilt).max())
    return max(0.0, excess)


def require_label(
    program: Program, counts: NDArray[np.float64], effect: NDArray[np.float64], side: int, label: int
) -> None:
    """Label wins the leaf on one side: at least level with labels that sort after it, ahead of the others."""
    n_labels = len(counts) // 2
    own = side * n_labels + label
    for other in range(n_labels):
        if other != label:
            rival = side * n_labels + other
            need = 0.0 if label < other else 1.0
            program.require(effect[own] - effect[rival], need - counts[own] + counts[rival])


def require_row(
    program: Program, counts: NDArray[np.float64], effect: NDArray[np.float64], side: int, label: int
) -> None:
    """Some row carries the label: all that is needed where a node of added rows may be split further."""
    own = side * (len(counts) // 2) + label
    program.require(effect[own], 1.0 - counts[own])


def require_someone(program: Program, counts: NDArray[np.float64], effect: NDArray[np.float64]) -> None:
    """Both sides of a split keep at least one row."""
    n_labels = len(counts) // 2
    for side in (0, 1):
        part = slice(side * n_labels, (side + 1) * n_labels)
        program.require(effect[part].sum(axis=0), 1.0 - counts[part].sum())


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


def linear_lead(counts: NDArray[np.float64]) -> tuple[NDArray[np.float64], float]:
    """Lead h of a split as a linear form: coefficients on the counts, and its value on T."""
    left, right = counts[:2].sum(), counts[2:].sum()
    weight = np.sqrt(left * right / (left + right))
    form = np.array([0.0, weight / left, 0.0, -weight / right])
    return form, float(form @ counts)


def possible_signs(counts: list[NDArray[np.float64]], flips: float) -> list[int]:
    """Signs of h with which the first split can be best after so many flips, the present one first.

    A flip changes h by at most its largest coefficient, so h can grow to h + l max|form| while a rival keeps
    at least |h| - l max|form|.
    """
    form, value = linear_lead(counts[0])
    reach = flips * float(np.abs(form).max())
    least = 0.0
    for rival in counts[1:]:
        other, rival_value = linear_lead(rival)
        least = max(least, abs(rival_value) - flips * float(np.abs(other).max()))
    least -= float(np.sqrt(TIE_TOLERANCE * counts[0].sum()))
    signs = [1, -1] if value >= 0 else [-1, 1]
    return [sign for sign in signs if sign * value + reach >= least]


def tie_slack(counts: list[NDArray[np.float64]], flips: float) -> float:
    """By how much |h| of the best split may stay behind another one's, after at most so many flips.

    Soundness
    ---------
    Let e = 1e-10 N. The best split phi has 2 h_phi^2 >= 2 h_psi^2 - e for every psi. Where
    d = |h_psi| - |h_phi| is positive, d (|h_psi| + |h_phi|) <= e / 2. The bracket is at least d, so
    d <= sqrt(e / 2). It is also at least 2 |h_phi|, and phi is best against chi, too:
    |h_phi| >= |h_chi| - sqrt(e / 2). A flip moves h_chi by at most its largest coefficient, so with L the
    largest |h_chi(T)| - l max|form_chi| over the splits at hand, d <= e / (4 (L - sqrt(e / 2))) where that is
    positive. Usually this is smaller by far.
    """
    tied = TIE_TOLERANCE * float(counts[0].sum())
    coarse = float(np.sqrt(tied / 2))
    least = 0.0
    for split in counts:
        form, value = linear_lead(split)
        least = max(least, abs(value) - flips * float(np.abs(form).max()))
    return min(coarse, tied / (4 * (least - coarse))) if least > coarse else coarse


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
    form, value = linear_lead(counts[0])
    own = sign * (form @ effects[0])
    program.require(own, -sign * value - slack)
    for rival, effect in zip(counts[1:], effects[1:], strict=True):
        other, rival_value = linear_lead(rival)
        change = other @ effect
        program.require(own - change, rival_value - sign * value - slack)
        program.require(own + change, -rival_value - sign * value - slack)


def require_best_in_box(
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
    slack = remainder(*box) + TIE_TOLERANCE * 2 * max(counts[0].sum(), box[1].sum())
    _require_ahead(program, counts, effects, centre, tangents, slack)


def require_best_near(
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
    _require_ahead(program, counts, effects, near, tangents, -lead)


def _require_ahead(
    program: Program,
    counts: list[NDArray[np.float64]],
    effects: list[NDArray[np.float64]],
    at: NDArray[np.float64],
    tangents: list[list[NDArray[np.float64]]],
    slack: float,
) -> None:
    """Tangent of the first split at a point, plus slack, is at least every tangent of the others."""
    slope = gradient(at)
    upper = gini(at) + float(slope @ (counts[0] - at))
    own = slope @ effects[0]
    for rival, effect, points in zip(counts[1:], effects[1:], tangents, strict=True):
        for point in points:
            tilt = gradient(point)
            program.require(own - tilt @ effect, float(tilt @ rival) - upper - slack)
