"""What every question begins with: the tables, the depth, the encoding, and the limits that make sense."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, cast

from sklearn.tree import DecisionTreeClassifier

from everytree.datasets.inputs import Tables, read_tables
from everytree.errors import EverytreeError
from everytree.learner import prepare

if TYPE_CHECKING:
    from everytree.learner import Prepared

__all__ = ["Setup", "check_depth", "check_limit", "check_people"]


@dataclass(frozen=True)
class Setup:
    """The options that say what is learned from which tables, as they were given."""

    train: str
    test: str | None
    depth: int
    label: str | None = None
    drop: tuple[str, ...] = ()
    categorical: tuple[str, ...] = ()
    encoding: str = "onehot"

    def read(self) -> Tables:
        """Read both tables."""
        return read_tables(self.train, self.test, self.label)

    def prepare(self, tables: Tables) -> Prepared:
        """Encode both tables and learn the tree."""
        return prepare(
            DecisionTreeClassifier(max_depth=self.depth, random_state=0),
            tables.X_train,
            tables.y_train,
            tables.X_test,
            drop=self.drop,
            categorical=self.categorical,
            encoding=cast("Literal['onehot', 'ordinal']", self.encoding),
            label_name=tables.label,
        )

    def prepare_people(self, people: Sequence[int]) -> tuple[Tables, Prepared]:
        """Read the tables and keep only some test people, in the given order."""
        tables = self.read()
        check_people(people, len(tables.X_test))
        chosen = replace(tables, X_test=tables.X_test.iloc[list(people)])
        return chosen, self.prepare(chosen)


def check_depth(depth: int) -> None:
    """Refuse a tree without a split."""
    if depth < 1:
        raise EverytreeError(f"--depth must be a whole number of at least 1; received {depth}.")


def check_limit(option: str, unit: str, value: float | None) -> None:
    """Refuse a limit that leaves nothing."""
    if value is not None and not value > 0:
        raise EverytreeError(
            f"{option} must be a number of {unit} greater than 0; received {value:g}. Leave it out for "
            "no limit."
        )


def check_people(people: Sequence[int], n_people: int) -> None:
    """Refuse positions that the test table does not have."""
    for person in people:
        if not 0 <= person < n_people:
            raise EverytreeError(
                f"--person must be a position in the test table, from 0 to {n_people - 1}; received {person}."
            )
