"""`certify`: from tables, an estimator and a bias model to verdicts. The whole flow, in one place."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from everytree.bias import BiasModel, as_bias, resolve
from everytree.errors import EverytreeError
from everytree.learner import Prepared, prepare
from everytree.learner.counted_once import every_row_counts_once
from everytree.prove.problem import Problem
from everytree.questions.deciding import NOT_SETTLED, ONLY_A_TIE, Deciding
from everytree.refute.holding import firm_witnesses, hang_on_ties
from everytree.refute.witness import as_witness
from everytree.results.certification import NOT_ROBUST, ROBUST, UNKNOWN, CertificationResult
from everytree.support.limits import Limits, as_jobs
from everytree.support.progress import reporting
from everytree.table.gaps import remedy, too_close

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from everytree.bias import ResolvedBias
    from everytree.questions.deciding import Decision
    from everytree.refute.witness import Witness
    from everytree.support.progress import Progress

TIME_LIMIT = 60.0
"""Seconds after which `certify` stops unless another limit is given, or None for no limit."""

ENGINES = ("auto", "interval", "relational")
"""Ways to prove: the paper's intervals, the relational domain (with them), and all that there is."""


@every_row_counts_once
def certify(
    estimator: object,
    X_train: object,
    y_train: object,
    X_test: object,
    bias: BiasModel | str | Mapping[str, Any],
    *,
    y_test: object = None,
    engine: str = "auto",
    drop: Iterable[str] | str = (),
    categorical: Iterable[str] | str = (),
    encoding: Literal["onehot", "ordinal"] = "onehot",
    time_limit: float | None = TIME_LIMIT,
    memory_limit: float | str | None = None,
    n_jobs: int = 1,
    progress: bool | Progress = False,
) -> CertificationResult:
    """Prove for each test person that no bias of the given kind could have changed the prediction.

    Parameters
    ----------
    estimator : DecisionTreeClassifier, Pipeline or fitted search
        The learner, fitted or not. `criterion`, `max_depth`, `min_samples_leaf`, `min_samples_split`,
        `min_impurity_decrease`, `max_leaf_nodes`, `ccp_alpha` and `random_state` may differ from their
        defaults. A Pipeline may have scikit-learn's steps before the tree that do not look at the labels:
        encoders, scalers, imputers, binners, PCA, FunctionTransformer, in Pipelines and ColumnTransformers.
        They are the same for every table of a `flip`; for `miss` and `fake` they are kept as fitted. Of a
        fitted GridSearchCV or another search the best estimator is certified.
    X_train, X_test : DataFrame or array
        Tables with the same columns; the columns of an array are called x0, x1, ... in bias models.
    y_train : array-like
        Labels of any type and number of classes.
    bias : BiasModel, str or dict
        What may be wrong with the training table, for example ``flip("1%")`` or its text ``"flip(1%)"``.
    y_test : array-like, optional
        True labels of the people. Verdicts do not depend on them; with them `summary` tells the accuracy,
        and `metric_ranges` how far it could move.
    engine : {"auto", "relational", "interval"}
        "interval" is the paper's method, "relational" compares splits on the same table and proves far more,
        and "auto" goes on to decide the people who are left, by programs and witnesses.
    drop : str or iterable of str
        Columns of the training table that the tree must not see; bias models may still name them.
    categorical : str or iterable of str
        Columns of numbers that are codes of categories.
    encoding : {"onehot", "ordinal"}
        How categorical columns become numbers: one 0/1 column for each category, or their position in
        sorted order. A Pipeline has its own steps; `drop`, `categorical` and `encoding` are then left out.
    time_limit : float, default 60
        Seconds after which the search stops. What is not decided by then is "unknown", with the reason
        "time". Compiling, once after an installation, does not count. With None there is no limit: proofs
        take as long as they take, and "auto" then decides for a minute. Ctrl-C ends a search as well, with
        what is decided by then.
    memory_limit : float or str, optional
        Working memory in bytes, or as a text such as ``"500MB"``, on top of the tables. A
        search that needs more says "unknown".
    n_jobs : int, default 1
        Threads that share the test people during the walk; -1 for one a core. Verdicts do not depend on it.
    progress : bool or callable, default False
        Show a progress bar on standard error, or call ``progress(share_done, people_left)``.

    Returns
    -------
    CertificationResult

    Examples
    --------
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from everytree import certify, flip
    >>> scores, hired = [[0], [1], [2], [3], [5], [6], [7], [8], [9]], [0, 0, 0, 0, 1, 1, 1, 0, 1]
    >>> tree = DecisionTreeClassifier(max_depth=1)
    >>> certify(tree, scores, hired, [[1], [7]], flip(1)).verdicts.tolist()
    ['robust', 'robust']
    """
    check_engine(engine)
    limits, jobs = Limits.of(time_limit, memory_limit), as_jobs(n_jobs)
    model = as_bias(bias)
    prepared = prepare(
        estimator,
        X_train,
        y_train,
        X_test,
        y_test=y_test,
        drop=drop,
        categorical=categorical,
        encoding=encoding,
    )
    result = certify_prepared(prepared, model, engine=engine, limits=limits, n_jobs=jobs, progress=progress)
    return with_firm_witnesses(result)


def with_firm_witnesses(result: CertificationResult) -> CertificationResult:
    """Prefer witnesses that hold however ties are broken; see `firm_witnesses`. Verdicts stay."""
    if result.prepared is None:
        return result
    return replace(result, witnesses=firm_witnesses(result.prepared, result.witnesses))


def certify_prepared(
    prepared: Prepared,
    model: BiasModel,
    *,
    engine: str,
    limits: Limits,
    n_jobs: int = 1,
    progress: bool | Progress = False,
    outer_splits: bool = True,
    trusted: NDArray[np.int64] | None = None,
) -> CertificationResult:
    """Certify tables that are encoded already; see `certify`.

    `outer_splits=False` leaves out splits that only added rows make possible. The paper does; proofs about
    `miss` then hold for the paper's learner, whose splits are fixed in advance, and not for scikit-learn.
    `trusted` lists training rows that are declared correct: they can be neither flipped nor removed.
    """
    started = time.monotonic()
    train, test = prepared.train, prepared.test
    resolved = trust(resolve(model, train), trusted)
    settings = prepared.learner.settings
    problem = Problem.of(train, resolved, settings, people=test.X, outer_splits=outer_splits)
    with reporting(progress, len(test.X)) as report:
        decision = Deciding(problem, prepared, engine, limits, n_jobs).run(report)
    robust, tally = decision.robust, decision.walk.tally
    walked = robust & decision.walk.finished & (tally.possible.sum(axis=1) == 1)
    verdicts = np.where(robust, ROBUST, UNKNOWN).astype("<U10")
    verdicts[list(decision.witnesses)] = NOT_ROBUST
    statistics = decision.statistics
    statistics["seconds"] = time.monotonic() - started
    labels = train.labels
    everything = tuple(labels.tolist())
    predictions = labels[prepared.predictions]
    alone = [(label,) for label in everything]
    possible = [alone[code] for code in prepared.predictions.tolist()]
    for p in np.flatnonzero(~robust).tolist():
        possible[p] = everything
    ranges = np.stack([tally.low, tally.high], axis=2)
    ranges[~walked] = (0.0, 1.0)
    return CertificationResult(
        verdicts=verdicts,
        predictions=predictions,
        possible_labels=possible,
        probability_ranges=ranges,
        labels=labels,
        bias=model,
        learner=str(prepared.learner),
        engine=engine,
        complete=decision.complete,
        frame=test.frame,
        index=test.index,
        statistics=statistics,
        witnesses=_as_witnesses(decision, prepared),
        prepared=prepared,
        trusted=trusted,
        reasons=_named(decision.reasons, prepared) if engine == "auto" else decision.reasons,
        proofs=decision.proofs,
        probabilities=prepared.probabilities,
        notes=(*prepared.notes_for(model), *_notes_on(problem)),
    )


def _notes_on(problem: Problem) -> tuple[str, ...]:
    """Name two values because of which nobody is proved."""
    bridge = problem.close.bridge
    if bridge is None:
        return ()
    told = too_close(problem.table, bridge, problem.bias.additions)
    return (f"{told}: nobody is proved robust, only witnesses are looked for. {remedy(problem.table)}",)


def _named(reasons: NDArray[np.str_], prepared: Prepared) -> NDArray[np.str_]:
    """Where nothing else stands in the way, say of whom that the label hangs on a tie as things are."""
    left = reasons == NOT_SETTLED
    return np.where(left & hang_on_ties(prepared), ONLY_A_TIE, reasons) if left.any() else reasons


def trust(resolved: ResolvedBias, rows: NDArray[np.int64] | None) -> ResolvedBias:
    """Take the permissions of some rows away."""
    if rows is None or len(rows) == 0:
        return resolved
    flips_to, removable = resolved.flips_to.copy(), resolved.removable.copy()
    flips_to[rows], removable[rows] = False, False
    return replace(resolved, flips_to=flips_to, removable=removable)


def _as_witnesses(decision: Decision, prepared: Prepared) -> dict[int, Witness]:
    labels = prepared.train.labels
    before = labels[prepared.predictions].tolist()
    names = labels.tolist()
    return {
        p: as_witness(trial, prepared.train, before[p], names[after])
        for p, (trial, after) in sorted(decision.witnesses.items())
    }


def check_engine(engine: str) -> None:
    """Refuse an engine that `certify` does not know."""
    if engine not in ENGINES:
        allowed = ", ".join(repr(name) for name in ENGINES)
        raise EverytreeError(f"engine must be one of {allowed}; received {engine!r}.")
