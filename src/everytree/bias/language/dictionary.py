"""The dictionary form of bias models: plain dicts, lists and constants, ready for JSON.

Beside `grammar`, the other way in from outside the process: everything is checked, nothing is evaluated,
and nesting is bounded before it is followed.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from everytree.bias.language.expressions import And, Comparison, Condition, IsMissing, Membership, Not, Or
from everytree.bias.language.text import MAX_LENGTH, MAX_NESTING
from everytree.bias.model import BiasModel, Component
from everytree.errors import BiasError

__all__ = ["model_from_dict", "model_to_dict"]

_LABEL = "label"


def model_to_dict(model: BiasModel) -> dict[str, Any]:
    """Write a model as ``{"components": [{"kind", "amount", "where"?, "to"?}, ...]}``.

    A condition is ``{"op": "and" | "or", "parts": [...]}``, ``{"op": "not", "part": ...}``,
    ``{"op": "in", "on": ..., "values": [...]}``, ``{"op": "missing", "on": ...}`` or
    ``{"op": "==", "on": ..., "value": ...}``, where "on" is ``"label"`` or ``{"column": name}``.
    """
    return {"components": [_component_to_dict(part) for part in model.components]}


def model_from_dict(data: Mapping[str, Any]) -> BiasModel:
    """Read what `model_to_dict` writes.

    Raises
    ------
    BiasError
        If a key is missing or unknown, a value has the wrong type, or the nesting is too deep.
    """
    fields = _fields(data, "A bias model", required={"components"})
    return BiasModel(tuple(_component_from_dict(part) for part in _list(fields["components"], "components")))


def _component_to_dict(component: Component) -> dict[str, Any]:
    written: dict[str, Any] = {"kind": component.kind, "amount": component.amount.plain()}
    if component.where is not None:
        written["where"] = _condition_to_dict(component.where)
    if component.to is not None:
        written["to"] = list(component.to)
    return written


def _component_from_dict(data: object) -> Component:
    fields = _fields(data, "A component", required={"kind", "amount"}, optional={"where", "to"})
    where = fields.get("where")
    return Component(
        kind=fields["kind"],
        amount=fields["amount"],
        where=None if where is None else _condition_from_dict(where, 0),
        to=fields.get("to"),
    )


def _condition_to_dict(condition: Condition) -> dict[str, Any]:
    if isinstance(condition, And | Or):
        parts = [_condition_to_dict(part) for part in condition.parts]
        return {"op": "and" if isinstance(condition, And) else "or", "parts": parts}
    if isinstance(condition, Not):
        return {"op": "not", "part": _condition_to_dict(condition.part)}
    if isinstance(condition, Membership):
        return {"op": "in", "on": _on(condition.column), "values": list(condition.values)}
    if isinstance(condition, IsMissing):
        return {"op": "missing", "on": _on(condition.column)}
    if isinstance(condition, Comparison):
        return {"op": condition.operator, "on": _on(condition.column), "value": condition.value}
    raise BiasError(f"A condition is built with col and label; received {type(condition).__name__}.")


def _condition_from_dict(data: object, depth: int) -> Condition:
    if depth > MAX_NESTING:
        raise BiasError(f"Conditions may nest at most {MAX_NESTING} levels; received more. Use fewer levels.")
    operator = data.get("op") if isinstance(data, Mapping) else None
    if operator in ("and", "or"):
        fields = _fields(data, f"The condition {operator}", required={"op", "parts"})
        parts = tuple(_condition_from_dict(part, depth + 1) for part in _list(fields["parts"], "parts"))
        return And(parts) if operator == "and" else Or(parts)
    if operator == "not":
        fields = _fields(data, "The condition not", required={"op", "part"})
        return Not(_condition_from_dict(fields["part"], depth + 1))
    if operator == "in":
        fields = _fields(data, "The condition in", required={"op", "on", "values"})
        return Membership(_column(fields["on"]), tuple(_list(fields["values"], "values")))
    if operator == "missing":
        fields = _fields(data, "The condition missing", required={"op", "on"})
        return IsMissing(_column(fields["on"]))  # type: ignore[arg-type]
    fields = _fields(data, "A comparison", required={"op", "on", "value"})
    return Comparison(_column(fields["on"]), fields["op"], fields["value"])


def _on(column: str | None) -> Any:
    return _LABEL if column is None else {"column": column}


def _column(on: object) -> str | None:
    if isinstance(on, str) and on == _LABEL:
        return None
    fields = _fields(on, 'What a comparison is about ("on")', required={"column"})
    name = fields["column"]
    if not isinstance(name, str):
        raise BiasError(f'"column" holds the name of a column; received {type(name).__name__}.')
    return name


def _list(value: object, name: str) -> list[Any]:
    if not isinstance(value, list | tuple) or len(value) > MAX_LENGTH:
        raise BiasError(f'"{name}" holds a list of at most {MAX_LENGTH}; received {type(value).__name__}.')
    return list(value)


def _fields(
    data: object, what: str, required: set[str], optional: frozenset[str] | set[str] = frozenset()
) -> Mapping[str, Any]:
    """Check that `data` is a mapping with the required keys and no unknown ones."""
    allowed = ", ".join(sorted(required)) + "".join(
        f", {name} (may be left out)" for name in sorted(optional)
    )
    if not isinstance(data, Mapping):
        raise BiasError(f"{what} is a dictionary with {allowed}; received {type(data).__name__}.")
    missing, unknown = required - set(data), set(data) - required - set(optional)
    if missing or unknown:
        wrong = (
            f"{sorted(missing)[0]!r} is missing" if missing else f"{min(map(repr, unknown)):.80} is not known"
        )
        raise BiasError(f"{what} is a dictionary with {allowed}; {wrong}.")
    return data
