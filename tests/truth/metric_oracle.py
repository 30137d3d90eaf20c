"""Ranges of metrics against every table of B(T), on small problems.

The metrics are written down once more, plainly and in fractions, for one list of predictions. Every tree that
scikit-learn learns from a table of B(T) must stay within the ranges, and every end that is called attained
must be reached by one.

    python -m benchmarks.metrics --problems 2000
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import numpy as np
from sklearn.tree import DecisionTreeClassifier

from tests.truth.oracle import Stops, Table, grow_with_sklearn, original_table, with_holes
from tests.truth.problems import Problem, random_problem

Key = tuple[str, str]
NOBODYS_LABEL = 77  # no problem has it, so training never sees it
FURTHER_PEOPLE = 5


def plain_metrics(
    predicted: Sequence[Any], truth: Sequence[Any] | None, groups: Sequence[str], positive: Any
) -> dict[Key, Fraction | None]:
    """All metrics of one list of predictions, as a textbook (and fairlearn) would define them."""
    everyone = range(len(predicted))
    found: dict[Key, Fraction | None] = {}
    selected: list[Fraction] = []
    true_positive: list[Fraction] = []
    false_positive: list[Fraction] = []
    for group in ("everybody", *sorted(set(groups))):
        who = [i for i in everyone if group in ("everybody", groups[i])]
        rate = Fraction(sum(predicted[i] == positive for i in who), len(who))
        found["selection rate", group] = rate
        selected += [rate] if group != "everybody" else []
        if truth is None:
            continue
        found["accuracy", group] = Fraction(sum(predicted[i] == truth[i] for i in who), len(who))
        deserving = [i for i in who if truth[i] == positive]
        hits = sum(predicted[i] == positive for i in deserving)
        share = Fraction(hits, len(deserving)) if deserving else None
        found["true positive rate", group] = share
        true_positive += [share] if group != "everybody" and share is not None else []
        found["false negative rate", group] = None if share is None else 1 - share
        others = [i for i in who if truth[i] != positive]
        wrong = sum(predicted[i] == positive for i in others)
        share = Fraction(wrong, len(others)) if others else None
        found["false positive rate", group] = share
        false_positive += [share] if group != "everybody" and share is not None else []
        found["precision", group] = Fraction(hits, hits + wrong) if hits + wrong else None
    several = len(selected) > 1
    between = "between groups"
    found["demographic parity difference", between] = max(selected) - min(selected) if several else None
    defined = several and max(selected) > 0
    found["demographic parity ratio", between] = min(selected) / max(selected) if defined else None
    for group, rate in zip(sorted(set(groups)), selected, strict=True):
        found["four-fifths ratio", group] = rate / max(selected) if defined else None
    if truth is not None:
        spread = max(true_positive) - min(true_positive) if len(true_positive) > 1 else None
        found["equal opportunity difference", between] = spread
        other = max(false_positive) - min(false_positive) if len(false_positive) > 1 else None
        odds = None if spread is None or other is None else max(spread, other)
        found["equalised odds difference", between] = odds
    return found


@dataclass
class Tally:
    """What was seen; tallies add up."""

    problems: int = 0
    trees: int = 0
    ranges: int = 0
    attained: int = 0
    proved: int = 0
    tight: int = 0  # ends called proved that some enumerated tree reaches all the same

    def __add__(self, other: Tally) -> Tally:
        return Tally(**{name: value + getattr(other, name) for name, value in vars(self).items()})

    def __str__(self) -> str:
        return ", ".join(f"{name} {value}" for name, value in vars(self).items())


@dataclass(frozen=True)
class Case:
    """A problem with groups and true labels."""

    problem: Problem
    groups: list[str]
    truth: list[int] | None
    positive: int
    random_state: int | None


def draw_case(seed: int, cap: int = 150, **focus: Any) -> Case:
    """Draw a problem and make a case of it."""
    return as_case(random_problem(seed, cap=cap, **focus), seed)


def as_case(problem: Problem, seed: int) -> Case:
    """Draw groups (one to three, one may be empty), true labels (some unseen, or none), more people."""
    rng = np.random.default_rng([seed, 5])
    if all(part.kind != "miss" for part in problem.parts):  # the tables do not depend on the people
        rows = problem.X[rng.integers(len(problem.X), size=FURTHER_PEOPLE)]
        between = rows + rng.choice([0.0, 0.2, 0.4, 0.6, 0.8], rows.shape)
        problem = replace(problem, points=np.concatenate([problem.points, rows, between]))
    n = len(problem.points)
    labels = np.unique(problem.y).tolist()
    groups = rng.choice(["a", "b", "c"][: rng.integers(1, 4)], n).tolist()
    truth = None
    if rng.random() < 0.9:
        truth = rng.choice([*labels, *labels, NOBODYS_LABEL], n).tolist()
        truth[0] = labels[0]
    positive = labels[-1] if rng.random() < 0.7 else int(rng.choice(labels))
    return Case(problem, groups, truth, positive, None if rng.random() < 0.3 else int(rng.integers(3)))


def _tree(problem: Problem, random_state: int | None) -> DecisionTreeClassifier:
    """The learner: no setting of the problem but its depth and its criterion is used here."""
    criterion = problem.stops.criterion
    return DecisionTreeClassifier(criterion=criterion, max_depth=problem.depth, random_state=random_state)


def certified(case: Case, engine: str = "auto") -> Any:
    from everytree import certify

    problem = case.problem
    tree = _tree(problem, case.random_state)
    return certify(tree, problem.X, problem.y, problem.points, problem.bias(), engine=engine)


def ranges_of(case: Case, result: Any) -> Any:
    from everytree.questions.metrics import metric_ranges

    positive = None if case.positive == int(result.labels[-1]) else case.positive
    return metric_ranges(result, case.groups, case.truth, positive)


def joint_predictions(problem: Problem, table: Table, seeds: int = 2) -> set[tuple[int, ...]]:
    """What scikit-learn's trees say about all people together, over several ways of breaking ties."""
    labels = np.unique(problem.y)
    X = with_holes(values for values, _ in table)
    codes = np.searchsorted(labels, [label for _, label in table])
    points = problem.points.astype(np.float32)
    answers = set()
    for seed in range(seeds):
        stops = Stops(criterion=problem.stops.criterion)
        predict = grow_with_sklearn(X, codes, len(labels), problem.depth, np.random.RandomState(seed), stops)
        answers.add(tuple(labels[predict(points)].tolist()))
    return answers


def retrained_by_hand(case: Case, result: Any, ranges: Any, tables: set[Table]) -> set[tuple[int, ...]]:
    """Predictions after each known table, by its public way: apply the changes, train again, predict."""
    problem = case.problem
    may_add = any(part.kind == "miss" for part in problem.parts)
    answers = {tuple(result.predictions.tolist())}
    for witness in ranges.witnesses[1:]:
        X, y = witness.apply(problem.X, problem.y)
        assert may_add or original_table(X, y) in tables, f"{witness} {problem.describe()}"
        seed = case.random_state if witness.random_state is None else witness.random_state
        tree = _tree(problem, seed).fit(X, y)
        answers.add(tuple(tree.predict(problem.points).tolist()))
    return answers


def examine(case: Case, engine: str = "auto") -> Tally:
    """Compare one case with every table of B(T); an AssertionError says where a range is wrong."""
    result = certified(case, engine)
    ranges = ranges_of(case, result)
    enumerated: set[tuple[int, ...]] = set()
    tally = Tally(problems=1)
    tables = case.problem.tables()
    for table in tables:
        enumerated |= joint_predictions(case.problem, table)
        tally.trees += 2
    by_hand = retrained_by_hand(case, result, ranges, set(tables))
    of_tree = {
        answer: plain_metrics(answer, case.truth, case.groups, case.positive)
        for answer in enumerated | by_hand
    }
    wanted = set(next(iter(of_tree.values())))
    rows = {key: SimpleNamespace(**row) for key, row in ranges.table.to_dict("index").items()}
    assert {key for key, row in rows.items() if not np.isnan(row.low)} <= wanted <= set(rows)
    today = plain_metrics(result.predictions.tolist(), case.truth, case.groups, case.positive)
    for key in wanted:
        values = {m[key] for m in of_tree.values()} - {None}
        known = {of_tree[answer][key] for answer in by_hand} - {None}
        tally += check_row(rows[key], key, today[key], values, known, case)
    return tally


def examine_problem(problem: Problem) -> str:
    """What is wrong with the ranges of a problem under three draws of groups and labels, or an empty text."""
    for seed in range(3):
        case = as_case(problem, seed)
        try:
            examine(case, "relational")
        except AssertionError as error:
            return f"a metric is outside its range\n{str(error) or case}"
    return ""


def check_row(
    row: Any, key: Key, today: Fraction | None, values: set[Any], known: set[Any], case: Case
) -> Tally:
    where = f"{key} {row} {case.problem.describe()} {case}"
    if np.isnan(row.low):
        assert not values, where
        return Tally()
    assert np.isnan(row.estimate) if today is None else row.estimate == float(today), where
    assert 0 <= row.low <= row.high <= 1, where
    assert all(row.low <= float(value) <= row.high for value in values), where
    seen = [float(value) for value in known]
    tally = Tally(ranges=1)
    for end, word, attained in ((row.low, row.low_is, min), (row.high, row.high_is, max)):
        assert (word == "attained") == (end in seen), where
        tally.attained += word == "attained"
        tally.proved += word == "proved"
        tally.tight += word == "proved" and end in {float(value) for value in values}
        outer = row.attained_low if attained is min else row.attained_high
        assert (np.isnan(outer) and not seen) or outer == attained(seen), where
    return tally
