"""Estimators for edge problems: trees, and pipelines that choose and encode columns in every allowed way."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sklearn.compose import ColumnTransformer, make_column_selector
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import MinMaxScaler, OneHotEncoder, OrdinalEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier

from tests.truth.edge_columns import STYLES
from tests.truth.edge_draws import Draws, chance, pick

LEARNERS = (
    "tree",
    "tree",
    "pipeline",
    "passthrough",
    "transformer",
    "transformer",
    "selector",
    "selector",
    "encode all",
    "two steps",
)


def draw_estimator(
    draws: Draws, learner: str, depths: Sequence[int | None], columns: Sequence[tuple[str, str]], form: str
) -> Any:
    """A tree, or a pipeline that ends in one, for columns of these styles and types."""
    state = None if chance(draws, 5) else draws.number(0, 3)
    tree = DecisionTreeClassifier(max_depth=pick(draws, depths), random_state=state)
    if learner == "selector" and form in ("array", "list"):
        learner = "transformer"  # scikit-learn selects by type in frames only
    if learner == "tree":
        return tree
    if learner == "pipeline":
        return Pipeline([("tree", tree)])
    if learner == "passthrough":
        return Pipeline([("as it is", "passthrough"), ("tree", tree)])
    if learner == "scaled":
        return make_pipeline(pick(draws, (StandardScaler(), MinMaxScaler((2, 5)))), tree)
    if learner == "encode all":
        return make_pipeline(_draw_encoder(draws), tree)
    if learner == "two steps":
        ordinal = OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1)
        return make_pipeline(ordinal, OneHotEncoder(handle_unknown="ignore"), tree)
    encoded = [j for j, (style, _) in enumerate(columns) if STYLES[style].category or chance(draws, 25)]
    if not encoded and chance(draws, 80):
        encoded = [0]
    selection = _by_type(draws) if learner == "selector" else _by_place(draws, encoded, form, len(columns))
    parts = [("encoded", _draw_encoder(draws), selection)]
    if chance(draws, 15):
        nothing: Any = make_column_selector(pattern="no such column") if form == "frame" else []
        parts.insert(draws.number(0, 1), ("nothing", OneHotEncoder(), nothing))
    remainder = pick(draws, ("passthrough",) * 7 + ("drop",))
    return make_pipeline(ColumnTransformer(parts, remainder=remainder), tree)


def _draw_encoder(draws: Draws) -> Any:
    return pick(
        draws,
        (
            OneHotEncoder(handle_unknown="ignore"),
            OneHotEncoder(handle_unknown="ignore", sparse_output=False),
            OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1),
            OneHotEncoder(),
            OneHotEncoder(drop="if_binary"),
            OrdinalEncoder(),
            OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-7),
        ),
    )


def _by_type(draws: Draws) -> Any:
    return pick(
        draws,
        (
            make_column_selector(dtype_include=[object, "str", "category"]),
            make_column_selector(dtype_include="category"),
            make_column_selector(dtype_exclude="number"),
            make_column_selector(dtype_include=["bool", "boolean", "category"]),
            make_column_selector(dtype_include=object),
        ),
    )


def _by_place(draws: Draws, encoded: list[int], form: str, width: int) -> Any:
    if form == "frame" and chance(draws, 50):
        return ["a", "b", "c", "d"][:width] if len(encoded) == width else ["abcd"[j] for j in encoded]
    return pick(draws, (encoded, [j in encoded for j in range(width)]))
