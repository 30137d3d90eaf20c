"""The findings in plain words: one place where counts become sentences.

The lowest file of the report. It gets counts and bias models and returns text; it never counts people itself.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from everytree.bias import BiasModel, in_words
from everytree.table.groups import SMALLEST_COMPARED

if TYPE_CHECKING:
    from everytree.results.certification import CertificationResult

__all__ = [
    "VerdictCounts",
    "assumption",
    "differs_most",
    "finding",
    "lead",
    "number",
    "share",
    "sizes",
    "undecided",
]


@dataclass(frozen=True)
class VerdictCounts:
    """How many people have which verdict: everybody, or one group."""

    robust: int
    not_robust: int
    unknown: int
    name: str = ""

    @property
    def people(self) -> int:
        """Everybody who was counted."""
        return self.robust + self.not_robust + self.unknown

    @classmethod
    def of(cls, result: CertificationResult) -> VerdictCounts:
        """Count the people of a result."""
        counts = result.counts()
        return cls(int(counts["robust"]), int(counts["not robust"]), int(counts["unknown"]))

    def besides(self, part: VerdictCounts) -> VerdictCounts:
        """Everybody who is counted here and not in `part`."""
        return VerdictCounts(
            self.robust - part.robust, self.not_robust - part.not_robust, self.unknown - part.unknown
        )


def number(count: int) -> str:
    """Write a count with commas."""
    return f"{count:,}"


def persons(count: int) -> str:
    """Write a number of people.

    Examples
    --------
    >>> persons(1), persons(1543)
    ('1 person', '1,543 people')
    """
    return f"{number(count)} {'person' if count == 1 else 'people'}"


def share(count: int, people: int) -> str:
    """Write a share in percent; "0%" and "100%" stand for none and all, never for a rounded number.

    Examples
    --------
    >>> share(0, 9), share(1, 9999), share(2, 3), share(9998, 9999), share(9, 9)
    ('0%', '<0.1%', '66.7%', '>99.9%', '100%')
    """
    if count in (0, people):
        return "0%" if count == 0 else "100%"
    percent = 100 * count / people
    if percent < 0.05:
        return "<0.1%"
    return ">99.9%" if percent >= 99.95 else f"{percent:.1f}%"


def assumption(model: BiasModel, counts: Sequence[int]) -> str:
    """Say a bias model as the beginning of a sentence that goes on with what follows from it.

    `counts` holds the amount of each component as a number of rows, which is said behind a percentage.

    Examples
    --------
    >>> from everytree.bias import parse
    >>> assumption(parse("flip(0.5%, where label == 1) + miss(1)"), [24, 1])[:60]
    'If up to 0.5% of all training rows (24) have a wrong label, '
    """
    parts = [
        _clause(BiasModel((component,)), count if component.amount.unit in ("table", "group") else None)
        for component, count in zip(model.components, counts, strict=True)
    ]
    return "If " + ", and ".join(parts)


def _clause(model: BiasModel, count: int | None) -> str:
    (component,) = model.components
    one = component.amount.unit == "rows" and component.amount.value == 1
    kind = component.definition
    # The words of the amount come first, so the first match is never in a value of the user's.
    before, after = in_words(model).removesuffix(".").split(kind.doubt, 1)
    before = before.replace(" row", " training row", 1)
    if count is not None:
        before += f"({number(count)}) "
    return before[0].lower() + before[1:] + (kind.fact if one else kind.facts) + after


def _whatever(model: BiasModel) -> str:
    kinds = {component.definition for component in model.components}
    return kinds.pop().whichever if len(kinds) == 1 else "whichever rows are concerned"


def lead(model: BiasModel, tally: VerdictCounts, counts: Sequence[int]) -> str:
    """Say who keeps their prediction, in one sentence: the first one of a report."""
    robust, people = tally.robust, tally.people
    if people == 1:
        who = "the one person keeps the prediction" if robust else "no proof was found for the one person"
    elif robust == people:
        who = f"all {number(people)} people keep their prediction"
    elif robust == 0:
        who = f"for none of the {number(people)} people is the prediction proved to stay the same"
    elif tally.unknown:
        verb = "is proved to keep the" if robust == 1 else "are proved to keep their"
        who = f"{share(robust, people)} of the {number(people)} people {verb} prediction"
    else:
        verb = "keeps the" if robust == 1 else "keep their"
        who = f"{share(robust, people)} of the {number(people)} people {verb} prediction"
    ending = f", {_whatever(model)}" if robust else ""
    return f"{assumption(model, counts)}, {who}{ending}."


ENDED = {
    "time": "The time limit ended the search early; more time may decide some of the unknown.",
    "memory": "The memory limit ended the search early; more memory may decide some of the unknown.",
    "paths": "Trees of this depth have more paths than can be kept; a smaller depth may be decided.",
}
"""What ended a search, by the reason for which somebody is unknown."""

TIED = (
    "For some of the unknown the label depends on how ties between splits are broken, and with the given "
    "seed they never are broken so."
)

NEITHER = "Neither a proof nor a witness was found"

UNDECIDED = {
    "time": f"{NEITHER} before the time limit.",
    "memory": f"{NEITHER} within the memory limit.",
    "paths": f"{NEITHER}: trees of this depth have more paths than can be kept.",
    "tie": f"{NEITHER}. The label depends on how ties are broken, and with the given seed they never are "
    "broken so.",
    "close": "No witness was found, and nothing can be proved: values of a column are so close that "
    "scikit-learn may treat them as one.",
    "interrupted": f"{NEITHER} before the search was interrupted.",
    "not settled": f"{NEITHER}, and everything that there is to try was tried.",
}
"""What is said to one person who is unknown, by the reason."""


def undecided(reason: str, engine: str, complete: bool) -> str:
    """Say why one person is unknown, as far as that is known.

    Examples
    --------
    >>> undecided("", "auto", True), undecided("time", "auto", False)[-23:]
    ('Neither a proof nor a witness was found.', 'before the time limit.')
    """
    if reason == "not settled" and engine != "auto":
        return f"No proof was found, and the engine “{engine}” looks for nothing else."
    if reason in UNDECIDED:
        return UNDECIDED[reason]
    return f"{NEITHER}." if complete else f"{NEITHER} before a limit ended the search."


def finding(
    tally: VerdictCounts, *, engine: str, complete: bool, reasons: Collection[str] | None = None
) -> list[str]:
    """Say what was found about the people who are not proved robust; one sentence for each thing.

    `reasons` are those for which people are unknown, None where they are not known.
    """
    people, others = tally.people, tally.not_robust + tally.unknown
    if others == 0:
        return ["This is proved for everybody: no witness against it exists."]
    said = []
    if tally.not_robust:
        who = _who(tally.not_robust, people)
        said.append(f"For {who} there are records whose change, within this assumption, gives another label.")
    elif engine == "auto":
        said.append("For nobody were records found whose change gives another label.")
    if tally.unknown:
        who = _who(tally.unknown, people)
        said.append(f"For {who} neither a proof nor such records were found: the verdict is unknown.")
    else:
        said.append("Nobody is left undecided.")
    if tally.unknown and engine != "auto":
        said.append(f"The engine “{engine}” only looks for proofs and never for records that change a label.")
    if not complete and tally.unknown and reasons is None:
        said.append(
            "A time or memory limit ended the search early; more time may decide some of the unknown."
        )
    elif not complete and tally.unknown:
        said += [words for reason, words in ENDED.items() if reason in (reasons or ())]
    if tally.unknown and "tie" in (reasons or ()):
        said.append(TIED)
    return said


def _who(count: int, people: int) -> str:
    if people == 1:
        return "this person"
    if count == people:
        return "everybody"
    return f"{persons(count)} ({share(count, people)})"


def differs_most(
    groups: Sequence[VerdictCounts], everybody: VerdictCounts, smallest: int = SMALLEST_COMPARED
) -> str:
    """Name the group whose share of proved predictions differs most from that of all other people.

    Of two groups both are named: neither differs more than the other. Groups of fewer than `smallest` people
    are passed over, and so is one with fewer others.
    """
    if len(groups) < 2:
        return "All people are in one group, so nothing can be compared."
    large = [group for group in groups if group.people >= smallest]
    compared = [group for group in large if everybody.people - group.people >= smallest]
    if not large:
        return f"No group has {smallest} people or more, so none is singled out here."
    if not compared:
        return f"Fewer than {smallest} people are in other groups, so none is singled out here."

    def gap(group: VerdictCounts) -> float:
        rest = everybody.besides(group)
        return abs(group.robust * rest.people - rest.robust * group.people) / (group.people * rest.people)

    most = max(compared, key=gap)
    passed_over = (
        f" Groups of fewer than {smallest} people are listed, but not compared."
        if len(compared) < len(groups)
        else ""
    )
    if gap(most) == 0 and everybody.robust == 0:
        return f"Nobody is proved robust in any group.{_changed_most(compared, everybody)}{passed_over}"
    if gap(most) == 0:
        return f"The share of proved predictions is the same in every group compared.{passed_over}"
    if len(groups) == 2:
        said = f"Proved robust are {_of_both(groups, [group.robust for group in groups])}."
        return said + _may_be_made_up(groups[0], groups[1], [group.name for group in groups])
    rest = everybody.besides(most)
    return (
        f"The group “{most.name}” differs most: {share(most.robust, most.people)} of its "
        f"{number(most.people)} people are proved robust, and {share(rest.robust, rest.people)} of the other "
        f"{number(rest.people)} people."
        f"{_may_be_made_up(most, rest, ['the group', 'the others'])}{passed_over}"
    )


def _may_be_made_up(one: VerdictCounts, other: VerdictCounts, names: Sequence[str]) -> str:
    """Say that people who are unknown could make up a difference in proofs; empty where they cannot."""
    less, more = sorted((one, other), key=lambda tally: tally.robust / tally.people)
    if (less.robust + less.unknown) * more.people < more.robust * less.people:
        return ""
    if less.unknown == 0:  # the shares are equal
        return ""
    open_ones = [
        f"{share(tally.unknown, tally.people)} of {name}"
        for tally, name in zip((one, other), names, strict=True)
    ]
    return f" The difference may be one in what is undecided: {' and '.join(open_ones)} are unknown."


def _of_both(groups: Sequence[VerdictCounts], counts: Sequence[int]) -> str:
    return " and ".join(
        f"{share(count, group.people)} of the {number(group.people)} people with {group.name}"
        for group, count in zip(groups, counts, strict=True)
    )


def _changed_most(groups: Sequence[VerdictCounts], everybody: VerdictCounts) -> str:
    """Name the group whose share of refuted predictions differs most; nothing where it is the same in all."""

    def parts(group: VerdictCounts) -> tuple[float, float]:
        rest = everybody.besides(group)
        return group.not_robust / group.people, rest.not_robust / rest.people

    most = max(groups, key=lambda group: abs(parts(group)[0] - parts(group)[1]))
    rest = everybody.besides(most)
    if most.not_robust * rest.people == rest.not_robust * most.people:
        return ""
    if len(groups) == 2 and sum(group.people for group in groups) == everybody.people:
        return f" There are witnesses for {_of_both(groups, [group.not_robust for group in groups])}."
    return (
        f" The group “{most.name}” differs most in witnesses: there are some for "
        f"{share(most.not_robust, most.people)} of its {number(most.people)} people, and for "
        f"{share(rest.not_robust, rest.people)} of the other {number(rest.people)} people."
    )


def sizes(log10_tables: float) -> tuple[str, str]:
    """Write a number of tables as text and an exponent of ten that may follow it.

    Examples
    --------
    >>> sizes(86.4), sizes(0.0), sizes(float("inf"))
    (('about 10', '86.4'), ('1', ''), ('infinitely many', ''))
    """
    if log10_tables == float("inf"):
        return "infinitely many", ""
    if log10_tables < 6:
        return number(round(10**log10_tables)), ""
    return "about 10", f"{log10_tables:.1f}"
