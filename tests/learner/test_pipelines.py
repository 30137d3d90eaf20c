"""Which steps may stand before the tree, what they are taken to do, and the truth about whole pipelines."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, TransformerMixin, clone
from sklearn.compose import ColumnTransformer, make_column_transformer
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.experimental import enable_iterative_imputer  # noqa: F401
from sklearn.feature_selection import SelectKBest
from sklearn.impute import SimpleImputer
from sklearn.pipeline import FeatureUnion, Pipeline, make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, StandardScaler, TargetEncoder
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils import all_estimators

from everytree import BiasCertifier, certify, radius
from everytree.errors import TableError, UnsupportedLearnerError
from everytree.learner import Learner, prepare
from everytree.learner.steps import LABEL_BLIND, LABEL_READERS
from everytree.table.casting import as_learner_sees
from everytree.table.frames import as_source
from everytree.table.pipelines import keep_encoder
from tests.truth.pipelines import examine_pipeline, pipeline_problem

RNG = np.random.default_rng(3)
N = 40
X = pd.DataFrame({"age": RNG.integers(18, 60, N) * 1.0, "debt": RNG.random(N).round(2)})
X["sex"] = RNG.choice(["f", "m"], N)
Y = (X["age"] + RNG.normal(0, 8, N) > 38).to_numpy(int)
HOLES = X.assign(age=X["age"].mask(X["debt"] < 0.2))
NUMBERS = ["age", "debt"]
ESTIMATORS = dict(all_estimators())


def tree(**settings):
    return DecisionTreeClassifier(**({"max_depth": 2, "random_state": 0} | settings))


def usual(*more) -> Pipeline:
    """What people write: numbers imputed and scaled, text encoded."""
    numbers = make_pipeline(SimpleImputer(), StandardScaler())
    return make_pipeline(
        make_column_transformer((numbers, NUMBERS), (OneHotEncoder(), ["sex"])), *more, tree()
    )


# Steps


@pytest.mark.filterwarnings("ignore::UserWarning")  # too many quantiles for so few rows
@pytest.mark.parametrize("name", sorted(LABEL_BLIND))
def test_steps_on_the_list_ignore_the_labels(name: str) -> None:
    kind = ESTIMATORS[name]
    options = {"random_state": 0} if "random_state" in kind().get_params() else {}
    table = X[NUMBERS].to_numpy() if name != "MissingIndicator" else HOLES[NUMBERS].to_numpy()
    made = []
    for labels in (Y, 1 - Y, RNG.permutation(Y), None):
        made.append(kind(**options).fit_transform(table, labels))
        made[-1] = made[-1].toarray() if hasattr(made[-1], "toarray") else np.asarray(made[-1])
    assert all(np.array_equal(made[0], other) for other in made[1:])


def test_the_lists_name_classes_of_scikit_learn() -> None:
    assert set(ESTIMATORS) >= LABEL_BLIND | LABEL_READERS
    assert not LABEL_BLIND & LABEL_READERS


class Mine(TransformerMixin, BaseEstimator):
    def fit(self, X, y=None):
        return self

    def transform(self, X):
        return X


class MyScaler(StandardScaler):
    pass


class Resampler(Mine):
    def fit_resample(self, X, y):
        return X, y


REFUSED = [
    (TargetEncoder(), "'s' is a TargetEncoder, which is not supported there: it looks at the labels"),
    (SelectKBest(), "'s' is a SelectKBest, .* it looks at the labels"),
    (LinearDiscriminantAnalysis(), "'s' is a LinearDiscriminantAnalysis, .* it looks at the labels"),
    (Mine(), "'s' is a Mine of tests, .* nobody has made sure .* FunctionTransformer"),
    (MyScaler(), "'s' is a MyScaler of tests"),
    (Resampler(), "'s' is a Resampler of tests, .* it chooses or makes rows by their labels"),
    (Pipeline([("a", StandardScaler()), ("b", SelectKBest())]), "'s/b' is a SelectKBest"),
    (FeatureUnion([("a", PCA()), ("b", SelectKBest())]), "'s/b' is a SelectKBest"),
    (ColumnTransformer([("t", TargetEncoder(), ["sex"])]), "'s/t' is a TargetEncoder"),
    (ColumnTransformer([], remainder=Mine()), "'s/remainder' is a Mine"),
    (
        ColumnTransformer([("p", Pipeline([("e", TargetEncoder())]), ["sex"])]),
        "'s/p/e' is a TargetEncoder",
    ),
    (
        ColumnTransformer([("o", OneHotEncoder(), ["sex"])], transformer_weights={"o": 2}),
        "'s' sets transformer_weights={'o': 2}",
    ),
]


@pytest.mark.parametrize(("step", "message"), REFUSED)
def test_other_steps_are_refused_by_name(step: object, message: str) -> None:
    with pytest.raises(UnsupportedLearnerError, match=message) as caught:
        Learner.read(Pipeline([("s", step), ("tree", tree())]))
    assert "Supported is" in str(caught.value)


def test_all_problems_of_a_pipeline_are_named_at_once() -> None:
    parts = [("t", TargetEncoder(), ["sex"]), ("m", Mine(), ["age"])]
    steps = [
        ("c", ColumnTransformer(parts)),
        ("k", SelectKBest()),
        ("tree", tree(splitter="random", max_depth=0)),
    ]
    with pytest.raises(UnsupportedLearnerError) as caught:
        certify(Pipeline(steps), X, Y, X, "flip(1)")
    lines = [line for line in str(caught.value).splitlines() if line.startswith("- ")]
    names = ["'c/t'", "'c/m'", "'k'", "max_depth=0", "splitter='random'"]
    assert len(lines) == len(names)
    assert all(any(name in line for line in lines) for name in names)


# What columns mean behind them


def test_columns_behind_computing_steps_keep_their_meaning() -> None:
    table = prepare(usual(), HOLES.assign(old=1.0 * (X["age"] > 40)), Y, HOLES.assign(old=0.0)).train
    assert [(c.kind, c.encoding) for c in table.columns] == [
        ("numeric", "opaque"),
        ("numeric", "opaque"),
        ("categorical", "onehot"),
        ("boolean", "dropped"),
    ]
    assert table.feature_names == ("pipeline__age", "pipeline__debt", "sex=f", "sex=m")
    assert not table.is_boolean[:2].any()
    assert table.region({0: (0.0, 1.0), 2: (0.5, 1.0)}) == {"sex": {"f"}}
    chained = prepare(usual(PCA(2)), HOLES, Y, HOLES).train
    assert {(c.kind, c.encoding) for c in chained.columns} == {("categorical", "opaque")}


def test_a_function_is_not_taken_for_nothing() -> None:
    pipeline = make_pipeline(FunctionTransformer(np.abs), tree())
    table = prepare(pipeline, X[NUMBERS], Y, X[NUMBERS]).train
    assert {c.encoding for c in table.columns} == {"opaque"}
    nothing = prepare(make_pipeline(FunctionTransformer(), tree()), X[NUMBERS], Y, X[NUMBERS]).train
    assert {c.encoding for c in nothing.columns} == {"identity"}


def test_a_table_with_holes_behind_an_imputer() -> None:
    assert certify(tree(), HOLES, Y, HOLES, "flip(1)").predictions.tolist() != []
    result = certify(usual(), HOLES, Y, HOLES[:5], "flip(1, where age < 30 and sex == 'f')")
    assert result.predictions.tolist() == usual().fit(HOLES, Y).predict(HOLES[:5]).tolist()
    assert result.notes == ()
    assert radius(usual(), HOLES, Y, HOLES[:2], "flip(?)", max_amount=1).lower.min() >= 0
    assert BiasCertifier(usual()).fit(HOLES, Y).certify(HOLES[:5]).predictions.tolist() == (
        result.predictions.tolist()
    )


# What the tree is fitted to


@pytest.mark.parametrize("fitted", [False, True])
def test_the_tree_sees_what_fit_transform_gives(fitted: bool) -> None:
    pipeline = make_pipeline(StandardScaler(), PCA(2), tree())
    given = pipeline.fit(X[NUMBERS], Y) if fitted else pipeline
    table = prepare(given, X[NUMBERS], Y, X[NUMBERS]).train
    expected = as_learner_sees(clone(pipeline[:-1]).fit_transform(X[NUMBERS]))
    assert np.array_equal(table.X, expected)


def test_steps_that_were_fitted_to_another_table() -> None:
    scaler = StandardScaler().fit(X[NUMBERS] * 2)
    pipeline = make_pipeline(scaler, tree())
    pipeline[-1].fit(scaler.transform(X[NUMBERS]), Y)
    result = certify(pipeline, X[NUMBERS], Y, X[NUMBERS], "flip(1)")
    assert np.array_equal(result.prepared.train.X, scaler.transform(X[NUMBERS]).astype(np.float32))
    assert "kept as they were fitted" in result.notes[0]
    other = make_pipeline(StandardScaler(), PCA(2), tree()).fit(X[NUMBERS] ** 2, Y)
    with pytest.raises(TableError, match="trained on another table"):
        prepare(other, X[NUMBERS], Y, X[NUMBERS])


class Doubling(Mine):
    def fit(self, X, y=None):
        self.mean_ = X.mean()
        return self

    def fit_transform(self, X, y=None):
        return 2 * self.fit(X).transform(X)

    def transform(self, X):
        return X - self.mean_


def test_what_a_tree_saw_of_steps_that_were_fitted_to_another_table() -> None:
    table = X[NUMBERS].to_numpy()
    steps = make_pipeline(Doubling())
    assert np.array_equal(
        keep_encoder(steps.fit(table), as_source(table, "training table")).features[:, 0],
        (2 * (table - table.mean())).astype(np.float32)[:, 0],
    )
    with pytest.raises(UnsupportedLearnerError, match="fitted to another table"):
        keep_encoder(steps.fit(table + 1), as_source(table, "training table"))


def test_chance_in_a_step_is_refused() -> None:
    noise = np.random.default_rng(0)
    pipeline = make_pipeline(FunctionTransformer(lambda X: X + noise.random(X.shape)), tree())
    with pytest.raises(UnsupportedLearnerError, match="Set random_state in every step"):
        prepare(pipeline, X[NUMBERS].to_numpy(), Y, X[NUMBERS].to_numpy())


# Rows that come and go


@pytest.mark.parametrize("bias", ["fake(1)", "miss(1, where sex == 'f')", "flip(1) + fake(1)"])
def test_steps_are_kept_when_rows_come_and_go(bias: str) -> None:
    result = certify(usual(), HOLES, Y, HOLES[:3], bias, engine="relational")
    (note,) = result.notes
    assert "(SimpleImputer, StandardScaler, OneHotEncoder) are kept as they were fitted" in note
    assert ("rows are added" in note) == bias.startswith("miss")
    assert note in result.summary()
    assert result.to_dict()["notes"] == [note]


def test_an_added_row_may_have_any_features_behind_a_scaler() -> None:
    """Where the tree sees scaled numbers, a condition about the original ones limits nothing."""
    numbers, labels = pd.DataFrame({"x": [10.0, 10, 20, 20, 30, 30]}), [0, 0, 0, 0, 1, 1]
    pipeline = make_pipeline(StandardScaler(), tree(max_depth=1))
    high = "miss(9, where x > 25 and label == 0)"
    assert certify(pipeline, numbers, labels, numbers[4:], high).verdicts.tolist() == ["not robust"] * 2
    assert certify(pipeline, numbers, labels, numbers[4:], "miss(1, where label == 1)").robust_rate == 1


def test_rows_cannot_be_added_before_a_function_of_all_rows() -> None:
    pipeline = make_pipeline(FunctionTransformer(lambda X: X - X.mean(axis=0)), tree())
    certify(pipeline, X[NUMBERS], Y, X[NUMBERS], "fake(1)", engine="interval")
    with pytest.raises(UnsupportedLearnerError, match="miss cannot be combined with a FunctionTransformer"):
        certify(pipeline, X[NUMBERS], Y, X[NUMBERS], "miss(1)")


# The truth


@pytest.mark.parametrize("seed", range(5))
def test_every_changed_table_fitted_again_agrees(seed: int) -> None:
    tally = examine_pipeline(pipeline_problem(seed))
    assert not tally.violations, str(tally.violations[0])
