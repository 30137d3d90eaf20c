"""What must hold for a kind of bias that is new; `test_new_kind` runs it on a copy of the package.

The kind is `doubt`: up to n rows that may each have a wrong label, or should not be in the table at all. One
amount pays for both. The oracle does not know it, but what it allows: so many flips and the rest removals.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.tree import DecisionTreeClassifier

import everytree
from everytree import BiasModel, certify, doubt, fake, flip, label, parse, radius
from everytree.audit.config import load_plan
from everytree.audit.run import run_audit
from everytree.bias import explain, in_words, resolve
from everytree.errors import BiasError, BiasSyntaxError
from everytree.refute.change import Change
from everytree.refute.membership import Membership
from everytree.refute.trial import Trial
from everytree.refute.witness import Witness
from everytree.show.report import write_report
from everytree.show.report.findings import assumption
from tests.audit.audit_tools import write_audit
from tests.refute.small_tables import problem_of, random_table
from tests.truth.oracle import Component, Learner, biased_tables, original_table

TREE = DecisionTreeClassifier(max_depth=2, random_state=0)


def oracle_tables(X, y, amount, where=None, to=None):
    """Every table of B(T): one amount, shared between flips and removals in each possible way."""
    return {
        table
        for flips in range(amount + 1)
        for table in biased_tables(
            X, y, [Component("flip", flips, where, to), Component("fake", amount - flips, where)]
        )
    }


def reachable(X, y, people, depth, tables):
    """All labels that each person can get from some tree of some table."""
    learner = Learner(people, y, depth)
    labels = [set() for _ in people]
    for table in tables:
        for known, new in zip(labels, learner.possible_labels(table), strict=True):
            known |= new
    return labels


def test_this_is_the_copy():
    assert Path(everytree.__file__).is_relative_to(os.environ["EVERYTREE_COPY"])


# ------------------------------------------------------------ language


@pytest.mark.parametrize(
    "text",
    ["doubt(2)", "doubt(5% of group, where label == 1)", "doubt(?, where age > 3, to [0, 1]) + flip(1)"],
)
def test_all_forms_of_a_model_are_read_back(text):
    model = parse(text)
    assert str(model) == text
    assert BiasModel.from_dict(json.loads(json.dumps(model.to_dict()))) == model
    names = {"doubt": doubt, "flip": flip, "label": label, "col": everytree.col}
    assert eval(repr(model), names) == model
    assert text.split("(")[0] in model._repr_html_()


def test_mistakes_name_it():
    with pytest.raises(BiasSyntaxError, match=r"Did you mean doubt\?"):
        parse("doubts(1)")
    with pytest.raises(BiasSyntaxError, match="expected flip, miss, fake or doubt"):
        parse("")
    with pytest.raises(BiasSyntaxError, match="Only flip or doubt takes to; miss does not"):
        parse("miss(1, to 1)")
    with pytest.raises(BiasError, match=r"doubt may remove fewer rows than the table has \(3\)"):
        resolve("doubt(3)", pd.DataFrame({"x": [1, 2, 3]}), np.array([0, 1, 1]), [0, 1])


def test_words():
    assert (
        in_words("doubt(2, where label == 1)") == "Up to 2 rows may be wrong or fake, where the label is 1."
    )
    assert assumption(parse("doubt(1)"), [1]) == "If up to 1 training row is wrong or fake"


# ------------------------------------------------------------ on a table


def test_budgets_permissions_and_what_can_be_touched():
    frame, y = pd.DataFrame({"x": [1.0, 2.0, 3.0, 4.0]}), np.array([0, 0, 1, 1])
    found = resolve("doubt(3, where label == 1)", frame, y, [0, 1])
    assert (found.additions, found.flips, found.removals) == (0, 2, 2)
    assert found.flips_to[:, 0].tolist() == found.removable.tolist() == [False, False, True, True]
    (part,) = found.components
    assert (part.count, part.eligible, part.usable) == (3, 2, 2)
    explained = explain("doubt(3, where label == 1)", found, frame)
    assert explained.components[0].note == "Only 2 rows can be touched."


@pytest.mark.parametrize("amount", [0, 1, 2])
def test_size_is_a_bound_from_above(amount):
    frame, y = pd.DataFrame({"x": np.arange(5.0)}), np.array([0, 1, 0, 1, 1])
    found = resolve(doubt(amount), frame, y, [0, 1])
    number = len(oracle_tables(frame.to_numpy(), y, amount))
    assert number <= round(10 ** explain(doubt(amount), found, frame).log10_tables)
    assert (number == 1) == (amount == 0)


# ------------------------------------------------------------ verdicts


CONDITIONS = (
    (None, None, None, None),
    (label == 1, lambda values, label: label == 1, None, None),
    (label == 0, lambda values, label: label == 0, 0, frozenset([0])),  # which allows removals only
    (None, None, 1, frozenset([1])),
)
"""What `doubt` takes as where and to, for the library and for the oracle."""


def test_verdicts_and_witnesses_agree_with_the_oracle():
    robust = refuted = shared = 0
    for seed in range(72):
        _, X, y, people, depth = random_table(seed)
        if len(y) > 8 or depth is None:
            continue
        amount = 1 + seed % 2
        where, holds, to, targets = CONDITIONS[seed // 2 % 4]
        tree = DecisionTreeClassifier(max_depth=depth, random_state=0)
        result = certify(tree, X, y, people, doubt(amount, where, to), time_limit=30)
        tables = oracle_tables(X, y, amount, holds, targets)
        possible = reachable(X, y, people, depth, tables)
        apart = certify(tree, X, y, people, flip(amount, where, to) + fake(amount, where), time_limit=30)
        for p, verdict in enumerate(result.verdicts):
            own = int(result.predictions[p])
            assert verdict != "robust" or possible[p] == {own}, (seed, p)
            assert verdict != "not robust" or possible[p] != {own}, (seed, p)
            robust += verdict == "robust"
            shared += verdict == "robust" and apart.verdicts[p] == "not robust"
        for p, witness in result.witnesses.items():
            refuted += 1
            assert witness.size <= amount
            X_changed, y_changed = witness.apply(X, y)
            assert original_table(X_changed, y_changed) in tables
            assert tree.fit(X_changed, y_changed).predict(people[[p]])[0] == witness.after != witness.before
            again = Witness.from_dict(json.loads(json.dumps(witness.to_dict())))
            assert again.change.counts == witness.change.counts
    assert min(robust, refuted, shared) > 0, (robust, refuted, shared)


@pytest.mark.parametrize(
    ("bias", "allowed"),
    [
        ("doubt(1)", False),
        ("doubt(2)", True),
        ("doubt(1) + doubt(1)", True),
        ("doubt(1) + flip(1)", True),
        ("doubt(1) + fake(1)", True),
        ("doubt(1, where label == 0) + fake(1)", False),
        ("doubt(1) + flip(1, where label == 0)", False),
        ("doubt(1, where label == 1) + flip(1) + fake(0)", True),
        ("doubt(2, to 1)", False),
    ],
)
def test_one_amount_pays_for_flips_and_removals(bias, allowed):
    """One row with label 1 is flipped, another one removed."""
    X, y = np.arange(6.0).reshape(-1, 1), np.array([0, 0, 0, 1, 1, 1])
    problem, _ = problem_of(X, y, X, 1, bias)
    trial = Trial(Change({4: 0}, (5,)), np.zeros((0, 1), np.float32))
    assert Membership(problem).holds(trial, problem.table.frame.iloc[:0]) is allowed


def test_radius_counts_both_together():
    X, y = np.array([[0.0], [1.0], [2.0], [3.0], [4.0], [5.0]]), np.array([0, 0, 0, 1, 1, 1])
    tree = DecisionTreeClassifier(max_depth=1, random_state=0)
    found = radius(tree, X, y, [[0.0], [2.0]], "doubt(?)", max_amount=3, time_limit=60)
    for p in range(2):
        smallest = next(
            (
                n
                for n in range(1, 4)
                if len(reachable(X, y, [[0.0], [2.0]], 1, oracle_tables(X, y, n))[p]) > 1
            ),
            4,
        )
        assert found.lower[p] < smallest
        assert found.upper[p] is None or found.upper[p] >= smallest


def test_engines_for_longer_tables_hold_it_between_its_neighbours(monkeypatch):
    """What flips alone refute is refuted; what is proved with an amount for each act is proved."""
    monkeypatch.setattr("everytree.refute.small_sets.MOST_ROWS", 0)
    rng = np.random.default_rng(5)
    X = rng.integers(0, 4, (30, 2)).astype(float)
    y = ((X[:, 0] > 1) ^ (rng.random(30) < 0.15)).astype(int)
    people = np.unique(rng.integers(0, 4, (12, 2)), axis=0).astype(float)
    few, own, many = (
        certify(TREE, X, y, people, bias, time_limit=10).verdicts
        for bias in ("flip(1)", "doubt(1)", "flip(1) + fake(1)")
    )
    assert not (own == "robust")[few == "not robust"].any()
    assert not (own == "not robust")[many == "robust"].any()
    assert (own == "robust").any()
    assert (own == "not robust").any()


def test_an_audit_and_its_report_take_it(tmp_path):
    result = run_audit(load_plan(write_audit(tmp_path, ('"flip(?)"\n', '"doubt(?)"\n'), ("20%", "10%"))))
    assert {str(cell.model) for cell in result.verdicts if cell.sweep == 0} == {"doubt(1)", "doubt(10%)"}
    page = write_report(result, tmp_path / "report.html").read_text(encoding="utf-8")
    assert "may be wrong or fake" in page
