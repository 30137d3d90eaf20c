"""Running an audit: what is kept is read, what is missing is computed and kept, the outputs are written.

The top of the room; nothing is proved here.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from everytree.audit.agreement import agree
from everytree.audit.cells import Question, Stopped, ask, compute_here, compute_in_processes, versions
from everytree.audit.cluster import compute_on_cluster, connect
from everytree.audit.digests import digest_of_array, digest_of_training, key_of
from everytree.audit.opened import RANDOM_STATE, Opened, open_audit
from everytree.audit.outputs import write_outputs
from everytree.audit.packing import unpack, unpack_radius
from everytree.audit.proofs import with_proofs
from everytree.audit.ranges import bound_all, keep_ranges
from everytree.audit.result import AuditResult
from everytree.audit.store import FORMAT, Store
from everytree.errors import AuditError, EverytreeWarning
from everytree.support.limits import as_jobs

if TYPE_CHECKING:
    from everytree.audit.cells import Answers
    from everytree.audit.plan import Cell, Plan

__all__ = ["Progress", "Telling", "run_audit"]

INPUT_NAMES = {
    "train": "the training table",
    "test": "the test table",
    "learner": "the settings of the tree",
    "everytree": "the version of everytree",
    "scikit-learn": "the version of scikit-learn",
    "highspy": "the version of highspy",
}

Progress = Callable[[int, int, float | None], None]
"""Called with the number of cells that are done, the number of all, and the seconds left, if known."""


Telling = Callable[[int, int], None]
"""Called after the last cell with the number of ranges of metrics that are bounded, and the number of all."""


def run_audit(
    plan: Plan,
    *,
    dask: str | None = None,
    progress: Progress | None = None,
    ranges_progress: Telling | None = None,
) -> AuditResult:
    """Run an audit, or go on with one that was interrupted.

    Everything is checked before the first computation. Each cell is kept in the folder of the outputs as
    soon as it is finished, and so are ranges of metrics; what is kept there already, from the same inputs, is
    not computed again.

    Parameters
    ----------
    plan : Plan
        From `load_plan`, or made by hand.
    dask : str, optional
        Address of a Dask scheduler on whose workers the cells are computed.
    progress : callable, optional
        Called with the number of cells done, the number of all, and the estimated seconds left or None.
    ranges_progress : callable, optional
        Called after the last cell with the number of ranges of metrics that are bounded (one for each cell
        and choice of groups) and the number of all, if the file of groups is to be written.

    Returns
    -------
    AuditResult

    Raises
    ------
    AuditError
        If something in the plan is wrong, or a file cannot be written.
    KeyboardInterrupt
        With a message that says what is kept.

    Warns
    -----
    EverytreeWarning
        If the inputs changed since the last run, or a kept cell is damaged: these cells are computed again.
    """
    opened = open_audit(plan)
    run = _Run(opened, progress)
    try:
        run.complete(dask)
        result = with_proofs(run.result())
        keep_ranges(result, run.kept_or_made)
        if plan.outputs.groups is not None and ranges_progress is not None:
            bound_all(result, ranges_progress)
        write_outputs(result)
    except KeyboardInterrupt:
        raise KeyboardInterrupt(f"Interrupted: {run.kept()}") from None
    except Stopped as stop:
        raise AuditError(f"{stop} {run.kept()}") from stop
    return result


class _Run:
    """The cells of one audit: which are kept, which are missing."""

    def __init__(self, opened: Opened, progress: Progress | None) -> None:
        self.opened, self.progress = opened, progress
        self.store = Store(opened.plan.outputs.folder)
        self.inputs = _inputs(opened)
        self.keys: dict[Cell, str] = {}
        self.questions: dict[str, Question] = {}
        predictions = {d: digest_of_array(prepared.predictions) for d, prepared in opened.prepared.items()}
        for cell in opened.plan.cells():
            question = ask(opened, cell)
            key = key_of({**self.inputs, **asdict(question), "predictions": predictions[cell.depth]})
            self.keys[cell], self.questions[key] = key, question
        self.found: dict[str, dict[str, Any]] = {}

    def complete(self, dask: str | None) -> None:
        """Read what is kept and compute the rest."""
        for key in self.questions:
            content = self.store.get(key)
            if content is not None:
                self.found[key] = content
        missing = {key: question for key, question in self.questions.items() if key not in self.found}
        self._say_what_changed(missing)
        with self._keeping():
            self.store.put_inputs(self._index())
        self._report(None)
        if missing:
            self._compute(missing, dask)

    def _compute(self, missing: dict[str, Question], dask: str | None) -> None:
        started, before = time.monotonic(), len(self.found)
        answers = self._answers(missing, dask)
        try:
            for key, content in answers:
                with self._keeping():
                    self.found[key] = self.store.put(key, content)
                pace = (time.monotonic() - started) / (len(self.found) - before)
                self._report(pace * (len(self.questions) - len(self.found)))
        finally:
            answers.close()

    def _answers(self, missing: dict[str, Question], dask: str | None) -> Answers:
        prepared, jobs = self.opened.prepared, as_jobs(self.opened.plan.n_jobs)
        if dask is not None:
            return compute_on_cluster(missing, prepared, connect(dask))
        if min(jobs, len(missing)) > 1:
            return compute_in_processes(missing, prepared, jobs)
        return compute_here(missing, prepared)

    def _report(self, seconds_left: float | None) -> None:
        if self.progress is not None:
            self.progress(len(self.found), len(self.questions), seconds_left)

    def kept_or_made(self, question: dict[str, Any], make: Callable[[], dict[str, Any]]) -> dict[str, Any]:
        """Read the answer to a question beyond the cells, in plain values; make it and keep it if missing."""
        key = key_of({**self.inputs, **question})
        content = self.store.get(key)
        if content is None:
            made = make()
            with self._keeping():
                content = self.store.put(key, made)
        return content

    def kept(self) -> str:
        """Say what is safe and how to go on."""
        number, total = len(self.found), len(self.questions)
        folder = str(self.store.folder)
        return f"{number} of {total} cells are kept in {folder!r}; the same command goes on from there."

    @contextmanager
    def _keeping(self) -> Iterator[None]:
        """Say what is safe when the disk refuses."""
        try:
            yield
        except OSError as error:
            raise AuditError(
                f"[outputs] folder: a finished cell cannot be written to {str(self.store.folder)!r}: "
                f"{error.strerror or error}. Make room or name another folder. {self.kept()}"
            ) from error

    def _say_what_changed(self, missing: dict[str, Question]) -> None:
        folder, count = str(self.store.folder), len(missing)
        before = self.store.inputs().get("inputs")
        if isinstance(before, dict) and missing:
            changed = [k for k in INPUT_NAMES if before.get(k) != self.inputs.get(k)]
            if changed:
                what = _named(changed)
                _warn(
                    f"{what[0].upper()}{what[1:]} changed since the last run into {folder!r}: {count} of "
                    f"{len(self.questions)} cells are computed again."
                )
        damaged = sum(self.store.is_damaged(key) for key in missing)
        if damaged:
            _warn(f"{damaged} files in {folder!r} are damaged and not used: their cells are computed again.")

    def _index(self) -> dict[str, Any]:
        """What this run is computed from, and which file is which cell."""
        cells = {
            self.store.path(key).name: f"{cell.kind} of {cell.model} at depth {cell.depth}"
            for cell, key in self.keys.items()
        }
        return {"inputs": self.inputs, "cells": cells}

    def result(self) -> AuditResult:
        """Give all cells in the order of the plan, after they told each other what they know."""
        prepared = self.opened.prepared
        verdicts, radii = {}, {}
        for cell, key in self.keys.items():
            if cell.kind == "radius":
                radii[cell] = unpack_radius(self.found[key], prepared[cell.depth], cell.model)
            else:
                verdicts[cell] = unpack(self.found[key], prepared[cell.depth], cell.model)
        verdicts, radii = agree(verdicts, radii, prepared)
        return AuditResult(self.opened.plan, prepared, verdicts, radii, self.opened.hashes)


def _inputs(opened: Opened) -> dict[str, Any]:
    """Everything that all answers depend on."""
    tables = next(iter(opened.prepared.values()))
    return {
        "format": FORMAT,
        "random_state": RANDOM_STATE,
        "train": digest_of_training(tables.train),
        "test": digest_of_array(tables.test.X),
        **({"learner": key_of(_settings(opened.plan))} if opened.plan.learner else {}),
        **versions(),
    }


def _settings(plan: Plan) -> dict[str, Any]:
    """Settings of the tree in plain values, labels and all."""
    found = dict(plan.learner)
    if isinstance(given := found.get("class_weight"), Mapping):
        found["class_weight"] = sorted([repr(label), float(weight)] for label, weight in given.items())
    return found


def _named(changed: list[str]) -> str:
    """Name inputs that changed. Tables are compared as they are read, with what is dropped and encoded."""
    tables = [INPUT_NAMES[key] for key in changed if key in ("train", "test")]
    others = [INPUT_NAMES[key] for key in changed if key not in ("train", "test")]
    if tables:
        they_are = "it is" if len(tables) == 1 else "they are"
        others = [f"{' and '.join(tables)}, or how {they_are} read,", *others]
    return " and ".join(others)


def _warn(message: str) -> None:
    warnings.warn(message, EverytreeWarning, stacklevel=5)
