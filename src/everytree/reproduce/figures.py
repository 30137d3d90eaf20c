"""Computing the panels again: the paper's method beside verdicts that decide everybody, group by group."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from everytree.questions.certify import certify_prepared
from everytree.reproduce.panels import Panel, Stated, paper_panels, stated_shares
from everytree.reproduce.runs import open_all, prepare_tree
from everytree.reproduce.sources import Source, has_paper_tables
from everytree.results.certification import NOT_ROBUST, ROBUST, UNKNOWN
from everytree.support.limits import Limits

if TYPE_CHECKING:
    from collections.abc import Sequence
    from decimal import Decimal

    from numpy.typing import NDArray

    from everytree.learner import Prepared
    from everytree.reproduce.runs import Tick
    from everytree.results.certification import CertificationResult

__all__ = ["FigureReproduction", "PanelWork", "Point", "Share", "reproduce_figure"]

NEIGHBOURS = tuple(sign * step for step in range(1, 6) for sign in (-1, 1))
"""Where to look for the number of records behind a share that comes out differently."""

Masks = dict[str, "NDArray[np.bool_]"]


@dataclass(frozen=True)
class Share:
    """What was found for a group at one amount, in percent of its people.

    Attributes
    ----------
    group : str
    people : int
    paper : Stated or None
        What the paper states; None if it does not.
    interval : float or None
        Certified by the paper's method; None if a limit was reached.
    robust, not_robust, unknown : float
        With the engine "auto".
    """

    group: str
    people: int
    paper: Stated | None
    interval: float | None
    robust: float
    not_robust: float
    unknown: float

    @property
    def differs(self) -> bool:
        """Whether the paper states another number than its method gives here."""
        if self.paper is None or self.paper.about or self.interval is None:
            return False
        return f"{self.interval:.1f}" != f"{self.paper.percent:.1f}"


@dataclass(frozen=True)
class Point:
    """One amount of one panel: the shares of all groups, and a remark where the paper differs."""

    panel: Panel
    percent: Decimal
    records: int
    shares: list[Share]
    seconds: float
    note: str = ""


@dataclass(frozen=True)
class FigureReproduction:
    """All points and what a reader must know about them."""

    points: list[Point]
    on_paper_tables: bool
    remarks: list[str] = field(default_factory=list)

    def panels(self) -> dict[Panel, list[Point]]:
        """Points by panel, in the order of the paper, amounts ascending."""
        found: dict[Panel, list[Point]] = {}
        for point in self.points:
            found.setdefault(point.panel, []).append(point)
        return found


def reproduce_figure(
    figure: str = "all",
    datasets: Sequence[str] = (),
    *,
    time_limit: float = 60.0,
    tick: Tick | None = None,
) -> FigureReproduction:
    """Compute the paper's demographic figures with all three verdicts.

    Parameters
    ----------
    figure : {"all", "demographics", "appendix"}
        The figure of the section "Demographic variations", the one of the appendix, or both.
    datasets : sequence of str
        Only these data sets; by default all that there are tables for.
    time_limit : float
        Seconds for each amount and engine.
    tick : callable, optional
        Called with the number of amounts done and in all.

    Returns
    -------
    FigureReproduction
        On the paper's exact tables if the environment variable EVERYTREE_DATA names their folder,
        otherwise on the bundled ones.
    """
    panels = paper_panels(figure, datasets)
    sources, remarks = open_all([panel.dataset for panel in panels], strict=bool(datasets))
    panels = [panel for panel in panels if panel.dataset in sources]
    total = sum(len(panel.amounts) for panel in panels)
    trees: dict[str, Prepared] = {}
    points: list[Point] = []
    for panel in panels:
        source = sources[panel.dataset]
        if panel.dataset not in trees:
            trees[panel.dataset] = prepare_tree(source, panel.depth)
        work = PanelWork(panel, source, trees[panel.dataset], source.people(), time_limit)
        for percent in panel.amounts:
            if tick is not None:
                tick(len(points), total)
            points.append(work.point(percent))
    if has_paper_tables() and "adult" in sources:
        remarks.append(
            "adult: the table says only whether a person is White, so Non-White stands for the people whom "
            "the paper calls Black."
        )
    return FigureReproduction(points, has_paper_tables(), remarks)


@dataclass(frozen=True, eq=False)
class PanelWork:
    """A panel on its table, ready to compute any amount."""

    panel: Panel
    source: Source
    prepared: Prepared
    people: Masks
    time_limit: float

    def point(self, percent: Decimal) -> Point:
        """Compute one amount, given in percent of the training rows."""
        started = time.monotonic()
        amount = f"{percent}%"
        interval = self._proved(amount)
        decided = self._certify(amount, "auto").verdicts
        paper = stated_shares(self.panel)
        shares = [
            Share(
                group,
                int(mask.sum()),
                paper.get((percent, group)),
                None if interval is None else _percent(interval, mask),
                *(_percent(decided == verdict, mask) for verdict in (ROBUST, NOT_ROBUST, UNKNOWN)),
            )
            for group, mask in self.people.items()
        ]
        n_rows = len(self.prepared.train.y)
        component = self.panel.model(self.source, amount).components[0]
        records = component.amount.rows(n_rows, n_rows)
        note = self._closer_look(percent, records, shares) if has_paper_tables() else ""
        return Point(self.panel, percent, records, shares, time.monotonic() - started, note)

    def _proved(self, amount: str) -> NDArray[np.bool_] | None:
        """Tell whom the paper's method certifies; a search that was cut short says nothing."""
        result = self._certify(amount, "interval")
        return result.verdicts == ROBUST if result.complete else None

    def _certify(self, amount: str, engine: str) -> CertificationResult:
        return certify_prepared(
            self.prepared,
            self.panel.model(self.source, amount),
            engine=engine,
            limits=Limits.of(self.time_limit),
            outer_splits=engine != "interval",
        )

    def _closer_look(self, percent: Decimal, records: int, shares: Sequence[Share]) -> str:
        """Say which stated shares come out differently, and how many records would give them."""
        odd = [share for share in shares if share.differs]
        if not odd:
            return ""
        said = ", ".join(f"{share.group} {share.paper}" for share in odd)
        note = f"{self.panel.title}, {percent}%: the paper states {said}; its method gives "
        note += ", ".join(f"{share.interval:.1f}" for share in odd)
        note += f" with {records} records, the percentage rounded up"
        stated = [share for share in shares if share.paper is not None and not share.paper.about]
        for step in NEIGHBOURS:
            proved = self._proved(str(records + step)) if records + step > 0 else None
            if proved is not None and all(
                f"{_percent(proved, self.people[share.group]):.1f}" == str(share.paper) for share in stated
            ):
                return f"{note}. {records + step} records give what the paper states."
        return f"{note}."


def _percent(holds: NDArray[np.bool_], mask: NDArray[np.bool_]) -> float:
    return 100 * float(np.mean(holds[mask]))
