"""`everytree explain`: a bias model in words, and what it comes to on one table."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from rich.markup import escape

from everytree.bias import explain, parse, resolve
from everytree.bias.acts import ACTS
from everytree.cli.outputs import STANDARD_OUTPUT, check_writable, write_json
from everytree.cli.screen import console, notes, plain_table
from everytree.datasets.inputs import read_training
from everytree.errors import BiasError, EverytreeError
from everytree.support.text import counted, pasteable
from everytree.table import training_table
from everytree.table.frames import known_names

if TYPE_CHECKING:
    from rich.console import Console

    from everytree.bias import BiasModel, Explanation

__all__ = ["run"]


def run(bias: str, train: str, label: str | None, drop: tuple[str, ...], json: str | None) -> None:
    """Explain a bias model on a table."""
    check_writable("--json", json, ".json")

    screen = console()
    model = _parsed(bias, train)
    with notes(screen):
        X, y, name = read_training(train, label)
        known_names(drop, list(map(str, X.columns)), "--drop", name)
        table = training_table(X, y, drop=drop, label_name=name)
        resolved = resolve(model, table)
        explanation = explain(model, resolved, table)
    if json != STANDARD_OUTPUT:
        _show(screen, explanation)
    if json is not None:
        write_json(json, explanation.to_dict())


def _parsed(bias: str, train: str) -> BiasModel:
    """Read the bias model; if it stands where the table should, say so."""
    try:
        return parse(bias)
    except BiasError:
        with suppress(BiasError):
            parse(train)
            command = pasteable(["everytree", "explain", train, bias])
            raise EverytreeError(
                "The bias model comes first, then the table; received them the other way round. Write: "
                f"{command}"
            ) from None
        raise


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
    budgets = [f"{counted(getattr(explanation, act.budget), act.noun)} {act.changed}" for act in ACTS]
    screen.print(f"budgets           {', '.join(budgets)}")
    screen.print(f"possible tables   {explanation.size_in_words.rpartition(' ')[0]}")
