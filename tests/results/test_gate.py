"""The gate: enough is proved robust, or it says by how much not. And how the tree itself does."""

from fractions import Fraction

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier

from everytree import certify
from everytree.errors import EverytreeError
from everytree.results.gate import as_share, short_of, unmet_robust
from everytree.results.learned import tree_facts

X = [[i] for i in range(40)]
Y = ["no"] * 20 + ["yes"] * 20


def result(y=Y, bias="flip(2)", depth=1, people=X, y_test=None):
    tree = DecisionTreeClassifier(max_depth=depth, random_state=0)
    return certify(tree, X, y, people, bias, y_test=y_test)


@pytest.mark.parametrize(
    ("value", "share"), [("90%", "9/10"), (0.9, "9/10"), ("0.125", "1/8"), (1, "1"), ("99.9 %", "999/1000")]
)
def test_shares_are_read_exactly(value, share):
    assert as_share("it", value) == Fraction(share)


@pytest.mark.parametrize("value", ["90", 1.5, "-1%", "most", True, "1/0"])
def test_what_is_no_share_is_refused(value):
    with pytest.raises(EverytreeError, match="it must be a share from 0 to 1, or a percentage"):
        as_share("it", value)
    with pytest.raises(EverytreeError, match="For percent write 90%"):
        as_share("it", "90")
    with pytest.raises(EverytreeError, match=r"received '900'\.$"):
        as_share("it", "900")


def test_enough_is_enough_and_less_is_said_by_how_much():
    assert short_of(9, 0, 10, Fraction(9, 10)) == ""
    assert short_of(7, 2, 10, Fraction(9, 10)) == (
        "70.0% of 10 people are proved robust, not 90%: 20.0 percentage points short, 2 people (2 verdicts "
        "unknown)"
    )


def test_shuffled_labels_do_not_pass():
    """A self-test of the gate: what there is nothing to learn from cannot be robust and useful at once."""
    assert unmet_robust(result(), Fraction(8, 10)) == ""
    shuffled = np.random.default_rng(0).permutation(Y)
    assert "percentage points short" in unmet_robust(result(shuffled), Fraction(8, 10))


def test_a_tree_that_says_the_same_to_everybody_does_not_pass():
    same = (["no"] * 4 + ["yes"] + ["no"] * 5) * 4
    found = result(same)
    assert found.robust_rate > 0.5
    assert unmet_robust(found, Fraction(1, 2)).startswith("every leaf of the tree says no")
    assert found.summary().index("THE TREE TELLS NOBODY APART") < found.summary().index("robust ")
    assert "**THE TREE TELLS NOBODY APART: each of its leaves says no." in found.to_markdown()


def test_a_tree_that_is_no_better_than_the_majority_does_not_pass():
    """It says nearly the same to everybody, as trees do that learn from shuffled labels."""
    nearly = ["no"] * 36 + ["yes"] * 4
    truth = ["no"] * 32 + ["yes"] * 4 + ["no"] * 4
    assert unmet_robust(result(nearly, "flip(1)", y_test=nearly), Fraction(8, 10)) == ""
    found = result(nearly, "flip(1)", y_test=truth)
    assert found.robust_rate > 0.8
    assert unmet_robust(found, Fraction(8, 10)) == (
        "the tree is right about 32 of 40 people and always saying no about 36, so that its robustness says "
        "little"
    )


def test_the_summary_says_how_the_tree_does():
    assert result(y_test=Y).summary() == (
        "bias model  flip(2)\n"
        "learner     DecisionTreeClassifier(max_depth=1, random_state=0)\n"
        "asks        x0 ≤ 19.5\n"
        "predicts    no (20), yes (20)\n"
        "accuracy    100.0%; always saying no: 50.0%\n"
        "people      40\n"
        "  robust      34   85.0%\n"
        "  not robust   6   15.0%\n"
        "  unknown      0    0.0%"
    )


def test_people_who_all_get_one_label_are_told_before_any_share():
    facts = tree_facts(result(people=X[:5], y_test=Y[:5]))
    assert facts.warning.startswith("EVERYBODY GETS THE SAME LABEL: the tree says no to all 5 people.")
    assert facts.accuracy == "100.0%; always saying no: 100.0%: NO BETTER THAN THAT"
    assert tree_facts(result(people=X[:1])).warning == ""


def test_markdown_has_a_row_for_each_group_and_none_that_breaks_the_table():
    text = result().to_markdown({"district|east": ["a|b"] * 20 + ["*c*"] * 20})
    assert text.splitlines()[-5:] == [
        "| district\\|east | people | robust | not robust | unknown |",
        "| --- | ---: | ---: | ---: | ---: |",
        "| \\*c\\* | 20 | 85.0% | 15.0% | 0.0% |",
        "| a\\|b | 20 | 85.0% | 15.0% | 0.0% |",
        "| **everybody** | 40 | 85.0% | 15.0% | 0.0% |",
    ]
    assert "- **bias model**: `flip(2)`" in text
    assert result().to_markdown().splitlines()[-3:-1] == [
        "| people | robust | not robust | unknown |",
        "| ---: | ---: | ---: | ---: |",
    ]


def test_a_bias_model_that_allows_nothing_is_called_that_before_any_share():
    for bias, reason in (
        ("flip(0)", "The amount is 0 rows"),
        ("flip(1, where x0 > 900)", "No row can satisfy the condition"),
    ):
        found = result(bias=bias)
        said = found.summary()
        assert said.index("THE BIAS MODEL ALLOWS NO OTHER TABLE THAN THE GIVEN ONE") < said.index("robust ")
        assert reason in said
        assert "**THE BIAS MODEL ALLOWS NO OTHER TABLE" in found.to_markdown()
    part = result(bias="flip(1) + miss(0)").summary()
    assert "A PART OF THE BIAS MODEL CHANGES NOTHING. miss(0): The amount is 0 rows" in part
    assert "CHANGES NOTHING" not in result().summary()
