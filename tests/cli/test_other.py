"""The other commands, help, start-up time and closed pipes."""

# ruff: noqa: F401, F811 (the fixture is imported under the name it is used by)

import json
import os
import subprocess
import sys

import pytest

from everytree import __version__
from tests.cli.cli_tools import Run, run


def test_version_and_help(run: Run) -> None:
    assert run("--version") == (0, f"everytree {__version__}\n", "")
    for flag in ("--help", "-h"):
        said = run(flag)
        assert said.code == 0
        for command in ("certify", "witness", "radius", "check", "explain", "demo", "datasets", "reproduce"):
            assert command in said.out
    for command in ("certify", "witness", "radius", "check"):
        assert run(command, "--help").code == 0
    alone = run()
    assert alone.code == 2
    assert "everytree demo" in alone.out


def test_help_imports_nothing_heavy() -> None:
    program = (
        "import sys; from everytree.cli import main; main(['certify', '--help']); "
        "heavy = ('numpy', 'pandas', 'sklearn', 'numba', 'lark'); "
        "print([name for name in heavy if name in sys.modules], file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stderr.strip() == "[]"


def test_a_tree_alone_imports_no_other_part_of_scikit_learn() -> None:
    program = (
        "import sys; from everytree.cli import main; "
        "sys.argv[1:] = ['certify', 'hiring', '--bias', 'flip(1)', '--depth', '1', '--quiet']; main(); "
        "heavy = ('sklearn.pipeline', 'sklearn.preprocessing', 'sklearn.metrics', 'scipy.stats._stats_py'); "
        "print([name for name in heavy if name in sys.modules], file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stderr.strip() == "[]"


@pytest.mark.skipif(os.name != "posix", reason="pipes end differently elsewhere")
def test_a_closed_pipe_is_quiet() -> None:
    program = "import sys; from everytree.cli import main; sys.exit(main())"
    arguments = ["certify", "hiring", "--bias", "flip(1)", "--depth", "1", "--json", "-", "--quiet"]
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run(
        [sys.executable, "-c", program, *arguments], stdout=write, stderr=subprocess.PIPE, check=False
    )
    os.close(write)
    assert (done.returncode, done.stderr) == (1, b"")


def test_explain(run: Run) -> None:
    said = run("explain", 'flip(1, where race == "Black" and label == 0) + fake(2)', "hiring")
    assert said.code == 0
    assert said.out == ""
    assert said.err == (
        'Up to 1 row may have a wrong label, where race is "Black" and the label is 0. Up to 2 rows may be '
        "fake.\n"
        "\n"
        "component                                       at most   eligible rows   can be touched\n"
        "────────────────────────────────────────────────────────────────────────────────────────\n"
        'flip(1, where race == "Black" and label == 0)         1               2                1\n'
        "fake(2)                                               2               9                2\n"
        "\n"
        "training rows     9\n"
        "budgets           0 rows added, 1 label changed, 2 rows removed\n"
        "possible tables   138\n"
    )


def test_explain_infinite_and_json(run: Run) -> None:
    assert "possible tables   infinitely many" in run("explain", "miss(1)", "hiring").err
    said = run("explain", "miss(1)", "hiring", "--json", "-")
    assert said.err == ""
    assert json.loads(said.out)["log10_tables"] == "infinite"
    assert "No row can satisfy the condition" in run("explain", "fake(1, where score > 99)", "hiring").err


def test_datasets(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    said = run("datasets")
    assert (said.code, said.out) == (0, "")
    assert said.err == (
        "name     label            groups      training rows   test rows   columns\n"
        "─────────────────────────────────────────────────────────────────────────\n"
        "hiring   hired            race                    9           9         2\n"
        "compas   two_year_recid   race, sex            4629        1543         8\n"
        "adult    income           race, sex           24421        8140        14\n"
        "\n"
        "Set EVERYTREE_DATA to the folder of the paper's tables for paper:compas, paper:drug, paper:adult, "
        "paper:mnist17.\n"
        'Try: everytree certify compas --bias "flip(0.5%)" --depth 1 --group race\n'
    )
    monkeypatch.setenv("EVERYTREE_DATA", "somewhere")
    assert "From the folder that EVERYTREE_DATA names: paper:compas" in run("datasets").err


def test_demo(run: Run) -> None:
    said = run("demo")
    assert (said.code, said.out) == (0, "")
    for word in ("robust: proved.", "not robust: a witness", "unknown: neither", "80% to 100%", "Caucasian"):
        assert word in said.err
    words = " ".join(said.err.split())
    assert "The applicant with score 3 gets 'yes' instead of 'no' if the record with score " in words
    hiring = [line.split() for line in said.err.splitlines() if line.startswith(("White ", "Black "))]
    assert [line[1] for line in hiring] == ["0", "1", "2", "3", "5", "6", "7", "8", "9"]
    assert all(line[4] == "robust" for line in hiring)
    assert [" ".join(line[5:]) for line in hiring] == [
        "not robust", "robust", "not robust", "not robust", "not robust", "robust", "robust", "not robust",
        "robust",
    ]  # fmt: skip
    assert said.err.endswith(
        "The same on your own files:\n"
        '  everytree certify train.csv test.csv --label COLUMN --bias "flip(1%)" --depth 2 --group COLUMN\n'
        "A whole audit of your own files, with a report:\n"
        "  everytree audit --init train.csv --test test.csv --label COLUMN\n"
    )


def test_the_commands_that_the_demo_prints_work(run: Run) -> None:
    import shlex

    shown = run("demo").err
    printed = [line.strip() for line in shown.splitlines() if line.startswith("  everytree ")]
    certify, witness, radius, own, audit = (shlex.split(line)[1:] for line in printed)
    said = run(*certify)
    assert said.code == 0
    assert said.err.strip() in shown
    assert "verdict     not robust." in run(*witness).err
    said = run(*radius, "--max-amount", 5)
    assert said.code == 0
    assert "1543 others are proved up to the largest amount" in said.err
    assert own[1:3] == ["train.csv", "test.csv"]
    assert audit[:3] == ["audit", "--init", "train.csv"]
