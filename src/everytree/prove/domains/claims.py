"""Claims: what the splits above a node ask of the changes, carried down as linear inequalities.

Between the bounds on leads and the nodes that carry claims. Every level of a way down asks for something: its
split beats a challenger, so with f_a the number of times act a is used ``base + sum_a f_a v_a >= 0``, v_a
what the act adds to the lead at most. One budget pays for all levels and for the leaf, so no mix of acts
takes the way if some sum of these inequalities, with weights >= 0, cannot be fulfilled. A node carries them
level by level: for acts in its own rows by class (on which sides of the challengers above a row lies), for
acts elsewhere in groups.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from everytree.bias.acts import ADD, FLIP, REMOVE

if TYPE_CHECKING:
    from numpy.typing import NDArray

MOST_CLAIMS = 4
"""Inequalities that a node carries; those of the levels furthest up are added up."""

MOST_ELSEWHERE = 96
"""Groups of acts elsewhere; beyond, some are taken together."""


class Claims(NamedTuple):
    """Inequalities m: ``base[m]`` plus the values of all acts is at least 0; ``acts`` are the budgets of T.

    A flip from i to j in a row of class c of the node has ``flip[m, c, i, j]``, the removal of a row with
    label i ``remove[m, c, i]``, an addition to the node ``add[m, i]``. Group e of acts elsewhere is of the
    sort ``sort[e]``, can be used ``cap[e]`` times and has ``elsewhere[m, e]``. With the weights ``joined``
    they make the sum that candidates are held against first. ``classes`` has the class of each row of the
    node. Where nothing is asked for there is one class, and no inequality.
    """

    base: Any
    joined: Any
    add: Any
    remove: Any
    flip: Any
    elsewhere: Any
    sort: Any
    cap: Any
    acts: tuple[int, int, int]
    classes: Any

    @property
    def size(self) -> int:
        """Bytes that they hold."""
        return sum(part.nbytes for part in self if isinstance(part, np.ndarray))


def no_claims(n_labels: int) -> Claims:
    """What a node carries where nothing is asked for."""
    none = np.zeros(0)
    flip = np.zeros((0, 1, n_labels, n_labels))
    add, remove = np.zeros((0, n_labels)), np.zeros((0, 1, n_labels))
    sort, classes = np.zeros(0, np.int64), np.zeros(0, np.int8)
    return Claims(none, none, add, remove, flip, np.zeros((0, 0)), sort, none, (0, 0, 0), classes)


def most_classes(n_labels: int) -> int:
    """Classes of rows that claims tell apart at most: with many labels there are many acts in each."""
    return {2: 8, 3: 4, 4: 2, 5: 2}.get(n_labels, 1)


def binding(claims: Claims) -> Claims | None:
    """Leave out inequalities that every mix of acts in the node fulfils, and join what is too much.

    None if nothing is left.
    """
    least = np.zeros((3, len(claims.base)))
    least[ADD], least[REMOVE] = claims.add.min(axis=1), claims.remove.min(axis=(1, 2))
    least[FLIP] = claims.flip.min(axis=(1, 2, 3))
    keep = claims.base + np.array(claims.acts, float) @ np.minimum(least, 0.0) < 0
    if not keep.any():
        return None
    if not keep.all():
        claims = _some(claims, keep)
    if len(claims.base) > MOST_CLAIMS:
        claims = _join_first(claims)
    return _fewer_elsewhere(claims)


def _some(claims: Claims, keep: NDArray[np.bool_]) -> Claims:
    by_claim: dict[str, Any] = {name: getattr(claims, name)[keep] for name in BY_CLAIM}
    return claims._replace(**by_claim)


BY_CLAIM = Claims._fields[: Claims._fields.index("sort")]
"""Arrays whose first axis are the inequalities."""


def _join_first(claims: Claims) -> Claims:
    """Add up the first two inequalities with their weights: a sum of what holds holds."""
    weight = np.where(claims.joined[:2].any(), claims.joined[:2], 1.0)
    parts: dict[str, Any] = {}
    for name in BY_CLAIM:
        whole = getattr(claims, name)
        parts[name] = np.concatenate([np.tensordot(weight, whole[:2], 1)[None], whole[2:]])
    parts["joined"][0] = 1.0
    return claims._replace(**parts)


def _fewer_elsewhere(claims: Claims) -> Claims:
    """Leave out acts elsewhere that help nowhere, and take the least helpful together if they are many.

    Soundness
    ---------
    A group that is taken together has the largest values and all the rows of its parts.
    """
    use = np.flatnonzero((claims.elsewhere > 0).any(axis=0) & (claims.cap > 0))
    order = use[np.argsort(-claims.elsewhere[:, use].max(axis=0), kind="stable")]
    sort, cap, value = claims.sort[order], claims.cap[order], claims.elsewhere[:, order]
    if len(order) > MOST_ELSEWHERE:
        first = MOST_ELSEWHERE - 3
        rest = [np.flatnonzero(sort[first:] == act) + first for act in (ADD, FLIP, REMOVE)]
        rest = [group for group in rest if len(group)]
        sort = np.concatenate([sort[:first], [sort[group[0]] for group in rest]]).astype(np.int64)
        cap = np.concatenate([cap[:first], [cap[group].sum() for group in rest]])
        value = np.concatenate(
            [value[:, :first], *(value[:, group].max(axis=1, keepdims=True) for group in rest)], axis=1
        )
    return claims._replace(sort=sort, cap=cap, elsewhere=np.ascontiguousarray(value))


def as_bytes(claims: Claims) -> bytes:
    """Claims on the rows of a node as a memory knows them: all that the bounds below them rest on."""
    parts = [part for part in claims if isinstance(part, np.ndarray)]
    return repr([part.shape for part in parts]).encode() + b"".join(part.tobytes() for part in parts)
