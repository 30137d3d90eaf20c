"""Do the splits that changed tables learn survive, level by level? For tables too large to be enumerated.

Small tables have few changes, and a bound that is wrong only where several of them work together, here and
elsewhere, passes there. Here changes make splits best that are behind, on tables of some 60 rows, and the
tree is followed split by split with the scores counted anew: each one must be a candidate in some way, beside
what the splits above ask for, and each label of a leaf must be possible.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from everytree.bias import parse, resolve
from everytree.learner import Settings
from everytree.prove.candidates import claims_of
from everytree.prove.engines import RelationalEngine
from everytree.prove.gains import all_gains, gains_below
from everytree.prove.node import Nodes
from everytree.prove.problem import Problem
from everytree.table import training_table

Step = tuple[int, int, int]
"""Feature, last code on the left, and side."""

LEVEL = 1e-9
"""Scores that differ by less are tied."""


@dataclass
class Draft:
    """A changed table: rows of T by number (added ones are copies), with labels; ``left`` is the budget."""

    rows: np.ndarray
    labels: np.ndarray
    left: dict[str, int]


def scores(right: np.ndarray, labels: np.ndarray, n_labels: int) -> np.ndarray:
    """G of every split; ``right[s, r]`` says that row r goes right. Minus infinity where a side is empty."""
    total = np.zeros(len(right))
    for side in (right, ~right):
        sizes = side.sum(axis=1)
        squares = sum((side & (labels == label)).sum(axis=1) ** 2 for label in range(n_labels))
        total += np.where(sizes > 0, squares / np.maximum(sizes, 1), -np.inf)
    return total


def changes(draft: Draft, inside: np.ndarray, rng: np.random.Generator, n_labels: int) -> list[Draft]:
    """Some tables with one change more, most of them in the rows inside."""
    found = []
    for act in [act for act, left in draft.left.items() if left > 0]:
        for _ in range(12):
            rows, labels = draft.rows, draft.labels.copy()
            at = (
                int(rng.choice(inside))
                if len(inside) and rng.random() < 0.9
                else int(rng.integers(len(rows)))
            )
            left = {**draft.left, act: draft.left[act] - 1}
            if act == "flip":
                labels[at] = rng.integers(n_labels)
            elif act == "fake":
                rows, labels = np.delete(rows, at), np.delete(labels, at)
            else:
                rows, labels = np.append(rows, rows[at]), np.append(labels, rng.integers(n_labels))
            found.append(Draft(rows, labels, left))
    return found


class Follower:
    """One problem, and what its walk says of each node on the way."""

    def __init__(self, seed: int, kinds: tuple[str, ...], n_labels: int, depth: int) -> None:
        self.rng = np.random.default_rng(seed)
        X = self.rng.integers(0, 5, (60, 3)).astype(float)
        noisy = X[:, 0] + self.rng.normal(0, 1.5, 60)
        y = np.digitize(noisy, np.quantile(noisy, np.arange(1, n_labels) / n_labels))
        self.table = training_table(X, y)
        self.amounts = {kind: int(self.rng.integers(2, 6)) for kind in kinds}
        text = " + ".join(f"{kind}({amount})" for kind, amount in self.amounts.items())
        bias = resolve(parse(text), self.table)
        self.problem = Problem.of(self.table, bias, Settings(max_depth=depth))
        self.nodes, self.n_labels = Nodes(self.problem), n_labels
        self.engine = RelationalEngine(claims=True)
        self.followed = self.claimed = 0

    def follow(self) -> str:
        """Change the table and learn a way down; says what is wrong, or nothing."""
        draft = Draft(np.arange(len(self.table.y)), self.table.y.copy(), dict(self.amounts))
        return self._check(self._push(draft))

    def _inside(self, draft: Draft, steps: list[Step]) -> np.ndarray:
        codes = self.problem.columns.codes
        inside = np.ones(len(draft.rows), np.bool_)
        for feature, low, side in steps:
            inside &= (codes[feature, draft.rows] > low) == bool(side)
        return inside

    def _push(self, draft: Draft) -> Draft:
        """Spend the budget level by level on splits that are behind."""
        node, steps = self.nodes.root(), list[Step]()
        for _ in range(self.problem.depth):
            ground = self.nodes.ground(node)
            inner = np.flatnonzero(self._on_table(ground))
            if len(inner) == 0:
                break
            target = int(self.rng.choice(inner))
            for _ in range(int(self.rng.integers(1, 5))):
                options = changes(draft, np.flatnonzero(self._inside(draft, steps)), self.rng, self.n_labels)
                if not options:
                    break
                draft = max(options, key=lambda option: self._lead(option, ground, inner, target, steps))
            side = int(self.rng.integers(2))
            cut = ground.cut(target)
            steps = [*steps, (cut.feature, cut.low, side)]
            node = self.nodes.child(node, cut, side)
            if node.depth == 0 or len(node.rows) < 2:
                break
        return draft

    def _on_table(self, ground: Any) -> np.ndarray:
        """Splits with rows of T on both sides."""
        n_left = ground.splits.left.sum(axis=1)
        inner: np.ndarray = (n_left > 0) & (n_left < ground.splits.total.sum())
        return inner

    def _right(self, draft: Draft, ground: Any, some: np.ndarray) -> np.ndarray:
        splits = ground.splits
        codes = self.problem.columns.codes[:, draft.rows]
        right: np.ndarray = codes[splits.feature[some]] > splits.low[some][:, None]
        return right

    def _lead(self, draft: Draft, ground: Any, inner: np.ndarray, target: int, steps: list) -> float:
        inside = self._inside(draft, steps)
        found = scores(self._right(draft, ground, inner)[:, inside], draft.labels[inside], self.n_labels)
        return float(found[inner == target][0] - found[inner != target].max(initial=0.0))

    def _check(self, draft: Draft) -> str:
        """Learn the tree of a changed table; every split must be among the candidates."""
        ways = [(self.nodes.root(), [], all_gains(self.problem))]
        while ways:
            node, steps, most = ways.pop()
            inside = self._inside(draft, steps)
            counts = np.bincount(draft.labels[inside], minlength=self.n_labels)
            if counts.sum() == counts.max() or len(node.rows) == 0:
                continue  # a pure node is a leaf
            ground = self.nodes.ground(node)
            inner = np.flatnonzero(self._on_table(ground))
            right = self._right(draft, ground, inner)[:, inside]
            there = right.any(axis=1) & (~right).any(axis=1)
            inner, right = inner[there], right[there]
            if len(inner) == 0:
                continue
            found = scores(right, draft.labels[inside], self.n_labels)
            ranking = self.engine.rank(ground)
            leaves = node.depth == 1
            candidates = self.engine.candidates(ranking, leaves)
            gains = gains_below(ranking, candidates, most, closely=True)
            self.claimed += len(ground.claims.base) > 0
            best = found.max()
            for k in np.flatnonzero(found >= best - LEVEL).tolist():
                self.followed += 1
                wrong = self._follow_split(draft, ground, candidates, gains, int(inner[k]), inside)
                if isinstance(wrong, str):
                    return f"{wrong} after {steps}, changes left {draft.left}"
                if not leaves:
                    for c, side in wrong:
                        claims = claims_of(ranking, candidates, c, side, self.problem)
                        cut = ground.cut(int(inner[k]))
                        child = self.nodes.child(node, cut, side, claims)
                        step = (cut.feature, cut.low, side)
                        ways.append((child, [*steps, step], gains[c, side]))
        return ""

    def _follow_split(
        self, draft: Draft, ground: Any, candidates: Any, gains: Any, s: int, inside: np.ndarray
    ) -> Any:
        """Candidates, with sides, by which the tree goes on; a text if the split or a label is missing."""
        entries = np.flatnonzero(candidates.chosen == s)
        if len(entries) == 0:
            return f"split {s} was dropped"
        right = self._right(draft, ground, np.array([s]))[0]
        sizes = [int((inside & (right == bool(side))).sum()) for side in (0, 1)]
        if len(np.unique(candidates.way)) > 1 and self.n_labels == 2:
            shares = [
                (draft.labels[inside & (right == bool(side))] == 1).mean() if sizes[side] else 0.0
                for side in (0, 1)
            ]
            way = 0 if shares[0] >= shares[1] else 1
            mine = entries[candidates.way[entries] == way]
            if len(mine) == 0 and abs(shares[0] - shares[1]) > LEVEL:
                return f"way {way} of split {s} was dropped"
            entries = mine if len(mine) else entries
        for side in (0, 1) if candidates.possible.any() else ():
            counts = np.bincount(draft.labels[inside & (right == bool(side))], minlength=self.n_labels)
            label = int(np.argmax(counts))
            if counts.sum() and not candidates.possible[entries, side, label].any():
                return f"label {label} of side {side} of split {s} was ruled out"
            was = np.bincount(ground.types.label, ground.counts(s, side), self.n_labels)
            gained = (counts - was)[None, :] - (counts - was)[:, None]
            if (gained > gains[entries, side].max(axis=0) + np.eye(self.n_labels)).any():
                return f"on side {side} of split {s} labels gain {gained.tolist()}"
        return [(int(c), side) for c in entries for side in (0, 1)]
