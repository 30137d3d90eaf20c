"""`everytree witness`: the records whose change gives a person another label."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.markup import escape

from everytree.bias import parse
from everytree.bias.acts import ACTS
from everytree.cli.outputs import check_writable, write_json, write_table
from everytree.cli.preparing import NO_HURRY, Patience, Setup
from everytree.cli.records import show_records
from everytree.cli.screen import Report, console, notes, show_notes, show_person, sign_of_life
from everytree.datasets.inputs import Tables
from everytree.errors import EverytreeError
from everytree.questions.certify import certify_prepared, with_firm_witnesses
from everytree.refute.holding import TRIES
from everytree.results.texts import why_unknown
from everytree.support.files import TABLE_FORMS
from everytree.support.limits import as_jobs
from everytree.support.plain import as_plain
from everytree.support.text import counted
from everytree.support.version import VERSION

if TYPE_CHECKING:
    from rich.console import Console

    from everytree.refute.witness import Witness
    from everytree.results.certification import CertificationResult

__all__ = ["Request", "run"]

MOST_RECORDS = 20
"""Different records that are shown; more stand in the JSON."""

WITHOUT = {
    "robust": "robust. It is proved that no bias of this kind changes the prediction, {}.",
    "unknown": "unknown. Neither a proof nor a witness was found; the prediction is {}. {}",
}


@dataclass(frozen=True)
class Request:
    """The options of `everytree witness` as they were given."""

    setup: Setup
    bias: str
    people: tuple[int, ...]
    patience: Patience = NO_HURRY
    write: Path | None = None
    json: str | None = None


def run(request: Request) -> None:
    """Certify the people who are asked for and show what would change their predictions."""
    request.setup.learner.check()
    request.patience.check()
    check_writable("--json", request.json, ".json")
    check_writable("--write", request.write, *TABLE_FORMS)
    people = tuple(dict.fromkeys(request.people))
    if request.write is not None and len(people) > 1:
        raise EverytreeError(
            f"--write writes the changed table of one person; received {len(people)} times --person. Ask for "
            "one person at a time."
        )
    screen = console()
    with notes(screen):
        with sign_of_life(screen) as report:
            tables, result = _certify(request, people, report)
        screen.print(f"bias model  {escape(str(result.bias))}", soft_wrap=True)
        screen.print(f"learner     {escape(result.learner)}", soft_wrap=True)
        show_notes(screen, result.notes)
        for place, person in enumerate(people):
            screen.print()
            _show(screen, result, place, person, tables)
    if request.write is not None:
        _write(screen, request.write, result.witnesses.get(0), tables)
    if request.json is not None:
        write_json(request.json, as_plain(_as_dict(result, people)))


def _certify(request: Request, people: tuple[int, ...], report: Report) -> tuple[Tables, CertificationResult]:
    """Certify these people only, so that they have all the time there is."""
    limits, jobs = request.patience.limits(), as_jobs(request.patience.n_jobs)
    model = parse(request.bias)
    tables, prepared = request.setup.prepare_people(people)
    result = certify_prepared(prepared, model, engine="auto", limits=limits, n_jobs=jobs, progress=report)
    return tables, with_firm_witnesses(result)


def _show(screen: Console, result: CertificationResult, place: int, person: int, tables: Tables) -> None:
    show_person(screen, person, tables.X_test.iloc[place])
    verdict = str(result.verdicts[place])
    if place not in result.witnesses:
        words = WITHOUT[verdict].format(result.predictions[place], why_unknown(result, place))
        screen.print(f"verdict     {escape(words)}", soft_wrap=True)
        return
    witness = result.witness(place)
    screen.print(f"verdict     {verdict}. The tree, retrained on the changed table, gives another label.")
    screen.print(f"prediction  {escape(f'{witness.before} before, {witness.after} after')}", soft_wrap=True)
    screen.print(f"changes     {_sizes(witness)}")
    screen.print(f"ties        {_ties(result.holds(place))}\n")
    show_records(screen, witness.to_frame(tables.X_train, tables.y_train), tables.label, MOST_RECORDS)


def _sizes(witness: Witness) -> str:
    counts = zip(witness.change.counts, ACTS, strict=True)
    return ", ".join(f"{counted(count, act.noun)} {act.changed}" for count, act in counts if count)


def _ties(holds: int) -> str:
    """Say whether the witness stands on a tie between splits."""
    if holds == TRIES:
        return f"holds on all of {TRIES} other seeds and orders of columns"
    return (
        f"depends on how ties are broken: holds on {holds} of {TRIES} other seeds and orders of columns, and "
        "with yours"
    )


def _write(screen: Console, path: Path, witness: Witness | None, tables: Tables) -> None:
    if witness is None:
        screen.print(f"\nNothing was written to {escape(str(path))}: there is no witness.", soft_wrap=True)
        return
    X, y = witness.apply(tables.X_train, tables.y_train)
    write_table("--write", path, X.assign(**{tables.label: y}))
    screen.print(f"\nThe changed training table is in {escape(str(path))}.", soft_wrap=True)


def _as_dict(result: CertificationResult, people: tuple[int, ...]) -> dict[str, Any]:
    predictions = result.predictions.tolist()
    return {
        "everytree": VERSION,
        "learner": result.learner,
        "bias": str(result.bias),
        "people": [
            {
                "person": person,
                "prediction": predictions[place],
                "verdict": str(result.verdicts[place]),
                "witness": result.witnesses[place].to_dict() if place in result.witnesses else None,
                "holds": result.holds(place) if place in result.witnesses else None,
            }
            for place, person in enumerate(people)
        ],
    }
