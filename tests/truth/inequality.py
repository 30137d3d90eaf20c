"""The inequality below the relational engine, checked on every table of small problems.

The engine drops a split when a bound on its lead over a challenger is negative. Verdicts show a wrong bound
only by luck, so here the bound itself is compared with the exact lead, for every pair of splits of the root
and every table of B(T), and so is the joint test of split and leaf.
"""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pandas as pd

from tests.truth.naive import Values
from tests.truth.problems import Problem

ROUNDING = 1e-9

SAME = 1e-12
"""By how much equal scores may differ where they are rounded; kernels take far more for a tie."""

LEARNER_ROUNDING = 1e-11
"""By which share of the rows a bound must exceed a lead in a huge table, where learner and kernels round."""

WeightedTable = list[tuple[Values, int, int]]
"""Values, label, and how often the row occurs."""


def score_of(rows: list[Counter], criterion: str, weights: dict[int, Fraction]) -> Fraction | float:
    """G of a split: for Gini exactly, for entropy with an error far below a tie."""
    sides = [[weights[label] * count for label, count in side.items() if count] for side in rows]
    if criterion == "gini":
        return sum((sum(u * u for u in side) / sum(side) for side in sides if side), Fraction(0))
    return math.fsum(float(u) * math.log2(u / sum(side)) for side in sides for u in side)


def cuts_of(table: WeightedTable, column: int, low: float, high: float) -> list[list[Counter]]:
    """Label counts of both sides, for every threshold in a gap that cuts the table differently."""
    values = sorted({np.float32(v[column]) for v, _, _ in table if low <= np.float32(v[column]) < high})
    cuts = []
    for threshold in values or [low]:
        sides = [Counter(), Counter()]
        for row, label, times in table:
            sides[int(np.float32(row[column]) > threshold)][label] += times
        cuts.append(sides)
    return cuts


class Root:
    """The root of a problem as the library's kernels see it."""

    def __init__(self, problem: Problem) -> None:
        from everytree.bias import resolve
        from everytree.learner import Settings
        from everytree.prove import counts
        from everytree.prove.domains import relational
        from everytree.prove.problem import Problem as Question

        X = np.asfortranarray(problem.X, np.float32)
        labels, y = np.unique(problem.y, return_inverse=True)
        frame = pd.DataFrame(problem.X, columns=[f"x{j}" for j in range(X.shape[1])])
        bias = resolve(problem.bias(), frame, y, labels)
        self.labels = [int(label) for label in labels]
        self.columns = counts.code_columns(X, np.isin(X, (0, 1)).all(axis=0))
        self.types = counts.type_rows(y.astype(np.int64), bias)
        self.rows = np.arange(len(y), dtype=np.int32)
        self.budget = counts.Budget(
            bias.additions, bias.flips, bias.removals, bias.addable, bias.added_flips_to
        )
        pinned = np.zeros(X.shape[1], np.bool_)
        self.splits = counts.node_splits(self.columns, self.types, self.rows, bias.additions, pinned, True)
        self.name = problem.stops.criterion
        self.stops = problem.stops
        given = self.stops.weights
        weights = tuple(enumerate(given[: len(labels)])) if isinstance(given, tuple) else given
        settings = Settings(criterion=self.stops.criterion, class_weight=weights)
        self.unit = int(np.bincount(y).argmax())
        self.criteria = Question(
            SimpleNamespace(y=y), bias, settings, self.columns, self.types, None
        ).criteria
        self.criterion = self.criteria[0]
        self.score = relational.scores(self.splits, self.types, self.criterion)
        self.everything = np.arange(len(self.score))

    def weights_of(self, counts: list[int]) -> list[Fraction]:
        """Weights of a table with these label counts, in the unit of the library's bounds."""
        if self.stops.weights == "balanced":
            return [Fraction(max(1, counts[self.unit]), max(1, count)) for count in counts]
        return [Fraction(float(weight)) for weight in self.criterion.weights[0]]

    def gap(self, s: int) -> tuple[int, float, float]:
        """Column and ends of the gap of a split; infinite where it is outer."""
        j = int(self.splits.feature[s])
        values = self.columns.values[self.columns.starts[j] : self.columns.starts[j + 1]]
        low, high = int(self.splits.low[s]), int(self.splits.high[s])
        return j, values[low] if low >= 0 else -np.inf, values[high] if high < len(values) else np.inf

    def is_inner(self, s: int) -> bool:
        return bool(np.isfinite(self.gap(s)[1:]).all())

    def margins(self, psi: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The loose and the settled margins of all splits against psi, and what the leaves may show."""
        from everytree.prove.domains import leaf, relational, settling

        node = (self.splits, self.types, self.budget)
        loose, _ = relational.loose_margins(*node, self.score, psi, self.criteria)
        possible = leaf.labels_of_leaves(self.splits, self.everything, self.types, self.budget, self.criteria)
        cells = relational.cell_counts(self.columns, self.types, self.rows, self.splits, self.everything, psi)
        by_way = np.repeat(possible[:, None], 2, axis=1)
        found = settling.settle(node, self.everything, (psi, cells), self.score, by_way, self.criteria)
        return loose, found.margin[:, 0], by_way[:, 0]

    def lengths(self, psi: int) -> np.ndarray | None:
        """How far splits may be longer than psi, way by way; None where lengths are not compared."""
        from everytree.learner.criterion.front import for_kernels
        from everytree.prove.domains import flips, relational, settling

        budget, inner = self.budget, np.array([s for s in self.everything if self.is_inner(s)])
        plain = len(self.criteria) == 1 and for_kernels(self.criterion) is None
        if budget.additions or budget.removals or not plain:
            return None
        loose = flips.loose_margins(self.splits, self.types, budget, psi, inner)[0]
        cells = relational.cell_counts(self.columns, self.types, self.rows, self.splits, inner, psi)
        possible = np.ones((len(inner), 2, 2, len(self.labels)), np.bool_)
        alive = np.ones((len(inner), 2), np.bool_)
        alive[:, 1] = len(self.labels) == 2
        node = (self.splits, self.types, budget)
        found = settling.settle(
            node, inner, (psi, cells), self.score, possible, self.criteria, alive=alive
        ).margin
        margins = np.full((len(self.everything), 2), np.nan)
        margins[inner] = np.minimum(loose, found)
        return margins


def examine_bounds(problem: Problem):
    """Compare the bounds of a problem with every table of B(T)."""
    from tests.truth.campaign import Tally

    root = Root(problem)
    inner = [s for s in root.everything if root.is_inner(s)]
    margins = {psi: root.margins(psi) for psi in inner}
    lengths = {psi: root.lengths(psi) for psi in inner}
    tally = Tally(problems=1, certifying=1, points=len(inner))
    for table in problem.tables():
        tally.tables += 1
        slack = 1e-10 * len(problem.y) - ROUNDING
        tables = [([(*row, 1) for row in table], slack)]
        if any(part.claimed is not None for part in problem.parts):
            rows = problem.blown_up(table)
            tables.append((rows, LEARNER_ROUNDING * sum(times for _, _, times in rows)))
        for rows, slack in tables:
            cuts = [cuts_of(rows, *root.gap(s)) for s in root.everything]
            counts = [sum(times for _, one, times in rows if one == label) for label in root.labels]
            weights = dict(zip(root.labels, root.weights_of(counts), strict=True))
            scores = [[score_of(cut, root.name, weights) for cut in of_split] for of_split in cuts]
            for psi in inner:
                found = _compare(root, psi, margins[psi], (cuts, scores, weights), slack)
                if not found and lengths[psi] is not None:
                    found = _compare_lengths(root, psi, lengths[psi], cuts)
                tally.certified += len(root.everything)
                if found:
                    tally.violations.append(f"{found}\n{problem.describe()}\nfrom the table {rows}")
                    return tally
    return tally


def _compare(root: Root, psi: int, margins: tuple, table: tuple, slack: float) -> str:
    """What is wrong with the bounds against psi on one table, or an empty text."""
    loose, settled, possible = margins
    cuts, scores, weights = table
    slack *= float(max(weights.values()))
    least = min(scores[psi])
    for s in root.everything:
        if s == psi:
            continue
        for cut, score in zip(cuts[s], scores[s], strict=True):
            if not all(sum(side.values()) for side in cut):
                continue
            lead = float(score - least)
            limit = min(loose[s], settled[s]) - slack
            if lead > limit:
                return f"split {s} leads challenger {psi} by {lead}, the bound is {limit}"
            if lead >= -SAME and settled[s] >= 0:
                wrong = _wrong_leaf(root, cut, possible[s], weights)
                if wrong:
                    return f"split {s} beats challenger {psi} and {wrong}"
    return ""


def _vector(root: Root, cut: list[Counter]) -> np.ndarray:
    """The vector whose squared length a split of these counts adds to the score of its node."""
    left, right = (np.array([side[label] for label in root.labels], float) for side in cut)
    return np.sqrt(left.sum() * right.sum() / (left.sum() + right.sum())) * (
        left / left.sum() - right / right.sum()
    )


def _compare_lengths(root: Root, psi: int, margins: np.ndarray, cuts: list) -> str:
    """What is wrong with the bounds on lengths on one table; those of two labels have a sign."""
    challenger = float(np.linalg.norm(_vector(root, cuts[psi][0])))
    for s in root.everything:
        if np.isnan(margins[s]).any():
            continue
        vector = _vector(root, cuts[s][0])
        length = float(np.linalg.norm(vector))
        signed = [length] if len(root.labels) > 2 else [-sign * np.sqrt(2) * vector[0] for sign in (1, -1)]
        for way, value in enumerate(signed):
            if value - challenger > margins[s, way] + ROUNDING:
                return (
                    f"split {s}, way {way}, is longer than {psi} by {value - challenger}: {margins[s, way]}"
                )
    return ""


def _wrong_leaf(root: Root, cut: list[Counter], possible: np.ndarray, weights: dict[int, Fraction]) -> str:
    """Whether a leaf says what was ruled out; between inexact weights that are level rounding decides."""
    for side in (0, 1):
        weighed = [weights[label] * cut[side][label] for label in root.labels]
        for j, weight in enumerate(weighed):
            first = j == weighed.index(max(weighed))
            level = not root.criterion.exact and 0 < weight >= max(weighed) * (1 - Fraction(1, 10**12))
            if (first or level) and not possible[side, j]:
                return f"side {side} says {root.labels[j]}, which was ruled out"
    return ""
