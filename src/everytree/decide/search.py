"""One path, decided: no table takes it, a trial takes it, or it stays open for now.

Solves programs, adds the splits that got in the way as rivals, tightens tangents, and cuts boxes of counts in
two where the bound for the path's own split is too coarse.
"""

from __future__ import annotations

import heapq
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import count, product
from typing import TYPE_CHECKING

import numpy as np

from everytree.decide import conditions
from everytree.decide.layout import Cut, Layout, TooLargeError, lay_out
from everytree.decide.program import ADD, FLIP, SAFETY, Program, Solution, Solver
from everytree.decide.trial import Trial, build_trial, judge_trial

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from everytree.decide.additions import RowMaker
    from everytree.decide.paths import Path
    from everytree.explore import Problem

IMPOSSIBLE, TAKEN, OPEN = "impossible", "taken", "open"

MOST_RIVALS = 14
"""Rivals at one level; a path that needs more stays open."""

LEAD = 1e-5
"""By how much a witness should win, so that rounding and ties do not decide."""

Box = tuple["NDArray[np.float64]", "NDArray[np.float64]"]
Confirm = Callable[[Trial], bool]


@dataclass(frozen=True, eq=False)
class Family:
    """Budgets as fixed + t * free, t at most `most`: all free for a verdict, a part of it for a radius."""

    fixed: NDArray[np.float64]
    free: NDArray[np.float64]
    most: float

    def at(self, t: float) -> NDArray[np.float64]:
        """Additions, flips and removals that are allowed at t."""
        return self.fixed + t * self.free


@dataclass(eq=False)
class PathSearch:
    """The state of the search for a table that takes one path; it can be continued."""

    problem: Problem
    path: Path
    family: Family
    solver: Solver
    maker: RowMaker
    rivals: list[list[Cut]] = field(default_factory=list)
    lower: float = 0.0

    def __post_init__(self) -> None:
        self.rivals = [
            [Cut(feature, low, self._after(level, feature, low)) for feature, low in step.rivals]
            for level, step in enumerate(self.path.steps)
        ]
        bias = self.problem.bias
        self.exact = bias.n_labels == 2 and bias.additions == 0 and bias.removals == 0
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
        self._refresh()

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
        """Counts on T by side and label of a split of a node."""
        n_labels = self.problem.bias.n_labels
        labels = self.problem.table.y[rows]
        side = self.problem.columns.codes[cut.feature, rows] > cut.low if cut.feature >= 0 else 0
        return np.bincount(labels + n_labels * side, minlength=2 * n_labels).astype(float)

    def run(self, confirm: Confirm, programs: int, deadline: float) -> str:
        """Look for a table that takes the path, with at most so many programs.

        Returns IMPOSSIBLE only if checked bounds exclude every table of the family, TAKEN if `confirm`
        accepted a trial, and OPEN otherwise; `lower` is a share below which no table takes the path.
        """
        try:
            if self.exact:
                return self._run_exact(confirm, programs, deadline)
            if self.problem.bias.n_labels > conditions.MOST_LABELS:
                return OPEN
            return self._run_boxes(confirm, programs, deadline)
        except TooLargeError:
            return OPEN

    # ------------------------------------------------------------ two labels, flips only

    def _run_exact(self, confirm: Confirm, programs: int, deadline: float) -> str:
        splitting = [step.feature >= 0 for step in self.path.steps]
        outcome, lower = IMPOSSIBLE, np.inf
        for signs in product((1, -1), repeat=sum(splitting)):
            status, bound = self._run_signs(signs, confirm, programs, deadline)
            if status == TAKEN:
                return TAKEN
            lower = min(lower, bound)
            if status == OPEN:
                outcome = OPEN
        self.lower = lower
        return outcome

    def _run_signs(
        self, signs: tuple[int, ...], confirm: Confirm, programs: int, deadline: float
    ) -> tuple[str, float]:
        tried_whole = False
        for _ in range(programs):
            solution = self._program(signs=signs).solve(self.solver)
            if solution.bound > self.family.most * (1 + SAFETY) + SAFETY:
                return IMPOSSIBLE, solution.bound
            if time.monotonic() > deadline or solution.broken > 1e-5:
                return OPEN, solution.bound
            strict = self._program(signs=signs, strict=LEAD).solve(self.solver)
            usable = strict.broken < 1e-7 and strict.share <= self.family.most + 1e-9
            taken, grown = self._try(strict if usable else solution, confirm)
            if taken:
                return TAKEN, solution.bound
            if grown:
                continue
            if tried_whole:
                return OPEN, solution.bound
            tried_whole = True
            whole = self._program(signs=signs, strict=LEAD).solve(self.solver, whole=True)
            if whole.broken < 1e-7 and whole.share <= self.family.most + 1e-9:
                taken, grown = self._try(whole, confirm)
                if taken:
                    return TAKEN, solution.bound
                if grown:
                    tried_whole = False
                    continue
            return OPEN, solution.bound
        return OPEN, solution.bound

    # ------------------------------------------------------------ everything else

    def _run_boxes(self, confirm: Confirm, programs: int, deadline: float) -> str:
        order = count()
        heap: list[tuple[float, int, list[Box]]] = [(0.0, next(order), self._first_boxes())]
        used = 0
        stuck = np.inf
        while heap:
            bound, _, boxes = heapq.heappop(heap)
            self.lower = min(bound, stuck)
            if used >= programs or time.monotonic() > deadline:
                return OPEN
            while True:
                used += 1
                solution = self._program(boxes=boxes).solve(self.solver)
                if solution.bound > self.family.most * (1 + SAFETY) + SAFETY:
                    break
                if solution.broken < 1e-5 and self._add_tangents(solution, boxes):
                    if used < programs and time.monotonic() < deadline:
                        continue
                elif solution.broken < 1e-5:
                    taken, grown = self._try(solution, confirm)
                    if taken:
                        return TAKEN
                    if grown and used < programs:
                        continue
                parts = self._halve(boxes)
                if not parts:
                    stuck = min(stuck, solution.bound)
                for part in parts:
                    heapq.heappush(heap, (max(bound, solution.bound), next(order), part))
                break
        self.lower = stuck
        return OPEN if np.isfinite(stuck) else IMPOSSIBLE

    def _first_boxes(self) -> list[Box]:
        """For each level the counts that the budgets can reach."""
        budgets = self.family.at(self.family.most)
        uses, cap = self.layout.changes.uses, self.layout.changes.cap
        kind = np.where(uses[ADD] > 0, 0, np.where(uses[FLIP] > 0, 1, 2))
        boxes = []
        for counts, effects in zip(self.counts, self.effects, strict=True):
            low, high = counts[0].copy(), counts[0].copy()
            for k in range(3):
                of_kind = kind == k
                down = ((effects[0] < 0) & of_kind) @ cap
                up = ((effects[0] > 0) & of_kind) @ cap
                low -= np.minimum(down, np.floor(budgets[k] + 1e-9))
                high += np.minimum(up, np.floor(budgets[k] + 1e-9))
            boxes.append((np.maximum(low, 0.0), high))
        return boxes

    def _halve(self, boxes: list[Box]) -> list[list[Box]]:
        """Cut the box whose bound is coarsest across its widest side; counts are whole numbers."""
        coarse = [
            conditions.remainder(*box) if step.feature >= 0 else 0.0
            for step, box in zip(self.path.steps, boxes, strict=True)
        ]
        level = int(np.argmax(coarse))
        low, high = boxes[level]
        width = np.floor(high + 1e-9) - np.ceil(low - 1e-9)
        row = int(np.argmax(width))
        if coarse[level] < 1e-7 or width[row] < 1:
            return []
        middle = np.floor((low[row] + high[row]) / 2)
        lower, upper = high.copy(), low.copy()
        lower[row], upper[row] = middle, middle + 1
        return [
            [*boxes[:level], (low, lower), *boxes[level + 1 :]],
            [*boxes[:level], (upper, high), *boxes[level + 1 :]],
        ]

    def _add_tangents(self, solution: Solution, boxes: list[Box]) -> bool:
        """Add tangents of rivals where the solution sits, if they show that the path's split loses there."""
        added = False
        for level, (step, box) in enumerate(zip(self.path.steps, boxes, strict=True)):
            if step.feature < 0:
                continue
            at = [
                c + e @ solution.amounts for c, e in zip(self.counts[level], self.effects[level], strict=True)
            ]
            centre = (box[0] + box[1]) / 2
            upper = conditions.gini(centre) + conditions.gradient(centre) @ (at[0] - centre)
            upper += conditions.remainder(*box)
            for cut, point in zip(self.cuts[level][1:], at[1:], strict=True):
                known = self.tangents.setdefault((level, cut), [])
                bound = max((conditions.gradient(z) @ point for z in self._points(level, cut)), default=0.0)
                true = conditions.gini(np.maximum(point, 0.0))
                if true > upper + 1e-6 and true > bound + 1e-6 and len(known) < 12:
                    known.append(np.maximum(point, 0.0))
                    added = True
        return added

    def _points(self, level: int, cut: Cut) -> list[NDArray[np.float64]]:
        """Points at which tangents of a rival are taken: its counts on T, and those added since."""
        counts = self.counts[level][self.cuts[level].index(cut)]
        return [counts, *self.tangents.get((level, cut), [])]

    # ------------------------------------------------------------ both

    def _program(
        self, signs: tuple[int, ...] = (), boxes: list[Box] | None = None, strict: float = 0.0
    ) -> Program:
        """The conditions of the path: each split best at its level, the label winning at the end."""
        program = Program(self.layout.changes, self.family.fixed, self.family.free, self.family.most)
        for level, step in enumerate(self.path.steps):
            counts, effects = self.counts[level], self.effects[level]
            if step.feature >= 0 and boxes is None:
                conditions.require_best_exactly(program, counts, effects, signs[level], strict)
            elif step.feature >= 0 and boxes is not None:
                conditions.require_someone(program, counts[0], effects[0])
                points = [self._points(level, cut) for cut in self.cuts[level][1:]]
                conditions.require_best_in_box(program, counts, effects, boxes[level], points, strict)
        last = self.path.steps[-1]
        conditions.require_label(program, self.counts[-1][0], self.effects[-1][0], last.side, self.path.label)
        return program

    def _try(self, solution: Solution, confirm: Confirm) -> tuple[bool, bool]:
        """Make a trial of a solution; says whether it was confirmed, and whether new rivals came up."""
        budgets = np.floor(self.family.at(self.family.most) + 1e-9)
        trial = build_trial(self.problem, self.layout, solution.amounts, budgets, self.maker, self.rng)
        if trial is None:
            return False, False
        verdict = judge_trial(self.problem, self.path, trial)
        if verdict.taken and confirm(trial):
            return True, False
        added = [self._add_rival(verdict.level, cut) for cut in verdict.winners]
        grown = any(added)
        if grown:
            self._refresh()
        return False, grown
