"""The family of trees: what it says a split needs, against every table of small problems."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier

from everytree import BiasCertifier, certify, parse, radius
from everytree.bias import BiasModel
from everytree.bias.language.amounts import Amount
from everytree.datasets import load
from everytree.errors import BiasError, EverytreeError
from everytree.learner import prepare
from everytree.questions.family import FamilyNode, TreeFamily, tree_family
from everytree.questions.radius import radius_prepared
from everytree.refute.witness import amount_of
from everytree.table import training_table
from everytree.table.split_words import split_text
from tests.truth.naive import NaiveLearner, divide
from tests.truth.oracle import Table, _as_float32, biased_tables, original_table
from tests.truth.problems import Problem, hand_picked, random_problem

SEEDS = range(120)


def tables_by_amount(problem: Problem) -> dict[int, set[Table]]:
    """Amount to the tables that need no more: every component is capped by it."""
    found = {}
    for amount in range(max(part.count for part in problem.parts) + 1):
        parts = [replace(part, count=min(part.count, amount)).component() for part in problem.parts]
        found[amount] = set(biased_tables(problem.X, problem.y, parts, problem.points))
    return found


Whole = tuple[NaiveLearner, int]
"""The learner, and the rows of the whole table."""


def check_node(node: FamilyNode, table: Table, whole: Whole, amount: int, seen: Counter[str]) -> None:
    """Every best split of a table, with every way of breaking ties, must be allowed at this amount."""
    learner, n_rows = whole
    for feature, threshold in learner.cuts(table, 1, n_rows):
        assert_allowed(node, feature, threshold, amount, seen)
        for candidate in node.candidates:
            low = -np.inf if candidate.low is None else candidate.low
            high = np.inf if candidate.high is None else candidate.high
            if candidate.feature == feature and low <= threshold < high:
                sides = divide(table, (feature, threshold))
                for child, part in zip((candidate.left, candidate.right), sides, strict=True):
                    if child is not None:
                        check_node(child, part, whole, amount, seen)


def assert_allowed(node: FamilyNode, feature: int, threshold: float, amount: int, seen: Counter[str]) -> None:
    learned = [c for c in node.candidates if c.learned and c.feature == feature]
    if learned and learned[0].low <= threshold < learned[0].high:  # type: ignore[operator]
        assert learned[0].needs <= amount
        seen["learned"] += 1
        return
    listed = [c for c in node.candidates if c.feature == feature and not c.learned]
    bound = listed[0].needs if listed else node.beyond
    assert bound is not None, (node.path, feature, threshold)
    assert bound <= amount, (node.path, feature, threshold, bound, amount)
    seen["listed" if listed else "beyond"] += 1
    seen["tight"] += bound == amount > 0
    seen["deep"] += len(node.path) > 0
    seen["added only"] += bool(listed) and listed[0].added_only


def check_problem(problem: Problem, seen: Counter[str]) -> None:
    learner = NaiveLearner([], sorted(set(problem.y.tolist())), problem.stops)
    settings = problem.stops.parameters()
    tree = DecisionTreeClassifier(max_depth=2, random_state=0, **settings)
    family = tree_family(tree, problem.X, problem.y, problem.bias(), most=2)
    done: set[Table] = set()
    for amount, tables in tables_by_amount(problem).items():
        for number, table in enumerate(sorted(tables - done)):
            rounded = tuple((_as_float32(values), label) for values, label in table)
            check_node(family.root, rounded, (learner, len(rounded)), amount, seen)
            if number % 16 == 0:
                check_by_sklearn(family, rounded, amount, seen, settings)
            seen["tables"] += 1
        done |= tables


def check_problems(problems: Iterable[Problem]) -> Counter[str]:
    seen: Counter[str] = Counter()
    for problem in problems:
        check_problem(problem, seen)
    return seen


def check_by_sklearn(
    family: TreeFamily, table: Table, amount: int, seen: Counter[str], settings: dict[str, float | None]
) -> None:
    """The root that scikit-learn itself chooses."""
    X, y = np.array([values for values, _ in table], np.float32), [label for _, label in table]
    learned = DecisionTreeClassifier(max_depth=1, random_state=amount, **settings).fit(X, y).tree_
    if learned.feature[0] >= 0:
        assert_allowed(family.root, int(learned.feature[0]), float(learned.threshold[0]), amount, seen)
        seen["sklearn"] += 1


@pytest.mark.parametrize("part", range(2))
def test_no_table_has_a_split_with_less_than_it_needs(part: int) -> None:
    seen = check_problems(random_problem(seed, depth=2, cap=250) for seed in SEEDS[part::2])
    assert seen["tables"] > 1200, seen
    assert min(seen["tight"], seen["deep"], seen["listed"], seen["sklearn"]) > 120, seen


def test_no_table_has_a_split_with_less_than_it_needs_with_leaf_limits() -> None:
    stops = ("leaf", "leaf", "split", "decrease")
    seen = check_problems(
        random_problem(seed, depth=2, cap=250, stops=stops, criterion=("gini", "entropy")[seed % 8 > 3])
        for seed in SEEDS[::4]
    )
    assert min(seen["tight"], seen["deep"], seen["listed"], seen["sklearn"]) > 20, seen


def test_no_table_of_the_hand_picked_problems_either() -> None:
    seen = check_problems(hand_picked())
    assert seen["added only"] > 0, seen


@pytest.mark.parametrize("mistake", ["no outer splits", "one too many", "bisected from the wrong end"])
def test_the_comparison_notices_mistakes(mistake: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from everytree.prove import node
    from everytree.questions.family import needs as search

    right = node.node_splits, search.Searcher.survivors, search.Searcher._between
    if mistake == "no outer splits":
        monkeypatch.setattr(node, "node_splits", lambda *given: right[0](*given[:-1], False))
    elif mistake == "one too many":
        monkeypatch.setattr(
            search.Searcher, "survivors", lambda s, p, amount: right[1](s, p, max(0, amount - 1))
        )
    else:
        monkeypatch.setattr(
            search.Searcher,
            "_between",
            lambda s, p, g, splits, ends, wanted: dict.fromkeys(splits, ends[1] + 1),
        )
    with pytest.raises(AssertionError):
        check_problems([*hand_picked(), *(random_problem(seed, depth=2, cap=250) for seed in range(20))])


def test_compas_in_the_words_of_its_table() -> None:
    data = load("compas")
    tree = DecisionTreeClassifier(max_depth=2, random_state=0)
    family = tree_family(tree, data.X_train, data.y_train, "flip(?)", max_amount=60)
    learned = tree.fit(data.X_train[["priors_count"]], data.y_train)
    first = family.root.candidates[0]
    assert (first.text, first.learned, first.needs) == ("priors_count <= 2.5", True, 0)
    assert learned.tree_.threshold[0] == 2.5
    assert first.left is not None
    assert first.left.path == ("priors_count <= 2.5",)
    assert first.left.rows == int((data.X_train["priors_count"] <= 2.5).sum())
    assert first.left.counts == tuple(np.bincount(data.y_train[data.X_train["priors_count"] <= 2.5]).tolist())
    moved = family.root.candidates[1]
    assert (moved.text, moved.needs, moved.left) == ("priors_count <= 1.5", 20, None)
    assert family.root.beyond == 61
    assert "no other feature with 60 or less" in str(family)


def test_what_is_needed_is_never_less_than_above() -> None:
    data = load("hiring")
    tree = DecisionTreeClassifier(max_depth=2, random_state=0)
    family = tree_family(tree, data.X_train, data.y_train, "flip(?) + miss(?)")
    for node in family.root.walk():
        needs = [candidate.needs for candidate in node.candidates]
        assert all(need >= node.needs for need in needs)
        assert needs == sorted(needs)
        assert node.beyond is None or node.beyond >= node.needs
        for candidate in node.candidates:
            for child in (candidate.left, candidate.right):
                assert child is None or child.needs == candidate.needs


def test_witnesses_are_seen_at_their_splits() -> None:
    data = load("compas")
    tree = DecisionTreeClassifier(max_depth=1, random_state=0)
    people = data.X_test.iloc[:60]
    found = radius(tree, data.X_train, data.y_train, people, "flip(?)", max_amount=40)
    assert found.witnesses
    family = tree_family(tree, data.X_train, data.y_train, "flip(?)", max_amount=40, witnesses=found)
    moved = family.root.candidates[1]
    assert moved.seen is not None
    assert moved.needs <= moved.seen <= 40
    smallest = min(found.witnesses.values(), key=lambda witness: witness.size)
    X, y = smallest.apply(data.X_train, data.y_train)
    retrained = DecisionTreeClassifier(max_depth=1, random_state=0).fit(X.select_dtypes("number"), y)
    assert retrained.tree_.threshold[0] in (1.5, 2.5)
    with pytest.raises(EverytreeError, match="witnesses must come from a result for fake"):
        tree_family(tree, data.X_train, data.y_train, "fake(?)", witnesses=found)


def test_frame_has_a_row_for_each_node_and_split() -> None:
    data = load("hiring")
    family = tree_family(DecisionTreeClassifier(max_depth=2), data.X_train, data.y_train, "flip(1)", depth=1)
    frame = family.to_frame()
    assert len(frame) == len(family.root.candidates)
    assert frame["node"].unique().tolist() == ["root"]
    assert frame["needs"].tolist() == [c.needs for c in family.root.candidates]
    assert frame["seen"].isna().all()
    assert frame.loc[frame["learned"], "split"].tolist() == ["score <= 4"]
    assert repr(family) == "<TreeFamily: 1 nodes, flip(1)>"


def test_a_pure_node_is_a_leaf_as_long_as_nothing_is_changed() -> None:
    X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], ["no", "no", "yes", "yes"]
    family = tree_family(DecisionTreeClassifier(max_depth=2, random_state=0), X, y, "flip(?)")
    left = family.root.candidates[0].left
    assert left is not None
    assert left.counts == (2, 0)
    assert [c.needs for c in left.candidates] == [1]


def test_names_of_splits_by_encoding() -> None:
    import pandas as pd
    from sklearn.compose import ColumnTransformer
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OrdinalEncoder

    X = pd.DataFrame({"school": list("aabbccdd"), "married": [0, 1] * 4, "age": range(20, 28)})
    y = [0, 0, 0, 0, 1, 1, 1, 1]
    encoder = ColumnTransformer([("o", OrdinalEncoder(), ["school"])], remainder="passthrough")
    tree = make_pipeline(encoder, DecisionTreeClassifier(max_depth=1, random_state=0))
    root = tree_family(tree, X, y, "miss(?)", max_amount=6).root
    texts = {c.text: c for c in root.candidates}
    assert {'school up to "b"', "age <= 23.5", "married == 1"} <= set(texts)
    assert texts["married == 1"].sides == ("married == 0", "married == 1")
    outer = [c for c in root.candidates if c.added_only]
    assert all("added rows only" in c.text for c in outer)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"most": 0}, "most must be"),
        ({"depth": 0}, "depth must be"),
        ({"max_amount": -1}, "max_amount must be"),
        ({"depth": "two"}, "depth must be"),
    ],
)
def test_bad_options_are_named(options: dict[str, object], message: str) -> None:
    data = load("hiring")
    with pytest.raises(EverytreeError, match=message):
        tree_family(DecisionTreeClassifier(max_depth=1), data.X_train, data.y_train, "flip(?)", **options)  # type: ignore[arg-type]
    with pytest.raises(BiasError):
        tree_family(
            DecisionTreeClassifier(max_depth=1), data.X_train, data.y_train, "flip(?, where nobody == 1)"
        )


def test_progress_is_reported() -> None:
    data = load("hiring")
    calls: list[tuple[float, int]] = []
    tree = DecisionTreeClassifier(max_depth=2, random_state=0)
    tree_family(
        tree, data.X_train, data.y_train, "flip(?)", progress=lambda done, left: calls.append((done, left))
    )
    shares = [done for done, _ in calls]
    assert shares == sorted(shares)
    assert len(calls) == 7


@pytest.mark.parametrize("kind", ["flip", "miss", "fake"])
def test_a_free_amount_and_a_fixed_one_say_the_same(kind: str) -> None:
    data = load("hiring")
    tree = DecisionTreeClassifier(max_depth=2, random_state=0)
    free = tree_family(tree, data.X_train, data.y_train, f"{kind}(?)", max_amount=3)
    fixed = tree_family(tree, data.X_train, data.y_train, f"{kind}(3)")
    assert free.max_amount == fixed.max_amount == 3
    assert free.root == fixed.root


def few_people(seed: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 6, (14, 3)).astype(float)
    return X, (X[:, 0] + rng.normal(0, 1, 14) > 2.5).astype(int)


@pytest.mark.parametrize("bias", ["flip(?)", "flip(6)"])
def test_a_witness_of_more_than_the_largest_amount_is_not_seen(bias: str) -> None:
    X, y = few_people(0)
    tree = DecisionTreeClassifier(max_depth=1, random_state=0)
    found = certify(tree, X, y, X, "flip(6)")
    whole = tree_family(tree, X, y, bias, max_amount=6, witnesses=found)
    seen = {(c.feature, c.low, c.high): c.seen for c in whole.root.candidates}
    assert max(amount for amount in seen.values() if amount is not None) > 1
    for most in (1, 2, 3):
        family = tree_family(tree, X, y, bias, max_amount=most, witnesses=found)
        for c in family.root.candidates:
            if c.seen is not None:
                assert c.needs <= c.seen <= most
                assert seen.get((c.feature, c.low, c.high), c.seen) == c.seen
    # A table with 3 changed labels has x0 <= 3.5 at its root; it is not one of those with 2.
    two = tree_family(tree, X, y, bias, max_amount=2, witnesses=found)
    assert [c.seen for c in two.root.candidates if c.text == "x0 <= 3.5"] == [None]
    assert "x0 <= 3.5  tied, seen with 3\n" in str(whole)
    assert "x0 <= 3.5  tied\n" in str(two)


def test_a_witness_of_fixed_amounts_needs_no_more_than_the_largest_of_them() -> None:
    X, y = few_people(3)
    tree = DecisionTreeClassifier(max_depth=1, random_state=0)
    bias = "flip(2) + miss(2)"
    found = certify(tree, X, y, X, bias)
    assert max(witness.size for witness in found.witnesses.values()) > 2
    family = tree_family(tree, X, y, bias, witnesses=found)
    assert family.max_amount == 2
    seen = [c.seen for c in family.root.candidates]
    assert set(seen) == {None, 2}, seen
    capped = tree_family(tree, X, y, bias, max_amount=1, witnesses=found)
    assert all(c.seen is None for c in capped.root.candidates)


@pytest.mark.parametrize("kinds", [("flip",), ("flip", "fake"), ("flip", "flip"), ("fake", "flip", "fake")])
def test_the_amount_of_a_witness_is_enough_for_it(kinds: tuple[str, ...]) -> None:
    checked = Counter[str]()
    for seed in range(45):
        problem = random_problem(seed, kinds=kinds, cap=250)
        model = problem.bias()
        tree = DecisionTreeClassifier(max_depth=problem.depth, random_state=0)
        found = certify(tree, problem.X, problem.y, problem.points, model)
        first, *others = model.components
        mixed = BiasModel((replace(first, amount=Amount.of("?")), *others))
        capped = tables_by_amount(problem)
        for witness in found.witnesses.values():
            changed = original_table(*witness.apply(problem.X, problem.y))
            amount = min(amount_of(witness, model), max(capped))
            assert changed in capped[amount]
            free = amount_of(witness, mixed)
            parts = [replace(problem.parts[0], count=free), *problem.parts[1:]]
            assert changed in biased_tables(problem.X, problem.y, [part.component() for part in parts])
            checked["all"] += 1
            checked["less"] += free < problem.parts[0].count
    assert checked["all"] > 25, checked
    assert checked["less"] > 2, checked


def test_tied_is_said_only_where_nothing_is_changed() -> None:
    people = [[0, 0], [1, 0], [2, 1], [3, 0], [5, 1], [6, 1], [7, 1], [8, 0]]
    tree = DecisionTreeClassifier(max_depth=1, random_state=0)
    hired = [0, 0, 0, 0, 1, 1, 1, 1]
    mixed = str(tree_family(tree, people, hired, "flip(?) + miss(2)"))
    assert "x1 == 1    not excluded with the fixed amounts alone" in mixed
    assert "tied" not in mixed
    twice = [[0, 0], [0, 0], [1, 1], [1, 1]]
    for bias in ("flip(?)", "flip(?) + miss(0)", "flip(1) + miss(2)"):
        assert "tied" in str(tree_family(tree, twice, [0, 0, 1, 1], bias))


def test_learned_is_the_tree_that_was_given() -> None:
    X, y = np.array([[0, 0], [0, 0], [1, 1], [1, 1], [2, 2]]), [0, 0, 1, 1, 1]
    for seed in range(8):
        tree = DecisionTreeClassifier(max_depth=1, random_state=seed).fit(X, y)
        tree.set_params(random_state=None)
        learned = [c for c in tree_family(tree, X, y, "flip(?)", max_amount=1).root.candidates if c.learned]
        assert [c.feature for c in learned] == [tree.tree_.feature[0]]
    X, y = np.array([[0, 0], [0, 1], [1, 0], [1, 1], [1, 1]]), [0, 0, 1, 1, 1]
    fitted = (DecisionTreeClassifier(max_depth=1, max_features=1, random_state=s).fit(X, y) for s in range(9))
    wrong = next(tree for tree in fitted if tree.tree_.feature[0] == 1)
    wrong.set_params(max_features=None)
    with pytest.raises(EverytreeError, match="has a split that no tree learned from this table"):
        tree_family(wrong, X, y, "flip(?)", max_amount=1)


@pytest.mark.parametrize("given", [{}, [1], "x"])
def test_witnesses_are_a_result(given: object) -> None:
    data = load("hiring")
    tree = DecisionTreeClassifier(max_depth=1, random_state=0)
    with pytest.raises(
        EverytreeError, match=f"a RadiusResult or a CertificationResult.*{type(given).__name__}"
    ):
        tree_family(tree, data.X_train, data.y_train, "flip(?)", witnesses=given)  # type: ignore[arg-type]


def test_witnesses_of_another_table_are_refused() -> None:
    X, y = few_people(0)
    tree = DecisionTreeClassifier(max_depth=1, random_state=0)
    certified = certify(tree, X, y, X, "flip(2)")
    assert tree_family(tree, X, y, "flip(?)", max_amount=2, witnesses=certified)
    other = X.copy()
    other[0, 2] += 1
    for rows, labels in ((X[:-1], y[:-1]), (other, y), (X, 1 - y)):
        with pytest.raises(EverytreeError, match="for this training table"):
            tree_family(tree, rows, labels, "flip(?)", max_amount=2, witnesses=certified)
    stood = radius(tree, X, y, X, "flip(?)", max_amount=3)
    last = max(row for witness in stood.witnesses.values() for row in witness.flipped)
    for rows, labels in ((X[:last], y[:last]), (X, 1 - y)):
        with pytest.raises(EverytreeError, match="for this training table"):
            tree_family(tree, rows, labels, "flip(?)", max_amount=2, witnesses=stood)


def test_witnesses_may_have_another_name_for_the_label() -> None:
    data = load("hiring")
    tree = DecisionTreeClassifier(max_depth=1, random_state=0)
    named = prepare(tree, data.X_train, data.y_train, data.X_test, label_name="hired")
    families = [
        tree_family(tree, data.X_train, data.y_train, "miss(?)", max_amount=1, witnesses=found)
        for found in (
            radius_prepared(named, parse("miss(?)"), max_amount=1),
            BiasCertifier(tree, "miss(1)").fit(data.X_train, data.y_train).radius(data.X_test, max_amount=1),
        )
    ]
    assert str(families[0]) == str(families[1])
    assert {candidate.seen for candidate in families[0].root.candidates} - {None}


def test_columns_can_be_dropped() -> None:
    data = load("hiring")
    tree = DecisionTreeClassifier(max_depth=1, random_state=0)
    family = tree_family(tree, data.X_train, data.y_train, "flip(?)", drop="score", most=9)
    assert all("score" not in candidate.text for candidate in family.root.candidates)
    without = tree_family(tree, data.X_train.drop(columns="score"), data.y_train, "flip(?)", most=9)
    assert str(family) == str(without)
    with pytest.raises(EverytreeError, match="scores"):
        tree_family(tree, data.X_train, data.y_train, "flip(?)", drop=["scores"])


def test_numbers_are_written_out_and_added_rows_named() -> None:
    import pandas as pd

    X = pd.DataFrame({"amount": [21100.0, 21200.0, 5.0, 7.5], "race": ["Black"] * 4})
    table = training_table(X, [0, 1, 0, 1])
    names = {
        (21100, 21200): "21150",
        (21151, 21152): "21151.5",
        (2_000_000, 3_000_000): "2500000",
        (1234567, 1234568): "1234567.5",
        (float(np.float32(0.1)), float(np.float32(0.2))): "0.15",
        (0.00001, 0.00002): "0.000015",
        (2, 3): "2.5",
    }
    for (low, high), threshold in names.items():
        assert split_text(table, 0, low, high)[0] == f"amount <= {threshold}"
        assert low <= float(threshold) < high
    assert split_text(table, 0, 1234567, None)[0] == "amount > 1234567 (added rows only)"
    assert split_text(table, 0, None, 0.1)[0] == "amount < 0.1 (added rows only)"
    black = table.feature_names.index("race=Black")
    sides = ('race != "Black"', 'race == "Black"')
    assert split_text(table, black, None, 1.0) == ('race != "Black" (added rows only)', sides)
    assert split_text(table, black, 0.0, None) == ('race == "Black" (added rows only)', sides)
    assert split_text(table, black, 0.0, 1.0) == ('race == "Black"', sides)
