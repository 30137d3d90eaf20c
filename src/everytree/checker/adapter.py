"""From the user's tables and a bias model to the plain data of an independent check.

What a column is, what an added row may hold and what the bias model allows is derived by the check itself,
from the values in the table; the features are compared with these values before anything is proved. The one
door of the room: it imports other rooms only when it is called, so that the check itself runs with nothing
but the standard library.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from everytree.checker.bias import read_bias
from everytree.checker.facts import BiasFacts, CheckReport, TableFacts, TreeFacts
from everytree.checker.table import UserColumn, UserTable
from everytree.checker.walk import check_person

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from everytree.bias import BiasModel, ResolvedBias
    from everytree.checker.walk import Progress
    from everytree.learner import Prepared
    from everytree.table import TrainingTable

__all__ = ["bias_facts", "check", "check_proof", "user_table"]


def bias_facts(resolved: ResolvedBias) -> BiasFacts:
    """Write a resolved bias model as plain data."""
    return BiasFacts(
        additions=int(resolved.additions),
        flips=int(resolved.flips),
        removals=int(resolved.removals),
        flips_to=[_places(row) for row in resolved.flips_to.tolist()],
        removable=resolved.removable.tolist(),
        addable=_places(resolved.addable.tolist()),
        added_flips_to=_places(resolved.added_flips_to.tolist()),
        regional=bool(resolved.additions > 0 and resolved.additions_depend_on_region),
    )


def _places(flags: list[bool]) -> frozenset[int]:
    return frozenset(place for place, flag in enumerate(flags) if flag)


def user_table(train: TrainingTable) -> UserTable:
    """Write the user's training table as plain values, with the way of each column to its features."""
    from everytree.table.structure import MISSING

    columns = {}
    types = train.types if isinstance(train.types, tuple) else [None] * len(train.columns)
    for column, given in zip(train.columns, types, strict=True):
        series: Any = train.frame[column.name]
        values = _plain_values(series)
        dtype = getattr(series.dtype, "numpy_dtype", series.dtype)
        code = getattr(dtype, "char", "") if getattr(dtype, "kind", "") == "f" else ""
        columns[column.name] = UserColumn(
            values=values,
            way=column.encoding,
            categories=tuple(None if category is MISSING else category for category in column.categories),
            features=column.features,
            float_code=code if code in "efd" else "",
            categorical_type=hasattr(given, "categories"),
        )
    return UserTable(columns)


def _plain_values(series: Any) -> list[object]:
    return [
        None if missing else value
        for missing, value in zip(series.isna().tolist(), series.tolist(), strict=True)
    ]


def _plain_rows(rows: list[list[float]]) -> list[list[float | None]]:
    """Write what is missing as None."""
    return [[None if value != value else value for value in row] for row in rows]


def check(
    prepared: Prepared,
    bias: BiasModel | str,
    person: int,
    *,
    max_nodes: int = 100_000,
    progress: Progress | None = None,
) -> CheckReport:
    """Derive again that no bias of the given kind could have changed one person's prediction.

    Parameters
    ----------
    prepared : Prepared
        The encoded tables, the settings and the predictions, as `everytree.learner.prepare` gives them.
    bias : BiasModel or str
        What may be wrong with the training table.
    person : int
        Position of the person in the test table.
    max_nodes, progress
        As in `check_person`.

    Returns
    -------
    CheckReport
        Its label is a position in ``prepared.train.labels``. Trees with `min_impurity_decrease`,
        `max_leaf_nodes` or `ccp_alpha` are never confirmed: `everytree verify` covers them.

    Examples
    --------
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from everytree.learner import prepare
    >>> scores, hired = [[0], [1], [2], [3], [5], [6], [7], [8], [9]], [0, 0, 0, 0, 1, 1, 1, 0, 1]
    >>> prepared = prepare(DecisionTreeClassifier(max_depth=1), scores, hired, [[1], [7]])
    >>> check(prepared, "flip(1)", 0).confirmed
    True
    """
    from everytree.bias import as_bias, resolve

    train, test, settings = prepared.train, prepared.test, prepared.learner.settings
    beyond = {
        "min_impurity_decrease": settings.min_impurity_decrease > 0,
        "max_leaf_nodes": settings.max_leaf_nodes is not None,
        "ccp_alpha": settings.ccp_alpha > 0,
    }
    if any(beyond.values()):
        names = ", ".join(name for name, used in beyond.items() if used)
        return CheckReport("not confirmed", f"This check does not cover {names}: the proof was not repeated.")
    model = as_bias(bias)
    resolve(model, train)  # refuses names and types that do not fit the table; what it finds is not used
    table = user_table(train)
    rows, (features,) = _plain_rows(train.X.tolist()), _plain_rows([test.X[person].tolist()])
    columns = {str(name): _plain_values(test.frame[name].iloc[[person]])[0] for name in test.frame.columns}
    difference = table.difference(rows) or table.difference_of(columns, features)
    if difference:
        return CheckReport("not confirmed", difference)
    labels = train.y.tolist()
    zero_one = table.zero_one_features(train.X.shape[1])
    return check_person(
        TableFacts(rows, labels, len(train.labels), zero_one, train.feature_names),
        features,
        read_bias(model.to_dict(), table, labels, train.labels.tolist()),
        TreeFacts(
            settings.max_depth,
            settings.min_samples_leaf,
            settings.min_samples_split,
            settings.criterion,
            _class_weight(settings.parameter("class_weight"), len(train.labels)),
        ),
        int(prepared.predictions[person]),
        max_nodes=max_nodes,
        progress=progress,
    )


def _class_weight(given: dict[int, float] | str | None, n_labels: int) -> list[float] | str | None:
    """Class weights by the position of the label; one that is not named weighs 1."""
    return [given.get(code, 1.0) for code in range(n_labels)] if isinstance(given, dict) else given


def check_proof(
    estimator: object,
    X_train: object,
    y_train: object,
    X_test: object,
    bias: BiasModel | str | Mapping[str, Any],
    person: int,
    *,
    drop: Iterable[str] | str = (),
    categorical: Iterable[str] | str = (),
    encoding: Literal["onehot", "ordinal"] = "onehot",
    max_nodes: int = 100_000,
) -> CheckReport:
    """Derive again, by independent code in whole numbers, that one person's prediction is robust.

    Parameters
    ----------
    estimator, X_train, y_train, X_test, bias
        As for `certify`.
    person : int
        Position of the person in the test table.
    drop, categorical, encoding
        As for `certify`.
    max_nodes : int
        The check gives up, unconfirmed, after so many nodes.

    Returns
    -------
    CheckReport

    Examples
    --------
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from everytree import check_proof
    >>> scores, hired = [[0], [1], [2], [3], [5], [6], [7], [8], [9]], [0, 0, 0, 0, 1, 1, 1, 0, 1]
    >>> tree = DecisionTreeClassifier(max_depth=1, random_state=0)
    >>> check_proof(tree, scores, hired, [[1], [7]], "flip(1)", 0).confirmed
    True
    """
    from everytree.bias import as_bias
    from everytree.errors import EverytreeError
    from everytree.learner import prepare

    model = as_bias(bias)
    prepared = prepare(
        estimator, X_train, y_train, X_test, drop=drop, categorical=categorical, encoding=encoding
    )
    if not 0 <= person < len(prepared.test.X):
        raise EverytreeError(
            f"person must be a position from 0 to {len(prepared.test.X) - 1} in the test table; received "
            f"{person}."
        )
    return check(prepared, model, person, max_nodes=max_nodes)
