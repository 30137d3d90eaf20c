"""Everything that is checked and made before the first long computation: tables, bias models, outputs.

Between the plan and its cells: what comes out of here can be computed, and its answers can be written.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, cast

import numpy as np
from sklearn.tree import DecisionTreeClassifier

from everytree.audit.digests import digest_of_frame
from everytree.audit.keys import key_of_bias, naming
from everytree.audit.plan import OUTPUT_FILES, check_plan
from everytree.audit.proofs import check_proofs
from everytree.audit.remarks import check_labels, note_amounts, note_groups
from everytree.audit.require import check_require
from everytree.audit.shown import check_shown
from everytree.bias import BiasModel, resolve
from everytree.bias.acts import ADD
from everytree.bias.check import check_component
from everytree.bias.columns import TableView
from everytree.datasets.inputs import Tables, is_dataset, read_people, read_tables
from everytree.errors import AuditError
from everytree.learner import Learner, Prepared, read_training
from everytree.learner.missing import Filled, fill
from everytree.learner.weight_texts import for_labels
from everytree.questions.metrics import check_names
from everytree.support.files import PARTIAL, check_writable
from everytree.support.text import listing, nearest
from everytree.table import check_gaps, read_table, split_label, test_table
from everytree.table.frames import as_source, known_names
from everytree.table.groups import group_frame
from everytree.table.labels import by_label
from everytree.table.signs import note_signs

if TYPE_CHECKING:
    from everytree.audit.plan import Plan
    from everytree.bias import Component, ResolvedBias, ResolvedComponent
    from everytree.table import TestTable, TrainingTable

__all__ = ["Opened", "open_audit"]

RANDOM_STATE = 0
"""The seed of every tree of an audit; it only breaks ties."""


@dataclass(frozen=True, eq=False)
class Opened:
    """An audit whose inputs are read and fit together.

    Attributes
    ----------
    plan : Plan
        As given, with the name of the label and the label that counts as selected filled in.
    prepared : dict
        Depth to tables and learner; the tables are the same objects for every depth.
    max_amounts : dict
        Number of a sweep to the largest amount in rows, where a radius is wanted.
    hashes : dict
        See `AuditResult.hashes`.
    """

    plan: Plan
    prepared: dict[int, Prepared]
    max_amounts: dict[int, int]
    hashes: dict[str, str]


def open_audit(plan: Plan) -> Opened:
    """Read the tables of a plan and check that everything in it can be done.

    Raises
    ------
    AuditError
        Naming the key that has to change.
    """
    check_plan(plan)
    tables = _read(plan)
    with naming("[learner] class_weight"):
        plan = replace(plan, learner=for_labels(plan.learner, tables.y_train))
    note_signs(tables.X_train, plan.data.drop)
    filled = _fill(plan, tables)
    train, test = _encode(plan, tables, filled)
    check_labels(train, test, tables.y_test)
    positive = _positive(plan, train)
    _check_groups(plan, train, test)
    check_require(plan, tables.y_test is not None)
    check_shown(plan, test.frame)
    max_amounts = _check_models(plan, train)
    prepared = {
        depth: _learn(_learner(plan, depth, filled), train, test, filled.notes) for depth in plan.depths
    }
    check_proofs(plan, next(iter(prepared.values())))
    check_outputs(plan)
    names = _label_names(plan, train)
    plan = replace(plan, data=replace(plan.data, label=train.label_name, positive=positive, labels=names))
    return Opened(plan, prepared, max_amounts, _hashes(plan, tables))


def _read(plan: Plan) -> Tables:
    data = plan.data
    with naming("[data] train"):
        if is_dataset(data.train):
            tables = read_tables(data.train, None, None)
            if data.label in (None, tables.label):
                return tables
            with naming("[data] label"):
                return read_tables(data.train, None, data.label)
        frame = read_table(data.train)
    if data.label is None or data.test is None:
        missing = "label" if data.label is None else "test"
        raise AuditError(f"[data] {missing}: is needed where the training table is a file.")
    with naming("[data] label"):
        X_train, y_train = split_label(frame, data.label)
    with naming("[data] test"):
        X_test, y_test = read_people(data.test, data.label)
    return Tables(X_train, y_train, X_test, data.label, y_test)


def _fill(plan: Plan, tables: Tables) -> Filled:
    """Check the names of columns, and find a place for missing values."""
    data, columns = plan.data, list(map(str, tables.X_train.columns))
    only_people = [name for name in tables.X_test.columns if name in data.drop and name not in columns]
    for key, names, known in (
        ("drop", data.drop, [*columns, *only_people]),
        ("categorical", data.categorical, columns),
    ):
        with naming(f"[data] {key}"):
            known_names(names, known, key, tables.label)
    with naming("[data] train"):
        return fill(
            data.missing,
            tables.X_train,
            tables.X_test,
            drop=data.drop,
            categorical=data.categorical,
            encoding=cast("Literal['onehot', 'ordinal']", data.encoding),
            label_name=tables.label,
        )


def _encode(plan: Plan, tables: Tables, filled: Filled) -> tuple[TrainingTable, TestTable]:
    learner = _learner(plan, plan.depths[0], filled)
    with naming("[data] train"):
        source = as_source(filled.X_train, "training table")
        train = read_training(learner, source, tables.y_train, label_name=tables.label, **filled.options)
    with naming("[data] test"):
        return train, test_table(train, filled.X_test, tables.y_test)


def _learner(plan: Plan, depth: int, filled: Filled) -> Learner:
    tree = DecisionTreeClassifier(max_depth=depth, random_state=RANDOM_STATE, **plan.learner)
    with naming("[learner]"):
        return Learner.read(filled.before(tree))


def _learn(learner: Learner, train: TrainingTable, test: TestTable, notes: tuple[str, ...]) -> Prepared:
    with naming("[learner]"):
        learner = learner.in_codes(train.labels)
    tree = learner.new_tree().fit(train.X, train.y)
    return Prepared(learner, train, test, tree.predict(test.X).astype(np.int64), tree, notes)


def _positive(plan: Plan, train: TrainingTable) -> Any:
    """Give the label that counts as selected: the one asked for, or the one that sorts last."""
    labels, wanted = train.labels.tolist(), plan.data.positive
    if wanted is None:
        return labels[-1]
    if wanted not in labels:
        hint = nearest(wanted, labels)
        raise AuditError(
            f"[data] positive: must be a label of the training table, {listing(labels)}; received "
            f"{wanted!r}.{hint}"
        )
    return labels[labels.index(wanted)]


def _label_names(plan: Plan, train: TrainingTable) -> dict[Any, str]:
    """Give the names of labels by label, not two of them the same to a reader."""
    labels = train.labels.tolist()
    with naming("[data.labels]"):
        names = by_label(plan.data.labels, labels)
    shown = [names.get(label, str(label)) for label in labels]
    for name in names.values():
        if shown.count(name) > 1:
            raise AuditError(
                f"[data.labels]: two labels would be called {name!r}. Choose another name for one."
            )
    return names


def _check_groups(plan: Plan, train: TrainingTable, test: TestTable) -> None:
    for columns in plan.groups:
        with naming("[audit] groups"):
            groups = group_frame(list(columns), test.frame, train.label_name)
            check_names(groups)
        note_groups(columns, groups)


def _check_models(plan: Plan, train: TrainingTable) -> dict[int, int]:
    """Resolve every bias model with every amount; give the largest amounts in rows for the radii."""
    most_additions, max_amounts = 0, {}
    for number, sweep in enumerate(plan.sweeps):
        largest = _check_alone(number, ("model", "amounts"), sweep.model, sweep.amounts, train)
        if sweep.second is not None:
            _check_alone(number, ("with", "with_amounts"), sweep.second, sweep.second_amounts, train)
        if sweep.radius:
            max_amounts[number] = largest
            most_additions = max(most_additions, _most_additions(sweep.model, largest, train))
        parts: list[ResolvedComponent] = []
        for _, _, model in sweep.models():
            with naming(key_of_bias(number, "amounts" if sweep.second is None else "with_amounts")):
                resolved = _resolve(model, train)
            most_additions = max(most_additions, resolved.additions)
            parts += resolved.components
        note_amounts(number, parts)
    with naming("[data] train"):
        check_gaps(train, most_additions)
    return max_amounts


def _most_additions(model: BiasModel, largest: int, train: TrainingTable) -> int:
    """How many rows a radius may add: its ``?`` are all the same number, however it was reached."""
    missing = tuple(component for component in model.components if ADD in component.acts)
    return _resolve(BiasModel(missing).with_amount(largest), train).additions if missing else 0


def _check_alone(
    number: int, keys: tuple[str, str], model: BiasModel, amounts: tuple[str, ...], train: TrainingTable
) -> int:
    """Check one model with each of its amounts; give the most rows that a ``?`` of it stands for."""
    key, amounts_key = (key_of_bias(number, name) for name in keys)
    with naming(key):
        _check_names(model, train)
    largest = 0
    for amount in amounts or (None,):
        with naming(key if amount is None else amounts_key):
            resolved = _resolve(model if amount is None else model.with_amount(amount), train)
        for part, component in zip(resolved.components, model.components, strict=True):
            _refuse_idle(key, part, component)
            if component.amount.unit == "free":
                largest = max(largest, part.count)
    return largest


def _check_names(model: BiasModel, train: TrainingTable) -> None:
    """Check columns, categories and labels in a model as it is written, ``?`` and all."""
    view = TableView.of(train)
    for component in model.components:
        check_component(component, view)


def _resolve(model: BiasModel, train: TrainingTable) -> ResolvedBias:
    return resolve(model, train)


def _refuse_idle(key: str, part: ResolvedComponent, component: Component) -> None:
    """Refuse a component that can never change anything: a proof about it would say nothing."""
    idle = part.usable == 0 and (part.count > 0 or part.eligible == 0)
    if ADD in component.acts and part.count == 0:
        idle = part.eligible == 0 and part.component.amount.unit == "group"
    if not idle:
        return
    remedy = "Correct the condition, or leave this bias model out."
    if part.eligible:
        raise AuditError(
            f"{key}: {component} could never change anything in the training table, and a proof about it "
            f"would say nothing. {remedy}"
        )
    raise AuditError(
        f"{key}: the group is empty. No row of the training table satisfies {component.where}, so "
        f"{component} could never change anything, and a proof about it would say nothing. {remedy}"
    )


def check_outputs(plan: Plan) -> None:
    """Refuse outputs that could not be written after a long run, and make the folder of the cells."""
    outputs = plan.outputs
    _make_folder(outputs.folder)
    if outputs.proofs:
        _make_folder(outputs.proof_folder)
    taken = {Path(name).resolve(): key for key in ("train", "test") if (name := getattr(plan.data, key))}
    for key, suffixes in OUTPUT_FILES.items():
        path: Path | None = getattr(outputs, key)
        if path is None:
            continue
        if path.resolve() in taken:
            other = taken[path.resolve()]
            raise AuditError(
                f"[outputs] {key}: {str(path)!r} is also named by {other}. Choose another name, so that "
                "neither is written over."
            )
        taken[path.resolve()] = key
        check_writable(f"[outputs] {key}", path, *suffixes)
    if outputs.report is not None:
        _check_report()


def _make_folder(folder: Path) -> None:
    problem = f"[outputs] folder: {str(folder)!r} cannot be used to keep the cells: "
    probe = folder / f".probe{PARTIAL}"
    try:
        folder.mkdir(exist_ok=True)
        probe.touch()
        probe.unlink(missing_ok=True)
    except FileExistsError:
        raise AuditError(f"{problem}it is a file. Name a folder.") from None
    except OSError as error:
        raise AuditError(
            f"{problem}{error.strerror or error}. Name a folder that may be written to; it is made if its "
            "parent exists."
        ) from error


def _check_report() -> None:
    if find_spec("jinja2") is None:
        raise AuditError(
            "[outputs] report: writing a report needs jinja2, which is not installed. Install it with: pip "
            'install "everytree[report]", or leave report out.'
        )


def _hashes(plan: Plan, tables: Tables) -> dict[str, str]:
    """SHA-256 of the files as they lie there; of the content where a data set is named."""
    if plan.data.test is not None:
        return {"train": _of_file(plan.data.train), "test": _of_file(plan.data.test)}
    return {
        "train": digest_of_frame(tables.X_train.assign(**{tables.label: tables.y_train})),
        "test": digest_of_frame(tables.X_test.assign(**{tables.label: tables.y_test})),
    }


def _of_file(name: str) -> str:
    with Path(name).open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
