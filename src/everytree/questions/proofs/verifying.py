"""A proof file verified: the robust by the independent checker, the others by retraining scikit-learn.

Above the checker, which knows no learner. What is trained here are trees on the features that the checker
made of the tables, with the settings that the claim states.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.tree import DecisionTreeClassifier

from everytree.checker.proofs import ChangedTables, Rejected, Tables, read_lines, verify_file
from everytree.errors import EverytreeError
from everytree.questions.proofs.claim import values_of
from everytree.table.frames import as_source, label_values

if TYPE_CHECKING:
    from everytree.checker.proofs import Report
    from everytree.checker.proofs.verify import Progress

__all__ = ["Verification", "first_line", "verify", "verify_proof"]


@dataclass(frozen=True, eq=False)
class Verification:
    """What came out: whether everything in the file holds, else the step that does not.

    ``robust`` and ``not_robust`` count the people of the file, ``left_out`` those whom it only mentions.
    """

    verified: bool
    step: str = ""
    reason: str = ""
    report: Report | None = None
    retrained: int = 0

    @property
    def robust(self) -> int:
        """People who are proved to be robust."""
        return 0 if self.report is None else sum(map(len, self.report.claim.line["robust"].values()))

    @property
    def not_robust(self) -> int:
        """People who get another label from a tree that was retrained here."""
        return 0 if self.report is None else len(self.report.claim.line["not_robust"])

    @property
    def left_out(self) -> int:
        """Decided people about whom the file proves nothing."""
        return 0 if self.report is None else len(self.report.claim.line["left_out"])


def verify_proof(path: str | Path, X_train: object, y_train: object, X_test: object) -> Verification:
    """Verify a proof file against the tables that it is about.

    Parameters
    ----------
    path : str or Path
        The file.
    X_train, y_train, X_test
        The tables as they were given to `certify`.

    Returns
    -------
    Verification
        Its `verified` says whether everything in the file holds; otherwise `step` and `reason` say what does
        not.
    """
    file = Path(path)
    line = first_line(file)
    train, test = as_source(X_train, "training table").frame, as_source(X_test, "test table").frame
    label = str(line.get("label")) if isinstance(line, dict) else "label"
    tables = Tables(
        {
            **{name: values_of(train[name]) for name in train.columns},
            label: label_values(y_train, len(train), "training table").tolist(),
        },
        {name: values_of(test[name]) for name in test.columns},
    )
    return verify(file, tables)


def first_line(file: Path) -> Any:
    """The claim of a file, not verified; None if there is none."""
    if not file.is_file():
        raise EverytreeError(f"There is no file {str(file)!r}. Check the path.")
    try:
        return next(read_lines(file), None)
    except Rejected:
        return None


def verify(file: Path, tables: Tables, progress: Progress | None = None) -> Verification:
    """Verify a file: proofs by the checker, witnesses by retraining."""
    report = None
    try:
        report = verify_file(file, tables, progress)
        retrained = _retrain(report)
    except Rejected as failure:
        return Verification(False, failure.step, failure.reason, report)
    return Verification(True, report=report, retrained=retrained)


def _retrain(report: Report) -> int:
    """Retrain on the table of each witness; somebody must get the label that is said, and not the old one."""
    claim, changed = report.claim, ChangedTables(report.claim)
    before = dict(map(tuple, claim.line["not_robust"]))
    if before:
        _predict_before(report, before)
    for number, witness in enumerate(report.witnesses, 1):
        try:
            rows, labels = changed.apply(witness)
            seed = witness["random_state"]
            tree = _tree(claim.line["learner"], seed).fit(np.array(rows, np.float32), np.array(labels))
            people = np.array([claim.people[person] for person, _ in witness["people"]], np.float32)
        except (KeyError, IndexError, TypeError, ValueError) as error:
            raise Rejected(f"witness {number}", f"it is malformed ({error}).") from error
        found = tree.predict(people).tolist()
        for (person, label), got in zip(witness["people"], found, strict=True):
            if got != label or label == before[person]:
                raise Rejected(f"witness {number}", f"person {person} gets the label with number {got}.")
    return len(report.witnesses)


def _predict_before(report: Report, before: Mapping[int, int]) -> None:
    """With a fixed seed, the tree of the table as it is gives the labels that are said."""
    claim = report.claim
    seed = claim.line["random_state"]
    if seed is None:
        return
    tree = _tree(claim.line["learner"], seed)
    tree.fit(np.array(claim.rows, np.float32), np.array(claim.setting.labels))
    found = tree.predict(np.array([claim.people[person] for person in before], np.float32)).tolist()
    for (person, label), got in zip(before.items(), found, strict=True):
        if got != label:
            raise Rejected("witnesses", f"the table as it is gives person {person} label number {got}.")


def _tree(learner: Mapping[str, Any], seed: int | None) -> DecisionTreeClassifier:
    given = learner["class_weight"]
    weights = dict(given) if isinstance(given, list) else given
    return DecisionTreeClassifier(**{**learner, "class_weight": weights}, random_state=seed)
