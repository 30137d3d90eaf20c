"""Huge amounts: no count overflows, no bound is rounded away, nothing is built that grows with the amount."""

from __future__ import annotations

import math
import time
from fractions import Fraction
from itertools import product

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sklearn.tree import DecisionTreeClassifier

from everytree import certify, radius
from everytree.bias import log10_tables, resolve
from everytree.checker import check
from everytree.checker.records import _chain
from everytree.errors import BiasError, TableError
from everytree.learner import prepare
from everytree.learner.criterion import gini
from everytree.paths.layout import Cut, TooLargeError, _side_choices
from everytree.paths.program import dual_bound
from everytree.prove.counts import MOST_ROWS, Budget, code_columns
from everytree.prove.memo import Memo
from everytree.prove.node import Node
from everytree.questions.family import tree_family
from everytree.table import gaps
from tests.truth.campaign import run_seeds

SMALL = (0, 1, 2, 3, 7)
HUGE = (2**15, 2**16 + 1, 10**9, 2**31 - 1, 2**31, 2**31 + 1, 2**32, 10**12)

ROWS = np.array(
    [[40, 20], [10, 30], [30, 40], [20, 20], [10, 20], [30, 40], [40, 10], [30, 40], [20, 20], [40, 30]],
    float,
)
LABELS = np.array([1, 1, 1, 1, 1, 0, 0, 1, 1, 0])
PERSON = np.array([[5.0, 10.0]])


def tree(depth: int | None = 2) -> DecisionTreeClassifier:
    return DecisionTreeClassifier(max_depth=depth, random_state=0)


# ---------------------------------------------------------------- verdicts


@pytest.mark.parametrize("amount", [2, 4, *HUGE])
def test_two_added_rows_change_the_label_however_many_are_allowed(amount: int) -> None:
    X, y = np.vstack([ROWS, [[30, 40], [40, 20]]]), np.r_[LABELS, 1, 1]
    assert tree().fit(ROWS, LABELS).predict(PERSON) != tree().fit(X, y).predict(PERSON)
    bias = f"miss({amount}, where label == 1)"
    started = time.monotonic()
    result = certify(tree(), ROWS, LABELS, PERSON, bias, time_limit=20)
    assert time.monotonic() - started < 24
    assert result.verdicts.tolist() == ["not robust"]
    witness = result.witness(0)
    assert (witness.added[witness.label_name] == 1).all()
    assert tree().fit(*witness.apply(ROWS, LABELS)).predict(PERSON) != result.predictions
    for engine in ("interval", "relational"):
        assert certify(tree(), ROWS, LABELS, PERSON, bias, engine=engine).verdicts.tolist() == ["unknown"]


@pytest.mark.parametrize("depth", [1, 2, None])
def test_copies_of_a_person_outvote_the_table(depth: int | None) -> None:
    started = time.monotonic()
    result = certify(tree(depth), ROWS, LABELS, ROWS[:3], f"miss({10**12})", time_limit=20)
    assert set(result.verdicts) == {"not robust"}
    assert time.monotonic() - started < 10
    assert all(witness.size <= len(LABELS) + 1 for witness in result.witnesses.values())


@pytest.mark.parametrize("depth", [2, None])
def test_a_proof_does_not_take_longer_with_more_additions(depth: int | None) -> None:
    """Rows of a label are added where it is the only one: no split gets better, at any depth."""
    X = np.array([[10.0 * a, 10.0 * b] for a, b in product(range(5), range(4))])
    y = (X[:, 0] > 20).astype(int)
    nodes = []
    for amount in (40, 10**4, 10**6):
        bias = f"miss({amount}, where x0 > 60 and label == 1)"
        result = certify(tree(depth), X, y, X[::4], bias, engine="relational")
        assert set(result.verdicts) == {"robust"}
        nodes.append(result.statistics["nodes"])
    assert max(nodes) <= 2 * min(nodes)


@settings(max_examples=8, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.data())
def test_a_proof_at_a_larger_amount_meets_no_witness_at_a_smaller_one(data: st.DataObject) -> None:
    n = data.draw(st.integers(4, 12))
    X = np.array(
        data.draw(st.lists(st.tuples(*[st.sampled_from([10, 20, 30, 40])] * 2), min_size=n, max_size=n))
    )
    y = np.array(data.draw(st.lists(st.integers(0, 1), min_size=n, max_size=n)))
    if len(set(y)) == 1:
        y[0] = 1 - y[0]
    kind = data.draw(st.sampled_from(["miss({})", "miss({}) + flip(1)", "miss({}) + fake(1)"]))
    wheres = ["label == 1", "label == 0", "x0 > 35", "x0 > 50 and label == 1", "x1 <= 15 and label == 0"]
    where = data.draw(st.sampled_from(wheres))
    drawn = [
        data.draw(st.sampled_from(SMALL)),
        data.draw(st.sampled_from(HUGE)),
        data.draw(st.sampled_from(HUGE)),
    ]
    depth = data.draw(st.sampled_from([1, 2, None]))
    people = np.array([[5.0, 10.0], [22.0, 31.0], [40.0, 45.0]])
    refuted = np.zeros(len(people), bool)
    for amount in sorted(drawn):
        bias = kind.format(f"{amount}, where {where}")
        for engine in ("interval", "relational", "auto"):
            verdicts = certify(tree(depth), X, y, people, bias, engine=engine, time_limit=0.4).verdicts
            assert not (refuted & (verdicts == "robust")).any(), (amount, engine)
        refuted |= verdicts == "not robust"


@pytest.mark.parametrize("amount", [10**6, 2**31, 2**32, 10**12])
@pytest.mark.parametrize("engine", ["interval", "relational"])
def test_proofs_at_huge_amounts_hold_in_every_table_with_few_additions(amount: int, engine: str) -> None:
    tally = run_seeds(range(40), engine, {"kinds": ("miss",), "amount": amount})
    assert tally.violations == []


@pytest.mark.parametrize("amount", [2**31, 10**12])
def test_bounds_hold_in_huge_tables(amount: int) -> None:
    """Rows that were added, a few in number, weigh as much as the amount allows."""
    tally = run_seeds(range(280, 296), "bounds", {"kinds": ("miss",), "amount": amount})
    assert tally.violations == []
    assert tally.certified > 5000


# ---------------------------------------------------------------- what is refused


@pytest.mark.parametrize("bias", ["miss(1000000000001)", "flip(1000000000001)", "fake(10000000000000000000)"])
def test_amounts_beyond_the_largest_are_refused(bias: str) -> None:
    with pytest.raises(BiasError, match=r"from 0 to 1000000000000; received 10+1?\. Write"):
        certify(tree(), ROWS, LABELS, PERSON, bias)


def test_sums_beyond_the_largest_are_refused() -> None:
    bias = "miss(600000000000, where label == 1) + miss(500000000000)"
    message = "at most 1000000000000 rows in all; received 1100000000000, summed over its 2 components. Lower"
    with pytest.raises(BiasError, match=message):
        certify(tree(), ROWS, LABELS, PERSON, bias)


def test_tables_with_too_many_rows_are_refused() -> None:
    endless = np.broadcast_to(np.float32(0), (MOST_ROWS + 1, 1))
    with pytest.raises(TableError, match=f"at most {MOST_ROWS} rows; received {MOST_ROWS + 1}"):
        code_columns(endless, np.zeros(1, bool))


def test_other_questions_take_huge_amounts() -> None:
    found = radius(
        tree(), ROWS, LABELS, PERSON, "miss(?, where label == 1)", max_amount=10**12, time_limit=20
    )
    assert found.upper[0] <= 2
    assert radius(tree(), ROWS, LABELS, PERSON, "fake(?)", max_amount=10**12, time_limit=20).max_amount == 9
    family = tree_family(tree(), ROWS, LABELS, "miss(?)", max_amount=10**12)
    assert all(candidate.needs <= 11 for candidate in family.root.candidates)


@pytest.mark.parametrize("columns", [2, 24])
def test_the_number_of_tables_is_counted(columns: int) -> None:
    """Multisets of at most m out of D rows: C(D + m, m); for many rows by Stirling's formula."""
    frame = pd.DataFrame(np.eye(4, columns), columns=[f"c{j}" for j in range(columns)])
    found = log10_tables(resolve(f"miss({10**12})", frame, np.array([0, 1, 0, 1]), [0, 1]), frame)
    rows = 2 ** (columns + 1)
    if columns == 2:
        assert found == pytest.approx(math.log10(math.comb(10**12 + rows, rows)), abs=1e-9)
    else:
        low = rows * math.log10(10**12 / rows)
        assert low < found < low + rows


# ---------------------------------------------------------------- arithmetic


@pytest.mark.parametrize("most", [1, 2**31, 10**12])
def test_slopes_are_chords(most: int) -> None:
    rng = np.random.default_rng(0)
    for _ in range(300):
        counts = [int(c) for c in rng.integers(0, 40, 3)]
        if rng.random() < 0.3:
            counts = [int(c) * 10**6 for c in counts]
        own, size, square = counts[0], sum(counts), sum(c * c for c in counts)
        if size == 0:
            continue
        g = Fraction(square, size)
        chord = (Fraction(square + 2 * most * own + most * most, size + most) - g) / most
        found = gini.add_slope(float(own), float(size), float(square), float(most))
        assert abs(Fraction(found) - chord) < Fraction(1, 10**14)
        if size > most:
            chord = (Fraction(square - 2 * most * own + most * most, size - most) - g) / most
            found = gini.remove_slope(float(own), float(size), float(square), float(most))
            assert Fraction(found) > min(1, chord) - Fraction(1, 10**11)


def test_removals_that_leave_next_to_nothing_are_worth_1() -> None:
    """The rounding of the score would be multiplied by the size of the branch."""
    size = 2.0**31 - 7
    assert gini.remove_slope(size - 5, size, (size - 5) ** 2 + 25, size - 1) == 1.0


def exact_bound(cost, matrix, right, top, multipliers) -> Fraction:
    """The dual bound without rounding."""
    u = [max(Fraction(0), Fraction(float(value))) for value in multipliers]
    total = sum((a * Fraction(float(b)) for a, b in zip(u, right, strict=True)), Fraction(0))
    for c in range(len(cost)):
        column = sum((a * Fraction(float(x)) for a, x in zip(u, matrix[:, c], strict=True)), Fraction(0))
        total += min(Fraction(0), Fraction(float(cost[c])) - column) * Fraction(float(top[c]))
    return total


def test_the_dual_bound_is_never_rounded_up() -> None:
    rng = np.random.default_rng(0)
    rounded_up = 0
    for _ in range(300):
        rows, columns = int(rng.integers(2, 12)), int(rng.integers(2, 20))
        matrix = rng.normal(size=(rows, columns)) * (rng.random((rows, columns)) < 0.7)
        multipliers = rng.random(rows) * 10.0 ** rng.integers(-3, 5)
        cost = multipliers @ matrix  # the reduced costs of a basic solution are zero, up to rounding
        right, top = rng.normal(size=rows), 10.0 ** rng.integers(0, 13, columns)
        exact = exact_bound(cost, matrix, right, top, multipliers)
        assert Fraction(dual_bound(cost, matrix, right, top, multipliers)) <= exact
        plain = float(multipliers @ right + np.minimum(cost - multipliers @ matrix, 0.0) @ top)
        rounded_up += Fraction(plain) > exact + 1
    assert rounded_up > 0


def test_the_dual_bound_loses_nothing_in_small_programs() -> None:
    cost, top = np.array([1.0, 0.0]), np.array([3.0, 5.0])
    matrix, right = np.array([[1.0, 0.5], [0.0, -1.0]]), np.array([2.0, -1.0])
    assert dual_bound(cost, matrix, right, top, np.array([1.0, 0.5])) == pytest.approx(1.5, abs=1e-12)


# ---------------------------------------------------------------- gaps


def steps_one_by_one(low: np.float32, steps: int) -> np.float32:
    for _ in range(steps):
        low = np.float32(low + gaps.FEATURE_STEP)
    return low


def test_chains_of_added_rows_reach_as_far_as_step_by_step() -> None:
    rng = np.random.default_rng(0)
    starts = [
        0.0,
        -2.0,
        -1.0,
        -0.25,
        0.25,
        0.5,
        1.0,
        1.9999999,
        2.0,
        -2.0000002,
        2.0**-22,
        -(2.0**-22),
        1e-40,
    ]
    bridged = 0
    for k in range(400):
        low = np.float32(starts[k] if k < len(starts) else rng.choice([-1, 1]) * 10 ** rng.uniform(-9, 0.6))
        steps = int(10 ** rng.uniform(0, 3))
        reached = steps_one_by_one(low, steps)
        for high in (reached, np.nextafter(reached, np.float32(9))):
            if high <= low:
                continue
            expected = bool(reached >= high)
            bridged += expected
            assert (gaps._first_bridged(np.array([low]), np.array([high]), steps) == 0) == expected
            assert (_chain(float(low), float(high), steps) >= high) == expected
    assert bridged > 200


def test_huge_chains_are_followed_at_once() -> None:
    started = time.monotonic()
    low, high = np.array([0, -2, 1.5], np.float32), np.array([2.1, 2.0000002, 3], np.float32)
    assert gaps._first_bridged(low, high, 10**12) is None
    assert gaps._first_bridged(np.array([9, -2], np.float32), np.array([10, 2], np.float32), 10**12) == 1
    assert _chain(-2.0, 3.0, 10**12) == 2.0
    assert time.monotonic() - started < 1


def test_only_values_that_added_rows_could_join_are_too_close() -> None:
    """0 and 1 of a boolean column are never joined; 0, 1 and 2 of a numeric one are, by ten million rows."""
    boolean = np.array([[0.0], [1.0]] * 6)
    numeric = np.array([[0.0], [1.0], [2.0]] * 4)
    y = np.array([0, 1] * 6)
    prepared = prepare(tree(), boolean, y, boolean[:2])
    for bias in (f"miss({10**12})", "miss(5)"):
        assert certify(tree(), boolean, y, boolean[:2], bias, engine="relational").verdicts.shape == (2,)
        assert "too close" not in check(prepared, bias, 0).reason
    result = certify(tree(), numeric, y, boolean[:2], f"miss({10**12})", time_limit=5)
    assert "robust" not in result.verdicts
    assert "so close that scikit-learn may treat them as one with 1000000000000" in result.notes[-1]
    assert "too close" in check(prepare(tree(), numeric, y, numeric[:2]), f"miss({10**12})", 0).reason


@pytest.mark.parametrize("depth", [2, None])
def test_the_checker_takes_huge_amounts(depth: int | None) -> None:
    X = np.array([[10.0 * a, 10.0 * b] for a, b in product(range(5), range(4))])
    y = (X[:, 0] > 20).astype(int)
    prepared = prepare(tree(depth), X, y, X[-1:])
    started = time.monotonic()
    for amount in (1000, 10**6, 10**12):
        check(prepared, f"miss({amount}, where label == 1)", 0)
    assert time.monotonic() - started < 20


# ---------------------------------------------------------------- what is built


def test_sides_of_added_rows_are_counted_before_they_are_listed() -> None:
    rng = np.random.default_rng(0)
    for _ in range(100):
        lows = rng.integers(-1, 6, int(rng.integers(1, 8)))
        cuts = [Cut(0, int(low), int(low + rng.integers(1, 4))) for low in lows]
        later = [(p, q) for p, a in enumerate(cuts) for q, b in enumerate(cuts) if a.high <= b.low]
        expected = [
            sides
            for sides in product((0, 1), repeat=len(cuts))
            if not any(sides[p] == 0 and sides[q] == 1 for p, q in later)
        ]
        assert _side_choices(cuts) == expected
    assert len(_side_choices([Cut(0, k, k + 1) for k in range(60)])) == 61
    with pytest.raises(TooLargeError):
        _side_choices([Cut(0, 3, 4)] * 60)


@pytest.mark.parametrize("amount", [200, 2000])
def test_many_additions_of_one_kind_do_not_recurse(amount: int) -> None:
    """One place for added rows, so few tables, but each is chosen row by row."""
    X, y = np.array([[0.0], [1.0]] * 10), np.array([0, 1] * 10)
    result = certify(tree(1), X, y, X[:2], f"miss({amount}, where x0 == 1 and label == 1)", time_limit=10)
    assert result.verdicts[1] == "robust"


def visit(additions: int, depth: int, rows: int = 3) -> tuple[Node, np.ndarray]:
    both = np.ones(2, bool)
    budget = Budget(additions, 0, 0, both, both)
    node = Node(np.arange(rows, dtype=np.int32), depth, budget, np.zeros(1, bool), {})
    return node, np.arange(2, dtype=np.int32)


def test_who_was_served_with_more_is_served() -> None:
    memo = Memo(2, np.zeros(1, bool), 1e6)
    assert len(memo.newcomers(*visit(5, 2))) == 2
    assert len(memo.newcomers(*visit(5, 2))) == 0
    assert len(memo.newcomers(*visit(4, 2))) == 0
    assert len(memo.newcomers(*visit(6, 2))) == 2
    assert len(memo.newcomers(*visit(6, 3))) == 2
    assert len(memo.newcomers(*visit(4, 7))) == 2
    assert len(memo.newcomers(*visit(4, 6))) == 2
    assert len(memo.newcomers(*visit(2, 5))) == 0
    assert len(memo.newcomers(*visit(0, 3))) == 2
    assert len(memo.newcomers(*visit(0, 9))) == 0
    assert len(memo.newcomers(*visit(0, 2))) == 2
    full = Memo(2, np.zeros(1, bool), 0.0)
    assert len(full.newcomers(*visit(5, 2))) == len(full.newcomers(*visit(5, 2))) == 2


def test_budgets_are_whole_numbers_of_any_size() -> None:
    frame = pd.DataFrame(ROWS, columns=["x0", "x1"])
    resolved = resolve(f"miss({10**12}) + flip({10**12}) + fake(3)", frame, LABELS, [0, 1])
    assert (resolved.additions, resolved.flips, resolved.removals) == (10**12, 10**12, 3)
