"""Which splits of a family were really seen: in trees learned again from the tables of witnesses."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from everytree.errors import EverytreeError, InternalError
from everytree.prove.views import LARGEST
from everytree.refute.retrain import retrain
from everytree.results.certification import CertificationResult
from everytree.results.radii import RadiusResult

if TYPE_CHECKING:
    from everytree.bias import BiasModel
    from everytree.learner import Prepared
    from everytree.refute.witness import Witness
    from everytree.results.family import FamilyNode
    from everytree.table import TrainingTable


def witnesses_of(
    result: RadiusResult | CertificationResult, model: BiasModel, train: TrainingTable
) -> list[Witness]:
    """Take the witnesses of a result, which must be about the same table and bias model, at some amount."""
    if not isinstance(result, (RadiusResult, CertificationResult)):
        raise EverytreeError(
            "witnesses must be a RadiusResult or a CertificationResult, from radius or certify, or None; "
            f"received a {type(result).__name__}."
        )
    own = result.family if isinstance(result, RadiusResult) else result.bias
    filled = [own] if own == model else [model.with_amount(part.amount) for part in own.components]
    if own not in filled:
        raise EverytreeError(
            f"witnesses must come from a result for {model}, at any amount; received one for {own}. Compute "
            "it for the same bias model, or leave witnesses out."
        )
    found = list({witness.changes: witness for witness in result.witnesses.values()}.values())
    prepared = result.prepared if isinstance(result, CertificationResult) else None
    if prepared is None:
        same = all(_may_be_of(witness, train) for witness in found)
    else:
        same = _same_rows(prepared.train, train)
    if not same:
        raise EverytreeError(
            "witnesses must come from a result for this training table; received one for another table, or "
            "one that was encoded in another way. Compute it with the same X_train, y_train and drop, or "
            "leave witnesses out."
        )
    return found


def _same_rows(one: TrainingTable, other: TrainingTable) -> bool:
    return (
        one.labels.tolist() == other.labels.tolist()
        and np.array_equal(one.y, other.y)
        and np.array_equal(one.X, other.X, equal_nan=True)
    )


def _may_be_of(witness: Witness, train: TrainingTable) -> bool:
    """Whether a table has the rows, labels and columns that a witness speaks of."""
    labels = train.labels.tolist()
    return (
        witness.change.last_row < len(train.y)
        and all(labels[train.y[row]] != new for row, new in witness.flipped.items())
        and {*witness.flipped.values(), *witness.added[witness.label_name]} <= set(labels)
        and [*witness.added.columns] == [*train.frame.columns, witness.label_name]
    )


def look_for(root: FamilyNode, witness: Witness, prepared: Prepared, amount: int) -> FamilyNode:
    """Learn from the table of a witness, and note its amount at every split of the family that is there."""
    return _note(root, retrain(prepared, witness).tree_, 0, amount)


def _note(node: FamilyNode, tree: Any, number: int, amount: int) -> FamilyNode:
    feature, threshold = int(tree.feature[number]), min(float(tree.threshold[number]), LARGEST)
    candidates = list(node.candidates)
    for place, candidate in enumerate(candidates):
        low = -np.inf if candidate.low is None else candidate.low
        high = np.inf if candidate.high is None else candidate.high
        if candidate.feature != feature or not low <= threshold < high:
            continue
        if candidate.missing_left not in (None, bool(tree.missing_go_to_left[number])):
            continue
        if amount < candidate.needs:
            raise InternalError(
                f"A witness of {amount} records has the split {candidate.text}, which is proved to need "
                f"{candidate.needs}. If the witness was found for this training table, this is a fault in "
                "everytree; please report it with the table."
            )
        seen = amount if candidate.seen is None else min(candidate.seen, amount)
        left, right = (
            None if child is None else _note(child, tree, int(numbers[number]), amount)
            for child, numbers in (
                (candidate.left, tree.children_left),
                (candidate.right, tree.children_right),
            )
        )
        candidates[place] = replace(candidate, seen=seen, left=left, right=right)
    return replace(node, candidates=tuple(candidates))
