"""`everytree radius`: how much bias of one kind each prediction can stand."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from rich.markup import escape

from everytree.cli.options import SECONDS
from everytree.cli.outputs import check_writable, write_json, write_table
from everytree.cli.preparing import NO_HURRY, Patience, Setup
from everytree.cli.screen import Report, console, notes, plain_table, show_notes, show_shares, sign_of_life
from everytree.errors import EverytreeError
from everytree.questions.radius import as_family, radius_prepared
from everytree.support.limits import as_jobs
from everytree.support.plain import flat
from everytree.support.text import percent
from everytree.table.groups import group_frame, group_members

if TYPE_CHECKING:
    from rich.console import Console

    from everytree.results.radii import RadiusResult

__all__ = ["Request", "run"]

QUANTILES = {"least": 0.0, "10%": 0.1, "25%": 0.25, "50%": 0.5, "75%": 0.75, "90%": 0.9, "most": 1.0}
"""Shares of the people whose radius is at most the number shown."""


@dataclass(frozen=True)
class Request:
    """The options of `everytree radius` as they were given."""

    setup: Setup
    family: str
    max_amount: int | None = None
    groups: tuple[str, ...] = ()
    patience: Patience = NO_HURRY
    json: str | None = None
    csv: Path | None = None


def run(request: Request) -> None:
    """Find everybody's radius, show the distribution, write the files."""
    request.setup.learner.check()
    request.patience.check()
    if request.max_amount is not None and request.max_amount < 0:
        raise EverytreeError(
            f"--max-amount must be a whole number of at least 0; received {request.max_amount}. Leave it out "
            "for as many records as the table has."
        )
    check_writable("--json", request.json, ".json")
    check_writable("--csv", request.csv, ".csv")
    screen = console()
    with notes(screen):
        with sign_of_life(screen, waiting="people not settled yet") as report:
            result = _measure(request, report)
        _show(screen, result, request.groups)
        if not result.complete:
            _show_longer(screen, request)
    if request.csv is not None:
        write_table("--csv", request.csv, flat(result.to_frame()))
    if request.json is not None:
        write_json(request.json, result.to_dict())


def _measure(request: Request, report: Report) -> RadiusResult:
    family = as_family(request.family)
    tables = request.setup.read()
    if request.groups:
        group_frame(list(request.groups), tables.X_test, tables.label)
    limits = request.patience.limits()
    return radius_prepared(
        request.setup.prepare(tables),
        family,
        max_amount=request.max_amount,
        limits=limits,
        n_jobs=as_jobs(request.patience.n_jobs),
        progress=report,
    )


def _show(screen: Console, result: RadiusResult, groups: tuple[str, ...]) -> None:
    exact = int(result.exact.sum())
    screen.print(f"family        {escape(str(result.family))}", soft_wrap=True)
    screen.print(f"amounts       0 to {result.max_amount} records")
    screen.print(f"exact radius  {exact} of {len(result)} people, {percent(exact / len(result))}")
    if unshaken := _unshaken(result):
        screen.print(
            f"              {unshaken} others are proved up to the largest amount, perhaps beyond it"
        )
    show_notes(screen, result.notes)
    screen.print("\nThe radius of a prediction is the largest amount for which it is proved robust.")
    if exact < len(result):
        screen.print(
            "It is exact unless a gap is left between the largest amount proved and the smallest one refuted."
        )
    screen.print()
    _show_quantiles(screen, result)
    amounts = _readable_amounts(result)
    screen.print("\nShare of the people by amount\n")
    curve = result.curve().reindex(amounts, method="ffill")
    table = plain_table(["amount", *map(str, curve.columns)], numbers=1 + len(curve.columns))
    for amount, shares in zip(amounts, curve.to_numpy(), strict=True):
        table.add_row(str(amount), *(percent(abs(share)) for share in shares))
    screen.print(table)
    if groups:
        names = ", ".join(groups)
        screen.print(f"\nShare that is proved robust, by amount and {escape(names)}\n", soft_wrap=True)
        by_group = result.curve(list(groups))["robust"].unstack("amount")
        members = group_members(group_frame(list(groups), result.frame))
        sizes = {key if len(key) > 1 else key[0]: len(people) for key, people in members.items()}
        show_shares(screen, by_group.loc[[*sizes]].reindex(columns=amounts, method="ffill"), sizes)


def _show_longer(screen: Console, request: Request) -> None:
    """Say that a limit left gaps, and give the command that takes ten times as long."""
    screen.print(
        "\nA limit ended the search: between proved and changed there may be gaps that more time closes."
    )
    limit = request.patience.time_limit
    words = ["--time-limit", f"{10 * limit:g}"] if limit is not None else []
    words += request.patience.arguments(SECONDS)
    words += [] if request.max_amount is None else ["--max-amount", str(request.max_amount)]
    words += [word for name in request.groups for word in ("--group", name)]
    for option, file in (("--json", request.json), ("--csv", request.csv)):
        words += [] if file is None else [option, str(file)]
    command = request.setup.command("radius", request.family, words)
    if command and limit is not None:
        screen.print("With ten times as long:")
        screen.print(f"    {escape(command)}", soft_wrap=True)


def _show_quantiles(screen: Console, result: RadiusResult) -> None:
    table = plain_table(["people", "proved up to", "changed by"], numbers=2)
    for name, share in QUANTILES.items():
        proved = int(np.quantile(result.lower, share, method="inverted_cdf"))
        changed = float(np.quantile(result.upper, share, method="inverted_cdf"))
        table.add_row(
            name,
            str(proved) if proved >= 0 else "nothing",
            f"{changed:.0f}" if np.isfinite(changed) else "not found",
        )
    screen.print(table)


def _readable_amounts(result: RadiusResult) -> list[int]:
    """0, 1, 2, 5, 10, 20 and so on, from the last one where nothing has changed to the first with all."""
    changes = sorted(map(int, result.curve().index))
    first, last = changes[min(1, len(changes) - 1)], changes[-1]
    amounts, power = [0], 1
    while amounts[-1] < last:
        amounts += [step * power for step in (1, 2, 5)]
        power *= 10
    begin = max(place for place, amount in enumerate(amounts) if amount < first or place == 0)
    end = next(place for place, amount in enumerate(amounts) if amount >= last)
    shown = {0, *(min(amount, result.max_amount) for amount in amounts[begin : end + 1])}
    return sorted(shown | {result.max_amount} if _unshaken(result) else shown)


def _unshaken(result: RadiusResult) -> int:
    """Count the people who are proved up to the largest amount that was looked at."""
    return int((result.lower >= result.max_amount).sum())
