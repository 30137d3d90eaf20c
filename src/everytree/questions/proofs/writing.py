"""`write_proof`: a result's proofs as a file, derived again for the people who are robust.

The walk is run once more, so that `certify` costs nothing for proofs that nobody asks for. The file is
verified by the independent checker before it gets its name: whoever's proof does not survive exact
arithmetic is left out, by name.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from everytree.bias import resolve
from everytree.checker.proofs import Rejected, verify_file
from everytree.checker.proofs.claim import read_claim
from everytree.checker.proofs.small_sets import MOST_TABLES, count_tables, is_covered, open_cases
from everytree.errors import EverytreeError
from everytree.prove.engines import RelationalEngine
from everytree.prove.problem import People, Problem
from everytree.prove.recording import RecordedWalk
from everytree.prove.walk import Walk
from everytree.questions.certify import trust
from everytree.questions.proofs.claim import claim_of, label_code, tables_of, witness_line
from everytree.questions.proofs.paths import PathProofs
from everytree.results.certification import ROBUST, UNKNOWN
from everytree.results.proof_file import PROOF_SECONDS, ProofFile
from everytree.support.clock import now
from everytree.support.files import replace_file
from everytree.support.limits import Limits

if TYPE_CHECKING:
    from everytree.checker.proofs.claim import Claim
    from everytree.learner import Prepared
    from everytree.results.certification import CertificationResult

__all__ = ["only_exact", "write_proof"]

NOT_IN_FILE = (
    "proved by trying more tables than are verified, or not again within the limits: not in this file"
)
NOT_EXACTLY = "the checker does not accept the proof"
NO_SEED = "its witness hangs on a random state that is no number"
OUT_OF_TIME = "the proof could not be derived again in the time given"

WALK_SHARE = 0.5
"""Part of the time for the walk; what is left is for programs."""

MOST_ROUNDS = 20
"""Times that a file is written again without people whose proof does not survive exact checking."""


def write_proof(
    result: CertificationResult,
    path: str | Path,
    *,
    time_limit: float | None = PROOF_SECONDS,
    check: bool = True,
) -> ProofFile:
    """Write the proofs of a result to a file that `everytree verify` checks without trusting this library.

    Parameters
    ----------
    result : CertificationResult
        With its tables.
    path : str or Path
        The file, which ends in .proof; it appears whole or not at all.
    time_limit : float, default 600
        Seconds for deriving the proofs again; whoever is not done by then is left out. None for no limit.
    check : bool, default True
        Verify the file before it gets its name. Who does not pass is left out.

    Returns
    -------
    ProofFile

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from everytree import certify
    >>> scores, hired = [[0], [1], [2], [3], [5], [6], [7], [8], [9]], [0, 0, 0, 0, 1, 1, 1, 0, 1]
    >>> result = certify(DecisionTreeClassifier(max_depth=1), scores, hired, [[1], [7]], "flip(1)")
    >>> with TemporaryDirectory() as folder:
    ...     result.write_proof(Path(folder) / "hiring.proof").proved
    (0, 1)
    """
    path = Path(path)
    if path.suffix != ".proof":
        raise EverytreeError(f"A proof file ends in .proof; received {path.name!r}. Rename it.")
    limits = Limits.of(time_limit, None)
    proofs = _Proofs(result, limits)
    try:
        replace_file(path, lambda partial: proofs.write(partial, check))
    except OSError as error:
        raise EverytreeError(
            f"The proof could not be written to {str(path)!r}: {error.strerror or error}. Choose a folder "
            "that exists and may be written to."
        ) from error
    return ProofFile(path, proofs.proved, dict(sorted(proofs.left_out.items())), proofs.refuted)


def only_exact(result: CertificationResult, written: ProofFile) -> CertificationResult:
    """The result as far as it survives exact checking: who does not is unknown."""
    failed = [person for person, reason in written.left_out.items() if reason == NOT_EXACTLY]
    if not failed:
        return result
    verdicts, ranges = result.verdicts.copy(), result.probability_ranges.copy()
    reasons = np.full(len(result), "", "<U20") if result.reasons is None else result.reasons.astype("<U20")
    verdicts[failed], ranges[failed], reasons[failed] = UNKNOWN, (0.0, 1.0), "not settled"
    proofs = None if result.proofs is None else result.proofs.copy()
    if proofs is not None:
        proofs[failed] = ""
    possible = list(result.possible_labels)
    for person in failed:
        possible[person] = tuple(result.labels.tolist())
    return replace(
        result,
        verdicts=verdicts,
        probability_ranges=ranges,
        possible_labels=possible,
        reasons=reasons,
        proofs=proofs,
    )


def _refuse_other_features(prepared: Prepared, read: Claim) -> None:
    """See that the verification makes the features of the tables that the tree sees."""
    for ours, theirs in ((prepared.train.X, read.rows), (prepared.test.X, read.people)):
        if not np.array_equal(ours, np.array(theirs, np.float32), equal_nan=True):
            raise EverytreeError(
                "A proof file covers tables of which the verification makes the features that the tree sees; "
                "here it makes others, perhaps of missing categories. The verdicts stand, but cannot be "
                "written as proofs. Encode the table first, and certify the tree alone."
            )


class _Proofs:
    """What goes into one file."""

    def __init__(self, result: CertificationResult, limits: Limits) -> None:
        if result.prepared is None:
            raise EverytreeError("This result was made without its tables, so no proof can be written.")
        self.result, self.limits, self.prepared = result, limits, result.prepared
        trusted = [] if result.trusted is None else result.trusted.tolist()
        resolved = trust(resolve(result.bias, self.prepared.train), result.trusted)
        settings, people = self.prepared.learner.settings, self.prepared.test.X
        self.problem = Problem.of(self.prepared.train, resolved, settings, people=people)
        self.claim = claim_of(self.prepared, result.bias, trusted)
        self.tables = tables_of(self.prepared, self.claim)
        _refuse_other_features(self.prepared, read_claim(self.claim, self.tables))
        self.people = People(self.prepared.test.X, self.prepared.predictions)
        self.left_out: dict[int, str] = {}
        self.robust: dict[str, list[int]] = {"walk": [], "paths": [], "tables": [], "twins": []}
        self.tried = 0
        self.paths, self.path_lines = PathProofs(self.problem, limits), list[list[Any]]()
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
        robust = np.flatnonzero(self.result.verdicts == ROBUST)
        if self.result.proofs is not None:
            by_twins = self.result.proofs[robust] == "twins"
            self.robust["twins"], robust = robust[by_twins].tolist(), robust[~by_twins]
        half = replace(self.limits, deadline=now() + WALK_SHARE * (self.limits.deadline - now()))
        walk = Walk(self.problem, self.people.some(robust), RelationalEngine(), half)
        for _ in walk.steps():
            pass
        by_walk = (walk.tally.possible.sum(axis=1) == 1) & walk.finished
        self.robust["walk"] = robust[by_walk].tolist()
        self.robust["paths"] = robust[~by_walk].tolist()
        self._prove_paths()

    def _prove_paths(self) -> None:
        """Derive the proofs by programs, again without those who have none."""
        if len(self.problem.criteria) > 1:  # programs exclude nothing where weights move with the table
            waiting = set(self.robust["paths"])
            self._leave_out(waiting, NOT_IN_FILE)
            self._try_tables(waiting)
        while self.robust["paths"]:
            checked = read_claim(self._first_line(), self.tables).problems["paths"]
            self.path_lines = self.paths.lines(checked)
            if not self.paths.failed:
                return
            late = now() > self.limits.deadline
            failed = set(self.paths.failed)
            self._leave_out(failed, OUT_OF_TIME if late else NOT_IN_FILE)
            self._try_tables(failed)

    def _try_tables(self, people: set[int]) -> None:
        """Take people up again who were proved by trying every table, if the verification can do so, too."""
        by = self.result.proofs
        again = sorted(p for p in people if by is not None and by[p] == "tables")
        if not again:
            return
        known = {**self.robust, "tables": sorted({*self.robust["tables"], *again})}
        checked = read_claim(self._line_of(known), self.tables).problems["tables"]
        if not is_covered(checked) or count_tables(checked) > MOST_TABLES:
            return
        self.tried, wrong = open_cases(checked)
        self.robust["tables"] = sorted(set(known["tables"]) - set(checked.people(wrong)))
        for person in self.robust["tables"]:
            self.left_out.pop(person, None)

    def _leave_out(self, people: Iterable[int], reason: str) -> None:
        gone = set(people)
        self.left_out |= dict.fromkeys(gone, reason)
        self.robust = {by: [p for p in members if p not in gone] for by, members in self.robust.items()}

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

    def write(self, file: Path, check: bool) -> None:
        """Write the file, and again without those whom the verification does not accept."""
        for _ in range(MOST_ROUNDS):
            with file.open("wb") as raw, gzip.GzipFile("", "wb", 9, raw, mtime=0) as out:
                for (
                    line
                ) in self._lines():  # the same proofs are the same bytes: neither name nor time in them
                    text = json.dumps(line, ensure_ascii=False, separators=(",", ":"))
                    out.write(f"{text}\n".encode())
            if not check:
                return
            try:
                verify_file(file, self.tables)
            except Rejected as failure:
                if not failure.people:
                    raise EverytreeError(
                        f"The proof does not pass its own verification ({failure}). This is a fault in "
                        "everytree; please report it with the table."
                    ) from failure
                self._leave_out(failure.people, NOT_EXACTLY)
                self._prove_paths()
            else:
                return
        raise EverytreeError("The proofs do not survive exact arithmetic for too many people.")

    def _first_line(self) -> dict[str, Any]:
        return {**self._line_of(self.robust), "left_out": sorted(self.left_out.items())}

    def _line_of(self, proved: dict[str, list[int]]) -> dict[str, Any]:
        labels = self.prepared.predictions
        robust = {by: [[p, int(labels[p])] for p in people] for by, people in proved.items() if people}
        return {**self.claim, "robust": robust}

    def _lines(self) -> Iterator[Any]:
        """The claim, then the proofs, then the witnesses, then the end."""
        labels = self.prepared.predictions
        yield {**self._first_line(), "not_robust": [[p, int(labels[p])] for p in sorted(self.refuted)]}
        nodes = 0
        if self.robust["walk"]:
            yield ["by", "walk"]
            people = self.people.some(np.array(self.robust["walk"]))
            for line in RecordedWalk(self.problem, people, RelationalEngine(), self.limits).lines():
                nodes += 1
                yield line
        if self.robust["paths"]:
            yield ["by", "paths"]
            for line in self.path_lines:
                shift = nodes if line[0] == "node" and line[1] >= 0 else 0
                yield [line[0], line[1] + shift, *line[2:]]
            nodes += sum(line[0] == "node" for line in self.path_lines)
        if self.robust["tables"]:
            yield ["by", "tables"]
            yield ["tables", self.tried]
        if self.robust["twins"]:
            yield ["by", "twins"]
            yield ["twins"]
        for witness in self.witnesses:
            yield ["witness", witness]
        yield ["end", nodes]
