"""Regions of original columns, and the check of gaps."""

import math
import time
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from everytree.errors import TableError
from everytree.table import check_gaps, training_table

INF = math.inf
X = pd.DataFrame({"race": ["a", "b", "c", "a"], "score": [1.0, 2.0, 3.0, 4.0], "sex": [0, 1, 0, 1]})
Y = [0, 1, 0, 1]


def test_onehot_regions() -> None:
    table = training_table(X, Y)
    assert table.region({}) == {}
    assert table.region({0: (0.5, INF)}) == {"race": {"a"}}
    assert table.region({0: (-INF, 0.5)}) == {"race": {"b", "c", None}}
    assert table.region({0: (-INF, 0.5), 1: (-INF, 0.5), 2: (-INF, 0.5)}) == {"race": {None}}
    assert table.region({0: (0.5, INF), 1: (0.5, INF)}) == {"race": set()}
    assert table.region({0: (0.5, INF), 1: (-INF, 0.5)}) == {"race": {"a"}}
    assert table.region({1: (0.2, 0.8)}) == {"race": set()}


def test_ordinal_regions() -> None:
    table = training_table(X, Y, encoding="ordinal")
    assert table.region({0: (-INF, 0.5)}) == {"race": {"a", None}}
    assert table.region({0: (0.5, 1.5)}) == {"race": {"b"}}
    assert table.region({0: (-0.5, INF)}) == {"race": {"a", "b", "c"}}


def test_identity_regions_are_intervals() -> None:
    region = training_table(X, Y).region({3: (1.5, INF), 4: (-INF, 0.5)})
    assert region["score"] == (1.5, INF)
    assert region["sex"] == (-INF, 0.5)


@settings(max_examples=300, deadline=None)
@given(st.floats(-1e6, 1e6), st.floats(-1e6, 1e6), st.floats(-1e6, 1e6), st.sampled_from([0, 1, 2]))
def test_intervals_hold_the_value_that_is_learned_from(
    value: float, low: float, high: float, at: int
) -> None:
    rounded = float(np.float32(value))
    low, high = (rounded if at == 1 else low), (rounded if at == 2 else high)
    if low < rounded <= high:
        interval = training_table(X, Y).region({3: (low, high)})["score"]
        assert isinstance(interval, tuple)
        assert interval[0] < rounded <= interval[1]


def bridged_slowly(a: np.float32, b: np.float32, additions: int) -> bool:
    for _ in range(additions + 1):
        a = np.float32(a + np.float32(1e-7))
    return bool(a >= b)


def refused(values: list[float], additions: int) -> bool:
    table = training_table(pd.DataFrame({"v": values}), [0, 1] + [0] * (len(values) - 2))
    try:
        check_gaps(table, additions)
    except TableError:
        return True
    return False


@settings(max_examples=300, deadline=None)
@given(
    st.lists(st.integers(0, 400), min_size=2, max_size=6),
    st.sampled_from([0.0, 0.25, 0.9999, 1.0, 1.9999, 2.0, 5.0, -1.0, -2.0, 1e-3]),
    st.integers(0, 60),
)
def test_gaps_agree_with_the_definition(steps: list[int], start: float, additions: int) -> None:
    values = [start + 5e-8 * step for step in steps]
    distinct = np.unique(np.array(values, dtype=np.float32))
    slow = any(bridged_slowly(a, b, additions) for a, b in pairwise(distinct))
    assert refused(values, additions) == slow


def test_gap_message_names_column_and_values() -> None:
    table = training_table(pd.DataFrame({"ok": [0, 1, 0], "v": [0.5, 0.5000002, 7.0]}), [0, 1, 0])
    check_gaps(table, 0)
    with pytest.raises(TableError, match=r"Column 'v' has the values 0\.5 and 0\.50000\d+, .* 5 added rows"):
        check_gaps(table, 5)


def test_gaps_of_extreme_values() -> None:
    assert not refused([-3e38, 3e38, 0.0], 1000)


def test_gaps_are_fast_on_large_tables() -> None:
    table = training_table(np.random.default_rng(0).integers(0, 50, (200_000, 5)) / 8, np.arange(200_000) % 2)
    start = time.perf_counter()
    check_gaps(table, 500)
    assert time.perf_counter() - start < 2


def test_whole_numbers_are_far_apart_until_many_rows_are_added() -> None:
    whole = training_table(pd.DataFrame({"x": [1.0, 2.0, 2.0**24, 2.0**24 + 2]}), Y)
    check_gaps(whole, 10**6)
    with pytest.raises(TableError, match=r"'x' has the values 1\.0 and 2\.0"):
        check_gaps(whole, 10**7)
