"""Proof files: what is written is verified, and whatever is changed is rejected or claims the same."""

from __future__ import annotations

import copy
import gzip
import json
import random
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from everytree import EverytreeError, certify, verify_proof
from everytree.checker.exact import UNIT, log2, root
from everytree.checker.proofs import Rejected, Tables, read_lines, verify_lines
from everytree.cli import main
from everytree.prove.engines import RelationalEngine
from everytree.questions.proofs import only_exact
from everytree.questions.proofs.writing import _Proofs
from everytree.support.limits import NO_LIMITS

UNPROVED = ("made_by", "scikit_learn", "random_state", "left_out", "label")
"""Entries of a claim that nothing is proved about: who wrote the file, names, and who is not in it."""


def table(labels: int = 2, rows: int = 60) -> tuple[pd.DataFrame, pd.Series]:
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(
        {
            "age": rng.integers(20, 26, rows),
            "score": rng.integers(0, 4, rows) / 2,
            "group": rng.choice(["a", "b"], rows),
        }
    )
    y = (frame.score > 0.6).astype(int)
    y = y.where(rng.random(rows) > 0.2, 1 - y)
    return frame, y + (frame.age > 23) if labels > 2 else y


BIASES = (
    "flip(3)",
    "fake(4)",
    "miss(3)",
    'flip(2, where group == "a" and label == 1) + fake(1)',
    'miss(2, where group == "b" and age > 22) + flip(1)',
)


@cache
def written(bias: str, engine: str = "auto", labels: int = 2, **settings: Any) -> tuple[Any, Any]:
    """A result and what `write_proof` would write."""
    X, y = table(labels=labels)
    tree = DecisionTreeClassifier(random_state=0, **{"max_depth": 2, **settings})
    result = certify(tree, X, y, X.iloc[:15], bias, engine=engine, time_limit=20)
    return result, _Proofs(result, NO_LIMITS)


def lines_of(proofs: Any) -> list[Any]:
    return json.loads(json.dumps(list(proofs._lines())))


def accepted(lines: list[Any], tables: Tables) -> bool:
    try:
        verify_lines(iter(lines), tables)
    except Rejected:
        return False
    return True


@pytest.mark.parametrize("bias", BIASES)
def test_every_robust_person_is_in_the_file_or_named(bias: str) -> None:
    result, proofs = written(bias)
    report = verify_lines(iter(lines_of(proofs)), proofs.tables)
    robust = set(np.flatnonzero(result.verdicts == "robust").tolist())
    assert set(proofs.proved) | set(proofs.left_out) == robust
    assert len(proofs.proved) >= 0.8 * len(robust)
    assert report.nodes > 0


@pytest.mark.parametrize(
    "settings",
    [
        {"criterion": "entropy"},
        {"min_samples_leaf": 5},
        {"min_samples_split": 0.3},
        {"min_impurity_decrease": 0.01},
        {"max_leaf_nodes": 3},
        {"ccp_alpha": 0.001},
        {"labels": 3},
        {"labels": 3, "criterion": "log_loss"},
        {"max_depth": None, "min_samples_leaf": 10},
    ],
    ids=str,
)
def test_settings_of_the_learner_are_covered(settings: dict[str, Any]) -> None:
    _, proofs = written("flip(1)", "relational", **settings)
    verify_lines(iter(lines_of(proofs)), proofs.tables)
    assert proofs.proved
    assert not proofs.left_out


# ---------------------------------------------------------------- files that are changed


def mutations(lines: list[Any], rng: random.Random) -> Any:
    """Steps dropped, doubled, exchanged and altered, one at a time."""
    for at in range(1, len(lines)):
        yield "dropped", [*lines[:at], *lines[at + 1 :]]
        yield "doubled", [*lines[:at], lines[at], *lines[at:]]
        if at + 1 < len(lines):
            yield "exchanged", [*lines[:at], lines[at + 1], lines[at], *lines[at + 2 :]]
        for _ in range(3):
            changed = copy.deepcopy(lines)
            alter(changed[at], rng)
            yield "altered", changed


def alter(value: Any, rng: random.Random) -> None:
    """Change one number, or drop or double one entry, somewhere inside."""
    places = (
        [p for p in range(len(value)) if not isinstance(value[p], str)] if isinstance(value, list) else []
    )
    if isinstance(value, dict):
        key = rng.choice(sorted(value))
        if isinstance(value[key], (list, dict)) and value[key]:
            alter(value[key], rng)
        else:
            value[key] = 1
        return
    if not places:
        value.append(0)
        return
    place = rng.choice(places)
    if isinstance(value[place], (list, dict)) and value[place] and rng.random() < 0.8:
        alter(value[place], rng)
    elif rng.random() < 0.3:
        del value[place]
    else:
        number = value[place] if isinstance(value[place], (int, float)) else 0
        value[place] = rng.choice([number + 1, number - 1, -number, 0, None])


def claims(line: Any) -> dict[str, Any]:
    return {name: line[name] for name in line if name not in UNPROVED}


def assert_right(claim: Any) -> None:
    """What is accepted is right, also where another claim was proved: that of another learner, say."""
    X, y = table()
    tree = DecisionTreeClassifier(random_state=0, **claim["learner"])
    result = certify(tree, X, y, X.iloc[:15], claim["bias"], engine="relational")
    people = claim["robust"]["walk"]
    assert [str(result.verdicts[p]) for p, _ in people] == ["robust"] * len(people)
    assert [int(result.predictions[p]) for p, _ in people] == [label for _, label in people]


@pytest.mark.parametrize(
    ("bias", "leaf", "expected"),
    [
        (BIASES[0], 1, {"by", "node", "tried", "witness", "end"}),
        (BIASES[0], 2, {"by", "node", "path", "witness", "end"}),
        (BIASES[3], 1, {"by", "node", "end"}),
    ],
)
def test_a_changed_step_is_rejected_or_the_claim_is_proved_all_the_same(
    bias: str, leaf: int, expected: set[str]
) -> None:
    """What is accepted in spite of a change is harmless: the claim is the old one, and it was verified."""
    _, proofs = written(bias, min_samples_leaf=leaf)
    lines, rng = lines_of(proofs), random.Random(0)
    rejected = 0
    kinds = {line[0] for line in lines[1:]}
    for how, changed in mutations(lines, rng):
        if accepted(changed, proofs.tables):
            assert how in ("altered", "exchanged")
            assert claims(changed[0]) == claims(lines[0])
        else:
            rejected += 1
    assert rejected > len(lines)
    assert kinds >= expected


def test_a_changed_claim_is_rejected() -> None:
    _, proofs = written(BIASES[3])
    first, *rest = lines_of(proofs)
    person, label = first["robust"]["walk"][0]
    wrong = {
        "train": "0" * 64,
        "test": "0" * 64,
        "rows": first["rows"] - 1,
        "budgets": [0, 0, 0],
        "labels": [1, 0],
        "ties": "first",
        "format": "everytree proof 2",
        "learner": {**first["learner"], "max_depth": 3},
        "columns": first["columns"][:-1],
        "trusted": [0, 1],
        "robust": {**first["robust"], "walk": [[person, 1 - label], *first["robust"]["walk"][1:]]},
        "not_robust": [*first["not_robust"], [person, label]],
    }
    for name, value in wrong.items():
        if name == "trusted":  # fewer tables: the same steps prove it
            continue
        assert not accepted([{**first, name: value}, *rest], proofs.tables), name
    assert not accepted([{**first, "more": 1}, *rest], proofs.tables)


def test_a_proof_is_not_one_of_another_bias_model() -> None:
    _, proofs = written("flip(3)")
    first, *rest = lines_of(proofs)
    for amount in (4, 5, 20):
        other = {"bias": {"components": [{"kind": "flip", "amount": amount}]}, "budgets": [0, amount, 0]}
        assert not accepted([{**first, **other}, *rest], proofs.tables)
    hidden = {"components": [{"kind": "flip", "amount": 3, "unless": "label"}]}
    assert not accepted([{**first, "bias": hidden}, *rest], proofs.tables)


def test_a_proof_is_not_one_of_another_table_or_person() -> None:
    _, proofs = written("flip(3)")
    lines = lines_of(proofs)
    for side in ("train", "test"):
        for name, column in getattr(proofs.tables, side).items():
            values = list(column)
            values[0] = next(value for value in values if value != values[0])
            other = {**getattr(proofs.tables, side), name: values}
            changed = Tables(**{**vars(proofs.tables), side: other})
            assert not accepted(lines, changed), (side, name)


def test_random_bytes_are_rejected_or_claim_the_same(tmp_path) -> None:
    """A hundred changed bytes of the packed file, and a hundred of the text in it."""
    _, proofs = written(BIASES[4], "relational")
    lines, rng = lines_of(proofs), random.Random(1)
    text = "".join(json.dumps(line) + "\n" for line in lines).encode()
    packed = gzip.compress(text, mtime=0)
    file = tmp_path / "a.proof"
    survived = 0
    for number in range(200):
        content = bytearray(packed if number < 100 else text)
        at = rng.randrange(len(content))
        content[at] ^= 1 << rng.randrange(8)
        file.write_bytes(bytes(content) if number < 100 else gzip.compress(bytes(content), 1))
        try:
            report = verify_lines(read_lines(file), proofs.tables)
        except Rejected:
            continue
        survived += 1
        if number < 100:  # bytes of gzip's header that say when and where it was packed
            assert at < 10
        assert_right(report.claim.line)
    assert survived < 100


def test_a_file_that_is_cut_off_is_rejected(tmp_path) -> None:
    _, proofs = written("flip(3)")
    lines = lines_of(proofs)
    assert accepted(lines, proofs.tables)
    assert not any(accepted(lines[:end], proofs.tables) for end in range(len(lines)))
    file = tmp_path / "a.proof"
    file.write_bytes(gzip.compress("".join(json.dumps(line) + "\n" for line in lines).encode())[:-20])
    with pytest.raises(Rejected, match="unpacked"):
        list(read_lines(file))


# ---------------------------------------------------------------- provers that are wrong


RIGHT = RelationalEngine.candidates


def too_few(self: Any, ranking: Any, leaves: bool) -> Any:
    return RIGHT(self, ranking, leaves)[slice(1)]


def every_other(self: Any, ranking: Any, leaves: bool) -> Any:
    return RIGHT(self, ranking, leaves)[slice(None, None, 2)]


@pytest.mark.parametrize("planted", [too_few, every_other])
def test_a_prover_that_drops_splits_is_caught(planted, monkeypatch) -> None:
    X, y = table()
    tree = DecisionTreeClassifier(max_depth=2, random_state=0)
    monkeypatch.setattr(RelationalEngine, "candidates", planted)
    result = certify(tree, X, y, X.iloc[:15], "flip(4)", engine="relational")
    proofs = _Proofs(result, NO_LIMITS)
    assert proofs.robust["walk"]
    assert not accepted(lines_of(proofs), proofs.tables)


def test_who_does_not_pass_is_left_out_and_unknown(tmp_path, monkeypatch) -> None:
    X, y = table()
    tree = DecisionTreeClassifier(max_depth=2, random_state=0)
    monkeypatch.setattr(RelationalEngine, "candidates", too_few)
    result = certify(tree, X, y, X.iloc[:15], "flip(4)", engine="relational")
    file = result.write_proof(tmp_path / "a.proof")
    wrong = [p for p, reason in file.left_out.items() if reason == "the checker does not accept the proof"]
    assert wrong
    sure = only_exact(result, file)
    assert (sure.verdicts[wrong] == "unknown").all()
    assert verify_proof(file.path, X, y, X.iloc[:15]).verified


# ---------------------------------------------------------------- files and commands


def test_written_and_verified_from_the_command_line(tmp_path, capsys) -> None:
    X, y = table()
    train, test, proof = tmp_path / "train.csv", tmp_path / "test.csv", tmp_path / "a.proof"
    X.assign(hired=y).to_csv(train, index=False)
    X.iloc[:15].to_csv(test, index=False)
    certifying = ["certify", str(train), str(test), "--label", "hired", "--depth", "2", "--bias", "flip(2)"]
    assert main([*certifying, "--proof", str(proof)]) == 0
    assert main(["verify", str(proof), str(train), str(test)]) == 0
    said = capsys.readouterr().err
    assert "VERIFIED" in said
    assert "bias model  flip(2)" in said
    assert "by the checker" in said
    X.assign(hired=1 - y).to_csv(train, index=False)
    assert main(["verify", str(proof), str(train), str(test)]) == 1
    assert "REJECTED" in capsys.readouterr().err
    assert main(["verify", str(tmp_path / "none.proof"), str(train), str(test)]) == 2


def test_witnesses_are_retrained_and_must_be_in_the_set(tmp_path) -> None:
    result, proofs = written("flip(3)")
    assert len(proofs.refuted) == len(result.witnesses) > 0
    X, y = table()
    file = tmp_path / "a.proof"
    lines = lines_of(proofs)

    def verdict(lines: list[Any]) -> Any:
        file.write_bytes(gzip.compress("".join(json.dumps(line) + "\n" for line in lines).encode()))
        return verify_proof(file, X, y, X.iloc[:15])

    assert verdict(lines).verified
    at = next(number for number, line in enumerate(lines) if number and line[0] == "witness")
    for key, value in (("flipped", []), ("flipped", [[r, 1] for r in range(30)]), ("removed", [0])):
        changed = copy.deepcopy(lines)
        changed[at][1][key] = value
        found = verdict(changed)
        assert not found.verified
        assert "witness" in found.step


def test_what_is_not_covered_is_refused_by_name(tmp_path) -> None:
    X, y = table()
    tree = DecisionTreeClassifier(max_depth=1, random_state=0)
    scaled = make_pipeline(StandardScaler(), tree)
    numbers = X[["age", "score"]]
    with pytest.raises(EverytreeError, match="goes through steps that the verification does not know"):
        certify(scaled, numbers, y, numbers[:2], "flip(1)").write_proof(tmp_path / "a.proof")
    with pytest.raises(EverytreeError, match=r"ends in \.proof"):
        certify(tree, X, y, X[:2], "flip(1)").write_proof(tmp_path / "a.json")


def test_numbers_are_enclosed() -> None:
    for n in (1, 2, 3, 7, 1000, 12345, 2**40 + 1):
        low, high = log2(n)
        assert low <= np.log2(n) * UNIT * (1 + 1e-12)
        assert high >= np.log2(n) * UNIT * (1 - 1e-12)
        assert high - low < UNIT >> 20
        small, large = root(n, 3)
        assert small**2 * 3 <= n * UNIT**2 <= large**2 * 3
