"""Wrong input of every kind: one clear message on standard error, exit code 2, never a traceback."""

# ruff: noqa: F401, F811 (the fixture is imported under the name it is used by)

from pathlib import Path

import pytest

from tests.cli.cli_tools import Run, run, write_tables

TABLES = ("train.csv", "test.csv")
LABEL = ("--label", "hired")
DEPTH = ("--depth", 1)
BIAS = ("--bias", "flip(1)")

WRONG = {
    "depth 0": (
        ("certify", *TABLES, *LABEL, *BIAS, "--depth", 0),
        "Error: --depth must be a whole number of at least 1, or none for no limit; received 0.\n",
    ),
    "no depth": (
        ("certify", *TABLES, *LABEL, *BIAS),
        "Error: --depth is needed: the largest depth of the tree, a whole number of at least 1, or none for "
        "no limit. An estimator that was saved to a file takes its place: --model FILE.\n",
    ),
    "a setting": (
        ("certify", *TABLES, *LABEL, *BIAS, *DEPTH, "--min-samples-leaf", 0, "--ccp-alpha", "much"),
        "Error: --ccp-alpha: ccp_alpha='much': it must be a number of at least 0.\n"
        "--min-samples-leaf: min_samples_leaf=0: it must be a whole number of rows, at least 1, or a share "
        "of all rows, above 0.0 and below 1.0.\n",
    ),
    "a model and settings": (
        ("certify", *TABLES, *LABEL, *BIAS, *DEPTH, "--model", "m.joblib"),
        "Error: --model brings its own settings; received --depth as well. Leave one of them out.\n",
    ),
    "no model": (
        ("certify", *TABLES, *LABEL, *BIAS, "--model", "m.joblib"),
        "Error: --model names 'm.joblib', which cannot be read: No such file or directory.\n",
    ),
    "no estimator": (
        ("certify", *TABLES, *LABEL, *BIAS, "--model", "short.csv"),
        "Error: --model names 'short.csv', which is no estimator that can be loaded here "
        "(IndexError: pop from empty list). Save it with joblib.dump(estimator, file), with the versions of "
        "Python and scikit-learn that are installed here.\n",
    ),
    "negative time": (
        ("certify", *TABLES, *LABEL, *BIAS, *DEPTH, "--time-limit", -1),
        "Error: --time-limit must be a number of seconds greater than 0, or none for no limit; received "
        "-1.\n",
    ),
    "no memory": (
        ("certify", *TABLES, *LABEL, *BIAS, *DEPTH, "--memory-limit", 0),
        "Error: --memory-limit must be an amount of memory greater than 0, as a number of bytes or with a "
        "unit such as 500MB or 2GB, or none for no limit; received '0'.\n",
    ),
    "megabytes without a unit": (
        ("certify", *TABLES, *LABEL, *BIAS, *DEPTH, "--memory-limit", 500),
        "Error: --memory-limit must be at least 1MB; received 500. A number without a unit counts bytes: for "
        "megabytes write 500MB.\n",
    ),
    "no label": (
        ("certify", *TABLES, *BIAS, *DEPTH),
        "Error: Say with --label which column of 'train.csv' is the label. Its columns are 'sex', 'age', "
        "'priors', 'hired'.\n",
    ),
    "unknown label": (
        ("certify", *TABLES, "--label", "hird", *BIAS, *DEPTH),
        "Error: The table has no column 'hird' to take the label from. Did you mean 'hired'? Its columns are "
        "'sex', 'age', 'priors', 'hired'.\n",
    ),
    "unknown group": (
        ("certify", *TABLES, *LABEL, *BIAS, *DEPTH, "--group", "sx"),
        "Error: There is no column 'sx' to group by. The test table has sex, age, priors. Did you mean "
        "'sex'?\n",
    ),
    "unknown column to drop": (
        ("certify", *TABLES, *LABEL, *BIAS, *DEPTH, "--drop", "aeg"),
        "Error: --drop names the column 'aeg', which the training table does not have. Did you mean 'age'? "
        "Its columns are 'sex', 'age', 'priors'.\n",
    ),
    "unknown categorical column": (
        ("certify", *TABLES, *LABEL, *BIAS, *DEPTH, "--categorical", "aeg"),
        "Error: --categorical names the column 'aeg', which the training table does not have. Did you mean "
        "'age'? Its columns are 'sex', 'age', 'priors'.\n",
    ),
    "unknown column in the bias model": (
        ("certify", *TABLES, *LABEL, *DEPTH, "--bias", "flip(1, where ag > 3)"),
        "Error: There is no column ag in the training table. Did you mean age?\n"
        "    flip(1, where ag > 3)\n"
        "                  ^\n",
    ),
    "missing training file": (
        ("certify", "trian.csv", "test.csv", *LABEL, *BIAS, *DEPTH),
        "Error: There is no file 'trian.csv'. Did you mean 'train.csv'? Check the path.\n",
    ),
    "missing test file": (
        ("certify", "train.csv", "tset.csv", *LABEL, *BIAS, *DEPTH),
        "Error: There is no file 'tset.csv'. Did you mean 'test.csv'? Check the path.\n",
    ),
    "no test table": (
        ("certify", "train.csv", *LABEL, *BIAS, *DEPTH),
        "Error: There is no table of people to judge: after the training table 'train.csv' a second file is "
        "needed. Name the training file again to judge the people it holds.\n",
    ),
    "data set and test table": (
        ("certify", "compas", "test.csv", *BIAS, *DEPTH),
        "Error: The data set 'compas' brings its own people to judge; received 'test.csv' as well. Leave the "
        "second table out, or name two files.\n",
    ),
    "unknown data set": (
        ("certify", "compass", *BIAS, *DEPTH),
        "Error: 'compass' is neither a file nor a data set. Did you mean 'compas'? The bundled data sets are "
        "'hiring', 'compas', 'adult'; a file needs one of the suffixes .csv, .csv.gz, .tsv, .txt, "
        ".parquet, .feather, .xlsx, .arff.\n",
    ),
    "unknown table of the paper": (
        ("certify", "paper:compass", *BIAS, *DEPTH),
        "Error: The paper has no data set 'compass'. Did you mean 'compas'? It has 'compas', 'drug', "
        "'adult', 'mnist17'.\n",
    ),
    "tables of the paper without their folder": (
        ("certify", "paper:compas", *BIAS, *DEPTH),
        "Error: The paper's tables are read from the folder that the environment variable EVERYTREE_DATA "
        "names, and it is not set. Set it to a folder with compas/train.csv, compas/test.csv, and so on.\n",
    ),
    "test file lacks a column": (
        ("certify", "train.csv", "short.csv", *LABEL, *BIAS, *DEPTH),
        "Error: The columns of the test table differ from those of the training table: it lacks 'priors'. "
        "Both tables need the same columns (their order does not matter; an array has the columns x0, x1, "
        "...). Rename, add or remove columns so that they agree, or leave them out with drop.\n",
    ),
    "percentage over 100": (
        ("certify", *TABLES, *LABEL, *DEPTH, "--bias", "flip(150%)"),
        "Error: A percentage lies between 0 and 100; received 150.\n    flip(150%)\n         ^\n",
    ),
    "bias syntax": (
        ("certify", *TABLES, *LABEL, *DEPTH, "--bias", "flip(1% where age > 3)"),
        "Error: The bias model cannot be read at character 9: found where, expected of group, ) or a comma. "
        "Put a comma before where.\n"
        "    flip(1% where age > 3)\n"
        "            ^\n",
    ),
    "too many fakes": (
        ("certify", *TABLES, *LABEL, *DEPTH, "--bias", "fake(8)"),
        "Error: fake may remove fewer rows than the table has (8); received 8, which leaves an empty table. "
        "Lower the amount or narrow its where.\n",
    ),
    "json without its suffix": (
        ("certify", *TABLES, *LABEL, *BIAS, *DEPTH, "--json", "found.txt"),
        "Error: --json must name a file that ends in .json; received 'found.txt'. Rename it.\n",
    ),
    "explain: bias syntax": (
        ("explain", "flop(3)", "compas"),
        "Error: The bias model cannot be read at character 1: found flop, expected flip, miss or fake. Did "
        "you mean flip?\n    flop(3)\n    ^\n",
    ),
    "explain: no label": (
        ("explain", "flip(3)", "train.csv"),
        "Error: Say with --label which column of 'train.csv' is the label. Its columns are 'sex', 'age', "
        "'priors', 'hired'.\n",
    ),
    "witness: person out of range": (
        ("witness", *TABLES, *LABEL, *BIAS, *DEPTH, "--person", 2),
        "Error: --person must be a position in the test table, from 0 to 1; received 2.\n",
    ),
    "witness: negative person": (
        ("witness", "hiring", *BIAS, *DEPTH, "--person", 3, "--person", -1),
        "Error: --person must be a position in the test table, from 0 to 8; received -1.\n",
    ),
    "witness: depth 0": (
        ("witness", "hiring", *BIAS, "--depth", 0, "--person", 0),
        "Error: --depth must be a whole number of at least 1, or none for no limit; received 0.\n",
    ),
    "witness: no time": (
        ("witness", "hiring", *BIAS, *DEPTH, "--person", 0, "--time-limit", 0),
        "Error: --time-limit must be a number of seconds greater than 0, or none for no limit; received 0.\n",
    ),
    "witness: unknown column to drop": (
        ("witness", *TABLES, *LABEL, *BIAS, *DEPTH, "--person", 0, "--drop", "aeg"),
        "Error: --drop names the column 'aeg', which the training table does not have. Did you mean 'age'? "
        "Its columns are 'sex', 'age', 'priors'.\n",
    ),
    "witness: table without its suffix": (
        ("witness", "hiring", *BIAS, *DEPTH, "--person", 0, "--write", "changed.xlsx"),
        "Error: --write must name a file that ends in .csv or .parquet; received 'changed.xlsx'. Rename "
        "it.\n",
    ),
    "witness: one table for two people": (
        ("witness", "hiring", *BIAS, *DEPTH, "--person", 0, "--person", 1, "--write", "changed.csv"),
        "Error: --write writes the changed table of one person; received 2 times --person. Ask for one "
        "person at a time.\n",
    ),
    "witness: free amount": (
        ("witness", "hiring", "--bias", "flip(?)", *DEPTH, "--person", 0),
        "Error: The amount ? is free, but a number of rows is needed here. Write one in its place, such as 2 "
        "or 1%, or ask for the radius, which finds the largest amount for each person.\n",
    ),
    "radius: a fixed amount under the name that certify has": (
        ("radius", "hiring", "--bias", "flip(1)", *DEPTH),
        "Error: radius needs a bias model with a free amount, written ?, such as flip(?); received flip(1). "
        "Use certify for fixed amounts.\n",
    ),
    "radius: the text of the message is the one that was given": (
        ("radius", *TABLES, *LABEL, "--family", "flip(?, where sex == 'Femal')", *DEPTH),
        'Error: The column sex never has the value "Femal". Did you mean "Female"?\n'
        '    flip(?, where sex == "Femal")\n'
        "                         ^\n",
    ),
    "explain: the other way round": (
        ("explain", "hiring", "flip(1)"),
        "Error: The bias model comes first, then the table; received them the other way round. Write: "
        "everytree explain 'flip(1)' hiring\n",
    ),
    "audit: a table": (
        ("audit", "train.csv"),
        "Error: 'train.csv' is a table, and an audit file, .toml, is needed. Write one for it with: "
        "everytree audit --init train.csv\n",
    ),
    "radius: no free amount": (
        ("radius", "hiring", "--family", "flip(1)", *DEPTH),
        "Error: radius needs a bias model with a free amount, written ?, such as flip(?); received flip(1). "
        "Use certify for fixed amounts.\n",
    ),
    "radius: negative amount": (
        ("radius", "hiring", "--family", "flip(?)", *DEPTH, "--max-amount", -1),
        "Error: --max-amount must be a whole number of at least 0; received -1. Leave it out for as many "
        "records as the table has.\n",
    ),
    "label as a group": (
        ("certify", *TABLES, *LABEL, *BIAS, *DEPTH, "--group", "hired"),
        "Error: 'hired' is the label, and people cannot be grouped by it. Name other columns of the test "
        "table: sex, age, priors.\n",
    ),
    "radius: label as a group": (
        ("radius", "hiring", "--family", "flip(?)", *DEPTH, "--group", "hired"),
        "Error: 'hired' is the label, and people cannot be grouped by it. Name other columns of the test "
        "table: race, score.\n",
    ),
    "radius: unknown group": (
        ("radius", "hiring", "--family", "flip(?)", *DEPTH, "--group", "rase"),
        "Error: There is no column 'rase' to group by. The test table has race, score. Did you mean "
        "'race'?\n",
    ),
    "radius: unknown label": (
        ("radius", *TABLES, "--label", "hird", "--family", "flip(?)", *DEPTH),
        "Error: The table has no column 'hird' to take the label from. Did you mean 'hired'? Its columns are "
        "'sex', 'age', 'priors', 'hired'.\n",
    ),
    "radius: csv without its suffix": (
        ("radius", "hiring", "--family", "flip(?)", *DEPTH, "--csv", "found.txt"),
        "Error: --csv must name a file that ends in .csv; received 'found.txt'. Rename it.\n",
    ),
    "check: person out of range": (
        ("check", "hiring", *BIAS, *DEPTH, "--person", 9),
        "Error: --person must be a position in the test table, from 0 to 8; received 9.\n",
    ),
    "check: unknown column in the bias model": (
        ("check", "hiring", *DEPTH, "--person", 0, "--bias", "flip(1, where scor > 3)"),
        "Error: There is no column scor in the training table. Did you mean score?\n"
        "    flip(1, where scor > 3)\n"
        "                  ^\n",
    ),
    "check: depth 0": (
        ("check", "hiring", *BIAS, "--depth", 0, "--person", 0),
        "Error: --depth must be a whole number of at least 1, or none for no limit; received 0.\n",
    ),
    "reproduce: unknown data set": (
        ("reproduce", "--dataset", "compass"),
        "Error: The paper has no data set 'compass'. Did you mean 'compas'? It has 'adult', 'compas', "
        "'drug', 'mnist17'.\n",
    ),
    "reproduce: not bundled": (
        ("reproduce", "--dataset", "drug"),
        "Error: The data set 'drug' is not bundled. Set EVERYTREE_DATA to the folder of the paper's "
        "tables.\n",
    ),
    "an empty file": (
        ("certify", "empty.csv", "test.csv", *LABEL, *BIAS, *DEPTH),
        "Error: 'empty.csv' is empty. It needs a header with the names of the columns, and rows below it.\n",
    ),
    "engine": (
        ("certify", "compas", *BIAS, *DEPTH, "--engine", "relatonal"),
        "Error: --engine must be one of 'auto', 'relational', 'interval'; received 'relatonal'. Did you mean "
        "'relational'?\n",
    ),
    "encoding": (
        ("certify", "compas", *BIAS, *DEPTH, "--encoding", "one-hot"),
        "Error: --encoding must be one of 'onehot', 'ordinal'; received 'one-hot'. Did you mean 'onehot'?\n",
    ),
    "missing": (
        ("certify", "compas", *BIAS, *DEPTH, "--missing", "drop"),
        "Error: --missing must be one of 'learn', 'impute', 'category'; received 'drop'.\n",
    ),
    "seconds": (
        ("certify", "compas", *BIAS, *DEPTH, "--time-limit", "soon"),
        "Error: --time-limit must be a number of seconds greater than 0, or none for no limit; received "
        "soon.\n",
    ),
    "threads": (
        ("certify", "compas", *BIAS, *DEPTH, "--n-jobs", "all"),
        "Error: --n-jobs must be a whole number; received 'all'.\n",
    ),
    "no threads": (
        ("metrics", *TABLES, *LABEL, *BIAS, *DEPTH, "--n-jobs", 0),
        "Error: --n-jobs must be a whole number from 1, or -1 for all cores; received 0.\n",
    ),
    "the label left out": (
        ("explain", "flip(1)", "train.csv", *LABEL, "--drop", "hired"),
        "Error: --drop names 'hired', which is the label: the tree predicts it and never sees it. Leave it "
        "out of --drop.\n",
    ),
    "name of a person": (
        ("check", "hiring", *BIAS, *DEPTH, "--person", "Ann"),
        "Error: --person must be a whole number; received 'Ann'.\n",
    ),
    "name of people": (
        ("witness", "hiring", *BIAS, *DEPTH, "--person", 0, "--person", "1.5"),
        "Error: --person must be a whole number; received '1.5'.\n",
    ),
    "table": (
        ("reproduce", "--table", "rate"),
        "Error: --table must be one of 'rates', 'depth', 'all'; received 'rate'. Did you mean 'rates'?\n",
    ),
    "reproduce: markdown without its suffix": (
        ("reproduce", "--markdown", "found.txt"),
        "Error: --markdown must name a file that ends in .md; received 'found.txt'. Rename it.\n",
    ),
}


@pytest.mark.parametrize(("arguments", "message"), WRONG.values(), ids=WRONG.keys())
def test_wrong_input(run: Run, tmp_path: Path, arguments: tuple[object, ...], message: str) -> None:
    write_tables(tmp_path)
    (tmp_path / "short.csv").write_text("sex,age\nFemale,33\n")
    (tmp_path / "empty.csv").write_text("\n")
    assert run(*arguments) == (2, "", message)


SPELLING = {
    "option": (("certify", "compas", *BIAS, *DEPTH, "--qiet"), "certify", "--qiet"),
    "no bias": (("certify", "compas", *DEPTH), "certify", "'--bias'"),
    "no person": (("witness", "hiring", *BIAS, *DEPTH), "witness", "'--person'"),
    "no family": (("radius", "hiring", *DEPTH), "radius", "'--family'"),
    "init of nothing": (("audit", "--init"), "audit", "--init"),
    "too many": (("certify", "a.csv", "b.csv", "c.csv", *BIAS, *DEPTH), "certify", "c.csv"),
}


@pytest.mark.parametrize(("arguments", "command", "named"), SPELLING.values(), ids=SPELLING.keys())
def test_wrong_options(run: Run, arguments: tuple[object, ...], command: str, named: str) -> None:
    """The sentence is typer's own; it names what is wrong, and we say where to look."""
    code, out, err = run(*arguments)
    assert (code, out) == (2, "")
    sentence, look = err.rstrip("\n").split("\n")
    assert sentence.startswith("Error: ")
    assert named in sentence
    assert look == f"See 'everytree {command} --help'."


def test_what_is_left_out_is_explained(run: Run) -> None:
    err = run("certify", "compas", *DEPTH).err
    assert "Missing option '--bias'. What may be wrong with the training table, such as \"flip(1%)\"" in err
    assert "Missing argument 'TRAIN'. Training table: a .csv" in run("certify").err


def test_the_last_column_is_named_where_the_label_is_not(run: Run, tmp_path: Path) -> None:
    names = [f"x{i}" for i in range(30)]
    (tmp_path / "wide.csv").write_text(",".join([*names, "y"]) + "\n" + ",".join(["1"] * 31) + "\n")
    for label in ((), ("--label", "z")):
        err = run("certify", "wide.csv", "wide.csv", *BIAS, *DEPTH, *label).err
        assert "'x19' and 11 more, the last one 'y'." in err


def test_wrong_command(run: Run) -> None:
    said = run("certfy")
    assert said.code == 2
    assert "No such command 'certfy'" in said.err
    assert said.err.endswith("See 'everytree --help'.\n")


def test_an_interrupt_is_short(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("everytree.cli.certify._certify", interrupt)
    said = run("certify", "compas", *BIAS, *DEPTH)
    assert said == (130, "", "Interrupted; nothing was written.\n")


def test_a_fault_of_our_own_is_not_hidden(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr("everytree.cli.certify._certify", fail)
    with pytest.raises(ZeroDivisionError):
        run("certify", "compas", *BIAS, *DEPTH)
