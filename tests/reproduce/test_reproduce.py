"""The paper's tables again: on its exact data where that is at hand, and on the bundled data otherwise."""

import csv
import io
import os
from decimal import Decimal
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier

from everytree import EverytreeError, flip
from everytree.datasets import load_paper
from everytree.errors import InternalError
from everytree.learner import Prepared, prepare
from everytree.questions.certify import certify_prepared
from everytree.reproduce import CellOutcome, paper_cells, reproduce, to_csv, to_markdown, to_text
from everytree.support.limits import NO_LIMITS
from tests.cli.cli_tools import Run, run  # noqa: F401

DATA = os.environ.get("EVERYTREE_DATA", "")
REFERENCE = Path(DATA).resolve().parent / "reference" / "antidote_p_flips.csv"

needs_paper = pytest.mark.skipif(not DATA, reason="EVERYTREE_DATA is not set")
needs_reference = pytest.mark.skipif(
    not DATA or not REFERENCE.is_file(), reason="no verdicts of the paper's program beside EVERYTREE_DATA"
)


def _interval(outcome: CellOutcome) -> float:
    percent = outcome.runs["interval"].percent
    assert percent is not None
    return percent


def _differing(outcomes: list[CellOutcome]) -> set[tuple[str, bool, Decimal]]:
    return {
        (o.cell.bias, o.cell.targeted, o.cell.percent)
        for o in outcomes
        if o.cell.paper is not None and f"{_interval(o):.1f}" != f"{o.cell.paper:.1f}"
    }


@cache
def _prepared(name: str, depth: int) -> Prepared:
    data = load_paper(name)
    tree = DecisionTreeClassifier(max_depth=depth, random_state=0)
    return prepare(tree, data.X_train, data.y_train, data.X_test, label_name=data.label)


# ---------------------------------------------------------------- the paper's numbers


def test_the_papers_numbers_are_complete() -> None:
    cells = paper_cells()
    assert len(cells) == 144
    assert len(paper_cells("rates")) == 16 * 6 + 4 * 6
    assert len(paper_cells("depth")) == 4 * 6
    assert {cell.dataset for cell in cells if cell.targeted} == {"compas", "adult"}
    assert sum(cell.paper is None for cell in cells) == 7
    rows = {"compas": 4629, "drug": 1262, "adult": 32561, "mnist17": 13007}
    for cell in cells:
        for component in cell.model(None).components:
            assert component.amount.rows(rows[cell.dataset], 0) == cell.records, cell


def test_wrong_requests() -> None:
    with pytest.raises(EverytreeError, match="table must be one of"):
        paper_cells("rate")
    with pytest.raises(EverytreeError, match="Did you mean 'compas'"):
        paper_cells("all", ["compass"])


# ---------------------------------------------------------------- on the paper's tables


@needs_paper
def test_compas_depth_1_is_the_papers_table() -> None:
    outcomes = reproduce("rates", ["compas"], engines=["interval"]).outcomes
    assert len(outcomes) == 36
    plain = [o for o in outcomes if (o.cell.bias, o.cell.targeted) != ("miss", True)]
    assert len(plain) == 30
    assert _differing(plain) == set()
    targeted = [o for o in outcomes if o not in plain]
    assert all(abs(_interval(o) - (o.cell.paper or 0)) < 7.2 for o in targeted)


@needs_paper
def test_drug_depth_1_is_the_papers_table_but_for_one_record() -> None:
    outcomes = reproduce("rates", ["drug"], engines=["interval"]).outcomes
    assert len(outcomes) == 24
    odd = {(kind, False, Decimal("0.4")) for kind in ("miss", "flip", "miss+fake")}
    assert _differing(outcomes) == odd
    for outcome in outcomes:
        less = outcome.cell.records - 1
        assert bool(outcome.note) == ((outcome.cell.bias, False, outcome.cell.percent) in odd)
        assert not outcome.note or f" is what {less} records" in outcome.note


@needs_paper
def test_adult_flips_reach_the_paper() -> None:
    cells = [c for c in paper_cells("rates", ["adult"]) if c.bias == "flip" and not c.targeted and c.paper]
    assert [str(cell.percent) for cell in cells] == ["0.05", "0.1", "0.2", "0.4"]
    for cell in cells:
        result = certify_prepared(
            _prepared("adult", cell.depth), cell.model(None), engine="interval", limits=NO_LIMITS
        )
        assert 100 * result.robust_rate >= (cell.paper or 0) - 0.5, cell


@needs_paper
def test_depth_table() -> None:
    outcomes = reproduce("depth", engines=["interval", "relational"]).outcomes
    assert len(outcomes) == 24
    for outcome in outcomes:
        cell, relational = outcome.cell, outcome.runs["relational"].percent
        assert relational is not None
        assert relational >= _interval(outcome)
        assert outcome.note or _interval(outcome) >= (cell.paper or 0) - 0.1, cell
    notes = {(o.cell.dataset, o.cell.depth, str(o.cell.percent)): o.note for o in outcomes if o.note}
    assert "83.8 is what 1 record gives" in notes["drug", 2, "0.1"]
    assert "0.7 is what 45 records give" in notes["compas", 2, "1"]


@needs_paper
def test_another_table_of_that_name_is_noticed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for part in ("train", "test"):
        lines = (Path(DATA) / "compas" / f"{part}.csv").read_text().splitlines()
        (tmp_path / "compas").mkdir(exist_ok=True)
        (tmp_path / "compas" / f"{part}.csv").write_text("\n".join(lines[:1000]))
    monkeypatch.setenv("EVERYTREE_DATA", str(tmp_path))
    with pytest.raises(InternalError, match="must name the paper's own tables"):
        reproduce("depth", ["compas"])
    with pytest.raises(EverytreeError, match="drug"):
        reproduce("depth", ["drug"])


# ---------------------------------------------------------------- person by person


def _reference() -> list[dict[str, str]]:
    if not REFERENCE.is_file():
        return []
    return list(csv.DictReader(REFERENCE.read_text().splitlines()))


@needs_reference
def test_person_by_person_as_the_papers_program() -> None:
    rows = _reference()
    assert rows
    for row in rows:
        prepared = _prepared(row["dataset"], int(row["depth"]))
        model = flip(int(row["flips"]))
        result = certify_prepared(prepared, model, engine="interval", limits=NO_LIMITS, outer_splits=False)
        ours = (result.verdicts == "robust")[: int(row["people"])]
        theirs = np.array([letter == "1" for letter in row["certified"]])
        assert len(ours) == len(theirs)
        if row["depth"] == "1":
            np.testing.assert_array_equal(ours, theirs)
        else:
            assert (ours | ~theirs).all(), "certified fewer people"


# ---------------------------------------------------------------- on the bundled tables


def test_bundled_tables_say_so(run: Run, tmp_path: Path) -> None:  # noqa: F811
    said = run("reproduce", "--table", "depth", "--engine", "both", "--csv", "d.csv", "--markdown", "d.md")
    assert (said.code, said.out) == (0, "")
    lines = said.err.splitlines()
    assert lines[0].startswith("On the bundled tables, because EVERYTREE_DATA is not set")
    assert lines[4].split() == ["bias", "model", "data", "set", "depth", "by", "0.1%", "0.2%", "0.5%", "1%"]
    assert lines[6].split() == ["flip", "compas", "1", "paper", "71.5", "47.8", "9.3", "3.0"]
    assert lines[7].split()[0] == "interval"
    assert lines[8].split()[0] == "relational"
    assert any(line.startswith("drug is left out: ") for line in lines)
    written = list(csv.DictReader((tmp_path / "d.csv").read_text().splitlines()))
    assert len(written) == 12
    assert {row["data"] for row in written} == {"bundled"}
    assert all(float(row["relational"]) >= float(row["interval"]) for row in written)
    markdown = (tmp_path / "d.md").read_text()
    assert "| flip | compas | 1 | paper | 71.5 | 47.8 | 9.3 | 3.0 |" in markdown


def test_targeted_models_fit_the_bundled_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("EVERYTREE_DATA", raising=False)
    ticks: list[tuple[int, int]] = []
    found = reproduce("rates", ["compas"], engines=["relational"], tick=lambda *t: ticks.append(t))
    assert ticks == [(done, 36) for done in range(36)]
    assert sum(o.cell.targeted for o in found.outcomes) == 12
    assert "flip, targeted" in to_text(found)
    assert "interval" not in to_text(found)


def test_a_time_limit_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("EVERYTREE_DATA", raising=False)
    found = reproduce("depth", ["compas"], engines=["interval"], time_limit=1e-9)
    assert any(o.runs["interval"].percent is None for o in found.outcomes)
    assert " limit" in to_text(found)
    assert "| limit |" in to_markdown(found)
    assert "limit: not finished within the time limit." in to_text(found)
    rows = list(csv.DictReader(io.StringIO(to_csv(found))))
    assert "" in {row["interval"] for row in rows}
