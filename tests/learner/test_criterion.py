"""The algebra of every criterion on its own: bounds that must hold at random counts, whole or not."""

from __future__ import annotations

from itertools import product
from math import log2

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.tree import DecisionTreeClassifier

from everytree import certify, radius, tree_family
from everytree.checker import check
from everytree.errors import UnsupportedLearnerError
from everytree.learner import Learner, prepare
from everytree.learner.criterion import front
from everytree.learner.criterion.front import Reach, criterion_of

NAMES = ("gini", "entropy")
BUDGETS = np.array([2.0, 3.0, 1.0])


def value(name: str, counts) -> float:
    """Value of a branch, from the definition."""
    n = sum(counts)
    if n == 0:
        return 0.0
    if name == "gini":
        return sum(c * c for c in counts) / n
    return sum(c * log2(c / n) for c in counts if c > 0)


def two_sided(name: str, counts) -> float:
    half = len(counts) // 2
    return value(name, counts[:half]) + value(name, counts[half:])


def random_counts(rng, n_labels: int):
    return rng.integers(0, rng.choice([2, 4, 30]), 2 * n_labels).astype(float)


def test_log_loss_is_entropy_in_scikit_learn() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 9, (200, 4)), rng.integers(0, 3, 200)
    trees = [
        DecisionTreeClassifier(criterion=c, random_state=0).fit(X, y).tree_ for c in ("entropy", "log_loss")
    ]
    assert np.array_equal(trees[0].threshold, trees[1].threshold)
    assert np.array_equal(trees[0].impurity, trees[1].impurity)
    assert criterion_of("log_loss", 3) == criterion_of("entropy", 3)


def test_every_question_takes_entropy() -> None:
    X, y = np.array([[0], [1], [2], [3], [5], [6], [7], [8], [9]]), np.array([0, 0, 0, 0, 1, 1, 1, 0, 1])
    tree = DecisionTreeClassifier(criterion="entropy", max_depth=1, random_state=0)
    before = clone(tree).fit(X, y).predict(X)
    for engine in ("interval", "relational", "auto"):
        result = certify(tree, X, y, X, "flip(1)", engine=engine)
        assert (result.predictions == before).all()
    for person in np.flatnonzero(result.verdicts == "not robust"):
        changed = result.witness(int(person)).apply(X, y)
        assert clone(tree).fit(*changed).predict(X)[person] != before[person]
    assert set(result.verdicts) == {"robust", "not robust"}
    found = radius(tree, X, y, X, "flip(?)", max_amount=1)
    assert ((found.lower == 1) == (result.verdicts == "robust")).all()
    assert len(tree_family(tree, X, y, "flip(?)", max_amount=1).root.candidates) > 1
    assert len(result.metric_ranges([0] * 4 + [1] * 5))
    report = check(prepare(tree, X, y, X), "flip(1)", 0)
    assert report.confirmed == (result.verdicts[0] == "robust")


def test_settings_know_the_criterion() -> None:
    assert Learner.read(DecisionTreeClassifier()).settings.criterion == "gini"
    assert Learner.read(DecisionTreeClassifier(criterion="log_loss")).settings.criterion == "log_loss"
    with pytest.raises(UnsupportedLearnerError, match=r"criterion='poisson'.*'gini', 'entropy', 'log_loss'"):
        Learner.read(DecisionTreeClassifier(criterion="poisson"))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("n_labels", [2, 3, 5])
def test_values_agree_with_the_definition(name: str, n_labels: int) -> None:
    rng = np.random.default_rng(n_labels)
    criterion = criterion_of(name, n_labels)
    branches = front.new_branches(n_labels)
    for _ in range(200):
        counts = random_counts(rng, n_labels)
        branches.own[:] = counts.reshape(2, -1)
        branches.size[:] = branches.own.sum(axis=1)
        expected = two_sided(name, counts)
        assert front.split_value(criterion, counts) == pytest.approx(expected, abs=1e-9)
        assert front.score(criterion, branches) == pytest.approx(expected, abs=1e-9)
        if counts[:n_labels].any():
            whole = [int(c) for c in counts[:n_labels]]
            of_counts = front.value_of_counts(criterion, whole, sum(whole))
            assert of_counts == pytest.approx(value(name, whole), abs=1e-9)


@pytest.mark.parametrize("name", NAMES)
def test_gradients_lie_below(name: str) -> None:
    """A program takes tangents anywhere, in empty branches and between whole numbers, too."""
    rng = np.random.default_rng(1)
    for n_labels in (2, 3):
        criterion = criterion_of(name, n_labels)
        for _ in range(500):
            at, elsewhere = random_counts(rng, n_labels), random_counts(rng, n_labels)
            for point in (at * rng.random(), *front.tangent_points(criterion, at, BUDGETS)):
                bound = front.gradient(criterion, point) @ elsewhere
                assert bound <= two_sided(name, elsewhere) + 1e-6
            tight = front.gradient(criterion, at) @ at
            assert tight == pytest.approx(two_sided(name, at), abs=1e-6)


@pytest.mark.parametrize("name", NAMES)
def test_the_remainder_covers_the_box(name: str) -> None:
    rng = np.random.default_rng(2)
    criterion = criterion_of(name, 2)
    for _ in range(300):
        low = random_counts(rng, 2)
        high = low + rng.integers(0, 4, 4)
        centre = (low + high) / 2
        slope = front.gradient(criterion, centre)
        upper = front.split_value(criterion, centre) + front.remainder(criterion, low, high)
        for _ in range(20):
            point = low + (high - low) * rng.choice([0.0, 1.0, rng.random()], 4)
            assert two_sided(name, point) <= upper + slope @ (point - centre) + 1e-9


@pytest.mark.parametrize("name", NAMES)
def test_the_range_of_impurity_holds_every_share(name: str) -> None:
    rng = np.random.default_rng(3)
    for n_labels in (2, 3, 4):
        criterion = criterion_of(name, n_labels)
        for _ in range(300):
            shares = rng.dirichlet(np.full(n_labels, rng.choice([0.2, 1.0, 5.0])))
            width = rng.random((2, n_labels)) * rng.choice([0.01, 0.3])
            ranges = np.clip(np.stack([shares - width[0], shares + width[1]]), 0.0, 1.0)[None]
            least, most = front.impurity_range(criterion, np.repeat(ranges, 2, axis=0), 0)
            impurity = 1 - value(name, shares) if name == "gini" else -value(name, shares)
            assert least - 1e-12 <= impurity <= most + 1e-12


def every_act(n_labels: int, acts: tuple[int, int, int]):
    """All ways to use so many additions, flips and removals, as lists of (row of `change`)."""
    additions = list(range(n_labels))
    flips = [(i, j) for i in range(n_labels) for j in range(n_labels) if i != j]
    yield from product(
        product([None, *additions], repeat=acts[0]),
        product([None, *flips], repeat=acts[1]),
        product([None, *additions], repeat=acts[2]),
    )


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("acts", [(2, 0, 0), (0, 2, 0), (0, 0, 2), (1, 1, 0), (0, 1, 1), (1, 1, 1)])
def test_slopes_and_tangents_bound_every_change_of_a_branch(name: str, acts: tuple[int, int, int]) -> None:
    rng = np.random.default_rng(sum(acts))
    n_labels = 2
    criterion = criterion_of(name, n_labels)
    most = float(sum(acts))
    up, down = np.full(n_labels, float(acts[0] + acts[1])), np.full(n_labels, float(acts[1] + acts[2]))
    reach = Reach(acts, sum(acts), up, down)
    for _ in range(25):
        counts = random_counts(rng, n_labels)
        branches = front.new_branches(n_labels)
        branches.own[:] = counts.reshape(2, -1)
        branches.size[:] = branches.own.sum(axis=1)
        front.slopes(criterion, branches, reach)
        gradient = np.zeros((2, n_labels))
        on_table = front.tangent(criterion, branches, 0, reach, gradient) if branches.size[0] else 0.0
        for added, flipped, removed in every_act(n_labels, acts):
            after, bound = branches.own[0].copy(), value(name, branches.own[0])
            for i in added:
                if i is not None:
                    after[i] += 1
                    bound += branches.add[0, i]
            for pair in flipped:
                if pair is not None:
                    after[pair[0]] -= 1
                    after[pair[1]] += 1
                    bound += branches.flip[0, pair[0], pair[1]]
            for i in removed:
                if i is not None:
                    after[i] -= 1
                    bound += branches.remove[0, i]
            if after.min() < 0:
                continue
            assert value(name, after) <= bound + 1e-9, (name, counts, added, flipped, removed, most)
            if branches.size[0]:
                below = on_table + gradient[0] @ (after - branches.own[0])
                assert below <= value(name, after) + 1e-9


def test_scikit_learn_rounds_well_within_the_tolerance() -> None:
    """Scores as scikit-learn computes them, n times impurity of both sides, against exact sums."""
    rng = np.random.default_rng(4)
    for n_labels in (2, 3, 10):
        criterion = criterion_of("entropy", n_labels)
        for _ in range(300):
            size = int(rng.choice([50, 5_000, 200_000]))
            sides = rng.multinomial(size, rng.dirichlet(np.full(2 * n_labels, 0.5))).reshape(2, -1)
            computed = 0.0
            for side in sides:
                entropy = 0.0
                for count in side:
                    if count:
                        share = count / side.sum()
                        entropy -= share * (np.log(share) / np.log(2.0))
                computed -= side.sum() * entropy
            exact = sum(value("entropy", [int(c) for c in side]) for side in sides)
            assert abs(computed - exact) < front.tolerance(criterion, size) / 100
