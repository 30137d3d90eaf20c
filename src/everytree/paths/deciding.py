"""Path programs as a worker: path after path, the most plausible first, until all people are decided.

The top of the room: takes the open people from the judge and proves those who have no path left; whom a path
refutes the judge notes itself.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from everytree.paths.boxes import Family
from everytree.paths.listing import Listing
from everytree.paths.program import Solver
from everytree.paths.search import IMPOSSIBLE, OPEN, TAKEN, PathSearch
from everytree.paths.waiting import Path
from everytree.refute.judge import PROGRAMS
from everytree.refute.trial import most_rows
from everytree.support.clock import now

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from everytree.prove.node import Cut
    from everytree.prove.problem import Problem
    from everytree.refute.judge import Judge
    from everytree.support.limits import Limits

ROUNDS = ((6, 3), (60, 3), (6, None), (30, None), (150, None), (1000, None))
"""Programs that one path may use in each round, and how many paths of one family are looked at.

Paths over the same columns and sides, to the same label, are a family: where a column has thousands of
gaps, a few of its paths, looked at closely, often decide everyone that the others could reach.
"""

BATCH = 2000
"""Paths that go through the first rounds together; then the next ones are looked for."""

FIRST_ROUNDS = 2
"""Rounds that a batch goes through before the next one; the others wait until all paths are known."""

MOST_KEPT = 100_000
"""Open paths that are kept for later rounds."""

SHARED_RIVALS = 5
"""Rivals that a path takes over from earlier paths through the same node."""

PROGRAM_SECONDS = 2.5e-3
"""About what one program costs."""


class Programs:
    """Decides people by programs, as far as the time allows; `steps` does one path at a time.

    Soundness
    ---------
    A person is robust iff no table of B(T) takes any path to another label. Every such path is listed (it
    comes from the same domain as the walk), a path is crossed out only by a checked bound, and a person is
    proved only when no listed path and no node that could lead to one is left (`Listing.outstanding`).
    With `proves=False` the problem is a part of the judge's, and only its witnesses count.
    """

    def __init__(self, problem: Problem, judge: Judge, limits: Limits, *, proves: bool = True) -> None:
        self.problem, self.judge, self.deadline, self.proves = problem, judge, limits.deadline, proves
        self.listing = Listing(problem, judge.shown, judge.predictions, judge.open, limits.memory)
        self.people = judge.open.copy()
        budgets = np.array(problem.bias.budgets, float)
        self.family = Family(np.zeros_like(budgets), budgets, 1.0, most_rows(problem, limits.memory))
        self.solver = Solver(deadline=limits.deadline)
        self.n_paths = 0
        self._rivals: dict[Path, list[list[Cut]]] = {}
        self._pool: dict[int, list[Cut]] = {}
        self._counts: dict[tuple[int, int, int], NDArray[np.float64]] = {}
        self._nodes: dict[int, NDArray[np.int32]] = {}

    @property
    def too_many_paths(self) -> bool:
        """Whether some paths were left out because there are too many."""
        return self.listing.too_many

    def steps(self) -> Iterator[float]:
        """Look at path after path; gives about the seconds of each step."""
        kept: list[Path] = []
        batch: list[Path] = []
        looked_at: Counter[tuple[object, ...]] = Counter()
        for path in self.listing.paths():
            if not isinstance(path, Path):
                yield path
                continue
            self.n_paths += 1
            yield from self._look(path, ROUNDS[0], looked_at, batch)
            if self.n_paths % BATCH == 0:
                yield from self._rounds(batch, ROUNDS[1:FIRST_ROUNDS], kept)
                batch, looked_at = [], Counter()
                self.listing.too_many |= len(kept) > MOST_KEPT
                for dropped in kept[MOST_KEPT:]:
                    self._rivals.pop(dropped, None)
                del kept[MOST_KEPT:]
        self._prove()
        yield 0.0
        yield from self._rounds(batch, ROUNDS[1:FIRST_ROUNDS], kept)
        yield from self._rounds(kept, ROUNDS[FIRST_ROUNDS:], [])

    def _rounds(
        self, paths: list[Path], rounds: tuple[tuple[int, int | None], ...], kept: list[Path]
    ) -> Iterator[float]:
        """Take paths through some rounds; those that stay open are appended to `kept`."""
        for limits in rounds:
            still_open: list[Path] = []
            looked_at: Counter[tuple[object, ...]] = Counter()
            for path in paths:
                yield from self._look(path, limits, looked_at, still_open)
            paths = still_open
        kept += paths

    def _look(
        self,
        path: Path,
        limits: tuple[int, int | None],
        looked_at: Counter[tuple[object, ...]],
        still_open: list[Path],
    ) -> Iterator[float]:
        """Look at one path with so many programs, unless enough of its family have been looked at."""
        programs, per_family = limits
        waiting = path.people[self.judge.open[path.people]]
        if len(waiting) == 0:
            self.listing.settle(path)
            return
        if per_family is not None and looked_at[path.family] >= per_family:
            still_open.append(path)
            return
        if now() > self.deadline:
            return
        looked_at[path.family] += 1
        solved = self.solver.solved
        status = self._search(path, waiting, programs)
        if status == IMPOSSIBLE:
            self.listing.settle(path)
            self._prove()
        elif status == OPEN:
            still_open.append(path)
        yield PROGRAM_SECONDS * (1 + self.solver.solved - solved)

    def _search(self, path: Path, waiting: NDArray[np.int32], programs: int) -> str:
        for step in path.steps:
            # Nodes are known by the identity of their rows, which must not be given to others.
            self._nodes[id(step.rows)] = step.rows
        search = PathSearch(self.problem, path, self.family, self.solver, self.judge.maker, self._counts)
        search.take_over(self._rivals.pop(path, None), self._pool, SHARED_RIVALS)
        status = search.run(partial(self.judge.consider, people=waiting), programs, self.deadline)
        search.share(self._pool)
        if status == OPEN:
            self._rivals[path] = search.rivals
        return status

    def _prove(self) -> None:
        """Prove the people who have no way left to another label."""
        if not self.proves:
            return
        self.judge.prove(self.people & self.judge.open & (self.listing.outstanding == 0), PROGRAMS)


__all__ = ["IMPOSSIBLE", "OPEN", "TAKEN", "Path", "Programs"]
