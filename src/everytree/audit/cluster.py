"""Cells on a Dask cluster: the same answers as on one machine, and a lost worker loses nothing.

Beside `cells`; needs the extra ``everytree[dask]``. Answers come back to this process, which keeps them.
"""

from __future__ import annotations

import hashlib
import platform
from collections.abc import Mapping
from concurrent.futures import CancelledError
from importlib import import_module
from typing import TYPE_CHECKING, Any

from everytree.audit.cells import (
    Answers,
    Question,
    Stopped,
    compute,
    pack_tables,
    unpack_tables,
    versions,
)
from everytree.errors import AuditError

if TYPE_CHECKING:
    from everytree.learner import Prepared

__all__ = ["compute_on_cluster", "connect"]

PATIENCE = 10.0
"""Seconds that a scheduler has to answer."""

SAME_VERSIONS = "Answers depend on these versions. Install the same ones everywhere."

RETRIES = 3
"""How often a cell is tried again elsewhere; after that it is computed in this process."""


def connect(address: str) -> Any:
    """Connect to a scheduler, or say what to do; returns the client.

    Raises
    ------
    AuditError
        If distributed is not installed, nobody answers, or there are no workers or other versions.
    """
    try:
        distributed: Any = import_module("distributed")
    except ImportError as error:
        raise AuditError(
            "--dask needs the package distributed, which is not installed. Install it with: pip install "
            '"everytree[dask]"'
        ) from error
    try:
        client = distributed.Client(address, timeout=PATIENCE, set_as_default=False)
    except (OSError, TimeoutError, ValueError) as error:
        raise AuditError(
            f"--dask: no Dask scheduler answers at {address!r} within {PATIENCE:.0f} seconds. Check the "
            "address, such as 'tcp://127.0.0.1:8786', or start one with: dask scheduler"
        ) from error
    try:
        _check_workers(client, address)
    except BaseException:
        client.close()
        raise
    return client


def _check_workers(client: Any, address: str) -> None:
    try:
        client.wait_for_workers(1, timeout=PATIENCE)
        found = client.run(versions)
    except (TimeoutError, OSError) as error:
        raise AuditError(
            f"--dask: the scheduler at {address!r} has no workers. Start some with: dask worker {address}"
        ) from error
    except ImportError as error:
        raise AuditError(
            f"--dask: a worker of {address!r} cannot import everytree ({error}). Install it there."
        ) from error
    for worker, theirs in found.items():
        if theirs != versions():
            raise AuditError(
                f"--dask: the worker {worker} has {_listed(theirs)}; this process has {_listed(versions())}. "
                f"{SAME_VERSIONS}"
            )


def _listed(found: Mapping[str, str]) -> str:
    return ", ".join(f"{name} {version}" for name, version in found.items())


def compute_on_cluster(
    questions: Mapping[str, Question], prepared: Mapping[int, Prepared], client: Any
) -> Answers:
    """Compute cells on the workers of a client and give them as they finish.

    The tables are sent as a task of their own, which the scheduler repeats where a worker that held them is
    lost. A cell whose workers are lost again and again is computed in this process.
    """
    distributed: Any = import_module("distributed")
    blob = pack_tables(prepared)
    name = f"everytree-tables-{hashlib.sha256(blob).hexdigest()}"
    ours = versions()
    with client:
        tables = client.submit(_unpack_task, blob, ours, key=name, retries=RETRIES)
        futures = {
            client.submit(_compute_task, question, tables, ours, key=f"everytree-{key}", retries=RETRIES): key
            for key, question in questions.items()
        }
        for future in distributed.as_completed(list(futures), loop=client.loop):
            key = futures[future]
            try:
                content = future.result()  # waits for another worker if the one that held it is lost
            except distributed.KilledWorker:
                content = compute(questions[key], prepared)
            except (OSError, CancelledError) as error:
                raise Stopped("--dask: the scheduler no longer answers, or it was restarted.") from error
            yield key, content


def _unpack_task(blob: bytes, expected: dict[str, str]) -> dict[int, Prepared]:
    _check_here(expected)
    return unpack_tables(blob)


def _compute_task(
    question: Question, tables: dict[int, Prepared], expected: dict[str, str]
) -> dict[str, Any]:
    _check_here(expected)
    return compute(question, tables)


def _check_here(expected: dict[str, str]) -> None:
    """Refuse to compute with other versions: a worker may join after all others were asked for theirs."""
    if versions() != expected:
        raise Stopped(
            f"--dask: a worker on {platform.node()!r} has {_listed(versions())}; this process has "
            f"{_listed(expected)}. {SAME_VERSIONS}"
        )
