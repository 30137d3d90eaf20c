"""The radius: how much bias of one kind each prediction can stand.

Above `certify`: a family of bias models with one free amount, decided at a few amounts chosen so that they
settle as many people as possible. Every answer is a proof or a retrained witness at that amount.
"""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from everytree.bias import BiasModel, as_bias, resolve
from everytree.certification import certify_prepared
from everytree.decide.witness import amount_of
from everytree.errors import BiasError, EverytreeError
from everytree.explore import Limits
from everytree.groups import group_frame, group_members
from everytree.learner import Prepared, prepare
from everytree.plain import as_plain
from everytree.verdicts import NOT_ROBUST, ROBUST

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    import pandas as pd
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from everytree.decide.witness import Witness
    from everytree.plots import CertifiedShareDisplay


@dataclass(frozen=True, eq=False, repr=False)
class RadiusResult:
    """Largest amount proved and smallest amount refuted, for each test person.

    Attributes
    ----------
    lower : array of int
        The prediction is proved robust for every amount up to and including this one; -1 if not even for 0.
    upper : array of float
        The smallest amount with a confirmed witness; infinite if none was found. Where ``upper == lower + 1``
        the radius is exact.
    family : BiasModel
        The bias model with its free amounts (``?``).
    max_amount : int
        No larger amount was looked at.
    predictions : array
    witnesses : dict
        Position of a person to the witness behind `upper`.
    frame, index
        The test table and its names.
    complete : bool
        False if the search ended, by the time limit or by its own, before everyone's two ends met.
    """

    lower: NDArray[np.int64]
    upper: NDArray[np.float64]
    family: BiasModel
    max_amount: int
    predictions: NDArray[Any]
    witnesses: dict[int, Witness]
    frame: pd.DataFrame
    index: pd.Index[Any]
    complete: bool

    def __len__(self) -> int:
        return len(self.lower)

    def __repr__(self) -> str:
        exact = int(np.sum(self.exact))
        return f"<RadiusResult: {len(self)} people, {exact} with an exact radius, {self.family}>"

    def _repr_html_(self) -> str:
        from everytree.html import radius_html

        return radius_html(self)

    @property
    def exact(self) -> NDArray[np.bool_]:
        """Where the two ends are neighbours. Elsewhere the radius is at least `lower`."""
        return np.asarray(self.upper == self.lower + 1)

    def curve(self, sensitive_features: object = None) -> pd.DataFrame:
        """Share of people proved, refuted and open at every amount where something changes.

        With `sensitive_features` (as in `CertificationResult.by_group`) one block of rows for each group.
        """
        import pandas as pd

        ends = {0, *map(int, self.lower + 1), *(int(u) for u in self.upper if np.isfinite(u))}
        amounts = np.array(sorted(a for a in ends if 0 <= a <= self.max_amount))

        def shares(people: NDArray[np.int64]) -> pd.DataFrame:
            lower, upper = self.lower[people], self.upper[people]
            robust = np.array([np.mean(lower >= a) for a in amounts])
            refuted = np.array([np.mean(upper <= a) for a in amounts])
            unknown = np.maximum(0.0, np.round(1 - robust - refuted, 12))
            columns = {"robust": robust, "not robust": refuted, "unknown": unknown}
            return pd.DataFrame(columns, index=pd.Index(amounts, name="amount"))

        if sensitive_features is None:
            return shares(np.arange(len(self)))
        groups = group_frame(sensitive_features, self.frame)
        blocks = {key: shares(who) for key, who in group_members(groups).items()}
        return pd.concat(blocks, names=list(groups.columns))

    def plot(self, sensitive_features: object = None, *, ax: Axes | None = None) -> CertifiedShareDisplay:
        """Draw `curve`, one line for each group; see `everytree.plots.CertifiedShareDisplay`."""
        from everytree.plots import CertifiedShareDisplay

        return CertifiedShareDisplay.from_radius(self, sensitive_features, ax=ax)

    def to_frame(self) -> pd.DataFrame:
        """One row a person: prediction, largest amount proved, smallest amount refuted."""
        import pandas as pd

        columns = {"prediction": self.predictions, "lower": self.lower, "upper": self.upper}
        return pd.DataFrame(columns, index=self.index)

    def to_dict(self) -> dict[str, Any]:
        """Everything a machine needs, as plain Python values; an infinite `upper` is None.

        Names and labels are spelt as by `CertificationResult.to_dict`.
        """
        from everytree import __version__

        return {
            "everytree": __version__,
            "family": str(self.family),
            "max_amount": self.max_amount,
            "complete": self.complete,
            "people": [
                {
                    "index": as_plain(name),
                    "prediction": prediction,
                    "lower": int(low),
                    "upper": int(high) if np.isfinite(high) else None,
                }
                for name, prediction, low, high in zip(
                    self.index, as_plain(self.predictions), self.lower, self.upper, strict=True
                )
            ],
        }


def radius(
    estimator: object,
    X_train: object,
    y_train: object,
    X_test: object,
    family: BiasModel | str | Mapping[str, Any],
    *,
    max_amount: int | None = None,
    drop: Iterable[str] | str = (),
    time_limit: float | None = None,
    progress: Callable[[float, int], None] | None = None,
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
        Largest amount to look at; by default as many records as the table has.
    drop : str or iterable of str
        As for `certify`.
    time_limit : float, optional
        Seconds for everything.
    progress : callable, optional
        Called with the share of people who are settled and the number who are not.

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
    started = time.monotonic()
    model = as_family(family)
    if time_limit is not None and not time_limit > 0:
        raise EverytreeError(f"time_limit must be greater than 0, or None; received {time_limit!r}.")
    prepared = prepare(estimator, X_train, y_train, X_test, drop=drop)
    deadline = float("inf") if time_limit is None else started + time_limit
    return radius_prepared(prepared, model, max_amount=max_amount, deadline=deadline, progress=progress)


def radius_prepared(
    prepared: Prepared,
    model: BiasModel,
    *,
    max_amount: int | None = None,
    deadline: float = float("inf"),
    progress: Callable[[float, int], None] | None = None,
) -> RadiusResult:
    """Find the radius on tables that are encoded already; see `radius`."""
    most = largest_amount(model, prepared, max_amount)
    return _Search(prepared, model, most, deadline, progress).run()


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
    """The largest amount to look at: as asked for, but so that some row is left."""
    train = prepared.train
    if wanted is not None and (isinstance(wanted, bool) or wanted < 0):
        raise EverytreeError(f"max_amount must be a whole number from 0, or None; received {wanted!r}.")
    most = len(train.y) if wanted is None else int(wanted)
    if any(c.kind == "fake" and c.amount.unit == "free" for c in model.components):
        while most > 0:
            try:
                resolve(model.with_amount(most), train)
                break
            except BiasError:
                shorter = most - 1 if most < 64 else int(most * 0.9)
                most = min(shorter, len(train.y))
    resolve(model.with_amount(most), train)
    return most


class _Search:
    """Brings the two ends of everybody's radius together."""

    def __init__(
        self,
        prepared: Prepared,
        model: BiasModel,
        most: int,
        deadline: float,
        progress: Callable[[float, int], None] | None,
    ) -> None:
        n_people = len(prepared.test.X)
        self.prepared, self.model, self.most = prepared, model, most
        self.deadline, self.progress = deadline, progress
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
        if time.monotonic() > self.deadline:
            self.stuck[chosen] = True
            return False
        test = self.prepared.test
        people_here = replace(
            test, frame=test.frame.iloc[chosen], X=test.X[chosen], index=test.index[chosen], y=None
        )
        part = replace(self.prepared, test=people_here, predictions=self.prepared.predictions[chosen])
        model = self.model.with_amount(amount)
        result = certify_prepared(part, model, engine="auto", limits=Limits(self.deadline))
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
