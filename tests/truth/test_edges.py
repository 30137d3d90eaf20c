"""Input at the boundary: no verdict may be wrong there, and nothing may end in a traceback.

EVERYTREE_CAMPAIGN multiplies the number of problems, as it does for the campaign on ordinary tables.
"""

from __future__ import annotations

import os
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, find, given, settings
from hypothesis import strategies as st
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.tree import DecisionTreeClassifier

from tests.truth.edge_bias import Allowance, Joined, Leaf, Not, Part, compare
from tests.truth.edge_columns import STYLES, beside, storable
from tests.truth.edge_learners import LEARNERS
from tests.truth.edge_oracle import EdgeTally, examine, run_seeds
from tests.truth.edge_rows import OwnLearner, columns_of, extended
from tests.truth.edges import FOCUSES, EdgeProblem, edge_problem

CHUNKS = 8
PER_CHUNK = max(1, round(50 * float(os.environ.get("EVERYTREE_CAMPAIGN", "1"))))
QUIET = settings(deadline=None, suppress_health_check=list(HealthCheck), derandomize=True, database=None)


@st.composite
def edge_problems(draw, **focus):
    """Every choice is a draw of its own: rows, values, labels, estimator, bias model."""
    return edge_problem(SimpleNamespace(number=lambda low, high: draw(st.integers(low, high))), **focus)


def tree(**settings):
    return DecisionTreeClassifier(**({"max_depth": 1, "random_state": 0} | settings))


def problem(X, y, people, part, estimator=None, **options) -> EdgeProblem:
    names = tuple(map(str, getattr(X, "columns", [f"x{j}" for j in range(np.shape(X)[1])])))
    parts = part if isinstance(part, tuple) else (part,)
    return EdgeProblem("by hand", X, y, people, estimator or tree(), False, parts, names, **options)


def kinds(tally: EdgeTally) -> list[str]:
    return [violation.kind for violation in tally.violations]


# ---------------------------------------------------------------- the library


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_nothing_is_wrong_at_the_edges(chunk):
    tally = run_seeds(range(chunk * PER_CHUNK, (chunk + 1) * PER_CHUNK))
    assert not tally.violations, f"{tally}\n{tally.violations[0]}"


# A column that is read-only; numbers as names of columns before an encoder; rows to add that are all alike;
# dates that reach the tree as they are.
@pytest.mark.parametrize("seed", [177, 181, 290, 1_000_259])
def test_nothing_is_wrong_where_it_was(seed):
    tally = run_seeds([seed])
    assert not tally.violations, str(tally.violations[0])


@pytest.mark.parametrize("name", FOCUSES)
def test_nothing_is_wrong_where_mistakes_have_been(name):
    tally = run_seeds(range(15), FOCUSES[name])
    assert not tally.violations, f"{tally}\n{tally.violations[0]}"


@given(edge_problems())
@settings(QUIET, max_examples=40)
def test_nothing_is_wrong_however_a_problem_is_drawn(drawn):
    tally = examine(drawn)
    assert not tally.violations, str(tally.violations[0])


# ---------------------------------------------------------------- the oracle itself


def boast(estimator, X, y, people, bias, **_):
    """A certifier that calls everybody robust."""
    from everytree import certify

    labels = np.asarray(y).ravel()
    result = certify(estimator, X, labels, people, "flip(0)", engine="interval")
    return replace(result, verdicts=np.array(["robust"] * len(result)))


def crash(*_, **__):
    raise ZeroDivisionError


def test_a_wrong_proof_is_noticed():
    X, y = [[10.0], [10.0], [20.0], [20.0], [20.0]], [0, 0, 1, 1, 1]
    assert kinds(examine(problem(X, y, [[20.0]], Part("flip", "1")), boast)) == []
    assert kinds(examine(problem(X, y, [[20.0]], Part("flip", "2")), boast)) == ["robust"]
    assert kinds(examine(problem(X, y, [[20.0]], Part("fake", "3", Leaf(0, ">", 15))), boast)) == ["robust"]
    assert kinds(examine(problem(X, y, [[20.0]], Part("miss", "3", Leaf(None, "==", 1))), boast)) == []
    many = Part("miss", "1000000000000", Leaf(None, "==", 0))
    assert kinds(examine(problem(X, y, [[20.0]], many), boast)) == ["robust"]


def test_a_row_that_may_be_added_is_found_beside_the_constant():
    X, y = np.array([[1.0], [1.0], [2.0]], np.float32), [0, 0, 1]
    just_above = Joined("and", Leaf(0, ">", 2.0), Leaf(0, "<", 2.0000005))
    assert kinds(examine(problem(X, y, [[3.0]], Part("miss", "9", just_above)), boast)) == ["robust"]
    nothing = Joined("and", Leaf(0, ">", 2.0), Leaf(0, "<", 2.0000001))
    assert kinds(examine(problem(X, y, [[3.0]], Part("miss", "9", nothing)), boast)) == []


def test_a_traceback_is_noticed():
    assert kinds(examine(problem([[1.0], [2.0]], [0, 1], [[1.0]], Part("flip", "1")), crash)) == ["traceback"]


def test_a_refusal_is_counted():
    tally = examine(problem([[1.0], [np.inf]], [0, 1], [[1.0]], Part("flip", "1")))
    assert tally.refused == {"TableError": 1}
    assert not tally.violations


def test_another_prediction_is_noticed():
    def other(*arguments, **options):
        result = boast(*arguments, **options)
        return replace(result, predictions=1 - result.predictions)

    assert kinds(examine(problem([[1.0], [2.0]], [0, 1], [[1.0]], Part("flip", "0")), other)) == [
        "prediction"
    ]


def witness_of(**changes):
    """A certifier whose witness for the first person is made up."""

    def certifier(estimator, X, y, people, bias, **_):
        from everytree import certify

        result = certify(estimator, X, y, people, "flip(2)")
        nothing = {"flipped": {}, "removed": [], "added": pd.DataFrame(columns=["x0", "label"])}
        made_up = replace(result.witness(0), **(nothing | {"before": 1, "after": 0} | changes))
        return replace(result, witnesses={0: made_up})

    return certifier


@pytest.mark.parametrize(
    ("changes", "right"),
    [
        ({"flipped": {2: 0, 3: 0}}, True),
        ({"flipped": {2: 0, 0: 1}}, False),  # not allowed
        ({"flipped": {2: 0}}, False),  # changes nothing
        ({"flipped": {2: 0, 3: 0, 4: 0}}, False),  # too many
        ({"flipped": {2: 0, 3: 0}, "after": 1}, False),
        ({"removed": [2, 3, 4]}, False),
    ],
)
def test_a_made_up_witness_is_judged(changes, right):
    X, y = np.array([[10.0], [10.0], [20.0], [20.0], [20.0]]), np.array([0, 0, 1, 1, 1])
    asked = problem(X, y, X[-1:], Part("flip", "2", Leaf(0, ">", 10)))
    assert kinds(examine(asked, witness_of(**changes))) == ([] if right else ["witness"])


@pytest.mark.parametrize(
    ("value", "op", "right"),
    [
        (float(np.float32(0.1)), ">=", True),
        (float(np.float32(0.1)), ">", False),  # float32(0.1) is not above 0.1 where float32 is compared
        (0.10000000000000002, ">=", False),  # the column cannot hold it
    ],
)
def test_an_added_value_is_judged_as_it_is_stored(value, op, right):
    X, y = np.array([[0.1], [0.1], [2.5]], np.float32), np.array([1, 1, 0])
    added = pd.DataFrame({"x0": [value] * 4, "label": [0] * 4})
    asked = problem(X, y, X[:1], Part("miss", "4", Leaf(0, op, 0.1)))
    found = kinds(examine(asked, witness_of(added=added)))
    assert found == [] if right else found in (["witness"], ["traceback"])  # `apply` refuses it, too


@pytest.mark.parametrize(
    ("values", "op", "constant", "expected"),
    [
        (np.array([0.1], np.float32), "==", 0.1, [True]),
        (np.array([0.1]), "==", float(np.float32(0.1)), [False]),
        (np.array([2**53, 2**53 + 1]), "==", 2**53 + 1, [False, True]),
        (np.array([True, False]), "==", True, [True, False]),
        (np.array([7], np.uint8), "<", 300, [True]),
        (["a", "b"], "!=", "a", [False, True]),
    ],
)
def test_conditions_are_judged_in_the_type_of_the_column(values, op, constant, expected):
    assert compare(values, op, constant).tolist() == expected


def test_a_condition_is_written_as_it_is_judged():
    where = Not(
        Joined("or", Leaf(0, "in", (1, 0.5)), Joined("and", Leaf(None, "==", "yes"), Leaf(1, "<", -1e-50)))
    )
    text = 'flip(3, where not ((a in [1, 0.5]) or ((label == "yes") and (`not` < -1e-50))), to ["no"])'
    assert Part("flip", "3", where, ("no",)).text(("a", "not")) == text
    columns = [np.array([1, 0, 0]), np.array([0.0, -1.0, -1.0])]
    assert where.holds(columns, ["no", "yes", "no"]).tolist() == [False, False, True]


@pytest.mark.parametrize(
    ("amount", "rows"), [("3", 3), ("50%", 4), ("100% of group", 2), ("0.1% of group", 1)]
)
def test_amounts_are_rounded_up(amount, rows):
    assert Part("miss", amount).count(7, 2) == rows


def test_changes_are_given_to_components_by_themselves():
    columns, labels, codes = [np.array([0, 0, 1, 1])], [0, 1], np.array([0, 1, 0, 1])
    parts = [Part("flip", "1", Leaf(0, "==", 0)), Part("flip", "1"), Part("fake", "1", Leaf(None, "==", 1))]
    allowance = Allowance.of(parts, columns, labels, codes)
    assert allowance.permits([(0, 0, 1), (2, 0, 1)], [], [])
    assert not allowance.permits([(2, 0, 1), (3, 1, 0)], [], [])
    assert allowance.permits([], [(1, 1)], [])
    assert allowance.permits([], [(2, 0)], [])  # flipped to 1 first
    assert not allowance.permits([(2, 0, 1), (3, 1, 0)], [(0, 0)], [])
    assert not allowance.permits([], [], [(0, 0)])


def test_the_estimator_is_the_users_own():
    """Preprocessing is fitted once on the table as it is, and added rows go through it."""
    frame = pd.DataFrame({"c": pd.Categorical([1, 2, 1]), "x": [0.5, 1.5, 2.5]})
    pipe = make_pipeline(
        make_column_transformer(
            (OneHotEncoder(handle_unknown="ignore"), make_column_selector(dtype_include="category")),
            remainder="passthrough",
        ),
        tree(),
    )
    own = OwnLearner(problem(frame, [0, 1, 0], frame, Part("flip", "1"), pipe))
    longer = extended(frame, [(77, 9.0)])
    assert own.matrix(longer)[-1].tolist() == [0.0, 0.0, 9.0]
    assert own.category_places() == {0}
    assert columns_of(longer)[0] == [1, 2, 1, 77]


def test_what_a_type_can_hold():
    assert storable([1, 300, -1, 2.5], np.dtype(np.uint8)) == [1]
    assert storable([0.1, 1e39, float("inf")], np.dtype(np.float64)) == [0.1]
    assert [float(v) for v in beside(1.0, np.dtype(np.float16))] == [1.0, 1 - 2**-11, 1 + 2**-10]


# ---------------------------------------------------------------- the problems


def test_a_problem_depends_on_its_seed_only():
    first, second, other = edge_problem(5), edge_problem(5), edge_problem(6)
    assert repr(first) == repr(second)
    assert repr(first) != repr(other)


def test_the_problems_are_varied():
    drawn = [edge_problem(seed) for seed in range(400)]
    text = "\n".join(map(repr, drawn))
    for word in ("OneHot", "Ordinal", "selector", "passthrough", "datetime", "Categorical", "Int64", "<f2"):
        assert word in text
    assert sum(problem.huge for problem in drawn) > 20
    assert {problem.engine for problem in drawn} == {"auto", "relational", "interval"}
    assert {part.kind for problem in drawn for part in problem.parts} == {"miss", "flip", "fake"}
    assert len(LEARNERS) > 8
    assert len(STYLES) > 20


def test_hypothesis_shrinks_problems():
    """Rows, people, components and estimator all become as small as the property allows."""
    wanted = lambda drawn: drawn.huge and "miss" in drawn.bias  # noqa: E731
    small = find(edge_problems(), wanted, settings=settings(QUIET, max_examples=2000))
    assert len(small.people) == 1
    assert len(small.parts) == 1
    assert len(small.X) <= 2
    assert isinstance(small.estimator, DecisionTreeClassifier)
