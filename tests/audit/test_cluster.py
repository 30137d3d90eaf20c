"""Audits on a Dask cluster of two processes: the answers of one machine, whatever happens to a worker."""

import os
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import dask
import pytest
from distributed import LocalCluster

from everytree.audit import Outputs, Plan, Sweep, cells, cluster, load_plan, run_audit
from everytree.bias import parse
from everytree.errors import AuditError
from tests.audit.audit_tools import kept, write_audit


@contextmanager
def _workers(number: int = 2) -> Iterator[Any]:
    with LocalCluster(
        n_workers=number,
        threads_per_worker=1,
        processes=True,
        dashboard_address=":0",
        silence_logs=50,
    ) as workers:
        yield workers


def _plans(folder: Path) -> tuple[Plan, Plan]:
    plan = load_plan(write_audit(folder, ("depths = [1]", "depths = [1, 2, 3]")))
    return tuple(  # type: ignore[return-value]
        replace(plan, outputs=Outputs(folder / name)) for name in ("one", "many")
    )


def test_answers_are_those_of_one_machine_and_a_killed_worker_loses_nothing(tmp_path: Path) -> None:
    one, many = _plans(tmp_path)
    expected = run_audit(one)
    killed = []
    with dask.config.set({"distributed.comm.timeouts.connect": "2s"}), _workers() as workers:

        def kill(done: int, *_: object) -> None:
            if done == 1 and not killed:
                time.sleep(1)  # finished cells lie in the memory of the workers and are lost with it
                killed.append(next(iter(workers.workers.values())).pid)
                os.kill(killed[0], signal.SIGKILL)

        audit = run_audit(many, dask=workers.scheduler_address, progress=kill)
    assert killed
    assert len(audit.verdicts) == 12
    assert kept(tmp_path / "many") == kept(tmp_path / "one")
    assert audit.people().equals(expected.people())


def test_a_cell_whose_workers_are_all_lost_is_computed_here(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, many = (
        replace(plan, sweeps=(Sweep("a", parse("flip(1)")),), depths=(1,)) for plan in _plans(tmp_path)
    )
    run_audit(one)
    monkeypatch.setattr(cluster, "_compute_task", _die)
    here = []
    compute = cells.compute
    monkeypatch.setattr(cluster, "compute", lambda q, prepared: here.append(q) or compute(q, prepared))
    with dask.config.set({"distributed.scheduler.allowed-failures": 0}), _workers(1) as workers:
        run_audit(many, dask=workers.scheduler_address)
    assert [question.model for question in here] == ["flip(1)"]
    assert kept(tmp_path / "many") == kept(tmp_path / "one")


def _die(*_: object) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def test_no_scheduler(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster, "PATIENCE", 1.0)
    with pytest.raises(AuditError) as refused:
        run_audit(_plans(tmp_path)[1], dask="tcp://127.0.0.1:1")
    assert str(refused.value) == (
        "--dask: no Dask scheduler answers at 'tcp://127.0.0.1:1' within 1 seconds. Check the address, such "
        "as 'tcp://127.0.0.1:8786', or start one with: dask scheduler"
    )


def test_no_workers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster, "PATIENCE", 1.0)
    with _workers(0) as workers, pytest.raises(AuditError) as refused:
        run_audit(_plans(tmp_path)[1], dask=workers.scheduler_address)
    address = workers.scheduler_address
    assert str(refused.value) == (
        f"--dask: the scheduler at {address!r} has no workers. Start some with: dask worker {address}"
    )


def test_workers_of_another_version(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster, "versions", lambda: {"everytree": "9.9"})
    with pytest.raises(AuditError, match=r"this process has everytree 9\.9"):
        cluster._check_workers(_Asked({"tcp://a": {"everytree": "0.1.0"}}), "tcp://b")


def test_a_worker_of_another_version_that_joins_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster, "_check_workers", lambda *_: None)
    monkeypatch.setattr(cluster, "versions", lambda: {"everytree": "9.9"})
    plan = _plans(tmp_path)[1]
    with _workers(1) as workers, pytest.raises(AuditError) as refused:
        run_audit(plan, dask=workers.scheduler_address)
    said = str(refused.value)
    assert said.startswith("--dask: a worker on ")
    assert f" has everytree {cells.versions()['everytree']}, " in said
    assert "this process has everytree 9.9. Answers depend on these versions." in said
    assert "cells are kept in" in said


def test_each_task_checks_the_versions(monkeypatch: pytest.MonkeyPatch) -> None:
    question = cells.Question("verdicts", "flip(1)", 1, "auto", None)
    monkeypatch.setattr(cluster, "compute", lambda *_: {"answer": 1})
    assert cluster._compute_task(question, {}, cells.versions()) == {"answer": 1}
    with pytest.raises(cells.Stopped, match=r"this process has everytree 9\.9\."):
        cluster._compute_task(question, {}, {"everytree": "9.9"})


class _Asked:
    """A client whose workers gave this answer."""

    def __init__(self, answer: dict[str, dict[str, str]]) -> None:
        self.answer = answer

    def wait_for_workers(self, *_: object, **__: object) -> None: ...

    def run(self, _: object) -> dict[str, dict[str, str]]:
        return self.answer


def test_without_distributed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(AuditError) as refused:
        run_audit(_plans(tmp_path)[1], dask="tcp://127.0.0.1:1")
    assert str(refused.value) == (
        "--dask needs the package distributed, which is not installed. Install it with: pip install "
        '"everytree[dask]"'
    )
