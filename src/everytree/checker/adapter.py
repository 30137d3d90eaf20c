"""From the library's own tables and bias models to the plain data of an independent check."""

from __future__ import annotations

from typing import TYPE_CHECKING

from everytree.bias import as_bias, resolve
from everytree.checker.facts import BiasFacts, CheckReport, TreeFacts
from everytree.checker.walk import check_person

if TYPE_CHECKING:
    from everytree.bias import BiasModel, ResolvedBias
    from everytree.checker.walk import Progress
    from everytree.learner import Prepared

__all__ = ["bias_facts", "check"]


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
        Its label is a position in ``prepared.train.labels``.

    Examples
    --------
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from everytree.learner import prepare
    >>> scores, hired = [[0], [1], [2], [3], [5], [6], [7], [8], [9]], [0, 0, 0, 0, 1, 1, 1, 0, 1]
    >>> prepared = prepare(DecisionTreeClassifier(max_depth=1), scores, hired, [[1], [7]])
    >>> check(prepared, "flip(1)", 0).confirmed
    True
    """
    train, settings = prepared.train, prepared.learner.settings
    beyond = {
        "min_impurity_decrease": settings.min_impurity_decrease > 0,
        "max_leaf_nodes": settings.max_leaf_nodes is not None,
        "ccp_alpha": settings.ccp_alpha > 0,
    }
    if any(beyond.values()):
        names = ", ".join(name for name, used in beyond.items() if used)
        return CheckReport("not confirmed", f"This check does not cover {names}.")
    resolved = resolve(as_bias(bias), train.frame, train.y, train.labels, train.label_name)
    return check_person(
        train.X.tolist(),
        train.y.tolist(),
        len(train.labels),
        prepared.test.X[person].tolist(),
        bias_facts(resolved),
        TreeFacts(settings.max_depth, settings.min_samples_leaf, settings.min_samples_split),
        int(prepared.predictions[person]),
        zero_one=train.is_boolean.tolist(),
        names=train.feature_names,
        max_nodes=max_nodes,
        progress=progress,
    )
