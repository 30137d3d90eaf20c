"""What notebooks show: well formed, escaped, and with the numbers of the object itself."""

from __future__ import annotations

import re
from dataclasses import replace
from html.parser import HTMLParser
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.tree import DecisionTreeClassifier

from everytree import certify, col, fake, flip, miss, radius
from everytree.datasets import load
from everytree.estimator import BiasCertifier
from everytree.refute.witness import Witness
from everytree.show.notebook import MOST_LISTED

EVIL = "<script>alert('\"&')</script>"


class Reader(HTMLParser):
    """Collects cells and text, and refuses tags that do not match."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.tags: set[str] = set()
        self.rows: list[list[str]] = []
        self.text = ""
        self.marks: list[dict[str, str | None]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.open.append(tag)
        self.tags.add(tag)
        self.marks.append(dict(attrs))
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data
        if self.open[-1:] and {"td", "th"} & set(self.open):
            self.rows[-1][-1] += data


def read(thing: Any) -> Reader:
    html = thing._repr_html_()
    reader = Reader()
    reader.feed(html)
    reader.close()
    assert reader.open == []
    assert "script" not in reader.tags
    assert "style" not in reader.tags
    assert not any(name.startswith("on") for mark in reader.marks for name in mark)
    for mark in reader.marks:  # colours of text are those of the page, in light and in dark
        assert not re.search(r"(^|;)\s*color:(?!inherit)", mark.get("style") or "")
    return reader


@pytest.fixture(scope="module")
def hiring() -> Any:
    data = load("hiring")
    tree = DecisionTreeClassifier(max_depth=1, random_state=0)
    return certify(tree, data.X_train, data.y_train, data.X_test, flip(2))


def test_a_result_shows_its_counts(hiring: Any) -> None:
    reader = read(hiring)
    header, *rows = reader.rows
    assert header == ["verdict", "people", "share", "meaning"]
    counts = hiring.counts()
    assert {row[0].replace("\xa0", " "): int(row[1]) for row in rows} == counts.to_dict()
    assert [row[2] for row in rows] == [f"{count / 9:.1%}" for count in counts]
    assert rows[2][3] == "neither was found"
    (bar,) = [mark for mark in reader.marks if mark.get("role") == "img"]
    assert bar["aria-label"] == ", ".join(f"{n} {verdict}" for verdict, n in counts.items())
    widths = [int(w) for w in re.findall(r"flex:(\d+) ", hiring._repr_html_())]
    assert widths == [count for count in counts if count]
    assert "flip(2)" in reader.text
    assert "Up to 2 rows may have a wrong label." in reader.text
    assert "DecisionTreeClassifier(max_depth=1, random_state=0)" in reader.text
    assert "early" not in reader.text
    assert "proofs only" not in reader.text


def test_a_result_says_when_it_was_cut_off_or_looked_for_proofs_only(hiring: Any) -> None:
    open_ones = replace(hiring, complete=False, verdicts=np.full(9, "unknown"))
    assert "ended the search early" in read(open_ones).text
    assert "ended the search early" not in read(replace(hiring, complete=False)).text  # nobody is unknown
    assert (
        "proofs only: some of the unknown may not be robust" in read(replace(hiring, engine="interval")).text
    )


def test_a_result_of_one_person_is_in_the_singular(hiring: Any) -> None:
    one = replace(hiring, verdicts=hiring.verdicts[:1])
    assert read(one).text.startswith("1 person,")


def test_values_are_escaped() -> None:
    X = pd.DataFrame({EVIL: [0.0, 1, 2, 3, 5, 6, 7, 8, 9], "group": [EVIL, "b"] * 4 + ["b"]})
    y = np.array(["<b>no", "<b>no", "<b>no", "<b>no", EVIL, EVIL, EVIL, "<b>no", EVIL])
    tree = DecisionTreeClassifier(max_depth=1, random_state=0)
    result = certify(tree, X, y, X, miss(4) + flip(1, where=col("group") == EVIL))
    assert EVIL not in result._repr_html_()
    assert EVIL in read(result).text.replace('\\"', '"')
    witness = next(iter(result.witnesses.values()))
    reader = read(witness)
    assert EVIL in reader.text
    assert "<b>no" in reader.text
    assert EVIL not in witness._repr_html_()


def test_a_bias_model_is_shown_as_text_and_in_words() -> None:
    reader = read(flip("1%", where='race == "<i>x</i>"') + miss(20))
    assert 'flip(1%, where race == "<i>x</i>") + miss(20)' in reader.text
    assert "Up to 20 rows may be missing." in reader.text
    assert "i" not in reader.tags


def test_a_witness_shows_which_labels_change(hiring: Any) -> None:
    person = int((hiring.verdicts == "not robust").argmax())
    witness = hiring.witness(person)
    reader = read(witness)
    header, *rows = reader.rows
    assert header == ["training record", "what happens"]
    numbers = [int(n) for which, _ in rows for n in re.findall(r"\d+", which)]
    assert sorted(numbers) == sorted(witness.flipped)
    assert {what for _, what in rows} == {f"label becomes {label}" for label in witness.flipped.values()}
    assert f"The label {witness.before} becomes {witness.after}" in reader.text


def test_a_witness_shows_equal_changes_together() -> None:
    added = pd.DataFrame({"score": [3.5, 1.0, 3.5], "race": ["Black"] * 3, "label": [1, 1, 1]})
    witness = Witness({4: "no", 9: "maybe", 11: "no"}, [2], added, "yes", "no", "label")
    assert read(witness).rows[1:] == [
        ["rows 4, 11", "label becomes no"],
        ["row 9", "label becomes maybe"],
        ["row 2", "left out"],
        ["2 new rows", "added: score = 3.5, race = Black, label = 1"],
        ["1 new row", "added: score = 1.0, race = Black, label = 1"],
    ]
    assert "if 7 records change." in read(witness).text


def test_a_long_witness_is_cut_and_says_so() -> None:
    many = MOST_LISTED + 5
    added = pd.DataFrame({"x": range(many), "label": [1] * many})
    reader = read(Witness({}, list(range(many)), added, 1, 0, "label"))
    assert len(reader.rows) == 1 + MOST_LISTED
    assert reader.rows[1][0] == "rows 0, 1, 2, 3, 4, 5, 6, 7, 8, 9 and 5 more"
    assert "And 6 more kinds of change." in reader.text
    assert f"if {2 * many} records change." in reader.text


def test_a_witness_without_changes_says_that_the_label_hangs_on_a_tie() -> None:
    witness = Witness({}, [], pd.DataFrame({"x": [], "label": []}), 1, 0, "label", random_state=3)
    reader = read(witness)
    assert reader.rows == []
    assert "without any change of the table" in reader.text
    assert "random_state=3" in reader.text


def test_a_radius_shows_quantiles_of_both_ends() -> None:
    data = load("hiring")
    tree = DecisionTreeClassifier(max_depth=1, random_state=0)
    found = radius(tree, data.X_train, data.y_train, data.X_test, fake("?"))
    reader = read(found)
    rows = {row[0]: row[1:] for row in reader.rows[1:]}
    lower, upper = np.sort(found.lower), np.sort(found.upper)
    assert rows["minimum"] == [str(lower[0]), f"{upper[0]:.0f}"]
    assert rows["median"] == [str(lower[4]), f"{upper[4]:.0f}"]
    assert rows["maximum"] == [str(lower[-1]), f"{upper[-1]:.0f}"]
    assert f"9 people, {int(found.exact.sum())} with an exact radius" in reader.text
    open_ended = replace(found, upper=np.full(9, np.inf), lower=np.full(9, -1), complete=False)
    reader = read(open_ended)
    assert reader.rows[1] == ["minimum", "none", "none found"]
    assert "ended before everybody's two ends met" in reader.text


def test_a_certifier_keeps_the_diagram_of_scikit_learn() -> None:
    data = load("hiring")
    certifier = BiasCertifier(DecisionTreeClassifier(max_depth=1), flip(1)).fit(data.X_train, data.y_train)
    html = certifier._repr_html_()
    assert "sk-top-container" in html
    assert "BiasCertifier" in html
    assert "DecisionTreeClassifier" in html
