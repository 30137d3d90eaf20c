"""The paper's demographic figures: what it states, and its method beside all three verdicts."""

import csv
import io
import os
from dataclasses import replace
from decimal import Decimal
from functools import cache
from pathlib import Path

import pytest

from everytree import EverytreeError
from everytree.learner import Prepared
from everytree.reproduce import (
    FigureReproduction,
    Panel,
    Point,
    Share,
    Stated,
    draw_panel,
    figure_to_csv,
    figure_to_markdown,
    figure_to_text,
    paper_panels,
    reproduce_figure,
    stated_shares,
)
from everytree.reproduce.figures import PanelWork
from everytree.reproduce.runs import prepare_tree
from everytree.reproduce.sources import EVERYONE, Source, open_source
from tests.cli.cli_tools import Run, run  # noqa: F401

DATA = os.environ.get("EVERYTREE_DATA", "")

needs_paper = pytest.mark.skipif(not DATA, reason="EVERYTREE_DATA does not name the paper's tables")

PANELS = {panel.name: panel for panel in paper_panels()}


@cache
def opened(dataset: str) -> tuple[Source, Prepared]:
    source = open_source(dataset)
    return source, prepare_tree(source, 2 if dataset == "adult" else 1)


@cache
def point_of(name: str, percent: str) -> Point:
    panel = PANELS[name]
    source, prepared = opened(panel.dataset)
    return PanelWork(panel, source, prepared, source.people(), 60.0).point(Decimal(percent))


# ---------------------------------------------------------------- the paper's numbers


def test_what_the_paper_states() -> None:
    assert len(PANELS) == 8
    assert [panel.letter for panel in paper_panels("demographics")] == ["a", "b", "c", "d"]
    assert [panel.letter for panel in paper_panels("appendix")] == ["a", "b", "c", "d"]
    for panel in PANELS.values():
        for (percent, _), stated in stated_shares(panel).items():
            assert 0 <= stated.percent <= 100
            assert percent in panel.amounts
    flips = stated_shares(PANELS["compas-flip"])
    assert flips[Decimal("0.4"), "White women"] == Stated(50.4)
    assert flips[Decimal("0.4"), EVERYONE] == Stated(20.6)
    assert flips[Decimal("0.5"), EVERYONE] == Stated(9.3)
    assert str(stated_shares(PANELS["compas-black-positive"])[Decimal("0.4"), "Black men"]) == "~50"
    assert stated_shares(PANELS["compas-white-negative"]) == {}
    assert (Decimal(1), EVERYONE) not in stated_shares(PANELS["adult-flip"])


def test_wrong_requests() -> None:
    with pytest.raises(EverytreeError, match="figure must be one of 'all', 'demographics', 'appendix'"):
        paper_panels("demographic")
    with pytest.raises(EverytreeError, match="Did you mean 'compas'"):
        paper_panels("all", ["compass"])
    with pytest.raises(EverytreeError, match="no demographic panel of the data set 'drug'"):
        paper_panels("demographics", ["drug"])


@needs_paper
def test_groups_are_the_papers() -> None:
    people = {name: int(mask.sum()) for name, mask in opened("compas")[0].people().items()}
    assert people == {
        "White men": 392,
        "White women": 121,
        "Black men": 684,
        "Black women": 136,
        "White": 513,
        "Black": 820,
        "Others": 210,
        "Everyone": 1543,
    }
    assert {n: int(m.sum()) for n, m in open_source("drug").people().items()} == {
        "Men": 316,
        "Women": 307,
        "Everyone": 623,
    }


@needs_paper
@pytest.mark.parametrize(
    ("name", "percent"),
    [
        ("compas-flip", "0.1"),
        ("compas-flip", "0.4"),
        ("compas-flip", "1"),
        ("compas-black-positive", "1"),
        ("compas-miss", "0.4"),
        ("drug-flip", "1"),
    ],
)
def test_groups_together_give_the_papers_rate(name: str, percent: str) -> None:
    shares = {share.group: share for share in point_of(name, percent).shares}
    everyone = shares.pop(EVERYONE)
    races = {group: share for group, share in shares.items() if not group.endswith(" men")}
    parts = [share for group, share in races.items() if not group.endswith(" women")]
    assert sum(share.people for share in parts) == everyone.people
    average = sum((share.interval or 0) * share.people for share in parts) / everyone.people
    assert everyone.paper is not None
    assert round(average, 1) == everyone.paper.percent
    assert not any(share.differs for share in shares.values())


@needs_paper
def test_a_difference_is_named() -> None:
    point = point_of("compas-black-positive", "1.1")
    assert [share.group for share in point.shares if share.differs] == ["Black"]
    assert "the paper states Black 0.0; its method gives 15.2 with 51 records" in point.note
    assert "54 records give what the paper states" in point.note
    text = figure_to_text(FigureReproduction([point], on_paper_tables=True))
    assert "15.2 [1]" in text
    assert "[1] COMPAS, flip of Black people" in text
    row = next(r for r in _rows(figure_to_csv(FigureReproduction([point], True))) if r["group"] == "Black")
    assert (row["paper"], row["interval"], row["robust"]) == ("0.0", "15.2", "70.2")
    assert row["note"] == point.note


# ---------------------------------------------------------------- on the bundled tables


def _rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def _small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave two panels with two amounts, so that the command is quick."""
    monkeypatch.setattr("everytree.reproduce.panels.AMOUNTS", ("0.2", "0.4"))
    panels = tuple(replace(PANELS[name], further=()) for name in ("compas-black-positive", "drug-flip"))
    monkeypatch.setattr("everytree.reproduce.panels._PANELS", panels)


def test_the_command_on_bundled_tables(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:  # noqa: F811
    _small(monkeypatch)
    said = run("reproduce", "--figure", "all", "--csv", "f.csv", "--markdown", "f.md", "--pictures", "new/p")
    assert (said.code, said.out) == (0, ""), said.err
    lines = said.err.splitlines()
    assert lines[0].startswith("On the bundled tables, because EVERYTREE_DATA is not set")
    assert lines[4].split() == ["group", "people", "by", "0.2%", "0.4%"]
    assert lines[6].split() == ["White", "men", "408", "paper", "~50"]
    assert [line.split()[0] for line in lines[7:11]] == ["interval", "robust", "not", "unknown"]
    assert any(line.startswith("drug is left out: ") for line in lines)
    assert "| White men | 408 | paper |  | ~50 |" in (tmp_path / "f.md").read_text()
    rows = _rows((tmp_path / "f.csv").read_text())
    assert len(rows) == 2 * 8
    for row in rows:
        assert row["data"] == "bundled"
        assert row["note"] == ""
        assert float(row["interval"]) <= float(row["robust"])
        assert abs(sum(float(row[v]) for v in ("robust", "not_robust", "unknown")) - 100) < 0.11
    picture = (tmp_path / "new" / "p" / "compas-black-positive.svg").read_text()
    assert "Black women (129)" in picture
    assert "bundled table" in picture


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--figure", "all", "--table", "depth"), "--table and --figure exclude each other"),
        (("--figure", "all", "--engine", "both"), "--engine is for tables"),
        (("--pictures", "p"), "add --figure demographics"),
        (("--figure", "all", "--pictures", "file/p"), "--pictures must name a folder"),
        (("--figure", "all", "--dataset", "mnist17"), "no demographic panel of the data set 'mnist17'"),
        (("--figure", "appendix", "--dataset", "drug"), "is not bundled"),
    ],
)
def test_options_that_do_not_fit(run: Run, tmp_path: Path, options: tuple[str, ...], words: str) -> None:  # noqa: F811
    (tmp_path / "file").write_text("")
    said = run("reproduce", *options)
    assert said.code == 2
    assert words in " ".join(said.err.split())


def test_a_limit_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("EVERYTREE_DATA", raising=False)
    monkeypatch.setattr("everytree.reproduce.panels.AMOUNTS", ("0.2", "0.4"))
    deeper = replace(PANELS["compas-flip"], depth=3, further=())
    monkeypatch.setattr("everytree.reproduce.panels._PANELS", (deeper,))
    ticks: list[tuple[int, int]] = []
    found = reproduce_figure("demographics", time_limit=1e-9, tick=lambda *t: ticks.append(t))
    assert ticks == [(done, 2) for done in range(2)]
    everyone = [share for point in found.points for share in point.shares if share.group == EVERYONE]
    assert all(share.interval is None for share in everyone)
    assert all(share.unknown > 0 for share in everyone)
    assert "limit: not finished within the time limit." in figure_to_text(found)
    assert "| limit |" in figure_to_markdown(found)


# ---------------------------------------------------------------- pictures


def _made_up() -> list[Point]:
    panel = Panel("x", "demographics", "a", "Made up", "compas", 1, "flip")
    amounts = [(Decimal("0.1"), 60.0, 90.0), (Decimal("0.4"), None, 70.0), (Decimal("3"), 0.0, 0.0)]
    return [
        Point(
            panel,
            percent,
            1,
            [
                Share("White men", 10, Stated(55.0), interval, robust, 10.0, 90.0 - robust),
                Share("White", 10, None, interval, robust, 10.0, 90.0 - robust),
            ],
            0.0,
        )
        for percent, interval, robust in amounts
    ]


def test_a_picture_draws_the_shares() -> None:
    method, decided = draw_panel(_made_up(), on_paper_tables=True).axes
    curve, *crosses = method.lines
    assert curve.get_linestyle() == "--"
    assert curve.get_xydata().tolist() == [[0.1, 60.0]]
    assert [cross.get_xydata().tolist() for cross in crosses] == [[[0.1, 55.0]], [[0.4, 55.0]]]
    assert decided.lines[0].get_xydata().tolist() == [[0.1, 90.0], [0.4, 70.0]]
    assert decided.lines[0].get_label() == "White men (10)"
    assert decided.collections[0].get_paths()[0].vertices[:, 1].max() == 90.0
    assert method.get_title() == "The paper's method (× as the paper states)"
    plain, _ = draw_panel(_made_up(), on_paper_tables=False).axes
    assert len(plain.lines) == 1
    assert plain.get_title() == "The paper's method"


def test_a_picture_of_men_and_women() -> None:
    points = _made_up()
    by_sex = [Share(name, 5, None, 1.0, 2.0, 98.0, 0.0) for name in ("Men", "Women", EVERYONE)]
    _, decided = draw_panel([replace(points[0], shares=by_sex)], on_paper_tables=True).axes
    assert [line.get_label() for line in decided.lines] == ["Men (5)", "Women (5)"]
