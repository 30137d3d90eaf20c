"""Kept cells: what is packed comes back whole, damage is noticed, the same content gives the same bytes."""

import gzip
import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.tree import DecisionTreeClassifier

from everytree.audit.digests import digest_of_frame, digest_of_training, key_of
from everytree.audit.packing import pack, pack_radius, unpack, unpack_radius
from everytree.audit.store import Store
from everytree.bias import parse
from everytree.datasets import load
from everytree.learner import Prepared, prepare
from everytree.questions.certify import certify_prepared
from everytree.questions.radius import radius_prepared
from everytree.refute.witness import Witness
from everytree.support.limits import Limits
from everytree.table import training_table


def _prepared(depth: int = 1) -> Prepared:
    data = load("hiring")
    tree = DecisionTreeClassifier(max_depth=depth, random_state=0)
    return prepare(tree, data.X_train, data.y_train, data.X_test, y_test=data.y_test, label_name=data.label)


def _through_json(content: dict[str, object]) -> dict[str, object]:
    found: dict[str, object] = json.loads(json.dumps(content))
    return found


def _same(a: Witness, b: Witness) -> None:
    pd.testing.assert_frame_equal(a.added, b.added)
    assert (a.flipped, a.removed, a.before, a.after) == (b.flipped, b.removed, b.before, b.after)
    assert (a.label_name, a.random_state) == (b.label_name, b.random_state)
    assert [(rows.tolist(), n) for rows, n in a.alternatives] == [
        (rows.tolist(), n) for rows, n in b.alternatives
    ]


@pytest.mark.parametrize("model", ["flip(2)", "miss(1)", "fake(3)", "flip(1) + fake(1) + miss(1)"])
def test_verdicts_come_back_as_they_were(model: str) -> None:
    prepared, bias = _prepared(), parse(model)
    result = certify_prepared(prepared, bias, engine="auto", limits=Limits())
    back = unpack(_through_json(pack(result)), prepared, bias)
    assert result.witnesses
    assert back.verdicts.tolist() == result.verdicts.tolist()
    assert back.verdicts.dtype == result.verdicts.dtype
    assert back.predictions.tolist() == result.predictions.tolist()
    assert back.possible_labels == result.possible_labels
    np.testing.assert_array_equal(back.probability_ranges, result.probability_ranges)
    for name in ("learner", "engine", "complete", "bias"):
        assert getattr(back, name) == getattr(result, name)
    assert back.statistics == {k: v for k, v in result.statistics.items() if k != "seconds"}
    assert set(back.witnesses) == set(result.witnesses)
    for person, witness in result.witnesses.items():
        _same(back.witness(person), witness)
    pd.testing.assert_frame_equal(back.critical_records(), result.critical_records())
    assert pack(back) == pack(result)


def test_a_restored_witness_still_changes_the_prediction() -> None:
    prepared, bias = _prepared(), parse("flip(1) + fake(1) + miss(1)")
    result = certify_prepared(prepared, bias, engine="auto", limits=Limits())
    back = unpack(_through_json(pack(result)), prepared, bias)
    data = load("hiring")
    for person, witness in back.witnesses.items():
        X, y = witness.apply(data.X_train, data.y_train)
        again = prepare(DecisionTreeClassifier(max_depth=1, random_state=0), X, y, data.X_test)
        assert again.train.labels[again.predictions[person]] == witness.after != witness.before


def test_radii_come_back_as_they_were() -> None:
    prepared, family = _prepared(), parse("flip(?, where race == 'White')")
    result = radius_prepared(prepared, family, max_amount=2)
    back = unpack_radius(_through_json(pack_radius(result, prepared.train)), prepared, family)
    assert np.isinf(result.upper).any()
    assert np.isfinite(result.upper).any()
    assert back.lower.tolist() == result.lower.tolist()
    assert back.upper.tolist() == result.upper.tolist()
    assert (back.max_amount, back.complete, back.family) == (2, result.complete, family)
    assert back.predictions.tolist() == result.predictions.tolist()
    assert set(back.witnesses) == set(result.witnesses)
    for person, witness in result.witnesses.items():
        _same(back.witnesses[person], witness)


def test_values_that_json_does_not_know_are_named_by_a_row() -> None:
    data = load("hiring")
    days = pd.date_range("2020-01-01", periods=9)
    X_train, X_test = data.X_train.assign(day=days), data.X_test.assign(day=days)
    tree = DecisionTreeClassifier(max_depth=1, random_state=0)
    prepared = prepare(tree, X_train, data.y_train, X_test, drop="day")
    bias = parse("miss(1)")
    result = certify_prepared(prepared, bias, engine="auto", limits=Limits())
    back = unpack(_through_json(pack(result)), prepared, bias)
    assert back.witnesses
    for person, witness in result.witnesses.items():
        assert back.witness(person).added["day"].tolist() == witness.added["day"].tolist()


def test_missing_values_and_lists_are_named_by_a_row() -> None:
    data = load("hiring")
    whole = pd.array([1, None, 3] * 3, dtype="Int64")
    lists = [np.array([n, n + 1]) for n in range(9)]
    X = data.X_train.assign(whole=whole, lists=lists)
    tree = DecisionTreeClassifier(max_depth=1, random_state=0)
    prepared = prepare(tree, X, data.y_train, X, drop=["whole", "lists"])
    bias = parse("miss(2)")
    result = certify_prepared(prepared, bias, engine="auto", limits=Limits())
    back = unpack(_through_json(pack(result)), prepared, bias)
    missing = 0
    for person, witness in result.witnesses.items():
        for name in ("whole", "lists"):
            before, after = witness.added[name].tolist(), back.witness(person).added[name].tolist()
            assert list(map(str, before)) == list(map(str, after))
            missing += sum(value is pd.NA for value in after)
    assert missing


def test_the_same_content_makes_the_same_bytes_and_is_read_back(tmp_path: Path) -> None:
    store, content = Store(tmp_path), {"b": [1, 2.5, None], "a": "ü"}
    assert store.get("key") is None
    assert store.put("key", content) == content
    first = store.path("key").read_bytes()
    store.put("key", dict(reversed(content.items())))
    assert store.path("key").read_bytes() == first
    assert store.get("key") == content
    assert [path.name for path in tmp_path.iterdir()] == ["key.json.gz"]


def test_every_damaged_byte_is_noticed(tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.put("key", {"verdicts": "rrnu"})
    whole = store.path("key").read_bytes()
    for place in range(10, len(whole)):  # the first ten are gzip's own: time, system, level
        store.path("key").write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
        assert store.is_damaged("key"), place
    for length in range(len(whole)):
        store.path("key").write_bytes(whole[:length])
        assert store.is_damaged("key"), length
    store.path("key").write_bytes(whole)
    assert not store.is_damaged("key")


def test_a_file_of_another_cell_is_not_taken(tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.put("one", {"verdicts": "r"})
    store.path("two").write_bytes(store.path("one").read_bytes())
    assert store.get("two") is None
    store.path("three").write_bytes(gzip.compress(b"[]\n[]"))
    assert store.get("three") is None


def test_digests_see_every_value_name_and_type() -> None:
    frame = pd.DataFrame({"a": [1, 2], "b": ["x", "y"]})
    digests = {
        digest_of_frame(changed)
        for changed in (
            frame,
            frame.assign(a=[1, 3]),
            frame.assign(a=[1.0, 2.0]),
            frame.assign(b=["x", "z"]),
            frame.assign(b=["y", "x"]),
            frame.rename(columns={"b": "c"}),
            frame[["b", "a"]],
            frame.iloc[:1],
        )
    }
    assert len(digests) == 8
    assert digest_of_frame(frame.copy()) in digests
    lists = [[[1], [2]], [[1], [3]], [np.array([1]), np.array([2])], [np.arange(5000), np.arange(5001)]]
    assert len({digest_of_frame(pd.DataFrame({"a": values})) for values in lists[:2] + lists[3:]}) == 3
    changed = np.arange(5000)
    changed[2500] = 0
    assert digest_of_frame(pd.DataFrame({"a": [changed, lists[3][1]]})) != digest_of_frame(
        pd.DataFrame({"a": lists[3]})
    )
    tables = [
        training_table(frame, [0, 1]),
        training_table(frame, [1, 0]),
        training_table(frame, ["0", "1"]),
        training_table(frame, [0, 1], drop="b"),
        training_table(frame, [0, 1], categorical="a"),
        training_table(frame, [0, 1], encoding="ordinal"),
        training_table(frame, [0, 1], label_name="y"),
    ]
    assert len({digest_of_training(table) for table in tables}) == len(tables)
    assert key_of({"a": 1, "b": 2}) == key_of({"b": 2, "a": 1}) != key_of({"a": 1, "b": None})
