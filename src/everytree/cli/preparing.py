"""What every question begins with: the tables, the tree, the encoding, and the limits that make sense."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from sklearn.tree import DecisionTreeClassifier

from everytree.cli.options import SECONDS
from everytree.cli.trees import Tree
from everytree.datasets.inputs import Tables, read_tables
from everytree.errors import EverytreeError
from everytree.learner import prepare
from everytree.learner.held import unwrapped
from everytree.learner.missing import WAYS, Filled, fill
from everytree.support.limits import Limits, as_bytes, as_jobs
from everytree.support.text import pasteable
from everytree.table.frames import known_names
from everytree.table.reading import STANDARD_INPUT
from everytree.table.signs import note_signs

if TYPE_CHECKING:
    from everytree.learner import Prepared

LEAST_MEMORY = 1e6
"""A smaller limit without a unit is a number of megabytes taken for bytes."""

__all__ = ["NO_HURRY", "Patience", "Setup", "check_people"]


@dataclass(frozen=True)
class Setup:
    """The options that say what is learned from which tables, as they were given."""

    train: str
    test: str | None
    learner: Tree
    label: str | None = None
    drop: tuple[str, ...] = ()
    categorical: tuple[str, ...] = ()
    encoding: str = "onehot"

    def command(self, verb: str, bias: str, further: Sequence[str] = ()) -> str:
        """Give a command about the same tables and tree, ready to be pasted; none if one came from a pipe."""
        if STANDARD_INPUT in (self.train, self.test):
            return ""
        words = ["everytree", verb, self.train, *([] if self.test is None else [self.test])]
        words += [] if self.label is None else ["--label", self.label]
        for option, names in (("--drop", self.drop), ("--categorical", self.categorical)):
            words += [word for name in names for word in (option, name)]
        words += [] if self.encoding == "onehot" else ["--encoding", self.encoding]
        return pasteable([*words, *self.learner.arguments(), "--bias", bias, *further])

    def read(self) -> Tables:
        """Read both tables."""
        return read_tables(self.train, self.test, self.label)

    def prepare(self, tables: Tables) -> Prepared:
        """Encode both tables and learn the tree."""
        note_signs(tables.X_train, self.drop)
        estimator = self.learner.estimator(tables.y_train)
        filled = self._fill(tables, estimator)
        prepared = prepare(
            filled.before(estimator),
            filled.X_train,
            tables.y_train,
            filled.X_test,
            y_test=tables.y_test,
            label_name=tables.label,
            **filled.options,
        )
        return replace(prepared, notes=(*prepared.notes, *filled.notes))

    def _fill(self, tables: Tables, estimator: Any) -> Filled:
        """Find a place for missing values, unless steps of the user's own do."""
        options: dict[str, Any] = {
            "drop": self.drop,
            "categorical": self.categorical,
            "encoding": self.encoding,
        }
        if not isinstance(unwrapped(estimator), DecisionTreeClassifier):
            self._refuse_with_steps()
            return Filled(tables.X_train, tables.X_test, None, options)
        columns = list(map(str, tables.X_train.columns))
        only_people = [name for name in self.drop if name in tables.X_test.columns]
        known_names(self.drop, [*columns, *only_people], "--drop", tables.label)
        known_names(self.categorical, columns, "--categorical", tables.label)
        return fill(
            self.learner.missing or WAYS[0], tables.X_train, tables.X_test, label_name=tables.label, **options
        )

    def _refuse_with_steps(self) -> None:
        """Refuse options that say what becomes of columns where steps of a saved estimator do."""
        given = {
            "--drop": self.drop,
            "--categorical": self.categorical,
            "--encoding": self.encoding != "onehot",
        }
        for option, used in given.items():
            if used:
                raise EverytreeError(
                    f"{option} cannot be combined with a Pipeline in --model, whose own steps decide what "
                    "becomes of each column. Put the choice into its ColumnTransformer, or save the "
                    "tree alone."
                )

    def prepare_people(self, people: Sequence[int]) -> tuple[Tables, Prepared]:
        """Read the tables and keep only some test people, in the given order."""
        tables = self.read()
        check_people(people, len(tables.X_test))
        truth = None if tables.y_test is None else tables.y_test.iloc[list(people)]
        chosen = replace(tables, X_test=tables.X_test.iloc[list(people)], y_test=truth)
        return chosen, self.prepare(chosen)


@dataclass(frozen=True)
class Patience:
    """The options that say how much a search may take, as they were given."""

    time_limit: float | None = SECONDS
    memory_limit: str | None = None
    n_jobs: int = 1

    def arguments(self, time_limit: float | None = None) -> list[str]:
        """The options as they were given, for a command; or with another time limit."""
        wanted = self.time_limit if time_limit is None else time_limit
        words = [] if wanted == SECONDS else ["--time-limit", "none" if wanted is None else f"{wanted:g}"]
        words += [] if self.memory_limit is None else ["--memory-limit", self.memory_limit]
        return words + ([] if self.n_jobs == 1 else ["--n-jobs", str(self.n_jobs)])

    def check(self) -> None:
        """Refuse what makes no sense, before anything is read."""
        as_jobs(self.n_jobs, "--n-jobs")
        if self.memory_limit is None:
            return
        bare = self.memory_limit.strip()[-1:].isdigit()
        if as_bytes("--memory-limit", self.memory_limit) < LEAST_MEMORY and bare:
            raise EverytreeError(
                f"--memory-limit must be at least 1MB; received {self.memory_limit}. A number without a unit "
                f"counts bytes: for megabytes write {self.memory_limit}MB."
            )

    def limits(self) -> Limits:
        """Limits that begin now."""
        return Limits.of(self.time_limit, self.memory_limit)


NO_HURRY = Patience()


def check_people(people: Sequence[int], n_people: int) -> None:
    """Refuse positions that the test table does not have."""
    for person in people:
        if not 0 <= person < n_people:
            raise EverytreeError(
                f"--person must be a position in the test table, from 0 to {n_people - 1}; received {person}."
            )
