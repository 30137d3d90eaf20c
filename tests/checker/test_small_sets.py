"""People in proof files whom only trying every table proves: the verification tries them all itself."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.tree import DecisionTreeClassifier

from everytree import certify
from everytree.checker.proofs import Rejected, verify_lines
from everytree.checker.proofs.claim import read_claim
from everytree.checker.proofs.small_sets import MOST_TABLES, count_tables, is_covered, open_cases
from everytree.questions.proofs.writing import _Proofs
from everytree.support.limits import Limits


def table() -> tuple[pd.DataFrame, pd.Series]:
    rng = np.random.default_rng(7)
    rows = int(rng.integers(14, 40))
    rng.integers(2, 4)
    X = pd.DataFrame({"a": rng.integers(0, 5, rows), "b": rng.integers(0, 3, rows)})
    X["c"] = rng.integers(0, 2, rows)
    y = ((X.a > 1) ^ (X.c == 1)).astype(int)
    return X, pd.Series(y.where(rng.random(rows) > 0.2, rng.integers(0, 2, rows)))


@cache
def written() -> tuple[Any, Any, list[Any]]:
    X, y = table()
    tree = DecisionTreeClassifier(max_depth=3, random_state=0)
    result = certify(tree, X, y, X.drop_duplicates(), "fake(2)")
    proofs = _Proofs(result, Limits.of(20.0))
    return result, proofs, json.loads(json.dumps(list(proofs._lines())))


def accepted(lines: list[Any]) -> bool:
    try:
        verify_lines(iter(lines), written()[1].tables)
    except Rejected:
        return False
    return True


def test_people_of_a_small_set_are_in_the_file() -> None:
    result, proofs, lines = written()
    assert proofs.robust["tables"]
    assert {str(result.proofs[p]) for p in proofs.robust["tables"]} == {"tables"}
    assert not proofs.left_out
    report = verify_lines(iter(lines), proofs.tables)
    assert report.tried == proofs.tried > 100


def test_a_changed_section_is_rejected() -> None:
    _, proofs, lines = written()
    at = lines.index(["tables", proofs.tried])
    for wrong in (proofs.tried + 1, 0, None, "1"):
        assert not accepted([*lines[:at], ["tables", wrong], *lines[at + 1 :]])
    assert not accepted([*lines[:at], *lines[at + 1 :]])
    assert not accepted([*lines[:at], lines[at], *lines[at:]])
    assert not accepted([*lines[: at - 1], *lines[at + 1 :]])
    assert not accepted([*lines[:at], ["node", -1, 0, 0, [], []], *lines[at:]])
    first, (person, label) = lines[0], lines[0]["robust"]["tables"][0]
    other = {**first["robust"], "tables": [[person, 1 - label], *first["robust"]["tables"][1:]]}
    assert not accepted([{**first, "robust": other}, *lines[1:]])
    walked = {"tables": [pair for people in first["robust"].values() for pair in people]}
    start = next(number for number, line in enumerate(lines) if line == ["by", "tables"])
    assert accepted([{**first, "robust": walked}, *lines[start:-1], ["end", 0]])


def test_nobody_who_is_not_robust_is_proved_by_tables() -> None:
    X, y = table()
    y = y.where(np.arange(len(y)) % 5 > 0, 1 - y)
    tree = DecisionTreeClassifier(max_depth=2, random_state=0)
    result = certify(tree, X, y, X.drop_duplicates(), "flip(1) + fake(1)", time_limit=20)
    assert result.witnesses
    proofs = _Proofs(result, Limits.of(5.0))
    labels = proofs.prepared.predictions.tolist()
    claim = {**proofs.claim, "robust": {"tables": [[p, labels[p]] for p in result.witnesses]}}
    problem = read_claim(claim, proofs.tables).problems["tables"]
    number, wrong = open_cases(problem)
    assert number == count_tables(problem)
    assert sorted(problem.people(wrong)) == sorted(result.witnesses)


@pytest.mark.parametrize(
    ("bias", "settings"),
    [("miss(1)", {}), ("flip(1)", {"min_samples_leaf": 2}), ("flip(1)", {"ccp_alpha": 0.01})],
    ids=str,
)
def test_what_is_not_covered_is_rejected(bias: str, settings: dict[str, Any]) -> None:
    X, y = table()
    tree = DecisionTreeClassifier(max_depth=1, random_state=0, **settings)
    proofs = _Proofs(certify(tree, X, y, X[:1], bias, engine="interval"), Limits.of(5.0))
    claim = {**proofs.claim, "robust": {"tables": [[0, int(proofs.prepared.predictions[0])]]}}
    problem = read_claim(claim, proofs.tables).problems["tables"]
    assert not is_covered(problem)
    with pytest.raises(Rejected, match="plain trees"):
        open_cases(problem)


def test_large_sets_are_not_tried() -> None:
    X, y = table()
    tree = DecisionTreeClassifier(max_depth=1, random_state=0)
    proofs = _Proofs(certify(tree, X, y, X[:1], "flip(9)", engine="interval"), Limits.of(5.0))
    claim = {**proofs.claim, "robust": {"tables": [[0, int(proofs.prepared.predictions[0])]]}}
    assert count_tables(read_claim(claim, proofs.tables).problems["tables"]) == MOST_TABLES + 1
