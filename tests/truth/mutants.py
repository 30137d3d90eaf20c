"""Mistakes made on purpose, to see that the campaign notices them.

A mutant is one replacement in one source file. The package is copied, the replacement applied, and the
campaign run against the copy in a process of its own, without compilation, until a violation shows up or
a self-check of the library (InternalError) fails; any other exception is a broken mutant, not a catch.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.truth.breeder import Breeder
from tests.truth.campaign import SELF_CHECK, VIOLATION
from tests.truth.edges import FOCUSES, SCALED

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "src" / "everytree"
BREEDER = Breeder()


@dataclass(frozen=True)
class Mutant:
    """One mistake.

    name : what is wrong, in words ("leaf flip worth 1").
    file : path below src/everytree ("prove/domains/leaf.py").
    old, new : the exact source text and what replaces it; ``old`` must occur once in the file.
    engine : whose verdicts are examined: one of the library's engines, "programs" for paths and programs alone,
        "screening" for a walk that only screens, "claims" for one that holds splits against those above, "check" for the independent check, "files", "path files", "change files", "table files" and "twin files" for the verification of proof files, "bounds" for the inequality below the relational engine, "check bounds" for those of the check, "known nodes" for what is known of nodes, "witnesses"
        for witnesses in tables of many types, "metrics" for ranges of metrics, "edges" for the campaign at
        the boundary of what may be passed, whose focus is one of ``edges.FOCUSES``, or "pipelines" for whole
        pipelines that are fitted again.
    focus : keyword arguments for ``random_problem`` (``random_case`` for witnesses), to find the violation within seconds, for example
        ``{"kinds": ("miss",), "depth": 1, "style": "bulk"}``.
    problems : how many random problems to try, after the hand-picked ones, before the mutant survives.
    seed : the seed of the first of them, near to one that shows the mistake; if not 0, none is hand-picked.
    """

    name: str
    file: str
    old: str
    new: str
    engine: str = "interval"
    focus: Mapping[str, Any] = field(default_factory=dict)
    problems: int = 500
    seed: int = 0


MISS = {"kinds": ("miss",)}
FLIP = {"kinds": ("flip",)}
FAKE = {"kinds": ("fake",)}
ENTROPY = {"criterion": "entropy"}
HUGE = {"kinds": ("miss",), "amount": 2**32}
HUGEST = {"kinds": ("miss",), "amount": 10**12}
LEAF = {"stops": ("leaf",)}
TWO = {"depth": 2}
UNLIMITED = {"unlimited": True}
HOLES = {"holes": 0.5}
CLOSE = {"close": True, "kinds": ("flip",)}
HOLES_FLIP = {"holes": 0.5, "kinds": ("flip",)}
WHOLE = {"weights": ("whole",), "cap": 60}
DECIMALS = {"weights": ("decimals",), "cap": 60}
BALANCED = {"weights": ("balanced",), "cap": 60}

MUTANTS: tuple[Mutant, ...] = (
    # The interval domain and what both engines share.
    # Values that the learner cannot tell apart.
    Mutant("people between middles of close values", "table/close_values.py", "found |= (last >= 0) & (last != i) & (largest[last] >= 2 * value - largest[i] - slack)", "pass", engine="relational", focus=CLOSE),
    Mutant("chains of close values are one value", "table/close_values.py", "(largest > least + FEATURE_STEP) | ", "", engine="relational", focus=CLOSE),
    Mutant("close values are left apart", "table/close_values.py", "rows[known, j] = least[place]", "pass", engine="relational", focus=CLOSE),
    Mutant("close values are one value beside added rows", "table/close_values.py", "if additions or learner_version() < OLDEST_THAT_JOINS:", "if learner_version() < OLDEST_THAT_JOINS:", engine="relational", focus={"close": True, "kinds": ("miss",)}),
    Mutant("people in doubt are proved", "refute/judge.py", "people = people & ~self.blurred", "pass", engine="tables", focus=CLOSE),
    Mutant("no outer splits", "prove/counts.py", "outer_low = outer and additions > 0", "outer_low = False", focus=MISS),
    Mutant("constant boolean columns have no outer split", "prove/counts.py", "constant = first == last and not pinned[j]", "constant = False", focus=MISS),
    Mutant("stop forgotten, intervals", "prove/domains/interval.py", "may_stop = least_upper == np.inf", "may_stop = False", focus=FAKE),
    Mutant("upper cost of splits that may be emptied", "prove/domains/interval.py", "cost_high += heavy * impurity_high if least >= leaf_rows else np.inf", "cost_high += heavy * impurity_high", focus=FAKE),
    Mutant("ties dropped, intervals", "prove/domains/interval.py", "survives[c] = lower <= limit and lower < np.inf", "survives[c] = lower < limit - 1e-6"),
    Mutant("leaf ties dropped", "prove/domains/interval.py", "high[c, side, i] >= largest - tied", "high[c, side, i] > largest + tied"),
    Mutant("flips forgotten in the lower end", "prove/domains/interval.py", "low = (own - away - removed) / (size - removed + others_added)", "low = (own - removed) / (size - removed + others_added)", focus=FLIP),
    Mutant("removals forgotten in the lower end", "prove/domains/interval.py", "if own - away - removed > 0:\n        low = (own - away - removed) /", "if own - away > 0:\n        low = (own - away) /", focus=FAKE),
    Mutant("additions forgotten in the upper end", "prove/domains/interval.py", "        own_added = additions\n", "        own_added = 0\n", focus=MISS),
    Mutant("additions forgotten in the lower end", "prove/domains/interval.py", "        others_added = additions\n", "        others_added = 0\n", focus=MISS, seed=114, problems=20),
    Mutant("added rows never flipped", "prove/domains/interval.py", "ways[kind, i] = BY_FLIP", "ways[kind, i] = NONE"),
    Mutant("greatest size without additions", "prove/domains/interval.py", "return size - min(removals, removable), size + additions", "return size - min(removals, removable), size", focus=MISS),
    Mutant("midpoints in spite of additions, intervals", "prove/engines.py", "goes both ways.\"\"\"\n        return False\n", "goes both ways.\"\"\"\n        return True\n", focus=MISS),
    Mutant("added rows not at the first value on the right", "prove/node.py", "lower = max(lower, float(values[cut.low]), -LARGEST)", "lower = max(lower, float(values[min(cut.high, len(values) - 1)]))", focus={"kinds": ("miss",), "targeted": True}, seed=250, problems=20),
    # The relational domain: the slips of its derivation.
    Mutant("chord at step 1", "prove/domains/relational.py", "return Reach(acts, budget.additions + flips + removals, up, down)", "return Reach(acts, min(1, budget.additions + flips + removals), up, down)", engine="bounds"),
    Mutant("chord at the largest budget", "prove/domains/relational.py", "return Reach(acts, budget.additions + flips + removals, up, down)", "return Reach(acts, max(budget.additions, flips, removals), up, down)", engine="bounds"),
    Mutant("tangent for additions", "learner/criterion/gini.py", "return (most + 2.0 * own - square / size) / (size + most)", "return 2.0 * own / size - square / size**2", engine="bounds", focus=MISS, seed=27),
    Mutant("tangent for flips", "learner/criterion/gini.py", "(2.0 * (target - source) + 2.0 * most) / size", "(2.0 * (target - source)) / size", engine="bounds", focus=FLIP),
    Mutant("removals free in small branches", "learner/criterion/gini.py", "    if size <= most or size - most < FEW_LEFT * size:\n        return 1.0", "    if size <= most or size - most < FEW_LEFT * size:\n        return 0.0", engine="bounds", focus=FAKE),
    Mutant("sign of the removal gradient", "prove/domains/atoms.py", "branches.remove[side, i] + prices.row[psi_side, i]", "branches.remove[side, i] - prices.row[psi_side, i]", engine="relational", focus=FAKE),
    Mutant("additions only where rows are", "prove/domains/atoms.py", "if budget.additions > 0 and cell_exists(splits, s, psi, side, psi_side):", "if budget.additions > 0 and cell_exists(splits, s, psi, side, psi_side) and (abs((left[s] if side == 0 else total - left[s]) - (cell if side == psi_side == 0 else left[s] - cell if side == 0 else left[psi] - cell if psi_side == 0 else total - left[s] - left[psi] + cell)).sum() < (left[s] if side == 0 else total - left[s]).sum()):", engine="relational", focus=MISS),
    Mutant("cells that cannot exist, mirrored", "prove/domains/relational.py", "    if splits.low[s] < splits.low[psi]:\n        return side == 1\n    return side == 0", "    if splits.low[s] < splits.low[psi]:\n        return side == 0\n    return side == 1", engine="relational", focus=MISS, seed=207, problems=20),
    Mutant("flip caps without additions", "prove/domains/atoms.py", "cap += added", "cap += 0", engine="relational"),
    Mutant("ties dropped", "prove/domains/settling.py", "base[LEAD], base[LEAF] = ahead - of_psi + tied, 0.0", "base[LEAD], base[LEAF] = ahead - of_psi - 1e4 * tied, 0.0", engine="relational"),
    Mutant("leaf flip worth 1", "prove/domains/leaf.py", "return lead + 2 * twice + once + removed, flips - twice - once", "return lead + twice + once + removed, flips - twice - once", engine="relational", focus=FLIP),
    Mutant("leaf forgets flips to a third label", "prove/domains/leaf.py", "                        gains_one += counts[t]\n                        break", "                        break", engine="bounds", focus={"kinds": ("flip",), "classes": 3}, seed=169, problems=20),
    Mutant("leaf tie rule reversed", "prove/domains/leaf.py", "needed = 0 if j < y else 1\n", "needed = 1\n", engine="relational"),
    # Where only labels change: lengths instead of scores.
    Mutant("lengths: one sign", "prove/domains/flips.py", "for way in range(WAYS if n_labels == 2 else 1):", "for way in range(1):", engine="relational", focus=FLIP),
    Mutant("lengths: three labels without the bend", "prove/domains/flips.py", "bent = 2.0 * step * apart + 2.0 * most * step * step", "bent = 2.0 * step * apart", engine="relational", focus={**FLIP, "classes": 3}),
    Mutant("lengths: ties dropped", "prove/domains/flips.py", "return slack + ROUNDING * np.sqrt(rows)", "return -1e-6", engine="relational", focus=FLIP),
    Mutant("lengths: the challenger gains what it loses", "prove/domains/flips.py", "price[side, i, j] = step * apart / length", "price[side, i, j] = -step * apart / length", engine="relational", focus=FLIP),
    Mutant("lengths: only flips that are dear everywhere", "prove/domains/flips.py", "dearest[i, j] = -min(price[0, i, j], price[1, i, j])", "dearest[i, j] = -max(price[0, i, j], price[1, i, j])", engine="relational", focus=FLIP),
    Mutant("lengths: under every criterion", "prove/candidates.py", "ground.criterion is None and len(ground.criteria) == 1", "len(ground.criteria) == 1", engine="relational", focus={**FLIP, **ENTROPY}),
    Mutant("lengths: beside removals", "prove/candidates.py", "budget.additions == 0 and budget.removals == 0", "budget.additions == 0", engine="relational", focus=FAKE),
    # What the splits above ask for.
    Mutant("claims: acts elsewhere forgotten", "prove/domains/atoms.py", "return put_elsewhere(atoms, n, claims)", "return n", engine="claims", focus={**FLIP, **TWO}),
    Mutant("claims: the budget of the node for all", "prove/domains/settling.py", "    budgets = claims.acts if n_claims > 0 else reach.acts", "    budgets = reach.acts", engine="claims", focus={**FLIP, **TWO, "targeted": True}),
    Mutant("claims: rows in the class of the other side", "prove/domains/carrying.py", "(2 * old + psi_side)", "(2 * old + 1 - psi_side)", engine="claims", focus={**FLIP, **TWO}),
    Mutant("claims: of the other sign", "prove/candidates.py", "entry = int(candidates.chosen[c]), int(candidates.way[c]), psi", "entry = int(candidates.chosen[c]), 0, psi", engine="claims", focus={**FLIP, **TWO}),
    Mutant("claims: flips elsewhere forgotten", "prove/domains/carrying.py", "sort[n], cap[n] = FLIP, counts[psi_side, t]", "sort[n], cap[n] = FLIP, 0.0", engine="claims", focus={**FLIP, **TWO}),
    Mutant("claims: removals elsewhere forgotten", "prove/domains/carrying.py", "sort[n], cap[n] = REMOVE, counts[psi_side, t]", "sort[n], cap[n] = REMOVE, 0.0", engine="claims", focus={"kinds": ("fake", "fake"), **TWO}, seed=2300, problems=60),
    Mutant("claims: additions elsewhere forgotten", "prove/domains/carrying.py", "            sort[n], cap[n] = ADD, acts[ADD]", "            sort[n], cap[n] = ADD, 0.0", engine="claims", focus={**MISS, **TWO}),
    Mutant("claims: added rows where the challenger gains most", "prove/domains/carrying.py", "add[m, i] = max(add[m, i], value)", "add[m, i] = value if psi_side == 0 else min(add[m, i], value)", engine="claims", focus={**MISS, **TWO}),
    Mutant("claims: nodes remembered without them", "prove/walk.py", "gains += as_bytes(node.claims)", "gains += b\"\"", engine="claims", focus={**FLIP, **TWO}, problems=3000),
    Mutant("claims: a tie of the split above is no lead", "prove/domains/carrying.py", "base[n_claims], joined[n_claims] = ahead - of_psi + tied, 1.0", "base[n_claims], joined[n_claims] = ahead - of_psi - 1e4 * tied, 1.0", engine="claims", focus={**FLIP, **TWO}),
    Mutant("gains: beside lengths, a leaf is worth half", "prove/gains.py", "put_leaf(atoms, n, (side, y, j, 1.0, 1.0))", "put_leaf(atoms, n, (side, y, j, 0.5, 0.5))", engine="screening", focus={**FLIP, **TWO}),
    Mutant("midpoints in spite of additions", "prove/engines.py", "return budget.additions == 0", "return True", engine="relational", focus=MISS),
    Mutant("stop forgotten", "prove/engines.py", "_may_be_unsplittable(ground) or _may_be_gainless(ground, score, challengers, unsplit)", "_may_be_gainless(ground, score, challengers, unsplit)", engine="relational", focus=FAKE),
    Mutant("joint test forgets that a flip takes away", "prove/domains/atoms.py", "            if nature[SOURCE, a] == y:\n                gain += weight_y", "            if nature[SOURCE, a] == y:\n                gain += 0.0", engine="relational", seed=12),
    Mutant("joint test asks for a win where a tie is enough", "prove/domains/settling.py", "base[LEAF] -= lead_needed(criterion, j, y, most_rows)", "base[LEAF] -= 1.0", engine="relational"),
    # Screening: what counts alone say of all leaves below a split.
    Mutant("screening forgets children that are leaves", "prove/screening.py", "if active[y] and (n_rows == 0 or _turns(own, total, y, types, budget, most)):", "if False:", engine="screening", focus=TWO),
    Mutant("screening forgets leaves of added rows only", "prove/screening.py", "if seen == 0 and budget.additions > 0:", "if False:", engine="screening", focus={**MISS, **TWO}),
    Mutant("screening knows thresholds in spite of additions", "prove/screening.py", "            if not exact:\n", "            if False:\n", engine="screening", focus={**MISS, **TWO}, seed=198),
    Mutant("screening breaks ties for the expected label", "prove/screening.py", "own[y] - own[j] + (1 if j > y else 0)", "own[y] - own[j] + 1", engine="screening", focus=TWO, seed=17),
    Mutant("screening looks at short boxes only", "prove/screening.py", "longest = max(longest, n_rows - own[y] + own[j] + most[y, j])", "longest = max(longest, most[y, j])", engine="screening", focus=TWO, seed=60),
    Mutant("screening forgets tails", "prove/screening.py", "for tail in (False, True):", "ends[1] = np.inf\n                for tail in (False,):", engine="screening", focus=TWO),
    Mutant("gain: a flip gains one", "prove/gains.py", "worth = acts[cheapest] * (2.0 if cheapest == FLIP else 1.0)", "worth = acts[cheapest] * 1.0", engine="screening", focus={**FLIP, **TWO}, seed=41),
    Mutant("gain: acts elsewhere do not help a split", "prove/gains.py", "            slack += acts[act] * best[act]\n", "            slack += 0.0\n", engine="screening", focus={**FLIP, **TWO}, seed=27),
    Mutant("gain: removals forgotten", "prove/gains.py", "inside[REMOVE] = values[side, REMOVE, y, y]", "inside[REMOVE] = -np.inf", engine="screening", focus={**FAKE, **TWO}, seed=27),
    Mutant("gain: additions forgotten", "prove/gains.py", "inside[ADD] = values[side, ADD, j, j]", "inside[ADD] = -np.inf", engine="screening", focus={**MISS, **TWO}, seed=14),
    Mutant("gain: flips from other labels forgotten", "prove/gains.py", "inside[FLIP] = max(away[y], towards[j])", "inside[FLIP] = away[y]", engine="screening", focus={**FLIP, **TWO, "classes": 3}, seed=312),
    Mutant("children that somebody may fall in are forgotten", "prove/walk.py", "spent += self._visit_waiting(waiting)", "self.awaited[waiting.people] -= 1", engine="screening", focus=TWO, seed=19),
    # Twins of people, in trees without a limit.
    Mutant("twins in trees with a limit", "prove/twins.py", " and settings.max_depth is None", "", engine="twins", seed=36),
    Mutant("twins that may all be removed", "prove/twins.py", "if len(twins) <= min(bias.removals, may_go):", "if False:", engine="twins", focus={**FAKE, **UNLIMITED}, seed=42),
    Mutant("twins without a budget for additions", "prove/twins.py", "budget = Budget(bias.additions,", "budget = Budget(0,", engine="twins", focus={**MISS, **UNLIMITED}),
    Mutant("twins in leaves of several rows", "prove/twins.py", "plain = floors.plain and", "plain =", engine="twins", focus={**LEAF, **UNLIMITED}),
    Mutant("twins in pruned trees", "prove/twins.py", " and floors.cut_off == NOWHERE", "", engine="twins", focus={"stops": ("alpha", "leaves"), **UNLIMITED}),
    Mutant("twins where little gain is refused", "prove/twins.py", " and floors.decrease == 0", "", engine="twins", focus={"stops": ("decrease",), **UNLIMITED}),
    Mutant("twins although rounding refuses splits", "prove/twins.py", " and most_rows < stop_rows(for_kernels(criterion))", "", engine="twins", focus={**ENTROPY, **UNLIMITED}),
    Mutant("twins in some features", "prove/twins.py", "np.ascontiguousarray(shown + np.float32(0.0))", "np.ascontiguousarray(shown[:, :-1] + np.float32(0.0))", engine="twins", focus=UNLIMITED),
    # Witnesses in the types of the user's table, and what added rows of such types may be.
    Mutant("numbers made in float64 for a float32 column", "refute/storage.py", "held = numbers.type(value)", "held = np.float64(value)", engine="witnesses", problems=10),
    Mutant("neighbours in float64 for a float32 column", "refute/storage.py", "return [kept for number in near if (kept := stored(number, dtype)) is not NOTHING]", "return [float(np.nextafter(float(value), way)) for way in (-np.inf, np.inf)]", engine="witnesses", problems=10),
    Mutant("added rows in types of their own", "refute/storage.py", "    made = np.empty(len(values), dtype)\n", "    made = np.empty(len(values), np.float64 if dtype.kind == 'f' else dtype)\n", engine="witnesses", problems=10),
    Mutant("membership judged in float64", "refute/membership.py", "            frame, np.zeros(len(frame), np.int64), table.labels", "            frame.astype({c: float for c in frame.columns if frame[c].dtype.kind == 'f'}), np.zeros(len(frame), np.int64), table.labels", engine="witnesses", problems=10),
    Mutant("constants of a boolean column beside 0 and 1", "refute/new_rows.py", "if value is not NOTHING and (value in (0, 1) or not boolean):", "if value is not NOTHING:", engine="witnesses", problems=10),
    Mutant("constants of a float16 column cut like float32", "bias/regions.py", "ends = (*_rounded(value), *_rounded(float(short.type(value))))", "ends = _rounded(value)", engine="witnesses", problems=10),
    # Ranges of metrics over the family of trees.
    Mutant("sides of the last splits mixed up", "questions/joint/forest.py", "return loose, sides, slices", "return loose, sides[:, ::-1], slices", engine="metrics", focus={"depth": 1, "cap": 60}),
    Mutant("sides of inner splits mixed up", "questions/joint/forest.py", "(kinds[:a], kinds[b:])", "(kinds[b:], kinds[:a])", engine="metrics", focus={"depth": 2, "cap": 60}),
    Mutant("stop forgotten, metrics", "questions/joint/openings.py", "if ranking.may_stop:", "if False:", engine="metrics", focus={"kinds": ("fake",), "cap": 60}, seed=16),
    Mutant("people in gaps counted on one side", "questions/joint/forest.py", "sides[of_column, 0] = below[first]\n            loose[of_column] = below[second] - below[first]", "sides[of_column, 0] = below[second]", engine="metrics", focus={"kinds": ("miss",), "cap": 60}),
    Mutant("one midpoint for all people in spite of removals", "questions/joint/openings.py", "if not exact or budget.removals == 0:", "if True:", engine="metrics", focus={"kinds": ("fake",), "cap": 60}, seed=34, problems=20),
    Mutant("a proved label for a person who is not proved", "questions/joint/ends.py", "np.flatnonzero(robust), np.flatnonzero(~robust)", "everybody[1:], everybody[:1]", engine="metrics", focus={"cap": 60}),
    Mutant("quotients bounded by the first tree", "questions/joint/bounds.py", "state.settled = state.quotient.under is None", "state.settled = True", engine="metrics", focus={"cap": 60}, seed=23),
    Mutant("meetings that are not opened count as nothing", "questions/joint/forest.py", "alone = meeting.counts @ weights.max(axis=1)\n            stop", "alone = 0 * (meeting.counts @ weights.max(axis=1))\n            stop", engine="metrics", focus={"depth": 2, "cap": 60}),
    # Settings that stop the learner.
    Mutant("rows of leaves in the least and most demanding table swapped", "learner/availability.py", "for n in (least_rows, most_rows))\n    node_low", "for n in (most_rows, least_rows))\n    node_low", engine="relational", focus=LEAF),
    Mutant("shares of the unchanged table", "prove/problem.py", "floors(self.settings, fewest, n_rows + self.bias.additions, self._most_weight)", "floors(self.settings, n_rows, n_rows)", engine="relational", focus=LEAF),
    Mutant("challengers that may be unavailable", "prove/node.py", "codes == SURELY if floors.leaf_high > 1 else self._inner(splits)", "self._inner(splits)", engine="relational", focus=LEAF),
    Mutant("challengers surely keep their rows", "learner/availability.py", "rows[side] - min(removals, may_go[side]) >= floors.leaf_high", "rows[side] >= floors.leaf_high", engine="relational", focus=LEAF),
    Mutant("upper cost of splits that may lack rows", "prove/domains/interval.py", "if least >= leaf_rows else np.inf", "if least >= 1 else np.inf", focus=LEAF),
    Mutant("splits that added rows make available", "learner/availability.py", "never = never or missing > additions[s, side]", "never = never or missing > 0", engine="relational", focus={**LEAF, "kinds": ("miss",)}),
    Mutant("an outer split needs a row more than a leaf", "learner/availability.py", "never = never or missing > additions[s, side]", "never = never or missing >= max(1, additions[s, side])", engine="relational", focus={**LEAF, "kinds": ("miss",)}),
    Mutant("too few additions near an outer split", "prove/node.py", "return max(0, self.problem.floors.leaf_low - (len(node.rows) - rows))", "return max(0, self.problem.floors.leaf_high - (len(node.rows) - rows)) * 2", engine="relational", focus={**LEAF, "kinds": ("miss",)}),
    Mutant("small nodes never stop", "prove/node.py", "may_stop = may_stop or may_be_small(floors, len(node.rows), may_go, removals)", "may_stop = bool(may_stop)", engine="relational", focus={"stops": ("split",)}),
    Mutant("min_samples_split forgotten where nodes stop", "learner/availability.py", "max(node_high, 2 * leaf_high)", "2 * leaf_high", engine="relational", focus={"stops": ("split",)}),
    Mutant("a gain of the unchanged table", "learner/availability.py", "(most_rows if most_weight is None else most_weight)", "least_rows", engine="relational", focus={"stops": ("decrease",), "kinds": ("miss",)}),
    Mutant("min_impurity_decrease forgotten", "prove/engines.py", "return bool(min(margins) + decrease >= 0)", "return bool(min(margins) >= 0)", engine="relational", focus={"stops": ("decrease",)}),
    Mutant("min_impurity_decrease forgotten, intervals", "prove/domains/interval.py", "limit = least_upper + floors.decrease + tied", "limit = least_upper + tied", focus={"stops": ("decrease",)}),
    Mutant("max_leaf_nodes forgotten", "prove/node.py", "(cut_off == BELOW_ROOT and below_root)", "(cut_off == BELOW_ROOT and below_root is None)", engine="relational", focus={"stops": ("leaves",), "depth": 2}),
    Mutant("the root is never pruned", "learner/availability.py", "        return ANYWHERE\n", "        return BELOW_ROOT\n", engine="relational", focus={"stops": ("alpha",)}, seed=9),
    Mutant("rivals that may be unavailable", "paths/conditions.py", "if problem.floors.leaf_high == 1:", "if problem.floors.leaf_high >= 1:", engine="programs", focus={**LEAF, "kinds": ("fake",), "depth": 1}, problems=40),
    Mutant("paths ask for the most demanding leaf", "paths/conditions.py", "floors.leaf_low - counts[part].sum()", "floors.leaf_high - counts[part].sum()", engine="programs", focus={**LEAF, "kinds": ("fake", "miss"), "depth": 1}, problems=40),
    Mutant("enumeration asks for one row more", "refute/every_tree.py", "if min(size, n - size) >= rules.floors.leaf_low:", "if min(size, n - size) > rules.floors.leaf_low:", engine="auto", focus=LEAF, problems=200),
    Mutant("enumeration forgets that gains may be too small", "refute/every_tree.py", "may_stop = reached == -inf or (refusing and reached <= enough + tied)", "may_stop = reached == -inf", engine="auto", focus={"stops": ("decrease",)}, problems=200),
    Mutant("check: challengers that may be unavailable", "checker/sizes.py", "return split.inner if self.leaf_most == 1 else self.certain(split, kinds, removals)", "return split.inner", engine="check", focus=LEAF),
    Mutant("check: small nodes never stop", "checker/sizes.py", "return n_rows - removals < self.node_most", "return False", engine="check", focus={"stops": ("split",)}),
    Mutant("check: additions forgotten where leaves need rows", "checker/sizes.py", "if missing[0] <= clipped[0] and missing[1] <= clipped[1]:", "if sum(missing) == 0:", engine="check", focus={**LEAF, "kinds": ("miss",)}),
    # Proof files that claim everybody: the verification alone decides.
    Mutant("file: no outer splits", "checker/proofs/nodes.py", "if m > 0 and above and (not zero_one or any(value > ordered[-1] for value in missing)):", "if False:", engine="files", focus=MISS),
    Mutant("file: stop forgotten", "checker/proofs/walk.py", "elif may_stay_unsplit(problem.records, node.members, removals):", "elif False:", engine="files", focus=FAKE),
    Mutant("file: ties dropped", "checker/compare.py", "self.start = criterion.tolerance(ground.most_rows) -", "self.start = -10**4 * criterion.tolerance(ground.most_rows) -", engine="files"),
    Mutant("file: flips in the cell of additions forgotten", "checker/compare.py", "flippable[i, j] = flippable.get((i, j), 0) + added", "flippable[i, j] = flippable.get((i, j), 0)", engine="files", focus={"kinds": ("miss", "flip")}),
    Mutant("file: harmless leaves by half the budget", "checker/proofs/walk.py", "2 * self.allowed.flips + self.allowed.removals + added", "self.allowed.flips // 2", engine="files"),
    Mutant("file: a side of a path keeps one row more", "checker/proofs/conditions.py", "self.constant -= times * self.row * self.check.problem.sizes.leaf_least", "self.constant -= times * self.row * (1 + self.check.problem.sizes.leaf_least)", engine="path files", focus={**LEAF, **FAKE, "depth": 1}, problems=40),
    Mutant("file: counts within an end that is one off", "checker/proofs/conditions.py", "self.constant -= sign * times * limit", "self.constant -= sign * times * (limit + sign)", engine="path files", focus={**FAKE, "depth": 1}, problems=40),
    Mutant("file: a number lost where a part is cut", "checker/proofs/paths.py", "middle + 1 if i == row", "middle + 2 if i == row", engine="path files", focus={**FAKE, "depth": 1}, problems=40),
    Mutant("file: the first of several best splits of a table", "checker/proofs/small_sets.py", "        for cut in cuts:\n            if", "        for cut in sorted(cuts, key=lambda cut: -cut.low)[:1]:\n            if", engine="table files", seed=76),
    Mutant("file: thresholds at values of a table", "checker/proofs/small_sets.py", "yield _Cut(j, low / 2.0 + high / 2.0,", "yield _Cut(j, low,", engine="table files"),
    Mutant("file: tables without removals", "checker/proofs/small_sets.py", "        if removable:", "        if False:", engine="table files", focus=FAKE),
    Mutant("file: one of several equal rows changes", "checker/proofs/small_sets.py", "_changed(table, changes, left, place, budget)", "_changed(table, changes, left, place + 1, budget)", engine="table files", seed=39),
    Mutant("file: a label to flip to forgotten", "checker/proofs/small_sets.py", "for to in sorted(flips_to - {label}))", "for to in sorted(flips_to - {label})[:1])", engine="table files", focus=FLIP, seed=232),
    Mutant("file: the last of equal labels in a table", "checker/proofs/small_sets.py", "return {list(weights).index(most)}", "return {max(i for i, weight in enumerate(weights) if weight == most)}", engine="table files"),
    Mutant("file: tables without a gain are split", "checker/proofs/small_sets.py", "if not cuts or self._may_stop(total, depth, best - tied):", "if not cuts:", engine="table files", focus=ENTROPY),
    Mutant("check: light rows that are flipped in an empty branch", "checker/criteria.py", "[[new - old for new in all_of_it] for old in all_of_it]", "[[0 for new in all_of_it] for old in all_of_it]", engine="check bounds", focus={**WHOLE, "kinds": ("miss", "flip"), "targeted": True}, seed=118),
    Mutant("file: leaves without weights", "checker/ground.py", "other_labels(kinds, counts, allowed, expected, criterion.at, slack)", "other_labels(kinds, counts, allowed, expected)", engine="files", focus={**FLIP, **WHOLE}),
    Mutant("file: inexact ties go to the first label", "checker/ground.py", "slack = None if criterion.weights.exact else tied", "slack = None", engine="files", focus=DECIMALS),
    Mutant("check: joint test without inexact ties", "checker/criteria.py", "if self.weights.exact else -self.tolerance(rows)", "if self.weights.exact else UNIT", engine="check bounds", focus=DECIMALS, seed=35),
    Mutant("check: entropy without the weight that a flip moves", "checker/criteria.py", "return lighter * turn[1 if lighter > 0 else 0]", "return 0", engine="check bounds", focus={**ENTROPY, **WHOLE}, seed=133),
    Mutant("check: balanced weights of T", "checker/ground.py", "corners_of_balanced(counts, least, most)", "corners_of_balanced(counts, counts, counts)", engine="check bounds", focus=BALANCED, seed=181),
    Mutant("file: missing rows forgotten where people go", "checker/holes.py", " or any(records.values[r][j] == LACKING for r in members)", "", engine="files", focus=HOLES_FLIP, seed=5200),
    Mutant("file: people without a value go right", "checker/holes.py", "(split.column != j and most <= 0)", "split.column != j", engine="files", focus=HOLES),
    Mutant("check: added rows have all values", "checker/holes.py", "(additions > 0 and j in self.of_rows) or ", "", engine="check", focus={**HOLES, **MISS}),
    Mutant("check: removed rows cannot move people without a value", "checker/holes.py", "least > 0)", "least + removals > 0)", engine="check", focus={**HOLES, **FAKE}),
    Mutant("file: tables with the weights of T", "checker/proofs/small_sets.py", "self.criterion = problem.criterion_on(total)", "self.criterion = problem.criterion_on(problem.label_counts)", engine="table files", focus=BALANCED, seed=160),
    Mutant("file: rounding decides nothing in tables", "checker/proofs/small_sets.py", "return {i for i in level if total[i]}", "return {min(i for i in level if total[i])}", engine="table files", focus=DECIMALS),
    Mutant("file: tables with the leaves of T", "checker/proofs/small_sets.py", "self.sizes = Sizes.of(problem.tree, sum(total), sum(total))", "self.sizes = problem.sizes", engine="table files", focus={**LEAF, **FAKE}),
    Mutant("file: max_leaf_nodes forgotten in tables", "checker/proofs/small_sets.py", 'problem.cut_off == "below the root" and depth < problem.depth', "False", engine="table files", focus={"stops": ("leaves",)}),
    Mutant("file: min_impurity_decrease forgotten in tables", "checker/proofs/small_sets.py", "self.refused = up(*decrease.as_integer_ratio())", "self.refused = 0", engine="table files", focus={"stops": ("decrease",)}, seed=139),
    Mutant("file: people without a value go right in tables", "checker/proofs/small_sets.py", "if j in second and -LACKING not in at and sum(left) <= sum(right):", "if j in second and -LACKING not in at:", engine="table files", focus=HOLES, seed=104),
    Mutant("file: what is missing goes right in tables", "checker/proofs/small_sets.py", "if j in second and -LACKING not in at and sum(left) <= sum(right):", "if j in second and (-LACKING in at or sum(left) <= sum(right)):", engine="table files", focus=HOLES, seed=95),
    Mutant("file: changes without removals", "checker/proofs/equal_rows.py", "if facts.removals and removable:", "if False:", engine="change files", focus=FAKE),
    Mutant("file: one of several equal rows is in a change", "checker/proofs/equal_rows.py", "acts, place, left, budgets)", "acts, place + 1, left, budgets)", engine="change files"),
    Mutant("file: a label to flip to forgotten in changes", "checker/proofs/equal_rows.py", "for to in new])", "for to in new[:1]])", engine="change files", focus=FLIP),
    Mutant("file: changes of as many rows as flips alone", "checker/proofs/equal_rows.py", "            budgets[kind] -= 1\n", "            budgets[0] -= 1\n            budgets[1] -= kind\n", engine="change files", focus={"kinds": ("flip", "fake")}),
    Mutant("file: the first of several best splits after a change", "checker/proofs/shared_nodes.py", "if high >= best - tied_by], best", "if high >= best - tied_by][:1], best", engine="change files"),
    Mutant("file: splits that are near on T only", "checker/proofs/shared_nodes.py", "reach = 2 * changes * self.table.step(node.size) + ", "reach = ", engine="change files", focus=FLIP),
    Mutant("file: one change moves scores by a tenth", "checker/proofs/shared_nodes.py", "return 2 * UNIT if isinstance", "return UNIT // 5 if isinstance", engine="change files", focus=FLIP),
    Mutant("file: changes that give another label", "checker/proofs/verify.py", "        number, wrong = self.trying.open_cases(node)\n        if wrong:", "        number, wrong = self.trying.open_cases(node)\n        if False:", engine="change files"),
    Mutant("file: people without a value go right after changes", "checker/proofs/shared_nodes.py", "return more_left == (column not in second)", "return column in second", engine="change files", focus=HOLES),
    Mutant("file: what is missing goes right after changes", "checker/proofs/shared_nodes.py", "if any(abs(levels[code]) == LACKING and", "if column in second and any(abs(levels[code]) == LACKING and", engine="change files", focus=HOLES),
    Mutant("file: the last of equal labels after a change", "checker/proofs/changes.py", "total.index(max(total))", "max(i for i, n in enumerate(total) if n == max(total))", engine="change files"),
    Mutant("file: changed nodes without a gain are split", "checker/proofs/changes.py", "if not ties or self._may_stop(total, least):", "if not ties:", engine="change files", focus=ENTROPY),
    Mutant("file: changes forgotten further down", "checker/proofs/changes.py", "if act.group in child.inside)", "if False)", engine="change files", focus={"depth": 3}),
    Mutant("file: changes tried with class weights", "checker/proofs/changes.py", " or problem.criteria[0].is_weighted", "", engine="change files", focus=WHOLE),
    Mutant("file: changes tried where leaves need rows", "checker/proofs/changes.py", "sizes.leaf_most == 1 and sizes.node_most == 2 and ", "", engine="change files", focus=LEAF),
    Mutant("file: changes tried where a split must gain", "checker/proofs/changes.py", " and problem.decrease == 0", "", engine="change files", focus={"stops": ("decrease",)}),
    Mutant("file: changes tried in pruned trees", "checker/proofs/changes.py", 'problem.cut_off != "nowhere" or ', "", engine="change files", focus={"stops": ("alpha", "leaves")}),
    Mutant("file: changes tried though rows are missing", "checker/proofs/changes.py", "if problem.facts.additions:", "if False:", engine="change files", focus=MISS),
    Mutant("file: a path's label wins without weights", "checker/proofs/conditions.py", "times * UNIT * self.criterion.at[i] for i in (label, other)", "times * UNIT for i in (label, other)", engine="path files", focus={**WHOLE, **FAKE, "depth": 1}, problems=40),
    Mutant("file: twins in trees with a limit", "checker/proofs/twins.py", "problem.tree.depth is not None or ", "", engine="twin files", seed=36),
    Mutant("file: twins that may all be removed", "checker/proofs/twins.py", "sum(counts) <= allowed.removals or ", "", engine="twin files", focus={**FAKE, **UNLIMITED}),
    Mutant("file: twins in pruned trees", "checker/proofs/twins.py", ' or problem.cut_off != "nowhere"', "", engine="twin files", focus={"stops": ("alpha", "leaves"), **UNLIMITED}),
    Mutant("file: twins in leaves of several rows", "checker/proofs/twins.py", "plain = sizes.leaf_most == 1 and sizes.node_most == 2 and", "plain =", engine="twin files", focus={**LEAF, **UNLIMITED}),
    Mutant("file: twins although rounding refuses splits", "checker/proofs/twins.py", ">= criterion.stop_rows", ">= 10**6", engine="twin files", focus={**ENTROPY, **UNLIMITED}),
    Mutant("check: chords of entropy over one step", "checker/criteria.py", "step = min(c, max(1, reach.down[i]))", "step = 1", engine="check bounds", focus={**WHOLE, **ENTROPY}, seed=28, problems=60),
    Mutant("check: one corner of balanced weights", "checker/ground.py", "in corners_of_balanced(counts, least, most))", "in corners_of_balanced(counts, least, most)[:1])", engine="check bounds", focus=BALANCED),
    # Every table of a small bias set, followed on coded columns, and what is left of a person's paths.
    Mutant("ties of a changed table dropped", "refute/change_kinds.py", "if rivals.after[s] < top - tied_by:", "if rivals.after[s] < top - tied_by or n_ties > kinds.begin[q]:", engine="tables", focus=FLIP, seed=303),
    Mutant("rivals keep the labels of the table as it is", "refute/node_scores.py", "if r >= 0 and kinds.inside[r] == kinds.marks[0] and spot.code[j, r] <= low:", "if False:", engine="tables", focus={**FLIP, **ENTROPY}),
    Mutant("rivals keep the labels of the table as it is, by squares", "refute/node_scores.py", "if r < 0 or kinds.inside[r] != kinds.marks[0]:", "if True:", engine="tables", focus=FLIP),
    Mutant("rivals: a flip on the right is one on the left", "refute/node_scores.py", "        if not on_left:\n", "        if False:\n", engine="tables", focus=FLIP),
    Mutant("rivals: two flips on a side count by themselves", "refute/node_scores.py", "rise += 2 * (int(new == to)", "rise += 0 * (int(new == to)", engine="tables", focus=FLIP, seed=3180),
    Mutant("the first rival is left out", "refute/node_scores.py", "if turn == first:", "if turn < 0 or turn == first:", engine="tables", focus=FLIP),
    Mutant("no other rival can catch up", "refute/node_scores.py", "if rivals.before[s] + reach < best - slack:", "if rivals.before[s] < best - slack:", engine="tables", focus=FLIP),
    Mutant("only splits that tie as it is are rivals", "refute/change_kinds.py", "least = best - 2 * most * step - 2 * tied_by", "least = best - 2 * tied_by", engine="tables", focus=FLIP),
    Mutant("no other split of a node can catch up", "refute/deviating.py", "if before[s] + n_changed * step < best - slack:", "if before[s] < best - slack:", engine="tables", focus=FAKE),
    Mutant("changes of two rows are like those of one", "refute/change_kinds.py", "elif changed == 1 and kinds", "elif changed >= 1 and kinds", engine="tables", focus=FLIP),
    Mutant("changes of one row are like those of none", "refute/change_kinds.py", "if changed == 0:", "if changed <= 1:", engine="tables", focus=FLIP),
    Mutant("the only kind of change is not made", "refute/change_kinds.py", "        _relabel(spot, label, changes[kinds.change[0]], kinds, False)\n", "", engine="tables", focus=FLIP),
    Mutant("leaves keep their labels after changes", "refute/change_kinds.py", "        _count_changed(spot, changes[kinds.change[q]], kinds)\n        kinds.says", "        kinds.changed[:] = kinds.counts\n        kinds.says", engine="tables", focus=FLIP),
    Mutant("splits that cut alike send people alike", "refute/change_kinds.py", "            n_ties += 1\n", "            n_ties += kinds.cut_mark[at] != kinds.marks[CUT]\n", engine="tables", focus=FLIP, seed=221),
    Mutant("a known node is known by its rows alone", "refute/known_nodes.py", "rise = change[k, 1] - spot.label[r]", "rise = 0", engine="known nodes", focus=FLIP),
    Mutant("a known node is known by the number of its rows", "refute/known_nodes.py", "return np.hstack([label_0, step])", "return np.hstack([0 * label_0, 0 * step])", engine="known nodes", focus=FLIP),
    Mutant("a known node never stops", "refute/known_nodes.py", "= known.stops[at], 0,", "= False, 0,", engine="known nodes", focus=FLIP),
    Mutant("known nodes send people without a value to the left", "refute/known_nodes.py", "= known.threshold[k], known.without[k]", "= known.threshold[k], 0", engine="known nodes", focus=HOLES_FLIP),
    Mutant("only the first of the splits that tie is known", "refute/known_nodes.py", "known.end[at] = known.used[SPLITS]", "known.end[at] = min(known.begin[at] + 1, known.used[SPLITS])", engine="known nodes", focus=FLIP),
    Mutant("what the second half of the changes does is not read", "refute/node_changes.py", "np.hstack([fates for fates, _ in halves])", "np.hstack([fates * (k == 0) for k, (fates, _) in enumerate(halves)])", engine="tables", focus=FLIP),
    Mutant("only half of the changes may give another split", "refute/node_changes.py", "np.concatenate([found for found, _ in halves])", "np.concatenate([found - len(task.usual) * 9 * k - 9 * k for k, (found, _) in enumerate(halves)])", engine="tables", focus=FLIP),
    Mutant("whom a change turns is proved", "refute/every_table.py", "(fates != SAME).any(axis=1)\n                step", "(fates == MAY_DIFFER).any(axis=1)\n                step", engine="tables", focus=FLIP),
    Mutant("whom a tie may turn is proved", "refute/every_table.py", "(fates != SAME).any(axis=1)\n                step", "(fates == DIFFERS).any(axis=1)\n                step", engine="tables", focus=FLIP),
    Mutant("a node takes its usual splits whatever is changed", "refute/deviating.py", "if not usual[s] and scores[s] >= highest:", "if not usual[s] and scores[s] > best + tied_by:", engine="tables", focus=FAKE),
    Mutant("a change never makes a node stop", "refute/deviating.py", "found[c] = len(feature)", "found[c] = -1", engine="tables", focus=FAKE),
    Mutant("a node takes its usual splits whatever is flipped", "refute/deviating_flips.py", "if other >= best - tied_by and which >= 0:", "if other > best + tied_by and which >= 0:", engine="tables", focus=FLIP),
    Mutant("two flips on a side count by themselves", "refute/deviating_flips.py", "if both != 0:", "if False:", engine="tables", focus=FLIP, seed=3180),
    Mutant("flips on the right count for nothing", "refute/deviating_flips.py", "right[s] += (1 - on_left[s])", "right[s] += 0 * (1 - on_left[s])", engine="tables", focus=FLIP),
    Mutant("the sides of the first flip are those of all", "refute/deviating_flips.py", "if known[k] != r:", "if known[k] < 0:", engine="tables", focus=FLIP),
    Mutant("a node takes only splits that tie as it is", "refute/usual_nodes.py", "score.max() - self._reach(ground) - slack", "score.max() - slack", engine="tables", focus=FLIP),
    Mutant("removals leave every node a split", "refute/usual_nodes.py", "return not (is_left and gains)", "return not gains", engine="tables", focus=FAKE),
    Mutant("counted columns keep the labels of the node before", "refute/node_scores.py", "            tally[c, i] = 0\n", "            pass\n", engine="tables", focus={**FLIP, **ENTROPY}),
    Mutant("the last value of a counted column is not scored", "refute/node_scores.py", "for c in range(last + 1, begin + most + 1):", "for c in range(last + 1, begin + most):", engine="tables", focus=FLIP),
    Mutant("the best of a column is the best of all", "refute/node_scores.py", "        if begin == spot.begins[j + 1] or rivals.top[j] < least:", "        if begin == spot.begins[j + 1] or rivals.top[j] < rivals.top.max():", engine="tables", focus=FLIP),
    Mutant("a leaf far from a tie, though flips count twice", "refute/usual_nodes.py", "far = ordered[-1] - ordered[-2] > 2 * self.most_changes", "far = ordered[-1] - ordered[-2] > self.most_changes", engine="tables", focus=FLIP),
    Mutant("one of several equal rows changes", "refute/few_changes.py", "place_among_equals(self.equal[rows], self.n_equal) < self.most", "place_among_equals(self.equal[rows], self.n_equal) < 1", engine="tables", focus=FLIP, seed=28),
    Mutant("pure nodes stay pure", "refute/usual_nodes.py", "return None if far and as_expected and not pure else Task(node, people, total)", "return None if far and as_expected else Task(node, people, total)", engine="tables", focus=FLIP, seed=19),
    Mutant("a label to flip to forgotten", "refute/tables.py", "for target in range(self.problem.bias.n_labels):", "for target in range(self.problem.bias.n_labels - 1):", engine="auto", focus=FLIP, problems=200, seed=17),
    Mutant("a label to flip to forgotten, in a node", "refute/few_changes.py", "flips_to = bias.flips_to & (bias.flips > 0)", "flips_to = bias.flips_to & (np.arange(bias.n_labels) > 0)", engine="tables", focus=FLIP),
    Mutant("a class of equal rows forgotten", "refute/tables.py", "for rows in groups.values():", "for rows in list(groups.values())[1:]:", engine="auto", problems=200),
    Mutant("paths: a leaf that needs all gains left out", "prove/gains.py", "short = (lacking > most)", "short = (lacking >= most)", engine="programs", focus=FLIP),
    Mutant("paths: only children where all may fall", "paths/listing.py", "np.flatnonzero(failing.any(axis=1))", "np.flatnonzero(failing.all(axis=1))", engine="programs", focus={**FLIP, **TWO}),
    Mutant("paths: the last open person forgotten", "paths/listing.py", "rest[self._harmful(cuts, fan.possible[rest], waiting)]", "rest[self._harmful(cuts, fan.possible[rest], waiting[:-1])]", engine="programs", focus=FLIP, seed=94),
    Mutant("proved before the last child", "paths/listing.py", "        self._go_on(fan)\n        return spent", "        return spent", engine="programs", focus=FLIP),
    Mutant("open paths count as settled", "paths/deciding.py", "if status == IMPOSSIBLE:", "if status != TAKEN:", engine="programs", focus=FLIP),
    # Missing values: every rule of the learner's left out once.
    Mutant("missing rows never on the left", "prove/views.py", "keep &= ~(second & (splits.low == 0))", "keep &= ~second", engine="relational", focus=HOLES_FLIP),
    Mutant("missing rows never on the right", "prove/views.py", "keep &= ~(second & (splits.low == 0))", "keep &= ~(first & (splits.high < last_code)) & ~(second & (splits.low == 0))", engine="relational", focus=HOLES_FLIP),
    Mutant("values never against what is missing", "prove/views.py", "keep &= ~(second & (splits.low == 0))", "keep &= ~(first & (splits.high == last_code)) & ~(second & (splits.low == 0))", engine="relational", focus=HOLES_FLIP),
    Mutant("people without a value beside all values", "prove/routing.py", "middle = np.minimum(right / 2 + left / 2, LARGEST)", "middle = right / 2 + left / 2", engine="relational", focus=HOLES_FLIP),
    Mutant("people without a value go right", "prove/views.py", "~(second & (most <= 0))", "~second", engine="relational", focus=HOLES_FLIP),
    Mutant("people without a value go left where sides are equal", "prove/views.py", "keep &= ~(first & (least > 0))", "keep &= ~(first & (least >= 0))", engine="relational", focus=HOLES_FLIP),
    Mutant("removals never make the right side smaller", "prove/views.py", "np.minimum(budget.removals, others)", "0", engine="relational", focus=HOLES),
    Mutant("removals never make the left side smaller", "prove/views.py", "np.minimum(budget.removals, may_go)", "0", engine="relational", focus=HOLES),
    Mutant("additions never make the left side larger", "prove/views.py", "n_rows + budget.additions + np", "n_rows + np", engine="relational", focus=HOLES),
    Mutant("additions never make the right side larger", "prove/views.py", "n_rows - budget.additions - np", "n_rows - np", engine="relational", focus=HOLES),
    Mutant("added rows always have a value", "prove/views.py", "elif budget.additions == 0 or not views.holes[j]:", "else:", engine="relational", focus=HOLES),
    Mutant("no place for added rows without a value", "prove/views.py", "missing = self.holes[j] and high == np.inf and other_low == -np.inf", "missing = False", engine="relational", focus={**HOLES, "kinds": ("miss",), "targeted": True}, seed=40),
    Mutant("what is missing satisfies no condition", "bias/regions.py", "            return missing, where != frozenset([MISSING])\n", "            return False, True\n", engine="relational", focus=HOLES),
    Mutant("people without a value go left where sides are equal, tables", "refute/cuts.py", "rivals.without[s] = 0 if 2 * k > size else 1", "rivals.without[s] = 0 if 2 * k >= size else 1", engine="tables", focus=HOLES_FLIP),
    Mutant("people without a value on the smaller side, tiny tables", "refute/every_tree.py", "return more_left == (feature >= self.n_features)", "return more_left != (feature >= self.n_features)", engine="auto", focus=HOLES),
    Mutant("what is missing has no place among added rows", "refute/places.py", "if holes[0] is not None and holes[1] is not None:", "if False:", engine="auto", focus={**HOLES, "kinds": ("miss",)}),
    # Huge amounts, and what they share with small ones.
    Mutant("additions overflow in 32 bits", "prove/counts.py", "        sides[s, 0] = additions\n        sides[s, 1] = additions\n", "        sides[s, 0] = np.int64(additions).astype(np.int32)\n        sides[s, 1] = np.int64(additions).astype(np.int32)\n", engine="relational", focus=HUGE, seed=11),
    Mutant("additions overflow in 32 bits, intervals", "prove/counts.py", "        sides[s, 0] = additions\n        sides[s, 1] = additions\n", "        sides[s, 0] = np.int64(additions).astype(np.int32)\n        sides[s, 1] = np.int64(additions).astype(np.int32)\n", focus=HUGE, seed=416, problems=20),
    Mutant("additions forgotten in the tolerance", "prove/domains/leads.py", "rows = float(rows_in(splits.total) + reach.acts[ADD])", "rows = float(rows_in(splits.total))", engine="bounds", focus=HUGEST, seed=290),
    Mutant("additions forgotten in the tolerance, loose bound", "prove/domains/relational.py", "tolerance(criterion, rows_in(total) + budget.additions)", "tolerance(criterion, rows_in(total))", engine="bounds", focus=HUGEST, seed=290),
    # At the edges: odd types, encoders, and what a table can hold. First mistakes that were made there once.
    Mutant("huge amounts in 32 bits", "prove/counts.py", "        sides[s, 0] = additions\n        sides[s, 1] = additions\n", "        sides[s, 0] = np.int64(additions).astype(np.int32)\n        sides[s, 1] = np.int64(additions).astype(np.int32)\n", engine="edges", focus=FOCUSES["huge amounts"]),
    Mutant("a column is boolean by its float32 image", "table/values.py", "    values, missing = plain_numbers(column)\n    if values.dtype.kind == \"b\":\n        return \"boolean\"\n    head", "    values, missing = plain_numbers(column)\n    values = values.astype(np.float32) if values.dtype.kind == \"f\" else values\n    head", engine="edges", focus=FOCUSES["almost boolean"]),
    Mutant("every number is cast through float64", "table/casting.py", "check_array(given, dtype=np.float32,", "check_array(check_array(given, dtype=np.float64, ensure_all_finite=False), dtype=np.float32,", engine="edges", focus=FOCUSES["large integers"]),
    Mutant("a Pipeline is fitted to other types", "table/frames.py", "return Source(frame, index, frozenset(categorical), role, given)", "return Source(frame, index, frozenset(categorical), role, frame)", engine="edges", focus=FOCUSES["selectors"], seed=6),
    Mutant("an unseen category is never unequal", "bias/regions.py", "        return True, equal\n", "        return any(other not in (leaf.value, None) for other in inside), equal\n", engine="edges", focus=FOCUSES["unseen categories"], seed=31),
    Mutant("a removed row stays in the changed table", "refute/change.py", "keep[list(self.removed)] = False", "keep[list(self.removed[1:])] = False", engine="edges", focus=FOCUSES["removed rows"], seed=1),
    # Steps before the tree.
    Mutant("a step that looks at labels is accepted", "learner/steps.py", "    return is_from_sklearn(step) and type(step).__name__ in LABEL_BLIND\n", "    return True\n", engine="pipelines", focus={"steps": ["by label"]}, seed=4),
    Mutant("a scaled column is taken as it is", "table/described.py", "    return _unread(step, names)\n\n\ndef _unread", "    return [_passed_column(name, source, start + j) for j, name in enumerate(names)]\n\n\ndef _unread", engine="edges", focus=SCALED, seed=22),
    # Entropy: every row of its derivation left out once.
    Mutant("entropy rises by flips or additions only", "prove/domains/relational.py", "up[i] = towards + (budget.additions if budget.addable[i] else 0)", "up[i] = max(towards, float(budget.additions if budget.addable[i] else 0))", engine="bounds", focus={"kinds": ("miss", "flip"), **ENTROPY}, seed=295),
    Mutant("entropy falls by flips or removals only", "prove/domains/relational.py", "down[i] = min(float(flips), down[i]) + min(float(removals), gone[i])", "down[i] = max(min(float(flips), down[i]), min(float(removals), gone[i]))", engine="bounds", focus={"kinds": ("flip", "fake"), **ENTROPY}, seed=7),
    Mutant("entropy chord at step 1", "learner/criterion/entropy.py", "step = max(1.0, reach.up[i])", "step = 1.0", engine="bounds", focus=ENTROPY, seed=116),
    Mutant("entropy chord down at step 1", "learner/criterion/entropy.py", "step = min(own[side, i], max(1.0, reach.down[i]))", "step = 1.0", engine="bounds", focus=ENTROPY, seed=66),
    Mutant("entropy challenger at its own score", "prove/domains/relational.py", "    return gradient, on_table\n", "    return gradient, front.score(criterion, branches)\n", engine="bounds", focus=ENTROPY),
    Mutant("entropy tangent without the labels that are not there", "learner/criterion/entropy.py", "np.log2(gradient[side, i] / whole) if gradient[side, i] > 0 else NEVER", "np.log2(gradient[side, i] / whole) if own[side, i] > 0 else 0.0", engine="bounds", focus=ENTROPY),
    Mutant("entropy without the tangent of the size", "learner/criterion/entropy.py", "turn = np.log2(size) + LOG2_E if size > 0 else 0.0", "turn = np.log2(size) if size > 0 else 0.0", engine="bounds", focus={**FAKE, **ENTROPY}),
    Mutant("entropy falls where a branch was empty", "learner/criterion/entropy.py", "branches.add[side, i] = up - turn if size > 0 else 0.0", "branches.add[side, i] = up - turn if size > 0 else -LOG2_E", engine="bounds", focus={**MISS, **ENTROPY}),
    Mutant("entropy no more than at the least", "learner/criterion/entropy.py", "return impurity_low, min(impurity_high, np.log2(float(n_labels)))", "return impurity_low, impurity_low", focus=ENTROPY),
    Mutant("entropy least at the upper share", "learner/criterion/entropy.py", "impurity_low += min(low, high)", "impurity_low += high", focus=ENTROPY),
    Mutant("entropy never stops for want of gain", "learner/criterion/entropy.py", "return STOP_ROWS_OF_TWO if n_labels == 2 else 0", "return STOP_ROWS_OF_TWO", engine="relational", focus=ENTROPY),
    Mutant("entropy remainder without corners", "learner/criterion/entropy.py", "    return max(0.0, excess)\n", "    return 0.0\n", engine="programs", focus={**ENTROPY, "depth": 1}, problems=60),
    Mutant("roots: ties dropped", "learner/criterion/roots.py", "sign, slopes, 1.0, 2 * roots.tied", "sign, slopes, 1.0, -1e6 * roots.tied", engine="programs", focus={**FLIP, **ENTROPY, "depth": 1}, problems=60),
    Mutant("roots: a plane through the table itself", "learner/criterion/roots.py", "furthest(roots, np.array([low, high]), sign", "furthest(roots, np.array([roots.own, roots.own]), 0 * sign", engine="programs", focus={**FLIP, **ENTROPY, "depth": 1}, seed=1, problems=40),
    Mutant("roots: a rival's plane touches the table only", "learner/criterion/roots.py", "box = np.array([roots.first, roots.last])", "box = np.array([roots.own, roots.own])", engine="programs", focus={**FLIP, **ENTROPY, "depth": 1}, seed=1, problems=40),
    Mutant("roots: pairs that flips reach left out", "learner/criterion/roots.py", "room = roots.flips - abs(a - roots.own[0])", "room = -abs(a - roots.own[0])", engine="programs", focus={**FLIP, **ENTROPY, "depth": 1}, seed=1, problems=40),
    Mutant("roots: one sign only", "paths/root_search.py", "for sign in (1, -1) if", "for sign in (1,) if", engine="programs", focus={**FLIP, **ENTROPY}, problems=60),
    Mutant("entropy changes by little", "learner/criterion/weighted.py", "return most * (log2(rows * most / least) + entropy.LOG2_E)", "return 0.25 * most", engine="tables", focus={**FLIP, **ENTROPY, **WHOLE}, seed=38, problems=20),
    # Class weights: dictionaries, and those that move with the table.
    Mutant("weighted flips are free where a branch was empty", "learner/criterion/weighted.py", "branches.flip[side, i, j] = rise", "branches.flip[side, i, j] = 0.0", engine="bounds", focus={"kinds": ("miss", "flip"), **WHOLE}),
    Mutant("weighted chord at the largest budget", "prove/domains/relational.py", "return Reach(acts, budget.additions + flips + removals, up, down)", "return Reach(acts, max(budget.additions, flips, removals), up, down)", engine="bounds", focus=WHOLE, seed=118, problems=20),
    Mutant("weighted entropy without the tangent of the weight", "learner/criterion/weighted.py", "turn = np.log2(whole) + entropy.LOG2_E if whole > 0 else 0.0", "turn = np.log2(whole) if whole > 0 else 0.0", engine="bounds", focus={**FAKE, **WHOLE, **ENTROPY}, seed=0),
    Mutant("tolerance by rows and not by weight", "learner/criterion/weighted.py", "return criterion.weights[MOST].max() * entropy.tolerance(rows)", "return entropy.tolerance(rows)", engine="relational", focus={"weights": ("heavy",), "cap": 60}, seed=340, problems=20),
    Mutant("inexact ties go to the first label", "learner/criterion/front.py", "if criterion is not None and not criterion.exact:\n        return", "if False:\n        return", engine="relational", focus=DECIMALS),
    Mutant("inexact ties go to the first label, tables", "learner/criterion/front.py", "    if criterion.exact:\n        return np.asarray", "    if True:\n        return np.asarray", engine="tables", focus=DECIMALS),
    Mutant("leaf without weights", "prove/domains/leaf.py", "        elif criterion.code >= WEIGHTED:\n            most", "        elif False:\n            most", engine="relational", focus={**FLIP, **WHOLE}, seed=9, problems=20),
    Mutant("shares without the weight of added rows", "prove/domains/weighted.py", "high_others += greatest * (turned + added)", "high_others += greatest * turned", focus={**MISS, **WHOLE}, seed=46, problems=20),
    Mutant("shares without the weight of flipped rows", "prove/domains/weighted.py", "high_others += greatest * (turned + added)", "high_others += greatest * added", focus={**FLIP, **WHOLE}),
    Mutant("shares as if nothing left the others", "prove/domains/weighted.py", "low_others -= least_greatest * (min(flips, others_away) + min(removals, others_removable))", "low_others -= 0.0", focus={"kinds": ("flip", "fake"), **WHOLE}),
    Mutant("weights change g by no more than rows", "learner/criterion/weighted.py", "return 2.0 * most\n", "return 0.5\n", engine="tables", focus={**FLIP, **WHOLE}, seed=38, problems=20),
    Mutant("weighted leaf flip gains one weight twice", "prove/domains/leaf.py", "lead += (weights[y] + weights[j]) * twice", "lead += 2.0 * weights[y] * twice", engine="bounds", focus={**FLIP, **WHOLE}, seed=13, problems=20),
    Mutant("weighted leaf counts added rows", "prove/domains/leaf.py", "return lead + weights[j] * (gaining_j + new[0])", "return lead + gaining_j + new[0]", engine="bounds", focus={**MISS, **WHOLE}, seed=17, problems=20),
    Mutant("weighted chord where nothing is left", "learner/criterion/weighted.py", "            if whole - step > NOTHING_LEFT * whole:\n", "            if True:\n", engine="bounds", focus={**FAKE, **WHOLE}, seed=47, problems=20),
    Mutant("weighted tangent for additions", "learner/criterion/weighted.py", "weights[i] * (step + 2.0 * weight - g) / (whole + step)", "weights[i] * (2.0 * weight - g) / whole", engine="bounds", focus={**MISS, **WHOLE}, seed=38, problems=20),
    Mutant("weighted tangent for flips", "learner/criterion/weighted.py", "chord += most * (weights[i] ** 2 + weights[j] ** 2)", "chord += 0.0", engine="bounds", focus={**FLIP, **WHOLE}, seed=1, problems=20),
    Mutant("weighted entropy chord down at step 1", "learner/criterion/weighted.py", "step = min(own[i], max(1.0, reach.down[i]))", "step = 1.0", engine="bounds", focus={**WHOLE, **ENTROPY}, seed=28, problems=20),
    Mutant("weighted programs with a remainder of rows", "learner/criterion/weighted.py", "    low, high = low * weights, high * weights\n", "    low, high = low / 4, high / 4\n", engine="programs", focus={**WHOLE, "depth": 1}, seed=42, problems=5),
    Mutant("programs: leaf without weights", "paths/conditions.py", "    weights = criterion.weights[AT]\n", "    weights = 0 * criterion.weights[AT] + 1\n", engine="programs", focus={**WHOLE, "depth": 1}, problems=20),
    Mutant("least gain by rows and not by weight", "prove/problem.py", "return float(weights @ self._label_counts + acts * weights.max())", "return float(len(self.table.y))", engine="relational", focus={**WHOLE, "stops": ("decrease",)}, problems=60),
    Mutant("least gain by rows and not by weight, tables", "prove/problem.py", "weight = float(self.criterion_on(counts).weights[MOST] @ counts)", "weight = float(n_rows)", engine="tables", focus={**WHOLE, "stops": ("decrease",)}, seed=20, problems=20),
    Mutant("balanced weights of many labels at one vertex", "learner/weights.py", "simplex[1 + k, i] += len(moving) * (high[i] - low[i])", "simplex[1 + k, i] += 0.0", engine="bounds", focus={**BALANCED, "classes": 5}, seed=97, problems=20),
    Mutant("balanced weights at one end only", "learner/weights.py", "return on_table, np.array(list(product(*ends)))", "return on_table, np.array(list(product(*ends)))[:1]", engine="bounds", focus=BALANCED),
    Mutant("balanced weights of the unchanged table", "learner/weights.py", "return on_table, np.array(list(product(*ends)))", "return on_table, on_table[None]", engine="bounds", focus=BALANCED),
    Mutant("balanced weights by monotonicity", "learner/weights.py", "low, high = least[unit] / most, most[unit] / least", "low, high = least[unit] / least, most[unit] / most", engine="bounds", focus=BALANCED, seed=13, problems=20),
    Mutant("a multiplier that is not tried at every vertex", "prove/domains/settling.py", "return given if base[LEAD] + gain + given * base[LEAF] < 0 else np.inf", "return given", engine="bounds", focus=BALANCED, seed=47, problems=20),
    Mutant("every table with the weights of the first", "prove/problem.py", "if self.settings.class_weight is None or len(self.criteria) == 1:", "if True:", engine="tables", focus=BALANCED, seed=160, problems=20),
    # Class weights, row by row of their derivation.
    Mutant("log_loss as Gini", "learner/criterion/front.py", '"log_loss": ENTROPY', '"log_loss": GINI', engine="bounds", focus={"criterion": "log_loss"}),
    Mutant("scores without weights", "learner/criterion/weighted.py", "        weight = weights[AT, i] * counts[i]\n        whole += weight\n", "        weight = float(counts[i])\n        whole += weight\n", engine="bounds", focus=WHOLE),
    Mutant("inexact ties only where weights are level", "learner/criterion/front.py", "        return -tolerance(criterion, rows)\n    return 0.0", "        return 0.0\n    return 0.0", engine="relational", focus=DECIMALS),
    Mutant("inexact ties only where weights are level, tables", "learner/criterion/front.py", "level = weights >= weights.max() - tolerance(criterion, float(counts.sum()))", "level = weights >= weights.max()", engine="tables", focus=DECIMALS),
    Mutant("exact weights whatever they are", "learner/weights.py", "    if max(whole) // (divisor // odd) > LARGEST_WHOLE:\n        return None\n", "", engine="relational", focus=DECIMALS),
    Mutant("weighted tangent for removals", "learner/criterion/weighted.py", "chord = weights[i] * (step - 2.0 * weight + g) / (whole - step)", "chord = weights[i] * (g - 2.0 * weight) / whole", engine="bounds", focus={**FAKE, **WHOLE}),
    Mutant("weighted removals free in small branches", "learner/criterion/weighted.py", "            branches.remove[side, i] = weights[i]\n            if whole - step", "            branches.remove[side, i] = 0.0\n            if whole - step", engine="bounds", focus={**FAKE, **WHOLE}),
    Mutant("weighted additions free where a branch was empty", "learner/criterion/weighted.py", "            branches.add[side, i] = weights[i]\n            if whole > 0", "            branches.add[side, i] = 0.0\n            if whole > 0", engine="bounds", focus={**MISS, **WHOLE}),
    Mutant("weighted flips where nothing is left", "learner/criterion/weighted.py", "            if whole + most * rise > NOTHING_LEFT * whole:\n", "            if True:\n", engine="bounds", focus={**FLIP, **WHOLE}, seed=214, problems=20),
    Mutant("weighted entropy chord at step 1", "learner/criterion/weighted.py", "        step = max(1.0, reach.up[i])\n", "        step = 1.0\n", engine="bounds", focus={"kinds": ("flip", "flip"), "weights": ("halves",), "style": "bulk", "cap": 200, **ENTROPY}, seed=6, problems=20),
    Mutant("weighted entropy falls where a branch was empty", "learner/criterion/weighted.py", "up - weights[i] * turn if whole > 0 else 0.0", "up - weights[i] * turn if whole > 0 else -weights[i] * entropy.LOG2_E", engine="bounds", focus={**MISS, **WHOLE, **ENTROPY}),
    Mutant("weighted leaf forgets removals", "prove/domains/leaf.py", "weights[y] * (removed + gaining_y)", "weights[y] * gaining_y", engine="bounds", focus={**FAKE, **WHOLE}, seed=17, problems=20),
    Mutant("weighted leaf forgets flips to a third label", "prove/domains/leaf.py", "weights[y] * (removed + gaining_y)", "weights[y] * removed", engine="bounds", focus={**FLIP, **WHOLE, "classes": 3}, seed=256, problems=20),
    Mutant("weighted leaf forgets flips of other labels", "prove/domains/leaf.py", "gaining_j = min(left, from_others + new[1])", "gaining_j = min(left, new[1])", engine="bounds", focus={**FLIP, **WHOLE, "classes": 3}, seed=14, problems=20),
    Mutant("weighted leaf flips the lighter rows first", "prove/domains/leaf.py", "    if weights[j] >= weights[y]:\n", "    if weights[j] < weights[y]:\n", engine="relational", focus={**FLIP, **WHOLE, "classes": 3}),
    Mutant("balanced prices at each vertex by itself", "learner/criterion/weighted.py", "            whole += weights[PRICED, i] * own[i]\n            square += (weights[PRICED, i] * own[i]) ** 2\n        for i in range(n_labels):\n            gradient[side, i] = 2.0 * weights[PRICED, i] * own[i] / whole - square / whole**2", "            whole += weights[AT, i] * own[i]\n            square += (weights[AT, i] * own[i]) ** 2\n        for i in range(n_labels):\n            gradient[side, i] = 2.0 * weights[AT, i] * own[i] / whole - square / whole**2", engine="bounds", focus=BALANCED),
    Mutant("balanced weights as if every label kept two rows", "learner/weights.py", "    least = np.maximum(1.0, least)\n", "    least = np.maximum(2.0, least)\n", engine="bounds", focus=BALANCED, seed=14, problems=20),
    Mutant("inexact weights never stop for want of gain", "learner/criterion/weighted.py", "    if whole is None:\n        return 0\n", "    if whole is None:\n        return gini.STOP_ROWS\n", engine="relational", focus=DECIMALS),
    Mutant("inexact weights never stop for want of gain, tables", "learner/criterion/weighted.py", "    if whole is None:\n        return 0\n", "    if whole is None:\n        return gini.STOP_ROWS\n", engine="tables", focus=DECIMALS),
    Mutant("small nodes that additions fill are never split", "learner/availability.py", "never = size + most_added < floors.node_low", "never = size < floors.node_low", engine="relational", focus={"stops": ("split",), "kinds": ("miss",)}, seed=12, problems=20),
    Mutant("boolean columns with holes have no outer split", "prove/views.py", "(is_boolean & ~self.holes)[self.source]", "is_boolean[self.source]", engine="relational", focus={**HOLES, "kinds": ("miss",)}, seed=2, problems=20),
    Mutant("added values never beside what is missing", "prove/views.py", "            if budget.additions == 0:\n                keep", "            if True:\n                keep", engine="relational", focus={**HOLES, "kinds": ("miss",)}, seed=386, problems=20),
    Mutant("check: leaf without weights", "checker/leaves.py", "    heavy, light = weights[expected], weights[rival]\n", "    heavy = light = 1\n", engine="check", focus={**FLIP, **WHOLE}),
    Mutant("check: inexact ties go to the first label", "checker/ground.py", "slack = None if criterion.weights.exact else tied", "slack = None", engine="check", focus=DECIMALS),
    Mutant("every table in leaves of one row", "refute/tied_trees.py", "if leaf <= sizes[0] <= size - leaf:", "if 1 <= sizes[0] <= size - 1:", engine="tables", focus=LEAF),
    Mutant("every table with splits that are sure", "refute/tied_trees.py", "self.most_removals = 0 if plain else min(most_changes, problem.bias.removals)", "self.most_removals = 0", engine="tables", focus={**LEAF, "kinds": ("fake",)}, seed=320, problems=20),
)  # fmt: skip


@dataclass(frozen=True)
class Hunt:
    """How a campaign against a copy of the package ended, and what it printed."""

    caught: bool
    output: str


class MutantError(Exception):
    """The mutant could not be made, or the campaign against it did not run."""


def apply_mutant(package: Path, mutant: Mutant) -> None:
    """Replace the mutant's text in a copy of the package."""
    path = package / mutant.file
    source = path.read_text(encoding="utf-8")
    times = source.count(mutant.old)
    if times != 1:
        raise MutantError(f"{mutant.name!r}: the old text occurs {times} times in {mutant.file}, not once")
    if mutant.old == mutant.new:
        raise MutantError(f"{mutant.name!r}: the new text is the old one")
    path.write_text(source.replace(mutant.old, mutant.new), encoding="utf-8")


def copy_package(package: Path, folder: Path) -> Path:
    """Copy the package into a folder, without compiled leftovers."""
    target = folder / "everytree"
    leftovers = shutil.ignore_patterns("__pycache__", "*.pyc", "*.nbi", "*.nbc")
    shutil.copytree(package, target, ignore=leftovers)
    return target


def run_campaign(
    folder: Path, engine: str, problems: int, seed: int, focus: Mapping[str, Any], timeout: float
) -> Hunt:
    """Run the campaign against the package in this folder, up to its first violation."""
    arguments = ["--stop-early", "--engine", engine, "--problems", str(problems)]
    arguments += ["--hand-picked"] if seed == 0 else []  # otherwise it is known that they do not show it
    arguments += ["--seed", str(seed), "--focus", json.dumps(dict(focus)), "--package-in", str(folder)]
    printed = folder / "printed.txt"
    code = BREEDER.run(arguments, folder, printed, timeout)
    if code is None:
        raise MutantError(f"the campaign was not done after {timeout} s")
    output = printed.read_text(encoding="utf-8")
    if code not in (0, VIOLATION, SELF_CHECK):
        raise MutantError(f"the campaign failed with exit code {code}\n{output}")
    return Hunt(caught=code != 0, output=output)


def hunt(mutant: Mutant, folder: Path, package: Path = PACKAGE, timeout: float = 300.0) -> Hunt:
    """Copy the package into an empty folder, make the mistake there, and look for a violation."""
    apply_mutant(copy_package(package, folder), mutant)
    return run_campaign(folder, mutant.engine, mutant.problems, mutant.seed, mutant.focus, timeout)
