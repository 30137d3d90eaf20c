"""The audit file: what it becomes, and every way to get it wrong, with the exact words a user sees."""

# ruff: noqa: F401, F811 (the fixture is imported under the name it is used by)

from pathlib import Path

import pytest

from everytree.audit import Data, Outputs, Sweep, load_plan
from everytree.audit.opened import open_audit
from everytree.bias import parse
from everytree.errors import EverytreeWarning
from tests.audit.audit_tools import write_audit
from tests.cli.cli_tools import Run, run

NO_AMOUNTS = ('amounts = [1, "20%"]\n', "")
KEYS_ABOVE = (
    "The keys here are 'title', 'author', 'date', 'data', 'learner', 'audit', 'bias', 'outputs', 'require'."
)

WRONG: dict[str, tuple[list[tuple[str, str]], str]] = {
    "misspelt key": (
        [("depths", "depth")],
        "[audit] depth: there is no such key. Did you mean 'depths'? The keys here are 'groups', 'depths', "
        "'engine', 'time_limit', 'n_jobs', 'smallest_group'.",
    ),
    "misspelt table": (
        [("[outputs]", "[output]")],
        f"[output]: there is no such table. Did you mean 'outputs'? {KEYS_ABOVE}",
    ),
    "misspelt key of a bias model": (
        [("with_amounts", "with_amount")],
        "[[bias]] number 2, with_amount: there is no such key. Did you mean 'with_amounts'? The keys here "
        "are 'name', 'model', 'amounts', 'radius', 'engine', 'with', 'with_amounts'.",
    ),
    "data is no table": (
        [('[data]\ntrain = "train.csv"\ntest = "test.csv"\nlabel = "hired"', "data = 3")],
        "[data]: must be a table of keys and values; received 3.",
    ),
    "single brackets": (
        [('[[bias]]\nname = "wrong labels"\nmodel = "flip(?)"\n', ""), NO_AMOUNTS, ("[[bias]]", "[bias]")],
        "bias: each one begins with [[bias]], in double brackets.",
    ),
    "title": ([('"Small"', "3")], "title: must be a text in quotes; received 3."),
    "depth 0": (
        [("depths = [1]", "depths = [0]")],
        "[audit] depths: must be a list of whole numbers of at least 1, such as [1, 2]; received [0].",
    ),
    "depth without a list": (
        [("depths = [1]", "depths = 1")],
        "[audit] depths: must be a list of whole numbers of at least 1, such as [1, 2]; received 1.",
    ),
    "depth twice": (
        [("depths = [1]", "depths = [1, 1]")],
        "[audit] depths: lists a depth twice; received [1, 1]. Leave one of them out.",
    ),
    "groups without a list": (
        [('["sex"]', '"sex"')],
        '[audit] groups: must be a list of columns or lists of columns, such as ["sex", ["race", "sex"]]; '
        "received 'sex'.",
    ),
    "group that is no column": (
        [('["sex"]', "[3]")],
        '[audit] groups: must be a list of columns or lists of columns, such as ["sex", ["race", "sex"]]; '
        "received 3 in it.",
    ),
    "group twice": (
        [('["sex"]', '["sex", ["sex"]]')],
        "[audit] groups: ['sex'] names something twice. Leave one of them out.",
    ),
    "unknown group": (
        [('["sex"]', '["sx"]')],
        "[audit] groups: There is no column 'sx' to group by. The test table has sex, age, priors. Did you "
        "mean 'sex'?",
    ),
    "group that is the label": (
        [('["sex"]', '["hired"]')],
        "[audit] groups: 'hired' is the label, and people cannot be grouped by it. Name other columns of the "
        "test table: sex, age, priors.",
    ),
    "engine": (
        [("depths = [1]", 'depths = [1]\nengine = "relationel"')],
        "[audit] engine: must be one of 'auto', 'interval', 'relational'; received 'relationel'. Did you "
        "mean 'relational'?",
    ),
    "no time": (
        [("depths = [1]", "depths = [1]\ntime_limit = 0")],
        "[audit] time_limit: must be a number of seconds greater than 0; received 0. Leave it out for no "
        "limit.",
    ),
    "time without end": (
        [("depths = [1]", "depths = [1]\ntime_limit = inf")],
        "[audit] time_limit: must be a number of seconds greater than 0; received inf. Leave it out for no "
        "limit.",
    ),
    "no jobs": (
        [("depths = [1]", "depths = [1]\nn_jobs = 0")],
        "[audit] n_jobs: must be a whole number from 1, or -1 for one process a core; received 0.",
    ),
    "no training table": (
        [('train = "train.csv"\n', "")],
        "[data] train: is needed: the training table, a file such as .csv or .parquet, or a data set.",
    ),
    "misspelt data set": (
        [('"train.csv"', '"compass"')],
        "[data] train: 'compass' is neither a file nor a data set. Did you mean 'compas'? The bundled data "
        "sets are 'hiring', 'compas', 'adult'; a file needs one of the suffixes .csv, .csv.gz, .tsv, .txt, "
        ".parquet, .feather, .xlsx, .arff.",
    ),
    "misspelt file": (
        [('"train.csv"', '"trian.csv"')],
        "[data] train: There is no file 'trian.csv'. Did you mean 'train.csv'? Check the path.",
    ),
    "misspelt test file": (
        [('"test.csv"', '"tset.csv"')],
        "[data] test: There is no file 'tset.csv'. Did you mean 'test.csv'? Check the path.",
    ),
    "no test table": (
        [('test = "test.csv"\n', "")],
        "[data] test: is needed: the people to judge. It may be the training file again, to judge its own.",
    ),
    "no label": (
        [('label = "hired"\n', "")],
        "[data] label: is needed: the column of 'train.csv' that the tree predicts.",
    ),
    "unknown label": (
        [('"hired"', '"hird"')],
        "[data] label: The table has no column 'hird' to take the label from. Did you mean 'hired'? Its "
        "columns are 'sex', 'age', 'priors', 'hired'.",
    ),
    "data set and test table": (
        [('"train.csv"', '"hiring"')],
        "[data] test: the data set 'hiring' brings its own people to judge; received 'test.csv'. Leave it "
        "out.",
    ),
    "positive": (
        [('label = "hired"', 'label = "hired"\npositive = "Yes"')],
        "[data] positive: must be a label of the training table, 'no', 'yes'; received 'Yes'. Did you mean "
        "'yes'?",
    ),
    "positive that is no label": (
        [('label = "hired"', 'label = "hired"\npositive = [1]')],
        "[data] positive: must be one label, a text or a number; received [1].",
    ),
    "drop": (
        [('label = "hired"', 'label = "hired"\ndrop = ["ag"]')],
        "[data] drop: drop names the column 'ag', which the training table does not have. Did you mean "
        "'age'? Its columns are 'sex', 'age', 'priors'.",
    ),
    "drop the label": (
        [('label = "hired"', 'label = "hired"\ndrop = ["age", "hired"]')],
        "[data] drop: drop names 'hired', which is the label: the tree predicts it and never sees it. Leave "
        "it out of drop.",
    ),
    "drop without a list": (
        [('label = "hired"', 'label = "hired"\ndrop = "age"')],
        '[data] drop: must be a list of column names, such as ["age", "sex"]; received \'age\'.',
    ),
    "encoding": (
        [('label = "hired"', 'label = "hired"\nencoding = "one-hot"')],
        "[data] encoding: must be one of 'onehot', 'ordinal'; received 'one-hot'. Did you mean 'onehot'?",
    ),
    "misspelt column": (
        [("where sex ==", "where sxe ==")],
        "[[bias]] number 2, model: There is no column sxe in the training table. Did you mean sex?\n"
        '    flip(?, where sxe == "Female" and label == "no")\n'
        "                  ^",
    ),
    "misspelt category": (
        [("'Female'", "'Femal'")],
        '[[bias]] number 2, model: The column sex never has the value "Femal". Did you mean "Female"?\n'
        '    flip(?, where sex == "Femal" and label == "no")\n'
        "                         ^",
    ),
    "syntax": (
        [('"flip(?)"', '"flip(?"')],
        "[[bias]] number 1, model: The bias model cannot be read at character 7: the text ends here, "
        "expected ) or a comma. Close the bracket that opens at character 5.\n"
        "    flip(?\n"
        "          ^",
    ),
    "percentage over 100": (
        [('"20%"', '"120%"')],
        "[[bias]] number 1, amounts: A percentage lies between 0 and 100; received 120. Lower it, or write a "
        "number of rows without the %.",
    ),
    "percentage over 100 in a model": (
        [('"flip(?)"', '"flip(120%)"'), NO_AMOUNTS],
        "[[bias]] number 1, model: A percentage lies between 0 and 100; received 120.\n"
        "    flip(120%)\n"
        "         ^",
    ),
    "half an amount": (
        [('"20%"', "0.5")],
        "[[bias]] number 1, amounts: An amount is a whole number or a text; received 0.5. Write a whole "
        'number of rows (20), a percentage ("1%", "5% of group") or "?" for a free amount.',
    ),
    "amount that is free": (
        [('"20%"', '"?"')],
        '[[bias]] number 1, amounts: must be a list of amounts, such as [20, "1%", "5% of group"]; received '
        "'?' in it, which fills nothing.",
    ),
    "amount twice": (
        [('"20%"', '"1"')],
        "[[bias]] number 1, amounts: lists '1' twice. Leave one of them out.",
    ),
    "no amounts": (
        [NO_AMOUNTS],
        '[[bias]] number 1, amounts: must be a list of amounts, such as [20, "1%", "5% of group"]: model is '
        "'flip(?)', and these fill its ?.",
    ),
    "nothing to fill": (
        [('"flip(?)"', '"flip(1)"')],
        "[[bias]] number 1, amounts: fills the ? of model, but 'flip(1)' has no ?. Leave it out, or write a "
        "?.",
    ),
    "second model without a free amount": (
        [('"fake(?)"', '"fake(1)"')],
        "[[bias]] number 2, with: must have a free amount ?, for with_amounts to fill; received 'fake(1)'. "
        'What never varies is written into model: flip(?, where sex == "Female" and label == "no") + fake(1)',
    ),
    "amounts of no second model": (
        [('with = "fake(?)"\n', "")],
        "[[bias]] number 2, with_amounts: fills the ? of with, but there is none. Leave it out, or write a "
        "?.",
    ),
    "radius of two": (
        [('with = "fake(?)"', 'with = "fake(?)"\nradius = true')],
        "[[bias]] number 2, radius: cannot be true, because with adds a second amount. Leave it out, or "
        "change that.",
    ),
    "radius by proofs only": (
        [('"flip(?)"', '"flip(?)"\nradius = true\nengine = "interval"')],
        "[[bias]] number 1, radius: cannot be true, because engine is 'interval', and a radius needs 'auto'. "
        "Leave it out, or change that.",
    ),
    "radius of nothing free": (
        [('"flip(?)"', '"flip(1)"\nradius = true'), NO_AMOUNTS],
        "[[bias]] number 1, radius: cannot be true, because model is 'flip(1)', without a ?. Leave it out, "
        "or change that.",
    ),
    "radius that is no truth value": (
        [('"flip(?)"', '"flip(?)"\nradius = "yes"')],
        "[[bias]] number 1, radius: must be true or false; received 'yes'.",
    ),
    "same name": (
        [('model = "flip(?, where', 'name = "wrong labels"\nmodel = "flip(?, where')],
        "[[bias]] number 2, name: 'wrong labels' is also what number 1 is called. Each needs its own name.",
    ),
    "empty group": (
        [("'Female' and", "'Female' and age > 90 and")],
        "[[bias]] number 2, model: the group is empty. No row of the training table satisfies sex == "
        '"Female" and age > 90 and label == "no", so flip(?, where sex == "Female" and age > 90 and label == '
        '"no") could never change anything, and a proof about it would say nothing. Correct the condition, '
        "or leave this bias model out.",
    ),
    "share of an empty group": (
        [('"fake(?)"', '"miss(?, where age > 90)"'), ("[1, 2]", '["5% of group"]')],
        "[[bias]] number 2, with: the group is empty. No row of the training table satisfies age > 90, so "
        "miss(?, where age > 90) could never change anything, and a proof about it would say nothing. "
        "Correct the condition, or leave this bias model out.",
    ),
    "flip to what is": (
        [('"flip(?)"', "\"flip(?, where label == 'yes', to 'yes')\"")],
        '[[bias]] number 1, model: flip(?, where label == "yes", to "yes") could never change anything in '
        "the training table, and a proof about it would say nothing. Correct the condition, or leave this "
        "bias model out.",
    ),
    "everything is fake": (
        [('"flip(?)"', '"fake(?)"'), ('"20%"', '"100%"')],
        "[[bias]] number 1, amounts: fake may remove fewer rows than the table has (8); received 8, which "
        "leaves an empty table. Lower the amount or narrow its where.",
    ),
    "report into a missing folder": (
        [('people = "people.csv"', 'report = "nowhere/report.html"')],
        "[outputs] report names 'nowhere/report.html', which cannot be written: No such file or directory. "
        "Choose a folder that exists and may be written to.",
    ),
    "report of another kind": (
        [('people = "people.csv"', 'report = "report.pdf"')],
        "[outputs] report must name a file that ends in .html; received 'report.pdf'. Rename it.",
    ),
    "unwritable output": (
        [('"people.csv"', '"train.csv/people.csv"')],
        "[outputs] people names 'train.csv/people.csv', which cannot be written: Not a directory. Choose a "
        "folder that exists and may be written to.",
    ),
    "output over an input": (
        [('people = "people.csv"', 'people = "train.csv"')],
        "[outputs] people: 'train.csv' is also named by train. Choose another name, so that neither is "
        "written over.",
    ),
    "one file twice": (
        [('people = "people.csv"', 'people = "groups.csv"')],
        "[outputs] groups: 'groups.csv' is also named by people. Choose another name, so that neither is "
        "written over.",
    ),
    "folder that is a file": (
        [('people = "people.csv"', 'folder = "train.csv"')],
        "[outputs] folder: 'train.csv' cannot be used to keep the cells: it is a file. Name a folder.",
    ),
    "folder in a missing folder": (
        [('people = "people.csv"', 'folder = "nowhere/results"')],
        "[outputs] folder: 'nowhere/results' cannot be used to keep the cells: No such file or directory. "
        "Name a folder that may be written to; it is made if its parent exists.",
    ),
    "missing quote": (
        [('"Small"', '"Small')],
        "'audit.toml' is not a TOML file: Illegal character '\\n' (at line 1, column 15). Is a quote "
        "missing? Texts stand in double quotes, lists in [ ]; see https://toml.io for the rest.",
    ),
    "no TOML": (
        [('title = "Small"', "title = Small")],
        "'audit.toml' is not a TOML file: Invalid value (at line 1, column 9). Texts stand in double quotes, "
        "lists in [ ]; see https://toml.io for the rest.",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_is_named_before_anything_is_computed(run: Run, tmp_path: Path, name: str) -> None:
    changes, message = WRONG[name]
    write_audit(tmp_path, *changes)
    said = run("audit", "audit.toml")
    assert (said.code, said.out, said.err) == (2, "", f"Error: {message}\n")
    assert not list(tmp_path.glob("audit-results/*"))
    assert not (tmp_path / "groups.csv").exists()


def test_a_test_file_without_a_column(run: Run, tmp_path: Path) -> None:
    write_audit(tmp_path)
    (tmp_path / "test.csv").write_text("sex,age\nFemale,33\n")
    said = run("audit", "audit.toml")
    assert said == (
        2,
        "",
        "Error: [data] test: The columns of the test table differ from those of the training table: it lacks "
        "'priors'. Both tables need the same columns (their order does not matter; an array has the columns "
        "x0, x1, ...). Rename, add or remove columns so that they agree, or leave them out with drop.\n",
    )


def test_test_labels_in_another_spelling(run: Run, tmp_path: Path) -> None:
    write_audit(tmp_path)
    (tmp_path / "test.csv").write_text("sex,age,priors,hired\nFemale,33,0,No\nMale,58,4,Yes\n")
    assert run("audit", "audit.toml") == (
        2,
        "",
        "Error: [data] test: no label of the test table occurs in the training table. The column 'hired' has "
        "'No', 'Yes' in the test table and 'no', 'yes' in the training table. Spell the labels alike in "
        "both, or leave the column out of the test table.\n",
    )
    (tmp_path / "test.csv").write_text("sex,age,priors,hired\nFemale,33,0,no\nMale,58,4,Yes\nMale,9,1,Yes\n")
    assert run("audit", "audit.toml", "-q") == (
        0,
        "",
        "note: [data] test: the test table has labels that training never saw: 'Yes', of 2 people. The "
        "training table has 'no', 'yes'. No prediction can be right for them.\n",
    )


def test_amounts_beyond_the_table_are_noted(run: Run, tmp_path: Path) -> None:
    write_audit(tmp_path, ('[1, "20%"]', "[8, 9, 5000]"), ("amounts = [1]", "amounts = [4]"))
    assert run("audit", "audit.toml", "-q") == (
        0,
        "",
        "note: [[bias]] number 1: there are only 8 rows for flip(9) or flip(5000) to touch. An amount beyond "
        "that allows nothing more.\n"
        "note: [[bias]] number 2: there are only 3 rows for "
        'flip(4, where sex == "Female" and label == "no") to touch. An amount beyond that allows nothing '
        "more.\n",
    )


def test_many_groups_are_noted(tmp_path: Path) -> None:
    path = write_audit(tmp_path, ('["sex"]', '["sex", ["sex", "age"]]'))
    people = "".join(f"Male,{age},1\nFemale,{age},1\n" for age in range(26))
    (tmp_path / "test.csv").write_text(f"sex,age,priors\n{people}Male,0,2\n")
    message = r"^\[audit\] groups: 'sex', 'age' makes 52 groups of 53 people\. To compare fewer, name bands"
    with pytest.warns(EverytreeWarning, match=message) as noted:
        open_audit(load_plan(path))
    assert len(noted) == 1
    (tmp_path / "test.csv").write_text(f"sex,age,priors\n{people[: people.index('25,')]}24,1\n")
    open_audit(load_plan(path))


def test_missing_tables_of_the_file(run: Run, tmp_path: Path) -> None:
    (tmp_path / "audit.toml").write_text("")
    assert run("audit", "audit.toml").err == (
        "Error: [data]: is missing. It names the tables. Write a first audit with: everytree audit --init "
        "TRAIN\n"
    )
    (tmp_path / "audit.toml").write_text("[data]\n")
    assert run("audit", "audit.toml").err == (
        "Error: [bias]: is missing. It says what may be wrong with the training table. It is written "
        "[[bias]].\n"
    )
    (tmp_path / "audit.toml").write_bytes(b"\xff")
    assert "it is not UTF-8" in run("audit", "audit.toml").err


def test_a_misspelt_audit_file(run: Run, tmp_path: Path) -> None:
    write_audit(tmp_path)
    assert run("audit", "audti.toml").err == (
        "Error: The audit file 'audti.toml' cannot be read: No such file or directory. Did you mean "
        "'audit.toml'? Write a first one with: everytree audit --init TRAIN\n"
    )


def test_the_plan_holds_what_the_file_says(tmp_path: Path) -> None:
    folder = tmp_path / "below"
    folder.mkdir()
    path = write_audit(
        folder,
        ('title = "Small"', 'title = "Small"\nauthor = "A. B."\ndate = 2026-01-31'),
        ('label = "hired"', 'label = "hired"\npositive = "yes"\ndrop = ["age"]'),
        ('["sex"]', '["sex", ["sex", "age"]]'),
        ("depths = [1]", "depths = [1, 3]\ntime_limit = 5\nn_jobs = -1\nengine = 'relational'"),
        ("amounts = [1]", 'amounts = [1]\nengine = "auto"'),
    )
    plan = load_plan(path)
    assert plan.data == Data(
        str(folder / "train.csv"), str(folder / "test.csv"), "hired", ("age",), positive="yes"
    )
    assert (plan.title, plan.author, plan.date) == ("Small", "A. B.", "2026-01-31")
    assert (plan.groups, plan.depths) == ((("sex",), ("sex", "age")), (1, 3))
    assert (plan.time_limit, plan.n_jobs) == (5.0, -1)
    assert plan.outputs == Outputs(
        folder / "audit-results", None, folder / "people.csv", folder / "groups.csv"
    )
    first, second = plan.sweeps
    # A radius needs the engine "auto"; without it none is asked for.
    assert first == Sweep("wrong labels", parse("flip(?)"), ("1", "20%"), engine="relational", radius=False)
    targeted = parse('flip(?, where sex == "Female" and label == "no")')
    assert second == Sweep(f"{targeted} + fake(?)", targeted, ("1",), parse("fake(?)"), ("1", "2"), "auto")
    cells = plan.cells()
    assert len(cells) == 2 * (2 + 2)
    assert {str(cell.model) for cell in cells} == {
        "flip(1)",
        "flip(20%)",
        'flip(1, where sex == "Female" and label == "no") + fake(1)',
        'flip(1, where sex == "Female" and label == "no") + fake(2)',
    }


def test_a_radius_is_asked_for_unless_told_otherwise(tmp_path: Path) -> None:
    assert load_plan(write_audit(tmp_path)).sweeps[0].radius
    quiet = write_audit(tmp_path, ('model = "flip(?)"', 'model = "flip(?)"\nradius = false'))
    assert not load_plan(quiet).sweeps[0].radius
