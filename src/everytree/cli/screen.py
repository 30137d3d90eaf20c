"""What people see, all on standard error: tables, notes, and a sign of life when something takes long."""

from __future__ import annotations

import threading
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from rich import box
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from everytree.errors import EverytreeWarning
from everytree.prove.ahead import compile_ahead, is_cold
from everytree.results.learned import tree_facts
from everytree.results.texts import loud_lines, open_lines
from everytree.support.text import percent
from everytree.support.version import learner_notes

if TYPE_CHECKING:
    import pandas as pd

    from everytree.results.certification import CertificationResult

__all__ = [
    "Report",
    "cells",
    "checking",
    "console",
    "counting",
    "looking",
    "notes",
    "plain_table",
    "show_groups",
    "show_notes",
    "show_person",
    "show_shares",
    "show_verdicts",
    "sign_of_life",
    "verifying",
]

Report = Callable[[float, int], None]
"""Told the share of the work that is done and the number of people still provable."""

PATIENCE = 1.0
"""Seconds without a sign of life."""

SECONDS_BETWEEN_LINES = 10.0
"""How often a plain line says how far an audit is, at most."""

COMPILING = "compiling for the first time, this takes some seconds"


def console() -> Console:
    """Give the screen: standard error as it is now."""
    return Console(stderr=True, highlight=False)


@contextmanager
def notes(screen: Console) -> Iterator[None]:
    """Show warnings as one-line notes, one about an untested scikit-learn first."""

    def show(message: Warning | str, *_: Any, **__: Any) -> None:
        screen.print(f"note: {escape(' '.join(str(message).split()))}", soft_wrap=True)

    with warnings.catch_warnings():
        warnings.simplefilter("always", EverytreeWarning)
        warnings.showwarning = show
        for note in learner_notes():
            show(note)
        yield


@contextmanager
def sign_of_life(
    screen: Console, *, quiet: bool = False, waiting: str = "people still provable"
) -> Iterator[Report]:
    """Show how far a search is once it takes longer than a second; only on a terminal."""
    with _late_bar(screen, "proving", quiet, kernels=True) as update:
        yield lambda done, left: update(f"proving, {left} {waiting}", done)


@contextmanager
def counting(screen: Console) -> Iterator[Callable[[int, int], None]]:
    """Show how many of a number of computations are done; see `sign_of_life`."""
    with _late_bar(screen, "computing", False, kernels=True) as update:
        yield lambda done, total: update(f"computing cell {done + 1} of {total}", done / total)


@contextmanager
def looking(screen: Console) -> Iterator[None]:
    """Show that a table is being looked at; see `sign_of_life`."""
    with _late_bar(screen, "looking at the tables", False, kernels=True):
        yield


class AuditProgress:
    """How far an audit is, in a line; told by the audit, shown by `cells`."""

    def __init__(self, update: Callable[[str, float | None], None]) -> None:
        self.began, self.update = time.monotonic(), update
        self.done, self.total = 0, 0
        self.end: float | None = None
        self.bounded: tuple[int, int] | None = None

    def cells(self, done: int, total: int, seconds_left: float | None) -> None:
        """So many cells are done, and the others may take so long."""
        self.done, self.total = done, total
        self.end = None if seconds_left is None else time.monotonic() + seconds_left
        self.update(self.line(), done / total)

    def ranges(self, done: int, total: int) -> None:
        """So many ranges of metrics are bounded."""
        self.bounded = (done, total)
        self.update(self.line(), done / total)

    def line(self, elapsed: bool = False) -> str:
        """Say how far it is; an estimate that has run out is not shown."""
        if not self.total:
            return "reading the tables"
        now = time.monotonic()
        said = f"{self.done} of {self.total} cells are done"
        said += f" after {_duration(now - self.began)}" if elapsed else ""
        if self.bounded is not None:
            done, total = self.bounded
            return f"{said}, {done} of {total} ranges of metrics" + (", now files" if done == total else "")
        if self.done == self.total:
            return f"{said}, now ranges of metrics and files"
        left = None if self.end is None else self.end - now
        return f"{said}, about {_duration(left)} left" if left is not None and left > 0 else said


@contextmanager
def cells(screen: Console, quiet: bool) -> Iterator[AuditProgress]:
    """Show how many cells of an audit are done and how long the others may take.

    On a terminal a bar, elsewhere a plain line from time to time, so that a log shows a sign of life as well.
    """
    with _late_bar(screen, "reading the tables", quiet, kernels=True) as update:
        progress = AuditProgress(update)
        with _lines(screen, quiet, lambda: progress.line(elapsed=True)):
            yield progress


@contextmanager
def _lines(screen: Console, quiet: bool, line: Callable[[], str]) -> Iterator[None]:
    """Print a line now and then if it is a new one and the screen is no terminal: first after ten seconds."""
    if quiet or screen.is_terminal:
        yield
        return
    over = threading.Event()

    def talk() -> None:
        began, pause, last = time.monotonic(), SECONDS_BETWEEN_LINES, ""
        while not over.wait(pause):
            words = line()
            if words != last:
                screen.print(words, soft_wrap=True, markup=False)
            last = words
            pause = max(SECONDS_BETWEEN_LINES, (time.monotonic() - began) / 10)

    talker = threading.Thread(target=talk, daemon=True)
    talker.start()
    try:
        yield
    finally:
        over.set()
        talker.join()


def _duration(seconds: float) -> str:
    if seconds < 90:
        return f"{max(1, round(seconds))} s"
    return f"{round(seconds / 60)} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


@contextmanager
def checking(screen: Console) -> Iterator[Callable[[int, int], None]]:
    """Show how many nodes a check has looked at; see `sign_of_life`."""
    with _late_bar(screen, "checking", False) as update:
        yield lambda nodes, waiting: update(f"checking, {nodes} nodes done, {waiting} waiting", None)


@contextmanager
def verifying(screen: Console) -> Iterator[Callable[[int], None]]:
    """Show how many nodes of a proof file are verified; see `sign_of_life`."""
    with _late_bar(screen, "verifying", False) as update:
        yield lambda nodes: update(f"verifying, {nodes} nodes done", None)


@contextmanager
def _late_bar(
    screen: Console, begin: str, quiet: bool, *, kernels: bool = False
) -> Iterator[Callable[[str, float | None], None]]:
    """Show a bar after a second; where `kernels` come next that nobody has compiled, compile them first."""
    cold = kernels and is_cold()
    if quiet or not screen.is_terminal:
        if cold:
            if not quiet:
                screen.print(COMPILING, soft_wrap=True)
            compile_ahead()
        yield lambda words, done: None
        return
    from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    bar = Progress(*columns, console=screen, transient=True)
    task = bar.add_task(COMPILING if cold else begin, total=None)
    later = threading.Timer(PATIENCE, bar.start)
    later.daemon = True
    later.start()

    def update(words: str, done: float | None) -> None:
        total = None if done is None else 1.0
        bar.update(task, description=words, completed=done, total=total)

    try:
        if cold:
            compile_ahead()
            update(begin, None)
        yield update
    finally:
        later.cancel()
        later.join()
        bar.stop()


def plain_table(headers: Sequence[str], *, numbers: int = 0) -> Table:
    """Start a table; its last `numbers` columns are numbers and stand to the right."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for place, header in enumerate(headers):
        right = place >= len(headers) - numbers
        table.add_column(escape(header), justify="right" if right else "left", no_wrap=right)
    return table


def show_verdicts(screen: Console, result: CertificationResult, witness: str = "") -> None:
    """Show the finding for everybody together; `witness` is the command that shows records of a person."""
    screen.print(f"bias model  {escape(str(result.bias))}", soft_wrap=True)
    screen.print(f"learner     {escape(result.learner)}", soft_wrap=True)
    for name, text in tree_facts(result).lines():
        screen.print(f"{name:<11} {escape(text)}", soft_wrap=True)
    for loud in loud_lines(result):
        screen.print(f"\n[bold]{escape(loud)}[/bold]\n", soft_wrap=True)
    screen.print(f"people      {len(result)}\n")
    table = plain_table(["verdict", "people", "share"], numbers=2)
    for verdict, count in result.counts().items():
        table.add_row(str(verdict), str(count), percent(count / len(result)))
    screen.print(table)
    if result.witnesses:
        screen.print(
            "\nnot robust: retrained on a table that the bias model allows, the tree gives another label.",
            soft_wrap=True,
        )
        if witness:
            screen.print("Which records change, for the first person:", soft_wrap=True)
            screen.print(f"    {escape(witness)} --person {min(result.witnesses)}", soft_wrap=True)
    for line in open_lines(result):
        screen.print(line, soft_wrap=True)
    show_notes(screen, result.notes)


def show_notes(screen: Console, said: Sequence[str]) -> None:
    """Show what proofs take for granted beyond the tables, one line each; see also `notes`."""
    for note in said:
        if note in learner_notes():
            continue  # the command began with it
        screen.print(f"note: {escape(note)}", soft_wrap=True)


def show_groups(screen: Console, groups: pd.DataFrame) -> None:
    """Show the finding group by group, with the size of each group."""
    verdicts = [str(name) for name in groups.columns if name != "n"]
    table = plain_table([*map(str, groups.index.names), "people", *verdicts], numbers=1 + len(verdicts))
    for name, row in zip(groups.index, groups.to_dict("records"), strict=True):
        values = name if isinstance(name, tuple) else (name,)
        table.add_row(*(escape(str(v)) for v in values), str(row["n"]), *(percent(row[v]) for v in verdicts))
    screen.print(table)


def show_shares(screen: Console, shares: pd.DataFrame, sizes: dict[Any, int]) -> None:
    """Show one share for each group and amount, with the size of each group."""
    headers = [*map(str, shares.index.names), "people", *map(str, shares.columns)]
    table = plain_table(headers, numbers=1 + len(shares.columns))
    for name, row in zip(shares.index, shares.to_numpy(), strict=True):
        values = name if isinstance(name, tuple) else (name,)
        table.add_row(*(escape(str(v)) for v in values), str(sizes[name]), *(f"{v:.0%}" for v in row))
    screen.print(table)


def show_person(screen: Console, place: int, values: pd.Series[Any]) -> None:
    """Show who is meant: the position in the test table and the columns."""
    known = ", ".join(f"{name} {value}" for name, value in values.items())
    screen.print(f"person      {place}: {escape(known)}", soft_wrap=True)
