"""People in proof files whom trying every change of nodes proves: the verification tries them itself."""

from __future__ import annotations

import time
from functools import cache
from itertools import combinations, product
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.tree import DecisionTreeClassifier

from everytree import certify, verify_proof
from everytree.checker.proofs import Rejected, small_sets, verify_lines
from everytree.checker.proofs.changes import TriedNodes, why_not_tried
from everytree.checker.proofs.claim import read_claim
from everytree.questions.proofs import changes as writing_changes
from everytree.questions.proofs.changes import ChangeProofs
from everytree.questions.proofs.finding import OUT_OF_TIME
from everytree.questions.proofs.writing import _Proofs
from everytree.support.limits import Limits
from tests.checker.written_files import Written, write


def table(holes: bool = False, labels: int = 2, rows: int = 26) -> tuple[pd.DataFrame, pd.Series]:
    rng = np.random.default_rng(11)
    X = pd.DataFrame({"a": rng.integers(0, 6, rows) * 1.0, "b": rng.integers(0, 3, rows) / 2})
    X["c"] = rng.integers(0, 2, rows) * 1.0
    y = ((X.a > 2) ^ (X.c == 1)).astype(int)
    y = y.where(rng.random(rows) > 0.15, rng.integers(0, 2, rows)) + (labels > 2) * (X.b > 0.6)
    if holes:
        X = X.mask(rng.random(X.shape) < 0.2)
    return X, pd.Series(y)


def claimed(bias: str, given: dict[str, Any]) -> tuple[Any, Any, dict[str, Any]]:
    """What the verification makes of a claim about everybody, robust or not; the proofs, and the claim."""
    settings = {"max_depth": 3, **given}
    X, y = table(settings.pop("holes", False), settings.pop("labels", 2))
    tree = DecisionTreeClassifier(random_state=0, **settings)
    proofs = _Proofs(certify(tree, X, y, X.drop_duplicates(), bias, engine="interval"), Limits.of(5.0))
    pairs = list(map(list, enumerate(proofs.prepared.predictions.tolist())))
    claim = {**proofs.claim, "robust": {"changes": pairs}}
    return read_claim(claim, proofs.tables).problems["changes"], proofs, claim


@cache
def written() -> Written:
    return write("flip(1)")


def test_people_proved_by_tables_are_in_the_file() -> None:
    result, proofs, lines = written()
    robust = np.flatnonzero(result.verdicts == "robust").tolist()
    assert proofs.robust["changes"]
    assert list(proofs.proved) == robust
    assert not proofs.left_out
    assert verify_lines(iter(lines), proofs.tables).changes > 10


def test_a_changed_section_is_rejected() -> None:
    _, _, lines = written()
    at = next(n for n, line in enumerate(lines) if n and line[0] == "tried")
    tried = lines[at]
    for wrong in (tried[4] + 1, tried[4] - 1, 0, None, "1"):
        assert not written().accepts([*lines[:at], [*tried[:4], wrong], *lines[at + 1 :]])
    for other in (["tried", 0, 0, 0, tried[4]], ["tried", -1, 0, 0], ["tables", tried[4]], ["twins"]):
        assert not written().accepts([*lines[:at], other, *lines[at + 1 :]])
    assert not written().accepts([*lines[:at], *lines[at + 1 :]])  # dropped
    assert not written().accepts([*lines[:at], tried, *lines[at:]])  # replayed
    assert not written().accepts([*lines[: at - 1], *lines[at + 1 :]])
    assert not written().accepts([*lines[:at], ["node", -1, 0, 0, [], []], *lines[at + 1 :]])
    first, (person, label) = lines[0], lines[0]["robust"]["changes"][0]
    other = {**first["robust"], "changes": [[person, 1 - label], *first["robust"]["changes"][1:]]}
    assert not written().accepts([{**first, "robust": other}, *lines[1:]])
    refuted = {**first["robust"], "changes": [*first["robust"]["changes"], first["not_robust"][0]]}
    assert not written().accepts([{**first, "robust": refuted}, *lines[1:]])
    for way in ("walk", "paths", "tables", "twins"):  # the same line in another section
        moved = {**{k: v for k, v in first["robust"].items() if k != "changes"}}
        moved[way] = [*moved.get(way, []), *first["robust"]["changes"]]
        assert not written().accepts([{**first, "robust": moved}, ["by", way], tried, *lines[at + 1 :]])
    more = {"bias": {"components": [{"kind": "flip", "amount": 2}]}, "budgets": [0, 2, 0]}
    assert not written().accepts([{**first, **more}, *lines[1:]])


@pytest.mark.parametrize("bias", ["flip(1)", "flip(2)", "fake(2)", "flip(1, where c == 1) + fake(1)"])
@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"criterion": "entropy"},
        {"max_depth": None},
        {"max_depth": None, "criterion": "entropy", "labels": 3},
        {"max_depth": 2, "labels": 3},
        {"max_depth": 2, "holes": True},
        {"max_depth": None, "holes": True, "criterion": "entropy"},
    ],
    ids=str,
)
def test_whom_no_table_changes_is_proved_and_nobody_else(bias: str, settings: dict[str, Any]) -> None:
    """Node by node and table by table are two programs: they must find the same people."""
    problem, proofs, claim = claimed(bias, settings)
    root = problem.root(range(len(problem.cases)))
    number, wrong = TriedNodes(problem).open_cases(root)
    assert (number, wrong) == small_sets.open_cases(problem)
    assert len(wrong) > 0
    if "flip" in bias:
        assert _retrained(proofs, bias) <= set(problem.people(wrong))
    lines = [claim, ["by", "changes"], ["tried", -1, 0, 0, number], ["end", 1]]
    with pytest.raises(Rejected) as failure:
        verify_lines(iter(lines), proofs.tables)
    assert set(failure.value.people) == set(problem.people(wrong))


def _retrained(proofs: Any, bias: str) -> set[int]:
    """People whom scikit-learn gives another label after flips, each row tried."""
    X, y = proofs.prepared.train.X, proofs.prepared.train.y
    settings = {name: value for name, value in proofs.claim["learner"].items() if name != "class_weight"}
    tree = DecisionTreeClassifier(random_state=0, **settings)
    allowed = np.flatnonzero(X[:, 2] == 1) if "where" in bias else np.arange(len(y))
    amount = 2 if "flip(2)" in bias else 1
    changed = set[int]()
    for rows in [r for size in range(amount + 1) for r in combinations(allowed.tolist(), size)][::3]:
        for new in product(range(y.max() + 1), repeat=len(rows)):
            labels = y.copy()
            labels[list(rows)] = new
            if len(set(labels.tolist())) > 1:
                found = tree.fit(X, labels).predict(proofs.prepared.test.X)
                changed |= set(np.flatnonzero(found != proofs.prepared.predictions).tolist())
    return changed


@pytest.mark.parametrize("bias", ["flip(2)", "fake(2)"])
def test_bounds_lead_to_nodes_with_fewer_changes(bias: str, monkeypatch) -> None:
    """Where the changes of the root are too many, its best splits are followed by bounds."""
    rng = np.random.default_rng(5)
    X = np.column_stack([np.repeat([0, 1], 24), rng.permutation(48), rng.permutation(48)]).astype(float)
    y = np.where(rng.random(48) < 0.12, 1 - X[:, 0], X[:, 0]).astype(int)
    tree = DecisionTreeClassifier(max_depth=2, random_state=0)
    proofs = _Proofs(certify(tree, X, y, X, bias, engine="interval"), Limits.of(5.0))
    claim = {**proofs.claim, "robust": {"changes": proofs._pairs(range(48))}}
    problem = read_claim(claim, proofs.tables).problems["changes"]
    monkeypatch.setattr(writing_changes, "MOST_CHANGES", 400)
    finding = ChangeProofs(proofs.problem)
    proved = finding.try_all(problem)
    claim = {**claim, "robust": {"changes": proofs._pairs(sorted(proved))}}
    lines = finding.lines(read_claim(claim, proofs.tables).problems["changes"])
    assert [line[0] for line in lines] == ["node", "tried", "tried"]
    _, wrong = small_sets.open_cases(problem)
    assert not proved & set(problem.people(wrong))
    file = [claim, ["by", "changes"], *lines, ["end", len(lines)]]
    assert verify_lines(iter(file), proofs.tables).nodes == len(lines)
    for at in range(2, len(file) - 1):
        for damaged in ([*file[:at], *file[at + 1 :]], [*file[:at], file[at], *file[at:]]):
            with pytest.raises(Rejected):
                verify_lines(iter(damaged), proofs.tables)


def test_what_is_not_covered_is_rejected() -> None:
    for bias, settings in (
        ("miss(1)", {}),
        ("flip(1)", {"min_samples_leaf": 2}),
        ("flip(1)", {"min_samples_split": 4}),
        ("flip(1)", {"min_impurity_decrease": 0.01}),
        ("flip(1)", {"max_leaf_nodes": 3}),
        ("flip(1)", {"ccp_alpha": 0.01}),
        ("flip(1)", {"class_weight": {0: 1, 1: 2}}),
    ):
        problem, proofs, claim = claimed(bias, settings)
        assert why_not_tried(problem)
        with pytest.raises(Rejected, match="changes"):
            verify_lines(iter([claim, ["by", "changes"], ["tried", -1, 0, 0, 1], ["end", 1]]), proofs.tables)


@pytest.mark.parametrize("bias", ["miss(1)", "flip(2)"])
def test_the_time_limit_holds_for_all_of_writing(bias: str, tmp_path) -> None:
    data = load_breast_cancer()
    X, y, people = data.data[:300], data.target[:300], data.data[308:320]
    tree = DecisionTreeClassifier(max_depth=3, random_state=0)
    result = certify(tree, X, y, people, bias, time_limit=10)
    began = time.process_time()  # others may keep the machine busy
    file = result.write_proof(tmp_path / "a.proof", time_limit=0.5)
    assert time.process_time() - began < 0.55 + 2
    robust = np.flatnonzero(result.verdicts == "robust").tolist()
    assert sorted([*file.proved, *(p for p in file.left_out if p in robust)]) == robust
    assert set(file.left_out.values()) <= {OUT_OF_TIME} or not robust
    assert verify_proof(file.path, X, y, people).verified
