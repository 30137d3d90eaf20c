"""`everytree certify`: one request from its tables to its verdicts."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from rich.markup import escape

from everytree.bias import parse
from everytree.cli import NotMet
from everytree.cli.outputs import STANDARD_OUTPUT, check_writable, print_for_machines
from everytree.cli.preparing import NO_HURRY, Patience, Setup
from everytree.cli.screen import Report, console, notes, show_groups, show_verdicts, sign_of_life
from everytree.questions.certify import certify_prepared, with_firm_witnesses
from everytree.results.gate import as_share, unmet_robust
from everytree.results.idle import allows_nothing
from everytree.support.limits import as_jobs
from everytree.table.groups import group_frame

if TYPE_CHECKING:
    from rich.console import Console

    from everytree.results.certification import CertificationResult

__all__ = ["Request", "run"]


@dataclass(frozen=True)
class Request:
    """The options of `everytree certify` as they were given."""

    setup: Setup
    bias: str
    engine: str = "auto"
    groups: tuple[str, ...] = ()
    patience: Patience = NO_HURRY
    json: str | None = None
    csv: Path | None = None
    proof: Path | None = None
    quiet: bool = False
    require_robust: str | None = None


def run(request: Request) -> None:
    """Certify, show the summary, write the files."""
    request.setup.learner.check()
    request.patience.check()
    check_writable("--json", request.json, ".json")
    check_writable("--csv", request.csv, ".csv")
    check_writable("--proof", request.proof, ".proof")
    asked = request.require_robust
    wanted = None if asked is None else as_share("--require-robust", asked)
    screen = console()
    with notes(screen):
        with sign_of_life(screen, quiet=request.quiet) as report:
            result = _certify(request, report)
        if request.proof is not None:
            result = _write_proof(screen, result, request.proof)
        if not request.quiet:
            show_verdicts(screen, result, _command(request, "witness", request.patience.arguments()))
            _show_longer(screen, result, request)
            if request.groups:
                screen.print()
                show_groups(screen, result.by_group(list(request.groups)))
    if request.csv is not None:
        result.save(request.csv)
    if request.json == STANDARD_OUTPUT:
        print_for_machines(result.to_json(indent=1))
    elif request.json is not None:
        result.save(request.json)
    short = "" if wanted is None else unmet_robust(result, wanted)
    if wanted is not None and allows_nothing(result):
        short = "the bias model allows no other table than the given one, and robustness to it says nothing"
    if short:
        raise NotMet(f"--require-robust {asked}: {short}.")


def _command(request: Request, verb: str, further: list[str]) -> str:
    return request.setup.command(verb, request.bias, further)


def _show_longer(screen: Console, result: CertificationResult, request: Request) -> None:
    """Where time ran out for somebody, give the command that takes ten times as long."""
    unknown, reasons, limit = result.verdicts == "unknown", result.reasons, request.patience.time_limit
    if reasons is None or limit is None or not np.any(reasons[unknown] == "time"):
        return
    words = [] if request.engine == "auto" else ["--engine", request.engine]
    words += request.patience.arguments(10 * limit)
    words += [word for name in request.groups for word in ("--group", name)]
    for option, file in (("--json", request.json), ("--csv", request.csv), ("--proof", request.proof)):
        words += [] if file is None else [option, str(file)]
    words += [] if request.require_robust is None else ["--require-robust", request.require_robust]
    command = _command(request, "certify", words)
    if command:
        screen.print("With ten times as long:", soft_wrap=True)
        screen.print(f"    {escape(command)}", soft_wrap=True)


def _write_proof(screen: Console, result: CertificationResult, path: Path) -> CertificationResult:
    """Write the proofs; who has none that is exact counts as unknown from here on."""
    from everytree.questions.proofs import only_exact

    written = result.write_proof(path)
    screen.print(
        f"proof       {escape(str(path))}: people robust: {len(written.proved)}, not robust: "
        f"{len(written.refuted)}",
        soft_wrap=True,
    )
    for reason, count in Counter(written.left_out.values()).items():
        screen.print(f"not in it   {count}: {escape(reason)}", soft_wrap=True)
    return only_exact(result, written)


def _certify(request: Request, report: Report) -> CertificationResult:
    limits = request.patience.limits()
    model = parse(request.bias)
    prepared = request.setup.prepare(request.setup.read())
    if request.groups:
        group_frame(list(request.groups), prepared.test.frame, prepared.train.label_name)
    jobs = as_jobs(request.patience.n_jobs)
    result = certify_prepared(
        prepared, model, engine=request.engine, limits=limits, n_jobs=jobs, progress=report
    )
    return with_firm_witnesses(result)
