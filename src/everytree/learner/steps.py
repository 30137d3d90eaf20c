"""Which steps may stand before the tree: those that do not look at the labels, by a list of names.

Beside `settings`, for the Pipeline around the tree. What a step makes of the columns is read in
`everytree.table.described`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from everytree.learner.settings import describe
from everytree.table.described import inner_steps, is_from_sklearn

__all__ = ["step_kinds", "step_problems"]

LABEL_BLIND = frozenset(
    {
        *("OneHotEncoder", "OrdinalEncoder", "FunctionTransformer", "VarianceThreshold"),
        *("StandardScaler", "MinMaxScaler", "MaxAbsScaler", "RobustScaler", "Normalizer"),
        *("QuantileTransformer", "PowerTransformer", "PolynomialFeatures", "SplineTransformer"),
        *("SimpleImputer", "KNNImputer", "IterativeImputer", "MissingIndicator"),
        *("KBinsDiscretizer", "Binarizer"),
        *("PCA", "IncrementalPCA", "KernelPCA", "TruncatedSVD", "FastICA", "FactorAnalysis", "NMF"),
    }
)
"""Transformers of scikit-learn whose `fit` takes labels for the sake of a common interface and ignores them.

*Soundness.* Their features are a function of the columns alone, and `flip` changes no column: for every table
of B(T) the fitted steps are the same, and so are the features that the tree is learned from.
"""

LABEL_READERS = frozenset(
    {
        *("TargetEncoder", "SelectKBest", "SelectPercentile", "SelectFpr", "SelectFdr", "SelectFwe"),
        *("GenericUnivariateSelect", "SelectFromModel", "SequentialFeatureSelector", "RFE", "RFECV"),
        *("LinearDiscriminantAnalysis", "NeighborhoodComponentsAnalysis"),
        *("PLSRegression", "PLSCanonical", "PLSSVD", "CCA"),
    }
)
"""Transformers of scikit-learn that learn from the labels."""


def step_problems(steps: list[tuple[str, Any]], place: str = "") -> Iterator[str]:
    """Say of each step that is not known to ignore the labels why it is refused and what to do.

    Parameters
    ----------
    steps : list of (name, transformer)
        As a Pipeline has them, without the tree.
    place : str
        Names of the Pipelines and ColumnTransformers around them, each with a slash behind it.
    """
    for name, step in steps:
        here = f"{place}{name}"
        inner = inner_steps(step)
        if inner is not None:
            if getattr(step, "transformer_weights", None) is not None:
                yield (
                    f"The {type(step).__name__} {here!r} sets transformer_weights="
                    f"{step.transformer_weights!r}, which is not supported. Leave it at None."
                )
            yield from step_problems(inner, f"{here}/")
        elif not _is_known(step):
            what = f"The Pipeline step {here!r} is {describe(step)}"
            yield f"{what}, which is not supported there: {_why(step)}"


def step_kinds(steps: list[tuple[str, Any]]) -> list[str]:
    """Name the kinds of steps that learn something, in their order, each once."""
    names: dict[str, None] = {}
    for _, step in steps:
        inner = inner_steps(step)
        for name in step_kinds(inner) if inner is not None else _kind(step):
            names[name] = None
    return list(names)


def _kind(step: Any) -> list[str]:
    return [] if step is None or isinstance(step, str) else [type(step).__name__]


def _is_known(step: Any) -> bool:
    if step is None or isinstance(step, str):
        return step in (None, "passthrough", "drop")
    return is_from_sklearn(step) and type(step).__name__ in LABEL_BLIND


def _why(step: Any) -> str:
    name = type(step).__name__
    if hasattr(step, "fit_resample"):
        return (
            "it chooses or makes rows by their labels, so one wrong label changes more than one row. "
            "Resample before, and certify on the rows that the tree is fitted to."
        )
    if is_from_sklearn(step) and name in LABEL_READERS:
        return (
            "it looks at the labels, so a wrong label changes its features, and no proof covers that. Leave "
            "it out, or choose the columns once and pass only these."
        )
    return (
        "nobody has made sure that it does not look at the labels. Write it as a FunctionTransformer, which "
        "never sees them, or transform the tables first and pass the tree alone."
    )
