"""Small audits for tests of the report, computed directly, and a way to read the people out of a page."""

from __future__ import annotations

import base64
import gzip
import json
import re
import time
from collections.abc import Sequence
from typing import Any

import pandas as pd
from sklearn.tree import DecisionTreeClassifier

from everytree.audit import AuditResult, Data, Plan, Sweep
from everytree.bias import parse
from everytree.datasets import load
from everytree.learner import prepare
from everytree.questions.certify import certify_prepared
from everytree.questions.radius import radius_prepared
from everytree.support.limits import Limits

HASHES = {"train": "a" * 64, "test": "b" * 64}

NASTY = '</script><img src=x onerror="document.title=1">&\'"{{ 7 * 7 }} $a$ b_c^{d \u2028é漢'
"""Everything that a page could trip over."""


def audit_of(
    tables: tuple[Any, Any, Any, Any],
    sweeps: Sequence[Sweep],
    *,
    data: Data | None = None,
    label: str = "label",
    seconds: float = 60.0,
    most: int = 6,
    **plan: Any,
) -> AuditResult:
    """Compute an audit in this process: training columns and labels, test columns and labels (or None)."""
    X_train, y_train, X_test, y_test = tables
    asked = Plan(data or Data("train.csv", "test.csv", label), tuple(sweeps), **plan)
    prepared = {
        depth: prepare(
            DecisionTreeClassifier(max_depth=depth, random_state=0),
            X_train,
            y_train,
            X_test,
            y_test=y_test,
            label_name=label,
        )
        for depth in asked.depths
    }
    verdicts, radii = {}, {}
    for cell in asked.cells():
        if cell.kind == "radius":
            radii[cell] = radius_prepared(prepared[cell.depth], cell.model, max_amount=most)
        else:
            verdicts[cell] = certify_prepared(
                prepared[cell.depth],
                cell.model,
                engine=asked.sweeps[cell.sweep].engine,
                limits=Limits(time.monotonic() + seconds),
            )
    return AuditResult(asked, prepared, verdicts, radii, HASHES)


def hiring_audit(**plan: Any) -> AuditResult:
    """The bundled table of hirings: flips, removals with additions, two depths, two choices of groups."""
    data = load("hiring")
    sweeps = (
        Sweep("wrong labels", parse("flip(?)"), ("1", "2"), radius=True),
        Sweep("fake and missing", parse("fake(?)"), ("1", "2"), parse("miss(?)"), ("1",)),
    )
    options = {"groups": (("race",), ("race", "score")), "depths": (1, 2), "title": "Hiring"} | plan
    tables = (data.X_train, data.y_train, data.X_test, data.y_test)
    return audit_of(tables, sweeps, data=Data("hiring"), label=data.label, **options)


def compas_audit() -> AuditResult:
    """The bundled COMPAS table: flips of anybody's label and of one group's, two depths."""
    data = load("compas")
    sweeps = (
        Sweep("wrong labels", parse("flip(?)"), ("0.1%", "0.5%"), radius=True),
        Sweep("one group", parse('flip(?, where race == "African-American" and label == 1)'), ("0.5%",)),
    )
    return audit_of(
        (data.X_train, data.y_train, data.X_test, data.y_test),
        sweeps,
        data=Data("compas"),
        label=data.label,
        most=24,
        groups=(("race",), ("sex",)),
        depths=(1,),
        title="COMPAS",
    )


def nasty_audit() -> AuditResult:
    """A table whose names, values and labels are full of markup."""
    n = 24
    X = pd.DataFrame({NASTY: [NASTY if i % 2 else "plain" for i in range(n)], "score": range(n)})
    y = [NASTY if i > n // 2 else "<b>no</b>" for i in range(n)]
    return audit_of(
        (X, y, X, y),
        (Sweep(NASTY, parse("flip(?)"), ("1", "2"), radius=True),),
        label=f"label {NASTY}",
        data=Data("train.csv", "test.csv", f"label {NASTY}"),
        groups=((NASTY,),),
        depths=(1,),
        title=NASTY,
        author=NASTY,
        date=NASTY,
    )


def people_in(page: str) -> dict[str, Any]:
    """Unpack the people of a page, as its script does."""
    packed = re.search(r'<script type="text/plain" id="packed-people">([^<]*)</script>', page)
    assert packed is not None
    return dict(json.loads(gzip.decompress(base64.b64decode(packed[1]))))


def records_of(result: Any, person: int) -> list[list[str]]:
    """Change, row, label before and after, and columns of each record of a witness, as a page shows them."""
    train = result.prepared.train
    frame = result.witness(person).to_frame(train.frame, train.labels[train.y])
    label = train.label_name
    columns = [c for c in frame.columns if c not in ("change", "row", label, "new label")]
    ordered = frame[["change", "row", label, "new label", *columns]]
    return [
        ["" if value is None else str(value) for value in row] for row in ordered.to_numpy(object).tolist()
    ]
