"""One path, decided: no table takes it, a trial takes it, or it stays open for now.

Solves programs, adds the splits that got in the way as rivals, tightens tangents, and cuts boxes of counts.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import count
from typing import TYPE_CHECKING

import numpy as np

from everytree.bias.acts import ADD, FLIP
from everytree.learner.criterion import front
from everytree.paths import conditions
from everytree.paths.boxes import EITHER, Box, Family, Region
from everytree.paths.layout import Layout, TooLargeError, lay_out
from everytree.paths.program import SAFETY, Program, Solution, Solver
from everytree.paths.trial import build_trial, judge_trial, round_amounts
from everytree.prove.node import Cut
from everytree.refute.trial import Trial
from everytree.support.clock import now

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from everytree.paths.waiting import Path
    from everytree.prove.problem import Problem
    from everytree.refute.new_rows import RowMaker

IMPOSSIBLE, TAKEN, OPEN = "impossible", "taken", "open"

MOST_RIVALS = 14
"""Rivals at one level; a path that needs more stays open."""

LEADS = (0.5, 0.05, 1e-5)
"""By how much a witness should win, tried in turn, so that rounding and ties do not decide."""

Confirm = Callable[[Trial], bool]


@dataclass(eq=False)
class PathSearch:
    """The state of the search for a table that takes one path; it can be continued."""

    problem: Problem
    path: Path
    family: Family
    solver: Solver
    maker: RowMaker
    known_counts: dict[tuple[int, int, int], NDArray[np.float64]] = field(default_factory=dict)
    rivals: list[list[Cut]] = field(default_factory=list)
    lower: float = 0.0

    def __post_init__(self) -> None:
        self.rivals = [
            [Cut(feature, low, self._after(level, feature, low)) for feature, low in step.rivals]
            for level, step in enumerate(self.path.steps)
        ]
        bias = self.problem.bias
        self.criterion = self.problem.criterion
        self.excludes = len(self.problem.criteria) == 1
        only_flips = bias.additions == 0 and bias.removals == 0
        self.exact = only_flips and front.has_linear_form(self.criterion, bias.n_labels)
        self.leads = LEADS[-1:] if self.exact else LEADS
        self.tangents: dict[tuple[int, Cut], list[NDArray[np.float64]]] = {}
        self.rng = np.random.default_rng(0)

    def take_over(self, known: list[list[Cut]] | None, pool: dict[int, list[Cut]], how_many: int) -> None:
        """Start with the rivals of an earlier round, and with those that mattered in the same nodes."""
        for level, step in enumerate(self.path.steps):
            if step.feature < 0:
                continue
            recent = pool.get(id(step.rows), [])[-how_many:]
            for cut in (*(known[level] if known else ()), *recent):
                self._add_rival(level, cut)

    def share(self, pool: dict[int, list[Cut]]) -> None:
        """Leave the rivals that came up to later paths through the same nodes."""
        for step, of_level in zip(self.path.steps, self.rivals, strict=True):
            shared = pool.setdefault(id(step.rows), [])
            shared += [cut for cut in of_level if cut not in shared]

    def _add_rival(self, level: int, cut: Cut) -> bool:
        of_level, step = self.rivals[level], self.path.steps[level]
        known = {(c.feature, c.low) for c in of_level} | {(step.feature, step.low)}
        if (cut.feature, cut.low) in known or len(of_level) >= MOST_RIVALS:
            return False
        if not conditions.may_challenge(self.problem, step.rows, cut):
            return False
        of_level.append(cut)
        return True

    def _after(self, level: int, feature: int, low: int) -> int:
        codes = self.problem.columns.codes[feature, self.path.steps[level].rows]
        above = codes[codes > low]
        n_codes = self.problem.columns.starts[feature + 1] - self.problem.columns.starts[feature]
        return int(above.min()) if len(above) else int(n_codes)

    def _refresh(self) -> None:
        """Lay the columns out anew after a rival was added."""
        self.cuts = [
            [Cut(step.feature, step.low, step.high), *of_level]
            for step, of_level in zip(self.path.steps, self.rivals, strict=True)
        ]
        self.layout: Layout = lay_out(self.problem, self.path.steps, self.cuts)
        self.counts: list[list[NDArray[np.float64]]] = []
        self.effects: list[list[NDArray[np.float64]]] = []
        q = 0
        for step, of_level in zip(self.path.steps, self.cuts, strict=True):
            self.counts.append([self._count(step.rows, cut) for cut in of_level])
            self.effects.append([self.layout.effect(q + k) for k in range(len(of_level))])
            q += len(of_level)

    def _count(self, rows: NDArray[np.int32], cut: Cut) -> NDArray[np.float64]:
        """Counts on T by side and label of a split of a node; kept, because paths share nodes and rivals."""
        key = (id(rows), cut.feature, cut.low)
        if key not in self.known_counts:
            n_labels, labels = self.problem.bias.n_labels, self.problem.table.y[rows]
            side = self.problem.columns.codes[cut.feature, rows] > cut.low if cut.feature >= 0 else 0
            counts = np.bincount(labels + n_labels * side, minlength=2 * n_labels)
            self.known_counts[key] = counts.astype(float)
        return self.known_counts[key]

    def run(self, confirm: Confirm, programs: int, deadline: float) -> str:
        """Look for a table that takes the path, with at most so many programs.

        Returns IMPOSSIBLE only if checked bounds exclude every table of the family, TAKEN if `confirm`
        accepted a trial, and OPEN otherwise; `lower` is a share below which no table takes the path. Where
        class weights move with the table, programs have those of T: they find trials and exclude nothing.

        A branch and bound over *regions*: bounds on whole counts of splits in use. One is crossed out by its
        program's bound, or cut in two: where the bound for the path's split is coarse, or a count fractional.
        """
        try:
            self._start()
            regions = self._first_regions()
        except TooLargeError:
            return OPEN
        order = count()
        heap = [(0.0, next(order), region) for region in regions]
        used, stuck = 0, np.inf
        while heap:
            bound, _, region = heapq.heappop(heap)
            self.lower = min(bound, stuck) if self.excludes else 0.0
            settled = False
            while not settled:
                if used >= programs or now() > deadline:
                    return OPEN
                used += 1
                solution = self._program(region).solve(self.solver)
                bound = max(bound, solution.bound)
                if self._is_excluded(region, solution):
                    break
                if solution.broken < 1e-5:
                    if self._add_tangents(solution, region):
                        continue
                    try:
                        taken, grown = self._try(solution, region, confirm)
                    except TooLargeError:
                        return OPEN
                    if taken:
                        return TAKEN
                    if grown:
                        continue
                parts = self._cut(region, solution)
                if not parts:
                    stuck = min(stuck, bound)
                for part in parts:
                    heapq.heappush(heap, (bound, next(order), part))
                settled = True
        self.lower = stuck if self.excludes else 0.0
        return OPEN if np.isfinite(stuck) or not self.excludes else IMPOSSIBLE

    def _is_excluded(self, region: Region, solution: Solution) -> bool:
        """Whether the checked bound of its program crosses a region out."""
        return solution.bound > self.family.most * (1 + SAFETY) + SAFETY

    def _start(self) -> None:
        """Lay the columns out; if that is too much with all the rivals at hand, with one at each level."""
        try:
            self._refresh()
        except TooLargeError:
            self.rivals = [of_level[:1] for of_level in self.rivals]
            self._refresh()

    def _first_regions(self) -> list[Region]:
        """Both signs at every level where h is exact; else the counts that the budgets can reach."""
        levels = [level for level, step in enumerate(self.path.steps) if step.feature >= 0]
        if self.exact:
            flips = float(self.family.at(self.family.most)[FLIP])
            signs = [front.possible_signs(self.counts[level], flips) for level in levels]
            return Region.with_signs(signs, {})
        if self.problem.bias.n_labels > conditions.MOST_LABELS:
            raise TooLargeError
        return [Region((), {(level, self.cuts[level][0]): self._reach(level, 0) for level in levels})]

    def _reach(self, level: int, k: int) -> Box:
        """Counts that the budgets can give a split, each by itself."""
        budgets = np.floor(self.family.at(self.family.most) + 1e-9)
        return self.layout.reach(self.counts[level][k], self.effects[level][k], budgets)

    def _cut(self, region: Region, solution: Solution) -> list[Region]:
        """Cut a region in two; an empty list if nothing is coarse and every count is whole."""
        if EITHER in region.signs:
            return region.decide_sign()
        if not self.exact:
            boxes = {key: region.bounds[key] for key in self._own(region)}
            coarse = {key: front.remainder(self.criterion, *box) for key, box in boxes.items()}
            worst = max(coarse, key=lambda key: coarse[key], default=None)
            if worst is not None and coarse[worst] > 1e-7:
                low, high = region.bounds[worst]
                row = int(np.argmax(high - low))
                if high[row] - low[row] >= 1:
                    middle = np.floor((low[row] + high[row]) / 2)
                    return region.halves(worst, low, high, row, middle)
        return self._cut_fraction(region, solution)

    def _cut_fraction(self, region: Region, solution: Solution) -> list[Region]:
        """Cut a region in two where a count is furthest from a whole number."""
        furthest, place = 1e-4, None
        for level, of_level in enumerate(self.cuts):
            for k, cut in enumerate(of_level):
                at = self.counts[level][k] + self.effects[level][k] @ solution.amounts
                off = np.abs(at - np.round(at))
                row = int(np.argmax(off))
                if off[row] > furthest:
                    furthest, place = float(off[row]), (level, cut, row, float(np.floor(at[row])), len(at))
        if place is None:
            return []
        level, cut, row, middle, size = place
        low, high = region.bounds.get((level, cut), (np.zeros(size), np.full(size, np.inf)))
        return region.halves((level, cut), low, high, row, middle)

    def _own(self, region: Region) -> list[tuple[int, Cut]]:
        """The bounds of a region that belong to the path's own splits."""
        keys = [(level, of_level[0]) for level, of_level in enumerate(self.cuts)]
        return [key for key in keys if key in region.bounds and key[1].feature >= 0]

    def _add_tangents(self, solution: Solution, region: Region) -> bool:
        """Add tangents of rivals where the solution sits, if they show that the path's split loses there."""
        added = False
        for level, own in self._own(region) if not self.exact else []:
            pairs = zip(self.counts[level], self.effects[level], strict=True)
            at = [counts + effect @ solution.amounts for counts, effect in pairs]
            box = region.bounds[level, own]
            centre = (box[0] + box[1]) / 2
            tilt = front.gradient(self.criterion, centre)
            upper = front.split_value(self.criterion, centre) + tilt @ (at[0] - centre)
            upper += front.remainder(self.criterion, *box)
            for cut, point in zip(self.cuts[level][1:], at[1:], strict=True):
                known = self.tangents.setdefault((level, cut), [])
                bound = max(front.gradient(self.criterion, z) @ point for z in self._points(level, cut))
                true = front.split_value(self.criterion, np.maximum(point, 0.0))
                if true > upper + 1e-6 and true > bound + 1e-6 and len(known) < 12:
                    known.append(np.maximum(point, 0.0))
                    added = True
        return added

    def _points(self, level: int, cut: Cut) -> list[NDArray[np.float64]]:
        """Points at which tangents of a rival are taken: its counts on T, and those added since."""
        counts = self.counts[level][self.cuts[level].index(cut)]
        first = front.tangent_points(self.criterion, counts, self.family.at(self.family.most))
        return [*first, *self.tangents.get((level, cut), [])]

    def _program(
        self, region: Region, near: list[NDArray[np.float64]] | None = None, lead: float = 0.0
    ) -> Program:
        """The conditions of the path: each split best at its level, the label winning at the end.

        For witnesses, `near` gives counts of the path's own splits close to which they should lead.
        """
        program = Program(self.layout.changes, self.family.fixed, self.family.free, self.family.most)
        for level, step in enumerate(self.path.steps):
            counts, effects = self.counts[level][0], self.effects[level][0]
            if step.feature >= 0:
                conditions.require_available(program, counts, effects, self.problem.floors)
                self._require_best(program, level, region, None if near is None else near[level], lead)
        for (level, cut), (low, high) in region.bounds.items():
            if cut in self.cuts[level] and near is None:
                k = self.cuts[level].index(cut)
                conditions.require_within(program, self.counts[level][k], self.effects[level][k], low, high)
        last = self.path.steps[-1]
        at_leaf, effect = self.counts[-1][0], self.effects[-1][0]
        if len(last.rows) == 0:
            conditions.require_row(program, at_leaf, effect, last.side, self.path.label)
        else:
            end = (last.side, self.path.label, float(len(last.rows) + self.problem.bias.additions))
            conditions.require_label(self.criterion, program, at_leaf, effect, end)
        return program

    def _require_best(
        self, program: Program, level: int, region: Region, near: NDArray[np.float64] | None, lead: float
    ) -> None:
        """The path's split is best at a level. Where its sign is open, only a witness must have one."""
        criterion, counts, effects = self.criterion, self.counts[level], self.effects[level]
        if self.exact:
            flips, sign = float(self.family.at(self.family.most)[FLIP]), region.signs[level]
            if sign == EITHER and near is not None:
                sign = front.possible_signs(counts[:1], flips)[0]  # that on T
            if sign != EITHER:
                conditions.require_best_exactly(program, counts, effects, sign, flips, lead)
            return
        points = [self._points(level, cut) for cut in self.cuts[level][1:]]
        if near is None:
            box = region.bounds[level, self.cuts[level][0]]
            conditions.require_best_in_box(criterion, program, counts, effects, box, points)
        else:
            conditions.require_best_near(criterion, program, counts, effects, near, points, lead)

    def _try(self, solution: Solution, region: Region, confirm: Confirm) -> tuple[bool, bool]:
        """Make trials of a solution; says whether one was confirmed, and whether new rivals came up.

        First with a lead for the path's splits, so that ties do not decide; then the solution as it is.
        """
        near = [c[0] + e[0] @ solution.amounts for c, e in zip(self.counts, self.effects, strict=True)]
        for lead in self.leads:
            attempt = self._program(region, near, lead).solve(self.solver)
            if attempt.broken > 1e-7 or attempt.share > self.family.most + 1e-9:
                continue
            taken, grown = self._try_one(attempt, confirm)
            if taken or grown:
                return taken, grown
        return self._try_one(solution, confirm)

    def _try_one(self, solution: Solution, confirm: Confirm) -> tuple[bool, bool]:
        budgets = np.floor(self.family.at(self.family.most) + 1e-9)
        whole = round_amounts(self.layout, solution.amounts, budgets)
        if self.layout.changes.uses[ADD] @ whole > self.family.most_rows:
            return False, False
        trial = build_trial(self.problem, self.layout, whole, self.maker, self.rng)
        if trial is None:
            return False, False
        verdict = judge_trial(self.problem, self.path, trial)
        if verdict.taken and confirm(trial):
            return True, False
        added = [self._add_rival(verdict.level, cut) for cut in verdict.winners]
        if any(added):
            self._refresh()
        return False, any(added)
