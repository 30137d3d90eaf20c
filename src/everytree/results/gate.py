"""A gate for continuous integration: whether enough is proved robust, and if not, how much is missing.

Above results, which it reads; `everytree certify --require-robust` and ``[require]`` of an audit ask it.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING

from everytree.errors import EverytreeError
from everytree.results.certification import ROBUST, UNKNOWN
from everytree.results.learned import only_label
from everytree.support.text import counted, percent

if TYPE_CHECKING:
    from everytree.results.certification import CertificationResult

__all__ = ["as_share", "share_text", "short_of", "unmet_robust"]


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

    People whose verdict is unknown are not robust. A tree whose leaves all say the same never passes: it is
    robust because it knows nothing.
    """
    label = only_label(result.prepared)
    if label is not None:
        return (
            f"every leaf of the tree says {label}, so that whoever is asked about gets the same label, and "
            "its robustness says nothing"
        )
    counts = result.counts()
    return short_of(int(counts[ROBUST]), int(counts[UNKNOWN]), len(result), wanted)


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
