"""An attack on certified predictions of real tables: change the training table, retrain, look who moved.

It knows nothing of how a proof is found. Of a bias model it takes only plain permissions (budgets, which
rows may be flipped to what, which removed, which labels added); of the learner only that it scores splits
and that leaves follow the majority. Every table that it makes is recounted against the permissions before
anybody is judged by it.

* *Random* attacks use the whole budget at once, spread over the table or concentrated in one place.
* *Greedy* attacks pursue one person: step by step they change the records that do most to turn the label of
  the person's leaf, or to help another split past the one the tree took on the person's way.

One retraining tests all people, whoever the attack was aimed at.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from sklearn.tree import DecisionTreeClassifier

FULL_RANDOM, FULL_GREEDY = 2000, 200  # attacks per setting in the full campaign
NUMBER_VARIABLE = "EVERYTREE_ATTACKS"  # random attacks per setting in the tests; a tenth as many greedy ones
FLIP, REMOVE, ADD = "flip", "remove", "add"


def number_of_attacks(default: int = 200) -> tuple[int, int]:
    """How many random and greedy attacks the environment asks for."""
    random = int(os.environ.get(NUMBER_VARIABLE, default))
    return random, max(1, random * FULL_GREEDY // FULL_RANDOM)


class OutsideError(AssertionError):
    """A table that the bias model does not allow: a fault in the attack."""


# ---------------------------------------------------------------- what is attacked


@dataclass(frozen=True, eq=False)
class Setting:
    """A training table, people, a depth, permissions, and who is said to be certified as what.

    ``y`` and ``expected`` are label codes. ``groups`` are sets of features that come from one column, so
    that an added row never mixes two categories; ``boolean`` features are 0 or 1, ``free`` ones any number.
    """

    name: str
    X: np.ndarray
    y: np.ndarray
    people: np.ndarray
    depth: int
    bias: Any
    groups: tuple[tuple[int, ...], ...]
    boolean: np.ndarray
    free: np.ndarray
    expected: np.ndarray
    certified: np.ndarray

    def train(self, X: np.ndarray, y: np.ndarray, seed: int) -> DecisionTreeClassifier:
        return DecisionTreeClassifier(max_depth=self.depth, random_state=seed).fit(X, y, check_input=False)

    @cached_property
    def tree(self) -> DecisionTreeClassifier:
        """The tree of the unchanged table."""
        return self.train(self.X, self.y, 0)

    @cached_property
    def regions(self) -> list[np.ndarray]:
        """The training rows of each leaf of trees of several depths."""
        found = []
        for depth in (1, 2, 3, 5):
            tree = DecisionTreeClassifier(max_depth=depth, random_state=0)
            leaf = tree.fit(self.X, self.y, check_input=False).apply(self.X, check_input=False)
            found += [leaf == number for number in np.unique(leaf)]
        return found

    def distinct(self, people: np.ndarray) -> np.ndarray:
        """Those of the people who differ in their features, one of each kind."""
        return people[np.unique(self.people[people], axis=0, return_index=True)[1]]


def certified_setting(dataset: Any, depth: int, bias: str, engine: str = "relational") -> Setting:
    """Ask the library for its verdicts and set up the attack on them."""
    from everytree import certify
    from everytree.bias import resolve
    from everytree.learner import prepare

    tree = DecisionTreeClassifier(max_depth=depth, random_state=0)
    tables = (dataset.X_train, dataset.y_train, dataset.X_test)
    result = certify(tree, *tables, bias, engine=engine)
    prepared = prepare(tree, *tables)
    train = prepared.train
    resolved = resolve(bias, train)
    if resolved.additions_depend_on_region:
        raise ValueError("The attack does not know where rows may be added; use a miss without columns.")
    columns = [column for column in train.columns if column.features]
    free = [c.features[0] for c in columns if c.encoding == "identity" and c.kind == "numeric"]
    return Setting(
        name=f"{dataset.name} depth {depth} {bias}",
        X=np.ascontiguousarray(train.X),
        y=train.y,
        people=np.ascontiguousarray(prepared.test.X),
        depth=depth,
        bias=resolved,
        groups=tuple(column.features for column in columns),
        boolean=train.is_boolean,
        free=np.array(free, dtype=int),
        expected=np.searchsorted(train.labels, result.predictions),
        certified=result.verdicts == "robust",
    )


# ---------------------------------------------------------------- a table of B(T)


class BiasedTable:
    """A changed training table: the original rows, then room for added ones.

    ``present`` says which rows are there, ``arrived`` which label each had when it came, ``labels`` which it
    has now. A row's label changes at most once, and a changed row stays.
    """

    def __init__(self, setting: Setting):
        self.setting = setting
        room = setting.bias.additions
        blank = np.zeros((room, setting.X.shape[1]), np.float32)
        self.X = np.concatenate([setting.X, blank]) if room else setting.X
        self.arrived = np.concatenate([setting.y, np.zeros(room, setting.y.dtype)])
        self.labels = self.arrived.copy()
        self.present = np.arange(len(self.X)) < len(setting.y)
        self.n_added = 0

    def left(self, kind: str) -> int:
        """Changes of one kind that the budget still allows."""
        bias, n = self.setting.bias, len(self.setting.y)
        if kind == FLIP:
            return bias.flips - int((self.labels != self.arrived).sum())
        if kind == REMOVE:
            return bias.removals - int((~self.present[:n]).sum())
        return bias.additions - self.n_added

    def flippable(self, to: int) -> np.ndarray:
        """Rows that may still be given this label."""
        bias, n = self.setting.bias, len(self.setting.y)
        allowed = np.full(len(self.X), bias.added_flips_to[to])
        allowed[:n] = bias.flips_to[:, to]
        return allowed & self.present & (self.labels == self.arrived) & (self.labels != to)

    def removable(self) -> np.ndarray:
        """Rows that may still be removed."""
        n = len(self.setting.y)
        allowed = np.zeros(len(self.X), bool)
        allowed[:n] = self.setting.bias.removable & self.present[:n]
        return allowed & (self.labels == self.arrived)

    def flip(self, rows: np.ndarray, to: int | np.ndarray) -> None:
        self.labels[rows] = to

    def remove(self, rows: np.ndarray) -> None:
        self.present[rows] = False

    def add(self, X: np.ndarray, labels: np.ndarray | int) -> np.ndarray:
        """Append rows; gives their positions."""
        start = len(self.setting.y) + self.n_added
        rows = np.arange(start, start + len(X))
        self.X[rows], self.arrived[rows], self.present[rows] = X, labels, True
        self.labels[rows] = self.arrived[rows]
        self.n_added += len(X)
        return rows

    def rows(self) -> tuple[np.ndarray, np.ndarray]:
        """The table as the learner gets it."""
        if self.present.all():
            return self.X, self.labels
        return self.X[self.present], self.labels[self.present]

    def verify(self) -> None:
        """Recount everything from the arrays; raise OutsideError unless the table is one of B(T)."""
        setting, bias, n = self.setting, self.setting.bias, len(self.setting.y)
        changed = self.labels != self.arrived
        old, new = np.flatnonzero(changed[:n]), n + np.flatnonzero(changed[n:] & self.present[n:])
        removed = np.flatnonzero(~self.present[:n])
        added = n + np.flatnonzero(self.present[n:])
        values = self.X[added]
        one_hot = [list(group) for group in setting.groups if len(group) > 1]
        rules = {
            "original features are untouched": np.array_equal(self.X[:n], setting.X),
            "original labels are remembered": np.array_equal(self.arrived[:n], setting.y),
            "at most so many flips": len(old) + len(new) <= bias.flips,
            "at most so many removals": len(removed) <= bias.removals,
            "at most so many additions": len(added) <= bias.additions,
            "flips are allowed": bias.flips_to[old, self.labels[old]].all(),
            "flips of added rows are allowed": bias.added_flips_to[self.labels[new]].all(),
            "removals are allowed": bias.removable[removed].all(),
            "added labels are allowed": bias.addable[self.arrived[added]].all(),
            "added numbers are finite": np.isfinite(values).all(),
            "boolean features are 0 or 1": np.isin(values[:, setting.boolean], (0, 1)).all(),
            "one category at a time": all((values[:, group].sum(axis=1) <= 1).all() for group in one_hot),
            "a row remains": self.present.any(),
        }
        broken = [rule for rule, holds in rules.items() if not holds]
        if broken:
            raise OutsideError(f"{setting.name}: not a table of B(T): {broken}")

    def __str__(self) -> str:
        n = len(self.setting.y)
        flipped = {int(r): int(self.labels[r]) for r in np.flatnonzero(self.labels != self.arrived)}
        removed = np.flatnonzero(~self.present[:n]).tolist()
        added = [(self.X[r].tolist(), int(self.arrived[r])) for r in n + np.flatnonzero(self.present[n:])]
        return f"flipped {flipped}, removed {removed}, added {added}"


# ---------------------------------------------------------------- random attacks


def random_table(setting: Setting, rng: np.random.Generator) -> BiasedTable:
    """A table of B(T) that uses the whole budget, in one place or everywhere, often towards one label."""
    table = BiasedTable(setting)
    place = _random_place(setting, rng)
    towards = int(rng.integers(setting.bias.n_labels)) if rng.random() < 0.75 else None
    _add_at_random(table, place, towards, rng)
    _flip_at_random(table, place, towards, rng)
    _remove_at_random(table, place, towards, rng)
    return table


def _random_place(setting: Setting, rng: np.random.Generator) -> np.ndarray:
    """Rows to concentrate on: all, one leaf of a tree, one label, one value of a column, near a person."""
    n = len(setting.y)
    kind = rng.choice(["everywhere", "leaf", "leaf", "label", "value", "person"])
    if kind == "leaf":
        return setting.regions[rng.integers(len(setting.regions))]
    if kind == "label":
        return setting.y == rng.integers(setting.bias.n_labels)
    column = int(rng.integers(setting.X.shape[1]))
    if kind == "value":
        distance = np.abs(setting.X[:, column] - setting.X[rng.integers(n), column])
        wanted = max(setting.bias.flips, setting.bias.removals, setting.bias.additions, 1)
        return distance <= np.partition(distance, min(wanted, n - 1))[min(wanted, n - 1)]
    if kind == "person":
        leaf = setting.tree.apply(setting.people[rng.integers(len(setting.people))][None], check_input=False)
        return setting.tree.apply(setting.X, check_input=False) == leaf
    return np.ones(n, bool)


def _pick(
    rng: np.random.Generator,
    allowed: np.ndarray,
    place: np.ndarray,
    count: int,
    first: np.ndarray | None = None,
) -> np.ndarray:
    """So many of the allowed rows at random: of the place first, and there those of `first` before others."""
    rows = rng.permutation(np.flatnonzero(allowed))
    inside = np.concatenate([place, np.zeros(len(allowed) - len(place), bool)])
    rank = np.zeros(len(rows)) if first is None else (~first[rows]).astype(float)
    return rows[np.argsort(2 * ~inside[rows] + rank, kind="stable")][:count]


def _flip_at_random(
    table: BiasedTable, place: np.ndarray, towards: int | None, rng: np.random.Generator
) -> None:
    """Flip towards one label as long as rows allow it, and what is left to any label."""
    labels = [towards] if towards is not None else []
    for chosen in (labels, range(table.setting.bias.n_labels)):
        if not chosen or table.left(FLIP) <= 0:
            continue
        allowed = np.stack([table.flippable(to) for to in chosen], axis=1)
        rows = _pick(rng, allowed.any(axis=1), place, table.left(FLIP))
        choice = np.argmax(allowed[rows] * rng.random((len(rows), len(chosen))), axis=1)
        table.flip(rows, np.array(chosen)[choice])


def _remove_at_random(
    table: BiasedTable, place: np.ndarray, towards: int | None, rng: np.random.Generator
) -> None:
    count = table.left(REMOVE)
    if count > 0:
        others = None if towards is None else table.labels != towards
        table.remove(_pick(rng, table.removable(), place, count, others))


def _add_at_random(
    table: BiasedTable, place: np.ndarray, towards: int | None, rng: np.random.Generator
) -> None:
    setting, count = table.setting, table.left(ADD)
    labels = np.flatnonzero(setting.bias.addable)
    if count <= 0 or len(labels) == 0:
        return
    chosen = np.full(count, towards) if towards in labels else rng.choice(labels, count)
    table.add(_rows_to_add(setting, place, count, rng), chosen)


def _rows_to_add(setting: Setting, place: np.ndarray, count: int, rng: np.random.Generator) -> np.ndarray:
    """Copies of rows of the place, of one row, of people; rows with mixed columns; rows in gaps or beyond."""
    kind = rng.choice(["rows", "one row", "people", "mixed", "elsewhere"])
    source = np.flatnonzero(place)
    if kind == "people":
        people = rng.integers(len(setting.people), size=count if rng.random() < 0.5 else 1)
        return setting.people[np.resize(people, count)]
    if kind == "one row":
        return setting.X[np.full(count, rng.choice(source))]
    rows = setting.X[rng.choice(source, count)].copy()
    if kind == "mixed":
        for group in setting.groups:
            donors = rng.integers(len(setting.X), size=count if rng.random() < 0.5 else 1)
            rows[:, list(group)] = setting.X[np.resize(donors, count)][:, list(group)]
    if kind == "elsewhere" and len(setting.free):
        column = int(rng.choice(setting.free))
        rows[:, column] = _new_value(setting.X[:, column], rng)
    return rows


def _new_value(values: np.ndarray, rng: np.random.Generator) -> float:
    """A number beyond either end of a column, or inside one of its gaps."""
    known = np.unique(values).astype(float)
    inside = [known[0] - 1]
    if len(known) > 1:
        gap = int(rng.integers(len(known) - 1))
        inside = [known[gap] + share * (known[gap + 1] - known[gap]) for share in (0.1, 0.5, 0.9)]
    return float(rng.choice([known[0] - 1, known[-1] + 1, rng.choice(inside)]))


# ---------------------------------------------------------------- greedy attacks


@dataclass(frozen=True, eq=False)
class Node:
    """A node on a person's way through a tree: its rows, and the split it takes (None for the leaf)."""

    rows: np.ndarray
    split: tuple[int, np.float64] | None


def way(tree: Any, table: BiasedTable, person: np.ndarray) -> list[Node]:
    """The nodes from the root to the person's leaf, with the rows of the table that reach them."""
    inner, number, rows, nodes = tree.tree_, 0, np.flatnonzero(table.present), []
    while inner.children_left[number] >= 0:
        feature, threshold = int(inner.feature[number]), inner.threshold[number]
        nodes.append(Node(rows, (feature, threshold)))
        goes_left = person[feature] <= threshold
        rows = rows[(table.X[rows, feature] <= threshold) == goes_left]
        number = inner.children_left[number] if goes_left else inner.children_right[number]
    return [*nodes, Node(rows, None)]


def pursue(
    setting: Setting,
    person: int,
    target: int,
    rng: np.random.Generator,
    look: Callable[[BiasedTable], DecisionTreeClassifier],
) -> BiasedTable:
    """One greedy attack on one person, in a few rounds; `look` retrains after each, and gives the tree.

    Some attacks only work on the leaf. The others first help one rival split at one level of the person's
    way, until the learner takes it, and then turn to the leaf where the person has come to.
    """
    table, tree, x = BiasedTable(setting), setting.tree, setting.people[person]
    rounds = int(rng.integers(1, 5))
    nodes = way(tree, table, x)
    level, rival = 0, None
    if len(nodes) > 1 and rng.random() < 0.7:
        level = int(rng.integers(len(nodes) - 1))
        rival = _rival_split(table, nodes[level], x, target, rng)
    for left in range(rounds, 0, -1):
        share = {kind: -(-table.left(kind) // left) for kind in (ADD, FLIP, REMOVE)}
        nodes = way(tree, table, x)
        node = nodes[min(level, len(nodes) - 1)]
        if rival is None or node.split is None or not _push_split(table, node, rival, x, share, rng):
            _turn_leaf(table, nodes[-1], x, target, share, rng)
        tree = look(table)
    return table


def _turn_leaf(
    table: BiasedTable, leaf: Node, x: np.ndarray, target: int, share: dict, rng: np.random.Generator
) -> None:
    """Make the target label more frequent in a leaf, and its strongest rival less."""
    in_leaf = np.zeros(len(table.X), bool)
    in_leaf[leaf.rows] = True
    counts = np.bincount(table.labels[leaf.rows], minlength=table.setting.bias.n_labels)
    counts[target] = -1
    rival = table.labels == int(np.argmax(counts))
    addable = np.flatnonzero(table.setting.bias.addable)
    if share[ADD] > 0 and len(addable):
        label = target if target in addable else int(rng.choice(addable))
        in_leaf[table.add(np.tile(x, (share[ADD], 1)), label)] = True
    rows = rng.permutation(np.flatnonzero(in_leaf & table.flippable(target)))
    rows = rows[np.argsort(~rival[rows], kind="stable")][: max(0, share[FLIP])]
    table.flip(rows, target)
    table.remove(
        rng.permutation(np.flatnonzero(in_leaf & rival & table.removable()))[: max(0, share[REMOVE])]
    )


def _push_split(
    table: BiasedTable,
    node: Node,
    rival: tuple[int, np.float64],
    x: np.ndarray,
    share: dict,
    rng: np.random.Generator,
) -> bool:
    """Help a rival past the split of the node, by exact scores, in small steps; False if nothing helps."""
    duel, helped = _Duel(table, node, rival, x), False
    while duel.lead(duel.counts) <= 1e-9 * len(node.rows):
        kinds = [kind for kind in (ADD, FLIP, REMOVE) if share[kind] > 0]
        step = {kind: max(1, share[kind] // 3) for kind in kinds}
        best = max(duel.moves(step), key=lambda move: move.gain, default=None)
        if best is None or best.gain <= 0:
            break
        share[best.kind] -= duel.play(best, rng)
        helped = True
    return helped


def _rival_split(
    table: BiasedTable, node: Node, x: np.ndarray, target: int, rng: np.random.Generator
) -> tuple[int, np.float64] | None:
    """The best other split of the node on some column, mostly one that gives the person the target."""
    values, labels = table.X[node.rows], table.labels[node.rows]
    columns = np.flatnonzero(values.min(axis=0) < values.max(axis=0)) if len(values) else []
    if len(columns) == 0:
        return None
    column = node.split[0] if node.split is not None and rng.random() < 0.3 else int(rng.choice(columns))
    thresholds, left = cuts(values[:, column], labels, table.setting.bias.n_labels)
    right = np.bincount(labels, minlength=left.shape[1]) - left
    score = (left**2).sum(axis=1) / left.sum(axis=1) + (right**2).sum(axis=1) / right.sum(axis=1)
    if node.split is not None and column == node.split[0]:
        goes_left = values[:, column] <= node.split[1]
        score[left.sum(axis=1) == goes_left.sum()] = -1
    if rng.random() < 0.75:
        mine = np.where((x[column] <= thresholds)[:, None], left, right)
        favours = mine.argmax(axis=1) == target
        score = np.where(favours, score, -1) if (favours & (score > 0)).any() else score
    best = int(np.argmax(score))
    return (column, thresholds[best]) if score[best] > 0 else None


def cuts(values: np.ndarray, labels: np.ndarray, n_labels: int) -> tuple[np.ndarray, np.ndarray]:
    """All thresholds of one column, with the label counts left of each."""
    order = np.argsort(values, kind="stable")
    ordered = values[order].astype(float)
    running = np.cumsum(np.eye(n_labels)[labels[order]], axis=0)
    ends = np.flatnonzero(ordered[1:] > ordered[:-1])
    return (ordered[ends] + ordered[ends + 1]) / 2, running[ends]


@dataclass(frozen=True)
class Move:
    """Some changes of one kind in one cell: rows of label `source` become `to`, leave, or arrive."""

    gain: float
    kind: str
    cell: int
    source: int
    to: int
    count: int


class _Duel:
    """Two splits of one node. Cell 2 a + b holds the rows with side a of the rival and side b of the holder.

    Sides are 1 for left. ``counts[cell, label]`` follows the changes that are played.
    """

    def __init__(self, table: BiasedTable, node: Node, rival: tuple[int, np.float64], x: np.ndarray):
        self.table, self.rows, self.splits, self.x = table, node.rows, (rival, node.split), x
        self.cell = self._cell_of(table.X[self.rows])
        n_labels = table.setting.bias.n_labels
        flat = np.bincount(self.cell * n_labels + table.labels[self.rows], minlength=4 * n_labels)
        self.counts = flat.reshape(4, n_labels).astype(float)

    def _cell_of(self, X: np.ndarray) -> np.ndarray:
        (first, at), (second, other) = self.splits
        return 2 * (X[:, first] <= at).astype(int) + (X[:, second] <= other)

    @staticmethod
    def lead(counts: np.ndarray) -> float:
        """Score of the rival minus score of the holder."""
        total = 0.0
        for sign, sides in ((1, ((0, 1), (2, 3))), (-1, ((0, 2), (1, 3)))):
            for a, b in sides:
                both = counts[a] + counts[b]
                total += sign * float(both @ both) / max(float(both.sum()), 1.0)
        return total

    def moves(self, step: dict[str, int]) -> Iterator[Move]:
        """Every kind of change in every cell, with what it gains per record."""
        bias, now = self.table.setting.bias, self.lead(self.counts)
        labels = range(bias.n_labels)
        for cell in range(4):
            for i in labels:
                if ADD in step and bias.addable[i]:
                    yield self._move(ADD, cell, i, i, step[ADD], now)
                if REMOVE in step:
                    count = len(self._candidates(cell, i, self.table.removable()))
                    yield self._move(REMOVE, cell, i, i, min(count, step[REMOVE]), now)
                for j in labels if FLIP in step else ():
                    count = len(self._candidates(cell, i, self.table.flippable(j))) if i != j else 0
                    yield self._move(FLIP, cell, i, j, min(count, step[FLIP]), now)

    def _candidates(self, cell: int, label: int, allowed: np.ndarray) -> np.ndarray:
        return self.rows[(self.cell == cell) & (self.table.labels[self.rows] == label) & allowed[self.rows]]

    def _move(self, kind: str, cell: int, source: int, to: int, count: int, now: float) -> Move:
        if count <= 0 or (kind == ADD and self._row_for(cell) is None):
            return Move(0.0, kind, cell, source, to, 0)
        after = self.counts.copy()
        self._change(after, kind, cell, source, to, count)
        return Move((self.lead(after) - now) / count, kind, cell, source, to, count)

    @staticmethod
    def _change(counts: np.ndarray, kind: str, cell: int, source: int, to: int, count: int) -> None:
        if kind != ADD:
            counts[cell, source] -= count
        if kind != REMOVE:
            counts[cell, to] += count

    def play(self, move: Move, rng: np.random.Generator) -> int:
        """Carry a move out; gives the number of changes."""
        table = self.table
        if move.kind == ADD:
            table.add(np.tile(self._row_for(move.cell), (move.count, 1)), move.to)
        else:
            allowed = table.removable() if move.kind == REMOVE else table.flippable(move.to)
            rows = rng.permutation(self._candidates(move.cell, move.source, allowed))[: move.count]
            if move.kind == REMOVE:
                table.remove(rows)
                keep = ~np.isin(self.rows, rows)
                self.rows, self.cell = self.rows[keep], self.cell[keep]
            else:
                table.flip(rows, move.to)
        self._change(self.counts, move.kind, move.cell, move.source, move.to, move.count)
        return move.count

    def _row_for(self, cell: int) -> np.ndarray | None:
        """A row that lies in a cell: a row of the node, the person, or one with columns of two rows."""
        inside = self.rows[self.cell == cell]
        if len(inside):
            return self.table.X[inside[0]]
        if self._cell_of(self.x[None])[0] == cell:
            return self.x
        groups = self.table.setting.groups
        home = [next(group for group in groups if feature in group) for feature, _ in self.splits]
        rival_side, holder_side = self.rows[self.cell // 2 == cell // 2], self.rows[self.cell % 2 == cell % 2]
        if home[0] == home[1] or len(rival_side) == 0 or len(holder_side) == 0:
            return None
        row = self.table.X[rival_side[0]].copy()
        row[list(home[1])] = self.table.X[holder_side[0]][list(home[1])]
        return row


# ---------------------------------------------------------------- the campaign


@dataclass
class Watch:
    """Retrains on attacked tables and keeps book of everybody whose prediction moved."""

    setting: Setting
    fallen: np.ndarray
    seed: int = 0
    tables: int = 0
    trainings: int = 0
    first_breach: str = ""

    def look(self, table: BiasedTable, seeds: int = 1) -> DecisionTreeClassifier:
        """Learn from a table, under one or more ways of breaking ties, and see who gets another label."""
        table.verify()
        X, y = table.rows()
        self.tables += 1
        for _ in range(seeds):
            self.seed += 1
            tree = self.setting.train(X, y, self.seed)
            moved = tree.predict(self.setting.people, check_input=False) != self.setting.expected
            self.trainings += 1
            self.fallen |= moved
            if not self.first_breach and (moved & self.setting.certified).any():
                who = int(np.argmax(moved & self.setting.certified))
                self.first_breach = f"{self.setting.name}: person {who}, random_state {self.seed}, {table}"
        return tree


@dataclass(frozen=True)
class Report:
    """What an attack achieved: people by verdict, how many of each moved, and how much was tried."""

    name: str
    people: int
    certified: int
    fallen_certified: int
    fallen_unknown: int
    tables: int
    trainings: int
    first_breach: str = field(repr=False, default="")


def attack(setting: Setting, random: int, greedy: int, *, on_unknown: int = 0, seed: int = 0) -> Report:
    """Run random attacks, greedy ones on certified people, and some greedy ones on people not certified."""
    rng = np.random.default_rng(seed)
    watch = Watch(setting, np.zeros(len(setting.people), bool))
    for _ in range(random):
        watch.look(random_table(setting, rng))
    for people, count in ((setting.certified, greedy), (~setting.certified, on_unknown)):
        victims = setting.distinct(np.flatnonzero(people))
        for person in rng.choice(victims, count) if len(victims) else ():
            others = np.delete(np.arange(setting.bias.n_labels), setting.expected[person])
            table = pursue(setting, int(person), int(rng.choice(others)), rng, watch.look)
            watch.look(table, seeds=2)
    certified = setting.certified
    return Report(
        name=setting.name,
        people=len(certified),
        certified=int(certified.sum()),
        fallen_certified=int((watch.fallen & certified).sum()),
        fallen_unknown=int((watch.fallen & ~certified).sum()),
        tables=watch.tables,
        trainings=watch.trainings,
        first_breach=watch.first_breach,
    )
