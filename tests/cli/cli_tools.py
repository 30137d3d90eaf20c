"""What the tests of the command line share: a way to run it and see everything it says."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from everytree.cli import main


class Said(NamedTuple):
    """Exit code, standard output, standard error without spaces at line ends."""

    code: int
    out: str
    err: str


Run = Callable[..., Said]


@pytest.fixture
def run(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> Callable[..., Said]:
    """Run the command line in an empty folder, on a plain screen of 100 columns."""
    for name, value in (("NO_COLOR", "1"), ("COLUMNS", "100"), ("TERM", "dumb")):
        monkeypatch.setenv(name, value)
    monkeypatch.delenv("EVERYTREE_DATA", raising=False)
    monkeypatch.setattr("everytree.cli.screen.is_cold", lambda: False)
    monkeypatch.chdir(tmp_path)

    def call(*arguments: object) -> Said:
        capsys.readouterr()
        code = main([str(argument) for argument in arguments])
        out, err = capsys.readouterr()
        return Said(code, out, "\n".join(line.rstrip() for line in err.split("\n")))

    return call


TRAIN = """\
sex,age,priors,hired
Female,20,0,no
Female,30,1,no
Female,35,0,no
Male,40,2,yes
Male,50,3,yes
Female,60,4,yes
Male,25,0,no
Male,55,5,yes
"""
TEST = """\
sex,age,priors
Female,33,0
Male,58,4
"""


def write_tables(folder: Path) -> None:
    """Write train.csv and test.csv, the tables of the tests."""
    (folder / "train.csv").write_text(TRAIN)
    (folder / "test.csv").write_text(TEST)
