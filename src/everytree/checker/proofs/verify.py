"""A proof file from its first line to its last: the claim, node after node, and that nothing is missing.

Nodes stand in the order of a walk, each before its children, so only the way from the root to the present
node is kept. A file is verified as a whole: one step that does not hold, and nobody in it is proved by it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from everytree.checker.proofs.changes import TriedNodes
from everytree.checker.proofs.claim import Claim, Tables, read_claim
from everytree.checker.proofs.layout import Level
from everytree.checker.proofs.nodes import Key, Node, Problem, read_key
from everytree.checker.proofs.paths import PathCheck, verify_path
from everytree.checker.proofs.small_sets import open_cases
from everytree.checker.proofs.twins import without_twins
from everytree.checker.proofs.walk import Ending, Opened, open_node
from everytree.checker.proofs.wording import Rejected
from everytree.checker.proofs.words import bias_text

__all__ = ["Report", "verify_lines"]

Progress = Callable[[int], None]
"""Called with the number of nodes that have been verified."""

Pulse = Callable[[], object]
"""Called every now and then; may raise to end a verification."""


@dataclass(eq=False)
class Report:
    """What was verified: the claim, and how much there was to look at."""

    claim: Claim
    nodes: int = 0
    splits: int = 0
    dropped: int = 0
    paths: int = 0
    programs: int = 0
    tried: int = 0
    changes: int = 0
    tables: int = 0
    witnesses: list[Mapping[str, Any]] = field(default_factory=list)


def verify_lines(
    lines: Iterator[Any], tables: Tables, progress: Progress | None = None, pulse: Pulse = bool
) -> Report:
    """Verify the lines of a proof file, each already read from JSON, against both tables.

    Raises
    ------
    Rejected
        At the first step that does not hold.
    """
    try:
        report = Report(read_claim(next(lines, None), tables))
        bias_text(report.claim.line["bias"])
    except FAULTS as error:
        raise Rejected("claim", f"it is malformed ({type(error).__name__}: {error}).") from error
    return _File(report, progress, pulse).run(lines)


FAULTS = (KeyError, IndexError, TypeError, ValueError, AttributeError, ArithmeticError, RecursionError)
"""What reading something that is not as it should be can raise."""


@dataclass(eq=False)
class _Open:
    """A node on the way, with its number and the paths that are still to be excluded."""

    number: int
    opened: Opened
    step: tuple[int, int] | None


class _File:
    """The state of a verification between two lines."""

    def __init__(self, report: Report, progress: Progress | None, pulse: Pulse) -> None:
        self.report, self.progress, self.pulse = report, progress, pulse
        self.problem: Problem | None = None
        self.by = ""
        self.waiting = dict.fromkeys(by for by, people in report.claim.problems.items() if people.cases)
        self.stack: list[_Open] = []
        self.served: dict[tuple[object, ...], dict[int, int]] = {}
        self.trying: TriedNodes | None = None
        self.rooted = True
        self.ended = False

    def run(self, lines: Iterator[Any]) -> Report:
        for number, line in enumerate(lines, 2):
            try:
                self._read(line)
            except Rejected as failure:
                step = f"line {number}, {self._where()}{failure.step}"
                raise Rejected(step, failure.reason, failure.people) from failure
            except FAULTS as error:
                reason = f"it is malformed ({type(error).__name__}: {error})."
                raise Rejected(f"line {number}", reason) from error
        if not self.ended:
            raise Rejected("end", "the file is cut off: its last line is missing.")
        return self.report

    def _read(self, line: Any) -> None:
        if self.ended:
            raise Rejected("end", "there are lines after the last one.")
        kind, *rest = line
        if kind == "by":
            self._begin(*rest)
        elif kind == "node":
            self._node(*rest)
        elif kind == "path":
            self._path(*rest)
        elif kind == "tried":
            self._tried(*rest)
        elif kind == "tables":
            self._tables(*rest)
        elif kind == "twins":
            self._twins(*rest)
        elif kind == "witness":
            self._witness(*rest)
        elif kind == "end":
            self._finish(*rest)
        else:
            raise Rejected("line", f"{kind!r} is no step of a proof.")

    def _begin(self, by: str) -> None:
        """A section: the people who are proved in one way."""
        self._close()
        if by not in self.waiting:
            raise Rejected("section", f"nobody waits to be proved by {by!r}.")
        del self.waiting[by]
        self.by, self.problem = by, replace(self.report.claim.problems[by], pulse=self.pulse)
        self.served, self.rooted = {}, False
        self.trying = TriedNodes(self.problem) if by == "changes" else None

    def _close(self) -> None:
        """End a section; every edge must have been followed, from the root on."""
        self._leave(0)
        if not self.rooted:
            raise Rejected("section", "it has no root.")

    def _node(
        self,
        parent: int,
        k: int,
        side: int,
        challengers: Sequence[Sequence[Any]],
        follow: Sequence[Sequence[Any]],
    ) -> None:
        node, step = self._come(parent, k, side)
        assert self.problem is not None
        if node.cases:
            opened = open_node(self.problem, node, _keys(challengers), _keys(follow))
        else:
            opened = Opened(node, [])
        if self.by != "paths":
            self._no_endings(opened)
        self._open(opened, step)

    def _tried(self, parent: int, k: int, side: int, told: int) -> None:
        """A node whose changes are all tried here, with everything below."""
        if self.trying is None:
            raise Rejected("changes", "they belong to no section.")
        node, step = self._come(parent, k, side)
        number, wrong = self.trying.open_cases(node)
        if wrong:
            raise Rejected("changes", "one of them gives another label.", self.trying.problem.people(wrong))
        if number != told:
            raise Rejected("changes", f"the file says that there are {told}, and there are {number}.")
        self.report.changes += number
        self._open(Opened(node, []), step)

    def _come(self, parent: int, k: int, side: int) -> tuple[Node, tuple[int, int] | None]:
        """Go to the root, or to a child of a node on the way, with those who were not there before."""
        problem = self.problem
        if problem is None or self.by not in ("walk", "paths", "changes"):
            raise Rejected("node", "it belongs to no section.")
        if parent < 0:
            if self.rooted:
                raise Rejected("node", "a second root.")
            self.rooted = True
            node, step = problem.root(range(len(problem.cases))), None
        else:
            while self.stack and self.stack[-1].number != parent:
                self._leave(len(self.stack) - 1)
            if not self.stack:
                raise Rejected("node", f"its parent {parent} is not on the way from the root.")
            self._no_endings(self.stack[-1].opened)
            node, step = self._take(self.stack[-1].opened, k, side), (k, side)
        return node if self.by == "paths" else self._newcomers(node), step

    def _no_endings(self, opened: Opened) -> None:
        """Nothing may be left by which somebody gets another label at a node."""
        for ending, cases in opened.endings.items():
            name = self.report.claim.line["labels"][ending.label]
            assert self.problem is not None
            raise Rejected("leaf", f"it may give label {name!r}.", self.problem.people(cases))

    def _path(self, column: int, low: Any, side: int, label: int, parts: Sequence[Any]) -> None:
        """A path to another label, from the root to the present node, that no table takes."""
        problem = self.problem
        if problem is None or self.by != "paths" or not self.stack:
            raise Rejected("path", "it belongs to no node.")
        opened = self.stack[-1].opened
        ending = Ending(None if column == -1 else _keys([(column, low)])[0], side, label)
        if ending not in opened.endings:
            raise Rejected("path", "nobody needs it.")
        levels = [
            Level(above.opened.node, above.opened.follow[below.step[0]], below.step[1])
            for above, below in zip(self.stack, self.stack[1:], strict=False)
            if below.step is not None
        ]
        split = None if ending.split is None else opened.splits[ending.split]
        levels.append(Level(opened.node, split, side))
        listed = [entry.opened.splits for entry in self.stack]
        self.report.programs += verify_path(PathCheck(problem, levels, listed, label), parts)
        self.report.paths += 1
        del opened.endings[ending]

    def _tables(self, told: int) -> None:
        """All tables of a small set, which are listed and learned from here."""
        problem = self.problem
        if problem is None or self.by != "tables" or self.rooted:
            raise Rejected("tables", "it belongs to no section, or comes twice.")
        self.rooted = True
        number, wrong = open_cases(problem)
        if wrong:
            raise Rejected("tables", "one of them gives another label.", problem.people(wrong))
        if number != told:
            raise Rejected("tables", f"the file says that there are {told}, and there are {number}.")
        self.report.tried = number

    def _twins(self) -> None:
        """Rows with the features of the people, who share their leaves in every tree."""
        problem = self.problem
        if problem is None or self.by != "twins" or self.rooted:
            raise Rejected("twins", "it belongs to no section, or comes twice.")
        self.rooted = True
        wrong = without_twins(problem)
        if wrong:
            raise Rejected("twins", "the rows like them may say something else.", problem.people(wrong))

    def _take(self, opened: Opened, k: int, side: int) -> Node:
        """The child at an edge that nobody has taken yet; below a node where nobody is left, nobody is."""
        if not opened.node.cases:
            return opened.node
        cases = opened.edges.pop((k, side), None)
        if cases is None:
            raise Rejected("node", "nobody comes to it, or it has been there before.")
        assert self.problem is not None
        return self.problem.child(opened.node, opened.follow[k], side, cases)

    def _newcomers(self, node: Node) -> Node:
        """Leave out who was at an equal node before, with as many additions at least."""
        assert self.problem is not None
        served = self.served.setdefault(self.problem.place(node), {})
        new = [c for c in node.cases if served.get(c, -1) < node.additions]
        for c in new:
            served[c] = node.additions
        return Node(node.members, node.depth, node.additions, node.addable, node.settled, node.bounds, new)

    def _open(self, opened: Opened, step: tuple[int, int] | None) -> None:
        self.stack.append(_Open(self.report.nodes, opened, step))
        self.report.nodes += 1
        self.report.splits += opened.looked_at
        self.report.dropped += opened.dropped
        if self.progress is not None:
            self.progress(self.report.nodes)

    def _leave(self, keep: int) -> None:
        """Leave nodes; a child of theirs without a line of its own must be known, or a leaf of additions."""
        while len(self.stack) > keep:
            opened = self.stack[-1].opened
            self._no_endings(opened)
            for k, side in list(opened.edges):
                self._without_line(opened, k, side)
            self.stack.pop()

    def _without_line(self, opened: Opened, k: int, side: int) -> None:
        assert self.problem is not None
        node = self._take(opened, k, side)
        if not node.members:
            self._no_endings(open_node(self.problem, node, (), ()))
            return
        missing = node.cases if self.by == "paths" else self._newcomers(node).cases
        if missing:
            raise Rejected(
                "node", f"its split {k}, side {side}, is not followed.", self.problem.people(missing)
            )

    def _witness(self, witness: Mapping[str, Any]) -> None:
        self._close()
        self.report.witnesses.append(witness)

    def _finish(self, nodes: int) -> None:
        self._close()
        if self.waiting:
            raise Rejected("end", f"the people proved by {', '.join(self.waiting)} have no proof.")
        told = [person for witness in self.report.witnesses for person, _ in witness["people"]]
        if sorted(told) != sorted(person for person, _ in self.report.claim.line["not_robust"]):
            raise Rejected("end", "the people who are not robust are not those who have a witness.")
        if nodes != self.report.nodes:
            raise Rejected("end", f"the file says that it has {nodes} nodes and has {self.report.nodes}.")
        self.ended = True

    def _where(self) -> str:
        """The way to the present node in words."""
        words = []
        for above, below in zip(self.stack, self.stack[1:], strict=False):
            if below.step is not None:
                k, side = below.step
                words.append(above.opened.follow[k].describe(side, self.report.claim.names))
        return f"below {'; '.join(words)}: " if words else ""


def _keys(given: Sequence[Sequence[Any]]) -> list[Key]:
    """Splits as a file names them."""
    return [read_key(column, low) for column, low in given]
