"""Every parameter of scikit-learn's tree, and what we make of it: understood, or refused by name.

First module of the learner's room. The values that leave a tree as we know it are written down here and not
read from the installed library, whose defaults may change.
"""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np
from sklearn.tree import DecisionTreeClassifier

from everytree.errors import UnsupportedLearnerError

__all__ = ["SUPPORTED", "Settings", "describe"]

SUPPORTED = (
    "Supported is scikit-learn's DecisionTreeClassifier(criterion='gini', splitter='best') with max_depth "
    "and random_state free and every other parameter at its default, alone or as the last step of a "
    "Pipeline of OneHotEncoder, OrdinalEncoder and 'passthrough', directly or in a ColumnTransformer."
)

FIXED: dict[str, Any] = {
    "criterion": "gini",
    "splitter": "best",
    "min_samples_split": 2,
    "min_samples_leaf": 1,
    "min_weight_fraction_leaf": 0.0,
    "max_features": None,
    "max_leaf_nodes": None,
    "min_impurity_decrease": 0.0,
    "class_weight": None,
    "ccp_alpha": 0.0,
    "monotonic_cst": None,
}
"""Parameters that must have this value, because with another one the tree could be another."""

FREE = frozenset({"max_depth", "random_state"})
"""Parameters that may have any value that scikit-learn takes; `random_state` only breaks ties."""


@dataclass(frozen=True)
class Settings:
    """What decides which tree is learned from a table, apart from how ties are broken.

    Parameters
    ----------
    max_depth : int or None
        Depth limit; None grows the tree until its leaves are pure.
    """

    max_depth: int | None = None

    @classmethod
    def read(cls, tree: Any) -> Settings:
        """Read the settings of a tree.

        Raises
        ------
        UnsupportedLearnerError
            If it is no DecisionTreeClassifier, or has a setting that is not understood; by name.
        """
        if type(tree) is not DecisionTreeClassifier:
            call = " Write DecisionTreeClassifier(), with brackets." if tree is DecisionTreeClassifier else ""
            raise UnsupportedLearnerError(
                f"The estimator is {describe(tree)}, which is not supported.{call} {SUPPORTED}"
            )
        for name, value in tree.get_params(deep=False).items():
            if name not in FREE:
                _check_fixed(name, value)
        return cls(_depth(tree.max_depth))

    def depth_on(self, n_rows: int) -> int:
        """Levels that a tree on so many rows can have at most."""
        return n_rows if self.max_depth is None else self.max_depth


def _check_fixed(name: str, value: Any) -> None:
    if name not in FIXED:
        raise UnsupportedLearnerError(
            f"DecisionTreeClassifier has a parameter {name}={value!r} that this version of everytree does "
            f"not know. Use a version of scikit-learn without it, or a newer everytree. {SUPPORTED}"
        )
    if not _same(value, FIXED[name]):
        raise UnsupportedLearnerError(
            f"DecisionTreeClassifier has {name}={value!r}, which is not supported; it must be left at "
            f"{FIXED[name]!r}, because another value can change the tree. {SUPPORTED}"
        )


def _depth(depth: Any) -> int | None:
    if depth is None:
        return None
    if isinstance(depth, bool) or not isinstance(depth, Integral) or depth < 1:
        raise UnsupportedLearnerError(
            f"DecisionTreeClassifier has max_depth={depth!r}; it must be a whole number of at least 1, or "
            "None."
        )
    return int(depth)


def _same(value: Any, fixed: Any) -> bool:
    """Tell whether a parameter has the fixed value; 1.0 is not 1, since it means a share of the rows."""
    if isinstance(fixed, float):
        return isinstance(value, (int, float, np.number)) and bool(value == fixed)
    if isinstance(fixed, int):
        return isinstance(value, (int, np.integer)) and not isinstance(value, bool) and value == fixed
    return type(value) is type(fixed) and bool(value == fixed)


def describe(thing: Any) -> str:
    """Name something that is not what it should be."""
    if inspect.isclass(thing):
        return f"the class {thing.__name__} itself (an instance is needed)"
    return repr(thing) if isinstance(thing, (str, type(None))) else f"a {type(thing).__name__}"
