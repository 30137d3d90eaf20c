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
from everytree.paths.root_search import RootSearch
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
"""Programs that one path may use when its turn comes again, and how many paths of one family are looked at.

Paths over the same columns and sides, to the same label, are a family: where a column has thousands of
gaps, a few of its paths, looked at closely, often decide everyone that the others could reach.
"""

LATER = (0.0, 2.0, 2.2, 2.6, 3.1, 3.8)
"""What counts against a path in each round beside its effort: about how many times as much it may cost."""

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
        self._looked_at: Counter[tuple[int, tuple[object, ...]]] = Counter()
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
        for found in self.listing.paths():
            if isinstance(found, float):
                yield found
            else:
                path, turn = found
                self.n_paths += turn == 0
                yield from self._look(path, turn)
        self._prove()
        yield 0.0

    def _look(self, path: Path, turn: int) -> Iterator[float]:
        """Look at one path, unless enough of its family have been looked at; what stays open comes again."""
        programs, per_family = ROUNDS[turn]
        waiting = path.people[self.judge.open[path.people]]
        if len(waiting) == 0:
            self.listing.settle(path)
            self._rivals.pop(path, None)
            return
        if per_family is not None and self._looked_at[turn, path.family] >= per_family:
            self._put_back(path, turn + 1)
            return
        if now() > self.deadline:
            return
        self._looked_at[turn, path.family] += 1
        solved = self.solver.solved
        status = self._search(path, waiting, programs)
        seconds = PROGRAM_SECONDS * (1 + self.solver.solved - solved)
        self.listing.charge(waiting, seconds)
        if status == IMPOSSIBLE:
            self.listing.settle(path)
            self._prove()
        elif status == OPEN:
            self._put_back(path, turn + 1)
        yield seconds

    def _put_back(self, path: Path, turn: int) -> None:
        """Let a path wait for its next turn; after the last one it stays open for ever."""
        if turn < len(ROUNDS):
            self.listing.put_back(path, turn, LATER[turn])
        else:
            self._rivals.pop(path, None)

    def _search(self, path: Path, waiting: NDArray[np.int32], programs: int) -> str:
        for step in path.steps:
            # Nodes are known by the identity of their rows, which must not be given to others.
            self._nodes[id(step.rows)] = step.rows
        kind = RootSearch if RootSearch.is_possible(self.problem) else PathSearch
        search = kind(self.problem, path, self.family, self.solver, self.judge.maker, self._counts)
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
