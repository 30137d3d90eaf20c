"""What goes into an independent check and what comes out: plain numbers in, a report out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

__all__ = ["BiasFacts", "CheckReport", "Outcome", "TableFacts", "TreeFacts"]

Outcome = Literal["confirmed", "not confirmed", "refuted"]
"""Derived again; not derived, which says nothing about the truth; or contradicted by T itself."""


@dataclass(frozen=True)
class BiasFacts:
    """A bias model on one training table, as plain data.

    Parameters
    ----------
    additions, flips, removals : int
        The budgets m, l and k.
    flips_to : sequence of frozenset of int
        For each training row, the labels it may be flipped to.
    removable : sequence of bool
        For each training row, whether it may be removed.
    addable : frozenset of int
        The labels S that an added row may carry.
    added_flips_to : frozenset of int
        The labels that an added row may be flipped to.
    regional : bool
        Whether the model also restricts *where* rows may be added. The check does not use that: it allows
        additions everywhere, which is sound but can confirm less. It only makes the reason complete.
    """

    additions: int
    flips: int
    removals: int
    flips_to: Sequence[frozenset[int]]
    removable: Sequence[bool]
    addable: frozenset[int] = frozenset()
    added_flips_to: frozenset[int] = frozenset()
    regional: bool = False


@dataclass(frozen=True)
class TableFacts:
    """A training table in plain numbers.

    ``rows`` hold float32 numbers, or None where a value is missing; ``labels`` go from 0 to ``n_labels - 1``
    in the order in which labels sort. ``zero_one`` marks the columns that can hold nothing but 0 and 1, in
    added rows too (by default those that do on T); ``names`` of the columns are for the report.
    """

    rows: Sequence[Sequence[float | None]]
    labels: Sequence[int]
    n_labels: int
    zero_one: Sequence[bool] | None = None
    names: Sequence[str] | None = None


@dataclass(frozen=True)
class TreeFacts:
    """When the learner stops, as plain data.

    Parameters
    ----------
    depth : int or None
        Depth limit of the tree; None for no limit.
    min_samples_leaf, min_samples_split : int or float
        Rows that both sides of a split must keep and that a node must have to be split; a float is a share
        of all rows of the table.
    criterion : {"gini", "entropy", "log_loss"}
        What the learner calls the best split.
    class_weight : sequence of float, "balanced" or None
        How much a row of each label counts.
    """

    depth: int | None = None
    min_samples_leaf: float = 1
    min_samples_split: float = 2
    criterion: str = "gini"
    class_weight: Sequence[float] | str | None = None


@dataclass(frozen=True)
class CheckReport:
    """What an independent check found for one person.

    Parameters
    ----------
    outcome : {"confirmed", "not confirmed", "refuted"}
        *confirmed*: it is derived in exact arithmetic that every tree gives the expected label.
        *not confirmed*: this derivation does not succeed; the claim may still be true.
        *refuted*: the unchanged training table already gives another label, for some way of breaking ties.
    reason : str
        Why it is not confirmed, or empty.
    path : tuple of str
        The splits, in words, that lead to the place where the derivation fails.
    label : int or None
        The label that could not be excluded there.
    nodes : int
        Nodes looked at.
    splits : int
        Splits looked at, in all nodes.
    dropped : int
        Those of them that were shown never to be best, or never together with a harmful leaf.
    """

    outcome: Outcome
    reason: str = ""
    path: tuple[str, ...] = ()
    label: int | None = None
    nodes: int = 0
    splits: int = 0
    dropped: int = 0

    @property
    def confirmed(self) -> bool:
        """Whether the claim was derived again."""
        return self.outcome == "confirmed"

    def __str__(self) -> str:
        work = f"{self.nodes} nodes, {self.splits} splits, {self.dropped} of them dropped"
        if self.confirmed:
            return f"confirmed ({work})"
        where = f" Path: {'; '.join(self.path)}." if self.path else ""
        return f"{self.outcome}: {self.reason}{where} ({work})"
