"""Cells that tell each other what they know: proofs go down, witnesses go up, contradictions are refused."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier

from everytree.audit import Cell
from everytree.audit.agreement import agree
from everytree.bias import parse
from everytree.datasets import load
from everytree.errors import InternalError
from everytree.learner import prepare
from everytree.questions.certify import certify_prepared
from everytree.questions.radius import radius_prepared
from everytree.results.certification import NOT_ROBUST, ROBUST, UNKNOWN
from everytree.support.limits import Limits

AMOUNTS = (0, 1, 2, 3)


@pytest.fixture(scope="module")
def found():
    data = load("hiring")
    tree = DecisionTreeClassifier(max_depth=1, random_state=0)
    prepared = prepare(tree, data.X_train, data.y_train, data.X_test)
    family = parse("flip(?)")
    verdicts = {
        Cell(0, str(a), None, 1, family.with_amount(a)): certify_prepared(
            prepared, family.with_amount(a), engine="auto", limits=Limits()
        )
        for a in AMOUNTS
    }
    radii = {Cell(0, None, None, 1, family, "radius"): radius_prepared(prepared, family, max_amount=3)}
    return {1: prepared}, verdicts, radii


def forget(result, verdict):
    """The same result with one kind of verdict turned into unknown."""
    gone = result.verdicts == verdict
    return replace(
        result,
        verdicts=np.where(gone, UNKNOWN, result.verdicts),
        possible_labels=[
            tuple(result.labels.tolist()) if out else labels
            for out, labels in zip(gone, result.possible_labels, strict=True)
        ],
        witnesses={} if verdict == NOT_ROBUST else result.witnesses,
        complete=False,
    )


def test_what_is_complete_stays_as_it_is(found) -> None:
    prepared, verdicts, radii = found
    agreed, measured = agree(verdicts, radii, prepared)
    for cell, result in verdicts.items():
        assert agreed[cell].verdicts.tolist() == result.verdicts.tolist()
        assert agreed[cell].possible_labels == result.possible_labels
        assert list(agreed[cell].witnesses) == list(result.witnesses)
    (before,), (after,) = radii.values(), measured.values()
    assert (after.lower.tolist(), after.upper.tolist()) == (before.lower.tolist(), before.upper.tolist())


def test_a_proof_covers_smaller_amounts(found) -> None:
    prepared, verdicts, _ = found
    none, one, *_ = verdicts
    known = {none: forget(verdicts[none], ROBUST), one: verdicts[one]}
    agreed, _ = agree(known, {}, prepared)
    proved = verdicts[one].verdicts == ROBUST
    assert 0 < proved.sum() < len(proved)
    assert (agreed[none].verdicts == np.where(proved, ROBUST, UNKNOWN)).all()
    assert all(len(agreed[none].possible_labels[p]) == 1 for p in np.flatnonzero(proved))
    assert not agreed[none].complete


def test_a_witness_serves_larger_amounts(found) -> None:
    prepared, verdicts, _ = found
    _, one, two, three = verdicts
    known = {one: verdicts[one], two: forget(verdicts[two], NOT_ROBUST)}
    agreed, _ = agree(known, {}, prepared)
    for person, witness in verdicts[one].witnesses.items():
        assert agreed[two].verdicts[person] == NOT_ROBUST
        assert agreed[two].witness(person) is witness
    lost = {two: forget(verdicts[two], NOT_ROBUST), three: verdicts[three]}
    agreed, _ = agree(lost, {}, prepared)
    sizes = {person: witness.size for person, witness in verdicts[three].witnesses.items()}
    for person, verdict in enumerate(agreed[two].verdicts):  # a witness of 3 records is none for 2
        assert verdict == (NOT_ROBUST if sizes.get(person, 3) < 3 else UNKNOWN)


def test_a_witness_counts_for_what_it_changes(found) -> None:
    """The amounts of a cell are what it may change: a witness found there may need less."""
    prepared, verdicts, radii = found
    _, one, _, three = verdicts
    small = verdicts[one].witnesses
    late = replace(verdicts[three], witnesses={**verdicts[three].witnesses, **small})
    (cell,) = radii
    people = len(radii[cell])
    vague = replace(
        radii[cell], lower=np.full(people, -1), upper=np.full(people, np.inf), witnesses={}, complete=False
    )
    agreed, measured = agree({one: forget(verdicts[one], NOT_ROBUST), three: late}, {cell: vague}, prepared)
    assert small
    for person in small:
        assert agreed[one].verdicts[person] == NOT_ROBUST
        assert measured[cell].upper[person] == 1


def test_the_smallest_known_witness_is_shown(found) -> None:
    prepared, verdicts, radii = found
    agreed, measured = agree(verdicts, radii, prepared)
    (radius,) = measured.values()
    for cell, result in agreed.items():
        for person, witness in result.witnesses.items():
            assert witness.size <= min(verdicts[cell].witness(person).size, radius.upper[person])


def test_the_radius_decides_cells_and_cells_sharpen_the_radius(found) -> None:
    prepared, verdicts, radii = found
    blank = {cell: forget(forget(r, ROBUST), NOT_ROBUST) for cell, r in verdicts.items()}
    agreed, _ = agree(blank, radii, prepared)
    for cell, result in verdicts.items():
        assert agreed[cell].verdicts.tolist() == result.verdicts.tolist()
        assert agreed[cell].complete
    (cell,) = radii
    people = len(radii[cell])
    vague = replace(
        radii[cell], lower=np.full(people, -1), upper=np.full(people, np.inf), witnesses={}, complete=False
    )
    _, measured = agree(verdicts, {cell: vague}, prepared)
    assert measured[cell].lower.tolist() == radii[cell].lower.tolist()
    assert measured[cell].upper.tolist() == radii[cell].upper.tolist()
    assert measured[cell].complete


def test_pairs_of_amounts_are_compared_in_both(found) -> None:
    prepared, verdicts, _ = found
    _, one, two, _ = verdicts
    first = replace(one, second="2", model=parse("flip(1) + fake(2)"))
    other = replace(two, second="1", model=parse("flip(2) + fake(1)"))
    known = {first: verdicts[one], other: forget(verdicts[two], NOT_ROBUST)}
    agreed, _ = agree(known, {}, prepared)
    assert (agreed[other].verdicts == UNKNOWN).all()  # neither pair contains the other
    both = replace(two, second="2", model=parse("flip(2) + fake(2)"))
    agreed, _ = agree({first: verdicts[one], both: forget(verdicts[two], NOT_ROBUST)}, {}, prepared)
    assert set(np.flatnonzero(agreed[both].verdicts == NOT_ROBUST)) == set(verdicts[one].witnesses)


def test_a_contradiction_is_never_reported_as_a_verdict(found) -> None:
    prepared, verdicts, radii = found
    _, one, two, _ = verdicts
    wrong = replace(verdicts[two], verdicts=np.full(9, ROBUST), witnesses={})
    with pytest.raises(InternalError, match="contradict each other about test person"):
        agree({one: verdicts[one], two: wrong}, {}, prepared)
    with pytest.raises(InternalError, match="contradict"):
        agree({two: wrong}, radii, prepared)
