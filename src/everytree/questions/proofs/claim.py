"""The first line of a proof file: table, learner, bias model and people, as plain values.

Only what the independent verification can rebuild by itself from the tables may be claimed; anything else is
refused by name.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import sklearn

from everytree.bias.language.expressions import leaves
from everytree.checker.proofs.claim import FORMAT, LEARNER, Tables, budgets_of
from everytree.checker.proofs.tables import FLOATS, hash_of, read_values
from everytree.errors import EverytreeError
from everytree.support.version import VERSION
from everytree.table.structure import MISSING

if TYPE_CHECKING:
    from everytree.bias import BiasModel
    from everytree.learner import Prepared
    from everytree.refute.witness import Witness
    from everytree.table import Column

__all__ = ["check_covered", "claim_of", "label_code", "tables_of", "values_of", "witness_line"]


def claim_of(prepared: Prepared, model: BiasModel, trusted: list[int]) -> dict[str, Any]:
    """Describe tables, learner and bias model; who is robust comes later."""
    train = prepared.train
    columns = _columns(prepared, model)
    seen = [column for column in columns if column["way"] != "dropped"]
    labels = _labels(train.labels)
    claim = {
        "format": FORMAT,
        "made_by": f"everytree {VERSION}",
        "scikit_learn": sklearn.__version__,
        "learner": {name: getattr(prepared.learner.settings, name) for name in LEARNER},
        "random_state": seed_of(prepared),
        "ties": "every",
        "bias": model.to_dict(),
        "budgets": [],
        "label": train.label_name,
        "labels": labels,
        "columns": columns,
        "rows": len(train.y),
        "train": hash_of(
            [*_read(train.frame, columns), ("label", [labels[code] for code in train.y.tolist()])]
        ),
        "people": len(prepared.test.X),
        "test": hash_of(_read(prepared.test.frame, seen)),
        "trusted": trusted,
        "robust": {},
        "left_out": [],
        "not_robust": [],
    }
    claim["budgets"] = budgets_of(claim, tables_of(prepared, claim).train)
    return claim


def check_covered(prepared: Prepared, model: BiasModel) -> None:
    """Refuse tables and bias models that no proof file can be about, by name."""
    _columns(prepared, model)
    _labels(prepared.train.labels)


def seed_of(prepared: Prepared) -> int | None:
    """The seed of the learner, where it is a whole number."""
    seed = prepared.learner.random_state
    return int(seed) if isinstance(seed, int | np.integer) else None


def values_of(series: Any) -> list[object]:
    """Values of a column as Python has them; None where one is missing."""
    missing = series.isna().tolist()
    return [None if gone else value for gone, value in zip(missing, series.tolist(), strict=True)]


def _read(frame: Any, columns: list[dict[str, Any]]) -> list[tuple[str, Any]]:
    return [(c["name"], read_values(values_of(frame[c["name"]]), c["how"])) for c in columns]


def _labels(labels: Any) -> list[Any]:
    names = labels.tolist()
    kinds = {type(name) for name in names}
    if not (kinds in ({str}, {bool}) or kinds <= {int, float}):
        found = ", ".join(sorted(kind.__name__ for kind in kinds))
        raise EverytreeError(
            f"A proof file covers labels that are texts, numbers or true and false; received {found}. "
            "Convert the labels first."
        )
    return read_values(names, "text" if kinds == {str} else "boolean" if kinds == {bool} else "number")


def _columns(prepared: Prepared, model: BiasModel) -> list[dict[str, Any]]:
    """The columns that the tree sees, in the order of their features, then those that conditions name."""
    train = prepared.train
    named = {leaf.column for component in model.components for leaf in leaves(component.where)}
    used = [c for c in train.columns if c.features or c.encoding == "opaque" or c.name in named]
    used.sort(key=lambda c: c.features[0] if c.features else len(train.feature_names))
    types = train.types if isinstance(train.types, tuple) else [None] * len(train.columns)
    categorical = {c.name: hasattr(t, "categories") for c, t in zip(train.columns, types, strict=True)}
    found = []
    for column in used:
        if column.encoding == "opaque":
            raise EverytreeError(
                f"A proof file covers columns that reach the tree as they are, one-hot or by their position "
                f"among the categories; {column.name!r} goes through steps that the verification does not "
                "know. Encode the table first, and certify the tree alone."
            )
        found.append(
            {
                "name": column.name,
                "how": _how(train.frame[column.name], column.name),
                "way": column.encoding if column.features else "dropped",
                "categories": _categories(column) if column.encoding in ("onehot", "ordinal") else [],
                "categorical": categorical[column.name],
            }
        )
    return found


def _categories(column: Column) -> list[Any]:
    """The categories of a column, None where what is missing is one of them."""
    return [None if category is MISSING else category for category in column.categories]


def _how(series: Any, name: str) -> str:
    """How the values of a column are read."""
    kinds = {type(value) for value in values_of(series) if value is not None}
    code = getattr(series.dtype, "numpy_dtype", series.dtype)
    if isinstance(code, np.dtype) and code.name in FLOATS:
        return str(code.name)
    if kinds == {str}:
        return "text"
    if kinds == {bool}:
        return "boolean"
    if kinds <= {int, float}:
        return "number"
    found = ", ".join(sorted(kind.__name__ for kind in kinds))
    raise EverytreeError(
        f"A proof file covers columns of texts, of numbers, or of true and false; {name!r} holds {found}. "
        "Convert the column first."
    )


def tables_of(prepared: Prepared, claim: dict[str, Any]) -> Tables:
    """Both tables as the verification takes them, from memory."""
    train, test = prepared.train, prepared.test
    labels = claim["labels"]
    return Tables(
        {
            **{c["name"]: values_of(train.frame[c["name"]]) for c in claim["columns"]},
            claim["label"]: [labels[code] for code in train.y.tolist()],
        },
        {c["name"]: values_of(test.frame[c["name"]]) for c in claim["columns"] if c["way"] != "dropped"},
    )


def label_code(claim: dict[str, Any], label: Any) -> int:
    """Position of a label in the claim."""
    return int(claim["labels"].index(label))


def witness_line(witness: Witness, claim: dict[str, Any]) -> dict[str, Any]:
    """The changes of a witness, by the columns of the claim and the numbers of labels."""
    added = []
    for values, label in zip(witness.change.added, witness.change.labels, strict=True):
        given = dict(zip(witness.added.columns, values, strict=False))
        row = [read_values([given[c["name"]]], c["how"])[0] for c in claim["columns"]]
        added.append([*row, label_code(claim, label)])
    return {
        "flipped": sorted([int(row), label_code(claim, label)] for row, label in witness.flipped.items()),
        "removed": sorted(int(row) for row in witness.removed),
        "added": added,
        "random_state": claim["random_state"] if witness.random_state is None else witness.random_state,
    }
