"""Attacks: change what lies around a person, learn anew, see whether the prediction falls.

The first worker of a decision, and the one that tests attack every proof with. It knows no mathematics of
proofs. Only the person's way through the tree is learned (`follow.py`); `judge.py` then retrains, checks that
the table is one of B(T), and reads the new tree for everybody.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from everytree.refute import moves
from everytree.refute.arena import Arena, Arenas
from everytree.refute.change import Change
from everytree.refute.copies import add_copies
from everytree.refute.corners import turn_corner
from everytree.refute.follow import follow, new_way
from everytree.refute.judge import sorting_steps
from everytree.refute.moves import Goal
from everytree.refute.probes import probe, shrink
from everytree.refute.trial import Trial
from everytree.refute.under_way import DEAR, UnderWay

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from everytree.prove.problem import Problem
    from everytree.refute.judge import Judge

LEAF, RIVAL, NEAR, PROBE, CORNER, CORNERED = 0, 1, 2, 3, 4, 5
"""Openings: none, a rival split, what is near in some columns, one change somewhere, a corner, and a corner
after a rival split."""

WAVES = (
    ((LEAF, 2), (RIVAL, 2)),
    ((CORNER, 3),),
    ((NEAR, 2), (RIVAL, 4), (CORNERED, 8), (PROBE, 4)),
    *(
        (
            (CORNER, 8 * 2**k),
            (NEAR, 4 * 2**k),
            (RIVAL, 8 * 2**k),
            (CORNERED, 32 * 2**k),
            (PROBE, 16 * 4**k),
        )
        for k in range(6)
    ),
)
"""Openings and how often each is tried on every person, wave after wave."""

CORNERS = 3
"""Corners of each column's end that are tried after a rival split."""

LEANINGS = (0.0, 0.3, 2.0)
"""How much it counts that a rival split sends the person where the wanted label is."""

MOST_CELLS = 50_000_000
"""Tables with more rows times columns are not attacked: one training takes seconds there."""

FEWEST_ROWS = 256
"""Rows around a person that the first wave looks at; each later one at twice as many."""

SHARE_OF_COLUMNS = 0.3
"""Part of the columns in which rows are near, drawn for each attack."""

LONGEST_WAY = 128
"""Splits of one person's way that are followed."""

RIVALS, FEW_CHANGES = 2, 3
"""Other splits that are tried in a node to which many people come, and the changes that may be spent on one:
with more there are smaller witnesses."""

FEWEST_PEOPLE, FRUITFUL, COUNTED = 4, 4.0, 8
"""How many people such a node has; how many are thought to fall with each tree to begin with; and the number
of trees over which that is counted."""

STEP_SECONDS, ADDED_SECONDS = 3e-9, 0.015
"""About what a step of sorting one cell of the table costs while one way is learned, and what it costs to add
rows to it."""


@dataclass(eq=False)
class Attack:
    """Attacks all open people, wave after wave; `run` does one small part at a time."""

    problem: Problem
    judge: Judge
    most_rows: int = 10_000
    seed: int = 0

    def __post_init__(self) -> None:
        X = self.problem.table.X
        self.way = new_way(self.problem.bias.n_labels, LONGEST_WAY)
        self.means = _means(X) if len(self.problem.views.doubled) else None
        X = _filled(X, self.means)
        spread = X.std(axis=0, dtype=np.float64)  # float32 would overflow where the largest values are
        self.scale = np.where(spread > 0, 1 / np.maximum(spread, 1e-12), 0.0)
        self.cell_seconds = STEP_SECONDS * sorting_steps(self.problem) / X.shape[1]
        self.least_rows = FEWEST_ROWS
        self.under_way = UnderWay(self.judge)

    @staticmethod
    def is_possible(problem: Problem) -> bool:
        """Whether there is anything to change, and the table is not too large."""
        return sum(problem.bias.budgets) > 0 and problem.columns.codes.size <= MOST_CELLS

    def run(self) -> Iterator[float]:
        """Attack person after person; gives the approximate seconds of each part.

        Everything is drawn from a seed of the wave and the person, so that the same question has the same
        answer, whoever else was decided in between.
        """
        if self.problem.bias.additions:
            yield from add_copies(self.problem, self.judge, self.most_rows, self._training_seconds)
        self.arenas = Arenas(self.problem, self.judge.new_tree(), self.judge.X)
        yield from self._turn_splits()
        if self.judge.training_seconds > DEAR:
            yield from self._turn_leaves()
        for wave, openings in enumerate(WAVES):
            self.least_rows = FEWEST_ROWS * 2**wave
            for p in np.flatnonzero(self.judge.open):
                for opening, times in openings:
                    if self.judge.open[p]:
                        before = self.judge.retrained
                        ways = self._attack(int(p), wave, opening, times)
                        trainings = self.judge.retrained - before
                        cost = self.cell_seconds * self._arena(int(p)).columns.codes.size
                        yield cost * ways + self._training_seconds * trainings

    @property
    def _training_seconds(self) -> float:
        """About what a retraining costs; added rows are put into the user's table and looked at there."""
        return self.judge.training_seconds + (ADDED_SECONDS if self.problem.bias.additions else 0.0)

    def _learning_seconds(self, trees: int) -> float:
        """About what so many trees cost that are learned beside the search."""
        return self._training_seconds * trees / self.under_way.at_once

    def _turn_splits(self) -> Iterator[float]:
        """Give nodes to which many people come another split, while more fall than trees are learned.

        Everything below such a node is learned anew, and read for everybody.
        """
        yielded = FRUITFUL
        for node in self.arenas.busiest():
            here = self.arenas.people_of(node)
            here = here[self.judge.open[here]]
            if len(here) < FEWEST_PEOPLE:
                continue
            arena = self.arenas.of_node(node)
            retrained, still_open = self.judge.retrained, int(self.judge.open.sum())
            for trial in self._rival_splits(arena, int(here[0])):
                self.under_way.put(trial, here)
            trees, fallen = self.judge.retrained - retrained, still_open - int(self.judge.open.sum())
            if trees:
                yielded += (fallen / trees - yielded) / COUNTED
            yield RIVALS * self.cell_seconds * arena.columns.codes.size + self._learning_seconds(trees)
            if yielded < 1:
                break
        self.under_way.settle()

    def _rival_splits(self, arena: Arena, p: int) -> Iterator[Trial]:
        """Tables that give the node of an arena another split, of one column after the other."""
        goal = self._goal(p, int(self.judge.predictions[p]), arena)
        for rank in range(RIVALS):
            moves.reset(arena.table, arena.rules, arena.left)
            args = arena.columns, arena.table, arena.rules, arena.left, goal, self.way
            if moves.help_rival(*args, 0, (np.sqrt((rank + 0.5) / len(arena.columns.codes)), 0.0)):
                trial = self._trial(arena)
                if trial.change.size <= FEW_CHANGES:
                    yield trial

    def _turn_leaves(self) -> Iterator[float]:
        """Turn leaf after leaf, those of many people first."""
        for p in self.arenas.in_company().tolist():
            if not self.judge.open[p]:
                continue
            rng = np.random.default_rng([self.seed, p])
            arena = self._arena(p)
            goal = self._goal(p, self._targets(p, rng, 1)[0], arena)
            before = self.judge.retrained
            if self._open(arena, LEAF, goal, rng, at_once=False):
                shrink(arena.columns, arena.table, arena.rules, goal, self.way)
                self.under_way.put(self._trial(arena), np.array([p], np.int32))
            trees = self.judge.retrained - before
            yield 4 * self.cell_seconds * arena.columns.codes.size + self._learning_seconds(trees)
        self.under_way.settle()

    def _attack(self, p: int, wave: int, opening: int, times: int) -> int:
        """Try one opening so many times on one person; gives the number of ways learned, about."""
        rng = np.random.default_rng([self.seed, wave, opening, p])
        ways, arena = 0, self._arena(p)
        for target in self._targets(p, rng, 1 + (wave > 0)):
            goal = self._goal(p, target, arena)
            if opening == PROBE:
                begin = times // 4 if wave > 2 else 0
                tried, found = probe(
                    arena.columns, arena.table, arena.rules, arena.left, goal, self.way, (begin, times)
                )
                ways += int(tried)
                if found and self._confirm(goal, p):
                    return ways
                continue
            if opening in (CORNER, CORNERED):
                for _ in range(1 if opening == CORNER else times):
                    tried, found = self._corner(arena, goal, rng if opening == CORNERED else None, times)
                    ways += tried
                    if found and self._confirm(goal, p):
                        return ways
                continue
            for t in range(times):
                ways += 4
                if self._open(arena, opening, goal, rng, at_once=t % 2 == 1) and self._confirm(goal, p):
                    return ways
        return ways

    def _corner(
        self, arena: Arena, goal: Goal, rng: np.random.Generator | None, times: int
    ) -> tuple[int, bool]:
        """Turn a corner, with `rng` after helping a rival split; gives the ways learned and the outcome."""
        args = arena.columns, arena.table, arena.rules, arena.left, goal, self.way
        moves.reset(arena.table, arena.rules, arena.left)
        if rng is None:
            ways, found = turn_corner(*args, times)
            return int(ways), bool(found)
        steps, _ = follow(arena.columns, arena.table, goal.x, goal.depth, self.way)
        level, drawn = int(rng.integers(max(1, steps))), (rng.random(), float(rng.choice(LEANINGS)))
        if not moves.help_rival(*args, level, drawn):
            return 3, False
        ways, found = turn_corner(*args, CORNERS)
        return int(ways) + 3, bool(found)

    def _open(
        self, arena: Arena, opening: int, goal: Goal, rng: np.random.Generator, *, at_once: bool
    ) -> bool:
        """Open in one way, then turn the leaf; says whether that seems to do it."""
        columns, table, rules, left, way = arena.columns, arena.table, arena.rules, arena.left, self.way
        moves.reset(table, rules, left)
        if opening == RIVAL:
            steps, _ = follow(columns, table, goal.x, goal.depth, way)
            level, drawn = int(rng.integers(max(1, steps))), (rng.random(), float(rng.choice(LEANINGS)))
            moves.help_rival(columns, table, rules, left, goal, way, level, drawn)
        elif opening == NEAR:
            among = rng.random(len(self.scale)) < SHARE_OF_COLUMNS
            among[rng.integers(len(among))] = True
            goal = goal._replace(order=self._nearest(arena, goal.x, self.scale * among))
            moves.change_near(table, rules, left, goal, 1 + int(rng.integers(max(1, left.max()))))
        return bool(moves.turn_leaf(columns, table, rules, left, goal, way, at_once))

    def _targets(self, p: int, rng: np.random.Generator, how_many: int) -> list[int]:
        """Labels to turn a person to: the runner-up of the leaf, then others at random."""
        arena = self._arena(p)
        moves.reset(arena.table, arena.rules, arena.left)
        x = self.judge.shown[p]
        steps, _ = follow(arena.columns, arena.table, x, arena.depth, self.way)
        expected = int(self.judge.predictions[p])
        counts = self.way.counts.astype(float)  # weights are left to chance
        if steps > 0 and counts.sum() == counts.max():
            follow(arena.columns, arena.table, x, steps - 1, self.way)
            counts = self.way.counts.astype(float)
        counts += rng.random(len(counts)) * 0.5
        counts[expected] = -1.0
        ranked = [int(j) for j in np.argsort(-counts) if j != expected]
        others = ranked[1:]
        if others:
            others = [others[int(rng.integers(len(others)))]]
        return (ranked[:1] + others)[:how_many]

    def _arena(self, p: int) -> Arena:
        """Where somebody is attacked."""
        return self.arenas.of_person(p, self.least_rows)

    def _goal(self, p: int, target: int, arena: Arena) -> Goal:
        x = self.judge.shown[p]
        order = self._nearest(arena, x, self.scale)
        return Goal(x, int(self.judge.predictions[p]), target, order, arena.depth)

    def _nearest(self, arena: Arena, x: NDArray[np.float32], scale: NDArray[np.float64]) -> NDArray[np.int64]:
        """Rows of an arena, the nearest first; what is missing counts as the mean."""
        x = _filled(np.where(np.isinf(x), np.nan, x)[: len(scale)], self.means).astype(np.float64)
        return np.argsort((((_filled(arena.X, self.means) - x) * scale) ** 2).sum(axis=1), kind="stable")

    def _confirm(self, goal: Goal, p: int) -> bool:
        """Retrain on the drafted table; if the person falls, also on a smaller one that may do."""
        arena = self._arena(p)
        trial = self._trial(arena)
        if not self.judge.consider(trial, np.array([p], np.int32)):
            return False
        if trial.change.size > 1:
            shrink(arena.columns, arena.table, arena.rules, goal, self.way)
            smaller = self._trial(arena)
            if smaller.change.size < trial.change.size:
                self.judge.consider(smaller, np.array([p], np.int32))
        return True

    def _trial(self, arena: Arena) -> Trial:
        """Name the changes of the drafted table."""
        label, y, n_rows = arena.table.label, arena.rules.y, len(arena.rules.y)
        changed = np.flatnonzero(label[:n_rows] != y)
        flipped = {int(arena.rows[r]): int(label[r]) for r in changed if label[r] >= 0}
        removed = tuple(int(arena.rows[r]) for r in changed if label[r] < 0)
        new = n_rows + np.flatnonzero(label[n_rows:] >= 0)
        copied = arena.table.copied[new]
        frame = self.problem.table.frame
        originals = tuple(tuple(frame.iloc[int(arena.rows[r])]) for r in copied) if len(new) else ()
        features = arena.X[copied] if len(new) else np.empty((0, arena.X.shape[1]), np.float32)
        pools = tuple((np.array([r], np.int64), 1) for r in (*sorted(flipped), *removed))
        change = Change(flipped, removed, originals, tuple(int(j) for j in label[new]))
        return Trial(change, features, pools)


def _means(X: NDArray[np.float32]) -> NDArray[np.float32]:
    """Mean of the values that each feature has; 0 where all are missing."""
    known = ~np.isnan(X)
    sums = np.where(known, X, 0).sum(axis=0, dtype=np.float64)
    return np.asarray(sums / np.maximum(known.sum(axis=0), 1), np.float32)


def _filled(X: NDArray[np.float32], means: NDArray[np.float32] | None) -> NDArray[np.float32]:
    """Put means in the place of what is missing; None if nothing is."""
    return X if means is None else np.where(np.isnan(X), means, X)


__all__ = ["CORNER", "LEAF", "NEAR", "PROBE", "RIVAL", "WAVES", "Attack"]
