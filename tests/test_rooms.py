"""Data flow one way: a room imports only from rooms before it, inside functions and for types, too."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

import everytree
from everytree.bias.components import NAMES

PACKAGE = Path(everytree.__file__).parent

ORDER = (
    "errors",
    "support",
    "table",
    "datasets",
    "bias",
    "learner",
    "checker",
    "prove",
    "refute",
    "paths",
    "results",
    "questions",
    "audit",
    "show",
    "estimator",
    "reproduce",
    "cli",
)
"""The rooms as data flow through them; CONTRIBUTING says what each one does."""

MOST_INSIDE_FUNCTIONS = 60
LONGEST_MODULE = 350
MOST_PARAMETERS = 8
MOST_PARAMETERS_ASKED = 10
"""Of the public questions and the commands, keyword options apart."""


@cache
def modules(folder: Path = PACKAGE) -> dict[str, ast.Module]:
    """Every module of the package by its dotted name below everytree ("" for the top itself)."""
    found = {}
    for file in sorted(folder.rglob("*.py")):
        parts = file.relative_to(folder).with_suffix("").parts
        name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        found[name] = ast.parse(file.read_text(encoding="utf-8"))
    return found


def imports(tree: ast.AST) -> Iterator[str]:
    """Dotted names below everytree that a module imports anywhere: at the top, in functions, for types."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "everytree":
            inside = (node.module or "").split(".")[1:]
            yield from (".".join([*inside, alias.name]) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level:
            yield "relative." + (node.module or "")
        elif isinstance(node, ast.Import):
            yield from (a.name.partition(".")[2] for a in node.names if a.name.split(".")[0] == "everytree")


def against_the_order(trees: dict[str, ast.Module]) -> list[str]:
    """Imports from a room that does not come before, and rooms that nobody has put in order."""
    wrong = []
    for name, tree in trees.items():
        room = name.partition(".")[0]
        if not room:
            continue
        if room not in ORDER:
            wrong.append(f"{name}: {room} is no room")
            continue
        for target in imports(tree):
            other = target.partition(".")[0]
            if other != room and (other not in ORDER or ORDER.index(other) > ORDER.index(room)):
                wrong.append(f"{name} imports {target}")
    return wrong


def test_every_room_imports_only_from_rooms_before_it() -> None:
    assert against_the_order(modules()) == []


@pytest.mark.parametrize(
    "planted",
    [
        "from everytree.show.notebook import witness_html",
        "def late():\n    from everytree.questions.certify import certify\n    return certify",
        "def late():\n    import everytree.cli.app\n    return everytree.cli.app",
        "if TYPE_CHECKING:\n    from everytree.results.certification import CertificationResult",
        "from everytree import certify",
        "from ..show import notebook",
    ],
)
def test_an_upward_import_is_noticed(planted: str) -> None:
    trees = modules() | {"refute.planted": ast.parse(planted)}
    assert len(against_the_order(trees)) == 1


def test_a_loose_module_is_noticed() -> None:
    assert against_the_order({"helpers": ast.parse("")}) == ["helpers: helpers is no room"]
    loose = {file.stem for file in PACKAGE.glob("*.py")}
    assert loose == {"__init__", "errors", "estimator"}


def test_the_independent_checker_shares_nothing_with_the_engines() -> None:
    """Its one door takes the library's tables; behind it, nothing of ours but the errors."""
    for name, tree in modules().items():
        if name.startswith("checker.") and name != "checker.adapter":
            assert {target.partition(".")[0] for target in imports(tree)} <= {"checker", "errors"}, name


def test_only_the_bias_room_knows_kinds_by_name() -> None:
    """Everybody else sees acts, budgets and components: a new kind is made in its own room."""
    for name, tree in modules().items():
        room = name.partition(".")[0]
        if room not in ("", "bias"):
            assert not [target for target in imports(tree) if target.startswith("bias.components")], name
        if room in ("learner", "prove", "refute", "paths", "results", "questions", "audit", "show"):
            constants = {node.value for node in ast.walk(tree) if isinstance(node, ast.Constant)}
            assert not constants & set(NAMES), name


def functions(tree: ast.AST) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


def test_few_imports_stand_inside_functions() -> None:
    inside = {
        (name, node.lineno)
        for name, tree in modules().items()
        for function in functions(tree)
        for node in ast.walk(function)
        if isinstance(node, ast.Import | ast.ImportFrom)
    }
    assert len(inside) <= MOST_INSIDE_FUNCTIONS, sorted(inside)


def test_modules_are_read_in_one_sitting() -> None:
    long = {
        str(file.relative_to(PACKAGE)): lines
        for file in PACKAGE.rglob("*.py")
        if (lines := file.read_text(encoding="utf-8").count("\n")) > LONGEST_MODULE
    }
    assert long == {}


def _is_kernel(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    return any(
        isinstance(d, ast.Name) and d.id in ("kernel", "inner_kernel", "bare_kernel", "part_of_kernel")
        for d in function.decorator_list
    )


def _parameters(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    asked = function.args
    return len(asked.posonlyargs) + len(asked.args) + len(asked.kwonlyargs)


def test_no_function_takes_too_much() -> None:
    """Kernels take arrays as they come; the public questions and the commands have their keyword options."""
    wide = {}
    for name, tree in modules().items():
        asked = name.partition(".")[0] in ("questions", "estimator", "cli", "learner", "table", "checker")
        for function in functions(tree):
            count = _parameters(function)
            if _is_kernel(function) or count <= MOST_PARAMETERS:
                continue
            options = len(function.args.kwonlyargs)
            public = not function.name.startswith("_") and asked and (options or name == "cli.app")
            if not public:
                wide[f"{name}.{function.name}"] = count
    assert wide == {}
