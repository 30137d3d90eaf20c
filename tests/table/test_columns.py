"""One meaning of a column: its kind, what an added row may hold there, and its cast, wherever it is read."""

from functools import cache

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.compose import make_column_transformer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils import check_array

from everytree import certify
from everytree import table as tables
from everytree.bias import resolve
from everytree.bias.columns import TableView
from everytree.errors import TableError
from everytree.learner import prepare
from everytree.table import training_table

NEARLY_ONE = 0.9999999999999999
BEYOND = 2**60 + 2**36 + 1  # float32 rounds it up, but down if it passes through float64
Y = [0, 1, 0, 1]


def tree(depth: int = 2) -> DecisionTreeClassifier:
    return DecisionTreeClassifier(max_depth=depth, random_state=0)


# Kinds.


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        ([0, 1, 0, 1], "boolean"),
        ([0.0, 1.0, -0.0, 1.0], "boolean"),
        ([True, False, True, True], "boolean"),
        (pd.array([True, False, True, True], dtype="boolean"), "boolean"),
        (pd.array([0, 1, 1, 1], dtype="Int64"), "boolean"),
        (pd.array([0, 1, 1, 1], dtype="uint8[pyarrow]"), "boolean"),
        (pd.Series([0, 1, 1, 1], dtype=object), "boolean"),
        (pd.Series([True, False, True, True], dtype=object), "boolean"),
        ([0.0, NEARLY_ONE, 0.0, 1.0], "numeric"),
        ([1e-50, 1.0, 0.0, 1.0], "numeric"),
        ([0, 1, 2, 1], "numeric"),
        (np.array([0, 1, 2**64 - 1, 1], dtype=np.uint64), "numeric"),
        (np.array([0, 1, -1, 1], dtype=np.int8), "numeric"),
        (np.array([0, 1, 0.5, 1], dtype=np.float16), "numeric"),
        (pd.Categorical([0, 1, 0, 1]), "categorical"),
        (pd.Categorical([False, True, False, True]), "categorical"),
        (["0", "a", "0", "1"], "categorical"),
    ],
)
def test_the_kind_is_decided_on_the_values_as_given(values, kind) -> None:
    frame = pd.DataFrame({"c": values, "x": [3, 4, 5, 6]})
    table = training_table(frame, Y)
    assert table.columns[0].kind == kind
    assert TableView.of(table).column("c").kind == kind
    assert TableView(frame, np.array(Y), [0, 1]).column("c").kind == kind
    assert training_table(frame, Y, drop="c").columns[0].kind == kind
    assert training_table(frame, Y, categorical="c").columns[0].kind == "categorical"
    if kind != "categorical":
        assert table.is_boolean[0] == (kind == "boolean")
        assert prepare(make_pipeline("passthrough", tree()), frame, Y, frame).train.columns[0].kind == kind


def test_what_goes_through_an_encoder_is_a_category() -> None:
    frame = pd.DataFrame({"c": [0, 1, 0, 1], "x": [3, 4, 5, 6]})
    for encoder, encoding in (
        (OneHotEncoder(), "onehot"),
        (OrdinalEncoder(), "ordinal"),
        (OneHotEncoder(drop="first"), "opaque"),
    ):
        pipeline = make_pipeline(make_column_transformer((encoder, ["c"]), remainder="passthrough"), tree())
        table = prepare(pipeline, frame, Y, frame).train
        assert [(column.kind, column.encoding) for column in table.columns] == [
            ("categorical", encoding),
            ("numeric", "identity"),
        ]
        assert resolve("miss(1, where c != 0 and c != 1)", table).additions == 1
        assert resolve("flip(4, where c == true and c < 2)", table).components[0].eligible == 2


def test_numbers_of_a_categorical_type_that_pass_through_are_not_boolean() -> None:
    frame = pd.DataFrame({"c": pd.Categorical([0, 1, 0, 1])})
    table = prepare(make_pipeline("passthrough", tree()), frame, Y, frame).train
    assert (table.columns[0].kind, table.is_boolean.tolist()) == ("numeric", [False])


def test_categories_that_an_encoder_rounds_are_not_read() -> None:
    frame = pd.DataFrame({"c": pd.array([2**53 + 1, 2**53, 1, 2], dtype="Int64")})
    table = prepare(make_pipeline(OneHotEncoder(handle_unknown="ignore"), tree()), frame, Y, frame).train
    assert table.columns[0].encoding == ("onehot" if table.X.shape[1] == 4 else "opaque")


# Casts.

CASTS = {
    "Int64": {"a": pd.array([BEYOND, 1], dtype="Int64")},
    "int64": {"a": [BEYOND, 1]},
    "int64 and float": {"a": [BEYOND, 1], "b": [0.5, 0.1]},
    "int64 and bool": {"a": [BEYOND, 1], "b": [True, False]},
    "Int64 and float": {"a": pd.array([BEYOND, 1], dtype="Int64"), "b": [0.5, 0.1]},
    "object": {"a": pd.Series([BEYOND, 1], dtype=object)},
    "object and int64": {"a": pd.Series([BEYOND, 1], dtype=object), "b": [BEYOND, 3]},
    "arrow": {"a": pd.array([BEYOND, 1], dtype="int64[pyarrow]")},
    "uint64 and int64": {"a": np.array([2**63 + 1, 2**64 - 1], np.uint64), "b": [-1, BEYOND]},
    "float16": {"a": np.array([0.1, 6e4], np.float16)},
    "float16 and int64": {"a": np.array([0.1, 6e4], np.float16), "b": [BEYOND, 1]},
    "beyond 64 bits": {"a": pd.Series([2**70 + 1, 1], dtype=object)},
    "denormal": {"a": [1e-50, 1e-40]},
    "booleans": {"a": [True, False], "b": pd.array([True, False], dtype="boolean")},
    "sparse": {"a": pd.arrays.SparseArray([0.0, 1.0], fill_value=0), "b": [1, 2]},
}


@pytest.mark.parametrize("name", CASTS)
def test_numbers_are_cast_as_scikit_learn_casts_them(name) -> None:
    frame = pd.DataFrame(CASTS[name])
    own = tree()
    predicted = own.fit(frame, [0, 1]).predict(frame) if "sparse" not in name else None
    prepared = prepare(tree(), frame, [0, 1], frame)
    if predicted is not None:
        assert np.array_equal(prepared.train.X, check_array(frame, dtype=np.float32))
        assert prepared.predictions.tolist() == predicted.tolist()
    assert np.array_equal(prepared.train.X, prepared.test.X)


@pytest.mark.parametrize(
    "make", [lambda: [[BEYOND, 0.5], [2**60, 1]], lambda: [[BEYOND], [2**60]], lambda: ((True, 3), (0.5, 4))]
)
def test_nested_lists_are_cast_as_they_are(make) -> None:
    assert np.array_equal(training_table(make(), [0, 1]).X, check_array(make(), dtype=np.float32))


def test_other_frames_are_cast_as_they_are() -> None:
    for columns in (
        {"a": [BEYOND, 1]},
        {"a": [BEYOND, 1], "b": [0.5, 0.1]},
        {"a": [BEYOND, 1], "b": [True, False]},
    ):
        frame = pl.DataFrame(columns)
        assert np.array_equal(training_table(frame, [0, 1]).X, check_array(frame, dtype=np.float32))


def test_lists_of_text_and_numbers_keep_their_numbers() -> None:
    table = training_table([["a", 1], ["b", 2]], [0, 1])
    assert [column.kind for column in table.columns] == ["categorical", "numeric"]


def test_a_column_that_is_a_view_of_the_users_can_be_learned_from() -> None:
    """Scikit-learn looks at single values when a column's sum is infinite, and for that it wants to write."""
    X = pd.DataFrame({"a": pd.array([1e38, 3e38, 3e38, 3e38], dtype="Float64")})
    result = certify(DecisionTreeClassifier(), X, [0, 1, 1, 1], X[:1], "flip(1)")
    assert result.predictions.tolist() == [0]


def test_a_number_too_long_for_any_float_is_refused() -> None:
    frame = pd.DataFrame({"a": pd.Series([10**400, 1], dtype=object)})
    with pytest.raises(TableError, match=r"cannot read the numbers .* too large .* Convert"):
        training_table(frame, [0, 1])


def test_a_categorical_type_with_holes_has_a_category_for_them() -> None:
    frame = pd.DataFrame({"c": pd.Categorical([1, None, 2, 1]), "x": [1, 2, 3, 4]})
    assert training_table(frame, Y).X[:, 2].tolist() == [0, 1, 0, 0]


# Verdicts.


def test_a_number_that_float32_rounds_to_one_is_no_boolean() -> None:
    X, y = [[0.0]] * 5 + [[NEARLY_ONE]] * 5, [0] * 5 + [1] * 5
    assert certify(tree(), X, y, [[9.0]], "miss(1, where x0 > 5)").verdicts.tolist() == ["not robust"]
    assert tree().fit([*X, [9.0]], [*y, 0]).predict([[9.0]]).tolist() == [0]


ROWS = [(0, 2, 0), (1, 2, 1), (1, 1, 0), (0, 0, 1), (1, 1, 1), (0, 1, 0), (0, 2, 0), (0, 2, 1)]


def encoders() -> object:
    onehot = (OneHotEncoder(handle_unknown="ignore"), ["c"])
    return make_pipeline(make_column_transformer(onehot, remainder="passthrough"), tree(1))


@cache
def verdict(codes: tuple[object, object], bare: bool) -> str:
    """Of the person (second, 1), where a row of a category never seen, (other, 1) with label 1, counts."""
    values = [codes[c] for c, _, _ in ROWS]
    X = pd.DataFrame({"c": pd.Categorical(values) if bare else values, "x": [x for _, x, _ in ROWS]})
    person = pd.DataFrame({"c": [codes[1]], "x": [1]})
    constant = f'"{codes[1]}"' if isinstance(codes[1], str) else str(codes[1]).lower()
    bias = f"miss(1, where c != {constant} and label == 1)"
    result = certify(tree(1) if bare else encoders(), X, [label for *_, label in ROWS], person, bias)
    return str(result.verdicts[0])


@pytest.mark.parametrize("bare", [False, True])
@pytest.mark.parametrize("codes", [(0, 1), (1, 2), (5, 6), (0.0, 1.0), (False, True), ("a", "b"), ("0", "x")])
def test_renaming_the_codes_of_categories_changes_no_verdict(codes, bare) -> None:
    assert verdict(codes, bare) == verdict(("no", "yes"), bare) != "robust"


@pytest.mark.parametrize("dtype", ["boolean", "Int64", "Float32", "object"])
def test_a_missing_value_in_a_dropped_column_satisfies_only_not_equal(dtype) -> None:
    X = pd.DataFrame({"h": pd.array([1, None, 0, 1], dtype="object"), "x": [1, 2, 3, 4]})
    X["h"] = X["h"].astype(dtype) if dtype != "boolean" else pd.array([True, None, False, True], dtype=dtype)
    table = training_table(X, Y, drop="h")
    eligible = {
        where: resolve(f"flip(4, where {where})", table).components[0].eligible
        for where in ("h == 1", "h != 1", "h in [0, 1]", "h not in [1]", "not h == 1")
    }
    assert list(eligible.values()) == [2, 2, 3, 2, 2]
    result = certify(tree(), X, Y, X, "flip(1, where h == 1)", drop="h")
    assert len(result.verdicts) == 4
    if dtype in ("boolean", "Int64"):
        assert table.columns[0].kind == "boolean"
        assert resolve("miss(1, where h == 2)", table).additions == 0
        assert resolve("miss(1, where h != 0 and h != 1)", table).additions == 1  # a hole


def test_whole_numbers_beyond_float64_are_compared_exactly() -> None:
    for dtype in ("int64", "Int64", "uint64", "int64[pyarrow]", object):
        frame = pd.DataFrame(
            {"id": pd.Series([2**53, 2**53 + 1, 2**53 + 2, 5], dtype=dtype), "x": [1, 2, 3, 4]}
        )
        table = training_table(frame, Y, drop="id")
        for where, eligible in (
            (f"id == {2**53 + 1}", 1),
            (f"id in [{2**53 + 1}, 5]", 2),
            (f"id > {2**53}", 2),
            (f"id > {float(2**53)}", 2),
            ("id >= 4.5", 4),
        ):
            assert resolve(f"flip(4, where {where})", table).components[0].eligible == eligible, (
                dtype,
                where,
            )


def test_added_rows_of_nested_lists_are_cast_as_lists_are():
    """numpy casts whole numbers of lists to float32 by way of float64, those of arrays at once."""
    value = 2**60 + 2**36 + 1
    given = [[2**60], [2**60 + 2**38]]
    row = pd.DataFrame({"x0": [value]})
    seen = {}
    for name, X in {"lists": given, "array": np.array(given)}.items():
        table = training_table(X, [0, 1])
        seen[name] = float(tables.test_table(table, table.as_given(row)).X[0, 0])
    assert seen == {"lists": float(2**60), "array": float(2**60 + 2**37)}
