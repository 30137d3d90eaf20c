"""`write_proof`: a result's proofs as a file, derived again for the people who are robust.

The walk is run once more, so that `certify` costs nothing for proofs that nobody asks for. The file is
verified by the independent checker before it gets its name: whoever's proof does not survive exact
arithmetic is left out, by name.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from everytree.checker.proofs import Rejected, read_lines, verify_lines
from everytree.errors import EverytreeError
from everytree.questions.proofs.finding import OUT_OF_TIME, WAYS, FoundProofs
from everytree.questions.proofs.late import Late, alarm
from everytree.results.certification import UNKNOWN
from everytree.results.proof_file import PROOF_SECONDS, ProofFile
from everytree.support.clock import now
from everytree.support.files import replace_file
from everytree.support.limits import Limits

if TYPE_CHECKING:
    from everytree.results.certification import CertificationResult

__all__ = ["only_exact", "write_proof"]

NOT_EXACTLY = "the checker does not accept the proof"

FINDING = 0.5
"""Part of the time for deriving proofs; what is left is for verifying them."""

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
        Seconds for deriving the proofs again and verifying them; whoever is not done by then is left out.
        None for no limit.
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
    finding = replace(limits, deadline=now() + FINDING * (limits.deadline - now())) if check else limits
    proofs = _Proofs(result, finding)
    try:
        replace_file(path, lambda partial: proofs.write(partial, check, limits.deadline))
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


class _Proofs(FoundProofs):
    """What goes into one file, and the file."""

    def write(self, file: Path, check: bool, deadline: float) -> None:
        """Write the file, and again without those whom the verification does not accept in time."""
        for _ in range(MOST_ROUNDS):
            self._save(file)
            if not check:
                return
            sections = [by for by in WAYS if self.robust[by]]
            begun = list[str]()
            try:
                verify_lines(_noting(read_lines(file), begun), self.tables, pulse=alarm(deadline))
            except Rejected as failure:
                if not failure.people:
                    raise EverytreeError(
                        f"The proof does not pass its own verification ({failure}). This is a fault in "
                        "everytree; please report it with the table."
                    ) from failure
                self._without(failure.people, NOT_EXACTLY)
            except Late:
                # Sections before the present one were verified, and stay as they are.
                late = sections[sections.index(begun[-1]) :] if begun else sections
                self._leave_out([person for by in late for person in self.robust[by]], OUT_OF_TIME)
                self._save(file)
                return
            else:
                return
        raise EverytreeError("The proofs do not survive exact arithmetic for too many people.")

    def _save(self, file: Path) -> None:
        """Write the lines; the same proofs are the same bytes: neither name nor time in them."""
        with file.open("wb") as raw, gzip.GzipFile("", "wb", 9, raw, mtime=0) as out:
            for line in self._lines():
                text = json.dumps(line, ensure_ascii=False, separators=(",", ":"))
                out.write(f"{text}\n".encode())

    def _lines(self) -> Iterator[Any]:
        """The claim, then the proofs, then the witnesses, then the end."""
        robust = {by: self._pairs(self.robust[by]) for by in WAYS if self.robust[by]}
        yield {
            **self.claim,
            "robust": robust,
            "left_out": sorted(self.left_out.items()),
            "not_robust": self._pairs(sorted(self.refuted)),
        }
        nodes = 0
        for by in robust:
            yield ["by", by]
            before = nodes
            for line in self.lines[by]:
                is_node = line[0] in ("node", "tried")
                nodes += is_node
                yield [line[0], line[1] + before, *line[2:]] if is_node and line[1] >= 0 else line
        for witness in self.witnesses:
            yield ["witness", witness]
        yield ["end", nodes]


def _noting(lines: Iterator[Any], begun: list[str]) -> Iterator[Any]:
    """Give lines on, and note the section that is being verified: one is closed by what follows it."""
    for line in lines:
        yield line
        if isinstance(line, list) and line[0] == "by":
            begun.append(line[1])
