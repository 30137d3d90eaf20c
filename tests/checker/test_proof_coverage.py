"""Proof files of trees with class weights and of tables with missing values, and what is rejected of them."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OrdinalEncoder
from sklearn.tree import DecisionTreeClassifier

from everytree import EverytreeError, certify, verify_proof
from everytree.checker.criteria import Gini
from everytree.checker.proofs import Rejected, Tables, claim_words, verify_lines
from everytree.checker.proofs.claim import read_claim
from everytree.checker.weights import balanced_on, corners_of_balanced, given_weights
from everytree.cli import main
from everytree.questions.proofs.writing import _Proofs
from everytree.support.limits import Limits


def table(holes: bool = False, labels: int = 2) -> tuple[pd.DataFrame, pd.Series]:
    rng = np.random.default_rng(3)
    rows = 60
    X = pd.DataFrame({"age": rng.integers(20, 25, rows) * 1.0, "score": rng.integers(0, 4, rows) / 2})
    X["member"] = rng.integers(0, 2, rows) * 1.0
    X["town"] = rng.choice(["a", "b"], rows)
    y = (X.score > 0.6).astype(int)
    y = y.where(rng.random(rows) > 0.1, 1 - y)
    if labels > 2:
        y = y + (X.age > 23)
    if holes:
        for name, share in (("score", 0.2), ("member", 0.1), ("town", 0.1)):
            X[name] = X[name].mask(rng.random(rows) < share)
    return X, y


@cache
def written(bias: str, options: str = "{}", engine: str = "relational") -> tuple[Any, Any, list[Any]]:
    """A result, what `write_proof` would write of it, and the lines."""
    settings = {"max_depth": 2, **json.loads(options)}
    holes, labels = settings.pop("holes", False), settings.pop("labels", 2)
    if isinstance(settings.get("class_weight"), dict):
        settings["class_weight"] = {int(k): w for k, w in settings["class_weight"].items()}
    X, y = table(holes, labels)
    tree = DecisionTreeClassifier(random_state=0, **settings)
    result = certify(tree, X, y, X.iloc[:20], bias, engine=engine, time_limit=5)
    proofs = _Proofs(result, Limits.of(20.0))
    return result, proofs, json.loads(json.dumps(list(proofs._lines())))


def accepted(lines: list[Any], tables: Tables) -> bool:
    try:
        verify_lines(iter(lines), tables)
    except Rejected:
        return False
    return True


WHOLE = '"class_weight": {"0": 1, "1": 3}'
DECIMALS = '"class_weight": {"0": 0.1, "1": 0.25}'
MOVING = '"class_weight": "balanced"'
BIASES = ("flip(1)", "fake(2)", "miss(1)", 'flip(1, where label == 1) + fake(1, where town == "a")')


@pytest.mark.parametrize("bias", BIASES)
@pytest.mark.parametrize("options", [WHOLE, DECIMALS, MOVING, '"holes": true', f'"holes": true, {MOVING}'])
@pytest.mark.parametrize("criterion", ["gini", "entropy"])
def test_who_is_proved_by_the_walk_is_in_the_file(bias: str, options: str, criterion: str) -> None:
    result, proofs, lines = written(bias, f'{{"criterion": "{criterion}", {options}}}')
    verify_lines(iter(lines), proofs.tables)
    robust = set(np.flatnonzero(result.verdicts == "robust").tolist())
    assert set(proofs.proved) == robust
    assert robust or bias == "miss(1)"


@pytest.mark.parametrize(
    "options",
    [
        f'"labels": 3, {MOVING}',
        '"labels": 3, "class_weight": {"1": 5}',
        f'"min_samples_leaf": 5, {MOVING}',
        f'"min_impurity_decrease": 0.01, {DECIMALS}',
        f'"min_impurity_decrease": 0.01, {MOVING}',
        f'"max_leaf_nodes": 3, "holes": true, {WHOLE}',
        '"min_samples_split": 0.3, "holes": true',
    ],
)
def test_settings_come_together(options: str) -> None:
    result, proofs, lines = written("flip(1)", f"{{{options}}}")
    verify_lines(iter(lines), proofs.tables)
    assert len(proofs.proved) == (result.verdicts == "robust").sum() > 0


@pytest.mark.parametrize(
    ("bias", "options"),
    [
        ("flip(2)", WHOLE),
        ("flip(2)", DECIMALS),
        ("flip(2) + fake(1)", '"holes": true, "min_samples_leaf": 2'),
    ],
)
def test_paths_are_excluded_with_weights_and_holes(bias: str, options: str) -> None:
    _, proofs, lines = written(bias, f"{{{options}}}", "auto")
    report = verify_lines(iter(lines), proofs.tables)
    assert proofs.robust["paths"]
    assert report.programs > 0
    place = next(n for n, line in enumerate(lines) if n and line[0] == "path")
    for parts in ([["none", []]], []):
        assert not accepted([*lines[:place], [*lines[place][:5], parts], *lines[place + 1 :]], proofs.tables)
    assert not accepted([*lines[:place], *lines[place + 1 :]], proofs.tables)


def test_no_path_is_excluded_where_weights_move() -> None:
    _, proofs, lines = written("flip(2)", f"{{{WHOLE}}}", "auto")
    assert any(line[0] == "path" for line in lines[1:])
    first = {**lines[0], "learner": {**lines[0]["learner"], "class_weight": "balanced"}}
    with pytest.raises(Rejected):
        verify_lines(iter([first, *lines[1:]]), proofs.tables)


@pytest.mark.parametrize(
    "weights",
    [
        None,
        "balanced",
        [[0, 9.0], [1, 1.0]],
        [[0, -1.0], [1, 1.0]],
        [[0, 1e5]],
        [[2, 1.0]],
        [[0, "1"]],
        "heavy",
    ],
)
def test_a_file_is_not_one_of_other_weights(weights: Any) -> None:
    _, proofs, lines = written("flip(1)", f"{{{WHOLE}}}")
    first = {**lines[0], "learner": {**lines[0]["learner"], "class_weight": weights}}
    if not accepted([first, *lines[1:]], proofs.tables):
        return
    X, y = table()  # the same steps prove the other claim, which must be right then
    given = weights if weights is None or isinstance(weights, str) else dict(weights)
    tree = DecisionTreeClassifier(max_depth=2, class_weight=given, random_state=0)
    result = certify(tree, X, y, X.iloc[:20], "flip(1)", engine="relational")
    for person, label in first["robust"]["walk"]:
        assert (result.verdicts[person], result.predictions[person]) == ("robust", label)


def test_missing_values_are_not_covered_for_older_learners() -> None:
    _, proofs, lines = written("flip(1)", '{"holes": true}')
    assert accepted(lines, proofs.tables)
    assert not accepted([{**lines[0], "scikit_learn": "1.8.0"}, *lines[1:]], proofs.tables)
    filled = {**proofs.tables.train, "score": [0.5 if v is None else v for v in proofs.tables.train["score"]]}
    assert not accepted(lines, Tables(filled, proofs.tables.test))


def test_changed_steps_of_tables_with_holes_are_rejected() -> None:
    _, proofs, lines = written("fake(2)", '{"holes": true}')
    nodes = [n for n, line in enumerate(lines) if n and line[0] == "node"]
    assert nodes
    for place in nodes:
        line = lines[place]
        assert not accepted([*lines[:place], *lines[place + 1 :]], proofs.tables)
        if line[5]:
            for gone in range(len(line[5])):
                fewer = [*line[:5], [*line[5][:gone], *line[5][gone + 1 :]]]
                assert not accepted([*lines[:place], fewer, *lines[place + 1 :]], proofs.tables)


def test_from_csv_files_with_holes_and_weights(tmp_path, capsys) -> None:
    X, y = table(holes=True)
    train, test, proof = tmp_path / "train.csv", tmp_path / "test.csv", tmp_path / "a.proof"
    X.assign(hired=y).to_csv(train, index=False)
    X.iloc[:15].to_csv(test, index=False)
    bias = "flip(1, where score is not missing) + miss(1, where member is missing and label == 1)"
    asked = ["certify", str(train), str(test), "--label", "hired", "--depth", "1", "--bias", bias]
    assert main([*asked, "--class-weight", "balanced", "--proof", str(proof)]) == 0
    assert main(["verify", str(proof), str(train), str(test)]) == 0
    said = " ".join(capsys.readouterr().err.split())
    assert "VERIFIED" in said
    assert "class_weight='balanced'" in said
    assert "not score is missing" in said


@pytest.mark.parametrize("options", [WHOLE, MOVING, '"holes": true'])
def test_witnesses_are_retrained_with_weights_and_holes(options: str, tmp_path) -> None:
    result, _, _ = written("flip(8)", f"{{{options}}}", "auto")
    assert result.witnesses
    file = result.write_proof(tmp_path / "a.proof", time_limit=5)
    X, y = table("holes" in options)
    found = verify_proof(file.path, X, y, X.iloc[:20])
    assert found.verified, found.reason
    assert found.not_robust == len(result.witnesses)


def test_features_that_the_verification_would_not_make_are_refused(tmp_path) -> None:
    X, y = table(holes=True)
    town = X[["town"]]
    tree = make_pipeline(OrdinalEncoder(), DecisionTreeClassifier(max_depth=1, random_state=0))
    with pytest.raises(EverytreeError):
        certify(tree, town, y, town[:5], "flip(1)").write_proof(tmp_path / "a.proof")


def test_the_claim_says_weights_by_the_name_of_the_label() -> None:
    _, proofs, lines = written("flip(1)", f"{{{WHOLE}}}")
    words = dict(claim_words(read_claim(lines[0], proofs.tables)))
    assert "class_weight={0: 1.0, 1: 3.0}" in words["learner"]


def test_people_whom_their_twins_prove() -> None:
    """In a tree without a limit; more bias than the twins stand, and a limit, are rejected."""
    X, y = table()
    many, labels = pd.concat([X] * 5, ignore_index=True), pd.concat([y] * 5, ignore_index=True)
    tree = DecisionTreeClassifier(random_state=0)
    result = certify(tree, many, labels, X.iloc[:20], "miss(2)", time_limit=3)
    proofs = _Proofs(result, Limits.of(3.0))
    lines = json.loads(json.dumps(list(proofs._lines())))
    assert proofs.robust["twins"]
    assert accepted(lines, proofs.tables)
    place = lines.index(["twins"])
    assert not accepted([*lines[:place], *lines[place + 1 :]], proofs.tables)
    assert not accepted([*lines[:place], ["twins"], *lines[place:]], proofs.tables)
    only = {"twins": lines[0]["robust"]["twins"]}
    alone = [{**lines[0], "robust": only, "not_robust": []}, ["by", "twins"], ["twins"], ["end", 0]]
    assert accepted(alone, proofs.tables)
    more = {"bias": {"components": [{"kind": "miss", "amount": 40}]}, "budgets": [40, 0, 0]}
    for change in (more, {"learner": {**lines[0]["learner"], "max_depth": 3}}):
        assert not accepted([{**alone[0], **change}, *alone[1:]], proofs.tables)
    wrong = {"twins": [[p, 1 - label] for p, label in only["twins"]]}
    assert not accepted([{**alone[0], "robust": wrong}, *alone[1:]], proofs.tables)


# ---------------------------------------------------------------- weights as whole numbers


def test_weights_are_whole_numbers_of_the_same_ratio() -> None:
    assert given_weights([2.0, 2.0]).heaviest is None
    assert given_weights([0.5, 1.5]).at == (1, 3)
    assert given_weights([0.5, 1.5]).exact
    for inexact in ([0.1, 0.2], [0.1, 0.1], [1.0, 1 / 3]):
        weights = given_weights(inexact)
        assert not weights.exact
        assert [w / weights.unit for w in weights.at] == inexact
        assert Gini(weights).stop_rows == 0
    assert Gini(given_weights([1.0, 5.0])).stop_rows == 2000


@pytest.mark.parametrize("labels", [2, 3, 5])
def test_the_weights_of_every_table_lie_between_the_corners(labels: int) -> None:
    """Some mix of the corners is the weights of a table, for tables at all ends of the ranges."""
    counts = [20, 9, 4, 2, 1][:labels]
    least, most = [max(0, c - 2) for c in counts], [c + 2 for c in counts]
    corners = corners_of_balanced(counts, least, most)
    ends = np.array([[float(w) / corner.at[0] for w in corner.at] for corner in corners])
    for extreme in (least, most, [least[0], *most[1:]], [most[0], *least[1:]]):
        present = [max(1, c) for c in extreme]
        weights = np.array([present[0] / c for c in present])
        if labels <= 4:
            assert (ends.min(axis=0) <= weights + 1e-12).all()
            assert (weights <= ends.max(axis=0) + 1e-12).all()
        else:
            low, spread = ends[0], ends[1:].max(axis=0) - ends[0]
            shares = (weights - low)[1:] / spread[1:]
            assert (shares >= -1e-12).all()
            assert shares.sum() <= 1 + 1e-12
    assert balanced_on([6, 3]).at == (1, 2)


def test_a_walk_without_end_does_not_keep_a_file_from_being_written(tmp_path):
    """Whoever the walk is done with by then is in the file; the others are left out, by name."""
    data = load_breast_cancer()
    tree = DecisionTreeClassifier(max_depth=3, random_state=0)
    result = certify(tree, data.data[:300], data.target[:300], data.data[308:312], "miss(1)", time_limit=4)
    assert not result.complete
    robust = np.flatnonzero(result.verdicts == "robust").tolist()
    file = result.write_proof(tmp_path / "a.proof", time_limit=2)
    assert sorted([*file.proved, *(p for p in file.left_out if p in robust)]) == robust
