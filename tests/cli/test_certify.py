"""`everytree certify`: what people see, what machines get, and what lies on the disk afterwards."""

# ruff: noqa: F401, F811 (the fixture is imported under the name it is used by)

import inspect
import io
import json
import shlex
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.tree import DecisionTreeClassifier

import everytree
from everytree import certify
from everytree.cli import screen
from everytree.cli.options import SECONDS
from everytree.cli.preparing import Patience
from everytree.datasets import load
from tests.cli.cli_tools import Run, run, write_tables

FILES = ("certify", "train.csv", "test.csv", "--label", "hired", "--depth", 1)


def test_summary_of_two_files(run: Run, tmp_path: Path) -> None:
    write_tables(tmp_path)
    said = run(*FILES, "--bias", "flip(1)", "--engine", "relational")
    assert said.code == 0
    assert said.out == ""
    assert said.err == (
        "bias model  flip(1)\n"
        "learner     DecisionTreeClassifier(max_depth=1, random_state=0)\n"
        "asks        priors ≤ 1.5\n"
        "predicts    no (1), yes (1)\n"
        "people      2\n"
        "\n"
        "verdict      people   share\n"
        "───────────────────────────\n"
        "robust            1   50.0%\n"
        "not robust        0    0.0%\n"
        "unknown           1   50.0%\n"
        'unknown, 1 person: The engine "relational" only looks for proofs: "auto" decides more people.\n'
    )


def test_summary_says_what_not_robust_means(run: Run, tmp_path: Path) -> None:
    write_tables(tmp_path)
    said = run(*FILES, "--bias", "flip(1)")
    assert said.code == 0
    assert said.err.endswith(
        "robust            1   50.0%\n"
        "not robust        1   50.0%\n"
        "unknown           0    0.0%\n"
        "\n"
        "not robust: retrained on a table that the bias model allows, the tree gives another label.\n"
        "Which records change, for the first person:\n"
        "    everytree witness train.csv test.csv --label hired --depth 1 --bias 'flip(1)' --person 0\n"
    )


def test_an_untested_learner_is_named_once(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("everytree.support.version.NEWEST_LEARNER", (1, 6))
    write_tables(tmp_path)
    said = run(*FILES, "--bias", "flip(1)", "--engine", "relational")
    assert said.code == 0
    assert said.err.count("is not a tested version") == 1
    quiet = run(*FILES, "--bias", "flip(1)", "--engine", "relational", "--quiet")
    assert quiet.err.count("is not a tested version") == 1


def test_groups_and_their_intersections_show_sizes(run: Run) -> None:
    said = run("certify", "compas", "--bias", "flip(0.5%)", "--depth", 1, "--group", "sex", "--group", "race")
    assert said.code == 0
    table = said.err[said.err.index("sex ") :].splitlines()
    assert table[0].split() == ["sex", "race", "people", "robust", "not", "robust", "unknown"]
    data = load("compas").X_test
    sizes = data.groupby(["sex", "race"]).size()
    assert len(table) == 2 + len(sizes)
    for line, ((sex, race), size) in zip(table[2:], sizes.items(), strict=True):
        assert line.startswith(f"{sex} ")
        assert race in line
        assert f" {size} " in line


def test_json_on_standard_output(run: Run) -> None:
    said = run("certify", "hiring", "--bias", "flip(1)", "--depth", 1, "--json", "-", "--quiet")
    assert (said.code, said.err) == (0, "")
    written = json.loads(said.out)
    data = load("hiring")
    expected = certify(
        DecisionTreeClassifier(max_depth=1, random_state=0),
        data.X_train,
        data.y_train,
        data.X_test,
        "flip(1)",
    )
    assert [person["verdict"] for person in written["people"]] == expected.verdicts.tolist()
    assert written["summary"]["n"] == 9
    assert written["bias"] == "flip(1)"


def test_json_on_standard_output_keeps_the_summary_apart(run: Run) -> None:
    said = run("certify", "hiring", "--bias", "flip(1)", "--depth", 1, "--json", "-")
    assert json.loads(said.out)["complete"]
    assert "bias model  flip(1)" in said.err


def test_files_are_written(run: Run, tmp_path: Path) -> None:
    write_tables(tmp_path)
    said = run(*FILES, "--bias", "flip(1)", "--json", "found.json", "--csv", "found.csv", "--quiet")
    assert said == (0, "", "")
    verdicts = [person["verdict"] for person in json.loads(Path("found.json").read_text())["people"]]
    assert pd.read_csv("found.csv")["verdict"].tolist() == verdicts
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "found.csv",
        "found.json",
        "test.csv",
        "train.csv",
    ]


@pytest.mark.parametrize("ending", ["json", "csv"])
def test_an_unwritable_file_is_found_out_first(
    run: Run,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    ending: str,
) -> None:
    monkeypatch.setattr("everytree.cli.certify._certify", lambda *_: pytest.fail("computed too early"))
    said = run("certify", "hiring", "--bias", "flip(1)", "--depth", 1, f"--{ending}", f"nowhere/a.{ending}")
    assert said.code == 2
    assert said.err.startswith(f"Error: --{ending} names 'nowhere/a.{ending}', which cannot be written:")
    (tmp_path / f"folder.{ending}").mkdir()
    said = run("certify", "hiring", "--bias", "flip(1)", "--depth", 1, f"--{ending}", f"folder.{ending}")
    assert said.err == (
        f"Error: --{ending} must name a file; 'folder.{ending}' is a folder. Name a file in it.\n"
    )


def test_checking_a_path_leaves_an_old_file_alone(run: Run, tmp_path: Path) -> None:
    (tmp_path / "old.json").write_text("precious")
    said = run("certify", "hiring", "--bias", "flip(1", "--depth", 1, "--json", "old.json")
    assert said.code == 2
    assert [path.name for path in tmp_path.iterdir()] == ["old.json"]
    assert (tmp_path / "old.json").read_text() == "precious"


def test_the_test_file_may_hold_the_label_or_not(run: Run, tmp_path: Path) -> None:
    write_tables(tmp_path)
    table = pd.read_csv("test.csv")
    table.assign(hired="yes").to_csv("labelled.csv", index=False)
    table.to_parquet("test.parquet")
    plain = run(*FILES, "--bias", "flip(1)", "--json", "-", "--quiet")
    for name in ("labelled.csv", "test.parquet"):
        other = run(
            "certify", "train.csv", name, "--label", "hired", "--depth", 1, "--bias", "flip(1)", "--json",
            "-", "--quiet",
        )  # fmt: skip
        assert other == plain


def test_table_options_reach_the_library(run: Run) -> None:
    said = run(
        "certify", "adult", "--bias", "flip(3)", "--depth", 1, "--encoding", "ordinal", "--drop", "fnlwgt",
        "--drop", "race", "--categorical", "education_num", "--engine", "interval", "--group", "race",
        "--json", "-",
    )  # fmt: skip
    assert said.code == 0
    assert json.loads(said.out)["engine"] == "interval"
    assert "Amer-Indian-Eskimo" in said.err


def test_another_label_of_a_data_set(run: Run) -> None:
    said = run("certify", "compas", "--label", "sex", "--bias", "flip(1)", "--depth", 1, "--json", "-")
    assert json.loads(said.out)["labels"] == ["Female", "Male"]


def test_limits_are_told(run: Run) -> None:
    said = run("certify", "compas", "--bias", "flip(1%)", "--depth", 3, "--memory-limit", "1KB")
    assert said.code == 0
    assert "unknown, 1543 people: The memory limit ended the search: a larger one (--memory-limit" in said.err
    said = run("certify", "compas", "--bias", "flip(1%)", "--depth", 3, "--time-limit", "0.000001")
    assert "unknown, 1543 people: The time limit ended the search: a longer one (--time-limit" in said.err


def test_more_time_can_be_pasted(run: Run) -> None:
    """Where time ran out, the command with more of it is given, with all that was asked for."""
    options = ("--engine", "relational", "--memory-limit", "2GB", "--n-jobs", "2", "--group", "age by 25,45")
    asked = ("certify", "compas", "--depth", "3", "--bias", "flip(1%)", *options, "--require-robust", "0%")
    said = run(*asked, "--time-limit", "0.000001")
    lines = said.err.splitlines()
    words = shlex.split(lines[lines.index("With ten times as long:") + 1])
    assert set(map(str, asked)) < set(words)
    assert words[words.index("--time-limit") + 1] == "1e-05"
    again = run(*words[1:])
    assert (again.code, "With ten times as long:" in again.err) == (0, True)


def test_commands_stop_as_certify_does() -> None:
    default = inspect.signature(everytree.certify).parameters["time_limit"].default
    assert default == SECONDS == Patience().time_limit


def test_hints_can_be_pasted(run: Run, tmp_path: Path) -> None:
    write_tables(tmp_path)
    people = pd.read_csv(tmp_path / "test.csv").assign(note="from another form")
    people.to_csv(tmp_path / "test.csv", index=False)
    options = ("--drop", "sex", "--drop", "note", "--encoding", "ordinal", "--min-samples-leaf", "1")
    options += ("--time-limit", "none", "--memory-limit", "2GB", "--n-jobs", "2")
    said = run(*FILES, "--bias", "flip(1, where label == 'no')", *options, "--missing", "impute")
    assert said.code == 0, said.err
    hint = said.err.splitlines()[-1].strip()
    words = shlex.split(hint)
    assert words[:2] == ["everytree", "witness"]
    assert {*options, "impute"} <= set(words)
    again = run(*words[1:])
    assert again.code == 0
    assert "verdict     not robust" in again.err
    assert "ties        " in again.err


def test_the_first_compilation_announces_itself_on_a_pipe(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    compiled: list[bool] = []
    monkeypatch.setattr(screen, "is_cold", lambda: True)
    monkeypatch.setattr(screen, "compile_ahead", lambda: compiled.append(True))
    asked = ("certify", "hiring", "--bias", "flip(1)", "--depth", 1)
    assert run(*asked).err.startswith("compiling for the first time, this takes some seconds\n")
    assert "compiling" not in run(*asked, "--quiet").err
    assert compiled == [True, True]


def test_warnings_are_notes(run: Run, tmp_path: Path) -> None:
    write_tables(tmp_path)
    (tmp_path / "test.csv").write_text("sex,age,priors\nOther,33,0\n")
    said = run(*FILES, "--bias", "flip(1)")
    assert said.code == 0
    assert said.err.splitlines()[0] == (
        "note: Column 'sex' of the test table has categories that training never saw: 'Other'. They are "
        "encoded as none of the known ones, 'Female', 'Male'."
    )


def test_brackets_in_names_are_shown_as_they_are(run: Run, tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"a[b]": rng.integers(0, 9, 30), "c": ["[red]", "x"] * 15, "y": [0, 1] * 15})
    table.to_csv(tmp_path / "t.csv", index=False)
    said = run(
        "certify", "t.csv", "t.csv", "--label", "y", "--bias", 'flip(1, where c == "[red]")', "--depth", 1,
        "--group", "c",
    )  # fmt: skip
    assert said.code == 0
    assert 'bias model  flip(1, where c == "[red]")' in said.err
    assert "\n[red] " in said.err


def test_a_required_share_that_is_not_met_ends_with_1(run: Run, tmp_path: Path) -> None:
    write_tables(tmp_path)
    assert run(*FILES, "--bias", "flip(1)", "--require-robust", "50%", "--quiet") == (0, "", "")
    said = run(*FILES, "--bias", "flip(1)", "--require-robust", "75%", "--quiet", "--json", "out.json")
    assert said.code == 1
    assert said.err == (
        "Not met: --require-robust 75%: 50.0% of 2 people are proved robust, not 75%: 25.0 percentage points "
        "short, 1 person.\n"
    )
    assert json.loads((tmp_path / "out.json").read_text())["summary"]["robust"] == 1
    assert run(*FILES, "--bias", "flip(1)", "--require-robust", "75").err.endswith("write 75%.\n")
    idle = run(*FILES, "--bias", "flip(1, where age > 900)", "--require-robust", "75%")
    assert idle.code == 1
    assert idle.err.index("THE BIAS MODEL ALLOWS NO OTHER TABLE") < idle.err.index("robust     ")
    assert "Not met: --require-robust 75%: the bias model allows no other table" in idle.err


def test_one_table_comes_from_standard_input(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_tables(tmp_path)
    options = ("--label", "hired", "--depth", 1, "--bias", "flip(1)")
    before = run("certify", "train.csv", "test.csv", *options)
    semicolons = (tmp_path / "train.csv").read_text().replace(",", ";").encode()
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(semicolons)))
    said = run("certify", "-", "test.csv", *options)
    assert said.code == 0
    assert before.err.startswith(said.err)  # but for the command to go on with, which needs files
    assert said.err.endswith("gives another label.\n")
    said = run("certify", "-", "-", *options)
    assert said.code == 2
    assert "standard input, -, which can be read once" in said.err
    assert "standard input, -, cannot be read again" in run("audit", "--init", "-").err
