"""The family of trees: what it says a split needs, against every table of small problems."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier

from everytree import radius
from everytree.datasets import load
from everytree.errors import BiasError, EverytreeError
from everytree.family import Node, TreeFamily, tree_family
from tests.oracle import Table, _as_float32, _best_cuts, biased_tables
from tests.problems import Problem, hand_picked, random_problem

SEEDS = range(200)


def tables_by_amount(problem: Problem) -> dict[int, set[Table]]:
    """Amount to the tables that need no more: every component is capped by it."""
    found = {}
    for amount in range(max(part.count for part in problem.parts) + 1):
        parts = [replace(part, count=min(part.count, amount)).component() for part in problem.parts]
        found[amount] = set(biased_tables(problem.X, problem.y, parts, problem.points))
    return found


def check_node(node: Node, table: Table, codes: dict[int, int], amount: int, seen: Counter[str]) -> None:
    """Every best split of a table, with every way of breaking ties, must be allowed at this amount."""
    if len({label for _, label in table}) == 1:
        return
    for feature, threshold in _best_cuts(table, codes):
        assert_allowed(node, feature, threshold, amount, seen)
        for candidate in node.candidates:
            low = -np.inf if candidate.low is None else candidate.low
            high = np.inf if candidate.high is None else candidate.high
            if candidate.feature == feature and low <= threshold < high:
                left = tuple(row for row in table if row[0][feature] <= threshold)
                right = tuple(row for row in table if row[0][feature] > threshold)
                for child, part in ((candidate.left, left), (candidate.right, right)):
                    if child is not None:
                        check_node(child, part, codes, amount, seen)


def assert_allowed(node: Node, feature: int, threshold: float, amount: int, seen: Counter[str]) -> None:
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
    labels = sorted(set(problem.y.tolist()))
    codes = {label: code for code, label in enumerate(labels)}
    tree = DecisionTreeClassifier(max_depth=2, random_state=0)
    family = tree_family(tree, problem.X, problem.y, problem.bias(), most=2)
    done: set[Table] = set()
    for amount, tables in tables_by_amount(problem).items():
        for number, table in enumerate(sorted(tables - done)):
            rounded = tuple((_as_float32(values), label) for values, label in table)
            check_node(family.root, rounded, codes, amount, seen)
            if number % 16 == 0:
                check_by_sklearn(family, rounded, amount, seen)
            seen["tables"] += 1
        done |= tables


def check_problems(problems: Iterable[Problem]) -> Counter[str]:
    seen: Counter[str] = Counter()
    for problem in problems:
        check_problem(problem, seen)
    return seen


def check_by_sklearn(family: TreeFamily, table: Table, amount: int, seen: Counter[str]) -> None:
    """The root that scikit-learn itself chooses."""
    X, y = np.array([values for values, _ in table], np.float32), [label for _, label in table]
    learned = DecisionTreeClassifier(max_depth=1, random_state=amount).fit(X, y).tree_
    if learned.feature[0] >= 0:
        assert_allowed(family.root, int(learned.feature[0]), float(learned.threshold[0]), amount, seen)
        seen["sklearn"] += 1


@pytest.mark.parametrize("part", range(2))
def test_no_table_has_a_split_with_less_than_it_needs(part: int) -> None:
    seen = check_problems(random_problem(seed, depth=2, cap=250) for seed in SEEDS[part::2])
    assert seen["tables"] > 2000, seen
    assert min(seen["tight"], seen["deep"], seen["listed"], seen["sklearn"]) > 200, seen


def test_no_table_of_the_hand_picked_problems_either() -> None:
    seen = check_problems(hand_picked())
    assert seen["added only"] > 0, seen


@pytest.mark.parametrize("mistake", ["no outer splits", "one too many", "bisected from the wrong end"])
def test_the_comparison_notices_mistakes(mistake: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from everytree.family import search

    right = search.node_splits, search.Searcher.survivors, search.Searcher._between
    if mistake == "no outer splits":
        monkeypatch.setattr(search, "node_splits", lambda *given: right[0](*given[:-1], False))
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
