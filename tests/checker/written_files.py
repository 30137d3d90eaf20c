"""A proof file of a small table in memory, and whether the verification accepts changed lines of it."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from sklearn.tree import DecisionTreeClassifier

from everytree import certify
from everytree.checker.proofs import Rejected, verify_lines
from everytree.questions.proofs.writing import _Proofs
from everytree.support.limits import Limits


def table() -> tuple[pd.DataFrame, pd.Series]:
    rng = np.random.default_rng(7)
    rows = int(rng.integers(14, 40))
    rng.integers(2, 4)
    X = pd.DataFrame({"a": rng.integers(0, 5, rows), "b": rng.integers(0, 3, rows)})
    X["c"] = rng.integers(0, 2, rows)
    y = ((X.a > 1) ^ (X.c == 1)).astype(int)
    return X, pd.Series(y.where(rng.random(rows) > 0.2, rng.integers(0, 2, rows)))


class Written(NamedTuple):
    """What was certified, the proofs as they were found, and the lines of the file."""

    result: Any
    proofs: Any
    lines: list[Any]

    def accepts(self, lines: list[Any]) -> bool:
        try:
            verify_lines(iter(lines), self.proofs.tables)
        except Rejected:
            return False
        return True


def write(bias: str, **settings: Any) -> Written:
    X, y = table()
    tree = DecisionTreeClassifier(max_depth=3, random_state=0, **settings)
    result = certify(tree, X, y, X.drop_duplicates(), bias)
    proofs = _Proofs(result, Limits.of(60.0))
    return Written(result, proofs, json.loads(json.dumps(list(proofs._lines()))))
