"""The part of a tree that a change alters, learned by itself: the rest is as it was.

Beside `judge.py`, which learns whole trees, for tables on which one takes long. `every_table.py` asks.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from everytree.refute.tied_ways import DIFFERS
from everytree.refute.under_way import DEAR

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from everytree.refute.judge import Judge
    from everytree.refute.node_changes import Altered, NodeChanges
    from everytree.refute.side_by_side import Search
    from everytree.refute.trial import Trial


class PartTrees:
    """Learns from the rows of the highest node that a change alters, with the user's own settings.

    Soundness
    ---------
    Of the nodes above none takes another split or stops after the change than those that tie on T, and of
    these all send the people who count to the same rows. Flips move no threshold, so they come there as
    before. Nothing but splits decides where a node stops (`EveryTable.is_possible`), so what is
    below is what the learner makes of the rows of the node alone, with the depth that is left. Ties below are
    broken by chance, which goes on from the nodes before; so only people count whom every tree of the node
    gives another label, and the tree that is learned here must say so too.
    """

    def __init__(self, judge: Judge, changes: NodeChanges) -> None:
        self.judge, self.changes = judge, changes
        self.worthwhile = judge.training_seconds > DEAR

    def turns(self, altered: Altered, trial: Trial, p: int) -> Search[bool]:
        """Learn the part that a trial alters; says whether it turns somebody whom every tree of it turns.

        Others who come to the node are noted, too, if that is so for them.
        """
        task, judge = altered.task, self.judge
        people = task.people[task.certain & judge.open[task.people]]
        if not (self.worthwhile and p in people and not trial.change.removed and judge.allows(trial)):
            return False
        cells = len(altered.spot.label) * self.judge.X.shape[1]
        (after,) = yield from self.changes.threads.look(lambda *_: self._labels(altered, people), 1, cells)
        turned = after != judge.predictions[people]
        people, after = people[turned], after[turned]
        if p not in people:
            return False
        surely = people == p
        others, _ = yield from self.changes.fates(altered, people[~surely])
        surely[~surely] = others == DIFFERS
        labels = judge.predictions.copy()
        labels[people[surely]] = after[surely]
        judge.note_part(trial, labels)
        return True

    def _labels(self, altered: Altered, people: NDArray[np.int32]) -> NDArray[np.int64]:
        """What a tree that is learned from the changed rows of the node says of people."""
        judge, node = self.judge, altered.task.node
        y = altered.spot.label.copy()
        for row, label in altered.change:
            if row >= 0:
                y[row] = label
        if node.depth == 0:
            return np.full(len(people), np.argmax(np.bincount(y)), np.int64)
        tree = judge.new_tree().set_params(max_depth=node.depth)
        tree.fit(np.ascontiguousarray(judge.problem.table.X[node.rows]), y, check_input=False)
        after: NDArray[np.int64] = tree.predict(judge.X[people], check_input=False)
        return after
