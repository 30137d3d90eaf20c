"""Changes of labels that are alike in a node, and which splits may be the best after each kind; compiled.

Between `node_scores.py`, which scores splits, and `tied_ways.py`, which follows people through the node.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from everytree.learner.criterion.front import stop_rows, tolerance, value
from everytree.refute.cuts import cut_of
from everytree.refute.node_scores import list_rivals, score_all, score_changed
from everytree.support.kernels import bare_kernel, part_of_kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray

MOST_TIES = 64
"""Different ways to cut one node, by tied splits, that are followed after one change."""

MOST_CUTS = 1024
"""The same, after all changes that are followed together."""

TIES_A_CHANGE = 256
"""Room for splits that tie after a change, on average."""


class Kinds(NamedTuple):
    """Changes that are alike in the present node: one of each kind, and how many rows of the node it changes.

    Then what a leaf says, whether the learner may stop, whether there is too much to try, and where the
    splits that tie are listed (in ``ties``). ``alone[r, i]`` is the kind that gives row r label i and changes
    nothing else. ``cuts`` has a split for each way to divide the rows. Rows, kinds and cuts of the present
    node, or kind, are told by marks, for which ``marks`` are the numbers used last. ``counts`` are the labels
    of the node, ``changed`` those after a kind of change.
    """

    change: NDArray[np.int64]
    rows: NDArray[np.int64]
    says: NDArray[np.int64]
    begin: NDArray[np.int64]
    end: NDArray[np.int64]
    stops: NDArray[np.bool_]
    unsure: NDArray[np.bool_]
    ties: NDArray[np.int32]
    alone: NDArray[np.int64]
    alone_mark: NDArray[np.int64]
    inside: NDArray[np.int64]
    cuts: NDArray[np.int64]
    cut_mark: NDArray[np.int64]
    marks: NDArray[np.int64]
    counts: NDArray[np.int64]
    changed: NDArray[np.int64]


NODE, CUT = 0, 1
"""Places in `Kinds.marks`."""


def kinds_for(n_rows: int, n_labels: int, n_changes: int) -> Kinds:
    """Make room for the kinds of so many changes."""
    change, rows, says, begin, end = (np.empty(n_changes + 1, np.int64) for _ in range(5))
    stops, unsure = np.zeros(n_changes + 1, np.bool_), np.zeros(n_changes + 1, np.bool_)
    ties = np.empty(TIES_A_CHANGE * (n_changes + 1), np.int32)
    alone, alone_mark = np.empty((n_rows, n_labels), np.int64), np.zeros((n_rows, n_labels), np.int64)
    inside, marks = np.zeros(n_rows, np.int64), np.zeros(2, np.int64)
    cuts, cut_mark = np.zeros(MOST_CUTS, np.int64), np.zeros(MOST_CUTS, np.int64)
    counts, changed = np.zeros(n_labels, np.int64), np.zeros(n_labels, np.int64)
    places = change, rows, says, begin, end, stops, unsure, ties
    return Kinds(*places, alone, alone_mark, inside, cuts, cut_mark, marks, counts, changed)


@bare_kernel
def tell_apart(label: Any, changes: Any, rows: Any, cases: Any, kind: Any, kinds: Any) -> int:
    """Find the kinds of changes in a node with these rows, and of which each case is; says how many.

    ``cases[i, 0]`` is a change; the same ones are next to each other. Changes of the same row, or of none,
    are alike if nothing else of the node changes; of two rows or more each is a kind of its own.
    """
    kinds.marks[NODE] += 1
    mark = kinds.marks[NODE]
    kinds.counts[:] = 0
    for r in rows:
        kinds.counts[label[r]] += 1
        kinds.inside[r] = mark
    n_kinds, untouched, before, same = 0, -1, -1, -1
    for i in range(len(cases)):
        c = cases[i, 0]
        if c != before:
            before, changed, row, new = c, 0, -1, -1
            for k in range(changes.shape[1]):
                r = changes[c, k, 0]
                if r >= 0 and kinds.inside[r] == mark:
                    changed, row, new = changed + 1, r, changes[c, k, 1]
            same = n_kinds
            if changed == 0:
                untouched = n_kinds if untouched < 0 else untouched
                same = untouched
            elif changed == 1 and kinds.alone_mark[row, new] == mark:
                same = kinds.alone[row, new]
            elif changed == 1:
                kinds.alone[row, new], kinds.alone_mark[row, new] = n_kinds, mark
            if same == n_kinds:
                kinds.change[same], kinds.rows[same] = c, changed
                n_kinds += 1
        kind[i] = same
    return n_kinds


@bare_kernel
def must_split(spot: Any, changes: Any, size: int, depth: int, n_kinds: int, kinds: Any) -> bool:
    """Find what a leaf says after each kind of change; says whether the learner goes on after any."""
    goes_on = False
    for q in range(n_kinds):
        _count_changed(spot, changes[kinds.change[q]], kinds)
        kinds.says[q] = np.argmax(kinds.changed)
        kinds.stops[q] = depth == 0 or kinds.changed[kinds.says[q]] == size
        kinds.unsure[q] = False
        kinds.begin[q] = kinds.end[q] = 0
        goes_on |= not kinds.stops[q]
    return goes_on


@bare_kernel
def find_ties(
    criterion: Any,
    columns: Any,
    spot: Any,
    step: float,
    label: Any,
    changes: Any,
    live: Any,
    n_kinds: int,
    branches: Any,
    kinds: Any,
    rivals: Any,
) -> Any:
    """List the splits that may be taken after each kind of change; gives the cuts and the scores computed.

    Soundness
    ---------
    A split that ties with the best after a change of m rows scored at least best - 2 m step - tolerance
    before: its own score and the best one moved by m step at most. A single kind is the node as it is.
    """
    size, single, most = live.shape[1], n_kinds == 1, 0
    for q in range(n_kinds):
        most = max(most, kinds.rows[q])
    if single:
        _relabel(spot, label, changes[kinds.change[0]], kinds, False)
        _count_changed(spot, changes[kinds.change[0]], kinds)
        _copy(kinds.changed, kinds.counts, len(kinds.counts))
        most = 0
    best = score_all(criterion, spot, label, live, size, kinds.counts, branches, rivals)
    tied_by = tolerance(criterion, size)
    n_rivals, first, n_ties, n_cuts, work = 0, 0, 0, 0, 0
    if best > -np.inf:
        least = best - 2 * most * step - 2 * tied_by
        n_rivals = list_rivals(spot, label, live, size, kinds.counts, least, rivals)
        first = int(np.argmax(rivals.before[:n_rivals]))
    for q in range(n_kinds):
        if kinds.stops[q]:
            continue
        if n_rivals == 0:
            kinds.stops[q] = True
            continue
        change, top = changes[kinds.change[q]], best
        if single or kinds.rows[q] == 0:
            _copy(kinds.counts, kinds.changed, len(kinds.counts))
            _copy(rivals.before, rivals.after, n_rivals)
        else:
            _count_changed(spot, change, kinds)
            reach, slack = kinds.rows[q] * step, 2 * tied_by
            top = score_changed(
                criterion, spot, rivals, n_rivals, first, change, kinds, size, reach, slack, branches
            )
        work += n_rivals
        kinds.stops[q] = size >= stop_rows(criterion) and top - value(criterion, kinds.changed) <= 2 * tied_by
        kinds.begin[q] = n_ties
        kinds.marks[CUT] += 1
        mine = 0
        for s in range(n_rivals):
            if rivals.after[s] < top - tied_by:
                continue
            at = cut_of(columns, spot.code, live[0], s, rivals, kinds.cuts, n_cuts)
            if at == len(kinds.cuts) or n_ties == len(kinds.ties):
                kinds.unsure[q] = True
                break
            n_cuts = max(n_cuts, at + 1)
            kinds.ties[n_ties] = s
            n_ties += 1
            mine += kinds.cut_mark[at] != kinds.marks[CUT]
            kinds.cut_mark[at] = kinds.marks[CUT]
        kinds.unsure[q] |= mine > MOST_TIES
        if kinds.unsure[q]:
            n_ties = kinds.begin[q]
        kinds.end[q] = n_ties
    if single:
        _relabel(spot, label, changes[kinds.change[0]], kinds, True)
    return n_cuts, work


@part_of_kernel
def _copy(what: Any, to: Any, length: int) -> None:
    for k in range(length):
        to[k] = what[k]


@bare_kernel
def _count_changed(spot: Any, change: Any, kinds: Any) -> None:
    """Count the labels of the present node after a change."""
    _copy(kinds.counts, kinds.changed, len(kinds.counts))
    for k in range(len(change)):
        r = change[k, 0]
        if r >= 0 and kinds.inside[r] == kinds.marks[NODE]:
            kinds.changed[spot.label[r]] -= 1
            kinds.changed[change[k, 1]] += 1


@bare_kernel
def _relabel(spot: Any, label: Any, change: Any, kinds: Any, back: bool) -> None:
    """Give the rows of the present node their labels after a change, or back their own."""
    for k in range(len(change)):
        r = change[k, 0]
        if r >= 0 and kinds.inside[r] == kinds.marks[NODE]:
            label[r] = spot.label[r] if back else change[k, 1]
