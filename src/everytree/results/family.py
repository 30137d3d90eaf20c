"""What a family of trees is made of: nodes, and at each node the splits that may be chosen.

Plain values, made by `asking` and read by people and by `everytree.show.plots`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pandas as pd

from everytree.support.text import counted

if TYPE_CHECKING:
    from everytree.bias import BiasModel


@dataclass(frozen=True)
class Candidate:
    """A split that a biased table may choose at a node: of all splits of its feature the cheapest one.

    Where the learned tree has a split of that feature, it is a candidate of its own, and the cheapest of the
    feature's other splits is another one.

    Attributes
    ----------
    text, sides : str, (str, str)
        The split in the words of the original table, such as ``age <= 23.5``, and what its left and its
        right side say.
    feature : int
        Position among the encoded features.
    low, high : float or None
        The split lies between these two neighbouring values; None where only added rows lie beyond, infinite
        where only what is missing does.
    needs : int
        A proof: no table with a smaller amount of bias has this split at this node, nor another split of
        this feature that is not learned.
    seen : int or None
        The smallest amount of a confirmed witness whose retrained tree has this split here, if one is known;
        never more than `TreeFamily.max_amount`.
    learned : bool
        Whether the tree learned from the table as it is has this split here.
    left, right : FamilyNode or None
        The nodes below, where they were followed.
    missing_left : bool or None
        Whether rows without a value go left; None if no row of the node lacks one.
    """

    text: str
    sides: tuple[str, str]
    feature: int
    low: float | None
    high: float | None
    needs: int
    learned: bool
    seen: int | None = None
    left: FamilyNode | None = None
    right: FamilyNode | None = None
    missing_left: bool | None = None

    @property
    def added_only(self) -> bool:
        """Whether one of its sides holds nothing but added rows."""
        return self.low is None or self.high is None


@dataclass(frozen=True)
class FamilyNode:
    """A node, given the splits above it: its rows, and the splits that may be chosen.

    Attributes
    ----------
    path : tuple of str
        The sides taken from the root.
    rows : int
        Rows of the training table that come here.
    counts : tuple of int
        How many of them have each label.
    candidates : tuple of Candidate
        The learned split first, then the others by what they need.
    beyond : int or None
        Splits of features that are not listed need at least this much; None if all features are listed.
    needs : int
        What the splits above need; no split here needs less.
    """

    path: tuple[str, ...]
    rows: int
    counts: tuple[int, ...]
    candidates: tuple[Candidate, ...]
    beyond: int | None
    needs: int = 0

    def walk(self) -> Iterator[FamilyNode]:
        """Give this node and all nodes below, from the top and from the left."""
        yield self
        for candidate in self.candidates:
            for child in (candidate.left, candidate.right):
                if child is not None:
                    yield from child.walk()


@dataclass(frozen=True, eq=False, repr=False)
class TreeFamily:
    """The splits that biased tables may lead to, and the amount of bias that each one needs.

    Attributes
    ----------
    root : FamilyNode
    bias : BiasModel
        The bias model. Where its amounts are free (``?``) `needs` counts records of each component that is
        free; where none is free, of each component, up to its own amount.
    max_amount : int
        No larger amount was looked at.
    labels : tuple
        The labels, in the order of `FamilyNode.counts`.
    """

    root: FamilyNode
    bias: BiasModel
    max_amount: int
    labels: tuple[Any, ...]

    def __repr__(self) -> str:
        nodes = sum(1 for _ in self.root.walk())
        return f"<TreeFamily: {nodes} nodes, {self.bias}>"

    def __str__(self) -> str:
        lines = [f"bias model  {self.bias}"]
        _write(self.root, self, "", lines)
        return "\n".join(lines)

    def to_frame(self) -> pd.DataFrame:
        """One row for each node and candidate."""
        rows = [
            {
                "node": " and ".join(node.path) or "root",
                "depth": len(node.path),
                "rows": node.rows,
                "split": candidate.text,
                "low": candidate.low,
                "high": candidate.high,
                "needs": candidate.needs,
                "seen": candidate.seen,
                "learned": candidate.learned,
            }
            for node in self.root.walk()
            for candidate in node.candidates
        ]
        columns = ["node", "depth", "rows", "split", "low", "high", "needs", "seen", "learned"]
        frame = pd.DataFrame(rows, columns=columns)
        return frame.astype({"low": float, "high": float, "needs": int, "seen": "Int64", "learned": bool})


SIGNS = {"<=": "≤", ">=": "≥", "==": "is", "!=": "is not"}


def as_asked(text: str) -> str:
    """Write a split, or a side of one, as the questions of a tree are written elsewhere.

    Examples
    --------
    >>> as_asked('island == "Biscoe"'), as_asked("age <= 23.5 or missing"), as_asked("sex is missing")
    ('island is Biscoe', 'age ≤ 23.5 or missing', 'sex is missing')
    """
    unquoted = re.sub(r'^(.*? (?:==|!=)) "(.*)"( or missing| \(added rows only\)|)$', r"\1 \2\3", text)
    return re.sub(r" (<=|>=|==|!=) ", lambda sign: f" {SIGNS[sign[1]]} ", unquoted, count=1)


def zero_texts(model: BiasModel) -> tuple[str, str]:
    """Say in full and in short what it means that a split needs 0 records.

    Where some amounts are free, the fixed ones are allowed even then, and the splits need not be tied.
    """
    if model.has_free_amount and any(part.amount.value for part in model.components):
        return "not excluded with the fixed amounts alone", "fixed amounts alone"
    return "tied", "tied"


def need_text(candidate: Candidate, node: FamilyNode, model: BiasModel) -> str:
    """Say what a split needs, and whether it was seen."""
    if candidate.learned:
        return "learned"
    if candidate.needs == candidate.seen and candidate.needs > 0:
        return f"needs {candidate.needs}"
    if candidate.needs == 0:
        known = zero_texts(model)[0]
    elif candidate.needs == node.needs:
        known = "nothing more"
    else:
        known = f"needs at least {candidate.needs}"
    return known if candidate.seen is None else f"{known}, seen with {candidate.seen}"


AND_OTHERS = "and other features"


def rest_text(node: FamilyNode, max_amount: int) -> str:
    """Say what the features need that are not listed at a node; empty if there are none."""
    if node.beyond is None:
        return ""
    if node.beyond > max_amount:
        return f"no other feature with {max_amount} or less"
    if node.candidates and node.beyond == node.needs:
        return AND_OTHERS
    return f"every other feature needs at least {node.beyond}"


def _write(node: FamilyNode, family: TreeFamily, indent: str, lines: list[str]) -> None:
    width = max((len(c.text) for c in node.candidates), default=0)
    for candidate in node.candidates:
        lines.append(f"{indent}{candidate.text:<{width}}  {need_text(candidate, node, family.bias)}")
        for side, child in zip(candidate.sides, (candidate.left, candidate.right), strict=True):
            if child is not None:
                lines.append(f"{indent}  {side} ({counted(child.rows, 'row')})")
                _write(child, family, f"{indent}    ", lines)
    if rest := rest_text(node, family.max_amount):
        lines.append(f"{indent}{rest}")
