"""A gate for continuous integration: whether enough is proved robust, and if not, how much is missing.

Above results, which it reads; `everytree certify --require-robust` and ``[require]`` of an audit ask it.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING

from everytree.errors import EverytreeError
from everytree.results.certification import ROBUST, UNKNOWN
from everytree.results.learned import tree_facts
from everytree.support.text import counted, percent

if TYPE_CHECKING:
    from everytree.results.certification import CertificationResult

__all__ = ["as_share", "share_text", "short_of", "unmet_robust", "useless"]


def as_share(name: str, value: object) -> Fraction:
    """Read a share: ``"90%"``, ``0.9`` or ``"0.9"``, exactly as it is written.

    Examples
    --------
    >>> as_share("--require-robust", "92.5%")
    Fraction(37, 40)
    """
    text = str(value).strip()
    number = text.removesuffix("%").strip()
    try:
        share = Fraction(number) / (100 if text.endswith("%") else 1)
    except (ValueError, ZeroDivisionError):
        share = Fraction(-1)
    if isinstance(value, bool) or not 0 <= share <= 1:
        percent = number.isdigit() and text == number and int(number) <= 100
        remedy = f" For percent write {number}%." if percent else ""
        raise EverytreeError(
            f'{name} must be a share from 0 to 1, or a percentage such as "90%"; received {value!r}.{remedy}'
        )
    return share


def share_text(share: Fraction) -> str:
    """Write a required share as a percentage with as many digits as it has."""
    return f"{float(100 * share):.6g}%"


def unmet_robust(result: CertificationResult, wanted: Fraction) -> str:
    """Say by how much the share of robust people is too small; empty if it is large enough.

    People whose verdict is unknown are not robust. A tree that is `useless` never passes.
    """
    counts = result.counts()
    return useless(result) or short_of(int(counts[ROBUST]), int(counts[UNKNOWN]), len(result), wanted)


def useless(result: CertificationResult) -> str:
    """Say that the tree is robust because it knows nothing; empty if it is not, or if that is not known.

    Its leaves all say the same, or, where true labels are known, it is right no more often than always saying
    the most frequent training label: what is learned from shuffled labels is often one or the other.
    """
    facts = tree_facts(result)
    if facts.only is not None:
        return (
            f"every leaf of the tree says {facts.only}, so that whoever is asked about gets the same label, "
            "and its robustness says nothing"
        )
    if facts.no_better and facts.majority is not None:
        label, right = facts.majority
        return (
            f"the tree is right about {facts.right} of {_people(facts.people)} and always saying {label} "
            f"about {right}, so that its robustness says little"
        )
    return ""


def short_of(robust: int, unknown: int, people: int, wanted: Fraction) -> str:
    """Say by how much a count of robust people falls short of a share; empty if it does not."""
    if Fraction(robust, people) >= wanted:
        return ""
    missing = math.ceil(wanted * people) - robust
    points = float(100 * (wanted - Fraction(robust, people)))
    verb = "is" if people == 1 else "are"
    said = (
        f"{percent(robust / people)} of {_people(people)} {verb} proved robust, not {share_text(wanted)}: "
        f"{points:.1f} percentage points short, {_people(missing)}"
    )
    if unknown:
        said += f" ({counted(unknown, 'verdict')} unknown)"
    return said


def _people(number: int) -> str:
    return "1 person" if number == 1 else f"{number} people"
