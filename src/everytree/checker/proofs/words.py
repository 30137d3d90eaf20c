"""A claim in words, from the values that are verified and not from any text in the file."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from everytree.checker.proofs.claim import LEARNER, Claim
from everytree.checker.proofs.wording import Rejected

__all__ = ["bias_text", "claim_words"]

BY = {
    "walk": "the walk",
    "paths": "path programs",
    "changes": "trying every change of nodes",
    "tables": "trying every table",
    "twins": "rows like them",
}
WAYS = {
    "identity": "as it is",
    "onehot": "one column for each of {n} categories",
    "ordinal": "position among {n} categories",
    "dropped": "not seen by the tree",
}


def claim_words(claim: Claim) -> Iterator[tuple[str, str]]:
    """Say what is claimed, as pairs of a word and a line."""
    line, facts = claim.line, claim.facts
    labels = ", ".join(map(json.dumps, line["labels"]))
    yield "written by", f"{line['made_by']}, for scikit-learn {line['scikit_learn']}"
    yield "table", f"{line['rows']} rows, sha256 {line['train']}"
    yield "columns", "; ".join(_column(column) for column in line["columns"])
    yield "labels", f"{line['label']}: {labels}"
    yield "learner", _learner(line)
    yield "bias model", bias_text(line["bias"])
    budgets = (
        f"at most {facts.additions} rows added, {facts.flips} labels changed, {facts.removals} rows removed"
    )
    yield "that is", budgets
    if line["trusted"]:
        yield "trusted", f"{len(set(line['trusted']))} rows are taken to be correct"
    yield "people", f"{line['people']}, sha256 {line['test']}"
    for by, people in line["robust"].items():
        yield "robust", f"{len(people)}, by {BY[by]}"
    if line["not_robust"]:
        yield "not robust", f"{len(line['not_robust'])}, by changed tables"
    for reason, count in Counter(reason for _, reason in line["left_out"]).items():
        yield "not here", f"{count}: {reason}"


def _column(column: Mapping[str, Any]) -> str:
    way = WAYS[column["way"]].format(n=len(column["categories"]))
    return f"{column['name']} ({column['how']}, {way})"


def _learner(line: Mapping[str, Any]) -> str:
    learner = dict(line["learner"])
    if isinstance(learner["class_weight"], list):
        known = [pair for pair in learner["class_weight"] if pair[0] >= 0]
        learner["class_weight"] = {line["labels"][code]: weight for code, weight in known}
    changed = [f"{name}={learner[name]!r}" for name in LEARNER if learner[name] != LEARNER[name]]
    return f"DecisionTreeClassifier({', '.join(changed)}), every way of breaking ties"


def bias_text(model: Mapping[str, Any]) -> str:
    """Write a bias model; whatever is not understood is rejected, not left out."""
    if set(model) != {"components"} or not model["components"]:
        raise Rejected("claim", "the bias model must be a list of components.")
    return " + ".join(_component(component) for component in model["components"])


def _component(component: Mapping[str, Any]) -> str:
    if not {"kind", "amount"} <= set(component) <= {"kind", "amount", "where", "to"}:
        raise Rejected("claim", f"a component has other entries than it may have: {sorted(component)}.")
    if component["kind"] not in ("miss", "flip", "fake") or (
        "to" in component and component["kind"] != "flip"
    ):
        raise Rejected("claim", f"{component['kind']!r} is no kind of bias, or cannot have what it has.")
    amount = component["amount"]
    if isinstance(amount, bool) or not (isinstance(amount, str) or (isinstance(amount, int) and amount >= 0)):
        raise Rejected("claim", f"{amount!r} is no amount.")
    text = str(amount)
    if component.get("where") is not None:
        text += f", where {_condition(component['where'])}"
    if "to" in component:
        text += f", to {', '.join(map(json.dumps, component['to']))}"
    return f"{component['kind']}({text})"


def _condition(condition: Mapping[str, Any], inner: bool = False) -> str:
    op = condition["op"]
    if op in ("and", "or") and set(condition) == {"op", "parts"}:
        joined = f" {op} ".join(_condition(part, inner=True) for part in condition["parts"])
        return f"({joined})" if inner else joined
    if op == "not" and set(condition) == {"op", "part"}:
        return f"not {_condition(condition['part'], inner=True)}"
    on = condition["on"] if condition.get("on") == "label" else condition["on"]["column"]
    if op == "missing" and set(condition) == {"op", "on"} and condition["on"] != "label":
        return f"{on} is missing"
    if op == "in" and set(condition) == {"op", "on", "values"}:
        return f"{on} in [{', '.join(map(json.dumps, condition['values']))}]"
    if op in ("==", "!=", "<", "<=", ">", ">=") and set(condition) == {"op", "on", "value"}:
        return f"{on} {op} {json.dumps(condition['value'])}"
    raise Rejected("claim", f"{op!r} is no condition.")
