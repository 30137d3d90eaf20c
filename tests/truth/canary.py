"""The canary: does the installed scikit-learn learn as the method says? Brute force on small random tables.

Nothing here is taken from the library, and nothing from scikit-learn's own code: a tree is fitted by the
public class, and every node of it is held against all splits that its rows have, in fractions (Gini) or in
sums without rounding (entropy). A *claim* is a sentence of docs/verdicts.md or docs/method.md on the learner;
`examine` names those that do not hold. ``python -m benchmarks.canary`` takes many more tables than the tests.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
from sklearn import __version__
from sklearn.tree import DecisionTreeClassifier

VERSION = tuple(int(part) for part in __version__.split(".")[:2])
HOLES = VERSION >= (1, 9)
"""Missing values are certified from this version on, and refused before."""

STEP = np.float32(1e-7 if VERSION >= (1, 8) else 0.0)
"""Values not further apart are one value; 1.6 and 1.7 split any gap. Tables with such gaps are refused."""

TIE = 1e-10
ROUNDING = float(np.finfo(np.float64).eps)
GINI_STOPS, ENTROPY_STOPS = 10_000, 5_000


@dataclass(frozen=True)
class Case:
    """A table, people, and the settings of a tree."""

    X: np.ndarray
    y: np.ndarray
    points: np.ndarray
    settings: dict[str, Any]
    seed: int = 0

    def fitted(self, **other: Any) -> DecisionTreeClassifier:
        """The tree that scikit-learn learns, with these settings or others."""
        return DecisionTreeClassifier(**{**self.settings, **other}, random_state=self.seed).fit(
            self.X, self.y
        )


@dataclass(frozen=True)
class Cut:
    """A split that the rows of a node have: values up to `low` go left, from `high` on right."""

    feature: int
    threshold: float
    missing_left: bool
    left: tuple[int, ...]
    right: tuple[int, ...]


@dataclass
class Findings:
    """What does not hold, what was looked at, and how far a chosen split was from the best, in tolerances."""

    violations: list[str] = field(default_factory=list)
    seen: Counter[str] = field(default_factory=Counter)
    furthest: float = 0.0

    def claim(self, holds: bool, sentence: str) -> bool:
        if not holds:
            self.violations.append(sentence)
        return holds


# ---------------------------------------------------------------- what is claimed


class Claims:
    """What the method says about the tree of one case."""

    def __init__(self, case: Case) -> None:
        given = case.settings
        n = len(case.y)
        self.case = case
        self.gini = given.get("criterion", "gini") == "gini"
        leaf, split = given.get("min_samples_leaf", 1), given.get("min_samples_split", 2)
        self.leaf_rows = leaf if isinstance(leaf, int) else math.ceil(leaf * n)
        split_rows = split if isinstance(split, int) else max(2, math.ceil(split * n))
        self.node_rows = max(split_rows, 2 * self.leaf_rows)
        self.depth = given.get("max_depth")
        self.n_labels = int(case.y.max()) + 1
        self.weights = [Fraction(weight) for weight in self._weights(given.get("class_weight"))]
        self.exact = all((weight * 1024).denominator == 1 for weight in self.weights)
        self.plain = all(weight == 1 for weight in self.weights)
        whole = self.weight(self.counts(np.arange(n)))
        self.decrease = Fraction(given.get("min_impurity_decrease", 0.0)) * whole
        self.rounding = ROUNDING * float(whole)
        self.cut_off = given.get("ccp_alpha", 0.0) > 0
        self.leaves = given.get("max_leaf_nodes")

    def _weights(self, class_weight: Any) -> list[float]:
        counts = self.counts(np.arange(len(self.case.y)))
        if class_weight is None:
            return [1.0] * len(counts)
        if isinstance(class_weight, str):
            present = sum(count > 0 for count in counts)
            return [len(self.case.y) / (present * count) if count else 1.0 for count in counts]
        return [class_weight.get(label, 1.0) for label in range(len(counts))]

    def counts(self, rows: np.ndarray) -> tuple[int, ...]:
        """Rows of each label."""
        return tuple(np.bincount(self.case.y[rows], minlength=self.n_labels).tolist())

    def weight(self, counts: Sequence[int]) -> Fraction:
        return sum((w * c for w, c in zip(self.weights, counts, strict=True)), Fraction(0))

    def value(self, counts: Sequence[int]) -> Fraction | float:
        """g of a branch: what the learner adds up over both sides of a split."""
        whole = self.weight(counts)
        if not whole:
            return 0
        weighed = [w * c for w, c in zip(self.weights, counts, strict=True) if c]
        if self.gini:
            return sum(u * u for u in weighed) / whole
        return math.fsum(float(u) * math.log2(u / whole) for u in weighed)

    def tolerance(self, rows: int) -> float:
        """By how much scores may differ and count as tied, in a node of so many rows."""
        tied = TIE * rows * float(max(self.weights))
        return tied if self.gini and self.plain else tied * max(1.0, rows / 20_000)

    def cuts(self, rows: np.ndarray) -> Iterator[Cut]:
        """Every split of these rows that leaves both sides enough of them."""
        total = self.counts(rows)
        for j in range(self.case.X.shape[1]):
            values = self.case.X[rows, j]
            holes = np.isnan(values)
            known = rows[~holes]
            known = known[np.argsort(self.case.X[known, j], kind="stable")]
            lacking = self.counts(rows[holes])
            yield from self._cuts_of(j, known, total, lacking)

    def _cuts_of(
        self, j: int, known: np.ndarray, total: Sequence[int], lacking: Sequence[int]
    ) -> Iterator[Cut]:
        values = self.case.X[known, j]
        left = [0] * self.n_labels
        for k, (low, high) in enumerate(pairwise(values)):
            left[self.case.y[known[k]]] += 1
            if high <= low + STEP:  # in float32: closer values are one value
                continue
            middle = float(low) / 2 + float(high) / 2
            yield from self._available(Cut(j, middle, False, tuple(left), _less(total, left)))
            if any(lacking):
                with_holes = [a + b for a, b in zip(left, lacking, strict=True)]
                yield from self._available(Cut(j, middle, True, tuple(with_holes), _less(total, with_holes)))
        if any(lacking) and len(known):
            yield from self._available(Cut(j, math.inf, False, _less(total, lacking), tuple(lacking)))

    def _available(self, cut: Cut) -> Iterator[Cut]:
        if min(sum(cut.left), sum(cut.right)) >= self.leaf_rows:
            yield cut

    def may_gain_nothing(self, rows: int) -> bool:
        """Whether rounding may refuse a split that gains nothing, in a node of so many rows."""
        if not self.exact:
            return True
        unit = math.gcd(*(int(weight * 1024) for weight in self.weights))
        largest = max(int(weight * 1024) // unit for weight in self.weights)
        stops = GINI_STOPS if self.gini else (ENTROPY_STOPS if self.n_labels == 2 else 0)
        return rows >= stops // largest

    def labels(self, counts: Sequence[int]) -> set[int]:
        """What a leaf may say: its heaviest label, the first of equal ones; any where rounding decides."""
        weighed = [w * c for w, c in zip(self.weights, counts, strict=True)]
        best = max(weighed)
        if self.exact:
            return {weighed.index(best)}
        near = self.tolerance(sum(counts))
        return {i for i, weight in enumerate(weighed) if counts[i] and best - weight <= near}


def _less(total: Sequence[int], part: Sequence[int]) -> tuple[int, ...]:
    return tuple(a - b for a, b in zip(total, part, strict=True))


# ---------------------------------------------------------------- what is found


def examine(case: Case, tree: Any = None, findings: Findings | None = None) -> Findings:
    """Hold the tree that scikit-learn learns, or another one, against what is claimed of it."""
    findings = Findings() if findings is None else findings
    fitted = case.fitted() if tree is None else tree
    _Walk(Claims(case), fitted, findings).node(0, np.arange(len(case.y)), np.arange(len(case.points)), 0)
    limit = case.settings.get("max_leaf_nodes")
    findings.claim(
        limit is None or fitted.get_n_leaves() <= limit, "there are more leaves than max_leaf_nodes"
    )
    findings.seen["trees"] += 1
    return findings


class _Walk:
    """Goes through a fitted tree with the rows and the people that come to each node."""

    def __init__(self, claims: Claims, fitted: Any, findings: Findings) -> None:
        self.claims, self.findings, self.tree = claims, findings, fitted.tree_
        self.leaf_of_rows = self.tree.apply(claims.case.X)
        self.leaf_of_points = self.tree.apply(claims.case.points)
        self.label = fitted.classes_[self.tree.value[:, 0, :].argmax(axis=1)]

    def node(self, at: int, rows: np.ndarray, people: np.ndarray, depth: int) -> None:
        claims, claim = self.claims, self.findings.claim
        self.findings.seen["nodes"] += 1
        counts = claims.counts(rows)
        if not claim(int(self.tree.n_node_samples[at]) == len(rows), f"node {at} has {len(rows)} rows"):
            return
        cuts = list(claims.cuts(rows))
        best = max((claims.value(cut.left) + claims.value(cut.right) for cut in cuts), default=0)
        gain = best - claims.value(counts)
        must, may = self._stops(depth, counts, len(cuts), gain)
        if self.tree.children_left[at] == -1:
            self.findings.seen["leaves"] += 1
            claim(may, f"node {at} is a leaf, but has a split that gains {float(gain):g}: {counts}")
            claim(bool((self.leaf_of_rows[rows] == at).all()), f"a training row leaves its way to leaf {at}")
            claim(bool((self.leaf_of_points[people] == at).all()), f"a person leaves the way to leaf {at}")
            claim(self.label[at] in claims.labels(counts), f"leaf {at} says {self.label[at]}: {counts}")
            return
        if claim(not must, f"node {at} is split, but must be a leaf: {counts}"):
            self._split(at, rows, people, depth, cuts, best)

    def _stops(self, depth: int, counts: Sequence[int], n_cuts: int, gain: Any) -> tuple[bool, bool]:
        """Whether a node must be a leaf, and whether it may be one."""
        claims = self.claims
        rows = sum(counts)
        tied = claims.tolerance(rows)
        pure = sum(count > 0 for count in counts) == 1
        ended = depth == claims.depth or rows < claims.node_rows or n_cuts == 0
        must = ended or (pure and claims.exact) or gain + tied + claims.rounding < claims.decrease
        refused = claims.decrease > 0 and gain - tied < claims.decrease
        nothing = gain <= tied and claims.may_gain_nothing(rows)
        cut_off = claims.cut_off or (claims.leaves is not None and depth > 0)
        return must, must or pure or refused or nothing or cut_off

    def _split(
        self, at: int, rows: np.ndarray, people: np.ndarray, depth: int, cuts: list[Cut], best: Any
    ) -> None:
        """Find the chosen split among those that there are, and go on to both sides."""
        claims, findings = self.claims, self.findings
        j, threshold = int(self.tree.feature[at]), float(self.tree.threshold[at])
        left, right = int(self.tree.children_left[at]), int(self.tree.children_right[at])
        size = int(self.tree.n_node_samples[left])
        found = [c for c in cuts if (c.feature, c.threshold, sum(c.left)) == (j, threshold, size)]
        said = f"node {at} is split at x{j} <= {threshold!r} with {size} rows on the left"
        if not findings.claim(len(found) == 1, f"{said}, which is no split of its rows"):
            return
        cut = found[0]
        short = float(best - claims.value(cut.left) - claims.value(cut.right)) / claims.tolerance(len(rows))
        findings.furthest = max(findings.furthest, short)
        findings.claim(short <= 1.0, f"{said}, which is behind the best split by {short:g} tolerances")
        findings.seen["ties"] += self._ties(cuts, best, claims.tolerance(len(rows)))
        holes = bool(np.isnan(claims.case.X[rows, j]).any())
        findings.seen["splits with missing values"] += holes
        there = self._left(claims.case.X[rows, j], cut, cut.missing_left)
        unknown_left = cut.missing_left if holes else sum(cut.left) > sum(cut.right)
        asked = self._left(claims.case.points[people, j], cut, unknown_left)
        self.node(left, rows[there], people[asked], depth + 1)
        self.node(right, rows[~there], people[~asked], depth + 1)

    def _left(self, values: np.ndarray, cut: Cut, missing_left: bool) -> np.ndarray:
        return np.where(np.isnan(values), missing_left, values.astype(np.float64) <= cut.threshold)

    def _ties(self, cuts: list[Cut], best: Any, tied: float) -> bool:
        values = (self.claims.value(cut.left) + self.claims.value(cut.right) for cut in cuts)
        return sum(best - value <= tied for value in values) > 1
