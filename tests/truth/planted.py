"""Provers with a planted mistake: their proof files must be rejected.

Mistakes of `mutants.MUTANTS` in the provers, each planted in a copy of the package. The campaign looks for a
verdict that is wrong, has the faulty prover write it down, and asks the verification, which is faultless: it
must reject the file. One that it accepts ends the campaign with an error.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from tests.truth.mutants import MUTANTS, Hunt, Mutant, hunt

WALK = (
    "stop forgotten",
    "ties dropped",
    "sign of the removal gradient",
    "cells that cannot exist, mirrored",
    "flip caps without additions",
    "leaf flip worth 1",
    "leaf tie rule reversed",
    "midpoints in spite of additions",
    "joint test forgets that a flip takes away",
    "no outer splits",
    "challengers that may be unavailable",
    "small nodes never stop",
    "max_leaf_nodes forgotten",
    "upper cost of splits that may lack rows",
    "min_impurity_decrease forgotten, intervals",
)
PATHS = ("paths ask for the most demanding leaf", "rivals that may be unavailable")


def planted() -> dict[str, Mutant]:
    """The mistakes by name, each with the campaign that has its proofs verified."""
    by_name = {mutant.name: mutant for mutant in MUTANTS}
    walk = {name: replace(by_name[name], engine="planted walk") for name in WALK}
    return walk | {name: replace(by_name[name], engine="planted paths") for name in PATHS}


def is_rejected(mutant: Mutant, folder: Path) -> Hunt:
    """Plant a mistake in a copy of the package in an empty folder, and look for a file that is rejected."""
    found = hunt(mutant, folder)
    return replace(found, caught=found.caught and "REJECTED" in found.output)
