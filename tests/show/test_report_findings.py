"""The words of the findings, case by case."""

import pytest

from everytree.bias import parse
from everytree.results.texts import WHY
from everytree.show.report.findings import (
    UNDECIDED,
    VerdictCounts,
    assumption,
    differs_most,
    finding,
    lead,
    share,
    sizes,
    undecided,
)


def test_shares_never_round_to_none_or_all():
    assert share(0, 7) == "0%"
    assert share(7, 7) == "100%"
    assert share(1, 100_000) == "<0.1%"
    assert share(99_999, 100_000) == ">99.9%"
    assert share(990, 1543) == "64.2%"
    assert share(1, 1000) == "0.1%"


@pytest.mark.parametrize(
    ("text", "counts", "words"),
    [
        ("flip(0.5%)", [24], "If up to 0.5% of all training rows (24) have a wrong label"),
        ("flip(1)", [1], "If up to 1 training row has a wrong label"),
        ("miss(20)", [20], "If up to 20 training rows are missing"),
        ("fake(1)", [1], "If up to 1 training row is fake"),
        (
            "fake(2% of group, where age > 3)",
            [2],
            "If up to 2% of the training rows of the group (2) are fake, where age is above 3",
        ),
        (
            "flip(3) + miss(1000, where race == 'may be fake')",
            [3, 1000],
            "If up to 3 training rows have a wrong label, and up to 1000 training rows are missing, "
            'where race is "may be fake"',
        ),
    ],
)
def test_an_assumption_is_the_beginning_of_a_sentence(text, counts, words):
    assert assumption(parse(text), counts) == words


def test_some_are_robust():
    assert lead(parse("flip(0.5%)"), VerdictCounts(990, 553, 0), [24]) == (
        "If up to 0.5% of all training rows (24) have a wrong label, 64.2% of the 1,543 people keep their "
        "prediction, whichever labels are the wrong ones."
    )
    assert finding(VerdictCounts(990, 553, 0), engine="auto", complete=True) == [
        "For 553 people (35.8%) there are records whose change, within this assumption, gives another label.",
        "Nobody is left undecided.",
    ]


def test_all_are_robust():
    assert lead(parse("miss(2)"), VerdictCounts(12, 0, 0), [2]) == (
        "If up to 2 training rows are missing, all 12 people keep their prediction, "
        "whatever the missing rows are."
    )
    assert finding(VerdictCounts(12, 0, 0), engine="auto", complete=True) == [
        "This is proved for everybody: no witness against it exists."
    ]


def test_none_is_robust():
    said = lead(parse("fake(2)"), VerdictCounts(0, 1200, 0), [2])
    assert said == (
        "If up to 2 training rows are fake, for none of the 1,200 people is the prediction proved to stay "
        "the same."
    )
    assert finding(VerdictCounts(0, 1200, 0), engine="auto", complete=True)[0].startswith(
        "For everybody there are"
    )


def test_one_person():
    model = parse("flip(1) + fake(1)")
    assert lead(model, VerdictCounts(1, 0, 0), [1, 1]).endswith(
        "the one person keeps the prediction, whichever rows are concerned."
    )
    assert lead(model, VerdictCounts(0, 0, 1), [1, 1]).endswith("no proof was found for the one person.")
    assert finding(VerdictCounts(0, 1, 0), engine="auto", complete=True)[0].startswith(
        "For this person there are"
    )


def test_one_robust_person_among_many():
    said = lead(parse("flip(1)"), VerdictCounts(1, 3, 0), [1])
    assert "25.0% of the 4 people keeps the prediction" in said


def test_a_share_is_not_said_to_be_all_where_others_are_unknown():
    said = lead(parse("flip(2)"), VerdictCounts(6, 3, 1), [2])
    assert "60.0% of the 10 people are proved to keep their prediction, whichever labels" in said
    said = lead(parse("flip(2)"), VerdictCounts(1, 2, 1), [2])
    assert "25.0% of the 4 people is proved to keep the prediction" in said


def test_the_words_follow_the_kind_and_not_the_text():
    model = parse(
        "miss(1, where note == 'may have a wrong label') + fake(1%, where note == 'may be missing')"
    )
    assert assumption(model, [1, 3]) == (
        'If up to 1 training row is missing, where note is "may have a wrong label", and up to 1% of all '
        'training rows (3) are fake, where note is "may be missing"'
    )


def test_some_are_unknown():
    said = finding(VerdictCounts(5, 2, 1), engine="auto", complete=True)
    assert (
        said[1] == "For 1 person (12.5%) neither a proof nor such records were found: the verdict is unknown."
    )
    assert len(said) == 2


def test_a_time_limit_is_said():
    said = finding(VerdictCounts(5, 0, 3), engine="auto", complete=False)
    assert said[0] == "For nobody were records found whose change gives another label."
    assert said[-1].startswith("A time or memory limit ended the search early")
    decided = finding(VerdictCounts(5, 3, 0), engine="auto", complete=False)
    assert decided[-1] == "Nobody is left undecided."


def test_the_limit_that_was_hit_is_named():
    def said(*reasons):
        return finding(VerdictCounts(5, 0, 3), engine="auto", complete=False, reasons=set(reasons))[2:]

    time = "The time limit ended the search early; more time may decide some of the unknown."
    memory = "The memory limit ended the search early; more memory may decide some of the unknown."
    ties = "For some of the unknown the label depends on how ties between splits are broken, and with"
    assert said("time", "tie")[0] == time
    assert said("time", "tie")[1].startswith(ties)
    assert said("memory") == [memory]
    assert said("time", "memory") == [time, memory]
    assert said("tie") == said("time", "tie")[1:]
    whole = finding(VerdictCounts(5, 0, 3), engine="auto", complete=True, reasons={"tie"})
    assert whole[2:] == said("tie"), "nothing was cut off, and still there is a reason"


def test_one_person_is_told_why_there_is_no_verdict():
    neither = "Neither a proof nor a witness was found"
    assert undecided("memory", "auto", False) == f"{neither} within the memory limit."
    assert undecided("", "auto", True) == f"{neither}."
    assert undecided("", "auto", False) == f"{neither} before a limit ended the search."
    assert (
        undecided("not settled", "auto", True) == f"{neither}, and everything that there is to try was tried."
    )
    assert undecided("not settled", "interval", True) == (
        "No proof was found, and the engine “interval” looks for nothing else."
    )
    assert set(UNDECIDED) == set(WHY), "what a summary can say of people, the report can say of one"


def test_an_engine_that_only_proves_is_said():
    said = finding(VerdictCounts(5, 0, 3), engine="interval", complete=True)
    assert not any("nobody" in sentence for sentence in said)
    assert (
        said[-1] == "The engine “interval” only looks for proofs and never for records that change a label."
    )


def test_a_difference_that_may_be_one_of_what_is_undecided_is_called_that():
    """Half of a group and four fifths of the others were proved; the rest of it was nearly all unknown."""
    groups = [VerdictCounts(132, 20, 112, "A"), VerdictCounts(700, 30, 70, "B"), VerdictCounts(50, 5, 5, "C")]
    everybody = VerdictCounts(882, 55, 187)
    said = differs_most(groups, everybody)
    assert "50.0% of its 264 people are proved robust, and 87.2% of the other 860 people." in said
    doubt = " The difference may be one in what is undecided: "
    assert said.endswith(f"{doubt}42.4% of the group and 8.7% of the others are unknown.")
    two = differs_most(groups[:2], VerdictCounts(832, 50, 182))
    assert two.endswith(f"{doubt}42.4% of A and 8.8% of B are unknown.")
    settled = [VerdictCounts(132, 112, 20, "A"), VerdictCounts(700, 30, 70, "B")]
    assert doubt not in differs_most(settled, VerdictCounts(832, 142, 90)), "unknown people cannot make it up"


def test_the_group_that_differs_most():
    groups = [VerdictCounts(50, 50, 0, "A"), VerdictCounts(90, 10, 0, "B"), VerdictCounts(0, 5, 0, "tiny")]
    everybody = VerdictCounts(140, 65, 0)
    assert differs_most(groups, everybody) == (
        "The group “B” differs most: 90.0% of its 100 people are proved robust, and 47.6% of the other 105 "
        "people. Groups of fewer than 30 people are listed, but not compared."
    )


def test_of_two_groups_neither_differs_most():
    groups = [VerdictCounts(301, 14, 19, "female = 0"), VerdictCounts(148, 12, 6, "female = 1")]
    assert differs_most(groups, VerdictCounts(449, 26, 25)) == (
        "Proved robust are 90.1% of the 334 people with female = 0 and 89.2% of the 166 people with "
        "female = 1. The difference may be one in what is undecided: 5.7% of female = 0 and 3.6% of female = "
        "1 are unknown."
    )


def test_groups_that_cannot_be_compared():
    assert differs_most([VerdictCounts(3, 1, 0, "A")], VerdictCounts(3, 1, 0)).startswith(
        "All people are in one group"
    )
    small = [VerdictCounts(3, 1, 0, "A"), VerdictCounts(0, 2, 0, "B")]
    assert differs_most(small, VerdictCounts(3, 3, 0)).startswith("No group has 30 people or more")
    equal = [VerdictCounts(30, 10, 0, "A"), VerdictCounts(60, 20, 0, "B")]
    assert differs_most(equal, VerdictCounts(90, 30, 0)) == (
        "The share of proved predictions is the same in every group compared."
    )


def test_groups_in_which_nobody_is_proved():
    """Equal shares of nothing are no equality."""
    names = ("age under 25", "age 25 and over")
    groups = [VerdictCounts(0, 41, 1, names[0]), VerdictCounts(0, 166, 42, names[1])]
    assert differs_most(groups, VerdictCounts(0, 207, 43)) == (
        "Nobody is proved robust in any group. There are witnesses for 97.6% of the 42 people with age under "
        "25 and 79.8% of the 208 people with age 25 and over."
    )
    three = [groups[0], VerdictCounts(0, 100, 8, "B"), VerdictCounts(0, 66, 34, "C")]
    assert differs_most(three, VerdictCounts(0, 207, 43)) == (
        "Nobody is proved robust in any group. The group “C” differs most in witnesses: there are some for "
        "66.0% of its 100 people, and for 94.0% of the other 150 people."
    )
    equal = [VerdictCounts(0, 40, 0, "A"), VerdictCounts(0, 50, 0, "B")]
    assert differs_most(equal, VerdictCounts(0, 90, 0)) == "Nobody is proved robust in any group."


def test_sizes():
    assert sizes(0.0) == ("1", "")
    assert sizes(2.0) == ("100", "")
    assert sizes(64.21) == ("about 10", "64.2")
    assert sizes(float("inf")) == ("infinitely many", "")


def test_a_group_is_not_compared_with_a_handful_of_others():
    groups = [VerdictCounts(100, 140, 0, "A"), VerdictCounts(5, 5, 0, "B")]
    said = differs_most(groups, VerdictCounts(105, 145, 0), 30)
    assert said == "Fewer than 30 people are in other groups, so none is singled out here."
