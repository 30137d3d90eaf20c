"""Proof files that claim too much: a stubborn prover says of everybody that the prediction is robust.

For each person by itself a file is made of the walk, which is not left when a second label shows up, or of
path programs. The person counts as certified only if the verification accepts the file: so its own mistakes
show against the oracle, whatever the provers are worth. Also files of provers with a planted mistake, which
must be rejected wherever they claim what is wrong.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from tests.truth.problems import Problem

LONGEST = 50
"""Rows of a table for which path programs are asked."""


def file_verdicts(problem: Problem, by: str) -> list[tuple[bool, int]]:
    """Whom the verification takes for robust, with files made by the walk or by path programs."""
    from sklearn.tree import DecisionTreeClassifier

    from everytree.bias import as_bias, resolve
    from everytree.checker.proofs import Rejected, verify_lines
    from everytree.learner import prepare
    from everytree.prove.problem import Problem as Question
    from everytree.questions.proofs.claim import claim_of, tables_of

    if by == "paths" and len(problem.y) > LONGEST:
        return [(False, 0)] * len(problem.points)
    tree = DecisionTreeClassifier(random_state=0, **problem.parameters())
    prepared = prepare(tree, problem.X, problem.y, problem.points)
    model = as_bias(problem.bias())
    resolved = resolve(model, prepared.train)
    question = Question.of(prepared.train, resolved, prepared.learner.settings, people=prepared.test.X)
    claim = claim_of(prepared, model, [])
    tables = tables_of(prepared, claim)
    verdicts = []
    for person, code in enumerate(prepared.predictions.tolist()):
        first = {**claim, "robust": {by: [[person, code]]}}
        try:
            if by == "tables":
                steps = _tried(first, tables)
            elif by == "changes":
                steps = _changed(first, tables)
            elif by == "twins":
                steps = iter([["twins"]])
            else:
                steps = _walk(question, prepared, person) if by == "walk" else _paths(question, first, tables)
            verify_lines(_file(first, by, steps), tables)
            accepted = True
        except Rejected:
            accepted = False
        verdicts.append((accepted, int(prepared.train.labels[code])))
    return verdicts


def _file(claim: dict[str, Any], by: str, steps: Iterator[list[Any]]) -> Iterator[Any]:
    yield claim
    yield ["by", by]
    nodes = 0
    for step in steps:
        nodes += step[0] in ("node", "tried")
        yield step
    yield ["end", nodes]


def _tried(claim: dict[str, Any], tables: Any) -> Iterator[list[Any]]:
    from everytree.checker.proofs.claim import read_claim
    from everytree.checker.proofs.small_sets import count_tables, is_covered

    problem = read_claim(claim, tables).problems["tables"]
    return iter([["tables", count_tables(problem) if is_covered(problem) else 0]])


def _changed(claim: dict[str, Any], tables: Any) -> Iterator[list[Any]]:
    from everytree.checker.proofs.changes import TriedNodes
    from everytree.checker.proofs.claim import read_claim

    trying = TriedNodes(read_claim(claim, tables).problems["changes"])
    rows = trying.table.rows
    return iter([["tried", -1, 0, 0, sum(1 for _ in rows.changes(rows.among(range(len(rows.of_row)))))]])


def _walk(question: Any, prepared: Any, person: int) -> Iterator[list[Any]]:
    from everytree.prove.engines import RelationalEngine
    from everytree.prove.problem import People
    from everytree.prove.recording import RecordedWalk

    class Stubborn(RecordedWalk):
        def live(self, people: Any) -> Any:
            return self.wanted[people]

    people = People(prepared.test.X, prepared.predictions).some(np.array([person]))
    return Stubborn(question, people, RelationalEngine()).lines()


def _paths(question: Any, claim: dict[str, Any], tables: Any) -> Iterator[list[Any]]:
    from everytree.checker.proofs.claim import read_claim
    from everytree.checker.proofs.wording import Rejected
    from everytree.paths.recording import RecordedSearch
    from everytree.questions.proofs.paths import PathProofs
    from everytree.support.limits import Limits

    # The checker is asked about every region, not only where the solver sees no table.
    RecordedSearch._is_hopeless = lambda self, solution: False
    proofs = PathProofs(question, Limits.of(2.0))
    lines = proofs.lines(read_claim(claim, tables).problems["paths"])
    if proofs.failed:
        raise Rejected("path", "no proof")
    return iter(lines)


def file_is_rejected(problem: Problem, person: int, by: str) -> bool:
    """Whether the file that the provers make of a wrong verdict is rejected; False if they make none.

    The walk writes what it does; path programs are written as the search believes them, unchecked.
    """
    from sklearn.tree import DecisionTreeClassifier

    from everytree.bias import as_bias, resolve
    from everytree.checker.proofs import Rejected, verify_lines
    from everytree.learner import prepare
    from everytree.prove.problem import Problem as Question
    from everytree.questions.proofs.claim import claim_of, tables_of

    tree = DecisionTreeClassifier(random_state=0, **problem.parameters())
    prepared = prepare(tree, problem.X, problem.y, problem.points[person : person + 1])
    model = as_bias(problem.bias())
    resolved = resolve(model, prepared.train)
    question = Question.of(prepared.train, resolved, prepared.learner.settings, people=prepared.test.X)
    claim = claim_of(prepared, model, [])
    claim["robust"] = {by: [[0, int(prepared.predictions[0])]]}
    tables = tables_of(prepared, claim)
    steps = _honest_walk(question, prepared) if by == "walk" else _believed(question, claim, tables)
    if steps is None:
        return False
    try:
        verify_lines(_file(claim, by, iter(steps)), tables)
    except Rejected as failure:
        print(f"REJECTED {failure}")
        return True
    raise AssertionError(f"the verification accepts a wrong proof\n{problem.describe()}")


def _honest_walk(question: Any, prepared: Any) -> list[list[Any]] | None:
    from everytree.prove.engines import RelationalEngine
    from everytree.prove.problem import People
    from everytree.prove.recording import RecordedWalk

    walk = RecordedWalk(question, People(prepared.test.X, prepared.predictions), RelationalEngine())
    lines = list(walk.lines())
    return lines if (walk.tally.possible.sum(axis=1) == 1).all() else None


def _believed(question: Any, claim: dict[str, Any], tables: Any) -> list[list[Any]] | None:
    from everytree.checker.proofs.claim import read_claim
    from everytree.checker.proofs.paths import PathCheck
    from everytree.questions.proofs.paths import PathProofs
    from everytree.support.limits import Limits

    proofs, asked = PathProofs(question, Limits.of(2.0)), PathCheck.is_empty
    PathCheck.is_empty = lambda *_: True  # type: ignore[method-assign]
    try:
        lines = proofs.lines(read_claim(claim, tables).problems["paths"])
    finally:
        PathCheck.is_empty = asked  # type: ignore[method-assign]
    return None if proofs.failed else lines


def verified_verdicts(problem: Problem) -> list[tuple[bool, int]]:
    """Whom the provers take for robust *and* whose proof file is verified, person by person.

    With a mistake planted in a prover, nobody who is not robust may be among them.
    """
    from sklearn.tree import DecisionTreeClassifier

    from everytree import certify
    from everytree.checker.proofs import Rejected, verify_lines
    from everytree.questions.proofs.writing import _Proofs
    from everytree.support.limits import Limits

    verdicts = []
    for person in range(len(problem.points)):
        tree = DecisionTreeClassifier(random_state=0, **problem.parameters())
        points = problem.points[person : person + 1]
        result = certify(tree, problem.X, problem.y, points, problem.bias(), engine="relational")
        accepted = False
        if result.verdicts[0] == "robust":
            proofs = _Proofs(result, Limits.of(1.0))
            try:
                verify_lines(iter(list(proofs._lines())), proofs.tables)
                accepted = bool(proofs.proved)
            except Rejected:
                pass
        verdicts.append((accepted, int(result.predictions[0])))
    return verdicts
