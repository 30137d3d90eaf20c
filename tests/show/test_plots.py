"""The pictures: what is drawn is what was found, and nothing of matplotlib's state is touched."""

from __future__ import annotations

import re
import runpy
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from sklearn.tree import DecisionTreeClassifier

from everytree import CertificationResult, RadiusResult, certify, radius
from everytree.bias import parse
from everytree.datasets import load
from everytree.errors import EverytreeError, TableError
from everytree.questions.family import TreeFamily, tree_family
from everytree.results.family import as_asked
from everytree.show.plots import (
    AmountsDisplay,
    CertifiedShareDisplay,
    RadiusDisplay,
    TreeFamilyDisplay,
    VerdictsDisplay,
)
from everytree.show.plots.people import people_of, sized
from everytree.show.plots.style import COLOURS, INK, Display, percent

AMOUNTS = ("0", "0.2%", "0.1%")


@pytest.fixture(autouse=True)
def _nothing_is_left_behind() -> Iterator[None]:
    before, figures = dict(mpl.rcParams), plt.get_fignums()
    yield
    assert dict(mpl.rcParams) == before
    assert plt.get_fignums() == figures


@cache
def compas(bias: str) -> CertificationResult:
    data = load("compas")
    tree = DecisionTreeClassifier(max_depth=2, random_state=0)
    people = data.X_test.iloc[:200]
    return certify(tree, data.X_train, data.y_train, people, bias, engine="relational")


@cache
def hiring_radius() -> RadiusResult:
    data = load("hiring")
    tree = DecisionTreeClassifier(max_depth=1, random_state=0)
    return radius(tree, data.X_train, data.y_train, data.X_test, "flip(?)")


@cache
def hiring_family() -> TreeFamily:
    data = load("hiring")
    tree = DecisionTreeClassifier(max_depth=2, random_state=0)
    found = radius(tree, data.X_train, data.y_train, data.X_test, "flip(?)")
    return tree_family(tree, data.X_train, data.y_train, "flip(?)", witnesses=found)


def results() -> dict[str, CertificationResult]:
    return {amount: compas(f"flip({amount})") for amount in AMOUNTS}


def made_up_radius() -> RadiusResult:
    """Everything that can be known of a radius, in two groups."""
    lower = np.array([-1, 2, 2, 2, 5, 9, 9, 9])
    upper = np.array([0, 3, 3, 6, 6, np.inf, np.inf, 12])
    frame = pd.DataFrame({"sex": ["f", "f", "f", "f", "m", "m", "m", "m"]})
    return RadiusResult(
        lower, upper, parse("flip(?)"), 20, np.zeros(8, int), {}, frame, pd.RangeIndex(8), False
    )


def every_display() -> list[Display]:
    share = CertifiedShareDisplay.from_results(results(), "race", refuted=True)
    return [
        share,
        CertifiedShareDisplay.from_radius(hiring_radius(), "race"),
        VerdictsDisplay.from_result(compas("flip(0.1%)"), "race"),
        RadiusDisplay.from_result(made_up_radius(), "sex"),
        AmountsDisplay.from_results({(1, "1%"): compas("flip(0.1%)"), (2, "1%"): compas("flip(0.2%)")}),
        TreeFamilyDisplay.from_family(hiring_family()),
    ]


def test_curve_draws_the_shares_by_group_in_numeric_order() -> None:
    display = CertifiedShareDisplay.from_results(results(), "sex")
    for name in ("Female", "Male", "everybody"):
        x, y = (np.asarray(values, float) for values in display.lines_[name].get_data())
        assert x.tolist() == [0.0, 0.1, 0.2]
        expected = []
        for amount in ("0", "0.1%", "0.2%"):
            result = compas(f"flip({amount})")
            mine = np.full(200, True) if name == "everybody" else (result.frame["sex"] == name).to_numpy()
            expected.append(np.mean(result.verdicts[mine] == "robust"))
        assert y.tolist() == pytest.approx(expected)
    assert display.legend_ is not None
    women = int((compas("flip(0)").frame["sex"] == "Female").sum())
    assert [text.get_text() for text in display.legend_.get_texts()] == [
        f"Female (n = {women})",
        f"Male (n = {200 - women})",
        "everybody (n = 200)",
    ]
    assert display.ax_.get_xlabel() == "amount of bias: % of the training records"
    assert display.data.columns.tolist() == ["group", "amount", "n", "robust", "not robust", "unknown"]


def test_a_legend_says_that_groups_are_bands() -> None:
    display = CertifiedShareDisplay.from_results(results(), "age by 25, 45")
    assert display.legend_ is not None
    assert display.legend_.get_title().get_text() == "age, in bands"
    names = [text.get_text().partition(" (")[0] for text in display.legend_.get_texts()]
    assert names == ["under 25", "25 to 44", "45 and over", "everybody"]


def test_curve_shades_what_is_unknown() -> None:
    display = CertifiedShareDisplay.from_results(results(), refuted=True)
    (band,) = display.bands_.values()
    corners = band.get_paths()[0].vertices
    rows = display.data.set_index("amount")
    for amount in (0.1, 0.2):
        here = sorted({round(float(y), 9) for x, y in corners if abs(float(x) - amount) < 1e-9})
        share = [rows.loc[amount, "robust"], 1 - rows.loc[amount, "not robust"]]
        assert here == pytest.approx(sorted(set(share)))


def test_curve_of_a_radius_steps_where_the_radius_ends() -> None:
    result = made_up_radius()
    display = CertifiedShareDisplay.from_radius(result, "sex")
    for name in ("f", "m"):
        line = display.lines_[name]
        assert line.get_drawstyle() == "steps-post"
        mine = (result.frame["sex"] == name).to_numpy()
        for amount, share in zip(*line.get_data(), strict=True):
            assert share == np.mean(result.lower[mine] >= amount)
    assert max(display.lines_["f"].get_xdata()) == 13
    assert display.ax_.get_xlabel() == "amount of bias: records"
    far = replace(result, max_amount=result.max_amount + 40)  # everything beyond is proved as well
    whole = CertifiedShareDisplay.from_radius(far, "sex", whole=True)
    assert max(whole.lines_["f"].get_xdata()) == far.max_amount
    assert max(CertifiedShareDisplay.from_radius(far, "sex").lines_["f"].get_xdata()) < 20


def test_many_groups_share_a_line_and_the_picture_says_so() -> None:
    groups = np.array([f"group {i}" for i in range(12)])[np.minimum(np.arange(200) // 10, 11)]
    display = CertifiedShareDisplay.from_results(results(), groups)
    assert len(display.lines_) == 9
    assert "5 smallest groups together" in display.lines_
    assert len(display.joined) == 5
    assert display.legend_ is not None
    assert any("5 smallest groups together (n = 50)" in t.get_text() for t in display.legend_.get_texts())
    assert set(display.data["group"]) == {*groups, "5 smallest groups together", "everybody"}


def test_amounts_of_a_curve_have_one_unit() -> None:
    result = compas("flip(0)")
    with pytest.raises(EverytreeError, match="one unit"):
        CertifiedShareDisplay.from_results({"1%": result, 5: result})
    with pytest.raises(EverytreeError, match="at least one amount"):
        CertifiedShareDisplay.from_results({})
    with pytest.raises(TableError, match="race"):
        CertifiedShareDisplay.from_results({5: result}, "rase")
    assert CertifiedShareDisplay.from_results({0: result, "1% of group": result}).unit.startswith("% of the")


def test_results_of_other_people_are_refused() -> None:
    result = compas("flip(0)")
    fewer = replace(result, verdicts=result.verdicts[:50])
    with pytest.raises(EverytreeError, match="same people"):
        CertifiedShareDisplay.from_results({0: result, 1: fewer})


def test_bars_fill_the_width_and_name_the_sizes() -> None:
    result = compas("flip(0.1%)")
    display = VerdictsDisplay.from_result(result, "race")
    table = result.by_group("race")
    widths = {verdict: [bar.get_width() for bar in bars] for verdict, bars in display.bars_.items()}
    assert np.sum(list(widths.values()), axis=0).tolist() == pytest.approx([1.0] * (len(table) + 1))
    assert widths["robust"][:-1] == pytest.approx(table["robust"].tolist())
    assert widths["robust"][-1] == pytest.approx(result.robust_rate)
    labels = [text.get_text() for text in display.ax_.get_yticklabels()]
    assert labels == [*(f"{name} (n = {n})" for name, n in table["n"].items()), "everybody (n = 200)"]
    first = display.bars_["not robust"][0]
    assert first.get_hatch() != display.bars_["robust"][0].get_hatch()
    assert to_hex(first.get_facecolor()) == COLOURS["not robust"]
    written = {text.get_text() for text in display.ax_.texts}
    assert percent(result.robust_rate) in written


def test_money_in_a_name_is_no_mathematics() -> None:
    groups = np.where(np.arange(200) < 50, "$10K to $20K", "more than $20K")
    svg = VerdictsDisplay.from_result(compas("flip(0)"), groups).to_svg()
    assert [w for w in words(svg) if "$" in w] == ["$10K to $20K (n = 50)", "more than $20K (n = 150)"]


def test_bars_without_groups_show_everybody() -> None:
    display = VerdictsDisplay.from_result(compas("flip(0)"))
    assert display.data.index.tolist() == ["everybody"]
    assert display.data.loc["everybody", "robust"] == 1.0


def test_bubbles_hold_everybody_once_and_say_what_is_known() -> None:
    result = made_up_radius()
    display = RadiusDisplay.from_result(result, "sex")
    people = display.data.groupby("group")["people"].sum().to_dict()
    assert people == {"f": 4, "m": 4, "everybody": 8}
    assert display.data.groupby("group")["share"].sum().to_dict() == pytest.approx(
        {"f": 1.0, "m": 1.0, "everybody": 1.0}
    )
    drawn = {known: len(bubbles.get_offsets()) for known, bubbles in display.bubbles_.items()}
    assert drawn == display.data["known"].value_counts().to_dict()
    men = display.data[display.data["group"] == "m"].set_index("lower")
    assert men.loc[5, "known"] == "exact"
    assert sorted(men.loc[9, "known"]) == ["at least", "between"]
    lines = display.medians_.get_segments()
    assert [line[0][0] for line in lines] == [2.0, 9.0, 3.5]
    area = display.bubbles_["exact"].get_sizes()
    share = display.data.loc[display.data["known"] == "exact", "share"]
    assert (area / share).tolist() == pytest.approx([area[0] / share.iloc[0]] * len(share))


def test_amounts_of_several_components_are_not_called_records() -> None:
    result = made_up_radius()
    display = RadiusDisplay.from_result(result, "sex")
    assert display.ax_.get_xlabel() == "radius: records that may be wrong while the prediction holds"
    assert "Median number of records proved" in display.description
    several = replace(result, family=parse("flip(?) + miss(12)"))
    display = RadiusDisplay.from_result(several, "sex")
    label = "radius: largest value of ? in flip(?) + miss(12) for which the prediction holds"
    assert display.ax_.get_xlabel() == label
    assert "Median value of ? in flip(?) + miss(12) proved" in display.description
    curve = CertifiedShareDisplay.from_radius(several, "sex")
    assert curve.ax_.get_xlabel() == "amount of bias: ? in flip(?) + miss(12)"
    assert CertifiedShareDisplay.from_radius(result).ax_.get_xlabel() == "amount of bias: records"


def test_cells_hold_the_shares_in_numeric_order() -> None:
    results = {
        ("10%", 2): compas("flip(0)"),
        ("9%", 10): compas("flip(0.1%)"),
        ("9%", 2): compas("flip(0.2%)"),
    }
    display = AmountsDisplay.from_results(results, names=("flip", "miss"))
    assert display.data.index.tolist() == ["9%", "10%"]
    assert display.data.columns.tolist() == ["2", "10"]
    texts = [[text.get_text() for text in row] for row in display.text_]
    low, middle = percent(compas("flip(0.2%)").robust_rate), percent(compas("flip(0.1%)").robust_rate)
    assert texts == [[low, middle], ["100%", "–"]]
    assert display.cells_.get_array().mask.tolist() == [False, False, False, True]
    assert [text.get_text() for text in display.ax_.get_xticklabels()] == ["2", "10"]
    assert display.ax_.get_ylabel() == "amount of flip"
    with pytest.raises(EverytreeError, match="pairs of amounts"):
        AmountsDisplay.from_results({"1%": compas("flip(0)")})  # type: ignore[dict-item]


@pytest.mark.parametrize("depth", [1, 2])
def test_family_has_room_for_its_words(depth: int) -> None:
    data = load("compas")
    tree = DecisionTreeClassifier(max_depth=depth, random_state=0)
    display = TreeFamilyDisplay.from_family(tree_family(tree, data.X_train, data.y_train, "flip(1%)"))
    display.figure_.canvas.draw()
    drawn = zip(display.boxes_, display.splits_, display.needs_, strict=True)
    for box, split, needs in drawn:
        room, words, number = (thing.get_window_extent() for thing in (box, split, needs))
        assert room.x0 < words.x0
        assert words.x1 < number.x0
        assert number.x1 < room.x1
        assert room.y0 <= words.y0 < words.y1 <= room.y1


def test_family_has_a_box_for_each_split() -> None:
    family = hiring_family()
    display = TreeFamilyDisplay.from_family(family)
    frame = family.to_frame()
    assert len(display.boxes_) == len(display.needs_) == len(frame)
    assert [text.get_text() for text in display.splits_] == [as_asked(split) for split in frame["split"]]
    for box, needs, row in zip(display.boxes_, display.needs_, frame.itertuples(), strict=True):
        assert (needs.get_text() == "learned") == row.learned
        assert (to_hex(box.get_facecolor(), keep_alpha=True) == COLOURS["robust"] + "ff") == row.learned
        if not row.learned:
            seen = not pd.isna(row.seen)
            assert (to_hex(box.get_edgecolor()) == COLOURS["not robust"]) == seen
    assert frame["seen"].notna().sum() > frame["learned"].sum()
    assert display.headers_[0].get_text() == "all · 9 rows"
    assert len(display.headers_) == sum(1 for _ in family.root.walk())
    places = {(round(box.get_x(), 3), round(box.get_y(), 3)) for box in display.boxes_}
    assert len(places) == len(frame)


def test_family_says_what_its_numbers_count() -> None:
    people = [[0, 0], [1, 0], [2, 1], [3, 0], [5, 1], [6, 1], [7, 1], [8, 0]]
    tree, hired = DecisionTreeClassifier(max_depth=1, random_state=0), [0, 0, 0, 0, 1, 1, 1, 1]
    one, two = (
        TreeFamilyDisplay.from_family(tree_family(tree, people, hired, bias))
        for bias in ("flip(?)", "flip(?) + miss(2)")
    )
    title = "that must be wrong for each split"
    assert one.ax_.get_legend().get_title().get_text() == f"records {title}: flip(?)"
    assert two.ax_.get_legend().get_title().get_text() == f"records of each kind {title}: flip(?) + miss(2)"
    assert [text.get_text() for text in one.needs_] == ["learned", "≥ 1", "≥ 1"]
    assert [text.get_text() for text in two.needs_] == ["learned", *["fixed amounts alone"] * 2]
    assert "x1 is 1: fixed amounts alone" in two.description
    two.figure_.canvas.draw()
    for split, needs in zip(two.splits_, two.needs_, strict=True):
        assert split.get_window_extent().x1 < needs.get_window_extent().x0


def test_own_axes_are_used() -> None:
    figure = Figure()
    left, right = figure.subplots(1, 2)
    display = VerdictsDisplay.from_result(compas("flip(0)"), "sex", ax=left, height=0.5)
    assert display.ax_ is left
    assert display.figure_ is figure
    assert display.bars_["robust"][0].get_height() == 0.5
    again = display.plot(ax=right)
    assert again is display
    assert display.ax_ is right
    line = CertifiedShareDisplay.from_results(results(), ax=left, linewidth=5).lines_["everybody"]
    assert line.get_linewidth() == 5


def test_every_picture_is_an_element_that_fits_any_page() -> None:
    ids: list[str] = []
    for display, same in zip(every_display(), every_display(), strict=True):
        svg = display.to_svg()
        assert svg == same.to_svg()
        root = ET.fromstring(svg)
        assert root.get("role") == "img"
        assert root.get("aria-label") == display.description
        assert len(display.description) > 30
        assert INK not in svg
        assert "currentColor" in svg
        assert not re.search(r"font-family|<style|<metadata|<image|http(?!://www\.w3\.org)", svg)
        assert "<text" in svg
        assert len(svg) < 60_000
        names = re.findall(r'id="([^"]+)"', svg)
        used = re.findall(r'(?:href="|url\()#([^")]+)', svg)
        assert set(used) <= set(names)
        ids += names
        on_white = display.to_svg(background="white")
        assert INK in on_white
        assert "currentColor" not in on_white
    assert len(ids) == len(set(ids))


def test_a_notebook_shows_a_picture_once() -> None:
    png = VerdictsDisplay.from_result(compas("flip(0)"))._repr_png_()
    assert png is not None
    assert png.startswith(b"\x89PNG")
    figure, ax = plt.subplots()
    try:
        assert VerdictsDisplay.from_result(compas("flip(0)"), ax=ax)._repr_png_() is None
    finally:
        plt.close(figure)


def test_names_of_groups() -> None:
    frame = pd.DataFrame({"a": ["x", "y", None, "x"], "b": [1.0, 2.5, 1.0, 1.0]})
    people = people_of(["a", "b"], frame)
    assert people.sizes == {"x, 1": 2, "y, 2.5": 1, "missing, 1": 1}
    assert people.of_person.tolist() == ["x, 1", "y, 2.5", "missing, 1", "x, 1"]
    assert people.title == "a and b"
    assert people_of([1, "1", 1, 1], frame).sizes == {"1": 3, "'1'": 1}
    assert sized("short", 1234) == "short (n = 1,234)"
    lines = sized("a name that is much longer than a picture of a report can hold in two lines", 7).split(
        "\n"
    )
    assert len(lines) == 2
    assert lines[1].endswith("… (n = 7)")
    assert max(map(len, lines)) <= 32


@pytest.mark.parametrize(
    ("share", "text"), [(0, "0%"), (0.001, "<1%"), (0.5, "50%"), (0.999, ">99%"), (1, "100%")]
)
def test_a_share_never_looks_like_all_or_none_unless_it_is(share: float, text: str) -> None:
    assert percent(share) == text


def test_results_draw_themselves() -> None:
    result = compas("flip(0.1%)")
    assert result.plot("sex").data.equals(VerdictsDisplay.from_result(result, "sex").data)
    found = hiring_radius()
    assert found.plot("race").data.equals(CertifiedShareDisplay.from_radius(found, "race").data)


def test_the_pictures_of_the_docs_show_what_is_drawn() -> None:
    place = Path(__file__).resolve().parents[2] / "docs" / "images" / "pictures.py"
    script = runpy.run_path(str(place))
    for name, draw in script["PICTURES"].items():
        kept = (place.parent / name).read_text(encoding="utf-8")
        assert words(kept) == words(draw()), f"{name}: run docs/images/pictures.py"
        assert len(kept) < 60_000


def words(svg: str) -> list[str]:
    return [
        "".join(text.itertext()).strip()
        for text in ET.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")
    ]
