"""Where people are attacked: the rows of a node of the learned tree above them, as a table of their own.

Below `attacks.py`. What lies around a person is learned anew in a fraction of the time that the whole table
takes. Changes there may alter the splits above as well: the judge retrains on the whole table.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from everytree.bias.acts import ADD
from everytree.bias.columns import TableView
from everytree.refute.follow import Draft, draft
from everytree.refute.moves import Rules

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from everytree.prove.counts import Columns
    from everytree.prove.problem import Problem

MOST_DRAFTED = 1000
"""Added rows that an attack drafts at most; more come only as copies of a person."""


@dataclass(frozen=True, eq=False)
class Arena:
    """The rows of one node as a table of their own, levels of splits below, and what may be done to it.

    ``rows[r]`` is the row of T; ``X`` has the features of the rows, ``left`` what is left of the budget.
    """

    rows: NDArray[np.int64]
    depth: int
    columns: Columns
    X: NDArray[np.float32]
    rules: Rules
    table: Draft
    left: NDArray[np.int64]

    @classmethod
    def of(cls, problem: Problem, rows: NDArray[np.int64], depth: int) -> Arena:
        """Take the rows of a node by themselves."""
        bias = problem.bias
        columns = problem.columns._replace(codes=np.ascontiguousarray(problem.columns.codes[:, rows]))
        budget, y = np.array(bias.budgets, np.int64), problem.table.y[rows]
        budget[ADD] = min(budget[ADD], MOST_DRAFTED)
        rules = Rules(y, bias.flips_to[rows], bias.removable[rows], _addable(problem)[rows], budget)
        table = draft(problem, columns, y, int(budget[ADD]))
        X = np.ascontiguousarray(problem.table.X[rows])
        return cls(rows, depth, columns, X, rules, table, budget.copy())


class Arenas:
    """The arenas of one problem: nodes of the tree that is learned from T as it is."""

    def __init__(self, problem: Problem, tree: Any, people: NDArray[np.float32]) -> None:
        self.problem, X = problem, np.ascontiguousarray(problem.table.X)
        # scikit-learn looks for missing values only while it checks its input
        tree.fit(X, problem.table.y, check_input=bool(problem.views.holes.any()))
        tree = tree.tree_
        self.rows_of = tree.decision_path(X).tocsc()
        self.size, self.splits = tree.n_node_samples, tree.children_left >= 0
        self.level = _levels(tree)
        self.ways = tree.decision_path(people).tocsr()
        self.visits = self.ways.tocsc()
        self.known: dict[int, Arena] = {}

    def of_person(self, p: int, least: int) -> Arena:
        """The smallest node above a person with at least so many rows, or the whole table."""
        way = self.ways.indices[self.ways.indptr[p] : self.ways.indptr[p + 1]]
        way = way[np.argsort(-self.size[way], kind="stable")]
        node = int(way[max(0, int((self.size[way] >= least).sum()) - 1)])
        if node not in self.known:
            self.known[node] = self.of_node(node)
        return self.known[node]

    def of_node(self, node: int) -> Arena:
        """The arena of a node of the tree; not kept: a large one takes as much memory as the table."""
        rows = self.rows_of.indices[self.rows_of.indptr[node] : self.rows_of.indptr[node + 1]]
        return Arena.of(self.problem, np.sort(rows), self.problem.depth - int(self.level[node]))

    def people_of(self, node: int) -> NDArray[np.int32]:
        """Who comes to a node."""
        begin, end = self.visits.indptr[node : node + 2]
        people: NDArray[np.int32] = self.visits.indices[begin:end]
        return people

    def in_company(self) -> NDArray[np.int64]:
        """Everybody, those with the most others in their leaf first."""
        people = np.diff(self.visits.indptr)
        entries = np.flatnonzero(~self.splits[self.ways.indices])  # each way has one leaf
        return np.argsort(-people[self.ways.indices[entries]], kind="stable")

    def busiest(self) -> list[int]:
        """Nodes with a split to which somebody comes, those with the most people first."""
        people = np.diff(self.visits.indptr)
        inner = np.flatnonzero(self.splits & (people > 0))
        order: list[int] = inner[np.argsort(-people[inner], kind="stable")].tolist()
        return order


def _levels(tree: Any) -> NDArray[np.int64]:
    """Splits above each node; parents are numbered before their children."""
    level = np.zeros(tree.node_count, np.int64)
    for node in np.flatnonzero(tree.children_left >= 0):
        level[[tree.children_left[node], tree.children_right[node]]] = level[node] + 1
    return level


def _addable(problem: Problem) -> NDArray[np.bool_]:
    """Labels with which a copy of each training row may be added without a flip."""
    table = problem.table
    allowed = np.zeros((len(table.y), problem.bias.n_labels), np.bool_)
    if problem.bias.additions == 0:
        return allowed
    view = TableView.of(table)
    for part in problem.bias.components:
        if ADD in part.component.acts and part.usable > 0:
            for j in range(problem.bias.n_labels):
                allowed[:, j] |= view.rows(part.component.where, j)
    return allowed
