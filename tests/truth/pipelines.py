"""Whole pipelines against the truth: every table of B(T), every step fitted again by scikit-learn.

Small tables with holes and text. For flips the user's whole Pipeline is fitted to every changed table. For
removals its steps are kept as they were fitted to T, which is what is claimed, and the tree is fitted again.
The engine "pipelines" of the campaign; knows nothing of how the library proves.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, TransformerMixin, clone
from sklearn.compose import ColumnTransformer
from sklearn.decomposition import PCA
from sklearn.impute import KNNImputer, SimpleImputer
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import (
    FunctionTransformer,
    KBinsDiscretizer,
    OneHotEncoder,
    PolynomialFeatures,
    StandardScaler,
)
from sklearn.tree import DecisionTreeClassifier

if TYPE_CHECKING:
    from tests.truth.campaign import Tally

NUMBERS, TEXT = ["a", "b"], ["c"]


class ChosenByLabel(TransformerMixin, BaseEstimator):
    """Keeps the column that goes with the labels best, or the first one if it is given no labels."""

    def fit(self, X: Any, y: Any = None) -> ChosenByLabel:
        values = np.asarray(X, float)
        labels = np.zeros(len(values)) if y is None else np.asarray(y, float)
        against = (values - values.mean(axis=0)).T @ (labels - labels.mean())
        self.chosen_ = int(np.argmax(np.abs(against)))
        return self

    def transform(self, X: Any) -> Any:
        return np.asarray(X, float)[:, [self.chosen_]]


def _numbers(*steps: Any) -> ColumnTransformer:
    words = make_pipeline(SimpleImputer(strategy="most_frequent"), OneHotEncoder(handle_unknown="ignore"))
    return ColumnTransformer([("numbers", make_pipeline(*steps), NUMBERS), ("words", words, TEXT)])


STEPS: dict[str, Callable[[], list[Any]]] = {
    "components": lambda: [_numbers(SimpleImputer(), StandardScaler()), PCA(2)],
    "neighbours": lambda: [_numbers(KNNImputer(n_neighbors=2), StandardScaler())],
    "bins": lambda: [_numbers(SimpleImputer(), KBinsDiscretizer(3, encode="ordinal", strategy="uniform"))],
    "products": lambda: [
        _numbers(SimpleImputer(add_indicator=True)),
        PolynomialFeatures(2),
    ],
    "rounded": lambda: [_numbers(SimpleImputer(), StandardScaler(), FunctionTransformer(np.round))],
    "by label": lambda: [_numbers(SimpleImputer()), ChosenByLabel()],
}


@dataclass(frozen=True, eq=False)
class Wrong:
    """A verdict that a retrained estimator contradicts."""

    name: str
    text: str

    def __str__(self) -> str:
        return f"{self.name}: {self.text}"


@dataclass(frozen=True, eq=False)
class PipelineProblem:
    """A table with holes, people, an estimator and an amount of one kind of bias."""

    name: str
    X: pd.DataFrame
    y: np.ndarray
    people: pd.DataFrame
    estimator: Pipeline
    fitted: bool
    kind: str
    amount: int = 1

    @property
    def bias(self) -> str:
        return f"{self.kind}({self.amount})"

    def changes(self) -> Iterator[tuple[int, ...]]:
        """All sets of rows that the bias model lets change."""
        for size in range(self.amount + 1):
            yield from combinations(range(len(self.y)), size)


def pipeline_problem(seed: int, steps: tuple[str, ...] = tuple(STEPS)) -> PipelineProblem:
    """Draw a problem from a seed."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(7, 11))
    table = pd.DataFrame({"a": rng.integers(0, 9, n + 6) * 1.0, "b": rng.integers(0, 30, n + 6) / 4})
    table["c"] = rng.choice(["u", "v"], n + 6)
    y = (table["a"] + rng.normal(0, 2, n + 6) > 4).to_numpy(int)[:n]
    y[:2] = 0, 1
    for name in table.columns:
        table[name] = table[name].mask(rng.random(n + 6) < 0.15)
    table.loc[0] = [1.0, 2.0, "u"]
    tree = DecisionTreeClassifier(max_depth=int(rng.integers(1, 4)), random_state=0)
    drawn = STEPS[steps[int(rng.integers(len(steps)))]]()
    kind = ("flip", "flip", "fake")[int(rng.integers(3))]
    return PipelineProblem(
        f"pipeline of seed {seed}",
        table[:n],
        y,
        table[n:].reset_index(drop=True),
        make_pipeline(*drawn, tree),
        bool(rng.integers(2)),
        kind,
        1 + int(rng.random() < 0.2),
    )


def retrained(problem: PipelineProblem) -> Iterator[tuple[tuple[int, ...], list[Any]]]:
    """What the user's estimator says to the people after each change."""
    steps = clone(problem.estimator[:-1])
    rows = steps.fit_transform(problem.X, problem.y)
    people = steps.transform(problem.people)
    for change in problem.changes():
        changed = list(change)
        if problem.kind == "fake":
            keep = np.setdiff1d(np.arange(len(problem.y)), changed)
            tree = clone(problem.estimator[-1]).fit(np.asarray(rows)[keep], problem.y[keep])
            yield change, tree.predict(people).tolist()
        else:
            y = problem.y.copy()
            y[changed] = 1 - y[changed]
            yield change, clone(problem.estimator).fit(problem.X, y).predict(problem.people).tolist()


def examine_pipeline(problem: PipelineProblem) -> Tally:
    """Ask the library, and look for a table that contradicts it."""
    from everytree import certify
    from everytree.errors import EverytreeError
    from tests.truth.campaign import Tally

    tally = Tally(problems=1)
    estimator = problem.estimator.fit(problem.X, problem.y) if problem.fitted else problem.estimator
    try:
        result = certify(estimator, problem.X, problem.y, problem.people, problem.bias, time_limit=5)
    except EverytreeError:
        return tally
    robust = [p for p, verdict in enumerate(result.verdicts) if verdict == "robust"]
    tally.points, tally.certified, tally.certifying = len(result), len(robust), int(bool(robust))
    before = result.predictions.tolist()
    reached: set[tuple[int, ...]] = set()
    for change, said in retrained(problem):
        tally.trainings += 1
        reached.update((p, *change) for p, label in enumerate(said) if label != before[p])
        wrong = [p for p in (robust if change else range(len(before))) if said[p] != before[p]]
        if wrong:
            text = f"{problem.bias}, rows {change}: person {wrong[0]} is said to be {before[wrong[0]]!r}"
            tally.violations.append(Wrong(problem.name, text))  # type: ignore[arg-type]
            return tally
    for person, witness in result.witnesses.items():
        rows = tuple(sorted([*witness.flipped, *witness.removed]))
        if witness.random_state in (None, 0) and (person, *rows) not in reached:
            text = f"{problem.bias}: the witness {rows} of person {person} changes nothing"
            tally.violations.append(Wrong(problem.name, text))  # type: ignore[arg-type]
    return tally


def run_pipelines(seeds: Iterable[int], stop_early: bool = False, **focus: Any) -> Tally:
    """Examine the problems of these seeds."""
    from tests.truth.campaign import Tally

    total = Tally()
    for seed in seeds:
        total += examine_pipeline(pipeline_problem(seed, **focus))
        if stop_early and total.violations:
            break
    return total
