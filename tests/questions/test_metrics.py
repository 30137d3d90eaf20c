"""Ranges of metrics: small cases by hand in fractions, and every table of B(T) on random problems."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.tree import DecisionTreeClassifier

from everytree import certify
from everytree.bias import as_bias
from everytree.datasets import load
from everytree.errors import EverytreeError, InternalError, TableError
from everytree.learner import prepare
from everytree.questions.certify import certify_prepared
from everytree.questions.metrics import metric_ranges
from everytree.questions.rates import Range, difference, range_of, ratio
from everytree.results.certification import NOT_ROBUST, ROBUST, UNKNOWN, CertificationResult
from everytree.show.plots import CertifiedShareDisplay, MetricRangesDisplay
from everytree.support.limits import Limits
from tests.truth.metric_oracle import Tally, draw_case, examine, plain_metrics

SCORES, HIRED = [[0], [1], [2], [3], [5], [6], [7], [8], [9]], [0, 0, 0, 0, 1, 1, 1, 0, 1]


def made(verdicts: str, predictions: list, labels: list) -> CertificationResult:
    """A result without tables: r, n and u for each person."""
    words = {"r": ROBUST, "n": NOT_ROBUST, "u": UNKNOWN}
    n = len(predictions)
    return CertificationResult(
        verdicts=np.array([words[v] for v in verdicts]),
        predictions=np.array(predictions),
        possible_labels=[
            (p,) if v == "r" else tuple(labels) for v, p in zip(verdicts, predictions, strict=True)
        ],
        probability_ranges=np.zeros((n, len(labels), 2)),
        labels=np.array(labels),
        bias=as_bias("flip(1)"),
        learner="a tree",
        engine="auto",
        complete=False,
        frame=pd.DataFrame({"x": range(n)}),
        index=pd.RangeIndex(n),
        statistics={},
    )


def row(frame: Any, metric: str, group: object = "everybody") -> tuple[float, ...]:
    return tuple(frame.loc[(metric, group), ["estimate", "low", "high"]])


def numbers(*texts: str) -> tuple[float, ...]:
    return tuple(float(Fraction(text)) for text in texts)


# ---------------------------------------------------------------- by hand


def test_ranges_by_hand() -> None:
    result = made("rrrnrrun", [1, 0, 1, 0, 0, 1, 1, 0], [0, 1])
    truth = [1, 0, 0, 1, 0, 0, 1, 0]
    groups = list("aaaabbbb")
    ranges = metric_ranges(result, groups, truth)
    assert ranges.index.names == ["metric", "group"]
    assert row(ranges, "selection rate") == numbers("1/2", "3/8", "6/8")
    assert row(ranges, "selection rate", "a") == numbers("2/4", "2/4", "3/4")
    assert row(ranges, "selection rate", "b") == numbers("2/4", "1/4", "3/4")
    assert row(ranges, "accuracy") == numbers("5/8", "3/8", "6/8")
    assert row(ranges, "accuracy", "a") == numbers("2/4", "2/4", "3/4")
    assert row(ranges, "true positive rate", "a") == numbers("1/2", "1/2", "1")
    assert row(ranges, "true positive rate", "b") == numbers("1", "0", "1")
    assert row(ranges, "demographic parity difference", "between groups") == numbers("0", "0", "1/2")
    assert row(ranges, "demographic parity ratio", "between groups") == numbers("1", "1/3", "1")
    assert row(ranges, "equal opportunity difference", "between groups") == numbers("1/2", "0", "1")
    assert ranges.loc["robust", "estimate"].to_dict() == {"everybody": 5 / 8, "a": 3 / 4, "b": 2 / 4}
    assert ranges.loc["unknown", "estimate"].to_dict() == {"everybody": 1 / 8, "a": 0, "b": 1 / 4}
    assert ranges.loc["certified accuracy", "estimate"].to_dict() == {
        "everybody": 3 / 8,
        "a": 1 / 2,
        "b": 1 / 4,
    }
    assert ranges.loc["certified accuracy", "low"].isna().all()
    assert ranges.loc["accuracy", "n"].to_dict() == {"everybody": 8, "a": 4, "b": 4}
    assert ranges.loc["true positive rate", "n"].to_dict() == {"everybody": 3, "a": 2, "b": 1}
    assert ranges.loc[("accuracy", "a"), ["low_is", "high_is"]].tolist() == ["attained", "proved"]
    assert (ranges.positive, ranges.tables) == (1, 1)
    assert row(ranges, "false negative rate", "b") == numbers("0", "0", "1")
    assert row(ranges, "false positive rate", "a") == numbers("1/2", "1/2", "1/2")
    assert row(ranges, "precision", "a") == numbers("1/2", "1/2", "2/3")
    assert row(ranges, "precision", "b") == numbers("1/2", "0", "1/2")
    assert row(ranges, "four-fifths ratio", "a") == numbers("1", "2/3", "1")
    assert row(ranges, "four-fifths ratio", "b") == numbers("1", "1/3", "1")
    assert row(ranges, "equalised odds difference", "between groups") == numbers("1/2", "0", "1")
    people = [
        ranges.loc[(f"equal{name} difference", "between groups"), "n"]
        for name in (" opportunity", "ised odds")
    ]
    assert people == [3, 8]  # those whose true label is positive; everybody has one label or the other


def test_certified_accuracy_is_the_low_end_of_accuracy() -> None:
    ranges = metric_ranges(made("rnru", [1, 0, 2, 1], [0, 1, 2]), list("abab"), [1, 0, 1, 2])
    certified = ranges.loc["certified accuracy", "estimate"]
    assert certified.tolist() == ranges.loc["accuracy", "low"].tolist() == [1 / 4, 1 / 2, 0]


def test_a_label_that_training_never_saw_is_never_right() -> None:
    ranges = metric_ranges(made("rnr", ["y", "n", "n"], ["n", "y"]), None, ["other", "other", "n"])
    assert row(ranges, "accuracy") == numbers("1/3", "1/3", "1/3")
    assert ranges.loc[("true positive rate", "everybody"), "n"] == 0
    assert np.isnan(ranges.loc[("true positive rate", "everybody"), "low"])
    with pytest.raises(TableError, match="No label of y_true occurs in the training table"):
        metric_ranges(made("rr", [0, 1], [0, 1]), None, ["0", "1"])


def test_three_labels_and_another_positive_one() -> None:
    result = made("rrnu", [0, 1, 2, 0], [0, 1, 2])
    assert row(metric_ranges(result), "selection rate") == numbers("1/4", "0", "2/4")
    assert row(metric_ranges(result, positive=0), "selection rate") == numbers("2/4", "1/4", "3/4")
    with pytest.raises(EverytreeError, match=r"positive must be one of .* 0, 1, 2; received '1'"):
        metric_ranges(result, positive="1")


def test_without_true_labels_their_metrics_are_left_out() -> None:
    ranges = metric_ranges(made("rn", [0, 1], [0, 1]), ["a", "b"])
    assert set(ranges.index.get_level_values("metric")) == {
        "robust",
        "not robust",
        "unknown",
        "selection rate",
        "demographic parity difference",
        "demographic parity ratio",
        "four-fifths ratio",
    }


def test_nobody_selected_has_no_ratio() -> None:
    never = metric_ranges(made("rrr", [0, 0, 0], [0, 1]), list("aab"))
    assert never.loc[("demographic parity ratio", "between groups"), "estimate":"high"].isna().all()
    assert row(never, "demographic parity difference", "between groups") == (0, 0, 0)
    maybe = metric_ranges(made("rrn", [0, 0, 0], [0, 1]), list("aab"))
    found = maybe.loc[("demographic parity ratio", "between groups")]
    assert np.isnan(found.estimate)
    assert (found.low, found.high, found.low_is, found.high_is) == (0, 0, "proved", "proved")


def test_one_group_and_groups_without_positive_people_are_not_compared() -> None:
    one = metric_ranges(made("rn", [0, 1], [0, 1]), ["a", "a"], [1, 1])
    assert one.xs("between groups", level="group")[["estimate", "low", "high"]].isna().all(axis=None)
    result = made("rrrr", [1, 0, 1, 1], [0, 1])
    ranges = metric_ranges(result, list("abbc"), [1, 1, 1, 0])
    assert row(ranges, "equal opportunity difference", "between groups") == numbers("1/2", "1/2", "1/2")
    assert ranges.loc["true positive rate", "n"].to_dict() == {"everybody": 3, "a": 1, "b": 2, "c": 0}


@pytest.mark.parametrize("seed", range(3))
def test_bounds_between_groups_are_those_of_the_whole_box(seed: int) -> None:
    rng = np.random.default_rng(seed)
    for _ in range(60):
        groups = []
        for _ in range(int(rng.integers(2, 4))):
            n = int(rng.integers(1, 4))
            low, high = sorted(int(x) for x in rng.integers(0, n + 1, 2))
            groups.append(Range(n, Fraction(low, n), Fraction(high, n), ()))
        steps = [
            {g.low, g.high, *(Fraction(k, 12) for k in range(13) if g.low <= Fraction(k, 12) <= g.high)}
            for g in groups
        ]
        box = list(product(*steps))
        spread = difference(groups)
        assert (spread.low, spread.high) == (
            min(max(r) - min(r) for r in box),
            max(max(r) - min(r) for r in box),
        )
        quotients = [min(r) / max(r) for r in box if max(r)]
        found = ratio(groups)
        assert (found.low, found.high) == ((min(quotients), max(quotients)) if quotients else (None, None))


# ---------------------------------------------------------------- with tables


def test_ends_are_attained_by_the_table_itself_and_by_witnesses() -> None:
    tree = DecisionTreeClassifier(max_depth=1, random_state=0)
    people, groups = [[0], [4], [5], [9]], ["a", "a", "b", "b"]
    truth = [0, 1, 1, 1]
    result = certify(tree, SCORES, HIRED, people, "flip(1)")
    assert result.verdicts.tolist() == ["robust", "not robust", "not robust", "robust"]
    ranges = result.metric_ranges(groups, truth)
    seen = [plain_metrics(result.predictions.tolist(), truth, groups, 1)]
    for witness in result.witnesses.values():
        X, y = witness.apply(np.array(SCORES), np.array(HIRED))
        after = DecisionTreeClassifier(max_depth=1, random_state=0).fit(X, y).predict(people).tolist()
        seen.append(plain_metrics(after, truth, groups, 1))
    for key in seen[0]:
        values = [float(metrics[key]) for metrics in seen if metrics[key] is not None]
        if not values:
            continue
        found = ranges.loc[key]
        assert (found.attained_low, found.attained_high) == (min(values), max(values))
        assert (found.low_is == "attained") == (found.low in values)
        assert (found.high_is == "attained") == (found.high in values)
    fewer = metric_ranges(result, groups, truth, tries=0)
    assert fewer.tables == 1
    assert fewer[["estimate", "low", "high"]].equals(ranges[["estimate", "low", "high"]])
    assert metric_ranges(result, tries=1).tables == 2


def test_a_robust_person_whose_label_changes_is_a_fault() -> None:
    tree = DecisionTreeClassifier(max_depth=1, random_state=0)
    result = certify(tree, SCORES, HIRED, [[0], [4], [5], [9]], "flip(1)")
    wrong = replace(result, possible_labels=[(int(p),) for p in result.predictions])
    with pytest.raises(InternalError, match="contradicts the proof for test person"):
        wrong.metric_ranges()
    stale = replace(result, witnesses={2: replace(result.witnesses[2], flipped={})})
    with pytest.raises(InternalError, match="witness for test person 2"):
        stale.metric_ranges()


def test_true_labels_of_the_test_table_are_the_default() -> None:
    data = load("hiring")
    tree = DecisionTreeClassifier(max_depth=1, random_state=0)
    prepared = prepare(tree, data.X_train, data.y_train, data.X_test, y_test=data.y_test)
    result = certify_prepared(prepared, as_bias("flip(1)"), engine="auto", limits=Limits())
    default, given = result.metric_ranges("race"), result.metric_ranges("race", data.y_test)
    pd.testing.assert_frame_equal(default.table, given.table)
    assert default.index.names == ["metric", "race"]
    assert default.tables > 1
    called: list[tuple[float, int]] = []
    replace(result).metric_ranges("race", progress=lambda share, left: called.append((share, left)))
    assert called[-1] == (1.0, 0)
    assert len(called) == default.tables - 1


def test_added_rows_and_text_labels_are_encoded_as_in_training() -> None:
    data = load("compas")
    y_train, y_test = np.where(data.y_train == 1, "yes", "no"), np.where(data.y_test == 1, "yes", "no")
    tree = DecisionTreeClassifier(max_depth=1)  # ties are broken at random
    result = certify(tree, data.X_train, y_train, data.X_test[:200], "miss(1%)")
    assert any(len(witness.added) for witness in result.witnesses.values())
    ranges = result.metric_ranges(["race", "sex"], y_test[:200])
    assert ranges.index.names == ["metric", "race", "sex"]
    assert ranges.loc[("accuracy", "Caucasian")].index.tolist() == ["Female", "Male"]  # without a warning
    assert ranges.loc["selection rate":].index[0] == ("selection rate", "everybody", "everybody")
    assert ranges.xs("everybody", level="race").loc["robust", "n"].tolist() == [200]
    assert ranges.positive == "yes"
    assert ranges.tables > 1
    again = replace(result).metric_ranges(["race", "sex"], y_test[:200])
    pd.testing.assert_frame_equal(ranges.table, again.table)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"y_true": [0, 1]}, "must be one for each of its 3 rows"),
        ({"y_true": [0, None, 1]}, "missing in row 1"),
        ({"tries": -1}, "tries must be a whole number from 0; received -1"),
        ({"tries": 1.5}, "received 1.5"),
        ({"time_limit": 0}, "time_limit must be a number of seconds greater than 0"),
        ({"sensitive_features": {"metric": [1, 2, 3]}}, "A feature called 'metric' cannot"),
        ({"sensitive_features": ["everybody", "a", "b"]}, "A group of 'group' is called 'everybody'"),
    ],
)
def test_bad_input_is_explained(arguments: dict, message: str) -> None:
    with pytest.raises(EverytreeError, match=message):
        metric_ranges(made("rnu", [0, 1, 1], [0, 1]), **arguments)


# ---------------------------------------------------------------- every table of B(T)


@pytest.mark.parametrize("first", range(0, 200, 40))
def test_every_table_stays_within_the_ranges(first: int) -> None:
    total = sum((examine(draw_case(seed, cap=40)) for seed in range(first, first + 25)), Tally())
    assert total.ranges > 100
    assert total.attained > total.proved > 0


def test_ranges_of_proofs_alone_are_sound_too() -> None:
    total = sum((examine(draw_case(seed, cap=40), "relational") for seed in range(500, 530)), Tally())
    assert total.proved > 0


def _narrow(rate, who, possible, tables):  # type: ignore[no-untyped-def]
    """The mistake of taking today's labels for the only ones."""
    only = np.zeros_like(possible)
    only[np.arange(len(possible)), tables[0]] = True
    return range_of(rate, who, only, tables)


def _unseen_is_last(rate, who, possible, tables):  # type: ignore[no-untyped-def]
    """The mistake of counting a label that training never saw as the last one."""
    target = np.where(rate.target < 0, possible.shape[1] - 1, rate.target)
    return range_of(replace(rate, target=target), who, possible, tables)


def _everybody_counts(rate, who, possible, tables):  # type: ignore[no-untyped-def]
    """The mistake of dividing true positives by all people."""
    return range_of(replace(rate, counted=np.ones_like(rate.counted)), who, possible, tables)


@pytest.mark.parametrize("mistake", [_narrow, _unseen_is_last, _everybody_counts])
def test_the_comparison_notices_mistakes(mistake: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("everytree.questions.measures.range_of", mistake)
    cases = [draw_case(seed, cap=40) for seed in range(30)]
    with pytest.raises((AssertionError, InternalError)):  # by the comparison, or by the library itself
        sum((examine(case, "relational") for case in cases), Tally())


# ---------------------------------------------------------------- what comes back


def test_the_table_behind_an_end_can_be_looked_at(tmp_path: Path) -> None:
    data = load("hiring")
    tree = DecisionTreeClassifier(max_depth=1, random_state=0)
    result = certify(tree, data.X_train, data.y_train, data.X_test, "flip(1)")
    ranges = result.metric_ranges("race", data.y_test)
    row = ranges.loc[("demographic parity difference", "between groups")]
    witness = ranges.witness("demographic parity difference", "high")
    assert (witness.before, witness.after) == (row.estimate, row.attained_high) == (1 / 14, 1.0)
    again = ranges.tree("demographic parity difference", "high")
    assert result.prepared is not None
    chosen = again.predict(result.prepared.test.X)
    rates = [chosen[data.X_test["race"] == race].mean() for race in ("Black", "White")]
    assert abs(rates[0] - rates[1]) == 1
    assert ranges.witness("accuracy", "high").size == 0
    assert repr(ranges.witness("accuracy", "high")).endswith("by no change>")
    assert ranges.witness("selection rate", "high", "White").after == 1
    assert "MetricRanges under flip(1)" in repr(ranges)
    saved = pd.read_csv(ranges.save(tmp_path / "ranges.csv"))
    assert len(saved) == len(ranges) == len(ranges.to_frame())
    assert '"gap": 0.0' in ranges.save(tmp_path / "ranges.json").read_text()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("acuracy", "low"), "Did you mean 'accuracy'"),
        (("accuracy", "top"), "end must be 'low' or 'high'"),
        (("accuracy", "low", "Green"), "group must be one of"),
        (("true positive rate", "low", "Black"), "has no value on any known table"),
    ],
)
def test_a_wrong_question_about_an_end_is_explained(arguments: tuple, message: str) -> None:
    data = load("hiring")
    tree = DecisionTreeClassifier(max_depth=1, random_state=0)
    result = certify(tree, data.X_train, data.y_train, data.X_test, "flip(1)")
    with pytest.raises(EverytreeError, match=message):
        result.metric_ranges("race", data.y_test).witness(*arguments)


def test_a_table_is_made_for_a_named_tree() -> None:
    """Witnesses are for single people; the end needs a split that no witness was asked for."""
    result = certify(
        DecisionTreeClassifier(max_depth=1, random_state=0), SCORES, HIRED, [[4], [5]], "flip(2)"
    )
    alone = replace(result, witnesses={})
    ranges = alone.metric_ranges(None, [0, 1])
    assert ranges.tables > 1
    for witness in ranges.witnesses[1:]:
        assert witness is not None
        assert 0 < len(witness.flipped) <= 2


def test_pictures_of_ranges() -> None:
    data = load("hiring")
    tree = DecisionTreeClassifier(max_depth=1, random_state=0)
    found = {}
    for amount in (1, 2):
        result = certify(tree, data.X_train, data.y_train, data.X_test, f"flip({amount})")
        found[amount] = result.metric_ranges("race", data.y_test)
    display = MetricRangesDisplay.from_amounts(found, "selection rate")
    assert not any(mark.get_clip_on() for mark in display.ax_.lines)  # a value of 0 or 1 is on the edge
    assert len(display.proved_) == len(display.attained_) == len(display.data) == 6
    assert display.proved_[0].get_y() == found[1].loc[("selection rate", "everybody"), "low"]
    assert "everybody: 0.444 to 0.778, now 0.556" in display.description
    assert "<svg" in display.to_svg()
    assert len(found[1].plot("four-fifths ratio").ax_.patches) == 4
    assert set(MetricRangesDisplay.from_ranges(found[1]).data["place"]) >= {"accuracy", "precision"}
    with pytest.raises(EverytreeError, match="metric must be one that has a range"):
        found[1].plot("robust")


@pytest.mark.parametrize(("low", "high"), [(0.4, 0.6), (0.0, 1.0)])
def test_a_range_does_not_stand_on_the_axis_as_if_it_went_on_below(low: float, high: float) -> None:
    line = {"place": "accuracy", "group": "everybody", "estimate": 0.5, "low": low, "high": high}
    display = MetricRangesDisplay(pd.DataFrame([line | {"attained_low": 0.45, "attained_high": 0.5}])).plot()
    bottom, top = display.ax_.get_ylim()
    assert bottom < low if low else bottom == 0
    assert top > high if high < 1 else top == 1


def test_a_group_has_one_colour_in_all_pictures() -> None:
    """Women were blue in the curves and orange in the ranges below them, and everybody was blue there."""
    data = load("hiring")
    tree = DecisionTreeClassifier(max_depth=1, random_state=0)
    result = certify(tree, data.X_train, data.y_train, data.X_test, "flip(1)")
    ranges = MetricRangesDisplay.from_ranges(result.metric_ranges("race", data.y_test), "accuracy")
    curves = CertifiedShareDisplay.from_results({0: result, 1: result}, "race")
    marks = {mark.get_label(): mark for mark in ranges.ax_.lines}
    for name, line in curves.lines_.items():
        if name != "everybody":
            assert marks[name].get_color() == line.get_color()
            assert marks[name].get_marker() == line.get_marker()
    assert len({mark.get_color() for mark in marks.values()}) == len(marks) == 3
    alone = MetricRangesDisplay.from_ranges(result.metric_ranges(None, data.y_test), "accuracy")
    assert alone.ax_.lines[0].get_marker() == "o"


def test_small_groups_are_shown_and_not_compared() -> None:
    result = made("rrrrrrr", [1, 1, 0, 1, 0, 0, 1], [0, 1])
    groups = ["a", "a", "a", "b", "b", "b", "tiny"]
    everyone = result.metric_ranges(groups)
    difference = ("demographic parity difference", "between groups")
    assert everyone.loc[difference, "compared"] == (
        "tiny (1): selection rate 1.000; b (3): selection rate 0.333"
    )
    large = result.metric_ranges(groups, smallest_group=3)
    assert large.loc[("selection rate", "tiny"), "estimate"] == 1
    assert large.loc[difference, "estimate"] == pytest.approx(1 / 3)
    assert large.loc[difference, "n"] == 6
    assert large.loc[difference, "compared"] == ("a (3): selection rate 0.667; b (3): selection rate 0.333")
    assert large.loc[("four-fifths ratio", "b"), "compared"].startswith("b (3): selection rate 0.333; a")
    assert large.loc[("four-fifths ratio", "a"), "compared"] == "a (3): selection rate 0.667, the largest"
    assert ("four-fifths ratio", "tiny") not in large.index
    assert ("demographic parity ratio", "between groups") not in result.metric_ranges(
        groups, smallest_group=4
    ).index
    with pytest.raises(EverytreeError, match="smallest_group must be a whole number from 1; received 0"):
        result.metric_ranges(groups, smallest_group=0)


def test_bounds_over_trees_leave_small_groups_out() -> None:
    people = [*SCORES, [9]]
    tree = DecisionTreeClassifier(max_depth=1, random_state=0)
    result = certify(tree, SCORES, HIRED, people, "flip(1)")
    with_tiny = result.metric_ranges(["a", "b"] * 4 + ["a", "tiny"], smallest_group=2)
    alone = certify(tree, SCORES, HIRED, people[:9], "flip(1)").metric_ranges(["a", "b"] * 4 + ["a"])
    for metric in ("demographic parity difference", "demographic parity ratio"):
        assert row(with_tiny, metric, "between groups") == row(alone, metric, "between groups")


def test_rates_that_count_few_people_are_not_compared() -> None:
    """A group of five has a true positive rate of the one person in it whose label is positive."""
    predictions = [1, 1, 0, 0, 1, 1, 0, 1, 0, 0, 1, 0]
    truth = [1, 1, 0, 1, 0, 0, 0, 0, 1, 1, 1, 0]
    groups = ["a"] * 5 + ["b"] * 4 + ["c"] * 3
    result = made("rrrrrrrrrrrr", predictions, [0, 1])
    opportunity = ("equal opportunity difference", "between groups")
    every = result.metric_ranges(groups, truth)
    assert every.loc[opportunity, "compared"] == (
        "a (3 of 5): true positive rate 0.667; b (1 of 4): true positive rate 0.000"
    )
    large = result.metric_ranges(groups, truth, smallest_group=2)
    assert large.loc[opportunity, "compared"] == (
        "a (3 of 5): true positive rate 0.667; c (2 of 3): true positive rate 0.500"
    )
    assert large.loc[opportunity, ["n", "estimate", "low", "high"]].tolist() == pytest.approx(
        [5, 1 / 6, 1 / 6, 1 / 6]
    )
    assert large.loc[("true positive rate", "b"), "n"] == 1  # shown
    none = result.metric_ranges(groups, truth, smallest_group=3)
    assert np.isnan(none.loc[opportunity, "estimate"])
