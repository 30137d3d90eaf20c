"""Class weights as they are written in a command or an audit file, where labels are texts.

Beside `weights`, which reads the parameter of scikit-learn's tree. A dictionary there has labels as keys, in
the type of the label column; a text becomes one when the table is at hand.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pandas as pd

from everytree.errors import EverytreeError
from everytree.learner.weights import BALANCED
from everytree.support.text import as_number
from everytree.table.labels import by_label

__all__ = ["HOW_IN_COMMANDS", "HOW_IN_FILES", "for_labels", "parse_class_weight", "write_class_weight"]

HOW_IN_COMMANDS = (
    "Write balanced, or LABEL=WEIGHT with commas between them, such as 0=1,1=5; labels that have commas need "
    "JSON: '{\"yes, twice\": 5}'. A label that is left out counts 1."
)
HOW_IN_FILES = (
    'Write class_weight = "balanced", or a weight for labels: class_weight = { "0" = 1, "1" = 5 }. A label '
    "that is left out counts 1."
)


def parse_class_weight(text: str) -> str | dict[str, Any]:
    """Read ``balanced``, ``LABEL=WEIGHT,LABEL=WEIGHT`` or a JSON object; labels stay texts.

    Examples
    --------
    >>> parse_class_weight("<=50K=1,>50K=2.5")
    {'<=50K': 1, '>50K': 2.5}
    """
    if text.strip() == BALANCED:
        return BALANCED
    if text.lstrip().startswith("{"):
        pairs = _json_pairs(text)
    else:
        parts = [part.rpartition("=") for part in text.split(",")]
        if not all(sign for _, sign, _ in parts):
            raise _wrong(text)
        pairs = [(name.strip(), as_number(weight.strip())) for name, _, weight in parts]
    if not pairs:
        raise _wrong(text)
    if len(dict(pairs)) < len(pairs):
        raise EverytreeError(f"a label is named twice in {text!r}. Leave one of them out.")
    return dict(pairs)


def _json_pairs(text: str) -> list[tuple[str, Any]]:
    try:
        pairs = json.loads(text, object_pairs_hook=list)
    except ValueError as error:
        raise _wrong(text) from error
    return [(str(name), weight) for name, weight in pairs]


def _wrong(text: str) -> EverytreeError:
    return EverytreeError(f"must be balanced or weights of labels; received {text!r}. {HOW_IN_COMMANDS}")


def write_class_weight(given: str | Mapping[Any, float]) -> str:
    """Write weights as `parse_class_weight` reads them."""
    if isinstance(given, str):
        return given
    weights = {str(label): int(w) if float(w).is_integer() else float(w) for label, w in given.items()}
    if any("," in name or name != name.strip() or name.startswith("{") for name in weights):
        return json.dumps(weights, ensure_ascii=False)
    return ",".join(f"{name}={weight}" for name, weight in weights.items())


def for_labels(settings: Mapping[str, Any], y: pd.Series[Any]) -> dict[str, Any]:
    """Settings of a tree with weights for the labels of this column, in its own type.

    Raises
    ------
    TableError
        If a label is named that the column does not have.
    """
    given = settings.get("class_weight")
    if not isinstance(given, Mapping):
        return dict(settings)
    return {**settings, "class_weight": by_label(given, y.dropna().unique().tolist())}
