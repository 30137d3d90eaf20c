"""Training and test tables: what goes in, what comes out, and every reason to refuse."""

import pickle
import re
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from everytree.errors import EverytreeWarning, TableError
from everytree.table import test_table as encode_test
from everytree.table import training_table
from everytree.table.structure import MISSING


def people() -> pd.DataFrame:
    return pd.DataFrame(
        {
            "race": ["White", "Black", "Asian", "White"],
            "score": [0, 3, 5, 9],
            "citizen": [True, False, True, True],
            "income": [1.5, 2.5, -1.0, 0.0],
        }
    )


LABELS = ["no", "no", "yes", "yes"]


def test_onehot_is_the_default() -> None:
    table = training_table(people(), LABELS)
    assert table.feature_names == ("race=Asian", "race=Black", "race=White", "score", "citizen", "income")
    assert [c.kind for c in table.columns] == ["categorical", "numeric", "boolean", "numeric"]
    assert [c.features for c in table.columns] == [(0, 1, 2), (3,), (4,), (5,)]
    assert table.X.dtype == np.float32
    assert table.X.flags.f_contiguous
    assert table.X[:, :3].tolist() == [[0, 0, 1], [0, 1, 0], [1, 0, 0], [0, 0, 1]]
    assert table.y.tolist() == [0, 0, 1, 1]
    assert table.labels.tolist() == ["no", "yes"]
    assert table.is_boolean.tolist() == [True, True, True, False, True, False]


def test_ordinal_encoding_uses_sorted_positions() -> None:
    table = training_table(people(), LABELS, encoding="ordinal")
    assert table.feature_names == ("race", "score", "citizen", "income")
    assert table.X[:, 0].tolist() == [2, 1, 0, 2]
    assert table.columns[0].categories == ("Asian", "Black", "White")
    assert not table.is_boolean[0]


def test_numbers_match_the_cast_of_scikit_learn() -> None:
    from sklearn.utils import check_array

    X = pd.DataFrame({"a": [16777217, 2**53 + 1, 3], "b": [0.1, 1e-40, 1 / 3], "c": [True, False, True]})
    ours = training_table(X[["a", "b"]], [0, 1, 0]).X
    assert np.array_equal(ours, check_array(X[["a", "b"]], dtype=np.float32))
    assert np.array_equal(training_table(X, [0, 1, 0]).X, check_array(X, dtype=np.float32))


def test_integer_columns_can_be_declared_categorical() -> None:
    table = training_table(people(), LABELS, categorical=["score"])
    assert table.columns[1].categories == (0, 3, 5, 9)
    assert encode_test(table, people().astype({"score": float})).X.tolist() == table.X.tolist()


def test_pandas_categories_are_categorical_and_become_plain() -> None:
    X = people().astype({"score": "category"})
    table = training_table(X, LABELS)
    assert table.columns[1].kind == "categorical"
    assert table.frame["score"].tolist() == [0, 3, 5, 9]
    assert table.frame["score"].dtype.kind == "i"


@pytest.mark.parametrize(
    "make", [pl.from_pandas, lambda frame: frame, lambda frame: pl.from_pandas(frame).to_arrow()]
)
def test_all_frames_give_the_same_table(make) -> None:
    table = training_table(make(people()), LABELS)
    assert table.X.tolist() == training_table(people(), LABELS).X.tolist()
    assert table.frame["race"].tolist() == people()["race"].tolist()
    assert encode_test(table, make(people())).X.tolist() == table.X.tolist()


def test_arrays_get_names() -> None:
    table = training_table(np.array([[1, 0], [2, 1]]), np.array([True, False]))
    assert table.feature_names == ("x0", "x1")
    assert table.labels.tolist() == [False, True]
    assert encode_test(table, [[3, 1]]).X.tolist() == [[3, 1]]


def test_an_array_of_objects_is_read_by_column() -> None:
    table = training_table(np.array([["a", 1], ["b", 2]], dtype=object), [0, 1])
    assert [c.kind for c in table.columns] == ["categorical", "numeric"]


def test_nullable_columns_without_gaps_are_fine() -> None:
    X = pd.DataFrame({"a": pd.array([1, 2], dtype="Int64"), "b": pd.array([True, False], dtype="boolean")})
    assert training_table(X, [0, 1]).X.tolist() == [[1, 1], [2, 0]]


def test_dropped_columns_stay_visible() -> None:
    X = people().assign(name=["a", None, "c", "d"])
    table = training_table(X, LABELS, drop=["name", "score"])
    assert table.feature_names == ("race=Asian", "race=Black", "race=White", "citizen", "income")
    assert [c.encoding for c in table.columns][1::3] == ["dropped", "dropped"]
    assert list(table.frame) == list(X)
    assert encode_test(table, X).X.tolist() == table.X.tolist()
    assert encode_test(table, people().drop(columns="score")).X.tolist() == table.X.tolist()


def test_the_table_does_not_change_the_callers_frame() -> None:
    X = people().astype({"race": "category"}).set_axis([10, 11, 12, 13])
    before = X.copy()
    table = training_table(X, LABELS)
    pd.testing.assert_frame_equal(X, before)
    assert table.frame.index.tolist() == [0, 1, 2, 3]
    assert table.index.tolist() == [10, 11, 12, 13]


@pytest.mark.parametrize(
    "labels",
    [
        [3, 1, 2, 1],
        ["b", "a", "b", "c"],
        [True, False, True, True],
        [1.0, 0.0, 2.0, 1.0],
        np.array([100, -100, 100, 0], dtype=np.int8),
        np.array([2**63 + 5, 2**63, 2**63, 2**63], dtype=np.uint64),
        [-(10**12), 10**12, 0, 0],
        pd.Series(["b", "a", "b", "b"], dtype="category"),
        pd.Series([1, 2, 1, 1], dtype="Int64"),
        pl.Series(["x", "y", "x", "x"]),
        pd.DataFrame({"y": [1, 2, 2, 1]}),
    ],
)
def test_labels_of_any_type_are_sorted_as_numpy_sorts(labels) -> None:
    table = training_table(people(), labels)
    distinct, codes = np.unique(np.asarray(labels).ravel(), return_inverse=True)
    assert table.labels.tolist() == distinct.tolist()
    assert table.y.tolist() == codes.ravel().tolist()
    assert table.y.dtype == np.int64


@settings(max_examples=30, deadline=None)
@given(st.lists(st.integers(-(10**6), 10**6), min_size=2, max_size=40).filter(lambda v: len(set(v)) > 1))
def test_integer_labels_decode_to_themselves(labels: list[int]) -> None:
    table = training_table(np.zeros((len(labels), 1)), labels)
    assert table.labels[table.y].tolist() == labels


# Test tables.


def test_test_columns_may_come_in_another_order() -> None:
    table = training_table(people(), LABELS)
    assert encode_test(table, people()[["income", "race", "citizen", "score"]]).X.tolist() == table.X.tolist()


def test_the_label_in_the_test_table_is_not_needed_and_set_aside() -> None:
    table = training_table(people(), LABELS, label_name="hired")
    assert encode_test(table, people()).y is None
    test = encode_test(table, people().assign(hired=["no", "yes", "maybe", "no"]))
    assert test.y is not None
    assert test.y.tolist() == [0, 1, -1, 0]
    assert "hired" not in test.frame


@pytest.mark.parametrize(("encoding", "code"), [("onehot", [0, 0, 0]), ("ordinal", [-1])])
def test_an_unseen_category_warns_and_is_none_of_the_known(encoding, code) -> None:
    table = training_table(people(), LABELS, encoding=encoding)
    with pytest.warns(EverytreeWarning, match=r"'race' .* never saw: 'Other'.*'Asian', 'Black', 'White'"):
        test = encode_test(table, people().replace({"race": {"White": "Other"}}))
    assert test.X[0, : len(code)].tolist() == code


def test_unseen_identifiers_belong_into_drop() -> None:
    X = pd.DataFrame({"code": [f"p{i}" for i in range(12)], "town": ["a", "b", "c"] * 4})
    table = training_table(X, [0, 1] * 6)
    test = X.replace({"code": {"p1": "q1"}, "town": {"a": "d"}})
    with pytest.warns(EverytreeWarning) as noted:
        encode_test(table, test)
    code, town = (str(note.message) for note in noted)
    assert code.endswith(" Most of its values are different: if it is an identifier, put it into drop.")
    assert town.endswith("none of the known ones, 'a', 'b', 'c'.")


def test_seen_categories_do_not_warn() -> None:
    table = training_table(people(), LABELS)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        encode_test(table, people().iloc[[1]])


def test_missing_test_column_is_named_with_the_nearest() -> None:
    table = training_table(people(), LABELS)
    with pytest.raises(TableError, match=r"differ .* lacks 'score'\. Did you mean 'scores'\?"):
        encode_test(table, people().rename(columns={"score": "scores"}))


def test_extra_test_column_is_named() -> None:
    with pytest.raises(TableError, match="it has the unknown 'age'"):
        encode_test(training_table(people(), LABELS), people().assign(age=1))


def test_array_for_a_named_table_is_refused() -> None:
    with pytest.raises(TableError, match=r"lacks 'a'.*unknown 'x0'"):
        encode_test(training_table(pd.DataFrame({"a": [1, 2]}), [0, 1]), np.array([[1]]))


def test_text_in_a_test_column_of_numbers() -> None:
    table = training_table(people(), LABELS)
    X = people().astype({"score": object})
    X.loc[2, "score"] = "five"
    with pytest.raises(
        TableError, match=r"'score' of the test table holds non-numeric text.*'five' in row 2.*in the file"
    ):
        encode_test(table, X)
    with pytest.raises(TableError, match=r"'score' of the test table holds non-numeric text.*'a' in row 0"):
        encode_test(table, people().assign(score=["a", "b", "c", "d"]))


def test_numbers_in_a_test_column_of_text() -> None:
    with pytest.raises(TableError, match=r"'race' has categories such as 'Asian' .* values such as 1 in"):
        encode_test(training_table(people(), LABELS), people().assign(race=1))


def test_missing_values_in_the_test_table() -> None:
    table = training_table(people(), LABELS)
    with pytest.warns(EverytreeWarning, match=r"'race' .* never saw: missing"):
        encoded = encode_test(table, people().assign(race=["White", None, "White", "White"]))
    assert encoded.X[1, :2].tolist() == [0, 0]
    income = table.feature_names.index("income")
    assert np.isnan(encode_test(table, people().assign(income=[1, 2, 3, np.nan])).X[3, income])


# Everything that is refused.


def test_empty_tables() -> None:
    with pytest.raises(TableError, match="training table has no rows"):
        training_table(people().iloc[:0], [])
    with pytest.raises(TableError, match="training table has no columns"):
        training_table(people()[[]], LABELS)
    with pytest.raises(TableError, match="test table has no rows"):
        encode_test(training_table(people(), LABELS), people().iloc[:0])


def test_one_class_only() -> None:
    with pytest.raises(TableError, match="'hired' has one class only: every row says 'yes'"):
        training_table(people(), ["yes"] * 4, label_name="hired")


def test_labels_that_do_not_fit() -> None:
    with pytest.raises(TableError, match=r"one for each of its 4 rows; received an array of shape \(3,\)"):
        training_table(people(), [0, 1, 0])
    with pytest.raises(TableError, match="label is missing in row 2 of the training table"):
        training_table(people(), ["a", "b", None, "a"])
    with pytest.raises(TableError, match="label is missing in row 1"):
        training_table(people(), [0.0, np.nan, 1.0, 1.0])
    with pytest.raises(TableError, match=r"fractions such as 0\.5"):
        training_table(people(), [0.5, 1.0, 2.0, 2.0])
    with pytest.raises(TableError, match="mixes types that have no common order: 'int', 'str'"):
        training_table(people(), pd.Series([1, "a", 1, 1], dtype=object))


def test_a_feature_with_the_name_of_the_label() -> None:
    with pytest.raises(TableError, match="feature called 'race', which is also the name of the label"):
        training_table(people(), LABELS, label_name="race")


@pytest.mark.parametrize("value", [np.inf, -np.inf])
def test_infinity_names_column_and_first_row(value: float) -> None:
    with pytest.raises(TableError, match=r"'income' of the training table is infinite \(-?inf\) in row 1 "):
        training_table(people().assign(income=[0, value, value, 1]), LABELS)


def test_missing_values_need_a_learner_that_knows_them(monkeypatch) -> None:
    monkeypatch.setattr("sklearn.__version__", "1.8.2")
    with pytest.raises(TableError, match=r"'income' .* missing values \(NaN\).*scikit-learn 1\.9.*1\.8\.2"):
        training_table(people().assign(income=[0, 1, np.nan, 1]), LABELS)


@pytest.mark.parametrize(
    "missing",
    [
        [None] * 4,
        [1, None, 2, 3],
        np.array([1, np.nan, 2, 3], np.float16),
        pd.array([1, None, 2, 3], dtype="Int64"),
        pd.array([True, None, False, True], dtype="boolean"),
    ],
)
def test_missing_numbers_stay_missing(missing) -> None:
    table = training_table(people().assign(m=missing), LABELS)
    assert np.isnan(table.X[1, -1])
    assert table.has_holes.tolist() == [False] * (len(table.feature_names) - 1) + [True]
    assert table.columns[-1].encoding == "identity"


@pytest.mark.parametrize("hole", [None, np.nan, pd.NA, pd.NaT])
@pytest.mark.parametrize("encoding", ["onehot", "ordinal"])
def test_missing_text_is_a_category_of_its_own(hole, encoding) -> None:
    race = ["White", hole, "Black", hole]
    table = training_table(people().assign(race=race), LABELS, encoding=encoding)
    column = next(c for c in table.columns if c.name == "race")
    assert column.categories == ("Black", "White", MISSING)
    place = column.features[-1]
    assert table.X[:, place].tolist() == ([0, 1, 0, 1] if encoding == "onehot" else [1, 2, 0, 2])
    assert encoding == "ordinal" or table.feature_names[place] == "race is missing"
    assert pickle.loads(pickle.dumps(column)).categories[-1] is MISSING
    assert encode_test(table, people().assign(race=race)).X[:, place].tolist() == table.X[:, place].tolist()


def test_a_column_of_text_types_without_any_text() -> None:
    table = training_table(people().assign(race=pd.array([None] * 4, dtype="string")), LABELS)
    assert next(c for c in table.columns if c.name == "race").categories == (MISSING,)


def test_overflow_of_float32() -> None:
    with pytest.raises(TableError, match=r"'income' .* holds 1e\+300, which is beyond float32 .* in row 3"):
        training_table(people().assign(income=[0, 1, 2, 1e300]), LABELS)


def test_duplicate_names() -> None:
    with pytest.raises(TableError, match="duplicate column names: 'score'"):
        training_table(people().rename(columns={"income": "score"}), LABELS)
    with pytest.raises(TableError, match="duplicate column names: '1'"):
        training_table(pd.DataFrame([[1, 2], [3, 4]], columns=[1, "1"]), [0, 1])


@pytest.mark.parametrize("stray", ["?", "twelve"])
def test_text_in_a_numeric_column(stray: str) -> None:
    X = pd.DataFrame({"age": [*(str(v) for v in range(20)), stray]})
    with pytest.raises(
        TableError, match=rf"'age' .* non-numeric text .* '{re.escape(stray)}' in row 20; 20 of its 21"
    ):
        training_table(X, [0, 1] * 10 + [0])
    assert training_table(X, [0, 1] * 10 + [0], categorical=["age"]).columns[0].kind == "categorical"


def test_marks_for_missing_numbers_count_as_stray_text_however_many() -> None:
    X = pd.DataFrame({"age": ["1", "NA", "NA", "2"]})
    with pytest.raises(TableError, match=r"non-numeric text .* 'NA' in row 1"):
        training_table(X, LABELS)


def test_numbers_among_categories_are_categories() -> None:
    X = pd.DataFrame({"grade": ["1", "2", "A", "B"]})
    assert training_table(X, LABELS).columns[0].categories == ("1", "2", "A", "B")


def test_numbers_written_as_text() -> None:
    with pytest.raises(TableError, match=r"'age' .* numbers written as text, such as '1'.*in the file"):
        training_table(pd.DataFrame({"age": ["1", "2"]}), [0, 1])


def test_text_mixed_with_numbers() -> None:
    X = pd.DataFrame({"m": [1, "a", "b", "c"]}, dtype=object)
    with pytest.raises(TableError, match=r"'m' .* values of type int and str"):
        training_table(X, LABELS)
    with pytest.raises(TableError, match=r"'m' .* mixes text and numbers: 1, 'a'"):
        training_table(X, LABELS, categorical="m")


@pytest.mark.parametrize(
    "values", [pd.to_datetime(["2020-01-01"] * 4), [1j] * 4, [pd.Timestamp(0).date()] * 4]
)
def test_dates_and_other_types(values) -> None:
    with pytest.raises(
        TableError, match=r"'d' of the training table holds values of type .* Allowed are numbers"
    ):
        training_table(people().assign(d=values), LABELS)
    assert "d" not in training_table(people().assign(d=values), LABELS, drop="d").feature_names


def test_options_that_name_no_column() -> None:
    with pytest.raises(TableError, match=r"drop names the column 'scor', .* Did you mean 'score'\?"):
        training_table(people(), LABELS, drop=["scor"])
    with pytest.raises(TableError, match=r"categorical names the column 'Race', .* Did you mean 'race'\?"):
        training_table(people(), LABELS, categorical=["Race"])
    with pytest.raises(TableError, match=r"drop names 'hired', which is the label.*Leave it out of drop\."):
        training_table(people(), LABELS, drop=["hired"], label_name="hired")
    with pytest.raises(TableError, match="drop takes away every column"):
        training_table(people(), LABELS, drop=list(people()))
    with pytest.raises(TableError, match="encoding must be 'onehot' or 'ordinal'; received 'target'"):
        training_table(people(), LABELS, encoding="target")  # type: ignore[arg-type]


def test_things_that_are_no_table() -> None:
    from scipy.sparse import csr_matrix

    with pytest.raises(TableError, match=r"two dimensions.*shape \(2,\).*reshape"):
        training_table(np.array([1, 2]), [0, 1])
    with pytest.raises(TableError, match=r"received .*csr_matrix\. Call \.toarray\(\) first"):
        training_table(csr_matrix([[1], [2]]), [0, 1])
    with pytest.raises(TableError, match=r"LazyFrame\. Call \.collect\(\) first"):
        training_table(pl.LazyFrame({"a": [1, 2]}), [0, 1])
    with pytest.raises(TableError, match=r"must be a DataFrame .* received builtins\.str"):
        training_table("train.csv", [0, 1])
