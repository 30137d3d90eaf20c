"""Audits that keep a proof file for each cell."""

# ruff: noqa: F401, F811 (the fixture is imported under the name it is used by)

from __future__ import annotations

from pathlib import Path

import pytest

from everytree.audit import load_plan, run_audit
from everytree.checker.proofs import read_lines
from everytree.errors import AuditError
from everytree.show.report import method
from tests.audit.audit_tools import write_audit
from tests.cli.cli_tools import Run, run, write_tables

WITH_PROOFS = (
    ('people = "people.csv"', 'people = "people.csv"\nproofs = true'),
    ('amounts = [1, "20%"]', 'amounts = [1, "20%"]\nradius = false'),
)
FIRST = "01-flip-1-depth-1.proof"


def test_every_cell_has_a_file_that_is_verified_with_the_tables(run: Run, tmp_path: Path) -> None:
    write_audit(tmp_path, *WITH_PROOFS)
    said = run("audit", "audit.toml")
    assert said.code == 0, said.err
    folder = tmp_path / "audit-results" / "proofs"
    files = sorted(path.name for path in folder.iterdir())
    assert files[:2] == [FIRST, "02-flip-20-percent-depth-1.proof"]
    assert len(files) == 4
    assert "wrote 4 proof files into" in said.err
    for name in files:
        verified = run("verify", f"audit-results/proofs/{name}", "train.csv", "test.csv")
        assert verified.code == 0, verified.err
        assert "VERIFIED" in verified.err


def test_a_file_is_written_again_only_if_it_says_something_else(tmp_path: Path) -> None:
    plan = load_plan(write_audit(tmp_path, *WITH_PROOFS))
    run_audit(plan)
    file = plan.outputs.proof_folder / FIRST
    before, written = file.read_bytes(), file.stat().st_mtime_ns
    run_audit(plan)
    assert file.stat().st_mtime_ns == written
    file.write_bytes((plan.outputs.proof_folder / "02-flip-20-percent-depth-1.proof").read_bytes())
    run_audit(plan)
    assert file.read_bytes() == before
    file.write_bytes(before[:-10])
    run_audit(plan)
    assert file.read_bytes() == before


def test_who_has_no_exact_proof_is_unknown_in_all_outputs(tmp_path: Path, monkeypatch) -> None:
    plan = load_plan(write_audit(tmp_path, *WITH_PROOFS))
    sure = run_audit(plan)
    file = sure.proofs[next(iter(sure.proofs))]
    assert file.proved
    monkeypatch.setattr("everytree.questions.proofs.writing.verify_lines", _reject_first_time(file.proved[0]))
    file.path.unlink()
    doubted = run_audit(plan)
    cell = next(iter(doubted.verdicts))
    assert doubted.verdicts[cell].verdicts[file.proved[0]] == "unknown"
    assert doubted.people().iloc[file.proved[0]]["verdict"] == "unknown"
    assert next(read_lines(file.path))["left_out"][0][0] == file.proved[0]


def _reject_first_time(person: int):
    from everytree.checker.proofs import Rejected, verify_lines

    told: list[int] = []

    def verify(lines, tables, **options):
        if not told:
            told.append(person)
            raise Rejected("leaf", "as planned", [person])
        return verify_lines(lines, tables, **options)

    return verify


def test_the_report_links_the_files(tmp_path: Path) -> None:
    plan = load_plan(write_audit(tmp_path, *WITH_PROOFS, ('groups = "groups.csv"', 'report = "report.html"')))
    audit = run_audit(plan)
    listed = method.proofs(audit)
    assert listed[0].address == f"audit-results/proofs/{FIRST}"
    assert listed[0].command == f"everytree verify {FIRST} train.csv test.csv"
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert all(f'href="{proof.address}"' in page for proof in listed)
