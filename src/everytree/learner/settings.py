"""Every parameter of scikit-learn's tree, and what we make of it: understood, or refused by name.

First module of the learner's room. What each parameter may be is written down here and not read from the
installed library, whose defaults may change. `availability` says what the settings mean for a split.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from math import isfinite
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any

from sklearn.base import clone
from sklearn.tree import DecisionTreeClassifier

from everytree.errors import UnsupportedLearnerError
from everytree.learner.criterion.front import CODES
from everytree.learner.weights import ClassWeight, in_codes, read_class_weight
from everytree.support.text import listing

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["CHOICES", "SUPPORTED", "Settings", "describe", "read_parameters", "refuse"]

CRITERIA = listing(CODES)

SUPPORTED = (
    f"Supported is scikit-learn's DecisionTreeClassifier(splitter='best') with criterion {CRITERIA}, with "
    "max_depth, min_samples_leaf, min_samples_split, min_impurity_decrease, max_leaf_nodes, ccp_alpha, "
    "class_weight and random_state free and every other parameter at its default, alone or as the last step "
    "of a Pipeline of "
    "scikit-learn's steps that do not look at the labels: encoders, scalers, imputers, binners, PCA and the "
    "like, FunctionTransformer, directly or in Pipelines and ColumnTransformers."
)


CHOICES = (
    *("criterion", "min_samples_leaf", "min_samples_split", "max_leaf_nodes", "min_impurity_decrease"),
    *("ccp_alpha", "class_weight"),
)
"""Settings besides the depth that commands and audit files offer, under the names that scikit-learn uses."""


@dataclass(frozen=True)
class Settings:
    """What decides which tree is learned from a table, apart from how ties are broken.

    Parameters
    ----------
    max_depth : int or None
        Depth limit; None grows the tree until its leaves are pure.
    criterion : str
        What the learner calls the best split, one of `CODES`.
    min_samples_leaf : int or float
        Rows that both sides of a split must keep; a float is a share of all rows of the table.
    min_samples_split : int or float
        Rows that a node must have to be split; a float is a share of all rows of the table.
    min_impurity_decrease : float
        What a split must gain.
    max_leaf_nodes : int or None
        Leaves that the tree may have; the splits that gain most come first.
    ccp_alpha : float
        Price of a leaf when the grown tree is pruned.
    max_features : int or None
        Features that are looked at; it must be all of them (`check_features`).
    class_weight : None, "balanced" or pairs of a label and its weight
        How much a row of each label counts; `in_codes` puts codes in the place of labels.
    """

    max_depth: int | None = None
    criterion: str = "gini"
    min_samples_leaf: float = 1
    min_samples_split: float = 2
    min_impurity_decrease: float = 0.0
    max_leaf_nodes: int | None = None
    ccp_alpha: float = 0.0
    max_features: int | None = None
    class_weight: ClassWeight = None

    @classmethod
    def read(cls, tree: Any) -> Settings:
        """Read the settings of a tree.

        Raises
        ------
        UnsupportedLearnerError
            If it has settings that are not understood; all of them by name.
        """
        values, problems = read_parameters(tree)
        refuse(problems)
        return cls.of(values)

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> Settings:
        """Take the settings from parameters that have been read."""
        return cls(**{field.name: values[field.name] for field in fields(cls)})

    def check_features(self, n_features: int) -> None:
        """Refuse a number of features to look at that is below all features of the table."""
        if self.max_features is not None and self.max_features < n_features:
            refuse(
                [
                    f"max_features={self.max_features}: {_ALL_FEATURES} The table has {n_features} of them "
                    "(after encoding)."
                ]
            )

    def in_codes(self, labels: NDArray[Any]) -> Settings:
        """The settings of trees that are learned from codes of these labels; weights are checked."""
        try:
            return replace(self, class_weight=in_codes(self.class_weight, labels))
        except ValueError as problem:
            given = self.class_weight if isinstance(self.class_weight, str) else dict(self.class_weight or ())
            refuse([f"class_weight={given!r}: {problem}"])
            raise

    def depth_on(self, n_rows: int) -> int:
        """Levels that a tree on so many rows can have at most."""
        levels = n_rows if self.max_depth is None else self.max_depth
        return levels if self.max_leaf_nodes is None else min(levels, self.max_leaf_nodes - 1)

    def parameter(self, name: str) -> Any:
        """A parameter as scikit-learn takes it."""
        value = getattr(self, name)
        return dict(value) if isinstance(value, tuple) else value

    def new_tree(self, random_state: Any = None) -> Any:
        """Return a fresh unfitted tree with these settings, for training on another table."""
        return DecisionTreeClassifier(
            criterion=self.criterion,
            splitter="best",
            max_depth=self.max_depth,
            min_samples_leaf=self.min_samples_leaf,
            min_samples_split=self.min_samples_split,
            min_impurity_decrease=self.min_impurity_decrease,
            max_leaf_nodes=self.max_leaf_nodes,
            ccp_alpha=self.ccp_alpha,
            max_features=self.max_features,
            class_weight=self.parameter("class_weight"),
            random_state=clone(random_state, safe=False),
        )


def read_parameters(tree: Any) -> tuple[dict[str, Any], list[str]]:
    """Read every parameter of a tree; what is not understood is named, with the reason and what to do."""
    values: dict[str, Any] = {}
    problems: list[str] = []
    for name, value in tree.get_params(deep=False).items():
        try:
            values[name] = READERS.get(name, _unknown)(value)
        except ValueError as problem:
            problems.append(f"{name}={value!r}: {problem}")
    if problems and values.get("max_features") is not None:  # else `check_features` sees what it means
        problems.append(
            f"max_features={values['max_features']}: {_ALL_FEATURES} A number is taken only if the table has "
            "no more features than that."
        )
    return values, problems


def refuse(
    problems: Sequence[str], what: str = "DecisionTreeClassifier has settings that are not supported"
) -> None:
    """Name everything that stands in the way, if there is anything."""
    if problems:
        named = "".join(f"\n- {problem}" for problem in problems)
        raise UnsupportedLearnerError(f"{what}:{named}\n{SUPPORTED}")


def _unknown(_: Any) -> Any:
    raise ValueError(
        "this version of everytree does not know the parameter. Use a version of scikit-learn without it, or "
        "a newer everytree."
    )


def _only(value: Any, why: str) -> Callable[[Any], Any]:
    """Read a parameter that has one value with which the tree is the one that we know."""

    def read(given: Any) -> Any:
        same = given == value if isinstance(value, float) and _is_number(given) else given is value
        if not same and not (isinstance(value, str) and isinstance(given, str) and given == value):
            raise ValueError(f"{why} Leave it at {value!r}.")
        return value

    return read


def _whole(least: int) -> Callable[[Any], int | None]:
    """Read a whole number from `least` on, or None for no limit."""

    def read(given: Any) -> int | None:
        if given is None:
            return None
        if not _is_whole(given) or given < least:
            raise ValueError(f"it must be a whole number of at least {least}, or None.")
        return int(given)

    return read


def _rows(least: int, share_of_all: bool) -> Callable[[Any], float]:
    """Read a number of rows, or a share of all rows; a share stays the number that it is.

    scikit-learn multiplies a share with the number of rows in the precision that the share has.
    """

    def read(given: Any) -> float:
        if _is_whole(given) and given >= least:
            return int(given)
        share = _is_number(given) and not _is_whole(given)
        if share and (0.0 < given < 1.0 or (share_of_all and given == 1.0)):
            return given  # type: ignore[no-any-return]
        up_to = "up to and including 1.0" if share_of_all else "below 1.0"
        raise ValueError(
            f"it must be a whole number of rows, at least {least}, or a share of all rows, above 0.0 and "
            f"{up_to}."
        )

    return read


def _amount(given: Any) -> float:
    """Read a number that is not negative."""
    if not _is_number(given) or not isfinite(given) or given < 0:
        raise ValueError("it must be a number of at least 0.")
    return float(given)


def _features(given: Any) -> int | None:
    """Read the features to look at; whether a whole number means all of them depends on the table."""
    if given is None or (_is_number(given) and not _is_whole(given) and given == 1.0):
        return None
    if _is_whole(given) and given >= 1:
        return int(given)
    raise ValueError(_ALL_FEATURES)


def _criterion(given: Any) -> str:
    """Read what the learner calls the best split."""
    if not isinstance(given, str) or given not in CODES:
        raise ValueError(f"another criterion chooses other splits; it must be one of {CRITERIA}.")
    return given


def _is_number(given: Any) -> bool:
    return isinstance(given, Real) and not isinstance(given, bool)


def _is_whole(given: Any) -> bool:
    return _is_number(given) and isinstance(given, Integral)


_ALL_FEATURES = (
    "chance decides which features a node looks at, and no proof covers that. Leave it at None, so that "
    "every node looks at all features."
)

READERS: dict[str, Callable[[Any], Any]] = {
    "criterion": _criterion,
    "splitter": _only("best", "chance decides where a node is split, and no proof covers that."),
    "max_depth": _whole(1),
    "min_samples_split": _rows(2, share_of_all=True),
    "min_samples_leaf": _rows(1, share_of_all=False),
    "min_weight_fraction_leaf": _only(0.0, "shares of weights are not covered. Use min_samples_leaf."),
    "max_features": _features,
    "max_leaf_nodes": _whole(2),
    "min_impurity_decrease": _amount,
    "class_weight": read_class_weight,
    "ccp_alpha": _amount,
    "monotonic_cst": _only(None, "constraints forbid splits that proofs take for possible."),
    "random_state": lambda given: given,
}
"""How each parameter is read; a ValueError says why a value is refused and what to do."""


def describe(thing: Any) -> str:
    """Name something that is not what it should be."""
    if inspect.isclass(thing):
        return f"the class {thing.__name__} itself (an instance is needed)"
    if isinstance(thing, (str, type(None))):
        return repr(thing)
    home = type(thing).__module__.partition(".")[0]
    name = type(thing).__name__
    article = "an" if name[0] in "AEIOU" else "a"
    return f"{article} {name}{'' if home in ('sklearn', 'builtins') else f' of {home}'}"
