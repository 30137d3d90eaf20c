"""Ranges of metrics over all of B(T): accuracy, selection rate, and how far groups can be apart.

Above verdicts: reads the labels that each person may get, and proves nothing itself. `rates` does the
counting, exactly; each number that is shown is rounded once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import numpy as np
import pandas as pd

from everytree.errors import EverytreeError, InternalError, TableError
from everytree.questions.rates import Range, Rate, difference, range_of, ratio
from everytree.refute.retrain import retrained_predictions
from everytree.results.certification import NOT_ROBUST, ROBUST, UNKNOWN
from everytree.support.text import listing, nearest
from everytree.table.frames import label_values
from everytree.table.groups import group_frame, group_members

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from everytree.results.certification import CertificationResult
    from everytree.support.progress import Progress

__all__ = ["ATTAINED", "BETWEEN", "EVERYBODY", "PROVED", "check_names", "metric_ranges"]

ATTAINED, PROVED = "attained", "proved"
"""What an end of a range is: reached by a known table, or only known not to be passed by any."""

EVERYBODY, BETWEEN = "everybody", "between groups"
"""What stands in the place of a group: all people, or all groups compared with each other."""

_KNOWN: WeakKeyDictionary[CertificationResult, dict[int, NDArray[np.integer[Any]]]] = WeakKeyDictionary()
"""Labels on the known tables of each result, for each number of tries: the same for all groupings."""

COLUMNS = ("n", "estimate", "low", "high", "low_is", "high_is", "attained_low", "attained_high")


def metric_ranges(
    result: CertificationResult,
    sensitive_features: object = None,
    y_true: object = None,
    positive: object = None,
    *,
    tries: int = 100,
    progress: bool | Progress = False,
) -> pd.DataFrame:
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
    tries : int, default 100
        On how many tables of witnesses the tree is retrained at most, in search of values that are attained.
    progress : bool or callable, default False
        Show a progress bar on standard error, or call ``progress(share_done, tables_left)``.

    Returns
    -------
    DataFrame
        Indexed by metric and group (a level for each feature); "everybody" and "between groups" stand in
        the place of a group. Columns: `n`, the people that the metric counts; `estimate`, its value for the
        table as it is; `low` and `high`, which no table of B(T) passes; `low_is` and `high_is`, "attained"
        if a tree that was really trained on a table of B(T) has exactly this value, else "proved";
        `attained_low` and `attained_high`, the smallest and largest value of such trees. NaN where a metric
        has no value. Shares of verdicts and certified accuracy are counts, not ranges, and have no ends.
        ``attrs`` holds the label that is `positive` and the number of `tables` that are known.

    Notes
    -----
    *Soundness.* A tree learned from a table of B(T) gives each person one of the person's `possible_labels`,
    so the people who surely count and those who may count bound each rate from both sides. Groups share
    nobody, so differences and ratios are bounded by letting every rate run through its own range. Whether one
    table does all of that at once is not asked: ranges may be wider than the truth, never narrower. The ratio
    is min / max, and has no value where nobody is selected, as in fairlearn; its range is about all other
    tables.

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
    _check_tries(tries)
    truth = _true_codes(result, y_true)
    chosen = _positive_code(result, positive)
    features, members = _groups(result, sensitive_features)
    labels = result.labels.tolist()
    possible = np.array([[label in might for label in labels] for might in result.possible_labels])
    tables = _known_tables(result, possible, tries, progress)
    everybody = tuple([EVERYBODY] * len(features))
    everyone = {everybody: np.arange(len(result)), **members}
    correct = None if truth is None else tables[0] == truth
    rows = _verdict_rows(result.verdicts, correct, everyone)
    ranges: dict[str, dict[tuple[Any, ...], Range]] = {}
    for rate in _rates(truth, chosen, len(result)):
        ranges[rate.name] = {key: range_of(rate, who, possible, tables) for key, who in everyone.items()}
        rows += [(rate.name, *key, *_shown(found, rate.name)) for key, found in ranges[rate.name].items()]
    for name, rate_name, compare in COMPARISONS:
        if members and rate_name in ranges:
            found = compare([ranges[rate_name][key] for key in members])
            rows.append((name, *[BETWEEN] * len(features), *_shown(found, name)))
    width = 1 + len(features)
    index = _index([row[:width] for row in rows], features)
    frame = pd.DataFrame([row[width:] for row in rows], index=index, columns=list(COLUMNS))
    frame.attrs = {"positive": labels[chosen], "tables": len(tables)}
    return frame


def _check_tries(tries: int) -> None:
    if isinstance(tries, bool) or not isinstance(tries, int | np.integer) or tries < 0:
        raise EverytreeError(f"tries must be a whole number from 0; received {tries!r}.")


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


def _index(keys: list[tuple[Any, ...]], features: dict[str, list[Any]]) -> pd.MultiIndex:
    """Metric and group of each row. Levels are in the order of the rows, so pandas takes them as sorted."""
    metrics = list(dict.fromkeys(key[0] for key in keys))
    levels = [metrics, *([EVERYBODY, *values, BETWEEN] for values in features.values())]
    places = [{value: place for place, value in enumerate(level)} for level in levels]
    codes = [[place[key[i]] for key in keys] for i, place in enumerate(places)]
    return pd.MultiIndex(levels=levels, codes=codes, names=["metric", *features])


def _known_tables(
    result: CertificationResult, possible: NDArray[np.bool_], tries: int, progress: bool | Progress
) -> NDArray[np.integer[Any]]:
    """Codes of everybody's label for the table as it is, and for each table that is learned from."""
    known = _KNOWN.setdefault(result, {})
    if tries not in known:
        code = {label: c for c, label in enumerate(result.labels.tolist())}
        today = np.array([[code[label] for label in result.predictions.tolist()]])
        after = today[:0]
        if result.prepared is not None and result.witnesses and tries:
            after = retrained_predictions(result.prepared, result.witnesses, tries, progress)
        known[tries] = np.concatenate([today.astype(after.dtype), after])
    tables = known[tries]
    allowed = possible[np.arange(len(result)), tables].all(axis=0)
    if not allowed.all():
        raise InternalError(
            f"A retrained tree contradicts the proof for test person {int(np.argmin(allowed))}. This is a "
            "fault in everytree; please report it with the table."
        )
    return tables


def _verdict_rows(
    verdicts: NDArray[np.str_],
    correct: NDArray[np.bool_] | None,
    everyone: dict[tuple[Any, ...], NDArray[np.int64]],
) -> list[tuple[Any, ...]]:
    """Shares of people that are counted once: they belong to the search, not to a table of B(T)."""
    shares = {verdict: verdicts == verdict for verdict in (ROBUST, NOT_ROBUST, UNKNOWN)}
    if correct is not None:
        shares["certified accuracy"] = shares[ROBUST] & correct
    none = float("nan")
    return [
        (name, *key, len(who), int(holds[who].sum()) / len(who), none, none, "", "", none, none)
        for name, holds in shares.items()
        for key, who in everyone.items()
    ]


def _rates(truth: NDArray[np.int64] | None, positive: int, n_people: int) -> list[Rate]:
    all_people = np.ones(n_people, np.bool_)
    chosen = np.full(n_people, positive)
    selection = Rate("selection rate", chosen, all_people)
    if truth is None:
        return [selection]
    return [
        Rate("accuracy", truth, all_people),
        selection,
        Rate("true positive rate", chosen, truth == positive),
    ]


COMPARISONS: tuple[tuple[str, str, Callable[[Sequence[Range]], Range]], ...] = (
    ("demographic parity difference", "selection rate", difference),
    ("demographic parity ratio", "selection rate", ratio),
    ("equal opportunity difference", "true positive rate", difference),
)


def _shown(found: Range, name: str) -> tuple[Any, ...]:
    """The columns of a row. A known value outside the bounds is a fault."""
    none = float("nan")
    seen = [value for value in found.values if value is not None]
    if found.low is None or found.high is None:
        if seen:
            raise InternalError(
                f"The {name} has the value {seen[0]} but no range. This is a fault in everytree."
            )
        return found.n, none, none, none, "", "", none, none
    if any(not found.low <= value <= found.high for value in seen):
        raise InternalError(
            f"The {name} of a retrained tree is outside its range from {found.low} to {found.high}. This is "
            "a fault in everytree; please report it with the table."
        )
    estimate = none if found.values[0] is None else float(found.values[0])
    return (
        found.n,
        estimate,
        float(found.low),
        float(found.high),
        ATTAINED if found.low in seen else PROVED,
        ATTAINED if found.high in seen else PROVED,
        float(min(seen)) if seen else none,
        float(max(seen)) if seen else none,
    )
