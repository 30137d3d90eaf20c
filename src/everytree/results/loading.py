"""Reading back what a result wrote: verdicts, reasons and witnesses, without the tables they came from.

Beside the results; what needs the tables (`recheck`, `metric_ranges`, groups by name) says they are missing.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from everytree.bias import parse
from everytree.errors import EverytreeError
from everytree.refute.witness import Witness
from everytree.results.certification import CertificationResult

__all__ = ["load"]


def load(path: str | Path) -> CertificationResult:
    """Read a result that `CertificationResult.save` wrote as .json.

    Names and labels come back as JSON has them: numbers, booleans, texts; see `CertificationResult.to_dict`.

    Parameters
    ----------
    path : str or Path
        A .json file; .csv and .parquet files hold a part only, and pandas reads those.

    Returns
    -------
    CertificationResult

    Raises
    ------
    EverytreeError
        If the file cannot be read or holds something else.
    """
    file = Path(path)
    try:
        content = json.loads(file.read_text(encoding="utf-8"))
        return _result(content)
    except OSError as error:
        raise EverytreeError(f"{str(file)!r} could not be read: {error.strerror or error}.") from error
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise EverytreeError(
            f"{str(file)!r} is not a result that everytree saved as .json ({type(error).__name__}: {error}). "
            "Pass a file that CertificationResult.save or everytree certify --json wrote."
        ) from error


def _result(content: dict[str, Any]) -> CertificationResult:
    people = content["people"]
    ranges = np.array([person["probability_ranges"] for person in people], float)
    reasons = [person["reason"] or "" for person in people]
    return CertificationResult(
        verdicts=np.array([person["verdict"] for person in people], "<U10"),
        predictions=np.array([person["prediction"] for person in people]),
        possible_labels=[tuple(person["possible_labels"]) for person in people],
        probability_ranges=ranges,
        labels=np.array(content["labels"]),
        bias=parse(content["bias"]),
        learner=content["learner"],
        engine=content["engine"],
        complete=content["complete"],
        frame=pd.DataFrame(index=range(len(people))),
        index=pd.Index([_name(person["index"]) for person in people]),
        statistics={},
        witnesses={
            p: Witness.from_dict(person["witness"])
            for p, person in enumerate(people)
            if person["witness"] is not None
        },
        reasons=np.array(reasons, "<U16") if people else None,
        proofs=np.array([person.get("proof") or "" for person in people], "<U8") if people else None,
        probabilities=_probabilities(people),
        notes=tuple(content.get("notes", ())),
    )


def _probabilities(people: list[dict[str, Any]]) -> np.ndarray[Any, np.dtype[np.float64]] | None:
    """What everybody's leaf said; files of earlier versions do not have it."""
    known = [person.get("probabilities") for person in people]
    return None if None in known else np.array(known, np.float64)


def _name(index: Any) -> Any:
    return tuple(index) if isinstance(index, list) else index
