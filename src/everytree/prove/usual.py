"""What a usual walk calls: kernels with arguments of the types that it hands over, in two halves.

Read by `prove/ahead.py`, which compiles them; values do not matter. No kernel is called by kernels of both
halves: two processes must not write the same file of the cache.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from everytree.learner.availability import Floors
from everytree.prove import gains
from everytree.prove.counts import Budget, Columns, RowTypes, Splits, node_splits
from everytree.prove.domains import flips, interval, leaf, relational, settling
from everytree.prove.domains.claims import no_claims

__all__ = ["calls_here", "calls_there"]

NUMBER, FLAG, SCORE = np.zeros(2, np.int64), np.zeros(2, np.bool_), np.zeros(2)
ROWS, SHARE = np.zeros(2, np.int32), np.zeros((2, 2, 2))
COLUMNS = Columns(np.zeros((2, 2), np.int32), np.zeros(2, np.float32), NUMBER, FLAG, NUMBER)
TYPES = RowTypes(ROWS, NUMBER, np.zeros((2, 2), np.bool_), FLAG, np.zeros((2, 4, 2), np.int64))
SPLITS = Splits(ROWS, ROWS, ROWS, np.zeros((2, 2), np.int32), NUMBER, np.zeros((2, 2), np.int64))
BUDGET = Budget(0, 1, 0, FLAG, FLAG)

Call = tuple[Any, tuple[Any, ...]]


def calls_there() -> list[Call]:
    """The half of the other process: the relational domain, and what is built on it."""
    cells, ways = np.zeros((2, 2), np.int64), np.zeros((2, 2), np.bool_)
    settled = (
        SPLITS,
        NUMBER,
        cells,
        0,
        TYPES,
        BUDGET,
        SCORE,
        np.zeros((2, 2, 2, 2)),
        None,
        0,
        no_claims(2),
        ways,
    )
    return [
        (relational.scores, (SPLITS, TYPES, None)),
        (flips.loose_margins, (SPLITS, TYPES, BUDGET, 0, NUMBER)),
        (settling._settle, settled),
        (gains._gains, ((SPLITS, TYPES, BUDGET), NUMBER, NUMBER, SCORE, (0, None, 0))),
    ]


def calls_here() -> list[Call]:
    """The half of this process: counts, intervals, leaves and people."""
    from everytree.prove import routing  # it reads tables, which the other process does without

    floors, cuts = Floors(1, 1, 2, 2, 0.0, 0), routing.Cuts(ROWS, SCORE, SCORE)
    possible, X = np.zeros((2, 2, 2), np.bool_), np.zeros((2, 2), np.float32)
    leaves, tally = routing.Leaves(possible, SHARE, SHARE), routing.empty_tally(2, 2)
    return [
        (node_splits, (COLUMNS, TYPES, ROWS, 0, FLAG, True)),
        (interval.least_upper_cost, (SPLITS, TYPES, BUDGET, SCORE, floors, None)),
        (interval.affordable, (SPLITS, NUMBER, TYPES, BUDGET, 0.0, None)),
        (interval.leaves_of_splits, (SPLITS, NUMBER, TYPES, BUDGET, None)),
        (leaf._labels_of_leaves, (SPLITS, NUMBER, TYPES, BUDGET, None, possible)),
        (relational.cell_counts, (COLUMNS, TYPES, ROWS, SPLITS, NUMBER, 0)),
        (routing.who_goes_where, (cuts, ROWS, X, NUMBER, 2)),
        (routing.note_leaves, (cuts, leaves, ROWS, X, tally)),
    ]
