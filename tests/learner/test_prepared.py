"""Which estimators are accepted, what is refused by name, and what a prepared problem holds."""

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor, ExtraTreeClassifier

from everytree import certify, radius
from everytree.datasets import load
from everytree.errors import TableError, UnsupportedLearnerError
from everytree.learner import Learner, prepare

RNG = np.random.default_rng(3)
N = 60
X = pd.DataFrame(
    {
        "race": RNG.choice(["a", "b", "c"], N),
        "score": RNG.integers(0, 20, N),
        "grade": RNG.choice(["low", "mid", "top"], N),
        "sex": RNG.integers(0, 2, N),
    }
)
Y = pd.Series(np.where(RNG.random(N) < 0.3, "no", np.where(X["score"] > 8, "yes", "no")))
NUMBERS = X[["score", "sex"]]


def columns(**options) -> ColumnTransformer:
    parts = [
        ("race", OneHotEncoder(**options), ["race"]),
        ("grade", OrdinalEncoder(categories=[["low", "mid", "top"]]), ["grade"]),
        ("rest", "passthrough", ["score"]),
    ]
    return ColumnTransformer(parts)


# Learner.read


@pytest.mark.parametrize("depth", [None, 1, 7, np.int64(3)])
def test_supported_trees(depth) -> None:
    learner = Learner.read(DecisionTreeClassifier(max_depth=depth, random_state=5))
    assert (learner.settings.max_depth, learner.random_state, learner.fitted, learner.encoder) == (
        depth,
        5,
        False,
        None,
    )
    assert learner.new_tree() is not learner.tree
    assert learner.new_tree().get_params() == learner.tree.get_params()


@pytest.mark.parametrize(
    ("estimator", "name"),
    [
        (DecisionTreeRegressor(), "a DecisionTreeRegressor"),
        (ExtraTreeClassifier(), "an? ExtraTreeClassifier"),
        (RandomForestClassifier(), "a RandomForestClassifier"),
        ("tree", "'tree'"),
        (None, "None"),
        (DecisionTreeClassifier, r"the class DecisionTreeClassifier itself .* with brackets"),
        (make_pipeline(OneHotEncoder(), DecisionTreeRegressor()), "a DecisionTreeRegressor"),
    ],
)
def test_other_estimators_are_refused_by_name(estimator: object, name: str) -> None:
    with pytest.raises(UnsupportedLearnerError, match=rf"The estimator is {name}.* Supported is"):
        Learner.read(estimator)


class Mine(DecisionTreeClassifier):
    pass


def test_subclasses_are_refused() -> None:
    with pytest.raises(UnsupportedLearnerError, match="a Mine"):
        Learner.read(Mine())


def test_fitted_trees() -> None:
    tree = DecisionTreeClassifier(max_depth=2)
    assert Learner.read(tree.fit(NUMBERS, Y)).fitted
    with pytest.raises(UnsupportedLearnerError, match="fitted to 2 labels at once"):
        Learner.read(DecisionTreeClassifier().fit(NUMBERS, np.c_[X["sex"], X["sex"]]))
    with pytest.raises(UnsupportedLearnerError, match="sample_weight"):
        Learner.read(DecisionTreeClassifier().fit(NUMBERS, Y, sample_weight=np.arange(1, N + 1)))


# Pipelines


@pytest.mark.parametrize("fitted", [False, True])
def test_a_pipeline_is_read_column_by_column(fitted: bool) -> None:
    pipeline = make_pipeline(columns(), DecisionTreeClassifier(max_depth=3, random_state=0))
    expected = make_pipeline(columns(), DecisionTreeClassifier(max_depth=3, random_state=0)).fit(X, Y)
    problem = prepare(pipeline.fit(X, Y) if fitted else pipeline, X, Y, X)
    table = problem.train
    assert [c.encoding for c in table.columns] == ["onehot", "identity", "ordinal", "dropped"]
    assert table.feature_names == ("race=a", "race=b", "race=c", "grade", "score")
    for feature, category in zip(table.columns[0].features, table.columns[0].categories, strict=True):
        assert np.array_equal(table.X[:, feature], X["race"] == category)
    codes = X["grade"].map({"low": 0, "mid": 1, "top": 2})
    assert np.array_equal(table.X[:, table.columns[2].features[0]], codes)
    assert table.columns[3].kind == "boolean"
    assert table.X.flags.f_contiguous
    assert table.labels[problem.predictions].tolist() == expected.predict(X).tolist()
    assert hasattr(pipeline[-1], "tree_") == fitted


def test_encoders_that_cannot_be_read_are_opaque() -> None:
    pipeline = make_pipeline(
        ColumnTransformer(
            [("r", OneHotEncoder(drop="first"), ["race"]), ("g", OneHotEncoder(), ["grade"])],
            remainder="passthrough",
        ),
        DecisionTreeClassifier(),
    )
    table = prepare(pipeline, X, Y, X).train
    assert [c.encoding for c in table.columns] == ["opaque", "identity", "onehot", "identity"]
    assert table.columns[0].categories == ("a", "b", "c")
    assert table.region({0: (0.5, 1), 2: (0.5, 1)}) == {"grade": {"low"}}
    assert np.array_equal(table.X[:, 2], X["grade"] == "low")


def test_a_column_used_twice_is_opaque() -> None:
    parts = [("o", OneHotEncoder(), ["score"]), ("p", "passthrough", ["score", "sex"])]
    table = prepare(make_pipeline(ColumnTransformer(parts), DecisionTreeClassifier()), X, Y, X).train
    assert [c.encoding for c in table.columns] == ["dropped", "opaque", "dropped", "identity"]


def test_chained_and_direct_encoders() -> None:
    direct = prepare(make_pipeline(OrdinalEncoder(), DecisionTreeClassifier()), X, Y, X).train
    assert {c.encoding for c in direct.columns} == {"ordinal"}
    chained = prepare(
        make_pipeline(OrdinalEncoder(), OneHotEncoder(), DecisionTreeClassifier()), X, Y, X
    ).train
    assert {c.encoding for c in chained.columns} == {"opaque"}
    unknown = OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=99)
    other = prepare(make_pipeline(unknown, DecisionTreeClassifier()), X, Y, X).train
    assert {c.encoding for c in other.columns} == {"opaque"}
    passed = prepare(make_pipeline("passthrough", DecisionTreeClassifier()), NUMBERS, Y, NUMBERS).train
    assert {c.encoding for c in passed.columns} == {"identity"}


@pytest.mark.parametrize("selection", [[1], slice(1, 2), [False, True, False], np.array([1])])
def test_arrays_and_every_way_to_select_columns(selection) -> None:
    A = np.c_[NUMBERS.to_numpy(), RNG.random(N)]
    transformer = ColumnTransformer([("o", OneHotEncoder(), selection)], remainder="passthrough")
    pipeline = make_pipeline(transformer, DecisionTreeClassifier(random_state=0)).fit(A, Y)
    problem = prepare(pipeline, A, Y, A)
    assert [c.encoding for c in problem.train.columns] == ["identity", "onehot", "identity"]
    assert problem.train.labels[problem.predictions].tolist() == pipeline.predict(A).tolist()


def test_encoder_errors_become_table_errors() -> None:
    pipeline = make_pipeline(columns(), DecisionTreeClassifier())
    strange = X.assign(race="z")
    with pytest.raises(TableError, match=r"refuse the test table: Found unknown categories \['z'\]"):
        prepare(pipeline, X, Y, strange)
    lenient = make_pipeline(columns(handle_unknown="ignore"), DecisionTreeClassifier())
    assert prepare(lenient, X, Y, strange).test.X[:, :3].sum() == 0
    with pytest.raises(TableError, match="cannot be fitted to the training table"):
        prepare(pipeline, X.drop(columns="race"), Y, X)
    with pytest.raises(TableError, match="leave text in the training table"):
        prepare(make_pipeline("passthrough", DecisionTreeClassifier()), X, Y, X)
    assert np.isnan(prepare(pipeline, X, Y, X.assign(score=np.nan)).test.X[:, 4]).all()


@pytest.mark.parametrize("option", [{"drop": ["sex"]}, {"categorical": ["sex"]}, {"encoding": "ordinal"}])
def test_table_options_do_not_go_with_a_pipeline(option) -> None:
    with pytest.raises(TableError, match=rf"{next(iter(option))}=.* cannot be combined with a Pipeline"):
        prepare(make_pipeline(columns(), DecisionTreeClassifier()), X, Y, X, **option)


# prepare


def test_predictions_of_an_unfitted_tree() -> None:
    problem = prepare(
        DecisionTreeClassifier(max_depth=2, random_state=0), NUMBERS, Y, NUMBERS.iloc[:7], y_test=Y[:7]
    )
    expected = DecisionTreeClassifier(max_depth=2, random_state=0).fit(NUMBERS, Y).predict(NUMBERS.iloc[:7])
    assert problem.train.labels[problem.predictions].tolist() == expected.tolist()
    assert problem.test.y is not None
    assert problem.predictions.dtype == np.int64


@pytest.mark.parametrize("wrap", [lambda frame: frame, lambda frame: frame.to_numpy()])
def test_predictions_of_a_fitted_tree_are_its_own(wrap) -> None:
    tree = DecisionTreeClassifier(random_state=1).fit(wrap(NUMBERS), Y)
    problem = prepare(tree, wrap(NUMBERS), Y, wrap(NUMBERS))
    assert problem.train.labels[problem.predictions].tolist() == tree.predict(wrap(NUMBERS)).tolist()
    own = tree.tree_
    tree.fit(wrap(NUMBERS), Y[::-1])
    assert problem.tree.tree_ is own


def test_ties_go_to_the_label_that_sorts_first() -> None:
    problem = prepare(DecisionTreeClassifier(max_depth=1), [[0], [0]], ["z", "b"], [[0]])
    assert problem.train.labels[problem.predictions].tolist() == ["b"]


def test_a_fitted_tree_must_belong_to_the_table() -> None:
    tree = DecisionTreeClassifier(max_depth=2).fit(NUMBERS, Y)
    with pytest.raises(TableError, match="knows the labels 'no', 'yes', but the training table has 0, 1"):
        prepare(tree, NUMBERS, (Y == "yes").astype(int), NUMBERS)
    with pytest.raises(
        TableError, match="trained on 'score', 'sex', but the training table gives 'sex', 'score'"
    ):
        prepare(tree, NUMBERS[["sex", "score"]], Y, NUMBERS)
    with pytest.raises(
        TableError, match="trained on 'score', 'sex', but the training table gives 'x0', 'x1', 'x2'"
    ):
        prepare(tree, np.zeros((N, 3)), Y, np.zeros((N, 3)))
    with pytest.raises(
        TableError, match="trained on another table: its leaves hold 60 rows, and the 50 rows"
    ):
        prepare(tree, NUMBERS[:50], Y[:50], NUMBERS)


def test_a_dropped_column_is_unseen_by_the_tree_and_known_to_the_bias_model() -> None:
    data = load("compas")
    doubtful = np.arange(len(data.X_train)) % 20 == 0
    tree = DecisionTreeClassifier(max_depth=1, random_state=0)
    table = data.X_train.assign(doubtful=doubtful, answer=data.y_train)
    hidden = ["doubtful", "answer"]
    only = certify(tree, table, data.y_train, data.X_test, "flip(2%, where doubtful == true)", drop=hidden)
    every = certify(tree, data.X_train, data.y_train, data.X_test, "flip(2%)")
    assert only.predictions.tolist() == every.predictions.tolist()
    assert every.robust_rate < only.robust_rate
    assert all(doubtful[row] for witness in only.witnesses.values() for row in witness.flipped)
    found = radius(
        tree,
        table,
        data.y_train,
        data.X_test[:50],
        "flip(?, where doubtful == true)",
        drop=hidden,
        max_amount=60,
    )
    assert found.predictions.tolist() == every.predictions[:50].tolist()


def test_a_fitted_tree_with_other_labels_in_equal_leaves_is_refused() -> None:
    table = pd.DataFrame({"score": [0, 1, 2, 3, 5, 6, 7, 8]})
    labels = np.array([0, 0, 0, 1, 1, 1, 1, 1])
    tree = DecisionTreeClassifier(max_depth=1, random_state=0).fit(table, labels)
    others = labels.copy()
    others[[0, 5]] = [1, 0]
    assert prepare(tree, table, labels, table).predictions.tolist() == labels.tolist()
    with pytest.raises(TableError, match="was trained on another table"):
        prepare(tree, table, others, table)
