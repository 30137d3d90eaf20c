"""Witnesses in the user's own table: its types, its kinds of things, and what files can hold of them."""

from __future__ import annotations

import datetime
import json
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OrdinalEncoder
from sklearn.tree import DecisionTreeClassifier

from everytree import EverytreeError, certify, datasets, radius
from everytree.learner import prepare
from everytree.refute.judge import Judge
from everytree.refute.storage import NOTHING, NotStorableError, beside, between, rows_like, stored
from everytree.support.plain import as_plain, flat
from everytree.table import test_table as read_people
from tests.truth.witnesses import DTYPES, KINDS, faults, hand_picked_cases, random_case


def tree() -> DecisionTreeClassifier:
    return DecisionTreeClassifier(max_depth=1, random_state=0)


def table(rows: int = 40) -> tuple[pd.DataFrame, pd.Series]:
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"a": rng.integers(0, 5, rows), "b": rng.normal(size=rows).round(2)})
    return X, pd.Series((X["a"] + rng.integers(0, 2, rows) > 2).astype(int), name="label")


# ---------------------------------------------------------------- in the table's own types


@pytest.mark.parametrize("case", hand_picked_cases(), ids=lambda case: case.name)
def test_a_value_that_its_column_cannot_hold_is_never_added(case):
    assert next(faults(case), None) is None


def test_no_float32_beside_a_constant_refutes_where_there_is_none():
    """Every float32 but 2.3 itself is told from 2.3 by the learner: no witness, whatever float64 has."""
    X = np.array([[0.7], [2.3], [0.7], [0.7], [2.3]], np.float32)
    result = certify(tree(), X, [1, 1, 0, 1, 1], X[1:2], "miss(2, where not (x0 == 2.3))")
    assert result.verdicts[0] != "not robust"
    again = certify(tree(), X.astype(float), [1, 1, 0, 1, 1], X[1:2], "miss(2, where not (x0 == 2.3))")
    assert again.verdicts[0] == "not robust"


def test_a_float32_beside_a_constant_refutes_where_there_is_one():
    """The next float32 after 0.1 is one value with it for the learner, but not for the condition."""
    X = np.array([[0.05], [0.1], [0.05], [0.05], [0.1]], np.float32)
    y = np.array([1, 1, 0, 1, 1])
    result = certify(tree(), X, y, X[1:2], "miss(2, where x0 > 0.1)")
    changed, labels = result.witness(0).apply(X, y)
    assert changed.dtype == np.float32
    assert (changed[5:] > 0.1).all()
    assert tree().fit(changed, labels).predict(X[1:2])[0] == 0


@pytest.mark.parametrize("where", ["x0 == 0.1", "x0 >= 0.1 and x0 <= 0.11", "x0 in [0.1]", "not (x0 != 0.1)"])
@pytest.mark.parametrize("engine", ["interval", "relational", "auto"])
def test_a_condition_on_float16_is_met_by_the_constant_cut_as_short(where, engine):
    """In float16 the number 0.1 is 0.09998, which no float32 reading of the constant allows."""
    X = np.array([[0.05]] * 4 + [[0.2]] * 4 + [[0.1]] * 2, np.float16)
    y = np.array([0] * 4 + [1] * 4 + [0] * 2)
    result = certify(tree(), X, y, X[-1:], f"miss(3, where {where})", engine=engine)
    assert result.verdicts[0] == ("not robust" if engine == "auto" else "unknown")


@settings(max_examples=25, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.integers(0, 2**32 - 1),
    st.lists(st.sampled_from(DTYPES), min_size=1, max_size=2),
    st.lists(st.sampled_from(KINDS), min_size=1, max_size=3),
)
def test_every_witness_holds_in_the_types_of_the_table(seed, dtypes, kinds):
    assert next(faults(random_case(seed, dtypes, kinds)), None) is None


@pytest.mark.parametrize("dtype", DTYPES)
def test_witnesses_with_added_rows_are_found_in_columns_of_every_type(dtype):
    found = 0
    for seed in range(20):
        case = random_case(seed, [dtype], ["miss"])
        result = certify(case.tree(), case.X, case.y, case.people, case.bias(), time_limit=2)
        found += len(result.witnesses)
        if found:
            break
    assert found


def test_a_trial_that_changes_in_the_table_is_no_witness(monkeypatch):
    """Whoever makes rows: what counts is the table in which they end."""
    X = np.array([[0.05], [0.1], [0.05], [0.05], [0.1]], np.float32)
    kept: list = []
    consider = Judge.consider

    def spoiled(self, trial, people):
        wrong = tuple((float(np.nextafter(float(row[0]), 9)),) for row in trial.change.added)
        kept.append(consider(self, replace(trial, change=replace(trial.change, added=wrong)), people))
        moved = replace(trial, features=trial.features + np.float32(0.01))
        kept.append(consider(self, moved, people))
        return False

    monkeypatch.setattr(Judge, "consider", spoiled)
    result = certify(tree(), X, [1, 1, 0, 1, 1], X[1:2], "miss(2)")
    assert len(kept) > 0
    assert not any(kept)
    assert result.verdicts[0] == "unknown"


# ---------------------------------------------------------------- what a column can hold


@pytest.mark.parametrize(
    ("value", "dtype", "expected"),
    [
        (0.1, "float32", np.float32(0.1)),
        (0.1, "float64", 0.1),
        (1e39, "float32", NOTHING),
        (70000, "float16", NOTHING),
        (np.inf, "float64", NOTHING),
        (5.0, "int8", 5),
        (5.5, "int8", NOTHING),
        (128, "int8", NOTHING),
        (-1, "uint8", NOTHING),
        (2**64, "uint64", NOTHING),
        (10**400, "int64", NOTHING),
        (True, "Int64", 1),
        (1, "bool", True),
        (2, "boolean", NOTHING),
        (0.1, "Float32", np.float32(0.1)),
        ("text", "float64", NOTHING),
        ("text", "object", "text"),
    ],
)
def test_what_a_column_makes_of_a_value(value, dtype, expected):
    held = stored(value, pd.Series([], dtype=dtype).dtype)
    assert held is NOTHING if expected is NOTHING else held == expected


def test_a_column_of_categories_holds_what_it_lists():
    dtype = pd.CategoricalDtype([3, 5])
    assert (stored(5, dtype), stored(7, dtype)) == (5, NOTHING)
    with pytest.raises(NotStorableError, match="cannot hold 7"):
        rows_like(pd.DataFrame({"c": pd.Series([3], dtype=dtype)}), [(7,)])


def test_what_a_column_can_hold_is_held_in_its_own_type():
    """A category of a boolean column comes back from an encoder as 1.0, and pandas wants booleans alone."""
    frame = pd.DataFrame({"c": pd.Series([True], dtype="boolean")})
    made = rows_like(frame, [(np.True_,), (1.0,), (pd.NA,)])
    assert made["c"].dtype == frame["c"].dtype
    assert made["c"].fillna(False).tolist() == [True, True, False]


def test_added_rows_are_encoded_as_in_the_table_where_columns_have_no_names():
    """scikit-learn knows the category 2^53 + 1 as 2^53; in an array of objects it would be another one."""
    X = pd.DataFrame({0: pd.Series([2**53 + 1, 5, 9] * 4, dtype="Int64"), 1: ["u", "v", "v"] * 4})
    encoder = OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1)
    pipeline = make_pipeline(encoder, DecisionTreeClassifier(max_depth=2, random_state=0))
    prepared = prepare(pipeline, X, [0, 1, 1] * 4, X[:1])
    added = rows_like(prepared.train.frame, [(np.int64(2**53 + 1), "v")])
    alone = read_people(prepared.train, prepared.train.as_given(added)).X
    assert alone[0, 0] == pipeline[:-1].fit(X).transform(X)[0, 0]


@pytest.mark.parametrize(
    ("value", "dtype", "expected"),
    [
        (2.5, "int64", [2, 3]),
        (2, "int64", [1, 3]),
        (0, "uint8", [1]),
        (127, "int8", [126]),
        (1, "bool", []),
        (0.1, "float64", [np.nextafter(0.1, 0), np.nextafter(0.1, 1)]),
        (
            1,
            "float16",
            [np.nextafter(np.float16(1), np.float16(0)), np.nextafter(np.float16(1), np.float16(2))],
        ),
    ],
)
def test_neighbours_are_numbers_of_the_column(value, dtype, expected):
    assert beside(value, np.dtype(dtype)) == expected


@given(
    st.floats(-300, 300, width=32),
    st.floats(-300, 300, width=32),
    st.sampled_from(["int8", "float16", "float64"]),
)
def test_a_number_between_is_found_where_there_is_one(one, other, name):
    low, high = min(one, other), max(one, other)
    dtype = np.dtype(name)
    inside = [value for value in between(low, high, dtype) if low < float(np.float32(value)) <= high]
    if name == "int8":
        assert bool(inside) == (max(-128, np.floor(low) + 1) <= min(np.floor(high), 127))
    elif name == "float16":
        assert bool(inside) == (_last_float16(high) > low)
    else:
        assert bool(inside) == (low < high)
    assert all(value == dtype.type(value) for value in inside)


def _last_float16(high: float) -> float:
    held = np.float16(high)
    return float(held if float(held) <= high else np.nextafter(held, np.float16(-np.inf)))


# ---------------------------------------------------------------- the user's kinds of things


def witnesses(X, y, people, bias="miss(10) + flip(2) + fake(1)"):
    found = list(certify(tree(), X, y, people, bias).witnesses.values())
    assert any(len(witness.added) for witness in found)
    return found


FRAMES = {
    "text names": lambda X: X,
    "integer names": lambda X: X.set_axis([0, 1], axis=1),
    "names of two parts": lambda X: X.set_axis(pd.MultiIndex.from_tuples([("a", 1), ("b", 2)]), axis=1),
    "dates as index": lambda X: X.set_axis(pd.date_range("2020", periods=len(X)), axis=0),
    "nullable": lambda X: X.astype({"a": "Int64", "b": "Float64"}),
    "arrow": lambda X: X.astype({"a": "int64[pyarrow]", "b": "double[pyarrow]"}),
    "categories": lambda X: X.astype({"a": "category"}),
    "short": lambda X: X.astype({"a": "int8", "b": "float32"}),
    "with text": lambda X: X.assign(a="level " + X["a"].astype(str)),
}


@pytest.mark.parametrize("name", FRAMES)
def test_a_frame_keeps_its_names_and_types(name):
    X, y = table()
    X = FRAMES[name](X)
    for witness in witnesses(X, y, X[2:4]):
        changed, labels = witness.apply(X, y)
        assert changed.columns.equals(X.columns)
        assert changed.dtypes.tolist() == X.dtypes.tolist()
        assert len(changed) == len(labels) == len(X) + len(witness.added) - len(witness.removed)
        assert changed.index.equals(labels.index if len(witness.added) else X.index)
        shown = witness.to_frame(X, y)
        assert shown.shape == (witness.size, X.shape[1] + 4)
        assert shown.iloc[:, 2:-2].notna().all().all()


def test_arrays_and_lists_come_back_as_such():
    X, y = table()
    array = X.to_numpy()
    for witness in witnesses(array, y.to_numpy(), array[2:4]):
        as_array, labels = witness.apply(array, y.to_numpy())
        assert (type(as_array), as_array.dtype, labels.dtype) == (np.ndarray, array.dtype, y.dtype)
        as_list, as_tuple = witness.apply(array.tolist(), tuple(y.tolist()))
        assert (as_list, as_tuple) == (as_array.tolist(), tuple(labels.tolist()))
        _, upright = witness.apply(array, y.to_numpy().reshape(-1, 1))
        assert upright.tolist() == labels.reshape(-1, 1).tolist()
        assert witness.to_frame(array.tolist(), y.tolist()).equals(witness.to_frame(array, y))


def test_a_polars_frame_comes_back_as_one():
    X, y = table()
    frame = pl.from_pandas(X).with_columns(
        pl.col("a").cast(pl.Int8),
        pl.col("b").cast(pl.Float32),
        (pl.col("a") > 2).cast(pl.String).alias("c"),
        (pl.col("a") > 3).cast(pl.String).cast(pl.Categorical).alias("d"),
    )
    labels = pl.Series("label", y.to_numpy())
    for witness in witnesses(frame, labels, frame[2:4]):
        changed, after = witness.apply(frame, labels)
        assert (changed.schema, after.dtype) == (frame.schema, labels.dtype)
        assert len(changed) == len(after) == len(frame) + len(witness.added) - len(witness.removed)
        as_frame = witness.apply(frame, labels.to_frame())[1]
        assert as_frame.equals(after.to_frame())
        assert len(witness.to_frame(frame, labels)) == witness.size


LABELS = {
    "series": lambda y: y,
    "one-column frame": lambda y: y.to_frame(),
    "text": lambda y: y.map({0: "no", 1: "yes, certainly"}),
    "short text in an array": lambda y: np.array(["n", "yes"])[y],
    "bytes": lambda y: np.array([b"n", b"y"])[y],
    "booleans": lambda y: y == 1,
    "categories": lambda y: y.map({0: "no", 1: "yes"}).astype("category"),
    "nullable": lambda y: y.astype("Int8"),
    "list": lambda y: y.tolist(),
}


@pytest.mark.parametrize("name", LABELS)
def test_labels_keep_their_kind_and_type(name):
    X, y = table()
    labels = LABELS[name](y)
    result = certify(tree(), X, labels, X[2:4], "miss(10) + flip(2) + fake(1)")
    assert len(result.witnesses) > 0
    for person, witness in result.witnesses.items():
        changed, after = witness.apply(X, labels)
        assert type(after) is type(labels)
        if isinstance(labels, pd.DataFrame):
            assert after.dtypes.equals(labels.dtypes)
            after = after.iloc[:, 0]
        elif not isinstance(labels, list):
            assert after.dtype == labels.dtype
        names = np.unique(np.asarray(after)).tolist()
        codes = np.searchsorted(names, np.asarray(after))
        again = tree().fit(changed, codes).predict(X[2 + person : 3 + person])[0]
        assert names[again] == witness.after != result.predictions[person]
        assert len(witness.to_frame(X, labels)) == witness.size


def test_columns_called_like_those_of_the_overview():
    X, y = table()
    X = X.set_axis(["row", "change"], axis=1)
    witness = next(w for w in witnesses(X, y, X[2:4]) if len(w.added))
    assert witness.to_frame(X, y).columns.tolist() == [
        "change",
        "row",
        "column row",
        "column change",
        "label",
        "new label",
    ]


def test_another_table_is_refused():
    X, y = table()
    witness = next(w for w in witnesses(X, y, X[2:4]) if len(w.added))
    with pytest.raises(EverytreeError, match="columns 'a', 'b'; received 'a', 'c'"):
        witness.apply(X.rename(columns={"b": "c"}), y)
    with pytest.raises(EverytreeError, match="received 1 columns"):
        witness.apply(X[["a"]].to_numpy(), y)
    with pytest.raises(EverytreeError, match=r"label .*received labels"):
        witness.apply(X, y + 7)
    changes = replace(witness, removed=[len(X)])
    with pytest.raises(EverytreeError, match="changes row 40"):
        changes.apply(X, y)
    odd = replace(witness, added=witness.added.assign(b=0.1))
    with pytest.raises(EverytreeError, match=r"holds 0\.1, which a column of type float32 cannot hold"):
        odd.apply(X.astype("float32"), y)
    with pytest.raises(EverytreeError, match="cannot hold"):
        odd.apply(pl.from_pandas(X.astype({"b": "float32"})), y)


def test_a_category_that_the_column_does_not_list_extends_it():
    data = datasets.load("hiring")
    result = certify(tree(), data.X_train, data.y_train, data.X_test, "miss(3)", time_limit=2)
    witness = next(iter(result.witnesses.values()))
    X = data.X_train.astype({"race": "category"})
    new = replace(witness, added=witness.added.assign(race="Other"))
    changed, _ = new.apply(X, data.y_train)
    assert changed["race"].cat.categories.tolist() == [*X["race"].cat.categories, "Other"]
    assert changed["race"].iloc[-1] == "Other"


# ---------------------------------------------------------------- what files can hold

WHEN = datetime.datetime(2020, 2, 29, 12, 30)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (pd.Timestamp(WHEN), "2020-02-29T12:30:00"),
        (np.datetime64("2020-02-29"), "2020-02-29T00:00:00"),
        (WHEN.date(), "2020-02-29"),
        (WHEN.time(), "12:30:00"),
        (np.timedelta64(90, "m"), "0 days 01:30:00"),
        (pd.NaT, None),
        (pd.NA, None),
        (float("nan"), None),
        (np.float32(0.5), 0.5),
        (float("inf"), "inf"),
        (np.bool_(True), True),
        (np.str_("a"), "a"),
        (b"yes", "yes"),
        (np.bytes_(b"yes"), "yes"),
        (b"\xff", r"\xff"),
        (Decimal("1.50"), "1.50"),
        (pd.Period("2020-02"), "2020-02"),
        (("a", 1, (b"b",)), ["a", 1, ["b"]]),
        ({("a", 1): np.int8(1)}, {"['a', 1]": 1}),
    ],
)
def test_a_value_is_spelt_in_one_way(value, expected):
    plain = as_plain(value)
    assert plain == expected
    assert json.loads(json.dumps(plain, allow_nan=False)) == expected


INDEXES = {
    "dates": (pd.date_range("2020", periods=3), ["2020-01-01T00:00:00", "2020-01-02T00:00:00"]),
    "decimals": (pd.Index([Decimal("1.50"), Decimal(2), Decimal(3)]), ["1.50", "2"]),
    "bytes": (pd.Index([b"a", b"b", b"c"]), ["a", "b"]),
    "pairs": (pd.MultiIndex.from_tuples([("a", 1), ("b", 2), ("c", 3)]), [["a", 1], ["b", 2]]),
    "mixed": (pd.Index(["a", 2, 3.5], dtype=object), ["a", 2]),
}


@pytest.mark.parametrize("name", INDEXES)
def test_results_with_any_index_can_be_written(name, tmp_path: Path):
    X, y = table()
    index, expected = INDEXES[name]
    people = X[:3].set_axis(index, axis=0)
    result = certify(tree(), X, y, people, "flip(1)")
    assert [person["index"] for person in json.loads(result.to_json())["people"]][:2] == expected
    found = radius(tree(), X, y, people, "flip(?)", max_amount=1)
    assert [person["index"] for person in json.loads(json.dumps(found.to_dict()))["people"]][:2] == expected
    texts = [value if isinstance(value, str) else json.dumps(value) for value in expected]
    assert pd.read_csv(result.save(tmp_path / "r.csv"), dtype=str)["index"].tolist()[:2] == texts
    assert pd.read_parquet(result.save(tmp_path / "r.parquet"))["index"].astype(str).tolist()[:2] == texts
    assert json.loads(result.save(tmp_path / "r.json").read_text())["people"][0]["index"] == expected[0]
    assert len(flat(found.to_frame())) == 3


def test_results_with_labels_of_bytes_can_be_written(tmp_path: Path):
    X, y = table()
    result = certify(tree(), X, np.array([b"no", b"yes"])[y], X[:5], "flip(1)")
    content = json.loads(result.to_json())
    assert content["labels"] == ["no", "yes"]
    assert {person["prediction"] for person in content["people"]} <= {"no", "yes"}
    frame = pd.read_csv(result.save(tmp_path / "r.csv"))
    assert frame["prediction"].tolist() == [person["prediction"] for person in content["people"]]
    assert {"low[no]", "high[yes]"} <= set(frame.columns)
    assert json.loads(frame["possible_labels"][0]) == content["people"][0]["possible_labels"]
    assert pd.read_parquet(result.save(tmp_path / "r.parquet")).equals(frame)
