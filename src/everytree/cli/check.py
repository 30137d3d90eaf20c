"""`everytree check`: one proof, derived a second time by the independent checker."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.markup import escape

from everytree.bias import parse
from everytree.checker import check
from everytree.cli.preparing import Setup
from everytree.cli.screen import checking, console, notes, show_notes, show_person, sign_of_life
from everytree.questions.certify import certify_prepared
from everytree.support.limits import NO_LIMITS
from everytree.support.text import counted

if TYPE_CHECKING:
    from rich.console import Console

    from everytree.checker import CheckReport
    from everytree.learner import Prepared

__all__ = ["run"]

MEANINGS = {
    ("robust", "confirmed"): (
        "The proof was derived a second time, in whole numbers and without the code of the engine."
    ),
    ("robust", "not confirmed"): (
        "This does not say that the proof is wrong. The checker is simpler than the engine: it tries fewer "
        "arguments and does not know regions (where rows may be added), so it may fail to confirm a correct "
        "proof."
    ),
    ("unknown", "confirmed"): (
        "The engine left this person open; the checker alone proves that the prediction is robust."
    ),
    ("unknown", "not confirmed"): (
        "The walk alone does not prove this person; certify with engine auto may, by path programs, which "
        "this checker does not repeat. everytree witness looks for records that change the prediction."
    ),
    ("unknown", "refuted"): (
        "Some splits of the table as it is are tied, and the prediction depends on how the tie is broken. "
        "The engine did not claim a proof."
    ),
}
FAULT = (
    "THE ENGINE AND THE CHECKER CONTRADICT EACH OTHER. This is a fault in everytree: do not use this "
    "verdict, and please report it with the table and the command."
)


def run(setup: Setup, bias: str, person: int) -> None:
    """Certify one person, check the proof, and say what came out."""
    setup.learner.check()

    screen = console()
    with notes(screen):
        with sign_of_life(screen) as report:
            model = parse(bias)
            tables, prepared = setup.prepare_people([person])
            result = certify_prepared(prepared, model, engine="relational", limits=NO_LIMITS, progress=report)
        screen.print(f"bias model  {escape(str(model))}", soft_wrap=True)
        screen.print(f"learner     {escape(result.learner)}", soft_wrap=True)
        show_notes(screen, result.notes)
        show_person(screen, person, tables.X_test.iloc[0])
        screen.print(f"prediction  {escape(str(result.predictions[0]))}", soft_wrap=True)
        with checking(screen) as progress:
            found = check(prepared, model, 0, progress=progress)
    _show(screen, str(result.verdicts[0]), found, prepared)


def _show(screen: Console, verdict: str, found: CheckReport, prepared: Prepared) -> None:
    screen.print(f"\nengine      {verdict}")
    screen.print(f"checker     {found.outcome}")
    if found.reason:
        screen.print(f"reason      {escape(found.reason)}", soft_wrap=True)
    if found.path:
        screen.print(f"path        {escape('; '.join(found.path))}", soft_wrap=True)
    if found.label is not None:
        screen.print(f"label       {escape(str(prepared.train.labels[found.label]))}", soft_wrap=True)
    work = (
        f"{counted(found.nodes, 'node')}, {counted(found.splits, 'split')}, {found.dropped} of them dropped"
    )
    screen.print(f"work        {work}\n")
    words = MEANINGS.get((verdict, found.outcome))
    if words is None:
        screen.print(f"[bold red]{FAULT}[/bold red]", soft_wrap=True)
    else:
        screen.print(words, soft_wrap=True)
