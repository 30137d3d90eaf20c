"""Which splits of a family were really seen: in trees learned again from the tables of witnesses."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from everytree.decide.radius import RadiusResult
from everytree.errors import EverytreeError, InternalError
from everytree.table.encoding import test_table

if TYPE_CHECKING:
    from everytree.bias import BiasModel
    from everytree.decide.witness import Witness
    from everytree.family.structure import Node
    from everytree.learner import Prepared
    from everytree.verdicts import CertificationResult


def witnesses_of(result: RadiusResult | CertificationResult, model: BiasModel) -> list[Witness]:
    """Take the witnesses of a result, which must be about the same bias model at some amount."""
    own = result.family if isinstance(result, RadiusResult) else result.bias
    filled = [own] if own == model else [model.with_amount(part.amount) for part in own.components]
    if own not in filled:
        raise EverytreeError(
            f"witnesses must come from a result for {model}, at any amount; received one for {own}. Compute "
            "it for the same bias model, or leave witnesses out."
        )
    return list({witness.changes: witness for witness in result.witnesses.values()}.values())


def look_for(root: Node, witness: Witness, prepared: Prepared, model: BiasModel, largest: int) -> Node:
    """Learn from the table of a witness, and note its amount at every split of the family that is there."""
    train = prepared.train
    X, y = witness.apply(train.frame, train.labels[train.y])
    features = test_table(train, X).X
    tree = prepared.learner.new_tree()
    if witness.random_state is not None:
        tree.set_params(random_state=witness.random_state)
    fitted = tree.fit(features, np.searchsorted(train.labels, y)).tree_
    return _note(root, fitted, 0, min(_amount_of(witness, model), largest))


def _note(node: Node, tree: Any, number: int, amount: int) -> Node:
    feature, threshold = int(tree.feature[number]), float(tree.threshold[number])
    candidates = list(node.candidates)
    for place, candidate in enumerate(candidates):
        low = -np.inf if candidate.low is None else candidate.low
        high = np.inf if candidate.high is None else candidate.high
        if candidate.feature != feature or not low <= threshold < high:
            continue
        if amount < candidate.needs:
            raise InternalError(
                f"A witness of {amount} records has the split {candidate.text}, which is proved to need "
                f"{candidate.needs}. This is a fault in everytree; please report it with the table."
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


def _amount_of(witness: Witness, model: BiasModel) -> int:
    """An amount of the bias model that surely allows the changes of a witness.

    With one component of each kind, the largest number of changes of a kind. Otherwise every component is
    given as many as there are changes in all: an added or removed row may need a flip of its own.
    """
    kinds = Counter(part.kind for part in model.components)
    if max(kinds.values()) > 1 or ("flip" in kinds and len(kinds) > 1):
        return witness.size
    return max(len(witness.added), len(witness.flipped), len(witness.removed))
