"""The page about the paper's demographic section says what is computed on the paper's tables."""

from decimal import Decimal
from pathlib import Path

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier

from everytree import parse
from everytree.learner import prepare
from everytree.questions.certify import certify_prepared
from everytree.questions.radius import radius_prepared
from everytree.reproduce import stated_shares
from everytree.reproduce.figures import Point, Share
from everytree.reproduce.pictures import draw_panel
from everytree.support.limits import NO_LIMITS
from tests.reproduce.test_figures import PANELS, needs_paper, opened, point_of

PAGE = Path(__file__).resolve().parents[2] / "docs" / "everyone-decided.md"


def _page_rows() -> list[list[str]]:
    lines = [line for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("| ")]
    rows = [[word.strip() for word in line.strip("|").split("|")] for line in lines]
    return [row for row in rows if row[0].split()[0] in PANELS]


def test_the_page_names_panels_and_amounts() -> None:
    rows = _page_rows()
    assert len(rows) == 34
    for bias, group, people, paper, *numbers in rows:
        name, percent = bias.rstrip("%").split()
        assert Decimal(percent) in PANELS[name].amounts, bias
        stated = stated_shares(PANELS[name]).get((Decimal(percent), group))
        assert paper == ("" if stated is None else str(stated)), bias
        assert int(people) > 0
        assert abs(sum(map(float, numbers[1:])) - 100) < 0.11, bias


@needs_paper
@pytest.mark.parametrize(
    "name", ["compas-flip", "compas-black-positive", "compas-white-negative", "adult-flip"]
)
def test_the_page_shows_what_is_computed(name: str) -> None:
    rows = [row for row in _page_rows() if row[0].startswith(f"{name} ")]
    assert rows
    for bias, group, people, _, *numbers in rows:
        shares = point_of(name, bias.split()[1].rstrip("%")).shares
        share = next(share for share in shares if share.group == group)
        computed = [share.interval, share.robust, share.not_robust, share.unknown]
        assert [str(share.people), *(f"{number:.1f}" for number in computed)] == [people, *numbers], bias


@needs_paper
def test_the_record_decides_as_the_page_says() -> None:
    source, prepared = opened("compas")
    found = radius_prepared(prepared, parse("flip(?)"), max_amount=102)
    people = source.people()
    gaps = [
        100 * (np.mean(found.lower[people["White"]] >= b) - np.mean(found.lower[people["Black"]] >= b))
        for b in range(1, 103)
    ]
    assert round(max(map(abs, gaps)), 1) == 1.7
    assert min(gaps) < 0
    priors = source.data.X_test["number_of_priors"].to_numpy()
    assert set(priors[found.upper <= 19]) == {2, 3}
    assert np.isin(priors, (2, 3)).sum() == (found.upper <= 19).sum() == 280
    assert (np.isin(priors, (2, 3, 4, 5)) == (found.upper <= 47)).all()


@needs_paper
def test_large_amounts_leave_a_clean_record_as_the_page_says() -> None:
    source, prepared = opened("compas")
    X = source.data.X_test
    clean = X["number_of_priors"] == 0
    for name, percent, safe, how_many in (
        ("compas-flip", "3%", clean & (X["age_above_45"] == 1), 113),
        ("compas-black-positive", "10.8%", clean & (X["age_below_25"] == 0), 374),
    ):
        model = PANELS[name].model(source, percent)
        result = certify_prepared(prepared, model, engine="auto", limits=NO_LIMITS)
        assert ((result.verdicts == "robust") == safe.to_numpy()).all()
        assert safe.sum() == how_many


@needs_paper
def test_the_race_column_is_what_the_papers_method_cannot_rule_out() -> None:
    source, prepared = opened("compas")
    data = source.data
    blind = prepare(
        DecisionTreeClassifier(max_depth=1, random_state=0),
        data.X_train,
        data.y_train,
        data.X_test,
        drop=["african_american"],
        label_name=data.label,
    )
    proved = certify_prepared(blind, parse("flip(0.4%)"), engine="interval", limits=NO_LIMITS).verdicts
    people = source.people()
    shares = [100 * np.mean(proved[people[group]] == "robust") for group in ("Black men", "Black women")]
    assert [f"{share:.1f}" for share in shares] == ["22.5", "39.0"]
    with_race, without = (
        certify_prepared(tables, parse("flip(0.4%)"), engine="auto", limits=NO_LIMITS).verdicts
        for tables in (prepared, blind)
    )
    assert (with_race == without).all()


@needs_paper
def test_flips_of_white_people_nearly_eliminate_discrepancies_as_the_page_says() -> None:
    source, prepared = opened("compas")
    model = PANELS["compas-white-negative"].model(source, "?")
    found = radius_prepared(prepared, model, max_amount=51)
    assert found.complete
    people = source.people()
    groups = ("White men", "White women", "Black men", "Black women")
    widest = 0.0
    for records in range(1, 52):
        robust, refuted = found.lower >= records, found.upper <= records
        assert (robust ^ refuted).all(), records
        shares = [100 * np.mean(robust[people[group]]) for group in groups]
        widest = max(widest, max(shares) - min(shares))
    assert f"at most {widest:.1f} points up to 1.1%" in PAGE.read_text(encoding="utf-8")
    assert len(prepared.train.y) == 4629
    assert (found.lower >= 34).all()  # 0.73%, the most that leaves everybody robust
    assert (found.upper <= 35).any()


def test_a_picture_with_unknown_people_does_not_say_that_everyone_is_decided() -> None:
    panel = PANELS["adult-flip"]
    titles = []
    for unknown in (0.0, 70.0):
        shares = [Share("White men", 5, None, None, 20.0, 80.0 - unknown, unknown)]
        figure = draw_panel([Point(panel, Decimal("0.4"), 1, shares, 1.0)], on_paper_tables=True)
        titles.append(figure.axes[1].get_title())
    assert titles == ["Everyone decided", "Proved (shaded: unknown)"]
