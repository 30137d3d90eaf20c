"""Computing cells: what is asked of one, the answer in plain values, and many of them at the same time.

A cell is computed the same way in this process, in others and on a cluster; see also `cluster`.
"""

from __future__ import annotations

import pickle
import zlib
from collections.abc import Generator, Mapping
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from functools import lru_cache
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from everytree.audit.packing import pack, pack_radius
from everytree.bias import parse
from everytree.questions.certify import certify_prepared, with_firm_witnesses
from everytree.questions.radius import radius_prepared
from everytree.support.limits import Limits
from everytree.support.version import VERSION

if TYPE_CHECKING:
    from everytree.audit.opened import Opened
    from everytree.audit.plan import Cell
    from everytree.learner import Prepared

__all__ = [
    "Question",
    "Stopped",
    "ask",
    "compute",
    "compute_here",
    "compute_in_processes",
    "pack_tables",
    "unpack_tables",
    "versions",
]

Answers = Generator[tuple[str, dict[str, Any]], None, None]
"""Keys of cells with their packed results, as they are finished."""


class Stopped(Exception):  # noqa: N818 (no error of the user's; becomes one with what is kept)
    """Whoever computed the cells is gone, or cannot compute them; the message says who and what to do."""


@dataclass(frozen=True)
class Question:
    """What is asked of one cell, apart from the tables.

    Attributes
    ----------
    kind : {"verdicts", "radius"}
    model : str
        The text form of the bias model.
    depth : int
    engine : str
    time_limit : float or None
    max_amount : int or None
        For a radius: the largest amount to look at.
    """

    kind: str
    model: str
    depth: int
    engine: str
    time_limit: float | None
    max_amount: int | None = None


def ask(opened: Opened, cell: Cell) -> Question:
    """Put a cell of the plan into a question."""
    plan = opened.plan
    sweep = plan.sweeps[cell.sweep]
    most = opened.max_amounts[cell.sweep] if cell.kind == "radius" else None
    return Question(cell.kind, str(cell.model), cell.depth, sweep.engine, plan.time_limit, most)


def versions() -> dict[str, str]:
    """Give the versions of the programs that an answer depends on."""
    return {"everytree": VERSION, **{name: version(name) for name in ("scikit-learn", "highspy")}}


def compute(question: Question, prepared: Mapping[int, Prepared]) -> dict[str, Any]:
    """Compute one cell and pack its result."""
    limits = Limits.of(question.time_limit)
    tables, model = prepared[question.depth], parse(question.model)
    if question.kind == "radius":
        found = radius_prepared(tables, model, max_amount=question.max_amount, limits=limits)
        return pack_radius(found, tables.train)
    result = certify_prepared(tables, model, engine=question.engine, limits=limits)
    return pack(with_firm_witnesses(result))


def compute_here(questions: Mapping[str, Question], prepared: Mapping[int, Prepared]) -> Answers:
    """Compute cells one after the other in this process."""
    for key, question in questions.items():
        yield key, compute(question, prepared)


def compute_in_processes(
    questions: Mapping[str, Question], prepared: Mapping[int, Prepared], n_jobs: int
) -> Answers:
    """Compute cells in other processes. The tables travel with each cell, and no file is left behind."""
    import joblib

    blob = pack_tables(prepared)
    tasks = (joblib.delayed(_compute_task)(key, question, blob) for key, question in questions.items())
    jobs = min(n_jobs, len(questions))
    try:
        yield from joblib.Parallel(n_jobs=jobs, backend="loky", return_as="generator_unordered")(tasks)
    except BrokenProcessPool as error:
        raise Stopped(
            "A process that computed a cell ended unexpectedly, perhaps because the memory was used up. "
            "Lower n_jobs."
        ) from error


def _compute_task(key: str, question: Question, blob: bytes) -> tuple[str, dict[str, Any]]:
    return key, compute(question, unpack_tables(blob))


def pack_tables(prepared: Mapping[int, Prepared]) -> bytes:
    """Turn the tables into bytes to send to another process; the depths share them."""
    return zlib.compress(pickle.dumps(dict(prepared)), 1)


@lru_cache(maxsize=1)
def unpack_tables(blob: bytes) -> dict[int, Prepared]:
    """Read the tables that `pack_tables` packed, once in each process."""
    tables: dict[int, Prepared] = pickle.loads(zlib.decompress(blob))
    return tables
