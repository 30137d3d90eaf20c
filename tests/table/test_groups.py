"""Groups from whatever users pass as sensitive features: nobody is lost, and bad input is explained."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

from everytree.errors import TableError
from everytree.table.groups import group_frame, group_members, shares_by_group

FRAME = pd.DataFrame({"sex": ["F", "M", None, "M"], "age": [31, 25, 25, 31]})
VERDICTS = np.array(["robust", "robust", "unknown", "not robust"])
BANDS = pd.CategoricalDtype(["young", "middle", "old"], ordered=True)


def sizes(features: object) -> dict[Any, int]:
    shares = shares_by_group(VERDICTS, features, FRAME)
    assert shares["n"].sum() == 4
    assert np.allclose(shares[["robust", "not robust", "unknown"]].sum(axis=1), 1)
    return dict(zip(shares.index.tolist(), shares["n"].tolist(), strict=True))


@pytest.mark.parametrize(
    ("features", "expected"),
    [
        ("age", {25: 2, 31: 2}),
        ("sex", {"F": 1, "M": 2, "missing": 1}),
        (["sex", "age"], {("F", 31): 1, ("M", 25): 1, ("M", 31): 1, ("missing", 25): 1}),
        ("age by 26", {"under 26": 2, "26 and over": 2}),
        (
            ["sex", "age by 26,40"],
            {("F", "26 to 39"): 1, ("M", "under 26"): 1, ("M", "26 to 39"): 1, ("missing", "under 26"): 1},
        ),
        (["b", "a", "a", "a"], {"a": 3, "b": 1}),
        (["a", "b", float("nan"), None], {"a": 1, "b": 1, "missing": 2}),
        ([10, 9, None, "x"], {9: 1, 10: 1, "x": 1, "missing": 1}),
        (pd.Series(list("aabb"), index=[7, 1, 0, 3]), {"a": 2, "b": 2}),
        (pd.Series(["missing", None, "a", "a"]), {"a": 2, "missing": 1, "(missing)": 1}),
        (pd.Series(["old", "young", "old", "old"], dtype=BANDS), {"young": 1, "old": 3}),
        (pd.Series([True, None, False, True], dtype="boolean"), {False: 1, True: 2, "missing": 1}),
        (np.array([2.5, 2.5, np.nan, 1.0]), {1.0: 1, 2.5: 2, "missing": 1}),
        (
            np.array([["a", "x"], ["a", "y"], ["b", "x"], ["a", "x"]]),
            {("a", "x"): 2, ("a", "y"): 1, ("b", "x"): 1},
        ),
        (
            {"k": [1, 2, 1, 1], "l": pd.Series(list("aabb"), index=[9, 8, 7, 6])},
            {(1, "a"): 1, (1, "b"): 2, (2, "a"): 1},
        ),
        (pl.Series("p", ["a", None, "b", "b"]), {"a": 1, "b": 2, "missing": 1}),
        (
            pl.DataFrame({"p": ["a", "a", "b", "b"], "q": [1, 1, 1, 2]}),
            {("a", 1): 2, ("b", 1): 1, ("b", 2): 1},
        ),
        (pd.DataFrame({0: [1, 1, 2, 2]}, index=list("wxyz")), {1: 2, 2: 2}),
    ],
)
def test_everybody_is_in_one_group(features: object, expected: dict[Any, int]) -> None:
    found = sizes(features)
    assert found == expected
    assert list(found) == list(expected)  # in this order


def test_values_go_by_position_and_shares_are_those_of_the_group() -> None:
    shares = shares_by_group(VERDICTS, pd.Series(list("abab"), index=[3, 2, 1, 0], name="g"), FRAME)
    assert shares.index.name == "g"
    assert shares.loc["a"].tolist() == [2, 0.5, 0, 0.5]
    assert shares.loc["b"].tolist() == [2, 0.5, 0.5, 0]
    members = group_members(group_frame(["sex", "age"], FRAME))
    assert {key: who.tolist() for key, who in members.items()} == {
        ("F", 31): [0],
        ("M", 25): [1],
        ("M", 31): [3],
        ("missing", 25): [2],
    }


def test_a_feature_may_be_called_like_a_column_of_the_result() -> None:
    assert shares_by_group(VERDICTS, {"n": [1, 1, 2, 2]}, FRAME)["n"].to_dict() == {1: 2, 2: 2}


@pytest.mark.parametrize(
    ("features", "message"),
    [
        ("sx", r"no column 'sx' to group by. The test table has sex, age. Did you mean 'sex'\?"),
        ("age by 40, 30", "larger than the one before; received '40, 30' in 'age by 40, 30'"),
        ("age by ten", "Bands begin at numbers.*such as 'age by 25, 45, 65'"),
        ("sex by 3", "'sex by 3' needs a column of numbers"),
        ("ago by 3", "no column 'ago by 3' to group by"),
        (["a", "b"], "To give values instead, give one for each of the 4 people"),
        (["sex", "sex"], "more than one feature called 'sex'"),
        (pd.DataFrame([[1, 2]] * 4, columns=["a", "a"]), "more than one feature called 'a'"),
        ({1: [1] * 4, "1": [2] * 4}, "more than one feature called '1'"),
        ([], "at least one feature"),
        ({}, "at least one feature"),
        (pd.DataFrame(index=range(4)), "at least one feature"),
        ([1, 2, 3], "one value for each of the 4 test people; received 3"),
        ({"a": [1] * 4, "b": [1]}, "received 1 for 'b'"),
        ({"a": "sex"}, "received the text 'sex'"),
        (None, "an array of shape"),
        (np.zeros((4, 2, 2)), "an array of shape"),
        ([[1], [1, 2], [1], [1]], "single values such as text or numbers"),
    ],
)
def test_bad_features_are_explained(features: object, message: str) -> None:
    with pytest.raises(TableError, match=message):
        group_frame(features, FRAME)


def test_the_label_is_no_group() -> None:
    with pytest.raises(TableError, match=r"'hired' is the label.*Name other columns .*: sex, age\."):
        group_frame("hired", FRAME, "hired")
    assert list(group_frame("sex", FRAME, "sex")) == ["sex"]  # a column of that name is one
