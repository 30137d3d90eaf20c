"""Tables with holes on the command line and in audit files: what becomes of missing values."""

# ruff: noqa: F401, F811 (the fixture is imported under the name it is used by)

from __future__ import annotations

from pathlib import Path

import joblib
import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.tree import DecisionTreeClassifier

from everytree.audit import load_plan, run_audit
from everytree.errors import AuditError, TableError
from everytree.learner.missing import fill
from everytree.show.report.method import commands
from tests.cli.cli_tools import Run, run

FILES = ("train.csv", "test.csv", "--label", "hired", "--bias", "flip(1)", "--depth", "1")
AUDIT = """\
[data]
train = "train.csv"
test = "test.csv"
label = "hired"
missing = "{}"

[audit]
groups = ["sex"]
depths = [1, 2]

[[bias]]
model = "flip(?)"
amounts = [1]
radius = false
"""


@pytest.fixture(autouse=True)
def _holes(tmp_path: Path) -> None:
    """Two tables with holes in numbers and in text; the people have one where training has none."""
    (tmp_path / "train.csv").write_text(
        "sex,age,priors,hired\nFemale,20,0,no\nFemale,,1,no\n,35,0,no\nMale,40,2,yes\nMale,,3,yes\n"
        "Female,60,4,yes\nMale,25,0,no\nMale,55,5,yes\n"
    )
    (tmp_path / "test.csv").write_text("sex,age,priors\nFemale,,0\n,58,\nMale,30,3\n")


def shares(said) -> list[list[str]]:
    return [line.split() for line in said.err.split("\n") if line.endswith("%")]


def test_filling_in_is_what_a_pipeline_with_imputers_does(run: Run, tmp_path: Path) -> None:
    numbers, text = SimpleImputer(strategy="median"), SimpleImputer(strategy="most_frequent")
    steps = make_column_transformer(
        (numbers, ["age", "priors"]), (make_pipeline(text, OneHotEncoder()), ["sex"])
    )
    joblib.dump(make_pipeline(steps, DecisionTreeClassifier(max_depth=1, random_state=0)), tmp_path / "model")
    own = run("certify", *FILES[:-2], "--model", "model")
    said = run("certify", *FILES, "--missing", "impute")
    assert (said.code, own.code) == (0, 0)
    assert shares(said) == shares(own)
    assert "Missing values are filled in before the tree" in said.err
    assert "'sex', 'age', 'priors'" in said.err


def test_conditions_speak_of_the_table_and_not_of_what_is_filled_in(run: Run) -> None:
    # the ages that are known are 20, 25, 35, 40, 55, 60: their median is 37.5, and nobody's
    said = run("explain", "flip(9, where age > 0)", *FILES[:1], "--label", "hired")
    assert "flip(9, where age > 0)         9               6" in said.err
    said = run("explain", "flip(9, where sex is missing)", *FILES[:1], "--label", "hired")
    assert "flip(9, where sex is missing)         9               1" in said.err


def test_a_category_of_its_own_is_a_group_and_a_number_below_all_others(run: Run, tmp_path: Path) -> None:
    said = run("certify", *FILES, "--missing", "category", "--group", "sex")
    assert said.code == 0
    assert "missing        1" in said.err
    filled = fill(
        "category", *(pd.read_csv(tmp_path / f"{name}.csv") for name in ("train", "test")), drop=["hired"]
    )
    values = filled.steps.fit(filled.X_train).transform(filled.X_train)
    age = values[:, list(filled.steps.get_feature_names_out()).index("age")]
    assert age.tolist() == [20, 19, 35, 40, 19, 60, 25, 55]
    assert filled.X_train["age"].isna().sum() == 2


def test_learn_leaves_everything_to_the_tree(run: Run, tmp_path: Path) -> None:
    tables = [pd.read_csv(tmp_path / f"{name}.csv") for name in ("train", "test")]
    filled = fill("learn", *tables)
    assert filled.steps is None
    assert filled.X_train is tables[0]
    said = run("certify", *FILES, "--group", "sex")
    assert said.code == 0
    assert "missing        1" in said.err
    assert shares(run("certify", *FILES, "--missing", "learn", "--group", "sex")) == shares(said)


def test_kinds_of_columns_that_files_bring() -> None:
    X = pd.DataFrame(
        {
            "seen": pd.Series([True, None, True, False], dtype=object),
            "whole": pd.array([1, None, 3, 3], dtype="Int64"),
            "code": [1.0, np.nan, 2.0, 2.0],
            "kind": pd.Categorical(["a", None, "b", "b"]),
            "huge": [3e9, np.nan, 3e9, 4e9],
            "name": [None, None, "x", "y"],
        }
    )
    options = {"drop": ["name"], "categorical": ["code"]}
    ends = {"impute": [1, 3, 2, "b", 3e9], "category": [-1, 0, 0, "missing", 0]}
    for way, wanted in ends.items():
        filled = fill(way, X, X, **options)
        values = pd.DataFrame(
            filled.steps.fit_transform(filled.X_train), columns=filled.steps.get_feature_names_out()
        )
        assert [float(values[name][1]) for name in ("seen", "whole", "huge")] == [
            wanted[0],
            wanted[1],
            wanted[4],
        ]
        assert [name for name in values if "code" in name or "kind" in name] == [
            *(["code=0.0"] if way == "category" else []),
            *("code=1.0", "code=2.0", "kind=a", "kind=b"),
            *(["kind=missing"] if way == "category" else []),
        ]
        assert not [name for name in values if "name" in name]
    assert np.float32(3e9) > np.float32(0)
    with pytest.raises(TableError, match=r"no values at all: 'gone'.*--drop gone"):
        fill("impute", X.assign(gone=np.nan), X.assign(gone=1.0))


def test_audits_take_the_same_word(tmp_path: Path) -> None:
    file = tmp_path / "audit.toml"
    file.write_text(AUDIT.format("impute"))
    audit = run_audit(load_plan(file))
    assert {str(prepared.learner).partition("(")[0] for prepared in audit.prepared.values()} == {
        "Pipeline that ends in DecisionTreeClassifier"
    }
    cell, result = next(iter(audit.verdicts.items()))
    assert "filled in before the tree" in result.notes[0]
    assert all("--missing impute" in line for line in commands(audit.plan.data, cell))
    assert result.by_group("sex").index.tolist() == ["Female", "Male", "missing"]
    file.write_text(AUDIT.format("guess"))
    with pytest.raises(AuditError, match=r"\[data\] missing: must be one of 'learn', 'impute', 'category'"):
        load_plan(file)


def test_a_saved_estimator_brings_its_own_steps(run: Run, tmp_path: Path) -> None:
    joblib.dump(DecisionTreeClassifier(max_depth=1), tmp_path / "model")
    said = run("certify", *FILES[:-2], "--model", "model", "--missing", "impute")
    assert said.code == 2
    assert "--model brings its own settings; received --missing as well" in said.err


def test_groups_in_bands_and_of_missing_values(run: Run) -> None:
    files = ("train.csv", "test.csv", "--label", "hired", "--depth", 1, "--group", "age by 9,40")
    said = run("certify", *files, "--bias", "flip(1)")
    assert [line.split("  ")[0] for line in said.err.splitlines()[-3:]] == [
        "9 to 39",
        "40 and over",
        "missing",
    ]
    said = run("radius", *files, "--family", "flip(?)", "--max-amount", 2)
    assert said.code == 0, said.err
    found = [line.split("  ")[0] for line in said.err.splitlines()]
    at = found.index("9 to 39")
    assert found[at : at + 3] == [
        "9 to 39",
        "40 and over",
        "missing",
    ]
