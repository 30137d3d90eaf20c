"""`everytree metrics`: what is shown, and what is written."""

from __future__ import annotations

import json

import pandas as pd
import pytest

from tests.cli.cli_tools import Run, run  # noqa: F401


def test_ranges_are_shown_and_written(run: Run, tmp_path) -> None:  # noqa: F811
    said = run(
        *("metrics", "hiring", "--bias", "flip(1)", "--depth", "1", "--group", "race"),
        *("--csv", "ranges.csv", "--json", "ranges.json"),
    )
    assert said.code == 0
    assert "accuracy" in said.err
    assert "0.889   0.666 to 0.889   0.667 to 0.889   0.000" in said.err
    frame = pd.read_csv(tmp_path / "ranges.csv")
    assert frame.columns[:4].tolist() == ["metric", "race", "n", "estimate"]
    found = json.loads((tmp_path / "ranges.json").read_text())
    assert found["bias"] == "flip(1)"
    lines = {(line["metric"], line["group"]["race"]): line for line in found["ranges"]}
    assert lines["accuracy", "everybody"]["low_is"] == "attained"
    assert lines["true positive rate", "Black"]["low"] is None


def test_a_narrow_screen_breaks_no_line(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:  # noqa: F811
    monkeypatch.setenv("COLUMNS", "80")
    arguments = (
        "metrics",
        "compas",
        "--bias",
        "flip(5)",
        "--depth",
        "1",
        "--group",
        "race",
        "--group",
        "sex",
    )
    shown = run(*arguments, "--time-limit", 10).err.split("\n")
    head = next(k for k, line in enumerate(shown) if line.startswith("metric and group"))
    table = shown[head : shown.index("", head)]
    assert max(map(len, table)) <= 80
    assert "demographic parity difference" in table
    long = table.index("  African-American, Female")
    assert table[long + 1].split()[0] == "129"
    assert any(line.startswith("  Other, Female  ") for line in table)


def test_a_wrong_label_is_explained(run: Run) -> None:  # noqa: F811
    said = run("metrics", "hiring", "--bias", "flip(1)", "--depth", "1", "--positive", "yes")
    assert said.code == 2
    assert "--positive must be one of the labels" in said.err


def test_a_size_that_no_group_has_is_refused_by_the_name_of_the_option(run: Run) -> None:  # noqa: F811
    said = run("metrics", "no-such-table.csv", "--bias", "flip(1)", "--depth", "1", "--smallest-group", "-1")
    assert said.code == 2
    assert said.err == "Error: --smallest-group must be a whole number of at least 1; received -1.\n"
