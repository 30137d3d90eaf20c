"""The report in a real browser: everything a reader does with it, by mouse, keyboard, screen and paper."""

import csv
import io
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from everytree.audit import Sweep
from everytree.bias import parse
from everytree.show.report import write_report
from everytree.show.report.overview import headline
from tests.show import browser
from tests.show.report_audits import NASTY, audit_of, compas_audit, nasty_audit, records_of

MISSING = browser.why_not()
pytestmark = pytest.mark.skipif(MISSING is not None, reason=f"no browser: {MISSING}")

PAGE = 25
"""People on one page of the explorer."""


@pytest.fixture(scope="module")
def audit():
    return compas_audit()


@pytest.fixture(scope="module")
def report(audit, tmp_path_factory):
    return write_report(audit, tmp_path_factory.mktemp("report") / "report.html")


@pytest.fixture(scope="module")
def nasty(tmp_path_factory):
    audit = nasty_audit()
    return audit, write_report(audit, tmp_path_factory.mktemp("nasty") / "nasty.html")


@pytest.fixture(scope="module")
def driver():
    with browser.open_browser() as opened:
        yield opened


@pytest.fixture
def opened(driver, report):
    browser.emulate(driver)
    browser.open_page(driver, report)
    return driver


@pytest.fixture(scope="module")
def first(audit):
    """The cell that the report opens with, and its result."""
    cell = headline(audit).cell
    return cell, audit.verdicts[cell]


def status(driver):
    return driver.find_element("id", "status").text


def rows(driver):
    """Texts of the rows shown, without opened details."""
    script = """return [...document.querySelectorAll('#people-rows tr:not(.details)')]
        .map((row) => [...row.children].map((cell) => cell.textContent));"""
    return driver.execute_script(script)


def choose(driver, name, text):
    from selenium.webdriver.support.ui import Select

    box = Select(driver.find_element("id", name))
    (wanted,) = [option for option in box.options if option.text.startswith(text)]
    wanted.click()


def search(driver, text):
    from selenium.webdriver.support.ui import WebDriverWait

    driver.execute_script("window.drawn = document.querySelector('#people-rows').firstChild")
    box = driver.find_element("id", "search")
    box.clear()
    box.send_keys(text)
    changed = "return window.drawn !== document.querySelector('#people-rows').firstChild"
    WebDriverWait(driver, 5, poll_frequency=0.05).until(lambda d: d.execute_script(changed))


def test_it_loads_without_errors_or_requests(driver, report):
    driver.get_log("browser")
    browser.open_page(driver, report)
    assert driver.get_log("browser") == []
    assert browser.requests(driver) == [report.as_uri()]


def test_the_people_are_those_of_the_result(opened, first):
    cell, result = first
    assert status(opened) == "1,543 of 1,543 people, page 1 of 62"
    shown = rows(opened)
    assert len(shown) == PAGE
    assert [row[1] for row in shown] == result.verdicts[:PAGE].tolist()
    assert [row[2] for row in shown] == [str(label) for label in result.predictions[:PAGE]]
    assert opened.find_element("id", "asked").text == str(cell.model)


def test_verdicts_and_groups_filter(opened, first):
    _, result = first
    race = (result.frame["race"] == "Hispanic").to_numpy()
    refuted = result.verdicts == "not robust"
    choose(opened, "choose-verdict", f"not robust ({int(refuted.sum()):,})")
    assert status(opened).startswith(f"{int(refuted.sum()):,} of 1,543 people")
    group = opened.execute_script(
        "return [...document.querySelectorAll('#groups label')].find((l) => l.textContent === 'race').htmlFor"
    )
    choose(opened, group, "Hispanic")
    both = int((race & refuted).sum())
    assert status(opened).startswith(f"{both} of 1,543 people")
    assert {row[1] for row in rows(opened)} == {"not robust"}
    options = opened.find_element("id", "choose-verdict").text
    assert f"robust ({int((race & ~refuted).sum())})" in options
    opened.find_element("id", "clear").click()
    assert status(opened).startswith("1,543 of 1,543 people")


def test_search(opened, first):
    frame = first[1].frame
    search(opened, "asian")
    found = frame.apply(lambda column: column.astype(str).str.lower().str.contains("asian")).any(axis=1)
    assert status(opened).startswith(f"{int(found.sum())} of 1,543 people")
    search(opened, "age=34 male")
    male = frame.apply(lambda column: column.astype(str).str.lower().str.contains("male")).any(axis=1)
    assert status(opened).startswith(f"{int(((frame['age'] == 34) & male).sum())} of 1,543 people")
    example = opened.find_element("css selector", "#search-whole code").text
    column, value = example.split("=")
    assert str(frame[column].iloc[0]) == value, "the help has a column and a value of this very table"
    search(opened, example)
    assert status(opened).startswith(
        f"{int((frame[column] == frame[column].iloc[0]).sum()):,} of 1,543 people"
    )
    search(opened, "#12")
    assert [row[0] for row in rows(opened)] == ["12"]
    search(opened, "ÁSIAN")
    assert status(opened).startswith(f"{int(found.sum())} of 1,543 people")
    search(opened, "nobody at all")
    assert status(opened) == "0 of 1,543 people. Nobody passes these filters."


def test_another_assumption(opened, audit):
    choose(opened, "choose-cell", "0.5%, one group")
    (cell,) = audit.of(1, 1)
    result = audit.verdicts[cell]
    assert opened.find_element("id", "asked").text == str(cell.model)
    assert [row[1] for row in rows(opened)] == result.verdicts[:PAGE].tolist()
    heads = opened.find_element("id", "people-head").text
    assert "Radius" not in heads  # this bias model has none


def test_sorting_by_radius(opened, audit):
    radius = audit.radius_of(0, 1)
    opened.find_element("css selector", '[data-sort="radius"]').click()
    column = [row[4] for row in rows(opened)]
    weakest = np.flatnonzero(radius.lower == radius.lower.min())
    assert [int(row[0]) for row in rows(opened)] == weakest[:PAGE].tolist()
    assert column[0] == str(radius.lower.min())
    opened.find_element("css selector", '[data-sort="radius"]').click()
    assert rows(opened)[0][4] == f"at least {radius.lower.max()}"
    sorted_head = opened.find_element("css selector", '#people-head th[aria-sort="descending"]')
    assert sorted_head.text.startswith("Radius")


@pytest.fixture(scope="module")
def several(tmp_path_factory):
    """Families of several components, whose amounts are not numbers of records; a long name."""
    X = pd.DataFrame({"x": np.arange(20.0)})
    y = (X["x"] > 9).astype(int)
    sweeps = (
        Sweep(
            "labels of people who moved here lately, and rows",
            parse("flip(?) + miss(12)"),
            ("1",),
            radius=True,
        ),
        Sweep("both", parse("flip(?) + miss(?)"), ("1", "2"), radius=True),
    )
    audit = audit_of((X, y, X, y), sweeps, most=2, depths=(1,))
    return audit, write_report(audit, tmp_path_factory.mktemp("several") / "report.html")


def radius_said(driver, report, person, cell):
    browser.open_page(driver, report, f"#person={person}&cell={cell}")
    script = """return [...document.querySelectorAll('.person dl.facts div')]
        .map((line) => [...line.children].map((part) => part.textContent))
        .find(([name]) => name.startsWith('Radius'));"""
    return driver.execute_script(script)


def test_a_radius_of_several_components_is_no_number_of_records(driver, several):
    audit, report = several
    found = audit.radius_of(0, 1)
    at_once = int(np.argmax(found.upper == 0))
    assert found.witnesses[at_once].size > 0
    assert radius_said(driver, report, at_once, 0) == [
        "Radius, as the value of ?",
        "Under flip(?) + miss(12) nothing is proved, not even with ? = 0. With ? = 0 a change that gives "
        "another label is known.",
    ]
    assert rows(driver)[at_once][4] == "none"
    found = audit.radius_of(1, 1)
    exact = int(np.argmax(found.exact & (found.lower > 0)))
    low = int(found.lower[exact])
    assert radius_said(driver, report, exact, 1)[1] == (
        f"Proved under flip(?) + miss(?) for every ? up to {low}. With ? = {low + 1} a change that gives "
        "another label is known."
    )
    assert "Radius (?)" in driver.find_element("id", "people-head").text


def test_a_radius_of_one_component_is_a_number_of_records(driver, report, audit):
    found = audit.radius_of(0, 1)
    exact = int(np.argmax(found.exact & (found.lower > 1)))
    low = int(found.lower[exact])
    assert radius_said(driver, report, exact, 0) == [
        "Radius in records",
        f"Proved for every change of up to {low} records. A change of {low + 1} records that gives another "
        "label is known.",
    ]


def test_a_radius_of_nothing_is_the_table_as_it_is(driver, tmp_path):
    X, y = pd.DataFrame({"x": [1, 2, 3, 4]}), [0, 0, 1, 1]
    sweep = Sweep("a", parse("flip(?)"), ("1",), radius=True)
    audit = audit_of((X, y, X, y), (sweep,), most=2, depths=(1,))
    person = int(np.argmax(audit.radius_of(0, 1).lower == 0))
    assert radius_said(driver, write_report(audit, tmp_path / "report.html"), person, 0)[1] == (
        "Proved for the table as it is. A change of 1 record that gives another label is known."
    )


def test_a_radius_without_a_proof_says_what_is_known(driver, tmp_path):
    """A witness of 3 records beside the word "unknown" would be a contradiction."""
    X, y = pd.DataFrame({"x": [1, 2, 3, 4]}), [0, 0, 1, 1]
    sweep = Sweep("a", parse("flip(?)"), ("1",), radius=True)
    audit = audit_of((X, y, X, y), (sweep,), most=2, depths=(1,))
    ((cell, found),) = audit.radii.items()
    ends = replace(found, lower=np.full(4, -1), upper=np.array([1.0, 3.0, np.inf, 0.0]))
    audit = replace(audit, radii={cell: ends})
    browser.open_page(driver, write_report(audit, tmp_path / "report.html"))
    assert [row[4] for row in rows(driver)][:3] == ["below 1", "below 3", "unknown"]


def test_who_is_unknown_is_told_why(driver, tmp_path):
    """Not everybody is unknown for lack of time: "before the time limit" was said to all."""
    X, y = pd.DataFrame({"x": [1, 2, 3, 4]}), [0, 0, 1, 1]
    audit = audit_of((X, y, X, y), (Sweep("a", parse("flip(?)"), ("1",)),), most=2, depths=(1,))
    ((cell, found),) = audit.verdicts.items()
    verdicts = np.array(["robust", "unknown", "unknown", "unknown"])
    reasons = np.array(["", "tie", "time", "tie"])
    told = replace(found, verdicts=verdicts, reasons=reasons, witnesses={}, complete=False)
    report = write_report(replace(audit, verdicts={cell: told}), tmp_path / "report.html")
    neither, ties = "Neither a proof nor a witness was found", "The label depends on how ties are broken"
    for person, words in ((1, f"{neither}. {ties}"), (2, f"{neither} before the time limit."), (3, ties)):
        browser.open_page(driver, report, f"#person={person}&cell=0")
        said = driver.find_element("css selector", f"#details-{person} .says").text
        assert words in said
        again = driver.find_element("css selector", f"#details-{person} .command").text  # no proof to check
        assert again.startswith("Look again, for this person alone: everytree witness ")


def test_the_amount_of_an_assumption_is_seen_first(driver, several):
    _, report = several
    browser.open_page(driver, report)
    names = [option.text for option in driver.find_elements("css selector", "#choose-cell option")]
    assert names == ["1, labels of people who moved here lately, and rows", "1, both", "2, both"]


def test_paging(opened):
    assert not opened.find_element("id", "previous").is_enabled()
    opened.find_element("id", "next").click()
    assert status(opened) == "1,543 of 1,543 people, page 2 of 62"
    assert [row[0] for row in rows(opened)] == [str(p) for p in range(PAGE, 2 * PAGE)]
    opened.find_element("id", "previous").click()
    assert rows(opened)[0][0] == "0"


def shown_records(driver):
    while more := driver.find_elements("xpath", "//button[starts-with(., 'Show all')]"):
        more[0].click()
    script = """return [...document.querySelectorAll('.records:not(.paper *) tr')]
        .map((row) => [...row.children].map((cell) => cell.textContent));"""
    heads, *lines = driver.execute_script(script)
    return heads, lines


def test_a_link_opens_a_person_with_the_witness(driver, report, audit, first):
    _, result = first
    number = list(audit.verdicts).index(first[0])
    person = max(result.witnesses)
    browser.open_page(driver, report, f"#person={person}&cell={number}")
    details = driver.find_element("id", f"details-{person}")
    heads, lines = shown_records(driver)
    known = [place for place, name in enumerate(heads) if name != "set"]
    assert [[line[place] for place in known] for line in lines] == records_of(result, person)
    witness = result.witness(person)
    assert f"Prediction: {witness.before} before, {witness.after} after retraining" in details.text
    assert f"--person {person}" in details.text
    assert driver.switch_to.active_element.get_attribute("data-person") == str(person)
    driver.execute_script("location.hash = '#person=99999'")
    assert "There is no person 99999" in status(driver)


@pytest.mark.parametrize(
    ("bias", "heads"),
    [
        ("flip(1)", ["change", "row", "label before", "label after", "x"]),
        ("fake(2)", ["change", "row", "label before", "x"]),
        ("miss(2)", ["change", "label after", "x"]),
    ],
)
def test_no_heading_of_a_witness_stands_above_nothing(driver, tmp_path, bias, heads):
    X, y = pd.DataFrame({"x": [1, 2, 3, 4]}), [0, 0, 1, 1]
    audit = audit_of((X, y, X, y), (Sweep("a", parse(bias)),), depths=(1,))
    (result,) = audit.verdicts.values()
    person = min(person for person, witness in result.witnesses.items() if witness.size)
    browser.open_page(driver, write_report(audit, tmp_path / "report.html"), f"#person={person}")
    shown, lines = shown_records(driver)
    assert shown == heads
    assert all(any(column) for column in zip(*lines, strict=True))


def test_a_robust_person_says_why(driver, report, first):
    person = int(np.argmax(first[1].verdicts == "robust"))
    browser.open_page(driver, report, f"#person={person}")
    said = driver.find_element("id", f"details-{person}").text
    assert f"predicts {first[1].predictions[person]}." in said
    assert "everytree check compas" in said
    assert "A proof by path programs is not repeated by this checker" in said
    assert f"Labels not excluded\n{first[1].predictions[person]}" in said


def test_everything_by_keyboard(opened):
    from selenium.webdriver.common.keys import Keys

    opened.execute_script("document.getElementById('download').focus()")
    active = lambda: opened.switch_to.active_element  # noqa: E731
    for _ in range(12):
        active().send_keys(Keys.TAB)
        if active().get_attribute("data-person"):
            break
    assert active().get_attribute("data-person") == "0"
    active().send_keys(Keys.ARROW_DOWN)
    active().send_keys(Keys.ARROW_DOWN)
    assert active().get_attribute("data-person") == "2"
    active().send_keys(Keys.ENTER)
    assert opened.find_element("id", "details-2").is_displayed()
    assert active().get_attribute("aria-expanded") == "true"
    assert opened.current_url.partition("#")[2].startswith("person=2&")
    active().send_keys(Keys.ENTER)
    assert opened.find_elements("id", "details-2") == []
    active().send_keys(Keys.ARROW_UP)
    assert active().get_attribute("data-person") == "1"


def test_the_download_holds_the_filtered_people(opened, first):
    cell, result = first
    choose(opened, "choose-verdict", "not robust")
    opened.execute_script(
        "URL.createObjectURL = (blob) => { window.kept = blob.text(); return 'blob:none'; };"
        "HTMLAnchorElement.prototype.click = function () {};"
    )
    opened.find_element("id", "download").click()
    text = opened.execute_async_script("const [done] = arguments; window.kept.then(done)")
    lines = list(csv.DictReader(io.StringIO(text.removeprefix("\ufeff"))))
    assert [int(line["person"]) for line in lines] == sorted(result.witnesses)
    for line in lines[:20]:
        person = int(line["person"])
        assert line["race"] == result.frame["race"].iloc[person]
        assert line["records in witness"] == str(result.witness(person).size)
        assert line["prediction"] == str(result.predictions[person])
        assert line["labels not excluded"] == "0 1"
    assert {line["bias"] for line in lines} == {str(cell.model)}


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_is_accessible(driver, report, first, scheme):
    browser.emulate(driver, scheme=scheme)
    browser.open_page(driver, report, f"#person={min(first[1].witnesses)}")
    driver.execute_script("document.querySelectorAll('details').forEach((d) => { d.open = true; })")
    assert browser.violations(driver) == []


def test_it_fits_a_telephone(driver, report):
    size = {"width": 360, "height": 740, "deviceScaleFactor": 1, "mobile": True}
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    try:
        browser.emulate(driver)
        browser.open_page(driver, report, "#person=8")
        assert driver.execute_script("return document.documentElement.scrollWidth") <= 360
    finally:
        driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def test_the_person_is_not_cut_off_on_a_narrow_screen(driver, nasty):
    audit, path = nasty
    person = min(audit.verdicts[headline(audit).cell].witnesses)
    size = {"width": 400, "height": 740, "deviceScaleFactor": 1, "mobile": False}
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    try:
        browser.emulate(driver)
        browser.open_page(driver, path, f"#person={person}")
        script = """const end = (e) => e.getBoundingClientRect().right;
            const all = [...document.querySelectorAll('.person, .person *')];
            const texts = all.filter((e) => !e.closest('.person .wide *'));
            return [Math.max(...texts.map(end)), end(document.querySelector('#explorer > .wide'))];"""
        text, seen = driver.execute_script(script)
        assert 300 < text <= seen < 400
    finally:
        driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def test_a_search_does_not_mind_accents(driver, nasty):
    _, path = nasty
    browser.emulate(driver)
    browser.open_page(driver, path)
    search(driver, "E漢")  # the value has an é before this letter
    assert status(driver).startswith("12 of 24 people")
    search(driver, "e\u0301漢")
    assert status(driver).startswith("12 of 24 people")


def test_it_prints(opened, audit):
    choose(opened, "choose-verdict", "not robust")
    pdf = browser.print_pdf(opened)
    text = browser.pdf_text(pdf)
    assert browser.pdf_pages(pdf) > 2
    shown = ("depth 1, not robust", status(opened))
    for words in (headline(audit).lead, "What this report does not say", "By sex", *shown):
        assert words.replace(" ", "") in text, words
    assert "Searchallcolumns" not in text


def test_on_paper_a_heading_and_its_first_words_stay_with_what_they_introduce(opened):
    browser.emulate(opened, media="print")
    try:
        breaks = opened.execute_script(
            "const looks = [...document.querySelectorAll('h2 + p')].map((p) => getComputedStyle(p));"
            "return looks.flatMap((look) => [look.breakAfter, look.breakInside])"
        )
    finally:
        browser.emulate(opened)
    assert set(breaks) == {"avoid"}


def test_without_scripts_everything_but_the_people_is_there(driver, report, audit):
    driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    try:
        driver.get("about:blank")
        driver.get(report.as_uri())
        said = driver.find_element("tag name", "body").text
        assert headline(audit).lead in said
        assert "The list of people needs JavaScript" in said
        assert "Reading the list of people" not in said
    finally:
        driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})


def test_markup_is_shown_and_never_run(driver, nasty):
    audit, path = nasty
    driver.get_log("browser")
    person = next(iter(audit.verdicts[headline(audit).cell].witnesses))
    browser.open_page(driver, path, f"#person={person}")
    assert driver.title == NASTY
    assert driver.find_elements("css selector", "img, b") == []
    assert driver.get_log("browser") == []
    said = driver.find_element("id", f"details-{person}").get_attribute("textContent")
    assert NASTY in said
