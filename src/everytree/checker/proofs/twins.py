"""Twins: rows of T with just the features of a person, who share a leaf with them in every tree.

Beside the walk, for trees that nothing but the data ends. Rows with equal features go the same way through
every tree, and so does the person. Where some of them are left, the person's leaf has all that are. Either it
has one label, which is theirs, or the learner found nothing to split there: then its rows agree in every
feature, so it has nothing but twins, changed and added to. In both cases a leaf of the twins, with the
budgets of the whole table, can give the label.
"""

from __future__ import annotations

from collections.abc import Iterator

from everytree.checker.ground import rivals
from everytree.checker.leaves import allowance
from everytree.checker.proofs.nodes import Problem
from everytree.checker.proofs.wording import Rejected

__all__ = ["without_twins"]


def without_twins(problem: Problem) -> list[int]:
    """Cases whom twins do not keep at their label in every table."""
    sizes, criterion = problem.sizes, problem.criteria[0]
    plain = sizes.leaf_most == 1 and sizes.node_most == 2 and problem.decrease == 0
    if problem.tree.depth is not None or not plain or problem.cut_off != "nowhere" or criterion.is_weighted:
        raise Rejected("twins", "they decide only in trees without weights that nothing but the data ends.")
    if len(problem.records.values) + problem.facts.additions >= criterion.stop_rows:
        raise Rejected("twins", "the table is so large that rounding may end a tree.")
    return list(_not_kept(problem))


def _not_kept(problem: Problem) -> Iterator[int]:
    rows: dict[tuple[float, ...], list[int]] = {}
    for r, values in enumerate(problem.records.values):
        rows.setdefault(values, []).append(r)
    facts, kinds = problem.facts, problem.kinds
    for c, case in enumerate(problem.cases):
        problem.pulse()
        counts = problem.records.count(rows.get(case.values, ()))
        allowed = allowance(facts, kinds, counts, facts.additions)
        if sum(counts) <= allowed.removals or rivals(problem.criteria, kinds, counts, allowed, case.label):
            yield c
