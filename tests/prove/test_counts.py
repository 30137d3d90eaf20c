"""Codes of columns and types of rows, held against sorting."""

from __future__ import annotations

import numpy as np
import pytest

from everytree.bias import parse, resolve
from everytree.prove.counts import code_columns, type_rows
from everytree.table import training_table

INF = float("inf")
LONG = np.arange(300)


@pytest.mark.parametrize(
    "column",
    [
        [0, 1, 1, 0],
        [5, 5, 5],
        [7],
        [1, 0.99999994],
        [-3, 4, 4, -3, 0],
        [0.5, 1.5, 3.5, 0.5, 2.5],
        [0.25, 1.5, 1.75, 1.5, 0.25],
        [-2.0, 1e-9, 0.0, -2.0, 1.0],
        [-0.0, 0.0, 2.0, 1.0],
        [2.0**24, 2.0**24 + 2, 2.0**24 + 4],
        [3e38, -3e38, 0, 1],
        [INF, -INF, 0, 1],
        [INF, INF, INF],
        [-INF, 1, 2, 3],
        LONG % 7,
        LONG % 7 + 0.1,
        -(LONG % 40),
        np.where(LONG == 17, 250.5, LONG),
        np.random.default_rng(0).normal(size=300),
    ],
)
def test_codes_are_ranks(column) -> None:
    X = np.asfortranarray(np.array(column, np.float32)[:, None])
    coded = code_columns(X, np.zeros(1, np.bool_))
    values, codes = np.unique(X[:, 0], return_inverse=True)
    assert coded.values.dtype == np.float32
    assert coded.values.tolist() == values.tolist()
    assert coded.codes[0].tolist() == codes.tolist()


@pytest.mark.parametrize("text", ["flip(2)", "flip(1, where x0 > 3) + fake(1, where x0 < 6)", "miss(2)"])
def test_rows_of_a_type_may_become_the_same(text) -> None:
    y = np.arange(60) % 3
    table = training_table(np.arange(60.0)[:, None] % 9, y)
    bias = resolve(parse(text), table)
    types = type_rows(table.y, bias)
    flips_to = bias.flips_to if bias.flips else np.zeros_like(bias.flips_to)
    removable = bias.removable if bias.removals else np.zeros_like(bias.removable)
    assert (types.label[types.of_row] == y).all()
    assert (types.flips_to[types.of_row] == flips_to).all()
    assert (types.removable[types.of_row] == removable).all()
    assert len(types.label) == len(np.unique(np.column_stack([y, removable, flips_to]), axis=0))
