"""What the report says: the headline, the groups, the assumptions, cell by cell.

Between the audit and the template. It chooses and counts; the words are in `findings` and `method`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from everytree.audit.shown import group_name, title_of
from everytree.bias import explain, in_words, resolve
from everytree.bias.acts import ACTS, ADD, FLIP
from everytree.results.learned import TreeFacts, tree_facts
from everytree.show.report import findings
from everytree.show.report.findings import VerdictCounts
from everytree.show.report.people import amount_of
from everytree.support.version import learner_notes

if TYPE_CHECKING:
    from everytree.audit import AuditResult, Cell
    from everytree.bias import BiasModel, Explanation, ResolvedBias
    from everytree.results.certification import CertificationResult

__all__ = [
    "AmountTable",
    "Assumption",
    "DepthRow",
    "Grouping",
    "Headline",
    "Row",
    "assumptions",
    "by_amount",
    "groupings",
    "headline",
    "resolved_on",
    "table",
]


@dataclass(frozen=True)
class Row:
    """One line of the table of all findings."""

    sweep: int
    bias: str
    amount: str
    depth: int
    tally: VerdictCounts
    complete: bool


@dataclass(frozen=True)
class Grouping:
    """The people of one cell by one choice of columns."""

    columns: tuple[str, ...]
    title: str
    groups: list[VerdictCounts]
    sentence: str


@dataclass(frozen=True)
class AmountTable:
    """Groups against amounts: one row a group, one tally for each amount."""

    bias: str
    depth: int
    title: str
    amounts: list[str]
    rows: list[list[VerdictCounts]]


@dataclass(frozen=True)
class DepthRow:
    """The tree of one depth: how it does, and the verdicts under the assumption of the first screen."""

    depth: int
    facts: TreeFacts
    tally: VerdictCounts


@dataclass(frozen=True)
class Headline:
    """The finding of the first screen: one cell, in words and counts, and the trees of all depths."""

    cell: Cell
    bias: str
    warnings: list[str]
    depths: list[DepthRow]
    tally: VerdictCounts
    lead: str
    sentences: list[str]
    also: str
    groupings: list[Grouping]


@dataclass(frozen=True)
class Amount:
    """One amount of a bias model on the training table."""

    amount: str
    text: str
    counts: str
    tables: tuple[str, str]
    notes: list[str]


@dataclass(frozen=True)
class Assumption:
    """A bias model of the plan: its words, its formula, who is eligible, and what each amount comes to."""

    name: str
    formula: str
    words: str
    eligible: list[tuple[str, str]]
    amounts: list[Amount]
    engine: str


def headline(audit: AuditResult) -> Headline:
    """Choose the cell that the report opens with: first bias model, the deepest tree, its largest amount.

    An amount at which most people are unknown says next to nothing: then it is the largest one at which at
    least half of them are decided, if there is one, and the others are named below it.
    """
    cells = audit.of(0, max(audit.plan.depths))
    ordered = sorted(cells, key=lambda cell: (_records(audit, cell), _counts(audit, cell.model)))
    cell = next((each for each in reversed(ordered) if not _mostly_unknown(cells[each])), ordered[-1])
    ordered = [*(each for each in ordered if each != cell), cell]
    result = cells[cell]
    tally, trees = VerdictCounts.of(result), _depths(audit, cell)
    return Headline(
        cell=cell,
        bias=audit.plan.sweeps[cell.sweep].name,
        warnings=_warnings(trees),
        depths=trees,
        tally=tally,
        lead=findings.lead(cell.model, tally, _counts(audit, cell.model)),
        sentences=findings.finding(
            tally, engine=result.engine, complete=result.complete, reasons=_reasons(result)
        ),
        also=_also(audit, cells, ordered),
        groupings=groupings(audit, result),
    )


def _reasons(result: CertificationResult) -> set[str] | None:
    """Why people are unknown, as far as that is known."""
    if result.reasons is None:
        return None
    return set(filter(None, result.reasons[result.verdicts == "unknown"].tolist())) or None


def _mostly_unknown(result: CertificationResult) -> bool:
    tally = VerdictCounts.of(result)
    return 2 * tally.unknown > tally.people


def _depths(audit: AuditResult, cell: Cell) -> list[DepthRow]:
    """The trees of all depths asked for, under the same assumption."""
    rows = []
    for depth in sorted(audit.plan.depths):
        result = audit.verdicts[replace(cell, depth=depth)]
        facts = tree_facts(result).named(audit.plan.data.shown)
        rows.append(DepthRow(depth, facts, VerdictCounts.of(result)))
    return rows


def _warnings(trees: list[DepthRow]) -> list[str]:
    """Say loudly that scikit-learn is untested, and which trees are no better than the majority."""
    several = len(trees) > 1
    said = [(row.depth, row.facts.warning or row.facts.no_better) for row in trees]
    of_trees = [f"Depth {depth}: {words}" if several else words for depth, words in said if words]
    return [*learner_notes(), *of_trees]


def _and(parts: list[str]) -> str:
    return " and ".join([*filter(None, [", ".join(parts[:-1])]), *parts[-1:]])


def _also(audit: AuditResult, cells: dict[Cell, CertificationResult], ordered: list[Cell]) -> str:
    """Add the other amounts of the same bias model, so that the first number does not stand alone."""
    *others, first = ordered
    parts = []
    for cell in others:
        tally = VerdictCounts.of(cells[cell])
        if tally.people:
            parts.append(f"{findings.share(tally.robust, tally.people)} at {amount_of(cell)}")
    if not parts:
        return ""
    listed = _and(parts)
    less = all(_is_less(audit, cell, first) for cell in others)
    where = "With less of the same bias" if less else "At the other amounts of this bias model"
    open_at = [amount_of(cell) for cell in others if _is_less(audit, first, cell)]
    left = f" With {_and(open_at)} most people are unknown." if open_at else ""
    return f"{where}, the share that is proved is {listed}.{left}"


def _is_less(audit: AuditResult, cell: Cell, other: Cell) -> bool:
    """Whether no component of one cell may touch more records than in the other, and some may touch fewer."""
    counts, limits = _counts(audit, cell.model), _counts(audit, other.model)
    return counts != limits and all(a <= b for a, b in zip(counts, limits, strict=True))


def _records(audit: AuditResult, cell: Cell) -> int:
    """How many records the bias model of a cell may touch."""
    resolved = resolved_on(audit, cell.model)
    return int(sum(resolved.budgets))


def _counts(audit: AuditResult, model: BiasModel) -> list[int]:
    return [int(part.count) for part in resolved_on(audit, model).components]


def resolved_on(audit: AuditResult, model: BiasModel) -> ResolvedBias:
    """Read a bias model against the training table of the audit."""
    train = next(iter(audit.prepared.values())).train
    return resolve(model, train)


def table(audit: AuditResult) -> list[Row]:
    """All findings, in the order of the plan."""
    return [
        Row(
            cell.sweep,
            audit.plan.sweeps[cell.sweep].name,
            amount_of(cell),
            cell.depth,
            VerdictCounts.of(result),
            result.complete,
        )
        for cell, result in audit.verdicts.items()
    ]


def groupings(audit: AuditResult, result: CertificationResult) -> list[Grouping]:
    """Count the people of a result by every choice of groups in the plan."""
    everybody = VerdictCounts.of(result)
    found = []
    for columns in audit.plan.groups:
        counted = result.by_group(list(columns))
        groups = [
            VerdictCounts(_count(row, "robust"), _count(row, "not robust"), _count(row, "unknown"), name)
            for name, row in _rows(counted)
        ]
        named = [
            replace(group, name=group_name(columns, key, result.frame))
            for group, key in zip(groups, counted.index, strict=True)
        ]
        sentence = findings.differs_most(named, everybody, audit.plan.smallest_group)
        found.append(Grouping(columns, title_of(columns, result.frame), groups, sentence))
    return found


def by_amount(audit: AuditResult) -> list[AmountTable]:
    """Set the groups against the amounts: a table for every bias model, depth and choice of groups."""
    made = []
    for number, sweep in enumerate(audit.plan.sweeps):
        for depth in audit.plan.depths:
            cells = audit.of(number, depth)
            found = [groupings(audit, result) for result in cells.values()]
            for place in range(len(audit.plan.groups)):
                tallies = [each[place].groups for each in found]
                made.append(
                    AmountTable(
                        bias=sweep.name,
                        depth=depth,
                        title=found[0][place].title,
                        amounts=[amount_of(cell) for cell in cells],
                        rows=[list(row) for row in zip(*tallies, strict=True)],
                    )
                )
    return made


def _rows(frame: Any) -> list[tuple[str, dict[str, float]]]:
    names = [", ".join(map(str, key)) if isinstance(key, tuple) else str(key) for key in frame.index]
    return list(zip(names, frame.to_dict(orient="records"), strict=True))


def _count(row: dict[str, float], verdict: str) -> int:
    return round(row[verdict] * row["n"])


def assumptions(audit: AuditResult) -> list[Assumption]:
    """Explain every bias model of the plan on the training table."""
    train = next(iter(audit.prepared.values())).train
    said = []
    for sweep in audit.plan.sweeps:
        explained: list[tuple[str, Explanation]] = []
        for amount, second, model in sweep.models():
            resolved = resolved_on(audit, model)
            name = " and ".join(a for a in (amount, second) if a is not None) or "as written"
            explained.append((name, explain(model, resolved, train)))
        whole = sweep.model if sweep.second is None else sweep.model + sweep.second
        said.append(
            Assumption(
                name=sweep.name,
                formula=str(whole),
                words=in_words(whole),
                eligible=_eligible(whole, explained[0][1]),
                amounts=[_amount(name, each) for name, each in explained],
                engine=sweep.engine,
            )
        )
    return said


def _eligible(model: BiasModel, explanation: Explanation) -> list[tuple[str, str]]:
    rows = findings.number(explanation.n_rows)
    said = []
    for component, part in zip(model.components, explanation.components, strict=True):
        if component.where is None:
            words = f"all {rows} training rows are eligible."
        else:
            words = f"{findings.number(part.eligible)} of {rows} training rows satisfy the condition."
        if ADD in component.acts:
            words = words.replace("are eligible", "are of this kind") + " Missing rows are new ones."
        said.append((str(component), words))
    return said


def _amount(name: str, explanation: Explanation) -> Amount:
    acts = (*ACTS[FLIP:], ACTS[ADD])  # additions are named last
    budgets = [(getattr(explanation, act.budget), act) for act in acts]
    counts = [f"{findings.number(n)} {act.noun}{'s' * (n != 1)} {act.changed}" for n, act in budgets if n]
    return Amount(
        amount=name,
        text=explanation.text,
        counts=("up to " + ", ".join(counts)) if counts else "nothing",
        tables=findings.sizes(explanation.log10_tables),
        notes=[part.note for part in explanation.components if part.note],
    )
