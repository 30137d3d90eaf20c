"""The page: templates, style and scripts put together with the content, and written whole or not at all.

The top of the room. The same audit gives the same bytes.
"""

from __future__ import annotations

import base64
import hashlib
import re
from functools import cache
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

from everytree.errors import EverytreeError
from everytree.show.report import findings, method, pictures, ranges, trees
from everytree.show.report import overview as content
from everytree.show.report.appendix import appendix
from everytree.show.report.overview import headline
from everytree.show.report.people import encode, people_data
from everytree.show.report.ties import ties_of
from everytree.support.files import check_writable, write_text
from everytree.support.progress import reporting

if TYPE_CHECKING:
    from collections.abc import Callable

    from everytree.audit import AuditResult
    from everytree.show.report.overview import Headline
    from everytree.support.progress import Progress

__all__ = ["write_report"]

SCRIPTS = ("data.js", "person.js", "explorer.js")


def write_report(audit: AuditResult, path: str | Path, *, progress: bool | Progress = False) -> Path:
    """Write an audit as one HTML file that needs no network and no other file.

    Parameters
    ----------
    audit : AuditResult
        What was found.
    path : str or Path
        The file, ending in ``.html``. It appears whole or not at all.
    progress : bool or callable, default False
        Show a progress bar on standard error, or call ``progress(share_done, parts_left)``.

    Returns
    -------
    Path
        The same path.

    Raises
    ------
    EverytreeError
        If jinja2 is not installed, or the file cannot be written.
    """
    path = Path(path)
    check_writable("The report", path, ".html", ".htm")
    write_text("The report", path, render(audit, progress))
    return path


def render(audit: AuditResult, progress: bool | Progress = False) -> str:
    """Give the whole page as text."""
    template = _template()
    first = headline(audit)
    script = _script()
    made: dict[str, Any] = {"style": _static("report.css"), "script": script, "script_hash": _hash(script)}
    parts = _parts(audit, first)
    with reporting(progress, len(parts), "writing the report", "parts left") as report:
        for done, (name, make) in enumerate(parts.items(), 1):
            made[name] = make()
            if report is not None:
                report(done / len(parts), len(parts) - done)
    return str(template.render(plan=audit.plan, first=first, **made))


def _parts(audit: AuditResult, first: Headline) -> dict[str, Callable[[], Any]]:
    """What the template needs besides the headline, each to be made when its turn comes."""
    place = (first.cell.sweep, first.cell.depth)
    groups = audit.plan.groups[0] if audit.plan.groups else ()
    ties = cache(lambda: ties_of(audit, first.cell))
    return {
        "first_cell": lambda: list(audit.verdicts).index(first.cell),
        "curve": lambda: pictures.curve(audit, *place, groups),
        "rows": lambda: content.table(audit),
        "assumptions": lambda: content.assumptions(audit),
        "by_amount": lambda: content.by_amount(audit),
        "pictures": lambda: pictures.curves(audit, place),
        "ranges": lambda: ranges.metric_tables(audit, first.cell),
        "trees": lambda: [
            trees.learned_tree(each, depth, audit.plan.data.shown) for depth, each in audit.prepared.items()
        ],
        "family": lambda: pictures.family(audit, first.cell),
        "facts": lambda: method.facts(audit),
        "judges_itself": lambda: method.judges_itself(audit),
        "columns": lambda: method.columns_of(audit),
        "proofs": lambda: method.proofs(audit),
        "cut_off": lambda: method.cut_off(audit),
        "open_radii": lambda: method.open_radii(audit),
        "commands": lambda: method.commands(audit.plan.data, first.cell, audit.plan.learner),
        "checks": lambda: method.checks(audit, first.cell),
        "examples": lambda: method.examples(audit.verdicts[first.cell]),
        "people": lambda: encode(people_data(audit, ties())),
        "appendix": lambda: appendix(audit, first.cell, ties()),
    }


def _template() -> Any:
    try:
        import jinja2
    except ImportError as error:
        raise EverytreeError(
            'A report needs jinja2, which is not installed. Install it with: pip install "everytree[report]"'
        ) from error

    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("everytree.show.report", "templates"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"number": findings.number, "persons": findings.persons}
    environment.filters["command"] = lambda text: _unbroken(text, jinja2)
    environment.globals |= {"share": findings.share}
    return environment.get_template("report.html.jinja")


def _unbroken(command: str, jinja2: Any) -> Any:
    """Give a command whose lines never end within the two dashes of an option, on paper least of all."""
    words = re.split(r"( --[a-z-]+)", command)
    kept = jinja2.utils.markupsafe.Markup('<span class="option">{}</span>')
    return jinja2.utils.markupsafe.Markup("").join(
        kept.format(word) if word.startswith(" --") else word for word in words
    )


def _script() -> str:
    parts = "\n".join(_static(name) for name in SCRIPTS)
    return f'"use strict";\n(() => {{\n{parts}}})();\n'


def _static(name: str) -> str:
    return resources.files("everytree.show.report").joinpath("static", name).read_text(encoding="utf-8")


def _hash(script: str) -> str:
    """The only script that the page may run, as its content policy names it."""
    return base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
