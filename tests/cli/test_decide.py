"""`everytree witness`, `everytree radius` and `everytree check`: what people see and what machines get."""

# ruff: noqa: F401, F811 (the fixture is imported under the name it is used by)

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.tree import DecisionTreeClassifier

from everytree import radius
from everytree.checker import CheckReport
from everytree.datasets import load
from everytree.learner import prepare
from tests.cli.cli_tools import Run, run, write_tables

FILES = ("train.csv", "test.csv", "--label", "hired", "--depth", 1)
HIRING = ("hiring", "--depth", 1, "--bias", "flip(1)")
HEAD = "bias model  flip(1)\nlearner     DecisionTreeClassifier(max_depth=1, random_state=0)\n"


def test_witness_shows_the_changed_record(run: Run, tmp_path: Path) -> None:
    write_tables(tmp_path)
    said = run("witness", *FILES, "--bias", "flip(1)", "--person", 0)
    assert (said.code, said.out) == (0, "")
    head, _, last = said.err.rstrip("\n").rpartition("\n")
    assert head == (
        HEAD + "\n"
        "person      0: sex Female, age 33, priors 0\n"
        "verdict     not robust. The tree, retrained on the changed table, gives another label.\n"
        "prediction  no before, yes after\n"
        "changes     1 label changed\n"
        "ties        holds on all of 20 other seeds and orders of columns\n"
        "\n"
        "change   row   sex      age   priors   hired   new label\n"
        "────────────────────────────────────────────────────────"
    )
    assert last.startswith("flip     ")
    assert last.split()[-2:] == ["no", "yes"]


def test_witness_for_several_people_as_json(run: Run) -> None:
    said = run("witness", *HIRING, "--person", 3, "--person", 1, "--person", 3, "--json", "-")
    assert said.code == 0
    found = json.loads(said.out)
    assert found["bias"] == "flip(1)"
    assert [(one["person"], one["prediction"], one["verdict"]) for one in found["people"]] == [
        (3, 0, "not robust"),
        (1, 0, "robust"),
    ]
    assert found["people"][1]["witness"] is None
    witness = found["people"][0]["witness"]
    assert (witness["after"], witness["removed"], witness["added"]) == (1, [], [])
    ((row, label),) = [flip.values() for flip in witness["flipped"]]
    assert label == 1 - load("hiring").y_train.iloc[row]
    assert "person      1: race Black, score 1\nverdict     robust. It is proved that" in said.err


@pytest.mark.parametrize("name", ["changed.csv", "changed.parquet"])
def test_the_written_table_changes_the_prediction(run: Run, tmp_path: Path, name: str) -> None:
    write_tables(tmp_path)
    said = run("witness", *FILES, "--bias", "flip(1) + miss(1)", "--person", 0, "--write", name)
    assert said.code == 0
    assert said.err.endswith(f"The changed training table is in {name}.\n")
    changed = pd.read_csv(name) if name.endswith("csv") else pd.read_parquet(name)
    assert changed.columns.tolist() == ["sex", "age", "priors", "hired"]
    tree = DecisionTreeClassifier(max_depth=1, random_state=0)
    after = prepare(tree, changed[["sex", "age", "priors"]], changed["hired"], pd.read_csv("test.csv"))
    assert after.train.labels[after.predictions[0]] == "yes"
    assert sorted(path.name for path in tmp_path.iterdir()) == [name, "test.csv", "train.csv"]


def test_labels_of_bytes_and_dropped_dates_are_written_as_text(run: Run, tmp_path: Path) -> None:
    """Parquet knows more types than JSON; a row that is added takes such values from a row of the table."""
    write_tables(tmp_path)
    train = pd.read_csv("train.csv").assign(when=pd.Timestamp("2020-02-29"))
    train["hired"] = train["hired"].str.encode("utf-8")
    train.to_parquet("train.parquet")
    files = ("train.parquet", "test.csv", "--label", "hired", "--depth", 1, "--drop", "when")
    request = ("--bias", "miss(6)", "--person", 0, "--write", "changed.parquet", "--json", "-")
    said = run("witness", *files, *request)
    assert said.code == 0
    (person,) = json.loads(said.out)["people"]
    assert (person["prediction"], person["witness"]["after"]) == ("no", "yes")
    assert {row["when"] for row in person["witness"]["added"]} == {"2020-02-29T00:00:00"}
    assert {row["hired"] for row in person["witness"]["added"]} == {"yes"}
    changed = pd.read_parquet("changed.parquet")
    assert changed.dtypes.equals(train.dtypes[changed.columns])
    assert len(changed) == len(train) + len(person["witness"]["added"])
    said = run(
        "radius", *files, "--family", "flip(?)", "--max-amount", 1, "--csv", "radii.csv", "--json", "-"
    )
    assert {one["prediction"] for one in json.loads(said.out)["people"]} == {"no", "yes"}
    assert set(pd.read_csv("radii.csv")["prediction"]) == {"no", "yes"}


def test_without_a_witness_nothing_is_written(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = run("witness", *HIRING, "--person", 1, "--write", "changed.csv")
    assert said.code == 0
    assert said.err == (
        HEAD + "\n"
        "person      1: race Black, score 1\n"
        "verdict     robust. It is proved that no bias of this kind changes the prediction, 0.\n"
        "\n"
        "Nothing was written to changed.csv: there is no witness.\n"
    )
    said = run("witness", *HIRING, "--person", 3, "--write", "changed.csv", "--time-limit", "0.000001")
    assert said.code == 0
    assert (
        "verdict     unknown. Neither a proof nor a witness was found; the prediction is 0. The time"
        in said.err
    )
    assert list(tmp_path.iterdir()) == []


def test_equal_records_are_shown_once(run: Run) -> None:
    said = run("witness", "compas", "--depth", 1, "--bias", "miss(1%)", "--person", 8)
    assert said.code == 0
    lines = said.err.splitlines()
    (changes,) = (line for line in lines if line.startswith("changes"))
    head = next(place for place, line in enumerate(lines) if line.startswith("change "))
    assert lines[head].split()[-1] == "times"
    shown = [line for line in lines[head:] if line.startswith("add ")]
    assert sum(int(line.split()[-1]) for line in shown) == int(changes.split()[1])


def test_a_wide_table_keeps_every_column_in_words(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    said = run("witness", "compas", "--depth", 1, "--bias", "flip(1%)", "--person", 8)
    assert said.code == 0
    below = said.err[said.err.index("change ") :]
    for name in [*load("compas").X_test.columns, "two_year_recid", "new label"]:
        assert name in below
    table = [line for line in below.splitlines() if line.startswith(("change", "flip"))]
    assert all(len(line) <= 60 for line in table)


def test_radius_of_the_hiring_example(run: Run) -> None:
    said = run("radius", "hiring", "--family", "flip(?)", "--depth", 1, "--group", "race")
    assert (said.code, said.out) == (0, "")
    assert said.err == (
        "family        flip(?)\n"
        "amounts       0 to 9 records\n"
        "exact radius  9 of 9 people, 100.0%\n"
        "\n"
        "The radius of a prediction is the largest amount for which it is proved robust.\n"
        "\n"
        "people   proved up to   changed by\n"
        "──────────────────────────────────\n"
        "least               0            1\n"
        "10%                 0            1\n"
        "25%                 0            1\n"
        "50%                 0            1\n"
        "75%                 1            2\n"
        "90%                 1            2\n"
        "most                1            2\n"
        "\n"
        "Share of the people by amount\n"
        "\n"
        "amount   robust   not robust   unknown\n"
        "──────────────────────────────────────\n"
        "     0   100.0%         0.0%      0.0%\n"
        "     1    44.4%        55.6%      0.0%\n"
        "     2     0.0%       100.0%      0.0%\n"
        "\n"
        "Share that is proved robust, by amount and race\n"
        "\n"
        "race    people      0     1    2\n"
        "────────────────────────────────\n"
        "Black        2   100%   50%   0%\n"
        "White        7   100%   43%   0%\n"
    )


def test_radius_files_hold_what_the_library_says(run: Run, tmp_path: Path) -> None:
    options = ("--family", "flip(?)", "--depth", 1, "--max-amount", 30)
    said = run(
        "radius",
        "compas",
        *options,
        "--group",
        "sex",
        "--group",
        "race",
        "--json",
        "r.json",
        "--csv",
        "r.csv",
    )
    assert (said.code, said.out) == (0, "")
    data = load("compas")
    tree = DecisionTreeClassifier(max_depth=1, random_state=0)
    expected = radius(tree, data.X_train, data.y_train, data.X_test, "flip(?)", max_amount=30)
    table = pd.read_csv("r.csv")
    assert table["lower"].tolist() == expected.lower.tolist()
    assert table["upper"].tolist() == expected.upper.tolist()
    written = json.loads(Path("r.json").read_text())
    assert [one["lower"] for one in written["people"]] == expected.lower.tolist()
    proved_at_20 = np.mean(expected.lower >= 20)
    assert f"\n    20   {proved_at_20:6.1%} " in said.err
    assert f"\n    30   {np.mean(expected.lower >= 30):6.1%} " in said.err
    assert f"{np.sum(expected.lower >= 30)} others are proved up to the largest amount" in said.err
    assert "not found" in said.err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["r.csv", "r.json"]
    sizes = data.X_test.groupby(["sex", "race"]).size()
    for (sex, race), size in sizes.items():
        assert any(
            line.split()[0] == sex and race in line and f" {size} " in line
            for line in said.err.splitlines()
            if line
        )


def test_a_radius_that_is_not_exact_is_told(run: Run) -> None:
    said = run(
        "radius", "hiring", "--family", "flip(?)", "--depth", 1, "--time-limit", "0.000001", "--json", "-"
    )
    assert said.code == 0
    assert "exact radius  0 of 9 people, 0.0%" in said.err
    assert "It is exact unless a gap is left" in said.err
    assert "least         nothing    not found" in said.err
    assert not json.loads(said.out)["complete"]
    lines = said.err.splitlines()
    assert (
        "A limit ended the search: between proved and changed there may be gaps that more time closes."
        in lines
    )
    assert (
        lines[-1].strip() == "everytree radius hiring --depth 1 --bias 'flip(?)' --time-limit 1e-05 --json -"
    )


@pytest.mark.parametrize(
    ("command", "module", "options"),
    [
        ("witness", "witness._certify", ("--bias", "flip(1)", "--person", 0, "--write", "nowhere/a.csv")),
        ("witness", "witness._certify", ("--bias", "flip(1)", "--person", 0, "--json", "nowhere/a.json")),
        ("radius", "radius._measure", ("--family", "flip(?)", "--csv", "nowhere/a.csv")),
        ("radius", "radius._measure", ("--family", "flip(?)", "--json", "nowhere/a.json")),
    ],
)
def test_an_unwritable_file_is_found_out_first(
    run: Run, monkeypatch: pytest.MonkeyPatch, command: str, module: str, options: tuple[object, ...]
) -> None:
    monkeypatch.setattr(f"everytree.cli.{module}", lambda *_: pytest.fail("computed too early"))
    said = run(command, "hiring", "--depth", 1, *options)
    assert (said.code, said.out) == (2, "")
    assert said.err.startswith(f"Error: {options[-2]} names {options[-1]!r}, which cannot be written:")


def test_check_confirms_a_proof(run: Run) -> None:
    said = run("check", *HIRING, "--person", 1)
    assert (said.code, said.out) == (0, "")
    assert said.err.startswith(HEAD + "person      1: race Black, score 1\nprediction  0\n\n")
    assert "\nengine      robust\nchecker     confirmed\nwork        1 node, 10 splits, " in said.err
    assert said.err.endswith(
        "\n\nThe proof was derived a second time, in whole numbers and without the code of the engine.\n"
    )
    said = run("check", "compas", "--depth", 1, "--bias", "flip(0.5%)", "--person", 0)
    assert "engine      robust\nchecker     confirmed\n" in said.err


def test_check_says_why_it_does_not_confirm(run: Run) -> None:
    said = run("check", *HIRING, "--person", 3)
    assert said.code == 0
    assert "engine      unknown\nchecker     not confirmed\nreason      A leaf that could not" in said.err
    assert "\npath        " in said.err
    assert "\nlabel       1\n" in said.err
    assert "The walk alone does not prove this person; certify with engine auto may, by path" in said.err
    assert "everytree witness looks for records" in said.err
    assert "no proof" not in said.err


@pytest.mark.parametrize(
    ("person", "outcome", "words"),
    [
        (1, "not confirmed", "This does not say that the proof is wrong. The checker is simpler"),
        (1, "refuted", "THE ENGINE AND THE CHECKER CONTRADICT EACH OTHER."),
        (3, "refuted", "depends on how the tie is broken"),
        (3, "confirmed", "the checker alone proves"),
    ],
)
def test_check_explains_every_outcome(
    run: Run, monkeypatch: pytest.MonkeyPatch, person: int, outcome: str, words: str
) -> None:
    report = CheckReport(outcome, "Some reason.", ("score <= 4.0",), 1)  # type: ignore[arg-type]
    monkeypatch.setattr("everytree.cli.check.check", lambda *_, **__: report)
    said = run("check", *HIRING, "--person", person)
    assert said.code == 0
    assert f"checker     {outcome}\nreason      Some reason.\npath        score <= 4.0\n" in said.err
    assert words in said.err
