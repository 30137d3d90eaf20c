"""The inequalities of the independent check, held against every table of small problems.

The algebra of `everytree.checker` stands behind `everytree check` and behind proof files. Verdicts show a
mistake in it only by luck, so here the bound on the lead of one split over another, and the joint test of
split and leaf, are compared with the scores of each table by their definition, with the weights that it has.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from tests.truth.oracle import Component, Table, biased_tables
from tests.truth.problems import Problem

if TYPE_CHECKING:
    from tests.truth.campaign import Tally

ROUNDING = Fraction(1, 10**11)
"""Share of a table's weight by which scores of entropy, computed in floats, may be off."""


class Root:
    """The root of a problem as the check sees it, and all tables."""

    def __init__(self, problem: Problem) -> None:
        from everytree.bias import as_bias, resolve
        from everytree.checker import bias_facts
        from everytree.checker.ground import Ground, criteria_over
        from everytree.checker.leaves import allowance
        from everytree.checker.records import list_splits, merge
        from everytree.table import training_table

        train = training_table(problem.X, problem.y)
        facts, labels = bias_facts(resolve(as_bias(problem.bias()), train)), train.y.tolist()
        self.n_labels, self.criterion = len(train.labels), problem.stops.criterion
        self.records = merge(train.X.tolist(), labels, facts, None)
        self.members = range(len(self.records.values))
        counts = self.records.count(self.members)
        allowed = allowance(facts, self.records.kinds, counts, facts.additions)
        root = Ground((), self.records.kinds, self.n_labels, counts, allowed)
        given = problem.stops.weights
        self.moving = given == "balanced"
        weights = given if given is None or self.moving else given[: self.n_labels]
        self.ground = replace(root, criteria=criteria_over(self.criterion, weights, root))
        self.splits = list_splits(self.records, self.members, facts.additions, frozenset())
        # as given: in float32, 0.7 is less than 0.7, and a condition would allow other rows
        self.tables = biased_tables(problem.X.tolist(), labels, coded_components(problem))

    def weights_on(self, table: Table) -> dict[int, Fraction]:
        """How much a row of each label counts in a table."""
        if not self.moving:
            return {i: Fraction(weight) for i, weight in enumerate(self.ground.criteria[0].at)}
        times = Counter(label for _, label in table)
        return {label: Fraction(len(table), len(times) * count) for label, count in times.items()}

    def meet(self, phi: Any, psi: Any, both_left: list[int]) -> Any:
        """Compare two splits."""
        from everytree.checker.compare import Candidate, Challenge

        reach = self.ground.reach()
        return Challenge(self.ground, reach, psi).meet(Candidate(self.ground, reach, phi), both_left)


def coded_components(problem: Problem) -> list[Component]:
    """The oracle's components for a table whose labels are numbered from 0."""
    names = np.unique(problem.y).tolist()
    coded = []
    for plain in (part.component() for part in problem.parts):
        where = None if plain.where is None else lambda x, label, w=plain.where: w(x, names[label])
        to = None if plain.to is None else frozenset(names.index(label) for label in plain.to)
        coded.append(Component(plain.kind, plain.count, where, to))
    return coded


def sides_of(table: Table, split: Any) -> list[Counter]:
    """Label counts on both sides of a split, with the threshold at its highest."""
    sides = [Counter(), Counter()]
    for values, label in table:
        value = float(np.float32(values[split.column]))
        right = value > split.low if split.high == math.inf else value >= split.high
        sides[int(right)][label] += 1
    return sides


def score(sides: list[Counter], criterion: str, weights: dict[int, Fraction]) -> Fraction:
    """G of a split by its definition."""
    total = Fraction(0)
    for side in sides:
        own = [weights[label] * count for label, count in side.items()]
        whole = sum(own)
        if criterion == "gini":
            total += sum(u * u for u in own) / whole if own else 0
        else:
            total += sum(Fraction(float(u) * math.log2(u / whole)) for u in own)
    return total


def first_wrong(problem: Problem) -> tuple[int, str]:
    """Comparisons made, and the first one that a table contradicts, in words."""
    from everytree.checker.exact import UNIT
    from everytree.checker.records import shared_left

    root = Root(problem)
    weighed = [(table, root.weights_on(table)) for table in root.tables]
    made = 0
    for psi in (split for split in root.splits if split.inner):
        shared = shared_left(root.records, root.members, psi, root.splits)
        behind = [score(sides_of(table, psi), root.criterion, weights) for table, weights in weighed]
        for phi, both_left in zip(root.splits, shared, strict=True):
            if phi is psi:
                continue
            match = root.meet(phi, psi, both_left)
            bounds = [match._greatest(corner, 0, None)[0] for corner in match.corners]
            excluded = excluded_leaves(root, match, phi)
            for (table, weights), of_psi in zip(weighed, behind, strict=True):
                sides = sides_of(table, phi)
                if not all(sides):
                    continue
                made += 1
                slack = 0 if root.criterion == "gini" else ROUNDING * sum(weights[i] for _, i in table)
                ahead = score(sides, root.criterion, weights) - of_psi - slack
                too_far = ahead * UNIT > bounds[0] if not root.moving else max(bounds) < 0 <= ahead
                if too_far:
                    return made, f"{phi} is ahead of {psi} by {float(ahead)} in {table}"
                for side, expected, rival in excluded:
                    own = sides[side]
                    lead = weights.get(rival, 0) * own[rival] - weights.get(expected, 0) * own[expected]
                    level = rival < expected or not root.ground.criteria[0].weights.exact
                    if own[rival] and ahead >= 0 and (lead > 0 or (lead == 0 and level)):
                        return made, f"{phi} beats {psi} and says {rival} in {table}"
    return made, ""


def excluded_leaves(root: Root, match: Any, phi: Any) -> list[tuple[int, int, int]]:
    """Labels that the joint test excludes instead of the one on T: side, label on T, label."""
    from everytree.checker.compare import Leaf
    from everytree.checker.ground import labels_of

    found = []
    for side in (0, 1):
        own = labels_of(root.ground, phi.sides[side])
        expected = max(range(root.n_labels), key=lambda i: (own[i], -i))
        others = (rival for rival in range(root.n_labels) if rival != expected and any(own))
        found += [(side, expected, j) for j in others if match.rules_out(Leaf(side, expected, j))]
    return found


def examine_check_bounds(problem: Problem) -> Tally:
    """Examine one problem for the campaign."""
    from tests.truth.campaign import Tally

    made, wrong = first_wrong(problem)
    violations = [f"{wrong}\n{problem.describe()}"] if wrong else []
    return Tally(problems=1, certifying=int(made > 0), tables=made, violations=violations)  # type: ignore[arg-type]
