"""How the tree itself does: what it asks, what it says to whom, and whether that beats the majority.

Reads the tree and the tables of a result, proves nothing. A share of robust people means little without it:
a tree that says the same to everybody is robust, too.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from everytree.support.text import percent
from everytree.table.split_words import question

if TYPE_CHECKING:
    from everytree.learner import Prepared
    from everytree.results.certification import CertificationResult

__all__ = ["TreeFacts", "only_label", "tree_facts"]

MOST_SPLITS = 4
"""No more splits than this are named in one line."""


@dataclass(frozen=True)
class TreeFacts:
    """What is known about the tree on the people of a result.

    Attributes
    ----------
    predicted : dict
        Label to the number of people who get it, for labels that somebody gets, the most frequent first.
    splits : list of str
        The questions of the tree in words, from the root downwards, each once.
    only : object
        The label that every leaf says; None if leaves differ.
    right : int or None
        How many people get their true label; None where true labels are not known.
    majority : tuple or None
        The most frequent label of the training table, and how many people it would be right for.
    """

    predicted: dict[Any, int]
    splits: list[str]
    only: Any
    right: int | None
    majority: tuple[Any, int] | None

    def named(self, names: Callable[[Any], str]) -> TreeFacts:
        """The same with other names for the labels."""
        predicted = {names(label): count for label, count in self.predicted.items()}
        only = None if self.only is None else names(self.only)
        majority = None if self.majority is None else (names(self.majority[0]), self.majority[1])
        return replace(self, predicted=predicted, only=only, majority=majority)

    @property
    def people(self) -> int:
        """How many people there are."""
        return sum(self.predicted.values())

    @property
    def warning(self) -> str:
        """Say loudly that the tree says the same to everybody; empty if it does not."""
        if self.only is not None:
            return (
                f"THE TREE TELLS NOBODY APART: each of its leaves says {self.only}. What is proved of it is "
                "proved of a tree that says the same to everybody."
            )
        if len(self.predicted) == 1 and self.people > 1:
            label = next(iter(self.predicted))
            return (
                f"EVERYBODY GETS THE SAME LABEL: the tree says {label} to all {self.people:,} people. Shares "
                "of robust people say how firm that is, not that anybody is told apart."
            )
        return ""

    @property
    def no_better(self) -> str:
        """Say loudly that the tree does not beat the majority; empty if it does, or if that is not known."""
        if self.right is None or self.majority is None or self.right > self.majority[1]:
            return ""
        label, right = self.majority
        return (
            f"THE TREE IS NO BETTER THAN ALWAYS SAYING {label}: it is right about {self.right:,} of these "
            f"people, that about {right:,}. How firm its predictions are says little about their use."
        )

    @property
    def predicts(self) -> str:
        """The labels with the number of people who get each."""
        return ", ".join(f"{label} ({count:,})" for label, count in self.predicted.items())

    @property
    def asks(self) -> str:
        """The splits, cut short."""
        more = len(self.splits) - MOST_SPLITS
        end = f"; and {more} more" if more > 0 else ""
        return "; ".join(self.splits[:MOST_SPLITS]) + end if self.splits else "nothing: it is a single leaf"

    @property
    def accuracy(self) -> str:
        """The accuracy beside that of always saying the majority; empty where it is not known."""
        if self.right is None or self.majority is None:
            return ""
        label, right = self.majority
        verdict = "" if self.right > right else ": NO BETTER THAN THAT"
        share, other = (percent(count / self.people) for count in (self.right, right))
        return f"{share}; always saying {label}: {other}{verdict}"

    def lines(self) -> list[tuple[str, str]]:
        """The facts by name, for a summary in a few lines."""
        named = [("asks", self.asks), ("predicts", self.predicts), ("accuracy", self.accuracy)]
        return [(name, text) for name, text in named if text]


def tree_facts(result: CertificationResult) -> TreeFacts:
    """Read how the tree of a result does."""
    said = Counter(result.predictions.tolist())
    order = {label: place for place, label in enumerate(result.labels.tolist())}
    predicted = dict(sorted(said.items(), key=lambda pair: (-pair[1], order.get(pair[0], 0))))
    prepared = result.prepared
    if prepared is None:
        return TreeFacts(predicted, [], None, None, None)
    truth, train = prepared.test.y, prepared.train
    common = int(np.bincount(train.y).argmax())
    right = None if truth is None else int(np.sum(prepared.predictions == truth))
    majority = None if truth is None else (train.labels[common], int(np.sum(truth == common)))
    return TreeFacts(predicted, _splits(prepared), only_label(prepared), right, majority)


def only_label(prepared: Prepared | None) -> Any:
    """Give the one label that every leaf of the tree says; None if the tree can tell people apart."""
    if prepared is None:
        return None
    inner = prepared.tree.tree_
    leaves = inner.children_left == -1
    said = set(inner.value[leaves, 0, :].argmax(axis=1).tolist())
    return prepared.train.labels[said.pop()] if len(said) == 1 else None


def _splits(prepared: Prepared) -> list[str]:
    """Name the splits of the tree, those near the root first."""
    inner = prepared.tree.tree_
    level, found = [0], []
    while level:
        inside = [place for place in level if inner.children_left[place] != -1]
        for place in inside:
            missing_left = bool(inner.missing_go_to_left[place])
            found.append(
                question(
                    prepared.train, int(inner.feature[place]), float(inner.threshold[place]), missing_left
                )[0]
            )
        level = [int(side[place]) for place in inside for side in (inner.children_left, inner.children_right)]
    return list(dict.fromkeys(found))
