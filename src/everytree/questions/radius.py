"""The radius: how much bias of one kind each prediction can stand.

Above `certify`: a family of bias models with one free amount, decided at a few amounts chosen so that they
settle as many people as possible. Every answer is a proof or a retrained witness at that amount.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from everytree.bias import BiasModel, as_bias, resolve
from everytree.bias.acts import REMOVE
from everytree.bias.check import check_component
from everytree.bias.columns import TableView
from everytree.errors import BiasError, EverytreeError
from everytree.learner import Prepared, prepare
from everytree.learner.counted_once import every_row_counts_once
from everytree.questions.certify import certify_prepared
from everytree.refute.witness import amount_of
from everytree.results.certification import NOT_ROBUST, ROBUST
from everytree.results.idle import idle_components
from everytree.results.radii import RadiusResult
from everytree.support.clock import now
from everytree.support.limits import NO_LIMITS, Limits, as_jobs
from everytree.support.progress import Progress, reporting

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from numpy.typing import NDArray

    from everytree.refute.witness import Witness


@every_row_counts_once
def radius(
    estimator: object,
    X_train: object,
    y_train: object,
    X_test: object,
    family: BiasModel | str | Mapping[str, Any],
    *,
    max_amount: int | None = None,
    drop: Iterable[str] | str = (),
    categorical: Iterable[str] | str = (),
    encoding: Literal["onehot", "ordinal"] = "onehot",
    time_limit: float | None = None,
    memory_limit: float | str | None = None,
    n_jobs: int = 1,
    progress: bool | Progress = False,
) -> RadiusResult:
    """Find for each test person how much bias the prediction can stand.

    Parameters
    ----------
    estimator, X_train, y_train, X_test
        As for `certify`.
    family : BiasModel, str or dict
        A bias model with a free amount, such as ``"flip(?)"`` or ``"flip(?, where race == 'Black')"``.
        Several ``?`` share one value. Amounts are numbers of records.
    max_amount : int, optional
        Largest amount to look at; by default as many records as are eligible, or as the table has.
    drop : str or iterable of str
        As for `certify`, like the options that follow.
    categorical : str or iterable of str
    encoding : {"onehot", "ordinal"}
    time_limit : float, optional
        Seconds for everything.
    memory_limit : float or str, optional
    n_jobs : int, default 1
    progress : bool or callable, default False
        Show a progress bar on standard error, or call it with the share of people who are settled and the
        number who are not.

    Returns
    -------
    RadiusResult

    Examples
    --------
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from everytree import radius
    >>> scores, hired = [[0], [1], [2], [3], [5], [6], [7], [8], [9]], [0, 0, 0, 0, 1, 1, 1, 0, 1]
    >>> tree = DecisionTreeClassifier(max_depth=1, random_state=0)
    >>> radius(tree, scores, hired, [[0], [5]], "flip(?)").upper.tolist()
    [2.0, 1.0]
    """
    limits, jobs = Limits.of(time_limit, memory_limit), as_jobs(n_jobs)
    model = as_family(family)
    prepared = prepare(
        estimator, X_train, y_train, X_test, drop=drop, categorical=categorical, encoding=encoding
    )
    return radius_prepared(
        prepared, model, max_amount=max_amount, limits=limits, n_jobs=jobs, progress=progress
    )


def radius_prepared(
    prepared: Prepared,
    model: BiasModel,
    *,
    max_amount: int | None = None,
    limits: Limits = NO_LIMITS,
    n_jobs: int = 1,
    progress: bool | Progress = False,
) -> RadiusResult:
    """Find the radius on tables that are encoded already; see `radius`."""
    most = largest_amount(model, prepared, max_amount)
    with reporting(progress, len(prepared.test.X), "narrowing radii", "people not settled yet") as report:
        return _Search(prepared, model, most, limits, n_jobs, report).run()


def as_family(family: BiasModel | str | Mapping[str, Any]) -> BiasModel:
    """Take a bias model with a free amount in any of its spellings."""
    model = as_bias(family)
    if not model.has_free_amount:
        raise BiasError(
            f"radius needs a bias model with a free amount, written ?, such as flip(?); received {model}. "
            "Use certify for fixed amounts."
        )
    return model


def largest_amount(model: BiasModel, prepared: Prepared, wanted: int | None) -> int:
    """The largest amount to look at: as asked for, or all that are eligible, but some row is left."""
    train = prepared.train
    for component in model.components:  # as it is written, before a number stands in place of ?
        check_component(component, TableView.of(train))
    if wanted is not None and (isinstance(wanted, bool) or wanted < 0):
        raise EverytreeError(f"max_amount must be a whole number from 0, or None; received {wanted!r}.")
    most = len(train.y) if wanted is None else int(wanted)
    if any(REMOVE in c.acts and c.amount.unit == "free" for c in model.components):
        while most > 0:
            try:
                resolve(model.with_amount(most), train)
                break
            except BiasError:
                shorter = most - 1 if most < 64 else int(most * 0.9)
                most = min(shorter, len(train.y))
    found = resolve(model.with_amount(most), train)
    if wanted is None and not found.additions:  # more rows than are eligible cannot change
        both = zip(model.components, found.components, strict=True)
        free = [part.eligible for given, part in both if given.amount.unit == "free"]
        most = min(most, max(free, default=0) or most)
    return most


def _idle(model: BiasModel, prepared: Prepared, most: int) -> tuple[str, ...]:
    """Say of components that change nothing at any amount looked at that they do not."""
    if most == 0:
        return ()
    idle = idle_components(model.with_amount(most), prepared.train)
    return tuple(f"{text}: {reason} A radius of it says nothing." for text, reason in idle.items())


class _Search:
    """Brings the two ends of everybody's radius together."""

    def __init__(
        self,
        prepared: Prepared,
        model: BiasModel,
        most: int,
        limits: Limits,
        n_jobs: int,
        progress: Progress | None,
    ) -> None:
        n_people = len(prepared.test.X)
        self.prepared, self.model, self.most = prepared, model, most
        self.limits, self.n_jobs, self.progress = limits, n_jobs, progress
        self.lower = np.full(n_people, -1, np.int64)
        self.upper = np.full(n_people, np.inf)
        self.stuck = np.zeros(n_people, np.bool_)
        self.witnesses: dict[int, Witness] = {}

    def run(self) -> RadiusResult:
        amount = 0
        while amount <= self.most and self._at(amount, np.isinf(self.upper), give_up=False):
            amount = min(max(1, 2 * amount), self.most) if amount < self.most else self.most + 1
        self.stuck |= np.isinf(self.upper) & (self.lower < self.most)
        while (waiting := self._waiting()).any():
            middles = (self.lower[waiting] + np.minimum(self.upper[waiting], self.most + 1)).astype(int) // 2
            common, _ = Counter(middles.tolist()).most_common(1)[0]
            if not self._at(int(common), waiting, give_up=True):
                break
        test = self.prepared.test
        predictions = self.prepared.train.labels[self.prepared.predictions]
        complete = not self._waiting().any() and not self.stuck.any()
        return RadiusResult(
            lower=self.lower,
            upper=self.upper,
            family=self.model,
            max_amount=self.most,
            predictions=predictions,
            witnesses=self.witnesses,
            frame=test.frame,
            index=test.index,
            complete=complete,
            notes=(*self.prepared.notes_for(self.model), *_idle(self.model, self.prepared, self.most)),
        )

    def _waiting(self) -> NDArray[np.bool_]:
        apart = np.minimum(self.upper, self.most + 1) - self.lower > 1
        return np.asarray(apart & ~self.stuck)

    def _at(self, amount: int, people: NDArray[np.bool_], give_up: bool) -> bool:
        """Decide at one amount those of `people` whom it concerns; False if the time is over.

        With `give_up`, who stays unknown here is left with the ends known so far.
        """
        chosen = np.flatnonzero(people & ~self.stuck & (self.lower < amount) & (amount < self.upper))
        if len(chosen) == 0:
            return True
        if now() > self.limits.deadline:
            self.stuck[chosen] = True
            return False
        test = self.prepared.test
        people_here = replace(
            test, frame=test.frame.iloc[chosen], X=test.X[chosen], index=test.index[chosen], y=None
        )
        part = replace(self.prepared, test=people_here, predictions=self.prepared.predictions[chosen])
        model = self.model.with_amount(amount)
        result = certify_prepared(part, model, engine="auto", limits=self.limits, n_jobs=self.n_jobs)
        proved = chosen[result.verdicts == ROBUST]
        self.lower[proved] = np.maximum(self.lower[proved], amount)
        if give_up:
            self.stuck[chosen[~np.isin(result.verdicts, (ROBUST, NOT_ROBUST))]] = True
        for p, witness in result.witnesses.items():
            person = int(chosen[p])
            self.upper[person] = min(self.upper[person], amount, amount_of(witness, self.model))
            self.witnesses[person] = witness
        if self.progress is not None:
            left = int(self._waiting().sum())
            self.progress(1 - left / len(self.lower), left)
        return True
