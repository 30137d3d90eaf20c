"""No proof may be wrong: the campaign, and a check that it would notice.

EVERYTREE_CAMPAIGN multiplies the number of random problems (0.1 for a quick look, 10 for a long one).
"""

from __future__ import annotations

import os
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier

from tests.truth.campaign import check, examine, library_verdicts, run, run_seeds
from tests.truth.holes import holes_picked
from tests.truth.mixed import mixed_problem
from tests.truth.naive import NO_STOPS
from tests.truth.oracle import original_table, reachable_labels
from tests.truth.problems import (
    ALL_STOPS,
    Problem,
    hand_picked,
    random_problem,
    weighted_problems,
    without_gain,
)

ENGINES = ("interval", "relational")
AUTO = partial(library_verdicts, engine="auto", time_limit=4)  # who is open then is hardly ever proved
CHUNKS = 12
PER_CHUNK = max(1, round(40 * float(os.environ.get("EVERYTREE_CAMPAIGN", "1"))))


def truthful(problem: Problem) -> list[tuple[bool, int]]:
    """A certifier that asks the oracle."""
    components = [part.component() for part in problem.parts]
    sets = reachable_labels(
        problem.X, problem.y, problem.points, problem.depth, components, stops=problem.stops
    )
    return [(len(labels) == 1, min(labels)) for labels in sets]


def reckless(problem: Problem) -> list[tuple[bool, int]]:
    """A certifier that certifies whatever scikit-learn predicts."""
    tree = DecisionTreeClassifier(random_state=0, **problem.parameters()).fit(problem.X, problem.y)
    return [(True, int(label)) for label in tree.predict(problem.points)]


# ---------------------------------------------------------------- the library


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_no_proof_is_wrong(chunk, engine):
    seeds = range(chunk * PER_CHUNK, (chunk + 1) * PER_CHUNK)
    tally = run_seeds(seeds, engine, {"criterion": "entropy" if chunk % 3 == 2 else "gini"})
    assert not tally.violations, f"{tally}\n{tally.violations[0]}"
    if PER_CHUNK >= 40:
        assert tally.certifying > tally.problems / 4, f"too few proofs to mean anything: {tally}"
        assert tally.certified < tally.points, f"too many proofs to be true: {tally}"


@pytest.mark.parametrize("engine", [*ENGINES, "auto", "check"])
@pytest.mark.parametrize("chunk", range(2))
def test_no_proof_is_wrong_with_settings_that_stop_the_learner(chunk, engine):
    size = PER_CHUNK // 5 if engine == "auto" else PER_CHUNK
    seeds = range(200_000 + chunk * size, 200_000 + (chunk + 1) * size)
    focus = {"stops": ALL_STOPS, "criterion": "entropy" if chunk % 2 == 1 else "gini"}
    tally = run_seeds(seeds, AUTO if engine == "auto" else engine, focus)
    assert not tally.violations, f"{tally}\n{tally.violations[0]}"
    least = 8 if engine == "check" else 4  # the check does not cover all of these settings
    if size >= 40:
        assert tally.certifying > tally.problems / least, f"too few proofs to mean anything: {tally}"


@pytest.mark.parametrize("engine", [*ENGINES, "screening", "claims", "programs", "check"])
@pytest.mark.parametrize("problem", hand_picked(), ids=lambda problem: problem.name)
def test_no_proof_is_wrong_on_hand_picked_problems(problem, engine):
    if engine in ("programs", "check") and problem.stops == NO_STOPS:
        pytest.skip("covered elsewhere")
    violation = check(problem, engine)
    assert violation is None, str(violation)


@pytest.mark.parametrize("part", ["screening", "claims"])
@pytest.mark.parametrize("depth", [2, 3])
@pytest.mark.parametrize("more", [{}, {"holes": 0.5}, {"stops": ALL_STOPS}], ids=["plain", "holes", "stops"])
def test_no_part_of_the_walk_is_wrong(depth, more, part):
    size = PER_CHUNK if not more else PER_CHUNK // 3
    tally = run_seeds(range(400_000, 400_000 + size), part, {"depth": depth, **more})
    assert not tally.violations, f"{tally}\n{tally.violations[0]}"
    if size >= 40:
        assert tally.certifying > tally.problems / 4, f"too few proofs to mean anything: {tally}"


@pytest.mark.parametrize("more", [{}, {"holes": 0.5}, {"stops": ALL_STOPS}], ids=["plain", "holes", "stops"])
def test_no_proof_by_twins_is_wrong(more):
    tally = run_seeds(range(500_000, 500_000 + PER_CHUNK), "twins", {"unlimited": True, **more})
    assert not tally.violations, f"{tally}\n{tally.violations[0]}"
    if PER_CHUNK >= 40 and not more:
        assert tally.certifying > tally.problems / 8, f"too few proofs to mean anything: {tally}"


@pytest.mark.parametrize("engine", [*ENGINES, "auto"])
def test_no_proof_is_wrong_with_missing_values(engine):
    size = PER_CHUNK // (20 if engine == "auto" else 8)
    tally = run_seeds(range(300_000, 300_000 + size), AUTO if engine == "auto" else engine, {"holes": 0.5})
    assert not tally.violations, f"{tally}\n{tally.violations[0]}"


@pytest.mark.parametrize("engine", [*ENGINES, "screening", "claims", "tables", "programs"])
def test_no_proof_is_wrong_where_values_are_too_close_to_tell_apart(engine):
    """Longer with ``python -m benchmarks.oracle --close``."""
    size = PER_CHUNK // (20 if engine == "programs" else 2)
    for kinds in (("flip",), ("fake",), ("flip", "fake")):
        tally = run_seeds(range(600_000, 600_000 + size), engine, {"close": True, "kinds": kinds})
        assert not tally.violations, f"{tally}\n{tally.violations[0]}"
        if size >= 40:
            assert tally.certifying > tally.problems / 5, f"too few proofs to mean anything: {tally}"


@pytest.mark.parametrize("engine", [*ENGINES, "screening", "claims", "tables", "check"])
def test_no_proof_is_wrong_with_all_settings_mixed(engine):
    """Longer with ``python -m benchmarks.oracle --mixed --engines all``."""
    tally = run_seeds(range(400_000, 400_000 + PER_CHUNK // 2), engine, {"mixed": True})
    assert not tally.violations, f"{tally}\n{tally.violations[0]}"
    if PER_CHUNK >= 40:
        assert tally.certifying > tally.problems / 10, f"too few proofs to mean anything: {tally}"


@pytest.mark.parametrize("engine", [*ENGINES, "programs", "tables", "check"])
@pytest.mark.parametrize("criterion", ["gini", "entropy"])
def test_no_proof_is_wrong_where_class_weights_decide(criterion, engine):
    tally = run(weighted_problems(criterion), engine)
    assert not tally.violations, f"{tally}\n{tally.violations[0]}"


@pytest.mark.parametrize("engine", ["files", "path files", "table files", "check"])
@pytest.mark.parametrize(
    "focus",
    [
        {"holes": 0.5},
        {"weights": ("whole", "decimals", "halves")},
        {"weights": ("balanced",), "criterion": "entropy"},
        {"weights": ("balanced", "decimals"), "holes": 0.4, "stops": ALL_STOPS},
    ],
    ids=str,
)
def test_no_file_that_is_verified_is_wrong(engine, focus):
    """A prover that claims everybody: the verification accepts nobody who is not robust."""
    size = PER_CHUNK // (12 if engine == "path files" else 4)
    tally = run_seeds(range(400_000, 400_000 + size), engine, {"cap": 60, **focus})
    assert not tally.violations, f"{tally}\n{tally.violations[0]}"


@pytest.mark.parametrize("engine", [*ENGINES, "screening", "programs", "tables", "check", "files"])
def test_no_proof_is_wrong_about_rows_and_people_without_a_value(engine):
    tally = run(holes_picked(), engine)
    assert not tally.violations, f"{tally}\n{tally.violations[0]}"
    assert tally.certified > 0


@pytest.mark.parametrize("engine", [*ENGINES, "programs", "tables", "check", "files", "table files"])
def test_rounding_may_refuse_a_split_without_gain(engine):
    """Seven labels: the computed gain is below -2.2e-16, so that the node is a leaf, one flip away from T."""
    problem = without_gain()
    (before,), (after,) = (reckless(each) for each in (problem, flipped_back(problem)))
    assert (before, after) == ((True, 4), (True, 6))
    assert check(problem, engine) is None


def flipped_back(problem: Problem) -> Problem:
    """The problem for the other one of its two tables."""
    (table,) = set(problem.tables()) - {original_table(problem.X, problem.y)}
    X, y = zip(*table, strict=True)
    return replace(problem, X=np.array(X), y=np.array(y))


@pytest.mark.parametrize("engine", ENGINES)
def test_an_addition_into_an_empty_cell_is_not_overlooked(engine):
    """One added row, in a cell of the best split that holds nobody, makes another split the best."""
    from everytree import certify, miss

    rows = [([0, 0], 0)] * 50 + [([1, 0], 0)] * 50 + [([1, 1], 1)] * 15 + [([1, 0], 1)] * 35
    X, y = np.array([values for values, _ in rows]), np.array([label for _, label in rows])
    point = np.array([[0, 1]])
    tree = DecisionTreeClassifier(max_depth=1, random_state=0)
    before = tree.fit(X, y).predict(point)[0]
    after = tree.fit(np.vstack([X, point]), np.append(y, 1)).predict(point)[0]
    assert (before, after) == (0, 1)

    result = certify(DecisionTreeClassifier(max_depth=1), X, y, point, miss(1), engine=engine)
    assert result.predictions[0] == 0
    assert result.verdicts[0] != "robust"


# ---------------------------------------------------------------- the campaign itself


def test_the_truth_passes():
    tally = run_seeds(range(60), truthful)
    assert not tally.violations
    assert tally.certifying > 30


def test_wrong_proofs_are_noticed():
    """A wrong certificate is noticed on every problem that has one."""
    for seed in range(60):
        problem = random_problem(seed)
        wrong = any(not certified for certified, _ in truthful(problem))
        assert (check(problem, reckless) is not None) == wrong


def test_a_violation_says_what_happened():
    violation = next(v for v in (check(random_problem(seed), reckless) for seed in range(100)) if v)
    assert violation.reachable != {violation.certified}
    assert violation.problem.name in str(violation)
    assert "from the table" in str(violation)


def test_a_problem_depends_on_its_seed_only():
    first, second, other = random_problem(5), random_problem(5), random_problem(6)
    assert first.describe() == second.describe()
    assert first.describe() != other.describe()


def test_the_focus_is_kept():
    problem = random_problem(3, kinds=("miss", "miss"), depth=2, columns=2, style="loose", targeted=False)
    assert [part.kind for part in problem.parts] == ["miss", "miss"]
    assert problem.depth == 2
    assert problem.X.shape[1] == 2
    assert all(part.where is None for part in problem.parts)


def test_the_settings_are_varied():
    problems = [random_problem(seed, stops=ALL_STOPS) for seed in range(150)]
    used = [problem.stops for problem in problems]
    assert sum(isinstance(stops.leaf, float) for stops in used) > 10
    assert sum(stops.leaf > 1 for stops in used) > 10
    assert sum(isinstance(stops.split, float) for stops in used) > 5
    assert all(
        sum(test(stops) for stops in used) > 10
        for test in (
            lambda stops: stops.split != 2,
            lambda stops: stops.decrease > 0,
            lambda stops: stops.leaves is not None,
            lambda stops: stops.alpha > 0,
        )
    )
    assert sum(problem.depth is None for problem in problems) > 10


def test_mixed_problems_have_everything_together():
    problems = [mixed_problem(seed) for seed in range(200)]
    kinds = [{part.kind for part in problem.parts} for problem in problems]
    labels = [len(np.unique(problem.y)) for problem in problems]
    holes = [bool(np.isnan(problem.X).any()) for problem in problems]
    used = [problem.stops for problem in problems]
    together = {
        "weights and holes": [
            stops.weights is not None and hole for stops, hole in zip(used, holes, strict=True)
        ],
        "balanced and a leaf limit": [stops.weights == "balanced" and stops.leaf != 1 for stops in used],
        "entropy, removals and several labels": [
            stops.criterion != "gini" and "fake" in kind and n > 2
            for stops, kind, n in zip(used, kinds, labels, strict=True)
        ],
        "no depth limit, weights and holes": [
            problem.depth is None and problem.stops.weights is not None and hole
            for problem, hole in zip(problems, holes, strict=True)
        ],
        "many labels": [n >= 5 for n in labels],
        "a seed": [problem.random_state is not None for problem in problems],
        "no seed": [problem.random_state is None for problem in problems],
        "values that are all different": [
            len(problem.y) > 9 and len(np.unique(problem.X[:, 0])) > 0.9 * len(problem.y)
            for problem in problems
        ],
    }
    assert {name: sum(found) for name, found in together.items() if sum(found) < 3} == {}


def test_the_problems_are_varied():
    """Every kind, amount and shape of condition is drawn, and most bias models do allow changes."""
    problems = [random_problem(seed) for seed in range(300)]
    parts = [part for problem in problems for part in problem.parts]
    shapes = {type(part.where).__name__ for part in parts}
    assert {part.kind for part in parts} == {"miss", "flip", "fake"}
    assert {part.count for part in parts} == {0, 1, 2}
    assert shapes == {"NoneType", "Compare", "Not", "Both", "Either"}
    assert {problem.depth for problem in problems} == {1, 2, 3}
    assert {problem.X.shape[1] for problem in problems} == {1, 2, 3}
    assert {len(np.unique(problem.y)) for problem in problems} >= {2, 3, 4}
    assert sum(len(problem.tables()) > 1 for problem in problems) > 200


def test_nothing_is_enumerated_when_nobody_is_certified():
    problem = random_problem(1)
    tally = examine(problem, lambda problem: [(False, 0)] * len(problem.points))
    assert (tally.problems, tally.tables, tally.trainings) == (1, 0, 0)


def test_an_unseen_category_of_an_ordinal_column_is_not_forgotten() -> None:
    """Two categories code as 0 and 1, but an added row may carry a third one, coded -1."""
    import numpy as np
    import pandas as pd
    from sklearn.pipeline import Pipeline
    from sklearn.preprocessing import OrdinalEncoder
    from sklearn.tree import DecisionTreeClassifier

    from everytree import certify

    X = pd.DataFrame({"c": ["a"] * 50 + ["b"] * 50})
    y = np.array([0] * 26 + [1] * 24 + [0] * 24 + [1] * 26)
    encoder = OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1)
    tree = DecisionTreeClassifier(max_depth=1, random_state=0)
    people = pd.DataFrame({"c": ["a", "b"]})
    for engine in ENGINES:
        result = certify(Pipeline([("e", encoder), ("t", tree)]), X, y, people, "miss(1)", engine=engine)
        assert result.predictions.tolist() == [0, 1]
        assert result.verdicts[1] != "robust"
    codes = np.append((X["c"] == "b").astype(float), -1.0).reshape(-1, 1)
    assert tree.fit(codes, np.append(y, 0)).predict([[1.0]]) == [0]


def test_ranges_hold_for_people_who_are_proved_by_programs() -> None:
    """Who left the walk early has no complete range, even if a program proves the label afterwards."""
    import numpy as np
    from sklearn.tree import DecisionTreeClassifier

    from everytree import certify

    rng = np.random.default_rng(0)
    for _ in range(60):
        X, y = rng.integers(0, 5, (20, 2)), rng.integers(0, 2, 20)
        y[X[:, 0] > 2] = 1
        people = rng.integers(0, 5, (4, 2))
        tree = DecisionTreeClassifier(max_depth=2, random_state=0)
        result = certify(tree, X, y, people, "flip(2)", time_limit=5)
        shares = tree.fit(X, y).predict_proba(people)
        assert (result.probability_ranges[:, :, 0] <= shares + 1e-9).all()
        assert (result.probability_ranges[:, :, 1] >= shares - 1e-9).all()
