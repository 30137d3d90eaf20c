"""Witnesses: whether a changed table is one of B(T), and what the table is that the learner sees then.

Every change is given to one component of the bias model that allows it, within the component's own amount.
Whether the learner really gives another label there is for the learner to say: who verifies retrains it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from everytree.checker.bias import Answers, Condition, Setting, compare, judge, rows_of
from everytree.checker.proofs.claim import Claim, Features, features_of
from everytree.checker.proofs.tables import read_values
from everytree.checker.proofs.wording import Rejected

__all__ = ["ChangedTables"]

Changed = tuple[list[Features], list[int]]
"""Features and label codes of a changed table."""


class ChangedTables:
    """Makes the tables of witnesses and refuses those that are not in B(T)."""

    def __init__(self, claim: Claim) -> None:
        self.claim = claim
        self.setting: Setting = claim.setting
        self.parts: list[tuple[Mapping[str, Any], int]] = [
            (part, rows_of(self.setting, part)) for part in claim.line["bias"]["components"]
        ]
        self.trusted = set(claim.line["trusted"])

    def apply(self, witness: Mapping[str, Any]) -> Changed:
        """Check the changes and make them."""
        flipped, removed = dict(witness["flipped"]), set(witness["removed"])
        n_rows, labels = len(self.setting.labels), list(self.setting.labels)
        touched = [*flipped, *removed]
        if len(set(touched)) < len(witness["flipped"]) + len(witness["removed"]):
            raise Rejected("witness", "a row is changed twice.")
        if any(not 0 <= row < n_rows or row in self.trusted for row in touched):
            raise Rejected("witness", "a row is changed that is not in the table, or is trusted.")
        added = [self._added(values) for values in witness["added"]]
        if not all(0 <= label < len(self.setting.names) for _, label in (*flipped.items(), *added)):
            raise Rejected("witness", "a row gets a label that there is none.")
        wanted: dict[str, list[list[int]]] = {"miss": [], "flip": [], "fake": []}
        for row, label in flipped.items():
            wanted["flip"].append(self._allowing("flip", self._row(row), labels[row], label))
        for row in removed:
            self._remove(row, wanted)
        for values, label in added:
            self._add(values, label, wanted)
        if not all(self._assignable(changes) for changes in wanted.values()):
            raise Rejected("witness", "the changes are more than the bias model allows, or others.")
        return self._table(flipped, removed, added)

    def _table(
        self, flipped: Mapping[int, int], removed: set[int], added: Sequence[tuple[Mapping[str, Any], int]]
    ) -> Changed:
        labels, rows = self.setting.labels, self.claim.rows
        kept = [r for r in range(len(labels)) if r not in removed]
        new = features_of(self.setting.table, [values for values, _ in added])
        return (
            [*(rows[r] for r in kept), *new],
            [*(flipped.get(r, labels[r]) for r in kept), *(label for _, label in added)],
        )

    def _added(self, entry: Sequence[Any]) -> tuple[dict[str, Any], int]:
        """An added row: a value for each column of the claim, and a label."""
        columns = self.claim.line["columns"]
        *values, label = entry
        if len(values) != len(columns):
            raise Rejected("witness", "an added row has not one value for each column.")
        row = {c["name"]: read_values([v], c["how"])[0] for c, v in zip(columns, values, strict=True)}
        for name, value in row.items():
            column = self.setting.table.columns[name]
            if value is None and not column.may_lack:
                raise Rejected("witness", f"an added row lacks {name}, which no row of the table does.")
            if column.zero_one and value not in (0, 1, None):
                raise Rejected("witness", f"an added row has {value!r} in {name}, which holds 0 and 1 only.")
        return row, label

    def _row(self, row: int) -> dict[str, object]:
        return {name: column.values[row] for name, column in self.setting.table.columns.items()}

    def _allowing(self, kind: str, values: Mapping[str, Any], label: int, to: int | None = None) -> list[int]:
        """Components that allow a change of a row that has this label before it."""
        names = self.setting.names
        return [
            i
            for i, (part, count) in enumerate(self.parts)
            if part["kind"] == kind
            and count > 0
            and (to is None or (to != label and ("to" not in part or names[to] in part["to"])))
            and self._holds(part.get("where"), values, label)
        ]

    def _holds(self, where: Condition | None, values: Mapping[str, Any], label: int) -> bool:
        if where is None:
            return True

        def answers(leaf: Condition) -> Answers:
            if leaf["on"] == "label":
                return frozenset({compare(leaf, self.setting.names[label], "")})
            name = leaf["on"]["column"]
            return frozenset({compare(leaf, values[name], self.setting.table.columns[name].float_code)})

        return True in judge(where, answers)

    def _remove(self, row: int, wanted: dict[str, list[list[int]]]) -> None:
        """A row is removed as it is, or after a flip."""
        values, own = self._row(row), self.setting.labels[row]
        direct = self._allowing("fake", values, own)
        if direct:
            wanted["fake"].append(direct)
            return
        for label in self._others(own):
            flip, fake = self._allowing("flip", values, own, label), self._allowing("fake", values, label)
            if flip and fake:
                wanted["flip"].append(flip)
                wanted["fake"].append(fake)
                return
        raise Rejected("witness", f"row {row} may not be removed.")

    def _add(self, values: Mapping[str, Any], label: int, wanted: dict[str, list[list[int]]]) -> None:
        """A row is added as it is, or with another label and flipped."""
        direct = self._allowing("miss", values, label)
        if direct:
            wanted["miss"].append(direct)
            return
        for source in self._others(label):
            miss, flip = self._allowing("miss", values, source), self._allowing("flip", values, source, label)
            if miss and flip:
                wanted["miss"].append(miss)
                wanted["flip"].append(flip)
                return
        raise Rejected("witness", "a row may not be added.")

    def _others(self, label: int) -> Iterator[int]:
        return (j for j in range(len(self.setting.names)) if j != label)

    def _assignable(self, wanted: Sequence[Sequence[int]]) -> bool:
        """Whether each change finds a component with amount left; equal changes are placed together."""
        holders: dict[int, list[int]] = {i: [] for i in range(len(self.parts))}

        def place(change: int, tried: set[int]) -> bool:
            for i in wanted[change]:
                if i in tried:
                    continue
                tried.add(i)
                if len(holders[i]) < self.parts[i][1]:
                    holders[i].append(change)
                    return True
                for k, other in enumerate(holders[i]):
                    if place(other, tried):
                        holders[i][k] = change
                        return True
            return False

        return all(
            place(change, set()) for change in sorted(range(len(wanted)), key=lambda c: len(wanted[c]))
        )
