"""Which tree a command learns: its settings, or an estimator that was saved."""

# ruff: noqa: F401, F811 (the fixture is imported under the name it is used by)

import json
import shlex
from pathlib import Path

import joblib
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier

from everytree.audit import load_plan, run_audit
from everytree.cli.options import LEARNER
from everytree.errors import AuditError
from everytree.learner.settings import CHOICES
from everytree.learner.weight_texts import parse_class_weight, write_class_weight
from everytree.show.report.method import commands
from tests.cli.cli_tools import Run, run, write_tables

FILES = ("train.csv", "test.csv", "--label", "hired")
AUDIT = """\
[data]
train = "train.csv"
test = "test.csv"
label = "hired"

[learner]
{learner}

[audit]
depths = [2]

[[bias]]
model = "flip(1)"
"""


def learned(said) -> str:
    return next(line for line in said.err.split("\n") if line.startswith("learner"))


def test_commands_and_audit_files_offer_the_same_settings() -> None:
    assert set(LEARNER) == {"depth", "model", "missing", *CHOICES}


@pytest.mark.parametrize(
    ("options", "settings"),
    [
        (("--depth", 1, "--min-samples-leaf", 2), "max_depth=1, min_samples_leaf=2, random_state=0"),
        (("--max-depth", 1, "--criterion", "gini"), "max_depth=1, random_state=0"),
        (("--depth", "none", "--max-leaf-nodes", 3), "max_leaf_nodes=3, random_state=0"),
        (
            (
                "--depth",
                2,
                "--min-samples-split",
                "0.5",
                "--ccp-alpha",
                "0.01",
                "--min-impurity-decrease",
                0.1,
            ),
            "ccp_alpha=0.01, max_depth=2, min_impurity_decrease=0.1, min_samples_split=0.5, random_state=0",
        ),
    ],
)
def test_settings_reach_the_tree(run: Run, tmp_path: Path, options, settings: str) -> None:
    write_tables(tmp_path)
    said = run("witness", *FILES, "--bias", "flip(1)", "--person", 0, *options)
    assert said.code == 0, said.err
    assert " ".join(said.err.split("\n\n")[0].split()) == (
        f"bias model flip(1) learner DecisionTreeClassifier({settings})"
    )


WEIGHTED = "class_weight={{'no': {}, 'yes': {}}}, max_depth=1, random_state=0"


@pytest.mark.parametrize(
    ("weights", "settings"),
    [
        ("balanced", "class_weight='balanced', max_depth=1, random_state=0"),
        ("no=1,yes=2", WEIGHTED.format(1, 2)),
        ('{"no": 0.5, "yes": 2}', WEIGHTED.format(0.5, 2)),
    ],
)
def test_class_weights_reach_the_tree(run: Run, tmp_path: Path, weights: str, settings: str) -> None:
    write_tables(tmp_path)
    said = run("witness", *FILES, "--bias", "flip(1)", "--person", 0, "--depth", 1, "--class-weight", weights)
    assert said.code == 0, said.err
    assert settings in " ".join(said.err.split())


def test_class_weights_are_for_labels_in_the_type_of_their_column(run: Run, tmp_path: Path) -> None:
    write_tables(tmp_path)
    table = pd.read_csv(tmp_path / "train.csv")
    table.assign(hired=(table["hired"] == "yes") * 1.0).to_csv(tmp_path / "train.csv", index=False)
    said = run("certify", *FILES, "--bias", "flip(1)", "--depth", 1, "--class-weight", "0=1,1=3")
    assert "class_weight={0.0: 1, 1.0: 3}" in said.err or "class_weight={0: 1, 1: 3}" in said.err
    again = said.err.partition("    everytree witness")[2].split("\n")[0]
    assert "--class-weight 0=1,1=3" in again


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        (
            "5",
            "--class-weight: must be balanced or weights of labels; received '5'. Write balanced, or LABEL=",
        ),
        ("{no}", "--class-weight: must be balanced or weights of labels; received '{no}'"),
        ("no=1,no=2", "--class-weight: a label is named twice in 'no=1,no=2'"),
        ("no=0", "--class-weight: class_weight={'no': 0}: the weight of 'no' is 0; it must be"),
        ("no=many", "--class-weight: class_weight={'no': 'many'}: the weight of 'no' is 'many'"),
        ("No=1,yse=2", "there is no label 'No' in the training table; its labels are 'no', 'yes'. Did you"),
    ],
)
def test_wrong_class_weights(run: Run, tmp_path: Path, weights: str, message: str) -> None:
    write_tables(tmp_path)
    said = run("certify", *FILES, "--bias", "flip(1)", "--depth", 1, "--class-weight", weights)
    assert said.code == 2
    assert message in " ".join(said.err.split())


def test_every_command_that_learns_a_tree_has_them(run: Run) -> None:
    for command in ("certify", "metrics", "witness", "radius", "check"):
        said = run(command, "--help")
        shown = said.out + said.err
        assert all(f"--{name.replace('_', '-')}" in shown for name in LEARNER), command


def saved(tmp_path: Path, search: bool = False) -> object:
    write_tables(tmp_path)
    table = pd.read_csv(tmp_path / "train.csv")
    X, y = table.drop(columns="hired"), table["hired"]
    encoder = make_column_transformer((OneHotEncoder(), ["sex"]), remainder=StandardScaler())
    model = make_pipeline(encoder, DecisionTreeClassifier(max_depth=1, random_state=0))
    if search:
        model = GridSearchCV(model, {"decisiontreeclassifier__max_depth": [1]}, cv=2)
    joblib.dump(model.fit(X, y), tmp_path / "model.joblib")
    return model


def test_a_saved_estimator_is_certified(run: Run, tmp_path: Path) -> None:
    model = saved(tmp_path)
    said = run("certify", *FILES, "--bias", "fake(1)", "--model", "model.joblib", "--json", "found.json")
    assert said.code == 0, said.err
    assert learned(said).startswith("learner     Pipeline that ends in DecisionTreeClassifier(max_depth=1")
    assert "note: The steps before the tree (OneHotEncoder, StandardScaler) are kept" in said.err
    found = json.loads((tmp_path / "found.json").read_text())
    people = pd.read_csv(tmp_path / "test.csv")
    assert [person["prediction"] for person in found["people"]] == model.predict(people).tolist()
    assert [p["probabilities"] for p in found["people"]] == model.predict_proba(people).tolist()
    assert len(found["notes"]) == 1


def test_the_best_of_a_saved_search_is_certified(run: Run, tmp_path: Path) -> None:
    saved(tmp_path, search=True)
    said = run("certify", *FILES, "--bias", "flip(1)", "--model", "model.joblib")
    assert "note: The estimator is the best_estimator_ of a GridSearchCV." in said.err


def test_columns_of_a_saved_pipeline_are_its_own(run: Run, tmp_path: Path) -> None:
    saved(tmp_path)
    said = run("certify", *FILES, "--bias", "flip(1)", "--model", "model.joblib", "--drop", "sex")
    assert said.code == 2
    assert said.err.startswith("Error: --drop cannot be combined with a Pipeline in --model, whose own steps")


def test_settings_of_an_audit(run: Run, tmp_path: Path) -> None:
    write_tables(tmp_path)
    path = tmp_path / "audit.toml"
    path.write_text(AUDIT.format(learner="min_samples_leaf = 2\nccp_alpha = 0.01"))
    plan = load_plan(path)
    audit = run_audit(plan)
    (result,) = audit.verdicts.values()
    assert "ccp_alpha=0.01" in result.learner
    assert "min_samples_leaf=2" in result.learner
    line = shlex.split(commands(plan.data, plan.cells()[0], plan.learner)[0])
    assert line[6:10] == ["--min-samples-leaf", "2", "--ccp-alpha", "0.01"]
    assert run(*line[1:], 0).code == 0
    before = set((tmp_path / "audit-results").iterdir())
    path.write_text(AUDIT.format(learner="min_samples_leaf = 4"))
    with pytest.warns(match="The settings of the tree changed since the last run"):
        run_audit(load_plan(path))
    assert set((tmp_path / "audit-results").iterdir()) > before


def test_class_weights_of_an_audit(run: Run, tmp_path: Path) -> None:
    write_tables(tmp_path)
    path = tmp_path / "audit.toml"
    path.write_text(AUDIT.format(learner="class_weight = { no = 1.0, yes = 2.5 }"))
    audit = run_audit(load_plan(path))
    (result,) = audit.verdicts.values()
    assert "class_weight={'no': 1.0, 'yes': 2.5}" in result.learner
    line = shlex.split(commands(audit.plan.data, audit.plan.cells()[0], audit.plan.learner)[0])
    assert line[6:8] == ["--class-weight", "no=1,yes=2.5"]
    path.write_text(AUDIT.format(learner="class_weight = { no = 1, maybe = 2 }"))
    with pytest.raises(AuditError, match=r"\[learner\] class_weight: there is no label 'maybe'"):
        run_audit(load_plan(path))


def test_weights_are_read_as_they_are_written() -> None:
    for weights in ({"a, b": 1, "c": 2.5}, {"<=50K": 1, ">50K": 3}):
        assert parse_class_weight(write_class_weight(weights)) == weights


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("class_weight = 5", r"\[learner\] class_weight: 5: it must be .*Write class_weight = \"balanced\""),
        ("class_weight = { no = -1 }", r"\[learner\] class_weight: .*the weight of 'no' is -1"),
        ("min_samples_leaf = 0", r"\[learner\] min_samples_leaf: 0: it must be a whole number of rows"),
        ("max_depth = 3", r"\[learner\] max_depth: the depths of an audit are listed under \[audit\]"),
        ("min_leaf = 3", r"\[learner\] min_leaf: there is no such key"),
        ('ccp_alpha = "a"', r"\[learner\] ccp_alpha: 'a': it must be a number of at least 0"),
    ],
)
def test_wrong_settings_of_an_audit(tmp_path: Path, line: str, message: str) -> None:
    path = tmp_path / "audit.toml"
    path.write_text(AUDIT.format(learner=line))
    with pytest.raises(AuditError, match=message):
        load_plan(path)
