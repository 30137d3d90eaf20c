"""Campaigns in processes of their own that need not load the heavy packages again.

``python -m tests.truth.breeder`` loads what everytree is built on, but not everytree, and waits. For each
line on standard input, a JSON object, it forks a process that runs the campaign, and answers with a line: the
exit code, or null after the time. `Breeder` is the other end of the pipe, for `mutants`. The sources of
everytree are compiled to bytecode before, so that a copy compiles only the file that is changed in it.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
import traceback
from collections.abc import Sequence
from importlib.machinery import SourceFileLoader
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "src" / "everytree"
UNCOMPILED = {"PYTHONDONTWRITEBYTECODE": "1", "NUMBA_DISABLE_JIT": "1"}
FAILED = 1


class Breeder:
    """A waiting process, started when it is needed first; it ends with this one."""

    def __init__(self) -> None:
        self.process: subprocess.Popen[str] | None = None

    def run(self, arguments: Sequence[str], folder: Path, printed: Path, seconds: float) -> int | None:
        """Run the campaign on the package in a folder; None if it was not done in time."""
        if self.process is None:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "tests.truth.breeder"],
                cwd=ROOT,
                env=os.environ | UNCOMPILED,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
            )
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        order = {
            "arguments": list(arguments),
            "folder": str(folder),
            "printed": str(printed),
            "seconds": seconds,
        }
        self.process.stdin.write(json.dumps(order) + "\n")
        self.process.stdin.flush()
        code: int | None = json.loads(self.process.stdout.readline())
        return code


def _campaign(order: dict[str, Any]) -> int:
    """What the forked process does."""
    file = os.open(order["printed"], os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.dup2(file, 1)
    os.dup2(file, 2)
    sys.path[:0] = [order["folder"]]
    os.chdir(order["folder"])
    from tests.truth.campaign import main

    try:
        code = main(order["arguments"])
    except SystemExit as error:
        print(error)
        code = FAILED
    except BaseException:
        traceback.print_exc()
        code = FAILED
    sys.stdout.flush()
    return code


def _wait(child: int, seconds: float) -> int | None:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.01)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return None


def _remember(package: Path) -> None:
    """Take the bytecode of these sources from here wherever the same text is imported from."""
    known = {}
    for path in package.rglob("*.py"):
        source = path.read_bytes()
        known[source] = compile(source, path, "exec", dont_inherit=True)
    read = SourceFileLoader.source_to_code

    def source_to_code(loader: SourceFileLoader, data: Any, path: Any, **options: Any) -> Any:
        return known.get(data) or read(loader, data, path, **options)

    SourceFileLoader.source_to_code = source_to_code  # type: ignore[method-assign]


def _serve() -> None:
    import highspy  # noqa: F401
    import lark  # noqa: F401
    import narwhals  # noqa: F401
    import numba  # noqa: F401
    import pandas  # noqa: F401
    import sklearn.compose
    import sklearn.pipeline  # noqa: F401

    import tests.truth.campaign
    import tests.truth.edge_oracle  # noqa: F401

    assert "everytree" not in sys.modules
    _remember(PACKAGE)
    for line in sys.stdin:
        order = json.loads(line)
        child = os.fork()
        if child == 0:
            os._exit(_campaign(order))
        print(json.dumps(_wait(child, order["seconds"])), flush=True)


if __name__ == "__main__":
    _serve()
