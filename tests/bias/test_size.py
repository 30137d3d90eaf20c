"""The number of tables against enumeration, and models in plain words."""

from __future__ import annotations

import json
import math
from itertools import combinations, combinations_with_replacement, product

import numpy as np
import pandas as pd
import pytest

from everytree.bias import explain, in_words, log10_tables, parse, resolve
from everytree.bias.size import _log_multisets


@pytest.fixture
def table():
    frame = pd.DataFrame({"race": ["a", "b", "c", "a", "b", "c"], "sex": [0, 1, 0, 1, 0, 1]})
    return frame, np.array([0, 1, 2, 0, 1, 2]), np.array([0, 1, 2])


def count_flips(flips_to, most):
    n_rows = flips_to.shape[0]
    return sum(
        math.prod(int(flips_to[row].sum()) for row in rows)
        for size in range(most + 1)
        for rows in combinations(range(n_rows), size)
    )


def tables(text, table):
    frame = table[0]
    return 10 ** log10_tables(resolve(text, *table), frame)


@pytest.mark.parametrize(
    "text",
    [
        "flip(0)",
        "flip(2)",
        "flip(6)",
        "flip(2, to 1)",
        "flip(3, to [0, 1])",
        'flip(3, where sex == 1) + flip(1, where race == "a", to 2)',
        "flip(9, where label == 0)",
    ],
)
def test_flips_against_enumeration(table, text):
    resolved = resolve(text, *table)
    assert tables(text, table) == pytest.approx(count_flips(resolved.flips_to, resolved.flips))


@pytest.mark.parametrize(
    "text", ["fake(0)", "fake(1)", "fake(5)", "fake(2, where sex == 1)", "fake(1)+fake(1)"]
)
def test_removals_against_enumeration(table, text):
    resolved = resolve(text, *table)
    rows = np.flatnonzero(resolved.removable)
    count = sum(len(list(combinations(rows, size))) for size in range(resolved.removals + 1))
    assert tables(text, table) == pytest.approx(count)


@pytest.mark.parametrize(
    ("text", "allowed"),
    [
        ("miss(1)", lambda race, sex, label: True),
        ('miss(2, where race != "a")', lambda race, sex, label: race != "a"),
        ("miss(3, where sex == 1 and label in [0, 1])", lambda race, sex, label: sex == 1 and label < 2),
        ('miss(2, where not (race == "a" or sex > 0))', lambda race, sex, label: race != "a" and sex == 0),
        ('miss(2, where race == "a" or race == "b")', lambda race, sex, label: race != "c"),
        ("miss(2, where label >= 1)", lambda race, sex, label: label >= 1),
        ("miss(2, where sex == 3)", lambda race, sex, label: False),
        ('miss(2, where race == "a" and race == "b")', lambda race, sex, label: False),
    ],
)
def test_additions_against_enumeration(table, text, allowed):
    rows = [row for row in product("abc", (0, 1), (0, 1, 2)) if allowed(*row)]
    most = int(text[5])
    count = sum(len(list(combinations_with_replacement(rows, size))) for size in range(most + 1))
    assert tables(text, table) == pytest.approx(count)


def test_composite_models_multiply(table):
    parts = [log10_tables(resolve(text, *table), table[0]) for text in ("flip(2)", "fake(2)")]
    assert log10_tables(resolve("flip(2) + fake(2)", *table), table[0]) == pytest.approx(sum(parts))
    plain = log10_tables(resolve("miss(1, where label == 0) + flip(1)", *table), table[0])
    rows_with_any_label = 3 * 2 * 3
    assert 10**plain == pytest.approx((1 + rows_with_any_label) * 13)


def test_free_numbers_are_infinitely_many(table):
    frame, y, labels = table
    frame = frame.assign(age=[10.5, 20.0, 30.0, 40.0, 50.0, 60.0])

    def size(text):
        return log10_tables(resolve(text, frame, y, labels), frame)

    assert size("miss(1)") == math.inf
    assert size("miss(1, where age < 25)") == math.inf
    assert size("miss(1, where age == 25 or sex == 1)") == math.inf
    assert size("miss(1, where age != 25)") == math.inf
    assert 10 ** size("miss(1, where age in [25, 30] and race == 'a' and label == 0)") == pytest.approx(
        1 + 2 * 2
    )
    assert 10 ** size("miss(1, where not (age != 25) or age == 30)") == pytest.approx(1 + 2 * 18)
    assert size("miss(0)") == 0
    assert math.isfinite(size("flip(1) + fake(1)"))


def test_big_numbers():
    n = 20_000
    y = np.arange(n) % 3
    frame = pd.DataFrame({"x": np.arange(n) % 2})
    for text in ("flip(50%)", "flip(50%, to [0, 1])", "flip(1%, to [0, 1])", "fake(50%)", "miss(1000000000)"):
        assert 0 < log10_tables(resolve(text, frame, y, np.arange(3)), frame) < 20_000
    assert _log_multisets(1e300, 3) == pytest.approx(3 * math.log(1e300) - math.log(6))
    assert _log_multisets(3, 5) == pytest.approx(math.log(math.comb(8, 3)))
    assert _log_multisets(4e6, 5_000_000) == pytest.approx(
        math.lgamma(9e6 + 1) - math.lgamma(4e6 + 1) - math.lgamma(5e6 + 1)
    )


def test_the_size_of_the_paper_is_reached():
    """One label of ten may be wrong: the table itself and ten others."""
    frame = pd.DataFrame({"score": np.arange(10.0)})
    resolved = resolve("flip(1)", frame, np.arange(10) % 2, np.array([0, 1]))
    assert 10 ** log10_tables(resolved, frame) == pytest.approx(11)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("flip(1%)", "Up to 1% of all rows may have a wrong label."),
        ("miss(1)", "Up to 1 row may be missing."),
        (
            "fake(5% of group, where age < 25)",
            "Up to 5% of the rows of the group may be fake, where age is below 25.",
        ),
        ("flip(?, to [0, 2])", "Some number of rows may have a wrong label, their true label being 0 or 2."),
        (
            'miss(2, where (a in ["x", "y"] or b not in [1]) and not (c == true and d != 2))',
            'Up to 2 rows may be missing, where (a is "x" or "y" or b is not 1) and '
            "it is not so that (c is true and d is not 2).",
        ),
        (
            "fake(2, where a == 1 and b >= 2 or label <= 0)",
            "Up to 2 rows may be fake, where (a is 1 and b is at least 2) or the label is at most 0.",
        ),
        (
            "flip(1) + miss(2, where a > 1)",
            "Up to 1 row may have a wrong label. Up to 2 rows may be missing, where a is above 1.",
        ),
    ],
)
def test_models_in_words(text, words):
    assert in_words(text) == in_words(parse(text)) == words


def test_explain(table):
    frame = table[0]
    text = 'flip(50%, where race == "a") + miss(2) + fake(0) + flip(1, where sex == 3)'
    text += ' + miss(1, where sex == 1 and race == "a" and label == 1)'
    explained = explain(text, resolve(text, *table), frame)
    assert explained.text == text
    assert (explained.n_rows, explained.additions, explained.removals) == (6, 3, 0)
    assert [part.count for part in explained.components] == [3, 2, 0, 1, 1]
    assert [part.eligible for part in explained.components] == [2, 6, 6, 0, 0]
    assert explained.components[1].note == ""
    assert "changes nothing" in explained.components[2].note
    assert "No row of the table" in explained.components[4].note
    assert (
        json.loads(json.dumps(explained.to_dict()))["components"][1]["words"]
        == "Up to 2 rows may be missing."
    )


def test_explain_says_what_cannot_be_used(table):
    explained = explain("flip(5, where sex == 1)", resolve("flip(5, where sex == 1)", *table), table[0])
    assert explained.components[0].note == "Only 3 rows can be touched."
    explained = explain("flip(5, where sex == 3)", resolve("flip(5, where sex == 3)", *table), table[0])
    assert "No row can satisfy" in explained.components[0].note
    assert explained.size_in_words == "1 table"


def test_sizes_in_words(table):
    frame, y, labels = table
    assert explain("fake(1)", resolve("fake(1)", *table), frame).size_in_words == "7 tables"
    assert explain("miss(9)", resolve("miss(9)", *table), frame).size_in_words == "about 10^6.7 tables"
    frame = frame.assign(age=np.arange(6.0))
    explained = explain("miss(9)", resolve("miss(9)", frame, y, labels), frame)
    assert explained.size_in_words == "infinitely many tables"
    assert explained.to_dict()["log10_tables"] == "infinite"
