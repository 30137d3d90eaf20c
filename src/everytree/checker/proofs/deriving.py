"""What a claim says about table, learner and bias model, made ready: all is derived from the tables anew.

Below the claim, which reads tables and settings; above the nodes, which ask what is derived here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from everytree.checker.bias import Setting
from everytree.checker.facts import BiasFacts, TreeFacts
from everytree.checker.ground import Ground, criteria_over
from everytree.checker.holes import Twins, write_twice
from everytree.checker.leaves import allowance
from everytree.checker.proofs.nodes import Problem, number_rows
from everytree.checker.proofs.places import Places
from everytree.checker.proofs.wording import Rejected
from everytree.checker.records import Kind, Records, bridged_gap
from everytree.checker.sizes import Sizes
from everytree.checker.weights import BALANCED, are_covered

__all__ = ["derive"]

KNOWN = {
    *("criterion", "max_depth", "min_samples_leaf", "min_samples_split", "min_impurity_decrease"),
    *("max_leaf_nodes", "ccp_alpha", "class_weight"),
}
"""Settings of the learner, each of which a claim states."""

Rows = Sequence[Sequence[float | None]]


def derive(
    learner: Any,
    setting: Setting,
    facts: BiasFacts,
    bias: Mapping[str, Any],
    seen: tuple[Rows, Rows, Sequence[str]],
) -> tuple[Problem, list[tuple[float, ...]]]:
    """Make a problem ready; gives the people as well, with columns written twice where values are missing.

    `seen` has the features of the training rows and of all people, and the names of the features.
    """
    if not isinstance(learner, dict) or set(learner) != KNOWN:
        raise Rejected("claim", "the learner must have exactly the known settings.")
    rows, people, names = seen
    written, cases, twins = write_twice(rows, people)
    names = [*names, *(names[j] for j in twins.second)]
    zero_one = setting.table.zero_one_features(len(rows[0]))
    zero_one = [flag and j not in twins.of_rows for j, flag in enumerate(zero_one)]
    zero_one = [*zero_one, *(zero_one[j] for j in twins.second)]
    records = _records(written, setting.labels, facts, zero_one)
    close = bridged_gap(records, facts.additions)
    if close is not None:
        j, low, high = close
        raise Rejected("claim", f"the values {low!r} and {high!r} of {names[j]} are too close to tell apart.")
    places = Places(bias["components"], setting, twins)
    return _problem(learner, records, facts, places, (len(setting.names), names, twins)), cases


def _records(
    rows: Sequence[tuple[float, ...]], labels: Sequence[int], facts: BiasFacts, zero_one: Sequence[bool]
) -> Records:
    """The rows one by one, each with what the bias model allows; what no budget can use is left out."""
    kinds: dict[Kind, int] = {}
    of_row = []
    for r, label in enumerate(labels):
        flips_to = facts.flips_to[r] - {label} if facts.flips else frozenset[int]()
        kind = Kind(label, flips_to, facts.removals > 0 and facts.removable[r])
        of_row.append(kinds.setdefault(kind, len(kinds)))
    return Records(list(rows), of_row, [1] * len(of_row), list(kinds), tuple(zero_one))


def _problem(
    learner: Mapping[str, Any],
    records: Records,
    facts: BiasFacts,
    places: Places,
    others: tuple[int, Sequence[str], Twins],
) -> Problem:
    n_labels, names, twins = others
    if learner["criterion"] not in ("gini", "entropy", "log_loss"):
        raise Rejected("claim", f"the criterion {learner['criterion']!r} is not covered.")
    n_rows, total = len(records.kind), records.count(range(len(records.kind)))
    gone = allowance(facts, records.kinds, total, 0).removals
    most = n_rows + facts.additions
    tree = TreeFacts(learner["max_depth"], learner["min_samples_leaf"], learner["min_samples_split"])
    sizes = Sizes.of(tree, n_rows - gone, most)
    levels = most if learner["max_depth"] is None else learner["max_depth"]
    if learner["max_leaf_nodes"] is not None:
        levels = min(levels, learner["max_leaf_nodes"] - 1)
    decrease = Fraction(learner["min_impurity_decrease"])
    if levels < 0 or decrease < 0 or learner["ccp_alpha"] < 0 or sizes.leaf_least < 1:
        raise Rejected("claim", "the learner has a setting that no tree can have.")
    weights = _weights(learner["class_weight"], n_labels)
    allowed = allowance(facts, records.kinds, total, facts.additions)
    root = Ground((), records.kinds, n_labels, total, allowed)
    codes, keys, values = number_rows(records)
    return Problem(
        records=records,
        codes=codes,
        keys=keys,
        levels=values,
        facts=facts,
        places=places,
        sizes=sizes,
        tree=tree,
        criterion_name=learner["criterion"],
        class_weight=weights,
        criteria=criteria_over(learner["criterion"], weights, root),
        n_labels=n_labels,
        depth=levels,
        decrease=decrease,
        cut_off=_cut_off(learner, most // sizes.leaf_least),
        twins=twins,
        names=names,
        cases=(),
    )


def _weights(given: Any, n_labels: int) -> list[float] | str | None:
    """Weights by the number of the label: one that is not named weighs 1, one below 0 is not in the table."""
    if given is None or given == BALANCED:
        return None if given is None else BALANCED
    weights = [1.0] * n_labels
    for label, weight in given:
        if isinstance(label, bool) or not isinstance(label, int) or label >= n_labels:
            raise Rejected("claim", f"there is no label with number {label!r} to be weighed.")
        if isinstance(weight, bool) or not isinstance(weight, (int, float)):
            raise Rejected("claim", f"{weight!r} is no weight.")
        if label >= 0:
            weights[label] = float(weight)
    if not are_covered(weights):
        raise Rejected("claim", "weights are above 0, and none is more than 10,000 times another.")
    return weights


def _cut_off(learner: Mapping[str, Any], most_leaves: int) -> str:
    """Where pruning or a limit of leaves may make a leaf of a node; a limit that no tree reaches does not."""
    if learner["ccp_alpha"] > 0:
        return "anywhere"
    if learner["max_depth"] is not None and learner["max_depth"] < 60:
        most_leaves = min(most_leaves, 2 ** learner["max_depth"])
    limit = learner["max_leaf_nodes"]
    return "below the root" if limit is not None and limit < most_leaves else "nowhere"
