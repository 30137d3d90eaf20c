"""A certification in a few lines of text: for a terminal, and as Markdown for a model card or a pull request.

Beside `everytree.results.certification`, which counts; here is only how it reads.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from everytree.results.idle import idle_warning
from everytree.results.learned import tree_facts
from everytree.support.text import counted, percent

if TYPE_CHECKING:
    import pandas as pd

    from everytree.results.certification import CertificationResult

__all__ = ["CUT_OFF", "is_cut_off", "loud_lines", "markdown", "open_lines", "summary", "why_unknown"]

CUT_OFF = "A time or memory limit ended the search early: some of the unknown may be robust."

WHY = {
    "time": "The time limit ended the search: a longer one (--time-limit, time_limit) may help.",
    "memory": "The memory limit ended the search: a larger one (--memory-limit, memory_limit) may help.",
    "paths": "Trees of this depth have more paths than can be kept: a smaller depth may help.",
    "tie": "The label depends on how ties are broken, and with the given seed they never are broken so.",
    "close": "Values of a column are too close for scikit-learn to tell apart: rounding the column helps.",
    "interrupted": "The search was interrupted.",
    "not settled": "Everything that there is to try was tried: a smaller amount or depth may be decided.",
}
"""What to say about each reason for which somebody is unknown."""

PROOFS_ONLY = 'The engine "{}" only looks for proofs: "auto" decides more people.'


def summary(result: CertificationResult, groups: pd.DataFrame | None) -> str:
    """The finding in plain text, by group if groups are given."""
    facts, counts = tree_facts(result), result.counts()
    width = max(len(str(count)) for count in counts)
    lines = [f"bias model  {result.bias}", f"learner     {result.learner}"]
    lines += [f"{name:<11} {text}" for name, text in facts.lines()]
    if loud := loud_lines(result):
        lines += ["", *loud, ""]
    lines.append(f"people      {len(result)}")
    for verdict, count in counts.items():
        lines.append(f"  {verdict:<11} {count:>{width}}  {percent(count / len(result)):>6}")
    lines += open_lines(result)
    lines += [f"Note: {note}" for note in result.notes]
    if groups is not None:
        lines += ["", groups.to_string(float_format=percent)]
    return "\n".join(lines)


def loud_lines(result: CertificationResult) -> list[str]:
    """What must be said before any share: that tree or bias model leave nothing to find out."""
    return [said for said in (tree_facts(result).warning, idle_warning(result)) if said]


def is_cut_off(result: CertificationResult) -> bool:
    """Tell whether a limit ended the search and left somebody undecided."""
    return not result.complete and bool((result.verdicts == "unknown").any())


def why_unknown(result: CertificationResult, person: int) -> str:
    """Say why a person is unknown and what to do; empty where that is not known."""
    return "" if result.reasons is None else WHY.get(str(result.reasons[person]), "")


def open_lines(result: CertificationResult) -> list[str]:
    """Say of the people who are unknown why, the most frequent reason first."""
    unknown = result.verdicts == "unknown"
    if result.reasons is None:
        return [CUT_OFF] if is_cut_off(result) else []
    why = WHY if result.engine == "auto" else WHY | {"not settled": PROOFS_ONLY.format(result.engine)}
    counts = Counter(result.reasons[unknown].tolist())
    return [
        f"unknown, {counted(n, 'person').replace('persons', 'people')}: {why[reason]}"
        for reason, n in counts.most_common()
        if reason in why
    ]


def markdown(result: CertificationResult, groups: pd.DataFrame | None) -> str:
    """The finding as Markdown: what was asked, how the tree does, and the verdicts by group."""
    facts, counts = tree_facts(result), result.counts()
    named = [("bias model", f"`{result.bias}`"), ("learner", f"`{result.learner}`")]
    named += [(name, _plain(text)) for name, text in facts.lines()]
    lines = [f"- **{name}**: {text}" for name, text in named]
    for loud in loud_lines(result):
        lines += ["", f"**{_plain(loud)}**"]
    shares = [percent(count / len(result)) for count in counts]
    names = ["people"] if groups is None else [*map(str, groups.index.names), "people"]
    lines += ["", _line([*names, *counts.index]), _line(["---"] * (len(names) - 1) + ["---:"] * 4)]
    if groups is not None:
        for key, row in zip(groups.index, groups.to_dict("records"), strict=True):
            values = key if isinstance(key, tuple) else (key,)
            lines.append(_line([*values, row["n"], *(percent(row[verdict]) for verdict in counts.index)]))
    everybody = ["**everybody**", *[""] * (len(names) - 2)] if groups is not None else []
    lines.append(_line([*everybody, len(result), *shares]))
    for line in open_lines(result):
        lines += ["", _plain(line)]
    for note in result.notes:
        lines += ["", _plain(f"Note: {note}")]
    return "\n".join(lines) + "\n"


def _line(cells: Sequence[object]) -> str:
    return f"| {' | '.join(_cells(cells))} |"


def _cells(values: Iterable[object]) -> list[str]:
    return [value if str(value).startswith(("---", "**")) else _plain(value) for value in map(str, values)]


def _plain(value: object) -> str:
    """Keep a value from being read as Markdown: a bar would end its cell, a line break the table."""
    text = " ".join(str(value).split())
    for sign in "\\|*_`<[":
        text = text.replace(sign, f"\\{sign}")
    return text
