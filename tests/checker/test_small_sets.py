"""People in proof files whom only trying every table proves: the verification tries them all itself."""

from __future__ import annotations

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
from tests.checker.written_files import Written, table, write


@cache
def written() -> Written:
    return write("fake(2)", class_weight="balanced")


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
        assert not written().accepts([*lines[:at], ["tables", wrong], *lines[at + 1 :]])
    assert not written().accepts([*lines[:at], *lines[at + 1 :]])
    assert not written().accepts([*lines[:at], lines[at], *lines[at:]])
    assert not written().accepts([*lines[: at - 1], *lines[at + 1 :]])
    assert not written().accepts([*lines[:at], ["node", -1, 0, 0, [], []], *lines[at:]])
    first, (person, label) = lines[0], lines[0]["robust"]["tables"][0]
    other = {**first["robust"], "tables": [[person, 1 - label], *first["robust"]["tables"][1:]]}
    assert not written().accepts([{**first, "robust": other}, *lines[1:]])
    walked = {"tables": [pair for people in first["robust"].values() for pair in people]}
    witnesses = [line for line in lines[1:] if line[0] == "witness"]
    assert written().accepts(
        [{**first, "robust": walked}, ["by", "tables"], lines[at], *witnesses, ["end", 0]]
    )


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


def problem_of(bias: str, X: pd.DataFrame, y: pd.Series, **settings: Any) -> Any:
    """Everybody claimed by trying every table, robust or not."""
    tree = DecisionTreeClassifier(max_depth=2, random_state=0, **settings)
    proofs = _Proofs(certify(tree, X, y, X.drop_duplicates(), bias, engine="interval"), Limits.of(5.0))
    labels = proofs.prepared.predictions.tolist()
    claim = {**proofs.claim, "robust": {"tables": list(map(list, enumerate(labels)))}}
    return read_claim(claim, proofs.tables).problems["tables"]


@pytest.mark.parametrize(
    "settings",
    [
        {"min_samples_leaf": 3},
        {"min_samples_split": 0.4},
        {"min_impurity_decrease": 0.02},
        {"max_leaf_nodes": 3},
        {"ccp_alpha": 0.01},
        {"class_weight": {0: 1, 1: 3}},
        {"class_weight": {0: 0.3, 1: 0.1}, "criterion": "entropy"},
        {"class_weight": "balanced"},
        {"holes": True},
        {"holes": True, "class_weight": "balanced", "criterion": "entropy"},
    ],
    ids=str,
)
def test_trees_of_all_settings_are_tried(settings: dict[str, Any]) -> None:
    """Nobody whom retraining on one of the tables changes passes."""
    X, y = table()
    settings = dict(settings)
    if settings.pop("holes", False):
        X = X.astype(float).mask(np.random.default_rng(1).random(X.shape) < 0.2)
    problem = problem_of("flip(1)", X, y, **settings)
    number, wrong = open_cases(problem)
    assert number == count_tables(problem) > 10
    people = X.drop_duplicates()
    tree = DecisionTreeClassifier(max_depth=2, random_state=0, **settings)
    before = tree.fit(X, y).predict(people)
    changed = set()
    for row in range(len(y)):
        flipped = y.where(np.arange(len(y)) != row, 1 - y)
        changed |= set(np.flatnonzero(tree.fit(X, flipped).predict(people) != before).tolist())
    assert changed <= set(problem.people(wrong))
    assert len(problem.people(wrong)) < len(people) or "ccp_alpha" in settings  # any node may be cut off


def test_what_is_not_covered_is_rejected() -> None:
    X, y = table()
    problem = problem_of("miss(1)", X, y)
    assert not is_covered(problem)
    with pytest.raises(Rejected, match="flips and removals"):
        open_cases(problem)


def test_large_sets_are_not_tried() -> None:
    X, y = table()
    tree = DecisionTreeClassifier(max_depth=1, random_state=0)
    proofs = _Proofs(certify(tree, X, y, X[:1], "flip(9)", engine="interval"), Limits.of(5.0))
    claim = {**proofs.claim, "robust": {"tables": [[0, int(proofs.prepared.predictions[0])]]}}
    assert count_tables(read_claim(claim, proofs.tables).problems["tables"]) == MOST_TABLES + 1
