"""Claims: what the splits above a node ask of the changes, carried down as one linear inequality.

Between the bounds on leads, of which a claim is a weighed sum, and the nodes that carry it. Every level of a way
down asks for something: its split beats a challenger, so with f_a the number of times act a is used
``base + sum_a f_a v_a >= 0``, v_a what the act adds to the lead at most. One budget pays for all levels and the leaf.
Any sum of such inequalities with weights >= 0 holds as well, so a node carries one of them: for acts in its own rows
by class (on which sides of the challengers above they lie), for acts elsewhere by value, the dearest first.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from everytree.bias.acts import ALL_ACTS
from everytree.support.kernels import kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray

WHICH, VALUE, CAP = 0, 1, 2
"""Rows of the array ``elsewhere`` of a claim: the act, its value, and how often it can be used at most."""


class Claim(NamedTuple):
    """One inequality: ``base`` plus the values of all acts is at least 0; ``acts`` are the budgets of T.

    A flip from i to j in a row of class c of the node has ``flip[c, i, j]``, the removal of a row with label i
    ``remove[c, i]``, an addition to the node ``add[i]``. Where it ``asks`` for nothing there is one class, and
    all values are 0.
    """

    asks: bool
    base: float
    acts: tuple[int, int, int]
    add: Any
    remove: Any
    flip: Any
    elsewhere: Any


def no_claim(n_labels: int) -> Claim:
    """A claim that asks for nothing."""
    flip = np.zeros((1, n_labels, n_labels))
    return Claim(False, 0.0, (0, 0, 0), np.zeros(n_labels), np.zeros((1, n_labels)), flip, np.zeros((3, 0)))


def as_bytes(claim: Claim, classes: NDArray[np.int8]) -> bytes:
    """A claim on the rows of a node as one of several that a memory knows."""
    numbers = np.array([claim.base]), claim.add, claim.remove, claim.flip, claim.elsewhere
    return b"".join([*(part.tobytes() for part in numbers), classes.tobytes()])


@kernel
def dearest_first(acts: Any, elsewhere: Any) -> Any:
    """Acts elsewhere in the order of their value, as many as the budgets can pay for; what harms is left out."""
    kept = np.empty_like(elsewhere)
    used = np.zeros(elsewhere.shape[1], np.bool_)
    n = 0
    for act in ALL_ACTS:
        left = float(acts[act])
        while left > 0:
            pick = -1
            for k in range(elsewhere.shape[1]):
                fits = not used[k] and elsewhere[WHICH, k] == act and elsewhere[VALUE, k] > 0
                if fits and (pick < 0 or elsewhere[VALUE, k] > elsewhere[VALUE, pick]):
                    pick = k
            if pick < 0:
                break
            used[pick] = True
            kept[:, n] = elsewhere[:, pick]
            left -= elsewhere[CAP, pick]
            n += 1
    return kept[:, :n].copy()
