"""The learner that is certified is the user's: the same matrix, the same predictions, fitted or not."""

from dataclasses import replace

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder
from sklearn.tree import DecisionTreeClassifier

from everytree import BiasCertifier, certify
from everytree.errors import UnsupportedLearnerError
from everytree.learner import prepare, prepared
from everytree.table import encoding
from everytree.table.encoding import encode_training
from everytree.table.pipelines import fit_encoder

N = 24
CODES = np.random.default_rng(5).integers(0, 3, (N, 4))
Y = np.random.default_rng(6).integers(0, 2, N)
LETTERS = np.array(["a", "b", "c"])

MAKERS = {
    "ints": lambda codes: codes,
    "zeros and ones": lambda codes: (codes > 0).astype(int),
    "categories of ints": pd.Categorical,
    "categories of booleans": lambda codes: pd.Categorical(codes > 0),
    "categories of text": lambda codes: pd.Categorical(LETTERS[codes]),
    "objects": lambda codes: pd.Series(codes, dtype=object),
    "text": lambda codes: LETTERS[codes],
    "Int64": lambda codes: pd.array(codes, dtype="Int64"),
    "boolean": lambda codes: pd.array(codes > 0, dtype="boolean"),
    "bool": lambda codes: codes > 0,
    "float32": lambda codes: (codes / 3).astype(np.float32),
    "float16": lambda codes: (codes / 3).astype(np.float16),
    "beyond float64": lambda codes: 2**60 + 2**36 * codes + 1,
    "beyond, nullable": lambda codes: pd.array(2**60 + 2**36 * codes + 1, dtype="Int64"),
    "beyond, objects": lambda codes: pd.Series(2**60 + 2**36 * codes + 1, dtype=object),
}
ENCODERS = {
    "onehot": lambda: OneHotEncoder(handle_unknown="ignore"),
    "dense onehot": lambda: OneHotEncoder(handle_unknown="ignore", sparse_output=False),
    "ordinal": lambda: OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1),
    "opaque": lambda: OneHotEncoder(handle_unknown="ignore", drop="first"),
}
SELECTORS = {
    "text and categories": lambda: make_column_selector(dtype_include=[object, "str", "category"]),
    "numbers": lambda: make_column_selector(dtype_include="number"),
    "booleans": lambda: make_column_selector(dtype_include=bool),
    "nothing": list,
    "positions": lambda: [0],
    "a slice": lambda: slice(0, 1),
}


def tree() -> DecisionTreeClassifier:
    return DecisionTreeClassifier(max_depth=2, random_state=0)


def table_of(kinds: list[str]) -> pd.DataFrame:
    return pd.DataFrame({f"c{j}": pd.Series(MAKERS[kind](CODES[:, j])) for j, kind in enumerate(kinds)})


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.lists(st.sampled_from(sorted(MAKERS)), min_size=1, max_size=4),
    st.sampled_from(sorted(ENCODERS)),
    st.sampled_from(sorted(SELECTORS)),
    st.sampled_from(["pandas", "polars", "objects"]),
)
def test_predictions_are_those_of_the_users_own_pipeline(kinds, encoder, selector, form) -> None:
    X = table_of(kinds)
    chosen = SELECTORS[selector]() if form == "pandas" else [0]
    given_table = {"pandas": lambda: X, "polars": lambda: _polars(X), "objects": lambda: X.to_numpy(object)}[
        form
    ]()
    transformer = make_column_transformer((ENCODERS[encoder](), chosen), remainder="passthrough")
    pipeline = make_pipeline(transformer, tree())
    try:
        own = clone(pipeline).fit(given_table, Y)
    except (ValueError, TypeError):
        return  # scikit-learn does not take this table
    expected = own.predict(given_table).tolist()
    for estimator in (pipeline, own):
        prepared = prepare(estimator, given_table, Y, given_table)
        assert prepared.train.labels[prepared.predictions].tolist() == expected
    assert BiasCertifier(pipeline).fit(given_table, Y).predict(given_table).tolist() == expected


def _polars(X: pd.DataFrame) -> pl.DataFrame:
    return pl.DataFrame({name: X[name].tolist() for name in X.columns})


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.sampled_from(sorted(set(MAKERS) - {"text"})), min_size=1, max_size=4), st.booleans())
def test_predictions_are_those_of_the_users_own_tree(kinds, nested) -> None:
    X = table_of([kind for kind in kinds if "categories" not in kind] or ["ints"])
    given_table = X.to_numpy().tolist() if nested else X
    own = tree().fit(given_table, Y)
    expected = own.predict(given_table).tolist()
    for estimator in (tree(), own):
        prepared = prepare(estimator, given_table, Y, given_table)
        assert prepared.train.labels[prepared.predictions].tolist() == expected
    assert BiasCertifier(tree()).fit(given_table, Y).predict(given_table).tolist() == expected


@pytest.mark.parametrize("column", [pd.Categorical, lambda v: pd.Series(v, dtype=object)])
def test_columns_chosen_by_type_are_chosen_from_the_users_types(column) -> None:
    """The pipeline sees three categories; on changed types it would see one column of numbers."""
    g, y = [1] * 30 + [2] * 30 + [3] * 8, [0] * 30 + [1] * 30 + [0] * 8
    X = pd.DataFrame({"s": ["a", "b"] * 34, "g": column(g)})
    chosen = make_column_selector(dtype_include=[object, "str", "category"])
    transformer = make_column_transformer(
        (OneHotEncoder(handle_unknown="ignore"), chosen), remainder="passthrough"
    )
    pipeline = make_pipeline(transformer, DecisionTreeClassifier(max_depth=1, random_state=0))
    person = X.iloc[[65]]
    own = clone(pipeline).fit(X, y)
    assert own.predict(person).tolist() == [0]
    for estimator in (pipeline, own):
        result = certify(estimator, X, y, person, "flip(1)")
        assert result.predictions.tolist() == [0]
        assert result.prepared.train.feature_names == ("s=a", "s=b", "g=1", "g=2", "g=3")
    assert BiasCertifier(pipeline).fit(X, y).predict(person).tolist() == [0]


def test_witnesses_keep_the_types_that_encoders_were_fitted_to() -> None:
    """Added rows go through the encoders, too, which would refuse whole numbers for objects."""
    X = pd.DataFrame({"g": pd.Series([0, 0, 0, 1, 1], dtype=object)})
    for given_table in (X, _polars(X), X.to_numpy(object)):
        pipeline = make_pipeline(OneHotEncoder(handle_unknown="ignore"), tree())
        result = certify(
            pipeline, given_table, [0, 0, 0, 1, 1], given_table[3:4], "miss(2, where label == 0)"
        )
        assert result.verdicts.tolist() == ["not robust"]
        assert result.witness(0).added.iloc[:, 0].tolist() == [1, 1]


def test_a_part_that_selects_no_column() -> None:
    X = pd.DataFrame({"a": CODES[:, 0], "b": CODES[:, 1] / 2})
    parts = (OneHotEncoder(), make_column_selector(dtype_include="category"))
    pipeline = make_pipeline(make_column_transformer(parts, remainder="passthrough"), tree())
    result = certify(pipeline, X, Y, X, "flip(1)")
    assert result.prepared.train.feature_names == ("a", "b")
    assert result.predictions.tolist() == clone(pipeline).fit(X, Y).predict(X).tolist()


def test_an_unfitted_tree_behind_a_fitted_encoder_is_an_unfitted_pipeline() -> None:
    """`fit` of the Pipeline fits the encoder again, so the encoder's first table does not matter."""
    X = pd.DataFrame({"a": LETTERS[CODES[:, 0]]})
    encoder = OneHotEncoder(handle_unknown="ignore").fit(pd.DataFrame({"a": ["a", "z"]}))
    pipeline = Pipeline([("encode", encoder), ("tree", tree())])
    prepared = prepare(pipeline, X, Y, X)
    assert prepared.train.feature_names == ("a=a", "a=b", "a=c")
    assert prepared.predictions.tolist() == clone(pipeline).fit(X, Y).predict(X).tolist()


# A difference is an error.


def _change(value: float):
    def change(matrix):
        matrix = matrix.copy()
        matrix[3, 0] += value
        return matrix

    return change


@pytest.mark.parametrize("fitted", [False, True])
def test_another_matrix_is_refused(monkeypatch, fitted) -> None:
    X = pd.DataFrame({"a": CODES[:, 0], "b": CODES[:, 1]}).set_axis(range(100, 100 + N))

    def wrong(source, y, **options):
        table = encode_training(source, y, **options)
        table.X[3, 1] += 0.25
        return table

    monkeypatch.setattr(prepared, "encode_training", wrong)
    message = (
        r"feature 'b' of the training table is .*25 for everytree, but .* row 3 \(index 103\) \(1 such rows\)"
    )
    with pytest.raises(UnsupportedLearnerError, match=message):
        prepare(tree().fit(X, Y) if fitted else tree(), X, Y, X)


def test_encoders_fitted_to_another_table_are_noticed(monkeypatch) -> None:
    """The mistake that was made once: types are changed first, and the pipeline then chooses by type."""
    X = pd.DataFrame({"g": pd.Categorical(CODES[:, 0]), "x": CODES[:, 1]})
    chosen = make_column_selector(dtype_include="category")
    transformer = make_column_transformer(
        (OneHotEncoder(handle_unknown="ignore"), chosen), remainder="passthrough"
    )
    monkeypatch.setattr(
        prepared,
        "fit_encoder",
        lambda encoder, source: fit_encoder(encoder, replace(source, given=source.frame)),
    )
    with pytest.raises(UnsupportedLearnerError, match=r"The estimator itself|features for everytree"):
        prepare(make_pipeline(transformer, DecisionTreeClassifier(random_state=0)), X, Y, X)


def test_other_features_of_the_test_table_are_noticed(monkeypatch) -> None:
    X = pd.DataFrame({"g": LETTERS[CODES[:, 0]], "x": CODES[:, 1]})
    parts = (OneHotEncoder(), ["g"])
    pipeline = make_pipeline(make_column_transformer(parts, remainder="passthrough"), tree())
    right = encoding.transform

    def wrong(encoder, source):
        features = right(encoder, source)
        features[0, 3] += float(source.role == "test table")
        return features

    monkeypatch.setattr(encoding, "transform", wrong)
    with pytest.raises(UnsupportedLearnerError, match=r"feature 'x' of the test table is .* in row 0"):
        prepare(pipeline, X, Y, X)


def test_encoded_text_has_no_counterpart_and_is_not_compared() -> None:
    X = pd.DataFrame({"race": LETTERS[CODES[:, 0]], "code": CODES[:, 1], "x": CODES[:, 2]})
    table = prepare(tree(), X, Y, X, categorical="code", drop="x").train
    assert [column.encoding for column in table.columns] == ["onehot", "onehot", "dropped"]


def test_dropped_columns_are_left_out_of_the_comparison() -> None:
    X = pd.DataFrame({"name": LETTERS[CODES[:, 0]], "x": CODES[:, 1], "z": CODES[:, 2] / 7})
    prepared = prepare(tree(), X, Y, X[["z", "x"]], drop="name")
    assert prepared.predictions.tolist() == tree().fit(X[["x", "z"]], Y).predict(X[["x", "z"]]).tolist()
