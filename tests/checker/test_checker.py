"""The independent check: it derives what the engine proves, and nothing that is false."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import OrdinalEncoder
from sklearn.tree import DecisionTreeClassifier

import everytree
from everytree import certify
from everytree.bias import as_bias, resolve
from everytree.checker import BiasFacts, CheckReport, TableFacts, bias_facts, check, check_person
from everytree.checker.adapter import user_table
from everytree.checker.bias import read_bias
from everytree.checker.compare import Candidate, Challenge, Leaf, Match
from everytree.checker.criteria import Gini, Reach
from everytree.checker.exact import UNIT
from everytree.checker.ground import Ground, criteria_over
from everytree.checker.intervals import cost
from everytree.checker.leaves import allowance, may_stay_unsplit, other_labels
from everytree.checker.records import Split, list_splits, merge, shared_left
from everytree.checker.table import UserColumn
from everytree.checker.weights import given_weights
from everytree.learner import Prepared, prepare
from tests.truth.checker_bounds import Root, first_wrong, score, sides_of
from tests.truth.oracle import reachable_labels
from tests.truth.problems import Problem, hand_picked, random_problem

CORE = Path(everytree.__file__).parent / "checker"
CHUNKS, PER_CHUNK = 4, 32


def prepared_for(problem: Problem) -> Prepared:
    tree = DecisionTreeClassifier(random_state=0, **problem.parameters())
    return prepare(tree, problem.X, problem.y, problem.points)


def robust_people(prepared: Prepared, problem: Problem) -> list[bool]:
    tree = DecisionTreeClassifier(random_state=0, **problem.parameters())
    result = certify(tree, problem.X, problem.y, problem.points, problem.bias(), engine="relational")
    assert result.predictions.tolist() == prepared.train.labels[prepared.predictions].tolist()
    return [verdict == "robust" for verdict in result.verdicts]


def facts_of(prepared: Prepared, bias: object) -> BiasFacts:
    train = prepared.train
    return bias_facts(resolve(bias, train))


def steps(times: int = 6) -> tuple[list[list[float]], list[int]]:
    """One column that settles the label."""
    return [[0.0]] * times + [[1.0]] * times, [0] * times + [1] * times


def flips_of_anyone(labels: list[int], flips: int, n_labels: int = 2) -> BiasFacts:
    everything = frozenset(range(n_labels))
    return BiasFacts(0, flips, 0, [everything - {label} for label in labels], [False] * len(labels))


# ---------------------------------------------------------------- against the engine and the oracle


@pytest.mark.parametrize("stops", [(), ("leaf", "split")], ids=["depth alone", "leaf limits"])
@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_proofs_are_confirmed_and_untruths_are_not(chunk, stops):
    seen: Counter[str] = Counter()
    for seed in range(chunk * PER_CHUNK, (chunk + 1) * PER_CHUNK):
        problem = random_problem(seed, stops=stops)
        prepared = prepared_for(problem)
        reports = [check(prepared, problem.bias(), i) for i in range(len(problem.points))]
        components = [part.component() for part in problem.parts]
        truth = reachable_labels(
            problem.X, problem.y, problem.points, problem.depth, components, stops=problem.stops
        )
        regional = facts_of(prepared, problem.bias()).regional
        for i, robust in enumerate(robust_people(prepared, problem)):
            note = f"person {i}: {reports[i]}\n{problem.describe()}"
            expected = int(prepared.train.labels[prepared.predictions[i]])
            seen[reports[i].outcome] += 1
            if reports[i].confirmed:
                assert truth[i] == {expected}, note
            if reports[i].outcome == "refuted":
                assert truth[i] != {expected}, note
            if robust and not reports[i].confirmed:
                assert regional, note
                assert "where rows may be added" in reports[i].reason, note
    assert min(seen[outcome] for outcome in ("confirmed", "not confirmed", "refuted")) > 0


@pytest.mark.parametrize("problem", hand_picked(), ids=lambda problem: problem.name)
def test_hand_picked_problems(problem):
    prepared = prepared_for(problem)
    components = [part.component() for part in problem.parts]
    truth = reachable_labels(
        problem.X, problem.y, problem.points, problem.depth, components, stops=problem.stops
    )
    for i, robust in enumerate(robust_people(prepared, problem)):
        report = check(prepared, problem.bias(), i)
        if report.confirmed:
            assert truth[i] == {int(prepared.train.labels[prepared.predictions[i]])}, str(report)
        elif robust:
            assert "where rows may be added" in report.reason or "does not cover" in report.reason, str(
                report
            )


def ground_of(records, counts, allowed, n_labels, criterion="gini", weights=None) -> Ground:
    root = Ground((), records.kinds, n_labels, counts, allowed)
    given = weights[:n_labels] if isinstance(weights, tuple) else weights
    return replace(root, criteria=criteria_over(criterion, given, root))


def met(ground: Ground, phi: Split, psi: Split, both_left: list[int]) -> Match:
    reach = ground.reach()
    return Challenge(ground, reach, psi).meet(Candidate(ground, reach, phi), both_left)


@pytest.mark.parametrize("weights", [None, ("whole",), ("decimals",), ("balanced",)], ids=str)
@pytest.mark.parametrize("criterion", ["gini", "entropy"])
def test_the_bounds_hold_on_every_table(criterion, weights):
    """The inequalities themselves: no enumerated table breaks them, for any pair of splits."""
    checked = 0
    for seed in range(50):
        problem = random_problem(seed, depth=1, cap=60, criterion=criterion, weights=weights)
        made, wrong = first_wrong(problem)
        assert not wrong, f"{wrong}\n{problem.describe()}"
        checked += made
    assert checked > 1000


def test_the_cost_of_a_split_lies_between_its_bounds():
    checked = 0
    for seed in range(60):
        root = Root(random_problem(seed, depth=1, cap=100))
        for phi in root.splits:
            lower, upper = cost(root.ground, 1, phi, Fraction)
            for table in root.tables:
                sides = sides_of(table, phi)
                assert all(sides) or upper is None
                if all(sides):
                    found = len(table) - score(sides, "gini", root.weights_on(table))
                    assert lower <= found
                    assert upper is None or found <= upper
                    checked += 1
    assert checked > 1000


# ---------------------------------------------------------------- the paper's COMPAS table

needs_data = pytest.mark.skipif(not os.environ.get("EVERYTREE_DATA"), reason="EVERYTREE_DATA is not set")

MODELS = {
    "flip": "flip(1%)",
    "miss": "miss(0.5%)",
    "fake": "fake(0.5%)",
    "composite": "flip(0.2%) + miss(0.1%) + fake(0.1%)",
    "targeted": "flip(1%, where african_american == 1 and label == 1)",
}


@cache
def compas(depth: int) -> Prepared:
    from everytree.datasets import load_paper

    data = load_paper("compas")
    tree = DecisionTreeClassifier(max_depth=depth, random_state=0)
    return prepare(tree, data.X_train, data.y_train, data.X_test)


@needs_data
@pytest.mark.parametrize("depth", [1, 2])
@pytest.mark.parametrize("name", MODELS)
def test_compas_proofs_are_confirmed(name, depth):
    prepared, bias = compas(depth), MODELS[name]
    tree = DecisionTreeClassifier(max_depth=depth, random_state=0)
    train, test = prepared.train, prepared.test
    result = certify(tree, train.frame, train.labels[train.y], test.frame, bias, engine="relational")
    _, distinct = np.unique(test.X, axis=0, return_index=True)
    robust = distinct[result.verdicts[distinct] == "robust"]
    sample = np.random.default_rng(depth).permutation(robust)[:6]
    assert len(sample) == 6
    for i in sample.tolist():
        report = check(prepared, bias, i)
        assert report.confirmed, f"person {i}: {report}"


@needs_data
def test_compas_with_far_more_bias_is_not_confirmed():
    report = check(compas(1), "flip(30%)", 0)
    assert report.outcome == "not confirmed"
    assert report.path
    assert report.label == 1 - compas(1).predictions[0]


# ---------------------------------------------------------------- claims that do not hold


def test_a_wrong_label_is_refuted():
    rows, labels = steps()
    report = check_person(TableFacts(rows, labels, 2, names=["age"]), [0.0], flips_of_anyone(labels, 1), 1, 1)
    assert report.outcome == "refuted"
    assert not report.confirmed
    assert (report.label, report.path) == (0, ("age <= 0.5",))


def test_a_tie_on_the_table_itself_refutes():
    rows, labels = [[0.0, 1.0]] * 3 + [[1.0, 0.0]] * 3, [0] * 3 + [1] * 3
    nothing = flips_of_anyone(labels, 0)
    assert check_person(TableFacts(rows, labels, 2), [0.0, 0.0], nothing, 1, 0).outcome == "refuted"
    assert check_person(TableFacts(rows, labels, 2), [0.0, 1.0], nothing, 1, 0).confirmed


def test_the_budget_that_a_leaf_can_stand():
    """Six equal rows turn by three flips if the new label sorts first, and by four if it does not."""
    rows, labels = steps()
    table = TableFacts(rows, labels, 2)
    for person, expected, holds in ((0.0, 0, 3), (1.0, 1, 2)):
        confirmed = [
            check_person(table, [person], flips_of_anyone(labels, flips), 1, expected).confirmed
            for flips in range(6)
        ]
        assert confirmed == [flips <= holds for flips in range(6)]


def test_what_is_not_confirmed_says_where():
    rows, labels = steps()
    report = check_person(TableFacts(rows, labels, 2, names=["age"]), [0.0], flips_of_anyone(labels, 5), 1, 0)
    assert report.outcome == "not confirmed"
    assert report.path == ("age <= 0.5",)
    assert report.label == 1
    assert "age <= 0.5" in str(report)


def test_an_addition_into_an_empty_cell():
    """One added row makes another split the best although no row of T is like it."""
    rows = [[0.0, 0.0]] * 50 + [[1.0, 0.0]] * 50 + [[1.0, 1.0]] * 15 + [[1.0, 0.0]] * 35
    labels = [0] * 100 + [1] * 50
    added = BiasFacts(1, 0, 0, [frozenset()] * 150, [False] * 150, addable=frozenset({0, 1}))
    assert check_person(TableFacts(rows, labels, 2), [0.0, 1.0], added, 1, 0).outcome == "not confirmed"
    assert check_person(TableFacts(rows, labels, 2), [0.0, 0.0], added, 1, 0).confirmed


def test_an_unseen_category_of_an_ordinal_column():
    """Two categories are coded 0 and 1, but a missing row may be of a third one, coded -1."""
    frame = pd.DataFrame({"c": ["a"] * 50 + ["b"] * 50})
    y = np.array([0] * 26 + [1] * 24 + [0] * 24 + [1] * 26)
    people = pd.DataFrame({"c": ["a", "b"]})
    encoder = OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1)
    tree = DecisionTreeClassifier(max_depth=1, random_state=0)
    prepared = prepare(Pipeline([("code", encoder), ("tree", tree)]), frame, y, people)
    codes = np.append(prepared.train.X, [[-1]], axis=0)
    after = tree.fit(codes, np.append(y, 0)).predict(prepared.test.X)
    assert (prepared.predictions.tolist(), after.tolist()) == ([0, 1], [0, 0])
    assert check(prepared, "miss(1)", 1).outcome == "not confirmed"


def test_what_is_boolean_is_decided_anew_from_the_users_values():
    """float32 rounds the greatest value to 1; a missing row may hold any number all the same."""
    X, y = [[0.0]] * 5 + [[0.9999999999999999]] * 5, [0] * 5 + [1] * 5
    tree = DecisionTreeClassifier(max_depth=2, random_state=0)
    prepared = prepare(tree, X, y, [[9.0]])
    assert check(prepared, "miss(1, where x0 > 5)", 0).outcome == "not confirmed"
    claimed = tuple(replace(column, kind="boolean") for column in prepared.train.columns)
    train = replace(prepared.train, columns=claimed)
    assert train.is_boolean.all()
    assert check(replace(prepared, train=train), "miss(1, where x0 > 5)", 0).outcome == "not confirmed"


@pytest.mark.parametrize(
    ("values", "way", "zero_one"),
    [
        ([0, 1, 1.0, True], "identity", True),
        ([0.0, -0.0, 1.0], "identity", True),
        ([0, 1, 2], "identity", False),
        ([1e-50, 1.0], "identity", False),
        ([0, 1, None], "identity", True),
        ([None, None], "identity", False),
        ([0, 1], "onehot", False),
        ([0, 1], "ordinal", False),
        ([0, 1], "opaque", False),
        ([0, 1], "dropped", False),
    ],
)
def test_which_columns_hold_zeros_and_ones_only(values, way, zero_one):
    assert UserColumn(values, way, (0, 1), (0,)).zero_one is zero_one
    assert not UserColumn(values, way, (0, 1), (0,), categorical_type=True).zero_one


def test_features_that_are_not_the_users_values_are_noticed():
    frame = pd.DataFrame({"race": ["a", "b"] * 6, "x": [0, 1, 2] * 4, "id": [2**60 + 2**36 + 1] * 12})
    y = [0, 0, 1] * 4
    tree = DecisionTreeClassifier(max_depth=1, random_state=0)
    prepared = prepare(tree, frame, y, frame[:1])
    assert check(prepared, "flip(1)", 0).outcome != "refuted"
    assert "belong" not in check(prepared, "flip(1)", 0).reason
    for feature, name in ((0, "race"), (2, "x"), (3, "id")):
        for table in ("train", "test"):
            X = getattr(prepared, table).X.copy(order="F")
            X[0, feature] += X[0, feature] + 1
            changed = replace(prepared, **{table: replace(getattr(prepared, table), X=X)})
            report = check(changed, "flip(1)", 0)
            assert report.outcome == "not confirmed"
            assert f"of {name}" in report.reason


def test_budgets_and_permissions_are_those_of_the_engine():
    """Derived twice, by code that has nothing in common; on the same tables they must agree."""
    for seed in range(200):
        problem = random_problem(seed)
        prepared = prepared_for(problem)
        train, bias = prepared.train, as_bias(problem.bias())
        own = read_bias(bias.to_dict(), user_table(train), train.y.tolist(), train.labels.tolist())
        assert own == facts_of(prepared, bias), problem.describe()


def test_budgets_and_permissions_on_columns_of_many_types():
    frame = pd.DataFrame(
        {
            "race": ["a", "b", "c", "a", "b", "c"],
            "short": np.array([0.1, 0.2, 0.3, 0.1, 0.2, 0.3], np.float32),
            "tiny": np.array([0.1, 0.2, 0.3, 6e4, 0.2, 0.3], np.float16),
            "id": [2**53, 2**53 + 1, 2**53 + 2, 3, 4, 5],
            "hole": pd.array([True, None, False, True, None, False], dtype="boolean"),
            "code": pd.Categorical([0, 1, 0, 1, 0, 1]),
            "zero": [0, 0, 1, 0, 0, 1],
        }
    )
    prepared = prepare(DecisionTreeClassifier(max_depth=1), frame, [0, 1, 2] * 2, frame, drop="hole")
    train = prepared.train
    for text in (
        'flip(50%, where race == "a", to [0, 1]) + fake(1, where label == 1) + miss(2, where race != "a")',
        "flip(2, where short == 0.1) + fake(3, where short > 0.1) + miss(1, where short in [0.1])",
        "flip(2, where tiny == 0.1) + fake(3, where tiny < 1e6) + miss(1, where not tiny == 0.1)",
        f"flip(2, where id > {float(2**53)}) + fake(1, where id in [{2**53 + 1}, 3])",
        "flip(2, where hole != true) + fake(1, where hole in [true, false]) + fake(1, where not hole == 1)",
        "miss(1, where code != 0 and code != 1) + flip(50% of group, where code < 1)",
        "miss(1, where zero == 1 and label == 2) + flip(1, where zero == 1) + miss(1, where zero == 5)",
    ):
        own = read_bias(as_bias(text).to_dict(), user_table(train), train.y.tolist(), train.labels.tolist())
        assert own == bias_facts(resolve(text, train)), text


def test_more_nodes_than_allowed():
    rows, labels = steps()
    report = check_person(TableFacts(rows, labels, 2), [0.0], flips_of_anyone(labels, 1), 2, 0, max_nodes=1)
    assert report.outcome == "not confirmed"
    assert "more than 1 nodes" in report.reason


def test_values_that_the_learner_joins():
    low = float(np.float32(0.5))
    high = float(np.nextafter(np.float32(0.5), np.float32(1)))
    rows, labels = [[low]] * 6 + [[high]] * 6, [0] * 6 + [1] * 6
    report = check_person(TableFacts(rows, labels, 2), [low], flips_of_anyone(labels, 1), 1, 0)
    assert report.outcome == "not confirmed"
    assert "too close" in report.reason


# ---------------------------------------------------------------- parts


def test_a_flip_to_a_third_label_counts_in_the_leaf():
    """Of three rows of label 1, a flip of one to label 2 leaves label 0 in front."""
    labels = [1, 1, 1, 0, 0]
    facts = BiasFacts(0, 1, 0, [frozenset({2})] * 3 + [frozenset()] * 2, [False] * 5)
    records = merge([[0.0]] * 5, labels, facts, None)
    counts = records.count(range(len(records.values)))
    allowed = allowance(facts, records.kinds, counts, 0)
    assert other_labels(records.kinds, counts, allowed, 1) == [0]


def test_a_column_of_zeros_and_ones_has_an_outer_split_where_it_is_constant():
    facts = BiasFacts(1, 0, 0, [frozenset()] * 4, [False] * 4, addable=frozenset({0, 1}))
    records = merge([[0.0, 1.0], [0.0, 0.0], [0.0, 1.0], [0.0, 0.0]], [0, 1, 0, 1], facts, None)
    members = range(len(records.values))
    ends = [(split.column, split.inner) for split in list_splits(records, members, 1, frozenset())]
    assert ends == [(0, False), (1, True)]
    ends = [(split.column, split.inner) for split in list_splits(records, members, 1, frozenset({0}))]
    assert ends == [(1, True)]


@pytest.mark.parametrize(("removals", "unsplit"), [(1, False), (2, True), (3, True)])
def test_removals_that_leave_nothing_to_split(removals, unsplit):
    rows, labels = [[0.0]] * 5 + [[1.0]] * 2, [0] * 7
    facts = BiasFacts(0, 0, removals, [frozenset()] * 7, [True] * 7)
    records = merge(rows, labels, facts, None)
    assert may_stay_unsplit(records, range(2), removals) is unsplit
    facts = BiasFacts(0, 0, removals, [frozenset()] * 7, [True] * 5 + [False] * 2)
    records = merge(rows, labels, facts, None)
    assert may_stay_unsplit(records, range(2), removals) is False


def test_equal_rows_are_merged_by_permission():
    facts = BiasFacts(0, 1, 1, [frozenset({1})] * 2 + [frozenset()] * 2, [True, True, False, False])
    records = merge([[0.0]] * 4, [0] * 4, facts, None)
    assert (len(records.values), sorted(records.weight)) == (2, [2, 2])
    unused = BiasFacts(0, 0, 0, facts.flips_to, facts.removable)
    assert merge([[0.0]] * 4, [0] * 4, unused, None).weight == [4]


def test_a_joint_proof_where_neither_bound_is_enough():
    """The budget turns the leaf or wins the split, but not both."""
    zeros = [[0.0, 0.0]] * 11 + [[0.0, 1.0]] * 5 + [[1.0, 0.0]] * 2 + [[1.0, 1.0]] * 8
    ones = [[0.0, 1.0]] * 18 + [[1.0, 0.0]] * 8 + [[1.0, 1.0]] * 3
    rows, labels = zeros + ones, [0] * len(zeros) + [1] * len(ones)
    facts = flips_of_anyone(labels, 2)
    records = merge(rows, labels, facts, None)
    members = range(len(records.values))
    allowed = allowance(facts, records.kinds, records.count(members), 0)
    ground = ground_of(records, records.count(members), allowed, 2)
    splits = list_splits(records, members, 0, frozenset())
    best = max(splits, key=lambda split: Candidate(ground, ground.reach(), split).values)
    other = next(split for split in splits if split is not best)
    place = splits.index(other)
    match = met(ground, other, best, shared_left(records, members, best, splits)[place])
    assert other_labels(records.kinds, other.sides[1], allowed, 1) == [0]
    assert (match.lost(), match.rules_out(Leaf(1, 1, 0))) == (False, True)


@pytest.mark.parametrize("weights", [(1, 1), (3, 1), (1, 5)], ids=str)
def test_the_slopes_of_one_branch(weights):
    """Removals and flips in small and large branches never gain more than their slopes allow."""
    gini = Gini(given_weights(weights))
    for counts in product(range(5), repeat=2):
        for most in range(1, 5):
            slopes = gini.slopes(counts, Reach(most, (), ()))
            before = _gini_score(counts, weights)
            for r0, r1, flipped in product(range(most + 1), repeat=3):
                after = (counts[0] - r0 - flipped, counts[1] - r1 + flipped)
                if r0 + r1 + flipped > most or counts[0] < r0 + flipped or counts[1] < r1:
                    continue
                gain = r0 * slopes.remove[0] + r1 * slopes.remove[1] + flipped * slopes.flip[0][1]
                assert (_gini_score(after, weights) - before) * UNIT <= gain


def test_a_light_row_that_is_added_and_flipped_pays_for_its_weight():
    """In an empty branch: two rows of weight 1 that become rows of weight 3 are worth 6."""
    slopes = Gini(given_weights((1, 3))).slopes((0, 0), Reach(4, (), ()))
    assert 2 * slopes.add[0] + 2 * slopes.flip[0][1] == 6 * UNIT


def _gini_score(counts: tuple[int, int], weights: tuple[int, int]) -> Fraction:
    own = [w * c for w, c in zip(weights, counts, strict=True)]
    return Fraction(sum(u * u for u in own), sum(own)) if any(own) else Fraction(0)


def test_scores_within_the_tolerance_count_as_tied():
    """Two columns whose scores differ by a little: tied if the node is said to have very many rows."""
    rows = [[0.0, 0.0]] * 6 + [[1.0, 1.0]] * 5 + [[0.0, 1.0]]
    labels = [0] * 6 + [1] * 6
    records = merge(rows, labels, flips_of_anyone(labels, 0), None)
    members = range(len(records.values))
    allowed = allowance(flips_of_anyone(labels, 0), records.kinds, records.count(members), 0)
    lost = []
    ground = ground_of(records, records.count(members), allowed, 2)
    phi, psi = list_splits(records, members, 0, frozenset())
    for total in (ground.total, [10**12, 0]):
        shared = shared_left(records, members, psi, [phi])
        lost.append(met(replace(ground, total=total), phi, psi, shared[0]).lost())
    assert lost == [True, False]


def test_a_node_of_many_rows_may_stop():
    """With very many rows a gain can be so small that the learner may stop at the root, which says 0."""
    half = 200_000
    rows = [[0.0]] * half + [[1.0]] * half
    more, fewer = half // 2 + 1, half // 2 - 1
    labels = [1] * more + [0] * fewer + [0] * more + [1] * fewer
    report = check_person(TableFacts(rows, labels, 2), [0.0], flips_of_anyone(labels, 0), 1, 1)
    assert (report.outcome, report.path, report.label) == ("not confirmed", (), 0)

    labels[: half // 2 + 500] = [1] * (half // 2 + 500)
    assert check_person(TableFacts(rows, labels, 2), [0.0], flips_of_anyone(labels, 0), 1, 1).confirmed


def test_the_report_of_a_confirmed_person():
    rows, labels = steps()
    calls: list[tuple[int, int]] = []
    facts = flips_of_anyone(labels, 1)
    report = check_person(
        TableFacts(rows, labels, 2),
        [0.0],
        facts,
        2,
        0,
        progress=lambda done, left: calls.append((done, left)),
    )
    assert report == CheckReport("confirmed", nodes=2, splits=1, dropped=0)
    assert calls == [(1, 1), (2, 0)]
    assert str(report) == "confirmed (2 nodes, 1 splits, 0 of them dropped)"


# ---------------------------------------------------------------- independence


def test_the_check_shares_no_code_with_the_engines():
    """Only the adapter may know the rest of the library, and only when it is called."""
    files = sorted(CORE.glob("*.py"))
    assert len(files) > 4
    for file in files:
        tree = ast.parse(file.read_text())
        for node in tree.body if file.stem == "adapter" else ast.walk(tree):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module] if isinstance(node, ast.ImportFrom) else []
            for name in names:
                inside = name.startswith("everytree.checker")
                assert inside or name.split(".")[0] in sys.stdlib_module_names, f"{file.name} imports {name}"


def test_the_check_runs_without_numpy():
    program = f"""
import sys, types
for name in ("numpy", "numba", "pandas", "sklearn", "scipy"):
    sys.modules[name] = None
package = types.ModuleType("everytree")
package.__path__ = [{str(CORE.parent)!r}]
sys.modules["everytree"] = package
from everytree.checker import BiasFacts, TableFacts, check_person
rows, labels = [[0.0]] * 6 + [[1.0]] * 6, [0] * 6 + [1] * 6
facts = BiasFacts(0, 1, 0, [frozenset({{0, 1}})] * 12, [False] * 12)
print(check_person(TableFacts(rows, labels, 2), [0.0], facts, 1, 0).outcome)
print(sorted(name for name in sys.modules if name.startswith("everytree.") and "checker" not in name))
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.stdout.split("\n")[:2] == ["confirmed", "[]"], done.stderr
