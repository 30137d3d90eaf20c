"""Whose proof goes into a file, and by what: walk, path programs, changes of nodes, tables or twins.

Below `writing`. Everything is derived again for the people who are robust, each way in its part of the time;
whoever has no proof then is left out, by name.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from everytree.bias import resolve
from everytree.checker.proofs.claim import read_claim
from everytree.checker.proofs.small_sets import MOST_TABLES, count_tables, is_covered, open_cases
from everytree.errors import EverytreeError
from everytree.prove.engines import RelationalEngine
from everytree.prove.problem import People, Problem
from everytree.prove.recording import RecordedWalk
from everytree.questions.certify import trust
from everytree.questions.proofs.changes import ChangeProofs
from everytree.questions.proofs.claim import claim_of, label_code, tables_of, witness_line
from everytree.questions.proofs.late import Late, alarm
from everytree.questions.proofs.paths import PathProofs
from everytree.results.certification import ROBUST
from everytree.support.clock import now
from everytree.table import check_gaps

if TYPE_CHECKING:
    from everytree.checker.proofs.claim import Claim
    from everytree.checker.proofs.nodes import Problem as CheckedProblem
    from everytree.learner import Prepared
    from everytree.results.certification import CertificationResult
    from everytree.support.limits import Limits

__all__ = ["NOT_IN_FILE", "OUT_OF_TIME", "FoundProofs"]

NOT_IN_FILE = (
    "proved by trying more tables than are verified, by bounds that files do not have, or not again "
    "within the limits: not in this file"
)
NO_SEED = "its witness hangs on a random state that is no number"
OUT_OF_TIME = "the proof could not be derived and verified again in the time given"

WALK_SHARE, CHANGES_SHARE = 0.5, 0.7
"""Parts of the time that is left for the walk, then for changes of nodes; the rest is for programs."""

WAYS = ("twins", "changes", "tables", "walk", "paths")
"""Sections in the order of the file: what takes the least time to verify comes first."""


class FoundProofs:
    """Finds out who is proved in which way; `robust` has the people of each."""

    def __init__(self, result: CertificationResult, limits: Limits) -> None:
        if result.prepared is None:
            raise EverytreeError("This result was made without its tables, so no proof can be written.")
        self.result, self.limits, self.prepared = result, limits, result.prepared
        trusted = [] if result.trusted is None else result.trusted.tolist()
        resolved = trust(resolve(result.bias, self.prepared.train), result.trusted)
        check_gaps(self.prepared.train, resolved.additions)
        settings, people = self.prepared.learner.settings, self.prepared.test.X
        self.problem = Problem.of(self.prepared.train, resolved, settings, people=people)
        self.claim = claim_of(self.prepared, result.bias, trusted)
        self.tables = tables_of(self.prepared, self.claim)
        self.read = read_claim(self.claim, self.tables)
        _refuse_other_features(self.prepared, self.read)
        self.people = People(self.prepared.test.X, self.prepared.predictions)
        self.left_out: dict[int, str] = {}
        self.robust: dict[str, list[int]] = {by: [] for by in WAYS}
        self.lines: dict[str, list[list[Any]]] = {by: [] for by in WAYS}
        self.lines["twins"] = [["twins"]]
        self.tried = 0
        self.paths, self.changes = PathProofs(self.problem, limits), ChangeProofs(self.problem)
        self._prove()
        self.witnesses = self._witnesses()

    @property
    def proved(self) -> tuple[int, ...]:
        """Whose proof is in the file."""
        return tuple(sorted(person for people in self.robust.values() for person in people))

    @property
    def refuted(self) -> tuple[int, ...]:
        """Whose witness is in the file."""
        return tuple(person for witness in self.witnesses for person, _ in witness["people"])

    def _prove(self) -> None:
        """Find out who is proved in which way; the others are left out."""
        robust = np.flatnonzero(self.result.verdicts == ROBUST).tolist()
        by = self.result.proofs
        told = {person: "" if by is None else str(by[person]) for person in robust}
        self.robust["twins"] = [person for person in robust if told[person] == "twins"]
        tables = [person for person in robust if told[person] == "tables"]
        self._walk([person for person in robust if told[person] not in ("twins", "tables")])
        unfinished = [person for person in self.robust["paths"] if told[person] == "walk"]
        self.robust["changes"] = self._try_changes(sorted([*tables, *unfinished]))
        left = {*tables, *self.robust["paths"]} - set(self.robust["changes"])
        self.robust["paths"] = sorted(left)
        self._prove_paths()

    def _in_part(self, share: float) -> Limits:
        """Limits of a part of the work: a share of the time that is left."""
        return replace(self.limits, deadline=now() + share * (self.limits.deadline - now()))

    def _checked(self, people: Sequence[int], deadline: float) -> CheckedProblem:
        """What the verification makes of some people, to be asked until a moment."""
        checked = self.read.problem_of(self._pairs(people))
        return replace(checked, pulse=alarm(deadline))

    def _pairs(self, people: Iterable[int]) -> list[list[int]]:
        return [[person, int(self.prepared.predictions[person])] for person in people]

    def _try_changes(self, people: Sequence[int]) -> list[int]:
        """Have the verification try the changes of nodes."""
        checked = self._checked(people, self._in_part(CHANGES_SHARE).deadline)
        if not people or not ChangeProofs.is_possible(checked):
            return []
        proved = sorted(self.changes.try_all(checked))
        self.lines["changes"] = self.changes.lines(self._checked(proved, np.inf)) if proved else []
        return proved

    def _walk(self, people: Sequence[int]) -> None:
        """Walk once more, and write down what is done; again for those alone who are proved by it."""
        limits, waiting = self._in_part(WALK_SHARE), list(people)
        while waiting:
            some = self.people.some(np.array(waiting))
            walk = RecordedWalk(self.problem, some, RelationalEngine(plain=True), limits)
            lines = list(walk.lines())
            proved = (walk.tally.possible.sum(axis=1) == 1) & walk.finished
            if walk.complete and proved.all():
                self.robust["walk"], self.lines["walk"] = waiting, lines
                break
            if proved.all():  # once more they were not done in time
                break
            waiting = np.array(waiting)[proved].tolist()
            limits = replace(limits, deadline=self.limits.deadline)
        done = set(self.robust["walk"])
        self.robust["paths"] = [person for person in people if person not in done]

    def _prove_paths(self) -> None:
        """Derive the proofs by programs, again without those who have none."""
        if len(self.problem.criteria) > 1:  # programs exclude nothing where weights move with the table
            self._leave_out_paths(set(self.robust["paths"]))
        while self.robust["paths"]:
            checked = self._checked(self.robust["paths"], self.limits.deadline)
            self.lines["paths"] = self.paths.lines(checked)
            if not self.paths.failed:
                return
            self._leave_out_paths(set(self.paths.failed))

    def _leave_out_paths(self, people: set[int]) -> None:
        """Leave people out whom programs do not prove, unless every table can be tried for them."""
        late = now() > self.limits.deadline
        self._leave_out(people, OUT_OF_TIME if late else NOT_IN_FILE)
        if not late:
            self._try_tables(people)

    def _try_tables(self, people: set[int]) -> None:
        """Take people up again who were proved by trying every table, if the verification can do so, too."""
        by = self.result.proofs
        again = sorted(p for p in people if by is not None and by[p] == "tables")
        if not again:
            return
        known = sorted({*self.robust["tables"], *again})
        checked = self._checked(known, self.limits.deadline)
        try:
            if not is_covered(checked) or count_tables(checked) > MOST_TABLES:
                return
            self.tried, wrong = open_cases(checked)
        except Late:
            self._leave_out(known, OUT_OF_TIME)
            return
        self.robust["tables"] = sorted(set(known) - set(checked.people(wrong)))
        self.lines["tables"] = [["tables", self.tried]]
        for person in self.robust["tables"]:
            self.left_out.pop(person, None)

    def _leave_out(self, people: Iterable[int], reason: str) -> None:
        gone = set(people)
        self.left_out |= dict.fromkeys(gone, reason)
        self.robust = {by: [p for p in members if p not in gone] for by, members in self.robust.items()}

    def _without(self, people: Iterable[int], reason: str) -> None:
        """Leave people out of a file that was written, and derive again what hangs on who is in it."""
        before = {by: len(members) for by, members in self.robust.items()}
        self._leave_out(people, reason)
        if len(self.robust["changes"]) < before["changes"]:
            self.lines["changes"] = self.changes.lines(self._checked(self.robust["changes"], np.inf))
        if len(self.robust["walk"]) < before["walk"]:
            walkers, others = self.robust["walk"], self.robust["paths"]
            self.robust["walk"] = []
            self._walk(walkers)
            self._leave_out(self.robust["paths"], OUT_OF_TIME)
            self.robust["paths"] = others
        self._prove_paths()

    def _witnesses(self) -> list[dict[str, Any]]:
        """The changed tables, each with the people to whom it gives another label."""
        if self.claim["random_state"] is None and self.prepared.learner.random_state is not None:
            self.left_out |= dict.fromkeys(self.result.witnesses, NO_SEED)
            return []
        found: dict[object, dict[str, Any]] = {}
        for person, witness in sorted(self.result.witnesses.items()):
            line = found.setdefault(witness.changes, {**witness_line(witness, self.claim), "people": []})
            line["people"].append([person, label_code(self.claim, witness.after)])
        return list(found.values())


def _refuse_other_features(prepared: Prepared, read: Claim) -> None:
    """See that the verification makes the features of the tables that the tree sees."""
    for ours, theirs in ((prepared.train.X, read.rows), (prepared.test.X, read.people)):
        if not np.array_equal(ours, np.array(theirs, np.float32), equal_nan=True):
            raise EverytreeError(
                "A proof file covers tables of which the verification makes the features that the tree sees; "
                "here it makes others, perhaps of missing categories. The verdicts stand, but cannot be "
                "written as proofs. Encode the table first, and certify the tree alone."
            )
