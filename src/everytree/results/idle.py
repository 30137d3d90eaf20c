"""Bias models that allow nothing: whatever is proved of them says nothing, and a reader must be told.

Beside `everytree.results.learned`, which does the same for trees that say one thing to everybody.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from everytree.bias import BiasModel, explain, resolve

if TYPE_CHECKING:
    from everytree.results.certification import CertificationResult
    from everytree.table import TrainingTable

__all__ = ["allows_nothing", "idle_components", "idle_warning"]


def idle_components(model: BiasModel, train: TrainingTable) -> dict[str, str]:
    """Give the components of a model that can never change the table, each with the reason.

    Parameters
    ----------
    model : BiasModel
        A bias model without free amounts.
    train : TrainingTable
        The table that it is about.

    Returns
    -------
    dict of str
        Text of a component to a sentence that ends in "so this changes nothing."
    """
    resolved = resolve(model, train)
    parts = explain(model, resolved, train).components
    return {part.text: part.note for part in parts if part.usable == 0}


def idle_warning(result: CertificationResult) -> str:
    """Say loudly that the bias model, or a part of it, allows no change; empty if all of it does."""
    if result.prepared is None:
        return ""
    idle = idle_components(result.bias, result.prepared.train)
    if not idle:
        return ""
    reasons = " ".join(f"{text}: {reason}" for text, reason in idle.items())
    if _all(result, idle):
        return (
            f"THE BIAS MODEL ALLOWS NO OTHER TABLE THAN THE GIVEN ONE. {reasons} Everybody is robust to "
            "that, and it says nothing: correct the amount or the condition."
        )
    return f"A PART OF THE BIAS MODEL CHANGES NOTHING. {reasons} Correct its amount or its condition."


def allows_nothing(result: CertificationResult) -> bool:
    """Tell whether the given table is the only one that the bias model of a result allows."""
    if result.prepared is None:
        return False
    return _all(result, idle_components(result.bias, result.prepared.train))


def _all(result: CertificationResult, idle: dict[str, str]) -> bool:
    return all(str(component) in idle for component in result.bias.components)
