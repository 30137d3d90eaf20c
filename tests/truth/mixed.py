"""Problems over all settings together: whatever a learner can be told, on every style of table.

Each setting is drawn by itself, so that weights meet holes, entropy meets removals and several labels, leaf
limits meet balanced weights, and all of them trees without a depth limit.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from tests.truth.hard_tables import HARD
from tests.truth.problems import ALL_STOPS, WEIGHTS, Problem, random_problem

STYLES = ("loose", "separable", "bulk", *HARD)
CRITERIA = ("gini", "gini", "entropy", "log_loss")
LABELS = (2, 2, 3, 3, 4, 5, 7, 10)


def mixed_problem(seed: int, **focus: Any) -> Problem:
    """Draw settings, and a problem for them; what ``focus`` names is not drawn (see `random_problem`)."""
    rng = np.random.default_rng([seed, 3])
    drawn: dict[str, Any] = {
        "style": str(rng.choice(STYLES)),
        "classes": int(rng.choice(LABELS)),
        "criterion": str(rng.choice(CRITERIA)),
        "stops": ALL_STOPS if rng.random() < 0.45 else None,
        "weights": tuple(WEIGHTS) if rng.random() < 0.5 else None,
        "holes": float(rng.choice([0.2, 0.5])) if rng.random() < 0.4 else None,
    }
    deep, fixed = rng.random() < 0.3, rng.random() < 0.5
    problem = random_problem(seed, **{**drawn, **focus})
    depth = None if deep and "depth" not in focus else problem.depth
    return replace(problem, name=f"mixed {seed}", depth=depth, random_state=seed % 7 if fixed else None)
