"""Nodes whose changes are tried one by one: nobody there gets another label from any tree of a changed node.

Beside the bounds of the walk, for people whom these leave open and budgets of a few flips and removals. A
file only names the node: its changes are listed here, and everybody is followed through all trees of the
changed node, however ties are broken. What trees have in common further down is learned once.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from everytree.checker.proofs.equal_rows import Change
from everytree.checker.proofs.nodes import Node, Problem
from everytree.checker.proofs.shared_nodes import LEFT, RIGHT, SharedNode, Table, Tie
from everytree.checker.proofs.wording import Rejected

__all__ = ["MOST_CHANGES", "TriedNodes", "why_not_tried"]

MOST_CHANGES = 400_000
"""Changes of one node that are tried at most."""


def why_not_tried(problem: Problem) -> str:
    """Why changes of nodes cannot be tried by themselves; nothing if they can.

    Class weights, and what leaves and splits need beyond a row, may move with changes elsewhere.
    """
    sizes = problem.sizes
    if problem.facts.additions:
        return "changes are tried for flips and removals only."
    plain = sizes.leaf_most == 1 and sizes.node_most == 2 and problem.decrease == 0
    if not plain or problem.cut_off != "nowhere" or problem.criteria[0].is_weighted:
        return "changes are tried only in trees without weights that depth and data alone end."
    return ""


class TriedNodes:
    """The nodes of one section whose changes are tried: what is learned from one serves the others.

    People are bits of whole numbers.

    Soundness
    ---------
    The rows of a node in a table of B(T) are its rows in T with one of the changes that are listed, and the
    learner takes one of the splits that may be the best then, or stops: `_misled` goes all these ways. Below
    a split the rows of a side are those of T there, with the part of the change that lies in it.
    """

    def __init__(self, problem: Problem) -> None:
        reason = why_not_tried(problem)
        if reason:
            raise Rejected("changes", reason)
        self.problem, self.table = problem, Table(problem)
        self.expecting = [0] * problem.n_labels
        for c, case in enumerate(problem.cases):
            self.expecting[case.label] |= 1 << c
        self._nodes: dict[tuple[tuple[int, ...], int], SharedNode] = {}
        self._known: dict[tuple[SharedNode, Change], tuple[int, int]] = {}
        self._going_left = cache(self._find_going_left)

    def open_cases(self, node: Node) -> tuple[int, list[int]]:
        """Try the changes of a node; gives their number, and the cases that may get another label."""
        here = self._node(self.table.rows.among(node.members), node.depth)
        asked, wrong, number = sum(1 << c for c in node.cases), 0, 0
        for change in self.table.rows.changes(here.groups):
            number += 1
            if number > MOST_CHANGES:
                people = self.problem.people(node.cases)
                raise Rejected("changes", f"there are more than {MOST_CHANGES}.", people)
            self.problem.pulse()
            if asked & ~wrong:
                wrong |= self._misled(here, change, asked & ~wrong)
        return number, [c for c in node.cases if wrong >> c & 1]

    def _misled(self, node: SharedNode, change: Change, cases: int) -> int:
        """Cases that get another label from some tree of a changed node."""
        total = node.after(change)
        if sum(total) == 0:
            return 0  # no tree sends anybody here
        if node.depth == 0 or sum(map(bool, total)) == 1:
            return self._surprised(cases, total)
        ties, least = node.ties(change, total)
        wrong = 0
        if not ties or self._may_stop(total, least):
            wrong = self._surprised(cases, total)
        for tie in ties:
            at = node.threshold(tie, change)
            if at is None:
                continue
            left = self._going_left(node.cuts[tie.number].column, at)
            for side, there in ((LEFT, cases & left), (RIGHT, cases & ~left)):
                if there & ~wrong:
                    wrong |= self._below(node, tie, side, change, there & ~wrong)
        return wrong

    def _below(self, node: SharedNode, tie: Tie, side: int, change: Change, cases: int) -> int:
        """Cases that get another label on a side of a split; a changed child is learned once."""
        total = tie.sides[side]
        if node.depth == 1 or sum(map(bool, total)) == 1:
            return self._surprised(cases, total)
        child = self._node(node.child(tie.number, side), node.depth - 1)
        inside = tuple(act for act in change if act.group in child.inside)
        asked, wrong = self._known.get((child, inside), (0, 0))
        new = cases & ~asked
        if new:
            wrong |= self._misled(child, inside, new)
            self._known[child, inside] = asked | new, wrong
        return wrong & cases

    def _surprised(self, cases: int, total: Sequence[int]) -> int:
        """Cases that expect another label than that of a leaf: the first of the most frequent ones."""
        return cases & ~self.expecting[total.index(max(total))]

    def _may_stop(self, total: tuple[int, ...], least: int) -> bool:
        """Whether rounding may refuse the best split, which scores so much at least, and gains nothing."""
        large = sum(total) >= self.table.criterion.stop_rows
        return large and least <= self.table.value(total)[1]

    def _node(self, groups: tuple[int, ...], depth: int) -> SharedNode:
        """A node, or the one that is known: levels that its rows cannot fill make no difference."""
        depth = min(depth, sum(self.table.rows.size[group] for group in groups))
        known = self._nodes.get((groups, depth))
        if known is None:
            known = self._nodes[groups, depth] = SharedNode(self.table, groups, depth)
        return known

    def _find_going_left(self, column: int, threshold: float) -> int:
        """Cases that a split sends to the left."""
        return sum(1 << c for c, case in enumerate(self.problem.cases) if case.values[column] <= threshold)
