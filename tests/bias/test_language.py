"""The three forms of bias models: Python, text and dictionary convert into each other without loss."""

from __future__ import annotations

import copy
import json
import pickle
import subprocess
import sys
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from everytree.bias import (
    Amount,
    BiasModel,
    Component,
    as_bias,
    col,
    fake,
    flip,
    in_words,
    label,
    miss,
    parse,
    parse_condition,
)
from everytree.bias.language.expressions import And, Comparison, IsMissing, Membership, Not, Or
from everytree.bias.language.text import point_at, quote_name, quote_string, unquote
from everytree.errors import BiasError

PASTE = {
    "col": col,
    "label": label,
    "flip": flip,
    "miss": miss,
    "fake": fake,
    "Amount": Amount,
    "Component": Component,
}

texts = st.text(st.characters(), max_size=8)
names = st.one_of(
    st.sampled_from(["race", "age", "label", "where", "group", "a b", "x-1", "größe", "flip", ""]), texts
)
constants = st.one_of(
    st.booleans(),
    st.integers(-(2**63) + 1, 2**63 - 1),
    st.floats(allow_nan=False, allow_infinity=False),
    texts,
)
columns = st.one_of(st.none(), names)
conditions = st.recursive(
    st.one_of(
        st.builds(Comparison, columns, st.sampled_from(["==", "!=", "<", "<=", ">", ">="]), constants),
        st.builds(Membership, columns, st.lists(constants, min_size=1, max_size=3)),
        st.builds(IsMissing, names),
    ),
    lambda inner: st.one_of(
        st.builds(Not, inner),
        st.builds(lambda parts: And(tuple(parts)), st.lists(inner, min_size=2, max_size=3)),
        st.builds(lambda parts: Or(tuple(parts)), st.lists(inner, min_size=2, max_size=3)),
    ),
    max_leaves=8,
)
decimals = st.decimals(0, 100, places=4).map(lambda number: f"{number:f}")
amounts = st.one_of(
    st.integers(0, 10**12),
    decimals.map(lambda number: f"{number}%"),
    decimals.map(lambda number: f"{number}% of group"),
    st.just("?"),
)
wheres = st.one_of(st.none(), conditions)
targets = st.one_of(st.none(), constants, st.lists(constants, min_size=1, max_size=3))
components = st.one_of(
    st.builds(Component, st.just("flip"), amounts, wheres, targets),
    st.builds(Component, st.sampled_from(["miss", "fake"]), amounts, wheres),
)
models = st.lists(components, min_size=1, max_size=3).map(lambda parts: BiasModel(tuple(parts)))


@settings(max_examples=300, deadline=None)
@given(models)
def test_every_form_leads_back_to_the_same_model(bias):
    assert parse(str(bias)) == bias
    assert str(parse(str(bias))) == str(bias)
    assert BiasModel.from_dict(json.loads(json.dumps(bias.to_dict()))) == bias
    assert eval(repr(bias), dict(PASTE)) == bias
    assert [eval(repr(part), dict(PASTE)) for part in bias.components] == list(bias.components)
    assert hash(parse(str(bias))) == hash(bias)
    assert pickle.loads(pickle.dumps(bias)) == bias == copy.deepcopy(bias)
    assert in_words(bias).endswith(".")


@given(texts)
def test_quoting_is_undone_by_unquoting(text):
    assert unquote(quote_string(text)) == text
    quoted = quote_name(text)
    assert (unquote(quoted) if quoted.startswith("`") else quoted) == text
    quoted.encode()
    assert "\n" not in quoted


def test_the_example_of_the_contract():
    text = 'flip(1%, where race == "Black" and label == 1) + miss(20)'
    bias = flip("1%", where=(col("race") == "Black") & (label == 1)) + miss(20)
    assert bias == parse(text)
    assert str(bias) == text
    assert repr(bias) == "flip('1%', where=((col('race') == 'Black') & (label == 1))) + miss(20)"
    assert bias.to_dict() == {
        "components": [
            {
                "kind": "flip",
                "amount": "1%",
                "where": {
                    "op": "and",
                    "parts": [
                        {"op": "==", "on": {"column": "race"}, "value": "Black"},
                        {"op": "==", "on": "label", "value": 1},
                    ],
                },
            },
            {"kind": "miss", "amount": 20},
        ]
    }


@pytest.mark.parametrize(
    ("written", "canonical"),
    [
        ("flip( 1.50 %,where a==1)", "flip(1.5%, where a == 1)"),
        ("fake(5% of   group)", "fake(5% of group)"),
        ("miss(1% of table)", "miss(1%)"),
        ("flip(.5%)", "flip(0.5%)"),
        ("flip(007)", "flip(7)"),
        ("flip(?, to 1, where a in ['x'])", 'flip(?, where a in ["x"], to 1)'),
        ("flip(1, to [1])", "flip(1, to 1)"),
        ("flip(1, to [0, 2])", "flip(1, to [0, 2])"),
        ("flip(1, where not a in [1])", "flip(1, where a not in [1])"),
        ("flip(1, where not (not (a == 1)))", "flip(1, where not not a == 1)"),
        ("flip(1, where a == 1 and (b == 1 and c == 1))", "flip(1, where a == 1 and b == 1 and c == 1)"),
        ("flip(1, where (a == 1 and b == 1) or c == 1)", "flip(1, where a == 1 and b == 1 or c == 1)"),
        ("flip(1, where a == 1 and (b == 1 or c == 1))", "flip(1, where a == 1 and (b == 1 or c == 1))"),
        ("flip(1, where not (a == 1 or b == 2))", "flip(1, where not (a == 1 or b == 2))"),
        ("flip(1, where android == 1 and of == 2)", "flip(1, where android == 1 and of == 2)"),
        ("flip(1, where `group`== true)", "flip(1, where group == true)"),
        ("flip(1, where `label` == 1)", "flip(1, where `label` == 1)"),
        ("flip(1, where `a\\`b` == 'it\\'s')", 'flip(1, where `a\\`b` == "it\'s")'),
        ("flip(1,\n  where a == -1e-3)\n", "flip(1, where a == -0.001)"),
        ('flip(1, where a == "\\u00e9")', 'flip(1, where a == "é")'),
    ],
)
def test_spellings_of_one_model(written, canonical):
    assert str(parse(written)) == canonical
    assert parse(canonical) == parse(written)


def test_and_binds_tighter_than_or_and_not_tightest():
    condition = parse_condition("not a == 1 and b == 1 or c == 1")
    assert condition == ((~(col("a") == 1) & (col("b") == 1)) | (col("c") == 1))


def test_python_operators_build_conditions():
    assert (
        str((col("a") < 1) | (col("a") >= 2.5) | ~(label != "no")) == 'a < 1 or a >= 2.5 or not label != "no"'
    )
    assert str((col("a") <= 1) & (col("b") > True)) == "a <= 1 and b > true"
    assert str(5 < col("age")) == "age > 5"  # noqa: SIM300
    assert col("a").isin({"y", "x"}) == col("a").isin(["x", "y"])
    assert col("a").isin(np.array([1, 2])) == col("a").isin((1, 2))
    assert (col("a") == np.float64(0.5)) == (col("a") == 0.5)
    assert ((col("a") == 1) & ((col("b") == 1) & (col("c") == 1))) == (
        (col("a") == 1) & (col("b") == 1) & (col("c") == 1)
    )


def test_what_is_missing_is_asked_for_by_name():
    bias = parse("flip(1, where income is  missing and `is` is not missing)")
    assert str(bias) == "flip(1, where income is missing and is is not missing)"
    assert bias == flip(1, where=col("income").is_missing() & ~col("is").is_missing())
    assert in_words(bias).endswith("where income is missing and is is not missing.")
    assert parse_condition("missing == 3") == (col("missing") == 3)
    for text, message in (
        ("x == missing", "missing has no meaning here: .* write that a column is missing"),
        ("x is 3", "Write == to compare, or is missing, or is not missing"),
        ("label is missing", "label is never missing"),
    ):
        with pytest.raises(BiasError, match=message):
            parse_condition(text)


def test_equality_tells_types_apart():
    assert (label == 1) != (label == True)  # noqa: E712
    assert (label == 1) != (label == 1.0)
    assert label.isin([1]) != label.isin([True])
    assert flip(1, to=1) != flip(1, to=True)
    assert flip(1, to=1) != flip(1)
    assert flip("1%") == flip("1.0%") != flip("1% of group")
    assert len({flip(1), flip("1"), flip(2)}) == 2


def test_a_text_is_read_once():
    assert parse("flip(3)") is parse("flip(3)")
    for _ in range(2):
        with pytest.raises(BiasError):
            parse("flip(")


def test_models_add_up():
    assert flip(1) + miss(2) + fake(3) == parse("flip(1) + miss(2) + fake(3)")
    assert sum([flip(1), flip(2)]) == flip(1) + flip(2)
    one = Component("flip", 1)
    assert one + one == flip(1) + flip(1) == flip(1) + one
    with pytest.raises(TypeError):
        flip(1) + 3
    with pytest.raises(TypeError):
        3 + flip(1)


def test_where_may_be_text():
    assert flip(1, where="age < 25") == flip(1, where=col("age") < 25)


@pytest.mark.parametrize("form", ["flip(1)", flip(1), Component("flip", 1), flip(1).to_dict()])
def test_as_bias_takes_every_form(form):
    assert as_bias(form) == flip(1)


@pytest.mark.parametrize(
    ("amount", "n_rows", "eligible", "rows"),
    [
        (20, 10, 10, 20),
        ("20", 10, 10, 20),
        (np.int64(3), 10, 10, 3),
        ("1%", 100, 10, 1),
        ("1%", 101, 10, 2),
        ("0.05%", 5000, 10, 3),
        ("0.07%", 10_000, 10, 7),
        ("5% of group", 1000, 61, 4),
        ("100%", 7, 3, 7),
        ("100% of group", 7, 3, 3),
        ("0%", 7, 3, 0),
        (" 2.5 % of table ", 40, 0, 1),
        ("0.1%", 3_000_000, 0, 3000),
    ],
)
def test_amounts_are_exact_and_rounded_up(amount, n_rows, eligible, rows):
    assert Amount.of(amount).rows(n_rows, eligible) == rows
    assert eval(repr(Amount.of(amount)), dict(PASTE)) == Amount.of(amount)


@pytest.mark.parametrize(
    "amount",
    [
        -1,
        "-1",
        1.5,
        "1.5",
        0.01,
        True,
        None,
        "101%",
        "1%%",
        "",
        "x",
        "1 row",
        "1e3",
        10**13,
        "5% of men",
        [1],
        "³",
    ],
)
def test_amounts_that_are_refused(amount):
    with pytest.raises(BiasError, match=r"amount|percentage"):
        flip(amount)


def test_amounts_made_by_hand_are_checked():
    assert str(Amount(Fraction(1, 8), "group")) == "0.125% of group"
    for value, unit in [
        (Fraction(1, 3), "table"),
        (Fraction(-1, 2), "table"),
        (1, "rows"),
        (Fraction(1), "miles"),
    ]:
        with pytest.raises(BiasError):
            Amount(value, unit)


def test_a_free_amount_is_filled():
    bias = parse("flip(?, where a == 1) + miss(?) + fake(2)")
    assert bias.has_free_amount
    assert bias.with_amount("1%") == parse("flip(1%, where a == 1) + miss(1%) + fake(2)")
    assert not bias.with_amount(3).has_free_amount
    with pytest.raises(BiasError, match="free"):
        bias.components[0].amount.rows(10, 10)


def test_the_caret_stands_under_the_character():
    shown, caret = point_at("flip(1,\n where a = 1)", 17).splitlines()
    assert shown[caret.index("^")] == "="
    shown, caret = point_at("x" * 500 + "!" + "y" * 500, 500).splitlines()
    assert shown[caret.index("^")] == "!"
    assert len(shown) < 150


def test_importing_the_language_is_cheap():
    heavy = ("lark", "sklearn", "scipy", "numba")
    code = f"import sys, everytree.bias; print([m for m in {heavy} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
