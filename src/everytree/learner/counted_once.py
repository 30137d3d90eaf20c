"""Weights of rows, which no proof covers: refused by name wherever a user of scikit-learn would pass them."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar, cast

from everytree.errors import UnsupportedLearnerError

__all__ = ["every_row_counts_once"]

Asked = ParamSpec("Asked")
Answer = TypeVar("Answer")

REMEDY = (
    "Leave it out; where the weights depend on the label alone, use class_weight of the tree, and where they "
    "are whole numbers, repeat the rows."
)


def every_row_counts_once(question: Callable[Asked, Answer]) -> Callable[Asked, Answer]:
    """Let a question refuse ``sample_weight``, with the reason and what to do; None is no weight.

    The signature stays without it, so that scikit-learn does not take the question for one that uses weights.
    """

    @wraps(question)
    def ask(*args: Asked.args, **kwargs: Asked.kwargs) -> Answer:
        if "sample_weight" in kwargs:
            others = dict(kwargs)
            if others.pop("sample_weight") is not None:
                raise UnsupportedLearnerError(
                    "sample_weight is not supported: proofs count the rows of a table, and every row must "
                    f"count once. {REMEDY}"
                )
            return cast("Callable[..., Answer]", question)(*args, **others)
        return question(*args, **kwargs)

    return ask
