"""``[require]``: what an audit must find, read, refused, held against the result."""

from pathlib import Path

import pytest

from everytree.audit import load_plan, run_audit
from everytree.audit.opened import open_audit
from everytree.errors import AuditError
from tests.audit.audit_tools import write_audit
from tests.cli.cli_tools import Run, run  # noqa: F401

PEOPLE = ("sex,age,priors\nFemale,33,0\nMale,58,4\n", "sex,age,priors,hired\nFemale,33,0,no\nMale,58,4,yes\n")


def audit(folder: Path, require: str) -> Path:
    path = write_audit(folder, ("depths = [1]", "depths = [1]\nsmallest_group = 1"))
    (folder / "test.csv").write_text(PEOPLE[1])
    path.write_text(path.read_text() + "\n[require]\n" + require)
    return path


def test_what_is_not_met_ends_with_1_and_says_by_how_much(run: Run, tmp_path: Path) -> None:  # noqa: F811
    said = run("audit", audit(tmp_path, 'robust = "40%"\nbias = ["wrong labels"]\namounts = [1]'), "--quiet")
    assert (said.code, said.err) == (0, "")
    said = run("audit", audit(tmp_path, 'robust = "90%"\nbias = ["wrong labels"]\namounts = [1]'), "--quiet")
    assert said.code == 1
    assert said.err == (
        "Not met: [require] of this audit.\n"
        "flip(1), depth 1: 50.0% of 2 people are proved robust, not 90%: 40.0 percentage points short, 1 "
        "person.\n"
    )
    assert (tmp_path / "people.csv").exists()


def test_groups_and_ranges_of_metrics(tmp_path: Path) -> None:
    require = """robust_by_group = 0.5
bias = ["wrong labels"]
amounts = [1]
[require.metrics]
accuracy = {at_least = 0.6}
"certified accuracy" = {at_least = "60%"}
"selection rate" = {at_most = 1}
"demographic parity difference" = {at_most = 0.2}
"""
    path = audit(tmp_path, require)
    assert run_audit(load_plan(path)).unmet() == [
        "flip(1), depth 1: sex Female: 0.0% of 1 person is proved robust, not 50%: 50.0 percentage points "
        "short, 1 person.",
        "flip(1), depth 1: certified accuracy is 0.500, 0.100 below the 60% required.",
        "flip(1), depth 1: accuracy may be as low as 0.500, 0.100 below the 60% required.",
        "flip(1), depth 1: demographic parity difference by sex may be as high as 1.000, 0.800 above the 20% "
        "allowed.",
    ]
    path.write_text(path.read_text().replace("smallest_group = 1", "smallest_group = 2"))
    found = run_audit(load_plan(path)).unmet()
    assert not any("sex Female" in said for said in found)
    assert found[-1] == (
        "flip(1), depth 1: demographic parity difference by sex has no value: no group has 2 people."
    )


def test_bands_are_named_as_readers_do(tmp_path: Path) -> None:
    require = """robust_by_group = 1
bias = ["wrong labels"]
amounts = [1]
[require.metrics]
"demographic parity difference" = {at_most = 0}
"""
    path = audit(tmp_path, require)
    path.write_text(path.read_text().replace('groups = ["sex"]', 'groups = ["age by 45"]'))
    assert run_audit(load_plan(path)).unmet() == [
        "flip(1), depth 1: age under 45: 0.0% of 1 person is proved robust, not 100%: 100.0 percentage "
        "points short, 1 person.",
        "flip(1), depth 1: demographic parity difference by age, in bands, may be as high as 1.000, 1.000 "
        "above the 0% allowed.",
    ]


def test_a_tree_that_is_good_for_nothing_passes_for_no_group(tmp_path: Path) -> None:
    path = audit(tmp_path, 'robust = 0\nrobust_by_group = 0\nbias = ["wrong labels"]\namounts = [1]')
    assert run_audit(load_plan(path)).unmet() == []
    (tmp_path / "test.csv").write_text(PEOPLE[1].replace("4,yes", "4,no"))
    assert run_audit(load_plan(path)).unmet() == [
        "flip(1), depth 1: the tree is right about 1 of 2 people and always saying no about 2, so that its "
        "robustness says little."
    ]


@pytest.mark.parametrize(
    ("require", "message"),
    [
        ("robust = 90", r"\[require\] robust: it must be a share .* For percent write 90%"),
        ("robst = 0.9", r"\[require\] robst: there is no such key\. Did you mean 'robust'\?"),
        ('bias = ["wrong"]', r"\[require\] bias: 'wrong' is not in this audit, which has 'wrong labels'"),
        ("amounts = [3]", r"\[require\] amounts: '3' is not in this audit"),
        ("[require.metrics]\naccurcy = {at_least = 1}", r"Did you mean 'accuracy'\?"),
        ("[require.metrics]\naccuracy = {}", r"needs at_least or at_most"),
        ("[require.metrics]\naccuracy = 0.9", r"must be a table of keys and values; received 0\.9"),
    ],
)
def test_requirements_that_make_no_sense_are_refused(tmp_path: Path, require: str, message: str) -> None:
    with pytest.raises(AuditError, match=message):
        open_audit(load_plan(audit(tmp_path, require)))


def test_what_can_never_be_held_against_the_result_is_refused_before_anything_is_computed(
    tmp_path: Path,
) -> None:
    path = audit(tmp_path, "robust_by_group = 1")
    path.write_text(path.read_text().replace('groups = ["sex"]\n', ""))
    with pytest.raises(AuditError, match=r"compares groups, but .* names none"):
        open_audit(load_plan(path))
    path = audit(tmp_path, "[require.metrics]\naccuracy = {at_least = 1}")
    (tmp_path / "test.csv").write_text(PEOPLE[0])
    with pytest.raises(AuditError, match="accuracy: needs true labels"):
        open_audit(load_plan(path))
