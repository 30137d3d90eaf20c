"""`tree_family`: from tables, an estimator and a bias model to the splits that may be chosen.

Builds the nodes from the top; `needs` finds the splits of one node, `witnessed` looks for them in witnesses.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from everytree.bias import BiasModel, as_bias, resolve
from everytree.errors import EverytreeError, InternalError
from everytree.learner import Prepared, prepare
from everytree.learner.counted_once import every_row_counts_once
from everytree.prove.node import Cut
from everytree.prove.views import LARGEST
from everytree.questions.family.needs import Searcher
from everytree.questions.family.witnessed import look_for, witnesses_of
from everytree.questions.radius import largest_amount
from everytree.refute.witness import amount_of
from everytree.results.family import Candidate, FamilyNode, TreeFamily
from everytree.results.radii import RadiusResult
from everytree.support.limits import NO_LIMITS, Limits
from everytree.support.progress import reporting
from everytree.table.split_words import split_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from everytree.questions.family.needs import Position
    from everytree.results.certification import CertificationResult
    from everytree.support.progress import Progress

LEVELS = 2
"""Levels that are shown if no depth is asked for: a third one multiplies the nodes by six."""


@every_row_counts_once
def tree_family(
    estimator: object,
    X_train: object,
    y_train: object,
    bias: BiasModel | str | Mapping[str, Any],
    *,
    max_amount: int | None = None,
    most: int = 3,
    depth: int | None = None,
    drop: Iterable[str] | str = (),
    categorical: Iterable[str] | str = (),
    encoding: Literal["onehot", "ordinal"] = "onehot",
    witnesses: RadiusResult | CertificationResult | None = None,
    time_limit: float | None = None,
    progress: bool | Progress = False,
) -> TreeFamily:
    """Find the splits that biased tables may lead to, and the amount of bias each one needs.

    Parameters
    ----------
    estimator, X_train, y_train
        As for `certify`.
    bias : BiasModel, str or dict
        With a free amount, such as ``"flip(?)"``, or with fixed ones, which are then the largest amounts
        looked at.
    max_amount : int, optional
        Largest free amount to look at; by default as many records as the table has.
    most : int, default 3
        Splits that are listed at each node and followed to the nodes below, each of another feature. The
        cheapest other threshold of the learned split's feature is listed on top.
    depth : int, optional
        Levels of nodes; by default two, or the depth of the tree if that is less.
    drop : str or iterable of str
        As for `certify`, like the next two.
    categorical : str or iterable of str
    encoding : {"onehot", "ordinal"}
    witnesses : RadiusResult or CertificationResult, optional
        For the same training table and bias model, at any amount. Its witnesses are learned again, to see
        which splits they really have; those that need more than `max_amount` are left out.
    time_limit : float, optional
        Seconds. Nodes that are reached later list the learned split alone; what others need is then not
        known, and shown as the least that the node itself needs.
    progress : bool or callable, default False
        Show a progress bar on standard error, or call ``progress(share_done, nodes_left)``.

    Returns
    -------
    TreeFamily

    Notes
    -----
    *Soundness.* `needs` is the smallest amount at which the relational engine does not exclude every split
    of the feature at that node, given the splits above. An exclusion at an amount holds for every table
    with that amount or less, however ties are broken. A table that has the split may still not exist: that
    is what `seen` adds.

    Examples
    --------
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from everytree.questions.family import tree_family
    >>> people = [[0, 0], [1, 0], [2, 1], [3, 0], [5, 1], [6, 1], [7, 1], [8, 0]]
    >>> tree = DecisionTreeClassifier(max_depth=1, random_state=0)
    >>> print(tree_family(tree, people, [0, 0, 0, 0, 1, 1, 1, 1], "flip(?)"))
    bias model  flip(?)
    x0 <= 4    learned
    x0 <= 2.5  needs at least 1
    x1 == 1    needs at least 1
    """
    limits = Limits.of(time_limit)
    model = as_bias(bias)
    prepared = prepare(
        estimator, X_train, y_train, X_train, drop=drop, categorical=categorical, encoding=encoding
    )
    return family_prepared(
        prepared,
        model,
        max_amount=max_amount,
        most=most,
        depth=depth,
        witnesses=witnesses,
        limits=limits,
        progress=progress,
    )


def family_prepared(
    prepared: Prepared,
    model: BiasModel,
    *,
    max_amount: int | None = None,
    most: int = 3,
    depth: int | None = None,
    witnesses: RadiusResult | CertificationResult | None = None,
    limits: Limits = NO_LIMITS,
    progress: bool | Progress = False,
) -> TreeFamily:
    """Find the family of trees on tables that are encoded already; see `tree_family`."""
    for name, value, least in (("most", most, 1), ("depth", depth, 1), ("max_amount", max_amount, 0)):
        if value is None and name != "most":
            continue
        if isinstance(value, bool) or not isinstance(value, int) or value < least:
            raise EverytreeError(f"{name} must be a whole number from {least}; received {value!r}.")
    levels = _levels(prepared, depth)
    changed = [] if witnesses is None else witnesses_of(witnesses, model, prepared.train)
    largest, whole = largest_amount(model, prepared, max_amount), _whole_amount(prepared, model)
    if whole is not None:
        largest = min(largest, whole)
    searcher = Searcher(prepared, model, largest, limits)
    with reporting(progress, nodes_at_most(most, levels), "looking at splits", "nodes left") as report:
        root = _Builder(searcher, prepared, most, report).node(_Spot(searcher.root(), (), levels, 0, 0))
    for witness in changed:
        amount = amount_of(witness, model)
        if whole is not None:
            amount = min(amount, whole)
        if amount <= largest:
            root = look_for(root, witness, prepared, amount)
    return TreeFamily(root, model, largest, tuple(prepared.train.labels.tolist()))


def _levels(prepared: Prepared, depth: int | None) -> int:
    limit = prepared.learner.settings.max_depth
    if depth is None:
        return LEVELS if limit is None else min(LEVELS, limit)
    return depth if limit is None else min(depth, limit)


def _whole_amount(prepared: Prepared, model: BiasModel) -> int | None:
    """The cap that leaves a bias model as it is, if it has no free amount."""
    if model.has_free_amount:
        return None
    train = prepared.train
    resolved = resolve(model, train)
    return max(part.count for part in resolved.components)


@dataclass(frozen=True, eq=False)
class _Spot:
    """Where a node stands: its rows, the way to it, the levels left, and its number in the learned tree."""

    place: Position
    path: tuple[str, ...]
    levels: int
    needs: int
    learned: int | None


class _Builder:
    """Builds the nodes of one family."""

    def __init__(self, searcher: Searcher, prepared: Prepared, most: int, report: Progress | None) -> None:
        self.searcher, self.tree, self.most = searcher, prepared.tree.tree_, most
        self.fitted = prepared.learner.fitted
        self.report, self.done = report, 0

    def node(self, spot: _Spot) -> FamilyNode:
        """Build a node and those below."""
        searcher, place = self.searcher, spot.place
        first = None if spot.learned is None else self._learned_split(place, spot.learned)
        if first is not None and first not in searcher.survivors(place, spot.needs):
            if self.fitted:
                raise EverytreeError(
                    "The fitted tree has a split that no tree learned from this table with these settings "
                    "has. Pass the table and the labels that it was fitted on, or an unfitted tree."
                )
            raise InternalError(
                "The split of the learned tree is excluded by a proof. This is a fault in everytree; please "
                "report it with the table."
            )
        ranked = searcher.rank(place, self.most, spot.needs, first)
        self.done += 1
        if self.report is not None:
            total = nodes_at_most(self.most, spot.levels + len(spot.path))
            self.report(min(1.0, self.done / total), max(0, total - self.done))
        candidates = [self._candidate(spot, split, needs, first) for split, needs in ranked.splits]
        train = searcher.train
        counts = np.bincount(train.y[place.rows], minlength=len(train.labels)).tolist()
        return FamilyNode(
            spot.path, len(place.rows), tuple(counts), tuple(candidates), ranked.beyond, spot.needs
        )

    def _candidate(self, spot: _Spot, split: Cut, needs: int, first: Cut | None) -> Candidate:
        low, high = self.searcher.gap(split)
        source = self.searcher.columns.source
        feature = int(source[split.feature])
        missing_left = self.searcher.missing_left(spot.place, split)
        text, sides = split_text(self.searcher.train, feature, low, high, missing_left)
        learned = split == first
        candidate = Candidate(text, sides, feature, low, high, needs, learned, missing_left=missing_left)
        only_moved = first is not None and not learned and feature == source[first.feature]
        if spot.levels == 1 or only_moved:
            return candidate
        below: list[FamilyNode | None] = []
        for side, numbers in enumerate((self.tree.children_left, self.tree.children_right)):
            place = self.searcher.child(spot.place, split, side)
            number = int(numbers[spot.learned]) if learned else None
            child = _Spot(place, (*spot.path, sides[side]), spot.levels - 1, needs, number)
            below.append(self.node(child) if len(place.rows) else None)
        return replace(candidate, left=below[0], right=below[1])

    def _learned_split(self, place: Position, number: int) -> Cut | None:
        """The split of a node of the learned tree, as the gap that its threshold lies in."""
        feature = int(self.tree.feature[number])
        if feature < 0:
            return None
        columns, threshold = self.searcher.columns, float(self.tree.threshold[number])
        view = feature
        if self.tree.missing_go_to_left[number] and np.isfinite(threshold):
            view = int(np.flatnonzero(columns.source == feature)[-1])
        codes = np.unique(columns.codes[view, place.rows])
        values = columns.values[columns.starts[view] + codes]
        right = int(np.searchsorted(values, min(threshold, LARGEST), side="right"))
        return Cut(view, int(codes[right - 1]), int(codes[right]))


def nodes_at_most(most: int, levels: int) -> int:
    """Nodes of a family in which every split is followed."""
    return sum((2 * most) ** level for level in range(levels))
