"""What results, witnesses and bias models look like in a notebook.

Small pieces of HTML without scripts or style sheets. Colours of text and background are those of the page,
so that they fit light and dark ones; every value is escaped.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from html import escape
from typing import TYPE_CHECKING

import numpy as np

from everytree.bias.words import in_words
from everytree.results.texts import CUT_OFF, is_cut_off
from everytree.show.plots.style import COLOURS
from everytree.support.text import percent

if TYPE_CHECKING:
    from everytree.bias import BiasModel
    from everytree.refute.witness import Witness
    from everytree.results.certification import CertificationResult
    from everytree.results.radii import RadiusResult

__all__ = ["bias_html", "certification_html", "radius_html", "witness_html"]

MOST_LISTED = 10
"""A witness lists no more rows and kinds of change than this; `Witness.to_frame` has all of them."""

MEANINGS = {
    "robust": "proved: every table that the bias model allows gives the same label",
    "not robust": "found: changed records, retrained, that give another label",
    "unknown": "neither was found",
}

QUANTILES = {"minimum": 0.0, "lower quartile": 0.25, "median": 0.5, "upper quartile": 0.75, "maximum": 1.0}

_BOX = "max-width:46em;line-height:1.5;color:inherit;background:transparent"
_LINE = "border:0;border-bottom:1px solid rgba(128,128,128,.35)"
_CELL = f"padding:.2em .8em .2em 0;vertical-align:top;background:transparent;color:inherit;{_LINE}"


def bias_html(model: BiasModel) -> str:
    """A bias model as it is written and in words."""
    return _box(_model(model))


def certification_html(result: CertificationResult) -> str:
    """How many people have which verdict, under which bias model, and what that means."""
    counts = {str(verdict): int(count) for verdict, count in result.counts().items()}
    rows = [
        (
            f"{_swatch(verdict)}{verdict.replace(' ', '&nbsp;')}",
            str(count),
            percent(count / len(result)),
            MEANINGS[verdict],
        )
        for verdict, count in counts.items()
    ]
    notes = []
    if result.engine != "auto":
        notes.append(
            f"The engine {result.engine!r} looks for proofs only: some of the unknown may not be robust."
        )
    if is_cut_off(result):
        notes.append(CUT_OFF)
    notes += result.notes
    return _box(
        f"<div><b>{_people(len(result))}</b>, {escape(result.learner)}</div>",
        _model(result.bias),
        _bar(counts),
        _table(("verdict", "people", "share", "meaning"), rows, numbers=(1, 2)),
        *map(_note, notes),
    )


def radius_html(result: RadiusResult) -> str:
    """How much bias the least robust, the middle and the most robust people can stand."""
    exact = int(np.sum(result.exact))
    rows = []
    for name, share in QUANTILES.items():
        lower, upper = (
            float(np.quantile(a, share, method="inverted_cdf")) for a in (result.lower, result.upper)
        )
        proved = "none" if lower < 0 else f"{lower:.0f}"
        rows.append((name, proved, f"{upper:.0f}" if np.isfinite(upper) else "none found"))
    each = "records" if len(result.family.components) == 1 else "records for each ?"
    notes = [f"Amounts are numbers of {each}. Each column is ordered by itself."]
    if not result.complete:
        notes.append("The search ended before everybody's two ends met; more time may bring them together.")
    return _box(
        f"<div><b>{_people(len(result))}</b>, {exact} with an exact radius, amounts up to "
        f"{result.max_amount}</div>",
        _model(result.family),
        _table(("", "proved up to", "another label at"), rows, numbers=(1, 2)),
        *map(_note, notes),
    )


def witness_html(witness: Witness) -> str:
    """Which records change and how, and what that does to the person's label."""
    lines = _changes(witness)
    notes = []
    if len(lines) > MOST_LISTED:
        notes.append(f"And {len(lines) - MOST_LISTED} more kinds of change.")
    if witness.random_state is not None:
        notes.append(f"A tie is broken as with random_state={witness.random_state}.")
    notes.append(
        "The tree was trained again and gives the new label. to_frame(X_train, y_train) shows the records."
    )
    return _box(
        f"<div>{_headline(witness)}</div>",
        _table(("training record", "what happens"), lines[:MOST_LISTED]) if lines else "",
        *map(_note, notes),
    )


def _changes(witness: Witness) -> list[tuple[str, str]]:
    """List what happens, each with the records that it happens to; equal changes are one line."""
    by_label: dict[str, list[int]] = {}
    for row, label in witness.flipped.items():
        by_label.setdefault(str(label), []).append(row)
    name = escape(witness.label_name)
    lines = [(_rows(rows), f"{name} becomes <b>{escape(text)}</b>") for text, rows in by_label.items()]
    if witness.removed:
        lines.append((_rows(witness.removed), "left out"))
    added = Counter(
        ", ".join(f"{column} = {value}" for column, value in values.items())
        for values in witness.added.to_dict("records")
    )
    new = (("1 new row" if number == 1 else f"{number} new rows", text) for text, number in added.items())
    return lines + [(which, f"added: {escape(text)}") for which, text in new]


def _rows(rows: Sequence[int]) -> str:
    more = f" and {len(rows) - MOST_LISTED} more" if len(rows) > MOST_LISTED else ""
    return f"row{'' if len(rows) == 1 else 's'} {', '.join(map(str, rows[:MOST_LISTED]))}{more}"


def _headline(witness: Witness) -> str:
    change = f"The label <b>{escape(str(witness.before))}</b> becomes <b>{escape(str(witness.after))}</b>"
    if witness.size == 0:
        return f"{change} without any change of the table: it hangs on a tie."
    records = "1 record changes" if witness.size == 1 else f"{witness.size} records change"
    return f"{change} if {records}."


def _box(*parts: str) -> str:
    return f'<div style="{_BOX}">{"".join(parts)}</div>'


def _model(model: BiasModel) -> str:
    code = 'style="color:inherit;background:transparent;white-space:pre-wrap"'
    return f"<div><code {code}>{escape(str(model))}</code></div>{_note(in_words(model))}"


def _people(number: int) -> str:
    return "1 person" if number == 1 else f"{number} people"


def _note(text: str) -> str:
    return f'<div style="opacity:.8;font-size:.9em">{escape(text)}</div>'


def _table(header: Sequence[str], rows: Iterable[Sequence[str]], numbers: Sequence[int] = ()) -> str:
    """Build a table of cells that are escaped already; `numbers` are the columns to align on the right."""

    def line(tag: str, cells: Sequence[str]) -> str:
        sides = ("right" if place in numbers else "left" for place in range(len(cells)))
        filled = (
            f'<{tag} style="text-align:{s};{_CELL}">{c}</{tag}>' for s, c in zip(sides, cells, strict=True)
        )
        return f'<tr style="background:transparent">{"".join(filled)}</tr>'

    body = "".join(line("td", cells) for cells in rows)
    style = "border-collapse:collapse;margin:.5em 0;color:inherit;font-size:inherit"
    return f'<table style="{style}"><thead>{line("th", header)}</thead><tbody>{body}</tbody></table>'


def _bar(counts: dict[str, int]) -> str:
    """Draw the counts as one bar, as wide as the table; the numbers stand below it."""
    words = ", ".join(f"{count} {verdict}" for verdict, count in counts.items())
    parts = "".join(
        f'<span style="flex:{count} 0 0;background:{_colours()[verdict]}"></span>'
        for verdict, count in counts.items()
        if count
    )
    style = "display:flex;gap:2px;height:.7em;margin:.5em 0"
    return f'<div role="img" aria-label="{escape(words)}" style="{style}">{parts}</div>'


def _swatch(verdict: str) -> str:
    style = f"display:inline-block;width:.7em;height:.7em;margin-right:.5em;background:{_colours()[verdict]}"
    return f'<span style="{style}"></span>'


def _colours() -> dict[str, str]:
    return COLOURS
