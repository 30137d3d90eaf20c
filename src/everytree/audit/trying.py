"""A quick look at a table before an audit of it: the depth that suits it, amounts at which something happens.

Behind ``everytree audit --init``, beside `guessing`. A look at a sample for a few seconds, and no claim.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.tree import DecisionTreeClassifier

from everytree.audit.guessing import is_text
from everytree.bias import flip, resolve
from everytree.datasets import load
from everytree.errors import EverytreeError
from everytree.learner import Prepared, prepare
from everytree.learner.missing import fill
from everytree.questions.radius import radius_prepared
from everytree.support.limits import Limits
from everytree.support.text import percent

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from everytree.bias import BiasModel

__all__ = ["Amounts", "ChosenDepth", "amounts_for", "best_depth", "first_look", "given_away"]

DEPTHS = (1, 2, 3, 4, 5)
FOLDS = 5
MOST_ROWS = 4000
"""Rows that depths are compared on; more are drawn from."""

FEWEST_ROWS, LEFT_OVER = 20, 0.02
"""In a table of so many rows a column gives the label away if it leaves at most this share of the mistakes of
always saying the majority."""

MOST_PEOPLE, SECONDS = 40, 2.5
"""How many people's radii are looked at for amounts, and for how long in each family."""

MOST_AMOUNTS, USUAL, FURTHER = 4, (1, 2, 5, 10), 4
"""How many amounts are proposed, which if nothing is known, and how far beyond what half of people stand."""


@dataclass(frozen=True)
class Amounts:
    """Amounts for a bias model, and why these."""

    amounts: tuple[int, ...]
    why: str
    proved: int = 0
    """What half of the people looked at can stand, at least."""

    def __str__(self) -> str:
        return ", ".join(map(str, self.amounts))


NOTHING_SEEN = Amounts(USUAL, "no prediction changed in a quick look")
NOT_SEEN = Amounts(USUAL, "the usual ones; nothing could be looked at")


@dataclass(frozen=True)
class ChosenDepth:
    """A depth, and why: its accuracy in cross-validation and that of the majority, if there was one."""

    depth: int
    accuracy: float | None = None
    majority: float | None = None

    def __str__(self) -> str:
        if self.accuracy is None or self.majority is None:
            return f"{self.depth}; too few rows of some label for cross-validation"
        right = f"accuracy {percent(self.accuracy)}, always saying the majority {percent(self.majority)}"
        said = f"{self.depth}; cross-validation of depths {DEPTHS[0]} to {DEPTHS[-1]}: {right}"
        if self.accuracy <= self.majority:
            return (
                f"{said}. NO DEPTH DOES BETTER THAN THE MAJORITY: what is proved of such a tree says little"
            )
        return f"{said}; deeper trees may do better" if self.depth == DEPTHS[-1] else said


def given_away(X: pd.DataFrame, y: pd.Series[Any]) -> dict[str, str]:
    """Name the columns each of which by itself tells nearly every label, and say so loudly.

    Such a column was often written down together with the label. Each is tried in cross-validation with a
    tree that has a leaf for every label; and none of them where all columns together do not do so well.
    """
    features, labels = _drawn(_features(X), pd.factorize(y, sort=True)[0])
    folds = _folds(labels)
    if folds is None or len(labels) < FEWEST_ROWS:
        return {}
    majority = _majority(labels)
    tree = DecisionTreeClassifier(max_leaf_nodes=len(np.unique(labels)), random_state=0)

    def right(features: NDArray[Any]) -> float:
        return float(cross_val_score(tree, features, labels, cv=folds).mean())

    enough = 1 - LEFT_OVER * (1 - majority)
    if majority == 1 or right(features) < enough:
        return {}
    alone = {str(name): right(*_drawn(_features(X[[name]]))) for name in X.columns}
    return {
        name: f"GIVES THE LABEL AWAY: alone it tells {_nearly(share)}. If it is only known together with "
        "the label, add it to drop"
        for name, share in alone.items()
        if share >= enough
    }


def _nearly(share: float) -> str:
    return "the label of every row" if share == 1 else f"{percent(min(share, 0.999))} of the labels"


def best_depth(X: pd.DataFrame, y: pd.Series[Any]) -> ChosenDepth:
    """Choose a depth by cross-validation.

    The smallest whose accuracy is within one standard error of the best, and not below the majority's, among
    those whose tree tells people apart at all.
    """
    features, labels = _drawn(_features(X), pd.factorize(y, sort=True)[0])
    split = _folds(labels)
    if split is None:
        return ChosenDepth(DEPTHS[1])
    scores = {depth: cross_val_score(_tree(depth), features, labels, cv=split) for depth in DEPTHS}
    telling = [d for d in DEPTHS if len(set(_tree(d).fit(features, labels).predict(features))) > 1] or [
        *DEPTHS
    ]
    best = max(telling, key=lambda depth: (scores[depth].mean(), -depth))
    majority = _majority(labels)
    enough = max(majority, scores[best].mean() - scores[best].std(ddof=1) / np.sqrt(split.get_n_splits()))
    depth = next((depth for depth in telling if scores[depth].mean() >= enough), best)
    return ChosenDepth(depth, float(scores[depth].mean()), majority)


def _drawn(*arrays: NDArray[Any]) -> tuple[NDArray[Any], ...]:
    """The same rows of all arrays: every one, or `MOST_ROWS` of them."""
    rows = len(arrays[0])
    if rows <= MOST_ROWS:
        return arrays
    drawn = np.random.default_rng(0).choice(rows, MOST_ROWS, replace=False)
    return tuple(array[drawn] for array in arrays)


def _folds(labels: NDArray[Any]) -> StratifiedKFold | None:
    """How rows are divided for cross-validation; None if some label has too few."""
    folds = min(FOLDS, int(np.unique(labels, return_counts=True)[1].min()))
    return StratifiedKFold(folds, shuffle=True, random_state=0) if folds >= 2 else None


def _majority(labels: NDArray[Any]) -> float:
    """The accuracy of always saying the most frequent label."""
    return float(np.unique(labels, return_counts=True)[1].max() / len(labels))


def _tree(depth: int) -> DecisionTreeClassifier:
    return DecisionTreeClassifier(max_depth=depth, random_state=0)


def _features(X: pd.DataFrame) -> NDArray[np.float32]:
    """Columns as numbers, one 0/1 column for each category; missing numbers stay missing."""
    texts = [name for name in X.columns if is_text(X[name])]
    numbers = X.drop(columns=texts).astype("float32")
    dummies = pd.get_dummies(X[texts].astype(object).fillna("missing"), dtype="float32") if texts else None
    return np.asarray(numbers if dummies is None else pd.concat([numbers, dummies], axis=1), np.float32)


def first_look(
    X: pd.DataFrame, y: pd.Series[Any], people: pd.DataFrame, depth: int, drop: Sequence[str]
) -> Prepared | EverytreeError:
    """Prepare some of the people, missing values filled in; what is wrong where that is not possible."""
    chosen = np.unique(np.linspace(0, len(people) - 1, min(MOST_PEOPLE, len(people))).round().astype(int))
    try:
        filled = fill("impute", X, people.iloc[chosen], drop=drop)
        return prepare(filled.before(_tree(depth)), filled.X_train, y, filled.X_test, **filled.options)
    except EverytreeError as error:
        return error


def amounts_for(prepared: Prepared | EverytreeError, model: BiasModel, known: int = 0) -> Amounts:
    """Propose amounts for the ``?`` of a model, from where the first predictions fall to where half have.

    `known` is what half of the people can stand of a model that allows all that this one does, and more.
    """
    if isinstance(prepared, EverytreeError):
        return NOT_SEEN
    _warm_up()
    try:
        found = radius_prepared(prepared, model, limits=Limits.of(SECONDS, None))
        eligible = resolve(model.with_amount(1), prepared.train).components[0].eligible
    except EverytreeError:
        return NOT_SEEN
    changed = found.upper[np.isfinite(found.upper)]
    proved = max(known, int(np.median(found.lower)))
    if len(changed) == 0:
        if not 2 <= proved < eligible:
            return replace(NOTHING_SEEN, amounts=_capped(USUAL, eligible), proved=proved)
        why = f"{NOTHING_SEEN.why}, which proved half of the people up to {proved}"
        return Amounts(_capped(ladder(proved, FURTHER * proved), eligible), why, proved)
    ends = [*found.lower[found.lower > 0].tolist(), *changed.tolist()]
    low, high = (np.quantile(v, q, method="inverted_cdf") for v, q in ((ends, 0.1), (changed, 0.5)))
    why = "around those at which predictions change"
    if (found.lower < 1).all():
        why += "; a quick look proved nobody at 1: a smaller depth, or more time, may"
    return Amounts(_capped(ladder(low, high), eligible), why, proved)


def _capped(amounts: tuple[int, ...], eligible: int) -> tuple[int, ...]:
    """No amount is larger than the number of rows that may change."""
    return tuple(sorted({min(amount, max(1, eligible)) for amount in amounts}))


@cache
def _warm_up() -> None:
    """Load the compiled kernels, which may take longer than the look itself."""
    hiring = load("hiring")
    prepared = prepare(_tree(1), hiring.X_train, hiring.y_train, hiring.X_test)
    radius_prepared(prepared, flip("?"), max_amount=1)


def ladder(low: float, high: float) -> tuple[int, ...]:
    """Steps of the series 1, 2, 5, 10, ... from below one number to above another, a few at most.

    Examples
    --------
    >>> ladder(3, 30), ladder(1, 1), ladder(1, 900)
    ((2, 5, 20, 50), (1, 2, 5), (1, 10, 100, 1000))
    """
    series = [step * 10**power for power in range(10) for step in (1, 2, 5)]
    first = max([place for place, amount in enumerate(series) if amount <= low], default=0)
    last = next(place for place, amount in enumerate(series) if amount >= high)
    steps = series[first : max(last, first + 2) + 1]
    places = np.linspace(0, len(steps) - 1, min(MOST_AMOUNTS, len(steps))).round().astype(int)
    return tuple(steps[place] for place in places)
