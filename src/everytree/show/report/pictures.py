"""The pictures of the report, as SVG that stands in the page and takes its font and ink.

Chooses what is drawn; the drawing is done by `everytree.show.plots`.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from everytree.bias import Amount
from everytree.questions.family import family_prepared
from everytree.results.family import AND_OTHERS, as_asked, need_text, rest_text
from everytree.show.plots import AmountsDisplay, CertifiedShareDisplay, TreeFamilyDisplay
from everytree.show.plots.shares import FEW
from everytree.show.report.findings import number
from everytree.show.report.overview import resolved_on

if TYPE_CHECKING:
    from everytree.audit import AuditResult, Cell
    from everytree.results.certification import CertificationResult
    from everytree.show.plots.style import Display

MOST_WITNESSES = 20
"""Tables on which the tree is retrained to see which splits really occur."""

__all__ = ["Picture", "curve", "curves", "family", "svg_of"]


@dataclass(frozen=True)
class Picture:
    """An SVG element, what stands below it, and its place in the plan."""

    svg: str
    caption: str
    sweep: int
    depth: int


def curve(audit: AuditResult, sweep: int, depth: int, groups: tuple[str, ...] = ()) -> Picture | None:
    """Draw the share proved robust against the amount of bias, by group; a heat map for two amounts.

    None where there is a single amount and nothing to draw, or where the amounts have no order on one axis.
    """
    found = audit.of(sweep, depth)
    name = audit.plan.sweeps[sweep].name
    features = list(groups) or None
    display: Any
    if audit.plan.sweeps[sweep].second is not None:
        pairs = {(cell.amount, cell.second): result for cell, result in found.items()}
        if any(first is None for first, _ in pairs):
            return None
        display = AmountsDisplay.from_results(pairs, names=_names(audit, sweep))
        caption = f"{name}, depth {depth}: share of people proved robust for each pair of amounts."
        return Picture(svg_of(display), caption, sweep, depth)
    radius = audit.radius_of(sweep, depth)
    if radius is not None:
        display = CertifiedShareDisplay.from_radius(radius, features, whole=True)
        detail = "each step is the amount at which people lose their proof."
        if not radius.complete:
            detail += " A limit ended the search: more may be robust than is drawn."
        if (radius.lower < 0).any():
            detail += (
                " Who is not proved at 0 gets a label that may hang on a tie between splits as things are."
            )
    elif len(by_amount := _by_amount(audit, sweep, depth)) > 1:
        display = CertifiedShareDisplay.from_results(by_amount, features)
        detail = "measured at the amounts marked."
        if len(audit.plan.sweeps[sweep].model.components) > 1:
            detail = f"measured at the amounts marked, for ? in {audit.plan.sweeps[sweep].model}."
    else:
        return None
    if display.thin:
        detail += f" Thin lines are groups of fewer than {FEW} people."
    caption = f"{name}, depth {depth}: share of people proved robust as the amount of bias grows; {detail}"
    return Picture(svg_of(display), caption, sweep, depth)


def curves(audit: AuditResult, shown: tuple[int, int]) -> list[Picture]:
    """Draw every bias model and depth but the one that is shown already, by the first groups of the plan."""
    groups = audit.plan.groups[0] if audit.plan.groups else ()
    places = [(s, d) for s in range(len(audit.plan.sweeps)) for d in audit.plan.depths if (s, d) != shown]
    drawn = [curve(audit, sweep, depth, groups) for sweep, depth in places]
    return [picture for picture in drawn if picture is not None]


def svg_of(display: Display) -> str:
    """Write a picture; the browser has letters that matplotlib's own font, used for measuring, lacks."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing from", category=UserWarning)
        return display.to_svg()


def _names(audit: AuditResult, sweep: int) -> tuple[str, str]:
    both = audit.plan.sweeps[sweep]
    return str(both.model), str(both.second)


def _by_amount(audit: AuditResult, sweep: int, depth: int) -> dict[Any, Any]:
    """Amount to result; as numbers of records where the plan mixes units, which share no axis.

    Empty where different numbers for the ``?`` of a model add up to the same: they cannot share a place.
    """
    found = audit.of(sweep, depth)
    amounts = {cell: cell.amount for cell in found if cell.amount is not None}
    if len({Amount.of(amount).unit for amount in amounts.values()}) == 1:
        return {amounts[cell]: found[cell] for cell in amounts}
    counts = {cell: _free_counts(audit, cell) for cell in amounts}
    if len(set(map(sum, counts.values()))) < len(set(counts.values())):
        return {}
    return {sum(counts[cell]): found[cell] for cell in amounts}


def _free_counts(audit: AuditResult, cell: Cell) -> tuple[int, ...]:
    """How many records each ``?`` of a bias model stands for in a cell."""
    written = audit.plan.sweeps[cell.sweep].model.components
    resolved = resolved_on(audit, cell.model).components
    return tuple(
        int(part.count)
        for part, component in zip(resolved, written, strict=True)
        if component.amount.unit == "free"
    )


@dataclass(frozen=True)
class FamilySection:
    """The splits that bias could bring about: the picture, and the same as text, node by node."""

    model: str
    depth: int
    levels: int
    svg: str
    nodes: list[SplitList]


@dataclass(frozen=True)
class SplitList:
    """A node of the family: the way to it, its rows, its splits with what each one needs, and the rest."""

    path: str
    rows: str
    splits: list[tuple[str, str]]
    rest: str


def family(audit: AuditResult, cell: Cell) -> FamilySection:
    """Ask which splits the assumption of a cell could bring about, in the deepest tree of the plan."""
    depth = max(audit.plan.depths)
    known = _fewer_witnesses(audit.verdicts[replace(cell, depth=depth)])
    found = family_prepared(audit.prepared[depth], cell.model, witnesses=known)
    nodes = [
        SplitList(
            " and ".join(map(as_asked, node.path)) or "at the root",
            number(node.rows),
            [(as_asked(each.text), need_text(each, node, found.bias)) for each in node.candidates],
            _rest(rest_text(node, found.max_amount)),
        )
        for node in found.root.walk()
    ]
    levels = 1 + max(len(node.path) for node in found.root.walk())
    return FamilySection(str(cell.model), depth, levels, svg_of(TreeFamilyDisplay.from_family(found)), nodes)


def _rest(said: str) -> str:
    """What is said of the features that are not listed, in a row that has them for its name."""
    return "not excluded either, and not listed" if said == AND_OTHERS else said


def _fewer_witnesses(result: CertificationResult) -> CertificationResult:
    """Keep some witnesses that differ from each other: every one of them is learned from again."""
    distinct = {witness.changes: person for person, witness in result.witnesses.items()}
    people = list(distinct.values())
    step = max(1, -(-len(people) // MOST_WITNESSES))
    return replace(result, witnesses={person: result.witnesses[person] for person in people[::step]})
