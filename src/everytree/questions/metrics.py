"""Ranges of metrics over all of B(T): accuracy, selection rate, and how far groups can be apart.

Above verdicts: the labels that each person may get bound every metric person by person, and
`everytree.questions.joint` bounds it over the family of trees, for all people at once. All counting is exact;
each number that is shown is rounded once.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import numpy as np
import pandas as pd

from everytree.bias import resolve
from everytree.errors import EverytreeError, TableError
from everytree.prove.problem import Problem
from everytree.questions.certify import trust
from everytree.questions.joint.bounds import Budget
from everytree.questions.joint.ends import JointEnds, joint_ends
from everytree.questions.joint.openings import Openings
from everytree.questions.known import KnownTables, known_tables, reach_further
from everytree.questions.measures import Measures
from everytree.questions.range_rows import COLUMNS, index_of, reached_by, row_of, verdict_rows
from everytree.results.certification import ROBUST
from everytree.results.ranges import BETWEEN, EVERYBODY, MetricRanges
from everytree.support.clock import now
from everytree.support.text import listing, nearest
from everytree.table.frames import label_values
from everytree.table.groups import group_frame, group_members

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from everytree.results.certification import CertificationResult
    from everytree.support.progress import Progress

__all__ = ["Wish", "check_names", "metric_ranges", "ranges_and_tables"]

_OPENINGS: WeakKeyDictionary[CertificationResult, Openings] = WeakKeyDictionary()
"""Nodes that were opened for each result: the same for all groupings."""

MOST_SECONDS = 30.0
"""Where an amount of work takes longer than this, as with many continuous columns, it ends early."""


@dataclass(frozen=True)
class Wish:
    """What is asked of ranges beside the people and groups; see `metric_ranges`.

    `also` are tables that the bias model allows too, with what their trees say about the same people. They
    come on top of `tries`.
    """

    positive: object = None
    smallest_group: int = 1
    tries: int = 100
    time_limit: float | None = None
    progress: bool | Progress = False
    also: Sequence[KnownTables] = ()

    def budget(self) -> Budget:
        """How much may be done from now on."""
        if self.time_limit is None:
            return Budget(Budget().work, now() + MOST_SECONDS)
        return Budget(float("inf"), now() + self.time_limit)


def metric_ranges(
    result: CertificationResult,
    sensitive_features: object = None,
    y_true: object = None,
    positive: object = None,
    *,
    smallest_group: int = 1,
    tries: int = 100,
    time_limit: float | None = None,
    progress: bool | Progress = False,
) -> MetricRanges:
    """Bound metrics of the tree over every table that the bias model allows, for everybody and by group.

    Parameters
    ----------
    result : CertificationResult
    sensitive_features : optional
        As in `CertificationResult.by_group`. Without it there are no groups to compare.
    y_true : array-like, optional
        True labels of the test people; by default those that came with the test table. Without any, metrics
        that need them are left out. A label that training never saw is never predicted.
    positive : object, optional
        The label that counts as being selected; by default the one that sorts last.
    smallest_group : int, default 1
        Groups of fewer people have rates, but are left out of differences and ratios, which a handful of
        people would otherwise decide; so are groups of which the rate that is compared counts fewer. Audits
        leave out groups of fewer than 30.
    tries : int, default 100
        On how many tables the tree is retrained at most, in search of values that are attained.
    time_limit : float, optional
        Seconds for bounds over the family of trees. By default an amount of work that mostly takes some
        seconds and always gives the same ranges, but half a minute at most. What there is no time for
        counts person by person.
    progress : bool or callable, default False
        Show a progress bar on standard error, or call ``progress(share_done, tables_left)``.

    Returns
    -------
    MetricRanges
        A table indexed by metric and group (a level for each feature); "everybody" and "between groups"
        stand in the place of a group. Columns: `n`, the people that the metric counts; `estimate`, its value
        for the table as it is; `low` and `high`, which no table of B(T) passes; `low_is` and `high_is`,
        "attained" if a tree that was really trained on a table of B(T) has exactly this value, else
        "proved"; `attained_low` and `attained_high`, the smallest and largest value of such trees; `gap`,
        how much wider the proved range is than the attained one; `compared`, the two groups behind a
        difference or ratio on the table as it is, with their sizes and rates. NaN where a metric has no
        value. Shares of verdicts and certified accuracy are counts, not ranges, and have no ends.

    Notes
    -----
    *Soundness.* A tree learned from a table of B(T) gives each person one of the person's `possible_labels`,
    so the people who surely count and those who may count bound each rate from both sides. And it is one of
    the trees over which `everytree.questions.joint` takes the maximum. Whether both sides of a split can use
    the whole budget at once is not asked: ranges may be wider than the truth, never narrower. Ratios have no
    value where nobody is selected, as in fairlearn; their ranges are about all other tables.

    Examples
    --------
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from everytree import certify
    >>> scores, hired = [[0], [1], [2], [3], [5], [6], [7], [8], [9]], [0, 0, 0, 0, 1, 1, 1, 0, 1]
    >>> tree = DecisionTreeClassifier(max_depth=1, random_state=0)
    >>> result = certify(tree, scores, hired, [[0], [4], [5], [9]], "flip(1)")
    >>> ranges = metric_ranges(result, ["a", "a", "b", "b"])
    >>> ranges.loc["selection rate", ["n", "estimate", "low", "high"]]
               n  estimate   low  high
    group
    everybody  4       0.5  0.25  0.75
    a          2       0.0  0.00  0.50
    b          2       1.0  0.50  1.00
    """
    _check_numbers(tries, time_limit, smallest_group)
    wish = Wish(positive, smallest_group, tries, time_limit, progress)
    return ranges_and_tables(result, sensitive_features, y_true, wish)[0]


def ranges_and_tables(
    result: CertificationResult, sensitive_features: object, y_true: object, wish: Wish
) -> tuple[MetricRanges, KnownTables]:
    """Bound metrics as `metric_ranges` does, and give the tables from which the tree was learned as well."""
    tries, also = wish.tries, wish.also
    truth = _true_codes(result, y_true)
    chosen = _positive_code(result, wish.positive)
    features, members = _groups(result, sensitive_features)
    labels = result.labels.tolist()
    possible = np.array([[label in might for label in labels] for might in result.possible_labels])
    measures = Measures(truth, chosen, members, possible, len(features), wish.smallest_group)
    known = known_tables(result, tries, wish.progress).joined(also)
    known.check(possible)
    ends = _joint(result, measures, known, wish.budget())
    if ends is not None and result.prepared is not None and tries:
        most = tries + sum(len(each.witnesses) for each in also)
        known = reach_further(known, ends.trees, _OPENINGS[result].problem, result.prepared, most)
        known.check(possible)
    found = measures.ranges(known.labels, ends)
    rows = verdict_rows(result.verdicts, None if truth is None else known.labels[0] == truth, measures)
    behind = measures.behind(found)
    rows += [
        (name, *key, *row_of(each, name), behind.get((name, key), "")) for (name, key), each in found.items()
    ]
    width = 1 + len(features)
    index = index_of([row[:width] for row in rows], features)
    frame = pd.DataFrame([row[width:] for row in rows], index=index, columns=list(COLUMNS))
    reached = {(name, *key): reached_by(each) for (name, key), each in found.items()}
    ranges = MetricRanges(
        frame, str(result.bias), labels[chosen], list(known.witnesses), reached, result.prepared
    )
    return ranges, known


def _joint(
    result: CertificationResult, measures: Measures, known: KnownTables, budget: Budget
) -> JointEnds | None:
    """Bound everything over the family of trees.

    None without tables, where everybody is proved, and with values that the learner may not tell apart.
    """
    robust = result.verdicts == ROBUST
    prepared = result.prepared
    if prepared is None or robust.all():
        return None
    if result not in _OPENINGS:
        train = prepared.train
        bias = resolve(result.bias, train)
        _OPENINGS[result] = Openings(
            Problem.of(
                train,
                trust(bias, result.trusted),
                prepared.learner.settings,
                people=prepared.test.X,
            )
        )
    openings = _OPENINGS[result]
    if openings.problem.close.found:
        return None
    X = openings.problem.views.show(prepared.test.X)
    return joint_ends(openings, X, robust, measures.wanted(), known.labels, budget)


def _check_numbers(tries: int, time_limit: float | None, smallest_group: int) -> None:
    if isinstance(smallest_group, bool) or not isinstance(smallest_group, int) or smallest_group < 1:
        raise EverytreeError(f"smallest_group must be a whole number from 1; received {smallest_group!r}.")
    if isinstance(tries, bool) or not isinstance(tries, int | np.integer) or tries < 0:
        raise EverytreeError(f"tries must be a whole number from 0; received {tries!r}.")
    if time_limit is not None and not (isinstance(time_limit, int | float) and time_limit > 0):
        raise EverytreeError(
            f"time_limit must be a number of seconds greater than 0, or None; received {time_limit!r}."
        )


def _true_codes(result: CertificationResult, y_true: object) -> NDArray[np.int64] | None:
    """Codes of the true labels, -1 for one that training never saw; None if they are not known."""
    if y_true is None:
        return None if result.prepared is None else result.prepared.test.y
    if isinstance(y_true, list | tuple):
        y_true = pd.Series(list(y_true), dtype=object)  # an array would turn a missing label into text
    labels = label_values(y_true, len(result), "test table").tolist()
    code = {label: c for c, label in enumerate(result.labels.tolist())}
    codes = np.array([code.get(label, -1) for label in labels], np.int64)
    if (codes < 0).all():
        raise TableError(
            f"No label of y_true occurs in the training table, whose labels are {listing(code)}; received "
            f"{listing(dict.fromkeys(labels))}. Give the labels as training has them."
        )
    return codes


def _positive_code(result: CertificationResult, positive: object) -> int:
    labels = result.labels.tolist()
    if positive is None:
        return len(labels) - 1
    if positive not in labels:
        raise EverytreeError(
            f"positive must be one of the labels of the training table, {listing(labels)}; received "
            f"{positive!r}.{nearest(positive, labels)}"
        )
    return int(labels.index(positive))


def _groups(
    result: CertificationResult, sensitive_features: object
) -> tuple[dict[str, list[Any]], dict[tuple[Any, ...], NDArray[np.int64]]]:
    """Values of each feature in their order, and the people of each group; no groups without features."""
    if sensitive_features is None:
        return {"group": []}, {}
    frame = group_frame(sensitive_features, result.frame)
    return check_names(frame), group_members(frame)


def check_names(groups: pd.DataFrame) -> dict[str, list[Any]]:
    """Give the values of each feature; refuse those that are called like a column or row of the result.

    Parameters
    ----------
    groups : DataFrame
        As `everytree.table.groups.group_frame` gives it.
    """
    features = {name: groups[name].cat.categories.tolist() for name in groups.columns}
    for name, values in features.items():
        if name in ("metric", *COLUMNS):
            raise TableError(
                f"A feature called {name!r} cannot stand beside the columns of the result, "
                f"{listing(('metric', *COLUMNS), 20)}. Give it another name, for example with a dictionary: "
                f"{{'{name} of person': values}}."
            )
        for word in (EVERYBODY, BETWEEN):
            if word in values:
                raise TableError(
                    f"A group of {name!r} is called {word!r}, which is the name of another row of the "
                    "result. Give the group another name."
                )
    return features
