"""From the solution of a program to a trial, and whether its exact scores take the path.

Between the programs and `refute/judge.py`: only a retrained estimator confirms a witness.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from everytree.bias.acts import NONE
from everytree.learner.criterion.front import for_kernels, winner
from everytree.paths.layout import Layout, bounds_of
from everytree.prove.counts import Columns, RowTypes, code_columns, node_splits
from everytree.prove.domains import relational
from everytree.prove.node import Cut, available_splits
from everytree.refute.change import Change
from everytree.refute.trial import Trial

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from everytree.paths.waiting import Path, Step
    from everytree.prove.problem import Problem
    from everytree.refute.new_rows import RowMaker


def build_trial(
    problem: Problem,
    layout: Layout,
    whole: NDArray[np.int64],
    maker: RowMaker,
    rng: np.random.Generator,
) -> Trial | None:
    """Name rows for whole amounts of changes; None if nothing is changed."""
    changes = layout.changes
    flipped: dict[int, int] = {}
    removed: list[int] = []
    added: list[tuple[dict[int, tuple[int, int]], int, int]] = []
    taken: dict[int, int] = {}
    shuffled: dict[int, NDArray[np.int64]] = {}
    pools: list[tuple[NDArray[np.int64], int]] = []
    for c in np.flatnonzero(whole):
        count, group = int(whole[c]), int(changes.group[c])
        if group < 0:
            place = layout.places[int(changes.cell[c]) - layout.n_groups]
            added.append((place, int(changes.target[c]), count))
            continue
        if group not in shuffled:
            shuffled[group] = rng.permutation(layout.rows_of(group))
        begin = taken.get(group, 0)
        rows = shuffled[group][begin : begin + count]
        taken[group] = begin + len(rows)
        pools.append((layout.rows_of(group), len(rows)))
        if changes.target[c] == NONE:
            removed += [int(row) for row in rows]
        else:
            flipped.update((int(row), int(changes.target[c])) for row in rows)
    made = [(maker.row(bounds_of(problem, place), label), label, count) for place, label, count in added]
    kept = [(row, label, count) for row, label, count in made if row is not None]
    if not flipped and not removed and not kept:
        return None
    encoded = maker.encode(tuple(row for row, _, _ in kept))
    change = Change(
        flipped,
        tuple(sorted(removed)),
        tuple(row for row, _, count in kept for _ in range(count)),
        tuple(label for _, label, count in kept for _ in range(count)),
    )
    features = np.repeat(encoded, [count for _, _, count in kept], axis=0) if kept else encoded
    return Trial(change, features, tuple(pools))


def round_amounts(
    layout: Layout, amounts: NDArray[np.float64], budgets: NDArray[np.float64]
) -> NDArray[np.int64]:
    """Round up as long as caps, shared rows and budgets allow it, the largest fractions first."""
    changes = layout.changes
    whole = np.floor(amounts + 1e-6).astype(np.int64)
    rest = amounts - whole
    for c in np.argsort(-rest, kind="stable"):
        if rest[c] <= 1e-6:
            break
        after = changes.uses @ whole + changes.uses[:, c]
        group = changes.group == changes.group[c]
        room = changes.group[c] < 0 or whole[group].sum() < changes.size[changes.group[c]]
        if (after <= budgets + 1e-9).all() and whole[c] < changes.cap[c] and room:
            whole[c] += 1
    return whole


@dataclass(frozen=True, eq=False)
class Verdict:
    """Whether a trial takes its path; if not, at which level it fails and which splits won there."""

    taken: bool
    level: int
    winners: list[Cut]


def judge_trial(problem: Problem, path: Path, trial: Trial) -> Verdict:
    """Follow the path through the changed table with exact counts."""
    columns, types = _learned(problem, trial)
    rows = np.arange(columns.codes.shape[1], dtype=np.int32)
    if not trial.change.added and trial.change.removed:
        rows = np.delete(rows, list(trial.change.removed))
    pinned = np.zeros(columns.codes.shape[0], np.bool_)
    counts = np.bincount(types.of_row[rows], minlength=problem.bias.n_labels)
    criterion = for_kernels(problem.criterion_on(counts))
    limits = problem.floors_on(counts)
    for level, step in enumerate(path.steps):
        if step.feature < 0:
            break
        splits = node_splits(columns, types, rows, 0, pinned, False)
        if not limits.plain:
            splits, _ = available_splits(splits, types.removable, limits, 0, 0)
        score = relational.scores(splits, types, criterion)
        low, high = _gap(problem.columns, step)
        start = columns.starts[step.feature]
        values = columns.values[start : columns.starts[step.feature + 1]].astype(np.float64)
        mine = np.flatnonzero(splits.feature == step.feature)
        mine = mine[(values[splits.low[mine]] < high) & (values[splits.high[mine]] > low)]
        if len(mine) == 0:
            return Verdict(False, level, [])
        own = mine[np.argmax(score[mine])]
        if score[own] < score.max() - 1e-9:
            return Verdict(False, level, _winners(problem, columns, splits, score, own, step))
        on_right = columns.codes[step.feature, rows] > splits.low[own]
        rows = rows[on_right == (step.side == 1)]
    counts = np.bincount(types.of_row[rows], minlength=problem.bias.n_labels)
    return Verdict(winner(criterion, counts) == path.label, len(path.steps), [])


def _learned(problem: Problem, trial: Trial) -> tuple[Columns, RowTypes]:
    """Columns and labels of the changed table; without additions the columns stay as they are."""
    n_labels = problem.bias.n_labels
    if trial.change.added:
        X, y = trial.table(problem)
        columns = code_columns(problem.views.show(X), problem.columns.boolean)
    else:
        columns, y = problem.columns, trial.change.flip(problem.table.y)
    types = RowTypes(
        y.astype(np.int32),
        np.arange(n_labels),
        np.zeros((n_labels, n_labels), np.bool_),
        np.zeros(n_labels, np.bool_),
        np.zeros((n_labels, 4, n_labels), np.int64),
    )
    return columns, types


def _gap(columns: Columns, step: Step) -> tuple[float, float]:
    start, stop = columns.starts[step.feature], columns.starts[step.feature + 1]
    low = float(columns.values[start + step.low]) if step.low >= 0 else -np.inf
    high = float(columns.values[start + step.high]) if start + step.high < stop else np.inf
    return low, high


def _winners(
    problem: Problem,
    columns: Columns,
    splits: object,
    score: NDArray[np.float64],
    own: int,
    step: Step,
) -> list[Cut]:
    """The best two splits that beat the path's own, translated to codes of the original columns."""
    cuts: list[Cut] = []
    ranked = np.argsort(-score, kind="stable")
    seen: set[int] = set()
    for s in ranked[:200]:
        if score[s] <= score[own] + 1e-9 or len(cuts) == 2:
            break
        feature = int(splits.feature[s])  # type: ignore[attr-defined]
        if feature in seen:
            continue
        seen.add(feature)
        value = columns.values[columns.starts[feature] + splits.low[s]]  # type: ignore[attr-defined]
        start, stop = problem.columns.starts[feature], problem.columns.starts[feature + 1]
        low = int(np.searchsorted(problem.columns.values[start:stop], value, side="right")) - 1
        codes = problem.columns.codes[feature, step.rows]
        above = codes[codes > low]
        high = int(above.min()) if len(above) else int(stop - start)
        cuts.append(Cut(feature, low, high))
    return cuts
