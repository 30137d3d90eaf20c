"""The result of a certification: one verdict for each test person, and the ways to read and keep it.

Above the walk and below people: no arithmetic of proofs happens here, only counting and showing.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from everytree.errors import EverytreeError
from everytree.refute.holding import holding
from everytree.results.critical import critical_records, row_numbers
from everytree.results.proof_file import PROOF_SECONDS
from everytree.results.texts import markdown, summary
from everytree.support.above import Picture, above
from everytree.support.files import TABLE_FORMS, replace_file
from everytree.support.limits import Limits
from everytree.support.plain import as_plain, flat
from everytree.support.version import VERSION
from everytree.table import test_table
from everytree.table.groups import shares_by_group

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from everytree.bias import BiasModel
    from everytree.learner import Prepared
    from everytree.refute.witness import Witness
    from everytree.results.proof_file import ProofFile
    from everytree.results.ranges import MetricRanges
    from everytree.support.progress import Progress

ROBUST, NOT_ROBUST, UNKNOWN = "robust", "not robust", "unknown"
"""The three verdicts: proved, refuted by a retrained witness, neither."""

SUFFIXES = (".json", *TABLE_FORMS)


@dataclass(frozen=True, eq=False, repr=False)
class CertificationResult:
    """Verdicts for the people of a test table under one bias model.

    Attributes
    ----------
    verdicts : array of str
        "robust": every tree that could be learned from any table the bias model allows, with every way of
        breaking ties, gives this person the label in `predictions`. "not robust": a concrete changed table
        gives another label. "unknown": neither was shown.
    predictions : array
        Labels that the tree learned from the table as it is gives.
    possible_labels : list of tuple
        Labels that the person may get: a single one for robust people, all labels for the others, because
        the search for further labels stops once a second one is possible.
    probability_ranges : array of (people, labels, 2)
        For people whom the walk over all trees proved robust, bounds on the share of each label in the leaf
        the person reaches, over all tables; [0, 1] for the others, also for those whom a program proved.
    labels : array
        The labels, sorted; second axis of `probability_ranges`.
    bias : BiasModel
    learner : str
    engine : str
    complete : bool
        False if a time or memory limit ended the search early.
    frame : DataFrame
        The test table, original columns.
    index : Index
        The caller's names of the test people.
    statistics : dict
        What the search cost: seconds, nodes and splits looked at, paths and programs.
    witnesses : dict
        Position of a person who is not robust to the changed records; see `witness`.
    prepared : Prepared
        The tables and the learner as they were certified.
    trusted : array of int, optional
        Training rows that were declared correct; see `recheck`.
    reasons : array of str, optional
        Why people are unknown: "time", "memory", "paths" (more than can be kept), "tie" (the label hangs on a
        tie that the learner never breaks that way), "close" (the learner may not tell values apart, and
        nothing is proved), "interrupted", or "not settled" after everything was tried; "" for everybody else.
    proofs : array of str, optional
        What robust verdicts rest on: "walk" (all trees were looked at together), "programs" (no mixture of
        changes makes a path to another label possible), "tables" (every table of the bias model was tried, up
        to equal ones) or "twins" (training rows with the same features outvote every change, and no tree
        without a limit tells them apart); "" for everybody else.
    probabilities : array of (people, labels), optional
        What `predict_proba` of the tree learned from the table as it is says; columns as in `labels`.
    notes : tuple of str
        What the proofs take for granted beyond the tables: steps of a Pipeline that are kept as they were
        fitted, settings that a search chose.
    """

    verdicts: NDArray[np.str_]
    predictions: NDArray[Any]
    possible_labels: list[tuple[Any, ...]]
    probability_ranges: NDArray[np.float64]
    labels: NDArray[Any]
    bias: BiasModel
    learner: str
    engine: str
    complete: bool
    frame: pd.DataFrame
    index: pd.Index[Any]
    statistics: dict[str, float]
    witnesses: dict[int, Witness] = field(default_factory=dict)
    prepared: Prepared | None = None
    trusted: NDArray[np.int64] | None = None
    reasons: NDArray[np.str_] | None = None
    proofs: NDArray[np.str_] | None = None
    probabilities: NDArray[np.float64] | None = None
    notes: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.verdicts)

    def __repr__(self) -> str:
        numbers = ", ".join(f"{count} {verdict}" for verdict, count in self.counts().items())
        return f"<CertificationResult: {len(self)} people: {numbers}>"

    def _repr_html_(self) -> str:
        return str(above("certification_html")(self))

    @property
    def robust_rate(self) -> float:
        """Share of the people whose prediction is proved robust."""
        return float(np.mean(self.verdicts == ROBUST))

    def witness(self, person: int) -> Witness:
        """Return the changed records that give a person who is not robust another label.

        Parameters
        ----------
        person : int
            Position in the test table, counted from 0.
        """
        if person in self.witnesses:
            return self.witnesses[person]
        if not 0 <= person < len(self):
            raise EverytreeError(
                f"person must be a position from 0 to {len(self) - 1} in the test table; received {person}."
            )
        raise EverytreeError(
            f"There is no witness for person {person}, whose verdict is {str(self.verdicts[person])!r}. Only "
            'a verdict of "not robust" (engine "auto") comes with one.'
        )

    def holds(self, person: int) -> int:
        """On how many of 20 seeds and orders of columns the tree, retrained, gives the label of the witness.

        On fewer than 20 the label depends on how ties between splits are broken.
        """
        return holding(self._tables(), self.witness(person), person)

    def encode(self, X: Any) -> pd.DataFrame:
        """Give rows as the tree sees them, in the features that were certified and in their order."""
        train = self._tables().train
        return pd.DataFrame(test_table(train, X).X, columns=pd.Index(train.feature_names))

    def critical_records(self, how_many: int = 20) -> pd.DataFrame:
        """Training records that occur most in the changes behind "not robust", the most critical first.

        Records that a witness could exchange for one another share its weight evenly. These are the records
        to check first; `recheck` says what that would gain.
        """
        return critical_records(self.witnesses.values(), self._tables().train, how_many)

    def recheck(self, rows: Iterable[int], *, time_limit: float | None = None) -> CertificationResult:
        """Certify again with some training records declared correct: neither flipped nor removed.

        Parameters
        ----------
        rows : iterable of int
            Row numbers of the training table, counted from 0, such as the index of `critical_records`.
        time_limit : float, optional
            As for `certify`.
        """
        prepared = self._tables()
        trusted = row_numbers(rows, len(prepared.train.y))
        again: CertificationResult = above("certify_prepared")(
            prepared, self.bias, engine=self.engine, limits=Limits.of(time_limit), trusted=trusted
        )
        return again

    def _tables(self) -> Prepared:
        if self.prepared is None:
            raise EverytreeError("This result was made without its tables, so nothing can be asked of them.")
        return self.prepared

    def counts(self) -> pd.Series[int]:
        """Count the people by verdict; all three verdicts are always listed."""
        verdicts = (ROBUST, NOT_ROBUST, UNKNOWN)
        return pd.Series({v: int(np.sum(self.verdicts == v)) for v in verdicts}, name="people")

    def by_group(self, sensitive_features: object) -> pd.DataFrame:
        """Count and share of the verdicts in each group of test people.

        Parameters
        ----------
        sensitive_features : str, list of str, Series, DataFrame, dict or array
            Columns of the test table by name, or one value (or row of values) for each person. Several
            columns give their intersections.

        Returns
        -------
        DataFrame
            One row a group, with `n` and the share of each verdict.
        """
        return shares_by_group(self.verdicts, sensitive_features, self.frame)

    def metric_ranges(
        self,
        sensitive_features: object = None,
        y_true: object = None,
        positive: object = None,
        *,
        smallest_group: int = 1,
        tries: int = 100,
        time_limit: float | None = None,
        progress: bool | Progress = False,
    ) -> MetricRanges:
        """Bound accuracy, selection rates and group differences over all tables of the bias model.

        See `everytree.questions.metrics.metric_ranges`.
        """
        ranges: MetricRanges = above("metric_ranges")(
            self,
            sensitive_features,
            y_true,
            positive,
            smallest_group=smallest_group,
            tries=tries,
            time_limit=time_limit,
            progress=progress,
        )
        return ranges

    def plot(self, sensitive_features: object = None, *, ax: Axes | None = None) -> Picture:
        """Draw the verdicts as bars, one for each group; see `everytree.show.plots.VerdictsDisplay`."""
        display: Picture = above("VerdictsDisplay.from_result")(self, sensitive_features, ax=ax)
        return display

    def to_frame(self) -> pd.DataFrame:
        """One row a person: prediction, verdict, possible labels, each label's share and its bounds."""
        columns: dict[str, Any] = {
            "prediction": self.predictions,
            "verdict": self.verdicts,
            "possible_labels": self.possible_labels,
        }
        for i, label in enumerate(self.labels):
            if self.probabilities is not None:
                columns[f"probability[{as_plain(label)}]"] = self.probabilities[:, i]
            columns[f"low[{as_plain(label)}]"] = self.probability_ranges[:, i, 0]
            columns[f"high[{as_plain(label)}]"] = self.probability_ranges[:, i, 1]
        return pd.DataFrame(columns, index=self.index)

    def to_dict(self) -> dict[str, Any]:
        """Everything a machine needs, as plain Python values; the structure is that of `to_json`.

        Names and labels of other types than number, boolean and text are written as text: dates and times as
        in ISO 8601, bytes as UTF-8, tuples as lists, the rest (such as a Decimal) as by `str`.
        """
        counts = self.counts()
        predictions = as_plain(self.predictions)
        probabilities = [None] * len(self) if self.probabilities is None else self.probabilities.tolist()
        return {
            "everytree": VERSION,
            "learner": self.learner,
            "bias": str(self.bias),
            "engine": self.engine,
            "complete": self.complete,
            "notes": list(self.notes),
            "labels": as_plain(self.labels),
            "summary": {
                "n": len(self),
                "robust": int(counts[ROBUST]),
                "not_robust": int(counts[NOT_ROBUST]),
                "unknown": int(counts[UNKNOWN]),
            },
            "people": [
                {
                    "index": as_plain(name),
                    "prediction": predictions[p],
                    "verdict": str(self.verdicts[p]),
                    "possible_labels": as_plain(self.possible_labels[p]),
                    "probabilities": probabilities[p],
                    "probability_ranges": self.probability_ranges[p].tolist(),
                    "reason": None if self.reasons is None else str(self.reasons[p]),
                    "proof": None if self.proofs is None else str(self.proofs[p]),
                    "witness": self.witnesses[p].to_dict() if p in self.witnesses else None,
                }
                for p, name in enumerate(self.index)
            ],
        }

    def to_json(self, indent: int | None = None) -> str:
        """Return the result as JSON text."""
        return json.dumps(self.to_dict(), indent=indent)

    def save(self, path: str | Path) -> Path:
        """Write the result to a file; the suffix chooses the form: .json, .csv or .parquet.

        The file appears whole or not at all. Names and labels are spelt as in `to_dict`; tuples are JSON in
        .csv and .parquet, where a column of several types is all text.
        """
        path = Path(path)
        if path.suffix not in SUFFIXES:
            raise EverytreeError(
                f"A result is saved as one of {', '.join(SUFFIXES)}, chosen by the suffix of the file name; "
                f"received {path.name!r}. Give the name one of these suffixes."
            )

        try:
            replace_file(path, lambda partial: self._write(partial, path.suffix))
        except OSError as error:
            raise EverytreeError(
                f"The result could not be written to {str(path)!r}: {error.strerror or error}. Choose a "
                "folder that exists and may be written to."
            ) from error
        return path

    def write_proof(
        self, path: str | Path, *, time_limit: float | None = PROOF_SECONDS, check: bool = True
    ) -> ProofFile:
        """Write the proofs to a file that anybody can verify; see `everytree.questions.proofs`."""
        written: ProofFile = above("write_proof")(self, path, time_limit=time_limit, check=check)
        return written

    def _write(self, file: Path, suffix: str) -> None:
        if suffix == ".json":
            file.write_text(self.to_json(indent=1) + "\n", encoding="utf-8")
            return
        TABLE_FORMS[suffix](flat(self.to_frame()), file)

    def summary(self, sensitive_features: object = None) -> str:
        """The finding in a few lines of plain text, by group if groups are given."""
        return summary(self, self._groups(sensitive_features))

    def to_markdown(self, sensitive_features: object = None) -> str:
        """The finding as Markdown, for a model card or a pull request, by group if groups are given."""
        return markdown(self, self._groups(sensitive_features))

    def _groups(self, sensitive_features: object) -> pd.DataFrame | None:
        return None if sensitive_features is None else self.by_group(sensitive_features)
