"""Ranges of metrics in an audit: bounded once, and in agreement from one amount to the next."""

from __future__ import annotations

import itertools
import math
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from everytree.audit import AuditResult, Data, Outputs, Plan, Sweep, load_plan, run_audit
from everytree.audit import ranges as bounding
from everytree.audit.ranges import bound_all, ranges_of
from everytree.bias import parse
from everytree.errors import InternalError
from everytree.questions.metrics import metric_ranges
from tests.audit.audit_tools import kept, write_audit
from tests.show.report_audits import audit_of


@pytest.fixture(scope="module")
def audit() -> AuditResult:
    """Labels that hang on little, so that ends are found by luck."""
    rng = np.random.default_rng(1)
    X = pd.DataFrame({"x": rng.integers(0, 9, 90), "z": rng.integers(0, 9, 90), "sex": ["w", "m"] * 45})
    y = pd.Series((X["x"] + rng.integers(-3, 4, 90) > 4).astype(int), name="label")
    sweep = Sweep("wrong labels", parse("flip(?)"), ("1", "2", "3", "5"), radius=False)
    tables = (X[:50], y[:50], X[50:], y[50:])
    return audit_of(tables, [sweep], depths=(2,), groups=(("sex",),), smallest_group=2, seconds=4)


ENDS = ("attained_low", "attained_high", "low", "high")


def test_larger_amounts_never_say_less(audit: AuditResult) -> None:
    """A tree within one flip is one within two; what no table of two flips passes none of one does."""
    found = [ranges_of(audit, cell, ("sex",)).table for cell in audit.verdicts]
    for smaller, larger in itertools.pairwise(found):
        both = smaller.index[smaller["low"].notna() & larger["low"].notna()]
        assert len(both) > 20
        for low, high in (("attained_low", "attained_high"), ("low", "high")):
            assert (larger.loc[both, low].fillna(-1) <= smaller.loc[both, low].fillna(math.inf)).all()
            assert (larger.loc[both, high].fillna(2) >= smaller.loc[both, high].fillna(-math.inf)).all()
    alone = [metric_ranges(r, ["sex"], smallest_group=2, tries=40).table for r in audit.verdicts.values()]
    told = sum(
        not np.array_equal(one[end].to_numpy(), other[end].to_numpy(), equal_nan=True)
        for one, other in zip(alone, found, strict=True)
        for end in ENDS
    )
    assert told > 0  # otherwise this test shows nothing


def test_what_is_attained_has_its_table(audit: AuditResult) -> None:
    largest = list(audit.verdicts)[-1]
    ranges = ranges_of(audit, largest, ("sex",))
    for end in ("low", "high"):
        tree, row = ranges.tree("accuracy", end), ranges.loc[("accuracy", "everybody")]
        test = audit.prepared[2].test
        assert np.mean(tree.predict(test.X) == test.y) == pytest.approx(row[f"attained_{end}"])
        assert row[f"{end}_is"] == ("attained" if row[end] == row[f"attained_{end}"] else "proved")


def test_they_are_bounded_once(audit: AuditResult, monkeypatch: pytest.MonkeyPatch) -> None:
    told = []
    bound_all(audit, lambda done, total: told.append((done, total)))
    assert told == [(0, 4), (1, 4), (2, 4), (3, 4), (4, 4)]
    monkeypatch.setattr(bounding, "ranges_and_tables", None)
    lines = audit.to_frame(metrics=True)
    assert lines["accuracy_low"].notna().sum() == 4 * 3
    assert lines["by"].tolist() == ["", "sex", "sex", "sex"] * 4


def _plan(folder: Path, **changes: Any) -> Plan:
    sweep = Sweep("wrong labels", parse("flip(?)"), ("1", "2"))
    groups = (("race",), ("score by 3", "race"))
    plan = Plan(Data("hiring"), (sweep,), groups, (1,), outputs=Outputs(folder / "results"))
    return replace(plan, smallest_group=2, **changes)


def _refuse(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("kept ranges are bounded again")

    monkeypatch.setattr(bounding, "ranges_and_tables", refuse)


def test_kept_ranges_are_as_they_were_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Values, types and index; a second run bounds nothing and says the same."""
    plan = _plan(tmp_path)
    first = run_audit(plan)
    alone = replace(first)  # nobody said where its ranges are kept
    lines = first.to_frame(metrics=True)
    before = kept(tmp_path / "results")
    pd.testing.assert_frame_equal(lines, alone.to_frame(metrics=True))
    for cell in first.verdicts:
        for columns in plan.groups:
            found, as_it_was = (ranges_of(audit, cell, columns) for audit in (first, alone))
            pd.testing.assert_frame_equal(found.table, as_it_was.table, check_exact=True)
            levels = zip(found.index.levels, as_it_was.index.levels, strict=True)
            assert all(one.equals(other) for one, other in levels)
            assert (found.bias, found.positive) == (as_it_was.bias, as_it_was.positive)
            assert found.tables == as_it_was.tables > 1
    _refuse(monkeypatch)
    second = run_audit(plan)
    pd.testing.assert_frame_equal(second.to_frame(metrics=True), lines)
    assert kept(tmp_path / "results") == before


@pytest.mark.parametrize(
    "changes",
    [
        {"smallest_group": 3},
        {"data": Data("hiring", positive=0)},
        {"groups": (("score",),)},
        {"sweeps": (Sweep("wrong labels", parse("flip(?)"), ("1", "3")),)},
        {"depths": (2,)},
    ],
)
def test_ranges_of_another_question_are_not_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, changes: dict[str, Any]
) -> None:
    run_audit(_plan(tmp_path)).to_frame(metrics=True)
    _refuse(monkeypatch)
    with pytest.raises(AssertionError, match="bounded again"):
        run_audit(replace(_plan(tmp_path), **changes)).to_frame(metrics=True)


@pytest.mark.parametrize(
    ("old", "new"), [("yes,Female,33,0", "no,Female,33,0"), ("no,Male,58,4", "no,Female,58,4")]
)
def test_ranges_of_other_people_are_not_taken(tmp_path: Path, old: str, new: str) -> None:
    """True labels and groups are no part of what the tree sees, nor of a cell."""
    plan = load_plan(write_audit(tmp_path, ('label = "hired"', 'label = "hired"\ndrop = ["sex"]')))
    (tmp_path / "test.csv").write_text("hired,sex,age,priors\nyes,Female,33,0\nno,Male,58,4\n")
    run_audit(plan)
    before = (tmp_path / "groups.csv").read_text()
    (tmp_path / "test.csv").write_text((tmp_path / "test.csv").read_text().replace(old, new))
    run_audit(plan)
    again = (tmp_path / "groups.csv").read_text()
    assert again != before
    shutil.rmtree(tmp_path / "audit-results")
    run_audit(plan)
    assert (tmp_path / "groups.csv").read_text() == again


def test_damaged_ranges_are_bounded_again(tmp_path: Path) -> None:
    plan = _plan(tmp_path)
    run_audit(plan)
    cells = kept(tmp_path / "results")
    run_audit(plan).to_frame(metrics=True)
    whole = kept(tmp_path / "results")
    assert len(whole) == len(cells) + 2
    for name in whole.keys() - cells.keys():
        (tmp_path / "results" / name).write_bytes(whole[name][:60])
    run_audit(plan).to_frame(metrics=True)
    assert kept(tmp_path / "results") == whole


def test_a_contradiction_is_a_fault(audit: AuditResult) -> None:
    smaller, larger = (ranges_of(audit, cell, ("sex",)) for cell in list(audit.verdicts)[:2])
    assert smaller.within(larger).table.equals(smaller.table)
    wrong = larger.to_frame()
    wrong["high"] = -1.0
    with pytest.raises(
        InternalError, match=r"A tree within flip\(1\) passes what is proved within flip\(2\)"
    ):
        smaller.within(replace(larger, table=wrong))
