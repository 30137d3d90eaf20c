"""Which tree is learned, by the options that commands share: its settings, or an estimator from a file."""

from __future__ import annotations

from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sklearn.tree import DecisionTreeClassifier

from everytree.errors import EverytreeError
from everytree.learner.missing import Way
from everytree.learner.settings import CHOICES, read_parameters
from everytree.learner.weight_texts import HOW_IN_COMMANDS, for_labels, parse_class_weight
from everytree.support.text import as_number

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Tree"]


@dataclass(frozen=True)
class Tree:
    """The options that say which tree is learned, as they were given; see `everytree.cli.options.LEARNER`."""

    depth: str | None = None
    criterion: str | None = None
    min_samples_leaf: str | None = None
    min_samples_split: str | None = None
    max_leaf_nodes: str | None = None
    min_impurity_decrease: str | None = None
    ccp_alpha: str | None = None
    class_weight: str | None = None
    model: Path | None = None
    missing: Way | None = None

    def arguments(self) -> list[str]:
        """The options as they were given, for a command."""
        given = [(field.name, getattr(self, field.name)) for field in fields(self)]
        return [word for name, value in given if value is not None for word in (_option(name), str(value))]

    def check(self) -> None:
        """Refuse what makes no sense, before anything is read."""
        given = [name for name in ("depth", *CHOICES, "missing") if getattr(self, name) is not None]
        if self.model is not None:
            if given:
                options = ", ".join(map(_option, given))
                raise EverytreeError(
                    f"--model brings its own settings; received {options} as well. Leave one of them out."
                )
            return
        if self.depth is None:
            raise EverytreeError(
                "--depth is needed: the largest depth of the tree, a whole number of at least 1, or none for "
                "no limit. An estimator that was saved to a file takes its place: --model FILE."
            )
        self.estimator()

    def estimator(self, y: pd.Series[Any] | None = None) -> Any:
        """Give the tree that the options describe, for these labels, or the estimator of the file."""
        if self.model is not None:
            return _load(self.model)
        settings = {
            name: _read(name, value) for name in CHOICES if (value := getattr(self, name)) is not None
        }
        if y is not None:
            settings = _for_labels(settings, y)
        tree = DecisionTreeClassifier(max_depth=_depth(self.depth), random_state=0, **settings)
        problems = read_parameters(tree)[1]
        if problems:
            raise EverytreeError("\n".join(map(_named, problems)))
        return tree


def _read(name: str, text: str) -> Any:
    if name != "class_weight":
        return as_number(text)
    try:
        return parse_class_weight(text)
    except EverytreeError as error:
        raise EverytreeError(f"{_option(name)}: {error}") from error


def _for_labels(settings: dict[str, Any], y: pd.Series[Any]) -> dict[str, Any]:
    try:
        return for_labels(settings, y)
    except EverytreeError as error:
        raise EverytreeError(f"--class-weight: {error}") from error


def _named(problem: str) -> str:
    """Say what is wrong with a setting under the name of its option."""
    name = problem.partition("=")[0]
    return f"{_option(name)}: {problem}" + (f" {HOW_IN_COMMANDS}" if name == "class_weight" else "")


def _option(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def _depth(text: str | None) -> int | None:
    """Read a depth; none, in any spelling, is no limit."""
    if text is None or text.casefold() == "none":
        return None
    depth = as_number(text)
    if not isinstance(depth, int) or depth < 1:
        raise EverytreeError(
            f"--depth must be a whole number of at least 1, or none for no limit; received {text}."
        )
    return depth


def _load(path: Path) -> Any:
    """Read an estimator that joblib or pickle wrote. This runs code that is in the file."""
    import joblib  # a quarter of a second that other commands need not wait

    try:
        return joblib.load(path)
    except OSError as error:
        raise EverytreeError(
            f"--model names {str(path)!r}, which cannot be read: {error.strerror or error}."
        ) from error
    except Exception as error:  # whatever is wrong with a file, or with the code in it
        raise EverytreeError(
            f"--model names {str(path)!r}, which is no estimator that can be loaded here "
            f"({type(error).__name__}: {error}). Save it with joblib.dump(estimator, file), with the "
            "versions of Python and scikit-learn that are installed here."
        ) from error
