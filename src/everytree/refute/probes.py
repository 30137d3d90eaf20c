"""Loops of attacks over single rows: change one and see who falls, take one back and see who still does.

Compiled, below the attacks, which say where to look.
"""

from __future__ import annotations

from typing import Any

from everytree.bias.acts import ADD, FLIP, NONE, REMOVE
from everytree.learner.criterion.front import winner
from everytree.refute import moves
from everytree.refute.follow import follow
from everytree.support.kernels import kernel

PROBED = (REMOVE, FLIP, ADD)
"""What is done to one row, in the order in which a probe tries them."""


@kernel
def probe(columns: Any, table: Any, rules: Any, left: Any, goal: Any, way: Any, how: Any) -> Any:
    """Change one row, near ones first, in each allowed way, and then turn the leaf."""
    begin, end = how
    ways = 0
    n_labels = rules.flips_to.shape[1]
    for r in goal.order[begin:end]:
        for act in PROBED:
            for target in range(NONE, n_labels):
                if (target == NONE) != (act == REMOVE):
                    continue
                moves.reset(table, rules, left)
                if not moves.may(table, rules, left, r, act, target):
                    continue
                moves.do(table, rules, left, r, act, target)
                ways += 2
                if moves.turn_leaf(columns, table, rules, left, goal, way, False):
                    return ways, True
    return ways, False


@kernel
def shrink(columns: Any, table: Any, rules: Any, goal: Any, way: Any) -> None:
    """Take back flips and removals one by one where the person falls without them as well."""
    for r in range(len(rules.y)):
        changed = table.label[r]
        if changed != rules.y[r]:
            table.label[r] = rules.y[r]
            follow(columns, table, goal.x, goal.depth, way)
            if winner(table.criterion, way.counts) == goal.expected:
                table.label[r] = changed
