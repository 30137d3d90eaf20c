"""Proofs of paths, step by step: what is changed in one is rejected, or harmless for a reason that is said.

A path that no table takes is proved by parts, cuts and conditions with multipliers. What is malformed is
always rejected. What only rewrites a sum is accepted: conditions may stand in any order, and any multipliers
will do. Everything else may go either way, because the path stays the one that is excluded; but on a path
that some table takes, found by trying them all, nothing may ever be accepted.
"""

from __future__ import annotations

import copy
import json
from collections import Counter
from collections.abc import Iterator
from functools import cache
from itertools import chain, combinations, islice
from typing import Any
from unittest import mock

import numpy as np
import pandas as pd
import pytest
from sklearn.tree import DecisionTreeClassifier

from everytree import certify
from everytree.checker.proofs import Rejected, verify_lines
from everytree.checker.proofs.layout import Level
from everytree.checker.proofs.paths import PathCheck, verify_path
from everytree.checker.proofs.verify import FAULTS
from everytree.questions.proofs.changes import ChangeProofs
from everytree.questions.proofs.writing import _Proofs
from everytree.support.limits import NO_LIMITS
from tests.truth.naive import best_cuts

CASES: dict[str, tuple[int, str, dict[str, Any]]] = {
    "flips": (32, "flip(2)", {}),
    "flips on two levels": (7, "flip(1)", {"max_depth": 2}),
    "removals from few rows": (7, "fake(3)", {"min_samples_split": 14, "min_samples_leaf": 2}),
    "removals": (30, "fake(3)", {"min_samples_split": 14, "min_samples_leaf": 2}),
    "additions": (0, "miss(2)", {}),
    "both": (37, "fake(1) + miss(1)", {"max_depth": 2, "min_samples_leaf": 6}),
}

Parts = list[Any]


def table(seed: int, rows: int = 20) -> tuple[pd.DataFrame, pd.Series]:
    rng = np.random.default_rng(seed)
    X = pd.DataFrame({"a": rng.integers(0, 4, rows), "b": rng.integers(0, 3, rows)})
    return X, pd.Series((X.a > 1).astype(int).where(rng.random(rows) > 0.2, rng.integers(0, 2, rows)))


@cache
def proofs_of(case: str) -> list[tuple[PathCheck, Parts]]:
    """Every path of a file, as the verification sees it, with what the file says about it."""
    seed, bias, settings = CASES[case]
    X, y = table(seed)
    tree = DecisionTreeClassifier(random_state=0, **{"max_depth": 1, **settings})
    with mock.patch.object(ChangeProofs, "is_possible", return_value=False):  # paths are to be written
        proofs = _Proofs(certify(tree, X, y, X.drop_duplicates(), bias), NO_LIMITS)
    found = []

    def noted(check: PathCheck, parts: Parts) -> int:
        found.append((check, json.loads(json.dumps(parts))))
        return verify_path(check, parts)

    with mock.patch("everytree.checker.proofs.verify.verify_path", noted):
        verify_lines(iter(list(proofs._lines())), proofs.tables)
    return found


def accepted(check: PathCheck, parts: Parts) -> bool:
    try:
        verify_path(check, parts)
    except (Rejected, *FAULTS):  # a verification turns faults of what it reads into a rejection
        return False
    return True


# ---------------------------------------------------------------- places in a proof


def places(parts: Parts) -> Iterator[tuple[int, ...]]:
    """Where cuts and excluded parts stand."""
    waiting: list[tuple[int, ...]] = [(number,) for number in range(len(parts))]
    while waiting:
        place = waiting.pop()
        yield place
        if inside(parts, place)[0] == "cut":
            waiting += [(*place, 6), (*place, 7)]


def inside(parts: Parts, place: tuple[int, ...]) -> Any:
    for step in place:
        parts = parts[step]
    return parts


def changed(parts: Parts, place: tuple[int, ...], entry: int, value: Any) -> Parts:
    made = copy.deepcopy(parts)
    inside(made, place)[entry] = value
    return made


def rows_changed(parts: Parts) -> Iterator[tuple[tuple[int, ...], int, list[Any]]]:
    """Every condition, with the place of its part and its own."""
    for place in places(parts):
        tree = inside(parts, place)
        if tree[0] == "none":
            yield from ((place, number, row) for number, row in enumerate(tree[1]))


# ---------------------------------------------------------------- changes

WRONG = {
    "leaf": {1: (-1, 99, None)},
    "side": {1: (-1, 99), 2: (-1, 2, None)},
    "node": {1: (-1, 99)},
    "sign": {1: (-1, 99)},
    "rival": {1: (-1, 99), 2: (-1, 99), 3: (77,), 4: (0, 2, -3, None)},
    "tangent": {1: (-1, 99), 2: (-1, 99), 3: (77,), 4: ([], [1], [-1, 1, 1, 1], [0.5, 1, 1, 1], 3)},
    "within": {1: (-1, 99), 2: (99,), 4: (-1, 99), 5: (-1, 2)},
}
"""Entries of conditions that are never right; the last entry of each is the multiplier."""


def malformed(parts: Parts, label: int) -> Iterator[tuple[str, Parts]]:
    """What is no proof at all."""
    yield "no parts", []
    yield "a part too few", parts[:-1]
    yield "a part twice", [*parts, parts[-1]]
    for place in places(parts):
        tree = inside(parts, place)
        yield "an unknown part", changed(parts, place, 0, "some")
        if tree[0] == "none":
            yield "no conditions", changed(parts, place, 1, [])
            continue
        for entry, wrong in ((1, 99), (1, -1), (2, 99), (3, 77), (4, 99), (4, -1), (5, 0.5), (5, None)):
            yield f"cut, entry {entry}", changed(parts, place, entry, wrong)
        half = copy.deepcopy(parts)
        inside(half, place).pop()
        yield "a cut with one half", half
    for place, number, row in rows_changed(parts):
        at = (*place, 1, number)
        yield "an unknown condition", changed(parts, at, 0, "maybe")
        for wrong in (-1, -row[-1], 0.5, "1", None):
            yield f"{row[0]}, multiplier", changed(parts, at, -1, wrong)
        for entry, values in WRONG[row[0]].items():
            for value in values:
                yield f"{row[0]}, entry {entry}", changed(parts, at, entry, value)
        if row[0] == "leaf":
            yield "leaf, its own label", changed(parts, at, 1, label)


def rewritten(parts: Parts) -> Iterator[tuple[str, Parts]]:
    """The same sums, written in another way."""
    for place in places(parts):
        rows = inside(parts, place)[1]
        if inside(parts, place)[0] == "none":
            yield "reversed", changed(parts, place, 1, rows[::-1])
            yield "seven times", changed(parts, place, 1, [[*row[:-1], 7 * row[-1]] for row in rows])
            yield "nothing added", changed(parts, place, 1, [*rows, [*rows[0][:-1], 0]])
            halves = [[*row[:-1], part] for row in rows for part in (1, row[-1] - 1)]
            yield "in two", changed(parts, place, 1, halves)


def altered(parts: Parts) -> Iterator[tuple[str, Parts]]:
    """Well-formed, but another proof: every kind of step altered, dropped or moved."""
    for place in places(parts):
        tree = inside(parts, place)
        above, last = place[:-1], place[-1]
        if tree[0] == "none":
            yield "row added", changed(parts, place, 1, [*tree[1], ["row", 1]])
        if tree[0] == "cut":
            for middle in (tree[5] - 1, tree[5] + 1, 0, 10**6):
                yield "cut elsewhere", changed(parts, place, 5, middle)
            for entry in range(4):
                yield "another count cut", changed(parts, place, 4, entry)
            swapped = [*tree[:6], tree[7], tree[6]]
            yield "halves exchanged", _put(parts, above, last, swapped)
            yield "cut dropped", _put(parts, above, last, tree[6])
            yield "cut dropped", _put(parts, above, last, tree[7])
    if len(parts) > 1:
        yield "parts exchanged", parts[::-1]
    for place, number, row in rows_changed(parts):
        at, rows = (*place, 1, number), inside(parts, place)[1]
        yield f"{row[0]} dropped", changed(parts, place, 1, [*rows[:number], *rows[number + 1 :]])
        for times in (0, 2 * row[-1], row[-1] // 2, row[-1] + 1, 1000 * row[-1]):
            yield f"{row[0]} multiplied", changed(parts, at, -1, times)
        for entry in range(1, len(row) - 1):
            for value in {"tangent": (0, 1, None), "leaf": (0, 1)}.get(row[0], (0, 1, -1)):
                if value != row[entry]:
                    yield f"{row[0]} altered", changed(parts, at, entry, value)
        if row[0] == "tangent":
            yield "tangent altered", changed(parts, at, 4, [1, 2, 3, 4])
            yield "tangent altered", changed(parts, at, 4, [10**6, 1, 1, 10**6])


def _put(parts: Parts, above: tuple[int, ...], last: int, tree: Any) -> Parts:
    made = copy.deepcopy(parts)
    inside(made, above)[last] = copy.deepcopy(tree)
    return made


# ---------------------------------------------------------------- tests


def test_the_proofs_have_every_kind_of_step() -> None:
    kinds = Counter()
    for case in CASES:
        for _, parts in proofs_of(case):
            kinds.update(inside(parts, place)[0] for place in places(parts))
            kinds.update(row[0] for _, _, row in rows_changed(parts))
    assert set(kinds) == {"cut", "none", *WRONG}


@pytest.mark.parametrize("case", CASES)
def test_what_is_malformed_is_rejected(case: str) -> None:
    for check, parts in proofs_of(case):
        assert accepted(check, parts)
        for how, wrong in malformed(parts, check.label):
            assert not accepted(check, wrong), how


@pytest.mark.parametrize("case", CASES)
def test_the_same_sums_are_accepted(case: str) -> None:
    for check, parts in proofs_of(case):
        for how, same in rewritten(parts):
            assert accepted(check, same), how


def test_most_other_proofs_are_rejected() -> None:
    """Those that are not are proofs, too: the path is the same one, and no table takes it."""
    rejected, seen = Counter[str](), Counter[str]()
    for check, parts in chain.from_iterable(map(proofs_of, CASES)):
        for how, other in altered(parts):
            seen[how] += 1
            rejected[how] += not accepted(check, other)
    needless = ("node dropped", "row added")  # here others already ask for as much
    assert all(rejected[how] for how in seen if how not in needless), rejected
    assert rejected.total() > 0.5 * seen.total()


@pytest.mark.parametrize("case", ["flips", "removals"])
def test_a_path_that_some_table_takes_is_never_excluded(case: str) -> None:
    tried = 0
    known = proofs_of(case)
    root = known[0][0]
    for level, label in taken(case, root):
        check = PathCheck(root.problem, [level], root.listed[:1], label)
        for other, parts in known:
            if len(other.levels) == 1:
                moved = renamed(parts, other.levels[0], level)
                others = islice(chain(altered(moved), rewritten(moved)), 0, None, 3)
                for _, tree in chain([("", moved)], others):
                    tried += 1
                    assert not accepted(check, tree)
    assert tried > 150


def taken(case: str, root: PathCheck) -> Iterator[tuple[Level, int]]:
    """Sides and labels that some table of the bias model brings about, for every split of the root."""
    seed, bias, settings = CASES[case]
    X, y = table(seed)
    rows = [(tuple(map(float, values)), int(label)) for values, label in zip(X.to_numpy(), y, strict=True)]
    found = set()
    for some in chain.from_iterable(combinations(range(len(rows)), k) for k in range(int(bias[5]) + 1)):
        here = [
            (values, 1 - label if number in some else label)
            for number, (values, label) in enumerate(rows)
            if bias.startswith("flip") or number not in some
        ]
        found |= set(learned(tuple(sorted(here)), settings))
    for (column, low), split in root.listed[0].items():
        for side in (0, 1):
            for label in (0, 1):
                if (column, low, side, label) in found:
                    yield Level(root.levels[0].node, split, side), label


def learned(here: Any, settings: dict[str, Any]) -> Iterator[tuple[int, float, int, int]]:
    """The splits that may be chosen, named by the last value on the left, and the labels of both sides."""
    if len(here) < settings.get("min_samples_split", 2) or len({label for _, label in here}) == 1:
        return
    for column, threshold in best_cuts(here, {0: 0, 1: 1}, settings.get("min_samples_leaf", 1)):
        sides = [[row for row in here if (row[0][column] > threshold) == side] for side in (False, True)]
        low = max(values[column] for values, _ in sides[0])
        for side, there in enumerate(sides):
            ones = sum(label for _, label in there)
            yield column, low, side, int(2 * ones > len(there))


def renamed(parts: Parts, old: Level, new: Level) -> Parts:
    """The same proof with the split of another path in the place of its own."""
    names = [list(level.key) for level in (old, new)]
    made = copy.deepcopy(parts)
    for place in places(parts):
        tree = inside(made, place)
        for row in tree[1] if tree[0] == "none" else [tree]:
            if len(row) > 4 and row[2:4] == names[0]:
                row[2:4] = names[1]
    return made
