"""What users hold in their hands: a search over settings in place of the estimator that it found.

Before `prepared`: what comes out of here is a tree or a Pipeline, or is refused by name.
"""

from __future__ import annotations

from typing import Any

from everytree.errors import UnsupportedLearnerError
from everytree.table.described import is_from_sklearn

__all__ = ["found_by", "unwrapped", "why_not"]

SEARCHES = frozenset({"GridSearchCV", "RandomizedSearchCV", "HalvingGridSearchCV", "HalvingRandomSearchCV"})

MANY_TREES = (
    "it lets many trees vote, each grown from other rows, features or weights, and proofs are about a single "
    "tree. Certify a single DecisionTreeClassifier; of a forest, no tree by itself says what the forest says."
)

REASONS = {
    **dict.fromkeys(
        [
            *("RandomForestClassifier", "ExtraTreesClassifier", "BaggingClassifier", "AdaBoostClassifier"),
            *("GradientBoostingClassifier", "HistGradientBoostingClassifier", "VotingClassifier"),
            *("StackingClassifier", "XGBClassifier", "LGBMClassifier", "CatBoostClassifier"),
        ],
        MANY_TREES,
    ),
    "ExtraTreeClassifier": "chance decides where a node is split, and no proof covers that.",
    "DecisionTreeRegressor": "it predicts numbers, and proofs are about labels. Cut them into classes.",
    **dict.fromkeys(SEARCHES, "put the search around the whole Pipeline, fit it, and pass it again."),
    "CalibratedClassifierCV": "it changes what the tree says. Pass the tree itself.",
}
"""Why other estimators are refused, and what to do, by the names of their classes."""


def why_not(estimator: Any) -> str:
    """Say why an estimator that is no tree is refused; empty if there is nothing special about it."""
    reason = REASONS.get(type(estimator).__name__, "")
    return f" {reason[0].upper()}{reason[1:]}" if reason else ""


def unwrapped(estimator: Any) -> Any:
    """Give the estimator that a fitted search found; anything else as it is.

    Raises
    ------
    UnsupportedLearnerError
        If the search has not been fitted, or kept no estimator.
    """
    if not _is_search(estimator):
        return estimator
    name = type(estimator).__name__
    if hasattr(estimator, "best_estimator_"):
        return estimator.best_estimator_
    if hasattr(estimator, "cv_results_"):
        raise UnsupportedLearnerError(
            f"The {name} was fitted with refit={estimator.refit!r} and kept no best_estimator_. Fit it with "
            "refit=True, or pass an estimator with the settings that it found (best_params_)."
        )
    raise UnsupportedLearnerError(
        f"The {name} has not been fitted, so nobody knows yet which settings are certified. Fit it first, on "
        "the training table, and pass it again; its best_estimator_ is then certified."
    )


def found_by(estimator: Any) -> tuple[str, ...]:
    """Say which search found the estimator, and what is not certified then."""
    if not _is_search(estimator):
        return ()
    return (
        f"The estimator is the best_estimator_ of a {type(estimator).__name__}. The search looked at the "
        "labels; its choice of settings is kept as it is, and the search is not repeated on changed tables.",
    )


def _is_search(estimator: Any) -> bool:
    return is_from_sklearn(estimator) and type(estimator).__name__ in SEARCHES
