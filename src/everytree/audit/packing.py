"""A result as plain values, and back: what a cell keeps of it, without the tables and without seconds.

What many people share (ranges, witnesses, pools of interchangeable rows) is stored once.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from everytree.audit.digests import spelt
from everytree.questions.metrics import check_names
from everytree.questions.range_rows import COLUMNS, index_levels
from everytree.refute.storage import rows_like
from everytree.refute.witness import Witness
from everytree.results.certification import NOT_ROBUST, ROBUST, UNKNOWN, CertificationResult
from everytree.results.radii import RadiusResult
from everytree.results.ranges import MetricRanges

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from everytree.bias import BiasModel
    from everytree.learner import Prepared
    from everytree.table import TrainingTable

__all__ = ["Plain", "pack", "pack_radius", "pack_ranges", "unpack", "unpack_radius", "unpack_ranges"]

LETTERS = {ROBUST: "r", NOT_ROBUST: "n", UNKNOWN: "u"}
WORDS = {letter: verdict for verdict, letter in LETTERS.items()}

Plain = dict[str, Any]


def pack(result: CertificationResult) -> Plain:
    """Turn verdicts into values that JSON can hold; `unpack` restores them.

    The tables, the predictions and the bias model are not part of it: they are what a cell was asked.
    """
    train = _train_of(result)
    codes = {label: code for code, label in enumerate(result.labels.tolist())}
    possible, possible_of = _distinct(tuple(codes[v] for v in labels) for labels in result.possible_labels)
    ranges, ranges_of = np.unique(
        result.probability_ranges.reshape(len(result), -1), axis=0, return_inverse=True
    )
    return {
        "verdicts": "".join(LETTERS[str(verdict)] for verdict in result.verdicts),
        "possible": possible,
        "possible_of": possible_of,
        "ranges": ranges.tolist(),
        "ranges_of": ranges_of.ravel().tolist(),
        **_pack_words("reasons", result.reasons),
        **_pack_words("proofs", result.proofs),
        "engine": result.engine,
        "complete": result.complete,
        "statistics": {k: v for k, v in sorted(result.statistics.items()) if k != "seconds"},
        **_pack_witnesses(result.witnesses, train),
    }


def unpack(content: Plain, prepared: Prepared, model: BiasModel) -> CertificationResult:
    """Restore what `pack` kept of the verdicts on these tables under this bias model."""
    labels = prepared.train.labels
    names = labels.tolist()
    n_people = len(prepared.test.X)
    sets = [tuple(names[code] for code in codes) for codes in content["possible"]]
    ranges = np.array(content["ranges"], np.float64).reshape(-1, len(labels), 2)
    return CertificationResult(
        verdicts=np.array([WORDS[letter] for letter in content["verdicts"]], "<U10"),
        predictions=labels[prepared.predictions],
        possible_labels=[sets[place] for place in content["possible_of"]],
        probability_ranges=ranges[np.array(content["ranges_of"], np.int64)].reshape(n_people, -1, 2),
        labels=labels,
        bias=model,
        learner=str(prepared.learner),
        engine=content["engine"],
        complete=content["complete"],
        frame=prepared.test.frame,
        index=prepared.test.index,
        statistics=dict(content["statistics"]),
        witnesses=_unpack_witnesses(content, prepared),
        prepared=prepared,
        reasons=_unpack_words(content, "reasons"),
        proofs=_unpack_words(content, "proofs"),
        probabilities=prepared.probabilities,
        notes=prepared.notes_for(model),
    )


def pack_radius(result: RadiusResult, train: TrainingTable) -> Plain:
    """Turn radii into values that JSON can hold; `unpack_radius` restores them."""
    return {
        "lower": result.lower.tolist(),
        "upper": [int(amount) if np.isfinite(amount) else None for amount in result.upper],
        "max_amount": result.max_amount,
        "complete": result.complete,
        **_pack_witnesses(result.witnesses, train),
    }


def unpack_radius(content: Plain, prepared: Prepared, family: BiasModel) -> RadiusResult:
    """Restore what `pack_radius` kept of the radii on these tables in this family."""
    upper = [np.inf if amount is None else float(amount) for amount in content["upper"]]
    return RadiusResult(
        lower=np.array(content["lower"], np.int64),
        upper=np.array(upper, np.float64),
        family=family,
        max_amount=content["max_amount"],
        predictions=prepared.train.labels[prepared.predictions],
        witnesses=_unpack_witnesses(content, prepared),
        frame=prepared.test.frame,
        index=prepared.test.index,
        complete=content["complete"],
        notes=prepared.notes_for(family),
    )


def pack_ranges(ranges: MetricRanges, train: TrainingTable) -> Plain:
    """Turn ranges into values that JSON can hold; `unpack_ranges` restores them but for the known tables.

    Groups are kept by their places: their values are in the table of people.
    """
    metrics, *_ = ranges.index.levels
    return {
        "metrics": metrics.tolist(),
        "places": [codes.tolist() for codes in ranges.index.codes],
        "columns": {str(name): values.tolist() for name, values in ranges.table.items()},
        "positive": train.labels.tolist().index(ranges.positive),
        "tables": ranges.tables,
    }


def unpack_ranges(
    content: Plain, groups: pd.DataFrame | None, train: TrainingTable, model: BiasModel
) -> MetricRanges:
    """Restore what `pack_ranges` kept for people in these groups under this bias model."""
    features = {"group": []} if groups is None else check_names(groups)
    levels = index_levels(content["metrics"], features)
    index = pd.MultiIndex(levels=levels, codes=content["places"], names=["metric", *features])
    table = pd.DataFrame(content["columns"], index=index, columns=list(COLUMNS))
    return MetricRanges(
        table, str(model), train.labels.tolist()[content["positive"]], [None] * content["tables"]
    )


def _pack_words(name: str, words: NDArray[np.str_] | None) -> Plain:
    """One of a few words a person."""
    if words is None:
        return {}
    different, places = _distinct(words.tolist())
    return {name: different, f"{name}_of": places}


def _unpack_words(content: Plain, name: str) -> NDArray[np.str_] | None:
    if name not in content:
        return None
    return np.array([content[name][place] for place in content[f"{name}_of"]], np.str_)


def _train_of(result: CertificationResult) -> TrainingTable:
    if result.prepared is None:
        raise ValueError("A result without its tables cannot be packed.")
    return result.prepared.train


def _distinct(values: Iterable[Any]) -> tuple[list[Any], list[int]]:
    """List different values once, in the order they come, and give the place of each one's own."""
    places: dict[Any, int] = {}
    of = [places.setdefault(value, len(places)) for value in values]
    return list(places), of


class _Pools:
    """Pools of interchangeable rows, each listed once; the arrays themselves are shared by many people."""

    def __init__(self) -> None:
        self.places: dict[tuple[int, ...], int] = {}
        self.seen: dict[int, int] = {}

    def place(self, pool: NDArray[np.int64]) -> int:
        if id(pool) not in self.seen:
            self.seen[id(pool)] = self.places.setdefault(tuple(pool.tolist()), len(self.places))
        return self.seen[id(pool)]


def _pack_witnesses(witnesses: dict[int, Witness], train: TrainingTable) -> Plain:
    codes = {label: code for code, label in enumerate(train.labels.tolist())}
    pools = _Pools()
    ordered = sorted(witnesses.items())
    changes, change_of = _distinct(_change(witness, codes, pools, train) for _, witness in ordered)
    people = [
        [person, place, codes[witness.after]]
        for (person, witness), place in zip(ordered, change_of, strict=True)
    ]
    return {"witnesses": people, "changes": changes, "pools": list(pools.places)}


def _change(witness: Witness, codes: dict[Any, int], pools: _Pools, train: TrainingTable) -> tuple[Any, ...]:
    """The changes of one witness: flips, removals, added rows, interchangeable rows, seed."""
    change = witness.change.relabelled(codes)
    rows = tuple(
        tuple(_value(value, place, train) for place, value in enumerate(row)) for row in change.added
    )
    used = tuple((pools.place(pool), int(count)) for pool, count in witness.alternatives)
    flipped = tuple((int(row), label) for row, label in change.flipped.items())
    return flipped, tuple(map(int, change.removed)), rows, change.labels, used, witness.random_state


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


def _value(value: Any, place: int, train: TrainingTable) -> Any:
    """A value of an added row; one that JSON does not know is named by a training row that has it."""
    value = _plain(value)
    if value is None or isinstance(value, bool | int | float | str):
        return value
    known = map(spelt, train.frame.iloc[:, place].tolist())  # pd.NA and arrays cannot be compared
    return ("row", list(known).index(spelt(value)))


def _unpack_witnesses(content: Plain, prepared: Prepared) -> dict[int, Witness]:
    train = prepared.train
    names = train.labels.tolist()
    pools = [np.array(pool, np.int64) for pool in content["pools"]]
    parts = [_parts(change, train, pools) for change in content["changes"]]
    before = train.labels[prepared.predictions].tolist()
    return {
        person: _witness(parts[place], before[person], names[after], train)
        for person, place, after in content["witnesses"]
    }


def _parts(change: list[Any], train: TrainingTable, pools: list[NDArray[np.int64]]) -> tuple[Any, ...]:
    flipped, removed, rows, labels, used, seed = change
    values = [
        [train.frame.iloc[:, c].tolist()[v[1]] if isinstance(v, list) else v for c, v in enumerate(row)]
        for row in rows
    ]
    added = rows_like(train.frame, values)
    added[train.label_name] = train.labels[labels] if labels else []
    names = train.labels.tolist()
    return (
        {row: names[code] for row, code in flipped},
        list(removed),
        added,
        [(pools[place], count) for place, count in used],
        seed,
    )


def _witness(parts: tuple[Any, ...], before: Any, after: Any, train: TrainingTable) -> Witness:
    flipped, removed, added, alternatives, seed = parts
    return Witness(
        dict(flipped), list(removed), added, before, after, train.label_name, list(alternatives), seed
    )
