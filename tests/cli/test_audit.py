"""`everytree audit` as a person uses it: what it shows, what it writes, how it begins, how it is stopped."""

# ruff: noqa: F401, F811 (the fixture is imported under the name it is used by)

import json
import re
import shlex
import sys
import time
import tomllib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from io import StringIO
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from rich.console import Console

from everytree.audit import load_plan, run_audit, trying
from everytree.audit.guessing import columns_to_drop, guess_groups, guess_label
from everytree.audit.opened import open_audit
from everytree.audit.store import Store
from everytree.audit.trying import given_away
from everytree.bias import flip, label
from everytree.cli import audit as auditing
from everytree.cli import screen
from tests.audit.audit_tools import write_audit
from tests.cli.cli_tools import Run, run, write_tables


def test_what_a_finished_audit_shows_and_writes(run: Run, tmp_path: Path) -> None:
    write_audit(tmp_path)
    said = run("audit", "audit.toml")
    assert (said.code, said.out) == (0, "")
    lines = said.err.split("\n")
    assert lines[0] == "Small: 2 people, 5 cells"
    assert lines[2] == "depth 1  asks priors ≤ 1.5; predicts no (1), yes (1)"
    assert lines[4].split() == ["bias", "model", "depth", "amount", "robust", "not", "robust", "unknown"]
    assert lines[6].split() == ["wrong", "labels", "1", "1", "50.0%", "50.0%", "0.0%"]
    assert lines[7].split() == ["20%", "0.0%", "100.0%", "0.0%"]
    assert "By group, for flip(20%) at depth 1" in lines
    assert lines[-4:] == ["wrote groups.csv", "wrote people.csv", "cells kept in audit-results", ""]
    people = pd.read_csv(tmp_path / "people.csv")
    assert len(people) == 4 * 2
    assert people["verdict"].tolist()[:4] == ["not robust", "robust", "not robust", "not robust"]
    groups = pd.read_csv(tmp_path / "groups.csv")
    everybody = groups[groups["group"] == "everybody"]
    assert everybody["robust"].tolist()[:2] == [0.5, 0.0]
    assert (groups["selection_rate_low"].dropna() <= groups["selection_rate_high"].dropna()).all()


def test_groups_are_not_shown_where_nearly_nothing_is_known(
    run: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_audit(tmp_path)
    found = run_audit(load_plan(tmp_path / "audit.toml"))
    first, last = found.of(0, max(found.plan.depths))
    unknown = replace(found.verdicts[last], verdicts=np.array(["unknown"] * 2), witnesses={})
    auditing._show_first_groups(screen.console(), replace(found, verdicts={**found.verdicts, last: unknown}))
    assert f"By group, for {first.model} at depth 1" in capsys.readouterr().err


def test_outputs_may_be_parquet(run: Run, tmp_path: Path) -> None:
    write_audit(tmp_path, ("people.csv", "people.parquet"), ("groups.csv", "groups.parquet"))
    assert run("audit", "audit.toml", "--quiet") == (0, "", "")
    audit = run_audit(load_plan(tmp_path / "audit.toml"))
    people = pd.read_parquet(tmp_path / "people.parquet")
    pd.testing.assert_frame_equal(people, audit.people(), check_dtype=False)
    assert len(pd.read_parquet(tmp_path / "groups.parquet")) == 4 * (1 + 2)  # too few people to compare


def test_the_summary_for_machines(run: Run, tmp_path: Path) -> None:
    write_audit(tmp_path)
    said = run("audit", "audit.toml", "--quiet", "--json", "-")
    assert (said.code, said.err) == (0, "")
    found = json.loads(said.out)
    assert found["title"] == "Small"
    assert found["outputs"] == {"folder": "audit-results", "people": "people.csv", "groups": "groups.csv"}
    assert len(found["shares"]) == 4 * 3
    first = found["shares"][0]
    assert (first["bias"], first["amount"], first["with_amount"]) == ("wrong labels", "1", None)
    assert (first["n"], first["robust"], first["not robust"]) == (2, 0.5, 0.5)
    assert run("audit", "audit.toml", "--json", "summary.txt").code == 2


def test_interrupted(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_audit(tmp_path)
    put = Store.put

    def stop(store: Store, key: str, content: dict[str, object]) -> dict[str, object]:
        if len(list(tmp_path.glob("audit-results/*.gz"))) == 3:
            raise KeyboardInterrupt
        return put(store, key, content)

    monkeypatch.setattr(Store, "put", stop)
    said = run("audit", "audit.toml")
    words = "Interrupted: 3 of 5 cells are kept in 'audit-results'; the same command goes on from there.\n"
    assert said == (130, "", words)
    assert not (tmp_path / "people.csv").exists()
    monkeypatch.setattr(Store, "put", put)
    assert run("audit", "audit.toml", "--quiet").code == 0
    monkeypatch.setattr("everytree.audit.run.open_audit", _interrupt)
    said = run("audit", "audit.toml")
    assert said == (130, "", "Interrupted before the first cell; nothing was computed.\n")


def _interrupt(*_: object) -> None:
    raise KeyboardInterrupt


def test_a_change_is_a_note(run: Run, tmp_path: Path) -> None:
    write_audit(tmp_path)
    run("audit", "audit.toml", "--quiet")
    test = (tmp_path / "test.csv").read_text()
    (tmp_path / "test.csv").write_text(test + "Male,20,1\n")
    said = run("audit", "audit.toml", "--quiet")
    assert said == (
        0,
        "",
        "note: The test table, or how it is read, changed since the last run into 'audit-results': 5 of 5 "
        "cells are computed again.\n",
    )


def test_a_report_needs_its_extra(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_audit(tmp_path, ("people.csv", "report.html"), ("people =", "report ="))
    monkeypatch.setitem(sys.modules, "jinja2", None)
    said = run("audit", "audit.toml")
    assert said == (
        2,
        "",
        "Error: [outputs] report: writing a report needs jinja2, which is not installed. Install it with: "
        'pip install "everytree[report]", or leave report out.\n',
    )


def test_options_that_do_not_go_together(run: Run, tmp_path: Path) -> None:
    write_audit(tmp_path)
    assert run("audit").err == (
        "Error: Name the audit to run, a .toml file. Write a first one with: everytree audit --init TRAIN\n"
    )
    assert run("audit", "audit.toml", "--label", "hired").err == (
        "Error: --test and --label go with --init; the tables of an audit are named in 'audit.toml'.\n"
    )
    assert run("audit", "audit.toml", "--require-robust", "90%") == (
        2,
        "",
        "Error: --require-robust goes with certify; what an audit must find is written in 'audit.toml', "
        'under [require], such as robust = "90%".\n',
    )
    assert "--require-robust" not in run("audit", "--help").out
    assert run("audit", "audit.toml", "--init", "train.csv").err == (
        "Error: --init writes a new audit and runs none; received 'audit.toml' as well. Leave one of them "
        "out.\n"
    )


def test_a_first_audit_of_files_runs_as_it_is(run: Run, tmp_path: Path) -> None:
    write_audit(tmp_path)
    table = pd.read_csv(tmp_path / "train.csv").assign(name=[f"p{i}" for i in range(8)], gap=["a", None] * 4)
    table = table.assign(gender=table["sex"].str[:1], empty=None, country="here")
    (tmp_path / "in").mkdir()
    table.to_csv(tmp_path / "in" / "people.csv", index=False)
    said = run("audit", "--init", "in/people.csv", "--label", "hired", "--output", "first.toml")
    assert (said.code, said.out) == (0, "")
    lines = said.err.splitlines()
    assert lines[:8] == [
        "label    hired; yes counts as being selected",
        "drop     name: text with 8 different values, such as names or remarks",
        "drop     gender: says the same as sex in other words",
        "drop     empty: has no values at all",
        "drop     country: says here in every row",
        "missing  gap: kept; numbers are left to the tree, text is a category",
        "groups   sex",
        "depth    1; cross-validation of depths 1 to 5: accuracy 87.5%, always saying the majority 50.0%",
    ]
    assert lines[8].startswith("amounts  1, 2, 5 for flip(?); around those at which")
    assert lines[9].startswith("amounts  1, 2, 3 for flip(?, where sex ==")
    assert lines[10:] == [
        "people   those of the training table; name others with --test",
        "",
        "Wrote first.toml. Read it, change what does not fit, and run it with:",
        "",
        "    everytree audit first.toml",
    ]
    text = (tmp_path / "first.toml").read_text()
    content = tomllib.loads(text)
    assert content["data"] == {
        "train": "in/people.csv",
        "test": "in/people.csv",
        "label": "hired",
        "positive": "yes",
        "drop": ["name", "gender", "empty", "country"],
        "categorical": [],
        "encoding": "onehot",
        "missing": "learn",
    }
    assert content["audit"]["groups"] == ["sex"]
    assert [bias["model"] for bias in content["bias"]] == [
        "flip(?)",
        'flip(?, where sex == "Male" and label == "yes")',
    ]
    for column in table.columns.drop(["hired", *content["data"]["drop"]]):
        assert f"#   {column}: " in text
    assert "#   name, dropped: text with 8 different values, such as names or remarks\n" in text
    assert "p3" not in text  # nobody's name is copied
    quick = text.replace("n_jobs = -1", "n_jobs = 1").replace('report = "report.html"', "")
    (tmp_path / "first.toml").write_text(quick)
    assert run("audit", "first.toml", "--quiet") == (0, "", "")
    cells = sum(len(bias["amounts"]) for bias in content["bias"])
    assert len(pd.read_csv(tmp_path / "people.csv")) == cells * 8


@pytest.mark.parametrize("name", ["hiring", "compas", "adult"])
def test_a_first_audit_of_a_data_set_is_sound(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setattr(trying, "SECONDS", 0.1)
    said = run("audit", "--init", name)
    assert said.code == 0
    opened = open_audit(load_plan(tmp_path / "audit.toml"))
    if name == "compas":
        assert "label    two_year_recid; 1 (charged again) counts as being selected\n" in said.err
        assert opened.plan.data.shown(1) == "charged again"
        assert opened.plan.sweeps[1].name == "race African-American, wrongly labelled charged again"
    assert opened.plan.groups
    assert all(sweep.radius for sweep in opened.plan.sweeps)


def test_a_first_audit_of_another_folder_can_be_pasted(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And the first compilation announces itself, on a pipe too."""
    write_tables(tmp_path)
    (tmp_path / "my audits").mkdir()
    monkeypatch.setattr(screen, "is_cold", lambda: True)
    monkeypatch.setattr(screen, "compile_ahead", lambda *args, **options: None)
    said = run("audit", "--init", "train.csv", "--label", "hired", "--output", "my audits/first one.toml")
    lines = said.err.splitlines()
    assert lines[0] == screen.COMPILING
    assert lines[-1] == "    everytree audit 'my audits/first one.toml'"
    text = (tmp_path / "my audits" / "first one.toml").read_text()
    assert text.startswith(
        "# An audit of a decision tree with everytree. Run it with: everytree audit 'first one.toml'\n"
    )
    assert "# What a model means here: everytree explain 'flip(1%)' ../train.csv --label hired\n" in text


def test_amounts_go_beyond_what_is_proved_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where nobody changed in the time of a look, amounts begin at what half of the people can stand."""
    X = pd.DataFrame({"x": np.arange(400.0)})
    y = pd.Series(np.arange(400) >= 200).astype(int)
    look = trying.first_look(X, y, X.iloc[[0, 399]], 1, [])
    looked = SimpleNamespace(upper=np.full(2, np.inf), lower=np.full(2, 16))
    monkeypatch.setattr(trying, "radius_prepared", lambda *_, **__: looked)
    found = trying.amounts_for(look, flip("?"))
    assert found.amounts == (10, 20, 50, 100)
    assert found.why == "no prediction changed in a quick look, which proved half of the people up to 16"
    looked = SimpleNamespace(upper=np.full(2, np.inf), lower=np.full(2, 0))
    assert trying.amounts_for(look, flip("?", where=label == 1), found.proved).amounts == (10, 20, 50, 100)


def test_a_first_audit_of_tables_that_differ_runs(run: Run, tmp_path: Path) -> None:
    """Columns that one table has alone are left out, with a word on each."""
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"n": rng.integers(0, 9, 40), "rate": [f"{k / 8:.2f} %" for k in range(40)]})
    table["born"] = [f"{k % 28 + 1}.{k % 12 + 1}.19{50 + k}" for k in range(40)]
    table = table.assign(job=["cook", "clerk"] * 20, hired=(table["n"] > 4).astype(int))
    table[:30].to_csv(tmp_path / "train.csv", index=False)
    table[30:].drop(columns="job").assign(form="new").to_csv(tmp_path / "test.csv", index=False)
    said = run("audit", "--init", "train.csv", "--test", "test.csv", "--label", "hired")
    dropped = [line for line in said.err.splitlines() if line.startswith("drop")]
    assert dropped == [
        "drop     rate: numbers written as text, such as '0.00 %': write them without signs to use them",
        "drop     born: dates written as text, 30 different ones: a year or an age as a number could be used",
        "drop     job: the test table does not have it",
        "drop     form: only the test table has it",
    ]
    text = (tmp_path / "audit.toml").read_text()
    assert "#   form, dropped: only the test table has it\n" in text
    text = re.sub(r"amounts = .*", "amounts = [1]", text).replace("jobs = -1", "jobs = 1")
    (tmp_path / "audit.toml").write_text(text.replace('report = "report.html"', ""))
    assert run("audit", "audit.toml", "--quiet") == (0, "", "")


def test_a_first_audit_says_what_to_look_at(run: Run, tmp_path: Path) -> None:
    rows = [f"{k % 7},{k % 20},{'NA' if k % 20 > 9 else 'yes'}" for k in range(60)]
    (tmp_path / "t.csv").write_text("\n".join(["n,days,late", *rows]))
    said = run("audit", "--init", "t.csv", "--label", "late").err
    assert (
        "look at  the label 'NA' of 30 rows: it is taken for a label like the others. If it says that "
        "the label is missing, remove these rows\n"
    ) in said
    away = (
        "GIVES THE LABEL AWAY: alone it tells the label of every row. If it is only known together with the "
        "label, add it to drop\n"
    )
    assert f"look at  days {away}" in said
    assert f"#   days: 0 to 19; {away}" in (tmp_path / "audit.toml").read_text()


def test_columns_that_give_the_label_away() -> None:
    """Numbers and words, of two labels and of three, nearly always; a good column is not yet one of them."""
    draw = np.random.default_rng(0)
    grams = draw.normal(3000, 700, 400).round()
    low = pd.Series(np.where(grams < 2500, "yes", "no"))
    table = pd.DataFrame(
        {
            "age": draw.integers(18, 45, 400),
            "grams": np.where(grams == grams.min(), 5000, grams),
            "ward": np.where(grams < 2500, "newborn", np.where(draw.random(400) < 0.5, "a", "b")),
            "scale": grams + draw.normal(0, 300, 400),
        }
    )
    found = given_away(table, low)
    assert list(found) == ["grams", "ward"]
    assert found["grams"].startswith("GIVES THE LABEL AWAY: alone it tells 99.")
    assert "every row" in found["ward"]
    assert given_away(table[["age", "scale"]], low) == {}
    size = pd.Series(np.select([grams < 2500, grams < 3500], ["small", "usual"], "large"))
    assert list(given_away(table, size)) == ["grams"]
    assert given_away(table.head(15), low.head(15)) == {}
    assert given_away(table, pd.Series(["yes"] * 400)) == {}


def test_a_first_audit_says_what_must_be_mended(run: Run, tmp_path: Path) -> None:
    table = pd.DataFrame({"n": range(12), "hired": [0, 1, None] * 4})
    table.to_csv(tmp_path / "t.csv", index=False)
    said = run("audit", "--init", "t.csv", "--label", "hired")
    assert said.code == 0
    assert "amounts  1, 2, 5, 10 for flip(?); the usual ones; nothing could be looked at\n" in said.err
    assert (
        "to mend  The label is missing in row 2 of the training table (4 missing in all). Every row needs a "
        "label. Fill it in or remove the row.\n"
    ) in said.err


def test_names_that_need_quotes_are_quoted(run: Run, tmp_path: Path) -> None:
    odd = {"a \"b\" 'c'": ["x'y", 'x"y'] * 4, "n": range(8), "the label": ["l'1", "l 2"] * 4}
    pd.DataFrame(odd).to_csv(tmp_path / "odd.csv", index=False)
    assert run("audit", "--init", "odd.csv", "--label", "the label", "--test", "odd.csv").code == 0
    text = (tmp_path / "audit.toml").read_text()
    explain = text.partition("# What a model means here: ")[2].splitlines()[0]
    assert run(*shlex.split(explain)[1:]).code == 0
    (tmp_path / "audit.toml").write_text(text.replace('report = "report.html"', ""))
    plan = load_plan(tmp_path / "audit.toml")
    assert plan.groups == (("a \"b\" 'c'",),)
    audit = run_audit(replace(plan, n_jobs=1, depths=(1,)))
    assert {cell.sweep for cell in audit.verdicts} == {0, 1}


INIT_ERRORS = {
    "which label": (
        ("--init", "train.csv"),
        "Say with --label which column of 'train.csv' the tree predicts. It cannot be guessed: 2 columns "
        "have two values ('sex', 'hired'). The columns are 'sex', 'age', 'priors', 'hired'.",
    ),
    "no label at all": (
        ("--init", "test.csv"),
        "Say with --label which column of 'test.csv' the tree predicts. It cannot be guessed: 3 columns have "
        "two values ('sex', 'age', 'priors'). The columns are 'sex', 'age', 'priors'.",
    ),
    "over a file": (
        ("--init", "train.csv", "--label", "hired", "--output", "audit.toml"),
        "--output names 'audit.toml', which exists already and is not written over. Choose another name, or "
        "remove the file.",
    ),
    "another suffix": (
        ("--init", "train.csv", "--label", "hired", "--output", "audit.txt"),
        "--output must name a file that ends in .toml; received 'audit.txt'. Rename it.",
    ),
    "people of a data set": (
        ("--init", "hiring", "--test", "test.csv", "--output", "a.toml"),
        "The data set 'hiring' brings its own people to judge. Leave --test out.",
    ),
    "no such table": (
        ("--init", "trian.csv", "--output", "a.toml"),
        "There is no file 'trian.csv'. Did you mean 'train.csv'? Check the path.",
    ),
}


@pytest.mark.parametrize("name", INIT_ERRORS)
def test_wrong_beginnings(run: Run, tmp_path: Path, name: str) -> None:
    write_audit(tmp_path)
    arguments, message = INIT_ERRORS[name]
    if "--output" not in arguments:
        arguments = (*arguments, "--output", "a.toml")
    before = sorted(path.name for path in tmp_path.iterdir())
    assert run("audit", *arguments) == (2, "", f"Error: {message}\n")
    assert sorted(path.name for path in tmp_path.iterdir()) == before


def test_the_only_column_with_two_values_is_the_label(run: Run, tmp_path: Path) -> None:
    pd.DataFrame({"age": range(6), "score": range(6), "hired": [0, 1] * 3}).to_csv(
        tmp_path / "t.csv", index=False
    )
    assert run("audit", "--init", "t.csv").code == 0
    content = tomllib.loads((tmp_path / "audit.toml").read_text())
    assert (content["data"]["label"], content["data"]["positive"]) == ("hired", 1)
    assert content["bias"][1]["model"] == "flip(?, where label == 1)"
    assert content["audit"]["groups"] == []


def test_ages_are_groups_in_bands(run: Run, tmp_path: Path) -> None:
    ages = [20, 22, 24, 30, 33, 36, 39, 44, 48, 52, 57, None, 70, 76]
    table = pd.DataFrame({"Age": ages, "n": range(14), "hired": [0, 1] * 7})
    table.to_csv(tmp_path / "t.csv", index=False)
    said = run("audit", "--init", "t.csv", "--label", "hired")
    assert "groups   Age by 25, 45, 65\n" in said.err
    path = tmp_path / "audit.toml"
    content = tomllib.loads(path.read_text())
    assert content["bias"][1]["model"] == "flip(?, where Age >= 25 and Age < 45 and label == 1)"
    assert content["bias"][1]["name"] == "Age 25 to 44, wrongly labelled hired 1"
    path.write_text(
        re.sub(r"amounts = .*", "amounts = [1]", path.read_text()).replace("jobs = -1", "jobs = 1")
    )
    assert run("audit", "audit.toml").code == 0
    people = pd.read_csv(tmp_path / "people.csv")
    assert people["Age by 25, 45, 65"].value_counts(dropna=False).tolist() == [10, 6, 6, 4, 2]
    groups = pd.read_csv(tmp_path / "groups.csv")
    found = groups.loc[groups["by"] == "Age by 25, 45, 65", "group"].unique().tolist()
    assert found == ["under 25", "25 to 44", "45 to 64", "65 and over", "missing"]
    page = (tmp_path / "report.html").read_text()
    assert "65 and over" in page
    assert "<h3>By Age, in bands</h3>" in page


def test_labels_that_are_numbers_have_names_for_readers(run: Run, tmp_path: Path) -> None:
    table = pd.DataFrame({"n": range(12), "hired": [0] * 6 + [1] * 6})
    table.to_csv(tmp_path / "t.csv", index=False)
    assert run("audit", "--init", "t.csv", "--label", "hired").code == 0
    path = tmp_path / "audit.toml"
    text = re.sub(r"amounts = .*", "amounts = [1]", path.read_text()).replace("jobs = -1", "jobs = 1")
    commented = '# [data.labels]  # what the report calls the labels\n# "0" = "..."\n# "1" = "..."\n'
    assert commented in text
    path.write_text(text.replace(commented, '[data.labels]\n0 = "turned down"\n1 = "taken on"\n'))
    said = run("audit", "audit.toml")
    assert "predicts turned down (6), taken on (6)" in said.err
    page = (tmp_path / "report.html").read_text()
    assert "Labels, sorted: 0 (turned down), 1 (taken on)." in page
    assert "Selected means that the label is taken on." in page
    assert ": turned down becomes taken on" in page or ": taken on becomes turned down" in page
    assert set(pd.read_csv(tmp_path / "people.csv")["prediction"]) == {0, 1}
    for names, message in (
        ('2 = "a"', "there is no label '2'"),
        ('0 = "1"', "two labels would be called '1'"),
        ("0 = 3", "must be a table with another name for each label"),
    ):
        path.write_text(text.replace(commented, f"[data.labels]\n{names}\n"))
        said = run("audit", "audit.toml")
        assert (said.code, message in said.err) == (2, True), said.err


def test_what_a_first_audit_notes_of_a_file_is_said_in_one_line(run: Run, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("a;b\n1,5;x\n2,5;y\n3,5;x\n4,5;y\n")
    said = run("audit", "--init", "t.csv", "--label", "b")
    assert said.err.startswith(
        "note: 't.csv' has numbers such as '1,5': their comma is read as a decimal point.\n"
    )


def test_sex_and_race_come_before_other_groups() -> None:
    """As in Adult, whose columns are numbers and called female and non_white."""
    table = pd.DataFrame({"age": range(20, 60), "married": [0, 1] * 20, "relationship": [0, 1, 2, 3] * 10})
    table = table.assign(non_white=table["married"], female=table["married"], age_binary_old=table["married"])
    assert guess_groups(table, {}) == ("female", "non_white", "age by 25, 45")
    assert guess_groups(table.drop(columns="female"), {}) == ("non_white", "married", "age by 25, 45")


def test_labels_in_comments_are_written_as_they_are(run: Run, tmp_path: Path) -> None:
    table = pd.DataFrame({"n": range(12), "m": [1, 2, 3] * 4, "ausgang": ["geblieben", "gekündigt"] * 6})
    table.to_csv(tmp_path / "t.csv", index=False)
    assert run("audit", "--init", "t.csv", "--label", "ausgang").code == 0
    assert '{ "geblieben" = 1, "gekündigt" = 2 }' in (tmp_path / "audit.toml").read_text(encoding="utf-8")


def test_bands_of_ages_that_are_alike_are_quarters() -> None:
    ages = pd.DataFrame({"age": [*range(12, 24)] * 3, "sex": ["f", "m"] * 18})
    assert guess_groups(ages, {}) == ("sex", "age by 15, 18, 21")
    months = pd.DataFrame({"age": [m / 4 for m in range(60)]})
    assert guess_groups(months, {}) == ("age by 3.75, 7.5, 11.25",)


def test_a_first_audit_drops_identifiers(run: Run, tmp_path: Path) -> None:
    n = 24
    columns = {
        "customer_id": [1000 + i % 20 for i in range(n)],
        "row": range(n),
        "school_id": [1, 2, 3] * 8,
        "age": [20 + i % 5 for i in range(n)],
        "wage": [10.5 + i for i in range(n)],
        "hired": [0, 1] * 12,
    }
    pd.DataFrame(columns).to_csv(tmp_path / "t.csv", index=False)
    assert run("audit", "--init", "t.csv", "--label", "hired").code == 0
    text = (tmp_path / "audit.toml").read_text()
    assert tomllib.loads(text)["data"]["drop"] == ["customer_id", "row"]
    assert tomllib.loads(text)["audit"]["groups"] == ["age"]  # not the wage, which is no age
    said = "dropped: looks like an identifier, nearly every row has a value of its own"
    assert f"#   row, {said}\n" in text
    assert text.count(said) == 2
    pd.DataFrame(columns)[["row", "hired"]].to_csv(tmp_path / "t.csv", index=False)
    assert run("audit", "--init", "t.csv", "--output", "only.toml").code == 0
    assert tomllib.loads((tmp_path / "only.toml").read_text())["data"]["drop"] == []  # something must be left


def test_a_depth_that_suits_the_table() -> None:
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"a": rng.random(400), "b": rng.random(400), "c": [None, "x"] * 200})
    steps = pd.Series((X["a"] > 0.5) ^ (X["b"] > 0.3), name="y")
    found = trying.best_depth(X.mask(rng.random(X.shape) < 0.02), steps)
    assert found.depth == 2
    assert found.accuracy > 0.9 > found.majority
    noise = trying.best_depth(X[["a"]], pd.Series(rng.random(400) < 0.2))
    assert "NO DEPTH DOES BETTER THAN THE MAJORITY" in str(noise)
    tree = trying._tree(noise.depth).fit(X[["a"]], rng.random(400) < 0.2)
    assert tree.get_depth() >= 1
    assert str(trying.best_depth(X[:3], pd.Series([0, 1, 1]))).endswith(
        "too few rows of some label for cross-validation"
    )


def test_what_tells_the_label_is_left_out_and_a_measure_is_no_identifier() -> None:
    n = 40
    y = pd.Series([0, 1] * 20, name="fraud")
    X = pd.DataFrame(
        {
            "fraud_flag": ["no", "yes"] * 20,
            "income": [1000 + 37 * i for i in range(n)],
            "counted": range(7, 7 + n),
            "customer_no": [5 * i for i in range(n)],
            "male": pd.Series([True, None] * 20, dtype=object),
        }
    )
    assert columns_to_drop(X, y) == {
        "fraud_flag": "says the same as the label, fraud, in other words",
        "counted": "looks like an identifier, nearly every row has a value of its own",
        "customer_no": "looks like an identifier, nearly every row has a value of its own",
        "male": "says the same as the label, fraud, in other words",
    }
    assert guess_label(X.assign(target=y), "t.csv") == "target"


def test_personal_data_stay_out_unless_asked_for(run: Run, tmp_path: Path) -> None:
    drop = ('label = "hired"', 'label = "hired"\ndrop = ["sex", "id", "depth"]')
    write_audit(tmp_path, drop)
    for name in ("train.csv", "test.csv"):
        table = pd.read_csv(tmp_path / name)
        table.assign(id=[f"p{i}" for i in range(len(table))], depth=7).to_csv(tmp_path / name, index=False)
    assert run("audit", "audit.toml", "--quiet") == (0, "", "")
    people = pd.read_csv(tmp_path / "people.csv")
    assert people.columns[7:10].tolist() == ["index", "sex", "prediction"]
    write_audit(tmp_path, drop, ("[outputs]", '[outputs]\ncolumns = ["id", "depht"]'))
    assert (
        "columns: the test table has no column 'depht'. Did you mean 'depth'?"
        in run("audit", "audit.toml").err
    )
    write_audit(tmp_path, drop, ("[outputs]", '[outputs]\ncolumns = ["id", "depth"]'))
    assert run("audit", "audit.toml", "--quiet") == (0, "", "")
    people = pd.read_csv(tmp_path / "people.csv")
    assert people.columns[7:12].tolist() == ["index", "sex", "id", "column depth", "prediction"]
    assert people["id"].tolist() == ["p0", "p1"] * 4
    assert set(people["depth"]) == {1}  # that of the tree
    assert set(people["column depth"]) == {7}


def test_a_log_shows_a_sign_of_life(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(screen, "SECONDS_BETWEEN_LINES", 0.05)
    log = StringIO()
    with screen.cells(Console(file=log), quiet=False) as progress:
        progress.cells(3, 20, 100.0)
        time.sleep(0.3)
        progress.cells(20, 20, 0.0)
        time.sleep(0.2)
    lines = log.getvalue().splitlines()
    assert lines == [
        "3 of 20 cells are done after 1 s, about 2 min left",
        "20 of 20 cells are done after 1 s, now ranges of metrics and files",
    ]
    silent = StringIO()
    with screen.cells(Console(file=silent), quiet=True) as progress:
        progress.cells(3, 20, 100.0)
        time.sleep(0.1)
    assert silent.getvalue() == ""


def test_an_estimate_counts_down_until_it_has_run_out(monkeypatch: pytest.MonkeyPatch) -> None:
    now, said, lines = [0.0], [], []

    @contextmanager
    def keep(_: Console, quiet: bool, line: Callable[[], str]) -> Iterator[None]:
        lines.append(line)
        yield

    def look(at: float) -> None:
        now[0] = at
        said.append(lines[0]())

    monkeypatch.setattr(screen, "time", SimpleNamespace(monotonic=lambda: now[0]))
    monkeypatch.setattr(screen, "_lines", keep)
    with screen.cells(Console(file=StringIO()), quiet=False) as progress:
        look(10)
        progress.cells(0, 16, None)
        look(20)
        progress.cells(6, 16, 80.0)
        for moment in (40, 70, 100, 130):
            look(moment)
        progress.cells(16, 16, 0.0)
        look(170)
        progress.ranges(5, 18)
        look(190)
        progress.ranges(18, 18)
        look(230)
    assert said == [
        "reading the tables",
        "0 of 16 cells are done after 20 s",
        "6 of 16 cells are done after 40 s, about 60 s left",
        "6 of 16 cells are done after 70 s, about 30 s left",
        "6 of 16 cells are done after 2 min",
        "6 of 16 cells are done after 2 min",
        "16 of 16 cells are done after 3 min, now ranges of metrics and files",
        "16 of 16 cells are done after 3 min, 5 of 18 ranges of metrics",
        "16 of 16 cells are done after 4 min, 18 of 18 ranges of metrics, now files",
    ]


@pytest.mark.parametrize(
    ("seconds", "words"), [(0.2, "1 s"), (89, "89 s"), (150, "2 min"), (5399, "90 min"), (9000, "2.5 h")]
)
def test_durations(seconds: float, words: str) -> None:
    assert screen._duration(seconds) == words
