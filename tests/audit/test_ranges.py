"""Ranges of metrics in an audit: bounded once, and in agreement from one amount to the next."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from everytree.audit import AuditResult, Sweep
from everytree.audit import ranges as bounding
from everytree.audit.ranges import bound_all, ranges_of
from everytree.bias import parse
from everytree.errors import InternalError
from everytree.questions.metrics import metric_ranges
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


def test_a_contradiction_is_a_fault(audit: AuditResult) -> None:
    smaller, larger = (ranges_of(audit, cell, ("sex",)) for cell in list(audit.verdicts)[:2])
    assert smaller.within(larger).table.equals(smaller.table)
    wrong = larger.to_frame()
    wrong["high"] = -1.0
    with pytest.raises(
        InternalError, match=r"A tree within flip\(1\) passes what is proved within flip\(2\)"
    ):
        smaller.within(replace(larger, table=wrong))
