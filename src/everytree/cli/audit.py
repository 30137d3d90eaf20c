"""`everytree audit`: run the audit that a file describes, or write a first such file."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd
from rich.markup import escape

from everytree.audit import load_plan, run_audit
from everytree.audit.template import write_example
from everytree.cli import Interrupted, NotMet
from everytree.cli.outputs import check_writable, write_json
from everytree.cli.screen import cells, console, looking, notes, plain_table, show_groups
from everytree.errors import EverytreeError
from everytree.results.learned import tree_facts
from everytree.support.text import pasteable, percent
from everytree.support.version import VERSION, learner_notes

if TYPE_CHECKING:
    from rich.console import Console

    from everytree.audit import AuditResult

__all__ = ["Request", "begin", "refuse_require", "run"]

VERDICTS = ("robust", "not robust", "unknown")


@dataclass(frozen=True)
class Request:
    """The options of `everytree audit` as they were given."""

    file: Path | None
    dask: str | None = None
    json: str | None = None
    quiet: bool = False


def run(request: Request, test: str | None = None, label: str | None = None) -> None:
    """Run an audit, show what it found, say what was written."""
    if request.file is None:
        raise EverytreeError(
            "Name the audit to run, a .toml file. Write a first one with: everytree audit --init TRAIN"
        )
    if test is not None or label is not None:
        raise EverytreeError(
            f"--test and --label go with --init; the tables of an audit are named in {str(request.file)!r}."
        )
    check_writable("--json", request.json, ".json")
    screen = console()
    with notes(screen):
        with cells(screen, request.quiet) as progress:
            plan = load_plan(request.file)
            try:
                result = run_audit(
                    plan, dask=request.dask, progress=progress.cells, ranges_progress=progress.ranges
                )
            except KeyboardInterrupt as stop:
                raise Interrupted(
                    str(stop) or "Interrupted before the first cell; nothing was computed."
                ) from None
        if not request.quiet:
            _show(screen, result)
    if request.json is not None:
        write_json(request.json, _summary(result))
    short = result.unmet()
    if short:
        raise NotMet("\n".join(["[require] of this audit.", *short]))


def refuse_require(file: Path | None, share: str) -> None:
    """Say where an audit has what `certify` has as an option."""
    where = "the audit file" if file is None else repr(str(file))
    raise EverytreeError(
        f"--require-robust goes with certify; what an audit must find is written in {where}, under "
        f'[require], such as robust = "{share}".'
    )


def begin(file: Path | None, train: str, test: str | None, label: str | None, output: Path) -> None:
    """Write a first audit file for a training table."""
    if file is not None:
        raise EverytreeError(
            f"--init writes a new audit and runs none; received {str(file)!r} as well. Leave one of them out."
        )
    screen = console()
    with notes(screen), looking(screen):
        decided = write_example(train, test, label, output)
    for key, words in decided:
        screen.print(f"{key:<8} {escape(words)}", soft_wrap=True)
    screen.print()
    screen.print(f"Wrote {escape(str(output))}. Read it, change what does not fit, and run it with:\n")
    screen.print(f"    {escape(pasteable(['everytree', 'audit', str(output)]))}", soft_wrap=True)


def _show(screen: Console, result: AuditResult) -> None:
    plan, shares = result.plan, result.to_frame()
    people = len(next(iter(result.prepared.values())).test.X)
    screen.print(f"{escape(plan.title)}: {people} people, {len(plan.cells())} cells\n", soft_wrap=True)
    _show_trees(screen, result)
    columns = ["bias model", "depth", "amount", *VERDICTS]
    table = plain_table(columns, numbers=5)
    before = ("", "")
    for line in _lines(shares[shares["by"] == ""]):
        name, depth = line["bias"], str(line["depth"])
        shown = (name if name != before[0] else "", depth if (name, depth) != before else "")
        table.add_row(*map(escape, shown), _amount(line), *_percent(line))
        before = (name, depth)
    screen.print(table)
    if (~shares["complete"] & (shares["unknown"] > 0)).any():
        screen.print(
            "\nA time limit ended some cells early: some of the unknown may be robust. Raise time_limit "
            "under [audit] and run the same command again.",
            soft_wrap=True,
            markup=False,
        )
    if plan.groups:
        _show_first_groups(screen, result)
    outputs = plan.outputs
    written = [path for path in (outputs.report, outputs.groups, outputs.people) if path is not None]
    screen.print()
    for path in written:
        screen.print(f"wrote {escape(str(path))}", soft_wrap=True)
    if result.proofs:
        _show_proofs(screen, result)
    screen.print(f"cells kept in {escape(str(outputs.folder))}", soft_wrap=True)


def _show_proofs(screen: Console, result: AuditResult) -> None:
    """Say where the proofs are, and how many of the decided people have none in them."""
    decided = sum(len(each) - each.counts()["unknown"] for each in result.verdicts.values())
    inside = sum(len(file.proved) + len(file.refuted) for file in result.proofs.values())
    folder = escape(str(result.plan.outputs.proof_folder))
    left = f"; {decided - inside} verdicts are in none" if inside < decided else ""
    screen.print(f"wrote {len(result.proofs)} proof files into {folder}{left}", soft_wrap=True)


def _show_trees(screen: Console, result: AuditResult) -> None:
    """Show how the tree of each depth does; one that says the same to everybody loudly."""
    for depth in sorted(result.plan.depths):
        facts = tree_facts(next(iter(result.of(0, depth).values()))).named(result.plan.data.shown)
        said = "; ".join(f"{name} {text}" for name, text in facts.lines())
        screen.print(f"depth {depth}  {escape(said)}", soft_wrap=True)
        if facts.warning:
            screen.print(f"         [bold]{escape(facts.warning)}[/bold]", soft_wrap=True)
    screen.print()


def _show_first_groups(screen: Console, result: AuditResult) -> None:
    """Show the groups for the first bias model and deepest tree, at the last amount that says something.

    Where most people are unknown, groups are not told apart: the report leaves such amounts out as well.
    """
    cells = list(result.of(0, max(result.plan.depths)).items())
    decided = (pair for pair in reversed(cells) if 2 * pair[1].counts()["unknown"] <= len(pair[1]))
    cell, verdicts = next(decided, cells[-1])
    screen.print(f"\nBy group, for {escape(str(cell.model))} at depth {cell.depth}", soft_wrap=True)
    for columns in result.plan.groups:
        screen.print()
        show_groups(screen, verdicts.by_group(list(columns)))


def _lines(frame: pd.DataFrame) -> list[dict[str, Any]]:
    return [{str(k): v for k, v in line.items()} for line in frame.to_dict("records")]


def _amount(line: dict[str, Any]) -> str:
    parts = [line[name] for name in ("amount", "with_amount") if isinstance(line[name], str)]
    return " + ".join(parts)


def _percent(line: dict[str, Any]) -> list[str]:
    return [percent(line[verdict]) for verdict in VERDICTS]


def _summary(result: AuditResult) -> dict[str, Any]:
    """What a machine needs: the shares of every cell and group, and where the rest is."""
    plan = result.plan
    shares = result.to_frame()
    lines = _lines(shares.astype(object).where(pd.notna(shares), None))
    outputs = {
        key: str(path)
        for key in ("folder", "report", "people", "groups")
        if (path := getattr(plan.outputs, key)) is not None
    }
    if plan.outputs.proofs:
        outputs["proofs"] = str(plan.outputs.proof_folder)
    return {
        "everytree": VERSION,
        "title": plan.title,
        "notes": list(learner_notes()),
        "hashes": result.hashes,
        "outputs": outputs,
        "shares": lines,
    }
