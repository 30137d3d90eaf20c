"""Mistakes made on purpose, to see that the campaign notices them.

A mutant is one replacement in one source file. The package is copied, the replacement applied, and the
campaign run against the copy in a process of its own, without compilation, until a violation shows up or
a self-check of the library (InternalError) fails; any other exception is a broken mutant, not a catch.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.campaign import SELF_CHECK, VIOLATION

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "src" / "everytree"


@dataclass(frozen=True)
class Mutant:
    """One mistake.

    name : what is wrong, in words ("leaf flip worth 1").
    file : path below src/everytree ("domains/leaf.py").
    old, new : the exact source text and what replaces it; ``old`` must occur once in the file.
    engine : the engine whose verdicts are examined.
    focus : keyword arguments for ``random_problem``, to find the violation within seconds, for example
        ``{"kinds": ("miss",), "depth": 1, "style": "bulk"}``.
    problems : how many random problems to try, after the hand-picked ones, before the mutant survives.
    seed : the seed of the first of them.
    """

    name: str
    file: str
    old: str
    new: str
    engine: str = "interval"
    focus: Mapping[str, Any] = field(default_factory=dict)
    problems: int = 500
    seed: int = 0


MUTANTS: tuple[Mutant, ...] = ()


@dataclass(frozen=True)
class Hunt:
    """How a campaign against a copy of the package ended, and what it printed."""

    caught: bool
    output: str


class MutantError(Exception):
    """The mutant could not be made, or the campaign against it did not run."""


def apply_mutant(package: Path, mutant: Mutant) -> None:
    """Replace the mutant's text in a copy of the package."""
    path = package / mutant.file
    source = path.read_text(encoding="utf-8")
    times = source.count(mutant.old)
    if times != 1:
        raise MutantError(f"{mutant.name!r}: the old text occurs {times} times in {mutant.file}, not once")
    if mutant.old == mutant.new:
        raise MutantError(f"{mutant.name!r}: the new text is the old one")
    path.write_text(source.replace(mutant.old, mutant.new), encoding="utf-8")


def copy_package(package: Path, folder: Path) -> Path:
    """Copy the package into a folder, without compiled leftovers."""
    target = folder / "everytree"
    leftovers = shutil.ignore_patterns("__pycache__", "*.pyc", "*.nbi", "*.nbc")
    shutil.copytree(package, target, ignore=leftovers)
    return target


def run_campaign(
    folder: Path, engine: str, problems: int, seed: int, focus: Mapping[str, Any], timeout: float
) -> Hunt:
    """Run the campaign against the package in this folder, up to its first violation."""
    command = [sys.executable, "-m", "tests.campaign", "--hand-picked", "--stop-early"]
    command += ["--engine", engine, "--problems", str(problems), "--seed", str(seed)]
    command += ["--focus", json.dumps(dict(focus)), "--package-in", str(folder)]
    environment = os.environ | {
        "PYTHONPATH": os.pathsep.join([str(folder), str(ROOT)]),
        "PYTHONDONTWRITEBYTECODE": "1",
        "NUMBA_DISABLE_JIT": "1",
    }
    try:
        done = subprocess.run(
            command, cwd=folder, env=environment, capture_output=True, text=True, timeout=timeout, check=False
        )
    except subprocess.TimeoutExpired as error:
        raise MutantError(f"the campaign was not done after {timeout} s") from error
    if done.returncode not in (0, VIOLATION, SELF_CHECK):
        raise MutantError(
            f"the campaign failed with exit code {done.returncode}\n{done.stdout}\n{done.stderr}"
        )
    return Hunt(caught=done.returncode != 0, output=done.stdout)


def hunt(mutant: Mutant, folder: Path, package: Path = PACKAGE, timeout: float = 300.0) -> Hunt:
    """Copy the package into an empty folder, make the mistake there, and look for a violation."""
    apply_mutant(copy_package(package, folder), mutant)
    return run_campaign(folder, mutant.engine, mutant.problems, mutant.seed, mutant.focus, timeout)
