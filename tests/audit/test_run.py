"""Running audits: the answers are those of `certify` and `radius`, and whatever happens, nothing is lost."""

import errno
import os
import random
import signal
import subprocess
import sys
import threading
import time
import warnings
from concurrent.futures.process import BrokenProcessPool
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.tree import DecisionTreeClassifier

from everytree import certify, radius
from everytree.audit import Data, Outputs, Plan, Sweep, cells, load_plan, run_audit, store
from everytree.bias import parse
from everytree.datasets import load
from everytree.errors import AuditError, EverytreeWarning
from tests.audit.audit_tools import kept, write_audit

RACE = "flip(?, where race == 'White' and label == 1)"


def _plan(folder: Path, **changes: Any) -> Plan:
    """An audit of nine applicants: twelve cells that take some milliseconds each."""
    sweeps = (
        Sweep("wrong labels", parse("flip(?)"), ("1", "2", "20%"), radius=True),
        Sweep("targeted", parse(RACE), ("1", "50% of group"), radius=True),
        Sweep("both", parse("fake(?)"), ("1", "2"), parse("miss(?)"), ("1", "2"), engine="relational"),
        Sweep("fixed", parse("fake(3)")),
    )
    plan = Plan(Data("hiring"), sweeps, (("race",),), (1,), outputs=Outputs(folder / "results"))
    return replace(plan, **changes)


def _forbid(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("a kept cell is computed again")

    monkeypatch.setattr(cells, "compute", refuse)


def test_every_cell_is_what_certify_and_radius_say(tmp_path: Path) -> None:
    data = load("hiring")
    plan = _plan(tmp_path, depths=(1, 2))
    audit = run_audit(plan)
    assert [*audit.verdicts, *audit.radii] == sorted(plan.cells(), key=lambda cell: cell.kind == "radius")
    assert (len(audit.verdicts), len(audit.radii)) == (20, 4)
    for cell, result in audit.verdicts.items():
        tree = DecisionTreeClassifier(max_depth=cell.depth, random_state=0)
        engine = plan.sweeps[cell.sweep].engine
        direct = certify(tree, data.X_train, data.y_train, data.X_test, cell.model, engine=engine)
        pd.testing.assert_frame_equal(result.to_frame(), direct.to_frame())
        assert result.engine == engine
        assert {p: w.size for p, w in result.witnesses.items()} == {
            p: w.size for p, w in direct.witnesses.items()
        }
    for cell, found in audit.radii.items():
        tree = DecisionTreeClassifier(max_depth=cell.depth, random_state=0)
        most = {0: 2, 1: 2}[cell.sweep]  # 20% of nine, half of the four White people who were hired
        expected = radius(tree, data.X_train, data.y_train, data.X_test, cell.model, max_amount=most)
        pd.testing.assert_frame_equal(found.to_frame(), expected.to_frame())
    assert audit.prepared[1].train is audit.prepared[2].train
    assert audit.prepared[1].test.y is not None
    assert audit.plan.data == Data("hiring", label="hired", positive=1)
    assert set(audit.hashes) == {"train", "test"}


def test_lines_for_groups_and_people(tmp_path: Path) -> None:
    audit = run_audit(_plan(tmp_path))
    lines = audit.to_frame()
    assert len(lines) == 10 * (1 + 2)
    first = lines[lines["model"] == "flip(1)"].set_index("group")
    assert first["n"].to_dict() == {"everybody": 9, "Black": 2, "White": 7}
    result = audit.of(0, 1)
    flipped = next(iter(result.values()))
    for group, people in flipped.frame.groupby("race").groups.items():
        share = np.mean(flipped.verdicts[list(people)] == "robust")
        assert first.loc[group, "robust"] == share
    both = lines[lines["bias"] == "both"]
    assert both[["amount", "with_amount"]].drop_duplicates().to_numpy().tolist() == [
        ["1", "1"],
        ["1", "2"],
        ["2", "1"],
        ["2", "2"],
    ]
    people = audit.people()
    assert len(people) == 10 * 9
    one = people[people["model"] == "flip(2)"].iloc[:9]
    cell = next(cell for cell in audit.verdicts if str(cell.model) == "flip(2)")
    sizes = {p: w.size for p, w in audit.verdicts[cell].witnesses.items()}
    assert one["witness_size"].dropna().astype(int).to_dict() == {
        one.index[p]: size for p, size in sizes.items()
    }
    found = audit.radius_of(0, 1)
    assert found is not None
    assert one["radius_lower"].tolist() == found.lower.tolist()
    assert one["label"].tolist() == load("hiring").y_test.tolist()
    assert one["race"].tolist() == load("hiring").X_test["race"].tolist()
    assert people[people["bias"] == "fixed"]["radius_lower"].isna().all()


def test_lines_with_metrics_have_the_ranges(tmp_path: Path) -> None:
    audit = run_audit(replace(_plan(tmp_path), smallest_group=2))
    lines = audit.to_frame(metrics=True)
    one = lines[lines["model"] == "flip(1)"].set_index("group")
    cell, result = next(iter(audit.verdicts.items()))
    assert str(cell.model) == "flip(1)"
    ranges = result.metric_ranges("race")
    for group in ("everybody", "Black", "White"):
        assert one.loc[group, "selection_rate_low"] == ranges.loc[("selection rate", group), "low"]
        assert one.loc[group, "accuracy_high"] == ranges.loc[("accuracy", group), "high"]
    between = one.loc["between groups"]
    name = "demographic parity difference"
    assert between["demographic_parity_difference_high"] == ranges.loc[(name, "between groups"), "high"]
    assert np.isnan(between["robust"])


def test_a_second_run_computes_nothing_and_changes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = _plan(tmp_path)
    first = run_audit(plan)
    before = kept(tmp_path / "results")
    _forbid(monkeypatch)
    calls: list[tuple[int, int, float | None]] = []
    second = run_audit(plan, progress=lambda *state: calls.append(state))
    assert calls == [(12, 12, None)]
    assert kept(tmp_path / "results") == before
    pd.testing.assert_frame_equal(first.people(), second.people())


def test_the_same_question_twice_is_one_cell(tmp_path: Path) -> None:
    sweeps = (
        Sweep("a", parse("flip(1)")),
        Sweep("b", parse("flip(1)")),
        Sweep("c", parse("flip(?)"), ("1",)),
    )
    calls: list[tuple[int, int, float | None]] = []
    audit = run_audit(_plan(tmp_path, sweeps=sweeps), progress=lambda *state: calls.append(state))
    assert [call[:2] for call in calls] == [(0, 1), (1, 1)]
    assert len(audit.verdicts) == 3
    assert audit.to_frame()["bias"].unique().tolist() == ["a", "b", "c"]


def test_only_new_cells_are_computed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run_audit(_plan(tmp_path))
    asked = []
    compute = cells.compute
    monkeypatch.setattr(cells, "compute", lambda q, prepared: asked.append(q) or compute(q, prepared))
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # the inputs are the same: nothing is said to have changed
        run_audit(_plan(tmp_path, sweeps=(*_plan(tmp_path).sweeps, Sweep("new", parse("fake(1)")))))
        assert [question.model for question in asked] == ["fake(1)"]
        run_audit(_plan(tmp_path, time_limit=50.0))
    assert len(asked) == 1 + 12


def test_a_changed_table_is_computed_again_and_said_so(tmp_path: Path) -> None:
    plan = load_plan(write_audit(tmp_path))
    first = run_audit(plan)
    before = kept(tmp_path / "audit-results")
    table = (tmp_path / "train.csv").read_text()
    (tmp_path / "train.csv").write_text(table.replace("Male,25,0,no", "Male,25,0,yes"))
    with pytest.warns(EverytreeWarning) as said:
        second = run_audit(plan)
    assert [str(w.message) for w in said] == [
        "The training table, or how it is read, changed since the last run into "
        f"{str(tmp_path / 'audit-results')!r}: 5 of 5 cells are computed again."
    ]
    assert second.hashes["train"] != first.hashes["train"]
    assert second.hashes["test"] == first.hashes["test"]
    assert len(kept(tmp_path / "audit-results")) == 2 * (5 + 3) + 1  # cells, ranges of three families, inputs
    (tmp_path / "train.csv").write_text(table)
    again = run_audit(plan)
    assert again.hashes == first.hashes
    assert {name: kept(tmp_path / "audit-results")[name] for name in before} == before


def test_true_labels_are_no_reason_to_compute_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plan = load_plan(write_audit(tmp_path))
    assert run_audit(plan).prepared[1].test.y is None
    (tmp_path / "test.csv").write_text("hired,sex,age,priors\nyes,Female,33,0\nmaybe,Male,58,4\n")
    _forbid(monkeypatch)
    with pytest.warns(EverytreeWarning, match="labels that training never saw: 'maybe', of 1 person"):
        audit = run_audit(plan)
    assert audit.prepared[1].test.y is not None
    labels = audit.people()["label"][:2]
    assert labels[0] == "yes"
    assert pd.isna(labels[1])  # training knows no "maybe"


def test_damaged_cells_are_computed_again_and_said_so(tmp_path: Path) -> None:
    plan = _plan(tmp_path)
    run_audit(plan)
    folder = tmp_path / "results"
    before = kept(folder)
    damaged = sorted(folder.glob("*.gz"))[:2]
    damaged[0].write_bytes(damaged[0].read_bytes()[:50])
    damaged[1].write_bytes(b"")
    with pytest.warns(EverytreeWarning, match="2 files in .* are damaged and not used"):
        run_audit(plan)
    assert kept(folder) == before
    (folder / "audit.json").write_text("{")  # says only what changed; not needed for any answer
    run_audit(plan)
    assert kept(folder) == before


def test_a_full_disk_loses_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plan = _plan(tmp_path)
    write = store.replace_file
    written = []

    def fill(path: Path, fill_file: Any) -> None:
        if len(written) == 4:  # what the plan is about, and three cells
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        written.append(path)
        write(path, fill_file)

    monkeypatch.setattr(store, "replace_file", fill)
    with pytest.raises(AuditError) as refused:
        run_audit(plan)
    folder = str(tmp_path / "results")
    assert str(refused.value) == (
        f"[outputs] folder: a finished cell cannot be written to {folder!r}: No space left on device. Make "
        f"room or name another folder. 3 of 12 cells are kept in {folder!r}; the same command goes on from "
        "there."
    )
    assert len(list((tmp_path / "results").glob("*.gz"))) == 3
    monkeypatch.undo()
    calls: list[tuple[int, int, float | None]] = []
    run_audit(plan, progress=lambda *state: calls.append(state))
    assert calls[0] == (3, 12, None)
    assert len(calls) == 1 + 9


def test_a_file_that_cannot_be_finished_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_room(_: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    run_audit(_plan(tmp_path))
    before = kept(tmp_path / "results")
    monkeypatch.setattr(os, "fsync", no_room)
    with pytest.raises(OSError, match="No space left"):
        store.Store(tmp_path / "results").put("key", {})
    assert kept(tmp_path / "results") == before


def test_interrupted_between_two_cells(tmp_path: Path) -> None:
    def stop(done: int, *_: object) -> None:
        if done == 2:
            raise KeyboardInterrupt

    folder = str(tmp_path / "results")
    with pytest.raises(KeyboardInterrupt) as stopped:
        run_audit(_plan(tmp_path), progress=stop)
    assert str(stopped.value) == (
        f"Interrupted: 2 of 12 cells are kept in {folder!r}; the same command goes on from there."
    )


def test_two_audits_in_one_folder(tmp_path: Path) -> None:
    plan = _plan(tmp_path)
    run_audit(replace(plan, outputs=Outputs(tmp_path / "alone")))
    audits = [threading.Thread(target=run_audit, args=(plan,)) for _ in range(2)]
    for audit in audits:
        audit.start()
    for audit in audits:
        audit.join()
    assert kept(tmp_path / "results") == kept(tmp_path / "alone")


def test_in_processes_as_in_one(tmp_path: Path) -> None:
    run_audit(load_plan(write_audit(tmp_path)))
    outputs = ("people.csv", "groups.csv")
    before = [(tmp_path / name).read_bytes() for name in outputs]
    many = ("depths = [1]", "depths = [1]\nn_jobs = 2")
    path = write_audit(tmp_path, many, ("people =", 'folder = "many"\npeople ='))
    calls: list[tuple[int, int, float | None]] = []
    run_audit(load_plan(path), progress=lambda *state: calls.append(state))
    assert kept(tmp_path / "many") == kept(tmp_path / "audit-results")
    assert [(tmp_path / name).read_bytes() for name in outputs] == before
    assert [call[0] for call in calls] == [0, 1, 2, 3, 4, 5]
    assert calls[-1][2] == 0


def test_a_lost_process_is_said_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def lost(*_: object, **__: object) -> Any:
        def results(tasks: Any) -> Any:
            function, arguments, _ = next(iter(tasks))
            yield function(*arguments)
            raise BrokenProcessPool

        return results

    monkeypatch.setattr("joblib.Parallel", lost)
    with pytest.raises(AuditError) as refused:
        run_audit(_plan(tmp_path, n_jobs=2))
    assert str(refused.value) == (
        "A process that computed a cell ended unexpectedly, perhaps because the memory was used up. Lower "
        f"n_jobs. 1 of 12 cells are kept in {str(tmp_path / 'results')!r}; the same command goes on from "
        "there."
    )


def test_killed_at_four_moments_it_ends_as_if_nothing_had_happened(tmp_path: Path) -> None:
    many = ("depths = [1]", "depths = [1, 2]")
    amounts = ('amounts = [1]\nwith = "fake(?)"', 'amounts = [1, 2, 3]\nwith = "fake(?)"')
    (tmp_path / "calm").mkdir()
    (tmp_path / "killed").mkdir()
    calm = write_audit(tmp_path / "calm", many, amounts)
    killed = write_audit(tmp_path / "killed", many, amounts)
    run_audit(load_plan(calm))
    chance = random.Random(0)
    results = tmp_path / "killed" / "audit-results"
    code = "import sys; from everytree.cli import main; sys.exit(main())"
    n_cells, n_ranges = 18, 6
    for wanted in (2, 6, 11, n_cells + 1):
        left = len(list(results.glob("*.gz")))
        assert left < max(wanted, n_cells)
        process = subprocess.Popen([sys.executable, "-c", code, "audit", str(killed), "--quiet"])
        while len(list(results.glob("*.gz"))) < wanted and process.poll() is None:
            time.sleep(0.001)
        time.sleep(chance.uniform(0, 0.01))
        process.send_signal(signal.SIGKILL)
        assert process.wait() == -signal.SIGKILL
    assert len(list(results.glob("*.gz"))) > n_cells
    run_audit(load_plan(killed))
    assert len(list(results.glob("*.gz"))) == n_cells + n_ranges
    finished = {name: found for name, found in kept(results).items() if not name.endswith(".partial")}
    assert finished == kept(tmp_path / "calm" / "audit-results")
    for name in ("people.csv", "groups.csv"):
        assert (tmp_path / "killed" / name).read_bytes() == (tmp_path / "calm" / name).read_bytes()


def test_a_limit_of_time_is_part_of_the_question(tmp_path: Path) -> None:
    sweeps = (Sweep("wrong labels", parse("flip(?)"), ("5%",), radius=True),)
    plan = _plan(tmp_path, data=Data("compas"), sweeps=sweeps, groups=(), depths=(4,), time_limit=0.05)
    audit = run_audit(plan)
    (result,), (found,) = audit.verdicts.values(), audit.radii.values()
    assert not result.complete
    assert not found.complete
    assert not audit.to_frame()["complete"].any()
    assert (result.verdicts == "unknown").any()


@pytest.mark.parametrize(
    ("sweeps", "message"),
    [
        ((), "An audit needs at least one bias model and one depth; this plan has no cells."),
        (
            (Sweep("a", parse("flip(1)"), engine="fast"),),
            "[[bias]] number 1, engine: must be one of 'auto', 'interval', 'relational'; received 'fast'.",
        ),
        (
            (Sweep("a", parse("flip(?)")),),
            "[[bias]] number 1, amounts: are needed exactly if the model has a ?; received [] for 'flip(?)'.",
        ),
        (
            (Sweep("a", parse("flip(1)"), ("2",)),),
            "[[bias]] number 1, amounts: are needed exactly if the model has a ?; received ['2'] for "
            "'flip(1)'.",
        ),
        (
            (Sweep("a", parse("flip(?)"), ("1",), parse("fake(?)")), Sweep("b", parse("flip(1)"))),
            "[[bias]] number 1, with_amounts: fill the ? of with, and one needs the other; received [] for "
            "'fake(?)'.",
        ),
        (
            (Sweep("a", parse("flip(?)"), ("1",), parse("fake(1)"), ("1",)),),
            "[[bias]] number 1, with_amounts: fill the ? of with, and one needs the other; received ['1'] "
            "for 'fake(1)'.",
        ),
        (
            (Sweep("a", parse("flip(?)"), ("1",), parse("fake(?)"), ("1",), radius=True),),
            "[[bias]] number 1, radius: cannot be true, because with adds a second amount. Leave it out, or "
            "change that.",
        ),
        (
            (Sweep("a", parse("flip(1)"), radius=True),),
            "[[bias]] number 1, radius: cannot be true, because model is 'flip(1)', without a ?. Leave it "
            "out, or change that.",
        ),
        (
            (Sweep("a", parse("flip(?)"), ("1",), engine="relational", radius=True),),
            "[[bias]] number 1, radius: cannot be true, because engine is 'relational', and a radius needs "
            "'auto'. Leave it out, or change that.",
        ),
    ],
)
def test_a_plan_made_by_hand_is_checked_too(tmp_path: Path, sweeps: tuple[Sweep, ...], message: str) -> None:
    with pytest.raises(AuditError) as refused:
        run_audit(_plan(tmp_path, sweeps=sweeps))
    assert str(refused.value) == message
    with pytest.raises(AuditError, match=r"^\[data\] test: is needed where the training table is a file"):
        run_audit(
            _plan(tmp_path, data=Data(str(write_audit(tmp_path).with_name("train.csv")), label="hired"))
        )


@pytest.mark.parametrize("limit", [0, -1.0, float("nan"), float("inf")])
def test_a_time_limit_made_by_hand_is_checked_too(tmp_path: Path, limit: float) -> None:
    with pytest.raises(
        AuditError, match=r"^\[audit\] time_limit: must be a number of seconds greater than 0"
    ):
        run_audit(_plan(tmp_path, time_limit=limit))


def test_columns_called_like_those_of_the_output_are_kept_beside_them(tmp_path: Path) -> None:
    n = 12
    names = ("label", "model", "column model", "index", "verdict")
    table = pd.DataFrame({"x": range(n), **{name: list("ab") * (n // 2) for name in names}})
    table["hired"] = [0] * 6 + [1] * 6
    table.to_csv(tmp_path / "t.csv", index=False)
    path = str(tmp_path / "t.csv")
    data = Data(path, path, "hired", drop=("verdict", "index", "column model"))
    shown = ("verdict", "index", "column model")
    outputs = Outputs(tmp_path / "results", people=tmp_path / "people.parquet", columns=shown)
    sweeps = (Sweep("wrong", parse("flip(1)")),)
    audit = run_audit(
        _plan(tmp_path, data=data, sweeps=sweeps, groups=(("label", "model"),), outputs=outputs)
    )
    people = pd.read_parquet(tmp_path / "people.parquet")
    assert people.columns.is_unique
    for name in ("label", "column model", "index", "verdict"):
        written = name if name == "column model" else f"column {name}"
        assert people[written].tolist() == table[name].tolist()
    assert people["column column model"].tolist() == table["model"].tolist()
    assert people["label"].tolist() == table["hired"].tolist()
    assert people["model"].unique().tolist() == ["flip(1)"]
    assert people["verdict"].tolist() == next(iter(audit.verdicts.values())).verdicts.tolist()


def test_another_way_of_reading_the_tables_is_said_so(tmp_path: Path) -> None:
    path = write_audit(tmp_path)
    run_audit(load_plan(path))
    path.write_text(path.read_text().replace('label = "hired"', 'label = "hired"\ndrop = ["priors"]'))
    with pytest.warns(EverytreeWarning) as said:
        run_audit(load_plan(path))
    assert str(said[-1].message).startswith(
        "The training table and the test table, or how they are read, changed since the last run into"
    )


def test_columns_and_labels_of_unusual_types(tmp_path: Path) -> None:
    hiring = load("hiring")
    table = hiring.X_train.assign(
        whole=pd.array([1, None, 3] * 3, dtype="Int64"),
        flag=pd.array([True, None, False] * 3, dtype="boolean"),
        word=pd.array(["q", None, "z"] * 3, dtype="string"),
        list=[[n, n + 1] for n in range(9)],
        seen=pd.to_datetime(np.where(hiring.y_train == 1, "2020-01-01", "2021-01-01")),
    )
    path = str(tmp_path / "t.parquet")
    table.to_parquet(path)
    data = Data(path, path, "seen", drop=("whole", "flag", "word", "list"))
    outputs = Outputs(tmp_path / "results", people=tmp_path / "people.csv", groups=tmp_path / "groups.csv")
    sweeps = (Sweep("missing", parse("miss(2)")),)
    (result,) = run_audit(_plan(tmp_path, data=data, sweeps=sweeps, outputs=outputs)).verdicts.values()
    added = pd.concat([witness.added for witness in result.witnesses.values()])
    assert added["whole"].isna().any()
    assert {str(value) for value in added["list"]} <= {str(value) for value in pd.read_parquet(path)["list"]}
    labels = set(pd.read_csv(tmp_path / "people.csv")["possible_labels"])
    assert '["2020-01-01T00:00:00", "2021-01-01T00:00:00"]' in labels


def test_gaps_are_checked_for_all_that_a_radius_may_add(tmp_path: Path) -> None:
    n = 600
    x = np.arange(n) * 1.0
    x[1] = (
        x[0] + 8e-6
    )  # eighty steps that scikit-learn ignores; the cell adds sixty rows, the radius a hundred
    table = pd.DataFrame({"x": x, "g": ["A"] * 500 + ["B"] * 100, "hired": (x > 300).astype(int)})
    table.to_csv(tmp_path / "t.csv", index=False)
    path = str(tmp_path / "t.csv")
    model = parse("miss(?, where g == 'A') + miss(?, where g == 'B')")
    sweeps = (Sweep("missing", model, ("10% of group",), radius=True),)
    with pytest.raises(AuditError, match=r"^\[data\] train: .* with 100 added rows in between"):
        run_audit(_plan(tmp_path, data=Data(path, path, "hired"), sweeps=sweeps, groups=()))
