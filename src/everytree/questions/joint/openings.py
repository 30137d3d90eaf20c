"""Nodes of the family of trees, opened once: which splits may be taken there and what leaves may say.

First module of the room; it knows rows and splits, no people, so that all groups and metrics share its work.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from everytree.prove.counts import node_total
from everytree.prove.engines import RelationalEngine
from everytree.prove.node import Cut, Ground, Node, Nodes
from everytree.prove.routing import Cuts, cut_splits

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from everytree.prove.problem import Problem


@dataclass(frozen=True, eq=False)
class Opening:
    """What may happen at a node.

    Attributes
    ----------
    leaf : array of (labels,) or None
        Labels that the node may give as a leaf; None where it cannot be one.
    scattered : bool
        Whether each person may get any of these labels whatever the others get.
    splits : list of Cut
        The splits that may be taken.
    cuts : Cuts
        Where each of them sends people.
    possible : array of (splits, 2, labels) or None
        Labels that the two sides can give, where they are leaves.
    """

    leaf: NDArray[np.bool_] | None
    scattered: bool
    splits: list[Cut]
    cuts: Cuts
    possible: NDArray[np.bool_] | None


class Openings:
    """Opens the nodes of one problem, and remembers them by their rows and by what may happen there."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.nodes = Nodes(problem)
        self.engine = RelationalEngine()
        self._known: dict[tuple[object, ...], Opening] = {}

    def key(self, node: Node) -> tuple[object, ...]:
        """The same for nodes in which the same may happen."""
        digest = hashlib.blake2b(node.rows.tobytes(), digest_size=16).digest()
        budget = node.budget
        if budget.additions == 0:
            return digest, node.depth
        bounds = tuple(sorted(node.bounds.items()))
        return digest, node.depth, budget.additions, budget.addable.tobytes(), node.pinned.tobytes(), bounds

    def open(self, node: Node, key: tuple[object, ...]) -> Opening:
        """Say which splits may be taken at a node, and what it or their sides may say as leaves.

        Soundness
        ---------
        Every tree of a table of B(T) that comes to the node stops there or takes one of the splits, by the
        proofs of the domains. A pure node, where the learner stops, needs no case of its own: all its
        splits tie and survive, both sides of one that its table has are pure as well and may say the same.
        A node without rows of T holds added rows only; what the learner makes of them is not followed, so
        its people may get any labels that added rows can bring about, each one for itself.
        """
        known = self._known.get(key)
        if known is None:
            known = self._known[key] = self._open(node)
        return known

    def _open(self, node: Node) -> Opening:
        types, budget = self.problem.types, node.budget
        if node.depth == 0 or len(node.rows) == 0:
            labels = _some(
                self.engine.leaf(node_total(node.rows, types), self.problem, budget).possible[0, 0]
            )
            nothing = np.empty(0)
            return Opening(labels, node.depth > 0, [], Cuts(nothing.astype(np.int32), nothing, nothing), None)
        ground = self.nodes.ground(node)
        ranking = self.engine.rank(ground)
        as_leaf: NDArray[np.bool_] | None = None
        if ranking.may_stop:
            as_leaf = _some(self.engine.leaf(ground.splits.total, self.problem, budget).possible[0, 0])
        chosen, possible = self.engine.settle(ranking, leaves=node.depth == 1)
        return Opening(
            as_leaf,
            False,
            [ground.cut(s) for s in chosen],
            self._cuts(ground, chosen),
            _some(possible) if node.depth == 1 else None,
        )

    def _cuts(self, ground: Ground, chosen: NDArray[np.int64]) -> Cuts:
        """Where splits send people, all people by the same threshold.

        Soundness
        ---------
        `cut_splits` shows for one person that some surviving split sends the person where the learner
        does. Here one split has to serve all people. Let the learner's threshold be t. Among the parts into
        which the node's values cut the gap around t there is one (a, b) with a <= t < b; it divides the
        changed table as the learner does, so it survives. Values up to a go left and values from b on go
        right, in both; values between a and b may go to either side. Where neither a nor b can vanish from
        the table the gap is (a, b) itself and t its midpoint, if no row can be added. Of features that are
        shown twice not all splits stand side by side, so nothing is said about what can vanish there.
        """
        budget, splits = ground.budget, ground.splits
        exact = self.engine.exact_thresholds(budget)
        cuts = cut_splits(ground.columns, splits, chosen, exact)
        if not exact or budget.removals == 0:
            return cuts
        wide = cut_splits(ground.columns, splits, chosen, False)
        vanishing = _smaller_neighbour(splits.feature, splits.left.sum(axis=1), int(splits.total.sum()))
        doubled = np.isin(ground.columns.source, self.problem.views.doubled)
        may_vanish = (vanishing[chosen] <= budget.removals) | doubled[splits.feature[chosen]]
        left = np.where(may_vanish, wide.left, cuts.left)
        return Cuts(cuts.feature, left, np.where(may_vanish, wide.right, cuts.right))


def _some(labels: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Allow every label where none is possible: such a leaf cannot be, and nothing is built on that."""
    return np.where(labels.any(axis=-1, keepdims=True), labels, True)


def _smaller_neighbour(
    feature: NDArray[np.int32], n_left: NDArray[np.int64], n_rows: int
) -> NDArray[np.int64]:
    """For all splits of a node, by column and position: rows at the nearer value left or right, the fewer."""
    first = np.r_[True, feature[1:] != feature[:-1]]
    last = np.r_[first[1:], True]
    before = n_left - np.where(first, 0, np.r_[0, n_left[:-1]])
    after = np.where(last, n_rows, np.r_[n_left[1:], 0]) - n_left
    return np.minimum(before, after)
