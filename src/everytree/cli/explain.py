"""`everytree explain`: a bias model in words, and what it comes to on one table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich.markup import escape

from everytree.bias import explain, parse, resolve
from everytree.bias.kinds import KINDS
from everytree.cli.outputs import STANDARD_OUTPUT, check_writable, write_json
from everytree.cli.screen import console, notes, plain_table
from everytree.datasets.inputs import read_training
from everytree.learner.missing import fill
from everytree.support.text import counted
from everytree.table import training_table

if TYPE_CHECKING:
    import pandas as pd
    from rich.console import Console

    from everytree.bias import Explanation
    from everytree.table import TrainingTable

__all__ = ["run"]


def run(bias: str, train: str, label: str | None, drop: tuple[str, ...], json: str | None) -> None:
    """Explain a bias model on a table."""
    check_writable("--json", json, ".json")

    screen = console()
    model = parse(bias)
    with notes(screen):
        X, y, name = read_training(train, label)
        table = _table(X, y, drop, name)
        resolved = resolve(model, table)
        explanation = explain(model, resolved, table)
    if json != STANDARD_OUTPUT:
        _show(screen, explanation)
    if json is not None:
        write_json(json, explanation.to_dict())


def _table(X: pd.DataFrame, y: pd.Series[Any], drop: tuple[str, ...], label: str) -> TrainingTable:
    """Read the table; no tree is learned, so columns with holes do no harm, and conditions may name them."""
    filled = fill("learn", X, X[:0], drop=drop, label_name=label).X_train
    holes = [str(name) for name in X.columns if filled[name].isna().any()]
    left_out = (*drop, *holes) if len({*drop, *holes}) < X.shape[1] else drop
    return training_table(filled, y, drop=left_out, label_name=label)


def _show(screen: Console, explanation: Explanation) -> None:
    screen.print(escape(explanation.words), soft_wrap=True)
    screen.print()
    table = plain_table(["component", "at most", "eligible rows", "can be touched"], numbers=3)
    for part in explanation.components:
        table.add_row(escape(part.text), str(part.count), str(part.eligible), str(part.usable))
    screen.print(table)
    for part in explanation.components:
        if part.note:
            screen.print(f"note: {escape(part.text)}: {escape(part.note)}", soft_wrap=True)
    screen.print()
    screen.print(f"training rows     {explanation.n_rows}")
    budgets = [f"{counted(getattr(explanation, kind.budget), kind.noun)} {kind.changed}" for kind in KINDS]
    screen.print(f"budgets           {', '.join(budgets)}")
    screen.print(f"possible tables   {explanation.size_in_words.rpartition(' ')[0]}")
