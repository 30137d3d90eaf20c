"""Where added rows can lie, up to what a learner can tell apart: finitely many places in every feature.

Used by `everytree.refute.small_sets`. The line of a feature is cut at chosen *points*; a place is a point or
the open stretch between two of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import pairwise, product
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from everytree.bias.acts import ADD
from everytree.bias.language.expressions import constants_of, leaves
from everytree.prove.views import LARGEST
from everytree.table.gaps import FEATURE_STEP, LARGEST_STEP

if TYPE_CHECKING:
    from everytree.prove.problem import Problem
    from everytree.table import Column

Bounds = tuple[float, float]
"""low < value <= high, as in regions."""


class Place(NamedTuple):
    """A set of values of one feature.

    ``rank`` orders places; ``position`` counts points (odd) and stretches between them (even), of which a
    stretch has several ranks, one for each row that may be added: its parts, from 1 on. The values lie
    between `low` and `high`.
    ``within`` are bounds for all of its values, ``examples`` tighter ones for values to try.
    """

    rank: int
    position: int
    low: float
    high: float
    within: Bounds
    examples: tuple[Bounds, ...]
    part: int = 0

    def may_touch(self, other: Place) -> bool:
        """Whether a value here and one there may be so close that the learner does not split between them."""
        stretch = self.position % 2 == 0 or other.position % 2 == 0
        return stretch and abs(self.position - other.position) <= 2


class Axis:
    """The places of one feature: its training values, further points, and what lies between and beyond.

    Soundness
    ---------
    Every value is in some place, and the values of a place have the same order to all training values. A
    value so close to a point that the learner does not split between them counts as that point (hence the
    slack around points), unless another added row is just as close: then all of them lie in the
    stretches, in their true order, for which a stretch has as many ranks as rows may be added. Splits
    between such values may exist or not (`may_touch`); between two points one always exists, as
    `check_gaps` sees to. Thresholds are only known to lie in an interval that the places of both sides
    give. What is missing is a point by itself, `missing`, behind or before all others.
    """

    def __init__(
        self, values: Iterable[float], boolean: bool, further: Iterable[float], additions: int
    ) -> None:
        holes = {value for value in map(float, values) if np.isinf(value)}
        known = sorted({0.0, 1.0} if boolean else set(map(float, values)) - holes)
        points = list(known)
        if not boolean:
            apart = 3 * (additions + 1) * LARGEST_STEP
            with np.errstate(over="ignore"):
                rounded = np.array(list(further), np.float64).astype(np.float32)
            for value in rounded.tolist():
                if np.isfinite(value) and all(abs(value - point) > apart for point in points):
                    points.append(value)
        points.sort()
        self.of_value: dict[float, Place] = {}
        self.places: list[Place] = []
        ranks = additions + 1
        for i, point in enumerate(points):
            place = _point(point, 2 * i + 1, ranks, exact=boolean or additions == 0)
            self.places.append(place)
            if point in known:
                self.of_value[point] = place._replace(low=point, high=point)
        if not boolean and additions:
            for i, (low, high) in enumerate(zip([-np.inf, *points], [*points, np.inf], strict=True)):
                first, last = -float(_before(-low)), float(_before(high))
                for k, example in enumerate(_parts(low, high, additions), start=1):
                    rank = 2 * i * ranks + k
                    self.places.append(Place(rank, 2 * i, first, last, (low, last), (example,), k))
        self.missing: Place | None = None
        for end in holes:
            position = 2 * len(points) + 5 if end > 0 else -5
            within = (LARGEST, np.inf) if end > 0 else (-np.inf, -LARGEST)
            self.missing = Place(position * ranks, position, end, end, within, (within,))
            self.of_value[end] = self.missing


def _point(value: float, position: int, ranks: int, exact: bool) -> Place:
    """Give a point, with those values around it that the learner cannot tell from it."""
    before, after = float(_before(value)), -float(_before(-value))
    examples = [(before, value)]
    low = high = value
    if not exact and np.float32(before) + FEATURE_STEP >= np.float32(value):
        low = value - LARGEST_STEP
        examples.append((value + 1.4 * (before - value), before))
    if not exact and np.float32(value) + FEATURE_STEP >= np.float32(after):
        high = value + LARGEST_STEP
        examples.append((value + 0.6 * (after - value), after))
    return Place(position * ranks, position, low, high, (min(low, before), high), tuple(examples))


def _before(value: float) -> np.float32:
    """Give the next smaller float32; infinity stays what it is."""
    return np.nextafter(np.float32(value), np.float32(-np.inf)) if np.isfinite(value) else np.float32(value)


def _parts(low: float, high: float, how_many: int) -> list[Bounds]:
    """Cut a stretch without its ends into so many parts, from left to right."""
    if np.isinf(low):
        ends = [low, *(high - 2.0 * k for k in range(how_many - 1, 0, -1)), high]
    elif np.isinf(high):
        ends = [low, *(low + 2.0 * k for k in range(1, how_many)), high]
    else:
        ends = [low + (high - low) * k / how_many for k in range(how_many + 1)]
    ends[-1] = float(_before(high))
    return list(pairwise(ends))


def axes(problem: Problem, further: dict[int, list[float]]) -> list[Axis]:
    """One axis for each feature, cut at training values and further points."""
    columns = problem.columns
    return [
        Axis(
            columns.values[columns.starts[j] : columns.starts[j + 1]],
            bool(columns.boolean[j]) and problem.bias.additions > 0,
            further.get(int(columns.source[j]), []),
            problem.bias.additions,
        )
        for j in range(len(columns.boolean))
    ]


def constants(problem: Problem) -> dict[int, list[float]]:
    """Numbers that conditions of missing rows compare a feature with."""
    by_name = {c.name: c.features[0] for c in problem.table.columns if c.encoding == "identity"}
    found: dict[int, list[float]] = {}
    for resolved in problem.bias.components:
        if ADD not in resolved.component.acts:
            continue
        for leaf in leaves(resolved.component.where):
            if leaf.column in by_name:
                numbers = [float(v) for v in constants_of(leaf) if isinstance(v, int | float)]
                found.setdefault(by_name[leaf.column], []).extend(numbers)
    return found


def turning_points(problem: Problem, person: Iterable[float]) -> dict[int, list[float]]:
    """Values for which the midpoint to some training value is the person's own value."""
    columns = problem.columns
    known = (columns.values[columns.starts[j] : columns.starts[j + 1]] for j in range(len(columns.boolean)))
    return {
        j: [2 * float(x) - float(a) for a in values if np.isfinite(x) and np.isfinite(a)]
        for j, (x, values) in enumerate(zip(person, known, strict=True))
    }


def at_least(problem: Problem) -> float:
    """Bound the number of combinations from below, before any place is made: there may be far too many.

    Between, before and beyond k values there are k + 1 stretches, each with a rank for every added row.
    """
    columns, n_features = problem.columns, problem.views.n_features
    sizes = (columns.starts[1:] - columns.starts[:-1])[:n_features]
    sizes = (sizes - problem.views.holes)[~columns.boolean[:n_features]].astype(np.float64)
    return float(np.prod(sizes + (sizes + 1) * problem.bias.additions))


def how_many(problem: Problem, lines: list[Axis]) -> int:
    """Number of combinations that `combinations` gives."""
    return int(np.prod([float(len(choices)) for choices in _choices(problem, lines)]).clip(max=1e15))


def combinations(problem: Problem, lines: list[Axis]) -> Iterator[tuple[Place, ...]]:
    """Every place that an added row can take in all features together."""
    for parts in product(*_choices(problem, lines)):
        chosen = {feature: place for part in parts for feature, place in part}
        yield tuple(chosen[j] for j in range(len(lines)))


def _choices(problem: Problem, lines: list[Axis]) -> list[list[tuple[tuple[int, Place], ...]]]:
    """For every column the places of its features; one-hot features are 1 at most once."""
    choices: list[list[tuple[tuple[int, Place], ...]]] = []
    onehot = [column for column in problem.table.columns if column.encoding == "onehot"]
    together = {feature for column in onehot for feature in column.features}
    second = {int(j): problem.views.n_features + i for i, j in enumerate(problem.views.doubled)}
    for j, line in enumerate(lines[: problem.views.n_features]):
        if j in second:
            choices.append(_in_both_views(lines, j, second[j]))
        elif j not in together:
            choices.append([((j, place),) for place in line.places])
    return choices + [_categories(column, lines) for column in onehot]


def _in_both_views(lines: list[Axis], first: int, second: int) -> list[tuple[tuple[int, Place], ...]]:
    """The places of a feature that is shown twice: its values, and what is missing if a row lacks it."""
    pairs = list(zip(lines[first].places, lines[second].places, strict=True))
    holes = lines[first].missing, lines[second].missing
    if holes[0] is not None and holes[1] is not None:
        pairs.append((holes[0], holes[1]))
    return [((first, one), (second, other)) for one, other in pairs]


def _categories(column: Column, lines: list[Axis]) -> list[tuple[tuple[int, Place], ...]]:
    """The known categories, and all zeros for every category that training never saw."""
    return [
        tuple((j, lines[j].places[int(j == one)]) for j in column.features) for one in (*column.features, -1)
    ]
