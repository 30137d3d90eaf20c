"""The report as a file: what it holds, that it is the same every time, and that nothing breaks out of it."""

import base64
import hashlib
import re
import shlex
import sys
from dataclasses import replace
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest

from everytree.audit import Data, Sweep
from everytree.bias import parse
from everytree.cli import main
from everytree.errors import EverytreeError
from everytree.questions.deciding import DECIDING_SECONDS
from everytree.refute.holding import TRIES
from everytree.results.ranges import seen_thousandths
from everytree.show.report import appendix, method, people, pictures, ranges, ties, write_report
from everytree.show.report.overview import groupings, headline
from everytree.show.report.page import render
from everytree.show.report.pictures import curve
from everytree.show.report.trees import learned_tree
from tests.show.report_audits import NASTY, audit_of, hiring_audit, nasty_audit, people_in, records_of


class Outline(HTMLParser):
    """Elements, addresses and text of a page."""

    def __init__(self, page):
        super().__init__()
        self.tags, self.addresses, self.ids, self.text = [], [], [], []
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        given = dict(attrs)
        self.addresses += [given[name] for name in ("href", "src", "xlink:href") if name in given]
        self.ids += [given["id"]] if "id" in given else []

    def handle_data(self, data):
        self.text.append(data)


@pytest.fixture(scope="module")
def audit():
    return hiring_audit()


@pytest.fixture(scope="module")
def page(audit):
    return render(audit)


@pytest.fixture(scope="module")
def data(page):
    return people_in(page)


def test_verdicts_and_predictions_are_those_of_the_results(audit, data):
    words = {"r": "robust", "n": "not robust", "u": "unknown"}
    assert len(data["cells"]) == len(audit.verdicts) == 8
    for packed, (cell, result) in zip(data["cells"], audit.verdicts.items(), strict=True):
        assert [words[letter] for letter in packed["verdicts"]] == result.verdicts.tolist()
        predicted = [data["labels"][code] for code in data["predictions"][str(cell.depth)]]
        assert predicted == [str(label) for label in result.predictions]
        assert (packed["depth"], packed["model"]) == (cell.depth, str(cell.model))


def test_columns_and_true_labels_are_those_of_the_people(audit, data):
    test = audit.prepared[1].test
    for column in data["columns"]:
        values = [column["values"][code] for code in column["codes"]]
        assert values == [str(value) for value in test.frame[column["name"]]]
    assert data["truth"] == test.y.tolist()
    assert [data["columns"][c]["name"] for c in data["groups"]] == ["race", "score"]


def test_radii_are_those_of_the_results(audit, data):
    for packed, result in zip(data["radii"], audit.radii.values(), strict=True):
        assert packed["lower"] == result.lower.tolist()
        upper = [int(u) if np.isfinite(u) else -1 for u in result.upper]
        assert packed["upper"] == upper
        assert (packed["family"], packed["single"], packed["ties"]) == ("flip(?)", True, [])


def test_paper_has_an_appendix_of_those_who_are_not_robust(audit, page, monkeypatch):
    cell = headline(audit).cell
    result, train = audit.verdicts[cell], audit.prepared[cell.depth].train
    made = appendix.appendix(audit, cell)
    assert [int(line.person) for line in made.lines] == sorted(result.witnesses)
    first = made.lines[0]
    witness = result.witnesses[int(first.person)]
    for row, label in witness.flipped.items():
        assert f"row {row}: {train.labels[train.y[row]]} becomes {label}" in first.records
    assert (first.before, first.after, made.rest) == (str(witness.before), str(witness.after), "")
    assert "Appendix: people who are not robust" in page
    monkeypatch.setattr(appendix, "MOST_PEOPLE", 1)
    few = appendix.appendix(audit, cell)
    assert few.rest == f"{len(result.witnesses) - 1} more people are not robust and are not listed here."
    monkeypatch.setattr(appendix, "MOST_PEOPLE", len(result.witnesses) - 1)
    assert appendix.appendix(audit, cell).rest == "1 more person is not robust and is not listed here."
    nobody = replace(audit, verdicts={cell: replace(result, witnesses={})})
    assert not appendix.appendix(nobody, cell).lines  # and no heading above nothing
    many = replace(witness, flipped=dict.fromkeys(range(9), 1), removed=[3])
    assert appendix._records(many, train, []).endswith("; and 2 records more")


def test_witnesses_say_whether_they_stand_on_ties(audit, data, monkeypatch):
    cell = headline(audit).cell
    for packed, result in zip(data["cells"], audit.verdicts.values(), strict=True):
        assert packed["holds"] == [result.holds(person) for person in sorted(result.witnesses)]
    result = audit.verdicts[cell]
    made = appendix.appendix(audit, cell, ties.ties_of(audit, cell))
    for line in made.lines:
        held = result.holds(int(line.person))
        loose = f"depends on how ties are broken: {held} of {TRIES}"
        assert line.ties == (f"holds on all {TRIES} orders" if held == TRIES else loose)
    monkeypatch.setattr(ties, "SECONDS", 1e-9)
    few = ties.ties_of(audit, cell)
    tried = {few.words(cell.depth, person, witness) for person, witness in result.witnesses.items()}
    assert "" in tried  # no more than one of the changes was tried
    assert len(tried) > 1
    said = {line.ties for line in appendix.appendix(audit, cell, few).lines}
    assert "not tried" in said  # an empty cell could mean anything
    assert "" not in said


def test_what_was_seen_is_never_said_to_reach_further_than_it_did():
    row = {
        "n": 9,
        "estimate": 7 / 9,
        "low": 2 / 3,
        "high": 8 / 9,
        "low_is": "attained",
        "high_is": "attained",
    }
    row |= {"attained_low": 2 / 3, "attained_high": 8 / 9, "gap": 0.0, "compared": ""}
    made = ranges._row("accuracy", "everybody", row)
    assert (made.low, made.high, made.seen) == ("66.7%", "88.8%", "66.7% to 88.8%")
    same = ranges._row("accuracy", "everybody", row | {"estimate": 8 / 9})  # at most what it is
    assert (same.today, same.high, same.seen) == ("88.9%", "88.9%", "66.7% to 88.9%")
    bound = ranges._row("accuracy", "everybody", row | {"low_is": "proved", "high_is": "proved"})
    assert (bound.low, bound.high) == ("66.6%", "88.9%")
    assert ranges._row("accuracy", "everybody", row | {"attained_high": 2 / 3}).seen == "66.7%"
    assert seen_thousandths(0.66661, 0.66669) == (667, 667)
    within = ranges._row("accuracy", "everybody", row | {"attained_low": 0.7776, "low_is": "proved"})
    assert (within.today, within.seen) == ("77.8%", "77.8% to 88.8%")
    near = ranges._row("accuracy", "everybody", row | {"estimate": 0.8503, "attained_low": 0.8502})
    assert (near.today, near.seen) == ("85.0%", "85.0% to 88.8%")  # and not from 85.1%, above what it is


def test_rates_behind_a_comparison_are_in_percent_as_above_them():
    """ "selection rate 0.133" stood below a table that called the same number 13.3%."""
    behind = "A93 (128): selection rate 0.133; A 0.5 (83): selection rate 0.060"
    row = {"estimate": 0.073, "low": 0.0, "high": 0.485, "attained_low": 0.0, "attained_high": 0.2}
    row |= {"low_is": "proved", "high_is": "proved", "n": 211, "gap": 0.285, "compared": behind}
    shown = ranges._row("demographic parity difference", "between groups", row)
    assert shown.compared == "A93 (128): selection rate 13.3%; A 0.5 (83): selection rate 6.0%"


def test_possible_splits_are_asked_as_the_tree_asks(page, audit):
    """The tree says "race is Black" and "score ≤ 4": so do the splits that bias could bring about."""
    found = pictures.family(audit, headline(audit).cell)
    said = [text for node in found.nodes for text, _ in node.splits] + [node.path for node in found.nodes]
    assert any("≤" in text for text in said)
    assert not [text for text in said if re.search("[<>=!]=", text)]
    assert not [sign for sign in ("&lt;=", " == ", " != ") if sign in found.svg]
    assert "“Seen with” (≤ in the picture)" in page
    assert "“nothing more” (“no more” in the picture)" in page


def test_features_that_are_not_listed_are_said_to_be_possible():
    """ "other features: and other features" says nothing."""
    assert pictures._rest("and other features") == "not excluded either, and not listed"
    assert pictures._rest("every other feature needs at least 3") == "every other feature needs at least 3"


def test_levels_that_are_not_shown_are_told():
    X = pd.DataFrame({"x": range(16)})
    y = [0, 1, 1, 0, 1, 0, 0, 1, 1, 0, 1, 1, 0, 0, 1, 0]
    for depth, told in ((2, False), (4, True)):
        audit = audit_of((X, y, X, y), (Sweep("a", parse("flip(?)"), ("1",)),), most=2, depths=(depth,))
        assert ("the upper 2 levels are shown" in render(audit)) == told


def test_a_tree_that_is_no_better_than_the_majority_is_called_that_at_the_top():
    X = pd.DataFrame({"x": np.arange(20.0)})
    y = pd.Series((X["x"] > 9).astype(int))
    audit = audit_of((X, y, X, 1 - y), (Sweep("wrong", parse("flip(?)"), ("1",)),), depths=(1,))
    (warning,) = headline(audit).warnings
    assert warning.startswith(
        "THE TREE IS NO BETTER THAN ALWAYS SAYING 0: it is right about 0 of these people"
    )


def test_an_untested_learner_is_named_at_the_top(audit, monkeypatch):
    monkeypatch.setattr("everytree.support.version.NEWEST_LEARNER", (1, 6))
    said = headline(audit).warnings
    assert "is not a tested version" in said[0]
    assert any("is not a tested version" in fact.note for fact in method.facts(audit))


def twenty_people(*sweeps, most=12):
    X = pd.DataFrame({"x": np.arange(20.0)})
    y = (X["x"] > 9).astype(int)
    return audit_of((X, y, X, y), sweeps, most=most, depths=(1,))


def test_a_tie_is_one_only_if_nothing_changes():
    audit = twenty_people(Sweep("both", parse("flip(?) + miss(12)"), ("1",), radius=True))
    (packed,) = people.people_data(audit)["radii"]
    (result,) = audit.radii.values()
    refuted_at_once = np.flatnonzero(result.upper == 0)
    assert len(refuted_at_once)
    assert all(result.witnesses[p].size for p in refuted_at_once)
    assert (packed["family"], packed["single"], packed["ties"]) == ("flip(?) + miss(12)", False, [])
    witness = result.witnesses[int(refuted_at_once[0])]
    nothing = replace(witness, flipped={}, removed=[], added=witness.added.iloc[:0])
    tied = replace(result, witnesses={int(refuted_at_once[0]): nothing})
    assert people._radius(next(iter(audit.radii)), tied)["ties"] == [int(refuted_at_once[0])]


def shown_records(data, number):
    """The records of a witness as the page puts them together."""
    witness, old, new = data["witnesses"][number], data["records"], data["added"]
    known = lambda table, r: [c["values"][c["codes"][r]] for c in table["columns"]]  # noqa: E731
    name = data["labels"]
    rows = [
        ["flip", str(old["rows"][r]), name[old["labels"][r]], name[to], *known(old, r)]
        for r, to in zip(witness["flipped"], witness["to"], strict=True)
    ]
    rows += [
        ["remove", str(old["rows"][r]), name[old["labels"][r]], "", *known(old, r)]
        for r in witness["removed"]
    ]
    return rows + [["add", "", "", name[new["labels"][a]], *known(new, a)] for a in range(*witness["added"])]


def test_every_witness_is_kept_with_its_records(audit, data):
    kinds = set()
    for packed, result in zip(data["cells"], audit.verdicts.values(), strict=True):
        refuted = [p for p, letter in enumerate(packed["verdicts"]) if letter == "n"]
        assert len(refuted) == len(packed["witnesses"])
        for person, number in zip(refuted, packed["witnesses"], strict=True):
            rows = shown_records(data, number)
            assert rows == records_of(result, person)
            assert data["labels"][data["witnesses"][number]["after"]] == str(result.witness(person).after)
            kinds |= {row[0] for row in rows}
    assert kinds == {"flip", "remove", "add"}


def test_witnesses_and_records_are_kept_once(audit, data):
    people_refuted = sum(len(result.witnesses) for result in audit.verdicts.values())
    assert len(data["witnesses"]) < people_refuted
    assert len(set(data["records"]["rows"])) == len(data["records"]["rows"])


def test_interchangeable_records_are_noted(audit, data):
    witness = next(iter(next(iter(audit.verdicts.values())).witnesses.values()))
    packed = data["witnesses"][data["cells"][0]["witnesses"][0]]
    sets = [(rows, count) for rows, count in witness.alternatives if count < len(rows)]
    assert packed["pools"] == [[count, len(rows)] for rows, count in sets]
    for row, pool in zip([*witness.flipped, *witness.removed], packed["pool"], strict=True):
        assert pool == -1 or row in sets[pool][0]


def test_a_set_without_other_records_is_none(audit):
    """Nobody can take the place of a record that is alone in its set."""
    witness = next(w for r in audit.verdicts.values() for w in r.witnesses.values() if w.flipped)
    rows = list(witness.flipped)
    alone = replace(witness, alternatives=[(np.array([row]), 1) for row in rows])
    train = next(iter(audit.prepared.values())).train
    book = people._Notebook(train, [])
    packed = book.witnesses[book.note(alone)]
    assert packed["pools"] == []
    assert set(packed["pool"]) == {-1}


def test_the_same_audit_gives_the_same_bytes(audit, page, tmp_path):
    told = []
    path = write_report(audit, tmp_path / "report.html", progress=lambda *said: told.append(said))
    assert path.read_text(encoding="utf-8") == page
    assert told[-1] == (1.0, 0)
    assert [p.name for p in tmp_path.iterdir()] == ["report.html"]


def test_nothing_is_asked_of_the_network(page):
    outline = Outline(page)
    assert all(address.startswith("#") for address in outline.addresses)
    assert not {"link", "iframe", "img", "object", "embed"} & set(outline.tags)
    assert "@import" not in page
    assert re.findall(r"url\((?!#)", page) == []


def test_the_policy_allows_this_script_and_no_other(page):
    allowed = re.search(r"script-src 'sha256-([^']+)'", page)[1]
    script = re.search(r"(?s)<script>(.*?)</script>", page)[1]
    assert base64.b64encode(hashlib.sha256(script.encode()).digest()).decode() == allowed
    assert "default-src 'none'" in page


def test_ids_occur_once(page):
    ids = Outline(page).ids
    assert len(ids) == len(set(ids))


def test_markup_in_names_and_values_stays_text():
    nasty = nasty_audit()
    page = render(nasty)
    outline = Outline(page)
    assert outline.tags.count("script") == 2
    assert "img" not in outline.tags
    assert "b" not in outline.tags
    said = "".join(outline.text)
    assert NASTY in said
    packed = people_in(page)
    assert packed["columns"][0]["name"] == NASTY
    assert packed["labels"] == [NASTY, "<b>no</b>"]
    picture = curve(nasty, 0, 1, (NASTY,))
    assert picture is not None
    assert NASTY in "".join(Outline(picture.svg).text)  # the title of the legend


def test_groups_are_named_with_their_column():
    """A number alone is no name, and a band needs its column."""
    groups = (("score",), ("score by 3",), ("race", "score by 3"))
    audit = hiring_audit(groups=groups, smallest_group=1, depths=(1,))
    said = [each.sentence for each in groupings(audit, audit.verdicts[audit.plan.cells()[0]])]
    assert "The group “score = " in said[0]
    assert "people with score under 3 and " in said[1]
    assert "The group “race " in said[2]
    assert ", score " in said[2]


def test_the_first_screen(audit, page):
    first = headline(audit)
    assert (first.cell.sweep, first.cell.depth, first.cell.amount) == (0, 2, "2")  # never silently the first
    said = " ".join("".join(Outline(page).text).split())
    assert f"wrong labels, tree of depth 2 {first.lead}" in said
    assert [row.depth for row in first.depths] == [1, 2]
    assert first.depths[0].facts.asks == "score ≤ 4"
    assert "88.9%; always saying 0: 55.6%" in said
    assert first.also == "With less of the same bias, the share that is proved is 22.2% at 1."
    by_race = audit.verdicts[first.cell].by_group("race")
    groups = {group.name: group for group in first.groupings[0].groups}
    for name, row in by_race.iterrows():
        assert (groups[name].people, groups[name].robust) == (row["n"], round(row["n"] * row["robust"]))
    assert [g.title for g in first.groupings] == ["race", "race and score"]


def test_one_person_is_no_people():
    X, y = pd.DataFrame({"x": [0.0, 1.0, 8.0, 9.0]}), [0, 0, 1, 1]
    audit = audit_of((X, y, X[:1], y[:1]), (Sweep("wrong", parse("flip(1)")),), depths=(1,))
    said = " ".join("".join(Outline(render(audit)).text).split())
    assert "1 person, 100%" in said
    assert "for 1 person." in said
    assert "1 people" not in said


def test_people_whom_the_tree_was_learned_from_are_called_that(page):
    X, y = pd.DataFrame({"x": [0.0, 1.0, 8.0, 9.0]}), [0, 0, 1, 1]
    wrong = (Sweep("wrong", parse("flip(1)")),)
    others = [audit_of((X, y, *people), wrong, depths=(1,)) for people in ((X + 1, y), (X, [0, 1, 1, 1]))]
    itself = "The people are the rows that it was learned from: about others it may be right less often."
    for text, expected in ((page, True), *((render(audit), False) for audit in others)):
        said = " ".join("".join(Outline(text).text).split())
        assert (itself in said) is expected
        assert (", the rows of the training table." in said) is expected


def test_a_label_is_not_torn_from_its_count(audit, page):
    facts = headline(audit).depths[0].facts
    assert facts.predicts.replace(" (", "\u00a0(") in page


def test_a_tree_that_says_the_same_to_everybody_is_called_that_first():
    X = pd.DataFrame({"x": range(20)})
    y = (["no"] * 4 + ["yes"] + ["no"] * 5) * 2
    flips = Sweep("wrong labels", parse("flip(1)"), engine="relational")
    page = render(audit_of((X, y, X, y), (flips,), depths=(1,)))
    said = " ".join("".join(Outline(page).text).split())
    loud = said.index("THE TREE TELLS NOBODY APART: each of its leaves says no.")
    assert loud < said.index("If up to 1 training row has a wrong label") < said.index("How the tree does")
    assert "90.0%; always saying no: 90.0%: NO BETTER THAN THAT" in said


def test_everything_is_said_that_a_reader_needs(page):
    said = " ".join("".join(Outline(page).text).split())
    for words in (
        "What this report does not say",
        "Nothing about truth",
        "No verdict was cut off by a limit",
        "SHA-256, train",
        "a" * 64,
        "DecisionTreeClassifier(max_depth=2, random_state=0)",
        "float32",
        "attained",
        "proved",
        "fake(?) + miss(?)",
        "infinitely many",
        "needs JavaScript",
        "score ≤ 4?",
    ):
        assert words in said, words


def test_the_commands_do_what_they_say(data, capsys):
    cell = data["cells"][0]
    refuted = cell["verdicts"].index("n")
    witness, check = (shlex.split(command) for command in cell["commands"])
    assert main([*witness[1:], str(refuted)]) == 0
    assert "not robust" in capsys.readouterr().err
    assert main([*check[1:], str(cell["verdicts"].index("r"))]) == 0
    assert "confirmed" in capsys.readouterr().err


def test_commands_are_not_broken_within_an_option(page):
    """A line that ends with one dash of two is mistyped from paper."""
    assert '<span class="option"> --depth</span>' in page
    assert "everytree witness" in page
    assert not re.search(r"<code>[^<]*everytree \w+[^<]* --", page)


def test_commands_name_files_without_folders():
    from everytree.audit import Cell
    from everytree.show.report.method import commands

    data = Data("/home/someone/a b.csv", "C:\\people\\test.csv", "hired", ("id",), ("zip",), "ordinal")
    cell = Cell(0, None, None, 2, parse("flip(1, where race == 'it''s')".replace("''", "")))
    line = shlex.split(commands(data, cell)[0])
    assert line == [
        *("everytree", "witness", "a b.csv", "test.csv", "--label", "hired", "--drop", "id"),
        *("--categorical", "zip", "--encoding", "ordinal", "--depth", "2"),
        *("--bias", 'flip(1, where race == "its")', "--person"),
    ]


def test_a_search_that_was_cut_off_is_named():
    X = pd.DataFrame({"x": range(12)})
    y = [0] * 6 + [1] * 6
    cut = audit_of((X, y, X, y), (Sweep("wrong", parse("flip(2)")),), depths=(1,))
    ((cell, result),) = cut.verdicts.items()
    verdicts = np.full(12, "unknown", "<U10")
    cut = replace(cut, verdicts={cell: replace(result, verdicts=verdicts, witnesses={}, complete=False)})
    said = " ".join("".join(Outline(render(cut)).text).split())
    assert "A limit ended 1 computation early: flip(2), depth 1." in said
    assert "A time or memory limit ended the search early" in said
    assert "cut off" in said


def test_an_audit_without_groups_amounts_or_true_labels():
    X = pd.DataFrame({"x": range(12)}, index=[f"row {i}" for i in range(12)])
    plain = audit_of((X, [0] * 6 + [1] * 6, X, None), (Sweep("flip(1)", parse("flip(1)")),), depths=(1,))
    page = render(plain)
    packed = people_in(page)
    assert packed["truth"] is None
    assert packed["groups"] == []
    assert packed["names"] == [f"row {i}" for i in range(12)]
    assert packed["cells"][0]["amount"] == "flip(1)"
    assert "By " not in "".join(Outline(page).text).split("What this report")[0]


def test_missing_values_and_numbers_are_told_apart():
    column = people._column("c", pd.Series([2.0, None, 10.0, 0.1 + 0.2]))
    assert column == {"name": "c", "values": ["0.3", "2", "10"], "codes": [1, -1, 2, 0]}
    mixed = people._column("c", pd.Series(["b", 1, "a"], dtype=object))
    assert [mixed["values"][code] for code in mixed["codes"]] == ["b", "1", "a"]


def test_columns_that_do_not_fit_are_named(audit, monkeypatch):
    monkeypatch.setattr(people, "MOST_BYTES", 0)
    data = people.people_data(replace(audit, plan=replace(audit.plan, groups=(("race",),))))
    assert [column["name"] for column in data["columns"]] == ["race"]
    assert data["left_out"] == ["score"]


def test_free_text_and_columns_not_asked_for_are_not_copied():
    X = pd.DataFrame({"x": range(60), "name": [f"Secret {i}" for i in range(60)], "sex": ["f", "m"] * 30})
    flips = Sweep("wrong labels", parse("flip(1)"))
    audit = audit_of((X, [0] * 30 + [1] * 30, X, None), (flips,), depths=(1,))
    data = people.people_data(audit)
    assert [column["name"] for column in data["columns"]] == ["x", "sex"]
    assert [column["name"] for column in data["records"]["columns"]] == ["x", "sex"]
    assert data["withheld"] == ["name"]
    assert data["witnesses"]
    assert "Secret" not in str(data)
    asked = replace(audit.plan, outputs=replace(audit.plan.outputs, columns=("name",)))
    data = people.people_data(replace(audit, plan=asked))
    assert [column["name"] for column in data["columns"]] == ["name"]
    assert data["withheld"] == ["x", "sex"]


def test_the_headline_is_not_about_an_amount_at_which_nearly_nothing_is_known():
    audit = twenty_people(Sweep("wrong", parse("flip(?)"), ("1", "2", "3", "4"), engine="relational"))
    first, *larger = audit.verdicts
    unknown = np.array(["unknown"] * 20)
    undecided = {cell: replace(audit.verdicts[cell], verdicts=unknown, witnesses={}) for cell in larger}
    opened = headline(replace(audit, verdicts={first: audit.verdicts[first], **undecided}))
    assert opened.cell == first
    assert opened.also == (
        "At the other amounts of this bias model, the share that is proved is 0% at 2, 0% at 3 and 0% at 4. "
        "With 2, 3 and 4 most people are unknown."
    )
    nobody = {
        cell: replace(result, verdicts=np.array(["unknown"] * 20)) for cell, result in audit.verdicts.items()
    }
    assert headline(replace(audit, verdicts=nobody)).cell == larger[-1]


def test_less_is_said_only_of_less():
    model = parse("flip(?, where x < 5) + flip(?, where x >= 5)")
    sweep = Sweep("both", model, ("4", "30% of group"), engine="relational")
    first = headline(replace(twenty_people(sweep), radii={}))
    assert first.cell.amount == "4"  # eight records in all; the other amount allows two and five
    assert first.also.startswith("At the other amounts of this bias model, the share that is proved is ")
    same = headline(twenty_people(Sweep("same", parse("flip(?)"), ("10%", "2"))))
    assert same.also.startswith("At the other amounts of this bias model")
    fewer = headline(twenty_people(Sweep("fewer", parse("flip(?) + fake(2)"), ("2", "1"))))
    assert fewer.cell.amount == "2"
    assert fewer.also.startswith("With less of the same bias, the share that is proved is ")


def test_an_axis_of_records_counts_what_is_free():
    audit = twenty_people(Sweep("a", parse("flip(?) + fake(9)"), ("1", "4", "25%"), engine="relational"))
    assert list(pictures._by_amount(audit, 0, 1)) == [1, 4, 5]
    assert "for ? in flip(?) + fake(9)." in curve(audit, 0, 1).caption
    model = parse("flip(?, where x < 5) + flip(?, where x >= 5)")
    audit = twenty_people(Sweep("b", model, ("2", "20% of group"), engine="relational"))
    assert [pictures._free_counts(audit, cell) for cell in audit.verdicts] == [(2, 2), (1, 3)]
    assert pictures._by_amount(audit, 0, 1) == {}
    assert curve(audit, 0, 1) is None


def test_thin_lines_are_explained():
    X = pd.DataFrame({"x": range(40), "g": ["few"] * 8 + ["many"] * 32})
    y = [0] * 20 + [1] * 20
    audit = audit_of((X, y, X, y), (Sweep("a", parse("flip(?)"), ("1",), radius=True),), most=2, depths=(1,))
    said = "Thin lines are groups of fewer than 30 people."
    assert curve(audit, 0, 1, ("g",)).caption.endswith(said)
    assert said not in curve(audit, 0, 1).caption


def test_the_axis_spans_all_amounts_asked_for(monkeypatch):
    """Also where the last prediction is lost long before the largest amount."""
    drawn = []
    monkeypatch.setattr(pictures, "svg_of", lambda display: drawn.append(display) or "")
    X = pd.DataFrame({"x": range(40)})
    y = [0] * 20 + [1] * 20
    sweep = Sweep("few", parse("flip(?, where x < 3)"), ("1", "3"), radius=True)
    audit = audit_of((X, y, X, y), (sweep,), most=30, depths=(1,))
    drawn_all = curve(audit, 0, 1)
    assert max(drawn[0].data["amount"]) == 30
    assert drawn_all.caption.endswith("each step is the amount at which people lose their proof.")
    ((cell, radius),) = audit.radii.items()
    hurried = replace(audit, radii={cell: replace(radius, complete=False)})
    assert curve(hurried, 0, 1).caption.endswith(
        "A limit ended the search: more may be robust than is drawn."
    )
    tied = replace(audit, radii={cell: replace(radius, lower=np.minimum(radius.lower, -1))})
    assert curve(tied, 0, 1).caption.endswith("may hang on a tie between splits as things are.")


def test_the_time_that_auto_takes_is_said(audit):
    said = {fact.what: fact.value for fact in method.facts(audit)}["Time limit"]
    assert said == (
        f"none for the walk; “auto” then decides for at most {DECIDING_SECONDS:g} seconds in each "
        "computation, for each amount that a radius tries"
    )
    sweeps = tuple(replace(sweep, engine="relational", radius=False) for sweep in audit.plan.sweeps)
    for plan, words in (
        (replace(audit.plan, sweeps=sweeps), "none"),
        (replace(audit.plan, time_limit=5.0), "5 seconds for each computation"),
    ):
        assert method._time_limit(plan) == words


def test_the_people_in_the_commands_exist(audit, page):
    said = " ".join("".join(Outline(page).text).split())
    result = audit.verdicts[headline(audit).cell]
    named = method.examples(result)
    shown = [f"{line} {person}" for line, person in method.checks(audit, headline(audit).cell)]
    assert " ".join(shown) in said
    assert named["refuted"] == min(result.witnesses)
    assert "derives a proof again where the walk alone gives one" in said
    cell = next(iter(audit.verdicts))  # some are robust here
    proved = method.examples(audit.verdicts[cell])["proved"]
    assert audit.verdicts[cell].verdicts[proved] == "robust"
    ranges = audit.verdicts[cell].probability_ranges.copy()
    ranges[proved] = (0.0, 1.0)
    other = method.examples(replace(audit.verdicts[cell], probability_ranges=ranges))["proved"]
    assert other > proved  # the walk proves this one


def test_a_proof_is_checked_where_there_is_one(audit):
    """Where nobody is proved in the cell of the finding, the command is about another one."""
    cell = headline(audit).cell
    nobody = replace(
        audit.verdicts[cell], verdicts=np.full(len(audit.verdicts[cell]), "unknown"), witnesses={}
    )
    for verdicts in ({**audit.verdicts, cell: nobody}, {cell: nobody}):
        lines = method.checks(replace(audit, verdicts=verdicts), cell)
        assert [line.split()[1] for line, _ in lines] == (["check", "witness"] if len(verdicts) > 1 else [])
        for line, person in lines:
            said = shlex.split(line)
            model, depth = (said[said.index(option) + 1] for option in ("--bias", "--depth"))
            (named,) = (c for c in verdicts if (str(c.model), str(c.depth)) == (model, depth))
            assert verdicts[named].verdicts[person] == ("robust" if said[1] == "check" else "not robust")


def test_amounts_in_different_units_share_an_axis_of_records():
    X = pd.DataFrame({"x": range(40)})
    y = [0] * 20 + [1] * 20
    mixed = audit_of((X, y, X, y), (Sweep("wrong", parse("flip(?)"), ("10%", "1")),), depths=(1,))
    picture = curve(mixed, 0, 1)
    assert picture is not None
    assert "records" in picture.svg


def test_a_learned_tree_asks_in_original_terms():
    X = pd.DataFrame({"race": ["A", "B"] * 10, "size": range(20)})
    y = [int(race == "B") for race in X["race"]]
    audit = audit_of((X, y, X, y), (Sweep("wrong", parse("flip(1)")),), depths=(1,))
    tree = learned_tree(audit.prepared[1], 1)
    assert tree.root.says in ("race is A", "race is B")
    answers = {child.answer: child.says for child in tree.root.children}
    assert answers == ({"yes": "1", "no": "0"} if tree.root.says == "race is B" else {"yes": "0", "no": "1"})


def test_a_column_of_0_and_1_is_asked_about_as_in_the_picture_of_splits():
    X = pd.DataFrame({"married": [0, 1] * 10, "size": range(20)})
    y = X["married"].tolist()
    audit = audit_of((X, y, X, y), (Sweep("wrong", parse("flip(1)")),), depths=(1,))
    tree = learned_tree(audit.prepared[1], 1)
    assert tree.root.says == "married is 1"
    assert [(child.answer, child.says) for child in tree.root.children] == [("yes", "1"), ("no", "0")]


def test_a_leaf_of_one_row():
    X, y = pd.DataFrame({"x": range(8)}), [0, *[1] * 7]
    audit = audit_of((X, y, X, y), (Sweep("wrong", parse("flip(1)")),), depths=(1,))
    tree = learned_tree(audit.prepared[1], 1)
    assert {child.rows for child in tree.root.children} == {"100% of 1 row", "100% of 7 rows"}


def test_without_groups_nothing_is_said_of_them(page):
    without = render(hiring_audit(groups=()))
    for said in (
        "how equally it treats groups",
        "Amounts and groups",
        "amounts and groups",
        "metric and group",
    ):
        assert said in page
        assert said not in without


def test_bands_are_called_among_the_people_as_above_their_table():
    audit = hiring_audit(groups=(("score by 3",),), depths=(1,))
    data = people.people_data(audit)
    assert [data["columns"][c]["name"] for c in data["groups"]] == ["score, in bands"]
    assert [each.title for each in headline(audit).groupings] == ["score, in bands"]


def test_a_power_of_ten_is_copied_as_one():
    X, y = pd.DataFrame({"x": range(40)}), [0] * 20 + [1] * 20
    audit = audit_of((X, y, X, y), (Sweep("wrong", parse("flip(?)"), ("9",)),), depths=(1,))
    assert re.search(r"about 10\^\d+\.\d", "".join(Outline(render(audit)).text))


def test_without_jinja_the_message_says_what_to_install(audit, monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "jinja2", None)
    with pytest.raises(EverytreeError, match=r'pip install "everytree\[report\]"'):
        write_report(audit, tmp_path / "report.html")
    assert list(tmp_path.iterdir()) == []


def test_a_path_that_cannot_be_written_is_refused_first(audit, tmp_path):
    with pytest.raises(EverytreeError, match="cannot be written"):
        write_report(audit, tmp_path / "missing" / "report.html")
    with pytest.raises(EverytreeError, match=r"\.html"):
        write_report(audit, tmp_path / "report.txt")
    assert list(tmp_path.iterdir()) == []
