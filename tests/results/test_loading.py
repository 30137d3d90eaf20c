"""What is saved as JSON is read back: verdicts, reasons, witnesses."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.tree import DecisionTreeClassifier

import everytree
from everytree import certify
from everytree.audit.packing import pack, unpack
from everytree.errors import EverytreeError


@pytest.mark.parametrize("bias", ["flip(1)", "miss(2, where label == 1)", "fake(1)"])
def test_a_saved_result_is_read_back(bias, tmp_path) -> None:
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"a": rng.integers(0, 4, 30), "b": rng.integers(0, 3, 30)})
    y = ((X["a"] > 1) ^ (rng.random(30) < 0.2)).astype(int)
    tree = DecisionTreeClassifier(max_depth=2, random_state=0)
    result = certify(tree, X, y, X[:12].set_axis([f"p{i}" for i in range(12)]), bias, time_limit=30)
    again = everytree.load(result.save(tmp_path / "result.json"))
    assert again.to_dict() == result.to_dict()
    assert again.counts().equals(result.counts())
    assert again.index.equals(result.index)
    for p, witness in result.witnesses.items():
        X_new, y_new = again.witness(p).apply(X, y)
        assert tree.fit(X_new, y_new).predict(X.iloc[[p]])[0] == witness.after
    with pytest.raises(EverytreeError, match="without its tables"):
        again.critical_records()


def test_a_proof_says_what_it_rests_on(tmp_path) -> None:
    """By the walk, by programs or by trying all tables; whoever is not robust has none."""
    rng = np.random.default_rng(1)
    X = pd.DataFrame({"a": rng.integers(0, 4, 40), "b": rng.integers(0, 3, 40)})
    y = ((X["a"] > 1) ^ (rng.random(40) < 0.1)).astype(int)
    tree = DecisionTreeClassifier(max_depth=2, random_state=0)
    seen = set()
    for bias in ("flip(1)", "flip(3)", "flip(1) + fake(1)"):
        result = certify(tree, X, y, X.drop_duplicates(), bias, time_limit=30)
        assert ((result.proofs != "") == (result.verdicts == "robust")).all()
        assert [p["proof"] for p in result.to_dict()["people"]] == result.proofs.tolist()
        assert (unpack(pack(result), result.prepared, result.bias).proofs == result.proofs).all()
        seen |= set(result.proofs)
    assert {"walk", ""} < seen <= {"walk", "programs", "tables", ""}


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"people": 3}'])
def test_other_files_are_refused(text, tmp_path) -> None:
    (tmp_path / "other.json").write_text(text)
    with pytest.raises(EverytreeError, match="not a result that everytree saved"):
        everytree.load(tmp_path / "other.json")


def test_a_file_that_is_not_there(tmp_path) -> None:
    with pytest.raises(EverytreeError, match="could not be read"):
        everytree.load(tmp_path / "nothing.json")
