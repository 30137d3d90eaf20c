"""Computing the cells again: with intervals as the paper does, and as users of everytree get it."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sklearn.tree import DecisionTreeClassifier

from everytree.errors import EverytreeError, InternalError
from everytree.learner import prepare
from everytree.questions.certify import certify_prepared
from everytree.reproduce.cells import Cell, paper_cells
from everytree.reproduce.sources import Source, has_paper_tables, open_source
from everytree.support.limits import Limits

if TYPE_CHECKING:
    from everytree.bias import BiasModel
    from everytree.learner import Prepared

__all__ = ["ENGINES", "CellOutcome", "Reproduction", "Run", "open_all", "prepare_tree", "reproduce"]

ENGINES = ("interval", "relational")
"""The paper's method with its splits fixed in advance, and the default of everytree."""

NEIGHBOURS = (-1, 1, -2, 2)
"""Where to look for the number of records behind a rate that comes out differently."""

QUICK_SECONDS = 2.0
"""Only cells that take no longer are looked at more closely."""

Tick = Callable[[int, int], None]


@dataclass(frozen=True)
class Run:
    """Percent of people certified (None if a limit was reached) and the time it took."""

    percent: float | None
    seconds: float


@dataclass(frozen=True)
class CellOutcome:
    """A cell, what each engine made of it, and a remark if the difference can be explained."""

    cell: Cell
    runs: dict[str, Run]
    note: str = ""


@dataclass(frozen=True)
class Reproduction:
    """All outcomes and what a reader must know about them."""

    outcomes: list[CellOutcome]
    engines: tuple[str, ...]
    on_paper_tables: bool
    remarks: list[str] = field(default_factory=list)


def reproduce(
    table: str = "all",
    datasets: Sequence[str] = (),
    *,
    engines: Sequence[str] = ENGINES,
    time_limit: float = 60.0,
    tick: Tick | None = None,
) -> Reproduction:
    """Compute cells of the paper's tables.

    Parameters
    ----------
    table : {"all", "rates", "depth"}
        Which table.
    datasets : sequence of str
        Only these data sets; by default all that there are tables for.
    engines : sequence of {"interval", "relational"}
        Which columns of our own. Under "interval" the splits are fixed in advance, as in the paper, so
        added rows make no new ones; "relational" is what `certify` does.
    time_limit : float
        Seconds for each cell and engine.
    tick : callable, optional
        Called with the number of cells done and in all.

    Returns
    -------
    Reproduction
        On the paper's exact tables if the environment variable EVERYTREE_DATA names their folder,
        otherwise on the bundled ones.
    """
    cells = paper_cells(table, datasets)
    sources, remarks = open_all([cell.dataset for cell in cells], strict=bool(datasets))
    cells = [cell for cell in cells if cell.dataset in sources]
    trees: dict[tuple[str, int], Prepared] = {}
    outcomes = []
    for done, cell in enumerate(cells):
        if tick is not None:
            tick(done, len(cells))
        source = sources[cell.dataset]
        key = (cell.dataset, cell.depth)
        if key not in trees:
            trees[key] = prepare_tree(source, cell.depth)
        outcomes.append(_compute(cell, source, trees[key], engines, time_limit))
    if has_paper_tables():
        remarks += _impossible_rates(outcomes, sources)
    if has_paper_tables() and "mnist17" in sources:
        remarks.append("mnist17: the first 100 test images; the paper does not say which 100 it used.")
    return Reproduction(outcomes, tuple(engines), has_paper_tables(), remarks)


def open_all(names: Sequence[str], *, strict: bool) -> tuple[dict[str, Source], list[str]]:
    """Open each data set; one that nobody asked for by name may be left out, with a remark."""
    sources: dict[str, Source] = {}
    problems: dict[str, str] = {}
    for name in dict.fromkeys(names):
        try:
            sources[name] = open_source(name)
        except EverytreeError as error:
            if strict:
                raise
            problems[name] = str(error)
    if not sources:
        raise EverytreeError(next(iter(problems.values()), "There is nothing to compute."))
    return sources, [f"{name} is left out: {problem}" for name, problem in problems.items()]


def prepare_tree(source: Source, depth: int) -> Prepared:
    """Encode the tables of a data set and learn its tree."""
    data = source.data
    tree = DecisionTreeClassifier(max_depth=depth, random_state=0)
    return prepare(tree, data.X_train, data.y_train, data.X_test, label_name=data.label)


def _compute(
    cell: Cell, source: Source, prepared: Prepared, engines: Sequence[str], time_limit: float
) -> CellOutcome:
    model = cell.model(source.target)
    if has_paper_tables():
        _check_records(cell, model, prepared)
    runs = {engine: _run(prepared, model, engine, time_limit) for engine in engines}
    note = ""
    if has_paper_tables() and cell.dataset != "mnist17" and _differs(cell, runs.get("interval")):
        note = _closer_look(cell, source, prepared, runs["interval"], time_limit)
    return CellOutcome(cell, runs, note)


def _run(prepared: Prepared, model: BiasModel, engine: str, time_limit: float) -> Run:
    started = time.monotonic()
    result = certify_prepared(
        prepared,
        model,
        engine=engine,
        limits=Limits.of(time_limit),
        outer_splits=engine != "interval",
    )
    percent = 100 * result.robust_rate if result.complete else None
    return Run(percent, time.monotonic() - started)


def _check_records(cell: Cell, model: BiasModel, prepared: Prepared) -> None:
    """The percentage, rounded up, must be the number of records that the paper's table was made with."""
    n_rows = len(prepared.train.y)
    for component in model.components:
        records = component.amount.rows(n_rows, n_rows)
        if records != cell.records:
            raise InternalError(
                f"{component} is {records} of {n_rows} rows, but the paper's table was made with "
                f"{cell.records}. EVERYTREE_DATA must name the paper's own tables."
            )


def _differs(cell: Cell, run: Run | None) -> bool:
    return (
        run is not None
        and run.percent is not None
        and cell.paper is not None
        and f"{run.percent:.1f}" != f"{cell.paper:.1f}"
    )


def _closer_look(cell: Cell, source: Source, prepared: Prepared, run: Run, time_limit: float) -> str:
    """Find the number of records that gives the paper's rate, if it is close to the right one."""
    if run.seconds > QUICK_SECONDS:
        return ""
    for step in NEIGHBOURS:
        records = cell.records + step
        if records < 1:
            continue
        other = _run(prepared, cell.model(source.target, records), "interval", time_limit)
        if not _differs(cell, other) and other.percent is not None:
            each = " of each kind" if len(cell.kinds) > 1 else ""
            given = "1 record gives" if records == 1 and not each else f"{records} records{each} give"
            return (
                f"{cell.dataset}, depth {cell.depth}, {cell.bias_name}, {cell.percent}%: the paper's "
                f"{cell.paper} is what {given}; the percentage, rounded up, is {cell.records}."
            )
    return ""


def _impossible_rates(outcomes: Sequence[CellOutcome], sources: dict[str, Source]) -> list[str]:
    """Name the rates of the paper that no number of people out of this test table gives."""
    remarks = []
    for name, source in sources.items():
        n_people = len(source.data.X_test)
        shares = {f"{100 * count / n_people:.1f}" for count in range(n_people + 1)}
        printed = {o.cell.paper for o in outcomes if o.cell.dataset == name and o.cell.paper is not None}
        odd = sorted(rate for rate in printed if f"{rate:.1f}" not in shares)
        if odd:
            rates = ", ".join(f"{rate:.1f}" for rate in odd)
            remarks.append(
                f"{name}: no number of people out of the {n_people} of this test table gives the "
                f"paper's {rates}."
            )
    return remarks
