"""The learned tree of each depth as nested questions, for the page to draw.

Reads the tree that gave the predictions of the audit.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from everytree.show.report.findings import number, share
from everytree.table.split_words import question

if TYPE_CHECKING:
    from everytree.learner import Prepared
    from everytree.table import TrainingTable

__all__ = ["LearnedNode", "LearnedTree", "learned_tree"]

DEEPEST_SHOWN = 5


@dataclass(frozen=True)
class LearnedNode:
    """A question with its two answers, or a leaf with its label.

    Attributes
    ----------
    answer : str
        The answer that leads here; empty for the root.
    says : str
        The question, or the label of the leaf.
    rows : str
        How many training rows get here, and for a leaf how many of them have its label.
    children : tuple of LearnedNode
        Empty for a leaf, and where the drawing ends.
    is_leaf : bool
    """

    answer: str
    says: str
    rows: str
    children: tuple[LearnedNode, ...]
    is_leaf: bool


@dataclass(frozen=True)
class LearnedTree:
    """The tree of one depth, and whether levels of it are left out."""

    depth: int
    root: LearnedNode
    is_cut: bool


def learned_tree(prepared: Prepared, depth: int, names: Callable[[Any], str] = str) -> LearnedTree:
    """Read the tree learned from the table as it is; `names` says how labels are shown."""
    tree = prepared.tree
    labels = [names(label) for label in prepared.train.labels.tolist()]
    root = _node(tree.tree_, 0, "", (prepared.train, labels), DEEPEST_SHOWN)
    return LearnedTree(depth, root, tree.get_depth() > DEEPEST_SHOWN)


def _node(
    tree: Any, place: int, answer: str, table: tuple[TrainingTable, list[str]], levels: int
) -> LearnedNode:
    train, labels = table
    rows = int(tree.n_node_samples[place])
    counts = np.rint(tree.value[place, 0] * rows / tree.value[place, 0].sum()).astype(int)
    left, right = int(tree.children_left[place]), int(tree.children_right[place])
    if left == -1:
        label = int(tree.value[place, 0].argmax())
        weighed = "" if tree.weighted_n_node_samples[place] == rows else "the weight of "
        held = f"{share(int(counts[label]), rows)} of {weighed}{_rows(rows)}"
        return LearnedNode(answer, labels[label], held, (), True)
    missing_left = bool(tree.missing_go_to_left[place])
    asks, answers = question(train, int(tree.feature[place]), float(tree.threshold[place]), missing_left)
    sides = zip((left, right), answers, strict=True)
    children = [_node(tree, side, word, table, levels - 1) for side, word in sides] if levels else []
    if answers[0] == "no":
        children.reverse()
    return LearnedNode(answer, asks, _rows(rows), tuple(children), False)


def _rows(count: int) -> str:
    return "1 row" if count == 1 else f"{number(count)} rows"
