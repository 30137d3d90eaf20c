"""Whether a witness holds however ties are broken: the changed table, learned from with many seeds.

Beside `everytree.refute.retrain`. scikit-learn breaks ties between splits by chance and by the order of the
columns, so a label that hangs on a tie may come back when somebody checks the witness in another way.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from everytree.refute.retrain import changed_table, retrain
from everytree.refute.witness import no_change

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from everytree.learner import Prepared
    from everytree.refute.witness import Witness

__all__ = ["TRIES", "firm_witnesses", "hang_on_ties", "holding", "holding_for"]

TRIES = 20
"""Seeds, each with an order of the columns of its own, that a witness is tried with."""

CELL_SECONDS = 7e-7
"""What one training costs at most, about, for each row and column."""

SECONDS = 2.0
"""About how long other witnesses are tried in place of those that hang on ties, for all people together."""


def holding(prepared: Prepared, witness: Witness, person: int) -> int:
    """Count the seeds and orders of columns, of `TRIES`, that give a person the label of the witness."""
    code = prepared.train.labels.tolist().index(witness.after)
    return int((_labels(prepared, witness, prepared.test.X[person : person + 1])[:, 0] == code).sum())


def holding_for(
    prepared: Prepared, groups: Sequence[Sequence[tuple[int, Witness]]], seconds: float
) -> list[tuple[int, Witness, int]]:
    """Count as `holding` does for many people, those of a group having witnesses with the same changes.

    As many groups are tried, from the first on, as take about so many seconds: the table alone says how many.
    """
    labels, found = prepared.train.labels.tolist(), []
    for group in groups[: max(1, int(seconds / _seconds(prepared)))]:
        people = [person for person, _ in group]
        said = _labels(prepared, group[0][1], prepared.test.X[people])
        for place, (person, witness) in enumerate(group):
            count = int((said[:, place] == labels.index(witness.after)).sum())
            found.append((person, witness, count))
    return found


def hang_on_ties(prepared: Prepared) -> NDArray[np.bool_]:
    """Tell who gets another label from the table as it is, when ties are broken with another seed or order.

    Such a person has no proof, which would cover every way of breaking ties. Nobody is told where training
    takes long.
    """
    people = prepared.test.X
    if _seconds(prepared) > SECONDS:
        return np.zeros(len(people), np.bool_)
    said = _labels(prepared, no_change(prepared.train, None), people)
    return np.asarray((said != prepared.predictions).any(axis=0))


def _seconds(prepared: Prepared) -> float:
    """About what it takes to try one witness."""
    return TRIES * (2e-3 + CELL_SECONDS * prepared.train.X.size)


def firm_witnesses(prepared: Prepared, witnesses: dict[int, Witness]) -> dict[int, Witness]:
    """Give people whose witness hangs on a tie another one that does not, if one of the others' is such.

    How many are tried depends on the table alone, so that the answer is the same on every machine: few where
    training takes long, where ties are rare. Witnesses of more people come first. A smaller witness is no
    better than a firm one, so radii keep their own.
    """
    seconds = _seconds(prepared)
    shared: dict[tuple[object, ...], list[int]] = {}
    for person, witness in sorted(witnesses.items()):
        shared.setdefault(witness.changes, []).append(person)
    most = sorted(shared.values(), key=lambda people: (-len(people), people))[: int(SECONDS / seconds)]
    loose: set[int] = set()
    firm: list[tuple[Witness, NDArray[np.int64]]] = []
    for people in most:
        witness = witnesses[people[0]]
        labels = _labels(prepared, witness, prepared.test.X)
        own = retrain(prepared, witness).predict(prepared.test.X)
        always = np.where((labels == own).all(axis=0), own, -1)
        if not witness.change.added:  # the judge saw added rows in the user's own types, for one person
            firm.append((witness, always))
        loose |= {p for p in people if always[p] != own[p]}
    firm.sort(key=lambda pair: pair[0].size)
    return witnesses | {p: found for p in loose if (found := _first(p, firm, prepared)) is not None}


def _first(person: int, firm: list[tuple[Witness, NDArray[np.int64]]], prepared: Prepared) -> Witness | None:
    """The smallest witness that gives a person another label however ties are broken."""
    before, names = int(prepared.predictions[person]), prepared.train.labels.tolist()
    for witness, always in firm:
        if always[person] not in (-1, before):
            return replace(witness, before=names[before], after=names[always[person]])
    return None


def _labels(prepared: Prepared, witness: Witness, people: NDArray[np.float32]) -> NDArray[np.int64]:
    """Codes of labels that people get, one row for each seed and order of columns."""
    X, y = changed_table(witness, prepared.train)
    said = []
    for seed in range(TRIES):
        order = np.random.default_rng(seed).permutation(X.shape[1])
        tree = prepared.learner.new_tree().set_params(random_state=seed)
        said.append(tree.fit(X[:, order], y).predict(people[:, order]))
    return np.array(said, np.int64)
