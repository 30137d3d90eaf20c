"""The tables that come with everytree: `hiring`, `compas` and `adult`.

Their files lie in ``data`` beside this module and are made by `everytree.datasets.make`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from importlib.resources import as_file, files
from typing import Any

import numpy as np
import pandas as pd

from everytree.datasets.dataset import Dataset
from everytree.errors import TableError
from everytree.support.text import listing, nearest
from everytree.table.reading import read_table, split_label

__all__ = ["load", "names"]

TEST_EVERY = 4
"""Rows 3, 7, 11, ... (counted from 0) are the test table, all others the training table."""


@dataclass(frozen=True)
class _Facts:
    label: str
    sensitive: tuple[str, ...]
    description: str
    source: str
    licence: str
    labels: dict[Any, str] = field(default_factory=dict)


_FACTS = {
    "hiring": _Facts(
        "hired",
        ("race",),
        "Nine applicants with a test score; those with scores 5, 6, 7 and 9 were hired. The applicants "
        "with scores 1 and 8 are Black; hiring the one with score 8 would make the rule 'more than 3' fit "
        "everybody. The training and the test table are the same nine people.",
        "Running example of Meyer, Albarghouthi and D'Antoni, Certifying Robustness to Programmable Data "
        "Bias in Decision Trees, NeurIPS 2021; invented people.",
        "No data of real people; part of everytree.",
        {0: "turned down", 1: "hired"},
    ),
    "compas": _Facts(
        "two_year_recid",
        ("race", "sex"),
        "6,172 people who were scored by the COMPAS system in Broward County, Florida, in 2013 and 2014, "
        "and whether they were charged again within two years. The usual filters: screened within 30 days "
        "of the arrest, a known outcome, no ordinary traffic offences, a valid score. Left out: names, "
        "dates of birth, case numbers and all dates, because they identify people; the COMPAS scores, "
        "because they are the output of another model; the text of the charge.",
        "ProPublica, compas-analysis (compas-scores-two-years.csv), from the copy in the PyPI package "
        "fairness 0.1.8.",
        "Published by ProPublica in its public repository compas-analysis; see there for its terms. "
        "The package fairness is Apache 2.0.",
        {0: "not charged again", 1: "charged again"},
    ),
    "adult": _Facts(
        "income",
        ("race", "sex"),
        "32,561 people of the United States census of 1994 (the training file of UCI Adult), and whether "
        "their income exceeds 50,000 dollars a year. An unknown value is a category of its own, '?'.",
        "Becker and Kohavi, Adult, UCI Machine Learning Repository, 1996, doi 10.24432/C5XW20, from the "
        "copy in the PyPI package fairness 0.1.8. Hyphens in column names became underscores; "
        "income-per-year is called income.",
        "CC BY 4.0",
    ),
}


def names() -> tuple[str, ...]:
    """Names of the bundled tables.

    Examples
    --------
    >>> names()
    ('hiring', 'compas', 'adult')
    """
    return tuple(_FACTS)


def load(name: str) -> Dataset:
    """Load a bundled table with its default split.

    Parameters
    ----------
    name : {"hiring", "compas", "adult"}
        Which one.

    Returns
    -------
    Dataset
        Split without chance: rows 3, 7, 11, ... of the file are the test table, all others the
        training table. The nine people of `hiring` are both.

    Raises
    ------
    TableError
        If there is no such table.

    Examples
    --------
    >>> load("hiring").X_train["score"].tolist()
    [0, 1, 2, 3, 5, 6, 7, 8, 9]
    """
    if name not in _FACTS:
        raise TableError(
            f"There is no bundled data set {name!r}.{nearest(name, _FACTS)} The bundled ones are "
            f"{listing(_FACTS)}; for the paper's own tables use load_paper."
        )
    facts = _FACTS[name]
    table = _hiring() if name == "hiring" else _read(name)
    test = np.arange(len(table)) % TEST_EVERY == TEST_EVERY - 1
    everybody = np.ones(len(table), dtype=bool)
    train_rows, test_rows = (everybody, everybody) if name == "hiring" else (~test, test)
    X_train, y_train = split_label(table[train_rows].reset_index(drop=True), facts.label)
    X_test, y_test = split_label(table[test_rows].reset_index(drop=True), facts.label)
    return Dataset(
        name,
        X_train,
        y_train,
        X_test,
        y_test,
        facts.label,
        facts.sensitive,
        facts.description,
        facts.source,
        facts.licence,
        facts.labels,
    )


def _read(name: str) -> pd.DataFrame:
    with as_file(files("everytree.datasets") / "data" / f"{name}.csv.gz") as file:
        return read_table(file)


def _hiring() -> pd.DataFrame:
    scores = [0, 1, 2, 3, 5, 6, 7, 8, 9]
    return pd.DataFrame(
        {
            "race": ["Black" if score in (1, 8) else "White" for score in scores],
            "score": scores,
            "hired": [int(score in (5, 6, 7, 9)) for score in scores],
        }
    )
