"""Tables of B(T) for the edge campaign: all where they are few, else a sample with an eye to extremes.

A table is a sorted tuple of (row number, label code); the order of changes is additions, flips, removals.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

import numpy as np

from tests.truth.edge_bias import Allowance
from tests.truth.oracle import Component, TooManyTablesError, _additions, _at_most, _flips, _removals

Table = tuple[tuple[int, int], ...]
FEW, SAMPLED = 150, 150


def some_tables(allowance: Allowance, codes: np.ndarray, rng: np.random.Generator) -> Iterator[Table]:
    """The table itself, then others; every one when there are at most ``FEW``."""
    start = tuple(sorted((row, int(code)) for row, code in enumerate(codes)))
    try:
        yield from all_tables(allowance, start)
        return
    except TooManyTablesError:
        pass
    yield start
    seen = {start}
    singles = _single_additions(allowance, start)
    random = (_random_table(allowance, start, rng) for _ in range(SAMPLED))
    for table in [*islice(singles, FEW), *random]:
        if table and table not in seen:
            seen.add(table)
            yield table


def all_tables(allowance: Allowance, start: Table) -> list[Table]:
    """Every table, by the steps of the other oracle; the conditions are looked up by row number."""
    n_labels = allowance.allowed[0].shape[1]
    rows = range(len(allowance.allowed[0]))

    def component(i: int) -> Component:
        allowed, gives = allowance.allowed[i], frozenset(np.flatnonzero(allowance.gives[i]).tolist())
        count = min(allowance.counts[i], FEW)
        return Component(allowance.parts[i].kind, count, lambda row, label: allowed[row, label], gives)

    found = {start}
    for part in map(component, allowance.of_kind("miss")):
        new = [(row, label) for row in rows for label in range(n_labels) if part.allows((row, label))]
        found = _at_most(part.count, found, lambda table, new=new: _additions(table, new), FEW)
    marked = {tuple((row, False) for row in table) for table in found}
    for part in map(component, allowance.of_kind("flip")):
        marked = _at_most(part.count, marked, lambda t, p=part: _flips(t, p, list(range(n_labels))), FEW)
    found = {tuple(sorted(row for row, _ in table)) for table in marked}
    for part in map(component, allowance.of_kind("fake")):
        found = _at_most(part.count, found, lambda table, p=part: _removals(table, p), FEW)
    found.discard(())
    return sorted(found)


def _single_additions(allowance: Allowance, start: Table) -> Iterator[Table]:
    """One added row, each in turn; the rows beyond the table first."""
    for i in allowance.of_kind("miss"):
        for row, label in np.argwhere(allowance.allowed[i])[::-1].tolist():
            yield tuple(sorted((*start, (row, label))))


def _random_table(allowance: Allowance, start: Table, rng: np.random.Generator) -> Table:
    """Add, flip and remove at random, often as much as is allowed."""
    rows = list(start)
    for i in allowance.of_kind("miss"):
        rows += _random_additions(allowance.allowed[i], allowance.counts[i], len(start), rng)
    changed: set[int] = set()
    for i in allowance.of_kind("flip"):
        able = [k for k, row in enumerate(rows) if k not in changed and allowance.allowed[i][row]]
        for k in _some(able, allowance.counts[i], rng):
            targets = [j for j in np.flatnonzero(allowance.gives[i]).tolist() if j != rows[k][1]]
            if targets:
                rows[k] = (rows[k][0], targets[rng.integers(len(targets))])
                changed.add(k)
    for i in allowance.of_kind("fake"):
        able = [k for k, row in enumerate(rows) if allowance.allowed[i][row]]
        gone = set(_some(able, allowance.counts[i], rng))
        rows = [row for k, row in enumerate(rows) if k not in gone]
    return tuple(sorted(rows))


def _random_additions(
    allowed: np.ndarray, most: int, n_rows: int, rng: np.random.Generator
) -> list[tuple[int, int]]:
    """Few distinct rows, some of them many times."""
    possible = np.argwhere(allowed)
    added: list[tuple[int, int]] = []
    if not len(possible):
        return added
    for _ in range(rng.choice([0, 1, 1, 2, 2, 3])):
        row = tuple(possible[rng.integers(len(possible))].tolist())
        copies = min(int(rng.choice([1, 1, 1, 2, 3, n_rows, 4 * n_rows])), most - len(added))
        added += [row] * copies
    return added


def _some(able: list[int], most: int, rng: np.random.Generator) -> list[int]:
    most = min(most, len(able))
    number = most if rng.random() < 0.5 else int(rng.integers(0, most + 1))
    return [able[k] for k in rng.permutation(len(able))[:number]]
